/* SPDX-License-Identifier: MIT */
/*
 * A MicroBlaze core under test. Blocks of instruction words run on it as in the emulator, with data
 * addresses that the test chooses. Words are encoded as in UG984, but bits are numbered from the
 * right.
 */
#ifndef TESTS_CPU_MICROBLAZE_RIG_H
#define TESTS_CPU_MICROBLAZE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/microblaze/microblaze.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- words ---------------------------------------------------------------------------------- */

#define TYPE_A(op, d, a, b) \
	((uint32_t)(op) | (uint32_t)(d) << 21 | (uint32_t)(a) << 16 | (uint32_t)(b) << 11)
#define TYPE_B(op, d, a, imm) \
	((uint32_t)(op) | (uint32_t)(d) << 21 | (uint32_t)(a) << 16 | ((uint32_t)(imm)&0xffff))

#define NOP		 0x80000000u
#define ADDK(d, a, b)	 TYPE_A(0x10000000, d, a, b)
#define ADDIK(d, a, imm) TYPE_B(0x30000000, d, a, imm)
#define MUL(d, a, b)	 TYPE_A(0x40000000, d, a, b)
#define BSLL(d, a, b)	 TYPE_A(0x44000400, d, a, b)
#define IDIV(d, a, b)	 TYPE_A(0x48000000, d, a, b)
#define FADD(d, a, b)	 TYPE_A(0x58000000, d, a, b)
#define FMUL(d, a, b)	 TYPE_A(0x58000100, d, a, b)
#define FDIV(d, a, b)	 TYPE_A(0x58000180, d, a, b)
#define FCMP_LT(d, a, b) TYPE_A(0x58000210, d, a, b)
#define FLT(d, a)	 TYPE_A(0x58000280, d, a, 0)
#define FINT(d, a)	 TYPE_A(0x58000300, d, a, 0)
#define FSQRT(d, a)	 TYPE_A(0x58000380, d, a, 0)
#define LWI(d, a, imm)	 TYPE_B(0xe8000000, d, a, imm)
#define LHUI(d, a, imm)	 TYPE_B(0xe4000000, d, a, imm)
#define LBUI(d, a, imm)	 TYPE_B(0xe0000000, d, a, imm)
#define LWX(d, a, b)	 TYPE_A(0xc8000400, d, a, b)
#define SWI(d, a, imm)	 TYPE_B(0xf8000000, d, a, imm)
#define SHI(d, a, imm)	 TYPE_B(0xf4000000, d, a, imm)
#define SBI(d, a, imm)	 TYPE_B(0xf0000000, d, a, imm)
#define BRI(imm)	 TYPE_B(0xb8000000, 0, 0, imm)
#define BRID(imm)	 TYPE_B(0xb8100000, 0, 0, imm)
#define BRLID(d, imm)	 TYPE_B(0xb8140000, d, 0, imm)
#define BRKI(d, imm)	 TYPE_B(0xb80c0000, d, 0, imm)
#define BR(b)		 TYPE_A(0x98000000, 0, 0, b)
#define BRD(b)		 TYPE_A(0x98100000, 0, 0, b)
#define BEQI(a, imm)	 TYPE_B(0xbc000000, 0, a, imm)
#define BEQID(a, imm)	 TYPE_B(0xbe000000, 0, a, imm)
#define BEQ(a, b)	 TYPE_A(0x9c000000, 0, a, b)
#define BRCI(cond, imm)	 TYPE_B(0xbc000000, cond, 0, imm) /* compares r0 */
#define RTSD(a, imm)	 TYPE_B(0xb6000000, 0, a, imm)
#define WIC(a, b)	 TYPE_A(0x90000068, 0, a, b)
#define MBAR_1		 0xb8220004u /* waits for accesses to data */
#define MBAR_2		 0xb8420004u /* waits for fetches of code */
#define MTS_RPID(a)	 TYPE_B(0x9400d000, 0, a, 0xd000)

enum { EQ, NE, LT, LE, GT, GE };

/* ---- a core --------------------------------------------------------------------------------- */

#define MAX_BLOCKS 4096
#define MAX_INSNS  1024

struct rig {
	struct pmk_core core;
	struct pmk_code code;
	struct pmk_cpu cpu;
	struct pmk_bus bus;
	struct pmk_facts facts[MAX_BLOCKS];
	struct pmk_executions executions[MAX_BLOCKS];
};

/*
 * Returns a core in which nothing adds to the time of the pipeline: local memory, no prediction, no
 * translation.
 */
static inline struct pmk_core plain_core(void)
{
	struct pmk_core core;

	pmk_core_choose(&core, "microblaze", "");
	core.icache.on = core.dcache.on = 0;
	core.icache.ways = core.dcache.ways = 1;
	core.icache.size = core.dcache.size = 1024;
	core.microblaze.lmb_size = UINT64_C(1) << 32;
	core.mmu = 0;
	core.bp.on = 0;
	core.bp.entries = 8;
	core.mem.latency = 20;
	core.mem.fill = 3;
	core.mem.write = 4;
	core.mem.wbuf = 2;
	core.utlb.penalty = 2;
	core.tlb.penalty = 0;
	core.tlb.ways = 1;
	return core;
}

