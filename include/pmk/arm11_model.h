/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * ARM11 PMU: the model, its parameters for the points that the documents leave open, and its input
 * pins. <pmk/model.h> says how models are used. Host library only; a driver does not include this.
 * Sources as in <pmk/arm11.h>.
 */
#ifndef PMK_ARM11_MODEL_H
#define PMK_ARM11_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/arm11.h>
#include <pmk/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The points that the documents leave open. The defaults are our choice: all are false and 0,
 * except strict_e_clear, which is true, and debug_stops, which is false on the ARM1136 r0 and true
 * elsewhere. */
struct pmk_arm11_params {
	/* ARM1156, MPCore: user mode may access the registers. DAI 0195B §2 says this of the whole
	 * family, but the TRMs of the other two cores contradict it. The model ignores the
	 * parameter on those cores. */
	bool user_access;
	/* A write with E = 0 does not clear an overflow flag. This is the strict reading of DAI
	 * 0195B §1, and with it Linux's stop loses no overflow. False: such a write clears the
	 * flag, and only the interrupt stays. */
	bool strict_e_clear;
	/* Debug state stops the counters: DDI 0301H §3.2.53-54; DDI 0211K §3.3.40-41 for
	 * ARM1136 r1p0 and later (CCNT and PMN0; PMN1 by analogy). */
	bool debug_stops;
	/* The value of CCNT after reset. It is unpredictable on the ARM1136 (DDI 0211K §3.3.40),
	 * not documented on ARM1156 and MPCore, and 0 on the ARM1176, where the model ignores this
	 * parameter. */
	uint32_t ccnt_reset;
};

/* Pins and states of the core on which the PMU depends. All are 0 after reset, except NIDEN. */
enum pmk_arm11_input {
	PMK_ARM11_IN_DEBUG, /* 1: the core is in Debug state */
	/* 1: non-invasive debug is permitted. ARM1176: when it is not permitted, PMN0 and PMN1 stop
	 * and CCNT continues (DDI 0301H §3.1.8). Other cores: no effect. */
	PMK_ARM11_IN_NIDEN,
	PMK_ARM11_IN_CP15SDISABLE, /* 1: SUNAVCR cannot be written (DDI 0301H Table 3-135) */
	PMK_ARM11_NINPUTS
};

/* Mistakes of the guest; bits of pmk_arm11_model.oddities. The model clears them only at reset. */
enum pmk_arm11_oddity {
	PMK_ARM11_ODD_RESERVED_EVENT = 1 << 0, /* selected an event this core does not have */
	PMK_ARM11_ODD_SBZ = 1 << 1,	       /* wrote 1 to a bit that should be written as 0 */
	/* made an access that is Undefined in the mode of the core */
	PMK_ARM11_ODD_UNDEFINED = 1 << 2,
};

/* One PMU. It contains no pointers, so it may be copied, forked and shared. Users may only change
 * `params` and `oddities`; everything else goes through the registers and the inputs. */
struct pmk_arm11_model {
	struct pmk_arm11_params params;
	uint32_t oddities;
	uint8_t id; /* enum pmk_arm11_id */
	bool input[PMK_ARM11_NINPUTS];
	uint32_t pmnc; /* configuration, E and flags, as read */
	uint32_t count[PMK_ARM11_NCTRS];
	uint8_t phase;		    /* cycles since CCNT's last step, if D is set */
	bool line[PMK_ARM11_NCTRS]; /* interrupt request of each counter */
	uint32_t sunavcr;
	/* The total of cycles at which counting begins, if E is set. */
	uint64_t start_at;
	uint64_t cycles_seen; /* total of cycles at the last synchronisation */
	/* The signals that each counter's event counts; [CCNT] is not used. */
	uint8_t signal[PMK_ARM11_NCTRS][2];
	/* Totals of these signals at the last synchronisation. */
	uint64_t seen[PMK_ARM11_NCTRS][2];
};

/* The five models, by enum pmk_arm11_id. */
#define PMK_ARM11_NMODELS 5
extern const struct pmk_model_ops pmk_arm11_models[PMK_ARM11_NMODELS + 1];

/* Returns the default parameters for a PMU of this family. */
struct pmk_arm11_params pmk_arm11_defaults(const struct pmk_pmu *pmu);

/* Do a power-on reset with these parameters. The reset of pmk_model_ops uses the defaults. */
void pmk_arm11_model_reset(struct pmk_arm11_model *m, const struct pmk_pmu *pmu,
			   const struct pmk_arm11_params *params, struct pmk_bus *bus);

/* Set an input. Events up to now are counted under the old level; call ask() again afterwards. */
void pmk_arm11_model_input(struct pmk_arm11_model *m, struct pmk_bus *bus,
			   enum pmk_arm11_input input, bool level);

#ifdef __cplusplus
}
#endif

#endif
