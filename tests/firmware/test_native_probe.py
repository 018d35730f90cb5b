# SPDX-License-Identifier: MIT
"""In a Linux program, pmk_native_probe() takes SIGILL and returns PMK_EUNDEF (-6), because QEMU's
user emulation has no PMU that a program may access."""
import os

from harness import *

HERE = os.path.dirname(os.path.abspath(__file__))


def build(compiler, source, *flags):
    have(compiler)
    path = os.path.join(WORK, "probe-" + compiler)
    out = run(compiler, "-O2", "-static", "-Wall", "-Wextra", "-Werror", *flags,
              "-I", os.path.join(SOURCE, "include"), os.path.join(HERE, "linux_probe.c"),
              os.path.join(SOURCE, "src", "firmware", source), "-o", path)
    assert out.code == 0, out
    return path


def probe(emulator, program):
    have(emulator[0])
    out = run(*emulator, program)
    equal((out.code, out.out), (0, "-6 -6 2\n"), "asking")
    out = run(*emulator, program, "without asking")
    equal((out.code, out.out), (3, ""), "not asking")


def test_arm():
    program = build("arm-linux-gnueabi-gcc", "native_arm.c", "-marm", "-mcpu=arm1176jzf-s")
    for cpu in ("arm926", "arm1136", "arm1176"):
        probe(("qemu-arm", "-cpu", cpu), program)


def test_thumb():
    # The program is 16-bit Thumb code, and the port's functions are Arm code.
    program = build("arm-linux-gnueabi-gcc", "native_arm.c", "-mthumb", "-march=armv5te")
    probe(("qemu-arm", "-cpu", "arm1176"), program)


def test_a64():
    program = build("aarch64-linux-gnu-gcc", "native_a64.c")
    probe(("qemu-aarch64", "-cpu", "cortex-a53"), program)
