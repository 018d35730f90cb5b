/* SPDX-License-Identifier: MIT */
/*
 * The clock of a core that executes out of order: Cortex-A72 and similar cores (issue.window).
 *
 * pmk does not step through cycles. When a block is translated, it computes the dataflow once, as
 * longest paths: from the values that the block gets from before, and from its entry into the
 * window, to each value that it produces. When the block runs, the time of each result is the
 * maximum over its sources of the time of the source plus the length of the path. So the core keeps
 * the time at which each register has its value, and blocks overlap unless they wait for each
 * other.
 *
 * - The front end delivers `issue.width` instructions a cycle, and is never more than
 *   `issue.window` instructions ahead of the oldest one that is not finished.
 * - Each execution port has a time until which it has work. A block waits for the ports that it
 *   uses; within the block, instructions take a port in program order.
 * - Instructions retire in order, `issue.width` a cycle; that is the clock.
 * - After a taken branch the front end delivers nothing for `fetch.taken` cycles, or `fetch.far`
 *   more if the branch is not one of the `fetch.near` recent ones in a buffer, or if it is a return
 *   or another indirect branch that goes elsewhere than last time. pmk looks a branch up until it
 *   has linked the steps of the two blocks (struct pmk_a64_step), and then keeps the answer.
 * - After a mispredicted branch the front end restarts when the branch is executed.
 * - A load that misses begins when its address is available. Results that depend on it are delayed
 *   along the block's paths, so misses overlap unless they wait for each other, or for a request
 *   slot.
 * - A load of what a store has just written has the value `forward.latency` cycles after the store
 *   began, if the code shows that the addresses are the same (forward.h).
 *
 * Times are ticks: signed 16-bit offsets from a base, so that eight are compared at once.
 *
 * Not modelled: that a load waits until the addresses of earlier stores are known; the sizes of the
 * issue queues; that a second load of a line under way waits for it; what is fetched and executed
 * beyond a mispredicted branch.
 */
#ifndef PMK_CPU_A64_WINDOW_H
#define PMK_CPU_A64_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/isa.h>

#include "cpu/a64/forward.h"
#include "cpu/cpu.h"

/* Ticks of a cycle; divisible by 2, 3 and 4. */
#define PMK_A64_TICKS 12

#define PMK_A64_LANES 8
typedef int16_t pmk_a64_lanes __attribute__((vector_size(2 * PMK_A64_LANES), may_alias));

/* Execution ports (UAN 0016A, 2.1). Equal ports are modelled as one, on which everything takes its
 * time divided by the number of ports. There are `issue.loads` ports for loads, and as many for
 * stores. */
enum pmk_a64_port {
	PMK_A64_PORT_BRANCH,
	PMK_A64_PORT_INTEGER, /* issue.integers of them */
	PMK_A64_PORT_MULTI,
	PMK_A64_PORT_FP, /* two */
	PMK_A64_PORT_FP0,
	PMK_A64_PORT_LOAD,
	PMK_A64_PORT_STORE,
	PMK_A64_PORT_FP1,
};

/* Indexes of pmk_a64_window.time after the registers. */
enum pmk_a64_timed {
	PMK_A64_FLAGS = PMK_NREGS,
	PMK_A64_FRONT,		      /* when the next instruction can enter the window */
	PMK_A64_RETIRED,	      /* when the last instruction in the window retires */
	PMK_A64_RESOLVED,	      /* when the last instruction of the block is executed */
	PMK_A64_NOWHERE,	      /* receives times that nothing reads */
	PMK_A64_SLOT = PMK_NREGS + 8, /* when a load can use what was stored in a slot: forward.h */
	/* The times until which the ports have work. */
	PMK_A64_PORTS = PMK_A64_SLOT + PMK_A64_SLOTS,
	/* The window is divided into parts, which form a ring. For each part: when the last block
	 * that has instructions in it retires. */
	PMK_A64_RING = PMK_A64_PORTS + PMK_A64_LANES,
	PMK_A64_TIMED = PMK_A64_RING + 16,
};

/* A path from a source or a load to the address of a load, or from the value of a load to a result.
 * `place` is the number of the source or load, or of the result's lane. */
struct pmk_a64_path {
	int16_t ticks;
	uint8_t load; /* `place` is a load; its time counts only if it missed */
	uint8_t place;
};

struct pmk_a64_load {
	uint16_t nfrom, nto;
	/* `nfrom` paths to its address, followed by `nto` paths from its value to lanes. */
	const struct pmk_a64_path *path;
};

/* The dataflow of a block, or of a piece of a block with long paths. Its parts follow it in
 * memory. */
