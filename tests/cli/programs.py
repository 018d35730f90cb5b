# SPDX-License-Identifier: MIT
"""Cross-compiles the programs that the tests of the command line count."""
import hashlib
import os

from harness import CROSS, WORK, have, run

# A program without a C library, so every instruction is known. With COUNT passes of the loop it
# executes 8 COUNT + 5 instructions: 5 COUNT in f, including what f calls, and 2 COUNT in g. It
# exits with 3.
LOOP = """
	.syntax	unified
	.arm
	.global	_start, f, g, k_end
	.type	_start, %function
	.type	f, %function
	.type	g, %function
	.type	k_end, %function
_start:
	movs	r4, #(COUNT & 0xff00)
	orr	r4, r4, #(COUNT & 0xff)
1:	bl	f
	subs	r4, r4, #1
	bne	1b
k_end:
	mov	r0, #3
	mov	r7, #1
	svc	#0
f:	push	{r4, lr}
	bl	g
	pop	{r4, pc}
g:	nop
	bx	lr
"""

# A program with everything that is recorded in a special way: calls, faults that a handler leaves
# by siglongjmp, threads, forks, conditional and multiple accesses, and code larger than a page.
MIXED = r"""
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;

static void handler(int sig)
{
	siglongjmp(back, sig);
}

static void *work(void *bytes)
{
	volatile char *p = bytes;

	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 30000; i += 16)
			p[i] += k;
	return NULL;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	static char bytes[2][30000];
	static int v[500];
	pthread_t thread;
	unsigned seed = 1;
	pid_t child;

	(void)argv;
	for (int i = 0; i < 500; i++)
		v[i] = (int)((seed = seed * 1103515245 + 12345) >> 8);
	qsort(v, 500, sizeof(*v), compare);
	printf("%d %d\n", fib(12), v[250]);
	if (argc > 1)
		return 0;
	pthread_create(&thread, NULL, work, bytes[0]);
	pthread_join(thread, NULL);
	signal(SIGSEGV, handler);
	for (volatile int i = 0; i < 20; i++)
		if (!sigsetjmp(back, 1)) {
			volatile int *nowhere = (int *)16;
			int x = bytes[1][i] + nowhere[i];

			nowhere[1] = x;
		}
	child = fork();
	if (!child) {
		work(bytes[1]);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
"""


def build(name, source, *flags, ext="c", prefix=CROSS, compiler="gcc"):
    """Compiles `source`. The executable's name is a hash of the source and of all flags. So nothing
    is compiled twice, and two test files may ask for the same program at the same time."""
    have(prefix + compiler)
    state = hashlib.sha256(repr((source, flags, prefix)).encode()).hexdigest()[:16]
    path = os.path.join(WORK, f"{name}-{state}")
    if os.path.exists(path):
        return path
    mine = f"{path}.{os.getpid()}"
    with open(f"{mine}.{ext}", "w") as f:
        f.write(source)
    out = run(prefix + compiler, "-o", mine, f"{mine}.{ext}", *flags)
    os.unlink(f"{mine}.{ext}")
    assert out.code == 0, f"cannot compile {name}: {out}"
    os.replace(mine, path)
    return path


def assemble(name, source, *flags):
    """Assembles a program that has no C library."""
    return build(name, source, "-march=armv6k", "-marm", "-nostdlib", "-static",
                 "-Wl,--build-id=none", "-Wl,-z,noexecstack", *flags, ext="S")


def loop(count):
    """Returns the program LOOP with `count` passes, at most 65535."""
    return assemble("loop", LOOP, f"-DCOUNT={count}")


def program(name, source, *flags):
    """Compiles a static C program in ARM state, or in Thumb state if the flags contain -mthumb."""
    return build(name, source, "-O1", "-static", "-march=armv6k", "-marm", *flags)


def misses(step, more=""):
    """Returns an A64 program that loads 1000 words, `step` bytes apart, and executes `more` after
    each load."""
    code = f"""
        .globl _start
_start: ldr x0, =words
        mov x2, #1000
1:      ldr x1, [x0], #{step}
        {more}
        subs x2, x2, #1
        b.ne 1b
        mov x8, #93
        mov x0, #0
        svc #0
        .bss
        .balign 64
words:  .skip 64000
"""
    return build("misses", code, "-nostdlib", "-static", ext="S", prefix="aarch64-linux-gnu-")
