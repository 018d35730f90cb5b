// SPDX-License-Identifier: MIT
/* Finds events by their names, and reads lists of events. See events.h. */
#include "count/events.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "count/words.h"

/* ---- one event ------------------------------------------------------------------------------- */

#define MAX_EVENT 128

static void nearest_events(const struct pmk_pmu *pmu, const char *name, char *buf, size_t size)
{
	struct pmk_words names = { 0 };
	bool all = true;

	for (unsigned i = 0; all && i < pmu->nevents; i++) {
		const struct pmk_event *ev = &pmu->events[i];
		const char *at = pmk_pmu_has(pmu, ev) ? ev->aliases : NULL;

		all = !pmk_pmu_has(pmu, ev) || pmk_words_add(&names, ev->name);
		while (all && at && *at) {
			size_t n = strcspn(at, " ");

			all = pmk_words_add_part(&names, at, n);
			at += n + strspn(at + n, " ");
		}
	}
	*buf = '\0';
	if (all && names.word)
		pmk_nearest_among(name, pmk_words_next, names.word, buf, size);
	pmk_words_free(&names);
}

bool pmk_event_code(const char *text, unsigned *code)
{
	const char *digits;
	uint64_t v;
	int err;

	if (strncmp(text, "event=", 6) == 0)
		text += 6;
	digits = text[0] == 'r' || text[0] == 'R'			? text + 1
		 : text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? text + 2
									: NULL;
	if (!digits)
		return false;
	err = pmk_number_parse(digits, 16, 0, UINT_MAX, &v);
	*code = err ? UINT_MAX : (unsigned)v;
	return err != PMK_EPARSE;
}

/* Remove the PMU from pmu/event/ and pmu::event, and check that it names `pmu`. */
static bool strip_pmu(const struct pmk_pmu *pmu, const char *text, char *name, size_t size,
		      struct pmk_count_fault *f)
{
	const char *slash = strchr(text, '/'), *colons = strstr(text, "::");
	const char *begin = slash ? slash + 1 : colons ? colons + 2 : text;
	size_t n = strlen(begin), prefix = slash    ? (size_t)(slash - text)
					   : colons ? (size_t)(colons - text)
						    : 0;
	const struct pmk_pmu *named;
	char other[MAX_EVENT];

	if (slash && n && begin[n - 1] == '/')
		n--;
	snprintf(name, size, "%.*s", n < size ? (int)n : (int)size - 1, begin);
	if (begin == text)
		return true;
	snprintf(other, sizeof(other), "%.*s", prefix < sizeof(other) ? (int)prefix : MAX_EVENT - 1,
		 text);
	named = pmk_pmu_find(other);
	/* A configured copy of the PMU has the same name but is another struct. */
	if (named && !strcmp(named->name, pmu->name))
		return true;
	pmk_count_refuse(f,
			 named ? "'%s' is an event of %s, but %s does the counting"
			       : "'%s': there is no PMU '%s'; %s does the counting",
			 text, named ? named->name : other, pmu->name);
	return false;
}

/* Returns the first PMU that has the event; NULL: none. Sets *alone to true if no other PMU has
 * it. */
static const struct pmk_pmu *owner_pmu(const char *name, bool *alone)
{
	const struct pmk_pmu *first = NULL;

	*alone = true;
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		if (!pmk_pmu_event(pmk_pmus[i], name))
			continue;
		*alone = !first;
		first = first ? first : pmk_pmus[i];
	}
	return first;
}

/* Writes where the user finds all events of a PMU. A PMU that is built from a dump's map is not
 * listed by 'pmk list events'. */
static const char *where_all(const struct pmk_pmu *pmu, char *buf, size_t size)
{
	if (pmk_pmu_find(pmu->name))
		snprintf(buf, size, "'pmk list events --pmu %s' shows all", pmu->name);
	else
		snprintf(buf, size, "`event` all counts all");
	return buf;
}

const struct pmk_event *pmk_event_named(const struct pmk_pmu *pmu, const char *text,
					struct pmk_count_fault *f)
{
	const struct pmk_event *ev;
	const struct pmk_pmu *other;
	char name[MAX_EVENT], near[256], all[120];
	unsigned code;
	bool alone;

