# SPDX-License-Identifier: MIT
"""The options of pmk.stat() are the library's settings, and a type checker knows them."""
import os
import sys

import pytest

from harness import BUILD, SOURCE, WORK, equal, have, run
import pmk

pytestmark = pytest.mark.quick

PROGRAM = """\
import pmk

pmk.stat(["./prog"], events="cycles", pmu="arm1176", env=["A=1"], from_="main", all_cpus=True)
pmk.stat(["./prog"], evnts="cycles")
pmk.stat(["./prog"], all_cpus="yes")
"""


def test_they_are_made_of_the_settings():
    out = run(sys.executable, os.path.join(SOURCE, "scripts/python-options"),
              env=dict(os.environ, PMK_LIBRARY=os.path.join(BUILD, "libpmk.so.0")))
    equal((out.code, out.err), (0, ""))
    with open(os.path.join(SOURCE, "python/pmk/options.py")) as f:
        equal(f.read(), out.out)


@pytest.mark.more
def test_mypy_finds_what_is_no_option(tmp_path):
    have("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    # mypy before 1.7 needs this option for TypedDicts of arguments.
    out = run("mypy", "--enable-incomplete-feature=Unpack", "--cache-dir",
              os.path.join(WORK, "mypy"), tmp_path / "program.py",
              env=dict(os.environ, MYPYPATH=os.path.join(SOURCE, "python")))
    found = [line.split(":", 1)[1] for line in out.out.splitlines() if "program.py:" in line]
    equal([line.split(":")[0] for line in found], ["4", "5"], repr(out))
    assert "evnts" in found[0] and "all_cpus" in found[1], out


def test_a_wrong_name_and_a_word_of_python():
    with pytest.raises(pmk.CountError, match="there is no setting 'evnts'; did you mean event"):
        pmk.stat([], evnts="cycles")
    with pytest.raises(pmk.CountError, match="'from' and 'to' go together; give both"):
        pmk.stat(["/bin/true"], from_="main")
