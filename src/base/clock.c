// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <time.h>

#include "base/clock.h"

double pmk_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
