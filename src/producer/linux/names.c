// SPDX-License-Identifier: MIT
/*
 * Resolves names of events: the number to program, the PMU, and the row of the catalogue.
 *
 * Generic names (cycles, branch-misses …) are first looked up in pmk's catalogue of the core.
 * There, a generic name is an alias of the event that Linux uses for it on this core, so pmk prints
 * the name of the event that is programmed. Without a catalogue of the core, the kernel decides.
 */
#define _GNU_SOURCE
#include "producer/linux/sysfs.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/message.h"
#include "base/nearest.h"
#include "base/number.h"

#define MAX_NAME 1024

struct search {
	struct pmk_linux_pmus *all;
	const char *name; /* the requested name */
	char *msg;
	size_t size;
};

/* ---- events --------------------------------------------------------------------------------- */

/* Returns an event of `pmu` whose code is not set yet. */
static struct pmk_linux_event event_of(const struct pmk_linux_pmu *pmu)
{
	return (struct pmk_linux_event){ .pmu = pmu, .type = pmu->type, .unit = "" };
}

/* True if the event is a common event of a PMUv3, and the kernel does not list it. The kernel lists
 * only the common events that PMCEID names. An event that it does not list can still be programmed,
 * but counts nothing if the core does not have it. */
static bool is_unlisted(const struct pmk_linux_pmu_full *pmu, uint64_t code)
{
	bool common = code < 0x40 || (code >= 0x4000 && code < 0x4040);

	if (!common || !pmu->nevents || strncmp(pmu->name, "armv8", 5) != 0)
		return false;
	for (unsigned i = 0; i < pmu->nevents; i++) {
		const char *terms = pmu->events[i].terms;

		if (!strncmp(terms, "event=", 6) &&
		    pmk_number_after(terms, "event=", PMK_ANY_BASE) == code)
			return false;
	}
	return true;
}

/* Adds a copy of the event to the list of events. Its row is `row` or, if that is NULL, a row of
 * the catalogue or a new row with the requested name. */
static int keep_event(const struct search *s, const struct pmk_linux_event *event,
		      const struct pmk_event *row, const struct pmk_linux_event **out)
{
	struct pmk_linux_made *m = calloc(1, sizeof(*m));
	struct pmk_linux_event *ev = m ? &m->event : NULL;

	if (!m)
		return pmk_message_no_memory(s->msg, s->size, NULL);
	*ev = *event;
	m->next = s->all->made;
	s->all->made = m;
	ev->coded = ev->config <= UINT16_MAX && !ev->config1 && !ev->config2;
	if (!row && ev->coded && ev->pmu->known)
		row = pmk_pmu_event_code(ev->pmu->pmu, (unsigned)ev->config);
	if (!row) {
		m->name = strdup(s->name);
		if (!m->name)
			return pmk_message_no_memory(s->msg, s->size, NULL);
		m->row = (struct pmk_event){
			.code = (uint16_t)ev->config,
			.name = m->name,
			.cores = 1,
			.signal = PMK_SIG_NONE,
			.ref = ev->pmu->name,
			.brief = "an event of this kernel's PMU",
		};
		row = &m->row;
	}
	ev->row = row;
	ev->unlisted = ev->coded && is_unlisted(pmk_linux_full(ev->pmu), ev->config);
	*out = ev;
	return 0;
}

static int use_row(const struct search *s, const struct pmk_linux_pmu *pmu,
		   const struct pmk_event *row, const struct pmk_linux_event **out)
{
	struct pmk_linux_event ev = event_of(pmu);

	ev.config = row->code;
	if (pmu->software) {
		bool clock = row->code == PERF_COUNT_SW_CPU_CLOCK ||
			     row->code == PERF_COUNT_SW_TASK_CLOCK;

		ev.unit = clock ? "ns" : "";
		ev.in_kernel = row->code == PERF_COUNT_SW_CONTEXT_SWITCHES ||
			       row->code == PERF_COUNT_SW_CPU_MIGRATIONS;
	}
	return keep_event(s, &ev, row, out);
}

/* ---- terms ---------------------------------------------------------------------------------- */