struct pmk_a64_flow {
	_Alignas(16) pmk_a64_lanes busy; /* how long each port is busy */
	pmk_a64_lanes used;		 /* -1 for each port that is used */
	/* `dispatch` is the ticks in which all its instructions enter the window, or retire. */
	uint16_t ninsns, dispatch;
	uint8_t nsources; /* source 0 is the entry of the block into the window */
	uint8_t ngroups;  /* groups of eight results */
	uint8_t first_load;
	const uint8_t *source; /* indexes of sources 1 and up in `time` */
	const uint8_t *result; /* indexes of the lanes in `time`; RETIRED and RESOLVED come first */
	const pmk_a64_lanes *path;	 /* [group * nsources + source] */
	const struct pmk_a64_load *load; /* the loads of this piece, from number `first_load` on */
	const struct pmk_a64_flow *next; /* next piece of the same block, or NULL */
};

#define PMK_A64_MAX_SOURCES (PMK_NREGS + 2 + PMK_A64_SLOTS)
#define PMK_A64_MAX_NEAR    64	       /* maximum of fetch.near */
#define PMK_A64_MAX_LOADS   64	       /* most loads of a block; later ones share the last number */
#define PMK_A64_NO_LOAD	    UINT16_MAX /* the number of an instruction that loads nothing */
/* The largest size of a flow, in bytes. */
#define PMK_A64_MAX_FLOW    (1 << 17)

/*
 * Programs go through the same few thousand states again and again, so pmk remembers the states and
 * how each block changes them. The times in a state are relative to the front end; times that make
 * no difference are left out. While misses are under way, nothing is remembered.
 */
#define PMK_A64_STATES (1u << 14)
#define PMK_A64_STEPS  (1u << 15)

struct pmk_a64_state {
	_Alignas(16) int16_t time[PMK_A64_TIMED];
};

/*
 * How the block before was left. WRONG: its last branch was mispredicted. TAKEN: because of its
 * branch or something else, the next block does not follow it in memory. FAR: it was TAKEN, and the
 * buffer of `fetch.near` branches did not have its branch.
 */
#define PMK_A64_WRONG 1u
#define PMK_A64_TAKEN 2u
#define PMK_A64_FAR   4u
#define PMK_A64_WAYS  8u

#define PMK_A64_FROM_FAR 0x8000u

/* A step: in the state `from`, a block leads to the state `to`. */
struct pmk_a64_step {
	/* the block's number times PMK_A64_WAYS, plus WRONG and TAKEN of the block before it */
	uint32_t block;
	uint16_t from, to; /* `from`: plus PMK_A64_FROM_FAR if the block before was FAR */
	uint16_t advance;  /* ticks by which the front end advances */
	int16_t retired;   /* time of RETIRED in the new state */
	/*
	 * The step that followed last time, for each way to leave the block: by a branch or not,
	 * mispredicted or not.
	 */
	uint16_t then[4];
};

struct pmk_a64_window {
	/* Read and written at every block. */
	uint64_t front;		    /* the time of the front end, in ticks */
	uint64_t clock;		    /* the last retirement that was counted, in cycles */
	struct pmk_a64_step *steps; /* [PMK_A64_STEPS]; number 0 is none */
	const struct pmk_block *block;
	uint32_t last;	/* number of the step of `block`, or 0 */
	uint32_t state; /* number of the present state; 0: it is only in `time` */
	bool wrong;	/* the last branch was mispredicted */
	bool timed;	/* `time` and `source` belong to the running block */

	uint32_t wait;	/* cycles by which the front end is late */
	uint64_t until; /* until then, in ticks, a miss is under way */
	_Alignas(16) int16_t time[PMK_A64_TIMED];
	uint64_t base;	  /* the base of `time`, in ticks */
	uint32_t entered; /* instructions that have entered the window */
	uint32_t size, ring_shift, width;
	uint32_t taken, far; /* ticks without instructions after a taken branch */
	/*
	 * The buffer of `fetch.near` branches, whose targets the front end knows without delay: the
	 * low halves of the addresses after the branches, and of their last targets. `oldest` is
	 * the index of the oldest branch, which is replaced first.
	 */
	uint32_t near[PMK_A64_MAX_NEAR], near_target[PMK_A64_MAX_NEAR], nnear, oldest;
	const struct pmk_a64_flow *flow;     /* the last piece of the running block */
	int16_t source[PMK_A64_MAX_SOURCES]; /* when each source of `flow` has its value */
	int16_t load[PMK_A64_MAX_LOADS];     /* when the value of a load that missed is available */
	uint64_t missed;		     /* the loads that missed, one bit each */

