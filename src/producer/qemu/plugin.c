// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmk-qemu-core.so: the TCG plugin. It makes QEMU call the running core (each family of cores in
 * src/cpu has callbacks), and passes everything else on to the emulated session
 * (src/producer/session). It contains no model and knows no instruction set. This file knows QEMU's
 * types. The work is done in translate.c, process.c, sampling.c, guest_pmu.c, controls.c,
 * devices.c, record.c and running.c, which share one struct plugin (state.h). QEMU loads it through
 * the module for its release (module.c):
 *
 *	qemu-arm -plugin pmk-qemu-api1.so,arena=/proc/self/fd/N …
 *
 * There is one callback per block and one per data access, but none per instruction. Facts about
 * QEMU that the code must respect:
 *  - The callback of a block runs before the block, and the callback of an access runs after the
 *    access.
 *  - The filter for loads or stores is wrong in 7.2. So every callback is registered for both, and
 *    pmk decides at translation which instruction loads or stores.
 *  - QEMU makes no callback for a memory instruction whose condition fails. For a load or store
 *    multiple it makes one callback per word. For LDRD and A64's pairs it makes one or two
 *    callbacks, depending on the release.
 *  - The user-mode helper page of ARM Linux (0xffff0fxx) appears as blocks of one instruction. Up
 *    to 8.2, the size of this instruction is 0. The emulator itself runs the helper, so such a
 *    block counts as one instruction that returns.
 *  - Up to 8.2, QEMU shows neither the bytes nor the size of MicroBlaze code, so pmk reads the
 *    bytes from the emulator's own memory of the page. Code that is in a device has no such memory,
 *    so its instructions count only as instructions, without a kind.
 *  - Since 8.1.2, in system emulation, QEMU leaves a block in its middle to access a device (see
 *    devices.c).
 *  - Since 8.2, a program begins with another stack (see pmk_process_begin()).
 *  - QEMU does not report that an instruction faulted in the middle of a block: see cpu/fault.h.
 *    The system calls of programs show where they handle faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/reserve.h"
#include "producer/qemu/generation.h"
#include "producer/qemu/guest.h"
#include "producer/qemu/parts.h"
#include "producer/qemu/plugin.h"
#include "producer/qemu/zero.h"

struct plugin plugin;
__thread struct plugin_thread calling = { .vcpu = PMK_MAX_VCPUS };

_Noreturn void pmk_plugin_give_up(int err)
{
	atomic_store(&plugin.arena->error, err);
	_exit(125);
}

bool pmk_plugin_asks_device(const struct pmk_cpu *cpu, uint64_t addr)
{
	struct qemu_plugin_hwaddr *hw;

	if ((addr ^ cpu->seen.addr) >> PMK_PAGE_SHIFT)
		return false;
	hw = qemu_plugin_get_hwaddr(cpu->seen.info, cpu->seen.addr);
	return hw && qemu_plugin_hwaddr_is_io(hw);
}

size_t pmk_plugin_n_insns(const struct qemu_plugin_tb *tb)
{
	return qemu_plugin_tb_n_insns(tb);
}

void pmk_plugin_on_code(struct qemu_plugin_tb *tb, bool reads, pmk_block_fn *fn, const void *data)
{
	qemu_plugin_register_vcpu_tb_exec_cb(tb, fn, reads ? QEMU_CB_R_REGS : QEMU_CB_NO_REGS,
					     (void *)data);
}

void pmk_plugin_on_insn(struct qemu_plugin_tb *tb, size_t i, bool reads, pmk_block_fn *fn,
			const void *data)
{
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i), fn,
					       reads ? QEMU_CB_R_REGS : QEMU_CB_NO_REGS,
					       (void *)data);
}

void pmk_plugin_on_start(struct qemu_plugin_tb *tb, size_t first, pmk_block_fn *fn,
			 const void *data)
{
	if (first == 0)
		pmk_plugin_on_code(tb, false, fn, data);
	else
		pmk_plugin_on_insn(tb, first, false, fn, data);
}

void pmk_plugin_on_access(struct qemu_plugin_tb *tb, size_t i, pmk_access_fn *fn, void *access)
{
	qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), fn, QEMU_CB_NO_REGS,
					 QEMU_MEM_RW, access);
}

