/* SPDX-License-Identifier: MIT */
/*
 * A family of cores: cores that run one instruction set in one way. All code that knows about a
 * family is in its folder. Other code uses the family through one const object, which is chosen
 * when a core is configured. families.h lists the families.
 *
 * Cores are in memory that two processes share, so a core stores the number of its family instead
 * of a pointer. Running code calls none of these functions: it calls callbacks that each family
 * makes from its own hot paths.
 */
#ifndef PMK_CPU_FAMILY_H
#define PMK_CPU_FAMILY_H

#include "cpu/callbacks.h"
#include "cpu/cpu.h"
#include "cpu/decode.h"
#include "cpu/linux_abi.h"

/* How many counters the PMU of a core was built with, and their width in bits. */
struct pmk_core_counters {
	unsigned events, latencies, width;
};

/* An emulator, named by what it emulates: "aarch64". */
struct pmk_core_target {
	const char *name;
	bool big_endian;
	bool only_system; /* emulates firmware, not programs */
};

/* The first `keep` of the active handlers of exceptions stay active. If `begins`, another handler
 * starts. */
struct pmk_nesting {
	uint64_t keep;
	bool begins;
};

struct pmk_core_family {
	const char *name; /* its folder */
	/* The instruction set of its cores, as presets name it. If several families have the same
	 * one, a core belongs to the family whose `pmu` is the core's PMU, or else to the one whose
	 * `pmu` is NULL. */
	const char *isa, *pmu;
	/* The family that this one is a variant of. Keys that only the other family has are at
	 * their defaults in cores of this one. NULL: it is not a variant. */
	const struct pmk_core_family *like;
	/*
	 * For a PMU that counts on the buses around the core (producer/session/devchip.h): connect
	 * the core to `biu`, its interface to these buses in this process. NULL: the PMU counts
	 * signals of the core.
	 */
	void (*attach)(struct pmk_cpu *cpu, struct pmk_biu *biu);

	/*
	 * Parameters. `keys`: the rows, in the order in which they are listed. check(): verifies
	 * that the values fit together, after the row of each has accepted it. was_set(): does what
	 * setting a key causes in addition. in_vain(): see pmk_core_in_vain(). The last two may be
	 * NULL.
	 */
	const struct pmk_core_key *keys;
	int (*check)(const struct pmk_core *core, char *msg, unsigned size);
	void (*was_set)(struct pmk_core *core, const char *key);
	const char *(*in_vain)(const struct pmk_core *core, const char *key);
	/* NULL: the number of counters is not a parameter of the core. */
	void (*counters)(const struct pmk_core *core, struct pmk_core_counters *built);

	/* A running core. When init() is called, `core` and everything that all families share are
	 * set up, and the rest is 0; it returns 0 or PMK_ENOMEM. forked() is called before the
	 * clock and all counts restart at 0. */
	int (*init)(struct pmk_cpu *cpu);
	void (*fini)(struct pmk_cpu *cpu);
	void (*forked)(struct pmk_cpu *cpu);
	/* Forget which blocks need no fetching (pmk_executions.igen). NULL: incrementing
	 * pmk_cpu.igen does that. */
	void (*forget)(struct pmk_cpu *cpu);

	/* Build a block of `n` > 0 instructions: see pmk_block_build(). */
	void (*build)(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		      struct pmk_pipe_slot *slots, struct pmk_block *b);
	/*
	 * Data of blocks in addition to struct pmk_block, for the hot paths. keeps() returns the
	 * most bytes that a block may need, or 0. keep() writes the data of a block at `out`, which
	 * is a multiple of 64, and returns its size, also a multiple of 64. NULL: there is no such
	 * data.
	 */
	uint64_t (*keeps)(const struct pmk_core *core);
	size_t (*keep)(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       void *out, struct pmk_block *b);
	/* The member of a block that has the number of the branch that ends it. Blocks that end in
	 * the same branch get the same number. NULL: branches are not numbered. */
	uint32_t *(*branch)(struct pmk_block *b);

