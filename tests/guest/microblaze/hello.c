// SPDX-License-Identifier: MIT
/* What its arguments are, and the byte order; exits with the number of arguments. */
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static const union {
		uint32_t word;
		uint8_t bytes[4];
	} one = { 1 };

	printf("%s-endian, %d arguments:", one.bytes[0] ? "little" : "big", argc - 1);
	for (int i = 1; i < argc; i++)
		printf(" %s", argv[i]);
	putchar('\n');
	return argc - 1;
}
