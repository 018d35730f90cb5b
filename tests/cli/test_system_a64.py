# SPDX-License-Identifier: MIT
"""pmk stat --qemu counts firmware for AArch64 on QEMU's board "virt", without a kernel."""
import shlex

from harness import *
from insns import SecondCount
from programs import build
from qemulog import version

CROSS64 = "aarch64-linux-gnu-"

# The firmware consists of reset code with a stack and a vector table at EL1, BODY, and the end by
# PSCI's SYSTEM_OFF. Around BODY it executes 6 instructions at reset and 2 at the end. The emulator
# handles the HVC itself.
FRAME = """
	.macro	slot code
	.balign	128
	\\code
	.endm
	.global	_start, f, g, done
	.type	_start, %function
	.type	f, %function
	.type	g, %function
	.type	done, %function
_start:
	ldr	x0, =0x40f00000
	mov	sp, x0
	adr	x0, vectors
	msr	vbar_el1, x0
	isb
	mov	x4, #COUNT
{body}
done:
	ldr	x0, =0x84000008
	hvc	#0
	b	.
	.ltorg
{rest}
	.balign	2048
vectors:
	.rept	4			// of this level, with SP_EL0
	slot	"b ."
	.endr
	slot	"{sync}"		// of this level
	slot	"{irq}"
	slot	"b ."
	slot	"b ."
	slot	"{lower_sync}"		// of the level below
	slot	"{lower_irq}"
	slot	"b ."
	slot	"b ."
	.rept	4			// of the level below, in AArch32
	slot	"b ."
	.endr
"""
FRAME_INSNS = 8


def firmware(body, rest="", sync="b .", irq="b .", lower_sync="b .", lower_irq="b .", count=1000):
    source = FRAME.format(body=body, rest=rest, sync=sync, irq=irq, lower_sync=lower_sync,
                          lower_irq=lower_irq)
    return build("firmware64", source, "-nostdlib", "-static", "-Wl,--build-id=none",
                 "-Wl,-Ttext=0x40080000", "-march=armv8-a", f"-DCOUNT={count}", ext="S",
                 prefix=CROSS64)


def machine(kernel, more="", board="virt", cpu="cortex-a53"):
    have("qemu-system-aarch64")
    return (f"qemu-system-aarch64 -M {board} -cpu {cpu} -kernel '{kernel}' -nographic -nic none "
            f"{more}")


def system(kernel, *argv, code=0, **kw):
    return stat("--qemu", machine(kernel, **kw), *argv, code=code)


CALLS = """
1:	bl	f
	subs	x4, x4, #1
	b.ne	1b
"""
CALLED = """
f:	stp	x4, x30, [sp, #-16]!
	bl	g
	ldp	x4, x30, [sp], #16
	ret
g:	nop
	ret
"""


def test_a_known_loop_counts_exactly():
    for n in (1, 100, 4080):
        doc = system(firmware(CALLS, CALLED, count=n), "-e",
                     "inst_retired,br_pred,pc_write_retired,ld_retired,st_retired,l1d_cache")
        c = counts(doc)
        equal(c["inst_retired"], FRAME_INSNS + 9 * n, n)
        equal((c["ld_retired"], c["st_retired"]), (2 + n, n))
        equal(c["l1d_cache"], 2 + 2 * n)
        # The branches are BL, BL, RET, RET and B.NE of every pass. The last B.NE is not taken, so
        # it does not write the PC.
        equal(c["br_pred"], 5 * n, n)
        equal(c["pc_write_retired"], 5 * n - 1, n)
    assert re.fullmatch(r"qemu-system-aarch64 \d\S*", doc["producer"]), doc["producer"]
    equal((doc["core"], doc["pmu"], doc["processes"], doc["threads"]),
          ("cortex-a53", "cortex-a53", 1, 1))


def test_regions_by_symbol():
    doc = system(firmware(CALLS, CALLED), "-e", "inst_retired", "--region", "f", "--region", "g")
    equal(counts(doc)["inst_retired"], FRAME_INSNS + 9000)
    equal((counts(doc, "f")["inst_retired"], counts(doc, "g")["inst_retired"]), (6000, 2000))
    equal([c["entries"] for c in doc["counters"] if c["region"]], [1000, 1000])


