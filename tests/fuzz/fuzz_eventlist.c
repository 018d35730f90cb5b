// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any text behind -e gives a list of events or a usage error. The first byte says which PMU
 * it is for.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_eventlist.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/eventlist.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The parser complains on stderr, which belongs to the fuzzer: it has its own handle by now. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *null = fopen("/dev/null", "w");

	(void)argc, (void)argv;
	if (null)
		stderr = null;
	return 0;
}

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check(const struct event_list *list, const struct pmk_pmu *pmu)
{
	expect(list->count <= PMK_MAX_EVENTS);
	for (unsigned i = 0; i < list->count; i++) {
		const struct event_request *r = &list->item[i];

		expect(r->event && r->name && *r->name);
		expect(pmk_pmu_has(pmu, r->event));
		expect(r->group <= list->groups);
		expect(event_list_find(list, r->event) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_list list = { .count = 0 };
	unsigned npmus = 0;
	char *text;
	int err;

	if (!size)
		return 0;
	while (pmk_pmus[npmus])
		npmus++;
	text = calloc(1, size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	err = event_list_parse(&list, pmk_pmus[data[0] % npmus], text);
	expect(err == 0 || err == PMK_EXIT_USAGE);
	check(&list, pmk_pmus[data[0] % npmus]);
	event_list_free(&list);
	free(text);
	return 0;
}
