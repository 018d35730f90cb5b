# SPDX-License-Identifier: MIT
"""The programs of bench/ build and compute the same everywhere. bench/run and bench/firmware work
from end to end."""
import glob
import hashlib
import itertools
import os
import runpy
import sys
import struct

from harness import *

pytestmark = [pytest.mark.once, pytest.mark.ci]

BENCH = os.path.join(SOURCE, "bench")
RUN = os.path.join(BENCH, "run")
FIRMWARE = os.path.join(BENCH, "firmware")
# The benchmarks do a tenth of the work of --quick. Times are not judged here, because other tests
# run at the same time.
LITTLE = dict(os.environ, PMK_BENCH_QUICK="70")
# The checksums that the programs print with work factor 2. That of sha256 is computed below. If a
# program is changed, its number here must be changed, too.
CHECKSUMS = {
    "mixed": "00016257", "sort": "d7c52ed9", "walk": "06b58476", "matmul": "efdb3744",
    "compress": "e19d8b20", "interp": "177d31f4", "text": "7f9eb23a", "states": "66bf97e3",
    "columns": "1c795181", "bwt": "d91d05fb",
    "petri": "c27baeb5", "merge": "fc3a283c",
    "containers": "71e61363",
}


def build_native(source, name):
    have("gcc")
    path = os.path.join(WORK, f"bench-{name}-native")
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
        out = run("gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path, source)
        equal(out.code, 0, out)
    return path


def sha256_checksum(rounds):
    state, total, buffer = hashlib.sha256(b"abc").digest(), 0, bytearray(65536)
    for _ in range(rounds):
        # the program stores its state as little-endian words
        words = struct.pack("<8I", *struct.unpack(">8I", state))
        for at in range(0, len(buffer), 1024):
            buffer[at:at + 32] = words
        state = hashlib.sha256(buffer).digest()
        words = struct.unpack(">8I", state)
        total ^= words[0] ^ words[7]
    return f"{total:08x}"


sys.path.append(BENCH)
BENCHMARK = runpy.run_path(os.path.join(BENCH, "emulated.py"), run_name="bench")


def sources():
    """Returns {name: path} of the programs."""
    return {os.path.basename(f)[:-2]: f
            for f in sorted(glob.glob(os.path.join(BENCH, "programs", "*.c")))}


def build_for(isa, name, source):
    path = os.path.join(WORK, f"bench-{name}-{isa.name}")
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
        # For MicroBlaze, compile() uses the programs that are stored for bench/run.
        isa.compile(source, path, *(["-Werror"] if isa.compiler else []))
    return path


def usable():
    """Returns the instruction sets whose compiler is installed. Skips the test if a common compiler
    is missing."""
    there = []
    for isa in BENCHMARK["ISAS"].values():
        if not isa.lacks():
            there.append(isa)
        elif isa.name not in BENCHMARK["OPTIONAL"]:
            skip(isa.lacks())
    return there


def test_every_program_has_work_factors():
    equal(set(BENCHMARK["PROGRAMS"]), set(sources()))
    assert len(sources()) >= 6, sources()
    for name, factors in BENCHMARK["PROGRAMS"].items():
        equal(len(factors), len(BENCHMARK["ISAS"]), name)
        for isa in BENCHMARK["ISAS"].values():
            assert factors[isa.work] // BENCHMARK["QUICK"] > 0 or not isa.runs(name) or \
                isa.name in BENCHMARK["ASKED_FOR"], name
            assert isa.runs(name) or isa.name in BENCHMARK["OPTIONAL"], name


def test_instruction_sets_are_what_the_claims_are_about():
    isas = BENCHMARK["ISAS"].values()
    equal([(i.name, i.core, i.most_slowdown, i.work) for i in isas],
          [("arm", "arm1176", 4.0, 0), ("a64", "cortex-a53", 4.5, 1),
           ("microblaze", "microblaze", 4.5, 2),
           ("arm926", "arm926", 40.0, 3)])


def test_checksums_are_the_same_natively_and_under_qemu():
    """Natively and under QEMU, each program prints the same checksum. Small runs take one
    instruction set for each program, in turn."""
    isas = usable()
    want = dict(CHECKSUMS, sha256=sha256_checksum(2))
    turn = itertools.count()

    def some(runs):
        runs = list(runs)
        return size([runs[next(turn) % len(runs)]], runs)

    for name, source in sources().items():
        right = (0, f"{name} {want[name]}\n")
        native = run(build_native(source, name), "2")
        equal((native.code, native.out), right, f"{name}, native")
        for isa in some(i for i in isas if i.runs(name)):
            out = run(*isa.emulator, build_for(isa, name, source), "2")
            equal((out.code, out.out), right, f"{name}, {isa.name}")


def test_programs_miss_what_they_are_there_to_miss():
    """Programs that were written to miss do miss in caches of 16 KB: code that does not fit, and
    stores to absent lines."""
    arm = BENCHMARK["ISAS"]["arm"]
    have(*(tool for tool in (arm.compiler[0], arm.emulator[0])))

    def counted(name):
        program = build_for(arm, name, sources()[name])
        return counts(stat("-e", "instr_exec,icache_miss,dcache_access,dcache_miss", "--core",
                           arm.core, "--", program, "2"))

    states, columns, petri = counted("states"), counted("columns"), counted("petri")
    assert petri["icache_miss"] > petri["instr_exec"] / 20, petri
    assert states["icache_miss"] > states["instr_exec"] / 20, states
    assert columns["icache_miss"] < columns["instr_exec"] / 1000, columns
    assert columns["dcache_miss"] > columns["dcache_access"] / 2, columns
    assert states["dcache_miss"] < states["dcache_access"] / 50, states


def test_the_work_factor_sets_the_work():
    source = os.path.join(BENCH, "programs", "sort.c")
    one, two = (run(build_native(source, "sort"), n).out for n in "12")
    assert one != two, one


def test_bench_run_measures_and_judges():
    have("gcc")
    isas = usable()
    if not os.path.exists(PMK):
        skip("build/pmk does not exist")
    out = run(RUN, BUILD, "--quick", "--programs", "sort,walk", "--without-cachegrind",
              env=LITTLE)
    # 1 means that a target was missed.
    assert out.code in (0, 1), out
    for isa in isas:
        if isa.name in BENCHMARK["ASKED_FOR"]:
            assert isa.name not in out.out, out.out
            continue
        for line in ("slowdown geomean ", "peak memory ", "start-up "):
            judged = [l for l in out.out.splitlines() if l.startswith(f"{isa.name}: {line}")]
            equal(len(judged), 1, line)
            assert re.search(r"\(target (from )?<= .*\): (met|MISSED)$", judged[0]), judged
        character = out.out.split(f"{isa.name}: character")[1].split("\n\n")[0]
        rows = {l.split()[0]: l.split() for l in character.splitlines() if l}
        # walk misses most. Column 5 is its share of data cache misses.
        assert float(rows["walk"][5]) > 35 > 20 > float(rows["sort"][5]), out.out
        # pmk has every count, except mispredictions on a MicroBlaze, which has no such event.
        equal(rows["sort"].count("-"), 0 if isa.mispredicted else 1, str(rows))
    equal("MISSED" in out.out, out.code == 1, "verdicts and exit code")


@nightly
def test_bench_peers_compares():
    have("gcc", "qemu-arm", CROSS + "gcc", "valgrind")
    plugin = run(os.path.join(SOURCE, "scripts", "qemu"), "--cache-plugin")
    if plugin.code:
        skip(f"QEMU's cache plugin cannot be built: {plugin.err.splitlines()[-1]}")
    out = run(os.path.join(BENCH, "peers"), BUILD, "--quick", "--isa", "arm", "--programs", "sort",
              env=LITTLE)
    equal(out.code, 0, out)
    lines = out.out.splitlines()
    ours = ["on make qemu's"]
    if not os.path.isdir(run(os.path.join(SOURCE, "scripts", "qemu"), "--path").out.strip()):
        equal(lines[:2], ["on make qemu's: not measured: `make qemu` has built none", ""])
        lines, ours = lines[2:], []
    table = [re.split(r"  +", line) for line in lines[1:] if line]
    equal(table[0][1:], ["pmk -e all", *ours, "pmk -e instr_exec", "cache plugin", "cachegrind",
                         "callgrind"])
    equal([row[0] for row in table[1:]], ["sort", "geomean", "worst"])
    # With one program, its row, the geometric mean and the worst case have the same numbers.
    equal([row[1:] for row in table[2:]], [table[1][1:]] * 2)
    assert all(float(cell.rstrip("x")) > 0.5 for cell in table[1][1:]), out.out
    equal(run(os.path.join(BENCH, "peers"), BUILD, "--isa", "arm926").code, 2, "no caches named")


@nightly
def test_bench_sample_compares():
    sample = os.path.join(BENCH, "sample")
    out = run(sample, BUILD, "--quick", "--programs", "mixed", "--truth", "1", env=LITTLE)
    assert out.code in (0, 1), out
    assert re.search(r"^mixed +\d+\.\d +\d+\.\d +\d+\.\d\dx +\d+\.\d\d +\d+\.\d +\d+\.\d$",
                     out.out, re.M), out.out
    assert re.search(r"^arm: true counts within the margin: \d+\.\d % of 22 ", out.out, re.M), \
        out.out
    equal(run(sample, BUILD, "--isa", "z80").code, 2, "unknown instruction set")


@nightly
def test_bench_run_leaves_out_what_it_has_no_compiler_for():
    have("gcc", *(tool for i in BENCHMARK["ISAS"].values() if i.name not in BENCHMARK["OPTIONAL"]
                  for tool in (i.compiler[0], i.emulator[0])))
    none = dict(LITTLE, PMK_MB_TOOLCHAIN=os.path.join(WORK, "nowhere"))
    why = "PMK_MB_TOOLCHAIN has no bin/microblazeel-elf-gcc\n"
    out = run(RUN, BUILD, "--quick", "--programs", "mixed", "--without-cachegrind", env=none)
    assert out.code in (0, 1), out
    contains(out.out, "microblaze: not measured: " + why)
    contains(out.out, "a64: slowdown")
    assert "microblaze: slowdown" not in out.out, out.out
    out = run(RUN, BUILD, "--quick", "--isa", "microblaze", "--without-cachegrind", env=none)
    equal((out.code, out.out), (2, ""))
    contains(out.err, "microblaze: " + why)


@nightly
def test_bench_run_measures_one_instruction_set_alone():
    have("gcc", "qemu-aarch64", "aarch64-linux-gnu-gcc")
    out = run(RUN, BUILD, "--quick", "--isa", "a64", "--programs", "mixed", "--without-cachegrind",
              env=LITTLE)
    assert out.code in (0, 1), out
    contains(out.out, "a64: slowdown")
    assert "arm:" not in out.out, out.out


@nightly
def test_bench_run_counts_instructions_of_the_host():
    have("valgrind", "prlimit", "qemu-aarch64", "aarch64-linux-gnu-gcc")
    out = run(RUN, BUILD, "--isa", "a64", "--core", "cortex-a72", "--programs", "mixed",
              "--host-instructions", "--without-cachegrind", env=LITTLE)
    equal(out.code, 0, out)
    contains(out.out, "a64, core cortex-a72:")
    row = next(l for l in out.out.splitlines() if l.startswith("mixed"))
    guest, plain, counted = map(float, row.split()[1:4])
    assert 0 < guest < plain < counted, row
    assert abs(float(row.split()[4][:-1]) - counted / plain) < 0.1, row


def test_bench_run_measures_another_core_of_one_instruction_set_only():
    out = run(RUN, BUILD, "--core", "cortex-a72")
    equal(out.code, 2, out)
    contains(out.err, "--core needs --isa")


def test_bench_run_refuses_what_it_cannot_measure():
    equal(run(RUN, BUILD, "--programs", "nosuch").code, 2, "unknown program")
    equal(run(RUN, BUILD, "--isa", "z80").code, 2, "unknown instruction set")
    equal(run(RUN, BUILD, "--rounds", "0").code, 2, "no rounds")
    out = run(RUN, os.path.join(WORK, "bench-empty"), "--quick", "--without-cachegrind")
    equal(out.code, 2, "no pmk")
    contains(out.err, "not found")


def test_bench_run_notices_a_failing_program():
    have("qemu-arm", CROSS + "gcc", "gcc")
    build = os.path.join(WORK, "bench-broken")
    os.makedirs(build, exist_ok=True)
    fake = os.path.join(build, "pmk")
    with open(fake, "w") as f:
        f.write("#!/bin/sh\necho cannot >&2\nexit 125\n")
    os.chmod(fake, 0o755)
    out = run(RUN, build, "--quick", "--isa", "arm", "--programs", "sort", "--without-cachegrind")
    equal(out.code, 2)
    contains(out.err, "exit 125")


# ---- bench/firmware -----------------------------------------------------------------------------


def firmware(target, compiler):
    """Returns the rows of the table of bench/firmware: {(what, events): [by hand, -Os, its range,
    ratio, -O2, its range, ratio]}."""
    have("gcc", "pkg-config", compiler)
    if run("pkg-config", "--exists", "unicorn").code:
        skip("Unicorn is not installed (Debian: libunicorn-dev)")
    out = run(FIRMWARE, BUILD, "--target", target)
    equal(out.code, 0, str(out))
    assert re.search(rf"^{target}: fast.h takes at most \d+ instructions an edge \(target <= "
                     rf"12\): met$", out.out, re.M), out.out
    found = re.findall(r"^((?:region|read|isr|fast).*?) +(\d) +(\d+ .*)$", out.out, re.M)
    smaller = re.findall(r"^(?:all of the library|linked program).* (\d\.\d\d)$", out.out, re.M)
    equal(len(smaller), 2, out.out)
    assert all(0.2 < float(r) < 0.9 for r in smaller), smaller
    return {(what, int(n)): cells.split() for what, n, cells in found}


def by_hand(rows):
    return {key: int(cells[0]) for key, cells in rows.items()}


def ratios_hold(rows):
    """Checks the ratios, and that no function of the library takes fewer instructions than the
    hand-written code in bench/target/byhand.S, which is the minimum."""
    for key, (hand, size, _, ratio, speed, _, ratio2) in rows.items():
        equal((ratio, ratio2), tuple(f"{int(x) / int(hand):.1f}x" for x in (size, speed)), str(key))
        assert int(size) >= int(hand) and int(speed) >= int(hand), (key, hand, size, speed)


def test_firmware_costs_of_an_arm1176():
    rows = firmware("armv6", "arm-none-eabi-gcc")
    # Numbers of instructions, counted by eye in bench/target/byhand.S.
    equal(by_hand(rows), {
        ("region, begin and end", 1): 2 + 4, ("region, begin and end", 3): 4 + 8,
        ("read all", 1): 2, ("read all", 3): 4,
        ("isr, one counter wrapped", 3): 2 + 3 * 4, ("isr, nothing wrapped", 3): 2 + 3 * 4,
        ("fast.h, begin", 3): 4, ("fast.h, end", 3): 8,
    })
    ratios_hold(rows)


@nightly
def test_firmware_costs_of_a_cortex_a53():
    rows = firmware("armv8-a", "aarch64-linux-gnu-gcc")
    equal(by_hand(rows), {
        ("region, begin and end", 1): 3 + 5, ("region, begin and end", 3): 6 + 11,
        ("region, begin and end", 7): 12 + 23,
        ("read all", 1): 3, ("read all", 3): 6, ("read all", 7): 12,
        # Two instructions read and clear the flags. Each event counter takes one test, and the
        # counter that wrapped takes three more.
        ("isr, one counter wrapped", 3): 2 + 2 + 3, ("isr, one counter wrapped", 7): 2 + 6 + 3,
        ("isr, nothing wrapped", 3): 2 + 2, ("isr, nothing wrapped", 7): 2 + 6,
        ("fast.h, begin", 3): 6, ("fast.h, end", 3): 11,
    })
    ratios_hold(rows)


def test_firmware_refuses_what_it_cannot_measure():
    equal(run(FIRMWARE, BUILD, "--target", "z80").code, 2, "unknown target")
    have("gcc", "pkg-config", "arm-none-eabi-gcc", "aarch64-linux-gnu-gcc")
    out = run(FIRMWARE, os.path.join(WORK, "bench-empty"))
    equal(out.code, 2, "no library")
    contains(out.err, "libpmk.a")
