# SPDX-License-Identifier: MIT
"""AddressSanitizer and UndefinedBehaviorSanitizer find nothing in the unit tests, in pmk and in its
plugin."""
import os
import sys

from harness import *

sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))
import test_hostile
from programs import build
from test_processes import FORK, assemble, threads
from trees import build_tree, configure_tree

pytestmark = [pytest.mark.once, pytest.mark.ci]

TREE = os.path.join(WORK, "sanitized")


def sanitized_tests():
    with open(os.path.join(TREE, "meson-info", "intro-tests.json")) as f:
        return json.load(f)


@pytest.fixture(scope="module", autouse=True)
def sanitized():
    """Builds pmk, the plugin, the unit tests and the vectors with sanitizers, and runs the tests
    and vectors."""
    configure_tree("sanitized", "-Dbuildtype=debugoptimized", "-Db_sanitize=address,undefined",
                   "-Db_lundef=false", "-Doptimization=0", "-Dtests=true")
    programs = {os.path.relpath(t["cmd"][0], TREE) for t in sanitized_tests()}
    with open(os.path.join(TREE, "meson-info", "intro-targets.json")) as f:
        modules = [os.path.relpath(target["filename"][0], TREE) for target in json.load(f)
                   if target["name"].startswith("pmk-qemu-")]
    build_tree(TREE, "pmk", *modules, *sorted(programs))


def test_unit_tests_are_clean():
    tests = sanitized_tests()
    assert tests, "no unit tests in the sanitized build: cmocka is missing"
    for t in tests:
        out = run(*t["cmd"], env=dict(os.environ,
                                      UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"))
        assert out.code in (0, 77), f"{t['name']}: {out}"
        assert "ERROR: " not in out.err or "Sanitizer" not in out.err, f"{t['name']}: {out}"


def crc():
    """Builds the example with a sixteenth of its words, because a sanitized plugin takes ten times
    as long."""
    with open(os.path.join(SOURCE, "examples/linux/crc.c")) as f:
        text = f.read()
    contains(text, "#define WORDS 65536")
    return build("crc-sanitized", text.replace("#define WORDS 65536", "#define WORDS 4096"), "-O2",
                 "-static")


def test_pmk_is_clean():
    prog = crc()
    # QEMU is not sanitized, so it loads the ordinary plugin.
    env = dict(os.environ, PMK_PLUGIN=BUILD,
               UBSAN_OPTIONS="halt_on_error=1")
    for argv, code in ((("stat", "-e", "all", "-r", "2", prog), 0),
                       (("stat", "--json-document", "--region", "crc32", prog), 0),
                       (("stat", "-x,", "-I", "10ms", "-e", "{cycles,br_exec},r0b", prog), 0),
                       (("stat", "-e", "nonsense", prog), 129),
                       (("list", "-v"), 0), (("info", "PMNC"), 0), (("info", "cpi"), 0),
                       (("decode", "arm1176", "PMNC=0x00b0b701"), 0)):
        out = run(os.path.join(TREE, "pmk"), *argv, env=env)
        equal(out.code, code, f"{argv}: {out}")
        assert "Sanitizer" not in out.err and "runtime error" not in out.err, f"{argv}: {out}"


def test_pmk_is_clean_whatever_the_program_writes():
    env = dict(os.environ, PMK_PLUGIN=BUILD, UBSAN_OPTIONS="halt_on_error=1")
    for place in ("header", "nblocks", "vcpu", "plan", "models", "bus", "chip"):
        for what in ("0xff", "random"):
            how = ("--core", "arm926") if place == "chip" else ("--region", "main")
            out = test_hostile.attack((place, what), how=how, env=env,
                                      command=os.path.join(TREE, "pmk"))
            test_hostile.refused(out, how)


def runtime():
    """Returns the runtime library that an unsanitized program must load before it can load a
    sanitized library."""
    out = run("cc", "-print-file-name=libasan.so")
    return os.path.realpath(out.out.strip())


def test_the_plugin_is_clean():
    """The emulator loads the sanitized plugin, which counts the same as the ordinary plugin."""
    hello = crc()
    fork = assemble("fork", FORK, "-DCHILDREN=3", "-DLOOPS=100")
    sanitize = [word for name, value in (("LD_PRELOAD", runtime()),
                                         ("ASAN_OPTIONS", "detect_leaks=0"),
                                         ("UBSAN_OPTIONS", "halt_on_error=1"))
                for word in ("--env", f"{name}={value}")]
    for argv in (("-e", "all", fork), ("-e", "instr_exec,br_exec", threads(), "work", "3"),
                 ("-e", "instr_exec", "--region", "crc32", hello),
                 ("-e", "instr_exec", "-I", "100000insns", hello),
                 ("-e", "instr_exec", "--set", "l2=l220", fork), ("--core", "arm926", hello),
                 ("-e", "instr_exec", threads(), "beyond", "66")):
        values = []
        for plugin in (BUILD, TREE):
            out = run(PMK, "stat", "-x,", *sanitize, *argv, env=dict(os.environ, PMK_PLUGIN=plugin))
            assert "Sanitizer" not in out.err and "runtime error" not in out.err, f"{argv}: {out}"
            rows = [line.split(",") for line in out.err.splitlines() if ",exact," in line]
            values.append((out.code, [(row[0], row[2]) for row in rows]))
        assert values[0][0] in (0, 5), f"{argv}: {out}"
        equal(values[1], values[0], argv)
