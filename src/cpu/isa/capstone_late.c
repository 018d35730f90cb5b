// SPDX-License-Identifier: MIT
/* Loads Capstone when it is first needed. See capstone.h. It is never unloaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/isa/capstone.h"

/* The name of the library that belongs to the version of Capstone's headers. */
#define TEXT_OF(x) #x
#define TEXT(x)	   TEXT_OF(x)
#define LIBRARY	   "libcapstone.so." TEXT(CS_API_MAJOR)

static struct pmk_capstone loaded;
static bool complete;

static void load(void)
{
	static const struct {
		const char *name;
		size_t at; /* offset in struct pmk_capstone at which the pointer is stored */
	} functions[] = {
		{ "cs_version", offsetof(struct pmk_capstone, version) },
		{ "cs_open", offsetof(struct pmk_capstone, open) },
		{ "cs_close", offsetof(struct pmk_capstone, close) },
		{ "cs_malloc", offsetof(struct pmk_capstone, malloc) },
		{ "cs_free", offsetof(struct pmk_capstone, free) },
		{ "cs_disasm", offsetof(struct pmk_capstone, disasm) },
		{ "cs_disasm_iter", offsetof(struct pmk_capstone, disasm_iter) },
	};
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	complete = library;
	for (size_t i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);

		/* POSIX permits converting an object pointer to a function pointer. */
		*(void **)((char *)&loaded + functions[i].at) = function;
		complete &= function != NULL;
	}
}

const struct pmk_capstone *pmk_capstone(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return complete ? &loaded : NULL;
}
