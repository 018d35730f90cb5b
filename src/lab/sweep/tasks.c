// SPDX-License-Identifier: MIT
/* Selects the cells of tasks: see tasks.h. */
#include "lab/sweep/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/map.h"
#include "base/sha256.h"

#define DIGITS ((size_t)2 * PMK_STORE_KEY) /* number of digits of a key in the file */

static uint64_t key_prefix(const pmk_store_key key)
{
	uint64_t begin;

	memcpy(&begin, key, sizeof(begin));
	return begin;
}

/* Writes each key once, even if it has several names. Returns false if out of memory. */
static bool put_keys(const struct pmk_sweep *s, const struct pmk_sweep_todo *todo, FILE *f)
{
	struct pmk_map seen = { 0 };
	bool good = true;

	for (size_t i = 0; good && i < todo->count; i++) {
		size_t before = seen.used;
		struct pmk_sweep_cell cell;
		char text[DIGITS + 1];

		pmk_sweep_cell(s, todo->cell[i], &cell);
		good = pmk_map_put(&seen, key_prefix(cell.key), 0) != UINT32_MAX;
		if (!good || seen.used == before)
			continue;
		pmk_sha256_text(cell.key, PMK_STORE_KEY, text);
		fprintf(f, "%s\n", text);
	}
	pmk_map_free(&seen);
	return good;
}

int pmk_tasks_write(const struct pmk_sweep *s, const struct pmk_sweep_todo *todo, const char *path)
{
	struct pmk_whole out;
	bool good;

	if (!pmk_whole_open(&out, path))
		return PMK_EIO;
	good = put_keys(s, todo, out.f) && !fflush(out.f) && !ferror(out.f);
	return pmk_whole_close(&out, good) && good ? 0 : PMK_EIO;
}

/* Reads the next key of the list. Returns false if there is none; *good is then true if the list is
 * complete. */
static bool next_key(FILE *f, pmk_store_key key, bool *good)
{
	char line[DIGITS + 2];
	size_t n = fread(line, 1, DIGITS + 1, f);

	*good = !n && !ferror(f);
	if (n != DIGITS + 1 || line[DIGITS] != '\n')
		return false;
	for (size_t i = 0; i < PMK_STORE_KEY; i++) {
		unsigned byte;

		if (sscanf(line + 2 * i, "%2x", &byte) != 1)
			return false;
		key[i] = (uint8_t)byte;
	}
	return true;
}

static int bad_list(const struct pmk_sweep *s, const char *path, const char *why)
{
	return pmk_count_fail(s->fault, PMK_COUNT_FAILED, "%s: %s", path, why);
}

/* Reads the keys of the slice, each with its place in it. Returns 0 or an error. */
static int read_slice(const struct pmk_sweep *s, FILE *f, const char *path, unsigned i, unsigned n,
		      struct pmk_map *keys)
{
	pmk_store_key key;
	bool good;

	for (size_t line = 0; next_key(f, key, &good); line++)
		if (line % n == i &&
		    pmk_map_put(keys, key_prefix(key), (uint32_t)keys->used) == UINT32_MAX)
			return pmk_count_no_memory(s->fault);
	return good ? 0 : bad_list(s, path, "this is not a list of tasks of pmk sweep --engine");
}

/* Finds the cells with these keys. A cell that has several names is selected under all of them. */
static int find_cells(const struct pmk_sweep *s, const char *path, const struct pmk_map *keys,
		      struct pmk_sweep_slice *slice)
{
	bool *found = calloc(keys->used + 1, sizeof(*found));
	size_t room = 0, nfound = 0;

	for (size_t number = 0; found && number < s->ncells; number++) {
		struct pmk_sweep_cell cell;
		uint32_t place;

		pmk_sweep_cell(s, number, &cell);
		place = pmk_map_get(keys, key_prefix(cell.key));
		if (place == UINT32_MAX)
			continue;
		if (!PMK_APPEND(slice->cell, slice->count, room, (uint32_t)number))
			break;
		nfound += !found[place];
		found[place] = true;
	}
	free(found);
	if (nfound == keys->used)
		return 0;
	return bad_list(
		s, path,
		"the plan, a file that it names, or pmk has changed since the tasks were made; "
		"make them again with --engine");
}

int pmk_tasks_take(const struct pmk_sweep *s, const char *path, unsigned i, unsigned n,
		   struct pmk_sweep_slice *slice)
{
	FILE *f = fopen(path, "re");
	struct pmk_map keys = { 0 };
	int err;

	*slice = (struct pmk_sweep_slice){ 0 };
	if (!f)
		return bad_list(s, path, strerror(errno));
	err = read_slice(s, f, path, i, n, &keys);
	fclose(f);
	if (!err)
		err = find_cells(s, path, &keys, slice);
	pmk_map_free(&keys);
	return err;
}
