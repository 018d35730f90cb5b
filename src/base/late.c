// SPDX-License-Identifier: MIT
/* See late.h. */
#include "base/late.h"

#include <dlfcn.h>

bool pmk_late_load(const char *library, const struct pmk_late_function *functions, size_t n,
		   void *pointers)
{
	void *loaded = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	bool complete = loaded;

	for (size_t i = 0; loaded && i < n; i++) {
		void *function = dlsym(loaded, functions[i].name);

		/* POSIX permits this conversion from an object pointer to a function pointer. */
		if (function)
			*(void **)((char *)pointers + functions[i].at) = function;
		complete &= function != NULL;
	}
	return complete;
}
