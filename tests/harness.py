# SPDX-License-Identifier: MIT
"""Shared by tests: running programs, mostly pmk, and comparing their output.

A test is a function test_…() in a file test_….py; it passes, raises an exception or calls
skip("reason").

    from harness import *

    def test_version():
        equal(pmk("--version").code, 0)
"""
import contextlib
import fcntl
import importlib.machinery
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import pytest
except ImportError:
    pytest = None  # scripts that only build and run programs do not need pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
BUILD = os.environ.get("PMK_BUILD", os.path.join(SOURCE, "build"))
PMK = os.path.join(BUILD, "pmk")
# Folder for things that are made once and used by several test files: cross-compiled programs,
# fetched packages.
WORK = os.environ.get("PMK_TEST_WORK", os.path.join(BUILD, "test-work"))
CROSS = "arm-linux-gnueabi-"
# Seconds after which a program is taken to hang: ten times the duration of the longest test on an
# idle machine. No test may depend on the machine's speed.
PATIENCE = 1200
# "small" in `make check`, "large" in `make nightly`.
SIZE = os.environ.get("PMK_TEST_SIZE", "small")
# conftest.py sets this if -m selects the tests of `make test`, which installs no emulators and no
# cross compilers. A test that needs a missing one is then skipped and does not fail.
IS_QUICK = False
os.makedirs(WORK, exist_ok=True)
# User-mode emulators that `make qemu` built because those of the distribution cannot load plugins.
# pmk finds this folder itself; tests that start an emulator use this path.
os.environ["PATH"] += os.pathsep + subprocess.run([os.path.join(SOURCE, "scripts", "qemu"),
                                                   "--path"],
                                                  capture_output=True, text=True).stdout.strip()
# Compilers that tests call use ccache through a folder of links to it with the names of the
# compilers. The folder's path depends on the distribution.
for ccache in ("/usr/lib/ccache/bin", "/usr/lib64/ccache", "/usr/lib/ccache"):
    if os.path.isdir(ccache):
        os.environ["PATH"] = ccache + os.pathsep + os.environ["PATH"]
        break
# Variables for tests without emulators. These tests must also set a PATH without emulators.
NO_EMULATORS = {"PMK_CACHE": os.path.join(WORK, "no-emulators"), "PMK_QEMU_DIR": ""}


class Output:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out[-2000:]}\nstderr: {self.err[-2000:]}"


def distribution():
    """Returns the distribution, such as ("debian", "12"), from os-release. The second word is "" if
    it has no releases."""
    release = platform.freedesktop_os_release()
    return release["ID"], release.get("VERSION_ID", "")


def remedy(package, what="it"):
    """Returns the remedy that pmk prints on this machine if the emulator of this package is
    missing. `what`: "it", or "one that can"."""
    if not os.path.exists("/usr/bin/apt-get"):
        return "docs/install.md says how to install or build QEMU"
    if package == "qemu-user" and distribution() not in (("debian", "12"), ("ubuntu", "22.04"),
                                                         ("ubuntu", "24.04")):
        return f"build {what}: make qemu"
    return f"Debian: apt-get install {package}"


def size(small, large):
    """Returns the samples or cases of a test in this run: those of small runs, or of large runs."""
    return {"small": small, "large": large}[SIZE]


# Marks a slow test that checks little more than a faster test does. Only `make nightly` runs slow
# tests.
nightly = pytest and pytest.mark.skipif(SIZE == "small", reason="`make nightly` runs it")


def skip(reason):
    __tracebackhide__ = True
    pytest.skip(reason)


def has_lab():
    """Returns true if this build has the commands of src/lab (meson -Dlab)."""
    try:
        with open(os.path.join(BUILD, "meson-info", "intro-buildoptions.json")) as f:
            return next((o["value"] for o in json.load(f) if o["name"] == "lab"), True)
    except FileNotFoundError:
        return True


LAB_COMMANDS = ("calibrate", "sweep", "history")
LAB = LAB_COMMANDS if has_lab() else ()  # the commands of this build
lab = pytest and pytest.mark.skipif(not LAB, reason="pmk was built with -Dlab=false")


def cases(names, rows):
    """Makes a test of each row. The first word of a row is the test's name."""
    return pytest.mark.parametrize(names, rows, ids=[str(row[0]) for row in rows])


def equal(got, want, what=""):
    __tracebackhide__ = True
    assert got == want, what


def contains(text, part):
    __tracebackhide__ = True
    assert part in text, f"{part!r} is not in:\n{text[-2000:]}"


def run(*argv, stdin=None, timeout=PATIENCE, env=None, cwd=None, text=True):
    """Runs a command, and never raises for its exit code. If a signal ends it, the code is 128 +
    the signal's number."""
    p = subprocess.run([str(a) for a in argv], input=stdin, capture_output=True, timeout=timeout,
                       env=env, cwd=cwd, text=text, errors="replace" if text else None)
    code = p.returncode if p.returncode >= 0 else 128 - p.returncode
    return Output(code, p.stdout, p.stderr)


