// SPDX-License-Identifier: MIT
/*
 * The AXI checker: for each rule there is a sequence of cycles that violates only this rule, once,
 * and there are sequences that violate no rule. A cycle is a text of words, "awvalid awaddr=0x10
 * awlen=3". A signal without a value is 1, and "=x" makes it x. Signals that are not named are 0,
 * except that READY and WSTRB are high. Bursts are INCR with four bytes per beat. "reset" is a
 * cycle in reset.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "buses/axi/check.h"

#define ALL	 ((UINT32_C(1) << PMK_AXI_NROLES) - 1)
#define RULE(id) PMK_AXI_RULE_##id

/* The signals of AXI4-Lite. */
#define ROLE(role) PMK_AXI_ROLE(PMK_AXI_##role)
#define LITE                                                                           \
	(PMK_AXI_READS | PMK_AXI_WRITES | ROLE(AWADDR) | ROLE(WVALID) | ROLE(WREADY) | \
	 ROLE(WDATA) | ROLE(WSTRB) | ROLE(BRESP) | ROLE(ARADDR) | ROLE(RDATA) | ROLE(RRESP))

static const char *const names[PMK_AXI_NROLES] = {
#define X(role, name) #name,
	PMK_AXI_ROLES(X)
#undef X
};

static void word(struct pmk_axi_cycle *c, const char *text)
{
	size_t n = strcspn(text, "=");

	if (!strcmp(text, "reset")) {
		c->reset = true;
		return;
	}
	for (unsigned r = 0; r < PMK_AXI_NROLES; r++) {
		if (strlen(names[r]) != n || strncmp(names[r], text, n) != 0)
			continue;
		if (!strcmp(text + n, "=x"))
			c->x |= PMK_AXI_ROLE(r);
		c->value[r] = text[n] ? strtoull(text + n + 1, NULL, 0) : 1;
		return;
	}
	fail_msg("no signal: %s", text);
}

static struct pmk_axi_cycle cycle_of(const char *text)
{
	static const uint8_t high[] = { PMK_AXI_AWREADY, PMK_AXI_WREADY, PMK_AXI_BREADY,
					PMK_AXI_ARREADY, PMK_AXI_RREADY };
	struct pmk_axi_cycle c = { .x = 0 };
	char copy[200], *at = copy, *one;

	for (unsigned i = 0; i < sizeof(high); i++)
		c.value[high[i]] = 1;
	c.value[PMK_AXI_WSTRB] = 0xf;
	c.value[PMK_AXI_AWSIZE] = c.value[PMK_AXI_ARSIZE] = 2;
	c.value[PMK_AXI_AWBURST] = c.value[PMK_AXI_ARBURST] = 1;
	assert_true(strlen(text) < sizeof(copy));
	strcpy(copy, text);
	while ((one = strsep(&at, " ")))
		if (*one)
			word(&c, one);
	return c;
}

#define MOST 16

static struct pmk_axi_checker checker;
static struct pmk_violation found[MOST];
static unsigned nfound;

static void feed(const char *text)
{
	struct pmk_violation v[PMK_AXI_MAX_VIOLATIONS];
	struct pmk_axi_cycle c = cycle_of(text);
	unsigned n = pmk_axi_checker_sample(&checker, &c, v);

	for (unsigned i = 0; i < n; i++) {
		assert_true(nfound < MOST);
		found[nfound++] = v[i];
	}
}

static void begin(uint32_t has)
{
	const struct pmk_axi_checker_params params = { .has = has, .bytes = 4 };

	pmk_axi_checker_init(&checker, &params);
	nfound = 0;
}

