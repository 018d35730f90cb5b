# SPDX-License-Identifier: MIT
"""Every C compiler of this machine builds everything without a warning, at Meson's third level of
them."""
import os
import re
import shutil
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import SOURCE, WORK, run  # noqa: E402


def compilers():
    """One name for each: gcc is gcc-12, too."""
    found = {}
    for name in ["gcc", *(f"gcc-{v}" for v in range(11, 20)), "clang",
                 *(f"clang-{v}" for v in range(13, 26))]:
        if shutil.which(name):
            found.setdefault(re.sub(r"(gcc|clang)(-\d+)?", "", run(name, "--version").out), name)
    return list(found.values())


@pytest.mark.parametrize("compiler", compilers())
def test_it_builds_without_a_warning(compiler):
    tree = os.path.join(WORK, f"warnings-{compiler}")
    # With Meson's options of a build that is used: some warnings are found by the optimiser.
    if not os.path.exists(os.path.join(tree, "build.ninja")):
        more = ["-Dtests=true"] if os.path.exists(os.path.join(SOURCE, "meson_options.txt")) else []
        out = run("meson", "setup", tree, SOURCE, "-Dwerror=true", "-Dwarning_level=3", *more,
                  env=dict(os.environ, CC=compiler))
        assert out.code == 0, out
    out = run("ninja", "-C", tree, "--quiet", "-k", "0", timeout=1800)
    assert out.code == 0, out.out[-20000:] + out.err


def test_both_kinds_are_here():
    assert {name.split("-")[0] for name in compilers()} == {"gcc",
                                                            "clang"}, ("scripts/need test "
                                                                       "installs them")
