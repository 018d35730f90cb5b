/* SPDX-License-Identifier: MIT */
/*
 * Makes text from outside, such as names of files and symbols, safe to print. Without this, a
 * terminal would obey control characters, and a line break in a name would start a new line.
 */
#ifndef PMK_BASE_PRINTABLE_H
#define PMK_BASE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the length of the UTF-8 character at `s`, or 0 if it is invalid. `n` is the number of
 * bytes at `s`, and must be more than 0. */
size_t pmk_utf8_length(const uint8_t *s, size_t n);

/* Returns what pmk_utf8_length() returns, or 0 for a control character (Unicode C0, DEL, C1). */
size_t pmk_printable_length(const uint8_t *s, size_t n);

/*
 * Returns a copy in which every byte that is not part of a printable character is replaced by \xHH.
 * The caller frees the copy. Returns NULL if there is no memory.
 */
char *pmk_printable(const char *text);

/* Writes a printable copy of the text, or nothing if there is no memory. Returns the number of
 * bytes that were written. */
int pmk_printable_write(FILE *f, const char *text);

/*
 * Returns how many columns of a terminal the first `n` bytes of a printable text take. Each
 * character takes one column.
 */
size_t pmk_printable_columns(const char *text, size_t n);

/* Writes the words of a printable text and a line break. Lines are broken between words, before
 * column `width`. The first line has `column` columns already; later lines begin with `indent`
 * blanks. Words that are too long are not broken. */
void pmk_printable_wrap(FILE *f, const char *text, unsigned column, unsigned indent,
			unsigned width);

#endif
