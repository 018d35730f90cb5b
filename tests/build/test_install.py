#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `make install` puts down works from there."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *  # noqa: E402,F403


@test
def installed_pmk_finds_its_plugin_and_data():
    with tempfile.TemporaryDirectory(dir=WORK) as root:
        out = run("meson", "install", "-C", BUILD, "--destdir", root, "--no-rebuild")
        assert out.code == 0, out
        bin_dir = os.path.join(root, "usr/local/bin")
        # Away from the build tree, without the variables that would help it.
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


main()
