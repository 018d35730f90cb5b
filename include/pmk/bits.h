/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Bit fields of hardware registers, written [hi:lo] as the manuals write them.
 *
 * A field is represented by its mask. PMK_GET(v, m) returns the field m of v, and PMK_PUT(v, m, x)
 * returns v with x in the field m. Both derive the shift from the mask. If the mask is constant,
 * the compiler turns the division into a shift and calls no division helper, even at -O0.
 *
 * 	#define PMNC_EVTCOUNT0  PMK_BITS(27, 20)
 * 	unsigned code = PMK_GET(pmnc, PMNC_EVTCOUNT0);
 * 	pmnc = PMK_PUT(pmnc, PMNC_EVTCOUNT0, 0x0b);
 *
 * Freestanding. Callable from anywhere.
 */
#ifndef PMK_BITS_H
#define PMK_BITS_H

#include <stdint.h>

#define PMK_BITS(hi, lo) ((~UINT64_C(0) >> (63 - (hi))) & (~UINT64_C(0) << (lo)))
#define PMK_BIT(n)	 PMK_BITS(n, n)
#define PMK_LSB(m)	 ((m) & (~(m) + 1))
#define PMK_GET(v, m)	 (((v) & (m)) / PMK_LSB(m))
#define PMK_PUT(v, m, x) (((v) & ~(m)) | (((x)*PMK_LSB(m)) & (m)))

#endif
