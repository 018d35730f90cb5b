# SPDX-License-Identifier: MIT
"""pmk record -g finds the call paths of code that runs after several calls ended at once, by a C++
exception or by longjmp."""
import collections
import shutil
import sqlite3

from harness import *
from programs import build
from qemulog import logged

EXCEPTIONS = r"""
#include <cstdio>
#include <stdexcept>

static volatile unsigned sum;

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum = sum + i;
}

__attribute__((noinline)) static void deep(int n, int i)
{
	if (n > 0) {
		deep(n - 1, i);
		sum = sum + 1;
		return;
	}
	work(100);
	if (i >= 0)
		throw std::runtime_error("x");
}

__attribute__((noinline)) static void risky(int i)
{
	work(100);
	deep(3, i);
	sum = sum + 1;
}

__attribute__((noinline)) static void later(void)
{
	work(500);
	sum = sum + 1;
}

int main()
{
	for (int i = 0; i < 8; i++) {
		try {
			risky(i);
		} catch (const std::exception &e) {
			sum = sum + (unsigned)e.what()[0];
		}
		later();
	}
	later();
	std::printf("%u\n", sum);
	return 0;
}
"""

# Each of the ways to leave several calls ends in after(). No function calls after() as its last
# statement, because the compiler would make that a tail call.
JUMPS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static volatile unsigned sum;
static sigjmp_buf back;
static ucontext_t of_main, of_other;

__attribute__((noinline)) static void after(void)
{
	for (unsigned i = 0; i < 10; i++)
		sum = sum + i;
}

__attribute__((noinline)) static void leave(jmp_buf to, int depth)
{
	if (depth)
		leave(to, depth - 1);
	else
		longjmp(to, 1);
	sum = sum + 1;
}

/* Leaves by a tail call. */
__attribute__((noinline)) static void hop(jmp_buf to)
{
	leave(to, 2);
}

__attribute__((noinline)) static void pong(int n, jmp_buf to);

/* Only the outermost call returns. */
__attribute__((noinline)) static void ping(int n, jmp_buf to)
{
	jmp_buf here;

	if (n == 4) {
		if (!setjmp(here))
			pong(n, here);
		after();
	} else if (n) {
		pong(n, to);
	} else {
		longjmp(to, 1);
	}
	sum = sum + 1;
}

__attribute__((noinline)) static void pong(int n, jmp_buf to)
{
	ping(n - 1, to);
	sum = sum + 1;
}

/* Runs on a stack that grows during the call. */
__attribute__((noinline)) static void grown(int n)
{
	jmp_buf here;

	if (!setjmp(here)) {
		volatile char more[n];

		more[n - 1] = 1;
		leave(here, 1);
	}
	after();
	sum = sum + 1;
}

static void handler(int sig)
{
	if (sig == SIGUSR1)
		siglongjmp(back, 1);
	after();
	sum = sum + 1;
}

__attribute__((noinline)) static void interrupted(int sig)
{
	if (!sigsetjmp(back, 1))
		raise(sig);
	after();
	sum = sum + 1;
}

__attribute__((noinline)) static void other(void)
{
	after();
	swapcontext(&of_other, &of_main);
	after();
	sum = sum + 1;
}

__attribute__((noinline)) static void *inner(void *unused)
{
	jmp_buf here;

	if (!setjmp(here))
		hop(here);
	after();
	return unused;
}

/* Its handler runs on a stack above this stack. */
__attribute__((noinline)) static void *apart(void *memory)
{
	stack_t alternate = { .ss_sp = memory, .ss_size = 1 << 17 };

	sigaltstack(&alternate, NULL);
	interrupted(SIGUSR1);
	return inner(memory);
}

