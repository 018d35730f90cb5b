/* SPDX-License-Identifier: MIT */
/*
 * What an ELF file and its debug information say of addresses in it: functions, files, lines and
 * inlined functions. Whatever cannot be read is a fact less and no error: stripped files, damaged
 * ones, files that are not there any more.
 */
#ifndef PMK_RECORDING_SYMBOLS_H
#define PMK_RECORDING_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/recording/debug.h"

#define PMK_NOWHERE UINT32_MAX

struct pmk_symbols_function {
	const char *name;   /* demangled */
	const char *symbol; /* as the linker has it; NULL, as the name: known by calls alone */
	uint64_t address, size;
	const char *file; /* where it is declared; NULL: not known */
	unsigned line;
	bool used; /* one of the addresses lies in it */
};

/* One place where the compiler has put a function into another. Parents stand before children. */
struct pmk_symbols_inlined {
	uint32_t parent; /* the one that it was put into, or PMK_NOWHERE */
	const char *name;
	const char *symbol; /* NULL: not known, as in C */
	const char *file;   /* where the call stands in the source; NULL: not known */
	unsigned line;
};

struct pmk_symbols_place {
	uint32_t function, inlined; /* indexes, or PMK_NOWHERE */
	const char *file;	    /* NULL: not known */
	unsigned line;
};

struct pmk_symbols {
	char build_id[PMK_DEBUG_BUILD_ID];     /* hexadecimal; "": none */
	struct pmk_symbols_place *place;       /* of each address */
	struct pmk_symbols_function *function; /* by address; they do not overlap */
	struct pmk_symbols_inlined *inlined;
	size_t nfunctions, ninlined;
	struct pmk_debug debug; /* which most of the strings belong to */
	char **name;		/* the other strings */
	size_t nnames;
};

/*
 * Look up `n` addresses, ascending and as they are in the ELF file `path`; NULL: of no file.
 * called[i]: a function was called at addr[i]. Where no symbol says what lies there, a function
 * begins at such an address, and at the file's entry, and goes on to the next function. NULL: calls
 * are not known. Returns 0 or PMK_ENOMEM. Free it in both cases.
 */
int pmk_symbols_load(struct pmk_symbols *s, const char *path, const uint64_t *addr,
		     const bool *called, size_t n);
/* The same in the kernel that runs here, by /proc/kallsyms. Nothing is known where that is not
 * allowed, or where the kernel has another build id than this one; NULL: it is not asked. */
int pmk_symbols_kernel(struct pmk_symbols *s, const char *build_id, const uint64_t *addr, size_t n);
void pmk_symbols_free(struct pmk_symbols *s);

#endif
