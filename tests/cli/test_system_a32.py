# SPDX-License-Identifier: MIT
"""pmk stat --qemu counts firmware in A32 and T32 on boards with a Cortex-A7, A8, A9 or A15."""
from harness import *
from insns import SecondCount
from programs import build

# A comment at each loop says how many instructions the loop executes. All processors except the
# first wait for an interrupt that does not come. The program ends with semihosting's SYS_EXIT,
# which the emulator itself handles.
FIRMWARE = """
	.syntax	unified
	.arm
	.global	_start
_start:
	mrc	p15, 0, r0, c0, c0, 5		@ MPIDR
	ands	r0, r0, #3
parked:	wfine
	bne	parked
	ldr	sp, stack			@ 4 before it, and this
	adr	r0, vectors
	mcr	p15, 0, r0, c12, c0, 0		@ VBAR
	isb
	mov	r4, #1000			@ 4
1:	ldrne	r1, [sp, #-8]			@ 5 * 1000: not equal but once
	str	r4, [sp, #-4]
	subs	r4, r4, #1
	addne	r5, r5, #1
	bne	1b
	blx	thumb				@ 1
	svc	#1				@ 1
	movw	r0, #0x18			@ 4, and the call
	movw	r1, #0x0026
	movt	r1, #0x2
	svc	#0x123456
	b	.
stack:	.word	STACK
	.balign	32
vectors:
	b	.
	b	.
	movs	pc, lr				@ 1
	b	.
	b	.
	b	.
	b	.
	b	.
	.thumb
	.thumb_func
thumb:	movw	r4, #500			@ 2
2:	subs	r4, #1				@ 6 * 500, without the last b
	ite	eq
	moveq	r5, #0
	ldrne.w	r1, [sp, #-4]
	cbz	r4, 3f
	b	2b
3:	bx	lr
"""
EXECUTED = 5 + 3 + 1 + 5 * 1000 + 1 + 1 + 1 + 4 + 2 + 6 * 500 - 1
LOADS, STORES = 1 + 999 + 499, 1000
BRANCHES = 1 + 1000 + 1 + 500 + 499


def firmware(at, stack):
    return build("firmware32", FIRMWARE, "-nostdlib", "-static", "-Wl,--build-id=none",
                 f"-Wl,-Ttext={at:#x}", "-march=armv7-a", f"-DSTACK={stack:#x}", ext="S",
                 prefix="arm-none-eabi-")


def command(board, at, stack):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    return (f"qemu-system-arm -M {board} -kernel '{firmware(at, stack)}' -nographic -nic none "
            "-semihosting -icount shift=0,sleep=off")


VIRT = 0x40080000, 0x40200000
OF_A7 = "inst_retired,ld_retired,st_retired,br_immed_retired"
OF_A9 = "ins_rename,ld_retired,st_retired,br_immed_retired"
OF_A15 = "inst_retired,ld_spec,st_spec,br_immed_spec"


@cases("board, core, events, place", [
    ("virt", "cortex-a15", OF_A15, VIRT), ("virt -cpu cortex-a7", "cortex-a7", OF_A7, VIRT),
    ("virt -cpu cortex-a15", "cortex-a15", OF_A15, VIRT),
    ("cubieboard", "cortex-a8", OF_A7, (0x40080000, 0x40200000)),
    ("realview-pbx-a9", "cortex-a9", OF_A9, (0x10000, 0x200000)),
    ("raspi2b", "cortex-a7", OF_A7, (0x10000, 0x200000))])
def test_the_core_is_the_boards(board, core, events, place):
    """pmk uses the board's core. The number of executed instructions is known in advance, and an
    independent count agrees."""
    second = SecondCount(half=1 << 32)
    doc = stat("-e", events, "--qemu", f"{command(board, *place)} {second.options}")
    (below, above), taken, _ = second.read()
    equal((doc["core"], doc["pmu"]), (core, core))
    equal((taken, above), ({"SVC": 1, "Semihosting call": 1}, 0))
    equal(list(counts(doc).values()), [below, LOADS, STORES, BRANCHES])
    # Each of the other three processors of a Raspberry Pi executes three instructions before it
    # waits.
    assert below - EXECUTED in ((0, 3, 6, 9) if board == "raspi2b" else (0,)), below


