// SPDX-License-Identifier: MIT
/* See recorded.h. */
#define _GNU_SOURCE
#include "cli/recorded.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/number.h"
#include "base/print.h"
#include "base/printable.h"
#include "profile/sampling/perfdata.h"

int recorded_failed(const struct recorded *r, const char *msg)
{
	return cli_fail(PMK_EXIT_FAILED, "%s: %s", r->path, msg);
}

bool recorded_is(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char head[sizeof(magic)];
	struct stat st;
	FILE *f = stat(path, &st) || !S_ISREG(st.st_mode) ? NULL : fopen(path, "re");
	bool is = f && fread(head, sizeof(head), 1, f) == 1 && !memcmp(head, magic, sizeof(head));

	if (f)
		fclose(f);
	return is || pmk_perfdata_is(path);
}

int recorded_open(struct recorded *r, const char *path, const char *elf, const char *events)
{
	char msg[300];
	int err;

	*r = (struct recorded){ .path = path, .by_name = events != NULL };
	err = dump_tables_open(&r->t, path, elf);
	if (err)
		return err;
	if (!r->t.ncodes)
		return cli_fail(PMK_EXIT_FAILED, "%s: nothing was %s in this recording", path,
				pmk_tables_verb(&r->t));
	err = events ? pmk_choice_named(&r->c, &r->t, events, msg, sizeof(msg))
		     : pmk_choice_all(&r->c, &r->t);
	if (err == PMK_ENOMEM)
		return cli_no_memory();
	if (!events || !strcmp(events, "all"))
		pmk_choice_put_cycles_first(&r->c, &r->t);
	return err ? cli_fail(PMK_EXIT_USAGE, "-e: %s", msg) : 0;
}

void recorded_close(struct recorded *r)
{
	pmk_choice_free(&r->c);
	pmk_tables_close(&r->t);
}

/* ---- functions ------------------------------------------------------------------------------ */

/* Returns the length of the name without its parameters. Stubs of a procedure linkage table keep
 * theirs. */
static size_t plain_length(const char *name)
{
	const char *end = strchr(name, '('), *stub = strstr(name, ")@plt");

	return end > name && !stub ? (size_t)(end - name) : strlen(name);
}

bool recorded_functions(const struct recorded *r, const char *name, bool *is)
{
	const struct pmk_tables_function *f = r->t.function;
	size_t length = strlen(name);
	bool found = false;

	for (size_t i = 0; i < r->t.nfunctions; i++) {
		is[i] = !strcmp(f[i].name, name) || (f[i].symbol && !strcmp(f[i].symbol, name));
		found |= is[i];
	}
	for (size_t i = 0; !found && i < r->t.nfunctions; i++)
		is[i] = plain_length(f[i].name) == length && !strncmp(f[i].name, name, length);
	for (size_t i = 0; !found && i < r->t.nfunctions; i++)
		found = is[i];
	return found;
}

void recorded_nearest(const struct recorded *r, const char *name, char *buf, size_t size)
{
	char **plain = calloc(r->t.nfunctions + 1, sizeof(*plain));
	struct pmk_nearest near;

	pmk_nearest_init(&near, name);
	for (size_t i = 0; plain && i < r->t.nfunctions; i++) {
		const char *full = r->t.function[i].name;

		plain[i] = strndup(full, plain_length(full));
		pmk_nearest_offer(&near, plain[i] ? plain[i] : full);
	}
	pmk_nearest_text(&near, buf, size);
	for (size_t i = 0; plain && i < r->t.nfunctions; i++)
		free(plain[i]);
	free(plain);
}

/* ---- facts ---------------------------------------------------------------------------------- */

