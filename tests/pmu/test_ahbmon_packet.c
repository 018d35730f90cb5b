// SPDX-License-Identifier: MIT
/*
 * The AHB Monitor's packets have the states of DDI 0287B Table 4-1 on every layer, the codes of
 * Tables 4-4 and 4-5, and a lag of 3 HCLK cycles. Unknown codes remain unknown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "pmu/ahbmon/packet.h"

#include "../ahb/trace.h"

static struct pmk_bus bus[8];
static struct pmk_ahbmon_observer_params params;
static struct pmk_ahbmon_observer observer;
static struct pmk_ahbmon_packet_params codes;
static struct pmk_ahbmon_packets packets;
static struct pmk_ahbmon_packet packet;
static struct trace trace;

static int setup(void **state)
{
	(void)state;
	pmk_ahbmon_observer_defaults(&params);
	for (unsigned i = 0; i < 6; i++) { /* slaves 1 and 2 are those of the manual's sample */
		params.layer[i].nwindows = 2;
		params.layer[i].window[0] = (struct pmk_ahb_window){ 0, 0xfff, 0, 1 };
		params.layer[i].window[1] = (struct pmk_ahb_window){ 0x1000, 0x1fff, 0, 2 };
	}
	pmk_ahbmon_packet_defaults(&codes);
	return 0;
}

static void begin(void)
{
	for (unsigned i = 0; i < 8; i++)
		pmk_bus_init(&bus[i]);
	assert_int_equal(pmk_ahbmon_observer_init(&observer, &params, bus), 0);
	assert_int_equal(pmk_ahbmon_packets_init(&packets, &codes), 0);
}

static void next(const struct pmk_ahbmon_sample *s)
{
	pmk_ahbmon_observer_sample(&observer, bus, s);
	pmk_ahbmon_packets_next(&packets, &observer, &packet);
}

/*
 * Writes the states of a layer on the pins, during a wave and the 3 cycles after it, separated by
 * spaces.
 */
static void states_of(unsigned layer, const char *wave, char *out, size_t size)
{
	trace_make(&trace, wave);
	*out = '\0';
	for (unsigned i = 0; i < trace.n + 3; i++) {
		struct pmk_ahbmon_sample s = { .gxi = { 0 } };
		char text[16];

		for (unsigned l = 0; l < 6; l++)
			s.layer[l].hready = true;
		if (i < trace.n)
			s.layer[layer] = trace.cycle[i];
		next(&s);
		pmk_ahbmon_state_text(&packet.layer[layer], text, sizeof(text));
		assert_true(strlen(out) + strlen(text) + 2 < size);
		strcat(out, i ? " " : "");
		strcat(out, text);
	}
}

/* The packets have the states of the example of DDI 0287B p4-5, three cycles late. */
static void test_sample_stream(void **state)
{
	char out[400];

	(void)state;
	for (unsigned layer = 0; layer < 6; layer++) {
		begin();
		states_of(layer, "Nw:incr4@0 S/co S S Nr:wrap4@1000 S/cao S/s", out, sizeof(out));
		assert_string_equal(out, "I I I "
					 "I WB NW1 S_INCR4 S_INCR4 S_INCR4 WB WA NR2 WS");
	}
}

static void test_other_states(void **state)
{
	static const struct {
		const char *wave, *states;
	} rows[] = {
		{ "Nr:incr@0 B S I", "I I I I NR1 B S_INCR" },
		{ "Nr:single@0 I/eE I", "I I I I EN NR1 I" },
		{ "Nw:incr8@1000 S S/seE I", "I I I I NW2 WS EN S_INCR8 S_INCR8" },
		{ "Nr:single@0 I/rR I", "I I I I RN I I" },
		{ "Nr:single@0 I/pP I", "I I I I RN I I" },
		{ "Nr:single@2000 I", "I I I I NR" }, /* this layer has no slave numbers */
		{ "Nr:wrap8@0 S S", "I I I I NR1 S_WRAP8" },
		{ "Nr:single@0 I/uo I", "I I I I WS NR1 I" },
	};
	char out[400];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		states_of(5, rows[i].wave, out, sizeof(out));
		assert_string_equal(out, rows[i].states);
	}
	params.layer[5].unknown_cause = PMK_AHB_CAUSE_UNKNOWN;
	codes.after_retry = PMK_AHBMON_S_RN;
	begin();
	states_of(5, "Nr:single@0 Nr:single@0/uo I/rR I", out, sizeof(out));
	assert_string_equal(out, "I I I I ? NR1 RN RN I");
	setup(NULL);
}

