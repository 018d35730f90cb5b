// SPDX-License-Identifier: MIT
/*
 * The counters of one emulated core. See emulated.h.
 *
 * Every count takes the path that it has on silicon: signals → bus → model's registers → driver
 * → session. This path costs a few microseconds per reading, and makes every emulated run a test
 * of the driver.
 */
#include "producer/session/emulated_internal.h"

#include <string.h>

#include <pmk/armv8.h>
#include <pmk/armv8_model.h>

#include "base/reserve.h"
#include "cpu/family.h"

const struct pmk_pmu *pmk_emulated_pmu(const char *name, const struct pmk_core *core,
				       struct pmk_microblaze_pmu *own)
{
	const struct pmk_core_family *family = pmk_core_family(core);
	const struct pmk_pmu *pmu = pmk_pmu_find(name);
	struct pmk_core_counters built;

	if (pmu != &pmk_microblaze || !family->params->counters)
		return pmu;
	family->params->counters(core, &built);
	return pmk_microblaze_configure(own, built.events, built.latencies, built.width)
		       ? NULL
		       : &own->pmu;
}

struct pmk_signal_set pmk_emulated_raises(const struct pmk_core *core)
{
	return pmk_core_family(core)->run->attach ? pmk_devchip_raises() : pmk_cpu_raises(core);
}

bool pmk_emulated_on_buses(const struct pmk_emulated *e)
{
	return pmk_core_family(&e->cpu.core)->run->attach;
}

const struct pmk_bus *pmk_emulated_counted(const struct pmk_emulated *e, unsigned *n)
{
	*n = pmk_emulated_on_buses(e) ? PMK_AHBMON_NBUSES : 1;
	return pmk_emulated_on_buses(e) ? e->chip.bus : &e->bus;
}

struct pmk_bus *pmk_emulated_counted_bus(struct pmk_emulated *e)
{
	return pmk_emulated_on_buses(e) ? e->chip.bus : &e->bus;
}

static int bind(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		const struct pmk_emulated_config *cfg)
{
	const struct pmk_pmu **pmu = ports->pmu;
	const struct pmk_model_ops *ops[PMK_PMU_PAIR];

	pmu[0] = pmk_emulated_pmu(cfg->pmu, &cfg->core, &ports->microblaze);
	pmu[1] = *cfg->beside ? pmk_pmu_find(cfg->beside) : pmu[0];
	for (unsigned k = 0; k < PMK_PMU_PAIR; k++) {
		ops[k] = pmu[k] ? pmk_model_find(pmu[k]) : NULL;
		if (!ops[k] || ops[k]->size > PMK_MODEL_BYTES)
			return PMK_ENOTSUP;
	}
	if (cfg->plan.npasses > PMK_MAX_PASSES)
		return PMK_ENOTSUP;
	if (pmk_emulated_on_buses(e)) {
		pmk_core_family(&e->cpu.core)->run->attach(&e->cpu, &e->chip.biu);
		pmk_devchip_bind(&e->chip, &ports->pins);
		ports->ahbmon = *pmu[0];
		ports->ahbmon.family = &cfg->layout;
		pmu[0] = &ports->ahbmon;
	}
	for (unsigned i = 0; i < cfg->plan.npasses; i++) {
		ports->model[i] = (struct pmk_model_port){
			.ops = ops[pmk_pmu_pair_of(&cfg->plan, i)],
			.model = e->model[i],
			.bus = pmk_emulated_counted_bus(e),
			.mode = PMK_MODE_PRIV,
		};
		ports->port[i] = pmk_port_model(&ports->model[i]);
	}
	return 0;
}

/* Sets the monitor's settings through its driver, and initialises the observers, which depend on
 * them. */
static int begin_observing(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	struct pmk_ahbmon_config config;
	int err = 0;

	pmk_devchip_settings(&cfg->core, &config);
	for (unsigned i = 0; !err && i < cfg->plan.npasses; i++)
		err = pmk_ahbmon_configure(&e->session.pass[i].dev, &config);
	return err ? err
		   : pmk_devchip_observe(&e->chip, (struct pmk_ahbmon_model *)e->model[0],
					 cfg->shows_pins ? &cfg->codes : NULL);
}