	if (!strip_pmu(pmu, text, name, sizeof(name), f))
		return NULL;
	ev = pmk_pmu_event(pmu, name);
	if (!ev && pmk_event_code(name, &code)) {
		ev = pmk_pmu_event_code(pmu, code);
		if (code == UINT_MAX)
			pmk_count_refuse(f, "%.40s%s is too large for the code of an event", name,
					 strlen(name) > 40 ? "…" : "");
		else if (!ev)
			pmk_count_refuse(f, "%s has no event with code 0x%02x; %s", pmu->name, code,
					 where_all(pmu, all, sizeof(all)));
		return ev;
	}
	if (ev)
		return ev;
	nearest_events(pmu, name, near, sizeof(near));
	other = owner_pmu(name, &alone);
	if (other)
		pmk_count_refuse(f, "%s has no event '%s', which belongs to %s; %s", pmu->name,
				 name, alone ? other->name : "other PMUs",
				 where_all(pmu, all, sizeof(all)));
	else if (*near)
		pmk_count_refuse(f, "%s has no event '%s'; did you mean %s?", pmu->name, name,
				 near);
	else
		pmk_count_refuse(f, "%s has no event '%s'; %s", pmu->name, name,
				 where_all(pmu, all, sizeof(all)));
	return NULL;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int append_event(struct pmk_event_list *list, struct pmk_event_request req, const char *name,
			size_t len)
{
	unsigned limit = list->limit ? list->limit : PMK_MAX_EVENTS;

	if (list->count == limit)
		return pmk_count_refuse(list->fault,
					"the list has more than %u events; request fewer", limit);
	req.name = strndup(name, len);
	if (!req.name)
		return pmk_count_no_memory(list->fault);
	list->item[list->count++] = req;
	return 0;
}

const struct pmk_event_request *pmk_event_list_find(const struct pmk_event_list *list,
						    const struct pmk_event *ev)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->item[i].event == ev)
			return &list->item[i];
	return NULL;
}

int pmk_event_list_add(struct pmk_event_list *list, const struct pmk_event *ev, const char *name)
{
	if (pmk_event_list_find(list, ev))
		return 0;
	return append_event(list, (struct pmk_event_request){ .event = ev }, name, strlen(name));
}

/* Add all events of the PMU, for the name `all`. On a MicroBlaze without event counters, these are
 * the events with a latency. */
static int add_all(struct pmk_event_list *list, const struct pmk_pmu *pmu,
		   struct pmk_event_request req)
{
	for (unsigned i = 0; i < pmu->nevents; i++) {
		const char *name = pmu->events[i].name;
		int err = 0;

		req.event = &pmu->events[i];
		if (pmk_pmu_has(pmu, req.event) && pmk_pmu_range(pmu, req.event->code) &&
		    !pmk_event_list_find(list, req.event))
			err = append_event(list, req, name, strlen(name));
		if (err)
			return err;
	}
	return 0;
}

/* Cut off the modifiers: the text after the last colon of [text, text + len), or after the second
 * slash of "pmu/event/u". The two colons of "pmu::event" do not begin modifiers. */
static int take_modifiers(const struct pmk_event_list *list, const char *text, size_t *len,
			  struct pmk_event_request *req)
{
	size_t at = *len;
	bool closed;

	while (at > 0 && text[at - 1] != ':' && text[at - 1] != '/' && text[at - 1] != '}')
		at--;
	if (at == 0 || at == *len || (at > 1 && text[at - 1] == ':' && text[at - 2] == ':'))
		return 0;
	closed = text[at - 1] == '/' && memchr(text, '/', at - 1);
	if (text[at - 1] != ':' && !closed)
		return 0;
	for (size_t i = at; i < *len; i++) {
		if (!strchr("ukh", text[i]))
			return pmk_count_refuse(
				list->fault, "event '%.*s': unknown modifier '%c' (known: u, k, h)",
				(int)*len, text, text[i]);
		req->user |= text[i] == 'u';
		req->kernel |= text[i] == 'k' || text[i] == 'h';
	}
	*len = closed ? at : at - 1;
	return 0;
}

