# SPDX-License-Identifier: MIT
"""A small harness for tests that run programs.

A test file is executable Python: functions decorated with @test, and `main()` at the end. Each test
passes, raises AssertionError (or any exception) and fails, or calls skip("reason"). The output is one
line a test: "ok NAME", "FAIL NAME: why", "skip NAME: why"; tests/run adds them up.

    #!/usr/bin/env python3
    import sys; sys.path.insert(0, __import__("os").path.dirname(__file__) + "/..")
    from harness import *

    @test
    def prints_version():
        out = pmk("--version")
        equal(out.code, 0)

    main()
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
BUILD = os.environ.get("PMK_BUILD", os.path.join(SOURCE, "build"))
PMK = os.path.join(BUILD, "pmk")
# Things made once and used by several test files: cross-compiled programs, fetched packages.
WORK = os.environ.get("PMK_TEST_WORK", os.path.join(BUILD, "test-work"))
CROSS = "arm-linux-gnueabi-"
os.makedirs(WORK, exist_ok=True)

_tests = []


class Skip(Exception):
    pass


class Output:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out[-2000:]}\nstderr: {self.err[-2000:]}"


def test(fn):
    _tests.append(fn)
    return fn


def skip(reason):
    raise Skip(reason)


def equal(got, want, what=""):
    assert got == want, f"{what + ': ' if what else ''}got {got!r}, want {want!r}"


def contains(text, part):
    assert part in text, f"{part!r} is not in:\n{text[-2000:]}"


def run(*argv, stdin=None, timeout=120, env=None, cwd=None, text=True):
    """Run a command; never raises for its exit code. A signal shows as 128 + its number."""
    p = subprocess.run([str(a) for a in argv], input=stdin, capture_output=True, timeout=timeout,
                       env=env, cwd=cwd, text=text, errors="replace" if text else None)
    code = p.returncode if p.returncode >= 0 else 128 - p.returncode
    return Output(code, p.stdout, p.stderr)


def pmk(*argv, **kw):
    return run(PMK, *argv, **kw)


def stat(*argv, code=0, **kw):
    """pmk stat -j: returns the parsed document, checks the exit code."""
    with tempfile.NamedTemporaryFile(suffix=".json", dir=WORK, delete=False) as f:
        path = f.name
    try:
        out = pmk("stat", "-j", "-o", path, *argv, **kw)
        assert out.code == code, f"pmk stat {' '.join(map(str, argv))}: {out}"
        with open(path) as f:
            return json.load(f)
    finally:
        os.unlink(path)


def counts(document, region=None):
    """{event: value} of one section of a document (the whole run, or a region)."""
    return {c["event"]: c["counter-value"] for c in document["counters"]
            if c.get("region") == region}


def renamed(command):
    """The path of a command under a name that tells nothing of it."""
    path = os.path.join(WORK, f"renamed-{command}")
    if not os.path.lexists(path):
        mine = f"{path}.{os.getpid()}"
        os.symlink(shutil.which(command), mine)
        os.replace(mine, path)
    return path


def have(*commands):
    """Skip unless all commands are installed."""
    for c in commands:
        if not shutil.which(c):
            skip(f"{c} is not installed")


def compile_arm(source, name, *flags):
    """Cross-compile for ARM Linux (armel), once per name; returns the path."""
    have(CROSS + "gcc")
    path = os.path.join(WORK, name)
    sources = [source] if isinstance(source, str) else list(source)
    stamp = max(os.path.getmtime(s) for s in sources)
    if not os.path.exists(path) or os.path.getmtime(path) < stamp:
        out = run(CROSS + "gcc", "-o", path, *sources, *flags)
        assert out.code == 0, f"cannot compile {name}: {out}"
    return path


def main():
    only = sys.argv[1:]
    failed = 0
    for fn in _tests:
        name = fn.__name__
        if only and name not in only:
            continue
        try:
            fn()
            print(f"ok {name}", flush=True)
        except Skip as s:
            print(f"skip {name}: {s}", flush=True)
        except Exception as e:  # any other exception is a failure with a trace
            failed += 1
            text = str(e) if isinstance(e, AssertionError) else traceback.format_exc()
            print(f"FAIL {name}: {text}", flush=True)
    sys.exit(1 if failed else 0)
