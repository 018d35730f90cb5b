/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The cheapest measurement: one inline access per counter before and after the code. Use it for
 * short pieces of code in inner loops, where a region of <pmk/target.h> costs more than the code
 * that it measures. It always reads the cycle counter and the first two event counters. They count
 * cycles and the first two other events that were added with pmk_target_add(). On M-profile there
 * is only the cycle counter, and the other differences are 0.
 *
 * 	struct pmk_fast f;
 * 	PMK_FAST_BEGIN(&f);
 * 	… code …
 * 	PMK_FAST_END(&f);		f.delta[0]: cycles; f.delta[1], f.delta[2]: events
 *
 * Differences are modulo 2^32, so they are exact for code that counts less than that. The counters
 * must be running (pmk_target_start). The cost at each end is three MRC on ARM11, and one ISB and
 * three MRS on PMUv3; with the other instructions it is at most 12 (GCC, -Os and -O2). Any code
 * that may read the counters can use the macros, including interrupt handlers.
 *
 * 16-bit Thumb has no MRC: compile the function that uses this with __attribute__((target("arm"))).
 * With PMK_ENABLED 0 the differences are 0, and an optimising compiler removes the macros.
 */
#ifndef PMK_FAST_H
#define PMK_FAST_H

#include <stddef.h>
#include <stdint.h>

#ifndef PMK_ENABLED
#define PMK_ENABLED 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_fast {
	uint32_t begin[3], delta[3]; /* cycles, first event, second event */
};

/*
 * A lightweight region: for the same three counters, the sums over all occurrences, and for cycles
 * also the minimum and maximum of an occurrence. Use it for code that runs often, where a region of
 * <pmk/target.h> takes too long.
 *
 * 	struct pmk_fast_region fast_regions[] = { { .name = "filter" } };
 *
 * 	pmk_target_fast_regions(&pmu, fast_regions, 1);		… and pmk_target_start()
 *
 * 	PMK_REGION_FAST(0) {
 * 		… code …
 * 	}
 *
 * PMK_REGION_FAST_BEGIN(id) and PMK_REGION_FAST_END(id) do the same around code that is not one
 * block. An occurrence that leaves the block by break, goto or return is not counted. The count of
 * an occurrence is a difference modulo 2^32, so it must be less than that; the sums and the number
 * of occurrences have 64 bits. The cost is at most 40 instructions at each end (GCC, -Os and -O2;
 * 32-bit Arm and AArch64). The counts include about 6 of these instructions.
 *
 * The values at the beginning are stored in the region, so a region cannot be open twice: not in
 * recursion, in two tasks, or in a handler that interrupts it. Different regions can be nested.
 */
struct pmk_fast_region {
	const char *name;
	uint32_t begin[3]; /* values of the three counters at the beginning */
	uint32_t min, max; /* cycles of an occurrence; min > max: there were no occurrences */
	uint64_t count;	   /* occurrences */
	uint64_t sum[3];   /* cycles, first event, second event */
};

/* The array that the macros use. If yours has another name, define this before you include this
 * header. */
#ifndef PMK_FAST_REGIONS
#define PMK_FAST_REGIONS fast_regions
#endif

/* Gives the loop variable a unique name, so that blocks can be nested. */
#define PMK_FAST_NAME(line)   PMK_FAST_NAME_2(line)
#define PMK_FAST_NAME_2(line) pmk_fast_##line##_

#if !PMK_ENABLED

/* Sets the differences to 0, because a program may use them. */
#define PMK_FAST_BEGIN(f) ((void)sizeof(f))
#define PMK_FAST_END(f)                                                     \
	__extension__({                                                     \
		struct pmk_fast *pmk_f_ = (f);                              \
		pmk_f_->delta[0] = pmk_f_->delta[1] = pmk_f_->delta[2] = 0; \
	})
#define PMK_REGION_FAST_BEGIN(id) ((void)sizeof(id))
#define PMK_REGION_FAST_END(id)	  ((void)sizeof(id))
/* This is also a loop with one iteration, so that `break` behaves as in an enabled region. */
#define PMK_REGION_FAST(id)	  PMK_FAST_LOOP(id, PMK_FAST_NAME(__LINE__))
#define PMK_FAST_LOOP(id, r)	  for (unsigned r = sizeof(id); r; r = 0)

