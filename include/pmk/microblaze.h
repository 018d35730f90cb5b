/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * MicroBlaze with extended debug: up to 48 event counters and 7 latency counters.
 *
 * Sources: UG984   MicroBlaze Processor Reference Guide, "Performance Monitoring", debug registers
 *          PG115   MicroBlaze Debug Module v3.2, software access to debug registers
 *
 * The counters can only be accessed one after the other: every access to Control, Status, Data Read
 * and Data Write advances to the next item or counter (event counters before latency counters),
 * until Reset in the Command register returns to the first. Software reads a sample of all
 * counters, taken at one instant; it cannot read the counters themselves. The number of counters
 * and their width cannot be read, so they are configuration.
 *
 * 	PCCMDR    4      3      2     1       0
 * 	        ┌──────┬──────┬─────┬───────┬──────┐
 * 	        │Clear │Start │Stop │Sample │Reset │
 * 	        └──────┴──────┴─────┴───────┴──────┘
 *
 * The driver and the ports are freestanding. Another user of the same counters must not interrupt a
 * sequence of accesses (pmk_pmu.sequential), and a sequence continues from call to call. So use one
 * struct pmk_dev for the counters of a processor, and a lock around its calls.
 */
#ifndef PMK_MICROBLAZE_H
#define PMK_MICROBLAZE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C_DEBUG_EVENT_COUNTERS, C_DEBUG_LATENCY_COUNTERS: ranges as seen in public designs. */
#define PMK_MICROBLAZE_MAX_EVENTS    48
#define PMK_MICROBLAZE_MAX_LATENCIES 7

/* Register numbers of ports and models: UG984, debug registers. */
enum pmk_microblaze_reg {
	PMK_MICROBLAZE_PCCTRLR, /* Control,    8 bits, write: event of the selected counter */
	PMK_MICROBLAZE_PCCMDR,	/* Command,    5 bits, write */
	PMK_MICROBLAZE_PCSR,	/* Status,     2 bits, read */
	PMK_MICROBLAZE_PCDRR,	/* Data Read,  32 bits, read */
	PMK_MICROBLAZE_PCDWR,	/* Data Write, 32 bits, write */
	PMK_MICROBLAZE_NREGS
};

/* How the debug module accesses a register: its command, and the number of bits that it shifts
 * after the command, most significant bit first (UG984, debug registers). */
struct pmk_microblaze_access {
	uint8_t command, bits;
	bool write; /* true: write-only; false: read-only */
};

extern const struct pmk_microblaze_access pmk_microblaze_access[PMK_MICROBLAZE_NREGS];

/* The configuration with which the processor was built. */
struct pmk_microblaze_config {
	uint8_t events;	   /* C_DEBUG_EVENT_COUNTERS, 0 … 48 */
	uint8_t latencies; /* C_DEBUG_LATENCY_COUNTERS, 0 … 7 */
	uint8_t width;	   /* C_DEBUG_COUNTER_WIDTH, 32, 48 or 64 */
};

/* The PMU with the tools' default configuration: five event counters, one latency counter, 32 bits.
 * Counter numbers are the order of access: event counters from 0, then latency counters. */
extern const struct pmk_pmu pmk_microblaze;

/* A PMU of a processor that was built with another configuration. The caller owns it; it must
 * outlive its users and must not be moved. */
struct pmk_microblaze_pmu {
	struct pmk_pmu pmu;
	struct pmk_microblaze_config config;
	struct pmk_counter counter[PMK_MICROBLAZE_MAX_EVENTS + PMK_MICROBLAZE_MAX_LATENCIES];
};

/* Make a PMU with this configuration in *p; &p->pmu is then the PMU for other functions. Returns 0,
 * or PMK_ERANGE if a number is outside of the ranges in struct pmk_microblaze_config, or if there
 * are no counters. */
int pmk_microblaze_configure(struct pmk_microblaze_pmu *p, unsigned events, unsigned latencies,
			     unsigned width);

/*
 * The MicroBlaze Debug Module (MDM), memory-mapped: software access to debug registers (PG115),
 * C_DBG_REG_ACCESS = 1. For software on a processor that reaches its AXI interface, and for probes.
 *
 * The module has an access lock, so that JTAG and software do not access it at the same time. Each
 * access of the port takes this lock and releases it. Another user may take the lock between two
 * accesses, so measuring is impossible while a debugger uses the same counters.
 */
