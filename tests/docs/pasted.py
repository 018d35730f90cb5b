# SPDX-License-Identifier: MIT
"""Removes from pasted output everything that differs between machines."""
import re

from harness import run

NUMBER = r"(?<![\w.])\d[\d,]*(?:\.\d+)*"  # also matches versions


def compiler():
    """Returns the compiler's version, on which the counts of programs depend."""
    return run("arm-linux-gnueabi-gcc", "-dumpfullversion").out.strip()


def without_times(lines):
    """Removes what may differ: times, the user's number of environment variables, and the
    emulator's patch release."""
    return [re.sub(r"(qemu-arm \d+\.\d+)\.\d+", r"\1",
                   re.sub(r"\d+ of your environment variables? (was|were)", "N of yours were",
                          re.sub(NUMBER, "TIME", line) if "seconds time elapsed" in line else line))
            for line in lines]
