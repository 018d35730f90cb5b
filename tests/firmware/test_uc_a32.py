#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The firmware library as machine code of an ARMv7 core, in front of the AArch32 view of a PMUv3."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "uc"))
import driver  # noqa: E402

driver.add_tests("a32")
driver.main()
