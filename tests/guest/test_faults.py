# SPDX-License-Identifier: MIT
"""Programs that go on after faults, against an independent count of the same run: each has many
short functions of random instructions, some of which access memory that is not there, and a handler
that jumps out."""
import random

import test_a64_oracle as a64
import test_oracle as arm
from harness import *
from programs import build

CROSS64 = "aarch64-linux-gnu-"
FUNCTIONS = 70

# good: four pages, and none behind them; edge: 8 bytes before their end; bad: nothing there.
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


SEEDS = range(3)


@pytest.mark.parametrize("seed", SEEDS)
def test_arm(seed):
    arm.compare(faulty("arm", seed), arm_state=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_thumb(seed):
    arm.compare(faulty("thumb", seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_a64(seed):
    a64.compare(faulty("a64", seed))


UNSURE = r"""
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void handler(int sig) { siglongjmp(back, sig); }
/* A conditional load, and one that is not, in one block. */
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
    """That a conditional access is passed is told of newer code alone. If it was made, nobody
    needs to know. Without a clock, accesses are counted one by one, and nothing is in doubt."""
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
    """It is translated by then, and nobody asks at its start whether a fault came before: the label
    says so."""
    doc = stat("-e", "instr_exec,cycles",
               build("faults-late", LATE, "-O1", "-static", "-march=armv6k", "-marm"))
    equal([c["trust"] for c in doc["counters"]], ["inexact", "inexact"])
    contains(doc["warning"],
             "it is not known where the program left a block of instructions by a fault")
