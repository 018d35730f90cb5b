# SPDX-License-Identifier: MIT
"""pmk stat --qemu counts firmware in a whole emulated machine, a Raspberry Pi Zero, without a
kernel."""
import os
import signal

from harness import *
from programs import LOOP, assemble, build

BARE = "arm-none-eabi-"

LINK = """
ENTRY(_start)
SECTIONS
{
	. = 0;
	.vectors : { *(.vectors) }
	. = 0x8000;
	.text : { *(.text*) *(.rodata*) *(.data*) *(.bss*) }
}
"""

# The firmware consists of the vectors, reset code with a stack, BODY, and the end with exit code
# CODE through semihosting. Around BODY it executes 1 instruction at the vector, 3 at reset and 3 at
# the end.
FRAME = """
	.syntax	unified
	.arm
	.section .vectors, "ax"
	.global	_start
_start:
	b	reset
	{undefined}
	{svc}
	b	.
	{abort}
	b	.
	{irq}
	b	.

	.text
	.global	reset, f, g, done
	.type	reset, %function
	.type	f, %function
	.type	g, %function
	.type	done, %function
reset:
	mov	r9, #0x20000000
	mov	sp, #0x100000
	mov	r4, #COUNT
{body}
done:
	mov	r0, #0x20			@ SYS_EXIT_EXTENDED
	adr	r1, status
	svc	0x123456
	b	.
	.balign	8
status:	.word	0x20026, CODE
{rest}
"""
FRAME_INSNS = 7


def firmware(body, rest="", undefined="b .", svc="b .", abort="b .", irq="b .", count=1000, code=0):
    have(BARE + "gcc", "qemu-system-arm")
    script = os.path.join(WORK, "firmware.ld")
    if not os.path.exists(script):
        with open(f"{script}.{os.getpid()}", "w") as f:
            f.write(LINK)
        os.replace(f"{script}.{os.getpid()}", script)
    source = FRAME.format(body=body, rest=rest, undefined=undefined, svc=svc, abort=abort, irq=irq)
    return build("firmware", source, "-mcpu=arm1176jzf-s", "-nostdlib", "-static",
                 "-Wl,--build-id=none", "-T", script, f"-DCOUNT={count}", f"-DCODE={code}", ext="S",
                 prefix=BARE)


def machine(kernel, more=""):
    return (f"qemu-system-arm -M raspi0 -kernel '{kernel}' -nographic -nic none "
            f"-semihosting-config enable=on,target=native {more}")


def system(kernel, *argv, code=0, more=""):
    return stat("--core", "arm1176", "--qemu", machine(kernel, more), *argv, code=code)


CALLS = """
1:	bl	f
	subs	r4, r4, #1
	bne	1b
"""
CALLED = """
f:	push	{r4, lr}
	bl	g
	pop	{r4, pc}
g:	nop
	bx	lr
"""


def test_a_known_loop_counts_exactly():
    for n in (1, 100, 4080):
        doc = system(firmware(CALLS, CALLED, count=n), "-e", "instr_exec,br_exec,sw_pc_change")
        c = counts(doc)
        equal(c["instr_exec"], FRAME_INSNS + 8 * n, n)
        # The branches are B at the vector, and BL, BL, BX and BNE in every pass.
        equal(c["br_exec"], 1 + 4 * n, n)
        # The PC changes are these branches, except the last BNE, which is not taken, and POP, which
        # returns.
        equal(c["sw_pc_change"], 1 + 5 * n - 1, n)
    assert re.fullmatch(r"qemu-system-arm \d\S*", doc["producer"]), doc["producer"]
    equal((doc["core"], doc["pmu"], doc["processes"], doc["threads"]), ("arm1176", "arm1176", 1, 1))


