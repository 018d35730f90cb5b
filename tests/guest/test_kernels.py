# SPDX-License-Identifier: MIT
"""Known-answer kernels: small ARM programs, each with the counts that follow from the rules of ARM
application note 195 (DAI 0195B) and the ARM1176JZF-S TRM (DDI 0301H). The comments derive the
expected numbers. A few long sequences are checked against a dozen lines of Python that implement
one rule a second time. Unless a test sets other sizes, they are those of the arm1176 core: 16 KB
caches with 4 ways of 128 sets, micro-TLBs of 10 pages, a main TLB of 64 pages in 2 ways, 128 branch
target entries, 3 return stack entries. § is a section of DAI 0195B, or of DDI 0301H from §16 on.

How to read the comments: "NOP 1, LDR 1, ADD 59" lists the instructions that run from k_begin to
k_end, each with the cycles that it adds to cpu_cycles: one to issue, and those for which it waits.
The NOP is the one at k_begin, which is part of the count if WARM=1. In a sum such as
"56 + 63 * 60 + 59 + 2", the terms are in the order of the instructions, and a factor is a number of
repetitions. A data or instruction cache miss takes 56 cycles (mem.latency)."""
from kernels.measure import *

RR = "cache.round_robin=1"


# ---- data accesses: which instruction makes how many (DAI 0195B §7, §8) --------------------------
#
# All rows start with an empty data cache. r2 is DATA + `offset`, and r5 is 1. "miss" counts every
# access to an absent line. A load fills its line, and a store does not.
#
#         name               offset  instructions                         access miss external
ACCESSES = [
    ("bytes_and_halves",            0, "ldrb r1, [r2]; ldrsb r1, [r2, #1]; ldrh r1, [r2, #2]; "
                                       "ldrsh r1, [r2, #4]; strb r1, [r2, #6]; "
                                       "strh r1, [r2, #8]",                         6, 1, 1),
    # The first store misses and is an external access. The load fills the line, and the second
    # store hits.
    ("store_load_store",            0, "str r1, [r2]; ldr r1, [r2]; str r1, [r2]",      3, 2, 2),
    # Bytes 0x1d to 0x20 are in two lines, so they are two accesses. Bytes 0x0d to 0x10 are in one
    # line.
    ("unaligned_word_two_lines", 0x1d, "ldr r1, [r2]",                                  2, 2, 2),
    ("unaligned_word_one_line",  0x0d, "ldr r1, [r2]",                                  1, 1, 1),
    ("unaligned_half_two_lines", 0x1f, "ldrh r1, [r2]",                                 2, 2, 2),
    ("unaligned_store_two_lines", 0x1e, "str r1, [r2]",                                 2, 2, 2),
    # The page boundary is a line boundary.
    ("unaligned_word_two_pages", 0xffe, "ldr r1, [r2]",                                 2, 2, 2),
    ("ldrd_one_line",               0, "ldrd r6, r7, [r2]",                             1, 1, 1),
    ("ldrd_two_lines",           0x1c, "ldrd r6, r7, [r2]",                             2, 2, 2),
    ("strd_one_line",               8, "strd r6, r7, [r2]",                             1, 1, 1),
    ("strd_two_lines",           0x1c, "strd r6, r7, [r2]",                             2, 2, 2),
    ("stm_one_line",                0, "stmia r2, {r0-r7}",                             1, 1, 1),
    ("stm_two_lines",            0x04, "stmia r2, {r0-r7}",                             2, 2, 2),
    # A load of two words ends at the last byte of the line. A third word is in the next line.
    ("ldm_up_to_the_end",        0x18, "ldmia r2, {r6-r7}",                             1, 1, 1),
    ("ldm_past_the_end",         0x18, "ldmia r2, {r6-r8}",                             2, 2, 2),
    # LDMDB loads the four words below 0x28, from 0x18 to 0x27. LDMIB starts one word after its
    # base, and loads from 0x20 to 0x2f. LDMDA loads from 0x1c to 0x2b.
    ("ldmdb_two_lines",          0x28, "ldmdb r2, {r6-r9}",                             2, 2, 2),
    ("ldmib_one_line",           0x1c, "ldmib r2, {r6-r9}",                             1, 1, 1),
    ("ldmda_two_lines",          0x28, "ldmda r2, {r6-r9}",                             2, 2, 2),
    # The five words below the top of the stack are in one line. The PUSH misses and does not fill
    # the line, so the POP misses, too.
    ("push_pop",                    0, "push {r4-r7, lr}; pop {r4-r7, lr}",             2, 2, 2),
    # A swap counts as two accesses (our choice). The read fills the line, so the write hits.
    ("swp",                         0, "swp r1, r5, [r2]",                              2, 1, 1),
    ("swpb",                        3, "swpb r1, r5, [r2]",                             2, 1, 1),
    ("ldrex_strex",                 0, "ldrex r1, [r2]; strex r3, r5, [r2]",            2, 1, 1),
    ("ldrexd_strexd",               0, "ldrexd r6, r7, [r2]; strexd r3, r6, r7, [r2]",  2, 1, 1),
    ("ldrexb_strexb",               1, "ldrexb r1, [r2]; strexb r3, r5, [r2]",          2, 1, 1),
    # After CLREX, the STREX fails and makes no access (our choice).
    ("strex_fails",                 0, "ldrex r1, [r2]; clrex; strex r3, r5, [r2]",     1, 1, 1),
    # The flags are EQ. An instruction whose condition fails accesses nothing (section 7).
    ("conditional_fail",            0, "ldrne r1, [r2]; strne r1, [r2]; ldmneia r2, {r6-r7}; "
                                       "stmneia r2, {r6-r7}; swpne r1, r5, [r2]; "
                                       "ldrdne r6, r7, [r2]; ldrexne r1, [r2]",         0, 0, 0),
    ("conditional_pass",            0, "ldreq r1, [r2]; streq r1, [r2, #4]",            2, 1, 1),
    ("conditional_ldm_pass",     0x10, "ldmeqia r2, {r6-r11}",                          2, 2, 2),
    ("conditional_stm_pass",     0x10, "stmeqia r2, {r6-r11}",                          2, 2, 2),
    ("conditional_unaligned",    0x1d, "ldreq r1, [r2]",                                2, 2, 2),
    ("conditional_swp_pass",        0, "swpeq r1, r5, [r2]",                            2, 1, 1),
    ("conditional_ldrd_pass",       0, "ldrdeq r6, r7, [r2]",                           1, 1, 1),
    # A load multiple follows a conditional one that failed, and one that ended in the middle of
    # a line.
    ("ldm_after_failed_ldm",     0x18, "ldmneia r2, {r6-r9}; ldmia r2, {r6-r9}",        2, 2, 2),
    ("ldm_of_one",                  0, "ldmia r2, {r6}; stmia r2, {r6}",                2, 1, 1),
    # A preload looks up its line, which is present here (our choice).
    ("pld_of_a_present_line",       0, "ldr r1, [r2]; pld [r2]",                        2, 1, 1),
    # Floating-point accesses also count one access per line. Four doubles are 32 bytes. A double at
    # 0x1c is in two lines.
    ("vldr_vstr",                   0, "vldr s0, [r2]; vstr s0, [r2, #4]; "
                                       "vldr d1, [r2, #8]",                         3, 1, 1),
    ("vldr_double_two_lines",    0x1c, "vldr d1, [r2]",                                 2, 2, 2),
    ("vldm_one_line",               0, "vldmia r2, {d0-d3}",                            1, 1, 1),
    ("vldm_two_lines",           0x10, "vldmia r2, {d0-d3}",                            2, 2, 2),
    ("vstm_two_lines",           0x18, "vstmia r2, {s0-s2}",                            2, 2, 2),
    ("vldm_fails",                  0, "vldmiane r2, {d0-d3}; vldrne s0, [r2]",         0, 0, 0),
    ("no_access",                   0, "mcr p15, 0, r6, c7, c5, 4; add r1, r2, r5; "
                                       "mul r1, r2, r5",                            0, 0, 0),
]


@cases("name, offset, body, accesses, misses, external", ACCESSES)
def test_access(name, offset, body, accesses, misses, external):
    setup = f".fpu vfp; movi r2, (DATA+{offset}); mov r5, #1; mov r6, #0; cmp r10, r10"
    c = count("repeat", SETUP=setup, BODY=body)
    want(c, dcache_access=accesses, dcache_access_cacheable=accesses, dcache_miss=misses,
         expl_d_access=external, dcache_wback=0, instr_exec=body.count(";") + 1, br_exec=0,
         sw_pc_change=0)


def test_access_two_pages_two_translations():
    # Each half of the word needs the translation of its page: two misses in both levels.
    want(count("repeat", SETUP="movi r2, (DATA+0xffe)", BODY="ldr r1, [r2]"), dtlb_miss=2,
         main_tlb_miss=2)


def test_access_cache_off():
    # With dcache.enable=0, no access is cacheable (0x09) or a miss (0x0B), and every access is
    # external. LDR and STR make one access each, LDM from 0x10 to 0x2f makes two, and the LDR whose
    # condition fails makes none.
    body = "ldr r1, [r10]; str r1, [r10]; ldmia r2, {r4-r9, r11, r14}; ldrne r1, [r10]"
    want(count("repeat", "dcache.enable=0", SETUP="add r2, r10, #0x10; cmp r10, r10", BODY=body),
         dcache_access=4, dcache_access_cacheable=0, dcache_miss=0, expl_d_access=4, instr_exec=4)


def test_access_cache_off_counted_as_miss():
    c = counts(stat("--from", "k_begin", "--to", "k_end", "-e", "dcache_miss,dcache_access",
                    "--set", "dcache.enable=0", "--set", "dcache.miss_uncached=1",
                    build("repeat", {"BODY": "ldr r1, [r10]; ldr r1, [r10]"})))
    equal(c, {"dcache_miss": 2, "dcache_access": 2})


# ---- barriers (0x12) -----------------------------------------------------------------------------

DSB, DMB, ISB = ("mcr p15, 0, r6, c7, c10, 4", "mcr p15, 0, r6, c7, c10, 5",
                 "mcr p15, 0, r6, c7, c5, 4")


