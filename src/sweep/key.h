/* SPDX-License-Identifier: MIT */
/*
 * Keys: hashes of what decides the counts of a cell. The same key is the same counts, on any host
 * and with any emulator.
 *
 * Of a program these are its file, the shared libraries that it may load and the loader's cache,
 * its arguments, its environment, the folder it runs in, the file on its standard input, the files
 * that the plan says it reads, and the exit code that is right. Of a core they are all its
 * parameters, so that two ways to write the same core are one. What cannot be known is not in a
 * key: files that no plan names, the time of day, the network.
 */
#ifndef PMK_SWEEP_KEY_H
#define PMK_SWEEP_KEY_H

#include <stddef.h>

#include "count/program.h"
#include "cpu/config.h"
#include "sweep/plan.h"
#include "sweep/store.h"

/* Names everything that makes counts of instructions, of these sources (scripts/models). */
extern const char pmk_models[];

/* Hashes of files that have been read. Zeroed memory is an empty list. */
struct pmk_file_hashes {
	struct pmk_file_hash *item;
	size_t count, room;
};

void pmk_file_hashes_free(struct pmk_file_hashes *h);

/* Some of these files, by their places in the list. */
struct pmk_file_places {
	size_t *place;
	size_t count, room;
};

/* The first of these files that is not as it was before it was read, or NULL. The current folder is
 * that in which the key was made. */
const char *pmk_file_hashes_changed(const struct pmk_file_hashes *h,
				    const struct pmk_file_places *p);

/* The key of a program, what is in it, as lines, and the files that are in it; the caller frees
 * *about and own->place. `opened` is from pmk_program_open(). The current folder is the plan's. 0,
 * or PMK_EIO with one line in msg that begins with the name of a file, or PMK_ENOMEM. */
int pmk_key_program(const struct pmk_plan_program *p, const struct pmk_program *opened,
		    const char *sysroot, struct pmk_file_hashes *files, struct pmk_file_places *own,
		    pmk_store_key key, char **about, char *msg, size_t size);

/* All parameters of a core as text, "dcache.size=16384,…"; the caller frees it. NULL: out of
 * memory. */
char *pmk_key_parameters(const struct pmk_core *core);
void pmk_key_config(const struct pmk_core *core, const char *parameters, pmk_store_key key);
/* Of a core that cannot be: its settings are hashed as they are written. */
void pmk_key_bad_config(const struct pmk_core *base, const char *settings, pmk_store_key key);

void pmk_key_cell(const pmk_store_key program, const pmk_store_key config, pmk_store_key key);

#endif