# The vectors with a handler of data aborts that continues after the instruction that faulted.
ABORTS = """
	mov	r0, #0x30000000			@ unmapped
	mov	r5, #0x8000
	ldr	r6, [r5]
1:	add	r1, r1, #1
	{access}
	add	r1, r1, #1
	str	r1, [sp]
	subs	r4, r4, #1
	bne	1b
"""
HANDLER = """
abort:	add	r7, r7, #1
	subs	pc, lr, #4
"""


@cases("name, access, tried, done", (
    ("load", "ldr r2, [r0]", 1, 0), ("store", "str r2, [r0]", 1, 0),
                                     ("load_multiple", "ldm r0, {r2, r3}", 1, 0),
    ("second_access", "ldr r2, [r5]\n ldr r3, [r0]", 2, 1), ("swap", "swp r2, r3, [r0]", 1, 0),
    ("conditional", "cmp r5, #0\n ldrne r2, [r0]", 2, 0),
    ("condition_fails", "cmp r5, #0\n ldreq r2, [r5]\n ldr r2, [r0]", 3, 0)))
def test_data_aborts(name, access, tried, done):
    n = 500
    kernel = firmware(ABORTS.format(access=access), HANDLER, abort="b abort", count=n)
    c = counts(system(kernel, "-e", "instr_exec,br_exec,dcache_access"))
    # Each pass executes one instruction before the access and four after it. The handler executes
    # b, add and subs.
    equal(c["instr_exec"], FRAME_INSNS + 3 + n * (1 + tried + 4 + 3), name)
    equal(c["br_exec"], 1 + 2 * n, name)
    equal(c["dcache_access"], 1 + n * (done + 1), name)


def test_exit_code_is_the_firmwares():
    for code in (0, 1, 7, 125):
        doc = system(firmware(CALLS, CALLED, count=3, code=code), "-e", "instr_exec", code=code)
        equal(doc["exit-status"], code)


def test_regions_by_symbol():
    doc = system(firmware(CALLS, CALLED), "-e", "instr_exec", "--region", "f", "--region", "g")
    equal(counts(doc)["instr_exec"], FRAME_INSNS + 8000)
    equal((counts(doc, "f")["instr_exec"], counts(doc, "g")["instr_exec"]), (5000, 2000))
    equal([c["entries"] for c in doc["counters"] if c["region"]], [1000, 1000])
    out = pmk("stat", "--region", "nonsense", "--qemu", machine(firmware(CALLS, CALLED)))
    equal(out.code, 129)
    contains(out.err, "nonsense")


def test_a_window_and_its_intervals():
    window = ("--from", "f", "--to", "done")
    doc = system(firmware(CALLS, CALLED), "-e", "instr_exec", *window)
    equal(counts(doc)["instr_exec"], 7999)
    doc = system(firmware(CALLS, CALLED), "-e", "instr_exec", "-I", "1000insns", *window)
    equal(sum(c["counter-value"] for c in doc["counters"]), 7999)
    equal(len(doc["counters"]), 8)


def test_intervals_add_up():
    whole = counts(system(firmware(CALLS, CALLED), "-e", "instr_exec,cpu_cycles,br_exec"))
    doc = system(firmware(CALLS, CALLED), "-e", "instr_exec,cpu_cycles,br_exec", "-I", "700cycles")
    for event, total in whole.items():
        equal(sum(c["counter-value"] for c in doc["counters"] if c["event"] == event), total, event)


def test_the_same_run_gives_the_same_bytes():
    def once():
        path = os.path.join(WORK, "system-same.json")
        kernel = firmware(CALLS, CALLED)
        equal(pmk("stat", "--json-document", "-o", path, "-e", "all", "--qemu",
                  machine(kernel)).code, 0)
        with open(path) as f:
            return f.read()

    equal(once(), once())


def test_passes_rerun_equals_clone():
    kernel = firmware(CALLS, CALLED)
    equal(counts(system(kernel, "-e", "all", "--passes", "rerun")),
          counts(system(kernel, "-e", "all")))


