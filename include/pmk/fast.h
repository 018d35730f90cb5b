/* SPDX-License-Identifier: MIT */
/*
 * The cheapest measurement: one access per counter at each end of the code, inline, and nothing
 * else. For short pieces of code in inner loops, where a region of <pmk/target.h> costs more than
 * what it measures. Fixed set: the cycle counter and the first two event counters, which is where
 * pmk_target_add() puts the cycles and the first two other events.
 *
 *	struct pmk_fast f;
 *	PMK_FAST_BEGIN(&f);
 *	… code …
 *	PMK_FAST_END(&f);		f.delta[0] cycles, f.delta[1] and [2] the events
 *
 * Differences are modulo 2^32, exact for code that counts less than that. The counters have to be
 * running (pmk_target_start). Cost at each end: ARM11 three MRC, at most 12 instructions; PMUv3 one
 * ISB, three MRS, at most 12 instructions (GCC, -Os and -O2). Callable from anywhere that may read
 * the counters.
 *
 * 16-bit Thumb has no MRC: compile the function that uses this with __attribute__((target("arm"))).
 * With PMK_ENABLED 0 the differences are 0, and an optimising compiler leaves nothing of it.
 */
#ifndef PMK_FAST_H
#define PMK_FAST_H

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

#if !PMK_ENABLED

/* The differences are 0, because a program may look at them. */
#define PMK_FAST_BEGIN(f) ((void)sizeof(f))
#define PMK_FAST_END(f)                                                     \
	__extension__({                                                     \
		struct pmk_fast *pmk_f_ = (f);                              \
		pmk_f_->delta[0] = pmk_f_->delta[1] = pmk_f_->delta[2] = 0; \
	})

#else

#if defined(__arm__)

/* The cycle counter is read last at the beginning and first at the end. DDI 0301H §3.2.52-54. */
#define PMK_FAST_BEGIN(f) pmk_fast_begin(f)
#define PMK_FAST_END(f)	  pmk_fast_end(f)

static inline __attribute__((always_inline)) void pmk_fast_begin(struct pmk_fast *f)
{
	uint32_t c, e0, e1;

	__asm__ volatile("mrc p15, 0, %0, c15, c12, 2\n\t"
			 "mrc p15, 0, %1, c15, c12, 3\n\t"
			 "mrc p15, 0, %2, c15, c12, 1"
			 : "=r"(e0), "=r"(e1), "=r"(c)::"memory");
	f->begin[0] = c;
	f->begin[1] = e0;
	f->begin[2] = e1;
}

static inline __attribute__((always_inline)) void pmk_fast_end(struct pmk_fast *f)
{
	uint32_t c, e0, e1;

	__asm__ volatile("mrc p15, 0, %0, c15, c12, 1\n\t"
			 "mrc p15, 0, %1, c15, c12, 2\n\t"
			 "mrc p15, 0, %2, c15, c12, 3"
			 : "=r"(c), "=r"(e0), "=r"(e1)::"memory");
	f->delta[0] = c - f->begin[0];
	f->delta[1] = e0 - f->begin[1];
	f->delta[2] = e1 - f->begin[2];
}

#elif defined(__aarch64__)

#define PMK_FAST_BEGIN(f) pmk_fast_begin(f)
#define PMK_FAST_END(f)	  pmk_fast_end(f)

/* ISB: the reads must not run ahead of the code before them (DDI 0487 D13.5). At the beginning that
 * is what came before the region; at the end, the region. */
static inline __attribute__((always_inline)) void pmk_fast_begin(struct pmk_fast *f)
{
	uint64_t c, e0, e1;

	__asm__ volatile("isb\n\t"
			 "mrs %0, pmevcntr0_el0\n\t"
			 "mrs %1, pmevcntr1_el0\n\t"
			 "mrs %2, pmccntr_el0"
			 : "=r"(e0), "=r"(e1), "=r"(c)::"memory");
	f->begin[0] = (uint32_t)c;
	f->begin[1] = (uint32_t)e0;
	f->begin[2] = (uint32_t)e1;
}

static inline __attribute__((always_inline)) void pmk_fast_end(struct pmk_fast *f)
{
	uint64_t c, e0, e1;
	uint32_t b0, b1, b2;

	__asm__ volatile("isb\n\t"
			 "mrs %0, pmccntr_el0\n\t"
			 "mrs %1, pmevcntr0_el0\n\t"
			 "mrs %2, pmevcntr1_el0"
			 : "=r"(c), "=r"(e0), "=r"(e1)::"memory");
	/* All loads first, so that the compiler makes pairs. */
	b0 = f->begin[0];
	b1 = f->begin[1];
	b2 = f->begin[2];
	f->delta[0] = (uint32_t)c - b0;
	f->delta[1] = (uint32_t)e0 - b1;
	f->delta[2] = (uint32_t)e1 - b2;
}

#endif /* On other processors the macros do not exist, so that using them is an error. */

#endif

#ifdef __cplusplus
}
#endif

#endif
