// SPDX-License-Identifier: MIT
/*
 * Passes the samples of a dump to the observers of the hardware in it: AHB (src/buses/ahb), AXI
 * (src/buses/axi), and the EVNTBUS of an ARM11.
 *
 * Edges may be lost in a dump ($dumpoff). After such a gap, the state of the buses is unknown, so
 * the protocol checkers start again, and the observer of each AHB layer gets one cycle in reset.
 */
#define _GNU_SOURCE
#include "producer/wave/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahbmon.h>
#include <pmk/evntbus.h>
#include <pmk/pmu.h>

#include "base/nearest.h"
#include "producer/wave/wave.h"

#define NO_SLOT (-1)

_Static_assert((int)PMK_AHB_NRULES <= PMK_WAVE_MOST_RULES &&
		       (int)PMK_AXI_NRULES <= PMK_WAVE_MOST_RULES,
	       "a count for each rule");

/* ---- layers --------------------------------------------------------------------------------- */

/*
 * Finds the slots of a part of the map: the signals that the map names for roles. slot[] gets the
 * index of the slot by role, or NO_SLOT if the role has no signal. Returns the roles that have one,
 * as bits.
 */
static uint32_t find_slots(const struct pmk_wave_map *m, enum pmk_wave_part part, unsigned group,
			   int *slot, unsigned nroles)
{
	uint32_t roles = 0;

	for (unsigned r = 0; r < nroles; r++)
		slot[r] = NO_SLOT;
	for (unsigned i = 0; i < m->nslots; i++) {
		if (m->slot[i].part != part || m->slot[i].group != group)
			continue;
		slot[m->slot[i].role] = (int)i;
		roles |= UINT32_C(1) << m->slot[i].role;
	}
	return roles;
}

static bool is_lite(const struct pmk_wave_count *c, const struct pmk_wave_watched *l)
{
	int hresp = l->slot[PMK_AHB_HRESP];

	if (l->layer->protocol != PMK_WAVE_BY_HRESP)
		return l->layer->protocol == PMK_WAVE_AHB_LITE;
	return hresp != NO_SLOT && c->w->width[hresp] == 1;
}

static void start_checker(const struct pmk_wave_count *c, struct pmk_wave_watched *l)
{
	const struct pmk_ahb_checker_params params = { .has = l->roles,
						       .bytes = l->layer->bytes,
						       .lite = is_lite(c, l) };

	pmk_ahb_checker_init(&l->checker, &params);
}

_Static_assert(WAVE_NPLACES == PMK_AHB_NPLACES, "a key of [windows] for each place");

void pmk_wave_offer_windows(FILE *f)
{
	struct pmk_ahb_layer_params chip;

	pmk_ahb_layer_defaults(&chip);
	pmk_ahb_layer_devchip_windows(&chip);
	fputs("\n# Counters of single devices need the devices' addresses. These lines, without\n"
	      "# their '# ', are those of the ARM926EJ-S Development Chip (DDI 0287B 4.2.2):\n"
	      "# [windows]\n",
	      f);
	for (unsigned p = 0; p < PMK_AHB_NPLACES; p++)
		for (unsigned i = 0; i < chip.nwindows; i++)
			if (chip.window[i].places >> p & 1)
				fprintf(f, "# %s = 0x%" PRIx64 "-0x%" PRIx64 "\n",
					pmk_wave_places[p], (uint64_t)chip.window[i].first,
					(uint64_t)chip.window[i].last);
}

static struct pmk_ahb_window window_of(const struct pmk_wave_window *w)
{
	return (struct pmk_ahb_window){
		.first = w->first,
		.last = w->last,
		.places = w->place == PMK_WAVE_NO_PLACE ? 0 : 1u << w->place,
		.slave = w->slave,
	};
}

