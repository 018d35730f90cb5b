// SPDX-License-Identifier: MIT
/* Parses numbers. */
#define _GNU_SOURCE /* strtod_l() */
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/number.h"

#define NO_DIGIT 99

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : NO_DIGIT;
}

/* True if `text` begins with 0, this letter, and a digit. */
static bool has_prefix(const char *text, char letter, unsigned base)
{
	return text[0] == '0' && (text[1] | 0x20) == letter && digit_value(text[2]) < base;
}

int pmk_number_read(const char **at, unsigned base, uint64_t *value)
{
	const char *text = *at;
	bool hex = base == PMK_ANY_BASE && has_prefix(text, 'x', 16);
	bool binary = base == PMK_ANY_BASE && has_prefix(text, 'b', 2);
	bool over = false;
	uint64_t n = 0;

	if (base == PMK_ANY_BASE)
		base = hex ? 16 : binary ? 2 : 10;
	if (hex || binary)
		text += 2;
	if (digit_value(*text) >= base)
		return PMK_EPARSE;
	for (; digit_value(*text) < base; text++) {
		over |= __builtin_mul_overflow(n, base, &n);
		over |= __builtin_add_overflow(n, digit_value(*text), &n);
	}
	*at = text;
	*value = over ? UINT64_MAX : n;
	return over ? PMK_ERANGE : 0;
}

int pmk_number_parse(const char *text, unsigned base, uint64_t least, uint64_t most,
		     uint64_t *value)
{
	uint64_t n;
	int err = pmk_number_read(&text, base, &n);

	if (err == PMK_EPARSE || *text)
		return PMK_EPARSE;
	if (err || n < least || n > most)
		return PMK_ERANGE;
	*value = n;
	return 0;
}

int pmk_unsigned_parse(const char *text, unsigned least, unsigned most, unsigned *value)
{
	uint64_t n;
	int err = pmk_number_parse(text, 10, least, most, &n);

	if (!err)
		*value = (unsigned)n;
	return err;
}

uint64_t pmk_number_after(const char *text, const char *phrase, unsigned base)
{
	const char *at = strstr(text, phrase);
	uint64_t n = 0;

	if (at) {
		at += strlen(phrase);
		at += strspn(at, " \t");
		pmk_number_read(&at, base, &n);
	}
	return n;
}

int pmk_real_read(const char **at, double *value)
{
	char *end;
	double v;

	if (has_prefix(*at, 'x', 16) || digit_value((*at)[**at == '.']) >= 10)
		return PMK_EPARSE;
	/* The C library has this locale already, and allocates nothing. */
	v = strtod_l(*at, &end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
	*at = end;
	if (!isfinite(v))
		return PMK_ERANGE;
	*value = v;
	return 0;
}

int pmk_percent_parse(const char *text, double *value)
{
	double v;
	int err = pmk_real_read(&text, &v);

	if (err || strcmp(text + (*text == '%'), "") != 0)
		return err ? err : PMK_EPARSE;
	*value = v;
	return 0;
}
