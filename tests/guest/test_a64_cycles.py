# SPDX-License-Identifier: MIT
"""Cycles of A64 code, worked out by hand: small programs on the pipeline of the armv8 core (that of
the Cortex-A53). Caches, TLBs and predictor are warm, unless a test is about misses. The rules are
those at the top of src/cpu/a64/pipeline.c and src/cpu/lsu.h. The numbers are those of
data/cores/armv8.ini: memory takes 120 cycles, level 2 13, a misprediction 9, a micro-TLB refill 2
and a walk 20. test_a64_kernels.py tests the counts of other events."""
from a64.measure import *


# ---- the pipeline --------------------------------------------------------------------------------
# Each row repeats its instructions `n` times, with warm caches. The NOP at k_begin is the first of
# the two instructions of cycle 0. "last" is the cycle of the last instruction, so cpu_cycles is one
# more. "empty" is the number of cycles in which no instruction issues, because an operand or a unit
# is missing. Rows with vector loads and stores have a smaller `n`, because the emulator cuts a long
# piece of code with many accesses, and instructions before and after the cut do not issue together.
#
#    name                    n  instructions                                       last       empty
PIPELINE = [
    ("nop",                 32, "nop",                                             16,
     0),
    # Dependent additions issue in cycles 0, 1, 2 and so on. Of the 65 independent instructions, two
    # issue per cycle.
    ("alu_chain",           32, "add x1, x1, #1",                                  31,
     0),
    ("alu_pairs",           32, "add x1, x4, #1; sub x3, x4, #1",                  32,
     0),
    # The second instruction of a pair waits for the first, and issues together with the first
    # instruction of the next pair.
    ("alu_dependent_pairs", 32, "add x1, x4, #1; add x3, x1, #1",                  32,
     0),
    ("move_wide_chain",     32, "movk x1, #7",                                     31,
     0),
    ("flags",               32, "cmp x4, x5; csel x1, x4, x5, eq",                 32,
     0),
    ("carry_chain",         32, "adcs x3, x4, x5",                                 31,
     0),
    # An addition with a shifted operand takes two cycles, one of them empty. A shift by a register
    # takes one.
    ("shift_chain",         32, "add x1, x1, x4, lsl #3",                          31 * 2,
     31),
    ("shift_by_register",   32, "lsl x1, x1, x5",                                  31,
     0),
    ("mul_chain",           32, "mul x1, x1, x5",                                  31 * 4,
     31 * 3),
    # The core has one multiplier, which starts one multiplication in each cycle.
    ("mul_independent",     32, "mul x1, x4, x5",                                  31,
     0),
    # An MADD needs its sum two cycles later than its factors. With factors of 32 bits (SMADDL), the
    # result comes a cycle earlier. The upper half of a product (SMULH) comes two cycles later.
    ("madd_sum",            32, "madd x1, x4, x5, x1",                             31 * 2,
     31),
    ("madd_factor",         32, "madd x1, x1, x5, x4",                             31 * 4,
     31 * 3),
    ("smaddl_sum",          32, "smaddl x1, w4, w5, x1",                           31,
     0),
    ("smulh_chain",         32, "smulh x1, x1, x5",                                31 * 6,
     31 * 5),
    ("div_chain",           32, "udiv x1, x1, x5",                                 31 * 4,
     31 * 3),
    # No operand is missing, but no instruction issues while the divider is busy.
    ("div_independent",     32, "udiv x1, x4, x5",                                 31 * 4,
     31 * 3),
    ("load_chain",          32, "ldr x2, [x2]",                                    31 * 3,
     31 * 2),
    # The next load issues together with the ADD.
    ("load_use",            32, "ldr x1, [x10]; add x3, x1, #0",                   32 * 3,
     32 * 2),
    # NOPs fill the cycles: LDR, NOP; NOP, NOP; NOP; ADD with the next LDR.
    ("load_use_later",      16, "ldr x1, [x10]; nops 4; add x3, x1, #0",           16 * 3,
     0),
    # The core has one load-store unit, which starts one access in each cycle.
    ("loads",               32, "ldr x1, [x10]",                                   31,
     0),
    ("load_and_store",      16, "ldr x1, [x10]; str x4, [x10, #8]",                31,
     0),
    ("load_and_alu",        32, "ldr x1, [x10]; add x3, x4, #1",                   32,
     0),
    # A base that is written back is available at once.
    ("load_post_index",     32, "ldr x1, [x6], #8",                                31,
     0),
    ("store_pre_index",     32, "str x4, [x6, #8]!",                               31,
     0),
    # The unit loads 8 bytes per cycle and stores 16, so it is busy for 8 cycles to load 64 bytes. A
    # load of more than 8 bytes into vector registers issues alone.
    ("load_pair",           16, "ldp x1, x3, [x10]",                               15 * 2,
     15),
    ("load_pair_q",          8, "ldp q0, q1, [x10]",                               1 + 7 * 4,
     7 * 3),
    ("load_64_bytes",        4, "ld1 {v0.16b-v3.16b}, [x10]",                      1 + 3 * 8,
     3 * 7),
    ("store_64_bytes",       4, "st1 {v0.16b-v3.16b}, [x10]",                      3 * 4,
     3 * 3),
    # A vector load takes 3 cycles, and one more for each 8 bytes after the first 8.
    ("load_q_use",           8, "ldr q0, [x10]; add v1.4s, v0.4s, v0.4s",          8 * 5,
     8 * 3),
    ("load_pair_q_use",      8, "ldp q0, q1, [x10]; add v2.4s, v1.4s, v1.4s",      8 * 7,
     8 * 5),
    ("fadd_chain",          32, "fadd d0, d0, d1",                                 31 * 4,
     31 * 3),
    ("fmul_chain",          32, "fmul s0, s0, s1",                                 31 * 4,
     31 * 3),
    ("fadd_independent",    32, "fadd d0, d1, d2",                                 16,
     0),
    ("fcvt_chain",          16, "scvtf d0, x1; fcvtzs x1, d0",                     31 * 4,
     31 * 3),
    ("fmov_chain",          16, "fmov d0, x1; fmov x1, d0",                        16 * 2 + 15 * 3,
     16 + 15 * 2),
    # An FMADD can use the result of the previous one as its sum after four cycles, and as a factor
    # after eight.
    ("fmadd_sum",           32, "fmadd d0, d1, d2, d0",                            31 * 4,
     31 * 3),
    ("fmadd_factor",        32, "fmadd d0, d0, d2, d1",                            31 * 8,
     31 * 7),
    # Dependent instructions wait for the result, and independent ones for the unit.
    ("fdiv_double",         16, "fdiv d0, d0, d1",                                 15 * 33,
     15 * 32),
    ("fdiv_double_busy",    16, "fdiv d0, d1, d2",                                 15 * 30,
     15 * 29),
    ("fdiv_single",         16, "fdiv s0, s0, s1",                                 15 * 18,
     15 * 17),
    ("fdiv_single_busy",    16, "fdiv s0, s1, s2",                                 15 * 15,
     15 * 14),
    ("fsqrt_double",        16, "fsqrt d0, d0",                                    15 * 22,
     15 * 21),
    ("fsqrt_double_busy",   16, "fsqrt d0, d1",                                    15 * 19,
     15 * 18),
    ("fsqrt_single",        16, "fsqrt s0, s0",                                    15 * 12,
     15 * 11),
    ("fsqrt_single_busy",   16, "fsqrt s0, s1",                                    15 * 9,
     15 * 8),
    # An instruction on vectors of 128 bits can only be the first of the instructions that issue in
    # a cycle.
    ("simd_chain",          32, "add v0.4s, v0.4s, v1.4s",                         1 + 31 * 2,
     31),
    ("simd_fp_chain",       32, "fadd v0.4s, v0.4s, v1.4s",                        1 + 31 * 4,
     31 * 3),
    ("simd_half_chain",     32, "add v0.2s, v0.2s, v1.2s",                         31 * 2,
     31),
    ("simd_after_alu",      32, "add x3, x4, #1; add v0.4s, v1.4s, v2.4s",         32,
     0),
    ("aes_chain",           16, "aese v0.16b, v1.16b",                             15 * 2,
     15),
    # AESE and AESMC, the two halves of a round, issue together.
    ("aes_rounds",          16, "aese v0.16b, v1.16b; aesmc v0.16b, v0.16b",       1 + 15 * 2,
     15),
    ("sha256_chain",        16, "sha256h q0, q1, v2.4s",                           15 * 5,
     15 * 4),
    # An FP and an integer instruction issue together.
    ("fp_and_alu",          32, "fadd d0, d1, d2; add x3, x4, #1",                 32,
     0),
]

