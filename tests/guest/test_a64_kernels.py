# SPDX-License-Identifier: MIT
"""Known-answer kernels for A64: small programs whose counts were worked out by hand from the
meaning of the events (ARM DDI 0487 D13.12, K3.1), the geometry of the Cortex-A53 (DDI 0500) and the
parameters of the core. The derivations are in the comments. A few long sequences are checked
against a dozen lines of Python that implement one rule a second time.

Unless a test sets other sizes, they are those of the core: lines of 64 bytes; a data cache of 32 KB
with 4 ways of 128 sets; an instruction cache of 32 KB with 2 ways of 256 sets; level 2 of 512 KB
with 16 ways of 512 sets; micro-TLBs of 10 pages, and a main TLB of 512 pages in 4 ways; 3072
two-bit counters for branches, which begin as weakly not taken, and whose index is the branch's word
address XOR the last 8 outcomes; 256 indirect targets; 8 return addresses. Memory takes 120 cycles,
level 2 13, a misprediction 9, a micro-TLB refill 2 and a walk 20."""
import os

from a64.measure import *
from programs import build as build_c


def instructions(body):
    return len([i for i in body.replace("; ", ";").split(";") if i.strip() and not i.endswith(":")])


# ---- data accesses: how many each instruction makes ----------------------------------------------
#
# All rows start with an empty data cache. x2 is DATA + `offset`. An instruction makes one look-up
# for each 16 bytes that it transfers (dcache.bytes), and one more if the bytes are in two lines.
# Loads and stores allocate, so each line misses once. An access is unaligned if its address is not
# a multiple of the size of its element: one register, or one element of a structure.
#
# name, offset, instructions, then counts: ld st, reads writes, rd wr misses, unaligned
ACCESSES = [
    ("every_load",          0, "ldrb w1, [x2]; ldrsb x1, [x2, #1]; ldrh w1, [x2, #2]; "
                               "ldrsh w1, [x2, #4]; ldrsw x1, [x2, #8]; ldr w1, [x2, #12]; "
                               "ldr x1, [x2, #16]",                7, 0,  7, 0,  1, 0,  0),
    ("every_store",         0, "strb w1, [x2]; strh w1, [x2, #2]; str w1, [x2, #4]; "
                               "str x1, [x2, #8]",                 0, 4,  0, 4,  0, 1,  0),
    # A store fills its line, and the load after it hits.
    ("store_then_load",     0, "str x1, [x2]; ldr x1, [x2]",       1, 1,  1, 1,  0, 1,  0),
    ("load_then_store",     0, "ldr x1, [x2]; str x1, [x2, #56]",  1, 1,  1, 1,  1, 0,  0),
    ("address_modes",       0, "ldr x1, [x2, #8]!; ldr x1, [x2], #8; ldr x1, [x2, x6]; "
                               "ldur x1, [x2, #-8]; ldr w1, [x2, w6, uxtw #2]; ldtr x1, [x2]",
                                                                   6, 0,  6, 0,  1, 0,  0),
    ("fp_registers",        0,
     "ldr b0, [x2]; ldr h0, [x2, #2]; ldr s0, [x2, #4]; ldr d0, [x2, #8]; "
                               "str b0, [x2]; str h0, [x2, #2]; str s0, [x2, #4]; str d0, [x2, #8]",
                                                                   4, 4,  4, 4,  1, 0,  0),
    # A word at 0x3c ends with its line. A word at 0x3d, and a pair of words at 0x3a, are in two
    # lines.
    ("word_to_the_end",  0x3c, "ldr w1, [x2]",                     1, 0,  1, 0,  1, 0,  0),
    ("word_two_lines",   0x3d, "ldr w1, [x2]",                     1, 0,  2, 0,  2, 0,  1),
    ("double_two_lines", 0x3c, "ldr x1, [x2]",                     1, 0,  2, 0,  2, 0,  1),
    ("half_two_lines",   0x3f, "ldrh w1, [x2]",                    1, 0,  2, 0,  2, 0,  1),
    ("store_two_lines",  0x39, "str x1, [x2]",                     0, 1,  0, 2,  0, 2,  1),
    ("unaligned_inside", 0x01, "ldr x1, [x2]; ldr w1, [x2]; ldrh w1, [x2]; ldrb w1, [x2]; "
                               "str x1, [x2]; strh w1, [x2]",      4, 2,  4, 2,  1, 0,  5),
    # The access crosses a boundary of 16 bytes, but not of 64 bytes, so it makes one look-up.
    ("over_16_bytes",    0x0c, "ldr x1, [x2]; ldr q0, [x2]",       2, 0,  2, 0,  1, 0,  2),
    # For alignment, the element of a pair is one register.
    ("ldp_x",               0, "ldp x1, x3, [x2]",                 1, 0,  1, 0,  1, 0,  0),
    ("ldp_x_two_lines",  0x38, "ldp x1, x3, [x2]",                 1, 0,  2, 0,  2, 0,  0),
    ("ldp_x_unaligned",  0x0c, "ldp x1, x3, [x2]",                 1, 0,  1, 0,  1, 0,  1),
    ("ldp_w_two_lines",  0x3c, "ldp w1, w3, [x2]; ldpsw x1, x3, [x2]",
                                                                   2, 0,  4, 0,  2, 0,  0),
    ("stp_x_two_lines",  0x38, "stp x1, x3, [x2]",                 0, 1,  0, 2,  0, 2,  0),
    ("push_pop",         0x80, "stp x29, x30, [x2, #-16]!; ldp x29, x30, [x2], #16",
                                                                   1, 1,  1, 1,  0, 1,  0),
    ("no_allocate_pair",    0, "stnp x1, x3, [x2]; ldnp x1, x3, [x2]",
                                                                   1, 1,  1, 1,  0, 1,  0),
    ("ldp_d",            0x38, "ldp d0, d1, [x2]; ldp s0, s1, [x2]",
                                                                   2, 0,  3, 0,  2, 0,  0),
    # 16 bytes make one look-up, and 32 bytes two.
    ("ldr_q",               0, "ldr q0, [x2]; str q0, [x2, #16]",  1, 1,  1, 1,  1, 0,  0),
    ("ldr_q_two_lines",  0x38, "ldr q0, [x2]",                     1, 0,  2, 0,  2, 0,  1),
    ("str_q_two_lines",  0x31, "str q0, [x2]",                     0, 1,  0, 2,  0, 2,  1),
    ("ldp_q",               0, "ldp q0, q1, [x2]",                 1, 0,  2, 0,  1, 0,  0),
    ("ldp_q_two_lines",  0x30, "ldp q0, q1, [x2]",                 1, 0,  3, 0,  2, 0,  0),
    ("ldp_q_to_the_end", 0x20, "ldp q0, q1, [x2]; stp q0, q1, [x2]",
                                                                   1, 1,  2, 2,  1, 0,  0),
    ("stp_q_unaligned",  0x28, "stp q0, q1, [x2]",                 0, 1,  0, 3,  0, 2,  1),
    # Structures of 16, 32, 48 and 64 bytes, with elements of 1 to 8 bytes.
    ("ld1_one_to_four",     0, "ld1 {v0.16b}, [x2]; ld1 {v0.8h, v1.8h}, [x2]; "
                               "ld1 {v0.4s-v2.4s}, [x2]; ld1 {v0.2d-v3.2d}, [x2]",
                                                                   4, 0, 10, 0,  1, 0,  0),
    ("ld4_16b",             0, "ld4 {v0.16b-v3.16b}, [x2]",        1, 0,  4, 0,  1, 0,  0),
    ("ld4_16b_two_lines",   1, "ld4 {v0.16b-v3.16b}, [x2]",        1, 0,  5, 0,  2, 0,  0),
    ("ld4_4s_unaligned",    2, "ld4 {v0.4s-v3.4s}, [x2]",          1, 0,  5, 0,  2, 0,  1),
    ("ld4_8b",           0x28, "ld4 {v0.8b-v3.8b}, [x2]",          1, 0,  3, 0,  2, 0,  0),
    ("ld3_16b",          0x10, "ld3 {v0.16b-v2.16b}, [x2]",        1, 0,  3, 0,  1, 0,  0),
    ("ld2_8h",           0x30, "ld2 {v0.8h-v1.8h}, [x2], #32",     1, 0,  3, 0,  2, 0,  0),
    ("ld1_8b_post",         0, "ld1 {v0.8b}, [x2], #8; ld1 {v0.8b}, [x2], x6",
                                                                   2, 0,  2, 0,  1, 0,  0),
    ("st1_st4",             0, "st1 {v0.16b-v3.16b}, [x2]; st4 {v0.2d-v3.2d}, [x2]",
                                                                   0, 2,  0, 8,  0, 1,  0),
    ("st4_two_lines",       8, "st4 {v0.2d-v3.2d}, [x2]",          0, 1,  0, 5,  0, 2,  0),
    ("st3_8b",              0, "st3 {v0.8b-v2.8b}, [x2]",          0, 1,  0, 2,  0, 1,  0),
    # LD1 to LD4 of one element of each register, with one index for all: 1, 8, 12, 32 bytes.
    ("single_structures",   0, "ld1 {v0.b}[3], [x2]; ld2 {v0.s-v1.s}[1], [x2]; "
                               "ld3 {v0.s-v2.s}[2], [x2]; ld4 {v0.d-v3.d}[1], [x2]",
                                                                   4, 0,  5, 0,  1, 0,  0),
    ("single_two_lines", 0x3e, "ld3 {v0.b-v2.b}[7], [x2]; st3 {v0.b-v2.b}[7], [x2]",
                                                                   1, 1,  2, 2,  2, 0,  0),
    ("replicated",          0, "ld1r {v0.16b}, [x2]; ld2r {v0.4s-v1.4s}, [x2]; "
                               "ld4r {v0.2d-v3.2d}, [x2]",         3, 0,  4, 0,  1, 0,  0),
    # A store-exclusive that fails makes no access.
    ("exclusive_pair",      0, "ldxp x1, x3, [x2]; stxp w6, x1, x3, [x2]",
                                                                   1, 1,  1, 1,  1, 0,  0),
    ("exclusive_word_pair", 8, "ldxp w1, w3, [x2]; stxp w6, w1, w3, [x2]",
                                                                   1, 1,  1, 1,  1, 0,  0),
    ("exclusive_fails",     0, "ldxr x1, [x2]; clrex; stxr w6, x5, [x2]",
                                                                   1, 1,  1, 0,  1, 0,  0),
    ("exclusive_without_load", 0, "clrex; stxr w6, x5, [x2]",      0, 1,  0, 0,  0, 0,  0),
    ("acquire_release",     0, "ldar x1, [x2]; stlr x1, [x2]; ldarb w1, [x2]; stlrh w1, [x2]",
                                                                   2, 2,  2, 2,  1, 0,  0),
    # A prefetch counts neither as an access nor as a miss.
    ("prefetch",            0, "prfm pldl1keep, [x2]; prfum pldl1strm, [x2, #1]",
                                                                   0, 0,  0, 0,  0, 0,  0),
    ("no_access",           0, "add x1, x2, x5; mul x1, x2, x5; fadd d0, d1, d2; dmb ish; nop",
                                                                   0, 0,  0, 0,  0, 0,  0),
]


