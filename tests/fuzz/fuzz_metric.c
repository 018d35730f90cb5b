// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a metric file of random bytes gives an error, or it loads, and its metrics can be
 * evaluated.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_metric.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pmk/arm11.h>
#include <pmk/result.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(const struct pmk_metric *m)
{
	struct pmk_result r;
	struct pmk_section *s;

	pmk_result_init(&r);
	r.pmu = &pmk_arm1176;
	s = pmk_result_add(&r, NULL, r.pmu->nevents);
	for (unsigned i = 0; s && i < r.pmu->nevents; i++) {
		s->rows[i].event = &r.pmu->events[i];
		s->rows[i].name = r.pmu->events[i].name;
		s->rows[i].value = i;
		s->rows[i].coverage = 1;
		s->rows[i].trust = PMK_TRUST_EXACT;
	}
	if (s)
		pmk_metric_eval(m, &r, s);
	pmk_result_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/pmk-fuzz-XXXXXX", path[64], msg[256];
	const char *dirs[] = { dir, NULL };
	struct pmk_metrics *all = NULL;
	FILE *f;

	if (!mkdtemp(dir))
		return 0;
	snprintf(path, sizeof(path), "%s/m.metric", dir);
	f = fopen(path, "w");
	if (f) {
		fwrite(data, 1, size, f);
		fclose(f);
		if (pmk_metrics_load(&all, dirs, msg, sizeof(msg)) == 0)
			for (unsigned i = 0; i < pmk_metrics_count(all); i++)
				evaluate(pmk_metrics_get(all, i));
		pmk_metrics_free(all);
	}
	unlink(path);
	rmdir(dir);
	return 0;
}
