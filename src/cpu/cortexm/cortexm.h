/* SPDX-License-Identifier: MIT */
/*
 * The running core of a Cortex-M. It runs instructions in order and has no caches. Nearly all of
 * its time is static: the cycles of a block are known when it is translated (build.c). Only two
 * things are decided when a block starts: whether the branch before it was taken, and whether an
 * exception was entered or left. cpu.h has the parts shared with the other cores.
 *
 * Exceptions. The handlers of a Cortex-M are ordinary functions, so no address shows that one
 * starts. Only the number of the active exception (IPSR) shows it. pmk reads this number only where
 * an exception may have been entered or left: when the last instruction does not lead to the block
 * that starts, when it jumps to an address in a register while a handler is active, and when code
 * starts that was first translated in a handler. If the stack pointer is the same as when the
 * previous handler started, the new exception was tail-chained. If it is lower, the new exception
 * interrupted the handler.
 *
 * The link register at the start of a handler (EXC_RETURN) says whether the stack has space for the
 * floating-point registers of the interrupted code. With lazy stacking they are stored when a
 * floating-point instruction of any handler is executed.
 */
#ifndef PMK_CPU_CORTEXM_CORTEXM_H
#define PMK_CPU_CORTEXM_CORTEXM_H

#include "cpu/callbacks.h"
#include "cpu/cpu.h"
#include "cpu/decode.h"
#include "cpu/family.h"
#include "cpu/sites.h"

/* The facts of a block: numbers that each execution adds to the signal of the same name. At most
 * PMK_NFACTS. */
/* clang-format off */
#define PMK_CORTEXM_FACTS(X) \
	X(INSN) X(LOAD) X(STORE) X(BRANCH) X(BR_IMM) X(BR_RETURN) X(BR_INDIRECT) X(BR_COND) \
	X(DP) X(MUL) X(DIV) X(VFP) X(LSU_CYCLE) X(FOLDED_INSN) X(LDREX) X(STREX) X(ISB) X(DSB) \
	X(DMB)
/* clang-format on */

enum pmk_cortexm_fact {
#define X(name) PMK_CORTEXM_FACT_##name,
	PMK_CORTEXM_FACTS(X)
#undef X
		PMK_CORTEXM_NFACTS
};

extern const uint8_t pmk_cortexm_signal[PMK_CORTEXM_NFACTS];

/* The bit of pmk_insn.kind for IT instructions, in addition to those of enum pmk_ikind. */
#define PMK_CORTEXM_IT	    (UINT32_C(1) << 31)
/* ADD, SUB or MOV without a shift, which a Cortex-M7 may compute a stage earlier. */
#define PMK_CORTEXM_EARLY   (UINT32_C(1) << 30)
/* Bit fields, extensions, saturation and SIMD, which a Cortex-M7 issues only as the older of a
 * pair. */
#define PMK_CORTEXM_OLDER   (UINT32_C(1) << 29)
/* UDIV and SDIV, which fault if the divisor is 0 and DIV_0_TRP of CCR is set. */
#define PMK_CORTEXM_DIV	    (UINT32_C(1) << 28)
/* The core takes a fault instead of executing the instruction, which is not counted. */
#define PMK_CORTEXM_NOT_RUN (UINT32_C(1) << 27)
/* An operand is a constant of 8 bits that is shifted. */
#define PMK_CORTEXM_SHIFTED (UINT32_C(1) << 26)

/* Numbers of exceptions: DDI 0403E B1.5.2. */
enum {
	PMK_CORTEXM_HARD_FAULT = 3,
	PMK_CORTEXM_USAGE_FAULT = 6,
	PMK_CORTEXM_SECURE_FAULT = 7,
	PMK_CORTEXM_SVCALL = 11,
	PMK_CORTEXM_SYSTICK = 15,
};

/* Decoding of translated code: decode.c. */
void pmk_cortexm_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
			struct pmk_insn *in);
unsigned pmk_cortexm_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc);

/* The functions that an emulator calls: watch.c. */
const struct pmk_block_fns *pmk_cortexm_on_block(const struct pmk_core *core);
pmk_access_fn *pmk_cortexm_watch(const struct pmk_core *core, bool single,
				 const struct pmk_insn *in, const struct pmk_block *b,
				 const struct pmk_pipe_slot *pipe, uint64_t *access);

