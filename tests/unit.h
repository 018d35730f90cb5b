// SPDX-License-Identifier: MIT
/* For unit tests that draw samples. */
#ifndef PMK_TESTS_UNIT_H
#define PMK_TESTS_UNIT_H

/*
 * How many of `n` samples a test draws. Under the address sanitizer each takes ten times as long,
 * and a tenth of them still reaches the same lines.
 */
#ifdef __SANITIZE_ADDRESS__
#define UNIT_SANITIZED	1
#define UNIT_SAMPLES(n) ((n) / 10)
#else
#define UNIT_SANITIZED	0
#define UNIT_SAMPLES(n) (n)
#endif

#endif