	struct pmk_a64_state *states; /* [PMK_A64_STATES], from 1 on */
	uint32_t nstates, nsteps;
	uint16_t *state_at, *step_at; /* hash tables of the numbers of states and steps */
};

/* Writes the dataflow of a block of n > 0 instructions to `out`. Returns its size in bytes, at most
 * PMK_A64_MAX_FLOW. */
size_t pmk_a64_flow(const struct pmk_core *core, const struct pmk_insn *insn, size_t n, void *out);

/* Returns the ticks in which `n` instructions enter the window. */
uint32_t pmk_a64_enters(const struct pmk_core *core, size_t n);

/* Numbers the loads of a block. Stores each number in the `use` of the load's slot, for
 * pmk_a64_window_load(). */
void pmk_a64_number_loads(const struct pmk_insn *insn, size_t n, struct pmk_pipe_slot *slots);

/* Returns 0 or PMK_ENOMEM. */
int pmk_a64_window_init(struct pmk_a64_window *w, const struct pmk_core *core);
void pmk_a64_window_fini(struct pmk_a64_window *w);

/* Advance the clock to a time, in ticks. Returns by how much. */
static inline uint64_t pmk_a64_window_count(struct pmk_cpu *cpu, struct pmk_a64_window *w,
					    uint64_t ticks)
{
	uint64_t now = ticks / PMK_A64_TICKS, passed = now - w->clock;

	if (now <= w->clock)
		return 0;
	w->clock = now;
	cpu->cycles += passed;
	return passed;
}

static inline void pmk_a64_window_take(struct pmk_cpu *cpu, struct pmk_a64_window *w, uint32_t step)
{
	const struct pmk_a64_step *s = &w->steps[step];

	w->last = step;
	w->state = s->to;
	w->timed = false;
	w->front += s->advance;
	pmk_a64_window_count(cpu, w, w->front + (uint64_t)s->retired);
}

/* Called when the block `p` is followed by another step than last time. */
PMK_SLOW void pmk_a64_window_other_step(struct pmk_cpu *cpu, struct pmk_a64_window *w,
					const struct pmk_block *p, const struct pmk_block *b,
					uint32_t block, unsigned way);

/* Called when a block starts and it is known how the block before it ended. */
static inline void pmk_a64_window_step(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	struct pmk_a64_window *w = cpu->a64.window;
	const struct pmk_block *p = w->block;
	unsigned left = p && b->pc != p->fall, way = left + 2u * w->wrong;
	uint32_t block = b->id * PMK_A64_WAYS + w->wrong * PMK_A64_WRONG + left * PMK_A64_TAKEN;
	uint32_t step = w->steps[w->last].then[way];

	w->block = b;
	w->wrong = false;
	if (PMK_UNLIKELY(w->steps[step].block != block)) {
		pmk_a64_window_other_step(cpu, w, p, b, block, way);
		return;
	}
	pmk_a64_window_take(cpu, w, step);
}

/*
 * pmk_a64_window_fetch() makes the front end deliver nothing for `cycles` cycles.
 * pmk_a64_window_mispredict() restarts the front end when the last branch has been executed.
 */
void pmk_a64_window_fetch(struct pmk_cpu *cpu, uint64_t cycles);
void pmk_a64_window_mispredict(struct pmk_cpu *cpu);
/* Handles an unconditional branch at the end of the block `p` to the next instruction in memory. */
void pmk_a64_window_jump(struct pmk_cpu *cpu, const struct pmk_block *p);
/*
 * Delays the value of load number `load` of the running block. Translation takes `extra` cycles.
 * Then level 2 or memory takes `latency` cycles; `latency` is 0 if the load hits. The line does not
 * arrive before the time `arrives`.
 */
void pmk_a64_window_load(struct pmk_cpu *cpu, unsigned load, uint64_t latency, uint64_t extra,
			 uint64_t arrives);
/* Returns the cycle in which the next instruction enters. */
static inline uint64_t pmk_a64_window_front(const struct pmk_a64_window *w)
{
	return w->front / PMK_A64_TICKS;
}
void pmk_a64_window_store(struct pmk_cpu *cpu);
/*
 * Requests a line for a prefetch instruction. The emulator does not report PRFM, so pmk computes
 * its address from an access with the same base register. `load` is the number of that access, or
 * PMK_A64_NO_LOAD if it is not a load. A table walk takes `extra` cycles, and the line arrives
 * `latency` cycles later. Returns the time at which the line arrives, or 0 if the block of the
 * access is not the running one.
 */
uint64_t pmk_a64_window_preload(struct pmk_cpu *cpu, unsigned load, uint64_t latency,
				uint64_t extra);

#endif
