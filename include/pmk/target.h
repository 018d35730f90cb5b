/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Counters inside firmware.
 *
 * 	static struct pmk_target pmu;
 * 	enum { REGION_FFT, REGION_IRQ, NREGIONS };
 * 	static struct pmk_region regions[NREGIONS] = { { .name = "fft" }, { .name = "irq" } };
 *
 * 	pmk_target_open(&pmu, &pmk_arm1176, pmk_port_native());
 * 	pmk_target_add(&pmu, PMK_ARM11_CPU_CYCLES);
 * 	pmk_target_add(&pmu, PMK_ARM11_DCACHE_MISS);
 * 	pmk_target_regions(&pmu, regions, NREGIONS);
 * 	pmk_target_start(&pmu);
 *
 * 	PMK_REGION_BEGIN(REGION_FFT);
 * 	fft(...);
 * 	PMK_REGION_END(REGION_FFT);
 *
 * 	pmk_target_stop(&pmu);
 * 	pmk_target_report(&pmu, uart_putc);
 *
 * Emulation and probes use the same driver; the port determines how it accesses the registers. The
 * caller provides all memory. There is no heap, no floating point and no hidden state, so there may
 * be several targets (two PMUs, or one per core; a target belongs to one core). Functions return 0,
 * a count, or a negative enum pmk_error.
 *
 * If PMK_ENABLED is defined as 0, everything below is empty: no code, no data, no call.
 *
 * 64-bit totals from 32-bit counters. A counter of 32 bits wraps; each wrap sets a flag.
 * pmk_target_isr(), called by the overflow interrupt, or pmk_target_poll(), called often enough if
 * no interrupt is wired, adds 2^32 per flag. A reading uses the counter and the flags, and gives
 * the exact 64-bit total at any moment, also while the interrupt is pending, masked or being
 * handled. It never stops a counter. It loses nothing if each flag is served before the counter has
 * counted half of its range again: pmk_target_deadline() gives the number of cycles. A PMU without
 * flags (pmk_pmu.no_flags) is counted by differences between polls, under the same condition.
 *
 * Callers. pmk_target_read(), pmk_region_begin() and pmk_region_end() may be called from anywhere,
 * also from interrupt handlers. They need the locks of pmk_target_locks() if handlers or several
 * tasks use regions, or if the PMU is accessed by sequences (pmk_pmu.sequential). Call
 * pmk_target_isr() from the overflow interrupt, and everything else from one thread.
 */
#ifndef PMK_TARGET_H
#define PMK_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/armv81m.h>
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

/* The target that the region macros use; it must be visible where the macros are used. If yours is
 * not called `pmu`, define this before you include this header. */
#ifndef PMK_TARGET
#define PMK_TARGET (&pmu)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_TARGET_EVENTS 8 /* events of one target */
#define PMK_TARGET_DEPTH  8 /* open regions at a time, per task */
#define PMK_NO_REGION	  0xffff

/* Shortest and longest sampling period, in events. A longer period could hide a wrap. The shortest
 * is useful only for rare events: serving a sample takes some 600 to 950 instructions, and a
 * shorter period leaves the program no time. */
#define PMK_MIN_PERIOD 64
#define PMK_MAX_PERIOD 0x80000000u

/* Prints one character of a report: to a UART, a buffer, or by semihosting. */
typedef void pmk_put(char c);

/*
 * One region: the code between BEGIN and END. It is an element of the caller's array, zeroed except
 * for `name`; its index is its number. `net` holds the counts of the region per occurrence, without
 * the cost of measuring (see pmk_target_start); `raw` is the sum including it.
 */
struct pmk_region {
	const char *name; /* NULL: the report prints "region 3" */
	uint32_t count;	  /* completed occurrences */
	uint32_t errors;  /* ENDs without BEGIN or without a reading, BEGINs without END */
	uint64_t raw[PMK_TARGET_EVENTS];
	struct pmk_stats net[PMK_TARGET_EVENTS];
};

/* One sample: the position of the program when a counter had counted its period. */
struct pmk_sample {
	uintptr_t pc;	 /* as passed by the interrupt handler; 0: polled */
	uint16_t region; /* the innermost open region, or PMK_NO_REGION */
	uint8_t event;	 /* index of the event in the order of pmk_target_add() */
	uint8_t late;	 /* 1: the counter counted another period before it was served */
};

