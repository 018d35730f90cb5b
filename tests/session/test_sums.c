// SPDX-License-Identifier: MIT
/*
 * Sums that are read while a program runs never decrease, on any core, and reading them changes
 * nothing.
 *
 * If a sum decreased by one between two reads, a 32-bit counter would show 4294967295 events. So
 * the test checks every signal, even if no PMU counts it today. Random programs of real
 * instructions run as the plugin runs them: a block is counted when it starts, and an access when
 * it happens. Some accesses do not happen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define UNIT_SANITIZED 40
#include "../unit.h"
#include "cpu/code.h"
#include "cpu/family.h"
#include "cpu/microblaze/microblaze.h"
#include "cpu/a64/a64.h"
#include "cpu/arm11/arm11.h"
#include "producer/session/emulated.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define NBLOCKS 32
#define LONGEST 8
#define STEPS	UNIT_SAMPLES(4000)
#define ROUNDS	(1 + UNIT_SAMPLES(20u) / 10)

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* The word of an instruction, and the mask of its random bits. */
struct form {
	uint32_t word, random;
};

static const struct form arm_body[] = {
	{ 0xE0800001, 0x00077007 }, /* add */
	{ 0xE0000291, 0x00070007 }, /* mul */
	{ 0xE5900000, 0x00077FFC }, /* ldr */
	{ 0x05900000, 0x00077FFC }, /* ldreq */
	{ 0xE5D00000, 0x00077FFF }, /* ldrb */
	{ 0xE5800000, 0x00077FFC }, /* str */
	{ 0x05800000, 0x00077FFC }, /* streq */
	{ 0xE1C000B0, 0x0007700F }, /* strh */
	{ 0xE8980001, 0x000000FF }, /* ldm */
	{ 0x08980001, 0x000000FF }, /* ldmeq */
	{ 0xE8880001, 0x000000FF }, /* stm */
	{ 0x08880001, 0x000000FF }, /* stmeq */
	{ 0xE1980F9F, 0x00007000 }, /* ldrex */
	{ 0xE1889F90, 0x00000007 }, /* strex */
	{ 0xE1089090, 0x00000007 }, /* swp */
	{ 0x01089090, 0x00000007 }, /* swpeq */
	{ 0xF5D8F000, 0x00000FFF }, /* pld */
	{ 0xEE070F9A, 0 },	    /* drain the write buffer */
	{ 0xEE080F17, 0 },	    /* invalidate the TLBs */
	{ 0xEE070F15, 0 },	    /* invalidate the instruction cache */
};
static const struct form arm_end[] = {
	{ 0xE0800001, 0x00077007 }, /* add, no branch */
	{ 0xEA000000, 0 },	    /* b */
	{ 0x0A000000, 0 },	    /* beq */
	{ 0xEB000000, 0 },	    /* bl */
	{ 0xE12FFF1E, 0 },	    /* bx lr */
	{ 0x012FFF1E, 0 },	    /* bxeq lr */
	{ 0xE8BD8001, 0x000000FF }, /* pop with pc */
	{ 0xE1A0F000, 0x00000007 }, /* mov pc */
	{ 0xEF000000, 0 },	    /* svc */
};
static const struct form a64_body[] = {
	{ 0x8B000000, 0x000F03EF }, /* add */
	{ 0x9AC00C00, 0x000F03EF }, /* sdiv */
	{ 0xF9400000, 0x003FFFEF }, /* ldr */
	{ 0x39400000, 0x003FFFEF }, /* ldrb */
	{ 0xF9000000, 0x003FFFEF }, /* str */
	{ 0xA9400000, 0x003FFDEF }, /* ldp */
	{ 0xA9000000, 0x003FFDEF }, /* stp */
	{ 0x3DC00000, 0x003FFFEF }, /* ldr q */
	{ 0x3D800000, 0x003FFFEF }, /* str q */
	{ 0x4C400000, 0x000003EF }, /* ld4 */
	{ 0x4C000000, 0x000003EF }, /* st4 */
	{ 0xC85F7C00, 0x000003EF }, /* ldxr */
	{ 0xC8107C00, 0x000F03EF }, /* stxr */
	{ 0xC8300000, 0x000F01EF }, /* stxp */
	{ 0xF8300000, 0x000F03EF }, /* ldadd */
	{ 0xD50B7420, 0x0000000F }, /* dc zva */
	{ 0xD5033BBF, 0 },	    /* dmb */
	{ 0xD508871F, 0 },	    /* tlbi */
	{ 0xD508751F, 0 },	    /* ic iallu */
};
static const struct form a64_end[] = {
	{ 0x8B000000, 0x000F03EF }, /* add, no branch */
	{ 0x14000000, 0 },	    /* b */
	{ 0x54000000, 0 },	    /* b.eq */
	{ 0x94000000, 0 },	    /* bl */
	{ 0xD65F03C0, 0 },	    /* ret */
	{ 0xD61F0000, 0x000001E0 }, /* br */
	{ 0xD63F0000, 0x000001E0 }, /* blr */
	{ 0xD4000001, 0 },	    /* svc */
};
static const struct form microblaze_body[] = {
	{ 0x00640000, 0x000F7800 }, /* add */
	{ 0x40640000, 0x000F7800 }, /* mul */
	{ 0xE8640000, 0x000F00FC }, /* lwi */
	{ 0xF8640000, 0x000F00FC }, /* swi */
	{ 0xE0640000, 0x000F00FF }, /* lbui */
};
static const struct form microblaze_end[] = {
	{ 0x00640000, 0x000F7800 }, /* add, no branch */
	{ 0xB8000010, 0 },	    /* bri */
	{ 0xBC030010, 0 },	    /* beqi */
};

