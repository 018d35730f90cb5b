// SPDX-License-Identifier: MIT
/* Builds a PMU from the buses of a dump: see amba.h. */
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
	CYCLES, /* cycles of the map's clock; belongs to no layer */
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
	AHB_KINDS, /* number of layer kinds, and the first kind of an AXI interface */
	AW = AHB_KINDS,
	W,
	B,
	AR,
	R,
	AW_WAIT,
	W_WAIT,
	B_WAIT,
	AR_WAIT,
	R_WAIT,
	READ_ERROR,
	WRITE_ERROR,
	READS,
	WRITES,
	READ_LENGTH,
	WRITE_LENGTH,
	READ_OUTSTANDING,
	WRITE_OUTSTANDING,
	NKINDS
};

#define BEATS	"beats in a burst"
#define PENDING "outstanding in a cycle"

/* clang-format off */
#define SIGNAL(k, n, s, c, t) \
	[k] = { .name = n, .signal = PMK_SIG_##s, .cycles = c, .brief = t }
#define OTHER(k, n, r, c, t) \
	[k] = { .name = n, .signal = PMK_SIG_NONE, .needs = r, .cycles = c, .brief = t }
#define TIMED(k, n, r, w, t) \
	[k] = { .name = n, .signal = PMK_SIG_NONE, .needs = r, .latency = true, .timed = w, \
		.brief = t }
#define CHANNEL(k, n, c) \
	OTHER(k, n, PMK_AXI_ROLE(PMK_AXI_##c##VALID) | PMK_AXI_ROLE(PMK_AXI_##c##READY), false, \
	      "transfers of this channel"), \
	OTHER(k##_WAIT, n "_wait", \
	      PMK_AXI_ROLE(PMK_AXI_##c##VALID) | PMK_AXI_ROLE(PMK_AXI_##c##READY), true, \
	      "cycles in which this channel had VALID and no READY")
#define SPREAD(k, n, r, d, s, o, t) \
	[k] = { .name = n, .signal = PMK_SIG_NONE, .needs = r, .latency = true, .timed = s, \
		.direction = d, .of = o, .brief = t }

/* The events of a layer and of an AXI interface. `signal` is the signal of the bus that the event
 * counts. For a number that only the observers know, it is PMK_SIG_NONE. `needs` are the signals of
 * an AHB layer or AXI interface that the map must have for the event. */
static const struct {
	const char *name, *brief, *of;
	uint32_t needs;
	uint8_t signal, timed, direction;
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
	SIGNAL(WAIT, "wait", AHB_WAIT, true, "wait states on all beats, for any cause"),
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
	CHANNEL(AW, "aw", AW),
	CHANNEL(W, "w", W),
	CHANNEL(B, "b", B),
	CHANNEL(AR, "ar", AR),
	CHANNEL(R, "r", R),
	OTHER(READ_ERROR, "read_error", PMK_AXI_READS | PMK_AXI_ROLE(PMK_AXI_RRESP), false,
	      "beats read with SLVERR or DECERR"),
	OTHER(WRITE_ERROR, "write_error", PMK_AXI_WRITES | PMK_AXI_ROLE(PMK_AXI_BRESP), false,
	      "writes that ended with SLVERR or DECERR"),
	SPREAD(READS, "read", PMK_AXI_READS, PMK_AXI_READ, PMK_AXI_LATENCY, NULL,
	       "reads, and how long they took"),
	SPREAD(WRITES, "write", PMK_AXI_WRITES, PMK_AXI_WRITE, PMK_AXI_LATENCY, NULL,
	       "writes, and how long they took"),
	SPREAD(READ_LENGTH, "read_length", PMK_AXI_READS | PMK_AXI_ROLE(PMK_AXI_ARLEN),
	       PMK_AXI_READ, PMK_AXI_LENGTH, BEATS, "read bursts, and their beats"),
	SPREAD(WRITE_LENGTH, "write_length", PMK_AXI_WRITES | PMK_AXI_ROLE(PMK_AXI_AWLEN),
	       PMK_AXI_WRITE, PMK_AXI_LENGTH, BEATS, "write bursts, and their beats"),
	SPREAD(READ_OUTSTANDING, "read_outstanding", PMK_AXI_READS, PMK_AXI_READ,
	       PMK_AXI_OUTSTANDING, PENDING, "cycles, and the reads outstanding in each"),
	SPREAD(WRITE_OUTSTANDING, "write_outstanding", PMK_AXI_WRITES, PMK_AXI_WRITE,
	       PMK_AXI_OUTSTANDING, PENDING, "cycles, and the writes outstanding in each"),
};
/* clang-format on */

/* The PMU has as many 64-bit counters as it needs: the first kind counts events, the second
 * measures latencies. */
static const struct pmk_counter counters[] = {
	{ .name = "count", .width = 64, .fixed_code = -1 },
	{ .name = "latency", .width = 64, .fixed_code = -1, .extreme_width = 64 },
};

/* ---- building the PMU ---------------------------------------------------------------------- */

/* Write the name of a layer without the characters that have a meaning in a list of events:
 * commas, colons and braces. */
static void plain_name(char *to, size_t size, const char *name)
{
	size_t n = 0;

	for (; name[n] && n + 1 < size; n++)
		to[n] = isalnum((unsigned char)name[n]) || name[n] == '-' ? name[n] : '_';
	to[n] = '\0';
}

/* True if an earlier layer or interface has this name: plain_name() can make names equal. */
static bool is_taken(const struct pmk_amba *a, const char *name)
{
	for (unsigned i = 0; i < a->nnames; i++)
		if (strcasecmp(a->name[i], name) == 0)
			return true;
	return false;
}

static bool add_name(struct pmk_amba *a, const char *name)
{
	char plain[80];
	size_t n;

	plain_name(plain, sizeof(plain) - 12, name);
	n = strlen(plain);
	if (is_taken(a, plain))
		snprintf(plain + n, sizeof(plain) - n, "_%u", a->nnames);
	a->name[a->nnames] = strdup(plain);
	return a->name[a->nnames++] != NULL;
}

/* Add one event of the layer or interface whose name was added last. */
static bool add_event(struct pmk_amba *a, unsigned index, enum kind kind)
{
	unsigned code = a->pmu.nevents;
	char *name;

	if (kind == CYCLES)
		name = strdup(kinds[kind].name);
	else if (asprintf(&name, "%s.%s", a->name[a->nnames - 1], kinds[kind].name) < 0)
		name = NULL;
	if (!name)
		return false;
	a->event[code] = (struct pmk_event){
		.code = (uint16_t)code,
		.name = name,
		.cores = 1,
		.signal = kinds[kind].signal,
		.cycles = kinds[kind].cycles,
		.latency = kinds[kind].latency,
		.ref = kind < AHB_KINDS ? "IHI 0011A chapter 3" : "IHI 0022",
		.brief = kinds[kind].brief,
	};
	a->what[code] = (struct pmk_amba_what){ .index = (uint16_t)index, .kind = (uint8_t)kind };
	a->pmu.nevents++;
	return true;
}

static bool add_events(struct pmk_amba *a, unsigned index, enum kind first, enum kind end)
{
	for (unsigned k = first; k < end; k++)
		if (!add_event(a, index, (enum kind)k))
			return false;
	return true;
}

static bool add_layer(struct pmk_amba *a, const struct pmk_wave_map *map, unsigned i)
{
	const struct pmk_event *of = &a->event[a->pmu.nevents] - READ; /* indexed by kind */
	struct pmk_layer *l = &a->layer[i];

	if (!add_name(a, map->layer[i].name) || !add_events(a, i, READ, AHB_KINDS))
		return false;
	l->name = a->name[a->nnames - 1];
	l->transfer[0] = &of[READ];
	l->transfer[1] = &of[WRITE];
	l->wait[0] = &of[WAIT];
	l->slave = &of[WAIT_SLAVE];
	l->bus = &of[WAIT_BUS];
	for (unsigned k = 0; k < PMK_LAYER_BURSTS; k++)
		l->burst[k] = &of[SINGLE + k];
	return true;
}

/* Allocate the lists. Each has room for at least one item, because calloc(0) may return NULL. */
static bool allocate_lists(struct pmk_amba *a, const struct pmk_wave_map *map)
{
	size_t n = 1 + (size_t)map->nlayers * (AHB_KINDS - READ) +
		   (size_t)map->naxi * (NKINDS - AHB_KINDS);

	a->event = calloc(n, sizeof(*a->event));
	a->what = calloc(n, sizeof(*a->what));
	a->last = calloc(n, sizeof(*a->last));
	a->whole = calloc(n, sizeof(*a->whole));
	a->name = calloc(map->nlayers + map->naxi + 1, sizeof(*a->name));
	a->layer = calloc(map->nlayers + 1, sizeof(*a->layer));
	a->bus = calloc(map->nlayers + 1, sizeof(*a->bus));
	return a->event && a->what && a->last && a->whole && a->name && a->layer && a->bus;
}

int pmk_amba_make(struct pmk_amba *a, const struct pmk_wave_map *map)
{
	*a = (struct pmk_amba){
		.pmu = { .name = pmk_amba_name,
			 .brief = "the buses of a waveform dump: layers of AHB, interfaces of AXI",
			 .core = 1,
			 .counters = counters,
			 .ncounters = COUNT(counters),
			 .no_flags = true }
	};
	if (!allocate_lists(a, map) || !add_event(a, 0, CYCLES))
		return PMK_ENOMEM;
	a->pmu.events = a->event;
	a->pmu.family = a;
	for (unsigned i = 0; i < map->nlayers; i++) {
		pmk_bus_init(&a->bus[i]);
		if (!add_layer(a, map, i))
			return PMK_ENOMEM;
	}
	for (unsigned i = 0; i < map->naxi; i++)
		if (!add_name(a, map->axi[i].name) || !add_events(a, i, AHB_KINDS, NKINDS))
			return PMK_ENOMEM;
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
	for (unsigned i = 0; i < a->nnames; i++)
		free(a->name[i]);
	free(a->name);
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

/* Returns the watched layer of an event; NULL if the layer is not watched. */
static struct pmk_wave_watched *watched_layer(const struct pmk_wave_count *count,
					      const struct pmk_amba_what *what)
{
	for (unsigned i = 0; i < count->nwatched && what->kind < AHB_KINDS; i++)
		if (count->watched[i].index == what->index)
			return &count->watched[i];
	return NULL;
}

/* Returns the watched AXI interface of an event; NULL if the interface is not watched. */
static struct pmk_wave_watched_axi *watched_axi(const struct pmk_wave_count *count,
						const struct pmk_amba_what *what)
{
	for (unsigned i = 0; i < count->naxi && what->kind >= AHB_KINDS; i++)
		if (count->axi[i].index == what->index)
			return &count->axi[i];
	return NULL;
}

#define NO_SIGNAL "the map has no signal for it"
#define NO_BEATS \
	"too little: the map has neither rlast nor arlen, and a read has more than one beat"

static bool lacks_role(const int slot[], unsigned roles, uint32_t needs)
{
	for (unsigned r = 0; r < roles; r++)
		if ((needs >> r & 1) && slot[r] < 0)
			return true;
	return false;
}

const char *pmk_amba_not_counted(const struct pmk_amba *a, const struct pmk_wave_count *count,
				 const struct pmk_event *ev)
{
	const struct pmk_amba_what *what = &a->what[ev->code];
	const struct pmk_wave_watched_axi *axi = watched_axi(count, what);
	const struct pmk_wave_watched *l = watched_layer(count, what);
	uint32_t needs = kinds[what->kind].needs;

	if (what->kind == CYCLES)
		return NULL;
	if (axi)
		return lacks_role(axi->slot, PMK_AXI_NROLES, needs) ? NO_SIGNAL : NULL;
	if (!l)
		return "the layer that was chosen leaves it out";
	if (ev->signal != PMK_SIG_NONE && !pmk_bus_raises(l->bus, ev->signal))
		return NO_SIGNAL;
	if (lacks_role(l->slot, PMK_AHB_NROLES, needs))
		return NO_SIGNAL;
	if (what->kind == WAIT_BUS && l->slot[PMK_WAVE_CAUSE] < 0)
		return PMK_AMBA_NO_CAUSE;
	return NULL;
}

const char *pmk_amba_remark(const struct pmk_amba *a, const struct pmk_wave_count *count,
			    const struct pmk_event *ev)
{
	const struct pmk_amba_what *what = &a->what[ev->code];
	const struct pmk_wave_watched_axi *axi = watched_axi(count, what);
	const struct pmk_wave_watched *l = watched_layer(count, what);

	if (axi && (what->kind == READS || what->kind == READ_OUTSTANDING) &&
	    pmk_amba_lost_beats(axi))
		return NO_BEATS;
	return l && what->kind == WAIT_SLAVE && l->slot[PMK_WAVE_CAUSE] < 0 ? PMK_AMBA_NO_CAUSE
									    : NULL;
}

bool pmk_amba_lost_beats(const struct pmk_wave_watched_axi *axi)
{
	return axi->observer.side[PMK_AXI_READ].strays && axi->slot[PMK_AXI_RLAST] < 0 &&
	       axi->slot[PMK_AXI_ARLEN] < 0;
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Returns the count of an event of an AXI interface. */
static uint64_t axi_value(const struct pmk_axi *a, enum kind kind)
{
	if (kind >= AW && kind <= R)
		return a->transfers[kind - AW];
	if (kind >= AW_WAIT && kind <= R_WAIT)
		return a->waits[kind - AW_WAIT];
	if (kind == READ_ERROR)
		return a->side[PMK_AXI_READ].errors;
	return kind == WRITE_ERROR ? a->side[PMK_AXI_WRITE].errors : 0;
}

static uint64_t value_of(const struct pmk_wave_count *count, const struct pmk_amba_what *what)
{
	const struct pmk_wave_watched_axi *axi = watched_axi(count, what);
	const struct pmk_wave_watched *l = watched_layer(count, what);

	if (what->kind == CYCLES)
		return count->cycles;
	if (axi)
		return axi_value(&axi->observer, (enum kind)what->kind);
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

/* Returns the distribution since the end of the last interval; NULL: the event is not timed. */
static struct pmk_spread *timed_spread(const struct pmk_wave_count *count,
				       const struct pmk_amba_what *what)
{
	struct pmk_wave_watched_axi *axi = watched_axi(count, what);
	struct pmk_wave_watched *l = watched_layer(count, what);
	unsigned timed = kinds[what->kind].timed;

	if (!kinds[what->kind].latency)
		return NULL;
	if (axi)
		return &axi->observer.side[kinds[what->kind].direction].spread[timed];
	return l ? &l->timer.latency[timed] : NULL;
}

int pmk_amba_row(struct pmk_amba *a, const struct pmk_wave_count *count, bool interval,
		 struct pmk_row *row)
{
	unsigned code = row->event->code;
	const struct pmk_spread *since = timed_spread(count, &a->what[code]);
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
	row->dist = (struct pmk_distribution){ .values = all.stats,
					       .latency = true,
					       .of = kinds[a->what[code].kind].of };
	row->dist.histogram = malloc(sizeof(all.histogram));
	if (!row->dist.histogram)
		return PMK_ENOMEM;
	*row->dist.histogram = all.histogram;
	return 0;
}

void pmk_amba_mark(struct pmk_amba *a, struct pmk_wave_count *count)
{
	for (unsigned i = 0; i < a->pmu.nevents; i++) {
		struct pmk_spread *since = timed_spread(count, &a->what[i]);

		a->last[i] = value_of(count, &a->what[i]);
		if (!since)
			continue;
		pmk_spread_merge(&a->whole[i], since);
		pmk_spread_init(since);
	}
}
