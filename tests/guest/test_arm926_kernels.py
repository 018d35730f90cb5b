# SPDX-License-Identifier: MIT
"""Known-answer kernels on the buses of the ARM926EJ-S Development Chip: small ARM programs, for
which the counts of the AHB Monitor follow from the caches and the bus protocol. Sizes are those of
the arm926 core: 32 KB caches with 4 ways of 256 sets (a way is 8 KB), and a TLB of 64 pages in 2
ways of 32 sets. HCLK is a third of the core clock. Memory has 5 wait states for the first word of a
read and 2 for the first word of a write. Connecting a layer to a slave that another layer used
takes 1 more.

Every test counts on all 91 counters, and checks sums that hold for every program (identities())."""
import hashlib
import os

from harness import *

KERNELS = os.path.join(SOURCE, "tests", "guest", "kernels")

RR = "cache.round_robin=1"


def build(body, setup="nop", aux="nop", reps=1):
    flags = ["-march=armv5te", "-marm", "-I", KERNELS, "-nostdlib", "-static", "-Wl,-z,noexecstack",
             "-Wl,--build-id=none", "-Wl,-Ttext=0x10000", "-Wl,-Tbss=0x100000",
             f"-DSETUP={setup}", f"-DAUX={aux}", f"-DREPS={reps}", f"-DBODY={body}"]
    name = hashlib.sha256(repr(flags).encode()).hexdigest()[:16]
    return compile_arm(os.path.join(KERNELS, "bus.S"), "arm926-" + name, *flags)


def identities(c):
    """Checks sums that hold for every program, because no layer has errors, retries or bursts that
    end early."""
    equal(c["ct_armi_rd"],
          c["ct_armi_burst_single"] + 4 * c["ct_armi_burst_incr4"] + 8 * c["ct_armi_line_fill"])
    equal(c["ct_armd_rd"] + c["ct_armd_wr"],
          c["ct_armd_burst_single"] + 4 * c["ct_armd_burst_incr4"] + 8 * c["ct_armd_burst_incr8"] +
          8 * c["ct_armd_line_fill"])
    for n in ("0", "1"):
        dma = {k.replace(f"ct_dma{n}_", ""): v for k, v in c.items() if f"ct_dma{n}_" in k}
        bursts = 4 * dma["burst_incr4"] + 8 * dma["burst_incr8"] + 16 * dma["burst_incr16"]
        assert abs(dma["rd"] + dma["wr"] - bursts) < 16 or dma["burst_incr"], dma
    assert c["ct_armd_page_walk_d"] + c["ct_armd_page_walk_i"] <= c["ct_armd_burst_single"], c
    assert c["ct_armd_cast_out4"] <= c["ct_armd_burst_incr4"], c
    assert c["ct_armd_cast_out8"] <= c["ct_armd_burst_incr8"], c
    for layer in ("armi", "clcd", "dma0", "dma1", "exp", "armd"):
        waits = {k: c[f"ct_{layer}_wait_{k}"] for k in ("total", "non_seq_slave", "non_seq_bus")}
        assert waits["non_seq_slave"] + waits["non_seq_bus"] <= waits["total"], (layer, waits)
        # A cycle of a layer is idle, a wait, or the end of a transfer.
        beats = c[f"ct_{layer}_rd"] + c.get(f"ct_{layer}_wr", 0)
        assert waits["total"] + beats <= c["ct_total_cycles"], (layer, c)
    equal(c["ct_total_cycles_en"], c["ct_total_cycles"])
    equal(c["ct_total_cycles_non_debug"], c["ct_total_cycles_en"])


def count(program, *options):
    have("qemu-arm")
    doc = stat("--core", "arm926", "--from", "k_begin", "--to", "k_end", "-e", "all", *options,
               program)
    c = counts(doc)
    equal(len(c), 91)
    assert all(isinstance(n, int) for n in c.values()), c
    identities(c)
    return c


def measure(body, *sets, setup="nop", aux="nop", traffic=(), **kw):
    options = [w for s in sets for w in ("--set", s)] + [w for t in traffic
                                                         for w in ("--traffic", t)]
    return count(build(body, setup, aux, **kw), *options)


