// SPDX-License-Identifier: MIT
/*
 * The argument of -e gives a list of events, or a usage failure of one line. Events are those of
 * the ARM1176, with the codes of DDI 0301H table 3-137.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/arm11.h>
#include <pmk/microblaze.h>

#include "../unit.h"
#include "count/events.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define USAGE	 129

/* ---- the parser's error message -------------------------------------------------------------- */

static char said[4096];

static int parse(struct pmk_event_list *list, const char *text)
{
	struct pmk_count_fault fault = { 0 };
	int err;

	list->fault = &fault;
	err = pmk_event_list_parse(list, &pmk_arm1176, text);
	assert_int_equal(err, fault.failure);
	snprintf(said, sizeof(said), "%s", pmk_count_fault_text(&fault));
	pmk_count_fault_free(&fault);
	list->fault = NULL;
	return err;
}

static bool one_line(void)
{
	return *said && !strchr(said, '\n');
}

/* ---- what is right ------------------------------------------------------------------------- */

struct item {
	unsigned code;
	const char *name;
	unsigned group;
	const char *who; /* modes: "", "u", "k", "uk" */
};

static const struct {
	int line;
	const char *text;
	unsigned count;
	struct item item[6];
} good[] = {
	{ __LINE__, "instr_exec", 1, { { 0x07, "instr_exec", 0, "" } } },
	{ __LINE__, "INSTR_EXEC", 1, { { 0x07, "INSTR_EXEC", 0, "" } } },
	{ __LINE__,
	  "cycles,instructions",
	  2,
	  { { 0xFF, "cycles", 0, "" }, { 0x07, "instructions", 0, "" } } },
	{ __LINE__, "r0b", 1, { { 0x0B, "r0b", 0, "" } } },
	{ __LINE__, "rb:u", 1, { { 0x0B, "rb:u", 0, "u" } } },
	{ __LINE__,
	  "cycles:u,cycles:k,cycles:uk,cycles:h",
	  4,
	  { { 0xFF, "cycles:u", 0, "u" },
	    { 0xFF, "cycles:k", 0, "k" },
	    { 0xFF, "cycles:uk", 0, "uk" },
	    { 0xFF, "cycles:h", 0, "k" } } },
	{ __LINE__, "arm1176/dcache_miss/", 1, { { 0x0B, "arm1176/dcache_miss/", 0, "" } } },
	{ __LINE__, "arm1176::dcache_miss", 1, { { 0x0B, "arm1176::dcache_miss", 0, "" } } },
	{ __LINE__, "arm1176/dcache_miss/u", 1, { { 0x0B, "arm1176/dcache_miss/u", 0, "u" } } },
	{ __LINE__,
	  "{arm1176/r0a/k,arm1176/r0b/:u}",
	  2,
	  { { 0x0A, "arm1176/r0a/k", 1, "k" }, { 0x0B, "arm1176/r0b/:u", 1, "u" } } },
	{ __LINE__, "arm1176::dcache_miss:k", 1, { { 0x0B, "arm1176::dcache_miss:k", 0, "k" } } },
	{ __LINE__,
	  "{dcache_access,dcache_miss}",
	  2,
	  { { 0x0A, "dcache_access", 1, "" }, { 0x0B, "dcache_miss", 1, "" } } },
	{ __LINE__,
	  "{dcache_access,dcache_miss}:u",
	  2,
	  { { 0x0A, "dcache_access", 1, "u" }, { 0x0B, "dcache_miss", 1, "u" } } },
	{ __LINE__,
	  "{dcache_access:k,dcache_miss}:u",
	  2,
	  { { 0x0A, "dcache_access:k", 1, "uk" }, { 0x0B, "dcache_miss", 1, "u" } } },
	{ __LINE__,
	  "cycles,{r05,r06},r07,{r0b}",
	  5,
	  { { 0xFF, "cycles", 0, "" },
	    { 0x05, "r05", 1, "" },
	    { 0x06, "r06", 1, "" },
	    { 0x07, "r07", 0, "" },
	    { 0x0B, "r0b", 2, "" } } },
	{ __LINE__, "r07,r07", 2, { { 0x07, "r07", 0, "" }, { 0x07, "r07", 0, "" } } },
};