static int start_layer(struct pmk_wave_count *c, struct pmk_wave_watched *l)
{
	const struct pmk_wave_map *m = c->map;
	struct pmk_ahb_layer_params params;

	l->roles =
		find_slots(m, PMK_WAVE_LAYER, l->index, l->slot, PMK_WAVE_CAUSE + 1) & PMK_AHB_ALL;
	for (unsigned r = 0; r <= PMK_WAVE_CAUSE; r++)
		l->value[r] =
			&c->w->dump.cells
				 .before[l->slot[r] == NO_SLOT ? c->w->zero : (uint32_t)l->slot[r]];
	start_checker(c, l);
	if (!c->monitor && !c->each)
		return 0;
	l->bus = c->each ? &c->each[l->index] : &c->monitor[l->layer->monitor];
	pmk_ahb_timer_init(&l->timer);
	pmk_ahb_layer_defaults(&params);
	params.has = l->roles;
	for (unsigned i = 0; i < m->nwindows; i++)
		params.window[i] = window_of(&m->window[i]);
	params.nwindows = m->nwindows;
	return pmk_ahb_layer_init(&l->observer, &params, l->bus);
}

static int no_layer(const struct pmk_wave_count *c, struct pmk_wave_error *err)
{
	struct pmk_nearest near;
	const char *first;
	char hint[160];

	pmk_nearest_init(&near, c->only);
	for (unsigned i = 0; i < c->map->nlayers; i++)
		pmk_nearest_offer(&near, c->map->layer[i].name);
	for (unsigned i = 0; i < c->map->naxi; i++)
		pmk_nearest_offer(&near, c->map->axi[i].name);
	pmk_nearest_text(&near, hint, sizeof(hint));
	if (*hint)
		return pmk_wave_fail(err, PMK_EPARSE, "%s: no layer '%.60s'; did you mean %s?",
				     c->map->file, c->only, hint);
	first = c->map->nlayers ? c->map->layer[0].name : c->map->naxi ? c->map->axi[0].name : "";
	return pmk_wave_fail(err, PMK_EPARSE, "%s: no layer '%.60s'%s%.60s", c->map->file, c->only,
			     *first ? "; the map has other layers, such as "
				    : "; the map has no [layer] and no [axi]",
			     first);
}

bool pmk_wave_count_crowded(const struct pmk_wave_map *m, const char *only)
{
	bool taken[PMK_AHBMON_NBUSES] = { false }, crowded = false;

	for (unsigned i = 0; i < m->nlayers; i++) {
		const struct pmk_wave_layer *layer = &m->layer[i];

		if (layer->chosen)
			return false;
		if (only && strcasecmp(only, layer->name) != 0)
			continue;
		crowded |= taken[layer->monitor];
		taken[layer->monitor] = true;
	}
	return crowded;
}

static int start_layers(struct pmk_wave_count *c, struct pmk_wave_error *err)
{
	const struct pmk_wave_layer *owner[PMK_AHBMON_NBUSES] = { NULL };
	const struct pmk_wave_map *m = c->map;

	c->watched = calloc(m->nlayers + 1, sizeof(*c->watched));
	if (!c->watched)
		return pmk_wave_no_memory(err, m->file);
	for (unsigned i = 0; i < m->nlayers; i++) {
		const struct pmk_wave_layer *layer = &m->layer[i];
		struct pmk_wave_watched *l = &c->watched[c->nwatched];

		if (c->only && strcasecmp(c->only, layer->name) != 0)
			continue;
		if (c->monitor && owner[layer->monitor])
			return pmk_wave_fail(
				err, PMK_EPARSE,
				"%s:%u: the layers %.40s and %.40s have the same monitor, %s; "
				"set monitor = NAME, one of %s, or count with `pmu` amba",
				m->file, layer->line, owner[layer->monitor]->name, layer->name,
				pmk_wave_monitors[layer->monitor - PMK_AHBMON_BUS_ARMI],
				WAVE_MONITORS);
		owner[layer->monitor] = layer;
		*l = (struct pmk_wave_watched){
			.layer = layer,
			.index = i,
			.data = PMK_WAVE_DATA_X,
			.checked = { .name = layer->name,
				     .rule = pmk_ahb_rules,
				     .nrules = PMK_AHB_NRULES,
				     .role_name = pmk_ahb_role_name },
		};
		if (start_layer(c, l))
			return pmk_wave_fail(err, PMK_EPARSE,
					     "%s:%u: [layer %.40s] cannot be observed", m->file,
					     layer->line, layer->name);
		c->nwatched++;
	}
	return 0;
}

