/* SPDX-License-Identifier: MIT */
/* Makes a listing: the code of a recording with its counts, instruction by instruction, and its
 * source. Used by annotate and by HTML pages. */
#ifndef PMK_CLI_LISTING_H
#define PMK_CLI_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/recorded.h"
#include "cpu/isa/text.h"

struct listing_source {
	char **line; /* NULL: the file cannot be read, or has not been read yet */
	size_t nlines;
	bool tried;
	char *note; /* a caveat for the reader; NULL: none */
};

struct listing {
	const struct recorded *r;
	size_t n;	      /* events */
	uint64_t *value;      /* [instruction][event] */
	uint64_t *executions; /* [instruction] */
	struct listing_source *source;
	struct pmk_isa_text *text;
	sqlite3_stmt *bytes;
	bool big_endian;
};

/* Read the counts of `n` events, and the executions, of each instruction. Returns 0, or an exit
 * code after an error message on stderr. Close `l` in either case. */
int listing_open(struct listing *l, const struct recorded *r, const uint32_t *event, size_t n);
void listing_close(struct listing *l);

static inline uint64_t listing_value(const struct listing *l, uint32_t code, size_t event)
{
	return l->value[code * l->n + event];
}

/* Read a source file, once. Returns a caveat for the reader: the file cannot be read, or may differ
 * from the compiled one. The file owns the text; NULL: no caveat, or the file was read before. */
const char *listing_read(struct listing *l, uint32_t file);
/* Returns the text of a line of a file that was read; NULL: not known. */
const char *listing_line(const struct listing *l, uint32_t file, uint32_t line);

/* Write an instruction: "ldr     r0, [r1, #4]". */
void listing_insn(const struct listing *l, uint32_t code, char *text, size_t size);
/* Returns the target of a branch, "name+0x10", which the caller frees. NULL: it is not known, or a
 * jump inside the function. */
char *listing_target(const struct listing *l, uint32_t code);

#endif
