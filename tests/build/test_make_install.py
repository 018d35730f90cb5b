# SPDX-License-Identifier: MIT
"""`make install` puts everything below the given prefix, the installed pmk works without the build
tree, and `make uninstall` removes the installed files and nothing else."""
import os
import shutil
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import BUILD, SOURCE, compile_arm, run, unprivileged  # noqa: E402


def make(target, *variables):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    return run("make", "-C", SOURCE, "--no-print-directory", target, f"BUILD={BUILD}", *variables,
               env=env, timeout=600)


def tree(top):
    return {os.path.relpath(os.path.join(d, name), top)
            for d, folders, files in os.walk(top) for name in folders + files}


@pytest.fixture
def somewhere(tmp_path):
    """Returns a folder outside the build tree. Inside the build tree, pmk would use the data of the
    sources."""
    assert not str(tmp_path).startswith(BUILD)
    return tmp_path


def test_installed_below_another_prefix_it_works_there(somewhere):
    """The installed files still work after they were moved to another folder."""
    out = make("install", "prefix=/opt/a b", f"DESTDIR={somewhere}/staged")
    said = f"make uninstall prefix='/opt/a b' DESTDIR={somewhere}/staged removes them"
    assert out.code == 0 and said in out.out, out
    installed = tree(somewhere / "staged")
    assert installed >= {"opt/a b/bin/pmk", "opt/a b/share/man/man1/pmk-stat.1",
                         "opt/a b/include/pmk/pmu.h",
                         "opt/a b/share/bash-completion/completions/pmk"}
    assert sorted(p for p in installed if not p.startswith("opt/a b/")) == ["opt", "opt/a b"]
    shutil.copytree(somewhere / "staged/opt/a b", somewhere / "moved", symlinks=True)
    assert make("uninstall", "prefix=/opt/a b", f"DESTDIR={somewhere}/staged").code == 0
    assert not tree(somewhere / "staged")
    pmk = somewhere / "moved/bin/pmk"
    env = {k: v for k, v in os.environ.items() if not k.startswith("PMK_")}
    program = compile_arm(os.path.join(SOURCE, "examples/linux/crc.c"), "crc-installed", "-O2",
                          "-static")
    out = run(pmk, "stat", "-e", "instr_exec", "-x,", program, env=env, cwd=somewhere)
    assert out.code == 0 and ",instr_exec," in out.err, out
    out = run(pmk, "list", "cores", env=env, cwd=somewhere)
    assert "arm1176" in out.out, out
    out = run(pmk, "doctor", env=env, cwd=somewhere)
    assert str(somewhere
               / "moved") in out.out and SOURCE not in out.out and BUILD not in out.out, out


def test_uninstall_takes_what_was_installed_and_nothing_else(somewhere):
    """`make uninstall` removes exactly the installed files. An installation also removes files of
    an older version that the new version does not have."""
    where = ["prefix=/usr", f"DESTDIR={somewhere}"]
    (somewhere / "usr/bin").mkdir(parents=True)
    (somewhere / "usr/bin/other").write_text("of somebody else\n")
    before = tree(somewhere)
    assert make("install", *where).code == 0
    new = tree(somewhere)
    assert "usr/bin/pmk" in new
    old = somewhere / "usr/lib/pmk/older/pmk-old.so"
    old.parent.mkdir()
    old.write_text("")
    with open(somewhere / "usr/share/pmk/installed", "a") as f:
        f.write("/usr/lib/pmk/older/pmk-old.so\n/usr/lib/pmk/older/\n")
    assert make("install", *where).code == 0
    assert tree(somewhere) == new
    # Python writes such a file when the package is used.
    compiled = somewhere / "usr/share/pmk/python/pmk/__pycache__"
    compiled.mkdir()
    (compiled / "models.pyc").write_text("")
    out = make("uninstall", *where)
    assert out.code == 0, out
    assert tree(somewhere) == before
    out = make("uninstall", *where)
    assert out.code and "nothing is installed below" in out.err, out


def test_a_build_tree_of_another_user(somewhere):
    (somewhere / "build/meson-logs").mkdir(parents=True)
    os.chmod(somewhere / "build/meson-logs", 0o555)
    out = run(*unprivileged(os.path.join(SOURCE, "scripts/install"), somewhere / "build",
                            somewhere / "prefix"))
    assert out.code and out.err.count("\n") == 1, out
    why = f"scripts/install: {somewhere}/build/meson-logs is another user's; install as that one"
    assert why in out.err, out


@pytest.mark.parametrize("variable", ["bindir", "libdir", "mandir"])
def test_a_directory_that_cannot_be_chosen_is_refused(somewhere, variable):
    out = make("install", f"DESTDIR={somewhere}", f"{variable}=/elsewhere")
    assert out.code and f"{variable} cannot be chosen" in out.err, out
    assert not tree(somewhere)


def test_a_relative_prefix_is_refused(somewhere):
    out = make("install", "prefix=here", f"DESTDIR={somewhere}")
    assert out.code and "prefix=here is no path from the root" in out.err, out
    assert not tree(somewhere)
