// SPDX-License-Identifier: MIT
/*
 * The AHB Monitor's counts of random traffic equal those of a second implementation of its rules.
 * The traffic has bursts with wait states, BUSY, ERROR, RETRY, SPLIT and early ends on every layer.
 * Counters 0 to 90 are literal numbers.
 */
#include "ahbmon_rig.h"

/* ---- a second implementation --------------------------------------------------------------- */

/*
 * The activity of one layer is a list of items: each is an address phase and the course of its data
 * phase. The expected counts are computed from the items. The monitor sees only the samples that
 * are made from them.
 */
struct item {
	struct pmk_ahb_cycle phase;
	char waits[12]; /* causes of the waits, as in trace.h: s c a u */
	uint8_t end;	/* final HRESP */
};

#define ITEMS 400

struct stream {
	struct item item[ITEMS];
	unsigned n;
};

/*
 * Numbers of a layer's counters; -1: the layer has no such counter. Counters of bursts are indexed
 * by HBURST.
 */
/* clang-format off */
static const struct numbers {
	int rd, wr, burst[8], linefill, castout4, castout8, walk_d, walk_i;
	int total, slave, bus, hit, uart, sci, ssp, apb_dma, apb_core;
} numbers[6] = {
	{ 0, -1, { 1, -1, -1, 2, -1, -1, -1, -1 }, 3, -1, -1, -1, -1,
	  4, 5, 6, 7, -1, -1, -1, -1, -1 },
	{ 8, -1, { -1, 9, -1, 10, -1, 11, -1, 12 }, -1, -1, -1, -1, -1,
	  13, 14, 15, 16, -1, -1, -1, -1, -1 },
	{ 17, 18, { -1, 25, -1, 26, -1, 27, -1, 28 }, -1, -1, -1, -1, -1,
	  29, 30, 31, 32, 19, 21, 23, -1, -1 },
	{ 33, 34, { -1, 35, -1, 36, -1, 37, -1, 38 }, -1, -1, -1, -1, -1,
	  39, 40, 41, 42, -1, -1, -1, -1, -1 },
	{ 43, 44, { 49, 50, 51, 52, 53, 54, 55, 56 }, -1, -1, -1, -1, -1,
	  57, 58, 59, 60, -1, -1, -1, 45, 47 },
	{ 61, 62, { 67, -1, -1, 68, -1, 69, -1, -1 }, 70, 71, 72, 73, 74,
	  75, 76, 77, 78, -1, -1, -1, 63, 65 },
};
/* clang-format on */

static void bump(uint32_t count[91], int n)
{
	if (n >= 0)
		count[n]++;
}

/*
 * Counts one transfer that completes. The counter of writes to a peripheral follows the counter of
 * reads.
 */
static void second_transfer(const struct numbers *c, const struct item *it, uint32_t count[91])
{
	const struct pmk_ahb_cycle *p = &it->phase;
	unsigned select = p->haddr >> 12 & 15, w = p->hwrite;

	bump(count, w ? c->wr : c->rd);
	if (p->haddr >> 16 == 0x101e && c->apb_core >= 0)
		bump(count, c->apb_core + (int)w);
	if (p->haddr >> 16 == 0x101f && c->apb_dma >= 0)
		bump(count, c->apb_dma + (int)w);
	if (p->haddr >> 16 == 0x101f && c->uart >= 0)
		bump(count, select == 0	  ? c->sci + (int)w
			    : select <= 3 ? c->uart + (int)w
			    : select == 4 ? c->ssp + (int)w
					  : -1);
	if (p->htrans != 2)
		return;
	bump(count, c->burst[p->hburst]);
	if (p->hsize != 2)
		return;
	if (!w && p->hburst == 4)
		bump(count, c->linefill);
	if (w && p->hburst == 3 && p->hprot == 15 && p->haddr % 16 == 0) /* aligned form */
		bump(count, c->castout4);
	if (w && p->hburst == 5 && p->hprot == 15)
		bump(count, c->castout8);
	if (!w && p->hburst == 0 && p->hprot >= 14)
		bump(count, p->hprot == 15 ? c->walk_d : c->walk_i);
}

static void second_waits(const struct numbers *c, const struct item *it, unsigned threshold,
			 uint32_t count[91])
{
	for (unsigned i = 0; it->waits[i]; i++) {
		bump(count, c->total);
		if (it->phase.htrans == 2)
			bump(count, strchr("su", it->waits[i]) ? c->slave : c->bus);
	}
	if (strlen(it->waits) > threshold)
		bump(count, c->hit);
}

