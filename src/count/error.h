/* SPDX-License-Identifier: MIT */
/* Why something cannot be counted, as a value. The caller decides whom to tell. */
#ifndef PMK_COUNT_ERROR_H
#define PMK_COUNT_ERROR_H

#include <pmk/count.h>

/* All zero: nothing has failed. */
struct pmk_count_fault {
	int failure; /* enum pmk_count_failure */
	char *text;  /* one line: what, where, what to do. NULL: there was no memory for it */
};

/* Store the failure in place of the last one, and return it for `return pmk_count_fail(…)`. */
int pmk_count_fail(struct pmk_count_fault *f, enum pmk_count_failure failure, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int pmk_count_no_memory(struct pmk_count_fault *f);
/* The text of the failure; never NULL. */
const char *pmk_count_fault_text(const struct pmk_count_fault *f);
void pmk_count_fault_free(struct pmk_count_fault *f);

#endif
