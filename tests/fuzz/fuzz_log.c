// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any file is either a register log, which is parsed, or is refused with a line number.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_log.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/arm11.h>

#include "producer/session/access_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check(const struct pmk_access_logged *a, const struct pmk_pmu *pmu)
{
	expect(a->reg ? a->kind != PMK_ACCESS_INTERRUPT : a->kind == PMK_ACCESS_INTERRUPT);
	expect(!a->reg || (a->reg >= pmu->regs && a->reg < pmu->regs + pmu->nregs));
	expect(a->mode && a->remarks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pmk_pmu *pmu = &pmk_arm1176;
	char *text = malloc(size + 1), *rest = text, *line;
	struct pmk_access_logged a;

	expect(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		const char *said = pmk_access_log_said(line, "pmu");

		if (said && pmk_pmu_find(said))
			pmu = pmk_pmu_find(said);
		else if (!pmk_access_log_parse(line, pmu, &a))
			check(&a, pmu);
	}
	free(text);
	return 0;
}
