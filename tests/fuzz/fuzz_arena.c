// SPDX-License-Identifier: MIT
/*
 * libFuzzer: pmk reads an arena (arena.h) that the emulated program has overwritten with random
 * bytes. Either pmk reads it to its end, and all counts are possible, or it reports what is
 * impossible. It accesses no memory outside the arena.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_arena.c
 *
 * The arena contains the counts of a small run. Each family of cores has a program, whose
 * instructions are decoded and executed here as the plugin does it. The first byte of the input
 * selects the program. The rest of the input is a list of writes. A write has a byte that selects
 * the part of the arena, three bytes for the offset in this part, a byte for the number of bytes,
 * and the bytes to write.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/family.h"
#include "producer/qemu/runner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NINSNS	 4
#define MANY	 16 /* the most events, and the most records in the ring */
#define NPLACES	 10
#define THE_CPU	 0
#define PROGRAM	 0x8000
#define A_NUMBER 1 /* number of the process in the arena */

/* A core and a program for it, which computes, reads, writes, and branches to itself. */
static const struct program {
	const char *isa, *pmu, *counted, *beside;
	uint32_t word[NINSNS];
	bool regions, intervals, sampled;
} programs[] = {
	{ "arm", "arm1176", "arm1176", "", { 0xe3a01001, 0xe5912000, 0xe5812000, 0xeafffffe } },
	{ "arm",
	  "arm1176",
	  "arm1176",
	  "",
	  { 0xe3a01001, 0xe5912000, 0xe5812000, 0xeafffffe },
	  .regions = true,
	  .intervals = true },
	{ "arm", "arm1176", "l220", "arm1176", { 0xe3a01001, 0xe5912000, 0xe5812000, 0xeafffffe } },
	{ "arm", "arm1176", "l210", "", { 0xe3a01001, 0xe5912000, 0xe5812000, 0xeafffffe } },
	{ "arm", "ahbmon", "ahbmon", "", { 0xe3a01001, 0xe5912000, 0xe5812000, 0xeafffffe } },
	{ "a64",
	  "cortex-a53",
	  "cortex-a53",
	  "",
	  { 0xd2800021, 0xf9400022, 0xf9000022, 0x14000000 } },
	{ "microblaze",
	  "microblaze",
	  "microblaze",
	  "",
	  { 0x80000000, 0xe8200000, 0xf8200000, 0xb8000000 },
	  .intervals = true },
	{ "arm",
	  "arm1176",
	  "arm1176",
	  "",
	  { 0xe3a01001, 0xe5912000, 0xe5812000, 0xeafffffe },
	  .sampled = true },
};
#define NPROGRAMS (sizeof(programs) / sizeof(programs[0]))

struct place {
	char *at;
	size_t size;
	void *saved;
};

struct rig {
	struct pmk_runner runner, begun;
	struct pmk_runner_config cfg;
	struct pmk_emulated_ports ports;
	struct pmk_arena_slot *slot;
	struct pmk_decoder decoder;
	struct pmk_code code;
	struct place place[NPLACES];
	unsigned saved; /* entries of place[] in use; 0: make() was not called */
};

static struct rig rigs[NPROGRAMS];

static void expect(int condition)
{
	if (!condition)
		abort();
}

static bool is_store(uint32_t info)
{
	return info & 1;
}

static unsigned size_shift(uint32_t info)
{
	(void)info;
	return 2;
}

static void choose(const struct program *p, struct pmk_emulated_config *cfg)
{
	const struct pmk_pmu *pmu[PMK_PMU_PAIR] = { pmk_pmu_find(p->counted),
						    *p->beside ? pmk_pmu_find(p->beside) : NULL };

	expect(pmk_core_choose(&cfg->core, p->isa, p->pmu) == 0 && pmu[0]);
	cfg->core.l2.type = pmk_core_l2_type(p->counted);
	strcpy(cfg->pmu, p->counted);
	strcpy(cfg->beside, p->beside);
	for (unsigned k = 0; k < PMK_PMU_PAIR && pmu[k]; k++)
		for (unsigned i = 0; i < pmu[k]->nevents && i < MANY; i++)
			cfg->plan.event[cfg->plan.nevents++] = (struct pmk_plan_event){
				.code = pmu[k]->events[i].code,
				.pmu = (uint8_t)k,
			};
	/* There may be more events than counters, so drop events until a plan exists. */
	while (pmk_pmu_pair_plan(pmu, &cfg->plan))
		cfg->plan.nevents--;
	if (p->regions) {
		cfg->nregions = 1;
		cfg->region[0].begin = PROGRAM;
	}
	if (p->intervals) {
		cfg->interval_unit = PMK_INTERVAL_INSNS;
		cfg->interval = 10;
	}
	if (p->sampled)
		cfg->units = (struct pmk_units_config){ .head = 20,
							.warm = 4,
							.unit = 8,
							.least = 30,
							.most = 60,
							.part = 4,
							.seed = 1 };
	pmk_emulated_configure(cfg);
}

/*
 * Stores the piece of a sampled program (units.h) if it has ended. In the phase REST, lets 25
 * instructions pass.
 */
