// SPDX-License-Identifier: MIT
/*
 * libFuzzer: pmk decode with arguments of random bytes, one per line, explains the bits as text and
 * as JSON, or reports a usage error. The first byte selects the PMU.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_decode.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 16 /* the most arguments */

static int decode(const char *pmu, char *text, char *form)
{
	char name[] = "decode", *argv[MOST + 4] = { name, (char *)(uintptr_t)pmu, form };
	int argc = 3;

	for (char *line; argc < MOST && (line = strsep(&text, "\n"));)
		argv[argc++] = line;
	return cmd_decode.run(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned npmus = 0;
	int code[2];

	while (pmk_pmus[npmus])
		npmus++;
	for (unsigned json = 0; json < 2 && size; json++) {
		char *text = calloc(1, size), form[] = "-j";

		if (!text)
			return 0;
		memcpy(text, data + 1, size - 1);
		if (!json)
			strcpy(form, "--");
		code[json] = decode(pmk_pmus[data[0] % npmus]->name, text, form);
		if (code[json] && code[json] != PMK_EXIT_USAGE && code[json] != PMK_EXIT_FAILED)
			abort();
		free(text);
	}
	return 0;
}
