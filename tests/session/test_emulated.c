// SPDX-License-Identifier: MIT
/*
 * Counting on an emulated core. Made-up blocks run on it, and the counts that come back through
 * model, driver and session equal the input. Caches, MMU and prediction are off, and blocks end
 * without a branch, unless a test is about these. So every number is known by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/arm11/arm11.h"
#include "producer/session/emulated.h"

#define NBLOCKS 32

/* Codes of the ARM1176's events. */
enum {
	ICACHE_MISS = 0x00,
	DCACHE_MISS = 0x0B,
	BR_EXEC = 0x05,
	INSTR_EXEC = 0x07,
	PC_CHANGE = 0x0D,
	DCACHE_ACCESS = 0x0A,
	CYCLES = 0xFF
};

struct rig {
	struct pmk_emulated e; /* must be first: on_deadline() casts it to the rig */
	struct pmk_emulated_ports ports;
	struct pmk_emulated_config cfg;
	struct pmk_block block[NBLOCKS];
	struct pmk_facts facts[NBLOCKS];
	struct pmk_executions executions[NBLOCKS];
	struct pmk_emulated_blocks b;
	/* What on_deadline() recorded: its calls, the ends of intervals, and the counts in them. */
	unsigned intervals, deadlines;
	uint64_t sum[PMK_MAX_EVENTS], last[PMK_MAX_EVENTS];
	uint64_t at_cycles[1000], at_insns[1000];
};

static void on_crossing(struct pmk_cpu *cpu)
{
	struct rig *r = (struct rig *)cpu;

	pmk_emulated_cross(&r->e, &r->cfg, &r->b);
}

static void on_deadline(struct pmk_cpu *cpu)
{
	struct rig *r = (struct rig *)cpu;
	struct pmk_reading delta;
	int over = pmk_emulated_deadline(&r->e, &r->cfg, &r->b, &delta);

	assert_true(over >= 0);
	assert_true(r->e.cpu.deadline > cpu->cycles);
	r->deadlines++;
	if (!over)
		return;
	assert_true(r->intervals < 1000);
	r->at_cycles[r->intervals] = cpu->cycles - r->e.start_cycles;
	r->at_insns[r->intervals++] = r->e.bus.total[PMK_SIG_INSN];
	for (unsigned i = 0; i < r->cfg.plan.nevents; i++) {
		r->sum[i] += delta.total[i];
		r->last[i] = delta.total[i];
	}
}

/*
 * Block i is at 0x8000 + 256 i and has 5 instructions, 7 cycles, 2 reads, and no branch at its end.
 */
static struct rig *rig_new(const uint16_t *code, unsigned n)
{
	struct rig *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	pmk_core_defaults(&r->cfg.core);
	r->cfg.core.icache.on = r->cfg.core.dcache.on = r->cfg.core.mmu = r->cfg.core.bp.on = 0;
	strcpy(r->cfg.pmu, "arm1176");
	r->cfg.plan.nevents = n;
	for (unsigned i = 0; i < n; i++)
		r->cfg.plan.event[i].code = code[i];
	assert_int_equal(pmk_plan_make(pmk_pmu_find("arm1176"), &r->cfg.plan), 0);
	for (unsigned i = 0; i < NBLOCKS; i++) {
		r->block[i] = (struct pmk_block){ .pc = 0x8000 + 256 * i,
						  .id = i,
						  .cycles = 7,
						  .end_addr = 0x8010 + 256 * i,
						  .fall = 0x8014 + 256 * i,
						  .flow = PMK_FLOW_NEXT };
		r->block[i].facts.n[PMK_ARM11_FACT_INSN] = 5;
		r->block[i].facts.n[PMK_ARM11_FACT_READ] = 2;
	}
	r->b = (struct pmk_emulated_blocks){ .facts = r->facts,
					     .executions = r->executions,
					     .count = NBLOCKS };
	return r;
}

static void rig_start(struct rig *r)
{
	for (unsigned i = 0; i < NBLOCKS; i++)
		r->facts[i] = r->block[i].facts;
	pmk_emulated_configure(&r->cfg);
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), 0);
	r->e.cpu.on_deadline = on_deadline;
	r->e.cpu.on_crossing = on_crossing;
}

static void rig_free(struct rig *r)
{
	pmk_emulated_fini(&r->e);
	free(r);
}

/* Does what the emulator does at the start of a block. */
static void run_block(struct rig *r, unsigned i)
{
	const struct pmk_block *b = &r->block[i];

	if (r->cfg.nregions)
		pmk_emulated_follow(&r->e, &r->cfg, b, true);
	if (r->e.cpu.eager)
		pmk_cpu_add_facts(&r->e.cpu, &b->facts);
	pmk_arm11_enter(&r->e.cpu, b, r->e.cpu.crossing);
}

static void ends_in(struct rig *r, unsigned i, enum pmk_flow flow, unsigned to)
{
	r->block[i].flow = (uint8_t)flow;
	r->block[i].is_branch = true;
	r->block[i].target = r->block[to].pc;
	r->block[i].arm11.branch = flow == PMK_FLOW_CALL || flow == PMK_FLOW_JUMP ? 2 + i : 1;
	r->block[i].arm11.branch_cycles = 1;
	r->block[i].facts.n[PMK_ARM11_FACT_BRANCH] = 1;
}

