// SPDX-License-Identifier: MIT
/*
 * Computes when the core must stop next: before a counter can wrap, at the end of an interval or of
 * the sampled piece, or when the delay before counting is over.
 */
#include "producer/session/emulated_internal.h"

/*
 * A number greater than the most signals of one kind in a cycle. A load multiple touches three
 * lines in its one issue cycle, an evicted line has two halves, and two instructions retire in a
 * cycle when one of them is folded.
 */
#define MAX_PER_CYCLE 32
/* The minimum time between polls when a counter is close to wrapping. */
#define MIN_POLL      256
/* The minimum time between checks when a sampled piece is about to end. */
#define PIECE_STEP    4096

/* Returns the time up to which no counter of any model can overflow. The models have told the bus
 * the total of each signal at which they must be updated, which is the horizon of that signal. */
static uint64_t poll_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	uint64_t near = PMK_NEVER;

	/* The PMU on the buses has no overflow flags. Its 32-bit counters count at most once per
	 * cycle, so none of them can wrap between two polls. */
	if (pmk_emulated_on_buses(e))
		return e->cpu.cycles + PMK_BIU_LAG * e->chip.biu.ratio;
	for (unsigned s = 0; s < PMK_NSIGNALS; s++) {
		uint64_t h = pmk_bus_horizon(&e->bus, s);

		if (h != PMK_NEVER && s != PMK_SIG_CYCLE)
			h /= MAX_PER_CYCLE;
		if (h < near)
			near = h;
	}
	if (near == PMK_NEVER)
		return PMK_NEVER;
	/* Do not poll too often, unless rare polls would delay the interval timer or an interrupt
	 * of the guest. */
	if (near < MIN_POLL && !e->session.plan.timed && !cfg->guest)
		near = MIN_POLL;
	return e->cpu.cycles + near;
}

static void ask_models(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	const struct pmk_model_ops *guest = pmk_emulated_guest_ops(cfg);

	pmk_bus_forget(&e->bus);
	for (unsigned i = 0; i < e->session.plan.npasses; i++)
		pmk_model_find(e->session.pass[i].dev.pmu)->ask(e->model[i], &e->bus);
	if (guest) {
		guest->sync(e->guest, pmk_emulated_counted_bus(e));
		guest->ask(e->guest, pmk_emulated_counted_bus(e));
	}
}

/* Returns the earliest time, in cycles, at which the core can have executed `due` instructions. At
 * most a fixed number of instructions can execute per cycle, so the core may stop several times
 * before `due`, after ever smaller steps. */
static uint64_t insns_deadline(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			       uint64_t due)
{
	uint64_t insns = e->bus.total[PMK_SIG_INSN];
	uint64_t most = pmk_core_family(&cfg->core)->counts->insns_per_cycle(&cfg->core);

	return e->cpu.cycles + (due > insns ? (due - insns + most - 1) / most : 1);
}

/* Returns the earliest time at which the sampled piece can end. A piece may end later than planned,
 * because its length is measured when it has ended. */
static uint64_t piece_deadline(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	uint64_t due;

	if (e->phase == PMK_UNITS_WHOLE || e->phase == PMK_UNITS_REST)
		return PMK_NEVER;
	due = insns_deadline(e, cfg, e->phase_due);
	return due < e->cpu.cycles + PIECE_STEP ? e->cpu.cycles + PIECE_STEP : due;
}

/* Returns the earliest time, in cycles, at which the running interval can end. */
static uint64_t interval_deadline(const struct pmk_emulated *e,
				  const struct pmk_emulated_config *cfg)
{
	if (cfg->units.head)
		return piece_deadline(e, cfg);
	if (cfg->interval_unit == PMK_INTERVAL_NONE || e->interval_due == PMK_NEVER ||
	    cfg->plan.timed)
		return PMK_NEVER; /* the interval timer of the PMU ends these intervals */
	if (cfg->interval_unit == PMK_INTERVAL_CYCLES)
		return e->interval_due;
	return insns_deadline(e, cfg, e->interval_due);
}