static void start_axi(struct pmk_wave_count *c, struct pmk_wave_watched_axi *a)
{
	uint32_t roles = find_slots(c->map, PMK_WAVE_AXI, a->index, a->slot, PMK_AXI_NROLES);
	struct pmk_axi_checker_params params = { .has = roles };

	pmk_axi_init(&a->observer, roles);
	/*
	 * Maps may leave out part of the data, but hardly part of the strobes, so the strobes give
	 * the width.
	 */
	if (a->slot[PMK_AXI_WSTRB] != NO_SLOT)
		params.bytes = c->w->width[a->slot[PMK_AXI_WSTRB]];
	pmk_axi_checker_init(&a->checker, &params);
	a->checked = (struct pmk_wave_checked){ .name = a->axi->name,
						.rule = pmk_axi_rules,
						.nrules = PMK_AXI_NRULES,
						.role_name = pmk_axi_role_name };
}

static int start_interfaces(struct pmk_wave_count *c, struct pmk_wave_error *err)
{
	const struct pmk_wave_map *m = c->map;

	c->axi = calloc(m->naxi + 1, sizeof(*c->axi));
	if (!c->axi)
		return pmk_wave_no_memory(err, m->file);
	for (unsigned i = 0; i < m->naxi && (c->each || c->violation); i++) {
		struct pmk_wave_watched_axi *a = &c->axi[c->naxi];

		if (c->only && strcasecmp(c->only, m->axi[i].name) != 0)
			continue;
		a->axi = &m->axi[i];
		a->index = i;
		start_axi(c, a);
		c->naxi++;
	}
	return c->only && !c->nwatched && !c->naxi ? no_layer(c, err) : 0;
}

/* ---- GXI, EVNTBUS, events ------------------------------------------------------------------- */

static void start_gxi(struct pmk_wave_count *c)
{
	struct pmk_gxi_params params;

	c->gxi_roles = find_slots(c->map, PMK_WAVE_GXI, 0, c->gxi_slot, WAVE_NGXI);
	if (!c->monitor || c->only)
		c->gxi_roles = 0;
	if (!c->gxi_roles)
		return;
	params = (struct pmk_gxi_params){
		.no_address = c->gxi_slot[PMK_WAVE_GXI_ADDR] == NO_SLOT,
		.no_write = c->gxi_slot[PMK_WAVE_GXI_IS_WRITE] == NO_SLOT,
		.no_address_state = c->gxi_slot[PMK_WAVE_GXI_ADDRESS] == NO_SLOT,
		.no_data_state = c->gxi_slot[PMK_WAVE_GXI_DATA] == NO_SLOT,
	};
	pmk_gxi_init(&c->gxi, &params, &c->monitor[PMK_AHBMON_BUS_GXI]);
}

/* Maps the event codes of EVNTBUS to signals. */
static int start_evntbus(struct pmk_wave_count *c, struct pmk_wave_error *err)
{
	const struct pmk_wave_map *m = c->map;
	uint8_t count[PMK_ARM11_EVNTBUS_CODES];

	c->evntbus = NO_SLOT;
	for (unsigned i = 0; i < m->nslots && c->core; i++)
		if (m->slot[i].part == PMK_WAVE_EVNTBUS)
			c->evntbus = (int)i;
	if (c->evntbus == NO_SLOT)
		return 0;
	c->pmu = pmk_pmu_find(m->core);
	if (!c->pmu || pmk_arm11_evntbus_counts(c->pmu, 0, count))
		return pmk_wave_fail(
			err, PMK_EPARSE,
			"%s:%u: the EVNTBUS of %s is not documented; that of arm1136 and "
			"arm1176 is",
			m->file, m->slot[c->evntbus].line, m->core);
	for (unsigned code = 0; code < PMK_ARM11_EVNTBUS_CODES; code++) {
		const struct pmk_event *ev = pmk_pmu_event_code(c->pmu, code);

		c->evntbus_signal[code] = ev ? ev->signal : PMK_SIG_NONE;
		if (c->evntbus_signal[code] != PMK_SIG_NONE)
			pmk_signal_add(&c->core->raised, c->evntbus_signal[code]);
	}
	return 0;
}