#else

/*
 * Functions that read the three counters. The cycle counter is read last at the beginning and first
 * at the end, so that it includes as little as possible of the other reads.
 */
#if defined(__arm__) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

#define PMK_FAST_CYCCNT ((const volatile uint32_t *)0xE0001004) /* DDI 0403E C1.8.8 */

static inline __attribute__((always_inline)) void pmk_fast_first(uint32_t *c, uint32_t *e0,
								 uint32_t *e1)
{
	*e0 = *e1 = 0;
	__asm__ volatile("" ::: "memory");
	*c = *PMK_FAST_CYCCNT;
}

static inline __attribute__((always_inline)) void pmk_fast_last(uint32_t *c, uint32_t *e0,
								uint32_t *e1)
{
	*c = *PMK_FAST_CYCCNT;
	__asm__ volatile("" ::: "memory");
	*e0 = *e1 = 0;
}

#define PMK_FAST_EVENTS 0 /* the DWT has no counters with selectable events */

#elif defined(__arm__)

/* DDI 0301H §3.2.52-54. */
static inline __attribute__((always_inline)) void pmk_fast_first(uint32_t *c, uint32_t *e0,
								 uint32_t *e1)
{
	__asm__ volatile("mrc p15, 0, %0, c15, c12, 2\n\t"
			 "mrc p15, 0, %1, c15, c12, 3\n\t"
			 "mrc p15, 0, %2, c15, c12, 1"
			 : "=r"(*e0), "=r"(*e1), "=r"(*c)::"memory");
}

static inline __attribute__((always_inline)) void pmk_fast_last(uint32_t *c, uint32_t *e0,
								uint32_t *e1)
{
	__asm__ volatile("mrc p15, 0, %0, c15, c12, 1\n\t"
			 "mrc p15, 0, %1, c15, c12, 2\n\t"
			 "mrc p15, 0, %2, c15, c12, 3"
			 : "=r"(*c), "=r"(*e0), "=r"(*e1)::"memory");
}

#define PMK_FAST_EVENTS 1

#elif defined(__aarch64__)

/* The ISB keeps the reads of the counters from running ahead of the code before them (DDI 0487
 * D13.5). In pmk_fast_first() this is the code before the region, in pmk_fast_last() the region. */
static inline __attribute__((always_inline)) void pmk_fast_first(uint32_t *c, uint32_t *e0,
								 uint32_t *e1)
{
	uint64_t c64, e0_64, e1_64;

	__asm__ volatile("isb\n\t"
			 "mrs %0, pmevcntr0_el0\n\t"
			 "mrs %1, pmevcntr1_el0\n\t"
			 "mrs %2, pmccntr_el0"
			 : "=r"(e0_64), "=r"(e1_64), "=r"(c64)::"memory");
	*c = (uint32_t)c64;
	*e0 = (uint32_t)e0_64;
	*e1 = (uint32_t)e1_64;
}

static inline __attribute__((always_inline)) void pmk_fast_last(uint32_t *c, uint32_t *e0,
								uint32_t *e1)
{
	uint64_t c64, e0_64, e1_64;

	__asm__ volatile("isb\n\t"
			 "mrs %0, pmccntr_el0\n\t"
			 "mrs %1, pmevcntr0_el0\n\t"
			 "mrs %2, pmevcntr1_el0"
			 : "=r"(c64), "=r"(e0_64), "=r"(e1_64)::"memory");
	*c = (uint32_t)c64;
	*e0 = (uint32_t)e0_64;
	*e1 = (uint32_t)e1_64;
}

#define PMK_FAST_EVENTS 1

#endif /* There are no macros for other processors, so using them is a compile error. */

#ifdef PMK_FAST_EVENTS

#define PMK_FAST_BEGIN(f) pmk_fast_begin(f)
#define PMK_FAST_END(f)	  pmk_fast_end(f)

static inline __attribute__((always_inline)) void pmk_fast_begin(struct pmk_fast *f)
{
	uint32_t c, e0, e1;

	pmk_fast_first(&c, &e0, &e1);
	f->begin[0] = c;
	f->begin[1] = e0;
	f->begin[2] = e1;
}

