// SPDX-License-Identifier: MIT
/*
 * Benchmark: a bytecode interpreter; one hard-to-predict indirect branch per bytecode.
 *
 * A stack machine with a switch in a loop runs a small program: a sieve of primes, then a loop
 * of greatest common divisors that calls a bytecode function. The work is what scripting
 * languages do: fetch, dispatch, push, pop.
 *
 *	interp [FACTOR]		runs the program FACTOR times; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
enum op {
	OP_PUSH,      /* the operand onto the stack */
	OP_LOAD,      /* variable[operand] onto the stack */
	OP_STORE,     /* pop into variable[operand] */
	OP_PEEK,      /* address -> memory[address] */
	OP_POKE,      /* value address -> */
	OP_ADD, OP_MUL, OP_MOD, OP_XOR, OP_LESS,
	OP_JUMP,
	OP_JUMP_ZERO, /* pops */
	OP_CALL, OP_RETURN, OP_HALT,
};
/* clang-format on */

enum { MEMORY = 4096, STACK = 64, SIEVE = 2048 };

struct code {
	uint8_t op;
	int16_t operand;
};

struct machine {
	uint32_t stack[STACK], variable[8], memory[MEMORY];
};

/* Variables: 0 i, 1 j, 2 checksum, 3 a, 4 b, 5 temporary. Jump targets are row numbers. */
/* clang-format off */
static const struct code program[] = {
	/*  0 for (i = 0; i < SIEVE; i++) memory[i] = 1; */
	{ OP_PUSH, 0 }, { OP_STORE, 0 },
	/*  2 */ { OP_LOAD, 0 }, { OP_PUSH, SIEVE }, { OP_LESS, 0 }, { OP_JUMP_ZERO, 14 },
	/*  6 */ { OP_PUSH, 1 }, { OP_LOAD, 0 }, { OP_POKE, 0 },
	/*  9 */ { OP_LOAD, 0 }, { OP_PUSH, 1 }, { OP_ADD, 0 }, { OP_STORE, 0 }, { OP_JUMP, 2 },
	/* 14 for (i = 2; i < SIEVE; i++) */
	{ OP_PUSH, 2 }, { OP_STORE, 0 },
	/* 16 */ { OP_LOAD, 0 }, { OP_PUSH, SIEVE }, { OP_LESS, 0 }, { OP_JUMP_ZERO, 50 },
	/* 20 if (memory[i]) { */
	{ OP_LOAD, 0 }, { OP_PEEK, 0 }, { OP_JUMP_ZERO, 45 },
	/* 23 checksum = checksum * 31 ^ i; */
	{ OP_LOAD, 2 }, { OP_PUSH, 31 }, { OP_MUL, 0 }, { OP_LOAD, 0 }, { OP_XOR, 0 },
	/* 28 */ { OP_STORE, 2 },
	/* 29 for (j = i + i; j < SIEVE; j += i) memory[j] = 0; } */
	{ OP_LOAD, 0 }, { OP_LOAD, 0 }, { OP_ADD, 0 }, { OP_STORE, 1 },
	/* 33 */ { OP_LOAD, 1 }, { OP_PUSH, SIEVE }, { OP_LESS, 0 }, { OP_JUMP_ZERO, 45 },
	/* 37 */ { OP_PUSH, 0 }, { OP_LOAD, 1 }, { OP_POKE, 0 },
	/* 40 */ { OP_LOAD, 1 }, { OP_LOAD, 0 }, { OP_ADD, 0 }, { OP_STORE, 1 }, { OP_JUMP, 33 },
	/* 45 */ { OP_LOAD, 0 }, { OP_PUSH, 1 }, { OP_ADD, 0 }, { OP_STORE, 0 }, { OP_JUMP, 16 },
	/* 50 for (i = 1; i < 600; i++) checksum += gcd(i * 7919, 30030); */
	{ OP_PUSH, 1 }, { OP_STORE, 0 },
	/* 52 */ { OP_LOAD, 0 }, { OP_PUSH, 600 }, { OP_LESS, 0 }, { OP_JUMP_ZERO, 72 },
	/* 56 */ { OP_LOAD, 0 }, { OP_PUSH, 7919 }, { OP_MUL, 0 }, { OP_STORE, 3 },
	/* 60 */ { OP_PUSH, 30030 }, { OP_STORE, 4 }, { OP_CALL, 73 },
	/* 63 */ { OP_LOAD, 2 }, { OP_LOAD, 3 }, { OP_ADD, 0 }, { OP_STORE, 2 },
	/* 67 */ { OP_LOAD, 0 }, { OP_PUSH, 1 }, { OP_ADD, 0 }, { OP_STORE, 0 }, { OP_JUMP, 52 },
	/* 72 */ { OP_HALT, 0 },
	/* 73 gcd: while (b) { temporary = a % b; a = b; b = temporary; } */
	{ OP_LOAD, 4 }, { OP_JUMP_ZERO, 84 },
	/* 75 */ { OP_LOAD, 3 }, { OP_LOAD, 4 }, { OP_MOD, 0 }, { OP_STORE, 5 },
	/* 79 */ { OP_LOAD, 4 }, { OP_STORE, 3 }, { OP_LOAD, 5 }, { OP_STORE, 4 }, { OP_JUMP, 73 },
	/* 84 */ { OP_RETURN, 0 },
};
/* clang-format on */

/* Returns the number of bytecodes executed. */
static uint32_t execute(struct machine *m, const struct code *pc)
{
	const struct code *returns[STACK], **link = returns;
	uint32_t *sp = m->stack, executed = 0;

	for (;; executed++) {
		const struct code *c = pc++;

		switch ((enum op)c->op) {
		case OP_PUSH:
			*sp++ = (uint32_t)c->operand;
			break;
		case OP_LOAD:
			*sp++ = m->variable[c->operand];
			break;
		case OP_STORE:
			m->variable[c->operand] = *--sp;
			break;
		case OP_PEEK:
			sp[-1] = m->memory[sp[-1] % MEMORY];
			break;
		case OP_POKE:
			sp -= 2;
			m->memory[sp[1] % MEMORY] = sp[0];
			break;
		case OP_ADD:
			sp--;
			sp[-1] += sp[0];
			break;
		case OP_MUL:
			sp--;
			sp[-1] *= sp[0];
			break;
		case OP_MOD:
			sp--;
			sp[-1] %= sp[0];
			break;
		case OP_XOR:
			sp--;
			sp[-1] ^= sp[0];
			break;
		case OP_LESS:
			sp--;
			sp[-1] = sp[-1] < sp[0];
			break;
		case OP_JUMP:
			pc = program + c->operand;
			break;
		case OP_JUMP_ZERO:
			if (!*--sp)
				pc = program + c->operand;
			break;
		case OP_CALL:
			*link++ = pc;
			pc = program + c->operand;
			break;
		case OP_RETURN:
			pc = *--link;
			break;
		case OP_HALT:
			return executed;
		}
	}
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	static struct machine m;
	uint32_t executed = 0;

	for (unsigned long round = 0; round < factor; round++)
		executed += execute(&m, program);
	printf("interp %08" PRIx32 "\n", m.variable[2] ^ executed);
	return 0;
}
