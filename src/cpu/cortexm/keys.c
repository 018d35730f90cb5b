// SPDX-License-Identifier: MIT
/*
 * The parameters of Cortex-M cores. The manuals give the cycles of instructions in one table each:
 * DDI 0432 (Cortex-M0) table 3-1, DDI 0484 (M0+) table 3-1, DDI 0337 (M3) table 3-1, DDI 0439 (M4)
 * tables 3-1 and 7-1. The defaults are those of a Cortex-M4.
 */
#include "cpu/cortexm/cortexm.h"

/* clang-format off */
const struct pmk_core_key pmk_cortexm_keys[] = {
	PMK_CORE_KEY(clock_hz, "clock", 700000000, 1000, 10000000000, 'n',
		"core clock in Hz; only used to convert cycles to seconds"),
	PMK_CORE_KEY(cortexm.refill,          "branch.refill", 1, 0, 20, 'n',
		"cycles for refilling the pipeline after a branch with a constant offset"),
	PMK_CORE_KEY(cortexm.refill_indirect, "branch.indirect", 2, 0, 20, 'n',
		"cycles for refilling the pipeline after a branch to an address in a register"),
	PMK_CORE_KEY(cortexm.refill_memory,   "branch.memory", 3, 0, 20, 'n',
		"cycles for refilling the pipeline after a branch to an address from memory"),
	PMK_CORE_KEY(cortexm.refill_unaligned, "branch.unaligned", 1, 0, 20, 'n',
		"additional cycles if the target is a 32-bit instruction that is not in one word"),
	PMK_CORE_KEY(cortexm.call,            "branch.call", 0, 0, 20, 'n',
		"additional cycles of BL"),
	PMK_CORE_KEY(cortexm.load,            "load.cycles", 2, 1, 100, 'n',
		"cycles of a load"),
	PMK_CORE_KEY(cortexm.load_pipelined,  "load.pipelined", 1, 0, 1, 'b',
		"a load or store directly after a load takes a cycle less, unless it needs the "
		"loaded value as address"),
	PMK_CORE_KEY(cortexm.load_update, "load.update", 1, 0, 1, 'b',
		"load.pipelined is also for loads that update their base register"),
	PMK_CORE_KEY(cortexm.load_address,    "load.address", 1, 0, 20, 'n',
		"cycles that a load or store waits if the instruction before it computes its "
		"address"),
	PMK_CORE_KEY(cortexm.store,           "store.cycles", 1, 1, 100, 'n',
		"cycles of a store"),
	PMK_CORE_KEY(cortexm.store_offset,    "store.offset", 2, 1, 100, 'n',
		"cycles of a store to an address with a register as offset"),
	PMK_CORE_KEY(cortexm.multiple,        "multiple.extra", 1, 0, 20, 'n',
		"cycles of LDM, STM, PUSH, POP, LDRD and STRD in addition to one for each word"),
	PMK_CORE_KEY(cortexm.multiple_pc,     "multiple.pc", 0, 0, 20, 'n',
		"additional cycles of POP and LDM with the PC"),
	PMK_CORE_KEY(cortexm.mul,             "op.mul", 1, 1, 64, 'n',
		"cycles of MUL and of the multiplications of 16 bits"),
	PMK_CORE_KEY(cortexm.mla,             "op.mla", 2, 1, 64, 'n',
		"cycles of MLA and MLS"),
	PMK_CORE_KEY(cortexm.mull,            "op.mull", 1, 1, 64, 'n',
		"cycles of UMULL and SMULL"),
	PMK_CORE_KEY(cortexm.mlal,            "op.mlal", 1, 1, 64, 'n',
		"cycles of UMLAL, SMLAL and UMAAL"),
	PMK_CORE_KEY(cortexm.div,             "op.div", 7, 1, 64, 'n',
		"cycles of a division: the mean, because operands are not seen"),
	PMK_CORE_KEY(cortexm.status,          "op.status", 2, 1, 20, 'n',
		"cycles of MRS, MSR and CPS"),
	PMK_CORE_KEY(cortexm.barrier,         "op.barrier", 1, 0, 20, 'n',
		"cycles of ISB, DSB and DMB in addition to one"),
	PMK_CORE_KEY(cortexm.fold_it,         "op.fold_it", 1, 0, 1, 'b',
		"IT after a 16-bit instruction takes no cycle"),
	PMK_CORE_KEY(cortexm.fp_mac,          "fp.mac", 3, 1, 64, 'n',
		"cycles of floating-point multiplications with accumulation"),
	PMK_CORE_KEY(cortexm.fp_div,          "fp.div", 14, 1, 64, 'n',
		"cycles of floating-point divisions and square roots"),
	PMK_CORE_KEY(cortexm.fp_wait,         "fp.wait", 1, 0, 20, 'n',
		"cycles that the next instruction waits for a floating-point result"),
	PMK_CORE_KEY(cortexm.exception_entry, "exception.entry", 12, 0, 100, 'n',
		"cycles from an exception to the first instruction of its handler"),
	PMK_CORE_KEY(cortexm.exception_exit,  "exception.exit", 12, 0, 100, 'n',
		"cycles from the end of a handler to the next instruction of the interrupted code"),
	PMK_CORE_KEY(cortexm.exception_tail,  "exception.tail", 6, 0, 100, 'n',
		"cycles from the end of a handler to the first instruction of the next one"),
	{ .key = NULL },
};
/* clang-format on */