PIPELINE_SETUP = ("mov x1, #0; str x10, [x10]; mov x2, x10; mov x4, #3; mov x5, #1; mov x6, x10; "
                  "str x7, [x10, #64]; str x7, [x10, #128]; str x7, [x10, #192]; str x7, [x10, "
                  "#256]")


@cases("name, n, body, last, empty", PIPELINE)
def test_cycles(name, n, body, last, empty):
    c = count("repeat", SETUP=PIPELINE_SETUP, BODY=body, REPS=n, WARM=1)
    want(c, cpu_cycles=last + 1, stall_backend=empty, stall_frontend=0, l1i_cache_refill=0,
         l1d_cache_refill=0)


def test_cycles_by_issue_width():
    # 65 instructions do not depend on each other. One, two, three or four per cycle take 65, 33, 22
    # or 17 cycles.
    for width, cycles in ((1, 65), (2, 33), (3, 22), (4, 17)):
        want(count("repeat", f"issue.width={width}", SETUP="mov x4, #1",
                   BODY="add x1, x4, #1; sub x3, x4, #1", REPS=32, WARM=1), cpu_cycles=cycles)


def test_cycles_by_division_latency():
    want(count("repeat", "div.latency=20", SETUP="mov x1, #1; mov x5, #1", BODY="udiv x1, x1, x5",
               REPS=32, WARM=1), cpu_cycles=31 * 20 + 1, stall_backend=31 * 19)


