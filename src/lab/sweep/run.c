// SPDX-License-Identifier: MIT
/*
 * Counts cells: see run.h.
 *
 * A child of this process counts a cell, as pmk stat would. It writes the result to a pipe, as
 * texts that end with a 0: the failure or "", the exit code, then seven texts for each event, and
 * "." at the end. If the end is missing, the child was killed.
 *
 * SIGKILL says nothing about a cell: the kernel sends it when memory runs out, or a batch system
 * sends it. A cell that was ended by SIGKILL is not stored, so the next run counts it again.
 */
#define _GNU_SOURCE
#include "lab/sweep/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmk/count.h>
#include <pmk/error.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/handlers.h"
#include "base/map.h"
#include "base/number.h"
#include "count/command.h"

/* used instead of an exit code: the emulator was ended by a signal of pmk_ends_jobs(), not by the
 * time limit */
#define KILLED (-2)
/* the only descriptor that a child keeps besides its standard streams */
#define PIPE   3

/* A child, and the bytes it has written so far. */
struct job {
	pid_t pid; /* 0: none */
	int fd;
	uint32_t number; /* number of its cell */
	double began;
	char *message;
	size_t used, room;
};

/* The cells of one program. All of them take about the same time. */
struct share {
	size_t waiting, done;
	double seconds;
};

struct computing {
	struct pmk_sweep *s;
	struct pmk_store *store;
	const struct pmk_sweep_todo *todo;
	const struct pmk_sweep_run *run;
	struct pmk_sweep_progress *p;
	size_t next; /* index in `todo` of the next cell to start */
	struct job *jobs;
	struct pollfd *polls;
	struct share *shares;
	struct pmk_store_value *values;
	size_t value_room;
	struct pmk_store_setting *settings;
	/* The cells that this run has started, by the first bytes of their keys. */
	struct pmk_map begun;
	double began, told;
};

/* ---- the child ------------------------------------------------------------------------------- */

static void put_text(FILE *f, const char *text)
{
	fputs(text ? text : "", f);
	fputc('\0', f);
}

static void put_rows(FILE *f, const struct pmk_count *count)
{
	struct pmk_count_row row = { .size = sizeof(row) };
	char number[24];

	for (uint32_t i = 0; pmk_count_get_row(count, i, &row); i++) {
		snprintf(number, sizeof(number), "%llu", (unsigned long long)row.value);
		put_text(f, row.name);
		put_text(f, row.pmu);
		put_text(f, row.trust);
		put_text(f, row.reason);
		put_text(f, row.unit);
		put_text(f, row.has_value ? "1" : "");
		put_text(f, number);
	}
}

static int make_request(struct pmk_count *count, const struct pmk_sweep_plan *plan,
			const struct pmk_sweep_cell *cell, const struct pmk_words *events)
{
	const struct pmk_plan_program *p = cell->planned;
	const struct pmk_plan_core *core = cell->configs->core;
	unsigned ms = p->timeout_ms ? p->timeout_ms : plan->timeout_ms;
	char text[512];
	int err = pmk_count_set(count, "core", core->name);

	for (size_t i = 0; !err && i < core->axes.count; i++) {
		snprintf(text, sizeof(text), "%s=%s", core->axes.axis[i].name,
			 pmk_axes_value(&core->axes, cell->combination, i));
		err = pmk_count_set(count, "set", text);
	}
	for (unsigned i = 0; !err && i < events->count; i++)
		err = pmk_count_set(count, "event", events->word[i]);
	for (unsigned i = 0; !err && i < p->env.count; i++)
		err = pmk_count_set(count, "env", p->env.word[i]);
	if (!err && plan->sysroot)
		err = pmk_count_set(count, "sysroot", plan->sysroot);
	snprintf(text, sizeof(text), "%u", ms);
	if (!err && ms)
		err = pmk_count_set(count, "timeout", text);
	return err ? err : pmk_count_program(count, p->argv.word);
}

