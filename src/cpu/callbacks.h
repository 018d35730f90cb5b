/* SPDX-License-Identifier: MIT */
/*
 * The functions that an emulator calls while code runs. Each family of cores makes them from its
 * own hot paths. There is one function for each combination of conditions that are known when a
 * block is translated, so the function does not test these conditions each time the block runs. At
 * translation, the family chooses the function for the start of a block (on_block in family.h) and
 * for each access (watch in family.h).
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
 * A look-up of struct pmk_access_test. It reads an entry of a table that begins `offset` bytes
 * after the family's tables (tables() in family.h). The index of the entry is the address with its
 * lower 32 bits rotated right by `ror`, shifted right by `shift` and masked with `index_mask`. The
 * look-up succeeds if (entry & entry_mask) == ((address & addr_mask) >> addr_shift | value).
 */
struct pmk_lookup {
	int32_t offset;
	uint8_t size; /* bytes of an entry: 1, 4 or 8 */
	uint8_t ror, shift, addr_shift;
	/* Each of these four numbers fits into 32 bits with sign; `value` even fits into 31
	 * bits. */
	int64_t index_mask, entry_mask, addr_mask, value;
};

#define PMK_MAX_LOOKUPS 2

/*
 * A test for accesses that change nothing except pmk_cpu.access and one count. An emulator that can
 * make the test itself need not call back for such accesses.
 */
struct pmk_access_test {
	/* Number of look-ups, which must all succeed. If it is 0, the emulator must call back for
	 * every access. */
	unsigned n;
	struct pmk_lookup lookup[PMK_MAX_LOOKUPS];
	unsigned counts; /* the signal that every such access adds 1 to, or PMK_SIG_NONE */
};

/* What an emulator shows of the exceptions of a Cortex-M. */
struct pmk_exception_now {
	uint32_t number; /* number of the exception whose handler runs; 0: none runs */
	uint32_t sp, lr; /* the stack pointer and the link register */
	bool thumb;	 /* bit T of EPSR: if it is not set, no instruction can be executed */
};

/* Functions that the emulator's side provides; they are set before anything runs. */
struct pmk_emulator {
	/* True if the access is a store. */
	bool (*is_store)(uint32_t info);
	/* Returns log2 of the size of the access in bytes. */
	unsigned (*size_shift)(uint32_t info);
	/* The exception level of the core at the access; negative if the emulator does not report
	 * it. */
	int (*level)(uint32_t info);
	/* The exception level of the core now, when a block is about to start; negative if it is
	 * not known. NULL if the emulator never knows it. */
	int (*level_now)(unsigned vcpu);
	/* Cortex-M: stores the present state in *now. Returns false if it is not known. */
	bool (*exception_now)(struct pmk_exception_now *now);
	/* Called if exception levels are watched: leave_level() when the core leaves its level,
	 * enter_level() when it is known to be at another level. */
	void (*leave_level)(unsigned vcpu);
	void (*enter_level)(unsigned vcpu, unsigned level);
	/*
	 * Called when a block is about to start: at blocks where a region begins or ends
	 * (`boundary` is true), at every block while calls are followed, and possibly at other
	 * blocks, where the call has no effect. follow() may set pmk_cpu.crossing.
	 */
	void (*follow)(unsigned vcpu, const struct pmk_block *block, bool boundary);
};
extern struct pmk_emulator pmk_emulator;

/* If the exception level is open (pmk_cpu.level in cpu.h), asks the emulator for the present level.
 * If the emulator knows it, the core enters that level. */
void pmk_level_settle(struct pmk_cpu *cpu);

/* Stores the present access, which pmk_cpu.is_device() reads. */
static inline void pmk_access_see(struct pmk_cpu *cpu, uint32_t info, uint64_t addr)
{
	cpu->seen = (struct pmk_access_seen){ info, addr };
}

/*
 * In system emulation, the emulator may leave a block in the middle and continue with the remaining
 * instructions as another block. It then reports the start of that block, too. These instructions,
 * the *rest*, were counted when the first block started, so pmk remembers them here until the rest
 * starts. An interrupt may come before that and leave other blocks in the middle, too, and an RTOS
 * may then run other tasks. At the end of a run there may be rests that have not started.
 */
