// SPDX-License-Identifier: MIT
/* Sizes of random samples for unit tests. */
#ifndef PMK_TESTS_UNIT_H
#define PMK_TESTS_UNIT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool unit_is_nightly(void)
{
	const char *size = getenv("PMK_TEST_SIZE");

	return size && !strcmp(size, "large");
}

/*
 * Large runs are those of `make nightly` (PMK_TEST_SIZE=large). Other runs draw a tenth of the
 * samples, which reaches the same lines. With the address sanitizer a sample takes ten times as
 * long. There, `make nightly` draws a tenth of the samples, and other runs draw one in
 * UNIT_SANITIZED, which a test may define.
 */
#ifndef UNIT_SANITIZED
#define UNIT_SANITIZED 10
#endif
#ifdef __SANITIZE_ADDRESS__
#define UNIT_PART (unit_is_nightly() ? 10 : UNIT_SANITIZED)
#else
#define UNIT_PART (unit_is_nightly() ? 1 : 10)
#endif

static inline bool unit_is_large(void)
{
	return UNIT_PART == 1;
}

/* Returns how many of `n` samples a test draws. */
#define UNIT_SAMPLES(n) ((n) / UNIT_PART)

#endif