/* `at` is the cycle of the violation, or -1 if there is none. */
static const struct {
	unsigned line;
	int at;
	unsigned rule, role;
	const char *cycle[10];
} cases[] = {
#define C __LINE__
	/* A3.2.1: VALID stays high until READY, and its signals are stable. */
	{ C, 1, RULE(DROPS), PMK_AXI_AWVALID, { "awvalid awready=0", "awready=0" } },
	{ C, 1, RULE(DROPS), PMK_AXI_WVALID, { "wvalid wready=0", "" } },
	{ C, 2, RULE(DROPS), PMK_AXI_ARVALID, { "arvalid arready=0", "arvalid arready=0", "" } },
	{ C, 2, RULE(DROPS), PMK_AXI_RVALID, { "arvalid", "rvalid rlast rready=0", "" } },
	{ C,
	  3,
	  RULE(DROPS),
	  PMK_AXI_BVALID,
	  { "awvalid", "wvalid wlast", "bvalid bready=0", "bready=0" } },
	{ C, -1, 0, 0, { "awvalid awready=0", "awvalid", "" } },
	{ C,
	  1,
	  RULE(CHANGES),
	  PMK_AXI_AWADDR,
	  { "awvalid awready=0 awaddr=0x40", "awvalid awaddr=0x44" } },
	{ C, 1, RULE(CHANGES), PMK_AXI_ARLEN, { "arvalid arready=0 arlen=3", "arvalid arlen=1" } },
	{ C, 1, RULE(CHANGES), PMK_AXI_AWSIZE, { "awvalid awready=0", "awvalid awsize=1" } },
	{ C, 1, RULE(CHANGES), PMK_AXI_ARBURST, { "arvalid arready=0", "arvalid arburst=0" } },
	{ C, 1, RULE(CHANGES), PMK_AXI_ARID, { "arvalid arready=0", "arvalid arid=2" } },
	{ C, 1, RULE(CHANGES), PMK_AXI_WDATA, { "wvalid wready=0 wdata=7", "wvalid wdata=8" } },
	{ C, 1, RULE(CHANGES), PMK_AXI_WSTRB, { "wvalid wready=0", "wvalid wstrb=0x7" } },
	{ C, 1, RULE(CHANGES), PMK_AXI_WLAST, { "wvalid wready=0", "wvalid wlast" } },
	{ C,
	  2,
	  RULE(CHANGES),
	  PMK_AXI_RDATA,
	  { "arvalid", "rvalid rlast rready=0 rdata=1", "rvalid rlast rdata=2" } },
	{ C,
	  2,
	  RULE(CHANGES),
	  PMK_AXI_RRESP,
	  { "arvalid", "rvalid rlast rready=0", "rvalid rlast rresp=2" } },
	{ C,
	  3,
	  RULE(CHANGES),
	  PMK_AXI_BRESP,
	  { "awvalid", "wvalid wlast", "bvalid bready=0", "bvalid bresp=3" } },
	{ C, -1, 0, 0, { "wvalid wdata=1 wready=0", "wvalid wdata=1", "wvalid wdata=2" } },
	{ C, -1, 0, 0, { "awaddr=0x40", "awaddr=0x44" } },
	/* A3.4.1: types, lengths and addresses of bursts. */
	{ C, 0, RULE(RESERVED), PMK_AXI_AWBURST, { "awvalid awburst=3" } },
	{ C, 0, RULE(WRAP_LENGTH), PMK_AXI_ARLEN, { "arvalid arburst=2 arlen=0" } },
	{ C, 0, RULE(WRAP_LENGTH), PMK_AXI_ARLEN, { "arvalid arburst=2 arlen=2" } },
	{ C, 0, RULE(WRAP_LENGTH), PMK_AXI_AWLEN, { "awvalid awburst=2 awlen=31" } },
	{ C, -1, 0, 0, { "arvalid arburst=2 arlen=1", "arvalid arburst=2 arlen=3 arid=1" } },
	{ C, -1, 0, 0, { "arvalid arburst=2 arlen=7", "arvalid arburst=2 arlen=15 arid=1" } },
	{ C, 0, RULE(WRAP_ALIGNMENT), PMK_AXI_ARADDR, { "arvalid arburst=2 arlen=3 araddr=0x12" } },
	{ C, -1, 0, 0, { "arvalid arburst=2 arlen=3 arsize=1 araddr=0x12" } },
	{ C, -1, 0, 0, { "arvalid arburst=2 arlen=15 araddr=0xffc" } },
	{ C, 0, RULE(FIXED_LENGTH), PMK_AXI_AWLEN, { "awvalid awburst=0 awlen=16" } },
	{ C, -1, 0, 0, { "awvalid awburst=0 awlen=15 awaddr=0xfff" } },
	{ C, 0, RULE(BOUNDARY), PMK_AXI_AWADDR, { "awvalid awlen=1 awaddr=0xffc" } },
	{ C, 0, RULE(BOUNDARY), PMK_AXI_ARADDR, { "arvalid arlen=255 araddr=0x2c04" } },
	{ C, -1, 0, 0, { "arvalid arlen=255 araddr=0x2c00", "arvalid arid=1 araddr=0x2ffc" } },
	/* The first beat has fewer bytes if the address is not aligned. */
	{ C, -1, 0, 0, { "arvalid arlen=1 araddr=0xffb" } },
	{ C, 0, RULE(BOUNDARY), PMK_AXI_ARADDR, { "arvalid arlen=1 araddr=0xffd" } },
	{ C, 0, RULE(WIDTH), PMK_AXI_ARSIZE, { "arvalid arsize=3" } },
	/* A3.2.2: LAST is high with the last beat. */
	{ C, 2, RULE(EARLY_LAST), PMK_AXI_RLAST, { "arvalid arlen=2", "rvalid", "rvalid rlast" } },
	{ C,
	  2,
	  RULE(NO_LAST),
	  PMK_AXI_RLAST,
	  { "arvalid arlen=1", "rvalid", "rvalid", "rvalid rlast" } },
	{ C, -1, 0, 0, { "arvalid arlen=1", "rvalid", "rvalid rlast" } },
	/* Reads are interleaved (A5.3). */
	{ C,
	  -1,
	  0,
	  0,
	  { "arvalid arid=1 arlen=1", "arvalid arid=2 arlen=1", "rvalid rid=2", "rvalid rid=1",
	    "rvalid rid=2 rlast", "rvalid rid=1 rlast" } },
	{ C, 2, RULE(EARLY_LAST), PMK_AXI_WLAST, { "awvalid awlen=2", "wvalid", "wvalid wlast" } },
	{ C,
	  2,
	  RULE(NO_LAST),
	  PMK_AXI_WLAST,
	  { "awvalid awlen=1", "wvalid", "wvalid", "wvalid", "wvalid wlast" } },
	{ C, -1, 0, 0, { "awvalid awlen=1", "wvalid", "wvalid wlast", "bvalid" } },
	/* Data comes before its address, completely or partly. */
	{ C, -1, 0, 0, { "wvalid", "wvalid wlast", "wvalid", "awvalid awlen=1", "bvalid" } },
	{ C, 2, RULE(LENGTH), PMK_AXI_AWLEN, { "wvalid", "wvalid wlast", "awvalid awlen=2" } },
	{ C, 2, RULE(LENGTH), PMK_AXI_AWLEN, { "wvalid", "wvalid", "awvalid", "wvalid wlast" } },
	{ C, -1, 0, 0, { "wvalid", "awvalid awlen=1", "wvalid wlast", "bvalid" } },
	/* Only the second burst is wrong. */
	{ C,
	  3,
	  RULE(EARLY_LAST),
	  PMK_AXI_WLAST,
	  { "awvalid", "awvalid awlen=1 wvalid wlast", "bvalid", "wvalid wlast", "bvalid" } },
	/* A3.3.1: a response follows its request. */
	{ C, 0, RULE(STRAY), PMK_AXI_RVALID, { "rvalid rlast" } },
	{ C, 0, RULE(STRAY), PMK_AXI_RVALID, { "arvalid rvalid rlast" } },
	{ C, 1, RULE(STRAY), PMK_AXI_RVALID, { "arvalid arid=1", "rvalid rlast rid=2" } },
	{ C, 2, RULE(STRAY), PMK_AXI_RVALID, { "arvalid", "rvalid rlast", "rvalid rlast" } },
	{ C, 0, RULE(STRAY), PMK_AXI_BVALID, { "bvalid bready=0", "bvalid", "" } },
	{ C, 1, RULE(STRAY), PMK_AXI_BVALID, { "wvalid wlast", "bvalid" } },
	{ C, 1, RULE(EARLY_RESPONSE), PMK_AXI_BVALID, { "awvalid", "bvalid", "wvalid wlast" } },
	{ C, 1, RULE(EARLY_RESPONSE), PMK_AXI_BVALID, { "awvalid", "bvalid wvalid wlast" } },
	{ C,
	  3,
	  RULE(EARLY_RESPONSE),
	  PMK_AXI_BVALID,
	  { "awvalid awid=1", "awvalid awid=2", "wvalid wlast", "bvalid bid=2" } },
	{ C,
	  -1,
	  0,
	  0,
	  { "awvalid awid=1", "awvalid awid=2", "wvalid wlast", "wvalid wlast", "bvalid bid=2",
	    "bvalid bid=1" } },
	/* A3.1.2: VALID is low during reset, and in the first cycle after it. */
	{ C,
	  1,
	  RULE(RESET_VALID),
	  PMK_AXI_ARVALID,
	  { "reset arvalid", "reset arvalid", "arvalid" } },
	{ C, 2, RULE(RESET_VALID), PMK_AXI_AWVALID, { "reset", "reset", "awvalid" } },
	{ C, -1, 0, 0, { "reset awvalid", "reset", "reset", "", "awvalid" } },
	{ C, -1, 0, 0, { "arvalid arready=0", "reset", "", "arvalid arlen=1" } },
	/* No transaction is outstanding after a reset. */
	{ C, 4, RULE(STRAY), PMK_AXI_RVALID, { "arvalid", "reset", "reset", "", "rvalid rlast" } },
	/* An x is reported once, and the checker does not guess what it hides. */
	{ C, 0, RULE(UNKNOWN), PMK_AXI_AWVALID, { "awvalid=x", "awvalid=x", "bvalid" } },
	{ C, 1, RULE(UNKNOWN), PMK_AXI_ARREADY, { "", "arvalid arready=x", "rvalid rlast" } },
	{ C, 0, RULE(UNKNOWN), PMK_AXI_ARID, { "arvalid arid=x", "rvalid rlast" } },
	{ C, 1, RULE(UNKNOWN), PMK_AXI_RRESP, { "arvalid", "rvalid rlast rresp=x" } },
	{ C, -1, 0, 0, { "arready=x", "arvalid", "rvalid rlast rdata=x" } },
	{ C, -1, 0, 0, { "arid=x arlen=x", "" } },
#undef C
};