/* A ring of samples in the caller's memory. One writer (the interrupt handler), one reader. */
struct pmk_ring {
	struct pmk_sample *sample;
	uint32_t size;		      /* entries, a power of two */
	volatile uint32_t head, tail; /* entries written and read since the start */
	volatile uint32_t dropped;    /* samples that were lost because the ring was full */
};

/* An open region. */
struct pmk_frame {
	uint16_t region;
	uint32_t inner; /* number of regions that began and ended inside */
	uint64_t begin[PMK_TARGET_EVENTS];
};

/* The data of an RTOS task: its counts and its open regions. */
struct pmk_task {
	uint64_t counted[PMK_TARGET_EVENTS]; /* counts up to when it was last switched out */
	uint64_t since[PMK_TARGET_EVENTS];   /* totals when it was last switched in */
	struct pmk_frame frame[PMK_TARGET_DEPTH];
	uint32_t depth; /* may exceed PMK_TARGET_DEPTH; deeper regions are not measured */
};

/* One event on its counter. There are two totals, and a word that selects the valid one. So every
 * update is a single store, even if a handler interrupts it. */
struct pmk_target_event {
	uint16_t code;
	uint8_t counter;
	bool missed;	 /* a wrap may have been missed: see pmk_target_wrapped() */
	uint64_t period; /* sampling: events per sample; 0: plain counting */
	uint64_t preload, mask;
	/* The total when the counter was at `base`: at its last wrap or, without flags, at its last
	 * poll. */
	struct {
		uint64_t done, base;
	} at[2];
	volatile uint32_t word; /* src/firmware/target.c says which code may use these members */
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
	/* The running task counts from the next reading on, because no reading was possible when it
	 * was switched in. */
	bool late;
	bool narrow; /* some counters have fewer than 32 bits */
	uint16_t nregions, nfast;
	struct pmk_counter_set used;
	uint32_t wraps; /* counters that must be watched for wraps */
	struct pmk_target_event event[PMK_TARGET_EVENTS];
	uint64_t zero[PMK_TARGET_EVENTS]; /* totals when the caller's counting began */
	uint64_t cost[PMK_TARGET_EVENTS]; /* counts of an empty region */
	uint64_t nest[PMK_TARGET_EVENTS]; /* counts that a region adds to the region around it */
	struct pmk_region *region;
	struct pmk_fast_region *fast;
	struct pmk_ring *ring;
	struct pmk_task *task; /* the running task */
	struct pmk_task main;
	uintptr_t (*lock)(void);
	void (*unlock)(uintptr_t before);
};

/*
 * Take a PMU. Its counters are stopped and zero afterwards. *t must be zeroed memory (like static
 * objects) or a target that was used before.
 *   PMK_EINVAL  a NULL argument
 *   PMK_EBUSY   its counters run, so another user has them. *t is unchanged. pmk_target_seize()
 *               takes the PMU anyway
 *   PMK_EUNDEF  this mode has no access, if the port can detect that; see pmk_native_probe()
 *   PMK_ENOPMU  the processor says that it has no such PMU (PMUv3: ID_AA64DFR0_EL1.PMUVer is 0 or
 *               15). None of the PMU's registers was accessed. *t is unchanged
 */
int pmk_target_open(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port);
int pmk_target_seize(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port);

/*
 * Count the event `code`. Returns its index, 0, 1, … in the order of the calls.
 *   PMK_EINVAL    *t is not open, perhaps because the error of pmk_target_open() was ignored
 *   PMK_EBUSY     after start, or another target has started the PMU
 *   PMK_ENOEVENT  the core has no such event
 *   PMK_ENOCTR    no counter is left for it
 *   PMK_ENOTSUP   this hardware says that it does not count it
 */
int pmk_target_add(struct pmk_target *t, unsigned code);

/* Set the caller's regions, which must be zeroed except for their names. Returns PMK_EBUSY after
 * the start, and PMK_EINVAL for NULL, for no regions, or for more than 65535. */
int pmk_target_regions(struct pmk_target *t, struct pmk_region *regions, unsigned count);

