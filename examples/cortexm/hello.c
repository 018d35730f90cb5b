/* SPDX-License-Identifier: MIT */
/*
 * Firmware for any Cortex-M with code at address 0, without a C library: it sorts an array, prints
 * a line by semihosting, and ends. README.md says how to count it.
 */
#include <stddef.h>
#include <stdint.h>

enum { WRITE0 = 0x04, EXIT_EXTENDED = 0x20, EXITED = 0x20026, NUMBERS = 200 };

static int16_t numbers[NUMBERS];

static void semihost(uint32_t call, const void *block)
{
	register uint32_t r0 __asm__("r0") = call;
	register const void *r1 __asm__("r1") = block;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void fill(void)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < NUMBERS; i++) {
		seed = seed * 1103515245 + 12345;
		numbers[i] = (int16_t)(seed >> 16);
	}
}

__attribute__((noinline)) static void sort(void)
{
	for (size_t i = 1; i < NUMBERS; i++) {
		int16_t one = numbers[i];
		size_t at = i;

		for (; at > 0 && numbers[at - 1] > one; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = one;
	}
}

static uint32_t is_sorted(void)
{
	for (size_t i = 1; i < NUMBERS; i++)
		if (numbers[i - 1] > numbers[i])
			return 0;
	return 1;
}

/* The linker looks for this name. */
void _start(void);
void _start(void)
{
	uint32_t block[2] = { EXITED, 0 };

	fill();
	sort();
	block[1] = !is_sorted();
	semihost(WRITE0, block[1] ? "not sorted\n" : "sorted\n");
	semihost(EXIT_EXTENDED, block);
	for (;;)
		;
}

static void fault(void)
{
	static const uint32_t block[2] = { EXITED, 1 };

	semihost(EXIT_EXTENDED, block);
	for (;;)
		;
}

/* The first stack pointer, and the addresses of the handlers. */
__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
	(void *)0x20002000,
	(void *)_start,
	(void *)fault,
	(void *)fault,
};
