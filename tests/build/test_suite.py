# SPDX-License-Identifier: MIT
"""tests/conftest.py runs the tests of C programs and of vectors, and loses no file. The tests use a
small suite."""
import sys

import costs
from harness import *

PROGRAM = r"""
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

static void good(void **state) { (void)state; }
static void bad(void **state) { (void)state; assert_int_equal(1, 2); }
static void not_here(void **state) { (void)state; print_message("no such hardware\n"); skip(); }
static void leaves(void **state) { (void)state; _exit(0); }
static void behind(void **state) { (void)state; }

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(good), cmocka_unit_test(bad), cmocka_unit_test(not_here),
					    cmocka_unit_test(leaves), cmocka_unit_test(behind) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
"""
RUNNER = r"""#!/bin/sh
echo "vectors:3: small on one: is 1, want 2" >&2
echo "FAIL small on one"
echo "ok small on two"
exit 1
"""


@pytest.fixture(scope="module")
def suite():
    """Returns the folder of a small suite, with tests/ and build/."""
    with tempfile.TemporaryDirectory(dir=WORK) as top:
        tests, build = os.path.join(top, "tests"), os.path.join(top, "build")
        os.makedirs(os.path.join(tests, "sub"))
        os.makedirs(os.path.join(build, "meson-info"))
        for name in ("conftest.py", "costs.py", "harness.py"):
            shutil.copy(os.path.join(SOURCE, "tests", name), tests)
        shutil.copy(os.path.join(SOURCE, "pytest.ini"), top)
        os.symlink(os.path.join(SOURCE, "scripts"), os.path.join(top, "scripts"))

        def write(path, text):
            with open(os.path.join(top, path), "w") as f:
                f.write(text)

        write("tests/sub/test_program.c", PROGRAM)
        write("tests/sub/small.vec", "vector small\ncores one two\nref none\n")
        write("tests/test_python.py",
              "from harness import *\n\npytestmark = pytest.mark.quick\n\n\n"
              "def test_equal():\n    equal(list(range(9000)), [*range(4000), 7, *range(4001, "
              "9000)])\n")
        write("build/vectors", RUNNER)
        os.chmod(os.path.join(build, "vectors"), 0o755)
        out = run("cc", "-o", os.path.join(build, "program"),
                  os.path.join(tests, "sub", "test_program.c"),
                  os.path.join(SOURCE, "tests", "unit.c"), "-Wl,--wrap=_cmocka_run_group_tests",
                  "-lcmocka")
        assert out.code == 0, out
        write("build/meson-info/intro-tests.json", json.dumps(
            [{"name": "sub/test_program", "cmd": [os.path.join(build, "program")]},
             {"name": "sub/small", "cmd": [os.path.join(build, "vectors")]}]))
        yield top


def pytest_in(suite, *argv, **variables):
    env = dict(os.environ, PMK_BUILD=os.path.join(suite, "build"))
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_CURRENT_TEST",
                 "PMK_TEST_WORK", "UNSTABLE"):
        env.pop(name, None)
    return run(sys.executable, "-B", "-m", "pytest", "-rA", "-p", "no:cacheprovider", *argv,
               cwd=suite, env={**env, **variables})


def verdicts(out):
    return dict(reversed(m) for m in re.findall(r"^(PASSED|FAILED|ERROR) (\S+)", out.out, re.M))


def test_each_test_of_a_program_is_one(suite):
    out = pytest_in(suite, "tests/sub/test_program.c")
    equal(out.code, 1, out)
    name = "tests/sub/test_program.c::"
    equal(verdicts(out), {name + "good": "PASSED", name + "bad": "FAILED",
                          name + "leaves": "FAILED", name + "behind": "FAILED"})
    contains(out.out, "0x1 != 0x2")
    contains(out.out, "no such hardware")
    contains(out.out, "not run: the program exited with 0 in leaves")
    assert re.search(r"^=+ 3 failed, 1 passed, 1 skipped in ", out.out, re.M), out


