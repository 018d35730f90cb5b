# SPDX-License-Identifier: MIT
"""pmk stat -T linux counts on this machine. Events of the kernel, which every machine counts, have
known counts. Hardware events are counted, or refused with their cause. tests/linux/ counts hardware
events in a guest."""
import ctypes
import errno
import os
import platform
import pwd
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

from harness import *
from programs import build, loop

pytestmark = pytest.mark.quick

FAILED, NOT_EXEC, NOT_FOUND, USAGE = 125, 126, 127, 129
LINUX = ("-T", "linux")

# Arguments: pages N touches N pages; threads N does so in another thread, and fork N in a child.
# burn MS uses this much processor time. sleep N blocks N times. fail N exits with N, and signal N
# ends by the signal. wait runs for ever and ignores SIGINT.
PROG = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long number;

static void *touch(void *unused)
{
	size_t size = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, number * size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)p, number * size, MADV_NOHUGEPAGE);
	for (long i = 0; i < number; i++)
		p[i * size] = 1;
	return unused;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct timespec t = { 0, 1000000 };
	pthread_t thread;

	number = argc > 2 ? atol(argv[2]) : 0;
	if (!strcmp(what, "pages"))
		touch(NULL);
	if (!strcmp(what, "burn"))
		while (clock() < number * (CLOCKS_PER_SEC / 1000))
			;
	if (!strcmp(what, "sleep"))
		while (number--)
			nanosleep(&t, NULL);
	if (!strcmp(what, "threads")) {
		pthread_create(&thread, NULL, touch, NULL);
		pthread_join(thread, NULL);
	}
	if (!strcmp(what, "fork") && fork() == 0) {
		touch(NULL);
		_exit(0);
	}
	wait(NULL);
	if (!strcmp(what, "signal"))
		raise((int)number);
	if (!strcmp(what, "wait")) {
		signal(SIGINT, SIG_IGN);
		puts("waiting");
		fflush(stdout);
		for (;;)
			pause();
	}
	return !strcmp(what, "fail") ? (int)number : 0;
}
"""


def prog():
    return build("linux-prog", PROG, "-O1", "-pthread", prefix="")


def permitted(*argv):
    """Skips the test unless this kernel lets this user count events, including those in kernel
    mode."""
    out = pmk("stat", *LINUX, "-e", "page-faults:k", *argv, "true")
    if out.code:
        skip(out.err.strip())


def rows(document):
    return {c["event"]: c for c in document["counters"]}


def count(event, *argv, code=0):
    return stat(*LINUX, "-e", event, *argv, code=code)["counters"][0]["counter-value"]


def core_pmu():
    """True if this machine has hardware counters."""
    path = "/sys/bus/event_source/devices"
    return any(n == "cpu" or n.startswith(("cpu_", "armv")) or os.path.exists(f"{path}/{n}/cpus")
               for n in (os.listdir(path) if os.path.isdir(path) else ()))


def refuse(code, *argv, said=(), **kw):
    out = pmk("stat", *argv, **kw)
    equal(out.code, code, str(out))
    lines = out.err.strip().split("\n")
    assert len(lines) == 1 and lines[0].startswith("pmk: "), out
    for part in (said,) if isinstance(said, str) else said:
        contains(out.err, part)
    return out


# ---- known answers -------------------------------------------------------------------------------


def test_page_faults_are_the_pages_touched():
    permitted()
    few, many = (count("page-faults", prog(), "pages", n) for n in (100, 1100))
    assert 1000 - 10 <= many - few <= 1000 + 30, (few, many)
    assert few >= 100, few
    minor, major = (count(e, prog(), "pages", 1000) for e in ("minor-faults", "major-faults"))
    assert minor >= 1000 and major < 100, (minor, major)


def test_task_clock_is_the_time_used():
    permitted()
    doc = stat(*LINUX, "-e", "task-clock,cpu-clock", prog(), "burn", "60")
    for name, c in rows(doc).items():
        assert 55e6 < c["counter-value"] < 1e9, (name, c)
        equal((c["unit"], c["trust"], c["pcnt-running"], c["pmu"]),
              ("ns", "measured", 100, "software"))
        assert c["event-runtime"] >= 55e6, c


def test_context_switches_are_the_waits():
    permitted()
    # There are a few more switches if other processes use the processor.
    assert 20 <= count("context-switches", prog(), "sleep", 20) <= 1000
    assert count("cs", prog(), "sleep", 20) >= 20
    assert count("cpu-migrations", prog(), "sleep", 20) <= 1000


def test_perf_counts_the_same():
    permitted()
    have("perf")
    out = run("perf", "stat", "-x", ",", "-e", "page-faults", prog(), "pages", 500)
    if out.code:
        skip("perf does not count here: " + out.err.strip().splitlines()[-1])
    theirs = int(out.err.split(",")[0])
    ours = count("page-faults", prog(), "pages", 500)
    assert abs(ours - theirs) <= 10, (ours, theirs)


def test_children_and_threads_are_inherited_or_not():
    permitted()
    for what in ("fork", "threads"):
        whole = count("page-faults", prog(), what, 1000)
        alone = count("page-faults", "--no-inherit", prog(), what, 1000)
        assert whole >= 1000 > alone + 500, (what, whole, alone)


def test_only_the_program_is_counted():
    """Events that pmk causes before exec are not counted."""
    permitted()
    assert count("page-faults", *("-e", "task-clock") * 20, prog()) < 300


# ---- hardware ------------------------------------------------------------------------------------


def test_hardware_is_counted_or_the_cause_is_told():
    permitted()
    out = pmk("stat", *LINUX, "-e", "cycles,instructions,page-faults", prog(), "burn", "5")
    equal(out.code, 0, str(out))
    if core_pmu():
        assert re.search(r"^ +[\d,]+ +instructions +measured", out.err, re.M), out
        return
    equal(out.err.count("<not supported>"), 2, str(out))
    notes = [l for l in out.err.splitlines() if "no hardware counters" in l]
    equal(len(notes), 1, "one line tells the cause, with what to do")
    assert notes[0].startswith(" cycles, instructions: "), notes
    doc = rows(stat(*LINUX, "-e", "cycles,page-faults", prog()))
    equal((doc["cycles"]["counter-value"], doc["cycles"]["trust"]), (None, "not supported"))
    contains(doc["cycles"]["reason"], "no hardware counters")
    equal(doc["page-faults"]["trust"], "measured")


def test_metrics_of_what_is_not_counted_are_left_out():
    permitted()
    if core_pmu():
        skip("this machine has hardware counters")
    out = pmk("stat", *LINUX, prog())
    assert "n/a" not in out.err, out
    asked = pmk("stat", *LINUX, "-M", "ipc", prog())
    equal(asked.code, 0)
    contains(asked.err, "n/a")
    contains(asked.err, "no hardware counters")


def test_groups_are_all_or_nothing():
    permitted()
    doc = stat(*LINUX, "-e", "{task-clock,page-faults},cs", prog(), "pages", 100)
    clock, faults, _ = doc["counters"]
    equal(clock["event-runtime"], faults["event-runtime"])
    if core_pmu():
        skip("what cannot be counted on a machine with hardware counters is not known")
    doc = rows(stat(*LINUX, "-e", "{page-faults,cycles},cs", prog()))
    equal([doc[e]["trust"] for e in ("page-faults", "cycles", "cs")],
          ["not supported", "not supported", "measured"])
    contains(doc["page-faults"]["reason"], "{group}")


def test_a_pmu_of_the_kernels_list():
    """An event of another PMU of the kernel is found by its name, its term or its code. The msr PMU
    of x86 is used because it needs no hardware counters."""
    permitted()
    if not os.path.exists("/sys/bus/event_source/devices/msr/events/tsc"):
        skip("this kernel has no msr PMU")
    doc = stat(*LINUX, "-e", "msr/tsc/,msr/event=0/,msr/config=0/,msr::tsc,msr/tsc/u", prog(),
               "burn", "20")
    *counted, filtered = doc["counters"]
    for c in counted:
        assert c["counter-value"] > 1000000, c
        equal((c["pmu"], c["code"], c["trust"]), ("msr", "0x00", "measured"), str(c))
    equal(filtered["trust"], "not supported")
    contains(filtered["reason"], "leave out :u and :k")


# ---- processes to count --------------------------------------------------------------------------


def background(*argv, stdin=subprocess.DEVNULL, **kw):
    return subprocess.Popen([str(a) for a in argv], stdin=stdin, stdout=subprocess.DEVNULL, **kw)


def waits_of(pid):
    """Returns the number of voluntary context switches of a process."""
    found = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", of_process(pid, "status"), re.M)
    return int(found.group(1)) if found else 0


def after_waits(pid, pmk_pid, number=30):
    """Waits until pmk counts, and until the process has then waited this many times."""
    wait_until(lambda: events_of(pmk_pid), "pmk opens no event")
    began = waits_of(pid)
    wait_until(lambda: waits_of(pid) >= began + number, "the process does not wait")


def test_attached_until_the_process_ends():
    permitted()
    p = background(prog(), "sleep", 100000)
    counting = subprocess.Popen([PMK, "stat", "--json-document", *LINUX, "-p", str(p.pid), "-e",
                                 "cs,task-clock"],
                                stderr=subprocess.PIPE, text=True)
    after_waits(p.pid, counting.pid)
    p.kill()
    p.wait()
    doc = json.loads(counting.communicate(timeout=PATIENCE)[1])
    assert rows(doc)["cs"]["counter-value"] >= 30, doc
    equal((doc["command"], doc["exit-status"], doc["partial"]), (f"process id {p.pid}", 0, False))
    equal(counting.returncode, 0)


# A script that ends with 3 when process $1 has used 50 ms more of a processor, and process $2 has
# waited 30 times more.
A_WHILE = """
used() { sed 's/.*) //' /proc/$1/stat | { read _ _ _ _ _ _ _ _ _ _ _ user system _; echo $((user + system)); }; }
waited() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' /proc/$1/status; }
u=$(used $1) w=$(waited $2)
until [ $(used $1) -gt $((u + 5)) ] && [ $(waited $2) -gt $((w + 30)) ]; do sleep 0.05; done
exit 3
"""


def test_attached_for_the_time_of_a_program():
    permitted()
    p, q = background(prog(), "burn", 100000), background(prog(), "sleep", 100000)
    try:
        doc = stat("-p", f"{p.pid},{q.pid}", "-e", "task-clock,cs", "sh", "-c", A_WHILE, "sh",
                   p.pid, q.pid, code=3)
        assert rows(doc)["task-clock"]["counter-value"] > 20e6, doc
        assert rows(doc)["cs"]["counter-value"] > 20, doc
        equal((p.poll(), q.poll()), (None, None), "the processes go on")
    finally:
        p.kill(), q.kill(), p.wait(), q.wait()


def test_attached_to_more_processes_than_can_be_watched():
    """pmk notices the end of each attached process, although only 64 processes have a descriptor
    that reports it."""
    permitted()
    theirs, ours = os.pipe()
    readers = [background("cat", stdin=theirs) for _ in range(70)]
    os.close(theirs)
    for reader in readers:
        wait_until(lambda: of_process(reader.pid, "comm") == "cat\n", "cat does not start")
    counting = subprocess.Popen([PMK, "stat", "-x", ",", "-p",
                                 ",".join(str(r.pid) for r in readers), "-e", "task-clock"],
                                stderr=subprocess.PIPE, text=True)
    wait_until(lambda: events_of(counting.pid) >= 70 and sleeps(counting.pid),
               "pmk does not open an event for each")
    os.close(ours)  # the readers now read the end of the pipe, and end
    for reader in readers:
        reader.wait()
    err = counting.communicate(timeout=PATIENCE)[1]
    equal(counting.returncode, 0, err)
    assert float(err.split(",")[0]) > 0.07, err


def test_attached_until_ctrl_c():
    permitted()
    p = background(prog(), "sleep", 100000)
    try:
        out = interrupted("--json-document", "-p", p.pid, "-e", "cs",
                          when=lambda pmk: after_waits(p.pid, pmk.pid))
        equal(out.code, 130)
        doc = json.loads(out.err)
        assert doc["counters"][0]["counter-value"] > 20, doc
        equal((doc["partial"], doc["warning"]), (False, None))
        equal(p.poll(), None, "the process goes on")
    finally:
        p.kill(), p.wait()


def test_processes_that_are_not_there():
    gone = background("true")
    gone.wait()
    for wrong in (str(gone.pid), "0", "-1", "", "x", "1,,2", "1x", "99999999999"):
        refuse(USAGE, "-p", wrong, said="-p")


def test_whole_processors():
    out = pmk("stat", "-a", "-e", "cs", "true")
    if out.code == FAILED:
        contains(out.err, "nothing can be counted")
        skip(out.err.strip())
    cpus = os.sysconf("SC_NPROCESSORS_ONLN")
    began = time.monotonic_ns()
    doc = stat("-a", "-e", "cpu-clock,cs", "sleep", "0.2")
    assert 0.15e9 * cpus < rows(doc)["cpu-clock"]["counter-value"] < (time.monotonic_ns()
                                                                      - began) * cpus, doc
    doc = stat("-a", "-A", "-e", "cpu-clock,cs", "sleep", "0.1")
    equal(len(doc["counters"]), 2 * cpus)
    equal(len({c["cpu"] for c in doc["counters"]}), cpus)
    first = doc["counters"][0]["cpu"]
    began = time.monotonic_ns()
    doc = stat("-C", first, "-e", "cpu-clock", "sleep", "0.1")
    assert doc["counters"][0]["counter-value"] < time.monotonic_ns() - began, doc

    def a_while(pmk):
        wait_until(lambda: events_of(pmk.pid) >= cpus and sleeps(pmk.pid), "pmk opens no events")
        time.sleep(0.2)

    out = interrupted("-x", ",", "-a", "-e", "cpu-clock", when=a_while)
    equal(out.code, 130)
    assert float(out.err.split(",")[0]) > 100, out


def test_processors_that_are_not_there():
    for wrong in ("", "x", "-1", "9999", "1-0", "0,", "0 1"):
        refuse(USAGE, "-C", wrong, "-e", "cs", "true", said="-C")


# ---- intervals, repeats, formats -----------------------------------------------------------------


def test_intervals_add_up():
    permitted()
    doc = long_enough(lambda factor: stat(*LINUX, "-I", "50", "-e", "context-switches", prog(),
                                          "sleep", 250 * factor),
                      lambda doc: len(doc["counters"]) >= 2)
    # There are at least two intervals, and five on an idle machine.
    assert len(doc["counters"]) >= 2, doc
    times = [c["interval"]["seconds"] for c in doc["counters"]]
    equal(times, sorted(times))
    assert times[0] > 0.045, times
    equal(doc["counters"][0]["interval"]["cycles"], None)
    assert 250 <= sum(c["counter-value"] or 0 for c in doc["counters"]) <= 50000, doc
    out = pmk("stat", *LINUX, "-I", "30ms", "-x", ";", "-e", "cs,task-clock", prog(), "sleep", 60)
    for line in out.err.splitlines():
        cells = line.split(";")
        assert re.fullmatch(r"\d+\.\d{9}", cells[0]) and len(cells) == 12, line
    out = pmk("stat", *LINUX, "-I", "30", "-e", "cs", prog(), "sleep", 60)
    assert re.search(r"^ +\d+\.\d+ +\d+ +cs +measured$", out.err, re.M), out


def test_repeats_have_mean_and_spread():
    permitted()
    doc = stat(*LINUX, "-r", "5", "-e", "page-faults,task-clock", prog(), "pages", 200)
    equal(doc["runs"], 5)
    faults = rows(doc)["page-faults"]
    assert 200 <= faults["counter-value"] < 600, faults
    assert 0 <= faults["variance"] < 50, faults
    assert rows(doc)["task-clock"]["variance"] > 0, doc
    refuse(USAGE, "-r", "2", "-a", said="-r")
    refuse(USAGE, "-r", "2", "-I", "10", "true", said="-I")


def test_csv_has_perfs_columns():
    permitted()
    out = pmk("stat", *LINUX, "-x", ",", "-e", "task-clock,page-faults,software/faults/", prog())
    lines = [l.split(",") for l in out.err.splitlines()]
    equal([len(l) for l in lines], [11, 11, 11])
    equal([(l[1], l[2], l[4], l[7], l[8], l[9], l[10]) for l in lines],
          [("msec", "task-clock", "100.00", "software", "0x01", "measured", ""),
           ("", "page-faults", "100.00", "software", "0x02", "measured", ""),
           ("", "software/faults/", "100.00", "software", "0x02", "measured", "")])


def test_clocks_are_milliseconds_as_in_perf():
    permitted()
    out = pmk("stat", *LINUX, "-x", ",", "-e", "task-clock,cpu-clock", prog(), "burn", "60")
    for line in out.err.splitlines():
        value, unit, *_, runtime = line.split(",")[:4]
        equal(unit, "msec")
        assert re.fullmatch(r"\d+\.\d{6}", value) and 55 < float(value) < 1000, line
        assert 0.9 < float(value) * 1e6 / int(runtime) < 1.1, line


def test_processor_time_is_that_of_the_program():
    permitted()
    times = r"^ +(\d+\.\d{9}) seconds user\n +(\d+\.\d{9}) seconds sys$"
    for options in ((), ("-r", "2")):
        out = pmk("stat", *LINUX, "-e", "cs", *options, prog(), "burn", "60")
        user, system = map(float, re.search(times, out.err, re.M).groups())
        assert 0.04 < user + system < 1, out


def test_text_shows_units():
    permitted()
    out = pmk("stat", *LINUX, "-e", "task-clock,page-faults", prog())
    assert re.search(r"^ +[\d,]+\.\d\d msec task-clock +measured$", out.err, re.M), out
    assert re.search(r"^ +[\d,]+      page-faults +measured$", out.err, re.M), out
    contains(out.err, f"counted by Linux {platform.release()}")
    contains(out.err, "seconds time elapsed")


def test_output_goes_to_a_file_and_is_appended():
    permitted()
    path = os.path.join(WORK, "linux-output.csv")
    for more in ((), ("--append",)):
        out = pmk("stat", *LINUX, "-x", ",", "-e", "cs", "-o", path, *more, prog())
        equal((out.code, out.out, out.err), (0, "", ""))
    with open(path) as f:
        equal(len(f.read().splitlines()), 2)
    refuse(USAGE, *LINUX, "-o", prog(), prog(), said="would overwrite the program")


# ---- the program's end, and ours -----------------------------------------------------------------


def running(program):
    """Returns a function that waits until pmk has executed the program."""
    path = os.path.realpath(shutil.which(program))

    def executed(child):
        try:
            return os.readlink(f"/proc/{child}/exe") == path
        except FileNotFoundError:
            return False

    def wait(pmk):
        wait_until(lambda: any(executed(child) for child in children(pmk.pid)),
                   f"pmk does not start {program}")

    return wait


def interrupted(*argv, when, sig=signal.SIGINT, group=False):
    """Runs pmk stat, and sends it a signal after when(process) has returned. With `group`, the
    counted program gets the signal, too."""
    p = subprocess.Popen([PMK, "stat", *map(str, argv)], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         start_new_session=True)
    when(p)
    (os.killpg if group else os.kill)(p.pid, sig)
    out, err = p.communicate(timeout=PATIENCE)
    return Output(p.returncode if p.returncode >= 0 else 128 - p.returncode, out, err)


def test_exit_codes_are_the_programs():
    permitted()
    for n in (0, 1, 3, 125, 126, 127, 129, 255):
        equal(pmk("stat", *LINUX, "-e", "cs", prog(), "fail", n).code, n)
    for sig in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGINT):
        doc = stat(*LINUX, "-e", "page-faults", prog(), "signal", int(sig), code=128 + sig)
        equal((doc["exit-status"], doc["partial"]), (128 + sig, False))
        assert doc["counters"][0]["counter-value"] > 10, "what it counted until then"


def test_ctrl_c_prints_what_was_counted():
    permitted()
    for argv in (("--json-document",), ("--json-document", "-I", "50")):
        def waits(pmk):
            running(prog())(pmk)
            after_waits(children(pmk.pid)[0], pmk.pid, 100)

        out = interrupted(*argv, *LINUX, "-e", "cs", prog(), "sleep", 100000, when=waits,
                          group=True)
        equal(out.code, 130, str(out))
        doc = json.loads(out.err)
        equal((doc["partial"], doc["exit-status"]), (True, 130))
        assert sum(c["counter-value"] or 0 for c in doc["counters"]) > 0, doc
        contains(doc["warning"], "interrupted")
    # The signal goes only to pmk, which sends it to the program.
    out = interrupted("--json-document", *LINUX, "-e", "cs", "sleep", "100", when=running("sleep"),
                      sig=signal.SIGTERM)
    equal((out.code, json.loads(out.err)["exit-status"]), (143, 143))


def test_a_program_that_does_not_want_to_end():
    permitted()
    def ignores(pmk):
        running(prog())(pmk)
        # The test sends the interrupt only after the program ignores it.
        wait_until(lambda: int(re.search(r"SigIgn:\s+(\w+)",
                                         of_process(children(pmk.pid)[0], "status"))[1], 16) & 2,
                   "the program does not ignore the interrupt")

    out = interrupted("--json-document", *LINUX, "-e", "page-faults", prog(), "wait", when=ignores,
                      group=True)
    equal((out.code, out.out), (130, "waiting\n"))
    doc = json.loads(out.err)
    equal(doc["exit-status"], 137, "it had to be killed")
    assert doc["counters"][0]["counter-value"] > 10, doc


def test_an_interrupted_series_means_its_whole_runs():
    permitted()
    def several(pmk):
        seen = set()
        wait_until(lambda: seen.update(children(pmk.pid)) or len(seen) > 3,
                   "pmk does not start one run after the other")

    out = interrupted("--json-document", *LINUX, "-r", "10000", "-e", "page-faults", prog(),
                      "pages", 1000,
                      when=several, group=True)
    doc = json.loads(out.err)
    assert 0 < doc["runs"] < 10000, doc
    assert 1000 <= doc["counters"][0]["counter-value"] < 1500, doc
    contains(doc["warning"], "of 10000 runs")


def test_the_program_is_left_alone():
    """The program has the same standard streams, environment, descriptors and signals as without
    pmk."""
    permitted()
    out = run(PMK, "stat", *LINUX, "-o", "/dev/null", "-e", "cs", "cat", stdin="in and out")
    equal((out.code, out.out, out.err), (0, "in and out", ""))
    out = pmk("stat", *LINUX, "-o", "/dev/null", "-e", "cs", "env",
              env=dict(os.environ, MARK="here"))
    contains(out.out, "MARK=here")
    out = pmk("stat", *LINUX, "-o", "/dev/null", "-e", "cs,page-faults", "ls", "/proc/self/fd")
    equal(out.out.split(), ["0", "1", "2", "3"], "descriptors; one is of the listing itself")
    signals = ("SigBlk", "SigIgn", "SigCgt")
    want = run("grep", "-E", "|".join(signals), "/proc/self/status").out
    equal(pmk("stat", *LINUX, "-o", "/dev/null", "-e", "cs", "grep", "-E", "|".join(signals),
              "/proc/self/status").out, want)


def test_a_program_ignores_what_it_was_started_to_ignore():
    """A program that was started to ignore signals, as with nohup, ignores them under pmk, too.
    pmk's own handlers for these signals are not inherited."""
    kills = "kill -INT $$; kill -HUP $$; kill -TERM $$; exit 7"
    words = [PMK, "stat", *LINUX, "-e", "task-clock", "sh", "-c", kills]
    permitted()
    for ignored, code in (("INT HUP TERM", 7), ("INT HUP", 128 + 15), ("INT", 128 + 1),
                          ("", 128 + 2)):
        trap = f"trap '' {ignored}; " if ignored else ""
        # `env` resets these signals, because the process that runs the test may ignore some.
        equal(run("env", "--default-signal=INT,HUP,TERM", "sh", "-c", trap + 'exec "$0" "$@"',
                  *words).code, code, f"ignored: {ignored}")


