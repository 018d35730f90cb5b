/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Counters inside firmware.
 *
 *	static struct pmk_target pmu;
 *	enum { REGION_FFT, REGION_IRQ, NREGIONS };
 *	static struct pmk_region regions[NREGIONS] = { { .name = "fft" }, { .name = "irq" } };
 *
 *	pmk_target_open(&pmu, &pmk_arm1176, pmk_port_native());
 *	pmk_target_add(&pmu, PMK_ARM11_CPU_CYCLES);
 *	pmk_target_add(&pmu, PMK_ARM11_DCACHE_MISS);
 *	pmk_target_regions(&pmu, regions, NREGIONS);
 *	pmk_target_start(&pmu);
 *
 *	PMK_REGION_BEGIN(REGION_FFT);
 *	fft(...);
 *	PMK_REGION_END(REGION_FFT);
 *
 *	pmk_target_stop(&pmu);
 *	pmk_target_report(&pmu, uart_putc);
 *
 * The driver is the one that emulation and probes use; the port says how to reach the registers.
 * All memory is the caller's, there is no heap, no floating point and no hidden state, so there may
 * be several targets (two PMUs, or one per core; a target belongs to one core). Functions return 0,
 * a count, or a negative enum pmk_error.
 *
 * With PMK_ENABLED defined as 0 everything below is empty: no code, no data, no call.
 *
 * 64 bits out of 32. A counter of 32 bits wraps; each wrap sets a flag. pmk_target_isr(), called by
 * the overflow interrupt, or pmk_target_poll(), called often enough where no interrupt is wired,
 * adds 2^32 per flag. A reading takes counter and flags into account and gives the exact 64-bit
 * total at any moment, also while the interrupt is pending, masked or just being handled. It never
 * stops a counter, and it loses nothing, as long as each flag is served before the counter has gone
 * half round again: pmk_target_deadline() says how many cycles that is. A PMU without flags
 * (pmk_pmu.no_flags) is counted by differences between polls, under the same condition.
 *
 * Who may call what: pmk_target_read(), pmk_region_begin() and pmk_region_end() from anywhere, also
 * from interrupt handlers, with the locks of pmk_target_locks() where handlers or several tasks use
 * regions, or where the PMU is reached by sequences of accesses (pmk_pmu.sequential).
 * pmk_target_isr() from the overflow interrupt. Everything else from one thread.
 */
#ifndef PMK_TARGET_H
#define PMK_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/dwt.h>
#include <pmk/fast.h>
#include <pmk/l2cc.h>
#include <pmk/microblaze.h>
#include <pmk/native.h>
#include <pmk/pmu.h>
#include <pmk/riscv.h>
#include <pmk/stats.h>

#ifndef PMK_ENABLED
#define PMK_ENABLED 1
#endif

/* The object that the region macros use. Define this name before you include this header if
 * yours is called something else; `pmu` has to be visible where the macros are used. */
#ifndef PMK_TARGET
#define PMK_TARGET (&pmu)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_TARGET_EVENTS 8 /* events of one target */
#define PMK_TARGET_DEPTH  8 /* regions open at a time, per task */
#define PMK_NO_REGION	  0xffff

/* Shortest and longest sampling period, in events. A longer one could hide a wrap. The shortest
 * period is only useful for rare events: serving a sample takes some 600 to 950 instructions,
 * and a period that is over before that leaves the program no time. */
#define PMK_MIN_PERIOD 64
#define PMK_MAX_PERIOD 0x80000000u

/* Where characters of a report go: a UART, a buffer, semihosting. */
typedef void pmk_put(char c);

/*
 * One region: code between BEGIN and END. It lies in the caller's array, zeroed except for `name`;
 * its index is its id. `net` holds the counts of the region itself, per occurrence: the cost of
 * measuring is taken off (see pmk_target_start); `raw` is the sum before that.
 */
struct pmk_region {
	const char *name; /* NULL: the report says "region 3" */
	uint32_t count;	  /* completed occurrences */
	uint32_t errors;  /* ENDs without BEGIN or without a reading, BEGINs without END */
	uint64_t raw[PMK_TARGET_EVENTS];
	struct pmk_stats net[PMK_TARGET_EVENTS];
};

