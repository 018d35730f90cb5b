// SPDX-License-Identifier: MIT
/*
 * Random schedules of everything that a program may do with its counters. The counters count, jump
 * ahead and overflow. Interrupts come at once or late, wait while they are masked, or do not come
 * for a while. Readers interrupt other readings and handlers. All totals are right after each
 * reading, and never fall.
 *
 * Schedules obey the rules of <pmk/target.h>. After an overflow, the handler runs before the
 * counter has advanced by half of its range. During one reading, no counter advances by half of its
 * range.
 */
#include <string.h>

#include "rig.h"

#define SCHEDULES_ARM 100000
#define SCHEDULES_A64 30000
#define PER_START     500 /* schedules after one power-on */
#define HALF	      (UINT32_C(1) << 31)
#define MARGIN	      1000000 /* more instructions than a schedule executes */

struct schedule {
	struct rig rig; /* must be first, because a rig is cast to its schedule */
	uint64_t random;
	unsigned number;

	/*
	 * The present action began at instruction `began`. The counter of jump_event jumps by
	 * `jump` after jump_at more instructions, and a reader interrupts after reader_at.
	 */
	uint64_t began, jump_at, reader_at;
	unsigned jump_event;
	uint32_t jump;
	uint64_t due; /* when the interrupt comes; 0: none is requested */
	uint64_t reader_in_handler, handler_began;

	bool stopped, open;
	uint64_t last[MAX_EVENTS]; /* totals at the last reading */
	uint64_t begin[MAX_EVENTS], raw[MAX_EVENTS];
	bool interrupts;
	unsigned jumps, taken, readers;
};

/* ---- events during the schedule -------------------------------------------------------------- */

/* Lets a counter jump ahead by s->jump events, if the rules allow it. */
static void jump(struct schedule *s)
{
	struct rig *r = &s->rig;
	enum pmk_signal signal = r->event[s->jump_event].signal;
	uint32_t n = s->jump;

	for (unsigned i = 0; i < r->nevents; i++) {
		uint32_t value = (uint32_t)machine_peek(r->m, r->event[i].reg);

		if (r->event[i].signal != signal || !r->event[i].wraps || !rig_pending(r, i))
			continue;
		if (value >= HALF - MARGIN)
			return;
		if (n > HALF - MARGIN - value)
			n = HALF - MARGIN - value;
	}
	s->jumps++;
	machine_raise(r->m, signal, n);
}

static uint64_t happen(struct rig *r, uint64_t pc)
{
	struct schedule *s = (struct schedule *)r;
	struct machine *m = r->m;
	uint64_t now = m->executed - s->began;

	(void)pc;
	if (now >= s->jump_at && r->begins_at == PMK_NEVER) {
		s->jump_at = PMK_NEVER;
		jump(s);
	}
	if ((now >= s->reader_at && m->level == 0) ||
	    (m->level == 1 && m->executed - s->handler_began >= s->reader_in_handler)) {
		s->reader_at = s->reader_in_handler = PMK_NEVER;
		s->readers++;
		return machine_symbol(m, "g_read_inner");
	}
	return 0;
}

/* Decides whether an interrupt comes now. Half of the interrupts come late. */
static bool take(struct rig *r)
{
	struct schedule *s = (struct schedule *)r;
	uint64_t now = r->m->executed;

	if (!s->due)
		s->due = now + (below(&s->random, 2) ? below(&s->random, 600) : 0) + 1;
	if (now + 1 < s->due)
		return false;
	s->due = 0;
	s->taken++;
	s->handler_began = now;
	s->reader_in_handler = below(&s->random, 2) ? below(&s->random, 700) : PMK_NEVER;
	return true;
}

/*
 * Checks that the inner reader's result is the true count at its own accesses, which its level
 * distinguishes.
 */
static void check_inner(struct rig *r, uint64_t handler)
{
	struct schedule *s = (struct schedule *)r;
	unsigned level = r->m->level + 1;
	char when[64];

	if (handler != machine_symbol(r->m, "g_read_inner"))
		return;
	snprintf(when, sizeof(when), "schedule %u: inner reader at level %u", s->number, level);
	rig_check(r, "g_inner", level, when);
}

/* ---- actions --------------------------------------------------------------------------------- */

static void read_all(struct schedule *s)
{
	char when[64];

	OK(&s->rig, "g_read_all", 0, 0, 0);
	snprintf(when, sizeof(when), "schedule %u", s->number);
	rig_check(&s->rig, "g_totals", 0, when);
	for (unsigned i = 0; i < s->rig.nevents; i++) {
		uint64_t total = machine_number(s->rig.m, "g_totals", i);

		CHECK(total >= s->last[i], "%s: event %u falls", when, i);
		s->last[i] = total;
	}
}

static void spin(struct schedule *s)
{
	machine_call(s->rig.m, "g_spin", below(&s->random, 200), 0, 0);
}

static void masked(struct schedule *s)
{
	machine_call(s->rig.m, "g_masked", below(&s->random, 300), 0, 0);
}

static void stop_or_start(struct schedule *s)
{
	if (s->open) /* the end of the open region needs running counters */
		return;
	if (s->stopped)
		rig_start(&s->rig);
	else
		rig_stop(&s->rig);
	s->stopped = !s->stopped;
}