#define NCASES (sizeof(cases) / sizeof(cases[0]))

static void test_cases(void **state)
{
	char text[200];

	(void)state;
	for (size_t i = 0; i < NCASES; i++) {
		int at = cases[i].at;

		begin(ALL);
		for (unsigned n = 0; n < 10 && cases[i].cycle[n]; n++)
			feed(cases[i].cycle[n]);
		for (unsigned n = at >= 0; n < nfound; n++) {
			pmk_violation_text(&found[n], &pmk_axi_rules[found[n].rule],
					   pmk_axi_role_name(found[n].role), text, sizeof(text));
			fail_msg("line %u: cycle %u: %s", cases[i].line, (unsigned)found[n].cycle,
				 text);
		}
		if (at < 0)
			continue;
		if (!nfound)
			fail_msg("line %u: nothing was found", cases[i].line);
		if (found[0].cycle != (uint64_t)at || found[0].rule != cases[i].rule ||
		    found[0].role != cases[i].role) {
			pmk_violation_text(&found[0], &pmk_axi_rules[found[0].rule],
					   pmk_axi_role_name(found[0].role), text, sizeof(text));
			fail_msg("line %u: cycle %u: %s", cases[i].line, (unsigned)found[0].cycle,
				 text);
		}
		assert_int_equal(checker.count[cases[i].rule], 1);
	}
}

