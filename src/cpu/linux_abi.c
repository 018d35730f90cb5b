// SPDX-License-Identifier: MIT
/* The numbers of Linux's system calls for each instruction set. */
#include "cpu/linux_abi.h"

const struct pmk_linux_abi pmk_linux_arm = {
	.clone = 120,
	.execve = 11,
	.execveat = 387,
	.sigaction = 67,
	.rt_sigaction = 174,
	.read = 3,
	.readv = 145,
	.pread64 = 180,
	.preadv = 361,
	.getrandom = 384,
};

const struct pmk_linux_abi pmk_linux_a64 = {
	.clone = 220,
	.execve = 221,
	.execveat = 281,
	.sigaction = -1,
	.rt_sigaction = 134,
	.read = 63,
	.readv = 65,
	.pread64 = 67,
	.preadv = 69,
	.getrandom = 278,
};

const struct pmk_linux_abi pmk_linux_microblaze = {
	.clone = 120,
	.execve = 11,
	.execveat = 388,
	.sigaction = 67,
	.rt_sigaction = 174,
	.read = 3,
	.readv = 145,
	.pread64 = 180,
	.preadv = 363,
	.getrandom = 385,
};
