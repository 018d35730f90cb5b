/* SPDX-License-Identifier: MIT */
/*
 * A family of cores: those that run one instruction set in one way. All that is known of it is in
 * its folder. Others use it through one const object, which is chosen when a core is configured.
 * families.h lists the families.
 *
 * Two processes share the memory that cores are in, so a core has the number of its family and no
 * pointer. Running code calls none of these functions: it calls callbacks that each family makes of
 * its own hot paths.
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
	/* The instruction set of its cores, as presets name it. If several families have the same
	 * one, a core is of the family with the core's PMU here, or else of the one with NULL. */
	const char *isa, *pmu;
	/* The family that this one is a variant of; keys that only the other one has are at their
	 * defaults there. NULL: it is no variant. */
	const struct pmk_core_family *like;
	/* For a PMU that counts on the buses around the core (producer/session/devchip.h):
	 * connect the core to `biu`, its place on the buses in this process. NULL: the PMU counts
	 * what the core raises. */
	void (*attach)(struct pmk_cpu *cpu, struct pmk_biu *biu);

	/* Parameters: their rows, in the order in which they are listed; a check that they fit
	 * together, called when the row of each has accepted it; what else to do when a key was
	 * set; and pmk_core_in_vain(). The last two may be NULL. */
	const struct pmk_core_key *keys;
	int (*check)(const struct pmk_core *core, char *msg, unsigned size);
	void (*was_set)(struct pmk_core *core, const char *key);
	const char *(*in_vain)(const struct pmk_core *core, const char *key);
	/* NULL: the number of counters is no parameter of the core. */
	void (*counters)(const struct pmk_core *core, struct pmk_core_counters *built);

	/* A running core. When init() is called, `core` and what all families share are set up, and
	 * the rest is 0; it returns 0 or PMK_ENOMEM. forked() is called before the clock and all
	 * counts begin again at 0. */
	int (*init)(struct pmk_cpu *cpu);
	void (*fini)(struct pmk_cpu *cpu);
	void (*forked)(struct pmk_cpu *cpu);
	/* Forget which blocks need no fetching (pmk_executions.igen). NULL: pmk_cpu.igen + 1 does
	 * that. */
	void (*forget)(struct pmk_cpu *cpu);

	/* The block of `n` > 0 instructions: see pmk_block_build(). */
	void (*build)(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		      struct pmk_pipe_slot *slots, struct pmk_block *b);
	/* What blocks that run keep beside that, where they find it. keeps(): the most bytes of a
	 * block, or 0. keep() writes it at `out`, at a multiple of 64, and returns its bytes, a
	 * multiple of 64. NULL: nothing. */
	uint64_t (*keeps)(const struct pmk_core *core);
	size_t (*keep)(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       void *out, struct pmk_block *b);
	/* Where a block keeps the number of the branch that ends it. Blocks that the same branch
	 * ends get the same number. NULL: branches are not numbered. */
	uint32_t *(*branch)(struct pmk_block *b);

	/* Translated code. decode() decodes a sequence of n > 0 instructions. decoder_init() is
	 * called once for each decoder and returns 0 or PMK_ENOMEM; NULL: there is nothing to
	 * initialise. */
	int (*decoder_init)(struct pmk_decoder *d);
	void (*decode)(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		       struct pmk_insn *in);
	/* Bits of pmk_insn.kind of branches with a delay slot. */
	uint32_t delays;
	/* Bits of an address of code that say how to run it. */
	uint64_t pc_flags;
	/* Bits of pmk_insn.kind: such an instruction may fault, though it makes no access to memory
	 * that an emulator would report. */
	uint32_t traps;
	/* Bits of pmk_insn.kind: such an instruction writes the block of memory that has the
	 * address in register `rm`, which the emulator does not report. The plugin calls the
	 * function of watch() for each line of `line_bytes` bytes in it. */
	uint32_t zeroes;
	unsigned line_bytes;
	/* Bits of pmk_insn.kind: the emulator decides at each execution of such an instruction
	 * whether it traps, and may go on after it in the same translated code. A block ends
	 * after it, so that a trap leaves nothing to take back. */
	uint32_t may_trap;
	/* In system emulation: can its exception levels be told apart, by its accesses? Or only if
	 * the owner knows those of blocks (PMK_ENTRY_LEVEL)? */
	bool levels, levels_of_blocks;
	/* In system emulation: what firmware is seen to turn on and off, of enum pmk_control,
	 * and by which registers. 0: that is not followed. */
	unsigned control;
	enum pmk_control_by control_by;
	/* Do addresses have more than 32 bits? */
	bool wide_addresses;
	/* Is no data access of such a core watched? NULL: never is. */
	bool (*is_blind)(const struct pmk_core *core);
	/* Has the instruction that made the last access more to make? drop(): it will not.
	 * NULL: none makes more than one. */
	bool (*is_under_way)(const struct pmk_cpu *cpu);
	void (*drop)(struct pmk_cpu *cpu);
	/* The size of every instruction, if the emulator's memory is to be read where it does not
	 * show an instruction's bytes; else 0. */
	unsigned reads_memory;
	/* In system emulation: is there an exception vector at `pc`? Of enum pmk_entry. NULL:
	 * vectors make no difference. */
	unsigned (*vector)(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc);
	/* What the emulator has to call when a block starts; and for an access of one of its
	 * instructions, with *access as argument. NULL: the access makes no difference. */
	const struct pmk_block_fns *(*on_block)(const struct pmk_core *core);
	pmk_access_fn *(*watch)(const struct pmk_core *core, enum pmk_world world,
				const struct pmk_insn *in, const struct pmk_block *b,
				const struct pmk_pipe_slot *pipe, uint64_t *access);
	/* When an access of the instruction changes nothing, in user emulation; if there is such a
	 * test, it is the same for all that load, or store, as many bytes. And the tables that this
	 * is looked up in. NULL: the emulator has to call for every access. */
	struct pmk_access_test (*test)(const struct pmk_core *core, const struct pmk_insn *in);
	void *(*tables)(const struct pmk_cpu *cpu);

	/* Its programs and their world: the machines of ELF files (e_machine) that these cores run,
	 * ending with 0; the emulators that run them, ending with NULL; Linux's numbers of the
	 * system calls that make a thread, that replace a program, that say how a signal is
	 * handled, and that read; the stack pointer, and the bytes of a word on the stack. */
	const uint16_t *elf_machines;
	const struct pmk_core_target *targets;
	int64_t clone, execve, execveat, sigaction, rt_sigaction;
	int64_t read, readv, pread64, preadv, getrandom;
	const char *stack_pointer;
	unsigned stack_word;

	/* The signals it raises: those of a block's facts in the order of pmk_facts.n, and all of
	 * them. */
	const uint8_t *fact_signal;
	unsigned nfacts;
	/* The fact, behind those of signals, that counts instructions whose times are not modelled;
	 * 0: there is none; and what they are, as in "… % of the instructions were …". */
	unsigned untimed;
	const char *untimed_kind;
	struct pmk_signal_set (*raises)(const struct pmk_core *core);
	/* Of these the signals, ending with PMK_SIG_CYCLE, whose totals follow from how often each
	 * instruction was executed and from nothing else, in user emulation. An instruction that
	 * faults is executed (fault.h): what it raises only when it does not fault is not here. */
	const uint8_t *mix;
	/* And those, likewise, whose totals follow from its data accesses and from nothing else,
	 * with pmk_core.timeless. What is in both lists follows from both. NULL: there are none. */
	const uint8_t *data;
	/* And those whose totals follow from the order of its blocks and from nothing else, and
	 * what has to be called then when a block starts. NULL: there are none. */
	const uint8_t *fetch;
	/* [its executions are counted][enum pmk_fetch_way] */
	pmk_block_fn *const (*on_fetch)[PMK_FETCH_NWAYS];
	/* And of these again the signals that do not depend on how branches are predicted, and what
	 * has to be called where nothing else is asked about. NULL: there are none. */
	const uint8_t *lines;
	pmk_block_fn *const (*on_lines)[PMK_FETCH_NWAYS];
	/* The longest latency that a core can record; NULL: it records none. */
	uint32_t (*longest)(const struct pmk_core *core);
	/* Compute the totals that follow from others. All others are complete. */
	void (*derive)(const struct pmk_cpu *cpu, uint64_t *totals);
	/* What sites book beside the clock (sites.h): the signals that are counted as they happen,
	 * ending with PMK_SIG_CYCLE, and the family's own counts that derive() reads. */
	const struct pmk_counted_signal *counted;
	const struct pmk_counted_beside *beside; /* ends with n == 0; NULL: there are none */
	/* How many instructions can end in one cycle at most. */
	uint64_t (*insns_per_cycle)(const struct pmk_core *core);
};

/* NULL terminated. */
extern const struct pmk_core_family *const pmk_core_families[];

static inline const struct pmk_core_family *pmk_core_family(const struct pmk_core *core)
{
	return pmk_core_families[core->family];
}

#endif
