// SPDX-License-Identifier: MIT
/* Reads the counts of all commits, and finds growth from one commit to another. */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/number.h"
#include "base/print.h"
#include "cli/cli.h"
#include "lab/history/history.h"
#include "result/internal.h"

/* ---- reading --------------------------------------------------------------------------------- */

static int take_commit(void *ctx, const struct pmk_store_revision *r)
{
	struct history *h = ctx;
	struct history_commit *c;

	if (!PMK_GROW(h->commit, h->ncommits, h->commit_room))
		return PMK_ENOMEM;
	c = &h->commit[h->ncommits++];
	*c = (struct history_commit){ .id = r->id, .time = r->time, .verdict = r->verdict };
	c->name = strdup(r->name);
	c->subject = r->subject ? strdup(r->subject) : NULL;
	return c->name && (c->subject || !r->subject) ? 0 : PMK_ENOMEM;
}

static int by_time(const void *a, const void *b)
{
	const struct history_commit *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * Sorts commits by time. The database has them in the order in which they were added, and bisect
 * adds old commits after new ones.
 */
static void sort_commits(struct history *h)
{
	for (size_t i = 0; i < h->ncommits; i++)
		if (!h->commit[i].time)
			return;
	if (h->ncommits)
		qsort(h->commit, h->ncommits, sizeof(*h->commit), by_time);
}

struct reader {
	struct history *h;
	/* position of the series to try first, because the points of all commits come in the same
	 * order */
	size_t next;
};

/* Returns the series of this event, which is created if necessary. NULL: out of memory. */
static struct history_series *series_of(struct reader *r, const struct pmk_store_point *p,
					const char *settings, const struct pmk_store_value *v)
{
	struct history *h = r->h;
	struct history_series *s;

	for (size_t i = 0; i < h->nseries; i++) {
		s = &h->series[(r->next + i) % h->nseries];
		if (strcmp(s->event, v->event) || strcmp(s->program, p->name) ||
		    strcmp(s->core, p->core) || strcmp(s->settings, settings))
			continue;
		r->next = (size_t)(s - h->series) + 1;
		return s;
	}
	if (!PMK_GROW(h->series, h->nseries, h->series_room))
		return NULL;
	s = &h->series[h->nseries++];
	*s = (struct history_series){ .program = strdup(p->name),
				      .core = strdup(p->core),
				      .settings = strdup(settings),
				      .event = strdup(v->event),
				      .unit = v->unit ? strdup(v->unit) : NULL,
				      .at = calloc(h->ncommits, sizeof(*s->at)) };
	return s->program && s->core && s->settings && s->event && (s->unit || !v->unit) && s->at
		       ? s
		       : NULL;
}

static bool add_failure(struct history *h, size_t commit, const struct pmk_store_row *row,
			const char *settings)
{
	struct history_failure *f;

	if (!PMK_GROW(h->failure, h->nfailures, h->failure_room))
		return false;
	f = &h->failure[h->nfailures++];
	*f = (struct history_failure){ .commit = commit,
				       .program = strdup(row->point.name),
				       .core = strdup(row->point.core),
				       .settings = strdup(settings),
				       .reason = strdup(row->failure) };
	return f->program && f->core && f->settings && f->reason;
}

static bool is_of(const struct history_failure *f, const struct history_series *s)
{
	return !strcmp(f->program, s->program) && !strcmp(f->core, s->core) &&
	       !strcmp(f->settings, s->settings);
}

/*
 * Marks every series of a failed run as failed in the commit of the failure. A failed run has no
 * values, so its events are taken from other commits.
 */
static void mark_failed(struct history *h)
{
	for (size_t i = 0; i < h->nfailures; i++)
		for (size_t k = 0; k < h->nseries; k++)
			if (is_of(&h->failure[i], &h->series[k]))
				h->series[k].at[h->failure[i].commit].failed = true;
}

static int take_point(void *ctx, const struct pmk_store_row *row)
{
	struct reader *r = ctx;
	struct history *h = r->h;
	struct history_series *s;
	char *settings;
	size_t commit = 0;

	while (commit < h->ncommits && h->commit[commit].id != row->point.revision)
		commit++;
	if (commit == h->ncommits) /* a point of a sweep has no commit */
		return 0;
	settings = pmk_store_settings(row->point.settings, row->point.nsettings);
	if (!settings)
		return PMK_ENOMEM;
	if (row->failure && !add_failure(h, commit, row, settings)) {
		free(settings);
		return PMK_ENOMEM;
	}
	for (size_t i = 0; i < row->nvalues; i++) {
		const struct pmk_store_value *v = &row->values[i];

		s = series_of(r, &row->point, settings, v);
		if (!s) {
			free(settings);
			return PMK_ENOMEM;
		}
		s->at[commit] = (struct history_count){ .there = true,
							.has_value = v->has_value,
							.value = v->value,
							.cell = row->cell };
	}
	free(settings);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct history_series *x = a, *y = b;
	int order = strcmp(x->program, y->program);

	order = order ? order : strcmp(x->core, y->core);
	order = order ? order : strcmp(x->settings, y->settings);
	return order ? order : strcmp(x->event, y->event);
}

int history_read(struct history *h, struct pmk_store *store)
{
	struct reader r = { .h = h };
	int err;

	*h = (struct history){ 0 };
	err = pmk_store_revisions(store, take_commit, h);
	if (!err) {
		sort_commits(h);
		err = history_order(h) ? 0 : PMK_ENOMEM;
	}
	if (!err)
		err = pmk_store_points(store, -1, take_point, &r);
	if (!err && h->nseries)
		qsort(h->series, h->nseries, sizeof(*h->series), by_name);
	mark_failed(h);
	return history_check(store, err);
}

void history_free(struct history *h)
{
	for (size_t i = 0; i < h->ncommits; i++)
		history_commit_free(&h->commit[i]);
	for (size_t i = 0; i < h->nseries; i++) {
		struct history_series *s = &h->series[i];

		free(s->program);
		free(s->core);
		free(s->settings);
		free(s->event);
		free(s->unit);
		free(s->at);
	}
	for (size_t i = 0; i < h->nfailures; i++) {
		struct history_failure *f = &h->failure[i];

		free(f->program);
		free(f->core);
		free(f->settings);
		free(f->reason);
	}
	free(h->commit);
	free(h->series);
	free(h->failure);
	*h = (struct history){ 0 };
}

int history_check(struct pmk_store *store, int err)
{
	if (!err)
		return 0;
	if (err == PMK_ENOMEM && !*pmk_store_error(store))
		return cli_no_memory();
	return cli_fail(PMK_EXIT_FAILED, "%s", pmk_store_error(store));
}

/* ---- commits --------------------------------------------------------------------------------- */

long history_find(const struct history *h, const char *name)
{
	long found = -1;
	char hash[80];
	bool known = history_resolve(name, hash);

	for (size_t i = 0; i < h->ncommits; i++)
		if (known && !strcmp(h->commit[i].name, hash))
			return (long)i;
	for (size_t i = 0; i < h->ncommits; i++)
		if (!strcmp(h->commit[i].name, name))
			return (long)i;
	/* Treat the name as an abbreviation only if git does not resolve it to another commit. */
	for (size_t i = 0; *name && !known && i < h->ncommits; i++) {
		if (strncmp(h->commit[i].name, name, strlen(name)))
			continue;
		if (found >= 0) {
			cli_fail(0,
				 "history: several commits begin with '%s'; give more of the name",
				 name);
			return -1;
		}
		found = (long)i;
	}
	if (found < 0)
		cli_fail(0,
			 "history: the database has no commit '%s'; 'pmk history show' lists them",
			 name);
	return found;
}

long history_reference(const struct history *h, size_t i)
{
	long open = -1;

	while (i-- > 0) {
		if (h->commit[i].verdict == PMK_STORE_GOOD)
			return (long)i;
		if (h->commit[i].verdict != PMK_STORE_BAD && open < 0)
			open = (long)i;
	}
	return open;
}

long history_before(const struct history_series *s, size_t i)
{
	while (i-- > 0)
		if (s->at[i].has_value)
			return (long)i;
	return -1;
}

void history_short(const char *name, char text[48])
{
	size_t n = strlen(name);
	bool hash = n >= 40 && strspn(name, "0123456789abcdef") == n;

	snprintf(text, 48, "%.*s", hash ? 10 : 47, name);
}

const char *history_verdict(enum pmk_store_verdict verdict)
{
	return verdict == PMK_STORE_GOOD ? "good" : verdict == PMK_STORE_BAD ? "bad" : "";
}

/* ---- growth ---------------------------------------------------------------------------------- */

void history_change(uint64_t base, uint64_t fresh, char text[80])
{
	char number[PMK_NUMBER_SIZE];

	*text = '\0';
	if (base == fresh)
		return;
	pmk_number_text(number, fresh > base ? fresh - base : base - fresh, 0, true);
	if (base)
		snprintf(text, 80, "%c%s %+.2f%%", fresh > base ? '+' : '-', number,
			 (double)(((long double)fresh - (long double)base) * 100 /
				  (long double)base));
	else
		snprintf(text, 80, "+%s", number);
}

/*
 * Returns the last good commit before `i` that has a value of the series or, if there is none, the
 * last one without a verdict. -1: none.
 */
static long reference_of(const struct history *h, const struct history_series *s, size_t i)
{
	long open = -1;

	while (i-- > 0) {
		if (!s->at[i].has_value || h->commit[i].verdict == PMK_STORE_BAD)
			continue;
		if (h->commit[i].verdict == PMK_STORE_GOOD)
			return (long)i;
		open = open < 0 ? (long)i : open;
	}
	return open;
}

/*
 * Returns the commit that last had a value of this series, if commit `fresh` has lost it. -1: the
 * value is not lost. If the last good commit has no value either, the loss was accepted.
 */
static long lost_from(const struct history *h, const struct history_series *s, long base,
		      size_t fresh)
{
	const struct history_count *now = &s->at[fresh];
	size_t i = fresh;

	if (now->has_value || (!now->failed && !now->there))
		return -1;
	if (base >= 0)
		return s->at[base].has_value ? base : -1;
	while (i-- > 0)
		if (h->commit[i].verdict == PMK_STORE_GOOD && (s->at[i].there || s->at[i].failed))
			return s->at[i].has_value ? (long)i : -1;
	return -1;
}

/* Returns a text such as "prog on arm1176 dcache.size=8K"; the caller frees it. */
static char *name_of(const char *program, const char *core, const char *settings)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f)
		pmk_print(f, "%s on %s%s%s", program, core, *settings ? " " : "", settings);
	return f && !fclose(f) ? text : NULL;
}

