/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that a program gets from the kernel: the same ones in each run. When a system call
 * has returned such numbers, from getrandom() or out of /dev/urandom or /dev/random, the plugin
 * writes these over them.
 *
 * Each thread of each process has a stream of its own, so that neither the order in which the host
 * runs them nor the lengths of calls make a difference. The key of a stream follows from the thread
 * that made this one, by clone() or fork(), and from how many it had made before. The emulator's
 * numbers of threads are not used, because a thread may get the number of one that has ended.
 *
 * A new thread knows only its identifier, and so does the thread that made it: its clone() returns
 * the identifier. The key is handed over under this name.
 */
#ifndef PMK_PRODUCER_QEMU_RANDOM_H
#define PMK_PRODUCER_QEMU_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of these are about the calling thread. */

/* It is the first one of the program. */
void pmk_random_begin(uint64_t seed);
/* It makes a system call. A new thread takes its key over at its first one, and waits until
 * pmk_random_made() has handed it over. */
void pmk_random_enter(void);
/* It is about to make a thread or a process. */
void pmk_random_makes(void);
/* It has made the thread `tid`. */
void pmk_random_made(uint64_t tid);
/* It is the only thread of the new process. */
void pmk_random_forked(void);
/* The next `n` bytes of its stream. */
void pmk_random_fill(void *buf, size_t n);

/* True if the open file is /dev/random or /dev/urandom, or the same device under another name. */
bool pmk_random_is_device(int fd);

#endif
