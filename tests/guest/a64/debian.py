# SPDX-License-Identifier: MIT
"""Debian's arm64 programs, fetched and kept as fetch_debian.py does with the armel ones."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import fetch_debian  # noqa: E402
from fetch_debian import Unavailable, fetch  # noqa: E402,F401

fetch_debian.CONFIG = fetch_debian.CONFIG.replace("armel", "arm64")
# As fetch_debian.PROGRAMS.
fetch_debian.PROGRAMS = {
    "busybox": ("busybox-static", "1:1.35.0-4+deb12u1+b1",
                "732c9135564fc71337e0e05fb4da4d11e6c28c1834bce3e405e575afef2a52f5", "bin/busybox"),
    "bash": ("bash-static", "5.2.15-2+b13",
             "b592f626c16f70b65dc44a8018a49bd115c97249102f6a41260b10d9aa6428eb", "bin/bash-static"),
    "sash": ("sash", "3.8-5+b28",
             "0b89398d873116da70ddb347464780a7fe9d87417d2780cb877f0ae1fb09fbed", "bin/sash"),
}
