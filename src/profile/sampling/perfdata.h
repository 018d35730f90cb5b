/* SPDX-License-Identifier: MIT */
/*
 * Reads the file that perf record writes, as a recording. perf describes the format in
 * tools/perf/Documentation/perf.data-file-format.txt. The format has no version, and new parts are
 * added.
 */
#ifndef PMK_SAMPLING_PERFDATA_H
#define PMK_SAMPLING_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/recording/recording.h"

struct pmk_perfdata;

/* True if the bytes, or the contents of the file, begin like a file of perf. */
bool pmk_perfdata_begins(const uint8_t *bytes, size_t size);
bool pmk_perfdata_is(const char *path);

/*
 * Read a file, or the bytes of a file. Returns 0, PMK_EIO, PMK_ENOMEM, or PMK_EPARSE if it is
 * damaged or of an unsupported kind. After an error, one line in msg says what to do, without the
 * file's name. A truncated file is read as far as it goes, and the recording is marked as partial.
 */
int pmk_perfdata_read(struct pmk_perfdata **out, const char *path, char *msg, size_t size);
int pmk_perfdata_parse(struct pmk_perfdata **out, const uint8_t *bytes, size_t n, char *msg,
		       size_t size);
void pmk_perfdata_free(struct pmk_perfdata *p);

const struct pmk_recording *pmk_perfdata_recording(const struct pmk_perfdata *p);

#endif