/* Returns the reason why a count cannot be used; NULL if the whole program was counted. */
static const char *count_failure(const struct pmk_sweep_cell *cell,
				 const struct pmk_count_summary *sum, char *text, size_t size)
{
	if (sum->partial && sum->warning) {
		snprintf(text, size, "%.*s", (int)strcspn(sum->warning, "\n"), sum->warning);
		return text;
	}
	if (sum->partial)
		return "it was not counted to its end";
	if (sum->exit_code == cell->planned->exit_code)
		return NULL;
	snprintf(text, size, "the program ended with exit code %d", sum->exit_code);
	return text;
}

static void count_cell(FILE *f, const struct pmk_sweep_plan *plan,
		       const struct pmk_sweep_cell *cell, const struct pmk_words *events)
{
	struct pmk_count *count = pmk_count_new_for_command();
	struct pmk_count_summary sum = { .size = sizeof(sum) };
	char text[512], code[16];
	const char *failure;
	bool cut;
	int err;

	err = make_request(count, plan, cell, events);
	if (!err)
		err = pmk_count_run(count, NULL);
	pmk_count_get_summary(count, &sum);
	failure = err ? pmk_count_get_error(count)->text
		      : count_failure(cell, &sum, text, sizeof(text));
	cut = sum.partial && pmk_ends_jobs(sum.exit_code - 128);
	snprintf(code, sizeof(code), "%d", cut ? KILLED : err ? -1 : sum.exit_code);
	put_text(f, failure);
	put_text(f, code);
	if (!failure)
		put_rows(f, count);
	put_text(f, ".");
	pmk_count_free(count);
}

static bool redirect_descriptor(const char *path, int flags, int to)
{
	int fd = open(path, flags | O_CLOEXEC);
	bool good = fd >= 0 && dup2(fd, to) == to;

	if (fd > 2)
		close(fd);
	return good;
}

/*
 * Counts a cell in the child, in its own process group. Signals of the terminal no longer reach it,
 * so that only the parent decides when it ends.
 */
static _Noreturn void be_child(const struct computing *c, const struct pmk_sweep_cell *cell,
			       const struct pmk_words *events, int fd, pid_t parent)
{
	const char *in = cell->planned->stdin_file;
	FILE *f;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(PMK_COUNT_FAILED);
	setpgid(0, 0);
	pmk_handlers_forget(NULL);
	if (dup2(fd, PIPE) != PIPE || fcntl(PIPE, F_SETFD, FD_CLOEXEC) || !(f = fdopen(PIPE, "w")))
		_exit(PMK_COUNT_FAILED);
	close_range(PIPE + 1, ~0U, 0);
	if (redirect_descriptor(in ? in : "/dev/null", O_RDONLY, 0) &&
	    redirect_descriptor("/dev/null", O_WRONLY, 1) &&
	    redirect_descriptor("/dev/null", O_WRONLY, 2))
		count_cell(f, &c->s->plan, cell, events);
	_exit(fflush(f) ? PMK_COUNT_FAILED : 0);
}

/* ---- the parent ------------------------------------------------------------------------------ */

static int store_failed(struct computing *c)
{
	return pmk_count_fail(c->s->fault, PMK_COUNT_FAILED, "%s", pmk_store_error(c->store));
}

static void report_progress(struct computing *c)
{
	double left = 0, all = 0;
	size_t done = 0;

	for (size_t i = 0; i < c->s->plan.nprograms; i++) {
		all += c->shares[i].seconds;
		done += c->shares[i].done;
	}
	for (size_t i = 0; i < c->s->plan.nprograms; i++) {
		const struct share *share = &c->shares[i];

		if (share->done)
			left += (double)share->waiting * share->seconds / (double)share->done;
		else if (done)
			left += (double)share->waiting * all / (double)done;
	}
	c->told = pmk_seconds();
	c->p->seconds = c->told - c->began;
	c->p->left = done ? left / c->run->jobs : -1;
	if (c->run->progress)
		c->run->progress(c->run->ctx, c->p);
}

