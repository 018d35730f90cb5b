# SPDX-License-Identifier: MIT
"""Programs for MicroBlaze. No distribution has a compiler for it, so microblaze_store.py stores the
compiled programs. A program that is new, or whose sources have changed, is not stored: the compiler
of `make microblaze-toolchain` makes it. Without this compiler, a test that requests such a program
fails. If PMK_MB_TOOLCHAIN is a folder with your own bin/microblazeel-elf-gcc, that compiler makes
every program.

    path = program("hello", "hello.c")                     little-endian, for qemu-microblazeel
    path = program("hello", "hello.c", order="big")        for qemu-microblaze
    path = program("area", "hello.c", cpu=SMALL)           a core without optional instructions
    path = firmware("boot", "boot.S", at=0x90000000)       nothing but the sources, entry _start
    path = bare("loop", COUNT=10)                          microblaze/loop.S, only with definitions
    text = disassembly(path)

Relative sources are those of tests/guest/microblaze; "@library/pmk_target.c" is the firmware
library in one file, with its header next to it. One compiler makes programs of both byte orders.
Call a tool by tool("objdump"), which skips the test if there is none. Give gcc and as the options
ORDERS[order].gcc and .as_ if the byte order matters.
"""
import collections
import contextlib
import functools
import glob
import hashlib
import json
import os
import re
import tempfile

from harness import BUILD, SOURCE, WORK, equal, have, run, skip
import microblaze_store

GUEST = os.path.join(SOURCE, "tests", "guest", "microblaze")
EXAMPLES = os.path.join(SOURCE, "examples", "firmware")
PREFIX = "microblazeel-elf-"

Order = collections.namedtuple("Order", "gcc as_ emulation qemu system")
ORDERS = {
    "little": Order("-mlittle-endian", "-EL", "elf32mbel_linux", "qemu-microblazeel",
                    "qemu-system-microblazeel"),
    "big": Order("-mbig-endian", "-EB", "elf32mb_linux", "qemu-microblaze",
                 "qemu-system-microblaze"),
}

# Optional features of a core, as options of the compiler; combine them as you like.
#
# GCC 12 compares versions as text, so v10.0 would be older than v3.00.a. All programs use v9.6.
MULTIPLIER = ("-mno-xl-soft-mul",)
MULTIPLIER_64 = (*MULTIPLIER, "-mxl-multiply-high")
DIVIDER = ("-mno-xl-soft-div",)
BARREL_SHIFTER = ("-mxl-barrel-shift",)
PATTERN_COMPARE = ("-mxl-pattern-compare",)
REORDER = ("-mxl-reorder",)
FPU = ("-mhard-float",)
FPU_EXTENDED = (*FPU, "-mxl-float-convert", "-mxl-float-sqrt")
SMALL = ("-mcpu=v9.6", "-mno-xl-reorder")
FULL = ("-mcpu=v9.6", *MULTIPLIER_64, *DIVIDER, *BARREL_SHIFTER, *PATTERN_COMPARE, *REORDER,
        *FPU_EXTENDED)

# The assembler puts IMM in front of every symbol. This option removes the unneeded ones, as GCC
# does when it links. It must not be used for code whose instructions are counted by hand.
RELAX = ("-relax",)

C_FLAGS = ("-std=gnu11", "-O2", "-ffreestanding", "-fno-pic", "-ffunction-sections",
           "-fdata-sections")

# The address of a program without a C library.
CODE, DATA = 0x10004000, 0x10100000


# ---- the tools -----------------------------------------------------------------------------------

@functools.cache
def default_folder():
    return run(os.path.join(SOURCE, "scripts", "microblaze-toolchain"), "--path").out.strip()


@functools.cache
def folder():
    """Returns the toolchain's folder, or None and the reason."""
    own = os.environ.get("PMK_MB_TOOLCHAIN")
    where = own or default_folder()
    if os.access(os.path.join(where, "bin", PREFIX + "gcc"), os.X_OK):
        return where, None
    if own:
        return None, f"PMK_MB_TOOLCHAIN has no bin/{PREFIX}gcc"
    return None, ("no compiler for MicroBlaze; `make microblaze-toolchain` builds one, in some "
                  "minutes")


