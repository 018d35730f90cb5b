/* SPDX-License-Identifier: MIT */
/*
 * The counters of one emulated core: a running core, its bus, one model of the PMU per pass, and
 * the session that drives them through the same driver that silicon uses. It also handles regions
 * and intervals, because it sees every position in the program.
 *
 * The struct is in memory that the emulator and pmk share, so that the counts survive a crash of
 * the emulator. The emulator's side starts the core and calls the functions for running; to read
 * the counts, pmk copies the struct and calls pmk_emulated_finish() on the copy.
 */
#ifndef PMK_SESSION_EMULATED_H
#define PMK_SESSION_EMULATED_H

#include <stddef.h>
#include <stdint.h>

#include <pmk/microblaze.h>
#include <pmk/model.h>
#include <pmk/reading.h>

#include "cpu/cpu.h"
#include "cpu/family.h"
#include "producer/session/devchip.h"
#include "producer/session/pmu_pair.h"
#include "producer/session/units.h"

#define PMK_MODEL_BYTES 2048 /* room for any model; pmk_emulated_start() rejects a larger one */
#define PMK_MAX_REGIONS 16

/* What to count, and where; pmk fills it, and it is the same for all cores of a run. */
struct pmk_emulated_region {
	uint64_t begin; /* guest address; entering counts when a block starts here */
	uint64_t end;	/* 0: until the function entered at `begin` returns; else the end address */
};

/* The exception levels at which an event is counted: all levels, only EL0, or only levels above
 * EL0. */
enum pmk_levels { PMK_LEVELS_ALL, PMK_LEVELS_USER, PMK_LEVELS_KERNEL };

enum pmk_interval_unit { PMK_INTERVAL_NONE, PMK_INTERVAL_CYCLES, PMK_INTERVAL_INSNS };

/* Parts of a core that can be modelled without its other parts. Without PMK_PART_CLOCK there is
 * no time, and only the counts of the selected parts exist; PMK_PART_DATA and PMK_PART_FETCH
 * then exclude each other. */
enum pmk_parts {
	PMK_PART_EXECUTIONS = 1 << 0, /* how often each instruction was executed */
	PMK_PART_DATA = 1 << 1,	      /* hits and misses of data accesses in the level 1 caches */
	/* Hits and misses of instruction fetch in the level 1 cache and its micro-TLB, and the
	 * predictions of the branch predictor; or both, if predictions decide what is fetched. */
	PMK_PART_FETCH = 1 << 2,
	PMK_PART_PREDICTOR = 1 << 3,
	PMK_PART_CLOCK = 1 << 4, /* everything else; it requires all parts of the core */
};

struct pmk_emulated_config {
	char pmu[32];
	/*
	 * The name of a second PMU on the same bus: the PMU of the level 2 cache, or of the core.
	 * Empty: there is no second PMU. Events of the plan with `pmu` = 1 belong to it.
	 */
	char beside[32];
	struct pmk_core core;
	struct pmk_plan plan;
	uint32_t nregions;
	struct pmk_emulated_region region[PMK_MAX_REGIONS];
	/* 1: region[0] is --from/--to, and everything counts only inside that region */
	uint32_t window;
	/* The other masters on the buses around the core; and the layout, which has the register
	 * offsets of their monitor. The layout is the project's, unless the caller sets another
	 * layout before pmk_emulated_configure(). */
	struct pmk_traffic traffic;
	struct pmk_ahbmon_layout layout;
	/* True if a sink receives the pins; then also their codes. */
	uint32_t shows_pins;
	struct pmk_ahbmon_packet_params codes;
	/* levels[] is enum pmk_levels for each event of the plan. `watch_levels`: at least one
	 * event is not counted at all levels, so the level of the core must be followed. */
	uint8_t levels[PMK_MAX_EVENTS];
	uint32_t watch_levels;
	uint32_t interval_unit;
	/* A region ends where a function returns: calls and returns must be followed. */
	uint32_t follows;
	/* Readings are frequent: counts are summed at every block; see pmk_emulated_configure(). */
	uint32_t eager;
	/*
	 * `parts`: the parts of the core that the producer must run (enum pmk_parts). `whole`: it
	 * should run all parts anyway.
	 */
	uint32_t parts, whole;
	/* The producer handles every data access itself, even if translated code could test whether
	 * it changes anything. */
	uint32_t untested;
	uint64_t interval;
	/* Cycles of the core before counting begins, at the first block that reaches them. Not used
	 * with a window or regions. */
	uint64_t delay;
	/* Parameters of sampling, which is only for programs without a window, regions, intervals
	 * and a delay. */
	struct pmk_units_config units;
	unsigned random_seed; /* seed of the program's random numbers; the default is 1 */
	/* A PMU that the emulated code programs itself: 1 + its index in pmk_pmus[], or 0. This
	 * PMU is on the bus of the PMU that is read here, but does not affect it. */
	uint32_t guest;
	/* The producer follows the EL2 and EL3 registers that control this PMU. */
	uint32_t guest_controlled;
};

