// SPDX-License-Identifier: MIT
/*
 * The AHB protocol checker: it accepts correct waves, and reports each kind of violation once, with
 * the right cycle and signal. Waves are written as in trace.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "buses/ahb/check.h"

#include "trace.h"

static struct trace trace;
static struct pmk_ahb_checker checker;
static struct pmk_violation found[64];
static unsigned nfound;

static void check_samples(void)
{
	for (unsigned i = 0; i < trace.n; i++) {
		struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS];
		unsigned n = pmk_ahb_checker_sample(&checker, &trace.cycle[i], v);

		assert_true(n < PMK_AHB_MAX_VIOLATIONS && nfound + n < 64);
		for (unsigned j = 0; j < n; j++)
			found[nfound++] = v[j];
	}
}

static void begin(bool lite, const char *wave)
{
	struct pmk_ahb_checker_params p = { .has = PMK_AHB_ALL, .bytes = 4, .lite = lite };

	pmk_ahb_checker_init(&checker, &p);
	nfound = 0;
	trace_make(&trace, wave);
}

static void show_all(const char *wave)
{
	char text[200];

	print_message("%s\n", wave);
	for (unsigned i = 0; i < nfound; i++) {
		pmk_violation_text(&found[i], &pmk_ahb_rules[found[i].rule],
				   pmk_ahb_role_name(found[i].role), text, sizeof(text));
		print_message("  %llu: %s\n", (unsigned long long)found[i].cycle, text);
	}
}

/* ---- right --------------------------------------------------------------------------------- */

static const char *const right[] = {
	"I I I",
	"I Nr:single@40 I",
	"I Nr:single@40 Nw:single@44 Nr.b@3 Nr.h@6 I",
	"I Nr:incr4@3f0 S S S I",
	"I Nw:incr8@20 S/so S/sso S S S S S/so I/so I",
	"I Nr:wrap4@38 S S S I",
	"I Nr:wrap8@7c S*7 I",
	"I Nr:wrap16@bc S*15 Nr:incr16.h@100 S*15 I",
	"I Nr:incr@0 S*20 I",
	"I Nr:incr@0 S B S B B S I",
	"I Nr:incr4@0 B S B/so S S/sso I",
	"I Nr:incr@0 B I Nr:incr@0 B Nr:incr@8 I",
	"I Nr:incr@3f8 S Nr:incr@400 S I",
	"I Nr:single@0 I/so Nr:single@0 I/s Nr@4/o I", /* IDLE becomes NONSEQ in a wait */
	"I Nr:incr4@0 B/s S@4/o S S I",		       /* BUSY becomes SEQ in a wait */
	"I Nr:incr@0 B/s I/o I",		       /* in an INCR burst, BUSY may become IDLE */
	"I Nr:incr@0 B/s Nr@8/o I",		       /* in INCR, BUSY may become NONSEQ */
	"I Nr:single@0 I/eE I",
	"I Nr:incr4@0 S/e I/E I",	   /* the master cancels the rest of the burst */
	"I Nr:incr4@0 S/eE S S I",	   /* the master continues the burst */
	"I Nr:single@0 Nr:single@4/seE I", /* the master keeps the next transfer */
};

static const char *const right_ahb[] = {
	"I Nr:single@0 Nr:single@4/r I/R Nr:single@0 I",
	"I Nr:incr4@0 S/sp I/P I I Nr:single@4 I",
	"I Nr:incr8@0 S S Nr:single@c Nr:single@10 I", /* the master lost the bus */
	"I Nr:incr4@0 S B I",
};

static void test_right(void **state)
{
	(void)state;
	for (unsigned lite = 0; lite < 2; lite++)
		for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
			begin(lite, right[i]);
			check_samples();
			if (nfound)
				show_all(right[i]);
			assert_int_equal(nfound, 0);
		}
	for (size_t i = 0; i < sizeof(right_ahb) / sizeof(right_ahb[0]); i++) {
		begin(false, right_ahb[i]);
		check_samples();
		if (nfound)
			show_all(right_ahb[i]);
		assert_int_equal(nfound, 0);
	}
}

/* ---- wrong --------------------------------------------------------------------------------- */

#define RULE(id) PMK_AHB_RULE_##id
#define AHB	 1
#define LITE	 2
#define BOTH	 3

