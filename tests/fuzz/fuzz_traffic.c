// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a script of a master of any bytes either parses, and then a matrix takes it and runs it
 * with every wait explained and no rule of the protocol broken, or it gives one line that says why not.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_traffic.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ahb/check.h"
#include "ahb/layer.h"
#include "ahb/traffic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct watch {
	struct pmk_ahb_layer layer;
	struct pmk_ahb_checker checker;
	struct pmk_bus bus;
	unsigned master;
};

static void watch(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS], uint64_t n)
{
	struct pmk_ahb_violation v[PMK_AHB_MAX_VIOLATIONS];
	struct watch *w = ctx;

	if (n > 1) {
		pmk_ahb_layer_idle(&w->layer, &w->bus, n);
		return;
	}
	pmk_ahb_layer_sample(&w->layer, &w->bus, &cycle[w->master]);
	if (pmk_ahb_checker_sample(&w->checker, &cycle[w->master], v))
		abort();
}

static void run(const struct pmk_matrix_config *config, unsigned master,
		const struct pmk_matrix_script *script)
{
	static const struct pmk_ahb_checker_params rules = { .has = PMK_AHB_ALL,
							     .bytes = 4,
							     .lite = true };
	static struct pmk_matrix matrix;
	static struct watch w;
	struct pmk_ahb_layer_params params;

	w.master = master;
	pmk_bus_init(&w.bus);
	pmk_ahb_layer_defaults(&params);
	pmk_ahb_layer_init(&w.layer, &params, &w.bus);
	pmk_ahb_checker_init(&w.checker, &rules);
	if (pmk_matrix_init(&matrix, config) || pmk_matrix_script(&matrix, master, script))
		abort();
	pmk_matrix_run(&matrix, script->start + 2000, watch, &w);
	if (pmk_ahb_layer_check(&w.layer, &w.bus) || w.layer.cause_unknown)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_matrix_script script;
	struct pmk_matrix_config config;
	char text[512], msg[128] = "";
	unsigned master;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	pmk_matrix_devchip(&config);
	if (!pmk_traffic_parse(text, &config, &master, &script, msg, sizeof(msg)))
		run(&config, master, &script);
	else if (!msg[0])
		abort();
	return 0;
}
