/* SPDX-License-Identifier: MIT */
/*
 * The program that pmk calibrate runs and times:
 *
 *   kernels ring STRIDE LINE COUNT TIMES
 *	A chain of TIMES loads in a ring of COUNT words, STRIDE bytes apart. If LINE is not 0,
 *	STRIDE is a multiple of a page, and the words are spread evenly over the lines of their
 *	pages, from the first line to the last. So they use all sets of the cache before two words
 *	share one.
 *   kernels code STRIDE 0 COUNT TIMES
 *	TIMES calls of COUNT instructions, STRIDE bytes apart. Each instruction is a branch to the
 *	next one or, if STRIDE is 4, a NOP; the last instruction returns.
 *   kernels calls 0 0 COUNT TIMES
 *	TIMES calls of COUNT functions, each of which calls the next one.
 *   kernels targets 0 0 COUNT TIMES
 *	TIMES calls through a pointer, to one function or alternately to two.
 *   kernels loop 0 0 COUNT TIMES
 *	TIMES calls of a loop with COUNT turns.
 *   kernels pair STRIDE 0 COUNT TIMES
 *	TIMES calls of two conditional branches, STRIDE bytes apart. The first one is always taken
 *	and the second one never. Before each of them are COUNT branches that are never taken.
 *
 * The exit code is 2 for other arguments. It is 3 if there is no code to call, because this program
 * has no instructions for this processor, or because no memory can be both written and executed.
 *
 * Build it for the processor to measure, statically if possible:
 *
 *   arm-linux-gnueabi-gcc -O2 -static kernels.c -o kernels
 */
#define _GNU_SOURCE
/* GCC adds a branch to a loop when it optimises for size. Loads that miss would hide its time. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2")
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 64 << 20, PAGE = 4096 };

static unsigned long stride, line, count, times;

/* ---- loads ----------------------------------------------------------------------------------- */

static void *memory[BYTES / sizeof(void *)] __attribute__((aligned(4096)));

static void **word(unsigned long i)
{
	unsigned long in_page = line ? i * (PAGE / line) / count * line : 0;

	return (void **)((char *)memory + i * stride + in_page);
}

static int ring(void)
{
	void **p;

	if (stride < sizeof(void *) || (stride | line) % sizeof(void *) || line > PAGE ||
	    stride > BYTES / count)
		return 2;
	for (unsigned long i = 0; i < count; i++)
		*word(i) = word((i + 1) % count);
	p = word(0);
	for (unsigned long i = times / 16; i; i--) {
		/* Sixteen loads in each turn, so that the loop itself takes hardly any time. */
		p = *p, p = *p, p = *p, p = *p, p = *p, p = *p, p = *p, p = *p;
		p = *p, p = *p, p = *p, p = *p, p = *p, p = *p, p = *p, p = *p;
	}
	return p == NULL;
}

/* ---- code ------------------------------------------------------------------------------------ */

#if defined(__arm__) || defined(__aarch64__)

enum { CODE_BYTES = 16 << 20, FUNCTION = 16 /* bytes from one function to the next */ };

/* Where the code is, or NULL. Its instructions have 32 bits, whatever this is built for. */
static uint32_t *room(unsigned long apart)
{
	void *code;

	if (apart % 4 || apart < 4 || apart > CODE_BYTES / count)
		return NULL;
	code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		exit(3);
	return code;
}

static int call(uint32_t *code, unsigned long bytes)
{
	void (*function)(void) = (void (*)(void))(uintptr_t)code;

	__builtin___clear_cache((char *)code, (char *)code + bytes);
	for (; times; times--)
		function();
	return 0;
}

#ifdef __aarch64__
static const uint32_t nothing = 0xd503201f, ret = 0xd65f03c0;

static uint32_t branch(unsigned long bytes)
{
	return 0x14000000 | bytes / 4;
}

/* Writes a function that saves the link register, calls the code `bytes` after the call, and
 * returns. */
static void caller(uint32_t *at, unsigned long bytes)
{
	at[0] = 0xa9bf7bfd; /* stp x29, x30, [sp, #-16]! */
	at[1] = 0x94000000 | bytes / 4;
	at[2] = 0xa8c17bfd; /* ldp x29, x30, [sp], #16 */
	at[3] = ret;
}

static void counting_loop(uint32_t *at, uint32_t turns)
{
	at[0] = 0xd2800003 | turns << 5; /* mov x3, #turns */
	at[1] = 0xf1000463;		 /* subs x3, x3, #1 */
	at[2] = 0x54ffffe1;		 /* b.ne */
}

