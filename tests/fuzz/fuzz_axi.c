// SPDX-License-Identifier: MIT
/*
 * libFuzzer: samples of random bits on an AXI interface. The observer counts each handshake once,
 * and times no more transactions than are outstanding. Every violation that the checker reports has
 * a text, and names a signal that exists.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_axi.c
 *
 * The first four bytes select the signals. After them, a sample takes 12 bytes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buses/axi/axi.h"
#include "buses/axi/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SAMPLE 12

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static struct pmk_axi_cycle sample_of(const uint8_t b[SAMPLE])
{
	static const uint8_t shakes[] = { PMK_AXI_AWVALID, PMK_AXI_AWREADY, PMK_AXI_WVALID,
					  PMK_AXI_WREADY,  PMK_AXI_BVALID,  PMK_AXI_BREADY,
					  PMK_AXI_ARVALID, PMK_AXI_ARREADY, PMK_AXI_RVALID,
					  PMK_AXI_RREADY,  PMK_AXI_WLAST,   PMK_AXI_RLAST };
	struct pmk_axi_cycle c = { .reset = (b[1] & 0xf0) == 0xf0 };

	for (unsigned i = 0; i < sizeof(shakes); i++)
		c.value[shakes[i]] = (b[i / 8] >> i % 8) & 1;
	/* Few bits are x. */
	c.x = (uint32_t)(b[2] & b[3] & b[4]) << (b[5] & 31);
	c.value[PMK_AXI_AWID] = b[5] & 3;
	c.value[PMK_AXI_BID] = b[5] >> 2 & 3;
	c.value[PMK_AXI_ARID] = b[5] >> 4 & 3;
	c.value[PMK_AXI_RID] = b[5] >> 6;
	c.value[PMK_AXI_AWLEN] = b[6] & 0x83;
	c.value[PMK_AXI_ARLEN] = b[7] & 0x83;
	c.value[PMK_AXI_AWADDR] = (uint64_t)b[8] << 4;
	c.value[PMK_AXI_ARADDR] = (uint64_t)b[9] << 60;
	c.value[PMK_AXI_AWSIZE] = b[10] & 7;
	c.value[PMK_AXI_AWBURST] = b[10] >> 3 & 3;
	c.value[PMK_AXI_ARSIZE] = b[11] & 7;
	c.value[PMK_AXI_ARBURST] = b[11] >> 3 & 3;
	c.value[PMK_AXI_BRESP] = b[10] >> 5 & 3;
	c.value[PMK_AXI_RRESP] = b[11] >> 5 & 3;
	return c;
}

static void check(struct pmk_axi_checker *k, const struct pmk_axi_cycle *c)
{
	struct pmk_violation v[PMK_AXI_MAX_VIOLATIONS];
	unsigned n = pmk_axi_checker_sample(k, c, v);
	char text[200];

	expect(n < PMK_AXI_MAX_VIOLATIONS);
	for (unsigned i = 0; i < n; i++) {
		int length = pmk_violation_text(&v[i], &pmk_axi_rules[v[i].rule],
						pmk_axi_role_name(v[i].role), text, sizeof(text));

		expect(length > 0 && length < (int)sizeof(text));
		expect(k->params.has & PMK_AXI_ROLE(v[i].role));
		expect(!v[i].x || (c->x & PMK_AXI_ROLE(v[i].role)));
		expect(!v[i].wants || v[i].x || v[i].is != v[i].want ||
		       v[i].rule == PMK_AXI_RULE_LENGTH);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmk_axi observer;
	static struct pmk_axi_checker checker;
	struct pmk_axi_checker_params params = { .bytes = 4 };
	uint64_t handshakes = 0, counted = 0;
	uint32_t has = PMK_AXI_READS | PMK_AXI_WRITES;

	if (size < 4)
		return 0;
	for (unsigned i = 0; i < 4; i++)
		has |= (uint32_t)data[i] << 8 * i;
	has &= (UINT32_C(1) << PMK_AXI_NROLES) - 1;
	params.has = has;
	pmk_axi_init(&observer, has);
	pmk_axi_checker_init(&checker, &params);
	for (size_t at = 4; at + SAMPLE <= size; at += SAMPLE) {
		struct pmk_axi_cycle c = sample_of(data + at);

		check(&checker, &c);
		pmk_axi_sample(&observer, &c);
		for (unsigned i = 0; i < PMK_AXI_NCHANNELS && !c.reset; i++) {
			uint32_t valid = PMK_AXI_ROLE(pmk_axi_channels[i].valid);
			uint32_t ready = PMK_AXI_ROLE(pmk_axi_channels[i].ready);

			handshakes += (has & valid) && (has & ready) && !(c.x & (valid | ready)) &&
				      c.value[pmk_axi_channels[i].valid] &&
				      c.value[pmk_axi_channels[i].ready];
		}
	}
	for (unsigned i = 0; i < PMK_AXI_NCHANNELS; i++)
		counted += observer.transfers[i];
	expect(counted == handshakes);
	for (unsigned d = 0; d < PMK_AXI_NDIRECTIONS; d++)
		expect(observer.side[d].npending <= observer.side[d].outstanding);
	return 0;
}
