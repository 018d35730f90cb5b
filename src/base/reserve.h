/* SPDX-License-Identifier: MIT */
/* Address space that costs memory only where it is touched. Reads as zeros. Host only. */
#ifndef PMK_BASE_RESERVE_H
#define PMK_BASE_RESERVE_H

#include <stdint.h>

/* Returns NULL when there is no address space left. */
void *pmk_reserve(uint64_t size);
/* p may be NULL. */
void pmk_release(void *p, uint64_t size);

#endif
