/* SPDX-License-Identifier: MIT */
/*
 * The counters of one emulated core: a running core, its bus, one model of the PMU per pass, and
 * the session that drives them through the same driver that silicon uses. Exact positions in the
 * program make regions and intervals possible, too.
 *
 * The struct lies in memory shared between the emulator and pmk, so that the counts survive
 * whatever happens to the emulator: the emulator's side calls attach, and the functions below it
 * while it runs; to read the counts, pmk copies the struct and calls pmk_emulated_finish() on the
 * copy.
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
#include "producer/session/several.h"
#include "producer/session/units.h"

#define PMK_MODEL_BYTES 2048 /* room for any model; attach refuses a larger one */
#define PMK_MAX_REGIONS 16

/* What to count, and where; it is the same for all cores of a run. pmk fills it. */
struct pmk_emulated_region {
	uint64_t begin; /* guest address; entering counts when a block starts here */
	uint64_t
		end; /* 0: until the function entered at `begin` returns; else until this address */
};

/* At which exception levels an event is counted: all, EL0, those above EL0. */
enum pmk_levels { PMK_LEVELS_ALL, PMK_LEVELS_USER, PMK_LEVELS_KERNEL };

enum pmk_interval_unit { PMK_INTERVAL_NONE, PMK_INTERVAL_CYCLES, PMK_INTERVAL_INSNS };

/* Parts of a core whose counts do not depend on the rest of it. Without PMK_PART_CLOCK there is no
 * time, and nothing but these counts. */
enum pmk_parts {
	PMK_PART_EXECUTIONS = 1 << 0, /* how often each instruction was executed */
	PMK_PART_DATA = 1 << 1,	      /* what data accesses find in the level 1 caches */
	/* What instruction fetch finds in the level 1 cache and its micro-TLB; and what the branch
	 * predictor says, or, where that decides what is fetched, both. */
	PMK_PART_FETCH = 1 << 2,
	PMK_PART_PREDICTOR = 1 << 3,
	PMK_PART_CLOCK = 1 << 4, /* all else, and with it all of the core */
};

struct pmk_emulated_config {
	char pmu[32];
	/* A second PMU on the same bus, that of the level 2 cache or of the core, or empty:
	 * events of the plan whose `pmu` is 1 belong to it. */
	char beside[32];
	struct pmk_core core;
	struct pmk_plan plan;
	uint32_t nregions;
	struct pmk_emulated_region region[PMK_MAX_REGIONS];
	/* 1: region[0] is --from/--to, and everything counts only inside that region */
	uint32_t window;
	/* The other masters on the buses around the core; and the layout, which says where their
	 * monitor has its registers: it is the project's own unless another one is set before
	 * pmk_emulated_configure(). */
	struct pmk_traffic traffic;
	struct pmk_ahbmon_layout layout;
	/* Is anybody told what its pins show? Then: their codes. */
	uint32_t shows_pins;
	struct pmk_ahbmon_packet_params codes;
	/* Of each event of the plan, enum pmk_levels; and whether any of them is not ALL: then the
	 * levels of the core are watched. */
	uint8_t levels[PMK_MAX_EVENTS];
	uint32_t watch_levels;
	uint32_t interval_unit;
	/* a region ends where a function returns: calls and returns are followed */
	uint32_t follows;
	/* readings are frequent: the counts are added up at every block; see configure */
	uint32_t eager;
	/* What the producer has to run of the core, of enum pmk_parts; and whether it is all of it,
	 * whatever is asked. */
	uint32_t parts, whole;
	/* The producer is to look at every data access itself, even if translated code could test
	 * whether it makes a difference. */
	uint32_t untested;
	uint64_t interval;
	/* Cycles of the core before counting begins, with the first block that reaches them; not
	 * with a window or regions. */
	uint64_t delay;
	/* Sampling; of programs alone, without a window, regions, intervals and a delay. */
	struct pmk_units_config units;
	unsigned random_seed; /* of the random numbers that a program gets; the usual one is 1 */
	/* A PMU that the emulated code programs itself: 1 + its index in pmk_pmus[], or 0. It is on
	 * the same bus as the one that is read here, and neither knows of the other. */
	uint32_t guest;
	/* The producer follows the registers of EL2 and EL3 that control it. */
	uint32_t guest_controlled;
};

static inline const struct pmk_pmu *pmk_emulated_guest(const struct pmk_emulated_config *cfg)
{
	return cfg->guest ? pmk_pmus[cfg->guest - 1] : NULL;
}

struct pmk_region_state {
	uint64_t entries;
	struct pmk_reading total;
	struct pmk_reading entered_at; /* of the session, at the outermost entry */
	uint32_t inside;
	uint32_t call_depth; /* calls under way at the outermost entry */
};

/* How many calls are remembered; how many of them are searched for the target of a jump that may be
 * a return, but does not look like one; and how many addresses are remembered for longjmp. */