@cases("name, offset, body, ld, st, reads, writes, read_misses, write_misses, unaligned", ACCESSES)
def test_access(name, offset, body, ld, st, reads, writes, read_misses, write_misses, unaligned):
    c = count("repeat", SETUP=f"set32 x2, (DATA+{offset}); mov x5, #1; mov x6, #0", BODY=body)
    want(c, ld_retired=ld, st_retired=st, l1d_cache_rd=reads, l1d_cache_wr=writes,
         mem_access=reads + writes, l1d_cache_refill_rd=read_misses,
         l1d_cache_refill_wr=write_misses, unaligned_ldst_retired=unaligned, l1d_cache_wb=0,
         inst_retired=instructions(body), br_retired=0, pc_write_retired=0, exc_taken=0)


def test_access_literals():
    # Literals of 4, 8 and 16 bytes and a signed word are in one line after the code: four reads and
    # one miss. Level 2 reads this line and the line of the instructions. The line of k_begin was
    # fetched before.
    c = count("repeat", BODY="ldr w1, 1f; ldr x1, 1f; ldr q0, 1f; ldrsw x1, 1f",
              AUX="1: .quad 1, 2, 3, 4, 5, 6, 7, 8")
    want(c, ld_retired=4, l1d_cache_rd=4, l1d_cache_refill=1, l1i_cache_refill=1, l2d_cache_rd=2,
         l2d_cache_refill=2, unaligned_ld_spec=0)


def test_access_zero_a_block():
    # DC ZVA writes a line without reading it. Each of the three instructions makes a look-up. The
    # first one also allocates the line without filling it, and needs a translation. The address may
    # be anywhere in the line.
    c = count("repeat", events=ZEROED, SETUP="set32 x2, (DATA+40)", BODY="dc zva, x2; nop", REPS=3)
    want(c, st_retired=0, mem_access=0, l1d_cache=3, l1d_cache_wr=3, l1d_cache_refill=0,
         l1d_cache_allocate=1, l1d_cache_wb=0, l1d_tlb_refill_wr=1, dtlb_walk=1, bus_access_wr=0)


# 64 KB are 1024 lines in 16 pages. The cache has 512 lines and takes the ways in turn, so the
# second half of the block replaces the first half, which is dirty.
ZEROED = """st_retired mem_access l1d_cache l1d_cache_wr l1d_cache_refill l1d_cache_refill_rd
    l1d_cache_allocate l1d_cache_wb l1d_tlb_refill_wr dtlb_walk l2d_cache_wr l2d_cache_rd
    bus_access_wr cpu_cycles""".split()
ZERO_64_KB = {"SETUP": "set32 x2, DATA; set32 x3, 1024; mov x4, x2",
              "BODY": "1: dc zva, x2; add x2, x2, #64; subs x3, x3, #1; b.ne 1b; "
                      "ldr x5, [x2, #-64]; ldr x5, [x4]"}


def test_access_zero_more_than_the_cache():
    # Two loads follow the loop: one hits, and the other reads its line from level 2.
    c = count("repeat", RR, events=ZEROED, **ZERO_64_KB)
    want(c, mem_access=2, l1d_cache_wr=1024, l1d_cache_allocate=1024, l1d_cache_wb=513,
         l1d_tlb_refill_wr=16, l2d_cache_wr=513, l1d_cache_refill=1, bus_access_wr=0)
    # Without level 2 the lines are written to memory, in four beats each.
    want(count("repeat", RR, "l2.enable=0", events=ZEROED, **ZERO_64_KB), l1d_cache_wb=513,
         bus_access_wr=4 * 513)
    # If no event needs cycles, the model keeps no time. The other counts stay the same.
    alone = ["l1d_cache_allocate", "l1d_cache_wb", "l1d_cache_wr", "l1d_tlb_refill_wr"]
    want(count("repeat", RR, events=alone, **ZERO_64_KB), **{e: c[e] for e in alone})
    # A core that executes out of order has the same counts of its caches.
    want(count("repeat", RR, "issue.window=40", events=ZEROED, **ZERO_64_KB),
         l1d_cache_allocate=1024, l1d_cache_wb=513)


def test_access_zero_at_the_end_of_a_page():
    # QEMU ends a translated block at the end of a page, and makes no callback after the last
    # instruction of a block. pmk still knows the address that DC ZVA zeroes, if the block has not
    # written the register.
    c = count("repeat", events=ZEROED, SETUP="set32 x2, DATA",
              BODY="b 1f; .balign 4096; .skip 4088; 1: nop; dc zva, x2; nop")
    want(c, l1d_cache_wr=1, l1d_cache_allocate=1)


def test_access_zero_unseen():
    have("qemu-aarch64")
    body = "b 1f; .balign 4096; .skip 4088; 1: add x2, x2, #64; dc zva, x2; nop"
    program = build("repeat", {"SETUP": "set32 x2, DATA", "REPS": 1, "BODY": body})
    out = stat("--core", "armv8", "-e", "l1d_cache_wr,l1d_cache_allocate", program)
    if counts(out)["l1d_cache_allocate"] == 0:  # QEMU before 9.0
        contains(out["warning"], "1 instruction zeroed memory")


def test_access_two_pages_two_translations():
    # A doubleword begins 4 bytes before the end of a page, so each of the two pages makes one
    # look-up and one miss in the TLBs.
    for op, read in (("ldr", 1), ("str", 0)):
        want(count("repeat", SETUP="set32 x2, (DATA+0xffc)", BODY=f"{op} x1, [x2]"), l1d_tlb=2,
             l1d_tlb_refill_rd=2 * read, l1d_tlb_refill_wr=2 - 2 * read, dtlb_walk=2,
             l1d_cache_refill=2, unaligned_ldst_retired=1)


def test_access_structure_over_two_pages():
    # 64 bytes, with elements of one byte, begin 4 bytes before the end of a page. They are one
    # access in two parts.
    for op in ("ld1", "ld4", "st4", "st1"):
        want(count("repeat", SETUP="set32 x2, (DATA+0xffc)", BODY=op + " {v0.16b-v3.16b}, [x2]"),
             l1d_cache=5, l1d_cache_refill=2, dtlb_walk=2, l1d_tlb_refill=2,
             unaligned_ldst_retired=0)


def test_access_the_same_instruction_again():
    # QEMU reports these accesses in pieces. Each access counts once, even in a loop, and even if it
    # overlaps the access before. The first kernel makes 10 passes of 2 + 2 + 1 look-ups, and the
    # second makes 7 times 2 + 2 + 2.
    body = "ldp q0, q1, [x10]; ldp q2, q3, [x10, #16]; ldr q4, [x10, #16]"
    want(count("loop", BODY=body, COUNT=10), ld_retired=30, l1d_cache_rd=50, l1d_cache_refill=1)
    want(count("repeat", BODY="ldp q0, q1, [x10]; ldp q0, q1, [x10]; ldp q0, q1, [x10, #16]",
               REPS=7),
         ld_retired=21, l1d_cache_rd=42, l1d_cache_refill=1)


def test_access_width_of_a_look_up():
    # LDR X, LDP X, LDP Q and LD1 transfer 8, 16, 32 and 64 bytes. dcache.bytes is how many bytes
    # one look-up covers.
    body = "ldr x1, [x10]; ldp x1, x3, [x10]; ldp q0, q1, [x10]; ld1 {v0.16b-v3.16b}, [x10]"
    for width, pieces in ((8, 1 + 2 + 4 + 8), (16, 1 + 1 + 2 + 4), (32, 1 + 1 + 1 + 2), (64, 4)):
        want(count("repeat", f"dcache.bytes={width}", BODY=body), l1d_cache_rd=pieces, ld_retired=4,
             l1d_cache_refill=1)


def test_access_cache_off():
    # With dcache.enable=0 nothing misses, and each look-up is one beat on the bus: two reads and a
    # write. Fetching the line of code takes four more beats.
    c = count("repeat", "dcache.enable=0", BODY="ldr x1, [x10]; str x1, [x10]; ldr x1, [x10]")
    want(c, l1d_cache_refill=0, l1d_cache_wb=0, l1d_cache=3, bus_access_rd=2 + 4, bus_access_wr=1)


# ---- exclusives, atomics, ordered accesses, barriers ---------------------------------------------

def test_exclusives_pass_and_fail():
    # The first store passes. The second fails after CLREX, and the third because its address is
    # another one. The fourth, of a pair, passes. The fifth fails because the fourth has cleared the
    # monitor.
    body = ("ldxr x1, [x10]; stxr w3, x5, [x10]; ldxr x1, [x10]; clrex; stxr w3, x5, [x10]; "
            "ldaxr w1, [x10]; stlxr w3, w5, [x2]; ldaxp x1, x4, [x10]; stlxp w3, x1, x4, [x10]; "
            "stxr w3, x5, [x10]")
    want(count("repeat", SETUP="add x2, x10, #64; mov x5, #1", BODY=body), ldrex_spec=4,
         strex_spec=5, strex_pass_spec=2, strex_fail_spec=3, ld_retired=4, st_retired=5,
         l1d_cache_rd=4, l1d_cache_wr=2, rc_ld_spec=2, rc_st_spec=2, l1d_cache_refill_rd=1,
         l1d_cache_refill_wr=0)


def test_exclusives_of_every_size():
    body = "; ".join(f"ldxr{s} {r}1, [x10]; stxr{s} w3, {r}1, [x10]"
                     for s, r in (("b", "w"), ("h", "w"), ("", "w"), ("", "x")))
    want(count("repeat", BODY=body), ldrex_spec=4, strex_pass_spec=4, strex_fail_spec=0)


def test_exclusives_in_a_loop():
    # An atomic increment, 50 times: each store passes.
    c = count("loop", BODY="2: ldxr x1, [x10]; add x1, x1, #1; stxr w3, x1, [x10]; cbnz w3, 2b",
              COUNT=50)
    want(c, ldrex_spec=50, strex_pass_spec=50, strex_fail_spec=0, br_immed_retired=100,
         pc_write_retired=49, l1d_cache_rd=50, l1d_cache_wr=50)


def test_exclusive_store_makes_dirty():
    # The fifth load evicts the line. It is dirty, unless the store-exclusive failed.
    for store, dirty in (("ldxr x0, [x10]; stxr w3, x0, [x10]", 1),
                         ("ldxp x0, x2, [x10]; stxp w3, x0, x2, [x10]", 1),
                         ("clrex; stxr w3, x0, [x10]", 0)):
        want(count("evict", RR, DIRTY=store), l1d_cache_wb=dirty)


def v8_1(body, **expected):
    """Checks the counts of a body with atomics of v8.1. The emulated A53 and A72 do not have them,
    so the emulator's CPU "max" executes them."""
    have("qemu-aarch64")
    program = build("repeat", {"SETUP": "mov x5, #1; mov x6, #0; mov x7, #0", "BODY": body})
    # The command line is not an ELF file, so no symbols are looked up in it.
    begin, end = hex(symbol(program, "k_begin")), hex(symbol(program, "k_end"))
    doc = stat("--core", "armv8", "--from", begin, "--to", end, "-e", ",".join(EVENTS),
               "--qemu", f"qemu-aarch64 -cpu max {program}")
    c = counts(doc)
    sums_close(c, ())
    want(c, **expected)


def test_atomics_read_and_write():
    # Each atomic instruction makes a read, which fills the line, and a write, which hits. CASP has
    # 16 bytes in one look-up.
    body = (".arch armv8.1-a; ldadd x5, x1, [x10]; swp x5, x1, [x10]; cas x6, x5, [x10]; "
            "ldaddal w5, w1, [x10]; stadd x5, [x10]; swpb w5, w1, [x10]; casp x6, x7, x4, x5, "
            "[x10]")
    v8_1(body, inst_retired=7, ld_retired=7, st_retired=7, l1d_cache_rd=7, l1d_cache_wr=7,
         l1d_cache_refill_rd=1, l1d_cache_refill_wr=0, ldrex_spec=0, strex_spec=0)