# PREDICTOR_ON sets Z and I of the control register. CACHES_ON also sets M and C, with a table at
# 0xc000 that maps each megabyte to itself. QEMU knows which addresses belong to devices.
PREDICTOR_ON = """
	mrc	p15, 0, r0, c1, c0, 0
	orr	r0, r0, #0x1800
	mcr	p15, 0, r0, c1, c0, 0
"""
CACHES_ON = """
	mov	r0, #0xc000
	mcr	p15, 0, r0, c2, c0, 0
	mov	r0, #3
	mcr	p15, 0, r0, c3, c0, 0
	mrc	p15, 0, r0, c1, c0, 0
	orr	r0, r0, #0x1800
	orr	r0, r0, #5
	mcr	p15, 0, r0, c1, c0, 0
"""
CACHES_OFF = """
	mrc	p15, 0, r0, c1, c0, 0
	bic	r0, r0, #0x1800
	bic	r0, r0, #5
	mcr	p15, 0, r0, c1, c0, 0
"""
MAP = """
	.balign	0x4000
	.set	section, 0xc0e
	.rept	4096
	.word	section
	.set	section, section + 0x100000
	.endr
"""
LOADS = """
1:	ldr	r5, [sp, #-4]
	subs	r4, r4, #1
	bne	1b
"""
MODELLED = """cpu_cycles instr_exec br_mispredict icache_miss itlb_miss dtlb_miss dcache_access
    dcache_miss main_tlb_miss ibuf_stall ddep_stall lsu_full_stall""".split()
ALL_OFF = [w for part in ("mmu", "icache", "dcache", "bp") for w in ("--set", f"{part}.enable=off")]


def controlled(body, *options):
    doc = system(firmware(body, MAP), "-e", ",".join(MODELLED), *options)
    return counts(doc), doc["note"] or ""


def test_caches_are_off_until_the_firmware_turns_them_on():
    off, note = controlled(LOADS)
    equal(off, controlled(LOADS, *ALL_OFF)[0], "as with parameters that turn all off")
    contains(note, "did not turn these on (SCTLR): MMU, data cache, instruction cache, branch "
                   "prediction")
    # Without prediction, B at the vector and 999 times BNE are mispredicted. With prediction, B and
    # the last BNE are.
    equal((off["br_mispredict"], off["icache_miss"], off["dcache_miss"]), (1000, 0, 0))
    some, note = controlled(PREDICTOR_ON + LOADS)
    equal((some["br_mispredict"], some["dcache_miss"], some["main_tlb_miss"]), (2, 0, 0))
    assert some["icache_miss"] > 0, some
    contains(note, "did not turn these on (SCTLR): MMU, data cache")
    on, note = controlled(CACHES_ON + LOADS)
    # The TLB misses are for the page of the code and the page of the stack.
    equal((on["br_mispredict"], on["dcache_miss"], on["main_tlb_miss"]), (2, 1, 2))
    assert "SCTLR" not in note, note
    equal(on["instr_exec"], off["instr_exec"] + 8)
    assert on["cpu_cycles"] < off["cpu_cycles"] / 5, (on, off)


def test_caches_may_be_turned_off_again():
    # When the units are off again, the second loop takes as long as the only loop of a program that
    # never turns them on.
    again = LOADS.replace("1:", "2:").replace("1b", "2b")
    body = CACHES_ON + LOADS + "\n\tmov\tr4, #COUNT\n" + CACHES_OFF + again
    c, note = controlled(body)
    equal((c["dcache_miss"], c["br_mispredict"]), (1, 2 + 999))
    assert "SCTLR" not in note, note
    # If a parameter turns off a unit, the firmware cannot turn it on.
    equal(controlled(body, *ALL_OFF)[0]["dcache_miss"], 0)


# The branch after the write is the last instruction of its cache line. A branch to a register makes
# the core fetch the next line, which is not in the cache, if the instruction cache is on.
LEAVE_OFF = """
	b	1f
1:	adr	r8, 3f
	b	2f
	.balign	32
2:	{off}
	nop
	nop
	nop
	bx	r8
	.balign	64
3:
"""


