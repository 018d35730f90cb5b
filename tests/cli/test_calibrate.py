# SPDX-License-Identifier: MIT
"""pmk calibrate finds the configured parameters. Models of cores take the place of boards."""
import functools
import json
import os
import re

import pytest

from harness import *

pytestmark = [pytest.mark.once, lab]

KERNELS = os.path.join(SOURCE, "data", "calibrate", "kernels.c")

# Configurations, chosen by hand, whose parameters pmk calibrate claims to find. None of them has a
# prefetcher.
BOARDS = [
    ("arm", "arm1176", dict(dcache_size="8K", dcache_ways=2, utlb_entries=13, utlb_penalty=5,
                            tlb_entries=128, tlb_ways=4, tlb_penalty=71, l2_type="plain",
                            l2_size="256K", l2_latency=23, mem_latency=99,
                            icache_size="8K", icache_ways=2, bp_entries=64, rs_entries=5,
                            branch_static_taken=6)),
    ("arm", "arm1176", dict(dcache_size="32K", dcache_ways=4, utlb_entries=10, utlb_penalty=11,
                            tlb_entries=64, tlb_ways=2, tlb_penalty=40, l2_type="none",
                            mem_latency=137, icache_size="32K", icache_ways=4, bp_entries=256,
                            rs_entries=2, branch_static_taken=3)),
    ("arm", "arm1136", dict(dcache_size="16K", dcache_ways=8, utlb_entries=16, utlb_penalty=3,
                            tlb_entries=64, tlb_ways=1, tlb_penalty=101, l2_type="plain",
                            l2_size="512K", l2_latency=31, mem_latency=61,
                            icache_size="16K", icache_ways=8, bp_entries=512, rs_entries=4,
                            branch_static_taken=5)),
    ("a64", "armv8", dict(dcache_size="32K", dcache_ways=4, utlb_entries=12, utlb_penalty=4,
                          tlb_entries=256, tlb_ways=4, tlb_penalty=27, l2_enable="on",
                          l2_size="1024K", l2_latency=19, mem_latency=211,
                          icache_size="16K", icache_ways=4, rs_entries=6, branch_max=13,
                          bp_history=6, bp_entries=512)),
    ("a64", "armv8", dict(dcache_size="64K", dcache_ways=2, utlb_entries=24, utlb_penalty=7,
                          tlb_entries=512, tlb_ways=2, tlb_penalty=33, l2_enable="off",
                          mem_latency=83, icache_size="64K", icache_ways=2, rs_entries=12,
                          branch_max=7, bp_history=10, bp_entries=3072)),
]
COMPILERS = {"arm": "arm-linux-gnueabi-gcc", "a64": "aarch64-linux-gnu-gcc"}


@functools.lru_cache(None)
def kernels(isa):
    have(COMPILERS[isa])
    target = os.path.join(WORK, f"calibrate-{isa}")
    out = run(COMPILERS[isa], "-O2", "-Wall", "-Wextra", "-static", KERNELS, "-o", target)
    equal((out.code, out.err), (0, ""))
    return target


def key(name):
    return name.replace("_", ".", 1)


def found_by(ini):
    """Returns {key: value} of the lines that are marked as measured."""
    found, section = {}, ""
    with open(ini) as f:
        for line in f:
            if line.startswith("["):
                section = line.strip()[1:-1]
            elif line.rstrip().endswith("; measured"):
                name, value = re.match(r"(\w+) = (\w+)", line).groups()
                found[f"{section}.{name}"] = value
    return found


# The configuration that quick runs use; it has a level 2 cache.
SOME = [BOARDS[3]]


