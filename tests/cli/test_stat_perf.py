# SPDX-License-Identifier: MIT
"""Options of perf stat work in pmk stat, in emulation and on this machine. pmk supports every
option of perf, or refuses it with a reason."""
import csv
import io
import os
import pathlib
import re
import subprocess
import time

from harness import *
from programs import LOOP, build, loop, program

pytestmark = pytest.mark.quick

USAGE = 129
N = 1000
TOTAL = 8 * N + 5
SPIN = "int main(void) { for (;;) __asm__ volatile (\"\"); }"


def spin():
    return program("spin", SPIN)


def refuse(*argv, said):
    out = pmk("stat", *argv)
    equal((out.code, out.out, out.err.count("\n")), (USAGE, "", 1), out)
    assert out.err.startswith("pmk: "), out
    contains(out.err, said)


def lines(*argv, code=0, sep=","):
    out = pmk("stat", "-x", sep, *argv)
    equal(out.code, code, out)
    return list(csv.reader(io.StringIO(out.err), delimiter=sep))


# ---- all of perf's options -----------------------------------------------------------------------

def perfs_options():
    have("perf")
    text = run("perf", "stat", "-h")
    return re.findall(r"^    (?:-(\w), |    )--([\w-]+)( <|=| |$|\[)", text.out + text.err, re.M)


def test_every_option_of_perf_is_there_or_refused_with_a_reason():
    here = set(re.findall(r"--([\w-]+)", pmk("stat", "--help").out))
    options = perfs_options()
    assert len(options) > 50, options
    refused = []
    for letter, name, _ in options:
        if name in here:
            continue
        # pmk has this function under another name, or its own option of this name means something
        # else.
        for word in [f"--{name}"] + ([f"-{letter}"] if letter and letter != "T" else []):
            refuse(word, "true", said=f"pmk: stat: perf's --{name}: ")
        refused.append(name)
    page = open(os.path.join(SOURCE, "docs/man/pmk-stat.1.scd"), encoding="utf-8").read()
    part = page.split("# OPTIONS OF PERF")[1].split("\n# ")[0]
    equal([name for name in refused if f"*--{name}*" not in part], [], "not in the page")
    equal(set(re.findall(r"\*--([\w-]+)\*[,\n]", part)) & here, set())


def test_refusals_name_what_is_given():
    refuse("--control=fd:3", "true", said="perf's --control: ")
    refuse("-S", "true", said="'sync; pmk stat ...'")
    refuse("--controls", "true", said="stat has no option '--controls'")
    refuse("-y", "true", said="stat has no option '-y'")


# ---- patterns ------------------------------------------------------------------------------------

def names(*argv, code=3):
    return [r[2] for r in lines(*argv, code=code) if r[2]]


def test_patterns_are_all_that_match():
    every = names("-e", "all", loop(N))
    for pattern in ("dcache_*", "*miss*", "?cache_miss", "[bd]*", "*"):
        expect = [n for n in every if re.fullmatch(
            pattern.replace("*", ".*").replace("?", "."), n)]
        assert expect, pattern
        equal(names("-e", pattern, loop(N)), expect, pattern)


def test_patterns_add_what_is_not_there():
    found = names("-e", "dcache_miss,dcache_*,cpu_cycles", loop(N))
    equal(found[0], "dcache_miss")
    equal(sorted(found), sorted(set(found)))
    equal(found[-1], "cpu_cycles")
    assert len(names("-e", "{?cache_miss}", loop(N))) == 2
    refuse("-e", "nope_*", loop(N), said="no event matches 'nope_*'")
    refuse("-e", "nope_*", "true", said="no event matches 'nope_*'")


def test_patterns_on_this_machine():
    equal(names("-e", "page-*,*-clock", "true", code=0), ["page-faults", "cpu-clock", "task-clock"])


# ---- more events, and none -----------------------------------------------------------------------

def test_detailed():
    usual = names(loop(N))
    more = names("-d", loop(N))
    equal(more[:len(usual)], usual)
    assert "dcache_access" in more and "dcache_access" not in usual, (usual, more)
    equal(names("-ddd", loop(N)), names("-d", "-dd", loop(N)))
    assert "dtlb_miss" in names("-e", "instr_exec", "-dd", loop(N))
    here = names("-e", "cs", "-dd", "true", code=0)
    equal(here[:3] + here[-1:], ["cs", "L1-dcache-loads", "L1-dcache-load-misses",
                                 "iTLB-load-misses"])
    equal(len(here), 1 + 4 + 6)


