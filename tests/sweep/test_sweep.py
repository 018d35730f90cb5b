# SPDX-License-Identifier: MIT
"""The counts of each cell of pmk sweep equal those of pmk stat. A cell is counted again only if
something changed that affects its counts."""
import csv
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time

from harness import *
import repo

pytestmark = lab

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int helper(int);
static volatile char data[65536];
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 100, sum = 0;

	if (!strcmp(what, "walk"))
		for (int i = 0; i < n; i++)
			sum += data[i * 64 % sizeof(data)];
	if (!strcmp(what, "read"))
		while (getchar() != EOF)
			sum++;
	if (!strcmp(what, "open")) {
		FILE *f = fopen(argv[2], "r");
		while (f && getc(f) != EOF)
			sum++;
	}
	if (!strcmp(what, "open-or-fail") && !fopen(argv[2], "r"))
		return 3;
	if (!strcmp(what, "exit"))
		return n;
	if (!strcmp(what, "abort"))
		abort();
	if (!strcmp(what, "kill")) /* kill the process that counts this one */
		kill(0, 9);
	if (!strcmp(what, "wait"))
		for (;;)
			pause();
	return helper(sum) == 1 && getenv("NOBODY");
}
"""
HELPER = "int helper(int n) { volatile int m = n; for (int i = 0; i < TURNS; i++) m++; return m; }"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Builds a static program, and a program with a shared library. Returns both."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "prog.c").write_text("#include <signal.h>\n" + PROGRAM)
    (folder / "helper.c").write_text(HELPER)
    compile_arm([folder / "prog.c", folder / "helper.c"], folder / "prog", "-O1", "-static",
                "-DTURNS=3")
    library(folder, 3)
    compile_arm(str(folder / "prog.c"), folder / "dynamic", "-O1", folder / "libhelper.so",
                "-Wl,-rpath,$ORIGIN")
    return folder


def library(folder, turns):
    (folder / "libhelper.so").unlink(missing_ok=True)
    compile_arm(str(folder / "helper.c"), folder / "libhelper.so", "-O1", "-shared", "-fPIC",
                "-Wl,-soname,libhelper.so",                 f"-DTURNS={turns}")


@pytest.fixture
def folder(programs, tmp_path):
    for name in os.listdir(programs):
        shutil.copy(programs / name, tmp_path)
    return tmp_path


def plan(folder, programs, sweep="cores = arm1176\nevents = cycles, instructions", settings=""):
    text = f"[sweep]\n{sweep}\n[settings]\n{settings}\n"
    for name, lines in programs.items():
        text += f"[program {name}]\n{lines}\n"
    (folder / "plan.ini").write_text(text)


def sweep(folder, *options, code=0, file="plan.ini"):
    out = pmk("sweep", file, "-o", "r.db", *options, cwd=folder)
    equal(out.code, code, out)
    return out


def summary(out):
    """Returns the numbers of cells: in total, counted now, already present, failed."""
    m = re.search(r"(\d+) cells?: (\d+) counted now in [\d.]+ s, (\d+) already in the database, "
                  r"(\d+) failed", out.err)
    assert m, out
    return tuple(int(n) for n in m.groups())


def shown(folder):
    out = pmk("sweep", "-x,", "r.db", cwd=folder)
    equal(out.code, 0, out)
    return list(csv.DictReader(out.out.splitlines()))


def document(folder):
    out = pmk("sweep", "--json-output", "r.db", cwd=folder)
    equal(out.code, 0, out)
    return json.loads(out.out)["cells"]


# ---- counts ------------------------------------------------------------------------------------


def test_each_cell_counts_what_stat_counts(folder):
    plan(folder, {"walk": "run = ./prog walk 900", "dynamic": "run = ./dynamic walk 70",
                  "read": "run = ./prog read\nstdin = prog.c"},
         sweep="cores = arm1176, cortex-a53\nevents = cycles, instructions\nevents = cache-misses",
         settings="dcache.size = 4K..16K\ndcache.ways = 2, 4")
    out = sweep(folder)
    equal(summary(out), (36, 36, 0, 0))
    cells = document(folder)
    equal(len(cells), 36)
    for cell in cells[::5] + cells[-1:]:
        words = {"walk": ["./prog", "walk", "900"], "dynamic": ["./dynamic", "walk", "70"],
                 "read": ["./prog", "read"]}[cell["program"]]
        doc = folder / "doc.json"
        stdin = folder / "prog.c" if cell["program"] == "read" else os.devnull
        settings = ",".join(f"{k}={v}" for k, v in cell["settings"].items())
        with open(stdin) as f:
            equal(subprocess.run([os.path.join(BUILD, "pmk"), "stat", "--json-document", "-o", doc,
                                  "-e", "cycles,instructions,cache-misses", "--core", cell["core"],
                                  "--set", settings, *words],
                                 stdin=f, stdout=subprocess.DEVNULL, cwd=folder).returncode, 0)
        of = ("counter-value", "unit", "trust", "pmu", "reason")
        equal({c["event"]: {k: c[k] or None for k in of} for c in cell["counters"]},
              {c["event"]: {k: c[k] or None for k in of}
               for c in json.loads(doc.read_text())["counters"]}, cell)


ARM1176_LABEL = "within 10 % in L1 code, 20 % in programs, unchecked in memory (docs/cycles.md)"


def test_each_cell_says_how_near_its_cycles_are(folder):
    """Each cell has the label of pmk stat for its cycles, for an unchanged preset, and for a preset
    that the plan or a copy changes."""
    text = (repo.text("data/cores/arm1176.ini").replace("arm1176.ini", "mine.ini")
            .replace("size = 16K", "size = 8K"))
    (folder / "mine.ini").write_text(text)
    plan(folder, {"walk": "run = ./prog walk"},
         sweep="cores = arm1176, ./mine.ini, arm1136\nevents = cycles, instructions",
         settings="dcache.size = 8K, 16K")
    sweep(folder)
    said = {(c["core"], c["settings"]["dcache.size"]): c["checked"] for c in document(folder)}
    checked = ARM1176_LABEL
    equal(said, {(core, size): checked if (core, size) == ("arm1176", "16K") else "unchecked"
                 for core in ("arm1176", "./mine.ini", "arm1136") for size in ("8K", "16K")})
    for (core, size), label in said.items():
        equal(stat("--core", os.path.join(folder, core) if "/" in core else core, "--set",
                   f"dcache.size={size}", "-e", "cycles", folder / "prog", "walk")["checked"],
              label, (core, size))
    equal(pmk("sweep", "--html", "r.html", "r.db", cwd=folder).code, 0)
    page = (folder / "r.html").read_text()
    equal((page.count(f"<td>{checked}</td>"), page.count("<td>unchecked</td>")), (1, 5))


def test_collecting_labels_of_cycles(folder):
    """Collecting copies the labels of cycles, also to configs whose label was not known."""
    plan(folder, {"walk": "run = ./prog walk"}, settings="dcache.size = 8K")
    sweep(folder)
    with sqlite3.connect(folder / "r.db") as db:
        db.execute("UPDATE config SET checked = NULL")
    db.close()
    equal([c["checked"] for c in document(folder)], [None])
    out = pmk("sweep", "--collect", "n.db", "r.db", cwd=folder)
    equal(out.code, 0, out)
    with sqlite3.connect(folder / "r.db") as db:
        db.execute("UPDATE config SET checked = 'unchecked'")
    db.close()
    equal(pmk("sweep", "--collect", "n.db", "r.db", cwd=folder).code, 0)
    with sqlite3.connect(folder / "n.db") as db:
        equal(db.execute("SELECT checked FROM config").fetchall(), [("unchecked",)])


def test_arguments_and_files_that_take_several_values(folder):
    """Each file gives a program, which counts as if it were written in the plan. The plan is in
    another folder."""
    (folder / "in 1").mkdir()
    for name, size in (("b.txt", 200), ("a b.txt", 100), ("c.dat", 50)):
        (folder / "in 1" / name).write_text("x" * size)
    (folder / "one.ini").write_text(
        "[sweep]\ncores = arm1176\nevents = instructions\n"
        "[program walk]\nrun = ./prog {what} {n}\neach n = 100..400, 7\n"
        "each what = walk, none\n"
        "[program open]\nrun = ./prog open {f} {x}\neach f = in*/*.txt, ../x..y\ninputs = prog.c\n"
        "env = FILE={f}\n"
        "[program read]\nrun = ./prog read\nstdin = in 1/{f}.txt\neach f = a b\nexit = 0\n")
    elsewhere = folder / "in 1/what [x]* is" # the folder's own name is not a pattern
    elsewhere.symlink_to(folder)
    out = pmk("sweep", elsewhere / "one.ini", "-o", folder / "r.db", cwd=folder.parent)
    equal(summary(out), (12, 12, 0, 0), out)
    got = {r["program"]: int(r["instructions"]) for r in shown(folder)}
    files = ["in 1/a b.txt", "in 1/b.txt", "../x..y"]
    words = {f"walk n={n},what={w}": ["./prog", w, str(n)] for n in (100, 200, 400, 7)
             for w in ("walk", "none")}
    words |= {f"open f={f}": ["./prog", "open", f, "{x}"] for f in files}
    equal(set(got), {*words, "read f=a b"})
    text = "[sweep]\ncores = arm1176\nevents = instructions\n"
    for name, argv in words.items():
        text += f"[program {name}]\nrun = " + " ".join(f"'{a}'" for a in argv) + "\n"
        if "open" in name:
            text += f"inputs = prog.c\nenv = FILE={argv[2]}\n"
    text += "[program read f=a b]\nrun = ./prog read\nstdin = in 1/a b.txt\n"
    (folder / "plan.ini").write_text(text)
    equal(summary(sweep(folder)), (12, 0, 12, 0))  # the cells have the same keys
    assert got["walk n=400,what=walk"] > got["walk n=200,what=walk"] > got["walk n=7,what=walk"]
    assert got["open f=in 1/b.txt"] > got["open f=in 1/a b.txt"] > got["open f=../x..y"]
    # Each new file adds a program.
    (folder / "in 1" / "z.txt").write_text("x")
    out = sweep(folder, file="one.ini")
    equal(summary(out), (13, 1, 12, 0))


def test_long_names_of_programs_are_told_apart(folder):
    long = "a" * 60
    plan(folder, {f"{long} one": "run = ./prog walk 10", f"{long} two": "run = ./prog walk 20"})
    equal(summary(sweep(folder)), (2, 2, 0, 0))
    equal([row["program"] for row in shown(folder)], [f"{long} one", f"{long} two"])


def test_a_limit_of_the_file_size_is_told(folder):
    plan(folder, {"walk": "run = ./prog walk 10"})
    out = run("prlimit", "--fsize=4096", PMK, "sweep", "plan.ini", "-o", "r.db", cwd=folder)
    equal(out.code, 125, "a signal has ended it: " + repr(out))
    assert out.err.startswith("pmk: "), out


def test_what_is_there_is_not_counted_again(folder):
    plan(folder, {"walk": "run = ./prog walk"}, settings="dcache.size = 4K, 8K")
    equal(summary(sweep(folder)), (2, 2, 0, 0))
    before = shown(folder)
    equal(summary(sweep(folder)), (2, 0, 2, 0))
    plan(folder, {"walk": "run = ./prog walk", "more": "run = ./prog walk 7"},
         settings="dcache.size = 4K..16K")
    equal(pmk("sweep", "plan.ini", "-o", "r.db", "--dry-run", cwd=folder).out,
          "6 cells: 2 in the database, 0 failed before, 4 missing\n")
    equal(summary(sweep(folder)), (6, 4, 2, 0))
    equal([row for row in shown(folder) if row in before], before)


def test_an_event_that_is_added_is_counted_beside_the_others(folder):
    plan(folder, {"walk": "run = ./prog walk"}, sweep="cores = arm1176\nevents = cycles")
    sweep(folder)
    first, = shown(folder)
    plan(folder, {"walk": "run = ./prog walk"},
         sweep="cores = arm1176\nevents = cycles, instructions, dcache_miss")
    equal(summary(sweep(folder)), (1, 1, 0, 0))
    second, = shown(folder)
    equal({k: second[k] for k in first}, first)
    assert int(second["instructions"]) > 1000 and int(second["dcache_miss"]) > 100, second
    equal(summary(sweep(folder)), (1, 0, 1, 0))


def test_the_same_core_in_other_words_is_the_same_cell(folder):
    """Setting the value that the preset has, here 16K, makes the same cell as the preset."""
    plan(folder, {"walk": "run = ./prog walk"})
    sweep(folder)
    plan(folder, {"walk": "run = ./prog walk"}, settings="dcache.size = 16K, 16384, 8K")
    equal(summary(sweep(folder)), (3, 1, 2, 0))
    plan(folder, {"other": "run = ./prog walk"}, settings="dcache.size = 8K")
    equal(summary(sweep(folder)), (1, 0, 1, 0))


def test_other_names_of_a_core_are_that_core(folder):
    """A core may be given by another of its names in the list of cores, in that of a program, and
    in settings. But a list cannot contain one core twice."""
    plan(folder, {"x": "run = ./prog x\ncores = arm1176jzf-s"}, settings="clock = 1000\n"
         "[settings arm1176jz-s]\nclock = 2000")
    sweep(folder)
    contains(pmk("sweep", "-x,", "r.db", cwd=folder).out, "x,arm1176,2000,")
    plan(folder, {"x": "run = ./prog x"}, "cores = arm1176, arm1176jzf-s\nevents = cycles")
    contains(sweep(folder, code=129).err, "core arm1176 is given twice")


def test_a_full_device_is_named(folder):
    plan(folder, {"x": "run = ./prog x"})
    out = pmk("sweep", "plan.ini", "-o", "/dev/full", cwd=folder)
    equal((out.code, out.err), (125, "pmk: /dev/full: No space left on device\n"))


def test_a_cell_with_two_names_is_counted_once(folder):
    plan(folder, {"one": "run = ./prog exit 0", "two": "run = ./prog exit 0",
                  "bad": "run = ./prog exit 1", "worse": "run = ./prog exit 1"},
         settings="dcache.size = 16K, 16384")
    equal(summary(sweep(folder, "-j4", code=1)), (8, 4, 0, 4))
    db = sqlite3.connect(folder / "r.db")
    equal(db.execute("SELECT count(*), count(failure) FROM cell").fetchone(), (2, 1))
    equal(db.execute("SELECT count(*) FROM point").fetchone(), (8,))


def test_an_event_that_one_core_lacks_is_told(folder):
    plan(folder, {"walk": "run = ./prog walk"},
         sweep="cores = arm1176, cortex-a53\nevents = l1d_cache_refill, etmextout_0")
    sweep(folder)
    old, new = document(folder)
    told = {c["event"]: c for c in old["counters"]}
    equal(told["etmextout_0"]["trust"], "not supported")
    equal(told["l1d_cache_refill"]["counter-value"], None)
    contains(told["l1d_cache_refill"]["reason"], "l1d_cache_refill")
    assert {c["event"]: c for c in new["counters"]}["l1d_cache_refill"]["counter-value"] > 0
    equal(summary(sweep(folder)), (2, 0, 2, 0))


# ---- keys --------------------------------------------------------------------------------------


def change_nothing(folder):
    os.utime(folder / "dynamic")
    shutil.copy(folder / "prog.c", folder / "other.c")


def change_program(folder):
    with open(folder / "dynamic", "ab") as f:
        f.write(b"\0")


def change_library(folder):
    library(folder, 4)


def change_input(folder):
    (folder / "input").write_text("longer")


def change_stdin(folder):
    (folder / "stdin").write_text("longer")


def change_words(old, new):
    def change(folder):
        text = (folder / "plan.ini").read_text()
        contains(text, old)
        (folder / "plan.ini").write_text(text.replace(old, new))
    return change


@cases("name,change,counted", [(name, *row) for name, row in {
    "nothing": (change_nothing, 0),
    "program": (change_program, 1),
    "library": (change_library, 1),
    "input": (change_input, 1),
    "stdin": (change_stdin, 1),
    "argument": (change_words("open input", "open input x"), 1),
    "environment": (change_words("A=1", "A=2"), 1),
    "core": (change_words("arm1176", "arm1136"), 1),
    "setting": (change_words("8K", "4K"), 1),
    "name": (change_words("program old", "program new"), 0),
    "timeout": (change_words("timeout = 1200", "timeout = 1300"), 0),
}.items()])
def test_what_decides_the_counts(folder, name, change, counted):
    (folder / "input").write_text("short")
    (folder / "stdin").write_text("short")
    plan(folder, {"old": "run = ./dynamic open input\nstdin = stdin\ninputs = input\nenv = A=1\n"
                         "timeout = 1200"}, settings="dcache.size = 8K")
    equal(summary(sweep(folder)), (1, 1, 0, 0))
    change(folder)
    equal(summary(sweep(folder)), (1, counted, 1 - counted, 0))
    # A new count under an old name replaces the old count. A new name adds a line.
    equal(len(shown(folder)), 2 if name in ("core", "setting", "name") else 1)


def test_a_preset_that_is_changed_is_another_core(folder):
    preset = open(os.path.join(SOURCE, "data/cores/arm1176.ini")).read()
    (folder / "mine.ini").write_text(preset)
    plan(folder, {"walk": "run = ./prog walk"}, sweep="cores = ./mine.ini\nevents = cycles")
    sweep(folder)
    equal(summary(sweep(folder)), (1, 0, 1, 0))
    (folder / "mine.ini").write_text(preset + "\n[mem]\nlatency = 99\n")
    equal(summary(sweep(folder)), (1, 1, 0, 0))


# ---- files that change while they are counted --------------------------------------------------


def touch_again(path):
    """Changes the contents, and keeps the length."""
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


def replace(path):
    """Replaces the file with a copy that has the same contents and times."""
    shutil.copy2(path, path.with_suffix(".new"))
    os.rename(path.with_suffix(".new"), path)


def link(path):
    """Makes a second name for the file, as perf does for each library that it has seen. Returns the
    name."""
    os.link(path, path.with_suffix(".link"))


def touch_secretly(path):
    """Changes the contents, and keeps the time of modification."""
    times = os.stat(path)
    touch_again(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@cases("name,changed,change", [
    ("program", "dynamic", touch_again), ("library", "libhelper.so", touch_again),
    ("stdin", "stdin", touch_again), ("input", "input", replace), ("gone", "input", os.remove),
    ("secret", "libhelper.so", touch_secretly),
    ("another", "prog.c", touch_again), ("linked", "libhelper.so", link),
])
def test_a_file_that_changes_while_it_is_counted(folder, name, changed, change):
    (folder / "input").write_text("short")
    (folder / "stdin").write_text("short")
    os.mkfifo(folder / "gate") # a program that opens the gate waits there
    plan(folder, {"first": "run = ./prog walk",
                  "held": "run = ./dynamic open gate\nstdin = stdin\ninputs = input\n"
                          "timeout = 1200"})
    p = subprocess.Popen([os.path.join(BUILD, "pmk"), "sweep", "plan.ini", "-o", "r.db", "-j1"],
                         cwd=folder, stderr=subprocess.PIPE, text=True)
    with open(folder / "gate", "w"): # returns when the program has opened it, too
        change(folder / changed)
    err = p.communicate()[1]
    rows = shown(folder)
    equal(rows[0]["failure"], "")
    if name in ("another", "linked"):
        equal((p.returncode, len(rows)), (0, 2), err)
        return
    assert re.fullmatch(rf"pmk: \S*\b{changed} has changed during the sweep; run the sweep "
                        "again\n", err), err
    equal((p.returncode, [row["program"] for row in rows]), (125, ["first"]))


def test_a_preset_that_changes_while_it_is_counted(folder):
    preset = open(os.path.join(SOURCE, "data/cores/arm1176.ini")).read()
    (folder / "mine.ini").write_text(preset)
    os.mkfifo(folder / "gate")
    plan(folder, {"first": "run = ./prog walk", "held": "run = ./prog open gate\ntimeout = 1200"},
         sweep="cores = ./mine.ini\nevents = cycles")
    p = subprocess.Popen([os.path.join(BUILD, "pmk"), "sweep", "plan.ini", "-o", "r.db", "-j1"],
                         cwd=folder, stderr=subprocess.PIPE, text=True)
    with open(folder / "gate", "w"):
        (folder / "mine.ini").write_text(preset + "\n[mem]\nlatency = 99\n")
    equal(p.communicate()[1],
          "pmk: the preset ./mine.ini has changed during the sweep; run the sweep again\n")
    equal((p.returncode, [row["program"] for row in shown(folder)]), (125, ["first"]))


# ---- failures ----------------------------------------------------------------------------------


def test_failures_are_rows_with_their_reason(folder):
    plan(folder, {"good": "run = ./prog walk", "exit": "run = ./prog exit 7",
                  "right": "run = ./prog exit 7\nexit = 7", "abort": "run = ./prog abort",
                  "wait": "run = ./prog wait\ntimeout = 1"})
    out = sweep(folder, code=1)
    equal(summary(out), (5, 2, 0, 3))
    told = {row["program"]: row for row in shown(folder)}
    for name, failure in (("good", "^$"), ("right", "^$"), ("exit", "exit code 7$"),
                          ("abort", "SIGABRT"), ("wait", "timeout|1000 ms")):
        assert re.search(failure, told[name]["failure"]), told[name]
        equal(told[name]["cycles"] == "", failure != "^$", told[name])
    # Failed cells are not counted again without --retry.
    equal(summary(sweep(folder, code=1)), (5, 0, 2, 3))
    equal(summary(sweep(folder, "--retry", code=1)), (5, 0, 2, 3))
    plan(folder, {"exit": "run = ./prog exit 7\nexit = 7"})
    equal(summary(sweep(folder)), (1, 0, 1, 0)) # counted as "right"
    plan(folder, {"wait": "run = ./prog wait\ntimeout = 2"})
    equal(summary(sweep(folder, code=1)), (1, 0, 0, 1))


def test_an_event_that_could_not_be_added_says_so(folder):
    (folder / "data").write_text("short") # the key does not depend on this file
    program = {"walk": "run = ./prog open-or-fail data"}
    plan(folder, program, sweep="cores = arm1176\nevents = cycles")
    sweep(folder)
    cycles = shown(folder)[0]["cycles"]
    (folder / "data").unlink()
    plan(folder, program, sweep="cores = arm1176, cortex-a53\nevents = cycles, l1d_cache_refill, "
                                "instructions")
    told = "the program ended with exit code 3"
    equal(summary(sweep(folder, code=1)), (2, 0, 0, 2))
    row, other = shown(folder)
    equal(row, {"program": "walk", "core": "arm1176", "cycles": cycles, "instructions": "<failed>",
                "l1d_cache_refill": "<not supported>", "failure": told})
    equal((other["cycles"], other["failure"]), ("", told))
    table = pmk("sweep", "r.db", cwd=folder).out.splitlines()
    assert re.search(rf" {int(cycles):,} .*<failed>.*  failed: {told}$", table[1]), table
    equal(summary(sweep(folder, code=1)), (2, 0, 0, 2)) # the cell is not counted again
    (folder / "data").write_text("short")
    equal(summary(sweep(folder, code=1)), (2, 0, 0, 2))
    equal(summary(sweep(folder, "--retry")), (2, 2, 0, 0))
    row, other = shown(folder)
    equal((row["cycles"], row["failure"], other["failure"]), (cycles, "", ""))
    assert int(row["instructions"]) > 1000, row


def counter(pid):
    """Returns the process that counts a cell."""
    child, = open(f"/proc/{pid}/task/{pid}/children").read().split()
    return int(child)


def emulator(pid):
    while children := open(f"/proc/{pid}/task/{pid}/children").read().split():
        pid = children[-1]
    return int(pid)


@cases("name,which,sig", [
    (f"{which.__name__}-{sig.name}", which, sig) for which in (counter, emulator)
    for sig in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)])
def test_what_a_signal_from_outside_ended_is_counted_the_next_time(folder, name, which, sig):
    os.mkfifo(folder / "gate")
    plan(folder, {"first": "run = ./prog walk", "held": "run = ./prog open gate\ntimeout = 1200"})
    p = subprocess.Popen([os.path.join(BUILD, "pmk"), "sweep", "plan.ini", "-o", "r.db", "-j1"],
                         cwd=folder, stderr=subprocess.PIPE, text=True)
    with open(folder / "gate", "w"):
        os.kill(which(p.pid), sig)
    err = p.communicate()[1]
    equal(p.returncode, 1, err)
    contains(err, "pmk: 2 cells: 1 counted now")
    contains(err, "pmk: 1 of them were ended by a signal and are not stored; the same sweep "
                  "counts them again\n")
    equal([row["program"] for row in shown(folder)], ["first"])
    (folder / "gate").unlink()
    (folder / "gate").write_text("open")
    equal(summary(sweep(folder)), (2, 1, 1, 0))


def test_an_emulator_that_was_ended_before_the_program_began_counts_the_next_time(folder):
    plan(folder, {"walk": "run = ./prog walk"})
    fake = folder / "fake"
    fake.mkdir()
    (fake / "qemu-arm").write_text("#!/bin/sh\n[ \"$1\" != --version ] || exec "
                                   f"'{emulator_in_path('qemu-arm')}' --version\nkill -TERM $$\n")
    (fake / "qemu-arm").chmod(0o755)
    out = pmk("sweep", "plan.ini", "-o", "r.db", cwd=folder,
              env=dict(os.environ, PMK_QEMU_DIR=str(fake)))
    equal((out.code, summary(out)), (1, (1, 0, 0, 0)), out)
    contains(out.err, "pmk: 1 of them were ended by a signal and are not stored")
    equal(shown(folder), [])
    out = pmk("stat", "-e", "cycles", folder / "prog", "walk",
              env=dict(os.environ, PMK_QEMU_DIR=str(fake)))
    equal((out.code, out.err), (125, "pmk: qemu-arm was ended by signal 15 before the program "
                                     "began\n"))
    equal(summary(sweep(folder)), (1, 1, 0, 0))


def test_a_program_that_kills_all_ends_its_own_cell(folder):
    plan(folder, {"kill": "run = ./prog kill", "walk": "run = ./prog walk"})
    equal(summary(sweep(folder, code=1)), (2, 1, 0, 0))
    equal(summary(sweep(folder, code=1)), (2, 0, 1, 0))
    equal([row["program"] for row in shown(folder)], ["walk"])


def test_a_core_that_cannot_be_is_a_failure(folder):
    plan(folder, {"walk": "run = ./prog walk"}, settings="dcache.size = 1K, 4K\n"
                                                         "dcache.ways = 4, 64")
    sweep(folder, code=1)
    cells = shown(folder)
    failures = [row for row in cells if row["failure"]]
    assert 0 < len(failures) < 4, cells
    for row in failures:
        out = pmk("stat", "--core", "arm1176", "--set", f"dcache.size={row['dcache.size']},"
                  f"dcache.ways={row['dcache.ways']}", folder / "prog")
        equal((out.code, out.err.strip()), (129, f"pmk: {row['failure']}"))


# ---- ends --------------------------------------------------------------------------------------


def cells_there(folder):
    if not (folder / "r.db").exists():
        return 0
    db = sqlite3.connect(folder / "r.db")
    try:
        return db.execute("SELECT count(*) FROM cell").fetchone()[0]
    except sqlite3.OperationalError: # pmk is making the tables
        return 0
    finally:
        db.close()


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_was_stopped_goes_on(folder, sig):
    plan(folder, {f"walk{n}": f"run = ./prog walk {n}" for n in range(12)},
         settings="dcache.size = 4K..16K")
    p = subprocess.Popen([os.path.join(BUILD, "pmk"), "sweep", "plan.ini", "-o", "r.db", "-j2"],
                         cwd=folder, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: cells_there(folder) >= 5, "five cells are there")
    p.send_signal(sig)
    err = p.communicate()[1]
    equal(p.returncode, 128 + sig if sig == signal.SIGINT else -sig, err)
    db = sqlite3.connect(folder / "r.db")
    equal(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
    there = db.execute("SELECT count(*) FROM cell WHERE failure IS NULL").fetchone()[0]
    kept = db.execute("SELECT key, seconds FROM cell").fetchall()
    db.close()
    assert 5 <= there < 36, there
    wait_until(lambda: pmk("sweep", "plan.ini", "-o", "r.db", cwd=folder).code == 0,
               "the sweep goes on")
    db = sqlite3.connect(folder / "r.db")
    equal(db.execute("SELECT count(*), count(failure) FROM cell").fetchone(), (36, 0))
    # No cell was counted twice: its recorded time is still that of the first count.
    equal(set(kept) - set(db.execute("SELECT key, seconds FROM cell").fetchall()), set())


def test_two_sweeps_do_not_write_one_database(folder):
    plan(folder, {"wait": "run = ./prog wait"})
    p = subprocess.Popen([os.path.join(BUILD, "pmk"), "sweep", "plan.ini", "-o", "r.db"],
                         cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: (folder / "r.db-wal").exists(), "the database is open")
        out = sweep(folder, code=125)
        equal(out.err, "pmk: r.db: another process writes to it; try again when that has "
                       "ended\n")
    finally:
        p.send_signal(signal.SIGTERM)
        p.communicate()
    equal(p.returncode, 128 + signal.SIGTERM)


# ---- mistakes ----------------------------------------------------------------------------------

GOOD = "[sweep]\ncores = arm1176\nevents = cycles\n[program p]\nrun = ./prog\n"


@cases("name,text,told", [(name, *row) for name, row in {
    "empty": ("", ":1: [sweep] does not name any cores"),
    "no events": ("[sweep]\ncores = arm1176\n", ":2: [sweep] does not name any events"),
    "no program": ("[sweep]\ncores = arm1176\nevents = cycles\n", ":3: there is no [program NAME]"),
    "section": ("[swep]\ncores = arm1176\n", ":2: there is no section [swep]; a plan has"),
    "key": (GOOD + "stdim = x\n", ":6: [program …] has no 'stdim'; did you mean stdin?"),
    "other key": (GOOD + "command = x\n", ":6: [program …] has no 'command'; it can have run, "
                                         "stdin, inputs, env, cores, exit, timeout and each "
                                         "NAME\n"),
    "no run": (GOOD + "[program q]\nstdin = x\n", ":7: [program q] does not say what to run"),
    "twice": (GOOD + "run = ./prog\n", ":6: p is run twice"),
    "no pair": (GOOD + "run\n", ":6: this line is neither [section] nor name = value"),
    "range": (GOOD + "[settings]\ndcache.size = 4K..24K\n",
              ":7: dcache.size: a range doubles from its first number to its last, and 4K does"),
    "range of words": (GOOD + "[settings]\ndcache.size = small..big\n",
                       ":7: dcache.size: a range has two numbers"),
    "zero": (GOOD + "[settings]\ndcache.size = 0..4\n", ":7: dcache.size: a range doubles"),
    "value twice": (GOOD + "[settings]\ndcache.size = 4K, 4K\n",
                    ":7: dcache.size has the value 4K twice"),
    "hole": (GOOD + "[settings]\ndcache.size = 4K,,8K\n", ":7: the list has an empty item"),
    "setting": (GOOD + "[settings]\ndcache.sise = 4K\n", ":7: core arm1176: "),
    "value": (GOOD + "[settings]\ndcache.size = much\n", ":7: core arm1176: "),
    "core": (GOOD.replace("arm1176", "arm1177"), ":2: [program p]: unknown core 'arm1177'"),
    "event": (GOOD.replace("cycles", "cycels"), ":3: "),
    "program": (GOOD.replace("./prog", "./porg"), ":5: ./porg: command not found"),
    "input": (GOOD + "inputs = nothing\n", ":5: nothing: No such file or directory"),
    "pipe as input": (GOOD + "inputs = pipe\n", ":5: pipe: not a regular file"),
    "pipe as stdin": (GOOD + "stdin = pipe\n", ":5: pipe: not a regular file"),
    "device": (GOOD + "stdin = /dev/zero\n", ":5: /dev/zero: not a regular file"),
    "folder": (GOOD + "inputs = .\n", ":5: .: Is a directory"),
    "pipe as program": (GOOD.replace("./prog", "./pipe"), ":5: ./pipe: "),
    "other core": (GOOD + "cores = arm1136\n",
                   ":5: [program p]: core arm1136 is not among those of [sweep]"),
    "no core": (GOOD + "[settings arm1136]\ndcache.size = 4K\n",
                ":7: [settings arm1136]: the core is not among those of [sweep]"),
    "wrong core": (GOOD.replace("arm1176", "microblaze"), ":5: [program p]: core microblaze runs"),
    "quote": (GOOD.replace("./prog", "./prog 'x"), ":5: a quote is not closed"),
    "groups": (GOOD.replace("cycles", "{cycles,instructions}"), ":3: a sweep counts all"),
    "exit": (GOOD + "exit = 256\n", ":6: exit is a number up to 255, not '256'"),
    "env": (GOOD + "env = NAME\n", ":6: env is NAME=VALUE"),
    "each without a name": (GOOD + "each = 1\n", ":6: [program …] has no 'each'; did you mean"),
    "each with a blank": (GOOD + "each a b = 1\n", ":6: each 'a b': a name has letters"),
    "each in vain": (GOOD + "each n = 1, 2\n", ":6: each n: no line of [program p] contains {n}"),
    "each twice": (GOOD + "each n = 1\neach n = 2\n", ":7: n is also in line 6"),
    "no such files": (GOOD + "each f = no*.txt\n", ":6: each f: no file is called no*.txt"),
    "each range": (GOOD + "each n = 3..5\n", ":6: n: a range doubles from its first number"),
    "names": (GOOD + "env = A={n}\neach n = 1, 2\n[program p n=2]\nrun = ./prog\n",
              ":9: two programs are called 'p n=2'"),
    "too many programs": (GOOD + "".join(f"each a{i} = 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
                                         for i in range(6)),
                          ":5: [program p]: `each` makes more than 100000 programs"),
    "too many": (GOOD + "[settings]\n" + "".join(f"a{i} = 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
                                                for i in range(9)),
                 ":2: core arm1176 has more than 100000000 combinations of its settings; leave"),
}.items()])
def test_bad_plans(folder, name, text, told):
    (folder / "plan.ini").write_text(text)
    os.mkfifo(folder / "pipe")
    out = sweep(folder, code=129)
    assert out.err.startswith("pmk: plan.ini" + told) and out.err.count("\n") == 1, out
    assert not (folder / "r.db").exists()


def test_nothing_is_a_file_that_ends(folder):
    plan(folder, {"read": "run = ./prog read\nstdin = /dev/null\ninputs = /dev/null"})
    equal(summary(sweep(folder)), (1, 1, 0, 0))


def test_usage(folder):
    plan(folder, {"walk": "run = ./prog walk"})
    for words, told in ((["plan.ini"], "no database to write was given; use "
                                            "'pmk sweep -o DB plan.ini'"),
                        ([], "no plan was given; use 'pmk sweep -o DB PLAN'"),
                        (["-j0", "plan.ini", "-o", "r.db"],
                         "-j 0: expected a number from 1 to 1024"),
                        (["plan.ini", "x"], "unexpected argument x: give one plan or one database"),
                        *((words, "give only one of -x and --json-output, and no --pareto, "
                                  "--sensitivity, --heat or --html with it")
                          for words in (["-x,", "--json-output", "r.db"],
                                        ["--json-output", "--heat", "cycles", "r.db"],
                                        ["-x;", "--html", "r.html", "r.db"])),
                        (["-x,", "plan.ini"], "plan.ini is a plan, and this option shows a "
                                              "database; run 'pmk sweep -o DB plan.ini', "
                                              "then use the option with DB")):
        out = pmk("sweep", *words, cwd=folder)
        equal((out.code, out.err.splitlines()[0]), (129, f"pmk: {told}"))
        assert not words or out.err.count("\n") == 1, out.err
    for words in (["nothing", "-o", "r.db"], ["nothing"], ["-x,", "nothing"]):
        out = pmk("sweep", *words, cwd=folder)
        equal((out.code, out.err), (129, "pmk: nothing: No such file or directory\n"))
    os.mkfifo(folder / "pipe")
    for words in (["pipe"], ["pipe", "-o", "r.db"]):
        out = pmk("sweep", *words, cwd=folder)
        equal((out.code, out.err), (129, "pmk: pipe: not a regular file\n"))
    out = pmk("sweep", "plan.ini", "-o", "plan.ini", cwd=folder)
    equal((out.code, out.err), (125, "pmk: plan.ini: file is not a database\n"))