static inline struct rig *rig_new(const struct pmk_core *core)
{
	struct rig *r = calloc(1, sizeof(*r));
	char msg[256];

	assert_non_null(r);
	if (pmk_core_check(core, msg, sizeof(msg)))
		fail_msg("%s", msg);
	r->core = *core;
	pmk_bus_init(&r->bus);
	r->bus.sealed = PMK_NEVER; /* equal latencies do not share a record */
	assert_int_equal(pmk_code_init(&r->code, &r->core), 0);
	assert_int_equal(pmk_cpu_init(&r->cpu, &r->core), 0);
	r->cpu.executions = r->executions;
	r->cpu.bus = &r->bus;
	return r;
}

static inline void rig_free(struct rig *r)
{
	pmk_cpu_fini(&r->cpu);
	pmk_code_fini(&r->code);
	free(r);
}

/* Makes the accesses of an instruction, as the emulator's callbacks do. */
static inline void rig_access(struct rig *r, const struct pmk_insn *in, uint32_t addr,
			      uint64_t access)
{
	bool mmu = r->core.mmu, through = r->core.dcache.wt;

	if (in->load && through)
		pmk_microblaze_load(&r->cpu, addr, access, mmu, PMK_MB_GRAIN);
	else if (in->load)
		pmk_microblaze_load(&r->cpu, addr, access, mmu, PMK_MB_WORD_GRAIN);
	else if (through)
		pmk_microblaze_store_through(&r->cpu, addr, access, mmu);
	else
		pmk_microblaze_store_back(&r->cpu, addr, access, mmu);
}

/*
 * Runs the block of `n` words at `pc`. data[] has the address of each load and store, in their
 * order.
 */
static inline void rig_run(struct rig *r, uint32_t pc, const uint32_t *words, size_t n,
			   const uint32_t *data)
{
	static struct pmk_insn insn[MAX_INSNS];
	static struct pmk_pipe_slot slots[MAX_INSNS];
	const struct pmk_block *b;
	uint64_t hash = 0;
	bool vector = r->core.system && (pc - r->core.microblaze.vectors_base == 0x10 ||
					 pc - r->core.microblaze.vectors_base == 0x20);

	for (size_t i = 0; i < n; i++) {
		pmk_isa_microblaze_decode(pc + 4 * (uint32_t)i, words[i], &insn[i]);
		hash = hash * 31 + words[i];
	}
	b = pmk_code_add(&r->code, insn, n, hash, vector, slots);
	assert_non_null(b);
	assert_true(b->id < MAX_BLOCKS);
	r->facts[b->id] = b->facts;
	pmk_microblaze_block(&r->cpu, b);
	for (size_t i = 0; i < n; i++)
		if (insn[i].load || insn[i].store)
			rig_access(r, &insn[i], *data++,
				   pmk_access_pack(b->cycles - slots[i].issue, 0, 1,
						   insn[i].mem_bytes));
}

#define WORDS(...) (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4
#define DATA(...)           \
	(const uint32_t[])  \
	{                   \
		__VA_ARGS__ \
	}
#define GO(r, pc, ...) rig_run(r, pc, WORDS(__VA_ARGS__), NULL)

static inline uint64_t total(struct rig *r, enum pmk_signal sig)
{
	pmk_cpu_sum(&r->cpu, r->facts, r->executions, r->code.nblocks, &r->bus);
	return r->bus.total[sig];
}

/* Checks pairs of a signal and its expected total. PMK_SIG_NONE ends the list. */
static inline void check_totals(struct rig *r, int line, ...)
{
	va_list ap;

	va_start(ap, line);
	for (unsigned sig; (sig = va_arg(ap, unsigned)) != PMK_SIG_NONE;) {
		unsigned want = va_arg(ap, unsigned);
		uint64_t got = total(r, sig);

		if (got != want)
			fail_msg("line %d: %s is %llu, not %u", line, pmk_signal_name(sig),
				 (unsigned long long)got, want);
	}
	va_end(ap);
}
#define TOTALS(r, ...) check_totals(r, __LINE__, __VA_ARGS__, PMK_SIG_NONE)

/* Checks the core's latency record number `i`. */
static inline void check_record(struct rig *r, int line, unsigned i, enum pmk_signal sig,
				uint64_t start, uint32_t cycles)
{
	const struct pmk_latency_record *l = &r->bus.log[i];

	if (i >= r->bus.recorded)
		fail_msg("line %d: %u records only", line, (unsigned)r->bus.recorded);
	if (l->sig != sig || l->start != start || l->cycles != cycles)
		fail_msg("line %d: record %u is %s from %llu, %u cycles", line, i,
			 pmk_signal_name(l->sig), (unsigned long long)l->start, l->cycles);
}
#define RECORD(r, i, sig, start, cycles) check_record(r, __LINE__, i, PMK_SIG_##sig, start, cycles)

#endif