/*
 * Packets can have all 16 pairs of the two GXI fields: [32:31] is the read data channel, [30:29]
 * the address channel.
 */
static void test_gxi_codes(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 16 + 3; i++) {
		struct pmk_ahbmon_sample s = { .gxi = { .address = i & 3, .data = i >> 2 & 3 } };

		for (unsigned l = 0; l < 6; l++)
			s.layer[l].hready = true;
		next(&s);
		assert_true(packet.known == UINT64_C(0x1e0000000)); /* no other bit is known */
		if (i < 3)
			assert_true(packet.pins == 0);
		else
			assert_true(packet.pins == (uint64_t)(i - 3) << 29);
	}
}

/* Each layer has its own field (Figure 4-2): a code that fills one field changes no other. */
static void test_fields(void **state)
{
	static const uint64_t field[6] = { 0x00780000, 0x0000000f, 0x0007c000,
					   0x00003e00, 0x000001f0, 0x1f800000 };
	static const int16_t most[6] = { 15, 15, 31, 31, 31, 63 };

	(void)state;
	for (unsigned layer = 0; layer < 6; layer++) {
		struct pmk_ahbmon_sample s = { .gxi = { 0 } };

		setup(NULL);
		codes.layer[layer].state[PMK_AHBMON_S_I] = most[layer];
		begin();
		for (unsigned l = 0; l < 6; l++)
			s.layer[l].hready = true;
		next(&s);
		assert_true(packet.known == (UINT64_C(0x1e0000000) | field[layer]));
		assert_true(packet.pins == field[layer]);
		codes.layer[layer].state[PMK_AHBMON_S_I] = most[layer] + 1;
		assert_int_equal(pmk_ahbmon_packets_init(&packets, &codes), PMK_ERANGE);
		codes.layer[layer].state[PMK_AHBMON_S_I] = -2;
		assert_int_equal(pmk_ahbmon_packets_init(&packets, &codes), PMK_ERANGE);
	}
	setup(NULL);
}

/* A code that is too large for its field is refused, in every field. */
static void test_codes_too_large(void **state)
{
	int16_t *const places[] = { &codes.layer[1].state[6], &codes.layer[1].seq[7],
				    &codes.layer[1].read[15], &codes.layer[1].write[15] };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		setup(NULL);
		*places[i] = 15;
		assert_int_equal(pmk_ahbmon_packets_init(&packets, &codes), 0);
		*places[i] = 16;
		assert_int_equal(pmk_ahbmon_packets_init(&packets, &codes), PMK_ERANGE);
	}
	setup(NULL);
}

