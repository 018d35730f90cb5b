# SPDX-License-Identifier: MIT
"""Threads that each have their own of everything do not race: the library under the thread sanitizer."""
import os

from harness import *

TREE = os.path.join(WORK, "threads")
EXAMPLE = os.path.join(SOURCE, "examples/api/threads.c")


def library():
    known = ("--reconfigure",) if os.path.exists(os.path.join(TREE, "build.ninja")) else ()
    out = run("meson", "setup", *known, TREE, SOURCE, "-Dbuildtype=debugoptimized", "-Db_sanitize=thread",
              "-Db_lundef=false", "-Ddocs=disabled")
    equal(out.code, 0, repr(out))
    out = run("ninja", "-C", TREE, "--quiet", "libpmk.a")
    equal(out.code, 0, repr(out))
    return os.path.join(TREE, "libpmk.a")


def compiled(source, program, *libraries):
    out = run("gcc", "-std=c11", "-g", "-O1", "-fsanitize=thread", "-pthread", "-I", os.path.join(SOURCE, "include"),
              "-o", program, source, *libraries)
    equal(out.code, 0, repr(out))
    # The sanitizer wants addresses that no randomisation has moved too far.
    return ["setarch", "--addr-no-randomize", program]


def test_two_threads_with_a_model_each(tmp_path):
    out = run(*compiled(EXAMPLE, tmp_path / "threads", library()))
    equal((out.code, out.err), (0, ""))
    contains(out.out, "cortex-a72: cycles 200000, refills 10000\n")


def test_a_race_would_be_seen(tmp_path):
    with open(EXAMPLE) as f:
        shared = f.read().replace("simulate, &cores[i]", "simulate, &cores[0]")
    (tmp_path / "shared.c").write_text(shared)
    out = run(*compiled(tmp_path / "shared.c", tmp_path / "shared", library()))
    assert out.code, out
    contains(out.err, "WARNING: ThreadSanitizer: data race")