int main(void)
{
	char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	stack_t alternate = { .ss_sp = memory, .ss_size = 1 << 17 };
	struct sigaction action = { .sa_handler = handler };
	pthread_t thread;
	jmp_buf here;

	for (volatile int i = 0; i < 3; i++) {
		if (!setjmp(here))
			hop(here);
		after();
	}
	if (!setjmp(here))
		longjmp(here, 1);
	after();
	ping(4, here);
	grown(1000);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	interrupted(SIGUSR1);
	interrupted(SIGUSR2);
	action.sa_flags = SA_ONSTACK;
	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	interrupted(SIGUSR1);
	getcontext(&of_other);
	of_other.uc_stack.ss_sp = memory + (1 << 18);
	of_other.uc_stack.ss_size = 1 << 18;
	of_other.uc_link = &of_main;
	makecontext(&of_other, other, 0);
	swapcontext(&of_main, &of_other);
	inner(NULL);
	swapcontext(&of_main, &of_other);
	inner(NULL);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, apart, memory + (1 << 19));
		pthread_join(thread, NULL);
	}
	after();
	return 0;
}
"""

A64 = "aarch64-linux-gnu-"
ARMEL = "arm-linux-gnueabi-"
ARMHF = "arm-linux-gnueabihf-"
CORES = {A64: ("cortex-a53", "inst_retired"), ARMEL: ("arm1176", "instr_exec"),
         ARMHF: ("cortex-a7", "inst_retired")}


def recorded(path, prefix, env=None):
    """Returns the recording of the program, open."""
    name = os.path.join(WORK, f"paths-{os.getpid()}.data")
    core, event = CORES[prefix]
    out = pmk("record", "-g", "-e", event, "--core", core, "-o", name, path, env=env)
    equal(out.code, 0, out.err)
    db = sqlite3.connect(name)
    os.unlink(name)
    return db


PATHS = """WITH RECURSIVE p(id, name, path, calls) AS (
	SELECT id, '', '', 0 FROM context WHERE parent IS NULL
	UNION ALL
	SELECT c.id, f.name, path || '/' || f.name, c.calls FROM context c
	JOIN p ON p.id = c.parent JOIN function f ON f.id = c.function) """


def calls_of(db, function, own):
    """Returns {path: calls} of the function; a path has only the program's `own` functions."""
    found = collections.Counter()
    for path, calls in db.execute(PATHS + "SELECT path, calls FROM p WHERE name = ?", (function,)):
        found["/".join(name for name in path.split("/") if name in own)] += calls
    return dict(found)


class Shadow:
    """Instructions by call stack, derived from QEMU's log and the symbols."""

    def __init__(self, path, prefix, function):
        symbols = run(prefix + "nm", path).out.splitlines()
        self.entries = {int(s.split()[0], 16) for s in symbols if s.split()[-2] in "tTwWi"}
        self.function, self.executed, self.within = function.encode(), 0, 0

    def read(self, fifo):
        stack = [b""]
        with open(fifo, "rb") as f:
            for line in f:
                if not line.startswith(b"Trace"):
                    continue
                words = line.split()
                name = words[-1]
                if int(words[3].split(b"/")[1], 16) in self.entries:
                    stack.append(name)
                elif stack[-1] != name and name in stack:
                    while stack[-1] != name:
                        stack.pop()
                self.executed += 1
                self.within += self.function in stack


BUILDS = cases("name,prefix,flags", [
    ("a64", A64, ("-O2",)),
    ("a64-O0", A64, ("-O0",)),
    ("arm", ARMEL, ("-O2", "-static", "-marm", "-march=armv6k")),
    ("thumb2", ARMHF, ("-O1", "-static", "-mthumb")),
    ("shared", ARMEL, ("-O2", "-marm")),
])


