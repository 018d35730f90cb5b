// SPDX-License-Identifier: MIT
/* Reads both sides of pmk diff: opens them, chooses the events, and has their rows added. */
#define _GNU_SOURCE
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>
#include <pmk/pmu.h>

#include "base/file.h"
#include "base/grow.h"
#include "cli/cli.h"
#include "cli/diff_source.h"
#include "cli/recorded.h"
#include "profile/recording/choose.h"

/* ---- rows ----------------------------------------------------------------------------------- */

uint64_t diff_hash(const char *text)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001B3);
	return hash;
}

size_t diff_row_add(struct diff *d, enum diff_kind kind, const char *key)
{
	uint64_t hash = diff_hash(key) + kind;
	struct diff_row *r;

	if (!PMK_GROW(d->row, d->nrows, d->room))
		return DIFF_NO_ROW;
	for (;; hash++) {
		uint32_t i = pmk_map_put(&d->rows, hash, (uint32_t)d->nrows);

		if (i == UINT32_MAX)
			return DIFF_NO_ROW;
		r = &d->row[i];
		if (i < d->nrows && r->kind == kind && !strcmp(r->key, key))
			return i;
		if (i < d->nrows)
			continue;
		*r = (struct diff_row){
			.kind = kind,
			.key = strdup(key),
			.value = calloc((d->nevents + 1) * DIFF_SIDES, sizeof(*r->value)),
		};
		d->nrows++;
		return r->key && r->value ? i : DIFF_NO_ROW;
	}
}

bool diff_row_describe(struct diff_row *r, const struct diff_source *s, const char *name,
		       const char *file, uint32_t line)
{
	free(r->name);
	free(r->file);
	r->name = name ? strdup(name) : NULL;
	r->file = file ? strdup(file) : NULL;
	r->line[s->which] = line;
	r->there[s->which] = true;
	return (r->name || !name) && (r->file || !file);
}

void diff_free(struct diff *d)
{
	for (size_t i = 0; i < d->nrows; i++) {
		free(d->row[i].key);
		free(d->row[i].name);
		free(d->row[i].file);
		free(d->row[i].was);
		free(d->row[i].value);
	}
	free(d->row);
	free(d->part);
	pmk_tree_free(&d->paths);
	pmk_map_free(&d->rows);
	for (size_t i = 0; i < d->nevents; i++)
		free(d->event[i]);
	free(d->event);
	diff_limits_free(d);
	for (unsigned i = 0; i < DIFF_SIDES; i++) {
		free(d->command[i]);
		free(d->core[i]);
		free(d->checked[i]);
		free(d->warning[i]);
		free(d->note[i]);
	}
}

/* ---- events --------------------------------------------------------------------------------- */

const char *diff_catalogue_name(const char *name, const char *pmu)
{
	const struct pmk_pmu *p = pmu ? pmk_pmu_find(pmu) : NULL;
	const struct pmk_event *e = p ? pmk_pmu_event(p, name) : NULL;

	return e ? e->name : name;
}

/* Cores of one family have the same events but different names: cortex-a53, cortex-a72. */
static bool is_same_pmu(const char *a, const char *b)
{
	const struct pmk_pmu *one = a ? pmk_pmu_find(a) : NULL, *other = b ? pmk_pmu_find(b) : NULL;

	return one && other ? one->driver == other->driver : !strcmp(a ? a : "", b ? b : "");
}

const struct diff_event *diff_find_event(const struct diff_source *s, const char *name,
					 const char *pmu)
{
	for (size_t i = 0; i < s->nevents; i++)
		if (!strcmp(s->event[i].name, name) && is_same_pmu(s->event[i].pmu, pmu))
			return &s->event[i];
	return NULL;
}

static bool is_called(const struct diff_event *e, const char *name)
{
	struct pmk_tables_event named = { .name = e->name, .pmu = e->pmu };

	return pmk_tables_event_is(&named, name);
}

static int add_event(struct diff *d, const struct diff_event *e)
{
	for (size_t i = 0; i < d->nevents; i++)
		if (!strcmp(d->event[i], e->name))
			return 0;
	d->event[d->nevents] = strdup(e->name);
	if (!d->event[d->nevents])
		return cli_no_memory();
	d->nevents++;
	return 0;
}