def test_programs_that_cannot_be_run():
    refuse(NOT_FOUND, *LINUX, "no-such-program", said="command not found")
    refuse(NOT_FOUND, *LINUX, "./no/such/program", said="command not found")
    refuse(NOT_EXEC, *LINUX, WORK, said="is a directory")
    for name, text, mode, said in (("none", "echo\n", 0o755, "#! line"),
                                   ("mode", "#!/bin/sh\n", 0o644, "permission denied"),
                                   ("interpreter", "#!/no/such/shell\n", 0o755, "interpreter")):
        path = os.path.join(WORK, f"linux-script-{name}")
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, mode)
        if name != "mode":
            permitted()
        refuse(NOT_EXEC, *LINUX, "-e", "cs", path, said=said)


def test_a_program_for_another_machine():
    permitted()
    foreign = loop(10)
    out = pmk("stat", *LINUX, "-e", "cs", foreign)
    if out.code == 3:
        skip("this kernel runs ARM programs")
    equal(out.code, NOT_EXEC, str(out))
    contains(out.err, "-T emu")


# ---- which target --------------------------------------------------------------------------------


def test_what_runs_here_is_counted_here():
    permitted()
    script = os.path.join(WORK, "linux-script")
    with open(script, "w") as f:
        f.write("#!/bin/sh\nexit 7\n")
    os.chmod(script, 0o755)
    for argv, code in (((script,), 7), (("true",), 0), ((prog(), "fail", 5), 5),
                       (("-a", "true"), 0)):
        out = pmk("stat", "--json-document", "-e", "cs", *argv)
        if "-a" in argv and out.code == FAILED:
            continue
        equal(out.code, code, str(out))
        contains(json.loads(out.err)["producer"], "Linux")
    equal(pmk("stat", "-T", "emu", script).code, NOT_EXEC)
    if platform.machine() != "aarch64":
        contains(stat(loop(10), code=3)["producer"], "qemu")


