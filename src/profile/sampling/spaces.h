/* SPDX-License-Identifier: MIT */
/*
 * Memory maps of processes. They give the file of an address, or its kind of memory without a file,
 * at the time of a sample.
 */
#ifndef PMK_SAMPLING_SPACES_H
#define PMK_SAMPLING_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* A file with code, or one kind of code without a file. */
struct pmk_space_object {
	char *path;	/* for code without a file: "[anon]", "[vdso]" … */
	char *build_id; /* hexadecimal; NULL: not known */
	bool file;
};

struct pmk_spaces {
	struct pmk_space_object *object;
	size_t nobjects, object_room;
	struct pmk_space *space; /* one for each process */
	size_t nspaces, space_room;
	struct pmk_map of_pid;
};

/* The memory maps of all processes. Zeroed memory has no processes. Functions that return int
 * return 0 or PMK_ENOMEM. */
void pmk_spaces_free(struct pmk_spaces *s);

/* Returns the number of the object; UINT32_MAX: out of memory. */
uint32_t pmk_spaces_object(struct pmk_spaces *s, const char *path, const uint8_t *build_id,
			   size_t build_id_size);
/* Map `length` bytes at `start` in process `pid` to the object, from `offset` on. */
int pmk_spaces_map(struct pmk_spaces *s, uint32_t pid, uint64_t start, uint64_t length,
		   uint64_t offset, uint32_t object);
/* Give process `pid` a copy of the memory map of `parent`. */
int pmk_spaces_fork(struct pmk_spaces *s, uint32_t pid, uint32_t parent);
/* Remove all mappings of the process, because it executes another program. */
void pmk_spaces_clear(struct pmk_spaces *s, uint32_t pid);
/*
 * Find the object at an address: set *object, and set *addr to the address in its ELF file. Without
 * a file the address is unchanged. Returns false if the address is not mapped.
 */
bool pmk_spaces_find(struct pmk_spaces *s, uint32_t pid, uint64_t *addr, uint32_t *object);

#endif
