/* SPDX-License-Identifier: MIT */
/*
 * The memory in which the records of sites.h lie, while a program is recorded: a second sparse
 * memfd beside the arena, which pmk makes and the plugin fills. Processes and threads of the
 * program share it; each record is written by one of them. However the emulator ends, pmk reads
 * what is there.
 */
#ifndef PMK_PRODUCER_QEMU_LEDGER_H
#define PMK_PRODUCER_QEMU_LEDGER_H

#include "cpu/sites.h"

#define PMK_LEDGER_MAGIC UINT64_C(0x72656467656c6b50)

struct pmk_ledger {
	uint64_t magic, size; /* bytes of all */
	uint32_t paths;	      /* call paths are told apart */
	_Atomic uint32_t processes;
	_Atomic uint32_t full; /* something was not booked, because there was no room */
	_Atomic uint64_t used; /* units, this head included */
};

/* pmk's side. NULL with errno set. The size is less than usual where the limit of files asks for
 * that. */
struct pmk_ledger *pmk_ledger_create(bool paths, int *fd);
void pmk_ledger_free(struct pmk_ledger *l);
/* The plugin's side: NULL when the file at `path` is none. */
struct pmk_ledger *pmk_ledger_map(const char *path);

/* Room for a record of `bytes`, with its head but for the kind. NULL: there is none left. */
void *pmk_ledger_record(struct pmk_ledger *l, uint32_t process, uint32_t cpu, size_t bytes,
			uint32_t *number);

/* The complete record behind `head`, or the first one when that is NULL; NULL: there are no more.
 * Nothing of a record reaches behind the end of the memory. */
const struct pmk_ledger_head *pmk_ledger_next(const struct pmk_ledger *l,
					      const struct pmk_ledger_head *head);
/* pmk's side, at the end: book what a core has not booked. */
void pmk_ledger_book(struct pmk_ledger *l, const struct pmk_cpu *cpu);
/* The program has ended with a fault of this instruction of the block that ran last. */
void pmk_ledger_book_fault(struct pmk_ledger *l, const struct pmk_cpu *cpu, uint32_t insn);

uint32_t pmk_ledger_number(const struct pmk_ledger *l, const struct pmk_ledger_head *head);

#endif
