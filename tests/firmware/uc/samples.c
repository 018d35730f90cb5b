// SPDX-License-Identifier: MIT
/*
 * Sampling. The test raises one miss per iteration of the loop in g_spin(), so it knows the number
 * of samples, their addresses and their regions. Instructions are counted everywhere, including in
 * the handler, as on silicon.
 */
#include "rig.h"

#include "guest.h"

#define MISSES	  2 /* index of the rig's event */
#define INSNS	  1
#define NO_REGION 0xffff

struct sampling {
	struct rig rig; /* must be first, because a rig is cast to its test */
	uint64_t loop, branch;
	bool missed; /* the present instruction missed */
};

struct sample {
	uint64_t pc, region, event, late;
};

static bool take_sample(struct rig *r, struct sample *s)
{
	if (!rig_int(r, "g_take", 0, 0, 0))
		return false;
	machine_copy_out(r->m, machine_symbol(r->m, "g_out"), s, sizeof(*s));
	return true;
}

static uint64_t miss_in_loop(struct rig *r, uint64_t pc)
{
	struct sampling *s = (struct sampling *)r;

	if (r->m->level)
		return 0;
	if (pc != s->loop)
		s->missed = false;
	else if (!s->missed) {
		s->missed = true;
		machine_raise(r->m, PMK_SIG_L1D_MISS, 1);
	}
	return 0;
}

static void open_sampling(struct sampling *s, struct machine *m, bool interrupts, unsigned event,
			  uint32_t period, uint32_t size)
{
	*s = (struct sampling){ .missed = false };
	rig_reset(&s->rig, m);
	rig_open(&s->rig, interrupts);
	rig_sample(&s->rig, event, period, size);
	s->loop = machine_symbol(m, "g_spin_loop");
	s->branch = machine_symbol(m, "g_spin_branch");
	s->rig.boundary = miss_in_loop;
	rig_start(&s->rig);
}

/* ---- with interrupts ------------------------------------------------------------------------- */

static void test_exact(struct machine *m)
{
	struct sampling s;
	struct sample x;
	unsigned n = 0;

	open_sampling(&s, m, true, MISSES, 100, 64);
	/* These are enough samples to fill the ring seven times. */
	for (unsigned round = 0; round < 10; round++) {
		unsigned in_region = 0, outside = 0;

		machine_call(m, "g_region", 2500, 0, 0);
		machine_call(m, "g_spin", 2000, 0, 0);
		for (n = 0; take_sample(&s.rig, &x); n++) {
			CHECK(x.pc == s.loop, "sample %u at 0x%llx", n, (ull)x.pc);
			CHECK(x.event == MISSES && !x.late, "sample %u: event %llu, late %llu", n,
			      (ull)x.event, (ull)x.late);
			in_region += x.region == 0;
			outside += x.region == NO_REGION;
		}
		CHECK(n == 45 && in_region == 25 && outside == 20,
		      "%u samples, %u in the region, %u outside", n, in_region, outside);
	}
	rig_read(&s.rig, "all");
	CHECK(machine_number(m, "g_totals", MISSES) == 45000, "total %llu",
	      (ull)machine_number(m, "g_totals", MISSES));
	CHECK(!machine_call(m, "g_dropped", 0, 0, 0), "samples were dropped");
}

static void test_regions(struct machine *m)
{
	unsigned inner = 0, outer = 0;
	struct sampling s;
	struct sample x;

	open_sampling(&s, m, true, MISSES, 64, 64);
	machine_call(m, "g_region_nested", 640, 320, 3);
	while (take_sample(&s.rig, &x)) {
		CHECK(x.region < 2, "region %llu", (ull)x.region);
		inner += x.region == 1;
		outer += x.region == 0;
	}
	CHECK(inner == 15 && outer == 20, "%u inner, %u outer", inner, outer);
}

/* A full ring keeps the oldest samples, and counts the samples that it could not store. */
static void test_full_ring(struct machine *m)
{
	struct sampling s;
	struct sample x;
	unsigned n;

	open_sampling(&s, m, true, MISSES, 100, 4);
	for (unsigned round = 1; round <= 3; round++) {
		machine_call(m, "g_spin", 1000, 0, 0);
		for (n = 0; take_sample(&s.rig, &x); n++)
			;
		CHECK(n == 4 && machine_call(m, "g_dropped", 0, 0, 0) == 6 * round,
		      "%u samples, %llu dropped", n, (ull)machine_call(m, "g_dropped", 0, 0, 0));
	}
	rig_read(&s.rig, "full ring");
	CHECK(machine_number(m, "g_totals", MISSES) == 3000, "total");
}

/*
 * Samples instructions. The handler's instructions are also counted, so the distance of two samples
 * is the period plus some instructions of the handler.
 */
static void sample_instructions(struct machine *m, uint32_t period)
{
	struct sampling s;
	uint64_t truth, n = 0;
	struct sample x;

	open_sampling(&s, m, true, INSNS, period, 64);
	for (unsigned i = 0; i < 10; i++) {
		machine_call(m, "g_spin", 4 * period, 0, 0);
		for (; take_sample(&s.rig, &x); n++)
			CHECK(x.event == INSNS && (x.late || period > 500), "event %llu, late %llu",
			      (ull)x.event, (ull)x.late);
	}
	n += machine_call(m, "g_dropped", 0, 0, 0);
	rig_read(&s.rig, "instructions");
	truth = s.rig.seen[0][INSNS] + s.rig.lost[INSNS] - s.rig.zero[INSNS];
	/*
	 * An interrupt comes `period` instructions after the handler reset the counter. The handler
	 * resets it again at most 1200 instructions later.
	 */
	CHECK(n <= truth / period + 1 && n >= truth / (period + 1200) - 1,
	      "period %u: %llu samples in %llu instructions", period, (ull)n, (ull)truth);
	CHECK(s.rig.most_lost < 200, "%llu lost at once", (ull)s.rig.most_lost);
	printf("period %u: %llu samples in %llu instructions, %llu lost\n", period, (ull)n,
	       (ull)truth, (ull)s.rig.lost[INSNS]);
}