# A pass reads UARTFR of the PL011 at 0x09000000, and writes and reads a word on the stack.
DEVICE = """
	mov	x8, #0x09000000
1:	ldr	w0, [x8, #0x18]
	str	x0, [sp, #-8]
	ldr	x0, [sp, #-8]
	subs	x4, x4, #1
	b.ne	1b
"""


# The first gigabyte is device memory, and the second one is cached. Addresses are mapped to
# themselves.
MAP = """
	.balign	4096
map:	.quad	0x401, 0x40000705
	.rept	510
	.quad	0
	.endr
"""
TABLE = """
	adr	x0, map
	msr	ttbr0_el1, x0
	mov	x0, #0xff00
	msr	mair_el1, x0
	ldr	x0, =0x803519			// 39 bits, cached, no TTBR1
	msr	tcr_el1, x0
"""
CACHES_ON = TABLE + """
	mrs	x0, sctlr_el1
	mov	x1, #0x1005			// I, C, M
	orr	x0, x0, x1
	msr	sctlr_el1, x0
	isb
"""
CACHES_ON_INSNS = 11
CACHES_OFF = """
	mrs	x0, sctlr_el1
	mov	x1, #0x1005
	bic	x0, x0, x1
	msr	sctlr_el1, x0
	isb
"""


def test_device_accesses_are_not_looked_up_in_the_cache():
    for n in (1, 10, 500):
        c = counts(system(firmware(CACHES_ON + DEVICE, MAP, count=n), "-e",
                          "inst_retired,mem_access,l1d_cache,l1d_cache_refill,bus_access_rd"))
        equal(c["inst_retired"], FRAME_INSNS + CACHES_ON_INSNS + 1 + 5 * n)
        equal((c["mem_access"], c["l1d_cache"]), (3 + 3 * n, 3 + 2 * n))
        # The refills are for the literals and for the stack.
        equal(c["l1d_cache_refill"], 2)
        assert c["bus_access_rd"] >= n, c


def test_output_of_the_machine_is_its_own():
    body = """
	mov	x8, #0x09000000
	mov	w0, #0x41
1:	str	w0, [x8]
	subs	x4, x4, #1
	b.ne	1b
"""
    out = pmk("stat", "-e", "inst_retired", "--qemu", machine(firmware(body, count=5)))
    equal((out.code, out.out), (0, "AAAAA"), str(out))


def test_time_by_instructions_repeats():
    """The loop reads CNTVCT until some time has passed."""
    body = """
	mrs	x5, cntvct_el0
1:	mrs	x6, cntvct_el0
	sub	x6, x6, x5
	str	x6, [sp]
	cmp	x6, #COUNT
	b.lt	1b
"""
    more = "-icount shift=0,sleep=off"
    runs = [system(firmware(body), "-e", "all", more=more) for _ in range(3)]
    equal(runs[0]["counters"], runs[1]["counters"])
    equal(runs[0]["counters"], runs[2]["counters"])
    equal((counts(runs[0])["inst_retired"] - FRAME_INSNS - 1) % 5, 0)
    equal([r["host-time"] for r in runs], [False] * 3)


def test_arm_firmware_runs_on_this_emulator_too():
    have("qemu-system-aarch64")
    source = """
	.syntax	unified
	.arm
	.global	_start
_start:	ldr	r4, =COUNT
1:	subs	r4, r4, #1
	bne	1b
	mov	r0, #0x18
	ldr	r1, =0x20026
	svc	#0x123456
	.ltorg
"""
    kernel = build("firmware-arm-on-64", source, "-mcpu=arm1176jzf-s", "-nostdlib", "-static",
                   "-Wl,--build-id=none", "-Wl,-Ttext=0x8000", "-DCOUNT=1000", ext="S",
                   prefix="arm-none-eabi-")
    doc = stat("-e", "instr_exec", "--qemu", f"qemu-system-aarch64 -M raspi0 -kernel '{kernel}' "
               "-nographic -nic none -semihosting-config enable=on,target=native")
    equal((doc["core"], counts(doc)["instr_exec"]), ("arm1176", 2004))


def test_firmware_of_another_machine():
    kernel = firmware(CALLS, CALLED)
    out = pmk("stat", "--qemu", f"qemu-system-arm -M raspi0 -kernel {kernel}")
    equal((out.code, out.err), (
        126, f"pmk: --qemu: {kernel} is for little-endian AArch64, and qemu-system-arm runs "
        "little-endian ARM; take qemu-system-aarch64\n"))