static void say_over(const struct history *h, const struct history_series *s, size_t base,
		     size_t fresh, double percent)
{
	char change[80], from[48], *name = name_of(s->program, s->core, s->settings);

	history_change(s->at[base].value, s->at[fresh].value, change);
	history_short(h->commit[base].name, from);
	cli_fail(0, "%s of %s: from %" PRIu64 " in %s to %" PRIu64 " (%s), over %.15g%%", s->event,
		 name ? name : "?", s->at[base].value, from, s->at[fresh].value, change, percent);
	free(name);
}

static void say_lost(const struct history *h, const struct history_series *s, size_t base)
{
	char from[48], *name = name_of(s->program, s->core, s->settings);

	history_short(h->commit[base].name, from);
	cli_fail(0, "%s of %s: %" PRIu64 " in %s, but no count in this commit", s->event,
		 name ? name : "?", s->at[base].value, from);
	free(name);
}

/* Reports the failed runs, each with one line, even if a run lacks several events. */
static size_t judge_failures(const struct history *h, long base, size_t fresh)
{
	size_t lost = 0;

	for (size_t i = 0; i < h->nfailures; i++) {
		const struct history_failure *f = &h->failure[i];
		char from[48], *name;
		long last = -1;

		for (size_t k = 0; f->commit == fresh && k < h->nseries && last < 0; k++)
			if (is_of(f, &h->series[k]) && !h->series[k].left_out)
				last = lost_from(h, &h->series[k], base, fresh);
		if (last < 0)
			continue;
		lost++;
		name = name_of(f->program, f->core, f->settings);
		history_short(h->commit[last].name, from);
		cli_fail(0, "%s: it was counted in %s, but fails now: %s", name ? name : "?", from,
			 f->reason);
		free(name);
	}
	return lost;
}

