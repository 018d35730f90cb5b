// SPDX-License-Identifier: MIT
/* Sparse memory. See reserve.h. */
#include "base/reserve.h"

#include <stddef.h>
#include <sys/mman.h>

void *pmk_reserve(uint64_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void pmk_release(void *p, uint64_t size)
{
	if (p)
		munmap(p, size);
}
