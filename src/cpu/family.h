/* SPDX-License-Identifier: MIT */
/*
 * A family of cores: what runs one instruction set in one way. All that is known of it is in its
 * folder, and everybody else reaches it through one const object, chosen when a core is configured.
 * families.h lists them.
 *
 * Cores lie in memory that two processes share, so a core holds the number of its family and no
 * pointer. Nothing here is called on the way of running code: that is made of each family's own
 * callbacks.
 */
#ifndef PMK_CPU_FAMILY_H
#define PMK_CPU_FAMILY_H

#include "cpu/callbacks.h"
#include "cpu/cpu.h"
#include "cpu/decode.h"

/* How many counters the PMU of a core was built with, and of how many bits. */
struct pmk_core_counters {
	unsigned events, latencies, width;
};

/* An emulator by what it emulates, "aarch64". */
struct pmk_core_target {
	const char *name;
	bool big_endian;
	bool only_system; /* of firmware, not of programs */
};

struct pmk_core_family {
	const char *name; /* its folder */
	/* Its cores have this instruction set, as presets name it; and of several families with it,
	 * that one whose PMU the core has. NULL: any other. */
	const char *isa, *pmu;
	/* It is that one but for what is said here: keys of that one's which it does not have are
	 * at that one's defaults. NULL: none. */
	const struct pmk_core_family *like;
	/* Its PMU counts on the buses around the core, session/devchip.h: in this process the
	 * core's place on them is `biu`. NULL: its PMU counts what the core raises. */
	void (*attach)(struct pmk_cpu *cpu, struct pmk_biu *biu);

	/* Parameters: their rows, in the order in which people see them; whether they fit together,
	 * once each is one that its row accepts; what else follows when a key was set, and
	 * pmk_core_in_vain(). Both may be NULL. */
	const struct pmk_core_key *keys;
	int (*check)(const struct pmk_core *core, char *msg, unsigned size);
	void (*was_set)(struct pmk_core *core, const char *key);
	const char *(*in_vain)(const struct pmk_core *core, const char *key);
	/* NULL: that is no parameter of the core. */
	void (*counters)(const struct pmk_core *core, struct pmk_core_counters *built);

	/* A running core. init() finds `core` and what is common to all set up, the rest 0; 0 or
	 * PMK_ENOMEM. forked(): the clock and all counts are about to start anew. */
	int (*init)(struct pmk_cpu *cpu);
	void (*fini)(struct pmk_cpu *cpu);
	void (*forked)(struct pmk_cpu *cpu);

	/* The block of `n` > 0 instructions: see pmk_block_build(). */
	void (*build)(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		      struct pmk_pipe_slot *slots, struct pmk_block *b);
	/* Where a block keeps the number of the branch that ends it: blocks that end in the same
	 * one get the same. NULL: branches are not numbered. */
	uint32_t *(*branch)(struct pmk_block *b);

	/* Translated code. decode(): a straight run of n > 0 instructions, with a decoder that
	 * decoder_init() was called with, once; NULL: it needs nothing of its own. 0 or PMK_ENOMEM.
	 */
	int (*decoder_init)(struct pmk_decoder *d);
	void (*decode)(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		       struct pmk_insn *in);
	/* Bits of pmk_insn.kind: behind such a change of control one more instruction runs. */
	uint32_t delays;
	/* Bits of an address of code that say how to run it. */
	uint64_t pc_flags;
	/* Bits of pmk_insn.kind: such an instruction may fault, though it accesses no memory that an
	 * emulator would tell of. */
	uint32_t traps;
	/* No data access of such a core is watched. NULL: that is never so. */
	bool (*is_blind)(const struct pmk_core *core);
	/* Has the instruction that made the last access more to make? drop(): it will not.
	 * NULL: none makes more than one. */
	bool (*is_under_way)(const struct pmk_cpu *cpu);
	void (*drop)(struct pmk_cpu *cpu);
	/* Bytes of every instruction, where an emulator that does not show them is to be asked for
	 * its memory; else 0. */
	unsigned reads_memory;
	/* In system emulation, is there an exception vector? Of enum pmk_entry. NULL: none is looked at. */
	unsigned (*vector)(const struct pmk_core *core, uint64_t pc);
	/* What the emulator is to call when a block starts, and for an access of one of its
	 * instructions, with *access; NULL: it makes no difference. */
	const struct pmk_block_fns *on_block;
	pmk_access_fn *(*watch)(const struct pmk_core *core, bool system, const struct pmk_insn *in,
				const struct pmk_block *b, const struct pmk_pipe_slot *pipe,
				uint64_t *access);

	/* Its programs and their world: machines of ELF files (e_machine) that these cores run, ending with
	 * 0; emulators that run them, ending with NULL; Linux's numbers
	 * of the system calls that replace a program, and that say how a signal is handled; the stack pointer, and the bytes of a word on
	 * the stack. */
	const uint16_t *elf_machines;
	const struct pmk_core_target *targets;
	int64_t execve, execveat, sigaction, rt_sigaction;
	const char *stack_pointer;
	unsigned stack_word;

	/* The signals it raises: those of a block's facts in the order of pmk_facts.n, and all of
	 * them. */
	const uint8_t *fact_signal;
	unsigned nfacts;
	/* The fact, behind those of signals, that counts instructions whose times are not modelled; 0:
	 * there is none. */
	unsigned untimed;
	struct pmk_signal_set (*raises)(const struct pmk_core *core);
	/* No latency that it records is longer; NULL: it records none. */
	uint32_t (*longest)(const struct pmk_core *core);
	/* Totals that are made of others, once all others are there. */
	void (*derive)(const struct pmk_cpu *cpu, uint64_t *totals);
	/* No more instructions than this end in a cycle. */
	uint64_t (*insns_per_cycle)(const struct pmk_core *core);
};

/* NULL ends it. */
extern const struct pmk_core_family *const pmk_core_families[];

static inline const struct pmk_core_family *pmk_core_family(const struct pmk_core *core)
{
	return pmk_core_families[core->family];
}

#endif
