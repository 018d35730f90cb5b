// SPDX-License-Identifier: MIT
/*
 * The PMU that counts for Cortex-M cores in emulation. Its events are those of the PMU that
 * Armv8.1-M defines (DDI 0553, "Performance Monitoring Extension"), as far as an emulated core
 * raises them, and some recommended events of Armv8-A. Only the Cortex-M55 and later cores have
 * such a PMU. Counters have 32 bits here (our choice; they have 16 in hardware), and the registers
 * are accessed like those of PMUv3. Only the host uses this PMU.
 */
#include <pmk/armv8_model.h>

#include "pmu/armv8/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define M	    "DDI 0553, Performance Monitoring Extension"
#define RECOMMENDED "DDI 0487 K3.1"
#define OURS	    "our choice: the offset of the DWT's counter, DDI 0403E C1.8"

/* All PMUs that use this catalogue have all of its events. */
#define CORES PMK_ARMV8_IS_GENERIC

#define EVENT(c, n, sig, r, text)                                                          \
	{                                                                                  \
		.code = (c), .name = n, .cores = CORES, .signal = PMK_SIG_##sig, .ref = r, \
		.brief = text                                                              \
	}
#define CYCLES(c, n, sig, r, text)                                                               \
	{                                                                                        \
		.code = (c), .name = n, .cores = CORES, .signal = PMK_SIG_##sig, .cycles = true, \
		.ref = r, .brief = text                                                          \
	}
#define NOT_MODELLED(c, n, r, text, why)                                                  \
	{                                                                                 \
		.code = (c), .name = n, .cores = CORES, .signal = PMK_SIG_NONE, .ref = r, \
		.brief = text, .unmodelled = why                                          \
	}

/* clang-format off */
static const struct pmk_event events[] = {
	EVENT(0x06, "ld_retired", LOAD, M, "load instructions executed"),
	EVENT(0x07, "st_retired", STORE, M, "store instructions executed"),
	{ .code = 0x08, .name = "inst_retired", .aliases = "instructions", .cores = CORES,
	  .signal = PMK_SIG_INSN, .ref = M, .brief = "instructions executed" },
	EVENT(0x09, "exc_taken", EXC_TAKEN, M, "exceptions taken"),
	EVENT(0x0A, "exc_return", EXC_RETURN, M, "returns from exceptions"),
	EVENT(0x0C, "pc_write_retired", PC_CHANGE, M, "branches taken"),
	EVENT(0x0D, "br_immed_retired", BR_IMM, M, "branches with a constant offset executed"),
	EVENT(0x0E, "br_return_retired", BR_RETURN, M, "function returns executed"),
	{ .code = 0x0F, .name = "unaligned_ldst_retired", .cores = CORES,
	  .signal = PMK_SIG_UNALIGNED_LD, .signal2 = PMK_SIG_UNALIGNED_ST, .ref = M,
	  .brief = "loads and stores whose address is not aligned" },
	{ .code = 0x11, .name = "cpu_cycles", .aliases = "cycles cpu-cycles", .cores = CORES,
	  .signal = PMK_SIG_CYCLE, .cycles = true, .ref = M, .brief = "processor clock cycles" },
	NOT_MODELLED(0x1E, "chain", M, "the even counter below has wrapped",
		     "counts only through the registers: the even counter below overflows"),
	{ .code = 0x21, .name = "br_retired", .aliases = "branches branch-instructions",
	  .cores = CORES, .signal = PMK_SIG_BRANCH, .ref = M, .brief = "branches executed" },
	EVENT(0x6C, "ldrex_spec", LDREX, RECOMMENDED, "exclusive loads executed"),
	EVENT(0x6F, "strex_spec", STREX, RECOMMENDED, "exclusive stores executed"),
	EVENT(0x73, "dp_spec", DP, RECOMMENDED, "integer data-processing instructions executed"),
	EVENT(0x75, "vfp_spec", VFP, RECOMMENDED, "floating-point instructions executed"),
	EVENT(0x7A, "br_indirect_spec", BR_INDIRECT, RECOMMENDED,
	      "branches to an address in a register or in memory executed"),
	EVENT(0x7C, "isb_spec", ISB, RECOMMENDED, "ISB executed"),
	EVENT(0x7D, "dsb_spec", DSB, RECOMMENDED, "DSB executed"),
	EVENT(0x7E, "dmb_spec", DMB, RECOMMENDED, "DMB executed"),
	EVENT(0x81, "exc_undef", EXC_UNDEF, RECOMMENDED, "faults taken"),
	EVENT(0x82, "exc_svc", EXC_SVC, RECOMMENDED, "supervisor calls taken"),
	EVENT(0x86, "exc_irq", EXC_IRQ, RECOMMENDED, "interrupts taken, SysTick included"),
	EVENT(0xD000, "br_cond_retired", BR_COND, "our choice",
	      "conditional branches executed, taken or not"),
	EVENT(0xD001, "mul_retired", MUL, "our choice", "multiplications executed"),
	EVENT(0xD002, "div_retired", DIV, "our choice", "divisions executed"),
	CYCLES(0xD008, "base_overhead", CPI_CYCLE, OURS,
	       "cycles without an instruction that are none of the other kinds"),
	CYCLES(0xD00C, "exception_overhead", EXC_CYCLE, OURS,
	       "cycles of entering or leaving an exception"),
	{ .code = 0xD010, .name = "sleep_cycles", .cores = CORES, .signal = PMK_SIG_NONE,
	  .cycles = true, .ref = OURS, .brief = "cycles in a power saving mode",
	  .unmodelled = "emulation does not show how long WFI and WFE wait" },
	CYCLES(0xD014, "lsu_overhead", LSU_CYCLE, OURS,
	       "cycles of loads and stores beyond their first"),
	EVENT(0xD018, "folded_instructions", FOLDED_INSN, OURS, "instructions that took no cycle"),
};

