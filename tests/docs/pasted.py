# SPDX-License-Identifier: MIT
"""What tests of pasted output share: what differs from machine to machine, taken out."""
import re

from harness import run

NUMBER = r"(?<![\w.])\d[\d,]*(?:\.\d+)*"  # and versions


def compiler():
    """The version of the compiler that numbers of programs depend on."""
    return run("arm-linux-gnueabi-gcc", "-dumpfullversion").out.strip()


def without_times(lines):
    """Nor with how many variables whoever runs the test has, nor with fixes of the emulator, which
    the distribution brings."""
    return [re.sub(r"(qemu-arm \d+\.\d+)\.\d+", r"\1",
                   re.sub(r"\d+ of your environment variables? (was|were)", "N of yours were",
                          re.sub(NUMBER, "TIME", line) if "seconds time elapsed" in line else line))
            for line in lines]