/* Makes block `at` the one to which the call of block `i` returns. */
static void returns_to(struct rig *r, unsigned at, unsigned i)
{
	r->block[at].pc = r->block[i].fall;
	r->block[at].end_addr = r->block[i].fall + 16;
	r->block[at].fall = r->block[i].fall + 20;
}

static void totals_of(struct rig *r, uint64_t *totals)
{
	struct pmk_reading now;

	assert_int_equal(pmk_emulated_totals(&r->e, &r->cfg, &r->b, &now), 0);
	memcpy(totals, now.total, sizeof(now.total));
}

/*
 * Reads the final counts from a copy with its own ports, because pmk and the emulator are two
 * processes.
 */
static void finish(const struct rig *r, uint64_t *totals, struct pmk_region_state *regions)
{
	struct pmk_emulated *copy = malloc(sizeof(*copy));
	struct pmk_emulated_ports *ports = calloc(1, sizeof(*ports));
	struct pmk_reading now;

	assert_true(copy && ports);
	memset(copy, 0xff, sizeof(*copy)); /* the rest is not copied and not accessed */
	pmk_emulated_copy(copy, &r->e, &r->cfg);
	/* These pointers belong to the emulator's process, and are invalid in the copy. */
	copy->cpu.arm11.pred = copy->cpu.arm11.dmap = copy->cpu.arm11.imap = NULL;
	copy->cpu.prev = NULL;
	copy->cpu.executions = NULL;
	assert_int_equal(pmk_emulated_finish(copy, ports, &r->cfg, &r->b, &now), 0);
	memcpy(totals, now.total, sizeof(now.total));
	if (regions)
		memcpy(regions, copy->region, sizeof(copy->region));
	free(copy);
	free(ports);
}

/* ---- totals -------------------------------------------------------------------------------- */

static const uint16_t five[] = { CYCLES, INSTR_EXEC, DCACHE_ACCESS, PC_CHANGE, BR_EXEC };

static void test_totals(void **state)
{
	struct rig *r = rig_new(five, 5);
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	ends_in(r, 3, PMK_FLOW_CALL, 4); /* the call takes 7 cycles, 1 of them in the block */
	rig_start(r);
	totals_of(r, totals);
	for (unsigned i = 0; i < 5; i++)
		assert_true(totals[i] == 0); /* the start itself counts nothing */
	for (unsigned i = 0; i < 1000; i++) {
		run_block(r, i % 3);
		if (i % 100 == 99)
			totals_of(r, totals); /* reading changes nothing */
	}
	totals_of(r, totals);
	assert_true(totals[0] == 7000);
	assert_true(totals[1] == 5000);
	assert_true(totals[2] == 2000);
	assert_true(totals[3] == 0 && totals[4] == 0);
	run_block(r, 3);
	run_block(r, 4);
	totals_of(r, totals);
	assert_true(totals[0] == 7000 + 14 + 6);
	assert_true(totals[1] == 5010);
	assert_true(totals[3] == 1);
	assert_true(totals[4] == 1);
	rig_free(r);
}

/* With the maximum number of events, which need 32 passes, each pass counts the whole program. */
static void test_all_passes(void **state)
{
	struct rig *r;
	uint16_t code[64];
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		code[i] = i % 2 ? INSTR_EXEC : DCACHE_ACCESS;
	r = rig_new(code, 64);
	assert_int_equal(r->cfg.plan.npasses, 32);
	rig_start(r);
	assert_true(r->e.start_cycles == 32 * 3);
	for (unsigned i = 0; i < 10; i++)
		run_block(r, 0);
	totals_of(r, totals);
	for (unsigned i = 0; i < 64; i++)
		assert_true(totals[i] == (i % 2 ? 50 : 20));
	rig_free(r);
}

/* If several passes count cycles, each pass counts from its own start, and all counts are equal. */
static void test_cycles_of_every_pass(void **state)
{
	static const uint16_t code[] = { CYCLES, 0x00, 0x01, CYCLES, 0x02, CYCLES, 0x03, CYCLES };
	struct rig *r = rig_new(code, 8);
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	assert_true(r->cfg.plan.npasses > 1);
	rig_start(r);
	for (unsigned i = 0; i < 100; i++)
		run_block(r, 0);
	totals_of(r, totals);
	for (unsigned i = 0; i < 8; i++)
		if (code[i] == CYCLES)
			assert_true(totals[i] == 700);
	rig_free(r);
}

static void test_refuses(void **state)
{
	static const uint16_t code[] = { INSTR_EXEC };
	struct rig *r = rig_new(code, 1);

	(void)state;
	strcpy(r->cfg.pmu, "none");
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), PMK_ENOTSUP);
	pmk_emulated_fini(&r->e);
	strcpy(r->cfg.pmu, "arm1176");
	r->cfg.plan.event[0].code = 0x08; /* the driver refuses this impossible plan */
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions),
			 PMK_ENOEVENT);
	rig_free(r);
}

/* A session counts cycles on every PMU of the family. */
static void test_every_pmu(void **state)
{
	static const char *const pmus[] = { "arm1136-r0", "arm1136", "arm1156", "arm1176",
					    "arm11mpcore" };
	unsigned found = 0;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		static const uint16_t code[] = { CYCLES };
		const struct pmk_pmu *pmu = pmk_pmu_find(pmus[i]);
		struct rig *r = rig_new(code, 1);
		uint64_t totals[PMK_MAX_EVENTS];

		if (pmu) {
			found++;
			strcpy(r->cfg.pmu, pmus[i]);
			rig_start(r);
			run_block(r, 0);
			totals_of(r, totals);
			assert_true(totals[0] == 7);
		}
		rig_free(r);
	}
	assert_true(found >= 4);
}

