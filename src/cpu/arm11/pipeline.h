/* SPDX-License-Identifier: MIT */
/*
 * The pipeline model: what a sequence of instructions costs when every access hits.
 *
 * Single issue, in order, scoreboarded, after ARM1176JZF-S TRM (DDI 0301H) chapters 16 and, for
 * the VFP11, 21; the rules and worked examples are restated in docs/arm11.md, section "Pipeline".
 * A sequence is timed once, when its block is translated. When it runs, only the sums are added,
 * and pmk_pipeline_edge() tells how long it waits for what the previous block left unfinished.
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
 * unit, for which a wait is no data stall. */
#define PMK_PIPE_PORT 15

/* What instructions of VFP wait for: S0 to S31, the flags, and two pipelines of the VFP11. A wait
 * for a pipeline is no data stall. */
enum {
	PMK_PIPE_VFP_FLAGS = 32,
	PMK_PIPE_VFP_FMAC,
	PMK_PIPE_VFP_DS, /* divide and square root */
	PMK_PIPE_VFP_PLACES
};

/* All of VFP, as one bit beside the registers of the core. */
#define PMK_PIPE_VFP (UINT64_C(1) << 16)

/* Set in pmk_pipe_slot.use of a load that no instruction of its block waits for. The lower bits are
 * then the registers that have the result at the end of the block. */
#define PMK_PIPE_OPEN 0x8000u

struct pmk_pipe_block {
	/* issue of the first instruction to issue of what follows; a branch that
	 * ends the block costs 0 here (folded): its cost is the predictor's */
	uint32_t cycles;
	uint32_t data_stall; /* of these, cycles waiting for an operand */
	uint16_t
		/* cycles between the last flag setting instruction and the end of the
		 * block, at most 15; 0 = it is the last but the branch */
		flag_distance;
	/* Both in cycles, plus one, so that "a cycle before the entry" (an early register of the
	 * first instruction) is 0. */
	uint8_t need[PMK_PIPE_REGS];	/* from the start, when the register must be available for
					 * normal use; PMK_PIPE_FAR = not read from outside */
	uint8_t residue[PMK_PIPE_REGS]; /* from the end, until the register is available for normal
					 * use; 0 = it was before, or is not written here */
	/* Instructions that are taken to cost a cycle, for want of anything known. */
	uint32_t untimed;
	/* Likewise, if it has instructions of VFP. */
	bool vfp;
	uint8_t vfp_need[PMK_PIPE_VFP_PLACES], vfp_residue[PMK_PIPE_VFP_PLACES];
};

/*
 * Time `n` instructions that run in sequence, all registers available at the start.
 * slots[] (n entries) and *out are filled. Of the core, vfp.length and vfp.stride are used.
 */
void pmk_pipeline_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots, struct pmk_pipe_block *out);

/* Cycles the second block waits at its entry for what the first has not finished. */
unsigned pmk_pipeline_edge(const uint8_t residue[PMK_PIPE_REGS], const uint8_t need[PMK_PIPE_REGS]);

/*
 * A quick answer to "does the second block wait at all": late & wants is 0 when it does not. Four
 * lanes of 16 registers; lane k holds the registers with residue > k in `late`, and those needed
 * by k in `wants`; the last lane takes all further needs together, so that its answer may be a
 * false yes. The third lane of the load-store unit is its last lane's, too: its place there is
 * PMK_PIPE_VFP_LATE, which is set in `late` if VFP leaves anything unfinished, and in `wants` of
 * all blocks.
 */
#define PMK_PIPE_VFP_LATE (UINT64_C(1) << (2 * 16 + PMK_PIPE_PORT))

void pmk_pipeline_lanes(const struct pmk_pipe_block *b, uint64_t *late, uint64_t *wants);

#endif
