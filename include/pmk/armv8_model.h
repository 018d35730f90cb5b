/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * PMUv3: the model, its parameters for the choices of an implementation, and the states of the core
 * that it depends on. <pmk/model.h> says how models are used. Host library only; a driver does not
 * include this.
 *
 * The model has three views: system registers (struct pmk_model_ops), AArch32 CP15, and the
 * memory-mapped debug interface. Sources as in <pmk/armv8.h>.
 */
#ifndef PMK_ARMV8_MODEL_H
#define PMK_ARMV8_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/armv8.h>
#include <pmk/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_ARMV8_MAX_EVENTS 31 /* event counters */

/*
 * The first half, up to the empty line, has choices of an implementation; their defaults are those
 * of the core (struct pmk_armv8_core). The second half has points that the documents leave open;
 * their defaults are our choice: false and 0 unless a comment says otherwise.
 */
struct pmk_armv8_params {
	uint8_t counters;    /* N: event counters, 0 … 31 */
	uint8_t version;     /* PMUVer: 1 PMUv3, 4 p1, 5 p4, 6 p5, 7 p7 */
	uint8_t armv7_pmu;   /* PMU of ARMv7: 1 PMUv1, 2 PMUv2, and `version` is then 0; 0: PMUv3 */
	uint8_t imp, idcode; /* PMCR.IMP, PMCR.IDCODE */
	uint32_t pmmir;	     /* value of PMMIR, which exists from PMUv3p4 on */
	/* The common events that the core has: PMCEID0, PMCEID1. The registers show only events
	 * that the model counts: those with a row in events.c whose signals the bus raises. */
	uint64_t pmceid[2];
	bool el2, el3;	 /* exception levels; both default to true, except that PMUv1 has no EL2 */
	bool secure_el2; /* FEAT_SEL2, and SCR_EL3.EEL2 = 1 */
	bool aarch64;	 /* the highest exception level uses AArch64; default true */
	/* True if some exception level can use AArch32; default true. If false, PMCR.LC is 1. */
	bool aarch32;

	/* Reset leaves this pattern in every field whose reset value is UNKNOWN. The default 0
	 * hides missing initialisation in software. */
	uint64_t poison;
	/* MDCR_EL3.SPME = 0 prohibits counting in Secure state only with PMUv3p7 (pseudocode of
	 * v9.4). By default it does so on all versions (the comment in that pseudocode, and later
	 * issues). */
	bool spme_needs_p7;
	/* With PMCR.FZO = 1, the flag of PMCCNTR (PMOVS.C) also freezes range 1, the event counters
	 * below MDCR_EL2.HPMN (pseudocode of v9.4). By default only the flags of event counters
	 * freeze them (register description, and pseudocode from DDI 0487L on). */
	bool freeze_on_cycles;
	/* PMCR.D divides even with LC = 1. */
	bool divide_long;
	/* BR_PRED counts the branches that were predicted correctly. By default it counts all
	 * branches that the predictor handles. */
	bool br_pred_right;
	/* PC_WRITE_RETIRED counts SVC and ISB, too. */
	bool pc_write_svc, pc_write_isb;
	/* PMXEVTYPER and PMXEVCNTR are UNDEFINED while PMSELR selects no counter. By default they
	 * are RAZ/WI. */
	bool select_undefined;
	/* CHAIN counts when the even counter is in range 1 (below MDCR_EL2.HPMN) and the odd one in
	 * range 2 (the others); default true. */
	bool chain_across;
	/* Counters count in standby (WFI, WFE). */
	bool count_in_standby;
	/* Memory-mapped view: there is a software lock, locked after reset; PMSWINC is there. Both
	 * default true. */
	bool software_lock, external_swinc;
};

/* States and pins of the core that the PMU sees, and the registers of EL2 and EL3 that control
 * it. After reset all are 0, except EL, which is 1, and MDCR_EL2, whose HPMN is N. */
enum pmk_armv8_input {
	/* Exception level of the code that follows: 0 … 3. Accesses with a privileged enum pmk_mode
	 * come from this level if it is 2 or 3, otherwise from EL1. */
	PMK_ARMV8_IN_EL,
	PMK_ARMV8_IN_SECURE,  /* 1: Secure state */
	PMK_ARMV8_IN_DEBUG,   /* 1: Debug state; nothing counts */
	PMK_ARMV8_IN_STANDBY, /* 1: in WFI or WFE */
	/* Value of MDCR_EL2: HPMN, TPMCR, TPM, HPME, HPMD, HCCD, HLP, HPMFZO. */
	PMK_ARMV8_IN_MDCR_EL2,
	PMK_ARMV8_IN_MDCR_EL3,	  /* value of MDCR_EL3: TPM, SPME, SCCD, MCCD, MPMX */
	PMK_ARMV8_IN_TGE,	  /* HCR_EL2.TGE: EL0 traps to EL2 instead of EL1 */
	PMK_ARMV8_IN_EL1_AARCH32, /* 1: EL1 uses AArch32 */
	PMK_ARMV8_IN_SUNIDEN,	  /* SDER(32_EL3).SUNIDEN: Secure EL0 under an AArch32 EL1 counts */
	/* 1: external debug permits counting where it would be prohibited. Leave it 0 for cores
	 * with FEAT_Debugv8p2, which do not have this override. */
	PMK_ARMV8_IN_SPNIDEN,
	PMK_ARMV8_IN_LOCKED_OUT, /* 1: the memory-mapped view answers with an error: core off, OS
				   * or double lock, MDCR_EL3.EPMAD */
	PMK_ARMV8_NINPUTS
};

