// SPDX-License-Identifier: MIT
/*
 * Tests the observer of an AXI interface in cases that the scoreboards in Verilog do not cover: x,
 * unexpected responses, too many outstanding transactions, reset. A cycle is a text of words. "ar3"
 * is a read address with ID 3, "r3" its data, and "r3." its last data. "aw3" is a write address,
 * and "b3" its response. A '-' after a word means that READY is low.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "buses/axi/axi.h"

#define ALL ((UINT32_C(1) << PMK_AXI_NROLES) - 1)

static struct pmk_axi axi;

static void word(struct pmk_axi_cycle *c, const char *text)
{
	static const struct {
		const char *name;
		uint8_t valid, id;
	} rows[] = { { "ar", PMK_AXI_ARVALID, PMK_AXI_ARID },
		     { "aw", PMK_AXI_AWVALID, PMK_AXI_AWID },
		     { "r", PMK_AXI_RVALID, PMK_AXI_RID },
		     { "b", PMK_AXI_BVALID, PMK_AXI_BID } };

	for (unsigned i = 0; i < 4; i++) {
		size_t n = strlen(rows[i].name);

		if (strncmp(text, rows[i].name, n) != 0)
			continue;
		c->value[rows[i].valid] = 1;
		c->value[rows[i].valid + 1] =
			!strchr(text, '-'); /* READY is the signal after VALID */
		c->value[rows[i].id] = (uint64_t)(text[n] - '0');
		if (strchr(text, '.'))
			c->value[PMK_AXI_RLAST] = 1;
		return;
	}
	fail_msg("no word: %s", text);
}

static struct pmk_axi_cycle cycle_of(const char *text)
{
	struct pmk_axi_cycle c = { .x = 0 };
	char copy[80], *at = copy, *one;