static const struct {
	const char *wave;
	unsigned kind, rule, role;
	uint64_t cycle, is;
	int64_t want; /* -1: not checked */
} wrong[] = {
	{ "I S@40 S I", BOTH, RULE(SEQ_ALONE), PMK_AHB_HTRANS, 1, 3, -1 },
	{ "I I B@40 I", BOTH, RULE(BUSY_ALONE), PMK_AHB_HTRANS, 2, 1, -1 },
	{ "I Nr:single@40 S I", BOTH, RULE(TOO_LONG), PMK_AHB_HTRANS, 2, 3, -1 },
	{ "I Nr:single@40 B I", BOTH, RULE(TOO_LONG), PMK_AHB_HTRANS, 2, 1, -1 },
	{ "I Nr:incr4@0 S S S S S I", BOTH, RULE(TOO_LONG), PMK_AHB_HTRANS, 5, 3, -1 },
	{ "I Nr:wrap16@40 S*15 B I", BOTH, RULE(TOO_LONG), PMK_AHB_HTRANS, 17, 1, -1 },
	{ "I Nr:incr8@0 S I", LITE, RULE(EARLY_END), PMK_AHB_HTRANS, 3, 0, 3 },
	{ "I Nr:incr4@0 S S Nr:incr4@10 S*3 I", LITE, RULE(EARLY_END), PMK_AHB_HTRANS, 4, 2, 3 },
	{ "I Nr:wrap4@0 S S B I", LITE, RULE(EARLY_END), PMK_AHB_HTRANS, 5, 0, 3 },
	{ "I Nr:incr4@0 S@8 S S I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 2, 8, 4 },
	{ "I Nr:incr4@0 S S@0 S@4 I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 3, 0, 8 },
	{ "I Nr:wrap4@8 S S@10 S@14 I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 3, 0x10, 0 },
	{ "I Nr:incr@0 B@8 S@8 I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 2, 8, 4 },
	{ "I Nr:incr@0 B S@8 I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 3, 8, 4 },
	/* Only one address is wrong, and the burst continues as if it were right. */
	{ "I Nr:incr4@0 S@20 S@8 S I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 2, 0x20, 4 },
	{ "I Nr:incr4@0 S@6 S@8 S I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 2, 6, 4 },
	{ "I Nr:wrap4@8 S@20 S@0 S I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 2, 0x20, 0xc },
	{ "I Nr:incr@0 B@8 S@4 S I", BOTH, RULE(NOT_NEXT), PMK_AHB_HADDR, 2, 8, 4 },
	{ "I Nr:incr4@2 S@4 S S I", BOTH, RULE(ALIGNMENT), PMK_AHB_HADDR, 1, 2, 0 },
	{ "I Nr:incr4@2 S S S I", BOTH, RULE(ALIGNMENT), PMK_AHB_HADDR, 1, 2, 0 },
	{ "I Nr:incr4@0 Sw Sw Sw I", BOTH, RULE(CONTROL), PMK_AHB_HWRITE, 2, 1, 0 },
	{ "I Nr:incr4@0 S S.h S.h I", BOTH, RULE(CONTROL), PMK_AHB_HSIZE, 3, 1, 2 },
	{ "I Nr:incr4@0 S:incr8 S S I", BOTH, RULE(CONTROL), PMK_AHB_HBURST, 2, 5, 3 },
	{ "I Nr:incr4@0 S S%2 S I", BOTH, RULE(CONTROL), PMK_AHB_HPROT, 3, 2, 3 },
	{ "I Nr:incr4@0 B%7 S S S I", BOTH, RULE(CONTROL), PMK_AHB_HPROT, 2, 7, 3 },
	{ "I Nr:incr4@3f4 S S S I", BOTH, RULE(BOUNDARY), PMK_AHB_HADDR, 1, 0x3f4, -1 },
	{ "I Nr:incr16@7c4 S*15 I", BOTH, RULE(BOUNDARY), PMK_AHB_HADDR, 1, 0x7c4, -1 },
	{ "I Nr:incr@3fc S S I", BOTH, RULE(BOUNDARY), PMK_AHB_HADDR, 2, 0x400, -1 },
	{ "I Nr:incr@3f8 S S S I", BOTH, RULE(BOUNDARY), PMK_AHB_HADDR, 3, 0x400, -1 },
	{ "I Nr:single@2 I", BOTH, RULE(ALIGNMENT), PMK_AHB_HADDR, 1, 2, 0 },
	{ "I Nr.h@5 I", BOTH, RULE(ALIGNMENT), PMK_AHB_HADDR, 1, 5, 4 },
	{ "I Nr.d@8 I", BOTH, RULE(WIDTH), PMK_AHB_HSIZE, 1, 3, -1 },
	{ "I Nr@0 Nr@4/s I/so I", BOTH, RULE(WAIT_TRANS), PMK_AHB_HTRANS, 3, 0, -1 },
	{ "I Nr:incr4@0 S/s I/o", AHB, RULE(WAIT_TRANS), PMK_AHB_HTRANS, 3, 0, -1 },
	{ "I Nr:incr4@0 S@4/s B@4/o S S S I", BOTH, RULE(WAIT_TRANS), PMK_AHB_HTRANS, 3, 1, -1 },
	{ "I Nr:incr@0 I/s B@4/o I", BOTH, RULE(WAIT_TRANS), PMK_AHB_HTRANS, 3, 1, -1 },
	{ "I Nr:incr4@0 B/s I/o I", AHB, RULE(WAIT_TRANS), PMK_AHB_HTRANS, 3, 0, -1 },
	{ "I Nr:incr4@0 B@8/s S@4/o S S I", BOTH, RULE(WAIT_ADDRESS), PMK_AHB_HADDR, 3, 4, 8 },
	{ "I Nr@0 Nr@4/s Nr@8/o I", BOTH, RULE(WAIT_ADDRESS), PMK_AHB_HADDR, 3, 8, 4 },
	{ "I Nr@0 Nr@4/s Nw@4/o I", BOTH, RULE(WAIT_CONTROL), PMK_AHB_HWRITE, 3, 1, 0 },
	{ "I Nr@0 Nr@4/s Nr@4%7/o I", BOTH, RULE(WAIT_CONTROL), PMK_AHB_HPROT, 3, 7, 3 },
	{ "I Nr@0 Nr@4/s Nr.h@4/o I", BOTH, RULE(WAIT_CONTROL), PMK_AHB_HSIZE, 3, 1, 2 },
	{ "I Nr:single@0 Nr:single@4/s Nr:incr@4/o I", BOTH, RULE(WAIT_CONTROL), PMK_AHB_HBURST, 3,
	  1, 0 },
	{ "I I/ssso I", BOTH, RULE(IDLE_WAITS), PMK_AHB_HREADY, 1, 0, 1 },
	{ "I Nr:incr@0 B S/so S I", BOTH, RULE(IDLE_WAITS), PMK_AHB_HREADY, 3, 0, 1 },
	{ "I I/E I", BOTH, RULE(IDLE_RESP), PMK_AHB_HRESP, 1, 1, 0 },
	{ "I Nr@0 I/E I", BOTH, RULE(ONE_CYCLE), PMK_AHB_HREADY, 2, 1, 0 },
	{ "I Nr@0 I/R I", AHB, RULE(ONE_CYCLE), PMK_AHB_HREADY, 2, 1, 0 },
	{ "I Nr@0 I/eeE I", BOTH, RULE(SECOND_CYCLE), PMK_AHB_HREADY, 3, 0, 1 },
	{ "I Nr@0 I/eo I", BOTH, RULE(SECOND_CYCLE), PMK_AHB_HRESP, 3, 0, 1 },
	{ "I Nr@0 I/rE I", AHB, RULE(SECOND_CYCLE), PMK_AHB_HRESP, 3, 1, 2 },
	{ "I Nr@0 Nr@4/rR I", AHB, RULE(RETRY_GOES_ON), PMK_AHB_HTRANS, 3, 2, 0 },
	{ "I Nr:incr4@0 S/pP S S I", AHB, RULE(RETRY_GOES_ON), PMK_AHB_HTRANS, 3, 3, 0 },
	{ "I Nr@0 I/rR I", LITE, RULE(LITE_RESP), PMK_AHB_HRESP, 2, 2, -1 },
	{ "I Nr@0 I/pP I", LITE, RULE(LITE_RESP), PMK_AHB_HRESP, 2, 3, -1 },
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		for (unsigned lite = 0; lite < 2; lite++) {
			const struct pmk_violation *v = &found[0];

			if (!(wrong[i].kind & (lite ? LITE : AHB)))
				continue;
			begin(lite, wrong[i].wave);
			check_samples();
			if (nfound != 1 || v->rule != wrong[i].rule)
				show_all(wrong[i].wave);
			assert_int_equal(nfound, 1);
			assert_int_equal(v->rule, wrong[i].rule);
			assert_int_equal(v->role, wrong[i].role);
			assert_int_equal(v->cycle, wrong[i].cycle);
			assert_int_equal(v->is, wrong[i].is);
			assert_int_equal(v->wants, wrong[i].want >= 0);
			if (v->wants)
				assert_int_equal(v->want, wrong[i].want);
			assert_int_equal(checker.count[v->rule], 1);
		}
}

/* Each rule is violated by a wave in a table of this file, or in a test below. */
static void test_every_rule(void **state)
{
	static const unsigned below[] = { RULE(RESET_TRANS), RULE(RESET_READY), RULE(UNKNOWN) };

	(void)state;
	for (unsigned rule = 0; rule < PMK_AHB_NRULES; rule++) {
		bool there = false;

		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
			there |= wrong[i].rule == rule;
		for (unsigned i = 0; i < 3; i++)
			there |= below[i] == rule;
		if (!there)
			fail_msg("no test of rule %s", pmk_ahb_rules[rule].name);
		for (unsigned other = 0; other < rule; other++)
			assert_string_not_equal(pmk_ahb_rules[rule].name,
						pmk_ahb_rules[other].name);
		assert_true(strlen(pmk_ahb_rules[rule].text) > 10);
		assert_true(strlen(pmk_ahb_rules[rule].ref) > 5);
	}
}

/* ---- cases that are not a single wave -------------------------------------------------------- */

static void test_text(void **state)
{
	static const struct pmk_violation x = { .rule = RULE(UNKNOWN),
						.role = PMK_AHB_HREADY,
						.x = true };
	char text[200];

	(void)state;
	begin(false, "I Nr:incr4@1008 S@1010 S S I");
	check_samples();
	assert_int_equal(nfound, 1);
	pmk_violation_text(&found[0], &pmk_ahb_rules[found[0].rule],
			   pmk_ahb_role_name(found[0].role), text, sizeof(text));
	assert_string_equal(text,
			    "not-next: HADDR is not the address of the next beat: HADDR 0x1010, "
			    "want 0x100c");
	begin(false, "I S I");
	check_samples();
	pmk_violation_text(&found[0], &pmk_ahb_rules[found[0].rule],
			   pmk_ahb_role_name(found[0].role), text, sizeof(text));
	assert_string_equal(text, "seq-alone: HTRANS is SEQ outside of a burst: HTRANS 0x3");
	pmk_violation_text(&x, &pmk_ahb_rules[x.rule], pmk_ahb_role_name(x.role), text,
			   sizeof(text));
	assert_string_equal(text, "unknown: a signal is x or z where it must have a value: HREADY");
}

static void test_reset(void **state)
{
	(void)state;
	begin(true, "I Nr:incr8@0 S/s S/s S/s S/s I I");
	for (unsigned i = 2; i < 6; i++)
		trace.cycle[i].reset = true;
	check_samples();
	assert_int_equal(nfound, 2); /* each violation once, one edge after the reset began */
	assert_int_equal(found[0].rule, RULE(RESET_TRANS));
	assert_int_equal(found[0].cycle, 3);
	assert_int_equal(found[1].rule, RULE(RESET_READY));
	assert_int_equal(found[1].cycle, 3);
	assert_int_equal(found[0].want, 0);
	assert_int_equal(found[1].want, 1);
	/* Reset is asserted in the middle of a burst. */
	begin(true, "I Nr:incr8@0 S I I I I Nr@0 I");
	for (unsigned i = 2; i < 6; i++)
		trace.cycle[i].reset = true;
	check_samples();
	assert_int_equal(nfound, 0);
	/* The waves after a reset are checked independently. */
	begin(true, "I I I/so I");
	trace.cycle[0].reset = trace.cycle[1].reset = true;
	check_samples();
	assert_int_equal(nfound, 1);
	assert_int_equal(found[0].rule, RULE(IDLE_WAITS));
	/* Only AHB-Lite requires that HREADY is high in reset. */
	begin(false, "I I/s I/s I I");
	for (unsigned i = 0; i < 4; i++)
		trace.cycle[i].reset = true;
	check_samples();
	assert_int_equal(nfound, 0);
}

/* If a dump begins in the middle of a burst, this burst is not checked. */
static void test_begins_anywhere(void **state)
{
	(void)state;
	begin(true, "S@40/s S@40/o S I Nr@0 I");
	check_samples();
	assert_int_equal(nfound, 0);
	begin(true, "I/sss I/o Nr@0 I");
	check_samples();
	assert_int_equal(nfound, 0);
}

/* Sets a signal to x, which may mean any value. */
static void set_x(unsigned at, unsigned role)
{
	struct pmk_ahb_cycle *c = &trace.cycle[at];

	c->x |= (uint16_t)PMK_AHB_ROLE(role);
	c->haddr ^= role == PMK_AHB_HADDR ? 0x3ff : 0;
	c->hsize ^= role == PMK_AHB_HSIZE ? 5 : 0;
	c->hburst ^= role == PMK_AHB_HBURST ? 7 : 0;
	c->hprot ^= role == PMK_AHB_HPROT ? 15 : 0;
	c->htrans ^= role == PMK_AHB_HTRANS ? 3 : 0;
	c->hresp ^= role == PMK_AHB_HRESP ? 3 : 0;
	c->hwrite ^= role == PMK_AHB_HWRITE;
	c->hready ^= role == PMK_AHB_HREADY;
}

static void test_x(void **state)
{
	static const struct {
		unsigned at, role;
		int cycle; /* -1: no violation */
	} rows[] = {
		{ 1, PMK_AHB_HTRANS, 1 }, { 1, PMK_AHB_HADDR, 1 },  { 1, PMK_AHB_HWRITE, 1 },
		{ 1, PMK_AHB_HSIZE, 1 },  { 1, PMK_AHB_HBURST, 1 }, { 1, PMK_AHB_HPROT, 1 },
		{ 2, PMK_AHB_HREADY, 2 }, { 2, PMK_AHB_HRESP, 2 },  { 3, PMK_AHB_HRESP, 3 },
		{ 4, PMK_AHB_HADDR, 4 },  { 4, PMK_AHB_HSIZE, 4 },  { 4, PMK_AHB_HPROT, 4 },
		{ 0, PMK_AHB_HADDR, -1 }, { 0, PMK_AHB_HRESP, -1 }, { 6, PMK_AHB_HPROT, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(true, "I Nw:incr4@0 S/so S S I I");
		set_x(rows[i].at, rows[i].role);
		check_samples();
		assert_int_equal(nfound, rows[i].cycle >= 0);
		if (!nfound)
			continue;
		assert_int_equal(found[0].rule, RULE(UNKNOWN));
		assert_int_equal(found[0].role, rows[i].role);
		assert_int_equal(found[0].cycle, rows[i].cycle);
	}
}

/* An x on HREADY hides whether an address phase was accepted, so this phase is not checked. */
static void test_x_on_hready(void **state)
{
	(void)state;
	begin(true, "I Nr@0 Nr@2 I I");
	trace.cycle[2].x = (uint16_t)PMK_AHB_ROLE(PMK_AHB_HREADY);
	check_samples();
	assert_int_equal(nfound, 1);
	assert_int_equal(found[0].rule, RULE(UNKNOWN));
}

/* An x is reported once while it lasts, and again when it recurs. */
static void test_x_lasts(void **state)
{
	(void)state;
	begin(true, "I*20");
	for (unsigned i = 0; i < 5; i++)
		set_x(i, PMK_AHB_HREADY);
	for (unsigned i = 10; i < 15; i++)
		set_x(i, PMK_AHB_HREADY);
	check_samples();
	assert_int_equal(nfound, 2);
	assert_int_equal(found[0].cycle, 0);
	assert_int_equal(found[1].cycle, 10);
	assert_int_equal(checker.cycles, 20);
}

/* The checker ignores rules about signals that the bus does not have. */
static void test_absent(void **state)
{
	static const struct pmk_ahb_checker_params few = { .has = PMK_AHB_REQUIRED, .lite = true };

	(void)state;
	begin(true, "I Nr:incr4@3 S@9 Sw Nr.d@1/rR Nr@2/s Nr@5/o I");
	pmk_ahb_checker_init(&checker, &few);
	for (unsigned i = 0; i < trace.n; i++)
		trace.cycle[i].x = PMK_AHB_ALL & ~PMK_AHB_REQUIRED;
	check_samples();
	assert_int_equal(nfound, 0);
	begin(true, "I Nr:incr4@0 B/s I/o I"); /* without HBURST, it may be an INCR */
	pmk_ahb_checker_init(&checker, &few);
	check_samples();
	assert_int_equal(nfound, 0);
	begin(true, "I S I");
	pmk_ahb_checker_init(&checker, &few);
	check_samples();
	assert_int_equal(nfound, 1);
}

/* Without HRESP, a change to IDLE and the end of the burst may follow from an ERROR. */
static void test_no_hresp(void **state)
{
	struct pmk_ahb_checker_params p = { .has = PMK_AHB_ALL & ~PMK_AHB_ROLE(PMK_AHB_HRESP) };

	(void)state;
	for (unsigned lite = 0; lite < 2; lite++) {
		p.lite = lite;
		begin(lite, "I Nr:incr4@0 S/s I/E I");
		pmk_ahb_checker_init(&checker, &p);
		check_samples();
		assert_int_equal(nfound, 0);
		begin(lite, "I Nr:incr4@0 S/s Nr@40/o I");
		pmk_ahb_checker_init(&checker, &p);
		check_samples();
		assert_int_equal(nfound, 1);
		assert_int_equal(found[0].rule, RULE(WAIT_TRANS));
	}
	/* With HRESP, or without a wait state, the change to IDLE is a violation. */
	begin(true, "I Nr:incr4@0 S/s I/o I");
	check_samples();
	assert_int_equal(nfound, 2);
	assert_int_equal(found[0].rule, RULE(WAIT_TRANS));
	assert_int_equal(found[1].rule, RULE(EARLY_END));
	begin(true, "I Nr:incr4@0 S I I");
	pmk_ahb_checker_init(&checker, &p);
	check_samples();
	assert_int_equal(nfound, 1);
	assert_int_equal(found[0].rule, RULE(EARLY_END));
}

/* If the width of the bus is unknown, HSIZE is not checked. A wide bus permits wide transfers. */
static void test_width(void **state)
{
	struct pmk_ahb_checker_params p = { .has = PMK_AHB_ALL, .bytes = 0 };

	(void)state;
	begin(false, "I Nr.d@8 I");
	pmk_ahb_checker_init(&checker, &p);
	check_samples();
	assert_int_equal(nfound, 0);
	p.bytes = 8;
	begin(false, "I Nr.d@8 I");
	pmk_ahb_checker_init(&checker, &p);
	check_samples();
	assert_int_equal(nfound, 0);
}

/* Noise on any signal is reported, and has no other effect. */
static void test_noise(void **state)
{
	uint32_t seed = 1;
	struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS];
	char text[200];

	(void)state;
	begin(true, "I");
	for (unsigned i = 0; i < 200000; i++) {
		uint8_t raw[sizeof(struct pmk_ahb_cycle)];
		struct pmk_ahb_cycle c;
		unsigned n;

		for (unsigned j = 0; j < sizeof(raw); j++) {
			seed = seed * 1664525 + 1013904223;
			raw[j] = (uint8_t)(seed >> 24);
		}
		memcpy(&c, raw, sizeof(c));
		c = (struct pmk_ahb_cycle){ .haddr = c.haddr,
					    .x = seed & 0x700000 ? 0 : c.x,
					    .htrans = c.htrans & 3,
					    .hburst = c.hburst & 7,
					    .hsize = c.hsize & 7,
					    .hprot = c.hprot,
					    .hresp = c.hresp & 3,
					    .hwrite = seed >> 9 & 1,
					    .hready = seed >> 10 & 1,
					    .reset = !(seed >> 11 & 63) };
		n = pmk_ahb_checker_sample(&checker, &c, v);
		assert_true(n < PMK_AHB_MAX_VIOLATIONS);
		for (unsigned j = 0; j < n; j++)
			assert_true(pmk_violation_text(&v[j], &pmk_ahb_rules[v[j].rule],
						       pmk_ahb_role_name(v[j].role), text,
						       sizeof(text)) > 0);
	}
	assert_true(checker.count[RULE(ALIGNMENT)] > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),	   cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_every_rule), cmocka_unit_test(test_text),
		cmocka_unit_test(test_reset),	   cmocka_unit_test(test_begins_anywhere),
		cmocka_unit_test(test_x),	   cmocka_unit_test(test_x_on_hready),
		cmocka_unit_test(test_x_lasts),	   cmocka_unit_test(test_absent),
		cmocka_unit_test(test_no_hresp),   cmocka_unit_test(test_width),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