/* A named event must be on both sides, because otherwise a gate would pass without it. */
static int choose_named(struct diff *d, const struct diff_source *s, const char *option,
			const char *name)
{
	const struct diff_source *without = &s[DIFF_BASE];
	struct pmk_nearest nearest;
	const char *near;
	bool found = false;
	int code = 0;

	for (size_t i = 0; i < s[DIFF_BASE].nevents && !code; i++) {
		const struct diff_event *e = &s[DIFF_BASE].event[i];

		if (!is_called(e, name))
			continue;
		without = &s[DIFF_NEW];
		if (diff_find_event(&s[DIFF_NEW], e->name, e->pmu)) {
			found = true;
			code = add_event(d, e);
		}
	}
	if (code || found)
		return code;
	pmk_nearest_init(&nearest, name);
	for (size_t i = 0; i < without->nevents; i++)
		pmk_nearest_offer(&nearest, without->event[i].name);
	near = cli_near(&nearest);
	if (!strcmp(near, name))
		return cli_fail(PMK_EXIT_USAGE,
				"%s: '%s' belongs to different PMUs in %s and in %s", option, name,
				s[DIFF_NEW].path, s[DIFF_BASE].path);
	if (*near)
		return cli_fail(PMK_EXIT_USAGE,
				"%s: no event '%s' with a value in %s; did you mean %s?", option,
				name, without->path, near);
	return cli_fail(PMK_EXIT_USAGE, "%s: no event '%s' with a value in %s", option, name,
			without->path);
}

static void report_missing(const struct diff_source *has, const struct diff_source *lacks)
{
	for (size_t i = 0; i < has->nevents; i++)
		if (!diff_find_event(lacks, has->event[i].name, has->event[i].pmu))
			cli_fail(0, "%s has a value only in %s; it is not compared",
				 has->event[i].name, has->path);
}

static void put_cycles_first(struct diff *d, const struct pmk_tables *t)
{
	struct pmk_choice cycles = { 0 };
	size_t i = d->nevents;

	if (!pmk_choice_cycles(&cycles, t) && cycles.n)
		i = diff_event_number(d, pmk_tables_event_name(t, cycles.event[0]));
	pmk_choice_free(&cycles);
	for (; i < d->nevents && i; i--) {
		char *before = d->event[i - 1];

		d->event[i - 1] = d->event[i];
		d->event[i] = before;
	}
}

static int choose_events(struct diff *d, const struct diff_source *s, const char *list)
{
	char *words, *save = NULL;
	int code = 0;

	d->event = calloc(s[DIFF_BASE].nevents + 1, sizeof(*d->event));
	words = strdup(list ? list : "");
	if (!d->event || !words) {
		free(words);
		return cli_no_memory();
	}
	for (char *w = strtok_r(words, ",", &save); w && !code; w = strtok_r(NULL, ",", &save))
		code = choose_named(d, s, "-e", w);
	free(words);
	if (list && !code && !d->nevents)
		code = cli_fail(PMK_EXIT_USAGE, "-e: the list is empty");
	if (list || code)
		return code;
	for (size_t i = 0; i < s[DIFF_BASE].nevents && !code; i++) {
		const struct diff_event *e = &s[DIFF_BASE].event[i];

		/* Executions are compared only if -e requests them. */
		if (e->index != PMK_TABLES_EXECUTIONS &&
		    diff_find_event(&s[DIFF_NEW], e->name, e->pmu))
			code = add_event(d, e);
	}
	if (!code && d->by_path && s[DIFF_BASE].recording)
		put_cycles_first(d, &s[DIFF_BASE].t);
	if (d->nevents) {
		report_missing(&s[DIFF_BASE], &s[DIFF_NEW]);
		report_missing(&s[DIFF_NEW], &s[DIFF_BASE]);
	}
	if (!code && !d->nevents)
		code = cli_fail(PMK_EXIT_USAGE,
				"%s and %s have no event in common; count the same events in both",
				s[0].path, s[1].path);
	return code;
}