static int begin_session(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
			 const struct pmk_emulated_config *cfg)
{
	int err = bind(e, ports, cfg);

	if (err)
		return err;
	pmk_bus_init(&e->bus);
	if (pmk_emulated_on_buses(e))
		err = pmk_devchip_init(&e->chip, &cfg->core, &cfg->traffic);
	if (err)
		return err;
	e->bus.raised = pmk_cpu_raises(&cfg->core);
	e->bus.longest = pmk_cpu_longest(&cfg->core);
	e->cpu.bus = &e->bus;
	for (unsigned i = 0; i < cfg->plan.npasses; i++)
		ports->model[i].ops->reset(e->model[i], pmk_emulated_counted_bus(e),
					   ports->pmu[pmk_pmu_pair_of(&cfg->plan, i)]);
	pmk_emulated_reset(e, cfg);
	err = pmk_pmu_pair_open(&e->session, ports->pmu, &cfg->plan, ports->port);
	if (!err && cfg->plan.timed)
		err = pmk_session_timer(&e->session, cfg->interval);
	if (!err && pmk_emulated_on_buses(e))
		err = begin_observing(e, cfg);
	if (!err && cfg->watch_levels)
		err = pmk_emulated_begin_levels(e, cfg);
	if (!err)
		err = pmk_session_start(&e->session);
	if (!err)
		err = pmk_session_forget(&e->session);
	e->cpu.cycles = e->start_cycles = e->bus.total[PMK_SIG_CYCLE];
	pmk_emulated_begin_head(e, cfg, cfg->units.seed);
	if (cfg->window && !e->region[0].inside)
		e->interval_due = PMK_NEVER;
	else
		pmk_emulated_first_interval(e, cfg);
	if (cfg->delay)
		pmk_emulated_delay(e, cfg, cfg->delay);
	else
		pmk_emulated_set_deadline(e, cfg);
	return err;
}

static void clear_readings(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	pmk_reading_init(&e->interval_total);
	pmk_reading_init(&e->delayed);
	e->delay_due = PMK_NEVER;
	e->delayed_cycles = 0;
	for (unsigned r = 0; r < cfg->nregions; r++) {
		pmk_reading_init(&e->region[r].total);
		pmk_reading_init(&e->region[r].entered_at);
	}
}

/* A part of the struct that this configuration uses. Other parts are not copied, so most pages of
 * the struct are never touched. */
struct used {
	size_t at, bytes;
};

#define NUSED 7

_Static_assert(offsetof(struct pmk_emulated, model) == offsetof(struct pmk_emulated, session) +
							       sizeof(struct pmk_session) &&
		       offsetof(struct pmk_emulated, region) ==
			       offsetof(struct pmk_emulated, model) +
				       PMK_MAX_PASSES * PMK_MODEL_BYTES,
	       "nothing stands between what is used in part");

/* Finds the parts that are used. `logged` is the number of latency records of the bus. The caller
 * knows this number only after it has copied the first part. */
static void find_used(const struct pmk_emulated_config *cfg, uint64_t logged,
		      struct used used[NUSED])
{
	const struct pmk_emulated *e = NULL;
	const size_t log = offsetof(struct pmk_emulated, bus.log);
	const size_t records = logged < PMK_LATENCY_LOG ? logged : PMK_LATENCY_LOG;
	const size_t session = offsetof(struct pmk_emulated, session);
	const size_t pass = offsetof(struct pmk_emulated, session.pass);
	const size_t model = offsetof(struct pmk_emulated, model);
	const size_t region = offsetof(struct pmk_emulated, region);
	const size_t behind = region + sizeof(e->region);
	const struct used all[NUSED] = {
		{ 0, log },
		{ log, records * sizeof(e->bus.log[0]) },
		{ offsetof(struct pmk_emulated, bus.log_sig), records },
		{ session, pass - session + cfg->plan.npasses * sizeof(e->session.pass[0]) },
		{ model, cfg->plan.npasses * sizeof(e->model[0]) },
		{ region, cfg->nregions * sizeof(e->region[0]) },
		{ behind, pmk_emulated_bytes(cfg) - behind },
	};

	memcpy(used, all, sizeof(all));
}

void pmk_emulated_copy(struct pmk_emulated *to, const struct pmk_emulated *from,
		       const struct pmk_emulated_config *cfg)
{
	struct used used[NUSED];

	memcpy(to, from, offsetof(struct pmk_emulated, bus.log));
	find_used(cfg, to->bus.recorded, used);
	for (unsigned i = 1; i < NUSED; i++)
		memcpy((char *)to + used[i].at, (const char *)from + used[i].at, used[i].bytes);
}

int pmk_emulated_start(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg, struct pmk_executions *executions)
{
	int err;

	clear_readings(e, cfg);
	err = pmk_cpu_init(&e->cpu, &cfg->core);
	if (err)
		return err;
	e->cpu.executions = executions;
	e->cpu.eager = cfg->eager;
	e->call = cfg->follows ? pmk_reserve(PMK_CALL_STACK * sizeof(*e->call)) : NULL;
	if (cfg->follows && !e->call)
		return PMK_ENOMEM;
	return begin_session(e, ports, cfg);
}

int pmk_emulated_begin(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg)
{
	clear_readings(e, cfg);
	e->cpu.core = cfg->core;
	return begin_session(e, ports, cfg);
}