/*
 * Collects the events of the cell that have no row, or whose row says that they could not be added.
 * *counted becomes true if the cell was counted before. Returns 0 or an error.
 */
static int missing_events(struct computing *c, const struct pmk_sweep_cell *cell,
			  struct pmk_words *events, bool *counted)
{
	const struct pmk_words *all = &cell->configs->events;
	struct pmk_store_found found;

	if (pmk_store_find(c->store, cell->key, &found))
		return store_failed(c);
	*counted = found.id && !found.failed;
	for (unsigned i = 0; i < all->count; i++) {
		bool has = false, no = false;

		if (*counted && (pmk_store_has(c->store, found.id, all->word[i], &has) ||
				 pmk_store_event_failed(c->store, found.id, all->word[i], &no)))
			return store_failed(c);
		if ((!has || no) && !pmk_words_add(events, all->word[i]))
			return pmk_count_no_memory(c->s->fault);
	}
	return 0;
}

static struct pmk_store_value *new_value(struct computing *c, size_t n)
{
	return PMK_GROW(c->values, n, c->value_room) ? &c->values[n] : NULL;
}

/* Adds rows for events that the core does not have. */
static bool add_refused(struct computing *c, const struct pmk_sweep_configs *configs, size_t *n)
{
	for (unsigned i = 0; i < configs->refused.count; i++) {
		struct pmk_store_value *v = new_value(c, *n);

		if (!v)
			return false;
		*v = (struct pmk_store_value){ .event = configs->refused.word[i],
					       .trust = "not supported",
					       .reason = configs->reasons.word[i] };
		++*n;
	}
	return true;
}

/* Adds rows that say why these events have no counts. */
static bool add_failed(struct computing *c, const struct pmk_words *events, const char *failure,
		       size_t *n)
{
	for (unsigned i = 0; i < events->count; i++) {
		struct pmk_store_value *v = new_value(c, *n);

		if (!v)
			return false;
		*v = (struct pmk_store_value){ .event = events->word[i],
					       .trust = PMK_STORE_FAILED,
					       .reason = failure };
		++*n;
	}
	return true;
}

/*
 * Stores a cell: its counts, or the reason for having none. Earlier counts of other events are
 * kept, and the rows of events that could not be added have the reason. Returns 0 or an error.
 */
static int store_cell(struct computing *c, uint32_t number, const char *failure, int exit_code,
		      double seconds, size_t nvalues)
{
	struct pmk_store_program program;
	struct pmk_store_config config;
	struct pmk_store_point point;
	struct pmk_sweep_cell cell;
	struct pmk_store_cell put;
	struct pmk_core core;
	struct pmk_words missing = { 0 };
	char why[512], *parameters;
	bool counted = false, can_be;
	int64_t id;
	int err;

	pmk_sweep_cell(c->s, number, &cell);
	err = failure ? missing_events(c, &cell, &missing, &counted) : 0;
	if (err)
		return err;
	can_be = pmk_sweep_core(&cell, &core, why, sizeof(why));
	if (!can_be)
		core = cell.configs->base;
	parameters = pmk_key_parameters(&core);
	if (!parameters || (counted && !add_failed(c, &missing, failure, &nvalues)) ||
	    ((counted || !failure) && !add_refused(c, cell.configs, &nvalues))) {
		free(parameters);
		pmk_words_free(&missing);
		return pmk_count_no_memory(c->s->fault);
	}
	program = (struct pmk_store_program){ .path = cell.program->opened.image,
					      .command = cell.program->command,
					      .about = cell.program->about };
	memcpy(program.hash, cell.program->key, PMK_STORE_KEY);
	config = (struct pmk_store_config){ .core = core.name,
					    .isa = core.isa,
					    .parameters = parameters,
					    .checked = can_be ? pmk_core_checked(&core) : NULL };
	memcpy(config.hash, cell.configs->key[cell.combination], PMK_STORE_KEY);
	put = (struct pmk_store_cell){ .program = &program,
				       .config = &config,
				       .failure = failure,
				       .exit_code = exit_code,
				       .seconds = seconds,
				       .values = c->values,
				       .nvalues = nvalues };
	memcpy(put.key, cell.key, PMK_STORE_KEY);
	pmk_sweep_point(&cell, c->settings, &point);
	err = pmk_store_begin(c->store) || pmk_store_put(c->store, &put, &id) ||
	      pmk_store_name(c->store, &point, id) || pmk_store_commit(c->store);
	free(parameters);
	pmk_words_free(&missing);
	c->p->done++;
	c->p->failed += failure != NULL;
	return err ? store_failed(c) : 0;
}