static int find_event(const struct pmk_event_list *list, const struct pmk_pmu *pmu,
		      const char *name, struct pmk_event_request *req)
{
	if (list->find)
		return list->find(list->ctx, name, req);
	req->event = pmk_event_named(pmu, name, list->fault);
	return req->event ? 0 : PMK_COUNT_USAGE;
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[") && !strchr(name, '/');
}

/* Returns name i that a pattern can match, or "" if event i cannot be counted. NULL: there are
 * no more. */
static const char *countable_name(const struct pmk_event_list *list, const struct pmk_pmu *pmu,
				  unsigned i)
{
	const struct pmk_event *ev;

	if (list->name)
		return list->name(list->ctx, i);
	if (i >= pmu->nevents)
		return NULL;
	ev = &pmu->events[i];
	return pmk_pmu_has(pmu, ev) && pmk_pmu_range(pmu, ev->code) ? ev->name : "";
}

static bool is_listed(const struct pmk_event_list *list, const char *name)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!strcmp(list->item[i].name, name))
			return true;
	return false;
}

/* Add all events whose names match, except those that are already in the list. */
static int add_matching(struct pmk_event_list *list, const struct pmk_pmu *pmu, const char *pattern,
			struct pmk_event_request req)
{
	const char *name;
	char all[120];
	bool any = false;

	for (unsigned i = 0; (name = countable_name(list, pmu, i)); i++) {
		struct pmk_event_request one = req;
		int err = 0;

		if (!*name || fnmatch(pattern, name, 0))
			continue;
		any = true;
		if (!is_listed(list, name))
			err = find_event(list, pmu, name, &one);
		if (!err && !is_listed(list, name))
			err = append_event(list, one, name, strlen(name));
		if (err)
			return err;
	}
	return any ? 0
		   : pmk_count_refuse(list->fault, "no event matches '%s'; %s", pattern,
				      where_all(pmu, all, sizeof(all)));
}

static int parse_event(struct pmk_event_list *list, const struct pmk_pmu *pmu, const char *text,
		       size_t len, struct pmk_event_request req)
{
	size_t bare = len;
	char *name;
	int err = take_modifiers(list, text, &bare, &req);

	if (err)
		return err;
	if (!bare)
		return pmk_count_refuse(list->fault, "empty event name in the event list");
	name = strndup(text, bare);
	if (!name)
		return pmk_count_no_memory(list->fault);
	if (!strcmp(name, "all")) {
		err = add_all(list, pmu, req);
	} else if (is_pattern(name)) {
		err = add_matching(list, pmu, name, req);
	} else {
		err = find_event(list, pmu, name, &req);
		if (!err)
			err = append_event(list, req, text, len);
	}
	free(name);
	return err;
}

/* Returns the length up to the next comma that is not inside braces or pmu/…/. */
static size_t word_length(const char *text)
{
	bool brace = false, slash = false;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (text[i] == ',' && !brace && !slash)
			break;
		if (text[i] == '{' || text[i] == '}')
			brace = text[i] == '{';
		slash ^= text[i] == '/';
	}
	return i;
}

static int parse_group(struct pmk_event_list *list, const struct pmk_pmu *pmu, const char *text,
		       size_t len)
{
	struct pmk_event_request req = { .group = ++list->groups };
	size_t inner = len, end = 1 + strcspn(text + 1, "{}");
	int err = take_modifiers(list, text, &inner, &req);

	if (err)
		return err;
	if (end >= len)
		return pmk_count_refuse(list->fault, "event group '%.*s' has no closing brace",
					(int)len, text);
	if (text[end] == '{')
		return pmk_count_refuse(list->fault, "event group '%.*s': groups do not nest",
					(int)len, text);
	if (end != inner - 1)
		return pmk_count_refuse(list->fault,
					"event group '%.*s': after the brace there must be a comma "
					"or a modifier (:u, :k, :h)",
					(int)len, text);
	/* Braces contain words and commas, like a list without braces; no word may be empty. */
	for (size_t at = 1;; at++) {
		size_t n = strcspn(text + at, ",}");

		err = parse_event(list, pmu, text + at, n, req);
		at += n;
		if (err || at >= inner - 1)
			return err;
	}
}

int pmk_event_list_parse(struct pmk_event_list *list, const struct pmk_pmu *pmu, const char *text)
{
	for (;;) {
		size_t len = word_length(text);
		int err = *text == '{' ? parse_group(list, pmu, text, len)
				       : parse_event(list, pmu, text, len,
						     (struct pmk_event_request){ 0 });

		if (err || !text[len])
			return err;
		text += len + 1;
	}
}

void pmk_event_list_free(struct pmk_event_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		free(list->item[i].name);
	list->count = 0;
}
