// SPDX-License-Identifier: MIT
/* See perfmap.h. */
#include "profile/perfmap.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/message.h"
#include "base/search.h"

/* The addresses of code without a file, sorted. */
struct addresses {
	uint64_t *item;
	size_t n, room;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool find_addresses(struct addresses *a, const struct pmk_recording *rec)
{
	for (size_t i = 0; i < rec->ninsns; i++)
		if (rec->object[rec->insn[i].object].kind == PMK_RECORDED_ANONYMOUS &&
		    !PMK_APPEND(a->item, a->n, a->room, rec->insn[i].addr))
			return false;
	if (a->n)
		qsort(a->item, a->n, sizeof(*a->item), by_value);
	return true;
}

static bool contains(const struct addresses *a, const struct pmk_recorded_name *name)
{
	size_t i = pmk_first_from(a->item, a->n, sizeof(*a->item), 0, name->start);

	return i < a->n && a->item[i] - name->start < name->size;
}

/* A hexadecimal number and the blank after it. */
static bool next_number(char **at, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return false;
	*value = strtoull(*at, &end, 16);
	if (*end != ' ')
		return false;
	*at = end + 1;
	return true;
}

/* Reads a line of `n` bytes. The name begins in it. */
static bool read_line(char *line, size_t n, struct pmk_recorded_name *name)
{
	if (n && line[n - 1] == '\n')
		line[--n] = '\0';
	if (strlen(line) != n || !next_number(&line, &name->start) ||
	    !next_number(&line, &name->size) || !*line)
		return false;
	if (name->size > UINT64_MAX - name->start)
		name->size = UINT64_MAX - name->start;
	name->name = line;
	return true;
}

static int read_lines(struct pmk_perfmap *m, FILE *f, const char *path, const struct addresses *a,
		      char *msg, size_t size)
{
	unsigned long number = 0, first = 0, bad = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	bool fits = true;

	while (fits && (n = getline(&line, &room, f)) >= 0) {
		struct pmk_recorded_name name;

		number++;
		if (!read_line(line, (size_t)n, &name)) {
			first = bad++ ? first : number;
			continue;
		}
		if (!contains(a, &name))
			continue;
		name.name = strdup(name.name);
		fits = name.name && PMK_APPEND(m->name, m->n, m->room, name);
		if (!fits)
			free((char *)name.name);
	}
	free(line);
	if (bad)
		snprintf(msg, size,
			 "%s:%lu: not an address, a size and a name of generated code; %lu such "
			 "line%s ignored",
			 path, first, bad, bad == 1 ? " is" : "s are");
	return fits ? 0 : PMK_ENOMEM;
}

int pmk_perfmap_read(struct pmk_perfmap *m, const char *path, const struct pmk_recording *rec,
		     char *msg, size_t size)
{
	struct addresses a = { 0 };
	const char *why;
	int err = 0;
	FILE *f;

	*m = (struct pmk_perfmap){ 0 };
	*msg = '\0';
	if (access(path, F_OK))
		return 0;
	f = pmk_file_open(path, false, &why);
	if (!f)
		snprintf(msg, size, "%s: cannot be read: %s; generated code has no names", path,
			 why);
	else if (!find_addresses(&a, rec))
		err = PMK_ENOMEM;
	else if (a.n)
		err = read_lines(m, f, path, &a, msg, size);
	free(a.item);
	if (f)
		fclose(f);
	return err;
}

void pmk_perfmap_free(struct pmk_perfmap *m)
{
	for (size_t i = 0; i < m->n; i++)
		free((char *)m->name[i].name);
	free(m->name);
}
