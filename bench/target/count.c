// SPDX-License-Identifier: MIT
/*
 * count PROGRAM: counts the instructions that functions of a firmware program execute on the bare
 * machine of tests/firmware/uc. It reads commands from stdin, one per line, and prints a line for
 * each call.
 *
 *	power CORE			as after power-on, with the PMU of this core
 *	raise SIGNAL N			the signal occurs N times
 *	call FUNCTION [ARGUMENT…]	up to three numbers, or symbols for their addresses
 *
 * The line for a call has the number of instructions, from the function's first instruction to its
 * return instruction inclusive, and the returned value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

static _Noreturn void wrong(const char *what, const char *name)
{
	fprintf(stderr, "count: no %s %s\n", what, name ? name : "");
	exit(1);
}

static const struct pmk_pmu *find_core(const char *name)
{
	const struct pmk_pmu *pmu = name ? pmk_pmu_find(name) : NULL;

	if (!pmu)
		wrong("core", name);
	return pmu;
}

static enum pmk_signal find_signal(const char *name)
{
	for (unsigned s = 0; name && s < PMK_NSIGNALS; s++)
		if (!strcmp(pmk_signal_name(s), name))
			return s;
	wrong("signal", name);
}

static uint64_t argument(const struct machine *m)
{
	const char *word = strtok(NULL, " \n");
	char *end;
	uint64_t value = word ? strtoull(word, &end, 0) : 0;

	return word && *end ? machine_symbol(m, word) : value;
}

static void call(struct machine *m)
{
	const char *function = strtok(NULL, " \n");
	uint64_t a = argument(m), b = argument(m), c = argument(m);
	uint64_t before = m->executed, result = machine_call(m, function, a, b, c);

	printf("%llu %lld\n", (unsigned long long)(m->executed - before),
	       (long long)(int32_t)result);
}

int main(int argc, char **argv)
{
	struct machine *m;
	char line[256];

	if (argc != 2) {
		fprintf(stderr, "usage: count PROGRAM\n");
		return 2;
	}
	m = machine_new(argv[1]);
	while (fgets(line, sizeof(line), stdin)) {
		const char *command = strtok(line, " \n");

		if (!command)
			continue;
		if (!strcmp(command, "power")) {
			machine_reset(m, find_core(strtok(NULL, " \n")));
		} else if (!strcmp(command, "raise")) {
			enum pmk_signal signal = find_signal(strtok(NULL, " \n"));

			machine_raise(m, signal, argument(m));
		} else if (!strcmp(command, "call")) {
			call(m);
		} else {
			wrong("command", command);
		}
	}
	machine_free(m);
	return 0;
}
