// SPDX-License-Identifier: MIT
/* The slow paths of a Cortex-M: exceptions. See cortexm.h. */
#include "cpu/cortexm/flash.h"

#include <stdlib.h>

#include <pmk/error.h>

/*
 * Used as the previous block when nothing has run yet, and after a fault that left a block early.
 */
static const struct pmk_block before_all = {
	.fall = UINT64_MAX,
	.end_addr = UINT64_MAX,
	.cortexm = { .fall = UINT64_MAX, .jump = UINT64_MAX, .leave = PMK_CORTEXM_SPECIAL },
};

int pmk_cortexm_init(struct pmk_cpu *cpu)
{
	cpu->prev = &before_all;
	cpu->cortexm.active = calloc(PMK_CORTEXM_LEVELS, sizeof(*cpu->cortexm.active));
	cpu->cortexm.counters = calloc(PMK_CORTEXM_COUNTERS, 1);
	if (!cpu->cortexm.active || !cpu->cortexm.counters)
		return PMK_ENOMEM;
	return pmk_cortexm_flash_init(cpu);
}

void pmk_cortexm_fini(struct pmk_cpu *cpu)
{
	pmk_cortexm_flash_fini(cpu);
	free(cpu->cortexm.active);
	free(cpu->cortexm.counters);
	cpu->cortexm.active = NULL;
	cpu->cortexm.counters = NULL;
}

/* Does nothing, because programs fork only in user emulation, which Cortex-M cores do not have. */
void pmk_cortexm_forked(struct pmk_cpu *cpu)
{
	(void)cpu;
}

const uint8_t pmk_cortexm_signal[PMK_CORTEXM_NFACTS] = {
#define X(name) [PMK_CORTEXM_FACT_##name] = PMK_SIG_##name,
	PMK_CORTEXM_FACTS(X)
#undef X
};

const struct pmk_counted_signal pmk_cortexm_counted[] = {
	{ PMK_SIG_EXC_TAKEN, PMK_AT_LEAVE },	 { PMK_SIG_EXC_RETURN, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_SVC, PMK_AT_LEAVE },	 { PMK_SIG_EXC_IRQ, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_UNDEF, PMK_AT_LEAVE },	 { PMK_SIG_EXC_CYCLE, PMK_AT_LEAVE },
	{ PMK_SIG_LOAD, PMK_AT_ACCESS },	 { PMK_SIG_STORE, PMK_AT_ACCESS },
	{ PMK_SIG_LSU_CYCLE, PMK_AT_ACCESS },	 { PMK_SIG_UNALIGNED_LD, PMK_AT_ACCESS },
	{ PMK_SIG_UNALIGNED_ST, PMK_AT_ACCESS }, { PMK_SIG_CYCLE, 0 },
};

struct pmk_signal_set pmk_cortexm_raises(const struct pmk_core *core)
{
	static const uint8_t derived[] = { PMK_SIG_CYCLE, PMK_SIG_CPI_CYCLE, PMK_SIG_PC_CHANGE };
	struct pmk_signal_set set = { { 0 } };

	(void)core;
	for (size_t i = 0; i < sizeof(derived); i++)
		pmk_signal_add(&set, derived[i]);
	for (unsigned i = 0; i < PMK_CORTEXM_NFACTS; i++)
		pmk_signal_add(&set, pmk_cortexm_signal[i]);
	for (unsigned i = 0; pmk_cortexm_counted[i].signal != PMK_SIG_CYCLE; i++)
		pmk_signal_add(&set, pmk_cortexm_counted[i].signal);
	return set;
}

/*
 * CPICNT counts the cycles that no other counter of the DWT counts, minus one for each instruction
 * (DDI 0403E C1.8.5).
 */