def want(c, **expected):
    wrong = [f"{e}: got {c['ct_' + e]}, want {n}" for e, n in expected.items() if c["ct_" + e] != n]
    assert not wrong, "; ".join(wrong)


# ---- the data side -------------------------------------------------------------------------------

def test_a_load_that_misses():
    # ARM-I fetches the line of the code with a WRAP8. It waits 5 cycles for memory, and no cycle
    # for a connection, because ARM-I was the last layer that used the memory. The load executes as
    # soon as the first word has come, and the first read of the page table starts on ARM-D. ARM-I
    # still transfers 7 words. In the first of these 7 cycles, ARM-D puts the address of its read on
    # the bus. In the other 6, the read waits for the bus, and one of them also connects ARM-D to
    # the memory. Then the read waits 5 cycles for memory. The second read of the page table waits 5
    # cycles, and so does the WRAP8 that fills the line of the data.
    c = measure("ldr r1, [r10]")
    want(c, armi_rd=8, armi_line_fill=1, armi_wait_total=5, armi_wait_non_seq_slave=5,
         armi_wait_non_seq_bus=0, armd_rd=10, armd_wr=0, armd_burst_single=2, armd_line_fill=1,
         armd_page_walk_d=2, armd_page_walk_i=0, armd_wait_total=21, armd_wait_non_seq_slave=15,
         armd_wait_non_seq_bus=6, armd_wait_threshold_hit=3, armi_wait_threshold_hit=1)


def test_nothing_happens_on_the_other_layers():
    c = measure("ldr r1, [r10]")
    quiet = [e for e in c if e.startswith(("ct_clcd", "ct_dma", "ct_exp", "ct_gxi"))]
    equal(len(quiet), 9 + 16 + 10 + 18 + 9)
    equal({e: c[e] for e in quiet if c[e]}, {})


def test_a_line_is_filled_once():
    want(measure("ldr r1, [r10]; ldr r2, [r10, #28]; ldrb r3, [r10, #17]; ldmia r10, {r1-r4}"),
         armd_line_fill=1, armd_rd=10, armd_burst_single=2)


def test_one_linefill_for_each_line():
    # 100 lines of 32 bytes from the start of a page are 3200 bytes, in one page.
    body = "mov r3, #100; 1: ldr r1, [r2], #32; subs r3, r3, #1; bne 1b"
    want(measure(body, setup="mov r2, r10"), armd_line_fill=100, armd_page_walk_d=2, armd_rd=802,
         armd_burst_single=2, armd_wr=0)


def test_a_load_across_lines_fills_both():
    want(measure("ldrd r4, [r10, #28]", setup="nop"), armd_line_fill=2)


# A way has 8 KB, so the fifth line of set 0 evicts the first one. Each line is in a separate page.
EVICT = ("ldr r0, [r10]; {}; add r2, r10, #8192; ldr r1, [r2]; add r2, r2, #8192; ldr r1, [r2]; "
         "add r2, r2, #8192; ldr r1, [r2]; add r2, r2, #8192; ldr r1, [r2]")

# The store that makes the line dirty, and the cast-outs that follow from it: the numbers of half
# lines, of whole lines, and of written words.
DIRTY = [
    ("nothing", "nop", 0, 0, 0),
    ("a_word_of_the_low_half", "str r0, [r10, #12]", 1, 0, 4),
    ("a_word_of_the_high_half", "str r0, [r10, #16]", 1, 0, 4),
    ("a_byte", "strb r0, [r10, #31]", 1, 0, 4),
    ("both_halves", "str r0, [r10]; str r0, [r10, #28]", 0, 1, 8),
    ("a_double_word", "strd r0, [r10, #8]", 1, 0, 4),
    ("four_words_in_the_middle", "add r2, r10, #8; stmia r2, {r4-r7}", 0, 1, 8),
    ("eight_words", "stmia r10, {r0-r7}", 0, 1, 8),
]


@cases("name, dirty, four, eight, words", DIRTY)
def test_evicted_with(name, dirty, four, eight, words):
    c = measure(EVICT.format(dirty), RR)
    want(c, armd_line_fill=5, armd_page_walk_d=10, armd_rd=50, armd_wr=words,
         armd_cast_out4=four, armd_cast_out8=eight, armd_burst_incr4=four,
         armd_burst_incr8=eight, armd_burst_single=10)


