// SPDX-License-Identifier: MIT
/*
 * Writes a recording to a database. Rows are written in the order of their keys, which is fast and
 * always gives the same file, byte by byte, for the same recording.
 *
 * Numbers of events, objects, threads and contexts are those of struct pmk_recording. Code,
 * functions, files and inlined functions count from 1, in the order of objects and addresses.
 */
#define _GNU_SOURCE
#include "profile/recording/write.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/message.h"

#ifndef PMK_VERSION
#define PMK_VERSION "(unknown version)"
#endif

void pmk_write_fail(struct writer *w, int err)
{
	if (w->err || !err)
		return;
	w->number = errno;
	w->err = err;
}

uint32_t pmk_write_distinct(struct writer *w, struct pmk_distinct *d, const void *bytes,
			    size_t size)
{
	uint32_t number = pmk_distinct_put(d, bytes, size);

	if (number == UINT32_MAX)
		pmk_write_fail(w, SQLITE_NOMEM);
	return number;
}

bool pmk_write_go_on(void *ctx)
{
	struct writer *w = ctx;
	const struct pmk_recording *rec = w->rec;

	if (w->watch && !w->err &&
	    !w->watch->on_items(w->watch->ctx, w->done,
				rec->ninsns + rec->ncontexts + rec->nruns + rec->nextras))
		pmk_write_fail(w, SQLITE_INTERRUPT);
	return !w->err;
}

#define WATCHED 10000 /* items between two calls of the watch */

void pmk_write_advance(struct writer *w)
{
	if (++w->done % WATCHED == 0)
		pmk_write_go_on(w);
}

/* ---- groups --------------------------------------------------------------------------------- */

struct groups pmk_write_groups(struct writer *w, size_t nitems, size_t ngroups,
			       size_t (*group_of)(const struct writer *w, size_t item),
			       const uint32_t *order)
{
	struct groups g = { calloc(ngroups + 2, sizeof(*g.first)),
			    malloc((nitems + 1) * sizeof(*g.item)) };

	if (!g.first || !g.item) {
		pmk_write_fail(w, SQLITE_NOMEM);
		return g;
	}
	for (size_t i = 0; i < nitems; i++)
		g.first[group_of(w, i) + 2]++;
	for (size_t i = 2; i <= ngroups + 1; i++)
		g.first[i] += g.first[i - 1];
	for (size_t i = 0; i < nitems; i++) {
		uint32_t item = order ? order[i] : (uint32_t)i;

		g.item[g.first[group_of(w, item) + 1]++] = item;
	}
	return g;
}

/* ---- the recording's tables ----------------------------------------------------------------- */

static void write_text_fact(struct writer *w, const char *key, const char *value)
{
	if (value)
		pmk_write_row(w, INSERT_META, "tt", key, value);
}

static void write_flag(struct writer *w, const char *key, bool value)
{
	pmk_write_row(w, INSERT_META, "ti", key, (int64_t)value);
}

static void write_facts(struct writer *w)
{
	const struct pmk_recording *rec = w->rec;

	write_flag(w, "big_endian", rec->big_endian);
	write_text_fact(w, "checked", rec->checked);
	write_text_fact(w, "command", rec->command);
	write_flag(w, "contexts", rec->contexts);
	write_text_fact(w, "core", rec->core);
	write_text_fact(w, "isa", rec->isa);
	write_text_fact(w, "note", rec->note);
	write_flag(w, "partial", rec->partial);
	write_text_fact(w, "pmk", PMK_VERSION);
	write_text_fact(w, "producer", rec->producer);
	if (rec->sampled)
		write_flag(w, "sampled", true);
	write_text_fact(w, "settings", rec->settings);
	if (rec->threaded)
		write_flag(w, "threaded", true);
}

static void write_events(struct writer *w)
{
	for (size_t i = 0; i < w->rec->nevents; i++) {
		const struct pmk_recorded_event *e = &w->rec->event[i];
		bool has = pmk_trust_has_value(e->trust);

		pmk_write_row(w, INSERT_EVENT, has ? "itttti" : "ittttn", (int64_t)i, e->name,
			      e->pmu, pmk_trust_name(e->trust), e->reason,
			      has ? (int64_t)e->total : INT64_C(0));
	}
}

static void write_threads(struct writer *w)
{
	for (size_t i = 0; i < w->rec->nthreads; i++) {
		const struct pmk_recorded_thread *t = &w->rec->thread[i];

		pmk_write_row(w, INSERT_THREAD, "iiit", (int64_t)i, (int64_t)t->process,
			      (int64_t)t->cpu, t->name);
	}
}

static void write_latencies(struct writer *w)
{
	for (size_t i = 0; i < w->rec->nlatencies && !w->err; i++) {
		const struct pmk_recorded_latency *l = &w->rec->latency[i];

		pmk_write_row(w, INSERT_LATENCY, "iii", (int64_t)l->event, (int64_t)l->cycles,
			      (int64_t)l->times);
	}
}

/* ---- the database --------------------------------------------------------------------------- */

static void write_all(struct writer *w)
{
	pmk_write_go_on(w);
	write_facts(w);
	write_events(w);
	write_threads(w);
	pmk_write_objects(w);
	write_text_fact(w, "warning", w->warning);
	pmk_write_counts(w);
	write_latencies(w);
	pmk_write_go_on(w);
}