def test_code_after_a_write_runs_in_the_new_state():
    c = controlled(CACHES_ON + LEAVE_OFF.format(off=CACHES_OFF.strip()))[0]
    # The instruction cache misses the two lines of the code that runs while the cache is on.
    equal((c["icache_miss"], c["br_mispredict"]), (2, 2))


# A pass reads UARTFR of the PL011 at 0x20201000, and writes and reads a word on the stack.
DEVICE = """
	add	r8, r9, #0x200000
	add	r8, r8, #0x1000
	nop
1:	ldr	r0, [r8, #0x18]
	str	r0, [sp, #-8]
	ldr	r0, [sp, #-8]
	subs	r4, r4, #1
	bne	1b
"""


def test_device_accesses_are_not_cacheable():
    for n in (1, 10, 500):
        c = counts(system(firmware(CACHES_ON + DEVICE, MAP, count=n << 2), "-e", "all"))
        n <<= 2
        equal(c["instr_exec"], FRAME_INSNS + 8 + 3 + 5 * n)
        equal(c["dcache_access"], 3 * n)
        equal(c["dcache_access"] - c["dcache_access_cacheable"], n)
        # Every access to the device uses the bus.
        assert c["expl_d_access"] >= n, c
        # The data misses are the store and the load of the stack's line, because a store that
        # misses does not allocate.
        equal(c["dcache_miss"], 2)


def test_drains_are_modelled():
    """Accesses to Strongly Ordered memory also drain the write buffer (DAI 0195B Table 2), but the
    emulator does not show which accesses they are."""
    rows = system(firmware(DEVICE, count=4), "-e", "wbuf_drained,dcache_access")["counters"]
    equal({r["event"]: r["trust"] for r in rows},
          {"wbuf_drained": "modelled", "dcache_access": "exact"})


def test_device_accesses_pass_a_level_2_cache_by():
    level2 = ("--pmu", "l220", "-e", "drreq,drhit,dwreq,dwhit")
    for n in (4, 400):
        # The requests to level 2 are the store that misses level 1, and the load that fills the
        # line.
        kernel = firmware(CACHES_ON + DEVICE, MAP, count=n)
        c = counts(system(kernel, *level2))
        equal((c["drreq"], c["drhit"], c["dwreq"], c["dwhit"]), (1, 0, 1, 0))
        # With level 1 off, the stack is cached by level 2, and each store empties the read buffer.
        c = counts(system(kernel, *level2, "--set", "dcache.enable=off"))
        equal((c["drreq"], c["drhit"], c["dwreq"], c["dwhit"]), (n, n - 1, n, n - 1))


def test_output_of_the_machine_is_its_own():
    body = """
	add	r8, r9, #0x200000
	add	r8, r8, #0x1000
	mov	r0, #0x41
1:	str	r0, [r8]
	subs	r4, r4, #1
	bne	1b
"""
    out = pmk("stat", "-e", "instr_exec", "--qemu", machine(firmware(body, count=5)))
    equal((out.code, out.out), (0, "AAAAA"), str(out))
    contains(out.err, "instr_exec")


def test_exceptions_are_no_pc_changes_by_software():
    """An SVC and its return are not counted as PC changes, because they change the mode (DDI 0301H
    Table 3-137, event 0x0D)."""
    table = [
# handler at the vector,        in the text,            instructions and PC changes of a pass

        ("movs pc, lr", "", 4, 1),
        ("b h", "h:	movs	pc, lr\n", 5, 2),
        ("b h", "h:	nop\n	nop\n	movs	pc, lr\n", 7, 2),
    ]
    for at_vector, rest, insns, changes in table:
        body = "1:	svc	#1\n	subs	r4, r4, #1\n	bne	1b\n"
        for n in (1, 100):
            kernel = firmware(body, rest, svc=at_vector, count=n)
            c = counts(system(kernel, "-e", "instr_exec,sw_pc_change"))
            equal(c["instr_exec"], FRAME_INSNS + insns * n, at_vector)
            equal(c["sw_pc_change"], 1 + changes * n - 1, at_vector)