void pmk_plugin_on_failed_test(struct qemu_plugin_tb *tb, size_t i, pmk_access_fn *fn,
			       const struct qemu_mem_test *test, uint64_t access)
{
	qemu_plugin_register_vcpu_mem_test_cb(qemu_plugin_tb_get_insn(tb, i), fn, QEMU_CB_NO_REGS,
					      QEMU_MEM_RW, test, pmk_access_mark(access),
					      (void *)(uintptr_t)access);
}

/* The base of a look-up that translated code makes for a test: the tables of the family, or struct
 * pmk_cpu. */
enum { NO_BASE = -1, BASE_TABLES, BASE_CPU };

/* True if translated code tests accesses by itself, so that the emulator calls back only for some
 * of them. */
static bool emulator_tests(void)
{
	return plugin.family->callbacks->test && !plugin.system_mode && !plugin.config.untested &&
	       qemu_plugin_register_vcpu_mem_test_cb && qemu_plugin_vcpu_set_base;
}

void pmk_plugin_set_bases(unsigned vcpu, struct pmk_cpu *cpu)
{
	if (!emulator_tests())
		return;
	qemu_plugin_vcpu_set_base(vcpu, BASE_TABLES, plugin.family->callbacks->tables(cpu));
	qemu_plugin_vcpu_set_base(vcpu, BASE_CPU, cpu);
}

static struct qemu_mem_test of_emulator(const struct pmk_access_test *test)
{
	struct qemu_mem_test t = {
		.n = test->n,
		.mark_base = plugin.config.parts & ~(uint32_t)PMK_PART_DATA ? BASE_CPU : NO_BASE,
		.mark_offset = offsetof(struct pmk_cpu, access) + PMK_ACCESS_MARK_OFFSET,
		.count_base = NO_BASE,
	};

	if (test->counts != PMK_SIG_NONE) {
		t.count_base = BASE_CPU;
		t.count_offset =
			(int32_t)(offsetof(struct pmk_cpu, dyn) + test->counts * sizeof(uint64_t));
	}

	for (unsigned i = 0; i < test->n; i++) {
		const struct pmk_lookup *l = &test->lookup[i];

		t.lookup[i] = (struct qemu_lookup){
			.offset = l->offset,
			.base = BASE_TABLES,
			.size = l->size,
			.ror = l->ror,
			.shift = l->shift,
			.addr_shift = l->addr_shift,
			.index_mask = l->index_mask,
			.entry_mask = l->entry_mask,
			.addr_mask = l->addr_mask,
			.value = l->value,
		};
	}
	return t;
}

#define NTESTS 16

static unsigned find_test_number(bool counted_here, const struct pmk_insn *in)
{
	return (counted_here * 2u + in->store) * 4 + pmk_access_log2(in->mem_bytes);
}

const struct qemu_mem_test *pmk_plugin_find_test(const struct pmk_insn *in)
{
	struct pmk_access_test test;
	struct qemu_mem_test *t;

	if (!emulator_tests())
		return NULL;
	test = plugin.family->callbacks->test(&plugin.config.core, in);
	/* If the program is recorded, a count must be booked at its site, so each access calls
	 * back. */
	if (!test.n || (plugin.ledger && test.counts != PMK_SIG_NONE))
		return NULL;
	t = &plugin.tests[find_test_number(test.counts != PMK_SIG_NONE, in)];
	if (!t->n)
		*t = of_emulator(&test);
	return t;
}

/* Gets the bytes of an instruction. Up to 8.2, QEMU does not pass the bytes of MicroBlaze code, but
 * it shows where they are in memory. */
static void fetch(struct qemu_plugin_insn *qi, struct pmk_raw *raw)
{
	const void *memory;

	raw->addr = qemu_plugin_insn_vaddr(qi);
	raw->size = (unsigned)plugin.glue->insn_bytes(qi, raw->byte, sizeof(raw->byte));
	if (raw->size || !plugin.family->decoder->reads_memory)
		return;
	memory = qemu_plugin_insn_haddr(qi);
	if (memory) {
		raw->size = plugin.family->decoder->reads_memory;
		memcpy(raw->byte, memory, raw->size);
	}
}

static char *first_text(void *tb)
{
	return qemu_plugin_insn_disas(qemu_plugin_tb_get_insn(tb, 0));
}

/* Registers what is needed for code in the uncounted part of a sampled program, where only
 * instructions are counted. */