struct pmk_mdm {
	/* These make 32-bit accesses at byte offsets 0x10 (DBG_CTRL, DBG_STATUS), 0x14 (DBG_DATA)
	 * and 0x18 (DBG_LOCK). They return 0 or a negative enum pmk_error. An access to DBG_DATA
	 * lasts as long as the module shifts; there is nothing to poll. */
	int (*load)(void *ctx, unsigned offset, uint32_t *value);
	int (*store)(void *ctx, unsigned offset, uint32_t value);
	void *ctx;
	uint8_t ports;	   /* C_MB_DBG_PORTS, 1 … 32 */
	uint8_t processor; /* the processor to use, 0 … ports - 1 */
	/* How often to try for the access lock before PMK_EBUSY; not 0. docs/firmware.md says which
	 * number to choose. */
	uint32_t patience;
};

/* Fill `mdm` for the registers at address `base` and one processor. `base` must be mapped as Device
 * memory. */
void pmk_mdm_mmio(struct pmk_mdm *mdm, uintptr_t base);
/* Unlock the module and select the processor. Returns PMK_EBUSY if JTAG or another program holds
 * the access lock, and PMK_EINVAL if there is no such processor. After an error the module is
 * locked again. */
int pmk_mdm_open(struct pmk_mdm *mdm);
/* Release the module and lock it. */
int pmk_mdm_close(struct pmk_mdm *mdm);
/*
 * Returns a port to the counters. `mdm` must outlive it. Accesses return PMK_EBUSY if another user
 * holds the access lock, and PMK_EINVAL for reading a write-only register or writing a read-only
 * one. Other errors are those of `load` and `store`. A debugger may take the lock by force after
 * the port got it and before the port accesses DBG_DATA. In some versions of the module this access
 * then ends with a bus error; in the others software cannot detect that it has failed.
 */
struct pmk_port pmk_port_mdm(struct pmk_mdm *mdm);

/*
 * The debug module over JTAG. `scan` shifts `bits` bits through the data register of the USER
 * instruction that the MDM listens to, bit 0 of out[0] first, stores the bits that come out in in[]
 * in the same order (NULL: the caller does not need them), and passes Update-DR. `select` loads
 * BYPASS and then the USER instruction, whose code depends on the FPGA. No other instruction may be
 * loaded before the next `select`.
 */
struct pmk_mdm_jtag {
	int (*select)(void *ctx);
	int (*scan)(void *ctx, unsigned bits, const uint8_t *out, uint8_t *in);
	void *ctx;
	uint8_t ports, processor; /* as in struct pmk_mdm */
	bool lost;		  /* set by the port: a scan failed */
};

/* Select the USER instruction, then the MDM and the processor. Returns PMK_EINVAL if there is no
 * such processor. */
int pmk_mdm_jtag_open(struct pmk_mdm_jtag *jtag);
/*
 * Returns a port to the counters. `jtag` must outlive it. Scans of a command and of its data
 * alternate, so after a failed scan the port does not know which of the two comes next: every
 * access returns PMK_EIO until the port is opened again. Accesses return PMK_EINVAL for reading a
 * write-only register or writing a read-only one.
 */
struct pmk_port pmk_port_mdm_jtag(struct pmk_mdm_jtag *jtag);

/*
 * Event codes: UG984, "Performance Monitoring", table of events, which calls them E0 to E63. The
 * catalogue describes them: pmk_pmu_event_code(). Events from 57 on have a latency. A latency
 * counter accepts only these; an event counter counts how often they ended.
 */
