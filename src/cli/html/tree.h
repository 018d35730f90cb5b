/* SPDX-License-Identifier: MIT */
/* Calls as the flame graph and the table of functions show them. */
#ifndef PMK_CLI_HTML_TREE_H
#define PMK_CLI_HTML_TREE_H

#include "cli/html/html.h"
#include "cli/listing.h"
#include "profile/export/tree.h"

/* Where a function is listed: "#s1-c". */
struct html_anchor {
	size_t place;  /* from 1; 0: nowhere */
	uint64_t line; /* or address; 0: where the listing begins */
};

struct html_source;

/* What the parts of a recording's page share. */
struct html_page {
	FILE *f;
	const struct recorded *r;
	/* Event 0 is what the page shows at first; the last one is executions, whatever was
	 * chosen; where samples were taken, there is none, and `executions` is n. */
	uint32_t *event;
	size_t n, executions;
	uint64_t *total; /* of each event, over all that was recorded */
	struct pmk_tree tree;
	uint64_t *inclusive; /* [node][event] */
	struct listing listing;
	struct html_anchor *anchor; /* [function] */
	struct html_source *source;
};

static inline uint64_t html_inclusive(const struct html_page *p, size_t node, size_t event)
{
	return p->inclusive[node * p->n + event];
}

static inline const char *html_event(const struct html_page *p, size_t event)
{
	return pmk_tables_event_name(&p->r->t, p->event[event]);
}

/* The heading of a part, which names the event that is shown. */
void html_title(const struct html_page *p, const char *text);

/* Build the tree with its sums. 0 or an exit code. */
int html_tree_build(struct html_page *p);

/* The function, code without a symbol, … of a frame: its number among those rows that pmk report
 * has, which are functions and then objects. Of inlined functions: none. */
bool html_tree_is_function(const struct html_page *p, uint32_t frame);

/* Parts of the page, in its order. False: out of memory. source.c goes first through what it will
 * show, so that functions can lead there. */
bool html_flame(struct html_page *p);
bool html_source_plan(struct html_page *p);
bool html_functions(struct html_page *p);
/* Of events that are timed; nothing where there are none. */
void html_latencies(const struct html_page *p);
bool html_have_latencies(const struct html_page *p);
bool html_source(struct html_page *p);
void html_source_free(struct html_page *p);

#endif