def test_cycles_across_a_branch():
    # In a pass, ADD and MUL issue in cycle 0, SUB in 1 and CBNZ in 2. The product is available 4
    # cycles after MUL, so the ADD of the next pass waits for 1 cycle. In the first pass, NOP and
    # MOVZ issue in cycle 0, MOVK and ADD in 1, MUL and SUB in 2 and CBNZ in 3. The product is
    # available in 6, so the next ADD waits for 2. The other 48 passes wait for 1 each. The exit is
    # mispredicted, which takes 9, and the last NOP takes 1.
    c = count("loop", LOCAL, SETUP="mov x4, #1; mov x5, #1; mov x1, #0",
              BODY="add x3, x1, x5; mul x1, x4, x5", COUNT=50, WARM=1)
    want(c, cpu_cycles=4 + 49 * 3 + 2 + 48 + 9 + 1, stall_backend=50, stall_frontend=9,
         br_mis_pred=1)


def test_cycles_of_divisions_in_a_loop():
    # In a pass, FDIV and SUB issue in cycle 0 and CBNZ in 1. The next FDIV waits 28 more cycles for
    # the unit, which is busy for 30. The first pass takes 4 cycles: NOP, MOVZ; MOVK, FDIV; SUB;
    # CBNZ. The second FDIV then waits for 27. Mispredicting the exit takes 9, and the last NOP 1.
    c = count("loop", LOCAL, BODY="fdiv d0, d1, d2", COUNT=50, WARM=1)
    want(c, cpu_cycles=4 + 27 + 49 * 2 + 48 * 28 + 9 + 1, stall_backend=27 + 48 * 28)


@pytest.mark.parametrize("body, cycles", [("cmp x4, x5; b.ne 1f; 1:", 1),
                                          ("sub x3, x4, x5; cbnz x3, 1f; 1:", 2)])
