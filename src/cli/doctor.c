// SPDX-License-Identifier: MIT
/* pmk doctor: check the installation, a board or a layout, and say what to do about faults. */
#include "cli/doctor.h"

#include <stddef.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "result/jsonio.h"

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

/* Run the checks that are wanted, in the order of checks[]. If the user named no check (`any` is
 * false), also list the others. Returns the first exit code that is not 0. */
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
