# SPDX-License-Identifier: MIT
"""The firmware library on a Cortex-M through its native port, on QEMU's boards. They have no DWT,
which the library reports. tests/pmu/test_dwt_driver.c tests counting with a DWT."""
import os

from harness import *

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cortexm")
NONE = "this processor has no such PMU"


def said(cpu, board):
    have("arm-none-eabi-gcc", "qemu-system-arm")
    folder = os.path.join(WORK, "cortexm")
    out = run(os.path.join(SOURCE, "scripts", "amalgamate"), folder)
    assert out.code == 0, out
    made = os.path.join(folder, cpu + ".elf")
    out = run("arm-none-eabi-gcc", f"-mcpu={cpu}", "-mthumb", "-Os", "-std=gnu11", "-Wall",
              "-Wextra", "-Werror", "-ffreestanding", "-ffunction-sections", "-fdata-sections",
              "-I", folder, "-nostdlib", "-static", "-fno-tree-loop-distribute-patterns",
              "-Wl,--gc-sections,--build-id=none", "-T", os.path.join(HERE, "link.ld"),
              os.path.join(HERE, "main.c"), os.path.join(folder, "pmk_target.c"),
              os.path.join(SOURCE, "examples", "firmware", "common", "memory.c"), "-lgcc", "-o",
              made)
    assert out.code == 0, out
    out = run("qemu-system-arm", "-M", board, "-display", "none", "-monitor", "none", "-serial",
              "none", "-semihosting-config", "enable=on,target=native", "-kernel", made)
    assert out.code == 0, out
    return (out.out + out.err).splitlines()


def test_cortex_m3_without_a_dwt():
    equal(said("cortex-m3", "mps2-an385"), ["probe: success", f"count: {NONE}"])


def test_cortex_m4_without_a_dwt():
    equal(said("cortex-m4", "mps2-an386"), ["probe: success", f"count: {NONE}"])


def test_cortex_m7_without_a_dwt():
    equal(said("cortex-m7", "mps2-an500"), ["probe: success", f"count: {NONE}"])


def test_cortex_m0_never_has_one():
    """On a Cortex-M0, which has no DWT, the library does not access it, because the access would
    fault."""
    equal(said("cortex-m0", "microbit"), [f"probe: {NONE}", f"count: {NONE}"])
