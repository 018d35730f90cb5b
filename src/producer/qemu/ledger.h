/* SPDX-License-Identifier: MIT */
/*
 * The memory for the records of sites.h, while a program is recorded. It is a second sparse memfd,
 * in addition to the arena. pmk creates the ledger, and the plugin fills it. Processes and threads
 * of the program share the ledger; one thread writes each record. Whatever ends the emulator, pmk
 * reads the records that are there.
 */
#ifndef PMK_PRODUCER_QEMU_LEDGER_H
#define PMK_PRODUCER_QEMU_LEDGER_H

#include "cpu/sites.h"

#define PMK_LEDGER_MAGIC UINT64_C(0x72656467656c6b50)

struct pmk_ledger {
	uint64_t magic, size; /* `size` in bytes */
	uint32_t paths;	      /* 1 if call paths are distinguished */
	_Atomic uint32_t processes;
	_Atomic uint32_t full; /* set if some records are missing, because there was no room */
	_Atomic uint64_t used; /* in units of PMK_LEDGER_UNIT bytes; includes this header */
};

/*
 * Creates the ledger. pmk calls this. Returns NULL with errno set after a failure. The ledger is
 * smaller than usual if the limit of file sizes requires that. Stores the size of the mapped memory
 * in *mapped.
 */
struct pmk_ledger *pmk_ledger_create(bool paths, int *fd, uint64_t *mapped);
/* Restores the member `size` before records are read, because the program can overwrite it. pmk
 * calls this. */
void pmk_ledger_restore_size(struct pmk_ledger *l, uint64_t mapped);
/* Frees the memory of all records. pmk calls this. */
void pmk_ledger_discard(struct pmk_ledger *l, uint64_t mapped);
void pmk_ledger_free(struct pmk_ledger *l, uint64_t mapped);
/* Maps the ledger at `path`. The plugin calls this. Returns NULL if the file is not a ledger. */
struct pmk_ledger *pmk_ledger_map(const char *path);

/* Allocates a record of `bytes` bytes, and fills in its header except for the kind. Returns NULL if
 * there is no room. */
void *pmk_ledger_record(struct pmk_ledger *l, uint32_t process, uint32_t cpu, size_t bytes,
			uint32_t *number);

/* Returns the next complete record after `head`, or the first record if `head` is NULL. Returns
 * NULL if there are no more. No record extends beyond the end of the memory. */
const struct pmk_ledger_head *pmk_ledger_next(const struct pmk_ledger *l,
					      const struct pmk_ledger_head *head);
/* Books the counts that a core has not booked yet. pmk calls this at the end. */
void pmk_ledger_book(struct pmk_ledger *l, const struct pmk_cpu *cpu);
/* Books that the program ended with a fault of instruction `insn` in the last block. pmk calls
 * this. */
void pmk_ledger_book_fault(struct pmk_ledger *l, const struct pmk_cpu *cpu, uint32_t insn);

/* Returns the complete record with this number, kind and size, or NULL if there is none. The check
 * is necessary because the emulated program can write into the ledger. */
const void *pmk_ledger_record_at(const struct pmk_ledger *l, uint32_t number,
				 enum pmk_ledger_kind kind, size_t bytes);
uint32_t pmk_ledger_number(const struct pmk_ledger *l, const struct pmk_ledger_head *head);

#endif