# The code maps each megabyte to itself, and turns the MMU and the caches on.
CACHES_ON = """
	ldr	r0, =map
	mcr	p15, 0, r0, c2, c0, 0
	mov	r0, #3
	mcr	p15, 0, r0, c3, c0, 0
	mrc	p15, 0, r0, c1, c0, 0
	orr	r0, r0, #0x1000
	orr	r0, r0, #5
	mcr	p15, 0, r0, c1, c0, 0
	mov	r4, #1000
"""
MAP = """
	.ltorg
	.balign	0x4000
	.set	section, 0xc0e
map:	.rept	4096
	.word	section
	.set	section, section + 0x100000
	.endr
"""


@cases("core", ["cortex-a7", "cortex-a15"])
def test_caches_are_off_until_the_firmware_turns_them_on(core):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    first = "\tmov\tr4, #1000\t\t\t@ 4\n"
    assert first in FIRMWARE
    got = {}
    for name, source in (("off", FIRMWARE), ("on", FIRMWARE.replace(first, CACHES_ON) + MAP)):
        kernel = build("firmware32-" + name, source, "-nostdlib", "-static",
                       "-Wl,--build-id=none", f"-Wl,-Ttext={VIRT[0]:#x}", "-march=armv7-a",
                       f"-DSTACK={VIRT[1]:#x}", ext="S", prefix="arm-none-eabi-")
        doc = stat("-e", "cpu_cycles,l1d_cache_refill,l1i_cache_refill,l1d_tlb_refill", "--qemu",
                   f"qemu-system-arm -M virt -cpu {core} -kernel '{kernel}' -nographic -nic none "
                   "-semihosting -icount shift=0,sleep=off")
        got[name] = counts(doc)
        equal("turn these on (SCTLR): MMU, data cache, instruction cache" in (doc["note"] or ""),
              name == "off", doc["note"])
    refills = ("l1d_cache_refill", "l1i_cache_refill", "l1d_tlb_refill")
    equal([got["off"][e] for e in refills], [0, 0, 0])
    assert all(got["on"][e] > 0 for e in refills), got
    assert got["on"]["cpu_cycles"] < got["off"]["cpu_cycles"] / 5, got


def test_exceptions_are_not_told_apart():
    events = "exc_taken,exc_irq,exc_return"
    doc = stat("-e", events, "--core", "cortex-a7", "--qemu", command("virt", *VIRT))
    why = {c["event"]: c.get("reason") for c in doc["counters"]}
    said = "system emulation does not distinguish the exceptions of this core"
    equal(why, {"exc_taken": said, "exc_irq": said, "exc_return": None})
    equal(counts(doc)["exc_return"], 1)


def test_another_core_that_was_asked_for():
    doc = stat("-e", "inst_retired", "--core", "cortex-a7", "--qemu", command("virt", *VIRT))
    equal((doc["core"], counts(doc)), ("cortex-a7", {"inst_retired": EXECUTED}))


# ---- data aborts ---------------------------------------------------------------------------------

# r7 has an address that is unmapped on the board "virt". Other boards have memory there. The flags
# are set to "not equal".
ABORTS = """
	.syntax	unified
	.arch	armv7-a
	.fpu	neon
	.arm
	.global	_start
_start:
	adr	r0, vectors
	mcr	p15, 0, r0, c12, c0, 0
	mrc	p15, 0, r0, c1, c0, 2
	orr	r0, r0, #0xf00000
	mcr	p15, 0, r0, c1, c0, 2
	isb
	mov	r0, #0x40000000
	vmsr	fpexc, r0
	movw	r7, #0
	movt	r7, #PLACE
	mov	r8, #0
	cmp	r7, #1
	.balign	32
	.skip	16			@ room for a vector of data aborts
again:	add	r8, r8, #1
	{access}
	add	r9, r9, #1
	cmp	r8, #300
	add	r9, r9, #1
	bne	again
	movw	r0, #0x18
	movw	r1, #0x0026
	movt	r1, #0x2
	svc	#0x123456
	b	.
	.balign	32
vectors:
	b	.
	b	.
	b	.
	b	.
	subs	pc, lr, #4
	b	.
	b	.
	b	.
"""
ACCESSES = ("ldr r6, [r7]", "str r6, [r7]", "ldmia r7, {r1-r6}", "stmia r7, {r1-r5}",
            "ldrd r4, r5, [r7]", "strd r4, r5, [r7]", "streq r6, [r7]",
            "ldmiaeq r7, {r1-r4}", "vld1.32 {d0-d3}, [r7]", "vstmia r7, {d0-d5}",
            "ldrex r6, [r7]", "strex r5, r6, [r7]", "ldr r6, [r7]; ldreq r6, [r7]; str r6, [r7]",
            "ldreq r6, [r7]; ldmia r7, {r1-r3}", "swp r6, r5, [r7]", "pld [r7]",
            "ldrne r6, [r7]", "strne r6, [r7]; streq r6, [r7]")


