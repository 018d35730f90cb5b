// SPDX-License-Identifier: MIT
/*
 * `uc_firmware FIRMWARE TEST` runs one test on a program of guest.c. `uc_firmware --list` prints
 * the names of the tests.
 */
#include <string.h>

#include "rig.h"

static const struct test *const groups[] = {
	sequence_tests, fault_tests,  schedule_tests, region_tests,
	sample_tests,	misuse_tests, fast_tests,     memory_tests,
};

int main(int argc, char **argv)
{
	const char *wanted = argc == 3 ? argv[2] : NULL;

	if (!wanted && !(argc == 2 && !strcmp(argv[1], "--list"))) {
		fprintf(stderr, "usage: uc_firmware FIRMWARE TEST | --list\n");
		return 2;
	}
	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
		for (const struct test *t = groups[g]; t->name; t++) {
			struct machine *m;

			if (!wanted) {
				puts(t->name);
				continue;
			}
			if (strcmp(t->name, wanted))
				continue;
			m = machine_new(argv[1]);
			t->run(m);
			machine_free(m);
			return 0;
		}
	}
	if (wanted)
		fprintf(stderr, "no test %s\n", wanted);
	return wanted ? 2 : 0;
}
