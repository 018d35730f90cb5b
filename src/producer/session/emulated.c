// SPDX-License-Identifier: MIT
/*
 * The counters of one emulated core. See emulated.h.
 *
 * Every number takes the whole way: signals → bus → model's registers → driver → session. That
 * costs a few microseconds per reading, and it makes the emulated path a test of the driver.
 */
#include "producer/session/emulated_internal.h"

#include <string.h>

#include <pmk/armv8.h>
#include <pmk/armv8_model.h>

#include "base/reserve.h"
#include "cpu/family.h"

/* No signal happens even half as often per cycle as this: a load multiple touches three lines in
 * its one issue cycle, an evicted line is two halves, two instructions retire in a cycle when one
 * is folded. */
#define MAX_PER_CYCLE 32
/* Minimum time between polls when a counter is close to wrapping. */
#define MIN_POLL      256
/* The same when a sampled piece is about to end. */
#define PIECE_STEP    4096

const struct pmk_pmu *pmk_emulated_pmu(const char *name, const struct pmk_core *core,
				       struct pmk_microblaze_pmu *own)
{
	const struct pmk_core_family *family = pmk_core_family(core);
	const struct pmk_pmu *pmu = pmk_pmu_find(name);
	struct pmk_core_counters built;

	if (pmu != &pmk_microblaze || !family->counters)
		return pmu;
	family->counters(core, &built);
	return pmk_microblaze_configure(own, built.events, built.latencies, built.width)
		       ? NULL
		       : &own->pmu;
}

struct pmk_signal_set pmk_emulated_raises(const struct pmk_core *core)
{
	return pmk_core_family(core)->attach ? pmk_devchip_raises() : pmk_cpu_raises(core);
}

bool pmk_emulated_on_buses(const struct pmk_emulated *e)
{
	return pmk_core_family(&e->cpu.core)->attach;
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
		pmk_core_family(&e->cpu.core)->attach(&e->cpu, &e->chip.biu);
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

/* The horizon of all models together, as a number of cycles in which no model can get past it. */
static uint64_t poll_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	uint64_t near = PMK_NEVER;

	/* If a PMU has no overflow flags, none of its 32-bit counters that count at most once per
	 * cycle can wrap unnoticed. */
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
	/* Neither the interval timer nor an interrupt of the guest may be late. */
	if (near < MIN_POLL && !e->session.plan.timed && !cfg->guest)
		near = MIN_POLL;
	return e->cpu.cycles + near;
}

