/* SPDX-License-Identifier: MIT */
/*
 * The initial stack of a program, as Linux and user-mode emulators write it:
 *
 * 	sp   argc | argv …, 0 | envp …, 0 | pairs of the auxiliary vector …, AT_NULL
 * 	     16 random bytes | strings, the program's path last                      top
 *
 * Emulators since QEMU 8.2 add a pair, because they give programs a vDSO. The C library looks up
 * its functions, which takes some thousand instructions, and calls them instead of system calls.
 * Without that pair, a program behaves the same under every emulator.
 */
#ifndef PMK_PRODUCER_QEMU_STACK_H
#define PMK_PRODUCER_QEMU_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_AT_ENTRY 9

struct pmk_stack {
	uint8_t *memory; /* address in this process of the program's address 0 */
	unsigned word;	 /* bytes of an address: 4 or 8 */
	bool big_endian;
	uint64_t sp;
};

/* A value of the auxiliary vector; 0: it has no such pair. */
uint64_t pmk_stack_aux(const struct pmk_stack *s, uint64_t type);

/*
 * Remove the additions of newer emulators. If the stack was made larger by pmk_stack_more() for
 * this, the random bytes and the strings also move down to their place under older emulators.
 */
void pmk_stack_without_vdso(const struct pmk_stack *s);

/* Returns the number of bytes by which the stack of an emulator with a vDSO must be larger to
 * give the stack pointer of other emulators: the auxiliary vector has one more pair, and the
 * tables end at a multiple of 16. */
unsigned pmk_stack_more(unsigned word, unsigned nargs, unsigned nenv);

#endif