def test_null():
    for prog, code in ((loop(N), 3), ("true", 0)):
        out = pmk("stat", "-n", prog)
        equal(out.code, code, out)
        assert re.search(r"^ +\d+\.\d{9} seconds time elapsed$", out.err, re.M), out
        assert "not supported" not in out.err and "no events" not in out.err, out
        equal(lines("-n", "-r", "2", prog, code=code), [])
        equal(stat("-n", prog, code=code)["counters"], [])
    for more in (("-e", "cycles"), ("-M", "cpi"), ("-d",), ("-I", "10")):
        refuse("-n", *more, loop(N), said="-n counts nothing")


# ---- when to begin and to end --------------------------------------------------------------------

def test_timeout_ends_the_program():
    """--timeout ends the program after the given time. If the machine is so busy that the program
    has not begun, the test tries a longer time."""
    for prog, events in ((("sleep", 2 * PATIENCE), "page-faults"), ((spin(),), "instr_exec")):
        for ms in (300, 3000, 30000):
            began = time.monotonic()
            rows = lines("--timeout", ms, "-e", events, *prog)
            assert time.monotonic() - began >= ms / 1000
            contains(rows[-1][0], f"# warning: --timeout ended the program after {ms} ms")
            if rows[0][0].isdigit() and int(rows[0][0]) > 10:
                break
        else:
            assert False, rows
        doc = stat("--timeout", "300", "-e", events, *prog)
        equal((doc["partial"], doc["exit-status"]), (True, 0))


def test_timeout_of_each_run():
    for ms in (200, 2000, 20000):
        doc = stat("--timeout", ms, "-r", "2", "-e", "instr_exec", spin())
        equal(doc["runs"], 2)
        if (doc["counters"][0]["counter-value"] or 0) > 1000:
            return
    assert False, doc


def test_timeout_is_not_reached():
    equal(lines("--timeout", "60000", "-e", "instr_exec", loop(N), code=3)[0][0], str(TOTAL))
    assert not any(r[0].startswith("#") for r in lines("--timeout", "60000", "-e", "cs", "true"))


def test_timeout_kills_what_does_not_end():
    rows = lines("--timeout", "100", "-e", "cs", "sh", "-c", "trap '' TERM; while :; do :; done")
    contains(rows[-1][0], "--timeout ended the program")


def test_timeout_without_a_program():
    p = subprocess.Popen(["sleep", "100"])
    try:
        out = pmk("stat", "--timeout", "100", "-p", p.pid, "-e", "cs")
        equal((out.code, p.poll()), (0, None), out)
    finally:
        p.kill()
        p.wait()


def test_wrong_times():
    for text in ("-1", "5", "9", "x", "", "10s", "1e3", "99999999999999999999", " 10", "+10"):
        refuse("--timeout", text, "true", said="--timeout")
    for text in ("-2", "x", "", "1.5", "99999999999"):
        refuse("-D", text, "true", said="-D")
    refuse("-D", "-1", "true", said="pmk has no --control")
    for where in (("--from", "f", "--to", "k_end"), ("--region", "f")):
        refuse("-T", "emu", "-D", "10", *where, loop(N), said="they cannot be combined")
    refuse("-T", "wave:x.vcd", "--map", "m", "-D", "1",
           said="-D is for -T emu and -T linux, not for -T wave")
    refuse("-T", "wave:x.vcd", "--map", "m", "--timeout", "100", said="--timeout needs a program")


