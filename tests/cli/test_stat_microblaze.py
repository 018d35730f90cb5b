# SPDX-License-Identifier: MIT
"""Tests pmk stat with MicroBlaze programs for Linux: forks, execve, code that QEMU cuts at odd
places, files that are almost programs, and choices that the counters do not allow. tests/guest
checks the counts of single instructions and of complete runs."""
import json
import os
import re
import shutil
import struct

from harness import *
import microblaze_tools as mb
from microblaze.measure import identities

pytestmark = pytest.mark.quick

FORKS = r"""
#include "sys.h"
#include "mini.h"

enum { SYS_WAITPID = 7, SYS_EXECVE = 11, SYS_CLONE = 120, SIGCHLD = 17 };

static unsigned words[4096];

static unsigned work(unsigned times)
{
	unsigned sum = 0;

	for (unsigned t = 0; t < times; t++)
		for (unsigned i = 0; i < 4096; i++)
			sum += words[i] ^= i * t;
	return sum;
}

int main(int argc, char **argv)
{
	unsigned sum = work(2);
	long pid = argc > 1 && argv[1][0] != 'x' ? sys_call6(SYS_CLONE, SIGCHLD, 0, 0, 0, 0, 0) : 1;

	if (argc > 1 && argv[1][0] == 'x') {
		char *const none[] = { 0 };

		sys_call3(SYS_EXECVE, (long)argv[2], (long)(argv + 2), (long)none);
		return 1;
	}
	if (pid == 0)
		sys_exit((sum + work(argv[1][0] - '0')) & 1 ? 5 : 5);
	if (argc > 1)
		sys_call6(SYS_WAITPID, pid, 0, 0, 0, 0, 0);
	return 0;
}
"""


def forks():
    source = os.path.join(WORK, "mb-forks.c")
    with open(f"{source}.{os.getpid()}", "w") as f:
        f.write(FORKS)
    os.replace(f"{source}.{os.getpid()}", source)
    return mb.program("forks", source, flags=("-fno-tree-vectorize",))


def test_children_are_counted():
    have("qemu-microblazeel")
    alone = stat("-e", "all", forks())
    equal(alone["processes"], 1)
    loads = []
    for times in (1, 2, 3):
        doc = stat("-e", "all", forks(), str(times))
        identities(doc)
        equal(doc["processes"], 2)
        loads.append(counts(doc)["load_word"])
        again = stat("-e", "all", forks(), str(times))
        # Except for the child's process number, the outputs are equal.
        equal(counts(again)["store_word"], counts(doc)["store_word"])
    equal(loads[1] - loads[0], 4096)
    equal(loads[2] - loads[1], 4096)
    assert loads[0] - counts(alone)["load_word"] < 2 * 4096, (loads, counts(alone)["load_word"])


def test_execve_ends_counting():
    have("qemu-microblazeel")
    out = pmk("stat", "-e", "insn_executed", forks(), "x", "/bin/true")
    equal(out.code, 0)
    contains(out.err, "called execve")
    out = pmk("stat", "-e", "insn_executed", forks(), "x", "/nowhere/at/all")
    equal(out.code, 1)
    assert "called execve" not in out.err, out.err


# ---- events that cannot be counted, or not in this way -------------------------------------------

