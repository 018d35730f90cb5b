// SPDX-License-Identifier: MIT
/* The command pmk history: its options, its actions, and the verdicts that the user gives. */
#define _GNU_SOURCE
#include "lab/history/history.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/html/html.h"
#include "cli/output.h"

#define DATABASE "results.db"

static int take_limit(void *request, char *value)
{
	struct history_request *q = request;

	q->judged = true;
	if (pmk_percent_parse(value, &q->limit))
		return cli_fail(PMK_EXIT_USAGE,
				"--fail-over: '%s' is not a percentage, such as "
				"2%%",
				value);
	return 0;
}

static int take_last(void *member, char *value)
{
	if (pmk_unsigned_parse(value, 1, UINT32_MAX, member))
		return cli_fail(PMK_EXIT_USAGE, "--last: '%s' is not a number of commits", value);
	return 0;
}

static int take_core(void *member, char *value)
{
	*(const char **)member = cli_core_name(value);
	return 0;
}

#define AT(member) offsetof(struct history_request, member)

static const struct cli_option options[] = {
	{ 'd', "database", "FILE", "the results database; " DATABASE " if not given", CLI_TEXT,
	  AT(database) },
	{ 'c', "commit", "ID", "add: the counted commit (a git revision, or any name)", CLI_TEXT,
	  AT(commit) },
	{ 'e', "event", "LIST", "events to count, or to show; add: cycles,instructions", CLI_WORD,
	  AT(events) },
	{ 0, "fail-over", "PERCENT", "exit 1 if a count has grown by more than this, e.g. 2%",
	  CLI_CALL, 0, take_limit },
	{ 0, "record", NULL, "add: also make a recording, to compare functions", CLI_ON,
	  AT(record) },
	{ 0, "good", "ID", "compare with this commit instead of the last good one", CLI_TEXT,
	  AT(good) },
	{ 0, "bad", "ID", "bisect, test: a commit that has the change", CLI_TEXT, AT(bad) },
	{ 0, "build", "COMMAND", "bisect, test: sh command that builds the program", CLI_TEXT,
	  AT(build) },
	{ 0, "name", "NAME", "name of the program; default: its file name", CLI_TEXT, AT(name) },
	{ 0, "core", "CORE", "the core to model; show: only this core", CLI_CALL, AT(core),
	  take_core },
	{ 0, "set", "KEY=VALUE", "a parameter of the core, as for pmk stat; repeatable", CLI_WORD,
	  AT(settings) },
	{ 'T', "target", "TARGET", "where to count: emu, linux, as for pmk stat", CLI_TEXT,
	  AT(target) },
	{ 'n', "last", "N", "show: the last N commits", CLI_CALL, AT(last), take_last },
	{ 'x', "field-separator", "SEP", "show: write CSV with this separator", CLI_SEPARATOR,
	  AT(separator) },
	{ 'j', "json-output", NULL, "show: write JSON", CLI_ON, AT(json) },
	{ 0, "html", "FILE", "show: write a page for a browser", CLI_TEXT, AT(html) },
	CLI_ROWS_END,
};

/* ---- verdicts given by the user ------------------------------------------------------------- */

static int mark_commit(const struct history_request *q, enum pmk_store_verdict verdict)
{
	struct history h = { 0 };
	struct pmk_store_revision r;
	struct history_commit *c;
	int64_t id;
	int code;
	struct pmk_store *store;
	long at;

	if (!q->operand[0] || q->operand[1])
		return cli_fail(PMK_EXIT_USAGE,
				"history %s takes exactly one commit; give its name",
				history_verdict(verdict));
	store = history_open(q, PMK_STORE_ADD, &code);
	if (!code)
		code = history_read(&h, store);
	if (!code) {
		at = history_find(&h, q->operand[0]);
		c = at < 0 ? NULL : &h.commit[at];
		code = c ? 0 : PMK_EXIT_USAGE;
	}
	if (!code) {
		r = (struct pmk_store_revision){
			.name = c->name, .subject = c->subject, .time = c->time, .verdict = verdict
		};
		code = history_check(store, pmk_store_revision(store, &r, &id));
	}
	history_free(&h);
	pmk_store_close(store);
	return code;
}

static int mark_good(const struct history_request *q)
{
	return mark_commit(q, PMK_STORE_GOOD);
}