def unprivileged(*argv):
    """Returns a command line that runs a command as an ordinary user, because file permissions do
    not apply to root."""
    kept_out = "-dac_override,-dac_read_search"
    return ["setpriv", "--bounding-set", kept_out, "--inh-caps", kept_out,
            *argv] if os.geteuid() == 0 else [*argv]


def wait_until(condition, why):
    """Waits until condition() is true. `why` is the error message if it never is."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, why
        time.sleep(0.01)


def long_enough(count, is_enough):
    """Returns the result of count(factor). If the time was too short, because other processes keep
    the processors busy, count() is called again with a larger factor. Even the last result may be
    too short."""
    for factor in (1, 10, 100):
        result = count(factor)
        if is_enough(result):
            break
    return result


def started(*command):
    """Starts `command` and returns its process, which already has its name. Popen only waits until
    the kernel has closed the descriptors that are not inherited, and the kernel sets the name
    shortly afterwards."""
    p = subprocess.Popen(command)
    wait_until(lambda: of_process(p.pid, "comm").strip() == os.path.basename(command[0]),
               f"{command[0]} does not start")
    return p


def of_process(pid, name):
    """Returns the text of /proc/PID/NAME, or "" if the process does not exist."""
    try:
        with open(f"/proc/{pid}/{name}", errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def children(pid):
    """Returns the numbers of the processes that the process's main thread started."""
    return [int(child) for child in of_process(pid, f"task/{pid}/children").split()]


def events_of(pid):
    """Returns the number of perf events that a process has open."""
    count = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            count += "perf_event" in os.readlink(f"/proc/{pid}/fd/{fd}")
        except FileNotFoundError:
            pass  # the descriptor was closed meanwhile
    return count


def sleeps(pid):
    """Returns true if the process sleeps, waiting for something."""
    return of_process(pid, "stat").rpartition(")")[2].split()[:1] == ["S"]


def pmk(*argv, **kw):
    """Runs pmk. `make test` skips the test if pmk needs an emulator that is not installed."""
    out = run(PMK, *argv, **kw)
    missing = re.search(r"(qemu-\w+) is not installed; Debian", str(out.err))
    if missing and IS_QUICK and not shutil.which(missing[1]):
        pytest.skip(f"{missing[1]} is not installed; `make check` installs it")
    return out


def stat(*argv, code=0, **kw):
    """Runs pmk stat --json-document with these arguments. Checks the exit code; returns the parsed
    document."""
    with tempfile.NamedTemporaryFile(suffix=".json", dir=WORK, delete=False) as f:
        path = f.name
    try:
        out = pmk("stat", "--json-document", "-o", path, *argv, **kw)
        assert out.code == code, f"pmk stat {' '.join(map(str, argv))}: {out}"
        with open(path) as f:
            return json.load(f)
    finally:
        os.unlink(path)


def counts(document, region=None):
    """Returns {event: value} of one section of a document (the whole run, or a region)."""
    return {c["event"]: c["counter-value"] for c in document["counters"]
            if c.get("region") == region}


def emulator_in_path(name):
    """Returns the emulator that pmk would find: the first one in PATH that can load plugins. A
    static emulator before it is ignored."""
    for folder in os.environ["PATH"].split(os.pathsep):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            with open(path, "rb") as f:
                if b"qemu_plugin_register_vcpu_init_cb" in f.read():
                    return path
    if IS_QUICK:
        pytest.skip(f"no {name} that can load plugins; `make check` installs one")
    assert False, f"no {name} in {os.environ['PATH']} can load plugins: `make qemu` builds one"


def renamed(command):
    """Returns the path of a link to an emulator, under another file name."""
    path = os.path.join(WORK, f"renamed-{command}")
    if not os.path.lexists(path):
        mine = f"{path}.{os.getpid()}"
        os.symlink(emulator_in_path(command), mine)
        os.replace(mine, path)
    return path


def have(*commands):
    """Fails unless all commands are installed. `make test`, which installs no emulators and no
    cross compilers, skips the test instead."""
    __tracebackhide__ = True
    for c in commands:
        if IS_QUICK and not shutil.which(c):
            pytest.skip(f"{c} is not installed; `make check` installs it")
        assert shutil.which(c), (f"{c} is not installed; `scripts/need run test` installs what "
                                 f"the tests need")


@contextlib.contextmanager
def locked(path):
    """A context in which the process holds the lock of `path`, because several test files may make
    the same files there."""
    with open(path + ".lock", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def script(name):
    """Returns a Python file of scripts/ as a module."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(SOURCE, "scripts", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def target_sources():
    """Returns the sources of the firmware library, relative to the top of the repository."""
    return ["src/" + path for path in script("amalgamate").target_sources()]


def compile_arm(source, name, *flags):
    """Cross-compiles for ARM Linux (armel), once per name. Returns the path."""
    have(CROSS + "gcc")
    path = os.path.join(WORK, name)
    sources = [source] if isinstance(source, str) else list(source)
    stamp = max(os.path.getmtime(s) for s in sources)
    if not os.path.exists(path) or os.path.getmtime(path) < stamp:
        mine = f"{path}.{os.getpid()}"
        out = run(CROSS + "gcc", "-o", mine, *sources, *flags)
        assert out.code == 0, f"cannot compile {name}: {out}"
        os.replace(mine, path)
    return path