def test_cast_outs_pass_the_alignment_test():
    c = measure(EVICT.format("str r0, [r10, #16]"), RR, "castout4.aligned=1")
    want(c, armd_cast_out4=1)


# ---- writes that miss ----------------------------------------------------------------------------

# Stores to absent lines, and the bursts that their words make. Reading the page table makes two
# more single transfers.
#         name               instructions                         single incr4 incr8 words
STORES = [
    ("a_word", "str r1, [r2]", 1, 0, 0, 1),
    ("a_byte", "strb r1, [r2, #3]", 1, 0, 0, 1),
    ("a_half_word", "strh r1, [r2, #2]", 1, 0, 0, 1),
    ("a_double_word", "strd r4, [r2]", 2, 0, 0, 2),
    ("three_words", "stmia r2, {r4-r6}", 3, 0, 0, 3),
    ("four_words", "stmia r2, {r4-r7}", 0, 1, 0, 4),
    ("five_words", "stmia r2, {r4-r8}", 1, 1, 0, 5),
    ("eight_words", "stmia r2, {r0-r7}", 0, 0, 1, 8),
    # The words are at 0x10 to 0x2f. A burst ends at the end of its line (our choice).
    ("eight_words_in_two_lines", "add r3, r2, #16; stmia r3, {r0-r7}", 0, 2, 0, 8),
    ("two_words_apart", "str r1, [r2]; str r1, [r2, #4]", 2, 0, 0, 2),
]


@cases("name, body, single, incr4, incr8, words", STORES)
def test_store_of(name, body, single, incr4, incr8, words):
    c = measure(body, setup="mov r2, r10")
    # The stores of a program in User mode have another HPROT than cast-outs, so four words in one
    # burst do not count as a cast-out.
    want(c, armd_line_fill=0, armd_wr=words, armd_rd=2, armd_burst_single=2 + single,
         armd_burst_incr4=incr4, armd_burst_incr8=incr8, armd_cast_out4=0, armd_cast_out8=0,
         armd_page_walk_d=2)


def test_a_store_that_hits_stays_inside():
    want(measure("ldr r1, [r10]; str r1, [r10]; str r1, [r10, #4]"), armd_wr=0, armd_line_fill=1)


def test_write_through_writes_every_store():
    # Stores that miss make no line dirty: five lines of a set are read, and nothing is cast out.
    c = measure(EVICT.format("str r0, [r10]; str r0, [r10, #16]; strb r0, [r10]"), RR,
                "dcache.write_through=1")
    want(c, armd_wr=3, armd_burst_single=13, armd_line_fill=5, armd_cast_out4=0, armd_cast_out8=0)


def test_write_allocate_fills_instead():
    want(measure("str r1, [r10]; str r1, [r10, #4]", "dcache.write_allocate=1"), armd_wr=0,
         armd_line_fill=1)


def test_the_write_buffer_holds_four_writes():
    # An HCLK cycle is three core cycles. If the buffer is not full, eight stores in a row take
    # eight core cycles. With one entry for addresses, they wait for each other.
    stores = "; ".join(f"str r1, [r10, #{4 * i}]" for i in range(8))
    few = measure(stores, "wbuf.entries=1")
    many = measure(stores, "wbuf.entries=8")
    assert few["ct_total_cycles"] > many["ct_total_cycles"] + 10, (few, many)


def test_cache_off():
    # Every loaded word is a separate transfer: 1 + 4 reads. The stores are 1 write, and a burst of
    # 4 words.
    c = measure("ldr r1, [r10]; ldmia r10, {r4-r7}; str r1, [r10]; stmia r10, {r4-r7}",
                "dcache.enable=0")
    want(c, armd_line_fill=0, armd_rd=2 + 5, armd_wr=5, armd_burst_single=2 + 5 + 1,
         armd_burst_incr4=1)


# ---- translation ---------------------------------------------------------------------------------

