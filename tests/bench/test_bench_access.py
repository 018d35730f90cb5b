# SPDX-License-Identifier: MIT
"""bench/access works from end to end. Its measurements are not judged here, because other tests run
at the same time."""
import os
import re
import sys

from harness import *

ACCESS = os.path.join(SOURCE, "bench", "access")


def test_it_measures_and_judges():
    have("qemu-system-arm", "arm-none-eabi-gcc")
    out = run(sys.executable, ACCESS, BUILD, "--rounds", "1")
    assert out.code in (0, 1), out
    judged = re.findall(r"^An access costs \d+ ns \(target < 1000 ns\): (met|MISSED)$", out.out,
                        re.M)
    equal(judged, ["MISSED" if out.code else "met"])


def test_it_refuses_what_it_cannot_measure():
    equal(run(sys.executable, ACCESS, BUILD, "--rounds", "0").code, 2)
    out = run(sys.executable, ACCESS, os.path.join(WORK, "bench-empty"))
    equal(out.code, 2)
    contains(out.err, "not found")
