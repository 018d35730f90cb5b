// SPDX-License-Identifier: MIT
/*
 * Functions that the commands share: options, colours, and finding the data files.
 *
 * Paths and metrics are looked up once and then kept in static variables. This is allowed here,
 * because this is the program and not the library, and it has one thread.
 */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/number.h"
#include "base/printable.h"
#include "count/files.h"
#include "count/monitor.h"

int cli_fail(int code, const char *fmt, ...)
{
	char *text;
	va_list ap;

	fflush(stdout);
	fputs("pmk: ", stderr);
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	pmk_printable_write(stderr, text ? text : pmk_strerror(PMK_ENOMEM));
	free(text);
	fputc('\n', stderr);
	return code;
}

int cli_not_found(const char *near, const char *remedy, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (*near)
		cli_fail(0, "%s; did you mean %s?", text ? text : "", near);
	else
		cli_fail(0, "%s; %s", text ? text : "", remedy);
	free(text);
	return PMK_EXIT_USAGE;
}

const char *cli_near(const struct pmk_nearest *near)
{
	static char text[256];

	pmk_nearest_text(near, text, sizeof(text));
	return text;
}

int cli_no_memory(void)
{
	return cli_fail(PMK_EXIT_FAILED, "%s", pmk_strerror(PMK_ENOMEM));
}

/* ---- hints ---------------------------------------------------------------------------------- */

bool cli_colour(FILE *f)
{
	const char *term = getenv("TERM");

	return isatty(fileno(f)) && term && strcmp(term, "dumb") != 0 && !getenv("NO_COLOR");
}

bool cli_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8 = locale != (locale_t)0 && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale != (locale_t)0)
		freelocale(locale);
	return utf8;
}

