# SPDX-License-Identifier: MIT
"""The programs that bench/run, bench/record and others measure: how to build them for each
instruction set and for this machine, and how to run them."""
import dataclasses
import functools
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from common import Trouble, output_of

HERE = os.path.dirname(os.path.abspath(__file__))

# {name: work factors for ARM, A64, MicroBlaze and the ARM926}. With the factors for ARM, A64 and
# MicroBlaze, plain QEMU takes 0.6 to 0.8 s. With the factor for the ARM926, pmk takes 2 to 12 s. A
# factor of 0 means that the program is not measured: it is not among the stored programs for
# MicroBlaze.
PROGRAMS = {
    "mixed": (15000, 21000, 26000, 15000),
    "sort": (45, 42, 48, 6),
    "walk": (750, 650, 600, 30),
    "matmul": (80, 75, 120, 6),
    "compress": (70, 56, 82, 4),
    "sha256": (1500, 950, 1100, 400),
    "interp": (500, 500, 740, 300),
    "text": (18, 36, 70, 2),
    "states": (72, 72, 110, 6),
    "columns": (1050, 1050, 1800, 8),
    "bwt": (66, 62, 105, 3),
    "petri": (2400, 2200, 0, 20),
    "merge": (180, 180, 0, 20),
    "containers": (350, 350, 0, 60),
}
# --quick divides the work by this number. The tests set a larger number, because they do not judge
# the times.
QUICK = int(os.environ.get("PMK_BENCH_QUICK", "7"))

FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra"]
NATIVE_CC = ["gcc", *FLAGS]
CACHEGRIND = ["valgrind", "--tool=cachegrind", "--branch-sim=yes",
              "--cachegrind-out-file=/dev/null"]
CALLGRIND = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes",
             "--callgrind-out-file=/dev/null"]
# Valgrind cannot map the large address range that pmk reserves for recordings. With a limit on the
# size of files, pmk reserves no more than this limit.
HOST_COUNTED = ["prlimit", "--fsize=6000000000"]
# pmk waits only some seconds for the emulator's reply to --version, so callgrind does not count the
# run that prints it.
HOST_WRAPPER = """#!/bin/sh
[ "$1" = --version ] && exec '{emulator}' "$@"
exec valgrind -q --tool=callgrind --callgrind-out-file='{out}' '{emulator}' "$@"
"""
NOTHING = "int main(void)\n{\n\treturn 0;\n}\n"


@dataclasses.dataclass(frozen=True)
class Isa:
    """An instruction set, with its compiler, emulator, core, limits and names of events."""
    name: str
    work: int  # its column in PROGRAMS
    compiler: list
    emulator: list
    core: str
    most_slowdown: float
    # Names of the core's events, for bench/run's table of the programs' character. A-B is the
    # difference of two events.
    insns: str
    data: str
    data_miss: str
    fetch_miss: str
    tlb_miss: str
    branches: str
    mispredicted: str
    cycles: str = "cpu_cycles"
    most_startup: float = 5.0  # ms
    # The caches of its core, for QEMU's own cache plugin: bytes, ways and bytes of a line.
    icache: tuple = ()
    dcache: tuple = ()

    def runs(self, name):
        """True if the program `name` is measured on this instruction set."""
        return name not in PROGRAMS or PROGRAMS[name][self.work] > 0

    def lacks(self):
        """Returns the reason why this instruction set cannot be measured here, or None."""
        missing = [n for n in (*self.compiler[:1], self.emulator[0]) if not shutil.which(n)]
        return f"not found: {' '.join(missing)}" if missing else None

    def compile(self, source, target, *flags):
        call_compiler([*self.compiler, *flags, "-o", target, source])


class MicroBlaze(Isa):
    """The compiler for MicroBlaze has no C library. tests/microblaze_tools.py builds programs with
    this compiler, or provides stored programs if the compiler is missing."""

    def recipe(self, source, *flags):
        return microblaze_tools().program_recipe("bench-" + os.path.basename(source)[:-2], source,
                                                 flags=flags)

    def lacks(self):
        sources = [os.path.join(HERE, "programs", n + ".c") for n in PROGRAMS if self.runs(n)]
        if not all(microblaze_tools().can_make(self.recipe(s)) for s in sources):
            return microblaze_tools().folder()[1]
        return super().lacks()

    def compile(self, source, target, *flags):
        try:
            made = microblaze_tools().made(self.recipe(source, *flags))
        except AssertionError as why:
            raise Trouble(str(why)) from why
        shutil.copy(made, target)


