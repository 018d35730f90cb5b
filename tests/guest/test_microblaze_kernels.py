# SPDX-License-Identifier: MIT
"""Known-answer kernels for MicroBlaze: small programs whose counts were worked out by hand from
UG984 (its table of events in "Performance Monitoring", its latencies and its geometry) and from the
parameters of the core. The derivations are in the comments. A few long sequences are checked
against a dozen lines of Python that implement one rule a second time.

Unless a test sets other sizes, they are those of data/cores/microblaze.ini: a pipeline of five
stages; direct mapped write-through caches of 8 KB with lines of 4 words; an ITLB of 2 pages, a DTLB
of 4 and a UTLB of 64; a branch target cache of 512 entries. The first word of a line comes from
memory in 20 cycles, and the rest of the line keeps the bus busy for 3 more. A write keeps the bus
busy for 4. A look-up in the UTLB takes 2."""
import math
import os

from harness import *
import microblaze_tools as mb
from microblaze.measure import *

pytestmark = pytest.mark.once

EXACT = """load_word load_half load_byte store_word store_half store_byte branch_uncond branch_cond_taken
    branch_cond_not_taken load_r1 store_r1 logical_op arith_op mul_op barrel_shift_op shift_op div_op fp_op imm_op
    pattern_compare_op sign_extend_op icache_invalidate_op dcache_invalidate_flush_op msr_op branch_uncond_delay
    branch_cond_taken_delay branch_cond_not_taken_delay delay_slot_nop load_any store_any branch_cond
    branch_any""".split()


def instructions(body):
    return len([i for i in body.replace("; ", ";").split(";") if i.strip() and not i.endswith(":")])


def exactly(c, insns, **events):
    """Checks the counts of these events of the instruction stream, and that all other events in
    EXACT are 0."""
    want(c, insn_executed=insns, **{e: events.get(e, 0) for e in EXACT})
    assert set(events) <= set(EXACT), events


# ---- kinds of instructions -----------------------------------------------------------------------
# Table 1 of "Performance Monitoring". Section 4 of docs/microblaze.md says which forms belong to a
# family.

KINDS = [
    ("add_and_subtract",
     "add r3, r4, r5; rsub r3, r4, r5; addc r3, r4, r5; rsubkc r3, r4, r5; addik r3, r4, 1; "
                         "rsubi r3, r4, 1; cmp r3, r4, r5; cmpu r3, r4, r5", dict(arith_op=8)),
    # Multiplications and divisions count as arithmetic, too.
    ("multiply",
     "mul r3, r4, r5; mulh r3, r4, r5; mulhu r3, r4, r5; mulhsu r3, r4, r5; muli r3, r4, 5",
                         dict(arith_op=5, mul_op=5)),
    ("divide",           "idiv r3, r6, r6; idivu r3, r6, r6", dict(arith_op=2, div_op=2)),
    ("logic",
     "and r3, r4, r5; andn r3, r4, r5; or r3, r4, r5; xor r3, r4, r5; andi r3, r4, 5; "
                         "andni r3, r4, 5; ori r3, r4, 5; xori r3, r4, 5", dict(logical_op=8)),
    # A NOP is encoded as an or, and counts as a logical operation. In a delay slot, delay_slot_nop
    # would count it, too.
    ("nop",              "nop", dict(logical_op=1)),
    ("barrel_shift",
     "bsrl r3, r4, r5; bsra r3, r4, r5; bsll r3, r4, r5; bsrli r3, r4, 5; bsrai r3, r4, 5; "
                         "bslli r3, r4, 5", dict(barrel_shift_op=6)),
    ("shift_by_one",     "sra r3, r4; src r3, r4; srl r3, r4", dict(shift_op=3)),
    ("pattern_compare",  "pcmpbf r3, r4, r5; pcmpeq r3, r4, r5; pcmpne r3, r4, r5",
     dict(pattern_compare_op=3)),
    ("sign_extend",      "sext8 r3, r4; sext16 r3, r4", dict(sign_extend_op=2)),
    ("floating_point",
     "fadd r3, r7, r7; frsub r3, r7, r7; fmul r3, r7, r7; fdiv r3, r7, r7; fcmp.lt r3, r7, r7; "
                         "fcmp.un r3, r7, r7; flt r3, r4; fint r3, r7; fsqrt r3, r7",
     dict(fp_op=9)),
    ("machine_status",   "msrset r3, 4; msrclr r3, 4", dict(msr_op=2)),
    # Moves from special registers (mfs) and the other instructions of this row raise no event.
    ("no_event",
     "mfs r3, rpc; mfs r3, rmsr; clz r3, r4; swapb r3, r4; swaph r3, r4; mbar 1", {}),
    ("prefix",           "addik r3, r0, 0x12345678; .long 0xb0000000; ori r3, r0, 0",
                         dict(imm_op=2, arith_op=1, logical_op=1)),
    ("loads",
     "lbu r3, r10, r4; lbui r3, r10, 1; lhu r3, r10, r4; lhui r3, r10, 2; lhui r3, r10, 4; "
                         "lw r3, r10, r4; lwi r3, r10, 4; lwi r3, r10, 8; lwi r3, r10, 12",
                         dict(load_byte=2, load_half=3, load_word=4, load_any=9)),
    ("stores",
     "sb r3, r10, r4; sbi r3, r10, 1; sh r3, r10, r4; shi r3, r10, 2; shi r3, r10, 4; "
                         "sw r3, r10, r4; swi r3, r10, 4; swi r3, r10, 8; swi r3, r10, 12",
                         dict(store_byte=2, store_half=3, store_word=4, store_any=9)),
    ("byte_reversed",
     "lbur r3, r10, r4; lhur r3, r10, r4; lwr r3, r10, r4; sbr r3, r10, r4; shr r3, r10, r4; "
                         "swr r3, r10, r4", dict(load_byte=1, load_half=1, load_word=1, load_any=3,
                                                 store_byte=1, store_half=1, store_word=1,
                                                 store_any=3)),
    # The second store finds no reservation, but it counts, too.
    ("exclusive",        "lwx r3, r10, r4; swx r3, r10, r4; swx r3, r10, r4",
                         dict(load_word=1, load_any=1, store_word=2, store_any=2)),
    # load_r1 and store_r1 count accesses with r1 in the address, as base or index. They do not
    # count r1 as the loaded or stored value.
    ("stack_loads",
     "lwi r3, r1, 4; lbu r3, r1, r4; lhu r3, r4, r1; lwi r1, r10, 16; lw r3, r10, r4",
                         dict(load_word=3, load_byte=1, load_half=1, load_any=5, load_r1=3)),
    ("stack_stores",
     "swi r3, r1, 4; sb r3, r1, r4; sh r3, r4, r1; swi r1, r10, 16; sw r3, r10, r4",
                         dict(store_word=3, store_byte=1, store_half=1, store_any=5, store_r1=3)),
]

# r4 and r5 are small, r6 is not 0, r7 is 1.0f. r1 is DATA; loads into r1 load the same value.
OPERANDS = ("addik r4, r0, 8; addik r5, r0, 3; addik r6, r0, 9; addik r7, r0, 0x3f800000; or r1, "
            "r10, r0; swi r1, r10, 16")


@cases("name, body, events", KINDS)
def test_kind(name, body, events):
    insns = instructions(body.replace("0x12345678", "0; nop"))  # its imm counts, too
    for order in mb.ORDERS:
        exactly(count("repeat", order=order, SETUP=OPERANDS, BODY=body), insns, **events)


def test_a_store_exclusive_that_fails_stores_nothing():
    # The load fetches the line. The first store finds its reservation and hits. The second store
    # finds none: it is executed, but does not access memory.
    for sets in ((), ("dcache.write_through=0",)):
        want(count("repeat", *sets, SETUP=OPERANDS,
                   BODY="lwx r3, r10, r4; swx r3, r10, r4; swx r3, r10, r4"),
             store_word=2, store_any=2, dcache_read_request=1, dcache_read_hit=0,
             dcache_write_request=1, dcache_write_hit=1, dcache_request=2, dcache_hit=1,
             mmu_data_request=2)


