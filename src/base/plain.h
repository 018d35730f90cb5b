/* SPDX-License-Identifier: MIT */
/*
 * Text from outside, such as names of files and symbols, for people's eyes: a terminal obeys
 * control characters, and a line break in a name would make a line of its own.
 */
#ifndef PMK_BASE_PLAIN_H
#define PMK_BASE_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the character of UTF-8 at `s`, which has n > 0; 0: there is none, or a control
 * character (Unicode C0, DEL, C1). */
size_t pmk_plain_length(const uint8_t *s, size_t n);

/* A copy in which every byte of what is no printable character is \xHH. NULL when out of memory;
 * the caller frees it. */
char *pmk_plain(const char *text);

/* Write that, or nothing when out of memory; returns the bytes written. */
int pmk_plain_write(FILE *f, const char *text);

/* How many columns of a terminal the first n bytes of such a text take: one for each character. */
size_t pmk_plain_columns(const char *text, size_t n);

/* Write the words of such a text, broken between them before column `width`, and a line break. The
 * first line has `column` columns already, others begin with `indent` blanks. Words that are too
 * long are not broken. */
void pmk_plain_wrap(FILE *f, const char *text, unsigned column, unsigned indent, unsigned width);

#endif
