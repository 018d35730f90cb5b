// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a plan of random bytes for pmk sweep loads, or gives one line with an error. A plan
 * that loads has cores, programs and events, and its combinations of settings have a value for
 * every setting.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_plan.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/sweep/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_core(const struct pmk_plan_core *core)
{
	size_t n = pmk_axes_combinations(&core->axes);

	if (!n)
		abort();
	for (size_t i = 0; i < n; i += n / 16 + 1)
		for (size_t a = 0; a < core->axes.count; a++)
			if (!*pmk_axes_value(&core->axes, i, a))
				abort();
	for (size_t a = 1; a < core->axes.count; a++)
		if (strcmp(core->axes.axis[a - 1].name, core->axes.axis[a].name) >= 0)
			abort();
}

static void check(const struct pmk_sweep_plan *plan)
{
	if (!plan->ncores || !plan->nprograms || !plan->events.count)
		abort();
	for (size_t i = 0; i < plan->ncores; i++)
		check_core(&plan->cores[i]);
	for (size_t i = 0; i < plan->nprograms; i++)
		if (!plan->programs[i].argv.count)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/pmk-fuzz-XXXXXX", msg[512] = "";
	struct pmk_sweep_plan plan;
	int fd = mkstemp(path);

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size) {
		if (!pmk_plan_read(&plan, path, "", msg, sizeof(msg)))
			check(&plan);
		else if (strncmp(msg, path, strlen(path)) != 0 || strchr(msg, '\n'))
			abort();
		pmk_plan_free(&plan);
	}
	close(fd);
	unlink(path);
	return 0;
}
