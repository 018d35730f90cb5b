// SPDX-License-Identifier: MIT
/* Turns a request into a result: calls the selected way to count, and the listener. See count.h. */
#define _GNU_SOURCE
#include "count/count.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/sized.h"
#include "count/files.h"

struct pmk_count *pmk_count_new(void)
{
	struct pmk_count *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->q.run.times = 1;
	c->events.fault = &c->fault;
	pmk_result_init(&c->result);
	c->result.runs = 0; /* so far */
	c->input.fd = -1;
	c->streams = (struct pmk_streams){ .fd = { -1, -1, -1 } };
	sigemptyset(&c->ignored);
	c->stop.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->stop.fd >= 0)
		return c;
	free(c);
	return NULL;
}

struct pmk_count *pmk_count_new_for_command(void)
{
	struct pmk_count *c = pmk_count_new();

	if (c)
		c->fault.options = true;
	return c;
}

void pmk_count_free(struct pmk_count *c)
{
	if (!c)
		return;
	if (c->state)
		c->q.target.way->free(c);
	pmk_result_free(&c->result);
	pmk_event_list_free(&c->events);
	pmk_metrics_free(c->all_metrics);
	pmk_request_free(&c->q);
	pmk_count_fault_free(&c->fault);
	close(c->stop.fd);
	pmk_input_close(&c->input);
	pmk_streams_close(&c->streams);
	free(c);
}

const struct pmk_count_error *pmk_count_get_error(struct pmk_count *c)
{
	static const struct pmk_count_error none = { PMK_COUNT_FAILED, "out of memory" };

	if (!c)
		return &none;
	c->told = (struct pmk_count_error){ c->fault.failure, pmk_count_fault_text(&c->fault) };
	return &c->told;
}

/* ---- for all ways to count ------------------------------------------------------------------- */

const char *pmk_count_data(struct pmk_count *c)
{
	if (!*c->data && pmk_files_data(c->data, c->q.files.data, &c->fault)) {
		*c->data = '\0';
		return NULL;
	}
	return c->data;
}

/* Returns the text of a note or a warning; NULL: out of memory. */
static char *text_render(const struct pmk_count *c, const char *fmt, va_list ap)
{
	char *text, *rendered;

	if (vasprintf(&text, fmt, ap) < 0)
		return NULL;
	rendered = pmk_count_render(text, c->fault.options);
	free(text);
	return rendered;
}

void pmk_count_note(struct pmk_count *c, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = text_render(c, fmt, ap);
	va_end(ap);
	if (text && c->listener.note)
		c->listener.note(c->listener.ctx, text);
	free(text);
}

/* Add a line to the warnings or to the notes of the result. */
static void result_add(struct pmk_count *c, void (*add)(struct pmk_result *r, const char *fmt, ...),
		       const char *fmt, va_list ap)
{
	char *text = text_render(c, fmt, ap);

	add(&c->result, "%s", text ? text : pmk_strerror(PMK_ENOMEM));
	free(text);
}

void pmk_count_warn(struct pmk_count *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	result_add(c, pmk_result_warn, fmt, ap);
	va_end(ap);
}

void pmk_count_add_note(struct pmk_count *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	result_add(c, pmk_result_note, fmt, ap);
	va_end(ap);
}

struct pmk_metrics *pmk_count_all_metrics(struct pmk_count *c)
{
	const char *data = c->all_metrics ? NULL : pmk_count_data(c);
	struct pmk_count_fault why = { 0 };

	if (!data)
		return c->all_metrics;
	pmk_files_metrics(&c->all_metrics, data, &why, &c->fault);
	if (why.failure)
		pmk_count_note(c, "%s", pmk_count_fault_text(&why));
	pmk_count_fault_free(&why);
	return c->all_metrics;
}

int pmk_count_stopped(const struct pmk_count *c)
{
	return atomic_load(&c->stop.signal);
}