void pmk_cortexm_derive(const struct pmk_cpu *cpu, uint64_t *t)
{
	uint64_t explained = t[PMK_SIG_INSN] + t[PMK_SIG_EXC_CYCLE] + t[PMK_SIG_LSU_CYCLE] -
			     t[PMK_SIG_FOLDED_INSN];

	(void)cpu;
	t[PMK_SIG_CPI_CYCLE] = t[PMK_SIG_CYCLE] > explained ? t[PMK_SIG_CYCLE] - explained : 0;
}

/* ---- exceptions ------------------------------------------------------------------------------ */

static uint32_t number_now(const struct pmk_cpu *cpu)
{
	return cpu->cortexm.depth ? cpu->cortexm.active[cpu->cortexm.depth - 1].number : 0;
}

/* Returns how many exceptions were active when `number` became active, with `number` itself.
 * Returns 0 if `number` is 0, which means code outside of handlers. If `number` is not active,
 * returns a number larger than can be active. */
static uint64_t depth_of(const struct pmk_cpu *cpu, uint32_t number)
{
	uint64_t depth = cpu->cortexm.depth;

	if (!number)
		return 0;
	while (depth && cpu->cortexm.active[depth - 1].number != number)
		depth--;
	return depth ? depth : PMK_CORTEXM_LEVELS + 1;
}

static void spend(struct pmk_cpu *cpu, uint64_t cycles)
{
	cpu->cycles += cycles;
	cpu->dyn[PMK_SIG_EXC_CYCLE] += cycles;
}

static void count_kind(struct pmk_cpu *cpu, uint32_t number)
{
	cpu->dyn[PMK_SIG_EXC_TAKEN]++;
	if (number == PMK_CORTEXM_SVCALL)
		cpu->dyn[PMK_SIG_EXC_SVC]++;
	else if (number >= PMK_CORTEXM_SYSTICK)
		cpu->dyn[PMK_SIG_EXC_IRQ]++;
	else if (number >= PMK_CORTEXM_HARD_FAULT && number <= PMK_CORTEXM_SECURE_FAULT)
		cpu->dyn[PMK_SIG_EXC_UNDEF]++;
}

/* Enters the exception `now`. Its handler `b` starts, and interrupts the block `p`. */
static void enter_exception(struct pmk_cpu *cpu, const struct pmk_block *p,
			    const struct pmk_block *b, const struct pmk_exception_now *now)
{
	count_kind(cpu, now->number);
	if (cpu->cortexm.depth == PMK_CORTEXM_LEVELS)
		return;
	cpu->cortexm.active[cpu->cortexm.depth++] = (struct pmk_cortexm_level){
		.interrupted = p,
		.entry = b->pc,
		.sp = now->sp,
		.number = (uint16_t)now->number,
	};
}

/*
 * Accounts for the floating-point registers of the code that the last exception interrupted. Bit 4
 * of EXC_RETURN is 0 if the stack has space for these registers (DDI 0403E B1.5.8).
 */
static void save_fp(struct pmk_cpu *cpu, uint32_t exc_return)
{
	if (!cpu->cortexm.depth || exc_return >> 24 != 0xff || exc_return & 0x10)
		return;
	cpu->cortexm.fp_reserved = cpu->cortexm.depth;
	if (!cpu->core.cortexm.exception_lazy)
		pmk_cortexm_store_fp(cpu);
}

void pmk_cortexm_store_fp(struct pmk_cpu *cpu)
{
	pmk_sites_at(cpu, PMK_SITE_LEAVE);
	spend(cpu, cpu->core.cortexm.exception_fp);
	cpu->cortexm.active[cpu->cortexm.fp_reserved - 1].fp_stored = true;
	cpu->cortexm.fp_reserved = 0;
}

/* Ends the exception that began last. Returns its entry of active[], which is valid until the next
 * exception begins. */
static const struct pmk_cortexm_level *end_exception(struct pmk_cpu *cpu)
{
	if (cpu->cortexm.fp_reserved == cpu->cortexm.depth)
		cpu->cortexm.fp_reserved = 0;
	return &cpu->cortexm.active[--cpu->cortexm.depth];
}

