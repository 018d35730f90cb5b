/* SPDX-License-Identifier: MIT */
/*
 * The memory that pmk and the emulator share: what to count, and all counts so far.
 *
 * The arena is a sparse memfd with many gigabytes of address space, of which only touched pages
 * exist. pmk creates it, writes the configuration, and starts the emulator with the descriptor. The
 * plugin maps it and closes the descriptor, so the program neither sees the descriptor nor can
 * close it. Whatever ends the emulator, even SIGKILL, the counts are still in this memory. So pmk
 * itself always takes the final reading from it.
 *
 * - The arena: header, slot 0, slot 1, … There is one slot per process (the program and its forks).
 * - A slot: facts of its blocks, intervals, vCPU 0, vCPU 1, …
 * - A vCPU: struct pmk_emulated, execution counters of its blocks.
 *
 * pmk and the plugin must come from the same build; `size` detects most plugins of other builds.
 */
#ifndef PMK_PRODUCER_QEMU_ARENA_H
#define PMK_PRODUCER_QEMU_ARENA_H

#include <stdatomic.h>
#include <stdint.h>

#include "cpu/code.h"
#include "producer/session/emulated.h"

#define PMK_ARENA_MAGIC UINT64_C(0x0061726e65616b50)
#define PMK_ARENA_SLOTS 64
#define PMK_ARENA_CPUS	64
#define PMK_ARENA_RING	4096  /* interval records that can wait to be read */
#define PMK_ARENA_PINS	65536 /* states of pins that can wait to be read */

#define PMK_ALIGN_UP(n) (((uint64_t)(n) + 0xffff) & ~UINT64_C(0xffff))

enum pmk_slot_state {
	PMK_SLOT_FREE,
	/*
	 * The process of the slot runs, or pmk has not yet noticed that it has ended. When pmk
	 * notices this, it adds the counts of the process to those of other ended processes.
	 */
	PMK_SLOT_RUNNING,
};

struct pmk_arena_slot {
	_Atomic uint32_t state; /* enum pmk_slot_state */
	_Atomic uint32_t pid;
	_Atomic uint32_t nblocks;
	_Atomic uint32_t ncpus;	  /* highest vCPU index + 1 */
	_Atomic uint32_t threads; /* vCPUs ever started */
	_Atomic uint32_t execs;	  /* number of execve calls in progress or completed */
};

struct pmk_arena_interval {
	uint32_t pid, cpu;
	uint64_t cycles, insns; /* totals of the program at the end of the interval */
	uint64_t began;		/* cycles at the end of the previous interval; set by pmk */
	struct pmk_reading delta;
};

/* A record of a process: an interval or, if the process is sampled, a piece
 * (producer/session/units.h). */
union pmk_arena_record {
	struct pmk_arena_interval interval;
	struct pmk_units_piece piece;
};

/* The finished intervals of a process. Each process has its own ring, so a process that is killed
 * while it writes cannot block another one. */
struct pmk_arena_ring {
	/* The number of records that the emulator has written (`head`) and that pmk has read
	 * (`tail`). */
	_Atomic uint64_t head, tail;
	union pmk_arena_record record[PMK_ARENA_RING];
};

/* States of the AHB Monitor's pins, for the first core of the first process. */
struct pmk_arena_pins {
	_Atomic uint64_t head, tail; /* as in pmk_arena_ring */
	struct pmk_ahbmon_pins record[PMK_ARENA_PINS];
};

/* How QEMU must present the PMU that emulated code programs itself. */
struct pmk_guest_config {
	uint32_t release; /* QEMU's release: 702 is 7.2 */
	uint64_t base;	  /* address of the PMU's registers in memory */
	/* Where the PMU's interrupt goes: QEMU's name of the interrupt controller's type, the name
	 * of the controller's inputs, if they have one, and the number of the input. If there is no
	 * type, the interrupt is not connected. */
	char irq_type[32], irq_name[32];
	uint32_t irq;
	int32_t log; /* the descriptor for the log of accesses, or -1 */
};

struct pmk_arena {
	uint64_t magic;
	uint64_t size; /* the value of PMK_ARENA_LAYOUT in pmk */
	uint32_t pmk_pid;
	uint32_t slots;	 /* number of slots, up to PMK_ARENA_SLOTS; fewer if limits require that */
	uint32_t system; /* 1 in system emulation */
	/* The address of the start of the code, as linked in the ELF file. */
	uint64_t region_bias_base;
	uint64_t entry; /* entry point in the file */
	uint32_t pie;	/* 1 if the addresses of regions depend on where the program is loaded */
	struct pmk_emulated_config cfg;

