/* SPDX-License-Identifier: MIT */
/*
 * What an emulator calls while code runs. Each family of cores makes these functions from its own
 * hot paths, one for each case that is known when a block is translated. So nothing has to be
 * decided again when the block runs. At translation the family chooses the function for a block and
 * for an access: see family.h, on_block and watch.
 *
 * An emulator passes its callbacks the number of a vCPU and no context, so the cores are in a
 * global table. One table is enough because each emulator is a process of its own.
 */
#ifndef PMK_CPU_CALLBACKS_H
#define PMK_CPU_CALLBACKS_H

#include "cpu/cpu.h"
#include "cpu/fault.h"
#include "cpu/sites.h"

#define PMK_MAX_VCPUS 4096

/* The running core of each vCPU, or NULL if there is none yet. */
extern struct pmk_cpu *pmk_cpus[PMK_MAX_VCPUS];

/* Called when a block is about to run. */
typedef void pmk_block_fn(unsigned vcpu, void *block);
/*
 * Called when an access has happened. `info` is the emulator's description of the access, `access`
 * is the word that the family packed for the instruction.
 */
typedef void pmk_access_fn(unsigned vcpu, uint32_t info, uint64_t addr, void *access);

/*
 * Describes when an access changes only pmk_cpu.access and one count, so that an emulator that can
 * check this by itself need not call back. Each look-up is in a table at an offset from the
 * family's tables. The index is the address with its lower 32 bits rotated right by `ror`, shifted
 * right by `shift` and masked. The look-up succeeds if (entry & entry_mask) == ((address &
 * addr_mask) >> addr_shift | value).
 */
struct pmk_lookup {
	int32_t offset;
	uint8_t size; /* bytes of an entry: 1, 4 or 8 */
	uint8_t ror, shift, addr_shift;
	/* All fit in 32 bits with sign; `value` fits in 31. */
	int64_t index_mask, entry_mask, addr_mask, value;
};

#define PMK_MAX_LOOKUPS 2

struct pmk_access_test {
	unsigned
		n; /* look-ups, which all have to succeed; 0: an access always makes a difference */
	struct pmk_lookup lookup[PMK_MAX_LOOKUPS];
	unsigned counts; /* the signal that every such access adds 1 to, or PMK_SIG_NONE */
};

/* Functions that the emulator's side provides; they are set before anything runs. */
struct pmk_emulator {
	/* True if the access is a store. */
	bool (*is_store)(uint32_t info);
	unsigned (*size_shift)(uint32_t info);
	/* The exception level of the core at the access; negative if the emulator does not report
	 * it. */
	int (*level)(uint32_t info);
	/* The exception level of the core now, when a block is about to start; negative if it is
	 * not known. NULL if the emulator never knows it. */
	int (*level_now)(unsigned vcpu);
	/* Cortex-M: the number of the exception whose handler runs now, or 0; *sp is the stack
	 * pointer and *lr the link register. Negative if it is not known. */
	int (*exception_now)(uint32_t *sp, uint32_t *lr);
	/* Called when levels are watched: the core leaves its level, or is known to be at another
	 * one. */
	void (*leave_level)(unsigned vcpu);
	void (*enter_level)(unsigned vcpu, unsigned level);
	/*
	 * Called when a block is about to start: at blocks where a region begins or ends
	 * (`boundary` is true), at every block while calls are followed, and possibly at other
	 * blocks, where the call has no effect. The function may set pmk_cpu.crossing.
	 */
	void (*follow)(unsigned vcpu, const struct pmk_block *block, bool boundary);
};
extern struct pmk_emulator pmk_emulator;

/* Close the level of the core, if it is open and the emulator reports the level. */
void pmk_level_settle(struct pmk_cpu *cpu);

/* Stores the present access for pmk_cpu.is_device, in system emulation. */
static inline void pmk_access_see(struct pmk_cpu *cpu, uint32_t info, uint64_t addr)
{
	cpu->seen = (struct pmk_access_seen){ info, addr };
}

/*
 * System emulation: the emulator may leave a block in the middle and continue with the rest as
 * another block, whose start it reports again. The rest has been counted already, so pmk remembers
 * it here until it starts. An interrupt may come before that and leave other blocks in the middle,
 * too, and an RTOS may then run other tasks. A rest may never have started when the run ends.
 */
#define PMK_MAX_RESTS 16
struct pmk_rests {
	unsigned n;
	struct pmk_rest {
		uint64_t pc;
		const struct pmk_block *of;
		uint64_t execution; /* which execution of the block this is */
		uint32_t path;	    /* the call path, if calls are followed */
	} rest[PMK_MAX_RESTS];
};
extern struct pmk_rests pmk_rests[PMK_MAX_VCPUS];

/*
 * Remember the rest of the running block, which is left in the middle for an access. The emulator
 * runs the access as a block by itself.
 */
void pmk_rest_expect(unsigned vcpu, const struct pmk_block *access);

/* True if the last block that ran has a rest that has not run yet. */
static inline bool pmk_rest_is_due(unsigned vcpu)
{
	const struct pmk_rests *r = &pmk_rests[vcpu];

	return r->n && r->rest[r->n - 1].of == pmk_cpus[vcpu]->prev;
}

