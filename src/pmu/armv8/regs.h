/* SPDX-License-Identifier: MIT */
/*
 * PMUv3: positions of fields, and addresses of registers. The driver, the model and the rows of
 * regs.c use these positions and share nothing else. <pmk/armv8.h> has drawings of PMCR and
 * PMEVTYPER.
 *
 * Source: DDI 0487, D23.5 (AArch64 registers), G8.4 (AArch32), I5.3 (memory-mapped). "p1" … "p9"
 * are the versions FEAT_PMUv3p1 … p9; a bit without such a mark exists since the first version.
 * Bits that a version or an extension has added are RES0 without it.
 */
#ifndef PMK_PMU_ARMV8_REGS_H
#define PMK_PMU_ARMV8_REGS_H

#include <stdint.h>

#include <pmk/armv8.h>
#include <pmk/bits.h>

/* clang-format off */

/* PMCR_EL0, DDI 0487 D23.5 */
#define PMCR_FZS     PMK_BIT(32)      /* freeze on a full profiling buffer      SPEv1p2   RW  */
#define PMCR_IMP     PMK_BITS(31, 24) /* implementer, 0x41 Arm                            RO  */
#define PMCR_IDCODE  PMK_BITS(23, 16) /* identification                                   RO  */
#define PMCR_N       PMK_BITS(15, 11) /* event counters; at EL1 and EL0 MDCR_EL2.HPMN     RO  */
#define PMCR_FZO     PMK_BIT(9)       /* freeze on overflow                     p7        RW  */
#define PMCR_LP      PMK_BIT(7)       /* event counters overflow at bit 63      p5        RW  */
#define PMCR_LC      PMK_BIT(6)       /* PMCCNTR overflows at bit 63                      RW  */
#define PMCR_DP      PMK_BIT(5)       /* PMCCNTR stops where events must not be counted   RW  */
#define PMCR_X       PMK_BIT(4)       /* export events to trace hardware                  RW  */
#define PMCR_D       PMK_BIT(3)       /* PMCCNTR every 64th cycle; only with LC = 0       RW  */
#define PMCR_C       PMK_BIT(2)       /* zero PMCCNTR                                     WO, RAZ */
#define PMCR_P       PMK_BIT(1)       /* zero the event counters                          WO, RAZ */
#define PMCR_E       PMK_BIT(0)       /* enable all counters                              RW  */

/*
 * PMCNTENSET/CLR, PMINTENSET/CLR and PMOVSSET/CLR have one bit per counter (DDI 0487 D23.5).
 * Writing 1 sets the bit (…SET) or clears it (…CLR); writing 0 has no effect. A read of …SET and of
 * …CLR returns the same value. PMSWINC has only P and is write-only.
 */
#define PMSET_F0     PMK_BIT(32)      /* instruction counter                    ICNTR         */
#define PMSET_C      PMK_BIT(31)      /* PMCCNTR                                              */
#define PMSET_P      PMK_BITS(30, 0)  /* bit n: PMEVCNTR<n>                                   */
#define PMSET_PN(n)  PMK_BIT(n)

/* PMSELR_EL0, DDI 0487 D23.5 */
#define PMSELR_SEL   PMK_BITS(4, 0)   /* counter that PMXEV… access; 31: PMCCFILTR        RW  */
#define PMSELR_CYCLES 31

/* PMEVTYPER<n>_EL0. Bits [31:20] are also those of PMCCFILTR_EL0, which has no MT. DDI 0487
 * D23.5 */
#define PMEVTYPER_TC       PMK_BITS(63, 61) /* threshold control                TH        RW  */
#define PMEVTYPER_TE       PMK_BIT(60)      /* threshold edge                   EDGE      RW  */
#define PMEVTYPER_SYNC     PMK_BIT(58)      /* synchronous exception            SEBEP     RW  */
#define PMEVTYPER_VS       PMK_BITS(57, 56) /* SVE mode filter                  SME       RW  */
#define PMEVTYPER_TLC      PMK_BITS(55, 54) /* threshold linking                TH2       RW  */
#define PMEVTYPER_TH       PMK_BITS(43, 32) /* threshold                        TH        RW  */
#define PMEVTYPER_P        PMK_BIT(31)      /* do not count at EL1                        RW  */
#define PMEVTYPER_U        PMK_BIT(30)      /* do not count at EL0                        RW  */
#define PMEVTYPER_NSK      PMK_BIT(29)      /* Non-secure EL1: counts if NSK = P  EL3     RW  */
#define PMEVTYPER_NSU      PMK_BIT(28)      /* Non-secure EL0: counts if NSU = U  EL3     RW  */
#define PMEVTYPER_NSH      PMK_BIT(27)      /* count at Non-secure EL2          EL2       RW  */
#define PMEVTYPER_M        PMK_BIT(26)      /* EL3: counts if M = P             EL3       RW  */
#define PMEVTYPER_MT       PMK_BIT(25)      /* events of all threads            MTPMU     RW  */
#define PMEVTYPER_SH       PMK_BIT(24)      /* Secure EL2: counts if SH != NSH  SEL2      RW  */
#define PMEVTYPER_T        PMK_BIT(23)      /* do not count in transactions     TME       RW  */
#define PMEVTYPER_RLK      PMK_BIT(22)      /* Realm EL1: counts if RLK = P     RME       RW  */
#define PMEVTYPER_RLU      PMK_BIT(21)      /* Realm EL0: counts if RLU = U     RME       RW  */
#define PMEVTYPER_RLH      PMK_BIT(20)      /* Realm EL2: counts if RLH != NSH  RME       RW  */
#define PMEVTYPER_EVTCOUNT PMK_BITS(15, 0)  /* event; [9:0] before p1                     RW  */
#define PMEVTYPER_EVTCOUNT_V3 PMK_BITS(9, 0)
#define PMEVTYPER_EVTCOUNT_V2 PMK_BITS(7, 0)

