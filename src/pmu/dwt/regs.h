/* SPDX-License-Identifier: MIT */
/*
 * The DWT's counters: positions of fields. The driver, the model and the rows of regs.c use these
 * positions and share nothing else. The sources are listed in <pmk/dwt.h>.
 */
#ifndef PMK_PMU_DWT_REGS_H
#define PMK_PMU_DWT_REGS_H

#include <pmk/bits.h>
#include <pmk/dwt.h>

/* clang-format off */
/* DWT_CTRL, DDI 0403E C1.8.7 */
#define CTRL_NUMCOMP     PMK_BITS(31, 28) /* comparators                                 RO */
#define CTRL_NOTRCPKT    PMK_BIT(27)      /* 1: no trace packets                         RO */
#define CTRL_NOEXTTRIG   PMK_BIT(26)      /* 1: no external match signals                RO */
#define CTRL_NOCYCCNT    PMK_BIT(25)      /* 1: no CYCCNT                                RO */
#define CTRL_NOPRFCNT    PMK_BIT(24)      /* 1: no 8-bit counters                        RO */
#define CTRL_CYCEVTENA   PMK_BIT(22)      /* packets when POSTCNT ends                   RW */
#define CTRL_FOLDEVTENA  PMK_BIT(21)      /* FOLDCNT counts, packets when it overflows   RW */
#define CTRL_LSUEVTENA   PMK_BIT(20)      /* LSUCNT                                      RW */
#define CTRL_SLEEPEVTENA PMK_BIT(19)      /* SLEEPCNT                                    RW */
#define CTRL_EXCEVTENA   PMK_BIT(18)      /* EXCCNT                                      RW */
#define CTRL_CPIEVTENA   PMK_BIT(17)      /* CPICNT                                      RW */
#define CTRL_EXCTRCENA   PMK_BIT(16)      /* packets of exceptions                       RW */
#define CTRL_PCSAMPLENA  PMK_BIT(12)      /* packets of PC samples                       RW */
#define CTRL_SYNCTAP     PMK_BITS(11, 10) /* CYCCNT bit of synchronisation packets       RW */
#define CTRL_CYCTAP      PMK_BIT(9)       /* CYCCNT bit that counts POSTCNT down         RW */
#define CTRL_POSTINIT    PMK_BITS(8, 5)   /* initial value of POSTCNT                    RW */
#define CTRL_POSTPRESET  PMK_BITS(4, 1)   /* reload value of POSTCNT                     RW */
#define CTRL_CYCCNTENA   PMK_BIT(0)       /* CYCCNT counts                               RW */
#define CTRL_PROFILING   PMK_BITS(21, 17) /* the enables of the 8-bit counters */

/* DEMCR, DDI 0403E C1.6.5 */
#define DEMCR_TRCENA     PMK_BIT(24)      /* DWT and ITM are on                          RW */
#define DEMCR_MON        PMK_BITS(19, 16) /* debug monitor                               RW */
#define DEMCR_VC         PMK_BITS(10, 4)  /* vector catch                                RW */
#define DEMCR_VC_RESET   PMK_BIT(0)       /* vector catch of reset                       RW */

/* DWT_LSR, DDI 0403E D1.1 */
#define LSR_NTT PMK_BIT(2) /* the lock is not 32 bits wide                               RO */
#define LSR_SLK PMK_BIT(1) /* locked                                                     RO */
#define LSR_SLI PMK_BIT(0) /* there is a lock                                            RO */
#define LAR_KEY UINT32_C(0xC5ACCE55)

#define PROFILING_COUNT PMK_BITS(7, 0) /* CPICNT …, DDI 0403E C1.8.9 to C1.8.13            RW */
/* clang-format on */

/* Returns the enable bit of a counter in DWT_CTRL. */
static inline uint32_t pmk_dwt_enable(unsigned counter)
{
	return counter ? (uint32_t)CTRL_CPIEVTENA << (counter - 1) : (uint32_t)CTRL_CYCCNTENA;
}

extern const struct pmk_event pmk_dwt_events[];
extern const struct pmk_driver pmk_dwt_driver;
extern const struct pmk_reg_info pmk_dwt_regs[PMK_DWT_NREGS];

#endif