ISAS = {isa.name: isa for isa in [
    Isa("arm", 0, ["arm-linux-gnueabi-gcc", *FLAGS, "-static", "-marm", "-march=armv6k",
                   "-mfloat-abi=soft"],
        ["qemu-arm", "-cpu", "arm1176"], "arm1176", 4.0,
        insns="instr_exec", data="dcache_access", data_miss="dcache_miss", fetch_miss="icache_miss",
        tlb_miss="main_tlb_miss", branches="br_exec", mispredicted="br_mispredict",
        icache=(16384, 4, 32), dcache=(16384, 4, 32)),
    Isa("a64", 1, ["aarch64-linux-gnu-gcc", *FLAGS, "-static"],
        ["qemu-aarch64", "-cpu", "cortex-a53"], "cortex-a53", 4.5,
        insns="inst_retired", data="l1d_cache", data_miss="l1d_cache_refill",
        fetch_miss="l1i_cache_refill", tlb_miss="l1d_tlb_refill", branches="br_pred",
        mispredicted="br_mis_pred", icache=(32768, 2, 64), dcache=(32768, 4, 64)),
    # MicroBlaze has no event for mispredictions.
    MicroBlaze("microblaze", 2, [], ["qemu-microblazeel"], "microblaze", 4.5,
               insns="insn_executed", data="dcache_request", data_miss="dcache_request-dcache_hit",
               fetch_miss="icache_request-icache_hit", tlb_miss="mmu_lookup_latency",
               branches="branch_any", mispredicted="", cycles="clock_cycles",
               icache=(8192, 1, 16), dcache=(8192, 1, 16)),
    # The slowdown is large, because pmk computes every cycle of six buses if all counters of the
    # AHB Monitor count. The monitor has no events of the core, so the names of such events are
    # empty.
    Isa("arm926", 3, ["arm-linux-gnueabi-gcc", *FLAGS, "-static", "-marm", "-march=armv5te",
                      "-mfloat-abi=soft"],
        ["qemu-arm", "-cpu", "arm926"], "arm926", 40.0, most_startup=80.0,
        insns="", data="", data_miss="", fetch_miss="", tlb_miss="", branches="", mispredicted=""),
]}
# These instruction sets are not measured if the compiler is missing and the stored programs are
# outdated: building the compiler takes ten minutes.
OPTIONAL = {"microblaze"}
ASKED_FOR = {"arm926"}  # measured only on request: a round takes a minute


def microblaze_tools():
    """Imports tests/microblaze_tools.py. It writes its programs to $PMK_TEST_WORK. Unless the
    variable is set, Bench sets it to the folder of its own programs."""
    path = os.path.join(HERE, "..", "tests")
    if path not in sys.path:
        sys.path.append(path)
    return importlib.import_module("microblaze_tools")


@functools.lru_cache(None)
def emulator(name):
    """Returns the emulator that pmk uses: the first that can load plugins
    (src/producer/qemu/find.h)."""
    named = os.environ.get("PMK_QEMU_DIR")
    built = output_of(os.path.join(HERE, "..", "scripts", "qemu"), "--path").strip()
    for folder in [named] if named else [*os.get_exec_path(), built]:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            with open(path, "rb") as f:
                if b"qemu_plugin_register_vcpu_init_cb" in f.read():
                    return path
    raise Trouble(f"no {name} can load plugins; `make qemu` builds one")