def barriers(*sets):
    # Runs three DSB, two DMB, and one flush of the prefetch buffer.
    return count("repeat", *sets, SETUP="mov r6, #0",
                 BODY="; ".join([DSB, DMB, ISB, DSB, DMB, DSB]))


def test_barriers_drain():
    # A DMB also counts as draining the write buffer, as was observed on an ARM1176 (our choice). So
    # three DSB and two DMB count.
    want(barriers(), wbuf_drained=5, instr_exec=6, dcache_access=0)


def test_barriers_dmb_does_not_drain():
    want(barriers("wbuf.dmb_drains=0"), wbuf_drained=3)


def test_plain_stores_do_not_drain():
    want(count("walk", ACCESS="str", STRIDE=32, COUNT=64, PASSES=2), wbuf_drained=0)


# ---- data cache: walks and chases ----------------------------------------------------------------

def test_walk_half_the_cache():
    # The first pass fills 256 lines into invalid ways. Nothing is evicted with either replacement
    # policy.
    for how in ("cache.round_robin=0", RR):
        want(count("walk", how, STRIDE=32, COUNT=256, PASSES=4), dcache_access=1024,
             dcache_miss=256, expl_d_access=256, dcache_wback=0)


def test_walk_the_whole_cache():
    # All 512 lines fit, 4 in each of the 128 sets.
    for how in ("cache.round_robin=0", RR):
        want(count("walk", how, STRIDE=32, COUNT=512, PASSES=4), dcache_access=2048,
             dcache_miss=512)


def test_walk_words_of_the_whole_cache():
    # Each pass loads the 4096 words of 16 KB. In the first pass, the first load of each of the 512
    # lines misses. The second pass only hits.
    want(count("walk", STRIDE=4, COUNT=4096, PASSES=2), dcache_access=8192, dcache_miss=512)


def test_walk_twice_a_direct_mapped_cache():
    # The cache has 512 sets of one way, and the walk has 1024 lines, so each line evicts a line
    # that is needed half a pass later.
    want(count("walk", "dcache.ways=1", STRIDE=32, COUNT=1024, PASSES=3), dcache_access=3072,
         dcache_miss=3072)


def test_walk_twice_the_cache_at_random():
    # Each set has 4 ways for 8 lines. No policy keeps more than 512 of the 1024 lines from one pass
    # to the next, so each pass has at least 512 misses. With random replacement, let m be the
    # misses of a set in a pass. A line survives until its next use with probability h = (3/4)^m,
    # and m = 8 (1 - h). So h = 0.137, m = 6.9, and a pass has 884 misses. Ten passes after the
    # first stay within 5 % of that. The first pass misses 1024 times.
    c = count("walk", STRIDE=32, COUNT=1024, PASSES=11)
    assert 1024 + 10 * 840 <= c["dcache_miss"] <= 1024 + 10 * 928, c


def test_walk_eight_times_the_cache_at_random():
    # As in the previous test, with 32 lines per set: h = (3/4)^m and m = 32 (1 - h), so h = 1.0e-4.
    # All 4096 accesses of a pass miss, except one or two.
    c = count("walk", STRIDE=32, COUNT=4096, PASSES=3)
    assert 3 * 4096 - 20 <= c["dcache_miss"] <= 3 * 4096, c


def test_walk_twice_the_cache_of_32k():
    # A cache of 32 KB holds exactly the 1024 lines.
    want(count("walk", "dcache.size=32K", STRIDE=32, COUNT=1024, PASSES=3), dcache_miss=1024)


def test_walk_by_the_way_size():
    # The lines are 4096 bytes apart, all in set 0. Four lines fit. Of five, round robin always
    # evicts the one that is needed next.
    want(count("walk", RR, STRIDE=4096, COUNT=4, PASSES=5), dcache_access=20, dcache_miss=4)
    want(count("walk", RR, STRIDE=4096, COUNT=5, PASSES=5), dcache_access=25, dcache_miss=25)


def chase(columns, *sets, passes=3):
    return count("chase", *sets, COLUMNS=columns, LOADS=128 * columns * passes)


def test_chase_half_the_cache():
    want(chase(2, RR), dcache_access=768, dcache_miss=256)


def test_chase_the_whole_cache():
    want(chase(4, RR), dcache_access=1536, dcache_miss=512)


def test_chase_twice_the_cache():
    # The chain visits the sets one after the other, 8 lines in each. The first 4 lines of a set
    # fill invalid ways. The next 4 replace them in order, because the round robin counter starts at
    # 0 and advances by 4 in each set. Later passes replace 8 lines in each set, again in order, so
    # no line is present when it is needed. All 3 * 1024 accesses miss.
    want(chase(8, RR), dcache_access=3072, dcache_miss=3072, expl_d_access=3072)


def test_chase_eight_times_the_cache():
    want(chase(32, RR), dcache_access=12288, dcache_miss=12288)


def test_chase_miss_latency():
    # Each load waits for the previous one, so the program stalls for each of the 64 lines of the
    # ring. A word is available 59 (3 + 56) cycles after its load, and as an address one cycle
    # later, so a load takes 60 cycles. The line of the code is fetched first, in 56 cycles. The ADD
    # waits 59 cycles for the last load. ADD takes 1 and NOP takes 1.
    near = count("chase", NODES=64, STRIDE=32, LOADS=64)
    want(near, dcache_miss=64, icache_miss=1, ibuf_stall=56 + 1, dtlb_miss=0, lsu_full_stall=0)
    # The memory latency is 44 cycles longer: operands wait for 64 * 44 more cycles, and the fetch
    # for 44 more.
    far = count("chase", "mem.latency=100", NODES=64, STRIDE=32, LOADS=64)
    equal(far["ddep_stall"] - near["ddep_stall"], 64 * 44)
    equal(far["cpu_cycles"] - near["cpu_cycles"], 65 * 44)
    # 56 + 63 * 60 + 59 + 2 = 3897. In the model, a wait for a miss begins at the end of its block
    # at the latest (our choice). So the next address may come one cycle late, up to 64 times. Then
    # no miss hides the cycles of the two branches that are not folded, the first (4) and the last
    # (7).
    assert 3897 <= near["cpu_cycles"] <= 3897 + 64 + 4 + 7, near


def test_chase_miss_latency_straight():
    # The same loads without a loop. The warm-up run brings the code into the cache, and has its own
    # chain in the next page. NOP, 63 loads that are 60 cycles apart, the last load, and the ADD 59
    # cycles after it.
    chain = ("movi r5, 64; add r1, r10, r12, lsl #12; mov r0, r1; 1: add r7, r0, #32; "
             "str r7, [r0]; mov r0, r7; subs r5, r5, #1; bne 1b")
    c = count("repeat", SETUP=chain, BODY="; ".join(["ldr r1, [r1]"] * 64 + ["add r2, r1, #0"]),
              WARM=1)
    want(c, dcache_miss=64, icache_miss=0, lsu_full_stall=0, cpu_cycles=1 + 63 * 60 + 59 + 1,
         ddep_stall=63 * 59 + 58)


def test_chase_hits():
    # All lines of the ring are in the cache. An LDR is issued 3 + 1 cycles after the LDR before, as
    # it needs the value as its base. SUBS and the folded BNE fit in between. 63 of the 64 loads are
    # followed by another load: 63 * 4. After the last load, the exit of the loop is mispredicted
    # directly after SUBS. These 7 cycles hide the wait of the ADD for the load. NOP 1, LDR 1, SUBS
    # 1, BNE 7, ADD 1, NOP 1.
    want(count("chase", NODES=64, STRIDE=32, LOADS=64, WARM=1), cpu_cycles=63 * 4 + 12,
         ddep_stall=63 * 2, dcache_miss=0)


def directory(n, bits, size, ways):
    """Returns the counts of random.S, from a second implementation of the rules of the cache
    directory and of the micro-TLB. The cache fills invalid ways first, the lowest number first, and
    then uses one round robin counter for all sets; only reads allocate. The micro-TLB has 10
    entries, which are filled and replaced in turn."""
    sets, turn, x = size // 32 // ways, 0, 1
    tags, dirty, tlb = {}, {}, []
    c = dict(dcache_miss=0, dcache_wback=0, dtlb_miss=0, main_tlb_miss=0)
    pages_seen = set()
    for _ in range(n):
        x = (x * 1103515245 + 12345) & 0xffffffff
        line, write, half = x >> 32 - bits, x >> 31 - bits & 1, x >> 30 - bits & 1
        page = line // 128
        if page not in tlb:
            c["dtlb_miss"] += 1
            tlb = (tlb + [page])[-10:]
        pages_seen.add(page)
        row = tags.setdefault(line % sets, [])
        if line not in row:
            c["dcache_miss"] += 1
            if write:
                continue
            if len(row) < ways:
                row.append(line)
            else:
                c["dcache_wback"] += len(dirty.pop(row[turn % ways], ()))
                row[turn % ways] = line
                turn += 1
        if write:
            dirty.setdefault(line, set()).add(half)
    c["main_tlb_miss"] = len(pages_seen)  # up to 31 pages, each in a set of its own
    return c


def test_random_accesses_round_robin():
    # The accesses are in 32 KB, which are 8 pages.
    for size, ways in ((16384, 4), (8192, 2), (4096, 1), (16384, 8), (32768, 4)):
        want(count("random", RR, f"dcache.size={size}", f"dcache.ways={ways}", COUNT=4000, BITS=10),
             dcache_access=4000, **directory(4000, 10, size, ways))


def test_random_accesses_beyond_the_micro_tlb():
    # 64 KB are 16 pages, which do not fit in the micro-TLB. Lines stay in the cache, dirty or not,
    # while their page enters and leaves the micro-TLB.
    want(count("random", RR, COUNT=6000, BITS=11), dcache_access=6000,
         **directory(6000, 11, 16384, 4))


def test_random_accesses_fill_external():
    # Lines that are filled and stores that miss are external accesses. Together they are the
    # misses.
    misses = directory(4000, 10, 16384, 4)["dcache_miss"]
    want(count("random", RR, COUNT=4000, BITS=10), expl_d_access=misses)


# ---- stores --------------------------------------------------------------------------------------

def test_stores_do_not_allocate():
    # 64 words in 8 lines are stored twice. Every STR misses and is an external access, and nothing
    # is written back.
    want(count("walk", ACCESS="str", STRIDE=4, COUNT=64, PASSES=2), dcache_access=128,
         dcache_miss=128, expl_d_access=128, dcache_wback=0)


