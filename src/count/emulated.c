// SPDX-License-Identifier: MIT
/* Counting in emulation, first part: chooses the core, the events, regions and intervals.
 * emulated_plan.c puts the events on counters. */
#include "count/board.h"
#include "count/emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/armv8.h>
#include <pmk/dwt.h>

#include "buses/ahb/traffic.h"
#include "base/reserve.h"
#include "pmu/ahbmon/regs.h"

/* ---- what is counted ------------------------------------------------------------------------- */

/* Returns the name of the PMU that counts: the core's, or that of its level 2 cache if the user
 * asked for it. */
static const char *pmu_of(const struct pmk_core *core, const struct pmk_pmu *asked)
{
	bool level2 = asked && core->l2.type && pmk_core_l2_type(asked->name) == core->l2.type;

	return level2 ? asked->name : core->pmu;
}

static bool is_pmuv3(const struct pmk_pmu *pmu)
{
	return pmu && pmu->driver == pmk_armv8.driver;
}

/* True if the core executes 32-bit code, which may use the registers of any PMUv3. */
static bool is_aarch32(const struct pmk_core *core)
{
	return !strcmp(core->isa, "a32") || (!strcmp(core->isa, "arm") && !pmk_core_on_ahb(core));
}

/* True if firmware can access this PMU on a core whose own PMU is another one. */
static bool is_for_guests(const struct pmk_pmu *pmu)
{
	return is_pmuv3(pmu) || pmu == &pmk_dwt;
}

/*
 * Find the core of the board for pmk run, if the user named no core. The user may ask for a PMU
 * that 32-bit firmware sees in addition to the core's own PMU.
 */
static void look_at_board(struct pmk_count *c, const char **name, const struct pmk_pmu **asked)
{
	struct pmk_emulation *e = c->state;

	if (!*name && !*asked)
		*name = pmk_board_core(e->prog.argv.word);
	else if (!*name && is_for_guests(*asked))
		*name = pmk_board_of_32_bits(e->prog.argv.word);
	if (!*name || !is_for_guests(*asked))
		return;
	e->guest_pmu = *asked;
	*asked = NULL;
}

/* Chooses the PMU that counts. `asked` is the PMU that the user named, or NULL. */
static int choose_pmu(struct pmk_count *c, const struct pmk_pmu *asked)
{
	struct pmk_emulation *e = c->state;

	/* Firmware of a microcontroller can access only the counters of the DWT. */
	if (c->q.guest.wanted && !strcmp(e->prog.core.isa, "t32"))
		e->guest_pmu = &pmk_dwt;
	else if (e->guest_pmu && !is_aarch32(&e->prog.core)) {
		asked = e->guest_pmu;
		e->guest_pmu = NULL;
	}
	c->pmu = pmk_emulated_pmu(pmu_of(&e->prog.core, asked), &e->prog.core, &e->microblaze);
	if (!c->pmu)
		return pmk_count_refuse(
			&c->fault,
			"core %s has no performance monitor; choose another one (pmk list cores)",
			e->prog.core.name);
	if (asked && asked != c->pmu && pmk_core_l2_type(asked->name) && e->prog.core.l2.type)
		return pmk_count_refuse(
			&c->fault,
			"the level 2 cache of core %s is %s, not %s; `set` l2.type chooses it",
			e->prog.core.name, pmk_core_l2[e->prog.core.l2.type], asked->name);
	if (asked && strcmp(asked->name, c->pmu->name) != 0)
		return pmk_count_refuse(
			&c->fault,
			"core %s has the PMU %s, not %s; leave `pmu` out, or choose another `core`",
			e->prog.core.name, c->pmu->name, asked->name);
	return 0;
}

static int choose_core(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const char *name = c->q.core.name;
	bool chosen = name != NULL;
	const struct pmk_pmu *asked = NULL;
	const char *data;
	char *found = NULL;
	int err = 0;

	if (c->q.core.pmu) {
		asked = pmk_pmu_find(c->q.core.pmu);
		if (!asked)
			return pmk_count_refuse(&c->fault, "unknown PMU '%s' (pmk list pmus)",
						c->q.core.pmu);
	}
	if (c->q.guest.wanted)
		look_at_board(c, &name, &asked);
	else if (e->prog.system && !e->prog.alone && !name && !asked &&
		 e->prog.elf.machine != PMK_ELF_AARCH64)
		name = pmk_board_armv7(e->prog.argv.word);
	data = pmk_count_data(c);
	if (!data)
		return PMK_COUNT_FAILED;
	if (asked && !name && !pmk_core_l2_type(asked->name)) {
		err = pmk_program_core_with(&e->prog, data, asked->name, &found);
		if (err)
			return err;
		name = found;
		if (!name)
			return pmk_count_refuse(
				&c->fault,
				"no emulated core has the PMU %s; choose another `core` (pmk list "
				"cores), or use `target` linux on a machine that has it",
				asked->name);
	}
	e->prog.core_chosen = chosen;
	err = pmk_program_core(&e->prog, data, name, asked ? asked->name : NULL, &c->q.core.set);
	free(found);
	if (err)
		return err;
	return choose_pmu(c, asked);
}

