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
 * caller provides all memory, which must exist as long as the target is used. There is no heap, no
 * floating point and no hidden state, so there may be several targets, for example for two PMUs. A
 * target belongs to one core. Functions return 0, a count, or a negative enum pmk_error. They
 * return PMK_EINVAL if a pointer is NULL, unless their comments say otherwise.
 *
 * If PMK_ENABLED is defined as 0, calls of the functions below compile to nothing.
 *
 * 64-bit totals from 32-bit counters. When a counter of 32 bits wraps, the PMU sets its overflow
 * flag. pmk_target_isr() clears the flag and adds 2^32 to the total. The overflow interrupt calls
 * it. If no interrupt is wired, call pmk_target_poll() often enough instead. A reading combines the
 * counter and its flag, so it gives the exact 64-bit total at any moment, even while the interrupt
 * is pending, masked or being handled. It never stops a counter. Totals are exact if every flag is
 * cleared before the counter has counted half of its range again; pmk_target_deadline() returns
 * this time in cycles. If the PMU has no flags (pmk_pmu.no_flags), each poll adds what the counter
 * has counted since the last poll, and the same deadline applies.
 *
 * Callers. pmk_target_read(), pmk_region_begin() and pmk_region_end() may be called from anywhere,
 * including interrupt handlers. They need the locks of pmk_target_locks() if handlers or several
 * tasks use regions, or if an access to the PMU depends on the accesses before it
 * (pmk_pmu.sequential). Call pmk_target_isr() from the overflow interrupt, and everything else from
 * one thread.
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

/* Shortest and longest sampling period, in events. With a longer period, a wrap could stay
 * unnoticed. Use the shortest period only for rare events: to take a sample, pmk_target_isr() needs
 * some 600 to 950 instructions. If the event occurs a whole period within this time, the program
 * gets no time to run. */
#define PMK_MIN_PERIOD 64
#define PMK_MAX_PERIOD 0x80000000u

/* Prints one character of a report: to a UART, a buffer, or by semihosting. */
typedef void pmk_put(char c);

/*
 * One region: the code between BEGIN and END. It is an element of the caller's array, zeroed except
 * for `name`; its index is its number. An occurrence of a region is one run from BEGIN to END.
 */
struct pmk_region {
	const char *name; /* NULL: the report prints "region 3" */
	uint32_t count;	  /* occurrences that were measured */
	/* Occurrences that were not measured, because BEGIN or END is missing, the counters could
	 * not be read, or too many regions were open. */
	uint32_t errors;
	/* Sum of the counts of all measured occurrences, including the cost of measuring. raw[i]
	 * and net[i] belong to the event with index i. */
	uint64_t raw[PMK_TARGET_EVENTS];
	/* Statistics of the count of an occurrence, after the cost of measuring was subtracted (see
	 * pmk_target_start()). */
	struct pmk_stats net[PMK_TARGET_EVENTS];
};

/* One sample: the position of the program when a counter had counted its period. */
struct pmk_sample {
	uintptr_t pc;	 /* as passed to pmk_target_isr(); 0: pmk_target_poll() took the sample */
	uint16_t region; /* the innermost open region, or PMK_NO_REGION */
	uint8_t event;	 /* index of the event in the order of pmk_target_add() */
	uint8_t late;	 /* 1: the counter had counted a second period when it was served */
};

/* A ring of samples in the caller's memory. One writer (the interrupt handler), one reader. */
struct pmk_ring {
	struct pmk_sample *sample;
	uint32_t size;		      /* entries, a power of two */
	volatile uint32_t head, tail; /* numbers of entries written and read, modulo 2^32 */
	volatile uint32_t dropped;    /* samples that were lost because the ring was full */
};

/* An open region. */
struct pmk_frame {
	uint16_t region;
	uint32_t inner; /* number of regions that began and ended inside, at any depth */
	uint64_t begin[PMK_TARGET_EVENTS]; /* the task's counts at BEGIN */
};

/* The data of an RTOS task: its counts and its open regions. */
struct pmk_task {
	uint64_t counted[PMK_TARGET_EVENTS]; /* its counts when it was last switched out */
	uint64_t since[PMK_TARGET_EVENTS];   /* the target's totals when it was switched in */
	struct pmk_frame frame[PMK_TARGET_DEPTH];
	uint32_t depth; /* may exceed PMK_TARGET_DEPTH; deeper regions are not measured */
};