/* Put `value` into the bits of the format. Returns false if the value has more bits. */
static bool scatter_bits(struct pmk_linux_event *ev, const struct pmk_linux_format *f,
			 uint64_t value)
{
	uint64_t *words[] = { &ev->config, &ev->config1, &ev->config2 }, *word = words[f->word];

	for (unsigned i = 0; i < f->npieces; i++) {
		unsigned low = f->piece[i].low, bits = f->piece[i].high - low + 1u;
		uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

		*word = (*word & ~(mask << low)) | (value & mask) << low;
		value = bits < 64 ? value >> bits : 0;
	}
	return value == 0;
}

/* Find the bits of a term. The terms config, config1 and config2 exist for every PMU. If a driver
 * describes no formats, the event's code is in config. */
static bool find_format(const struct pmk_linux_pmu_full *pmu, const char *name,
			struct pmk_linux_format *f)
{
	static const char *const words[] = { "config", "config1", "config2" };

	for (unsigned i = 0; i < pmu->nformats; i++) {
		if (strcmp(pmu->formats[i].name, name) != 0)
			continue;
		*f = pmu->formats[i];
		return true;
	}
	*f = (struct pmk_linux_format){ .npieces = 1, .piece = { { 0, 63 } } };
	for (unsigned w = 0; w < 3; w++) {
		f->word = w;
		if (!strcmp(words[w], name))
			return true;
	}
	f->word = 0;
	return !pmu->nformats && !strcmp(name, "event");
}

static const struct pmk_linux_named *find_named(const struct pmk_linux_pmu_full *pmu,
						const char *name)
{
	for (unsigned i = 0; i < pmu->nevents; i++)
		if (!strcasecmp(pmu->events[i].name, name))
			return &pmu->events[i];
	return NULL;
}

static int unknown_term(const struct search *s, const struct pmk_linux_pmu_full *pmu,
			const char *term)
{
	struct pmk_nearest near;
	char text[256];

	pmk_nearest_init(&near, term);
	for (unsigned i = 0; i < pmu->nformats; i++)
		pmk_nearest_offer(&near, pmu->formats[i].name);
	for (unsigned i = 0; i < pmu->nevents; i++)
		pmk_nearest_offer(&near, pmu->events[i].name);
	pmk_nearest_text(&near, text, sizeof(text));
	return pmk_message_fail(
		s->msg, s->size, PMK_ENOEVENT, "event '%s': %s has no event or term '%s'%s%s%s",
		s->name, pmu->name, term, *text ? "; did you mean " : "", text, *text ? "?" : "");
}

/* Parse "umask=1"; "edge" means "edge=1". The text is split in place. */
static int take_term(const struct search *s, const struct pmk_linux_pmu_full *pmu,
		     struct pmk_linux_event *ev, char *term)
{
	char *eq = strchr(term, '=');
	struct pmk_linux_format f;
	uint64_t value = 1;

	if (eq)
		*eq = '\0';
	if (!find_format(pmu, term, &f))
		return unknown_term(s, pmu, term);
	if (eq && pmk_number_parse(eq + 1, PMK_ANY_BASE, 0, UINT64_MAX, &value))
		return pmk_message_fail(s->msg, s->size, PMK_ENOEVENT,
					"event '%s': '%s' is no number", s->name, eq + 1);
	if (!scatter_bits(ev, &f, value))
		return pmk_message_fail(s->msg, s->size, PMK_ENOEVENT,
					"event '%s': the value is too large for '%s'", s->name,
					term);
	return 0;
}

/* Parse a list of terms, such as "event=0x11,umask=1". If `names` is true, an item of the list may
 * also be the kernel's name for such a list. */
static int take_terms(const struct search *s, const struct pmk_linux_pmu_full *pmu,
		      struct pmk_linux_event *ev, const char *terms, bool names)
{
	char buf[MAX_NAME], *save, *term;
	int n = snprintf(buf, sizeof(buf), "%s", terms), err = 0;

	if (n < 0 || (size_t)n >= sizeof(buf))
		return pmk_message_fail(s->msg, s->size, PMK_ENOEVENT, "event '%.40s…' is too long",
					s->name);
	for (term = strtok_r(buf, ",", &save); term && !err; term = strtok_r(NULL, ",", &save)) {
		const struct pmk_linux_named *named = names ? find_named(pmu, term) : NULL;

		if (named)
			ev->unit = named->unit;
		err = named ? take_terms(s, pmu, ev, named->terms, false)
			    : take_term(s, pmu, ev, term);
	}
	return err;
}

