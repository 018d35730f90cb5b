/* SPDX-License-Identifier: MIT */
/*
 * Reads a waveform dump. For each signal of a map, counts the clock edges outside of reset at which
 * the signal was not 0.
 *
 *	dump core.vcd core.ini
 */
#include <stdio.h>

#include <pmk/wave.h>

#define MAX_SIGNALS 16

struct counts {
	unsigned n;
	uint64_t high[MAX_SIGNALS];
};

/* Called at each edge of the clock. `value` has the signals in the order of the map. */
static int edge(void *ctx, const struct pmk_wave_edge *e)
{
	struct counts *c = ctx;

	for (unsigned i = 0; i < c->n && !e->reset; i++)
		c->high[i] += e->value[i].bits != 0;
	return 0;
}

int main(int argc, char **argv)
{
	struct pmk_wave *w = NULL;
	struct pmk_wave_map map = { 0 };
	struct pmk_wave_error err = { 0 };
	struct pmk_wave_findings findings;
	struct counts c = { 0 };
	struct pmk_wave_sink sink = { .edge = edge, .ctx = &c };
	int status;

	if (argc != 3) {
		fprintf(stderr, "usage: dump DUMP MAP\n");
		return 2;
	}
	status = pmk_wave_open(&w, argv[1], &err);
	if (!status)
		status = pmk_wave_map_load(&map, argv[2], &err);
	if (!status)
		status = pmk_wave_bind(w, &map, &err);
	if (!status) {
		c.n = map.nslots < MAX_SIGNALS ? map.nslots : MAX_SIGNALS;
		status = pmk_wave_run(w, &sink, &findings);
		err = findings.error;
	}
	if (status)
		fprintf(stderr, "dump: %s\n", err.text);
	else
		printf("%llu edges\n", (unsigned long long)findings.edges);
	for (unsigned i = 0; i < c.n && !status; i++)
		printf("%-10s %llu\n", map.slot[i].signal, (unsigned long long)c.high[i]);
	pmk_wave_map_free(&map);
	pmk_wave_close(w);
	return status != 0;
}