char *recorded_fact(const struct recorded *r, const char *key)
{
	sqlite3_stmt *s = NULL;
	char *text = NULL;

	if (sqlite3_prepare_v2(r->t.db, "SELECT value FROM meta WHERE key = ?", -1, &s, NULL))
		return NULL;
	sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
	if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
		text = strdup((const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	return text;
}

const char *recorded_trust(const struct recorded *r, uint32_t event, char buf[24])
{
	sqlite3_stmt *s = NULL;

	snprintf(buf, 24, "%s", r->t.threaded ? "inexact" : "exact");
	if (event == PMK_TABLES_EXECUTIONS ||
	    sqlite3_prepare_v2(r->t.db, "SELECT trust FROM event WHERE id = ?", -1, &s, NULL))
		return buf;
	sqlite3_bind_int64(s, 1, r->t.event[event].id);
	if (sqlite3_step(s) == SQLITE_ROW)
		snprintf(buf, 24, "%s", (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	return buf;
}

void recorded_without_value(const struct recorded *r,
			    void (*on_event)(void *ctx, const char *name, const char *trust,
					     const char *reason),
			    void *ctx)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(r->t.db,
			       "SELECT name, trust, reason FROM event WHERE total IS NULL "
			       "ORDER BY id",
			       -1, &s, NULL))
		return;
	while (sqlite3_step(s) == SQLITE_ROW)
		on_event(ctx, (const char *)sqlite3_column_text(s, 0),
			 (const char *)sqlite3_column_text(s, 1),
			 (const char *)sqlite3_column_text(s, 2));
	sqlite3_finalize(s);
}

/* Write each line of the text. */
static void head_put_lines(const struct recorded *r, FILE *f, const char *kind, const char *text)
{
	for (char *line; (line = pmk_print_line(&text)); free(line))
		recorded_note(r, f, "%s: %s", kind, line);
}

void recorded_head(const struct recorded *r, FILE *f)
{
	char *producer = recorded_fact(r, "producer"), *settings = recorded_fact(r, "settings");
	const char *verb = r->t.sampled ? "sampled by " : ", counted by ";

	recorded_note(r, f, "Recording of %s", r->t.command);
	recorded_note(r, f, "%s%s%s%s%s%s%s%s", *r->t.core ? "core " : "", r->t.core,
		      producer && *producer ? verb : "", producer,
		      settings && *settings ? "; " : "", settings, *r->t.checked ? "; cycles " : "",
		      r->t.checked);
	head_put_lines(r, f, "warning", r->t.warning);
	head_put_lines(r, f, "note", r->t.note);
	fputc('\n', f);
	free(producer);
	free(settings);
}

/* ---- text ----------------------------------------------------------------------------------- */

#define SHARE 8 /* width of a share, "   56.7%" */

static unsigned wider(unsigned a, size_t b)
{
	return a > b ? a : (unsigned)b;
}

struct recorded_column recorded_column(const struct recorded *r, uint32_t event, const char *head,
				       uint64_t most, bool share)
{
	struct recorded_column c = { .head = head ? head : pmk_tables_event_name(&r->t, event),
				     .share = share };
	char text[PMK_NUMBER_SIZE];

	pmk_number_text(text, most, 0, !r->plain_numbers);
	recorded_trust(r, event, c.trust);
	c.width = (unsigned)strlen(text) + (share ? SHARE : 0);
	c.width = wider(wider(c.width, strlen(c.head)), strlen(c.trust));
	return c;
}

void recorded_put_heads(FILE *f, const char *before, const struct recorded_column *column, size_t n,
			const char *last)
{
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%*s", i ? "  " : before, (int)column[i].width, column[i].head);
	fprintf(f, "%s%s\n", *last ? "  " : "", last);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%*s", i ? "  " : before, (int)column[i].width, column[i].trust);
	fputc('\n', f);
}

void recorded_put_cell(const struct recorded *r, FILE *f, const struct recorded_column *column,
		       uint64_t value, uint64_t all)
{
	char text[PMK_NUMBER_SIZE];

	pmk_number_text(text, value, 0, !r->plain_numbers);
	fprintf(f, "%*s", (int)column->width - (column->share ? SHARE : 0), text);
	if (column->share)
		fprintf(f, "%*.1f%%", SHARE - 1, recorded_share(value, all));
	fputs("  ", f);
}

double recorded_share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

void recorded_wrap(FILE *f, const char *text, unsigned column, unsigned indent, unsigned width)
{
	char *plain = pmk_printable(text);

	pmk_printable_wrap(f, plain ? plain : "", column, indent, width);
	free(plain);
}

void recorded_note(const struct recorded *r, FILE *f, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = pmk_print_new(format, args);
	va_end(args);
	fputc(' ', f);
	pmk_printable_wrap(f, text ? text : "", 1, 3, r->width);
	free(text);
}

void recorded_no_room(const struct recorded *r, FILE *f, size_t shown, const char *advice)
{
	char *text = NULL;
	size_t size;
	FILE *names = shown < r->c.n ? open_memstream(&text, &size) : NULL;

	if (!names)
		return;
	fputs("Not shown, for lack of room:", names);
	for (size_t i = shown; i < r->c.n; i++)
		fprintf(names, "%s %s", i > shown ? "," : "",
			pmk_tables_event_name(&r->t, r->c.event[i]));
	fprintf(names, ". %s", advice);
	if (!fclose(names))
		recorded_note(r, f, "%s", text);
	free(text);
}

/* ---- the pager ------------------------------------------------------------------------------ */

static pid_t pager;

static const char *pager_command(void)
{
	const char *name = getenv("PMK_PAGER");

	if (!name)
		name = getenv("PAGER");
	return name ? name : "less -FRX 2>/dev/null || cat";
}

void recorded_page(struct recorded *r, FILE *f)
{
	const char *command = pager_command();
	int ends[2];

	r->width = cli_columns(f);
	r->terminal = isatty(fileno(f));
	r->colour = cli_colour(f);
	/* As in git, an empty name or "cat" means no pager. */
	if (f != stdout || !isatty(STDOUT_FILENO) || !*command || !strcmp(command, "cat") ||
	    pipe(ends))
		return;
	fflush(stdout);
	pager = fork();
	if (!pager) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(PMK_EXIT_NOT_FOUND);
	}
	if (pager > 0)
		dup2(ends[1], STDOUT_FILENO);
	close(ends[0]);
	close(ends[1]);
}

void recorded_page_end(void)
{
	if (pager <= 0)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	waitpid(pager, NULL, 0);
}