void pmk_emulated_fini(struct pmk_emulated *e)
{
	pmk_cpu_fini(&e->cpu);
	if (e->call)
		pmk_release(e->call, PMK_CALL_STACK * sizeof(*e->call));
	e->call = NULL;
}

int pmk_emulated_forked(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, struct pmk_executions *executions)
{
	uint64_t left = pmk_emulated_delay_left(e);
	/*
	 * The seed differs between forked processes, so that processes with the same behaviour are
	 * sampled at different places. Their errors are then independent.
	 */
	uint64_t seed = e->unit.random ^ (e->bus.total[PMK_SIG_INSN] + 1) << 20;
	int err;

	/* A child begins inside the regions in which its parent was, but its counts start from
	 * 0. */
	clear_readings(e, cfg);
	for (unsigned r = 0; r < cfg->nregions; r++)
		e->region[r].entries = 0;
	pmk_cpu_forked(&e->cpu, executions);
	err = begin_session(e, ports, cfg);
	pmk_emulated_begin_head(e, cfg, seed);
	if (cfg->delay)
		pmk_emulated_delay(e, cfg, left);
	return err;
}

int pmk_emulated_read_session(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      const struct pmk_emulated_blocks *b, struct pmk_reading *totals)
{
	int err;

	pmk_emulated_assume_level(e, cfg);
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	if (pmk_emulated_on_buses(e))
		pmk_biu_catch_up(&e->chip.biu, e->cpu.cycles);
	err = pmk_reading_take(totals, &e->session);
	if (err && !e->error)
		e->error = err;
	return err;
}

/* read_in_parts() rejects counts of more parts than this. At 1000 million instructions a second, a
 * program would need 26 days for so many parts. */
#define MOST_PARTS (UINT64_C(1) << 20)

/*
 * Reads the counts since the last reading in parts that are so small that no counter can wrap in a
 * part. This is necessary without a clock, because nothing has polled the session since the last
 * reading. Returns PMK_ERANGE if the counts are impossibly large.
 */
static int read_in_parts(struct pmk_emulated *e, const struct pmk_emulated_blocks *b)
{
	const uint64_t part = UINT64_C(1) << 31;
	uint64_t before[PMK_NSIGNALS], all[PMK_NSIGNALS], nparts = 1;
	struct pmk_reading totals;
	int err = 0;

	memcpy(before, e->bus.total, sizeof(before));
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	memcpy(all, e->bus.total, sizeof(all));
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		if (all[s] >= before[s] && (all[s] - before[s]) / part >= nparts)
			nparts = (all[s] - before[s]) / part + 1;
	if (nparts > MOST_PARTS)
		return PMK_ERANGE;
	for (uint64_t n = 1; !err && n < nparts; n++) {
		for (unsigned s = 0; s < PMK_NSIGNALS; s++)
			e->bus.total[s] = before[s] + (all[s] - before[s]) / nparts * n;
		err = pmk_reading_take(&totals, &e->session);
	}
	return err;
}

int pmk_emulated_totals(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_reading *totals)
{
	struct pmk_reading now;
	int err = pmk_emulated_read_session(e, cfg, b, &now);

	if (cfg->window)
		pmk_emulated_region_totals(e, 0, &now, totals);
	else if (e->delay_due != PMK_NEVER)
		pmk_reading_init(totals);
	else if (cfg->delay)
		pmk_reading_since(totals, &now, &e->delayed);
	else
		*totals = now;
	return err;
}

/*
 * Makes the bus finish pending transfers, because the last line that was cast out may not have been
 * written yet.
 */
static void finish_bus(struct pmk_emulated *e)
{
	int err;

	pmk_biu_catch_up(&e->chip.biu, e->cpu.cycles);
	pmk_biu_drain(&e->chip.biu);
	err = e->chip.biu.starved ? PMK_EBUSY : pmk_devchip_check(&e->chip);
	if (err && !e->error)
		e->error = err;
	pmk_devchip_shown(&e->chip);
}

int pmk_emulated_finish(struct pmk_emulated *copy, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, const struct pmk_emulated_blocks *b,
			struct pmk_reading *totals)
{
	int err = bind(copy, ports, cfg);

	if (err)
		return err;
	pmk_pmu_pair_rebind(&copy->session, ports->pmu, ports->port);
	if (pmk_emulated_on_buses(copy))
		finish_bus(copy);
	err = cfg->parts & PMK_PART_CLOCK ? 0 : read_in_parts(copy, b);
	if (err && !copy->error)
		copy->error = err;
	err = pmk_emulated_totals(copy, cfg, b, totals);
	for (unsigned r = 0; r < cfg->nregions; r++)
		if (copy->region[r].inside)
			pmk_emulated_close_region(copy, cfg, b, r);
	return err ? err : copy->error;
}