const struct pmk_model_ops *pmk_emulated_guest_ops(const struct pmk_emulated_config *cfg)
{
	return cfg->guest ? pmk_model_find(pmk_emulated_guest(cfg)) : NULL;
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

/* The earliest time, in cycles, at which the core can have executed `due` instructions. At most a
 * fixed number can execute per cycle, so `due` is approached from below, in ever smaller steps. */
static uint64_t insns_deadline(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			       uint64_t due)
{
	uint64_t insns = e->bus.total[PMK_SIG_INSN];
	uint64_t most = pmk_core_family(&cfg->core)->insns_per_cycle(&cfg->core);

	return e->cpu.cycles + (due > insns ? (due - insns + most - 1) / most : 1);
}

/* The earliest time at which the sampled piece can end. Its length is measured when it ends, so it
 * need not end exactly there. */
static uint64_t piece_deadline(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	uint64_t due;

	if (e->phase == PMK_UNITS_WHOLE || e->phase == PMK_UNITS_REST)
		return PMK_NEVER;
	due = insns_deadline(e, cfg, e->phase_due);
	return due < e->cpu.cycles + PIECE_STEP ? e->cpu.cycles + PIECE_STEP : due;
}

/* The earliest time, in cycles, at which the running interval can end. */
static uint64_t interval_deadline(const struct pmk_emulated *e,
				  const struct pmk_emulated_config *cfg)
{
	if (cfg->units.head)
		return piece_deadline(e, cfg);
	if (cfg->interval_unit == PMK_INTERVAL_NONE || e->interval_due == PMK_NEVER ||
	    cfg->plan.timed)
		return PMK_NEVER; /* the PMU's own timer requests it by the horizon */
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

/* The position of the core, in the unit of the intervals. */
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

void pmk_emulated_begin_head(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			     uint64_t seed)
{
	e->phase = cfg->units.head ? PMK_UNITS_HEAD : PMK_UNITS_WHOLE;
	e->phase_due = cfg->units.head;
	e->phase_insns = 0;
	e->phase_cycles = e->start_cycles;
	pmk_reading_init(&e->phase_began);
	e->unit = (struct pmk_units_place){ .random = seed };
}

/* Set the monitor's settings by its driver, and initialise the observers, which depend on them. */
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

/* ---- exception levels ------------------------------------------------------------------------ */

void pmk_emulated_set_input(const struct pmk_model_ops *ops, void *model, struct pmk_bus *bus,
			    const char *name, uint64_t value)
{
	for (unsigned i = 0; ops->inputs && ops->inputs[i]; i++)
		if (!strcmp(ops->inputs[i], name))
			ops->input(model, bus, i, value);
}

static void set_pass_input(struct pmk_emulated *e, unsigned pass, const char *name, uint64_t value)
{
	pmk_emulated_set_input(pmk_model_find(e->session.pass[pass].dev.pmu), e->model[pass],
			       &e->bus, name, value);
}

/* The filter of a counter: P excludes EL1, U excludes EL0, and without NSH nothing is counted at
 * EL2. EL3 is treated as EL1. */
static uint32_t filter_of(enum pmk_levels levels)
{
	switch (levels) {
	case PMK_LEVELS_USER:
		return PMK_ARMV8_EL0;
	case PMK_LEVELS_KERNEL:
		return PMK_ARMV8_EL1 | PMK_ARMV8_EL0_EL1_EL2;
	case PMK_LEVELS_ALL:
		break;
	}
	return PMK_ARMV8_EL0_EL1_EL2;
}

static int program_filtered(struct pmk_dev *dev, unsigned counter, unsigned code,
			    enum pmk_levels levels)
{
	pmk_armv8_set_filter(dev, filter_of(levels));
	return dev->pmu->driver->program(dev, counter, code);
}

void pmk_emulated_reset(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	const struct pmk_model_ops *ops = pmk_emulated_guest_ops(cfg);
	struct pmk_pmu pmu;

	if (!ops)
		return;
	pmu = *pmk_emulated_guest(cfg);
	if (pmk_emulated_on_buses(e))
		pmu.family = &cfg->layout;
	ops->reset(e->guest, pmk_emulated_counted_bus(e), &pmu);
	if (!cfg->guest_controlled)
		pmk_emulated_set_input(ops, e->guest, pmk_emulated_counted_bus(e), "mdcr_el3",
				       PMK_MDCR_EL3_SPME);
}

int pmk_emulated_begin_levels(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	const struct pmk_plan *plan = &cfg->plan;
	int err = 0;

	for (unsigned i = 0; !err && i < plan->nevents; i++)
		err = program_filtered(&e->session.pass[plan->event[i].pass].dev,
				       plan->event[i].counter, plan->event[i].code,
				       (enum pmk_levels)cfg->levels[i]);
	for (unsigned i = 0; !err && i < plan->npasses; i++) {
		set_pass_input(e, i, "mdcr_el3", PMK_MDCR_EL3_SPME);
		if (plan->timed)
			err = program_filtered(&e->session.pass[i].dev, plan->timer_counter,
					       plan->timer_code, PMK_LEVELS_ALL);
	}
	e->cpu.level.watched = true;
	e->cpu.level.open = true;
	e->cpu.level.guess = 1;
	return err;
}

/* Everything since the last synchronisation was at `level`. */
static void set_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg, unsigned level)
{
	for (unsigned i = 0; i < e->session.plan.npasses; i++)
		set_pass_input(e, i, "el", level);
	if (pmk_emulated_guest_ops(cfg))
		pmk_emulated_set_input(pmk_emulated_guest_ops(cfg), e->guest, &e->bus, "el", level);
}

/* Assign the pending counts, whose level was open, to `level`. */
static void close_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			unsigned level)
{
	set_level(e, cfg, level);
	e->cpu.level.mistaken |= e->cpu.level.assumed && e->cpu.level.assumed != level + 1;
	e->cpu.level.assumed = 0;
	e->cpu.level.open = false;
}

void pmk_emulated_assume_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	if (!e->cpu.level.open)
		return;
	set_level(e, cfg, e->cpu.level.guess);
	e->cpu.level.assumed = (uint8_t)(e->cpu.level.guess + 1);
}

