// SPDX-License-Identifier: MIT
/* RISC-V's counters, the CSR addresses of its registers, and the two PMUs. Freestanding. */
#include "pmu/riscv/events.c"
#include "pmu/riscv/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct pmk_counter counters[PMK_RISCV_NCTRS] = {
	{ .name = "mcycle", .width = 64, .fixed_code = PMK_RISCV_CYCLES },
	{ .name = "minstret", .width = 64, .fixed_code = PMK_RISCV_INSTRUCTIONS },
	{ .name = "mhpmcounter3", .width = 64, .fixed_code = -1 },
	{ .name = "mhpmcounter4", .width = 64, .fixed_code = -1 },
	{ .name = "mhpmcounter5", .width = 64, .fixed_code = -1 },
	{ .name = "mhpmcounter6", .width = 64, .fixed_code = -1 },
};

const uint16_t pmk_riscv_csrs[PMK_RISCV_NREGS] = {
	0xB00, 0xB02, 0xB03, 0xB04, 0xB05, 0xB06, /* mcycle, minstret, mhpmcounter3-6 */
	0x323, 0x324, 0x325, 0x326,               /* mhpmevent3-6 */
	0x320, 0x306,                             /* mcountinhibit, mcounteren */
	0xC00, 0xC02, 0xC03, 0xC04, 0xC05, 0xC06, /* cycle, instret, hpmcounter3-6 */
	0xB80, 0xB82, 0xB83, 0xB84, 0xB85, 0xB86, /* upper halves of the first six */
	0xC80, 0xC82, 0xC83, 0xC84, 0xC85, 0xC86, /* upper halves of their shadows */
};
/* clang-format on */

static const struct pmk_riscv_base rv64 = { .rv32 = false }, rv32 = { .rv32 = true };

#define NOTE                                                                                   \
	"four event counters, and the events of the SiFive U74, are our choice, because PRIV " \
	"leaves them open"
#define DEFAULTS                                                               \
	"cycles instructions conditional_branch_retired integer_load_retired " \
	"integer_store_retired icache_miss"

const struct pmk_pmu pmk_riscv64 = {
	.name = "riscv64",
	.driver = &pmk_riscv_driver,
	.events = pmk_riscv_events,
	.nevents = COUNT(pmk_riscv_events),
	.core = 1,
	.counters = counters,
	.ncounters = COUNT(counters),
	.no_flags = true,
	.family = &rv64,
	PMK_HOST(.aliases = "riscv rv64 riscv_hpm riscv_sifive_u74",
		 .brief = "RISC-V RV64 counters, events of the SiFive U74", .note = NOTE,
		 .defaults = DEFAULTS, .regs = pmk_riscv64_regs, .nregs = PMK_RISCV_NREGS64)
};

const struct pmk_pmu pmk_riscv32 = {
	.name = "riscv32",
	.driver = &pmk_riscv_driver,
	.events = pmk_riscv_events,
	.nevents = COUNT(pmk_riscv_events),
	.core = 1,
	.counters = counters,
	.ncounters = COUNT(counters),
	.no_flags = true,
	.family = &rv32,
	PMK_HOST(.aliases = "rv32", .brief = "RISC-V RV32 counters, events of the SiFive U74",
		 .note = NOTE, .defaults = DEFAULTS, .regs = pmk_riscv32_regs,
		 .nregs = PMK_RISCV_NREGS)
};