/* Parameters: keys.c. */
extern const struct pmk_core_key pmk_cortexm_keys[];

int pmk_cortexm_init(struct pmk_cpu *cpu);
void pmk_cortexm_fini(struct pmk_cpu *cpu);
void pmk_cortexm_forked(struct pmk_cpu *cpu);
struct pmk_signal_set pmk_cortexm_raises(const struct pmk_core *core);
void pmk_cortexm_derive(const struct pmk_cpu *cpu, uint64_t *totals);
extern const struct pmk_counted_signal pmk_cortexm_counted[];

struct pmk_nesting pmk_cortexm_nesting(const struct pmk_cpu *cpu, const struct pmk_block *p,
				       const struct pmk_block *b);
void pmk_cortexm_resumed(struct pmk_cpu *cpu, const struct pmk_block *of);

/* Builds a block (build.c). */
void pmk_cortexm_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		       struct pmk_pipe_slot *slots, struct pmk_block *b);
/* True for loads and stores of several words. */
bool pmk_cortexm_is_multiple(const struct pmk_insn *in);
/* True if an operand in a register is shifted before it is used with another operand. */
bool pmk_cortexm_shifts_register(const struct pmk_insn *in);
bool pmk_cortexm_multiplies(const struct pmk_insn *in);
/* True if the instruction adds a product to this register. */
bool pmk_cortexm_adds(const struct pmk_insn *in, unsigned reg);
/* Sets the cycles of a block of a core that issues two instructions in a cycle: dual.c. */
void pmk_cortexm_dual(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		      struct pmk_pipe_slot *slots, struct pmk_block *b);
/* Returns the cycles of a single instruction. Stores in *lsu how many of these cycles are for data
 * accesses. */
unsigned pmk_cortexm_cycles(const struct pmk_core *core, const struct pmk_insn *in, unsigned *lsu);

/*
 * Starts block `b` if the last instruction of `p` does not show whether an exception was entered or
 * left.
 */
PMK_SLOW void pmk_cortexm_jumped(struct pmk_cpu *cpu, const struct pmk_block *p,
				 const struct pmk_block *b);
/*
 * Called when code that was first translated in a handler is about to start. If an exception was
 * just entered, the block before this code may have been left early.
 */
PMK_SLOW void pmk_cortexm_may_have_faulted(struct pmk_cpu *cpu, const struct pmk_block *b);

/* Called when a block with floating-point instructions starts and fp_reserved is not 0
 * (types.h). */
PMK_SLOW void pmk_cortexm_store_fp(struct pmk_cpu *cpu);

/* True if the last instruction of `p` shows how `b` was reached. */
static inline bool pmk_cortexm_is_plain(const struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b)
{
	if (p->cortexm.leave)
		return p->cortexm.leave == PMK_CORTEXM_INDIRECT && !b->vector &&
		       !cpu->cortexm.depth;
	return b->pc == p->cortexm.fall || b->pc == p->cortexm.jump;
}

static inline void pmk_cortexm_enter(struct pmk_cpu *cpu, const struct pmk_block *b, bool crossing)
{
	const struct pmk_block *p = cpu->prev;

	cpu->executions[b->id].count++;
	if (PMK_UNLIKELY(!pmk_cortexm_is_plain(cpu, p, b))) {
		pmk_cortexm_jumped(cpu, p, b);
	} else if (b->pc == p->cortexm.fall) {
		cpu->cycles -= p->cortexm.ends & b->cortexm.starts;
	} else {
		cpu->taken++;
		cpu->cycles += p->cortexm.taken + b->cortexm.unaligned;
	}
	if (PMK_UNLIKELY(b->cortexm.fp && cpu->cortexm.fp_reserved))
		pmk_cortexm_store_fp(cpu);
	cpu->prev = b;
	cpu->cycles += b->cycles;
	if (crossing)
		pmk_cpu_cross(cpu, b);
	if (PMK_UNLIKELY(cpu->cycles - b->cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

#endif
