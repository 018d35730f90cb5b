// SPDX-License-Identifier: MIT
/* Writes text without a libc. Freestanding. */
#include "firmware/text.h"

/* 2^64 - 1 has 20 digits; a decimal point and a 0 before it may be added. */
#define LONGEST 22

void pmk_text(pmk_put *put, const char *text)
{
	while (*text)
		put(*text++);
}

void pmk_text_right(pmk_put *put, const char *text, unsigned width)
{
	unsigned length = 0;

	while (text[length])
		length++;
	for (; length < width; length++)
		put(' ');
	pmk_text(put, text);
}

/* Divides *value by 10, bit by bit; returns the remainder. */
static unsigned divide_by_ten(uint64_t *value)
{
	unsigned rest = 0;

	for (unsigned i = 0; i < 64; i++) {
		rest = rest << 1 | (unsigned)(*value >> 63);
		*value <<= 1;
		if (rest >= 10) {
			rest -= 10;
			*value |= 1;
		}
	}
	return rest;
}

void pmk_text_number(pmk_put *put, uint64_t value, unsigned decimals, unsigned width)
{
	char buf[LONGEST + 1];
	unsigned at = LONGEST;

	buf[at] = '\0';
	for (unsigned digits = 0; value || digits <= decimals; digits++) {
		if (decimals && digits == decimals)
			buf[--at] = '.';
		buf[--at] = (char)('0' + divide_by_ten(&value));
	}
	pmk_text_right(put, &buf[at], width);
}
