/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Event counters of the level 2 cache controllers of ARM11 systems: the L210's event monitor, a
 * separate block on the L2's event bus, and the two counters inside the L220.
 *
 * Sources: L210  DDI 0284, appendix C (event monitor); register offsets of the Freescale i.MX31
 *          L310  DDI 0246, chapter 3: the event counter registers that the L220 shares
 *          S1    ARM DAI 0195B §9: the meaning of its events
 *
 * The counters count requests of the level 1 caches to the L2. Reads that are served from line
 * buffers of the L2 are not requests, so there are fewer requests than level 1 misses (S1 §9).
 *
 * 	L210  Four counters of 32 bits that wrap. Each has a flag and an interrupt. They can be set
 * 	      to zero together, but not to other values. Software must enable the event bus of the
 * 	      L2 beforehand: Auxiliary Control bit 20, while the cache is off.
 * 	L220  Two counters of 32 bits that stop at 2^32 - 1. They share one interrupt. They can be
 * 	      written while they are disabled (our choice: no source says more).
 *
 * The driver is freestanding; all functions may be called from an interrupt handler if the port
 * may.
 */
#ifndef PMK_L2CC_H
#define PMK_L2CC_H

#include <stdint.h>

#include <pmk/native.h>
#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pmk_pmu pmk_l210, pmk_l220;

/* L210: register numbers. */
enum pmk_l210_reg {
	PMK_L210_EMMC,			    /* monitor control */
	PMK_L210_EMCS,			    /* counter status: flags, write 1 to clear */
	PMK_L210_EMCC0,			    /* counter configuration, four */
	PMK_L210_EMC0 = PMK_L210_EMCC0 + 4, /* counters, four */
	PMK_L210_NREGS = PMK_L210_EMC0 + 4
};

/* L220: register numbers. */
enum pmk_l220_reg {
	PMK_L220_CONTROL, /* 0x200 event counter control */
	/* 0x204 event counter 1 configuration: the registers of counter 1 come before those of
	 * counter 0. */
	PMK_L220_CONFIG1,
	PMK_L220_CONFIG0,    /* 0x208 */
	PMK_L220_COUNTER1,   /* 0x20C */
	PMK_L220_COUNTER0,   /* 0x210 */
	PMK_L220_INT_MASK,   /* 0x214 interrupt mask */
	PMK_L220_INT_MASKED, /* 0x218 masked interrupt status */
	PMK_L220_INT_RAW,    /* 0x21C raw interrupt status */
	PMK_L220_INT_CLEAR,  /* 0x220 interrupt clear, write only */
	PMK_L220_NREGS
};

/* Offsets for struct pmk_mmio, by register number. The offsets of the L210's monitor are those of
 * ARM's template and of the i.MX31 (base 0x43F08000). The offsets of the L220 are relative to the
 * base of the controller. */
extern const uint16_t pmk_l210_offsets[PMK_L210_NREGS];
extern const uint16_t pmk_l210_imx31_offsets[PMK_L210_NREGS];
extern const uint16_t pmk_l220_offsets[PMK_L220_NREGS];

/* Event codes of the L210: EMCC [6:2]. */
enum pmk_l210_event {
	PMK_L210_BWABT = 0x1,  /* buffered write abort */
	PMK_L210_CO = 0x2,     /* eviction of a half line */
	PMK_L210_DRHIT = 0x3,  /* data read hit */
	PMK_L210_DRREQ = 0x4,  /* data read request */
	PMK_L210_DWHIT = 0x5,  /* data write hit */
	PMK_L210_DWREQ = 0x6,  /* data write request, not write-through */
	PMK_L210_DWTREQ = 0x7, /* data write request, write-through */
	PMK_L210_IRHIT = 0x8,  /* instruction read hit */
	PMK_L210_IRREQ = 0x9,  /* instruction read request */
	PMK_L210_WA = 0xa,     /* write allocation */
	PMK_L210_EMC3OF = 0xb, /* counter 3 overflowed */
	PMK_L210_EMC2OF = 0xc,
	PMK_L210_EMC1OF = 0xd,
	PMK_L210_EMC0OF = 0xe,
	PMK_L210_CLOCK = 0xf, /* L2 clock cycle */
};

/* Event codes of the L220: configuration [5:2]. */
enum pmk_l220_event {
	PMK_L220_CO = 0x1,
	PMK_L220_DRHIT = 0x2,
	PMK_L220_DRREQ = 0x3,
	PMK_L220_DWHIT = 0x4,
	PMK_L220_DWREQ = 0x5,
	PMK_L220_DWTREQ = 0x6,
	PMK_L220_IRHIT = 0x7,
	PMK_L220_IRREQ = 0x8,
	PMK_L220_WA = 0x9,
};

#ifdef __cplusplus
}
#endif

#endif
