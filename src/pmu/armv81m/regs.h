/* SPDX-License-Identifier: MIT */
/*
 * The positions of the fields of the PMU of Armv8.1-M (Cortex-M52, M55, M85), for the driver, the
 * model and the rows of regs.c. The sources are listed in <pmk/armv81m.h>.
 */
#ifndef PMK_PMU_ARMV81M_REGS_H
#define PMK_PMU_ARMV81M_REGS_H

#include <pmk/armv81m.h>
#include <pmk/bits.h>

/* clang-format off */
#define EVCNTR_COUNT       PMK_BITS(15, 0)  /* occurrences                                RW  */
#define CCNTR_COUNT        PMK_BITS(31, 0)  /* cycles                                     RW  */
#define EVTYPER_EVTCOUNT   PMK_BITS(15, 0)  /* event; there are no filters                RW  */

/* CNTENSET/CLR, INTENSET/CLR and OVSSET/CLR have one bit per counter. SWINC is WO and has only
 * P. */
#define SET_C              PMK_BIT(31)      /* CCNTR                                          */
#define SET_P              PMK_BITS(PMK_ARMV81M_EVENTS - 1, 0) /* bit n: EVCNTR<n>            */

#define TYPE_TRO           PMK_BIT(23)      /* CTRL.TRO exists                            RO  */
#define TYPE_FZO           PMK_BIT(21)      /* CTRL.FRZO exists                           RO  */
#define TYPE_CC            PMK_BIT(14)      /* CCNTR exists                               RO  */
#define TYPE_SIZE          PMK_BITS(13, 8)  /* 31: registers are spaced by 32 bits        RO  */
#define TYPE_N             PMK_BITS(7, 0)   /* number of event counters                   RO  */

#define CTRL_TRO           PMK_BIT(11)      /* trace packet when an event counter overflows RW */
#define CTRL_FRZO          PMK_BIT(9)       /* an overflow stops the event counters       RW  */
#define CTRL_DP            PMK_BIT(5)       /* CCNTR stops where counting is prohibited   RW  */
#define CTRL_C             PMK_BIT(2)       /* zero CCNTR                                 WO  */
#define CTRL_P             PMK_BIT(1)       /* zero the event counters                    WO  */
#define CTRL_E             PMK_BIT(0)       /* enable                                     RW  */

/* AUTHSTATUS has two bits for each kind of debug. 2: the core has it, and it is off. 3: it is
 * permitted. */
#define AUTHSTATUS_SUNID   PMK_BITS(23, 22) /* Secure unprivileged non-invasive           RO  */
#define AUTHSTATUS_SUID    PMK_BITS(21, 20) /* Secure unprivileged invasive               RO  */
#define AUTHSTATUS_NSUNID  PMK_BITS(19, 18) /* Non-secure unprivileged non-invasive       RO  */
#define AUTHSTATUS_NSUID   PMK_BITS(17, 16) /* Non-secure unprivileged invasive           RO  */
#define AUTHSTATUS_SNID    PMK_BITS(7, 6)   /* Secure non-invasive                        RO  */
#define AUTHSTATUS_SID     PMK_BITS(5, 4)   /* Secure invasive                            RO  */
#define AUTHSTATUS_NSNID   PMK_BITS(3, 2)   /* Non-secure non-invasive                    RO  */
#define AUTHSTATUS_NSID    PMK_BITS(1, 0)   /* Non-secure invasive                        RO  */

#define DEVARCH_ARCHITECT  PMK_BITS(31, 21) /* 0x23B: Arm                                 RO  */
#define DEVARCH_PRESENT    PMK_BIT(20)      /* 1                                          RO  */
#define DEVARCH_REVISION   PMK_BITS(19, 16) /* 0                                          RO  */
#define DEVARCH_ARCHID     PMK_BITS(15, 0)  /* 0x0A06: a PMU of the M profile             RO  */

#define DEVTYPE_SUB        PMK_BITS(7, 4)   /* 1: of a processor                          RO  */
#define DEVTYPE_MAJOR      PMK_BITS(3, 0)   /* 6: performance monitor                     RO  */

#define DEMCR_TRCENA       PMK_BIT(24)      /* DWT, ITM and PMU are on                    RW  */
#define DEMCR_MON          PMK_BITS(19, 16) /* debug monitor                              RW  */
#define DEMCR_CATCH        PMK_BITS(11, 4)  /* vector catch                               RW  */
#define DEMCR_CATCH_RESET  PMK_BIT(0)       /* vector catch of reset                      RW  */
/* clang-format on */

extern const struct pmk_event pmk_armv81m_events[];
extern const struct pmk_driver pmk_armv81m_driver;
extern const struct pmk_reg_info pmk_armv81m_regs[PMK_ARMV81M_NREGS];

#endif
