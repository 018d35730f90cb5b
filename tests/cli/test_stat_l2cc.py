# SPDX-License-Identifier: MIT
"""pmk stat counts with the counters of a level 2 cache. The tests check which cores have them, how
users request them, and the message if a core lacks them. tests/guest/test_l2cc_kernels.py checks
the counts themselves."""
import os

from harness import *
from programs import assemble, build

pytestmark = pytest.mark.quick

# Makes PASSES passes over COUNT lines of 32 bytes, with a load and a store in each line.
WALK = """
	.syntax	unified
	.arm
	.global	_start, walk, k_end
	.type	_start, %function
	.type	walk, %function
	.type	k_end, %function
_start:
	mov	r4, #PASSES
1:	bl	walk
	subs	r4, r4, #1
	bne	1b
k_end:
	mov	r0, #0
	mov	r7, #1
	svc	#0
walk:	mov	r0, #0x100000
	mov	r1, #COUNT
2:	ldr	r2, [r0]
	str	r2, [r0], #32
	subs	r1, r1, #1
	bne	2b
	bx	lr
	.bss
	.space	0x100000
"""
LINES, PASSES = 1024, 4

DEFAULTS = ["irreq", "irhit", "drreq", "drhit", "dwreq", "dwtreq", "dwhit", "wa", "co"]
METRICS = ["l2_insn_hit_ratio", "l2_read_hit_ratio", "l2_write_hit_ratio"]
OFS = ["emc3of", "emc2of", "emc1of", "emc0of"]


def walk():
    return assemble("walk-l2", WALK, f"-DCOUNT={LINES}", f"-DPASSES={PASSES}", "-Wl,-Ttext=0x10000",
                    "-Wl,-Tbss=0x100000")


def a64():
    return build("exit-a64", ".global _start\n_start: mov x8, #93\nmov x0, #0\nsvc #0\n",
                 "-nostdlib", "-static", ext="S", prefix="aarch64-linux-gnu-")


def refused(*argv, code=129):
    out = pmk("stat", *argv)
    equal((out.code, out.out), (code, ""), argv)
    equal(len(out.err.splitlines()), 1, out.err)
    return out.err


def test_defaults():
    have("qemu-arm")
    for pmu in ("l220", "l210"):
        doc = stat("--pmu", pmu, walk())
        equal((doc["pmu"], doc["core"], doc["settings"]), (pmu, "arm1176", ""))
        equal([c["event"] for c in doc["counters"]], DEFAULTS)
        assert all(c["trust"] == "modelled" for c in doc["counters"]), doc["counters"]
        equal([m["name"] for m in doc["metrics"]], METRICS)
        c = counts(doc)
        ratio = {m["name"]: m["value"] for m in doc["metrics"]}
        for name, hits, requests in (("l2_insn_hit_ratio", c["irhit"], c["irreq"]),
                                     ("l2_read_hit_ratio", c["drhit"], c["drreq"]),
                                     ("l2_write_hit_ratio", c["dwhit"], c["dwreq"])):
            assert abs(ratio[name] - 100 * hits / requests) < 1e-5, (name, ratio[name])
        # The program walks through 32 KB with 16 KB of level 1. Lines that remain there from the
        # previous pass cause no request.
        assert 3 * LINES < c["drreq"] <= PASSES * LINES, c
        equal(c["drreq"] - c["drhit"], LINES, "read from memory once")
        equal((c["dwhit"], c["dwtreq"], c["co"]), (c["dwreq"], 0, 0))
        assert c["drreq"] - 512 <= c["dwreq"] <= c["drreq"], c


def test_every_event():
    have("qemu-arm")
    doc = stat("--pmu", "l210", "-e", "all", walk())
    equal(doc["passes"], 3)
    found = {c["event"]: c for c in doc["counters"]}
    equal(len(found), 15)
    for event in ["bwabt"] + OFS:
        equal((found[event]["counter-value"], found[event]["trust"]), (None, "not supported"))
        assert found[event]["reason"], event
    assert all(found[e]["counter-value"] is not None for e in DEFAULTS + ["clock"])
    doc = stat("--pmu", "l220", "-e", "all", walk())
    equal((len(doc["counters"]), doc["passes"]), (9, 5))


def test_clock_is_the_cores():
    have("qemu-arm")
    cycles = counts(stat("--set", "l2.type=l210", "-e", "cpu_cycles", walk()))["cpu_cycles"]
    equal(counts(stat("--pmu", "l210", "-e", "clock", walk()))["clock"], cycles)
    assert cycles < counts(stat("-e", "cpu_cycles", walk()))["cpu_cycles"], "hits are faster"


