# SPDX-License-Identifier: MIT
"""bench/instructions counts the loops of all forms in one run, and compares them."""
import os
import re
import sys

from harness import *

INSTRUCTIONS = os.path.join(SOURCE, "bench", "instructions")


def test_the_forms_of_a_board_are_near():
    have("aarch64-linux-gnu-gcc", "qemu-aarch64")
    out = run(sys.executable, INSTRUCTIONS, BUILD, "--core", "cortex-a53", "--every", "20")
    found = {which: (int(near), int(of)) for which, near, of in
             re.findall(r"cortex-a53: (\w+) of (\d+) of (\d+) forms within 10 %", out.out)}
    for which in ("latency", "throughput"):
        near, of = found[which]
        assert of > 30 and near >= 0.9 * of, out
    contains(out.out, "figures are not compared: alignment is not modelled")


def test_it_refuses_what_it_does_not_know():
    out = run(sys.executable, INSTRUCTIONS, BUILD, "--core", "z80")
    equal(out.code, 2)
    contains(out.err, "instructions.tsv has no figures of z80")
