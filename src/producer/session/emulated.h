/* SPDX-License-Identifier: MIT */
/*
 * The counters of one emulated core: a running core, its bus, one model of the PMU per pass, and
 * the session that drives them through the same driver that silicon uses. It also handles regions
 * and intervals, because it is called wherever they may begin or end.
 *
 * The struct is in memory that the emulator and pmk share, so that the counts survive a crash of
 * the emulator. The plugin in the emulator starts the core and calls the functions for running. To
 * read the counts, pmk copies the struct and calls pmk_emulated_finish() on the copy.
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

/* A region: where to count. pmk fills it in, and it is the same for all cores of a run. */
struct pmk_emulated_region {
	uint64_t begin; /* guest address; entering counts when a block starts here */
	uint64_t end;	/* end address; 0: the region ends when the function at `begin` returns */
};

/* The exception levels at which an event is counted: all levels, only EL0, or only levels above
 * EL0. */
enum pmk_levels { PMK_LEVELS_ALL, PMK_LEVELS_USER, PMK_LEVELS_KERNEL };

enum pmk_interval_unit { PMK_INTERVAL_NONE, PMK_INTERVAL_CYCLES, PMK_INTERVAL_INSNS };

/* The parts of a core that can be modelled without its other parts. Without PMK_PART_CLOCK there is
 * no time, and only the counts of the selected parts exist. PMK_PART_DATA and PMK_PART_FETCH then
 * cannot be combined. */
enum pmk_parts {
	PMK_PART_EXECUTIONS = 1 << 0, /* how often each instruction was executed */
	PMK_PART_DATA = 1 << 1,	      /* hits and misses of data accesses in the level 1 caches */
	/* FETCH: hits and misses of instruction fetches in the level 1 cache and its micro-TLB.
	 * PREDICTOR: the predictions of the branch predictor. Both are set if predictions decide
	 * what is fetched. */
	PMK_PART_FETCH = 1 << 2,
	PMK_PART_PREDICTOR = 1 << 3,
	PMK_PART_CLOCK = 1 << 4, /* everything else; it requires all parts of the core */
};

struct pmk_emulated_config {
	char pmu[32];
	/*
	 * The name of a second PMU on the same bus, which is the PMU of the level 2 cache or of the
	 * core. It is empty if there is no second PMU. Events of the plan belong to the second PMU
	 * if their `pmu` is 1.
	 */
	char beside[32];
	struct pmk_core core;
	struct pmk_plan plan;
	uint32_t nregions;
	struct pmk_emulated_region region[PMK_MAX_REGIONS];
	/* If 1, region[0] is that of --from and --to, and nothing is counted outside of it. */
	uint32_t window;
	/* `traffic` has the other masters on the buses around the core. `layout` has the register
	 * offsets of the buses' monitor. It is the project's layout, unless the caller sets another
	 * layout before pmk_emulated_configure(). */
	struct pmk_traffic traffic;
	struct pmk_ahbmon_layout layout;
	/* True if a sink receives the pins. `codes` then has their codes. */
	uint32_t shows_pins;
	struct pmk_ahbmon_packet_params codes;
	/* levels[] is enum pmk_levels for each event of the plan. `watch_levels` is set if at least
	 * one event is not counted at all levels, so that the level of the core must be
	 * followed. */
	uint8_t levels[PMK_MAX_EVENTS];
	uint32_t watch_levels;
	uint32_t interval_unit;
	/* Set if a region ends where a function returns, so that calls and returns must be
	 * followed. */
	uint32_t follows;
	/* Set if readings are frequent. Counts are then summed at every block: see
	 * pmk_emulated_configure(). */
	uint32_t eager;
	/*
	 * `parts` has the parts of the core that the producer must run (enum pmk_parts). `whole` is
	 * set if it must run all parts in any case.
	 */
	uint32_t parts, whole;
	/* Set if the producer must handle every data access itself, even if translated code could
	 * test whether the access changes anything. */
	uint32_t untested;
	uint64_t interval;
	/* The cycles of the core before counting begins. Counting begins at the first block that
	 * starts after them. Not used with a window or regions. */
	uint64_t delay;
	/* Parameters of sampling. They are used only for programs without a window, regions,
	 * intervals and a delay. */
	struct pmk_units_config units;
	unsigned random_seed; /* seed of the program's random numbers; the default is 1 */
	/* The PMU that the emulated code programs itself, as 1 + its index in pmk_pmus[]; 0 if
	 * there is none. This PMU is on the bus of the PMU that pmk reads, but does not affect
	 * it. */
	uint32_t guest;
	/* Set if the producer follows the EL2 and EL3 registers that control the PMU of `guest`. */
	uint32_t guest_controlled;
};

