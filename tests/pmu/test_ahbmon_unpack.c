// SPDX-License-Identifier: MIT
/*
 * Counting from packets. A test writes states of DDI 0287B Table 4-1 as words, such as "WS NR
 * S_INCR4", and checks the counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/ahbmon/unpack.h"

static struct pmk_bus bus[PMK_AHBMON_NBUSES];
static struct pmk_ahbmon_packet_params codes;
static struct pmk_ahbmon_unpack u;

#define ARMD (PMK_AHBMON_BUS_ARMD - PMK_AHBMON_BUS_ARMI)

static void begin(void)
{
	pmk_ahbmon_packet_defaults(&codes);
	codes.layer[ARMD].state[PMK_AHBMON_S_I] = 0;
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&bus[i]);
	pmk_ahbmon_unpack_init(&u, &codes, bus);
}

static struct pmk_ahbmon_layer_state state_of(const char *text)
{
	for (unsigned k = 0; k < PMK_AHBMON_NCODES; k++) {
		struct pmk_ahbmon_layer_state s = pmk_ahbmon_coded_state(k);
		char name[16];

		pmk_ahbmon_state_text(&s, name, sizeof(name));
		if (strcmp(name, text) == 0)
			return s;
	}
	assert_string_equal(text, "?");
	return (struct pmk_ahbmon_layer_state){ .state = PMK_AHBMON_S_UNKNOWN };
}

static void feed(const char *states)
{
	char copy[200], *at = copy, *one;

	strncpy(copy, states, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	while ((one = strsep(&at, " "))) {
		struct pmk_ahbmon_packet p = { .no_gxi = true };

		p.layer[ARMD] = state_of(one);
		pmk_ahbmon_unpack(&u, bus, &p);
	}
}

static uint64_t total(unsigned sig)
{
	return bus[PMK_AHBMON_BUS_ARMD].total[sig];
}

static void test_bursts(void **state)
{
	(void)state;
	begin();
	feed("I NR0 S_INCR4 S_INCR4 S_INCR4 NW1 I NR2 S_WRAP8 B S_WRAP8 NW0 S_WRAP8 I");
	assert_int_equal(total(PMK_SIG_AHB_READ), 4 + 3);
	assert_int_equal(total(PMK_SIG_AHB_WRITE), 1 + 2);
	assert_int_equal(total(PMK_SIG_AHB_INCR4), 1);
	assert_int_equal(total(PMK_SIG_AHB_SINGLE), 1);
	assert_int_equal(total(PMK_SIG_AHB_WRAP8), 2);
	assert_int_equal(total(PMK_SIG_AHB_LINEFILL), 1);
	assert_int_equal(u.layer[ARMD].bursts, 4);
	/* The stream shows the type of the last transfer only at its end. */
	feed("NR0");
	assert_int_equal(total(PMK_SIG_AHB_SINGLE), 1);
	pmk_ahbmon_unpack_end(&u, bus);
	assert_int_equal(total(PMK_SIG_AHB_SINGLE), 2);
}

static void test_waits(void **state)
{
	(void)state;
	begin();
	u.layer[ARMD].threshold = 2;
	feed("WB WA WS NR0 WS WS S_INCR4 WS WS EN S_INCR4 WS EN NW0 I");
	assert_int_equal(total(PMK_SIG_AHB_WAIT), 3 + 2 + 2 + 1);
	assert_int_equal(total(PMK_SIG_AHB_WAIT_FIRST_SLAVE), 1 + 1);
	assert_int_equal(total(PMK_SIG_AHB_WAIT_FIRST_BUS), 2);
	assert_int_equal(total(PMK_SIG_AHB_WAIT_OVER), 1);
	/*
	 * The stream does not show the type of a transfer that a RETRY ends, so its waits count
	 * only in the total.
	 */
	feed("WS RN I NR0 I");
	assert_int_equal(total(PMK_SIG_AHB_WAIT), 9);
	assert_int_equal(total(PMK_SIG_AHB_WAIT_FIRST_SLAVE), 2);
}

/*
 * Parts that are not known are not counted: the start of a stream in the middle of a burst, unknown
 * codes, layers without codes.
 */
static void test_what_is_not_known(void **state)
{
	(void)state;
	begin();
	feed("S_INCR8 S_INCR8 ? I NR0 I");
	assert_int_equal(total(PMK_SIG_AHB_READ), 1);
	assert_int_equal(total(PMK_SIG_AHB_INCR8), 0);
	assert_int_equal(u.layer[ARMD].unknown, 1);
	assert_true(pmk_bus_raises(&bus[PMK_AHBMON_BUS_ARMD], PMK_SIG_AHB_READ));
	assert_false(pmk_bus_raises(&bus[PMK_AHBMON_BUS_ARMD], PMK_SIG_AHB_CASTOUT4));
	assert_false(pmk_bus_raises(&bus[PMK_AHBMON_BUS_DMA0], PMK_SIG_AHB_READ));
	assert_int_equal(u.layer[0].unknown, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
