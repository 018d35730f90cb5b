// SPDX-License-Identifier: MIT
/* pmk doctor: check the installation, a board or a layout, and say what to do about faults. */
#include "cli/doctor.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <pmk/error.h>

#include "cli/cli.h"
#include "cli/doctor_blog.h"
#include "cli/doctor_trial.h"
#include "cli/show.h"
#include "cpu/a64/a64.h"
#include "pmu/ahbmon/layout.h"
#include "result/jsonio.h"

/* ---- armv8 ---------------------------------------------------------------------------------- */

/*
 * The sequence of the Valtrix blog "Programming ARM v8 Performance Monitors" (25 May 2016) on the
 * model of a PMUv3, compared with pmk's driver. doctor_blog.c runs both and compares.
 */

static void blog_text(char *buf, size_t size, bool there, uint64_t value)
{
	if (there)
		snprintf(buf, size, "%" PRIu64, value);
	else
		snprintf(buf, size, "-");
}

static void print_blog_run(const struct pmk_armv8_blog_run *r)
{
	printf("\n%s%s%s\n\n", show_bold(), r->title, show_plain());
	printf("  %-17s %7s %7s   %8s %7s   %s\n", "event", "at EL0", "at EL1", "the blog", "pmk",
	       "why the blog shows this");
	for (unsigned i = 0; i < r->nrows; i++) {
		const struct pmk_armv8_blog_row *row = &r->row[i];
		char blog[24], ours[24];

		blog_text(blog, sizeof(blog), row->in_blog, row->blog);
		blog_text(ours, sizeof(ours), row->in_ours, row->ours);
		printf("  %-17s %7" PRIu64 " %7" PRIu64 "   %8s %7s   %s\n", row->ev->name,
		       row->happened[0], row->happened[1], blog, ours, row->why);
	}
}

static void print_blog(const struct pmk_armv8_blog_run *runs, unsigned n)
{
	const struct pmk_signal_set raised = pmk_a64_raises(NULL);

	printf("%sPMUv3%s: the sequence of the Valtrix blog \"Programming ARM v8 Performance "
	       "Monitors\"\n(25 May 2016) and pmk's driver, on the model of a Cortex-A53\n",
	       show_bold(), show_plain());
	for (unsigned i = 0; i < n; i++)
		print_blog_run(&runs[i]);
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

static json_object *blog_count(bool there, uint64_t value)
{
	return there ? json_object_new_uint64(value) : NULL;
}

static json_object *blog_json_run(const struct pmk_armv8_blog_run *r)
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
		pmk_json_add(line, "blog", blog_count(row->in_blog, row->blog));
		pmk_json_add(line, "pmk", blog_count(row->in_ours, row->ours));
		pmk_json_text(line, "why", row->why);
		json_object_array_add(rows, line);
	}
	pmk_json_add(o, "rows", rows);
	return o;
}

