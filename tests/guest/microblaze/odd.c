// SPDX-License-Identifier: MIT
/*
 * What leaves the straight path: signals that a program sends itself, handlers that jump out,
 * instructions that fault, system calls that fail. The argument says how it ends: "fault" by
 * SIGSEGV, "kill" by SIGTERM, a number with that exit code.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys.h"

enum {
	SYS_RT_SIGACTION = 174,
	SIGUSR1 = 10,
	SIGSEGV = 11,
	SIGUSR2 = 12,
	SIGTERM = 15,
	SA_NODEFER = 0x40000000
};

struct action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask[2];
};

static void *back[5];
static volatile int seen;
static int *volatile nowhere;

static void returns(int sig)
{
	seen += sig;
}

static void leaves(int sig)
{
	seen += 100 * sig;
	__builtin_longjmp(back, 1);
}

static void on(int sig, void (*handler)(int))
{
	struct action a = { .handler = handler, .flags = SA_NODEFER };

	sys_call6(SYS_RT_SIGACTION, sig, (long)&a, 0, sizeof(a.mask), 0, 0);
}

static void raise(int sig)
{
	sys_call3(SYS_KILL, sys_call3(SYS_GETPID, 0, 0, 0), sig, 0);
}

/* What is before the fault is done and counts, what is behind it does not. */
static __attribute__((noinline)) void fault(int i)
{
	seen += 3;
	*nowhere = i;
	seen += 1000000;
}

static void endings(const char *how)
{
	if (!strcmp(how, "fault"))
		fault(1);
	if (!strcmp(how, "kill"))
		raise(SIGTERM);
	exit((int)strtoul(how, NULL, 0));
}

int main(int argc, char **argv)
{
	if (argc > 1)
		endings(argv[1]);
	on(SIGUSR1, returns);
	on(SIGUSR2, leaves);
	on(SIGSEGV, leaves);
	for (int i = 0; i < 10; i++) {
		raise(SIGUSR1);
		if (!__builtin_setjmp(back))
			raise(SIGUSR2);
		if (!__builtin_setjmp(back))
			fault(i);
		seen += sys_call3(SYS_WRITE, 1000, 0, 0) < 0;
	}
	printf("%d\n", seen);
	return 0;
}
