/* SPDX-License-Identifier: MIT */
/*
 * Reaches a PMU at the end of a wire: its type, the way to reach it, and the related keys of --set.
 * `pmk stat` counts with it and `pmk doctor` examines it.
 */
#ifndef PMK_COUNT_WIRED_H
#define PMK_COUNT_WIRED_H

#include <pmk/microblaze.h>
#include <pmk/pmu.h>

#include "count/error.h"
#include "count/words.h"
#include "pmu/ahbmon/layout.h"
#include "producer/wire/wire.h"

/* How the registers of a PMU are reached. */
enum pmk_reach {
	PMK_REACH_CP15,	  /* processor instructions that a probe executes */
	PMK_REACH_MEMORY, /* loads and stores */
	PMK_REACH_MDM,	  /* JTAG scans through MicroBlaze's debug module */
	PMK_REACH_AXI,	  /* registers of the debug module, as words in memory */
};

/* Settings that --set can change. The keys are in wired.c. */
struct pmk_wired_settings {
	uint64_t base;	/* address of a block in memory */
	uint64_t imx31; /* true: the block has the offsets of the i.MX31 */
	uint64_t big_endian;
	uint64_t user, bypass; /* JTAG instructions */
	uint64_t irlen, tck_ns;
	uint64_t ports, processor;
	uint64_t events, latencies, width; /* configuration of MicroBlaze's counters */
	uint64_t patience_ms, turn_ms;
	bool has_base;
	char tap[64];
	/* Lengths of the instructions of the other TAPs in the chain, before and after the
	 * target's. */
	char before[64], after[64];
	char elf[256];	 /* the program on the target, for symbols */
	char node[256];	 /* node of the device tree that has the block's address */
	char sysfs[256]; /* directory in which the kernel describes this board's devices */
};

struct pmk_wired {
	struct pmk_wired_settings set;
	enum pmk_reach reach;
	const struct pmk_pmu *pmu;
	struct pmk_wire wire;
	struct pmk_port port;
	/* Private: the memory to which pmu and port point. */
	struct pmk_microblaze_pmu microblaze;
	struct pmk_ahbmon_layout_file layout;
	struct pmk_pmu monitor;
	struct pmk_wire_memory memory;
	struct pmk_port words;
	struct pmk_wire_tap tap;
	struct pmk_mdm_jtag jtag;
	struct pmk_mdm mdm;
	bool was_locked; /* the software lock of a PMUv3 was closed, and pmk opened it */
};

/* The value of -T, and its options. */
struct pmk_wired_request {
	const struct pmk_speaker *speaker;
	const char *where; /* HOST:PORT or FILE of -T */
	const char *pmu;   /* NULL: an ARM1176 */
	const struct pmk_words *overrides;
	const char *layout; /* the file of --layout, or NULL */
	const char *data;   /* the data directory */
};

/* Choose the PMU and how to reach it, without connecting. Returns 0 or a failure. */
int pmk_wired_choose(struct pmk_wired *w, const struct pmk_wired_request *r,
		     struct pmk_count_fault *f);
/* Connect. Returns 0 or a failure. Close it in either case. */
int pmk_wired_connect(struct pmk_wired *w, const struct pmk_speaker *speaker, const char *where,
		      struct pmk_count_fault *f);
/* Find out how registers can be accessed, and create the port. The target is halted meanwhile, if
 * necessary. Returns 0 or a failure. */
int pmk_wired_reach(struct pmk_wired *w, struct pmk_count_fault *f);
/* Restore the PMU and the target, and close the wire. */
void pmk_wired_close(struct pmk_wired *w);
/* Returns the text of a failed access: from the wire, or for the error code. */
const char *pmk_wired_why(const struct pmk_wired *w, int err);

#endif
