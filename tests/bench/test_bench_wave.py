# SPDX-License-Identifier: MIT
"""bench/wave works from end to end. Its measurements are not judged here, because other tests run
at the same time."""
import os
import re

from harness import *

WAVE = os.path.join(SOURCE, "bench", "wave")


def test_it_measures_and_judges():
    have("gcc", "vcd2fst")
    out = run(WAVE, BUILD, "--mb", "30", "--rounds", "1", "--against", PMK)
    assert out.code in (0, 1), out
    rows = [l.split("  ")[0] for l in out.out.splitlines()
            if l.startswith(("pmk", "vcd2fst", "of an", "the other"))]
    equal(rows, ["pmk wave check", "of an FST", "vcd2fst", "the other pmk", "pmk stat",
                 "of an FST", "the other pmk"])
    for line in ("VCD is read at ", "VCD of six layers is counted at ", "time over vcd2fst's: ",
                 "FST of one layer takes ", "FST of six layers takes ", "peak memory "):
        judged = [l for l in out.out.splitlines() if l.startswith(line)]
        equal(len(judged), 1, line)
        assert re.search(r"\(target .*\): (met|MISSED)$", judged[0]), judged
    equal("MISSED" in out.out, out.code == 1, "verdicts and exit code")


def test_a_big_dump_is_piped():
    have("gcc", "vcd2fst")
    out = run(WAVE, BUILD, "--big", "0.06")
    assert out.code in (0, 1), out
    assert re.search(r"^0\.1 GB through a pipe: .*; \d{6} clock cycles$", out.out, re.M), out.out
    contains(out.out, "peak memory ")


def test_it_refuses_what_it_cannot_measure():
    equal(run(WAVE, BUILD, "--mb", "0").code, 2)
    equal(run(WAVE, BUILD, "--big", "-1").code, 2)
    out = run(WAVE, os.path.join(WORK, "bench-empty"), "--mb", "1")
    equal(out.code, 2)
    contains(out.err, "not found")
