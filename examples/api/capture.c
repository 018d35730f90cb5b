/* SPDX-License-Identifier: MIT */
/*
 * Reads what firmware wrote with pmk_target_dump() from a capture of its serial line, and prints
 * the count of each event in each region.
 *
 *	capture FILE
 */
#include <stdio.h>

#include <pmk/dump.h>
#include <pmk/error.h>
#include <pmk/pmu.h>

#define MAX_CAPTURE (1 << 20)

static void show(const struct pmk_dump *dump)
{
	char name[32];
	const struct pmk_pmu *pmu;

	/* Names may hold any bytes and do not end with a 0. */
	snprintf(name, sizeof(name), "%.*s", (int)dump->pmu.length, (const char *)dump->pmu.byte);
	pmu = pmk_pmu_find(name);
	for (size_t r = 0; r < dump->nregions; r++) {
		const struct pmk_dump_region *region = &dump->region[r];

		for (unsigned e = 0; e < region->nevents; e++) {
			const struct pmk_event *event =
				pmu ? pmk_pmu_event_code(pmu, dump->event[e].code) : NULL;

			printf("region %zu, entered %u times: %s %llu\n", r,
			       (unsigned)region->entries,
			       event ? event->name : "an event of its own",
			       (unsigned long long)dump->count[region->first + e].sum);
		}
	}
}

int main(int argc, char **argv)
{
	static uint8_t data[MAX_CAPTURE];
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t size, at = 0;
	struct pmk_dump dump = { .size = sizeof(dump) };
	int found;

	if (!f) {
		fprintf(stderr, "usage: capture FILE\n");
		return 2;
	}
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	while ((found = pmk_dump_next(data, size, &at, &dump)) > 0) {
		if (dump.state != PMK_DUMP_COMPLETE)
			fprintf(stderr, "capture: %s\n", dump.why);
		if (dump.state == PMK_DUMP_COMPLETE || dump.state == PMK_DUMP_CUT)
			show(&dump);
		pmk_dump_free(&dump);
	}
	if (found < 0)
		fprintf(stderr, "capture: %s\n", pmk_strerror(found));
	return found < 0;
}