static void test_every_rule_has_a_case(void **state)
{
	(void)state;
	for (unsigned rule = 0; rule < PMK_AXI_NRULES; rule++) {
		unsigned n = 0;

		for (size_t i = 0; i < NCASES; i++)
			n += cases[i].at >= 0 && cases[i].rule == rule;
		if (!n)
			fail_msg("no test of rule %s", pmk_axi_rules[rule].name);
		for (unsigned other = 0; other < rule; other++)
			assert_string_not_equal(pmk_axi_rules[rule].name,
						pmk_axi_rules[other].name);
	}
}

/* An AXI-Lite transaction has one beat, and transactions complete in order. */
static void test_lite(void **state)
{
	(void)state;
	begin(LITE);
	feed("awvalid wvalid");
	feed("bvalid arvalid");
	feed("rvalid arvalid");
	feed("rvalid");
	assert_int_equal(nfound, 0);
	feed("bvalid");
	assert_int_equal(nfound, 1);
	assert_int_equal(found[0].rule, RULE(STRAY));
	feed("awvalid");
	feed("bvalid");
	assert_int_equal(nfound, 2);
	assert_int_equal(found[1].rule, RULE(EARLY_RESPONSE));
}

/* After a gap in the dump, the outstanding transactions are unknown until the next reset. */
static void test_a_gap(void **state)
{
	(void)state;
	begin(ALL);
	feed("arvalid awvalid awready=0");
	pmk_axi_checker_forget(&checker);
	feed("rvalid rlast");
	feed("bvalid");
	assert_int_equal(nfound, 0);
	feed("reset");
	feed("");
	feed("bvalid");
	assert_int_equal(nfound, 1);
	assert_int_equal(found[0].rule, RULE(STRAY));
}