def test_beside_every_arm11():
    have("qemu-arm")
    listed = [line.split()[0] for line in pmk("list", "cores", "--pmu", "l220").out.splitlines()
              if line.startswith("  ")]
    for core in ("arm1136", "arm1136r0", "arm1156", "arm1176", "arm11mpcore"):
        assert core in listed, listed
        doc = stat("--core", core, "--pmu", "l220", "-e", "drreq,drhit", walk())
        equal((doc["pmu"], doc["core"]), ("l220", core))
        equal(doc["counters"][0]["counter-value"] - doc["counters"][1]["counter-value"], LINES)
    assert not {"arm926", "cortex-a53", "microblaze"} & set(listed), listed


def test_on_without_being_counted():
    """If a level 2 cache is on but its counters are not used, the core's own PMU counts another
    number of cycles, but the same numbers of other events."""
    have("qemu-arm")
    short = stat("--set", "l2=l220,l2.size=256K", "-e", "cpu_cycles,l220/drreq/", walk())
    equal(counts(short), counts(stat("--set", "l2.type=l220", "--set", "l2.size=256K", "-e",
                                     "cpu_cycles,l220/drreq/", walk())))
    doc = stat("--set", "l2.type=l220", "-e", "dcache_miss", walk())
    equal((doc["pmu"], doc["settings"]), ("arm1176", "l2.type=l220"))
    equal(counts(doc), counts(stat("-e", "dcache_miss", walk())))
    equal(refused("--set", "l2.type=l220", "-e", "drreq", walk()).startswith("pmk: "), True)


def test_same_counts_however_they_are_taken():
    have("qemu-arm")
    whole = counts(stat("--pmu", "l220", walk()))
    equal(counts(stat("--pmu", "l220", "--passes", "rerun", walk())), whole)
    equal(counts(stat("--pmu", "l210", walk())), whole)
    doc = stat("--pmu", "l220", "-I", "20000cycles", walk())
    parts = {}
    for c in doc["counters"]:
        parts[c["event"]] = parts.get(c["event"], 0) + c["counter-value"]
    assert len(doc["counters"]) > 3 * len(DEFAULTS), len(doc["counters"])
    equal(parts, whole)
    doc = stat("--pmu", "l220", "--region", "walk", walk())
    equal(counts(doc), whole)
    equal(counts(doc, "walk")["drreq"], whole["drreq"])


def test_settings_reach_it():
    have("qemu-arm")
    c = counts(stat("--pmu", "l220", "--set", "l2.write_allocate=on", "--set", "l2.size=64K",
                    "--set", "l2.ways=1", "--set", "dcache.enable=off", walk()))
    equal((c["drreq"], c["drhit"]), (PASSES * LINES, (PASSES - 1) * LINES))
    equal((c["dwreq"], c["dwhit"], c["wa"]), (PASSES * LINES, PASSES * LINES, 0))
    equal(refused("--pmu", "l220", "--set", "l2.ways=3", walk()),
          "pmk: core arm1176: l2.ways takes a power of two from 1 to 256, not '3'\n")
    equal(refused("--pmu", "l220", "--set", "l2.size=100", walk()),
          "pmk: --set l2.size=100: l2.size takes a power of two (such as 16K) from 65536 to "
          "8388608, not '100'\n")


CHOOSE = "; leave --pmu out, or choose another --core\n"


def test_where_there_is_none():
    have("qemu-arm", "qemu-aarch64")
    equal(refused("--pmu", "l220", "--set", "l2.type=none", walk()),
          "pmk: core arm1176 has the PMU arm1176, not l220" + CHOOSE)
    equal(refused("--pmu", "l220", "--set", "l2.type=l210", walk()),
          "pmk: the level 2 cache of core arm1176 is l210, not l220; --set l2.type chooses it\n")
    equal(refused("--pmu", "l210", "--set", "l2.type=pl310", walk()),
          "pmk: --set l2.type=pl310: l2.type is none, l210, l220 or plain, not 'pl310'\n")
    equal(refused("--pmu", "l220", "--core", "arm926", walk()),
          "pmk: core arm926 has the PMU ahbmon, not l220" + CHOOSE)
    contains(refused("--core", "arm926", "--set", "l2.type=l220", walk()),
             "l2.type has no effect on this core")
    equal(refused("--pmu", "l220", a64()),
          "pmk: core cortex-a53 has the PMU cortex-a53, not l220" + CHOOSE)
    contains(refused("--set", "l2.type=l220", a64()),
             "l2.type has no effect on cores with the instruction set a64")
    contains(refused("--pmu", "l220", "-e", "dcache_miss", walk()), "dcache_miss")
    equal(refused("--pmu", "arm1136", "--core", "arm1176", "--set", "l2.type=l220", walk()),
          "pmk: core arm1176 has the PMU arm1176, not arm1136" + CHOOSE)