/* Called when an exception has interrupted the block `p` before the branch at its end was decided,
 * and the program now continues with `b`. Counts the branch if it was taken. */
static void resume(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b)
{
	if (p && b->pc != p->cortexm.fall && (p->cortexm.leave || b->pc == p->cortexm.jump))
		cpu->taken++;
}

/* Leaves handlers until only `depth` of them are active. Returns the block that was interrupted by
 * the handler left last (the outermost of them). */
static const struct pmk_block *leave_exceptions(struct pmk_cpu *cpu, uint64_t depth)
{
	const struct pmk_block *interrupted = NULL;

	spend(cpu, cpu->core.cortexm.exception_exit);
	while (cpu->cortexm.depth > depth) {
		const struct pmk_cortexm_level *ended = end_exception(cpu);

		interrupted = ended->interrupted;
		spend(cpu, ended->fp_stored ? cpu->core.cortexm.exception_fp : 0);
	}
	cpu->dyn[PMK_SIG_EXC_RETURN]++;
	return interrupted;
}

/* True if the active handler has ended and another one starts in its place. In that case the stack
 * pointer has not changed, because registers were neither restored nor saved. */
static bool is_tail_chained(const struct pmk_cpu *cpu, const struct pmk_block *p, uint32_t sp)
{
	return cpu->cortexm.depth && p->cortexm.leave == PMK_CORTEXM_INDIRECT &&
	       cpu->cortexm.active[cpu->cortexm.depth - 1].sp == sp;
}

/* Begins a tail-chained exception. The registers on the stack, and the space that is reserved
 * there, stay as they are. */
static void chain_exception(struct pmk_cpu *cpu, const struct pmk_block *b,
			    const struct pmk_exception_now *now)
{
	uint64_t depth = cpu->cortexm.depth, reserved = cpu->cortexm.fp_reserved;
	const struct pmk_cortexm_level before = *end_exception(cpu);

	cpu->dyn[PMK_SIG_EXC_RETURN]++;
	spend(cpu, cpu->core.cortexm.exception_tail);
	enter_exception(cpu, before.interrupted, b, now);
	cpu->cortexm.active[depth - 1].fp_stored = before.fp_stored;
	cpu->cortexm.fp_reserved = reserved;
}

/* Leaves block `p`. Called if no exception was entered or left. */
static void leave_plainly(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b)
{
	if (p == cpu->origin || b->pc == p->cortexm.fall)
		return;
	cpu->taken++;
	cpu->cycles += p->cortexm.taken + b->cortexm.unaligned;
}

/* Returns the active exception as the emulator reports it, or the last known exception if the
 * emulator cannot report it. */
static struct pmk_exception_now ask_now(const struct pmk_cpu *cpu)
{
	struct pmk_exception_now now = { .number = number_now(cpu) };

	if (pmk_emulator.exception_now)
		pmk_emulator.exception_now(&now);
	return now;
}

static bool is_entered_again(const struct pmk_cpu *cpu, const struct pmk_block *p,
			     const struct pmk_block *b, uint32_t sp)
{
	return b->vector && is_tail_chained(cpu, p, sp) &&
	       b->pc == cpu->cortexm.active[cpu->cortexm.depth - 1].entry;
}

/*
 * Finds out whether an exception was entered or left. Called if the last instruction does not show
 * it.
 */
static struct pmk_nesting find_nesting(const struct pmk_cpu *cpu, const struct pmk_block *p,
				       const struct pmk_block *b,
				       const struct pmk_exception_now *now)
{
	uint64_t active = cpu->cortexm.depth, depth = depth_of(cpu, now->number);

	if (now->number == number_now(cpu) && !is_entered_again(cpu, p, b, now->sp))
		return (struct pmk_nesting){ active, false };
	if (now->number != number_now(cpu) && depth <= active)
		return (struct pmk_nesting){ depth, false };
	return (struct pmk_nesting){ active - is_tail_chained(cpu, p, now->sp), true };
}

