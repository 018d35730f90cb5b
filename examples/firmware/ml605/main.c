// SPDX-License-Identifier: MIT
/*
 * A MicroBlaze on an ML605 board, without an operating system: what two functions cost, through the
 * software access of the MicroBlaze Debug Module (MDM) to the counters. For a processor with
 * extended debug (C_DEBUG_ENABLED = 2) and an MDM with C_DBG_REG_ACCESS = 1, whose AXI interface
 * the processor reaches.
 *
 * QEMU's machine has neither: nobody answers, and the example says so and ends.
 */
#include "pmk_target.h"

#include "board.h"
#include "work.h"

static struct pmk_target pmu;
enum { REGION_SUM, REGION_COPY, NREGIONS };
static struct pmk_region regions[NREGIONS] = {
	[REGION_SUM] = { .name = "sum" },
	[REGION_COPY] = { .name = "copy" },
};

/* ---- the board ------------------------------------------------------------------------------- */

#define REG(address) (*(volatile uint32_t *)(address))
#define UART	     0x83E01000 /* 16550, a register every 4 bytes */
#define UART_THR     REG(UART + 0x00)
#define UART_LSR     REG(UART + 0x14)
#define LSR_THRE     (1u << 5)
/* Where the design has put the MDM, which no register tells: our choice, to be changed. */
#define MDM	     0x84400000

void board_put(char c)
{
	while (!(UART_LSR & LSR_THRE))
		;
	UART_THR = (unsigned char)c;
}

/* The machine cannot be switched off. `make run` waits for this line, and ends QEMU. */
void board_exit(int code)
{
	print("exit ");
	print_number((unsigned)code);
	print("\n");
	for (;;)
		__asm__ volatile("bri 0");
}

/* The counters are reached one after the other: no interrupt handler may come in between
 * (MSR[IE]). */
static uintptr_t lock(void)
{
	uintptr_t before;

	__asm__ volatile("mfs %0, rmsr" : "=r"(before)::"memory");
	__asm__ volatile("mts rmsr, %0" ::"r"(before & ~(uintptr_t)2) : "memory");
	return before;
}

static void unlock(uintptr_t before)
{
	__asm__ volatile("mts rmsr, %0" ::"r"(before) : "memory");
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* As many as the tools' default has counters: five, and one that times. */
static const uint8_t events[] = {
	PMK_MICROBLAZE_CLOCK_CYCLES,   PMK_MICROBLAZE_INSN_EXECUTED,
	PMK_MICROBLAZE_DCACHE_REQUEST, PMK_MICROBLAZE_DCACHE_HIT,
	PMK_MICROBLAZE_STALL_ANY,      PMK_MICROBLAZE_DCACHE_READ_LATENCY,
};

/* False, with a line that says why, if the counters cannot be reached. */
static bool opened(struct pmk_mdm *mdm)
{
	int err = pmk_mdm_open(mdm);

	if (!err)
		err = pmk_target_open(&pmu, &pmk_microblaze, pmk_port_mdm(mdm));
	if (err == PMK_EBUSY)
		print("pmk: no MDM answers, or a debugger has it: DBG_STATUS stays 0 "
		      "(QEMU has no MDM)\n");
	else
		check("open", err);
	return !err;
}

int main(void)
{
	struct pmk_mdm mdm;
	uint32_t s = 0;

	pmk_mdm_mmio(&mdm, MDM);
	if (!opened(&mdm))
		return 0;

	for (unsigned i = 0; i < sizeof(events); i++)
		check("add", pmk_target_add(&pmu, events[i]));
	check("regions", pmk_target_regions(&pmu, regions, NREGIONS));
	check("locks", pmk_target_locks(&pmu, lock, unlock));
	check("start", pmk_target_start(&pmu));

	fill();
	for (unsigned round = 0; round < 4; round++) {
		PMK_REGION_BEGIN(REGION_SUM);
		s += sum();
		PMK_REGION_END(REGION_SUM);

		PMK_REGION_BEGIN(REGION_COPY);
		copy();
		PMK_REGION_END(REGION_COPY);
	}

	check("stop", pmk_target_stop(&pmu));
	print("sum ");
	print_number(s);
	print("\n");
	check("report", pmk_target_report(&pmu, board_put)); /* for people */
	check("dump", pmk_target_dump(&pmu, board_put));     /* for pmk report */
	return 0;
}