# ---- branches and delay slots --------------------------------------------------------------------
# r7 holds 12, r8 8, r9 and r11 the addresses of `1:` and of f; r4 > 0, r12 < 0.
#
# name, instructions, how many are executed, events
BRANCHES = [
    ("br",               "br r8; nop; nop",                 2,
     dict(branch_uncond=1, branch_any=1, logical_op=1)),
    ("bri",              "bri 8; nop; nop",                 2,
     dict(branch_uncond=1, branch_any=1, logical_op=1)),
    ("bra",              "bra r9; nop; 1: nop",             2,
     dict(branch_uncond=1, branch_any=1, logical_op=1)),
    # A branch to the next instruction also counts as a branch.
    ("bri_to_next",      "bri 4; nop",                      2,
     dict(branch_uncond=1, branch_any=1, logical_op=1)),
    # The delay slot holds an instruction that is not a NOP, and it is executed.
    ("brid_slot_used",   "brid 8; addk r3, r4, r5; nop",    3,
     dict(branch_uncond=1, branch_any=1, logical_op=1,
                                                                   branch_uncond_delay=1,
          arith_op=1)),
    ("brd_slot_empty",   "brd r8; nop; nop",                3,
     dict(branch_uncond=1, branch_any=1, logical_op=2,
                                                                   branch_uncond_delay=1,
          delay_slot_nop=1)),
    ("brad_slot_empty",  "brad r9; nop; 1: nop",            3,
     dict(branch_uncond=1, branch_any=1, logical_op=2,
                                                                   branch_uncond_delay=1,
          delay_slot_nop=1)),
    # An or that changes a register is not a NOP.
    ("slot_with_an_or",  "brid 8; or r3, r0, r0; nop",      3,
     dict(branch_uncond=1, branch_any=1, logical_op=2,
                                                                   branch_uncond_delay=1)),
    ("slot_with_a_load", "brid 8; lwi r3, r10, 0; nop",     3,
     dict(branch_uncond=1, branch_any=1, logical_op=1,
                                                                   branch_uncond_delay=1,
          load_word=1, load_any=1)),
    # A call counts as a branch with a delay slot, and its return does not. But the NOP in the delay
    # slot of the return counts as delay_slot_nop.
    ("call_and_return",  "brlid r15, f; addk r3, r4, r5; nop", 5,
     dict(branch_uncond=1, branch_any=1, branch_uncond_delay=1, arith_op=1, logical_op=2,
          delay_slot_nop=1)),
    ("call_by_register", "brald r15, r11; nop; nop",        5,
     dict(branch_uncond=1, branch_any=1, logical_op=3,
                                                                   branch_uncond_delay=1,
          delay_slot_nop=2)),
    # brki makes a system call: getpid, which is number 20.
    ("brki",             "brki r14, 8; nop",                2,
     dict(branch_uncond=1, branch_any=1, logical_op=1)),
    ("beqi_taken",       "beqi r0, 8; nop; nop",            2,
     dict(branch_cond_taken=1, branch_cond=1, branch_any=1,
                                                                   logical_op=1)),
    ("beqi_not_taken",   "beqi r4, 8; nop; nop",            3,
     dict(branch_cond_not_taken=1, branch_cond=1,
                                                                   branch_any=1, logical_op=2)),
    ("bneid_taken",      "bneid r4, 12; addk r3, r4, r5; nop; nop", 3,
     dict(branch_cond_taken=1, branch_cond_taken_delay=1, branch_cond=1, branch_any=1, arith_op=1,
          logical_op=1)),
    ("bneid_not_taken",  "bneid r0, 8; nop; nop",           3,
     dict(branch_cond_not_taken=1, branch_cond_not_taken_delay=1, branch_cond=1, branch_any=1,
          logical_op=2, delay_slot_nop=1)),
    ("six_conditions",
     "beqi r0, 8; nop; bnei r4, 8; nop; blti r12, 8; nop; blei r0, 8; nop; bgti r4, 8; nop; "
                         "bgei r0, 8; nop; nop",            7,
     dict(branch_cond_taken=6, branch_cond=6, branch_any=6,
                                                                   logical_op=1)),
    ("six_to_registers",
     "beq r4, r8; bne r0, r8; blt r4, r8; ble r4, r8; bgt r12, r8; bge r12, r8; nop",
                         7, dict(branch_cond_not_taken=6, branch_cond=6, branch_any=6,
                                 logical_op=1)),
    ("six_with_slots",
     "beqd r0, r7; nop; nop; bned r4, r7; nop; nop; bltd r12, r7; nop; nop; bled r0, r7; nop; "
                         "nop; bgtd r4, r7; nop; nop; bged r0, r7; nop; nop; nop", 13,
     dict(branch_cond_taken=6, branch_cond_taken_delay=6, branch_cond=6, branch_any=6, logical_op=7,
          delay_slot_nop=6)),
    # Branches to the next instruction: if they test r0, pmk knows whether they are taken.
    ("taken_in_vain",    "beqi r0, 4; beqid r0, 8; nop; blei r0, 4; bgei r0, 4; nop", 6,
     dict(branch_cond_taken=4, branch_cond_taken_delay=1, branch_cond=4, branch_any=4,
          logical_op=2, delay_slot_nop=1)),
    ("not_taken_in_vain", "bnei r0, 4; bneid r0, 8; nop; blti r0, 4; bgti r0, 4; nop", 6,
     dict(branch_cond_not_taken=4, branch_cond_not_taken_delay=1, branch_cond=4, branch_any=4,
          logical_op=2, delay_slot_nop=1)),
    # If the branch tests another register, pmk cannot see whether it is taken, and counts it as not
    # taken (test_what_is_not_seen_of_a_branch_is_said).
    ("perhaps_in_vain",  "beqi r4, 4; beqid r4, 8; nop; nop", 4,
     dict(branch_cond_not_taken=2, branch_cond_not_taken_delay=1, branch_cond=2, branch_any=2,
          logical_op=2, delay_slot_nop=1)),
    # Barriers share an opcode with branches.
    ("mbar",             "mbar 1; mbar 2; nop",             3, dict(logical_op=1)),
]

PLACES = ("addik r4, r0, 4; addik r5, r0, 5; addik r7, r0, 12; addik r8, r0, 8; addik r9, r0, 1f; "
          "addik r11, r0, f; addik r12, r0, -12")


@cases("name, body, insns, events", BRANCHES)
def test_branch(name, body, insns, events):
    setup = PLACES.replace("addik r9, r0, 1f; ", "" if "1: " not in body else "addik r9, r0, 1f; ")
    if name == "brki":
        setup = setup.replace("addik r12, r0, -12", "addik r12, r0, 20")
    for order in mb.ORDERS:
        for warm in (0, 1):  # the NOP at k_begin counts if warm
            if warm and "1:" in body:
                continue
            c = count("repeat", order=order, SETUP=setup, BODY=body, AUX="f: rtsd r15, 8; nop",
                      WARM=warm)
            more = dict(events, logical_op=events.get("logical_op", 0) + warm)
            exactly(c, insns + warm, **more)


def test_what_is_not_seen_of_a_branch_is_said():
    # pmk counts the branch as not taken. Only events that depend on this are inexact, and only if
    # the branch is executed.
    unseen = {"branch_cond_taken", "branch_cond_not_taken", "branch_cond_taken_delay",
              "branch_cond_not_taken_delay", "branch_cond"}
    for body, inexact in (("bneid r4, 8; nop", unseen), ("bneid r0, 8; nop", set()),
                          ("bri 12; bneid r4, 8; nop", set())):
        program = bare("repeat", SETUP=PLACES.replace("addik r9, r0, 1f; ", ""), BODY=body,
                       AUX="f: nop")
        doc = stat("--core", "microblaze", "-e", ",".join(EXACT), program)
        equal({c["event"] for c in doc["counters"] if c["trust"] == "inexact"}, inexact, body)
        equal(doc.get("warning"), "for some conditional branches the emulator does not show "
                                  "whether they were taken" if inexact else None, body)


def test_slots_of_a_loop():
    # The loop has ten passes, so its branch is taken nine times. Its branch has no delay slot in
    # the first case. In the others, the slot has a NOP or another instruction.
    exactly(count("loop", COUNT=10), 21, arith_op=10, logical_op=1, branch_cond_taken=9,
            branch_cond_not_taken=1, branch_cond=10, branch_any=10)
    both = dict(branch_cond_taken=9, branch_cond_taken_delay=9, branch_cond_not_taken=1,
                branch_cond_not_taken_delay=1, branch_cond=10, branch_any=10)
    exactly(count("loop", COUNT=10, BRANCH="bneid", SLOT="nop"), 31, arith_op=10, logical_op=11,
            delay_slot_nop=10, **both)
    exactly(count("loop", COUNT=10, BRANCH="bneid", SLOT="addk r3, r3, r4"), 31, arith_op=20,
            logical_op=1, **both)


def test_a_slot_on_the_next_page():
    # The branch is the last word of a page, and its slot is the first word of the next page. QEMU
    # translates them separately, but they count as one branch, which is taken nine times. A NOP in
    # the slot counts as delay_slot_nop.
    for slot, nops, adds in (("nop", 10, 0), ("addk r3, r3, r4", 0, 10)):
        c = count("loop", *LOCAL, COUNT=10,
                  BODY=".balignl 4096, 0x80000000; .rept 1022; nop; .endr", BRANCH="bneid",
                  SLOT=slot)
        want(c, branch_cond_taken_delay=9, branch_cond_not_taken_delay=1, delay_slot_nop=nops,
             arith_op=10 + adds)


