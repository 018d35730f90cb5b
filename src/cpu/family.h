/* SPDX-License-Identifier: MIT */
/*
 * A family of cores: cores that run one instruction set with one kind of pipeline. All code that
 * knows about a family is in its folder. Other code uses the family through one const object, which
 * is chosen when a core is configured. families.h lists the families.
 *
 * Cores are in memory that two processes share, so a core stores the number of its family instead
 * of a pointer. The hot paths call none of these functions. Each family builds the hot paths into
 * its own callbacks.
 *
 * The object has a part for each kind of user, and families may share parts. All parts must be set.
 * Inside a part, a member may be NULL only if its comment says so. If a function is NULL, pmk
 * behaves as if it did nothing and returned 0, false or NULL. If a list is NULL, pmk behaves as if
 * it were empty.
 */
#ifndef PMK_CPU_FAMILY_H
#define PMK_CPU_FAMILY_H

#include "cpu/callbacks.h"
#include "cpu/cpu.h"
#include "cpu/decode.h"
#include "cpu/linux_abi.h"

/* The number of counters with which the PMU of a core was built, and their width in bits. */
struct pmk_core_counters {
	unsigned events, latencies, width;
};

/* The parameters of the family's cores: config.h. */
struct pmk_core_params {
	/* The rows, in the order in which they are listed. */
	const struct pmk_core_key *keys;
	/*
	 * Checks that the parameters fit together, after the row of each parameter has accepted its
	 * value.
	 */
	int (*check)(const struct pmk_core *core, char *msg, unsigned size);
	/* Called after a key was set, for side effects. May be NULL. */
	void (*was_set)(struct pmk_core *core, const char *key);
	/* Implements pmk_core_in_vain(). May be NULL. */
	const char *(*in_vain)(const struct pmk_core *core, const char *key);
	/* Stores the number of counters, if it is a parameter of the core. NULL if it is not. */
	void (*counters)(const struct pmk_core *core, struct pmk_core_counters *built);
};

/* How translated code is decoded (decode.h). */
struct pmk_core_decoder {
	/* Called once for each decoder; returns 0 or PMK_ENOMEM. May be NULL. */
	int (*init)(struct pmk_decoder *d);
	/* Decodes a sequence of n > 0 instructions. */
	void (*decode)(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		       struct pmk_insn *in);
	/* Bits of pmk_insn.kind of branches with a delay slot. */
	uint32_t delays;
	/* Bits of pmk_insn.kind for instructions that may fault although they make no access to
	 * memory that an emulator would report. */
	uint32_t traps;
	/* Bits of pmk_insn.kind for instructions that trap only sometimes. The emulator decides
	 * this at each execution, and may continue in the same translated code. A block ends after
	 * such an instruction, so that no counts must be taken back after a trap. */
	uint32_t may_trap;
	/* Bits of pmk_insn.kind for instructions that write a whole area of memory, around the
	 * address in register `rm`, and whose writes the emulator does not report. The plugin calls
	 * the function that watch() chose for each line of `line_bytes` bytes in this area. */
	uint32_t zeroes;
	unsigned line_bytes;
	/* Bits of a code address that encode the state (such as Thumb) in which the code runs. */
	uint64_t pc_flags;
	/* True if addresses have more than 32 bits. */
	bool wide_addresses;
	/* If emulators do not show the bytes of some instructions, pmk must read them from the
	 * emulator's memory. This member is then the size of every instruction; otherwise it is
	 * 0. */
	unsigned reads_memory;
};

/* How blocks are built from instructions: code.h. */
struct pmk_core_builder {
	/* Builds a block of `n` > 0 instructions: see pmk_block_build(). */
	void (*build)(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		      struct pmk_pipe_slot *slots, struct pmk_block *b);
	/* Returns the most bytes that a block may need for data that is not in struct pmk_block but
	 * that the hot paths read. May be NULL if there is no such data. */
	uint64_t (*keeps)(const struct pmk_core *core);
	/* Writes the additional data of a block at `out`, which is a multiple of 64. Returns its
	 * size, also a multiple of 64. NULL if keeps() is NULL. */
	size_t (*keep)(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       void *out, struct pmk_block *b);
	/* Returns the member of a block that has the number of the branch that ends it. Blocks that
	 * end in the same branch get the same number. NULL if the family does not number
	 * branches. */
	uint32_t *(*branch)(struct pmk_block *b);
};

/* What happens to the active handlers of exceptions: the first `keep` of them stay active, and if
 * `begins` is true, another handler starts. */
struct pmk_nesting {
	uint64_t keep;
	bool begins;
};

