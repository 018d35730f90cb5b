/* SPDX-License-Identifier: MIT */
/* Facts about an ELF file: its machine, its build, and its functions. */
#ifndef PMK_PROFILE_ELF_H
#define PMK_PROFILE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/attributes.h"

enum pmk_elf_machine {
	PMK_ELF_OTHER,
	PMK_ELF_ARM,
	PMK_ELF_AARCH64,
	PMK_ELF_MICROBLAZE,
};

struct pmk_elf {
	enum pmk_elf_machine machine;
	const char *machine_name; /* "ARM", "x86-64", …; "machine 1234" for rare machines */
	unsigned machine_code;	  /* e_machine */
	bool is64, big_endian;
	bool pie;	       /* ET_DYN: addresses change when the file is loaded */
	bool dynamic;	       /* the file needs an interpreter */
	char interpreter[128]; /* "" when static */
	uint64_t entry;
	uint64_t load_start;	       /* lowest address of a segment's contents */
	uint64_t code_start;	       /* lowest address of an executable segment */
	unsigned long flags;	       /* e_flags */
	struct pmk_arm_attributes arm; /* ARM executables only */
	/* Cortex-M only: the processor that the compiler's command line named (-mcpu), from the
	 * debug information; "" if it is not known. The attributes have only the architecture. */
	char cpu[24];
};

/*
 * Returns 0, PMK_EIO if the file cannot be read, or PMK_EPARSE if it is not an ELF executable or is
 * cut off. On error msg has one line with the reason, without the file's name.
 */
int pmk_elf_read(const char *path, struct pmk_elf *elf, char *msg, size_t size);

/* The part of a file that a loader copies to memory. The loader copies `bytes` bytes to `load`. The
 * program sees them at `addr`, where the segment has `size` bytes; those after the first `bytes`
 * are zero. The headers of the file are left out. */
struct pmk_elf_segment {
	uint64_t load, addr;
	uint64_t bytes, size;
	bool executable;
	const uint8_t *contents;
};

/* Calls `take` for each segment, until it returns false. */
void pmk_elf_segments(const char *path, bool (*take)(void *ctx, const struct pmk_elf_segment *seg),
		      void *ctx);

/* Entries of a dynamic section: needed libraries, and folders in which they are searched for. */
enum pmk_elf_dynamic { PMK_ELF_NEEDED, PMK_ELF_RPATH };

/*
 * Calls `take` for each entry of the kinds above. A file has none if it has no dynamic section, or
 * if it is not an ELF file.
 */
void pmk_elf_dynamic(const char *path,
		     void (*take)(void *ctx, enum pmk_elf_dynamic kind, const char *text),
		     void *ctx);

/*
 * Returns true and the link-time address of the byte at `offset` in the file. Returns false if the
 * file is not an ELF file, or if no segment has the byte.
 */
bool pmk_elf_address(const char *path, uint64_t offset, uint64_t *addr);

/* The code of a file, from its executable segments. */
struct pmk_elf_code;

/* Opens the code of a file. NULL: the file is not an ELF file, or out of memory. */
struct pmk_elf_code *pmk_elf_code_open(const char *path);
void pmk_elf_code_close(struct pmk_elf_code *c);
/* Returns the number of bytes of code from an address on, and a pointer to them. 0: there is no
 * code. */
size_t pmk_elf_code_at(const struct pmk_elf_code *c, uint64_t addr, const uint8_t **bytes);
/* Stores the position of the code at an address in the file. False: there is no code. */
bool pmk_elf_code_offset(const struct pmk_elf_code *c, uint64_t addr, uint64_t *offset);

/*
 * Finds the address of a function symbol, with the Thumb bit cleared. Returns 0; PMK_ENOEVENT if
 * there is no such symbol (msg then names the nearest ones, or says that the file is stripped);
 * PMK_EIO or PMK_EPARSE. A hexadecimal number ("0x8000") is used as the address.
 */
int pmk_elf_symbol(const char *path, const char *name, uint64_t *addr, char *msg, size_t size);

/* The functions of a file, by address. */
struct pmk_functions;

/*
 * Reads the functions of an executable: its symbols in executable sections, with the Thumb bit
 * cleared. Returns 0 (also when it has none, see pmk_functions_count()), PMK_EIO, PMK_EPARSE or
 * PMK_ENOMEM with one line in msg, without the file's name. Names are valid until
 * pmk_functions_free().
 */
int pmk_functions_load(struct pmk_functions **out, const char *path, char *msg, size_t size);
void pmk_functions_free(struct pmk_functions *f);
size_t pmk_functions_count(const struct pmk_functions *f);
/*
 * Returns the name of the function at `pc`, and the address where the function begins; NULL if no
 * function contains `pc`. A label without a size reaches to the next symbol, or to the end of its
 * section.
 */
const char *pmk_functions_at(const struct pmk_functions *f, uint64_t pc, uint64_t *begin);

#endif