/* `equal` sets the flags. Then `taken` branches over the next instruction; `passed` does not. */
static const uint32_t equal = 0xeb1f03ff /* cmp xzr, xzr */, taken = 0x54000040 /* b.eq */,
		      passed = 0x54000041 /* b.ne */;
#else
static const uint32_t nothing = 0xe1a00000, ret = 0xe12fff1e;

static uint32_t branch(unsigned long bytes)
{
	return 0xea000000 | (((bytes - 8) / 4) & 0xffffff);
}

static void caller(uint32_t *at, unsigned long bytes)
{
	at[0] = 0xe52de004; /* push {lr} */
	at[1] = 0xeb000000 | (bytes - 8) / 4;
	at[2] = 0xe49df004; /* pop {pc} */
}

static void counting_loop(uint32_t *at, uint32_t turns)
{
	at[0] = 0xe3a03000 | turns; /* mov r3, #turns */
	at[1] = 0xe2533001;	    /* subs r3, r3, #1 */
	at[2] = 0x1afffffd;	    /* bne */
}

static const uint32_t equal = 0xe1500000 /* cmp r0, r0 */, taken = 0x0a000000 /* beq */,
		      passed = 0x1a000000 /* bne */;
#endif

static int code(void)
{
	uint32_t *at = room(stride);

	if (!at)
		return 2;
	for (unsigned long i = 0; i + 1 < count; i++)
		at[i * stride / 4] = stride == 4 ? nothing : branch(stride);
	at[(count - 1) * stride / 4] = ret;
	return call(at, count * stride);
}

static int calls(void)
{
	uint32_t *at = room(FUNCTION);

	if (!at)
		return 2;
	for (unsigned long i = 0; i + 1 < count; i++)
		caller(at + i * FUNCTION / 4, FUNCTION - 4);
	at[(count - 1) * FUNCTION / 4] = ret;
	return call(at, count * FUNCTION);
}

static int loop(void)
{
	uint32_t *at = room(FUNCTION);

	if (!at || count > 255)
		return 2;
	counting_loop(at, (uint32_t)count);
	at[3] = ret;
	return call(at, FUNCTION);
}

/* The branches that are never taken leave the same history before both branches of the pair. The
 * address of the first branch of the pair is a multiple of ALIGNED. The lower bits of the other
 * addresses differ from it for any history, so no other branch shares its entry in a table. */
static int pair(void)
{
	enum { ALIGNED = 64 << 10 };
	uint32_t *at = room(stride), *first, *end;

	if (!at || count > 64 || stride > ALIGNED || stride / 4 < count + 8)
		return 2;
	first = (uint32_t *)(((uintptr_t)at + 2 * ALIGNED - 1) / ALIGNED * ALIGNED);
	at = end = first - count - 1;
	*end++ = equal;
	while (end < first)
		*end++ = passed;
	*end++ = taken;
	*end++ = nothing;
	*end++ = nothing;
	while (end < first + 3 + count)
		*end++ = passed;
	*end = branch((unsigned long)(first + stride / 4 - end) * 4);
	end = first + stride / 4;
	*end++ = passed;
	*end++ = nothing;
	*end++ = ret;
	return call(at, (unsigned long)(end - at) * 4);
}

static int targets(void)
{
	uint32_t *at = room(FUNCTION);
	void (*volatile function[2])(void);

	if (!at || count > 2)
		return 2;
	at[0] = at[FUNCTION / 4] = ret;
	__builtin___clear_cache((char *)at, (char *)at + 2 * FUNCTION);
	for (unsigned long i = 0; i < 2; i++)
		function[i] = (void (*)(void))(uintptr_t)(at + i % count * FUNCTION / 4);
	for (unsigned long i = 0; i < times; i++)
		function[i % 2]();
	return 0;
}

#else

static int code(void)
{
	return 3;
}

static int calls(void)
{
	return 3;
}

static int targets(void)
{
	return 3;
}

static int loop(void)
{
	return 3;
}

static int pair(void)
{
	return 3;
}

#endif

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} kernel[] = {
		{ "ring", ring },	{ "code", code }, { "calls", calls },
		{ "targets", targets }, { "loop", loop }, { "pair", pair },
	};

	if (argc != 6)
		return 2;
	stride = strtoul(argv[2], NULL, 0);
	line = strtoul(argv[3], NULL, 0);
	count = strtoul(argv[4], NULL, 0);
	times = strtoul(argv[5], NULL, 0);
	for (unsigned i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
		if (count && !strcmp(argv[1], kernel[i].name))
			return kernel[i].run();
	return 2;
}
