// SPDX-License-Identifier: MIT
/* For unit tests that draw samples. */
#ifndef PMK_TESTS_UNIT_H
#define PMK_TESTS_UNIT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Large runs are those of `make nightly` (PMK_TEST_SIZE=large). Others draw a tenth of the samples:
 * that reaches the same lines. Under the address sanitizer, where a sample takes ten times as long,
 * no run is large.
 */
static inline bool unit_is_large(void)
{
#ifdef __SANITIZE_ADDRESS__
	return false;
#else
	const char *size = getenv("PMK_TEST_SIZE");

	return size && !strcmp(size, "large");
#endif
}

/* How many of `n` samples a test draws. */
#define UNIT_SAMPLES(n) (unit_is_large() ? (n) : (n) / 10)

#endif
