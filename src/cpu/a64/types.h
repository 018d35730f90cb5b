/* SPDX-License-Identifier: MIT */
/* The members of parameters, blocks and running cores that only A64 cores have. */
#ifndef PMK_CPU_A64_TYPES_H
#define PMK_CPU_A64_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/isa.h>

#include "cpu/lsu.h"
#include "cpu/sdram.h"

/* The parameters that are not common members of struct pmk_core. keys.c describes each. */
struct pmk_core_a64 {
	uint64_t fetch_bytes;
	uint64_t l1d_bytes;
	uint64_t l2_on;
	uint64_t bus_bytes;
	uint64_t bp_history;
	uint64_t bp_indirect;
	uint64_t bp_indirect_history;
	uint64_t div_latency;
	uint64_t mul_latency;
	uint64_t mul_wide;
	uint64_t aes_round;
	uint64_t fp_add, fp_mul, fp_mac, fp_div, fp_div32;
	uint64_t simple_second;
	uint64_t issue_width;
	uint64_t integers, loads;
	uint64_t costs; /* enum pmk_a64_costs_of */
	uint64_t window;
	uint64_t taken, near, far, indirect;
	uint64_t forward, forward_part;
	uint64_t prefetch_streams;
	uint64_t prefetch_trigger;
	uint64_t prefetch_stride;
	uint64_t prefetch_lines;
	uint64_t prefetch_slots;
	uint64_t prefetch_step;
	uint64_t prefetch_lines2;
	uint64_t prefetch_pages;
	uint64_t prefetch_stores;
	uint64_t bus_line, bus_store, bus_write;
};

/*
 * Places that a later instruction may have to wait for: the registers, and the units that can be
 * busy for long.
 */
#define PMK_A64_PLACES (PMK_NREGS + 3)

struct pmk_block_a64 {
	/* Read at every execution. */
	uint64_t late, late2;	/* places that the block leaves unfinished */
	uint64_t wants, wants2; /* places that the block may have to wait for */
	uint32_t end;		/* enum pmk_a64_end */
	uint32_t counter;	/* the counter of the block's last branch: pmk_a64_counter_of() */
	/* Read only on slow paths. When places are needed, and how late they are: see a64.h. */
	uint8_t need[PMK_A64_PLACES], residue[PMK_A64_PLACES];
	uint8_t need_sum[PMK_NREGS]; /* `need` of values from multiply-accumulates */
	/* In system emulation the signal of the exception that the last instruction causes, or
	 * PMK_SIG_NONE. */
	uint8_t raises;
	uint64_t sums;		/* registers that hold the result of a multiply-accumulate */
	uint64_t address, simd; /* registers first needed for an address, or by SIMD */
	/* The dataflow of the block, for a core that executes out of order: window.h. */
	const struct pmk_a64_flow *flow;
};

struct pmk_a64;
struct pmk_a64_window;

struct pmk_cpu_a64 {
	struct pmk_a64 *tables; /* the other data of the core: see a64.h */
	uint64_t *fast;		/* points into `tables` */
	struct pmk_a64_window
		/* points into `tables`; NULL: the core executes in order, or without a clock */
		*window;
	uint64_t pending; /* registers whose load or division is under way, see `ready` */
	/*
	 * The access that is being reported in pieces. Without a clock it becomes 0 after the last
	 * piece, and piece_counts is the signal that counted the access, or PMK_SIG_NONE.
	 */
	uint64_t piece_of;
	uint8_t piece_counts;
	struct pmk_lsu lsu;
	struct pmk_sdram sdram;
	uint64_t bus_beats; /* beats of a line on the external bus */
	bool in_order;	    /* executes in order, and has a clock */
	/* Level 2 exists, the core has a clock, and level 2 has at most PMK_A64_MARKS ways and a
	 * replacement that ignores hits. */
	bool usual_level2;
	/* True if in_order and usual_level2 are true, the data cache is on and chooses ways without
	 * an order, requests can overlap, no line is prefetched only into level 2, and PRFM has
	 * requested no line yet. */
	bool usual_data;
	bool preloads;			/* PRFM has requested a line */
	uint64_t ready[PMK_A64_PLACES]; /* when pending registers will have their values */
	uint64_t loaded;		/* pending registers that a load will write */
};

#endif
