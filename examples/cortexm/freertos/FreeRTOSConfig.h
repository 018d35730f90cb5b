/* SPDX-License-Identifier: MIT */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

/* clang-format off */
#define configCPU_CLOCK_HZ	 25000000 /* of QEMU's mps2-an385 */
#define configTICK_RATE_HZ	 1000
#define configUSE_PREEMPTION	 1
#define configUSE_TIME_SLICING	 1
#define configUSE_16_BIT_TICKS	 0
#define configMAX_PRIORITIES	 4
#define configMINIMAL_STACK_SIZE 128 /* words */
#define configTOTAL_HEAP_SIZE	 16384
#define configMAX_TASK_NAME_LEN	 12
#define configUSE_IDLE_HOOK	 0
#define configUSE_TICK_HOOK	 0
#define INCLUDE_vTaskDelay	 1
#define INCLUDE_vTaskSuspend	 1
#define configKERNEL_INTERRUPT_PRIORITY	     255
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 191
/* The vector table of main.c uses these names. */
#define vPortSVCHandler	    svc_handler
#define xPortPendSVHandler  pendsv_handler
#define xPortSysTickHandler systick_handler
/* clang-format on */

#endif
