/* SPDX-License-Identifier: MIT */
/*
 * Faults. A block is counted as a whole when it starts; where one of its instructions faults, what
 * stands behind that has not run. The next block is then that of a handler: a program's, of a
 * signal, or the one at an exception vector. What of the last block has run is taken from its
 * accesses: the emulator tells each one when it is done, and the first instruction that owes one
 * has faulted.
 *
 * Some instructions may fault and owe nothing, because the emulator tells of no access when their
 * condition fails, or of none at all: see pmk_fault_unsure(). The emulator has to report when
 * the next instruction begins. Each report takes time, so only code that was translated after
 * faults came to be expected makes them (pmk_code.tells). Where a fault may be one of several
 * instructions of other code, the first is taken for it, and the core is unsure.
 *
 * A handler is entered without a fault, too: it is called, or its signal is sent. If all accesses
 * that a block still owes may also have been skipped, evidence of the fault itself decides: the
 * host's signal, which the owner reports (pmk_cpu_faults). There is none where the emulator finds
 * by itself that an access is not aligned, or that an instruction traps. If such a fault has the
 * same handler, the core is unsure.
 *
 * The instruction that faults counts as executed, without its access (our choice: so does an
 * emulator that logs instructions one by one). Handlers return to it, and then it counts again.
 */
#ifndef PMK_CPU_FAULT_H
#define PMK_CPU_FAULT_H

#include "cpu/cpu.h"

/* Does the block end in a branch to an address that only its execution tells? */
static inline bool pmk_goes_anywhere(const struct pmk_block *b)
{
	return b->flow == PMK_FLOW_INDIRECT || b->flow == PMK_FLOW_INDCALL ||
	       b->flow == PMK_FLOW_RETURN;
}

/* May it fault, with its block going on where it does not? */
bool pmk_may_fault(const struct pmk_core *core, const struct pmk_insn *in);

/* It may fault, and where it does not, there may be no access to tell. */
static inline bool pmk_fault_unsure(const struct pmk_insn *in)
{
	return (!in->load && !in->store) || in->conditional || (in->exclusive && in->store);
}

/* What the instruction is when it faults: one that accesses memory is executed, and nothing else;
 * of others the fault is the result. */
struct pmk_insn pmk_fault_without_effect(const struct pmk_insn *in);

/* Why a handler is entered. */
enum pmk_cause {
	PMK_CAUSE_OTHER,      /* by no fault, unless an access is missing */
	PMK_CAUSE_MAYBE_TRAP, /* perhaps by a fault of an instruction that makes no access */
	PMK_CAUSE_MAYBE,      /* perhaps by any fault */
	PMK_CAUSE_FAULT,
};

/* The block of a handler is about to start, and the block before it may have been left early. If it
 * was, takes back what of it has not run, and returns true. */
PMK_SLOW bool pmk_cpu_fault(struct pmk_cpu *cpu, enum pmk_cause cause);

/*
 * The same for the block `b` of a handler. Without a clock the emulator tells the last access of a
 * block alone; of those that end in a direct branch or in none, only where code is new after faults
 * came to be expected. Of others that do not go on to `b` it makes no difference.
 */
PMK_SLOW void pmk_cpu_left_early(struct pmk_cpu *cpu, const struct pmk_block *b);

/* The run has ended, and the last block has not run from `pc` on, which is behind an access. */
void pmk_cpu_left_at(struct pmk_cpu *cpu, uint64_t pc);

/*
 * The core is making an access that the emulator has not reported yet. pmk_cpu_pause() takes back
 * what follows that instruction in its block, stores it in *rest, and returns the instruction's
 * address. pmk_cpu_go_on() adds the rest again. Nothing may run between the two calls.
 */
uint64_t pmk_cpu_pause(struct pmk_cpu *cpu, struct pmk_cpu_rest *rest);
void pmk_cpu_go_on(struct pmk_cpu *cpu, const struct pmk_cpu_rest *rest);

/*
 * The program that runs on the core may have faulted, and may end with that: keep what has then not
 * run of its last block. It may also go on as if nothing had happened. From a handler of the host's
 * signals, in the core's thread.
 */
void pmk_cpu_faults(struct pmk_cpu *cpu);

/* The signal was the emulator's own affair, and the program goes on. */
void pmk_cpu_fault_handled(struct pmk_cpu *cpu);

/* The program has ended: take back what it kept, if nothing came after the fault. Was there? */
bool pmk_cpu_ended(struct pmk_cpu *cpu);

#endif
