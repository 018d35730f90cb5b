# SPDX-License-Identifier: MIT
"""Programs that microblaze_tools makes run correctly in both byte orders and on every kind of core,
so other tests can rely on them."""
import glob
import hashlib
import itertools
import os
import struct
import sys

from harness import *
import microblaze_tools as mb

STRICT = ("-Wall", "-Wextra", "-Werror")
CPUS = {
    "small": mb.SMALL,
    "full": mb.FULL,
    "multiplier": (*mb.SMALL, *mb.MULTIPLIER),
    "multiplier_64": (*mb.SMALL, *mb.MULTIPLIER_64),
    "divider": (*mb.SMALL, *mb.DIVIDER),
    "barrel_shifter": (*mb.SMALL, *mb.BARREL_SHIFTER),
    "pattern_compare": (*mb.SMALL, *mb.PATTERN_COMPARE),
    "reorder": ("-mcpu=v9.6", *mb.REORDER),
    "fpu": (*mb.SMALL, *mb.FPU),
    "fpu_extended": (*mb.SMALL, *mb.FPU_EXTENDED),
}
BENCH = {os.path.basename(f)[:-2]: f
         for f in glob.glob(os.path.join(SOURCE, "bench", "programs", "*.c"))}


def mnemonics(path):
    return set(re.findall(r"^ *[0-9a-f]+:\t[0-9a-f]{8} \t(\S+)", mb.disassembly(path), re.M))


def native(source, *arguments):
    have("gcc")
    path = os.path.join(WORK, f"mb-{os.path.basename(source)[:-2]}-native")
    equal(run("gcc", "-std=gnu11", "-O2", "-o", path, source).code, 0, source)
    return run(path, *arguments).out


def test_without_a_toolchain_the_reason_is_told():
    """A stored program needs no toolchain. A program that is not stored fails with the reason. If
    PMK_MB_TOOLCHAIN is a folder without a compiler, the message says so."""
    work = os.path.join(WORK, "mb-without")
    os.makedirs(work, exist_ok=True)
    code = ("import microblaze_tools as mb\n"
            "try:\n"
            "    print(mb.program('hello', 'hello.c', flags={flags}))\n"
            "except BaseException as e:\n"
            "    print(type(e).__name__, e)\n")
    environment = dict(os.environ, PMK_CACHE=os.path.join(WORK, "nowhere"), PMK_TEST_WORK=work,
                       PYTHONPATH=os.path.join(SOURCE, "tests"))
    for name in ("PMK_MB_TOOLCHAIN", "PMK_MB_RECORD"):
        environment.pop(name, None)

    def asked(flags, **more):
        out = run(sys.executable, "-B", "-c", code.format(flags=flags),
                  env=dict(environment, **more))
        equal((out.code, out.err), (0, ""))
        return out.out

    path = asked(STRICT).strip()
    equal(os.path.dirname(path), work)
    equal(mb.run_program(path).code, 0)
    contains(asked(("-DNEVER",)),
             "AssertionError hello is not stored as its sources are now; `make "
             "microblaze-programs`")
    contains(asked(STRICT, PMK_MB_TOOLCHAIN="nowhere"),
             "Skipped PMK_MB_TOOLCHAIN has no bin/microblazeel-elf-gcc")


def test_the_script_knows_what_is_there():
    script = os.path.join(SOURCE, "scripts", "microblaze-toolchain")
    cache = os.path.join(WORK, "mb-cache")
    environment = dict(os.environ, PMK_CACHE=cache)
    path = run(script, "--path", env=environment).out.strip()
    equal(os.path.dirname(path), cache)
    os.makedirs(os.path.join(path, "bin"), exist_ok=True)
    with open(os.path.join(path, "bin", "microblazeel-elf-gcc"), "w") as f:
        os.fchmod(f.fileno(), 0o755)
    out = run(script, env=environment)
    equal((out.code, out.out, out.err), (0, f"already there: {path}\n", ""))
    out = run(script, "--nonsense", env=environment)
    equal((out.code, out.out), (2, ""))
    contains(out.err, "--path")