/* ---- from a copy --------------------------------------------------------------------------- */

static void test_finish_on_a_copy(void **state)
{
	struct rig *r = rig_new(five, 5);
	struct pmk_emulated before;
	uint64_t totals[PMK_MAX_EVENTS], again[PMK_MAX_EVENTS];

	(void)state;
	rig_start(r);
	for (unsigned i = 0; i < 100; i++)
		run_block(r, i % 7);
	before = r->e;
	finish(r, totals, NULL);
	assert_memory_equal(&before, &r->e, sizeof(before)); /* the original is unchanged */
	assert_true(totals[0] == 700 && totals[1] == 500 && totals[2] == 200);
	finish(r, again, NULL);
	assert_memory_equal(totals, again, 5 * sizeof(totals[0]));
	run_block(r, 0); /* the program continues */
	finish(r, again, NULL);
	assert_true(again[0] == 707 && again[1] == 505 && again[2] == 202);
	rig_free(r);
}

/* pmk_emulated_finish() returns the driver's first error, even if later readings succeed. */
static void test_finish_tells_the_error(void **state)
{
	static const uint16_t code[] = { INSTR_EXEC };
	struct rig *r = rig_new(code, 1);
	struct pmk_emulated *copy;
	struct pmk_emulated_ports ports;
	struct pmk_reading totals;

	(void)state;
	rig_start(r);
	run_block(r, 0);
	r->ports.model[0].mode = PMK_MODE_USER;
	assert_int_equal(pmk_emulated_totals(&r->e, &r->cfg, &r->b, &totals), PMK_EUNDEF);
	r->ports.model[0].mode = PMK_MODE_PRIV;
	assert_int_equal(pmk_emulated_totals(&r->e, &r->cfg, &r->b, &totals), 0);
	copy = malloc(sizeof(*copy));
	assert_non_null(copy);
	*copy = r->e;
	assert_int_equal(pmk_emulated_finish(copy, &ports, &r->cfg, &r->b, &totals), PMK_EUNDEF);
	assert_true(totals.total[0] == 5); /* counts that were read are still there */
	free(copy);
	rig_free(r);
}

/*
 * If pmk counts only executions, the core has no clock, so no counter is read before it wraps. The
 * totals are still right.
 */
static void test_executions_alone(void **state)
{
	static const uint16_t code[] = { INSTR_EXEC };
	struct rig *r = rig_new(code, 1);
	struct pmk_emulated *copy = malloc(sizeof(*copy));
	struct pmk_emulated_ports ports;
	struct pmk_reading totals;

	(void)state;
	assert_non_null(copy);
	rig_start(r);
	assert_int_equal(r->cfg.parts, PMK_PART_EXECUTIONS);
	r->executions[0].count = UINT64_C(1) << 33; /* five instructions each */
	*copy = r->e;
	assert_int_equal(pmk_emulated_finish(copy, &ports, &r->cfg, &r->b, &totals), 0);
	assert_true(totals.total[0] == UINT64_C(42949672960));
	/* No program runs so long, so the program must have overwritten the execution counter. */
	r->executions[0].count = UINT64_C(1) << 60;
	*copy = r->e;
	assert_int_equal(pmk_emulated_finish(copy, &ports, &r->cfg, &r->b, &totals), PMK_ERANGE);
	free(copy);
	rig_free(r);
}

/*
 * pmk can model only the instruction side or only the data side, without a clock. Both together
 * need the clock.
 */
static void test_sides_alone(void **state)
{
	static const uint16_t code[] = { DCACHE_MISS, ICACHE_MISS };
	static const uint32_t parts[] = { PMK_PART_DATA, PMK_PART_FETCH | PMK_PART_PREDICTOR,
					  PMK_PART_CLOCK };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rig *r = i < 2 ? rig_new(&code[i], 1) : rig_new(code, 2);

		rig_start(r);
		assert_int_equal(r->cfg.parts, parts[i]);
		rig_free(r);
	}
}

/* ---- intervals ----------------------------------------------------------------------------- */

/*
 * Intervals have 1000 cycles, and blocks have 7. An interval ends with the first block that reaches
 * a multiple of 1000 cycles. The core notices this when the next block starts.
 */
static void test_intervals_of_cycles(void **state)
{
	struct rig *r = rig_new(five, 5);
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	r->cfg.interval_unit = PMK_INTERVAL_CYCLES;
	r->cfg.interval = 1000;
	rig_start(r);
	for (unsigned i = 0; i < 10000; i++)
		run_block(r, i % 5);
	assert_int_equal(r->intervals, 69);
	run_block(r, 0);
	assert_int_equal(r->intervals, 70);
	for (unsigned k = 0; k < 70; k++) {
		assert_true(r->at_cycles[k] == (1000 * (k + 1) + 6) / 7 * 7);
		assert_true(r->at_insns[k] == r->at_cycles[k] / 7 * 5);
	}
	assert_true(r->last[0] == r->at_cycles[69] - r->at_cycles[68]);
	/* The intervals, and the part after the last interval, add up to the totals. */
	totals_of(r, totals);
	assert_true(totals[0] == 70007 && r->sum[0] == r->at_cycles[69]);
	for (unsigned i = 0; i < 5; i++)
		assert_true(totals[i] - r->e.interval_total.total[i] + r->sum[i] == totals[i]);
	assert_true(r->sum[1] == r->at_insns[69]);
	rig_free(r);
}

