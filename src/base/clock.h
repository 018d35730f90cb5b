/* SPDX-License-Identifier: MIT */
#ifndef PMK_BASE_CLOCK_H
#define PMK_BASE_CLOCK_H

/* Now, in seconds, on a clock that nobody sets. */
double pmk_seconds(void);

#endif