#define PMK_CALL_STACK	 (UINT32_C(4) << 20)
#define PMK_CALLS_NEARBY 1024
#define PMK_RETURNED	 256

/* An address that was returned to, and how many calls were under way at that moment. */
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
	/* the clock when the program began: the cycles that the start itself took */
	uint64_t start_cycles;
	/* Return addresses of the calls under way, kept only while calls are followed: address
	 * space of the process for PMK_CALL_STACK. When the stack overflows, older addresses are
	 * forgotten, and `calls_lost` is set. */
	uint64_t *call;
	uint32_t calls;
	bool calls_lost;
	struct pmk_returned returned[PMK_RETURNED]; /* by address; tells what longjmp leaves */
	/* What is crossed: regions that end, by return or address, and that begin, a bit each; and
	 * was the last block left to here by a direct branch that is no call? */
	uint32_t ending, beginning;
	bool branched;
	/* Intervals. */
	uint64_t interval_due;		   /* in the interval's unit */
	struct pmk_reading interval_total; /* position at the end of the last interval */
	/* When counting begins, in cycles; PMK_NEVER: it has begun. Then what had been counted by
	 * then, and the cycles that this took. */
	uint64_t delay_due;
	struct pmk_reading delayed;
	uint64_t delayed_cycles;
	/* Sampling: what the core does, up to how many instructions of its own; what it had counted
	 * when it began with that, and by how many instructions and cycles; and the next unit. */
	uint32_t phase; /* enum pmk_units_phase */
	uint64_t phase_due, phase_insns, phase_cycles;
	struct pmk_reading phase_began;
	struct pmk_units_place unit;
	union pmk_cpu_own kept;		     /* during a cold unit, what the core was before */
	int32_t error;			     /* first error of the driver, 0 = none */
	uint64_t guest[PMK_MODEL_BYTES / 8]; /* the model of cfg.guest */
	uint64_t guest_accessed;	     /* the cycle of the last access to it */
	/* The hardware around the core, for PMUs that count there. With other PMUs nobody
	 * touches this memory, and pages that are never touched cost nothing. */
	struct pmk_devchip chip;
};

/* How much of the struct is used. */
static inline size_t pmk_emulated_bytes(const struct pmk_emulated_config *cfg)
{
	return pmk_core_family(&cfg->core)->attach ? sizeof(struct pmk_emulated)
						   : offsetof(struct pmk_emulated, chip);
}

/* Copy what of it is used; the rest of `to` stays as it is, and nobody looks at it. */
void pmk_emulated_copy(struct pmk_emulated *to, const struct pmk_emulated *from,
		       const struct pmk_emulated_config *cfg);

/* Pointers that only one process may use, kept outside of shared memory. */
struct pmk_emulated_ports {
	struct pmk_model_port model[PMK_MAX_PASSES];
	struct pmk_port port[PMK_MAX_PASSES];
	/* The PMU itself, where the core's parameters say how it was built. */
	struct pmk_microblaze_pmu microblaze;
	struct pmk_pmu ahbmon; /* with the layout of the configuration */
	const struct pmk_pmu *pmu[PMK_SEVERAL];
	/* Who is told what the pins of the AHB Monitor show. Set it before start and finish. */
	struct pmk_pins_sink pins;
};

/*
 * The PMU `name` as the core has it, or NULL where there is none. A MicroBlaze's counters are
 * parameters of the core: then `own` is filled, and the result points to it.
 */
const struct pmk_pmu *pmk_emulated_pmu(const char *name, const struct pmk_core *core,
				       struct pmk_microblaze_pmu *own);

/* The signals that can be counted on it: those that the core raises or, for a PMU outside of the
 * core, those of the buses there. */
struct pmk_signal_set pmk_emulated_raises(const struct pmk_core *core);

/* Tells where the facts and the execution counters of a core are. */
struct pmk_emulated_blocks {
	const struct pmk_facts *facts;
	const struct pmk_executions *executions;
	uint32_t count;
	uint64_t rest; /* instructions that were executed while nothing was counted */
};

/* Derive the rest of the configuration from the members that are set. */
void pmk_emulated_configure(struct pmk_emulated_config *cfg);

/* Start counting with a fresh core, in memory that is zero: most of it is never touched.
 * `executions` points to its execution counters. Returns 0 or a negative error. */
int pmk_emulated_start(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg, struct pmk_executions *executions);
/* Call it in the process that started the core. */
void pmk_emulated_fini(struct pmk_emulated *e);
/* Make the copy of a core for a forked process: its caches are warm, and it counts from 0. */
int pmk_emulated_forked(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, struct pmk_executions *executions);

/* Counting begins after so many cycles from now, in place of those of the configuration; 0: now. */
void pmk_emulated_delay(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			uint64_t cycles);
/* How many cycles are left of them. */
uint64_t pmk_emulated_delay_left(const struct pmk_emulated *e);