def test_hello_in_both_orders():
    for order, magic in (("little", b"\x7fELF\1\1"), ("big", b"\x7fELF\1\2")):
        path = mb.program("hello", "hello.c", order=order, flags=STRICT)
        with open(path, "rb") as f:
            head = f.read(20)
        equal(head[:6], magic)
        equal(struct.unpack("<>"[order == "big"] + "H", head[18:])[0], 189, "EM_MICROBLAZE")
        out = mb.run_program(path, "one", "two", order=order)
        equal((out.code, out.out, out.err), (2, f"{order}-endian, 2 arguments: one two\n", ""))
        # The emulator for the other byte order refuses the program.
        other = "big" if order == "little" else "little"
        assert mb.run_program(path, order=other).code != 0


def test_arithmetic_on_every_core():
    source = os.path.join(mb.GUEST, "arith.c")
    right = native(source)
    cpus = list(CPUS.items())
    for i, order in enumerate(mb.ORDERS):
        # Small runs alternate between the byte orders.
        for name, cpu in size(cpus[i::2], cpus):
            path = mb.program("arith", "arith.c", order=order, cpu=cpu, flags=STRICT)
            out = mb.run_program(path, order=order)
            equal((out.code, out.out), (0, right), f"{name}, {order}")


def test_options_decide_which_instructions_there_are():
    # For each option, an instruction that is in the program only if the option is on.
    signs = {"multiplier": "mul", "multiplier_64": "mulhu", "divider": "idiv",
             "barrel_shifter": "bsll",
             "pattern_compare": "clz", "reorder": "swapb", "fpu": "fadd", "fpu_extended": "flt"}
    small = mnemonics(mb.program("arith", "arith.c", cpu=mb.SMALL, flags=STRICT))
    full = mnemonics(mb.program("arith", "arith.c", cpu=mb.FULL, flags=STRICT))
    for name, sign in signs.items():
        assert sign not in small, sign
        assert sign in full, sign
        assert sign in mnemonics(mb.program("arith", "arith.c", cpu=CPUS[name], flags=STRICT)), name


def sha256_checksum(order, rounds):
    """Returns what bench/programs/sha256.c prints in this byte order. The program copies the words
    of its state into its buffer, so the result depends on the byte order."""
    state, total, buffer = hashlib.sha256(b"abc").digest(), 0, bytearray(65536)
    for _ in range(rounds):
        words = struct.unpack(">8I", state)
        for at in range(0, len(buffer), 1024):
            buffer[at:at + 32] = struct.pack("<>"[order == "big"] + "8I", *words)
        state = hashlib.sha256(buffer).digest()
        words = struct.unpack(">8I", state)
        total ^= words[0] ^ words[7]
    return f"sha256 {total:08x}\n"


def test_the_benchmarks_print_what_they_print_natively():
    assert len(BENCH) >= 8, BENCH
    for name, source in size(sorted(BENCH.items())[::3], BENCH.items()):
        right = native(source, "2")
        cpus = (mb.SMALL, mb.FULL)
        for order, cpu in size(zip(mb.ORDERS, cpus), itertools.product(mb.ORDERS, cpus)):
            want = sha256_checksum(order, 2) if name == "sha256" else right
            path = mb.program(name, source, order=order, cpu=cpu, flags=STRICT)
            out = mb.run_program(path, "2", order=order)
            equal((out.code, out.out), (0, want), f"{name}, {order}")


def test_firmware_is_what_its_source_says():
    source = os.path.join(WORK, "mb-firmware.S")
    with open(source, "w") as f:
        f.write("\t.global _start\n_start:\taddik r3, r0, 7\n\tswi r3, r0, 0x104\n\tbri 0\n")
    for order in mb.ORDERS:
        path = mb.firmware("firmware", source, at=0x90000000, order=order)
        code = re.findall(r"^([0-9a-f]+):\t([0-9a-f]{8}) \t(.+)$", mb.disassembly(path), re.M)
        equal([(a, w) for a, w, _ in code],
              [("90000000", "30600007"), ("90000004", "f8600104"), ("90000008", "b8000000")])


def test_a_program_is_made_once():
    path = mb.program("hello", "hello.c", flags=STRICT)
    first = os.stat(path)
    equal(mb.program("hello", "hello.c", flags=STRICT), path)
    equal(os.stat(path).st_mtime_ns, first.st_mtime_ns, "made again")
    assert mb.program("hello", "hello.c", flags=(*STRICT, "-O1")) != path
    assert not glob.glob(os.path.join(WORK, "mb-*.o")), "objects are left"