def tool(name):
    """Returns the path of a tool, such as "gcc" or "objdump". Skips the test if there is no
    toolchain."""
    where, why = folder()
    if why:
        skip(why)
    return os.path.join(where, "bin", PREFIX + name)


def call(*argv, **kw):
    out = run(*argv, **kw)
    equal(out.code, 0, f"{' '.join(map(str, argv))}: {out}")
    return out.out


# ---- recipes -------------------------------------------------------------------------------------
# A recipe is a dictionary that says what is made, from which sources and how. It can be stored as
# JSON. A source is a path below SOURCE, "@library/NAME", or [NAME, TEXT] for text from a test.

@functools.cache
def library():
    """Returns the folder with the firmware library in one file, and its header."""
    with tempfile.TemporaryDirectory(prefix="mb-", dir=WORK) as place:
        mine = os.path.join(place, "library")
        call(os.path.join(SOURCE, "scripts", "amalgamate"), mine)
        state = hashlib.sha256(b"".join(contents(os.path.join(mine, f))
                                        for f in sorted(os.listdir(mine))))
        path = os.path.join(WORK, f"mb-library-{state.hexdigest()[:16]}")
        if not os.path.exists(path):
            # Another process may have made the folder first.
            with contextlib.suppress(OSError):
                os.rename(mine, path)
    return path


def within(path, place):
    return os.path.commonpath([os.path.abspath(path),
                               os.path.abspath(place)]) == os.path.abspath(place)


def as_source(path):
    """Converts a caller's source to the form that recipes use."""
    if path.startswith("@library/"):
        return path
    path = os.path.join(GUEST, path)
    if within(path, SOURCE) and not within(path, BUILD) and not within(path, WORK):
        return os.path.relpath(path, SOURCE)
    with open(path, encoding="utf-8") as f:
        return [os.path.basename(path), f.read()]


def as_path(source, place):
    """Returns the path of a recipe's source. Text from a test is first written to `place`."""
    if isinstance(source, str):
        return os.path.join(library(),
                            source[9:]) if source.startswith("@") else os.path.join(SOURCE, source)
    path = os.path.join(place, source[0])
    with open(path, "w", encoding="utf-8") as f:
        f.write(source[1])
    return path


@functools.cache
def without_comments(path):
    """Returns the text of a library file without comments, so that a changed comment does not
    change the keys of programs."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|//[^\n]*|/\*.*?\*/""",
                      lambda m: m[1] or " ", f.read(), flags=re.S)
    return " ".join(text.split()).encode()


@functools.cache
def contents(path):
    with open(path, "rb") as f:
        return f.read()


def inputs(sources):
    """Returns names and contents of the files from which a program is made: its sources, and the
    headers next to them."""
    files, folders = set(), {os.path.join(GUEST, "libc")}
    for source in sources:
        if isinstance(source, str) and not source.startswith("@"):
            files.add(os.path.join(SOURCE, source))
            folders.add(os.path.dirname(os.path.join(SOURCE, source)))
    files |= {f for folder in folders for f in glob.glob(os.path.join(folder, "*"))
              if f.endswith((".h", ".inc"))}
    found = [(os.path.relpath(f, SOURCE), contents(f)) for f in sorted(files)]
    if microblaze_store.has_library({"sources": sources}):
        found += [(name, without_comments(os.path.join(library(), name)))
                  for name in ("pmk_target.c", "pmk_target.h")]
    return found


def key_of(recipe):
    """Returns the key of a recipe. It changes with everything that can change the result: the
    recipe, the sources and the compiler."""
    own = os.environ.get("PMK_MB_TOOLCHAIN")
    state = hashlib.sha256(json.dumps([recipe, own or os.path.basename(default_folder())],
                                      sort_keys=True).encode())
    of = recipe
    while "of" in of:
        of = of["of"]
    for name, data in inputs(of["sources"]):
        state.update(f"{name} {len(data)}\n".encode())
        state.update(data)
    return state.hexdigest()[:16]


def objects(recipe, place, flags):
    """Compiles each source. Returns the objects, whose names become part of the program."""
    made = []
    if microblaze_store.has_library(recipe):
        flags = [*flags, "-I", library()]
    for n, source in enumerate(recipe["sources"]):
        made.append(f"{n}.o")
        call(tool("gcc"), ORDERS[recipe["order"]].gcc, *flags, "-c", as_path(source, place), "-o",
             made[-1], cwd=place)
    return made


