# SPDX-License-Identifier: MIT
"""The counts of programs that continue after faults equal an independent count.
Each program has many short functions of random instructions, some of which access unmapped memory,
and a handler that jumps out."""
import os
import random
import sqlite3

import test_a64_oracle as a64
import test_oracle as arm
from harness import *
from insns import plugin, read
from programs import build
from qemulog import wrapped

CROSS64 = "aarch64-linux-gnu-"
FUNCTIONS = 70

# In the program, `good` is four pages with nothing mapped after them, `edge` is 8 bytes before
# their end, and `bad` is not mapped.
FRAME = r"""
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
static sigjmp_buf back;
static volatile int faults, ended;
%s
static void leave(int sig) { faults++; siglongjmp(back, sig); }
static void note(int sig) { (void)sig; ended++; }
int main(void)
{
	static void (*const f[])(char *, char *, char *, int) = { %s };
	char *good = mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(good + 4 * 4096, 4096);
	signal(SIGSEGV, leave);
	signal(SIGBUS, leave);
	signal(SIGUSR1, note);
	for (unsigned i = 0; i < sizeof(f) / sizeof(f[0]); i++)
		for (int k = 0; k < 4; k++) {
			if (!sigsetjmp(back, 1))
				f[i](good + 64 * k, good + 4 * 4096 - 8, good + 4 * 4096 + 8 * k, k);
			if (k == 1)
				raise(SIGUSR1);
		}
	printf("%%d %%d\n", faults, ended);
	return 0;
}
"""

CLOBBERS = {"arm": [f"r{i}" for i in range(4, 11)] + ["lr", "ip"],
            "thumb": [f"r{i}" for i in range(4, 7)],
            "a64": [f"x{i}" for i in range(4, 18)] + ["v0", "v1", "v2", "v3"]}


def arm_step(r, thumb):
    low = r.choice("456") if thumb else r.choice("456789")
    at = r.choices(("r0", "r1", "r2"), (12, 2, 2))[0]
    offset = 4 * r.randrange(8) if at != "r1" else 0
    if thumb:
        return r.choice((f"adds r{low}, #{r.randrange(200)}", f"lsls r{low}, r3, #3",
                         f"ldr r{low}, [{at}, #{offset}]",
                         f"strb r{low}, [{at}, #{offset % 32}]", f"ldrh r{low}, [{at}, #{offset}]",
                         f"stmia {at}!, {{r4, r5, r6}}", f"ldr r{low}, [{at}, r3]",
                         "cmp r3, #2\n bne 9f\n 9:"))
    even = r.choice("468")
    return r.choice((
        f"add r{low}, r{low}, #{r.randrange(200)}", f"eor r{low}, r3, r{low}, lsl #2",
                     f"mul r{low}, r3, r3",
        f"ldr r{low}, [{at}, #{offset}]", f"str r{low}, [{at}, #{offset}]",
                     f"ldrb r{low}, [{at}, #{offset}]",
        f"cmp r3, #{r.randrange(4)}\n ldrne r{low}, [{at}, #{offset}]\n streq r{low}, [{at}, "
        f"#{offset}]",
        f"cmp r3, #{r.randrange(4)}\n ldrhi r{low}, [{at}]",
                     f"cmp r3, #{r.randrange(4)}\n strhls r{low}, [{at}]",
        f"ldmia {at}, {{r4-r{r.choice('5678')}}}", f"stmia {at}, {{r4-r{r.choice('678')}}}",
        f"cmp r3, #{r.randrange(4)}\n ldmiale {at}, {{r4-r7}}",
                     f"ldrd r{even}, [{at}, #{offset & ~7}]",
        f"cmp r3, #{r.randrange(4)}\n stmiagt {at}, {{r4-r6}}", f"ldrex r{low}, [{at}]",
                     f"strex ip, r{low}, [{at}]",
        f"swp r{low}, r3, [{at}]", "cmp r3, #1\n beq 9f\n add r4, r4, #1\n 9:", "b 9f\n 9:"))


