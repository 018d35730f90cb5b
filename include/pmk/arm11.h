/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The performance monitors of the ARM11 family: ARM1136J(F)-S, ARM1156T2(F)-S, ARM1176JZ(F)-S and
 * ARM11 MPCore.
 *
 * Sources: DAI 0195B  "ARM11 performance monitor unit", Application Note 195, issue B
 *          DDI 0211   ARM1136JF-S and ARM1136J-S TRM (issue K where one is named)
 *          DDI 0301H  ARM1176JZF-S TRM
 * The facts about the ARM11 MPCore (DDI 0360) are those on which Linux, OProfile and gator agree.
 *
 * Three 32-bit counters: CCNT counts cycles, PMN0 and PMN1 one event each. One bit starts all three
 * together, three cycles later (DDI 0211, PMNC). They wrap and continue. A wrap sets a flag, which
 * stays set until software writes 1 to it, and raises an interrupt line. Only such a write with E
 * set lowers the line (DAI 0195B §1).
 *
 * The PMNC word:
 *
 * 	 31  30  29  28  27      20 19      12  11  10   9   8   7   6   5   4   3   2   1   0
 * 	+---+---+---+---+----------+----------+---+---+---+---+---+---+---+---+---+---+---+---+
 * 	| - |FCC|FC1|FC0| EvtCount0| EvtCount1| X |CCR|CR1|CR0| - |ECC|EC1|EC0| D | C | P | E |
 * 	+---+---+---+---+----------+----------+---+---+---+---+---+---+---+---+---+---+---+---+
 * 	FCC, FC1, FC0 (enable of the FIQ output) exist only on the ARM1156 (DAI 0195B Table 1).
 *
 * 	EvtCount0/1  the event PMN0/PMN1 counts: enum pmk_arm11_event
 * 	X            drive the event bus EVNTBUS for trace hardware
 * 	CCR CR1 CR0  CCNT, PMN1, PMN0 overflowed; write 1 to clear
 * 	ECC EC1 EC0  interrupt when CCNT, PMN1, PMN0 overflows
 * 	D            CCNT counts every 64th cycle; PMN0 and PMN1 are not affected
 * 	C            writing 1 sets CCNT to zero. Its read value is not defined
 * 	P            writing 1 sets PMN0 and PMN1 to zero. Its read value is not defined
 * 	E            enable all three counters
 *
 * To count 1000 events until an interrupt, preload 2^32 - 1000 (DAI 0195B §1).
 */
#ifndef PMK_ARM11_H
#define PMK_ARM11_H

#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pmk_pmu pmk_arm1136_r0; /* ARM1136 r0px */
extern const struct pmk_pmu pmk_arm1136;    /* ARM1136 r1p0 and later */
extern const struct pmk_pmu pmk_arm1156;
extern const struct pmk_pmu pmk_arm1176;
extern const struct pmk_pmu pmk_arm11mpcore;

/* Register numbers, as passed to a port. */
enum pmk_arm11_reg {
	PMK_ARM11_PMNC,
	PMK_ARM11_CCNT,
	PMK_ARM11_PMN0,
	PMK_ARM11_PMN1,
	/* ARM1176 only: who may access the other registers (DDI 0301H §3.2.50). */
	PMK_ARM11_SUNAVCR,
	PMK_ARM11_NREGS
};

/* Counter numbers, as passed to a driver. */
enum pmk_arm11_ctr {
	PMK_ARM11_CTR_CCNT, /* counts only cycles */
	PMK_ARM11_CTR_PMN0,
	PMK_ARM11_CTR_PMN1,
	PMK_ARM11_NCTRS
};

/* Bits of PMNC that pmk_arm11_configure() sets. */
enum pmk_arm11_options {
	PMK_ARM11_DIVIDE = 1 << 3,    /* D: CCNT counts every 64th cycle */
	PMK_ARM11_EXPORT = 1 << 11,   /* X: EVNTBUS is driven */
	PMK_ARM11_FIQ_PMN0 = 1 << 28, /* FC0, FC1, FCC: FIQ at an overflow; ARM1156 only */
	PMK_ARM11_FIQ_PMN1 = 1 << 29,
	PMK_ARM11_FIQ_CCNT = 1 << 30
};

