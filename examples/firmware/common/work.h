/* SPDX-License-Identifier: MIT */
/* Something to measure: sum() reads memory, copy() reads and writes it. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

#define WORDS 256

static volatile uint32_t from[WORDS], to[WORDS];

static void fill(void)
{
	for (unsigned i = 0; i < WORDS; i++)
		from[i] = i;
}

static uint32_t sum(void)
{
	uint32_t s = 0;

	for (unsigned i = 0; i < WORDS; i++)
		s += from[i];
	return s;
}

static void copy(void)
{
	for (unsigned i = 0; i < WORDS; i++)
		to[i] = from[i];
}

#endif