static bool is_family(const struct pmk_core *core, const char *name)
{
	return !strcmp(pmk_core_family(core)->name, name);
}

struct program {
	const struct pmk_core *core;
	struct pmk_code code;
	struct pmk_isa_arm *isa;
	unsigned n[NBLOCKS];
	struct pmk_insn in[NBLOCKS][LONGEST];
	struct pmk_pipe_slot slot[NBLOCKS][LONGEST];
	const struct pmk_block *block[NBLOCKS];
	struct pmk_facts facts[NBLOCKS];
};

static void decode(struct program *p, const struct form *forms, unsigned nforms, uint64_t addr,
		   struct pmk_insn *in)
{
	const struct form *f = &forms[pick(nforms)];
	uint32_t word = f->word | (f->random & (pick(65536) << 16 | pick(65536)));

	if (is_family(p->core, "a64"))
		pmk_isa_a64_decode(addr, word, in);
	else if (is_family(p->core, "microblaze"))
		pmk_isa_microblaze_decode(addr, word, in);
	else
		pmk_isa_arm_decode(p->isa, false, addr, &word, 4, in);
	assert_true(in->decoded);
}

/* Writes consecutive blocks. Branches with a constant target go to one of the blocks. */
static void write_program(struct program *p, const struct pmk_core *core)
{
	uint64_t addr = 0x8000, first[NBLOCKS];

	p->core = core;
	p->isa = pmk_isa_arm_new();
	assert_non_null(p->isa);
	assert_int_equal(pmk_code_init(&p->code, core), 0);
	for (unsigned b = 0; b < NBLOCKS; b++) {
		p->n[b] = 1 + pick(LONGEST);
		first[b] = addr;
		addr += 4 * p->n[b];
	}
	for (unsigned b = 0; b < NBLOCKS; b++) {
		for (unsigned i = 0; i < p->n[b]; i++) {
			struct pmk_insn *in = &p->in[b][i];
			bool last = i + 1 == p->n[b];

			addr = first[b] + 4 * i;
			if (is_family(core, "a64"))
				decode(p, last ? a64_end : a64_body,
				       last ? COUNT(a64_end) : COUNT(a64_body), addr, in);
			else if (is_family(core, "microblaze"))
				decode(p, last ? microblaze_end : microblaze_body,
				       last ? COUNT(microblaze_end) : COUNT(microblaze_body), addr,
				       in);
			else
				decode(p, last ? arm_end : arm_body,
				       last ? COUNT(arm_end) : COUNT(arm_body), addr, in);
			if (in->flow == PMK_FLOW_JUMP || in->flow == PMK_FLOW_CALL)
				in->target = first[pick(NBLOCKS)];
		}
		p->block[b] = pmk_code_add(&p->code, p->in[b], p->n[b], b, false, p->slot[b]);
		assert_non_null(p->block[b]);
		assert_int_equal(p->block[b]->id, b);
		p->facts[b] = p->block[b]->facts;
	}
}