def test_options_of_different_targets():
    for argv in (("--core", "arm1176", "-a"), ("-p", "1", "--qemu", "qemu-system-arm"),
                 ("-T", "linux", "--core", "arm1176"), ("-T", "linux", "--set", "dcache.size=8K"),
                 ("-T", "linux", "--region", "main"), ("-T", "linux", "--from", "a", "--to", "b"),
                 ("-T", "linux", "--env", "A=b"), ("-T", "linux", "--passes", "rerun"),
                 ("-T", "linux", "--sysroot", "/"), ("-T", "emu", "-a"), ("-T", "emu", "-C", "0"),
                 ("-T", "emu", "--no-inherit")):
        refuse(USAGE, *argv, "true", said=("-T emu", "-T linux"))
    refuse(USAGE, "-a", "-p", "1", "true", said=("-a", "-p"))
    refuse(USAGE, "-T", "linux", "-A", "true", said="-a")
    refuse(USAGE, "-T", "linux", "-I", "1000cycles", "true", said="ms")
    refuse(USAGE, "-T", "linux", "-I", "99999999999", "true", said="-I")
    refuse(USAGE, "-T", "linx", "true", said="did you mean linux?")
    refuse(USAGE, "-T", "linux", said="no program")
    contains(pmk("list", "targets").out, "linux")


