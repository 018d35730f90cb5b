/* SPDX-License-Identifier: MIT */
/* Chooses events of a recording. */
#ifndef PMK_RECORDING_CHOOSE_H
#define PMK_RECORDING_CHOOSE_H

#include "profile/recording/tables.h"

struct pmk_choice {
	uint32_t *event; /* indices, or PMK_TABLES_EXECUTIONS */
	size_t n;
};

/* Chooses the events of a comma-separated list: names, their aliases in the catalogues,
 * "executions", "all". Each is added once, in the order of the list. Returns 0, PMK_ENOMEM, or
 * PMK_EINVAL with one line in msg. */
int pmk_choice_named(struct pmk_choice *c, const struct pmk_tables *t, const char *list, char *msg,
		     size_t size);
/* Chooses all events with a value. If no event has one, chooses the executions, unless the
 * recording is sampled. Returns 0 or PMK_ENOMEM. */
int pmk_choice_all(struct pmk_choice *c, const struct pmk_tables *t);
/* Chooses the cycles of the core, or else the first event with a value, or else executions. Returns
 * 0 or PMK_ENOMEM. */
int pmk_choice_cycles(struct pmk_choice *c, const struct pmk_tables *t);
/* Moves the cycles of the core to the front, if they were chosen. */
void pmk_choice_put_cycles_first(struct pmk_choice *c, const struct pmk_tables *t);
void pmk_choice_free(struct pmk_choice *c);

/* True if the event has this name, in the recording or in the catalogue. */
bool pmk_tables_event_is(const struct pmk_tables_event *e, const char *name);

#endif