def test_stores_allocate_if_told():
    # dcache.write_allocate=1: the first store of each of the 8 lines misses and fills.
    want(count("walk", "dcache.write_allocate=1", ACCESS="str", STRIDE=4, COUNT=64, PASSES=2),
         dcache_miss=8, expl_d_access=8)


def test_store_misses_not_external_if_told():
    want(count("walk", "dcache.store_miss_external=0", ACCESS="str", STRIDE=4, COUNT=64, PASSES=1),
         dcache_miss=64, expl_d_access=0)


def test_stores_to_one_line_miss_once_if_told():
    # 64 words in 8 lines are stored twice: the first store to each line misses, and all stores are
    # external accesses.
    want(count("walk", "dcache.store_miss_each=off", ACCESS="str", STRIDE=4, COUNT=64, PASSES=2),
         dcache_miss=16, expl_d_access=128)


def test_stores_written_through():
    # The LDR fills the line, which is one external access. Each of the four STR hits, but is also
    # an external access. No line becomes dirty.
    body = "ldr r1, [r10]; str r1, [r10]; str r1, [r10, #4]; str r1, [r10, #8]; str r1, [r10]"
    want(count("repeat", "dcache.write_through=1", BODY=body), dcache_miss=1, expl_d_access=5)
    # With write-back, only the fill is an external access.
    want(count("repeat", BODY=body), dcache_miss=1, expl_d_access=1)
    # A store that misses in a write-through cache is one external access, not two.
    want(count("repeat", "dcache.write_through=1", BODY="str r1, [r10]"), dcache_miss=1,
         expl_d_access=1)


def test_stores_of_other_kinds_written_through():
    # Each store first fills the line, which is one external access. A swap and an exclusive store
    # then make one write. A multiple store makes one write for each line that it touches.
    for store, writes in (("swp r1, r5, [r2]", 1), ("ldrex r1, [r2]; strex r3, r5, [r2]", 1),
                          ("stmia r2, {r4-r11}", 1), ("strd r6, r7, [r2]", 1),
                          ("strb r1, [r2, #31]", 1)):
        want(count("repeat", "dcache.write_through=1", SETUP="mov r2, r10",
                   BODY="ldr r1, [r2]; " + store), dcache_miss=1, expl_d_access=1 + writes)


def test_stores_of_other_kinds_uncached():
    # A swap makes an external read and an external write. A multiple from 0x10 to 0x2f is in two
    # lines, so it makes two external accesses.
    for access, external in (("swp r1, r5, [r2]", 2), ("ldrex r1, [r2]; strex r3, r5, [r2]", 2),
                             ("stmia r2, {r3-r10}", 2), ("ldrd r6, r7, [r2]", 1)):
        want(count("repeat", "dcache.enable=0", SETUP="add r2, r10, #0x10", BODY=access),
             dcache_access=external, dcache_access_cacheable=0, dcache_miss=0,
             expl_d_access=external)


# Dirty bits are kept per half line of 16 bytes, and each dirty half of a victim counts (§2, 0x0C).
DIRTY = [
    ("nothing", "", 0),
    ("low_half", "str r0, [r10, #12]", 1),
    ("high_half", "str r0, [r10, #16]", 1),
    ("both_halves", "str r0, [r10]; str r0, [r10, #28]", 2),
    ("same_half_twice", "str r0, [r10]; str r0, [r10, #4]", 1),
    ("byte", "strb r0, [r10, #31]", 1),
    ("unaligned_word_in_both", "str r0, [r10, #14]", 2),
    ("double_in_high", "strd r0, r1, [r10, #16]", 1),
    ("double_in_both", "add r2, r10, #12; strd r0, r1, [r2]", 2),
    ("multiple_in_low", "stmia r10, {r0-r3}", 1),
    ("multiple_in_both", "stmia r10, {r0-r7}", 2),
    ("multiple_into_high", "add r2, r10, #12; stmia r2, {r0-r1}", 2),
    ("swap", "swp r0, r1, [r10]", 1),
    ("exclusive", "ldrex r0, [r10]; strex r1, r0, [r10]", 1),
    ("failed_condition", "cmp r10, #0; streq r0, [r10]", 0),
]


@cases("name, instructions, halves", DIRTY)
def test_writeback(name, instructions, halves):
    # Five lines of the set are read, which are five misses and fills. The fifth line evicts the
    # dirty line.
    want(count("evict", RR, DIRTY=instructions), dcache_miss=5, expl_d_access=5,
         dcache_wback=halves)


def test_writeback_not_when_written_through():
    # The 5 fills and 8 stores are external accesses, and nothing is written back.
    stores = "; ".join(f"str r0, [r10, #{4 * i}]" for i in range(8))
    want(count("evict", RR, "dcache.write_through=1", DIRTY=stores), dcache_wback=0, dcache_miss=5,
         expl_d_access=13)


def test_store_buffer_fills_up():
    # 64 stores to absent lines could issue one per cycle. The bus takes 4 cycles for each, and the
    # buffer holds 8 (mem.write and wbuf.entries, our choice). The bus has written store n in cycle
    # 4 n, and store n can issue when store n - 8 has been written. So store 64 issues in cycle 224.
    # The stores take 225 cycles instead of 64, and 161 of them are waits. The warm-up run has
    # translated the page, and 300 NOPs let its stores drain. The NOP at k_begin also counts.
    drain, body = "nops 300", "str r1, [r10]"
    want(count("repeat", SETUP=drain, BODY=body, REPS=64, WARM=1), lsu_full_stall=161,
         cpu_cycles=226)
    want(count("repeat", "wbuf.entries=64", SETUP=drain, BODY=body, REPS=64, WARM=1),
         lsu_full_stall=0, cpu_cycles=65)


# ---- load misses and the load-store unit ---------------------------------------------------------
# r2 is the address of one line in the warm-up run (r12 = 1), and of another line of the same page
# in the counted run (r12 = 0).

ELSEWHERE = "mov r5, #1; mov r4, #0; add r2, r10, r12, lsl #10"


def test_miss_felt_at_the_first_use():
    # The word of the LDR arrives 56 cycles later than that of a hit, so the ADD waits 2 + 56
    # cycles. NOP, LDR and ADD take one cycle each.
    c = count("repeat", SETUP=ELSEWHERE, BODY="ldr r1, [r2]; add r3, r1, r5", WARM=1)
    want(c, dcache_miss=1, ddep_stall=58, cpu_cycles=61, lsu_full_stall=0)


def test_miss_partly_hidden():
    # The ten NOPs take 10 of the 58 cycles.
    c = count("repeat", SETUP=ELSEWHERE, BODY="ldr r1, [r2]; nops 10; add r3, r1, r5", WARM=1)
    want(c, dcache_miss=1, ddep_stall=48, cpu_cycles=61)


def test_miss_hidden_by_work():
    # The 80 NOPs hide the wait. NOP 1, LDR 1, NOPs 80, ADD 1.
    c = count("repeat", SETUP=ELSEWHERE, BODY="ldr r1, [r2]; nops 80; add r3, r1, r5", WARM=1)
    want(c, dcache_miss=1, ddep_stall=0, cpu_cycles=83)


# A PLD's address follows from an access with the same base register, before or after it. Each case
# prefetches the line after the line at r2. The program reads that line at the end; r3 is DATA + 32.
@cases("accesses", [
    "ldr r1, [r2]; PLD [r2, #32]",
    "PLD [r2, #32]; str r5, [r2, #4]",
    "ldr r1, [r2], #4; PLD [r2, #28]",
    "ldr r1, [r2, #-4]!; PLD [r2, #36]",
    "PLD [r2, #32]; ldmia r2!, {r6, r7}",
    "ldmib r2!, {r6, r7}; PLD [r2, #24]",
    "PLD [r2, #40]; ldmdb r2!, {r6, r7}",
    "vldr s0, [r2, #8]; PLD [r2, #32]",
    "strh r5, [r2, #10]; PLD [r2, #32]",
])
def test_preload(accesses):
    setup = f".fpu vfp; {ELSEWHERE}; add r2, r2, #64; add r3, r2, #32; ldr r1, [r2, #-4]"
    body = f"{accesses}; nops 140; ldr r8, [r3]; add r9, r8, r5"
    if "ldmdb" in accesses:
        setup = setup.replace("add r3, r2, #32", "add r3, r2, #40")
    less, more = (count("repeat", SETUP=setup, BODY=b) for b in
                  (body.replace("PLD", "pld"), re.sub("PLD [^;]*", "nop", body)))
    assert more["cpu_cycles"] - less["cpu_cycles"] == 56
    assert more["dcache_miss"] == less["dcache_miss"]


def test_preloads_of_consecutive_lines():
    # Serial memory needs 56 + 4 cycles to read a line. A prefetch of the line after the last
    # prefetched line keeps the memory busy only as long as 4 writes of 8 bytes, which take 4 cycles
    # each. The last load waits for the third prefetch.
    body = ("ldr r1, [r2]; pld [r2, #32]; pld [r2, #{}]; pld [r2, #{}]; ldr r8, [r3, #{}]; "
            "add r9, r8, r5")
    near, apart = (count("repeat", "mem.serial=on", "lsu.slots=5", BODY=body.format(*lines),
                         SETUP=f"{ELSEWHERE}; add r2, r2, #64; mov r3, r2; ldr r1, [r2, #-4]")
                   for lines in ((64, 96, 96), (96, 160, 160)))
    equal(apart["cpu_cycles"] - near["cpu_cycles"], 56 + 4 - 4 * 4)


def test_preload_of_an_unknown_address():
    # A note reports the number of prefetches that had no effect.
    program = build("repeat", {"SETUP": ELSEWHERE, "BODY": "pld [r2]; pld [r2, r5]; ldr r1, [r10]"})
    note = stat("--core", "arm1176", "-e", "cpu_cycles", program)["note"]
    assert "2 prefetch instructions" in note, note


