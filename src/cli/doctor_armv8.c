// SPDX-License-Identifier: MIT
/*
 * pmk doctor armv8: the sequence of the Valtrix blog "Programming ARM v8 Performance Monitors" (25
 * May 2016) on the model of a PMUv3, compared with pmk's driver. src/pmu/armv8/blog.c runs both and
 * compares.
 */
#include <inttypes.h>
#include <string.h>

#include <pmk/error.h>

#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/show.h"
#include "cpu/a64/a64.h"
#include "pmu/armv8/blog.h"
#include "result/jsonio.h"

static void number_text(char *buf, size_t size, bool there, uint64_t value)
{
	if (there)
		snprintf(buf, size, "%" PRIu64, value);
	else
		snprintf(buf, size, "-");
}

static void print_run(const struct pmk_armv8_blog_run *r)
{
	printf("\n%s%s%s\n\n", show_bold(), r->title, show_plain());
	printf("  %-17s %7s %7s   %8s %7s   %s\n", "event", "at EL0", "at EL1", "the blog", "pmk",
	       "why the blog shows this");
	for (unsigned i = 0; i < r->nrows; i++) {
		const struct pmk_armv8_blog_row *row = &r->row[i];
		char blog[24], ours[24];

		number_text(blog, sizeof(blog), row->in_blog, row->blog);
		number_text(ours, sizeof(ours), row->in_ours, row->ours);
		printf("  %-17s %7" PRIu64 " %7" PRIu64 "   %8s %7s   %s\n", row->ev->name,
		       row->happened[0], row->happened[1], blog, ours, row->why);
	}
}

static void print_text(const struct pmk_armv8_blog_run *runs, unsigned n)
{
	const struct pmk_signal_set raised = pmk_a64_raises(NULL);

	printf("%sPMUv3%s: the sequence of the Valtrix blog \"Programming ARM v8 Performance "
	       "Monitors\"\n(25 May 2016) and pmk's driver, on the model of a Cortex-A53\n",
	       show_bold(), show_plain());
	for (unsigned i = 0; i < n; i++)
		print_run(&runs[i]);
	printf("\n%sFindings%s\n", show_bold(), show_plain());
	for (unsigned i = 0; i < pmk_armv8_blog_nfindings; i++) {
		char found[400], first[24];

		pmk_armv8_blog_findings[i].look(&raised, found, sizeof(found));
		snprintf(first, sizeof(first), "\n %2u. ", i + 1);
		show_wrapped(pmk_armv8_blog_findings[i].title, first, "     ", 94);
		show_wrapped(found, "     here     ", "              ", 85);
		show_wrapped(pmk_armv8_blog_findings[i].instead, "     instead  ", "              ",
			     85);
	}
}

static json_object *json_count(bool there, uint64_t value)
{
	return there ? json_object_new_uint64(value) : NULL;
}

static json_object *json_run(const struct pmk_armv8_blog_run *r)
{
	json_object *o = json_object_new_object(), *rows = json_object_new_array();
	char text[16];

	pmk_json_text(o, "title", r->title);
	snprintf(text, sizeof(text), "0x%08" PRIx32, r->filter);
	pmk_json_text(o, "filter", text);
	for (unsigned i = 0; i < r->nrows; i++) {
		const struct pmk_armv8_blog_row *row = &r->row[i];
		json_object *line = json_object_new_object();

		snprintf(text, sizeof(text), "0x%02x", row->ev->code);
		pmk_json_text(line, "event", row->ev->name);
		pmk_json_text(line, "code", text);
		pmk_json_count(line, "el0", row->happened[0]);
		pmk_json_count(line, "el1", row->happened[1]);
		pmk_json_add(line, "blog", json_count(row->in_blog, row->blog));
		pmk_json_add(line, "pmk", json_count(row->in_ours, row->ours));
		pmk_json_text(line, "why", row->why);
		json_object_array_add(rows, line);
	}
	pmk_json_add(o, "rows", rows);
	return o;
}

static void add_json(json_object *doc, const struct pmk_armv8_blog_run *runs, unsigned n)
{
	const struct pmk_signal_set raised = pmk_a64_raises(NULL);
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	for (unsigned i = 0; i < n; i++)
		json_object_array_add(list, json_run(&runs[i]));
	pmk_json_add(o, "runs", list);
	list = json_object_new_array();
	for (unsigned i = 0; i < pmk_armv8_blog_nfindings; i++) {
		json_object *line = json_object_new_object();
		char found[400];

		pmk_armv8_blog_findings[i].look(&raised, found, sizeof(found));
		pmk_json_add(line, "number", json_object_new_int((int)i + 1));
		pmk_json_text(line, "title", pmk_armv8_blog_findings[i].title);
		pmk_json_text(line, "here", found);
		pmk_json_text(line, "instead", pmk_armv8_blog_findings[i].instead);
		json_object_array_add(list, line);
	}
	pmk_json_add(o, "findings", list);
	pmk_json_add(doc, "armv8", o);
}

int doctor_armv8(json_object *doc, const char *layout)
{
	struct pmk_armv8_blog_run runs[PMK_ARMV8_BLOG_RUNS];
	const struct pmk_signal_set raised = pmk_a64_raises(NULL);
	int err = pmk_armv8_blog_compare(&raised, runs);

	(void)layout;
	if (err)
		return cli_fail(PMK_EXIT_FAILED, "doctor armv8: %s", pmk_strerror(err));
	if (doc)
		add_json(doc, runs, PMK_ARMV8_BLOG_RUNS);
	else
		print_text(runs, PMK_ARMV8_BLOG_RUNS);
	return PMK_EXIT_OK;
}
