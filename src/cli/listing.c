// SPDX-License-Identifier: MIT
/* See listing.h. */
#define _GNU_SOURCE
#include "cli/listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/grow.h"

#define NONE PMK_TABLES_NONE

/* ---- counts --------------------------------------------------------------------------------- */

static int on_count(void *ctx, const struct pmk_tables_count *c)
{
	struct listing *l = ctx;

	l->value[c->code * l->n + c->slot] += c->value;
	return 0;
}

static int on_execution(void *ctx, const struct pmk_tables_execution *e)
{
	struct listing *l = ctx;

	l->executions[e->code] += e->executions;
	return 0;
}

int listing_open(struct listing *l, const struct recorded *r, const uint32_t *event, size_t n)
{
	const struct pmk_tables *t = &r->t;
	char *order = recorded_fact(r, "big_endian"), msg[300];

	*l = (struct listing){ .r = r, .n = n, .big_endian = order && !strcmp(order, "1") };
	free(order);
	l->value = calloc(t->ncodes * n + 1, sizeof(*l->value));
	l->executions = calloc(t->ncodes + 1, sizeof(*l->executions));
	l->source = calloc(t->nfiles + 1, sizeof(*l->source));
	l->text = pmk_isa_text_new();
	if (!l->value || !l->executions || !l->source || !l->text ||
	    sqlite3_prepare_v2(t->db, "SELECT bytes, mode FROM code WHERE id = ?", -1, &l->bytes,
			       NULL))
		return cli_no_memory();
	if (pmk_tables_counts(t, event, n, on_count, l, msg, sizeof(msg)) ||
	    pmk_tables_executions(t, on_execution, l, msg, sizeof(msg)))
		return recorded_failed(r, msg);
	return 0;
}

void listing_close(struct listing *l)
{
	for (size_t i = 0; l->source && i < l->r->t.nfiles; i++) {
		for (size_t n = 0; n < l->source[i].nlines; n++)
			free(l->source[i].line[n]);
		free(l->source[i].line);
		free(l->source[i].note);
	}
	free(l->source);
	free(l->value);
	free(l->executions);
	pmk_isa_text_free(l->text);
	sqlite3_finalize(l->bytes);
	*l = (struct listing){ 0 };
}

/* ---- source files --------------------------------------------------------------------------- */

static void read_lines(struct listing_source *s, FILE *f)
{
	size_t room = 0, size = 0;
	char *line = NULL;

	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		if (!PMK_APPEND(s->line, s->nlines, room, line))
			break;
		line = NULL;
		size = 0;
	}
	free(line);
}

const char *listing_read(struct listing *l, uint32_t file)
{
	struct listing_source *s = &l->source[file];
	const char *path = l->r->t.file[file].path, *why;
	struct stat st, recording;
	FILE *f;

	if (s->tried)
		return NULL;
	s->tried = true;
	f = pmk_file_open(path, false, &why);
	if (!f) {
		if (asprintf(&s->note, "cannot be read, so its lines are not shown: %s", why) < 0)
			s->note = NULL;
		return s->note;
	}
	if (!stat(path, &st) && !stat(l->r->path, &recording) && st.st_mtime > recording.st_mtime)
		s->note = strdup("was changed after the recording, so its lines may not match");
	read_lines(s, f);
	fclose(f);
	return s->note;
}

const char *listing_line(const struct listing *l, uint32_t file, uint32_t line)
{
	const struct listing_source *s = file == NONE ? NULL : &l->source[file];

	return s && line && line <= s->nlines ? s->line[line - 1] : NULL;
}

/* ---- instructions --------------------------------------------------------------------------- */

void listing_insn(const struct listing *l, uint32_t code, char *text, size_t size)
{
	const struct pmk_tables_code *k = &l->r->t.code[code];
	sqlite3_stmt *s = l->bytes;

	*text = '\0';
	sqlite3_bind_int64(s, 1, k->id);
	if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_bytes(s, 0))
		pmk_isa_text_of(l->text, (const char *)sqlite3_column_text(s, 1), l->big_endian,
				k->address, sqlite3_column_blob(s, 0),
				(size_t)sqlite3_column_bytes(s, 0), text, size);
	sqlite3_reset(s);
}

char *listing_target(const struct listing *l, uint32_t code)
{
	const struct pmk_tables *t = &l->r->t;
	const struct pmk_tables_code *k = &t->code[code];
	uint32_t to = k->target ? pmk_tables_code_at(t, k->object, k->target) : NONE;
	uint32_t f = to == NONE ? NONE : t->code[to].function;
	char offset[24] = "", *text;

	if (f == NONE || (f == k->function && k->jump))
		return NULL;
	if (k->target != t->function[f].address)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, k->target - t->function[f].address);
	return asprintf(&text, "%s%s", t->function[f].name, offset) < 0 ? NULL : text;
}
