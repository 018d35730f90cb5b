// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a line of random bytes describes the traffic of a master or a slave, or gives one line
 * with the reason why it does not. A bus matrix and an MBX can run the traffic that was read. Then
 * every wait has a cause, all cycles add up, and no rule of the protocol is broken.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_traffic.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buses/ahb/check.h"
#include "buses/ahb/gxi.h"
#include "buses/ahb/layer.h"
#include "buses/ahb/traffic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct watch {
	struct pmk_ahb_layer layer[PMK_MATRIX_NMASTERS];
	struct pmk_ahb_checker checker[PMK_MATRIX_NMASTERS];
	struct pmk_bus bus[PMK_MATRIX_NMASTERS];
};

static void watch(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS], uint64_t n)
{
	struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS];
	struct watch *w = ctx;

	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++) {
		if (n > 1) {
			pmk_ahb_layer_idle(&w->layer[i], &w->bus[i], n);
			continue;
		}
		pmk_ahb_layer_sample(&w->layer[i], &w->bus[i], &cycle[i]);
		if (pmk_ahb_checker_sample(&w->checker[i], &cycle[i], v))
			abort();
	}
}

static void run_matrix(struct pmk_matrix_config *config, const struct pmk_traffic *t)
{
	static const struct pmk_ahb_checker_params rules = { .has = PMK_AHB_ALL, .bytes = 4 };
	static struct pmk_matrix matrix;
	static struct watch w;
	struct pmk_ahb_layer_params params;
	uint64_t start = 0;

	for (unsigned s = 0; s < PMK_MATRIX_MAX_SLAVES; s++) {
		config->slave[s].refuse_every = t->slave[s].every;
		config->slave[s].split = t->slave[s].split;
		config->slave[s].release = t->slave[s].release;
	}
	config->refusable = 0x3f;
	pmk_ahb_layer_defaults(&params);
	if (pmk_matrix_init(&matrix, config))
		abort();
	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++) {
		pmk_bus_init(&w.bus[i]);
		pmk_ahb_layer_init(&w.layer[i], &params, &w.bus[i]);
		pmk_ahb_checker_init(&w.checker[i], &rules);
		if (t->master[i].on && pmk_matrix_script(&matrix, i, &t->master[i]))
			abort();
		if (t->master[i].start > start)
			start = t->master[i].start;
	}
	/*
	 * Runs until a script that starts late has started, unless other masters are busy for all
	 * of that time.
	 */
	pmk_matrix_run(&matrix, pmk_matrix_quiet(&matrix) >= start ? start + 2000 : 2000, watch,
		       &w);
	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++)
		if (pmk_ahb_layer_check(&w.layer[i], &w.bus[i]) || w.layer[i].cause_unknown ||
		    w.layer[i].refused != matrix.layer[i].refused)
			abort();
}

static void run_gxi(const struct pmk_mbx_script *script)
{
	static const struct pmk_gxi_params params;
	static struct pmk_mbx mbx;
	static struct pmk_gxi gxi;
	static struct pmk_bus bus;

	if (pmk_mbx_init(&mbx, script))
		abort();
	pmk_bus_init(&bus);
	pmk_gxi_init(&gxi, &params, &bus);
	if (pmk_mbx_quiet(&mbx) != UINT64_MAX)
		pmk_mbx_skip(&mbx, pmk_mbx_quiet(&mbx));
	for (unsigned i = 0; i < 2000; i++) {
		struct pmk_gxi_cycle c;

		pmk_mbx_step(&mbx, &c);
		pmk_gxi_sample(&gxi, &bus, &c);
	}
	if (pmk_gxi_check(&gxi, &bus) || bus.total[PMK_SIG_GXI_READ] != mbx.reads ||
	    bus.total[PMK_SIG_GXI_WRITE] != mbx.writes || mbx.data > mbx.reads ||
	    mbx.reads - mbx.data > script->pending)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmk_traffic traffic;
	struct pmk_matrix_config config;
	char text[1024], msg[128], *rest = text, *line;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	pmk_matrix_devchip(&config);
	memset(&traffic, 0, sizeof(traffic));
	while ((line = strsep(&rest, "\n"))) {
		msg[0] = '\0';
		if (pmk_traffic_parse(line, &config, &traffic, msg, sizeof(msg)) && !msg[0])
			abort();
	}
	run_matrix(&config, &traffic);
	if (traffic.gxi.on)
		run_gxi(&traffic.gxi);
	return 0;
}