/* One sample: where the program was when a counter had counted its period. */
struct pmk_sample {
	uintptr_t pc;	 /* as the interrupt handler passed it; 0: polled */
	uint16_t region; /* innermost open one, or PMK_NO_REGION */
	uint8_t event;	 /* index: the order of pmk_target_add() */
	uint8_t late;	 /* 1: the counter went on for another period before it was served */
};

/* A ring of samples in the caller's memory. One writer (the interrupt handler), one reader. */
struct pmk_ring {
	struct pmk_sample *sample;
	uint32_t size;		      /* entries, a power of two */
	volatile uint32_t head, tail; /* ever written, ever read */
	volatile uint32_t dropped;    /* samples that were lost because the ring was full */
};

/* A region that is open. */
struct pmk_frame {
	uint16_t region;
	uint32_t inner; /* regions that began and ended inside */
	uint64_t begin[PMK_TARGET_EVENTS];
};

/* The data of an RTOS task: its own counts and its own open regions. */
struct pmk_task {
	uint64_t counted[PMK_TARGET_EVENTS]; /* counts up to the last time it was switched out */
	uint64_t since[PMK_TARGET_EVENTS];   /* totals when it was last switched in */
	struct pmk_frame frame[PMK_TARGET_DEPTH];
	uint32_t depth; /* may exceed PMK_TARGET_DEPTH: the surplus is not measured */
};

/* One event on its counter. There are two totals, and a word that says which of them is valid.
 * So the change is a single store, whoever interrupts whom. */
struct pmk_target_event {
	uint16_t code;
	uint8_t counter;
	bool missed;	 /* a wrap may have been missed; see pmk_target_wrapped() */
	uint64_t period; /* sampling: events per sample; 0 = plain counting */
	uint64_t preload, mask;
	/* Total when the counter was at `base`: at its last wrap; without flags, at its last
	 * poll. */
	struct {
		uint64_t done, base;
	} at[2];
	volatile uint32_t word; /* src/firmware/target.c says who may use which of these */
};

enum pmk_target_state {
	PMK_TARGET_CLOSED,
	PMK_TARGET_OPEN,
	PMK_TARGET_RUNNING,
	PMK_TARGET_STOPPED
};

struct pmk_target {
	struct pmk_dev dev;
	uint8_t state; /* enum pmk_target_state */
	uint8_t nevents;
	bool interrupts;
	/* the running task counts from the next reading on, because no reading was possible when
	 * it came */
	bool late;
	bool narrow; /* some counters have fewer than 32 bits */
	uint16_t nregions, nfast;
	struct pmk_counter_set used;
	uint32_t wraps; /* counters that have to be watched for wraps */
	struct pmk_target_event event[PMK_TARGET_EVENTS];
	uint64_t zero[PMK_TARGET_EVENTS]; /* totals when the caller's counting began */
	uint64_t cost[PMK_TARGET_EVENTS]; /* what an empty region counts */
	uint64_t nest[PMK_TARGET_EVENTS]; /* what a region adds to the one around it */
	struct pmk_region *region;
	struct pmk_fast_region *fast;
	struct pmk_ring *ring;
	struct pmk_task *task; /* the running task */
	struct pmk_task main;
	uintptr_t (*lock)(void);
	void (*unlock)(uintptr_t before);
};

/*
 * Take a PMU. Counters are stopped and zero afterwards. *t is zeroed memory, as static objects are,
 * or a target that was used before.
 *   PMK_EINVAL  a NULL argument
 *   PMK_EBUSY   its counters run: somebody else uses it. *t is unchanged. pmk_target_seize() takes
 *               the PMU all the same.
 *   PMK_EUNDEF  this mode has no access, where the port can tell; see pmk_native_probe()
 *   PMK_ENOPMU  the processor says that it has no such PMU (PMUv3: ID_AA64DFR0_EL1.PMUVer is 0 or
 *               15). None of its registers was touched. *t is unchanged
 */
int pmk_target_open(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port);
int pmk_target_seize(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port);

