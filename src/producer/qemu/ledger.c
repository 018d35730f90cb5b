// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "producer/qemu/ledger.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/callbacks.h"

#define SIZE	   (UINT64_C(32) << 30)
/* Memory after the last record. If the program overwrites the number of a record, a core may write
 * to any record up to number UINT32_MAX. Even that record ends in this memory. */
#define MARGIN	   (UINT64_C(1) << 20)
#define HEAD_UNITS ((sizeof(struct pmk_ledger) + PMK_LEDGER_UNIT - 1) / PMK_LEDGER_UNIT)

static uint64_t size_allowed(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_FSIZE, &files) || files.rlim_cur >= SIZE + MARGIN)
		return SIZE + MARGIN;
	return files.rlim_cur & ~(uint64_t)0xffff;
}

static struct pmk_ledger *map(int fd, uint64_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

void pmk_ledger_restore_size(struct pmk_ledger *l, uint64_t mapped)
{
	l->size = mapped > 2 * MARGIN ? mapped - MARGIN : mapped;
}

struct pmk_ledger *pmk_ledger_create(bool paths, int *fd, uint64_t *mapped)
{
	uint64_t size = *mapped = size_allowed();
	struct pmk_ledger *l;

	*fd = memfd_create("pmk-ledger", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return NULL;
	l = ftruncate(*fd, (off_t)size) ||
			    fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
		    ? NULL
		    : map(*fd, size);
	if (!l) {
		close(*fd);
		return NULL;
	}
	l->magic = PMK_LEDGER_MAGIC;
	pmk_ledger_restore_size(l, size);
	l->paths = paths;
	atomic_store(&l->used, HEAD_UNITS);
	return l;
}

void pmk_ledger_free(struct pmk_ledger *l, uint64_t mapped)
{
	if (l)
		munmap(l, mapped);
}

void pmk_ledger_discard(struct pmk_ledger *l, uint64_t mapped)
{
	size_t keep = (size_t)sysconf(_SC_PAGESIZE);

	if (mapped > keep)
		madvise((char *)l + keep, mapped - keep, MADV_REMOVE);
}

struct pmk_ledger *pmk_ledger_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	struct pmk_ledger *l = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size > (off_t)sizeof(*l))
		l = map(fd, (uint64_t)st.st_size);
	close(fd);
	return l && l->magic == PMK_LEDGER_MAGIC ? l : NULL;
}

_Static_assert(PMK_MAX_VCPUS <= 1 << 12, "a head has room for the number of each processor");

void *pmk_ledger_record(struct pmk_ledger *l, uint32_t process, uint32_t cpu, size_t bytes,
			uint32_t *number)
{
	uint64_t units = (bytes + PMK_LEDGER_UNIT - 1) / PMK_LEDGER_UNIT;
	struct pmk_ledger_head *head;
	uint64_t at;

	if (units > UINT16_MAX) {
		atomic_store(&l->full, 1);
		return NULL;
	}
	at = atomic_fetch_add(&l->used, units);
	if ((at + units) * PMK_LEDGER_UNIT > l->size || at + units > UINT32_MAX) {
		atomic_fetch_sub(&l->used, units);
		atomic_store(&l->full, 1);
		return NULL;
	}
	head = (struct pmk_ledger_head *)((char *)l + at * PMK_LEDGER_UNIT);
	head->units = (uint16_t)units;
	/* The number has 20 bits, so after a million processes, all later ones share a number. */
	head->process = process < PMK_LEDGER_MAX_PROCESS ? process : PMK_LEDGER_MAX_PROCESS;
	head->cpu = cpu & (PMK_MAX_VCPUS - 1);
	*number = (uint32_t)at;
	return head;
}

/* Finds the next record after `head`. If the writer of a record was killed before it wrote the
 * size, zeros follow up to the next record. If there are more zeros than a record can have, the
 * program has overwritten the memory. */