/* The filter: the bits that select at which levels to count. */
#define PMEVTYPER_FILTER   PMK_BITS(31, 20)
#define PMCCFILTR_FILTER   (PMEVTYPER_FILTER & ~PMEVTYPER_MT)

/* PMUSERENR_EL0, DDI 0487 D23.5: access rights of EL0. RO at EL0. */
#define PMUSERENR_TID  PMK_BIT(6)     /* trap reads of PMCEID                   p9        RW  */
#define PMUSERENR_IR   PMK_BIT(5)     /* instruction counter: writes ignored    ICNTR     RW  */
#define PMUSERENR_UEN  PMK_BIT(4)     /* access per counter (PMUACR_EL1)        p9        RW  */
#define PMUSERENR_ER   PMK_BIT(3)     /* read event counters, read and write PMSELR       RW  */
#define PMUSERENR_CR   PMK_BIT(2)     /* read PMCCNTR                                     RW  */
#define PMUSERENR_SW   PMK_BIT(1)     /* write PMSWINC                                    RW  */
#define PMUSERENR_EN   PMK_BIT(0)     /* read and write everything EL0 has a name for     RW  */

/* PMCEID<n>_EL0. Event e has bit e & 31 of the half that covers it. DDI 0487 D23.5 */
#define PMCEID_COMMON   PMK_BITS(31, 0)  /* PMCEID0: 0x0000-0x001F, PMCEID1: 0x0020-0x003F  RO */
#define PMCEID_EXTENDED PMK_BITS(63, 32) /* PMCEID0: 0x4000-0x401F, PMCEID1: 0x4020-0x403F  RO p1 */

/* PMMIR_EL1, p4, DDI 0487 D23.5 */
#define PMMIR_EDGE      PMK_BITS(27, 24) /* edge detection                      EDGE      RO  */
#define PMMIR_THWIDTH   PMK_BITS(23, 20) /* width of PMEVTYPER.TH               TH        RO  */
#define PMMIR_BUS_WIDTH PMK_BITS(19, 16) /* log2 of the bus width in bytes, plus 1        RO  */
#define PMMIR_BUS_SLOTS PMK_BITS(15, 8)  /* most BUS_ACCESS counts in a cycle             RO  */
#define PMMIR_SLOTS     PMK_BITS(7, 0)   /* most STALL_SLOT counts in a cycle             RO  */

/* PMCFGR, memory-mapped only, DDI 0487 I5.3 */
#define PMCFGR_N    PMK_BITS(7, 0)

/* ID_AA64DFR0_EL1, DDI 0487 D23.2: the fields about the PMU */
#define DFR0_HPMN0      PMK_BITS(63, 60) /* MDCR_EL2.HPMN may be 0                        RO  */
#define DFR0_MTPMU      PMK_BITS(51, 48) /* PMEVTYPER.MT                                  RO  */
#define DFR0_PMSS       PMK_BITS(19, 16) /* snapshot                                      RO  */
#define DFR0_PMUVER     PMK_BITS(11, 8)  /* version                                       RO  */

enum pmk_armv8_pmuver {
	PMUVER_NONE = 0, /* no PMU, or a PMU of ARMv7, which lacks this register */
	PMUVER_V3 = 1,
	PMUVER_V3P1 = 4,
	PMUVER_V3P4 = 5,
	PMUVER_V3P5 = 6,
	PMUVER_V3P7 = 7,
	PMUVER_V3P8 = 8,
	PMUVER_V3P9 = 9,
	PMUVER_IMPDEF = 15 /* another PMU, without these registers */
};

