// SPDX-License-Identifier: MIT
/*
 * The totals of a dump, for tests that know them from another source: a line for every signal that
 * is raised, "LAYER SIGNAL TOTAL", "core SIGNAL TOTAL", then "status N".
 *
 *	counts DUMP MAP
 */
#include <inttypes.h>
#include <stdio.h>

#include <pmk/ahbmon.h>

#include "producer/wave/run.h"

static struct pmk_bus monitor[PMK_AHBMON_NBUSES], core;

static void print(const char *name, const struct pmk_bus *bus)
{
	for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
		if (pmk_bus_raises(bus, sig))
			printf("%s %s %" PRIu64 "\n", name, pmk_signal_name(sig), bus->total[sig]);
}

int main(int argc, char **argv)
{
	struct pmk_wave_count count = { .monitor = monitor, .core = &core };
	struct pmk_wave_findings findings;
	struct pmk_wave_error err;
	struct pmk_wave_map map;
	struct pmk_wave *w;
	int status;

	if (argc != 3)
		return 2;
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&monitor[i]);
	pmk_bus_init(&core);
	count.map = &map;
	if (pmk_wave_map_load(&map, argv[2], &err) || pmk_wave_open(&w, argv[1], &err) ||
	    pmk_wave_bind(w, &map, &err) || pmk_wave_count_init(&count, w, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	status = pmk_wave_count_run(&count, &findings);
	for (unsigned i = 0; i < count.nwatched; i++)
		print(count.watched[i].layer->name, count.watched[i].bus);
	print("core", &core);
	printf("status %d\n", status);
	if (findings.error.code)
		fprintf(stderr, "%s\n", findings.error.text);
	if (pmk_wave_count_check(&count)) {
		fprintf(stderr, "%s\n", pmk_wave_count_check(&count));
		return 1;
	}
	pmk_wave_count_free(&count);
	pmk_wave_close(w);
	pmk_wave_map_free(&map);
	return 0;
}
