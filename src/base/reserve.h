/* SPDX-License-Identifier: MIT */
/* Reserves address space that takes memory only where it is touched. It reads as zeros. Firmware
 * does not use this file. */
#ifndef PMK_BASE_RESERVE_H
#define PMK_BASE_RESERVE_H

#include <stdint.h>

/* Reserves address space. Returns NULL if there is not enough left. */
void *pmk_reserve(uint64_t size);
/* Releases address space. `p` may be NULL. */
void pmk_release(void *p, uint64_t size);
/*
 * Populates memory that will soon be written completely. This is faster than touching its pages one
 * by one.
 */
void pmk_populate(void *p, uint64_t size);

#endif
