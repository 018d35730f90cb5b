// SPDX-License-Identifier: MIT
/*
 * Map files: the meaning of a dump's signals. Map files are INI files; docs/wave.md describes the
 * format.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahb.h>
#include <pmk/ahbmon.h>
#include <pmk/axi.h>
#include <pmk/pmu.h>

#include "base/grow.h"
#include "base/ini.h"
#include "base/nearest.h"
#include "base/number.h"
#include "producer/wave/wave.h"

#define NO_SLAVE 0xff

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct reading;
typedef bool take_fn(struct reading *r, const char *name, const char *value);

struct reading {
	struct pmk_ini *ini;
	struct pmk_wave_map *map;
	size_t room_layers, room_axi, room_slots;
	bool no_memory;
	char section[64];
	/* Reads an entry of the section; NULL before the first one. */
	take_fn *take;
	unsigned group;		   /* index of the layer or AXI interface of the section */
	const char *evntbus_core;  /* name of the PMU that drives the EVNTBUS */
	const struct pmk_pmu *pmu; /* the PMU whose events [events] may name */
};

/* Reports an error in the current line. Returns false, for the caller to return. */
#define complain(r, ...) pmk_ini_fail((r)->ini, (r)->ini->line, __VA_ARGS__)

static bool out_of_memory(struct reading *r)
{
	r->no_memory = true;
	return pmk_ini_no_memory(r->ini);
}

/* Stores a copy that lives as long as the map. */
static bool keep_text(struct reading *r, const char **to, const char *text)
{
	*to = pmk_wave_arena_copy(r->map->text, text, strlen(text));
	return *to || out_of_memory(r);
}

/* ---- words ---------------------------------------------------------------------------------- */

/*
 * Returns the index of a word, in upper or lower case; -1 after an error that names the nearest
 * words.
 */
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

/* Stores a text that may be given only once. */
static bool set_text(struct reading *r, const char **to, unsigned *line, const char *value)
{
	if (*line)
		return complain(r, "it is already given in line %u", *line);
	*line = r->ini->line;
	return keep_text(r, to, value);
}

static bool add_slot(struct reading *r, struct pmk_wave_slot slot, const char *signal)
{
	slot.line = r->ini->line;
	return keep_text(r, &slot.signal, signal) &&
	       (PMK_APPEND(r->map->slot, r->map->nslots, r->room_slots, slot) || out_of_memory(r));
}

/* Adds the signal of a role, which may occur only once per group. */
static bool add_role(struct reading *r, enum pmk_wave_part part, unsigned group, unsigned role,
		     const char *signal)
{
	for (unsigned i = 0; i < r->map->nslots; i++) {
		const struct pmk_wave_slot *s = &r->map->slot[i];

		if (s->part == part && s->group == group && s->role == role)
			return complain(r, "it is already given in line %u", s->line);
	}
	return add_slot(
		r, (struct pmk_wave_slot){ .part = (uint8_t)part, .group = group, .role = role },
		signal);
}

/* ---- [clock] -------------------------------------------------------------------------------- */

static bool take_clock(struct reading *r, const char *name, const char *value)
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
					"a second clock: line %u has '%.100s', and a map can "
					"have only one; other clocks need another map and "
					"another run",
					m->clock_line, m->clock);
		return set_text(r, &m->clock, &m->clock_line, value);
	case RESET:
		return set_text(r, &m->reset, &m->reset_line, value);
	case SCOPE:
		return keep_text(r, &m->scope, value);
	case EDGE:
		i = find_word(r, "no such edge", edges, COUNT(edges), value);
		m->falling = i == 1;
		return i >= 0;
	case SAMPLE:
		i = find_word(r, "no such value of sample", samples, COUNT(samples), value);
		m->sample = i == 1 ? PMK_WAVE_AFTER : PMK_WAVE_BEFORE;
		return i >= 0;
	case ACTIVE:
		i = find_word(r, "no such level", levels, COUNT(levels), value);
		m->reset_low = i == 1;
		return i >= 0;
	}
	return false;
}

/* ---- [layer NAME] --------------------------------------------------------------------------- */

const char *const pmk_wave_monitors[WAVE_NMONITORS] = { "armi", "clcdc", "dma0",
							"dma1", "exp",	 "armd" };

