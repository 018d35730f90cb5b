# SPDX-License-Identifier: MIT
"""Tests every option of pmk stat, on programs whose instructions are known, and pmk list, pmk info
and pmk decode."""
import contextlib
import csv
import fcntl
import io
import os
import pathlib
import re
import shutil
import struct
import subprocess
import termios

import repo
from harness import *
from programs import LOOP, assemble, build, loop, misses, program

pytestmark = pytest.mark.quick

N = 1000
TOTAL, IN_F, IN_G = 8 * N + 5, 5 * N, 2 * N

# Copies its standard input to its output, prints its arguments and environment, and exits.
TALK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
int main(int argc, char **argv)
{
	int c;

	if (argc > 1 && !strcmp(argv[1], "env")) {
		for (char **e = environ; *e; e++)
			puts(*e);
		return 0;
	}
	for (int i = 1; i < argc; i++)
		printf("[%s]", argv[i]);
	while ((c = getchar()) != EOF)
		putchar(c);
	fputs("to stderr\n", stderr);
	return 0;
}
"""

# Writes and reads a buffer of BYTES, PASSES times.
WALK = r"""
static volatile char buffer[BYTES];
int main(void)
{
	for (int pass = 0; pass < PASSES; pass++)
		for (unsigned i = 0; i < BYTES; i += 4)
			buffer[i] = 1, buffer[i];
	return 0;
}
"""

# outer(3) calls inner 3 times per level of its recursion. main and inner call leaf.
NEST = r"""
#include <string.h>
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) void leaf(void) { sink++; }
__attribute__((noinline)) void inner(void) { leaf(); leaf(); sink++; }
__attribute__((noinline)) int outer(int n)
{
	for (int i = 0; i < 3; i++)
		inner();
	if (n > 1)
		outer(n - 1);
	sink++;
	return sink;
}
int main(void)
{
	leaf();
	outer(3);
	leaf();
	return 0;
}
"""

# A recursive function: 5 calls begin, each inside the previous call, and then all end.
RECURSE = """
	.syntax	unified
	.arm
	.global	_start, r
	.type	_start, %function
	.type	r, %function
_start:
	mov	r4, #5
	bl	r
	nop
	mov	r4, #1
	bl	r
	mov	r0, #0
	mov	r7, #1
	svc	#0
r:	push	{r5, lr}
	subs	r4, r4, #1
	beq	1f
	bl	r
	nop