static void region(struct schedule *s)
{
	if (s->stopped)
		return;
	OK(&s->rig, s->open ? "g_end" : "g_begin", 0, 0, 0);
	for (unsigned i = 0; i < s->rig.nevents; i++) {
		if (!s->open) {
			s->begin[i] = s->rig.seen[0][i];
			continue;
		}
		s->raw[i] += s->rig.seen[0][i] - s->begin[i];
		machine_call(s->rig.m, "g_region_sums", 0, i, 0);
		CHECK(machine_number(s->rig.m, "g_out", 2) == s->raw[i],
		      "schedule %u: region, event %u: %llu, truth %llu", s->number, i,
		      (ull)machine_number(s->rig.m, "g_out", 2), (ull)s->raw[i]);
	}
	s->open = !s->open;
}

/*
 * Disables the interrupts of some counters for a while. PMNC contains both the enables and the
 * flags, so this reads and writes it.
 */
static void irq_off_and_on(struct schedule *s)
{
	uint32_t watched = (uint32_t)machine_call(s->rig.m, "g_watched", 0, 0, 0);

	if (!s->interrupts)
		return;
	OK(&s->rig, "g_irq_enable", watched & next_random(&s->random), 0, 0);
	spin(s);
	OK(&s->rig, "g_irq_enable", watched, 0, 0);
}

static void poll(struct schedule *s)
{
	machine_call(s->rig.m, "g_poll", 0, 0, 0);
}

static void (*const actions[])(struct schedule *) = {
	read_all, read_all, read_all,	   region,	   region,
	spin,	  masked,   stop_or_start, irq_off_and_on, poll,
};

static void act(struct schedule *s)
{
	uint32_t value;

	s->began = s->rig.m->executed;
	s->reader_at = below(&s->random, 4) ? PMK_NEVER : below(&s->random, 600);
	s->jump_at = below(&s->random, 800);
	s->jump_event = (unsigned)below(&s->random, s->rig.nevents);
	value = (uint32_t)machine_peek(s->rig.m, s->rig.event[s->jump_event].reg);
	/* Jumps to a point near the wrap, if the wrap is near enough, otherwise to any point. */
	s->jump = 0 - value - (uint32_t)below(&s->random, 1500);
	if (s->jump > HALF - MARGIN || below(&s->random, 4) == 0)
		s->jump = (uint32_t)below(&s->random, HALF - MARGIN);
	actions[below(&s->random, sizeof(actions) / sizeof(actions[0]))](s);
}

/* ---- running them ---------------------------------------------------------------------------- */

/* Switches the machine on. `sampled` is the event to sample, or -1. */
static void power_on(struct schedule *s, struct machine *m, bool interrupts, int sampled)
{
	struct schedule before = *s;

	*s = (struct schedule){
		.random = before.random,
		.number = before.number,
		.jumps = before.jumps,
		.taken = before.taken,
		.readers = before.readers,
		.interrupts = interrupts,
		.reader_in_handler = PMK_NEVER,
	};
	rig_reset(&s->rig, m);
	rig_open(&s->rig, interrupts);
	if (sampled >= 0)
		rig_sample(&s->rig, (unsigned)sampled, 5000 + (uint32_t)below(&s->random, 1000000),
			   64);
	rig_start(&s->rig);
	s->rig.boundary = happen;
	s->rig.returned = check_inner;
	s->rig.take = take;
}

static void run_schedules(struct machine *m, unsigned n, bool interrupts, int sampled)
{
	struct schedule s = { .random = 0x706d6b + n };

	for (s.number = 0; s.number < n; s.number++) {
		if (s.number % PER_START == 0)
			power_on(&s, m, interrupts, sampled);
		for (unsigned i = 2 + (unsigned)below(&s.random, 3); i; i--)
			act(&s);
		poll(&s);
		read_all(&s);
	}
	CHECK(s.jumps > n && s.readers > n / 4 && (!interrupts || s.taken > n / 4),
	      "%u jumps, %u interrupts, %u inner readers", s.jumps, s.taken, s.readers);
	printf("%u schedules: %u jumps, %u interrupts, %u inner readers\n", n, s.jumps, s.taken,
	       s.readers);
}

/*
 * Returns `percent` % of the number of schedules of this core. `make nightly` runs all schedules,
 * other runs a tenth.
 */
static unsigned share(const struct machine *m, unsigned percent)
{
	unsigned n = machine_is_armv8(m) ? SCHEDULES_A64 : SCHEDULES_ARM;

	return (rig_is_large() ? n : n / 10) / 100 * percent;
}

static void test_random_interrupts(struct machine *m)
{
	run_schedules(m, share(m, 70), true, -1);
}

static void test_random_polled(struct machine *m)
{
	run_schedules(m, share(m, 15), false, -1);
}

static void test_random_sampled(struct machine *m)
{
	run_schedules(m, share(m, 15), true, 2);
}

const struct test schedule_tests[] = {
	{ "random_interrupts", test_random_interrupts },
	{ "random_polled", test_random_polled },
	{ "random_sampled", test_random_sampled },
	{ 0 },
};