static void tell_piece(struct rig *rig, struct pmk_emulated *e, struct pmk_emulated_blocks *b)
{
	struct pmk_arena_ring *ring = pmk_slot_ring(pmk_arena_memory(rig->runner.arena, rig->slot));
	const struct pmk_emulated_config *cfg = &rig->cfg.counters;
	struct pmk_units_piece piece;

	if (ring->head < MANY && pmk_emulated_piece(e, cfg, b, &piece) > 0)
		ring->record[ring->head++].piece = piece;
	if (e->phase != PMK_UNITS_REST)
		return;
	b->rest += 25;
	e->cpu.executions[PMK_MAX_BLOCKS].count = b->rest;
	expect(pmk_emulated_unit(e, cfg, b) == 0);
}

static void tell_interval(struct rig *rig, struct pmk_emulated *e, const struct pmk_reading *delta)
{
	struct pmk_arena_ring *ring = pmk_slot_ring(pmk_arena_memory(rig->runner.arena, rig->slot));

	if (ring->head == MANY)
		return;
	ring->record[ring->head++].interval = (struct pmk_arena_interval){
		.pid = A_NUMBER,
		.cycles = e->cpu.cycles,
		.insns = e->bus.total[PMK_SIG_INSN],
		.delta = *delta,
	};
}

static void no_deadline(struct pmk_cpu *cpu)
{
	cpu->deadline = PMK_NEVER;
}

static const struct pmk_block *translate(struct rig *rig, const struct program *p,
					 struct pmk_pipe_slot *pipe, struct pmk_insn *in)
{
	const struct pmk_core *core = &rig->cfg.counters.core;
	const struct pmk_core_decoder *decoder = pmk_core_family(core)->decoder;
	struct pmk_raw raw[NINSNS];

	expect(!decoder->init || decoder->init(&rig->decoder) == 0);
	for (unsigned i = 0; i < NINSNS; i++) {
		raw[i] = (struct pmk_raw){ .addr = PROGRAM + 4 * i, .size = 4 };
		memcpy(raw[i].byte, &p->word[i], 4);
	}
	decoder->decode(&rig->decoder, raw, NINSNS, in);
	expect(pmk_code_init(&rig->code, core) == 0);
	return pmk_code_add(&rig->code, in, NINSNS, 1, 0, pipe);
}

/* Runs the block a hundred times. Stores each interval or piece in the ring when it ends. */
static void run(struct rig *rig, struct pmk_emulated *e, const struct pmk_block *block,
		const struct pmk_pipe_slot *pipe, const struct pmk_insn *in)
{
	const struct pmk_emulated_config *cfg = &rig->cfg.counters;
	const struct pmk_core_callbacks *callbacks = pmk_core_family(&cfg->core)->callbacks;
	enum pmk_block_way way = cfg->eager ? PMK_BLOCK_EAGER : PMK_BLOCK_PLAIN;
	char *memory = pmk_arena_memory(rig->runner.arena, rig->slot);
	struct pmk_emulated_blocks b = { pmk_slot_facts(memory),
					 pmk_slot_executions(memory, THE_CPU), 1, 0 };
	struct pmk_reading delta;
	uint64_t access;

	pmk_slot_facts(memory)[block->id] = block->facts;
	for (unsigned n = 0; n < 100; n++) {
		pmk_block_choose(&cfg->core, false, false, way)(THE_CPU, (void *)(uintptr_t)block);
		for (unsigned i = 0; i < NINSNS; i++) {
			pmk_access_fn *fn = callbacks->watch(&cfg->core, false, &in[i], block,
							     &pipe[i], &access);

			if (fn && (in[i].load || in[i].store))
				fn(THE_CPU, in[i].store, 0x10000 + 4096 * n,
				   (void *)(uintptr_t)access);
		}
		if (cfg->units.head)
			tell_piece(rig, e, &b);
		else if (pmk_emulated_deadline(e, cfg, &b, &delta) > 0)
			tell_interval(rig, e, &delta);
	}
	if (cfg->nregions) {
		e->beginning = 1;
		pmk_emulated_cross(e, cfg, &b);
	}
}

static void keep(struct rig *rig, void *at, size_t size, bool save)
{
	struct place *p = &rig->place[rig->saved];

	*p = (struct place){ .at = at, .size = size };
	if (save) {
		p->saved = malloc(size);
		expect(p->saved != NULL);
		memcpy(p->saved, at, size);
	}
	rig->saved++;
}