static void start_events(struct pmk_wave_count *c)
{
	for (unsigned i = 0; i < c->map->nslots && c->core; i++)
		if (c->map->slot[i].part == PMK_WAVE_SIGNAL)
			pmk_signal_add(&c->core->raised, c->map->slot[i].role);
}

int pmk_wave_count_init(struct pmk_wave_count *c, struct pmk_wave *w, struct pmk_wave_error *err)
{
	int code;

	*err = (struct pmk_wave_error){ .code = 0 };
	c->w = w;
	c->nwatched = 0;
	c->cycles = 0;
	c->in_reset = (struct pmk_wave_warning){ .count = 0 };
	c->watched = NULL;
	c->axi = NULL;
	c->naxi = 0;
	c->was = calloc(c->map->nslots + 1, sizeof(*c->was));
	code = c->was ? start_layers(c, err) : pmk_wave_no_memory(err, c->map->file);
	if (!code)
		code = start_interfaces(c, err);
	start_gxi(c);
	if (!code)
		code = start_evntbus(c, err);
	start_events(c);
	c->own_cycles = c->core && pmk_signal_in(&c->core->raised, PMK_SIG_CYCLE);
	if (c->monitor)
		pmk_signal_add(&c->monitor[PMK_AHBMON_BUS_HCLK].raised, PMK_SIG_CYCLE);
	if (c->core)
		pmk_signal_add(&c->core->raised, PMK_SIG_CYCLE);
	if (code)
		pmk_wave_count_free(c);
	return code;
}

void pmk_wave_count_thresholds(struct pmk_wave_count *c, const uint32_t threshold[])
{
	for (unsigned i = 0; i < c->nwatched; i++)
		c->watched[i].observer.threshold =
			threshold[c->watched[i].layer->monitor - PMK_AHBMON_BUS_ARMI];
	c->gxi.threshold[PMK_GXI_WAIT_READ] = threshold[PMK_AHBMON_OVER_GXI_RD_A];
	c->gxi.threshold[PMK_GXI_WAIT_DATA] = threshold[PMK_AHBMON_OVER_GXI_RD_D];
	c->gxi.threshold[PMK_GXI_WAIT_WRITE] = threshold[PMK_AHBMON_OVER_GXI_WR_A];
}

void pmk_wave_count_free(struct pmk_wave_count *c)
{
	free(c->watched);
	free(c->axi);
	free(c->was);
	c->watched = NULL;
	c->axi = NULL;
	c->naxi = 0;
	c->was = NULL;
	c->nwatched = 0;
}

/* ---- one clock edge ------------------------------------------------------------------------- */

static void edge_warn(struct pmk_wave_count *c, enum pmk_wave_oddity what, unsigned slot,
		      uint64_t time)
{
	struct pmk_wave_warning *w = &c->findings->warning[what];

	if (!w->count++) {
		w->time = time;
		w->signal = c->map->slot[slot].signal;
	}
}

static uint64_t slot_bits(const struct pmk_wave_edge *e, int slot)
{
	return slot == NO_SLOT ? 0 : e->value[slot].bits;
}

/* Roles that the master drives in the address phase of a transfer. */
#define OF_TRANSFERS                                                  \
	(PMK_AHB_ROLE(PMK_AHB_HADDR) | PMK_AHB_ROLE(PMK_AHB_HWRITE) | \
	 PMK_AHB_ROLE(PMK_AHB_HSIZE) | PMK_AHB_ROLE(PMK_AHB_HBURST) | PMK_AHB_ROLE(PMK_AHB_HPROT))

