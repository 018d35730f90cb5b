# SPDX-License-Identifier: MIT
"""The installed library has the right symbols, programs can be built with it, and it can be
moved."""
import os
import re
import shutil

from harness import *
import installed

# Functions of <pmk/native.h> that only libraries for certain processors contain.
NATIVE = {"pmk_native_fixup", "pmk_native_probe", "pmk_port_cp15_pmuv3", "pmk_port_native"}

PROGRAM = """\
#include <stdio.h>
#include <pmk/arm11.h>

int main(void)
{
	const struct pmk_event *ev = pmk_pmu_event(&pmk_arm1176, "dcache_miss");

	/* The table in the library and the name in the program are one object. */
	if (pmk_pmu_find("arm1176") != &pmk_arm1176)
		return 1;
	printf("%s 0x%02x, %s\\n", ev->name, ev->code, pmk_strerror(PMK_ENOCTR));
	return 0;
}
"""


@pytest.fixture(scope="module")
def public(there, tmp_path_factory):
    """Returns the functions and variables that the headers declare."""
    scratch = tmp_path_factory.mktemp("declared")
    names = {h: installed.declared(there.include, h, scratch) for h in there.headers()}
    assert "pmk_strerror" in names[
        "error.h"] and "pmk_pmus" in names["pmu.h"] and "pmk_l220" in names["l2cc.h"]
    return set().union(*names.values())


def source(tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    return tmp_path / "program.c"


def test_it_shows_what_the_headers_declare_and_nothing_else(there, public):
    shown = installed.symbols(os.path.join(there.lib, "libpmk.so"), "--dynamic") - {"PMK_0"}
    equal(shown | NATIVE, public)


def test_what_is_in_the_archive_is_called_pmk(there):
    defined = installed.symbols(os.path.join(there.lib, "libpmk.a"))
    assert "pmk_strerror" in defined
    equal({name for name in defined if not name.startswith("pmk_")}, set())


def test_it_has_a_soname(there):
    out = run("readelf", "-d", os.path.join(there.lib, "libpmk.so"))
    contains(out.out, "Library soname: [libpmk.so.0]")
    assert os.path.islink(os.path.join(there.lib, "libpmk.so"))
    assert os.path.islink(os.path.join(there.lib, "libpmk.so.0"))


@pytest.mark.parametrize("how", ["shared", "static"])
def test_a_program_is_built_with_it(there, tmp_path, how):
    program = there.compile([source(tmp_path)], how, tmp_path / "program")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", program).out)
    equal([name for name in needed if "libc.so" not in name],
          ["libpmk.so.0"] if how == "shared" else [])
    out = run(program, env=there.env)
    equal(out.out, "dcache_miss 0x0b, no free counter can count this event\n", repr(out))


def test_it_can_be_moved(there, tmp_path):
    moved = installed.Installed(there.moved(tmp_path / "moved"))
    flags = moved.flags("--cflags", "--libs", "pmk")
    equal([f for f in flags if there.prefix in f], [])
    program = moved.compile([source(tmp_path)], "shared", tmp_path / "program")
    equal(run(program, env=moved.env).code, 0)


def test_no_file_names_the_place_it_was_built_for(there):
    for folder, _, names in os.walk(there.prefix):
        for name in names:
            if name.endswith((".pc", ".cmake")):
                with open(os.path.join(folder, name)) as f:
                    text = f.read()
                assert there.prefix not in text and "/usr/local" not in text, name


def test_firmware_is_built_with_the_two_files(there, tmp_path):
    have("arm-none-eabi-gcc")
    (tmp_path / "main.c").write_text("""\
#include "pmk_target.h"

static struct pmk_target pmu;

int count(void)
{
	return pmk_target_open(&pmu, &pmk_arm1176, pmk_port_native());
}
""")
    flags = there.flags("--cflags", "pmk-target")
    two_files = there.flags("--variable=source", "pmk-target")
    out = run("arm-none-eabi-gcc", "-mcpu=arm1176jzf-s", "-marm", "-ffreestanding", "-nostdlib",
              "-r", "-Os", *flags, "-o", tmp_path / "firmware.o", tmp_path / "main.c", *two_files)
    equal(out.code, 0, repr(out))
    contains(run("arm-none-eabi-nm", tmp_path / "firmware.o").out, " T pmk_target_open\n")


def test_firmware_is_built_with_an_archive_of_its_target(there):
    equal(there.flags("--define-variable=target=armv8-a", "--libs", "pmk-target"),
          [f"-L{there.pkgconfig}/" + os.path.relpath(there.prefix, there.pkgconfig)
           + "/lib/pmk/target/armv8-a", "-lpmk-target"])