1:	pop	{r5, pc}
"""


def talk():
    return program("talk", TALK)


def rows(*argv, code=3, sep=","):
    """Returns the lines of `pmk stat -x`, each as a list of fields."""
    out = pmk("stat", "-x", sep, *argv)
    equal(out.code, code, str(out))
    return list(csv.reader(io.StringIO(out.err), delimiter=sep))


def value(document, event, region=None):
    c = counts(document, region)
    assert event in c, f"no {event} in {c}"
    return c[event]


# ---- the program's own behaviour -----------------------------------------------------------------


def test_stdout_and_stdin_are_the_programs():
    out = pmk("stat", "-e", "instr_exec", talk(), "a b", "", "-e", "--", stdin="line 1\nline 2\n")
    equal(out.code, 0, str(out))
    equal(out.out, "[a b][][-e][--]line 1\nline 2\n")
    contains(out.err, "to stderr\n")
    contains(out.err, "instr_exec")


def test_stderr_is_the_programs_alone_with_an_output_file():
    path = os.path.join(WORK, "stat-stderr.txt")
    out = pmk("stat", "-o", path, "-e", "instr_exec", talk(), stdin="x")
    equal((out.code, out.out, out.err), (0, "x", "to stderr\n"))
    contains(open(path).read(), "instr_exec")


def test_exit_code_is_the_programs():
    exits = program("exits", """
        #include <signal.h>
        #include <stdlib.h>
        int main(int argc, char **argv)
        {
            int n = atoi(argv[1]);
            if (argc > 2) { raise(n); }
            return n;
        }""")
    for n in (0, 1, 3, 77, 125, 126, 127, 129, 255):
        out = pmk("stat", "-e", "instr_exec", exits, n)
        equal(out.code, n, str(out))
        contains(out.err, "exact")
    for n in (6, 11, 15):
        equal(pmk("stat", "-e", "instr_exec", exits, n, "signal").code, 128 + n)
        doc = stat("-e", "instr_exec", exits, n, "signal", code=128 + n)
        equal(doc["exit-status"], 128 + n)
        assert value(doc, "instr_exec") > 100


def test_options_end_at_the_program():
    doc = stat("-e", "instr_exec", "--", loop(N), "-e", "nonsense", code=3)
    equal(value(doc, "instr_exec"), TOTAL)
    contains(doc["command"], "-e nonsense")


def test_long_options_take_both_forms():
    for form in (["--event=instr_exec"], ["--event", "instr_exec"], ["--ev", "instr_exec"],
                 ["-einstr_exec"]):
        equal(value(stat(*form, loop(N), code=3), "instr_exec"), TOTAL, form)


def test_program_is_found_in_path():
    env = dict(os.environ, PATH=WORK + ":" + os.environ["PATH"])
    doc = stat("-e", "instr_exec", os.path.basename(loop(N)), code=3, env=env)
    equal(value(doc, "instr_exec"), TOTAL)


def test_path_may_have_empty_places():
    """An empty entry of PATH is the current directory, as in the shell."""
    usual = os.environ["PATH"]
    for path in (":" + usual, usual + ":", "/nowhere::/nowhere:" + usual):
        doc = stat("-e", "instr_exec", os.path.basename(loop(N)), code=3, cwd=WORK,
                   env=dict(os.environ, PATH=path))
        equal(value(doc, "instr_exec"), TOTAL)


def test_environment_is_fixed_and_env_adds():
    env = dict(os.environ, SECRET="no", SHOWN="yes")
    out = pmk("stat", "-e", "instr_exec", talk(), "env", env=env)
    equal(sorted(out.out.split("\n")[:-1]),
          ["HOME=/", "LANG=C", "PATH=/usr/local/bin:/usr/bin:/bin"])
    out = pmk("stat", "-e", "instr_exec", "--env", "SHOWN", "--env", "A=b c", "--env", "LANG=de",
              "--env", "EMPTY=", "--env", "UNSET_HERE", talk(), "env", env=env)
    lines = out.out.split("\n")[:-1]
    equal(sorted(lines), ["A=b c", "EMPTY=", "HOME=/", "LANG=de",
                          "PATH=/usr/local/bin:/usr/bin:/bin", "SHOWN=yes"])
    doc = stat("-e", "instr_exec", "--env", "A=1", "--env", "B=2", talk(), "env", stdin="")
    equal(doc["env"], "A=1 B=2")


# ---- events --------------------------------------------------------------------------------------


def test_a_known_loop_counts_exactly():
    for n in (1, 2, 255, 4096, 65535):
        doc = stat("-e", "instr_exec,br_exec", loop(n), code=3)
        equal(value(doc, "instr_exec"), 8 * n + 5, n)


def test_defaults_are_there():
    doc = stat(loop(N), code=3)
    for event in ("cpu_cycles", "instr_exec", "br_exec", "br_mispredict", "dcache_miss"):
        assert value(doc, event) >= 0
    equal(value(doc, "instr_exec"), TOTAL)
    equal(doc["format"], "pmk-stat")
    equal(doc["version"], 1)
    equal(doc["pmu"], "arm1176")
    equal(doc["core"], "arm1176")
    equal(doc["runs"], 1)
    equal(doc["processes"], 1)
    equal(doc["threads"], 1)
    equal(doc["partial"], False)
    equal(doc["warning"], None)
    equal(doc["exit-status"], 3)
    assert re.fullmatch(r"qemu-arm \d+\.\d+\S*", doc["producer"]), doc["producer"]


def test_event_lists_repeat_and_keep_order():
    doc = stat("-e", "br_exec,cpu_cycles", "-e", "instr_exec", loop(N), code=3)
    equal([c["event"] for c in doc["counters"]], ["br_exec", "cpu_cycles", "instr_exec"])


def test_every_spelling_of_an_event():
    spelled = ["instr_exec", "INSTR_EXEC", "instructions", "r07", "r7", "arm1176/instr_exec/",
               "arm1176/event=0x07/", "arm1176::instr_exec", "arm1176::INSTR_EXEC", "instr_exec:u",
               "instr_exec:uk"]
    for event in spelled:
        doc = stat("-e", event, loop(N), code=3)
        c = doc["counters"][0]
        equal((c["event"], c["counter-value"], c["code"], c["trust"]),
              (event, TOTAL, "0x07", "exact"))


def test_aliases_of_perf():
    aliases = {"cycles": "cpu_cycles", "cpu-cycles": "cpu_cycles", "instructions": "instr_exec",
               "branches": "br_exec", "branch-instructions": "br_exec",
               "branch-misses": "br_mispredict",
               "cache-misses": "dcache_miss", "cache-references": "dcache_access_cacheable",
               "iTLB-load-misses": "itlb_miss", "stalled-cycles-backend": "lsu_full_stall"}
    doc = stat("-e", ",".join(list(aliases) + list(aliases.values())), loop(N), code=3)
    c = counts(doc)
    for alias, name in aliases.items():
        equal(c[alias], c[name], alias)


def test_all_events_in_one_run():
    doc = stat("-e", "all", loop(N), code=3)
    c = counts(doc)
    listed = json.loads(pmk("list", "events", "--pmu", "arm1176", "-j").out)["events"]
    equal(sorted(c), sorted(e["name"] for e in listed))
    equal(c["instr_exec"], TOTAL)
    for event in ("etmextout_0", "etmextout_1", "etmextout"):
        equal(c[event], None)
    for row in doc["counters"]:
        if row["counter-value"] is None:
            equal(row["trust"], "not supported")
            assert row["reason"], row
        else:
            equal(row["reason"], None)


def test_the_same_event_alone_in_company_and_twice():
    company = stat("-e", "all", loop(N), code=3)
    for event in ("br_mispredict", "dcache_miss", "ibuf_stall", "cpu_cycles"):
        equal(value(stat("-e", event, loop(N), code=3), event), value(company, event), event)
    twice = stat("-e", "instr_exec,instr_exec,instr_exec", loop(N), code=3)
    equal([c["counter-value"] for c in twice["counters"]], [TOTAL] * 3)


def test_groups_share_a_pass():
    doc = stat("-e", "{instr_exec,br_exec},{cpu_cycles,dcache_miss,icache_miss}:u", loop(N), code=3)
    equal(len(doc["counters"]), 5)
    equal(doc["passes"], 2)
    equal(doc["counters"][0]["counter-value"], TOTAL)
    # These events fit into one pass, but two groups are two passes at most.
    doc = stat("-e", "{instr_exec},{br_exec}", loop(N), code=3)
    assert doc["passes"] <= 2
    equal(value(doc, "instr_exec"), TOTAL)


def test_a_group_that_is_too_large():
    # The group is too large with and without cycles, because cycles have their own counter.
    for cycles in ("", ",cpu_cycles"):
        out = pmk("stat", "-e", "r0c,{instr_exec,dcache_miss,br_exec" + cycles + "}", loop(N))
        equal((out.code, out.out, out.err),
              (129, "",
               "pmk: the group {instr_exec,...} needs 3 event counters at a time, but arm1176 has "
               "2; leave out the braces to count in several passes\n"))


def test_kernel_events_have_no_value_and_a_reason():
    for event in ("instr_exec:k", "cycles:h", "{instr_exec,br_exec}:k"):
        doc = stat("-e", event, loop(N), code=3)
        c = doc["counters"][0]
        equal((c["counter-value"], c["trust"]), (None, "not supported"))
        contains(c["reason"], "kernel")
    equal(rows("-e", "instr_exec:k", loop(N))[0][0], "<not supported>")
    out = pmk("stat", "-e", "instr_exec:k,instr_exec:u", loop(N))
    contains(out.err, "<not supported>")
    contains(out.err, "user emulation runs no kernel code")
    contains(out.err, f"{TOTAL:,}")


def test_metrics_bring_their_events():
    doc = stat("-M", "cpi", loop(N), code=3)
    c = counts(doc)
    equal(sorted(c), ["cpu_cycles", "instr_exec"])
    m = {m["name"]: m for m in doc["metrics"]}
    equal(sorted(m), ["cpi"])
    assert abs(m["cpi"]["value"] - c["cpu_cycles"] / c["instr_exec"]) < 1e-6
    equal(m["cpi"]["unit"], "cycles/insn")
    doc = stat("-M", "cpi,ipc", "-M", "dcache_miss_ratio", "-e", "br_exec", loop(N), code=3)
    equal(sorted(m["name"] for m in doc["metrics"]), ["cpi", "dcache_miss_ratio", "ipc"])
    assert "br_exec" in counts(doc)
    doc = stat("-M", "cpi,ipc", "-M", "ipc,cpi", loop(N), code=3)
    equal([m["name"] for m in doc["metrics"]], ["cpi", "ipc"], "each once")


def test_a_metric_without_its_divisor_says_why():
    nothing = assemble("nothing", ".global _start\n_start:\n mov r0, #0\n mov r7, #1\n svc #0\n")
    doc = stat("-M", "dcache_miss_ratio", nothing)
    m = doc["metrics"][0]
    equal(m["value"], None)
    assert m["reason"], m
    equal(value(doc, "dcache_access_cacheable"), 0)


def test_passes_rerun_equals_clone():
    clone = stat("-e", "all", "--passes", "clone", loop(N), code=3)
    rerun = stat("-e", "all", "--passes", "rerun", loop(N), code=3)
    equal(counts(rerun), counts(clone))
    assert clone["passes"] == rerun["passes"] > 5
    walk = program("walk", WALK, "-DBYTES=24576", "-DPASSES=2")
    equal(counts(stat("-e", "all", "--passes", "rerun", walk)), counts(stat("-e", "all", walk)))


def test_passes_rerun_with_everything_else():
    doc = stat("-e", "all", "--passes", "rerun", "--region", "f", "-r", "2", loop(N), code=3)
    clone = stat("-e", "all", "--region", "f", loop(N), code=3)
    equal(counts(doc), counts(clone))
    equal(counts(doc, "f"), counts(clone, "f"))
    equal((entries(doc, "f"), entries(clone, "f")), (N, N))
    equal((doc["runs"], doc["processes"], doc["threads"]), (2, 1, 1))
    runtime = {c["event"]: c["event-runtime"] for c in clone["counters"]}
    equal({c["event"]: c["event-runtime"] for c in doc["counters"]}, runtime)


# ---- formats -------------------------------------------------------------------------------------


def test_text_says_what_it_says():
    out = pmk("stat", "-e", "instr_exec,dcache_miss", loop(65535))
    text = out.err
    contains(text, "Performance counter stats for '")
    contains(text, " on arm1176:")
    assert re.search(r"^ +524,285      instr_exec +exact", text, re.M), text
    assert re.search(r"^ +\d+      dcache_miss +modelled", text, re.M), text
    contains(text, "counted by qemu-arm ")
    contains(text, "exact: defined by the instruction stream")
    assert re.search(r"^ +\d+\.\d{9} seconds time elapsed$", text, re.M), text
    assert not re.search(r"[ \t]$", text, re.M), "blanks at the end of a line"
    contains(pmk("stat", "--no-big-num", "-e", "instr_exec", loop(65535)).err, " 524285 ")
    verbose = pmk("stat", "-v", "-e", "instr_exec", loop(N)).err
    contains(verbose, "0x07")
    assert len(verbose) > len(pmk("stat", "-e", "instr_exec", loop(N)).err)


def test_no_colours_into_a_file():
    assert "\033" not in pmk("stat", loop(N)).err


def test_csv_columns():
    lines = rows("-e", "instr_exec,cycles,instr_exec:k", "-M", "cpi", loop(N))
    equal(len(lines), 3)
    first = lines[0]
    equal(len(first), 11)
    equal(first[:3], [str(TOTAL), "", "instr_exec"])
    assert int(first[3]) > 0, "event-runtime in ns"
    equal(first[4], "100.00")
    assert abs(float(first[5]) * TOTAL - int(lines[1][0])) < 1, first
    equal(first[6], "cycles/insn  cpi")
    equal(first[7:], ["arm1176", "0x07", "exact", ""])
    equal(lines[1][2], "cycles")
    equal(lines[1][7:], ["arm1176", "0xff", "modelled", ""])
    equal(lines[2][:5], ["<not supported>", "", "instr_exec:k", "0", "100.00"])
    equal(lines[2][9], "not supported")


def test_csv_runtime_is_guest_time():
    line = rows("-e", "cycles", loop(65535))[0]
    cycles, ns = int(line[0]), int(line[3])
    assert abs(ns - cycles / 0.7) < 2, (cycles, ns)  # 700 MHz


def test_csv_with_other_separators():
    for sep in (";", "|", "\t"):
        line = rows("-e", "instr_exec", loop(N), sep=sep)[0]
        equal((line[0], line[2], len(line)), (str(TOTAL), "instr_exec", 11))
    out = pmk("stat", "-x", "<>", "-e", "instr_exec", loop(N))
    equal(out.err.rstrip("\n").split("<>")[0::2][:2], [str(TOTAL), "instr_exec"])


def test_csv_quotes_what_has_the_separator():
    line = rows("-e", "instr_exec:u", loop(N), sep=":")[0]
    equal((line[2], len(line)), ("instr_exec:u", 11))


def test_csv_with_repeats_and_intervals():
    line = rows("-r", "3", "-e", "instr_exec", loop(N))[0]
    equal((line[0], line[2], line[3], len(line)), (str(TOTAL), "instr_exec", "0.00%", 12))
    equal(line[8:], ["arm1176", "0x07", "exact", ""])
    lines = rows("-I", "2000insns", "-e", "instr_exec", loop(N))
    equal(len(lines), 5)
    for line in lines:
        equal((len(line), line[3]), (12, "instr_exec"))
        assert re.fullmatch(r"\d+\.\d{9}", line[0]), line
    equal(sum(int(line[1]) for line in lines), TOTAL)
    times = [float(line[0]) for line in lines]
    equal(times, sorted(times))
    line = rows("-A", "-e", "instr_exec", loop(N))[0]
    equal((line[0], line[1], line[3], len(line)), ("CPU0", str(TOTAL), "instr_exec", 12))


def test_json_keys():
    doc = stat("-e", "instr_exec", "-M", "cpi", loop(N), code=3)
    for c in doc["counters"]:
        for key in ("counter-value", "unit", "event", "event-runtime", "pcnt-running",
                    "metric-value", "metric-unit", "pmu", "code", "trust", "reason", "region"):
            assert key in c, f"{key} is not in {c}"
    c = doc["counters"][0]
    equal((c["counter-value"], c["unit"], c["pcnt-running"]), (TOTAL, "", 100.0))
    assert abs(c["metric-value"] - doc["metrics"][0]["value"]) < 1e-6
    doc = stat("-r", "2", "-e", "instr_exec", loop(N), code=3)
    equal((doc["runs"], doc["counters"][0]["variance"]), (2, 0.0))


def lines(*argv, code=0, **kw):
    """Returns what pmk stat -j writes, a dictionary for each line."""
    out = pmk("stat", "-j", "-o", "/dev/stdout", *argv, **kw)
    equal(out.code, code, out)
    return [json.loads(line) for line in out.out.splitlines()]


def test_json_lines():
    """perf's keys come first, in perf's order. The counts equal those of the document."""
    perf = ["counter-value", "unit", "event", "event-runtime", "pcnt-running", "metric-value",
            "metric-unit"]
    for options in ((), ("--region", "f"), ("-A",)):
        argv = (*options, "-e", "instr_exec,cycles,etmextout_0", "-M", "cpi", loop(N))
        rows = [r for r in lines(*argv, code=3) if "event" in r]
        doc = stat(*argv, code=3)["counters"]
        equal(len(rows), len(doc))
        for row, c in zip(rows, doc):
            equal([k for k in row if k != "cpu"][:len(perf)], perf)
            assert ("cpu" in row) == (options == ("-A",)), row
            equal(row["counter-value"], "<not supported>" if c["counter-value"] is None
                  else f"{c['counter-value']}.000000")
            for key in ("unit", "event", "event-runtime", "pcnt-running", "metric-value", "pmu",
                        "code", "trust", "reason", "region"):
                equal(row[key], c[key], key)
    equal([r["variance"] for r in lines("-r", "2", "-e", "instr_exec", loop(N), code=3)], [0.0])
    assert "latency" not in rows[0], rows[0]


def test_json_lines_have_perfs_blanks():
    out = pmk("stat", "-j", "-e", "instr_exec", loop(N))
    assert out.err.startswith('{"counter-value" : "%d.000000", "unit" : "", "event" : '
                              '"instr_exec", "event-runtime" : ' % TOTAL), out
    assert out.err.endswith('"trust" : "exact", "reason" : null, "region" : null}\n'), out


def test_json_lines_of_intervals():
    rows = lines("-I", "1000insns", "-e", "instr_exec", loop(N), code=3)
    assert len(rows) == TOTAL // 1000 + 1, rows
    equal(list(rows[0])[0], "interval")
    equal(sum(float(r["counter-value"]) for r in rows), TOTAL)
    equal(rows[-1]["interval-instructions"], TOTAL)
    equal([r["interval"] for r in rows], sorted(r["interval"] for r in rows))


def test_json_lines_end_with_what_is_to_be_known():
    rows = lines("-e", "instr_exec", "--region", "abort", talk(), stdin="")
    last = rows.pop()
    equal((list(last), last["partial"]), (["partial", "warning", "note"], False))
    contains(last["warning"], "was never entered")
    assert all("event" in r for r in rows), rows


def test_json_of_odd_arguments():
    out = pmk("stat", "--json-document", "-e", "instr_exec", "--", talk(), 'q"uo\\te', "tab\t",
              "uml\u00e4ut",
              "\x01", stdin="")
    doc = json.loads(out.err.replace("to stderr\n", ""))
    contains(doc["command"], 'q"uo\\te')
    contains(doc["command"], "uml\u00e4ut")
    p = subprocess.run([PMK, "stat", "--json-document", "-e", "instr_exec", talk(), b"\xff\xfe"],
                       capture_output=True, stdin=subprocess.DEVNULL)
    doc = json.loads(p.stderr.replace(b"to stderr\n", b"").decode("utf-8"))
    contains(doc["command"], "\ufffd")


def test_numbers_do_not_depend_on_the_locale():
    usual = pmk("stat", "-x", ";", "-M", "cpi", loop(N)).err
    for locale in ("de_DE.UTF-8", "C.UTF-8", "nonsense"):
        env = dict(os.environ, LC_ALL=locale, LANG=locale)
        equal(pmk("stat", "-x", ";", "-M", "cpi", loop(N), env=env).err, usual, locale)


def test_output_and_append():
    path = os.path.join(WORK, "stat-append.csv")
    with open(path, "w") as f:
        f.write("old\n")
    out = pmk("stat", "-x", ",", "-o", path, "-e", "instr_exec", loop(1))
    equal((out.code, out.out, out.err), (3, "", ""))
    out = pmk("stat", "-x", ",", "-o", path, "--append", "-e", "instr_exec", loop(2))
    equal(out.code, 3)
    lines = open(path).read().splitlines()
    equal([line.split(",")[0] for line in lines], ["13", "21"])


def test_repeats_are_identical_and_said_so():
    out = pmk("stat", "-r", "3", loop(N))
    equal(out.code, 3)
    contains(out.err, "(3 runs)")
    contains(out.err, "identical in all 3 runs")
    doc = stat("-r", "3", "-e", "all", loop(N), code=3)
    for c in doc["counters"]:
        equal(c["variance"], 0.0, c["event"])
    equal(counts(doc), counts(stat("-e", "all", loop(N), code=3)))
    out = pmk("stat", "-r", "3", "-e", "instr_exec", talk(), "x", stdin="")
    equal(out.out, "[x]" * 3)


def test_repeats_that_differ_have_a_spread():
    # The program appends a byte to its file in every run. Its work is proportional to the length of
    # the file.
    grows = program("grows", r"""
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            FILE *f = fopen(argv[1], "a");
            volatile long i, n;
            putc('x', f);
            n = ftell(f) * 10000;
            fclose(f);
            for (i = 0; i < n; i++) ;
            return 0;
        }""")
    path = os.path.join(WORK, "grows.txt")
    if os.path.exists(path):
        os.unlink(path)
    doc = stat("-r", "3", "-e", "instr_exec", grows, path)
    assert doc["counters"][0]["variance"] > 1, doc
    out = pmk("stat", "-r", "2", "-e", "instr_exec", grows, path)
    assert "identical" not in out.err, out
    assert re.search(r"\( \+- +\d+\.\d\d% \)", out.err), out


# ---- intervals -----------------------------------------------------------------------------------

ALL = "instr_exec,cpu_cycles,br_exec,br_mispredict,dcache_access,dcache_miss,icache_miss,ibuf_stall"


def interval_ends(doc, key):
    ends = []
    for c in doc["counters"]:
        if not ends or ends[-1] != c["interval"][key]:
            ends.append(c["interval"][key])
    return ends


def check_grid(ends, n, block):
    """Checks that interval k ends at k n, or in the block that crosses it. The last interval may be
    shorter."""
    for k, end in enumerate(ends[:-1], 1):
        assert k * n <= end < k * n + block, f"interval {k} of {n} ends at {end}"


def check_sums(doc, total):
    sums = {}
    for c in doc["counters"]:
        sums[c["event"]] = sums.get(c["event"], 0) + c["counter-value"]
    equal(sums, counts(total))


def test_intervals_of_instructions():
    total = stat("-e", ALL, loop(5000), code=3)
    for n in (100, 1000, 7777):
        doc = stat("-e", ALL, "-I", f"{n}insns", loop(5000), code=3)
        ends = interval_ends(doc, "instructions")
        equal(len(ends), 40005 // n + 1)
        check_grid(ends, n, 8)
        equal(ends[-1], 40005)
        check_sums(doc, total)


def test_intervals_of_cycles():
    total = stat("-e", ALL, loop(5000), code=3)
    cycles = value(total, "cpu_cycles")
    for n in (500, 10000, cycles * 2):
        doc = stat("-e", ALL, "-I", f"{n}cycles", loop(5000), code=3)
        ends = interval_ends(doc, "cycles")
        # The first block of this program, in which everything misses, takes less than 500 cycles.
        # The other blocks take less.
        check_grid(ends, n, 500)
        equal(len(ends), cycles // n + 1)
        check_sums(doc, total)


def test_intervals_of_milliseconds():
    work = loop(65535)
    total = stat("-e", ALL, work, code=3)
    for form in ("1ms", "1"):
        doc = stat("-e", ALL, "-I", form, work, code=3)
        cycles = interval_ends(doc, "cycles")
        seconds = interval_ends(doc, "seconds")
        check_grid(cycles, 700000, 500)
        equal(len(cycles), value(total, "cpu_cycles") // 700000 + 1)
        for c, s in zip(cycles, seconds):
            assert abs(s - c / 700e6) < 1e-9
        check_sums(doc, total)


def test_many_intervals_are_not_lost():
    # There are more intervals than fit into the ring between the emulator and pmk.
    doc = stat("-e", "instr_exec", "-I", "50insns", loop(65535), code=3)
    ends = interval_ends(doc, "instructions")
    equal(len(ends), 524285 // 50 + 1)
    check_sums(doc, stat("-e", "instr_exec", loop(65535), code=3))


def test_interval_text_has_a_heading():
    out = pmk("stat", "-I", "4000insns", "-e", "instr_exec", loop(N))
    equal(len(re.findall(r"^#.*time.*counts.*events", out.err, re.M)), 1)
    equal(len(re.findall(r"^ +\d\.\d{9} +[\d,]+ +instr_exec", out.err, re.M)), 3)


# ---- regions -------------------------------------------------------------------------------------


def entries(doc, region):
    return next(c["entries"] for c in doc["counters"] if c["region"] == region)


def test_regions_include_their_calls():
    doc = stat("-e", "instr_exec", "--region", "f", "--region", "g", loop(N), code=3)
    equal(value(doc, "instr_exec"), TOTAL)
    equal((value(doc, "instr_exec", "f"), entries(doc, "f")), (IN_F, N))
    equal((value(doc, "instr_exec", "g"), entries(doc, "g")), (IN_G, N))
    out = pmk("stat", "-e", "instr_exec", "--region", "f", loop(N))
    contains(out.err, "Region 'f', entered 1000 times:")
    line = [r for r in rows("-e", "instr_exec", "--region", "g", loop(N)) if r[10] == "g"]
    equal(line[0][0], str(IN_G))


def test_a_region_counts_the_whole_when_it_is_the_whole():
    doc = stat("-e", ALL, "--region", "_start", loop(N), code=3)
    equal(counts(doc, "_start"), counts(doc))
    equal(entries(doc, "_start"), 1)


def test_a_region_changes_no_count():
    plain = stat("-e", "all", loop(N), code=3)
    with_region = stat("-e", "all", "--region", "f", loop(N), code=3)
    equal(counts(with_region), counts(plain))


def test_recursion_counts_once():
    r = assemble("recurse", RECURSE)
    doc = stat("-e", "instr_exec", "--region", "r", r)
    # There are 5 levels: 4 execute push subs beq bl nop pop, and 1 executes push subs beq pop. A
    # second call executes only the last level.
    equal(value(doc, "instr_exec", "r"), 4 * 6 + 4 + 4)
    equal(value(doc, "instr_exec"), 4 * 6 + 4 + 4 + 2 + 1 + 2 + 3)
    equal(entries(doc, "r"), 6)


DEEP = """
	.syntax	unified
	.arm
	.global	_start, deep
	.type	deep, %function