static bool in_transfer(const struct pmk_wave_watched *l)
{
	return l->data == PMK_AHB_NONSEQ || l->data == PMK_AHB_SEQ;
}

/*
 * Warns about an x that matters, by the rules of the checker: HREADY must always be known, HRESP
 * while there is a transfer, and the signals of an address phase when HREADY is high.
 */
static __attribute__((noinline)) void warn_x(struct pmk_wave_count *c,
					     const struct pmk_wave_watched *l,
					     const struct pmk_wave_edge *e,
					     const struct pmk_ahb_cycle *cycle)
{
	uint32_t needed = PMK_AHB_ROLE(PMK_AHB_HREADY), wrong;
	bool ready = cycle->hready && !(cycle->x & PMK_AHB_ROLE(PMK_AHB_HREADY));

	if (cycle->reset)
		return;
	if (in_transfer(l) && !(cycle->x & PMK_AHB_ROLE(PMK_AHB_HREADY)))
		needed |= PMK_AHB_ROLE(PMK_AHB_HRESP);
	if (ready)
		needed |= PMK_AHB_ROLE(PMK_AHB_HTRANS);
	if (ready && !(cycle->x & PMK_AHB_ROLE(PMK_AHB_HTRANS)) && cycle->htrans >= PMK_AHB_NONSEQ)
		needed |= OF_TRANSFERS;
	wrong = cycle->x & needed;
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if (wrong & PMK_AHB_ROLE(r))
			edge_warn(c, PMK_WAVE_BUS_X, (unsigned)l->slot[r], e->time);
}

/* Returns the roles whose signal is x. */
static __attribute__((noinline)) uint16_t x_of(const struct pmk_wave_watched *l)
{
	uint16_t x = 0;

	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if (l->value[r]->x)
			x |= (uint16_t)PMK_AHB_ROLE(r);
	return x;
}

/*
 * Reads and stores each signal in turn, because there are not enough registers to read all signals
 * first.
 */
static inline void read_cycle(const struct pmk_wave_watched *l, const struct pmk_wave_edge *e,
			      struct pmk_ahb_cycle *c)
{
	const struct pmk_wave_value *v = l->value[PMK_AHB_HADDR];
	uint64_t x = v->x;

	c->haddr = v->bits;
	v = l->value[PMK_AHB_HTRANS];
	c->htrans = (uint8_t)v->bits;
	x |= v->x;
	v = l->value[PMK_AHB_HBURST];
	c->hburst = (uint8_t)v->bits;
	x |= v->x;
	v = l->value[PMK_AHB_HSIZE];
	c->hsize = (uint8_t)v->bits;
	x |= v->x;
	v = l->value[PMK_AHB_HPROT];
	c->hprot = v->bits & 0xf;
	x |= v->x;
	v = l->value[PMK_AHB_HRESP];
	c->hresp = (uint8_t)v->bits;
	x |= v->x;
	v = l->value[PMK_AHB_HWRITE];
	c->hwrite = v->bits & 1;
	x |= v->x;
	v = l->value[PMK_AHB_HREADY];
	c->hready = v->bits & 1;
	x |= v->x;
	c->cause = (uint8_t)l->value[PMK_WAVE_CAUSE]->bits;
	c->hmastlock = false;
	c->reset = e->reset;
	c->x = __builtin_expect(x != 0, 0) ? x_of(l) : 0;
}

/* Reports violations to the caller. */
static int report_violations(struct pmk_wave_count *c, struct pmk_wave_checked *bus,
			     const struct pmk_wave_edge *e, const struct pmk_violation *v,
			     unsigned n)
{
	int stop = 0;

	bus->violations += n;
	for (unsigned i = 0; i < n; i++)
		bus->broken[v[i].rule]++;
	for (unsigned i = 0; i < n && !stop; i++)
		stop = c->violation(c->ctx, bus, e, &v[i]);
	return stop;
}

