/* SPDX-License-Identifier: MIT */
#ifndef FAKE_FREERTOS_TASK_H
#define FAKE_FREERTOS_TASK_H

#include "FreeRTOS.h"

typedef struct tskTaskControlBlock *TaskHandle_t;

void vTaskSetThreadLocalStoragePointer(TaskHandle_t xTaskToSet, BaseType_t xIndex, void *pvValue);
void *pvTaskGetThreadLocalStoragePointer(TaskHandle_t xTaskToQuery, BaseType_t xIndex);
void vTaskSwitchContext(void);

#endif