/* One event and its counter. at[] has two totals, and `word` selects the valid one. A new total
 * becomes valid by one store to `word`, so a handler that interrupts an update sees a valid
 * total. */
struct pmk_target_event {
	uint16_t code;
	uint8_t counter;
	bool missed;	 /* a wrap may have been missed: see pmk_target_wrapped() */
	uint64_t period; /* sampling: events per sample; 0: plain counting */
	/* `preload` is the value of a sampled counter at the beginning of a period. `mask` is the
	 * largest value of the counter. */
	uint64_t preload, mask;
	/* `done` is the total at the moment when the counter held `base`: 0 at its last wrap,
	 * `preload` at its last sample or, without flags, its value at the last poll. */
	struct {
		uint64_t done, base;
	} at[2];
	volatile uint32_t word; /* src/firmware/totals.c explains its bits */
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
	bool interrupts; /* set by pmk_target_interrupts() */
	/* The running task counts from the next reading on, because no reading was possible when it
	 * was switched in. */
	bool late;
	bool narrow; /* some counters have fewer than 32 bits */
	uint16_t nregions, nfast;
	struct pmk_counter_set used; /* counters of the caller's events */
	uint32_t wraps;		     /* bit n: the overflow flag of counter n is used */
	struct pmk_target_event event[PMK_TARGET_EVENTS];
	uint64_t zero[PMK_TARGET_EVENTS]; /* totals at the end of the first pmk_target_start() */
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
 * objects) or a target that was used before. pmk_target_seize() takes the PMU even if another user
 * has started it.
 *   PMK_EINVAL  `t` or `pmu` is NULL, or the port has no `read` or `write`. *t is unchanged
 *   PMK_EBUSY   the counters run, so another user has them; not from pmk_target_seize(). *t is
 *               unchanged
 *   PMK_EUNDEF  this mode has no access, if the port can detect that; see pmk_native_probe()
 *   PMK_ENOPMU  the hardware says that it has no such PMU. PMUv3: ID_AA64DFR0_EL1.PMUVer is 0 or
 *               15; no register of the PMU was accessed, and *t is unchanged
 *   others      errors of the port and of the driver's reset()
 */
int pmk_target_open(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port);
int pmk_target_seize(struct pmk_target *t, const struct pmk_pmu *pmu, struct pmk_port port);

/*
 * Count the event `code`, for example PMK_ARM11_DCACHE_MISS. Returns the event's index: 0 for the
 * first call, 1 for the second, and so on.
 *   PMK_EINVAL    *t is not open, perhaps because the error of pmk_target_open() was ignored
 *   PMK_EBUSY     this target was started before, or another target has started the PMU
 *   PMK_ENOEVENT  the PMU has no such event
 *   PMK_ENOCTR    no counter is left for the event
 *   PMK_ENOTSUP   the hardware says that it does not count the event
 */
int pmk_target_add(struct pmk_target *t, unsigned code);

/* Set the caller's regions, and clear their counts. The names may be NULL; they are not copied.
 * Returns PMK_EBUSY after the start, and PMK_EINVAL for NULL, for no regions, or for more than
 * 65534. */
int pmk_target_regions(struct pmk_target *t, struct pmk_region *regions, unsigned count);

/* Set the caller's fast regions (<pmk/fast.h>), and clear their counts. pmk_target_report() then
 * prints them; pmk_target_dump() does not write them. Call this at any time except while one of
 * them is open. Returns PMK_EINVAL for NULL, for no regions, or for more than 65534. */
int pmk_target_fast_regions(struct pmk_target *t, struct pmk_fast_region *regions, unsigned count);

/* Set the locks around regions and around accesses to a `sequential` PMU. Interrupt handlers and
 * preemptive schedulers need them. `lock` masks interrupts and returns the previous state; `unlock`
 * restores this state. Both are called from every context that uses the target. If both are NULL
 * (the default), there are no locks. Returns PMK_EINVAL if only one is NULL, and PMK_EBUSY after
 * the start. */
int pmk_target_locks(struct pmk_target *t, uintptr_t (*lock)(void),
		     void (*unlock)(uintptr_t before));

/* Choose whether the PMU raises overflow interrupts (true) or the caller polls (false, the
 * default). Call this before the start; after the start it returns PMK_EBUSY. Returns PMK_ENOTSUP
 * if the PMU has no overflow interrupts. The caller programs the interrupt controller. */
int pmk_target_interrupts(struct pmk_target *t, bool on);

