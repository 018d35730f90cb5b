/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * Signals: the events, independent of a PMU, that producers raise and PMU models count.
 *
 * A signal has no event code and belongs to no PMU. For example, the signal L1D_MISS is event 0x0B
 * of an ARM1176 and part of event 0x03 of a PMUv3. A producer says which signals it raises
 * (pmk_bus.raised). If it does not raise the signal of an event, pmk reports the event as not
 * supported, and not as zero.
 *
 * PMK_SIGNALS lists all signals: X(name, exactness, text). PMK_SIG_NONE is 0, so that events may
 * omit the members `signal` and `signal2`. No producer raises it, and its total stays 0.
 *   EXACT     defined by the instruction stream only
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
	X(NONE,            EXACT,    "no signal: what is counted is not modelled") \
	X(CYCLE,           MODELLED, "processor clock cycle") \
	X(INSN,            EXACT,    "instruction executed, condition-failed ones included") \
	X(BRANCH,          EXACT,    "branch instruction executed, taken or not") \
	X(BRANCH_MISS,     MODELLED, "branch fetched on the wrong path, pipeline flushed") \
	X(PC_CHANGE,       EXACT,    "program counter changed by software without a mode change") \
	X(CALL_PUSH,       MODELLED, \
	  "call executed and its return address pushed on the return stack") \
	X(RET_POP,         MODELLED, "return executed and the return stack popped") \
	X(RET_PREDICTED,   MODELLED, "return executed and fetched from the popped address") \
	X(RET_MISS,        MODELLED, "predicted return went elsewhere") \
	X(L1I_MISS,        MODELLED, \
	  "instruction cache look-up missed, speculative ones included") \
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
	X(DATA_EXTERNAL,   MODELLED, \
	  "explicit external data access: linefill, uncached, written through") \
	X(WBUF_DRAIN,      EXACT, \
	  "write buffer drained by a barrier or a Strongly Ordered access") \
	X(IRQ_MASKED,      EXACT,    "cycle with IRQ disabled") \
	X(FIQ_MASKED,      EXACT,    "cycle with FIQ disabled") \
	X(ETMEXTOUT0,      EXACT,    "cycle with ETM output 0 asserted") \
	X(ETMEXTOUT1,      EXACT,    "cycle with ETM output 1 asserted") \
	X(LOAD,            EXACT,    "load instruction executed") \
	X(STORE,           EXACT,    "store instruction executed") \
	X(BR_IMM,          EXACT,    "immediate branch executed, taken or not") \
	X(BR_RETURN,       EXACT,    "procedure return executed") \
	X(BR_INDIRECT,     EXACT,    "indirect branch executed, returns included") \
	X(BR_PREDICTABLE,  EXACT,    "branch executed that the predictor handles") \
	X(UNALIGNED_LD,    EXACT,    "load whose address is not a multiple of its element size") \
	X(UNALIGNED_ST,    EXACT,    "store whose address is not a multiple of its element size") \
	X(MEM_READ,        MODELLED, \
	  "data read of the load-store unit, split ones counted by piece") \
	X(MEM_WRITE,       MODELLED, \
	  "data write of the load-store unit, split ones counted by piece") \
	X(L1D_LOOKUP,      MODELLED, "data cache look-up, one per width of its port") \
	X(L1D_LOOKUP_READ, MODELLED, "of L1D_LOOKUP: reads") \
	X(L1D_LOOKUP_WRITE, MODELLED, "of L1D_LOOKUP: writes") \
	X(LDREX,           EXACT,    "load exclusive executed") \
	X(STREX,           EXACT,    "store exclusive executed") \
	X(STREX_PASS,      EXACT,    "store exclusive that stored") \
	X(STREX_FAIL,      EXACT,    "store exclusive that did not store") \
	X(LD_ACQUIRE,      EXACT,    "load-acquire executed") \
	X(ST_RELEASE,      EXACT,    "store-release executed") \
	X(DP,              EXACT,    "integer data-processing instruction executed") \
	X(ASE,             EXACT,    "Advanced SIMD data-processing instruction executed") \
	X(VFP,             EXACT,    "scalar floating-point instruction executed") \
	X(CRYPTO,          EXACT,    "cryptographic instruction executed") \
	X(ISB,             EXACT,    "instruction synchronisation barrier executed") \
	X(DSB,             EXACT,    "data synchronisation barrier executed") \
	X(DMB,             EXACT,    "data memory barrier executed") \
	X(CID_WRITE,       EXACT,    "context ID register written") \
	X(TTBR_WRITE,      EXACT,    "translation table base register written") \
	X(EXC_TAKEN,       EXACT,    "exception taken") \
	X(EXC_RETURN,      EXACT,    "exception return executed") \
	X(EXC_UNDEF,       EXACT, \
	  "undefined instruction, trap or other synchronous exception taken") \
	X(EXC_SVC,         EXACT,    "supervisor call taken") \
	X(EXC_HVC,         EXACT,    "hypervisor call taken") \
	X(EXC_SMC,         EXACT,    "secure monitor call taken") \
	X(EXC_PABORT,      EXACT,    "instruction abort taken") \
	X(EXC_DABORT,      EXACT,    "data abort or system error taken") \
	X(EXC_IRQ,         EXACT,    "interrupt request (IRQ) taken") \
	X(EXC_FIQ,         EXACT,    "fast interrupt request (FIQ) taken") \
	X(L1I_ACCESS,      MODELLED, "instruction cache access by fetch") \
	X(L1I_TLB,         MODELLED, "instruction TLB look-up") \
	X(L1D_TLB_READ,    MODELLED, "data TLB look-up by a read") \
	X(L1D_TLB_WRITE,   MODELLED, "data TLB look-up by a write") \
	X(DTLB_MISS_READ,  MODELLED, "first-level data TLB missed by a read") \
	X(DTLB_MISS_WRITE, MODELLED, "first-level data TLB missed by a write") \
	X(ITLB_WALK,       MODELLED, "page table walk for an instruction fetch") \
	X(DTLB_WALK,       MODELLED, "page table walk for a data access") \
	X(L1D_ALLOC_WRITE, MODELLED, \
	  "line allocated in the data cache without a read from outside") \
	X(L2_READ,         MODELLED, "level 2 cache read: fill, fetch, walk") \
	X(L2_WRITE,        MODELLED, "level 2 cache write: write-back from level 1") \
	X(L2_MISS_READ,    MODELLED, "level 2 cache filled for a read") \
	X(L2_MISS_WRITE,   MODELLED, "level 2 cache filled for a write") \
	X(L2_EVICT,        MODELLED, "dirty line written back from level 2") \
	X(BUS_READ,        MODELLED, "beat read on the core's or cluster's bus") \
	X(BUS_WRITE,       MODELLED, "beat written on the core's or cluster's bus") \
	X(BACKEND_STALL,   MODELLED, "cycle in which nothing was issued because of the back end") \
	X(STALL,           MODELLED, "cycle in which nothing was issued") \
	X(SYSTEM_TICK,     EXACT,    "tick of the system counter") \
	X(LOAD_WORD,       EXACT,    "load of a word executed") \
	X(LOAD_HALF,       EXACT,    "load of a halfword executed") \
	X(LOAD_BYTE,       EXACT,    "load of a byte executed") \
	X(STORE_WORD,      EXACT,    "store of a word executed") \
	X(STORE_HALF,      EXACT,    "store of a halfword executed") \
	X(STORE_BYTE,      EXACT,    "store of a byte executed") \
	X(LOAD_SP,         EXACT,    "load that addresses through the stack pointer") \
	X(STORE_SP,        EXACT,    "store that addresses through the stack pointer") \
	X(BR_UNCOND,       EXACT,    "unconditional branch executed") \
	X(BR_TAKEN,        EXACT,    "conditional branch executed and taken") \
	X(BR_NOT_TAKEN,    EXACT,    "conditional branch executed and not taken") \
	X(BR_UNCOND_DELAY, EXACT,    "of BR_UNCOND: with a delay slot") \
	X(BR_TAKEN_DELAY,  EXACT,    "of BR_TAKEN: with a delay slot") \
	X(BR_NOT_TAKEN_DELAY, EXACT, "of BR_NOT_TAKEN: with a delay slot") \
	X(DELAY_NOP,       EXACT,    "no-operation executed in a delay slot") \
	X(LOGICAL,         EXACT,    "logical instruction executed") \
	X(ARITH,           EXACT,    "arithmetic instruction executed") \
	X(MUL,             EXACT,    "multiplication executed") \
	X(DIV,             EXACT,    "integer division executed") \
	X(BARREL_SHIFT,    EXACT,    "barrel shift executed") \
	X(SHIFT,           EXACT,    "shift by one bit executed") \
	X(IMM_PREFIX,      EXACT,    "immediate prefix executed") \
	X(PATTERN_COMPARE, EXACT,    "pattern compare executed") \
	X(SIGN_EXTEND,     EXACT,    "sign extension executed") \
	X(ICACHE_OP,       EXACT,    "instruction cache maintenance executed") \
	X(DCACHE_OP,       EXACT,    "data cache maintenance executed") \
	X(STATUS_OP,       EXACT,    "status register bits set or cleared") \
	X(EXC_HW,          EXACT,    "hardware exception taken: no interrupt, no break") \
	X(L1I_HIT,         MODELLED, "of L1I_ACCESS: hits") \
	X(L1D_CACHED_READ, MODELLED, "data read handed to the cache") \
	X(L1D_CACHED_READ_HIT, MODELLED, "of L1D_CACHED_READ: hits") \
	X(L1D_CACHED_WRITE, MODELLED, "data write handed to the cache") \
	X(L1D_CACHED_WRITE_HIT, MODELLED, "of L1D_CACHED_WRITE: hits") \
	X(BTC_HIT,         MODELLED, "branch or return found in the branch target cache") \
	X(OF_STALL,        MODELLED, "cycle in which operand fetch held the pipeline") \
	X(EX_STALL,        MODELLED, "cycle in which execution held the pipeline") \
	X(MEM_STALL,       MODELLED, "cycle in which memory held the pipeline") \
	X(ITLB_HIT,        MODELLED, "of L1I_TLB: hits") \
	X(DTLB_HIT,        MODELLED, "of L1D_TLB_READ and L1D_TLB_WRITE: hits") \
	X(UTLB_HIT,        MODELLED, "unified TLB hit after a miss in the first level") \
	X(MMU_EXC_INSN,    EXACT,    "MMU exception of an instruction fetch taken") \
	X(MMU_EXC_DATA,    EXACT,    "MMU exception of a data access taken") \
	X(MMU_LOOKUP,      MODELLED, "unified TLB looked up") \
	X(IRQ_ENTRY,       MODELLED, "interrupt input to first instruction of its vector") \
	X(PERIPHERAL_READ, MODELLED, "data read on the peripheral bus") \
	X(PERIPHERAL_WRITE, MODELLED, "data write on the peripheral bus") \
	X(L2CC_INSN_READ,  MODELLED, "instruction read request to the L2 cache controller") \
	X(L2CC_INSN_READ_HIT, MODELLED, "of L2CC_INSN_READ: hits") \
	X(L2CC_DATA_READ,  MODELLED, "data read request to the L2 cache controller") \
	X(L2CC_DATA_READ_HIT, MODELLED, "of L2CC_DATA_READ: hits") \
	X(L2CC_DATA_WRITE, MODELLED, \
	  "data write request to the L2 cache controller, not write-through") \
	X(L2CC_DATA_WRITE_HIT, MODELLED, "of L2CC_DATA_WRITE and L2CC_WT_WRITE: hits") \
	X(L2CC_WT_WRITE,   MODELLED, \
	  "write-through data write request to the L2 cache controller") \
	X(L2CC_WRITE_ALLOC, MODELLED, "line allocated in the L2 by a write") \
	X(L2CC_EVICT_HALF, MODELLED, "dirty half line evicted from the L2") \
	X(AHB_READ,        MODELLED, "AHB read transfer completed") \
	X(AHB_WRITE,       MODELLED, "AHB write transfer completed") \
	X(AHB_READ_UART,   MODELLED, "of AHB_READ: from a UART") \
	X(AHB_WRITE_UART,  MODELLED, "of AHB_WRITE: to a UART") \
	X(AHB_READ_SCI,    MODELLED, "of AHB_READ: from the smart card interface") \
	X(AHB_WRITE_SCI,   MODELLED, "of AHB_WRITE: to the smart card interface") \
	X(AHB_READ_SSP,    MODELLED, "of AHB_READ: from the synchronous serial port") \
	X(AHB_WRITE_SSP,   MODELLED, "of AHB_WRITE: to the synchronous serial port") \
	X(AHB_READ_APB_DMA, MODELLED, "of AHB_READ: via the APB bridge of DMA peripherals") \
	X(AHB_WRITE_APB_DMA, MODELLED, "of AHB_WRITE: via the APB bridge of DMA peripherals") \
	X(AHB_READ_APB_CORE, MODELLED, "of AHB_READ: via the APB bridge of core peripherals") \
	X(AHB_WRITE_APB_CORE, MODELLED, "of AHB_WRITE: via the APB bridge of core peripherals") \
	X(AHB_SINGLE,      MODELLED, "AHB burst SINGLE: first beat completed") \
	X(AHB_INCR,        MODELLED, "AHB burst INCR: first beat completed") \
	X(AHB_WRAP4,       MODELLED, "AHB burst WRAP4: first beat completed") \
	X(AHB_INCR4,       MODELLED, "AHB burst INCR4: first beat completed") \
	X(AHB_WRAP8,       MODELLED, "AHB burst WRAP8: first beat completed") \
	X(AHB_INCR8,       MODELLED, "AHB burst INCR8: first beat completed") \
	X(AHB_WRAP16,      MODELLED, "AHB burst WRAP16: first beat completed") \
	X(AHB_INCR16,      MODELLED, "AHB burst INCR16: first beat completed") \
	X(AHB_LINEFILL,    MODELLED, "of AHB_WRAP8: read of words, a cache line filled") \
	X(AHB_CASTOUT4,    MODELLED, "of AHB_INCR4: write that looks like a half line cast out") \
	X(AHB_CASTOUT4_ALIGNED, MODELLED, "of AHB_CASTOUT4: aligned to four words") \
	X(AHB_CASTOUT8,    MODELLED, "of AHB_INCR8: write that looks like a line cast out") \
	X(AHB_WALK_D,      MODELLED, "of AHB_SINGLE: read that looks like a D-side table walk") \
	X(AHB_WALK_I,      MODELLED, "of AHB_SINGLE: read that looks like an I-side table walk") \
	X(AHB_WAIT,        MODELLED, "AHB wait state, any beat and cause") \
	X(AHB_WAIT_FIRST_SLAVE, MODELLED, "of AHB_WAIT: on a first beat, because of the slave") \
	X(AHB_WAIT_FIRST_BUS, MODELLED, "of AHB_WAIT: on a first beat, because of the bus matrix") \
	X(AHB_WAIT_OVER,   MODELLED, "AHB transfer waited beyond the monitor's threshold") \
	X(GXI_WRITE,       MODELLED, "GXI write transfer completed") \
	X(GXI_READ,        MODELLED, "GXI read request completed") \
	X(GXI_WRITE_WAIT,  MODELLED, "cycle in which a GXI write request waited") \
	X(GXI_READ_WAIT,   MODELLED, "cycle in which a GXI read request waited") \
	X(GXI_DATA_WAIT,   MODELLED, "cycle in which pending GXI read data was waited for") \
	X(GXI_WRITE_OVER,  MODELLED, "GXI write request waited beyond the monitor's threshold") \
	X(GXI_READ_OVER,   MODELLED, "GXI read request waited beyond the monitor's threshold") \
	X(GXI_DATA_OVER,   MODELLED, "GXI read data waited beyond the monitor's threshold") \
	X(GXI_PAGE_2K,     MODELLED, "GXI transfer in another page of 2 KB than the one before") \
	X(GXI_PAGE_4K,     MODELLED, "GXI transfer in another page of 4 KB than the one before") \
	X(GXI_PAGE_8K,     MODELLED, "GXI transfer in another page of 8 KB than the one before") \
	X(GXI_PAGE_16K,    MODELLED, "GXI transfer in another page of 16 KB than the one before") \
	X(CPI_CYCLE,       MODELLED, "cycle without an instruction, none of the next three") \
	X(EXC_CYCLE,       MODELLED, "cycle of entering or leaving an exception") \
	X(SLEEP_CYCLE,     MODELLED, "cycle in a power saving mode") \
	X(LSU_CYCLE,       MODELLED, "cycle of a load or store beyond its first") \
	X(FOLDED_INSN,     MODELLED, "instruction that took no cycle") \
	X(BR_COND,         EXACT,    "conditional branch executed") \
	X(BR_COND_MISS,    MODELLED, "of BRANCH_MISS: the direction of a conditional branch") \
	X(BR_INDIRECT_MISS, MODELLED, \
	  "of BRANCH_MISS: the target of an indirect branch or a return") \
	X(BR_INDIRECT_WRONG, MODELLED, "of BR_INDIRECT_MISS: another target was predicted") \
	X(L1I_STALL,       MODELLED, \
	  "of FETCH_STALL: a line of the instruction cache was missing") \
	X(ITLB_STALL,      MODELLED, "of FETCH_STALL: the translation of a fetch was missing") \
	X(REFETCH_STALL,   MODELLED, "of FETCH_STALL: none of the two, as behind a misprediction") \
	X(INTERLOCK_STALL, MODELLED, \
	  "of BACKEND_STALL: an operand or unit was not ready, none of the next four") \
	X(ADDRESS_STALL,   MODELLED, "of BACKEND_STALL: a load or store waited for its address") \
	X(SIMD_STALL,      MODELLED, \
	  "of BACKEND_STALL: a SIMD or floating-point instruction waited") \
	X(LOAD_STALL,      MODELLED, "of BACKEND_STALL: the value of a load was missing") \
	X(STORE_STALL,     MODELLED, "of BACKEND_STALL: a store waited for the write buffer") \
	X(STORE_HELD,      MODELLED, "store that waited for the write buffer") \
	X(PREFETCH_FILL,   MODELLED, "line that the data prefetcher filled into the data cache") \
	X(PARITY_ERROR,    EXACT,    "RAM parity error (no producer raises it)")
/* clang-format on */

enum pmk_signal {
#define X(name, exactness, text) PMK_SIG_##name,
	PMK_SIGNALS(X)
#undef X
		PMK_NSIGNALS
};

/* Returns the name of a signal, "L1D_MISS" for PMK_SIG_L1D_MISS; NULL for a number that is no
 * signal. */
const char *pmk_signal_name(unsigned sig);
/* Returns one line of explanation; NULL for a number that is no signal. */
const char *pmk_signal_text(unsigned sig);
/* True if the signal depends only on the instruction stream. */
bool pmk_signal_exact(unsigned sig);

#ifdef __cplusplus
}
#endif

#endif
