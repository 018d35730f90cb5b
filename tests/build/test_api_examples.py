# SPDX-License-Identifier: MIT
"""The programs of examples/api print the right output when they are built with the installed
library, by pkg-config and by CMake. docs/api.md shows code of these programs, and lists all
headers."""
import os
import re

from harness import *
from programs import loop

HERE = os.path.join(SOURCE, "examples/api")
# {program: (sources, arguments, output)}
EXAMPLES = {
    # 100 misses take 20 cycles each and 900 hits take one, and counting begins three cycles late.
    # After 50 misses a counter overflows and raises an interrupt.
    "model": (["model.c"], [], "cycles 2897, misses 50 since the overflow, instructions 1000, "
                               "interrupts 1\n"),
    "dump": (["dump.c"], ["core.vcd", "core.ini"],
             "24 edges\ntb.core.retired 14\ntb.core.dcache_miss 3\n"),
    # The loop executes 8 instructions per pass, and 5 more. The cycles are those of the model.
    "count": (["count.c"], [lambda: loop(1000)], "cycles 14322\ninstructions 8005\n"),
    "count_threads": (["count_threads.c"], [lambda: loop(1000), lambda: loop(50)],
                      "0: cycles 14322\n0: instructions 8005\n"
                      "1: cycles 1022\n1: instructions 405\n"),
    # `pmk report` shows these numbers for this file.
    "capture": (["capture.c"], [os.path.join(SOURCE, "tests/fuzz/corpus/dump/firmware")], """\
region 0, entered 3 times: cpu_cycles 6000
region 0, entered 3 times: br_exec 60
region 1, entered 0 times: cpu_cycles 0
region 1, entered 0 times: br_exec 0
region 2, entered 1 times: cpu_cycles 5
region 2, entered 1 times: br_exec 0
region 3, entered 1 times: cpu_cycles 105
region 3, entered 1 times: br_exec 700
"""),
    "threads": (["threads.c"], [], "cortex-a53: cycles 200000, refills 6000\n"
                                   "cortex-a72: cycles 200000, refills 10000\n"),
    "firmware_on_host": (["firmware_on_host.c", "firmware.c"], [], """\
pmk: arm1176, 2 events
           total    own cost      nested  event
             300           0           0  cpu_cycles
               7           0           0  dcache_miss
region work: 1 time
       net total       raw total        mean      stddev         min         max  event
             300             300      300.00        0.00         300         300  cpu_cycles
               7               7        7.00        0.00           7           7  dcache_miss
"""),
}


def check(program, name, env):
    _, arguments, wanted = EXAMPLES[name]
    out = run(program, *(a() if callable(a) else a for a in arguments), env=env, cwd=HERE)
    equal((out.code, out.out, out.err), (0, wanted, ""))


def test_every_example_is_run():
    sources = {name for sources, _, _ in EXAMPLES.values() for name in sources}
    equal({name for name in os.listdir(HERE) if name.endswith(".c")}, sources)


def libelf_is_whole(tmp_path):
    """Returns false for Debian 13's libelf.a, which calls functions that are in none of its
    libraries."""
    source = tmp_path / "libelf.c"
    source.write_text("#include <libelf.h>\n"
                      "int main(void) { return elf_version(EV_CURRENT) == EV_NONE || "
                      "elf_begin(0, ELF_C_READ, 0) != 0; }\n")
    out = run("gcc", "-static", "-o", tmp_path / "libelf", source, "-lelf", "-lz", "-lzstd")
    return "undefined reference to `eu_" not in out.err


@pytest.mark.parametrize("how", ["shared", "static"])
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_built_by_pkg_config(there, tmp_path, name, how):
    sources = [os.path.join(HERE, source) for source in EXAMPLES[name][0]]
    env = dict(there.env)
    if how == "static":
        if name.startswith("count") and not libelf_is_whole(tmp_path):
            pytest.skip("the distribution's libelf.a lacks functions: nothing that reads ELF "
                        "files can be linked statically")
        # The library finds its files relative to itself, but a static program is in another folder.
        env.update(PMK_DATA=os.path.join(there.prefix, "share/pmk"),
                   PMK_PLUGIN=os.path.join(there.prefix, "lib/pmk"))
    check(there.compile(sources, how, tmp_path / name, "-pthread"), name, env)


def test_the_shared_library_asks_for_nothing_else(there, tmp_path):
    """A program that uses the shared library needs no headers and no .pc files of the libraries on
    which libpmk depends."""
    alone = dict(there.env, PKG_CONFIG_LIBDIR=str(tmp_path), PKG_CONFIG_PATH=there.pkgconfig)
    out = run("pkg-config", "--cflags", "--libs", "pmk", env=alone)
    equal((out.code, out.err), (0, ""))
    flags = out.out.split()
    equal([f for f in flags if f.startswith("-l")], ["-lpmk"])
    equal([os.path.normpath(f[2:]) for f in flags if f.startswith("-I")], [there.include])
    static = run("pkg-config", "--static", "--libs", "pmk", env=alone)
    equal(static.code, 0, repr(static))
    assert {"-lpmk", "-lcapstone", "-lelf", "-linih", "-ljson-c",
            "-lm"} <= set(static.out.split()), static


