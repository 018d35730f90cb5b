/* SPDX-License-Identifier: MIT */
/*
 * The memory for the records of sites.h, while a program is recorded: a second sparse memfd in
 * addition to the arena, which pmk creates and the plugin fills. Processes and threads of the
 * program share the ledger; one thread writes each record. However the emulator ends, pmk reads
 * what is there.
 */
#ifndef PMK_PRODUCER_QEMU_LEDGER_H
#define PMK_PRODUCER_QEMU_LEDGER_H

#include "cpu/sites.h"

#define PMK_LEDGER_MAGIC UINT64_C(0x72656467656c6b50)

struct pmk_ledger {
	uint64_t magic, size; /* `size` in bytes */
	uint32_t paths;	      /* call paths are distinguished */
	_Atomic uint32_t processes;
	_Atomic uint32_t full; /* some accounts are missing, because there was no room */
	_Atomic uint64_t used; /* in units; includes this header */
};

/*
 * For pmk: create the ledger. Returns NULL with errno set after a failure. The ledger is smaller
 * than the default if the limit of file sizes requires that. *mapped has the bytes of memory that
 * it occupies.
 */
struct pmk_ledger *pmk_ledger_create(bool paths, int *fd, uint64_t *mapped);
/* Set `size` again before records are read, because the program can overwrite it. Used by pmk. */
void pmk_ledger_restore_size(struct pmk_ledger *l, uint64_t mapped);
/* Free the memory of all records. Used by pmk. */
void pmk_ledger_discard(struct pmk_ledger *l, uint64_t mapped);
void pmk_ledger_free(struct pmk_ledger *l, uint64_t mapped);
/* Map the ledger at `path`. Returns NULL if the file is not a ledger. Used by the plugin. */
struct pmk_ledger *pmk_ledger_map(const char *path);

/* Allocate a record of `bytes`, and fill in its header except the kind. NULL: there is no room. */
void *pmk_ledger_record(struct pmk_ledger *l, uint32_t process, uint32_t cpu, size_t bytes,
			uint32_t *number);

/* Returns the next complete record after `head`, or the first record if `head` is NULL. Returns
 * NULL if there are no more. No record extends beyond the end of the memory. */
const struct pmk_ledger_head *pmk_ledger_next(const struct pmk_ledger *l,
					      const struct pmk_ledger_head *head);
/* Book the counts that a core has not booked. pmk calls this at the end. */
void pmk_ledger_book(struct pmk_ledger *l, const struct pmk_cpu *cpu);
/* Book that the program ended with a fault of this instruction in the last block. Used by pmk. */
void pmk_ledger_book_fault(struct pmk_ledger *l, const struct pmk_cpu *cpu, uint32_t insn);

/* Returns the complete record with this number, kind and size; NULL if there is no such record. The
 * emulated program can write into the ledger. */
const void *pmk_ledger_record_at(const struct pmk_ledger *l, uint32_t number,
				 enum pmk_ledger_kind kind, size_t bytes);
uint32_t pmk_ledger_number(const struct pmk_ledger *l, const struct pmk_ledger_head *head);

#endif