def test_cycles_of_conditions(body, cycles):
    # A branch issues together with the instruction that sets its flags, but not with the
    # instruction that computes its register. No branch is taken.
    less, more = (count("repeat", SETUP="mov x4, #1; mov x5, #1", BODY=body, REPS=n, WARM=1,
                        events=["cpu_cycles"])["cpu_cycles"] for n in (8, 24))
    assert more - less == 16 * cycles


def test_cycles_of_call_and_return():
    # NOP and BL issue in one cycle, and RET in the next. This is repeated 32 times. The last NOP
    # takes 1.
    want(count("repeat", BODY="bl f; nop", AUX="f: ret", REPS=32, WARM=1), br_mis_pred=0,
         cpu_cycles=2 + 31 * 2 + 1)


def test_cycles_of_mispredictions():
    # 16 branches use new predictor counters, which are wrong. In the 9 (or 19) cycles after each of
    # them no instruction issues. The code is in 3 lines, which miss.
    body = "b.eq 1f; nop; 1: nop"
    near = count("repeat", SETUP="cmp x10, x10", BODY=body, REPS=16)
    far = count("repeat", "branch.max=19", SETUP="cmp x10, x10", BODY=body, REPS=16)
    want(near, br_mis_pred=16, stall_frontend=16 * 9 + 3 * 120, stall_backend=0,
         cpu_cycles=16 * 9 + 3 * 120 + 17)
    want(far, stall_frontend=16 * 19 + 3 * 120, cpu_cycles=16 * 19 + 3 * 120 + 17)
    # A wrong return costs as much as a wrong indirect branch.
    wrong = dict(BODY="bl f; nop; nop", AUX="f: add x30, x30, #4; ret", REPS=16, WARM=1)
    want(count("repeat", **wrong), stall_frontend=16 * 9)
    want(count("repeat", "branch.max=12", **wrong), stall_frontend=16 * 12)


# ---- translations --------------------------------------------------------------------------------

def test_tlb_refill_costs_cycles():
    # Eleven pages are in the main TLB, and the micro-TLB has 10 entries. So each of 44 dependent
    # loads waits for a micro-TLB refill of 2 or 20 cycles. During the refill, the next load waits
    # for its operand.
    near = count("chase", NODES=11, STRIDE=4160, LOADS=44, WARM=1)
    far = count("chase", "utlb.penalty=20", NODES=11, STRIDE=4160, LOADS=44, WARM=1)
    want(near, l1d_tlb_refill=44, l2d_tlb_refill=0, l1d_cache_refill=0,
         cpu_cycles=44 * (3 + 2) + 1, stall_backend=44 * 4)
    want(far, cpu_cycles=44 * (3 + 20) + 1, stall_backend=44 * 22)


def test_tlb_walk_costs_cycles():
    # The main TLB has two sets of one way, for 6 and 5 pages. So every load walks, which takes 20
    # cycles or 100.
    tiny = ("tlb.entries=2", "tlb.ways=1")
    for sets, walk in (((), 20), (("tlb.penalty=100",), 100)):
        want(count("chase", *tiny, *sets, NODES=11, STRIDE=4160, LOADS=44, WARM=1),
             l1d_tlb_refill=44, dtlb_walk=44, cpu_cycles=44 * (3 + walk) + 1)


# ---- misses --------------------------------------------------------------------------------------

def test_miss_from_level_2():
    # Level 1 has 16 lines, and the loads go around 32 lines. So every load misses level 1 and hits
    # in level 2. Its value comes 13 cycles later than that of a hit, which makes 16 cycles per
    # load. The ADD waits for the last load.
    small = ("dcache.size=1K", "dcache.ways=1")
    for sets, late in (((), 13), (("l2.latency=33",), 33)):
        want(count("chase", *small, *sets, NODES=32, STRIDE=64, LOADS=48, WARM=1),
             l1d_cache_refill=48, l2d_cache_refill=0, cpu_cycles=48 * (3 + late) + 1,
             stall_backend=48 * (2 + late))


