// SPDX-License-Identifier: MIT
/*
 * libFuzzer: an argument of -C of random bytes gives a sorted set of processors, or is refused. An
 * argument of -p gives processes, or is refused.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_lists.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "producer/linux/linux.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void read_cpus(const char *text)
{
	struct pmk_linux_cpus cpus;

	if (pmk_linux_cpus_parse(&cpus, text)) {
		expect(!cpus.cpu && !cpus.count);
		return;
	}
	expect(cpus.count > 0);
	expect(pmk_linux_cpus_have(&cpus, cpus.cpu[cpus.count - 1]));
	for (unsigned i = 1; i < cpus.count; i++)
		expect(cpus.cpu[i - 1] < cpus.cpu[i]);
	pmk_linux_cpus_free(&cpus);
}

static void read_processes(const char *text)
{
	const char *at = text, *before;
	int more, pid;

	do {
		before = at;
		more = pmk_linux_pid_next(&at, &pid);
		if (more < 0)
			return;
		expect(at > before && pid > 0);
	} while (more);
	expect(!*at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);

	/* A long list is slow, and tests nothing that a short list does not test. */
	if (text && size < 64) {
		memcpy(text, data, size);
		read_cpus(text);
		read_processes(text);
	}
	free(text);
	return 0;
}
