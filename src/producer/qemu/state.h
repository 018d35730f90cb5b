/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the plugin. QEMU's callbacks get no context other than a vCPU number, so there is
 * one struct plugin per process. A fork copies it.
 */
#ifndef PMK_PRODUCER_QEMU_STATE_H
#define PMK_PRODUCER_QEMU_STATE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/l2cc_model.h>
#include <pmk/microblaze_model.h>

#include "cpu/callbacks.h"
#include "cpu/family.h"
#include "producer/qemu/arena.h"
#include "producer/qemu/control.h"
#include "producer/qemu/glue.h"
#include "producer/qemu/guest.h"
#include "producer/qemu/handlers.h"
#include "producer/qemu/ledger.h"
#include "producer/qemu/ticks.h"

#define MAX_TB_INSNS 1024

struct qemu_bytes;
struct qemu_mem_test;

/*
 * Sampling. The "rest" is the part of a program that is not counted. In the rest, translated code
 * counts only instructions: in the entry after the blocks of inline_executions, or in the
 * emulator's memory at `counter`.
 */
struct plugin_rest {
	bool on;
	const uint64_t *counter;
	uint64_t began;	  /* count of all processes before this one */
	uint64_t unit_at; /* when the next unit begins: pmk_emulated_unit_at() */
	struct pmk_ticks ticks;
	/* All code must be translated again when the system call returns, because this process
	 * was forked in the rest, or because a call that ended the rest has failed. */
	bool all_anew;
	bool ended; /* the rest was ended by a call that will create a thread */
};

/*
 * The control registers of ARM (control.h). There is one setting of each level for all code: if the
 * processors of a board have different ones, the last write counts for all.
 */
struct plugin_control {
	bool follows;
	bool differs; /* the states of the levels of translated code differ */
	/* The core with everything that its parameters enable; and the parts enabled at each
	 * level. */
	struct pmk_core configured;
	struct pmk_control_state state;
	/* The state of the code that is being translated, and of the core of each vCPU. */
	unsigned of_code, of_core[PMK_MAX_VCPUS];
	unsigned levels; /* levels for which code was translated, as a set of bits */
	uint32_t quiet;	 /* number of successive blocks that had the core's state */
	/* The register that is about to be written, or was just written, by vCPU. */
	struct pmk_control_write write[PMK_MAX_VCPUS];
	struct pmk_control_write known[PMK_CONTROL_NREGS][32];
	/* Addresses after writes of a control register. */
	uint64_t after[64];
	unsigned nafter;
};

/* The guest's own PMU. */
struct plugin_guest {
	int log; /* the descriptor for the log of accesses, or -1 */
	struct pmk_guest_window window;
	struct pmk_mdm_model mdm;
	struct pmk_l220 l220;
};

/* Registers: registers.c. */
struct plugin_registers {
	const struct pmk_qemu_glue *glue;
	const struct pmk_registers_isa *isa;
	/* QEMU's own function for debuggers. NULL: this emulator does not export it. */
	int (*read)(void *cpu, struct qemu_bytes *bytes, int n);
	bool big_endian;
};

struct plugin {
	struct pmk_arena *arena;
	/* Copy of the arena's configuration from the start, because the program can write into the
	 * arena. The regions in it have the addresses in this process; the process is pmk's. */
	struct pmk_emulated_config config;
	pid_t pmk_pid;
	unsigned nslots;
	struct pmk_arena_slot *slot; /* this process */
	char *slot_memory;	     /* facts and vCPUs of this process */
	/* Used instead of a slot in a process whose counts pmk does not read. */
	struct pmk_arena_slot uncounted;
	pthread_mutex_t reporting; /* of this process only */
	struct pmk_emulated_ports ports[PMK_ARENA_CPUS];

	const struct pmk_qemu_glue *glue; /* from the module that was loaded */
	bool system_mode;
	bool mixes_up_vcpus; /* see pmk_guest_tell_apart() */
	const struct pmk_core_family *family;
	struct pmk_decoder decoder;

	/* Translation. */
	pthread_mutex_t translating; /* protects the members up to the next empty line */
	struct pmk_code code;
	struct pmk_handlers handlers;
	bool begun; /* the first block of the program was translated */
	struct pmk_raw raw[MAX_TB_INSNS];
	struct pmk_insn in[MAX_TB_INSNS];
	struct pmk_pipe_slot pipe[MAX_TB_INSNS];
	struct qemu_mem_test *tests; /* see find_test() */
	/* The last accesses that were translated within longer blocks, by address. */
	struct plugin_within {
		uint64_t pc;
		void *access;
	} within[4096];
	/* The family's function for a line that an instruction writes completely. */
	pmk_access_fn *write_line;
	unsigned written_bytes; /* by each */

	/* User emulation: the program's address 0 is at this address of the process. */
	uintptr_t guest_base;
	/* The remaining delay at the last system call: a thread that this call creates begins to
	 * count when its creator does. */
	uint64_t delay_left;
	/* The second thread of the program has started. From then on the emulator translates all
	 * code again, for threads that run at the same time. */
	bool threaded;
	/* Executions of the only thread, if translated code counts them by itself: the counters of
	 * vCPU 0 of this process, at an address that stays the same in forks. Otherwise NULL. */
	struct pmk_executions *inline_executions;
	/* The state of the forking core at the fork. The parent continues in memory that both
	 * share, so the child cannot read it from there. */
	struct pmk_emulated at_fork;
	/* The emulator's own handlers of signals that accesses of the program may raise. */
	struct sigaction emulators_segv, emulators_bus;

	struct pmk_ledger *ledger; /* if the program is recorded, or NULL */
	uint32_t process;	   /* number of this process in the ledger */
	uint32_t *recorded;	   /* [block id]: number of its record, 0: none yet */
	/* The last mappings in which code was found. */
	struct plugin_mappings {
		struct {
			uint64_t begin, end;
		} known[64];
		unsigned next;
		pid_t described; /* the process whose dump of generated code is recorded */
	} mapping;

	struct plugin_rest rest;
	struct plugin_control control;
	struct plugin_guest guest;
	struct plugin_registers registers;
};

/* A thread of the emulator: its present system call. */
struct plugin_thread {
	unsigned vcpu; /* after fork it is the only one that continues */
	bool forking;  /* the call is a fork */
	bool making;   /* the call creates a thread */
	uint64_t args[3];
	/* For reading registers: QEMU's pointer to the CPU of this thread, and a buffer. */
	void **current;
	struct qemu_bytes *bytes;
};

extern struct plugin plugin;
extern __thread struct plugin_thread calling;

/* End the process, because of PMK_E…: pmk reports the error. */
_Noreturn void pmk_plugin_give_up(int err);

static inline bool plugin_has_clock(void)
{
	return plugin.config.parts & PMK_PART_CLOCK;
}

static inline struct pmk_emulated *plugin_core(struct pmk_cpu *cpu)
{
	_Static_assert(offsetof(struct pmk_emulated, cpu) == 0, "the core comes first");
	return (struct pmk_emulated *)cpu;
}

/* Returns the execution counters of a vCPU, which follow its struct, wherever that is. */
static inline struct pmk_emulated_blocks plugin_blocks(const struct pmk_cpu *cpu)
{
	return (struct pmk_emulated_blocks){
		.facts = pmk_slot_facts(plugin.slot_memory),
		.executions = cpu->executions,
		.count = atomic_load(&plugin.slot->nblocks),
		.rest = cpu->executions[PMK_MAX_BLOCKS].count,
	};
}

#endif