#define PMK_MAX_RESTS 16
struct pmk_rests {
	unsigned n;
	struct pmk_rest {
		uint64_t pc;
		const struct pmk_block *of;
		uint64_t execution; /* which execution of `of`, the block that was left */
		uint32_t path;	    /* the call path, if calls are followed */
	} rest[PMK_MAX_RESTS];
};
extern struct pmk_rests pmk_rests[PMK_MAX_VCPUS];

/*
 * Remembers the rest of the running block. The emulator leaves that block in the middle and runs
 * the instruction that makes an access as the block `access`.
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

/* True if `block` is the rest of a block that was left. The block that was left then continues, no
 * matter what ran in between. If several rests start at this block, the last one continues. */
static inline bool pmk_rest_is(unsigned vcpu, const struct pmk_block *block)
{
	return PMK_UNLIKELY(pmk_rests[vcpu].n) && pmk_rest_continues(vcpu, block);
}

/*
 * Called when the block of a handler is about to start. If the previous block has a rest that has
 * not run, pmk accounts for the end of that block when the rest runs. Otherwise the previous block
 * may have been left early.
 */
static inline void pmk_before_handler(struct pmk_cpu *cpu, const struct pmk_block *block)
{
	if (pmk_rest_is_due(cpu->index))
		cpu->prev = cpu->origin;
	else
		pmk_cpu_left_early(cpu, block);
}

/* How a block is started. PLAIN is the usual way. EAGER adds the facts at once, for totals that are
 * read often. FOLLOWED is for blocks while calls are followed, BOUNDARY for blocks where a region
 * begins or ends. BOOKED is used while counts are booked by site (sites.h). Each way has variants
 * for system emulation and for the blocks of handlers, before which another block may have been
 * left early (fault.h). */
enum pmk_block_way {
	PMK_BLOCK_PLAIN,
	PMK_BLOCK_EAGER,
	PMK_BLOCK_FOLLOWED,
	PMK_BLOCK_BOUNDARY,
	PMK_BLOCK_BOOKED,
	PMK_BLOCK_NWAYS
};

/*
 * The functions that a family provides for starting blocks. The first four functions are for the
 * ways that are used most. They call the family's enter(cpu, block, crossing) through the inline
 * functions below. callbacks.c builds the functions for all other ways from the members of this
 * struct.
 */
struct pmk_block_fns {
	/* the plain way in a program with one thread; NULL: the family runs only firmware */
	pmk_block_fn *single;
	pmk_block_fn *plain; /* the plain way in any program and in system emulation */
	pmk_block_fn *eager;
	pmk_block_fn *booked; /* the plain way if pmk_cpu.sites is NULL, otherwise the booked way */
	/* Called before a block is counted, if the block may belong to a handler. */
	void (*handle)(struct pmk_cpu *cpu, const struct pmk_block *block);
	/* Called before any block is counted, in system emulation. */
	void (*before)(struct pmk_cpu *cpu, const struct pmk_block *block);
};

/*
 * Returns the function for the start of a block on this core. `single` means that the core runs a
 * program with one thread, whose vCPU has number 0; then the most frequent callbacks need not look
 * up the core. `handler` means that the block may belong to the program's handler of a signal, or
 * to an exception handler.
 */
pmk_block_fn *pmk_block_choose(const struct pmk_core *core, bool single, bool handler,
			       enum pmk_block_way way);

typedef void pmk_enter_fn(struct pmk_cpu *cpu, const struct pmk_block *block, bool crossing);
typedef void pmk_before_fn(struct pmk_cpu *cpu, const struct pmk_block *block);

/* Callers of the next four functions pass the names of functions as `enter` and `before`, so that
 * the compiler can inline these functions. */
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
 * Called before the block of a possible handler starts, when only fetching is counted. If the block
 * before it ends in a direct branch that does not lead to the handler, a signal came before the
 * branch was executed, and pmk does not know where the branch would have gone.
 */
void pmk_fetch_handler(unsigned vcpu, void *block);

/* Does nothing. Families that have nothing to do before a block use it as their `before`. */
static inline void pmk_block_as_it_is(struct pmk_cpu *cpu, const struct pmk_block *block)
{
	(void)cpu;
	(void)block;
}

/* Returns log2 of the size of an access in bytes, rounded down and at most 3. */
static inline unsigned pmk_access_log2(unsigned bytes)
{
	return bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
}

#endif
