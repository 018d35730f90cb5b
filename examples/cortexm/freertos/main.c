// SPDX-License-Identifier: MIT
/*
 * Two tasks of FreeRTOS on a Cortex-M3: one samples and the other filters, ten times; then the
 * firmware ends by semihosting. The kernel is unchanged. README.md says how to count it.
 */
#include "FreeRTOS.h"
#include "task.h"

enum { EXIT_EXTENDED = 0x20, EXITED = 0x20026, ROUNDS = 10, SAMPLES = 64 };

/* The kernel defines the last three. */
void reset(void);
void svc_handler(void);
void pendsv_handler(void);
void systick_handler(void);

static volatile uint32_t samples[SAMPLES];
static volatile uint32_t result;

static void firmware_exit(uint32_t code)
{
	uint32_t block[2] = { EXITED, code };
	register uint32_t r0 __asm__("r0") = EXIT_EXTENDED;
	register const void *r1 __asm__("r1") = block;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

__attribute__((noinline)) static void sample(uint32_t round)
{
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i] = i * round;
}

__attribute__((noinline)) static void filter(void)
{
	uint32_t sum = 0;

	for (uint32_t turn = 0; turn < 100; turn++)
		for (uint32_t i = 0; i < SAMPLES; i++)
			sum += samples[i] * (turn + 1);
	result = sum;
}

static void sampler(void *argument)
{
	(void)argument;
	for (uint32_t round = 1;; round++) {
		sample(round);
		vTaskDelay(1);
	}
}

static void worker(void *argument)
{
	(void)argument;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		filter();
		vTaskDelay(1);
	}
	firmware_exit(0);
}

void reset(void)
{
	xTaskCreate(sampler, "sampler", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
	xTaskCreate(worker, "worker", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
	vTaskStartScheduler();
	firmware_exit(1); /* too little memory for the tasks */
}

static void fault(void)
{
	firmware_exit(2);
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
	(void *)0x20010000,
	(void *)reset,
	(void *)fault,
	(void *)fault,
	[11] = (void *)svc_handler,
	[14] = (void *)pendsv_handler,
	[15] = (void *)systick_handler,
};
