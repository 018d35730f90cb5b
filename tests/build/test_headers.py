# SPDX-License-Identifier: MIT
"""Each installed public header compiles by itself, in C and in C++; headers for firmware compile
without a libc. A C++ program links with every function that the headers declare."""
import os
import shlex

from harness import *
import installed

# These headers need parts of a libc; all others are freestanding.
HOSTED = {"result.h": {"stdio.h"}}
COMPILERS = [
    ("c11", "gcc -std=c11 -Wstrict-prototypes"),
    ("c11-clang", "clang -std=c11"),
    ("c++17", "g++ -std=c++17"),
    ("c++17-clang", "clang++ -std=c++17"),
]
FREESTANDING = [
    ("host", "gcc -std=c11 -ffreestanding -nostdlib"),
    ("armv6", "arm-none-eabi-gcc -std=c11 -mcpu=arm1176jzf-s -ffreestanding -nostdlib"),
    ("armv8-a", "aarch64-linux-gnu-gcc -std=c11 -ffreestanding -nostdlib"),
    ("riscv64", "riscv64-linux-gnu-gcc -std=c11 -ffreestanding -nostdlib"),
    ("c++", "g++ -std=c++17 -ffreestanding -nostdlib"),
]


def compile_each(headers, compiler, include, tmp_path, *flags):
    """Writes a file for each header, and compiles all files in one process."""
    words = shlex.split(compiler)
    have(words[0])
    suffix = "cc" if "++" in words[0] else "c"
    for header in headers:
        # Each header is included twice, and is followed by a declaration, which must still be
        # valid.
        (tmp_path / f"{header}.{suffix}").write_text(
            f"#include <pmk/{header}>\n#include <pmk/{header}>\nint pmk_alone(void);\n"
            f"int pmk_alone(void) {{ return 0; }}\n")
    out = run(*words, *installed.WARNINGS, *flags, "-I", include, "-fsyntax-only",
              *(f"{header}.{suffix}" for header in headers), cwd=tmp_path)
    equal((out.code, out.err), (0, ""))


@cases("name, compiler", COMPILERS)
def test_each_compiles_alone(there, tmp_path, name, compiler):
    headers = there.headers()
    assert len(headers) > 30
    compile_each(headers, compiler, there.include, tmp_path)


@cases("name, compiler", FREESTANDING)
def test_each_compiles_without_a_libc(there, tmp_path, name, compiler):
    headers = [h for h in there.headers() if h not in HOSTED]
    assert "target.h" in headers and "model.h" in headers
    # Only the compiler's own headers may be found. `own` is their folder, which has no headers of
    # the system.
    words = shlex.split(compiler)
    own = run(words[0], "-print-file-name=include").out.strip()
    # GCC's stdint.h includes the system's header, unless -ffreestanding is given.
    compile_each(headers, compiler, there.include, tmp_path, "-nostdinc", "-isystem", own)


@cases("compiler", ["g++ -std=c++11 -Wshadow", "clang++ -std=c++11 -Wshadow-all"])
def test_functions_and_structs_have_different_names(there, tmp_path, compiler):
    """No function has the name of a struct, because in C++ the function would hide the struct."""
    compile_each(there.headers(), compiler, there.include, tmp_path)


def test_a_header_that_needs_a_libc_is_known_to():
    for header, needs in HOSTED.items():
        with open(os.path.join(SOURCE, "include/pmk", header)) as f:
            text = f.read()
        for name in needs:
            contains(text, f"#include <{name}>")


def test_cpp_links_with_all_that_the_library_shows(there, tmp_path):
    names = sorted(installed.symbols(os.path.join(there.lib, "libpmk.so"), "--dynamic") - {"PMK_0"})
    assert len(names) > 200
    lines = [f"#include <pmk/{h}>" for h in there.headers()]
    lines += ["const void *volatile all[] = {", *(f"\t(const void *)&{n}," for n in names), "};"]
    lines += ["int main() { return all[0] == nullptr; }"]
    (tmp_path / "all.cc").write_text("\n".join(lines) + "\n")
    # In ISO C++ the conversion of a function pointer to an object pointer is
    # implementation-defined.
    program = there.compile([tmp_path / "all.cc"], "shared", tmp_path / "all", "-Wno-pedantic",
                            compiler=("g++", "-std=c++17"))
    equal(run(program, env=there.env).code, 0)