static inline const struct pmk_pmu *pmk_emulated_guest(const struct pmk_emulated_config *cfg)
{
	return cfg->guest ? pmk_pmus[cfg->guest - 1] : NULL;
}

struct pmk_region_state {
	uint64_t entries;
	struct pmk_reading total;
	struct pmk_reading entered_at; /* reading when the region was entered */
	uint32_t inside;
	uint32_t call_depth; /* number of open calls when the region was entered from outside */
};

/* Limits. PMK_CALL_STACK is the number of open calls that are remembered. A jump that may be a
 * return, but does not look like one, is compared with the last PMK_CALLS_NEARBY of them.
 * PMK_RETURNED is the number of addresses that are remembered for longjmp. */
#define PMK_CALL_STACK	 (UINT32_C(4) << 20)
#define PMK_CALLS_NEARBY 1024
#define PMK_RETURNED	 256

/* An address to which a call has returned, and the number of open calls at that time. */
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
	/* The core's clock when the program began. The cycles before it were spent on starting the
	 * session. */
	uint64_t start_cycles;
	/* The return addresses of the open calls, which are kept only while calls are followed. The
	 * array is address space of this process for PMK_CALL_STACK addresses. When it is full,
	 * older addresses are dropped, and `calls_lost` is set. */
	uint64_t *call;
	uint32_t calls;
	bool calls_lost;
	/* A table that is indexed by address. It shows how many calls a longjmp leaves. */
	struct pmk_returned returned[PMK_RETURNED];
	/*
	 * About the block that is about to begin. `ending` is the set of regions that end before
	 * it, by a return or at their end address. `beginning` is the set of regions that begin
	 * with it. `branched` is true if the block before it ended with a taken direct branch that
	 * is not a call.
	 */
	uint32_t ending, beginning;
	bool branched;
	/* The state of intervals. */
	uint64_t interval_due;		   /* in the unit of the interval */
	struct pmk_reading interval_total; /* reading at the end of the last interval */
	/* `delay_due` is the time, in cycles, when counting begins, or PMK_NEVER if it has begun.
	 * `delayed` has the counts up to that time, and `delayed_cycles` the cycles up to that
	 * time. */
	uint64_t delay_due;
	struct pmk_reading delayed;
	uint64_t delayed_cycles;
	/* The state of sampling. `phase` is the phase of the core, and it ends when the core has
	 * executed `phase_due` instructions. `phase_began`, `phase_insns` and `phase_cycles` are
	 * the counts, instructions and cycles at which it began. `unit` is the next unit. */
	uint32_t phase; /* enum pmk_units_phase */
	uint64_t phase_due, phase_insns, phase_cycles;
	struct pmk_reading phase_began;
	struct pmk_units_place unit;
	union pmk_cpu_own kept; /* the state of the core before a cold unit */
	int32_t error;		/* the first error that the driver has returned, or 0 */
	uint64_t guest[PMK_MODEL_BYTES / 8]; /* the model of the PMU of cfg.guest */
	uint64_t guest_accessed;	     /* the cycle of the last access to `guest` */
	/* The hardware around the core, for PMUs that count there. For other PMUs, this memory is
	 * not touched, and untouched pages cost nothing. */
	struct pmk_devchip chip;
};