def test_miss_from_memory():
    small = ("dcache.size=1K", "dcache.ways=1", "l2.enable=0")
    for sets, late in (((), 120), (("mem.latency=200",), 200)):
        want(count("chase", *small, *sets, NODES=32, STRIDE=64, LOADS=48, WARM=1),
             l1d_cache_refill=48, cpu_cycles=48 * (3 + late) + 1, stall_backend=48 * (2 + late))


# x2 is the address of one line in the warm-up run (x28 = 1), and of another line of the same page
# in the counted run (x28 = 0).
ELSEWHERE = "mov x5, #1; mov x4, #0; add x2, x10, x28, lsl #10"


def test_miss_felt_at_the_first_use():
    # NOP and LDR issue in cycle 0. The value of a hit would be available in cycle 3. This value
    # comes 120 cycles later, and the ADD issues then.
    c = count("repeat", SETUP=ELSEWHERE, BODY="ldr x1, [x2]; add x3, x1, x5", WARM=1)
    want(c, l1d_cache_refill=1, l2d_cache_refill=1, stall_backend=2 + 120, cpu_cycles=3 + 120 + 1)


# A shorter latency of memory, which fewer instructions can hide.
NEAR = "mem.latency=40"


def test_miss_partly_hidden():
    # The 20 NOPs take 10 of the cycles for which the ADD would wait.
    c = count("repeat", NEAR, SETUP=ELSEWHERE, BODY="ldr x1, [x2]; nops 20; add x3, x1, x5", WARM=1)
    want(c, l1d_cache_refill=1, stall_backend=2 + 40 - 10, cpu_cycles=3 + 40 + 1)


def test_miss_hidden_by_work():
    # 100 NOPs hide the wait: NOP, LDR, 50 cycles, ADD.
    c = count("repeat", NEAR, SETUP=ELSEWHERE, BODY="ldr x1, [x2]; nops 100; add x3, x1, x5",
              WARM=1)
    want(c, l1d_cache_refill=1, stall_backend=0, cpu_cycles=52)


def test_miss_whose_base_is_written_back():
    # A post-indexed load writes its base back at once, even if the load misses. Only the last ADD
    # needs the loaded value, and the NOPs hide its wait. NOP, LDR; ADD, LDR; 50 cycles; ADD.
    c = count("repeat", NEAR, SETUP=ELSEWHERE, WARM=1,
              BODY="ldr x1, [x2], #8; add x3, x2, x5; ldr x4, [x2], #8; nops 100; add x3, x1, x5")
    want(c, l1d_cache_refill=1, stall_backend=0, cpu_cycles=53)


def test_miss_at_the_end_of_a_block():
    # The block after the branch needs the value, which comes 40 cycles later than that of a hit. A
    # hit already makes that block wait for a cycle, which is not counted twice. NOP, LDR; B; one
    # cycle of waiting; ADD, NOP.
    body = "ldr x1, [x2]; b 1f; nop; 1: add x3, x1, x5; nop"
    hit = count("repeat", NEAR, SETUP="mov x5, #1; mov x2, x10", BODY=body, WARM=1)
    want(hit, cpu_cycles=4, stall_backend=1)
    miss = count("repeat", NEAR, SETUP=ELSEWHERE, BODY=body, WARM=1)
    want(miss, l1d_cache_refill=1, cpu_cycles=4 + 40, stall_backend=1 + 40)


