/* SPDX-License-Identifier: MIT */
/*
 * printf for texts that may have unprintable characters. The format is that of printf, except for
 * two conversions:
 *
 *	%s	the text is made printable (printable.h); NULL prints nothing. Width and precision
 *		count columns. A text that is longer than its precision ends with an ellipsis.
 *	%ju	a number with its digits in groups of three: 1,234,567
 */
#ifndef PMK_BASE_PRINT_H
#define PMK_BASE_PRINT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A function that writes `n` bytes of printable text, escaped as its file format requires. */
typedef void pmk_print_text(FILE *f, const char *text, size_t n);

/* Writes to a terminal or to a text file. */
void pmk_print(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Does the work of pmk_print(), but calls `put` to write the texts of %s. */
void pmk_print_with(FILE *f, pmk_print_text *put, const char *format, va_list args);

/* Returns the text, which the caller frees, or NULL if there is no memory. */
char *pmk_print_new(const char *format, va_list args);

/*
 * Returns a copy of the next line of *text that is not empty, and moves *text to the end of this
 * line. The caller frees the copy. Returns NULL if *text is NULL or has no such line, or if there
 * is no memory.
 */
char *pmk_print_line(const char **text);

#endif