/*
 * Set D, X and the FIQ enables at once: those in `options` become 1, the others 0. They keep these
 * values until the next call, because the driver's reset() writes them again. If this function was
 * never called, reset() sets them to 0. Returns PMK_ENOTSUP if `options` has FIQ enables and this
 * core has none, and PMK_EINVAL if `options` has other bits.
 *
 * With PMK_ARM11_DIVIDE, read() and write() of CCNT use units of 64 cycles, and CCNT overflows
 * after 2^38 cycles. CCNT then does not count the event cpu_cycles: program() returns PMK_ENOCTR,
 * and targets count cpu_cycles on PMN0 or PMN1.
 */
int pmk_arm11_configure(struct pmk_dev *d, uint32_t options);

/* Bits of pmk_event.cores and pmk_pmu.core. */
enum pmk_arm11_cores {
	PMK_ARM11_IS_1136_R0 = 1 << 0,
	PMK_ARM11_IS_1136 = 1 << 1,
	PMK_ARM11_IS_1156 = 1 << 2,
	PMK_ARM11_IS_1176 = 1 << 3,
	PMK_ARM11_IS_MPCORE = 1 << 4
};

/*
 * The instructions that access the registers: MRC/MCR p15, 0, <Rd>, c15, c12, <op2> (DAI 0195B §2,
 * DDI 0211 PMNC, DDI 0301H §3.2.51-54), and c15, c9, 0 for the SUNAVCR (DDI 0301H §3.2.50). To
 * recognise one, compare the masked word; the condition is in [31:28] and Rd in [15:12]. 16-bit
 * Thumb has no encoding for them.
 */
#define PMK_ARM11_INSN_MASK   0x0FFF0FFFu
#define PMK_ARM11_MRC_PMNC    0x0E1F0F1Cu
#define PMK_ARM11_MCR_PMNC    0x0E0F0F1Cu
#define PMK_ARM11_MRC_CCNT    0x0E1F0F3Cu
#define PMK_ARM11_MCR_CCNT    0x0E0F0F3Cu
#define PMK_ARM11_MRC_PMN0    0x0E1F0F5Cu
#define PMK_ARM11_MCR_PMN0    0x0E0F0F5Cu
#define PMK_ARM11_MRC_PMN1    0x0E1F0F7Cu
#define PMK_ARM11_MCR_PMN1    0x0E0F0F7Cu
#define PMK_ARM11_MRC_SUNAVCR 0x0E1F0F19u
#define PMK_ARM11_MCR_SUNAVCR 0x0E0F0F19u

/*
 * Event codes of ARM1136, ARM1156 and ARM1176 (DAI 0195B Table 2, DDI 0211 Table 3.141, DDI 0301H
 * Table 3-137). The catalogue describes them: pmk_pmu_event_code().
 */
