# SPDX-License-Identifier: MIT
"""The files of `make install` work from where they are installed."""
import os

from harness import *


def test_installed_pmk_finds_its_plugin_and_data():
    with tempfile.TemporaryDirectory(dir=WORK) as root:
        out = run("meson", "install", "-C", BUILD, "--destdir", root, "--no-rebuild")
        assert out.code == 0, out
        bin_dir = os.path.join(root, "usr/local/bin")
        # The program runs outside the build tree, without the environment variables with which it
        # would find its files.
        env = {k: v for k, v in os.environ.items() if not k.startswith("PMK_")}
        prog = compile_arm(os.path.join(SOURCE, "examples/linux/crc.c"), "crc-installed", "-O2",
                           "-static")
        out = run(os.path.join(bin_dir, "pmk"), "stat", "-e", "instr_exec", "-x,", prog, env=env,
                  cwd=root)
        equal(out.code, 0, repr(out))
        contains(out.err, ",instr_exec,")
        out = run(os.path.join(bin_dir, "pmk"), "list", "cores", env=env, cwd=root)
        contains(out.out, "arm1176")
        for page in ("pmk.1", "pmk-stat.1", "pmk-list.1", "pmk-info.1", "pmk-decode.1"):
            assert os.path.exists(os.path.join(root, "usr/local/share/man/man1", page)), page
        assert os.path.exists(os.path.join(root,
                                           "usr/local/share/bash-completion/completions/pmk"))