/*
 * The addresses of the registers. A row ALL(register, name, op0, op1, CRn, CRm, op2, offset) is a
 * register that exists in all three views. SYS(…) has no offset, because the register is not
 * memory-mapped. A64(…) has no offset either, and the register exists only in AArch64. op0 … op2
 * are those of MRS and MSR; AArch32 is MRC and MCR p15, 0, with the same CRn, CRm and op2. DDI 0487
 * D23.5, G8.4, I5.3.
 *
 * Some addresses have no row. PMCEID2 and PMCEID3, the upper halves of PMCEID0 and PMCEID1, are c9,
 * c14, 4 and 5 in AArch32 and at 0xE28 and 0xE2C in memory. MRRC and MCRR p15, 0, <Rt>, <Rt2>, c9
 * access all 64 bits of PMCCNTR.
 */
#define PMK_ARMV8_PLACES(ALL, SYS, A64) \
	ALL(PMCR,       "PMCR_EL0",        3, 3, 9, 12, 0, 0xE04) \
	ALL(PMCNTENSET, "PMCNTENSET_EL0",  3, 3, 9, 12, 1, 0xC00) \
	ALL(PMCNTENCLR, "PMCNTENCLR_EL0",  3, 3, 9, 12, 2, 0xC20) \
	ALL(PMOVSCLR,   "PMOVSCLR_EL0",    3, 3, 9, 12, 3, 0xC80) \
	ALL(PMSWINC,    "PMSWINC_EL0",     3, 3, 9, 12, 4, 0xCA0) \
	SYS(PMSELR,     "PMSELR_EL0",      3, 3, 9, 12, 5)        \
	ALL(PMCEID0,    "PMCEID0_EL0",     3, 3, 9, 12, 6, 0xE20) \
	ALL(PMCEID1,    "PMCEID1_EL0",     3, 3, 9, 12, 7, 0xE24) \
	ALL(PMCCNTR,    "PMCCNTR_EL0",     3, 3, 9, 13, 0, 0x0F8) \
	SYS(PMXEVTYPER, "PMXEVTYPER_EL0",  3, 3, 9, 13, 1)        \
	SYS(PMXEVCNTR,  "PMXEVCNTR_EL0",   3, 3, 9, 13, 2)        \
	SYS(PMUSERENR,  "PMUSERENR_EL0",   3, 3, 9, 14, 0)        \
	ALL(PMOVSSET,   "PMOVSSET_EL0",    3, 3, 9, 14, 3, 0xCC0) \
	ALL(PMINTENSET, "PMINTENSET_EL1",  3, 0, 9, 14, 1, 0xC40) \
	ALL(PMINTENCLR, "PMINTENCLR_EL1",  3, 0, 9, 14, 2, 0xC60) \
	ALL(PMMIR,      "PMMIR_EL1",       3, 0, 9, 14, 6, 0xE40) \
	ALL(PMCCFILTR,  "PMCCFILTR_EL0",   3, 3, 14, 15, 7, 0x47C) \
	A64(DFR0,       "ID_AA64DFR0_EL1", 3, 0, 0, 5, 0)

/* X(n, CRm of PMEVCNTR<n>, CRm of PMEVTYPER<n>, op2, offset of PMEVCNTR<n>, of PMEVTYPER<n>);
 * op0 and op1 are 3, CRn is 14. */
#define PMK_ARMV8_EACH_COUNTER(X) \
	X(0,  8, 12, 0, 0x000, 0x400)   X(1,  8, 12, 1, 0x008, 0x404)   \
	X(2,  8, 12, 2, 0x010, 0x408)   X(3,  8, 12, 3, 0x018, 0x40C)   \
	X(4,  8, 12, 4, 0x020, 0x410)   X(5,  8, 12, 5, 0x028, 0x414)   \
	X(6,  8, 12, 6, 0x030, 0x418)   X(7,  8, 12, 7, 0x038, 0x41C)   \
	X(8,  9, 13, 0, 0x040, 0x420)   X(9,  9, 13, 1, 0x048, 0x424)   \
	X(10, 9, 13, 2, 0x050, 0x428)   X(11, 9, 13, 3, 0x058, 0x42C)   \
	X(12, 9, 13, 4, 0x060, 0x430)   X(13, 9, 13, 5, 0x068, 0x434)   \
	X(14, 9, 13, 6, 0x070, 0x438)   X(15, 9, 13, 7, 0x078, 0x43C)   \
	X(16, 10, 14, 0, 0x080, 0x440)  X(17, 10, 14, 1, 0x088, 0x444)  \
	X(18, 10, 14, 2, 0x090, 0x448)  X(19, 10, 14, 3, 0x098, 0x44C)  \
	X(20, 10, 14, 4, 0x0A0, 0x450)  X(21, 10, 14, 5, 0x0A8, 0x454)  \
	X(22, 10, 14, 6, 0x0B0, 0x458)  X(23, 10, 14, 7, 0x0B8, 0x45C)  \
	X(24, 11, 15, 0, 0x0C0, 0x460)  X(25, 11, 15, 1, 0x0C8, 0x464)  \
	X(26, 11, 15, 2, 0x0D0, 0x468)  X(27, 11, 15, 3, 0x0D8, 0x46C)  \
	X(28, 11, 15, 4, 0x0E0, 0x470)  X(29, 11, 15, 5, 0x0E8, 0x474)  \
	X(30, 11, 15, 6, 0x0F0, 0x478)

