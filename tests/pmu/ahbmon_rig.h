/* SPDX-License-Identifier: MIT */
/*
 * A chip's buses with an AHB Monitor on them. Tests feed waves (tests/ahb/trace.h) or samples to
 * the buses, and read the counters with the real driver. After each sample the rig checks the
 * observers' sums. Buses are numbers: 0 HCLK, 1 ARM-I, 2 CLCDC, 3 DMA-0, 4 DMA-1, 5 EXP, 6 ARM-D, 7
 * GXI.
 */
#ifndef TESTS_PMU_AHBMON_RIG_H
#define TESTS_PMU_AHBMON_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/ahbmon/observe.h"

#include "../ahb/trace.h"

struct ahbmon_rig {
	struct pmk_bus bus[8];
	struct pmk_ahbmon_observer_params params;
	struct pmk_ahbmon_observer observer;
	struct pmk_ahbmon_model model;
	struct pmk_model_port to_model;
	struct pmk_dev dev;
	unsigned cycles;
};

static struct ahbmon_rig rig;
static struct trace trace;

static inline void setup_params(void)
{
	memset(&rig, 0, sizeof(rig));
	pmk_ahbmon_observer_defaults(&rig.params);
}

static inline void begin(void)
{
	static const struct pmk_ahbmon_params defaults;

	for (unsigned i = 0; i < 8; i++)
		pmk_bus_init(&rig.bus[i]);
	assert_int_equal(pmk_ahbmon_observer_init(&rig.observer, &rig.params, rig.bus), 0);
	pmk_ahbmon_model_reset(&rig.model, &pmk_ahbmon_sp816, &defaults, rig.bus);
	rig.to_model = (struct pmk_model_port){ .ops = pmk_model_find(&pmk_ahbmon),
						.model = &rig.model,
						.bus = rig.bus };
	rig.dev.pmu = &pmk_ahbmon;
	rig.dev.port = pmk_port_model(&rig.to_model);
}

static inline void configure(uint32_t threshold, bool track, bool aligned, uint32_t page)
{
	struct pmk_ahbmon_config c = { .track_dbgack = track,
				       .castout4_aligned = aligned,
				       .page = page };

	for (unsigned i = 0; i < 9; i++)
		c.threshold[i] = threshold;
	assert_int_equal(pmk_ahbmon.driver->reset(&rig.dev), 0);
	assert_int_equal(pmk_ahbmon_configure(&rig.dev, &c), 0);
	pmk_ahbmon_observer_thresholds(&rig.observer, &rig.model);
}

static inline void start(void)
{
	assert_int_equal(pmk_ahbmon.driver->start(&rig.dev), 0);
}

static inline void stop(void)
{
	assert_int_equal(pmk_ahbmon.driver->stop(&rig.dev), 0);
}

static inline uint32_t counter(unsigned n)
{
	uint64_t value = UINT64_MAX;

	assert_int_equal(pmk_ahbmon.driver->read(&rig.dev, n, &value), 0);
	return (uint32_t)value;
}

static inline struct pmk_ahbmon_sample nothing(void)
{
	struct pmk_ahbmon_sample s = { .gxi = { 0 } };

	for (unsigned i = 0; i < 6; i++)
		s.layer[i].hready = true;
	return s;
}

static inline void sample(const struct pmk_ahbmon_sample *s)
{
	enum pmk_ahbmon_bus bus;
	const char *wrong;

	pmk_ahbmon_observer_sample(&rig.observer, rig.bus, s);
	wrong = pmk_ahbmon_observer_check(&rig.observer, rig.bus, &bus);
	if (wrong)
		fail_msg("bus %u, cycle %u: %s", (unsigned)bus, rig.cycles, wrong);
	rig.cycles++;
}

static inline void feed_layer(unsigned bus, const char *wave)
{
	trace_make(&trace, wave);
	for (unsigned i = 0; i < trace.n; i++) {
		struct pmk_ahbmon_sample s = nothing();

		s.layer[bus - 1] = trace.cycle[i];
		sample(&s);
	}
}

/* The seed of the random numbers, which are the same in every run. */
static uint32_t seed;

static inline uint32_t pick(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

#endif