static void translate_rest(struct qemu_plugin_tb *tb)
{
	uint64_t pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	uint64_t n = qemu_plugin_tb_n_insns(tb);
	struct pmk_tick *tick = pmk_ticks_translated(&plugin.rest.ticks, pc);

	if (plugin.glue->count_inline)
		plugin.glue->count_inline(tb, 0, &plugin.inline_executions[PMK_MAX_BLOCKS].count,
					  n);
	else
		plugin.glue->count_score(tb, n);
	if (tick)
		pmk_plugin_on_code(tb, false, pmk_sampling_on_tick, tick);
}

void pmk_plugin_translated(struct qemu_plugin_tb *tb)
{
	struct pmk_insn *in = plugin.in;
	struct pmk_raw *raw = plugin.raw;
	struct qemu_plugin_insn *start;
	size_t n = qemu_plugin_tb_n_insns(tb);
	size_t first = 0;

	if (n == 0 || n > MAX_TB_INSNS)
		return;
	pthread_mutex_lock(&plugin.translating);
	if (plugin.rest.on) {
		translate_rest(tb);
		pthread_mutex_unlock(&plugin.translating);
		return;
	}
	start = qemu_plugin_tb_get_insn(tb, 0);
	if (!plugin.begun) {
		pmk_process_begin(qemu_plugin_insn_haddr(start), qemu_plugin_insn_vaddr(start),
				  qemu_plugin_start_code ? qemu_plugin_start_code() : 0);
		if (plugin.config.guest)
			pmk_guest_pmu_begin();
	}
	for (size_t i = 0; i < n; i++)
		fetch(qemu_plugin_tb_get_insn(tb, i), &raw[i]);
	if (plugin.ledger && !plugin.system_mode)
		pmk_record_mapping((uintptr_t)qemu_plugin_insn_haddr(start), raw[0].addr);
	plugin.decoder.sequence = tb;
	plugin.family->decoder->decode(&plugin.decoder, raw, n, in);
	if (plugin.control.follows)
		pmk_controls_watch(tb, raw, in, n);
	for (size_t i = 0; i < n; i++) {
		if (i > first && pmk_translate_starts_run(raw, in, i)) {
			pmk_translate_run(tb, raw, in, first, i);
			first = i;
		}
	}
	pmk_translate_run(tb, raw, in, first, n);
	pthread_mutex_unlock(&plugin.translating);
}

/* Returns the value of an argument of the plugin. The arguments are "arena=/proc/self/fd/N" and,
 * for a recording, "ledger=/proc/self/fd/M". N and M are inherited descriptors. */
static const char *argument(int argc, char **argv, const char *name)
{
	size_t n = strlen(name);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], name, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

static void close_inherited(const char *path)
{
	if (!strncmp(path, "/proc/self/fd/", 14))
		close(atoi(path + 14));
}

/* Returns the family's entry for the emulator's target, or NULL if there is none. */
static const struct pmk_core_target *find_target(const char *name)
{
	for (const struct pmk_core_target *t = plugin.family->programs->targets; t->name; t++)
		if (!strcmp(t->name, name) && (plugin.system_mode || !t->only_system))
			return t;
	return NULL;
}

/* True if QEMU calls this module correctly. QEMU 9.1 to 10.2 load the module for 9.0, but would
 * call it wrongly. */
static bool fits(const struct qemu_info *info)
{
	const struct pmk_qemu_generation *mine = pmk_qemu_generation_of_api(plugin.glue->api);
	unsigned api = (unsigned)info->version.cur;
	bool newest = mine == &pmk_qemu_generations[pmk_qemu_ngenerations - 1];

	if (api >= mine->api_lowest && (newest || api <= mine->api_highest))
		return true;
	fprintf(stderr, "pmk-qemu: %s is for %s; this emulator has version %u of the interface\n",
		mine->module, mine->releases, api);
	return false;
}

/* Ends counting when the emulator exits. The emulator may have been about to run the rest of a
 * block. */
__attribute__((destructor)) static void ended(void)
{
	for (unsigned i = 0; plugin.system_mode && i < PMK_ARENA_CPUS; i++)
		if (pmk_cpus[i])
			pmk_rest_never(i);
}