/*
 * Sample: record the position of the program after every `period` occurrences of the event with
 * index `event`. Samples of all events go into the ring of the last call. Call this before the
 * start. To take a sample, pmk_target_isr() or pmk_target_poll() reads the counter and sets it
 * back, and the next period begins. Occurrences between these two accesses are lost, so this
 * event's total is a lower bound; all other totals stay exact.
 *   PMK_ERANGE  the period is not in PMK_MIN_PERIOD … PMK_MAX_PERIOD
 *   PMK_EINVAL  there is no such event, there is no ring, or its size is not a power of two
 *   PMK_EBUSY   after the start
 *   PMK_ENOTSUP this counter cannot be preloaded, or the PMU has no overflow flags
 */
int pmk_target_sample(struct pmk_target *t, unsigned event, uint32_t period, struct pmk_ring *ring);

/*
 * Start or stop counting. A restart keeps the counts. The first start measures empty regions 16
 * times to find the cost of measuring, and then sets all totals to zero.
 *   PMK_EBUSY    already running, or another user has started the PMU since it was opened
 *   PMK_EINVAL   not open, or no event was added; from pmk_target_stop(): never started
 *
 * The first start also checks that the PMU counts, if its driver can find reasons (ARM11, PMUv3,
 * Armv8.1-M, DWT). While empty regions are measured, counters of cycles and of instructions must
 * advance. If the caller counts neither, a free counter counts cycles during this time. If such a
 * counter stays at 0, the first start fails and everything is off again:
 *   PMK_ENOPMU   the PMU cannot be switched on: the processor has none. This is so on QEMU's
 *   ARM1176
 *   PMK_EOFF     the PMU was switched on and is off again: a hypervisor, monitor or debugger uses
 *   it
 *   PMK_EFILTER  the filter excludes this code. PMUv3 at EL2: see pmk_armv8_set_filter()
 *   PMK_EFORBID  event counters are not allowed to count here, while cycles are counted. PMUv3:
 *                Secure state with MDCR_EL3.SPME = 0, EL2 with MDCR_EL2.HPMD = 1, or a counter that
 *                EL2 keeps for itself (HPMN). ARM1176: Secure code, and non-invasive debug of it is
 *                off (SPNIDEN, SUNIDEN; DDI 0301H §3.1.8)
 *   PMK_ESTILL   the PMU is on, and the cause cannot be seen. PMUv3: MDCR_EL3.SCCD or MCCD,
 *                MDCR_EL2.HCCD, Debug state, or a clock that is off
 * If the port has `settle`, time may stop between accesses, so counters of instructions are not
 * checked.
 */
int pmk_target_start(struct pmk_target *t);
int pmk_target_stop(struct pmk_target *t);

/* Get the 64-bit total of the event with index `event` since the first start. Returns PMK_EINVAL if
 * an argument is NULL, if there is no such event, or before the first start. pmk_target_read_all()
 * reads the totals of all events directly one after the other; `totals` must have room for one
 * number per event. */
int pmk_target_read(struct pmk_target *t, unsigned event, uint64_t *total);
int pmk_target_read_all(struct pmk_target *t, uint64_t *totals);

/*
 * Get the values of the latency counter of the event with index `event`: the number of occurrences
 * since the counters were last set to zero, and their latencies in cycles. The values have the
 * widths of the hardware and include the cost of measuring. Returns 0 if the measurement is good,
 * and otherwise enum pmk_status bits or a negative error: PMK_ENOTSUP if the event is on an
 * ordinary counter; PMK_EINVAL as for pmk_target_read().
 */
int pmk_target_latency(struct pmk_target *t, unsigned event, struct pmk_latency *l);

/*
 * Serve overflows: add wraps to the totals, and take samples. Call it from the handler of the
 * overflow interrupt, with the address that was interrupted. It does not access the interrupt
 * controller. Returns the number of counters that had overflowed; 0: the interrupt had another
 * source. For a PMU without flags it adds the counts since the last poll, and returns 0. Returns
 * PMK_EINVAL before the first start.
 */
int pmk_target_isr(struct pmk_target *t, uintptr_t pc);

/* Does what pmk_target_isr() does, if no interrupt is wired. Call it from a timer or a loop, at
 * least once in pmk_target_deadline() cycles. If interrupts are on, it does nothing and returns
 * 0. */
int pmk_target_poll(struct pmk_target *t);

