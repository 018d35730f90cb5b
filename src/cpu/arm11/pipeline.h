/* SPDX-License-Identifier: MIT */
/*
 * The pipeline model: what a sequence of instructions costs when every access hits.
 *
 * Single issue, in order, scoreboarded, after ARM1176JZF-S TRM (DDI 0301H) chapters 16 and, for the
 * VFP11, 21; the rules and worked examples are restated in docs/arm11.md, section "Pipeline". A
 * sequence is timed once, when its block is translated. When it runs, only the sums are added, and
 * pmk_pipeline_edge() returns how long it waits for results that the previous block left
 * unfinished.
 */
#ifndef PMK_CPU_ARM11_PIPELINE_H
#define PMK_CPU_ARM11_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/isa.h>

struct pmk_core;
struct pmk_pipe_slot;

#define PMK_PIPE_REGS 16
/* No instruction waits for the PC, so its place in need[] and residue[] is used for the load-store
 * unit. Waiting for that unit is not a data stall. */
#define PMK_PIPE_PORT 15

/* What VFP instructions wait for: S0 to S31, the flags, and two pipelines of the VFP11. Waiting for
 * a pipeline is not a data stall. */
enum {
	PMK_PIPE_VFP_FLAGS = 32,
	PMK_PIPE_VFP_FMAC,
	PMK_PIPE_VFP_DS, /* divide and square root */
	PMK_PIPE_VFP_PLACES
};

/* One bit for all of VFP, in a set of the core's registers. */
#define PMK_PIPE_VFP (UINT64_C(1) << 16)

/* Set in pmk_pipe_slot.use of a load that no instruction of its block waits for. The lower bits are
 * then the registers that have the result at the end of the block. */
#define PMK_PIPE_OPEN 0x8000u

struct pmk_pipe_block {
	/* issue cycles from the first instruction to the first one after the block; a branch at the
	 * end costs 0 here (folded), because the predictor adds its cost */
	uint32_t cycles;
	uint32_t data_stall; /* the part of `cycles` that instructions wait for operands */
	uint16_t
		/* cycles between the last flag setting instruction and the end of the block, at
		 * most 15; 0: only the branch follows it */
		flag_distance;
	/*
	 * Both arrays are in cycles plus one, so that "a cycle before the entry" (a register that
	 * the first instruction needs early) is 0.
	 */
	uint8_t need[PMK_PIPE_REGS];	/* from the start, when the register must be available for
					 * normal use; PMK_PIPE_FAR = not read from outside */
	uint8_t residue[PMK_PIPE_REGS]; /* from the end, until the register is available for normal
					 * use; 0 = it was before, or is not written here */
	/* Instructions that are assumed to take one cycle, because no timing is known. */
	uint32_t untimed;
	/* need and residue of VFP's places, if the block has VFP instructions. */
	bool vfp;
	uint8_t vfp_need[PMK_PIPE_VFP_PLACES], vfp_residue[PMK_PIPE_VFP_PLACES];
};

/*
 * Time `n` instructions that run in sequence, all registers available at the start. slots[] (n
 * entries) and *out are filled. The only parameters of the core that matter are vfp.length and
 * vfp.stride.
 */
void pmk_pipeline_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots, struct pmk_pipe_block *out);

/* Returns how many cycles the second block waits at its entry for results of the first. */
unsigned pmk_pipeline_edge(const uint8_t residue[PMK_PIPE_REGS], const uint8_t need[PMK_PIPE_REGS]);

/*
 * A quick test of whether the second block waits at all: late & wants is 0 when it does not. There
 * are four lanes of 16 registers. Lane k holds the registers with residue > k in `late`, and those
 * needed by k in `wants`. The last lane takes all further needs together, so it may report a wait
 * that does not happen. The load-store unit's place in the third lane is used for
 * PMK_PIPE_VFP_LATE: it is set in `late` if VFP leaves anything unfinished, and in `wants` of all
 * blocks. The last lane takes over what the third lane would have for the unit.
 */
#define PMK_PIPE_VFP_LATE (UINT64_C(1) << (2 * 16 + PMK_PIPE_PORT))

void pmk_pipeline_lanes(const struct pmk_pipe_block *b, uint64_t *late, uint64_t *wants);

#endif
