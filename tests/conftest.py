# SPDX-License-Identifier: MIT
"""Adapts pytest to this project: unit tests in C, conformance vectors, the display of differences,
and a check that no test file is left out unnoticed.

A test_….c is a cmocka program that Meson has built. Each of its tests is a test of pytest, and one
run of the program executes all selected tests. A ….vec is a file of vectors; each vector is run on
each core that it names.
"""
import difflib
import importlib
import json
import os
import re
import signal
import subprocess

import pytest

pytest.register_assert_rewrite("harness", "microblaze_tools", "a64.measure", "kernels.measure",
                               "microblaze.measure", "uc.driver", "guest")
import costs  # noqa: E402
import harness  # noqa: E402: only now, so that its assertions are rewritten

TESTS = os.path.dirname(os.path.abspath(__file__))
os.environ.update(PMK_BUILD=os.path.abspath(harness.BUILD), LC_ALL="C")
# A shell makes background processes ignore SIGINT. Programs that tests interrupt would inherit
# this.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
# nohup: pytest stays alive, but the programs that it starts get the default action of the signal.
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)
# When a test imports doctest, Python's readline sets these two variables of the process, but
# os.environ does not show them. pmk would use their values and not the size of a test's terminal.
importlib.import_module("readline")
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
    os.unsetenv(name)
LIMIT = 3600  # seconds after which a program is taken to hang


# ---- programs with several tests ------------------------------------------------------------

class Failed(Exception):
    """A failure that is shown without a traceback."""


def program_of(path):
    """Returns Meson's command for tests/<name>.c or .vec."""
    name = os.path.splitext(os.path.relpath(path, TESTS))[0]
    listed = os.path.join(harness.BUILD, "meson-info", "intro-tests.json")
    if not os.path.exists(listed):
        raise pytest.UsageError(f"{harness.BUILD} is no build tree; `scripts/test` makes one")
    with open(listed) as f:
        for test in json.load(f):
            if test["name"] == name:
                if not os.path.exists(test["cmd"][0]):
                    raise Failed(f"{test['cmd'][0]} is not built; `scripts/test` builds it")
                return test["cmd"]
    raise Failed(f"tests/meson.build does not build {name}, or was configured without tests; "
                 f"`scripts/test` does it")


class Program(pytest.File):
    results = None

    def collect(self):
        self.command = program_of(self.path)
        for name in self.names():
            case = Case.from_parent(self, name=name)
            case.add_marker("quick")
            yield case

    def repr_failure(self, excinfo):
        return str(
            excinfo.value) if excinfo.errisinstance(Failed) else super().repr_failure(excinfo)

    def run(self, **variables):
        """Runs the program. Returns how it ended, as text, and its output, in which standard error
        is at the place where it was written."""
        try:
            p = subprocess.run(self.command,
                               env=dict(os.environ, CMOCKA_MESSAGE_OUTPUT="STDOUT", **variables),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT)
        except subprocess.TimeoutExpired as e:
            return f"was stopped after {LIMIT} s", (e.stdout or b"").decode(errors="replace")
        how = f"was killed by signal {-p.returncode}" if p.returncode < 0 else (f"exited with "
                                                                                f"{p.returncode}")
        return how, p.stdout

    def result(self, name):
        """Returns (result: "ok", "failed" or "skipped"; output) of a test."""
        if self.results is None:
            here = [i.name for i in self.session.items if i.parent is self]
            self.results = self.run_these(here)
        return self.results[name]


class Unit(Program):
    def names(self):
        how, out = self.run(PMK_UNIT_TESTS="?")
        names = out.splitlines()
        if how != "exited with 0" or not names or len(set(names)) != len(names):
            raise Failed(f"{self.command[0]} does not list its tests: it {how}\n{out[-2000:]}")
        return names

    def run_these(self, names):
        how, out = self.run(PMK_UNIT_TESTS="\n".join(names))
        results, running, said = {}, None, []
        for line in out.splitlines():
            mark, name = line[:13], line[13:]
            if mark == "[ RUN      ] ":
                running, said = name, []
            elif mark in ENDS and name == running:
                results[name], running, said = (ENDS[mark], "\n".join(said)), None, []
            else:
                said.append(line)
        rest = "\n".join(said)
        for name in names:
            if name == running:
                results[name] = "failed", f"{rest}\nthe program {how}"
            elif name not in results:
                results[name] = "failed", (f"not run: the program "
                                           f"{how}{f' in {running}' if running else ''}\n{rest}")
        if how != "exited with 0" and all(state != "failed" for state, _ in results.values()):
            results[names[-1]] = "failed", f"{rest}\nthe program {how}"
        return results


