/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the plugin. The only context that QEMU gives its callbacks is the number of a vCPU,
 * so there is one struct plugin per process. A fork copies it.
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
 * The state of sampling. The "rest" is the part of a program that is not counted. In the rest,
 * translated code counts only instructions: in inline_executions[PMK_MAX_BLOCKS], or in the
 * emulator's memory at `counter`.
 */
struct plugin_rest {
	bool on;
	const uint64_t *counter;
	uint64_t began;	  /* *counter when the process was forked; only later counts are its own */
	uint64_t unit_at; /* when the next unit begins, as pmk_emulated_unit_at() returns it */
	struct pmk_ticks ticks;
	/* True if all code must be translated again when the system call returns: this process was
	 * forked in the rest, or a call that has ended the rest has failed. */
	bool all_anew;
	bool ended; /* a call that will create a thread has ended the rest */
};

/*
 * The control registers of the core (control.h). All processors of a board share one setting for
 * each level. If they have different settings, the last write counts for all of them.
 */
struct plugin_control {
	bool follows; /* the core's parts are turned on and off by what firmware writes */
	bool differs; /* code was translated for levels with different states */
	/* The core as its parameters describe it, before firmware turns parts off. */
	struct pmk_core configured;
	struct pmk_control_state state; /* the parts that firmware has enabled at each level */
	/* The enabled parts (bits of enum pmk_control) for which code is being translated, and
	 * those of the core of each vCPU. */
	unsigned of_code, of_core[PMK_MAX_VCPUS];
	unsigned levels; /* levels for which code was translated, as a set of bits */
	uint32_t quiet;	 /* number of successive blocks that had the core's state */
	/* For each vCPU: the write of a control register that is about to happen, or has just
	 * happened. */
	struct pmk_control_write write[PMK_MAX_VCPUS];
	struct pmk_control_write known[PMK_CONTROL_NREGS][32];
	/* The addresses that follow writes of a control register. */
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

/* The state of registers.c. */
struct plugin_registers {
	const struct pmk_qemu_glue *glue;
	const struct pmk_registers_isa *isa;
	/* QEMU's own function for debuggers, or NULL if this emulator does not export it. */
	int (*read)(void *cpu, struct qemu_bytes *bytes, int n);
	bool big_endian;
};

struct plugin {
	struct pmk_arena *arena;
	/* Copy of the arena's configuration from the start, because the program can write into the
	 * arena. Its regions have the addresses of the running program. */
	struct pmk_emulated_config config;
	pid_t pmk_pid;
	unsigned nslots;
	struct pmk_arena_slot *slot; /* the slot of this process */
	char *slot_memory;	     /* facts and vCPUs of this process */
	/* Used instead of a slot in a process whose counts pmk does not read. */
	struct pmk_arena_slot uncounted;
	pthread_mutex_t reporting; /* this lock is not shared with other processes */
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
	bool begun; /* true if the first block of the program was translated */
	struct pmk_raw raw[MAX_TB_INSNS];
	struct pmk_insn in[MAX_TB_INSNS];
	struct pmk_pipe_slot pipe[MAX_TB_INSNS];
	struct qemu_mem_test *tests; /* see pmk_plugin_find_test() */
	/* The most recently translated accesses that are inside longer blocks (devices.c), in a
	 * table by address. */
	struct plugin_within {
		uint64_t pc;
		void *access;
	} within[4096];
	/* The family's function for a line that DC ZVA writes. */
	pmk_access_fn *write_line;
	unsigned written_bytes; /* number of bytes that a DC ZVA writes */

	/* In user emulation: the address in this process of the program's address 0. */
	uintptr_t guest_base;
	/* The remaining delay at the last system call. A thread that this call creates begins to
	 * count when its creator does. */
	uint64_t delay_left;
	/* Set when the program is about to start its second thread. The emulator then translates
	 * all code again, for threads that run at the same time. */
	bool threaded;
	/* If translated code counts the executions of the only thread by itself, this has the
	 * counters of vCPU 0 of this process, at an address that stays the same in forks. Otherwise
	 * it is NULL. */
	struct pmk_executions *inline_executions;
	/* The state of the forking core at the fork. The child cannot read it from the core's
	 * memory, because the parent continues to write there. */
	struct pmk_emulated at_fork;
	/* The emulator's own handlers of signals that accesses of the program may raise. */
	struct sigaction emulators_segv, emulators_bus;

	struct pmk_ledger *ledger; /* if the program is recorded, or NULL */
	uint32_t process;	   /* number of this process in the ledger */
	uint32_t *recorded;	   /* [block id]: number of its record, 0: none yet */
	/* The mappings in which code was found last. */
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

/* A thread of the emulator, and the system call that it makes. */
struct plugin_thread {
	unsigned vcpu; /* after a fork, only this vCPU continues */
	bool forking;  /* the call is a fork */
	bool making;   /* the call creates a thread */
	uint64_t args[3];
	/* QEMU's pointer to the CPU of this thread, and a buffer, for reading registers. */
	void **current;
	struct qemu_bytes *bytes;
};

extern struct plugin plugin;
extern __thread struct plugin_thread calling;

/* Ends the process because of an error (enum pmk_error), which pmk then reports. */
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

/* Returns the execution counters of a vCPU, which are in memory after its struct. */
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