# The counts of exceptions agree with QEMU's own log of them, and with a count of each instruction
# in the same run. The counts given per pass exclude the handler, which has 4 instructions, one of
# them an ERET.
HANDLER = """
handler:
	add	x7, x7, #1
	msr	elr_el1, x9
	eret
"""
NEXT = "\n	adr	x9, 2f\n"
EXCEPTIONS = (
    # A call returns to the next instruction. The handler of undefined instructions returns to the
    # next instruction, too.
    ("svc", NEXT + "svc #1\n2:", 2, "exc_svc"),
    ("undefined", NEXT + "udf #0\n2:", 2, "exc_undef"),
    ("break", NEXT + "brk #1\n2:", 2, "exc_undef"),
    ("other_level", NEXT + "mrs x1, actlr_el3\nadd x2, x2, #1\n2:", 2, "exc_undef"),
    # Addresses of 41 bits do not exist, so a load aborts, and the code after it is executed later.
    ("load", NEXT + "ldr x1, [x8]\nadd x2, x2, #1\nldr x1, [sp]\n2:", 2, "exc_dabort"),
    ("second_load", NEXT + "ldr x1, [sp]\nldr x1, [x8]\nldr x1, [sp]\n2:", 3, "exc_dabort"),
    ("store", NEXT + "str x1, [x8]\nadd x2, x2, #1\n2:", 2, "exc_dabort"),
    ("pair", NEXT + "ldp x1, x2, [x8]\nldp x1, x2, [sp]\n2:", 2, "exc_dabort"),
    ("exclusive", NEXT + "ldxr x1, [x8]\nldxr x1, [sp]\n2:", 2, "exc_dabort"),
    ("in_front_of_a_return", NEXT + "adr x30, 2f\nldr x1, [x8]\nret\n2:", 3, "exc_dabort"),
    ("no_code", NEXT + "br x8\n2:", 2, "exc_pabort"),
    # A store exclusive without its load fails: it makes no access, and does not fault.
    ("failed_exclusive", NEXT + "clrex\nstxr w1, x2, [sp]\nsvc #1\n2:", 4, "exc_svc"),
    ("failed_exclusive_no_code", NEXT + "clrex\nstxr w1, x2, [sp]\nbr x8\n2:", 4, "exc_pabort"),
)


@cases("name, body, insns, event", EXCEPTIONS)
def test_exceptions(name, body, insns, event):
    body = f"	mov	x8, #0x10000000000\n1:{body}	subs	x4, x4, #1\n	b.ne	1b\n"
    for n in (1, 300):
        second = SecondCount()
        kernel = firmware(body, HANDLER, sync="b handler", count=n)
        c = counts(system(kernel, "--core", "cortex-a72", "-e",
                          "inst_retired,exc_taken,exc_return,exc_svc,exc_undef,exc_dabort,"
                          "exc_pabort,exc_irq,exc_hvc",
                          more=second.options))
        ran, taken, returns = second.read()
        all_insns = sum(ran)
        equal((sum(taken.values()), returns), (n, n), str(taken))
        equal(c["inst_retired"], all_insns)
        equal(all_insns, FRAME_INSNS + 1 + n * (insns + 2 + 4))
        equal((c["exc_taken"], c["exc_return"]), (n, n))
        equal({e: c[e] for e in c if e.startswith("exc_") and c[e]},
              {"exc_taken": n, "exc_return": n, event: n})


# EL0 executes forbidden instructions, and EL1 returns to the instruction after them. A pass of EL0
# has 4 instructions and 2 for each of TRAPS. The handler has 9 instructions.
AT_EL0 = """
	adr	x0, 1f
	msr	elr_el1, x0
	msr	spsr_el1, xzr
	mrs	x0, sctlr_el1
	bic	x0, x0, #1 << 16		// nTWI
	msr	sctlr_el1, x0
	mov	x8, sp
	eret
1:	add	x5, x5, #1
	add	x5, x5, #1
	{traps}
	subs	x4, x4, #1
	b.ne	1b
	svc	#0
"""
EMULATES = """
handler:
	mrs	x0, esr_el1
	lsr	x0, x0, #26
	cmp	x0, #0x15
	b.eq	done
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	eret
"""
# Instructions that trap. The emulator decides that they trap when it executes them, or when it
# translates them.
TRAPS = {"execution": ["mrs x1, cntvct_el0", "mrs x1, cntfrq_el0", "mrs x1, pmccntr_el0",
                       "msr pmselr_el0, x1", "mrs x1, ctr_el0", "mrs x1, daif", "msr daif, x1",
                       "msr daifset, #1", "ic ivau, x8", "dc cvau, x8", "dc civac, x8", "wfi"],
         "translation": ["mrs x1, midr_el1", "tlbi vmalle1", "fadd d0, d0, d0", "mrs x1, fpcr"]}