def test_undefined_instructions_are_exceptions():
    body = "1:	.inst	0xe7f000f0\n	subs	r4, r4, #1\n	bne	1b\n"
    one, ten = (counts(system(firmware(body, undefined="movs pc, lr", count=n),
                              "-e", "instr_exec,sw_pc_change")) for n in (1, 10))
    equal(ten["instr_exec"] - one["instr_exec"], 4 * 9)
    equal(ten["sw_pc_change"] - one["sw_pc_change"], 9)


# Every iteration sends a character, after which the UART (PL011 at 0x20201000) raises an interrupt,
# number 57 of the controller at 0x2000b200. So the program chooses the place of the interrupt,
# which does not depend on time.
UART_INTERRUPTS = """
	add	r8, r9, #0x200000
	add	r8, r8, #0x1000
	add	r7, r9, #0xb200
	mov	r10, #0x2000000
	str	r10, [r7, #0x14]		@ IRQ 57 enabled
	mov	r10, #0x20
	str	r10, [r8, #0x38]		@ UARTIMSC: sent
	mov	r5, #0
	{before}
1:	str	r10, [r8]			@ UARTDR
	{turn}
	subs	r4, r4, #1
	bne	1b
	cpsid	i
"""
UART_HANDLER = """
irq:	str	r10, [r8, #0x44]		@ UARTICR
	add	r5, r5, #1
	subs	pc, lr, #4
"""


def test_interrupts_are_no_pc_changes_by_software():
    """An interrupt and its return are not counted as PC changes. The handler has 4 instructions and
    1 PC change, the B at the vector. A conditional branch may remain uncounted if an interrupt
    comes between it and its target, because the emulator does not show its target."""
    table = [
# (code before the loop, code of an iteration, its instructions, its PC changes, PC changes that
# may be uncounted)

        ("nop", "cpsie	i\n	nop\n	cpsid	i", 6, 1, 0),
        ("cpsie	i", "b	2f\n	nop\n2:", 4, 2, 0),
        ("cpsie	i", "add	pc, pc, #0\n	nop\n	nop", 5, 2, 0),
        ("cpsie	i", "cmn	r5, #1\n	bne	2f\n	nop\n2:", 5, 2, 1),
    ]
    for before, turn, insns, changes, unseen in table:
        for n in (1, 5, 100):
            kernel = firmware(UART_INTERRUPTS.format(before=before, turn=turn), UART_HANDLER,
                              irq="b irq", count=n)
            c = counts(system(kernel, "-e", "instr_exec,sw_pc_change"))
            equal(c["instr_exec"], FRAME_INSNS + 10 + (insns + 4) * n, turn)
            most = 1 + (changes + 1) * n - 1  # +1 at reset, -1 for the last BNE
            assert most - unseen * n <= c["sw_pc_change"] <= most, f"{turn}: {n} interrupts, {c}"


def test_modes_are_not_distinguished():
    for event in ("instr_exec:u", "instr_exec:k"):
        c = system(firmware(CALLS, CALLED), "-e", event)["counters"][0]
        equal((c["counter-value"], c["trust"]), (None, "not supported"))
        assert c["reason"]
    equal(system(firmware(CALLS, CALLED), "-e", "instr_exec:uk")["counters"][0]["counter-value"],
          FRAME_INSNS + 8000)


def test_more_words_after_the_options():
    kernel = firmware(CALLS, CALLED)
    doc = stat("-e", "instr_exec", "--qemu", "qemu-system-arm -M raspi0 -nographic -nic none", "--",
               "-semihosting-config", "enable=on,target=native", "-kernel", kernel)
    equal(counts(doc)["instr_exec"], FRAME_INSNS + 8000)
    contains(doc["command"], "-kernel")