/*
 * Count the event `code`. Returns its index, 0, 1, … in the order of the calls.
 *   PMK_EINVAL    *t is not open, or failed to open and its error was not checked
 *   PMK_EBUSY     after start, or another target has started the PMU
 *   PMK_ENOEVENT  the core has no such event
 *   PMK_ENOCTR    no counter is left for it
 *   PMK_ENOTSUP   this hardware says that it does not count it
 */
int pmk_target_add(struct pmk_target *t, unsigned code);

/* Set the regions of the caller, zeroed except for their names. PMK_EBUSY after start;
 * PMK_EINVAL for NULL, for no regions, or for more than 65535. */
int pmk_target_regions(struct pmk_target *t, struct pmk_region *regions, unsigned count);

/* Set the caller's fast regions, <pmk/fast.h>: forgets what they have counted but for their names,
 * and reports have them from now on. At any time but while one is open; PMK_EINVAL as above.
 * Dumps do not have them. */
int pmk_target_fast_regions(struct pmk_target *t, struct pmk_fast_region *regions, unsigned count);

/* Locks around regions, needed with interrupt handlers or a preempting scheduler: `lock` masks
 * interrupts and returns the state before, `unlock` restores it. NULL (the default): nothing. */
int pmk_target_locks(struct pmk_target *t, uintptr_t (*lock)(void),
		     void (*unlock)(uintptr_t before));

/* Switch overflow interrupts on (true) or off (the default: poll). Call it before start; after
 * that it returns PMK_EBUSY. PMK_ENOTSUP where the PMU has none. The interrupt controller is the
 * caller's business. */
int pmk_target_interrupts(struct pmk_target *t, bool on);

/*
 * Sample: every `period` occurrences of the event with index `event`, note where the program is.
 * Call it before start. The next period begins when the sample has been served: the counter is set
 * back, and what happens in the few cycles that takes is lost to this event's total, which is then
 * a lower bound (all other totals stay exact).
 *   PMK_ERANGE  period outside PMK_MIN_PERIOD … PMK_MAX_PERIOD
 *   PMK_EINVAL  no such event, no ring, or its size is no power of two
 *   PMK_ENOTSUP this counter cannot be preloaded
 */
int pmk_target_sample(struct pmk_target *t, unsigned event, uint32_t period, struct pmk_ring *ring);

/*
 * Start, stop, start again: counts are kept. The first start measures the cost of measuring, on 16
 * empty regions, and begins at zero after that.
 *   PMK_EBUSY    running already, or somebody else has started the PMU since it was opened
 *   PMK_EINVAL   not open, or no event was added
 *
 * Meanwhile every counter of cycles or instructions of an ARM11, a PMUv3 or a DWT has to move.
 * Where none was added, a counter that is free counts cycles until the costs are measured. When one
 * stands still, the first start fails and everything is off again:
 *   PMK_ENOPMU   it cannot be switched on: there is no PMU behind these registers. QEMU's ARM1176
 *                is such a processor
 *   PMK_EOFF     it was switched on and is off again: a hypervisor, monitor or debugger uses it
 *   PMK_EFILTER  the filter leaves this code out. PMUv3 at EL2: see pmk_armv8_set_filter()
 *   PMK_EFORBID  event counters are not allowed to count here, while cycles are counted. PMUv3:
 *                Secure state with MDCR_EL3.SPME = 0, EL2 with MDCR_EL2.HPMD = 1, or a counter that
 *                EL2 keeps for itself (HPMN). ARM1176: Secure code, and non-invasive debug of it is
 *                off (SPNIDEN, SUNIDEN; DDI 0301H §3.1.8)
 *   PMK_ESTILL   it is on, and no cause is to be seen. PMUv3: MDCR_EL3.SCCD or MCCD, MDCR_EL2.HCCD,
 *                Debug state, or a clock that is off
 * Over a port that has `settle`, where time may stand still, instructions are not asked for.
 */
int pmk_target_start(struct pmk_target *t);
int pmk_target_stop(struct pmk_target *t);

/* 64-bit total of event `event` since the first start. PMK_EINVAL: no such event, NULL, not started
 * yet. pmk_target_read_all() reads all of them within a few cycles; `totals` has room for them. */