def test_misses_under_way():
    # With lsu.slots=3, three loads may be outstanding, and a fourth load waits until the first is
    # complete. NOP, LDR; LDR; LDR, NOP; the other 119 NOPs take 60 cycles.
    three = "ldr x1, [x2]; ldr x3, [x2, #64]; ldr x6, [x2, #128]; nops 120"
    four = "ldr x1, [x2]; ldr x3, [x2, #64]; ldr x6, [x2, #128]; ldr x7, [x2, #192]; nops 120"
    want(count("repeat", NEAR, SETUP=ELSEWHERE, BODY=three, WARM=1), l1d_cache_refill=3,
         stall_backend=0, cpu_cycles=63)
    full = count("repeat", NEAR, SETUP=ELSEWHERE, BODY=four, WARM=1)
    want(full, l1d_cache_refill=4, cpu_cycles=64 + full["stall_backend"])
    # The fourth load comes three cycles after the first, whose line takes 40 cycles to arrive and 4
    # to fill.
    assert 37 <= full["stall_backend"] <= 45, full
    want(count("repeat", NEAR, "lsu.slots=4", SETUP=ELSEWHERE, BODY=four, WARM=1),
         l1d_cache_refill=4, stall_backend=0, cpu_cycles=64)


# x3 is the address of the line after that of x2. The line of x2 is present.
AHEAD = ELSEWHERE + "; add x3, x2, #64; ldr x1, [x2]"


def saved(body, *sets, core="armv8", setup=AHEAD):
    """Returns the cycles that the PRFM in the body saves. It must change no other count."""
    less, more = (count("repeat", *sets, core=core, SETUP=setup, WARM=1, BODY=b,
                        events=["cpu_cycles", "l1d_cache_refill", "l2d_cache_refill", "l1d_cache"])
                  for b in (body.replace("PRFM", "prfm"), re.sub("PRFM [^;]*", "nop", body)))
    cycles = [c.pop("cpu_cycles") for c in (more, less)]
    equal(less, more)
    return cycles[0] - cycles[1]


# pmk knows the address of a PRFM from an access by the same base register before or after it. The
# line arrives before the load, so all 40 cycles are saved.
@cases("accesses", [
    "ldr x1, [x2]; PRFM pldl1keep, [x2, #64]",
    "PRFM pldl1strm, [x2, #64]; str x4, [x2, #8]",
    "ldr x1, [x2], #8; PRFM pstl1keep, [x2, #56]",
    "ldp x1, x6, [x2, #16]!; nop; nop; PRFM pldl2keep, [x2, #48]",
    "PRFM pldl1keep, [x2, #64]; ldp q0, q1, [x2], #32",
    "ldur w1, [x2, #3]; prfm pldl1keep, [x2]; PRFM pldl1keep, [x2, #120]",
])
def test_prfm(accesses):
    equal(saved(f"{accesses}; nops 120; ldr x8, [x3]; add x9, x8, x5", NEAR), 40)


def test_prfm_too_late():
    # The model makes the request of the PRFM together with the first load: NOP, LDR; PRFM, NOP; 9
    # cycles; LDR. So 11 of the 40 cycles have passed when the second load issues. A store does not
    # wait for its line, and a PRFM of an unknown address does nothing.
    late = "ldr x1, [x2]; PRFM pldl1keep, [x2, #64]; nops 19; "
    equal(saved(late + "ldr x8, [x3]; add x9, x8, x5", NEAR), 11)
    equal(saved(late + "str x8, [x3]; nops 120", NEAR), 0)
    equal(saved(late.replace("#64", "x4") + "ldr x8, [x3]; add x9, x8, x5", NEAR), 0)


def test_prfm_of_another_page():
    # PRFM walks the tables, too, so the load waits neither for its page nor for its line.
    body = "ldr x1, [x2]; PRFM pldl1keep, [x2, #12288]; nops 160; ldr x8, [x3]; add x9, x8, x5"
    setup = AHEAD.replace("lsl #10", "lsl #15").replace("x2, #64", "x2, #12288")
    equal(saved(body, NEAR, "utlb.penalty=7", "tlb.penalty=31", setup=setup), 40 + 31)


def test_prfm_out_of_order():
    # Three instructions enter in each cycle, so the load enters 30 cycles after the PRFM, if the
    # earlier misses have ended. The NOPs at the end fill the window, so the core waits until the
    # result has come.
    body = "ldr x1, [x2]; PRFM pldl1keep, [x2, #64]; nops 88; ldr x8, [x3]; add x9, x8, x5; " \
        "b 1f; 1: nops 150"
    for latency in (200, 20):
        equal(saved(body, f"mem.latency={latency}", core="cortex-a72",
                    setup=AHEAD + "; nops 400"), min(latency, 30))


