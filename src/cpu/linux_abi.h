/* SPDX-License-Identifier: MIT */
/*
 * The numbers of the system calls of Linux that pmk follows. These calls make threads, replace the
 * program, install a handler of a signal, or may read random bytes.
 */
#ifndef PMK_CPU_LINUX_ABI_H
#define PMK_CPU_LINUX_ABI_H

#include <stdint.h>

/* The number is -1 if the ABI does not have the call. */
struct pmk_linux_abi {
	int64_t clone;
	int64_t execve;
	int64_t execveat;
	int64_t sigaction;
	int64_t rt_sigaction;
	int64_t read;
	int64_t readv;
	int64_t pread64;
	int64_t preadv;
	int64_t getrandom;
};

extern const struct pmk_linux_abi pmk_linux_arm; /* the EABI of 32-bit ARM */
extern const struct pmk_linux_abi pmk_linux_a64;
extern const struct pmk_linux_abi pmk_linux_microblaze;

#endif
