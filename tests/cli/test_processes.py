# SPDX-License-Identifier: MIT
"""Tests pmk stat on programs that fork, spawn, execute other programs and start threads. Everything
is counted once, and pmk reports what it does not count."""
import os
import signal
import time

from harness import *
from programs import assemble, program

# Forks CHILDREN times, and waits for each child before the next fork. Every instruction is known: 2
# + 12 CHILDREN + 3 in the parent, 6 + 2 LOOPS in every child.
FORK = """
	.syntax	unified
	.arm
	.global	_start, child
	.type	child, %function
_start:
	movs	r8, #(CHILDREN & 0xff00)
	orr	r8, r8, #(CHILDREN & 0xff)
1:	mov	r7, #2			@ fork
	svc	#0
	cmp	r0, #0
	beq	child
	mvn	r0, #0
	mov	r1, #0
	mov	r2, #0
	mov	r3, #0
	mov	r7, #114		@ wait4
	svc	#0
	subs	r8, r8, #1
	bne	1b
	mov	r0, #0
	mov	r7, #1
	svc	#0
child:	mov	r4, #LOOPS
2:	subs	r4, r4, #1
	bne	2b
	mov	r0, #0
	mov	r7, #1
	svc	#0
"""

# Arguments: WHAT N. Makes N children that count to 1000; main() has the meanings of WHAT.
FAMILY = r"""
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;

static int others[2]; /* a pipe that ends when all children have closed it */

__attribute__((noinline)) void work(void)
{
	for (int i = 0; i < 1000; i++)
		sink++;
}

static void ms(long n)
{
	struct timespec t = { n / 1000, n % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Without a time, waits until all other processes have started and wait, too. */
static void child(const char *sleep)
{
	char c;

	close(others[1]);
	if (sleep && strcmp(sleep, "together"))
		ms(atol(sleep));
	else if (sleep && read(others[0], &c, 1))
		_exit(1);
	work();
	_exit(0);
}

static void spawn(int n, const char *sleep)
{
	for (int i = 0; i < n; i++)
		if (fork() == 0)
			child(sleep);
	close(others[1]);
}

int main(int argc, char **argv)
{
	int n = atoi(argv[2]), done = 0;
	char c;

	if (pipe(others))
		return 1;
	if (!strcmp(argv[1], "zombies")) {
		spawn(n, NULL);
		n = (int)read(others[0], &c, 1); /* until all children end */
		ms(100);			 /* all have ended, and are not waited for */
		return n;
	}
	if (!strcmp(argv[1], "chain")) {
		/* Each process starts the next one, and waits for it. */
		for (int i = 0; i < n && fork() == 0; i++)
			work();
		wait(NULL);
		return 0;
	}
	if (!strcmp(argv[1], "orphan")) {
		if (fork() == 0) {
			close(1), close(2); /* a reader of them does not wait for this process */
			pause();
		}
		return 4;
	}
	spawn(n, argc > 3 ? argv[3] : NULL);
	for (int i = 0; i < n; i++)
		done += wait(NULL) > 0;
	if (done == n)
		puts("all ended");
	return 0;
}
"""

# Arguments: WHAT PROGRAM. Starts PROGRAM in the way that WHAT names.
EXEC = r"""
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	char *args[] = { argv[2], NULL };
	int status = 0;
	pid_t pid = 0;

	for (volatile int i = 0; i < 1000; i++)
		;
	if (!strcmp(argv[1], "exec")) {
		execv(argv[2], args);
		return 55;
	}
	if (!strcmp(argv[1], "spawn")) {
		if (posix_spawn(&pid, argv[2], NULL, NULL, args, environ))
			return 66;
	} else {
		pid = !strcmp(argv[1], "vfork") ? vfork() : fork();
		if (pid == 0) {
			execv(argv[2], args);
			_exit(77);
		}
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
"""

# WHAT N: N threads that count to 1000. With "work" they all stay alive and run one at a time, each
# started by a byte in a pipe. The number of instructions in the C library's locks then does not
# depend on which thread is faster.
THREADS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct pipes {
	int to[2], from[2];
};

static char more_than_a_pipe_holds[1 << 20];

__attribute__((noinline)) void work(volatile int *sink)
{
	for (int i = 0; i < 1000; i++)
		++*sink;
}

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		abort();
}

static void wait_for(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		abort();
}

