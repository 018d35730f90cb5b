# SPDX-License-Identifier: MIT
"""Tests pmk stat and pmk run with firmware for Cortex-M cores."""
import shutil

from harness import *
from insns import SecondCount
from programs import build

# A comment says how often an instruction is executed, unless it is executed once. Bits 26 and 28 of
# ICSR make SysTick and PendSV pending.
FIRMWARE = """
	.syntax	unified
	.thumb
	.word	0x20003000, reset + 1, hang + 1, hang + 1
	.space	28
	.word	svc + 1, 0, 0, other + 1, other + 1
reset:	ldr	r4, count
1:	ldr	r1, [sp, #0]			@ 5 * COUNT
	str	r1, [sp, #4]
	adds	r2, r1, r4
	subs	r4, #1
	bne	1b
	svc	#1
	ldr	r0, icsr
	ldr	r1, pending
	str	r1, [r0]
	dsb
	isb
	bl	leaf
	MORE
	ldr	r1, exited
	movs	r0, #0x18
	bkpt	0xab
hang:	b	.
leaf:	push	{r4, r5, lr}
	pop	{r4, r5, pc}
svc:	bx	lr
other:	bx	lr				@ for each bit of PENDING
	.balign	4
count:	.word	COUNT
icsr:	.word	0xe000ed04
pending: .word	PENDING
exited:	.word	0x20026
"""
EXECUTED = 1 + 5 * 1000 + 1 + 6 + 3 + 2 + 2
M4 = """
	movs	r5, #4
2:	subs	r5, #1				@ 4 * 5, without the last
	ite	ne
	ldrne	r6, [sp, #0]
	moveq	r6, #0
	bne	2b
	movs	r0, #1
	ldr.w	r7, [r13, r0]			@ not aligned
"""
BOARDS = {"cortex-m0": "microbit", "cortex-m3": "mps2-an385", "cortex-m4": "mps2-an386"}


def firmware(cpu, *options, pending=1 << 26, more="", count=1000, at=0, sp="0x20003000", first=""):
    source = FIRMWARE.replace("MORE", more).replace("0x20003000", sp)
    return build("cortexm", source.replace("reset:", "reset:" + first), "-nostdlib", "-static",
                 "-mthumb", f"-mcpu={cpu}", "-Wl,--build-id=none", f"-Wl,-Ttext={at:#x}",
                 f"-DPENDING={pending}", f"-DCOUNT={count}", *options, ext="S",
                 prefix="arm-none-eabi-")


def command(cpu, **how):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    return (f"qemu-system-arm -M {BOARDS[cpu]} -kernel '{firmware(cpu, **how)}' -nographic "
            "-nic none -semihosting")


EVENTS = ("inst_retired", "ld_retired", "st_retired", "br_retired", "pc_write_retired",
          "exc_taken", "exc_return", "exc_svc", "exc_irq", "exception_overhead")


@cases("cpu, entry, leave", [("cortex-m0", 16, 16), ("cortex-m3", 12, 12), ("cortex-m4", 12, 12)])
def test_executed_instructions_are_counted(cpu, entry, leave):
    """The number of executed instructions is known, and an independent count agrees. pmk uses the
    board's core."""
    second = SecondCount(half=1 << 32)
    doc = stat("-e", ",".join(EVENTS), "--qemu", f"{command(cpu)} {second.options}")
    (below, above), taken, _ = second.read()
    equal((doc["core"], doc["pmu"]), (cpu, "cortex-m"))
    equal((below, above), (EXECUTED, 0))
    equal(taken, {"SVC": 1, "IRQ": 1, "QEMU v7M exception exit": 2, "Semihosting call": 1})
    equal(counts(doc), dict(zip(EVENTS, [
        EXECUTED, 1 + 1000 + 2 + 1 + 1, 1000 + 1 + 1, 1000 + 2 + 2, 999 + 2, 2, 2, 1, 1,
        2 * (entry + leave)])))


def test_exceptions_are_tail_chained():
    """PendSV and SysTick have the same priority, so the second exception waits for the end of the
    first, and is then tail-chained."""
    got = counts(stat("-e", ",".join(EVENTS), "--qemu",
                      command("cortex-m4", pending=1 << 26 | 1 << 28)))
    equal([got[e] for e in ("inst_retired", "exc_taken", "exc_return", "exception_overhead")],
          [EXECUTED + 1, 3, 3, 2 * 12 + 12 + 6 + 12])


WITHOUT_VECTORS = """
	.syntax	unified
	.thumb
	.global	_start
	.type	_start, %function
_start:	ldr	r0, top
	mov	sp, r0
	push	{r0}
	ldr	r1, exited
	movs	r0, #0x18
	bkpt	0xab
	.balign	4
top:	.word	0x20003000
exited:	.word	0x20026
"""


@cases("cpu", ["cortex-m0", "cortex-m3", "cortex-m4", "cortex-m33"])
def test_firmware_without_a_vector_table_starts_at_its_entry(cpu):
    """Firmware without a vector table starts at its ELF entry. Newlib's rdimon.specs link to
    0x8000, and expect a debugger to set the PC."""
    elf = build("cortexm-entry", WITHOUT_VECTORS, "-nostdlib", "-static", "-mthumb",
                f"-mcpu={cpu}", "-Wl,--build-id=none", "-Wl,-Ttext=0x8000", ext="S",
                prefix="arm-none-eabi-")
    equal(counts(stat("-e", "inst_retired,ld_retired,st_retired,exc_taken", elf)),
          {"inst_retired": 6, "ld_retired": 2, "st_retired": 1, "exc_taken": 0})


FPU = """
	.fpu	fpv4-sp-d16
	vmov.f32 s0, #1.0
	vmov.f32 s1, #2.0
	vdiv.f32 s2, s1, s0
	vmla.f32 s3, s1, s0
	ldr	r1, exited
"""