_start:	ldr	r0, =15000
	bl	deep
	mov	r0, #10
	bl	deep
	mov	r0, #0
	mov	r7, #1
	svc	#0
deep:	push	{r4, lr}
	subs	r0, r0, #1
	blne	deep
	pop	{r4, pc}
"""


def test_a_deep_recursion_ends_with_its_first_call():
    doc = stat("-e", "instr_exec", "--region", "deep", assemble("deep", DEEP))
    equal(value(doc, "instr_exec", "deep"), 4 * 15000 + 4 * 10)
    equal(value(doc, "instr_exec"), 4 * 15000 + 4 * 10 + 7)
    equal(entries(doc, "deep"), 15010)


def test_regions_in_c_nest():
    nest = program("nest", NEST)
    doc = stat("-e", "instr_exec", "--region", "leaf", "--region", "inner", "--region", "outer",
               "--region", "main", nest)
    equal([entries(doc, r) for r in ("leaf", "inner", "outer", "main")], [2 + 18, 9, 3, 1])
    leaf, inner, outer, whole = (value(doc, "instr_exec", r)
                                 for r in ("leaf", "inner", "outer", "main"))
    equal(leaf % 20, 0, "every call of leaf is alike")
    equal(inner % 9, 0, "every call of inner is alike")
    per_leaf = leaf // 20
    assert inner > 18 * per_leaf and outer > inner and whole > outer + 2 * per_leaf
    assert whole < value(doc, "instr_exec")
    only = stat("-e", "instr_exec", "--region", "inner", nest)
    equal(value(only, "instr_exec", "inner"), inner, "one region does not change another")


def test_regions_in_a_position_independent_program():
    pie = build("loop-pie", LOOP, "-march=armv6k", "-marm", "-nostdlib", "-static-pie",
                "-Wl,--no-dynamic-linker", f"-DCOUNT={N}", ext="S")
    with open(pie, "rb") as f:
        equal(f.read(18)[16], 3, "e_type is ET_DYN")
    doc = stat("-e", "instr_exec", "--region", "f", "--region", "g", pie, code=3)
    equal(value(doc, "instr_exec"), TOTAL)
    equal((value(doc, "instr_exec", "f"), entries(doc, "f")), (IN_F, N))
    equal((value(doc, "instr_exec", "g"), entries(doc, "g")), (IN_G, N))
    doc = stat("-e", "instr_exec", "--from", "f", "--to", "k_end", pie, code=3)
    equal(value(doc, "instr_exec"), 8 * N - 1)


def test_regions_in_thumb():
    thumb = build("nest-thumb", NEST, "-O1", "-static", "-march=armv5te", "-mthumb")
    doc = stat("-e", "instr_exec", "--region", "leaf", "--region", "outer", thumb)
    equal((entries(doc, "leaf"), entries(doc, "outer")), (20, 3))
    equal(value(doc, "instr_exec", "leaf") % 20, 0)


def sysroot():
    root = "/usr/arm-linux-gnueabi"
    if not os.path.exists(root + "/lib/ld-linux.so.3"):
        skip("no ARM C library in " + root)
    return root


def test_dynamic_programs_and_their_regions():
    root = sysroot()
    for flags in ((), ("-no-pie",)):
        nest = build("nest-dynamic", NEST, "-O1", "-march=armv6k", "-marm", *flags)
        for where in ((), ("--sysroot", root)):
            doc = stat("-e", "instr_exec", *where, "--region", "leaf", "--region", "outer", nest)
            equal((entries(doc, "leaf"), entries(doc, "outer")), (20, 3))
            equal(value(doc, "instr_exec", "leaf") % 20, 0)
    out = pmk("stat", "-e", "instr_exec", "--sysroot", WORK, nest)
    equal(out.code, 126)
    contains(out.err, "--sysroot")


def test_a_region_that_is_never_entered():
    never = program("never", "void never(void) { }\nint main(void) { return 0; }")
    doc = stat("-e", "instr_exec", "--region", "never", never)
    equal((value(doc, "instr_exec", "never"), entries(doc, "never")), (0, 0))
    contains(doc["warning"], "region never was never entered")


def test_a_region_left_by_longjmp_and_by_exit():
    leaves = program("leaves", r"""
        #include <setjmp.h>
        #include <stdlib.h>
        static jmp_buf env;
        volatile int sink;
        __attribute__((noinline)) void thrower(void) { sink++; longjmp(env, 1); }
        __attribute__((noinline)) void catcher(void)
        {
            if (!setjmp(env)) thrower();
            sink++;
        }
        __attribute__((noinline)) void ender(void) { exit(5); }
        int main(void)
        {
            catcher();
            for (volatile int i = 0; i < 100000; i++) ;
            ender();
        }""")
    doc = stat("-e", "instr_exec", "--region", "thrower", "--region", "catcher", "--region",
               "ender", leaves, code=5)
    thrower, catcher, ender = (value(doc, "instr_exec", r) for r in ("thrower", "catcher", "ender"))
    assert thrower < catcher < 2000, (thrower, catcher)
    assert 50 < ender < 50000, ender


def test_a_window_from_to():
    doc = stat("-e", "instr_exec", "--from", "f", "--to", "k_end", loop(N), code=3)
    equal(value(doc, "instr_exec"), 8 * N - 1)  # the whole loop except the first BL
    doc = stat("-e", "instr_exec", "--from", "f", "--to", "g", loop(N), code=3)
    equal(value(doc, "instr_exec"), 2 * N)  # PUSH and BL of each pass
    doc = stat("-e", "instr_exec", "--from", "k_end", "--to", "g", loop(N), code=3)
    equal(value(doc, "instr_exec"), 3)  # the window stays open until the end
    doc = stat("-e", "instr_exec", "--from", "g", "--to", "g", loop(N), code=3)
    # The window ends and begins again at each call, so it contains everything except the code
    # before the first call.
    equal(value(doc, "instr_exec"), TOTAL - 5)


def test_branches_at_the_ends_of_a_window():
    # A pass has five branches: bl f, bl g, bx, pop, bne. The first bl f is before the window, the
    # last bne is not taken.
    doc = stat("-e", "sw_pc_change,br_exec", "--from", "f", "--to", "k_end", loop(N), code=3)
    equal((value(doc, "sw_pc_change"), value(doc, "br_exec")), (5 * N - 2, 4 * N - 1))
    doc = stat("-e", "sw_pc_change", "--from", "f", "--to", "g", loop(N), code=3)
    equal(value(doc, "sw_pc_change"), N)  # bl g
    doc = stat("-e", "sw_pc_change", "--region", "g", loop(N), code=3)
    equal(value(doc, "sw_pc_change", "g"), N)  # bx


def test_a_region_inside_a_window():
    doc = stat("-e", "instr_exec", "--from", "f", "--to", "k_end", "--region", "g", loop(N), code=3)
    equal((value(doc, "instr_exec"), value(doc, "instr_exec", "g")), (8 * N - 1, IN_G))


def test_intervals_inside_a_window():
    window = ("--from", "f", "--to", "k_end")
    doc = stat("-e", ALL, "-I", "1000insns", *window, loop(N), code=3)
    check_sums(doc, stat("-e", ALL, *window, loop(N), code=3))
    # The first interval begins with the fourth instruction, at the first call of f.
    check_grid([end - 3 for end in interval_ends(doc, "instructions")], 1000, 8)


def test_a_window_by_address():
    f = run(CROSS + "nm", loop(N)).out
    at = {line.split()[2]: "0x" + line.split()[0] for line in f.splitlines()}
    doc = stat("-e", "instr_exec", "--from", at["f"], "--to", at["k_end"], loop(N), code=3)
    equal(value(doc, "instr_exec"), 8 * N - 1)
    stripped = loop(N) + ".stripped"
    equal(run(CROSS + "strip", "-o", stripped, loop(N)).code, 0)
    doc = stat("-e", "instr_exec", "--region", at["g"], stripped, code=3)
    equal(value(doc, "instr_exec", at["g"]), IN_G)


def test_a_window_never_reached():
    doc = stat("-e", "instr_exec", "--from", "never", "--to", "main",
               program("never", "void never(void) { }\nint main(void) { return 0; }"))
    equal(value(doc, "instr_exec"), 0)
    contains(doc["warning"], "--from never was never reached")


# ---- cores ---------------------------------------------------------------------------------------


def test_every_core_with_a_pmu():
    codes = {"arm1136": "0x07", "arm1156": "0x07", "arm1176": "0x07", "arm11mpcore": "0x08"}
    for core, code in codes.items():
        doc = stat("--core", core, "-e", "all", loop(N), code=3)
        row = next(c for c in doc["counters"] if c["event"] == "instr_exec")
        equal((row["counter-value"], row["code"]), (TOTAL, code), core)
        equal((doc["core"], doc["pmu"]), (core, core))
        equal(value(stat("--pmu", core, "-e", "instructions", loop(N), code=3), "instructions"),
              TOTAL)
        equal(stat("--core", core, loop(N), code=3)["exit-status"], 3)


def test_a_core_without_a_pmu():
    data = os.path.join(WORK, "data-bare")
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(os.path.join(SOURCE, "data"), data)
    with open(os.path.join(data, "cores", "bare.ini"), "w") as f:
        f.write("[core]\nname = bare\npmu = none\nqemu_cpu = arm926\nisa = arm\n")
    env = dict(os.environ, PMK_DATA=data)
    out = pmk("stat", "--core", "bare", loop(N), env=env)
    equal((out.code, out.out), (129, ""))
    contains(out.err, "core bare has no performance monitor")
    assert re.search(r"PMU +none", pmk("info", "bare", env=env).out)


def test_pmu_and_core_have_to_agree():
    out = pmk("stat", "--core", "arm1136", "--pmu", "arm11mpcore", loop(N))
    equal(out.code, 129)
    contains(out.err, "arm11mpcore")
    equal(pmk("stat", "--pmu", "nonsense", loop(N)).code, 129)


def test_set_changes_the_core():
    walk = program("walk", WALK, "-DBYTES=24576", "-DPASSES=20")
    small = stat("-e", "dcache_miss,instr_exec", "--set", "dcache.size=4K", walk)
    usual = stat("-e", "dcache_miss,instr_exec", walk)
    large = stat("-e", "dcache_miss,instr_exec", "--set", "dcache.size=64K", walk)
    equal(value(small, "instr_exec"), value(large, "instr_exec"))
    # The program walks through 24 KB, which are 768 lines. Unless they fit into the cache, every
    # pass misses all of them.
    assert value(large, "dcache_miss") < 2 * 768 * 2, value(large, "dcache_miss")
    assert value(small, "dcache_miss") >= 768 * 20, value(small, "dcache_miss")
    assert value(large, "dcache_miss") < value(usual, "dcache_miss") <= value(small, "dcache_miss")
    doc = stat("--set", "dcache.size=4K", "--set", "mem.latency=99", "-e", "instr_exec", loop(N),
               code=3)
    equal(doc["settings"], "dcache.size=4K mem.latency=99")
    contains(pmk("stat", "--set", "mem.latency=99", loop(N)).err, "mem.latency=99")


def test_clock_gives_the_time():
    doc = stat("-e", "cycles", "--set", "clock=100000000", loop(N), code=3)
    c = doc["counters"][0]
    equal(c["event-runtime"], c["counter-value"] * 10)


def test_per_core_sections():
    doc = stat("-A", "-e", "instr_exec", loop(N), code=3)
    equal([(c["cpu"], c["counter-value"]) for c in doc["counters"]], [(0, TOTAL)])
    contains(pmk("stat", "-A", "-e", "instr_exec", loop(N)).err, "CPU0")


def test_the_target_is_emulation():
    equal(value(stat("-T", "emu", "-e", "instr_exec", loop(N), code=3), "instr_exec"), TOTAL)
    equal(pmk("stat", "-T", "silicon", loop(N)).code, 129)


# ---- list, info, decode, help --------------------------------------------------------------------


def test_list_has_every_topic():
    contains(pmk("list", "pmus").out, "arm11mpcore")
    contains(pmk("list", "cores").out, "arm926")
    contains(pmk("list", "metrics").out, "dcache_miss_ratio")
    contains(pmk("list", "targets").out, "emu")
    contains(pmk("list", "events", "--pmu", "arm1176").out, "proc_ret_exec")
    whole = pmk("list", "all")
    equal(whole.code, 0)
    for word in ("arm1176", "dcache_miss", "cpi", "emu"):
        contains(whole.out, word)
    out = pmk("list", "nonsense")
    equal((out.code, out.out), (129, ""))
    contains(out.err,
             "no topic or PMU 'nonsense'; the topics are pmus, cores, events, metrics, targets and "
             "all")


def test_list_alone_is_short():
    """pmk list prints no events. It prints the PMUs with their numbers of counters and events, the
    cores, the targets, and the commands that list more."""
    out = pmk("list").out
    assert len(out.splitlines()) < 90, out
    for pmu, counters in (("arm1176", 3), ("microblaze", 6)):
        n = len(pmk("list", "events", "--pmu", pmu).out.splitlines())
        assert re.search(rf"^  {pmu} +{n} events,  {counters} counters  ", out, re.M), out
    equal(re.findall(r"^(PMUs|Cores|Events|Metrics|Targets|More)\b", out, re.M),
          ["PMUs", "Cores", "Targets", "More"])
    for word in ("dcache_miss", "load_word"):
        assert word not in out, word
    # The commands that it suggests work.
    for line in re.findall(r"^  pmk (list [\w -]*?)  ", out, re.M):
        equal(pmk(*line.replace("PMU", "arm1176").split()).code, 0, line)
    doc = json.loads(pmk("list", "-j").out)
    equal([k for k in doc if k not in ("format", "version")],
          ["pmus", "cores", "events", "metrics", "targets"])


def test_list_of_one_pmu():
    events = pmk("list", "events", "--pmu", "microblaze").out
    equal(len(events.splitlines()), len(json.loads(pmk("list", "microblaze", "-j").out)["events"]))
    for argv in (("microblaze",), ("mb",), ("microblaze-freq",), ("microblaze", "--pmu", "mb"),
                 ("events", "microblaze")):
        equal(pmk("list", *argv).out, events, argv)
    equal(pmk("list", "arm926").out, pmk("list", "events", "--pmu", "ahbmon").out)
    equal(pmk("list", "cores", "microblaze").out, pmk("list", "cores", "--pmu", "microblaze").out)
    equal(pmk("list", "microblaze", "-j").out,
          pmk("list", "events", "--pmu", "microblaze", "-j").out)
    for argv, line in ((("arm1176", "microblaze"),
                        "list: more than one PMU: arm1176 and microblaze; give one"),
                       (("microblace",),
                        "list: no topic or PMU 'microblace'; did you mean microblaze?")):
        out = pmk("list", *argv)
        equal((out.code, out.out, out.err), (129, "", f"pmk: {line}\n"))


def test_list_in_json():
    doc = json.loads(pmk("list", "events", "--pmu", "arm1176", "-j").out)
    equal((doc["format"], doc["version"]), ("pmk-list", 1))
    by_name = {e["name"]: e for e in doc["events"]}
    equal(len(by_name), len(pmk("list", "events", "--pmu", "arm1176").out.splitlines()))
    equal(int(str(by_name["dcache_miss"]["code"]), 0), 0x0b)
    for topic in ("pmus", "cores", "events", "metrics", "targets"):
        assert json.loads(pmk("list", topic, "-j").out)[topic], topic


def test_what_is_listed_can_be_counted():
    events = json.loads(pmk("list", "events", "--pmu", "arm1176", "-j").out)["events"]
    names = [e["name"] for e in events]
    equal(sorted(counts(stat("-e", ",".join(names), loop(1), code=3))), sorted(names))
    metrics = json.loads(pmk("list", "metrics", "--pmu", "arm1176", "-j").out)["metrics"]
    doc = stat("-M", ",".join(m["name"] for m in metrics), loop(N), code=3)
    equal(sorted(m["name"] for m in doc["metrics"]), sorted(m["name"] for m in metrics))


def test_info_explains():
    event = pmk("info", "dcache_miss")
    equal(event.code, 0)
    contains(event.out, "0x0b")
    contains(event.out, "DDI 0301H")
    contains(pmk("info", "cpi").out, "cycles / instructions")
    contains(pmk("info", "PMNC").out, "EvtCount0")
    contains(pmk("info", "arm926").out, "ahbmon")
    out = pmk("info", "dcache_mis")
    equal(out.code, 129)
    contains(out.err, "dcache_miss")


@pytest.mark.more
def test_a_hint_takes_few_instructions():
    """To suggest a name, pmk compares each name once, however many names there are."""
    have("valgrind")
    for name in ("dcache", "tlb", "instr_exc"):
        out = run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                  os.path.join(BUILD, "pmk"), "info", name)
        equal(out.code, 129)
        contains(out.err, f"nothing is called '{name}'; did you mean ")
        assert int(re.search(r"Collected : (\d+)", out.err).group(1)) < 100_000_000, out


def test_a_hint_stays_on_the_pmu():
    contains(pmk("info", "dcache_mis", "--pmu", "arm1136").err, "did you mean dcache_miss")
    contains(pmk("info", "mhpmevent33", "--pmu", "arm1136").err, "'pmk list' shows what there is")
    contains(pmk("info", "mhpmevent33").err, "did you mean mhpmevent3")
    contains(pmk("info", "EvtCount3").err, "did you mean EvtCount0")


def test_info_shows_each_layout_of_a_register():
    """pmk info shows that PMNC of the ARM1156 has bits that PMNC of the other ARM11 cores does not
    have."""
    out = pmk("info", "PMNC").out
    equal(re.findall(r"^    on +(.*)$", out, re.M)[:2],
          ["arm1176 arm1136r0 arm1136 arm11mpcore", "arm1156"])
    equal([set(re.findall(r"^    \[\d+\] +(FC\w) ", part, re.M))
           for part in out.split("PMNC  Performance Monitor Control Register")[1:3]],
          [set(), {"FCC", "FC1", "FC0"}])
    contains(out, "access       read, write: p15, 0, <Rd>, c15, c12, 0\n"
                  "    reset        0x00000000\n")
    contains(out, "note         arm1136r0 arm1136: privileged modes; Undefined in user mode")
    contains(pmk("info", "CCNT", "--pmu", "arm1136").out, "reset: unpredictable")
    contains(pmk("info", "PCCMDR").out, "access       write: MDM command 0x52")
    for name, who in (("PCCMDR", "software that holds the lock"), ("EMMC", "any access: no"),
                      ("INT_MASK", "Secure accesses; Non-secure ones while"),
                      ("COUNTER0", "only while counting is disabled"),
                      ("GxiPageSize", "(model: page_reset)"), ("hpmcounter3h", "bit in mcounteren"),
                      ("DWT_CTRL", "BusFault")):
        contains(" ".join(pmk("info", name).out.split()), who)
    equal(pmk("info", "PMNC", "--pmu", "arm1156").out.count("Control Register"), 1)


def test_info_of_fields_and_pins():
    out = pmk("info", "EvtCount0").out
    contains(out, "field of     PMNC [27:20]\n")
    contains(out, "on           arm1176 arm1136r0 arm1136 arm1156 arm11mpcore\n")
    contains(pmk("info", "fcc").out, "on           arm1156\n")
    # Every counter of every PMU has a field Count; pmk info joins the equal ones.
    contains(pmk("info", "Count", "--pmu", "arm1176").out, "field of     PMN0 PMN1 [31:0]\n")
    assert pmk("info", "Count").out.count("field of") < 30
    for name, said in (("nPMUIRQ", "active low"), ("nPMUFIQ", "PMNC: FCC"),
                       ("Dbg_Intr", "PCCMDR"), ("niden", "CCNT continues"),
                       ("etmextout[1]", "0x22"), ("DBGACK", "AHBMONCtrlReg"),
                       ("SPNIDEN", "pmk assumes that"),
                       ("EVNTBUS", "[6:5]    br_exec"), ("AHBMONITOR", "[28:23]")):
        out = pmk("info", name)
        equal((out.code, out.err), (0, ""), name)
        contains(out.out, said)
    assert "reset" not in pmk("info", "EVNTBUS").out
    equal(pmk("info", "nPMUFIQ", "--pmu", "arm1176").code, 129)
    contains(pmk("info", "nPMUIRQ", "--pmu", "cortex-a53").out, "PMINTENSET")


def test_info_of_codes():
    for code in ("0x0b", "0X0B", "r0b", "r0B", "event=0x0b"):
        equal(pmk("info", code, "--pmu", "arm1136").out,
              pmk("info", "dcache_miss", "--pmu", "arm1136").out, code)
    contains(pmk("info", "r0b", "--pmu", "cortex-a53").out, "cid_write_retired")
    for argv, said in ((("0x0b",), "choose one, such as --pmu arm1176"),
                       (("0xb7", "--pmu", "arm1136"), "arm1136 has no event with code 0xb7"),
                       (("r99999999999999999", "--pmu", "arm1136"), "is too large"),
                       (("0x", "--pmu", "arm1136"), "nothing is called '0x' on arm1136")):
        out = pmk("info", *argv)
        equal((out.code, out.out, out.err.count("\n")), (129, "", 1), out)
        contains(out.err, said)


def test_decode_takes_every_register_that_info_lists():
    for pmu in json.loads(pmk("list", "pmus", "-j").out)["pmus"]:
        listed = re.search(r"^    registers +(.*)$", pmk("info", pmu["name"]).out, re.M)
        registers = listed.group(1).split()
        if pmu["name"] == "amba":
            equal(registers, ["none"])
            continue
        assert len(registers) > 3, registers
        for form in ((), ("-j",)):
            out = pmk("decode", pmu["name"], *(f"{r}=0" for r in registers), *form)
            equal((out.code, out.err), (0, ""), pmu["name"])
        equal([r["name"] for r in json.loads(out.out)["registers"]], registers)


def test_info_of_core_parameters():
    """pmk info lists the parameters of each core, with the ranges that it accepts."""
    def rows(name):
        out = pmk("info", name)
        equal(out.code, 0, out)
        return {r[0]: r[1:] for r in re.findall(r"^    (\S+) +(\S+) +(\S.*?)  +(\S.*)$", out.out,
                                                re.M)}

    size = rows("icache.size")
    equal(size["arm1176"], ("16K", "64..16384K (2^n)", "instruction cache size"))
    equal(size["cortex-a72"], ("48K", "64..16384K",
                               "instruction cache size; size divided by ways must be a power of "
                               "two"))
    equal(size["microblaze"], ("8K", "64..64K (2^n)", "instruction cache size"))
    equal(rows("icache.line"), {c: ("4", "4, 8, 16", "words of an instruction cache line")
                                for c in ("microblaze", "microblaze-area", "microblaze-freq",
                                          "zynq-microblaze")})
    equal(rows("debug.counter_width")["microblaze"][:2], ("32", "32, 48, 64"))
    for core in ("microblaze", "microblaze-area", "microblaze-freq"):
        text = pmk("info", core).out
        assert "CTLR" not in text and "micro-TLB" not in text, text
    contains(pmk("info", "icache.lin").err, "did you mean icache.line")


def test_decode_of_a_register():
    # In PMNC, EvtCount0 is [27:20], EvtCount1 [19:12], the flags are [10:8], and E is bit 0 (DAI
    # 0195B).
    out = pmk("decode", "arm1176", "PMNC=0x00b0b701")
    equal(out.code, 0)
    for pattern in (r"\[27:20\] +EvtCount0 +0x0b +dcache_miss",
                    r"\[19:12\] +EvtCount1 +0x0b +dcache_miss", r"\* \[10\] +CCR +1",
                    r"\* \[9\] +CR1 +1", r"\* \[8\] +CR0 +1", r"\* \[0\] +E +1", r"  \[3\] +D +0"):
        assert re.search(pattern, out.out), f"{pattern} is not in {out.out}"
    doc = json.loads(pmk("decode", "arm1176", "PMNC=0x00b0b701", "-j").out)
    equal((doc["format"], doc["pmu"]), ("pmk-decode", "arm1176"))
    fields = {f["name"]: f for f in doc["registers"][0]["fields"]}
    equal((fields["EvtCount0"]["value"], fields["EvtCount0"]["event"]), (11, "dcache_miss"))
    for wrong in (["PMNX=1"], ["PMNC=zz"], ["PMNC=0x100000000"], ["PMNC"], []):
        out = pmk("decode", "arm1176", *wrong)
        equal((out.code, out.out), (129, ""), wrong)
        equal(out.err.count("\n"), 1, wrong)


def test_decode_of_a_cycle_of_evntbus():
    """In a cycle of EVNTBUS, br_exec is [6:5] and instr_exec is [9:8] (DDI 0211 Table 3.141), or
    br_exec is [5] (DDI 0301H)."""
    def seen(pmu, value):
        doc = json.loads(pmk("decode", pmu, f"EVNTBUS={value}", "-j").out)
        return {f["name"]: f["value"] for f in doc["registers"][0]["fields"] if f["value"]}

    equal(seen("arm1136", "0x00240"), {"instr_exec": 2, "br_exec": 2})
    equal(seen("arm1176", "0x80021"), {"wbuf_drained": 1, "br_exec": 1, "icache_miss": 1})
    contains(pmk("decode", "arm1136", "evntbus=0x40").out, "event 0x05: two in this cycle")
    for wrong in (["arm1136", "EVNTBUS=0x100000"], ["arm1156", "EVNTBUS=1"],
                  ["cortex-a53", "EVNTBUS=1"]):
        out = pmk("decode", *wrong)
        equal((out.code, out.out, out.err.count("\n")), (129, "", 1), wrong)


def test_decode_of_events_that_the_core_lacks():
    """pmk decode marks event codes that the ARM1156 lacks: 0x03, 0x04 and 0x0f are unused, and 0x08
    is reserved (DAI 0195B Table 2)."""
    for code, name in ((0x03, "itlb_miss"), (0x04, "dtlb_miss"), (0x0f, "main_tlb_miss")):
        contains(pmk("decode", "arm1156", f"PMNC={code << 20:#x}").out,
                 f"unused: arm1156 has no {name}\n")
    contains(pmk("decode", "arm1156", "PMNC=0x00800000").out, "reserved: arm1156 has no such event")


def test_help_and_version():
    equal(pmk("--help").code, 0)
    assert re.fullmatch(r"pmk \d+\.\d+\S*\n", pmk("--version").out)
    for command in ("stat", "list", "info", "decode"):
        out = pmk(command, "--help")
        equal((out.code, out.err), (0, ""), command)
        contains(out.out, f"usage: pmk {command}")
    for option in ("-e,", "-M,", "--region", "--from", "-I,", "-x,", "-j,", "-o,", "--qemu",
                   "--env"):
        contains(pmk("stat", "--help").out, option)
    equal(pmk().code, 129)
    with tempfile.TemporaryDirectory() as empty:
        for command in ("stat", "record", "report", "run", "info", "decode", "wave", "diff",
                        "export", *LAB):
            out = pmk(command, cwd=empty)
            equal((out.code, out.out), (129, ""), command)
            assert re.match(rf"pmk: .*\nusage: pmk {command} ", out.err), out.err
            assert max(map(len, out.err.splitlines()[1:])) <= 100, out.err
    out = pmk("stta")
    equal(out.code, 129)
    contains(out.err, "stat")


def test_the_report_says_what_environment_the_program_got():
    plain = {k: os.environ[k] for k in ("PATH", "PMK_DATA", "PMK_PLUGIN", "PMK_CACHE")
             if k in os.environ}
    fixed = "PATH=/usr/local/bin:/usr/bin:/bin HOME=/ LANG=C"
    some = dict(plain, OMP_NUM_THREADS="4", ZEBRA="stripes")
    said = f" environment: {fixed}; {len(some) - 1} of your environment variables " \
           "were not passed (see --env)\n"
    contains(pmk("stat", "-e", "instr_exec", talk(), "env", env=some).err, said)
    equal(stat("-e", "instr_exec", talk(), "env", env=some)["environment"], fixed)
    out = pmk("stat", "-e", "instr_exec", "--env", "*", talk(), "env", env=some)
    equal(sorted(out.out.split("\n")[:-1]),
          sorted(["HOME=/", "LANG=C"] * ("HOME" not in some)
                 + [f"{k}={v}" for k, v in some.items()]), str(out))
    assert "without" not in out.err, out
    out = pmk("stat", "-e", "instr_exec", "--env", "ZEBRA=none", "--env", "*", talk(), "env",
              env=some)
    equal((out.out.count("ZEBRA="), out.out.count("ZEBRA=none\n")), (1, 1), str(out))
    # pmk prints no note if it leaves out no variable.
    out = pmk("stat", "-e", "instr_exec", talk(), "env", env={"PATH": plain["PATH"]})
    assert "environment" not in out.err, out


UNTIMED = """
	.arch armv5te
	.fpu vfp
	.globl _start, f
	.type f, %function
