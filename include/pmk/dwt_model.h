/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * The DWT's counters: the model, and its parameters for the choices of an implementation and the
 * points that the sources leave open. <pmk/model.h> says how models are used. Host library only; a
 * driver does not include this. Sources as in <pmk/dwt.h>.
 */
#ifndef PMK_DWT_MODEL_H
#define PMK_DWT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/dwt.h>
#include <pmk/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All defaults are false and 0 (our choice): a Cortex-M3 or M4 with all counters. */
struct pmk_dwt_params {
	bool lock;	/* there is a software lock, closed after reset: Cortex-M7 */
	bool no_cyccnt; /* NOCYCCNT = 1: there is no CYCCNT */
	bool no_prfcnt; /* NOPRFCNT = 1: the five 8-bit counters do not exist */
	uint8_t poison; /* value of the 8-bit counters after reset, which is UNKNOWN */
	/* With TRCENA = 0 the DWT's registers are RAZ/WI. DDI 0403E C1.6.5 leaves this open,
	 * because the unit may have no clock then. By default they can be accessed. */
	bool gate;
	/* CYCCNT stops in sleep. By default it continues, as the formula in <pmk/dwt.h>
	 * requires. */
	bool sleep_stops;
};

/* Mistakes of the guest; bits of `oddities`. The model clears them only at reset. */
enum pmk_dwt_oddity {
	PMK_DWT_ODD_LOCKED = 1 << 0, /* wrote to a register that is locked */
	PMK_DWT_ODD_USER = 1 << 1,   /* made an unprivileged access */
	PMK_DWT_ODD_OFF = 1 << 2,    /* accessed the DWT while TRCENA was 0 */
};

/* The counters of one processor. It contains no pointers. */
struct pmk_dwt_model {
	struct pmk_dwt_params params;
	uint32_t oddities;
	uint32_t ctrl, demcr;
	bool locked;
	uint32_t count[PMK_DWT_NCTRS];
	uint64_t seen[PMK_DWT_NCTRS]; /* totals at the last synchronisation */
};

#define PMK_DWT_NMODELS 1
extern const struct pmk_model_ops pmk_dwt_models[PMK_DWT_NMODELS + 1];

/* Do a power-on reset with these parameters. The reset of pmk_model_ops uses the defaults. */
void pmk_dwt_model_reset(struct pmk_dwt_model *m, const struct pmk_dwt_params *params,
			 struct pmk_bus *bus);

#ifdef __cplusplus
}
#endif

#endif