/* Mistakes of the guest; bits of pmk_armv8_model.oddities. The model clears them only at reset. */
enum pmk_armv8_oddity {
	PMK_ARMV8_ODD_EVENT = 1 << 0,  /* selected an event this core does not have */
	PMK_ARMV8_ODD_CHAIN = 1 << 1,  /* CHAIN in an even counter, where it never counts */
	PMK_ARMV8_ODD_SELECT = 1 << 2, /* used PMXEV… while PMSELR selects no counter */
	PMK_ARMV8_ODD_DENIED = 1 << 3, /* made an access that traps or is UNDEFINED */
};

/* The exception that the last access with PMK_EUNDEF takes: its exception class `ec` (0x00
 * UNDEFINED, 0x18 trapped MSR or MRS, 0x03 MCR or MRC, 0x04 MCRR or MRRC; DDI 0487 D23, ESR_ELx),
 * and the exception level `el` that handles it. */
struct pmk_armv8_trap {
	uint8_t ec, el;
};

/* One event counter. */
struct pmk_armv8_event_counter {
	uint64_t count;	   /* the upper half is 0 before PMUv3p5 */
	uint64_t seen;	   /* sum of the totals of its signals at the last synchronisation */
	uint32_t type;	   /* PMEVTYPER */
	uint8_t signal[4]; /* the signals that it counts; PMK_SIG_NONE ends the list */
};

/* One PMU. It contains no pointers, so it may be copied, forked and shared. Users may only write
 * `oddities`; everything else goes through the registers and the inputs. */
struct pmk_armv8_model {
	struct pmk_armv8_params params;
	uint64_t input[PMK_ARMV8_NINPUTS];
	struct pmk_armv8_event_counter counter[PMK_ARMV8_MAX_EVENTS];
	uint64_t cycles;      /* PMCCNTR */
	uint64_t cycles_seen; /* cycle total at the last synchronisation */
	uint32_t ccfiltr;
	uint32_t pmcr; /* only the bits that keep the value written to them */
	uint32_t cnten, inten, ovs;
	uint32_t oddities;
	uint8_t phase; /* cycles since PMCCNTR's last step, while D divides */
	uint8_t selr, userenr;
	uint8_t id;  /* enum pmk_armv8_id */
	bool locked; /* software lock of the memory-mapped view */
	struct pmk_armv8_trap trap;
};

/* The PMU that counts for Cortex-M cores in emulation. Host only: no Cortex-M before the M55 has a
 * PMU. */
extern const struct pmk_pmu pmk_cortex_m;

/* The models, by enum pmk_armv8_id. */
#define PMK_ARMV8_NMODELS 12
extern const struct pmk_model_ops pmk_armv8_models[PMK_ARMV8_NMODELS + 1];

/* Returns the default parameters for a PMU of this family. */
struct pmk_armv8_params pmk_armv8_defaults(const struct pmk_pmu *pmu);

/* Do a power-on reset with these parameters. The reset of pmk_model_ops uses the defaults. */
void pmk_armv8_model_reset(struct pmk_armv8_model *m, const struct pmk_pmu *pmu,
			   const struct pmk_armv8_params *params, struct pmk_bus *bus);

/* Set an input. Events up to now are counted under the old value; call ask() again afterwards.
 * Bits of MDCR_EL2 and MDCR_EL3 that this version does not have read as 0. */
void pmk_armv8_model_input(struct pmk_armv8_model *m, struct pmk_bus *bus,
			   enum pmk_armv8_input input, uint64_t value);

/*
 * Access the AArch32 view: MRC and MCR p15, 0, <Rt>, CRn, CRm, opc2. Return PMK_EBADREG if the PMU
 * has no such register. A write to PMCCNTR or an event counter changes bits [31:0] and keeps the
 * others.
 */
int pmk_armv8_mrc(struct pmk_armv8_model *m, struct pmk_bus *bus, enum pmk_mode mode, unsigned crn,
		  unsigned crm, unsigned opc2, uint32_t *value);
int pmk_armv8_mcr(struct pmk_armv8_model *m, struct pmk_bus *bus, enum pmk_mode mode, unsigned crn,
		  unsigned crm, unsigned opc2, uint32_t value);
/* Access all of PMCCNTR: MRRC and MCRR p15, 0, <Rt>, <Rt2>, c9. */
int pmk_armv8_mrrc(struct pmk_armv8_model *m, struct pmk_bus *bus, enum pmk_mode mode,
		   uint64_t *value);
int pmk_armv8_mcrr(struct pmk_armv8_model *m, struct pmk_bus *bus, enum pmk_mode mode,
		   uint64_t value);

/*
 * Access the memory-mapped view: aligned words of the 4 KB block. It ignores PMUSERENR and the
 * traps, and shows all counters regardless of HPMN. Return PMK_EIO if the access gets an error
 * response, and PMK_EBADREG if it is unaligned or outside of the block. Words without a register
 * are RAZ/WI.
 */
int pmk_armv8_load(struct pmk_armv8_model *m, struct pmk_bus *bus, unsigned offset,
		   uint32_t *value);
int pmk_armv8_store(struct pmk_armv8_model *m, struct pmk_bus *bus, unsigned offset,
		    uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
