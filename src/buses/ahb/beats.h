/* SPDX-License-Identifier: MIT */
/* The beats of an AHB burst: how many there are, and their addresses (IHI 0011A §3.5, §3.6). */
#ifndef PMK_AHB_BEATS_H
#define PMK_AHB_BEATS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>

#define PMK_AHB_BOUNDARY 1024 /* no burst may cross this boundary */

/* Returns the number of beats of a burst, or 0 if it may have any number. */
static inline unsigned pmk_ahb_beats(uint8_t burst)
{
	static const uint8_t beats[PMK_AHB_NBURSTS] = { 1, 0, 4, 4, 8, 8, 16, 16 };

	return beats[burst & 7];
}

static inline bool pmk_ahb_wraps(uint8_t burst)
{
	return burst == PMK_AHB_WRAP4 || burst == PMK_AHB_WRAP8 || burst == PMK_AHB_WRAP16;
}

/* Returns the address of the beat after the one at `addr`. `size` is HSIZE. */
static inline uint64_t pmk_ahb_address_after(uint8_t burst, uint8_t size, uint64_t addr)
{
	uint64_t bytes = UINT64_C(1) << (size & 7), total = bytes * pmk_ahb_beats(burst);

	if (pmk_ahb_wraps(burst))
		return (addr & ~(total - 1)) | ((addr + bytes) & (total - 1));
	return addr + bytes;
}

#endif