PAGES = ("mov r4, #2; 1: mov r2, r10; mov r3, #{0}; 2: ldr r1, [r2]; add r2, r2, #4096; subs r3, "
         "r3, #1; bne 2b; subs r4, r4, #1; bne 1b")


def test_pages_that_fit_the_tlb():
    # The loop uses 32 pages, one for each set, twice. The second time they are present.
    want(measure(PAGES.format(32)), armd_page_walk_d=64, armd_page_walk_i=0)


def test_pages_that_do_not():
    # The loop uses 128 pages, four for each set of two ways, so no page is present the second time.
    # The page of the code, which is in set 16, is evicted, too.
    c = measure(PAGES.format(128))
    want(c, armd_page_walk_d=2 * 256)
    assert c["ct_armd_page_walk_i"] > 0 and c["ct_armd_page_walk_i"] % 2 == 0, c


def test_sections_take_one_read():
    want(measure(PAGES.format(32), "tlb.walk_reads=1"), armd_page_walk_d=32)


def test_without_an_mmu_nothing_is_walked():
    want(measure(PAGES.format(128), "mmu.enable=0"), armd_page_walk_d=0, armd_page_walk_i=0,
         armd_burst_single=0)


def test_code_on_another_page():
    # The subroutine is 8 KB further. So it is in another page, whose translation is on ARM-D and
    # not on ARM-I, and in one more line.
    c = measure("bl far", aux=".space 8192; far: bx lr")
    want(c, armd_page_walk_i=2, armd_page_walk_d=0, armi_line_fill=2, armd_rd=2)


# ---- tightly coupled memories --------------------------------------------------------------------

DTCM = ("dtcm.base=0x100000", "dtcm.size=4K")
NO_MMU = "mmu.enable=0"


def test_data_in_the_dtcm_is_not_on_the_bus():
    # The page is translated like any other page. Nothing else uses the buses.
    body = ("ldr r1, [r10]; str r1, [r10, #64]; stmia r10, {r0-r7}; ldrd r4, [r10, #28]; strb r1, "
            "[r10, #4095]")
    want(measure(body, *DTCM), armd_rd=2, armd_wr=0, armd_line_fill=0, armd_page_walk_d=2)
    want(measure(body, *DTCM, NO_MMU), armd_rd=0, armd_wr=0, armd_wait_total=0)


def test_an_access_takes_a_cycle():
    # Reading the 100 lines a second time takes as long from the cache as from the DTCM.
    loop = "mov r3, #100; 1: ldr r1, [r2], #32; subs r3, r3, #1; bne 1b"
    setup = f"mov r2, r10; {loop}; mov r2, r10"
    cached = measure(loop, NO_MMU, "ahb.ratio=1", setup=setup)
    want(cached, armd_rd=0)
    equal(measure(loop, NO_MMU, "ahb.ratio=1", *DTCM, setup=setup)["ct_total_cycles"],
          cached["ct_total_cycles"])


def test_the_dtcm_is_there_with_the_cache_off_and_written_through():
    body = "ldr r1, [r10]; ldmia r10, {r4-r7}; str r1, [r10]; stmia r10, {r4-r7}"
    for off in ("dcache.enable=0", "dcache.write_through=1"):
        want(measure(body, *DTCM, NO_MMU, off), armd_rd=0, armd_wr=0)


def test_what_is_behind_the_dtcm():
    # Eight words begin 16 bytes before the end of the DTCM. The last four are in the cache, in a
    # line of their own.
    ends = "add r8, r10, #4080; {} r8, {{r0-r7}}"
    want(measure(ends.format("ldmia"), *DTCM, NO_MMU), armd_line_fill=1, armd_rd=8)
    want(measure(ends.format("stmia"), *DTCM, NO_MMU), armd_line_fill=0, armd_wr=4,
         armd_burst_incr4=1)


def test_the_dtcm_takes_no_room_in_the_cache():
    # The loop uses five lines of one set of four ways. The first line is in the DTCM, so no line is
    # evicted.
    dirty = "str r0, [r10]; str r0, [r10, #16]"
    want(measure(EVICT.format(dirty), RR, NO_MMU, *DTCM), armd_line_fill=4, armd_wr=0)
    want(measure(EVICT.format(dirty), RR, NO_MMU), armd_line_fill=5, armd_cast_out8=1)


