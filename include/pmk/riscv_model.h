/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * RISC-V's counters: the model, and its parameters for the points that the sources leave open.
 * <pmk/model.h> says how models are used. Host library only; a driver does not include this.
 * Sources as in <pmk/riscv.h>.
 */
#ifndef PMK_RISCV_MODEL_H
#define PMK_RISCV_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/model.h>
#include <pmk/riscv.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The points that the sources leave open. */
struct pmk_riscv_params {
	/* Reset leaves this pattern in every register: PRIV 3.4 says that their reset values are
	 * unspecified. The default 0 is our choice: it hides missing initialisation in software,
	 * and counters run from reset on. */
	uint64_t poison;
};

/* Mistakes of the guest; bits of `oddities`. The model clears them only at reset. */
enum pmk_riscv_oddity {
	PMK_RISCV_ODD_EVENT = 1 << 0,	/* selected an event that does not exist */
	PMK_RISCV_ODD_ILLEGAL = 1 << 1, /* made an access that is an illegal instruction */
};

/* The counters of one hart. It contains no pointers. */
struct pmk_riscv_model {
	struct pmk_riscv_params params;
	uint32_t oddities;
	bool rv32;
	uint32_t inhibit, counteren;
	/* The selectors. The first two counters do not use theirs. */
	uint32_t event[PMK_RISCV_NCTRS];
	uint64_t count[PMK_RISCV_NCTRS];
	/* Sum of the totals of each counter's signals at the last synchronisation. */
	uint64_t seen[PMK_RISCV_NCTRS];
};

#define PMK_RISCV_NMODELS 2
extern const struct pmk_model_ops pmk_riscv_models[PMK_RISCV_NMODELS + 1];

/* Do a power-on reset with these parameters. The reset of pmk_model_ops uses the defaults. */
void pmk_riscv_model_reset(struct pmk_riscv_model *m, const struct pmk_pmu *pmu,
			   const struct pmk_riscv_params *params, struct pmk_bus *bus);

#ifdef __cplusplus
}
#endif

#endif