static __attribute__((noinline)) int check_layer(struct pmk_wave_count *c,
						 struct pmk_wave_watched *l,
						 const struct pmk_wave_edge *e,
						 const struct pmk_ahb_cycle *cycle)
{
	struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS];
	unsigned n = pmk_ahb_checker_sample(&l->checker, cycle, v);

	return report_violations(c, &l->checked, e, v, n);
}

static int check_axi(struct pmk_wave_count *c, struct pmk_wave_watched_axi *a,
		     const struct pmk_wave_edge *e, const struct pmk_axi_cycle *cycle)
{
	struct pmk_violation v[PMK_AXI_MAX_VIOLATIONS];
	unsigned n = pmk_axi_checker_sample(&a->checker, cycle, v);

	return report_violations(c, &a->checked, e, v, n);
}

static bool is_low(const struct pmk_ahb_cycle *cycle)
{
	return !cycle->hready && !(cycle->x & PMK_AHB_ROLE(PMK_AHB_HREADY));
}

/* Determines the data phase after this cycle. */
static void follow_data_phase(struct pmk_wave_watched *l, const struct pmk_ahb_cycle *cycle)
{
	uint8_t next = cycle->x & PMK_AHB_ROLE(PMK_AHB_HTRANS) ? PMK_WAVE_DATA_X : cycle->htrans;

	if (cycle->reset)
		l->data = PMK_AHB_IDLE;
	else if (cycle->x & PMK_AHB_ROLE(PMK_AHB_HREADY))
		l->data = PMK_WAVE_DATA_X;
	else
		l->data = cycle->hready ? next : l->data;
}

static void observe_layer(const struct pmk_wave_count *c, struct pmk_wave_watched *l,
			  const struct pmk_ahb_cycle *cycle)
{
	if (!l->bus)
		return;
	pmk_ahb_layer_sample(&l->observer, l->bus, cycle);
	if (c->each)
		pmk_ahb_timer_sample(&l->timer, &l->observer, cycle);
}

static int sample_layer(struct pmk_wave_count *c, struct pmk_wave_watched *l,
			const struct pmk_wave_edge *e)
{
	static const struct pmk_ahb_cycle idle = { .reset = true };
	struct pmk_ahb_cycle cycle;

	read_cycle(l, e, &cycle);
	if (e->gap && e->number) {
		start_checker(c, l);
		l->data = PMK_WAVE_DATA_X;
		observe_layer(c, l, &idle);
	}
	if (cycle.x)
		warn_x(c, l, e, &cycle);
	if (l->slot[PMK_AHB_HRESP] == NO_SLOT && in_transfer(l) && !e->reset && is_low(&cycle))
		edge_warn(c, PMK_WAVE_NO_HRESP, (unsigned)l->slot[PMK_AHB_HREADY], e->time);
	follow_data_phase(l, &cycle);
	observe_layer(c, l, &cycle);
	return c->violation ? check_layer(c, l, e, &cycle) : 0;
}

static int sample_axi(struct pmk_wave_count *c, struct pmk_wave_watched_axi *a,
		      const struct pmk_wave_edge *e)
{
	struct pmk_axi_cycle cycle = { .reset = e->reset };
	uint32_t hidden;

	for (unsigned r = 0; r < PMK_AXI_NROLES; r++) {
		if (a->slot[r] == NO_SLOT)
			continue;
		cycle.value[r] = e->value[a->slot[r]].bits;
		if (e->value[a->slot[r]].x)
			cycle.x |= PMK_AXI_ROLE(r);
	}
	if (e->gap && e->number) {
		pmk_axi_forget(&a->observer);
		pmk_axi_checker_forget(&a->checker);
	}
	hidden = pmk_axi_sample(&a->observer, &cycle);
	for (unsigned r = 0; hidden && r < PMK_AXI_NROLES; r++)
		if (hidden & PMK_AXI_ROLE(r))
			edge_warn(c, PMK_WAVE_BUS_X, (unsigned)a->slot[r], e->time);
	return c->violation ? check_axi(c, a, e, &cycle) : 0;
}

