// SPDX-License-Identifier: MIT
/*
 * A Linux program that tests whether it may access the PMU, with the SIGILL handler of
 * <pmk/native.h>. It prints the result of pmk_native_probe() twice. With an argument it reads a
 * register without a probe. The handler then finds that the fault is not the probe's, and exits
 * with 3.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <pmk/native.h>

static volatile sig_atomic_t exceptions;

static void handler(int signal, siginfo_t *info, void *context)
{
	mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
#ifdef __aarch64__
	uintptr_t pc = m->pc;
#else
	uintptr_t pc = m->arm_pc;
#endif

	(void)signal;
	(void)info;
	if (!pmk_native_fixup(&pc))
		_exit(3);
	exceptions++;
#ifdef __aarch64__
	m->pc = pc;
#else
	m->arm_pc = pc;
#endif
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	struct pmk_port port = pmk_port_native();
	uint64_t value;
	int first, second;

	(void)argv;
	sigaction(SIGILL, &action, NULL);
	if (argc > 1)
		return port.read(port.ctx, 0, &value);
	first = pmk_native_probe();
	second = pmk_native_probe();
	printf("%d %d %d\n", first, second, (int)exceptions);
	return 0;
}