def call_compiler(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Trouble(f"cannot compile {command[-1]}:\n{done.stderr}")


# ---- running ------------------------------------------------------------------------------------

class Run:
    """One finished process: wall seconds, CPU seconds (including those of its children), output,
    exit code."""

    def __init__(self, argv, watch=False):
        self.peak_mib = 0.0
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                       (os.POSIX_SPAWN_DUP2, out.fileno(), 1),
                       (os.POSIX_SPAWN_DUP2, err.fileno(), 2)]
            began = time.monotonic()
            pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
            status, usage = self.watch(pid) if watch else os.wait4(pid, 0)[1:]
            self.wall = time.monotonic() - began
            self.cpu = usage.ru_utime + usage.ru_stime
            self.code = os.waitstatus_to_exitcode(status)
            self.out, self.err = whole_text(out), whole_text(err)
        if self.code:
            raise Trouble(f"{' '.join(argv)}\nexit {self.code}\n{self.err[-2000:]}")

    def watch(self, pid):
        """Wait, and add up the peak resident sizes of the process and its living descendants.

        The kernel's ru_maxrss is not suitable. It is a maximum over processes, not a sum, and it
        starts with the size of the process that forked, which is this interpreter.
        """
        while True:
            done, status, usage = os.wait4(pid, os.WNOHANG)
            if done:
                return status, usage
            together = sum(peak_kib(p) for p in descendants(pid)) / 1024
            self.peak_mib = max(self.peak_mib, together)
            time.sleep(0.004)


def host_total(argv, out):
    Run(argv)
    with open(out) as f:
        return next(int(l.split()[1]) for l in f if l.startswith("totals:"))


def whole_text(f):
    f.seek(0)
    return f.read().decode("utf-8", "replace")


def read_proc(pid, name):
    try:
        with open(f"/proc/{pid}/{name}") as f:
            return f.read()
    except OSError:
        return ""


def descendants(pid):
    found = [pid]
    for p in found:
        try:
            threads = os.listdir(f"/proc/{p}/task")
        except OSError:
            continue
        for t in threads:
            found += [int(c) for c in read_proc(p, f"task/{t}/children").split()]
    return found


