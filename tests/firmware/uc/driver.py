# SPDX-License-Identifier: MIT
"""Runs firmware on an emulated bare machine: builds the program of guest.c with the library's
freestanding sources for a core, and runs the tests that `uc_firmware --list` names."""
import functools
import os
import re

from harness import *

UC = os.path.join(BUILD, "tests", "uc_firmware")
FOLDER = os.path.join(SOURCE, "tests", "firmware", "uc")
# Flags for every core: the program has no libraries, a fixed address, and no operating system.
FLAGS = ["-std=gnu11", "-Os", "-Wall", "-Wextra", "-Werror", "-DPMK_FIRMWARE", "-ffreestanding",
         "-nostdlib", "-static", "-Wl,-Ttext=0x100000", "-Wl,-e,g_open", "-Wl,--build-id=none"]
ARM = ["-marm", "-mfloat-abi=soft"]
# {core: (compiler, its flags, tests to leave out)}. Tests of another PMU's registers are left out.
# AArch32 also leaves out the long tests, because it combines the code of the ARM1176 with the
# registers of the Cortex-A53, and both cores run these tests.
CORES = {
    "arm": ("arm-none-eabi-gcc", ["-mcpu=arm1176jzf-s", *ARM], "words_armv8|misuse_events_armv8"),
    "a32": ("arm-none-eabi-gcc", ["-mcpu=cortex-a15", *ARM],
            "words_arm11|misuse_events_arm11|fast.*|user_mode|interrupted|reader_.*|sampled|"
            "random_.*|"
            "memory_.*"),
    "a64": ("aarch64-linux-gnu-gcc", ["-march=armv8-a", "-mgeneral-regs-only",
                                      "-mno-outline-atomics", "-fno-stack-protector", "-fno-pic",
                                      "-no-pie"],
            "words_arm11|misuse_events_arm11"),
}


@functools.cache
def build(core):
    """Builds the firmware for a core. Returns its path."""
    compiler, flags, _ = CORES[core]
    have(compiler)
    path = os.path.join(WORK, f"firmware-{core}.elf")
    out = run(compiler, *flags, *FLAGS, "-I", os.path.join(SOURCE, "include"),
              "-I", os.path.join(SOURCE, "src"), os.path.join(FOLDER, "guest.c"),
              os.path.join(FOLDER, "guest.S"),
              *[os.path.join(SOURCE, source) for source in target_sources()], "-o", path)
    assert out.code == 0, f"cannot build the firmware: {out}"
    return path


def names(core):
    """Returns the tests that apply to this core."""
    return [n for n in run(UC, "--list").out.split() if not re.fullmatch(CORES[core][2], n)]


def check(core, name):
    out = run(UC, build(core), name)
    assert out.code == 0, out
