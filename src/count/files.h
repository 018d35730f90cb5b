/* SPDX-License-Identifier: MIT */
/*
 * Finding the files that counting needs: presets of cores, metrics, layouts, modules for QEMU.
 * The search starts from the file that this code is in, the program or the shared library. Nothing
 * is cached: each call searches again.
 */
#ifndef PMK_COUNT_FILES_H
#define PMK_COUNT_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <pmk/result.h>

#include "count/error.h"
#include "cpu/config.h"

/* The data directory with cores/, metrics/ and layouts/: `chosen`, or for NULL $PMK_DATA, the
 * source tree's of a program in its build tree, or the installed one. 0 or a failure. */
int pmk_files_data(char path[PATH_MAX], const char *chosen, struct pmk_count_fault *f);
/* A module of the QEMU plugin, by its file name: beside this code, or the installed one. `chosen`,
 * or for NULL $PMK_PLUGIN, takes the place of all modules; as a directory it has them. False: it is
 * in none of these places, and `path` is the last that was tried, or empty. */
bool pmk_files_plugin(char path[PATH_MAX], const char *chosen, const char *module);
/* The command that builds emulators of programs: "make qemu", or the path of the installed
 * script. */
void pmk_files_build_qemu(char path[PATH_MAX]);

/* Where the user's own files are: $XDG_CONFIG_HOME/pmk or ~/.config/pmk, or a folder there, which
 * need not exist. False: the environment does not say where. */
bool pmk_files_own(char path[PATH_MAX], const char *folder);
/* Is this folder, or the one that it is in, closed to this user? Then `path` is the closed one. */
bool pmk_files_closed(char path[PATH_MAX], const char *folder);

/* Names of the core presets: the data directory's and the user's ($XDG_CONFIG_HOME/pmk/cores).
 * Sorted, NULL terminated; pmk_files_free_names() frees them. NULL: a failure. */
char **pmk_files_cores(const char *data, struct pmk_count_fault *f);
void pmk_files_free_names(char **names);
/* Is it a path and not a name: does it have a slash, or end in .ini? */
bool pmk_files_is_path(const char *name);
/* The name of the preset that this name of GCC, QEMU or people stands for ("a53", "rpi4"); `name`
 * itself where there is a preset of that name, or none at all. */
const char *pmk_files_core_name(const char *data, const char *name);
/* The path of a preset: `name` itself if it is a path; else the user's preset of that name, or the
 * data directory's. False: it cannot be read; errno says why. */
bool pmk_files_core(char path[PATH_MAX], const char *data, const char *name);

/* All metrics: the data directory's and the user's ($XDG_CONFIG_HOME/pmk/metrics). What is wrong
 * with the user's own keeps nobody from counting: they are left out, and *why, which may be NULL,
 * says so. 0 or a failure. */
int pmk_files_metrics(struct pmk_metrics **out, const char *data, struct pmk_count_fault *why,
		      struct pmk_count_fault *f);

#endif
