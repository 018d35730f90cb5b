// SPDX-License-Identifier: MIT
/*
 * libFuzzer: the files of a PMU in sysfs have random contents. pmk reads the PMU. Looking up an
 * event gives the values to program, or one line with the reason why there are none.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_sysfs.c
 *
 * The first lines of the input are the contents of the files below, one line for each file. The
 * other lines are names of events to look up.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/linux/linux.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEVICE "/bus/event_source/devices/cpu"

static const char *const folders[] = { "/bus", "/bus/event_source", "/bus/event_source/devices",
				       DEVICE, DEVICE "/format",    DEVICE "/events" };
static const char *const files[] = { DEVICE "/type",
				     DEVICE "/cpus",
				     DEVICE "/format/event",
				     DEVICE "/format/umask",
				     DEVICE "/events/cycles",
				     DEVICE "/events/other",
				     DEVICE "/events/cycles.unit" };

#include "tree.h"

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", sys, name);
	f = fopen(path, "w");
	expect(f != NULL);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void look_up(struct pmk_linux_pmus *all, const char *name)
{
	const struct pmk_linux_event *ev = NULL;
	char msg[256] = "";
	int err = pmk_linux_find(all, NULL, name, &ev, msg, sizeof(msg));

	expect(err == 0 || err == PMK_ENOEVENT || err == PMK_ENOMEM);
	if (err == 0)
		expect(ev && ev->pmu && ev->unit);
	else
		expect(memchr(msg, '\0', sizeof(msg)) && !strchr(msg, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_linux_kernel kernel = { .sys = sys, .proc = "/proc", .open = NULL };
	struct pmk_linux_pmus *all;
	char *text = calloc(1, size + 1), *rest = text, *line;
	size_t n = 0;

	if (!text)
		return 0;
	if (strstr(sys, "XXXXXX"))
		make_folders();
	memcpy(text, data, size);
	for (; n < sizeof(files) / sizeof(files[0]); n++) {
		line = strsep(&rest, "\n");
		write_file(files[n], line ? line : "");
	}
	if (pmk_linux_pmus_load(&all, &kernel) == 0) {
		for (unsigned i = 0; i < pmk_linux_pmus_count(all); i++)
			expect(pmk_linux_pmus_get(all, i)->name && pmk_linux_pmus_get(all, i)->pmu);
		for (n = 0; n < 16 && (line = strsep(&rest, "\n")); n++)
			look_up(all, line);
		pmk_linux_pmus_free(all);
	}
	free(text);
	return 0;
}