def test_atomics_at_the_end_of_a_line():
    # CASP writes the last 16 bytes of a line, and QEMU reports this as two writes. They count as
    # one look-up, in this line only.
    body = ".arch armv8.1-a; add x11, x10, #48; casp x6, x7, x4, x5, [x11]"
    v8_1(body, inst_retired=2, mem_access_rd=1, mem_access_wr=1, l1d_cache_rd=1, l1d_cache_wr=1,
         l1d_cache_refill_rd=1, l1d_cache_refill_wr=0)


def test_ordered_accesses():
    body = ("ldar x1, [x10]; ldarb w1, [x10]; ldarh w1, [x10]; stlr x1, [x10]; stlrb w1, [x10]; "
            "ldxr x1, [x10]; stxr w3, x1, [x10]; ldr x1, [x10]; dmb ish")
    want(count("repeat", BODY=body), rc_ld_spec=3, rc_st_spec=2, ldrex_spec=1, dmb_spec=1)


def test_barriers():
    # Barriers of each kind and option. DSB and DMB count with every option. CLREX, SEV, YIELD and
    # NOP are not barriers.
    body = ("isb; dsb sy; dsb ish; dsb st; dmb sy; dmb ishld; dmb st; dmb ishst; clrex; sev; "
            "yield; nop")
    want(count("repeat", BODY=body), isb_spec=1, dsb_spec=3, dmb_spec=4, inst_retired=12,
         br_retired=0, pc_write_retired=0)


# ---- kinds of instructions (K3.1) ----------------------------------------------------------------
# DP is integer data processing and moves. VFP is scalar floating point, and ASE is Advanced SIMD.
# Loads, stores, and moves from or to general registers count as neither VFP nor ASE. CRYPTO is AES
# and SHA.
#
# name, instructions, then counts: dp ase vfp crypto
KINDS = [
    ("integer",
     "add x1, x2, x3; subs x1, x2, #1; mov x1, x2; mov x1, #77; and x1, x2, #3; "
                         "lsl x1, x2, #3; lsl x1, x2, x3; mul x1, x2, x3; madd x1, x2, x3, x4; "
                         "smulh x1, x2, x3; udiv x1, x2, x3; clz x1, x2; rev x1, x2; csel x1, x2, "
                         "x3, eq; ccmp x1, x2, #0, eq; adc x1, x2, x3; bfi x1, x2, #3, #4; extr "
                         "x1, x2, x3, #9; adr x1, .; crc32x w1, w2, x3; tst x1, x2; cmp x1, x2",
     22, 0, 0, 0),
    ("scalar_fp",        "fadd d0, d1, d2; fsub s0, s1, s2; fmul d0, d1, d2; fdiv s0, s1, s2; "
                         "fsqrt s0, s1; fmadd d0, d1, d2, d3; fcmp d0, d1; fcsel d0, d1, d2, eq; "
                         "fabs s0, s1; frintz d0, d1; fcvt d0, s1; fmov d0, #1.0; fmov d0, d1",
                                                                                          0, 0, 13,
     0),
    # Moves between general and vector registers belong to no kind.
    ("moves",            "fmov x1, d0; fmov d0, x1; umov w1, v0.b[0]; ins v0.d[0], x1; "
                         "dup v0.4s, w1; smov x1, v0.h[1]",                               0, 0, 0,
     0),
    ("simd",
     "add v0.4s, v1.4s, v2.4s; mul v0.8h, v1.8h, v2.8h; fadd v0.2d, v1.2d, v2.2d; "
                         "fmla v0.4s, v1.4s, v2.4s; shl v0.2d, v1.2d, #3; tbl v0.16b, {v1.16b}, "
                         "v2.16b; zip1 v0.4s, v1.4s, v2.4s; addv s0, v1.4s; movi v0.4s, #1; "
                         "and v0.16b, v1.16b, v2.16b; dup v0.4s, v1.s[0]; ext v0.16b, v1.16b, "
                         "v2.16b, #3",
                                                                                          0, 12, 0,
     0),
    ("crypto",           "aese v0.16b, v1.16b; aesd v0.16b, v1.16b; aesmc v0.16b, v1.16b; "
                         "aesimc v0.16b, v1.16b; sha1h s0, s1; sha1c q0, s1, v2.4s; "
                         "sha256h q0, q1, v2.4s; sha256su0 v0.4s, v1.4s",                 0, 0, 0,
     8),
    ("loads_and_stores", "ldr x1, [x10]; ldr d0, [x10]; str q0, [x10]; ld1 {v0.4s}, [x10]; "
                         "ldp x1, x2, [x10]; prfm pldl1keep, [x10]",                      0, 0, 0,
     0),
    ("system",           "nop; isb; dmb ish; mrs x1, nzcv; msr nzcv, x1; mrs x1, tpidr_el0; yield",
                                                                                          0, 0, 0,
     0),
]


@cases("name, body, dp, ase, vfp, crypto", KINDS)
def test_kind(name, body, dp, ase, vfp, crypto):
    want(count("repeat", SETUP="mov x3, #1", BODY=body), dp_spec=dp, ase_spec=ase, vfp_spec=vfp,
         crypto_spec=crypto, inst_retired=instructions(body))


# ---- branches: which instructions are which ------------------------------------------------------
# "taken" is pc_write_retired, which counts only taken branches. "immed" is br_immed_retired, which
# also counts branches that are not taken.
#
#    name                instructions                                immed return indirect taken all
BRANCHES = [
    ("b",                "b 1f; nop; 1: nop",                            1, 0, 0, 1, 2),
    # A branch to the next instruction also changes the PC.
    ("b_to_next",        "b 1f; 1: nop",                                 1, 0, 0, 1, 2),
    ("bl_ret",           "bl f; nop",                                    1, 1, 1, 2, 3),
    ("ret_by_register",  "bl g; nop",                                    1, 1, 1, 2, 4),
    ("br",               "br x11; nop; .org 0x40; nop",                  0, 0, 1, 1, 2),
    ("blr",              "blr x12; nop",                                 0, 1, 2, 2, 3),
    # BR X30 is not a return.
    ("br_lr",            "bl h; nop",                                    1, 0, 1, 2, 3),
    ("taken",            "cmp x10, x10; b.eq 1f; nop; 1: b.ge 2f; nop; 2: nop",
                                                                         2, 0, 0, 2, 4),
    ("not_taken",        "cmp x10, x10; b.ne 1f; b.lt 1f; b.hi 1f; 1: nop",
                                                                         3, 0, 0, 0, 5),
    ("always",           "b.al 1f; nop; 1: nop",                         1, 0, 0, 1, 2),
    ("cbz",
     "cbz x10, 1f; cbnz x10, 2f; 1: nop; 2: cbz xzr, 3f; nop; 3: cbnz wzr, 4f; 4: nop",
                                                                         4, 0, 0, 2, 5),
    # Bit 23 of DATA is 1.
    ("tbz",              "tbz x10, #23, 1f; tbnz x10, #23, 2f; 1: nop; 2: tbz x10, #63, 3f; nop; "
                         "3: tbnz w10, #0, 4f; 4: nop",                  4, 0, 0, 2, 5),
    ("no_branch",        "csel x1, x2, x3, eq; adr x1, .; isb; nop",     0, 0, 0, 0, 4),
    # The function ends by a branch to another function, which returns.
    ("tail_call",        "bl t; nop",                                    2, 1, 1, 3, 4),
]
FUNCTIONS = ("f: ret; .balign 64; g: mov x13, x30; ret x13; .balign 64; h: br x30; .balign 64; "
             "t: b f")


@cases("name, body, immed, returns, indirect, taken, executed", BRANCHES)
def test_branch(name, body, immed, returns, indirect, taken, executed):
    body = body.replace(".org 0x40", ".balign 64")
    c = count("repeat", SETUP="adr x11, k_begin + 0x40; adr x12, f", BODY=body, AUX=FUNCTIONS)
    want(c, br_immed_retired=immed, br_return_retired=returns, br_indirect_spec=indirect,
         pc_write_retired=taken, inst_retired=executed, br_retired=immed + indirect)


def test_exceptions():
    # The system call getpid, three times. SVC counts as an exception, but not as a branch or a
    # write of the PC (our choice).
    c = count("repeat", SETUP="mov x8, #172", BODY="svc #0; nop", REPS=3)
    want(c, exc_taken=3, exc_svc=3, exc_undef=0, pc_write_retired=0, br_retired=0, inst_retired=6)


def test_exceptions_undefined():
    # BRK ends the program with SIGTRAP (5), and UDF with SIGILL (4). Each takes an exception. On a
    # core they do not retire. The emulator shows them like executed instructions, so pmk counts
    # them (our choice).
    for word, code in (("brk #0", 133), ("udf #0", 132)):
        program = build("repeat", {"BODY": word})
        c = counts(stat("--core", "armv8", "-e", "exc_taken,exc_undef,exc_svc", program, code=code))
        want(c, exc_taken=1, exc_undef=1, exc_svc=0)


# ---- direction prediction ------------------------------------------------------------------------

class Predictor:
    """A predictor of two-bit counters, which are "weakly not taken" at first. The index is the
    exclusive or of the word address, modulo the number of counters, and the history."""

    def __init__(self, entries=3072, history=8):
        self.state, self.past, self.entries, self.bits = {}, 0, entries, history
        self.wrong = 0

    def branch(self, addr, taken):
        i = (addr >> 2) % self.entries ^ self.past % self.entries
        s = self.state.get(i, 1)
        self.wrong += (s >= 2) != taken
        self.state[i] = min(s + 1, 3) if taken else max(s - 1, 0)
        self.past = (self.past << 1 | taken) & (1 << self.bits) - 1


def pattern(bits, *sets, n=32, **more):
    return count("pattern", *sets, PATTERN=f"0x{bits:08x}", COUNT=n, **more)


ALWAYS, NEVER, ALTERNATE_T, ALTERNATE_N = 0xffffffff, 0, 0x55555555, 0xaaaaaaaa
PERIOD_TTN, PERIOD_NNT = 0x1b6db6db, 0x24924924  # lowest bit first: 110 110 …, 001 001 …


def test_predictor_loop():
    # The loop's branch is taken 99 times, then not. The history is 0, then 1, 3, 7 … 0x7f, 0xff.
    # So nine counters are used, each of which predicts "not taken" the first time: 9 wrong. From
    # then on the history stays at 0xff, whose counter has learned. The exit is wrong, too.
    want(count("loop", COUNT=100), br_mis_pred=9 + 1, br_immed_retired=100, pc_write_retired=99)
    # With n bits of history, the branch uses n + 1 counters.
    for n in (0, 1, 4, 10):
        want(count("loop", f"bp.history={n}", COUNT=100), br_mis_pred=n + 1 + 1)


def test_predictor_loop_again():
    # With WARM=1, the second run begins with another history, which ends in the first run's loop
    # exit and the branch back to the start (… 1 1 0 1). As long as these two outcomes are in the
    # history, the branch uses new counters.
    p, wrong = Predictor(), []
    program = build("loop", {"COUNT": 100, "WARM": 1})
    begin, end = symbol(program, "k_begin"), symbol(program, "k_end")
    for again in range(2):
        p.wrong = 0
        for i in range(100):
            p.branch(begin + 16, i < 99)
        wrong.append(p.wrong)
        # The branch back is resolved before k_begin, so its misprediction does not count.
        p.branch(end + 4, not again)
    equal(wrong[0], 10)
    want(count("loop", COUNT=100, WARM=1), br_mis_pred=wrong[1])


