/* SPDX-License-Identifier: MIT */
/*
 * Faults. A block is counted as a whole when it starts. If one of its instructions faults, the
 * instructions after it have not run. The next block is then that of a handler: the program's
 * handler of a signal, or the block at an exception vector. The accesses of the last block show how
 * far it ran. The emulator reports each access when it is done, so the first instruction whose
 * access is missing has faulted.
 *
 * For some instructions a missing access proves nothing: they make no access, or none if their
 * condition fails (pmk_fault_unsure()). For these, the emulator must report when the next
 * instruction begins. Each report takes time, so only code that was translated after pmk began to
 * expect faults makes reports (pmk_code.tells). In code without reports, several instructions may
 * be the one that faulted. pmk then assumes that it was the first of them, and marks the core as
 * unsure.
 *
 * A handler may also be entered without a fault, because the program calls it or its signal is
 * sent. If all missing accesses of a block may also have been skipped, the host's signal decides,
 * which the owner reports (pmk_cpu_faults). The host raises no signal if the emulator itself finds
 * that an access is not aligned or that an instruction traps. If the handler is also one for such
 * faults, the core is unsure.
 *
 * The instruction that faults counts as executed, without its access. This is our choice, and an
 * emulator that logs single instructions counts in the same way. When the handler returns to the
 * instruction, the instruction counts again.
 */
#ifndef PMK_CPU_FAULT_H
#define PMK_CPU_FAULT_H

#include "cpu/cpu.h"

/* True if the block ends in a branch whose target is only known when it is executed. */
static inline bool pmk_goes_anywhere(const struct pmk_block *b)
{
	return b->flow == PMK_FLOW_INDIRECT || b->flow == PMK_FLOW_INDCALL ||
	       b->flow == PMK_FLOW_RETURN;
}

/* True if the instruction may fault, and its block goes on if it does not fault. */
bool pmk_may_fault(const struct pmk_core *core, const struct pmk_insn *in);

/* For an instruction that may fault: true if it may also complete without an access. A missing
 * access then does not show that it faulted. */
static inline bool pmk_fault_unsure(const struct pmk_insn *in)
{
	return (!in->load && !in->store) || in->conditional || (in->exclusive && in->store);
}

/* Returns the instruction without the effects that it does not have when it faults. An instruction
 * that accesses memory counts as executed and has no other effect. For an instruction that makes no
 * access, the fault is the normal result, so it keeps its effects. */
struct pmk_insn pmk_fault_without_effect(const struct pmk_insn *in);

/* Why a handler is entered. */
enum pmk_cause {
	PMK_CAUSE_OTHER,      /* not by a fault, unless an access is missing */
	PMK_CAUSE_MAYBE_TRAP, /* possibly by a fault of an instruction that makes no access */
	PMK_CAUSE_MAYBE,      /* possibly by any fault */
	PMK_CAUSE_FAULT,
};

/*
 * Called when the block of a handler is about to start. If the block before it was left early,
 * takes back the counts of the part that has not run, and returns true.
 */
PMK_SLOW bool pmk_cpu_fault(struct pmk_cpu *cpu, enum pmk_cause cause);

/*
 * Called when the block `b` of a handler is about to start. Finds out why the handler is entered,
 * and calls pmk_cpu_fault().
 *
 * On a core without a clock, the emulator reports at most the last access of a block. If a block
 * ends in a direct branch or in no branch, the emulator reports that access only if the block was
 * translated after pmk began to expect faults. Without such a report, pmk assumes that the block
 * has run to its end if `b` can follow it, unless the program was seen to fault.
 */
PMK_SLOW void pmk_cpu_left_early(struct pmk_cpu *cpu, const struct pmk_block *b);

/*
 * Called at the end of a run in which the last block stopped at `pc`, right after an access. Takes
 * back the counts of the block from `pc` on.
 */
void pmk_cpu_left_at(struct pmk_cpu *cpu, uint64_t pc);

/*
 * Called during an access that the emulator has not reported yet. pmk_cpu_pause() takes back the
 * counts of all instructions in the block that come after the instruction that makes the access. It
 * stores these counts in *rest, and returns the address of the accessing instruction.
 * pmk_cpu_go_on() adds the rest again. Nothing may run between the two calls.
 */
uint64_t pmk_cpu_pause(struct pmk_cpu *cpu, struct pmk_cpu_rest *rest);
void pmk_cpu_go_on(struct pmk_cpu *cpu, const struct pmk_cpu_rest *rest);

/* Returns the first instruction of the last block that may fault and is not known to have been
 * passed, or NULL if there is none. */
const struct pmk_insn *pmk_cpu_find_fault(const struct pmk_cpu *cpu);

/*
 * Called when the program that runs on the core may have faulted, and may end with that fault.
 * Records the part of its last block that has not run in that case. The program may also continue
 * as if nothing had happened. Called from a handler of the host's signals, in the core's thread.
 */
void pmk_cpu_faults(struct pmk_cpu *cpu);

/* Forgets the fault, because the emulator handled the signal itself, and the program continues. */
void pmk_cpu_fault_handled(struct pmk_cpu *cpu);

/* Ends the counts of a program that has ended. If nothing ran after the last recorded fault, takes
 * back the counts of the part of the block that has not run, and returns true. */
bool pmk_cpu_ended(struct pmk_cpu *cpu);

#endif
