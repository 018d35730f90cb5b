// SPDX-License-Identifier: MIT
/*
 * The firmware whose instructions bench/firmware counts: the objects that the library works on,
 * wrappers for functions that cannot be called from outside because they are inline or take a
 * struct, and a small whole program. All other functions are called in the library itself.
 */
#include <stddef.h>

#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/fast.h>
#include <pmk/target.h>

#if defined(__aarch64__)
#define CORE   (&pmk_cortex_a53)
#define CYCLES PMK_ARMV8_CPU_CYCLES
#define MISSES PMK_ARMV8_L1D_CACHE_REFILL
#else
#define CORE   (&pmk_arm1176)
#define CYCLES PMK_ARM11_CPU_CYCLES
#define MISSES PMK_ARM11_DCACHE_MISS
#endif

struct pmk_target pmu;
struct pmk_region regions[1] = { { .name = "work" } };
struct pmk_fast fast;
uint64_t totals[PMK_TARGET_EVENTS];
uint32_t by_hand[2 * PMK_TARGET_EVENTS];

/* bench/firmware calls these functions. `program` is the entry point. */
int open_target(void);
void nothing(void);
void fast_begin(struct pmk_fast *f);
void fast_end(struct pmk_fast *f);
void program(void);

int open_target(void)
{
	return pmk_target_open(&pmu, CORE, pmk_port_native());
}

/* Does nothing. The cost of inline code is its number of instructions minus this function's. */
void nothing(void)
{
}

void fast_begin(struct pmk_fast *f)
{
	PMK_FAST_BEGIN(f);
}

void fast_end(struct pmk_fast *f)
{
	PMK_FAST_END(f);
}

/* A program with the usual calls, to measure the size of the linked code. */
static volatile char uart;

static void put(char c)
{
	uart = c;
}

void program(void)
{
	if (open_target() || pmk_target_add(&pmu, CYCLES) < 0 || pmk_target_add(&pmu, MISSES) < 0)
		return;
	pmk_target_regions(&pmu, regions, 1);
	pmk_target_start(&pmu);
	PMK_REGION_BEGIN(0);
	nothing();
	PMK_REGION_END(0);
	pmk_target_stop(&pmu);
	pmk_target_report(&pmu, put);
}