void pmk_emulated_leave_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      const struct pmk_emulated_blocks *b)
{
	if (e->cpu.level.open)
		close_level(e, cfg, e->cpu.level.guess);
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	for (unsigned i = 0; i < e->session.plan.npasses; i++)
		pmk_model_find(e->session.pass[i].dev.pmu)->sync(e->model[i], &e->bus);
	if (pmk_emulated_guest_ops(cfg))
		pmk_emulated_guest_ops(cfg)->sync(e->guest, &e->bus);
}

void pmk_emulated_enter_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      unsigned level)
{
	close_level(e, cfg, level);
	pmk_emulated_set_deadline(e, cfg);
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
	/* Counting begins with the block after this time. */
	return e->delay_due > e->cpu.cycles ? e->delay_due - e->cpu.cycles : 1;
}

static bool is_in(const uint8_t *list, unsigned sig)
{
	while (*list != PMK_SIG_CYCLE && *list != sig)
		list++;
	return *list != PMK_SIG_CYCLE;
}

static uint32_t part_of(const struct pmk_core_family *family, unsigned sig)
{
	uint32_t parts = is_in(family->mix, sig) ? PMK_PART_EXECUTIONS : 0;

	if (family->data && is_in(family->data, sig))
		parts |= PMK_PART_DATA;
	if (family->fetch && is_in(family->fetch, sig))
		parts |= PMK_PART_FETCH | PMK_PART_PREDICTOR;
	if (family->lines && is_in(family->lines, sig))
		parts &= ~(uint32_t)PMK_PART_PREDICTOR;
	return parts || sig == PMK_SIG_NONE ? parts : PMK_PART_CLOCK;
}

/* The parts of the core that determine the events of the plan, over the whole run of a program. */
static uint32_t parts_asked(const struct pmk_emulated_config *cfg)
{
	const struct pmk_core_family *family = pmk_core_family(&cfg->core);
	const struct pmk_pmu *pmu = pmk_pmu_find(cfg->pmu);
	uint32_t parts = 0;

	if (cfg->whole || !pmu || family->attach || cfg->core.system || cfg->nregions ||
	    cfg->watch_levels || cfg->delay || cfg->units.head ||
	    cfg->interval_unit != PMK_INTERVAL_NONE)
		return PMK_PART_CLOCK;
	for (unsigned i = 0; i < cfg->plan.nevents; i++) {
		const struct pmk_plan_event *planned = &cfg->plan.event[i];
		const struct pmk_event *event = pmk_pmu_event_code(pmu, planned->code);

		if (planned->pmu || !event || event->latency)
			return PMK_PART_CLOCK;
		parts |= part_of(family, event->signal) | part_of(family, event->signal2);
	}
	/* Modelling fetches and data without the clock saves too little. */
	if (parts & PMK_PART_DATA &&
	    (parts & PMK_PART_FETCH || (family->is_blind && family->is_blind(&cfg->core))))
		return PMK_PART_CLOCK;
	return parts;
}

/* Summing the counts visits all blocks. This is worthwhile for occasional readings, but not at
 * every entry of a region. */