def test_a_command_line_with_quotes_and_without_a_shell():
    place = os.path.join(WORK, "a b")
    os.makedirs(place, exist_ok=True)
    kernel = os.path.join(place, "firm ware.elf")
    shutil.copy(firmware(CALLS, CALLED), kernel)
    equal(counts(system(kernel, "-e", "instr_exec"))["instr_exec"], FRAME_INSNS + 8000)
    for command in ("qemu-system-arm $(touch x)", "qemu-system-arm `touch x`", "qemu-system-arm 'x",
                    "   "):
        out = pmk("stat", "-e", "instr_exec", "--qemu", command)
        equal(out.code, 129, command)
        equal(out.err.count("\n"), 1)


def test_an_emulator_that_is_not_there():
    out = pmk("stat", "--qemu", "qemu-system-nonsense -M raspi0")
    equal(out.code, 125)
    contains(out.err, "qemu-system-nonsense")


# Blocks read the system timer between their other instructions. How often they read it depends on
# the time.
TIMER = """
	orr	r9, r9, #0x3000
	mov	r5, #0
1:	add	r5, r5, #1
	ldr	r1, [r9, #4]
	add	r1, r1, r1, lsl #1
	str	r1, [sp]
	ldr	r2, [r9, #4]
	cmp	r2, #COUNT
	blt	1b
"""


def test_time_by_instructions_repeats():
    """With -icount, QEMU leaves a block at each device access and continues after it, but pmk
    counts the access once."""
    kernel = firmware(TIMER, count=400)
    runs = [system(kernel, "-e", "instr_exec,br_exec,dcache_access,cycles",
                   more="-icount shift=0,sleep=off") for _ in range(3)]
    assert runs[0]["counters"] == runs[1]["counters"] == runs[2]["counters"]
    c, passes = counts(runs[0]), (counts(runs[0])["instr_exec"] - FRAME_INSNS - 2) / 7
    assert passes == int(passes) and passes > 10, c
    equal((c["br_exec"], c["dcache_access"]), (1 + passes, 3 * passes))
    equal([r["host-time"] for r in runs], [False] * 3)


def test_an_interrupt_behind_an_access_to_a_device():
    """With -icount, an interrupt comes directly after the access that raises it, before the rest of
    its block. pmk subtracts the rest, which it had counted with the block. An iteration has five
    instructions, the handler has four."""
    turn = "str	r5, [sp]\n	ldr	r6, [sp]"
    for n in (1, 5, 100):
        kernel = firmware(UART_INTERRUPTS.format(before="cpsie	i", turn=turn), UART_HANDLER,
                          irq="b irq", count=n)
        c = counts(system(kernel, "-e", "instr_exec,br_exec,sw_pc_change,dcache_access",
                          more="-icount shift=0,sleep=off"))
        equal((c["instr_exec"], c["br_exec"]), (FRAME_INSNS + 10 + (5 + 4) * n, 1 + 2 * n), n)
        equal((c["sw_pc_change"], c["dcache_access"]), (1 + 2 * n - 1, 2 + (3 + 1) * n), n)


def test_time_of_the_host_is_said():
    doc = system(firmware(CALLS, CALLED), "-e", "instr_exec")
    equal(doc["host-time"], True)
    out = pmk("stat", "-e", "instr_exec", "--qemu", machine(firmware(CALLS, CALLED)))
    contains(out.err, "devices run on the host's time: counts may differ from run to run")
    equal(stat("-e", "instr_exec", assemble("loop-host", LOOP, "-DCOUNT=5"), code=3)["host-time"],
          False)


