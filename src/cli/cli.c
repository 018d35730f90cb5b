// SPDX-License-Identifier: MIT
/*
 * What the commands share: options, hints, event names, and where the data files are.
 *
 * The look-ups that are made once (paths, metrics) are kept in static variables: this is the
 * program, not the library, and it has one thread.
 */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"

int cli_fail(int code, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("pmk: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return code;
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
	struct winsize size;

	return ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

void cli_nearest(const char *word, const char *(*next)(const void *ctx, unsigned i),
		 const void *ctx, char *buf, size_t size)
{
	struct pmk_nearest near;
	const char *name;

	pmk_nearest_init(&near, word);
	for (unsigned i = 0; (name = next(ctx, i)); i++)
		pmk_nearest_offer(&near, name);
	pmk_nearest_text(&near, buf, size);
}

/* ---- options -------------------------------------------------------------------------------- */

static const char *option_name(const void *ctx, unsigned i)
{
	const struct cli_option *options = ctx;

	return options[i].name;
}

/* A long name, or the unambiguous beginning of one. */
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

static const struct cli_option *wrong(const struct cli_command *cmd, const char *arg, bool *bad)
{
	char near[160] = "", name[64];

	*bad = true;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
	if (arg[1] == '-')
		cli_nearest(name, option_name, cmd->options, near, sizeof(near));
	if (*near)
		cli_fail(0, "%s has no option '%s'; did you mean --%s?", cmd->name, arg, near);
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
		return wrong(cmd, arg, bad);
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
		return wrong(cmd, arg, bad);
	if (!o->arg && arg[2]) {
		/* -jv: what is left becomes an argument of its own, "-v", in place. */
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

/* Columns a UTF-8 text takes: help texts have "…" in them. */
static int columns(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xC0) != 0x80;
	return n;
}

void cli_help(FILE *f, const struct cli_command *cmd)
{
	fprintf(f, "usage: pmk %s %s\n\n%s\n\n", cmd->name, cmd->usage, cmd->brief);
	for (const struct cli_option *o = cmd->options; o->name; o++) {
		char left[64], letter[5] = "    ";

		if (o->letter)
			snprintf(letter, sizeof(letter), "-%c, ", o->letter);
		snprintf(left, sizeof(left), "  %s--%s%s%s", letter, o->name, o->arg ? " " : "",
			 o->arg ? o->arg : "");
		fprintf(f, "%s%*s %s\n", left, columns(left) < 32 ? 32 - columns(left) : 0, "",
			o->help);
	}
}

bool words_add(struct word_list *l, const char *word)
{
	char **bigger = realloc(l->word, (l->count + 2) * sizeof(*bigger));

	if (!bigger)
		return false;
	l->word = bigger;
	l->word[l->count] = strdup(word);
	if (!l->word[l->count])
		return false;
	l->word[++l->count] = NULL;
	return true;
}

void words_free(struct word_list *l)
{
	for (unsigned i = 0; i < l->count; i++)
		free(l->word[i]);
	free(l->word);
	*l = (struct word_list){ 0 };
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The directory of the running program; NULL when it cannot be told. */
static const char *exe_dir(void)
{
	static char dir[PATH_MAX];
	ssize_t n;
	char *slash;

	if (*dir)
		return dir;
	n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	if (n <= 0)
		return NULL;
	dir[n] = '\0';
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return NULL;
	*slash = '\0';
	return dir;
}

/* "<dir>/<rest>" into `path`; true when it exists. */
static bool found(char *path, size_t size, const char *dir, const char *rest)
{
	int n = snprintf(path, size, "%s/%s", dir, rest);

	return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

/* The data directory of the source tree, when the program lies in the tree it was built in. */
static const char *source_data(const char *dir)
{
#if defined(PMK_BUILD_DIR) && defined(PMK_SOURCE_DATA)
	size_t n = strlen(PMK_BUILD_DIR);

	if (strncmp(dir, PMK_BUILD_DIR, n) == 0 && (dir[n] == '\0' || dir[n] == '/'))
		return PMK_SOURCE_DATA;
#endif
	(void)dir;
	return NULL;
}

const char *cli_data_dir(void)
{
	static char path[PATH_MAX];
	const char *env = getenv("PMK_DATA"), *dir = exe_dir();

	if (env && *env)
		return env;
	if (*path)
		return path;
	if (dir && source_data(dir) && access(source_data(dir), R_OK) == 0)
		return source_data(dir);
	if (dir && found(path, sizeof(path), dir, "../share/pmk"))
		return path;
	cli_fail(0,
		 "no data directory with cores/ and metrics/ (looked for %s); set PMK_DATA to it",
		 *path ? path : "../share/pmk beside the program");
	*path = '\0';
	return NULL;
}

const char *cli_plugin_path(const char *module)
{
	static char path[PATH_MAX];
	const char *env = getenv("PMK_PLUGIN"), *dir = exe_dir();
	char installed[128];
	struct stat st;

	if (env && *env) {
		if (stat(env, &st) || !S_ISDIR(st.st_mode))
			return env;
		return found(path, sizeof(path), env, module) ? path : NULL;
	}
	if (dir && found(path, sizeof(path), dir, module))
		return path;
	snprintf(installed, sizeof(installed), "../lib/pmk/%s", module);
	return dir && found(path, sizeof(path), dir, installed) ? path : NULL;
}

const char *cli_build_qemu(void)
{
	static char path[PATH_MAX];
	const char *dir = exe_dir();
	char script[PATH_MAX];

	if (dir && found(script, sizeof(script), dir, "../lib/pmk/build-qemu") &&
	    realpath(script, path))
		return path;
	return "make qemu";
}

struct pmk_metrics *cli_metrics(void)
{
	static struct pmk_metrics *all;
	const char *data = cli_data_dir(), *config = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");
	char own[PATH_MAX], users[PATH_MAX], msg[PATH_MAX + 256];
	const char *dirs[] = { own, users, NULL };

	if (all || !data)
		return all;
	snprintf(own, sizeof(own), "%s/metrics", data);
	if (config && *config)
		snprintf(users, sizeof(users), "%s/pmk/metrics", config);
	else if (home && *home)
		snprintf(users, sizeof(users), "%s/.config/pmk/metrics", home);
	else
		dirs[1] = NULL;
	if (pmk_metrics_load(&all, dirs, msg, sizeof(msg)) == 0)
		return all;
	cli_fail(0, "%s", msg);
	/* What is wrong with the user's own metrics must not keep anybody from counting. */
	dirs[1] = NULL;
	if (pmk_metrics_load(&all, dirs, msg, sizeof(msg)) != 0)
		cli_fail(0, "%s", msg);
	return all;
}

static int is_preset(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 4, ".ini") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

char **cli_core_names(void)
{
	const char *data = cli_data_dir();
	struct dirent **entries = NULL;
	char dir[PATH_MAX], **names;
	bool full = true;
	int n;

	if (!data)
		return NULL;
	snprintf(dir, sizeof(dir), "%s/cores", data);
	n = scandir(dir, &entries, is_preset, by_name);
	if (n < 0) {
		cli_fail(0, "%s: %s", dir, strerror(errno));
		return NULL;
	}
	names = calloc((size_t)n + 1, sizeof(*names));
	for (int i = 0; i < n; i++) {
		char *name = entries[i]->d_name;

		if (names)
			names[i] = strndup(name, strlen(name) - strlen(".ini"));
		full = full && names && names[i];
		free(entries[i]);
	}
	free(entries);
	if (full && names)
		return names;
	cli_free_names(names);
	cli_fail(0, "out of memory");
	return NULL;
}

void cli_free_names(char **names)
{
	for (unsigned i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

/* ---- events --------------------------------------------------------------------------------- */

#define MAX_EVENT 128

/* Names of a PMU's events, then the aliases, one by one. The words of an alias text are handed out
 * through `word`. */
struct event_names {
	const struct pmk_pmu *pmu;
	char (*words)[MAX_EVENT];
	unsigned n;
};

static const char *event_name(const void *ctx, unsigned i)
{
	const struct event_names *names = ctx;

	return i < names->n ? names->words[i] : NULL;
}

static unsigned count_words(const struct pmk_pmu *pmu, char (*words)[MAX_EVENT])
{
	unsigned n = 0;

	for (unsigned i = 0; i < pmu->nevents; i++) {
		const struct pmk_event *ev = &pmu->events[i];
		const char *at = ev->aliases;

		if (!pmk_pmu_has(pmu, ev))
			continue;
		if (words)
			snprintf(words[n], MAX_EVENT, "%s", ev->name);
		n++;
		while (at && *at) {
			size_t length = strcspn(at, " ");

			if (words)
				snprintf(words[n], MAX_EVENT, "%.*s", (int)length, at);
			n++;
			at += length + strspn(at + length, " ");
		}
	}
	return n;
}

static void nearest_events(const struct pmk_pmu *pmu, const char *name, char *buf, size_t size)
{
	struct event_names names = { .pmu = pmu, .n = count_words(pmu, NULL) };

	*buf = '\0';
	names.words = calloc(names.n ? names.n : 1, sizeof(*names.words));
	if (!names.words)
		return;
	count_words(pmu, names.words);
	cli_nearest(name, event_name, &names, buf, size);
	free(names.words);
}

/* r0b, 0x0b or event=0x0b: an event by its code. False: it is not written like one. */
static bool raw_code(const char *text, unsigned *code)
{
	const char *digits;
	unsigned long v;
	char *end;

	if (strncmp(text, "event=", 6) == 0)
		text += 6;
	digits = text[0] == 'r' || text[0] == 'R'			? text + 1
		 : text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? text + 2
									: NULL;
	if (!digits || !*digits || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
		return false;
	errno = 0;
	v = strtoul(digits, &end, 16);
	*code = errno || v > UINT_MAX ? UINT_MAX : (unsigned)v;
	return true;
}

/* pmu/event/ and pmu::event: cut off the PMU and check that it is this one. */
static bool strip_pmu(const struct pmk_pmu *pmu, const char *text, char *name, size_t size)
{
	const char *slash = strchr(text, '/'), *colons = strstr(text, "::");
	const char *begin = slash ? slash + 1 : colons ? colons + 2 : text;
	size_t n = strlen(begin), prefix = slash    ? (size_t)(slash - text)
					   : colons ? (size_t)(colons - text)
						    : 0;
	const struct pmk_pmu *named;
	char other[MAX_EVENT];

	if (slash && n && begin[n - 1] == '/')
		n--;
	snprintf(name, size, "%.*s", n < size ? (int)n : (int)size - 1, begin);
	if (begin == text)
		return true;
	snprintf(other, sizeof(other), "%.*s", prefix < sizeof(other) ? (int)prefix : MAX_EVENT - 1,
		 text);
	named = pmk_pmu_find(other);
	/* One that was configured otherwise is still called by its name. */
	if (named && !strcmp(named->name, pmu->name))
		return true;
	cli_fail(0,
		 named ? "'%s' is an event of %s, but %s does the counting"
		       : "'%s': there is no PMU '%s'; here it is %s",
		 text, named ? named->name : other, pmu->name);
	return false;
}

/* The first other core that has the event; NULL if it is nobody's. */
static const struct pmk_pmu *owner(const char *name)
{
	for (unsigned i = 0; pmk_pmus[i]; i++)
		if (pmk_pmu_event(pmk_pmus[i], name))
			return pmk_pmus[i];
	return NULL;
}

const struct pmk_event *cli_event(const struct pmk_pmu *pmu, const char *text)
{
	const struct pmk_event *ev;
	char name[MAX_EVENT], near[256];
	unsigned code;

	if (!strip_pmu(pmu, text, name, sizeof(name)))
		return NULL;
	ev = pmk_pmu_event(pmu, name);
	if (!ev && raw_code(name, &code)) {
		ev = pmk_pmu_event_code(pmu, code);
		if (!ev)
			cli_fail(
				0,
				"%s has no event with code 0x%02x; 'pmk list events --pmu %s' shows all",
				pmu->name, code, pmu->name);
		return ev;
	}
	if (ev)
		return ev;
	nearest_events(pmu, name, near, sizeof(near));
	if (owner(name))
		cli_fail(0,
			 "%s has no event '%s', that is one of %s's; 'pmk list events --pmu %s' "
			 "shows all",
			 pmu->name, name, owner(name)->name, pmu->name);
	else if (*near)
		cli_fail(0, "%s has no event '%s'; did you mean %s?", pmu->name, name, near);
	else
		cli_fail(0, "%s has no event '%s'; 'pmk list events --pmu %s' shows all", pmu->name,
			 name, pmu->name);
	return NULL;
}
