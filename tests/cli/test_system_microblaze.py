# SPDX-License-Identifier: MIT
"""Tests pmk stat --qemu with firmware for MicroBlaze: exceptions and interrupts by their vectors,
devices on the peripheral bus, both byte orders. The boards cannot end the emulator. So the firmware
prints on its UART that it is done and waits, and the test then ends pmk. The tests check regions
that end before the firmware prints this."""
import os
import signal
import struct
import subprocess

from harness import *
import microblaze_tools as mb

# The devices of petalogix-s3adsp1800 in QEMU: UART Lite, XPS timer, interrupt controller.
FRAME = r"""
	.section .vectors, "ax"
	bri	_start
	.org	0x10
	bri	interrupt
	.org	0x20
	bri	exception
	.text
	.global	_start, work, interrupt, exception
_start:	msrset	r0, 0xa0		# caches on
	addik	r1, r0, stack
	brlid	r15, work
	nop
	addik	r3, r0, 'd'
	swi	r3, r0, 0x84000004
1:	bri	1b
	.balign	64, 0x80000000
work:
@BODY@
	rtsd	r15, 8
	nop
	.balign	64, 0x80000000
exception:
@EXCEPTION@
interrupt:
@INTERRUPT@
	.bss
	.balign	16
	.space	256
stack:	.space	32
"""


def assemble(name, order, body, exception="\tbri\t.", interrupt="\tbri\t."):
    text = FRAME.replace("@BODY@", body).replace("@EXCEPTION@", exception).replace("@INTERRUPT@",
                                                                                   interrupt)
    source = os.path.join(WORK, f"mb-{name}.S")
    with open(f"{source}.{os.getpid()}", "w") as f:
        f.write(text)
    os.replace(f"{source}.{os.getpid()}", source)
    return mb.firmware(name, source, 0x90000000, order=order, ld=("--section-start=.vectors=0",))


def machine(kernel, order, *more, serial="null"):
    return (f"{mb.ORDERS[order].system} -M petalogix-s3adsp1800 -kernel '{kernel}' -nographic "
            f"-monitor none -serial file:'{serial}' {' '.join(more)}")


def count(kernel, order, *options, more=(), region=("--region", "work")):
    """Runs pmk and ends it when the firmware is done. Returns the counts."""
    have(mb.ORDERS[order].system)
    serial, result = (os.path.join(WORK, f"mb-{os.getpid()}.{x}") for x in ("serial", "json"))
    with open(serial, "w"):
        pass
    p = subprocess.Popen([PMK, "stat", "--json-document", "-o", result, "--qemu",
                          machine(kernel, order, *more, serial=serial), "-e", "all", *region,
                          *options], stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: os.path.getsize(serial) or p.poll() is not None,
                   "the firmware says nothing")
        p.send_signal(signal.SIGINT)
        err = p.communicate(timeout=PATIENCE)[1]
    finally:
        p.kill()
    with open(serial) as f:
        equal(f.read(), "d", err)
    with open(result) as f:
        doc = json.load(f)
    os.unlink(serial)
    os.unlink(result)
    return doc


def region(doc):
    return counts(doc, "work")


LOOP = """
	addik	r20, r0, 1000
2:	addik	r20, r20, -1
	bneid	r20, 2b
	nop
"""


def test_a_loop_in_both_byte_orders():
    for order in mb.ORDERS:
        c = region(count(assemble("loop", order, LOOP), order))
        equal(c["insn_executed"], 1 + 3 * 1000 + 2, order)
        equal((c["branch_cond_taken"], c["branch_cond_not_taken"], c["delay_slot_nop"]),
              (999, 1, 1001), order)
        equal((c["exception_taken"], c["interrupt"]), (0, 0), order)


CACHES_OFF = """
	msrclr	r0, 0xa0
	addik	r20, r0, 1000
2:	addik	r20, r20, -1
	bneid	r20, 2b
	nop
"""