def test_prfm_of_an_unknown_address():
    # A note gives the number of prefetches that had no effect.
    program = build("repeat", {"SETUP": AHEAD, "BODY": "prfm pldl1keep, [x2, x4]; ldr x1, [x10]"})
    notes = stat("--core", "armv8", "-e", "cpu_cycles", program)["note"]
    assert "1 prefetch instruction " in notes, notes


# As ELSEWHERE, but the addresses of the two runs are 2 KB apart.
STREAM = "mov x5, #1; mov x1, #0; add x2, x10, x28, lsl #11"


def test_misses_overlap_in_a_pass():
    # A pass takes 8 cycles, and the first pass 9: LDR; LDR; LDR; LDR, ADD x2; ADD x8; empty; ADD
    # x9, SUB; CBNZ. ADD x9 could start at cycle 6. With four slots and one line per cycle
    # (mem.fill=1), the values arrive at 123 to 126, and ADD x9 starts at 126, 120 cycles late. With
    # three slots, the last load starts at 123, and its value arrives at 246. With two slots, the
    # third load starts at 123 and the last at 124. With one slot, the values arrive at 123, 246,
    # 369 and 492. Mispredicting the exit adds 9 cycles, and the NOP 1.
    body = ("ldr x1, [x2]; ldr x3, [x2, #64]; ldr x6, [x2, #128]; ldr x7, [x2, #192]; add x2, x2, "
            "#256; add x8, x1, x3; add x9, x6, x7")
    for slots, late in ((1, 486), (2, 241), (3, 240), (4, 120), (8, 120)):
        c = count("loop", LOCAL, "mem.fill=1", f"lsu.slots={slots}", SETUP=STREAM, BODY=body,
                  COUNT=8, WARM=1)
        want(c, l1d_cache_refill=32, cpu_cycles=8 * (8 + late) + 1 + 9 + 1)


def test_misses_overlap_across_passes():
    # No instruction reads x1, so only the slots limit the loop, however wide the core is. A slot is
    # in use for 126 cycles: 120 for memory, 3 as for a hit, and 3 for the rest of the line. With
    # three slots, load 0 issues in cycle 1, load 3 k + 1 in cycle 5 + 126 k, and the CBNZ after
    # load 31. Mispredicting the exit takes 9, and the NOP 1. With single issue, load 0 issues in
    # cycle 3, and load 3 k + 1 in cycle 7 + 126 k.
    stream = dict(SETUP=STREAM, BODY="ldr x1, [x2], #64", COUNT=32, WARM=1)
    for sets, last in (((), 5 + 1260), (("lsu.slots=1",), 1 + 31 * 126),
                       (("issue.width=1",), 7 + 1260 + 1)):
        c = count("loop", LOCAL, *sets, **stream)
        want(c, l1d_cache_refill=32, cpu_cycles=last + 2 + 9 + 1)


def test_miss_needed_in_the_next_pass():
    # The ADD of a pass waits for the load of the pass before, and the next load issues together
    # with this ADD, so each pass takes 123 cycles. The first load issues in cycle 2. A pass is ADD,
    # LDR; SUB; CBNZ. Mispredicting the exit takes 9, and the NOP 1.
    c = count("loop", LOCAL, SETUP=STREAM, BODY="add x3, x1, x5; ldr x1, [x2], #64", COUNT=32,
              WARM=1)
    want(c, l1d_cache_refill=32, cpu_cycles=2 + 31 * 123 + 3 + 9 + 1)
    # The value is overwritten before an instruction reads it, so no instruction waits for it. Only
    # the number of slots could limit the loop, and 16 are enough.
    c = count("loop", LOCAL, "lsu.slots=16", "mem.latency=20", SETUP=STREAM, COUNT=32, WARM=1,
              BODY="mov x1, #0; add x3, x1, x5; nop; nop; ldr x1, [x2], #64")
    want(c, l1d_cache_refill=32, stall_backend=0)