def test_miss_felt_behind_branches():
    # Branches between the load and the ADD that needs its word do not change when the word arrives,
    # which is after 61 cycles as above. The same program with an ADD that does not need the word
    # shows the time of the code in between.
    loop = "ldr r1, [r2]; mov r6, #5; 1: subs r6, r6, #1; bne 1b; add r3, {}, r5"
    call = "ldr r1, [r2]; bl sub; add r3, {}, r5"
    for body, aux in ((loop, "nop"), (call, "sub: nop; bx lr")):
        needs = count("repeat", SETUP=ELSEWHERE, BODY=body.format("r1"), AUX=aux, WARM=1)
        free = count("repeat", SETUP=ELSEWHERE, BODY=body.format("r4"), AUX=aux, WARM=1)
        want(free, dcache_miss=1, ddep_stall=0)
        want(needs, dcache_miss=1, cpu_cycles=61, ddep_stall=61 - free["cpu_cycles"])
        assert 5 < free["cpu_cycles"] < 40, free
    # The loaded word is overwritten after a branch, so no instruction waits for it.
    over = "ldr r1, [r2]; bl sub; mov r1, #0; add r3, r1, r5"
    c = count("repeat", SETUP=ELSEWHERE, BODY=over, AUX="sub: nop; bx lr", WARM=1)
    want(c, dcache_miss=1, ddep_stall=0)


def test_two_misses_under_way():
    # With lsu.slots=2, two loads may be outstanding. A third load waits until the first one is
    # complete.
    two = "ldr r1, [r2]; ldr r3, [r2, #32]; nops 200"
    three = "ldr r1, [r2]; ldr r3, [r2, #32]; ldr r6, [r2, #64]; nops 200"
    want(count("repeat", SETUP=ELSEWHERE, BODY=two, WARM=1), dcache_miss=2, lsu_full_stall=0,
         cpu_cycles=203)
    full = count("repeat", SETUP=ELSEWHERE, BODY=three, WARM=1)
    want(full, dcache_miss=3, ddep_stall=0, cpu_cycles=204 + full["lsu_full_stall"])
    # The third load comes two cycles after the first, whose line takes 56 to arrive and 4 to fill.
    assert 54 <= full["lsu_full_stall"] <= 62, full
    want(count("repeat", "lsu.slots=3", SETUP=ELSEWHERE, BODY=three, WARM=1), dcache_miss=3,
         lsu_full_stall=0, cpu_cycles=204)


# ---- TLBs ----------------------------------------------------------------------------------------
# COUNT loads, each in a separate page, ten times. VA[16:12] is the index of the main TLB, which has
# 32 sets.

def pages(n, *sets):
    return count("walk", *sets, STRIDE=4096 + 32, COUNT=n, PASSES=10)


def test_tlb_8_pages():
    # The pages fit in the micro-TLB, so each page misses once, in both levels.
    want(pages(8), dtlb_miss=8, main_tlb_miss=8, dcache_access=80, itlb_miss=0)


def test_tlb_10_pages():
    want(pages(10), dtlb_miss=10, main_tlb_miss=10)


def test_tlb_11_pages():
    # Round robin over 10 entries always evicts the page that is needed next, so every access
    # misses. The main TLB holds all 11 pages after the first pass.
    want(pages(11), dtlb_miss=110, main_tlb_miss=11)


def test_tlb_11_pages_of_stores():
    want(count("walk", ACCESS="str", STRIDE=4096 + 32, COUNT=11, PASSES=10), dtlb_miss=110,
         main_tlb_miss=11, dcache_miss=110)


def test_tlb_multiple_across_pages():
    # Six words from 8 bytes below a page boundary are in two lines and two pages.
    for op, miss in (("ldmia", 2), ("stmia", 2), ("vldmia", 2)):
        regs = "{d0-d2}" if op[0] == "v" else "{r4-r9}"
        want(count("repeat", SETUP=".fpu vfp; movi r2, (DATA+0xff8)", BODY=f"{op} r2, {regs}"),
             dtlb_miss=2, main_tlb_miss=2, dcache_access=2, dcache_miss=miss)


def test_tlb_64_pages():
    # Each of the 32 sets of two ways holds two pages. The page of the code shares set 16 with two
    # of them, and the second evicts it. It is not needed again, because the micro-TLB has it.
    want(pages(64), dtlb_miss=640, main_tlb_miss=64, itlb_miss=0)


def test_tlb_200_pages():
    # Each set has two ways for at least six pages. Round robin evicts each page before it is needed
    # again.
    want(pages(200), dtlb_miss=2000, main_tlb_miss=2000)


def test_tlb_more_entries():
    want(pages(11, "utlb.entries=11"), dtlb_miss=11, main_tlb_miss=11)
    want(pages(8, "utlb.entries=7"), dtlb_miss=80, main_tlb_miss=8)
    # 128 sets of two ways hold 200 consecutive pages.
    want(pages(200, "tlb.entries=256"), dtlb_miss=2000, main_tlb_miss=200)


def test_tlb_mmu_off():
    want(pages(200, "mmu.enable=0"), dtlb_miss=0, itlb_miss=0, main_tlb_miss=0)


def test_tlb_refill_costs_cycles():
    # The 11 pages are in the main TLB, and the micro-TLB has 10 entries. So each of 110 dependent
    # loads waits for a micro-TLB refill of 8 or 20 cycles, in which the next load waits for its
    # operand.
    near = count("chase", NODES=11, STRIDE=4128, LOADS=110, WARM=1)
    far = count("chase", "utlb.penalty=20", NODES=11, STRIDE=4128, LOADS=110, WARM=1)
    want(near, dtlb_miss=110, main_tlb_miss=0, dcache_miss=0)
    equal(far["cpu_cycles"] - near["cpu_cycles"], 110 * 12)
    equal(far["ddep_stall"] - near["ddep_stall"], 110 * 12)


def test_tlb_walk_costs_cycles_but_is_no_stall():
    # Of the 66 pages, three are in set 0 of the main TLB, three in set 1, and two in each other
    # set. A set has two ways, so with round robin every access to sets 0 and 1 misses. This makes 6
    # walks in a round, and 12 in two rounds. No stall event counts their cycles (§4).
    near = count("chase", NODES=66, STRIDE=4128, LOADS=132, WARM=1)
    far = count("chase", "tlb.penalty=193", NODES=66, STRIDE=4128, LOADS=132, WARM=1)
    want(near, dtlb_miss=132, main_tlb_miss=12)
    equal(far["cpu_cycles"] - near["cpu_cycles"], 12 * 100)
    equal(far["ddep_stall"], near["ddep_stall"])
    equal(far["ibuf_stall"], near["ibuf_stall"])


def code_pages(n, passes, *sets):
    return count("codepages", *sets, PAGES=n, PASSES=passes)


def test_itlb_10_pages():
    # The page of k_begin is present. Each of the 9 other pages of code misses once.
    want(code_pages(10, 5), itlb_miss=9, main_tlb_miss=9, dtlb_miss=0)


def test_itlb_11_pages():
    # The eleventh page evicts the first, and so on: 10 pages and the way back are 11 misses in each
    # pass.
    want(code_pages(11, 5), itlb_miss=55, main_tlb_miss=10)


def test_itlb_refill_stalls_fetch():
    # During a refill from the main TLB no instruction arrives for 8 cycles, or for 20. The 10 walks
    # of the first pass do not count as ibuf_stall, so there are 55 - 10 refills.
    near, far = code_pages(11, 5), code_pages(11, 5, "utlb.penalty=20")
    equal(far["ibuf_stall"] - near["ibuf_stall"], 45 * 12)
    equal(far["cpu_cycles"] - near["cpu_cycles"], 45 * 12)


# ---- instruction cache ---------------------------------------------------------------------------

def test_icache_straight_line():
    # The 64 lines of 8 NOPs are fetched once, and each stalls issue for 56 cycles. k_begin is at
    # the start of a line. The 512 NOPs take one cycle each.
    want(count("repeat", BODY="nop", REPS=512), icache_miss=64, ibuf_stall=64 * 56, instr_exec=512,
         cpu_cycles=512 + 64 * 56)
    want(count("repeat", "mem.latency=100", BODY="nop", REPS=512), icache_miss=64,
         ibuf_stall=6400, cpu_cycles=512 + 6400)


def test_icache_warm():
    want(count("repeat", BODY="nop", REPS=512, WARM=1), icache_miss=0, ibuf_stall=0, instr_exec=513,
         cpu_cycles=513)


def test_icache_off():
    # Look-ups do not miss in a cache that is off (§3).
    want(count("repeat", "icache.enable=0", BODY="nop", REPS=512), icache_miss=0)


def test_icache_half_of_it():
    # The code has one line before the loop, 256 lines in it and one after it. All of them fit. The
    # loop's branch is predicted, so the line after the loop is fetched only once.
    want(count("codelines", "fetch.shadow=0", LINES=256, PASSES=4), icache_miss=258)


def test_icache_twice_of_it():
    # The cache is direct mapped. 1025 lines share 512 sets, so each line evicts the one that is
    # needed half a pass later, and all miss in every pass. One line is before the loop.
    want(count("codelines", "fetch.shadow=0", "icache.ways=1", LINES=1024, PASSES=3),
         icache_miss=3 * 1025 + 1)
    want(count("codelines", "fetch.shadow=0", "icache.size=64K", LINES=1024, PASSES=3),
         icache_miss=1026)


# ---- speculative fetch (icache_miss counts it, DAI 0195B §3) -------------------------------------

def shadow(kind, level, *sets, n=10, offset=0, warm=0):
    return count("shadow", f"fetch.shadow={level}", *sets, KIND=kind, COUNT=n, OFFSET=offset,
                 WARM=warm)["icache_miss"]


def test_shadow_of_a_predicted_return():
    # The 16 bytes after a BX LR at 0x1c or 0x10 reach into the next line, which is never executed.
    # The core looks up this line, and the miss counts. A correctly predicted return then cancels
    # the request, so the line stays absent, and there is one miss per return. The 16 bytes after a
    # BX LR at 0x0c end with its line.
    for offset, per_return in ((0x1c, 1), (0x10, 1), (0x0c, 0), (0x00, 0)):
        equal(shadow(1, 1, offset=offset, warm=1), 10 * per_return, f"offset {offset:#x}")
        equal(shadow(1, 0, offset=offset, warm=1), 0)