struct pmk_nesting pmk_cortexm_nesting(const struct pmk_cpu *cpu, const struct pmk_block *p,
				       const struct pmk_block *b)
{
	struct pmk_exception_now now;

	if (pmk_cortexm_is_plain(cpu, p, b))
		return (struct pmk_nesting){ cpu->cortexm.depth, false };
	now = ask_now(cpu);
	return find_nesting(cpu, p, b, &now);
}

void pmk_cortexm_jumped(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b)
{
	struct pmk_exception_now now = ask_now(cpu);
	struct pmk_nesting nesting = find_nesting(cpu, p, b, &now);
	bool leaves = nesting.keep < cpu->cortexm.depth;

	pmk_sites_at(cpu, PMK_SITE_LEAVE);
	if (leaves && nesting.begins) {
		chain_exception(cpu, b, &now);
	} else if (leaves) {
		resume(cpu, leave_exceptions(cpu, nesting.keep), b);
	} else if (nesting.begins) {
		spend(cpu, cpu->core.cortexm.exception_entry);
		enter_exception(cpu, p, b, &now);
		save_fp(cpu, now.lr);
	} else {
		leave_plainly(cpu, p, b);
	}
}

/* Called when a block continues that an exception interrupted between two of its instructions. The
 * handler of this exception may have ended. */
void pmk_cortexm_resumed(struct pmk_cpu *cpu, const struct pmk_block *of)
{
	uint64_t depth;

	if (!cpu->cortexm.depth)
		return;
	depth = depth_of(cpu, ask_now(cpu).number);
	if (depth >= cpu->cortexm.depth)
		return;
	pmk_sites_at(cpu, PMK_SITE_END);
	leave_exceptions(cpu, depth);
	pmk_sites_handled(cpu, depth, of);
}

static bool is_fault(uint32_t number)
{
	return number >= PMK_CORTEXM_HARD_FAULT && number <= PMK_CORTEXM_SECURE_FAULT;
}

/* True if the core cannot execute the block's instruction, and takes a fault. */
static bool cannot_run(const struct pmk_block *b)
{
	return !b->facts.n[PMK_CORTEXM_FACT_INSN];
}

/* Stores the address of a jump to code that cannot run. The fault comes next. */
static void note_jump(struct pmk_cpu *cpu)
{
	cpu->trap = (struct pmk_cpu_trap){ .pc = cpu->prev->end_addr, .jumped = true };
}

/*
 * Finds the instruction that faulted. It is the first one that is not known to have been passed. If
 * there is none, the faulting instruction ended the block, or the block ended with a jump to it.
 */
static void note_fault(struct pmk_cpu *cpu, uint32_t number)
{
	const struct pmk_block *p = cpu->prev;
	const struct pmk_insn *in = pmk_cpu_find_fault(cpu);

	if (cannot_run(p)) {
		cpu->trap.number = number;
		return;
	}
	cpu->trap = (struct pmk_cpu_trap){ .pc = in ? in->addr : p->end_addr, .number = number };
	cpu->trap.jumped =
		!in && p->cortexm.leave != PMK_CORTEXM_SPECIAL && p->flow != PMK_FLOW_NEXT;
}

void pmk_cortexm_may_have_faulted(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint32_t number = ask_now(cpu).number;

	if (number == number_now(cpu) && cannot_run(b))
		note_jump(cpu);
	if (number == number_now(cpu) || depth_of(cpu, number) <= cpu->cortexm.depth)
		return;
	if (is_fault(number))
		note_fault(cpu, number);
	if (pmk_rest_is_due(cpu->index))
		cpu->prev = cpu->origin;
	else
		pmk_cpu_fault(cpu, is_fault(number) ? PMK_CAUSE_FAULT : PMK_CAUSE_OTHER);
}
