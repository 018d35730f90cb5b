/* SPDX-License-Identifier: MIT */
/*
 * RISC-V's counters: positions of fields. The driver, the model and the rows of regs.c use these
 * positions and share nothing else. The sources are listed in <pmk/riscv.h>.
 */
#ifndef PMK_PMU_RISCV_REGS_H
#define PMK_PMU_RISCV_REGS_H

#include <pmk/bits.h>
#include <pmk/riscv.h>

/* clang-format off */
#define COUNTERS_HPM   PMK_BITS(6, 3)  /* mhpmcounter3-6            PRIV 3.1.11, 3.1.12   RW */
#define COUNTERS_IR    PMK_BIT(2)      /* minstret                  PRIV 3.1.11, 3.1.12   RW */
#define COUNTERS_TM    PMK_BIT(1)      /* time; only mcounteren     PRIV 3.1.11           RW */
#define COUNTERS_CY    PMK_BIT(0)      /* mcycle                    PRIV 3.1.11, 3.1.12   RW */
#define COUNTERS_ALL   (COUNTERS_HPM | COUNTERS_IR | COUNTERS_CY)

#define MHPMEVENT_MASK  PMK_BITS(25, 8) /* bit n: the event with that bit   U74 4.9.5     RW */
#define MHPMEVENT_CLASS PMK_BITS(7, 0)  /* class of these events            U74 4.9.5     RW */
/* clang-format on */

/* The event code in the form that <pmk/riscv.h> defines. */
#define CODE_CLASS PMK_BITS(15, 8)
#define CODE_BIT   PMK_BITS(7, 0)
#define NCLASSES   3 /* instruction commit, microarchitecture, memory system; U74 4.9.5 */

/* Differences between RV32 and RV64: pmk_pmu.family points to one of these. */
struct pmk_riscv_base {
	bool rv32; /* a counter is two registers */
};

static inline bool pmk_riscv_is32(const struct pmk_pmu *pmu)
{
	return ((const struct pmk_riscv_base *)pmu->family)->rv32;
}

/* Returns a counter's bit in mcountinhibit and mcounteren. Bit 1 belongs to the register `time`. */
static inline uint32_t pmk_riscv_counter_bit(unsigned counter)
{
	return UINT32_C(1) << (counter ? counter + 1 : 0);
}

/* True if mhpmevent with the value `selector` counts the event. */
static inline bool pmk_riscv_selects(uint32_t selector, const struct pmk_event *ev)
{
	uint32_t one = pmk_riscv_selector(ev->code);

	return one && (one & MHPMEVENT_CLASS) == (selector & MHPMEVENT_CLASS) &&
	       (one & selector & MHPMEVENT_MASK);
}

/*
 * Finds the first event, from the row `from` on, that mhpmevent with the value `selector` counts.
 * Returns NULL if there are no more, or if `field` is not the mask of mhpmevent. Only the host uses
 * it.
 */
const struct pmk_event *pmk_riscv_selected(const struct pmk_field *field, uint32_t selector,
					   unsigned from);

extern const struct pmk_event pmk_riscv_events[];
extern const struct pmk_driver pmk_riscv_driver;
extern const struct pmk_reg_info pmk_riscv64_regs[PMK_RISCV_NREGS64];
extern const struct pmk_reg_info pmk_riscv32_regs[PMK_RISCV_NREGS];

#endif
