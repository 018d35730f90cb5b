# SPDX-License-Identifier: MIT
"""Exceptions and interrupts of MicroBlaze firmware. Only system emulation (--qemu) enters the
vectors. The firmware cannot switch the machine off. It prints a line when it is done, and the test
then ends pmk by SIGINT. Counting ends before that, because the test counts only between two
addresses."""
import os
import signal
import subprocess

from harness import *
import microblaze_tools as mb
from microblaze.measure import symbol, want

PASSES = 5
MACHINE = ("qemu-system-microblazeel -M petalogix-ml605 -nographic -nic user,restrict=on "
           "-global microblaze-cpu.div-zero-exception=on -kernel ")


def firmware(*flags):
    return mb.firmware("vectors", "vectors.S", at=0x50000000, flags=(f"-DPASSES={PASSES}", *flags),
                       ld=("--section-start=.vectors=0", "--no-warn-rwx-segments"))


def count(*flags, sets=(), handlers=PASSES):
    """Returns {event: count} from k_begin to k_end, and the document."""
    have("qemu-system-microblazeel")
    program = firmware(*flags)
    path = os.path.join(WORK, f"mb-system-{os.getpid()}.json")
    begin, end = (hex(symbol(program, s)) for s in ("k_begin", "k_end"))
    options = [w for s in sets for w in ("--set", s)]
    p = subprocess.Popen([PMK, "stat", "--json-document", "-o", path, "--core", "microblaze", "-e",
                          "all",
                          "--from", begin, "--to", end, *options, "--qemu", MACHINE + program],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    said = p.stdout.readline()
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=PATIENCE)
    equal(said, f"{handlers}\n", err)
    with open(path) as f:
        document = json.load(f)
    os.unlink(path)
    return counts(document), document


def test_exceptions():
    # Five divisions by zero. Each pass is the idiv; imm and brai of the vector; addik, rted and nop
    # of the handler; and bri, addik, bneid and nop after the idiv. So 5 × (1 + 2 + 3 + 4)
    # instructions are executed, and two NOPs.
    c, _ = count()
    want(c, exception_taken=PASSES, interrupt=0, div_op=PASSES, insn_executed=PASSES * 10 + 2,
         branch_uncond=PASSES * (1 + 1), branch_cond_taken=PASSES - 1, branch_cond_not_taken=1,
         delay_slot_nop=2 * PASSES, imm_op=PASSES)


def test_interrupts():
    # Each pass is the store that requests the interrupt, and the bri after it; imm and brai of the
    # vector; swi, addik, rtid and nop of the handler; and addik, bneid and nop. So 5 × (2 + 2 + 4 +
    # 3) instructions are executed, and two NOPs.
    c, _ = count("-DINTERRUPTS")
    want(c, interrupt=PASSES, exception_taken=0, div_op=0, store_word=2 * PASSES,
         insn_executed=PASSES * 11 + 2, branch_uncond=2 * PASSES, branch_cond_taken=PASSES - 1,
         branch_cond_not_taken=1, delay_slot_nop=2 * PASSES, imm_op=PASSES)


def test_privileged_instructions():
    # Each pass is one wic and three forms of wdc, which take two cycles each; msrset and msrclr;
    # mts, which no event counts; and bri, addik, bneid and nop.
    c, _ = count("-DPRIVILEGED", handlers=0)
    want(c, icache_invalidate_op=PASSES, dcache_invalidate_flush_op=3 * PASSES, msr_op=2 * PASSES,
         stall_ex=4 * PASSES, insn_executed=PASSES * 11 + 2, load_any=0, store_any=0,
         exception_taken=0)


def test_vectors_elsewhere():
    # If the vectors are not where vectors.base says, pmk sees no exceptions.
    c, _ = count(sets=("vectors.base=0x10000",))
    want(c, exception_taken=0, interrupt=0, div_op=PASSES)


def test_registers_of_peripherals_are_not_cached():
    # The stores go to registers of the interrupt controller. The emulator reports that they are not
    # memory.
    c, _ = count("-DINTERRUPTS")
    want(c, axi_dp_write_latency=2 * PASSES, axi_dp_read_latency=0, dcache_write_request=0,
         dcache_request=0)


def test_what_is_not_shown():
    _, doc = count()
    missing = {c["event"]: c["reason"] for c in doc["counters"] if c["trust"] == "not supported"}
    equal(sorted(missing), ["interrupt_latency", "mmu_data_exception", "mmu_exception",
                            "mmu_insn_exception"])
    assert all(missing.values()), missing


# After the settings, the program executes 32 instructions, five of which load one word. Even the
# block directly after a write of MSR counts in the new state.
@cases("settings,insns,loads,left_off", [
    ("nop", 0, 0, "data cache, instruction cache"),
    ("msrset r4, 0xa0", 32, 5, None),
    ("msrset r4, 0x20", 32, 0, "data cache"),
    ("msrset r4, 0x80", 0, 5, "instruction cache"),
    ("ori r3, r3, 0xa0; mts rmsr, r3", 32, 5, None),
    ("msrset r4, 0xa0; msrclr r4, 0x80", 32, 0, None),
    ("msrset r4, 0xa0; mts rmsr, r0", 0, 0, None),
])
def test_caches_are_as_the_firmware_sets_them(settings, insns, loads, left_off):
    c, doc = count(f"-DSETTINGS={settings}", handlers=0, sets=("mmu.enable=off",))
    want(c, insn_executed=32, load_word=5, icache_request=insns, dcache_read_request=loads)
    equal({c["event"]: c["trust"] for c in doc["counters"]}["clock_cycles"], "modelled")
    equal(re.findall(r"firmware did not turn these on \(MSR\): (.*)", doc["note"] or ""),
          [left_off] if left_off else [])
    assert "does not show what the firmware" not in (doc["note"] or ""), doc["note"]


def test_translation_is_not_followed():
    _, doc = count()
    trust = {c["event"]: c["trust"] for c in doc["counters"]}
    equal((trust["insn_executed"], trust["clock_cycles"]), ("exact", "inexact"))
    contains(doc["note"], "this emulator does not show what the firmware turns on and off: the "
                          "core's parameters decide for MMU")

