/* SPDX-License-Identifier: MIT */
/*
 * Names of code that a program generated, from the files that just-in-time compilers write for
 * perf. /tmp/perf-PID.map has lines of the form START SIZE NAME. The numbers are hexadecimal.
 * jit-PID.dump has records with the code and more; perf describes it in
 * tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef PMK_PROFILE_PERFMAP_H
#define PMK_PROFILE_PERFMAP_H

#include "profile/recording/recording.h"

struct pmk_perfmap {
	struct pmk_recorded_name *name; /* in the order of the file */
	size_t n, room;
};

/*
 * Reads the lines that name recorded code without a file. Lines that have another form are left
 * out, and msg has one line that says so, or why the file cannot be read; otherwise it is empty. A
 * file that does not exist has no names. Returns 0 or PMK_ENOMEM; free it in both cases.
 */
int pmk_perfmap_read(struct pmk_perfmap *m, const char *path, const struct pmk_recording *rec,
		     char *msg, size_t size);
/* Like pmk_perfmap_read(), for a dump, whose names are appended. Names before damage are used. */
int pmk_perfmap_read_dump(struct pmk_perfmap *m, const char *path, const struct pmk_recording *rec,
			  char *msg, size_t size);
void pmk_perfmap_free(struct pmk_perfmap *m);

#endif