/* Set the second PMU of a core with a level 2 cache. The PMU of the core and the PMU of the cache
 * are on one bus, so both can count at once. c->pmu is the requested one, and the user can also
 * name events of the other. */
static void choose_beside(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_core *core = &e->prog.core;
	const struct pmk_pmu *cache =
		core->l2.type ? pmk_pmu_find(pmk_core_l2[core->l2.type]) : NULL;

	if (cache)
		e->beside = c->pmu == cache ? pmk_pmu_find(core->pmu) : cache;
}

/* True if the name has the form "pmu/event/" or "pmu::event" and its PMU is `pmu`. */
static bool names_pmu(const char *name, const struct pmk_pmu *pmu)
{
	size_t n = strcspn(name, "/:");
	char first[64];

	snprintf(first, sizeof(first), "%.*s", n < sizeof(first) ? (int)n : 0, name);
	return name[n] && pmk_pmu_find(first) == pmu;
}

/* Look up an event: in the second PMU if the name begins with that PMU's name, otherwise in
 * c->pmu. */
static int find_event(void *ctx, const char *name, struct pmk_event_request *req)
{
	struct pmk_count *c = ctx;
	const struct pmk_emulation *e = c->state;

	if (e->beside && names_pmu(name, e->beside))
		req->how = e->beside;
	req->event = pmk_event_named(req->how ? e->beside : c->pmu, name, &c->fault);
	return req->event ? 0 : PMK_COUNT_USAGE;
}

/* Add events of the layers whose masters --traffic keeps busy. */
static int traffic_events(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	enum { GXI = PMK_MATRIX_NMASTERS };
	static const char *const names[GXI + 1][5] = {
		[PMK_MATRIX_CLCDC] = { "ct_clcd_rd", "ct_clcd_wait_total",
				       "ct_clcd_wait_non_seq_bus" },
		[PMK_MATRIX_DMA0] = { "ct_dma0_rd", "ct_dma0_wr", "ct_dma0_wait_total",
				      "ct_dma0_wait_non_seq_bus" },
		[PMK_MATRIX_DMA1] = { "ct_dma1_rd", "ct_dma1_wr", "ct_dma1_wait_total",
				      "ct_dma1_wait_non_seq_bus" },
		[PMK_MATRIX_EXP] = { "ct_exp_rd", "ct_exp_wr", "ct_exp_wait_total",
				     "ct_exp_wait_non_seq_bus" },
		[GXI] = { "ct_gxi_rd", "ct_gxi_wr", "ct_gxi_rd_data_wait", "ct_gxi_page_change" },
	};
	const struct pmk_traffic *t = &e->cfg.traffic;
	int err = 0;

	for (unsigned m = 0; m <= GXI; m++)
		for (unsigned i = 0;
		     !err && (m == GXI ? t->gxi.on : t->master[m].on) && names[m][i]; i++) {
			const struct pmk_event *ev = pmk_pmu_event(c->pmu, names[m][i]);

			err = pmk_event_list_add(&c->events, ev, ev->name);
		}
	return err;
}

/* Choose the PMU's default events for which it has a counter, and events of the layers that
 * --traffic keeps busy. */
static int default_events(struct pmk_count *c)
{
	const char *at = c->pmu->defaults;
	char name[64];
	int len, err = 0;

	for (; !err && sscanf(at, " %63s%n", name, &len) == 1; at += len) {
		const struct pmk_event *ev = pmk_pmu_event(c->pmu, name);

		if (ev && pmk_pmu_range(c->pmu, ev->code))
			err = pmk_event_list_add(&c->events, ev, ev->name);
	}
	return err ? err : traffic_events(c);
}

/* True if there can be transfers on the bus of this event. Transfers come only from the program
 * and from the masters that --traffic enables. */
