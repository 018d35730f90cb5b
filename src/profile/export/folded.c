// SPDX-License-Identifier: MIT
/* A line for each call path, as flamegraph.pl and similar tools read them: "main;work;clamp 90". */
#include <inttypes.h>

#include "profile/export/export.h"
#include "profile/export/tree.h"

/* A semicolon would end the name, and a line end the line, so they are replaced. */
static void write_name(FILE *f, const char *text)
{
	for (; *text; text++)
		fputc(*text == ';' ? ':' : (uint8_t)*text < 32 ? ' ' : *text, f);
}

int pmk_export_folded(const struct pmk_export *x, char *msg, size_t size)
{
	struct pmk_tree tree;
	int err = pmk_tree_build(&tree, x->t, x->event, x->nevents, false, msg, size);
	char buf[300];

	for (uint32_t i = 1; !err && i < tree.nnodes; i++) {
		size_t n = tree.self[i] ? pmk_tree_path(&tree, i) : 0;

		for (size_t k = 0; k < n; k++) {
			write_name(x->f, pmk_tree_name(&tree, tree.path[k], buf, sizeof(buf)));
			fputc(k + 1 < n ? ';' : ' ', x->f);
		}
		if (n)
			fprintf(x->f, "%" PRIu64 "\n", tree.self[i]);
	}
	pmk_tree_free(&tree);
	return err;
}