def test_names_that_are_none():
    for event, said in (("page-fautls", "page-faults"), ("software/page-fautls/", "page-faults"),
                        ("sofware/page-faults/", "software"), ("software//", "no event"),
                        ("software/config=x/", "no number"), ("software/nonsense=1/", "nonsense"),
                        ("{page-faults", "brace"), ("", "empty"), ("page-faults:x", "modifier"),
                        ("software/page-faults/x", "modifier")):
        refuse(USAGE, *LINUX, "-e", event, "true", said=said)
    refuse(USAGE, *LINUX, "--pmu", "nonsense", "true", said="no such PMU")
    refuse(USAGE, *LINUX, "-M", "nonsense", "true", said="unknown metric")
    refuse(USAGE, *LINUX, "-M", "dcache_miss_ratio", "--pmu", "software", "true", said="software")


# ---- counting in the program itself --------------------------------------------------------------


def test_the_example_of_the_page_runs():
    permitted()
    with open(os.path.join(SOURCE, "docs/linux.md")) as f:
        source = re.search(r"```c\n(.*?)```", f.read(), re.S).group(1)
    example = build("linux-example", source, "-Wall", "-Werror", "-I",
                    os.path.join(SOURCE, "include"), "-xnone", os.path.join(BUILD, "libpmk.a"),
                    prefix="")
    out = run(example)
    equal(out.code, 0, str(out))
    assert re.fullmatch(r"what is to be counted\n\d+ ns, \d+ page faults\n", out.out), out


