/* SPDX-License-Identifier: MIT */
/*
 * Finds information about addresses in an ELF file, from the file and its debug information:
 * functions, files, lines and inlined functions. Missing information is not an error: files may be
 * stripped, damaged or deleted.
 */
#ifndef PMK_RECORDING_SYMBOLS_H
#define PMK_RECORDING_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/recording/debug.h"
#include "profile/recording/recording.h"

#define PMK_NOWHERE UINT32_MAX

struct pmk_symbols_function {
	const char *name; /* demangled */
	/* The linker's name. NULL, like `name`, if the function is known only from calls. */
	const char *symbol;
	uint64_t address, size;
	const char *file; /* file that declares the function; NULL: not known */
	unsigned line;
	bool used; /* true if a looked-up address is in the function */
};

/* A place where the compiler has inlined a function. Parents come before their children. */
struct pmk_symbols_inlined {
	uint32_t parent; /* the inlined function around this place, or PMK_NOWHERE */
	const char *name;
	const char *symbol; /* NULL: not known, as in C */
	const char *file;   /* source file of the call; NULL: not known */
	unsigned line;
};

struct pmk_symbols_place {
	uint32_t function, inlined; /* indices, or PMK_NOWHERE */
	const char *file;	    /* NULL: not known */
	unsigned line;
};

struct pmk_symbols {
	char build_id[PMK_DEBUG_BUILD_ID];     /* hexadecimal; "": none */
	struct pmk_symbols_place *place;       /* one for each address */
	struct pmk_symbols_function *function; /* sorted by address; functions do not overlap */
	struct pmk_symbols_inlined *inlined;
	size_t nfunctions, ninlined;
	struct pmk_debug debug; /* owns most of the strings */
	char **name;		/* the strings that `debug` does not own */
	size_t nnames;
};

/* go_on() is called while symbols are read. It returns false if the caller does not need the
 * symbols any more. */
struct pmk_symbols_watch {
	bool (*go_on)(void *ctx);
	void *ctx;
};

/*
 * Look up `n` addresses in ascending order, as they are in the ELF file `path`; NULL: no file.
 * called[i] is true if a function was called at addr[i]. If no symbol covers such an address, or
 * the file's entry point, a function begins there and extends to the next function. `called` is
 * NULL if calls are not known. `watch` may be NULL; if it ends the look-up, information is missing.
 * Returns 0 or PMK_ENOMEM. Free `s` in both cases.
 */
int pmk_symbols_load(struct pmk_symbols *s, const char *path, const uint64_t *addr,
		     const bool *called, size_t n, const struct pmk_symbols_watch *watch);
/* Like pmk_symbols_load(), for code without a file, whose functions have these names. */
int pmk_symbols_named(struct pmk_symbols *s, const struct pmk_recorded_name *name, size_t nnames,
		      const uint64_t *addr, const bool *called, size_t n);
/* Look up the addresses in the running kernel, from /proc/kallsyms. Nothing is found if the kernel
 * does not let the user read it, or if the kernel's build id is not `build_id`. If `build_id` is
 * NULL, the build id is not compared. */
int pmk_symbols_kernel(struct pmk_symbols *s, const char *build_id, const uint64_t *addr, size_t n);
void pmk_symbols_free(struct pmk_symbols *s);

#endif