/*
 * Checks that the files of the key have not changed. If a file has changed, the counts of this cell
 * and of later cells may belong to another key. Returns 0 or an error.
 */
static int check_files(struct computing *c, const struct pmk_sweep_cell *cell)
{
	const char *changed = pmk_file_hashes_changed(&c->s->files, &cell->program->files);
	const char *kind = "";

	/* The process that counts reads the preset from its file, so a change of the preset
	 * matters, too. */
	if (!changed && !pmk_sweep_same_core(c->s, cell)) {
		kind = "the preset ";
		changed = cell->configs->core->name;
	}
	if (!changed)
		return 0;
	return pmk_count_fail(c->s->fault, PMK_COUNT_FAILED,
			      "%s%s has changed during the sweep; run the sweep again", kind,
			      changed);
}

static const char *next_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *stop = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	*at = stop ? stop + 1 : end;
	return stop ? text : NULL;
}

static const char *text_or_null(const char *text)
{
	return text && *text ? text : NULL;
}

/* True if the message of the child is complete. */
static bool is_whole(const struct job *job)
{
	return job->used >= 2 && !memcmp(job->message + job->used - 2, ".", 2);
}

/* True if the child or the emulator was killed, by itself or from outside. */
static bool was_killed(const struct job *job, int status, const char *code)
{
	if (is_whole(job))
		return code && atoi(code) == KILLED;
	return WIFSIGNALED(status) && pmk_ends_jobs(WTERMSIG(status));
}

/* Reads the message of the child that counted `job`; `status` is its wait status. */
static int take_message(struct computing *c, const struct job *job, int status)
{
	const char *at = job->message, *end = job->message + job->used;
	const char *failure = next_text(&at, end), *code = next_text(&at, end);
	double seconds = pmk_seconds() - job->began;
	char text[128];
	size_t n = 0;

	if (was_killed(job, status, code)) {
		c->p->done++;
		c->p->killed++;
		return 0;
	}
	if (!is_whole(job)) {
		if (WIFSIGNALED(status))
			snprintf(text, sizeof(text),
				 "the process that counts it was killed by signal %d",
				 WTERMSIG(status));
		else
			snprintf(text, sizeof(text), "the process that counts it has ended");
		return store_cell(c, job->number, text, -1, seconds, 0);
	}
	while (end - at > 2) {
		struct pmk_store_value *v = new_value(c, n++);

		if (!v)
			return pmk_count_no_memory(c->s->fault);
		v->event = next_text(&at, end);
		v->pmu = text_or_null(next_text(&at, end));
		v->trust = text_or_null(next_text(&at, end));
		v->reason = text_or_null(next_text(&at, end));
		v->unit = text_or_null(next_text(&at, end));
		v->has_value = text_or_null(next_text(&at, end)) != NULL;
		v->value = pmk_number_after(next_text(&at, end), "", 10);
	}
	return store_cell(c, job->number, text_or_null(failure), atoi(code), seconds, n);
}