# ---- permissions -------------------------------------------------------------------------


def as_nobody(*argv):
    """Runs pmk as an ordinary user. Skips the test if it does not run as root."""
    if os.geteuid() != 0:
        skip("needs root to become an ordinary user")
    nobody = pwd.getpwnam("nobody")
    # A copy of pmk that every user can read.
    place = "/tmp/pmk-test-nobody"
    os.makedirs(place, exist_ok=True)
    shutil.copy(PMK, place)
    p = subprocess.run([os.path.join(place, "pmk"), "stat", *map(str, argv)], capture_output=True,
                       text=True, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], cwd="/",
                       env={"PATH": os.environ["PATH"], "HOME": "/nonexistent",
                            "PMK_DATA": public_data(place)})
    shutil.rmtree(place)
    return Output(p.returncode, p.stdout, p.stderr)


def public_data(place):
    shutil.copytree(os.path.join(SOURCE, "data"), os.path.join(place, "data"), dirs_exist_ok=True)
    return os.path.join(place, "data")


def paranoid():
    try:
        with open("/proc/sys/kernel/perf_event_paranoid") as f:
            return int(f.read())
    except OSError:
        skip("this kernel has no performance events")


def test_ordinary_users_see_what_they_may():
    level = paranoid()
    out = as_nobody("--json-document", "-e", "page-faults,task-clock,cs", "true")
    if level > 2:
        equal(out.code, FAILED)
        contains(out.err, f"perf_event_paranoid is {level}")
        return
    equal(out.code, 0, str(out))
    doc = json.loads(out.err)
    if level < 2:
        equal({c["trust"] for c in doc["counters"]}, {"measured"})
        return
    faults, clock, switches = doc["counters"]
    equal((faults["event"], faults["trust"]), ("page-faults:u", "measured"))
    assert faults["counter-value"] > 10, doc
    equal((switches["event"], switches["trust"]), ("cs", "not supported"))
    contains(switches["reason"], "counting kernel mode needs 1 or less")
    contains(doc["warning"], "perf_event_paranoid is 2")
    out = as_nobody("-e", "page-faults:k", "true")
    equal(out.code, FAILED)
    contains(out.err, "nothing can be counted: perf_event_paranoid is 2, and counting kernel mode")


