/* SPDX-License-Identifier: MIT */
/*
 * L210 event monitor and L220 event counters: positions of fields. The drivers, the models and the
 * rows of regs.c use these positions and share nothing else. The sources are listed in
 * <pmk/l2cc.h>.
 */
#ifndef PMK_PMU_L2CC_REGS_H
#define PMK_PMU_L2CC_REGS_H

#include <pmk/bits.h>
#include <pmk/l2cc.h>

#define PMK_L210_NCTRS 4
#define PMK_L220_NCTRS 2

/* clang-format off */

/*
 * EMMC, L210 appendix C; i.MX31 headers. The order of the reset bits is not published, so the
 * driver writes all of them together.
 */
#define EMMC_RESET  PMK_BITS(11, 8) /* set counters to zero, reads as zero                 WO */
#define EMMC_ENABLE PMK_BIT(0)	    /* all counters count                                  RW */

/* EMCS, L210 appendix C: bit n is the flag of counter n. Writing 1 clears it. */
#define EMCS_FLAGS  PMK_BITS(3, 0)

/* EMCC0-3, L210 appendix C. */
#define EMCC_EVENT  PMK_BITS(6, 2) /* the event; 0: none */
#define EMCC_EVERY  PMK_BIT(1)	   /* interrupt on 0: overflow, 1: every increment         RW */
#define EMCC_IRQ    PMK_BIT(0)	   /* interrupt enable                                     RW */

/* Event counter control, L310 §3.3.6. */
#define ECC_RESET1  PMK_BIT(2)	   /* counter 1 to zero, reads as zero                     WO */
#define ECC_RESET0  PMK_BIT(1)	   /* counter 0 to zero, reads as zero                     WO */
#define ECC_ENABLE  PMK_BIT(0)	   /* both counters count                                RW */

/* Event counter configuration, L310 §3.3.7, Table 3.8. */
#define ECF_EVENT   PMK_BITS(5, 2) /* 0: the counter is off */
#define ECF_IRQ     PMK_BITS(1, 0) /* 0, 3: off; 1: on every increment; 2: on overflow     RW */
#define ECF_IRQ_INCREMENT 1
#define ECF_IRQ_OVERFLOW  2

/*
 * Interrupt registers, L310 §3.3.10: bit 0 is for the event counters, all other bits are for errors
 * of the cache.
 */
#define INT_ECNTR   PMK_BIT(0)

/* clang-format on */

extern const struct pmk_event pmk_l210_events[];
extern const struct pmk_event pmk_l220_events[];
extern const struct pmk_driver pmk_l210_driver, pmk_l220_driver;
extern const struct pmk_reg_info pmk_l210_regs[PMK_L210_NREGS];
extern const struct pmk_reg_info pmk_l220_regs[PMK_L220_NREGS];

#endif