static bool has_traffic(const struct pmk_count *c, const struct pmk_event *ev)
{
	struct pmk_emulation *e = c->state;
	unsigned bus = pmk_ahbmon_bus_of[ev->code];

	switch (bus) {
	case PMK_AHBMON_BUS_HCLK:
	case PMK_AHBMON_BUS_ARMI:
	case PMK_AHBMON_BUS_ARMD:
		return true;
	case PMK_AHBMON_BUS_GXI:
		return e->cfg.traffic.gxi.on;
	default: /* layers have the numbers of their masters */
		return e->cfg.traffic.master[bus - PMK_AHBMON_BUS_ARMI].on;
	}
}

/* ---- where it is counted --------------------------------------------------------------------- */

static int find_symbol(struct pmk_count *c, const char *name, uint64_t *addr)
{
	struct pmk_emulation *e = c->state;
	char msg[512];
	const char *image = e->prog.image;

	if (!image && (name[0] != '0' || (name[1] | 0x20) != 'x'))
		return pmk_count_refuse(
			&c->fault,
			"region '%s': the `qemu` command line has no -kernel with an ELF file to "
			"look it up in; give an address such as 0x8000",
			name);
	if (pmk_elf_symbol(image ? image : "", name, addr, msg, sizeof(msg)))
		return pmk_count_refuse(&c->fault, "region '%s' in %s: %s", name, image, msg);
	return 0;
}

static int choose_regions(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	struct pmk_emulated_config *cfg = &e->cfg;
	int err;

	if (c->q.scope.from) {
		cfg->window = 1;
		cfg->nregions = 1;
		err = find_symbol(c, c->q.scope.from, &cfg->region[0].begin);
		if (!err)
			err = find_symbol(c, c->q.scope.to, &cfg->region[0].end);
		if (err)
			return err;
	}
	for (unsigned i = 0; i < c->q.scope.regions.count; i++) {
		err = find_symbol(c, c->q.scope.regions.word[i], &cfg->region[cfg->nregions].begin);
		if (err)
			return err;
		cfg->nregions++;
	}
	return 0;
}

/* Set up the other masters on the buses around the core, from --traffic. */
static int choose_traffic(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_words *specs = &c->q.core.traffic;
	struct pmk_traffic *t = &e->cfg.traffic;
	struct pmk_matrix_config config;
	char msg[512];

	if (specs->count && !pmk_core_on_ahb(&e->prog.core))
		return pmk_count_refuse(
			&c->fault,
			"`traffic`: the buses of core %s are not modelled; use `core` arm926",
			e->prog.core.name);
	pmk_biu_matrix(&e->prog.core, &config);
	for (unsigned i = 0; i < specs->count; i++) {
		if (pmk_traffic_parse(specs->word[i], &config, t, msg, sizeof(msg)))
			return pmk_count_refuse(&c->fault, "`traffic`%s", msg + strlen("traffic"));
		if (t->master[PMK_MATRIX_ARMI].on || t->master[PMK_MATRIX_ARMD].on)
			return pmk_count_refuse(&c->fault,
						"`traffic` %s: %.4s is the program's own layer; "
						"use clcdc, dma0, dma1, exp or gxi",
						specs->word[i], specs->word[i]);
	}
	return 0;
}

static int choose_interval(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	struct pmk_emulated_config *cfg = &e->cfg;
	uint64_t cycles_per_ms = e->prog.core.clock_hz / 1000;

	cfg->interval = c->q.interval.length;
	switch (c->q.interval.unit) {
	case PMK_EVERY_NONE:
		cfg->interval_unit = PMK_INTERVAL_NONE;
		break;
	case PMK_EVERY_CYCLES:
		cfg->interval_unit = PMK_INTERVAL_CYCLES;
		break;
	case PMK_EVERY_INSNS:
		cfg->interval_unit = PMK_INTERVAL_INSNS;
		break;
	case PMK_EVERY_MS:
		cfg->interval_unit = PMK_INTERVAL_CYCLES;
		if (!cycles_per_ms || cfg->interval > UINT64_MAX / cycles_per_ms)
			return pmk_count_refuse(
				&c->fault,
				"`interval`: the number of ms is out of range for a clock of %llu "
				"Hz; give cycles or insns",
				(unsigned long long)e->prog.core.clock_hz);
		cfg->interval *= cycles_per_ms;
		break;
	}
	return 0;
}