def test_ordinary_users_cannot_count_others():
    level = paranoid()
    out = as_nobody("-a", "-e", "cs", "true")
    if level > 0:
        equal(out.code, FAILED)
        contains(out.err,
                 f"perf_event_paranoid is {level}, and counting whole processors needs 0 or less")
    out = as_nobody("-p", "1", "-e", "page-faults:u", "sleep", "0.1")
    equal(out.code, FAILED)
    contains(out.err, "belongs to another user" if level <= 2 else "paranoid")


def with_filter(error):
    """Returns a preexec function after which perf_event_open fails with this errno, as in a
    container."""
    number = {"x86_64": 298,
              "aarch64": 241}.get(platform.machine()) or skip("which number is the call?")
    code = ((0x20, 0, 0, 0),                     # load the system call's number
            (0x15, 0, 1, number),                # if it differs, skip the next instruction
            (0x06, 0, 0, 0x00050000 | error),    # SECCOMP_RET_ERRNO
            (0x06, 0, 0, 0x7FFF0000))            # SECCOMP_RET_ALLOW
    program = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *c) for c in code))
    head = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        libc.prctl(38, 1, 0, 0, 0)                                  # PR_SET_NO_NEW_PRIVS
        if libc.prctl(22, 2, ctypes.create_string_buffer(head), 0, 0):  # PR_SET_SECCOMP, filter
            os._exit(99)

    install.keep = program
    return install


