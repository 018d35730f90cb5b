# SPDX-License-Identifier: MIT
"""Shared by tests of pasted output: removes everything that differs between machines."""
import re

from harness import run

NUMBER = r"(?<![\w.])\d[\d,]*(?:\.\d+)*"  # and versions


def compiler():
    """Returns the version of the compiler that numbers of programs depend on."""
    return run("arm-linux-gnueabi-gcc", "-dumpfullversion").out.strip()


def without_times(lines):
    """Removes what may differ: the user's number of environment variables, and the emulator's patch
    release."""
    return [re.sub(r"(qemu-arm \d+\.\d+)\.\d+", r"\1",
                   re.sub(r"\d+ of your environment variables? (was|were)", "N of yours were",
                          re.sub(NUMBER, "TIME", line) if "seconds time elapsed" in line else line))
            for line in lines]