static int choose_delay(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	uint64_t cycles_per_ms = e->prog.core.clock_hz / 1000;

	if (!c->q.run.delay_ms)
		return 0;
	if (c->q.scope.from || c->q.scope.regions.count)
		return pmk_count_refuse(
			&c->fault, "`delay` starts counting at a time, `from` and `region` at an "
				   "address; they cannot be combined");
	if (c->q.record.what != PMK_REQUEST_COUNTS)
		return pmk_count_refuse(
			&c->fault, "`delay`: a recording in emulation always covers the whole run");
	if (!cycles_per_ms)
		return pmk_count_refuse(
			&c->fault, "`delay`: milliseconds need a clock, and the core has none; "
				   "give it one with `set` clock=HZ");
	e->cfg.delay = c->q.run.delay_ms * cycles_per_ms;
	return 0;
}

/* Returns the reason why --sample cannot be used here, or NULL. */
static const char *not_sampled_because(const struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;

	if (c->q.record.what != PMK_REQUEST_COUNTS)
		return "a recording in emulation covers the whole run";
	if (e->prog.system)
		return "the clock that firmware reads would stop while nothing is counted";
	if (pmk_core_family(&e->prog.core)->run->attach)
		return "other bus masters would run on while nothing is counted";
	if (c->q.interval.unit != PMK_EVERY_NONE)
		return "`interval` covers the whole run";
	if (c->q.scope.from || c->q.scope.regions.count)
		return "`region` and `from` count everything that runs there";
	if (c->q.run.delay_ms)
		return "`delay` covers the whole run";
	if (c->q.scope.per_core)
		return "`no-aggr` is for programs with several threads, which are counted "
		       "completely";
	return NULL;
}

static int choose_sampling(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	if (!c->q.sample.wanted)
		return 0;
	if (not_sampled_because(c))
		return pmk_count_refuse(&c->fault, "`sample`: %s", not_sampled_because(c));
	e->cfg.units = PMK_UNITS_DEFAULT;
	if (c->q.sample.seed)
		e->cfg.units.seed = c->q.sample.seed;
	return 0;
}

static int choose_random(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	e->cfg.random_seed = 1;
	if (!c->q.program.random_seed)
		return 0;
	if (e->prog.system)
		return pmk_count_refuse(&c->fault, "`random-seed`: firmware gets no random numbers "
						   "from pmk; use the emulator's option -seed");
	e->cfg.random_seed = c->q.program.random_seed;
	pmk_count_add_note(c, "the program got the random numbers of `random-seed` %u",
			   c->q.program.random_seed);
	return 0;
}

static int choose_program(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	return c->q.program.qemu || c->q.guest.wanted
		       ? pmk_program_system(&e->prog, c->q.program.qemu, c->q.program.command)
		       : pmk_program_open(&e->prog, c->q.program.command[0]);
}

/* Put the facts about the core into the result. Seconds are computed from the core's clock. The AHB
 * Monitor counts cycles of the bus, whose clock is slower than the core's by the ratio. */
static int set_core_facts(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_core *core = &e->prog.core;
	struct pmk_result *r = &c->result;

	r->core = strdup(core->name);
	r->env = pmk_count_join(e->prog.passed.word, "");
	if (!e->prog.system) {
		r->environment = pmk_count_join(e->prog.envp.word, "");
		r->env_left_out = e->prog.left_out;
	}
	r->passes = e->plan.npasses;
	r->clock_hz = (double)core->clock_hz;
	if (pmk_core_on_ahb(core))
		r->clock_hz /= (double)core->arm9.ahb_ratio;
	return r->core && r->env ? 0 : pmk_count_no_memory(&c->fault);
}

enum pmk_levels pmk_emulation_levels(const struct pmk_count *c, unsigned planned)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_event_request *req = &c->events.item[e->event_of[planned]];

	if (!e->prog.system || req->user == req->kernel)
		return PMK_LEVELS_ALL;
	return req->user ? PMK_LEVELS_USER : PMK_LEVELS_KERNEL;
}

/* True if PMK_QEMU_TESTS=0 forbids that translated code tests accesses by itself
 * (pmk_emulated_config.untested), so that its benefit can be measured. */
static bool told_not_to_test(void)
{
	const char *told = getenv("PMK_QEMU_TESTS");

	return told && !strcmp(told, "0");
}

