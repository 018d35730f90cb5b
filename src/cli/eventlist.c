// SPDX-License-Identifier: MIT
/* Parsing -e. See eventlist.h. A name itself is the business of cli_event(). */
#include "cli/eventlist.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int append(struct event_list *list, struct event_request req, const char *name, size_t len)
{
	if (list->count == PMK_MAX_EVENTS)
		return cli_fail(PMK_EXIT_USAGE, "more than %d events", PMK_MAX_EVENTS);
	req.name = strndup(name, len);
	if (!req.name)
		return cli_fail(PMK_EXIT_FAILED, "out of memory");
	list->item[list->count++] = req;
	return 0;
}

const struct event_request *event_list_find(const struct event_list *list,
					    const struct pmk_event *ev)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->item[i].event == ev)
			return &list->item[i];
	return NULL;
}

int event_list_add(struct event_list *list, const struct pmk_event *ev, const char *name)
{
	if (event_list_find(list, ev))
		return 0;
	return append(list, (struct event_request){ .event = ev }, name, strlen(name));
}

/* A MicroBlaze may have been built without event counters: then these are those with a latency. */
static int add_all(struct event_list *list, const struct pmk_pmu *pmu, struct event_request req)
{
	for (unsigned i = 0; i < pmu->nevents; i++) {
		const char *name = pmu->events[i].name;
		int err = 0;

		req.event = &pmu->events[i];
		if (pmk_pmu_has(pmu, req.event) && pmk_pmu_range(pmu, req.event->code) &&
		    !event_list_find(list, req.event))
			err = append(list, req, name, strlen(name));
		if (err)
			return err;
	}
	return 0;
}

/* The modifiers behind the last colon of [text, text + len), or behind the second slash of
 * "pmu/event/u": cuts them off. "pmu::event" has colons of its own: two are none. */
static int take_modifiers(const char *text, size_t *len, struct event_request *req)
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
			return cli_fail(PMK_EXIT_USAGE,
					"event '%.*s': unknown modifier '%c' (known: u, k, h)",
					(int)*len, text, text[i]);
		req->user |= text[i] == 'u';
		req->kernel |= text[i] == 'k' || text[i] == 'h';
	}
	*len = closed ? at : at - 1;
	return 0;
}

static int find(const struct event_list *list, const struct pmk_pmu *pmu, const char *name,
		struct event_request *req)
{
	if (list->find)
		return list->find(list->ctx, name, req);
	req->event = cli_event(pmu, name);
	return req->event ? 0 : PMK_EXIT_USAGE;
}

static int parse_event(struct event_list *list, const struct pmk_pmu *pmu, const char *text,
		       size_t len, struct event_request req)
{
	size_t bare = len;
	char *name;
	int err = take_modifiers(text, &bare, &req);

	if (err)
		return err;
	if (!bare)
		return cli_fail(PMK_EXIT_USAGE, "empty event name in the event list");
	name = strndup(text, bare);
	if (!name)
		return cli_fail(PMK_EXIT_FAILED, "out of memory");
	if (!strcmp(name, "all")) {
		err = add_all(list, pmu, req);
	} else {
		err = find(list, pmu, name, &req);
		if (!err)
			err = append(list, req, text, len);
	}
	free(name);
	return err;
}

/* The next comma that separates: not inside braces and not inside pmu/…/. */
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

static int parse_group(struct event_list *list, const struct pmk_pmu *pmu, const char *text,
		       size_t len)
{
	struct event_request req = { .group = ++list->groups };
	size_t inner = len, end = 1 + strcspn(text + 1, "{}");
	int err = take_modifiers(text, &inner, &req);

	if (err)
		return err;
	if (end >= len)
		return cli_fail(PMK_EXIT_USAGE, "event group '%.*s' has no closing brace", (int)len,
				text);
	if (text[end] == '{')
		return cli_fail(PMK_EXIT_USAGE, "event group '%.*s': groups do not nest", (int)len,
				text);
	if (end != inner - 1)
		return cli_fail(PMK_EXIT_USAGE,
				"event group '%.*s': behind the brace comes a comma or a modifier "
				"(:u, :k, :h)",
				(int)len, text);
	/* Between the braces as outside: words and commas, none of them empty. */
	for (size_t at = 1;; at++) {
		size_t n = strcspn(text + at, ",}");

		err = parse_event(list, pmu, text + at, n, req);
		at += n;
		if (err || at >= inner - 1)
			return err;
	}
}

int event_list_parse(struct event_list *list, const struct pmk_pmu *pmu, const char *text)
{
	for (;;) {
		size_t len = word_length(text);
		int err = *text == '{'
				  ? parse_group(list, pmu, text, len)
				  : parse_event(list, pmu, text, len, (struct event_request){ 0 });

		if (err || !text[len])
			return err;
		text += len + 1;
	}
}

void event_list_free(struct event_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		free(list->item[i].name);
	list->count = 0;
}
