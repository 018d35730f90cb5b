/* SPDX-License-Identifier: MIT */
/*
 * RISC-V's counters: the model, with what is chosen where the sources leave it open.
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

/* Where the sources leave a choice. */
struct pmk_riscv_params {
	/* Reset leaves this pattern in every register: PRIV 3.4 says that their reset values are unspecified.
	 * Default 0, our choice: it is kind to those who forget to initialise, and lets counters run from
	 * reset on. */
	uint64_t poison;
};

/* What a guest did that it had better not; bits of `oddities`, never cleared by the model but by
 * reset. */
enum pmk_riscv_oddity {
	PMK_RISCV_ODD_EVENT = 1 << 0,	/* selected an event that there is not */
	PMK_RISCV_ODD_ILLEGAL = 1 << 1, /* made an access that is an illegal instruction */
};

/* One hart's. No pointers. */
struct pmk_riscv_model {
	struct pmk_riscv_params params;
	uint32_t oddities;
	bool rv32;
	uint32_t inhibit, counteren;
	uint32_t event[PMK_RISCV_NCTRS]; /* selectors; of the first two unused */
	uint64_t count[PMK_RISCV_NCTRS];
	uint64_t seen[PMK_RISCV_NCTRS]; /* sum of its signals' totals at the last synchronisation */
};

#define PMK_RISCV_NMODELS 2
extern const struct pmk_model_ops pmk_riscv_models[PMK_RISCV_NMODELS + 1];

/* Power-on reset with parameters; the reset of pmk_model_ops takes the defaults. */
void pmk_riscv_model_reset(struct pmk_riscv_model *m, const struct pmk_pmu *pmu,
			   const struct pmk_riscv_params *params, struct pmk_bus *bus);

#ifdef __cplusplus
}
#endif

#endif
