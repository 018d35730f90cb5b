/* SPDX-License-Identifier: MIT */
/* FreeRTOS on an ARM1176: tasks run in System mode, in ARM state, without the FPU. */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

typedef uint32_t StackType_t;
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;

#define portMAX_DELAY		UINT32_MAX
#define portTICK_TYPE_IS_ATOMIC 1
#define portTICK_PERIOD_MS	((TickType_t)1000 / configTICK_RATE_HZ)
#define portSTACK_GROWTH	(-1)
#define portBYTE_ALIGNMENT	8

#define portYIELD()		 __asm__ volatile("svc 0" : : : "memory")
#define portDISABLE_INTERRUPTS() __asm__ volatile("cpsid i" : : : "memory")
#define portENABLE_INTERRUPTS()	 __asm__ volatile("cpsie i" : : : "memory")
#define portENTER_CRITICAL()	 vPortEnterCritical()
#define portEXIT_CRITICAL()	 vPortExitCritical()

#define portTASK_FUNCTION_PROTO(function, parameters) void function(void *parameters)
#define portTASK_FUNCTION(function, parameters)	      void function(void *parameters)

void vPortEnterCritical(void);
void vPortExitCritical(void);

#endif