@pytest.mark.parametrize("when", TRAPS)
def test_what_el0_may_not_do(when):
    n, each = 50, len(TRAPS[when])
    second = SecondCount()
    traps = "\n\tadd x6, x6, #1\n\t".join([*TRAPS[when], ""])
    kernel = firmware(AT_EL0.format(traps=traps), EMULATES, lower_sync="b handler", count=n)
    c = counts(system(kernel, "--core", "cortex-a72", "-e", "inst_retired,exc_taken,exc_undef",
                      more=second.options))
    ran, taken, returns = second.read()
    equal((sum(taken.values()), returns), (n * each + 1, n * each + 1), str(taken))
    equal(sum(ran), FRAME_INSNS + 8 + n * (4 + each * (2 + 9)) + 1 + 5)
    equal(c, {"inst_retired": sum(ran), "exc_taken": n * each + 1, "exc_undef": n * each})


# Every iteration sends a character, after which the UART raises interrupt 33 of the GICv2. So the
# program chooses the place of the interrupt.
UART_INTERRUPTS = """
	mov	x8, #0x09000000
	mov	x9, #0x08000000
	mov	x10, #0x08010000
	mov	w1, #2
	str	w1, [x9, #0x104]		// enabled
	mov	w1, #0x101
	str	w1, [x9, #0x820]		// to this core
	mov	w1, #0xff
	str	w1, [x10, #4]			// any priority
	mov	w1, #1
	str	w1, [x9]
	str	w1, [x10]
	mov	w1, #0x20
	str	w1, [x8, #0x38]			// UARTIMSC: sent
	{before}
1:	str	wzr, [x8]			// UARTDR
	{turn}
	subs	x4, x4, #1
	b.ne	1b
	msr	daifset, #2
"""
UART_HANDLER = """
handler:
	ldr	w1, [x10, #0xc]			// GICC_IAR
	mov	w2, #0x7ff
	str	w2, [x8, #0x44]			// UARTICR
	str	w1, [x10, #0x10]		// GICC_EOIR
	eret
"""


def test_interrupts():
    """The handler has 6 instructions. If an interrupt comes between a branch and its target, pmk
    still knows the target, unless the branch is conditional. Such a conditional branch is not
    counted."""
    for before, turn, insns_, writes, unseen in (
            ("nop", "msr daifclr, #2\nnop\nmsr daifset, #2", 6, 0, 0),
            ("msr daifclr, #2", "b 2f\nnop\n2:", 4, 1, 0),
            ("msr daifclr, #2", "adr x30, 2f\nret\nnop\n2:", 5, 1, 0),
            ("msr daifclr, #2", "cmp x4, #0\nb.ge 2f\nnop\n2:", 5, 1, 1)):
        for n in (1, 100):
            second = SecondCount()
            kernel = firmware(UART_INTERRUPTS.format(before=before, turn=turn), UART_HANDLER,
                              irq="b handler", count=n)
            c = counts(system(kernel, "--core", "cortex-a72", "-e",
                              "inst_retired,exc_taken,exc_irq,exc_return,pc_write_spec",
                              more=second.options))
            ran, taken, returns = second.read()
            all_insns = sum(ran)
            equal((taken, returns), ({"IRQ": n}, n))
            equal(c["inst_retired"], all_insns)
            equal(all_insns, FRAME_INSNS + 16 + n * (insns_ + 6))
            equal((c["exc_taken"], c["exc_irq"], c["exc_return"]), (n, n, n))
            # The branches are B at the vector, ERET, and each B.NE except the last.
            most = n * (writes + 3) - 1
            assert most - unseen * n <= c["pc_write_spec"] <= most, (turn, n, c)


