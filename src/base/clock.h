/* SPDX-License-Identifier: MIT */
#ifndef PMK_BASE_CLOCK_H
#define PMK_BASE_CLOCK_H

/* Returns the current time in seconds, on a clock that is never set. */
double pmk_seconds(void);

#endif