/* 1000 instructions are a multiple of 5, so the interval ends exactly at the end of a block. */
static void test_intervals_of_instructions(void **state)
{
	for (unsigned round = 0; round < 4; round++) {
		static const uint64_t lengths[] = { 1000, 3, 1003, 2000000 };
		struct rig *r = rig_new(five, 5);
		uint64_t n = lengths[round];
		unsigned expect = (unsigned)(round == 1 ? 500 : round == 3 ? 1 : 20);
		unsigned blocks = round == 1 ? 500 : round == 3 ? 500000 : 4020;

		(void)state;
		r->cfg.interval_unit = PMK_INTERVAL_INSNS;
		r->cfg.interval = n;
		rig_start(r);
		assert_int_equal(r->e.cpu.eager,
				 round != 3); /* short intervals need current sums */
		for (unsigned i = 0; i <= blocks; i++)
			run_block(r, i % 5);
		assert_int_equal(r->intervals, expect);
		for (unsigned k = 0; k < expect && round != 1; k++)
			assert_true(r->at_insns[k] == (n * (k + 1) + 4) / 5 * 5);
		/* If an interval is shorter than a block, each block ends one interval. */
		for (unsigned k = 0; k < expect && round == 1; k++)
			assert_true(r->at_insns[k] == 5 * (k + 1));
		assert_true(r->sum[1] == r->at_insns[expect - 1]);
		rig_free(r);
	}
}

/*
 * A long sleep covers several intervals. They are reported as one interval. The next interval ends
 * at a multiple of 1000 cycles, as it would have without the sleep.
 */
static void test_interval_after_a_pause(void **state)
{
	struct rig *r = rig_new(five, 5);

	(void)state;
	r->cfg.interval_unit = PMK_INTERVAL_CYCLES;
	r->cfg.interval = 1000;
	rig_start(r);
	run_block(r, 0);
	pmk_cpu_idle(&r->e.cpu, 5300);
	run_block(r, 0);
	assert_int_equal(r->intervals, 1);
	assert_true(r->sum[0] == 5307 && r->sum[1] == 5);
	while (r->intervals < 2)
		run_block(r, 0);
	assert_true(r->at_cycles[1] == 5307 + 693);
	rig_free(r);
}

/* ---- regions ------------------------------------------------------------------------------- */

/*
 * main is blocks 0 to 3. Block 0 calls f and continues at block 1. Block 2 calls f and continues at
 * block 3. f is blocks 4 and 5: block 4 calls g, and block 5 returns. g is block 6, which returns.
 */
static struct rig *program_with_calls(void)
{
	static const uint16_t code[] = { INSTR_EXEC, DCACHE_ACCESS };
	struct rig *r = rig_new(code, 2);

	ends_in(r, 0, PMK_FLOW_CALL, 4);
	returns_to(r, 1, 0);
	ends_in(r, 2, PMK_FLOW_CALL, 4);
	returns_to(r, 3, 2);
	ends_in(r, 4, PMK_FLOW_CALL, 6);
	returns_to(r, 5, 4);
	ends_in(r, 5, PMK_FLOW_RETURN, 1);
	ends_in(r, 6, PMK_FLOW_RETURN, 5);
	return r;
}

