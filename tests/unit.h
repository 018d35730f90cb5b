// SPDX-License-Identifier: MIT
/* For unit tests that draw samples. */
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
 * Large runs are those of `make nightly` (PMK_TEST_SIZE=large). Others draw a tenth of the samples:
 * that reaches the same lines. Under the address sanitizer, where a sample takes ten times as long,
 * no run is large: `make nightly` draws a tenth of the samples, and others draw one in
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

/* How many of `n` samples a test draws. */
#define UNIT_SAMPLES(n) ((n) / UNIT_PART)

#endif
