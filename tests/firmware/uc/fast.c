// SPDX-License-Identifier: MIT
/*
 * The inline pair of <pmk/fast.h> costs few instructions in machine code, and measures correctly.
 */
#include "rig.h"

#define SPUN 1000

struct edge {
	uint64_t instructions, barriers;
	uint64_t reads, writes;
};

struct counted {
	struct rig rig;	   /* must be first, because a rig is cast to its test */
	uint64_t label[4]; /* addresses of begin, begun, end, ended */
	struct edge *in, edge[2];
	uint64_t accesses;
	uint64_t when[2][MAX_EVENTS]; /* the true counts when each edge reads the counter */
};

static uint64_t count(struct rig *r, uint64_t pc)
{
	struct counted *c = (struct counted *)r;
	uint32_t word;

	if (c->in)
		c->in->reads += r->m->accesses - c->accesses;
	c->accesses = r->m->accesses;
	for (unsigned i = 0; i < 4; i++) {
		if (pc != c->label[i])
			continue;
		c->in = i % 2 ? NULL : &c->edge[i / 2];
		for (unsigned e = 0; e < r->nevents; e++)
			c->when[i / 2][e] = r->seen[0][e];
	}
	if (!c->in)
		return 0;
	machine_copy_out(r->m, pc, &word, sizeof(word));
	c->in->instructions++;
	c->in->barriers += word == 0xd5033fdf; /* ISB */
	return 0;
}

static void test_fast(struct machine *m)
{
	bool a64 = machine_is_a64(m);
	struct counted c = { .in = NULL };

	rig_reset(&c.rig, m);
	rig_open(&c.rig, true);
	rig_start(&c.rig);
	c.label[0] = machine_symbol(m, "g_fast_begin");
	c.label[1] = machine_symbol(m, "g_fast_begun");
	c.label[2] = machine_symbol(m, "g_fast_end");
	c.label[3] = machine_symbol(m, "g_fast_ended");
	c.accesses = m->accesses;
	c.rig.boundary = count;
	machine_call(m, "g_fast", SPUN, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		const struct edge *e = &c.edge[i];

		printf("%s: %llu instructions, %llu reads, %llu barriers\n", i ? "end" : "begin",
		       (ull)e->instructions, (ull)e->reads, (ull)e->barriers);
		CHECK(e->instructions <= 12 && e->reads == 3 && e->barriers == a64,
		      "%llu instructions, %llu reads, %llu barriers", (ull)e->instructions,
		      (ull)e->reads, (ull)e->barriers);
	}
	for (unsigned i = 0; i < 3; i++)
		CHECK(machine_number(m, "g_out", i) == c.when[1][i] - c.when[0][i],
		      "event %u: %llu, truth %llu", i, (ull)machine_number(m, "g_out", i),
		      (ull)(c.when[1][i] - c.when[0][i]));
	/*
	 * The cycle counter is read last at the begin and first at the end. Between these reads are
	 * only the code, its call, and at most six instructions that store the readings.
	 */
	CHECK(machine_number(m, "g_out", 0) >= 2 * SPUN + 3 + 2 &&
		      machine_number(m, "g_out", 0) <= 2 * SPUN + 3 + 2 + 6,
	      "%llu cycles", (ull)machine_number(m, "g_out", 0));
}

/* The difference is right modulo 2^32, even if a counter wraps in the region. */
static void test_wrap(struct machine *m)
{
	uint64_t plain[3];
	struct rig r;

	rig_reset(&r, m);
	rig_open(&r, false);
	rig_start(&r);
	machine_call(m, "g_fast", SPUN, 0, 0);
	for (unsigned i = 0; i < 3; i++)
		plain[i] = machine_number(m, "g_out", i);
	for (unsigned i = 0; i < r.nevents; i++)
		if (r.event[i].wraps)
			rig_approach(&r, i, SPUN);
	machine_call(m, "g_fast", SPUN, 0, 0);
	for (unsigned i = 0; i < 3; i++)
		CHECK(machine_number(m, "g_out", i) == plain[i], "event %u: %llu, want %llu", i,
		      (ull)machine_number(m, "g_out", i), (ull)plain[i]);
	CHECK(rig_pending(&r, 1), "no counter wrapped");
}

const struct test fast_tests[] = {
	{ "fast", test_fast },
	{ "fast_wrap", test_wrap },
	{ 0 },
};