static int configure_core(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	struct pmk_emulated_config *cfg = &e->cfg;

	snprintf(cfg->pmu, sizeof(cfg->pmu), "%s", c->pmu->name);
	snprintf(cfg->beside, sizeof(cfg->beside), "%s", e->beside ? e->beside->name : "");
	cfg->core = e->prog.core;
	cfg->plan = e->plan;
	cfg->layout = e->monitor.layout.layout;
	for (unsigned i = 0; i < e->plan.nevents; i++)
		cfg->watch_levels |= pmk_emulation_levels(c, i) != PMK_LEVELS_ALL;
	/* Firmware or a kernel that programs the PMU may count only one exception level. */
	cfg->watch_levels |= c->q.guest.wanted && pmk_emulation_knows_levels(c);
	if (cfg->watch_levels && c->q.record.what != PMK_REQUEST_COUNTS)
		return pmk_count_refuse(&c->fault, "events with :u or :k cannot be recorded; leave "
						   "out the modifier, because addresses "
						   "distinguish user code from a kernel's");
	cfg->whole = c->q.record.what != PMK_REQUEST_COUNTS;
	cfg->untested = told_not_to_test();
	pmk_emulated_configure(cfg);
	c->program = e->prog.image;
	return set_core_facts(c);
}

/* Handle --packets FILE. */
static int choose_packets(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	if (!c->q.dump.packets)
		return 0;
	e->cfg.shows_pins = 1;
	e->cfg.codes = e->monitor.layout.packet;
	return pmk_core_on_ahb(&e->prog.core)
		       ? 0
		       : pmk_count_refuse(
				 &c->fault,
				 "`packets` records the pins of an AHB Monitor, which core "
				 "%s does not have; set `pmu` to ahbmon",
				 e->prog.core.name);
}

static int choose_events(struct pmk_count *c)
{
	/* The struct is large, but a run touches only a few KB of it: reserve sparse memory. */
	struct pmk_emulation *e = pmk_reserve(sizeof(*e));
	int err;

	c->state = e;
	if (!e)
		return pmk_count_no_memory(&c->fault);
	e->prog.fault = &c->fault;
	err = choose_program(c);
	if (!err)
		err = choose_core(c);
	if (err)
		return err;
	choose_beside(c);
	c->events.find = find_event;
	c->events.ctx = c;
	err = choose_traffic(c);
	if (!err && pmk_core_on_ahb(&e->prog.core))
		err = pmk_monitor_choose(&e->monitor, c, &e->prog.core);
	else if (!err)
		err = pmk_monitor_none(c, e->prog.core.name);
	if (!err && c->q.record.what != PMK_REQUEST_COUNTS && pmk_core_on_ahb(&e->prog.core))
		err = pmk_count_refuse(&c->fault,
				       "core %s: its monitor counts on the buses, not at "
				       "instructions; record another core (pmk list cores)",
				       e->prog.core.name);
	if (!err)
		err = choose_packets(c);
	if (!err)
		err = pmk_choose_events(c, default_events, has_traffic, e->prog.core.clock_hz > 0);
	if (!err)
		err = choose_interval(c);
	if (!err)
		err = choose_delay(c);
	if (!err)
		err = choose_sampling(c);
	if (!err)
		err = choose_random(c);
	if (!err)
		err = pmk_guest_choose(c);
	if (!err)
		err = pmk_emulation_plan(c);
	if (!err)
		err = choose_regions(c);
	if (!err && e->prog.alone)
		err = pmk_program_firmware(&e->prog, c->q.program.command);
	else if (!err && !c->q.program.qemu && !c->q.guest.wanted)
		err = pmk_program_user(&e->prog, c->q.program.command, c->q.program.sysroot,
				       e->cfg.random_seed);
	if (!err)
		err = pmk_program_env(&e->prog, &c->q.program.env);
	return err ? err : configure_core(c);
}

static const struct pmk_recording *get_recording(const struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;

	return e->recorded ? &e->recording : NULL;
}

static void free_emulation(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	pmk_runner_free(&e->runner);
	pmk_program_free(&e->prog);
	pmk_recorded_free(e->recorded);
	free(e->recorded_events);
	pmk_perfmap_free(&e->names);
	free(e->places);
	pmk_guest_free(c);
	pmk_packets_close(&e->packets, false, &c->fault);
	pmk_release(e, sizeof(*e));
}

const struct pmk_count_way pmk_way_emulation = {
	.name = "emu",
	.brief = "emulation: the program runs under QEMU and its core is modelled",
	.choose = choose_events,
	.run = pmk_emulation_run,
	.describe = pmk_emulation_describe,
	.finish = pmk_emulation_finish,
	.record = pmk_emulation_record,
	.recording = get_recording,
	.free = free_emulation,
};