def test_delay():
    """-D excludes what happens during the delay, and includes children that start after it. The
    shell forks a child before and another child after the end of the delay."""
    script = "sleep 0.01; sleep 0.4; :"
    all_of_it = int(lines("-e", "page-faults", "sh", "-c", script)[0][0])
    # On a busy machine the shell may start both children too late, so the test tries up to 20
    # times.
    late = [int(lines("-D", "200", "-e", "page-faults", "sh", "-c", script)[0][0])]
    while late[-1] >= all_of_it / 2 and len(late) < 20:
        late.append(int(lines("-D", "200", "-e", "page-faults", "sh", "-c", script)[0][0]))
    assert late[-1] < all_of_it / 2, (late, all_of_it)
    equal(lines("-D", "60000", "-e", "cs", "true")[0][0], "<not counted>")
    assert int(lines("-D", "0", "-e", "page-faults", "true")[0][0]) > 10
    rows = lines("-D", "100", "-I", "100", "-e", "task-clock", "sleep", "0.4")
    assert float(rows[0][0]) > 0.19, rows


def split(*argv, ms):
    """Counts three times: everything, in intervals, and with a delay of `ms`. Returns {event:
    (total, sum of the intervals up to `ms`, total with the delay)} and the documents of the runs
    with intervals and with the delay."""
    argv = ("-e", "all", *argv)
    of_all = counts(stat(*argv, code=3))
    parts = stat("-I", "1", *argv, code=3)
    late = stat("-D", str(ms), *argv, code=3)
    of_late = counts(late)
    before = {}
    for c in parts["counters"]:
        if c["interval"]["seconds"] < (ms + 0.5) / 1000 and c["counter-value"] is not None:
            before[c["event"]] = before.get(c["event"], 0) + c["counter-value"]
    return {e: (of_all[e], n, of_late[e]) for e, n in before.items()}, parts, late


@pytest.mark.more
@cases("core,program", [
    ("arm1176", lambda: loop(65535)),
    ("arm926", lambda: build("delay-v5", LOOP, "-march=armv5te", "-marm", "-nostdlib", "-static",
                             "-DCOUNT=0x8000", ext="S")),
    ("cortex-a53", lambda: build("delay-a64", A64_LOOP, "-nostdlib", "-static", ext="S",
                                 prefix="aarch64-linux-gnu-")),
])
def test_delay_of_an_emulated_program(core, program):
    """Counting with a delay gives the same as counting everything and subtracting the intervals
    within the delay. The delay also shifts the intervals."""
    argv = ("--core", core, "--set", "clock=200000000", program())
    for ms in (1, 2):
        found, parts, late = split(*argv, ms=ms)
        assert len(found) > 3, found
        equal({e: n for e, (_, _, n) in found.items()},
              {e: whole - before for e, (whole, before, _) in found.items()})
        assert all(n > 0 for e, (_, _, n) in found.items() if e.startswith("instr")), found
    shifted = stat("-D", "2", "-I", "1", "-e", "all", *argv, code=3)
    equal([(c["interval"], c["event"], c["counter-value"]) for c in shifted["counters"]],
          [(c["interval"], c["event"], c["counter-value"]) for c in parts["counters"]
           if c["interval"]["seconds"] > 0.0025])
    equal(stat("-D", "2", "-e", "all", *argv, code=3), late)


A64_LOOP = """
	.global	_start
_start:	mov	w1, #0x4000
	lsl	w1, w1, #7
1:	ldr	w2, [sp]
	subs	w1, w1, #1
	b.ne	1b
	mov	w0, #3
	mov	w8, #93
	svc	#0
"""

# Works for more than 1 ms. Then a child, or a second thread, executes at least 200000 instructions.
LATER = r"""
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(int n)
{
	while (n--)
		__asm__ volatile ("nop");
}

static void *thread(void *unused)
{
	(void)unused;
	work(100000);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	work(2000000);
	if (argc > 1 && !fork()) {
		thread(NULL);
		_exit(3);
	}
	if (argc > 1)
		return wait(NULL) < 0;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return 3;
}
"""


