# SPDX-License-Identifier: MIT
"""Profiles of third-party programs: Debian's bash, sqlite3 and busybox, for ARM and AArch64, the
first two with shared libraries. For every event, the counts of all addresses add up exactly to the
run's count. Every view and format can be made from a recording, and the gate finds no difference
between two recordings of one command line."""
import functools
import itertools
import shutil
import sqlite3

from harness import *
from fetch_debian import Unavailable, one_file

pytestmark = pytest.mark.once

# PROGRAMS has for each program its package, path and arguments, and the libraries that are not in
# libc's packages.
BASH = ("for ((i = 0; i < 20; i++)); do s+=$i,; a[i]=${s:i:3}; done; "
        'f() { (( $1 < 2 )) && echo 1 || f $(($1 - 1)); }; f 4; [[ $s =~ 3,(.*),5 ]] && echo $s')
SQL = ("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
       "SELECT x + 1 FROM c WHERE x < 100) INSERT INTO t SELECT x, printf('%d-%x', x * 7919 % 911, "
       "x) FROM c; SELECT count(*), max(b) FROM t GROUP BY a % 7;")
READLINE = [("libreadline8", "libreadline8t64"), "*libreadline.so.8.*", "libreadline.so.8"]
PROGRAMS = {
    "bash": ("bash", "*bin/bash", ["--norc", "-c", BASH],
             [[("libtinfo6",), "*libtinfo.so.6.*", "libtinfo.so.6"]]),
    "sqlite3": ("sqlite3", "*bin/sqlite3", [":memory:", SQL],
                [[("libtinfo6",), "*libtinfo.so.6.*", "libtinfo.so.6"], READLINE,
                 [("libsqlite3-0",), "*libsqlite3.so.0.*", "libsqlite3.so.0"],
                 [("zlib1g",), "*libz.so.1.*", "libz.so.1"]]),
    # The script runs in one process. With several processes, the counts would depend on their
    # order.
    "busybox": ("busybox-static", "*bin/busybox", ["sh", "-c", "while [ ${#s} -lt 300 ]; do "
                "i=$((i + 1)); s=$s$((i * i)); done; echo $s"], []),
}
FORMATS = ("callgrind", "folded", "speedscope", "pprof", "perfetto")


def first_of(arch, packages, pattern):
    for package in packages[:-1]:
        try:
            return one_file(arch, package, pattern)
        except Unavailable:
            pass
    return one_file(arch, packages[-1], pattern)


@functools.cache
def command(name, arch):
    """Returns pmk's options and the command line for a program."""
    package, pattern, arguments, libraries = PROGRAMS[name]
    folder = os.path.join(WORK, f"debian-{arch}-{name}")
    os.makedirs(folder, exist_ok=True)
    try:
        # busybox chooses its function by the name by which it was called.
        program = shutil.copy(one_file(arch, package, pattern), os.path.join(folder, name))
        for packages, library, soname in libraries:
            shutil.copy(first_of(arch, packages, library), os.path.join(folder, soname))
    except Unavailable as why:
        skip(f"{name} for {arch} cannot be fetched: {why}")
    return ("--env", f"LD_LIBRARY_PATH={folder}", "--", program, *arguments)


def done(*argv):
    out = pmk(*argv)
    equal(out.code, 0, out.err[-2000:])
    return out


def recorded(path, name, arch):
    done("record", "-g", "-e", "all", "-o", path, *command(name, arch))
    return str(path)


# Small runs have one program with shared libraries. Large runs have every program and architecture.
SOME = [("sqlite3", "arm64")]


@pytest.mark.parametrize("name, arch", size(SOME, list(itertools.product(PROGRAMS,
                                                                         ("armel", "arm64")))))
def test_a_profile_of(name, arch, tmp_path):
    data = recorded(tmp_path / "a.data", name, arch)
    with sqlite3.connect(data) as db:
        rows = db.execute("SELECT name, total, coalesce(sum(value), 0) FROM event LEFT JOIN count "
                          "ON count.event = event.id GROUP BY event.id").fetchall()
        unknown, functions, executed = db.execute(
            "SELECT sum(executions) FILTER (WHERE function IS NULL), count(DISTINCT function), "
            "sum(executions) FROM execution JOIN code ON code.id = execution.code").fetchone()
    assert len(rows) > 10, rows
    equal({name: found for name, _, found in rows}, {name: total for name, total, _ in rows})
    # Every executed instruction belongs to a function, even in busybox, which has no symbols.
    assert functions > 100 and not unknown, (unknown, functions, executed)

    again = recorded(tmp_path / "b.data", name, arch)
    # A shell converts the number of its process to digits. The time for this depends on the number,
    # so two recordings differ a little.
    done("diff", "--fail-over", "1%", "--min", "5000", data, again)

    contains(done("report", "-i", data).out, "%")
    page = tmp_path / "page.html"
    done("report", "-i", data, "--html", page)
    assert page.read_text().startswith("<!DOCTYPE html>")
    out = pmk("annotate", "-i", data)
    equal((out.code, out.err), (0, ""))
    assert out.out
    for form in FORMATS:
        target = tmp_path / form
        done("export", "--format", form, "-i", data, "-o", target)
        assert target.stat().st_size > 1000, form
    # Debian's programs have no debug information.
    out = pmk("export", "--format", "lcov", "-i", data)
    equal(out.code, 125, out)
    contains(out.err, "it has no lines; build the program with -g, and record it again")