/* With a user's table of codes, every kind of state in the table is encoded, and no other state. */
static void test_codes(void **state)
{
	static const char wave[] = "Nw:incr4@0 S/sco S/a B/o S S/eE I/rR";
	/*
	 * The codes of I, WS, WB, NW1, WA, S_INCR4, B, EN, S_INCR4, RN; -1 for a state that has
	 * none.
	 */
	static const int want[] = { 1, 5, 6, 21, 7, 33, 2, 3, 33, 4, -1 };

	(void)state;
	setup(NULL);
	for (unsigned i = 0; i < PMK_AHBMON_S_S; i++)
		codes.layer[5].state[i] = (int16_t)(i + 1);
	codes.layer[5].state[PMK_AHBMON_S_I] = 1;
	codes.layer[5].seq[3] = 33;
	codes.layer[5].write[1] = 21;
	codes.after_retry = PMK_AHBMON_S_UNKNOWN;
	begin();
	trace_make(&trace, wave);
	for (unsigned i = 0; i < trace.n + 3; i++) {
		struct pmk_ahbmon_sample s = { .gxi = { 0 } };
		int code;

		for (unsigned l = 0; l < 6; l++)
			s.layer[l].hready = true;
		if (i < trace.n)
			s.layer[5] = trace.cycle[i];
		next(&s);
		code = packet.known & 0x1f800000 ? (int)(packet.pins >> 23 & 63) : -1;
		assert_true(packet.known & 0x1f800000 || !(packet.pins & 0x1f800000));
		if (i >= 3 && i - 3 < sizeof(want) / sizeof(want[0]))
			assert_int_equal(code, want[i - 3]);
	}
	assert_int_equal(trace.n, sizeof(want) / sizeof(want[0]));
	setup(NULL);
}

/* Each code belongs to one state: two states with the same code could not be distinguished. */
static void test_codes_twice(void **state)
{
	(void)state;
	setup(NULL);
	codes.layer[2].state[PMK_AHBMON_S_I] = 7;
	codes.layer[2].read[3] = 6;
	codes.layer[3].read[3] = 7; /* a code of another layer */
	assert_int_equal(pmk_ahbmon_packets_init(&packets, &codes), 0);
	codes.layer[2].read[3] = 7;
	assert_int_equal(pmk_ahbmon_packets_init(&packets, &codes), PMK_ERANGE);
	setup(NULL);
}

/*
 * Decoding is the inverse of encoding for any traffic. Without codes, decoding yields no states of
 * layers.
 */
static void test_decode(void **state)
{
	static const char *const waves[6] = { "Nr:wrap8@0 S/sco S*3 S/a I/o I",
					      "Nr:incr4@0 S S S/ss I",
					      "Nw:incr@0 B S/eE I",
					      "Nr:incr16@1000 S*15 I",
					      "Nw:wrap4@0 S B S S I",
					      "Nr:single@0 Nw:single@1000 I/rR I" };
	struct pmk_ahbmon_packet_params none;
	struct trace of[6];
	unsigned known = 0;

	(void)state;
	setup(NULL);
	pmk_ahbmon_packet_defaults(&none);
	for (unsigned l = 0; l < 6; l++) {
		for (unsigned k = 0; k < 7; k++)
			codes.layer[l].state[k] = (int16_t)k;
		for (unsigned b = 1; b < 8; b++)
			codes.layer[l].seq[b] = (int16_t)(6 + b);
		codes.layer[l].read[1] = 14;
		codes.layer[l].write[1] = 15;
		trace_make(&of[l], waves[l]);
	}
	begin();
	for (unsigned i = 0; i < 30; i++) {
		struct pmk_ahbmon_sample s = { .gxi = { .address = i & 3, .data = i >> 2 & 3 } };
		struct pmk_ahbmon_packet out;

		for (unsigned l = 0; l < 6; l++) {
			s.layer[l].hready = true;
			if (i < of[l].n)
				s.layer[l] = of[l].cycle[i];
		}
		next(&s);
		pmk_ahbmon_packet_decode(&codes, packet.pins, packet.known, &out);
		assert_true(out.pins == packet.pins && out.known == packet.known);
		assert_int_equal(out.gxi_address, packet.gxi_address);
		assert_int_equal(out.gxi_data, packet.gxi_data);
		for (unsigned l = 0; l < 6; l++) {
			if (!(packet.known &
			      pmk_ahbmon_packet_field[l])) { /* slave 2 has no code */
				assert_int_equal(packet.layer[l].detail, 2);
				assert_int_equal(out.layer[l].state, PMK_AHBMON_S_UNKNOWN);
				continue;
			}
			known++;
			assert_int_equal(out.layer[l].state, packet.layer[l].state);
			if (packet.layer[l].state >= PMK_AHBMON_S_S)
				assert_int_equal(out.layer[l].detail, packet.layer[l].detail);
		}
		pmk_ahbmon_packet_decode(&none, packet.pins, packet.known, &out);
		for (unsigned l = 0; l < 6; l++)
			assert_int_equal(out.layer[l].state, PMK_AHBMON_S_UNKNOWN);
	}
	assert_true(known > 170);
	setup(NULL);
}