def test_a_machine_that_does_not_start():
    have("qemu-system-arm")
    out = pmk("stat", "-e", "instr_exec", "--qemu", "qemu-system-arm -M no-such-machine -nographic")
    assert out.code not in (0, 139), out
    contains(out.err, "unsupported machine")
    contains(out.err, "before it loaded the plugin")
    out = pmk("stat", "-e", "instr_exec", "--qemu", machine(os.path.join(WORK, "no-such-kernel")))
    assert out.code not in (0, 139), out


def refused(code, line, *argv):
    out = pmk("stat", *argv)
    equal((out.code, out.out, out.err), (code, "", f"pmk: --qemu: {line}\n"), str(argv))


def file_with(name, data):
    path = os.path.join(WORK, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def test_a_kernel_that_cannot_be_loaded():
    fifo = os.path.join(WORK, "system-fifo")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    with open(firmware(CALLS, CALLED), "rb") as f:
        elf = f.read()
    empty, header, half, obj = (file_with(f"system-{n}", d) for n, d in (
        ("empty", b""), ("header", elf[:40]), ("half", elf[:len(elf) // 4]),
        ("object", elf[:16] + b"\1\0" + elf[18:])))
    for path, code, why in (("/nowhere/kernel", 127, "No such file or directory"),
                            (WORK, 126, "is a directory"),
                            (firmware(CALLS, CALLED) + "/x", 127, "Not a directory"),
                            ("/dev/null", 126, "is not a regular file"),
                            (fifo, 126, "is not a regular file"),
                            (empty, 126, "is empty"), (header, 126, "is not an ELF file"),
                            (half, 126, "is truncated: a segment ends after the end of the file"),
                            (obj, 126, "is an ELF object, not an executable")):
        refused(code, f"-kernel {path}: {why}", "--qemu", machine(path))
        refused(code, f"-kernel {path}: {why}", "--qemu",
                f"qemu-system-arm -M raspi0 --kernel {path}")


def test_firmware_of_another_machine():
    with open(firmware(CALLS, CALLED), "rb") as f:
        elf = f.read()
    for order, emulator in (("big", "qemu-system-microblaze"),
                            ("little", "qemu-system-microblazeel")):
        refused(126,
                f"{firmware(CALLS, CALLED)} is for little-endian ARM, and {emulator} runs "
                f"{order}-endian MicroBlaze; "
                "take qemu-system-arm", "--qemu",
                f"/opt/bin/{emulator} -kernel {firmware(CALLS, CALLED)}")
    mips = file_with("system-mips", elf[:18] + b"\x08\0" + elf[20:])
    refused(126, f"{mips} is for little-endian MIPS, and qemu-system-arm runs little-endian ARM",
            "--qemu", machine(mips))


def test_a_core_that_has_another_pmu():
    out = pmk("stat", "--core", "arm926", "--pmu", "arm1176", "--qemu",
              machine(firmware(CALLS, CALLED)))
    equal(out.code, 129)
    contains(out.err, "core arm926 has the PMU ahbmon, not arm1176")


def test_firmware_that_never_ends_is_interrupted():
    # When the firmware has counted to 100000, it writes a letter to the serial line, which is
    # QEMU's standard output.
    kernel = firmware("	ldr	r5, =0x20201000\n	ldr	r6, =100000\n"
                      "1:	add	r4, r4, #1\n	cmp	r4, r6\n"
                      "	streq	r6, [r5]\n	b	1b\n	.ltorg\n")
    for send in (os.kill, os.killpg):
        path = os.path.join(WORK, "system-interrupted.json")
        p = subprocess.Popen([PMK, "stat", "--json-document", "-o", path, "-e", "instr_exec",
                              "--qemu",
                              machine(kernel)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True)
        assert p.stdout.read(1), p.communicate()
        send(p.pid, signal.SIGINT)
        p.communicate(timeout=PATIENCE)
        with open(path) as f:
            doc = json.load(f)
        # QEMU handles the signal and exits with 0, like a program that handles it.
        assert p.returncode in (0, 130), p.returncode
        assert counts(doc)["instr_exec"] > 300000
        equal(doc["partial"], True)