def a64_step(r):
    low = r.randrange(4, 15)
    at = r.choices(("x0", "x1", "x2"), (12, 2, 2))[0]
    offset = 8 * r.randrange(4) if at != "x1" else 0
    return r.choice((
        f"add x{low}, x{low}, #{r.randrange(4000)}", f"mul x{low}, x3, x{low}",
                     f"ldr x{low}, [{at}, #{offset}]",
        f"str w{low}, [{at}, #{offset}]", f"ldrsb x{low}, [{at}, #{offset}]",
                     f"strh w{low}, [{at}]",
        f"ldxr x{low}, [{at}]", f"stxr w15, x{low}, [{at}]", f"ldar x{low}, [{at}]",
                     f"stlr w{low}, [{at}]",
        f"ldp x{low}, x16, [{at}]", f"stp x{low}, x16, [{at}]", f"ldp q2, q3, [{at}]",
                     f"ldr q2, [{at}]",
        f"ld1 {{v2.4s, v3.4s}}, [{at}]", f"dc zva, {at}" if at != "x1" else "nop",
                     f"ldr d0, [{at}]", f"fmov d1, x{low}",
        f"cbz x3, 9f\n add x4, x4, #1\n 9:", f"tbnz w3, #0, 9f\n ldr x5, [{at}]\n 9:", "b 9f\n 9:"))


def program(isa, seed):
    r = random.Random(seed)
    functions = []
    for i in range(FUNCTIONS):
        steps = "\\n\\t".join((a64_step(r) if isa == "a64"
                               else arm_step(r, isa == "thumb")).replace("\n", "\\n\\t")
                             for _ in range(r.randrange(3, 14)))
        clobbers = ", ".join(f'"{c}"' for c in CLOBBERS[isa])
        functions.append(f'static __attribute__((noinline)) void f{i}(char *a, char *b, char *c, '
                         f'int k) {{\n'
                         f'\tregister char *r0 asm("{"x" if isa == "a64" else "r"}0") = a;\n'
                         f'\tregister char *r1 asm("{"x" if isa == "a64" else "r"}1") = b;\n'
                         f'\tregister char *r2 asm("{"x" if isa == "a64" else "r"}2") = c;\n'
                         f'\tregister long r3 asm("{"x" if isa == "a64" else "r"}3") = k;\n'
                         f'\tasm volatile("{steps}" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3) :: '
                         f'"memory", "cc", {clobbers}); }}')
    return FRAME % ("\n".join(functions), ", ".join(f"f{i}" for i in range(FUNCTIONS)))


def faulty(isa, seed):
    flags = {"arm": ("-march=armv6k", "-marm", "-masm-syntax-unified"),
             "thumb": ("-march=armv6", "-mthumb", "-masm-syntax-unified"), "a64": ()}[isa]
    return build(f"faults-{isa}-{seed}", program(isa, seed), "-O2", "-static", *flags,
                 **({"prefix": CROSS64} if isa == "a64" else {}))


SEEDS = range(size(1, 3))