static void blog_add_json(json_object *doc, const struct pmk_armv8_blog_run *runs, unsigned n)
{
	const struct pmk_signal_set raised = pmk_a64_raises(NULL);
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	for (unsigned i = 0; i < n; i++)
		json_object_array_add(list, blog_json_run(&runs[i]));
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

static int doctor_armv8(json_object *doc, const char *layout)
{
	struct pmk_armv8_blog_run runs[PMK_ARMV8_BLOG_RUNS];
	const struct pmk_signal_set raised = pmk_a64_raises(NULL);
	int err = pmk_armv8_blog_compare(&raised, runs);

	(void)layout;
	if (err)
		return cli_fail(PMK_EXIT_FAILED, "doctor armv8: %s", pmk_strerror(err));
	if (doc)
		blog_add_json(doc, runs, PMK_ARMV8_BLOG_RUNS);
	else
		print_blog(runs, PMK_ARMV8_BLOG_RUNS);
	return PMK_EXIT_OK;
}

/* ---- ahbmon --------------------------------------------------------------------------------- */

/*
 * Check the layout of the AHB Monitor's registers (the file of --layout, or else the project's
 * layout) on models, with tests that also work on hardware. The tests are in
 * doctor_trial.c.
 */

static const char advice[] =
	"These offsets and control bits are the project's, because Arm's are not public. If the "
	"model agrees, driver and model use the same table; this says nothing about hardware. To "
	"check hardware, fill in a struct pmk_ahbmon_layout, set its provenance, and call "
	"pmk_ahbmon_probe() in firmware; include/pmk/ahbmon.h shows how. It cannot find out "
	"which counter counts which event.";

static const char manual_advice[] =
	"If the model agrees, driver and model use the same file; this says nothing about "
	"hardware. To check hardware, call pmk_ahbmon_probe() in firmware with this table; "
	"include/pmk/ahbmon.h shows how.";

static const char *advice_on(const struct pmk_ahbmon_layout *l)
{
	return l->provenance == PMK_AHBMON_FROM_MANUAL ? manual_advice : advice;
}

static void print_layout(const struct pmk_ahbmon_layout_file *f,
			 const struct pmk_ahbmon_trial *trials, unsigned n)
{
	printf("%sAHB Monitor%s: each counter holds its own address after a preset (DDI 0287B "
	       "§4.3.28)\n\n",
	       show_bold(), show_plain());
	printf("  layout %s, %s, base 0x%08x: valid (words, aligned, inside 64 KB, all "
	       "different)\n\n",
	       f->name,
	       f->layout.provenance == PMK_AHBMON_FROM_MANUAL ? "from the manual"
							      : "made up by the project",
	       f->layout.base);
	for (unsigned i = 0; i < n; i++)
		printf("  %-52s %2u of %u agree: %s\n", trials[i].who, trials[i].agree,
		       PMK_AHBMON_PRESET_COUNTERS, pmk_ahbmon_trial_verdict(&trials[i]));
	putchar('\n');
	show_wrapped(advice_on(&f->layout), "  ", "  ", 96);
}

static void layout_add_json(json_object *doc, const struct pmk_ahbmon_layout_file *f,
			    const struct pmk_ahbmon_trial *trials, unsigned n)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	pmk_json_text(o, "layout", f->name);
	pmk_json_text(o, "provenance",
		      f->layout.provenance == PMK_AHBMON_FROM_MANUAL ? "manual" : "project");
	pmk_json_add(o, "sound", json_object_new_boolean(true));
	for (unsigned i = 0; i < n; i++) {
		json_object *t = json_object_new_object();

		pmk_json_text(t, "who", trials[i].who);
		pmk_json_add(t, "agree", json_object_new_int((int)trials[i].agree));
		pmk_json_add(t, "of", json_object_new_int(PMK_AHBMON_PRESET_COUNTERS));
		pmk_json_text(t, "verdict", pmk_ahbmon_trial_verdict(&trials[i]));
		json_object_array_add(list, t);
	}
	pmk_json_add(o, "trials", list);
	pmk_json_text(o, "advice", advice_on(&f->layout));
	pmk_json_add(doc, "ahbmon", o);
}

static int doctor_ahbmon(json_object *doc, const char *layout)
{
	struct pmk_ahbmon_trial trials[PMK_AHBMON_NTRIALS];
	struct pmk_ahbmon_layout_file file;
	int code = cli_layout(&file, layout); /* rejects an invalid layout */

	if (code)
		return code;
	if (pmk_ahbmon_try(&file.layout, trials))
		return cli_no_memory();
	if (doc)
		layout_add_json(doc, &file, trials, PMK_AHBMON_NTRIALS);
	else
		print_layout(&file, trials, PMK_AHBMON_NTRIALS);
	/* Driver and model belong to the same build, so they must agree. */
	return trials[0].err == PMK_OK ? PMK_EXIT_OK : PMK_EXIT_FAILED;
}

/* ---- the checks ----------------------------------------------------------------------------- */

/*
 * A check prints its findings to stdout or, if `doc` is not NULL, adds them to `doc` as the member
 * with the name of the check. It returns an exit code; finding a fault is not a failure by itself.
 */
struct doctor_check {
	const char *name, *brief;
	/* `layout`: the file of --layout, or NULL. */
	int (*run)(json_object *doc, const char *layout);
};

/* The first check runs if none is named. */
static const struct doctor_check checks[] = {
	{ "environment", "what pmk needs on this machine, and whether it can count",
	  doctor_environment },
	{ "armv8", "a published sequence for PMUv3 and pmk's own, on the model", doctor_armv8 },
	{ "ahbmon", "preset and read back the AHB Monitor's counters, on the model",
	  doctor_ahbmon },
};

#define NCHECKS (sizeof(checks) / sizeof(checks[0]))

