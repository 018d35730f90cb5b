// SPDX-License-Identifier: MIT
/*
 * libFuzzer: an argument of -e of random bytes gives a list of events, or a usage error. The first
 * byte selects the PMU.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_eventlist.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check(const struct pmk_event_list *list, const struct pmk_pmu *pmu)
{
	expect(list->count <= PMK_MAX_EVENTS);
	for (unsigned i = 0; i < list->count; i++) {
		const struct pmk_event_request *r = &list->item[i];

		expect(r->event && r->name && *r->name);
		expect(pmk_pmu_has(pmu, r->event));
		expect(r->group <= list->groups);
		expect(pmk_event_list_find(list, r->event) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_count_fault fault = { 0 };
	struct pmk_event_list list = { .fault = &fault };
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
	err = pmk_event_list_parse(&list, pmk_pmus[data[0] % npmus], text);
	expect(err == fault.failure && (err == 0 || err == PMK_COUNT_USAGE));
	pmk_count_fault_free(&fault);
	check(&list, pmk_pmus[data[0] % npmus]);
	pmk_event_list_free(&list);
	free(text);
	return 0;
}