# ---- cycles of an instruction --------------------------------------------------------------------
# Latencies for pipelines of five, three and eight stages (C_AREA_OPTIMIZED), from the instruction
# pages of UG984. Five independent instructions in local memory take five times the latency. All
# cycles after the first count as a stall of execution.

LATENCIES = [
    ("alu",         "addk r3, r4, r5",      (1, 1, 1)),
    ("logic",       "or r3, r4, r5",        (1, 1, 1)),
    ("shift",       "sra r3, r4",           (1, 1, 1)),
    ("sext",        "sext8 r3, r4",         (1, 1, 1)),
    ("pcmp",        "pcmpbf r3, r4, r5",    (1, 1, 1)),
    ("imm",         ".long 0xb0000000; addik r3, r4, 5", (2, 2, 2)),
    ("msrset",      "msrset r3, 4",         (1, 1, 1)),
    ("mfs",         "mfs r3, rpc",          (1, 1, 1)),
    ("load",        "lwi r3, r10, 0",       (1, 2, 1)),
    ("store",       "swi r4, r10, 0",       (1, 2, 1)),
    ("mul",         "mul r3, r4, r5",       (1, 3, 1)),
    ("barrel",      "bslli r3, r4, 5",      (1, 2, 1)),
    ("idiv",        "idiv r3, r6, r4",      (34, 35, 30)),
    ("idivu",       "idivu r3, r6, r4",     (34, 35, 30)),
    ("fadd",        "fadd r3, r7, r7",      (4, 6, 1)),
    ("frsub",       "frsub r3, r7, r7",     (4, 6, 1)),
    ("fmul",        "fmul r3, r7, r7",      (4, 6, 1)),
    ("fint",        "fint r3, r7",          (4, 6, 1)),
    ("flt",         "flt r3, r4",           (5, 7, 2)),
    ("fcmp",        "fcmp.lt r3, r7, r7",   (1, 3, 1)),
    ("fdiv",        "fdiv r3, r7, r7",      (28, 30, 24)),
    ("fsqrt",       "fsqrt r3, r7",         (27, 29, 23)),
    ("mbar",        "mbar 2",               (2, 2, 2)),
    ("not_taken",   "bnei r0, 8",           (1, 1, 1)),
]
CORES = ("microblaze", "microblaze-area", "microblaze-freq")


@cases("name, body, cycles", LATENCIES)
def test_cycles(name, body, cycles):
    for core, each in zip(CORES, cycles):
        c = count("repeat", *LOCAL, core=core, SETUP=OPERANDS, BODY=body, REPS=5)
        insns = 5 * instructions(body)
        want(c, clock_cycles=5 * each, insn_executed=insns, stall_ex=5 * each - insns, stall_of=0,
             stall_mem=0, stall_any=5 * each - insns)

# Taken branches. After the first cycle they refill the pipeline, which counts as a stall of operand
# fetch.
TAKEN = [
    ("bri",         "bri 8; nop",                   1, (3, 3, 7)),
    ("br",          "br r8; nop",                   1, (3, 3, 7)),
    ("beqi",        "beqi r0, 8; nop",              1, (3, 3, 7)),
    # These cycles include the one of the delay slot.
    ("brid",        "brid 8; nop",                  2, (3, 3, 7)),
    ("beqid",       "beqid r0, 12; nop; nop",       2, (3, 3, 7)),
    ("brki",        "brki r14, 8",                  1, (3, 3, 7)),
    # A call and a return take 2 or 6 cycles each, and one more for each of their delay slots.
    ("call",        "brlid r15, f; nop",            4, (6, 6, 14)),
]


@cases("name, body, insns, cycles", TAKEN)
def test_cycles_taken(name, body, insns, cycles):
    for core, each in zip(CORES, cycles):
        c = count("repeat", *LOCAL, core=core, SETUP="addik r8, r0, 8; addik r12, r0, 20",
                  BODY=body + "; nop", AUX="f: rtsd r15, 8; nop", REPS=5)
        want(c, insn_executed=5 * insns + 5, clock_cycles=5 * each + 5, stall_of=5 * (each - insns),
             stall_ex=0, stall_mem=0)


def test_cycles_taken_with_virtual_addresses():
    # With eight stages and an MMU, branches take two cycles more (for returns UG984 is silent).
    virtual = ("lmb.size=4096M", "bp.enable=0")
    for body, insns, each in (("bri 8; nop", 1, 9), ("beqid r0, 12; nop; nop", 2, 9),
                              ("brlid r15, f; nop", 4, 16)):
        c = count("repeat", *virtual, core="microblaze-freq", BODY=body + "; nop",
                  AUX="f: rtsd r15, 8; nop", REPS=5)
        want(c, insn_executed=5 * insns + 5, clock_cycles=5 * each + 5)


# ---- waiting for operands ------------------------------------------------------------------------
# UG984, "Pipeline Architecture": with five stages, an instruction waits 1 or 2 cycles for a load, a
# product or a floating-point result, and 1 for a shift or a quotient. Three stages have no such
# hazards. With eight stages, an instruction waits up to 5 cycles.

HAZARDS = [
    ("load",        "lwi r3, r10, 0",   2, 5),
    ("multiply",    "mul r3, r4, r5",   2, 5),
    ("float",       "fadd r3, r7, r7",  2, 5),
    ("shift",       "bslli r3, r4, 5",  1, 1),
    ("divide",      "idiv r3, r6, r4",  1, 1),
    ("alu",         "addk r3, r4, r5",  0, 0),
    ("one_bit",     "sra r3, r4",       0, 0),
]


@cases("name, producer, five, eight", HAZARDS)
def test_wait_for(name, producer, five, eight):
    for core, wait in (("microblaze", five), ("microblaze-area", 0), ("microblaze-freq", eight)):
        for between in range(7):
            body = "; ".join([producer, *["nop"] * between, "addk r4, r3, r3", "nop",
                              "addk r5, r3, r3"])
            c = count("repeat", *LOCAL, core=core, SETUP=OPERANDS, BODY=body)
            want(c, stall_of=max(0, wait - between), insn_executed=4 + between)


def test_wait_as_configured():
    for key, producer in (("load", "lwi r3, r10, 0"), ("mul", "mul r3, r4, r5"),
                          ("fp", "fadd r3, r7, r7"),
                          ("shift", "bslli r3, r4, 5")):
        for wait in (0, 1, 3, 5):
            c = count("repeat", *LOCAL, f"hazard.{key}={wait}", SETUP=OPERANDS,
                      BODY=producer + "; addk r4, r3, r3")
            want(c, stall_of=wait)


def test_wait_for_every_operand():
    # A store's value and address, and a branch's condition and target, wait like any other operand.
    for use in ("swi r3, r10, 0", "sw r4, r10, r3", "lw r4, r10, r3", "bnei r3, 8", "bne r4, r3",
                "mul r4, r5, r3"):
        taken = use == "bne r4, r3"  # the loaded value, 8, is its target
        setup = OPERANDS + "; addik r8, r0, 8; swi r8, r10, 64" if taken else OPERANDS
        c = count("repeat", *LOCAL, SETUP=setup, BODY=f"lwi r3, r10, 64; {use}; nop; nop")
        want(c, stall_of=2 + 2 * taken, branch_cond_taken=int(taken))


def test_wait_across_branches():
    # The slot produces the value, and the branch's target uses it. The refill of one cycle hides
    # one cycle of the wait.
    want(count("repeat", *LOCAL, BODY="brid 12; lwi r3, r10, 0; nop; addk r4, r3, r3"), stall_of=2)
    # Without a slot the refill hides both cycles.
    want(count("repeat", *LOCAL, BODY="lwi r3, r10, 0; bri 8; nop; addk r4, r3, r3"), stall_of=2)
    # A branch that is not taken takes one cycle, so one cycle of waiting remains.
    want(count("repeat", *LOCAL, BODY="lwi r3, r10, 0; bnei r0, 8; addk r4, r3, r3"), stall_of=1)
    # In a loop this happens in each pass.
    want(count("loop", *LOCAL, COUNT=10, BODY="lwi r3, r10, 0; addk r4, r3, r3", BRANCH="bneid",
               SLOT="nop"),
         stall_of=10 * 2 + 9)


# ---- branch target cache -------------------------------------------------------------------------
# Branches with an immediate target, and returns, are predicted. A branch takes 1 cycle if the
# prediction is right, and 3 if it is wrong, or 7 with eight stages (UG984, "Branch Target Cache").
# A branch gets an entry when it is taken, which predicts its last target (our choice).

BTC = ("lmb.size=4096M", "mmu.enable=0")
CALL = dict(AUX="f: rtsd r15, 8; nop")