def test_predictor_never():
    # 16 branches are not taken, as the first state of a counter, "weakly not taken", predicts.
    want(count("repeat", SETUP="cmp x10, x10", BODY="b.ne 1f; nop; 1: nop", REPS=16), br_mis_pred=0,
         br_immed_retired=16, pc_write_retired=0)


def test_predictor_once_each():
    # 16 taken branches at 16 addresses use new counters, which are wrong. Without history, the
    # second run finds these counters in state 2, which is right.
    body = "b.eq 1f; nop; 1: nop"
    want(count("repeat", SETUP="cmp x10, x10", BODY=body, REPS=16), br_mis_pred=16,
         pc_write_retired=16)
    want(count("repeat", LOCAL, SETUP="cmp x10, x10", BODY=body, REPS=16, WARM=1), br_mis_pred=0)


def test_predictor_unconditional():
    # B and BL need no prediction, not even the first time.
    want(count("repeat", BODY="b 1f; nop; 1: nop; bl f; nop", AUX="f: ret", REPS=16), br_mis_pred=0,
         pc_write_retired=48)


def test_predictor_without_history():
    # Each of the two branches has its own counter, which begins in state 1; states 2 and 3 predict
    # "taken". The counter of the loop's branch is wrong in the first pass and at the exit: 2. How
    # often the other counter is wrong depends on the pattern. Always taken is wrong once, and never
    # taken is never wrong. T N T N … goes from state 1 to 2 and back, and is wrong all 32 times. N
    # T N T … goes from 1 to 0 and back, and is wrong at each T: 16. T T N … is wrong at the first T
    # and then at each N. N N T … is wrong at each T.
    for bits, wrong, n in ((ALWAYS, 1, 32), (NEVER, 0, 32), (ALTERNATE_T, 32, 32),
                           (ALTERNATE_N, 16, 32), (PERIOD_TTN, 11, 30), (PERIOD_NNT, 10, 30)):
        want(pattern(bits, LOCAL, n=n), br_mis_pred=wrong + 2, br_immed_retired=2 * n,
             pc_write_retired=bin(bits & (1 << n) - 1).count("1") + n - 1)


def test_predictor_learns_a_pattern():
    # With history a pattern of period 2 or 3 is learned. Only counters that are used for the first
    # time can be wrong. In 32 passes, taken branches use at most 9 + 9 new counters.
    for bits, n in ((ALTERNATE_T, 32), (ALTERNATE_N, 32), (PERIOD_TTN, 30), (PERIOD_NNT, 30)):
        wrong = pattern(bits, n=n)["br_mis_pred"]
        assert wrong <= 18 + 1, wrong


def lfsr(n):
    x = 1
    for _ in range(n):
        out, x = x & 1, x >> 1
        if out:
            x ^= 0x80200003
        yield bool(out)


def test_predictor_restated():
    # Patterns, and a random sequence of 3000 branches, for several sizes of the predictor.
    for defines, sequence in (({"PATTERN": "0x1b6db6db", "COUNT": 30}, None),
                              ({"PATTERN": "0x55555555", "COUNT": 32}, None),
                              ({"LFSR": 1, "COUNT": 3000}, lfsr)):
        n = defines["COUNT"]
        begin = symbol(build("pattern", defines), "k_begin")
        outcomes = (list(sequence(n)) if sequence else
                    [bool(int(defines["PATTERN"], 16) >> i & 1) for i in range(n)])
        for entries, history in ((3072, 8), (4096, 8), (64, 8), (16, 0), (2, 1), (4096, 16),
                                 (3, 0), (12, 2), (96, 5)):
            p = Predictor(entries, history)
            for i, taken in enumerate(outcomes):
                p.branch(begin + 16, taken)
                p.branch(begin + 28, i < n - 1)
            c = count("pattern", f"bp.entries={entries}", f"bp.history={history}", **defines)
            want(c, br_mis_pred=p.wrong, pc_write_retired=sum(outcomes) + n - 1)


def nested(turns, times):
    """Returns the outcomes of the branches of a loop inside a loop: (true for the inner loop's
    branch, taken)."""
    for i in range(times):
        for j in range(turns):
            yield True, j < turns - 1
        yield False, i < times - 1


def test_predictor_loop_in_a_loop():
    # The predictor learns the exit of the inner loop if the history holds all turns of that loop
    # and the outer branch. 8 outcomes are enough for 7 turns, and the 12 outcomes of the Cortex-A72
    # for 11. With more turns, each exit is mispredicted. In the first passes, new counters are
    # wrong, too.
    for core, entries, history in (("cortex-a53", 3072, 8), ("cortex-a72", 4096, 12)):
        for turns in (2, 7, 11, 14):
            defines = {"BODY": f"mov x1, #{turns}; 5: sub x1, x1, #1; cbnz x1, 5b", "COUNT": 100}
            begin = symbol(build("loop", defines), "k_begin")
            p = Predictor(entries, history)
            for inner, taken in nested(turns, 100):
                p.branch(begin + (16 if inner else 24), taken)
            want(count("loop", core=core, events=["br_mis_pred"], **defines), br_mis_pred=p.wrong)
            assert (p.wrong >= 90) == (turns > history), (core, turns, p.wrong)


def test_predictor_table_that_is_no_power_of_two():
    # There are 3072 counters, and no history. Two branches share a counter if they are 3072 words
    # apart, but not if they are 3071, 3073 or 4096 words apart. The first branch is taken and the
    # second is not, so a shared counter goes up and down and is always wrong.
    for words, wrong in ((3072, 40 + 2), (3071, 1 + 2), (3073, 1 + 2), (4096, 1 + 2)):
        body = ("cbnz x0, 5f; nop; 5: b 6f; .space " + str(4 * (words - 3)) +
                "; 6: cbz x0, 7f; nop; 7: ")
        want(count("loop", LOCAL, BODY=body, COUNT=20), br_mis_pred=wrong, br_immed_retired=80)


def test_predictor_aliases():
    # The predictor has two counters and no history. A is taken, B is not, and the loop's branch is
    # taken except at the exit. At words 2, 5 and 8, A and the loop's branch share a counter, which
    # is wrong the first time and at the exit; B has its own counter. At words 2, 4 and 7, A and B
    # share a counter, which goes up from 1 and down again, so it is always wrong; the loop's branch
    # has its own counter.
    body = "cbnz x0, 5f; nop; 5: {}cbz x0, 6f; nop; 6: "
    for between, wrong in (("nop; ", 2), ("", 40 + 2)):
        want(count("loop", LOCAL, "bp.entries=2", BODY=body.format(between), COUNT=20),
             br_mis_pred=wrong, br_immed_retired=60)


# ---- returns and indirect branches ---------------------------------------------------------------

def test_return_stack_depth():
    # The return stack has 8 entries. A ninth call drops the oldest address, so the last return
    # finds nothing.
    for depth, wrong in ((1, 0), (7, 0), (8, 0), (9, 1), (11, 3)):
        want(count("calls", DEPTH=depth), br_mis_pred=wrong, br_return_retired=depth,
             br_immed_retired=depth, pc_write_retired=2 * depth)
    want(count("calls", "rs.entries=3", DEPTH=8), br_mis_pred=5)
    want(count("calls", "rs.entries=16", DEPTH=11), br_mis_pred=0)
    want(count("calls", "rs.enable=0", DEPTH=4), br_mis_pred=4)


def test_return_stack_again():
    # Each of the 5 calls of depth 10 overwrites two addresses of the return stack, so two of its
    # returns are wrong.
    want(count("calls", DEPTH=10, REPS=5), br_mis_pred=10, br_return_retired=50)


def test_return_elsewhere():
    # The function returns 4 bytes after the expected address, so each return is mispredicted.
    # Afterwards the return stack is correct again.
    c = count("repeat", BODY="bl f; nop; nop", AUX="f: add x30, x30, #4; ret", REPS=10)
    want(c, br_mis_pred=10, br_return_retired=10, inst_retired=40)


BRANCH_KINDS = ["br_indirect_mispred", "br_indirect_mispred_addr", "br_cond", "br_cond_mispred",
                "other_iq_dep_stall"]


# NO_SHADOW: the core does not wait after taken branches. SHADOW: it waits as the Cortex-A53 does.
NO_SHADOW = "fetch.taken=0", "fetch.indirect=0"
SHADOW = "fetch.taken=2", "fetch.indirect=2"


@pytest.mark.parametrize("branches, far", [(40, False), (80, True)])
def test_far_branches(branches, far):
    # The loop makes 200 passes through `branches` branches. The core remembers the targets of 64
    # branches. A branch whose target it does not remember is far, and takes fetch.far cycles more.
    # So 40 branches are far only in the first pass, and 80 branches are far in each pass.
    body = "; ".join(["add x14, x14, #1; b 7f; nop; 7:"] * branches)
    less, more = (count("loop", LOCAL, f"fetch.far={n}", core="cortex-a72", events=["cpu_cycles"],
                        BODY=body, COUNT=200)["cpu_cycles"] for n in (0, 2))
    assert more - less == pytest.approx(2 * branches * 200 if far else 0, abs=8 * branches)


@pytest.mark.parametrize("calls, far", [(1, 0), (2, 2), (5, 5)])
def test_far_returns(calls, far):
    # Each of 200 passes calls a function from `calls` places. A return is far if it goes to another
    # place than the last time.
    body = "; ".join(["bl f; add x14, x14, #1"] * calls)
    less, more = (count("loop", LOCAL, f"fetch.far={n}", core="cortex-a72", events=["cpu_cycles"],
                        BODY=body, AUX=FUNCTIONS, COUNT=200)["cpu_cycles"] for n in (0, 2))
    assert more - less == pytest.approx(2 * far * 200, abs=16 * (calls + 1))


def test_return_without_call():
    # RET goes to the address in x11. The return stack is empty.
    body = {"SETUP": "adr x11, k_begin + 8", "BODY": "ret x11; nop; nop"}
    want(count("repeat", **body), br_mis_pred=1, br_return_retired=1, inst_retired=2)
    want(count("repeat", core="cortex-a53", events=BRANCH_KINDS, **body), br_indirect_mispred=1,
         br_indirect_mispred_addr=0, br_cond=0, br_cond_mispred=0, other_iq_dep_stall=9)


def test_return_by_an_indirect_branch():
    # BR X30 does not pop the return stack. Three calls return by BR, each to a new target, so three
    # are mispredicted.
    body = "bl h; nop; bl h; nop; bl h; nop"
    want(count("repeat", BODY=body, AUX=FUNCTIONS), br_mis_pred=3, br_return_retired=0,
         br_indirect_spec=3)


