// SPDX-License-Identifier: MIT
/*
 * Finds functions of the running kernel. /proc/kallsyms has a line for each symbol: address, a
 * letter for its kind, name, and perhaps the module. All addresses are 0 for users who may not see
 * them.
 */
#define _GNU_SOURCE
#include "profile/recording/symbols.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/search.h"

struct symbol {
	uint64_t address;
	char *name;
};

struct list {
	struct symbol *item;
	size_t n, room;
};

static bool list_add(struct list *l, uint64_t address, const char *name)
{
	return PMK_APPEND(l->item, l->n, l->room, (struct symbol){ address, strdup(name) }) &&
	       l->item[l->n - 1].name;
}

static bool read_list(struct list *l, FILE *f)
{
	char line[512], kind, name[400];
	uint64_t address;
	bool fits = true;

	while (fits && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 " %c %399s", &address, &kind, name) == 3 && address &&
		    strchr("tTwW", kind))
			fits = list_add(l, address, name);
	return fits;
}

/* Orders symbols by address, then by length of the name: the shortest name of an address is
 * shown. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	size_t n = strlen(x->name), m = strlen(y->name);

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return n != m ? (n > m) - (n < m) : strcmp(x->name, y->name);
}

/* Read the running kernel's build id from its notes; "" if it has none. */
static void read_build_id(char *text, size_t size)
{
	FILE *f = fopen("/sys/kernel/notes", "re");
	Elf64_Nhdr note;
	uint8_t bytes[256];

	*text = '\0';
	while (f && fread(&note, sizeof(note), 1, f) == 1) {
		size_t name = (note.n_namesz + 3u) & ~3u, n = (note.n_descsz + 3u) & ~3u;

		if (name > sizeof(bytes) || n > sizeof(bytes) || fread(bytes, 1, name, f) != name)
			break;
		if (fread(bytes, 1, n, f) != n)
			break;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    2 * note.n_descsz >= size)
			continue;
		for (size_t i = 0; i < note.n_descsz; i++)
			sprintf(text + 2 * i, "%02x", bytes[i]);
		break;
	}
	if (f)
		fclose(f);
}

/* Returns the symbol that contains the address, or PMK_NOWHERE. */
static uint32_t symbol_at(const struct list *l, uint64_t address)
{
	size_t low = PMK_FIRST_BEHIND(l->item, l->n, address, address);

	while (low > 1 && l->item[low - 2].address == l->item[low - 1].address)
		low--;
	return low ? (uint32_t)(low - 1) : PMK_NOWHERE;
}

/* Returns the end of a symbol, which is the address of the next symbol. The last symbol has one
 * byte. */
static uint64_t end_of(const struct list *l, size_t at)
{
	uint64_t address = l->item[at].address;

	for (; at < l->n; at++)
		if (l->item[at].address != address)
			return l->item[at].address;
	return address + 1;
}

/* Assign functions to addresses, which are in ascending order, and add their names to `s`. */
static int functions_assign(struct pmk_symbols *s, struct list *l, const uint64_t *addr, size_t n)
{
	uint32_t last = PMK_NOWHERE;

	s->function = calloc(n + 1, sizeof(*s->function));
	s->name = calloc(n + 1, sizeof(*s->name));
	if (!s->function || !s->name)
		return PMK_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = symbol_at(l, addr[i]);

		if (at == PMK_NOWHERE)
			continue;
		if (at != last) {
			uint64_t begin = l->item[at].address;
			char *name = l->item[at].name;

			l->item[at].name = NULL;
			s->name[s->nnames++] = name;
			s->function[s->nfunctions++] = (struct pmk_symbols_function){
				.name = name,
				.symbol = name,
				.address = begin,
				.size = end_of(l, at) - begin,
				.used = true,
			};
			last = at;
		}
		s->place[i].function = (uint32_t)(s->nfunctions - 1);
	}
	return 0;
}

int pmk_symbols_kernel(struct pmk_symbols *s, const char *build_id, const uint64_t *addr, size_t n)
{
	int err = pmk_symbols_load(s, NULL, addr, NULL, n, NULL);
	struct list l = { 0 };
	char running[PMK_DEBUG_BUILD_ID];
	FILE *f;

	read_build_id(running, sizeof(running));
	if (err || (build_id && strcmp(build_id, running) != 0))
		return err;
	snprintf(s->build_id, sizeof(s->build_id), "%s", running);
	f = fopen("/proc/kallsyms", "re");
	if (!f)
		return 0;
	err = read_list(&l, f) ? 0 : PMK_ENOMEM;
	fclose(f);
	qsort(l.item, l.n, sizeof(*l.item), by_address);
	if (!err && l.n)
		err = functions_assign(s, &l, addr, n);
	for (size_t i = 0; i < l.n; i++)
		free(l.item[i].name);
	free(l.item);
	return err;
}