def test_what_the_emulator_answers_is_no_exception():
    body = """
1:	ldr	x0, =0x84000000			// PSCI_VERSION
	hvc	#0
	subs	x4, x4, #1
	b.ne	1b
"""
    for n in (1, 50):
        c = counts(system(firmware(body, count=n), "--core", "cortex-a72", "-e",
                          "inst_retired,exc_taken,exc_hvc"))
        equal(c, {"inst_retired": FRAME_INSNS + 4 * n, "exc_taken": 0, "exc_hvc": 0})


def test_writes_of_context_and_tables():
    body = """
1:	msr	contextidr_el1, x4
	msr	ttbr0_el1, x4
	msr	ttbr1_el1, x4
	subs	x4, x4, #1
	b.ne	1b
"""
    for n in (1, 77):
        c = counts(system(firmware(body, count=n), "--core", "cortex-a72", "-e",
                          "cid_write_retired,ttbr_write_retired"))
        equal(c, {"cid_write_retired": n, "ttbr_write_retired": 2 * n})


# EL1 returns to EL0, which calls EL1 COUNT times and then asks it to end. A pass at EL0 is TURN and
# 3 instructions, and a pass at EL1 is HANDLED and 2.
LEVELS = """
	adr	x9, user
	msr	elr_el1, x9
	msr	spsr_el1, xzr
	ldr	x10, =0x40e00000
	msr	sp_el0, x10
	eret
user:
{turn}
	svc	#1
	subs	x4, x4, #1
	b.ne	user
	mov	x5, #1
	svc	#2
	b	.
"""
LEVELS_HANDLER = """
handler:
	{handled}
	cbnz	x5, done
	eret
"""


@cases("name, turn, insns, handled", (
    ("accesses", "str x1, [sp]\nadd x1, x1, #1", 2, "str x2, [sp]"),
    ("none_at_el0", "add x1, x1, #1", 1, "str x2, [sp]"),
    ("none_at_el1", "str x1, [sp]", 1, "add x2, x2, #1"),
    ("none", "add x1, x1, #1", 1, "add x2, x2, #1"),
    ("as_if_at_el0", "add x1, x1, #1", 1, "sttr x2, [sp]")))
def test_levels(name, turn, insns, handled):
    for n in (1, 2, 300):
        kernel = firmware(LEVELS.format(turn=turn), LEVELS_HANDLER.format(handled=handled),
                          lower_sync="b handler", count=n)
        events = "inst_retired", "exc_taken", "exc_return", "cpu_cycles", "ld_retired"
        doc = system(kernel, "-e", ",".join(e + m for e in events for m in ("", ":u", ":k")))
        c = counts(doc)
        user, passes = n * (insns + 3) + 2, n + 1
        equal(c["inst_retired:u"], user)
        equal(c["inst_retired"], FRAME_INSNS + 6 + user + 3 * passes + n)
        for e in events:
            equal(c[e], c[f"{e}:u"] + c[f"{e}:k"], e)
        # An exception is counted at the level of its handler, and a return at the level that
        # executes the ERET.
        equal((c["exc_taken:u"], c["exc_taken:k"]), (0, passes))
        equal((c["exc_return:u"], c["exc_return:k"]), (0, n + 1))
        equal((c["ld_retired:u"], c["ld_retired:k"]), (0, 3))
        assert 0 < c["cpu_cycles:u"] < c["cpu_cycles"], c
        equal({x["trust"] for x in doc["counters"]} - {"exact", "modelled"}, set())


LOADS = """
	mov	x4, #COUNT
{n}:	ldr	x0, [sp, #-8]
	subs	x4, x4, #1
	b.ne	{n}b
"""
CONTROLLED = ("inst_retired", "cpu_cycles", "l1d_cache_refill", "l1i_cache_refill",
              "l1d_tlb_refill", "bus_access_rd")
ALL_OFF = [w for part in ("mmu", "icache", "dcache") for w in ("--set", f"{part}.enable=off")]


def controlled(body, *options):
    doc = system(firmware(body, MAP), "-e", ",".join(CONTROLLED), *options)
    return counts(doc), doc["note"] or ""