/* If more transactions are outstanding than the checker has room for, it reports no violation. */
static void test_many(void **state)
{
	(void)state;
	begin(ALL);
	for (unsigned i = 0; i < PMK_AXI_MOST_PENDING + 1; i++)
		feed("arvalid awvalid");
	for (unsigned i = 0; i < PMK_AXI_MOST_PENDING + 2; i++)
		feed("rvalid rlast wvalid wlast");
	assert_int_equal(nfound, 0);
	begin(ALL);
	for (unsigned i = 0; i < PMK_AXI_MOST_PENDING + 1; i++)
		feed("wvalid wlast");
	feed("bvalid");
	assert_int_equal(nfound, 0);
}

static void test_text(void **state)
{
	char text[200];

	(void)state;
	begin(ALL);
	feed("awvalid awready=0 awaddr=0x40");
	feed("awvalid awaddr=0x44");
	pmk_violation_text(&found[0], &pmk_axi_rules[found[0].rule],
			   pmk_axi_role_name(found[0].role), text, sizeof(text));
	assert_string_equal(text, "payload-changes: a signal of the channel changes while "
				  "READY is low: AWADDR 0x44, want 0x40");
	begin(ALL);
	feed("arvalid=x");
	pmk_violation_text(&found[0], &pmk_axi_rules[found[0].rule],
			   pmk_axi_role_name(found[0].role), text, sizeof(text));
	assert_string_equal(text, "unknown: a signal is x or z where it must have a value: "
				  "ARVALID");
	assert_null(pmk_axi_role_name(PMK_AXI_NROLES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_every_rule_has_a_case),
		cmocka_unit_test(test_lite),  cmocka_unit_test(test_a_gap),
		cmocka_unit_test(test_many),  cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
