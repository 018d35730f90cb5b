/* SPDX-License-Identifier: MIT */
/*
 * Gives a program the same random numbers in each run. When a system call has returned random
 * numbers from getrandom(), /dev/urandom or /dev/random, the plugin overwrites them.
 *
 * Each thread of each process has its own stream, so that neither the order in which the host runs
 * them nor the lengths of calls make a difference. The key of a stream depends on the thread that
 * created this one, by clone() or fork(), and on the number of threads that it had created before.
 * The emulator's numbers of threads are not used, because a thread may get the number of one that
 * has ended.
 *
 * A new thread knows only its identifier, and clone() returns the same identifier to its creator.
 * The key is passed under this identifier.
 */
#ifndef PMK_PRODUCER_QEMU_RANDOM_H
#define PMK_PRODUCER_QEMU_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions below are called by the thread that they are about. */

/* Call this for the first thread of the program. */
void pmk_random_begin(uint64_t seed);
/*
 * Call this before each system call. At its first call, a new thread fetches its key, and waits
 * until pmk_random_made() has provided it.
 */
void pmk_random_enter(void);
/* Call this before the thread creates a thread or a process. */
void pmk_random_makes(void);
/* Call this after the thread has created the thread `tid`. */
void pmk_random_made(uint64_t tid);
/* Call this after a fork, for the only thread of the new process. */
void pmk_random_forked(void);
/* Writes the next `n` bytes of the thread's stream. */
void pmk_random_fill(void *buf, size_t n);

/* True if the open file is /dev/random or /dev/urandom, or the same device under another name. */
bool pmk_random_is_device(int fd);

#endif
