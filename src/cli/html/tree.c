// SPDX-License-Identifier: MIT
/* See tree.h. */
#include "cli/html/tree.h"

#include <stdlib.h>

/* Call paths of all threads. With more, threads are not told apart, to save memory. */
#define MOST_PATHS 500000

int html_tree_build(struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	struct pmk_tree *tree = &p->tree;
	char msg[300];

	bool by_thread = t->nthreads > 1 && t->nthreads * t->ncontexts <= MOST_PATHS;

	if (pmk_tree_build(tree, t, p->event, p->n, by_thread, msg, sizeof(msg)))
		return recorded_failed(p->r, msg);
	p->inclusive = malloc(tree->nnodes * p->n * sizeof(*p->inclusive));
	p->total = calloc(p->n, sizeof(*p->total));
	if (!p->inclusive || !p->total)
		return cli_no_memory();
	for (size_t i = 0; i < tree->nnodes * p->n; i++)
		p->inclusive[i] = tree->self[i];
	/* Parents come before their children. */
	for (size_t i = tree->nnodes; i-- > 1;)
		for (size_t e = 0; e < p->n; e++)
			p->inclusive[tree->node[i].parent * p->n + e] += html_inclusive(p, i, e);
	for (size_t e = 0; e < p->n; e++)
		p->total[e] = html_inclusive(p, 0, e);
	return 0;
}

bool html_tree_is_function(const struct html_page *p, uint32_t frame)
{
	const struct pmk_tables *t = &p->r->t;

	return frame < t->nfunctions ||
	       (frame != PMK_TABLES_NONE && frame >= t->nfunctions + t->ninlined &&
		pmk_tree_thread(&p->tree, frame) == PMK_TABLES_NONE);
}

void html_title(const struct html_page *p, const char *text)
{
	html_print(p->f, "<h2>%s <small>by <span class=\"event\">%s</span></small></h2>\n", text,
		   html_event(p, 0));
}
