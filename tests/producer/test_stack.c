// SPDX-License-Identifier: MIT
/*
 * pmk removes the vDSO from the initial stack of a program (producer/qemu/stack.h). The test builds
 * the stack as emulators without and with a vDSO do. The second stack has the additional room that
 * pmk requests. After pmk has changed it, it must equal the first stack byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "producer/qemu/stack.h"

#define BASE 0x10000u /* address of memory[0] */
#define TOP  0x1f000u /* end of the page before the last page of the stack */

static uint8_t memory[2][0x10000];

static void put(struct pmk_stack *s, uint64_t addr, uint64_t v)
{
	for (unsigned i = 0; i < s->word; i++)
		s->memory[addr + (s->big_endian ? s->word - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

static uint64_t string(struct pmk_stack *s, uint64_t *at, const char *text)
{
	*at -= strlen(text) + 1;
	memcpy(s->memory + *at, text, strlen(text) + 1);
	return *at;
}

static uint64_t pair(struct pmk_stack *s, uint64_t at, uint64_t type, uint64_t value)
{
	put(s, at, type);
	put(s, at + s->word, value);
	return at + 2 * s->word;
}

/* Builds a stack like QEMU's create_elf_tables(), `more` bytes higher and with one more pair. */
static void make(struct pmk_stack *s, uint8_t *host, unsigned nargs, unsigned nenv, bool vdso,
		 unsigned more)
{
	/* The types of the 15 pairs whose values are numbers. The vDSO's pair (33) comes last. */
	static const uint8_t number[] = { 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 23, 26 };
	static const char *const text[] = {
		"./program", "-x", "one more", "A=", "LANG=C", "HOME=/"
	};
	uint64_t at = TOP - 8 + more, path, platform, random, pointer[6];
	unsigned pairs = sizeof(number) + 3 + vdso + 1;

	memset(host, 0, sizeof(memory[0]));
	s->memory = host - BASE;
	path = string(s, &at, "/where/the/program/is");
	for (unsigned i = nargs + nenv; i-- > 0;)
		pointer[i] = string(s, &at, text[i]);
	at -= s->word;
	platform = at;
	memcpy(s->memory + at, "v6l", 4);
	random = (at & ~UINT64_C(15)) - 16;
	memcpy(s->memory + random, "0123456789abcdef", 16);
	s->sp = (random - s->word * (1 + nargs + 1 + nenv + 1 + 2 * pairs)) & ~UINT64_C(15);
	at = s->sp;
	put(s, at, nargs);
	for (unsigned i = 0; i < nargs + nenv + 2; i++) {
		at += s->word;
		if (i != nargs && i != nargs + nenv + 1)
			put(s, at, pointer[i > nargs ? i - 1 : i]);
	}
	at += s->word;
	for (unsigned i = 0; i < sizeof(number); i++)
		at = pair(s, at, number[i], 0x100 + i);
	at = pair(s, at, 25, random);
	at = pair(s, at, 31, path);
	at = pair(s, at, 15, platform);
	if (vdso)
		pair(s, at, 33, 0x40802000);
}

static void each(void (*check)(unsigned word, bool big_endian, unsigned nargs, unsigned nenv))
{
	for (unsigned nargs = 1; nargs <= 3; nargs++)
		for (unsigned nenv = 0; nenv <= 6 - nargs; nenv++)
			for (unsigned kind = 0; kind < 3; kind++)
				check(kind == 1 ? 8 : 4, kind == 2, nargs, nenv);
}

static void check_equal(unsigned word, bool big_endian, unsigned nargs, unsigned nenv)
{
	struct pmk_stack old = { .word = word, .big_endian = big_endian }, new = old;

	make(&old, memory[0], nargs, nenv, false, 0);
	make(&new, memory[1], nargs, nenv, true, pmk_stack_more(word, nargs, nenv));
	assert_int_equal(new.sp, old.sp);
	assert_int_equal(pmk_stack_aux(&new, 33), 0x40802000);
	pmk_stack_without_vdso(&new);
	assert_memory_equal(memory[1], memory[0], sizeof(memory[0]));
}

static void test_made_equal(void **state)
{
	(void)state;
	each(check_equal);
}

/* Checks that the strings stay at their addresses if there is no room for copies. */
static void check_in_place(unsigned word, bool big_endian, unsigned nargs, unsigned nenv)
{
	struct pmk_stack s = { .word = word, .big_endian = big_endian };
	uint64_t random, path, sp;

	make(&s, memory[0], nargs, nenv, true, 0);
	random = pmk_stack_aux(&s, 25);
	path = pmk_stack_aux(&s, 31);
	sp = s.sp;
	pmk_stack_without_vdso(&s);
	assert_int_equal(pmk_stack_aux(&s, 33), 0);
	assert_int_equal(pmk_stack_aux(&s, 25), random);
	assert_int_equal(pmk_stack_aux(&s, 31), path);
	assert_int_equal(pmk_stack_aux(&s, 9), 0x106);
	assert_int_equal(s.sp, sp);
	assert_memory_equal(s.memory + random, "0123456789abcdef", 16);
}

static void test_no_room(void **state)
{
	(void)state;
	each(check_in_place);
}

/* Checks that an older emulator's stack is not changed. */
static void check_untouched(unsigned word, bool big_endian, unsigned nargs, unsigned nenv)
{
	struct pmk_stack s = { .word = word, .big_endian = big_endian };

	make(&s, memory[0], nargs, nenv, false, 0);
	memcpy(memory[1], memory[0], sizeof(memory[0]));
	pmk_stack_without_vdso(&s);
	assert_memory_equal(memory[1], memory[0], sizeof(memory[0]));
}

static void test_without_vdso(void **state)
{
	(void)state;
	each(check_untouched);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_equal),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_without_vdso),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