unsigned pmk_wave_monitor(const char *name)
{
	unsigned i = 0;

	while (i < WAVE_NMONITORS && strcasecmp(pmk_wave_monitors[i], name) != 0)
		i++;
	return i;
}

static uint8_t monitor_by_name(const char *name)
{
	unsigned i = pmk_wave_monitor(name);

	/* For another name, use EXP, a monitor with a counter for every type of burst. */
	return i < WAVE_NMONITORS ? (uint8_t)(PMK_AHBMON_BUS_ARMI + i)
				  : (uint8_t)PMK_AHBMON_BUS_EXP;
}

/* Finds the layer with that name; a new name makes a new layer. */
static bool enter_layer(struct reading *r, const char *name)
{
	struct pmk_wave_map *m = r->map;
	struct pmk_wave_layer new = { .line = r->ini->line, .monitor = monitor_by_name(name) };

	for (r->group = 0; r->group < m->nlayers; r->group++)
		if (strcmp(m->layer[r->group].name, name) == 0)
			return true;
	return keep_text(r, &new.name, name) &&
	       (PMK_APPEND(m->layer, m->nlayers, r->room_layers, new) || out_of_memory(r));
}

/* Reads the width of a data bus in bytes, such as "4". */
static bool set_bytes(struct reading *r, struct pmk_wave_layer *layer, const char *value)
{
	uint64_t bytes;

	if (pmk_number_parse(value, PMK_ANY_BASE, 1, 128, &bytes) || (bytes & (bytes - 1)))
		return complain(r, "bytes is the width of the data bus, 1 2 4 … 128, not '%.40s'",
				value);
	layer->bytes = (uint16_t)bytes;
	return true;
}

enum {
	LAYER_MONITOR = PMK_WAVE_CAUSE + 1,
	LAYER_SCOPE,
	LAYER_PROTOCOL,
	LAYER_BYTES,
	LAYER_CLOCK,
};

const char *const pmk_wave_layer_keys[] = {
	[PMK_AHB_HTRANS] = "htrans", [PMK_AHB_HADDR] = "haddr",	  [PMK_AHB_HWRITE] = "hwrite",
	[PMK_AHB_HSIZE] = "hsize",   [PMK_AHB_HBURST] = "hburst", [PMK_AHB_HPROT] = "hprot",
	[PMK_AHB_HREADY] = "hready", [PMK_AHB_HRESP] = "hresp",	  [PMK_WAVE_CAUSE] = "cause",
	[LAYER_MONITOR] = "monitor", [LAYER_SCOPE] = "scope",	  [LAYER_PROTOCOL] = "protocol",
	[LAYER_BYTES] = "bytes",     [LAYER_CLOCK] = "clock",
};

static bool take_layer(struct reading *r, const char *name, const char *value)
{
	static const char *const protocols[] = { "ahb", "ahb-lite" };
	struct pmk_wave_layer *layer = &r->map->layer[r->group];
	int i = find_word(r, "a layer has no", pmk_wave_layer_keys, COUNT(pmk_wave_layer_keys),
			  name);

	switch (i) {
	case -1:
		return false;
	case LAYER_CLOCK:
		return complain(r, "a layer cannot have a clock: a map has one, in [clock]; "
				   "layers with other clocks need another map and another run");
	case LAYER_SCOPE:
		return keep_text(r, &layer->scope, value);
	case LAYER_MONITOR:
		i = find_word(r, "no such monitor", pmk_wave_monitors, WAVE_NMONITORS, value);
		layer->monitor = (uint8_t)(PMK_AHBMON_BUS_ARMI + i);
		layer->chosen = i >= 0;
		return i >= 0;
	case LAYER_PROTOCOL:
		i = find_word(r, "no such protocol", protocols, COUNT(protocols), value);
		layer->protocol = (uint8_t)(PMK_WAVE_AHB + i);
		return i >= 0;
	case LAYER_BYTES:
		return set_bytes(r, layer, value);
	}
	return add_role(r, PMK_WAVE_LAYER, r->group, (unsigned)i, value);
}

/* ---- [axi NAME] ----------------------------------------------------------------------------- */

