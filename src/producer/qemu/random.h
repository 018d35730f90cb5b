/* SPDX-License-Identifier: MIT */
/*
 * Gives a program the same random numbers in each run. When a system call has returned random
 * numbers from getrandom(), /dev/urandom or /dev/random, the plugin overwrites them.
 *
 * Each thread of each process has its own stream. So the numbers depend neither on the order in
 * which the host runs threads nor on the lengths of calls. The key of a thread's stream depends on
 * the thread that created it, by clone() or fork(), and on how many threads that thread had created
 * before. The emulator's numbers of threads are not used, because a new thread may get the number
 * of a thread that has ended.
 *
 * A new thread knows only its identifier, which clone() also returns to the thread's creator. So
 * the creator passes the key under this identifier.
 */
#ifndef PMK_PRODUCER_QEMU_RANDOM_H
#define PMK_PRODUCER_QEMU_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread calls these functions for itself. */

/* Begins the stream of the first thread of the program. */
void pmk_random_begin(uint64_t seed);
/*
 * Must be called before each system call. In its first call, a new thread fetches its key, and
 * waits until pmk_random_made() has provided the key.
 */
void pmk_random_enter(void);
/* Must be called before the thread creates a thread or a process. */
void pmk_random_makes(void);
/* Must be called after the thread has created the thread `tid`. */
void pmk_random_made(uint64_t tid);
/* Must be called after a fork, by the only thread of the new process. */
void pmk_random_forked(void);
/* Writes the next `n` bytes of the thread's stream. */
void pmk_random_fill(void *buf, size_t n);

/* True if the open file is /dev/random or /dev/urandom, or the same device under another name. */
bool pmk_random_is_device(int fd);

#endif
