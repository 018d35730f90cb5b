/* SPDX-License-Identifier: MIT */
/*
 * Finding the files that counting needs: presets of cores, metrics, layouts, modules for QEMU. The
 * search starts from the file that contains this code: the program or the shared library. Nothing
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

/* Finds the data directory, which has cores/, metrics/ and layouts/. The directory is `chosen`,
 * or $PMK_DATA if `chosen` is NULL. If $PMK_DATA is not set either, code that runs from a build
 * tree uses the data of the source tree, and other code uses the installed data. Returns 0 or a
 * failure. */
int pmk_files_data(char path[PATH_MAX], const char *chosen, struct pmk_count_fault *f);
/*
 * Finds a module of the QEMU plugin by its file name, next to this code or where it is installed.
 * `chosen`, or $PMK_PLUGIN if `chosen` is NULL, replaces this search. If it is a directory, the
 * module is in it; if it is a file, that file is used for every module. Returns false if there is
 * no such module; `path` is then the last path that was tried, or empty.
 */
bool pmk_files_plugin(char path[PATH_MAX], const char *chosen, const char *module);
/* Writes the command that builds the user-mode emulators: "make qemu", or the path of the installed
 * script. */
void pmk_files_build_qemu(char path[PATH_MAX]);

/* Sets `path` to the folder of the user's files, $XDG_CONFIG_HOME/pmk or ~/.config/pmk, or to a
 * subfolder of it. The folder need not exist. Returns false if neither XDG_CONFIG_HOME nor HOME is
 * set. */
bool pmk_files_own(char path[PATH_MAX], const char *folder);
/* True if the user has no permission to read this subfolder, or to enter the folder that contains
 * it. `path` is then the folder without permission. */
bool pmk_files_closed(char path[PATH_MAX], const char *folder);

/* Returns the names of the core presets: the data directory's and the user's
 * ($XDG_CONFIG_HOME/pmk/cores). The list is sorted and NULL terminated; pmk_files_free_names()
 * frees it. NULL: a failure. */
char **pmk_files_cores(const char *data, struct pmk_count_fault *f);
void pmk_files_free_names(char **names);
/* True for a path, which has a slash or ends in .ini; false for a name. */
bool pmk_files_is_path(const char *name);
/* Returns the name of the preset for a name that GCC, QEMU or users use ("a53", "rpi4"). Returns
 * `name` itself if a preset has this name, or if no preset matches. */
const char *pmk_files_core_name(const char *data, const char *name);
/* Sets `path` to the path of a preset: `name` itself if it is a path, or else the user's preset
 * of this name, or else the preset in the data directory. Returns false if it cannot be read;
 * errno says why. */
bool pmk_files_core(char path[PATH_MAX], const char *data, const char *name);

/* Loads all metrics: the data directory's and the user's ($XDG_CONFIG_HOME/pmk/metrics). If the
 * user's metrics have an error, they are left out, and *why, unless NULL, receives the reason.
 * Returns 0 or a failure. */
int pmk_files_metrics(struct pmk_metrics **out, const char *data, struct pmk_count_fault *why,
		      struct pmk_count_fault *f);

#endif
