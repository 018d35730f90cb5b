/* SPDX-License-Identifier: MIT */
/*
 * hello.c with a stack that is measured: it is filled with a pattern before sort() runs, and the
 * deepest word that has changed afterwards shows how deep the stack was. The exit code is 1 if that
 * is more than STACK_LIMIT bytes. The script `gate` runs this program.
 */
#include <stddef.h>
#include <stdint.h>

enum { WRITE0 = 0x04, EXIT_EXTENDED = 0x20, EXITED = 0x20026, NUMBERS = 200, WORDS = 256 };
#define PATTERN UINT32_C(0x5a5a5a5a)

static int16_t numbers[NUMBERS];
static volatile uint32_t stack[WORDS];

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

/* Sorts by merging, so that the depth of the stack depends on n. */
__attribute__((noinline)) static void sort(int16_t *part, size_t n)
{
	int16_t *middle = part + n / 2, one;

	if (n < 2)
		return;
	sort(part, n / 2);
	sort(middle, n - n / 2);
	for (size_t i = n / 2; i < n; i++) {
		size_t at = i;

		one = part[i];
		for (; at > 0 && part[at - 1] > one; at--)
			part[at] = part[at - 1];
		part[at] = one;
	}
}

static unsigned bytes_used(void)
{
	unsigned i = 0;

	while (i < WORDS && stack[i] == PATTERN)
		i++;
	return (unsigned)(sizeof(stack) - i * sizeof(stack[0]));
}

static void say(unsigned n)
{
	char line[] = "the stack was 0000 bytes deep\n";

	for (char *digit = line + 17; n; n /= 10)
		*digit-- = (char)('0' + n % 10);
	semihost(WRITE0, line);
}

static void run(void)
{
	uint32_t block[2] = { EXITED, 0 };
	unsigned used;

	fill();
	sort(numbers, NUMBERS);
	used = bytes_used();
	say(used);
	block[1] = used > STACK_LIMIT;
	semihost(EXIT_EXTENDED, block);
	for (;;)
		;
}

/* The linker looks for this name. The pattern is written before the stack is used. */
void _start(void);
__attribute__((naked)) void _start(void)
{
	__asm__ volatile("	.syntax	unified\n"
			 "	ldr	r0, =stack\n"
			 "	ldr	r1, =0x5a5a5a5a\n"
			 "	mov	r2, sp\n"
			 "1:	str	r1, [r0]\n"
			 "	adds	r0, #4\n"
			 "	cmp	r0, r2\n"
			 "	blo	1b\n"
			 "	b	%c0\n"
			 :
			 : "i"(run));
}

static void fault(void)
{
	static const uint32_t block[2] = { EXITED, 2 };

	semihost(EXIT_EXTENDED, block);
	for (;;)
		;
}

/* The first stack pointer, and the addresses of the handlers. */
__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
	(const void *)(stack + WORDS),
	(void *)_start,
	(void *)fault,
	(void *)fault,
};
