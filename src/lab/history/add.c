// SPDX-License-Identifier: MIT
/*
 * Adds the counts of a commit to the database: from a program that is run now, or from the last
 * sweep.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/count.h>
#include <pmk/error.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/sha256.h"
#include "base/tool.h"
#include "cli/cli.h"
#include "cli/counting.h"
#include "lab/history/history.h"
#include "lab/sweep/key.h"
#include "count/command.h"
#include "profile/recording/recording.h"

/* ---- counting -------------------------------------------------------------------------------- */

/* The counts of a run, in the form that the database needs. */
struct counted {
	struct pmk_count *count;
	struct pmk_count_summary sum;
	struct pmk_store_value *value;
	size_t nvalues, room;
	struct pmk_store_setting *setting;
	size_t nsettings;
	char *settings;	       /* settings as text */
	struct pmk_words kept; /* texts of values that come from the database */
};

static void counted_free(struct counted *c)
{
	pmk_count_free(c->count);
	for (size_t i = 0; i < c->nsettings; i++)
		free((char *)c->setting[i].name);
	free(c->setting);
	free(c->value);
	free(c->settings);
	pmk_words_free(&c->kept);
}

static int request_events(const struct history_request *q, struct pmk_count *count)
{
	for (unsigned i = 0; i < q->events.count; i++)
		if (pmk_count_set(count, "event", q->events.word[i]))
			return cli_count_failed(count);
	if (!q->events.count && pmk_count_set(count, "event", HISTORY_EVENTS))
		return cli_count_failed(count);
	for (unsigned i = 0; i < q->settings.count; i++)
		if (pmk_count_set(count, "set", q->settings.word[i]))
			return cli_count_failed(count);
	if ((q->core && pmk_count_set(count, "core", q->core)) ||
	    (q->target && pmk_count_set(count, "target", q->target)) ||
	    pmk_count_program(count, q->operand))
		return cli_count_failed(count);
	return 0;
}

/* Fails if the program failed. Its counts are meaningless, and would look like a change of
 * speed. */
static int check_end(const struct counted *c)
{
	if (c->sum.partial)
		return cli_fail(PMK_EXIT_FAILED,
				"history: %s was not counted to its end; its "
				"counts are not added",
				c->sum.command);
	if (c->sum.exit_code)
		return cli_fail(PMK_EXIT_FAILED,
				"history: %s ended with exit code %" PRId32 "; its counts are "
				"not added",
				c->sum.command, c->sum.exit_code);
	return 0;
}

static bool add_value(struct counted *c, const struct pmk_store_value *v)
{
	return PMK_APPEND(c->value, c->nvalues, c->room, *v);
}

/* Reads the rows of the whole program. The database has no place for parts of a program. */
static int take_rows(struct counted *c)
{
	struct pmk_count_row row = { .size = sizeof(row) };

	for (uint32_t i = 0; pmk_count_get_row(c->count, i, &row); i++)
		if (!add_value(c, &(struct pmk_store_value){ .event = row.name,
							     .pmu = row.pmu,
							     .trust = row.trust,
							     .reason = row.reason,
							     .unit = row.unit,
							     .has_value = row.has_value,
							     .value = row.value }))
			return cli_no_memory();
	return 0;
}

/*
 * Fails if no event has a count, as on a machine without counters: there is nothing to store. With
 * --fail-over this is not an error, because the comparison reports each missing count.
 */
static int check_counted(const struct history_request *q, const struct counted *c)
{
	const char *reason = NULL;

	for (size_t i = 0; i < c->nvalues; i++) {
		if (c->value[i].has_value)
			return 0;
		reason = reason ? reason : c->value[i].reason;
	}
	if (q->judged && c->nvalues)
		return 0;
	return cli_fail(PMK_EXIT_FAILED, "history: nothing was counted%s%s", reason ? ": " : "",
			reason ? reason : "");
}

