# SPDX-License-Identifier: MIT
"""Builds and runs examples/firmware with its Makefiles."""
import os
import shutil

from harness import *
import microblaze_tools

EXAMPLES = os.path.join(SOURCE, "examples", "firmware")
TOOLS = {
    "raspi0": ("arm-none-eabi-", "qemu-system-arm"),
    "versatilepb": ("arm-none-eabi-", "qemu-system-arm"),
    "virt": ("aarch64-linux-gnu-", "qemu-system-aarch64"),
    "ml605": (None, "qemu-system-microblazeel"),  # the compiler is that of microblaze_tools
}


def build(board, *argv):
    """Builds a board's program once for all test files. Returns make's output, and the folder."""
    folder = os.path.join(WORK, "firmware-programs", board)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    return run("make", "-s", "-C", os.path.join(EXAMPLES, board), "O=" + folder, *argv), folder


def copy_program(board, argv, folder):
    """Copies the board's program into a folder, unless `argv` makes another program. Make does not
    build it again there, because the files keep their times."""
    if os.path.exists(os.path.join(folder, board + ".elf")) or \
       not all(a == "run" or a.startswith(("O=", "RUN=", "SHIFT=")) for a in argv):
        return
    with locked(os.path.join(WORK, f"firmware-program-{board}")):
        out, made = build(board)
        equal(out.code, 0, str(out))
        shutil.copytree(made, folder, dirs_exist_ok=True)


def make(board, *argv, main=None):
    """Runs make in the example's folder. Returns its output without the commands."""
    cross, qemu = TOOLS[board]
    have("make", qemu)
    folder = next((a[2:] for a in argv if a.startswith("O=")),
                  os.path.join(WORK, "firmware-examples", board))
    if cross:
        have(cross + "gcc")
        copy_program(board, argv, folder)
    else:
        argv = with_compiler_or_stored(board, main, argv)
    return run("make", "-s", "-C", os.path.join(EXAMPLES, board), "O=" + folder, *argv), folder


def with_compiler_or_stored(board, main, argv):
    """Returns arguments of make for MicroBlaze. Without a compiler the stored program is used."""
    stored = microblaze_tools.example(board, main)
    if not microblaze_tools.folder()[1]:
        return ["CROSS=" + microblaze_tools.tool(""), *argv]
    folder = next((a[2:] for a in argv if a.startswith("O=")),
                  os.path.join(WORK, "firmware-examples", board))
    os.makedirs(folder, exist_ok=True)
    elf = os.path.join(folder, board + ".elf")
    shutil.copyfile(stored, elf)
    return ["CROSS=/nowhere/", "-o", elf, *argv]


_ran = {}


def ran(board, *argv):
    """Returns the output of `make run`, which runs once for each board and its options."""
    if (board, argv) not in _ran:
        out, folder = make(board, "run", *argv)
        equal(out.code, 0, f"make run for {board}: {out}")
        log = os.path.join(folder, board + ".log")
        raw = open(log, "rb").read() if os.path.exists(log) else out.out.encode()
        _ran[board, argv] = out.out, raw
    return _ran[board, argv]