/* Finds or makes an interface, as enter_layer() does for layers. */
static bool enter_axi(struct reading *r, const char *name)
{
	struct pmk_wave_map *m = r->map;
	struct pmk_wave_axi new = { .line = r->ini->line };

	for (r->group = 0; r->group < m->naxi; r->group++)
		if (strcmp(m->axi[r->group].name, name) == 0)
			return true;
	return keep_text(r, &new.name, name) &&
	       (PMK_APPEND(m->axi, m->naxi, r->room_axi, new) || out_of_memory(r));
}

enum { AXI_SCOPE = PMK_AXI_NROLES, AXI_CLOCK };

const char *const pmk_wave_axi_keys[] = {
#define X(role, name) [PMK_AXI_##role] = #name,
	PMK_AXI_ROLES(X)
#undef X
		[AXI_SCOPE] = "scope",
	[AXI_CLOCK] = "clock",
};

static bool take_axi(struct reading *r, const char *name, const char *value)
{
	int i = find_word(r, "an AXI interface has no", pmk_wave_axi_keys, COUNT(pmk_wave_axi_keys),
			  name);

	switch (i) {
	case -1:
		return false;
	case AXI_CLOCK:
		return complain(r, "an AXI interface cannot have a clock: a map has one, in "
				   "[clock]; interfaces with other clocks need another map and "
				   "another run");
	case AXI_SCOPE:
		return keep_text(r, &r->map->axi[r->group].scope, value);
	}
	return add_role(r, PMK_WAVE_AXI, r->group, (unsigned)i, value);
}

/* ---- the other sections --------------------------------------------------------------------- */

const char *const pmk_wave_gxi_keys[WAVE_NGXI] = {
	[PMK_WAVE_GXI_ADDRESS] = "address_state",
	[PMK_WAVE_GXI_DATA] = "data_state",
	[PMK_WAVE_GXI_ADDR] = "address",
	[PMK_WAVE_GXI_IS_WRITE] = "write",
};

static bool take_gxi(struct reading *r, const char *name, const char *value)
{
	int i = find_word(r, "[gxi] has no", pmk_wave_gxi_keys, WAVE_NGXI, name);

	return i >= 0 && add_role(r, PMK_WAVE_GXI, 0, (unsigned)i, value);
}

/* Returns the PMU with this name; an error names the nearest names. */
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

static bool take_evntbus(struct reading *r, const char *name, const char *value)
{
	static const char *const keys[] = { "vector", "core" };
	const struct pmk_pmu *pmu;

	switch (find_word(r, "[evntbus] has no", keys, COUNT(keys), name)) {
	case 0:
		return add_role(r, PMK_WAVE_EVNTBUS, 0, 0, value);
	case 1:
		pmu = find_pmu(r, value);
		r->evntbus_core = pmu ? pmu->name : NULL;
		return pmu != NULL;
	}
	return false;
}

/* Returns the signal that an event of the PMU counts; -1 after an error. */
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
	for (unsigned i = PMK_SIG_NONE + 1; i < PMK_NSIGNALS; i++) {
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
		 *hint ? "; did you mean "
		       : "; to use names of events, write pmu = NAME in an earlier line",
		 hint);
	return -1;
}

/* Handles NAME = signal [level|edge|count]. */
static bool take_events(struct reading *r, const char *name, const char *value)
{
	static const char *const hows[] = {
		[PMK_WAVE_LEVEL] = "level", [PMK_WAVE_EDGE] = "edge", [PMK_WAVE_COUNT] = "count"
	};
	struct pmk_wave_slot slot = { .part = PMK_WAVE_SIGNAL, .how = PMK_WAVE_LEVEL };
	char signal[PMK_INI_LINE + 1], *blank;
	int i;

	if (strcasecmp(name, "pmu") == 0) {
		r->pmu = find_pmu(r, value);
		if (r->pmu && !r->map->core)
			r->map->core = r->pmu->name;
		return r->pmu != NULL;
	}
	i = find_signal(r, name);
	if (i < 0)
		return false;
	slot.role = (unsigned)i;
	snprintf(signal, sizeof(signal), "%s", value);
	blank = strpbrk(signal, " \t");
	if (blank) {
		*blank++ = '\0';
		blank += strspn(blank, " \t");
		i = find_word(r, "a signal counts by", hows, COUNT(hows), blank);
		if (i < 0)
			return false;
		slot.how = (uint8_t)i;
	}
	return add_slot(r, slot, signal);
}