static int by_setting(const void *a, const void *b)
{
	const struct pmk_store_setting *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Adds "KEY=VALUE". If a key is given twice, the last value wins. */
static bool add_setting(struct counted *c, char *word)
{
	char *name = strdup(word), *value = name ? strchr(name, '=') : NULL;
	size_t i = 0;

	if (!name)
		return false;
	if (!value) {
		free(name);
		return true;
	}
	*value++ = '\0';
	while (i < c->nsettings && strcmp(c->setting[i].name, name))
		i++;
	if (i < c->nsettings)
		free((char *)c->setting[i].name);
	else
		c->nsettings++;
	c->setting[i] = (struct pmk_store_setting){ name, value };
	return true;
}

static int take_settings(const struct history_request *q, struct counted *c)
{
	size_t n = 1;
	bool fits = true;

	for (unsigned i = 0; i < q->settings.count; i++)
		for (const char *at = q->settings.word[i]; at;
		     at = strchr(at, ','), at += at != NULL)
			n++;
	c->setting = calloc(n, sizeof(*c->setting));
	for (unsigned i = 0; c->setting && fits && i < q->settings.count; i++) {
		char *list = strdup(q->settings.word[i]), *rest = list, *word;

		fits = list;
		while (fits && (word = strsep(&rest, ",")))
			fits = add_setting(c, word);
		free(list);
	}
	if (!c->setting || !fits)
		return cli_no_memory();
	qsort(c->setting, c->nsettings, sizeof(*c->setting), by_setting);
	c->settings = pmk_store_settings(c->setting, c->nsettings);
	return c->settings ? 0 : cli_no_memory();
}

char *history_settings(const struct history_request *q)
{
	struct counted c = { 0 };
	char *text = take_settings(q, &c) ? NULL : c.settings;

	if (text)
		c.settings = NULL;
	counted_free(&c);
	return text;
}

/*
 * The standard streams of pmk, which are replaced while the program runs, because the program
 * inherits them. The counts of a program can depend on where its output goes, so the output always
 * goes to /dev/null.
 */
struct streams {
	int out, err;  /* the original streams */
	FILE *written; /* file with the output on standard error */
};

/*
 * Discards standard output. Standard error goes to a file, which is printed if the run fails.
 */
static bool streams_replace(struct streams *s)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(stdout);
	s->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	s->err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	s->written = tmpfile();
	if (null < 0 || !s->written || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(fileno(s->written), STDERR_FILENO) < 0)
		return false;
	return !close(null);
}

static void streams_restore(struct streams *s)
{
	const int was[] = { s->out, s->err };

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (was[fd - 1] < 0)
			close(fd);
		else if (dup2(was[fd - 1], fd) == fd)
			close(was[fd - 1]);
	}
}

static void streams_show_errors(struct streams *s)
{
	char chunk[4096];
	size_t n;

	rewind(s->written);
	while ((n = fread(chunk, 1, sizeof(chunk), s->written)) > 0)
		fwrite(chunk, 1, n, stderr);
}

static int run_counted(struct counted *c)
{
	struct streams s;
	bool replaced = streams_replace(&s);
	int error = errno, code = replaced ? pmk_count_run(c->count, NULL) : 0;

	streams_restore(&s);
	if (!replaced)
		return cli_fail(PMK_EXIT_FAILED, "history: cannot redirect the output: %s",
				strerror(error));
	c->sum.size = sizeof(c->sum);
	pmk_count_get_summary(c->count, &c->sum);
	if (code || c->sum.exit_code || c->sum.partial)
		streams_show_errors(&s);
	fclose(s.written);
	return code ? cli_count_failed(c->count) : 0;
}

/*
 * Counts the program. The caller must free `c` even after an error. Returns 0, or an exit code
 * after an error message.
 */
