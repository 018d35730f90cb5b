/* SPDX-License-Identifier: MIT */
/*
 * Converts the accounts of a run (cpu/sites.h) to a recording, which has the executions of each
 * instruction and its count of every event.
 */
#ifndef PMK_COUNT_RECORDED_H
#define PMK_COUNT_RECORDED_H

#include "cpu/config.h"
#include "producer/qemu/ledger.h"
#include "profile/recording/recording.h"

/* What to record of each instruction. */
struct pmk_recorded_request {
	const struct pmk_core *core;
	const struct pmk_event *const *event; /* the counted events */
	const uint64_t *total;		      /* total of each event */
	unsigned nevents;
	const char *program; /* ELF file of firmware, or NULL */
	bool system;
};

/* The owner of a recording's arrays. */
struct pmk_recorded;

/* Read the ledger. Returns 0, PMK_ENOMEM, or PMK_EPARSE if the ledger makes no sense. The ledger's
 * records are not needed afterwards. */
int pmk_recorded_read(struct pmk_recorded **out, const struct pmk_ledger *ledger,
		      const struct pmk_recorded_request *req);
void pmk_recorded_free(struct pmk_recorded *r);

/* Returns the path of a file that describes code that the program generated; NULL: there are no
 * more. Files are numbered from 0. */
const char *pmk_recorded_dump(const struct pmk_recorded *r, size_t number);

/* Point the arrays of code and counts in *rec to the arrays in *r, which still owns them. */
void pmk_recorded_fill(const struct pmk_recorded *r, struct pmk_recording *rec);

#endif