/*
 * Returns the number of cycles within which an overflow must be served so that every total is
 * exact. This is half the range of the shortest counter in use, divided by `per_cycle`. `per_cycle`
 * is the largest number of events that a counter can count in a cycle: 1, or 2 for instructions of
 * a dual-issue core. Returns UINT64_MAX if the counters are too wide to wrap, and 0 if `t` is NULL
 * or `per_cycle` is 0.
 */
uint64_t pmk_target_deadline(const struct pmk_target *t, unsigned per_cycle);

/*
 * Returns 1 if the total of the event with index `event` is a lower bound, because its counter may
 * have wrapped more than once between two readings since the first start. This concerns counters of
 * fewer than 32 bits, such as the 8-bit counters of <pmk/dwt.h>. Every reading is a poll of such a
 * counter, including the readings at the edges of regions. Reports then print "at least". The count
 * of a region is still exact if its longest occurrence took fewer cycles than the counter's range.
 * Returns 0 if the total is exact or the counter has 32 bits or more, and PMK_EINVAL if there is no
 * such event.
 */
int pmk_target_wrapped(const struct pmk_target *t, unsigned event);

/* Stop the target, if it runs, and release the PMU: counters are zero, and interrupts are off. If
 * this target never started and another one has started the PMU, the PMU is not changed. */
int pmk_target_close(struct pmk_target *t);

/*
 * Begin or end the region with number `id`. END also ends regions that began inside this one and
 * have not ended: they are not measured, and each counts this in its own `errors`.
 *   PMK_EINVAL  the target does not run, there is no such region, or it is not open (END)
 *   PMK_ERANGE  more than PMK_TARGET_DEPTH regions are open: this occurrence is not measured
 *   others      the port could not read the counters (PMK_EBUSY: a debugger uses the MDM). BEGIN
 *               had no effect. END has ended the region: this occurrence is lost and counted in
 *               `errors`
 */
int pmk_region_begin(struct pmk_target *t, unsigned id);
int pmk_region_end(struct pmk_target *t, unsigned id);

/* Returns the number of the region with this name. If there is none, the first region without a
 * name gets the name, which is not copied. Returns PMK_ERANGE if all regions have other names, and
 * PMK_EINVAL for NULL. */
int pmk_region_find(struct pmk_target *t, const char *name);

/* Clear the counts of a region. Returns PMK_EINVAL if there is no such region. */
int pmk_region_reset(struct pmk_target *t, unsigned id);

/*
 * Hooks for the scheduler of an RTOS: call the first when the running task is switched out, and the
 * second when another task is switched in. Events between the two calls belong to no task. The
 * caller provides the memory of each task, zeroed at first. NULL stands for the target's own
 * `main`, which is the running task after pmk_target_open(). If the counters cannot be read, both
 * return the port's error: the outgoing task loses its counts since it was switched in. The
 * incoming task becomes the running task anyway, and counts from the next reading on.
 */
int pmk_target_switch_out(struct pmk_target *t);
int pmk_target_switch_in(struct pmk_target *t, struct pmk_task *task);
/* Get the counts of a task up to now; NULL stands for the target's own `main`. `totals` must have
 * room for one number per event. */
int pmk_target_task_read(struct pmk_target *t, const struct pmk_task *task, uint64_t *totals);

/* Remove the oldest sample from a ring, and store it in *sample. Returns 1, or 0 if the ring is
 * empty or an argument is NULL. One reader may do this while the interrupt handler adds samples. */
int pmk_ring_take(struct pmk_ring *ring, struct pmk_sample *sample);

/*
 * Print all results as a text table; lines end in "\n". `put` is called for each character, from
 * this thread. pmk_target_dump() writes the results, except fast regions, as bytes for `pmk report`
 * (docs/FORMATS.md). It also writes the samples, and removes them from the ring. These bytes must
 * arrive unchanged, except that `pmk report` recognises and undoes a terminal's conversion of "\n"
 * to "\r\n". Both return PMK_EINVAL if `put` is NULL or before the first start.
 */
int pmk_target_report(struct pmk_target *t, pmk_put *put);
int pmk_target_dump(struct pmk_target *t, pmk_put *put);

#if PMK_ENABLED

#define PMK_REGION_BEGIN(id) ((void)pmk_region_begin(PMK_TARGET, (id)))
#define PMK_REGION_END(id)   ((void)pmk_region_end(PMK_TARGET, (id)))

#else

/*
 * The compiler checks the call and discards it without evaluating the arguments. The macro is a
 * statement expression with one expression inside, because compilers then neither warn of an unused
 * value nor emit code at -O0. With an `if` they would.
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
