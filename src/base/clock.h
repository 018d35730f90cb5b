/* SPDX-License-Identifier: MIT */
#ifndef PMK_BASE_CLOCK_H
#define PMK_BASE_CLOCK_H

/* Returns the time in seconds of CLOCK_MONOTONIC, which does not jump when the date is set. */
double pmk_seconds(void);

#endif