void pmk_emulated_configure(struct pmk_emulated_config *cfg)
{
	if (!cfg->interval)
		cfg->interval_unit = PMK_INTERVAL_NONE;
	if (!cfg->layout.enable)
		cfg->layout = pmk_ahbmon_sp816;
	cfg->follows = 0;
	for (unsigned r = 0; r < cfg->nregions; r++)
		cfg->follows |= !cfg->region[r].end;
	cfg->eager = cfg->nregions > 0 || cfg->watch_levels || cfg->guest ||
		     (cfg->interval_unit != PMK_INTERVAL_NONE && cfg->interval < 1000000);
	cfg->parts = parts_asked(cfg);
	cfg->core.timeless = !(cfg->parts & PMK_PART_CLOCK);
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

/* A part of the struct that this configuration uses. The other parts are not copied, so most of its
 * pages are never touched. */
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

/* `logged` is the number of latency records of the bus. It is known after the first part was
 * copied. */
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
	/* Processes with the same behaviour are sampled at different places, so that their errors
	 * differ. */
	uint64_t seed = e->unit.random ^ (e->bus.total[PMK_SIG_INSN] + 1) << 20;
	int err;

	/* If the parent was inside a region, the child is inside it, too, and counts it from 0. */
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

/* A larger number cannot be a count: at 1000 million instructions a second, these parts take 26
 * days. */
#define MOST_PARTS (UINT64_C(1) << 20)

/*
 * Read the counts since the last reading in parts, each so small that no counter can wrap in it:
 * without a clock, the session was not polled in the meantime. PMK_ERANGE: the counts are
 * impossibly large.
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

void pmk_emulated_region_totals(const struct pmk_emulated *e, unsigned r,
				const struct pmk_reading *now, struct pmk_reading *totals)
{
	const struct pmk_region_state *s = &e->region[r];
	struct pmk_reading open;

	*totals = s->total;
	if (!s->inside)
		return;
	pmk_reading_since(&open, now, &s->entered_at);
	pmk_reading_add(totals, &open);
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

static bool interval_over(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	return cfg->interval_unit != PMK_INTERVAL_NONE && interval_clock(e, cfg) >= e->interval_due;
}

/* For the PMU's own interval timer: its interrupt line says that the interval is over. */
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

/* The delay is over. */
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

/* ---- the guest's own PMU --------------------------------------------------------------------- */

static int reach(const struct pmk_model_ops *ops, uint64_t *model, struct pmk_bus *bus,
		 const struct pmk_guest_access *a, uint64_t *value)
{
	struct pmk_armv8_model *v8 = (struct pmk_armv8_model *)model;
	const struct pmk_guest_cp15 *p = &a->cp15;
	uint32_t word = (uint32_t)*value;
	int err;

	if (!p->used)
		return a->write ? ops->write(model, bus, a->mode, a->reg, *value)
				: ops->read(model, bus, a->mode, a->reg, value);
	if (p->wide)
		return a->write ? pmk_armv8_mcrr(v8, bus, a->mode, *value)
				: pmk_armv8_mrrc(v8, bus, a->mode, value);
	if (a->write)
		return pmk_armv8_mcr(v8, bus, a->mode, p->crn, p->crm, p->opc2, word);
	err = pmk_armv8_mrc(v8, bus, a->mode, p->crn, p->crm, p->opc2, &word);
	*value = word;
	return err;
}

/* A core makes at most one access in a cycle: this one waits for the previous one (our choice;
 * cores that execute several instructions in a cycle take longer). */
static void wait_for_access(struct pmk_emulated *e)
{
	if (e->guest_accessed && e->cpu.cycles <= e->guest_accessed)
		pmk_cpu_idle(&e->cpu, e->guest_accessed + 1 - e->cpu.cycles);
	e->guest_accessed = e->cpu.cycles;
}

int pmk_emulated_access(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_guest_access *a,
			uint64_t *value)
{
	const struct pmk_model_ops *ops = pmk_emulated_guest_ops(cfg);
	struct pmk_bus *bus = pmk_emulated_counted_bus(e);
	int err;

	wait_for_access(e);
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	if (pmk_emulated_on_buses(e))
		pmk_biu_catch_up(&e->chip.biu, e->cpu.cycles);
	pmk_model_forgive(ops, e->guest);
	err = reach(ops, e->guest, bus, a, value);
	a->oddities = pmk_model_oddities(ops, e->guest);
	pmk_emulated_set_deadline(e, cfg);
	return err;
}

int pmk_emulated_may(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		     const struct pmk_guest_access *a, unsigned *trap)
{
	const struct pmk_model_ops *ops = pmk_emulated_guest_ops(cfg);
	uint64_t copy[PMK_MODEL_BYTES / 8], value = 0;
	const struct pmk_armv8_model *v8 = (const struct pmk_armv8_model *)copy;
	int err;

	memcpy(copy, e->guest, ops->size);
	err = reach(ops, copy, pmk_emulated_counted_bus(e), a, &value);
	*trap = err && ops->pmu->driver == pmk_armv8.driver && v8->trap.ec ? v8->trap.el : 0;
	return err;
}

void pmk_emulated_control(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, const char *input, uint64_t value)
{
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	pmk_emulated_set_input(pmk_emulated_guest_ops(cfg), e->guest, pmk_emulated_counted_bus(e),
			       input, value);
	pmk_emulated_set_deadline(e, cfg);
}

unsigned pmk_emulated_lines(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	const struct pmk_model_ops *ops = pmk_emulated_guest_ops(cfg);

	return ops && ops->lines ? ops->lines(e->guest) : 0;
}

/* ---- sampling -------------------------------------------------------------------------------- */

static void begin_phase(struct pmk_emulated *e, enum pmk_units_phase phase, uint64_t length,
			const struct pmk_reading *now)
{
	e->phase = phase;
	e->phase_insns = e->bus.total[PMK_SIG_INSN];
	e->phase_cycles = e->cpu.cycles;
	e->phase_due = e->phase_insns + length;
	e->phase_began = *now;
}

/* Read the counts since the phase began. */
static void read_piece(const struct pmk_emulated *e, const struct pmk_emulated_blocks *b,
		       const struct pmk_reading *now, struct pmk_units_piece *piece)
{
	uint64_t insns = e->bus.total[PMK_SIG_INSN];

	piece->phase = e->phase;
	piece->from = e->phase == PMK_UNITS_HEAD ? insns + b->rest : e->unit.from;
	piece->insns = insns - e->phase_insns;
	piece->cycles = e->cpu.cycles - e->phase_cycles;
	pmk_reading_since(&piece->counts, now, &e->phase_began);
}

/* If a unit with a cold core is running, discard that core. */
static void end_cold(struct pmk_emulated *e)
{
	bool under_way = e->phase == PMK_UNITS_WARM || e->phase == PMK_UNITS_UNIT;

	if (under_way && pmk_units_cold(&e->unit))
		pmk_cpu_stale(&e->cpu, &e->kept);
}

/* The phase has ended. Returns true if it was a piece that counts. */
static bool end_phase(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		      const struct pmk_emulated_blocks *b, const struct pmk_reading *now)
{
	switch (e->phase) {
	case PMK_UNITS_WARM:
		begin_phase(e, PMK_UNITS_UNIT, cfg->units.unit, now);
		return false;
	default:
		end_cold(e);
		begin_phase(e, PMK_UNITS_REST, 0, now);
		pmk_units_next(&e->unit, &cfg->units, e->phase_insns + b->rest);
		return true;
	}
}

int pmk_emulated_piece(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece)
{
	struct pmk_reading now;
	int err = pmk_emulated_read_session(e, cfg, b, &now);
	bool over = false;

	if (e->phase != PMK_UNITS_WHOLE && e->phase != PMK_UNITS_REST &&
	    e->bus.total[PMK_SIG_INSN] >= e->phase_due) {
		read_piece(e, b, &now, piece);
		over = end_phase(e, cfg, b, &now);
	}
	pmk_emulated_set_deadline(e, cfg);
	return err ? err : over;
}

uint64_t pmk_emulated_unit_at(const struct pmk_emulated *e)
{
	return e->unit.at > e->phase_insns ? e->unit.at - e->phase_insns : 0;
}

/* How the last block ended is not known. */
static void forget_last_block(struct pmk_cpu *cpu)
{
	cpu->prev = cpu->origin;
	cpu->access = 0;
}

int pmk_emulated_unit(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		      const struct pmk_emulated_blocks *b)
{
	struct pmk_reading now;
	int err = pmk_emulated_read_session(e, cfg, b, &now);

	forget_last_block(&e->cpu);
	if (!err && pmk_units_cold(&e->unit))
		err = pmk_cpu_cold(&e->cpu, &e->kept);
	begin_phase(e, PMK_UNITS_WARM, cfg->units.warm, &now);
	pmk_emulated_set_deadline(e, cfg);
	return err;
}

int pmk_emulated_whole(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece)
{
	bool sampled = e->phase != PMK_UNITS_HEAD && e->phase != PMK_UNITS_WHOLE;
	struct pmk_reading now;
	int err = pmk_emulated_read_session(e, cfg, b, &now);

	end_cold(e);
	if (e->phase != PMK_UNITS_HEAD)
		forget_last_block(&e->cpu);
	piece->phase = PMK_UNITS_WHOLE;
	piece->insns = e->bus.total[PMK_SIG_INSN];
	piece->from = piece->insns + b->rest;
	piece->cycles = e->cpu.cycles - e->start_cycles;
	piece->counts = now;
	begin_phase(e, PMK_UNITS_WHOLE, 0, &now);
	pmk_emulated_set_deadline(e, cfg);
	return err ? err : sampled;
}

/* ---- regions -------------------------------------------------------------------------------- */

static void open_region(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, unsigned r)
{
	struct pmk_region_state *s = &e->region[r];

	if (s->inside && e->branched)
		return; /* a loop whose first instruction is that of the function */
	s->entries++;
	if (s->inside)
		return; /* the function calls itself, or --from is reached again */
	pmk_emulated_read_session(e, cfg, b, &s->entered_at);
	s->inside = 1;
	s->call_depth = e->calls;
	if (cfg->window && r == 0) {
		pmk_emulated_first_interval(e, cfg);
		pmk_emulated_set_deadline(e, cfg);
	}
}

void pmk_emulated_close_region(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			       const struct pmk_emulated_blocks *b, unsigned r)
{
	struct pmk_reading now, totals;

	pmk_emulated_read_session(e, cfg, b, &now);
	pmk_emulated_region_totals(e, r, &now, &totals);
	e->region[r].total = totals;
	e->region[r].inside = 0;
}

static void end_window(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	e->interval_due = PMK_NEVER;
	pmk_emulated_set_deadline(e, cfg);
}

void pmk_emulated_cross(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b)
{
	for (unsigned r = 0; r < cfg->nregions; r++) {
		if (e->ending >> r & 1 && e->region[r].inside) {
			pmk_emulated_close_region(e, cfg, b, r);
			if (cfg->window && r == 0)
				end_window(e, cfg);
		}
		if (e->beginning >> r & 1)
			open_region(e, cfg, b, r);
	}
	e->ending = e->beginning = 0;
}

/* When the stack is full, its older half is dropped: a region that was entered deep in a recursion
 * then stays open until a remembered caller is returned to. */
static void push_call(struct pmk_emulated *e, uint64_t addr)
{
	if (e->calls == PMK_CALL_STACK) {
		e->calls_lost = true;
		memmove(e->call, e->call + PMK_CALL_STACK / 2,
			PMK_CALL_STACK / 2 * sizeof(*e->call));
		e->calls = PMK_CALL_STACK / 2;
		for (unsigned r = 0; r < PMK_MAX_REGIONS; r++) {
			uint32_t *depth = &e->region[r].call_depth;

			*depth = *depth > e->calls ? *depth - e->calls : 1;
		}
	}
	e->call[e->calls++] = addr;
}

/* The entry for `addr`, which holds the number of open calls when `addr` was last returned to. */
static struct pmk_returned *returned_slot(struct pmk_emulated *e, uint64_t addr)
{
	return &e->returned[(addr >> 2) % PMK_RETURNED];
}

/*
 * Control reached `pc` by a return or another indirect branch: find the call that it returns from.
 * longjmp leaves several calls at once, and goes to an address to which setjmp has returned before.
 * Returns the number of calls that are still open.
 */
static uint32_t returned_to(struct pmk_emulated *e, uint64_t pc, bool is_return)
{
	struct pmk_returned *r = returned_slot(e, pc);
	uint32_t oldest =
		is_return || e->calls < PMK_CALLS_NEARBY ? 0 : e->calls - PMK_CALLS_NEARBY;

	for (uint32_t i = e->calls; i > oldest; i--)
		if (e->call[i - 1] == pc) {
			*r = (struct pmk_returned){ .addr = pc, .calls = i - 1 };
			return i - 1;
		}
	return r->addr == pc && r->calls < e->calls ? r->calls : e->calls;
}

/* Follow calls and returns to the block `next`, which does not directly follow `p`. */
static void follow_call(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_block *p, const struct pmk_block *next)
{
	if (p->flow == PMK_FLOW_CALL || p->flow == PMK_FLOW_INDCALL) {
		push_call(e, p->fall);
		return;
	}
	if (p->flow != PMK_FLOW_RETURN && p->flow != PMK_FLOW_INDIRECT)
		return;
	e->calls = returned_to(e, next->pc, p->flow == PMK_FLOW_RETURN);
	for (unsigned r = 0; r < cfg->nregions; r++) {
		const struct pmk_region_state *s = &e->region[r];

		/* The call that entered the function has ended. */
		if (s->inside && cfg->region[r].end == 0 && e->calls < s->call_depth)
			e->ending |= 1u << r;
	}
}

void pmk_emulated_follow(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			 const struct pmk_block *next, bool boundary)
{
	const struct pmk_block *p = e->cpu.prev;

	if (cfg->follows && next->pc != p->fall)
		follow_call(e, cfg, p, next);
	for (unsigned r = 0; boundary && r < cfg->nregions; r++) {
		e->ending |= (uint32_t)(cfg->region[r].end && cfg->region[r].end == next->pc) << r;
		e->beginning |= (uint32_t)(cfg->region[r].begin == next->pc) << r;
	}
	e->branched = p->flow == PMK_FLOW_JUMP && p->target == next->pc;
	e->cpu.crossing = e->ending | e->beginning;
}

/* Let the bus finish pending transfers: the line that was cast out last may not have been written
 * yet. */
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