void pmk_emulated_set_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	uint64_t poll, interval;

	ask_models(e, cfg);
	poll = poll_deadline(e, cfg);
	interval = interval_deadline(e, cfg);
	if (e->delay_due < interval)
		interval = e->delay_due;
	e->cpu.deadline = poll < interval ? poll : interval;
}

/* Returns the position of the core, in the unit of the intervals. */
static uint64_t interval_clock(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	return cfg->interval_unit == PMK_INTERVAL_CYCLES ? e->cpu.cycles
							 : e->bus.total[PMK_SIG_INSN];
}

void pmk_emulated_first_interval(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	e->interval_due = cfg->interval_unit == PMK_INTERVAL_NONE
				  ? PMK_NEVER
				  : interval_clock(e, cfg) + cfg->interval;
}

void pmk_emulated_delay(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			uint64_t cycles)
{
	if (cycles) {
		e->delay_due = e->cpu.cycles + cycles;
		e->interval_due = PMK_NEVER;
	} else {
		e->delay_due = PMK_NEVER;
		pmk_emulated_first_interval(e, cfg);
	}
	pmk_emulated_set_deadline(e, cfg);
}

uint64_t pmk_emulated_delay_left(const struct pmk_emulated *e)
{
	if (e->delay_due == PMK_NEVER)
		return 0;
	/* Counting begins with the first block after this time. */
	return e->delay_due > e->cpu.cycles ? e->delay_due - e->cpu.cycles : 1;
}

static bool interval_over(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	return cfg->interval_unit != PMK_INTERVAL_NONE && interval_clock(e, cfg) >= e->interval_due;
}

/* Handles the interrupt of the PMU's own interval timer, which shows that the interval is over. */
static int timer_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, struct pmk_reading *delta)
{
	const struct pmk_model_ops *ops = pmk_model_find(e->session.pass[0].dev.pmu);
	struct pmk_reading totals;
	bool over;
	int err;

	pmk_emulated_assume_level(e, cfg);
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	ops->sync(e->model[0], &e->bus);
	over = ops->lines(e->model[0]) != 0;
	err = over ? pmk_reading_tick(delta, &e->interval_total, &e->session)
		   : pmk_reading_take(&totals, &e->session);
	if (err && !e->error)
		e->error = err;
	pmk_emulated_set_deadline(e, cfg);
	return err ? err : over;
}

/* Begins to count, because the delay is over. */
static int begin_counting(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b)
{
	int err = pmk_emulated_read_session(e, cfg, b, &e->delayed);

	e->delayed_cycles = e->cpu.cycles - e->start_cycles;
	pmk_emulated_first_interval(e, cfg);
	/* Intervals in cycles count from the time when counting was due, not from the block in
	 * which it began. */
	if (cfg->interval_unit == PMK_INTERVAL_CYCLES)
		e->interval_due -= e->cpu.cycles - e->delay_due;
	e->delay_due = PMK_NEVER;
	pmk_emulated_set_deadline(e, cfg);
	return err;
}

int pmk_emulated_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, struct pmk_reading *delta)
{
	struct pmk_reading totals;
	bool over;
	int err;

	if (e->cpu.cycles >= e->delay_due)
		return begin_counting(e, cfg, b);
	if (cfg->plan.timed)
		return timer_deadline(e, cfg, b, delta);
	err = pmk_emulated_totals(e, cfg, b, &totals);
	over = interval_over(e, cfg);
	if (over) {
		pmk_reading_since(delta, &totals, &e->interval_total);
		e->interval_total = totals;
		e->interval_due +=
			(interval_clock(e, cfg) - e->interval_due) / cfg->interval * cfg->interval +
			cfg->interval;
	}
	pmk_emulated_set_deadline(e, cfg);
	return err ? err : over;
}
