/* SPDX-License-Identifier: MIT */
/* What is to be counted, by names. perf's syntax: a,b,{c,d}:u,r0b,pmu/event/,all */
#ifndef PMK_COUNT_EVENTS_H
#define PMK_COUNT_EVENTS_H

#include <stdbool.h>

#include <pmk/pmu.h>
#include <pmk/session.h>

#include "count/error.h"

/*
 * The event row for what the user typed: name, alias, r0b, pmu/event/, pmu::event, without
 * modifiers. NULL: a failure that names the nearest ones.
 */
const struct pmk_event *pmk_event_named(const struct pmk_pmu *pmu, const char *text,
					struct pmk_count_fault *f);

struct pmk_event_request {
	const struct pmk_event *event;
	char *name;	   /* as typed, modifiers included */
	unsigned group;	   /* 0 = none */
	bool user, kernel; /* :u, :k given */
	const void *how;   /* what `find` of the list leaves here */
};

struct pmk_event_list {
	struct pmk_event_request item[PMK_MAX_EVENTS];
	unsigned count, groups;
	struct pmk_count_fault *fault; /* where the functions below keep a failure; not NULL */
	/* What a name means, modifiers cut off: fills req->event. 0 or a failure. NULL: the events
	 * of the PMU alone count, pmk_event_named(). */
	int (*find)(void *ctx, const char *name, struct pmk_event_request *req);
	void *ctx;
};

/* Append what one list says. 0 or a failure. */
int pmk_event_list_parse(struct pmk_event_list *list, const struct pmk_pmu *pmu, const char *text);
/* Append one event unless it is there. 0 or a failure. */
int pmk_event_list_add(struct pmk_event_list *list, const struct pmk_event *ev, const char *name);
const struct pmk_event_request *pmk_event_list_find(const struct pmk_event_list *list,
						    const struct pmk_event *ev);
void pmk_event_list_free(struct pmk_event_list *list);

#endif
