/* SPDX-License-Identifier: MIT */
/*
 * A PMU at the end of a wire: which one it is, how it is reached, and what --set says of that.
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
	PMK_REACH_CP15,	  /* by instructions of the processor, which a probe gives it */
	PMK_REACH_MEMORY, /* loads and stores */
	PMK_REACH_MDM,	  /* JTAG scans through MicroBlaze's debug module */
	PMK_REACH_AXI,	  /* the debug module's registers, which are words in memory */
};

/* What --set can change; the keys are in wired.c. */
struct pmk_wired_settings {
	uint64_t base;	/* of a block in memory */
	uint64_t imx31; /* its offsets are those of the i.MX31 */
	uint64_t big_endian;
	uint64_t user, bypass; /* JTAG instructions */
	uint64_t irlen, tck_ns;
	uint64_t ports, processor;
	uint64_t events, latencies, width; /* of MicroBlaze's counters */
	uint64_t patience_ms, turn_ms;
	bool has_base;
	char tap[64];
	char before[64], after[64]; /* other TAPs of its chain: the lengths of their instructions */
	char elf[256];		    /* what runs on the target: its symbols */
	char node[256];		    /* of the device tree, which says where the block is */
	char sysfs[256];	    /* where the kernel tells of this board's devices */
};

struct pmk_wired {
	struct pmk_wired_settings set;
	enum pmk_reach reach;
	const struct pmk_pmu *pmu;
	struct pmk_wire wire;
	struct pmk_port port;
	/* private: what pmu and port are made of */
	struct pmk_microblaze_pmu microblaze;
	struct pmk_ahbmon_layout_file layout;
	struct pmk_pmu monitor;
	struct pmk_wire_memory memory;
	struct pmk_port words;
	struct pmk_wire_tap tap;
	struct pmk_mdm_jtag jtag;
	struct pmk_mdm mdm;
	bool was_locked; /* the software lock of a PMUv3 was closed, and pmk has opened it */
};

/* -T and what belongs to it. */
struct pmk_wired_request {
	const struct pmk_speaker *speaker;
	const char *where; /* its HOST:PORT or FILE */
	const char *pmu;   /* NULL: an ARM1176 */
	const struct pmk_words *overrides;
	const char *layout; /* the file of --layout, or NULL */
	const char *data;   /* the data directory */
};

/* Find out what is meant, without connecting. 0 or a failure. */
int pmk_wired_choose(struct pmk_wired *w, const struct pmk_wired_request *r,
		     struct pmk_count_fault *f);
/* Connect. 0 or a failure. Close it in any case. */
int pmk_wired_connect(struct pmk_wired *w, const struct pmk_speaker *speaker, const char *where,
		      struct pmk_count_fault *f);
/* Find out what accesses need, and make the port. The target is held then, if it has to be. 0 or a
 * failure. */
int pmk_wired_reach(struct pmk_wired *w, struct pmk_count_fault *f);
/* Leave the PMU and the target as they were found, and close the wire. */
void pmk_wired_close(struct pmk_wired *w);
/* The failure of an access: what the wire says, or what the error means. */
const char *pmk_wired_why(const struct pmk_wired *w, int err);

#endif