static void sql_execute(struct writer *w, const char *sql)
{
	if (!w->err)
		pmk_write_fail(w, sqlite3_exec(w->db, sql, NULL, NULL, NULL));
}

/* Write all tables without a journal, and with one fsync() at the end: no other process sees the
 * file before it is complete, and an incomplete file is useless. */
static void tables_fill(struct writer *w)
{
	char identity[96];

	snprintf(identity, sizeof(identity), "PRAGMA application_id=%d;PRAGMA user_version=%d",
		 PMK_DATABASE_ID, PMK_DATABASE_VERSION);
	sql_execute(w,
		    "PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;PRAGMA locking_mode=EXCLUSIVE");
	sql_execute(w, "BEGIN");
	sql_execute(w, identity);
	sql_execute(w, pmk_database_schema);
	if (!w->err)
		pmk_rows_begin(w);
	if (!w->err)
		write_all(w);
	pmk_rows_end(w);
	sql_execute(w, "COMMIT");
}

static const char *writer_reason(const struct writer *w)
{
	switch (w->err & 0xff) {
	case SQLITE_NOMEM:
		return pmk_strerror(PMK_ENOMEM);
	case SQLITE_INTERRUPT:
		return strerror(EINTR);
	case SQLITE_FULL:
		return strerror(ENOSPC);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return strerror(w->number ? w->number : EIO);
	default:
		return sqlite3_errmsg(w->db);
	}
}

/* Write everything into the database at `path`. *db stays open; it is NULL after a failure. */
static int write_database(const struct pmk_recording *rec, const char *path,
			  const struct pmk_recording_watch *watch, sqlite3 **db, char *msg,
			  size_t size)
{
	struct writer w = { .rec = rec, .watch = watch };
	int err = 0;

	*db = NULL;
	w.warning = rec->warning ? strdup(rec->warning) : NULL;
	if (rec->warning && !w.warning)
		w.err = SQLITE_NOMEM;

	w.code = calloc(rec->ninsns + 1, sizeof(*w.code));
	w.function = calloc(rec->ninsns + 1, sizeof(*w.function));
	if (!w.code || !w.function)
		w.err = SQLITE_NOMEM;
	w.cost = calloc(rec->ncosts + 1, sizeof(*w.cost));
	w.event = calloc(rec->nevents + 1, sizeof(*w.event));
	if (!w.cost || !w.event)
		w.err = SQLITE_NOMEM;
	if (!w.err)
		pmk_write_sort(&w);
	if (!w.err)
		pmk_write_fail(&w,
			       sqlite3_open_v2(path, &w.db,
					       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
	if (!w.err)
		tables_fill(&w);
	if (w.err) {
		err = w.err == SQLITE_NOMEM ? PMK_ENOMEM : PMK_EIO;
		snprintf(msg, size, "cannot be written: %s", writer_reason(&w));
	}
	if (w.err)
		sqlite3_close(w.db);
	else
		*db = w.db;
	pmk_distinct_free(&w.files);
	pmk_distinct_free(&w.contexts);
	pmk_distinct_free(&w.blocks);
	pmk_distinct_free(&w.costs);
	pmk_map_free(&w.sums);
	free(w.code);
	free(w.function);
	groups_free(&w.order);
	free(w.cost);
	free(w.event);
	free(w.by_memory);
	free(w.called);
	free(w.warning);
	free(w.context);
	free(w.entered);
	free(w.list);
	free(w.count);
	free(w.sorted);
	pmk_isa_text_free(w.text);
	return err;
}

/* ---- the file ------------------------------------------------------------------------------- */

const char *pmk_recording_obstacle(const char *path)
{
	char *real = realpath(path, NULL), *copy;
	bool circular = !real && errno == ELOOP;
	const char *why = NULL;
	struct stat st;

	copy = real ? real : strdup(path);
	if (!copy)
		return pmk_strerror(PMK_ENOMEM);
	if (circular)
		why = strerror(ELOOP);
	else if (!stat(copy, &st) && !S_ISREG(st.st_mode))
		why = S_ISDIR(st.st_mode) ? "it is a folder" : "it is not a regular file";
	else if (access(dirname(copy), W_OK | X_OK))
		why = strerror(errno);
	free(copy);
	return why;
}

int pmk_recording_write(const struct pmk_recording *rec, const char *path,
			const struct pmk_recording_watch *watch, char *msg, size_t size)
{
	/* A symbolic link is kept, and its target is replaced. */
	char *real = pmk_file_target(path), *name;
	const char *to = real ? real : path, *why = pmk_recording_obstacle(path);
	sqlite3 *db = NULL;
	int err = 0;

	if (why) {
		snprintf(msg, size, "cannot be written: %s", why);
		free(real);
		return PMK_EIO;
	}
	name = pmk_file_temporary(to);
	if (name)
		err = write_database(rec, name, watch, &db, msg, size);
	sqlite3_close(db);
	if (!err && (!name || !pmk_file_put(name, to)))
		err = pmk_message_fail(msg, size, PMK_EIO, "cannot be written: %s",
				       strerror(errno));
	if (err && name)
		unlink(name);
	free(name);
	free(real);
	return err;
}

int pmk_recording_in_memory(const struct pmk_recording *rec, sqlite3 **db, char *msg, size_t size)
{
	return write_database(rec, ":memory:", NULL, db, msg, size);
}
