// SPDX-License-Identifier: MIT
/*
 * pmk sweep: counts many programs on many cores with many settings, and stores the counts in a
 * database. If it is given a database, it prints the contents. The other files of this folder make
 * the cells and keys.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/html/html.h"
#include "cli/output.h"
#include "lab/sweep/command.h"
#include "lab/sweep/run.h"
#include "lab/sweep/sweep.h"

#define MOST_JOBS     1024
#define MOST_TASKS    1000000
#define EXIT_FAILURES 1 /* some cells have no counts */

struct sweep {
	const char *file; /* a plan, or a database to print */
	const char *output, *separator;
	const char *engine;
	char *pareto, *heat;
	const char *sensitivity, *html;
	char **others;	      /* with --collect: all databases except the first */
	char *list;	      /* argument of --task; NULL: not given */
	unsigned task, ntask; /* number of the task, and of all tasks */
	unsigned jobs, tasks;
	bool retry, dry_run, json, collect;
};

static int take_number(const char *option, const char *value, unsigned most, unsigned *out)
{
	if (pmk_unsigned_parse(value, 1, most, out))
		return cli_fail(PMK_EXIT_USAGE, "%s %s: expected a number from 1 to %u", option,
				value, most);
	return 0;
}

static int take_task(void *request, char *value)
{
	struct sweep *s = request;
	const char *colon = strrchr(value, ':');
	int n = 0;

	if (!colon || sscanf(colon, ":%u/%u%n", &s->task, &s->ntask, &n) != 2 || colon[n] ||
	    s->task >= s->ntask)
		return cli_fail(PMK_EXIT_USAGE,
				"--task %s: expected FILE:I/N, with I from 0 to "
				"N - 1",
				value);
	s->list = realpath(strndupa(value, (size_t)(colon - value)), NULL);
	return s->list ? 0 : cli_fail(PMK_EXIT_FAILED, "--task %s: %s", value, strerror(errno));
}

static int take_jobs(void *member, char *value)
{
	return take_number("-j", value, MOST_JOBS, member);
}

static int take_tasks(void *member, char *value)
{
	return take_number("--tasks", value, MOST_TASKS, member);
}

static int take_engine(void *member, char *value)
{
	*(const char **)member = value;
	return sweep_engine_check(value);
}

#define AT(member) offsetof(struct sweep, member)

static const struct cli_option options[] = {
	{ 'o', "output", "DB", "the database for the counts", CLI_TEXT, AT(output) },
	{ 'j', "jobs", "N", "count N cells at a time; default: one for each processor", CLI_CALL,
	  AT(jobs), take_jobs },
	{ 0, "retry", NULL, "count cells again that failed before", CLI_ON, AT(retry) },
	{ 'n', "dry-run", NULL, "only print how many cells there are and are missing", CLI_ON,
	  AT(dry_run) },
	{ 0, "engine", "NAME", "let make or slurm count the missing cells, in tasks", CLI_CALL,
	  AT(engine), take_engine },
	{ 0, "tasks", "N", "--engine: number of tasks", CLI_CALL, AT(tasks), take_tasks },
	{ 0, "task", "LIST:I/N", "count slice I of N of a list; used by the tasks", CLI_CALL, 0,
	  take_task },
	{ 0, "collect", NULL, "merge counts of tasks, or of other databases, into a database",
	  CLI_ON, AT(collect) },
	{ 0, "pareto", "GOALS", "show the cores that no other core beats in all these goals",
	  CLI_TEXT, AT(pareto) },
	{ 0, "sensitivity", "EVENT", "show how much of an event each setting explains", CLI_TEXT,
	  AT(sensitivity) },
	{ 0, "heat", "EVENT[,X[,Y]]", "draw an event over two settings, or programs, or cores",
	  CLI_TEXT, AT(heat) },
	{ 0, "html", "FILE", "write a page for a browser", CLI_TEXT, AT(html) },
	{ 'x', "field-separator", "SEP", "show a database as CSV with this separator",
	  CLI_SEPARATOR, AT(separator) },
	{ 0, "json-output", NULL, "show a database as JSON", CLI_ON, AT(json) },
	CLI_ROWS_END,
};

/* ---- options --------------------------------------------------------------------------------- */

