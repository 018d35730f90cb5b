// SPDX-License-Identifier: MIT
/*
 * The counters of one emulated core. See emulated.h.
 *
 * Every number goes the long way: signals → bus → model's registers → driver → session. That is a few
 * microseconds per reading, and it is what makes the emulated path a test of the driver.
 */
#include "session/emulated.h"

#include <string.h>

/* No signal happens half as often per cycle: a load multiple touches three lines in its one issue
 * cycle, an evicted line is two halves, two instructions retire in a cycle when one is folded. */
#define MAX_PER_CYCLE 32
/* Ask no more often than this when a counter is close to wrapping. */
#define MIN_POLL      256

static int bind(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		const struct pmk_emulated_config *cfg, const struct pmk_pmu **pmu)
{
	const struct pmk_model_ops *ops;

	*pmu = pmk_pmu_find(cfg->pmu);
	ops = *pmu ? pmk_model_find(*pmu) : NULL;
	if (!ops || ops->size > PMK_MODEL_BYTES || cfg->plan.npasses > PMK_MAX_PASSES)
		return PMK_ENOTSUP;
	for (unsigned i = 0; i < cfg->plan.npasses; i++) {
		ports->model[i] = (struct pmk_model_port){
			.ops = ops,
			.model = e->model[i],
			.bus = &e->bus,
			.mode = PMK_MODE_PRIV,
		};
		ports->port[i] = pmk_port_model(&ports->model[i]);
	}
	return 0;
}

/* The horizon of all models, as a number of cycles that cannot overshoot it. */
static uint64_t poll_deadline(struct pmk_emulated *e)
{
	uint64_t near = PMK_NEVER;

	for (unsigned s = 0; s < PMK_NSIGNALS; s++) {
		uint64_t h = pmk_bus_horizon(&e->bus, s);

		if (h != PMK_NEVER && s != PMK_SIG_CYCLE)
			h /= MAX_PER_CYCLE;
		if (h < near)
			near = h;
	}
	if (near == PMK_NEVER)
		return PMK_NEVER;
	return e->cpu.cycles + (near < MIN_POLL ? MIN_POLL : near);
}

static void ask_models(struct pmk_emulated *e, const struct pmk_model_ops *ops)
{
	pmk_bus_forget(&e->bus);
	for (unsigned i = 0; i < e->session.plan.npasses; i++)
		ops->ask(e->model[i], &e->bus);
}

/* When the running interval could be over at the earliest, in cycles. */
static uint64_t interval_deadline(const struct pmk_emulated *e,
				  const struct pmk_emulated_config *cfg)
{
	uint64_t insns = e->bus.total[PMK_SIG_INSN];
	/* An ARM11 that folds a branch retires two. */
	uint64_t most = pmk_core_is_a64(&cfg->core) ? cfg->core.issue_width : 2;

	if (cfg->interval_unit == PMK_INTERVAL_NONE || e->interval_due == PMK_NEVER)
		return PMK_NEVER;
	if (cfg->interval_unit == PMK_INTERVAL_CYCLES)
		return e->interval_due;
	/* No more instructions per cycle than `most`: approach from below, ever closer. */
	return e->cpu.cycles +
	       (e->interval_due > insns ? (e->interval_due - insns + most - 1) / most : 1);
}

static void set_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	const struct pmk_model_ops *ops = pmk_model_find(pmk_pmu_find(cfg->pmu));
	uint64_t poll, interval;

	ask_models(e, ops);
	poll = poll_deadline(e);
	interval = interval_deadline(e, cfg);
	e->cpu.deadline = poll < interval ? poll : interval;
}

/* What intervals are measured in. */
static uint64_t interval_clock(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	return cfg->interval_unit == PMK_INTERVAL_CYCLES ? e->cpu.cycles
							 : e->bus.total[PMK_SIG_INSN];
}

/* The first interval ends one interval after counting began. */
static void first_interval(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	e->interval_due = cfg->interval_unit == PMK_INTERVAL_NONE
				  ? PMK_NEVER
				  : interval_clock(e, cfg) + cfg->interval;
}

