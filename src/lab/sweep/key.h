/* SPDX-License-Identifier: MIT */
/*
 * Computes keys: hashes of everything that determines the counts of a cell. Equal keys mean equal
 * counts, on any host and with any emulator.
 *
 * The key of a program includes its file, the shared libraries that it may load and the loader's
 * cache, its arguments, its environment, its working folder, the file on its standard input, the
 * inputs that the plan names, and the expected exit code. The key of a core includes all its
 * parameters, so that two ways to write the same core have one key. A key cannot include unknown
 * inputs: files that the plan does not name, the time of day, the network.
 */
#ifndef PMK_SWEEP_KEY_H
#define PMK_SWEEP_KEY_H

#include <stddef.h>

#include "base/sha256.h"
#include "count/program.h"
#include "cpu/config.h"
#include "lab/sweep/plan.h"
#include "lab/sweep/store.h"

/* A hash of the sources of everything that determines counts (scripts/models). */
extern const char pmk_models[];

/* Ends a hash, and stores its first bytes as a key. */
void pmk_store_key_end(struct pmk_sha256 *h, pmk_store_key key);

/* Hashes of files that were read. Zeroed memory is an empty list. */
struct pmk_file_hashes {
	struct pmk_file_hash *item;
	size_t count, room;
};

void pmk_file_hashes_free(struct pmk_file_hashes *h);

/* Some of the hashed files, by their places in the list. */
struct pmk_file_places {
	size_t *place;
	size_t count, room;
};

/*
 * Returns the first hashed file that has changed since it was read, or NULL. The current folder
 * must be the folder in which the key was made.
 */
const char *pmk_file_hashes_changed(const struct pmk_file_hashes *h,
				    const struct pmk_file_places *p);

/*
 * Computes the key of a program, with its contents as lines in *about, and its files in *own; the
 * caller frees *about and own->place. `opened` is from pmk_program_open(). The current folder must
 * be the plan's. Returns 0, or PMK_EIO with one line in msg that begins with the name of a file, or
 * PMK_ENOMEM.
 */
int pmk_key_program(const struct pmk_plan_program *p, const struct pmk_program *opened,
		    const char *sysroot, struct pmk_file_hashes *files, struct pmk_file_places *own,
		    pmk_store_key key, char **about, char *msg, size_t size);

/*
 * Returns all parameters of a core as text, "dcache.size=16384,…". The caller frees the text. NULL:
 * out of memory.
 */
char *pmk_key_parameters(const struct pmk_core *core);
void pmk_key_config(const struct pmk_core *core, const char *parameters, pmk_store_key key);
/* Computes the key of an invalid core. The settings are hashed as the plan has them. */
void pmk_key_bad_config(const struct pmk_core *base, const char *settings, pmk_store_key key);

void pmk_key_cell(const pmk_store_key program, const pmk_store_key config, pmk_store_key key);

#endif
