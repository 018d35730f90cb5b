/* SPDX-License-Identifier: MIT */
/*
 * ARM11 PMU: positions of fields. The driver, the model and the rows of regs.c use these positions
 * and share nothing else. The word is drawn in <pmk/arm11.h>.
 *
 * "T1" is DAI 0195B Table 1, "T3.138" DDI 0211 Table 3.138, "T3-136" DDI 0301H Table 3-136. The
 * application note calls the flags OCC, OC1 and OC0; the names here are those of the TRMs.
 */
#ifndef PMK_PMU_ARM11_REGS_H
#define PMK_PMU_ARM11_REGS_H

#include <stdint.h>

#include <pmk/arm11.h>
#include <pmk/bits.h>

/* clang-format off */
#define PMNC_FCC       PMK_BIT(30)      /* CCNT FIQ enable            T1, ARM1156 only        RW  */
#define PMNC_FC1       PMK_BIT(29)      /* PMN1 FIQ enable            T1, ARM1156 only        RW  */
#define PMNC_FC0       PMK_BIT(28)      /* PMN0 FIQ enable            T1, ARM1156 only        RW  */
#define PMNC_EVTCOUNT0 PMK_BITS(27, 20) /* event of PMN0              T1, T3.138, T3-136      RW  */
#define PMNC_EVTCOUNT1 PMK_BITS(19, 12) /* event of PMN1              T1, T3.138, T3-136      RW  */
#define PMNC_X         PMK_BIT(11)      /* export to EVNTBUS          T1, T3.138, T3-136      RW  */
#define PMNC_CCR       PMK_BIT(10)      /* CCNT overflowed            T1, T3.138+139, T3-136  W1C */
#define PMNC_CR1       PMK_BIT(9)       /* PMN1 overflowed            T1, T3.138+139, T3-136  W1C */
#define PMNC_CR0       PMK_BIT(8)       /* PMN0 overflowed            T1, T3.138+139, T3-136  W1C */
#define PMNC_ECC       PMK_BIT(6)       /* CCNT interrupt enable      T1, T3.138, T3-136      RW  */
#define PMNC_EC1       PMK_BIT(5)       /* PMN1 interrupt enable      T1, T3.138, T3-136      RW  */
#define PMNC_EC0       PMK_BIT(4)       /* PMN0 interrupt enable      T1, T3.138, T3-136      RW  */
#define PMNC_D         PMK_BIT(3)       /* CCNT every 64th cycle      T1, T3.138, T3-136      RW  */
#define PMNC_C         PMK_BIT(2)       /* zero CCNT                  T1, T3.138, T3-136      WO  */
#define PMNC_P         PMK_BIT(1)       /* zero PMN0 and PMN1         T1, T3.138, T3-136      WO  */
#define PMNC_E         PMK_BIT(0)       /* enable all counters        T1, T3.138, T3-136      RW  */
/* clang-format on */

#define PMNC_FIQS  (PMNC_FCC | PMNC_FC1 | PMNC_FC0)
#define PMNC_FLAGS (PMNC_CCR | PMNC_CR1 | PMNC_CR0)
#define PMNC_IRQS  (PMNC_ECC | PMNC_EC1 | PMNC_EC0)

/* The configuration bits that every core has; they keep the value written to them. */
#define PMNC_CONFIG (PMNC_EVTCOUNT0 | PMNC_EVTCOUNT1 | PMNC_X | PMNC_IRQS | PMNC_D | PMNC_E)

#define SUNAVCR_V PMK_BIT(0) /* user and Non-secure access; DDI 0301H §3.2.50 */

/* The number of cycles after setting E that are not counted: DDI 0211 PMNC, DDI 0301H §3.2.51. */
#define PMNC_START_DELAY 3

/* One counter: its register and its bits in PMNC. */
struct pmk_arm11_counter {
	uint8_t reg;
	uint32_t event; /* 0: counts only cycles */
	uint32_t flag, irq, fiq;
};

extern const struct pmk_arm11_counter pmk_arm11_counters[PMK_ARM11_NCTRS];

/* Values that differ between cores: pmk_pmu.family points to a struct pmk_arm11_core. */
enum pmk_arm11_id {
	PMK_ARM11_1136_R0,
	PMK_ARM11_1136,
	PMK_ARM11_1156,
	PMK_ARM11_1176,
	PMK_ARM11_MPCORE,
	PMK_ARM11_NCORES
};

struct pmk_arm11_core {
	enum pmk_arm11_id id;
	uint32_t config; /* PMNC bits that the driver writes back as it reads them: the RW bits */
	/* Event of a counter that is not in use: one that never happens, if the core has one. */
	uint8_t idle_event;
};

static inline const struct pmk_arm11_core *pmk_arm11_core(const struct pmk_pmu *pmu)
{
	return pmu->family;
}

/* The catalogues in code order. ARM1136, ARM1156 and ARM1176 share the first one. */
extern const struct pmk_event pmk_arm11_events[];
extern const struct pmk_event pmk_arm11mpcore_events[];

extern const struct pmk_driver pmk_arm11_driver;

/* Descriptions of the registers; the ARM1176 has one more. */
extern const struct pmk_reg_info pmk_arm11_regs_1136[PMK_ARM11_SUNAVCR];
extern const struct pmk_reg_info pmk_arm11_regs_mpcore[PMK_ARM11_SUNAVCR];
extern const struct pmk_reg_info pmk_arm11_regs_1156[PMK_ARM11_SUNAVCR];
extern const struct pmk_reg_info pmk_arm11_regs_1176[PMK_ARM11_NREGS];

#endif
