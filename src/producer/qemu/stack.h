/* SPDX-License-Identifier: MIT */
/*
 * What Linux puts on a program's stack before it starts, as emulators of programs do:
 *
 *	sp   argc | argv …, 0 | envp …, 0 | pairs of the auxiliary vector …, AT_NULL
 *	     16 random bytes | strings, the program's path last                      top
 *
 * Emulators since QEMU 8.2 add a pair: they give programs a vDSO, functions that the C library then calls
 * in place of system calls, after some thousand instructions that look them up. A program does the same
 * under every emulator when that pair is taken out again.
 */
#ifndef PMK_PRODUCER_QEMU_STACK_H
#define PMK_PRODUCER_QEMU_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_AT_ENTRY 9

struct pmk_stack {
	uint8_t *memory; /* where the program's address 0 is in this process */
	unsigned word;	 /* bytes of an address: 4 or 8 */
	bool big_endian;
	uint64_t sp;
};

/* A value of the auxiliary vector; 0 when it is not there. */
uint64_t pmk_stack_aux(const struct pmk_stack *s, uint64_t type);

/*
 * Take out what older emulators do not put there. Where the stack was made larger for it by
 * pmk_stack_more(), the random bytes and the strings move down to where they are with an older one, too.
 */
void pmk_stack_without_vdso(const struct pmk_stack *s);

/* By how much the stack of an emulator with vDSO has to be larger, so that it leaves the same stack pointer:
 * its tables are one pair longer, and end at a multiple of 16. */
unsigned pmk_stack_more(unsigned word, unsigned nargs, unsigned nenv);

#endif