def test_a_container_that_forbids_the_call():
    for error in (errno.EPERM, errno.ENOSYS):
        p = subprocess.run([PMK, "stat", *LINUX, "true"], capture_output=True, text=True,
                           preexec_fn=with_filter(error))
        if p.returncode == 99:
            skip("no seccomp filters here")
        equal(p.returncode, FAILED, p.stderr)
        contains(p.stderr, "nothing can be counted: a seccomp filter")


def test_user_emulation_has_no_counters():
    qemu = {"x86_64": "qemu-x86_64", "aarch64": "qemu-aarch64"}.get(platform.machine(), "qemu-user")
    have(qemu)
    paranoid()
    out = run(qemu, PMK, "stat", *LINUX, "true")
    equal(out.code, FAILED, str(out))
    contains(out.err, "user emulation")


def test_more_events_than_descriptors():
    permitted()

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))

    p = subprocess.run([PMK, "stat", "--json-document", *LINUX, "-e",
                        ",".join(["page-faults"] * 40), prog()],
                       capture_output=True, text=True, preexec_fn=limit)
    equal(p.returncode, 0, p.stderr)
    doc = json.loads(p.stderr)
    refused = [c for c in doc["counters"] if c["trust"] == "not supported"]
    assert 20 < len(refused) < 40, doc
    for c in refused:
        contains(c["reason"], "ulimit -n")
    # pmk raises its soft limit of descriptors, but not that of the program.
    p = subprocess.run([PMK, "stat", "--json-document", *LINUX, "-e",
                        ",".join(["page-faults"] * 40), "sh", "-c",
                        "ulimit -n"],
                       capture_output=True, text=True,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20, 200)))
    equal((p.returncode, p.stdout), (0, "20\n"), p.stderr)
    equal({c["trust"] for c in json.loads(p.stderr)["counters"]}, {"measured"})


def test_more_events_than_a_list_takes():
    refuse(USAGE, *LINUX, "-e", ",".join(["cs"] * 1000), "true", said="more than")
