/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads: their memory, fork, exec, system calls, faults. */
#ifndef PMK_PRODUCER_QEMU_PROCESS_H
#define PMK_PRODUCER_QEMU_PROCESS_H

#include "producer/qemu/state.h"

/* Returns NULL if the file is not an arena. */
struct pmk_arena *pmk_process_map_arena(const char *path);
/* Returns NULL if no slot is free. */
struct pmk_arena_slot *pmk_process_claim_slot(void);
/* Called before the first instruction of a program, which is at `pc`, and at `bytes` in this
 * process. `start_code` is the load address of its code, 0 if the emulator does not say it. */
void pmk_process_begin(uint8_t *bytes, uint64_t pc, uint64_t start_code);
/* Handlers of pthread_atfork(). */
void pmk_process_before_fork(void);
void pmk_process_after_fork(void);

#endif
