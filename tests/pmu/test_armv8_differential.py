# SPDX-License-Identifier: MIT
"""Compares the model of PMUv3 with QEMU's. Random programs of register accesses, instructions and
changes of level, on three cores and four boards, must leave equal words in both logs.
differential/deviations.c lists QEMU's deviations, and a test here demonstrates each of them.
PMK_SEED=N makes other programs, and PMK_PROGRAMS=N or PMK_TEST_SIZE=large makes more. Each
difference is printed with the operations that lead to it."""
import collections
import os
import random
import re
import subprocess

from harness import *

pytestmark = pytest.mark.once

HOST = os.path.join(BUILD, "tests", "armv8_differential")
FOLDER = os.path.join(WORK, "armv8-differential")
QEMU = "qemu-system-aarch64"
COMPILER = "aarch64-linux-gnu-gcc"
SEED = os.environ.get("PMK_SEED", "1")
PROGRAMS = os.environ.get("PMK_PROGRAMS", size("50", "1000"))
CORES = ("cortex-a53", "neoverse-n1", "max")
BOARDS = ("el1", "el2", "el3", "el2-el3")
# The rules that exclude bits from the comparison. The other rules restrict what programs do.
MASKS = {"lp-is-kept", "type-bits-are-kept", "flags-are-late", "line-is-late", "line-without-hpme",
         "divider-phase", "hpmn-sets"}
CODE = "0x40400000"  # where guest.S expects the programs

_logs = {}
_total = collections.Counter()


def host(*argv, code=0):
    out = run(HOST, *argv)
    assert out.code == code, f"{' '.join(map(str, argv))}: {out}"
    return out.out


def one_instruction_per_block():
    """Returns the options for one instruction per block. With longer blocks, QEMU would also count
    the rest of a block in which an access takes an exception."""
    version = re.search(r"version (\d+)\.(\d+)", run(QEMU, "--version").out)
    new = tuple(map(int, version.groups())) >= (8, 1)
    return ["-accel", "tcg,one-insn-per-tb=on"] if new else ["-singlestep"]


def guest():
    """Returns the ELF file in which the programs run."""
    have(QEMU, COMPILER)
    path = os.path.join(WORK, "armv8-differential.elf")
    source = os.path.join(SOURCE, "tests", "pmu", "differential", "guest.S")
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
        out = run(COMPILER, "-nostdlib", "-static", "-Wl,--build-id=none",
                  "-Wl,-Ttext=0x40080000", "-Wl,-e,_start", source, "-o", path)
        assert out.code == 0, f"cannot build the guest: {out}"
    return path