/* Subtracts the counts of the rests that have not run. Called when the program has ended. */
void pmk_rest_never(unsigned vcpu);

/* The slow path of pmk_rest_is(), for a vCPU that has rests. */
PMK_SLOW bool pmk_rest_continues(unsigned vcpu, const struct pmk_block *block);

/* True if `block` is the rest of a block that was left. That block then continues, no matter what
 * ran in between. If several rests start at this block, the last one continues. */
static inline bool pmk_rest_is(unsigned vcpu, const struct pmk_block *block)
{
	return PMK_UNLIKELY(pmk_rests[vcpu].n) && pmk_rest_continues(vcpu, block);
}

/*
 * Prepares for the block of a handler, which is about to start. The block before it either was left
 * early, or has a rest that runs later and shows how the block ends.
 */
static inline void pmk_before_handler(struct pmk_cpu *cpu, const struct pmk_block *block)
{
	if (pmk_rest_is_due(cpu->index))
		cpu->prev = cpu->origin;
	else
		pmk_cpu_left_early(cpu, block);
}

/* The ways to start a block: plain; with the facts added at once, for totals that are read often;
 * while calls are followed; where a region begins or ends; while counts are booked by site
 * (sites.h). Each way has variants for system emulation and for the blocks of handlers, before
 * which another block may have been left early (fault.h). */
enum pmk_block_way {
	PMK_BLOCK_PLAIN,
	PMK_BLOCK_EAGER,
	PMK_BLOCK_FOLLOWED,
	PMK_BLOCK_BOUNDARY,
	PMK_BLOCK_BOOKED,
	PMK_BLOCK_NWAYS
};

/*
 * The functions that a family provides for starting blocks. The first four are for the ways that
 * are used most: they call the family's enter(cpu, block, crossing) through the inline functions
 * below. callbacks.c makes all other ways from these members.
 */
struct pmk_block_fns {
	pmk_block_fn *single; /* plain, in a program with one thread; NULL: only firmware runs */
	pmk_block_fn *plain;  /* plain, in any program and in system emulation */
	pmk_block_fn *eager;
	pmk_block_fn *booked; /* plain, if pmk_cpu.sites is NULL */
	/* Called first if the block may be that of a handler. */
	void (*handle)(struct pmk_cpu *cpu, const struct pmk_block *block);
	/* Called first in system emulation. */
	void (*before)(struct pmk_cpu *cpu, const struct pmk_block *block);
};

/*
 * The function for the start of a block on this core. `single`: it runs a program with one thread,
 * whose vCPU has number 0, so the most frequent callbacks need not look up the core. `handler`: the
 * block may belong to the program's handler of a signal, or to an exception handler.
 */
pmk_block_fn *pmk_block_choose(const struct pmk_core *core, bool single, bool handler,
			       enum pmk_block_way way);

typedef void pmk_enter_fn(struct pmk_cpu *cpu, const struct pmk_block *block, bool crossing);
typedef void pmk_before_fn(struct pmk_cpu *cpu, const struct pmk_block *block);

/* The caller of these functions passes functions by their names, so that they become inline. */
PMK_INLINE void pmk_block_start_single(const struct pmk_block *block, pmk_enter_fn *enter)
{
	pmk_cpus[0]->access = 0;
	enter(pmk_cpus[0], block, false);
}

PMK_INLINE void pmk_block_start(unsigned vcpu, const struct pmk_block *block, pmk_before_fn *before,
				pmk_enter_fn *enter)
{
	if (pmk_rest_is(vcpu, block))
		return;
	before(pmk_cpus[vcpu], block);
	pmk_cpus[vcpu]->access = 0;
	enter(pmk_cpus[vcpu], block, false);
}

PMK_INLINE void pmk_block_start_eager(unsigned vcpu, const struct pmk_block *block,
				      pmk_enter_fn *enter)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	pmk_cpu_add_facts(cpu, &block->facts);
	cpu->access = 0;
	enter(cpu, block, cpu->crossing);
}

PMK_INLINE void pmk_block_start_booked(unsigned vcpu, const struct pmk_block *block,
				       pmk_enter_fn *enter)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	struct pmk_sites *s = cpu->sites;

	if (s)
		pmk_sites_leave(s, cpu, block);
	cpu->access = 0;
	enter(cpu, block, false);
	if (s)
		pmk_sites_entered(s, cpu);
}

/*
 * Called first when only fetching is counted, if the block may be that of a handler. If a direct
 * branch seems to lead to the handler, a signal came before the branch was executed, and pmk did
 * not see where the branch would have gone.
 */
void pmk_fetch_handler(unsigned vcpu, void *block);

/* Does nothing: the `before` of families that have nothing to do before a block. */
static inline void pmk_block_as_it_is(struct pmk_cpu *cpu, const struct pmk_block *block)
{
	(void)cpu;
	(void)block;
}

/* Returns log2 of the bytes of an access, up to 8 bytes. */
static inline unsigned pmk_access_log2(unsigned bytes)
{
	return bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
}

#endif
