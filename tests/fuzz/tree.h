/* SPDX-License-Identifier: MIT */
/*
 * A temporary folder with files like those of a kernel, for targets that test the readers of these
 * files. Include this header after the arrays `folders` and `files`, whose paths are relative to
 * the folder `sys`. make_folders() makes the folders in their order, so a parent must come first.
 * Everything is removed at the end.
 */
#ifndef PMK_TESTS_FUZZ_TREE_H
#define PMK_TESTS_FUZZ_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char sys[] = "/tmp/pmk-fuzz-XXXXXX";

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void remove_all(void)
{
	char path[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", sys, files[i]);
		unlink(path);
	}
	for (size_t i = sizeof(folders) / sizeof(folders[0]); i--;) {
		snprintf(path, sizeof(path), "%s%s", sys, folders[i]);
		rmdir(path);
	}
	rmdir(sys);
}

static void make_folders(void)
{
	char path[128];

	expect(mkdtemp(sys) != NULL);
	atexit(remove_all);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", sys, folders[i]);
		expect(mkdir(path, 0700) == 0);
	}
}

#endif