def three(order="little", before=()):
    """Makes a program without a compiler. It consists of the words `before`, and of three
    instructions that end it: addik r12, r0, 1; addk r5, r0, r0; brki r14, 8."""
    have(mb.ORDERS[order].qemu)
    form, path = "<" if order == "little" else ">", os.path.join(WORK,
                                                                 f"mb-three-{order}{len(before)}")
    words = (*before, 0x31800001, 0x10a00000, 0xb9cc0008)
    size = 0x54 + 4 * len(words)
    head = struct.pack(form + "16s2H5I6H",
                       b"\x7fELF\1" + (b"\1" if order == "little" else b"\2") + b"\1", 2, 189, 1,
                       0x10054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack(form + "8I", 1, 0, 0x10000, 0x10000, size, size, 5, 0x1000)
    with open(f"{path}.{os.getpid()}", "wb") as f:
        f.write(head + segment + struct.pack(form + f"{len(words)}I", *words))
    os.chmod(f.name, 0o755)
    os.replace(f.name, path)
    return path


def settings(*words):
    return [w for s in words for w in ("--set", s)]


def refused(line, *argv):
    out = pmk("stat", *argv, three())
    equal((out.code, out.out, out.err), (129, "", f"pmk: {line}\n"), str(argv))


def test_three_instructions():
    for order in mb.ORDERS:
        equal(counts(stat("-e", "insn_executed,imm_op,branch_any", three(order))),
              {"insn_executed": 3, "imm_op": 0, "branch_any": 1})


LATENCIES = ["dcache_read_latency", "dcache_write_latency", "icache_read_latency",
             "mmu_lookup_latency", "axi_dp_read_latency", "axi_dp_write_latency"]


def test_no_event_counter():
    none = settings("debug.event_counters=0")
    # The default selection and `all` contain only events that the counters can count.
    equal(list(counts(stat(*none, three()))), ["icache_read_latency", "dcache_read_latency"])
    doc = stat("-e", "all", *none, three())
    equal([c["event"] for c in doc["counters"]], ["interrupt_latency", *LATENCIES])
    equal(doc["passes"], len(LATENCIES))
    for argv in (["-e", "clock_cycles"], ["-e", "dcache_read_latency,{clock_cycles}"],
                 ["-M", "cpi"]):
        refused("microblaze has no event counter for clock_cycles; request other events, or --set "
                "debug.event_counters=1", *argv, *none)


def test_no_latency_counter():
    none, why = settings("debug.latency_counters=0"), ("counted, not timed: there is no latency "
                                                       "counter (debug.latency_counters=0)")
    for argv in (["-e", "icache_read_latency"], ["-e", "{icache_read_latency,dcache_read_latency}"],
                 []):
        doc = stat(*argv, *none, three())
        equal(counts(doc)["icache_read_latency"], 3)
        for c in doc["counters"]:
            latency = c["event"].endswith("_latency")
            equal((c.get("latency"), c["reason"]), (None, why if latency else None), c["event"])
    # pmk reports a metric that is computed from times as missing.
    out = pmk("stat", "-M", "icache_miss_cost", *none, three())
    equal(out.code, 0)
    contains(out.err, "n/a  cycles an instruction cache miss costs (icache_miss_cost)")


def test_latencies_of_a_part_have_no_extremes():
    """Counts of the whole run, and of intervals by cycles, have min and max. Counts of a region, of
    a window and of intervals by instructions have none."""
    why = ("no min and max: the counter has them only since it was last cleared, not for this "
           "part of the run")

    # The program begins with bri 4, so the counted code is a separate block.
    path = three(before=(0xb8000004,))

    def read(*argv, of=None):
        # The last section is the whole run, the region, or the last interval.
        doc = stat("-e", "icache_read_latency", *argv, path)
        c = [x for x in doc["counters"] if x.get("region") == of and x["counter-value"]][-1]
        equal(c["latency"]["min"] is None, c["latency"]["max"] is None)
        return c["counter-value"], c["latency"]["min"] is None, c["reason"]

    equal(read(), (4, False, None))
    equal(read("--region", "0x10058"), (4, False, None))
    equal(read("--region", "0x10058", of="0x10058"), (3, True, why))
    equal(read("--from", "0x10058", "--to", "0x20000"), (3, True, why))
    equal(read("-I", "1insns"), (3, True, why))
    equal(read("-I", "9cycles"), (3, False, None))
    out = pmk("stat", "-e", "icache_read_latency", "--region", "0x10058", path)
    contains(out.err, f" icache_read_latency: {why}\n")


def test_a_loop_to_the_first_instruction_is_no_entry():
    # The program is addik r20, r0, 5; bri 4; the function, addik r20, r20, -1 and bnei r20, -4; and
    # the three instructions that end it.
    path = three(before=(0x32800005, 0xb8000004, 0x3294ffff, 0xbc34fffc))
    c = next(c for c in stat("-e", "insn_executed", "--region", "0x1005c", path)["counters"]
             if c["region"])
    equal((c["entries"], c["counter-value"]), (1, 5 * 2 + 3))


def test_latency_events_say_so():
    listed = dict(re.findall(r"^  (\S+) +0x\w\w  (\w+) ", pmk("list", "microblaze").out, re.M))
    equal(sorted(e for e, kind in listed.items() if kind == "latency"),
          sorted(["interrupt_latency", *LATENCIES]))
    equal((listed["clock_cycles"], listed["insn_executed"]), ("cycles", "events"))
    for event in json.loads(pmk("list", "microblaze", "-j").out)["events"]:
        equal(event["latency"], event["name"] in ["interrupt_latency", *LATENCIES], event["name"])
    contains(pmk("info", "E58").out, "counts       occurrences, each timed by a latency counter\n")
    contains(pmk("info", "load_word").out, "counts       occurrences\n")


def test_no_counter_at_all():
    refused("core microblaze: debug.event_counters and debug.latency_counters are both 0",
            *settings("debug.event_counters=0", "debug.latency_counters=0"))


def test_groups_larger_than_the_counters():
    apart = "; leave out the braces to count in several passes"
    refused("the group {cycles,...} needs 3 event counters at a time, but microblaze has "
            "2" + apart +
            ", or --set debug.event_counters=3", "-e", "load_word,{cycles,E0,load_any}",
            *settings("debug.event_counters=2"))
    refused("the group {icache_read_latency,...} needs 2 latency counters at a time, but "
            "microblaze has 1" + apart +
            ", or --set debug.latency_counters=2", "-e",
            "{icache_read_latency,clock_cycles,dcache_read_latency}")
    refused("the group {insn_executed,...} needs 5 event counters at a time, but microblaze has 5, "
            "one of them for -I" + apart +
            ", or --set debug.event_counters=6", "-I", "9cycles", "-e",
            "{insn_executed,E1,E2,E3,E4}")
    # The core can have 48 counters, and 52 are needed, so pmk does not suggest
    # debug.event_counters. (User emulation does not count five of the 57 events.)
    many = ",".join(f"E{n}" for n in range(57))
    refused("the group {E0,...} needs 52 event counters at a time, but microblaze has "
            "5" + apart, "-e",
            "{" + many + "}")
    # Without braces, pmk counts several passes in one run.
    doc = stat("-e", "icache_read_latency,dcache_read_latency,mmu_lookup_latency", three())
    equal((doc["passes"], list(counts(doc).values())), (3, [3, 0, 1]))
    refused("these events take more than 32 passes on the counters of microblaze; count fewer of "
            "them, or give it more counters: --set debug.event_counters=N", "-e", "all",
            *settings("debug.event_counters=1"))


def test_the_timer_needs_a_counter():
    refused("microblaze has no event counter for clock_cycles in addition to that of -I; request "
            "other events, or give -I in insns, or --set debug.event_counters=2", "-I", "9cycles",
            "-e", "clock_cycles", *settings("debug.event_counters=1"))


def test_intervals_beyond_the_timer():
    """The interval timer of the counters cannot exceed their width. For longer intervals pmk uses
    QEMU, and prints a note."""
    def warning(*argv):
        return stat("-e", "icache_read_latency", *argv, three())["warning"]

    blocks = (", so each interval ends at the end of a block, and have no shortest and longest "
              "latency")
    equal(warning("-I", "4294967295cycles"), None)
    equal(warning("-I", "4294967296cycles"),
          "-I: microblaze has no counter that counts 4294967296 cycles" + blocks)
    equal(warning("-I", "42950ms"), "-I: microblaze has no counter that counts 4295000000 cycles"
          + blocks)
    equal(warning("-I", "42949ms"), None)
    equal(warning("-I", "4294967296cycles", *settings("debug.counter_width=48")), None)
    equal(warning("-I", "4294967296insns"), None)
    equal(warning("-I", "9cycles", *settings("debug.event_counters=0")),
          "-I: microblaze has no event counter" + blocks)
    out = pmk("stat", "-x,", "-e", "cycles", "-I", "99999999ms", three())
    equal((out.code, out.err.count("# warning: -I: ")), (0, 1))


def test_trends_of_latencies():
    """With -I, --bars shows the mean latency of each interval, which is also in the JSON
    document."""
    argv = ["-e", "dcache_read_latency", "-I", "20000cycles"]
    rows = stat(*argv, forks())["counters"]
    assert len(rows) > 5, rows
    out = pmk("stat", *argv, "--bars", forks(), env=dict(os.environ, LC_ALL="C"))
    means = [c["latency"]["sum"] / c["counter-value"] if c["counter-value"] else None for c in rows]
    known = [m for m in means if m is not None]
    levels = "".join(" " if m is None else "_.:-=+*#"[min(7, int(m / max(known) * 8))]
                     for m in means)
    contains(out.err, "\n   mean latency by interval\n"
             f"   {'dcache_read_latency':<26}{levels}  least {min(known):.2f}, most "
             f"{max(known):.2f}\n")
    refused("--bars: microblaze has no layers of a bus to draw; with -I the trend of its "
            "latencies is drawn", "--bars")


# ---- a core that has only local memory -----------------------------------------------------------

def test_caches_with_nothing_to_cache():
    area = ["--core", "microblaze-area"]
    for side in ("icache", "dcache"):
        refused(f"--set {side}.enable=on: core microblaze-area has nothing to cache: all its "
                "memory is local up to lmb.size; lower that, such as lmb.size=0",
                *area, *settings(f"{side}.enable=on"))
    refused("--set icache.enable=1: core microblaze has nothing to cache: all its memory is local "
            "up to lmb.size; lower that, such as lmb.size=0",
            *settings("icache.enable=1", "icache.high=0xffff", "lmb.size=64K"))
    for more, requests in ((("icache.enable=off",), 0), (("icache.enable=on", "lmb.size=0"), 3),
                           (("lmb.size=64K", "icache.enable=on"), 3)):
        equal(counts(stat("-e", "icache_request", *area, *settings(*more),
                          three()))["icache_request"], requests, more)


# ---- files ---------------------------------------------------------------------------------------

def changed(path, name, offset, data):
    with open(path, "rb") as f:
        image = bytearray(f.read())
    image[offset:offset + len(data)] = data
    other = os.path.join(WORK, name)
    with open(other, "wb") as f:
        f.write(image)
    shutil.copymode(path, other)
    return other


def test_the_old_machine_number():
    # The file has the machine number 0xbaab, which MicroBlaze used before it got the number 189.
    # Some emulators take both numbers.
    for order, form in (("little", "<H"), ("big", ">H")):
        have(mb.ORDERS[order].qemu)
        path = mb.program("hello", "hello.c", order=order)
        old = changed(path, f"mb-old-{order}", 18, struct.pack(form, 0xbaab))
        if mb.run_program(old, order=order).code != 0:
            skip("this QEMU does not know it")
        equal(stat("-e", "insn_executed", old)["core"], "microblaze")


def test_cores_for_other_programs():
    path = mb.program("hello", "hello.c")
    out = pmk("stat", "--core", "arm1176", path)
    equal((out.code, out.out), (129, ""))
    contains(out.err, "core arm1176 runs arm code; the program is for MicroBlaze; choose")
    out = pmk("stat", "--pmu", "cortex-a53", path)
    equal(out.code, 129)


def test_without_the_emulator():
    path = mb.program("hello", "hello.c", order="big")
    out = pmk("stat", path, env=dict(os.environ, PATH="/nowhere", **NO_EMULATORS))
    equal((out.code, out.err),
          (125, f"pmk: qemu-microblaze is not installed; {remedy('qemu-user')}\n"))