static void free_program(struct program *p)
{
	pmk_code_fini(&p->code);
	pmk_isa_arm_free(p->isa);
	free(p);
}

/* ---- running it, as the plugin does ---------------------------------------------------------- */

struct rig {
	struct pmk_emulated e; /* must be first: look() casts it to the rig */
	struct pmk_emulated_ports ports;
	struct pmk_emulated_config cfg;
	struct pmk_executions executions[NBLOCKS];
	struct program *p;
	uint64_t last[1 + PMK_AHBMON_NBUSES][PMK_NSIGNALS];
	unsigned looks, every;
};

/* Makes every second page a device. */
static bool odd_page(const struct pmk_cpu *cpu, uint64_t addr)
{
	(void)cpu;
	return addr >> PMK_PAGE_SHIFT & 1;
}

static void hold(uint64_t *last, const uint64_t *total)
{
	for (unsigned s = 0; s < PMK_NSIGNALS; s++) {
		if (total[s] < last[s])
			fail_msg("%s stepped back from %llu to %llu", pmk_signal_name(s),
				 (unsigned long long)last[s], (unsigned long long)total[s]);
		last[s] = total[s];
	}
}

static void look(struct pmk_cpu *cpu)
{
	struct rig *r = (struct rig *)cpu;

	r->looks++;
	pmk_cpu_sum(cpu, r->p->facts, r->executions, NBLOCKS, &r->e.bus);
	hold(r->last[0], r->e.bus.total);
	if (pmk_core_family(&cpu->core)->run->attach) {
		pmk_biu_catch_up(cpu->arm9.biu, cpu->cycles);
		for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
			hold(r->last[1 + i], r->e.chip.bus[i].total);
	}
	cpu->deadline = r->every ? cpu->cycles + 1 + cpu->cycles % r->every : PMK_NEVER;
}

static unsigned log2_size(unsigned bytes)
{
	return bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
}