static void test_good_lists(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		struct pmk_event_list list = { .count = 0 };
		int err = parse(&list, good[i].text);

		if (err || *said || list.count != good[i].count)
			fail_msg("row of line %d: %d, %u events, '%s'", good[i].line, err,
				 list.count, said);
		for (unsigned k = 0; k < list.count; k++) {
			const struct item *want = &good[i].item[k];
			const struct pmk_event_request *got = &list.item[k];

			assert_non_null(got->event);
			if (got->event->code != want->code || strcmp(got->name, want->name) ||
			    got->group != want->group || got->user != !!strchr(want->who, 'u') ||
			    got->kernel != !!strchr(want->who, 'k'))
				fail_msg("row of line %d, event %u: %#x '%s' group %u %d%d",
					 good[i].line, k, got->event->code, got->name, got->group,
					 got->user, got->kernel);
		}
		pmk_event_list_free(&list);
		assert_int_equal(list.count, 0);
		pmk_event_list_free(&list); /* may be called twice */
	}
}

/* Several -e make one list, in which the numbers of groups continue. */
static void test_several_options(void **state)
{
	struct pmk_event_list list = { .count = 0 };

	(void)state;
	assert_int_equal(parse(&list, "{r05,r06}"), 0);
	assert_int_equal(parse(&list, "cycles"), 0);
	assert_int_equal(parse(&list, "{r07,r0b}"), 0);
	assert_int_equal(list.count, 5);
	assert_int_equal(list.item[1].group, 1);
	assert_int_equal(list.item[2].group, 0);
	assert_int_equal(list.item[4].group, 2);
	assert_ptr_equal(pmk_event_list_find(&list, list.item[3].event), &list.item[3]);
	assert_null(pmk_event_list_find(&list, pmk_pmu_event_code(&pmk_arm1176, 0x0C)));
	pmk_event_list_free(&list);
}

/* "all" gives each event of the ARM1176 once, and no event that only the ARM1156 has. */
static void test_all(void **state)
{
	struct pmk_event_list list = { .count = 0 };
	unsigned has = 0;

	(void)state;
	for (unsigned i = 0; i < pmk_arm1176.nevents; i++)
		has += pmk_pmu_has(&pmk_arm1176, &pmk_arm1176.events[i]);
	assert_int_equal(parse(&list, "r07,all,cycles"), 0);
	assert_int_equal(list.count, has + 1);
	assert_int_equal(list.item[0].event->code, 0x07);
	for (unsigned i = 1; i < has; i++) {
		assert_int_not_equal(list.item[i].event->code, 0x07);
		assert_int_not_equal(list.item[i].event->code, 0x13);
	}
	pmk_event_list_free(&list);
}

/* "all" has no event that no counter can count. */
static void test_all_without_event_counters(void **state)
{
	struct pmk_event_list list = { .count = 0 };
	struct pmk_microblaze_pmu mb;

	(void)state;
	assert_int_equal(pmk_microblaze_configure(&mb, 0, 1, 32), 0);
	assert_int_equal(pmk_event_list_parse(&list, &mb.pmu, "all"), 0);
	assert_int_equal(list.count, 7);
	for (unsigned i = 0; i < list.count; i++)
		assert_int_equal(list.item[i].event->code, 57 + i);
	pmk_event_list_free(&list);
}

static void test_add(void **state)
{
	const struct pmk_event *ev = pmk_pmu_event_code(&pmk_arm1176, 0x0B);
	struct pmk_event_list list = { .count = 0 };

	(void)state;
	assert_int_equal(pmk_event_list_add(&list, ev, "first"), 0);
	assert_int_equal(pmk_event_list_add(&list, ev, "second"), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.item[0].name, "first");
	pmk_event_list_free(&list);
}

/* ---- what is wrong ------------------------------------------------------------------------- */

