// SPDX-License-Identifier: MIT
/* pmk doctor: check whether things are as they should be, and say what to do if they are not. */
#include "cli/doctor.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/show.h"

static const struct cli_option options[] = {
	{ 0, "layout", "FILE", "ahbmon: the layout to ask, instead of the project's" },
	{ 'j', "json-output", NULL, "write JSON" },
	{ 'h', "help", NULL, "show this help" },
	{ 0, NULL, NULL, NULL },
};

/* The first one runs if none is named. */
static const struct doctor_check checks[] = {
	{ "environment", "what pmk needs of this machine, and whether it counts",
	  doctor_environment },
	{ "armv8", "a published sequence for PMUv3 and pmk's own, on the model", doctor_armv8 },
	{ "ahbmon", "preset and read back the AHB Monitor's counters, on the model",
	  doctor_ahbmon },
};

#define NCHECKS (sizeof(checks) / sizeof(checks[0]))

static const char *check_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return i < NCHECKS ? checks[i].name : NULL;
}

static const struct doctor_check *find(const char *name)
{
	char near[64];

	for (size_t i = 0; i < NCHECKS; i++)
		if (strcmp(checks[i].name, name) == 0)
			return &checks[i];
	pmk_nearest_among(name, check_name, NULL, near, sizeof(near));
	if (*near)
		cli_fail(0, "doctor: no check '%s'; did you mean %s?", name, near);
	else
		cli_fail(0, "doctor: no check '%s'; 'pmk doctor' lists them", name);
	return NULL;
}

static void list_checks(json_object *doc)
{
	json_object *list = doc ? json_object_new_array() : NULL;

	if (!doc)
		printf("\n%sMore checks: pmk doctor NAME%s\n\n", show_bold(), show_plain());
	for (size_t i = 1; i < NCHECKS; i++) {
		json_object *o;

		if (!doc) {
			printf("  %-12s %s\n", checks[i].name, checks[i].brief);
			continue;
		}
		o = json_object_new_object();
		show_add(o, "name", checks[i].name);
		show_add(o, "brief", checks[i].brief);
		json_object_array_add(list, o);
	}
	if (doc)
		json_object_object_add(doc, "checks", list);
}

/* Run the checks that were named, each once, in this order. Returns the first exit code that is not
 * 0. */
static int examine(const bool wanted[NCHECKS], bool any, json_object *doc, const char *layout)
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

static int run_doctor(int argc, char **argv)
{
	bool bad, json = false, any = false, wanted[NCHECKS] = { false };
	const struct doctor_check *check;
	const struct cli_option *o;
	json_object *doc = NULL;
	const char *layout = NULL;
	char *value;
	int i = 1, code;

	for (;;) {
		o = cli_next(&cmd_doctor, argc, argv, &i, &value, &bad);
		if (bad)
			return PMK_EXIT_USAGE;
		if (o && o->letter == 'h') {
			cli_help(stdout, &cmd_doctor);
			return PMK_EXIT_OK;
		}
		if (o && o->letter == 'j')
			json = true;
		else if (o)
			layout = value;
		if (o)
			continue;
		if (i >= argc)
			break;
		check = find(argv[i++]);
		if (!check)
			return PMK_EXIT_USAGE;
		wanted[check - checks] = any = true;
	}
	if (layout && !wanted[NCHECKS - 1]) /* --layout is for the last check */
		return cli_fail(PMK_EXIT_USAGE, "--layout is for pmk doctor ahbmon");
	if (!any)
		wanted[0] = true;
	if (json)
		doc = show_json_document("pmk-doctor");
	code = examine(wanted, any, doc, layout);
	if (doc)
		show_json_print(doc);
	json_object_put(doc);
	return code;
}

const struct cli_command cmd_doctor = {
	.name = "doctor",
	.brief = "check the environment, and sequences and layouts on the models",
	.usage = "[environment|armv8|ahbmon]... [--layout FILE] [-j]",
	.options = options,
	.run = run_doctor,
};
