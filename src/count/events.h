/* SPDX-License-Identifier: MIT */
/* Lists of events by their names, in the syntax of perf: a,b,{c,d}:u,r0b,pmu/event/,dcache_*,
 * all */
#ifndef PMK_COUNT_EVENTS_H
#define PMK_COUNT_EVENTS_H

#include <stdbool.h>

#include <pmk/pmu.h>
#include <pmk/session.h>

#include "count/error.h"

/*
 * Returns the event for the text that the user typed: a name, an alias, r0b, pmu/event/ or
 * pmu::event, without modifiers. NULL: a failure, whose text suggests the nearest names.
 */
const struct pmk_event *pmk_event_named(const struct pmk_pmu *pmu, const char *text,
					struct pmk_count_fault *f);

/* Reads the code of an event: r0b, 0x0b or event=0x0b. Returns false if the text has none of these
 * forms. A code that does not fit becomes UINT_MAX. */
bool pmk_event_code(const char *text, unsigned *code);

struct pmk_event_request {
	const struct pmk_event *event;
	char *name;	   /* as typed, including modifiers */
	unsigned group;	   /* 0 = none */
	bool user, kernel; /* :u, :k given */
	const void *how;   /* private data of the list's `find`, which sets it */
};

/* The longest possible list. Most ways to count accept PMK_MAX_EVENTS, as sessions do. */
#define PMK_MOST_EVENTS 8192

struct pmk_event_list {
	struct pmk_event_request item[PMK_MOST_EVENTS];
	unsigned count, groups;
	unsigned limit;		       /* maximum length; 0: PMK_MAX_EVENTS */
	struct pmk_count_fault *fault; /* where the functions below store a failure; not NULL */
	/* Looks up a name without modifiers and sets req->event. Returns 0 or a failure. NULL: the
	 * list uses pmk_event_named(), so it can only have events of its PMU. */
	int (*find)(void *ctx, const char *name, struct pmk_event_request *req);
	/* Returns the names that a pattern (dcache_*) is matched with, one by one, and NULL at the
	 * end. If the member is NULL, the list uses the names of its PMU. */
	const char *(*name)(const void *ctx, unsigned i);
	void *ctx;
};

/* Append the events of one text. Returns 0 or a failure. */
int pmk_event_list_parse(struct pmk_event_list *list, const struct pmk_pmu *pmu, const char *text);
/* Append one event unless it is in the list already. Returns 0 or a failure. */
int pmk_event_list_add(struct pmk_event_list *list, const struct pmk_event *ev, const char *name);
const struct pmk_event_request *pmk_event_list_find(const struct pmk_event_list *list,
						    const struct pmk_event *ev);
void pmk_event_list_free(struct pmk_event_list *list);

#endif