static void test_instructions(struct machine *m)
{
	sample_instructions(m, 100000);
	sample_instructions(m, 5000);
	/*
	 * If the period is shorter than the handler, the handler runs again and again, but the
	 * program still advances.
	 */
	sample_instructions(m, 300);
}

static void test_two_events(struct machine *m)
{
	unsigned n[3] = { 0, 0, 0 };
	struct sampling s;
	struct sample x;

	s = (struct sampling){ .missed = false };
	rig_reset(&s.rig, m);
	rig_open(&s.rig, true);
	rig_sample(&s.rig, MISSES, 100, 64);
	rig_sample(&s.rig, INSNS, 10000, 64);
	s.loop = machine_symbol(m, "g_spin_loop");
	s.rig.boundary = miss_in_loop;
	rig_start(&s.rig);
	for (unsigned i = 0; i < 20; i++) {
		machine_call(m, "g_spin", 2000, 0, 0);
		while (take_sample(&s.rig, &x))
			n[x.event]++;
	}
	rig_read(&s.rig, "two events");
	CHECK(n[MISSES] == 400 && n[INSNS] >= 7 && !n[0], "%u misses, %u instructions", n[MISSES],
	      n[INSNS]);
}

/* ---- the region while it changes ------------------------------------------------------------- */

struct moment {
	struct rig rig; /* must be first, because a rig is cast to its test */
	uint64_t position, began;
	bool done;
};

static uint64_t overflow_there(struct rig *r, uint64_t pc)
{
	struct moment *t = (struct moment *)r;

	(void)pc;
	if (t->done || r->m->level || r->m->executed - t->began != t->position)
		return 0;
	t->done = true;
	rig_approach(r, MISSES, 0);
	return 0;
}

/*
 * A sample at any instruction of BEGIN belongs to the new region or to none, but never to a region
 * that has ended.
 */
static void test_region_of_sample(struct machine *m)
{
	struct moment t = { .done = true };
	unsigned none = 0, new = 0;

	rig_reset(&t.rig, m);
	rig_open(&t.rig, true);
	rig_sample(&t.rig, MISSES, 1000, 64);
	rig_start(&t.rig);
	t.rig.boundary = overflow_there;
	for (t.position = 0;; t.position++) {
		struct sample x;

		OK(&t.rig, "g_begin", 1, 0, 0);
		OK(&t.rig, "g_end", 1, 0, 0);
		t.done = false;
		t.began = m->executed;
		OK(&t.rig, "g_begin", 2, 0, 0);
		if (!t.done)
			break;
		OK(&t.rig, "g_end", 2, 0, 0);
		CHECK(take_sample(&t.rig, &x), "no sample");
		CHECK(x.region == 2 || x.region == NO_REGION,
		      "instruction %llu of BEGIN: region %llu", (ull)t.position, (ull)x.region);
		new += x.region == 2;
		none += x.region == NO_REGION;
	}
	CHECK(new &&none, "%u in the region, %u in none", new, none);
}

/* ---- polled ---------------------------------------------------------------------------------- */

static void test_polled(struct machine *m)
{
	static const struct {
		uint32_t between; /* misses between two polls */
		unsigned samples, late;
	} rows[] = {
		{ 50, 50, 0 }, /* every second poll finds a sample */
		{ 100, 100, 0 },
		{ 250, 100, 100 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned n = 0, late = 0;
		struct sampling s;
		struct sample x;

		open_sampling(&s, m, false, MISSES, 100, 64);
		for (unsigned k = 0; k < 100; k++) {
			machine_call(m, "g_spin", rows[i].between, 0, 0);
			machine_call(m, "g_poll", 0, 0, 0);
			for (; take_sample(&s.rig, &x); n++) {
				late += x.late;
				CHECK(!x.pc && x.event == MISSES, "sample at 0x%llx", (ull)x.pc);
			}
		}
		CHECK(n == rows[i].samples && late == rows[i].late, "row %zu: %u samples, %u late",
		      i, n, late);
		rig_read(&s.rig, "polled");
		CHECK(machine_number(m, "g_totals", MISSES) == 100 * rows[i].between, "total");
	}
}

/* While interrupts are on, polling takes no samples. */
static void test_poll_with_interrupts(struct machine *m)
{
	struct sampling s;
	struct sample x;

	open_sampling(&s, m, true, MISSES, 100, 64);
	s.rig.isr = 0; /* the handler does not run */
	machine_call(m, "g_spin", 150, 0, 0);
	CHECK(rig_int(&s.rig, "g_poll", 0, 0, 0) == 0, "poll has served");
	CHECK(!take_sample(&s.rig, &x), "a sample");
}

const struct test sample_tests[] = {
	{ "sample_exact", test_exact },
	{ "sample_regions", test_regions },
	{ "sample_full_ring", test_full_ring },
	{ "sample_instructions", test_instructions },
	{ "sample_two_events", test_two_events },
	{ "sample_region_of_begin", test_region_of_sample },
	{ "sample_polled", test_polled },
	{ "sample_poll_with_interrupts", test_poll_with_interrupts },
	{ 0 },
};