def test_built_below_a_prefix_with_a_space(there, tmp_path):
    prefix = tmp_path / "with a space"
    shutil.copytree(there.prefix, prefix, symlinks=True)
    env = {name: value.replace(there.prefix, str(prefix)) for name, value in there.env.items()}
    line, = re.findall(r'`(eval "cc … \$\(pkg-config …\)")`', page())
    line = line.replace("…", f"-std=c11 -o {tmp_path}/model {HERE}/model.c", 1).replace("…",
            "--cflags --libs pmk")
    out = run("sh", "-c", line, env=env)
    equal((out.code, out.err), (0, ""))
    check(tmp_path / "model", "model", env)


def test_built_by_cmake(there, tmp_path):
    have("cmake")
    out = run("cmake", "-S", HERE, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={there.prefix}",
              env=there.env)
    equal(out.code, 0, repr(out))
    out = run("cmake", "--build", tmp_path, env=there.env)
    equal(out.code, 0, repr(out))
    for name in EXAMPLES:
        check(tmp_path / name, name, there.env)
    no_library = {k: v for k, v in there.env.items() if k != "LD_LIBRARY_PATH"}
    check(tmp_path / "model_static", "model", no_library)


def test_linked_into_one_file_by_cmake(there, tmp_path):
    have("cmake")
    if not libelf_is_whole(tmp_path):
        pytest.skip("the distribution's libelf.a lacks functions: nothing that reads ELF files "
                    "can be linked statically")
    (tmp_path / "CMakeLists.txt").write_text(f"""\
cmake_minimum_required(VERSION 3.13)
project(whole C)
find_package(pmk REQUIRED)
add_executable(count {HERE}/count.c)
target_link_libraries(count pmk::static -static)
""")
    for step in (("-S", tmp_path, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={there.prefix}"),
                 ("--build", tmp_path)):
        out = run("cmake", *step, env=there.env)
        equal(out.code, 0, repr(out))
    check(tmp_path / "count", "count",
          dict(there.env, PMK_DATA=os.path.join(there.prefix, "share/pmk"),
               PMK_PLUGIN=os.path.join(there.prefix, "lib/pmk")))


@cases("wanted, found", [("0.1", True), ("0.1.0", True), ("0.2", False), ("1.0", False),
                         ("0.1.1", False)])
def test_cmake_looks_at_the_version(there, tmp_path, wanted, found):
    have("cmake")
    (tmp_path / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.13)\nproject(v C)\n"
                                             f"find_package(pmk {wanted} REQUIRED)\n")
    out = run("cmake", "-S", tmp_path, "-B", tmp_path / "build",
              f"-DCMAKE_PREFIX_PATH={there.prefix}", env=there.env)
    equal(out.code == 0, found, repr(out))


def test_firmware_is_compiled_for_its_target(there, tmp_path):
    have("arm-none-eabi-gcc")
    made = tmp_path / "firmware.o"
    out = run("arm-none-eabi-gcc", "-mcpu=arm1176jzf-s", "-marm", "-ffreestanding", "-nostdlib",
              "-r", "-Os", *there.flags("--cflags", "pmk-target"), "-o", made,
              os.path.join(HERE, "firmware.c"), *there.flags("--variable=source", "pmk-target"))
    equal(out.code, 0, repr(out))
    # The object may refer only to the program's own function, and to the four functions that every
    # C compiler calls.
    missing = set(re.findall(r" U (\w+)$", run("arm-none-eabi-nm", made).out, re.M))
    equal(missing - {"memcpy", "memset", "memmove", "memcmp"}, set())


def page():
    with open(os.path.join(SOURCE, "docs/api.md")) as f:
        return f.read()


def test_the_page_lists_every_header(there):
    listed = re.findall(r"\[(\w+\.h)\]\(\.\./include/pmk/\1\)", page().split("## Headers")[1])
    equal(sorted(listed), there.headers())


def test_the_page_shows_what_is_there():
    code = "".join(open(os.path.join(HERE, name)).read() for name in sorted(os.listdir(HERE))
                   if name.endswith(".c"))
    code += open(os.path.join(SOURCE, "bindings/rust/build.rs")).read()
    known = set(re.findall(r"\b(?:pmk|PMK)_\w+", code)) | set().union(
        *(re.findall(r"\b(?:pmk|PMK)_\w+", open(os.path.join(SOURCE, "include/pmk", h)).read())
          for h in os.listdir(os.path.join(SOURCE, "include/pmk"))))
    shown = set(re.findall(r"\b(?:pmk|PMK)_\w+\b", page()))
    equal(shown - known, set())
    for name in re.findall(r"\(\.\./examples/api/(\w+\.c)\)", page()):
        assert os.path.exists(os.path.join(HERE, name)), name


@cases("part", ["libraries", "counting", "recording"])
def test_what_the_documents_print(there, part):
    """The documents' commands, build files and scripts print what the documents show. debian/tests
    runs them with the packages."""
    have("cmake", "aarch64-linux-gnu-gcc", "qemu-system-aarch64", "arm-linux-gnueabi-gcc")
    env = dict(there.env, CMAKE_PREFIX_PATH=there.prefix, AUTOPKGTEST_TMP=WORK,
               PYTHONPATH=os.path.join(there.prefix, "share/pmk/python"))
    out = run(os.path.join(SOURCE, "debian/tests/documented"), part, env=env)
    equal(out.code, 0, str(out))