static void run_calls(struct rig *r)
{
	static const unsigned path[] = { 0, 4, 6, 5, 1, 2, 4, 6, 5, 3 };

	for (unsigned i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		run_block(r, path[i]);
}

/* A function counts from its entry to its return, including the functions that it calls. */
static void test_regions_of_functions(void **state)
{
	struct rig *r = program_with_calls();
	struct pmk_region_state regions[PMK_MAX_REGIONS];
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	r->cfg.nregions = 2;
	r->cfg.region[0].begin = r->block[4].pc;
	r->cfg.region[1].begin = r->block[6].pc;
	rig_start(r);
	run_calls(r);
	assert_int_equal(r->e.calls, 0);
	assert_false(r->e.region[0].inside || r->e.region[1].inside);
	finish(r, totals, regions);
	assert_true(totals[0] == 50); /* of the whole program */
	assert_true(regions[0].entries == 2 && regions[0].total.total[0] == 30 &&
		    regions[0].total.total[1] == 12);
	assert_true(regions[1].entries == 2 && regions[1].total.total[0] == 10 &&
		    regions[1].total.total[1] == 4);
	rig_free(r);
}

/* A region that is still open at the end counts up to the end. */
static void test_open_region(void **state)
{
	struct rig *r = program_with_calls();
	struct pmk_region_state regions[PMK_MAX_REGIONS];
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	r->cfg.nregions = 2;
	r->cfg.region[0].begin = r->block[4].pc;
	r->cfg.region[1].begin = r->block[6].pc;
	rig_start(r);
	run_block(r, 0);
	run_block(r, 4);
	run_block(r, 6);
	finish(r, totals, regions);
	assert_true(totals[0] == 15);
	assert_true(regions[0].entries == 1 && regions[0].total.total[0] == 10);
	assert_true(regions[1].entries == 1 && regions[1].total.total[0] == 5);
	assert_true(r->e.region[0].inside == 1 && r->e.region[0].total.total[0] == 0);
	run_block(r, 5);
	run_block(r, 1);
	finish(r, totals, regions);
	assert_true(regions[0].total.total[0] == 15 && regions[1].total.total[0] == 5);
	rig_free(r);
}

/*
 * f calls itself. Each entry counts, but the events inside count only once, until the last return.
 */
static void test_recursion(void **state)
{
	static const uint16_t code[] = { INSTR_EXEC };
	struct rig *r = rig_new(code, 1);
	struct pmk_region_state regions[PMK_MAX_REGIONS];
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	ends_in(r, 0, PMK_FLOW_CALL, 4);
	returns_to(r, 1, 0);
	ends_in(r, 4, PMK_FLOW_CALL, 4); /* f: calls f */
	returns_to(r, 5, 4);
	ends_in(r, 5, PMK_FLOW_RETURN, 5);
	ends_in(r, 6, PMK_FLOW_RETURN, 5); /* the innermost call jumps to the end of f */
	r->cfg.nregions = 1;
	r->cfg.region[0].begin = r->block[4].pc;
	rig_start(r);
	run_block(r, 0);
	for (unsigned i = 0; i < 100; i++)
		run_block(r, 4);
	assert_int_equal(r->e.calls, 100);
	for (unsigned i = 0; i < 99; i++)
		run_block(r, 5);
	assert_true(r->e.region[0].inside == 1);
	run_block(r, 1);
	assert_true(r->e.region[0].inside == 0);
	for (unsigned i = 0; i < 10; i++)
		run_block(r, 2);
	finish(r, totals, regions);
	assert_true(totals[0] == 5 * 211);
	assert_true(regions[0].entries == 100);
	assert_true(regions[0].total.total[0] == 5 * 199);
	rig_free(r);
}

/*
 * A loop back to the first instruction of f is not an entry, even if the loop contains calls. A
 * call from the loop, and a jump to f from outside f, are entries.
 */
static void test_loop_to_the_first_instruction(void **state)
{
	static const uint16_t code[] = { INSTR_EXEC };
	struct rig *r = rig_new(code, 1);
	struct pmk_region_state regions[PMK_MAX_REGIONS];
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	ends_in(r, 0, PMK_FLOW_CALL, 4);
	returns_to(r, 1, 0);
	ends_in(r, 4, PMK_FLOW_CALL, 6); /* f calls g, which returns */
	returns_to(r, 5, 4);
	ends_in(r, 5, PMK_FLOW_JUMP, 4); /* f loops, except the last time */
	r->block[5].conditional = true;
	returns_to(r, 7, 5);
	ends_in(r, 6, PMK_FLOW_RETURN, 5);
	ends_in(r, 7, PMK_FLOW_RETURN, 1);
	ends_in(r, 2, PMK_FLOW_JUMP, 4);
	r->cfg.nregions = 1;
	r->cfg.region[0].begin = r->block[4].pc;
	rig_start(r);
	run_block(r, 0);
	for (unsigned i = 0; i < 100; i++) {
		run_block(r, 4);
		run_block(r, 6);
		run_block(r, 5);
	}
	run_block(r, 7);
	run_block(r, 1);
	finish(r, totals, regions);
	assert_true(totals[0] == 5 * 303);
	assert_true(regions[0].entries == 1 && regions[0].total.total[0] == 5 * 301);
	run_block(r, 2); /* main continues in f without a call, so f is not active */
	run_block(r, 4);
	finish(r, totals, regions);
	assert_true(regions[0].entries == 2);
	r->block[6].flow = PMK_FLOW_CALL; /* g calls f, and then f jumps to itself. */
	run_block(r, 6);
	run_block(r, 4);
	finish(r, totals, regions);
	assert_true(regions[0].entries == 3);
	r->block[4].flow = PMK_FLOW_JUMP;
	r->block[4].target = r->block[4].pc;
	run_block(r, 4);
	run_block(r, 4);
	finish(r, totals, regions);
	assert_true(regions[0].entries == 3);
	rig_free(r);
}

/* If calls are nested deeply, a region ends at the return of its own function, and not before. */
static void test_deep_calls(void **state)
{
	static const uint16_t code[] = { INSTR_EXEC };
	struct rig *r = rig_new(code, 1);

	(void)state;
	ends_in(r, 4, PMK_FLOW_CALL, 4);
	returns_to(r, 5, 4);
	ends_in(r, 5, PMK_FLOW_RETURN, 5);
	ends_in(r, 8, PMK_FLOW_CALL, 9); /* in each level: g, entered at 9 */
	ends_in(r, 9, PMK_FLOW_RETURN, 10);
	returns_to(r, 10, 8);
	r->cfg.nregions = 2;
	r->cfg.region[0].begin = r->block[4].pc;
	r->cfg.region[1].begin = r->block[9].pc;
	rig_start(r);
	run_block(r, 0);
	for (unsigned i = 0; i < 3000; i++)
		run_block(r, 4);
	assert_int_equal(r->e.calls, 2999); /* the last block has not been left yet */
	assert_true(r->e.region[0].entries == 3000 && r->e.region[0].inside == 1);
	r->block[4].fall = 0x7000; /* the innermost f jumps to 8 instead of calling */
	run_block(r, 8);
	run_block(r, 9);
	assert_true(r->e.region[1].inside == 1);
	run_block(r, 10);
	assert_true(r->e.region[1].inside == 0 && r->e.region[1].total.total[0] == 5);
	for (unsigned i = 0; i < 2999; i++) {
		run_block(r, 5);
		assert_int_equal(r->e.region[0].inside, 1);
	}
	assert_int_equal(r->e.calls, 1);
	rig_free(r);
}

/* longjmp, or an exception of C++, ends several calls at once. */
static void test_several_calls_end_at_once(void **state)
{
	struct rig *r = program_with_calls();

	(void)state;
	r->cfg.nregions = 2;
	r->cfg.region[0].begin = r->block[4].pc;
	r->cfg.region[1].begin = r->block[6].pc;
	r->block[6].flow = PMK_FLOW_INDIRECT;
	rig_start(r);
	run_block(r, 0);
	run_block(r, 4);
	run_block(r, 6);
	assert_int_equal(r->e.calls, 2);
	run_block(r, 1); /* after the call of f */
	assert_int_equal(r->e.calls, 0);
	assert_false(r->e.region[0].inside || r->e.region[1].inside);
	assert_true(r->e.region[0].total.total[0] == 10 && r->e.region[1].total.total[0] == 5);
	rig_free(r);
}

/* A jump through a register that does not return from a call ends no region. */
static void test_indirect_jump_is_no_return(void **state)
{
	struct rig *r = program_with_calls();

	(void)state;
	r->cfg.nregions = 1;
	r->cfg.region[0].begin = r->block[4].pc;
	ends_in(r, 10, PMK_FLOW_INDIRECT, 11);
	ends_in(r, 4, PMK_FLOW_JUMP, 10);
	rig_start(r);
	run_block(r, 0);
	run_block(r, 4);
	run_block(r, 10);
	run_block(r, 11);
	assert_true(r->e.region[0].inside == 1);
	assert_int_equal(r->e.calls, 1);
	rig_free(r);
}

/*
 * A call that is not taken, or that goes to the next instruction and never returns, is not counted
 * as a call. A return whose condition fails is not counted as a return.
 */
static void test_calls_that_are_none(void **state)
{
	struct rig *r = program_with_calls();

	(void)state;
	r->cfg.nregions = 1;
	r->cfg.region[0].begin = r->block[4].pc;
	r->block[0].conditional = r->block[5].conditional = true;
	returns_to(r, 7, 5);
	rig_start(r);
	run_block(r, 0);
	run_block(r, 1);
	assert_int_equal(r->e.calls, 0);
	run_block(r, 0);
	run_block(r, 4);
	run_block(r, 6);
	run_block(r, 5);
	assert_int_equal(r->e.calls, 1);
	run_block(r, 7);
	assert_int_equal(r->e.calls, 1);
	assert_true(r->e.region[0].inside == 1);
	rig_free(r);
}

/*
 * If a region is from one address to another, the program may reach the first address again before
 * the second. This counts as one more entry, and the events inside still count once.
 */
static void test_region_between_addresses(void **state)
{
	static const uint16_t code[] = { INSTR_EXEC };
	struct rig *r = rig_new(code, 1);
	struct pmk_region_state regions[PMK_MAX_REGIONS];
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	r->cfg.nregions = 2;
	r->cfg.region[0] = (struct pmk_emulated_region){ r->block[2].pc, r->block[5].pc };
	r->cfg.region[1] = (struct pmk_emulated_region){ r->block[5].pc, r->block[2].pc };
	rig_start(r);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 10; i++)
			run_block(r, i);
	run_block(r, 2);
	run_block(r, 2);
	finish(r, totals, regions);
	assert_true(totals[0] == 5 * 32);
	assert_true(regions[0].entries == 5);
	assert_true(regions[0].total.total[0] == 5 * (3 * 3 + 2));
	assert_true(regions[1].entries == 3);
	assert_true(regions[1].total.total[0] ==
		    5 * (7 + 7 + 5)); /* 5 … 9 and 0, 1 of the next round */
	rig_free(r);
}

