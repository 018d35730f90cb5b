# SPDX-License-Identifier: MIT
"""The files of `make install`, for tests that build with them, in a separate folder outside the
build tree. The fixture `there` is installed once for all tests of a session; no test changes it.

    def test(there, tmp_path):
        program = there.compile([path], "shared", tmp_path / "program")
        out = run(program, env=there.env)
"""
import os
import re
import shlex
import shutil
import subprocess

from harness import BUILD, SOURCE, locked, run

PREFIX = "/opt/pmukit"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def install_once(folder):
    """Installs below `folder`, unless another process of this session did so. Returns the
    prefix."""
    os.makedirs(folder, exist_ok=True)
    done = os.path.join(folder, "done")
    with locked(done):
        if not os.path.exists(done):
            out = run(os.path.join(SOURCE, "scripts/install"), BUILD, PREFIX, folder)
            assert out.code == 0, out
            open(done, "w").close()
    return f"{folder}{PREFIX}"


class Installed:
    def __init__(self, prefix):
        self.prefix = str(prefix)
        self.include = os.path.join(self.prefix, "include")
        places = [d for d, _, names in os.walk(self.prefix) if "pmk.pc" in names]
        assert len(places) == 1, places
        self.pkgconfig = places[0]
        self.lib = os.path.dirname(self.pkgconfig)
        # The environment has none of the variables with which pmk could find the build tree.
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("PMK_")}
        self.env.update(PKG_CONFIG_PATH=self.pkgconfig, LD_LIBRARY_PATH=self.lib)

    def moved(self, prefix):
        """Copies the files to another prefix, and returns the prefix."""
        shutil.copytree(self.prefix, prefix, symlinks=True)
        return prefix

    def flags(self, *words):
        out = run("pkg-config", *words, env=self.env)
        assert out.code == 0, out
        return shlex.split(out.out)

    def headers(self):
        """Returns the names of the public headers, such as "arm11.h"."""
        return sorted(os.listdir(os.path.join(self.include, "pmk")))

    def compile(self, sources, how, program, *flags, compiler=("gcc", "-std=c11")):
        """Links with the shared library, or, if `how` is "static", with all libraries in the
        program. Returns the program's path."""
        flags = list(flags) + self.flags("--cflags", "pmk")
        libs = self.flags("--libs", "pmk")
        if how == "static":
            libs = ["-static", *self.flags("--static", "--libs", "pmk")]
        out = run(*compiler, *WARNINGS, *flags, "-o", program, *sources, *libs)
        assert out.code == 0, out
        return program


def symbols(path, *options):
    """Returns the global symbols that an object or a library defines."""
    out = subprocess.run(["nm", "--defined-only", "--extern-only", *options, path],
                         capture_output=True, text=True, check=True).stdout
    return {re.sub("@.*", "", words[2]) for words in map(str.split, out.splitlines())
            if len(words) == 3}


def declared(include, header, scratch):
    """Returns the names of the functions and objects that a header itself declares, except inline
    functions."""
    source = os.path.join(scratch, "declared.c")
    listed = os.path.join(scratch, "declared.txt")
    with open(source, "w") as f:
        f.write(f"#include <pmk/{header}>\n")
    # GCC writes the prototypes to a file, which ccache does not store, so ccache is off.
    out = run("gcc", "-std=c11", "-I", include, "-fsyntax-only", "-aux-info", listed, source,
              env={**os.environ, "CCACHE_DISABLE": "1"})
    assert out.code == 0, out
    with open(listed) as f:
        own = [line for line in f if f"/pmk/{header}:" in line
               and not re.search(r"\*/ static ", line)]
    # The name is directly before the first bracket, except in pointers to functions.
    names = {re.search(r"(\w+) \(", line.split("*/", 1)[1]).group(1) for line in own}
    with open(os.path.join(include, "pmk", header)) as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    for declaration in re.findall(r"^extern (?!\"C\")([^;]*);", text, re.M):
        for declarator in re.sub(r"\[[^]]*\]", "", declaration).split(","):
            names.add(re.search(r"(\w+)\s*$", declarator).group(1))
    return names