static int begin_session(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
			 const struct pmk_emulated_config *cfg)
{
	const struct pmk_pmu *pmu;
	int err = bind(e, ports, cfg, &pmu);

	if (err)
		return err;
	pmk_bus_init(&e->bus);
	e->bus.raised = pmk_cpu_raises(&cfg->core);
	for (unsigned i = 0; i < cfg->plan.npasses; i++)
		ports->model[i].ops->reset(e->model[i], &e->bus);
	err = pmk_session_open(&e->session, pmu, &cfg->plan, ports->port);
	if (!err)
		err = pmk_session_start(&e->session);
	/* Passes are started one after the other, each with its settling time; what the first ones
	 * counted of it is nothing but cycles, and is taken away here. */
	if (!err)
		err = pmk_session_poll(&e->session);
	for (unsigned i = 0; !err && i < cfg->plan.npasses; i++)
		for (unsigned c = 0; c < PMK_MAX_COUNTERS; c++)
			e->session.pass[i].wide[c].total = 0;
	e->cpu.cycles = e->start_cycles = e->bus.total[PMK_SIG_CYCLE];
	if (cfg->window && !e->region[0].inside)
		e->interval_due = PMK_NEVER;
	else
		first_interval(e, cfg);
	set_deadline(e, cfg);
	return err;
}

/* Summing up costs a walk over all blocks: worth it for a reading now and then, not for one at every
 * entry of a region. */
void pmk_emulated_configure(struct pmk_emulated_config *cfg)
{
	if (!cfg->interval)
		cfg->interval_unit = PMK_INTERVAL_NONE;
	cfg->eager = cfg->nregions > 0 ||
		     (cfg->interval_unit != PMK_INTERVAL_NONE && cfg->interval < 1000000);
}

int pmk_emulated_start(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg, struct pmk_run *run)
{
	int err;

	memset(e, 0, sizeof(*e));
	err = pmk_cpu_init(&e->cpu, &cfg->core);
	if (err)
		return err;
	e->cpu.run = run;
	e->cpu.eager = cfg->eager;
	return begin_session(e, ports, cfg);
}

int pmk_emulated_forked(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, struct pmk_run *run)
{
	memset(e->interval_total, 0, sizeof(e->interval_total));
	/* A region that the parent was in goes on in the child, from 0. */
	for (unsigned r = 0; r < PMK_MAX_REGIONS; r++) {
		e->region[r].entries = 0;
		memset(e->region[r].total, 0, sizeof(e->region[r].total));
		memset(e->region[r].entered_at, 0, sizeof(e->region[r].entered_at));
	}
	pmk_cpu_forked(&e->cpu, run);
	return begin_session(e, ports, cfg);
}

/* Session totals since the start, whatever the window. */
static int read_session(struct pmk_emulated *e, const struct pmk_emulated_blocks *b,
			uint64_t totals[PMK_MAX_EVENTS])
{
	int err;

	pmk_cpu_sum(&e->cpu, b->facts, b->run, b->count, &e->bus);
	err = pmk_session_read(&e->session, totals);
	if (err && !e->error)
		e->error = err;
	return err;
}

/* Totals of a region with, if it is open, what has been counted since it was entered. */
static void region_totals(const struct pmk_emulated *e, unsigned r, const uint64_t *now,
			  uint64_t *totals)
{
	const struct pmk_region_state *s = &e->region[r];

	for (unsigned i = 0; i < e->session.plan.nevents; i++)
		totals[i] = s->total[i] + (s->inside ? now[i] - s->entered_at[i] : 0);
}

int pmk_emulated_totals(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, uint64_t totals[PMK_MAX_EVENTS])
{
	uint64_t now[PMK_MAX_EVENTS];
	int err = read_session(e, b, now);

	if (cfg->window)
		region_totals(e, 0, now, totals);
	else
		memcpy(totals, now, sizeof(now));
	return err;
}

static bool interval_over(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	return cfg->interval_unit != PMK_INTERVAL_NONE && interval_clock(e, cfg) >= e->interval_due;
}

