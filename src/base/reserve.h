/* SPDX-License-Identifier: MIT */
/* Address space that costs memory only where it is touched. Reads as zeros. Host only. */
#ifndef PMK_BASE_RESERVE_H
#define PMK_BASE_RESERVE_H

#include <stdint.h>

/* Returns NULL when there is no address space left. */
void *pmk_reserve(uint64_t size);
/* p may be NULL. */
void pmk_release(void *p, uint64_t size);
/* Memory that will be written soon, all of it: touching its pages at once takes less time than one
 * after the other. */
void pmk_populate(void *p, uint64_t size);

#endif