def patiently(folder, *argv):
    """Runs QEMU, and starts it again if it hangs. With -icount, QEMU 7.2 hangs before its first
    instruction once in many hundred starts."""
    for _ in range(2):
        try:
            return run(*argv, cwd=folder, timeout=60 + int(PROGRAMS) // 10)
        except subprocess.TimeoutExpired:
            pass
    return run(*argv, cwd=folder)


def on_qemu(core, board, name, *write):
    """Runs the programs that `write` makes on QEMU; returns the path of its log."""
    elf = guest()
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    code, log = os.path.join(folder, "code"), os.path.join(folder, "log")
    if os.path.exists(log):
        os.unlink(log)
    shift, machine = host("options", core, board).split()
    host(*write, code)
    out = patiently(folder, QEMU, "-machine", machine, "-cpu", core,
                    "-icount", f"shift={shift},sleep=off", *one_instruction_per_block(),
                    "-display", "none", "-serial", "none", "-monitor", "none", "-nodefaults",
                    "-net", "none", "-semihosting-config", "enable=on,target=native",
                    "-kernel", elf, "-device", f"loader,file={code},addr={CODE},force-raw=on")
    assert out.code == 0, f"QEMU: {out}"
    assert os.path.exists(log), f"QEMU wrote no log: {out}"
    return log


def log_of(core, board):
    if (core, board) not in _logs:
        _logs[core, board] = on_qemu(core, board, f"{core}-{board}", "write", core, board, SEED,
                                     PROGRAMS)
    return _logs[core, board]


def check(core, board, log, *fault):
    """Returns the exit code, the output, and the numbers in the output of a check."""
    out = run(HOST, "check", core, board, SEED, PROGRAMS, log, *fault)
    numbers = {f"{kind} {name}": int(n)
               for kind, name, n in re.findall(r"^(masked|seen) (\S+) (\d+)$", out.out, re.M)}
    m = re.search(r"^programs (\d+) values (\d+) differences (\d+)$", out.out, re.M)
    assert m, out
    numbers.update(zip(("programs", "values", "differences"), map(int, m.groups())))
    return out, numbers


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("core", CORES)
def test_random(core, board):
    out, numbers = check(core, board, log_of(core, board))
    assert out.code == 0, out.out
    equal(numbers["programs"], int(PROGRAMS))
    equal(numbers["differences"], 0)
    _total.update(numbers)


def test_programs_get_somewhere():
    """The random programs compared enough useful values: at least half as many as with seed 1."""
    if not _total:
        skip("no random programs were run")
    for what, least in (("programs", 2000), ("values", 60000), ("seen undefined", 3000),
                        ("seen trap-to-el1", 2000), ("seen trap-to-el2", 400),
                        ("seen trap-to-el3", 250), ("seen count", 6000), ("seen overflow", 800),
                        ("seen interrupt", 250), ("seen no-interrupt", 600)):
        least = least * int(PROGRAMS) // 300
        assert _total[what] >= least, f"{what}: {_total[what]}, should be {least}"


def test_every_mask_is_used_and_small():
    if _total["programs"] < 3600:
        skip("`make nightly` runs enough programs for this")
    used = {name.split()[1] for name in _total if name.startswith("masked")}
    equal(used, MASKS)
    lines = sum(_total["masked " + m] for m in ("line-is-late", "line-without-hpme"))
    assert lines < _total["seen interrupt"] + _total["seen no-interrupt"], _total
    assert _total["masked divider-phase"] + _total["masked flags-are-late"] < _total["values"] / 100


def deviations():
    return [line.split() for line in host("deviations").splitlines()]


@cases("name, core, board", deviations())
def test_qemu_still_has(name, core, board):
    log = on_qemu(core, board, "deviation", "write-deviation", name)
    out = run(HOST, "check-deviation", name, log)
    assert out.code == 0, out.out


def test_faults_are_noticed():
    """The comparison detects each fault of a model."""
    log = log_of("max", "el2-el3")
    for fault in host("faults").split():
        out, numbers = check("max", "el2-el3", log, fault)
        equal(out.code, 1, fault)
        assert numbers["differences"] > 0, fault


def test_changed_logs_are_noticed():
    """The comparison detects a log with one changed bit, except in the few words in which it
    ignores this bit."""
    with open(log_of("cortex-a53", "el1"), "rb") as f:
        log = f.read()
    changed = os.path.join(FOLDER, "changed")
    chance, tries, noticed = random.Random(1), 60, 0
    for _ in range(tries):
        at = chance.randrange(len(log) // 8) * 8
        with open(changed, "wb") as f:
            f.write(log[:at] + bytes([log[at] ^ 1]) + log[at + 1:])
        out, numbers = check("cortex-a53", "el1", changed)
        equal(out.code, int(numbers["differences"] > 0))
        noticed += numbers["differences"] == 1
    assert noticed >= tries - 4, f"{noticed} of {tries}"
    for name, other in (("cut", log[:-8]), ("long", log + b"\0" * 8)):
        with open(changed, "wb") as f:
            f.write(other)
        equal(check("cortex-a53", "el1", changed)[0].code, 1, name)


def test_the_same_seed_makes_the_same_programs():
    os.makedirs(FOLDER, exist_ok=True)
    texts = []
    for i, seed in enumerate(("7", "7", "8")):
        path = os.path.join(FOLDER, f"seed-{i}")
        host("write", "max", "el2-el3", seed, "20", path)
        with open(path, "rb") as f:
            texts.append(f.read())
    equal(texts[0], texts[1])
    assert texts[0] != texts[2]


def test_wrong_calls_say_so():
    for argv in ((), ("nothing",), ("options", "z80", "el1"),
                 ("write", "max", "el9", "1", "1", "x"), ("write", "max", "el1", "1", "0", "x"),
                 ("check", "max", "el1", "1", "1", "/nowhere"),
                 ("check", "max", "el1", "1", "1", "/nowhere", "no-fault"),
                 ("write-deviation", "none", "x"), ("other", "max", "el1", "1", "1", "x")):
        host(*argv, code=2)