def test_what_is_selected_is_run(suite):
    out = pytest_in(suite, "-k", "good or behind")
    equal((out.code, set(verdicts(out).values())), (0, {"PASSED"}), out)
    assert re.search(r"^=+ 2 passed, \d deselected in ", out.out, re.M), out


def test_each_vector_on_each_core_is_one(suite):
    out = pytest_in(suite, "tests/sub/small.vec")
    equal(verdicts(out), {"tests/sub/small.vec::small[one]": "FAILED",
                          "tests/sub/small.vec::small[two]": "PASSED"})
    contains(out.out, "vectors:3: small on one: is 1, want 2")


def test_what_differs_is_shown_and_little_else(suite):
    out = pytest_in(suite, "tests/test_python.py")
    contains(out.out, "[4000]: got 4000, want 7")
    assert len(out.out) < 3000, len(out.out)


def test_a_program_that_is_not_built_is_an_error(suite):
    added = os.path.join(suite, "tests", "sub", "test_forgotten.c")
    try:
        shutil.copy(os.path.join(suite, "tests", "sub", "test_program.c"), added)
        out = pytest_in(suite)
        assert out.code not in (0, 1), out
        contains(out.out, "tests/meson.build does not build sub/test_forgotten")
    finally:
        os.unlink(added)


@cases("which, options", size((), (("quick", ("-m", "quick")), ("not-once", ("-m", "not once"))))
       + (("all", ()), ("not-more", ("-m", "quick and not more")),
          ("-n2", ("-n", "2", "--dist", "loadfile"))))
def test_a_file_without_tests_is_an_error(suite, which, options):
    """All tests of the suite pass, but test_lost.py has no test. This is an error, unless the file
    has a mark by which -m leaves it out."""
    lost = os.path.join(suite, "tests", "test_lost.py")
    kept = {name: os.path.join(suite, "tests", name) for name in ("test_python.py", "sub")}
    away = os.path.join(suite, "away")
    os.makedirs(away)
    try:
        for name, path in kept.items():
            os.rename(path, os.path.join(away, name))
        for path, name in ((lost, "tst_lost"),
                           (os.path.join(suite, "tests", "test_fine.py"), "test_fine")):
            with open(path, "w") as f:
                f.write(f"import pytest\n\npytestmark = pytest.mark.quick\n\n\ndef {name}():\n    "
                        f"pass\n")
        out = pytest_in(suite, *options)
        equal(out.code, 1, out)
        contains(out.out, "ERROR tests/test_lost.py - no test of this file has run")
        if "-n" in options:
            return
        with open(lost, "w") as f:
            f.write("import pytest\n\npytestmark = pytest.mark.once\n")
        equal(pytest_in(suite, *options).code, 0 if "-m" in options else 1)
        os.unlink(lost)
        if not options:
            equal(pytest_in(suite).code, 0)
    finally:
        for path in (lost, os.path.join(suite, "tests", "test_fine.py")):
            if os.path.exists(path):
                os.unlink(path)
        for name, path in kept.items():
            os.rename(os.path.join(away, name), path)
        os.rmdir(away)


@cases("words, verdict", [(("-m", "quick and not more"), "1 skipped"),
                          (("-m", "quick"), "1 failed")])
def test_only_make_test_skips_what_is_not_installed(suite, words, verdict):
    path = os.path.join(suite, "tests", "test_needs.py")
    try:
        with open(path, "w") as f:
            f.write("from harness import *\n\npytestmark = pytest.mark.quick\n\n\n"
                    "def test_needs():\n    have('no-such-command')\n")
        contains(pytest_in(suite, "tests/test_needs.py", *words).out, f"= {verdict} in ")
    finally:
        os.unlink(path)


@pytest.mark.parametrize("order", (("test_python.py", "sub/test_program.c", "sub/small.vec"),
                                   pytest.param(("sub/small.vec", "sub/test_program.c",
                                                 "test_python.py"), marks=nightly)),
                         ids=("one", "other"))