@cases("cpu, executed", [("cortex-m4", 10), ("cortex-m7", 10), ("cortex-m33", 10 + 4)])
def test_firmware_without_a_vector_table_may_use_the_fpu(cpu, executed):
    """Firmware without a vector table can use the FPU, although Newlib does not enable it. On a
    Cortex-M33, four instructions before the entry enable it."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = build("cortexm-fpu", WITHOUT_VECTORS.replace("\tldr\tr1, exited\n", FPU), "-nostdlib",
                "-static", "-mthumb", f"-mcpu={cpu}", "-mfloat-abi=hard", "-Wl,--build-id=none",
                "-Wl,-Ttext=0x8000", ext="S", prefix="arm-none-eabi-")
    equal(counts(stat("-e", "inst_retired,vfp_spec,exc_taken", "--core", cpu, elf)),
          {"inst_retired": executed, "vfp_spec": 4, "exc_taken": 0})


IN_C = """
__attribute__((naked)) void _start(void)
{
	__asm__ volatile("movs r0, #0x18; ldr r1, =0x20026; bkpt 0xab");
}
"""


@cases("built, core, because", [
    ("-mcpu=cortex-m7 -g", "cortex-m7", "mps2-an500 as cortex-m7, for which it was compiled, "),
    ("-mcpu=cortex-m0plus -g", "cortex-m0plus", "as cortex-m0plus, for which it was compiled, "),
    ("-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard", "cortex-m7", ", by the ELF attributes, "),
    ("-mcpu=cortex-m7 -mfloat-abi=soft", "cortex-m4",
     "the same for a Cortex-M7 (--core cortex-m7)"),
    ("-mcpu=cortex-m0", "cortex-m0", "the same for a Cortex-M0+ (--core cortex-m0plus)"),
    ("-mcpu=cortex-m23 -g", "cortex-m33", ", because pmk has no model of a cortex-m23, for which"),
    ("-mcpu=cortex-m23", "cortex-m33", ", because pmk has no model of a Cortex-M23, for which"),
    ("-march=armv7e-m -g", "cortex-m4", "the same for a Cortex-M7 (--core cortex-m7)"),
    ("-mcpu=cortex-m4 -g", "cortex-m4", ", for which it was compiled, ")])
def test_the_core_is_the_one_that_the_compiler_was_told(built, core, because):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = build("cortexm-cpu", IN_C, "-nostdlib", "-static", "-mthumb", "-Wl,--build-id=none",
                "-Wl,-Ttext=0x8000", *built.split(), prefix="arm-none-eabi-")
    doc = stat("-e", "inst_retired", elf)
    equal((doc["core"], counts(doc)), (core, {"inst_retired": 3}))
    contains(str(doc["note"]), because)


def cycles(cpu, **how):
    return counts(stat("-e", "cpu_cycles", "--qemu", command(cpu, **how)))["cpu_cycles"]


@cases("cpu, iteration", [
    # Cycles of DDI 0432 table 3-1: LDR 2, STR 2, ADDS 1, SUBS 1, BNE 3.
    ("cortex-m0", 9),
    # Cycles of DDI 0439 table 3-1: LDR 2, STR 1, ADDS 1, SUBS 1, BNE 2.
    ("cortex-m3", 2 + 1 + 1 + 1 + 2), ("cortex-m4", 2 + 1 + 1 + 1 + 2)])
def test_cycles_of_a_loop_are_the_manuals(cpu, iteration):
    equal(cycles(cpu, count=1100) - cycles(cpu), 100 * iteration)


SET_UP = """
	movw	r1, #0x0100
	movt	r1, #0x2000
	mov	r2, r1
	mov	r3, r1
	movs	r5, #0
	adr	r6, 5f
	str	r6, [r1, #16]
	orr	r6, r6, #1
	str	r6, [r1, #20]
	nop
	nop
"""


@cases("sequence, expected", [
    # These are the examples of DDI 0439 3.3.2, with other registers where an example's register
    # would contain no address.
    ("ldr r0, [r1]; ldr r4, [r2]", 3),
    ("ldr r0, [r1, r5]; str r0, [r3, #28]", 3),
    ("ldr r0, [r1, r5]; str r4, [r3, r5]", 3),
    ("ldr r0, [r1, r5]; ldr r4, [r2]; ldr r7, [r3, #4]", 4),
    ("str r0, [r1, #4]", 1),
    ("str r0, [r1, #4]; str r0, [r1, #8]", 2),
    # If the instruction before a load computes the load's address, they cannot overlap.
    ("ldr r4, [r1, #16]; ldr r4, [r4]", 4),
    ("adds r4, r1, #0; ldr r4, [r4]", 1 + 1 + 2),
    # The cycles of these instructions are in Table 3-1.
    ("ldrd r4, r7, [r1]", 1 + 2), ("stm r1, {r4, r5, r7}", 1 + 3), ("push {r4}; pop {r4}", 4),
    ("mul r4, r1, r1", 1), ("mla r4, r1, r1, r1", 2), ("umull r4, r7, r1, r1", 1),
    ("smlal r4, r7, r1, r1", 1), ("cmp r4, r4; it ne; addne r4, #1", 2),
    ("movs r4, #1; cbz r4, 5f", 2), ("cmp r4, r4; bne 5f", 2),
    # LDR to the PC takes at least five cycles. The load's target is the next instruction.
    ("ldr pc, [r1, #20]; .balign 4; 5: nop", 2 + 3 + 1)])
def test_cycles_of_sequences_are_the_manuals(sequence, expected):
    if "5:" not in sequence:
        sequence += "; 5:"
    got = [cycles("cortex-m4", more=SET_UP + f"\t{what}\n\tnop\n")
           for what in (sequence, ".balign 4; 5:")]
    # After the branch, the assembler aligns its target with a NOP, which is not executed.
    equal(got[0] - got[1], expected)


# The data are at 0x20000100, and the literal is in flash. The second load of the last row needs the
# first one's value as address, and reads flash.
@cases("sequence, slow, more", [
    ("ldr r0, [r1]; nop", 0x20000000, 1), ("ldr r0, [r1]; nop; ldr r4, [r2]", 0x20000000, 2),
    ("ldr r0, [r1]; nop", 0x20000200, 0), ("ldr r0, count; nop", 0x20000000, 0),
    ("ldr r0, [r1]; ldr r4, [r2]", 0x20000000, 0), ("str r0, [r1]; nop", 0x20000000, 0),
    ("ldr r0, [r1]; str r0, [r3, #4]", 0x20000000, 0), ("ldrd r4, r7, [r1]", 0x20000000, 0),
    ("str r0, [r1]; ldr r4, [r2]; nop", 0x20000000, 1),
    ("cmp r4, r4; itt eq; ldreq r0, [r1]; ldreq r4, [r2]", 0x20000000, 2),
    ("ldr r4, [r1, #16]; ldr r4, [r4]", 0x20000000, 1)])
def test_a_load_that_overlaps_with_no_access_may_take_longer(sequence, slow, more):
    def added(sequence):
        elf = firmware("cortex-m4", more=SET_UP + f"\tb\t4f\n4:\t{sequence}\n\tb\t5f\n5:\tnop\n")
        none, three = (counts(stat("-e", "cpu_cycles,lsu_overhead", "--set",
                                   f"sram.slow={slow},sram.alone={n}", elf)) for n in (0, 3))
        equal(three["cpu_cycles"] - none["cpu_cycles"],
              three["lsu_overhead"] - none["lsu_overhead"])
        return three["cpu_cycles"] - none["cpu_cycles"]

    equal(added(sequence) - added("nop"), 3 * more)


# The loop has 28 bytes and takes 15 cycles.
TWO_LINES = """
	ldr	r5, count
	b	2f
	.balign	32
2:	.rept	12
	nop
	.endr
	subs	r5, #1
	bne	2b
"""
# The loop has 8 bytes and takes 2 + 1 + 1 + 2 cycles. The literal is in another line.
LITERAL = """
	ldr	r5, count
	b	2f
	.balign	16
2:	ldr	r6, count
	nop
	subs	r5, #1
	bne	2b
"""


@cases("loop, settings, iteration", [
    (TWO_LINES, "waits=0,prefetch=off", 15),
    (TWO_LINES, "waits=5", 15 + 2 * 5),
    # The program needs the second line 8 cycles after the first one. The flash reads a line in 6
    # cycles, or in 9 cycles with 8 wait states.
    (TWO_LINES, "waits=5,prefetch=on", 15 + 5),
    (TWO_LINES, "waits=8,prefetch=on", 15 + 8 + 1),
    (TWO_LINES, "waits=5,cache=32", 15), (TWO_LINES, "waits=5,cache=1K,prefetch=on", 15),
    (TWO_LINES, "waits=5,cache=16", 15 + 2 * 5), (TWO_LINES, "waits=5,cache=32,ways=1", 15),
    (TWO_LINES, "waits=5,end=16", 15), (TWO_LINES, "waits=5,width=32", 15),
    (LITERAL, "waits=5", 6 + 5), (LITERAL, "waits=5,data_cache=16", 6),
    (LITERAL, "waits=5,shared=on,cache=64", 6)])
def test_flash_with_wait_states(loop, settings, iteration):
    settings = ",".join("flash." + s for s in settings.split(","))
    got = [counts(stat("-e", "cpu_cycles", "--set", settings, "--qemu",
                       command("cortex-m4", more=loop, count=n)))["cpu_cycles"] for n in (10, 20)]
    plain = [counts(stat("-e", "cpu_cycles", "--set", settings, "--qemu",
                         command("cortex-m4", more="", count=n)))["cpu_cycles"] for n in (10, 20)]
    equal(got[1] - got[0] - (plain[1] - plain[0]), 10 * iteration)


# The first three rows were measured on a Cortex-M4 with its DWT, see
# https://compendium.i-0.nl/docs/instruction-alignment/effects and /rules. The code is the target of
# a branch, and word-aligned.
@cases("code, cycles, base", [
    ("mov r8, r8; mov.w r8, r8; mov.w r8, r8; mov.w r8, r8", 5, 1),
    ("mov.w r8, r8; mov.w r8, r8; mov.w r8, r8; mov.w r8, r8", 4, 0),
    ("mov r8, r8; mov.w r8, r8; mov.w r8, r8", 3, 0),
    # The other rows follow from a buffer of three words. Two 16-bit instructions, or one
    # instruction of two cycles, leave time to fill the buffer.
    ("mov r8, r8; mov.w r8, r8; mov.w r8, r8; mov r8, r8; mov r8, r8; mov.w r8, r8", 6, 0),
    ("mov r8, r8; mov.w r8, r8; ldr.w r7, [r1]; mov.w r8, r8", 5, 0),
    # IT is executed in parallel with CMP, so their word leaves the buffer at the end of that cycle.
    ("cmp r8, r8; it eq; moveq r8, r8; mov.w r8, r8; mov.w r8, r8", 4, 0),
    ("mov.w r8, r8" + 40 * "; mov.w r8, r8", 41, 0),
    ("mov r8, r8" + 41 * "; mov.w r8, r8", 42 + 20, 20)])
def test_wide_instructions_in_two_words_wait(code, cycles, base):
    events = "cpu_cycles", "base_overhead"

    def of(code, *more):
        code = "mov\tr1, sp\n\tb\t4f\n\t.balign 4\n4:\t" + code.replace("; ", "\n\t")
        got = counts(stat("-e", ",".join(events), *more, "--qemu", command(
            "cortex-m4", more=code + "\n\tb\t6f\n\t.balign 4\n6:\tnop\n")))
        return [got[e] for e in events]

    equal([a - b for a, b in zip(of(code), of(""))], [cycles, base])
    more = "--set", "fetch.words=0"
    equal(of(code)[0] - of(code, *more)[0], base)


# The cycles are those of LLVM's ARMScheduleM7.td, and of measurements on an STM32H743:
# github.com/jnk0le/random, "pipeline cycle test", cortex_m7.md.
@cases("sequence, expected", [
    ("adds r4, r1, #1; adds r6, r2, #1", 1),
    ("adds r4, r1, #1; adds r6, r2, #1; adds r7, r3, #1", 2),
    # The older ADD of a pair is computed a stage earlier, so the younger ADD can use its result in
    # the same cycle. An EOR is not computed earlier.
    ("adds r4, r1, #1; adds r6, r4, #1", 1), ("eor r4, r1, r2; adds r6, r4, #1", 2),
    ("adds r4, r1, #0; ldr r6, [r4]", 2), ("eor r4, r1, r5; ldr r6, [r4]", 3),
    # There is one multiplier, and a product takes a cycle longer than a sum.
    ("mul r4, r1, r1; mul r6, r2, r2", 2), ("mul r4, r1, r1; adds r6, r4, #1", 3),
    ("mul r4, r1, r1; mla r6, r2, r2, r4", 2), ("mul r4, r1, r1; str r6, [r2]", 2),
    # Two loads pair if one reads an even word and the other an odd word. Two stores never pair.
    ("ldr r4, [r1]; ldr r6, [r1, #4]", 1), ("ldr r4, [r1]; ldr r6, [r1, #8]", 2),
    ("ldr r4, [r1]; ldr r6, [r2]", 2), ("str r4, [r1]; str r6, [r1, #4]", 2),
    ("ldr r4, [r1]; str r4, [r2, #4]", 1), ("ldr r4, [r1]; adds r6, r2, #1", 1),
    ("ldr r4, [r1]; adds r6, r4, #1", 2), ("ldrb r4, [r1]; adds r6, r4, #1", 3),
    # Only one operand is shifted in a cycle. The operand to shift is needed a stage earlier.
    ("eor r4, r1, r2, ror #3; eor r6, r1, r2, ror #5", 2),
    ("eor r4, r1, r2; eor r6, r1, r4, ror #5", 3),
    # An extension is the older instruction of a pair.
    ("uxtb r4, r1; adds r6, r2, #1", 1), ("adds r6, r2, #1; uxtb r4, r1", 2),
    ("cmp r4, r4; bne 5f", 1), ("ldm r1, {r4, r6, r7}", 2)])
def test_pairs_of_instructions_of_a_cortex_m7(sequence, expected):
    sequence += "; 5:"
    events = ("cpu_cycles", "inst_retired", "base_overhead", "lsu_overhead",
              "folded_instructions")
    got = [counts(stat("-e", ",".join(events), "--core", "cortex-m7", firmware(
        "cortex-m7", more=SET_UP + f"\tisb\n\t{what}\n\tisb\n")))
        for what in (sequence, ".balign 4; 5:")]
    cycles, insns, base, load, folded = (got[0][e] - got[1][e] for e in events)
    equal(cycles, expected)
    equal(insns, cycles - base - load + folded)  # DDI 0403E C1.8.5


def test_mispredicted_branches_of_a_cortex_m7():
    """The loop's branch is predicted as taken from the third time on, and is mispredicted at the
    exit, too. So it is mispredicted 2 + 1 times."""
    loop = "\tmovs\tr5, #20\n2:\tsubs\tr5, #1\n\tbne\t2b\n"
    got = [counts(stat("-e", "cpu_cycles", "--core", "cortex-m7", "--set",
                       f"branch.mispredicted={n}", firmware("cortex-m7", more=more)))["cpu_cycles"]
           for more in (loop, "") for n in (1, 11)]
    equal(got[1] - got[0] - (got[3] - got[2]), 10 * (2 + 1))


def cycles_m33(more):
    """Returns the cycles of firmware for a Cortex-M33 whose code is not limited by fetching."""
    return counts(stat("-e", "cpu_cycles,inst_retired", "--set", "fetch.words=0,branch.unaligned=0",
                       firmware("cortex-m33", more=more + "\t.balign\t4\n5:\n",
                                at=0x10000000)))["cpu_cycles"]


# What was measured on an RP2350: github.com/jnk0le/random, "pipeline cycle test", cortex_m33.md.
@cases("sequence, expected", [
    # A loaded value is known after two cycles, except to store it or to add a product to it.
    ("ldr r4, [r1]; adds r6, r4, #1", 3), ("ldr r4, [r1]; adds r6, r2, #1", 2),
    ("ldr r4, [r1]; str r4, [r2]", 2), ("ldr r4, [r1, #16]; ldr r4, [r4]", 3),
    ("ldr r4, [r1]; mla r6, r1, r2, r4", 2), ("ldr r4, [r1]; mla r6, r4, r2, r1", 3),
    ("ldrd r4, r7, [r1]", 2), ("ldm r1, {r4, r6, r7}", 3), ("ldr r4, [r1]; ldr r6, [r2]", 2),
    # A product, and a result with a shifted operand, are also known after two cycles.
    ("mul r4, r1, r2; add.w r6, r4, #1", 3), ("mla r4, r1, r2, r1; mla r6, r1, r2, r4", 2),
    ("eor r4, r1, r2, ror #3; add.w r6, r4, #1", 3), ("eor r4, r1, r2; add.w r6, r4, #1", 2),
    ("eor r4, r1, #0x1fc0; add.w r6, r4, #1", 3), ("eor r4, r1, #0x1b; add.w r6, r4, #1", 2),
    ("eor r4, r1, #0x1b1b1b1b; add.w r6, r4, #1", 2),
    # These instructions set the flags a cycle late.
    ("muls r4, r1, r4", 2), ("eors r4, r1, #0x1fc0", 2), ("eors r4, r1, #0x1b", 1),
    # IT, and a branch of 16 bits that is not taken, are issued with the instruction before.
    ("cmp r4, r4; it ne; addne r4, #1", 2), ("cmp r4, r4; bne 5f", 1), ("cmp r4, r4; bne.w 5f", 2),
    ("mov.w r4, r1; bne 5f", 2)])
def test_cycles_of_a_cortex_m33_are_those_that_were_measured(sequence, expected):
    got = [cycles_m33(SET_UP + f"\tcmp\tr1, r1\n\tisb\n\t{what}\n\tb.w\t5f\n")
           for what in (sequence, "")]
    equal(got[0] - got[1], expected)


@cases("loop, expected", [
    # A branch takes two cycles if it waits for the flags, and otherwise one.
    ("subs r5, #1; bne 2b", 1 + 2), ("subs r5, #1; add r0, r1; bne 2b", 1 + 1 + 1),
    ("subs r5, #1; ldmia r2!, {r0, r1, r3, r4}; bne 2b", 1 + 4 + 1),
    ("subs r5, #1; bne.w 2b", 1 + 2)])
def test_cycles_of_loops_of_a_cortex_m33_are_those_that_were_measured(loop, expected):
    got = [cycles_m33(SET_UP + f"\tmovs\tr5, #{n}\n2:\t{loop}\n") for n in (10, 20)]
    equal(got[1] - got[0], 10 * expected)


# PendSV interrupts this loop 10 times, each time after the store.
INTERRUPTED = """
	ldr	r0, icsr
	ldr	r1, pending
	movs	r5, #10
2:	str	r1, [r0]
	dsb
	isb
	subs	r5, #1
	bne	2b
"""


# PendSV interrupts code that has or has not used the FPU. If SysTick is pending, too, it is
# tail-chained to PendSV.
WITH_FPU = """
	.syntax	unified
	.thumb
	.word	0x20003000, reset + 1, hang + 1, hang + 1
	.space	40
	.word	pendsv + 1, systick + 1
reset:	ldr	r0, cpacr
	mov	r1, #0xf00000
	str	r1, [r0]
	dsb
	isb
	BEFORE
	ldr	r0, icsr
	ldr	r1, pending
	str	r1, [r0]
	dsb
	isb
	ldr	r1, exited
	movs	r0, #0x18
	bkpt	0xab
hang:	b	.
pendsv:	PENDSV
	bx	lr
systick: SYSTICK
	bx	lr
	.balign	4
cpacr:	.word	0xe000ed88
icsr:	.word	0xe000ed04
pending: .word	PENDING
exited:	.word	0x20026
"""
FP = "vadd.f32 s0, s0, s0"
# With BOTH, PendSV ends before SysTick starts. With NESTED, PendSV makes SysTick pending, and
# SysTick interrupts it.
BOTH, NESTED = 1 << 26 | 1 << 28, 1 << 28
PEND = """ldr	r2, icsr
	mov	r3, #0x4000000
	str	r3, [r2]
	dsb
	isb
"""
LOWER = """ldr	r0, shpr3
	mov	r1, #0xff0000
	str	r1, [r0]
	b	7f
	.balign	4
shpr3:	.word	0xe000ed20
7:
"""


# An FPU has 17 registers to save: S0 to S15, and FPSCR (DDI 0403E B1.5.7).
@cases("before, pendsv, systick, pending, overhead", [
    ("", "", "", NESTED, 12 + 12),
    ("", FP, "", NESTED, 12 + 12),
    # The exception reserves space for the registers but does not store them (lazy stacking).
    (FP, "", "", NESTED, 12 + 12),
    (FP, FP, "", NESTED, 12 + 17 + 17 + 12),
    (FP, FP + "; " + FP, "", NESTED, 12 + 17 + 17 + 12),
    # The two handlers together store the registers once.
    (FP, "", FP, BOTH, 12 + 6 + 17 + 17 + 12),
    (FP, FP, FP, BOTH, 12 + 17 + 6 + 17 + 12),
    # The registers of the reset handler are stored in the handler of the second exception, and
    # loaded at the end of the first exception.
    (LOWER + FP, PEND, FP, NESTED, 12 + 12 + 17 + 12 + 17 + 12),
    # PendSV used the FPU before SysTick interrupts it, so there is space for the registers of
    # PendSV, too.
    (LOWER + FP, FP + "\n\t" + PEND, "", NESTED, 12 + 17 + 12 + 12 + 17 + 12),
    (LOWER + FP, FP + "\n\t" + PEND, FP, NESTED, 12 + 17 + 12 + 17 + 17 + 12 + 17 + 12)])
def test_floating_point_registers_are_stacked_lazily(before, pendsv, systick, pending, overhead):
    have("qemu-system-arm", "arm-none-eabi-gcc")

    def of(*more):
        source = WITH_FPU.replace("BEFORE", before.replace("; ", "\n\t")).replace(
            "\tPENDSV", "\t" + pendsv.replace("; ", "\n\t")).replace(" SYSTICK", "\t" + systick)
        path = build("lazy", source, "-nostdlib", "-static", "-mthumb", "-mcpu=cortex-m4",
                     "-mfpu=fpv4-sp-d16", "-Wl,--build-id=none", "-Wl,-Ttext=0",
                     f"-DPENDING={pending}", ext="S", prefix="arm-none-eabi-")
        return counts(stat("-e", "cpu_cycles,exception_overhead", *more, path))

    lazy, eager = of(), of("--set", "exception.lazy=off")
    equal(lazy["exception_overhead"], overhead)
    free = of("--set", "exception.fp=0")
    equal(lazy["cpu_cycles"] - free["cpu_cycles"],
          overhead - free["exception_overhead"])
    # Without lazy stacking, each exception that interrupts code which used the FPU stores the
    # registers.
    saves = (FP in before) + (FP in pendsv and PEND in pendsv)
    equal(eager["exception_overhead"], free["exception_overhead"] + 2 * 17 * saves)


def test_each_interrupt_of_a_loop_is_counted():
    """Each interrupt is counted, although the handler returns into the block that the store
    left."""
    events = "inst_retired", "exc_taken", "exc_return"
    plain, got = (counts(stat("-e", ",".join(events), "--qemu", command(
        "cortex-m3", pending=1 << 28, more=more))) for more in ("", INTERRUPTED))
    equal([got[e] - plain[e] for e in events], [3 + 10 * (5 + 1), 10, 10])


CALLS = """
	b	outer
	.global	caller, callee, svc, other, outer
	.type	caller, %function
caller:	push	{r4, lr}
	bl	callee
	svc	#2				@ returns before the call
	bl	callee
	pop	{r4, pc}
	.type	callee, %function
callee:	push	{r4, lr}
	ldr	r0, icsr
	ldr	r1, pending
	str	r1, [r0]
	dsb
	isb
	pop	{r4, pc}
	.type	svc, %function
	.type	other, %function
	.type	outer, %function
outer:	bl	caller
"""


def test_handlers_are_roots_of_call_paths():
    """A handler is the root of a call path. The code that it interrupted continues in its own
    path."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    out = os.path.join(WORK, f"cortexm-{os.getpid()}.pmk")
    equal(pmk("record", "-g", "-e", "inst_retired", "-o", out,
              firmware("cortex-m3", pending=1 << 28, more=CALLS)).code, 0)
    folded = pmk("export", "--format", "folded", "-i", out).out
    os.unlink(out)
    paths = dict(line.rsplit(" ", 1) for line in folded.splitlines())
    equal({p: int(n) for p, n in paths.items() if p in ("svc", "other") or "caller" in p},
          {"svc": 2, "other": 3, "outer;caller": 5, "outer;caller;callee": 2 * 7})


def test_conditional_and_unaligned_accesses_are_counted_when_they_are_made():
    events = "inst_retired", "ld_retired", "unaligned_ldst_retired", "folded_instructions"
    plain = counts(stat("-e", ",".join(events), "--qemu", command("cortex-m4")))
    got = counts(stat("-e", ",".join(events), "--qemu", command("cortex-m4", more=M4)))
    equal([got[e] - plain[e] for e in events], [1 + 4 * 5 + 2, 3 + 1, 1, 4])


@cases("cpu, board", [("cortex-m0", "mps2-an385"), ("cortex-m3", "mps2-an385"),
                      ("cortex-m4", "mps2-an386")])
def test_firmware_alone_chooses_its_board(cpu, board):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    doc = stat("-e", "inst_retired,exc_taken", firmware(cpu))
    equal((doc["core"], counts(doc)), (cpu, {"inst_retired": EXECUTED, "exc_taken": 2}))
    contains(doc["note"], f"ran on QEMU's board {board} as {cpu}")


def test_loads_that_update_their_base_overlap_on_a_cortex_m4_only():
    """Loads that update their base overlap on a Cortex-M4, but not on a Cortex-M3, for which DDI
    0337 3.3.2 excludes them. DDI 0439 does not."""
    for cpu, expected in (("cortex-m3", 4), ("cortex-m4", 3)):
        got = [cycles(cpu, more=SET_UP + f"\t{what}\n\tnop\n") for what in (
            "ldr.w r0, [r1]; ldr r4, [r2], #4; .balign 4; 5:", ".balign 4; 5:")]
        equal(got[0] - got[1], expected, cpu)


# The firmware exits with 0 if the first argument is "a" and the second is "b,c".
READS_ARGUMENTS = """
	ldr	r1, =4f
	movs	r0, #0x15
	bkpt	0xab
	ldr	r2, =buffer
	ldr	r4, =0x632c6220			@ " b,c"
3:	ldr	r3, [r2], #1
	cmp	r3, r4
	beq	2f
	cmp	r3, #0
	bne	3b
	movs	r1, #0
	movs	r0, #0x18
	bkpt	0xab
	.balign	4
4:	.word	buffer, 256
	.ltorg
	.equ	buffer, 0x20001000
	.balign	4
2:
"""


def test_firmware_gets_its_arguments():
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = firmware("cortex-m4", more=READS_ARGUMENTS)
    for words, code in ((["a", "b,c"], 0), (["a", "bc"], 1)):
        equal(pmk("stat", "-e", "inst_retired", elf, *words).code, code)


@cases("cpu, core, board", [("cortex-m4", "cortex-m4", "netduinoplus2"),
                            ("cortex-m4", "stm32f407", "netduinoplus2"),
                            ("cortex-m0plus", "stm32g071", "netduino2")])
def test_firmware_for_an_stm32_runs_where_its_flash_is(cpu, core, board):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    source = FIRMWARE.replace("MORE", "")
    elf = build("cortexm", source, "-nostdlib", "-static", "-mthumb", f"-mcpu={cpu}",
                "-Wl,--build-id=none", "-Wl,-Ttext=0x08000000", "-DPENDING=0", "-DCOUNT=10",
                ext="S", prefix="arm-none-eabi-")
    doc = stat("-e", "st_retired", "--core", core, elf)
    contains(str(doc["note"]), f"board {board} as {core}")
    equal(counts(doc), {"st_retired": 10 + 2})


def test_firmware_for_a_later_core_is_refused():
    have("qemu-system-arm", "arm-none-eabi-gcc")
    for words in (["--core", "cortex-m0", firmware("cortex-m4")],
                  ["--qemu", f"qemu-system-arm -M microbit -kernel '{firmware('cortex-m4')}'"]):
        out = pmk("stat", *words)
        equal(out.code, 126, out)
        contains(out.err, "it is built for ARMv7E-M, and core cortex-m0 has ARMv6-M; "
                          "use --core cortex-m4")
    contains(pmk("stat", "--core", "arm1176", firmware("cortex-m4")).err,
             "core arm1176 runs arm code; the program is for a Cortex-M")


@cases("cpu, board, at", [
    ("cortex-m3", "mps2-an385", 0x20001000), ("cortex-m4", "netduinoplus2", 0x08004000),
    ("cortex-m33", "mps2-an505", 0x38000000), ("cortex-m33", "mps2-an505", 0x28000000)])
def test_the_vector_table_may_be_elsewhere(cpu, board, at):
    """pmk finds a vector table after a boot loader or in RAM. Firmware of a Cortex-M33 sets VTOR.
    With pages of 64 KB, the segment of the table also contains the file's headers and a gap."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    sets = cpu == "cortex-m33"
    for page in 0x1000, 0x10000:
        doc = stat("-e", "inst_retired,exc_taken", firmware(
            cpu, f"-Wl,-z,max-page-size={page}", at=at, sp="0x20003000",
            first=VTOR.replace("AT", str(at >> 24)) if sets else ""))
        equal(counts(doc), {"inst_retired": EXECUTED + 5 * sets, "exc_taken": 2})
        contains(str(doc["note"]), f"board {board} as {cpu}, by the ELF attributes")
        contains(str(doc["note"]), f", with its vector table at {at:#x};")


VTOR = """
	movw	r0, #0xed08
	movt	r0, #0xe000
	movs	r1, #AT
	lsls	r1, #24
	str	r1, [r0]
"""


@cases("how, said", [
    ({"at": 0x60000000}, "has contents at 0x60000000, where QEMU's board mps2-an386 has no memory "
                         "(it has 0x0-0x7fffff, 0x1000000-0x100ffff, "),
    # The image extends beyond the end of the board's memory.
    ({"at": 0x007ffff0}, "has contents at 0x800000, where"),
    ({"sp": "0x24003000"}, "its vector table sets the stack pointer to 0x24003000, where QEMU's")])
def test_firmware_for_memory_that_the_board_lacks_is_refused(how, said):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    out = pmk("stat", firmware("cortex-m4", **how))
    equal(out.code, 126, out)
    equal(len(out.err.splitlines()), 1)
    contains(out.err, said)


def test_data_that_the_board_lacks_memory_for_is_named():
    """pmk names data for which the board has no memory, but runs the firmware, which may never use
    the data."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = build("cortexm", FIRMWARE.replace("MORE", "") + "\t.bss\n\t.space 4\n", "-nostdlib",
                "-static", "-mthumb", "-mcpu=cortex-m3", "-Wl,--build-id=none", "-Wl,-Ttext=0",
                "-Wl,-Tbss=0x10000000", "-DPENDING=0", "-DCOUNT=10", ext="S",
                prefix="arm-none-eabi-")
    contains(str(stat("-e", "inst_retired", elf)["note"]),
             "; it has data at 0x10000000, where the board has no memory;")


def test_firmware_without_a_vector_table_at_0_starts_at_its_entry():
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = build("cortexm-entry", "\tnop\n\tnop\n" + WITHOUT_VECTORS, "-nostdlib", "-static",
                "-mthumb", "-mcpu=cortex-m3", "-Wl,--build-id=none", "-Wl,-Ttext=0", ext="S",
                prefix="arm-none-eabi-")
    doc = stat("-e", "inst_retired", elf)
    equal(counts(doc), {"inst_retired": 6})
    contains(str(doc["note"]), ", from its entry 0x4, because there is no vector table at 0x0;")


def test_firmware_needs_no_execute_bit():
    """QEMU only reads firmware, so it needs no execute bit and no slash in its name. Programs need
    both, as the kernel and the shell require."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = os.path.join(WORK, f"no-x-{os.getpid()}.elf")
    shutil.copy(firmware("cortex-m3"), elf)
    os.chmod(elf, 0o644)
    equal(pmk("stat", "-e", "inst_retired", elf).code, 0)
    equal(pmk("stat", "-e", "inst_retired", os.path.basename(elf), cwd=WORK).code, 0)
    with open(elf, "r+b") as f:
        f.write(b"\x7fELG")
    contains(pmk("stat", elf).err, "permission denied (no execute bit); chmod +x sets it")
    os.unlink(elf)


FAULT = """
	ldr	r0, =0xf0000000
faults:	str	r0, [r0]
"""


NO_FPU = """
	.fpu	fpv4-sp-d16
	movs	r0, #1
faults:	vmov.f32 s0, #1.0
	movs	r0, #2
"""
BAD_JUMP = """
	ldr	r0, =0x60000001
	str	r0, [sp, #4]
faults:	blx	r0
"""


@cases("handler, said, more", [
    ("mov r7, pc\n\tudf #1", "; its fault handler is missing or faulted, too", FAULT),
    ("b skip", "", FAULT), ("mov r6, pc\n\tb skip", "", NO_FPU),
    ("mov r5, pc\n\tb skip", "", BAD_JUMP)])
def test_a_fault_is_reported_with_its_address(handler, said, more):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    source = FIRMWARE.replace("MORE", more.replace("faults:", "\t.global faults\nfaults:"))
    source = source.replace("hang:\tb\t.", f"hang:\t{handler}")
    source = source.replace("leaf:", "skip:\tldr r1, exited\n\tmovs r0, #0x18\n\tbkpt 0xab\nleaf:")
    elf = build("cortexm", source.replace("\t.balign\t4\ncount", "\t.ltorg\n\t.balign\t4\ncount"),
                "-nostdlib", "-static", "-mthumb", "-mcpu=cortex-m4", "-Wl,--build-id=none",
                "-Wl,-Ttext=0", "-DPENDING=0", "-DCOUNT=10", ext="S", prefix="arm-none-eabi-")
    at = symbol(elf, "faults")
    out = pmk("stat", "-e", "st_retired,exc_undef", elf)
    jumped = "after the jump " if more == BAD_JUMP else ""
    contains(out.err, f"warning: the firmware took a HardFault {jumped}at {at:#x} in faults{said}")
    equal(out.code, 128 + 6 if said else 0, out)
    assert "R00=" not in out.err and "SIGABRT" not in out.err, out


EXIT = "\tldr r1, =0x20026\n\tmovs r0, #0x18\n\tbkpt 0xab"
# Sets DIV_0_TRP of CCR.
TRAP_DIVISION = "ldr r0, =0xe000ed14; ldr r1, [r0]; orr r1, #16; str r1, [r0]; movs r1, #0"


@cases("cpu, code, where, said", [
    ("cortex-m4", "faults: udf #255", "faults", "; the instruction is undefined, as that of "),
    ("cortex-m4", ".fpu fpv4-sp-d16; faults: vmov.f32 s0, #1.0", "faults",
     "; the instruction needs the FPU: bits 20 to 23 of CPACR, 0xe000ed88, enable it"),
    ("cortex-m3", TRAP_DIVISION + "; faults: udiv r2, r0, r1; b 5f", "faults",
     "; the instruction divides by zero, and DIV_0_TRP of CCR is set"),
    ("cortex-m4", TRAP_DIVISION + "; nop; faults: sdiv r2, r0, r1; nop; str r2, [sp]", "faults",
     "; the instruction divides by zero, and DIV_0_TRP of CCR is set"),
    ("cortex-m0", "mov r1, sp; faults: ldr r0, [r1, r0]", "faults",
     "; if the instruction is a load or store, the board has no memory at its address, or the "),
    ("cortex-m0plus", "mov r1, sp; faults: str r0, [r1, r0]", "faults", "the address is not"),
    ("cortex-m3", "movs r0, #0; faults: blx r0", "faults",
     "; there is no code at the address to which it jumps, or the address is even"),
    ("cortex-m3", "ldr r0, =0x70000001; faults: blx r0", "faults",
     "; there is no code at the address to which it jumps")])
def test_a_fault_is_reported_with_its_reason(cpu, code, where, said):
    """A Cortex-M0 takes a fault if an access is not aligned, although its firmware runs on QEMU's
    Cortex-M3."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    lines = "\tmovs r0, #1\n" + code.replace("; ", "\n") + "\n5:"
    source = FIRMWARE.replace("MORE", lines.replace("faults:", "\t.global faults\nfaults:"))
    source = source.replace("\t.balign\t4\ncount", "\t.ltorg\n\t.balign\t4\ncount")
    source = source.replace("hang:\tb\t.", "hang:" + EXIT)
    elf = build("cortexm", source, "-nostdlib", "-static", "-mthumb", f"-mcpu={cpu}",
                "-Wl,--build-id=none", "-Wl,-Ttext=0", "-DPENDING=0", "-DCOUNT=10", ext="S",
                prefix="arm-none-eabi-")
    out = pmk("stat", "-e", "inst_retired", elf)
    at = f"at {symbol(elf, where):#x} in {where}" if where else "at 0x0"
    line = re.search("HardFault .*", out.err)[0]
    contains(line, f"HardFault {'after the jump ' if 'jumps' in said else ''}{at};")
    contains(line, said)


@cases("code, executed", [
    # A division that traps counts as executed. The instructions after it in its block do not.
    (TRAP_DIVISION + "; b 4f; 4: udiv r2, r0, r1; adds r3, #1; str r2, [sp]; b 5f; 5:", 8),
    (TRAP_DIVISION + "; b 4f; 4: adds r3, #1; udiv r2, r0, r1; adds r3, #1; b 5f; 5:", 9),
    (TRAP_DIVISION + "; movs r1, #1; udiv r2, r0, r1; adds r3, #1; udf #1", 10),
    # An address without bit 0 is that of no instruction: nothing there is executed.
    ("movs r0, #0; blx r0", 3), ("ldr r0, =5f; bx r0; .balign 4; 5: push.w {r4, r5, lr}", 3),
    ("ldr r0, =5f; bx r0; .balign 4; nop; 5: push.w {r4, r5, lr}", 3),
    # The instruction at this address is executed once, before the address is even.
    ("ldr r0, =6f; b 6f; .balign 4; 6: b.w 5f; nop; 5: blx r0", 5)])
def test_a_fault_ends_the_counts_at_its_instruction(code, executed):
    """HardFault's handler has four instructions. The firmware executes MOVS before CODE."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    source = FIRMWARE.replace("MORE", "").replace("reset:", "reset:\tmovs r0, #1\n" +
                                                  code.replace("; ", "\n") + "\n")
    source = source.replace("\t.balign\t4\ncount", "\t.ltorg\n\t.balign\t4\ncount")
    source = source.replace("hang:\tb\t.", "hang:\tnop\n" + EXIT)
    elf = build("cortexm", source, "-nostdlib", "-static", "-mthumb", "-mcpu=cortex-m3",
                "-Wl,--build-id=none", "-Wl,-Ttext=0", "-DPENDING=0", "-DCOUNT=10", ext="S",
                prefix="arm-none-eabi-")
    events = "inst_retired", "exc_taken", "exc_undef"
    for more in (), ("-e", "cpu_cycles,ld_retired"):
        got = counts(stat("-e", ",".join(events), *more, elf))
        equal([got[e] for e in events], [executed + 4, 1, 1])


def symbol(elf, name):
    return int(run("arm-none-eabi-nm", elf).out.split(f" T {name}")[0].split()[-1], 16)


def test_a_semihosting_call_without_semihosting_is_named():
    have("qemu-system-arm", "arm-none-eabi-gcc")
    line = command("cortex-m3").replace(" -semihosting", "")
    out = pmk("stat", "-e", "inst_retired", "--timeout", "1000", "--qemu", line)
    contains(out.err, "; the instruction is a semihosting call: add -semihosting to QEMU's")


def test_qemu_with_firmware_without_a_vector_table():
    """QEMU cannot start firmware without a vector table. QEMU 7.2 then executes nothing, so pmk has
    no counts. QEMU 10.0 executes the empty memory behind the code before it locks up. pmk prints a
    remedy, and the remedy works."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = build("cortexm-entry", WITHOUT_VECTORS, "-nostdlib", "-static", "-mthumb",
                "-mcpu=cortex-m4", "-Wl,--build-id=none", "-Wl,-Ttext=0x8000", ext="S",
                prefix="arm-none-eabi-")
    line = f"qemu-system-arm -M mps2-an386 -kernel '{elf}' -nographic"
    out = pmk("stat", "-e", "inst_retired", "--qemu", line)
    equal(out.code, 134 if " inst_retired " in out.err else 125, out)
    said = re.search(" has no vector table, so the processor finds no code to start with, and "
                     "locks up; without --qemu, pmk starts it at its entry; or add (.*) to QEMU's "
                     "command line$", out.err, re.M)
    assert said and "HardFault" not in out.err, out
    equal(counts(stat("-e", "inst_retired", "--qemu", f"{line} {said[1]}")), {"inst_retired": 6})


def test_time_follows_the_instructions_of_firmware():
    have("qemu-system-arm", "arm-none-eabi-gcc")
    docs = [stat("-e", "inst_retired", "--qemu", command("cortex-m3") + more)
            for more in ("", " -icount shift=5,sleep=off")]
    equal(["-icount shift=5,sleep=off" in str(doc.get("note")) for doc in docs], [True, False])
    equal(*(counts(doc) for doc in docs))


@cases("reset, code, said", [
    ("0x70000001", 125, "pmk: the processor locked up before it executed an instruction: the"),
    ("main + 1", 128 + 6, "warning: a fault handler of the firmware faulted, which")])
def test_a_lockup_is_reported_without_a_handler(reset, code, said):
    """pmk reports a lockup if the vector table has an address without code in place of the
    handler."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = build("cortexm-lockup", "\t.syntax unified\n\t.thumb\n\t.word 0x20003000, "
                f"{reset}, 0x70000001, 0x70000001\nmain: nop\n\tudf #1\n", "-nostdlib", "-static",
                "-mthumb", "-mcpu=cortex-m3", "-Wl,--build-id=none", "-Wl,-Ttext=0", ext="S",
                prefix="arm-none-eabi-")
    out = pmk("stat", "-e", "inst_retired", "--qemu",
              f"qemu-system-arm -M mps2-an385 -kernel '{elf}' -nographic")
    equal(out.code, code, out)
    contains(out.err, said)
    assert "R00=" not in out.err and "SIGABRT" not in out.err, out


# The firmware exits with 0 if the cycle counter is enabled, and has counted the loop and the
# instructions between the two reads of the counter.
READS_DWT = """
	ldr	r0, =0xe000edfc			@ DEMCR.TRCENA
	ldr	r1, [r0]
	orr	r1, r1, #0x01000000
	str	r1, [r0]
	ldr	r0, =0xe0001000			@ DWT_CTRL.CYCCNTENA
	ldr	r1, [r0]
	orr	r1, r1, #1
	str	r1, [r0]
	movs	r2, #200
	ldr	r1, [r0, #4]			@ DWT_CYCCNT
2:	subs	r2, #1				@ 3 * 200, without a cycle of the last
	bne	2b
	ldr	r3, [r0, #4]			@ 2
	subs	r3, r1
	ldr	r1, exited
	movw	r0, #3 * 200 - 1 + 2
	cmp	r3, r0
	beq	3f
	movs	r1, #0
3:	movs	r0, #0x18
	bkpt	0xab
"""


@pytest.mark.parametrize("words", [[], ["--pmu", "dwt"]])
def test_firmware_reads_its_own_cycle_counter(words):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    elf = build("cortexm", FIRMWARE.replace("MORE", READS_DWT).replace(
                    "\t.balign\t4\ncount", "\t.ltorg\n\t.balign\t4\ncount"),
                "-nostdlib", "-static", "-mthumb", "-mcpu=cortex-m4", "-Wl,--build-id=none",
                "-Wl,-Ttext=0", "-DPENDING=0", "-DCOUNT=10", ext="S", prefix="arm-none-eabi-")
    line = ["qemu-system-arm", "-M", "mps2-an386", "-kernel", elf, "-nographic", "-semihosting"]
    out = pmk("run", *words, "--", *line)
    equal(out.code, 0, out)
    contains(out.err, "the program's own PMU, dwt: 4 reads, 2 writes")
    equal(run(*line).code, 1)  # without pmk, QEMU's cycle counter always reads 0


LINES = """
__attribute__((noinline)) void work(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("nop");
}

__attribute__((naked)) void _start(void)
{
	__asm__ volatile("ldr r0, =0x20003000; mov sp, r0; movs r0, #7; bl work; movs r0, #3; bl work");
	__asm__ volatile("movs r0, #0x18; ldr r1, =0x20026; bkpt 0xab");
}
"""


def lines_elf(cpu):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    return build("cortexm-lines", LINES, "-nostdlib", "-static", "-mthumb", f"-mcpu={cpu}", "-O1",
                 "-g", "-Wl,--build-id=none", "-Wl,-Ttext=0x8000", prefix="arm-none-eabi-")


def test_a_recording_of_firmware_is_shown_and_exported(tmp_path):
    recording, page = tmp_path / "a.pmk", tmp_path / "a.html"
    equal(pmk("record", "-g", "-o", recording, lines_elf("cortex-m4")).code, 0)
    lcov = pmk("export", "--format", "lcov", "-i", recording).out.splitlines()
    assert {"FNDA:2,work", "FNDA:1,_start", "DA:5,10"} <= set(lcov), lcov
    out = pmk("annotate", "-e", "inst_retired", "-i", recording, "work")
    assert re.search(r" 10 .* 10  \S+\.c:5$", out.out, re.M), out
    equal(pmk("report", "--html", page, "-i", recording).code, 0)
    contains(page.read_text(), "work")
    equal(pmk("diff", "--fail-over", "0%", recording, recording).code, 0)


@lab
def test_a_sweep_counts_firmware_as_pmk_stat_does(tmp_path):
    elf = lines_elf("cortex-m3")
    (tmp_path / "plan.ini").write_text(
        "[sweep]\ncores = cortex-m3, cortex-m4\nevents = cpu_cycles, inst_retired\n"
        f"[settings]\nbranch.refill = 1, 3\n[program work]\nrun = {elf}\n")
    out = pmk("sweep", "plan.ini", "-o", "r.db", cwd=tmp_path)
    equal(out.code, 0, out)
    rows = pmk("sweep", "-x,", "r.db", cwd=tmp_path).out.splitlines()
    for core in ("cortex-m3", "cortex-m4"):
        for refill in (1, 3):
            want = counts(stat("-e", "cpu_cycles,inst_retired", "--core", core, "--set",
                               f"branch.refill={refill}", elf))
            said = f"work,{core},{refill},{want['cpu_cycles']},{want['inst_retired']},"
            assert said in rows, (said, rows)


def test_the_example_is_counted_by_its_three_commands():
    have("qemu-system-arm", "arm-none-eabi-gcc")
    folder = os.path.join(SOURCE, "examples", "cortexm")
    with open(os.path.join(folder, "README.md")) as f:
        build_line, stat_line = [line.split() for line in f if line.startswith("    ")][:2]
    elf = os.path.join(WORK, f"example-cortexm-{os.getpid()}.elf")
    words = {"hello.elf": elf, "./hello.elf": elf, "hello.c": os.path.join(folder, "hello.c")}
    out = run(*(words.get(w, w) for w in build_line))
    equal((out.code, out.err), (0, ""))
    out = pmk(*(words.get(w, w) for w in stat_line[1:]))
    equal(out.code, 0, out)
    assert out.err.startswith("sorted\n"), out  # QEMU prints the text of SYS_WRITE0 there
    contains(out.err, "Region 'sort', entered 1 time")
    os.unlink(elf)


@cases("limits, code, said", [
    ({}, 0, "bytes deep"),
    ({"CYCLES": "1000"}, 1, "cpu_cycles in sort"),
    ({"STACK": "64"}, 1, "bytes deep")])
def test_the_gate_of_the_example_fails_over_its_limits(limits, code, said):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    out = run(os.path.join(SOURCE, "examples", "cortexm", "gate"), "cortex-m3",
              env={**os.environ, "PMK": PMK, **limits})
    equal(out.code, code, out)
    contains(out.out + out.err, said)
