# SPDX-License-Identifier: MIT
"""docs/ADDING-A-PMU.md is complete. This test follows it in a copy of the tree, and adds an event
and a small PMU. The copy builds without a warning, and passes the tests that the guide names. An
event changes three files. A PMU changes at most twelve: those of its folder, families.h, and
tests."""
import os
import pathlib
import re
import shutil
import sys

from harness import *
import repo

pytestmark = [pytest.mark.once, pytest.mark.ci]
FOLDER = os.path.dirname(os.path.abspath(__file__))

# An event of the ARM1176: the text for each file, and the line before which it goes.
EVENT = {
    "src/pmu/arm11/events.c": ("""\
	EVENT_ROW(0x16, "guide_event", C76, SIG(LOAD), T2, "loads, for the guide"),
""", "\tEVENT_ROW(0x20,"),
    "tests/pmu/test_arm11_events.c": ("""\
	{ 0x16, "guide_event",                  "7",   "LOAD",            0 },
""", "\t{ 0x20,"),
    "tests/conformance/arm11.vec": ("""\
vector event-16-guide_event
cores arm1176
ref DAI 0195B Table 2
write PMNC 0x01616001
cycles 3
signal LOAD 3
expect PMN0 3 0xffffffff
expect PMN1 3 0xffffffff

""", "vector event-20-"),
}

# The programs of tests, and the tests that the guide names for an event and for a PMU.
TARGETS = ["pmk", "tests/run_vectors", "tests/pmu_test_pmus", "tests/pmu_test_arm11_events",
           "tests/pmu_test_tally_events", "tests/pmu_test_tally_driver"]
TESTS = ["tests/pmu/test_pmus.c", "tests/pmu/test_arm11_events.c", "tests/pmu/test_tally_events.c",
         "tests/pmu/test_tally_driver.c", "tests/conformance/arm11.vec",
         "tests/conformance/tally.vec", "tests/docs/test_trace.py", "tests/docs/test_includes.py",
         "tests/firmware/test_target_library.py::"
         "test_sizes_structs_and_stacks_are_within_the_budget"]


def copy_of_the_tree():
    copy = pathlib.Path(WORK, "guide")
    for name in repo.files():
        os.makedirs(copy / os.path.dirname(name), exist_ok=True)
        shutil.copy2(os.path.join(SOURCE, name), copy / name, follow_symlinks=False)
    return copy


def add_event(tree):
    """Adds the event. Returns the files that had to change."""
    for path, (row, before) in EVENT.items():
        text = (tree / path).read_text()
        assert before in text, f"{path} has no '{before}'"
        (tree / path).write_text(text.replace(before, row + before, 1))
    return list(EVENT)


def add_pmu(tree):
    """Adds the PMU. Returns the files that had to change."""
    with open(os.path.join(FOLDER, "guide.txt")) as f:
        files = re.findall(r"^==== (\S+)\n(.*?)(?=^==== |\Z)", f.read(), re.M | re.S)
    for path, text in files:
        assert not (tree / path).exists(), path
        os.makedirs((tree / path).parent, exist_ok=True)
        (tree / path).write_text(text)
    families = tree / "src/pmu/families.h"
    last = "FAMILY(dwt) PMU(dwt)"
    families.write_text(families.read_text().replace(
        last, last + " \\\n\tFAMILY(tally) PMU(tally)"))
    return [path for path, _ in files] + ["src/pmu/families.h"]


def test_an_event_takes_three_files_and_a_pmu_twelve():
    have("meson", "ninja", "arm-none-eabi-gcc")
    tree = copy_of_the_tree()
    build = tree / "build"
    try:
        assert len(add_event(tree)) <= 3
        files = add_pmu(tree)
        assert len(files) <= 12, files
        for path in files:
            assert path.startswith(("src/pmu/tally/", "tests/")) or path == "src/pmu/families.h"
        out = run("meson", "setup", "-Dtests=true", "-Ddocs=disabled", "-Dplugin_lto=false",
                  "-Dwerror=true", build, tree)
        assert out.code == 0, out
        out = run("ninja", "-C", build, *TARGETS, timeout=5 * PATIENCE)
        assert out.code == 0, out
        out = run(build / "pmk", "list", "events", "--pmu", "tally")
        assert out.code == 0 and "instruction executed" in out.out, out
        out = run(sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-k",
                  "not what_emulation_does", *TESTS,  # that test needs the plugin
                  cwd=tree, timeout=5 * PATIENCE, env=dict(os.environ, PMK_BUILD=str(build)))
        assert out.code == 0 and " passed" in out.out, out.out[-4000:] + out.err
    finally:
        shutil.rmtree(tree)
