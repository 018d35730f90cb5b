# SPDX-License-Identifier: MIT
"""pmk stat --qemu with firmware for AArch64 on QEMU's board "virt", without a kernel."""
from harness import *
from programs import build

CROSS64 = "aarch64-linux-gnu-"

# Reset with a stack and a vector table at EL1, BODY, and the end by PSCI's SYSTEM_OFF. The frame is
# 6 instructions at reset and 2 at the end, of which HVC is the emulator's own affair.
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
        # BL, BL, RET, RET and B.NE of every pass; the last B.NE stays.
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


# UARTFR of the PL011 at 0x09000000 is read; a word on the stack is written and read.
DEVICE = """
	mov	x8, #0x09000000
1:	ldr	w0, [x8, #0x18]
	str	x0, [sp, #-8]
	ldr	x0, [sp, #-8]
	subs	x4, x4, #1
	b.ne	1b
"""


def test_device_accesses_are_not_looked_up_in_the_cache():
    for n in (1, 10, 500):
        c = counts(system(firmware(DEVICE, count=n), "-e",
                          "inst_retired,mem_access,l1d_cache,l1d_cache_refill,bus_access_rd"))
        equal(c["inst_retired"], FRAME_INSNS + 1 + 5 * n)
        equal((c["mem_access"], c["l1d_cache"]), (2 + 3 * n, 2 + 2 * n))
        # Of the literals and of the stack.
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
    """CNTVCT is read until some time has passed."""
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
