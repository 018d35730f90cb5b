// SPDX-License-Identifier: MIT
/*
 * Regions and tasks have the right counts, on code with a known number of instructions. An
 * instruction takes one cycle, and the test raises the misses, so all net counts are known.
 *
 * Setting up the arguments of END may take up to SETUP instructions more or less than in the
 * library's calibration, depending on the compiler.
 */
#include <math.h>
#include <string.h>

#include "rig.h"

#include "guest.h"

#define CYCLES	 0 /* indices of the rig's events */
#define INSNS	 1
#define MISSES	 2
#define SETUP	 2
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Instructions of g_spin(n) and of its call. */
#define SPIN(n) (2 * (n) + 3 + 2)

struct sums {
	uint64_t count, errors, raw, net, min, max;
};

static struct sums sums(struct rig *r, unsigned region, unsigned event)
{
	struct sums s;

	machine_call(r->m, "g_region_sums", region, event, 0);
	machine_copy_out(r->m, machine_symbol(r->m, "g_out"), &s, sizeof(s));
	return s;
}

static void forget(struct rig *r)
{
	for (unsigned i = 0; i < G_REGIONS; i++)
		OK(r, "g_region_reset", i, 0, 0);
}

static void open_rig(struct rig *r, struct machine *m, bool interrupts)
{
	rig_reset(r, m);
	rig_open(r, interrupts);
	rig_start(r);
}

static bool near(uint64_t a, uint64_t b, uint64_t tolerance)
{
	return a - b + tolerance <= 2 * tolerance;
}

/* ---- nets ------------------------------------------------------------------------------------ */

static void test_empty(struct machine *m)
{
	struct rig r;

	open_rig(&r, m, true);
	for (unsigned i = 0; i < 10; i++)
		machine_call(m, "g_region_empty", 0, 0, 0);
	for (unsigned e = CYCLES; e <= MISSES; e++) {
		struct sums s = sums(&r, 0, e);

		CHECK(s.count == 10 && !s.errors, "%llu times, %llu errors", (ull)s.count,
		      (ull)s.errors);
		CHECK(s.max <= (e == MISSES ? 0 : SETUP) && s.min == s.max,
		      "an empty region counts %llu to %llu of event %u", (ull)s.min, (ull)s.max, e);
		machine_call(m, "g_costs", e, 0, 0);
		CHECK(near(s.raw, 10 * machine_number(m, "g_out", 0), 10 * SETUP), "raw %llu",
		      (ull)s.raw);
	}
}

/* n more instructions in the region add exactly n to its net count. */
static void test_leaf(struct machine *m)
{
	uint64_t executed[2], net[2];
	struct rig r;

	open_rig(&r, m, true);
	for (uint32_t n = 1; n <= 100000; n = n * 3 + 1) {
		struct sums cycles;

		for (unsigned k = 0; k < 2; k++) {
			uint64_t before = m->executed;

			machine_call(m, "g_region", k ? n : 1, 0, 0);
			executed[k] = m->executed - before;
			net[k] = sums(&r, 0, INSNS).net;
			cycles = sums(&r, 0, CYCLES);
			forget(&r);
		}
		CHECK(net[1] - net[0] == executed[1] - executed[0], "%u: net %llu more, truth %llu",
		      n, (ull)(net[1] - net[0]), (ull)(executed[1] - executed[0]));
		CHECK(near(net[1], SPIN(n), SETUP), "%u: net %llu, truth %u", n, (ull)net[1],
		      SPIN(n));
		CHECK(cycles.net == net[1], "%u: %llu cycles, %llu instructions", n,
		      (ull)cycles.net, (ull)net[1]);
	}
}

/*
 * An outer region counts what its inner regions count and what is between them, without the cost of
 * measuring the inner regions.
 */
static void test_nested(struct machine *m)
{
	uint64_t alone, one;
	struct rig r;

	open_rig(&r, m, true);
	machine_call(m, "g_region_nested", 10, 0, 0);
	alone = sums(&r, 0, INSNS).net;
	CHECK(near(alone, 2 * SPIN(10) + 4, 2 * SETUP), "alone: %llu", (ull)alone);
	for (uint32_t times = 1; times <= 64; times *= 4) {
		struct sums outer, inner;

		forget(&r);
		machine_call(m, "g_region_nested", 10, 100, times);
		outer = sums(&r, 0, INSNS);
		inner = sums(&r, 1, INSNS);
		CHECK(inner.count == times && outer.count == 1, "%llu, %llu times",
		      (ull)inner.count, (ull)outer.count);
		one = inner.net / times;
		CHECK(near(one, SPIN(100), SETUP), "inner: %llu", (ull)one);
		/*
		 * In each iteration, the loop and the arguments of BEGIN take at most ten
		 * instructions.
		 */
		CHECK(outer.net >= alone + inner.net &&
			      outer.net <= alone + inner.net + 10 * times + 10,
		      "%u times: outer %llu, inner %llu, alone %llu", times, (ull)outer.net,
		      (ull)inner.net, (ull)alone);
	}
}