def test_level_2_does_not_wait_for_memory():
    # Lines of the warm-up run are evicted from level 1 and stay in level 2. The first load gets its
    # line from memory, and the second gets its line from level 2, 16 cycles after it issues. NOP,
    # LDR; LDR; 15 cycles; ADD.
    small = ("dcache.size=1K", "dcache.ways=1")
    setup = ("mov x5, #1; add x2, x10, x28, lsl #10; add x6, x10, #2048; ldr x3, [x6]; "
             "ldr x3, [x10, #3072]; nops 300")
    c = count("repeat", *small, SETUP=setup, BODY="ldr x1, [x2]; ldr x3, [x6]; add x4, x3, x5",
              WARM=1)
    want(c, l1d_cache_refill=2, l2d_cache_refill=1, cpu_cycles=1 + 16 + 1)


def test_divider_is_busy_across_passes():
    # The divider is busy for the whole latency, so a division starts once per latency. The first
    # division starts in cycle 1. SUB issues together with the last division, and CBNZ after it.
    # Mispredicting the exit takes 9, and the NOP 1.
    for late in (2, 4, 8, 12, 40, 64):
        c = count("loop", LOCAL, f"div.latency={late}", SETUP="mov x4, #1; mov x5, #1",
                  BODY="udiv x1, x4, x5", COUNT=50, WARM=1)
        want(c, cpu_cycles=max(1 + 49 * late, 4 + 48 * 2) + 2 + 9 + 1)
    # A block without a division, between two blocks that have one, does not change this.
    for late in (12, 40):
        c = count("loop", LOCAL, f"div.latency={late}", SETUP="mov x4, #1; mov x5, #1",
                  BODY="udiv x1, x4, x5; b 7f; nop; 7:", COUNT=50, WARM=1)
        want(c, cpu_cycles=1 + 49 * late + 3 + 9 + 1)


def test_sums_across_passes():
    # A multiply-accumulate can use the result of the previous one as its sum after 4 cycles (2 for
    # integers), and as a factor after 8 (4). Without waits, a pass takes 2 cycles and the first
    # pass 4; there the multiply-accumulate issues in cycle 1. Mispredicting the exit takes 9, and
    # the NOP 1.
    for body, late in (("fmadd d0, d1, d2, d0", 4), ("fmadd d0, d0, d2, d1", 8),
                       ("madd x1, x4, x5, x1", 2), ("madd x1, x1, x5, x4", 4)):
        c = count("loop", LOCAL, SETUP="mov x4, #3; mov x5, #1", BODY=body, COUNT=50, WARM=1)
        want(c, cpu_cycles=max(1 + 49 * late, 4 + 48 * 2) + 2 + 9 + 1)


def test_no_prediction():
    # Each taken branch costs 9 cycles, and the exit costs none. A pass takes 2 cycles, and the
    # first pass 4. The last NOP takes 1.
    c = count("loop", "bp.enable=off", BODY="nop", COUNT=50, WARM=1)
    want(c, br_mis_pred=49, stall_frontend=49 * 9, cpu_cycles=4 + 49 * 2 + 49 * 9 + 1)


def test_store_buffer_fills_up():
    # 64 stores to absent lines could issue one per cycle. The bus takes 4 cycles for each, and the
    # buffer holds 8 (mem.write and wbuf.entries, our choice). The bus has written store n in cycle
    # 4 n, and store n can issue when store n - 8 has been written. So store 64 issues in cycle 224.
    # The stores take 225 cycles instead of 64, and 161 of them are waits.
    stores = dict(SETUP="nops 300; add x2, x10, x28, lsl #12", BODY="str x1, [x2], #64", REPS=64,
                  WARM=1)
    want(count("repeat", **stores), l1d_cache_refill_wr=64, stall_backend=161, cpu_cycles=225)
    want(count("repeat", "wbuf.entries=64", **stores), stall_backend=0, cpu_cycles=64)
