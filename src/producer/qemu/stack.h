/* SPDX-License-Identifier: MIT */
/*
 * The initial stack of a program, as Linux and user-mode emulators write it:
 *
 * - From the stack pointer: argc; argv, ended by 0; envp, ended by 0; pairs of the auxiliary
 *   vector, ended by AT_NULL.
 * - Up to the top: 16 random bytes; strings, the program's path last.
 *
 * Since QEMU 8.2, emulators give programs a vDSO and add a pair for it. The C library then looks up
 * the functions of the vDSO, which takes some thousand instructions, and calls them instead of
 * system calls. If the pair is removed, a program behaves in the same way under every emulator.
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

/* Returns a value of the auxiliary vector, or 0 if the vector has no such pair. */
uint64_t pmk_stack_aux(const struct pmk_stack *s, uint64_t type);

/*
 * Removes the pair of the vDSO, which newer emulators add. If the stack was made larger by
 * pmk_stack_more(), the function also moves the random bytes and the strings down to their place
 * under older emulators.
 */
void pmk_stack_without_vdso(const struct pmk_stack *s);

/* Returns by how many bytes the stack must be larger under an emulator with a vDSO, so that the
 * stack pointer has the same value as under other emulators. The auxiliary vector has one more
 * pair, and the tables end at a multiple of 16. */
unsigned pmk_stack_more(unsigned word, unsigned nargs, unsigned nenv);

#endif