_start:	bl	f
	mov	r7, #1
	mov	r0, #0
	svc	#0
f:	vadd.f64 d0, d1, d2
	vmul.f64 d0, d1, d2
	vadd.f64 d0, d1, d2
	bx	lr
"""


def test_floating_point_of_an_arm926_is_not_timed():
    """A note says which share of the instructions, here three of eight, are floating-point ones,
    which are not timed. pmk prints it only if a count depends on time."""
    vfp = build("untimed", UNTIMED, "-nostdlib", "-static", ext="S")
    said = "37.5 % of the instructions were floating-point ones (VFP), which are not timed"
    doc = stat("--core", "arm926", "-e", "ct_armi_wait_total", vfp)
    contains(doc["note"], said)
    equal(doc["warning"], None)
    equal(stat("-e", "cycles,instr_exec", vfp)["note"], None)  # an ARM1176 times them


def test_floating_point_is_timed():
    """A dependent division or square root of double precision begins 33 cycles after the one before
    (DDI 0301H table 21-16), even across the end of a block and into the next iteration."""
    source = (".arch armv6k\n.fpu vfp\n.globl _start\n_start: mov r0, #{}\n"
              "1: fdivd d0, d0, d1\nfdivd d0, d0, d1\nfdivd d0, d0, d1\nfdivd d0, d0, d1\n"
              "fsqrtd d0, d0\nsubs r0, r0, #1\nbne 1b\nmov r7, #1\nmov r0, #0\nsvc #0\n")
    few, many = (build(f"divide-{n}", source.format(n), "-nostdlib", "-static", ext="S")
                 for n in (20, 120))
    a, b = (stat("-e", "cycles,instr_exec,ddep_stall", p) for p in (few, many))
    equal([value(b, e) - value(a, e) for e in ("cycles", "instr_exec", "ddep_stall")],
          [100 * 5 * 33, 100 * 7, 100 * (5 * 33 - 6)])


def test_a_core_with_a_caveat():
    a64 = build("caveat", ".globl _start\n_start: mov x8, #93\nmov x0, #0\nsvc #0\n", "-nostdlib",
                "-static", ext="S", prefix="aarch64-linux-gnu-")
    contains(stat("--core", "cortex-a72", "-e", "cycles", a64)["note"],
             "those of a simpler out-of-order core")
    equal(stat("--core", "cortex-a53", "-e", "cycles", a64)["note"], None)


def repo_label(core):
    """Returns the text that reports print about the cycles of a core, taken from its preset."""
    return re.search(r"^checked = (.*)$", repo.text(f"data/cores/{core}.ini"), re.M)[1]


def test_the_label_belongs_to_the_presets_values():
    """The label belongs to the preset: setting any other value removes the label, setting the
    preset's own value does not."""
    exits = {"aarch64-linux-gnu-": "mov x8, #93\nmov x0, #0\n",
             "arm-linux-gnueabi-": "mov r7, #1\nmov r0, #0\n"}
    a64, arm = (build("checked-" + prefix[:3], f".globl _start\n_start: {code}svc #0\n",
                      "-nostdlib", "-static", ext="S", prefix=prefix)
                for prefix, code in exits.items())
    label = repo_label("cortex-a53")
    for core, program, settings, checked in (
            ("cortex-a53", a64, (), label),
            ("cortex-a53", a64, ("--set", "l2.latency=13"), label),
            ("cortex-a53", a64, ("--set", "l2.latency=14"), "unchecked"),
            ("cortex-a72", a64, ("--set", "issue.window=0"), "unchecked"),
            ("armv8", a64, (), "unchecked"),
            ("cortex-a53", arm, (), "unchecked"),  # this preset was not checked in AArch32 state
            ("arm1136", arm, (), "unchecked")):
        words = ["--core", core, *settings, "-e", "cycles,instructions", program]
        equal(stat(*words)["checked"], checked, words)
        contains(pmk("stat", *words).err,
                 f"modelled: by the core's parameters, cycles {checked}\n")
    # If no count is modelled, the document has no label.
    only = ["--core", "cortex-a53", "-e", "instructions", a64]
    equal(stat(*only)["checked"], None)
    assert "unchecked" not in pmk("stat", *only).err