/*
 * True if the next cell has the key of a cell that is being counted: it must wait for the counts.
 */
static bool must_wait(const struct computing *c)
{
	struct pmk_sweep_cell next, cell;

	pmk_sweep_cell(c->s, c->todo->cell[c->next], &next);
	for (unsigned i = 0; i < c->run->jobs; i++) {
		if (!c->jobs[i].pid)
			continue;
		pmk_sweep_cell(c->s, c->jobs[i].number, &cell);
		if (!memcmp(cell.key, next.key, PMK_STORE_KEY))
			return true;
	}
	return false;
}

/*
 * If this run has already counted a cell with the same key but another name, gives those counts the
 * name of `cell`, too, and sets *done. Returns 0 or an error.
 */
static int name_twin(struct computing *c, const struct pmk_sweep_cell *cell, bool *done)
{
	struct pmk_store_found found;
	struct pmk_store_point point;
	uint64_t begin;

	memcpy(&begin, cell->key, sizeof(begin));
	*done = pmk_map_get(&c->begun, begin) != UINT32_MAX;
	if (!*done && pmk_map_put(&c->begun, begin, 1) == UINT32_MAX)
		return pmk_count_no_memory(c->s->fault);
	if (!*done)
		return 0;
	pmk_sweep_point(cell, c->settings, &point);
	if (pmk_store_find(c->store, cell->key, &found) ||
	    pmk_store_name(c->store, &point, found.id))
		return store_failed(c);
	c->shares[cell->which_program].waiting--;
	c->p->done++;
	c->p->failed += found.failed;
	c->p->killed += !found.id;
	return 0;
}

/* Starts a child for the next cell; an invalid core needs none. Returns 0 or an error. */
static int begin_cell(struct computing *c, struct job *job)
{
	uint32_t number = c->todo->cell[c->next++];
	struct pmk_words events = { 0 };
	struct pmk_sweep_cell cell;
	pid_t parent = getpid();
	struct pmk_core core;
	bool done = false, counted;
	int fd[2], err;
	char why[512];

	pmk_sweep_cell(c->s, number, &cell);
	err = name_twin(c, &cell, &done);
	if (err || done)
		return err;
	if (!pmk_sweep_core(&cell, &core, why, sizeof(why))) {
		c->shares[cell.which_program].waiting--;
		return store_cell(c, number, why, -1, 0, 0);
	}
	err = missing_events(c, &cell, &events, &counted);
	if (err)
		return err;
	if (!events.count) { /* the core has none of the missing events */
		c->shares[cell.which_program].waiting--;
		return store_cell(c, number, NULL, -1, 0, 0);
	}
	if (pipe2(fd, O_CLOEXEC))
		err = pmk_count_fail(c->s->fault, PMK_COUNT_FAILED, "cannot make a pipe: %s",
				     strerror(errno));
	*job = (struct job){ .fd = err ? -1 : fd[0],
			     .number = number,
			     .began = pmk_seconds(),
			     .message = job->message,
			     .room = job->room };
	if (!err) {
		job->pid = fork();
		if (!job->pid)
			be_child(c, &cell, &events, fd[1], parent);
		if (job->pid < 0) {
			err = pmk_count_fail(c->s->fault, PMK_COUNT_FAILED,
					     "cannot start a process: %s", strerror(errno));
			job->pid = 0;
			close(fd[0]);
		}
		close(fd[1]);
	}
	pmk_words_free(&events);
	return err;
}

static int wait_for_child(struct job *job)
{
	int status = 0;

	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(job->fd);
	job->pid = 0;
	return status;
}

