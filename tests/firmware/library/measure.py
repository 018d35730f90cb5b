#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the code, the structs and the stacks of the firmware library, and prints or reads their
budget.

    tests/firmware/library/measure.py > tests/firmware/budget.txt

writes the present sizes, plus 5 %, as the new budget. Do that when the library has grown for a
reason, and say the reason in the commit.

The stack of a function is the most that it and its callees need, by the compiler's call graph
(-fcallgraph-info=su). Calls through pointers are assumed to go

  - from a driver to the port in src/firmware that needs most stack;
  - from target.c and session.c to the driver that needs most stack;
  - from reports and regions to the program (put, lock, unlock), whose stack is not included.

The stacks of a JTAG chain's scan functions, of memcpy and of similar functions are not included
either.
"""
import functools
import glob
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from harness import SOURCE, WORK, run, script  # noqa: E402

BUDGET = os.path.join(SOURCE, "tests/firmware/budget.txt")
HEADROOM = 1.05
COMPILER = "12"  # the budget is for GCC 12

# These functions are written in assembly, and use no stack.
ASSEMBLY = {"pmk_native_probe", "pmk_native_probe_access"}

STRUCTS = ["pmk_target", "pmk_region", "pmk_task", "pmk_sample", "pmk_ring", "pmk_session"]

# Functions that call through pointers, and the functions that they call.
MODULE, PORTS = r"src/firmware/mdm\w*\.c$", r"src/firmware/(mmio|native_\w+)\.c$"
DRIVERS, PROGRAM = r"src/pmu/\w+/driver\.c$", None
INDIRECT = [
    (r"src/pmu/microblaze/", MODULE),
    (r"src/pmu/", PORTS),
    (r"src/firmware/mdm\.c$", r"src/firmware/mdm_mmio\.c$"),
    (r"src/firmware/mdm_mmio\.c$", r"src/firmware/mmio\.c$"),
    (r"src/firmware/mdm_jtag\.c$", PROGRAM),
    (r"src/firmware/(session|target|totals)\.[ch]$", DRIVERS),
    (r"src/firmware/(dump|region|report|text)\.c$", PROGRAM),
]


@functools.cache
def tool():
    """Loads scripts/target as a module."""
    return script("target")


@functools.cache
def made():
    """Runs scripts/target once, which also writes the call graphs next to the objects. Returns its
    output."""
    return run(os.path.join(SOURCE, "scripts/target"), os.path.join(WORK, "target-library"),
               env=dict(os.environ, TARGET_CFLAGS="-fcallgraph-info=su",
                        CCACHE_DISABLE="1"))  # ccache does not store call graphs


def build(name):
    """Returns the path of a target's archive, or None if its compiler is not installed."""
    if tool().missing(row(name)):
        return None
    assert made().code == 0, made()
    return os.path.join(WORK, "target-library", "target", name, tool().LIBRARY)


def row(name):
    return next(t for t in tool().TARGETS if t[0] == name)


def public_functions(name):
    out = run(tools(name) + "nm", "-g", "--defined-only", build(name)).out
    return sorted(set(re.findall(r"^[0-9a-f]+ T (\w+)$", out, re.M)) - ASSEMBLY)


def tools(name):
    return row(name)[1]


class CallGraph:
    def __init__(self, objects):
        self.bytes, self.file, self.calls = {}, {}, {}
        for path in glob.glob(os.path.join(objects, "*.ci")):
            with open(path) as f:
                self.read(f.read())
        self.known, self.open = {}, []

    def read(self, text):
        for title, file, size, kind in re.findall(
                r'^node: \{ title: "([^"]+)" label: "[^"]*?\\n([^":]+):\d+:\d+\\n(\d+) bytes '
                r'\(([\w,]+)\)"', text, re.M):
            assert kind == "static", f"{title}: its stack is {kind}"
            self.bytes[title], self.file[title] = int(size), file
        for source, to in re.findall(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', text,
                                     re.M):
            self.calls.setdefault(source, set()).add(to)

    def worst(self, function):
        """Returns the bytes of stack that `function` and its callees need."""
        if function not in self.bytes:
            return 0  # memcpy and similar functions need none
        assert function not in self.open, f"recursion: {' → '.join(self.open)} → {function}"
        if function not in self.known:
            self.open.append(function)
            below = [self.pointer(function) if to == "__indirect_call" else self.worst(to)
                     for to in self.calls.get(function, ())]
            self.open.pop()
            self.known[function] = self.bytes[function] + max(below, default=0)
        return self.known[function]

    def pointer(self, function):
        """Returns the function with the deepest stack to which a pointer in `function` may
        point."""
        for caller, to in INDIRECT:
            if re.search(caller, self.file[function]):
                break
        else:
            raise AssertionError(f"{function} calls through a pointer, and INDIRECT does not say "
                                 f"where to")
        if to is PROGRAM:
            return 0
        # Only static functions of a driver or a port are called through pointers.
        slots = [f for f, file in self.file.items() if re.search(to, file) and ":" in f]
        assert slots, f"no function in {to}"
        return max(self.worst(f) for f in slots)