static void add_item(struct stream *s, const struct pmk_ahb_cycle *phase, bool waits)
{
	struct item *it = &s->item[s->n];

	if (s->n == ITEMS - 1)
		return;
	s->n++;
	*it = (struct item){ .phase = *phase };
	for (unsigned i = 0, n = waits && !pick(3) ? pick(8) : 0; i < n; i++)
		it->waits[i] = "scau"[pick(4)];
	if (waits && !pick(12))
		it->end = (uint8_t)(1 + pick(3));
}

/*
 * Adds a burst, sometimes with BUSY, sometimes ended early. A beat that a slave refuses is repeated
 * as a SINGLE.
 */
static void add_burst(struct stream *s)
{
	static const uint8_t beats[8] = { 1, 0, 4, 4, 8, 8, 16, 16 };
	static const uint32_t base[] = { 0, 0x20000000, 0x101e0000, 0x101f0000 };
	struct pmk_ahb_cycle p = { .htrans = 2,
				   .hburst = (uint8_t)pick(8),
				   .hsize = (uint8_t)(pick(4) ? 2 : pick(2)),
				   .hprot = (uint8_t)(pick(2) ? 15 : pick(16)),
				   .hwrite = pick(2) };
	unsigned n = beats[p.hburst] ? beats[p.hburst] : 1 + pick(6);

	p.haddr = base[pick(4)] + 0x1000 * pick(16) + 4 * pick(1024);
	for (unsigned i = 0; i < n; i++) {
		if (i && !pick(6)) {
			p.htrans = 1;
			add_item(s, &p, false);
		}
		p.htrans = i ? 3 : 2;
		add_item(s, &p, true);
		if (s->n && s->item[s->n - 1].end >= 2) {
			struct pmk_ahb_cycle idle = { 0 };

			add_item(s, &idle, false);
			p.hburst = 0;
			p.htrans = 2;
			add_item(s, &p, false);
			return;
		}
		p.haddr = trace_next(p.hburst, p.hsize, p.haddr);
		if (!pick(40))
			return;
	}
}

static void make_stream(struct stream *s)
{
	struct pmk_ahb_cycle idle = { 0 };

	s->n = 0;
	while (s->n < ITEMS - 1) {
		for (unsigned i = pick(4); i; i--)
			add_item(s, &idle, false);
		add_burst(s);
	}
}

/*
 * Feeds the stream as samples. The address phase of an item is during the data phase of the
 * previous item.
 */
static void feed_stream(unsigned layer, const struct stream *s)
{
	static const char *const two[4] = { "o", "eE", "rR", "pP" }; /* indexed by HRESP */

	trace.n = 0;
	for (unsigned i = 0; i <= s->n; i++) {
		struct pmk_ahb_cycle phase = { 0 };
		char letters[16] = "";
		unsigned end;

		if (i < s->n)
			phase = s->item[i].phase;
		if (i)
			strcpy(letters, s->item[i - 1].waits);
		end = i ? s->item[i - 1].end : 0;
		strcat(letters, two[end]);
		trace_response(&trace, phase, letters);
	}
	assert_true(trace.n < TRACE_CYCLES);
	for (unsigned i = 0; i < trace.n; i++) {
		struct pmk_ahbmon_sample sm = nothing();

		sm.layer[layer] = trace.cycle[i];
		sample(&sm);
	}
}

static void test_random_against_second_statement(void **state)
{
	static struct stream s;
	unsigned moved = 0;

	(void)state;
	for (uint32_t round = 1; round <= 10; round++) {
		uint32_t want[91] = { 0 };
		unsigned threshold;

		seed = round;
		threshold = pick(5);
		setup_params();
		begin();
		configure(threshold, false, true, 0);
		start();
		for (unsigned layer = 0; layer < 6; layer++) {
			make_stream(&s);
			for (unsigned i = 0; i < s.n; i++) {
				const struct item *it = &s.item[i];

				if (it->phase.htrans < 2)
					continue;
				second_waits(&numbers[layer], it, threshold, want);
				if (it->end <= 1)
					second_transfer(&numbers[layer], it, want);
			}
			feed_stream(layer, &s);
		}
		want[88] = want[89] = want[90] = rig.cycles;
		for (unsigned n = 0; n < 91; n++) {
			if (counter(n) != want[n])
				fail_msg("round %u: %s (%u) is %u, want %u", round,
					 pmk_ahbmon.counters[n].name, n, counter(n), want[n]);
			moved += n < 79 && want[n];
		}
	}
	assert_true(moved > 10 * 79 * 8 / 10); /* nearly all counters moved in nearly all rounds */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_against_second_statement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