def test_code_in_the_itcm_is_not_on_the_bus():
    itcm = ("itcm.base=0x10000", "itcm.size=64K", NO_MMU)
    for cache in ("icache.enable=1", "icache.enable=0"):
        c = measure("nop", *itcm, cache, reps=160)
        want(c, armi_rd=0, armi_burst_incr4=0, armi_wait_total=0, armd_rd=0)
    # The page of the code is translated when the code is first run, before k_begin.
    want(measure("bl far", "itcm.base=0x10000", "itcm.size=64K", aux=".space 8192; far: bx lr"),
         armi_rd=0, armd_page_walk_i=2, armd_rd=2)


def test_code_that_runs_out_of_the_itcm():
    # The code has 1103 words from k_begin (0x10040) to 0x1117c. They are 138 lines. If the ITCM
    # ends at 0x11000, twelve of these lines are fetched from memory.
    itcm = ("itcm.base=0x10000", "itcm.size=4K", NO_MMU)
    want(measure("nop", NO_MMU, reps=1100), armi_line_fill=138)
    want(measure("nop", *itcm, reps=1100), armi_line_fill=12)


def test_data_in_the_itcm():
    c = measure("ldr r1, [r10]; str r1, [r10, #64]", "itcm.base=0x100000", "itcm.size=1M", NO_MMU)
    want(c, armd_rd=0, armd_wr=0)
    # Code is not fetched from the DTCM.
    c = measure("nop", "dtcm.base=0x10000", "dtcm.size=64K", NO_MMU, reps=160)
    want(c, armi_line_fill=21)


# ---- fetch ---------------------------------------------------------------------------------------

def test_one_linefill_for_each_line_of_code():
    # There are 20 lines of NOPs, and one line with the instructions after them.
    want(measure("nop", reps=160), armi_line_fill=21, armi_rd=168, armi_burst_single=0,
         armi_burst_incr4=0)


def test_code_in_the_cache_is_not_fetched():
    body = "mov r3, #50; 1: nop; nop; subs r3, r3, #1; bne 1b"
    want(measure(body), armi_line_fill=1)


def test_without_an_instruction_cache():
    # Each fetch reads four aligned words. BODY is four words, so there is one burst up to the first
    # BNE, and one for each of the other 49 passes. The kernel's last loop, which waits until the
    # buses are idle, is in the next four words: one burst for MOV to BNE, and 98 for SUBS and BNE.
    c = measure("mov r3, #50; 1: nop; subs r3, r3, #1; bne 1b", "icache.enable=0")
    want(c, armi_line_fill=0, armi_burst_single=0, armi_burst_incr4=1 + 49 + 1 + 98)


# ---- time ----------------------------------------------------------------------------------------

def test_wait_states_are_parameters():
    # Three reads on ARM-D wait 9 cycles each. Of the line's words, the 7 after the first wait 2
    # cycles each. The first read also waits for 7 words of ARM-I, which take 3 cycles each, except
    # the cycle of its own address.
    c = measure("ldr r1, [r10]", "mpmc.read=9", "mpmc.read_next=2")
    want(c, armd_wait_total=27 + 14 + 20, armd_wait_non_seq_slave=27, armd_wait_non_seq_bus=20,
         armi_wait_total=9 + 14)
    c = measure("ldr r1, [r10]", "ahb.connect=8")
    want(c, armd_wait_total=23, armd_wait_non_seq_bus=8)


def test_thresholds():
    # The three reads on ARM-D wait 11, 5 and 5 cycles.
    want(measure("ldr r1, [r10]", "wait.threshold=4"), armd_wait_threshold_hit=3)
    want(measure("ldr r1, [r10]", "wait.threshold=5"), armd_wait_threshold_hit=1)
    want(measure("ldr r1, [r10]", "wait.threshold=10"), armd_wait_threshold_hit=1)
    want(measure("ldr r1, [r10]", "wait.threshold=11"), armd_wait_threshold_hit=0)