/* Handles a value FIRST-LAST. */
static bool add_window(struct reading *r, struct pmk_wave_window w, const char *value)
{
	const char *dash = strchr(value, '-');
	char first[32];

	snprintf(first, sizeof(first), "%.*s", dash ? (int)(dash - value) : 0, value);
	first[strcspn(first, " ")] = '\0';
	if (!dash || pmk_number_parse(first, PMK_ANY_BASE, 0, UINT64_MAX, &w.first) ||
	    pmk_number_parse(dash + 1 + strspn(dash + 1, " "), PMK_ANY_BASE, w.first, UINT64_MAX,
			     &w.last))
		return complain(r,
				"'%.60s' is not a range of addresses; expected FIRST-LAST, "
				"such as 0x1000-0x1fff",
				value);
	if (r->map->nwindows == PMK_WAVE_WINDOWS)
		return complain(r, "more than %d windows", PMK_WAVE_WINDOWS);
	r->map->window[r->map->nwindows++] = w;
	return true;
}

const char *const pmk_wave_places[WAVE_NPLACES] = { "uart", "sci", "ssp", "apb_dma", "apb_core" };

/* Handles NAME = FIRST-LAST. */
static bool take_windows(struct reading *r, const char *name, const char *value)
{
	int i = find_word(r, "[windows] has no", pmk_wave_places, WAVE_NPLACES, name);
	struct pmk_wave_window w = { .place = (uint8_t)i, .slave = NO_SLAVE };

	return i >= 0 && add_window(r, w, value);
}

#define NSLAVES 16 /* slaves in the AHB Monitor's packets */

/* Handles NUMBER = FIRST-LAST. */
static bool take_slaves(struct reading *r, const char *name, const char *value)
{
	struct pmk_wave_window w = { .place = PMK_WAVE_NO_PLACE };
	uint64_t number;

	if (pmk_number_parse(name, PMK_ANY_BASE, 0, NSLAVES - 1, &number))
		return complain(r, "'%.40s' is not the number of a slave; expected 0 to %d", name,
				NSLAVES - 1);
	w.slave = (uint8_t)number;
	return add_window(r, w, value);
}