const struct pmk_ledger_head *pmk_ledger_next(const struct pmk_ledger *l,
					      const struct pmk_ledger_head *head)
{
	uint64_t used = atomic_load(&l->used), most = l->size / PMK_LEDGER_UNIT;
	uint64_t at = head ? pmk_ledger_number(l, head) + (uint64_t)head->units : HEAD_UNITS;

	used = used < most ? used : most;
	for (unsigned zeros = 0; at < used && zeros <= UINT16_MAX;) {
		const struct pmk_ledger_head *next =
			(const struct pmk_ledger_head *)((const char *)l + at * PMK_LEDGER_UNIT);
		uint64_t units = next->units;

		if (units && units <= used - at && atomic_load(&next->kind) != PMK_LEDGER_NONE)
			return next;
		zeros = units ? 0 : zeros + 1;
		at += units ? units : 1;
	}
	return NULL;
}

uint32_t pmk_ledger_number(const struct pmk_ledger *l, const struct pmk_ledger_head *head)
{
	return (uint32_t)(((const char *)head - (const char *)l) / PMK_LEDGER_UNIT);
}

const void *pmk_ledger_record_at(const struct pmk_ledger *l, uint32_t number,
				 enum pmk_ledger_kind kind, size_t bytes)
{
	const struct pmk_ledger_head *h =
		(const struct pmk_ledger_head *)((const char *)l +
						 (size_t)number * PMK_LEDGER_UNIT);
	uint64_t room = l->size / PMK_LEDGER_UNIT;

	if (number < HEAD_UNITS || number >= room || atomic_load(&h->kind) != kind ||
	    h->units > room - number || (uint64_t)h->units * PMK_LEDGER_UNIT < bytes)
		return NULL;
	return h;
}

static struct pmk_ledger_site *new_site(struct pmk_ledger *l, const struct pmk_ledger_state *s,
					enum pmk_ledger_kind kind, uint32_t run, uint32_t site,
					unsigned n)
{
	struct pmk_ledger_site *r;
	uint32_t number;

	if (!pmk_ledger_record_at(l, run, PMK_LEDGER_RUN, sizeof(struct pmk_ledger_run)))
		return NULL;
	r = pmk_ledger_record(l, s->head.process, s->head.cpu, pmk_ledger_site_size(kind, n),
			      &number);
	if (!r)
		return NULL;
	r->run = run;
	r->head.site = site;
	atomic_store(&r->head.kind, (uint8_t)kind);
	return r;
}

static const struct pmk_ledger_state *state_of(const struct pmk_ledger *l,
					       const struct pmk_cpu *cpu,
					       const struct pmk_site_counters *c)
{
	const struct pmk_ledger_state *s;

	return pmk_ledger_record_at(l, cpu->sites_state, PMK_LEDGER_STATE,
				    sizeof(*s) + c->n * sizeof(s->seen[0]));
}

void pmk_ledger_book(struct pmk_ledger *l, const struct pmk_cpu *cpu)
{
	const uint64_t *word = (const uint64_t *)(const void *)cpu;
	const struct pmk_ledger_state *s;
	struct pmk_site_counters c;
	struct pmk_ledger_site *r;

	pmk_site_counters(&cpu->core, &c);
	s = state_of(l, cpu, &c);
	r = s ? new_site(l, s, PMK_LEDGER_ALL_SITE, s->run, (uint32_t)s->site, c.n) : NULL;
	for (unsigned k = 0; r && k < c.n; k++)
		pmk_ledger_wide_counts(r)[k] = word[c.offset[k]] - s->seen[k];
}

void pmk_ledger_book_fault(struct pmk_ledger *l, const struct pmk_cpu *cpu, uint32_t insn)
{
	const struct pmk_ledger_state *s;
	struct pmk_site_counters c;
	struct pmk_ledger_site *r;

	pmk_site_counters(&cpu->core, &c);
	s = state_of(l, cpu, &c);
	r = s ? new_site(l, s, PMK_LEDGER_WIDE_SITE, s->fault_run, PMK_SITE_FAULT + insn, c.n)
	      : NULL;
	if (r)
		pmk_ledger_wide_counts(r)[0] = 1;
}