static void *worker(void *arg)
{
	struct pipes *p = arg;
	volatile int mine = 0;

	tell(p->from[1]);
	wait_for(p->to[0]);
	work(&mine);
	/* This is told, too, and does not return: nothing is left to do that the program's end could cut off. */
	write(p->from[1], more_than_a_pipe_holds, sizeof(more_than_a_pipe_holds));
	abort();
}

static void *runner(void *arg)
{
	volatile int mine = 0;

	(void)arg;
	work(&mine);
	return NULL;
}

/* Sets *arg, unless it is NULL, if its child has ended correctly. */
static void *forker(void *arg)
{
	volatile int mine = 0;
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		work(&mine);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (arg)
		*(int *)arg = status == 0;
	return NULL;
}

/* A thread that starts when `n` other threads exist forks. */
static int beyond(int n, struct pipes *p)
{
	int ended = 0;
	pthread_t t;

	for (int i = 0; i < n; i++) {
		if (pipe(p[i].to) || pipe(p[i].from))
			return 1;
		pthread_create(&t, NULL, worker, &p[i]);
		wait_for(p[i].from[0]);
	}
	pthread_create(&t, NULL, forker, &ended);
	pthread_join(t, NULL);
	return ended ? 5 : 6;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[2]);
	struct pipes p[200];
	pthread_t t;

	if (argc != 3 || n > 200)
		return 1;
	if (!strcmp(argv[1], "beyond"))
		return beyond(n, p);
	if (!strcmp(argv[1], "work")) {
		for (int i = 0; i < n; i++) {
			if (pipe(p[i].to) || pipe(p[i].from))
				return 1;
			pthread_create(&t, NULL, worker, &p[i]);
			wait_for(p[i].from[0]);
		}
		for (int i = 0; i < n; i++) {
			tell(p[i].to[1]);
			wait_for(p[i].from[0]);
		}
		return 0;
	}
	for (int i = 0; i < n; i++) {
		pthread_create(&t, NULL, !strcmp(argv[1], "fork") ? forker : runner, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
"""


def family():
    return program("family", FAMILY)


def threads():
    return program("threads", THREADS, "-pthread")


def insns(doc, region=None):
    return counts(doc, region)["instr_exec"]


# ---- forks ---------------------------------------------------------------------------------------


def test_forks_count_exactly():
    for children in (1, 3, 100, 300):
        doc = stat("-e", "instr_exec", assemble("fork", FORK, f"-DCHILDREN={children}",
                                                "-DLOOPS=100"))
        equal(insns(doc), 5 + 12 * children + (6 + 2 * 100) * children, f"{children} children")
        equal((doc["processes"], doc["threads"], doc["warning"]),
              (children + 1, children + 1, None))


def test_other_events_follow_forks():
    values = {}
    for children in (1, 2, 101):
        doc = stat("-e", "br_exec,dcache_access,instr_exec", "--passes", "clone",
                   assemble("fork", FORK, f"-DCHILDREN={children}", "-DLOOPS=100"))
        values[children] = counts(doc)
    for event in ("br_exec", "dcache_access", "instr_exec"):
        one = values[2][event] - values[1][event]
        equal(values[101][event] - values[1][event], 100 * one, event)
    equal(values[2]["br_exec"] - values[1]["br_exec"], 2 + 1 + 100)


def test_forks_in_c_count_exactly():
    values = {n: insns(stat("-e", "instr_exec", family(), "work", f"{n:03}")) for n in (1, 3, 20)}
    one = (values[3] - values[1]) / 2
    equal(values[20] - values[3], 17 * one)
    assert one > 5000


def test_forks_at_the_same_time():
    # pmk counts at most 64 processes at a time, each in a slot. The parent has one slot, and these
    # children have all others.
    doc = stat("-e", "instr_exec", "--region", "work", family(), "work", "063", "together")
    equal((doc["processes"], doc["warning"]), (64, None))
    equal(next(c["entries"] for c in doc["counters"] if c["region"]), 63)
    equal(insns(doc, "work") % 63, 0)


def test_forks_wait_for_a_place():
    """For a short time there are more processes than slots. The processes without a slot wait, and
    none is lost."""
    out = pmk("stat", "--json-document", "-e", "instr_exec", "--region", "work", family(), "work",
              "070", "200")
    equal((out.code, out.out), (0, "all ended\n"))
    doc = json.loads(out.err)
    equal((doc["processes"], doc["warning"]), (71, None))
    equal(next(c["entries"] for c in doc["counters"] if c["region"]), 70)


def test_forks_without_a_place_are_reported():
    """pmk reports processes that got no slot. Here 70 processes live until the last of them has
    given up waiting for a slot."""
    out = pmk("stat", "--json-document", "-e", "instr_exec", "--region", "work", family(), "work",
              "070",
              "together")
    equal((out.code, out.out), (0, "all ended\n"))
    doc = json.loads(out.err)
    equal(doc["processes"], 64)
    contains(doc["warning"], "7 forked processes were not counted")
    equal({c["trust"] for c in doc["counters"]}, {"partial"})
    equal(next(c["entries"] for c in doc["counters"] if c["region"]), 63)
    one = insns(stat("-e", "instr_exec", "--region", "work", family(), "work", "001"), "work")
    equal(insns(doc, "work"), 63 * one)


def test_zombies_give_their_place_back():
    # The numbers have no leading zero: some C libraries treat digits after such a zero differently.
    values = {n: stat("-e", "instr_exec", family(), "zombies", str(n)) for n in (110, 111, 150)}
    equal((values[150]["processes"], values[150]["warning"]), (151, None))
    one = insns(values[111]) - insns(values[110])
    assert one > 4000
    equal(insns(values[150]) - insns(values[111]), 39 * one)


def test_grandchildren_are_followed():
    values = {n: stat("-e", "instr_exec", "--region", "work", family(), "chain", f"{n:03}")
              for n in (1, 2, 12)}
    equal([values[n]["processes"] for n in (1, 2, 12)], [2, 3, 13])
    one = insns(values[1], "work")
    equal([insns(values[n], "work") for n in (2, 12)], [2 * one, 12 * one])


def test_regions_of_children_are_added():
    child = assemble("fork", FORK, "-DCHILDREN=10", "-DLOOPS=100")
    doc = stat("-e", "instr_exec", "--region", "child", child)
    equal(insns(doc, "child"), 10 * 204)
    equal(next(c["entries"] for c in doc["counters"] if c["region"]), 10)


def test_intervals_with_forks_add_up():
    fork = assemble("fork", FORK, "-DCHILDREN=40", "-DLOOPS=250")
    total = counts(stat("-e", "instr_exec,br_exec", fork))
    for interval in ("100insns", "1000cycles"):
        doc = stat("-e", "instr_exec,br_exec", "-I", interval, fork)
        for event in total:
            equal(sum(c["counter-value"] for c in doc["counters"] if c["event"] == event),
                  total[event], f"{event} by {interval}")


def test_a_child_that_outlives_its_parent():
    # Like perf stat, pmk does not wait for the child.
    doc = stat("-e", "instr_exec", family(), "orphan", "1", code=4)
    assert insns(doc) > 100
    contains(doc["warning"], "1 process was still running when the program ended: it was "
                             "counted up to then")


# ---- limits --------------------------------------------------------------------------------------


def limited(limit, *argv):
    have("prlimit")
    return run("prlimit", limit, PMK, "stat", "-e", "instr_exec", *argv)


@cases("limit, name", [("--fsize=1000000", "file size (ulimit -f)"),
                       ("--as=1000000000", "address space (ulimit -v)")])
def test_a_limit_that_is_too_low_is_named(limit, name):
    out = limited(limit, family(), "spawn", "1")
    equal(out.code, 125, out)
    contains(out.err, f"pmk: the limit of the {name} is too low: each process reserves ")
    equal(len(out.err.splitlines()), 1, out)


def test_a_limit_leaves_fewer_places():
    fork = assemble("fork", FORK, "-DCHILDREN=3", "-DLOOPS=100")
    want = insns(stat("-e", "instr_exec", fork))
    for limit in ("--fsize=3000000000", "--as=16000000000"):
        out = limited(limit, "--json-document", fork)
        equal(out.code, 0, out)
        equal(insns(json.loads(out.err)), want, limit)


def test_who_finds_no_place_by_a_limit_is_told():
    out = limited("--fsize=3000000000", "--json-document", family(), "work", "003", "together")
    doc = json.loads(out.err)
    equal(doc["processes"], 2)
    contains(doc["warning"], "2 forked processes were not counted: pmk counts at most 2 at a "
                             "time, because of the limit of the file size (ulimit -f)")
    equal({c["trust"] for c in doc["counters"]}, {"partial"})


# ---- exec ----------------------------------------------------------------------------------------


def execs():
    return program("execs", EXEC)


def test_exec_is_reported():
    have("/bin/true", "/bin/false")
    for what in ("exec", "fork", "vfork", "spawn"):
        for target, code in (("/bin/true", 0), ("/bin/false", 1)):
            doc = stat("-e", "instr_exec", execs(), what, target, code=code)
            contains(doc["warning"],
                     "1 process called execve and was not counted after that")
            assert insns(doc) > 6000, f"{what}: what was counted before is lost"
            equal(doc["processes"], 1 if what == "exec" else 2, what)


def test_exec_that_fails_is_none():
    # posix_spawn is a fork in the emulator, so the child cannot report its failure to the parent.
    for what, code in (("exec", 55), ("fork", 77), ("vfork", 77), ("spawn", 127)):
        doc = stat("-e", "instr_exec", execs(), what, "/nonexistent", code=code)
        equal(doc["warning"], None, what)
        assert insns(doc) > 6000


def test_exec_does_not_hide_the_rest():
    """pmk counts the parent, whether the child's exec works or not."""
    good = stat("-e", "instr_exec", "--region", "main", execs(), "spawn", "/bin/true")
    assert insns(good, "main") > 6000
    again = stat("-e", "instr_exec", "--region", "main", execs(), "spawn", "/bin/true")
    equal(insns(good), insns(again))


# ---- threads -------------------------------------------------------------------------------------


# After the system call that creates the second thread, both threads run the same code at the same
# time.
TWO = """
	.syntax	unified
	.arm
	.global	_start
_start:
	ldr	r0, =0x50f00		@ CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD, _SYSVSEM
	ldr	r1, =stack
	mov	r7, #120		@ clone
	svc	#0
	ldr	r2, =LOOPS
1:	subs	r2, r2, #1
	beq	2f
	b	1b
2:	mov	r0, #0
	mov	r7, #1			@ exit, of the thread
	svc	#0
	.bss
	.space	4096
stack:
"""


def test_both_threads_count_the_code_after_clone():
    """Both threads count the code after the call that creates a thread, although an emulator may
    report the second thread only after it translated this code for the first thread."""
    for _ in range(20):
        doc = stat("-A", "-e", "instr_exec,sw_pc_change", assemble("two", TWO, "-DLOOPS=20000"))
        got = {(c["cpu"], c["event"]): c["counter-value"] for c in doc["counters"]}
        equal(got, {(0, "instr_exec"): 4 + 1 + 3 * 20000 - 1 + 3, (0, "sw_pc_change"): 20000,
                    (1, "instr_exec"): 1 + 3 * 20000 - 1 + 3, (1, "sw_pc_change"): 20000})


def test_threads_are_counted_on_cores_of_their_own():
    doc = stat("-A", "-e", "instr_exec", threads(), "work", "4")
    cores = {c["cpu"]: c["counter-value"] for c in doc["counters"]}
    equal(sorted(cores), [0, 1, 2, 3, 4])
    equal(doc["threads"], 5)
    # The first worker may initialise data of the C library, so it may execute more instructions.
    for cpu in (2, 3, 4):
        equal(cores[cpu], cores[2], "every worker does the same")
    assert cores[1] >= cores[2] > 4000
    total = stat("-e", "instr_exec", threads(), "work", "4")
    equal(insns(total), sum(cores.values()))


def test_cores_add_up_to_all_processes():
    """With -A, pmk prints the counts of each core. Their sum includes every process."""
    fork = assemble("fork", FORK, "-DCHILDREN=3", "-DLOOPS=100")
    for argv, cores in ((["-A", fork], [0]), (["-A", "-r", "2", fork], [0]),
                        (["-A", threads(), "fork", "1"], [0, 1])):
        doc = stat("-e", "instr_exec", *argv)
        by_core = {c["cpu"]: c["counter-value"] for c in doc["counters"]}
        total = insns(stat("-e", "instr_exec", *(a for a in argv if a != "-A")))
        equal((sorted(by_core), sum(by_core.values())), (cores, total), argv)


def test_threads_are_repeatable():
    first = stat("-e", "instr_exec,br_exec,dcache_access", "--region", "work", threads(), "work",
                 "5")
    for _ in range(2):
        again = stat("-e", "instr_exec,br_exec,dcache_access", "--region", "work", threads(),
                     "work", "5")
        equal(counts(again), counts(first))
        equal(counts(again, "work"), counts(first, "work"))
    one = stat("-e", "instr_exec", "--region", "work", threads(), "work", "1")
    equal(insns(first, "work"), 5 * insns(one, "work"))


def test_threads_are_not_exact():
    """The counts of several threads are not labelled exact, because the number of instructions that
    a thread executes while it waits depends on the host."""
    events = ("-e", "instr_exec,cycles")
    doc = stat("-r", "2", *events, threads(), "work", "2")
    equal([c["trust"] for c in doc["counters"]], ["inexact", "modelled"])
    contains(doc["note"], "counts may differ from run to run")
    contains(pmk("stat", *events, threads(), "work", "2").err, "counts may differ from run to run")
    one = stat(*events, assemble("fork", FORK, "-DCHILDREN=2", "-DLOOPS=9"))
    equal([c["trust"] for c in one["counters"]], ["exact", "modelled"])
    assert "run to run" not in (one["note"] or "")


def test_every_command_says_that_threads_are_not_exact(tmp_path):
    note = "the host schedules the threads of the program: counts may differ from run to run"
    fork = assemble("fork", FORK, "-DCHILDREN=2", "-DLOOPS=9")
    for name, argv, times in (("t", [threads(), "work", "2"], 1), ("f", [fork], 0)):
        data, doc = tmp_path / f"{name}.data", tmp_path / f"{name}.json"
        label = "inexact" if times else "exact"
        equal(pmk("record", "-e", "instr_exec", "-o", data, *argv).err.count(note), times)
        doc.write_text(json.dumps(stat("-e", "instr_exec", *argv)))
        shown = pmk("report", "-i", data)
        equal(" ".join(shown.out.split()).count(note), times)
        assert re.search(rf"^ *{label} +{label}$", shown.out, re.M), shown.out
        equal(json.loads(pmk("report", "-i", data, "-j").out)["note"], note if times else None)
        shown = pmk("annotate", "-i", data)
        equal(" ".join(shown.out.split()).count(note), times)
        assert re.search(rf"^ *{label} +{label}$", shown.out, re.M), shown.out
        page = tmp_path / "page.html"
        equal(pmk("report", "-i", data, "--html", page).code, 0)
        equal(page.read_text().count(note), times)
        for file in (data, doc):
            out = pmk("diff", "--fail-over", "0%", file, file)
            equal((out.code, " ".join(out.out.split()).count(note), out.err), (0, times, ""))
        out = pmk("history", "add", "-d", tmp_path / "db", "--commit", "one", *argv,
                  cwd=tmp_path)
        equal((out.code, out.err.count(f"history: {note}")), (0, times), out.err)


def test_threads_one_after_the_other_share_a_core():
    doc = stat("-e", "instr_exec", "--region", "work", threads(), "sequence", "150")
    equal((doc["threads"], doc["warning"]), (151, None))
    one = stat("-e", "instr_exec", "--region", "work", threads(), "sequence", "1")
    equal(insns(doc, "work"), 150 * insns(one, "work"))


def test_more_threads_than_cores_are_reported():
    doc = stat("-e", "instr_exec", "--region", "work", threads(), "work", "70")
    equal(doc["threads"], 71)
    # 64 threads, the main thread and 63 others, have a core.
    contains(doc["warning"], "7 threads were not counted")
    equal({c["trust"] for c in doc["counters"]}, {"partial"})
    one = stat("-e", "instr_exec", "--region", "work", threads(), "work", "1")
    equal(insns(doc, "work"), 63 * insns(one, "work"))


def test_a_thread_that_forks():
    doc = stat("-e", "instr_exec", "--region", "work", threads(), "fork", "1")
    equal((doc["processes"], doc["threads"], doc["warning"]), (2, 3, None))
    one = stat("-e", "instr_exec", "--region", "work", threads(), "work", "1")
    equal(insns(doc, "work"), insns(one, "work"))


KILLER = r"""
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	pid_t child = fork();
	if (!child)
		for (;;)
			;
	puts("forked");
	fflush(stdout);
	getchar();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (volatile int i = 0; i < 200000; i++)
		;
	return 0;
}
"""


def waits_for_room(pid):
    """Returns true if the process sleeps and used no processor time for 0.3 s."""
    def ticks():
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return fields[0], int(fields[11])
    state, before = ticks()
    time.sleep(0.3)
    return state == "S" and ticks() == ("S", before)


def test_a_child_is_killed_while_it_waits_to_report():
    """A parent can kill a child that waits to report an interval. pmk is stopped here, so the
    buffer for the child's intervals becomes full. The locks that the child held do not block other
    processes."""
    path = os.path.join(WORK, f"killer-{os.getpid()}")
    p = subprocess.Popen([PMK, "stat", "-o", path, "-I", "500cycles", "-e", "instr_exec",
                          program("killer", KILLER)],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         start_new_session=True)
    try:
        equal(p.stdout.readline(), b"forked\n")
        os.kill(p.pid, signal.SIGSTOP)
        child = next(c for e in children(p.pid) for c in children(e))
        wait_until(lambda: waits_for_room(child), "the child never waits")
        p.stdin.write(b"\n")
        p.stdin.flush()
        wait_until(lambda: not os.path.exists(f"/proc/{child}"), "the child is not killed")
        os.kill(p.pid, signal.SIGCONT)
        p.communicate(timeout=PATIENCE)
    finally:
        if p.poll() is None:
            os.killpg(p.pid, signal.SIGKILL)
            raise AssertionError("pmk waits for a process that was killed")
    equal(p.returncode, 0)
    with open(path) as f:
        assert len(f.readlines()) > 4096, "not the intervals of the child"
    os.unlink(path)


# Forks; its child forks, too. Both children live for ever, and no parent waits for its child.
LEAVES = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (!fork()) {
		fork();
		for (;;)
			pause();
	}
	if (argc > 1)
		return 0;
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
"""


def emulators_of(program):
    """Returns the numbers of the processes of emulators that run the program."""
    return [int(p) for p in os.listdir("/proc") if p.isdigit() and
            f"\0{program}\0" in of_process(p, "cmdline") and "-plugin" in of_process(p, "cmdline")]


def test_forked_processes_end_with_pmk():
    leaves = program(f"leaves-{os.getpid()}", LEAVES)
    p = subprocess.Popen([PMK, "stat", "-e", "instr_exec", leaves], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    equal(p.stdout.readline(), b"ready\n")
    wait_until(lambda: len(emulators_of(leaves)) == 3, "the program does not fork")
    p.kill()
    p.wait()
    p.stdout.close()
    wait_until(lambda: not emulators_of(leaves), "forked processes outlive a pmk that was killed")
    doc = stat("-e", "instr_exec", leaves, "leave")
    contains(doc["warning"], "still running when the program ended")
    wait_until(lambda: not emulators_of(leaves), "forked processes outlive pmk")


def test_a_fork_by_an_uncounted_thread_runs():
    for how in ((), ("-I", "100insns")):
        out = run(PMK, "stat", "--json-document", "-e", "instr_exec", *how, threads(), "beyond",
                  "70")
        equal(out.code, 5, "the child has not ended as it should: " + repr(out))
        doc = json.loads(out.err)
        equal({c["trust"] for c in doc["counters"]} - {"exact", "inexact"}, {"partial"})
        contains(doc["warning"], " not counted: pmk counts at most 64 at a time")
        contains(doc["warning"], "1 forked process was not counted")
        contains(doc["warning"], "and none that an uncounted thread forks")


def test_an_interval_of_a_thread_has_the_time_of_its_core():
    """The time of a thread's interval is that of its own core, even if an interval of another core
    was reported before. The clock has 700 MHz."""
    threads = program("interval-threads", r"""
#include <pthread.h>
static void *work(void *ctx)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 50000; i++)
		sum += i;
	return ctx;
}
int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	work(0);
	return 0;
}
""", "-pthread")
    out = pmk("stat", "-e", "cycles", "-I", "100000cycles", "-j", threads)
    rows = [json.loads(line) for line in out.err.splitlines()]
    contains(rows.pop()["note"], "the host schedules the threads")
    # A new thread may get the core of a thread that has ended.
    assert {None, "1"} <= {row.get("cpu") for row in rows}, rows
    for row in rows:
        assert abs(float(row["counter-value"]) / 0.7 - row["event-runtime"]) < 3, row
    assert len(rows) > 8, rows