static inline const struct pmk_pmu *pmk_emulated_guest(const struct pmk_emulated_config *cfg)
{
	return cfg->guest ? pmk_pmus[cfg->guest - 1] : NULL;
}

struct pmk_region_state {
	uint64_t entries;
	struct pmk_reading total;
	struct pmk_reading entered_at; /* reading of the session at the outermost entry */
	uint32_t inside;
	uint32_t call_depth; /* open calls at the outermost entry */
};

/* Limits: the number of open calls that are remembered; the number of them that are searched for
 * the target of a jump that may be a return but does not look like one; the number of addresses
 * that are remembered for longjmp. */
#define PMK_CALL_STACK	 (UINT32_C(4) << 20)
#define PMK_CALLS_NEARBY 1024
#define PMK_RETURNED	 256

/* An address that was returned to, and the number of open calls at that time. */
struct pmk_returned {
	uint64_t addr;
	uint32_t calls;
};

struct pmk_emulated {
	struct pmk_cpu cpu;
	struct pmk_bus bus;
	struct pmk_session session;
	uint64_t model[PMK_MAX_PASSES][PMK_MODEL_BYTES / 8];
	struct pmk_region_state region[PMK_MAX_REGIONS];
	/* The clock when the program began: the cycles of the start itself. */
	uint64_t start_cycles;
	/* Return addresses of the open calls, kept only while calls are followed: address space of
	 * the process for PMK_CALL_STACK. When the stack overflows, older addresses are dropped,
	 * and `calls_lost` is set. */
	uint64_t *call;
	uint32_t calls;
	bool calls_lost;
	/* indexed by address; shows which calls longjmp leaves */
	struct pmk_returned returned[PMK_RETURNED];
	/*
	 * About the block that begins now: the regions that end before it, by a return or at their
	 * end address, and the regions that begin with it, as bits; and whether the block before it
	 * ended with a taken direct branch that is not a call.
	 */
	uint32_t ending, beginning;
	bool branched;
	/* Intervals. */
	uint64_t interval_due;		   /* in the unit of the interval */
	struct pmk_reading interval_total; /* reading at the end of the last interval */
	/* The time when counting begins, in cycles; PMK_NEVER: it has begun. Then the counts up to
	 * that time, and its cycles. */
	uint64_t delay_due;
	struct pmk_reading delayed;
	uint64_t delayed_cycles;
	/* Sampling: the phase of the core, and the number of its instructions at which it ends; the
	 * counts, instructions and cycles at which it began; and the next unit. */
	uint32_t phase; /* enum pmk_units_phase */
	uint64_t phase_due, phase_insns, phase_cycles;
	struct pmk_reading phase_began;
	struct pmk_units_place unit;
	union pmk_cpu_own kept; /* the core's state before a cold unit, during the unit */
	int32_t error;		/* first error of the driver, 0 = none */
	uint64_t guest[PMK_MODEL_BYTES / 8]; /* the model of the PMU of cfg.guest */
	uint64_t guest_accessed;	     /* the cycle of the last access to it */
	/* The hardware around the core, for PMUs that count there. Other PMUs do not touch this
	 * memory, and untouched pages cost nothing. */
	struct pmk_devchip chip;
};