char *pmk_count_join(char *const *words, const char *prefix)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs(prefix, f);
	for (unsigned i = 0; words && words[i]; i++) {
		bool quote = !*words[i] || strpbrk(words[i], " \t\n\"'\\$*?;|&<>()");

		fprintf(f, "%s%s", i || *prefix ? " " : "", quote ? "'" : "");
		fprintf(f, "%s%s", words[i], quote ? "'" : "");
	}
	fclose(f);
	return text;
}

/* Returns all settings of the core and its surroundings as text. */
static char *settings_of(const struct pmk_request *q)
{
	char *sets = pmk_count_join(q->core.set.word, ""), *text = NULL;
	size_t size = 0;
	FILE *f = sets ? open_memstream(&text, &size) : NULL;

	if (!f) {
		free(sets);
		return NULL;
	}
	fputs(sets, f);
	for (unsigned i = 0; i < q->core.traffic.count; i++)
		fprintf(f, "%straffic=%s", i || *sets ? " " : "", q->core.traffic.word[i]);
	if (q->core.layout)
		fprintf(f, "%slayout=%s", q->core.traffic.count || *sets ? " " : "",
			q->core.layout);
	fclose(f);
	free(sets);
	return text;
}

int pmk_count_begin(struct pmk_count *c)
{
	struct pmk_result *r = &c->result;

	if (c->begun)
		return 0;
	r->pmu = c->pmu;
	if (!r->command)
		r->command = pmk_count_join(c->q.program.command,
					    c->q.program.qemu ? c->q.program.qemu : "");
	if (!r->settings)
		r->settings = settings_of(&c->q);
	if (!r->env)
		r->env = strdup("");
	if (!r->runs)
		r->runs = c->q.run.times;
	if (!r->command || !r->settings || !r->env)
		return pmk_count_no_memory(&c->fault);
	c->begun = true;
	if (c->listener.begin)
		c->listener.begin(c->listener.ctx, c);
	return 0;
}

void pmk_count_report(struct pmk_count *c)
{
	const struct pmk_section *s = &c->result.sections[c->result.nsections - 1];
	uint32_t first = c->nrows;

	if (s->interval && c->q.interval.most && c->nintervals == c->q.interval.most) {
		pmk_result_drop(&c->result);
		return;
	}
	c->nintervals += s->interval;
	c->nrows += s->nrows;
	if (c->listener.rows)
		c->listener.rows(c->listener.ctx, c, first);
}

void pmk_count_warn_interrupted(struct pmk_count *c)
{
	pmk_count_warn(c, "the program was interrupted: the counts end there");
	if (c->q.run.times > 1)
		pmk_count_warn(c, "%u of %u runs were completed", c->result.runs, c->q.run.times);
}

void pmk_count_warn_timeout(struct pmk_count *c)
{
	pmk_count_warn(c, "`timeout` ended the program after %u ms: the counts end there",
		       c->q.run.timeout_ms);
}

/* ---- the interface --------------------------------------------------------------------------- */

/* Undo what choose() did, so that the request can be prepared again. */
static void forget_choice(struct pmk_count *c)
{
	if (c->state)
		c->q.target.way->free(c);
	c->state = NULL;
	pmk_event_list_free(&c->events);
	c->events = (struct pmk_event_list){ .fault = &c->fault };
	memset(c->reason, 0, sizeof(c->reason));
	c->metrics = (struct pmk_metric_list){ 0 };
	c->pmu = NULL;
	c->program = NULL;
	*c->data = '\0';
	pmk_result_free(&c->result);
	pmk_result_init(&c->result);
	c->result.runs = 0;
}