enum pmk_microblaze_event {
	PMK_MICROBLAZE_INSN_EXECUTED = 0,
	PMK_MICROBLAZE_LOAD_WORD = 1,
	PMK_MICROBLAZE_LOAD_HALF = 2,
	PMK_MICROBLAZE_LOAD_BYTE = 3,
	PMK_MICROBLAZE_STORE_WORD = 4,
	PMK_MICROBLAZE_STORE_HALF = 5,
	PMK_MICROBLAZE_STORE_BYTE = 6,
	PMK_MICROBLAZE_BRANCH_UNCOND = 7,
	PMK_MICROBLAZE_BRANCH_COND_TAKEN = 8,
	PMK_MICROBLAZE_BRANCH_COND_NOT_TAKEN = 9,
	PMK_MICROBLAZE_ICACHE_REQUEST = 10,
	PMK_MICROBLAZE_ICACHE_HIT = 11,
	PMK_MICROBLAZE_DCACHE_READ_REQUEST = 12,
	PMK_MICROBLAZE_DCACHE_READ_HIT = 13,
	PMK_MICROBLAZE_DCACHE_WRITE_REQUEST = 14,
	PMK_MICROBLAZE_DCACHE_WRITE_HIT = 15,
	PMK_MICROBLAZE_LOAD_R1 = 16,
	PMK_MICROBLAZE_STORE_R1 = 17,
	PMK_MICROBLAZE_LOGICAL_OP = 18,
	PMK_MICROBLAZE_ARITH_OP = 19,
	PMK_MICROBLAZE_MUL_OP = 20,
	PMK_MICROBLAZE_BARREL_SHIFT_OP = 21,
	PMK_MICROBLAZE_SHIFT_OP = 22,
	PMK_MICROBLAZE_EXCEPTION_TAKEN = 23,
	PMK_MICROBLAZE_INTERRUPT = 24,
	PMK_MICROBLAZE_STALL_OF = 25,
	PMK_MICROBLAZE_STALL_EX = 26,
	PMK_MICROBLAZE_STALL_MEM = 27,
	PMK_MICROBLAZE_DIV_OP = 28,
	PMK_MICROBLAZE_FP_OP = 29,
	PMK_MICROBLAZE_CLOCK_CYCLES = 30,
	PMK_MICROBLAZE_IMM_OP = 31,
	PMK_MICROBLAZE_PATTERN_COMPARE_OP = 32,
	PMK_MICROBLAZE_SIGN_EXTEND_OP = 33,
	PMK_MICROBLAZE_ICACHE_INVALIDATE_OP = 34,
	PMK_MICROBLAZE_DCACHE_INVALIDATE_FLUSH_OP = 35,
	PMK_MICROBLAZE_MSR_OP = 36,
	PMK_MICROBLAZE_BRANCH_UNCOND_DELAY = 37,
	PMK_MICROBLAZE_BRANCH_COND_TAKEN_DELAY = 38,
	PMK_MICROBLAZE_BRANCH_COND_NOT_TAKEN_DELAY = 39,
	PMK_MICROBLAZE_DELAY_SLOT_NOP = 40,
	PMK_MICROBLAZE_LOAD_ANY = 41,
	PMK_MICROBLAZE_STORE_ANY = 42,
	PMK_MICROBLAZE_MMU_DATA_REQUEST = 43,
	PMK_MICROBLAZE_BRANCH_COND = 44,
	PMK_MICROBLAZE_BRANCH_ANY = 45,
	PMK_MICROBLAZE_DCACHE_REQUEST = 46,
	PMK_MICROBLAZE_DCACHE_HIT = 47,
	PMK_MICROBLAZE_MMU_EXCEPTION = 48,
	PMK_MICROBLAZE_MMU_INSN_EXCEPTION = 49,
	PMK_MICROBLAZE_MMU_DATA_EXCEPTION = 50,
	PMK_MICROBLAZE_STALL_ANY = 51,
	PMK_MICROBLAZE_BTC_HIT = 52,
	PMK_MICROBLAZE_MMU_INSN_REQUEST = 53,
	PMK_MICROBLAZE_ITLB_HIT = 54,
	PMK_MICROBLAZE_DTLB_HIT = 55,
	PMK_MICROBLAZE_UTLB_HIT = 56,
	PMK_MICROBLAZE_INTERRUPT_LATENCY = 57,
	PMK_MICROBLAZE_DCACHE_READ_LATENCY = 58,
	PMK_MICROBLAZE_DCACHE_WRITE_LATENCY = 59,
	PMK_MICROBLAZE_ICACHE_READ_LATENCY = 60,
	PMK_MICROBLAZE_MMU_LOOKUP_LATENCY = 61,
	PMK_MICROBLAZE_AXI_DP_READ_LATENCY = 62,
	PMK_MICROBLAZE_AXI_DP_WRITE_LATENCY = 63,
};

#ifdef __cplusplus
}
#endif

#endif