/* With --from and --to, the totals include only the window. */
static void test_window(void **state)
{
	struct rig *r = rig_new(five, 5);
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	r->cfg.nregions = 1;
	r->cfg.window = 1;
	r->cfg.region[0] = (struct pmk_emulated_region){ r->block[2].pc, r->block[5].pc };
	r->cfg.interval_unit = PMK_INTERVAL_CYCLES;
	r->cfg.interval = 10;
	rig_start(r);
	for (unsigned i = 0; i < 50; i++)
		run_block(r, 10);
	totals_of(r, totals);
	assert_true(totals[0] == 0 && totals[1] == 0);
	assert_int_equal(r->intervals, 0); /* there are no intervals outside the window */
	for (unsigned i = 0; i < 10; i++)
		run_block(r, i);
	/*
	 * Blocks 2, 3 and 4 take 21 cycles. The first interval ends after 14 cycles. The window
	 * ends before the second interval is complete.
	 */
	assert_int_equal(r->intervals, 1);
	assert_true(r->sum[0] == 14 && r->sum[1] == 10);
	totals_of(r, totals);
	assert_true(totals[0] == 21 && totals[1] == 15 && totals[2] == 6);
	run_block(r, 2);
	finish(r, totals, NULL);
	assert_true(totals[0] == 28 && totals[1] == 20);
	assert_int_equal(r->intervals, 1);
	run_block(r, 3);
	assert_int_equal(r->intervals, 1);
	run_block(r, 4); /* an interval of the new window has ended */
	assert_int_equal(r->intervals, 2);
	assert_true(r->last[0] == 7 + 14 && r->sum[0] == 35);
	rig_free(r);
}