/* Encodings as numbers: op0:op1:CRn:CRm:op2 as bits [20:5] of an MRS (DDI 0487 C5.2), and
 * CRn:CRm:opc2. */
#define PMK_ARMV8_SYSREG(op0, op1, crn, crm, op2) \
	((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))
#define PMK_ARMV8_CP15(crn, crm, opc2) ((crn) << 7 | (crm) << 3 | (opc2))
/* clang-format on */

/* Addresses of one register in the three views. */
#define PMK_ARMV8_NA 0xFFFF /* the register is not in this view */

struct pmk_armv8_place {
	uint16_t sysreg; /* PMK_ARMV8_SYSREG() */
	uint16_t cp15;	 /* PMK_ARMV8_CP15() */
	uint16_t offset; /* in the memory-mapped view */
};

extern const struct pmk_armv8_place pmk_armv8_places[PMK_ARMV8_NREGS];

/* Descriptions of the registers. The first table is for versions up to PMUv3p4, the second one for
 * PMUv3p5 and later. */
extern const struct pmk_reg_info pmk_armv8_regs[PMK_ARMV8_NREGS];
extern const struct pmk_reg_info pmk_armv8_p5_regs[PMK_ARMV8_NREGS];

/* Values that differ between cores: pmk_pmu.family points to a struct pmk_armv8_core. */
enum pmk_armv8_id {
	PMK_ARMV8_GENERIC,
	PMK_ARMV8_GENERIC_LONG,
	PMK_ARMV8_A53,
	PMK_ARMV8_A55,
	PMK_ARMV8_A57,
	PMK_ARMV8_A72,
	PMK_ARMV8_N1,
	PMK_ARMV8_A7,
	PMK_ARMV8_A15,
	PMK_ARMV8_A8,
	PMK_ARMV8_A9,
	PMK_ARMV8_NCORES
};

struct pmk_armv8_core {
	enum pmk_armv8_id id;
	uint8_t counters;   /* number of event counters: the value of PMCR.N without a hypervisor */
	uint8_t version;    /* enum pmk_armv8_pmuver */
	uint8_t armv7_pmu;  /* for ARMv7, 1: PMUv1, 2: PMUv2; 0: PMUv3 */
	bool long_counters; /* the driver sets PMCR.LP, so event counters have 64 bits */
	uint32_t pmcr;	    /* value of PMCR after reset: IMP, IDCODE, N */
	uint64_t pmceid[2];
};

/*
 * In the PMUs of ARMv7, PMCCNTR has 32 bits and event codes have 8. PMXEVTYPER and PMXEVCNTR access
 * the type and count of the counter in PMSELR. There are no registers with a counter's number in
 * their names, and no PMCCFILTR.
 */
static inline bool pmk_armv8_is_armv7(const struct pmk_armv8_core *core)
{
	return core->armv7_pmu != 0;
}

/*
 * True for PMUv1. It has no filters for events or cycles, so it counts at all levels. It has no
 * PMCEID, and no register that sets bits of PMOVSR.
 */
static inline bool pmk_armv8_is_v1(const struct pmk_armv8_core *core)
{
	return core->armv7_pmu == 1;
}

static inline const struct pmk_armv8_core *pmk_armv8_core(const struct pmk_pmu *pmu)
{
	return pmu->family;
}

/* Returns the bit of a counter (enum pmk_armv8_ctr) in the PMCNTEN, PMINTEN and PMOVS registers. */
static inline uint32_t pmk_armv8_counter_bit(unsigned counter)
{
	return counter == PMK_ARMV8_CTR_CYCLES ? (uint32_t)PMSET_C
					       : UINT32_C(1) << (counter - PMK_ARMV8_CTR_EVENT0);
}

/* The catalogue of the family, in code order. A code may have several rows, each for a group of
 * cores. */
extern const struct pmk_event pmk_armv8_events[];
/* The catalogue of PMUv1: events_v1.c. */
extern const struct pmk_event pmk_armv7_v1_events[];

extern const struct pmk_driver pmk_armv8_driver;

#endif
