/* SPDX-License-Identifier: MIT */
/*
 * PMK_FAST_BEGIN and PMK_FAST_END between marks, so that a test can count the instructions of each
 * edge in the compiler's output. The macros use a struct once through a pointer, and once on the
 * stack of a function that does some work.
 */
#include <pmk/fast.h>

/* Writes a comment into the assembly. No access to memory moves across it. */
#define MARK(text) __asm__ volatile("/* mark " text " */" ::: "memory")

#define EDGE(edge, f)        \
	do {                 \
		MARK(#edge); \
		edge(f);     \
		MARK("end"); \
	} while (0)

#if defined(__thumb__) && !defined(__thumb2__)
#define ARM_STATE __attribute__((target("arm")))
#else
#define ARM_STATE
#endif

ARM_STATE void begin(struct pmk_fast *f)
{
	EDGE(PMK_FAST_BEGIN, f);
}

ARM_STATE void end(struct pmk_fast *f)
{
	EDGE(PMK_FAST_END, f);
}

ARM_STATE uint32_t both(volatile uint32_t *v, unsigned n)
{
	struct pmk_fast f;

	EDGE(PMK_FAST_BEGIN, &f);
	for (unsigned i = 0; i < n; i++)
		v[i]++;
	EDGE(PMK_FAST_END, &f);
	return f.delta[0] + f.delta[1] + f.delta[2];
}
