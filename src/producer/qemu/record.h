/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording: blocks, mappings and sites in the ledger. */
#ifndef PMK_PRODUCER_QEMU_RECORD_H
#define PMK_PRODUCER_QEMU_RECORD_H

#include "producer/qemu/state.h"

void pmk_record_block(const struct pmk_block *b, const struct pmk_raw *raw,
		      const struct pmk_insn *in, size_t n);
/* Record which file has the code at `pc`. `host` is the address of this code in this process. The
 * emulator maps files as the program requests. */
void pmk_record_mapping(uintptr_t host, uint64_t pc);
void pmk_record_begin_sites(struct pmk_cpu *cpu);

#endif