def loop_cycles(c, insns, stalls, hits):
    want(c, insn_executed=insns, stall_of=stalls, clock_cycles=insns + stalls, btc_hit=hits)


def test_btc_of_a_loop():
    # In the first pass the branch is unknown and taken: 2 cycles more. The prediction is then right
    # eight times, and wrong at the end: 2 cycles more. Nine passes hit.
    loop_cycles(count("loop", *BTC, COUNT=10), 21, 4, 9)
    # With a delay slot the first branch costs only 1 cycle more.
    loop_cycles(count("loop", *BTC, COUNT=10, BRANCH="bneid", SLOT="nop"), 31, 3, 9)
    # With eight stages a wrong prediction costs 6 cycles more, and there are two.
    loop_cycles(count("loop", *BTC, core="microblaze-freq", COUNT=10), 21, 12, 9)
    # With eight stages and virtual addresses it costs 8 cycles more, and there are two.
    loop_cycles(count("loop", "lmb.size=4096M", core="microblaze-freq", COUNT=10), 21, 16, 9)
    # Without a branch target cache each of the nine taken branches costs 2 cycles more.
    loop_cycles(count("loop", *BTC, "bp.enable=0", COUNT=10), 21, 18, 0)


def test_btc_never_holds_a_branch_that_is_never_taken():
    loop_cycles(count("loop", *BTC, COUNT=10, BODY="bnei r0, 8; nop"), 41, 4, 9)


def test_btc_of_a_branch_that_alternates():
    # The branch is taken in every second pass. In the first pass it is unknown and not taken, which
    # costs nothing. In the second pass it is unknown and taken, which costs 2 cycles. In the other
    # 8 passes the prediction is wrong, which costs 2 cycles each.
    loop_cycles(count("loop", *BTC, COUNT=10, BODY="andi r5, r20, 1; bnei r5, 8; nop"),
                10 * 5 - 5 + 1, 4 + 2 + 8 * 2, 9 + 8)


def test_btc_of_calls_and_returns():
    # In the first pass the call and the return cost 1 cycle each, the loop's branch 2. At the end
    # the loop's branch costs 2 once more.
    loop_cycles(count("loop", *BTC, COUNT=10, BODY="brlid r15, f; nop", **CALL), 61, 6, 27)


def test_btc_does_not_hold_branches_to_registers():
    # The call costs 1 cycle each time; the return and the loop's branch are predicted.
    loop_cycles(count("loop", *BTC, COUNT=10, SETUP="addik r11, r0, f", BODY="brald r15, r11; nop",
                      **CALL), 61,
                10 + 1 + 4, 18)
    # A conditional branch that is taken each time costs 2 cycles.
    loop_cycles(count("loop", *BTC, COUNT=10, SETUP="addik r8, r0, 8", BODY="beq r0, r8; nop"), 31,
                20 + 4, 9)


def test_btc_of_a_return_to_two_callers():
    # The target changes each time. It is unknown once, which costs 1 cycle, and predicted wrong
    # nineteen times, which costs 2 cycles each.
    c = count("loop", *BTC, COUNT=10, BODY="brlid r15, f; nop; brlid r15, f; nop", **CALL)
    loop_cycles(c, 101, 1 + 1 + 1 + 19 * 2 + 4, 9 + 9 + 19 + 9)


def test_btc_is_emptied():
    # bri 4 is taken, which takes 2 cycles more, and empties the branch target cache. An mbar that
    # waits for code also empties it. mbar 1 waits only for data and does not. When the cache is
    # emptied in each pass, the loop's branch takes 9 × 2 cycles more, and none at the end.
    loop_cycles(count("loop", *BTC, COUNT=10, BODY="bri 4"), 31, 10 * 2 + 9 * 2, 0)
    want(count("loop", *BTC, COUNT=10, BODY="mbar 2"), btc_hit=0, stall_of=9 * 2, stall_ex=10)
    want(count("loop", *BTC, COUNT=10, BODY="mbar 0"), btc_hit=0, stall_of=9 * 2, stall_ex=10)
    want(count("loop", *BTC, COUNT=10, BODY="mbar 1"), btc_hit=9, stall_of=4, stall_ex=10)


def test_btc_sizes():
    # The loop's branch is `words` words after another branch. If the cache has that number of
    # entries, both share an entry and evict each other. Then the first branch takes 2 cycles more
    # each time, and the loop's branch 2 more each of the 9 times that it is taken. With more
    # entries, both stay in the cache.
    for words in (8, 16, 32, 64, 512, 1024, 2048):
        body = f"bri 8; nop; .rept {words - 3}; nop; .endr"
        insns = 10 * words + 1
        loop_cycles(count("loop", *BTC, f"bp.entries={words}", COUNT=10, BODY=body), insns,
                    10 * 2 + 9 * 2, 0)
        if words < 2048:
            loop_cycles(count("loop", *BTC, f"bp.entries={max(2 * words, 16)}", COUNT=10,
                              BODY=body), insns,
                        2 + 4, 18)


# ---- data cache ----------------------------------------------------------------------------------
# Code is in local memory, and data is cached. walk.S accesses data from DATA on, which maps to line
# 0 of a cache of any size. A pass over COUNT addresses executes COUNT × (access, addik, bneid,
# addk).

LOAD, STORE, STORE_BYTE = (dict(ACCESS=a)
                           for a in ("lwi r3, r5, 0", "swi r3, r5, 0", "sbi r3, r5, 0"))


def spread(mean, *parts):
    """Returns the standard deviation of a population, given as a list of (count, latency), with
    this mean."""
    n = sum(count for count, _ in parts)
    return math.sqrt(sum(count * (latency - mean) ** 2 for count, latency in parts) / n)


def reads(c, requests, misses, cost=20):
    """Checks the counts and latencies of reads. A read that misses takes `cost` cycles more than
    the one cycle of a hit."""
    want(c, dcache_read_request=requests, dcache_read_hit=requests - misses,
         dcache_read_latency=requests, dcache_request=requests, dcache_hit=requests - misses,
         dcache_write_request=0, dcache_write_hit=0, stall_mem=misses * cost)
    mean = 1 + cost * misses / requests
    timed(c, "dcache_read_latency", sum=requests + cost * misses, mean=mean,
          min=1 if misses < requests else 1 + cost, max=1 + cost if misses else 1,
          stddev=spread(mean, (misses, 1 + cost), (requests - misses, 1)), overlapped=False,
          saturated=False)


