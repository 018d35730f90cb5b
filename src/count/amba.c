// SPDX-License-Identifier: MIT
/* The buses of a dump as a PMU. See amba.h. */
#define _GNU_SOURCE
#include "count/amba.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pmk/error.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char pmk_amba_name[] = "amba";

enum kind {
	CYCLES, /* of the map's clock; of no layer */
	READ,
	WRITE,
	SINGLE,
	INCR,
	WRAP4,
	INCR4,
	WRAP8,
	INCR8,
	WRAP16,
	INCR16,
	WAIT,
	WAIT_SLAVE,
	WAIT_BUS,
	BUSY,
	IDLE,
	ERRORS,
	REFUSED,
	BURST,
	READ_BURST,
	WRITE_BURST,
	NKINDS
};

#define AHB "IHI 0011A chapter 3"
/* clang-format off */
#define SIGNAL(k, n, s, c, t) \
	[k] = { .name = n, .signal = PMK_SIG_##s, .cycles = c, .brief = t }
#define OTHER(k, n, r, c, t) \
	[k] = { .name = n, .signal = PMK_SIG_NONE, .needs = r, .cycles = c, .brief = t }
#define TIMED(k, n, r, w, t) \
	[k] = { .name = n, .signal = PMK_SIG_NONE, .needs = r, .latency = true, .timed = w, \
		.brief = t }

/* What is counted of a layer: a signal of its bus, or what its observers know beside that, for
 * which the map needs these roles. */
static const struct {
	const char *name, *brief;
	uint32_t needs;
	uint8_t signal, timed;
	bool cycles, latency;
} kinds[NKINDS] = {
	OTHER(CYCLES, "cycles", 0, true, "clock cycles outside of reset"),
	SIGNAL(READ, "read", AHB_READ, false, "read transfers completed"),
	SIGNAL(WRITE, "write", AHB_WRITE, false, "write transfers completed"),
	SIGNAL(SINGLE, "single", AHB_SINGLE, false, "SINGLE bursts"),
	SIGNAL(INCR, "incr", AHB_INCR, false, "INCR bursts"),
	SIGNAL(WRAP4, "wrap4", AHB_WRAP4, false, "WRAP4 bursts"),
	SIGNAL(INCR4, "incr4", AHB_INCR4, false, "INCR4 bursts"),
	SIGNAL(WRAP8, "wrap8", AHB_WRAP8, false, "WRAP8 bursts"),
	SIGNAL(INCR8, "incr8", AHB_INCR8, false, "INCR8 bursts"),
	SIGNAL(WRAP16, "wrap16", AHB_WRAP16, false, "WRAP16 bursts"),
	SIGNAL(INCR16, "incr16", AHB_INCR16, false, "INCR16 bursts"),
	SIGNAL(WAIT, "wait", AHB_WAIT, true, "wait states, any beat and cause"),
	SIGNAL(WAIT_SLAVE, "wait_first_slave", AHB_WAIT_FIRST_SLAVE, true,
	       "first-beat wait states due to the slave"),
	SIGNAL(WAIT_BUS, "wait_first_bus", AHB_WAIT_FIRST_BUS, true,
	       "first-beat wait states due to the bus"),
	OTHER(BUSY, "busy", 0, true, "cycles in which the master delays its burst"),
	OTHER(IDLE, "idle", 0, true, "cycles without a transfer, outside of reset"),
	OTHER(ERRORS, "error", PMK_AHB_ROLE(PMK_AHB_HRESP), false,
	      "transfers that completed with ERROR"),
	OTHER(REFUSED, "refused", PMK_AHB_ROLE(PMK_AHB_HRESP), false,
	      "RETRY and SPLIT responses"),
	TIMED(BURST, "burst", 0, PMK_AHB_TIMED_ALL, "bursts, and how long they took"),
	TIMED(READ_BURST, "read_burst", PMK_AHB_ROLE(PMK_AHB_HWRITE), PMK_AHB_TIMED_READ,
	      "read bursts, and how long they took"),
	TIMED(WRITE_BURST, "write_burst", PMK_AHB_ROLE(PMK_AHB_HWRITE), PMK_AHB_TIMED_WRITE,
	      "write bursts, and how long they took"),
};
/* clang-format on */

/* Any number of each, of 64 bits; one kind counts, the other times. */
static const struct pmk_counter counters[] = {
	{ .name = "count", .width = 64, .fixed_code = -1 },
	{ .name = "latency", .width = 64, .fixed_code = -1, .extreme_width = 64 },
};

/* ---- making it ------------------------------------------------------------------------------ */

/* The name of a layer in lists of events, where commas, colons and braces mean something. */
static void plain_name(char *to, size_t size, const char *name)
{
	size_t n = 0;

	for (; name[n] && n + 1 < size; n++)
		to[n] = isalnum((unsigned char)name[n]) || name[n] == '-' ? name[n] : '_';
	to[n] = '\0';
}

/* The names of two layers may differ in nothing else but such characters. */
static bool is_taken(const struct pmk_amba *a, unsigned layers, const char *name)
{
	for (unsigned i = 0; i < layers; i++)
		if (strcasecmp(a->layer[i].name, name) == 0)
			return true;
	return false;
}

static char *layer_name(const struct pmk_amba *a, unsigned i, const char *name)
{
	char plain[80];
	size_t n;

	plain_name(plain, sizeof(plain) - 12, name);
	n = strlen(plain);
	if (is_taken(a, i, plain))
		snprintf(plain + n, sizeof(plain) - n, "_%u", i);
	return strdup(plain);
}

static bool add_event(struct pmk_amba *a, unsigned layer, enum kind kind)
{
	unsigned code = a->pmu.nevents;
	char *name;

	if (kind == CYCLES)
		name = strdup(kinds[kind].name);
	else if (asprintf(&name, "%s.%s", a->layer[layer].name, kinds[kind].name) < 0)
		name = NULL;
	if (!name)
		return false;
	a->event[code] = (struct pmk_event){ .code = (uint16_t)code,
					     .name = name,
					     .cores = 1,
					     .signal = kinds[kind].signal,
					     .signal2 = PMK_SIG_NONE,
					     .cycles = kinds[kind].cycles,
					     .latency = kinds[kind].latency,
					     .ref = AHB,
					     .brief = kinds[kind].brief };
	a->what[code] = (struct pmk_amba_what){ .layer = (uint16_t)layer, .kind = (uint8_t)kind };
	a->pmu.nevents++;
	return true;
}

static bool add_layer(struct pmk_amba *a, const struct pmk_wave_map *map, unsigned i)
{
	const struct pmk_event *of = &a->event[a->pmu.nevents] - READ; /* by kind, from READ on */
	struct pmk_layer *l = &a->layer[i];

	l->name = layer_name(a, i, map->layer[i].name);
	if (!l->name)
		return false;
	for (unsigned k = READ; k < NKINDS; k++)
		if (!add_event(a, i, (enum kind)k))
			return false;
	l->transfer[0] = &of[READ];
	l->transfer[1] = &of[WRITE];
	l->wait[0] = &of[WAIT];
	l->slave = &of[WAIT_SLAVE];
	l->bus = &of[WAIT_BUS];
	for (unsigned k = 0; k < PMK_LAYER_BURSTS; k++)
		l->burst[k] = &of[SINGLE + k];
	return true;
}

/* No list may be empty, because calloc(0) may be NULL. */
static bool allocate(struct pmk_amba *a, const struct pmk_wave_map *map)
{
	size_t n = 1 + (size_t)map->nlayers * (NKINDS - READ);

	a->event = calloc(n, sizeof(*a->event));
	a->what = calloc(n, sizeof(*a->what));
	a->last = calloc(n, sizeof(*a->last));
	a->whole = calloc(n, sizeof(*a->whole));
	a->layer = calloc(map->nlayers + 1, sizeof(*a->layer));
	a->bus = calloc(map->nlayers + 1, sizeof(*a->bus));
	return a->event && a->what && a->last && a->whole && a->layer && a->bus;
}

int pmk_amba_make(struct pmk_amba *a, const struct pmk_wave_map *map)
{
	*a = (struct pmk_amba){ .pmu = { .name = pmk_amba_name,
					 .brief = "the buses of a dump",
					 .core = 1,
					 .counters = counters,
					 .ncounters = COUNT(counters),
					 .no_flags = true } };
	if (!allocate(a, map) || !add_event(a, 0, CYCLES))
		return PMK_ENOMEM;
	a->pmu.events = a->event;
	a->pmu.family = a;
	for (unsigned i = 0; i < map->nlayers; i++) {
		pmk_bus_init(&a->bus[i]);
		if (!add_layer(a, map, i))
			return PMK_ENOMEM;
	}
	for (unsigned i = 0; i < a->pmu.nevents; i++)
		pmk_spread_init(&a->whole[i]);
	a->layers =
		(struct pmk_layers){ .cycles = &a->event[0], .layer = a->layer, .n = map->nlayers };
	return 0;
}

void pmk_amba_free(struct pmk_amba *a)
{
	for (unsigned i = 0; i < a->pmu.nevents; i++)
		free((char *)a->event[i].name);
	for (unsigned i = 0; i < a->layers.n; i++)
		free((char *)a->layer[i].name);
	free(a->event);
	free(a->what);
	free(a->last);
	free(a->whole);
	free(a->layer);
	free(a->bus);
	*a = (struct pmk_amba){ .event = NULL };
}

const struct pmk_layers *pmk_amba_layers(const struct pmk_pmu *pmu)
{
	return pmu->name == pmk_amba_name ? &((const struct pmk_amba *)pmu->family)->layers : NULL;
}

/* ---- what can be counted -------------------------------------------------------------------- */

/* The layer of an event as it is watched; NULL: it is not. */
static struct pmk_wave_watched *watched(const struct pmk_wave_count *count,
					const struct pmk_amba_what *what)
{
	for (unsigned i = 0; i < count->nwatched; i++)
		if (count->watched[i].index == what->layer)
			return &count->watched[i];
	return NULL;
}

#define NO_SIGNAL "the map has no signal that tells it"
#define NO_CAUSE  "the layer has no cause in the map: waits on first beats all count as the slave's"

const char *pmk_amba_not_counted(const struct pmk_amba *a, const struct pmk_wave_count *count,
				 const struct pmk_event *ev)
{
	const struct pmk_amba_what *what = &a->what[ev->code];
	const struct pmk_wave_watched *l = watched(count, what);

	if (what->kind == CYCLES)
		return NULL;
	if (!l)
		return "--layer leaves it out";
	if (ev->signal != PMK_SIG_NONE && !pmk_bus_raises(l->bus, ev->signal))
		return NO_SIGNAL;
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if ((kinds[what->kind].needs & PMK_AHB_ROLE(r)) && l->slot[r] < 0)
			return NO_SIGNAL;
	if (what->kind == WAIT_BUS && l->slot[PMK_WAVE_CAUSE] < 0)
		return NO_CAUSE;
	return NULL;
}

const char *pmk_amba_remark(const struct pmk_amba *a, const struct pmk_wave_count *count,
			    const struct pmk_event *ev)
{
	const struct pmk_amba_what *what = &a->what[ev->code];
	const struct pmk_wave_watched *l = watched(count, what);

	return l && what->kind == WAIT_SLAVE && l->slot[PMK_WAVE_CAUSE] < 0 ? NO_CAUSE : NULL;
}

/* ---- counts --------------------------------------------------------------------------------- */

static uint64_t value_of(const struct pmk_wave_count *count, const struct pmk_amba_what *what)
{
	const struct pmk_wave_watched *l = watched(count, what);

	if (what->kind == CYCLES)
		return count->cycles;
	if (!l)
		return 0;
	if (kinds[what->kind].signal != PMK_SIG_NONE)
		return l->bus->total[kinds[what->kind].signal];
	switch ((enum kind)what->kind) {
	case BUSY:
		return l->observer.class[PMK_AHB_C_BUSY];
	case IDLE:
		return l->observer.class[PMK_AHB_C_IDLE] - l->observer.reset;
	case ERRORS:
		return l->observer.errors;
	case REFUSED:
		return l->observer.refused;
	default:
		return 0;
	}
}

/* What has been timed since the last interval; NULL: the event is not timed. */
static struct pmk_spread *timed(const struct pmk_wave_count *count,
				const struct pmk_amba_what *what)
{
	struct pmk_wave_watched *l = watched(count, what);

	return l && kinds[what->kind].latency ? &l->timer.latency[kinds[what->kind].timed] : NULL;
}

int pmk_amba_row(struct pmk_amba *a, const struct pmk_wave_count *count, bool interval,
		 struct pmk_row *row)
{
	unsigned code = row->event->code;
	const struct pmk_spread *since = timed(count, &a->what[code]);
	struct pmk_spread all;

	if (!since) {
		row->value = value_of(count, &a->what[code]) - (interval ? a->last[code] : 0);
		return 0;
	}
	all = *since;
	if (!interval)
		pmk_spread_merge(&all, &a->whole[code]);
	row->value = all.stats.n;
	row->has_dist = true;
	row->dist = (struct pmk_distribution){ .values = all.stats, .latency = true };
	row->dist.histogram = malloc(sizeof(all.histogram));
	if (!row->dist.histogram)
		return PMK_ENOMEM;
	*row->dist.histogram = all.histogram;
	return 0;
}

void pmk_amba_mark(struct pmk_amba *a, struct pmk_wave_count *count)
{
	for (unsigned i = 0; i < a->pmu.nevents; i++) {
		struct pmk_spread *since = timed(count, &a->what[i]);

		a->last[i] = value_of(count, &a->what[i]);
		if (!since)
			continue;
		pmk_spread_merge(&a->whole[i], since);
		pmk_spread_init(since);
	}
}
