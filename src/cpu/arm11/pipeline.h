/* SPDX-License-Identifier: MIT */
/*
 * The pipeline model: how many cycles a sequence of instructions takes when every access hits.
 *
 * The core issues one instruction at a time, in order, and uses a scoreboard. The sources are
 * ARM1176JZF-S TRM (DDI 0301H) chapter 16 and, for the VFP11, chapter 21. docs/arm11.md, section
 * "Pipeline", restates their rules and worked examples. A sequence is timed once, when its block is
 * translated. When the block runs, only sums are added, and pmk_pipeline_edge() returns how long
 * the block waits for results that the previous block left unfinished.
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

/* The bit that stands for all of VFP in a set of the core's registers. */
#define PMK_PIPE_VFP (UINT64_C(1) << 16)

/* Set in pmk_pipe_slot.use of a load if no instruction of its block waits for the loaded value. The
 * lower bits are then the set of registers that have the value at the end of the block. */
#define PMK_PIPE_OPEN 0x8000u

struct pmk_pipe_block {
	/* Cycles from the issue of the first instruction to the issue of the first one after the
	 * block. A branch at the end costs 0 cycles here, because the predictor adds its cost. */
	uint32_t cycles;
	uint32_t data_stall; /* the part of `cycles` in which instructions wait for operands */
	uint16_t
		/* cycles from the last instruction that sets the flags to the end of the block, at
		 * most 15; 0 if only the branch follows it */
		flag_distance;
	/*
	 * When the block needs each register, and when each of its results is available for normal
	 * use. The values are cycles plus one, because an instruction may need a register a cycle
	 * before its issue. If the first instruction of the block needs it then, need[] is 0.
	 */
	uint8_t need[PMK_PIPE_REGS];	/* from the start of the block, when the register must be
					 * available; PMK_PIPE_FAR: it need not be */
	uint8_t residue[PMK_PIPE_REGS]; /* from the end of the block, until the register is
					 * available; 0: it is earlier, or is not written */
	/* Number of instructions whose timing is not known. Each is assumed to take one cycle. */
	uint32_t untimed;
	/* need[] and residue[] for the places of VFP (PMK_PIPE_VFP_FLAGS and others). They are set
	 * only if `vfp` is true, which means that the block has VFP instructions. */
	bool vfp;
	uint8_t vfp_need[PMK_PIPE_VFP_PLACES], vfp_residue[PMK_PIPE_VFP_PLACES];
};

/*
 * Times `n` instructions that run in sequence, with all registers available at the start. Fills in
 * slots[], which has `n` entries, and *out. The only parameters of the core that matter are
 * vfp.length and vfp.stride.
 */
void pmk_pipeline_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots, struct pmk_pipe_block *out);

/* Returns how many cycles a block with need[] waits at its start for results of the previous block,
 * which left residue[]. */
unsigned pmk_pipeline_edge(const uint8_t residue[PMK_PIPE_REGS], const uint8_t need[PMK_PIPE_REGS]);

/*
 * pmk_pipeline_lanes() prepares a quick test of whether a block waits for the previous block. It
 * does not wait if (`late` of the previous block & `wants` of the block) is 0. Each of the two
 * words has four lanes of 16 bits, one bit per register. In lane k, `late` has the registers whose
 * residue[] is more than k, and `wants` has those whose need[] is at most k. In the last lane,
 * `wants` has all registers that the block needs, so the test may report a wait that does not
 * happen.
 *
 * The third lane has no bit for the load-store unit. That bit is PMK_PIPE_VFP_LATE: it is set in
 * `late` if the block leaves VFP results unfinished, and in `wants` of all blocks. In the last
 * lane, the bit of the load-store unit is set in `late` if residue[] is more than 2, as it would be
 * in the third lane.
 */
#define PMK_PIPE_VFP_LATE (UINT64_C(1) << (2 * 16 + PMK_PIPE_PORT))

void pmk_pipeline_lanes(const struct pmk_pipe_block *b, uint64_t *late, uint64_t *wants);

#endif
