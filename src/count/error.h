/* SPDX-License-Identifier: MIT */
/* Why something cannot be counted, as a value: whoever asked tells people about it. */
#ifndef PMK_COUNT_ERROR_H
#define PMK_COUNT_ERROR_H

#include <pmk/count.h>

/* All zero: there was none. */
struct pmk_count_fault {
	int failure; /* enum pmk_count_failure */
	char *text;  /* one line: what, where, what to do. NULL: there was no memory for it */
};

/* Keep the failure in place of the last one. Returns it, so that `return pmk_count_fail(…)`
 * works. */
int pmk_count_fail(struct pmk_count_fault *f, enum pmk_count_failure failure, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int pmk_count_no_memory(struct pmk_count_fault *f);
/* What it says; never NULL. */
const char *pmk_count_fault_text(const struct pmk_count_fault *f);
void pmk_count_fault_free(struct pmk_count_fault *f);

#endif