/* How much of the struct is used. */
static inline size_t pmk_emulated_bytes(const struct pmk_emulated_config *cfg)
{
	return pmk_core_family(&cfg->core)->run->attach ? sizeof(struct pmk_emulated)
							: offsetof(struct pmk_emulated, chip);
}

/* Copy the parts that `cfg` uses. The other parts of `to` stay unchanged and are not used. */
void pmk_emulated_copy(struct pmk_emulated *to, const struct pmk_emulated *from,
		       const struct pmk_emulated_config *cfg);

/* Pointers that only one process may use, kept outside of shared memory. */
struct pmk_emulated_ports {
	struct pmk_model_port model[PMK_MAX_PASSES];
	struct pmk_port port[PMK_MAX_PASSES];
	/* The PMU itself, if the core's parameters configure it. */
	struct pmk_microblaze_pmu microblaze;
	struct pmk_pmu ahbmon; /* the PMU with the layout of the configuration */
	const struct pmk_pmu *pmu[PMK_PMU_PAIR];
	/* Receives the pins of the AHB Monitor. Set it before start and finish. */
	struct pmk_pins_sink pins;
};

/*
 * The PMU `name` as the core has it, or NULL. The counters of a MicroBlaze are parameters of the
 * core: then `own` is filled, and the result points to it.
 */
const struct pmk_pmu *pmk_emulated_pmu(const char *name, const struct pmk_core *core,
				       struct pmk_microblaze_pmu *own);

/* Returns the signals that the PMU of the core can count: the signals that the core raises or, for
 * a PMU outside of the core, the signals of its buses. */
struct pmk_signal_set pmk_emulated_raises(const struct pmk_core *core);

/* Gives the addresses of the facts and the execution counters of a core. */
struct pmk_emulated_blocks {
	const struct pmk_facts *facts;
	const struct pmk_executions *executions;
	uint32_t count;
	uint64_t rest; /* instructions executed while nothing was counted */
};

/* Compute members of the configuration from the members that the caller has set. */
void pmk_emulated_configure(struct pmk_emulated_config *cfg);

/* Start counting with a fresh core, in memory that is zero: most of it is never touched.
 * `executions` points to its execution counters. Returns 0 or a negative error. */
int pmk_emulated_start(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg, struct pmk_executions *executions);
/* Call it in the process that started the core. */
void pmk_emulated_fini(struct pmk_emulated *e);
/* Prepare the copy of a core for a forked process: its caches are warm, and it counts from 0. */
int pmk_emulated_forked(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, struct pmk_executions *executions);

/* Let counting begin `cycles` from now, instead of after the delay in the configuration; 0: now. */
void pmk_emulated_delay(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			uint64_t cycles);
/* Returns the remaining cycles of the delay. */
uint64_t pmk_emulated_delay_left(const struct pmk_emulated *e);

/* Get the counts up to now, inside the window or after the delay, or in the whole run if there is
 * neither. */
int pmk_emulated_totals(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_reading *totals);

/*
 * Handle the core's deadline: poll the session if a counter may be about to wrap, begin to count if
 * the delay is over, and end the interval if it is over. Returns 1 with the interval's counts in
 * *delta, else 0 or an error.
 */
int pmk_emulated_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, struct pmk_reading *delta);

/*
 * Sampling. Call pmk_emulated_piece() instead of pmk_emulated_deadline(). That function returns 1
 * when a piece has ended, with the counts of the piece. e->phase may then be REST: the producer
 * counts only the instructions in `rest` until they reach pmk_emulated_unit_at(), and then calls
 * pmk_emulated_unit() to begin the next unit. The unit may use a cold core, whose tables are at
 * another address; the function returns 0 or a negative error. pmk_emulated_whole() returns like
 * pmk_emulated_piece(); after it, everything is counted.
 */