@pytest.mark.more
def test_delay_of_threads_and_forks():
    """A thread or a child is counted from the same time as its parent, even if it runs for less
    than the delay."""
    path = program("later", LATER, "-lpthread")
    work, = (c["counter-value"] for c in
             stat("-I", "1", "-e", "instr_exec", path, code=3)["counters"][:1])
    threads = counts(stat("-D", "1", "-e", "instr_exec", path, code=3))["instr_exec"]
    all_of_it = counts(stat("-e", "instr_exec", path, code=3))["instr_exec"]
    assert abs(all_of_it - work - threads) < 10000, (all_of_it, work, threads)
    forked = counts(stat("-D", "1", "-e", "instr_exec", path, "fork"))["instr_exec"]
    all_of_it = counts(stat("-e", "instr_exec", path, "fork"))["instr_exec"]
    assert abs(all_of_it - work - forked) < 10000, (all_of_it, work, forked)
    # A child that starts during the delay is counted only after the delay is over.
    out = stat("-D", "20", "-e", "instr_exec", path, "fork")
    equal(counts(out)["instr_exec"], 0)
    contains(out["warning"], "-D 20: the program ended before this time, so nothing was counted")


# ---- intervals -----------------------------------------------------------------------------------

def test_interval_count():
    rows = lines("-I", "1000insns", "--interval-count", "3", "-e", "instr_exec", loop(N), code=3)
    equal(len(rows), 3)
    equal(rows, lines("-I", "1000insns", "-e", "instr_exec", loop(N), code=3)[:3])
    equal(len(long_enough(lambda factor: lines("-I", "20", "--interval-count", "2", "-e", "cs",
                                               "sleep", 0.5 * factor),
                          lambda rows: len(rows) >= 2)), 2)
    equal(len(lines("-I", "20000insns", "--interval-count", "5", "-e", "instr_exec", loop(N),
                    code=3)), 1)
    for text in ("0", "-1", "x", "", "99999999999"):
        refuse("-I", "10", "--interval-count", text, "true", said="--interval-count")
    refuse("--interval-count", "3", "true", said="--interval-count needs -I")


def test_intervals_of_a_dump():
    """pmk stat -I divides a dump into intervals. tests/python/test_stat.py gives the counts of the
    dump."""
    folder = os.path.join(SOURCE, "examples/api")
    argv = ("-T", f"wave:{folder}/core.vcd", "--map", f"{folder}/core.ini", "-I", "5cycles", "-e",
            "inst*_exec,dcache_m*")
    rows = lines("--summary", *argv)
    equal([r[:2] + r[3:4] for r in rows[-2:]],
          [["summary", "14", "instr_exec"], ["summary", "3", "dcache_miss"]])
    equal(sum(int(r[1]) for r in rows[:-2] if r[3] == "instr_exec"), 14)
    equal(lines("--interval-count", "2", *argv), rows[:4])


def test_interval_print_is_interval():
    argv = ("-e", "instr_exec", loop(N))
    equal(lines("--interval-print", "1000insns", *argv, code=3), lines("-I", "1000insns", *argv,
                                                                       code=3))


def test_summary():
    argv = ("-I", "1000insns", "-e", "instr_exec,cpu_cycles", loop(N))
    rows = lines("--summary", *argv, code=3)
    equal(rows[:-2], lines(*argv, code=3))
    equal(rows[:-2], lines("--summary", "--no-summary", *argv, code=3))
    equal([r[:2] + r[3:4] for r in rows[-2:]],
          [["summary", str(sum(int(r[1]) for r in rows[:-2] if r[3] == e)), e]
           for e in ("instr_exec", "cpu_cycles")])
    equal([c["counter-value"] for c in stat("--summary", *argv, code=3)["counters"]
           if "interval" not in c], [int(r[1]) for r in rows[-2:]])
    contains(pmk("stat", "--summary", *argv).err, "\n Whole run:\n\n")
    here = lines("--summary", "-I", "30", "-e", "page-faults", "sleep", "0.1")
    equal((here[-1][0], int(here[-1][1])),
          ("summary", sum(int(r[1]) for r in here[:-1] if r[1].isdigit())))


# ---- how it is shown -----------------------------------------------------------------------------