/* A running core: cpu.h. */
struct pmk_core_run {
	/* Sets up the family's own part of the core. `core` and the members that all families share
	 * are already set up, and all other members are 0. Returns 0 or PMK_ENOMEM. */
	int (*init)(struct pmk_cpu *cpu);
	/* Frees what init() allocated. */
	void (*fini)(struct pmk_cpu *cpu);
	/* Called before the clock and all counts restart at 0, in a process that was forked. */
	void (*forked)(struct pmk_cpu *cpu);
	/* Forgets which blocks need no fetching (pmk_executions.igen). */
	void (*forget)(struct pmk_cpu *cpu);
	/* For a PMU that counts on the buses around the core (producer/session/devchip.h): connects
	 * the core to `biu`, its interface to these buses in this process. NULL if the PMU counts
	 * signals of the core. */
	void (*attach)(struct pmk_cpu *cpu, struct pmk_biu *biu);
	/* True if the instruction that made the last access will make more accesses. NULL if no
	 * instruction makes more than one. */
	bool (*is_under_way)(const struct pmk_cpu *cpu);
	/*
	 * Called if the instruction for which is_under_way() was true makes no more accesses after
	 * all. NULL if is_under_way() is NULL.
	 */
	void (*drop)(struct pmk_cpu *cpu);
	/* For cores whose handlers are ordinary functions: returns which handlers are active when
	 * `b` starts after `p`. pmk calls it before the family's function for the start of a block
	 * counts `b`. If it is NULL, handlers run on the call path that they interrupt. */
	struct pmk_nesting (*nesting)(const struct pmk_cpu *cpu, const struct pmk_block *p,
				      const struct pmk_block *b);
	/* Called when the rest of the block `of` continues, possibly after a handler. May be
	 * NULL. */
	void (*resumed)(struct pmk_cpu *cpu, const struct pmk_block *of);
};

/* The functions that an emulator calls while code runs: callbacks.h. */
struct pmk_core_callbacks {
	/* Returns the functions for the start of a block. */
	const struct pmk_block_fns *(*on_block)(const struct pmk_core *core);
	/* The functions for the start of a block when pmk counts only signals of
	 * pmk_core_counts.fetch. The index is 1 if executions are counted, too. NULL if
	 * pmk_core_counts.fetch is NULL. */
	pmk_block_fn *const *on_fetch;
	/* Like on_fetch, but for the signals of pmk_core_counts.lines. NULL if
	 * pmk_core_counts.lines is NULL. */
	pmk_block_fn *const *on_lines;
	/* Returns the function for an access of an instruction, and stores its argument in *access.
	 * Returns NULL if the access changes no count. `single` has the same meaning as for
	 * pmk_block_choose(). */
	pmk_access_fn *(*watch)(const struct pmk_core *core, bool single, const struct pmk_insn *in,
				const struct pmk_block *b, const struct pmk_pipe_slot *pipe,
				uint64_t *access);
	/* The function for a prefetch instruction that requests a line near the access of another
	 * instruction. The lower half of its argument is the lower half of the word that watch()
	 * stored for the access (PMK_ACCESS_TO_END()), and the upper half is the distance in bytes.
	 * If it is NULL, prefetch instructions do nothing. */
	pmk_access_fn *preload;
	/* In user emulation: returns a test for accesses of the instruction that change nothing
	 * except pmk_cpu.access and one count. The test depends only on whether the access is a
	 * load or a store, and on its size. If it is NULL, the emulator must call back for every
	 * access. */
	struct pmk_access_test (*test)(const struct pmk_core *core, const struct pmk_insn *in);
	/* Returns the tables in which the test looks. NULL if test() is NULL. */
	void *(*tables)(const struct pmk_cpu *cpu);
	/* True if pmk watches no data access of `core`. If the member is NULL, pmk watches all data
	 * accesses. */
	bool (*is_blind)(const struct pmk_core *core);
};

/* System emulation: what pmk sees of exceptions and of switching parts of a core on and off. */
struct pmk_core_system {
	/* Returns the bits of enum pmk_entry for an exception vector at `pc`, or 0 if none is
	 * there. */
	unsigned (*vector)(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc);
	/* True if accesses show the exception level. */
	bool levels;
	/* True if the exception level is visible only because the owner knows the level of each
	 * block (PMK_ENTRY_LEVEL). */
	bool levels_of_blocks;
	/* The parts of the core that pmk sees firmware turn on and off (enum pmk_control); 0 if it
	 * does not see this. */
	unsigned control;
	/* The registers through which firmware turns these parts on and off. */
	enum pmk_control_by control_by;
	/* True if the core locks up after a fault in the handler of a fault: see
	 * pmk_lockup_begin(). */
	bool locks_up;
};