	/* Set when the plugin was loaded and has accepted the configuration. */
	_Atomic uint32_t ready;
	_Atomic uint32_t begun;	       /* set when code was translated and is about to run */
	char target[24];	       /* QEMU's target, "aarch64"; set before `ready` */
	_Atomic uint32_t other_isa;    /* set if the core executes code for another target */
	_Atomic uint32_t forks;	       /* number of forks of the program */
	_Atomic uint32_t forked;       /* number of forked processes that have begun */
	_Atomic uint32_t lost_forks;   /* number of processes that found no free slot */
	_Atomic uint32_t lost_threads; /* number of vCPUs beyond PMK_ARENA_CPUS */
	_Atomic uint32_t locked_up;    /* set when a Cortex-M has locked up (lockup.c) */
	/* Set if the program handles signals in code that had run before the program installed the
	 * handler. */
	_Atomic uint32_t handlers_unseen;
	/* Set if the program has more blocks of code than there are numbers for blocks. */
	_Atomic uint32_t blocks_full;
	/* Set if the program executed a file that this machine cannot run. */
	_Atomic uint32_t foreign_execs;
	_Atomic uint32_t levels_unseen; /* set if the emulator does not report exception levels */
	/* The number of executed instructions that wrote a block of memory at an unknown
	 * address. */
	_Atomic uint64_t zeroes_unseen;
	/* The number of executed prefetch instructions that pmk could not model. */
	_Atomic uint64_t preloads_unseen;
	/*
	 * Bits of enum pmk_control. `control_followed` has the units that firmware can turn on by a
	 * control register, `control_seen` the units that it has turned on, and `control_unseen`
	 * the units that it may have turned on without pmk seeing it.
	 */
	_Atomic uint32_t control_followed, control_seen, control_unseen;
	_Atomic uint32_t unsampled; /* set if the emulator cannot sample programs */
	/* A copy of pmk_runner_config.guest, which describes the PMU that emulated code programs.
	 * Then the numbers of accesses to that PMU and of its interrupts. */
	struct pmk_guest_config guest;
	_Atomic uint64_t guest_reads, guest_writes, guest_interrupts;
	char guest_lacks[128];		 /* what the emulator lacks for `guest`, or "" */
	_Atomic int32_t guest_log_error; /* errno of the first failed write to the log */
	_Atomic int32_t error;		 /* enum pmk_error: the plugin could not start a core */
	struct pmk_arena_slot slot[PMK_ARENA_SLOTS];
	struct pmk_arena_pins pins; /* used if cfg.shows_pins is set */
};

/* Offsets inside the mapping. */
#define PMK_CPU_HEAD   PMK_ALIGN_UP(sizeof(struct pmk_emulated))
/* The last counter belongs to no block: see pmk_emulated_blocks.rest. */
#define PMK_EXEC_BYTES PMK_ALIGN_UP((PMK_MAX_BLOCKS + 1) * sizeof(struct pmk_executions))
#define PMK_CPU_BYTES  (PMK_CPU_HEAD + PMK_EXEC_BYTES)
#define PMK_FACT_BYTES PMK_ALIGN_UP(PMK_MAX_BLOCKS * sizeof(struct pmk_facts))
#define PMK_RING_BYTES PMK_ALIGN_UP(sizeof(struct pmk_arena_ring))
#define PMK_SLOT_BYTES (PMK_FACT_BYTES + PMK_RING_BYTES + PMK_ARENA_CPUS * PMK_CPU_BYTES)
#define PMK_HEAD_BYTES PMK_ALIGN_UP(sizeof(struct pmk_arena))

static inline uint64_t pmk_arena_bytes(unsigned slots)
{
	return PMK_HEAD_BYTES + slots * (uint64_t)PMK_SLOT_BYTES;
}

/* A number that changes if the layout of the arena changes. */
#define PMK_ARENA_LAYOUT (sizeof(struct pmk_arena) << 32 | sizeof(struct pmk_emulated))

/* Returns the memory of a slot. A process that found no free slot has private memory with the
 * layout of a slot. */
static inline char *pmk_arena_memory(struct pmk_arena *a, const struct pmk_arena_slot *slot)
{
	return (char *)a + PMK_HEAD_BYTES + (uint64_t)(slot - a->slot) * PMK_SLOT_BYTES;
}

static inline struct pmk_facts *pmk_slot_facts(char *memory)
{
	return (struct pmk_facts *)memory;
}

static inline struct pmk_arena_ring *pmk_slot_ring(char *memory)
{
	return (struct pmk_arena_ring *)(memory + PMK_FACT_BYTES);
}

static inline struct pmk_emulated *pmk_slot_cpu(char *memory, unsigned cpu)
{
	return (struct pmk_emulated *)(memory + PMK_FACT_BYTES + PMK_RING_BYTES +
				       cpu * PMK_CPU_BYTES);
}

static inline struct pmk_executions *pmk_slot_executions(char *memory, unsigned cpu)
{
	return (struct pmk_executions *)((char *)pmk_slot_cpu(memory, cpu) + PMK_CPU_HEAD);
}

#endif