def test_caches_are_off_until_the_firmware_turns_them_on():
    loads = LOADS.format(n=1)
    off, note = controlled(loads)
    contains(note, "did not turn these on (SCTLR): MMU, data cache, instruction cache")
    equal(off, controlled(loads, *ALL_OFF)[0], "as with parameters that turn all off")
    equal([off[e] for e in CONTROLLED if "refill" in e], [0, 0, 0])
    on, note = controlled(CACHES_ON + loads)
    assert "SCTLR" not in note, note
    equal(on["inst_retired"], off["inst_retired"] + CACHES_ON_INSNS)
    # The refills are the lines of the stack, and of the literals at the end of the frame.
    equal(on["l1d_cache_refill"], 2)
    assert on["l1i_cache_refill"] > 0 and on["l1d_tlb_refill"] > 0, on
    assert on["cpu_cycles"] < off["cpu_cycles"] / 5, (on, off)
    # After the caches are turned off again, a loop takes as long as in a program that never turns
    # them on.
    again, note = controlled(CACHES_ON + loads + CACHES_OFF + LOADS.format(n=2))
    assert "SCTLR" not in note, note
    equal(again["l1d_cache_refill"], 1)
    assert off["cpu_cycles"] < again["cpu_cycles"] < off["cpu_cycles"] * 1.2, (again, off)
    equal(controlled(CACHES_ON + loads, *ALL_OFF)[0]["l1d_cache_refill"], 0)


# The firmware goes from EL3 to EL2 and EL1, and back with SMC. Every level executes its own loop of
# LOOP instructions.
THREE = """
	.global	_start
_start:
	mrs	x0, scr_el3
	mov	x1, #0x501			// RW, HCE, NS
	orr	x0, x0, x1
	msr	scr_el3, x0
	adr	x0, vectors
	msr	vbar_el3, x0
	adr	x0, two
	msr	elr_el3, x0
	mov	x0, #0x3c9			// EL2h
	msr	spsr_el3, x0
	eret
two:	mov	x0, #0x80000000
	msr	hcr_el2, x0
	adr	x0, one
	msr	elr_el2, x0
	mov	x0, #0x3c5			// EL1h
	msr	spsr_el2, x0
	adr	x3, 9f
	mov	x4, #COUNT
1:	ldr	x1, [x3]
	subs	x4, x4, #1
	b.ne	1b
	eret
one:	adr	x3, 9f
	mov	x4, #COUNT
1:	ldr	x1, [x3]
	subs	x4, x4, #1
	b.ne	1b
	smc	#0
	b	.
	.balign	8
9:	.quad	0
	.balign	2048
vectors:
	.rept	8
	b	.
	.balign	128
	.endr
	mov	x0, #0x18			// semihosting: ends the program
	adr	x1, 9f
	hlt	#0xf000
9:	.quad	0x20026, 0
"""


@cases("owner, hcr, outside", [("el1", 0x80000000, 1000), ("host", 0x480000000, 2000)])
def test_each_level_has_its_own_setting(owner, hcr, outside):
    """EL2 turns on the MMU and the caches of EL1. If HCR_EL2.E2H is set, as by a host kernel, the
    name of EL1's register means EL2's own register, so EL2 turns on its own units."""
    old = "	mov	x0, #0x80000000\n	msr	hcr_el2, x0\n"
    assert old in THREE
    new = f"	ldr	x0, ={hcr:#x}\n	msr	hcr_el2, x0\n	isb\n" + CACHES_ON
    at_el2, at_el1 = THREE.replace(old, new).split("one:", 1)
    at_el1 = at_el1.replace("#COUNT", "#2 * COUNT", 1)
    kernel = build("settings64-" + owner, f"{at_el2}one:{at_el1}{MAP}", "-nostdlib", "-static",
                   "-Wl,--build-id=none", "-Wl,-Ttext=0x40200000", "-DCOUNT=1000", ext="S",
                   prefix=CROSS64)
    c = counts(stat("-e", ",".join(CONTROLLED), "--core", "cortex-a53", "--qemu",
                    "qemu-system-aarch64 -M virt,secure=on,virtualization=on -cpu max "
                    f"-device loader,file='{kernel}',cpu-num=0 -nographic -nic none "
                    "-semihosting-config enable=on,target=native"))
    # The loop at the other exception level runs with its caches off.
    assert outside <= c["bus_access_rd"] < outside + 100, c
    assert 1 <= c["l1d_cache_refill"] <= 3, c