/* What has been counted up to now inside the window, behind the delay, or in the whole run
 * where there is neither. */
int pmk_emulated_totals(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_reading *totals);

/*
 * The core reached its deadline: poll the session where a counter may be about to wrap, begin to
 * count where the delay is over, and end the interval where that is. Returns 1 with the interval's
 * counts in *delta, else 0 or an error.
 */
int pmk_emulated_deadline(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, struct pmk_reading *delta);

/*
 * Sampling. pmk_emulated_piece() is called in place of pmk_emulated_deadline(): it returns 1 when a
 * piece is over, with what was counted in it. Then e->phase may be REST: until `rest` has come to
 * pmk_emulated_unit_at(), nothing is to be counted but the instructions of `rest`, and then
 * pmk_emulated_unit() begins the next unit, perhaps with a cold core, whose tables are then
 * elsewhere; it returns 0 or a negative error. From pmk_emulated_whole() on, which returns as
 * pmk_emulated_piece(), everything is counted.
 */
int pmk_emulated_piece(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece);
uint64_t pmk_emulated_unit_at(const struct pmk_emulated *e);
int pmk_emulated_unit(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		      const struct pmk_emulated_blocks *b);
int pmk_emulated_whole(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece);

/*
 * The PMU that the emulated code programs (cfg.guest): read its register `reg` into *value, or
 * write it. What was executed until now has been counted then. Returns 0, or PMK_EUNDEF where
 * `mode` may not do that. pmk_emulated_may() tells beforehand, and changes nothing.
 */
struct pmk_guest_access {
	enum pmk_mode mode;
	unsigned reg;
	bool write;
	unsigned oddities; /* what was wrong with it, as pmk_model_oddities(); it is filled in */
	/* Of PMUv3 in AArch32: which register of coprocessor 15 stands for it, or all 64 bits. */
	struct pmk_guest_cp15 {
		bool used, wide;
		uint8_t crn, crm, opc2;
	} cp15;
};
int pmk_emulated_access(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_guest_access *a,
			uint64_t *value);
/* `trap`: the exception level that an access which may not be made traps to; 0: it is UNDEFINED. */
int pmk_emulated_may(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		     const struct pmk_guest_access *a, unsigned *trap);
/* Change an input of the model. Everything executed before is counted first. */
void pmk_emulated_control(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, const char *input, uint64_t value);
/* Reset it, as a processor does. */
void pmk_emulated_reset(struct pmk_emulated *e, const struct pmk_emulated_config *cfg);
/* The buses that the models count on; `n`: their number. */
const struct pmk_bus *pmk_emulated_counted(const struct pmk_emulated *e, unsigned *n);
/* Its interrupt lines, as pmk_model_ops.lines, after pmk_emulated_deadline() or an access. */
unsigned pmk_emulated_lines(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg);

/* Levels are watched: the core leaves a level, which has counted until now; and what it has counted
 * since then, and counts from now on, is at `level`. */
void pmk_emulated_leave_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      const struct pmk_emulated_blocks *b);
void pmk_emulated_enter_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      unsigned level);

/*
 * Call when the block `next` starts, before the core learns of it: where a region may begin or end
 * by its address, which is `boundary`, and everywhere while calls and returns are followed. Where
 * one does, cpu.crossing is set, and the core's on_crossing() has to call pmk_emulated_cross().
 */
void pmk_emulated_follow(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			 const struct pmk_block *next, bool boundary);
void pmk_emulated_cross(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b);

/* No more than this was ever counted of anything: a run of centuries. */
#define PMK_MOST_COUNTED (UINT64_MAX >> 2)

/* As pmk_emulated_start(), for a core that nothing will run on: pmk_emulated_unsound() compares
 * others with it. It needs no pmk_emulated_fini(). */
int pmk_emulated_begin(struct pmk_emulated *e, struct pmk_emulated_ports *ports,
		       const struct pmk_emulated_config *cfg);

/*
 * What cannot be the state of a core in a private copy of memory that others can write; NULL: all
 * of it can be, and the copy may be given to the functions below. `begun` has begun to count by the
 * same configuration; what is no count is taken from there.
 */
const char *pmk_emulated_unsound(struct pmk_emulated *copy, const struct pmk_emulated *begun,
				 const struct pmk_emulated_config *cfg);
bool pmk_reading_sound(const struct pmk_reading *r);

/*
 * The final counts, from a private copy of the struct: closes open regions, reads everything
 * through the driver. *totals as pmk_emulated_totals. PMK_ERANGE: executions say more than can have
 * been counted.
 */
int pmk_emulated_finish(struct pmk_emulated *copy, struct pmk_emulated_ports *ports,
			const struct pmk_emulated_config *cfg, const struct pmk_emulated_blocks *b,
			struct pmk_reading *totals);

#endif
