/* SPDX-License-Identifier: MIT */
/*
 * Libraries that are loaded when they are first needed. Only the command uses this: loading
 * libraries that most commands do not need takes longer than these commands run.
 */
#ifndef PMK_BASE_LATE_H
#define PMK_BASE_LATE_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_late_function {
	const char *name;
	size_t at; /* where to store the pointer, in bytes from the first one */
};

/*
 * Loads a library by its soname and looks up its functions. It is never unloaded. False: the
 * library or one of the functions is missing; the pointers to missing functions are unchanged.
 */
bool pmk_late_load(const char *library, const struct pmk_late_function *functions, size_t n,
		   void *pointers);

#endif
