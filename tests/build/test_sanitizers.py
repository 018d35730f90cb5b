# SPDX-License-Identifier: MIT
"""The unit tests and pmk itself stay clean under AddressSanitizer and
UndefinedBehaviorSanitizer."""
import os

from harness import *

TREE = os.path.join(WORK, "sanitized")


def build():
    known = ("--reconfigure",) if os.path.exists(os.path.join(TREE, "build.ninja")) else ()
    out = run("meson", "setup", *known, TREE, SOURCE, "-Dbuildtype=debugoptimized",
              "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Doptimization=1",
              "-Dtests=true", "-Ddocs=disabled")
    assert out.code == 0, out
    out = run("ninja", "-C", TREE, "--quiet")
    assert out.code == 0, out


def sanitized_tests():
    out = run("meson", "introspect", "--tests", TREE)
    return json.loads(out.out)


def test_unit_tests_are_clean():
    build()
    tests = sanitized_tests()
    assert tests, "no unit tests in the sanitized build: cmocka is missing"
    for t in tests:
        out = run(*t["cmd"], env=dict(os.environ,
                                      UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"))
        assert out.code in (0, 77), f"{t['name']}: {out}"
        assert "ERROR: " not in out.err or "Sanitizer" not in out.err, f"{t['name']}: {out}"


def test_pmk_is_clean():
    build()
    prog = compile_arm(os.path.join(SOURCE, "examples/linux/crc.c"), "crc-sanitized", "-O2",
                       "-static")
    # The plugin lives in QEMU, which is not sanitized: the ordinary one is loaded.
    env = dict(os.environ, PMK_PLUGIN=BUILD,
               UBSAN_OPTIONS="halt_on_error=1")
    for argv, code in ((("stat", "-e", "all", "-r", "2", prog), 0),
                       (("stat", "-j", "--region", "crc32", prog), 0),
                       (("stat", "-x,", "-I", "10ms", "-e", "{cycles,br_exec},r0b", prog), 0),
                       (("stat", "-e", "nonsense", prog), 129),
                       (("list", "-v"), 0), (("info", "PMNC"), 0), (("info", "cpi"), 0),
                       (("decode", "arm1176", "PMNC=0x00b0b701"), 0)):
        out = run(os.path.join(TREE, "pmk"), *argv, env=env)
        equal(out.code, code, f"{argv}: {out}")
        assert "Sanitizer" not in out.err and "runtime error" not in out.err, f"{argv}: {out}"