def test_all_levels_count_and_kernel_is_above_el0():
    for n in (1, 200):
        kernel = build("levels64", THREE, "-nostdlib", "-static", "-Wl,--build-id=none",
                       "-Wl,-Ttext=0x40200000", f"-DCOUNT={n}", ext="S", prefix=CROSS64)
        c = counts(stat("-e", "inst_retired,inst_retired:u,inst_retired:k,exc_taken:k,exc_return:k",
                        "--core", "cortex-a72", "--qemu",
                        "qemu-system-aarch64 -M virt,secure=on,virtualization=on -cpu cortex-a53 "
                        f"-device loader,file='{kernel}',cpu-num=0 -nographic -nic none "
                        "-semihosting-config enable=on,target=native"))
        ran = 11 + 8 + 3 * n + 1 + 2 + 3 * n + 1 + 3
        equal(c, {"inst_retired": ran, "inst_retired:u": 0, "inst_retired:k": ran,
                  "exc_taken:k": 1, "exc_return:k": 2})


def test_events_of_different_levels_make_no_metric():
    kernel = firmware(CALLS, CALLED)
    out = pmk("stat", "-e", "inst_retired,cycles:k", "--qemu", machine(kernel))
    contains(out.err, "n/a  instructions per cycle")
    contains(out.err, "its events were not counted at the same levels")
    for mode in ("", ":k", ":u"):
        out = pmk("stat", "-e", f"inst_retired{mode},cycles{mode}", "--qemu", machine(kernel))
        assert "same levels" not in out.err, out


def test_a_level_that_shows_too_late():
    """Until the store at EL0, nothing shows that the first return goes to EL0. If counts were read
    before the store, for an interval, they have the label inexact."""
    turn = "	mov	x6, #1000\n3:	subs	x6, x6, #1\n	b.ne	3b\n	str	x1, [sp]\n"
    kernel = firmware(LEVELS.format(turn=turn), LEVELS_HANDLER.format(handled="str x2, [sp]"),
                      lower_sync="b handler", count=1)
    doc = system(kernel, "-e", "inst_retired:u,inst_retired")
    equal(counts(doc)["inst_retired:u"], 2002 + 3 + 2)
    equal([c["trust"] for c in doc["counters"]], ["exact"] * 2)
    doc = system(kernel, "-e", "inst_retired:u,inst_retired", "-I", "500insns")
    values = {e: sum(c["counter-value"] for c in doc["counters"] if c["event"] == e)
              for e in ("inst_retired", "inst_retired:u")}
    equal(values["inst_retired"], FRAME_INSNS + 6 + 2007 + 3 * 2 + 1)
    assert values["inst_retired:u"] < 2007, values
    contains(doc["warning"], "a few counts are in :u instead of :k")
    equal(doc["counters"][-1]["trust"], "inexact")


# A counter of instructions overflows after 1,000 instructions, in a loop whose blocks have 64
# instructions.
OVERFLOWS = """
	mov	x0, #1
	msr	pmcr_el0, x0
	mov	x1, #8
	msr	pmevtyper0_el0, x1
	ldr	w1, =0xfffffc18
	msr	pmevcntr0_el0, x1
	msr	pmintenset_el1, x0
	msr	pmcntenset_el0, x0
1:
	.rept	62
	add	x5, x5, #1
	.endr
	subs	x4, x4, #1
	b.ne	1b
"""


@cases("blocks, late", [("long", range(1, 65)), ("of_one_instruction", range(1))])
def test_when_an_overflow_is_seen(blocks, late):
    """The firmware sees an overflow as late as pmk-run(1) says."""
    log = os.path.join(WORK, f"overflow-{os.getpid()}.log")
    one = ("-singlestep" if version("qemu-system-aarch64") < (8, 1)
           else "-accel tcg,one-insn-per-tb=on")
    command = machine(firmware(OVERFLOWS, count=50), more=one if blocks != "long" else "")
    out = run(PMK, "run", "--log", log, "--", *shlex.split(command))
    equal(out.code, 0, out.err)
    with open(log) as f:
        rows = [line.split(",") for line in f if line[0].isdigit()]
    os.unlink(log)
    begun, = (int(r[1]) for r in rows if r[6] == "PMCNTENSET")
    seen, = (int(r[1]) for r in rows if r[5] == "interrupt")
    assert seen - begun - 1000 in late, rows