/* Parse "r0b" or "0x0b", hexadecimal. False: it has another form, or is too long. */
static bool raw_code(const char *text, uint64_t *code)
{
	if (*text == 'r' || *text == 'R')
		text++;
	else if (text[0] == '0' && (text[1] | 0x20) == 'x')
		text += 2;
	else
		return false;
	return !pmk_number_parse(text, 16, 0, UINT64_MAX, code);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Search for a name in one PMU. Returns 0, or an error with a text, or 1 without a text if the PMU
 * has no such name. */
static int find_in(const struct search *s, const struct pmk_linux_pmu *pmu, const char *name,
		   const struct pmk_linux_event **out)
{
	const struct pmk_event *row = pmk_pmu_event(pmu->pmu, name);
	const struct pmk_linux_pmu_full *full = pmk_linux_full(pmu);
	struct pmk_linux_event ev = event_of(pmu);
	uint64_t code;
	bool raw;
	int err;

	if (row)
		return use_row(s, pmu, row, out);
	raw = raw_code(name, &code);
	if (!raw && !find_named(full, name))
		return 1;
	if (raw)
		ev.config = code;
	err = raw ? 0 : take_terms(s, full, &ev, name, true);
	return err ? err : keep_event(s, &ev, NULL, out);
}

/* Find one of perf's cache events, such as "L1-dcache-load-misses". Its code has the cache,
 * operation and result in a byte each. */
static int find_cache(const struct search *s, const struct pmk_linux_event **out)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					      "iTLB",	   "branch",	"node" };
	static const struct {
		const char *name;
		unsigned operation, result;
	} what[] = {
		{ "loads", 0, 0 },	  { "load-misses", 0, 1 }, { "stores", 1, 0 },
		{ "store-misses", 1, 1 }, { "prefetches", 2, 0 },  { "prefetch-misses", 2, 1 },
	};
	struct pmk_linux_event ev = event_of(pmk_linux_pmu_find(s->all, "hw-cache"));

	for (unsigned c = 0; c < sizeof(caches) / sizeof(caches[0]); c++) {
		size_t n = strlen(caches[c]);

		if (strncasecmp(s->name, caches[c], n) != 0 || s->name[n] != '-')
			continue;
		for (unsigned w = 0; w < sizeof(what) / sizeof(what[0]); w++) {
			if (strcasecmp(s->name + n + 1, what[w].name) != 0)
				continue;
			ev.config = c | what[w].operation << 8 | what[w].result << 16;
			return keep_event(s, &ev, NULL, out);
		}
	}
	return 1;
}

/* Returns name *i of `pmu`. If `pmu` has fewer names, returns NULL and subtracts their number from
 * *i. */
static const char *name_of(const struct pmk_linux_pmu *pmu, unsigned *i)
{
	const struct pmk_linux_pmu_full *full = pmk_linux_full(pmu);

	for (unsigned k = 0; k < pmu->pmu->nevents; k++)
		if (pmk_pmu_has(pmu->pmu, &pmu->pmu->events[k]) && (*i)-- == 0)
			return pmu->pmu->events[k].name;
	if (*i < full->nevents)
		return full->events[*i].name;
	*i -= full->nevents;
	return NULL;
}

const char *pmk_linux_event_name(const struct pmk_linux_pmus *all,
				 const struct pmk_linux_pmu *prefer, unsigned i)
{
	const struct pmk_linux_pmu *pmus[] = {
		prefer ? prefer : pmk_linux_core(all),
		prefer ? NULL : pmk_linux_pmu_find(all, "hardware"),
		prefer ? NULL : pmk_linux_pmu_find(all, "software"),
	};
	const char *name = NULL;

	for (unsigned p = 0; !name && p < sizeof(pmus) / sizeof(pmus[0]); p++)
		if (pmus[p])
			name = name_of(pmus[p], &i);
	return name;
}

/* The words that are compared with an unknown name. struct pmk_nearest keeps pointers to the
 * nearest ones, so they must stay in memory. */
struct words {
	char (*word)[64];
	unsigned n, room;
};