int pmk_emulated_piece(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece);
uint64_t pmk_emulated_unit_at(const struct pmk_emulated *e);
int pmk_emulated_unit(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		      const struct pmk_emulated_blocks *b);
int pmk_emulated_whole(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece);

/*
 * An access to the PMU that the emulated code programs (cfg.guest): read its register `reg` into
 * *value, or write it. Everything executed until now is counted first. Returns 0, or PMK_EUNDEF if
 * `mode` may not do that. pmk_emulated_may() checks this in advance and changes nothing.
 */
struct pmk_guest_access {
	enum pmk_mode mode;
	unsigned reg;
	bool write;
	unsigned oddities; /* output: mistakes of this access, as in pmk_model_oddities() */
	uint64_t own_bits; /* what the emulator's register adds to the value that the model has */
	/* For PMUv3 in AArch32: the coprocessor 15 register of the access, or all 64 bits. */
	struct pmk_guest_cp15 {
		bool used, wide;
		uint8_t crn, crm, opc2;
	} cp15;
};
int pmk_emulated_access(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_guest_access *a,
			uint64_t *value);
/* `trap` becomes the exception level to which a forbidden access traps; 0: it is UNDEFINED. */
int pmk_emulated_may(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		     const struct pmk_guest_access *a, unsigned *trap);
/* Change an input of the model. Everything executed before is counted first. */
void pmk_emulated_control(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, const char *input, uint64_t value);
/* Reset the PMU, as a processor does. */
void pmk_emulated_reset(struct pmk_emulated *e, const struct pmk_emulated_config *cfg);
/* Returns the buses that the models count on; *n is their number. */
const struct pmk_bus *pmk_emulated_counted(const struct pmk_emulated *e, unsigned *n);
/*
 * Returns the interrupt lines of the guest's PMU, as pmk_model_ops.lines. Call it after
 * pmk_emulated_deadline() or an access.
 */
unsigned pmk_emulated_lines(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg);

/*
 * Follow exception levels. pmk_emulated_leave_level(): the core leaves a level, and all counts
 * until now belong to it. pmk_emulated_enter_level(): the counts since then, and from now on,
 * belong to `level`.
 */
void pmk_emulated_leave_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      const struct pmk_emulated_blocks *b);
void pmk_emulated_enter_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      unsigned level);

/*
 * Call it when the block `next` starts, before the core sees it: wherever a region may begin or end
 * by its address, which is a `boundary`, and everywhere while calls and returns are followed. At a
 * crossing it sets cpu.crossing, and the core's on_crossing() must call pmk_emulated_cross().
 */
void pmk_emulated_follow(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			 const struct pmk_block *next, bool boundary);
void pmk_emulated_cross(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b);

/* Upper limit of all plausible counts: a run of centuries. */
#define PMK_MOST_COUNTED (UINT64_MAX >> 2)

/* Like pmk_emulated_start(), for a core that never runs: pmk_emulated_invalid() compares others
 * with it. Such a core needs no pmk_emulated_fini(). */
int pmk_emulated_begin(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg);

/*
 * Checks a private copy of memory that others can write. Returns the name of a part that cannot be
 * the state of a core, or NULL if the copy is valid and may be passed to the functions below.
 * `begun` has begun to count with the same configuration; members that are not counts are copied
 * from it.
 */
const char *pmk_emulated_invalid(struct pmk_emulated *copy, const struct pmk_emulated *begun,
				 const struct pmk_emulated_config *cfg);
bool pmk_reading_valid(const struct pmk_reading *r);

/*
 * Get the final counts, from a private copy of the struct: closes open regions, and reads
 * everything through the driver. *totals is as in pmk_emulated_totals(). Returns PMK_ERANGE if the
 * execution counters are impossibly large.
 */
int pmk_emulated_finish(struct pmk_emulated *copy, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, const struct pmk_emulated_blocks *b,
			struct pmk_reading *totals);

#endif