@BUILDS
def test_after_an_exception(name, prefix, flags):
    """The call paths of static programs after exceptions equal those found in QEMU's log. Only ARM
    programs are tested, because A64 programs would take ten times as long."""
    path = build(f"exceptions-{name}", EXCEPTIONS, *flags, "-fno-ipa-sra", "-fno-ipa-cp", ext="cpp",
                 prefix=prefix, compiler="g++")
    db = recorded(path, prefix)
    own = "risky(int)", "deep(int, int)", "work(unsigned int)", "later()"
    equal(calls_of(db, own[0], own), {own[0]: 8})
    equal(calls_of(db, own[2], own), {own[0] + "/" + own[2]: 8, own[3] + "/" + own[2]: 9,
                                      "/".join([own[0], *2 * [own[1]], own[2]]): 8})
    if "-static" not in flags:
        return
    total, = db.execute("SELECT total FROM event").fetchone()
    within, = db.execute(PATHS + "SELECT sum(value) FROM count JOIN p ON p.id = context "
                         "WHERE path LIKE '%risky%'").fetchone()
    shadow = Shadow(path, prefix, "_ZL5riskyi")
    equal(logged("qemu-arm", shadow.read, path, core=CORES[prefix][0]).code, 0)
    equal((within, total), (shadow.within, shadow.executed))


JUMPERS = ("after", "leave", "hop", "ping", "pong", "grown", "handler", "interrupted", "inner",
           "apart")
# Of the seven calls whose path is "after", five are in main() and two in other(). The C library
# calls other() or jumps to it.
AFTER_JUMPS = {"after": 7, "ping/after": 1, "grown/after": 1, "interrupted/after": 4,
               "inner/after": 2, "apart/interrupted/after": 2, "apart/inner/after": 2}


@BUILDS
def test_after_longjmp(name, prefix, flags):
    path = build(f"jumps-{name}", JUMPS, *flags, "-fno-ipa-sra", "-fno-ipa-cp", "-pthread",
                 prefix=prefix)
    equal(calls_of(recorded(path, prefix), "after", JUMPERS), AFTER_JUMPS)


STATIC = "arm", ARMEL, ("-O2", "-static", "-marm", "-march=armv6k", "-fno-ipa-sra", "-fno-ipa-cp")


def blind_emulator():
    """Returns an environment with a copy of qemu-arm that has no function for reading registers
    under the name that pmk looks for. Skips the test if this qemu-arm has no such function."""
    place = os.path.join(WORK, "blind")
    hidden = b"\0arm_cpu_gdb_read_register\0"
    with open(shutil.which("qemu-arm"), "rb") as f:
        emulator = f.read()
    if emulator.count(hidden) != 1:
        skip("this emulator exports no function that reads registers")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "qemu-arm"), "wb") as f:
        f.write(emulator.replace(hidden, hidden.replace(b"read", b"xxxx")))
    os.chmod(f.name, 0o755)
    return dict(os.environ, PATH=place + ":" + os.environ["PATH"], **NO_EMULATORS)


def test_where_the_stack_pointer_is_not_shown():
    """If the emulator does not show the stack pointer, call paths are as docs/emulators.md says:
    longjmp returns to the earlier path, but after an exception, code stays on the path that threw
    it. No count is lost."""
    version = re.search(r"version (\d+)", run("qemu-arm", "--version").out)
    if 9 <= int(version[1]) <= 10:
        skip("the plugin interface shows registers")
    env, (name, prefix, flags) = blind_emulator(), STATIC
    path = build(f"jumps-{name}", JUMPS, *flags, "-pthread", prefix=prefix)
    equal(calls_of(recorded(path, prefix, env), "after", JUMPERS), AFTER_JUMPS)
    path = build(f"exceptions-{name}", EXCEPTIONS, *flags, ext="cpp", prefix=prefix,
                 compiler="g++")
    seen, blind = recorded(path, prefix), recorded(path, prefix, env)
    own = "risky(int)", "deep(int, int)", "later()"
    equal(calls_of(seen, "later()", own), {"later()": 9})
    paths = calls_of(blind, "later()", own)
    equal(sum(paths.values()), 9)
    assert all(p.startswith("risky(int)/") for p in paths), paths
    equal(*(db.execute("SELECT total FROM event").fetchone() for db in (seen, blind)))
