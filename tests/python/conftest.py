# SPDX-License-Identifier: MIT
"""The tests use the Python package of the source tree, with the library of the build tree."""
import os

import harness

os.environ["PMK_LIBRARY"] = os.path.join(harness.BUILD, "libpmk.so.0")
