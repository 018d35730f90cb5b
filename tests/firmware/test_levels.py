# SPDX-License-Identifier: MIT
"""The library counts on QEMU's virt board, at EL1, EL2 or EL3. On a machine without a PMU, the
first start returns the reason."""
import functools
import os

from harness import *

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "levels")
EXAMPLES = os.path.join(SOURCE, "examples", "firmware")

NOTHING = "the filter excludes the mode or exception level of this code"
FORBIDDEN = "counting is forbidden in this state: Secure, or by the hypervisor"


@functools.cache
def program():
    have("aarch64-linux-gnu-gcc")
    folder = os.path.join(WORK, "levels")
    out = run(os.path.join(SOURCE, "scripts", "amalgamate"), folder)
    assert out.code == 0, out
    made = os.path.join(folder, "levels.elf")
    out = run("aarch64-linux-gnu-gcc", "-march=armv8-a", "-mgeneral-regs-only", "-mstrict-align",
              "-fno-pic", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-ffreestanding",
              "-fno-tree-loop-distribute-patterns", "-ffunction-sections", "-fno-stack-protector",
              "-I", folder, "-I", os.path.join(EXAMPLES, "common"), "-nostdlib", "-static",
              "-no-pie", "-Wl,--gc-sections,--build-id=none", "-T",
              os.path.join(EXAMPLES, "virt", "link.ld"), os.path.join(HERE, "start.S"),
              os.path.join(HERE, "main.c"), os.path.join(EXAMPLES, "common", "print.c"),
              os.path.join(EXAMPLES, "common", "memory.c"), os.path.join(folder, "pmk_target.c"),
              "-o", made)
    assert out.code == 0, out
    return made


def said(machine, cpu="cortex-a53"):
    """Returns the exception level that the program prints first, and its other lines as {part
    before the colon: part after it}."""
    have("qemu-system-aarch64")
    out = run("qemu-system-aarch64", "-M", machine, "-cpu", cpu, "-icount", "shift=0", "-nographic",
              "-nic", "none", "-semihosting-config", "enable=on,target=native", "-kernel",
              program())
    assert out.code == 0, out
    level, *rest = out.out.splitlines()
    return level, dict(line.split(": ", 1) for line in rest)


def test_el1():
    equal(said("virt"), ("EL1", {
        "instructions": "success, and it counts", "cycles": "success", "neither": "success",
        "instructions at EL2": "success, and it counts", "instructions at EL0": NOTHING}))


def test_el2_needs_the_filter():
    equal(said("virt,virtualization=on"), ("EL2", {
        "instructions": NOTHING, "cycles": NOTHING, "neither": NOTHING,
        "instructions at EL2": "success, and it counts", "instructions at EL0": NOTHING}))


def test_el3_needs_spme():
    level, lines = said("virt,secure=on")
    equal(level, "EL3")
    equal({k: v for k, v in lines.items() if k != "instructions at EL0"}, {
        "instructions": FORBIDDEN, "cycles": "success", "neither": "success",
        "instructions at EL2": FORBIDDEN, "instructions, SPME": "success, and it counts"})


def test_no_pmu():
    level, lines = said("virt", "cortex-a53,pmu=off")
    equal((level, set(lines.values())), ("EL1", {"this processor has no such PMU"}))
