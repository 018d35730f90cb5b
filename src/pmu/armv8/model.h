/* SPDX-License-Identifier: MIT */
/*
 * PMUv3 model: declarations that its files share. count.c counts, model.c has the registers, and
 * views.c has their AArch32 view and their memory-mapped view.
 */
#ifndef PMK_PMU_ARMV8_MODEL_H
#define PMK_PMU_ARMV8_MODEL_H

#include <pmk/armv8_model.h>

#include "pmu/armv8/regs.h"

/* clang-format off */
#define MDCR_EL2_HPMFZO PMK_BIT(29)    /* FZO of range 2                              p7 */
#define MDCR_EL2_HLP    PMK_BIT(26)    /* LP of range 2                               p5 */
#define MDCR_EL2_HCCD   PMK_BIT(23)    /* PMCCNTR stops at EL2                        p5 */
#define MDCR_EL2_HPMD   PMK_BIT(17)    /* range 1 stops at EL2                        p1 */
#define MDCR_EL2_HPME   PMK_BIT(7)     /* E of range 2                                   */
#define MDCR_EL2_TPM    PMK_BIT(6)     /* trap EL0 and EL1                               */
#define MDCR_EL2_TPMCR  PMK_BIT(5)     /* trap accesses of EL0 and EL1 to PMCR */
#define MDCR_EL2_HPMN   PMK_BITS(4, 0) /* number of counters in range 1; EL2 has all others */

#define MDCR_EL3_MPMX   PMK_BIT(35)    /* SPME applies only to EL3                    p7 */
#define MDCR_EL3_MCCD   PMK_BIT(34)    /* PMCCNTR stops at EL3                        p7 */
#define MDCR_EL3_SCCD   PMK_BIT(23)    /* PMCCNTR stops in Secure state               p5 */
#define MDCR_EL3_SPME   PMK_BIT(17)    /* counting is permitted in Secure state          */
#define MDCR_EL3_TPM    PMK_BIT(6)     /* trap EL0, EL1 and EL2                          */
/* clang-format on */

static inline bool pmk_armv8_has(const struct pmk_armv8_model *m, enum pmk_armv8_pmuver version)
{
	return m->params.version >= version;
}

static inline bool pmk_armv8_model_is_armv7(const struct pmk_armv8_model *m)
{
	return m->params.armv7_pmu != 0;
}

static inline bool pmk_armv8_model_is_v1(const struct pmk_armv8_model *m)
{
	return m->params.armv7_pmu == 1;
}

/* Returns bits [n-1:0]. `n` must be at most 31. */
static inline uint32_t pmk_armv8_low(unsigned n)
{
	return (UINT32_C(1) << n) - 1;
}

/* ---- count.c ---- */

/* True if EL2 exists and is enabled in the current security state. */
bool pmk_armv8_el2_enabled(const struct pmk_armv8_model *m);
/* Returns the number of event counters in range 1. The counters above range 1 belong to EL2. */
unsigned pmk_armv8_range1(const struct pmk_armv8_model *m);
/* Returns the set of counters that count at level `el`. Bit 31 is PMCCNTR. */
uint32_t pmk_armv8_counting(const struct pmk_armv8_model *m, unsigned el);
/* Adds amount[n] to each event counter n in `counting`, and adds carries to counters that count
 * CHAIN. */
void pmk_armv8_pass(struct pmk_armv8_model *m, uint32_t counting,
		    const uint64_t amount[PMK_ARMV8_MAX_EVENTS]);
/* True if event counter n counts software increments. */
bool pmk_armv8_is_swinc(const struct pmk_armv8_model *m, unsigned n);
/* Called when the type of counter `n` was written. Makes the counter count its event from now
 * on. */
void pmk_armv8_select(struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned n);
/* Returns PMCEID0 (if `which` is 0) or PMCEID1. */
uint64_t pmk_armv8_pmceid(const struct pmk_armv8_model *m, const struct pmk_bus *bus,
			  unsigned which);
void pmk_armv8_sync(void *model, struct pmk_bus *bus);
void pmk_armv8_ask(const void *model, struct pmk_bus *bus);
unsigned pmk_armv8_lines(const void *model);

/* ---- model.c ---- */

/* Returns the exception level of an access in `mode`. */
unsigned pmk_armv8_level(const struct pmk_armv8_model *m, enum pmk_mode mode);
#define PMK_ARMV8_TRAP_WIDE 0x04 /* MRRC and MCRR, which PMUv2 does not have */
/*
 * Checks that software at level `el` may make this access. `ec` is the exception class of a trap in
 * this view. Returns 0, or PMK_EUNDEF with the details in m->trap.
 */
int pmk_armv8_check(struct pmk_armv8_model *m, unsigned el, unsigned reg, bool write, uint8_t ec);
/*
 * Read and write a register. The access must be permitted, and the model must be synchronised. At
 * EL2 and EL3 all counters are visible.
 */
uint64_t pmk_armv8_get(struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned el,
		       unsigned reg);
void pmk_armv8_set(struct pmk_armv8_model *m, const struct pmk_bus *bus, unsigned el, unsigned reg,
		   uint64_t value);
/* Executes a write of PMSWINC at level `el`. */
void pmk_armv8_swinc(struct pmk_armv8_model *m, unsigned el, uint32_t w);

#endif