/* Returns how many bytes of the struct `cfg` uses. */
static inline size_t pmk_emulated_bytes(const struct pmk_emulated_config *cfg)
{
	return pmk_core_family(&cfg->core)->run->attach ? sizeof(struct pmk_emulated)
							: offsetof(struct pmk_emulated, chip);
}

/* Copies the parts that `cfg` uses. The other parts of `to` stay unchanged, and nothing uses
 * them. */
void pmk_emulated_copy(struct pmk_emulated *to, const struct pmk_emulated *from,
		       const struct pmk_emulated_config *cfg);

/* Pointers that are valid in only one process. They are kept outside of the shared memory. */
struct pmk_emulated_ports {
	struct pmk_model_port model[PMK_MAX_PASSES];
	struct pmk_port port[PMK_MAX_PASSES];
	/* The PMU itself, if its properties depend on the core's parameters. */
	struct pmk_microblaze_pmu microblaze;
	struct pmk_pmu ahbmon; /* the PMU with the layout of the configuration */
	const struct pmk_pmu *pmu[PMK_PMU_PAIR];
	/* Receives the pins of the AHB Monitor. The caller sets it before it calls start or
	 * finish. */
	struct pmk_pins_sink pins;
};

/*
 * Returns the PMU `name` as the core has it, or NULL. The counters of a MicroBlaze are parameters
 * of the core. In that case the function fills in `own` and returns a pointer into it.
 */
const struct pmk_pmu *pmk_emulated_pmu(const char *name, const struct pmk_core *core,
				       struct pmk_microblaze_pmu *own);

/* Returns the signals that the PMU of the core can count. For a PMU outside of the core, these are
 * the signals of its buses, and otherwise the signals that the core raises. */
struct pmk_signal_set pmk_emulated_raises(const struct pmk_core *core);

/* The addresses of the facts and of the execution counters of a core. */
struct pmk_emulated_blocks {
	const struct pmk_facts *facts;
	const struct pmk_executions *executions;
	uint32_t count;
	uint64_t rest; /* instructions executed while nothing was counted */
};

/* Computes the remaining members of the configuration from the members that the caller has set. */
void pmk_emulated_configure(struct pmk_emulated_config *cfg);

/* Starts counting with a fresh core. The memory must be zero; most of it is never touched.
 * `executions` points to its execution counters. Returns 0 or a negative error. */
int pmk_emulated_start(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg, struct pmk_executions *executions);
/* Frees what pmk_emulated_start() has allocated. Must be called in the process that started the
 * core. */
void pmk_emulated_fini(struct pmk_emulated *e);
/* Prepares the copy of a core for a forked process. The caches of the copy are warm, and it counts
 * from 0. */
int pmk_emulated_forked(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, struct pmk_executions *executions);

/* Makes counting begin `cycles` cycles from now, instead of after the delay in the configuration. 0
 * means now. */
void pmk_emulated_delay(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			uint64_t cycles);
/* Returns how many cycles of the delay remain. */
uint64_t pmk_emulated_delay_left(const struct pmk_emulated *e);

/* Gets the counts up to now. With a window or a delay, they are only the counts inside the window
 * or after the delay. */
int pmk_emulated_totals(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_reading *totals);

/*
 * Handles the core's deadline: polls the session if a counter may be about to wrap, begins to count
 * if the delay is over, and ends the interval if its time is over. If an interval has ended,
 * returns 1 and stores its counts in *delta. Otherwise returns 0 or an error.
 */
int pmk_emulated_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, struct pmk_reading *delta);

/*
 * Functions for sampling. The producer calls pmk_emulated_piece() instead of
 * pmk_emulated_deadline(). When a piece has ended, the function stores its counts in *piece and
 * returns 1. e->phase may then be REST. In that case the producer counts only the instructions, in
 * `rest`, until they reach pmk_emulated_unit_at(). Then it begins the next unit with
 * pmk_emulated_unit(), which returns 0 or a negative error. The unit may use a cold core, whose
 * tables are at another address. pmk_emulated_whole() ends sampling, so everything is counted
 * afterwards; it returns what pmk_emulated_piece() returns.
 */
