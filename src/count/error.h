/* SPDX-License-Identifier: MIT */
/* The reason why something cannot be counted, as a value. The caller decides where to report it. */
#ifndef PMK_COUNT_ERROR_H
#define PMK_COUNT_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include <pmk/count.h>

/*
 * Texts contain settings in backquotes: "`repeat` 0: expected a number". For programs that use the
 * library, the name becomes the setting, 'repeat'; for users of the command it becomes the option,
 * -r. Only names of settings are replaced.
 */

/* Why a function failed. A struct of zeros means success. */
struct pmk_count_fault {
	bool options; /* for the command: texts show options instead of settings */
	int failure;  /* enum pmk_count_failure */
	char *text;   /* one line: what, where, what to do. NULL: out of memory */
};

/* Store a failure, replacing the previous one, and return it, for `return pmk_count_fail(…)`. */
int pmk_count_fail(struct pmk_count_fault *f, enum pmk_count_failure failure, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Like pmk_count_fail() with PMK_COUNT_USAGE: the request is invalid. */
int pmk_count_refuse(struct pmk_count_fault *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int pmk_count_no_memory(struct pmk_count_fault *f);
/* Returns the text of the failure; never NULL. */
const char *pmk_count_fault_text(const struct pmk_count_fault *f);
/* settings.c. Returns the name under which messages show a setting; NULL if there is no such
 * setting. */
const char *pmk_setting_shown(const char *name, size_t n, bool options);
/* Returns the text with settings replaced, in new memory; NULL: out of memory. */
char *pmk_count_render(const char *text, bool options);
void pmk_count_fault_free(struct pmk_count_fault *f);

#endif