static unsigned processor_count(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

static int parse_options(struct sweep *s, int argc, char **argv)
{
	char **operands;
	int code = cli_parse(&cmd_sweep, s, argc, argv, &operands);

	if (code)
		return code;
	s->file = operands[0];
	s->others = operands + (s->file != NULL);
	if (s->others[0] && !s->collect)
		return cli_fail(PMK_EXIT_USAGE,
				"unexpected argument %s: give one plan or one database",
				s->others[0]);
	if (!s->file)
		return cli_fail(PMK_EXIT_USAGE, "no plan was given; use 'pmk sweep -o DB PLAN'");
	if (s->json + (s->separator != NULL) + (s->html || s->pareto || s->sensitivity || s->heat) >
	    1)
		return cli_fail(PMK_EXIT_USAGE,
				"give only one of -x and --json-output, and no --pareto, "
				"--sensitivity, --heat or --html with it");
	return 0;
}

/* ---- progress -------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig;
}

static void catch_signals(void)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal }, before;

	signal(SIGCHLD, SIG_DFL); /* if it is ignored, the status of children is lost */
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		if (!sigaction(caught[i], &sa, &before) && before.sa_handler == SIG_IGN)
			sigaction(caught[i], &before, NULL);
}

/* Writes "1:02:03" or "4:05". */
static void time_text(double seconds, char *buf, size_t size)
{
	unsigned long s = seconds > 0 ? (unsigned long)(seconds + 0.5) : 0;

	if (s >= 3600)
		snprintf(buf, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(buf, size, "%lu:%02lu", s / 60, s % 60);
}

static void show_progress(void *ctx, const struct pmk_sweep_progress *p)
{
	unsigned *width = ctx;
	char line[160], left[64] = "", time[32];

	if (p->left >= 0) {
		time_text(p->left, time, sizeof(time));
		snprintf(left, sizeof(left), ", about %s left", time);
	}
	snprintf(line, sizeof(line), "pmk: %zu of %zu cells, %zu failed%s", p->done, p->of,
		 p->failed, left);
	if (strlen(line) >= cli_columns(stderr)) /* a line that wraps cannot be overwritten */
		line[cli_columns(stderr) - 1] = '\0';
	fprintf(stderr, "\r%-*s", (int)*width, line);
	fflush(stderr);
	*width = (unsigned)strlen(line);
}

/* ---- a plan ---------------------------------------------------------------------------------- */

static int store_failed(const struct pmk_store *store)
{
	return cli_fail(PMK_EXIT_FAILED, "%s",
			store && *pmk_store_error(store) ? pmk_store_error(store)
							 : pmk_strerror(PMK_ENOMEM));
}

static size_t all_cells(const struct pmk_sweep_todo *todo)
{
	return todo->count + todo->there + todo->failed;
}

static int compute_cells(const struct sweep *o, struct pmk_sweep *s, struct pmk_store *store,
			 const struct pmk_sweep_todo *todo)
{
	struct pmk_sweep_progress p;
	unsigned width = 0;
	const struct pmk_sweep_run run = {
		.jobs = o->jobs ? o->jobs : processor_count(),
		.stop = &stop,
		.progress = isatty(STDERR_FILENO) ? show_progress : NULL,
		.ctx = &width,
	};
	int err;

	catch_signals();
	err = pmk_sweep_compute(s, store, todo, &run, &p);
	if (width)
		fprintf(stderr, "\r%*s\r", (int)width, "");
	if (err)
		return cli_fault(s->fault);
	cli_fail(0,
		 "%zu cell%s: %zu counted now in %.1f s, %zu already in the database, %zu failed%s",
		 all_cells(todo), all_cells(todo) == 1 ? "" : "s", p.done - p.failed - p.killed,
		 p.seconds, todo->there, todo->failed + p.failed, stop ? "; stopped" : "");
	if (p.killed)
		cli_fail(0,
			 "%zu of them were ended by a signal and are not stored; the same sweep "
			 "counts them again",
			 p.killed);
	if (stop)
		return 128 + stop;
	return todo->failed + p.failed + p.killed ? EXIT_FAILURES : 0;
}

static int dry_run(const struct pmk_sweep_todo *todo)
{
	printf("%zu cell%s: %zu in the database, %zu failed before, %zu missing\n", all_cells(todo),
	       all_cells(todo) == 1 ? "" : "s", todo->there, todo->failed, todo->count);
	return fflush(stdout) ? cli_fail(PMK_EXIT_FAILED, "cannot write: %s", strerror(errno)) : 0;
}

/* Hands the cells to an engine, or counts them in this process, or only lists them. */
static int act_on_cells(const struct sweep *o, struct pmk_sweep *s, struct pmk_store *store,
			struct sweep_tasks *tasks, const struct pmk_sweep_todo *todo)
{
	if (o->dry_run)
		return dry_run(todo);
	if (o->engine)
		return sweep_engine_start(tasks, o->engine, s, todo);
	return compute_cells(o, s, store, todo);
}

static int with_store(const struct sweep *o, struct pmk_sweep *s, struct pmk_store *store,
		      struct sweep_tasks *tasks)
{
	struct pmk_sweep_slice slice = { 0 };
	struct pmk_sweep_todo todo = { 0 };
	int code;

	if (o->list && pmk_tasks_take(s, o->list, o->task, o->ntask, &slice))
		code = cli_fault(s->fault);
	else if (pmk_sweep_select(s, store, o->list ? &slice : NULL, o->retry, o->dry_run, &todo))
		code = store_failed(store);
	else
		code = act_on_cells(o, s, store, tasks, &todo);
	pmk_sweep_todo_free(&todo);
	free(slice.cell);
	return code;
}

/* Enters the folder of a plan, because files in a plan are relative to it. */
static int enter_folder(const char *plan)
{
	const char *slash = strrchr(plan, '/');
	char folder[PATH_MAX];

	if (!slash)
		return 0;
	snprintf(folder, sizeof(folder), "%.*s", slash == plan ? 1 : (int)(slash - plan), plan);
	if (!chdir(folder))
		return 0;
	return cli_fail(PMK_EXIT_FAILED, "%s: %s", folder, strerror(errno));
}

/* Opens the database, whose name is relative to the folder `home`, and counts. */
static int open_store(const struct sweep *o, struct pmk_sweep *s, int home)
{
	enum pmk_store_how how = o->dry_run ? PMK_STORE_READ
				 : o->list  ? PMK_STORE_ALONE
					    : PMK_STORE_WRITE;
	struct sweep_tasks tasks = { .count = o->tasks, .retry = o->retry };
	char plan[PATH_MAX], db[PATH_MAX], msg[512];
	struct pmk_store *store = NULL;
	int code = 0;

	if (fchdir(home))
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", o->output, strerror(errno));
	if ((!o->dry_run || !access(o->output, F_OK)) &&
	    pmk_store_open(&store, o->output, how, msg, sizeof(msg)))
		code = cli_fail(PMK_EXIT_FAILED, "%s", msg);
	else if (o->engine && (!realpath(o->file, plan) || !realpath(o->output, db) ||
			       !sweep_tasks_folder(db, tasks.folder)))
		code = cli_fail(PMK_EXIT_FAILED, "%s: %s", o->file, strerror(errno));
	tasks.plan = plan;
	tasks.db = db;
	if (!code)
		code = enter_folder(o->file);
	if (!code)
		code = with_store(o, s, store, &tasks);
	pmk_store_close(store);
	return code;
}

/* Opens and checks the plan, before the database is created, so that an invalid plan leaves none
 * behind. */
static int prepare_plan(const struct sweep *o, struct pmk_sweep *s)
{
	struct pmk_count_fault fault = { 0 };
	const char *data = cli_data_dir();
	int home, code;

	if (!data)
		return PMK_EXIT_FAILED;
	home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (home < 0)
		return cli_fail(PMK_EXIT_FAILED, "cannot open the current folder: %s",
				strerror(errno));
	code = enter_folder(o->file);
	if (!code && pmk_sweep_prepare(s, data, &fault))
		code = cli_fault(&fault);
	if (!code)
		code = open_store(o, s, home);
	close(home);
	pmk_count_fault_free(&fault);
	return code;
}

static int sweep_plan(const struct sweep *o)
{
	const char *data = cli_data_dir();
	struct pmk_sweep s = { 0 };
	char msg[512];
	int code;

	if (!data)
		return PMK_EXIT_FAILED;
	if (o->separator || o->json || o->pareto || o->sensitivity || o->heat || o->html)
		return cli_fail(
			PMK_EXIT_USAGE,
			"%s is a plan, and this option shows a database; run 'pmk sweep -o DB %s', "
			"then use the option with DB",
			o->file, o->file);
	if (!o->output)
		return cli_fail(PMK_EXIT_USAGE,
				"no database to write was given; use 'pmk sweep -o DB %s'",
				o->file);
	if (pmk_plan_read(&s.plan, o->file, data, msg, sizeof(msg)))
		code = cli_fail(PMK_EXIT_USAGE, "%s", msg);
	else
		code = prepare_plan(o, &s);
	pmk_sweep_free(&s);
	return code;
}

/* ---- a database ------------------------------------------------------------------------------ */

/* Prints the requested answers one after another, except the heat map, which is printed
 * separately. */
static int print_answers(const struct sweep *o, const struct sweep_results *r, FILE *f)
{
	int code = 0;

	if (o->pareto)
		code = sweep_pareto(f, r, o->pareto);
	if (!code && o->sensitivity)
		code = sweep_sensitivity(f, r, o->sensitivity);
	return code;
}

static int show_answers(const struct sweep *o, const struct sweep_results *r,
			const struct sweep_heat *heat)
{
	int code = print_answers(o, r, stdout);

	if (!code && o->heat)
		code = sweep_heat_show(stdout, heat);
	if (!code && (fflush(stdout) || ferror(stdout)))
		code = cli_fail(PMK_EXIT_FAILED, "cannot write the results: %s", strerror(errno));
	return code;
}

/* Writes the page. Without --heat, it has a map of the first event. */
static int write_page(const struct sweep *o, const struct sweep_results *r,
		      const struct sweep_heat *heat)
{
	char *answers = NULL;
	size_t length;
	FILE *f = open_memstream(&answers, &length);
	int code = f ? print_answers(o, r, f) : 0;

	if (!f || fclose(f))
		code = cli_no_memory();
	if (!code)
		code = html_sweep(r, heat, answers, o->file, o->html);
	free(answers);
	return code;
}

static int show_all(const struct sweep *o, const struct sweep_results *r,
		    const struct sweep_heat *heat)
{
	if (o->html)
		return write_page(o, r, heat);
	if (o->pareto || o->sensitivity || o->heat)
		return show_answers(o, r, heat);
	if (o->json)
		return sweep_show_json(r);
	return o->separator ? sweep_show_csv(r, o->separator) : sweep_show_text(r);
}

static int show_results(const struct sweep *o)
{
	struct sweep_heat heat = { 0 };
	struct sweep_results r;
	char *first = NULL;
	int code = output_keep("--html", o->html, o->file, "the database");

	if (code)
		return code;
	code = sweep_results_read(&r, o->file);
	if (!code && !r.nrows && (o->pareto || o->sensitivity || o->heat))
		code = cli_fail(PMK_EXIT_USAGE, "%s: no cells", o->file);
	if (!code && o->html && !o->heat && r.events.count)
		first = strdup(r.events.word[0]);
	if (!code && (o->heat || first))
		code = sweep_heat_make(&r, o->heat ? o->heat : first, &heat);
	if (!code)
		code = show_all(o, &r, &heat);
	sweep_heat_free(&heat);
	sweep_results_free(&r);
	free(first);
	return code;
}

/* True if the file is a database. A plan is a text. */
static bool is_database(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char start[sizeof(magic)] = "";
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(start, 1, sizeof(start), f) : 0;

	if (f)
		fclose(f);
	return n == sizeof(magic) && !memcmp(start, magic, sizeof(magic));
}

/* Fails unless this is a regular file. Opening a pipe, for example, would wait for a writer. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return cli_fail(PMK_EXIT_USAGE, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return cli_fail(PMK_EXIT_USAGE, "%s: not a regular file", path);
	return 0;
}

static int count_or_show(const struct sweep *s)
{
	int code = check_file(s->file);

	if (code)
		return code;
	return is_database(s->file) ? show_results(s) : sweep_plan(s);
}

static int run_sweep(int argc, char **argv)
{
	struct sweep s = { 0 };
	int code = parse_options(&s, argc, argv);

	if (!code && s.collect)
		code = sweep_collect(s.file, s.others);
	else if (!code)
		code = count_or_show(&s);
	free(s.list);
	return code;
}

const struct cli_command cmd_sweep = {
	.name = "sweep",
	.brief = "count many programs on many cores with many settings",
	.usage = "[-o DB] [-j N] [--retry] [--dry-run] PLAN\n"
		 "       pmk sweep --engine make|slurm [--tasks N] -o DB PLAN\n"
		 "       pmk sweep --collect DB [OTHER...]\n"
		 "       pmk sweep [-x SEP | --json-output] DB",
	.options = options,
	.run = run_sweep,
};