int pmk_emulated_piece(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece);
uint64_t pmk_emulated_unit_at(const struct pmk_emulated *e);
int pmk_emulated_unit(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		      const struct pmk_emulated_blocks *b);
int pmk_emulated_whole(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece);

/*
 * An access to the PMU that the emulated code programs (cfg.guest). pmk_emulated_access() reads the
 * register `reg` into *value, or writes it. Everything executed until now is counted first. It
 * returns 0, or PMK_EUNDEF if `mode` may not make the access. pmk_emulated_may() checks this in
 * advance and changes nothing.
 */
struct pmk_guest_access {
	enum pmk_mode mode;
	unsigned reg;
	bool write;
	unsigned oddities; /* output: the mistakes in this access, as in pmk_model_oddities() */
	uint64_t own_bits; /* bits that the emulator's own register adds to the model's value */
	/* For PMUv3 in AArch32: which coprocessor 15 register is accessed. `wide` means all 64
	 * bits. */
	struct pmk_guest_cp15 {
		bool used, wide;
		uint8_t crn, crm, opc2;
	} cp15;
};
int pmk_emulated_access(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_guest_access *a,
			uint64_t *value);
/* Stores in *trap the exception level to which a forbidden access traps, or 0 if the access is
 * UNDEFINED. */
int pmk_emulated_may(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		     const struct pmk_guest_access *a, unsigned *trap);
/* Changes an input of the model. Everything executed before is counted first. */
void pmk_emulated_control(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, const char *input, uint64_t value);
/* Resets the PMU, as a reset of the processor does. */
void pmk_emulated_reset(struct pmk_emulated *e, const struct pmk_emulated_config *cfg);
/* Returns the buses on which the models count, and stores their number in *n. */
const struct pmk_bus *pmk_emulated_counted(const struct pmk_emulated *e, unsigned *n);
/*
 * Returns the interrupt lines of the guest's PMU, as pmk_model_ops.lines does. Must be called after
 * pmk_emulated_deadline() or an access.
 */
unsigned pmk_emulated_lines(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg);

/*
 * These functions follow exception levels. pmk_emulated_leave_level() is called when the core
 * leaves a level: all counts until now belong to that level. pmk_emulated_enter_level() makes the
 * counts since then, and all later counts, belong to `level`.
 */
void pmk_emulated_leave_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      const struct pmk_emulated_blocks *b);
void pmk_emulated_enter_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      unsigned level);

/*
 * Called when the block `next` starts, before the core sees the block. It is called wherever a
 * region may begin or end by its address (`boundary` is then true). While calls and returns are
 * followed, it is called at every block. If a region begins or ends, the function sets
 * cpu.crossing, and the core's on_crossing() must call pmk_emulated_cross().
 */
void pmk_emulated_follow(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			 const struct pmk_block *next, bool boundary);
void pmk_emulated_cross(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b);

/* The upper limit of all plausible counts. Reaching it would take centuries. */
#define PMK_MOST_COUNTED (UINT64_MAX >> 2)

/* Does the work of pmk_emulated_start() for a core that never runs. pmk_emulated_invalid() compares
 * other cores with this core. It needs no pmk_emulated_fini(). */
int pmk_emulated_begin(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg);

/*
 * Checks a private copy of memory that the program can write. Returns the name of a part that
 * cannot be the state of a core, or NULL if the copy is valid and may be passed to the functions
 * below. `begun` is a core that has begun to count with the same configuration. Members that are
 * not counts are copied from it.
 */
const char *pmk_emulated_invalid(struct pmk_emulated *copy, const struct pmk_emulated *begun,
				 const struct pmk_emulated_config *cfg);
bool pmk_reading_valid(const struct pmk_reading *r);

/*
 * Gets the final counts from a private copy of the struct. Closes open regions, and reads
 * everything through the driver. *totals is as in pmk_emulated_totals(). Returns PMK_ERANGE if the
 * execution counters are impossibly large.
 */
int pmk_emulated_finish(struct pmk_emulated *copy, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, const struct pmk_emulated_blocks *b,
			struct pmk_reading *totals);

#endif