/* Set the caller's fast regions (<pmk/fast.h>). This clears their counts, and reports contain them
 * from now on. Call it at any time except while one is open. Returns PMK_EINVAL for NULL, for no
 * regions, or for more than 65535. Dumps do not contain them. */
int pmk_target_fast_regions(struct pmk_target *t, struct pmk_fast_region *regions, unsigned count);

/* Set the locks around regions, needed with interrupt handlers or a preemptive scheduler: `lock`
 * masks interrupts and returns the previous state, `unlock` restores it. NULL (the default): no
 * locks. */
int pmk_target_locks(struct pmk_target *t, uintptr_t (*lock)(void),
		     void (*unlock)(uintptr_t before));

/* Switch overflow interrupts on (true) or off (the default: poll). Call it before the start; after
 * that it returns PMK_EBUSY. Returns PMK_ENOTSUP if the PMU has none. The caller programs the
 * interrupt controller. */
int pmk_target_interrupts(struct pmk_target *t, bool on);

/*
 * Sample: record the position of the program after every `period` occurrences of the event with
 * index `event`. Call it before start. The next period begins when the sample has been served and
 * the counter is set back. Occurrences during these few cycles are lost, so this event's total is a
 * lower bound; all other totals stay exact.
 *   PMK_ERANGE  period outside PMK_MIN_PERIOD … PMK_MAX_PERIOD
 *   PMK_EINVAL  no such event, no ring, or its size is no power of two
 *   PMK_ENOTSUP this counter cannot be preloaded
 */
int pmk_target_sample(struct pmk_target *t, unsigned event, uint32_t period, struct pmk_ring *ring);

/*
 * Start or stop counting. A restart keeps the counts. The first start determines the cost of
 * measuring from 16 empty regions, and then begins at zero.
 *   PMK_EBUSY    already running, or another user has started the PMU since it was opened
 *   PMK_EINVAL   not open, or no event was added
 *
 * During this time every counter of cycles or instructions of an ARM11, a PMUv3 or a DWT must
 * count. If the caller added none, a free counter counts cycles until the costs are known. If such
 * a counter stays at 0, the first start fails and everything is off again:
 *   PMK_ENOPMU   it cannot be switched on: these registers have no PMU. This is so on QEMU's
 *                ARM1176
 *   PMK_EOFF     it was switched on and is off again: a hypervisor, monitor or debugger uses it
 *   PMK_EFILTER  the filter excludes this code. PMUv3 at EL2: see pmk_armv8_set_filter()
 *   PMK_EFORBID  event counters are not allowed to count here, while cycles are counted. PMUv3:
 *                Secure state with MDCR_EL3.SPME = 0, EL2 with MDCR_EL2.HPMD = 1, or a counter that
 *                EL2 keeps for itself (HPMN). ARM1176: Secure code, and non-invasive debug of it is
 *                off (SPNIDEN, SUNIDEN; DDI 0301H §3.1.8)
 *   PMK_ESTILL   it is on, and the cause cannot be seen. PMUv3: MDCR_EL3.SCCD or MCCD,
 *                MDCR_EL2.HCCD, Debug state, or a clock that is off
 * With a port that has `settle`, time may stop between accesses, so counters of instructions are
 * not checked.
 */
int pmk_target_start(struct pmk_target *t);
int pmk_target_stop(struct pmk_target *t);

/* Get the 64-bit total of event `event` since the first start. Returns PMK_EINVAL if an argument is
 * NULL, if there is no such event, or before the first start. pmk_target_read_all() reads all
 * totals within a few cycles; `totals` must have room for them. */
int pmk_target_read(struct pmk_target *t, unsigned event, uint64_t *total);
int pmk_target_read_all(struct pmk_target *t, uint64_t *totals);

/*
 * Get the values of the latency counter of event `event`: number and latencies of the occurrences
 * since the counters were last cleared, in the widths of the hardware, with the cost of measuring
 * included. Returns enum pmk_status bits: a measurement without any is good. Returns PMK_ENOTSUP if
 * the event is on an ordinary counter.
 */
int pmk_target_latency(struct pmk_target *t, unsigned event, struct pmk_latency *l);

/*
 * Serve overflows. Call it from the handler of the overflow interrupt, with the interrupted
 * address; it does not read the interrupt controller. Returns the number of counters that had
 * overflowed; 0: the interrupt had another source.
 */
