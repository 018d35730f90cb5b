/* SPDX-License-Identifier: MIT */
/*
 * What pmk calibrate runs: a chain of loads in a ring of words that lie STRIDE bytes apart. With
 * LINE, they are words of pages, and spread over the lines of a page evenly, from the first to the
 * last, so that they share no set of the cache before all are used.
 *
 *   kernels ring STRIDE LINE COUNT TIMES
 *
 * Build it for the processor that is measured, statically where that can be:
 *
 *   arm-linux-gnueabi-gcc -O2 -static kernels.c -o kernels
 */
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 << 20, PAGE = 4096 };

static void *memory[BYTES / sizeof(void *)] __attribute__((aligned(4096)));

static unsigned long stride, line, count;

static void **word(unsigned long i)
{
	unsigned long in_page = line ? i * (PAGE / line) / count * line : 0;

	return (void **)((char *)memory + i * stride + in_page);
}

int main(int argc, char **argv)
{
	unsigned long times;
	void **p;

	if (argc != 6 || strcmp(argv[1], "ring") != 0)
		return 2;
	stride = strtoul(argv[2], NULL, 0);
	line = strtoul(argv[3], NULL, 0);
	count = strtoul(argv[4], NULL, 0);
	times = strtoul(argv[5], NULL, 0);
	if (!count || stride < sizeof(void *) || (stride | line) % sizeof(void *) || line > PAGE ||
	    stride > BYTES / count)
		return 2;
	for (unsigned long i = 0; i < count; i++)
		*word(i) = word((i + 1) % count);
	p = word(0);
	for (unsigned long i = times / 16; i; i--) {
		/* Sixteen in a row, so that the loop itself takes no time worth mentioning. */
		p = *p, p = *p, p = *p, p = *p, p = *p, p = *p, p = *p, p = *p;
		p = *p, p = *p, p = *p, p = *p, p = *p, p = *p, p = *p, p = *p;
	}
	return p == NULL;
}