def test_metrics_alone():
    argv = ("-M", "cpi,dcache_miss_ratio", loop(N))
    value = {m["name"]: m["value"] for m in stat(*argv, code=3)["metrics"]}
    rows = lines("--metric-only", *argv, code=3)
    equal(rows, [["cpi", "dcache_miss_ratio", "region"],
                 [f"{value['cpi']:.6f}", f"{value['dcache_miss_ratio']:.6f}", ""]])
    equal(lines("--metric-only", "--region", "g", *argv, code=3)[2][2], "g")
    text = pmk("stat", "--metric-only", *argv).err
    assert re.search(rf"^ +cpi +dcache_miss_ratio\n +{value['cpi']:.2f} +"
                     rf"{value['dcache_miss_ratio']:.2f}%$", text, re.M), text
    assert "instr_exec" not in text, text
    out = pmk("stat", "--metric-only", "-j", *argv)
    equal(json.loads(out.err), value)
    rows = lines("--metric-only", "-I", "1000insns", *argv, code=3)
    equal(rows[0], ["time", "cpi", "dcache_miss_ratio", "region"])
    equal(len(rows), 1 + TOTAL // 1000 + 1)


def test_metrics_alone_without_a_metric():
    refuse("--metric-only", "-e", "instr_exec", loop(N), said="no metric can be computed")
    refuse("--metric-only", "--json-document", loop(N), said="cannot be combined with "
                                                             "--json-document")
    out = pmk("stat", "--metric-only", "-e", "cpu_cycles,etmextout_0", "-M", "cpi", loop(N))
    assert re.search(r"^ +cpi\n +\d\.\d\d$", out.err, re.M), out


def test_table():
    for prog in ((loop(N),), ("true",)):
        out = pmk("stat", "-n", "-r", "4", "--table", *prog).err
        times = [(float(t), float(away), len(marks)) for t, away, marks in
                 re.findall(r"^ {11}(\d+\.\d{9}) \(([+-]\d+\.\d{9})\) (#*)$", out, re.M)]
        mean, error, percent = map(float, re.search(
            r"^ +(\d+\.\d{9}) \+- (\d+\.\d{9}) seconds time elapsed  \( \+- *(\d+\.\d\d)% \)$",
            out, re.M).groups())
        equal(len(times), 4, out)
        assert abs(sum(t for t, _, _ in times) / 4 - mean) < 2e-9, out
        spread = (sum((t - mean) ** 2 for t, _, _ in times) / 3 / 4) ** 0.5
        assert abs(spread - error) < 1e-8 and abs(100 * error / mean - percent) < 0.01, out
        for t, away, marks in times:
            assert abs(t - mean - away) < 2e-9, out
            assert marks == min(100, -(-abs(away) / mean * 20 // 1)) or abs(
                abs(away) / mean * 20 - marks) < 1.01, out
    refuse("--table", "true", said="-r")
    refuse("--table", "-r", "2", "-x,", "true", said="cannot be combined with -j or -x")


def test_log_fd():
    path = os.path.join(WORK, "log-fd.csv")
    out = run("sh", "-c", '"$0" stat --log-fd 7 -x, -e instr_exec "$1" 7>"$2"', PMK, loop(N), path)
    equal((out.code, out.err), (3, ""))
    with open(path) as f:
        equal(f.read().split(",")[0], str(TOTAL))
    for text in ("99", "3", "4", "-1", "0", "x", "", "2.5", "99999999999"):
        refuse("--log-fd", text, loop(N), said="--log-fd")
    refuse("--log-fd", "2", "-o", path, loop(N), said="-o and --log-fd exclude each other")
    out = run("sh", "-c", '"$0" stat --log-fd 7 -e instr_exec "$1" 7</dev/null', PMK, loop(N))
    equal((out.code, out.err), (USAGE, "pmk: --log-fd 7: it is open only for reading\n"))


def test_digits_are_grouped():
    for options, text in (((), " 8,005 "), (("-B",), " 8,005 "), (("--no-big-num",), " 8005 "),
                          (("--no-big-num", "--big-num"), " 8,005 ")):
        contains(pmk("stat", *options, "-e", "instr_exec", loop(N)).err, text)


def levels(values):
    most = max(values) or 1
    return "".join("_.:-=+*#"[min(7, int(v / most * 8))] for v in values)


def test_plot():
    """The plotted lines have the numbers of the CSV output."""
    env = dict(os.environ, LC_ALL="C")
    argv = ("-I", "700insns", "-e", "instr_exec,cpu_cycles,dcache_miss", "-M", "cpi", loop(N))
    rows = lines(*argv, code=3)
    out = pmk("stat", "--plot", *argv, env=env).err
    contains(out, "\n   counts and metrics by interval\n")
    drawn = {name: (line, least, most) for name, line, least, most in re.findall(
        r"^   (\w+) +([_.:\-=+*#]+)  least (\S+), most (\S+)$", out, re.M)}
    for event in ("instr_exec", "cpu_cycles", "dcache_miss"):
        values = [int(r[1]) for r in rows if r[3] == event]
        equal(len(values), TOTAL // 700 + 1)
        equal(drawn[event], (levels(values), f"{min(values):,}", f"{max(values):,}"), event)
    values = [float(r[6]) for r in rows if r[7].endswith("cpi")]
    equal(drawn["cpi"], (levels(values), f"{min(values):.2f}", f"{max(values):.2f}"))
    text = pmk("stat", *argv, env=env).err
    equal(re.sub(r"seconds time.*|\d+\.\d{9} sec.*", "", out.split("\n   counts and")[0]),
          text[:len(out.split("\n   counts and")[0])])


def test_plot_shares_columns():
    out = pmk("stat", "--plot", "-I", "50insns", "-e", "instr_exec", loop(N)).err
    each = int(re.search(r"by interval, (\d+) intervals in a column", out).group(1))
    line = re.search(r"^   instr_exec +(\S+)  least", out, re.M).group(1)
    many = len(lines("-I", "50insns", "-e", "instr_exec", loop(N), code=3))
    equal(len(line), -(-many // each))


def test_plot_of_this_machine():
    out = pmk("stat", "--plot", "-I", "20", "-e", "task-clock,cs,page-faults", "sleep", "0.2").err
    for event in ("task-clock", "page-faults"):
        assert re.search(rf"^   {event} +\S.*  least \S+, most \S+$", out, re.M), out


def test_plot_of_what():
    refuse("--plot", loop(N), said="--plot draws the intervals of -I")
    for form in ("-j", "-x,", "--json-document"):
        refuse("--plot", "-I", "10", form, loop(N), said="cannot be combined with -j or -x")


# ---- threads -------------------------------------------------------------------------------------

def test_threads_apart():
    two = [subprocess.Popen(["sh", "-c", f"read x; {what}"], stdin=subprocess.PIPE)
           for what in ("while [ ${i:-0} -lt 100000 ]; do i=$((i + 1)); done", ":")]
    # A process has the name of its program only a moment after Popen() has returned.
    wait_until(lambda: all(pathlib.Path(f"/proc/{shell.pid}/comm").read_text() == "sh\n"
                           for shell in two), "no shell runs")
    pids = ",".join(str(p.pid) for p in two)
    p = subprocess.Popen([PMK, "stat", "--per-thread", "-j", "-p", pids, "-e", "task-clock,cs"],
                         stderr=subprocess.PIPE, text=True)
    wait_until(lambda: events_of(p.pid) >= 4 and sleeps(p.pid), "pmk does not open events")
    for shell in two:
        shell.communicate(b"\n")
    rows = [json.loads(line) for line in p.communicate(timeout=PATIENCE)[1].splitlines()]
    equal([(r["thread"], r["event"]) for r in rows],
          [(f"sh-{q.pid}", e) for q in two for e in ("task-clock", "cs")])
    busy, idle = (float(r["counter-value"]) for r in rows if r["event"] == "task-clock")
    assert busy > 10 * idle, rows
    for form in ((), ("-x,",), ("--json-document",)):
        sleeper = started("sleep", str(2 * PATIENCE))
        out = pmk("stat", "--per-thread", *form, "--timeout", "50", "-p", sleeper.pid, "-e", "cs")
        sleeper.kill()
        sleeper.wait()
        contains(out.err, f"sleep-{sleeper.pid}")


def test_threads_of_what():
    refuse("--per-thread", "true", said="--per-thread needs -p")
    refuse("--per-thread", "-T", "emu", loop(N), said="--per-thread is for -T linux")
    refuse("--per-thread", "-p", os.getpid(), "-I", "10", said="cannot be combined with -I or -A")


def test_no_inherit_has_perfs_letter():
    script = "ls / >/dev/null; :"
    all_of_it, alone = (int(lines(*i, "-e", "page-faults", "sh", "-c", script)[0][0])
                        for i in ((), ("-i",)))
    assert alone < all_of_it, (alone, all_of_it)
