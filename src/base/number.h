/* SPDX-License-Identifier: MIT */
/*
 * Parses and writes numbers in text. A number begins with a digit, so a blank or a sign before it
 * is an error. With PMK_ANY_BASE, 0x… is hexadecimal, 0b… is binary, and all other numbers are
 * decimal: 010 is ten. Numbers in other bases have no prefix.
 *
 * The functions return 0, PMK_EPARSE if the text is no number, or PMK_ERANGE if the number is out
 * of range. After an error *value has not changed, unless the function's comment says so.
 */
#ifndef PMK_BASE_NUMBER_H
#define PMK_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_ANY_BASE 0

/* Reads the number at the beginning of *at and moves *at after it. Returns PMK_ERANGE if the number
 * is larger than *value can be, and sets *value to UINT64_MAX in that case. */
int pmk_number_read(const char **at, unsigned base, uint64_t *value);

/* Parses a text that is a number from `least` to `most`. */
int pmk_number_parse(const char *text, unsigned base, uint64_t least, uint64_t most,
		     uint64_t *value);

/* Parses a text that is a decimal number from `least` to `most`. */
int pmk_unsigned_parse(const char *text, unsigned least, unsigned most, unsigned *value);

/* Returns the number that follows `phrase` in `text`, after blanks. Returns 0 if there is none. */
uint64_t pmk_number_after(const char *text, const char *phrase, unsigned base);

/* Reads the decimal number at the beginning of *at, such as 2.5 or 1e-9, and moves *at after it.
 * The decimal point is "." in every locale. */
int pmk_real_read(const char **at, double *value);

/* Parses a percentage, such as "2" or "2.5%". */
int pmk_percent_parse(const char *text, double *value);

/* True if `fresh` is more than `percent` above `base`. */
static inline bool pmk_grew_over(uint64_t base, uint64_t fresh, double percent)
{
	return ((long double)fresh - (long double)base) * 100 >
	       (long double)percent * (long double)base;
}

/* 2^64 - 1 has 20 digits and 6 commas, and there may be a decimal point. */
#define PMK_NUMBER_SIZE 32

/* Writes `value` times 10^-decimals. If `group` is set, the digits before the point are in groups
 * of three. */
void pmk_number_text(char text[PMK_NUMBER_SIZE], uint64_t value, unsigned decimals, bool group);

#endif