/*
 * With three nested regions, the counts of an event that pmk's own code does not raise are exact in
 * each region.
 */
static void test_levels(struct machine *m)
{
	struct rig r;

	open_rig(&r, m, true);
	for (unsigned level = 0; level < G_REGIONS; level++) {
		OK(&r, "g_begin", level, 0, 0);
		machine_raise(m, PMK_SIG_L1D_MISS, 100 + level);
	}
	for (unsigned level = G_REGIONS; level--;) {
		machine_raise(m, PMK_SIG_L1D_MISS, 1000 + level);
		OK(&r, "g_end", level, 0, 0);
	}
	CHECK(sums(&r, 2, MISSES).net == 102 + 1002, "innermost");
	CHECK(sums(&r, 1, MISSES).net == 102 + 1002 + 101 + 1001, "middle");
	CHECK(sums(&r, 0, MISSES).net == 102 + 1002 + 101 + 1001 + 100 + 1000, "outermost");
	/* A region may begin three times without an END. Each END closes the most recent one. */
	for (unsigned i = 0; i < 3; i++)
		OK(&r, "g_begin", 0, 0, 0);
	machine_raise(m, PMK_SIG_L1D_MISS, 5);
	for (unsigned i = 0; i < 3; i++)
		OK(&r, "g_end", 0, 0, 0);
	CHECK(sums(&r, 0, MISSES).net == 102 + 1002 + 101 + 1001 + 100 + 1000 + 15, "recursive");
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void check_series(struct rig *r, const uint64_t *x, unsigned n)
{
	long double sum = 0, squares = 0, mean, deviation;
	uint64_t least = UINT64_MAX, most = 0;
	struct sums s;

	forget(r);
	for (unsigned i = 0; i < n; i++) {
		OK(r, "g_begin", 0, 0, 0);
		machine_raise(r->m, PMK_SIG_L1D_MISS, x[i]);
		OK(r, "g_end", 0, 0, 0);
		sum += (long double)x[i];
		least = x[i] < least ? x[i] : least;
		most = x[i] > most ? x[i] : most;
	}
	mean = sum / n;
	for (unsigned i = 0; i < n; i++)
		squares += ((long double)x[i] - mean) * ((long double)x[i] - mean);
	deviation = n > 1 ? sqrtl(squares / (n - 1)) : 0;
	s = sums(r, 0, MISSES);
	CHECK(s.count == n && s.net == (uint64_t)sum && s.raw == s.net && s.min == least &&
		      s.max == most,
	      "%u values: count %llu, net %llu, %llu to %llu", n, (ull)s.count, (ull)s.net,
	      (ull)s.min, (ull)s.max);
	machine_call(r->m, "g_region_spread", 0, MISSES, 0);
	CHECK(near(machine_number(r->m, "g_out", 0), (uint64_t)llroundl(mean * 1000), 0),
	      "%u values: mean %llu, truth %.3Lf", n, (ull)machine_number(r->m, "g_out", 0), mean);
	CHECK(near(machine_number(r->m, "g_out", 1), (uint64_t)llroundl(deviation * 1000), 0),
	      "%u values: deviation %llu, truth %.3Lf", n, (ull)machine_number(r->m, "g_out", 1),
	      deviation);
}

static void test_series(struct machine *m)
{
	static const uint64_t one[] = { 17 }, same[] = { 9, 9, 9, 9 }, zero[] = { 0, 0 },
			      mixed[] = { 2, 4, 4, 4, 5, 5, 7, 9 },
			      large[] = { 1000000007, 1000000000, 999999999, 2000000000, 1 };
	struct rig r;

	open_rig(&r, m, true);
	check_series(&r, one, COUNT(one));
	check_series(&r, same, COUNT(same));
	check_series(&r, zero, COUNT(zero));
	check_series(&r, mixed, COUNT(mixed));
	check_series(&r, large, COUNT(large));
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void test_unmatched(struct machine *m)
{
	struct rig r;

	open_rig(&r, m, true);
	CHECK(rig_int(&r, "g_end", 0, 0, 0) == PMK_EINVAL, "END without BEGIN");
	CHECK(sums(&r, 0, 0).errors == 1, "END without BEGIN");
	CHECK(rig_int(&r, "g_begin", G_REGIONS, 0, 0) == PMK_EINVAL, "no such region");
	CHECK(rig_int(&r, "g_end", G_REGIONS, 0, 0) == PMK_EINVAL, "no such region");
	/* If a BEGIN has no END, the END of the outer region drops the inner one, and counts. */
	OK(&r, "g_begin", 0, 0, 0);
	OK(&r, "g_begin", 1, 0, 0);
	OK(&r, "g_begin", 2, 0, 0);
	OK(&r, "g_end", 0, 0, 0);
	CHECK(sums(&r, 0, 0).count == 1 && sums(&r, 1, 0).errors == 1 && sums(&r, 2, 0).errors == 1,
	      "dropped regions");
	CHECK(!sums(&r, 1, 0).count && !sums(&r, 2, 0).count, "dropped regions have counted");
	machine_call(m, "g_costs", 0, 0, 0);
	CHECK(machine_number(m, "g_out", 2) == 0, "a region is still open");
}

/*
 * An END that cannot read the counters still closes its region, however often this happens. The
 * region around it and the region after it still count.
 */
static void test_busy(struct machine *m)
{
	struct rig r;

	open_rig(&r, m, true);
	for (unsigned i = 1; i <= 20; i++) {
		OK(&r, "g_begin", 0, 0, 0);
		OK(&r, "g_begin", 1, 0, 0);
		CHECK(rig_int(&r, "g_busy_end", 1, 0, 0) == PMK_EBUSY, "END %u", i);
		OK(&r, "g_end", 0, 0, 0);
		CHECK(sums(&r, 0, 0).count == i && !sums(&r, 0, 0).errors, "around END %u", i);
		CHECK(!sums(&r, 1, 0).count && sums(&r, 1, 0).errors == i, "END %u", i);
	}
	CHECK(rig_int(&r, "g_busy_end", 1, 0, 0) == PMK_EINVAL, "END without BEGIN");
	OK(&r, "g_begin", 1, 0, 0);
	OK(&r, "g_end", 1, 0, 0);
	CHECK(sums(&r, 1, 0).count == 1 && sums(&r, 1, 0).errors == 21, "the one after them");
	machine_call(m, "g_costs", 0, 0, 0);
	CHECK(machine_number(m, "g_out", 2) == 0, "a region is still open");
}

/*
 * Up to eight regions can be open. Further regions are not measured, but their ENDs still close
 * them.
 */
static void test_too_deep(struct machine *m)
{
	struct rig r;

	open_rig(&r, m, true);
	for (unsigned i = 0; i < 8; i++)
		OK(&r, "g_begin", 0, 0, 0);
	for (unsigned i = 0; i < 3; i++)
		CHECK(rig_int(&r, "g_begin", 1, 0, 0) == PMK_ERANGE, "level %u", 8 + i);
	for (unsigned i = 0; i < 3; i++)
		CHECK(rig_int(&r, "g_end", 1, 0, 0) == PMK_ERANGE, "level %u", 8 + i);
	for (unsigned i = 0; i < 8; i++)
		OK(&r, "g_end", 0, 0, 0);
	CHECK(sums(&r, 0, 0).count == 8 && !sums(&r, 0, 0).errors, "the eight");
	CHECK(sums(&r, 1, 0).count == 0 && sums(&r, 1, 0).errors == 3, "the three");
	OK(&r, "g_begin", 1, 0, 0);
	OK(&r, "g_end", 1, 0, 0);
	CHECK(sums(&r, 1, 0).count == 1, "not back at the bottom");
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void check_task(struct rig *r, unsigned task, uint64_t misses)
{
	OK(r, "g_task_read", task, 0, 0);
	CHECK(machine_number(r->m, "g_totals", MISSES) == misses, "task %u: %llu, truth %llu", task,
	      (ull)machine_number(r->m, "g_totals", MISSES), (ull)misses);
}

/*
 * Each task and its regions count what happened while the task ran. Events between tasks belong to
 * no task.
 */
static void test_tasks(struct machine *m)
{
	uint64_t misses[3] = { 0, 0, 0 }, random = 7;
	unsigned now = 0;
	struct rig r;

	open_rig(&r, m, true);
	for (unsigned i = 0; i < 3; i++) {
		OK(&r, "g_switch_out", 0, 0, 0);
		OK(&r, "g_switch_in", i, 0, 0);
		OK(&r, "g_begin", i, 0, 0);
		now = i;
	}
	for (unsigned i = 0; i < 200; i++) {
		uint64_t n = below(&random, 1000000);

		misses[now] += n;
		machine_raise(m, PMK_SIG_L1D_MISS, n);
		for (unsigned t = 0; t < 3; t++)
			check_task(&r, t, misses[t]);
		OK(&r, "g_switch_out", 0, 0, 0);
		machine_raise(m, PMK_SIG_L1D_MISS, below(&random, 1000)); /* the scheduler */
		now = (unsigned)below(&random, 3);
		OK(&r, "g_switch_in", now, 0, 0);
	}
	for (unsigned i = 0; i < 3; i++) {
		OK(&r, "g_switch_out", 0, 0, 0);
		OK(&r, "g_switch_in", i, 0, 0);
		OK(&r, "g_end", i, 0, 0);
		CHECK(sums(&r, i, MISSES).net == misses[i], "region of task %u: %llu, truth %llu",
		      i, (ull)sums(&r, i, MISSES).net, (ull)misses[i]);
		CHECK(!sums(&r, i, 0).errors, "region of task %u", i);
	}
}

/* ---- locks ----------------------------------------------------------------------------------- */

struct locked {
	struct rig rig; /* must be first, because a rig is cast to its test */
	uint64_t position, began;
	bool entered;
};

static uint64_t enter_region(struct rig *r, uint64_t pc)
{
	struct locked *l = (struct locked *)r;

	(void)pc;
	if (l->entered || r->m->level || r->m->executed - l->began < l->position ||
	    machine_masked(r->m))
		return 0;
	l->entered = true;
	return machine_symbol(r->m, "g_isr_region");
}

/*
 * A handler that measures itself interrupts a region at each instruction that can be interrupted.
 * With locks, both regions stay consistent. The interrupted region contains the handler's region
 * completely, or not at all.
 */
static void test_locks(struct machine *m)
{
	uint64_t locks, unlocks, inner = 0, outer = 0;
	struct locked l = { .began = 0 };
	uint32_t counts[2];

	rig_reset(&l.rig, m);
	rig_open(&l.rig, true);
	OK(&l.rig, "g_use_locks", 0, 0, 0);
	rig_start(&l.rig);
	l.rig.boundary = enter_region;
	for (l.position = 0;; l.position++) {
		struct sums a, b;

		forget(&l.rig);
		l.began = m->executed;
		l.entered = false;
		machine_call(m, "g_region", 20, 0, 0);
		if (!l.entered)
			break;
		l.entered = true;
		a = sums(&l.rig, 0, INSNS);
		b = sums(&l.rig, 1, INSNS);
		CHECK(a.count == 1 && b.count == 1 && !a.errors && !b.errors,
		      "position %llu: %llu and %llu times, %llu and %llu errors", (ull)l.position,
		      (ull)a.count, (ull)b.count, (ull)a.errors, (ull)b.errors);
		CHECK(near(b.net, SPIN(3), SETUP), "position %llu: inner %llu", (ull)l.position,
		      (ull)b.net);
		if (near(a.net, SPIN(20), SETUP))
			outer++;
		else
			inner++;
		/* The handler executes few instructions around its region. */
		CHECK(near(a.net, SPIN(20), SETUP) ||
			      (a.net > SPIN(20) + b.net && a.net < SPIN(20) + b.net + 60),
		      "position %llu: outer %llu, inner %llu", (ull)l.position, (ull)a.net,
		      (ull)b.net);
	}
	CHECK(inner > SPIN(20) && outer > 10, "%llu inside, %llu outside", (ull)inner, (ull)outer);
	machine_copy_out(m, machine_symbol(m, "g_locks"), &counts[0], 4);
	machine_copy_out(m, machine_symbol(m, "g_unlocks"), &counts[1], 4);
	locks = counts[0];
	unlocks = counts[1];
	CHECK(locks == unlocks && locks > 4 * l.position, "%llu locks, %llu unlocks", (ull)locks,
	      (ull)unlocks);
	CHECK(!machine_masked(m), "interrupts stay masked");
	printf("%llu positions: %llu inside, %llu outside\n", (ull)l.position, (ull)inner,
	       (ull)outer);
}

const struct test region_tests[] = {
	{ "region_empty", test_empty },
	{ "region_leaf", test_leaf },
	{ "region_nested", test_nested },
	{ "region_levels", test_levels },
	{ "region_series", test_series },
	{ "region_unmatched", test_unmatched },
	{ "region_busy", test_busy },
	{ "region_too_deep", test_too_deep },
	{ "tasks", test_tasks },
	{ "locks", test_locks },
	{ 0 },
};