int pmk_count_prepare(struct pmk_count *c, const struct pmk_count_listener *l)
{
	int err;

	if (!c)
		return PMK_COUNT_FAILED;
	if (l && !pmk_count_sized(c, "pmk_count_listener", l->size,
				  PMK_SIZE_UP_TO(struct pmk_count_listener, progress)))
		return PMK_COUNT_USAGE;
	if (l)
		pmk_sized_copy(&c->listener, sizeof(c->listener), l, l->size);
	if (c->stage == PMK_COUNT_PREPARED)
		return 0;
	if (c->stage == PMK_COUNT_RAN)
		return pmk_count_refuse(&c->fault, "this handle has already counted; create a new "
						   "one for another run");
	err = pmk_request_check(c);
	if (!err)
		err = c->q.target.way->choose(c);
	if (err)
		forget_choice(c);
	else
		c->stage = PMK_COUNT_PREPARED;
	return err;
}

/* Fail if SIGCHLD is ignored: wait() would then not report the program's end. */
static int check_children(struct pmk_count *c)
{
	struct sigaction sa;

	if (sigaction(SIGCHLD, NULL, &sa) ||
	    (sa.sa_handler != SIG_IGN && !(sa.sa_flags & SA_NOCLDWAIT)))
		return 0;
	return pmk_count_fail(
		&c->fault, PMK_COUNT_FAILED,
		"SIGCHLD is ignored in this process, so that the exit of a program is not "
		"reported; set it to SIG_DFL");
}

void pmk_count_record(struct pmk_count *c, bool paths)
{
	c->q.record.what = paths ? PMK_REQUEST_PATHS : PMK_REQUEST_SITES;
}

int pmk_count_run(struct pmk_count *c, const struct pmk_count_listener *l)
{
	int err;

	if (!c)
		return PMK_COUNT_FAILED;
	err = pmk_count_prepare(c, l);
	if (err)
		return err;
	c->stage = PMK_COUNT_RAN;
	err = check_children(c);
	if (!err)
		err = pmk_streams_open(&c->streams, c->q.program.streams, &c->fault);
	if (!err)
		err = c->q.target.way->run(c);
	if (!err)
		err = pmk_streams_read(&c->streams, c->q.program.streams, &c->fault);
	if (!err)
		err = c->q.target.way->describe(c);
	if (!err)
		err = pmk_count_begin(c);
	err = err ? err : c->q.target.way->finish(c);
	if (!err && c->q.record.what != PMK_REQUEST_COUNTS && c->q.target.way->record)
		err = c->q.target.way->record(c);
	return err;
}

void pmk_count_stop(struct pmk_count *c, int signal)
{
	const uint64_t one = 1;
	int before = errno;
	ssize_t n;

	if (!c)
		return;
	atomic_store(&c->stop.signal, signal);
	n = write(c->stop.fd, &one, sizeof(one));
	(void)n; /* if this fails, the waiting loop still finds stop.signal */
	errno = before;
}

const struct pmk_result *pmk_count_result(const struct pmk_count *c)
{
	return c ? &c->result : NULL;
}

const char *pmk_count_get_output(const struct pmk_count *c, const char *stream, size_t *size)
{
	unsigned i = !stream			 ? 0
		     : !strcmp(stream, "stdout") ? 1
		     : !strcmp(stream, "stderr") ? 2
						 : 0;

	*size = c ? c->streams.size[i] : 0;
	return c ? c->streams.captured[i] : NULL;
}

/* ---- for the command ------------------------------------------------------------------------- */

const char *pmk_count_file(const struct pmk_count *c)
{
	return c->program;
}

const char *pmk_count_log(const struct pmk_count *c)
{
	return c->q.guest.log;
}

const char *pmk_count_packets(const struct pmk_count *c)
{
	return c->q.dump.packets;
}

void pmk_count_ignore(struct pmk_count *c, const sigset_t *ignored)
{
	c->ignored = *ignored;
}

const struct pmk_recording *pmk_count_recording(const struct pmk_count *c)
{
	return c->q.target.way && c->q.target.way->recording ? c->q.target.way->recording(c) : NULL;
}

const struct pmk_metric *const *pmk_count_metrics(const struct pmk_count *c)
{
	return c->metrics.item;
}
