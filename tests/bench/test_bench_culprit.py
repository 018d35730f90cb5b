# SPDX-License-Identifier: MIT
"""bench/culprit finds each culprit in the first three of its 20 cases."""
import os
import sys

from harness import *


def test_the_first_line_names_the_culprit():
    have("qemu-arm", "arm-linux-gnueabi-gcc")
    out = run(sys.executable, os.path.join(SOURCE, "bench", "culprit"), BUILD, "--cases", "3")
    equal(out.code, 0, str(out))
    contains(out.out, "The first line names the culprit in 3 of 3 cases")
