/* SPDX-License-Identifier: MIT */
/*
 * Numbers in text. A number begins with a digit: neither a blank nor a sign may stand before it.
 * With PMK_ANY_BASE 0x… is hexadecimal, 0b… is binary and all others are decimal: 010 is ten. Other
 * bases have no prefix.
 *
 * The functions return 0; PMK_EPARSE: the text is no number; PMK_ERANGE: it is out of range. On an
 * error they do not change *value, except where they say so.
 */
#ifndef PMK_BASE_NUMBER_H
#define PMK_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_ANY_BASE 0

/* Reads the number at the beginning of *at and moves *at after it. PMK_ERANGE: it is larger than
 * *value, which is UINT64_MAX then. */
int pmk_number_read(const char **at, unsigned base, uint64_t *value);

/* Parses a text that is a number from `least` to `most`. */
int pmk_number_parse(const char *text, unsigned base, uint64_t least, uint64_t most,
		     uint64_t *value);

/* Parses a text that is a decimal number from `least` to `most`. */
int pmk_unsigned_parse(const char *text, unsigned least, unsigned most, unsigned *value);

/* Returns the number that follows `phrase` in `text`, after blanks; 0 if there is none. */
uint64_t pmk_number_after(const char *text, const char *phrase, unsigned base);

/* Reads the decimal number at the beginning of *at, such as 2.5 or 1e-9, and moves *at after it.
 * The point is a point in every locale. */
int pmk_real_read(const char **at, double *value);

/* Parses "2" or "2.5%". */
int pmk_percent_parse(const char *text, double *value);

/* True if `fresh` is more than `percent` above `base`. */
static inline bool pmk_grew_over(uint64_t base, uint64_t fresh, double percent)
{
	return ((long double)fresh - (long double)base) * 100 >
	       (long double)percent * (long double)base;
}

/* 2^64 - 1 has 20 digits and 6 commas, and there may be a decimal point. */
#define PMK_NUMBER_SIZE 32

/* Writes `value` times 10^-decimals; with `group`, the digits before the point are in groups of
 * three. */
void pmk_number_text(char text[PMK_NUMBER_SIZE], uint64_t value, unsigned decimals, bool group);

#endif