def test_shadow_of_an_unpredicted_return():
    # Without a return stack, the request is sent to memory and fills the line. So a warm run counts
    # no miss, and a cold run counts one.
    equal(shadow(1, 1, "rs.enable=0", offset=0x1c, warm=1), 0)
    equal(shadow(1, 1, "rs.enable=0", offset=0x1c) - shadow(1, 0, "rs.enable=0", offset=0x1c), 1)


def test_shadow_of_a_taken_branch():
    # B is at the end of a line and is not predicted. So the next line is looked up once and not
    # used.
    equal(shadow(2, 1, "bp.enable=0") - shadow(2, 0, "bp.enable=0"), 1)
    equal(shadow(2, 1, "bp.enable=0", "fetch.shadow_bytes=0") - shadow(2, 0, "bp.enable=0"), 0)
    # 64 bytes reach into two lines. The second line contains the branch's target, so it is fetched
    # anyway.
    equal(shadow(2, 1, "bp.enable=0", "fetch.shadow_bytes=64") - shadow(2, 0, "bp.enable=0"), 1)


def test_shadow_in_a_loop():
    # The second line of the loop, and the line after its first branch (the shadow), share the only
    # way of their set. Without prediction, each pass fetches the shadow, which evicts the second
    # line, and then the second line, which evicts the shadow. So each pass has 2 misses. With
    # prediction, the core does not fetch the shadow.
    equal(shadow(3, 1, "icache.ways=1", "bp.enable=0", warm=1), 20)
    equal(shadow(3, 0, "icache.ways=1", "bp.enable=0", warm=1), 0)
    equal(shadow(3, 1, "icache.ways=1", warm=1), 0)


def test_shadow_down_the_wrong_path():
    # A backward branch is predicted as taken, but is not taken. So 24 bytes from its target on are
    # fetched and not used: one line from offset 0, two lines from offset 0x10. With shadow level 1,
    # the core makes no such fetch.
    for offset, lines in ((0, 1), (0x10, 2)):
        equal(shadow(4, 2, offset=offset) - shadow(4, 1, offset=offset), lines)
        equal(shadow(4, 1, offset=offset), shadow(4, 0, offset=offset))
    want(count("shadow", KIND=4, COUNT=1, OFFSET=0), br_exec=1, br_mispredict=1, sw_pc_change=0)


# ---- branch prediction ---------------------------------------------------------------------------
# pattern.S has a forward branch and the loop's backward branch, and makes 32 passes unless a test
# says otherwise. A forward branch that has no entry in the branch target cache is predicted as not
# taken. A branch that is taken gets an entry, in state 2. States are 0 to 3, and states 2 and 3
# predict "taken". The loop's branch is wrong once, at its exit. T means taken, N not taken.

def pattern(bits, *sets, n=32, **more):
    return count("pattern", *sets, PATTERN=f"0x{bits:08x}", COUNT=n, **more)


ALWAYS, NEVER, ALTERNATE_T, ALTERNATE_N = 0xffffffff, 0, 0x55555555, 0xaaaaaaaa
PERIOD_TTN, PERIOD_NNT = 0x1b6db6db, 0x24924924  # lowest bit first: 110 110 ..., 001 001 ...
ONCE = 1


def test_pattern_branches_executed():
    # There are 32 of each branch. The forward branch is taken for each 1 of the pattern, and the
    # loop's branch 31 times.
    for bits in (ALWAYS, NEVER, ALTERNATE_T, ONCE):
        want(pattern(bits), br_exec=64, sw_pc_change=bin(bits).count("1") + 31)


def test_pattern_always():
    # T: there is no entry, so the first prediction is wrong; then the state is 2, 3, 3, and
    # predictions are right.
    want(pattern(ALWAYS), br_mispredict=1 + 1)


def test_pattern_never():
    want(pattern(NEVER), br_mispredict=0 + 1)


def test_pattern_alternating():
    # T (no entry) is wrong → 2; N wrong → 1; T wrong → 2; and so on: all 32 are wrong.
    want(pattern(ALTERNATE_T), br_mispredict=32 + 1)
    # N (no entry) is right; T wrong → 2; N wrong → 1; and so on: 31 are wrong.
    want(pattern(ALTERNATE_N), br_mispredict=31 + 1)


def test_pattern_period_three():
    # T wrong → 2, T → 3, N wrong → 2, T → 3, T → 3, N wrong → 2, and so on: the first one and one
    # in each period are wrong.
    want(pattern(PERIOD_TTN, n=30), br_mispredict=10 + 1 + 1)
    # N N right, T wrong → 2; N wrong → 1, N → 0, T wrong → 1; N → 0, N → 0, T wrong → 1; from then
    # on one in each period is wrong: 1 + 2 + 8.
    want(pattern(PERIOD_NNT, n=30), br_mispredict=11 + 1)


def test_pattern_prediction_off():
    # Every taken branch is mispredicted (section 5).
    for bits in (ALWAYS, NEVER, ALTERNATE_T, PERIOD_TTN):
        taken = bin(bits).count("1") + 31
        want(pattern(bits, "bp.enable=0"), br_mispredict=taken, sw_pc_change=taken)


def test_pattern_static_only():
    # Forward branches are predicted as not taken, so the taken ones are wrong. Backward branches
    # are predicted as taken, so the exit is wrong.
    for bits in (ALWAYS, NEVER, ALTERNATE_N, PERIOD_NNT):
        want(pattern(bits, "bp.dynamic=0"), br_mispredict=bin(bits).count("1") + 1)


def test_pattern_dynamic_only():
    # At first no branch is predicted as taken, so the loop's branch is wrong once more. The forward
    # branch is predicted as not taken with and without static prediction.
    want(pattern(ALWAYS, "bp.static=0"), br_mispredict=1 + 2)
    want(pattern(NEVER, "bp.static=0"), br_mispredict=0 + 2)


def test_pattern_neither():
    want(pattern(ALTERNATE_T, "bp.static=0", "bp.dynamic=0"), br_mispredict=16 + 31)


def test_pattern_random():
    # In each pass, one bit of a linear feedback shift register decides the branch. wrong() is a
    # second implementation of the two-bit counter.
    def wrong(n, taps=0x80200003):
        x, state, misses = 1, None, 0
        for _ in range(n):
            taken = x & 1
            x = x >> 1 ^ (taps if taken else 0)
            misses += (state is not None and state >= 2) != taken
            if state is None:
                state = 2 if taken else None
            else:
                state = min(state + 1, 3) if taken else max(state - 1, 0)
        return misses
    want(count("pattern", LFSR=1, COUNT=5000), br_mispredict=wrong(5000) + 1, br_exec=10000)


def test_aliases_share_an_entry():
    # Two branches share an entry. Both are always taken, and each always finds the entry of the
    # other branch. So they are predicted as not taken, which is always wrong. With 256 entries,
    # each branch has its own entry and is wrong once. The loop's branch is wrong once, at its exit.
    want(count("aliases", COUNT=20), br_mispredict=40 + 1, br_exec=61, sw_pc_change=60)
    want(count("aliases", "bp.entries=256", COUNT=20), br_mispredict=2 + 1)


# Branches, and other writes of the PC. All of them skip one NOP.
#         name          instructions before the NOP                br pc mis call
PC_WRITES = [
    ("bx",              "adr r3, 1f; bx r3",                        1, 1, 1, 0),
    ("blx_register",    "adr r3, 1f; blx r3",                       1, 1, 1, 1),
    ("bxj",             "adr r3, 1f; bxj r3",                       1, 1, 1, 0),
    ("mov_pc",          "adr r3, 1f; mov pc, r3",                   0, 1, 0, 0),
    ("add_pc",          "mov r3, #0; add pc, pc, r3",               0, 1, 0, 0),
    ("ldr_pc",          "adr r3, 1f; str r3, [r10]; ldr pc, [r10]", 0, 1, 0, 0),
    ("ldm_pc",          "adr r3, 1f; str r3, [r10]; ldmia r10, {pc}", 0, 1, 0, 0),
    # Calls, and all other branches without a condition, are statically predicted as taken.
    ("b",               "b 1f",                                     1, 1, 0, 0),
    ("bl",              "bl 1f",                                    1, 1, 0, 1),
    ("blx_immediate",   "blx thumb",                                1, 1, 0, 1),
    # The flags are EQ. Conditional calls are predicted as not taken.
    ("bl_passes",       "bleq 1f",                                  1, 1, 1, 1),
    ("bl_fails",        "blne 1f",                                  1, 0, 0, 0),
    ("b_fails",         "bne 1f",                                   1, 0, 0, 0),
    ("bx_fails",        "adr r3, 1f; bxne r3",                      1, 0, 0, 0),
    ("mov_pc_fails",    "adr r3, 1f; movne pc, r3",                 0, 0, 0, 0),
    ("ldr_pc_fails",    "ldrne pc, [r10]",                          0, 0, 0, 0),
    # A branch to the next instruction is also a change of the PC by software.
    ("b_to_the_next",   "b 2f; 2: nop",                             1, 1, 0, 0),
]


@cases("name, code, branches, changes, mispredicts, calls", PC_WRITES)
def test_pc(name, code, branches, changes, mispredicts, calls):
    if "thumb" in code:
        # The call goes to Thumb code, which returns by BX PC and B. These are two more branches and
        # two more changes of the PC. BX PC is one more misprediction.
        aux = ".thumb; .thumb_func; thumb: bx pc; nop; .arm; b back"
        c = count("repeat", BODY=f"{code}; nop; back: nop", AUX=aux, SETUP="cmp r10, r10")
        want(c, br_exec=branches + 2, sw_pc_change=changes + 2, br_mispredict=mispredicts + 1,
             proc_call_exec=calls)
        return
    c = count("repeat", BODY=f"{code}; nop; 1: nop", SETUP="cmp r10, r10")
    want(c, br_exec=branches, sw_pc_change=changes, br_mispredict=mispredicts,
         proc_call_exec=calls, proc_ret_exec=0)


def test_pc_writes_counted_as_branches():
    # With bp.count_pc_writes=1, MOV to PC is a branch, and is mispredicted.
    c = counts(stat("--from", "k_begin", "--to", "k_end", "-e",
                    "br_exec,br_mispredict,sw_pc_change", "--set", "bp.count_pc_writes=1",
                    build("repeat", {"BODY": "adr r3, 1f; mov pc, r3; nop; 1: nop"})))
    equal(c, {"br_exec": 1, "br_mispredict": 1, "sw_pc_change": 1})


