// SPDX-License-Identifier: MIT
/*
 * Runs a fuzz target on stored inputs, without a fuzzer:
 *	fuzz_corpus NAME FOLDER
 * gives each file of the folder to fuzz_NAME.c. A target that finds a fault ends the program by a
 * signal. Exit code 2: the target or the folder does not exist, or a file cannot be read.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int fuzz_target(const uint8_t *data, size_t size);

/* TARGETS has TARGET(NAME) for each fuzz_NAME.c. */
#define TARGET(name) fuzz_target fuzz_##name;
TARGETS
#undef TARGET

static const struct {
	const char *name;
	fuzz_target *run;
} target[] = {
#define TARGET(name) { #name, fuzz_##name },
	TARGETS
};

static fuzz_target *find_target(const char *name)
{
	for (size_t i = 0; i < sizeof(target) / sizeof(target[0]); i++)
		if (strcmp(target[i].name, name) == 0)
			return target[i].run;
	return NULL;
}

/* Runs the target on a copy of exactly the file's size, so sanitizers detect reads beyond it. */
static int run_on_file(fuzz_target *run, FILE *f)
{
	static uint8_t bytes[1 << 20];
	size_t size = fread(bytes, 1, sizeof(bytes), f);
	uint8_t *copy = malloc(size ? size : 1);

	if (ferror(f) || !feof(f) || !copy) {
		free(copy);
		return -1;
	}
	memcpy(copy, bytes, size);
	run(copy, size);
	free(copy);
	return 0;
}

static int run_on_path(fuzz_target *run, const char *path)
{
	FILE *f = fopen(path, "rb");
	int err = f ? run_on_file(run, f) : -1;

	if (f)
		fclose(f);
	if (err)
		fprintf(stderr, "%s: cannot be read, or is larger than 1 MiB\n", path);
	return err;
}

int main(int argc, char **argv)
{
	fuzz_target *run = argc == 3 ? find_target(argv[1]) : NULL;
	DIR *folder = run ? opendir(argv[2]) : NULL;
	struct dirent *entry;
	char path[4096];
	unsigned files = 0;
	int err = 0;

	if (!folder) {
		fprintf(stderr, "usage: fuzz_corpus NAME FOLDER\n");
		return 2;
	}
	while (!err && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[2], entry->d_name);
		err = run_on_path(run, path);
		files++;
	}
	closedir(folder);
	return err || !files ? 2 : 0;
}