/* Fields that are not completely known are ignored; pins beyond [32:0] do not exist. */
static void test_decode_known(void **state)
{
	struct pmk_ahbmon_packet out;

	(void)state;
	setup(NULL);
	codes.layer[5].state[PMK_AHBMON_S_WS] = 63;
	pmk_ahbmon_packet_decode(&codes, UINT64_MAX, UINT64_MAX, &out);
	assert_true(out.pins == UINT64_C(0x1ffffffff) && out.known == UINT64_C(0x1ffffffff));
	assert_int_equal(out.layer[5].state, PMK_AHBMON_S_WS);
	assert_int_equal(out.layer[4].state, PMK_AHBMON_S_UNKNOWN);
	assert_int_equal(out.gxi_data, 3);
	assert_int_equal(out.gxi_address, 3);
	pmk_ahbmon_packet_decode(&codes, UINT64_MAX, ~(UINT64_C(1) << 25), &out);
	assert_int_equal(out.layer[5].state, PMK_AHBMON_S_UNKNOWN);
	assert_false(out.no_gxi);
	pmk_ahbmon_packet_decode(&codes, UINT64_MAX, ~(UINT64_C(1) << 29), &out);
	assert_true(out.no_gxi);
	assert_int_equal(out.layer[5].state, PMK_AHBMON_S_WS);
	setup(NULL);
}

/*
 * Slaves are numbered 0 to 15. Another number has no code, and must not get the code of another
 * slave.
 */
static void test_slave_numbers(void **state)
{
	(void)state;
	for (unsigned slave = 14; slave < 18; slave++) {
		setup(NULL);
		for (unsigned i = 0; i < 16; i++)
			codes.layer[5].read[i] = (int16_t)(i + 16);
		params.layer[5].window[0].slave = slave;
		begin();
		trace_make(&trace, "Nr:single@0 I I I I");
		for (unsigned i = 0; i < 5; i++) {
			struct pmk_ahbmon_sample s = { .gxi = { 0 } };

			for (unsigned l = 0; l < 6; l++)
				s.layer[l].hready = true;
			s.layer[5] = trace.cycle[i];
			next(&s);
		}
		assert_int_equal(packet.layer[5].detail, slave);
		assert_int_equal(packet.known >> 23 & 63, slave < 16 ? 63 : 0);
		assert_int_equal(packet.pins >> 23 & 63, slave < 16 ? slave + 16 : 0);
	}
	setup(NULL);
}

/* The state of a layer that is not observed is unknown. */
static void test_not_observed(void **state)
{
	struct pmk_ahbmon_sample s = { .gxi = { .data = 3 } };

	(void)state;
	params.present = 1 << 6;
	begin();
	for (unsigned i = 0; i < 4; i++)
		next(&s);
	assert_true(packet.known == 0 && packet.pins == 0);
	assert_int_equal(packet.layer[0].state, PMK_AHBMON_S_UNKNOWN);
	assert_int_equal(packet.layer[5].state, PMK_AHBMON_S_I);
	setup(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample_stream),	cmocka_unit_test(test_other_states),
		cmocka_unit_test(test_gxi_codes),	cmocka_unit_test(test_fields),
		cmocka_unit_test(test_codes_too_large), cmocka_unit_test(test_codes),
		cmocka_unit_test(test_codes_twice),	cmocka_unit_test(test_decode),
		cmocka_unit_test(test_decode_known),	cmocka_unit_test(test_slave_numbers),
		cmocka_unit_test(test_not_observed),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
