# SPDX-License-Identifier: MIT
"""bench/page works from end to end. Its measurements are not judged here, because other tests run
at the same time."""
import os
import re
import sys

from harness import *

pytestmark = pytest.mark.once

PAGE = os.path.join(SOURCE, "bench", "page")


def test_it_measures_and_judges():
    out = run(sys.executable, PAGE, BUILD, "--program", "bash", "--rounds", "1",
              env=dict(os.environ, PMK_BENCH_LOOPS="5"))
    if out.code == 2 and ("Debian's bash" in out.err or "not found" in out.err):
        skip(out.err.strip())
    assert out.code in (0, 1), out
    judged = re.findall(r"^The page of bash opens in [\d.]+ s \(target < 2 s\): (met|MISSED)$",
                        out.out, re.M)
    equal(judged, ["MISSED" if out.code else "met"])
    contains(out.out, "page written")


def test_it_refuses_what_it_cannot_measure():
    equal(run(sys.executable, PAGE, BUILD, "--rounds", "0").code, 2)
    out = run(sys.executable, PAGE, os.path.join(WORK, "bench-empty"))
    equal(out.code, 2)
    contains(out.err, "not found")