static const struct {
	int line;
	const char *text, *says;
} bad[] = {
	{ __LINE__, "", "empty" },
	{ __LINE__, ",", "empty" },
	{ __LINE__, "cycles,", "empty" },
	{ __LINE__, ",cycles", "empty" },
	{ __LINE__, "cycles,,r07", "empty" },
	{ __LINE__, ":u", "empty" },
	{ __LINE__, "dcache_mis", "did you mean dcache_miss" },
	{ __LINE__, "nothing_like_it", "pmk list" },
	{ __LINE__, "r08", "0x08" },
	{ __LINE__, "r100000007", "r100000007 is too large" },
	{ __LINE__, "cycles:x", "unknown modifier 'x'" },
	{ __LINE__, "cycles:ux", "unknown modifier 'x'" },
	{ __LINE__, "{cycles", "no closing brace" },
	{ __LINE__, "{cycles,r07", "no closing brace" },
	{ __LINE__, "{", "no closing brace" },
	{ __LINE__, "{cycles}x",
	  "'{cycles}x': after the brace there must be a comma or a modifier" },
	{ __LINE__,
	  "{cycles}:", "'{cycles}:': after the brace there must be a comma or a modifier" },
	{ __LINE__, "{cycles}{r07}", "'{cycles}{r07}': after the brace there must be a comma" },
	{ __LINE__, "{{cycles}}", "'{{cycles}}': groups do not nest" },
	{ __LINE__, "r07,{cycles,{r08}}", "'{cycles,{r08}}': groups do not nest" },
	{ __LINE__, "{}", "empty" },
	{ __LINE__, "{,cycles}", "empty" },
	{ __LINE__, "{cycles,,r07}", "empty" },
	{ __LINE__, "{cycles}:x", "unknown modifier" },
	{ __LINE__, "cycles}", "cycles}" },
	{ __LINE__, "cortex_a53/cycles/", "cortex_a53" },
	{ __LINE__, "arm1156/cycles/", "arm1156" },
	{ __LINE__, "arm1176/cycles", NULL }, /* may be either, but must not crash */
	{ __LINE__, "/", NULL },
	{ __LINE__, "//", NULL },
	{ __LINE__, "::", NULL },
};

static void test_bad_lists(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct pmk_event_list list = { .count = 0 };
		int err = parse(&list, bad[i].text);

		if (!bad[i].says ? err && err != USAGE : err != USAGE)
			fail_msg("row of line %d: %d", bad[i].line, err);
		if (err && !one_line())
			fail_msg("row of line %d: '%s'", bad[i].line, said);
		if (bad[i].says && !strstr(said, bad[i].says))
			fail_msg("row of line %d: '%s'", bad[i].line, said);
		pmk_event_list_free(&list);
	}
}

/*
 * A comma at the end, an extra brace and an empty text are errors, inside and outside of a group.
 */
static void test_bad_groups(void **state)
{
	static const char *const texts[] = { "{cycles,}", "{}", "{cycles}}", "{},{}" };
	unsigned accepted = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct pmk_event_list list = { .count = 0 };

		if (parse(&list, texts[i]) != USAGE) {
			print_message("'%s' is accepted\n", texts[i]);
			accepted++;
		}
		pmk_event_list_free(&list);
	}
	assert_int_equal(accepted, 0);
}

/* Modifiers of "all", and a group that contains it, apply to all events. */
static void test_all_with_modifiers(void **state)
{
	struct pmk_event_list list = { .count = 0 };

	(void)state;
	assert_int_equal(parse(&list, "all:u"), 0);
	for (unsigned i = 0; i < list.count; i++)
		assert_true(list.item[i].user);
	pmk_event_list_free(&list);
}

/* A list has at most 256 events. */
static void test_too_many(void **state)
{
	struct pmk_event_list list = { .count = 0 };

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(parse(&list, "r07"), 0);
	assert_int_equal(parse(&list, "r07"), USAGE);
	assert_true(one_line());
	assert_non_null(strstr(said, "more than 256"));
	assert_int_equal(list.count, 256);
	pmk_event_list_free(&list);
}

/* Parses a random text of valid words. The result is a complete list, or an error. */
static bool random_text(uint64_t *seed, unsigned words)
{
	static const char *const word[] = { "cycles", "r0b", "all", "{",  "}",	     ",", ":",
					    "u",      "k",   "/",   "::", "arm1176", "r", "" };
	struct pmk_event_list list = { .count = 0 };
	char text[200] = "";
	bool whole;
	int err;

	for (unsigned i = 0; i < words; i++) {
		*seed ^= *seed << 13;
		*seed ^= *seed >> 7;
		*seed ^= *seed << 17;
		strcat(text, word[(*seed >> 20) % COUNT(word)]);
	}
	err = parse(&list, text);
	whole = err == 0 || err == USAGE;
	for (unsigned i = 0; i < list.count; i++)
		whole &= list.item[i].event && list.item[i].name && *list.item[i].name;
	pmk_event_list_free(&list);
	return whole;
}

static void test_random_texts(void **state)
{
	uint64_t seed = 88172645463325252u;
	unsigned wrong = 0;

	(void)state;
	for (unsigned round = 0; round < UNIT_SAMPLES(30000); round++)
		wrong += !random_text(&seed, round % 12);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_lists),
		cmocka_unit_test(test_several_options),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_all_without_event_counters),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_bad_lists),
		cmocka_unit_test(test_bad_groups),
		cmocka_unit_test(test_all_with_modifiers),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_random_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
