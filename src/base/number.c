// SPDX-License-Identifier: MIT
/* Parses and writes numbers. See number.h. */
#define _GNU_SOURCE /* strtod_l() */
#include <locale.h>
#include <math.h>
#include <stdio.h>
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
	/* The C library has this locale in memory already, so newlocale() allocates nothing. */
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

void pmk_number_text(char text[PMK_NUMBER_SIZE], uint64_t value, unsigned decimals, bool group)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%0*llu", (int)decimals + 1,
			 (unsigned long long)value);
	int whole = n - (int)decimals;

	for (int i = 0; i < n; i++) {
		if (i == whole)
			*text++ = '.';
		else if (group && i && i < whole && (whole - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = '\0';
}