# ---- calls and returns (ARM1176 events 0x23 to 0x26) ---------------------------------------------

@pytest.mark.parametrize("depth", range(1, 7))
def test_calls_depth(depth):
    # The calls push `depth` addresses. The stack keeps the last three, so at most three returns
    # find their address. BLs are statically predicted. A BX LR that is not predicted is a
    # mispredicted branch. Events 0x05 and 0x06 do not count the other forms of returns as branches.
    found = min(depth, 3)
    for form in range(4):
        want(count("calls", DEPTH=depth, RETURN=form), proc_call_exec=depth,
             proc_ret_exec=found, proc_ret_exec_pred=found, proc_ret_exec_pred_incorrect=0,
             br_exec=depth + (depth if form == 0 else 0), sw_pc_change=2 * depth,
             br_mispredict=depth - found if form == 0 else 0)


def test_calls_deeper_stack():
    want(count("calls", "rs.entries=6", DEPTH=6, RETURN=0), proc_call_exec=6, proc_ret_exec=6,
         br_mispredict=0)
    want(count("calls", "rs.entries=1", DEPTH=6, RETURN=0), proc_call_exec=6, proc_ret_exec=1,
         br_mispredict=5)


def test_calls_return_stack_off():
    # Without the return stack, or without prediction, these events do not count. All six BX LR are
    # mispredicted. With prediction off, the six BLs are mispredicted, too.
    none = dict(proc_call_exec=0, proc_ret_exec=0, proc_ret_exec_pred=0,
                proc_ret_exec_pred_incorrect=0, br_exec=12, sw_pc_change=12)
    want(count("calls", "rs.enable=0", DEPTH=6, RETURN=0), br_mispredict=6, **none)
    want(count("calls", "bp.enable=0", DEPTH=6, RETURN=0), br_mispredict=12, **none)


# This function returns to r3 instead of its caller.
ELSEWHERE_FN = "f: mov r4, lr; mov lr, r3; bx lr"


# Instructions that pop the return stack (§16.4: BX lr; MOV pc, lr; LDR pc from [sp] with
# post-indexed write-back; LDM of sp! with the PC), and instructions that do not. All of them
# return to the caller.
#    name                    in the function, which has saved lr in r4, [sp] and [r6]  pops
RETURN_FORMS = [
    ("bx_lr",                "bx lr",                                   1),
    ("mov_pc_lr",            "mov pc, lr",                              1),
    ("ldr_sp_post",          "ldr pc, [sp], #4",                        1),
    ("ldm_sp_one",           "ldmia sp!, {pc}",                         1),
    ("ldm_sp_two",           "sub sp, sp, #4; ldmia sp!, {r5, pc}",     1),
    ("ldr_sp_no_writeback",  "ldr pc, [sp]",                            0),
    ("ldr_sp_pre",           "sub sp, sp, #4; ldr pc, [sp, #4]!",       0),
    ("ldm_sp_no_writeback",  "ldmia sp, {pc}",                          0),
    ("ldr_other",            "ldr pc, [r6], #4",                        0),
    ("ldm_other",            "ldmia r6!, {pc}",                         0),
    ("bx_other",             "bx r4",                                   0),
    ("mov_other",            "mov pc, r4",                              0),
    ("add",                  "add pc, lr, #0",                          0),
]


@cases("name, code, pops", RETURN_FORMS)
def test_return_form(name, code, pops):
    aux = f"f: mov r4, lr; str lr, [r6]; str lr, [sp, #-4]!; {code}"
    want(count("repeat", SETUP="mov r6, r10", BODY="bl f; nop", AUX=aux), proc_call_exec=1,
         proc_ret_exec=pops, proc_ret_exec_pred=pops, proc_ret_exec_pred_incorrect=0,
         sw_pc_change=2, br_exec=1 + code.startswith("bx"),
         br_mispredict=int(code.startswith("bx") and not pops))


def test_return_wrong_is_undone():
    # BL calls f, which returns to label 3. This return is predicted to go to SUBS, which is wrong,
    # so the stack keeps the entry. The BX LR at label 3 returns to SUBS, which is right. r6 becomes
    # 1, so BEQ is not taken, as predicted, and execution comes to label 3 again. Its BX LR finds an
    # empty stack, which is wrong. Then BEQ is taken, which is wrong, too. So the first and the
    # third return and one BEQ are wrong.
    body = "bl f; subs r6, r6, #1; beq 4f; nop; 3: mov lr, r4; bx lr; nop; 4: nop"
    c = count("repeat", SETUP="adr r3, 3f; mov r6, #2", BODY=body, AUX=ELSEWHERE_FN)
    want(c, proc_call_exec=1, proc_ret_exec=2, proc_ret_exec_pred=2, proc_ret_exec_pred_incorrect=1,
         br_mispredict=3, br_exec=6, sw_pc_change=5)


def test_return_pred_exclusive():
    # With rs.pred_exclusive=1, event 0x25 counts only correct predictions.
    body = "bl f; nop; 3: nop"
    for sets, predicted in (((), 1), (("rs.pred_exclusive=1",), 0)):
        want(count("repeat", *sets, SETUP="adr r3, 3f", BODY=body, AUX=ELSEWHERE_FN),
             proc_ret_exec=1, proc_ret_exec_pred=predicted, proc_ret_exec_pred_incorrect=1,
             br_mispredict=1)


def test_return_conditional():
    # A conditional return pops the stack, but is not predicted. It is taken, so it is mispredicted.
    want(count("repeat", BODY="bl f; nop", AUX="f: cmp r10, r10; nop; bxeq lr"), proc_call_exec=1,
         proc_ret_exec=1, proc_ret_exec_pred=0, proc_ret_exec_pred_incorrect=0, br_mispredict=1,
         br_exec=2, sw_pc_change=2)


def test_return_conditional_that_fails():
    # A return whose condition fails neither pops the stack nor changes the PC. The return after it
    # is predicted.
    want(count("repeat", BODY="bl f; nop", AUX="f: cmp r10, r10; nop; bxne lr; bx lr"),
         proc_call_exec=1, proc_ret_exec=1, proc_ret_exec_pred=1, br_mispredict=0, br_exec=3,
         sw_pc_change=2)


def test_return_by_another_register():
    # BX r4 is not a return, so the entry stays on the stack. The next return finds it, and is
    # mispredicted if it goes elsewhere.
    want(count("repeat", BODY="bl f; nop", AUX="f: mov r4, lr; bx r4"), proc_call_exec=1,
         proc_ret_exec=0, br_mispredict=1, br_exec=2)


# ---- cycles: the pipeline (DDI 0301H chapter 16) -------------------------------------------------
#
# Each row repeats its instructions 32 times, with warm caches. r0 and r2 are DATA, whose first word
# is DATA; r4 = 0, r5 = 1. "issue" is the number of issue cycles, and "wait" is the number of cycles
# that interlocks add, which ddep_stall counts. If repetitions wait for each other, the first of
# them waits "first" cycles less.
#
# Result latencies: ALU 1, shift by register 2, multiply 4, 16-bit multiply 3, load 3, word i of an
# LDM 3 + i/2. An operand that is needed early (a shifted operand, a multiplicand, an address) adds
# one cycle. An operand that is needed late (an accumulator, the unshifted operand of a shift by
# register) subtracts one.
#
#     name                      instructions                                      issue wait first
PIPELINE = [
    ("nop",                     "nop",                                                  1, 0, 0),
    ("alu_chain",               "add r1, r1, r5",                                       1, 0, 0),
    ("shifted_operand_early",   "add r1, r2, r1, lsl #1",                               1, 1, 1),
    ("unshifted_operand",       "add r1, r1, r5, lsl #1",                               1, 0, 0),
    ("shift_amount_early",      "mov r1, r5, lsl r1",                                   2, 1, 1),
    ("shift_by_register_late",  "add r1, r1, r5, lsl r4",                               2, 0, 0),
    ("shift_by_register_result", "mov r1, r5, lsl r4; add r3, r1, r5",                  3, 0, 0),
    # The worked examples of §16.1 are load_use (4 cycles), address_from_alu (3), load_use_early (5)
    # and load_use_late (4).
    ("load_use",                "ldr r1, [r2]; add r3, r1, r5",                         2, 2, 0),
    ("load_use_one_between",    "ldr r1, [r2]; nop; add r3, r1, r5",                    3, 1, 0),
    ("load_use_two_between",    "ldr r1, [r2]; nop; nop; add r3, r1, r5",               4, 0, 0),
    ("load_unused",             "ldr r1, [r2]; add r3, r5, r5; nop; nop",               4, 0, 0),
    ("address_from_alu",        "add r1, r2, #0; ldr r3, [r1]",                         2, 1, 0),
    ("load_load",               "ldr r1, [r1]",                                         1, 3, 3),
    ("load_use_late",           "ldr r1, [r2]; add r3, r1, r5, lsl r4",                 3, 1, 0),
    ("load_use_early",          "ldr r1, [r2]; add r3, r5, r1, lsl #2",                 2, 3, 0),
    ("load_byte_use",           "ldrb r1, [r2]; add r3, r1, r5",                        2, 2, 0),
    ("load_half_use",           "ldrsh r1, [r2]; add r3, r1, r5",                       2, 2, 0),
    # An updated base is available to the next access at once (DDI 0301H 16.11): nothing waits.
    ("writeback",               "ldr r1, [r3], #4; ldr r6, [r3], #4; ldr r7, [r3], #4; "
                                "ldr r8, [r3], #4",                                     4, 0, 0),
    ("offset_register",         "ldr r1, [r2, r4]; nop; nop",                           3, 0, 0),
    ("offset_lsl_2",            "ldr r1, [r2, r4, lsl #2]; nop; nop",                   3, 0, 0),
    ("offset_negative",         "ldr r1, [r2, -r4]; nop; nop",                          4, 0, 0),
    ("offset_lsl_3",            "ldr r1, [r2, r4, lsl #3]; nop; nop",                   4, 0, 0),
    ("mul_use",                 "mul r1, r4, r5; add r3, r1, r5",                       3, 2, 0),
    ("mul_chain",               "mul r1, r1, r5",                                       2, 3, 3),
    ("mul_unused",              "mul r1, r4, r5; add r3, r5, r5; nop",                  4, 0, 0),
    ("mul_flags",               "muls r1, r4, r5",                                      5, 0, 0),
    ("mul16_use",               "smulbb r1, r4, r5; add r3, r1, r5",                    2, 2, 0),
    ("mul16_chain",             "smulbb r1, r1, r5",                                    1, 3, 3),
    ("mmul_use",                "smmul r1, r4, r5; add r3, r1, r5",                     3, 2, 0),
    # The accumulator is needed late, and a multiply forwards it one cycle earlier. So each MLA of
    # the chain takes 4 - 1 - 1 = 2 cycles.
    ("mla_accumulator",         "mla r1, r4, r5, r1",                                   2, 0, 0),
    ("mla_after_load",          "ldr r1, [r2]; mla r3, r4, r5, r1",                     3, 1, 0),
    ("umull_low",               "umull r1, r3, r4, r5; add r6, r1, r5; nop; nop",       6, 1, 0),
    ("umull_high",              "umull r1, r3, r4, r5; add r6, r3, r5; nop; nop",       6, 2, 0),
    ("failed_condition",        "addne r1, r1, r5",                                     1, 0, 0),
    # Word 0 is available after 3 cycles, word 2 after 4 (the worked example, which takes 5), and
    # word 6 after 6.
    ("ldm_first",               "ldmia r0, {r1-r7}; add r8, r1, r9; nops 4",            6, 2, 0),
    ("ldm_third",               "ldmia r0, {r1-r7}; add r8, r3, r9; nops 4",            6, 3, 0),
    ("ldm_seventh",             "ldmia r0, {r1-r7}; add r8, r7, r9; nops 4",            6, 5, 0),
    ("ldm_unused",              "ldmia r0, {r1-r7}; add r8, r9, r9; nops 6",            8, 0, 0),
    # A store multiple locks the register of word i for 1 + (i + 1)/2 cycles. In the worked example,
    # r6 is word 5 and is locked for 4 cycles.
    ("stm_lock_sixth",          "stmia r0, {r1-r7}; add r6, r8, r9; nops 4",            6, 3, 0),
    ("stm_lock_first",          "stmia r0, {r1-r7}; add r1, r8, r9; nops 4",            6, 0, 0),
    ("stm_unrelated",           "stmia r0, {r1-r7}; add r8, r9, r9; nops 4",            6, 0, 0),
]

