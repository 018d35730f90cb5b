/* SPDX-License-Identifier: MIT */
/* The -e option: what the user wants counted. perf's syntax: a,b,{c,d}:u,r0b,pmu/event/,all */
#ifndef PMK_CLI_EVENTLIST_H
#define PMK_CLI_EVENTLIST_H

#include <stdbool.h>

#include <pmk/pmu.h>
#include <pmk/session.h>

struct event_request {
	const struct pmk_event *event;
	char *name;	   /* as typed, modifiers included */
	unsigned group;	   /* 0 = none */
	bool user, kernel; /* :u, :k given */
	const void *how;   /* what event_list.find() leaves here */
};

struct event_list {
	struct event_request item[PMK_MAX_EVENTS];
	unsigned count, groups;
	/* What a name means, modifiers cut off: fills req->event. 0, or an exit code after one line on
	 * stderr. NULL: the events of the PMU alone count, cli_event(). */
	int (*find)(void *ctx, const char *name, struct event_request *req);
	void *ctx;
};

/* Append what one -e says. 0, or an exit code after one line on stderr. */
int event_list_parse(struct event_list *list, const struct pmk_pmu *pmu, const char *text);
/* Append one event unless it is there. 0 or an exit code. */
int event_list_add(struct event_list *list, const struct pmk_event *ev, const char *name);
const struct event_request *event_list_find(const struct event_list *list,
					    const struct pmk_event *ev);
void event_list_free(struct event_list *list);

#endif