@functools.cache
def libgcc(order):
    """Returns the path of libgcc. It is compiled without optional instructions, so it runs on every
    core."""
    return call(tool("gcc"), ORDERS[order].gcc, "-print-libgcc-file-name").strip()


def link(recipe, place, *argv):
    call(tool("ld"), "-o", "made", "-m", ORDERS[recipe["order"]].emulation, "-static", *argv,
         cwd=place)


def make_program(recipe, place):
    flags = [*C_FLAGS, "-isystem", os.path.join(GUEST, "libc"), "-I", GUEST, *recipe["cpu"],
             *recipe["flags"]]
    link(recipe, place, "--gc-sections", *recipe["ld"], *objects(recipe, place, flags),
         libgcc(recipe["order"]))


def make_firmware(recipe, place):
    made = objects(recipe, place, [*C_FLAGS, *recipe["cpu"], *recipe["flags"]])
    link(recipe, place, "-N", "-Ttext=" + recipe["at"], *recipe["ld"], *made,
         libgcc(recipe["order"]))


def make_bare(recipe, place):
    made = objects(recipe, place, ["-mcpu=v9.6", "-I", GUEST, *recipe["flags"]])
    link(recipe, place, "-z", "max-page-size=4096", f"-Ttext={CODE:#x}", f"-Tbss={DATA:#x}", *made)


def make_disassembly(recipe, place):
    make(recipe["of"], place)
    text = call(tool("objdump"), "-d", "made", cwd=place)
    with open(os.path.join(place, "made"), "w", encoding="utf-8") as f:
        f.write(text)


def make_example(recipe, place):
    """Builds a program as the Makefile of the example does, but without paths that depend on the
    build folder."""
    main = [as_path(s, place) for s in recipe["sources"] if not isinstance(s, str)]
    sources = [f"SOURCES=start.S ../common/print.c ../common/memory.c {place}/pmk_target.c "
               f"{main[0]}"] if main else []
    call("make", "-s", "-C", os.path.join(EXAMPLES, recipe["name"]), "O=" + place,
         "CROSS=" + tool(""), *sources)
    call(tool("strip"), "-s", "-o", os.path.join(place, "made"),
         os.path.join(place, recipe["name"] + ".elf"))


def make_compilation(recipe, place):
    out = run(tool("gcc"), *recipe["flags"], "-c", as_path(recipe["sources"][0], place), "-o",
              "0.o", cwd=place)
    said = {"code": out.code, "warnings": out.err.count(" warning: "),
            "missing": re.findall(r"fatal error: (\S+):", out.err),
            "undefined": [] if out.code else re.findall(r" U (\w+)",
                                                        call(tool("nm"), "-u", "0.o", cwd=place))}
    with open(os.path.join(place, "made"), "w", encoding="utf-8") as f:
        json.dump(said, f)


KINDS = {"program": make_program, "firmware": make_firmware, "bare": make_bare,
         "disassembly": make_disassembly,
         "example": make_example, "compilation": make_compilation}


def make(recipe, place):
    """Makes the file `made` in the folder `place`, whose path is not part of the file."""
    KINDS[recipe["kind"]](recipe, place)


def build(recipe):
    """Returns the bytes of the file that the compiler makes from a recipe."""
    with tempfile.TemporaryDirectory(prefix="mb-", dir=WORK) as place:
        make(recipe, place)
        with open(os.path.join(place, "made"), "rb") as f:
            return f.read()


_recipes = {}  # {path: recipe} of all requested paths


def made(recipe):
    """Returns the path in WORK of a recipe's file, which comes from the store or the compiler."""
    if os.environ.get("PMK_MB_TOOLCHAIN"):
        tool("gcc")
    key = key_of(recipe)
    microblaze_store.record(key, recipe)
    path = os.path.join(WORK, f"mb-{recipe['name']}-{key}" + (".txt" if "of" in recipe else ""))
    if not os.path.exists(path):
        data = microblaze_store.stored(key)
        if data is None and folder()[1]:
            if microblaze_store.has_library(recipe) and microblaze_store.was_stored(recipe):
                skip(f"the firmware library is not the one that {recipe['name']} was stored with; "
                     f"{microblaze_store.ANEW}")
            raise AssertionError(f"{recipe['name']} is not stored as its sources are now; "
                                 f"{microblaze_store.ANEW}")
        # Several tests may make a file at the same time.
        mine = f"{path}.{os.getpid()}"
        with open(mine, "wb") as f:
            f.write(build(recipe) if data is None else data)
        os.chmod(mine, 0o755)
        os.replace(mine, path)
    _recipes[path] = recipe
    return path