#define EVENT_COUNTER(n) \
	{ .name = "PMU_EVCNTR" #n, .width = 32, .fixed_code = -1 }

static const struct pmk_counter counters[] = {
	[PMK_ARMV8_CTR_CYCLES] = { .name = "PMU_CCNTR", .width = 64, .fixed_code = 0x11 },
	EVENT_COUNTER(0), EVENT_COUNTER(1), EVENT_COUNTER(2), EVENT_COUNTER(3), EVENT_COUNTER(4),
	EVENT_COUNTER(5), EVENT_COUNTER(6), EVENT_COUNTER(7), EVENT_COUNTER(8), EVENT_COUNTER(9),
	EVENT_COUNTER(10), EVENT_COUNTER(11), EVENT_COUNTER(12), EVENT_COUNTER(13),
	EVENT_COUNTER(14), EVENT_COUNTER(15), EVENT_COUNTER(16), EVENT_COUNTER(17),
	EVENT_COUNTER(18), EVENT_COUNTER(19), EVENT_COUNTER(20), EVENT_COUNTER(21),
	EVENT_COUNTER(22), EVENT_COUNTER(23), EVENT_COUNTER(24), EVENT_COUNTER(25),
	EVENT_COUNTER(26), EVENT_COUNTER(27), EVENT_COUNTER(28), EVENT_COUNTER(29),
	EVENT_COUNTER(30),
};

/* PMCEID has the common events of the list above. */
static const struct pmk_armv8_core core = {
	.id = (enum pmk_armv8_id)PMK_ARMV8_NCORES, .counters = 31, .version = PMUVER_V3P4,
	.pmcr = 0x4100F800, .pmceid = { 0x4002F7C0, 0x00000002 },
};
/* clang-format on */

const struct pmk_pmu pmk_cortex_m = {
	.name = "cortex-m",
	.driver = &pmk_armv8_driver,
	.events = events,
	.nevents = COUNT(events),
	.core = CORES,
	.counters = counters,
	.ncounters = COUNT(counters),
	.family = &core,
	PMK_HOST(.aliases = "cortex_m armv8_1m",
		 .brief = "Cortex-M cores in emulation: events as in Armv8.1-M's PMU",
		 .note = "of these cores only a Cortex-M55 or later has such a PMU, with counters "
			 "of 16 bits; pmk counts with it for all of them (our choice)",
		 .defaults = "cpu_cycles inst_retired ld_retired st_retired br_retired "
			     "pc_write_retired exc_taken",
		 .regs = pmk_armv8_p5_regs, .nregs = PMK_ARMV8_NREGS)
};
