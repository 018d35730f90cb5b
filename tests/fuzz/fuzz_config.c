// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a preset of random bytes gives an error, or it loads. If a core accepts what was
 * loaded, every number is in its range.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_config.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct pmk_core *core)
{
	char msg[256];

	/* The core refuses a value that only other cores accept. */
	if (pmk_core_check(core, msg, sizeof(msg))) {
		if (!memchr(msg, '\0', sizeof(msg)) || !*msg)
			abort();
		return;
	}
	for (const struct pmk_core_key *k = pmk_core_keys(core); k->key; k++) {
		const char *at = (const char *)core + k->offset;
		uint64_t v = *(const uint64_t *)(const void *)at;

		if (v < k->min || v > k->max)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/pmk-fuzz-XXXXXX", msg[256];
	struct pmk_core core;
	int fd = mkstemp(path);

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size &&
	    pmk_core_load(&core, path, msg, sizeof(msg)) == 0)
		check(&core);
	close(fd);
	unlink(path);
	return 0;
}