@pytest.mark.parametrize("isa,core,hidden", size(SOME, BOARDS))
def test_it_finds_what_was_put_in(isa, core, hidden):
    ini = os.path.join(WORK, f"calibrate-{core}-{hidden['mem_latency']}.ini")
    settings = ",".join(f"{key(k)}={v}" for k, v in hidden.items())
    out = pmk("calibrate", "--core", core, "--set", settings, "--name", "mine", "-o", ini,
              kernels(isa))
    equal(out.code, 0, out.err)
    want = {key(k): str(v) for k, v in hidden.items()}
    equal(found_by(ini), want)
    # The found parameters explain all measured times.
    contains(out.out, "the largest residual is")
    worst = float(re.search(r"largest residual is ([+-][\d.]+) cycles", out.out)[1])
    assert abs(worst) < 0.05, out.out
    # The written file is a usable core, which counts as many cycles as the core that was
    # calibrated.
    ring = (kernels(isa), "ring", "64", "0", "4", "1600")
    doc = stat("--core", ini, "-e", "cpu_cycles", *ring)
    equal(doc["core"], "mine")
    equal(counts(doc), counts(stat("--core", core, "--set", settings, "-e", "cpu_cycles", *ring)))


@nightly
def test_loads_alone():
    """If kernels.c has no code for the processor, pmk calibrate still measures data loads, and
    names the parameters that it could not measure."""
    isa, core, _ = BOARDS[0]
    other = os.path.join(WORK, "calibrate-loads")
    out = run(COMPILERS[isa], "-O2", "-static", "-U__arm__", KERNELS, "-o", other)
    equal((out.code, out.err), (0, ""))
    ini = os.path.join(WORK, "calibrate-loads.ini")
    equal(pmk("calibrate", "--core", core, "-o", ini, other).code, 0)
    found = found_by(ini)
    assert "dcache.size" in found, found
    assert not [k for k in found if k.startswith(("icache", "bp", "rs", "branch"))], found
    with open(ini) as f:
        contains(f.read(), "# icache.ways is that of arm1176: kernels.c cannot write code on "
        	"this system")


def test_what_cannot_be_done_is_said():
    isa, core, _ = BOARDS[0]
    for args, code, text in [
        ((kernels(isa),), 129, "--base"),
        (("--core", core, kernels(isa), "more"), 129, "more"),
        (("--core", core, "--name", "a]b", kernels(isa)), 129, "--name"),
        (("--core", core, "--base", "cortex-a53", kernels(isa)), 129, "cortex-a53"),
        (("--core", core, "-e", "instr_exec", kernels(isa)), 125, "check that -e counts cycles"),
        (("--core", "z80", kernels(isa)), 129, "z80"),
        (("--core", core, "/bin/no-such-program"), 127, "no-such-program"),
        (("--core", core, "--set", "dcache.size=3", kernels(isa)), 129, "dcache.size"),
        (("--core", core, "-e", "no_such_event", kernels(isa)), 129, "no_such_event"),
        (("--core", core, "-o", "/no/such/folder/x.ini", kernels(isa)), 125, "/no/such/folder"),
    ]:
        out = pmk("calibrate", *args)
        equal(out.code, code, out.err)
        equal(len(out.err.splitlines()), 1, out.err)
        contains(out.err, text)
    contains(pmk("calibrate").err, "calibrate/kernels.c")


def test_a_program_that_is_another_one():
    have("arm-linux-gnueabi-gcc")
    other = os.path.join(WORK, "calibrate-other")
    run("arm-linux-gnueabi-gcc", "-static", "-x", "c", "-", "-o", other,
        stdin="int main(void) { return 3; }")
    out = pmk("calibrate", "--core", "arm1176", other)
    equal(out.code, 125)
    contains(out.err, "ends with exit code 3; it must be built from calibrate/kernels.c")
    run("arm-linux-gnueabi-gcc", "-static", "-x", "c", "-", "-o", other,
        stdin="int main(void) { return 0; }")
    ini = os.path.join(WORK, "calibrate-other.ini")
    out = pmk("calibrate", "--core", "arm1176", "-o", ini, other)
    equal((out.code, os.path.exists(ini)), (125, False))
    contains(out.err, "no data cache was found")
