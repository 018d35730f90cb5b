// SPDX-License-Identifier: MIT
/*
 * Measures tasks of FreeRTOS on a Raspberry Pi Zero: cycles and instructions of each task, and of a
 * region in each. Two workers of the same priority take turns, by yielding and at each tick; when
 * both have finished, a task of lower priority prints the counts.
 *
 * The kernel is unchanged: FreeRTOSConfig.h defines the macros through which it calls
 * pmu_task_out() and pmu_task_in().
 */
#include "FreeRTOS.h"
#include "task.h"

#include "pmk_target.h"

#include "board.h"
#include "raspi.h"

#define ROUNDS 50

enum { CYCLES, INSTRUCTIONS }; /* the events, in the order in which they are added */
enum { REGION_SHORT, REGION_LONG, NREGIONS };

static struct pmk_target pmu;
static struct pmk_region regions[NREGIONS] = { { .name = "short" }, { .name = "long" } };

static struct worker {
	const char *name;
	unsigned region;
	uint32_t turns;
	struct pmk_task counts;
} workers[] = {
	{ .name = "short", .region = REGION_SHORT, .turns = 1000 },
	{ .name = "long", .region = REGION_LONG, .turns = 9000 },
};

/* ---- hooks ------------------------------------------------------------------------------- */

void pmu_task_out(void)
{
	pmk_target_switch_out(&pmu);
}

void pmu_task_in(void *task)
{
	pmk_target_switch_in(&pmu, task); /* NULL for a task without counts */
}

/* The BCM2835 does not connect the PMU's interrupt, so overflows are polled. */
void vApplicationTickHook(void)
{
	pmk_target_poll(&pmu);
}

void assert_failed(const char *file, int line)
{
	print(file);
	print(": assertion failed in line ");
	print_number((uint64_t)line);
	print("\n");
	board_exit(1);
}

static uintptr_t lock(void)
{
	uintptr_t before;

	__asm__ volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(before)::"memory");
	return before;
}

static void unlock(uintptr_t before)
{
	__asm__ volatile("msr cpsr_c, %0" ::"r"(before) : "memory");
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* Executes two instructions for each turn. */
static void spin(uint32_t turns)
{
	__asm__ volatile("1:	subs	%0, %0, #1\n\t"
			 "bne	1b"
			 : "+r"(turns)
			 :
			 : "cc");
}

static void work(void *argument)
{
	struct worker *w = argument;

	vTaskSetThreadLocalStoragePointer(NULL, 0, &w->counts);
	taskYIELD(); /* version 9 calls no hook when it switches in the first task */
	for (unsigned round = 0; round < ROUNDS; round++) {
		PMK_REGION_BEGIN(w->region);
		spin(w->turns);
		PMK_REGION_END(w->region);
		taskYIELD();
	}
	vTaskSuspend(NULL);
}

static void report(void *argument)
{
	uint64_t totals[PMK_TARGET_EVENTS];

	(void)argument;
	check("stop", pmk_target_stop(&pmu));
	for (unsigned i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
		check("read", pmk_target_task_read(&pmu, &workers[i].counts, totals));
		print("task ");
		print(workers[i].name);
		print(": ");
		print_number(totals[CYCLES]);
		print(" cycles, ");
		print_number(totals[INSTRUCTIONS]);
		print(" instructions\n");
	}
	print_number(xTaskGetTickCount());
	print(" ticks\n");
	check("report", pmk_target_report(&pmu, board_put));
	board_exit(0);
}

int main(void)
{
	int err;

	raspi_uart();
	check("open", pmk_target_open(&pmu, &pmk_arm1176, pmk_port_native()));
	check("add", pmk_target_add(&pmu, PMK_ARM11_CPU_CYCLES));
	check("add", pmk_target_add(&pmu, PMK_ARM11_INSTR_EXEC));
	check("regions", pmk_target_regions(&pmu, regions, NREGIONS));
	check("locks", pmk_target_locks(&pmu, lock, unlock));
	err = pmk_target_start(&pmu);
	if (err == PMK_ENOPMU) {
		print("pmk: this ARM1176 has no PMU (QEMU's has none)\n");
		return 0;
	}
	check("start", err);

	configASSERT(xTaskCreate(report, "report", 512, NULL, 1, NULL) == pdPASS);
	for (unsigned i = 0; i < sizeof(workers) / sizeof(workers[0]); i++)
		configASSERT(xTaskCreate(work, workers[i].name, 512, &workers[i], 2, NULL) ==
			     pdPASS);
	vTaskStartScheduler();
	return 1;
}