unsigned cli_columns(FILE *f)
{
	const char *columns = isatty(fileno(f)) ? getenv("COLUMNS") : NULL;
	unsigned chosen;
	struct winsize size;

	if (columns && !pmk_unsigned_parse(columns, 1, UINT16_MAX, &chosen))
		return chosen;
	return ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* ---- options -------------------------------------------------------------------------------- */

/* Find an option by its long name, or by an unambiguous beginning of it. */
static const struct cli_option *find_long(const struct cli_command *cmd, const char *name, size_t n)
{
	const struct cli_option *found = NULL;

	for (const struct cli_option *o = cmd->options; o->name; o++) {
		if (strncmp(o->name, name, n) != 0)
			continue;
		if (o->name[n] == '\0')
			return o;
		if (found)
			return NULL;
		found = o;
	}
	return found;
}

/* Find the name of an option of perf that pmk does not have, and its reason. NULL: perf does not
 * have it either. The name ends at a blank or at the end of the text. */
static const char *find_refusal(const struct cli_command *cmd, const char *arg, const char **reason)
{
	size_t n = strcspn(arg, "="), length;

	for (const struct cli_refusal *r = cmd->refused; r && r->names; r++) {
		*reason = r->reason;
		if (arg[1] != '-' && r->letter && r->letter == arg[1])
			return r->names;
		for (const char *at = r->names; *at; at += length, at += *at == ' ') {
			length = strcspn(at, " ");
			if (arg[1] == '-' && length == n - 2 && !strncmp(at, arg + 2, length))
				return at;
		}
	}
	return NULL;
}

static const struct cli_option *wrong_option(const struct cli_command *cmd, const char *arg,
					     bool *bad)
{
	const char *reason, *refused = find_refusal(cmd, arg, &reason);
	struct pmk_nearest near;
	char name[64];

	*bad = true;
	if (refused) {
		cli_fail(0, "%s: perf's --%.*s: %s", cmd->name, (int)strcspn(refused, " "), refused,
			 reason);
		return NULL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
	pmk_nearest_init(&near, name);
	for (const struct cli_option *o = cmd->options; arg[1] == '-' && o->name; o++)
		pmk_nearest_offer(&near, o->name);
	if (*cli_near(&near))
		cli_fail(0, "%s has no option '%s'; did you mean --%s?", cmd->name, arg,
			 cli_near(&near));
	else
		cli_fail(0, "%s has no option '%.*s'; 'pmk %s --help' shows them", cmd->name,
			 arg[1] == '-' ? 80 : 2, arg, cmd->name);
	return NULL;
}

static const struct cli_option *next_long(const struct cli_command *cmd, int argc, char **argv,
					  int *index, char **value, bool *bad)
{
	char *arg = argv[*index], *eq = strchr(arg, '=');
	const struct cli_option *o;

	o = find_long(cmd, arg + 2, eq ? (size_t)(eq - arg - 2) : strlen(arg + 2));
	if (!o)
		return wrong_option(cmd, arg, bad);
	if (!o->arg && eq) {
		cli_fail(0, "%s: --%s takes no value", cmd->name, o->name);
		*bad = true;
		return NULL;
	}
	++*index;
	if (!o->arg)
		return o;
	*value = eq ? eq + 1 : *index < argc ? argv[(*index)++] : NULL;
	if (*value)
		return o;
	cli_fail(0, "%s: --%s needs a value: %s", cmd->name, o->name, o->arg);
	*bad = true;
	return NULL;
}

static const struct cli_option *next_short(const struct cli_command *cmd, int argc, char **argv,
					   int *index, char **value, bool *bad)
{
	char *arg = argv[*index];
	const struct cli_option *o = cmd->options;

	while (o->name && o->letter != arg[1])
		o++;
	if (!o->name)
		return wrong_option(cmd, arg, bad);
	if (!o->arg && arg[2]) {
		/* Split a word such as -jv: after -j, the next argument is "-v". */
		arg[1] = '-';
		argv[*index] = arg + 1;
		return o;
	}
	++*index;
	if (!o->arg)
		return o;
	*value = arg[2] ? arg + 2 : *index < argc ? argv[(*index)++] : NULL;
	if (*value)
		return o;
	cli_fail(0, "%s: -%c needs a value: %s", cmd->name, o->letter, o->arg);
	*bad = true;
	return NULL;
}

const struct cli_option *cli_next(const struct cli_command *cmd, int argc, char **argv, int *index,
				  char **value, bool *bad)
{
	char *arg;

	*value = NULL;
	*bad = false;
	if (*index < 1)
		*index = 1;
	if (*index >= argc)
		return NULL;
	arg = argv[*index];
	if (arg[0] != '-' || arg[1] == '\0')
		return NULL;
	if (strcmp(arg, "--") == 0) {
		++*index;
		return NULL;
	}
	return arg[1] == '-' ? next_long(cmd, argc, argv, index, value, bad)
			     : next_short(cmd, argc, argv, index, value, bad);
}

int cli_apply(const struct cli_command *cmd, const struct cli_option *o, void *request, char *value)
{
	void *member = (char *)request + o->member;

	switch (o->effect) {
	case CLI_SETTING:
		if (o->member)
			*(const char **)member = value ? value : o->name;
		return cmd->set(request, o->name, value);
	case CLI_TEXT:
		*(const char **)member = value;
		return 0;
	case CLI_SEPARATOR:
		if (!*value || strpbrk(value, "\"\n"))
			return cli_fail(PMK_EXIT_USAGE,
					"-x needs a separator other than a quote or a new line");
		*(const char **)member = strcmp(value, "\\t") ? value : "\t";
		return 0;
	case CLI_ON:
	case CLI_OFF:
		*(bool *)member = o->effect == CLI_ON;
		return 0;
	case CLI_WORD:
		return pmk_words_add(member, value) ? 0 : cli_no_memory();
	case CLI_CALL:
		return o->take(member, value);
	case CLI_IGNORED:
		return 0;
	case CLI_HELP:
		cli_help(stdout, cmd);
		return CLI_HELPED;
	}
	return 0;
}

int cli_parse(const struct cli_command *cmd, void *request, int argc, char **argv, char ***operands)
{
	const struct cli_option *o;
	int index = 1, n = 1, code = 0;
	bool bad = false, ended = false;
	char *value;

	*operands = argv + 1;
	while (!code) {
		int before = index;

		o = ended ? NULL : cli_next(cmd, argc, argv, &index, &value, &bad);
		if (bad)
			return PMK_EXIT_USAGE;
		ended |= !o && index > before; /* after "--" */
		if (o) {
			code = cli_apply(cmd, o, request, value);
		} else if (index >= argc || cmd->program) {
			if (cmd->program)
				*operands = argv + index;
			else
				argv[n] = NULL;
			return 0;
		} else {
			argv[n++] = argv[index++];
		}
	}
	return code;
}

int cli_default_recording(const struct cli_command *cmd, const char **path)
{
	if (*path)
		return 0;
	*path = "pmk.data";
	if (access(*path, F_OK))
		return cli_fail(
			PMK_EXIT_USAGE,
			"no FILE was given, and there is no pmk.data in the current folder (pmk %s "
			"--help)",
			cmd->name);
	return 0;
}

void cli_help(FILE *f, const struct cli_command *cmd)
{
	fprintf(f, "usage: pmk %s %s\n\n%s\n\n", cmd->name, cmd->usage, cmd->brief);
	for (const struct cli_option *o = cmd->options; o->name; o++) {
		char left[64], letter[5] = "    ";
		int columns;

		if (o->letter)
			snprintf(letter, sizeof(letter), "-%c, ", o->letter);
		snprintf(left, sizeof(left), "  %s--%s%s%s", letter, o->name, o->arg ? " " : "",
			 o->arg ? o->arg : "");
		columns = (int)pmk_printable_columns(left, strlen(left));
		fprintf(f, "%s%*s %s\n", left, columns < 32 ? 32 - columns : 0, "", o->help);
	}
}

/* ---- files ---------------------------------------------------------------------------------- */

int cli_fault(struct pmk_count_fault *f)
{
	int code = f->failure;

	if (code)
		cli_fail(code, "%s", pmk_count_fault_text(f));
	pmk_count_fault_free(f);
	return code;
}

const char *cli_data_dir(void)
{
	static char path[PATH_MAX];
	struct pmk_count_fault f = { 0 };

	if (*path || !pmk_files_data(path, NULL, &f))
		return path;
	cli_fault(&f);
	*path = '\0';
	return NULL;
}

struct pmk_metrics *cli_metrics(void)
{
	static struct pmk_metrics *all;
	const char *data = all ? NULL : cli_data_dir();
	struct pmk_count_fault why = { 0 }, f = { 0 };

	if (all || !data)
		return all;
	pmk_files_metrics(&all, data, &why, &f);
	cli_fault(&why);
	cli_fault(&f);
	return all;
}

const char *cli_core_name(const char *name)
{
	const char *data = cli_data_dir();

	return data ? pmk_files_core_name(data, name) : name;
}

char **cli_core_names(void)
{
	const char *data = cli_data_dir();
	struct pmk_count_fault f = { 0 };
	char **names = data ? pmk_files_cores(data, &f) : NULL;

	cli_fault(&f);
	return names;
}

int cli_layout(struct pmk_ahbmon_layout_file *file, const char *path)
{
	const char *data = path ? NULL : cli_data_dir();
	struct pmk_count_fault f = { 0 };

	if (!path && !data)
		return PMK_EXIT_FAILED;
	pmk_monitor_layout(file, path, data, &f);
	return cli_fault(&f);
}
