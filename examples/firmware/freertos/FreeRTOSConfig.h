/* SPDX-License-Identifier: MIT */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configCPU_CLOCK_HZ	 700000000
#define configTICK_RATE_HZ	 1000
#define configUSE_PREEMPTION	 1
#define configUSE_16_BIT_TICKS	 0
#define configMAX_PRIORITIES	 4
#define configMINIMAL_STACK_SIZE 256 /* words */
#define configTOTAL_HEAP_SIZE	 32768
#define configMAX_TASK_NAME_LEN	 12
#define configUSE_IDLE_HOOK	 0
#define configUSE_TICK_HOOK	 1 /* polls the counters */
#define INCLUDE_vTaskSuspend	 1
#define configASSERT(x)		 ((x) ? (void)0 : assert_failed(__FILE__, __LINE__))
/* clang-format off */
/* As docs/firmware.md has it. */
#define configNUM_THREAD_LOCAL_STORAGE_POINTERS 1
#define traceTASK_SWITCHED_OUT() pmu_task_out()
#define traceTASK_SWITCHED_IN()  pmu_task_in(pxCurrentTCB->pvThreadLocalStoragePointers[0])
/* clang-format on */

void assert_failed(const char *file, int line);
void pmu_task_out(void);
void pmu_task_in(void *task);

#endif
