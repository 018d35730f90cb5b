#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/: its programs build and compute the same everywhere; bench/run works from end to end."""
import glob
import hashlib
import os
import runpy
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *  # noqa: E402,F403

BENCH = os.path.join(SOURCE, "bench")
RUN = os.path.join(BENCH, "run")
ARM = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-marm", "-march=armv6k",
       "-mfloat-abi=soft"]
# With work factor 2. sha256 is computed below; a change of a program changes its number here.
CHECKSUMS = {
    "mixed": "00016257", "sort": "d7c52ed9", "walk": "06b58476", "matmul": "efdb3744",
    "compress": "e19d8b20", "interp": "177d31f4", "text": "7f9eb23a",
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


@test
def every_program_has_work_factors():
    files = {os.path.basename(f)[:-2] for f in glob.glob(os.path.join(BENCH, "programs", "*.c"))}
    programs = runpy.run_path(RUN, run_name="bench")["PROGRAMS"]
    equal(set(programs), files)
    assert len(files) >= 6, files
    for name, (full, quick) in programs.items():
        assert full > quick > 0, name


@test
def checksums_are_the_same_natively_and_under_qemu():
    have("qemu-arm")
    want = dict(CHECKSUMS, sha256=sha256_checksum(2))
    for source in sorted(glob.glob(os.path.join(BENCH, "programs", "*.c"))):
        name = os.path.basename(source)[:-2]
        native = run(build_native(source, name), "2")
        program = compile_arm(source, f"bench-{name}-arm", *ARM)
        arm = run("qemu-arm", "-cpu", "arm1176", program, "2")
        equal((native.code, native.out), (0, f"{name} {want[name]}\n"), f"{name}, native")
        equal((arm.code, arm.out), (0, f"{name} {want[name]}\n"), f"{name}, ARM")


@test
def the_work_factor_sets_the_work():
    source = os.path.join(BENCH, "programs", "sort.c")
    one, two = (run(build_native(source, "sort"), n).out for n in "12")
    assert one != two, one


@test
def bench_run_measures_and_judges():
    have("qemu-arm", CROSS + "gcc", "gcc")
    if not os.path.exists(PMK):
        skip("build/pmk does not exist")
    out = run(RUN, BUILD, "--quick", "--programs", "sort,walk", "--without-cachegrind", timeout=300)
    # 1 is a missed target: other tests run at the same time, so time is not judged here
    assert out.code in (0, 1), out
    for line in ("slowdown geomean ", "peak memory at most ", "start-up "):
        judged = [l for l in out.out.splitlines() if l.startswith(line)]
        equal(len(judged), 1, line)
        assert re.search(r"\(target <= .*\): (met|MISSED)$", judged[0]), judged
    equal("MISSED" in out.out, out.code == 1, "verdicts and exit code")
    rows = {l.split()[0]: l.split() for l in out.out.split("Character")[1].splitlines() if l}
    # walk is the one that misses: its share of data cache misses is column 5
    assert float(rows["walk"][5]) > 50 > 20 > float(rows["sort"][5]), out.out


@test
def bench_run_refuses_what_it_cannot_measure():
    equal(run(RUN, BUILD, "--programs", "nosuch").code, 2, "unknown program")
    equal(run(RUN, BUILD, "--rounds", "0").code, 2, "no rounds")
    out = run(RUN, os.path.join(WORK, "bench-empty"), "--quick", "--without-cachegrind")
    equal(out.code, 2, "no pmk")
    contains(out.err, "not found")


@test
def bench_run_notices_a_failing_program():
    have("qemu-arm", CROSS + "gcc", "gcc")
    build = os.path.join(WORK, "bench-broken")
    os.makedirs(build, exist_ok=True)
    fake = os.path.join(build, "pmk")
    with open(fake, "w") as f:
        f.write("#!/bin/sh\necho cannot >&2\nexit 125\n")
    os.chmod(fake, 0o755)
    out = run(RUN, build, "--quick", "--programs", "sort", "--without-cachegrind")
    equal(out.code, 2)
    contains(out.err, "exit 125")


main()
