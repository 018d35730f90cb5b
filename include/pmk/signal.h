/* SPDX-License-Identifier: MIT */
/*
 * Signals: the neutral facts that producers raise and PMU models count.
 *
 * A signal has no event code and belongs to no PMU. "l1d_miss" is one signal; it is event 0x0B of
 * an ARM1176 and part of 0x03 on a PMUv3. A producer says which signals it raises (struct pmk_bus,
 * field `raised`); an event on a signal that nobody raises is not supported there, never zero.
 *
 * PMK_SIGNALS is the one list: X(name, exactness, text).
 *   EXACT     defined by the instruction stream alone
 *   MODELLED  depends on the core's parameters (caches, predictor, pipeline)
 */
#ifndef PMK_SIGNAL_H
#define PMK_SIGNAL_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
#define PMK_SIGNALS(X) \
	X(CYCLE,           MODELLED, "processor clock cycle") \
	X(INSN,            EXACT,    "instruction executed, condition-failed ones included") \
	X(BRANCH,          EXACT,    "branch instruction executed, taken or not") \
	X(BRANCH_MISS,     MODELLED, "branch fetched on the wrong path, pipeline flushed") \
	X(PC_CHANGE,       EXACT,    "program counter changed by software without a mode change") \
	X(CALL_PUSH,       MODELLED, "call executed and its return address pushed on the return stack") \
	X(RET_POP,         MODELLED, "return executed and the return stack popped") \
	X(RET_PREDICTED,   MODELLED, "return executed and fetched from the popped address") \
	X(RET_MISS,        MODELLED, "predicted return went elsewhere") \
	X(L1I_MISS,        MODELLED, "instruction cache look-up missed, speculative ones included") \
	X(L1I_FILL,        MODELLED, "instruction cache line fetched from outside") \
	X(FETCH_STALL,     MODELLED, "cycle in which issue wanted an instruction and had none") \
	X(DATA_STALL,      MODELLED, "cycle in which issue waited for an operand") \
	X(LSU_FULL_STALL,  MODELLED, "cycle in which a memory instruction waited for an LSU slot") \
	X(MICRO_ITLB_MISS, MODELLED, "instruction micro-TLB miss") \
	X(MICRO_DTLB_MISS, MODELLED, "data micro-TLB miss") \
	X(TLB_MISS,        MODELLED, "main TLB miss, page table walked") \
	X(L1D_ACCESS,      EXACT,    "non-sequential data access to a line, any memory type") \
	X(L1D_ACCESS_WB,   EXACT,    "non-sequential data access to a cacheable line") \
	X(L1D_READ,        EXACT,    "of L1D_ACCESS: reads") \
	X(L1D_WRITE,       EXACT,    "of L1D_ACCESS: writes") \
	X(L1D_READ_MISS,   MODELLED, "read that missed the data cache") \
	X(L1D_WRITE_MISS,  MODELLED, "write that missed the data cache") \
	X(L1D_MISS,        MODELLED, "read or write that missed the data cache") \
	X(L1D_EVICT,       MODELLED, "dirty line written back") \
	X(L1D_WB_HALF,     MODELLED, "half line (16 bytes) written back") \
	X(DATA_EXTERNAL,   MODELLED, "explicit external data access: linefill, uncached, written through") \
	X(WBUF_DRAIN,      EXACT,    "write buffer drained by a barrier or a Strongly Ordered access") \
	X(IRQ_MASKED,      EXACT,    "cycle with IRQ disabled") \
	X(FIQ_MASKED,      EXACT,    "cycle with FIQ disabled") \
	X(ETMEXTOUT0,      EXACT,    "cycle with ETM output 0 asserted") \
	X(ETMEXTOUT1,      EXACT,    "cycle with ETM output 1 asserted") \
	X(PARITY_ERROR,    EXACT,    "RAM parity error (no producer raises it)")
/* clang-format on */

enum pmk_signal {
#define X(name, exactness, text) PMK_SIG_##name,
	PMK_SIGNALS(X)
#undef X
		PMK_NSIGNALS,
	PMK_SIG_NONE = 255 /* an event that exists in silicon and has no signal: not modelled */
};

/* "L1D_MISS" for PMK_SIG_L1D_MISS; NULL for a number that is no signal. */
const char *pmk_signal_name(unsigned sig);
/* One line of explanation; NULL as above. */
const char *pmk_signal_text(unsigned sig);
/* True where the instruction stream alone defines the signal. */
bool pmk_signal_exact(unsigned sig);

#ifdef __cplusplus
}
#endif

#endif
