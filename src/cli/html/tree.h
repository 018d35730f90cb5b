/* SPDX-License-Identifier: MIT */
/* The calls that the flame graph and the table of functions show, and the data that the parts of a
 * page share. */
#ifndef PMK_CLI_HTML_TREE_H
#define PMK_CLI_HTML_TREE_H

#include "cli/diff.h"
#include "cli/html/html.h"
#include "cli/listing.h"
#include "profile/export/tree.h"

/* The place at which a function is listed: "#s1-c". */
struct html_anchor {
	size_t place;  /* number of the listing, from 1; 0: the function is not listed */
	uint64_t line; /* line or address; 0: the start of the listing */
};

struct html_source;

/* The page of a recording or, with call paths only, of a comparison. */
struct html_page {
	FILE *f;
	const struct recorded *r; /* or NULL */
	/* NULL: no comparison; otherwise `n` counts the events of both sides */
	const struct diff *d;
	/* The page shows event 0 first. `executions` is the index of the executions, which are
	 * added at the end if the user did not choose them. In samples there are no executions, so
	 * `executions` equals `n`. */
	uint32_t *event;
	size_t n, executions;
	struct pmk_tree tree;
	uint64_t *inclusive; /* [node][event] */
	uint64_t *total;     /* [event]: the totals, which are the first row of `inclusive` */
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
	return p->d ? p->d->event[event] : pmk_tables_event_name(&p->r->t, p->event[event]);
}

/* The heading of a part, with the name of the event that is shown. */
void html_title(const struct html_page *p, const char *text);

/* True if the frame is a row of pmk report: a function, or code without a symbol. False for inlined
 * functions. */
bool html_tree_is_function(const struct html_page *p, uint32_t frame);

/* Parts of the page, in order. Return false when out of memory. html_source_plan() comes first, so
 * that functions can link to the listings. */
bool html_flame(struct html_page *p);
bool html_source_plan(struct html_page *p);
bool html_functions(struct html_page *p);
/* Write the latencies of timed events; nothing if there are no timed events. */
void html_latencies(const struct html_page *p);
bool html_have_latencies(const struct html_page *p);
bool html_source(struct html_page *p);
void html_source_free(struct html_page *p);

#endif
