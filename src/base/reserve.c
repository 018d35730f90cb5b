// SPDX-License-Identifier: MIT
/* Reserves sparse memory: see reserve.h. */
#define _DEFAULT_SOURCE
#include "base/reserve.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

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

void pmk_populate(void *p, uint64_t size)
{
/* MADV_POPULATE_WRITE exists since Linux 5.14; an older kernel refuses it, which only costs time */
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)p & ~(page - 1);

	(void)madvise((void *)begin, (uintptr_t)p + size - begin, MADV_POPULATE_WRITE);
#else
	(void)p;
	(void)size;
#endif
}
