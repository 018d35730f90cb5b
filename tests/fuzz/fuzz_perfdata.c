// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a perf.data file of random bytes gives a line of text, or a recording. In the
 * recording, every index exists, and the counts of each event add up to its total.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_perfdata.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/sampling/perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check_code(const struct pmk_recording *rec)
{
	for (size_t i = 0; i < rec->ninsns; i++)
		expect(rec->insn[i].object < rec->nobjects);
	for (size_t i = 0; i < rec->nobjects; i++)
		expect(rec->object[i].path && *rec->object[i].path);
	for (size_t i = 1; i < rec->ncontexts; i++) {
		const struct pmk_recorded_context *c = &rec->context[i];

		expect(c->parent < i && c->entry < rec->ninsns);
		expect(c->site == PMK_RECORDED_NO_SITE || c->site < rec->ninsns);
	}
}

static void check_counts(const struct pmk_recording *rec)
{
	uint64_t *sum = calloc(rec->nevents + 1, sizeof(*sum));

	expect(!rec->nruns);
	for (size_t i = 0; sum && i < rec->nextras; i++) {
		const struct pmk_recorded_extra *x = &rec->extra[i];

		expect(x->insn < rec->ninsns && x->thread < rec->nthreads);
		expect(x->context < rec->ncontexts || !x->context);
		expect(x->cost < rec->ncosts);
		for (size_t e = 0; e < rec->nevents; e++)
			sum[e] += rec->cost[x->cost * rec->nevents + e];
	}
	for (size_t e = 0; sum && e < rec->nevents; e++)
		expect(sum[e] == rec->event[e].total && rec->event[e].name);
	free(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_perfdata *p;
	char msg[200] = "";
	int err = pmk_perfdata_parse(&p, data, size, msg, sizeof(msg));

	if (err) {
		expect(err < 0 && !p && memchr(msg, '\0', sizeof(msg)) && *msg);
		return 0;
	}
	check_code(pmk_perfdata_recording(p));
	check_counts(pmk_perfdata_recording(p));
	pmk_perfdata_free(p);
	return 0;
}