/*
 * A branch counts at its own address, and so do its cycles. So a branch into a window counts
 * outside of it, and a branch out of the window counts inside.
 */
static void test_branches_at_the_ends(void **state)
{
	static const uint16_t code[] = { INSTR_EXEC, BR_EXEC, PC_CHANGE, CYCLES };
	uint64_t totals[PMK_MAX_EVENTS], cycles = 0;

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		bool into = round & 1, out = round & 2;
		struct rig *r = rig_new(code, 4);

		r->cfg.nregions = r->cfg.window = 1;
		r->cfg.region[0] = (struct pmk_emulated_region){
			r->block[2].pc,
			out ? r->block[5].pc : r->block[2].fall,
		};
		if (into)
			ends_in(r, 1, PMK_FLOW_INDIRECT, 2);
		else
			r->block[1].fall = r->block[2].pc;
		if (out)
			ends_in(r, 2, PMK_FLOW_INDIRECT, 5);
		else
			returns_to(r, 5, 2);
		rig_start(r);
		run_block(r, 1);
		run_block(r, 2);
		run_block(r, 5);
		finish(r, totals, NULL);
		assert_int_equal(totals[0], 5);
		assert_int_equal(totals[1], out);
		assert_int_equal(totals[2], out);
		if (!round)
			cycles = totals[3];
		assert_true(out ? totals[3] > cycles : totals[3] == cycles);
		rig_free(r);
	}
}

/* ---- fork ---------------------------------------------------------------------------------- */

static void test_forked(void **state)
{
	struct rig *r = program_with_calls(), *child = calloc(1, sizeof(*child));
	struct pmk_region_state regions[PMK_MAX_REGIONS];
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	assert_non_null(child);
	r->cfg.nregions = 2;
	r->cfg.region[0].begin = r->block[4].pc;
	r->cfg.region[1].begin = r->block[8].pc;
	rig_start(r);
	for (unsigned i = 0; i < 8; i++)
		run_block(r, 8 + i);
	run_block(r, 0);
	run_block(r, 4); /* inside f, after 10 blocks */
	*child = *r;	 /* a fork: the child has the same blocks */
	child->b.executions = child->executions;
	child->b.facts = child->facts;
	memset(child->executions, 0, sizeof(child->executions));
	assert_int_equal(
		pmk_emulated_forked(&child->e, &child->ports, &child->cfg, child->executions), 0);
	finish(child, totals, regions);
	assert_true(totals[0] == 0 && totals[1] == 0);
	assert_true(regions[0].total.total[0] == 0 && regions[1].total.total[0] == 0);
	child->e.cpu.prev = &child->block[4];
	run_block(child, 6);
	run_block(child, 5);
	run_block(child, 1); /* f returns in the child, too */
	finish(child, totals, regions);
	assert_true(totals[0] == 15 && totals[1] == 6);
	assert_true(regions[0].total.total[0] == 10);
	assert_true(regions[1].entries == 0);
	assert_false(child->e.region[0].inside);
	/* The parent is not affected. */
	finish(r, totals, regions);
	assert_true(totals[0] == 50);
	assert_true(regions[0].entries == 1 && regions[0].total.total[0] == 5);
	assert_true(regions[1].entries == 1);
	free(child); /* the maps that it points to belong to the parent */
	rig_free(r);
}

/* A child that begins inside the window continues with intervals of its own. */
static void test_forked_inside_the_window(void **state)
{
	struct rig *r = rig_new(five, 5);
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	r->cfg.nregions = 1;
	r->cfg.window = 1;
	r->cfg.region[0] = (struct pmk_emulated_region){ r->block[2].pc, r->block[5].pc };
	r->cfg.interval_unit = PMK_INTERVAL_CYCLES;
	r->cfg.interval = 100;
	rig_start(r);
	run_block(r, 2);
	memset(r->executions, 0, sizeof(r->executions));
	assert_int_equal(pmk_emulated_forked(&r->e, &r->ports, &r->cfg, r->executions), 0);
	for (unsigned i = 0; i < 101; i++)
		run_block(r, 3);
	totals_of(r, totals);
	assert_true(totals[0] == 707 && totals[1] == 505);
	assert_int_equal(r->intervals, 7);
	rig_free(r);
}

/* ---- wraps --------------------------------------------------------------------------------- */

/*
 * Advances the clock by `cycles` in big steps, with `per_cycle` events per cycle, and calls the
 * session at each deadline, as the core does. No wrap of a 32-bit counter is lost.
 */
static void run_far(struct rig *r, unsigned per_cycle, unsigned per_64, uint64_t cycles)
{
	struct pmk_reading delta;
	struct pmk_cpu *cpu = &r->e.cpu;

	while (cycles) {
		uint64_t left = cpu->deadline - cpu->cycles;
		uint64_t step = left < cycles ? left : cycles;

		assert_true(left > 0);
		if (step > 64)
			step &= ~UINT64_C(63);
		cpu->cycles += step;
		cpu->dyn[PMK_SIG_L1D_WB_HALF] += step * per_cycle;
		cpu->dyn[PMK_SIG_INSN] += step > 63 ? step / 64 * per_64 : step;
		cycles -= step;
		if (cpu->cycles >= cpu->deadline) {
			r->deadlines++;
			assert_int_equal(pmk_emulated_deadline(&r->e, &r->cfg, &r->b, &delta), 0);
		}
	}
}