def test_caches_may_be_turned_off_again():
    c = region(count(assemble("caches_off", "little", CACHES_OFF), "little"))
    # The only line read from the cache is that of the instruction that turns the caches off.
    equal((c["insn_executed"], c["icache_request"], c["icache_hit"]), (4 + 3 * 1000, 1, 0))


# No core has this opcode. The handler returns to the next instruction, because r17 has its address.
ILLEGAL = """
	addik	r20, r0, 10
	msrset	r0, 0x100
2:	.word	0x54000000
	addik	r20, r20, -1
	bneid	r20, 2b
	nop
"""
RETURN = """
	rted	r17, 0
	nop
"""


def test_exceptions_by_their_vector():
    for order in mb.ORDERS:
        c = region(count(assemble("illegal", order, ILLEGAL, exception=RETURN), order,
                         more=("-global microblaze-cpu.ill-opcode-exception=on",)))
        equal((c["exception_taken"], c["interrupt"]), (10, 0), order)
        # The exceptions add a bri with a prefix at the vector, and the return with its delay slot.
        equal(c["insn_executed"], 2 + 4 * 10 + 4 * 10 + 2, order)
        equal((c["branch_cond"], c["branch_uncond"], c["msr_op"]), (10, 10, 1), order)


# The timer counts down and restarts, and interrupts through the controller. The handler stops it at
# the fifth interrupt.
TIMER = """
	swi	r0, r1, -4
	addik	r3, r0, 3
	swi	r3, r0, 0x8180001c
	addik	r3, r0, 1
	swi	r3, r0, 0x81800008
	addik	r3, r0, 50000
	swi	r3, r0, 0x83c00004
	addik	r3, r0, 0x120
	swi	r3, r0, 0x83c00000
	addik	r3, r0, 0xd2
	swi	r3, r0, 0x83c00000
	msrset	r0, 2
2:	lwi	r3, r1, -4
	addik	r3, r3, -5
	blti	r3, 2b
	msrclr	r0, 2
"""
HANDLER = """
	swi	r3, r1, -8
	lwi	r3, r1, -4
	addik	r3, r3, 1
	swi	r3, r1, -4
	addik	r3, r3, -5
	bneid	r3, 3f
	addik	r3, r0, 0x1d2
	addik	r3, r0, 0x112
3:	swi	r3, r0, 0x83c00000
	addik	r3, r0, 1
	swi	r3, r0, 0x8180000c
	lwi	r3, r1, -8
	rtid	r14, 0
	nop
"""


def test_interrupts_by_their_vector():
    for order in mb.ORDERS:
        c = region(count(assemble("timer", order, TIMER, interrupt=HANDLER), order))
        equal((c["interrupt"], c["exception_taken"]), (5, 0), order)
        # The program leaves the loop once. How often the loop ran depends on the host.
        equal(c["store_word"], 6 + 5 * 4, order)
        assert c["branch_cond"] > 5
        equal(c["branch_cond"], c["branch_cond_taken"] + c["branch_cond_not_taken"])
        # Three stores go to devices at the start, and two for each interrupt.
        equal(c["axi_dp_write_latency"], 5 + 5 * 2, order)
        equal(c["axi_dp_read_latency"], 0, order)


DEVICE = """
	addik	r20, r0, 8
2:	lwi	r3, r0, 0x84000008
	lwi	r4, r1, -8
	swi	r4, r1, -4
	addik	r20, r20, -1
	bnei	r20, 2b
"""


def test_devices_are_on_the_peripheral_bus():
    doc = count(assemble("device", "little", DEVICE), "little", "--set", "peripheral.latency=17",
                "--set", "mmu.enable=off")
    c = region(doc)
    equal((c["axi_dp_read_latency"], c["dcache_read_request"], c["dcache_write_request"]),
          (8, 8, 8))
    latency = next(x for x in doc["counters"] if x["region"] == "work"
                   and x["event"] == "axi_dp_read_latency")["latency"]
    equal((latency["sum"], latency["min"], latency["max"]), (8 * 17, 17, 17))
    equal((c["mmu_insn_request"], c["mmu_data_request"]), (0, 0))