PIPELINE_SETUP = ("mov r0, r10; mov r2, r10; mov r1, r10; add r3, r10, #0x20; mov r4, #0; "
                  "mov r5, #1; mov r9, #0; str r10, [r10]; ldr r6, [r10]; cmp r10, r10")


@cases("name, body, issue, wait, first", PIPELINE)
def test_cycles(name, body, issue, wait, first):
    c = count("repeat", SETUP=PIPELINE_SETUP, BODY=body, REPS=32, WARM=1)
    # The NOP at k_begin takes one cycle.
    want(c, cpu_cycles=1 + 32 * (issue + wait) - first, ddep_stall=32 * wait - first,
         icache_miss=0, ibuf_stall=0, dcache_miss=0, lsu_full_stall=0)


def test_cycles_across_a_branch():
    # The load is at the end of a pass, and the ADD that needs it begins the next pass. The BNE
    # between them is folded. A pass takes 6 cycles: ADD, NOP, SUBS, LDR and two waits. The first
    # pass does not wait. The exit takes 7 - 1 cycles, because the flags were set two cycles before.
    # The NOP at k_begin, MOV and the NOP at the end take one cycle each.
    c = count("loop", SETUP="mov r2, r10; mov r1, #0; mov r5, #1", BODY="add r3, r1, r5; nop",
              TAIL="ldr r1, [r2]", COUNT=50, WARM=1)
    want(c, cpu_cycles=2 + 50 * 4 + 49 * 2 + 6 + 1, ddep_stall=49 * 2, br_mispredict=1)


# ---- cycles: branches (DDI 0301H Table 16-11) ----------------------------------------------------

def test_cycles_folded_loop():
    # NOP, MOV, 100 * (NOP, SUBS), exit 7, NOP. A BNE that is taken and folded takes no cycle.
    want(count("loop", BODY="nop", COUNT=100, WARM=1), cpu_cycles=2 + 200 + 7 + 1, ibuf_stall=1)


def test_cycles_folding_off():
    # Each of the 99 correctly predicted branches takes one cycle.
    want(count("loop", "bp.folding=0", BODY="nop", COUNT=100, WARM=1),
         cpu_cycles=2 + 200 + 99 + 7 + 1)


def test_cycles_folding_of_patterns():
    # Folding saves one cycle for each branch that an entry predicts correctly. ALWAYS: 31
    # executions of the forward branch (the first has no entry) and 30 of the loop's branch (the
    # first has no entry, and the exit is wrong). ONCE: the second execution of the forward branch
    # is wrong, and the other 30 are right. NEVER: the forward branch has no entry, so only the 30
    # of the loop's branch are folded.
    for bits, folded in ((ALWAYS, 31 + 30), (ONCE, 30 + 30), (NEVER, 30)):
        off, on = pattern(bits, "bp.folding=0"), pattern(bits)
        equal(off["cpu_cycles"] - on["cpu_cycles"], folded, f"{bits:#x}")
        equal(off["br_mispredict"], on["br_mispredict"])


def test_cycles_exit_by_flag_distance():
    # A mispredicted branch directly after its flags takes 7 cycles, with one instruction in between
    # 6, and with two or more 5.
    for between, cost in ((0, 7), (1, 6), (2, 5), (3, 5), (6, 5)):
        c = count("loop", BODY="nop", TAIL=f"nops {between}", COUNT=20, WARM=1)
        want(c, cpu_cycles=2 + 20 * (2 + between) + cost + 1, br_mispredict=1, ibuf_stall=1)


def test_cycles_of_mispredicted_branches():
    # With static prediction only, 16 forward branches are predicted as not taken, but are taken. A
    # repetition is CMP, the NOPs in between, the branch, and the NOP after its target. Each branch
    # adds one ibuf_stall, however many cycles it takes.
    for between, cost in ((0, 7), (1, 6), (2, 5), (3, 5)):
        body = f"cmp r10, r10; nops {between}; beq 1f; nop; 1: nop"
        c = count("repeat", "bp.dynamic=0", BODY=body, REPS=16, WARM=1)
        want(c, cpu_cycles=1 + 16 * (2 + between + cost), br_mispredict=16, ibuf_stall=16,
             instr_exec=1 + 16 * (3 + between))


def test_cycles_of_a_taken_branch():
    # B goes over one NOP to another. It takes 0 if it is folded, 1 if an entry predicts it but it
    # is not folded, 4 if it is predicted statically, and 5 if it is not predicted, because no flags
    # were set shortly before.
    for sets, cost, wrong in (((), 0, 0), (("bp.folding=0",), 1, 0), (("bp.dynamic=0",), 4, 0),
                              (("bp.enable=0",), 5, 1)):
        c = count("repeat", *sets, BODY="b 1f; nop; 1: nop", REPS=20, WARM=1)
        want(c, cpu_cycles=1 + 20 * (cost + 1), br_mispredict=20 * wrong, ibuf_stall=20 * wrong,
             instr_exec=41, sw_pc_change=20)


def test_cycles_of_a_branch_not_taken():
    # The static rule predicts the branch as not taken, which is right: 1 cycle. It takes as long
    # with prediction off.
    for sets in ((), ("bp.dynamic=0",), ("bp.enable=0",), ("bp.folding=0",)):
        c = count("repeat", *sets, SETUP="cmp r10, r10", BODY="bne 1f; nop; 1: nop", REPS=20,
                  WARM=1)
        want(c, cpu_cycles=1 + 20 * 3, br_mispredict=0, instr_exec=61)


def test_cycles_of_call_and_return():
    # A BL that an entry predicts takes 1 cycle and is never folded. A BX LR takes 4 cycles if it is
    # predicted correctly, and 5 without a return stack. The NOP takes 1.
    for sets, cost in (((), 4), (("rs.enable=0",), 5)):
        c = count("repeat", *sets, BODY="bl f; nop", AUX="f: bx lr", REPS=16, WARM=1)
        want(c, cpu_cycles=1 + 16 * (1 + cost + 1), br_mispredict=16 * (cost - 4),
             proc_call_exec=16 * (5 - cost))


def test_cycles_of_a_wrong_return():
    # The function returns to the second instruction after the call. BL 1, ADD 1, two NOPs, BX LR 7,
    # NOP 1.
    c = count("repeat", BODY="bl f; nop; nop", AUX="f: add lr, lr, #4; nop; nop; bx lr", REPS=16,
              WARM=1)
    want(c, cpu_cycles=1 + 16 * (1 + 3 + 7 + 1), proc_ret_exec_pred_incorrect=16, br_mispredict=16,
         ibuf_stall=16)


def test_cycles_of_other_returns():
    # MOV pc, lr takes as long as BX lr. LDR and LDM to the PC take 4 cycles if they are predicted,
    # and 9 if the stack is empty. A repetition is BL 1, two NOPs so that no instruction waits for
    # lr or sp, possibly PUSH 1 and two NOPs, the return, and NOP.
    for aux, before, right, empty in (
            ("f: nops 2; mov pc, lr", 2, 4, 5),
            ("f: nops 2; str lr, [sp, #-4]!; nops 2; ldr pc, [sp], #4", 5, 4, 9),
            ("f: nops 2; stmfd sp!, {r4, lr}; nops 2; ldmfd sp!, {r4, pc}", 5, 4, 9)):
        for sets, cost in (((), right), (("rs.enable=0",), empty)):
            c = count("repeat", *sets, BODY="bl f; nop", AUX=aux, REPS=16, WARM=1)
            want(c, cpu_cycles=1 + 16 * (1 + before + cost + 1), br_mispredict=0)