int pmk_target_read(struct pmk_target *t, unsigned event, uint64_t *total);
int pmk_target_read_all(struct pmk_target *t, uint64_t *totals);

/*
 * What the latency counter of event `event` holds: how often and how long since the counters were
 * last set to zero, as wide as the hardware has it, the cost of measuring included. Returns enum
 * pmk_status bits: a measurement is good when there is none. PMK_ENOTSUP: it is on an ordinary
 * counter.
 */
int pmk_target_latency(struct pmk_target *t, unsigned event, struct pmk_latency *l);

/*
 * Serve overflows. Call from the overflow interrupt's handler with the address that was
 * interrupted; it does not read the interrupt controller. Returns how many counters had overflowed;
 * 0: the interrupt was somebody else's.
 */
int pmk_target_isr(struct pmk_target *t, uintptr_t pc);

/* The same where no interrupt is wired: from a timer or a loop, at least once per
 * pmk_target_deadline(). With interrupts on it does nothing. */
int pmk_target_poll(struct pmk_target *t);

/*
 * The number of cycles within which an overflow has to be served, so that every total is exact:
 * half the range of the shortest counter, divided by `per_cycle`, the most that one event can
 * count in a cycle (1; 2 for instructions of a dual-issue core). UINT64_MAX when no counter can
 * wrap.
 */
uint64_t pmk_target_deadline(const struct pmk_target *t, unsigned per_cycle);

/*
 * 1: the total of event `event` is a lower bound, because a counter too narrow for its flag-less
 * PMU (the 8-bit ones of <pmk/dwt.h>) may have wrapped more than once between two readings since
 * the first start; reports say "at least" then. Every reading, the edges of regions included, is a
 * poll of such a counter. What a region counted is exact where its longest occurrence took fewer
 * cycles than the counter's range. 0: it is exact, or it is on another counter. PMK_EINVAL: no such
 * event.
 */
int pmk_target_wrapped(const struct pmk_target *t, unsigned event);

/* Stop, if it runs, and give the PMU back: counters zero, interrupts off. A PMU that another
 * target has started meanwhile is left alone. */
int pmk_target_close(struct pmk_target *t);

/*
 * A region begins or ends.
 *   PMK_EINVAL  no such region, or it is not open. What was begun inside it and not ended is
 *               dropped and counted in its `errors`
 *   PMK_ERANGE  too deep, not measured
 *   others      the port's: the counters could not be read (PMK_EBUSY: a debugger has the MDM).
 *               BEGIN has begun nothing. END has left the region: this occurrence is lost and
 *               counted in `errors`
 */
int pmk_region_begin(struct pmk_target *t, unsigned id);
int pmk_region_end(struct pmk_target *t, unsigned id);

/* The region with that name; a region without a name gets it (names are not copied). PMK_ERANGE:
 * no region is left. */
int pmk_region_find(struct pmk_target *t, const char *name);

/* Forget what a region has counted. PMK_EINVAL: no such region. */
int pmk_region_reset(struct pmk_target *t, unsigned id);

/*
 * RTOS hooks: the running task is switched out; another is switched in. What happens in between
 * belongs to no task. A task's memory is the caller's and starts zeroed. NULL is the target's
 * own `main`. When the counters cannot be read, the port's error is returned: the outgoing task
 * loses what it has counted since it was switched in. The incoming task is the running one all
 * the same, and counts from the next reading on.
 */
int pmk_target_switch_out(struct pmk_target *t);
int pmk_target_switch_in(struct pmk_target *t, struct pmk_task *task);
/* Counts of a task until now. */
int pmk_target_task_read(struct pmk_target *t, const struct pmk_task *task, uint64_t *totals);

/* Take the oldest sample out of a ring: 1, or 0 when it is empty. */
int pmk_ring_take(struct pmk_ring *ring, struct pmk_sample *sample);

/*
 * A table of everything, as text; lines end in "\n". `put` is called per character, from this
 * thread. pmk_target_dump() writes the same compactly for `pmk report` (docs/FORMATS.md), samples
 * included: these are taken out of the ring. It must not pass through anything that changes bytes
 * (a terminal that makes "\r\n" out of "\n" is recognised and undone by `pmk report`).
 */
