# SPDX-License-Identifier: MIT
"""bench/gate finds slow-downs and raises no false alarm in the first ten of its 200 cases, which
contain each kind of slow-down."""
import os
import sys

from harness import *

pytestmark = pytest.mark.ci


def test_slow_downs_are_found():
    have("qemu-arm", "arm-linux-gnueabi-gcc")
    out = run(sys.executable, os.path.join(SOURCE, "bench", "gate"), BUILD, "--cases", "5")
    equal(out.code, 0, str(out))
    contains(out.out, "The gate raises 0 alarms in 5 edits of the layout")
    contains(out.out, "The gate finds 5 of 5 slow-downs of 1 %")