/* An emulator, named by what it emulates: "aarch64". */
struct pmk_core_target {
	const char *name;
	bool big_endian;
	bool only_system; /* emulates firmware, not programs */
};

/* The programs that the family's cores run. */
struct pmk_core_programs {
	const uint16_t *elf_machines; /* values of e_machine in the ELF files, ending with 0 */
	const struct pmk_core_target
		*targets; /* the emulators that run the programs; ends with a NULL name */
	const struct pmk_linux_abi *linux_abi; /* NULL: cores of the family run only firmware */
	const char *stack_pointer;
	unsigned stack_word; /* bytes of a word on the stack */
};

/* The signals that the family's cores raise, and how these signals are counted. Lists of signals
 * end with PMK_SIG_CYCLE. */
struct pmk_core_counts {
	/* The signals of a block's facts, in the order of pmk_facts.n. */
	const uint8_t *fact_signal;
	unsigned nfacts;
	/* The index of the fact that counts instructions whose times are not modelled, or 0. This
	 * fact comes after the facts that are signals. */
	unsigned untimed;
	/* Returns all signals that the core raises. */
	struct pmk_signal_set (*raises)(const struct pmk_core *core);
	/* Signals whose totals, in user emulation, depend only on how often each instruction was
	 * executed. An instruction that faults counts as executed (fault.h), so this list has no
	 * signal that an instruction raises only if it does not fault. */
	const uint8_t *mix;
	/* Signals whose totals depend only on the data accesses, if pmk_core.timeless is set. A
	 * signal that is both in `mix` and in this list depends on executions and on accesses. May
	 * be NULL. */
	const uint8_t *data;
	/* Signals whose totals depend only on the order of the blocks. May be NULL. */
	const uint8_t *fetch;
	/* The signals of `fetch` that do not depend on branch prediction. May be NULL. */
	const uint8_t *lines;
	/* The signals that are booked by site (sites.h), as the clock is. They are counted when
	 * they happen, not with a block. */
	const struct pmk_counted_signal *counted;
	/* Counts that are booked by site although they are not signals, because derive() reads
	 * them. The list ends with n == 0. May be NULL. */
	const struct pmk_counted_beside *beside;
	/* Computes the totals that follow from other totals. These other totals are already
	 * complete. */
	void (*derive)(const struct pmk_cpu *cpu, uint64_t *totals);
	/* Returns the longest latency that a core can record. NULL if it records none. */
	uint32_t (*longest)(const struct pmk_core *core);
	/* Returns the most instructions that can complete in one cycle. */
	uint64_t (*insns_per_cycle)(const struct pmk_core *core);
};

/* Families use these functions in raises(). pmk_cpu_signals() returns the signals of all facts, of
 * `counted` and of the list `derived`. pmk_signals_remove() removes the signals in `list`.
 * PMK_SIG_CYCLE ends a list, and is not removed. */
struct pmk_signal_set pmk_cpu_signals(const struct pmk_core_counts *counts, const uint8_t *derived);
void pmk_signals_remove(struct pmk_signal_set *set, const uint8_t *list);

struct pmk_core_family {
	const char *name; /* name of the family's folder */
	/* The instruction set of the family's cores, as presets name it. If several families have
	 * the same instruction set, a core belongs to the family whose `pmu` is the core's PMU. If
	 * no family has this PMU, the core belongs to the family whose `pmu` is NULL. */
	const char *isa;
	const char *pmu;
	/* The family of which this family is a variant, or NULL. Keys that only the other family
	 * has are at their defaults in a core of the variant. */
	const struct pmk_core_family *like;
	/* Words that end the sentence "… % of the instructions were …", for the instructions whose
	 * times are not modelled. NULL if counts->untimed is 0. */
	const char *untimed_kind;
	const struct pmk_core_params *params;
	const struct pmk_core_decoder *decoder;
	const struct pmk_core_builder *builder;
	const struct pmk_core_run *run;
	const struct pmk_core_callbacks *callbacks;
	const struct pmk_core_system *system;
	const struct pmk_core_programs *programs;
	const struct pmk_core_counts *counts;
};

/* The list ends with NULL. */
extern const struct pmk_core_family *const pmk_core_families[];

static inline const struct pmk_core_family *pmk_core_family(const struct pmk_core *core)
{
	return pmk_core_families[core->family];
}

static inline bool pmk_core_is_blind(const struct pmk_core *core)
{
	const struct pmk_core_callbacks *callbacks = pmk_core_family(core)->callbacks;

	return callbacks->is_blind && callbacks->is_blind(core);
}

#endif
