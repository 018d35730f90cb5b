# SPDX-License-Identifier: MIT
"""bench/same compares the counts of two builds."""
import os

from harness import *

SAME = os.path.join(SOURCE, "bench", "same")
LITTLE = ("--cores", "arm1176", "--programs", "petri", "--subsets", "1")


def other_build(*settings):
    """Returns a folder with a pmk that is the same, except for some settings of the core."""
    folder = os.path.join(WORK, "bench-same-other")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "pmk"), "w") as f:
        f.write(f'#!/bin/sh\nshift\nexec {PMK} stat {" ".join(settings)} "$@"\n')
    os.chmod(f.name, 0o755)
    return folder


def test_equal_counts():
    have("arm-linux-gnueabi-gcc", "gcc")
    out = run(SAME, BUILD, other_build(), *LITTLE)
    equal(out.code, 0, out)
    equal(out.out, "1 pair of a core and a program, 2 comparisons: none with different counts\n")


def test_another_cache_counts_otherwise():
    have("arm-linux-gnueabi-gcc", "gcc")
    out = run(SAME, BUILD, other_build("--set", "icache.size=1024"), *LITTLE)
    equal(out.code, 1, out)
    contains(out.out, "arm1176 petri -e all: icache_miss: ")


def test_unknown_cores_are_refused():
    out = run(SAME, BUILD, BUILD, "--cores", "z80")
    equal(out.code, 2, out)
    contains(out.err, "no such core: z80; `pmk list cores` shows them")
