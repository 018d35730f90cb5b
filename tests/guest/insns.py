# SPDX-License-Identifier: MIT
"""Gives an independent count of the same run: a second plugin counts each instruction, and QEMU
logs each exception."""
import hashlib
import os
import re
import shutil

from harness import *


def read(path):
    with open(path, "rb") as f:
        return f.read()


def plugin(emulator="qemu-system-aarch64"):
    """Builds insns.c for QEMU up to 8.2. Newer versions lack the function that insns.c uses."""
    if b"qemu_plugin_register_vcpu_insn_exec_inline\0" not in read(shutil.which(emulator)):
        skip("this QEMU is newer than 8.2: the tests' plugin that counts instructions is for "
             "older ones")
    source = os.path.join(SOURCE, "tests", "guest", "insns.c")
    path = os.path.join(WORK, f"insns-{hashlib.sha256(read(source)).hexdigest()[:16]}.so")
    if not os.path.exists(path):
        mine = f"{path}.{os.getpid()}"
        out = run("cc", "-shared", "-fPIC", "-I", os.path.join(SOURCE, "src"), "-o", mine, source)
        assert out.code == 0, out
        os.replace(mine, path)
    return path


class SecondCount:
    """Options to add to a command line of QEMU, and their results after the run."""

    def __init__(self, half=0, other=(0, 0)):
        self.files = {n: os.path.join(WORK, f"beside-{os.getpid()}.{n}") for n in ("insns", "log")}
        self.options = (f"-plugin {plugin()},out={self.files['insns']},half={half:#x},"
                        f"not={other[0]:#x}:{other[1]:#x} "
                        f"-d int -D {self.files['log']}")

    def read(self):
        """Returns (instructions below `half` and not in `other`, all other instructions), {cause:
        number of exceptions}, and the number of returns from exceptions. Calls that QEMU answers
        itself are not exceptions."""
        below, above = map(int, read(self.files["insns"]).split())
        taken, returns = {}, 0
        for entry in re.split(r"^(?=Taking exception|Exception return)",
                              read(self.files["log"]).decode(errors="replace"), flags=re.M):
            returns += entry.startswith("Exception return")
            cause = re.match(r"Taking exception \d+ \[(.*)\]", entry)
            if cause and "handled as" not in entry:
                taken[cause[1]] = taken.get(cause[1], 0) + 1
        for path in self.files.values():
            os.unlink(path)
        return (below, above), taken, returns
