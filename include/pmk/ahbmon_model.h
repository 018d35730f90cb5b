/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * AHB Monitor: the model, its parameters for the points that the manual leaves open, and its input
 * pin. <pmk/model.h> says how models are used. Host library only; a driver does not include this.
 *
 * Functions that take a bus expect the first element of an array in the order of enum
 * pmk_ahbmon_bus: struct pmk_bus buses[PMK_AHBMON_NBUSES].
 *
 * The observer of the buses raises the signals. The only registers that it needs are the
 * thresholds: it raises AHB_WAIT_OVER and GXI_…_OVER according to pmk_ahbmon_model_threshold(), and
 * calls this function again after a register was written. For page changes and cast-outs it raises
 * a signal for every page size and alignment, and the model selects one of them.
 *
 * Time. The guest's accesses to the monitor are transfers on a bus, too. A write acts after the bus
 * cycle in which it completes: the caller raises the signals of that cycle, including those of the
 * write's own transfer, and then writes the register. A read returns the counts before the cycle in
 * which it completes: the caller reads the register, and then raises the signals. So the write that
 * resets the counters is not counted, but the accesses after it are (DDI 0287B §4.2.2). The write
 * that enables the counters is not counted; the write that disables them is. The depth of the
 * monitor's own pipeline is not documented; these rules do not need it.
 */
#ifndef PMK_AHBMON_MODEL_H
#define PMK_AHBMON_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahbmon.h>
#include <pmk/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The points that the manual leaves open. The defaults, all false and 0, are our choice. */
struct pmk_ahbmon_params {
	/* A counter stays at 2^32 - 1 instead of wrapping. The manual does not mention overflow. */
	bool saturate;
	/* Reset and preset also affect CtTotalCycles, as §4.3.27-28 say ("all counters"). By
	 * default they affect only the other two cycle counters, as Table 4-13 says. */
	bool reset_total;
	/* A preset does not change the enable bit, although it stops the counters (§4.3.28) until
	 * the next write to AHBMONCtrlReg. By default it clears the bit. */
	bool preset_keeps_enable;
	uint32_t page_reset;	  /* GxiPageSize after hardware reset, enum pmk_ahbmon_page */
	uint32_t threshold_reset; /* every threshold after hardware reset, in HCLK cycles */
};

/* Input pins of the monitor. */
enum pmk_ahbmon_input {
	PMK_AHBMON_IN_DBGACK, /* 1: the ARM926EJ-S is in debug state (§4.2.2). 0 after reset */
	PMK_AHBMON_NINPUTS
};

/* Mistakes of the guest; bits of pmk_ahbmon_model.oddities. The model clears them only at reset. */
enum pmk_ahbmon_oddity {
	PMK_AHBMON_ODD_COUNTER_WRITE = 1 << 0, /* wrote to a counter: ignored */
	PMK_AHBMON_ODD_SBZ = 1 << 1,	       /* wrote 1 to a bit that has no meaning */
	PMK_AHBMON_ODD_READ_WO = 1 << 2,       /* read AHBMONRstCtrs or AHBMONPrstCtrs: 0 */
};

/* One monitor. It contains no pointers, so it may be copied, forked and shared. Users may only
 * change `params` and `oddities`; everything else goes through the registers and the inputs. */
struct pmk_ahbmon_model {
	struct pmk_ahbmon_params params;
	struct pmk_ahbmon_layout layout;
	uint32_t oddities;
	bool input[PMK_AHBMON_NINPUTS];
	bool held; /* stopped by a preset, even if the enable bit is set */
	uint32_t ctrl, page;
	uint32_t threshold[PMK_AHBMON_NTHRESHOLDS];
	uint32_t count[PMK_AHBMON_NCTRS];
	/* Total of each counter's signal at the last synchronisation. */
	uint64_t seen[PMK_AHBMON_NCTRS];
};

#define PMK_AHBMON_NMODELS 1
extern const struct pmk_model_ops pmk_ahbmon_models[PMK_AHBMON_NMODELS + 1];

/* Read a layout from a file (docs/FORMATS.md). Returns 0, PMK_EIO or PMK_EPARSE. On an error, `msg`
 * has one line, "FILE:LINE: why". */
int pmk_ahbmon_layout_read(struct pmk_ahbmon_layout *layout, const char *path, char *msg,
			   size_t size);

/* Reset the hardware with parameters and a layout, which is copied. The reset of pmk_model_ops uses
 * the layout of its PMU (pmk_pmu.family), as the driver does, and the default parameters. */
void pmk_ahbmon_model_reset(struct pmk_ahbmon_model *m, const struct pmk_ahbmon_layout *layout,
			    const struct pmk_ahbmon_params *params, struct pmk_bus *buses);

/* Set an input. Events up to now are counted under the old level. */
void pmk_ahbmon_model_input(struct pmk_ahbmon_model *m, struct pmk_bus *buses,
			    enum pmk_ahbmon_input input, bool level);

/* Returns the threshold in force, in HCLK cycles. */
uint32_t pmk_ahbmon_model_threshold(const struct pmk_ahbmon_model *m,
				    enum pmk_ahbmon_threshold which);

#ifdef __cplusplus
}
#endif

#endif
