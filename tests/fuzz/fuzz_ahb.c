// SPDX-License-Identifier: MIT
/*
 * libFuzzer: samples of random bits on an AHB layer. The cycles that the observer counts add up,
 * whatever is on the bus. Every violation that the checker reports has a text.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_ahb.c
 *
 * The first byte selects the signals of the layer and how it is observed. After it, a sample takes
 * 8 bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buses/ahb/check.h"
#include "buses/ahb/layer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct pmk_ahb_cycle sample_of(const uint8_t b[8])
{
	return (struct pmk_ahb_cycle){
		.haddr =
			(uint64_t)(b[0] & 3) << 28 | 0x1e0000u * (b[0] >> 2 & 1) | b[1] << 8 | b[2],
		.x = b[3] & b[4], /* few bits are x */
		.htrans = b[5] & 3,
		.hburst = b[5] >> 2 & 7,
		.hsize = b[5] >> 5,
		.hprot = b[6] & 15,
		.hresp = b[6] >> 4 & 3,
		.cause = b[6] >> 6,
		.hwrite = b[7] & 1,
		.hready = b[7] & 2,
		.reset = (b[7] & 0xfc) == 0xfc,
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmk_bus bus;
	static struct pmk_ahb_layer layer;
	struct pmk_ahb_layer_params params;
	struct pmk_ahb_checker_params rules = { .bytes = 4 };
	struct pmk_ahb_checker checker;

	if (!size)
		return 0;
	pmk_bus_init(&bus);
	pmk_ahb_layer_defaults(&params);
	pmk_ahb_layer_devchip_windows(&params);
	params.has = PMK_AHB_REQUIRED | data[0];
	params.unknown_cause = data[0] & 3;
	params.first_response_waits = data[0] & 4;
	params.threshold_every_cycle = data[0] & 8;
	if (pmk_ahb_layer_init(&layer, &params, &bus))
		abort();
	rules.has = params.has;
	rules.lite = data[0] & 16;
	pmk_ahb_checker_init(&checker, &rules);
	for (size_t at = 1; at + 8 <= size; at += 8) {
		struct pmk_ahb_cycle c = sample_of(data + at);
		struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS];
		unsigned n = pmk_ahb_checker_sample(&checker, &c, v);
		char text[160];

		if (n >= PMK_AHB_MAX_VIOLATIONS)
			abort();
		for (unsigned i = 0; i < n; i++)
			if (pmk_violation_text(&v[i], &pmk_ahb_rules[v[i].rule],
					       pmk_ahb_role_name(v[i].role), text,
					       sizeof(text)) <= 0)
				abort();
		pmk_ahb_layer_sample(&layer, &bus, &c);
		if (pmk_ahb_layer_check(&layer, &bus))
			abort();
	}
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		if (bus.total[s] && !pmk_bus_raises(&bus, s))
			abort();
	return 0;
}