/* Adds the events of --limit to the events that are compared, and finds their indices. */
static int choose_limited(struct diff *d, const struct diff_source *s)
{
	int code = 0;

	for (size_t i = 0; i < d->nlimits && !code; i++) {
		struct diff_limit *limit = &d->limit[i];

		limit->event = DIFF_ALL_EVENTS;
		if (!limit->event_name)
			continue;
		code = choose_named(d, s, "--limit", limit->event_name);
		for (size_t j = 0; j < s[DIFF_BASE].nevents; j++)
			if (is_called(&s[DIFF_BASE].event[j], limit->event_name))
				limit->event = diff_event_number(d, s[DIFF_BASE].event[j].name);
	}
	return code;
}

size_t diff_event_number(const struct diff *d, const char *name)
{
	size_t i = 0;

	while (i < d->nevents && strcmp(d->event[i], name))
		i++;
	return i;
}

/* ---- both ----------------------------------------------------------------------------------- */

static int open_side(struct diff_source *s)
{
	const char *why;
	FILE *f = pmk_file_open(s->path, false, &why);

	if (!f)
		return cli_fail(PMK_EXIT_FAILED, "%s: cannot be read: %s", s->path, why);
	fclose(f);
	return recorded_is(s->path) ? diff_open_recording(s) : diff_open_document(s);
}

/* Copies a fact of a side, "" if the side does not have it. */
static bool copy_fact(char **to, const struct diff_source *s, const char *recorded, const char *key)
{
	const char *text = s->recording ? recorded : diff_json_text(s->document, key);

	*to = strdup(text ? text : "");
	return *to;
}

static int copy_facts(struct diff *d, const struct diff_source *s)
{
	unsigned i = s->which;

	if (s->recording ? s->t.partial : diff_json_is_true(s->document, "partial"))
		cli_fail(0, "%s is partial: a part of the run was not counted", s->path);
	return copy_fact(&d->command[i], s, s->t.command, "command") &&
			       copy_fact(&d->core[i], s, s->t.core, "core") &&
			       copy_fact(&d->checked[i], s, s->t.checked, "checked") &&
			       copy_fact(&d->warning[i], s, s->t.warning, "warning") &&
			       copy_fact(&d->note[i], s, s->t.note, "note")
		       ? 0
		       : cli_no_memory();
}

static int read_sides(struct diff *d, struct diff_source *s, const char *events)
{
	int code = open_side(&s[DIFF_BASE]);

	if (!code)
		code = open_side(&s[DIFF_NEW]);
	if (code)
		return code;
	if (s[DIFF_BASE].recording != s[DIFF_NEW].recording)
		return cli_fail(
			PMK_EXIT_USAGE,
			"%s is a recording, but %s is not; compare two recordings or two results "
			"of pmk stat",
			s[s[DIFF_NEW].recording].path, s[s[DIFF_BASE].recording].path);
	for (unsigned i = 0; i < DIFF_SIDES && !code; i++)
		code = copy_facts(d, &s[i]);
	if (!code)
		code = choose_events(d, s, events);
	if (!code)
		code = choose_limited(d, s);
	/* Lines do not contain the core. */
	if (!code && *d->core[DIFF_BASE] && *d->core[DIFF_NEW] &&
	    strcmp(d->core[DIFF_BASE], d->core[DIFF_NEW]))
		cli_fail(0, "the cores differ: %s and %s", d->core[DIFF_BASE], d->core[DIFF_NEW]);
	/* The first row has the counts of the whole run. */
	if (!code && diff_row_add(d, DIFF_TOTAL, "") == DIFF_NO_ROW)
		code = cli_no_memory();
	for (unsigned i = 0; i < DIFF_SIDES && !code; i++) {
		d->row[0].there[i] = true;
		if (!s[i].recording)
			code = diff_sum_document(&s[i]);
	}
	if (!code && s[DIFF_BASE].recording)
		code = diff_sum_recordings(s);
	return code;
}

int diff_read(struct diff *d, const char *events)
{
	struct diff_source s[DIFF_SIDES] = {
		{ .which = DIFF_BASE, .path = d->path[DIFF_BASE], .d = d },
		{ .which = DIFF_NEW, .path = d->path[DIFF_NEW], .d = d },
	};
	int code = read_sides(d, s, events);

	if (!code)
		code = diff_check_places(d);
	diff_source_close(&s[DIFF_BASE]);
	diff_source_close(&s[DIFF_NEW]);
	return code;
}
