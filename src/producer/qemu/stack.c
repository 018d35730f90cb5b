// SPDX-License-Identifier: MIT
#include "producer/qemu/stack.h"

#include <string.h>

enum {
	AT_NULL = 0,
	AT_PLATFORM = 15,
	AT_BASE_PLATFORM = 24,
	AT_RANDOM = 25,
	AT_EXECFN = 31,
	AT_SYSINFO_EHDR = 33, /* address of the vDSO */
};

/* The number of pairs that QEMU 7.2 writes for ARM and AArch64, with AT_NULL. */
#define PAIRS	  19
#define ALIGN	  16
/* The strings end BELOW_TOP bytes below the end of a page, because QEMU leaves room for a pointer
 * there. */
#define PAGE	  4096
#define BELOW_TOP 8

static uint64_t get(const struct pmk_stack *s, uint64_t addr)
{
	const uint8_t *p = s->memory + addr;
	uint64_t v = 0;

	for (unsigned i = 0; i < s->word; i++)
		v = v << 8 | p[s->big_endian ? i : s->word - 1 - i];
	return v;
}

static void put(const struct pmk_stack *s, uint64_t addr, uint64_t v)
{
	uint8_t *p = s->memory + addr;

	for (unsigned i = 0; i < s->word; i++, v >>= 8)
		p[s->big_endian ? s->word - 1 - i : i] = (uint8_t)v;
}

/* Returns the address of the first pair of the auxiliary vector. */
static uint64_t aux_of(const struct pmk_stack *s)
{
	uint64_t at = s->sp + s->word * (get(s, s->sp) + 2);

	while (get(s, at))
		at += s->word;
	return at + s->word;
}

/* Returns the address of the pair with this type, or 0 if there is none. */
static uint64_t find(const struct pmk_stack *s, uint64_t type)
{
	for (uint64_t at = aux_of(s); get(s, at) != AT_NULL; at += 2 * s->word)
		if (get(s, at) == type)
			return at;
	return 0;
}

uint64_t pmk_stack_aux(const struct pmk_stack *s, uint64_t type)
{
	uint64_t at = find(s, type);

	return at ? get(s, at + s->word) : 0;
}

/* Removes a pair. The pairs after it move to close the gap. */
static void take_out(const struct pmk_stack *s, uint64_t at)
{
	uint64_t pair = 2 * s->word;

	while (get(s, at) != AT_NULL) {
		memcpy(s->memory + at, s->memory + at + pair, pair);
		at += pair;
	}
	memset(s->memory + at, 0, pair);
}

static void move_pointer(const struct pmk_stack *s, uint64_t at, uint64_t from, uint64_t end,
			 uint64_t down)
{
	uint64_t pointer = get(s, at);

	if (pointer >= from && pointer < end)
		put(s, at, pointer - down);
}

/* Moves everything in [from, end) down by `down` bytes, and adjusts all pointers to it. */
static void move_down(const struct pmk_stack *s, uint64_t from, uint64_t end, uint64_t down)
{
	static const uint64_t pointers[] = { AT_PLATFORM, AT_BASE_PLATFORM, AT_RANDOM, AT_EXECFN };
	uint64_t at = s->sp + s->word;

	memmove(s->memory + from - down, s->memory + from, end - from);
	memset(s->memory + end - down, 0, down);
	for (unsigned list = 0; list < 2; list++, at += s->word)
		for (; get(s, at); at += s->word)
			move_pointer(s, at, from, end, down);
	for (unsigned i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		at = find(s, pointers[i]);
		if (at)
			move_pointer(s, at + s->word, from, end, down);
	}
}

void pmk_stack_without_vdso(const struct pmk_stack *s)
{
	uint64_t vdso = find(s, AT_SYSINFO_EHDR), from = pmk_stack_aux(s, AT_RANDOM);
	uint64_t path = pmk_stack_aux(s, AT_EXECFN), at, end, down;

	if (!vdso)
		return;
	take_out(s, vdso);
	if (!from || path < from)
		return;
	end = path + strlen((const char *)s->memory + path) + 1;
	down = (end + BELOW_TOP) % PAGE;
	for (at = aux_of(s); get(s, at) != AT_NULL;)
		at += 2 * s->word;
	at += 2 * s->word;
	if (down % ALIGN == 0 && from >= at && down <= from - at)
		move_down(s, from, end, down);
}

unsigned pmk_stack_more(unsigned word, unsigned nargs, unsigned nenv)
{
	unsigned table = word * (1 + nargs + 1 + nenv + 1 + 2 * PAIRS);
	unsigned longer = table + 2 * word;

	return (longer + ALIGN - 1) / ALIGN * ALIGN - (table + ALIGN - 1) / ALIGN * ALIGN;
}
