// SPDX-License-Identifier: MIT
/*
 * Map files: which signals of a dump mean what. The format is told in docs/wave.md.
 *
 * An INI file, read by inih, which would take an indented line for more of the one before and tells no
 * line numbers to its handler: both is settled in the function that hands it the lines.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>
#include <pmk/ahb.h>
#include <pmk/ahbmon.h>
#include <pmk/pmu.h>

#include "base/nearest.h"
#include "producer/wave/wave.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What the arrays of a map are made of while it is read, and after. */
struct contents {
	struct wave_arena text;
	struct pmk_wave_layer *layer;
	struct pmk_wave_slot *slot;
};

enum section { S_NONE, S_CLOCK, S_LAYER, S_GXI, S_EVNTBUS, S_EVENTS, S_WINDOWS, S_UNKNOWN };

struct reading {
	FILE *f;
	struct pmk_wave_map *map;
	struct contents *all;
	unsigned line;	     /* of the line inih works on */
	unsigned error_line; /* 0: none */
	bool no_memory;
	char why[400];
	char section[64]; /* the one that was looked up last */
	enum section kind;
	unsigned layer;
	const char *evntbus_core;  /* whose EVNTBUS it is */
	const struct pmk_pmu *pmu; /* whose events [events] may name */
};

static int __attribute__((format(printf, 2, 3))) complain(struct reading *r, const char *fmt, ...)
{
	va_list ap;

	if (r->error_line)
		return 0;
	r->error_line = r->line;
	va_start(ap, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
	return 0;
}

static const char *keep(struct reading *r, const char *text)
{
	const char *copy = wave_arena_copy(&r->all->text, text, strlen(text));

	if (!copy) {
		r->no_memory = true;
		complain(r, "out of memory");
	}
	return copy;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Index of a word, any case; -1 after a complaint that names the nearest. */
static int find_word(struct reading *r, const char *what, const char *const *list, unsigned n,
		     const char *word)
{
	struct pmk_nearest near;
	char hint[160];

	pmk_nearest_init(&near, word);
	for (unsigned i = 0; i < n; i++) {
		if (strcasecmp(list[i], word) == 0)
			return (int)i;
		pmk_nearest_offer(&near, list[i]);
	}
	pmk_nearest_text(&near, hint, sizeof(hint));
	if (*hint) {
		complain(r, "%s '%.60s'; did you mean %s?", what, word, hint);
		return -1;
	}
	for (unsigned i = 0, used = 0; i < n && used < sizeof(hint); i++)
		used += (unsigned)snprintf(hint + used, sizeof(hint) - used, "%s%s", i ? ", " : "",
					   list[i]);
	complain(r, "%s '%.60s' (known: %s)", what, word, hint);
	return -1;
}

/* A text that may be given once. */
static int set_text(struct reading *r, const char **to, unsigned *line, const char *value)
{
	if (*line)
		return complain(r, "given in line %u already", *line);
	*line = r->line;
	*to = keep(r, value);
	return *to != NULL;
}

static int add_slot(struct reading *r, const struct pmk_wave_slot *slot, const char *signal)
{
	struct pmk_wave_map *m = r->map;
	struct pmk_wave_slot *bigger = realloc(r->all->slot, (m->nslots + 1) * sizeof(*bigger)), *s;

	if (bigger)
		m->slot = r->all->slot = bigger;
	if (!bigger || !(signal = keep(r, signal))) {
		r->no_memory = true;
		return complain(r, "out of memory");
	}
	s = &bigger[m->nslots++];
	*s = *slot;
	s->signal = signal;
	s->line = r->line;
	return 1;
}

/* A slot that may be there once per group. */
static int add_role(struct reading *r, const struct pmk_wave_slot *slot, const char *signal)
{
	for (unsigned i = 0; i < r->map->nslots; i++) {
		const struct pmk_wave_slot *s = &r->map->slot[i];

		if (s->part == slot->part && s->group == slot->group && s->role == slot->role)
			return complain(r, "given in line %u already", s->line);
	}
	return add_slot(r, slot, signal);
}

/* ---- [clock] -------------------------------------------------------------------------------- */

static int take_clock(struct reading *r, const char *name, const char *value)
{
	enum { SIGNAL, EDGE, SAMPLE, RESET, ACTIVE, SCOPE };
	static const char *const keys[] = { "signal", "edge",	      "sample",
					    "reset",  "reset_active", "scope" };
	static const char *const edges[] = { "rising", "falling" };
	static const char *const samples[] = { "before", "after" };
	static const char *const levels[] = { "high", "low" };
	struct pmk_wave_map *m = r->map;
	int i;

	switch (find_word(r, "[clock] has no", keys, COUNT(keys), name)) {
	case SIGNAL:
		if (m->clock_line)
			return complain(r,
					"a second clock: line %u has '%.100s', and a map has "
					"one; other clocks want a map and a run of their own",
					m->clock_line, m->clock);
		return set_text(r, &m->clock, &m->clock_line, value);
	case RESET:
		return set_text(r, &m->reset, &m->reset_line, value);
	case SCOPE:
		m->scope = keep(r, value);
		return m->scope != NULL;
	case EDGE:
		i = find_word(r, "no such edge", edges, COUNT(edges), value);
		m->falling = i == 1;
		return i >= 0;
	case SAMPLE:
		i = find_word(r, "no such time to sample", samples, COUNT(samples), value);
		m->sample = i == 1 ? PMK_WAVE_AFTER : PMK_WAVE_BEFORE;
		return i >= 0;
	case ACTIVE:
		i = find_word(r, "no such level", levels, COUNT(levels), value);
		m->reset_low = i == 1;
		return i >= 0;
	}
	return 0;
}

/* ---- [layer NAME] --------------------------------------------------------------------------- */

static const char *const monitors[] = { "armi", "clcdc", "dma0", "dma1", "exp", "armd" };

static uint8_t monitor_by_name(const char *name)
{
	for (unsigned i = 0; i < COUNT(monitors); i++)
		if (strcasecmp(monitors[i], name) == 0)
			return (uint8_t)(PMK_AHBMON_BUS_ARMI + i);
	return PMK_AHBMON_BUS_EXP; /* the one with a counter for every type of burst */
}

/* The layer of that name, which may be new. False when out of memory. */
static bool enter_layer(struct reading *r, const char *name)
{
	struct pmk_wave_map *m = r->map;
	struct pmk_wave_layer *bigger;

	for (r->layer = 0; r->layer < m->nlayers; r->layer++)
		if (strcmp(m->layer[r->layer].name, name) == 0)
			return true;
	bigger = realloc(r->all->layer, (m->nlayers + 1) * sizeof(*bigger));
	if (bigger)
		m->layer = r->all->layer = bigger;
	if (!bigger || !(name = keep(r, name))) {
		r->no_memory = true;
		return false;
	}
	bigger[m->nlayers++] = (struct pmk_wave_layer){ .name = name,
							.line = r->line,
							.monitor = monitor_by_name(name) };
	return true;
}

/* "4": the width of a data bus in bytes. */
static int set_bytes(struct reading *r, struct pmk_wave_layer *layer, const char *value)
{
	uint64_t bytes;

	if (!wave_number(value, &bytes) || !bytes || bytes > 128 || (bytes & (bytes - 1)))
		return complain(r, "bytes is the width of the data bus, 1 2 4 … 128, not '%.40s'",
				value);
	layer->bytes = (uint16_t)bytes;
	return 1;
}

static int take_layer(struct reading *r, const char *name, const char *value)
{
	enum { MONITOR = PMK_WAVE_CAUSE + 1, SCOPE, PROTOCOL, BYTES, CLOCK };
	static const char *const protocols[] = { "ahb", "ahb-lite" };
	static const char *const keys[] = {
		[PMK_AHB_HTRANS] = "htrans", [PMK_AHB_HADDR] = "haddr",
		[PMK_AHB_HWRITE] = "hwrite", [PMK_AHB_HSIZE] = "hsize",
		[PMK_AHB_HBURST] = "hburst", [PMK_AHB_HPROT] = "hprot",
		[PMK_AHB_HREADY] = "hready", [PMK_AHB_HRESP] = "hresp",
		[PMK_WAVE_CAUSE] = "cause",  [MONITOR] = "monitor",
		[SCOPE] = "scope",	     [PROTOCOL] = "protocol",
		[BYTES] = "bytes",	     [CLOCK] = "clock",
	};
	struct pmk_wave_layer *layer = &r->all->layer[r->layer];
	struct pmk_wave_slot slot = { .part = PMK_WAVE_LAYER, .group = r->layer };
	int i = find_word(r, "a layer has no", keys, COUNT(keys), name);

	if (i < 0)
		return 0;
	if (i == CLOCK)
		return complain(r, "a layer has no clock of its own: a map has one, in [clock]; "
				   "layers of other clocks want a map and a run of their own");
	if (i == SCOPE) {
		layer->scope = keep(r, value);
		return layer->scope != NULL;
	}
	if (i == MONITOR) {
		i = find_word(r, "no such monitor", monitors, COUNT(monitors), value);
		layer->monitor = (uint8_t)(PMK_AHBMON_BUS_ARMI + i);
		return i >= 0;
	}
	if (i == PROTOCOL) {
		i = find_word(r, "no such protocol", protocols, COUNT(protocols), value);
		layer->protocol = (uint8_t)(PMK_WAVE_AHB + i);
		return i >= 0;
	}
	if (i == BYTES)
		return set_bytes(r, layer, value);
	slot.role = (unsigned)i;
	return add_role(r, &slot, value);
}

/* ---- the others ----------------------------------------------------------------------------- */

static int take_gxi(struct reading *r, const char *name, const char *value)
{
	static const char *const keys[] = { [PMK_WAVE_GXI_ADDRESS] = "address_state",
					    [PMK_WAVE_GXI_DATA] = "data_state",
					    [PMK_WAVE_GXI_ADDR] = "address",
					    [PMK_WAVE_GXI_IS_WRITE] = "write" };
	struct pmk_wave_slot slot = { .part = PMK_WAVE_GXI };
	int i = find_word(r, "[gxi] has no", keys, COUNT(keys), name);

	if (i < 0)
		return 0;
	slot.role = (unsigned)i;
	return add_role(r, &slot, value);
}

/* A PMU by name, with a complaint that names the nearest. */
static const struct pmk_pmu *find_pmu(struct reading *r, const char *name)
{
	const struct pmk_pmu *pmu = pmk_pmu_find(name);
	struct pmk_nearest near;
	char hint[160];

	if (pmu)
		return pmu;
	pmk_nearest_init(&near, name);
	for (unsigned i = 0; pmk_pmus[i]; i++)
		pmk_nearest_offer(&near, pmk_pmus[i]->name);
	pmk_nearest_text(&near, hint, sizeof(hint));
	complain(r, "no PMU '%.60s'; %s%s", name, *hint ? "did you mean " : "",
		 *hint ? hint : "'pmk list pmus' shows them");
	return NULL;
}

static int take_evntbus(struct reading *r, const char *name, const char *value)
{
	static const char *const keys[] = { "vector", "core" };
	struct pmk_wave_slot slot = { .part = PMK_WAVE_EVNTBUS };
	const struct pmk_pmu *pmu;

	switch (find_word(r, "[evntbus] has no", keys, COUNT(keys), name)) {
	case 0:
		if (!r->evntbus_core)
			r->evntbus_core = "arm1176";
		return add_role(r, &slot, value);
	case 1:
		pmu = find_pmu(r, value);
		r->evntbus_core = pmu ? pmu->name : NULL;
		return pmu != NULL;
	}
	return 0;
}

/* The signal that an event of the PMU counts; -1 after a complaint. */
static int event_signal(struct reading *r, const char *name)
{
	const struct pmk_event *ev = pmk_pmu_event(r->pmu, name);

	if (!ev)
		return -1;
	if (ev->signal == PMK_SIG_NONE) {
		complain(r, "%s of %s has no signal: %.200s", ev->name, r->pmu->name,
			 ev->unmodelled ? ev->unmodelled : "it is not modelled");
		return -1;
	}
	return ev->signal;
}

static int find_signal(struct reading *r, const char *name)
{
	struct pmk_nearest near;
	char hint[160];
	int sig;

	pmk_nearest_init(&near, name);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++) {
		if (strcasecmp(pmk_signal_name(i), name) == 0)
			return (int)i;
		pmk_nearest_offer(&near, pmk_signal_name(i));
	}
	sig = r->pmu ? event_signal(r, name) : -1;
	if (sig >= 0)
		return sig;
	for (unsigned i = 0; r->pmu && i < r->pmu->nevents; i++)
		pmk_nearest_offer(&near, r->pmu->events[i].name);
	pmk_nearest_text(&near, hint, sizeof(hint));
	complain(r, "no signal '%.60s' of <pmk/signal.h>%s%s%s%s", name,
		 r->pmu ? " and no event of " : "", r->pmu ? r->pmu->name : "",
		 *hint ? "; did you mean " : "; for names of events say pmu = NAME first", hint);
	return -1;
}

/* NAME = signal [level|edge|count] */
static int take_events(struct reading *r, const char *name, const char *value)
{
	static const char *const hows[] = {
		[PMK_WAVE_LEVEL] = "level", [PMK_WAVE_EDGE] = "edge", [PMK_WAVE_COUNT] = "count"
	};
	struct pmk_wave_slot slot = { .part = PMK_WAVE_SIGNAL, .how = PMK_WAVE_LEVEL };
	char signal[INI_MAX_LINE + 1], *blank;
	int i;

	if (strcasecmp(name, "pmu") == 0) {
		r->pmu = find_pmu(r, value);
		if (r->pmu && !r->map->core)
			r->map->core = r->pmu->name;
		return r->pmu != NULL;
	}
	i = find_signal(r, name);
	if (i < 0)
		return 0;
	slot.role = (unsigned)i;
	snprintf(signal, sizeof(signal), "%s", value);
	blank = strpbrk(signal, " \t");
	if (blank) {
		*blank++ = '\0';
		blank += strspn(blank, " \t");
		i = find_word(r, "a signal counts by", hows, COUNT(hows), blank);
		if (i < 0)
			return 0;
		slot.how = (uint8_t)i;
	}
	return add_slot(r, &slot, signal);
}

/* NAME = FIRST-LAST */
static int take_windows(struct reading *r, const char *name, const char *value)
{
	static const char *const places[] = { "uart", "sci", "ssp", "apb_dma", "apb_core" };
	int i = find_word(r, "[windows] has no", places, COUNT(places), name);
	struct pmk_wave_window w = { .place = (uint8_t)i };
	char first[32];
	const char *dash = strchr(value, '-');

	if (i < 0)
		return 0;
	snprintf(first, sizeof(first), "%.*s", dash ? (int)(dash - value) : 0, value);
	first[strcspn(first, " ")] = '\0';
	if (!dash || !wave_number(first, &w.first) ||
	    !wave_number(dash + 1 + strspn(dash + 1, " "), &w.last) || w.last < w.first)
		return complain(r, "'%.60s' are no addresses: FIRST-LAST, as in 0x1000-0x1fff",
				value);
	if (r->map->nwindows == PMK_WAVE_WINDOWS)
		return complain(r, "more than %d windows", PMK_WAVE_WINDOWS);
	r->map->window[r->map->nwindows++] = w;
	return 1;
}

/* ---- the file ------------------------------------------------------------------------------- */

static int enter_section(struct reading *r, const char *section)
{
	static const char *const names[] = {
		[S_NONE] = "",		[S_CLOCK] = "clock",	 [S_LAYER] = "layer",
		[S_GXI] = "gxi",	[S_EVNTBUS] = "evntbus", [S_EVENTS] = "events",
		[S_WINDOWS] = "windows"
	};
	const char *layer = section + strlen("layer");
	int i;

	snprintf(r->section, sizeof(r->section), "%s", section);
	r->kind = S_UNKNOWN;
	if (!*section)
		return complain(r, "a [section] has to come first");
	if (strncasecmp(section, "layer", strlen("layer")) == 0 && (!*layer || isblank(*layer))) {
		layer += strspn(layer, " \t");
		if (!*layer)
			return complain(r, "a layer needs a name: [layer armd]");
		r->kind = S_LAYER;
		return enter_layer(r, layer) || complain(r, "out of memory");
	}
	i = find_word(r, "no section", names + 1, COUNT(names) - 1, section);
	if (i >= 0)
		r->kind = (enum section)(i + 1);
	return i >= 0;
}

/* ini_handler: 1 goes on, 0 reports an error. */
static int take(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;

	if (r->error_line)
		return 0;
	if ((r->kind == S_NONE || strcmp(section, r->section) != 0) && !enter_section(r, section))
		return 0;
	if (!*value)
		return complain(r, "'%.60s' has no value", name);
	switch (r->kind) {
	case S_CLOCK:
		return take_clock(r, name, value);
	case S_LAYER:
		return take_layer(r, name, value);
	case S_GXI:
		return take_gxi(r, name, value);
	case S_EVNTBUS:
		return take_evntbus(r, name, value);
	case S_EVENTS:
		return take_events(r, name, value);
	case S_WINDOWS:
		return take_windows(r, name, value);
	case S_NONE:
	case S_UNKNOWN:
		break;
	}
	return 0;
}

/* ini_reader: one line without its indentation into `str`, as fgets. */
static char *next_line(char *str, int num, void *stream)
{
	struct reading *r = stream;
	size_t n, indent;
	int c;

	if (!fgets(str, num, r->f))
		return NULL;
	r->line++;
	n = strlen(str);
	if (n + 1 == (size_t)num && str[n - 1] != '\n') {
		c = getc(r->f);
		if (c != EOF && c != '\n')
			complain(r,
				 "the line is too long: %d characters at most; 'scope = …' "
				 "shortens names",
				 num - 2);
		while (c != EOF && c != '\n')
			c = getc(r->f);
	}
	indent = strspn(str, " \t");
	memmove(str, str + indent, n - indent + 1);
	return str;
}

/* What a map as a whole needs. */
static int check(struct reading *r)
{
	const struct pmk_wave_map *m = r->map;

	if (!r->line) /* of an empty file */
		r->line = 1;
	if (!m->clock)
		return complain(r, "no clock: [clock] has to say signal = NAME");
	if (!m->nslots)
		return complain(r, "nothing to sample: there is no [layer], [gxi], [evntbus] or "
				   "[events]");
	for (unsigned l = 0; l < m->nlayers; l++) {
		unsigned roles = 0;

		for (unsigned i = 0; i < m->nslots; i++)
			if (m->slot[i].part == PMK_WAVE_LAYER && m->slot[i].group == l)
				roles |= PMK_AHB_ROLE(m->slot[i].role);
		if ((roles & PMK_AHB_REQUIRED) == PMK_AHB_REQUIRED)
			continue;
		r->line = m->layer[l].line;
		return complain(r, "[layer %.40s] needs htrans and hready", m->layer[l].name);
	}
	return 1;
}

/* Every slot knows its scope: the layer's, or the map's. */
static void spread_scopes(struct pmk_wave_map *m, struct contents *all)
{
	for (unsigned i = 0; i < m->nlayers; i++)
		if (!all->layer[i].scope)
			all->layer[i].scope = m->scope;
	for (unsigned i = 0; i < m->nslots; i++)
		all->slot[i].scope = all->slot[i].part == PMK_WAVE_LAYER
					     ? all->layer[all->slot[i].group].scope
					     : m->scope;
}

/* Everything but opening the file. 0, or an error with a text. */
static int read_map(struct reading *r, const char *path, struct pmk_wave_error *err)
{
	int line;

	errno = 0;
	line = ini_parse_stream(next_line, r, take, r);
	if (ferror(r->f))
		return wave_error(err, PMK_EIO, "%s: %s", path, strerror(errno));
	/* inih tells the first line that is neither a section, a comment nor name = value, or that
	 * `take` refused; `r` knows which of the two it was. */
	if (line > 0 && (!r->error_line || (unsigned)line < r->error_line))
		return wave_error(err, PMK_EPARSE, "%s:%d: neither [section] nor name = value",
				  path, line);
	if (r->evntbus_core)
		r->map->core = r->evntbus_core;
	if (!r->error_line)
		check(r);
	if (r->no_memory)
		return wave_error(err, PMK_ENOMEM, "%s: out of memory", path);
	if (r->error_line)
		return wave_error(err, PMK_EPARSE, "%s:%u: %s", path, r->error_line, r->why);
	spread_scopes(r->map, r->all);
	return 0;
}

int pmk_wave_map_load(struct pmk_wave_map *map, const char *path, struct pmk_wave_error *err)
{
	struct reading r = { .map = map, .line = 0 };
	int code;

	*err = (struct pmk_wave_error){ .code = 0 };
	*map = (struct pmk_wave_map){ .scope = "", .reset_low = true };
	r.all = map->text = calloc(1, sizeof(*r.all));
	if (!r.all || !(map->file = keep(&r, path))) {
		pmk_wave_map_free(map);
		return wave_error(err, PMK_ENOMEM, "%s: out of memory", path);
	}
	r.f = fopen(path, "r");
	if (!r.f) {
		code = wave_error(err, PMK_EIO, "%s: %s", path, strerror(errno));
	} else {
		code = read_map(&r, path, err);
		fclose(r.f);
	}
	if (code)
		pmk_wave_map_free(map);
	return code;
}

void pmk_wave_map_free(struct pmk_wave_map *map)
{
	struct contents *all = map->text;

	if (all) {
		wave_arena_free(&all->text);
		free(all->layer);
		free(all->slot);
		free(all);
	}
	*map = (struct pmk_wave_map){ .text = NULL };
}