def test_a_slower_bus_takes_more_core_cycles_and_no_more_of_its_own():
    body = "mov r3, #100; 1: ldr r1, [r2], #32; subs r3, r3, #1; bne 1b"
    c = {r: measure(body, f"ahb.ratio={r}", setup="mov r2, r10") for r in (1, 2, 3, 4)}
    for r in (2, 3, 4):
        equal(c[r]["ct_armd_line_fill"], 100)
        assert c[r]["ct_total_cycles"] < c[r - 1]["ct_total_cycles"], (r, c)
    # A linefill takes 1 + 5 + 8 cycles, so 100 of them take at least 1400.
    assert c[4]["ct_total_cycles"] > 1400, c[4]


TRAFFIC_BODY = "mov r3, #200; 1: ldr r1, [r2], #32; str r1, [r2, #4000]; subs r3, r3, #1; bne 1b"


def test_other_masters_make_it_wait_and_change_nothing_else():
    alone = measure(TRAFFIC_BODY, setup="mov r2, r10")
    busy = measure(TRAFFIC_BODY, setup="mov r2, r10",
                   traffic=["dma0:burst=incr8,period=40,slave=mpmc",
                            "clcdc:burst=incr16,period=90"])
    for e in alone:
        if e.startswith(("ct_armi", "ct_armd")) and "_wait_" not in e:
            equal(busy[e], alone[e], e)
    for e in ("armd_wait_total", "armd_wait_non_seq_bus", "total_cycles"):
        assert busy["ct_" + e] > alone["ct_" + e], e
    equal(busy["ct_armd_wait_non_seq_slave"], alone["ct_armd_wait_non_seq_slave"])


def test_traffic_is_what_was_asked_for():
    c = measure(TRAFFIC_BODY, setup="mov r2, r10",
                traffic=["dma0:burst=incr8,period=40", "dma1:burst=incr4,period=100,dir=both",
                         "exp:burst=wrap16,period=200,slave=smc", "clcdc:burst=incr16,period=90"])
    cycles = c["ct_total_cycles"]
    for event, period in (("dma0_burst_incr8", 40), ("dma1_burst_incr4", 100),
                          ("exp_burst_wrap16", 200),
                          ("clcd_burst_incr16", 90)):
        n = c["ct_" + event]
        assert cycles * 0.8 / period < n <= cycles / period + 1, (event, n, cycles)
    assert c["ct_dma1_rd"] > 0 and c["ct_dma1_wr"] > 0, c
    equal(c["ct_dma0_wr"], 0)


def test_peripherals_are_seen_by_address():
    c = measure(TRAFFIC_BODY, setup="mov r2, r10",
                traffic=["dma0:burst=incr4,period=100,addr=0x101f1000,span=4096,dir=both",
                         "exp:burst=single,period=50,addr=0x101e0000,span=4096"])
    assert c["ct_dma0_rd_uart"] > 0 and c["ct_dma0_wr_uart"] > 0, c
    equal(c["ct_dma0_rd_uart"], c["ct_dma0_rd"])
    equal(c["ct_dma0_rd_sci"], 0)
    equal(c["ct_exp_rd_apb_core"], c["ct_exp_rd"])
    equal(c["ct_exp_rd_apb_dma"], 0)


# ---- the core's own cycles -----------------------------------------------------------------------

