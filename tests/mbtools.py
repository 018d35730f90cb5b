# SPDX-License-Identifier: MIT
"""Programs for MicroBlaze: the compiler that `make microblaze-toolchain` makes, or one of one's own in
PMK_MB_TOOLCHAIN (a folder with bin/microblazeel-elf-gcc). A test that asks for a program is skipped when
there is none.

    path = program("hello", "hello.c")                     little-endian, for qemu-microblazeel
    path = program("hello", "hello.c", order="big")        for qemu-microblaze
    path = program("area", "hello.c", cpu=SMALL)           a core without optional instructions
    path = firmware("boot", "boot.S", at=0x90000000)       nothing but the sources, entry _start
    out = run_program(path, "argument", order="big")

Relative sources are those of tests/guest/microblaze. Both orders come from one compiler: call the tools by
tool("objdump"), and gcc and as with ORDERS[order].gcc or .as_ when it matters.
"""
import collections
import functools
import glob
import hashlib
import os
import subprocess

from harness import SOURCE, WORK, equal, have, run, skip

GUEST = os.path.join(SOURCE, "tests", "guest", "microblaze")
PREFIX = "microblazeel-elf-"

Order = collections.namedtuple("Order", "gcc as_ emulation qemu system")
ORDERS = {
    "little": Order("-mlittle-endian", "-EL", "elf32mbel_linux", "qemu-microblazeel",
                    "qemu-system-microblazeel"),
    "big": Order("-mbig-endian", "-EB", "elf32mb_linux", "qemu-microblaze", "qemu-system-microblaze"),
}

# What a core can have that is optional, as options of the compiler; combine them as you like.
#
# GCC 12 compares versions as text, so that v10.0 would be older than v3.00.a: v9.6 stands for all of them.
MULTIPLIER = ("-mno-xl-soft-mul",)
MULTIPLIER_64 = (*MULTIPLIER, "-mxl-multiply-high")
DIVIDER = ("-mno-xl-soft-div",)
BARREL_SHIFTER = ("-mxl-barrel-shift",)
PATTERN_COMPARE = ("-mxl-pattern-compare",)
REORDER = ("-mxl-reorder",)
FPU = ("-mhard-float",)
FPU_EXTENDED = (*FPU, "-mxl-float-convert", "-mxl-float-sqrt")
SMALL = ("-mcpu=v9.6", "-mno-xl-reorder")
FULL = ("-mcpu=v9.6", *MULTIPLIER_64, *DIVIDER, *BARREL_SHIFTER, *PATTERN_COMPARE, *REORDER, *FPU_EXTENDED)

# The assembler puts IMM in front of every symbol; this takes out those that are not needed, as GCC's own
# linking does. Not for code whose instructions are counted by hand.
RELAX = ("-relax",)

C_FLAGS = ("-std=gnu11", "-O2", "-ffreestanding", "-fno-pic", "-ffunction-sections", "-fdata-sections")


@functools.cache
def folder():
    """Where the toolchain is, or None and the reason."""
    own = os.environ.get("PMK_MB_TOOLCHAIN")
    where = own or run(os.path.join(SOURCE, "scripts", "microblaze-toolchain"), "--path").out.strip()
    if os.access(os.path.join(where, "bin", PREFIX + "gcc"), os.X_OK):
        return where, None
    if own:
        return None, f"PMK_MB_TOOLCHAIN has no bin/{PREFIX}gcc"
    return None, "no compiler for MicroBlaze; `make microblaze-toolchain` builds one, in some minutes"


def tool(name):
    """The path of a tool, "gcc", "objdump" …; skips when there is no toolchain."""
    where, why = folder()
    if why:
        skip(why)
    return os.path.join(where, "bin", PREFIX + name)


def made(name, sources, recipe):
    """A path in WORK for what recipe(path) makes of the sources, unless nothing has changed since it was made:
    the sources, what stands beside them to be included, the recipe, the compiler."""
    beside = {f for s in [*sources, os.path.join(GUEST, "libc", "stdio.h")]
              for f in glob.glob(os.path.join(os.path.dirname(s), "*")) if f.endswith((".h", ".inc"))}
    state = hashlib.sha256(repr((recipe.args, folder())).encode())
    for path in [*sources, *sorted(beside)]:
        with open(path, "rb") as f:
            state.update(f.read())
    path = os.path.join(WORK, f"mb-{name}-{state.hexdigest()[:16]}")
    if not os.path.exists(path):
        # Several tests may make the same at once.
        mine = f"{path}.{os.getpid()}"
        recipe(mine)
        os.replace(mine, path)
    return path


def call(*argv):
    out = run(*argv)
    equal(out.code, 0, f"{' '.join(map(str, argv))}: {out}")
    return out.out


def objects(path, sources, order, flags):
    """Compile each source to path.N.o; returns the paths."""
    outputs = []
    for n, source in enumerate(sources):
        outputs.append(f"{path}.{n}.o")
        call(tool("gcc"), ORDERS[order].gcc, *flags, "-c", source, "-o", outputs[-1])
    return outputs


def link(path, inputs, *flags):
    """Link, and drop the objects that were only made for it."""
    call(tool("ld"), "-o", path, *flags, *inputs)
    for each in inputs:
        if each.startswith(path + "."):
            os.unlink(each)


@functools.cache
def libgcc(order):
    """It is compiled without optional instructions, and so fits every core."""
    return call(tool("gcc"), ORDERS[order].gcc, "-print-libgcc-file-name").strip()


def located(sources):
    sources = [sources] if isinstance(sources, str) else sources
    return [os.path.join(GUEST, s) for s in sources]


def make_program(sources, order, cpu, flags, ld, path):
    all_flags = [*C_FLAGS, "-isystem", os.path.join(GUEST, "libc"), "-I", GUEST, *cpu, *flags]
    inputs = objects(path, sources, order, all_flags)
    link(path, [*inputs, libgcc(order)], "-m", ORDERS[order].emulation, "-static", "--gc-sections", *ld)


def program(name, sources, order="little", cpu=FULL, flags=(), ld=RELAX):
    """The path of a static program for Linux with main(argc, argv), made if need be."""
    tool("gcc")
    sources = [os.path.join(GUEST, "crt0.S"), *located(sources), os.path.join(GUEST, "mini.c")]
    return made(name, sources, functools.partial(make_program, sources, order, cpu, flags, ld))


def make_firmware(sources, order, cpu, flags, ld, at, path):
    inputs = objects(path, sources, order, [*C_FLAGS, *cpu, *flags])
    link(path, [*inputs, libgcc(order)], "-m", ORDERS[order].emulation, "-static", "-N", f"-Ttext={at:#x}", *ld)


def firmware(name, sources, at, order="little", cpu=FULL, flags=(), ld=()):
    """The path of an ELF file with nothing but the sources and what they need of libgcc, its code at `at`."""
    tool("gcc")
    sources = located(sources)
    return made(name, sources, functools.partial(make_firmware, sources, order, cpu, flags, ld, at))


def run_program(path, *arguments, order="little", **kw):
    have(ORDERS[order].qemu)
    return run(ORDERS[order].qemu, path, *arguments, **kw)
