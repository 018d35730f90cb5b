// SPDX-License-Identifier: MIT
/* The part in C of FreeRTOS' port to a Raspberry Pi Zero: the first frame of a task, critical
 * sections, and the tick, which channel 1 of the system timer makes. */
#include "FreeRTOS.h"
#include "task.h"

#include "raspi.h"

#define TIMER_CS    RASPI_REG(0x20003000)
#define TIMER_CLO   RASPI_REG(0x20003004) /* counts microseconds */
#define TIMER_C1    RASPI_REG(0x20003010)
#define IRQ_PENDING RASPI_REG(0x2000B204)
#define IRQ_ENABLE  RASPI_REG(0x2000B210)
#define CHANNEL_1   (1u << 1)
#define PERIOD	    (1000000 / configTICK_RATE_HZ)
#define SYSTEM_MODE 0x1F
#define NO_FIQ	    0x40

/* port.S */
void port_vectors(void);
_Noreturn void port_first_task(void);
void port_interrupt(void);

/* How deeply the critical sections of the running task are nested; port.S saves it with the task's
 * registers. It is not 0 before the first task, so that leaving a critical section at start-up does
 * not enable interrupts. */
uint32_t port_nesting = 1;

static void task_has_returned(void)
{
	configASSERT(0);
	for (;;)
		;
}

/* The frame holds what port.S restores: the number of bytes by which the stack was aligned,
 * port_nesting, r0 to r12, lr, pc and cpsr. */
StackType_t *pxPortInitialiseStack(StackType_t *top, TaskFunction_t code, void *parameters)
{
	StackType_t *frame = top - 18;

	for (unsigned i = 0; i < 15; i++)
		frame[i] = 0;
	frame[2] = (StackType_t)parameters;
	frame[15] = (StackType_t)task_has_returned;
	frame[16] = (StackType_t)code;
	frame[17] = SYSTEM_MODE | NO_FIQ;
	return frame;
}

void vPortEnterCritical(void)
{
	portDISABLE_INTERRUPTS();
	port_nesting++;
}

void vPortExitCritical(void)
{
	if (--port_nesting == 0)
		portENABLE_INTERRUPTS();
}

/* port.S calls this with interrupts masked. Only the timer's interrupt is enabled. */
void port_interrupt(void)
{
	if (!(IRQ_PENDING & CHANNEL_1))
		return;
	TIMER_CS = CHANNEL_1;
	TIMER_C1 += PERIOD;
	if (xTaskIncrementTick())
		vTaskSwitchContext();
}

BaseType_t xPortStartScheduler(void)
{
	__asm__ volatile("mcr p15, 0, %0, c12, c0, 0" : : "r"(port_vectors)); /* VBAR */
	TIMER_CS = CHANNEL_1;
	TIMER_C1 = TIMER_CLO + PERIOD;
	IRQ_ENABLE = CHANNEL_1;
	port_first_task();
}

void vPortEndScheduler(void)
{
}