int pmk_emulated_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, uint64_t delta[PMK_MAX_EVENTS])
{
	uint64_t totals[PMK_MAX_EVENTS];
	int err = pmk_emulated_totals(e, cfg, b, totals);
	bool over = interval_over(e, cfg);

	if (over) {
		for (unsigned i = 0; i < e->session.plan.nevents; i++) {
			delta[i] = totals[i] - e->interval_total[i];
			e->interval_total[i] = totals[i];
		}
		e->interval_due +=
			(interval_clock(e, cfg) - e->interval_due) / cfg->interval * cfg->interval +
			cfg->interval;
	}
	set_deadline(e, cfg);
	return err ? err : over;
}

/* ---- regions -------------------------------------------------------------------------------- */

void pmk_emulated_region_begin(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			       const struct pmk_emulated_blocks *b, unsigned r)
{
	struct pmk_region_state *s = &e->region[r];

	s->entries++;
	if (s->inside)
		return; /* the function calls itself, or --from is reached again */
	read_session(e, b, s->entered_at);
	s->inside = 1;
	s->call_depth = e->calls;
	if (cfg->window && r == 0) {
		first_interval(e, cfg);
		set_deadline(e, cfg);
	}
}

static void close_region(struct pmk_emulated *e, const struct pmk_emulated_blocks *b, unsigned r)
{
	uint64_t now[PMK_MAX_EVENTS], totals[PMK_MAX_EVENTS];

	read_session(e, b, now);
	region_totals(e, r, now, totals);
	memcpy(e->region[r].total, totals, sizeof(totals));
	e->region[r].inside = 0;
}

void pmk_emulated_region_end(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			     const struct pmk_emulated_blocks *b, unsigned r)
{
	if (!e->region[r].inside)
		return;
	close_region(e, b, r);
	if (cfg->window && r == 0) {
		e->interval_due = PMK_NEVER;
		set_deadline(e, cfg);
	}
}

/* The stack forgets its older half when it is full: a region entered that deep in a recursion stays
 * open until one of the remembered callers is returned to. */
static void push_call(struct pmk_emulated *e, uint64_t addr)
{
	if (e->calls == PMK_CALL_STACK) {
		memmove(e->call, e->call + PMK_CALL_STACK / 2, sizeof(e->call) / 2);
		e->calls = PMK_CALL_STACK / 2;
		for (unsigned r = 0; r < PMK_MAX_REGIONS; r++) {
			uint32_t *depth = &e->region[r].call_depth;

			*depth = *depth > e->calls ? *depth - e->calls : 1;
		}
	}
	e->call[e->calls++] = addr;
}

/* Control came to `pc` by an indirect branch: which call does it return from? longjmp leaves several
 * at once. Returns the number of calls still under way. */
static uint32_t returned_to(const struct pmk_emulated *e, uint64_t pc)
{
	for (uint32_t i = e->calls; i > 0; i--)
		if (e->call[i - 1] == pc)
			return i - 1;
	return e->calls;
}

void pmk_emulated_follow(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			 const struct pmk_emulated_blocks *b, const struct pmk_block *next)
{
	const struct pmk_block *p = e->cpu.prev;

	if (next->pc == p->fall)
		return;
	if (p->flow == PMK_FLOW_CALL || p->flow == PMK_FLOW_INDCALL) {
		push_call(e, p->fall);
		return;
	}
	if (p->flow != PMK_FLOW_RETURN && p->flow != PMK_FLOW_INDIRECT)
		return;
	e->calls = returned_to(e, next->pc);
	for (unsigned r = 0; r < cfg->nregions; r++) {
		struct pmk_region_state *s = &e->region[r];

		/* The call that entered the function is no longer under way. */
		if (s->inside && cfg->region[r].end == 0 && e->calls < s->call_depth)
			close_region(e, b, r);
	}
}

int pmk_emulated_finish(struct pmk_emulated *copy, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, const struct pmk_emulated_blocks *b,
			uint64_t totals[PMK_MAX_EVENTS])
{
	const struct pmk_pmu *pmu;
	int err = bind(copy, ports, cfg, &pmu);

	if (err)
		return err;
	pmk_session_rebind(&copy->session, pmu, ports->port);
	err = pmk_emulated_totals(copy, cfg, b, totals);
	for (unsigned r = 0; r < cfg->nregions; r++)
		if (copy->region[r].inside)
			close_region(copy, b, r);
	return err ? err : copy->error;
}
