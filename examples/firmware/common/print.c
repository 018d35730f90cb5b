// SPDX-License-Identifier: MIT
/* Text on the board's console. */
#include "pmk_target.h"

#include "board.h"

void print(const char *text)
{
	while (*text)
		board_put(*text++);
}

void print_number(uint64_t value)
{
	char digits[20];
	unsigned n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		board_put(digits[--n]);
}

void check(const char *what, int err)
{
	if (err >= 0)
		return;
	print(what);
	print(": ");
	print(pmk_strerror(err));
	print("\n");
	board_exit(1);
}