# Cycles that instructions add to one iteration of a loop whose lines are in the caches, in cycles
# of the core (DDI 0165B chapter 8).
TIMES = [
    ("nothing", "", 0),
    ("data_processing", "add r4, r5, r6; ", 1),
    ("a_shift_by_a_register", "add r4, r5, r6, lsl r7; ", 2),
    ("a_branch", "b 2f; 2: ", 3),
    ("a_branch_not_taken", "bvs 2f; 2: ", 1),
    ("a_call_and_its_return", "bl 2f; b 3f; 2: bx lr; 3: ", 3 + 3 + 3),
    ("a_branch_to_a_register", "adr r2, 2f; bx r2; 2: ", 1 + 3),
    ("a_load_of_the_pc", "adr r2, 2f; str r2, [r10]; ldr pc, [r10]; 2: ", 1 + 1 + 5),
    ("a_multiplication", "mul r5, r6, r7; ", 2),
    ("a_multiplication_that_is_used", "mul r5, r6, r7; add r4, r5, r5; ", 2 + 1 + 1),
    ("a_multiplication_that_sets_flags", "muls r5, r6, r7; ", 4),
    ("a_long_multiplication", "umull r4, r5, r6, r7; ", 3),
    ("a_product_of_half_words", "smulbb r4, r5, r6; ", 1),
    ("a_long_sum_of_half_words", "smlalbb r4, r5, r6, r7; ", 2),
    ("a_load", "ldr r4, [r10]; ", 1),
    ("a_load_that_is_used", "ldr r4, [r10]; add r5, r4, r4; ", 1 + 1 + 1),
    ("a_byte_that_is_used", "ldrb r4, [r10]; add r5, r4, r4; ", 1 + 2 + 1),
    ("a_load_multiple", "ldm r10, {r4-r7}; ", 4),
    ("a_load_multiple_of_one", "ldm r10, {r4}; ", 2),
    ("a_store_multiple", "stm r10, {r4-r7}; ", 4),
    ("a_double_word", "ldrd r4, [r10]; ", 2),
    ("a_swap", "swp r4, r5, [r10]; ", 2),
]


def test_cycles_of_instructions():
    for name, body, cycles in TIMES:
        # SUBS takes 1 cycle and BNE 3. HCLK is the core's clock here. The code outside the loop
        # takes the same time in both runs, so the difference is the time of 100 iterations.
        turns = [measure(f"ldr r1, [r10]; mov r3, #{n}; 1: {body}subs r3, r3, #1; bne 1b",
                         "ahb.ratio=1")
                 ["ct_total_cycles"] for n in (100, 200)]
        equal(turns[1] - turns[0], 100 * (cycles + 1 + 3), name)


# ---- the GXI, refused and locked transfers -------------------------------------------------------

# A loop in the cache with a thousand passes takes some 1300 HCLK cycles, in which the program uses
# no layer.
LOOP = "ldr r3, =1000; 1: subs r3, r3, #1; bne 1b"


def whole(*traffic, sets=()):
    """Counts the complete program, so the counts include traffic from cycle 0 on."""
    have("qemu-arm")
    options = [w for s in sets for w in ("--set", s)] + [w for t in traffic
                                                         for w in ("--traffic", t)]
    c = counts(stat("--core", "arm926", "-e", "all", *options, build(LOOP)))
    equal(len(c), 91)
    return c


# Most rows make 50 requests, one every 10 HCLK cycles. With the wait states of the memory
# controller, a read is accepted at once and its data waits 5 cycles, and a write waits 2 cycles. A
# row has the traffic, the numbers of reads and writes, the waits of reads, writes and data, and the
# changes of pages of 2, 4, 8 and 16 KB.
GXI = [
    ("gxi:period=10,count=50", 50, 0, 0, 0, 250, (0, 0, 0, 0)),
    ("gxi:period=10,count=50,dir=write", 0, 50, 0, 100, 0, (0, 0, 0, 0)),
    ("gxi:period=10,count=50,dir=both", 25, 25, 0, 50, 125, (0, 0, 0, 0)),
    ("gxi:period=10,count=50,read_wait=3,data_wait=4", 50, 0, 150, 0, 200, (0, 0, 0, 0)),
    # The address advances by 1 KB each time, so every second request is in another page of 2 KB,
    # every fourth in another page of 4 KB, and so on.
    ("gxi:period=10,count=50,step=1024", 50, 0, 0, 0, 250, (24, 12, 6, 3)),
    ("gxi:period=10,count=50,step=1024,dir=both", 25, 25, 0, 50, 125, (24, 12, 6, 3)),
    # The addresses alternate between two pages of 16 KB.
    ("gxi:period=10,count=50,addr=0x3ffc,span=8,step=4", 50, 0, 0, 0, 250, (49, 49, 49, 49)),
    # One read starts in each of the cycles 0 to 3. Then four reads are pending, and the fifth waits
    # 3 cycles, until the data of the first has come. The data channel waits 5 cycles for the data
    # of the first read, and 3 cycles between the data of the fourth read and of the fifth.
    ("gxi:period=0,count=8", 8, 0, 3, 0, 8, (0, 0, 0, 0)),
]


