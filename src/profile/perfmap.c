// SPDX-License-Identifier: MIT
/* See perfmap.h. */
#include "profile/perfmap.h"

#include <byteswap.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/map.h"
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

/* Appends a copy of the name if the recording has its code. */
static int add_name(struct pmk_perfmap *m, const struct addresses *a, struct pmk_recorded_name name)
{
	if (!contains(a, &name))
		return 0;
	if (name.size > UINT64_MAX - name.start)
		name.size = UINT64_MAX - name.start;
	name.name = strdup(name.name);
	if (name.name && PMK_APPEND(m->name, m->n, m->room, name))
		return 0;
	free((char *)name.name);
	return PMK_ENOMEM;
}

/* Reads a hexadecimal number and the blank after it. */
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

/* Reads a line of `n` bytes. name->name points into the line. */
static bool read_line(char *line, size_t n, struct pmk_recorded_name *name)
{
	if (n && line[n - 1] == '\n')
		line[--n] = '\0';
	if (strlen(line) != n || !next_number(&line, &name->start) ||
	    !next_number(&line, &name->size) || !*line)
		return false;
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
	int err = 0;

	while (!err && (n = getline(&line, &room, f)) >= 0) {
		struct pmk_recorded_name name;

		number++;
		if (read_line(line, (size_t)n, &name))
			err = add_name(m, a, name);
		else
			first = bad++ ? first : number;
	}
	free(line);
	if (bad)
		snprintf(msg, size,
			 "%s:%lu: not an address, a size and a name of generated code; %lu such "
			 "line%s ignored",
			 path, first, bad, bad == 1 ? " is" : "s are");
	return err;
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

/* ---- dumps ---------------------------------------------------------------------------------- */

enum { CODE_LOAD = 0, CODE_MOVE = 1 };
#define MAGIC	    0x4a695444u
#define HEAD_SIZE   40 /* bytes of the file before its records */
#define RECORD_SIZE 16 /* bytes of a record without its contents */
#define LOAD_SIZE   56 /* bytes of a load without its name and code */
#define MOVE_SIZE   64

struct dump {
	struct pmk_perfmap *m;
	const uint8_t *bytes;
	size_t size;
	bool swapped; /* the numbers do not have this machine's byte order */
	const struct addresses *a;
	/* All names of the file, also those of code that did not run at its first address, because
	 * it may have run after it was moved. */
	struct pmk_recorded_name *name;
	size_t n, room;
	struct pmk_map loads; /* number of a load → index of its name */
};

static uint32_t dump_u32(const struct dump *d, size_t at)
{
	uint32_t v;

	memcpy(&v, d->bytes + at, sizeof(v));
	return d->swapped ? bswap_32(v) : v;
}

static uint64_t dump_u64(const struct dump *d, size_t at)
{
	uint64_t v;

	memcpy(&v, d->bytes + at, sizeof(v));
	return d->swapped ? bswap_64(v) : v;
}

static bool dump_begin(struct dump *d)
{
	if (d->size < HEAD_SIZE)
		return false;
	d->swapped = dump_u32(d, 0) == bswap_32(MAGIC);
	return d->swapped || dump_u32(d, 0) == MAGIC;
}

/* Adds a name, which points into the dump, and a copy of it if the recording has its code. */
static int add_code(struct dump *d, uint64_t start, uint64_t size, const char *text)
{
	struct pmk_recorded_name name = { start, size, text };

	if (!PMK_APPEND(d->name, d->n, d->room, name))
		return PMK_ENOMEM;
	return add_name(d->m, d->a, name);
}

/* Reads a record of `size` bytes. PMK_EPARSE: it is damaged. */
static int read_record(struct dump *d, size_t at, size_t size)
{
	uint32_t kind = dump_u32(d, at), load;

	if (kind == CODE_LOAD) {
		const char *name = (const char *)d->bytes + at + LOAD_SIZE;

		if (size <= LOAD_SIZE || !memchr(name, '\0', size - LOAD_SIZE))
			return PMK_EPARSE;
		load = pmk_map_put(&d->loads, dump_u64(d, at + 48), (uint32_t)d->n);
		return load == UINT32_MAX
			       ? PMK_ENOMEM
			       : add_code(d, dump_u64(d, at + 32), dump_u64(d, at + 40), name);
	}
	if (kind == CODE_MOVE) {
		if (size < MOVE_SIZE)
			return PMK_EPARSE;
		load = pmk_map_get(&d->loads, dump_u64(d, at + 56));
		return load == UINT32_MAX ? PMK_EPARSE
					  : add_code(d, dump_u64(d, at + 40), dump_u64(d, at + 48),
						     d->name[load].name);
	}
	return 0;
}

/* Reads all records. If a record is damaged, its position is stored in *at. */
static int read_records(struct dump *d, size_t *at)
{
	int err = dump_begin(d) ? 0 : PMK_EPARSE;
	size_t size = err ? 0 : dump_u32(d, 8);

	for (*at = 0; !err && *at < d->size;) {
		if (size < RECORD_SIZE || size > d->size - *at)
			return PMK_EPARSE;
		if (*at)
			err = read_record(d, *at, size);
		if (err)
			return err;
		*at += size;
		if (*at < d->size && d->size - *at < RECORD_SIZE)
			return PMK_EPARSE;
		if (*at < d->size)
			size = dump_u32(d, *at + 4);
	}
	return err;
}

/*
 * Reads the whole file. It is not mapped, because a process that is still running could shorten it.
 * NULL: *why says what is wrong.
 */
static uint8_t *read_file(const char *path, size_t *size, const char **why)
{
	FILE *f = pmk_file_open(path, false, why);
	uint8_t *bytes = NULL;
	struct stat st;

	if (!f)
		return NULL;
	*why = "it is empty";
	if (!fstat(fileno(f), &st) && st.st_size) {
		bytes = malloc((size_t)st.st_size);
		*size = bytes ? fread(bytes, 1, (size_t)st.st_size, f) : 0;
		*why = strerror(errno);
	}
	fclose(f);
	return bytes;
}

int pmk_perfmap_read_dump(struct pmk_perfmap *m, const char *path, const struct pmk_recording *rec,
			  char *msg, size_t size)
{
	struct addresses a = { 0 };
	struct dump d = { .m = m, .a = &a };
	const char *why;
	uint8_t *bytes = read_file(path, &d.size, &why);
	size_t at = 0;
	int err = 0;

	*msg = '\0';
	d.bytes = bytes;
	if (!bytes)
		snprintf(msg, size, "%s: cannot be read: %s; generated code has no names", path,
			 why);
	else
		err = find_addresses(&a, rec) ? read_records(&d, &at) : PMK_ENOMEM;
	if (err == PMK_EPARSE)
		snprintf(msg, size,
			 "%s: damaged or cut off at byte %zu; the names of generated code after "
			 "it are missing",
			 path, at);
	free(d.name);
	pmk_map_free(&d.loads);
	free(bytes);
	free(a.item);
	return err == PMK_ENOMEM ? err : 0;
}

void pmk_perfmap_free(struct pmk_perfmap *m)
{
	for (size_t i = 0; i < m->n; i++)
		free((char *)m->name[i].name);
	free(m->name);
}