def peak_kib(pid):
    for line in read_proc(pid, "status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


# ---- building -----------------------------------------------------------------------------------

def newer(target, *sources):
    return os.path.exists(target) and \
        all(os.path.getmtime(target) >= os.path.getmtime(s) for s in sources)


def compile_one(compile_, source, target):
    if not newer(target, source, os.path.join(HERE, "emulated.py")):
        compile_(source, target)


def compile_native(source, target):
    call_compiler([*NATIVE_CC, "-o", target, source])


class Bench:
    def __init__(self, build, quick, times=1):
        self.pmk = os.path.join(build, "pmk")
        self.work = os.path.join(build, "bench-work")
        self.json = os.path.join(self.work, "pmk.json")
        self.quick, self.times = quick, times
        os.makedirs(self.work, exist_ok=True)
        os.environ.setdefault("PMK_TEST_WORK", self.work)

    def path(self, name, kind):
        return os.path.join(self.work, f"{name}-{kind}")

    def build(self, names, isas):
        nothing = os.path.join(self.work, "nothing.c")
        if not os.path.exists(nothing):
            with open(nothing, "w") as f:
                f.write(NOTHING)
        sources = {n: os.path.join(HERE, "programs", n + ".c")
                   for n in names} | {"nothing": nothing}
        for name, source in sources.items():
            for isa in (i for i in isas if i.runs(name)):
                compile_one(isa.compile, source, self.path(name, isa.name))
            compile_one(compile_native, source, self.path(name, "native"))

    def arguments(self, name, isa):
        if name not in PROGRAMS:
            return []
        work = PROGRAMS[name][isa.work] * self.times
        return [str(max(1, work // QUICK) if self.quick else work)]

    def emulator(self, isa):
        return [emulator(isa.emulator[0]), *isa.emulator[1:]]

    def host_instructions(self, name, isa, work):
        """Returns two numbers of host instructions, as counted by callgrind: those of the emulator
        without pmk, and those of the emulator under pmk stat -e all."""
        folder, out = os.path.join(self.work, "callgrind"), os.path.join(self.work, "callgrind.out")
        os.makedirs(folder, exist_ok=True)
        wrapper = os.path.join(folder, isa.emulator[0])
        with open(wrapper, "w") as f:
            f.write(HOST_WRAPPER.format(out=out, emulator=emulator(isa.emulator[0])))
        os.chmod(wrapper, 0o755)
        program = [self.path(name, isa.name), str(work)]
        plain = [wrapper, *isa.emulator[1:], *program]
        counted = [*HOST_COUNTED, "env", f"PMK_QEMU_DIR={folder}", self.pmk, "stat", "-e", "all",
                   "--core", isa.core, "--json-document", "-o", self.json, "--", *program]
        return [host_total(argv, out) for argv in (plain, counted)]

    def plain(self, name, isa, **kw):
        return Run([*self.emulator(isa), self.path(name, isa.name),
                    *self.arguments(name, isa)], **kw)

    def counted(self, name, isa, folder=None, **kw):
        """Runs pmk stat -e all. If `folder` is given, it has the emulator to use."""
        where = ["env", f"PMK_QEMU_DIR={folder}"] if folder else []
        return Run([*where, self.pmk, "stat", "-e", "all", "--core", isa.core, "--json-document",
                    "-o", self.json, "--", self.path(name, isa.name), *self.arguments(name, isa)],
                   **kw)

    def sampled(self, name, isa, seed=0):
        return Run([self.pmk, "stat", "-e", "all", "--sample-seed", str(seed), "--core", isa.core,
                    "--json-document", "-o", self.json, "--", self.path(name, isa.name),
                    *self.arguments(name, isa)])

    def instructions(self, name, isa):
        return Run([self.pmk, "stat", "-e", isa.insns, "--core", isa.core, "-o", os.devnull, "--",
                    self.path(name, isa.name), *self.arguments(name, isa)])

    def recorded(self, name, isa, *how):
        return Run([self.pmk, "record", "-e", "all", *how, "--core", isa.core, "-o",
                    os.path.join(self.work, "pmk.data"), "--", self.path(name, isa.name),
                    *self.arguments(name, isa)])

    def callgrind(self, name, isa):
        return Run([*CALLGRIND, self.path(name, "native"), *self.arguments(name, isa)])

    def cache_plugin(self, name, isa, plugin):
        """Runs the program under QEMU's own cache plugin, which models caches of the core's
        sizes."""
        words = [plugin, "evict=rand"]
        for letter, (size, ways, line) in (("i", isa.icache), ("d", isa.dcache)):
            words += [f"{letter}cachesize={size}", f"{letter}assoc={ways}",
                      f"{letter}blksize={line}"]
        return Run([*self.emulator(isa), "-plugin", ",".join(words), self.path(name, isa.name),
                    *self.arguments(name, isa)])

    def native(self, name, isa):
        return Run([self.path(name, "native"), *self.arguments(name, isa)])

    def cachegrind(self, name, isa):
        return Run([*CACHEGRIND, self.path(name, "native"), *self.arguments(name, isa)])

    def identity(self):
        """Identifies a build of pmk."""
        return [os.stat(f).st_mtime_ns for f in (self.pmk, self.pmk + "-qemu.so")
                if os.path.exists(f)]

    def counts(self):
        with open(self.json) as f:
            document = json.load(f)
        return {c["event"]: c["counter-value"] for c in document["counters"]}


# ---- choosing and comparing ---------------------------------------------------------------------

def chosen_isas(names):
    """Returns the requested instruction sets. By default these are all with an installed compiler,
    except those of ASKED_FOR."""
    for isa in (ISAS[n] for n in names or ISAS if names or n not in ASKED_FOR):
        why = isa.lacks()
        if not why:
            yield isa
        elif not names and isa.name in OPTIONAL:
            print(f"{isa.name}: not measured: {why}")
        else:
            raise Trouble(f"{isa.name}: {why}" if isa.name in OPTIONAL else why)


def seconds(runs):
    """Returns the least CPU time of all rounds: a program does the same work in every round, and
    other load on the machine can only increase the time."""
    return min(r.cpu for r in runs)


def same_checksum(runs):
    sums = {kind: r.out.strip() for kind, r in runs.items()}
    if len(set(sums.values())) != 1 or not all(sums.values()):
        raise Trouble(f"the checksums differ: {sums}")
