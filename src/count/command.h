/* SPDX-License-Identifier: MIT */
/* Functions that pmk stat needs in addition to <pmk/count.h>. */
#ifndef PMK_COUNT_COMMAND_H
#define PMK_COUNT_COMMAND_H

#include <signal.h>

#include <pmk/count.h>
#include <pmk/result.h>

#include "profile/recording/recording.h"

/* Like pmk_count_new(), but errors, warnings and notes name options: -r, not 'repeat'. */
struct pmk_count *pmk_count_new_for_command(void);
/* Returns the file that is run, after pmk_count_prepare(); NULL: none. */
const char *pmk_count_file(const struct pmk_count *c);
/* These return the files that the run writes while it counts: a log of register accesses, and pins.
 * NULL: none. */
const char *pmk_count_log(const struct pmk_count *c);
const char *pmk_count_packets(const struct pmk_count *c);
/* The metrics of the result, NULL terminated, for struct pmk_write_options. The list may change
 * until the listener gets the first rows; it is freed with the handle. */
const struct pmk_metric *const *pmk_count_metrics(const struct pmk_count *c);
/* Signals that a program on this machine must ignore, because this process ignored them until the
 * command installed handlers. Call it before the run. */
void pmk_count_ignore(struct pmk_count *c, const sigset_t *ignored);
/* Record where events are counted; with call paths if `paths`. Call it before the run. */
void pmk_count_record(struct pmk_count *c, bool paths);
/* Set the sampling rate from texts: samples per second, or events per sample; NULL: not given. Call
 * this before the run, after all settings. Returns 0 or a failure. */
int pmk_count_rate(struct pmk_count *c, const char *frequency, const char *period);
/* Returns the recording of the run; NULL: none. Valid until pmk_count_free(). */
const struct pmk_recording *pmk_count_recording(const struct pmk_count *c);
/* Returns the layers of a bus that a PMU counts; NULL: none. */
const struct pmk_layers *pmk_count_layers(const struct pmk_pmu *pmu);

#endif