int pmk_target_report(struct pmk_target *t, pmk_put *put);
int pmk_target_dump(struct pmk_target *t, pmk_put *put);

#if PMK_ENABLED

#define PMK_REGION_BEGIN(id) ((void)pmk_region_begin(PMK_TARGET, (id)))
#define PMK_REGION_END(id)   ((void)pmk_region_end(PMK_TARGET, (id)))

#else

/*
 * The compiler checks the call and throws it away; arguments are not evaluated. It is a statement
 * expression with one expression in it: compilers then do not warn of an unused value and, at -O0,
 * emit no code, as they would for an `if` around it.
 */
/* clang-format off */
#define PMK_OFF(value, call) __extension__({ 0 ? (call) : (value); })
#define pmk_target_open(...)	   PMK_OFF(0, pmk_target_open(__VA_ARGS__))
#define pmk_target_seize(...)	   PMK_OFF(0, pmk_target_seize(__VA_ARGS__))
#define pmk_target_add(...)	   PMK_OFF(0, pmk_target_add(__VA_ARGS__))
#define pmk_target_regions(...)	   PMK_OFF(0, pmk_target_regions(__VA_ARGS__))
#define pmk_target_fast_regions(...) PMK_OFF(0, pmk_target_fast_regions(__VA_ARGS__))
#define pmk_target_locks(...)	   PMK_OFF(0, pmk_target_locks(__VA_ARGS__))
#define pmk_target_interrupts(...) PMK_OFF(0, pmk_target_interrupts(__VA_ARGS__))
#define pmk_target_sample(...)	   PMK_OFF(0, pmk_target_sample(__VA_ARGS__))
#define pmk_target_start(...)	   PMK_OFF(0, pmk_target_start(__VA_ARGS__))
#define pmk_target_stop(...)	   PMK_OFF(0, pmk_target_stop(__VA_ARGS__))
#define pmk_target_read(t, event, total) \
	PMK_OFF((*(total) = 0, 0), pmk_target_read((t), (event), (total)))
#define pmk_target_read_all(...)   PMK_OFF(0, pmk_target_read_all(__VA_ARGS__))
#define pmk_target_latency(...)	   PMK_OFF(0, pmk_target_latency(__VA_ARGS__))
#define pmk_target_isr(...)	   PMK_OFF(0, pmk_target_isr(__VA_ARGS__))
#define pmk_target_poll(...)	   PMK_OFF(0, pmk_target_poll(__VA_ARGS__))
#define pmk_target_deadline(...)   PMK_OFF(UINT64_MAX, pmk_target_deadline(__VA_ARGS__))
#define pmk_target_wrapped(...)	   PMK_OFF(0, pmk_target_wrapped(__VA_ARGS__))
#define pmk_target_close(...)	   PMK_OFF(0, pmk_target_close(__VA_ARGS__))
#define pmk_region_begin(...)	   PMK_OFF(0, pmk_region_begin(__VA_ARGS__))
#define pmk_region_end(...)	   PMK_OFF(0, pmk_region_end(__VA_ARGS__))
#define pmk_region_find(...)	   PMK_OFF(0, pmk_region_find(__VA_ARGS__))
#define pmk_region_reset(...)	   PMK_OFF(0, pmk_region_reset(__VA_ARGS__))
#define pmk_target_switch_out(...) PMK_OFF(0, pmk_target_switch_out(__VA_ARGS__))
#define pmk_target_switch_in(...)  PMK_OFF(0, pmk_target_switch_in(__VA_ARGS__))
#define pmk_target_task_read(...)  PMK_OFF(0, pmk_target_task_read(__VA_ARGS__))
#define pmk_ring_take(...)	   PMK_OFF(0, pmk_ring_take(__VA_ARGS__))
#define pmk_target_report(...)	   PMK_OFF(0, pmk_target_report(__VA_ARGS__))
#define pmk_target_dump(...)	   PMK_OFF(0, pmk_target_dump(__VA_ARGS__))
/* clang-format on */

#define PMK_REGION_BEGIN(id) ((void)sizeof(id))
#define PMK_REGION_END(id)   ((void)sizeof(id))

#endif

#ifdef __cplusplus
}
#endif

#endif
