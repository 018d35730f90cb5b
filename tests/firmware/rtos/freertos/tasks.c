// SPDX-License-Identifier: MIT
/*
 * FreeRTOS expands the trace macros in a file like this, in which pxCurrentTCB and its members are
 * visible.
 */
#include "FreeRTOS.h"
#include "task.h"

struct tskTaskControlBlock {
	void *pvThreadLocalStoragePointers[configNUM_THREAD_LOCAL_STORAGE_POINTERS];
};

static struct tskTaskControlBlock tasks[2];
static struct tskTaskControlBlock *volatile pxCurrentTCB = &tasks[0];

void vTaskSetThreadLocalStoragePointer(TaskHandle_t xTaskToSet, BaseType_t xIndex, void *pvValue)
{
	xTaskToSet->pvThreadLocalStoragePointers[xIndex] = pvValue;
}

void vTaskSwitchContext(void)
{
	traceTASK_SWITCHED_OUT();
	pxCurrentTCB = pxCurrentTCB == &tasks[0] ? &tasks[1] : &tasks[0];
	traceTASK_SWITCHED_IN();
}