static int count_program(const struct history_request *q, struct counted *c)
{
	int code;

	c->count = pmk_count_new_for_command();
	code = request_events(q, c->count);
	if (code)
		return code;
	if (q->record)
		pmk_count_record(c->count, false);
	cli_catch_signals(c->count);
	code = run_counted(c);
	code = code ? code : check_end(c);
	if (!code && c->sum.threads > c->sum.processes)
		cli_fail(0, "history: " PMK_THREADS_NOTE);
	code = code ? code : take_rows(c);
	code = code ? code : take_settings(q, c);
	return code ? code : check_counted(q, c);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Adds a text to the hash, after its length, so that no two lists of texts have the same bytes. */
static void add_text(struct pmk_sha256 *h, const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	pmk_sha256_add(h, &n, sizeof(n));
	pmk_sha256_add(h, text ? text : "", n);
}

/*
 * Computes the key of a program that was run. Keys of sweeps include more and are built
 * differently, so keys of the two kinds never match.
 */
static int key_program(const char *path, const char *command, pmk_store_key key, char about[80])
{
	uint8_t file[PMK_SHA256];
	struct pmk_sha256 h;
	int err = path ? pmk_sha256_file(path, file) : 0;

	if (err)
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", path, strerror(err));
	strcpy(about, "program ");
	if (path)
		pmk_sha256_text(file, sizeof(file), about + strlen(about));
	pmk_sha256_begin(&h);
	add_text(&h, "history program");
	add_text(&h, about);
	add_text(&h, command);
	pmk_store_key_end(&h, key);
	return 0;
}

static void key_config(const char *core, const char *settings, pmk_store_key key)
{
	struct pmk_sha256 h;

	pmk_sha256_begin(&h);
	add_text(&h, "history config");
	add_text(&h, core);
	add_text(&h, settings);
	pmk_store_key_end(&h, key);
}

/*
 * Computes the key of the cell, which also depends on the counts. Not all inputs of a program are
 * known, so two runs with different counts become two cells.
 */
static void key_cell(struct pmk_store_cell *cell)
{
	struct pmk_sha256 h;

	pmk_sha256_begin(&h);
	add_text(&h, "history cell");
	pmk_sha256_add(&h, cell->program->hash, PMK_STORE_KEY);
	pmk_sha256_add(&h, cell->config->hash, PMK_STORE_KEY);
	for (size_t i = 0; i < cell->nvalues; i++) {
		const struct pmk_store_value *v = &cell->values[i];

		add_text(&h, v->event);
		add_text(&h, v->pmu);
		add_text(&h, v->trust);
		add_text(&h, v->reason);
		pmk_sha256_add(&h, &v->value, sizeof(v->value));
	}
	pmk_store_key_end(&h, cell->key);
}

const char *history_program(const struct history_request *q)
{
	return q->name ? q->name : pmk_file_name(q->operand[0]);
}

/* ---- recordings ------------------------------------------------------------------------------ */

/* Stores the recording in a folder next to the database, under the key of the cell. */
static int put_recording(const struct history_request *q, struct pmk_store *store,
			 const struct pmk_store_cell *cell, int64_t id, struct counted *c)
{
	const struct pmk_recording *rec = pmk_count_recording(c->count);
	char key[2 * PMK_STORE_KEY + 1], msg[1024], *path = NULL, *full, *folder;
	int code = 0;

	if (!rec)
		return cli_fail(PMK_EXIT_FAILED, "history: nothing was recorded");
	pmk_sha256_text(cell->key, PMK_STORE_KEY, key);
	if (asprintf(&path, "%s.recordings/%s.data", pmk_file_name(q->database), key) < 0)
		return cli_no_memory();
	full = history_recording(q->database, path);
	folder = full ? strdup(full) : NULL;
	if (folder) {
		*strrchr(folder, '/') = '\0';
		/* If this fails, the next call also fails and reports the reason. */
		mkdir(folder, 0777);
		if (pmk_recording_write(rec, full, NULL, msg, sizeof(msg)))
			code = cli_fail(PMK_EXIT_FAILED, "%s: %s", full, msg);
		else
			code = history_check(store, pmk_store_record(store, id, path));
	} else {
		code = cli_no_memory();
	}
	free(folder);
	free(full);
	free(path);
	return code;
}

/* ---- the database ---------------------------------------------------------------------------- */

struct pmk_store *history_open(const struct history_request *q, enum pmk_store_how how, int *code)
{
	struct pmk_store *store;
	char msg[512];

	*code = 0;
	if (pmk_store_open(&store, q->database, how, msg, sizeof(msg)))
		*code = cli_fail(PMK_EXIT_FAILED, "%s", msg);
	return store;
}

/* The earlier counts of the commit for the program, core and settings of `point`. */
struct earlier {
	const struct pmk_store_point *point;
	struct counted *c;
	int64_t cell; /* the cell with these counts; 0: there is none */
	bool differs; /* true if an event was counted again with another result */
};

/* Copies a text; NULL stays NULL. Returns false if out of memory. */
static bool keep_text(struct counted *c, const char **text)
{
	if (*text && !pmk_words_add(&c->kept, *text))
		return false;
	*text = *text ? c->kept.word[c->kept.count - 1] : NULL;
	return true;
}

/* Keeps an earlier value if its event was not counted this time. Otherwise sets e->differs if the
 * two counts differ. */
static bool keep_value(struct earlier *e, struct pmk_store_value v, size_t counted)
{
	struct counted *c = e->c;

	for (size_t i = 0; i < counted; i++)
		if (!strcmp(c->value[i].event, v.event)) {
			e->differs |= c->value[i].has_value != v.has_value ||
				      (v.has_value && c->value[i].value != v.value);
			return true;
		}
	return keep_text(c, &v.event) && keep_text(c, &v.pmu) && keep_text(c, &v.trust) &&
	       keep_text(c, &v.reason) && keep_text(c, &v.unit) && add_value(c, &v);
}

static bool is_same_point(const struct pmk_store_point *a, const struct pmk_store_point *b)
{
	bool same = !strcmp(a->name, b->name) && !strcmp(a->core, b->core) &&
		    a->nsettings == b->nsettings;

	for (size_t i = 0; same && i < a->nsettings; i++)
		same = !strcmp(a->settings[i].name, b->settings[i].name) &&
		       !strcmp(a->settings[i].value, b->settings[i].value);
	return same;
}

static int take_earlier(void *ctx, const struct pmk_store_row *row)
{
	struct earlier *e = ctx;
	size_t counted = e->c->nvalues;

	if (row->failure || !is_same_point(&row->point, e->point))
		return 0;
	e->cell = row->cell;
	for (size_t i = 0; i < row->nvalues; i++)
		if (!keep_value(e, row->values[i], counted))
			return PMK_ENOMEM;
	return 0;
}

/* Keeps the recording of an earlier run unless the counts differ. */
static int keep_recording(struct pmk_store *store, const struct earlier *e, int64_t id)
{
	char path[512];
	int err;

	if (!e->cell || e->cell == id || e->differs)
		return 0;
	err = pmk_store_recorded(store, e->cell, path, sizeof(path));
	return err || !*path ? err : pmk_store_record(store, id, path);
}

static int store_counts(const struct history_request *q, struct pmk_store *store, int64_t revision,
			struct counted *c)
{
	const char *file = pmk_count_file(c->count);
	const char *core = c->sum.core ? c->sum.core : c->sum.pmu;
	struct pmk_store_program program = { .path = file ? file : q->operand[0],
					     .command = c->sum.command };
	struct pmk_store_config config = {
		.core = core, .isa = "", .parameters = c->settings, .checked = c->sum.checked
	};
	struct pmk_store_cell cell = { .program = &program,
				       .config = &config,
				       .seconds = c->sum.elapsed };
	struct pmk_store_point point = { .revision = revision,
					 .name = history_program(q),
					 .core = core,
					 .settings = c->setting,
					 .nsettings = c->nsettings };
	struct earlier earlier = { .point = &point, .c = c };
	char about[80];
	int64_t id = 0;
	int code = key_program(file, c->sum.command, program.hash, about), err;

	if (!code)
		code = history_check(store,
				     pmk_store_points(store, revision, take_earlier, &earlier));
	if (code)
		return code;
	cell.values = c->value;
	cell.nvalues = c->nvalues;
	program.about = about;
	key_config(core, c->settings, config.hash);
	key_cell(&cell);
	err = pmk_store_put(store, &cell, &id);
	if (!err)
		err = pmk_store_name(store, &point, id);
	if (!err && !q->record)
		err = keep_recording(store, &earlier, id);
	code = history_check(store, err);
	return code || !q->record ? code : put_recording(q, store, &cell, id, c);
}

struct sweep {
	struct pmk_store *store;
	int64_t revision;
	size_t n;
};

static int take_point(void *ctx, const struct pmk_store_row *row)
{
	struct sweep *s = ctx;
	struct pmk_store_point point = row->point;

	point.revision = s->revision;
	s->n++;
	return pmk_store_name(s->store, &point, row->cell);
}

/* Adds the counts of the last sweep as the counts of this commit. */
static int put_sweep(const struct history_request *q, struct pmk_store *store, int64_t revision)
{
	struct sweep s = { .store = store, .revision = revision };
	int err = pmk_store_points(store, 0, take_point, &s);

	if (!err && !s.n)
		return cli_fail(PMK_EXIT_USAGE,
				"history add: no program was given, and %s has no sweep to take "
				"programs from",
				q->database);
	return history_check(store, err);
}

/* ---- commands -------------------------------------------------------------------------------- */

static int store_commit(struct pmk_store *store, const struct history_commit *c, int64_t *id)
{
	struct pmk_store_revision r = {
		.name = c->name, .subject = c->subject, .time = c->time, .verdict = c->verdict
	};

	return history_check(store, pmk_store_revision(store, &r, id));
}

static long index_of(const struct history *h, int64_t id)
{
	for (size_t i = 0; i < h->ncommits; i++)
		if (h->commit[i].id == id)
			return (long)i;
	return -1;
}

/* Compares the commit with the last good one, and stores the verdict. */
static int judge_commit(const struct history_request *q, struct pmk_store *store, int64_t id)
{
	struct history h;
	struct history_commit *c;
	struct history_judged j;
	long at, base;
	int code = history_read(&h, store);

	if (code) {
		history_free(&h);
		return code;
	}
	at = index_of(&h, id);
	base = q->good ? history_find(&h, q->good) : -1;
	if (q->good && base < 0) {
		history_free(&h);
		return PMK_EXIT_USAGE;
	}
	c = &h.commit[at];
	j = history_judge(&h, base, (size_t)at, q->limit);
	c->verdict = j.over ? PMK_STORE_BAD : PMK_STORE_GOOD;
	if (!j.over && (j.missing || history_says_nothing(&h, base, (size_t)at, &j)))
		c->verdict = PMK_STORE_OPEN;
	code = store_commit(store, c, &id);
	history_free(&h);
	return code ? code : j.over || j.missing ? HISTORY_OVER : 0;
}

/* Adds the counts in `c` or, if `c` is NULL, the counts of the last sweep. *id receives the id
 * of the commit. */
static int add_commit(const struct history_request *q, struct pmk_store *store,
		      struct history_commit *commit, struct counted *c, int64_t *id)
{
	struct history h;
	int code;

	/* Find the commit's verdict, which it keeps until it is judged again. */
	code = history_read(&h, store);
	for (size_t i = 0; !code && i < h.ncommits; i++)
		if (!strcmp(h.commit[i].name, commit->name))
			commit->verdict = h.commit[i].verdict;
	history_free(&h);
	if (!code)
		code = history_check(store, pmk_store_begin(store));
	if (!code)
		code = store_commit(store, commit, id);
	if (!code)
		code = c ? store_counts(q, store, *id, c) : put_sweep(q, store, *id);
	if (!code)
		code = history_check(store, pmk_store_commit(store));
	return code;
}

int history_add(const struct history_request *q)
{
	struct counted c = { 0 };
	struct history_commit commit = { 0 };
	struct pmk_store *store;
	int64_t id = 0;
	int code = 0;

	if (!q->commit)
		return cli_fail(PMK_EXIT_USAGE, "history add needs the name of the commit: "
						"--commit ID");
	code = history_commit(&commit, q->commit);
	if (!code && *q->operand)
		code = count_program(q, &c);
	if (!code && *q->operand)
		code = history_check_stale(commit.name, pmk_count_file(c.count));
	if (code) {
		history_commit_free(&commit);
		counted_free(&c);
		return code;
	}
	store = history_open(q, PMK_STORE_ADD, &code);
	if (!code)
		code = add_commit(q, store, &commit, *q->operand ? &c : NULL, &id);
	if (!code && q->judged)
		code = judge_commit(q, store, id);
	pmk_store_close(store);
	history_commit_free(&commit);
	counted_free(&c);
	return code;
}

/* ---- testing a commit ------------------------------------------------------------------------ */

static uint64_t absolute_difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Returns 1 if the counts are bad, 0 if they are good, and HISTORY_SKIP if this cannot be decided.
 * Without a limit, each count is compared with the counts of the good and of the bad commit, and
 * the nearer count decides. Series that are equal in these two commits, or missing in one of them,
 * are ignored.
 */
static int judge_counts(const struct history_request *q, const struct history *h,
			const char *commit)
{
	long good = history_find(h, q->good), bad = q->bad ? history_find(h, q->bad) : -1;
	long at = history_find(h, commit);
	struct history_judged j;
	bool any = false;

	if (good < 0 || at < 0 || (q->bad && bad < 0))
		return HISTORY_SKIP;
	if (q->judged) {
		j = history_judge(h, good, (size_t)at, q->limit);
		if (j.compared)
			return j.over ? HISTORY_OVER : 0;
		return cli_fail(
			HISTORY_SKIP,
			"history test: %s has no counts of these events to compare with; 'pmk "
			"history add' adds them",
			q->good);
	}
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];
		const struct history_count *a = &s->at[good], *b = &s->at[bad], *x = &s->at[at];

		if (s->left_out || !a->has_value || !b->has_value || !x->has_value ||
		    a->value == b->value)
			continue;
		any = true;
		if (absolute_difference(x->value, b->value) <
		    absolute_difference(x->value, a->value))
			return HISTORY_OVER;
	}
	if (any)
		return 0;
	cli_fail(0,
		 "history test: no count of %s differs between the good and the bad commit; name "
		 "other commits or events",
		 history_program(q));
	return HISTORY_SKIP;
}