def test_the_longest_file_starts_first(suite, tmp_path, order):
    """The files start in the order of their costs. test_program.c is not in the table of costs, so
    it starts before the short files."""
    table, report = os.path.join(suite, "tests", "costs.txt"), tmp_path / "report.xml"
    costs.write_costs({f"tests/{order[0]}": 50.0, f"tests/{order[2]}": 1.0}, table)
    try:
        out = pytest_in(suite, "-n", "1", "--dist", "loadfile", f"--junitxml={report}")
        ran = re.findall(r'<testcase classname="tests\.([\w.]+)"', report.read_text())
        equal(list(dict.fromkeys(ran)), [re.sub(r"\.py$", "", name).replace("/", ".")
                                         for name in order], out)
    finally:
        os.unlink(table)


@pytest.mark.parametrize("options", ((), ("-n", "2", "--dist", "loadfile")), ids=("-n0", "-n2"))
def test_costs_are_stored(suite, options):
    table = os.path.join(suite, "tests", "costs.txt")
    costs.write_costs({"tests/sub/test_program.c": 50.0, "tests/other.vec": 3.0}, table)
    try:
        pytest_in(suite, "--store-costs", *options)
        stored = costs.read_costs(table)
        equal(set(stored), {"tests/test_python.py", "tests/sub/test_program.c",
                            "tests/sub/small.vec"})
        assert max(stored.values()) < 50, stored
    finally:
        os.unlink(table)


def test_the_table_of_costs_has_files_that_are_there():
    equal([name for name in costs.read_costs() if not os.path.exists(os.path.join(SOURCE, name))],
          [])


def test_how_a_test_failed_is_kept(suite):
    pytest_in(suite, "-n", "2", "--dist", "loadfile", UNSTABLE="2")
    with open(os.path.join(suite, "build", "test-failures")) as f:
        text = f.read()
    contains(text, "==== tests/sub/test_program.c::bad, call, after ")
    contains(text, "0x1 != 0x2")
    contains(text, "[4000]: got 4000, want 7")


FLAKY = """\
import os

from harness import BUILD


def test_flaky():
    first = os.path.join(BUILD, "first")
    if not os.path.exists(first):
        open(first, "w").close()
        raise AssertionError("the first time")
"""


def test_what_passes_when_it_runs_again_is_kept_with_its_cause(suite):
    """If UNSTABLE permits it, scripts/test runs a failed test again. If the test then passes, the
    cause of its failure is recorded."""
    build, flaky = os.path.join(suite, "build"), os.path.join(suite, "tests", "test_flaky.py")
    options = [{"name": "tests", "value": True}, {"name": "docs", "value": "enabled"}]
    for path, text in ((flaky, FLAKY), (os.path.join(build, "build.ninja"), ""),
                       (os.path.join(build, "meson-info/intro-buildoptions.json"),
                        json.dumps(options))):
        with open(path, "w") as f:
            f.write(text)
    env = dict(os.environ, UNSTABLE="2")
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PMK_TEST_WORK"):
        env.pop(name, None)
    try:
        out = run(os.path.join(suite, "scripts/test"), build, "tests/test_flaky.py", env=env)
        equal(out.code, 0, out)
        contains(out.out, "unstable: 1 passed only when run again")
        with open(os.path.join(build, "unstable")) as f:
            text = f.read()
        assert re.match(r"\d{4}-\S+ \S+ UTC, load \d.*: failed, and passed when run again:\n", text)
        contains(text, "==== tests/test_flaky.py::test_flaky, call, after ")
        contains(text, "AssertionError: the first time")
    finally:
        os.unlink(flaky)


def test_a_missing_dependency_is_an_error(tmp_path):
    """If pkg-config does not find Unicorn, configuring a build with tests is an error."""
    known = run("pkg-config", "--variable", "pc_path", "pkg-config").out.strip().split(":")
    for folder in known:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if not name.startswith("unicorn") and not os.path.lexists(tmp_path / name):
                os.symlink(os.path.join(folder, name), tmp_path / name)
    out = run("meson", "setup", "-Dtests=true", tmp_path / "build", SOURCE,
              env=dict(os.environ, PKG_CONFIG_LIBDIR=str(tmp_path)))
    equal(out.code, 1, out)
    contains(out.out + out.err, 'Dependency "unicorn" not found')
