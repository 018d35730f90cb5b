// SPDX-License-Identifier: MIT
/* The bus matrix of the ARM926EJ-S Development Chip: its slaves, its memory map and its masters. */
#include "buses/ahb/matrix.h"

enum { MPMC, SMC, APB_CORE, APB_DMA, AHBMON, NSLAVES };

#define AT(place) (1u << PMK_AHB_AT_##place)

void pmk_matrix_devchip(struct pmk_matrix_config *config)
{
	/* clang-format off */
	static const struct pmk_matrix_config devchip = {
		.nslaves = NSLAVES,
		.slave = {
			[MPMC] = { "mpmc", 5, 0, 2, 0, false },	      /* SDRAM */
			[SMC] = { "smc", 3, 2, 3, 2, false },	      /* static memory */
			[APB_CORE] = { "apb_core", 2, 2, 2, 2, false },
			[APB_DMA] = { "apb_dma", 2, 2, 2, 2, false },
			[AHBMON] = { "ahbmon", 0, 0, 0, 0, false },
		},
		.nwindows = 10,
		.window = {
			{ 0x00000000, 0x0FFFFFFF, 0, MPMC },
			{ 0x70000000, 0x7FFFFFFF, 0, MPMC },
			{ 0x20000000, 0x3FFFFFFF, 0, SMC },
			{ 0x101D0000, 0x101DFFFF, 0, AHBMON },
			{ 0x101E0000, 0x101EFFFF, AT(APB_CORE), APB_CORE },
			{ 0x101F0000, 0x101F0FFF, AT(APB_DMA) | AT(SCI), APB_DMA },
			{ 0x101F1000, 0x101F3FFF, AT(APB_DMA) | AT(UART), APB_DMA },
			{ 0x101F4000, 0x101F4FFF, AT(APB_DMA) | AT(SSP), APB_DMA },
			{ 0x101F5000, 0x101FFFFF, AT(APB_DMA), APB_DMA },
			{ 0x10000000, 0x1000FFFF, 0, APB_CORE }, /* system registers */
		},
		/* DDI 0287B §3.1.2 */
		.priority = { PMK_MATRIX_CLCDC, PMK_MATRIX_DMA0, PMK_MATRIX_EXP, PMK_MATRIX_DMA1,
			      PMK_MATRIX_ARMD, PMK_MATRIX_ARMI },
		/*
		 * The masters' behaviour is from DDI 0287B §4.2.2. That of the master on the
		 * expansion bridge is our choice.
		 */
		.on_error = {
			[PMK_MATRIX_ARMI] = PMK_MATRIX_GOES_ON,
			[PMK_MATRIX_CLCDC] = PMK_MATRIX_HALTS,
			[PMK_MATRIX_DMA0] = PMK_MATRIX_HALTS,
			[PMK_MATRIX_DMA1] = PMK_MATRIX_HALTS,
			[PMK_MATRIX_EXP] = PMK_MATRIX_DROPS,
			[PMK_MATRIX_ARMD] = PMK_MATRIX_GOES_ON,
		},
		/*
		 * ARM-D accepts RETRY (DDI 0287B §4.2.2). The manual does not mention SPLIT, which
		 * ARM-D accepts, too (our choice).
		 */
		.refusable = 1 << PMK_MATRIX_ARMD,
		/*
		 * How a master repeats the remaining beats of a refused burst. For the ARM926EJ-S
		 * this is in DDI 0198D Table 6-1. DDI 0287B §4.2.2 mentions no SINGLE of the other
		 * masters, so they make an INCR of one beat, as the CLCDC does.
		 */
		.rebuilt = {
			[PMK_MATRIX_ARMI] = PMK_AHB_SINGLE,
			[PMK_MATRIX_CLCDC] = PMK_AHB_INCR,
			[PMK_MATRIX_DMA0] = PMK_AHB_INCR,
			[PMK_MATRIX_DMA1] = PMK_AHB_INCR,
			[PMK_MATRIX_EXP] = PMK_AHB_INCR,
			[PMK_MATRIX_ARMD] = PMK_AHB_SINGLE,
		},
		.connect = 1,
	};
	/* clang-format on */

	*config = devchip;
}
