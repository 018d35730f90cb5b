// SPDX-License-Identifier: MIT
/*
 * Counters on QEMU's virt machine (Cortex-A53, PMUv3) without an operating system: loops whose
 * instructions can be counted on paper, regions, reading from EL0, and sampling by the overflow
 * interrupt.
 *
 * QEMU counts instructions only with -icount shift=N, and then exactly; its cycles are instructions
 * times 2^N. Its cycle counter interrupts correctly. Its event counters do not: with -icount their
 * overflow flag rises late or never, so we sample by cycles.
 */
#include "pmk_target.h"

#include "board.h"
#include "semihosting.h"

#define REG(address) (*(volatile uint32_t *)(address))

static struct pmk_target pmu;
static struct pmk_fast_region fast_regions[] = { { .name = "short loop" } };
enum { REGION_LOOP, REGION_SORT, NREGIONS };
static struct pmk_region regions[NREGIONS] = {
	[REGION_LOOP] = { .name = "loop" },
	[REGION_SORT] = { .name = "sort" },
};

/* ---- the board ------------------------------------------------------------------------------- */

#define UART_DR	       REG(0x09000000) /* PL011 */
#define GICD_CTLR      REG(0x08000000) /* GICv2 */
#define GICD_ISENABLER REG(0x08000100)
#define GICC_CTLR      REG(0x08010000)
#define GICC_PMR       REG(0x08010004)
#define GICC_IAR       REG(0x0801000C)
#define GICC_EOIR      REG(0x08010010)
#define PMU_INTERRUPT  23 /* PPI 7, as in the machine's device tree */

/* The registers that start.S saves on an exception. */
struct frame {
	uint64_t x[20]; /* x0 to x18, x30 */
	uint64_t pc, pstate;
};

void interrupt(struct frame *f);
void synchronous(struct frame *f);
void unexpected(struct frame *f);
uint64_t at_el0(uint64_t (*f)(uint64_t), uint64_t x);

void board_put(char c)
{
	UART_DR = (unsigned char)c;
}

void board_exit(int code)
{
	semihosting_exit(code);
}

static void interrupts_on(void)
{
	GICD_ISENABLER = 1u << PMU_INTERRUPT;
	GICC_PMR = 0xFF;
	GICC_CTLR = 1;
	GICD_CTLR = 1;
	__asm__ volatile("msr daifclr, #2" ::: "memory");
}

/* The library needs only the interrupted PC. The interrupt controller is handled here. */
void interrupt(struct frame *f)
{
	uint32_t id = GICC_IAR;

	if ((id & 0x3FF) != PMU_INTERRUPT)
		return;
	pmk_target_isr(&pmu, (uintptr_t)f->pc);
	GICC_EOIR = id;
}

void unexpected(struct frame *f)
{
	print("exception at ");
	print_number(f->pc);
	print("\n");
	board_exit(1);
}

/* pmk_native_probe() may take an exception, which is expected. No other is. */
void synchronous(struct frame *f)
{
	uintptr_t pc = (uintptr_t)f->pc;

	if (!pmk_native_fixup(&pc))
		unexpected(f);
	f->pc = pc;
}

/* ---- what is measured ------------------------------------------------------------------------ */

/* Executes 4 n instructions. */
static inline __attribute__((always_inline)) void loop(uint64_t n)
{
	__asm__ volatile("1:	nop\n"
			 "	nop\n"
			 "	subs	%0, %0, #1\n"
			 "	b.ne	1b"
			 : "+r"(n)::"cc");
}

static __attribute__((noinline)) void long_work(void)
{
	loop(30000);
}

static __attribute__((noinline)) void short_work(void)
{
	loop(10000);
}