static bool take_packets(struct reading *r, const char *name, const char *value)
{
	static const char *const keys[] = { "pins" };

	return find_word(r, "[packets] has no", keys, COUNT(keys), name) >= 0 &&
	       add_role(r, PMK_WAVE_PACKETS, 0, 0, value);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Returns the name in a section such as "layer armd"; NULL if it is another section. */
static const char *name_in(const char *section, const char *kind)
{
	size_t n = strlen(kind);

	if (strncasecmp(section, kind, n) != 0 || (section[n] && !isblank(section[n])))
		return NULL;
	return section + n + strspn(section + n, " \t");
}

static bool enter_section(struct reading *r, const char *section)
{
	static const char *const names[] = { "clock",  "layer",	  "axi",     "gxi",   "evntbus",
					     "events", "windows", "packets", "slaves" };
	static take_fn *const takes[] = { take_clock,	take_layer,   take_axi,
					  take_gxi,	take_evntbus, take_events,
					  take_windows, take_packets, take_slaves };
	const char *layer = name_in(section, "layer"), *axi = name_in(section, "axi");
	int i = layer ? 1 : 2;

	if (layer && !*layer)
		return complain(r, "a layer needs a name: [layer armd]");
	if (axi && !*axi)
		return complain(r, "an AXI interface needs a name: [axi m0]");
	if (!layer && !axi)
		i = find_word(r, "no section", names, COUNT(names), section);
	if (i < 0)
		return false;
	snprintf(r->section, sizeof(r->section), "%s", section);
	r->take = takes[i];
	return layer ? enter_layer(r, layer) : !axi || enter_axi(r, axi);
}

/* Returns the roles of a layer or an AXI interface that have a signal. */
static uint32_t roles_of(const struct pmk_wave_map *m, enum pmk_wave_part part, unsigned group)
{
	uint32_t roles = 0;

	for (unsigned i = 0; i < m->nslots; i++)
		if (m->slot[i].part == part && m->slot[i].group == group)
			roles |= UINT32_C(1) << m->slot[i].role;
	return roles;
}

/* Checks the map as a whole. */
static bool check_map(struct reading *r)
{
	struct pmk_wave_map *m = r->map;

	if (r->evntbus_core)
		m->core = r->evntbus_core;
	if (!m->clock)
		return complain(r, "no clock: [clock] needs signal = NAME");
	if (!m->nslots)
		return complain(r,
				"nothing to sample: there is no [layer], [axi], [gxi], [evntbus] "
				"or [events]");
	if (roles_of(m, PMK_WAVE_PACKETS, 0) && (m->nlayers || roles_of(m, PMK_WAVE_GXI, 0)))
		return complain(r, "[packets] describes the same layers and GXI as [layer] and "
				   "[gxi]; use only one of the two forms");
	for (unsigned i = 0; i < m->nslots; i++)
		if (m->slot[i].part == PMK_WAVE_EVNTBUS && !r->evntbus_core)
			return pmk_ini_fail(
				r->ini, m->slot[i].line,
				"[evntbus] needs core = arm1136 or core = arm1176, because the two "
				"have br_exec in different bits");
	for (unsigned l = 0; l < m->nlayers; l++)
		if ((roles_of(m, PMK_WAVE_LAYER, l) & PMK_AHB_REQUIRED) != PMK_AHB_REQUIRED)
			return pmk_ini_fail(r->ini, m->layer[l].line,
					    "[layer %.40s] needs htrans and hready",
					    m->layer[l].name);
	for (unsigned a = 0; a < m->naxi; a++) {
		uint32_t roles = roles_of(m, PMK_WAVE_AXI, a);

		if ((roles & PMK_AXI_READS) != PMK_AXI_READS &&
		    (roles & PMK_AXI_WRITES) != PMK_AXI_WRITES)
			return pmk_ini_fail(
				r->ini, m->axi[a].line,
				"[axi %.40s] needs arvalid, arready, rvalid and rready, "
				"or awvalid, awready, bvalid and bready",
				m->axi[a].name);
	}
	return true;
}

/* Sets the scope of every slot to the scope of its layer or AXI interface, or else of the map. */
static void spread_scopes(struct pmk_wave_map *m)
{
	for (unsigned i = 0; i < m->nlayers; i++)
		if (!m->layer[i].scope)
			m->layer[i].scope = m->scope;
	for (unsigned i = 0; i < m->naxi; i++)
		if (!m->axi[i].scope)
			m->axi[i].scope = m->scope;
	for (unsigned i = 0; i < m->nslots; i++) {
		struct pmk_wave_slot *s = &m->slot[i];

		s->scope = s->part == PMK_WAVE_LAYER ? m->layer[s->group].scope
			   : s->part == PMK_WAVE_AXI ? m->axi[s->group].scope
						     : m->scope;
	}
}

/* Handles an entry, for pmk_ini_load(). */
static bool take_entry(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
		       const char *value)
{
	struct reading *r = ctx;

	r->ini = ini;
	if (!section)
		return check_map(r);
	if ((!r->take || strcmp(section, r->section) != 0) && !enter_section(r, section))
		return false;
	if (!*value)
		return complain(r, "'%.60s' has no value", name);
	return r->take(r, name, value);
}

int pmk_wave_map_load(struct pmk_wave_map *map, const char *path, struct pmk_wave_error *err)
{
	struct reading r = { .map = map };
	char msg[sizeof(err->text)];
	int code = 0;

	*err = (struct pmk_wave_error){ .code = 0 };
	*map = (struct pmk_wave_map){ .scope = "", .reset_low = true };
	map->text = calloc(1, sizeof(struct wave_arena));
	if (!map->text || !(map->file = pmk_wave_arena_copy(map->text, path, strlen(path))))
		r.no_memory = true;
	else
		code = pmk_ini_load(path, "'scope = …' shortens names", take_entry, &r, msg,
				    sizeof(msg));
	if (r.no_memory)
		code = pmk_wave_no_memory(err, path);
	else if (code)
		pmk_wave_fail(err, code, "%s", msg);
	else
		spread_scopes(map);
	if (code)
		pmk_wave_map_free(map);
	return code;
}

void pmk_wave_map_free(struct pmk_wave_map *map)
{
	if (map->text)
		pmk_wave_arena_free(map->text);
	free(map->text);
	free(map->layer);
	free(map->axi);
	free(map->slot);
	*map = (struct pmk_wave_map){ .text = NULL };
}
