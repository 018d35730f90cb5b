// SPDX-License-Identifier: MIT
/* The event catalogue of the DWT's counters. Each counter has one event. */
#include "pmu/dwt/regs.h"

#define NARROW                                                                             \
	"8 bits without an overflow flag: exact if it is read at least every 255 cycles, " \
	"otherwise a lower bound"
#define EVENT(c, n, alias, sig, r, is_cycles, note, text)                                        \
	{                                                                                        \
		.code = (c), .name = n, .cores = 1, .signal = PMK_SIG_##sig,                     \
		.cycles = (is_cycles),                                                           \
		PMK_HOST(.aliases = alias, .ref = "DDI 0403E " r, .brief = text, .caveat = note) \
	}

/* clang-format off */
const struct pmk_event pmk_dwt_events[] = {
	EVENT(0x04, "cycles", "cyccnt cpu-cycles cpu_cycles", CYCLE, "C1.8.8", true, NULL,
	      "processor clock cycle"),
	EVENT(0x08, "base_overhead", "cpicnt", CPI_CYCLE, "C1.8.9", true, NARROW,
	      "cycle without an instruction, for a reason that no other counter covers"),
	EVENT(0x0C, "exception_overhead", "exccnt", EXC_CYCLE, "C1.8.10", true, NARROW,
	      "cycle of entering or leaving an exception"),
	EVENT(0x10, "sleep_cycles", "sleepcnt", SLEEP_CYCLE, "C1.8.11", true, NARROW,
	      "cycle in a power saving mode"),
	EVENT(0x14, "lsu_overhead", "lsucnt", LSU_CYCLE, "C1.8.12", true, NARROW,
	      "cycle of a load or store beyond its first"),
	EVENT(0x18, "folded_instructions", "foldcnt", FOLDED_INSN, "C1.8.13", false, NARROW,
	      "instruction that took no cycle"),
};
/* clang-format on */