@pytest.mark.parametrize("seed", SEEDS)
def test_arm(seed):
    arm.compare(faulty("arm", seed), arm_state=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_thumb(seed):
    arm.compare(faulty("thumb", seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_a64(seed):
    a64.compare(faulty("a64", seed))


# A handler of faults is entered by a call, by signals that the program sends to itself, by a timer,
# and by faults. The last access of the block before it may have been skipped. With OLD=1, the code
# that runs then was translated before the program had a handler. With BUS=1, the handler also
# handles unaligned accesses, whose faults pmk does not see.
ENTERED = r"""
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef __aarch64__
#define SKIP "clrex\n\tstxr w9, w10, [%0]\n\tadd w9, w9, #1\n\tadd w9, w9, #1\n\t"
#define LOAD "ldr w9, [%1]\n\t"
#define UNSEEN "dc zva, %1\n\tadd w9, w9, #1\n\t"
#define CALL "mov w0, #0\n\tblr %1"
#define KILL "mov x0, %1\n\tmov x1, %2\n\tmov x8, #129\n\t" SKIP "svc #0"
#define LAST ""
#define CLOBBERS "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", \
	"x13", "x14", "x15", "x16", "x17", "x30", "memory", "cc"
#else
#define SKIP "cmp %0, #0\n\tit eq\n\tldreq r3, [%0]\n\tadd r3, r3, #1\n\tadd r3, r3, #1\n\t"
#define LOAD "ldr r3, [%1]\n\t"
#define UNSEEN "cmp %0, #0\n\tit ne\n\tldrne r3, [%1]\n\tadd r3, r3, #1\n\t"
#define CALL "mov r0, #0\n\tblx %1"
#define KILL "push {r7}\n\tmov r0, %1\n\tmov r1, %2\n\tmov r7, #37\n\t" SKIP "svc #0\n\tpop {r7}"
#define LAST "cmp %0, #0\n\tit eq\n\tldreq pc, [%0]\n\t"
#define CLOBBERS "r0", "r1", "r2", "r3", "ip", "lr", "memory", "cc"
#endif
#define RUN(text, p, x, y) __asm__ volatile(text : : "r"(p), "r"(x), "r"(y) : CLOBBERS)
static sigjmp_buf back;
static _Alignas(64) char cell[64];
static volatile int calls, alarms, faults, leaves;
static void nothing(int sig) { (void)sig; }
static void handler(int sig)
{
	calls += !sig;
	alarms += sig == SIGALRM;
	if (leaves) {
		faults++;
		siglongjmp(back, 1);
	}
}
#define CODE static __attribute__((noinline)) void
CODE load(void *from) { RUN(LOAD SKIP, cell, from, 0); }
CODE skip_and_load(void *from) { RUN(SKIP LOAD SKIP, cell, from, 0); }
CODE unseen(void *from) { RUN(UNSEEN, cell, from, 0); }
CODE call(void (*f)(int)) { RUN(SKIP CALL, cell, f, 0); }
CODE send(long pid, long sig) { RUN(KILL, cell, pid, sig); }
CODE stay(void) { RUN(SKIP, cell, 0, 0); }
int main(void)
{
	const struct itimerval on = { { 0, 1000 }, { 0, 1000 } }, off = { { 0, 0 }, { 0, 0 } };

	for (int i = 0; i < OLD; i++) {
		load(cell);
		call(nothing);
		send(getpid(), 0);
		stay();
	}
	signal(SIGALRM, handler);
	signal(SIGSEGV, handler);
	if (BUS)
		signal(SIGBUS, handler);
	for (int i = 0; i < 10; i++) {
		call(handler);
		send(getpid(), SIGSEGV);
		raise(SIGSEGV);
	}
	setitimer(ITIMER_REAL, &on, NULL);
	while (alarms < 10) {
		stay();
		if (!BUS)
			RUN(LAST, cell, 0, 0);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	leaves = 1;
	for (int i = 0; i < 10; i++) {
		if (!sigsetjmp(back, 1))
			load((void *)8);
		if (!OLD && !sigsetjmp(back, 1))
			skip_and_load((void *)8);
		if (!OLD && !sigsetjmp(back, 1))
			unseen((void *)8);
	}
	printf("%d %d\n", calls, faults);
	return 0;
}
"""

ENTERED_BY = {"arm": ("qemu-arm", "arm1176", "instr_exec", CROSS,
                      ("-march=armv6k", "-marm", "-masm-syntax-unified")),
              "t32": ("qemu-arm", "cortex-a7", "inst_retired", CROSS,
                      ("-march=armv7-a", "-mthumb", "-masm-syntax-unified")),
              "a64": ("qemu-aarch64", "cortex-a53", "inst_retired", CROSS64, ())}


@pytest.mark.parametrize("old, bus, trust", ((0, 0, "exact"), (1, 0, "exact"), (0, 1, "exact"),
                                             (1, 1, "inexact")))
@pytest.mark.parametrize("isa", ENTERED_BY)
def test_handlers_of_faults_that_are_entered_otherwise(isa, old, bus, trust):
    """Counts are right if a handler of faults is entered without a fault. The number of executed
    instructions depends on the timer, so another plugin counts them in the same run."""
    emulator, core, event, prefix, flags = ENTERED_BY[isa]
    have(emulator)
    program = build(f"entered-{isa}", ENTERED, "-O2", "-static", f"-DOLD={old}", f"-DBUS={bus}",
                    *flags, prefix=prefix)
    path = os.path.join(WORK, f"entered-{os.getpid()}")
    with wrapped(emulator_in_path(emulator),
                 ["-plugin", f"{plugin(emulator)},out={path}.insns"]) as env:
        out = pmk("stat", "--json-document", "-o", f"{path}.json", "--core", core, "-e", "all",
                  program, env=env)
        equal((out.code, out.out), (0, f"10 {10 if old else 30}\n"), out.err)
        executed = sum(map(int, read(f"{path}.insns").split()))
        with open(f"{path}.json") as f:
            c, = [c for c in json.load(f)["counters"] if c["event"] == event]
        assert 20000 < executed, executed
        equal((c["counter-value"], c["trust"]), (executed, trust))
        out = pmk("record", "-o", f"{path}.data", "--core", core, "-e", event, program, env=env)
        equal(out.code, 0, out.err)
        executed = sum(map(int, read(f"{path}.insns").split()))
        with sqlite3.connect(f"{path}.data") as db:
            equal(db.execute("SELECT total, sum(value) FROM event JOIN count ON event.id = "
                             "count.event").fetchone(), (executed, executed))
    for end in ("insns", "json", "data"):
        os.unlink(f"{path}.{end}")


UNSURE = r"""
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void handler(int sig) { siglongjmp(back, sig); }
/* A conditional and an unconditional load in one block. */
__attribute__((naked, noinline, aligned(32))) int both(const int *p, const int *q, int some)
{
	__asm__("cmp r2, #0\n\tldrne r0, [r0]\n\tldr r1, [r1]\n\tadd r0, r0, r1\n\tbx lr");
}
int main(void)
{
	int one = 1;

#ifdef EARLY
	both(&one, &one, 1);
#endif
	signal(SIGSEGV, handler);
	if (!sigsetjmp(back, 1))
		both(&one, (int *)8, SOME);
	return 0;
}
"""


def test_code_that_ran_before_faults_were_expected():
    """Code that was translated before the program had a handler of faults gets right counts, or the
    label inexact. Only code that is translated later reports that a conditional access was skipped.
    An access that was made needs no report. Without a clock, accesses are counted one by one, so no
    count is uncertain."""
    for early, some, trust in ((0, 0, "exact"), (1, 1, "exact"), (1, 0, "inexact")):
        program = build("faults-unsure", UNSURE, "-O1", "-static", "-march=armv6k", "-marm",
                        *["-DEARLY"] * early, f"-DSOME={some}")
        doc = stat("-e", "instr_exec,dcache_access,cpu_cycles", program)
        equal(doc["counters"][0]["trust"], trust, (early, some))
        doc = stat("-e", "instr_exec,dcache_access", program)
        equal([r["trust"] for r in doc["counters"]], ["exact", "exact"], (early, some))


LATE = r"""
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static volatile int called;
__attribute__((noinline)) static void handler(int sig) { if (sig) siglongjmp(back, sig); called++; }
int main(void)
{
	handler(0);
	signal(SIGSEGV, handler);
	if (!sigsetjmp(back, 1))
		*(volatile int *)8 = 1;
	return 0;
}
"""


def test_a_handler_that_ran_before_it_was_one():
    """If a handler was translated before it became one, its start does not check whether a fault
    came before, and the label of the result says so."""
    doc = stat("-e", "instr_exec,cycles",
               build("faults-late", LATE, "-O1", "-static", "-march=armv6k", "-marm"))
    equal([c["trust"] for c in doc["counters"]], ["inexact", "inexact"])
    contains(doc["warning"],
             "a fault ended a block of instructions at an unknown instruction")
