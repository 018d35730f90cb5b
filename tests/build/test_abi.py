# SPDX-License-Identifier: MIT
"""As long as the soname is the same, the library's interface is the one with which programs were
built."""
import os
import re
import shutil

from harness import *
import installed

COUNT_H = "include/pmk/count.h"
SONAME = re.search(r"'soversion': '(\d+)'", open(os.path.join(SOURCE, "meson.build")).read())[1]
STORED = os.path.join(SOURCE, f"tests/build/libpmk.so.{SONAME}.abi")


def abi(*words):
    have("abidw", "abidiff")
    if run("uname", "-m").out != "x86_64\n":
        pytest.skip("the stored interface is that of x86-64")
    return run(os.path.join(SOURCE, "scripts/abi"), *words)


def test_the_interface_is_the_stored_one():
    """The interface equals the stored one. A change that breaks programs increases 'soversion' in
    meson.build, and stores a new interface with scripts/abi tests/build/libpmk.so.N.abi. Before the
    release of 0.1.0 no program depends on it, so the stored one is replaced."""
    out = abi("--compare", STORED)
    equal((out.code, out.out), (0, ""), test_the_interface_is_the_stored_one.__doc__)


@cases("what, old, new, breaks", [
    ("a parameter", "pmk_count_stop(struct pmk_count *c, int signal)",
     "pmk_count_stop(struct pmk_count *c, long signal)", True),
    ("a function", "void pmk_count_stop(struct pmk_count *c, int signal);", "", True),
    ("a member in the middle", "\tint32_t cpu;", "\tint64_t cpu;", True),
    ("a member at the end", "\tuint32_t nhistogram;\n",
     "\tuint32_t nhistogram;\n\tint later;\n", False),
    ("a new function", "/* ---- counting",
     "int pmk_count_later(int);\n/* ---- counting", False),
])
def test_changes_that_break_programs_are_found(tmp_path, what, old, new, breaks):
    check_change(tmp_path, COUNT_H, what, old, new, breaks)


@cases("header, old, breaks", [
    # A program can reach a catalogue of events from a stable header, as pmk_arm1176.events.
    ("pmu.h", "struct pmk_event {\n", True),
    ("bus.h", "struct pmk_bus {\n", False),
])
def test_what_stable_headers_reach_is_covered(tmp_path, header, old, breaks):
    """The check covers a struct of a header that may change if stable headers reach the struct. It
    does not cover the other structs of such headers."""
    with open(os.path.join(SOURCE, "include/pmk", header)) as f:
        contains(f.read(), "\n/* May change in 0.x. */\n")
    check_change(tmp_path, f"include/pmk/{header}", header, old, old + "\tint later;\n", breaks)


def check_change(tmp_path, path, what, old, new, breaks):
    shutil.copytree(os.path.join(SOURCE, "include"), tmp_path / "include")
    header = tmp_path / path
    text = header.read_text()
    contains(text, old)
    header.write_text(text.replace(old, new, 1))
    out = abi("--include", tmp_path / "include", "--compare", STORED)
    equal(out.code, int(breaks), f"{what}: {out}")


OLD = """\
#include <stdio.h>
#include <string.h>
#include <pmk/count.h>
#include <pmk/version.h>

/* A program of an earlier version, whose row has fewer members. */
int main(int argc, char **argv)
{
	struct { struct pmk_count_row row; char behind[256]; } room;
	struct pmk_count_listener listener = { .size = sizeof(listener) };
	struct pmk_count *c = pmk_count_new();
	struct pmk_count_row wrong = { .size = 0 };
	struct pmk_count_summary all = { .size = sizeof(all) };

	(void)argc;
	memset(&room, 0x55, sizeof(room));
	room.row.size = sizeof(room.row);
	if (pmk_count_set(c, "event", "page-faults:u") || pmk_count_set(c, "target", "linux") ||
	    pmk_count_program(c, argv + 1) || pmk_count_run(c, &listener))
		return fprintf(stderr, "%s\\n", pmk_count_get_error(c)->text), 1;
	if (!pmk_count_get_row(c, 0, &room.row) || !pmk_count_get_summary(c, &all) || all.runs != 1)
		return 2;
	for (size_t i = 0; i < sizeof(room.behind); i++)
		if (room.behind[i] != 0x55)
			return 3;
	printf("%zu %s %d\\n", sizeof(room.row), room.row.name, room.row.value > 0);
	if (pmk_count_get_row(c, 0, &wrong))
		return 4;
	printf("%s\\n", pmk_count_get_error(c)->text);
	listener.size = 8;
	if (pmk_count_prepare(c, &listener) == 0)
		return 5;
	printf("%s\\n", pmk_count_get_error(c)->text);
	printf("%d\\n", !strcmp(pmk_version(), PMK_VERSION_STRING));
	pmk_count_free(c);
	return 0;
}
"""


def test_an_old_program_runs(there, tmp_path):
    """A program runs that was compiled against headers whose structs have fewer members."""
    shutil.copytree(there.include, tmp_path / "old")
    header = tmp_path / "old/pmk/count.h"
    text = header.read_text()
    old, row = re.subn(r"\t/\* With the setting \"per-thread\".*?nhistogram;\n", "", text,
                       flags=re.S)
    old, listener = re.subn(r"\t/\* Called about five times a second.*?uint64_t insns\);\n", "",
                            old, flags=re.S)
    equal((row, listener), (1, 1), "the newest members are others now")
    header.write_text(old)
    (tmp_path / "old.c").write_text(OLD)
    out = run("cc", "-std=c11", "-Wall", "-Werror", "-I", tmp_path / "old", "-o",
              tmp_path / "old-program", tmp_path / "old.c", "-L", there.lib, "-lpmk")
    equal((out.code, out.err), (0, ""))
    out = run(tmp_path / "old-program", "/bin/true", env=there.env)
    contains(out.out, " page-faults:u 1\n")
    contains(out.out, "struct pmk_count_row: its size is 0; set .size = sizeof(")
    contains(out.out, "struct pmk_count_listener: its size is 8; ")
    equal((out.code, out.out.splitlines()[-1]), (0, "1"), repr(out))


def test_the_package_lists_its_symbols(there):
    """dpkg-gensymbols finds no difference between the library and debian/libpmk0.symbols, which has
    the least version of the library for each symbol. Each new symbol must be added to this file.
    Otherwise dpkg-gensymbols would list the symbol with Debian's revision, which lintian reports as
    an error."""
    with open(os.path.join(SOURCE, "debian/libpmk0.symbols")) as f:
        lines = f.read().splitlines()
    equal(lines[:2], ["libpmk.so.0 libpmk0 #MINVER#", "* Build-Depends-Package: libpmk-dev"])
    listed = {re.match(r" (?:\(\S+\))?(\w+)@PMK_0 \d+\.\d+\.\d+$", line)[1] for line in lines[2:]}
    native = {n for n in listed if f"){n}@" in "\n".join(lines)}
    shown = installed.symbols(os.path.join(there.lib, "libpmk.so"), "--dynamic")
    equal(listed - native - shown, set(), "not in the library")
    equal(shown - listed, set(), "not in debian/libpmk0.symbols")
    assert len(listed) > 200


def test_each_header_says_what_may_be_relied_on(there):
    for name in there.headers():
        with open(os.path.join(there.include, "pmk", name)) as f:
            first = [f.readline() for _ in range(2)]
        assert first[1] in ("/* Stable. */\n", "/* May change in 0.x. */\n"), name