def test_a_note_names_the_class_of_programs_that_miss():
    """If a program misses the cache at least once per 100 instructions, a note says that the
    accuracy for memory applies to it."""
    def note(step, *words):
        return stat(*words, misses(step))["note"] or ""

    told = ("data cache misses and prefetches per 100 instructions, so the accuracy for "
            "memory applies to these cycles")
    contains(note(64, "--core", "cortex-a53", "-e", "cycles"), told)
    contains(note(64, "--core", "raspberrypi4", "-e", "cycles,instructions"), told)
    assert "misses" not in note(1, "--core", "cortex-a53", "-e", "cycles")  # 16 misses in 3000
    assert "misses" not in note(64, "--core", "cortex-a53", "-e", "instructions")
    assert "misses" not in note(64, "--core", "armv8", "-e", "cycles")  # this core has no label


@cases("change, checked", [
    ("", True),
    ("s/^brief = .*/brief = mine/; s/ *;.*//; s/32K/32768/", True),
    ("s/^clock = .*/clock = 600000000/", False),
    ("s/^latency = 13/latency = 14/", False),
    ("/^\\[mem\\]/a serial = on", False),
    ("/^checked_as/d", False),
    ("s/^checked_as = .*/checked_as = 0000000000000000/", False),
])
def test_a_copy_of_a_preset_keeps_its_label(tmp_path, change, checked):
    """A copy of a preset keeps the label if only words, blanks or remarks differ. Any changed
    parameter makes the copy unchecked."""
    a64 = build("copied", ".globl _start\n_start: mov x8, #93\nmov x0, #0\nsvc #0\n", "-nostdlib",
                "-static", ext="S", prefix="aarch64-linux-gnu-")
    preset = tmp_path / "mine.ini"
    preset.write_text(run("sed", change, os.path.join(SOURCE, "data/cores/cortex-a53.ini")).out)
    label = repo_label("cortex-a53") if checked else "unchecked"
    equal(stat("--core", preset, "-e", "cycles", a64)["checked"], label)
    contains(" ".join(pmk("info", preset).out.split()), f" cycles {label} ")


