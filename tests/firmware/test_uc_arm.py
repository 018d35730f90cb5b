#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The firmware library as machine code of an ARM1176, in front of the models of its PMU."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "uc"))
import driver  # noqa: E402

driver.add_tests("arm")
driver.main()