static void sample_gxi(struct pmk_wave_count *c, const struct pmk_wave_edge *e)
{
	const struct pmk_gxi_cycle cycle = {
		.addr = slot_bits(e, c->gxi_slot[PMK_WAVE_GXI_ADDR]),
		.address = (uint8_t)slot_bits(e, c->gxi_slot[PMK_WAVE_GXI_ADDRESS]),
		.data = (uint8_t)slot_bits(e, c->gxi_slot[PMK_WAVE_GXI_DATA]),
		.write = slot_bits(e, c->gxi_slot[PMK_WAVE_GXI_IS_WRITE]) & 1,
		.reset = e->reset,
	};

	for (unsigned r = 0; r <= PMK_WAVE_GXI_IS_WRITE && !e->reset; r++)
		if (c->gxi_slot[r] != NO_SLOT && e->value[c->gxi_slot[r]].x)
			edge_warn(c, PMK_WAVE_BUS_X, (unsigned)c->gxi_slot[r], e->time);
	pmk_gxi_sample(&c->gxi, &c->monitor[PMK_AHBMON_BUS_GXI], &cycle);
}

static void sample_evntbus(struct pmk_wave_count *c, const struct pmk_wave_edge *e)
{
	uint8_t count[PMK_ARM11_EVNTBUS_CODES];

	pmk_arm11_evntbus_counts(c->pmu, (uint32_t)e->value[c->evntbus].bits, count);
	for (unsigned code = 0; code < PMK_ARM11_EVNTBUS_CODES; code++)
		if (count[code] && c->evntbus_signal[code] != PMK_SIG_NONE)
			pmk_bus_add(c->core, c->evntbus_signal[code], count[code]);
}

static void sample_event(struct pmk_wave_count *c, unsigned slot, const struct pmk_wave_edge *e)
{
	const struct pmk_wave_slot *s = &c->map->slot[slot];
	uint64_t bits = e->value[slot].bits;
	bool high = bits != 0;

	if (s->how == PMK_WAVE_COUNT)
		pmk_bus_add(c->core, s->role, bits);
	else if (high && (s->how == PMK_WAVE_LEVEL || !c->was[slot]))
		pmk_bus_add(c->core, s->role, 1);
	c->was[slot] = high;
}

/* Counts EVNTBUS and [events] at an edge. Nothing is counted in reset. */
static void sample_core(struct pmk_wave_count *c, const struct pmk_wave_edge *e)
{
	const struct pmk_wave_map *m = c->map;

	for (unsigned i = 0; i < m->nslots; i++) {
		if (m->slot[i].part != PMK_WAVE_SIGNAL && m->slot[i].part != PMK_WAVE_EVNTBUS)
			continue;
		if (e->reset) {
			c->was[i] = false;
			continue;
		}
		if (e->value[i].x)
			edge_warn(c, PMK_WAVE_UNKNOWN, i, e->time);
		if (m->slot[i].part == PMK_WAVE_SIGNAL)
			sample_event(c, i, e);
		else
			sample_evntbus(c, e);
	}
}

/* True if a signal of the bus, or its log, has a horizon: see note_horizons(). */
static bool has_horizon(const struct pmk_bus *bus)
{
	for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
		if (bus->due[sig] != PMK_NEVER)
			return true;
	return bus->recorded_due != PMK_NEVER;
}

#define CORE_BUS PMK_AHBMON_NBUSES

static const struct pmk_bus *bus_number(const struct pmk_wave_count *c, unsigned i)
{
	if (i == CORE_BUS)
		return c->core;
	return c->monitor ? &c->monitor[i] : NULL;
}