int history_test(const struct history_request *q)
{
	const char *const build[] = { "sh", "-c", q->build, NULL };
	const char *const words[] = { "git", "rev-parse", "HEAD", NULL };
	struct history_request now = *q;
	struct history h = { 0 };
	struct pmk_store *store;
	char head[64];
	int code;

	if (!*q->operand || !q->good || (!q->bad && !q->judged))
		return cli_fail(PMK_EXIT_USAGE, "history test needs a program, --good, and "
						"--bad or --fail-over");
	if (pmk_tool_run(words, PMK_ERRORS_DROPPED, 0, head, sizeof(head)))
		return cli_fail(HISTORY_SKIP, "history test: the current folder is not in a git "
					      "checkout");
	head[strcspn(head, "\n")] = '\0';
	if (q->build && pmk_tool_run(build, PMK_ERRORS_SHOWN, 0, NULL, 0))
		return cli_fail(HISTORY_SKIP, "history test: %.10s is skipped: '%s' fails", head,
				q->build);
	now.commit = head;
	now.judged = false;
	if (history_add(&now))
		return HISTORY_SKIP;
	store = history_open(q, PMK_STORE_READ, &code);
	if (!code)
		code = history_read(&h, store);
	if (!code && !history_leave_out(&h, q))
		code = cli_no_memory();
	code = code ? HISTORY_SKIP : judge_counts(q, &h, head);
	history_free(&h);
	pmk_store_close(store);
	return code;
}
