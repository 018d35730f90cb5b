# SPDX-License-Identifier: MIT
"""The thread sanitizer finds no race in the library if each thread has its own handle."""
import os

from harness import *
from programs import loop
from trees import build_tree, configure_tree

pytestmark = [pytest.mark.once, nightly]

EXAMPLE = os.path.join(SOURCE, "examples/api/threads.c")
COUNTING = os.path.join(SOURCE, "examples/api/count_threads.c")


@pytest.fixture(scope="module")
def library():
    tree = configure_tree("threads", "-Dbuildtype=debugoptimized", "-Doptimization=1",
                          "-Db_sanitize=thread", "-Db_lundef=false")
    build_tree(tree, "libpmk.a")
    return os.path.join(tree, "libpmk.a")


def compiled(source, program, *libraries):
    out = run("gcc", "-std=c11", "-g", "-O1", "-fsanitize=thread", "-pthread", "-I",
              os.path.join(SOURCE, "include"), "-o", program, source, *libraries)
    equal(out.code, 0, repr(out))
    # The sanitizer fails if address randomisation moves the program too far.
    return ["setarch", "--addr-no-randomize", program]


def test_two_threads_with_a_model_each(tmp_path, library):
    out = run(*compiled(EXAMPLE, tmp_path / "threads", library))
    equal((out.code, out.err), (0, ""))
    contains(out.out, "cortex-a72: cycles 200000, refills 10000\n")


def test_threads_that_each_count_a_program(tmp_path, library):
    libs = run("pkg-config", "--libs", "capstone", "libelf", "inih", "json-c", "zlib").out.split()
    command = compiled(COUNTING, tmp_path / "counting", library, *libs, "-lm")
    env = dict(os.environ, PMK_DATA=os.path.join(SOURCE, "data"), PMK_PLUGIN=BUILD)
    # Four threads count. Two count a program in the emulator, one counts a program with the kernel,
    # and one tries to count a program that does not exist.
    here = next(p for p in ("/bin/true", "/usr/bin/true") if os.path.exists(p))
    out = run(*command, loop(1000), here, "/no/such/program", loop(50), env=env)
    contains(out.out, "0: cycles 14322\n0: instructions 8005\n")
    contains(out.out, "3: cycles 1022\n3: instructions 405\n")
    contains(out.err, "/no/such/program: command not found\n")
    assert "ThreadSanitizer" not in out.err, out


def test_a_race_would_be_seen(tmp_path, library):
    with open(EXAMPLE) as f:
        shared = f.read().replace("simulate, &cores[i]", "simulate, &cores[0]")
    (tmp_path / "shared.c").write_text(shared)
    command = compiled(tmp_path / "shared.c", tmp_path / "shared", library)
    seen = "WARNING: ThreadSanitizer: data race"
    # The program is repeated. On a busy machine its threads may run one after the other, or the
    # race may break it before ThreadSanitizer reports it.
    for _ in range(20):
        out = run(*command)
        if seen in out.err:
            break
    assert out.code, out
    contains(out.err, seen)