@pytest.mark.parametrize("through", (1, 0), ids=("write_through", "write_back"))
@pytest.mark.parametrize("line", (4, 8, 16))
def test_dcache_reads(line, through):
    policy = (f"dcache.line={line}", f"dcache.write_through={through}", *LOCAL_CODE)
    # 8 KB are read twice, word by word. The first time, each line misses once. The second time,
    # none misses.
    reads(count("walk", *policy, **LOAD, STRIDE=4, COUNT=2048, PASSES=2), 4096, 2048 // line)
    # In 16 KB, every line evicts one that is needed later.
    reads(count("walk", *policy, **LOAD, STRIDE=4, COUNT=4096, PASSES=2), 8192, 8192 // line)
    # With 8 KB and one more line, the first and the last line share a place in the cache, so both
    # miss each time.
    lines = 2048 // line
    reads(count("walk", *policy, **LOAD, STRIDE=4 * line, COUNT=lines + 1, PASSES=3), 3 * lines + 3,
          lines + 1 + 2 * 2)
    # The same word is read again and again.
    reads(count("walk", *policy, **LOAD, STRIDE=0, COUNT=100, PASSES=1), 100, 1)
    # Bytes and halfwords hit in the words that were fetched.
    reads(count("walk", *policy, ACCESS="lbui r3, r5, 3; lhui r3, r5, 2", STRIDE=4, COUNT=64,
                PASSES=1), 128,
          64 // line)


def test_dcache_sizes():
    # Data that fits into the cache misses once per line. Twice as much data always misses.
    for size in (64, 128, 1024, 4096, 16384, 65536):
        lines = size // 16
        fits = count("walk", *LOCAL_CODE, f"dcache.size={size}", **LOAD, STRIDE=16, COUNT=lines,
                     PASSES=3)
        reads(fits, 3 * lines, lines)
        not_ = count("walk", *LOCAL_CODE, f"dcache.size={size}", **LOAD, STRIDE=16, COUNT=2 * lines,
                     PASSES=3)
        reads(not_, 6 * lines, 6 * lines)


def writes(c, requests, misses, stall=0):
    want(c, dcache_write_request=requests, dcache_write_hit=requests - misses,
         dcache_write_latency=requests, dcache_request=requests, dcache_hit=requests - misses,
         stall_mem=stall)


def test_dcache_write_through_does_not_allocate():
    # The lines are never present, so all stores miss. The write buffer accepts them at once,
    # because a pass takes 5 cycles and a write 4.
    for access in (STORE, STORE_BYTE):
        c = count("walk", *LOCAL_CODE, **access, STRIDE=4, COUNT=64, PASSES=3)
        writes(c, 192, 192)
        timed(c, "dcache_write_latency", sum=192, mean=1.0, stddev=0.0, min=1, max=1)
    # A line that was read before is present and is updated: the store hits, and the line can still
    # be read.
    c = count("walk", *LOCAL_CODE,
              ACCESS="lwi r3, r5, 0; swi r3, r5, 0; sbi r3, r5, 1; lwi r3, r5, 0", STRIDE=4,
              COUNT=64, PASSES=1)
    want(c, dcache_read_request=128, dcache_read_hit=128 - 16, dcache_write_request=128,
         dcache_write_hit=128)


def test_dcache_write_back_words():
    # UG984, "Data Cache": a store of a word that misses writes its word into the cache and fetches
    # nothing. That word of the line is then valid, and the others are not. In the first pass each
    # word misses, and in the second none.
    for line in (4, 8, 16):
        back = (*LOCAL_CODE, "dcache.write_through=0", f"dcache.line={line}")
        c = count("walk", *back, **STORE, STRIDE=4, COUNT=64, PASSES=2)
        writes(c, 128, 64)
        timed(c, "dcache_write_latency", sum=128, mean=1.0, stddev=0.0, min=1, max=1)
        # Reading the stored word hits. Reading another word of its line misses, and fetches the
        # missing words. After that, every word of the line hits.
        c = count("walk", *back,
                  ACCESS="swi r3, r5, 0; lwi r3, r5, 0; lwi r3, r5, 4; lwi r3, r5, 8",
                  STRIDE=4 * line, COUNT=8, PASSES=1)
        want(c, dcache_write_request=8, dcache_write_hit=0, dcache_read_request=24,
             dcache_read_hit=16, stall_mem=8 * 20)
        timed(c, "dcache_read_latency", sum=24 + 8 * 20, mean=1 + 160 / 24, min=1, max=21)


def test_dcache_write_back_bytes():
    # A store of a byte or halfword that misses first reads its line. Then every word of the line is
    # valid.
    for line in (4, 8, 16):
        back = (*LOCAL_CODE, "dcache.write_through=0", f"dcache.line={line}")
        for access in ("sbi r3, r5, 0", "shi r3, r5, 0"):
            c = count("walk", *back, ACCESS=access, STRIDE=4, COUNT=64, PASSES=2)
            misses = 64 // line
            writes(c, 128, misses, stall=20 * misses)
            mean = 1 + 20 * misses / 128
            timed(c, "dcache_write_latency", sum=128 + 20 * misses, mean=mean, min=1, max=21,
                  stddev=spread(mean, (misses, 21), (128 - misses, 1)))
            equal(c.metrics["dcache_write_miss_cost"], 20)


def test_dcache_write_back_evicts():
    # An evicted dirty line goes to the write buffer, which has room, so the load that evicts it
    # waits only for its own line. The walk over 16 KB is twice the size of the cache, so every load
    # misses.
    c = count("walk", *LOCAL_CODE, "dcache.write_through=0", ACCESS="lwi r3, r5, 4; swi r3, r5, 0",
              STRIDE=16, COUNT=1024, PASSES=2)
    # The store waits 2 cycles for the value that is loaded.
    want(c, dcache_read_request=2048, dcache_read_hit=0, dcache_write_request=2048,
         dcache_write_hit=2048, stall_mem=2048 * 20)
    # A buffer of one entry, which needs 60 cycles to write a line, has room only after the previous
    # line has been written.
    slow = count("walk", *LOCAL_CODE, "dcache.write_through=0", "wbuf.entries=1", "mem.write=60",
                 **STORE, STRIDE=16, COUNT=1024, PASSES=2)
    # A store is executed every 5 cycles. The first 512 evict nothing. The 513th puts a line into
    # the buffer without waiting. Each later store waits until the line before has been written,
    # which takes 60 cycles: it waits for 55. Between two passes there are 5 more cycles, in which
    # it need not wait: the branch that is not taken takes 1 less, the outer loop 6.
    writes(slow, 2048, 2048, stall=(2048 - 513) * 55 - 5)


def test_dcache_lines_from_the_same_bus():
    # The core requests the second line 1 cycle after the first word of the first line has come. The
    # rest of the first line takes 3 cycles, so the second request waits 2. The loads take 21 and 23
    # cycles: mean 22, deviation 1.
    c = count("repeat", *LOCAL_CODE, BODY="lwi r3, r10, 0; lwi r4, r10, 16")
    want(c, dcache_read_request=2, dcache_read_hit=0, stall_mem=20 + 22)
    timed(c, "dcache_read_latency", sum=44, mean=22.0, stddev=1.0, min=21, max=23)
    # If the second load issues three cycles after the first word has come, the first line is
    # complete, and there is no wait.
    c = count("repeat", *LOCAL_CODE, BODY="lwi r3, r10, 0; nop; nop; lwi r4, r10, 16")
    timed(c, "dcache_read_latency", sum=42, mean=21.0, stddev=0.0, min=21, max=21)


def test_dcache_latency_parameters():
    for latency in (1, 7, 200, 10000):
        c = count("walk", *LOCAL_CODE, f"mem.latency={latency}", "mem.fill=1", **LOAD, STRIDE=4,
                  COUNT=64, PASSES=1)
        reads(c, 64, 16, cost=latency)


def test_dcache_range():
    # Addresses from dcache.base to dcache.high are cached. All others are on the peripheral bus,
    # where an access takes 10 cycles.
    page = (*LOCAL_CODE, f"dcache.base={0x10100000}", f"dcache.high={0x10100fff}")
    c = count("walk", *page, **LOAD, STRIDE=4, COUNT=2048, PASSES=1)
    want(c, load_any=2048, dcache_read_request=1024, dcache_read_hit=1024 - 256,
         axi_dp_read_latency=1024, stall_mem=256 * 20 + 1024 * 9)
    timed(c, "axi_dp_read_latency", sum=10240, mean=10.0, stddev=0.0, min=10, max=10)


def test_dcache_off():
    # All data is on the peripheral bus, where both loads and stores wait.
    for latency in (1, 10, 100):
        c = count("walk", *LOCAL_CODE, "dcache.enable=0", f"peripheral.latency={latency}",
                  ACCESS="lwi r3, r5, 0; sbi r5, r5, 0; lbui r3, r5, 0", STRIDE=4, COUNT=32,
                  PASSES=2)
        want(c, dcache_request=0, dcache_hit=0, axi_dp_read_latency=128, axi_dp_write_latency=64,
             stall_mem=192 * (latency - 1), dcache_read_latency=0)
        for event, n in (("axi_dp_read_latency", 128), ("axi_dp_write_latency", 64)):
            timed(c, event, sum=n * latency, mean=float(latency), stddev=0.0, min=latency,
                  max=latency)


def test_local_memory():
    # Local memory answers in one cycle and is not cached.
    c = count("walk", *LOCAL, ACCESS="lwi r3, r5, 0; swi r3, r5, 0", STRIDE=4, COUNT=32, PASSES=2)
    want(c, dcache_request=0, icache_request=0, axi_dp_read_latency=0, axi_dp_write_latency=0,
         stall_mem=0, load_any=64, store_any=64)


# ---- write buffer --------------------------------------------------------------------------------

def buffered(stores, entries, takes):
    """Returns (sum, longest) of the latencies of stores that are one cycle apart, from a second
    implementation of the write buffer. The buffer has `entries` entries, and writes one in `takes`
    cycles. A store waits until there is room for it."""
    now, empty, all_, longest = 0, 0, 0, 0
    for _ in range(stores):
        empty = max(empty, now) + takes
        wait = max(0, empty - entries * takes - now)
        all_, longest = all_ + 1 + wait, max(longest, 1 + wait)
        now += 1 + wait
    return all_, longest


def test_write_buffer_fills():
    for entries, takes in ((32, 4), (1, 4), (2, 4), (8, 1), (4, 30)):
        for stores in (1, 2, 5, 200):
            c = count("repeat", *LOCAL_CODE, f"wbuf.entries={entries}", f"mem.write={takes}",
                      BODY="swi r3, r10, 0", REPS=stores)
            all_, longest = buffered(stores, entries, takes)
            timed(c, "dcache_write_latency", sum=all_, mean=all_ / stores, max=longest)
            want(c, dcache_write_request=stores, stall_mem=all_ - stores, clock_cycles=all_)


def test_write_buffer_of_one_entry():
    # Worked out by hand: the first store takes 1 cycle. Each of the other nine follows 4 cycles
    # after the one before, and takes 4. The sum is 1 + 9 × 4, the mean 3.7, and the deviation
    # sqrt((1 × 2.7² + 9 × 0.3²) / 10) = 0.9.
    c = count("repeat", *LOCAL_CODE, "wbuf.entries=1", BODY="swi r3, r10, 0", REPS=10)
    timed(c, "dcache_write_latency", sum=37, mean=3.7, stddev=0.9, min=1, max=4)


# ---- instruction cache ---------------------------------------------------------------------------
# Only lines from k_begin on are cached (icache.base). Code before it comes from the bus. After the
# WORDS words, the loop has addik, beqi, imm and brai in one line, and a NOP, which is in the next
# line if lines have 4 words.

def code(words, passes, *sets, **more):
    first = symbol(bare("codelines", WORDS=words, PASSES=passes, **more), "k_begin")
    return count("codelines", "mmu.enable=0", "bp.enable=0", f"icache.base={first}", *sets,
                 WORDS=words, PASSES=passes, **more)


def fetches(c, requests, misses, cost=20):
    want(c, insn_executed=requests, icache_request=requests, icache_hit=requests - misses,
         icache_read_latency=requests)
    mean = 1 + cost * misses / requests
    timed(c, "icache_read_latency", sum=requests + cost * misses, mean=mean, min=1, max=1 + cost,
          stddev=spread(mean, (misses, 1 + cost), (requests - misses, 1)), overlapped=False)
    assert abs(c.metrics["icache_miss_cost"] - cost) < 1e-6, c.metrics
    assert abs(c.metrics["icache_hit_ratio"] - 100 * (1 - misses / requests)) < 1e-5, c.metrics


@pytest.mark.parametrize("line", (4, 8, 16))
def test_icache_line(line):
    tail = 2 if line == 4 else 1
    one, last = 4, 3  # instructions after the code: in each pass except the last; in the last
    set_ = f"icache.line={line}"
    # The code runs once: each line misses.
    fetches(code(256, 1, set_), 256 + last, 256 // line + tail)
    # Code that fits runs four times, and misses only the first time.
    fetches(code(1024, 4, set_), 4 * 1024 + 3 * one + last, 1024 // line + tail)
    # 8 KB are 2048 words, so the line after them takes the place of the first line, and both miss
    # every time. If the last NOP is in a separate line, it misses once.
    fetches(code(2048, 3, set_), 3 * 2048 + 2 * one + last, 2048 // line + 1 + 2 * 2 + (tail - 1))
    # If the code is twice as large as the cache, all lines miss every time.
    fetches(code(4096, 3, set_), 3 * 4096 + 2 * one + last, 3 * (4096 // line + 1) + (tail - 1))
    # The same code fits into a larger cache.
    fetches(code(4096, 3, set_, "icache.size=32K"), 3 * 4096 + 2 * one + last, 4096 // line + tail)


def test_icache_latency_parameters():
    for latency in (1, 7, 1000):
        fetches(code(256, 1, f"mem.latency={latency}"), 259, 66, cost=latency)


def test_icache_off():
    # Every instruction comes from the bus. It takes 9 cycles more, which count as stalls of operand
    # fetch. Events of the cache do not count.
    c = count("repeat", "icache.enable=0", "mmu.enable=0", BODY="addk r3, r4, r5", REPS=20)
    want(c, icache_request=0, icache_hit=0, icache_read_latency=0, insn_executed=20,
         clock_cycles=200, stall_of=180)


def test_icache_lines_that_follow_at_once():
    # Each branch is the first word of a line, and goes to the next line. It takes 1 cycle, and 2
    # more to refill the pipeline. In these 3 cycles the rest of its line arrives. So every line
    # takes 20 cycles, and no fetch waits for the bus.
    body = "bri 16; nop; nop; nop"
    program = dict(BODY=body, REPS=8)
    first = symbol(bare("repeat", **program), "k_begin")
    sets = ("mmu.enable=0", "bp.enable=0", f"icache.base={first}")
    c = count("repeat", *sets, **program)
    timed(c, "icache_read_latency", sum=8 + 8 * 20, mean=21.0, stddev=0.0, min=21, max=21)
    # If the rest of a line takes 5 cycles, the fetch of the next line waits for 2 of them.
    c = count("repeat", *sets, "mem.fill=5", **program)
    timed(c, "icache_read_latency", sum=8 + 20 + 7 * 22, min=21, max=23, mean=(21 + 7 * 23) / 8,
          stddev=spread((21 + 7 * 23) / 8, (1, 21), (7, 23)))


# ---- MMU -----------------------------------------------------------------------------------------

# The page of the code is looked up before k_begin. Code and data are cached.
PAGES = dict(**LOAD, STRIDE=4096)


def translations(c, data, dtlb_misses, utlb_misses, penalty=2, walk=0):
    want(c, mmu_data_request=data, dtlb_hit=data - dtlb_misses, mmu_insn_request=c["insn_executed"],
         itlb_hit=c["insn_executed"], mmu_lookup_latency=dtlb_misses,
         utlb_hit=dtlb_misses - utlb_misses)
    if dtlb_misses:
        timed(c, "mmu_lookup_latency", sum=dtlb_misses * penalty, mean=float(penalty), stddev=0.0)
    reads_ = 20 * (c["dcache_read_request"] - c["dcache_read_hit"])
    equal(c["stall_mem"], reads_ + dtlb_misses * penalty + utlb_misses * walk)


def test_dtlb_of_four_pages():
    # Four pages fit. If five pages are used in turn, none hits, because the TLB evicts the least
    # recently used page, which is the one that is needed next.
    translations(count("walk", **PAGES, COUNT=4, PASSES=5), 20, 4, 4)
    translations(count("walk", **PAGES, COUNT=5, PASSES=5), 25, 25, 5)
    # The TLB evicts the page that was least recently used, not the one that came first: page 0 is
    # used in between and stays. r5 goes from page 1 to 4; r10 is in page 0. Page 0 misses once, and
    # each of the other four pages misses in every pass.
    c = count("walk", ACCESS="lwi r3, r10, 0; lwi r3, r5, 0x1000", STRIDE=4096, COUNT=4, PASSES=3)
    translations(c, 24, 1 + 3 * 4, 5)


def test_dtlb_sizes():
    for entries in (1, 2, 4, 8):
        set_ = f"dtlb.entries={entries}"
        translations(count("walk", set_, **PAGES, COUNT=entries, PASSES=3), 3 * entries, entries,
                     entries)
        more = entries + 1
        translations(count("walk", set_, **PAGES, COUNT=more, PASSES=3), 3 * more, 3 * more, more)


def test_utlb_of_64_pages():
    # The code's page takes one of the 64 entries, so 63 more fit. With 65 more, the code's page is
    # evicted first, because it came first. Then 65 pages share 64 entries, which are replaced in
    # turn, so no page hits.
    translations(count("walk", **PAGES, COUNT=63, PASSES=3), 189, 189, 63)
    c = count("walk", **PAGES, COUNT=65, PASSES=2)
    translations(c, 130, 130, 130)


def test_tlb_penalties():
    translations(count("walk", "utlb.penalty=32", "tlb.penalty=100", **PAGES, COUNT=5, PASSES=2),
                 10, 10, 5, penalty=32, walk=100)


def test_itlb_of_two_pages():
    # The loop's code is in two or three pages. The ITLB holds two, so with three pages each page is
    # looked up in every pass.
    for pages, passes, misses in ((2, 4, 1), (3, 4, 3 + 3 * 3 - 1)):
        c = count("codelines", "icache.size=64K", WORDS=1024 * (pages - 1), PASSES=passes)
        want(c, mmu_insn_request=c["insn_executed"], itlb_hit=c["insn_executed"] - misses,
             mmu_lookup_latency=misses, utlb_hit=misses - (pages - 1), mmu_data_request=0)
    c = count("codelines", "icache.size=64K", "itlb.entries=4", WORDS=1024 * 2, PASSES=4)
    want(c, itlb_hit=c["insn_executed"] - 2)


def test_mmu_off():
    c = count("walk", "mmu.enable=0", **PAGES, COUNT=8, PASSES=2)
    want(c, mmu_data_request=0, mmu_insn_request=0, itlb_hit=0, dtlb_hit=0, utlb_hit=0,
         mmu_lookup_latency=0)


# ---- latencies and widths ------------------------------------------------------------------------

WIDTHS = (32, 48, 64)


def width(bits):
    return f"debug.counter_width={bits}"


def test_latency_constant_two_valued_and_mixed():
    # Each read misses, finds the bus free and takes 21 cycles: deviation 0. With one hit after each
    # miss, reads take 1 or 21 cycles: mean 11, deviation 10. With three hits: mean 6, deviation
    # sqrt(3/16) × 20.
    for hits, mean, deviation in ((0, 21.0, 0.0), (1, 11.0, 10.0), (3, 6.0, 20 * math.sqrt(3) / 4)):
        access = "; ".join(["lwi r3, r5, 0", *["lwi r8, r5, 4"] * hits])
        for bits in WIDTHS:
            c = count("walk", width(bits), *LOCAL_CODE, ACCESS=access, STRIDE=16, COUNT=1000,
                      PASSES=1)
            n = 1000 * (1 + hits)
            timed(c, "dcache_read_latency", sum=round(n * mean), mean=mean, stddev=deviation,
                  min=1 if hits else 21, max=21)


def test_latency_sums_wrap():
    # 1024 lines that evict each other are read 500 times, which makes 512,000 reads of 10,001
    # cycles. The sum of their squares is 5 × 10^13, which is 12,000 times the range of 32 bits. The
    # sum and the number of clock cycles are 5.1 × 10^9, which also exceeds 32 bits.
    reads_, each = 512000, 10001
    # A pass takes 1024 × 5 cycles, of which each branch that is taken needs 1 for the refill. The
    # last branch is not taken, so 1 is subtracted. The outer loop takes 6 cycles, and 1 less at the
    # end, when its branch is not taken. The NOP takes 1.
    cycles = 500 * (1024 * 5 - 1 + 6) - 1 + 1 + reads_ * (each - 1)
    for bits in size((32,), WIDTHS):
        c = count("walk", width(bits), "mem.latency=10000", *LOCAL_CODE, **LOAD, STRIDE=16,
                  COUNT=1024, PASSES=500)
        want(c, dcache_read_request=reads_, dcache_read_hit=0, dcache_read_latency=reads_,
             clock_cycles=cycles, stall_mem=reads_ * (each - 1))
        timed(c, "dcache_read_latency", sum=reads_ * each, mean=float(each), stddev=0.0, min=each,
              max=each, overlapped=False, saturated=False)
        assert c["clock_cycles"] > 1 << 32


def test_configurations_give_the_same_counts():
    # If there are few counters, the events are counted in several passes. In emulation, each pass
    # has a copy of the model, so no count depends on how many counters there are.
    def measure(*sets):
        c = count("walk", *sets, ACCESS="lwi r3, r5, 0; swi r3, r5, 4", STRIDE=8, COUNT=600,
                  PASSES=3)
        return dict(c), c.latency, c.metrics

    reference = measure()
    for events, latencies, bits in ((2, 0, 32), (2, 1, 64), (3, 7, 48), (48, 7, 64), (48, 0, 32),
                                    (7, 2, 48)):
        c, latency, metrics = measure(f"debug.event_counters={events}",
                                      f"debug.latency_counters={latencies}", width(bits))
        equal(c, reference[0], f"{events} and {latencies} of {bits} bits")
        if latencies:
            equal(latency, reference[1])
            equal(metrics, reference[2])
        else:  # event counters count only occurrences
            equal(latency, {})
            equal((metrics["icache_miss_cost"], metrics["dcache_read_miss_cost"]), (None, None))


def test_passes_are_as_many_as_needed():
    # A user program can count 52 of the 64 events with event counters, and 6 with latency counters.
    # The number of passes follows from the kind of counter that is scarcer.
    for events, latencies, passes in ((5, 1, 11), (48, 7, 2), (48, 1, 6), (2, 7, 26),
                                      (52 // 4, 2, 4)):
        doc = stat("--set", f"debug.event_counters={events}", "--set",
                   f"debug.latency_counters={latencies}", "-e", "all", bare("loop", COUNT=3))
        equal(doc["passes"], passes, f"{events} and {latencies}")
    # The number of passes has a limit.
    refused(129,
            "pmk: these events take more than 32 passes on the counters of microblaze; count "
            "fewer of them", "--set", "debug.event_counters=1", "-e", "all", bare("loop", COUNT=3))


# ---- metrics -------------------------------------------------------------------------------------

def test_metrics_of_the_document():
    # The formulas of the last step of UG984, "Performance Monitoring": E30/E0, E11/E10, E47/E46,
    # (E60(ΣL) - E60(N)) / (E10 - E11) and its counterparts for the data cache, and E29/E0.
    c = count("walk", "dcache.write_through=0",
              ACCESS="lwi r3, r5, 0; sbi r3, r5, 4096; fadd r11, r8, r9", STRIDE=4, COUNT=400,
              PASSES=2)
    cost = lambda event, misses: (c.latency[event]["sum"] - c[event]) / misses  # noqa: E731
    formulas = {
        "cpi": c["clock_cycles"] / c["insn_executed"],
        "icache_hit_ratio": 100 * c["icache_hit"] / c["icache_request"],
        "dcache_hit_ratio": 100 * c["dcache_hit"] / c["dcache_request"],
        "icache_miss_cost": cost("icache_read_latency", c["icache_request"] - c["icache_hit"]),
        "dcache_read_miss_cost": cost("dcache_read_latency",
                                      c["dcache_read_request"] - c["dcache_read_hit"]),
        "dcache_write_miss_cost": cost("dcache_write_latency",
                                       c["dcache_write_request"] - c["dcache_write_hit"]),
        "fp_share": 100 * c["fp_op"] / c["insn_executed"],
        "cond_taken_ratio": 100 * c["branch_cond_taken"] / c["branch_cond"],
        "stall_share": 100 * c["stall_any"] / c["clock_cycles"],
        "ipc": c["insn_executed"] / c["clock_cycles"],
    }
    for name, value in formulas.items():
        assert abs(c.metrics[name] - value) < 2e-6, f"{name}: got {c.metrics[name]}, want {value}"
    equal(c["fp_op"], 800)
    assert c.metrics[
        "dcache_read_miss_cost"] >= 20 and c.metrics["dcache_write_miss_cost"] >= 20, c.metrics


def test_metrics_without_a_value():
    # These metrics would divide by 0, so they have no value.
    c = count("repeat", *LOCAL, BODY="nop", REPS=5)
    equal({k: v for k, v in c.metrics.items() if v is None}.keys(),
          {"cond_taken_ratio", "icache_hit_ratio", "dcache_hit_ratio", "icache_miss_cost",
           "dcache_read_miss_cost", "dcache_write_miss_cost"})
    equal((c.metrics["cpi"], c.metrics["fp_share"], c.metrics["stall_share"]), (1, 0, 0))


def test_metrics_choose_their_events():
    # A metric is requested by its name, with the default counters: the cost of a miss needs two
    # event counters and the latency counter.
    doc = stat("-M", "icache_miss_cost", "-M", "cpi", bare("codelines", WORDS=256, PASSES=1))
    equal({c["event"] for c in doc["counters"]},
          {"icache_read_latency", "icache_request", "icache_hit", "clock_cycles", "insn_executed"})
    assert doc["metrics"][0]["value"] >= 20, doc["metrics"]


# ---- the interval timer --------------------------------------------------------------------------
# With -I Kcycles, a counter of clock cycles overflows after K cycles, and its interrupt samples all
# other counters. An interval ends with the block in which the K cycles are complete, and the next
# interval begins there.

TIMED_EVENTS = "load_word,insn_executed,clock_cycles,dcache_read_latency"


def intervals(program, cycles, *options):
    """Returns {event: count} of each interval, and the clock at the end of each interval."""
    doc = stat("-I", f"{cycles}cycles", "-e", TIMED_EVENTS, *options, program)
    rows, clocks = {}, []
    for c in doc["counters"]:
        at = c["interval"]["cycles"]
        if at not in rows:
            clocks.append(at)
        rows.setdefault(at, {}).setdefault(c["event"], []).append(c["counter-value"])
    return [{e: sum(v) for e, v in rows[at].items()} for at in clocks], clocks


@pytest.mark.parametrize("bits", WIDTHS)
def test_intervals(bits):
    # A pass is lwi, addik and bnei, and its refill takes 2 cycles. So each block takes 5 cycles.
    options = [w for s in (*LOCAL, width(bits)) for w in ("--set", s)]
    for passes, cycles in ((40, 1), (4000, 37), (4000, 1000), (4000, 4096), (4000, 10**6)):
        program = bare("loop", COUNT=passes, BODY="lwi r3, r10, 0")
        whole = counts(stat("-e", TIMED_EVENTS, *options, program))
        rows, clocks = intervals(program, cycles, *options)
        equal({e: sum(r[e] for r in rows) for e in whole}, whole, f"sums of intervals of {cycles}")
        equal((clocks[0], clocks[-1]), (rows[0]["clock_cycles"], whole["clock_cycles"]))
        # An interval has the requested length, up to the end of the block that was running then. A
        # block has 5 cycles, except the NOPs before k_begin, with which the first interval begins.
        # The last interval ends with the program.
        if len(rows) > 1:
            assert cycles <= rows[0]["clock_cycles"] < cycles + 40, f"{cycles}: {rows[0]}"
        for row in rows[1:-1]:
            assert cycles <= row["clock_cycles"] < cycles + 5, f"{cycles}: {row}"
        assert rows[-1]["clock_cycles"] < cycles + 40, rows[-1]


def test_intervals_tell_latencies():
    # The deviation of an interval describes only that interval. The numbers of reads, and the sums,
    # of all intervals add up to those of the run.
    program = bare("walk", **LOAD, STRIDE=8, COUNT=1000, PASSES=2)
    options = [w for s in LOCAL_CODE for w in ("--set", s)]
    doc = stat("-I", "2000cycles", "-e", "dcache_read_latency", *options, program)
    whole = stat("-e", "dcache_read_latency", *options, program)["counters"][0]
    rows = doc["counters"]
    assert len(rows) > 8
    equal(sum(r["counter-value"] for r in rows), whole["counter-value"])
    equal(sum(r["latency"]["sum"] for r in rows), whole["latency"]["sum"])
    for r in rows:
        n, latency = r["counter-value"], r["latency"]
        misses = (latency["sum"] - n) // 20
        equal((latency["sum"], latency["min"], latency["max"]),
              (n + 20 * misses, 1, 21 if misses else 1), str(r))
        mean = latency["sum"] / n
        assert abs(latency["mean"] - mean) < 0.0006, r
        assert abs(latency["stddev"] - spread(mean, (misses, 21), (n - misses, 1))) < 0.0006, r


def test_intervals_take_a_counter():
    out = pmk("stat", "-I", "1000cycles", "-e",
              "{load_word,load_half,load_byte,store_word,store_half}", bare("loop", COUNT=10))
    equal((out.code, out.err),
          (129,
           "pmk: the group {load_word,...} needs 5 event counters at a time, but microblaze has 5, "
                "one of them for -I; leave out the braces to count in several passes, or --set "
                "debug.event_counters=6\n"))
    stat("-I", "1000cycles", "-e", "{load_word,load_half,load_byte,store_word}",
         bare("loop", COUNT=10))
    stat("-I", "1000insns", "-e", "{load_word,load_half,load_byte,store_word,store_half}",
         bare("loop", COUNT=10))


# ---- byte order, and what is refused -------------------------------------------------------------

def test_both_byte_orders_count_the_same():
    for kernel, defines in (("loop", dict(COUNT=10)), ("codelines", dict(WORDS=256, PASSES=2)),
                            ("walk", dict(**LOAD, STRIDE=4, COUNT=100, PASSES=2))):
        little, big = (count(kernel, order=order, **defines) for order in mb.ORDERS)
        equal((little, little.latency, little.metrics), (big, big.latency, big.metrics), kernel)


def refused(code, text, *argv):
    """Checks that pmk stat prints one line with this text, and exits with this code."""
    out = pmk("stat", *argv)
    equal((out.code, out.out), (code, ""), out)
    contains(out.err, text)
    equal(out.err.count("\n"), 1, out.err)


#    --set, what is said
SETTINGS = [
    ("debug.event_counters=49",      "debug.event_counters takes a number from 0 to 48, not '49'"),
    ("debug.event_counters=many",
     "debug.event_counters takes a number from 0 to 48, not 'many'"),
    ("debug.latency_counters=8",     "debug.latency_counters takes a number from 0 to 7, not '8'"),
    ("debug.counter_width=31",       "debug.counter_width takes 32, 48 or 64, not '31'"),
    ("debug.counter_width=40",       "debug.counter_width takes 32, 48 or 64, not '40'"),
    ("icache.line=6",                "icache.line takes 4, 8 or 16, not '6'"),
    ("dcache.line=12",               "dcache.line takes 4, 8 or 16, not '12'"),
    ("dcache.ways=2",                "dcache.ways takes 1 only, not '2'"),
    ("dcache.size=100",
     "dcache.size takes a power of two (such as 16K) from 64 to 65536, not '100'"),
    ("bp.entries=24",                "bp.entries takes a power of two from 2 to 2048, not '24'"),
    ("dtlb.entries=3",               "dtlb.entries takes 1, 2, 4 or 8, not '3'"),
    ("area.optimized=3",             "area.optimized takes a number from 0 to 2, not '3'"),
    ("area.optimized=1",
     "area.optimized = 1 needs bp.enable and mmu.enable to be off"),
    ("l2.size=65536",
     "l2.size has no effect on cores with the instruction set microblaze"),
]


def test_settings_that_are_refused():
    for setting, text in SETTINGS:
        refused(129, text, "--core", "microblaze", "--set", setting, bare("loop", COUNT=1))
    refused(129, "debug.event_counters and debug.latency_counters are both 0", "--set",
            "debug.event_counters=0", "--set", "debug.latency_counters=0", bare("loop", COUNT=1))
    for side in ("icache", "dcache"):
        refused(129, "icache.base and dcache.base must not be above icache.high and dcache.high",
                "--set", f"{side}.base=1024", "--set", f"{side}.high=1023", bare("loop", COUNT=1))
    refused(129,
            "pmk: microblaze has no event counter for clock_cycles; request other events, or --set "
            "debug.event_counters=1", "--set", "debug.event_counters=0", "-e",
            "dcache_read_latency,clock_cycles", bare("loop", COUNT=1))


def test_groups_that_do_not_fit():
    program = bare("loop", COUNT=1)
    six = "{load_word,load_half,load_byte,store_word,store_half,store_byte}"
    refused(129,
            "pmk: the group {load_word,...} needs 6 event counters at a time, but microblaze has "
            "5; leave out the braces to count in several passes, or --set "
            "debug.event_counters=6", "-e",
            six, program)
    # Five events fit together with one event of the latency counter, but not with two.
    stat("-e", "{load_word,load_half,load_byte,store_word,store_half,dcache_read_latency}", program)
    refused(129,
            "pmk: the group {dcache_read_latency,...} needs 2 latency counters at a time, but "
            "microblaze has 1; leave out the braces to count in several passes, or --set "
            "debug.latency_counters=2", "-e", "{dcache_read_latency,dcache_write_latency}", program)
    refused(129,
            "pmk: microblaze has no event counter for load_word in addition to that of -I; "
            "request other events, or give -I in insns, or --set debug.event_counters=2", "-I",
            "9cycles", "--set", "debug.event_counters=1", "-e", "load_word", program)
    equal(stat("--set", "debug.event_counters=6", "-e", six, program)["passes"], 1)
    equal(stat("--set", "debug.latency_counters=2", "-e",
               "{dcache_read_latency,dcache_write_latency}", program)["passes"], 1)


def test_events_that_are_refused():
    program = bare("loop", COUNT=1)
    refused(129, "microblaze has no event with code 0x40", "-e", "r40", program)
    refused(129, "microblaze has no event 'icache_miss'", "-e", "icache_miss", program)
    refused(129, "core arm1176 runs arm code; the program is for MicroBlaze", "--core", "arm1176",
            program)


def test_events_by_name_number_and_code():
    # An event can be requested by name, by the number in the formulas of the document, or by code.
    c = counts(stat("-e", "load_word,E1,e1,r1,r01",
                    bare("walk", **LOAD, STRIDE=4, COUNT=10, PASSES=1)))
    equal(c, {"load_word": 10, "E1": 10, "e1": 10, "r1": 10, "r01": 10})


def test_events_that_emulation_cannot_see():
    # The kernel handles interrupts and exceptions, so a user program has no value for them. The
    # output gives the reason instead of a 0.
    doc = stat("-e", "all", bare("loop", COUNT=3))
    missing = {c["event"]: c["reason"] for c in doc["counters"] if c["trust"] == "not supported"}
    equal(sorted(missing), ["exception_taken", "interrupt", "interrupt_latency",
                            "mmu_data_exception", "mmu_exception", "mmu_insn_exception"])
    assert all(missing.values()), missing
    assert all(c["counter-value"] is None for c in doc["counters"] if c["event"] in missing)


def test_a_program_of_the_other_byte_order():
    for order, other in (("little", "big"), ("big", "little")):
        have(mb.ORDERS[other].qemu)
        emulator = renamed(mb.ORDERS[other].qemu)
        out = pmk("stat", "--core", "microblaze", "--qemu",
                  f"{emulator} {bare('loop', order, COUNT=1)}")
        equal((out.code, out.out), (125, ""), str(out))
        contains(out.err, f"pmk: {emulator} ended before the program executed an instruction\n")


def test_a_file_that_is_cut_off():
    path = os.path.join(WORK, f"mb-cut-{os.getpid()}")
    with open(bare("loop", COUNT=1), "rb") as f:
        whole = f.read()
    for size in (0, 19, 51, 60):
        with open(path, "wb") as f:
            f.write(whole[:size])
        os.chmod(path, 0o755)
        out = pmk("stat", path)
        equal((out.code, out.out, out.err.count("\n")), (126, "", 1), f"{size} bytes: {out}")
    os.unlink(path)
