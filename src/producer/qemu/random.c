// SPDX-License-Identifier: MIT
/* See random.h. The generator is SplitMix64, number i of which is a function of i. */
#include "producer/qemu/random.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#define STEP UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix_bits(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void pmk_random_seed(struct pmk_random *r, uint64_t process, unsigned vcpu)
{
	*r = (struct pmk_random){ .key = mix_bits(process + (vcpu + 1) * STEP) };
}

uint64_t pmk_random_fork(struct pmk_random *r)
{
	return mix_bits(~r->key + ++r->forks * STEP);
}

void pmk_random_fill(struct pmk_random *r, void *buf, size_t n)
{
	uint8_t *byte = buf;
	uint64_t word = 0;

	for (size_t i = 0; i < n; i++, r->at++) {
		if (i == 0 || r->at % 8 == 0)
			word = mix_bits(r->key + (r->at / 8 + 1) * STEP) >> 8 * (r->at % 8);
		byte[i] = (uint8_t)word;
		word >>= 8;
	}
}

bool pmk_random_is_device(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISCHR(st.st_mode) &&
	       (st.st_rdev == makedev(1, 8) || st.st_rdev == makedev(1, 9));
}