	/* Translated code. decode() decodes a sequence of n > 0 instructions. decoder_init() is
	 * called once for each decoder and returns 0 or PMK_ENOMEM; NULL: there is nothing to
	 * initialise. */
	int (*decoder_init)(struct pmk_decoder *d);
	void (*decode)(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		       struct pmk_insn *in);
	/* Bits of pmk_insn.kind of branches with a delay slot. */
	uint32_t delays;
	/* Bits of a code address that say in which state the code runs. */
	uint64_t pc_flags;
	/* Bits of pmk_insn.kind for instructions that may fault although they make no access to
	 * memory that an emulator would report. */
	uint32_t traps;
	/* Bits of pmk_insn.kind for instructions that write the whole block of memory at the
	 * address in register `rm`, which the emulator does not report. The plugin calls the
	 * function of watch() for each line of `line_bytes` bytes in it. */
	uint32_t zeroes;
	unsigned line_bytes;
	/* Bits of pmk_insn.kind for instructions that trap only sometimes: the emulator decides at
	 * each execution, and may continue in the same translated code. A block ends after such an
	 * instruction, so that a trap leaves nothing to take back. */
	uint32_t may_trap;
	/* In system emulation: `levels` is true if exception levels are visible in accesses;
	 * `levels_of_blocks`, if that is only possible when the owner knows the level of each block
	 * (PMK_ENTRY_LEVEL). */
	bool levels, levels_of_blocks;
	/* In system emulation: the parts that firmware is seen to turn on and off (enum
	 * pmk_control), and the registers that do it. 0: pmk does not follow this. */
	unsigned control;
	enum pmk_control_by control_by;
	/* Addresses have more than 32 bits. */
	bool wide_addresses;
	/* True if no data access of such a core is watched. NULL: every core's accesses are
	 * watched. */
	bool (*is_blind)(const struct pmk_core *core);
	/* is_under_way(): true if the instruction that made the last access will make more. drop():
	 * it will not make them after all. NULL: no instruction makes more than one. */
	bool (*is_under_way)(const struct pmk_cpu *cpu);
	void (*drop)(struct pmk_cpu *cpu);
	/* The size of every instruction, if pmk must read the bytes of an instruction from the
	 * emulator's memory where the emulator does not show them; otherwise 0. */
	unsigned reads_memory;
	/* In system emulation: the bits of enum pmk_entry for an exception vector at `pc`, or 0.
	 * NULL: vectors make no difference. */
	unsigned (*vector)(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc);
	/* on_block(): the functions that the emulator calls when a block starts. watch(): the
	 * function that it calls for an access of an instruction, with *access as argument. NULL:
	 * the access makes no difference. */
	const struct pmk_block_fns *(*on_block)(const struct pmk_core *core);
	pmk_access_fn *(*watch)(const struct pmk_core *core, enum pmk_world world,
				const struct pmk_insn *in, const struct pmk_block *b,
				const struct pmk_pipe_slot *pipe, uint64_t *access);
	/*
	 * For cores whose handlers are ordinary functions: returns which handlers are active when
	 * `b` starts after `p`. It is called before on_block()'s function sees `b`. NULL: handlers
	 * run on the call path that they interrupt.
	 */
	struct pmk_nesting (*nesting)(const struct pmk_cpu *cpu, const struct pmk_block *p,
				      const struct pmk_block *b);
	/*
	 * Called when the rest of a block continues, possibly after a handler. NULL: nothing has to
	 * be done then.
	 */
	void (*resumed)(struct pmk_cpu *cpu);
	/*
	 * In user emulation: returns when an access of the instruction changes nothing. The test
	 * depends only on the direction of the access and on its bytes. tables(): the tables that
	 * the test looks at. NULL: the emulator must call for every access.
	 */
	struct pmk_access_test (*test)(const struct pmk_core *core, const struct pmk_insn *in);
	void *(*tables)(const struct pmk_cpu *cpu);

	/* The programs of these cores: the machines of their ELF files (e_machine), ending with 0;
	 * the emulators that run them, ending with NULL; the numbers of their system calls, or NULL
	 * if these cores run only firmware; the stack pointer, and the bytes of a word on the
	 * stack. */
	const uint16_t *elf_machines;
	const struct pmk_core_target *targets;
	const struct pmk_linux_abi *linux_abi;
	const char *stack_pointer;
	unsigned stack_word;

	/* The signals that the family raises: those of a block's facts in the order of pmk_facts.n,
	 * and all of them. */
	const uint8_t *fact_signal;
	unsigned nfacts;
	/* The index of the fact that counts instructions whose times are not modelled (it follows
	 * those of signals), or 0; and the words for these instructions, as in "… % of the
	 * instructions were …". */
	unsigned untimed;
	const char *untimed_kind;
	struct pmk_signal_set (*raises)(const struct pmk_core *core);
	/* Signals whose totals depend only on how often each instruction was executed, in user
	 * emulation; ends with PMK_SIG_CYCLE. An instruction that faults is executed (fault.h), so
	 * signals that it raises only if it does not fault are not in this list. */
	const uint8_t *mix;
	/* Signals whose totals depend only on the data accesses, with pmk_core.timeless. A signal
	 * that is in both lists depends on both. NULL: there are none. */
	const uint8_t *data;
	/* Signals whose totals depend only on the order of the blocks, and the functions to call
	 * then when a block starts. NULL: there are none. */
	const uint8_t *fetch;
	/* [executions are counted][enum pmk_fetch_way] */
	pmk_block_fn *const (*on_fetch)[PMK_FETCH_NWAYS];
	/* Those signals of `fetch` that do not depend on branch prediction, and the functions to
	 * call when only these are counted. NULL: there are none. */
	const uint8_t *lines;
	pmk_block_fn *const (*on_lines)[PMK_FETCH_NWAYS];
	/* The longest latency that a core can record; NULL: it records none. */
	uint32_t (*longest)(const struct pmk_core *core);
	/* Compute the totals that follow from other totals, which are complete by then. */
	void (*derive)(const struct pmk_cpu *cpu, uint64_t *totals);
	/* What sites book in addition to the clock (sites.h): the signals that are counted as they
	 * happen, ending with PMK_SIG_CYCLE, and the family's own counts that derive() reads. */
	const struct pmk_counted_signal *counted;
	const struct pmk_counted_beside *beside; /* ends with n == 0; NULL: there are none */
	/* The most instructions that can end in one cycle. */
	uint64_t (*insns_per_cycle)(const struct pmk_core *core);
};

/* NULL terminated. */
extern const struct pmk_core_family *const pmk_core_families[];

static inline const struct pmk_core_family *pmk_core_family(const struct pmk_core *core)
{
	return pmk_core_families[core->family];
}

#endif
