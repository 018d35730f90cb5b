/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * The PMU of Armv8.1-M: the model, its parameter, inputs and oddities. <pmk/model.h> says how
 * models are used. Host library only; a driver does not include this. Sources as in
 * <pmk/armv81m.h>.
 */
#ifndef PMK_ARMV81M_MODEL_H
#define PMK_ARMV81M_MODEL_H

#include <stdint.h>

#include <pmk/armv81m.h>
#include <pmk/model.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_armv81m_params {
	uint32_t poison; /* value after reset of the registers that reset to UNKNOWN; default 0 */
};

/* The model's inputs. */
enum pmk_armv81m_input {
	PMK_ARMV81M_IN_PROHIBITED, /* 1: events are not counted, because debug is not permitted */
	PMK_ARMV81M_IN_HALTED,	   /* 1: the processor is in Debug state: nothing is counted */
	PMK_ARMV81M_NINPUTS,
};

/* Mistakes of the guest; bits of `oddities`. The model clears them only at reset. */
enum pmk_armv81m_oddity {
	PMK_ARMV81M_ODD_EVENT = 1 << 0, /* selected an event that does not exist */
	PMK_ARMV81M_ODD_CHAIN = 1 << 1, /* selected CHAIN in an even counter: it never counts */
	PMK_ARMV81M_ODD_USER = 1 << 2,	/* made an unprivileged access */
	PMK_ARMV81M_ODD_OFF = 1 << 3,	/* enabled counters while TRCENA was 0 */
};

/* The PMU of one processor. It contains no pointers. */
struct pmk_armv81m_model {
	struct pmk_armv81m_params params;
	uint32_t oddities;
	uint8_t input[PMK_ARMV81M_NINPUTS];
	uint32_t count[PMK_ARMV81M_EVENTS], type[PMK_ARMV81M_EVENTS];
	uint32_t cycles, cnten, inten, ovs, ctrl, demcr;
	/* Total of the signals of each counter, and of cycles, at the last synchronisation. */
	uint64_t seen[PMK_ARMV81M_EVENTS];
	uint64_t cycles_seen;
};

#define PMK_ARMV81M_NMODELS 1
extern const struct pmk_model_ops pmk_armv81m_models[PMK_ARMV81M_NMODELS + 1];

/* Do a reset with these parameters. The reset of pmk_model_ops uses the defaults. */
void pmk_armv81m_model_reset(struct pmk_armv81m_model *m, const struct pmk_armv81m_params *params,
			     struct pmk_bus *bus);

#ifdef __cplusplus
}
#endif

#endif