static void test_counters_wrap(void **state)
{
	static const uint16_t code[] = { CYCLES, 0x0C, INSTR_EXEC, 0x0B };
	static const struct {
		unsigned per_cycle, per_64;
	} rates[] = { { 15, 64 }, { 1, 128 }, { 3, 1 }, { 0, 7 } };

	(void)state;
	for (unsigned k = 0; k < sizeof(rates) / sizeof(rates[0]); k++) {
		struct rig *r = rig_new(code, 4);
		uint64_t totals[PMK_MAX_EVENTS], cycles = UINT64_C(0x540000000), from;

		rig_start(r);
		from = r->e.cpu.cycles;
		run_far(r, rates[k].per_cycle, rates[k].per_64, cycles);
		finish(r, totals, NULL);
		assert_true(r->e.cpu.cycles - from == cycles);
		assert_true(totals[0] == cycles); /* more than five wraps */
		assert_true(totals[1] == cycles * rates[k].per_cycle);
		assert_true(totals[2] == r->e.cpu.dyn[PMK_SIG_INSN]);
		assert_true(totals[3] == 0);
		for (unsigned i = 0; i < 4; i++)
			assert_false(pmk_session_wrapped(&r->e.session, i));
		/* There are few calls: at most hundreds per wrap, and not one per event. */
		assert_true(r->deadlines < 100000);
		rig_free(r);
	}
}

/* No wrap is lost if counters are read in between, or if there are intervals. */
static void test_wraps_and_intervals(void **state)
{
	static const uint16_t code[] = { CYCLES, INSTR_EXEC };
	struct rig *r = rig_new(code, 2);
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	r->cfg.interval_unit = PMK_INTERVAL_CYCLES;
	r->cfg.interval = UINT64_C(0x40000000);
	rig_start(r);
	for (unsigned i = 0; i < 700; i++) {
		uint64_t left = r->e.cpu.deadline - r->e.cpu.cycles;

		pmk_cpu_idle(&r->e.cpu, left < 0x01000000 ? left : 0x01000000);
		run_block(r, i % 3);
		if (i % 50 == 0)
			totals_of(r, totals);
	}
	totals_of(r, totals);
	assert_true(totals[0] == r->e.cpu.cycles - r->e.start_cycles);
	assert_true(totals[0] > UINT64_C(0x200000000));
	assert_true(totals[1] == 3500);
	assert_int_equal(r->intervals, totals[0] >> 30);
	assert_true(r->sum[1] + (totals[1] - r->e.interval_total.total[1]) == 3500);
	rig_free(r);
}

/*
 * A predicted and folded branch to itself takes no cycle. Time must still pass when such branches
 * run, because the deadline would never come otherwise. (DDI 0301H chapter 5: a branch to a branch
 * is not folded.)
 */
static void test_time_passes_in_a_loop_of_branches(void **state)
{
	static const uint16_t code[] = { CYCLES, INSTR_EXEC };
	struct rig *r = rig_new(code, 2);
	struct pmk_insn self = { .addr = 0x8000,
				 .target = 0x8000,
				 .size = 4,
				 .iclass = PMK_I_BRANCH,
				 .flow = PMK_FLOW_JUMP,
				 .is_branch = true,
				 .decoded = true,
				 .rd = -1,
				 .rd2 = -1,
				 .rn = -1,
				 .rm = -1,
				 .rs = -1,
				 .ra = -1 };
	struct pmk_pipe_slot slot;
	uint64_t before;

	(void)state;
	r->cfg.core.bp.on = 1;
	pmk_block_build(&r->cfg.core, &self, 1, &slot, &r->block[0]);
	r->block[0].arm11.branch = 2;
	rig_start(r);
	for (unsigned i = 0; i < 100; i++)
		run_block(r, 0);
	before = r->e.cpu.cycles;
	for (unsigned i = 0; i < 1000; i++)
		run_block(r, 0);
	assert_true(r->e.cpu.cycles > before);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_all_passes),
		cmocka_unit_test(test_cycles_of_every_pass),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_every_pmu),
		cmocka_unit_test(test_finish_on_a_copy),
		cmocka_unit_test(test_finish_tells_the_error),
		cmocka_unit_test(test_executions_alone),
		cmocka_unit_test(test_sides_alone),
		cmocka_unit_test(test_intervals_of_cycles),
		cmocka_unit_test(test_intervals_of_instructions),
		cmocka_unit_test(test_interval_after_a_pause),
		cmocka_unit_test(test_regions_of_functions),
		cmocka_unit_test(test_open_region),
		cmocka_unit_test(test_loop_to_the_first_instruction),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_deep_calls),
		cmocka_unit_test(test_several_calls_end_at_once),
		cmocka_unit_test(test_indirect_jump_is_no_return),
		cmocka_unit_test(test_calls_that_are_none),
		cmocka_unit_test(test_region_between_addresses),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_branches_at_the_ends),
		cmocka_unit_test(test_forked),
		cmocka_unit_test(test_forked_inside_the_window),
		cmocka_unit_test(test_counters_wrap),
		cmocka_unit_test(test_wraps_and_intervals),
		cmocka_unit_test(test_time_passes_in_a_loop_of_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