ENDS = {"[       OK ] ": "ok", "[  FAILED  ] ": "failed", "[  SKIPPED ] ": "skipped"}


class Vectors(Program):
    def names(self):
        text = self.path.read_text()
        found = re.findall(r"^vector (\S+)\ncores (.*)$", text, re.M)
        if len(found) != len(re.findall(r"^vector ", text, re.M)):
            raise Failed(f"{self.path}: a vector without cores")
        return [f"{vector}[{core}]" for vector, cores in found for core in cores.split()]

    def run_these(self, names):
        how, out = self.run()
        results = {}
        for verdict, vector, core in re.findall(r"^(ok|skip|FAIL) (\S+) on (\S+)$", out, re.M):
            said = re.findall(rf"^.*: {re.escape(vector)} on {re.escape(core)}: .*$", out, re.M)
            results[f"{vector}[{core}]"] = WORDS[verdict], "\n".join(said)
        for name in names:
            results.setdefault(name, ("failed", f"not run: the program {how}\n{out[-1000:]}"))
        return results


WORDS = {"ok": "ok", "skip": "skipped", "FAIL": "failed"}


class Case(pytest.Item):
    def runtest(self):
        state, said = self.parent.result(self.name)
        if state == "skipped":
            pytest.skip(said.strip() or "the program gives no reason")
        if state == "failed":
            raise Failed(said.strip())
        if said.strip():
            self.add_report_section("call", "stdout", said)

    def repr_failure(self, excinfo):
        return str(
            excinfo.value) if excinfo.errisinstance(Failed) else super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, self.name


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".c" and file_path.name.startswith("test_"):
        return Unit.from_parent(parent, path=file_path)
    if file_path.suffix == ".vec":
        return Vectors.from_parent(parent, path=file_path)
    return None


# ---- differences --------------------------------------------------------------------------------

def short(thing):
    text = repr(thing)
    return text if len(text) <= 160 else f"{text[:120]} … {text[-35:]}"


def of_sequences(got, want):
    yield f"{len(got)} items, want {len(want)}" if len(got) != len(want) else f"{len(got)} items"
    for n, (g, w) in enumerate(zip(got, want)):
        if g != w:
            yield f"[{n}]: got {short(g)}, want {short(w)}"
    for name, longer, other in (("more", got, want), ("missing", want, got)):
        for n in range(len(other), len(longer)):
            yield f"[{n}]: {name}: {short(longer[n])}"


def of_mappings(got, want):
    for key in [*got, *(k for k in want if k not in got)]:
        if key not in want:
            yield f"{short(key)}: more: {short(got[key])}"
        elif key not in got:
            yield f"{short(key)}: missing: {short(want[key])}"
        elif got[key] != want[key]:
            yield f"{short(key)}: got {short(got[key])}, want {short(want[key])}"


def of_sets(got, want):
    for name, some in (("more", got - want), ("missing", want - got)):
        for each in sorted(some, key=repr):
            yield f"{name}: {short(each)}"


def of_texts(got, want):
    for line in difflib.unified_diff(want.splitlines(), got.splitlines(), "want", "got", n=1,
                                     lineterm=""):
        yield line if len(line) <= 160 else line[:160] + " …"