static int mark_bad(const struct history_request *q)
{
	return mark_commit(q, PMK_STORE_BAD);
}

/* ---- actions --------------------------------------------------------------------------------- */

static const struct action {
	const char *name;
	int (*run)(const struct history_request *q);
	bool program; /* true if the operands are a command line, which has options of its own */
} actions[] = {
	{ "add", history_add, true },	    { "show", history_show, false },
	{ "good", mark_good, false },	    { "bad", mark_bad, false },
	{ "bisect", history_bisect, true }, { "test", history_test, true },
};

#define NACTIONS (sizeof(actions) / sizeof(actions[0]))

static const char *action_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return i < NACTIONS ? actions[i].name : NULL;
}

static const struct action *find_action(const char *name)
{
	char near[64];

	for (size_t i = 0; name && i < NACTIONS; i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	if (!name) {
		cli_fail(0, "history needs one of add, show, good, bad, bisect and test "
			    "(pmk history --help)");
		return NULL;
	}
	pmk_nearest_among(name, action_name, NULL, near, sizeof(near));
	cli_fail(0, "history has no '%s'; did you mean %s?", name,
		 *near ? near : "add, show, good, bad, bisect or test");
	return NULL;
}

/* ---- options --------------------------------------------------------------------------------- */

/* Checks the settings before the action, because some actions count only later, or do not count. */
static int check_settings(const struct history_request *q)
{
	for (unsigned i = 0; i < q->settings.count; i++)
		for (const char *at = q->settings.word[i]; at; at = strchr(at, ',')) {
			at += *at == ',';
			if (strcspn(at, ",=") == 0 || at[strcspn(at, ",=")] != '=')
				return cli_fail(PMK_EXIT_USAGE, "--set %s: expected KEY=VALUE",
						q->settings.word[i]);
		}
	return 0;
}

static int check_request(struct history_request *q)
{
	if (q->json + (q->separator != NULL) + (q->html != NULL) > 1)
		return cli_fail(PMK_EXIT_USAGE, "-j, -x and --html exclude each other");
	if (output_keep("--html", q->html, q->database, "an input"))
		return PMK_EXIT_USAGE;
	return check_settings(q);
}

/* Reads the options and the action, which is the first word that is not an option. */
static int parse_options(struct history_request *q, int argc, char **argv,
			 const struct action **action)
{
	const struct cli_option *o;
	int i = 1, operands = 0, code = 0;
	const char *name = NULL;
	char *value;
	bool bad;

	while (!code) {
		o = cli_next(&cmd_history, argc, argv, &i, &value, &bad);
		if (bad)
			return PMK_EXIT_USAGE;
		if (o) {
			code = cli_apply(&cmd_history, o, q, value);
		} else if (i >= argc) {
			break;
		} else if (!name) {
			name = argv[i++];
			*action = find_action(name);
			code = *action ? 0 : PMK_EXIT_USAGE;
		} else if ((*action)->program) {
			q->operand = argv + i;
			return check_request(q);
		} else {
			argv[operands++] = argv[i++];
		}
	}
	argv[operands] = NULL;
	q->operand = argv;
	if (!code && !name) {
		find_action(NULL);
		code = PMK_EXIT_USAGE;
	}
	return code ? code : check_request(q);
}

static int run_history(int argc, char **argv)
{
	struct history_request q = { .database = DATABASE };
	const struct action *action = NULL;
	int code = parse_options(&q, argc, argv, &action);

	if (!code)
		code = action->run(&q);
	pmk_words_free(&q.events);
	pmk_words_free(&q.settings);
	return code;
}

const struct cli_command cmd_history = {
	.name = "history",
	.brief = "keep the counts of commits and find the commit that changed them",
	.usage = "add --commit ID [-e LIST] [--fail-over PERCENT] [--record]\n"
		 "                       [--] [PROGRAM [ARG...]]\n"
		 "       pmk history show [PROGRAM] [-e LIST] [-j | -x SEP | --html FILE]\n"
		 "       pmk history bisect [--build COMMAND] [--] PROGRAM [ARG...]\n"
		 "       pmk history test --good ID --bad ID [--] PROGRAM [ARG...]\n"
		 "       pmk history good|bad ID",
	.options = options,
	.run = run_history,
};
