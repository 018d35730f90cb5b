// SPDX-License-Identifier: MIT
/* The four functions that GCC calls by itself, for programs without a C library. Compile with
 * -fno-tree-loop-distribute-patterns, or GCC makes each of them call itself. */
#include <stddef.h>

void *memset(void *to, int c, size_t n);
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

void *memset(void *to, int c, size_t n)
{
	unsigned char *p = to;

	while (n--)
		*p++ = (unsigned char)c;
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	const unsigned char *q = from;
	unsigned char *p = to;

	while (n--)
		*p++ = *q++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	const unsigned char *q = from;
	unsigned char *p = to;

	if (p <= q)
		return memcpy(to, from, n);
	while (n--)
		p[n] = q[n];
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}
