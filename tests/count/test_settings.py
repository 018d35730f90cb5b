# SPDX-License-Identifier: MIT
"""The settings of <pmk/count.h> are the options of pmk stat, and its header names all of them. The
counting library has no writable static variables except those listed here."""
import os
import re

from harness import *

pytestmark = pytest.mark.quick

# Options of the command that only affect the display. They are not settings of the library.
SHOWN = {"field-separator", "json-output", "json-document", "output", "append", "no-big-num",
         "big-num", "verbose", "help", "log-fd", "metric-only", "table", "html", "plot",
         "interval-print"}
# Settings of the library that are not options of the command.
ALONE = {"data", "plugin", "stdin", "stdout", "stderr"}
# Settings of `pmk run`. `guest` stands for the command itself, and the others are options of it.
RUN = {"guest", "irq", "at", "log"}
# Threads must share these: locks, and the previous handler of bus errors.
SHARED = {"file_limit", "alone", "before"}
# Only the plugin uses these variables, in the emulator, for the cores' callbacks.
EMULATORS = {"pmk_cpus", "pmk_emulator", "pmk_rests"}


def source(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


def settings():
    rows = source("src/count/settings.c").split("settings[] = {")[1].split("};")[0]
    return dict(re.findall(r'\t(?:LETTER|LONG)\("([\w-]+)",(?: "-\w",)? (\w+),', rows))


def test_settings_are_the_options():
    options = {m[1]: bool(m[2]) for m in re.finditer(r"^  .{4}--([\w-]+)( \S+)?",
                                                     pmk("stat", "--help").out, re.M)}
    assert len(options) > 25, options
    equal(set(settings()), (set(options) - SHOWN) | ALONE | RUN)
    for name in RUN - {"guest"}:
        contains(pmk("run", "--help").out, f" --{name} ")
    for name in set(settings()) - ALONE - RUN:
        equal(settings()[name] != "FLAG", options[name], f"{name} takes a value")


def test_the_header_names_them():
    listed = source(
        "include/pmk/count.h").split("Change a setting.")[1].split("The value of a flag (")[0]
    named = set(re.findall(r"[\w-]+", re.sub(r"  .*|\"[^\"]*\"", "",
                                             re.sub(r"(?m)^ \*\t", "", listed))))
    equal(set(settings()) - named, set(), "settings that are not in the header")
    flags = source("include/pmk/count.h").split("The value of a flag (")[1].split(")")[0]
    equal(set(re.findall(r'"([\w-]+)"', flags)),
          {n for n, kind in settings().items() if kind == "FLAG"})


def test_errors_name_settings_that_exist():
    """Every name between backquotes in the error texts of src/count is a setting, except `freq` and
    `count`, which belong to `pmk record`."""
    folder = os.path.join(SOURCE, "src/count")
    named = set()
    for name in os.listdir(folder):
        for literal in re.findall(r'"(?:\\.|[^"\\])*"', source(f"src/count/{name}")):
            named |= set(re.findall(r"`([^`]*)`", literal))
            assert not re.search(r"(?<![\w-])--(?!control)[a-z]+ ", literal.replace(
                "pmk list events --pmu", "")), f"{name}: {literal} names an option"
    assert len(named) > 20
    equal(named - set(settings()) - {"freq", "count", "%s"}, set())


def test_the_command_names_its_options():
    out = pmk("stat", "-r", "0", "true")
    equal((out.code, out.err), (129, "pmk: -r 0: expected a number of runs, 1 to 100000\n"))
    out = pmk("stat", "--from", "main", "true")
    equal((out.code, out.err), (129, "pmk: --from and --to go together; give both\n"))


def test_the_library_keeps_nothing():
    have("objdump")
    out = run("objdump", "-t", os.path.join(BUILD, "libpmk.a"))
    equal(out.code, 0, out.err)
    # The dynamic linker writes tables of pointers, which are read-only from then on: .data.rel.ro.
    kept = {line.split()[-1] for line in out.out.splitlines()
            if re.search(r" O \.(data|bss|tdata|tbss)(\.(?!rel\.ro)\S*)?\t", line)}
    equal({re.sub(r"\.\d+$", "", name) for name in kept} - EMULATORS, SHARED)
