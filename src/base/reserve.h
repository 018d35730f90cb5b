/* SPDX-License-Identifier: MIT */
/* Address space that uses memory only where it is touched. Reads as zeros. Host only. */
#ifndef PMK_BASE_RESERVE_H
#define PMK_BASE_RESERVE_H

#include <stdint.h>

/* Returns NULL if there is no address space left. */
void *pmk_reserve(uint64_t size);
/* p may be NULL. */
void pmk_release(void *p, uint64_t size);
/*
 * Populates memory that will soon be written completely: touching its pages at once is faster than
 * one by one.
 */
void pmk_populate(void *p, uint64_t size);

#endif