def can_make(recipe):
    return not folder()[1] or microblaze_store.stored(key_of(recipe)) is not None


def as_recipe(kind, name, sources, order, cpu, flags, ld, **more):
    assert not any(SOURCE in f or WORK in f
                   for f in (*cpu, *flags, *ld)), "a path that is another one elsewhere"
    return {"kind": kind, "name": name, "order": order, "cpu": [*cpu], "flags": [*flags],
            "ld": [*ld],
            "sources": [as_source(s) for s in sources], **more}


def listed(sources):
    return [sources] if isinstance(sources, str) else sources


# ---- what tests can request ---------------------------------------------------------------------

def program_recipe(name, sources, order="little", cpu=FULL, flags=(), ld=RELAX):
    return as_recipe("program", name, ["crt0.S", *listed(sources), "mini.c"], order, cpu, flags, ld)


def program(*argv, **kw):
    """Returns the path of a static program for Linux with main(argc, argv)."""
    return made(program_recipe(*argv, **kw))


def firmware(name, sources, at, order="little", cpu=FULL, flags=(), ld=()):
    """Returns the path of an ELF file that contains only the sources, and the parts of libgcc that
    they need. Its code is at `at`."""
    return made(as_recipe("firmware", name, listed(sources), order, cpu, flags, ld, at=f"{at:#x}"))


def bare(name, order="little", **defines):
    """Returns the path of microblaze/<name>.S as a program, with preprocessor definitions."""
    flags = [f"-D{k}={v}" for k, v in sorted(defines.items())]
    return made(as_recipe("bare", name, [name + ".S"], order, (), flags, ()))


def disassembly(path):
    """Returns the output of objdump -d for a program that this module has made."""
    of = _recipes[path]
    with open(made({"kind": "disassembly", "name": of["name"], "of": of}), encoding="utf-8") as f:
        return f.read()


def example(board, main=None):
    """Returns the path of a program of examples/firmware. `main` is a source that replaces the
    program's main()."""
    folders = [os.path.join(EXAMPLES, name) for name in (board, "common")]
    sources = [os.path.join(f, name) for f in folders for name in sorted(os.listdir(f))
               if not name.endswith(".h")]
    return made({"kind": "example", "name": board,
                 "sources": [as_source(s) for s
                             in [*sources, "@library/pmk_target.c", *([main] if main else [])]]})


def compilation(name, source, *flags):
    """Returns the compiler's result for a source: {"code", "warnings", "missing": headers,
    "undefined": symbols}."""
    with open(made({"kind": "compilation", "name": name, "sources": [as_source(source)],
                    "flags": [*flags]}),
              encoding="utf-8") as f:
        return json.load(f)


def symbol(path, name):
    """Returns the address of a symbol. The nm of this machine reads any ELF file."""
    for line in call("nm", path).splitlines():
        value, _, this = line.split()
        if this == name:
            return int(value, 16)
    raise AssertionError(f"{path} has no {name}")


def answer(name, question, ask):
    """Returns the toolchain's answer to a question as bytes. ask() runs the tools and returns their
    answer, which must equal the stored answer. Without tools, the stored answer is returned."""
    stored = microblaze_store.answer(name, question)
    if folder()[1]:
        assert stored is not None, (f"{name} is not stored as it is asked now; "
                                    f"{microblaze_store.ANEW}")
        return stored
    said = ask()
    if not os.environ.get("PMK_MB_TOOLCHAIN") and not microblaze_store.record_answer(name, question,
                                                                                     said):
        assert stored == said, f"{name}: the tools say something else; {microblaze_store.ANEW}"
    return said


def run_program(path, *arguments, order="little", **kw):
    have(ORDERS[order].qemu)
    return run(ORDERS[order].qemu, path, *arguments, **kw)