	strncpy(copy, text, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	while ((one = strsep(&at, " ")))
		if (*one)
			word(&c, one);
	return c;
}

static void feed(const char *text)
{
	struct pmk_axi_cycle c = cycle_of(text);

	assert_int_equal(pmk_axi_sample(&axi, &c), 0);
}

static const struct pmk_stats *latency(unsigned direction)
{
	return &axi.side[direction].spread[PMK_AXI_LATENCY].stats;
}

/* An unexpected response does not end any transaction. */
static void test_a_stray_among_others(void **state)
{
	(void)state;
	pmk_axi_init(&axi, ALL);
	feed("ar1");
	feed("r2."); /* answers no request */
	feed("ar2");
	feed("r1."); /* 3 cycles */
	feed("r2."); /* 2 cycles */
	assert_int_equal(axi.side[PMK_AXI_READ].strays, 1);
	assert_int_equal(axi.side[PMK_AXI_READ].outstanding, 0);
	assert_int_equal(latency(PMK_AXI_READ)->n, 2);
	assert_int_equal(latency(PMK_AXI_READ)->sum, 3 + 2);
}

static void test_in_any_order_of_ids(void **state)
{
	(void)state;
	pmk_axi_init(&axi, ALL);
	feed("ar1");
	feed("ar2");
	feed("ar1");
	feed("r2."); /* 2 cycles */
	feed("r1."); /* 4 cycles */
	feed("");
	feed("r1."); /* 4 cycles */
	assert_int_equal(latency(PMK_AXI_READ)->n, 3);
	assert_int_equal(latency(PMK_AXI_READ)->sum, 2 + 4 + 4);
	assert_int_equal(axi.side[PMK_AXI_READ].spread[PMK_AXI_OUTSTANDING].stats.sum, 2 + 4 + 4);
	assert_int_equal(axi.side[PMK_AXI_READ].spread[PMK_AXI_OUTSTANDING].stats.max, 3);
	assert_int_equal(axi.side[PMK_AXI_READ].outstanding, 0);
}

static void test_back_pressure(void **state)
{
	(void)state;
	pmk_axi_init(&axi, ALL);
	feed("aw0-");
	feed("aw0-");
	feed("aw0");
	feed("b0-");
	feed("b0");
	assert_int_equal(axi.waits[PMK_AXI_AW], 2);
	assert_int_equal(axi.waits[PMK_AXI_B], 1);
	assert_int_equal(axi.transfers[PMK_AXI_AW], 1);
	assert_int_equal(latency(PMK_AXI_WRITE)->sum, 2);
}

/* After an x, no transaction is timed until none is outstanding. */
static void test_x(void **state)
{
	struct pmk_axi_cycle c = cycle_of("ar1");

	(void)state;
	pmk_axi_init(&axi, ALL);
	feed("ar0");
	c.x = PMK_AXI_ROLE(PMK_AXI_ARID) | PMK_AXI_ROLE(PMK_AXI_BID);
	/* An x on a channel without a transfer hides nothing. */
	assert_int_equal(pmk_axi_sample(&axi, &c), PMK_AXI_ROLE(PMK_AXI_ARID));
	feed("r0.");
	feed("r1.");
	assert_int_equal(latency(PMK_AXI_READ)->n, 0);
	assert_int_equal(axi.side[PMK_AXI_READ].untimed, 2);
	feed("ar2");
	feed("r2.");
	assert_int_equal(latency(PMK_AXI_READ)->n, 1);
	c = cycle_of("ar1");
	c.x = PMK_AXI_ROLE(PMK_AXI_ARREADY);
	assert_int_equal(pmk_axi_sample(&axi, &c), PMK_AXI_ROLE(PMK_AXI_ARREADY));
	assert_int_equal(axi.transfers[PMK_AXI_AR], 3);
}

/* Without RLAST, every beat without an outstanding read is an unexpected response. */
static void test_strays_without_last(void **state)
{
	(void)state;
	pmk_axi_init(&axi, PMK_AXI_READS | PMK_AXI_WRITES);
	feed("ar0");
	feed("r0");
	feed("r0");
	feed("r0");
	assert_int_equal(latency(PMK_AXI_READ)->n, 1);
	assert_int_equal(axi.side[PMK_AXI_READ].strays, 2);
	assert_int_equal(axi.side[PMK_AXI_READ].outstanding, 0);
}

static void test_responses_to_nothing(void **state)
{
	(void)state;
	pmk_axi_init(&axi, ALL);
	feed("r0.");
	feed("b1");
	assert_int_equal(axi.side[PMK_AXI_READ].strays, 1);
	assert_int_equal(axi.side[PMK_AXI_WRITE].strays, 1);
	assert_int_equal(axi.side[PMK_AXI_READ].outstanding, 0);
	feed("ar0");
	feed("r0.");
	assert_int_equal(latency(PMK_AXI_READ)->sum, 1);
}

static void test_more_than_there_is_room_for(void **state)
{
	(void)state;
	pmk_axi_init(&axi, ALL);
	for (unsigned i = 0; i <= PMK_AXI_MOST_PENDING; i++)
		feed("ar0");
	for (unsigned i = 0; i <= PMK_AXI_MOST_PENDING; i++)
		feed("r0.");
	assert_int_equal(latency(PMK_AXI_READ)->n, 0);
	assert_int_equal(axi.side[PMK_AXI_READ].untimed, PMK_AXI_MOST_PENDING + 1);
	feed("ar0");
	feed("r0.");
	assert_int_equal(latency(PMK_AXI_READ)->n, 1);
}

static void test_reset(void **state)
{
	struct pmk_axi_cycle c = cycle_of("ar0 r0.");

	(void)state;
	pmk_axi_init(&axi, ALL);
	feed("ar0");
	c.reset = true;
	assert_int_equal(pmk_axi_sample(&axi, &c), 0);
	assert_int_equal(axi.transfers[PMK_AXI_AR], 1);
	assert_int_equal(axi.cycle, 1);
	feed("ar1");
	feed("");
	feed("r1.");
	assert_int_equal(latency(PMK_AXI_READ)->n, 1);
	assert_int_equal(latency(PMK_AXI_READ)->sum, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stray_among_others),
		cmocka_unit_test(test_in_any_order_of_ids),
		cmocka_unit_test(test_back_pressure),
		cmocka_unit_test(test_x),
		cmocka_unit_test(test_strays_without_last),
		cmocka_unit_test(test_responses_to_nothing),
		cmocka_unit_test(test_more_than_there_is_room_for),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
