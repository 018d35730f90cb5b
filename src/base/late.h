/* SPDX-License-Identifier: MIT */
/* Libraries that are loaded when they are first needed. The command alone does so: loading those
 * that most commands do without takes longer than these commands do. */
#ifndef PMK_BASE_LATE_H
#define PMK_BASE_LATE_H

#include <stdbool.h>
#include <stddef.h>

struct pmk_late_function {
	const char *name;
	size_t at; /* where the pointer to it goes, in bytes from the first one */
};

/* Load a library by the name that the linker would note down, and look up its functions. They stay
 * for good. False: it is not there, or lacks one of them; the pointers to those it lacks stay as
 * they were. */
bool pmk_late_load(const char *library, const struct pmk_late_function *functions, size_t n,
		   void *pointers);

#endif