def test_labels_fit_the_values_of_presets():
    """Each preset that has a label also has a fingerprint, which equals the one that pmk info
    computes from the preset's values."""
    labels = 0
    for core in pathlib.Path(SOURCE, "data/cores").glob("*.ini"):
        said = re.search(r"^checked_as = (\w+)", core.read_text(), re.M)
        shown = re.search(r"^ +fingerprint +(\w{16})$", pmk("info", core).out, re.M)
        equal(said[1] if said else shown[1], shown[1], core)
        labels += said is not None
    equal(labels, 15)


# ---- on a terminal -------------------------------------------------------------------------------


def on_terminal(width, *argv, env=None):
    """Returns pmk's output on a terminal of this width, without colours."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    text = b""
    with subprocess.Popen([PMK, *argv], stdin=slave, stdout=slave, stderr=slave, env=env) as p:
        os.close(slave)
        with contextlib.suppress(OSError):
            while part := os.read(master, 65536):
                text += part
    os.close(master)
    equal(p.returncode, 3, text)
    return re.sub("\033\\[[0-9]*m", "", text.decode().replace("\r\n", "\n"))


def foot(text):
    """Returns the notes and the last lines, which follow the rows."""
    at = text.index("\n etmextout")
    return text[at:re.search(r"\n *[0-9.]+ seconds time", text).start()]


def test_remarks_fit_the_terminal():
    argv = ("stat", "-e", "all", loop(1))
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    whole = pmk(*argv, env=env).err.split("\n counted by")[0]
    rows = [line.split("#")[0].rstrip() for line in whole.splitlines()]
    assert max(map(len, whole.splitlines())) > 120, whole
    for width in (60, 80, 200):
        text = on_terminal(width, *argv, env=env).split("\n counted by")[0]
        assert max(map(len, text.splitlines())) <= max(width, *map(len, rows)), text
        equal(text.split(), whole.split())
        equal(text == whole, width == 200)


def test_long_lines_are_broken_at_the_terminals_width():
    argv = ("stat", "-e", "instr_exec,etmextout_0,etmextout_1", loop(1))
    env = dict(os.environ, PMK_TEST="long " * 9)
    env.pop("COLUMNS", None)
    for width, chosen in ((50, {}), (132, {"COLUMNS": "40"})):
        env.update(chosen)
        whole = foot(pmk(*argv, env=env).err)
        assert max(map(len, whole.splitlines())) > 80
        lines = foot(on_terminal(width, *argv, env=env)).splitlines()
        limit = int(chosen.get("COLUMNS", width))
        # pmk puts a word that is longer than a line on a line of its own.
        equal([x for x in lines if len(x) > limit and len(x.split()) > 1], [])
        equal(" ".join("\n".join(lines).split()), " ".join(whole.split()))
        assert sum(x.startswith("   ") for x in lines) > 1, lines
    env["COLUMNS"] = "1000"
    equal(foot(on_terminal(50, *argv, env=env)), whole)


def test_rates_have_units_for_people():
    writes = program("writes", "char at[1 << 16]; int main(void) { for (int i = 0; i < 1 << 16; "
                     "i++) ((volatile char *)at)[i]++; }")
    argv = ("stat", "-e", "all", "-M", "writeback_bandwidth", writes)
    value = stat(*argv[1:])["metrics"][0]["value"]
    text = pmk(*argv).err
    found = re.search(r"# +([0-9.]+) ([kMG])B/s +bytes written back from the data cache per", text)
    scale = {"k": 1e3, "M": 1e6, "G": 1e9}[found[2]]
    equal(f"{value / scale:.1f}", found[1])
    contains(pmk(*argv[:1], "--no-big-num", *argv[1:]).err, f"# {value:10.0f}  bytes written")