def test_cycles_of_conditional_returns():
    # Conditional returns are never predicted. A pass is BL 1, CMP 1, the NOPs, the return and NOP.
    # BX LR takes 6 cycles, or 5 if its flags were set at least two instructions before. LDM takes 9
    # in both cases. A return whose condition fails takes 1, and the BX LR after it 4.
    for aux, cost, wrong in (
            ("f: cmp r10, r10; nops 1; bxeq lr", 1 + 6, 1),
            ("f: cmp r10, r10; nops 2; bxeq lr", 2 + 5, 1),
            ("f: cmp r10, r10; nops 2; bxne lr; bx lr", 2 + 1 + 4, 0),
            ("f: cmp r10, r10; stmfd sp!, {r4, lr}; nops 2; ldmeqfd sp!, {r4, pc}", 3 + 9, 0)):
        c = count("repeat", BODY="bl f; nop", AUX=aux, REPS=16, WARM=1)
        want(c, cpu_cycles=1 + 16 * (1 + 1 + cost + 1), br_mispredict=16 * wrong,
             proc_ret_exec_pred=16 * (1 - wrong) * ("bxne" in aux))


def test_cycles_of_an_indirect_branch():
    # No flags were set shortly before BX r3, so it takes 5 cycles. It flushes the pipeline once.
    # The code is NOP, BX, NOP.
    want(count("repeat", SETUP="adr r3, 1f", BODY="bx r3; nop; 1: nop", WARM=1),
         cpu_cycles=1 + 5 + 1, br_mispredict=1, ibuf_stall=1)


def test_cycles_of_a_load_to_the_pc():
    # The load does not use the stack pointer, so it is not a return, and takes 8 cycles. The code
    # is NOP, LDR, NOP.
    c = count("repeat", SETUP="adr r3, 1f; str r3, [r10]; ldr r3, [r10]; mov r2, r10",
              BODY="ldr pc, [r2]; nop; 1: nop", WARM=1)
    want(c, cpu_cycles=1 + 8 + 1, proc_ret_exec=0, br_mispredict=0, sw_pc_change=1)


def test_cycles_without_prediction():
    # The loop of test_v10 in test_vectors.py. The branch is taken 99 times and takes 7 cycles,
    # because it is directly after its flags. The exit takes 1.
    want(count("loop", "bp.enable=0", COUNT=100, WARM=1), cpu_cycles=2 + 100 + 99 * 7 + 1 + 1,
         ibuf_stall=99)


# ---- Thumb ---------------------------------------------------------------------------------------
# k_begin and k_end are Thumb functions: bit 0 of their symbols is set. A BL pair is two halfwords,
# which the emulator executes and the decoder reports as one instruction of four bytes
# (include/pmk/isa.h): it counts once.

def test_thumb_straight_line():
    want(count("thumb", BODY="adds r4, r4, #1", REPS=10), instr_exec=10, br_exec=0, sw_pc_change=0)


def test_thumb_loads_and_stores():
    # r1 = DATA. LDR, STRB and LDRH are in one line, and LDMIA of 8 bytes at 0x1c is in two.
    body = ("ldr r2, [r1]; strb r2, [r1, #3]; ldrh r2, [r1, #6]; adds r1, r1, #0x1c; "
            "ldmia r1!, {r2-r3}")
    want(count("thumb", SETUP="mov r1, r10", BODY=body), instr_exec=5, dcache_access=5,
         dcache_miss=2)


def test_thumb_call_and_pop():
    # BL pair, PUSH of 20 bytes below the top of the stack (in one line), POP {..., pc}, NOP. POP to
    # the PC is a return, but event 0x05 does not count it as a branch.
    want(count("thumb", BODY="bl f; nop", AUX="f: push {r4-r7, lr}; pop {r4-r7, pc}"), instr_exec=4,
         br_exec=1, sw_pc_change=2, proc_call_exec=1, proc_ret_exec=1, proc_ret_exec_pred=1,
         proc_ret_exec_pred_incorrect=0, br_mispredict=0, dcache_access=2)


def test_thumb_pop_in_two_lines():
    # 20 bytes below 0x...e4 are 0x...d0 to 0x...e3, which are in two lines for PUSH and for POP.
    want(count("thumb", SETUP="sub sp, sp, #0x1c", BODY="bl f; nop",
               AUX="f: push {r4-r7, lr}; pop {r4-r7, pc}"), dcache_access=4, dcache_miss=4)


def test_thumb_call_and_bx():
    want(count("thumb", BODY="bl f; nop", AUX="f: bx lr"), instr_exec=3, br_exec=2, sw_pc_change=2,
         proc_call_exec=1, proc_ret_exec=1, proc_ret_exec_pred=1, br_mispredict=0)


def test_thumb_pair_first_in_its_block():
    # Two calls in a row: the first call returns to the second, whose pair begins a block of its
    # own.
    want(count("thumb", BODY="bl f; bl f; nop", AUX="f: bx lr"), instr_exec=5, br_exec=4,
         sw_pc_change=4, proc_call_exec=2, proc_ret_exec_pred=2)


def test_thumb_pair_across_a_page():
    # If a BL pair crosses the end of a page, the emulator splits it. It is then two instructions,
    # but still one branch and one call. BL far, the two halves of BL f, BX lr, BX r4, NOP.
    c = count("thumb", BODY="bl far; nop",
              AUX="f: bx lr; .balign 4096; .space 4092; far: mov r4, lr; bl f; bx r4")
    want(c, br_exec=4, sw_pc_change=4, proc_call_exec=2, proc_ret_exec=1, proc_ret_exec_pred=1)


def test_thumb_call_to_arm():
    # BLX pair to ARM state and BX LR back to Thumb.
    want(count("thumb", BODY="blx g; nop", ARM_AUX=".type g, %function; g: nop; bx lr"),
         instr_exec=4, br_exec=2, sw_pc_change=2, proc_call_exec=1, proc_ret_exec=1,
         proc_ret_exec_pred=1, br_mispredict=0)


def test_thumb_conditional_branches():
    # Z is set, so BEQ is taken and skips a NOP. It is a forward branch, so this is mispredicted.
    # BNE is not taken. CMP, BEQ, BNE, NOP.
    want(count("thumb", BODY="cmp r4, r4; beq 1f; nop; 1: bne 2f; nop; 2: "), instr_exec=4,
         br_exec=2, sw_pc_change=1, br_mispredict=1)


def test_thumb_loop():
    # As in test_v11 of test_vectors.py: MOV, 100 * (SUBS, BNE), NOP.
    want(count("thumb", BODY="movs r4, #100; 1: subs r4, r4, #1; bne 1b; nop"), instr_exec=202,
         br_exec=100, sw_pc_change=99, br_mispredict=1)


def test_thumb_pc_writes():
    # BX r4 and BLX r4 are branches, and are never predicted. Event 0x05 does not count MOV pc.
    want(count("thumb", BODY="adr r4, 1f; adds r4, r4, #1; bx r4; nop; .balign 4; 1: nop"),
         br_exec=1, sw_pc_change=1, br_mispredict=1)
    want(count("thumb", BODY="adr r4, 1f; mov pc, r4; nop; .balign 4; 1: nop"), br_exec=0,
         sw_pc_change=1, br_mispredict=0)


# ---- ARM Linux -----------------------------------------------------------------------------------

def test_kernel_helper_page():
    # 0xffff0fe0 is the kernel's "get thread pointer". The emulator runs it as a whole, and pmk
    # counts it as one instruction that returns (our choice). MVN, SUB, BLX, helper, NOP.
    want(count("repeat", BODY="mvn r3, #0xf000; sub r3, r3, #0x1f; blx r3; nop"), instr_exec=5,
         br_exec=1, sw_pc_change=2, proc_call_exec=1, proc_ret_exec=1, proc_ret_exec_pred=1)


def test_kernel_helpers_are_fetched():
    # The same number of instructions precedes the measured code with and without the call. The
    # helper's line is one more miss, however often it is called; the helper at 0xffff0f60 has 14
    # instructions in two lines.
    body = ("mvn r3, #0xf000; sub r3, r3, #%d; mov r1, r10; mov r2, r10; mov r0, r10; %s; "
            "mov r0, r10; %s; nop")
    nowhere = body % (0x1f, "nop", "nop")
    quiet, ways = "fetch.shadow=0", ["icache.size=1024", "icache.ways=1"]
    for helper, lines in ((0x1f, 1), (0x3f, 1), (0x5f, 1), (0x9f, 2)):
        for options in ([], ways):
            without = count("repeat", quiet, *options, BODY=nowhere)
            twice = count("repeat", quiet, *options, BODY=body % (helper, "blx r3", "blx r3"))
            equal(twice["instr_exec"], without["instr_exec"] + 2)
            equal(twice["icache_miss"], without["icache_miss"] + lines, f"{helper:#x} {options}")
    # ARMv7 cores count the fetches of helpers in the same way.
    refills = [counts(stat("--core", "cortex-a7", "--from", "k_begin", "--to", "k_end",
                           "-e", "l1i_cache_refill", build("repeat", {"BODY": b})))
               for b in (nowhere, body % (0x1f, "blx r3", "blx r3"))]
    equal(refills[1]["l1i_cache_refill"], refills[0]["l1i_cache_refill"] + 1)


# ---- what does not depend on anything else -------------------------------------------------------

def test_same_counts_alone_and_together():
    # Together with twenty other events, an event shares the counters with them, in as many passes
    # as necessary. By itself it needs one pass.
    program = build("random", {"COUNT": 2000, "BITS": 10})
    together = count("random", COUNT=2000, BITS=10)
    for event in ("dcache_miss", "cpu_cycles", "instr_exec", "ddep_stall"):
        alone = counts(stat("--from", "k_begin", "--to", "k_end", "-e", event, program))
        equal(alone, {event: together[event]})


def test_same_counts_every_time():
    equal(count("random", COUNT=2000, BITS=10), count("random", COUNT=2000, BITS=10))


def test_timing_parameters_change_cycles_only():
    # Counts do not depend on timing.
    times = ("cpu_cycles", "ibuf_stall", "ddep_stall", "lsu_full_stall")
    slow = count("random", "mem.latency=200", "mem.fill=9", "mem.write=7", "utlb.penalty=30",
                 "tlb.penalty=300", "lsu.slots=1", "wbuf.entries=2", COUNT=2000,
                 BITS=10)
    fast = count("random", COUNT=2000, BITS=10)
    for event in EVENTS:
        if event not in times:
            equal(slow[event], fast[event], event)
    assert slow["cpu_cycles"] > fast["cpu_cycles"]