@cases("name, place", [("nothing", 0xf000), ("memory", 0x4100)])
def test_data_aborts(name, place):
    """Code after an access that aborts is not counted, wherever VBAR has the vectors. Where there
    is memory, everything is counted. The instruction that aborts counts, as in an emulator's
    log."""
    have("qemu-system-arm", "arm-none-eabi-gcc")
    for access in ACCESSES:
        kernel = build("aborts32", ABORTS.format(access=access), "-nostdlib", "-static",
                       "-Wl,--build-id=none", "-Wl,-Ttext=0x40080000", f"-DPLACE={place:#x}",
                       ext="S", prefix="arm-none-eabi-")
        second = SecondCount(half=1 << 32)
        doc = stat("-e", "inst_retired", "--qemu",
                   f"qemu-system-arm -M virt -m 512 -kernel '{kernel}' -nographic -nic none "
                   f"-semihosting -icount shift=0,sleep=off {second.options}")
        (below, _), taken, _ = second.read()
        equal(counts(doc)["inst_retired"], below, f"{access} {taken}")
        calm = place == 0x4100 or access in ("streq r6, [r7]", "ldmiaeq r7, {r1-r4}", "pld [r7]")
        assert (taken.get("Data Abort", 0) == 0) == (calm or access.startswith("strex")), taken


# ---- forbidden in user mode -------------------------------------------------------------------

# The handler returns to the instruction after an undefined one. A pass in user mode has 3
# instructions of its own. For each of TRAPS it has 2, or 3 with the handler's instruction.
USER = """
	.syntax	unified
	.arm
	.global	_start
_start:
	adr	r0, vectors
	mcr	p15, 0, r0, c12, c0, 0
	mov	r4, #50
	msr	cpsr_c, #0xd0
1:	add	r5, r5, #1
	{traps}
	subs	r4, r4, #1
	bne	1b
	svc	#1
finish:	movw	r0, #0x18
	movw	r1, #0x0026
	movt	r1, #0x2
	svc	#0x123456
	b	.
	.balign	32
vectors:
	b	.
	movs	pc, lr
	b	finish
	b	.
	b	.
	b	.
	b	.
	b	.
"""
# Instructions that trap. The emulator decides that they trap when it executes them, or when it
# translates them.
TRAPS = {"execution": ["mrc p15, 0, r1, c9, c13, 0", "mcr p15, 0, r1, c9, c12, 5",
                       "mrrc p15, 1, r1, r2, c14", "mrc p15, 0, r1, c14, c0, 0"],
         "translation": ["mrc p15, 0, r1, c1, c0, 0", "mcr p15, 0, r1, c7, c5, 0", "udf #0"]}


@pytest.mark.parametrize("when", TRAPS)
def test_what_user_mode_may_not_do(when):
    have("qemu-system-arm", "arm-none-eabi-gcc")
    n, each = 50, len(TRAPS[when])
    traps = "\n\tadd r6, r6, #1\n\t".join([*TRAPS[when], ""])
    kernel = build("user32", USER.format(traps=traps), "-nostdlib", "-static",
                   "-Wl,--build-id=none", "-Wl,-Ttext=0x40080000", "-march=armv7-a", ext="S",
                   prefix="arm-none-eabi-")
    second = SecondCount(half=1 << 32)
    doc = stat("-e", "inst_retired", "--qemu", f"qemu-system-arm -M virt -cpu cortex-a7 -kernel "
               f"'{kernel}' -nographic -nic none -semihosting {second.options}")
    (below, _), taken, _ = second.read()
    equal(taken, {"Undefined Instruction": n * each, "SVC": 1, "Semihosting call": 1})
    equal(below, 4 + n * (3 + 3 * each) + 1 + 1 + 4)
    equal(counts(doc)["inst_retired"], below)