def test_what_is_not_seen():
    doc = count(assemble("loop", "little", LOOP), "little")
    missing = sorted(x["event"] for x in doc["counters"] if x["counter-value"] is None
                     and x["region"] is None)
    equal(missing, ["interrupt_latency", "mmu_data_exception", "mmu_exception",
                    "mmu_insn_exception"])


# ---- the firmware's processor --------------------------------------------------------------------

def test_the_emulator_of_the_other_byte_order():
    for order, other in (("little", "big"), ("big", "little")):
        kernel = assemble("loop", order, LOOP)
        runs, needs = mb.ORDERS[other].system, mb.ORDERS[order].system
        out = pmk("stat", "--qemu", machine(kernel, other))
        equal((out.code, out.out, out.err),
              (126, "",
               f"pmk: --qemu: {kernel} is for {order}-endian MicroBlaze, and {runs} runs "
               f"{other}-endian "
                        f"MicroBlaze; take {needs}\n"))
        out = pmk("stat", "--qemu", f"qemu-system-arm -M raspi0 -kernel {kernel}")
        equal((out.code, out.err),
              (126,
               f"pmk: --qemu: {kernel} is for {order}-endian MicroBlaze, and qemu-system-arm "
               f"runs little-endian "
                    f"ARM; take {needs}\n"))


def test_a_raw_binary_runs_on_the_core_of_the_emulator():
    for order, form in (("little", "<6I"), ("big", ">6I")):
        path = os.path.join(WORK, f"mb-raw-{order}.{os.getpid()}")
        with open(path, "wb") as f:
            # The code is addik r3, r0, 'd'; imm 0x8400; swi r3, r0, 4; bri 0, and then code that is
            # not reached.
            f.write(struct.pack(form, 0x30600064, 0xb0008400, 0xf8600004, 0xb8000000, 0x80000000,
                                0x80000000))
        doc = count(path, order, region=())
        os.unlink(path)
        equal((doc["core"], doc["pmu"]), ("microblaze", "microblaze"))
        c = counts(doc)
        equal((c["store_word"], c["imm_op"], c["axi_dp_write_latency"]), (1, 1, 1), order)


def test_firmware_is_no_program():
    for order in mb.ORDERS:
        have(mb.ORDERS[order].qemu)
        out = pmk("stat", assemble("loop", order, LOOP))
        equal((out.code, out.out), (126, ""))
        contains(out.err,
                 f"pmk: {mb.ORDERS[order].qemu} ended before the program executed an "
                 f"instruction; its own "
                 "message says why (firmware is run with --qemu)\n")


# ---- where a region ends -------------------------------------------------------------------------

COUNTDOWN = """
	.global	over
	addik	r20, r0, 1000
2:	addik	r20, r20, -1
	bnei	r20, 2b
over:
"""


def test_a_branch_right_before_the_end():
    kernel = assemble("countdown", "little", COUNTDOWN)
    c = counts(count(kernel, "little", "--from", "work", "--to", "over", region=()))
    equal((c["branch_cond"], c["branch_cond_taken"], c["branch_cond_not_taken"]), (1000, 999, 1))
    equal((c["insn_executed"], c["branch_any"]), (2001, 1000))
    c = region(count(kernel, "little"))
    equal((c["branch_cond"], c["branch_cond_taken"], c["branch_cond_not_taken"]), (1000, 999, 1))


def test_the_core_of_another_machine():
    have("qemu-system-arm")
    out = pmk("stat", "--core", "microblaze", "--qemu",
              "qemu-system-arm -M versatilepb -nographic -S")
    equal(out.code, 129)
    contains(out.err, "microblaze")