def test_both_pmus_in_one_run():
    have("qemu-arm")
    for cache in ("l220", "l210"):
        here = ("--set", f"l2.type={cache}")
        core = ("cycles", "dcache_miss", "instr_exec", "br_exec")
        level2 = ("drreq", "drhit", "dwreq", "irreq")
        alone = counts(stat(*here, "-e", ",".join(core), walk()))
        alone |= {f"{cache}/{e}/": n for e, n in
                  counts(stat("--pmu", cache, "-e", ",".join(level2), walk())).items()}
        events = ",".join([*core, *(f"{cache}/{e}/" for e in level2)])
        for passes in ("clone", "rerun"):
            doc = stat(*here, "--passes", passes, "-e", events, walk())
            equal(counts(doc), alone)
            equal([c["pmu"] for c in doc["counters"]], ["arm1176"] * 4 + [cache] * 4)
            # The core has two event counters and CCNT. The cache controller has two or four
            # counters.
            equal((doc["pmu"], doc["passes"]), ("arm1176", 4 if cache == "l220" else 3))
        # With --pmu, the cache's PMU is the first one, and the names of the core's events need its
        # prefix.
        doc = stat("--pmu", cache, "-e", "drreq,arm1176/dcache_miss/,arm1176::cycles", walk())
        equal(list(counts(doc).values()),
              [alone[f"{cache}/drreq/"], alone["dcache_miss"], alone["cycles"]])
        equal([doc["pmu"], *(c["pmu"] for c in doc["counters"])],
              [cache, cache, "arm1176", "arm1176"])
        assert alone["dcache_miss"] >= alone[f"{cache}/drreq/"] > 0, alone


def test_both_pmus_in_regions_and_intervals():
    have("qemu-arm")
    on = ("--set", "l2.type=l220", "-e", "cycles,l220/drreq/")
    whole = counts(stat(*on, walk()))
    doc = stat(*on, "--region", "walk", walk())
    equal(counts(doc), whole)
    inside = counts(doc, "walk")
    assert 0 < inside[
        "l220/drreq/"] <= whole["l220/drreq/"] and inside["cycles"] < whole["cycles"], inside
    path = os.path.join(WORK, "l2-both.csv")
    equal(pmk("stat", *on, "-I", "20000cycles", "-x", ",", "-o", path, walk()).code, 0)
    with open(path) as f:
        rows = [r.split(",") for r in f if not r.startswith("#")]
    os.unlink(path)
    for event, total in whole.items():
        parts = [int(r[1]) for r in rows if event in r]
        equal(sum(parts), total, event)
        assert len(parts) > 3, (event, parts)


def test_both_pmus_in_text():
    have("qemu-arm")
    out = pmk("stat", "--set", "l2.type=l220", "-e", "cycles,dcache_miss,l220/drreq/", walk())
    equal(out.code, 0)
    contains(out.err, "l220/drreq/")
    contains(out.err, "2 counter groups (2 event counters + CCNT each; l220: 2 event counters)")


def test_events_of_another_pmu_are_refused():
    have("qemu-arm")
    contains(refused("-e", "l220/drreq/", walk()),
             "'l220/drreq/' is an event of l220, but arm1176 does the counting")
    contains(refused("--set", "l2.type=l210", "-e", "l220/drreq/", walk()),
             "but arm1176 does the counting")
    contains(refused("--set", "l2.type=l210", "-e", "l210/drrq/", walk()), "did you mean drreq")
    contains(refused("--set", "l2.type=l220", "-e", "{cycles,l220/drreq/}", walk()),
             "the group {cycles,...} has events of arm1176 and of l220")
    contains(refused("--set", "l2.type=l220", "-e", "{l220/drreq/,l220/drhit/,l220/co/}", walk()),
             "needs 3 event counters at a time, but l220 has 2")