static __attribute__((noinline)) void sort(void)
{
	static uint32_t words[64];
	uint32_t seed = 1;

	for (unsigned i = 0; i < 64; i++)
		words[i] = seed = seed * 1664525 + 1013904223;
	for (unsigned i = 1; i < 64; i++)
		for (unsigned k = i; k && words[k - 1] > words[k]; k--) {
			uint32_t w = words[k];

			words[k] = words[k - 1];
			words[k - 1] = w;
		}
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Returns the cycles of loop(n) in the upper half and its instructions in the lower half.
 * <pmk/fast.h> reads each counter once before the loop and once after it. This works at EL0, too,
 * while EL0 may read the counters. */
static __attribute__((noinline)) uint64_t measure(uint64_t n)
{
	struct pmk_fast f;

	PMK_FAST_BEGIN(&f);
	loop(n);
	PMK_FAST_END(&f);
	return (uint64_t)f.delta[0] << 32 | f.delta[1];
}

static void show(const char *where, uint64_t n, uint64_t measured)
{
	print(where);
	print(" n ");
	print_number(n);
	print(" instructions ");
	print_number((uint32_t)measured);
	print(" cycles ");
	print_number(measured >> 32);
	print("\n");
}

static uint64_t probe(uint64_t unused)
{
	(void)unused;
	return (uint64_t)(int64_t)pmk_native_probe();
}

static void count(void)
{
	static const uint32_t turns[] = { 1, 2, 10, 100, 1000, 10000 };
	int instructions;

	check("open", pmk_target_open(&pmu, &pmk_cortex_a53, pmk_port_native()));
	check("add", pmk_target_add(&pmu, PMK_ARMV8_CPU_CYCLES));
	instructions = pmk_target_add(&pmu, PMK_ARMV8_INST_RETIRED);
	if (instructions == PMK_ENOTSUP)
		print("no instructions are counted here (QEMU needs -icount shift=0)\n");
	else
		check("add", instructions);
	check("regions", pmk_target_regions(&pmu, regions, NREGIONS));
	check("fast regions", pmk_target_fast_regions(&pmu, fast_regions, 1));
	check("start", pmk_target_start(&pmu));

	for (unsigned i = 0; i < sizeof(turns) / sizeof(turns[0]); i++)
		show("el1", turns[i], measure(turns[i]));

	/* EL0 may not read the counters yet. The probe tries it and returns an error. */
	print("el0 probe: ");
	print(pmk_strerror((int)at_el0(probe, 0)));
	print("\n");
	check("user_read", pmk_armv8_user_read(&pmu.dev, true));
	show("el0", 1000, at_el0(measure, 1000));
	check("user_read", pmk_armv8_user_read(&pmu.dev, false));

	for (unsigned i = 0; i < 10; i++) {
		PMK_REGION_BEGIN(REGION_LOOP);
		loop(1000);
		PMK_REGION_END(REGION_LOOP);
		PMK_REGION_BEGIN(REGION_SORT);
		sort();
		PMK_REGION_END(REGION_SORT);
	}
	/* These loops are too short for PMK_REGION_BEGIN and _END, which take longer than the
	 * loops. */
	for (unsigned i = 0; i < 10; i++)
		PMK_REGION_FAST(0) {
			loop(i + 1);
		}
	check("stop", pmk_target_stop(&pmu));
	check("report", pmk_target_report(&pmu, board_put));
	check("close", pmk_target_close(&pmu));
}

/* ---- sampling -------------------------------------------------------------------------------- */

#define PERIOD 10007 /* a prime: no multiple of a loop's length */

static void sample(void)
{
	static struct pmk_sample samples[256];
	static struct pmk_ring ring = { .sample = samples, .size = 256 };

	check("open", pmk_target_open(&pmu, &pmk_cortex_a53, pmk_port_native()));
	check("add", pmk_target_add(&pmu, PMK_ARMV8_CPU_CYCLES));
	check("regions", pmk_target_regions(&pmu, regions, NREGIONS));
	check("interrupts", pmk_target_interrupts(&pmu, true));
	check("sample", pmk_target_sample(&pmu, 0, PERIOD, &ring));
	interrupts_on();
	check("start", pmk_target_start(&pmu));

	for (unsigned i = 0; i < 10; i++) {
		PMK_REGION_BEGIN(REGION_LOOP);
		long_work();
		PMK_REGION_END(REGION_LOOP);
		short_work();
	}
	check("stop", pmk_target_stop(&pmu));
	print("sampled every ");
	print_number(PERIOD);
	print(" cycles\n");
	check("report", pmk_target_report(&pmu, board_put)); /* for people */
	check("dump", pmk_target_dump(&pmu, board_put));     /* for pmk report, samples included */
	check("close", pmk_target_close(&pmu));
}

int main(void)
{
	count();
	sample();
	return 0;
}