def pytest_assertrepr_compare(op, left, right):
    """For a == b of long values, shows the difference in a readable length."""
    if op != "==":
        return None
    for kinds, differences in (((list, tuple), of_sequences), (dict, of_mappings),
                               ((set, frozenset), of_sets),
                               (str, of_texts)):
        if isinstance(left, kinds) and isinstance(right, kinds):
            if differences is of_texts and "\n" not in left + right:
                return None
            lines = list(differences(left, right))
            more = [f"and {len(lines) - 20} more"] if len(lines) > 21 else []
            return [f"{short(left)} == {short(right)}", *(lines[:20] if more else lines), *more]
    return None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Shortens failures to at most two screens."""
    report = (yield).get_result()
    for entry in getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ()):
        lines = [line if len(line) <= 2000 else f"{line[:1500]} … {line[-400:]}"
                 for line in entry.lines]
        if len(lines) > 100:
            lines[60:-40] = [f"E   … {len(lines) - 100} lines …"]
        entry.lines[:] = lines


# ---- all files are run ---------------------------------------------------------------------------

def marks_of(path):
    """Returns the marks of all tests of a file. Tests that are not in Python have the mark
    "quick"."""
    if not path.endswith(".py"):
        return {"quick"}
    with open(path, encoding="utf-8") as f:
        line = re.search(r"^pytestmark = (.*)$", f.read(), re.M)
    return set(re.findall(r"pytest\.mark\.(\w+)", line[1] if line else ""))


QUICK = "quick and not more"  # -m of `make test`
# The values of -m for runs in which no file may be left out.
WANTED = {"": lambda marks: True, "quick": lambda marks: "quick" in marks,
          QUICK: lambda marks: "quick" in marks and "more" not in marks,
          "not ci": lambda marks: "ci" not in marks,
          "not once": lambda marks: "once" not in marks}


def missing_files(config, ran):
    """Returns the files without a test that ran, in a run of all files, relative to the
    repository."""
    option = config.option
    if any(os.path.abspath(a) not in (TESTS, harness.SOURCE)
           for a in config.args) or option.keyword or \
       option.markexpr not in WANTED or option.collectonly or getattr(option, "lf", False):
        return []
    files = [os.path.join(folder, name) for folder, _, names in os.walk(TESTS) for name in names
             if re.fullmatch(r"test_.*\.(py|c)|.*\.vec", name)]
    wanted = WANTED[option.markexpr]
    return sorted(name for name in (os.path.relpath(f, harness.SOURCE) for f in files
                                    if wanted(marks_of(f))) if name not in ran)


class FailureLog:
    """Writes failures with their reasons to BUILD/test-failures; scripts/test keeps them for tests
    that pass when they run again."""

    def __init__(self):
        self.path = os.path.join(harness.BUILD, "test-failures")

    def pytest_sessionstart(self):
        open(self.path, "w").close()

    def pytest_runtest_logreport(self, report):
        if report.failed:
            with open(self.path, "a", encoding="utf-8") as f:
                f.write(f"==== {report.nodeid}, {report.when}, after {report.duration:.1f} s\n"
                        f"{report.longreprtext}\n")
                for name, text in report.sections:
                    f.write(f"---- {name}\n{text}\n")


class Completeness:
    """Checks that no file is left out, in the process that collects the results. With xdist, tests
    run in other processes."""

    def __init__(self):
        self.ran, self.missing = set(), []

    def pytest_runtest_logreport(self, report):
        self.ran.add(report.nodeid.partition("::")[0])

    def pytest_collectreport(self, report):
        if report.failed:  # the failure is already reported
            self.ran.add(report.nodeid.partition("::")[0])

    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.OK:
            self.missing = missing_files(session.config, self.ran)
            if self.missing:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        for name in self.missing:
            terminalreporter.write_line(f"ERROR {name} - no test of this file has run", red=True)


@pytest.fixture(scope="session")
def there(tmp_path_factory):
    """Returns the files of `make install` (installed.py), installed once for all processes of a
    session."""
    import installed

    top = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        top = top.parent
    return installed.Installed(installed.install_once(str(top / "installed")))


def pytest_addoption(parser):
    costs.add_option(parser)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Returns the scheduler for --dist loadfile. If this returns None, xdist chooses one."""
    return costs.longest_first(config, log) if config.option.dist == "loadfile" else None


def pytest_configure(config):
    costs.configure(config)
    harness.IS_QUICK = config.option.markexpr == QUICK
    config.addinivalue_line("markers", "quick: all of this file is run by `make test`")
    config.addinivalue_line("markers", "more: except this test, which takes long")
    config.addinivalue_line("markers", "once: takes long, and says the same on each distribution; "
                            "where several are tried, one of them runs it")
    config.addinivalue_line("markers", "ci: builds another tree, runs a benchmark or boots Linux; "
                            "`make check` leaves it to .ci/run and `make nightly`")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Completeness())
        if os.environ.get("UNSTABLE"):
            config.pluginmanager.register(FailureLog())