static inline __attribute__((always_inline)) void pmk_fast_end(struct pmk_fast *f)
{
	uint32_t c, e0, e1;

	pmk_fast_last(&c, &e0, &e1);
#ifdef __aarch64__
	/* All loads come first, so that the compiler can pair them. 32-bit Arm would need more
	 * registers for this than a function may change without saving them. */
	uint32_t b0 = f->begin[0], b1 = f->begin[1], b2 = f->begin[2];

	f->delta[0] = c - b0;
	f->delta[1] = e0 - b1;
	f->delta[2] = e1 - b2;
#else
	f->delta[0] = c - f->begin[0];
	f->delta[1] = e0 - f->begin[1];
	f->delta[2] = e1 - f->begin[2];
#endif
}

#define PMK_REGION_FAST_BEGIN(id) pmk_region_fast_begin(&(PMK_FAST_REGIONS)[id])
#define PMK_REGION_FAST_END(id)	  pmk_region_fast_end(&(PMK_FAST_REGIONS)[id])
#define PMK_REGION_FAST(id)	  PMK_FAST_LOOP(id, PMK_FAST_NAME(__LINE__))
#define PMK_FAST_LOOP(id, r)                                                                \
	for (struct pmk_fast_region *r = pmk_region_fast_enter(&(PMK_FAST_REGIONS)[id]); r; \
	     r = pmk_region_fast_leave(r))

static inline __attribute__((always_inline)) void pmk_region_fast_begin(struct pmk_fast_region *r)
{
	uint32_t c, e0, e1;

	pmk_fast_first(&c, &e0, &e1);
	r->begin[0] = c;
	r->begin[1] = e0;
	r->begin[2] = e1;
}

/*
 * r->member += n, for members of 64 and of 32 bits. On 32-bit Arm, compilers use six instructions
 * for the sum of 64 bits, but four suffice.
 */
#if defined(__arm__) && __ARM_ARCH >= 6 && !defined(__ARM_ARCH_6M__) && \
	!defined(__ARM_ARCH_8M_BASE__)
#define PMK_FAST_ADD(r, member, n)                                                       \
	do {                                                                             \
		uint64_t pmk_v_;                                                         \
		__asm__("ldrd %0, %H0, [%2, %3]\n\t"                                     \
			"adds %Q0, %Q0, %4\n\t"                                          \
			"adc %R0, %R0, #0\n\t"                                           \
			"strd %0, %H0, [%2, %3]"                                         \
			: "=&r"(pmk_v_), "+m"((r)->member)                               \
			: "r"(r), "I"(offsetof(struct pmk_fast_region, member)), "Ir"(n) \
			: "cc");                                                         \
	} while (0)
#else
#define PMK_FAST_ADD(r, member, n) ((r)->member += (n))
#endif

static inline __attribute__((always_inline)) void pmk_region_fast_end(struct pmk_fast_region *r)
{
	uint32_t c, e0, e1;

	pmk_fast_last(&c, &e0, &e1);
	c -= r->begin[0];
	if (PMK_FAST_EVENTS) {
		e0 -= r->begin[1];
		e1 -= r->begin[2];
	}
	PMK_FAST_ADD(r, count, 1);
	PMK_FAST_ADD(r, sum[0], c);
	if (PMK_FAST_EVENTS) {
		PMK_FAST_ADD(r, sum[1], e0);
		PMK_FAST_ADD(r, sum[2], e1);
	}
	if (c < r->min)
		r->min = c;
	if (c > r->max)
		r->max = c;
}

static inline __attribute__((always_inline)) struct pmk_fast_region *pmk_region_fast_enter(
	struct pmk_fast_region *r)
{
	pmk_region_fast_begin(r);
	return r;
}

static inline __attribute__((always_inline)) struct pmk_fast_region *pmk_region_fast_leave(
	struct pmk_fast_region *r)
{
	pmk_region_fast_end(r);
	return (struct pmk_fast_region *)0;
}

#endif

#endif

#ifdef __cplusplus
}
#endif

#endif
