/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * L210 and L220: the models, and their parameters for the points that the sources leave open.
 * <pmk/model.h> says how models are used. Host library only; a driver does not include this.
 * Sources as in <pmk/l2cc.h>.
 */
#ifndef PMK_L2CC_MODEL_H
#define PMK_L2CC_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/l2cc.h>
#include <pmk/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_L2CC_MAX_COUNTERS 4

/* The points that the sources leave open. The defaults, all false, are our choice. */
struct pmk_l2cc_params {
	/* L210: EMMC [11:8] are the reset bits of counters 0 to 3 in descending order. By default,
	 * bit 8 + n resets counter n. */
	bool reset_from_top;
	/* L220: a counter accepts a written value while the counters are enabled. By default it
	 * does not. */
	bool write_while_running;
};

/* Mistakes of the guest; bits of `oddities`. The model clears them only at reset. */
enum pmk_l2cc_oddity {
	PMK_L2CC_ODD_EVENT = 1 << 0, /* selected a reserved event */
	/* wrote to a register that is read-only, or read-only at present */
	PMK_L2CC_ODD_READ_ONLY = 1 << 1,
	PMK_L2CC_ODD_SBZ = 1 << 2, /* wrote 1 to a bit that has no meaning */
};

/* Either of the two models, an L210 or an L220. It contains no pointers. */
struct pmk_l2cc_model {
	struct pmk_l2cc_params params;
	uint32_t oddities;
	bool l210;
	uint32_t control, status, mask;
	uint32_t config[PMK_L2CC_MAX_COUNTERS];
	uint32_t count[PMK_L2CC_MAX_COUNTERS];
	uint64_t seen[PMK_L2CC_MAX_COUNTERS]; /* total of its signal at the last synchronisation */
};

#define PMK_L2CC_NMODELS 2
extern const struct pmk_model_ops pmk_l2cc_models[PMK_L2CC_NMODELS + 1];

/* Do a power-on reset with these parameters. The reset of pmk_model_ops uses the defaults. */
void pmk_l2cc_model_reset(struct pmk_l2cc_model *m, const struct pmk_pmu *pmu,
			  const struct pmk_l2cc_params *params, struct pmk_bus *bus);

/*
 * The registers of the L220 controller that software needs to find and enable it: Cache ID,
 * Control, Auxiliary Control. They share a block with its counters. Maintenance operations complete
 * at once. Other registers read as 0.
 */
struct pmk_l220 {
	uint32_t control, aux;
};

void pmk_l220_reset(struct pmk_l220 *l, uint64_t bytes, uint32_t ways);
uint32_t pmk_l220_load(const struct pmk_l220 *l, unsigned offset);
void pmk_l220_store(struct pmk_l220 *l, unsigned offset, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
