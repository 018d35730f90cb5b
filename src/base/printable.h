/* SPDX-License-Identifier: MIT */
/*
 * Makes text from outside, such as names of files and symbols, safe to print: a terminal obeys
 * control characters, and a line break in a name would start a new line.
 */
#ifndef PMK_BASE_PRINTABLE_H
#define PMK_BASE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the length of the UTF-8 character at `s` (n > 0); 0 if it is invalid. */
size_t pmk_utf8_length(const uint8_t *s, size_t n);

/* Like pmk_utf8_length(), but also returns 0 for a control character (Unicode C0, DEL, C1). */
size_t pmk_printable_length(const uint8_t *s, size_t n);

/*
 * Returns a copy in which every byte that is not part of a printable character is \xHH. NULL when
 * out of memory; the caller frees it.
 */
char *pmk_printable(const char *text);

/* Writes a printable copy of the text, or nothing if out of memory. Returns the number of bytes
 * written. */
int pmk_printable_write(FILE *f, const char *text);

/*
 * Returns how many columns of a terminal the first n bytes of a printable text take: one for each
 * character.
 */
size_t pmk_printable_columns(const char *text, size_t n);

/* Writes the words of a printable text and a line break. Lines are broken between words, before
 * column `width`. The first line has `column` columns already; the others begin with `indent`
 * blanks. Words that are too long are not broken. */
void pmk_printable_wrap(FILE *f, const char *text, unsigned column, unsigned indent,
			unsigned width);

#endif