/* Reads what a child has written. Returns 0 or an error. */
static int take_bytes(struct computing *c, struct job *job)
{
	struct pmk_sweep_cell cell;
	struct share *share;
	int status, err;
	ssize_t n;

	if (!PMK_GROW(job->message, job->used, job->room))
		return pmk_count_no_memory(c->s->fault);
	n = read(job->fd, job->message + job->used, job->room - job->used);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n > 0) {
		job->used += (size_t)n;
		return 0;
	}
	status = wait_for_child(job);
	/* If we killed the child, it reported either nothing or a complete result. */
	if (*c->run->stop && !is_whole(job))
		return 0;
	pmk_sweep_cell(c->s, job->number, &cell);
	share = &c->shares[cell.which_program];
	share->waiting--;
	share->done++;
	share->seconds += pmk_seconds() - job->began;
	err = check_files(c, &cell);
	return err ? err : take_message(c, job, status);
}

/* Kills all running children with their emulators, and processes that the programs have forked. */
static void end_all(struct computing *c)
{
	for (unsigned i = 0; i < c->run->jobs; i++)
		if (c->jobs[i].pid) {
			kill(-c->jobs[i].pid, SIGKILL);
			kill(c->jobs[i].pid, SIGKILL);
			wait_for_child(&c->jobs[i]);
		}
}

/* Waits for children, at most a second. Returns 0 or an error. */
static int wait_for_some(struct computing *c)
{
	unsigned n = c->run->jobs;
	int err = 0;

	for (unsigned i = 0; i < n; i++)
		c->polls[i] = (struct pollfd){ .fd = c->jobs[i].pid ? c->jobs[i].fd : -1,
					       .events = POLLIN };
	if (poll(c->polls, n, 1000) < 0)
		return 0; /* interrupted by a signal */
	for (unsigned i = 0; !err && i < n; i++)
		if (c->polls[i].revents)
			err = take_bytes(c, &c->jobs[i]);
	return err;
}

static int compute_cells(struct computing *c)
{
	int err = 0;

	while (!err && !*c->run->stop) {
		bool busy = false;
		size_t done = c->p->done;

		for (unsigned i = 0; !err && i < c->run->jobs; i++) {
			while (!err && !c->jobs[i].pid && c->next < c->todo->count && !must_wait(c))
				err = begin_cell(c, &c->jobs[i]);
			busy |= c->jobs[i].pid != 0;
		}
		if (!err && !busy)
			break;
		if (!err)
			err = wait_for_some(c);
		if (c->p->done != done || pmk_seconds() - c->told >= 1)
			report_progress(c);
	}
	end_all(c);
	return err;
}

int pmk_sweep_compute(struct pmk_sweep *s, struct pmk_store *store,
		      const struct pmk_sweep_todo *todo, const struct pmk_sweep_run *run,
		      struct pmk_sweep_progress *p)
{
	struct computing c = { .s = s, .store = store, .todo = todo, .run = run, .p = p };
	struct pmk_sweep_cell cell;
	int err;

	*p = (struct pmk_sweep_progress){ .of = todo->count, .left = -1 };
	c.jobs = calloc(run->jobs, sizeof(*c.jobs));
	c.polls = calloc(run->jobs, sizeof(*c.polls));
	c.shares = calloc(s->plan.nprograms, sizeof(*c.shares));
	c.settings = calloc(pmk_sweep_most_axes(s) + 1, sizeof(*c.settings));
	c.began = c.told = pmk_seconds();
	if (c.jobs && c.polls && c.shares && c.settings) {
		for (size_t i = 0; i < todo->count; i++) {
			pmk_sweep_cell(s, todo->cell[i], &cell);
			c.shares[cell.which_program].waiting++;
		}
		err = compute_cells(&c);
		p->seconds = pmk_seconds() - c.began;
	} else {
		err = pmk_count_no_memory(s->fault);
	}
	for (unsigned i = 0; c.jobs && i < run->jobs; i++)
		free(c.jobs[i].message);
	free(c.jobs);
	free(c.polls);
	free(c.shares);
	free(c.settings);
	free(c.values);
	pmk_map_free(&c.begun);
	return err;
}
