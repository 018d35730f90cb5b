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

/* The data directory with cores/, metrics/ and layouts/: `chosen`, or for NULL $PMK_DATA, the
 * source tree's of a program in its build tree, or the installed one. 0 or a failure. */
int pmk_files_data(char path[PATH_MAX], const char *chosen, struct pmk_count_fault *f);
/* A module of the QEMU plugin, by its file name: next to this code, or the installed one. `chosen`,
 * or for NULL $PMK_PLUGIN, replaces all modules, or is a directory that contains them. False: it
 * was not found, and `path` is the last path that was tried, or empty. */
bool pmk_files_plugin(char path[PATH_MAX], const char *chosen, const char *module);
/* The command that builds the user-mode emulators: "make qemu", or the path of the installed
 * script. */
void pmk_files_build_qemu(char path[PATH_MAX]);

/* The folder of the user's files: $XDG_CONFIG_HOME/pmk or ~/.config/pmk, or a folder there, which
 * need not exist. False: the environment does not define it. */
bool pmk_files_own(char path[PATH_MAX], const char *folder);
/* True if this user may not read this folder, or the folder that contains it. `path` becomes the
 * one that is closed. */
bool pmk_files_closed(char path[PATH_MAX], const char *folder);

/* Names of the core presets: the data directory's and the user's ($XDG_CONFIG_HOME/pmk/cores).
 * Sorted, NULL terminated; pmk_files_free_names() frees them. NULL: a failure. */
char **pmk_files_cores(const char *data, struct pmk_count_fault *f);
void pmk_files_free_names(char **names);
/* True for a path, which has a slash or ends in .ini; false for a name. */
bool pmk_files_is_path(const char *name);
/* The name of the preset for this name of GCC, QEMU or people ("a53", "rpi4"); `name` itself if
 * there is a preset of that name, or none at all. */
const char *pmk_files_core_name(const char *data, const char *name);
/* The path of a preset: `name` itself if it is a path; else the user's preset of that name, or the
 * data directory's. False: it cannot be read; errno says why. */
bool pmk_files_core(char path[PATH_MAX], const char *data, const char *name);

/* All metrics: the data directory's and the user's ($XDG_CONFIG_HOME/pmk/metrics). Faulty metrics
 * of the user do not prevent counting: they are left out, and *why, which may be NULL, says so.
 * Returns 0 or a failure. */
int pmk_files_metrics(struct pmk_metrics **out, const char *data, struct pmk_count_fault *why,
		      struct pmk_count_fault *f);

#endif
