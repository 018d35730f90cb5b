# SPDX-License-Identifier: MIT
"""bench/truth works from end to end: kernels are compared with published numbers, random blocks
with llvm-mca. The accuracy is not judged here."""
import os
import re
import sys

from harness import *

TRUTH = os.path.join(SOURCE, "bench", "truth")


def test_it_measures_and_judges():
    have("aarch64-linux-gnu-gcc", "qemu-aarch64", "llvm-mca")
    plot = os.path.join(WORK, "bench-truth.svg")
    out = run(sys.executable, TRUTH, BUILD, "--core", "cortex-a53,raspberrypi3",
              "--blocks", "3", "--plot", plot)
    assert out.code in (0, 1), out
    rows = re.findall(r"^[\w-]+: (.+?)  +(-?[\d.]+) +([\d.]+) +([+-]\d+)% +±(\d+)%( +BEYOND)?",
                      out.out, re.M)
    # A chain of additions takes a cycle each on any core that forwards its results, and reading a
    # block of four megabytes waits for memory.
    ours = {kernel: float(value) for kernel, value, *_ in rows}
    assert 1 <= ours["chains add-chain"] < 1.1, rows
    assert ours["chase random 4194304 1 - chase random 2048 1"] > 50, rows
    for kernel, value, published, error, tolerance, beyond in rows:
        off = (float(value) - float(published)) / float(published) * 100
        assert abs(off - float(error)) < 2, kernel
        if abs(abs(off) - float(tolerance)) > 1:
            equal(bool(beyond), abs(off) > float(tolerance), kernel)
    near = sum(not beyond for *_, beyond in rows)
    contains(out.out, f"{near} of {len(rows)} figures are near enough (target all): "
             + ("met" if near == len(rows) else "MISSED"))
    # The summary by class counts each figure once.
    figures = re.findall(r"^(?:cortex-a53|raspberrypi3): .+?  +(\d+) +[\d.]+% +[+-]\d+%$",
                         out.out, re.M)
    equal(sum(map(int, figures)), len(rows))
    contains(out.out, "raspberrypi3: level 2")
    contains(out.out, "cortex-a53: correlation over 3 blocks")
    with open(plot) as f:
        equal(f.read().count("<circle"), 3)


def test_it_refuses_what_it_cannot_measure():
    out = run(sys.executable, TRUTH, os.path.join(WORK, "bench-empty"))
    equal(out.code, 2)
    contains(out.err, "not found")
    out = run(sys.executable, TRUTH, BUILD, "--core", "z80")
    equal(out.code, 2)
    contains(out.err, "nothing is published of z80")