static void offer_name(struct words *w, struct pmk_nearest *near, const char *text)
{
	while (text && *text && w->n < w->room) {
		size_t n = strcspn(text, " ");

		if (n < sizeof(w->word[0])) {
			snprintf(w->word[w->n], sizeof(w->word[0]), "%.*s", (int)n, text);
			pmk_nearest_offer(near, w->word[w->n++]);
		}
		text += n + strspn(text + n, " ");
	}
}

static void offer_pmu(struct words *w, struct pmk_nearest *near, const struct pmk_linux_pmu *pmu)
{
	const struct pmk_linux_pmu_full *full = pmk_linux_full(pmu);

	for (unsigned i = 0; i < pmu->pmu->nevents; i++) {
		if (!pmk_pmu_has(pmu->pmu, &pmu->pmu->events[i]))
			continue;
		offer_name(w, near, pmu->pmu->events[i].name);
		offer_name(w, near, pmu->pmu->events[i].aliases);
	}
	for (unsigned i = 0; i < full->nevents; i++)
		offer_name(w, near, full->events[i].name);
}

/* Report that no PMU has the name, with the nearest names of `pmu` (NULL: of core, generic and
 * software events). */
static int unknown_name(const struct search *s, const struct pmk_linux_pmu *pmu, const char *name)
{
	const struct pmk_linux_pmu *core = pmk_linux_core(s->all);
	struct words w = { .room = 4096 };
	struct pmk_nearest near;
	char text[256] = "";

	w.word = calloc(w.room, sizeof(*w.word));
	pmk_nearest_init(&near, name);
	if (w.word && pmu) {
		offer_pmu(&w, &near, pmu);
	} else if (w.word) {
		if (core)
			offer_pmu(&w, &near, core);
		offer_pmu(&w, &near, pmk_linux_pmu_find(s->all, "hardware"));
		offer_pmu(&w, &near, pmk_linux_pmu_find(s->all, "software"));
	}
	pmk_nearest_text(&near, text, sizeof(text));
	free(w.word);
	if (*text)
		return pmk_message_fail(s->msg, s->size, PMK_ENOEVENT,
					"%s has no event '%s'; did you mean %s?",
					pmu ? pmu->name : "this machine", name, text);
	return pmk_message_fail(s->msg, s->size, PMK_ENOEVENT,
				"%s has no event '%s'; a code is written r11 or %s/event=0x11/",
				pmu ? pmu->name : "this machine", name, pmu ? pmu->name : "PMU");
}

static int unknown_pmu(const struct search *s, const char *name)
{
	struct pmk_nearest near;
	char text[256];

	pmk_nearest_init(&near, name);
	for (unsigned i = 0; i < s->all->count; i++)
		pmk_nearest_offer(&near, s->all->list[i].name);
	pmk_nearest_text(&near, text, sizeof(text));
	return pmk_message_fail(s->msg, s->size, PMK_ENOEVENT,
				"'%s': this machine has no PMU '%s'%s%s%s", s->name, name,
				*text ? "; did you mean " : " (ls /sys/bus/event_source/devices)",
				text, *text ? "?" : "");
}

/* Find pmu/…/ or pmu::…; `at` is the end of the PMU's name, `rest` the text after it. */
static int find_qualified(const struct search *s, size_t at, const char *rest,
			  const struct pmk_linux_event **out)
{
	char name[MAX_NAME], inner[MAX_NAME];
	const struct pmk_linux_pmu *pmu;
	struct pmk_linux_format f;
	struct pmk_linux_event ev;
	size_t n = strlen(rest);
	int err;

	if (n && rest[n - 1] == '/' && s->name[at] == '/')
		n--;
	if (at >= sizeof(name) || n >= sizeof(inner))
		return pmk_message_fail(s->msg, s->size, PMK_ENOEVENT, "event '%.40s…' is too long",
					s->name);
	snprintf(name, sizeof(name), "%.*s", (int)at, s->name);
	snprintf(inner, sizeof(inner), "%.*s", (int)n, rest);
	pmu = pmk_linux_pmu_find(s->all, name);
	if (!pmu)
		return unknown_pmu(s, name);
	if (!*inner)
		return pmk_message_fail(s->msg, s->size, PMK_ENOEVENT,
					"event '%s' names a PMU and no event", s->name);
	err = find_in(s, pmu, inner, out);
	if (err <= 0)
		return err;
	if (!strpbrk(inner, "=,") && !find_format(pmk_linux_full(pmu), inner, &f))
		return unknown_name(s, pmu, inner);
	ev = event_of(pmu);
	err = take_terms(s, pmk_linux_full(pmu), &ev, inner, true);
	return err ? err : keep_event(s, &ev, NULL, out);
}