@functools.cache
def event_bytes(name):
    """Returns sizeof(struct pmk_event) of a target."""
    return sizes_of_structs(name, ["pmk_event"])["pmk_event"]


def events_in(name, path):
    """Returns the number of events in the catalogues of an object file."""
    listed = run(tools(name) + "nm", "-S", path).out
    return sum(int(size, 16) // event_bytes(name)
               for size in re.findall(r" ([0-9a-f]+) R pmk_\w+_events$", listed, re.M))


def room(object_name):
    """Returns the folder of an object's source: pmu/arm11 for pmu_arm11_driver.o."""
    for source in tool().amalgamate.target_sources():
        if source.replace("/", "_")[:-2] + ".o" == object_name:
            return os.path.dirname(source)
    raise AssertionError(object_name)


def sizes_of_structs(name, structs):
    """Returns {struct: bytes}."""
    source = os.path.join(os.path.dirname(build(name)), "structs.c")
    with open(source, "w") as f:
        f.write("#include <pmk/session.h>\n#include <pmk/target.h>\n")
        f.writelines(f"char {s}[sizeof(struct {s})];\n" for s in structs)
    target = row(name)
    out = run(*tool().compiler(target), "-I", os.path.join(SOURCE, "include"), "-c", source, "-o",
              source + ".o")
    assert out.code == 0, out
    listed = run(target[1] + "nm", "-S", source + ".o").out
    return {s: int(size, 16) for size, s in re.findall(r" ([0-9a-f]+) \w (\w+)$", listed, re.M)}


@functools.cache
def measure(name):
    """Returns {what: bytes} for one target."""
    objects = os.path.join(os.path.dirname(build(name)), "objects")
    found, events = {}, {}
    for path in sorted(glob.glob(os.path.join(objects, "*.o"))):
        place = room(os.path.basename(path))
        events[place] = events.get(place, 0) + events_in(name, path)
        for kind, size in tool().sizes(row(name), path).items():
            if kind != "data":
                what = f"{kind} {place}"
                found[what] = found.get(what, 0) + size
    for place, rows in events.items():
        if rows:
            what = f"constants {place}"
            found[what + " per event"] = math.ceil(found.pop(what) / rows)
    for struct, size in sizes_of_structs(name, STRUCTS).items():
        found[f"struct {struct}"] = size
    graph = CallGraph(objects)
    for function in public_functions(name):
        assert function in graph.bytes, f"{function} is in no call graph"
        found[f"stack {function}"] = graph.worst(function)
    return found


def compiler_version(name):
    return run(tools(name) + "gcc", "-dumpversion").out.strip()


def read_budget():
    """Returns {target: {what: bytes}}."""
    with open(BUDGET) as f:
        rows = [line.split("|") for line in f if line.strip() and not line.startswith("#")]
    names = [c.strip() for c in rows[0][1:]]
    return {n: {row[0].strip(): int(row[1 + i]) for row in rows[1:] if row[1 + i].strip() != "-"}
            for i, n in enumerate(names)}


def family_of(what):
    """Returns the PMU family of a file or function, or None."""
    found = re.match(r"(?:code |constants )pmu/(\w+)|stack pmk_(\w+?)_", what)
    family = found and (found[1] or found[2])
    return family if family in tool().amalgamate.pmu_families() else None


def budget_of(what, budget):
    """Returns the budget in bytes. A new family has no limit until budget.txt is written again."""
    family = family_of(what)
    if family and not any(family_of(other) == family for other in budget):
        return math.inf
    return budget.get(what, -1)


def allowed(what, size):
    """Returns the budget to record for something of `size` bytes."""
    if what.startswith("stack "):
        return max(16, math.ceil(size * HEADROOM / 8) * 8)
    return math.ceil(size * HEADROOM)


def write_budget():
    names = [t[0] for t in tool().TARGETS]
    for n in names:
        if not build(n):
            sys.exit(tool().missing(row(n)))
    order = {"code": 0, "constants": 1, "struct": 2, "stack": 3}
    every = sorted({w for n in names for w in measure(n)}, key=lambda w: (order[w.split()[0]], w))
    print(f"# Most bytes that the firmware library may take: code and constants of each room of "
          f"src/, structs\n"
          f"# that a program allocates, stack of each public function. The constants of a PMU "
          f"family, which are\n"
          f"# mostly its events and their names, are divided by the number of events. As measured "
          f"with GCC {COMPILER},\n"
          f"# and 5 %; stacks are rounded up to 8 and at least 16. How it is measured, and how to "
          f"write this file\n"
          f"# anew: tests/firmware/library/measure.py\n")
    width = [max(8, len(n)) for n in names]
    print(f"{'':<36}" + "".join(f" | {n:>{w}}" for n, w in zip(names, width)))
    for what in every:
        cells = [str(allowed(what, measure(n)[what])) if what in measure(n) else "-" for n in names]
        print(f"{what:<36}" + "".join(f" | {c:>{w}}" for c, w in zip(cells, width)))


if __name__ == "__main__":
    write_budget()