/*
 * Notes which buses have a horizon. A horizon is the total of a signal at which a model or the
 * caller must be updated. Horizons change only in the caller's code: before the run and in
 * callbacks. Checking the horizons of all buses at every edge would take as long as all other work.
 */
static void note_horizons(struct pmk_wave_count *c)
{
	c->horizons = 0;
	for (unsigned i = 0; i <= CORE_BUS; i++)
		if (bus_number(c, i) && has_horizon(bus_number(c, i)))
			c->horizons |= 1u << i;
}

static bool any_due(const struct pmk_wave_count *c)
{
	for (uint32_t left = c->horizons; left; left &= left - 1)
		if (pmk_bus_due(bus_number(c, (unsigned)__builtin_ctz(left))))
			return true;
	return false;
}

/* Calls the caller's callbacks for this edge. */
static int call_callbacks(struct pmk_wave_count *c, const struct pmk_wave_edge *e)
{
	int stop = 0;

	if (c->due && any_due(c)) {
		stop = c->due(c->ctx);
		note_horizons(c);
	}
	if (!stop && c->tick && c->every && (e->number + 1) % c->every == 0) {
		stop = c->tick(c->ctx, e);
		note_horizons(c);
	}
	return stop;
}

static int count_edge(void *ctx, const struct pmk_wave_edge *e)
{
	struct pmk_wave_count *c = ctx;
	int stop = 0;

	for (struct pmk_wave_watched *l = c->watched; l < c->watched + c->nwatched && !stop; l++)
		stop = sample_layer(c, l, e);
	for (unsigned i = 0; i < c->naxi && !stop; i++)
		stop = sample_axi(c, &c->axi[i], e);
	if (c->gxi_roles & (1u << PMK_WAVE_GXI_ADDRESS | 1u << PMK_WAVE_GXI_DATA))
		sample_gxi(c, e);
	if (c->core)
		sample_core(c, e);
	if (e->reset && !c->in_reset.count++)
		c->in_reset.time = e->time;
	if (!e->reset) {
		c->cycles++;
		if (c->monitor)
			pmk_bus_add(&c->monitor[PMK_AHBMON_BUS_HCLK], PMK_SIG_CYCLE, 1);
		/* A map may define the core's cycles itself. */
		if (c->core && !c->own_cycles)
			pmk_bus_add(c->core, PMK_SIG_CYCLE, 1);
	}
	if (!stop && c->sampled)
		stop = c->sampled(c->ctx, e);
	return stop ? stop : call_callbacks(c, e);
}

static int report_progress(void *ctx, const struct pmk_wave_progress *p)
{
	struct pmk_wave_count *c = ctx;

	return c->progress ? c->progress(c->ctx, p) : 0;
}

int pmk_wave_count_run(struct pmk_wave_count *c, struct pmk_wave_findings *findings)
{
	const struct pmk_wave_sink sink = { .edge = count_edge,
					    .progress = report_progress,
					    .ctx = c };
	int status;

	c->findings = findings;
	note_horizons(c);
	status = pmk_wave_run(c->w, &sink, findings);
	c->in_reset.signal = c->map->reset;
	if (c->in_reset.count * 10 > findings->edges * 9)
		findings->warning[PMK_WAVE_RESET] = c->in_reset;
	return status;
}

const char *pmk_wave_count_check(const struct pmk_wave_count *c)
{
	const char *why = NULL;

	for (unsigned i = 0; i < c->nwatched && !why; i++)
		if (c->watched[i].bus)
			why = pmk_ahb_layer_check(&c->watched[i].observer, c->watched[i].bus);
	if (!why && c->gxi_roles)
		why = pmk_gxi_check(&c->gxi, &c->monitor[PMK_AHBMON_BUS_GXI]);
	return why;
}

const struct pmk_wave_checked *pmk_wave_count_checked(const struct pmk_wave_count *c, unsigned i)
{
	if (i < c->nwatched)
		return &c->watched[i].checked;
	return i - c->nwatched < c->naxi ? &c->axi[i - c->nwatched].checked : NULL;
}