def test_indirect_targets():
    # One BR is executed in 12 passes. With one target, it is mispredicted once. With two targets in
    # turn, it is mispredicted 12 times. With 4 targets, each of which is used 3 times in a row, it
    # is mispredicted 4 times.
    goto = "add x11, x12, x13, lsl #4; br x11; nop; .balign 16; 3: b 4f; .balign 16; b 4f; " \
           ".balign 16; b 4f; .balign 16; b 4f; .balign 16; 4: add x14, x14, #1"
    for choose, wrong in (("mov x13, #0", 1), ("and x13, x14, #1", 12), ("lsr x13, x15, #0", 1),
                          ("mov x16, #3; udiv x13, x14, x16", 4)):
        loop = {"SETUP": "adr x12, 3f; mov x14, #0; mov x15, #0", "BODY": f"{choose}; {goto}",
                "COUNT": 12}
        # The loop's own branch is wrong in the first and the last pass.
        want(count("loop", LOCAL, **loop), br_mis_pred=wrong + 2, br_indirect_spec=12)
        # The first time there is no predicted target that could be wrong.
        want(count("loop", LOCAL, *NO_SHADOW, core="cortex-a53", events=BRANCH_KINDS, **loop),
             br_indirect_mispred=wrong, br_indirect_mispred_addr=wrong - 1, br_cond=12,
             br_cond_mispred=2, other_iq_dep_stall=9 * (wrong + 2))


class Targets:
    """A second implementation of the predictor of indirect targets. The index of an entry is the
    branch's word address XOR the previous targets, of which `history` bits are used. The latest
    target is not shifted, and each earlier one is shifted by two bits more."""

    def __init__(self, entries, history):
        self.entries, self.bits, self.said, self.past, self.wrong = entries, history, {}, [], 0

    def branch(self, addr, target):
        i = addr >> 2
        for age, t in enumerate(reversed(self.past[-8:])):
            i ^= (t >> 2 << 2 * age) % 2 ** self.bits
        self.wrong += self.said.get(i % self.entries) != target
        self.said[i % self.entries] = target
        self.past.append(target)