int pmk_target_isr(struct pmk_target *t, uintptr_t pc);

/* Serve overflows if no interrupt is wired: call this from a timer or a loop, at least once per
 * pmk_target_deadline(). If interrupts are on, it does nothing. */
int pmk_target_poll(struct pmk_target *t);

/*
 * Returns the number of cycles within which an overflow must be served so that every total is
 * exact: half the range of the shortest counter, divided by `per_cycle`, the largest number of
 * events that can be counted in a cycle (1; 2 for instructions of a dual-issue core). Returns
 * UINT64_MAX if no counter can wrap.
 */
uint64_t pmk_target_deadline(const struct pmk_target *t, unsigned per_cycle);

/*
 * Returns 1 if the total of event `event` is a lower bound: a narrow counter of a PMU without flags
 * (the 8-bit ones of <pmk/dwt.h>) may have wrapped more than once between two readings since the
 * first start. Reports then print "at least". Every reading is a poll of such a counter, including
 * those at the edges of regions. The count of a region is exact if its longest occurrence took
 * fewer cycles than the counter's range. Returns 0 if the total is exact, or if the event is on
 * another counter. PMK_EINVAL: no such event.
 */
int pmk_target_wrapped(const struct pmk_target *t, unsigned event);

/* Stop the target, if it runs, and release the PMU: counters zero, interrupts off. A PMU that
 * another target has started meanwhile is not changed. */
int pmk_target_close(struct pmk_target *t);

/*
 * Begin or end a region.
 *   PMK_EINVAL  no such region, or it is not open. Regions begun inside it and not ended are
 *               dropped and counted in its `errors`
 *   PMK_ERANGE  too deep, not measured
 *   others      the port's: the counters could not be read (PMK_EBUSY: a debugger has the MDM).
 *               BEGIN had no effect. END has left the region: this occurrence is lost and
 *               counted in `errors`
 */
int pmk_region_begin(struct pmk_target *t, unsigned id);
int pmk_region_end(struct pmk_target *t, unsigned id);

/* Find the region with this name. If there is none, a region without a name gets it (names are not
 * copied). Returns PMK_ERANGE if no region without a name is left. */
int pmk_region_find(struct pmk_target *t, const char *name);

/* Clear the counts of a region. Returns PMK_EINVAL if there is no such region. */
int pmk_region_reset(struct pmk_target *t, unsigned id);

/*
 * RTOS hooks: the running task is switched out; another is switched in. Events between the two
 * calls belong to no task. The caller provides the zeroed memory of a task; NULL is the target's
 * own `main`. If the counters cannot be read, the port's error is returned: the outgoing task loses
 * the counts since it was switched in, and the incoming task becomes the running one and counts
 * from the next reading on.
 */
int pmk_target_switch_out(struct pmk_target *t);
int pmk_target_switch_in(struct pmk_target *t, struct pmk_task *task);
/* Get the counts of a task until now. */
int pmk_target_task_read(struct pmk_target *t, const struct pmk_task *task, uint64_t *totals);

/* Remove the oldest sample from a ring. Returns 1, or 0 if the ring is empty. */
int pmk_ring_take(struct pmk_ring *ring, struct pmk_sample *sample);

/*
 * Print all results as a text table; lines end in "\n". `put` is called for each character, from
 * this thread. pmk_target_dump() writes the same in a compact format for `pmk report`
 * (docs/FORMATS.md), including samples, which it removes from the ring. Its bytes must arrive
 * unchanged, except that `pmk report` recognises and undoes a terminal's conversion of "\n" to
 * "\r\n".
 */
int pmk_target_report(struct pmk_target *t, pmk_put *put);
int pmk_target_dump(struct pmk_target *t, pmk_put *put);

#if PMK_ENABLED

#define PMK_REGION_BEGIN(id) ((void)pmk_region_begin(PMK_TARGET, (id)))
#define PMK_REGION_END(id)   ((void)pmk_region_end(PMK_TARGET, (id)))

#else

/*
 * The compiler checks the call and discards it without evaluating the arguments. It is a statement
 * expression with one expression inside: this way compilers neither warn of an unused value nor
 * emit code at -O0, as they would with an `if`.
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