@cases("spec, reads, writes, read_wait, write_wait, data_wait, pages", GXI)
def test_gxi(spec, reads, writes, read_wait, write_wait, data_wait, pages):
    for page, changes in zip(("2K", "4K", "8K", "16K"), pages):
        c = whole(spec, sets=[f"gxi.page={page}"])
        want(c, gxi_rd=reads, gxi_wr=writes, gxi_rd_addr_wait=read_wait,
             gxi_wr_addr_wait=write_wait, gxi_rd_data_wait=data_wait, gxi_page_change=changes)


def test_gxi_thresholds():
    # There are 25 waits of read addresses, write addresses and read data, of 3, 2 and 4 cycles.
    spec = "gxi:period=10,count=50,dir=both,read_wait=3,write_wait=2,data_wait=4"
    for threshold in range(5):
        c = whole(spec, sets=[f"wait.threshold={threshold}"])
        want(c, gxi_rd_a_wait_threshold_hit=25 if threshold < 3 else 0,
             gxi_wr_a_wait_threshold_hit=25 if threshold < 2 else 0,
             gxi_rd_d_wait_threshold_hit=25 if threshold < 4 else 0)
    # A threshold of one channel overrides wait.threshold.
    c = whole(spec, sets=["wait.threshold=9", "wait.gxi_write=1", "wait.gxi_data=3"])
    want(c, gxi_rd_a_wait_threshold_hit=0, gxi_wr_a_wait_threshold_hit=25,
         gxi_rd_d_wait_threshold_hit=25, armi_wait_threshold_hit=0)


def test_the_gxi_has_a_port_of_its_own():
    alone, busy = whole(), whole("gxi:period=0,dir=both")
    equal({e: n for e, n in busy.items() if "gxi" not in e},
          {e: n for e, n in alone.items() if "gxi" not in e})
    # The channel is idle or busy. In every busy cycle a request completes or waits.
    equal(sum(busy["ct_gxi_" + e] for e in ("rd", "wr", "rd_addr_wait", "wr_addr_wait")),
          busy["ct_total_cycles"])


def refused(how):
    # The slave refuses each transfer once. The two reads of the page table are repeated unchanged.
    # The first word of the WRAP8 is refused and repeated, and its other seven words follow as
    # single transfers. A refusal does not count as a wait, but each of the 10 repeated transfers
    # waits for the slave for 5 cycles, like a first word.
    have("qemu-arm")
    doc = stat("--core", "arm926", "--from", "k_begin", "--to", "k_end", "-e", "all", "--traffic",
               how, build("ldr r1, [r10]"))
    want(counts(doc), armd_rd=10, armd_burst_single=2 + 7, armd_line_fill=1, armd_page_walk_d=2,
         armd_wait_non_seq_slave=50,
         # ARM-I cannot be refused (DDI 0287B 4.2.2), so each of its words waits for two cycles.
         armi_rd=8, armi_line_fill=1, armi_burst_single=0)
    return counts(doc)


def test_retries():
    c = refused("mpmc:retry=every:1")
    want(c, armi_wait_total=5 + 8 * 2)


def test_splits():
    c = refused("mpmc:split=every:1,release=3")
    want(c, armi_wait_total=5 + 8 * 5)


def test_refusals_of_another_slave_are_no_matter():
    equal(measure("ldr r1, [r10]", traffic=["smc:retry=every:1"]), measure("ldr r1, [r10]"))


def test_locked_pairs():
    # 20 bursts of one word read and write in turn. Nothing else uses the memory meanwhile.
    c = whole("dma0:burst=incr,dir=both,lock=on,period=50,count=20,start=200")
    want(c, dma0_rd=10, dma0_wr=10, dma0_burst_incr=20, dma0_wait_non_seq_bus=1,
         dma0_wait_non_seq_slave=10 * 5 + 10 * 2)


def test_the_same_every_time():
    program = build(TRAFFIC_BODY, "mov r2, r10")
    options = ("--traffic", "dma0:burst=incr8,period=37")
    equal(count(program, *options), count(program, *options))