static void list_places(struct rig *rig, char *memory, struct pmk_emulated *e)
{
	size_t used = pmk_emulated_bytes(&rig->cfg.counters);
	unsigned passes = rig->cfg.counters.plan.npasses;

	keep(rig, rig->runner.arena, sizeof(*rig->runner.arena), true);
	keep(rig, memory, sizeof(struct pmk_facts), true);
	keep(rig, pmk_slot_ring(memory),
	     offsetof(struct pmk_arena_ring, record) + MANY * sizeof(union pmk_arena_record), true);
	keep(rig, pmk_slot_executions(memory, THE_CPU), sizeof(struct pmk_executions), true);
	keep(rig, pmk_slot_executions(memory, THE_CPU) + PMK_MAX_BLOCKS,
	     sizeof(struct pmk_executions), true);
	keep(rig, e, used, true);
	/* Parts of *e as places of their own, so that more writes hit them. */
	keep(rig, &e->session.plan, sizeof(e->session.plan), false);
	keep(rig, e->session.pass, passes * sizeof(e->session.pass[0]), false);
	keep(rig, e->model, passes * sizeof(e->model[0]), false);
	if (used == sizeof(*e))
		keep(rig, &e->chip, sizeof(e->chip), false);
	else
		keep(rig, &e->bus, offsetof(struct pmk_bus, log), false);
	expect(rig->saved == NPLACES);
}

static void make(struct rig *rig, const struct program *p)
{
	struct pmk_pipe_slot pipe[NINSNS];
	struct pmk_insn in[NINSNS];
	const struct pmk_block *block;
	struct pmk_emulated *e;
	char *memory;
	int fd;

	choose(p, &rig->cfg.counters);
	expect(pmk_runner_open(&rig->runner, &rig->cfg, &fd) == 0);
	rig->runner.pid = A_NUMBER;
	rig->slot = &rig->runner.arena->slot[0];
	memory = pmk_arena_memory(rig->runner.arena, rig->slot);
	e = pmk_slot_cpu(memory, THE_CPU);
	expect(pmk_emulated_start(e, &rig->ports, &rig->cfg.counters,
				  pmk_slot_executions(memory, THE_CPU)) == 0);
	e->cpu.on_deadline = no_deadline;
	pmk_cpus[THE_CPU] = &e->cpu;
	pmk_emulator = (struct pmk_emulator){ .is_store = is_store, .size_shift = size_shift };
	block = translate(rig, p, pipe, in);
	expect(block != NULL);
	run(rig, e, block, pipe, in);
	rig->runner.arena->ready = 1;
	*rig->slot = (struct pmk_arena_slot){ PMK_SLOT_RUNNING, A_NUMBER, 1, 1, 1, 0 };
	list_places(rig, memory, e);
	rig->begun = rig->runner;
}

static void restore(struct rig *rig)
{
	for (unsigned i = 0; i < NPLACES; i++)
		if (rig->place[i].saved)
			memcpy(rig->place[i].at, rig->place[i].saved, rig->place[i].size);
	rig->runner = rig->begun;
	memset(rig->runner.tail, 0, sizeof(*rig->runner.tail));
	if (rig->runner.units)
		memset(rig->runner.units, 0, PMK_ARENA_SLOTS * sizeof(*rig->runner.units));
	memset(rig->runner.core, 0, PMK_ARENA_CPUS * sizeof(*rig->runner.core));
	memset(rig->runner.interval_at, 0, PMK_ARENA_SLOTS * sizeof(*rig->runner.interval_at));
}

static void write_all(const struct rig *rig, const uint8_t *data, size_t size)
{
	while (size > 5) {
		const struct place *p = &rig->place[data[0] % NPLACES];
		size_t at = (data[1] | data[2] << 8 | data[3] << 16) % p->size;
		size_t n = data[4] % 32 + 1;

		data += 5;
		size -= 5;
		n = n < size ? n : size;
		n = n < p->size - at ? n : p->size - at;
		memcpy(p->at + at, data, n);
		data += n;
		size -= n;
	}
}

static void check_reading(const struct pmk_reading *r)
{
	expect(pmk_reading_valid(r));
}

/* Reads everything, as pmk does at a program's end. */
static void read_all(struct rig *rig)
{
	struct pmk_runner *r = &rig->runner;
	struct pmk_arena_interval interval;
	unsigned n = 0;

	pmk_runner_invalid(r);
	while (!r->units && pmk_runner_interval(r, &interval)) {
		expect(n++ < PMK_ARENA_SLOTS * PMK_ARENA_RING);
		check_reading(&interval.delta);
	}
	pmk_runner_finish(r);
	pmk_runner_lacks(r);
	pmk_runner_unsure(r);
	if (pmk_runner_invalid(r)) {
		expect(*r->invalid && strlen(r->invalid) < sizeof(r->invalid));
		return;
	}
	expect(r->processes > 0 && r->ncores <= PMK_ARENA_CPUS);
	for (unsigned cpu = 0; cpu < r->ncores; cpu++)
		check_reading(&r->core[cpu].total);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rig *rig;

	if (!size)
		return 0;
	rig = &rigs[data[0] % NPROGRAMS];
	if (!rig->saved)
		make(rig, &programs[data[0] % NPROGRAMS]);
	restore(rig);
	/* Without a write everything is valid, so each report must be caused by a write. */
	if (size == 1) {
		read_all(rig);
		expect(!*rig->runner.invalid && !rig->runner.error && rig->runner.sum.insns);
		restore(rig);
	}
	write_all(rig, data + 1, size - 1);
	read_all(rig);
	return 0;
}