bool history_is_event(const char *words, const char *event)
{
	char *list = strdup(words), *rest = list, *word;
	bool found = false;

	while (list && (word = strsep(&rest, ",{}")))
		found |= *word && (!strcmp(word, "all") || !fnmatch(word, event, 0));
	free(list);
	return found;
}

bool history_has_event(const struct history_request *q, const char *event)
{
	for (unsigned i = 0; i < q->events.count; i++)
		if (history_is_event(q->events.word[i], event))
			return true;
	return !q->events.count;
}

bool history_leave_out(struct history *h, const struct history_request *q)
{
	char *settings = history_settings(q);

	for (size_t i = 0; i < h->nseries; i++) {
		struct history_series *s = &h->series[i];

		s->left_out = !settings || strcmp(s->program, history_program(q)) ||
			      strcmp(s->settings, settings) ||
			      (q->core && strcmp(s->core, q->core)) ||
			      (q->events.count ? !history_has_event(q, s->event)
					       : !history_is_event(HISTORY_EVENTS, s->event));
	}
	if (!settings)
		return false;
	free(settings);
	return true;
}

struct history_judged history_judge(const struct history *h, long base, size_t fresh,
				    double percent)
{
	struct history_judged j = { .missing = judge_failures(h, base, fresh) };

	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];
		const struct history_count *now = &s->at[fresh];
		long from = base >= 0 ? base : reference_of(h, s, fresh);
		long lost = now->failed || s->left_out ? -1 : lost_from(h, s, base, fresh);

		if (lost >= 0) {
			j.missing++;
			say_lost(h, s, (size_t)lost);
		}
		if (s->left_out || from < 0 || !now->has_value || !s->at[from].has_value)
			continue;
		j.compared++;
		if (!pmk_grew_over(s->at[from].value, now->value, percent))
			continue;
		j.over++;
		say_over(h, s, (size_t)from, fresh, percent);
	}
	return j;
}

bool history_says_nothing(const struct history *h, long base, size_t fresh,
			  const struct history_judged *j)
{
	long good = history_reference(h, fresh);
	bool counted = false;
	char name[48];

	for (size_t i = 0; i < h->nseries; i++)
		counted |= h->series[i].at[fresh].has_value;
	if (j->compared || j->missing ||
	    (counted && base < 0 && (good < 0 || h->commit[good].verdict != PMK_STORE_GOOD)))
		return false;
	history_short(h->commit[fresh].name, name);
	cli_fail(0, "history: nothing to compare: no good commit has the counts of %s", name);
	return true;
}
