/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that a program gets from the kernel: the same ones in each run. When a system call
 * has returned such numbers, from getrandom() or out of /dev/urandom or /dev/random, the plugin
 * writes these over them.
 *
 * Each thread of each process has a stream of its own, so that neither the order in which the host
 * runs them nor the lengths of calls make a difference. A stream follows from the way to the
 * thread: from which fork of which thread its process is, and from its vCPU there.
 */
#ifndef PMK_PRODUCER_QEMU_RANDOM_H
#define PMK_PRODUCER_QEMU_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread's stream. All zero before it is seeded. */
struct pmk_random {
	uint64_t key;
	uint64_t at;	/* bytes that it has given */
	uint64_t forks; /* that the thread has made */
};

/* The thread with the number `vcpu` of the process whose key is `process`; that of the first
 * process is 0. */
void pmk_random_seed(struct pmk_random *r, uint64_t process, unsigned vcpu);
/* The key of the process that this thread is about to fork. */
uint64_t pmk_random_fork(struct pmk_random *r);
/* The next `n` bytes of the stream. */
void pmk_random_fill(struct pmk_random *r, void *buf, size_t n);

/* True if the open file is /dev/random or /dev/urandom, or the same device under another name. */
bool pmk_random_is_device(int fd);

#endif