static const struct doctor_check *find_check(const char *name)
{
	struct pmk_nearest near;

	pmk_nearest_init(&near, name);
	for (size_t i = 0; i < NCHECKS; i++) {
		pmk_nearest_offer(&near, checks[i].name);
		if (strcmp(checks[i].name, name) == 0)
			return &checks[i];
	}
	cli_not_found(cli_near(&near), "'pmk doctor' lists them", "doctor: no check '%s'", name);
	return NULL;
}

static void list_checks(json_object *doc)
{
	json_object *list = doc ? json_object_new_array() : NULL;

	if (doc)
		pmk_json_add(doc, "checks", list);
	else
		printf("\n%sMore checks: pmk doctor NAME%s\n\n", show_bold(), show_plain());
	for (size_t i = 1; i < NCHECKS; i++)
		if (doc)
			json_object_array_add(list,
					      show_json_named(checks[i].name, checks[i].brief));
		else
			printf("  %-12s %s\n", checks[i].name, checks[i].brief);
}

/* Run the named checks, each once, in this order. Returns the first exit code that is not 0. */
static int run_checks(const bool wanted[NCHECKS], bool any, json_object *doc, const char *layout)
{
	int code = PMK_EXIT_OK;
	bool begun = false;

	for (size_t i = 0; i < NCHECKS; i++) {
		int its;

		if (!wanted[i])
			continue;
		if (begun && !doc)
			putchar('\n');
		begun = true;
		its = checks[i].run(doc, layout);
		code = code ? code : its;
	}
	if (!any)
		list_checks(doc);
	return code;
}

/* The parsed arguments of the command. */
struct request {
	bool json, any, wanted[NCHECKS];
	struct doctor_board board;
};

#define AT(member) offsetof(struct request, member)

static const struct cli_option options[] = {
	{ 'T', "target", "TARGET", "examine a board: openocd, gdb or xvc:HOST:PORT; devmem[:FILE]",
	  CLI_TEXT, AT(board.target) },
	{ 0, "pmu", "PMU", "-T: the PMU of the board", CLI_TEXT, AT(board.pmu) },
	{ 0, "set", "KEY=VALUE", "-T: how to access the counters, as for pmk stat; repeatable",
	  CLI_WORD, AT(board.settings) },
	{ 0, "layout", "FILE", "ahbmon: examine this layout instead of the project's", CLI_TEXT,
	  AT(board.layout) },
	CLI_ROW_JSON(AT(json)),
	CLI_ROWS_END,
};

/* Check that the options go together. Returns 0 or an exit code. */
static int check_request(const struct request *r)
{
	const struct doctor_board *b = &r->board;

	if (b->target && r->any)
		return cli_fail(PMK_EXIT_USAGE, "-T examines a board; leave out the names of "
						"checks");
	if (!b->target && (b->pmu || b->settings.count))
		return cli_fail(PMK_EXIT_USAGE, "--pmu and --set need -T");
	/* --layout belongs to the last check */
	if (!b->target && b->layout && !r->wanted[NCHECKS - 1])
		return cli_fail(PMK_EXIT_USAGE, "--layout is for pmk doctor ahbmon");
	return 0;
}

static int run_doctor(int argc, char **argv)
{
	struct request r = { 0 };
	json_object *doc = NULL;
	char **operands;
	int code = cli_parse(&cmd_doctor, &r, argc, argv, &operands);

	for (; !code && *operands; operands++) {
		const struct doctor_check *check = find_check(*operands);

		if (check)
			r.wanted[check - checks] = r.any = true;
		else
			code = PMK_EXIT_USAGE;
	}
	if (!code)
		code = check_request(&r);
	if (code)
		goto out;
	if (r.json)
		doc = pmk_json_document("pmk-doctor");
	r.wanted[0] |= !r.any;
	code = r.board.target ? doctor_target(doc, &r.board)
			      : run_checks(r.wanted, r.any, doc, r.board.layout);
	if (doc && code != PMK_EXIT_USAGE)
		pmk_json_put_document(stdout, doc);
	json_object_put(doc);
out:
	pmk_words_free(&r.board.settings);
	return code;
}

const struct cli_command cmd_doctor = {
	.name = "doctor",
	.brief = "check this machine, PMU sequences and layouts (on the models), and boards",
	.usage =
		"[environment|armv8|ahbmon]... [--layout FILE] [-j]\n"
		"       pmk doctor -T TARGET [--pmu PMU] [--set KEY=VALUE]... [--layout FILE] [-j]",
	.options = options,
	.run = run_doctor,
};