def test_indirect_targets_by_history():
    # BLR calls two functions in turn, four functions in turn, or functions in a pattern of period
    # 7. With history, only the first passes are mispredicted, because they use new entries. Without
    # history, a prediction is right only if the target is the same as the last time. The Cortex-A72
    # has 8 bits of history and 1024 entries; the Cortex-A53 has no history.
    functions = "f: ret; .balign 16; ret; .balign 16; ret; .balign 16; ret"
    choose = {2: "and x13, x14, #1", 4: "and x13, x14, #3",
              7: "mov x16, #7; udiv x13, x14, x16; msub x13, x13, x16, x14; lsr x13, x13, #1"}
    for period, first in choose.items():
        defines = {"SETUP": "adr x12, f; mov x14, #0", "AUX": functions, "COUNT": 60,
                   "BODY": f"{first}; add x11, x12, x13, lsl #4; add x14, x14, #1; blr x11"}
        program = build("loop", defines)
        at = symbol(program, "k_begin") + 8 + 4 * len(first.split(";")) + 8
        f = symbol(program, "f")
        for core, sets, entries, bits in (("cortex-a72", (), 1024, 8), ("cortex-a53", (), 256, 0),
                                          ("cortex-a53", ("bp.indirect_history=8",), 256, 8),
                                          ("cortex-a53", ("bp.indirect_history=3",
                                                          "bp.indirect=4"), 4, 3)):
            t = Targets(entries, bits)
            for i in range(60):
                t.branch(at, f + 16 * (i % period // (2 if period == 7 else 1)))
            # The loop's branch is wrong as often as without the call.
            plain = count("loop", *sets, core=core, events=["br_mis_pred"], COUNT=60,
                          BODY="nop; " * 4)
            c = count("loop", *sets, core=core, events=["br_mis_pred"], **defines)
            want(c, br_mis_pred=t.wrong + plain["br_mis_pred"])
            if bits != 3:
                assert (t.wrong <= 20) == (bits > 0), (core, period, t.wrong)


def test_indirect_targets_share_an_entry():
    # There are 256 entries without tags, and the word address is the index. So two BR that are 1024
    # bytes apart share an entry. Each replaces the target of the other, so both are mispredicted in
    # each pass. If they are 1020 bytes apart, each is mispredicted once. The loop's branch is
    # mispredicted in the first and the last pass.
    for space, wrong in ((1024, 20), (1020, 2)):
        body = ("adr x11, 3f; br x11; 3: adr x12, 4f; b 2f; .space " + str(space - 16) +
                "; 2: nop; br x12; 4: nop")
        c = count("loop", LOCAL, BODY=body, COUNT=10)
        want(c, br_mis_pred=wrong + 2, br_indirect_spec=20)


def test_indirect_calls():
    # The last target predicts a BLR, and the return stack predicts the return. Calls from 8 places
    # are mispredicted once each, and no return is.
    want(count("repeat", SETUP="adr x12, f", BODY="blr x12; nop", AUX=FUNCTIONS, REPS=8),
         br_mis_pred=8, br_indirect_spec=16, br_return_retired=8)
    want(count("loop", LOCAL, SETUP="adr x12, f", BODY="blr x12", AUX=FUNCTIONS, COUNT=8),
         br_mis_pred=1 + 2, br_indirect_spec=16)


# ---- prefetching ---------------------------------------------------------------------------------
#
# The prefetcher of the Cortex-A53 starts a stream when the same stride, of up to four lines, occurs
# twice in a row. It has two streams at once. Each is five lines ahead and ends with the page. DATA
# is at the start of a page, which has 64 lines.

PREFETCHES = ["l1d_cache_refill", "prefetch_linefill", "l2d_cache_refill", "bus_access"]
OFF = "prefetch.streams=0"


def walk(*sets, core="cortex-a53", events=PREFETCHES, **defines):
    return count("walk", *sets, core=core, events=events, PASSES=1, **defines)


def test_prefetch_a_page():
    # Lines 0, 1 and 2 miss, which is a stride of 1 twice in a row. Then lines 3 to 7 are
    # prefetched, and one more line for each line that is used, until the page ends. So 61 lines are
    # prefetched. Level 2 also fetches the line of k_begin.
    want(walk(STRIDE=64, COUNT=64), l1d_cache_refill=3, prefetch_linefill=61, l2d_cache_refill=65,
         bus_access=4 * 65)
    want(walk(OFF, STRIDE=64, COUNT=64, events=["l1d_cache_refill"]), l1d_cache_refill=64)


def test_prefetch_runs_ahead():
    # Ten lines are used: three miss, and seven were prefetched. Five more were not used.
    want(walk(STRIDE=64, COUNT=10), l1d_cache_refill=3, prefetch_linefill=7 + 5)
    want(walk("prefetch.lines=2", STRIDE=64, COUNT=10), l1d_cache_refill=3, prefetch_linefill=7 + 2)
    # Two lines start no stream. Nor do three lines if the same stride must occur three times.
    want(walk(STRIDE=64, COUNT=2), l1d_cache_refill=2, prefetch_linefill=0)
    want(walk("prefetch.trigger=3", STRIDE=64, COUNT=3), l1d_cache_refill=3, prefetch_linefill=0)
    # With a step of one, the stream is one line ahead, and each use fetches one more line.
    want(walk("prefetch.step=1", STRIDE=64, COUNT=10), l1d_cache_refill=3, prefetch_linefill=7 + 1)


def test_prefetch_strides():
    # A walk over every second, third or fourth line starts a stream, and a walk over every fifth
    # line does not. A page of 64 lines has 32, 22, 16 and 13 such lines. Further words within a
    # line start no stream.
    for stride, n in ((128, 32), (192, 22), (256, 16)):
        want(walk(STRIDE=stride, COUNT=n), l1d_cache_refill=3, prefetch_linefill=n - 3)
    want(walk(STRIDE=320, COUNT=13), l1d_cache_refill=13, prefetch_linefill=0)
    want(walk("prefetch.stride=5", STRIDE=320, COUNT=13), l1d_cache_refill=3, prefetch_linefill=10)
    want(walk(STRIDE=8, COUNT=512), l1d_cache_refill=3, prefetch_linefill=61)


def test_prefetch_backwards():
    # The walk goes from the last line of the page to the first.
    body = "ldr x1, [x2]; sub x2, x2, #64"
    c = count("loop", core="cortex-a53", events=PREFETCHES, SETUP="set32 x2, (DATA+4032)",
              BODY=body, COUNT=64)
    want(c, l1d_cache_refill=3, prefetch_linefill=61)


def test_prefetch_ends_with_the_page():
    # A stream starts again in each of three pages. With prefetch.pages it continues in the next
    # page, and finally five lines beyond the last page.
    want(walk(STRIDE=64, COUNT=192), l1d_cache_refill=9, prefetch_linefill=183)
    want(walk("prefetch.pages=on", STRIDE=64, COUNT=192), l1d_cache_refill=3,
         prefetch_linefill=189 + 5)


# Loads from N pages in turn, one line further in each pass: N interleaved streams.
def side_by_side(streams, *sets):
    body = "; ".join((["ldr x1, [x2]"] + [f"add x3, x2, #{i}, lsl #12; ldr x1, [x3]"
                                          for i in range(1, streams)]) + ["add x2, x2, #64"])
    return count("loop", *sets, core="cortex-a53", events=PREFETCHES, SETUP="set32 x2, DATA",
                 BODY=body, COUNT=20)


def test_prefetch_streams_side_by_side():
    # The prefetcher follows two streams at once. At the end, each stream has prefetched five lines
    # that are not used. With three streams in the program, the third replaces the first, the first
    # replaces the second, and so on, so more lines miss. prefetch.streams=3 is enough for three.
    want(side_by_side(2), l1d_cache_refill=2 * 3, prefetch_linefill=2 * (17 + 5))
    want(side_by_side(3, "prefetch.streams=3"), l1d_cache_refill=3 * 3,
         prefetch_linefill=3 * (17 + 5))
    assert side_by_side(3)["l1d_cache_refill"] > 3 * 3


def test_prefetch_nothing_at_random():
    # The loads access random lines in 512 KB, where two equal strides of at most four lines in a
    # row are rare.
    c = count("random", core="cortex-a53", events=PREFETCHES, COUNT=4000, BITS=13)
    assert c["prefetch_linefill"] <= c["l1d_cache_refill"] // 50, c


def test_prefetch_of_stores():
    # Stores start no streams on our Cortex-A53 (its preset explains why). With prefetch.stores they
    # start streams, as loads do. If they prefetch only into level 2, all lines miss in level 1, and
    # only three lines of data miss in level 2.
    events = ["l1d_cache_refill", "prefetch_linefill", "l2d_cache_refill"]
    want(walk(ACCESS="str", STRIDE=64, COUNT=64, events=events), l1d_cache_refill=64,
         prefetch_linefill=0, l2d_cache_refill=65)
    want(walk("prefetch.stores=2", ACCESS="str", STRIDE=64, COUNT=64, events=events),
         l1d_cache_refill=3, prefetch_linefill=61, l2d_cache_refill=65)
    want(walk("prefetch.stores=1", "prefetch.l2_lines=8", ACCESS="str", STRIDE=64, COUNT=64,
              events=events), l1d_cache_refill=64, prefetch_linefill=0, l2d_cache_refill=65)


def test_prefetch_of_the_a72():
    # The Cortex-A72 has no event for prefetching. Three lines miss, and the stream continues over
    # three pages. Level 2 fetches 22 lines more than are used.
    events = ["l1d_cache_refill", "l2d_cache_refill"]
    want(walk(STRIDE=64, COUNT=192, core="cortex-a72", events=events), l1d_cache_refill=3,
         l2d_cache_refill=192 + 22 + 1)
    want(walk(OFF, STRIDE=64, COUNT=192, core="cortex-a72", events=events), l1d_cache_refill=192,
         l2d_cache_refill=192 + 1)
    # The walk goes backwards, with the largest number of streams. Each stream is four lines ahead
    # in level 1.
    body = "; ".join(["ldr x1, [x2]"] + [f"add x3, x2, #{i}, lsl #12; ldr x1, [x3]"
                                         for i in range(1, 8)] + ["sub x2, x2, #64"])
    c = count("loop", core="cortex-a72", events=["l1d_cache_refill"], BODY=body, COUNT=20,
              SETUP="set32 x2, (DATA+0x1f00)")
    want(c, l1d_cache_refill=8 * 3)


def test_prefetch_takes_less_time():
    # A line takes 120 cycles from memory. 64 lines one after the other take 64 times as long. With
    # five requests at a time they take a fifth of that, after the three lines that start the
    # stream.
    events = ["cpu_cycles"]
    chain = {"SETUP": "set32 x2, DATA", "BODY": "ldr x1, [x2]; add x2, x2, x1; add x2, x2, #64",
             "COUNT": 64}
    slow = count("loop", OFF, core="cortex-a53", events=events, **chain)["cpu_cycles"]
    fast = count("loop", core="cortex-a53", events=events, **chain)["cpu_cycles"]
    assert 64 * 120 < slow < 64 * 140, slow
    assert (3 + 61 / 5) * 120 < fast < (3 + 61 / 5) * 120 + 64 * 15, fast


def test_prefetch_is_the_same_without_a_clock():
    # If no event needs cycles, the model has no clock, but it prefetches the same lines.
    for defines in ({"STRIDE": 64, "COUNT": 300}, {"STRIDE": 192, "COUNT": 100}):
        alone = walk(events=["l1d_cache_refill", "prefetch_linefill"], **defines)
        timed = walk(events=["l1d_cache_refill", "prefetch_linefill", "cpu_cycles"], **defines)
        assert all(timed[e] == n for e, n in alone.items()), (alone, timed)


# ---- stalls: what waits for what ----------------------------------------------------------------
#
# A pass is BODY, and the SUB and CBNZ of the loop, which issue in cycles that BODY leaves free.
# Latencies of the Cortex-A53: 3 cycles for a load, 4 for additions of doubles and for
# multiplications.

WAITS = [
    # The second load issues in cycle 3, which is two cycles late, and CBNZ in 4. The next pass
    # could begin in 5, but the address of its first load is available only in 6.
    ("agu_dep_stall", "ldr x11, [x11]; ldr x11, [x11]", 2 + 1),
    ("agu_dep_stall", "ldr x11, [x11]", 1),
    # The second instruction issues in cycle 4, which is three cycles late, and CBNZ in 5. The next
    # pass could begin in 6, and its first instruction issues in 8.
    ("simd_dep_stall", "fadd d0, d0, d1; fadd d0, d0, d1", 3 + 2),
    ("other_interlock_stall", "mul w12, w12, w13; mul w12, w12, w13", 2 + 1),
    # A store waits for its data, which it needs a cycle later than its address.
    ("other_interlock_stall", "mul w12, w13, w13; str w12, [x14]", 1),
    ("agu_dep_stall", "mul x12, x13, xzr; ldr w15, [x14, x12]", 3),
]
CAUSES = ["other_interlock_stall", "agu_dep_stall", "simd_dep_stall", "ld_dep_stall",
          "st_dep_stall", "stall_sb_full", "ic_dep_stall", "iutlb_dep_stall"]


@cases("cause, body, cycles", WAITS)
def test_stalls(cause, body, cycles):
    a, b = (count("loop", LOCAL, core="cortex-a53", events=CAUSES, BODY=body, COUNT=n,
                  SETUP="set32 x11, DATA; str x11, [x11]; set32 x14, (DATA+64); mov w13, #3")
            for n in (20, 120))
    got = {c: b[c] - a[c] for c in CAUSES}
    equal(got, {c: 100 * cycles if c == cause else 0 for c in CAUSES})


def test_stalls_add_up():
    """Each cycle without issue has exactly one cause, in a walk through four times the cache size,
    with stores through a write buffer of one entry, and with random loads and stores."""
    for kernel, sets, defines in (("walk", ("utlb.entries=2",), {"STRIDE": 64, "COUNT": 2048,
                                                                 "PASSES": 2}),
                                  ("repeat", ("wbuf.entries=1", "mem.write=50"), {
                                      "SETUP": "set32 x2, DATA", "REPS": 40,
                                      "BODY": "str x1, [x2], #64; fadd d0, d0, d0"}),
                                  ("random", (), {"COUNT": 2000, "BITS": 12})):
        a53 = count(kernel, *sets, OFF, core="cortex-a53", events=CAUSES + ["other_iq_dep_stall"],
                    **defines)
        whole = count(kernel, *sets, *SHADOW, events=["stall_backend", "stall_frontend"], **defines)
        back = [n for e, n in a53.items() if e in CAUSES[:5]]
        front = [n for e, n in a53.items() if e in CAUSES[6:] + ["other_iq_dep_stall"]]
        equal([sum(back), sum(front)], [whole["stall_backend"], whole["stall_frontend"]], kernel)
        assert sum(back) + sum(front) > 100, kernel
        if kernel == "repeat":
            assert a53["st_dep_stall"] > 0 < a53["stall_sb_full"], a53


# ---- level 1 data cache --------------------------------------------------------------------------
# The code of walk.S is one line, which is fetched while pmk counts. So l1i_cache_refill is 1, and
# level 2 has one more read and refill.

def test_walk_half_the_cache():
    # The first pass fills 256 lines into invalid ways. Nothing is evicted with either replacement
    # policy.
    for how in ("cache.round_robin=0", RR):
        want(count("walk", how, STRIDE=64, COUNT=256, PASSES=4), l1d_cache_rd=1024,
             l1d_cache_refill=256, l1d_cache_wb=0, l2d_cache_rd=257, l2d_cache_refill=257,
             bus_access_rd=4 * 257, bus_access_wr=0)


def test_walk_the_whole_cache():
    # All 512 lines fit, 4 in each of the 128 sets.
    for how in ("cache.round_robin=0", RR):
        want(count("walk", how, STRIDE=64, COUNT=512, PASSES=4), l1d_cache=2048,
             l1d_cache_refill=512)


def test_walk_double_words_of_the_whole_cache():
    want(count("walk", STRIDE=8, COUNT=4096, PASSES=2), l1d_cache=8192, l1d_cache_refill=512)


def test_walk_in_pieces():
    # 256 LDR Q in steps of 24 bytes cover 6136 bytes, which are 96 lines. Their offsets in a line
    # repeat after 8 accesses (192 bytes, 3 lines): 0, 24, 48; 8, 32, 56; 16, 40. Of these, only the
    # access at 56 is in two lines. Every second access is not aligned to 16 bytes.
    want(count("walk", REG="q2", STRIDE=24, COUNT=256, PASSES=2), ld_retired=512,
         l1d_cache_rd=2 * (256 + 32), l1d_cache_refill=96, unaligned_ld_spec=256)


def test_walk_twice_a_direct_mapped_cache():
    # The cache has 512 sets of one way, and the walk has 1024 lines, so each line evicts a line
    # that is needed half a pass later.
    want(count("walk", "dcache.ways=1", STRIDE=64, COUNT=1024, PASSES=3), l1d_cache_refill=3072,
         l2d_cache_rd=3073, l2d_cache_refill=1025)


def test_walk_twice_the_cache_at_random():
    # Each set has 4 ways for 8 lines. No policy keeps more than 512 of the 1024 lines from one pass
    # to the next, so each pass has at least 512 misses. With random replacement, let m be the
    # misses of a set in a pass. A line survives until its next use with probability h = (3/4)^m,
    # and m = 8 (1 - h). So h = 0.137, m = 6.9, and a pass has 884 misses. Ten passes after the
    # first stay within 5 % of that. The first pass misses 1024 times.
    c = count("walk", STRIDE=64, COUNT=1024, PASSES=11)
    assert 1024 + 10 * 840 <= c["l1d_cache_refill"] <= 1024 + 10 * 928, c
    equal(c["l2d_cache_refill"], 1025)


def test_walk_a_cache_of_64k():
    want(count("walk", "dcache.size=64K", STRIDE=64, COUNT=1024, PASSES=3), l1d_cache_refill=1024)


def test_walk_by_the_way_size():
    # The lines are 8192 bytes apart, all in set 0. Four lines fit. Of five, round robin always
    # evicts the one that is needed next.
    want(count("walk", RR, STRIDE=8192, COUNT=4, PASSES=5), l1d_cache=20, l1d_cache_refill=4)
    want(count("walk", RR, STRIDE=8192, COUNT=5, PASSES=5), l1d_cache=25, l1d_cache_refill=25)
    # There are 4 ways of 256 sets, so the five lines are in two sets.
    want(count("walk", RR, "dcache.size=64K", STRIDE=8192, COUNT=5, PASSES=5), l1d_cache_refill=5)


def directory(n, bits, size, ways):
    """Returns the counts of random.S, from a second implementation of the rules of the cache
    directory and of the micro-TLB. The cache fills invalid ways first, the lowest number first, and
    then uses one round robin counter for all sets; reads and writes allocate. The micro-TLB has 10
    entries, which are filled and replaced in turn."""
    sets, turn, x = size // 64 // ways, 0, 1
    tags, dirty, tlb = {}, set(), []
    c = dict(l1d_cache_rd=0, l1d_cache_wr=0, l1d_cache_refill_rd=0, l1d_cache_refill_wr=0,
             l1d_cache_wb=0, l1d_tlb_refill_rd=0, l1d_tlb_refill_wr=0, dtlb_walk=0)
    pages_seen = set()
    for _ in range(n):
        x = (x * 1103515245 + 12345) & 0xffffffff
        line, way = x >> 32 - bits, "wr" if x >> 31 - bits & 1 else "rd"
        page = line // 64
        c["l1d_cache_" + way] += 1
        if page not in tlb:
            c["l1d_tlb_refill_" + way] += 1
            tlb = (tlb + [page])[-10:]
        pages_seen.add(page)
        row = tags.setdefault(line % sets, [])
        if line not in row:
            c["l1d_cache_refill_" + way] += 1
            if len(row) < ways:
                row.append(line)
            else:
                c["l1d_cache_wb"] += row[turn % ways] in dirty
                dirty.discard(row[turn % ways])
                row[turn % ways] = line
                turn += 1
        if way == "wr":
            dirty.add(line)
    c["dtlb_walk"] = len(pages_seen)  # at most 32 pages, one in each set
    return c


def test_random_accesses_round_robin():
    # 64 KB are 16 pages, and 128 KB are 32 pages.
    for size, ways, bits in ((32768, 4, 10), (16384, 2, 10), (4096, 1, 10), (32768, 8, 11),
                             (65536, 4, 11)):
        want(count("random", RR, f"dcache.size={size}", f"dcache.ways={ways}", COUNT=4000,
                   BITS=bits),
             **directory(4000, bits, size, ways))


# ---- write-backs ---------------------------------------------------------------------------------
# evict.S accesses five lines of set 0. DIRTY may make the first line dirty, and the fifth evicts
# it.
DIRTY = [
    ("nothing", "", 0),
    ("store", "str x0, [x10]", 1),
    ("last_byte", "strb w0, [x10, #63]", 1),
    ("two_stores", "str x0, [x10]; str x0, [x10, #32]", 1),
    ("pair", "stp x0, x1, [x10, #48]", 1),
    ("pair_in_the_next_line_too", "stp x0, x1, [x10, #56]", 1),
    ("vector", "str q0, [x10, #16]", 1),
    ("structure", "st4 {v0.16b-v3.16b}, [x10]", 1),
    ("single_structure", "st1 {v0.b}[3], [x10]", 1),
    ("release", "stlr x0, [x10]", 1),
    ("next_line_only", "str x0, [x10, #64]", 0),
    ("load", "ldp q0, q1, [x10]", 0),
]


@cases("name, instructions, lines", DIRTY)
def test_writeback(name, instructions, lines):
    want(count("evict", RR, DIRTY=instructions), l1d_cache_wb=lines, l2d_cache_wr=lines)


def test_writeback_and_back_again():
    # The load gets the line from level 2, where it hits, and the line is clean. It evicts the
    # second line, which is not dirty. The store after the load hits.
    c = count("evict", RR, DIRTY="str x0, [x10]", AFTER="ldr x0, [x10]; str x0, [x10]")
    want(c, l1d_cache_refill=6, l1d_cache_wb=1, l2d_cache_rd=7, l2d_cache_refill=6, l2d_cache_wb=0)


def test_stores_walk_twice_a_direct_mapped_cache():
    # Every evicted line is dirty. The first pass evicts 512 lines, because the other 512 fill
    # invalid ways. The next two passes evict 1024 lines each.
    want(count("walk", "dcache.ways=1", ACCESS="str", STRIDE=64, COUNT=1024, PASSES=3),
         st_retired=3072, l1d_cache_refill_wr=3072, l1d_cache_refill_rd=0, l1d_cache_wb=2560,
         l2d_cache_wr=2560, l2d_cache_refill=1025)


# ---- level 2 -------------------------------------------------------------------------------------
# With a direct mapped level 1 of 512 sets a walk over more than 64 KB misses there at every line.

def test_level_2_fits():
    # 480 KB are 15 lines in each of the 512 sets. The 16th way is left for the few lines of code.
    want(count("walk", "dcache.ways=1", STRIDE=64, COUNT=7680, PASSES=2), l1d_cache_refill=15360,
         l2d_cache_rd=15361, l2d_cache_refill=7681, bus_access_rd=4 * 7681)
    # 512 KB are half of 1 MB.
    want(count("walk", "dcache.ways=1", "l2.size=1M", STRIDE=64, COUNT=8192, PASSES=2),
         l2d_cache_rd=16385, l2d_cache_refill=8193)


def test_level_2_does_not_fit():
    # Level 2 is also direct mapped, with 8192 sets. Each of the 16384 lines evicts a line that is
    # needed half a pass later.
    want(count("walk", "dcache.ways=1", "l2.ways=1", STRIDE=64, COUNT=16384, PASSES=2),
         l1d_cache_refill=32768, l2d_cache_refill=32769, l2d_cache_wb=0)


def test_level_2_writes_back():
    # The walk stores to 16384 lines once. A line leaves level 1, dirty, 512 lines later, when level
    # 2 still has it. So level 1 evicts 16384 - 512 lines. Level 2 evicts a line 8192 lines later,
    # and writes it to memory. So level 2 evicts 16384 - 8192 lines.
    want(count("walk", "dcache.ways=1", "l2.ways=1", ACCESS="str", STRIDE=64, COUNT=16384,
               PASSES=1),
         l1d_cache_wb=15872, l2d_cache_wr=15872, l2d_cache_wb=8192, bus_access_wr=4 * 8192)


def test_level_2_off():
    # Without level 2, line fills and write-backs use the bus. 1024 + 1 lines are filled, and 512
    # are written back.
    want(count("walk", "dcache.ways=1", "l2.enable=0", ACCESS="str", STRIDE=64, COUNT=1024,
               PASSES=1),
         l1d_cache_refill=1024, l1d_cache_wb=512, l2d_cache=0, l2d_cache_refill=0,
         bus_access_rd=4 * 1025, bus_access_wr=4 * 512)


def test_width_of_the_bus():
    # 64 lines of data and one of code are transferred in beats of 8, 32 or 64 bytes.
    for width, beats in ((8, 8), (32, 2), (64, 1)):
        want(count("walk", f"bus.bytes={width}", STRIDE=64, COUNT=64, PASSES=1),
             bus_access_rd=65 * beats)


# ---- TLBs ----------------------------------------------------------------------------------------
# COUNT loads, each in a separate page, ten times.

def pages(n, *sets, stride=4160, **more):
    return count("walk", *sets, STRIDE=stride, COUNT=n, PASSES=10, **more)


def test_tlb_10_pages():
    # The pages fit in the micro-TLB: each page misses once, in both levels.
    want(pages(8), l1d_tlb_refill=8, l2d_tlb_refill=8, l1d_tlb=80, l1i_tlb_refill=0)
    want(pages(10), l1d_tlb_refill_rd=10, l2d_tlb_refill=10, dtlb_walk=10)


def test_tlb_11_pages():
    # Round robin over 10 entries always evicts the page that is needed next, so every access
    # misses. The main TLB holds all 11 pages after the first pass.
    want(pages(11), l1d_tlb_refill_rd=110, l1d_tlb_refill_wr=0, l2d_tlb_refill=11, dtlb_walk=11)
    want(pages(11, ACCESS="str"), l1d_tlb_refill_rd=0, l1d_tlb_refill_wr=110, dtlb_walk=11)


def test_tlb_512_pages():
    # Each of the 128 sets of four ways holds four pages. The page of the code shares set 4 with
    # four of them, and the fourth evicts it. It is not needed again, because the micro-TLB has it.
    want(pages(512, stride=4096), l1d_tlb_refill=5120, l2d_tlb_refill=512, l1i_tlb_refill=0)


def test_tlb_640_pages():
    # Each set has four ways for five pages. Round robin evicts each page before it is needed again.
    want(pages(640, stride=4096), l1d_tlb_refill=6400, l2d_tlb_refill=6400, dtlb_walk=6400)


def test_tlb_more_entries():
    want(pages(11, "utlb.entries=11"), l1d_tlb_refill=11, l2d_tlb_refill=11)
    want(pages(8, "utlb.entries=7"), l1d_tlb_refill=80, l2d_tlb_refill=8)
    want(pages(640, "tlb.entries=1024", stride=4096), l1d_tlb_refill=6400, l2d_tlb_refill=640)


def test_tlb_mmu_off():
    want(pages(100, "mmu.enable=0"), l1d_tlb_refill=0, l1i_tlb_refill=0, l2d_tlb_refill=0,
         l1d_cache_refill=100)


def test_tlb_pages_64k_apart_in_the_hints():
    # The pages are 256 pages apart, so they share one entry in the model's table of pages that need
    # no look-up. This must not change counts: the micro-TLB is fully associative and holds 10.
    for n, misses in ((5, 5), (6, 6)):
        want(count("walk", STRIDE=0x100000, COUNT=n, PASSES=10), l1d_tlb_refill=misses,
             l2d_tlb_refill=n, l1d_cache=10 * n)


def code_pages(n, passes, *sets):
    return count("codepages", *sets, PAGES=n, PASSES=passes)


def test_itlb_10_pages():
    # The page of k_begin is present. Each of the 9 other pages misses once.
    want(code_pages(10, 5), l1i_tlb_refill=9, itlb_walk=9, l1d_tlb_refill=0)


def test_itlb_11_pages():
    # The eleventh page evicts the first, and so on, so there are 11 misses in each pass.
    want(code_pages(11, 5), l1i_tlb_refill=55, itlb_walk=10, dtlb_walk=0)


def test_itlb_refill_stalls_fetch():
    # The first pass walks 10 times. The other 45 refills come from the main TLB and take 2 or 20
    # cycles.
    near, far = code_pages(11, 5), code_pages(11, 5, "utlb.penalty=20")
    equal(far["stall_frontend"] - near["stall_frontend"], 45 * 18)
    equal(far["cpu_cycles"] - near["cpu_cycles"], 45 * 18)


# ---- instruction cache ---------------------------------------------------------------------------

def test_icache_straight_line():
    # The 8 lines of 16 NOPs are fetched from memory once, in 120 cycles each. Two NOPs issue per
    # cycle. There are 32 look-ups of 16 bytes.
    want(count("repeat", BODY="nop", REPS=128), l1i_cache_refill=8, l1i_cache=32, inst_retired=128,
         l2d_cache_refill=8, stall_frontend=8 * 120, cpu_cycles=64 + 8 * 120)
    want(count("repeat", "mem.latency=60", BODY="nop", REPS=128), stall_frontend=8 * 60,
         cpu_cycles=64 + 8 * 60)
    for width, looks in ((4, 128), (8, 64), (64, 8)):
        want(count("repeat", f"fetch.bytes={width}", BODY="nop", REPS=128), l1i_cache=looks)


def test_icache_look_ups_by_block():
    # The loop begins 8 bytes after the start of a line. With 2, 3 or 8 instructions it ends at byte
    # 15, 19 or 39. Each look-up covers 16 aligned bytes, from the start of the pass to its branch.
    for body, looks in (("", 1), ("nop", 2), ("nops 6", 3)):
        a, b = (count("loop", BODY=body, COUNT=n)["l1i_cache"] for n in (10, 30))
        equal(b - a, 20 * looks, body)


def test_icache_warm():
    want(count("repeat", BODY="nop", REPS=512, WARM=1), l1i_cache_refill=0, stall_frontend=0,
         inst_retired=513)


def test_icache_off():
    # A cache that is off has no misses; its look-ups still count.
    want(count("repeat", "icache.enable=0", BODY="nop", REPS=128), l1i_cache_refill=0, l1i_cache=32,
         stall_frontend=0, cpu_cycles=64)


def test_icache_half_of_it():
    # The code has one line before the loop, 256 lines in it and one after it. All of them fit.
    want(count("codelines", LINES=256, PASSES=4), l1i_cache_refill=258)


def test_icache_twice_of_it():
    # The cache is direct mapped with 512 sets, and the loop has 1025 lines. Each line evicts a line
    # that is needed half a pass later, so all lines miss in every pass. One more line is before the
    # loop.
    want(count("codelines", "icache.ways=1", LINES=1024, PASSES=3), l1i_cache_refill=3 * 1025 + 1,
         l2d_cache_refill=1026)
    want(count("codelines", "icache.size=128K", LINES=1024, PASSES=3), l1i_cache_refill=1026)


def test_icache_from_level_2():
    # The cache has 16 lines, and the code has 33. All lines are in level 2, which takes 13 cycles
    # for each.
    for sets, latency in (((), 13), (("l2.latency=40",), 40)):
        want(count("repeat", "icache.size=1K", "icache.ways=1", *sets, BODY="nop", REPS=512,
                   WARM=1),
             l1i_cache_refill=33, l2d_cache_refill=0, stall_frontend=33 * latency)


# ---- what does not depend on anything else -------------------------------------------------------

def test_tagged_addresses():
    # The top byte of an address is ignored (DDI 0487 D5.1.4): both addresses mean the same line and
    # page.
    c = count("repeat", SETUP="orr x2, x10, #0xf000000000000000",
              BODY="ldr x1, [x10]; ldr x1, [x2]; str x1, [x2]; ldp q0, q1, [x2]")
    want(c, l1d_cache=5, l1d_cache_refill=1, l1d_tlb_refill=1)


def test_same_counts_on_the_cortex_a53():
    # The Cortex-A53's PMU counts its events like the generic PMU.
    events = ("inst_retired ld_retired st_retired br_immed_retired br_indirect_spec "
              "pc_write_retired br_mis_pred mem_access l1d_cache l1d_cache_refill l1d_cache_wb "
              "l1i_cache l2d_cache l1d_tlb_refill bus_access cpu_cycles").split()
    for kernel, defines in (("random", {"COUNT": 2000, "BITS": 11}), ("calls", {"DEPTH": 9})):
        c = count(kernel, *SHADOW, **defines)
        equal(count(kernel, core="cortex-a53", events=events, **defines), {e: c[e] for e in events})


def test_the_cortex_a72():
    # The Cortex-A72's micro-TLBs hold 48 pages. It issues three instructions a cycle, and a
    # misprediction takes 15 cycles. Its data cache has two ways of 256 sets.
    def a72(kernel, *sets, **defines):
        return count(kernel, *sets, core="cortex-a72",
                     events=["l1d_tlb_refill", "l1d_cache_refill", "cpu_cycles", "br_mis_pred"],
                     **defines)

    want(a72("walk", STRIDE=4160, COUNT=48, PASSES=10), l1d_tlb_refill=48)
    want(a72("walk", STRIDE=4160, COUNT=49, PASSES=10), l1d_tlb_refill=490)
    want(a72("walk", RR, STRIDE=16384, COUNT=3, PASSES=10), l1d_cache_refill=30)
    want(a72("repeat", BODY="nop", REPS=29, WARM=1), cpu_cycles=10)
    wrong = dict(BODY="bl f; nop; nop", AUX="f: add x30, x30, #4; ret", REPS=16, WARM=1)
    equal(a72("repeat", "branch.max=20", **wrong)["cpu_cycles"]
          - a72("repeat", **wrong)["cpu_cycles"], 16 * 5)


def test_same_counts_alone_and_together():
    program = build("random", {"COUNT": 2000, "BITS": 11})
    together = count("random", COUNT=2000, BITS=11)
    for event in ("l1d_cache_refill", "cpu_cycles", "inst_retired", "stall_backend"):
        alone = counts(stat("--core", "armv8", "--from", "k_begin", "--to", "k_end", "-e", event,
                            program))
        equal(alone, {event: together[event]})


def test_same_counts_with_and_without_a_window():
    # A longer run adds as much to the counts from k_begin to k_end as to those of the whole
    # program.
    a, b = (count("random", COUNT=n, BITS=11) for n in (1000, 3000))
    w = [counts(stat("--core", "armv8", "-e", ",".join(EVENTS),
                     build("random", {"COUNT": n, "BITS": 11})))
         for n in (1000, 3000)]
    for event in EVENTS:
        equal(w[1][event] - w[0][event], b[event] - a[event], event)


def test_timing_parameters_change_cycles_only():
    # Counts do not depend on timing.
    times = ("cpu_cycles", "stall_frontend", "stall_backend", "stall")
    slow = count("random", "mem.latency=200", "mem.fill=9", "mem.write=7", "utlb.penalty=30",
                 "tlb.penalty=300", "lsu.slots=1", "wbuf.entries=2", "l2.latency=50",
                 "issue.width=1", "branch.max=30", COUNT=2000, BITS=11)
    fast = count("random", COUNT=2000, BITS=11)
    for event in EVENTS:
        if event not in times:
            equal(slow[event], fast[event], event)
    assert slow["cpu_cycles"] > fast["cpu_cycles"]


# ---- memory at high addresses --------------------------------------------------------------------

def test_a_gigabyte_far_away():
    # 1 GB at 0x7000000000 is mapped by mmap(MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS |
    # MAP_NORESERVE), with one store in each 64 KB. These are 16384 pages and lines, all of them in
    # set 0. The last four stay, and the others are evicted dirty.
    mmap = ("mov x0, #0x7000000000; mov x1, #0x40000000; mov x2, #3; mov x3, #0x4032; mov x4, #-1; "
            "mov x5, #0; mov x8, #222; svc #0; mov x2, x0; mov w3, #16384")
    c = count("repeat", SETUP=mmap,
              BODY="5: str x1, [x2]; add x2, x2, #0x10, lsl #12; sub w3, w3, #1; "
                                         "cbnz w3, 5b; nop")
    want(c, st_retired=16384, l1d_cache_refill_wr=16384, l1d_cache_wb=16380, dtlb_walk=16384,
         l1d_tlb_refill_wr=16384, inst_retired=4 * 16384 + 1)


def test_a_stack_at_an_odd_place():
    # SP is 3 bytes before the end of a page. STP and LDP access the 16 bytes below it, in one line.
    # STR and LDR access 16 bytes from it on, in two lines and pages. The alignment of SP is not
    # checked.
    body = "stp x0, x1, [sp, #-16]!; ldp x0, x1, [sp], #16; str q0, [sp]; ldr q0, [sp]"
    want(count("repeat", SETUP="set32 x2, (DATA+4093); mov sp, x2", BODY=body), l1d_cache_wr=3,
         l1d_cache_rd=3, unaligned_st_spec=2, unaligned_ld_spec=2, l1d_cache_refill=2, dtlb_walk=2)


# ---- processes, threads, signals -----------------------------------------------------------------
# C programs with functions whose instructions are known: work(n) executes 2 n + 2, note() 2, and
# fact(n) 10 (n - 1) + 4, with two loads and two stores for each n above 1.

FUNCTIONS_C = r"""
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
long work(long n);
long fact(long n);
void note(int sig);
__asm__(".text\n"
	".global work, fact, note\n"
	".type work, %function\n.type fact, %function\n.type note, %function\n"
	"work: nop\n1: sub x0, x0, #1\n cbnz x0, 1b\n ret\n"
	"fact: cmp x0, #1\n b.gt 1f\n mov x0, #1\n ret\n"
	"1: stp x29, x30, [sp, #-32]!\n str x0, [sp, #16]\n sub x0, x0, #1\n bl fact\n"
	" ldr x1, [sp, #16]\n mul x0, x0, x1\n ldp x29, x30, [sp], #32\n ret\n"
	"note: nop\n ret\n");
static sigjmp_buf env;
static void come_back(int sig) { note(sig); }
static void leave(int sig) { note(sig); siglongjmp(env, 1); }
static void *thread(void *n) { return (void *)work((long)n); }
static void threads(void)
{
	pthread_t t[5];

	for (long i = 0; i < 5; i++)
		pthread_create(&t[i], NULL, thread, (void *)(1000 * (i + 1)));
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
}
static void forks(void)
{
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			work(100 * (i + 1));
			_exit(i);
		}
	while (wait(NULL) > 0)
		;
	work(1000);
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	signal(SIGUSR1, come_back);
	signal(SIGSEGV, leave);
	if (!strcmp(what, "threads"))
		threads();
	if (!strcmp(what, "forks"))
		forks();
	if (!strcmp(what, "recursion"))
		for (int i = 1; i <= 10; i++)
			fact(i);
	if (!strcmp(what, "signals"))
		for (int i = 0; i < 50; i++)
			raise(SIGUSR1);
	if (!strcmp(what, "faults"))
		for (long i = 0; i < 100; i++)
			if (!sigsetjmp(env, 1))
				*(volatile int *)(i * 8) = 1;
	if (!strcmp(what, "killed")) {
		work(500);
		raise(SIGKILL);
	}
	return 0;
}
"""


def regions(what, *functions, flags=("-static",), code=0):
    program = build_c("a64-functions", FUNCTIONS_C, "-O1", "-pthread", *flags, prefix=CROSS64)
    options = [w for f in functions for w in ("--region", f)]
    doc = stat("--core", "armv8", "-e",
               "inst_retired,ld_retired,st_retired,br_return_retired,exc_svc", *options, program,
               what, code=code)
    entered = {c["region"]: c["entries"] for c in doc["counters"] if c["region"]}
    return {f: (entered[f], counts(doc, f)) for f in functions}


PROGRAMS = [
    # work(n) with n = 1000, 2000, 3000, 4000 and 5000 in five threads; with n = 100, 200 and 300 in
    # three children, and n = 1000 in their parent.
    ("threads", "work", 5, 2 * 15000 + 2 * 5, 5, {}),
    ("forks", "work", 4, 2 * 1600 + 2 * 4, 4, {}),
    # fact(1) to fact(10) are called and call themselves, which makes 55 calls. Each instruction
    # counts once.
    ("recursion", "fact", 55, 10 * 45 + 4 * 10, 55, {}),
    ("signals", "note", 50, 100, 50, {}),
    # A store faults in the middle of a block, and the handler leaves by siglongjmp().
    ("faults", "note", 100, 200, 100, {}),
    # The counts are reported when the program dies.
    ("killed", "work", 1, 2 * 500 + 2, 1, dict(code=137)),
    ("recursion_dynamic", "fact", 55, 10 * 45 + 4 * 10, 55, dict(flags=())),
    ("recursion_static_pie", "fact", 55, 10 * 45 + 4 * 10, 55, dict(flags=("-static-pie",))),
]


@cases("name, function, entered, instructions, returns, how", PROGRAMS)
def test_program(name, function, entered, instructions, returns, how):
    times, c = regions(name.partition("_")[0], function, **how)[function]
    equal(times, entered)
    want(c, inst_retired=instructions, br_return_retired=returns)


def test_program_recursion_loads_and_stores():
    _, c = regions("recursion", "fact")["fact"]
    want(c, ld_retired=90, st_retired=90)


def test_three_runs_are_identical():
    program = build_c("a64-functions", FUNCTIONS_C, "-O1", "-pthread", "-static", prefix=CROSS64)
    documents = []
    for i in range(3):
        path = os.path.join(WORK, f"a64-same-{os.getpid()}.json")
        equal(pmk("stat", "--json-document", "-o", path, "--core", "cortex-a53", "-e", "all",
                  program,
                  "recursion").code,
              0)
        with open(path, "rb") as f:
            documents.append(f.read())
        os.unlink(path)
    assert documents[0] == documents[1] == documents[2], "three runs differ"
    contains(pmk("stat", "-r", "3", "-e", "cycles", program, "forks").err,
             "identical in all 3 runs")


def test_intervals_add_up():
    # 20000 passes of two instructions run in intervals of 5000 instructions. Each interval ends
    # with the block that contains its last instruction.
    program = build("loop", {"COUNT": 20000})
    events = ("inst_retired", "cpu_cycles", "br_retired")
    whole = counts(stat("--core", "armv8", "-e", ",".join(events), program))
    doc = stat("--core", "armv8", "-e", ",".join(events), "-I", "5000insns", program)
    for event in events:
        parts = [c["counter-value"] for c in doc["counters"] if c["event"] == event]
        equal(sum(parts), whole[event], event)
        if event == "inst_retired":
            assert len(parts) == 9 and all(abs(n - 5000) <= 4 for n in parts[:-1]), parts


def test_programs_of_other_processors():
    arm = build_c("a64-not", "int main(void) { return 0; }", "-static", prefix=CROSS)
    big = build_c("a64-big-endian", ".globl _start\n_start: mov x8, #93\nsvc #0\n", "-nostdlib",
                  "-static", "-mbig-endian", "-Wl,-EB", prefix=CROSS64, ext="S")
    for core, program, code in (("microblaze", arm, 129),
                                ("arm1176", build("loop", {"COUNT": 1}), 129),
                                ("cortex-a53", big, 126)):
        out = pmk("stat", "--core", core, "-e", "cycles", program)
        equal(out.code, code, out.err)
        assert len(out.err.splitlines()) == 1, out.err