int pmk_plugin_install(const struct pmk_qemu_glue *of_module, uint64_t id,
		       const struct qemu_info *info, int argc, char **argv)
{
	const char *path = argument(argc, argv, "arena");
	const char *ledger_path = argument(argc, argv, "ledger");
	const struct pmk_core_target *target;
	bool since_10_2 = pmk_guest_has_stacks_of_calls();

	if (!path) {
		fprintf(stderr, "pmk-qemu: this plugin is loaded by pmk stat\n");
		return -1;
	}
	plugin.arena = pmk_process_map_arena(path);
	if (!plugin.arena || plugin.arena->magic != PMK_ARENA_MAGIC ||
	    plugin.arena->size != PMK_ARENA_LAYOUT) {
		fprintf(stderr, "pmk-qemu: %s: not a counter arena of this version of pmk\n", path);
		return -1;
	}
	plugin.config = plugin.arena->cfg;
	plugin.guest.log = -1;
	plugin.control.of_code = ~0u;
	plugin.tests = calloc(NTESTS, sizeof(*plugin.tests));
	if (!plugin.tests)
		return -1;
	pthread_mutex_init(&plugin.translating, NULL);
	pthread_mutex_init(&plugin.reporting, NULL);
	plugin.nslots = plugin.arena->slots;
	plugin.glue = of_module;
	if (!fits(info))
		return -1;
	close_inherited(path);
	if (ledger_path) {
		plugin.ledger = pmk_ledger_map(ledger_path);
		plugin.recorded = pmk_reserve(PMK_MAX_BLOCKS * sizeof(*plugin.recorded));
		if (!plugin.ledger || !plugin.recorded)
			return -1;
		close_inherited(ledger_path);
	}
	plugin.system_mode = info->system_emulation;
	plugin.written_bytes = pmk_zero_bytes(plugin.system_mode);
	plugin.mixes_up_vcpus = info->version.cur >= 4; /* 9.2 and newer */
	plugin.arena->system = plugin.system_mode;
	snprintf(plugin.arena->target, sizeof(plugin.arena->target), "%s", info->target_name);
	plugin.family = pmk_core_family(&plugin.config.core);
	target = find_target(info->target_name);
	if (!target) {
		atomic_store(&plugin.arena->other_isa, 1);
		return -1;
	}
	plugin.decoder = (struct pmk_decoder){
		.core = &plugin.config.core,
		.system = plugin.system_mode,
		.big_endian = target->big_endian,
		.first_text = first_text,
	};
	pmk_registers_begin(plugin.glue, plugin.family->programs->stack_pointer,
			    plugin.family->programs->stack_word, plugin.decoder.big_endian);
	pmk_emulator = (struct pmk_emulator){
		.is_store = qemu_plugin_mem_is_store,
		.size_shift = qemu_plugin_mem_size_shift,
		.follow = pmk_running_follow,
		.level = since_10_2 ? pmk_running_level_since_10_2 : pmk_running_level,
		.exception_now = pmk_registers_exception,
		.leave_level = pmk_running_leave_level,
		.enter_level = pmk_running_enter_level,
	};
	/* qemu_plugin_bool_parse() exists since 6.2; versions from 10.1 on are recognised by their
	 * number. */
	if (plugin.config.watch_levels && plugin.family->system->levels && !since_10_2 &&
	    (info->version.cur > 4 || !qemu_plugin_bool_parse))
		atomic_store(&plugin.arena->levels_unseen, 1);
	if (plugin.family->decoder->init && plugin.family->decoder->init(&plugin.decoder)) {
		if (pmk_isa_other_capstone())
			fprintf(stderr,
				"pmk-qemu: this emulator has loaded Capstone %u, and pmk was "
				"built with another version; build pmk with that one\n",
				pmk_isa_other_capstone());
		return -1;
	}
	if (plugin.system_mode)
		pmk_controls_begin();
	if (pmk_code_init(&plugin.code, &plugin.config.core))
		return -1;
	plugin.code.tells = plugin.system_mode;
	if (plugin.config.units.head && pmk_ticks_init(&plugin.rest.ticks))
		return -1;
	if (plugin.config.shows_pins)
		plugin.ports[0].pins =
			(struct pmk_pins_sink){ pmk_sampling_show_pins, &plugin.arena->pins };
	plugin.slot = pmk_process_claim_slot();
	if (!plugin.slot)
		return -1;
	plugin.slot_memory = pmk_arena_memory(plugin.arena, plugin.slot);
	atomic_store(&plugin.slot->pid, (uint32_t)getpid());
	plugin.pmk_pid = (pid_t)plugin.arena->pmk_pid;
	pthread_atfork(pmk_process_before_fork, NULL, pmk_process_after_fork);
	if (plugin.system_mode && plugin.family->system->locks_up)
		pmk_lockup_begin();
	plugin.glue->register_callbacks(id);
	atomic_store(&plugin.arena->ready, 1);
	return 0;
}