/* Make the event of a code, on the core PMU. If the machine has no core PMU, the event gets perf's
 * type for such codes. */
static int find_raw(const struct search *s, const struct pmk_linux_pmu *core, uint64_t code,
		    const struct pmk_linux_event **out)
{
	struct pmk_linux_event ev = event_of(core ? core : pmk_linux_pmu_find(s->all, "hardware"));

	if (!core)
		ev.type = PERF_TYPE_RAW;
	ev.config = code;
	ev.by_code = true;
	return keep_event(s, &ev, NULL, out);
}

/*
 * Find an event by a name without a PMU. pmk's catalogue of the core also has the generic names, as
 * aliases of the core's events. Without a catalogue of the core, the kernel resolves a generic
 * name, and the core's own list of events is searched after the generic names.
 */
static int find_plain(const struct search *s, const struct pmk_linux_pmu *prefer,
		      const struct pmk_linux_event **out)
{
	const struct pmk_linux_pmu *core = prefer ? prefer : pmk_linux_core(s->all);
	bool first = prefer || (core && core->known);
	const struct pmk_linux_pmu *const order[] = {
		first ? core : NULL,
		pmk_linux_pmu_find(s->all, "software"),
		pmk_linux_pmu_find(s->all, "hardware"),
		first ? NULL : core,
	};
	uint64_t code;
	int err = 1;

	if (raw_code(s->name, &code))
		err = find_raw(s, core, code, out);
	for (unsigned i = 0; i < 4 && err == 1; i++)
		if (order[i])
			err = find_in(s, order[i], s->name, out);
	if (err == 1)
		err = find_cache(s, out);
	if (err == 1)
		return unknown_name(s, NULL, s->name);
	if (!err) /* all->made is the newest event, which is *out */
		s->all->made->event.any_core = !prefer && !(*out)->pmu->software;
	return err;
}

int pmk_linux_find(struct pmk_linux_pmus *all, const struct pmk_linux_pmu *prefer, const char *name,
		   const struct pmk_linux_event **out, char *msg, size_t size)
{
	const struct search s = { all, name, msg, size };
	const char *slash = strchr(name, '/'), *colons = strstr(name, "::");

	*out = NULL;
	if (slash)
		return find_qualified(&s, (size_t)(slash - name), slash + 1, out);
	if (colons)
		return find_qualified(&s, (size_t)(colons - name), colons + 2, out);
	return find_plain(&s, prefer, out);
}

/* Returns generic event `ev` for the cores of `pmu`. On a machine with several kinds of cores, the
 * kernel expects the type of the core's PMU in the upper half of config. */
static const struct pmk_linux_event *generic_on(const struct search *s,
						const struct pmk_linux_event *ev,
						const struct pmk_linux_pmu *pmu)
{
	struct pmk_linux_event other = *ev;
	const struct pmk_linux_event *out;

	other.pmu = pmu;
	other.config |= (uint64_t)pmu->type << 32;
	return keep_event(s, &other, ev->row, &out) ? NULL : out;
}

const struct pmk_linux_event *pmk_linux_on(struct pmk_linux_pmus *all,
					   const struct pmk_linux_event *ev,
					   const struct pmk_linux_pmu *pmu)
{
	const struct pmk_linux_event *out = NULL;
	char msg[256];
	const struct search s = { all, ev->row->name, msg, sizeof(msg) };

	if (pmu == ev->pmu)
		return ev;
	if (ev->by_code)
		return find_raw(&s, pmu, ev->config, &out) ? NULL : out;
	if (ev->type == PERF_TYPE_HARDWARE || ev->type == PERF_TYPE_HW_CACHE)
		return generic_on(&s, ev, pmu);
	return find_in(&s, pmu, ev->row->name, &out) ? NULL : out;
}
