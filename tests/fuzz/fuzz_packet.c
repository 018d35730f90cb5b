// SPDX-License-Identifier: MIT
/*
 * libFuzzer: packets of random pins, with random codes, give states that have a text. The text of
 * each field fits into its buffer.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_packet.c
 *
 * The input begins with codes. Each is a byte that selects a layer and a state, and a byte for the
 * code. A pair of zeros ends the codes. After them, a packet takes 16 bytes: the pins, and a mask
 * of the pins that are known.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahbmon.h>
#include <pmk/bits.h>

#include "pmu/ahbmon/packet_reg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

static size_t read_codes(struct pmk_ahbmon_packet_params *params, const uint8_t *data, size_t size)
{
	size_t at = 0;

	for (; at + 2 <= size && (data[at] || data[at + 1]); at += 2) {
		unsigned layer = data[at] / PMK_AHBMON_NCODES % PMK_AHBMON_NLAYERS;
		unsigned number = data[at] % PMK_AHBMON_NCODES;

		*pmk_ahbmon_code(&params->layer[layer], number) = (int16_t)(data[at + 1] % 40 - 1);
	}
	return at + 2 < size ? at + 2 : size;
}

static void decode(const struct pmk_ahbmon_packet_params *params, uint64_t pins, uint64_t known)
{
	const struct pmk_reg_info *reg = pmk_ahbmon_packet_reg(&pmk_ahbmon, "AHBMONITOR");
	struct pmk_ahbmon_packet p;
	char text[256];

	pmk_ahbmon_packet_decode(params, pins, known, &p);
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		expect(p.layer[i].state < PMK_AHBMON_NSTATES);
		expect(pmk_ahbmon_state_text(&p.layer[i], text, 32) < 32);
	}
	expect(reg != NULL);
	for (unsigned f = 0; f < reg->nfields; f++) {
		uint64_t value = PMK_GET(pins, reg->fields[f].mask);

		if (pmk_ahbmon_packet_text(params, &reg->fields[f], value, text, sizeof(text)))
			expect(memchr(text, '\0', sizeof(text)) && *text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_ahbmon_packet_params params;
	static struct pmk_ahbmon_packets packets;
	size_t at;

	pmk_ahbmon_packet_defaults(&params);
	at = read_codes(&params, data, size);
	if (pmk_ahbmon_packets_init(&packets, &params))
		return 0;
	for (; at + 16 <= size; at += 16) {
		uint64_t pins, known;

		memcpy(&pins, data + at, 8);
		memcpy(&known, data + at + 8, 8);
		decode(&params, pins & PMK_AHBMON_PINS, known);
	}
	return 0;
}