static void arm_access(struct pmk_cpu *cpu, const struct pmk_insn *in, uint32_t addr,
		       uint64_t access)
{
	bool counted = pmk_arm11_access_static(&cpu->core, in), store = in->store;
	unsigned shift = log2_size(in->mem_bytes);

	if (in->mem_count > 1 && !in->exclusive) {
		for (unsigned i = 0; i < in->mem_count; i++)
			pmk_arm11_multiple(cpu, (addr & ~3u) + 4 * i, access, store, counted);
		return;
	}
	if (in->load && in->store) {
		cpu->dyn[PMK_SIG_L1D_READ] += !counted;
		cpu->dyn[PMK_SIG_L1D_WRITE] += !counted;
		pmk_arm11_load(cpu, addr, shift, access);
		pmk_arm11_store(cpu, addr, shift, access);
		return;
	}
	if (!counted)
		cpu->dyn[store ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	if (store)
		pmk_arm11_store(cpu, addr, shift, access);
	else
		pmk_arm11_load(cpu, addr, shift, access);
}

static void a64_access(struct pmk_cpu *cpu, const struct pmk_insn *in, uint64_t addr,
		       uint64_t access)
{
	unsigned elem = 1u << PMK_A64_ELEM(access), bytes = PMK_ACCESS_SIZE(access);

	if (!pmk_a64_first_piece(cpu, addr, access))
		return;
	if (in->exclusive && in->store) {
		pmk_a64_store_exclusive(cpu, addr, access);
		return;
	}
	if (in->load)
		pmk_a64_load(cpu, addr, elem, bytes, access);
	if (in->store)
		pmk_a64_store(cpu, addr, elem, bytes, access);
}

static void microblaze_access(struct pmk_cpu *cpu, const struct pmk_insn *in, uint32_t addr,
			      uint64_t access)
{
	const struct pmk_core *core = &cpu->core;

	addr &= ~(uint32_t)(in->mem_bytes - 1);
	if (pmk_microblaze_data_is_local(core))
		return;
	if (in->load)
		pmk_microblaze_load(cpu, addr, access, core->mmu,
				    core->dcache.wt ? PMK_MB_GRAIN : PMK_MB_WORD_GRAIN);
	else if (core->dcache.wt)
		pmk_microblaze_store_through(cpu, addr, access, core->mmu);
	else
		pmk_microblaze_store_back(cpu, addr, access, core->mmu);
}

static void run_insn(struct rig *r, unsigned b, unsigned i)
{
	const struct pmk_insn *in = &r->p->in[b][i];
	const struct pmk_pipe_slot *slot = &r->p->slot[b][i];
	uint32_t cycles = r->p->block[b]->cycles;
	uint32_t to_end = cycles > slot->issue ? cycles - slot->issue : 0;
	/* The addresses cover 64 KB, usually of words. Some accesses cross lines and pages. */
	uint32_t addr = 0x20000 + (pick(16384) << 2) + (pick(8) ? 0 : pick(4));

	if (!in->load && !in->store)
		return;
	/* Half of the conditional accesses and of the exclusive stores fail, and make no access. */
	if ((in->conditional || (in->exclusive && in->store)) && pick(2))
		return;
	if (is_family(&r->e.cpu.core, "a64"))
		a64_access(&r->e.cpu, in, addr,
			   pmk_a64_access(&r->e.cpu.core, to_end, slot->use, in));
	else if (is_family(&r->e.cpu.core, "microblaze"))
		microblaze_access(&r->e.cpu, in, addr,
				  pmk_access_pack(to_end, 0, 1, in->mem_bytes));
	else
		arm_access(&r->e.cpu, in, addr,
			   pmk_access_pack(to_end, slot->use, in->mem_count, in->mem_bytes));
}

static unsigned next_block(const struct program *p, unsigned b)
{
	if (pick(2) && b + 1 < NBLOCKS)
		return b + 1;
	for (unsigned i = 0; i < NBLOCKS && pick(4); i++)
		if (p->block[i]->pc == p->block[b]->target)
			return i;
	return pick(NBLOCKS);
}

static void run_program(struct rig *r)
{
	struct pmk_cpu *cpu = &r->e.cpu;
	unsigned b = 0;

	for (unsigned step = 0; step < STEPS; step++) {
		const struct pmk_block *block = r->p->block[b];

		if (cpu->eager)
			pmk_cpu_add_facts(cpu, &block->facts);
		if (is_family(&cpu->core, "a64"))
			pmk_a64_block(cpu, block);
		else if (is_family(&cpu->core, "microblaze"))
			pmk_microblaze_block(cpu, block);
		else
			pmk_arm11_block(cpu, block);
		for (unsigned i = 0; i < r->p->n[b]; i++)
			run_insn(r, b, i);
		b = next_block(r->p, b);
	}
}

/*
 * Runs a random program, whose seed is `with`. Reads the sums again after at most `every` cycles
 * (0: only at the end). *last gets the sums at the end. Returns how often the sums were read before
 * the end.
 */
static unsigned run_core(const struct pmk_core *core, uint64_t with, unsigned every, bool eager,
			 bool devices, uint64_t last[][PMK_NSIGNALS])
{
	struct rig *r = calloc(1, sizeof(*r));
	const struct pmk_pmu *pmu;
	unsigned looks;

	assert_non_null(r);
	r->p = calloc(1, sizeof(*r->p));
	assert_non_null(r->p);
	strcpy(r->cfg.pmu, core->pmu);
	r->cfg.core = *core;
	r->cfg.whole = 1;
	pmu = pmk_emulated_pmu(core->pmu, core, &r->ports.microblaze);
	assert_non_null(pmu);
	r->cfg.plan.nevents = 1;
	r->cfg.plan.event[0].code = pmu->events[0].code;
	assert_int_equal(pmk_plan_make(pmu, &r->cfg.plan), 0);
	pmk_emulated_configure(&r->cfg);
	r->cfg.eager = eager;
	seed = with;
	write_program(r->p, core);
	assert_int_equal(pmk_emulated_start(&r->e, &r->ports, &r->cfg, r->executions), 0);
	if (devices)
		pmk_cpu_ask_devices(&r->e.cpu, odd_page);
	r->e.cpu.on_deadline = look;
	r->every = every;
	r->e.cpu.deadline = every ? 0 : PMK_NEVER;
	run_program(r);
	looks = r->looks;
	look(&r->e.cpu);
	memcpy(last, r->last, sizeof(r->last));
	pmk_cpu_fini(&r->e.cpu);
	free_program(r->p);
	free(r);
	return looks;
}

/* ---- cores ----------------------------------------------------------------------------------- */

struct variant {
	const char *core;
	const char *key, *value;
	bool devices;
};

static const struct variant variants[] = {
	{ "arm1136", NULL, NULL, false },
	{ "arm1156", NULL, NULL, false },
	{ "arm1176", NULL, NULL, false },
	{ "arm1176", NULL, NULL, true },
	{ "arm1176", "dcache.enable", "off", false },
	{ "arm1176", "dcache.write_through", "on", false },
	{ "arm1176", "l2.type", "l220", true },
	{ "arm11mpcore", NULL, NULL, false },
	{ "arm926", NULL, NULL, false },
	{ "arm926", NULL, NULL, true },
	{ "arm926", "dcache.enable", "off", false },
	{ "arm926", "icache.enable", "off", false },
	{ "arm926", "itcm.size", "1M", true },
	{ "cortex-a53", NULL, NULL, false },
	{ "cortex-a53", "dcache.enable", "off", false },
	{ "cortex-a72", NULL, NULL, false },
	{ "cortex-a72", "bp.enable", "off", false },
	{ "armv8", NULL, NULL, false },
	{ "microblaze", NULL, NULL, false },
	{ "microblaze", "dcache.write_through", "on", false },
	{ "microblaze-area", NULL, NULL, false },
	{ "microblaze-freq", NULL, NULL, false },
};

static void load_core(struct pmk_core *core, const struct variant *v)
{
	char path[512], msg[256];

	snprintf(path, sizeof(path), "%s/cores/%s.ini", PMK_SOURCE_DATA, v->core);
	assert_int_equal(pmk_core_load(core, path, msg, sizeof(msg)), 0);
	if (v->key)
		assert_int_equal(pmk_core_set(core, v->key, v->value, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_core_check(core, msg, sizeof(msg)), 0);
}

static void no_sum_steps_back(void **state)
{
	static uint64_t alone[1 + PMK_AHBMON_NBUSES][PMK_NSIGNALS],
		watched[1 + PMK_AHBMON_NBUSES][PMK_NSIGNALS];

	(void)state;
	for (size_t i = 0; i < COUNT(variants); i++) {
		const struct variant *v = &variants[i];
		struct pmk_core core;

		print_message("# %s %s%s\n", v->core, v->key ? v->key : "",
			      v->devices ? " with devices" : "");
		load_core(&core, v);
		for (uint64_t round = 1; round <= ROUNDS; round++) {
			assert_int_equal(run_core(&core, round, 0, false, v->devices, alone), 0);
			assert_true(alone[0][PMK_SIG_CYCLE] > STEPS);
			/*
			 * Reading the sums at nearly every block gives the same sums as reading
			 * them rarely.
			 */
			for (unsigned eager = 0; eager < 2; eager++) {
				assert_in_range(
					run_core(&core, round, 2, eager, v->devices, watched),
					STEPS / 2, 2 * STEPS);
				assert_memory_equal(watched, alone, sizeof(alone));
				assert_in_range(
					run_core(&core, round, 300, eager, v->devices, watched),
					STEPS / 300, STEPS);
				assert_memory_equal(watched, alone, sizeof(alone));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_sum_steps_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