enum pmk_arm11_event {
	PMK_ARM11_ICACHE_MISS = 0x00,
	PMK_ARM11_IBUF_STALL = 0x01,
	PMK_ARM11_DDEP_STALL = 0x02,
	PMK_ARM11_ITLB_MISS = 0x03, /* not ARM1156 */
	PMK_ARM11_DTLB_MISS = 0x04, /* not ARM1156 */
	PMK_ARM11_BR_EXEC = 0x05,
	PMK_ARM11_BR_MISPREDICT = 0x06,
	PMK_ARM11_INSTR_EXEC = 0x07,
	PMK_ARM11_DCACHE_ACCESS_CACHEABLE = 0x09,
	PMK_ARM11_DCACHE_ACCESS = 0x0A,
	PMK_ARM11_DCACHE_MISS = 0x0B,
	PMK_ARM11_DCACHE_WBACK = 0x0C,
	PMK_ARM11_SW_PC_CHANGE = 0x0D,
	PMK_ARM11_MAIN_TLB_MISS = 0x0F, /* not ARM1156 */
	PMK_ARM11_EXPL_D_ACCESS = 0x10,
	PMK_ARM11_LSU_FULL_STALL = 0x11,
	PMK_ARM11_WBUF_DRAINED = 0x12,
	PMK_ARM11_FIQ_DISABLED_CYCLES = 0x13, /* ARM1156 */
	PMK_ARM11_IRQ_DISABLED_CYCLES = 0x14, /* ARM1156 */
	PMK_ARM11_ETMEXTOUT_0 = 0x20,
	PMK_ARM11_ETMEXTOUT_1 = 0x21,
	PMK_ARM11_ETMEXTOUT = 0x22,
	PMK_ARM11_PROC_CALL_EXEC = 0x23,	       /* ARM1176 */
	PMK_ARM11_PROC_RET_EXEC = 0x24,		       /* ARM1176 */
	PMK_ARM11_PROC_RET_EXEC_PRED = 0x25,	       /* ARM1176 */
	PMK_ARM11_PROC_RET_EXEC_PRED_INCORRECT = 0x26, /* ARM1176 */
	PMK_ARM11_ICACHE_TAG_PARITY_ERROR = 0x30,      /* 0x30 to 0x38: ARM1156 */
	PMK_ARM11_ICACHE_DATA_PARITY_ERROR = 0x31,
	PMK_ARM11_DCACHE_TAG_PARITY_ERROR = 0x32,
	PMK_ARM11_DCACHE_DATA_PARITY_ERROR = 0x33,
	PMK_ARM11_ITCM_ERROR = 0x34,
	PMK_ARM11_DTCM_ERROR = 0x35,
	PMK_ARM11_RET_STACK_POP = 0x36,
	PMK_ARM11_RET_STACK_MISPREDICT = 0x37,
	PMK_ARM11_DCACHE_DIRTY_PARITY_ERROR = 0x38,
	PMK_ARM11_CPU_CYCLES = 0xFF
};

/* Event codes of the ARM11 MPCore, numbered differently from 0x06 on. */
enum pmk_arm11mpcore_event {
	PMK_ARM11MPCORE_ICACHE_MISS = 0x00,
	PMK_ARM11MPCORE_IBUF_STALL = 0x01,
	PMK_ARM11MPCORE_DDEP_STALL = 0x02,
	PMK_ARM11MPCORE_ITLB_MISS = 0x03,
	PMK_ARM11MPCORE_DTLB_MISS = 0x04,
	PMK_ARM11MPCORE_BR_EXEC = 0x05,
	PMK_ARM11MPCORE_BR_NOTPREDICT = 0x06,
	PMK_ARM11MPCORE_BR_MISPREDICT = 0x07,
	PMK_ARM11MPCORE_INSTR_EXEC = 0x08,
	PMK_ARM11MPCORE_INSTR_FOLD_EXEC = 0x09,
	PMK_ARM11MPCORE_DCACHE_RDACCESS = 0x0A,
	PMK_ARM11MPCORE_DCACHE_RDMISS = 0x0B,
	PMK_ARM11MPCORE_DCACHE_WRACCESS = 0x0C,
	PMK_ARM11MPCORE_DCACHE_WRMISS = 0x0D,
	PMK_ARM11MPCORE_DCACHE_EVICTION = 0x0E,
	PMK_ARM11MPCORE_SW_PC_CHANGE = 0x0F,
	PMK_ARM11MPCORE_MAIN_TLB_MISS = 0x10,
	PMK_ARM11MPCORE_EXPL_MEM_ACCESS = 0x11,
	PMK_ARM11MPCORE_LSU_FULL_STALL = 0x12,
	PMK_ARM11MPCORE_WBUF_DRAINED = 0x13,
	PMK_ARM11MPCORE_WBUF_MERGE = 0x14,
	PMK_ARM11MPCORE_LSU_SAFE_MODE = 0x15,
	PMK_ARM11MPCORE_CPU_CYCLES = 0xFF
};

#ifdef __cplusplus
}
#endif

#endif
