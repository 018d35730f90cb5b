# SPDX-License-Identifier: MIT
"""Known answers for the level 2 cache of an ARM11. The requests and hits of these programs follow
from the sizes of the caches. The drivers of the L210 and the L220 count them. The kernels are those
of test_kernels.py. A line has 32 bytes. The level 1 caches are direct mapped in most of the tests,
so a walk over more than their 16 KB misses at every line.
"""
from kernels.measure import *

# The events of level 2. DAI 0195B section 9 describes all of them except co (line evictions) and wa
# (write allocations).
L2_EVENTS = ["irreq", "irhit", "drreq", "drhit", "dwreq", "dwtreq", "dwhit", "wa", "co"]
DM = ("icache.ways=1", "dcache.ways=1")  # direct mapped
SMALL = ("l2.size=64K", "l2.ways=1")


def level2(kernel, *sets, pmu="l220", **defines):
    """Returns {event: count} of the level 2 cache of an ARM1176."""
    have("qemu-arm")
    options = [w for s in sets for w in ("--set", s)]
    doc = stat("--core", "arm1176", "--pmu", pmu, "--from", "k_begin", "--to", "k_end", "-e",
               ",".join(L2_EVENTS), *options, build(kernel, defines))
    equal(doc["pmu"], pmu)
    c = counts(doc)
    assert c["irhit"] <= c["irreq"] and c["drhit"] <= c["drreq"], c
    assert c["dwhit"] <= c["dwreq"] + c["dwtreq"], c
    assert c["wa"] + c["dwhit"] <= c["dwreq"] + c["dwtreq"], c
    return c


def test_walk_that_fits_level_2():
    """64 KB are 2048 lines. The first time they come from memory, and the second time from level
    2."""
    for pmu in ("l210", "l220"):
        want(level2("walk", *DM, pmu=pmu, STRIDE=32, COUNT=2048, PASSES=2),
             drreq=4096, drhit=2048, dwreq=0, dwtreq=0, dwhit=0, wa=0, co=0)


def test_walk_that_fits_level_1():
    want(level2("walk", *DM, STRIDE=32, COUNT=512, PASSES=5), drreq=512, drhit=0)


def test_walk_that_thrashes_level_2():
    """A walk over 256 KB thrashes 64 KB of level 2: every line was evicted before it is needed
    again. With 512 KB of level 2, all lines stay."""
    want(level2("walk", *DM, *SMALL, STRIDE=32, COUNT=8192, PASSES=3), drreq=24576, drhit=0, co=0)
    want(level2("walk", *DM, "l2.size=512K", STRIDE=32, COUNT=8192, PASSES=3), drreq=24576,
         drhit=16384)


def test_requests_are_the_misses_of_level_1():
    """Each miss of level 1 reads a line from level 2, because nothing is buffered."""
    core = count("walk", *DM, STRIDE=32, COUNT=2048, PASSES=2)
    equal(core["dcache_miss"], level2("walk", *DM, STRIDE=32, COUNT=2048, PASSES=2)["drreq"])


def test_stores_that_miss():
    """Stores of one word miss. Level 1 does not allocate, so all of them are external accesses.
    Level 2 allocates if it is configured to."""
    want(level2("walk", *DM, ACCESS="str", STRIDE=4, COUNT=2048, PASSES=2),
         drreq=0, dwreq=4096, dwtreq=0, dwhit=0, wa=0, co=0)
    want(level2("walk", *DM, "l2.write_allocate=on", ACCESS="str", STRIDE=4, COUNT=2048, PASSES=2),
         drreq=0, dwreq=4096, dwtreq=0, dwhit=4096 - 256, wa=256, co=0)


def test_level_2_evicts_halves():
    """The walk stores one word in each line, so when a dirty line is evicted, one half is written.
    Two passes allocate 16384 lines, and the last 2048 of them stay."""
    want(level2("walk", *DM, *SMALL, "l2.write_allocate=on", ACCESS="str", STRIDE=32, COUNT=8192,
                PASSES=2),
         dwreq=16384, dwhit=0, wa=16384, co=16384 - 2048)
    # The walk stores a word in each half of a line, so two halves are written.
    want(level2("walk", *DM, *SMALL, "l2.write_allocate=on", ACCESS="str", STRIDE=16, COUNT=16384,
                PASSES=2),
         dwreq=32768, dwhit=16384, wa=16384, co=2 * (16384 - 2048))


def test_written_through():
    want(level2("walk", *DM, "dcache.write_through=1", "l2.write_allocate=on", ACCESS="str",
                STRIDE=4, COUNT=2048, PASSES=2), drreq=0, dwreq=0, dwtreq=4096, dwhit=0, wa=0, co=0)


def test_write_backs_hit():
    """Level 1 read its dirty line through level 2, so level 2 has the line. Writing it back is one
    write, of one half or two."""
    for stores, halves in (("str r0, [r10]", 1), ("str r0, [r10]; str r0, [r10, #16]", 2)):
        rr = ("cache.round_robin=1",)
        want(level2("evict", *rr, DIRTY=stores), drreq=5, drhit=0, dwreq=1, dwhit=1, co=0)
        equal(count("evict", *rr, DIRTY=stores)["dcache_wback"], halves)


def test_read_buffer():
    """With the data cache off, reads of the eight words of a line are one request to level 2 (DAI
    0195B section 9)."""
    off = "dcache.enable=0"
    want(level2("walk", off, STRIDE=4, COUNT=1024, PASSES=2), drreq=256, drhit=128)
    want(level2("walk", off, "l2.buffers=0", STRIDE=4, COUNT=1024, PASSES=2), drreq=2048,
         drhit=2048 - 128)
    equal(count("walk", off, STRIDE=4, COUNT=1024, PASSES=2)["expl_d_access"], 2048)


def test_code_comes_from_level_2():
    """There are 1026 lines of code, of which level 1 holds 512. Each line is read from memory
    once."""
    core = count("codelines", *DM, "fetch.shadow=0", LINES=1024, PASSES=3)
    c = level2("codelines", *DM, "fetch.shadow=0", LINES=1024, PASSES=3)
    want(c, irreq=core["icache_miss"], irhit=core["icache_miss"] - 1026, drreq=0, dwreq=0)
    assert c["irhit"] > 2000, c


def test_level_2_shortens_misses():
    """A load that waits for its line waits 43 cycles less: 56 from memory, 13 from level 2."""
    ring = {"NODES": 1024, "STRIDE": 32, "LOADS": 2048}
    slow = count("chase", *DM, "mmu.enable=0", **ring)
    fast = count("chase", *DM, "mmu.enable=0", "l2.type=l220", **ring)
    want(level2("chase", *DM, "mmu.enable=0", **ring), drreq=2048, drhit=1024, irhit=0)
    equal(slow["cpu_cycles"] - fast["cpu_cycles"], 43 * 1024)
    equal(slow["ddep_stall"] - fast["ddep_stall"], 43 * 1024)
    for event in EVENTS:
        if event not in ("cpu_cycles", "ddep_stall"):
            equal(slow[event], fast[event], event)
