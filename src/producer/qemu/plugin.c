// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmk-qemu-core.so: the TCG plugin. Glue only: it has QEMU call the running core (src/cpu: each
 * family of cores has callbacks) and turns the rest into calls of the emulated session
 * (src/producer/session). It holds no model and knows no instruction set. QEMU loads it by way of
 * the module that fits it (module.c):
 *
 *	qemu-arm -plugin pmk-qemu-api1.so,arena=/proc/self/fd/N …
 *
 * One callback per block, one per data access, none per instruction. QEMU has its peculiarities:
 *  - A block's callback runs before it, a memory callback after its access.
 *  - The memory filter is wrong in 7.2, so every callback is registered for both directions, and
 *    load or store is decided here at translation.
 *  - A memory instruction whose condition fails makes no memory callback; a load or store multiple
 *    makes one per word. LDRD and A64's pairs make one or two, depending on the release.
 *  - The user-mode helper page of ARM Linux (0xffff0fxx) appears as blocks of one instruction,
 *    whose size is 0 up to 8.2. The emulator itself runs the helper, so such a block counts as one
 *    instruction that returns.
 *  - Up to 8.2, QEMU shows neither the bytes nor the size of MicroBlaze code; the bytes are read
 *    from the emulator's own memory of the page. Code that is not in memory (but in a device)
 *    counts as instructions of no kind.
 *  - Since 8.1.2, in system emulation, QEMU leaves a block in its middle to access a device (see
 *    lone_access()).
 *  - Since 8.2, the stack of a program differs when it begins (see pmk_process_begin()).
 *  - When an instruction faults in the middle of a block, nothing is told: see cpu/fault.h. Where
 *    programs handle faults is known from their system calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <pmk/dwt.h>
#include <pmk/l2cc_model.h>
#include <pmk/microblaze_model.h>

#include "base/reserve.h"
#include "cpu/callbacks.h"
#include "cpu/family.h"
#include "producer/qemu/arena.h"
#include "producer/qemu/control.h"
#include "producer/qemu/controls.h"
#include "producer/qemu/devices.h"
#include "producer/qemu/generation.h"
#include "producer/qemu/guard.h"
#include "producer/qemu/guest.h"
#include "producer/qemu/guest_pmu.h"
#include "producer/qemu/handlers.h"
#include "producer/qemu/ledger.h"
#include "producer/qemu/plugin.h"
#include "producer/qemu/plugin_calls.h"
#include "producer/qemu/process.h"
#include "producer/qemu/random.h"
#include "producer/qemu/record.h"
#include "producer/qemu/registers.h"
#include "producer/qemu/running.h"
#include "producer/qemu/sampling.h"
#include "producer/qemu/stack.h"
#include "producer/qemu/state.h"
#include "producer/qemu/ticks.h"
#include "producer/qemu/translate.h"
#include "producer/qemu/zero.h"
#include "producer/session/access_log.h"

struct plugin plugin;
__thread struct plugin_thread calling = { .vcpu = PMK_MAX_VCPUS };

_Noreturn void pmk_plugin_give_up(int err)
{
	atomic_store(&plugin.arena->error, err);
	_exit(125);
}

/* ---- the guest's own PMU -------------------------------------------------------------------- */

/* Write a line of the log. It goes to the kernel at once, so that it survives any end of this
 * process. */
static void write_log(const char *line, size_t n)
{
	if (plugin.guest.log >= 0 && write(plugin.guest.log, line, n) != (ssize_t)n) {
		atomic_store(&plugin.arena->guest_log_error, errno ? errno : ENOSPC);
		plugin.guest.log = -1;
	}
}

static void log_access(const struct pmk_emulated *e, const struct pmk_access_made *made)
{
	char line[PMK_ACCESS_LOG_LINE];

	if (plugin.guest.log >= 0)
		write_log(line, pmk_access_log_line(line, e, &plugin.config, made));
}

void pmk_guest_pmu_show_interrupt(const struct pmk_emulated *e, uint64_t pc,
				  enum pmk_guest_moment moment)
{
	unsigned vcpu = e->cpu.index;
	bool asserted = pmk_emulated_lines(e, &plugin.config) != 0;
	char line[PMK_ACCESS_LOG_LINE];

	if (!pmk_guest_interrupt(vcpu, asserted, moment))
		return;
	if (asserted)
		atomic_fetch_add(&plugin.arena->guest_interrupts, 1);
	if (plugin.guest.log >= 0)
		write_log(line, pmk_access_log_interrupt(line, e, pc, vcpu, asserted));
}

/* An access by the instruction at `pc`, the last one that is counted so far. */
static int access_at(unsigned vcpu, uint64_t pc, struct pmk_guest_access *a, uint64_t *value)
{
	struct pmk_emulated_blocks b = plugin_blocks(pmk_cpus[vcpu]);
	struct pmk_emulated *e = plugin_core(pmk_cpus[vcpu]);
	struct pmk_access_made made = { .access = a, .pc = pc, .vcpu = vcpu };
	int err;

	pmk_level_settle(&e->cpu);
	if (plugin.guest.log >= 0)
		made.clears = pmk_access_log_clears(e, &plugin.config, a, *value);
	err = pmk_emulated_access(e, &plugin.config, &b, a, value);
	if (!a->write)
		*value |= a->own_bits;
	made.value = *value;
	log_access(e, &made);
	atomic_fetch_add(a->write ? &plugin.arena->guest_writes : &plugin.arena->guest_reads, 1);
	pmk_guest_pmu_show_interrupt(e, pc, PMK_GUEST_ACCESS);
	return err;
}

/* Instructions that access registers of the processor are separate blocks. */
static int guest_access(unsigned vcpu, struct pmk_guest_access *a, uint64_t *value)
{
	return access_at(vcpu, pmk_cpus[vcpu]->prev->pc, a, value);
}

/* A load or a store may be anywhere in its block. */
static int guest_access_in_memory(struct pmk_guest_access *a, uint64_t *value)
{
	struct pmk_cpu_rest rest;
	uint64_t pc = pmk_cpu_pause(pmk_cpus[0], &rest);
	int err = access_at(0, pc, a, value);

	pmk_cpu_go_on(pmk_cpus[0], &rest);
	return err;
}

static int guest_may(unsigned vcpu, const struct pmk_guest_access *a, unsigned *trap)
{
	struct pmk_emulated *e = plugin_core(pmk_cpus[vcpu]);
	int err;

	pmk_level_settle(&e->cpu);
	err = pmk_emulated_may(e, &plugin.config, a, trap);
	/* A register that this PMU does not have has no name in the log. */
	if (err && a->reg < pmk_emulated_guest(&plugin.config)->nregs)
		log_access(e, &(struct pmk_access_made){ a, .pc = e->cpu.prev->pc, .vcpu = vcpu,
							 .denied = true, .trap = *trap });
	return err;
}

static int guest_read(void *ctx, unsigned reg, uint64_t *value)
{
	(void)ctx;
	return guest_access_in_memory(&(struct pmk_guest_access){ PMK_MODE_PRIV, reg, false, 0 },
				      value);
}

static int guest_write(void *ctx, unsigned reg, uint64_t value)
{
	(void)ctx;
	return guest_access_in_memory(&(struct pmk_guest_access){ PMK_MODE_PRIV, reg, true, 0 },
				      &value);
}

/* The offsets of a PMU's registers in its window; NULL: they are not in memory, or are accessed
 * through a debug module. */
static const uint16_t *guest_offsets(const struct pmk_pmu *pmu)
{
	if (pmu->driver == pmk_l210.driver)
		return pmk_l210_offsets;
	if (pmu->driver == pmk_l220.driver)
		return pmk_l220_offsets;
	if (pmu->driver == pmk_dwt.driver)
		return pmk_dwt_offsets;
	return plugin.family->attach ? plugin.config.layout.offset : NULL;
}

/* Registers in memory belong to boards with one core. Returns the number of registers if there is
 * none at `offset`. */
static unsigned register_at(unsigned offset)
{
	const struct pmk_pmu *pmu = pmk_emulated_guest(&plugin.config);
	unsigned reg = 0;

	while (reg < pmu->nregs && guest_offsets(pmu)[reg] != offset)
		reg++;
	return reg;
}

/* `ctx`: the L220 around the registers, or NULL. */
static int load_register(void *ctx, unsigned offset, uint32_t *value)
{
	uint64_t wide = ctx ? pmk_l220_load(ctx, offset) : 0;
	unsigned reg = register_at(offset);
	int err = reg < pmk_emulated_guest(&plugin.config)->nregs ? guest_read(ctx, reg, &wide) : 0;

	*value = (uint32_t)wide;
	return err;
}

static int store_register(void *ctx, unsigned offset, uint32_t value)
{
	unsigned reg = register_at(offset);

	if (reg < pmk_emulated_guest(&plugin.config)->nregs)
		return guest_write(ctx, reg, value);
	if (ctx)
		pmk_l220_store(ctx, offset, value);
	return 0;
}

/* The window of the guest's PMU, or NULL: the PMU is in the processor. */
static const struct pmk_guest_window *guest_window(void)
{
	static const struct pmk_port counters = { .read = guest_read, .write = guest_write };
	struct pmk_guest_window *window = &plugin.guest.window;

	*window = (struct pmk_guest_window){
		.base = plugin.arena->guest.base,
		.size = 0x1000,
		.big_endian = plugin.decoder.big_endian,
	};
	if (pmk_emulated_guest(&plugin.config)->driver == pmk_dwt.driver) {
		window->base = PMK_DWT_BASE;
		window->of_processor = true;
	}
	if (pmk_emulated_guest(&plugin.config)->driver == pmk_microblaze.driver) {
		pmk_mdm_model_reset(&plugin.guest.mdm, &pmk_mdm_defaults, &counters, 1);
		window->load = pmk_mdm_model_load;
		window->store = pmk_mdm_model_store;
		window->ctx = &plugin.guest.mdm;
	} else if (guest_offsets(pmk_emulated_guest(&plugin.config))) {
		window->load = load_register;
		window->store = store_register;
		if (pmk_emulated_guest(&plugin.config)->driver == pmk_l220.driver) {
			pmk_l220_reset(&plugin.guest.l220, plugin.config.core.l2_size,
				       (uint32_t)plugin.config.core.l2_ways);
			window->ctx = &plugin.guest.l220;
		}
	}
	return window->load ? window : NULL;
}

/* The register of a DWT that is far from the others, in the System Control Space. */
#define DEMCR_BASE 0xE000EDFCu

static int load_demcr(void *ctx, unsigned offset, uint32_t *value)
{
	return load_register(ctx, DEMCR_BASE - PMK_DWT_BASE + offset, value);
}

static int store_demcr(void *ctx, unsigned offset, uint32_t value)
{
	return store_register(ctx, DEMCR_BASE - PMK_DWT_BASE + offset, value);
}

/* Map the windows of the guest's PMU. Returns what the emulator lacks, or NULL. */
static const char *map_windows(const struct pmk_guest_window *window)
{
	static const struct pmk_guest_window demcr = {
		.base = DEMCR_BASE,
		.size = 4,
		.of_processor = true,
		.load = load_demcr,
		.store = store_demcr,
	};
	const char *lacks = pmk_guest_map(window);

	return lacks || !window->of_processor ? lacks : pmk_guest_map(&demcr);
}

static void guest_reset(unsigned vcpu)
{
	pmk_emulated_reset(plugin_core(pmk_cpus[vcpu]), &plugin.config);
	pmk_guest_pmu_show_interrupt(plugin_core(pmk_cpus[vcpu]), pmk_cpus[vcpu]->prev->pc,
				     PMK_GUEST_ACCESS);
}

static void guest_control(unsigned vcpu, const char *input, uint64_t value)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	struct pmk_emulated_blocks b = plugin_blocks(cpu);

	pmk_level_settle(cpu);
	pmk_emulated_control(plugin_core(cpu), &plugin.config, &b, input, value);
	pmk_guest_pmu_show_interrupt(plugin_core(cpu), cpu->prev->pc, PMK_GUEST_ACCESS);
}

/* From now on, processors begin with the reset values of these registers. */
static void follow_controls(void)
{
	plugin.config.guest_controlled = 1;
	for (unsigned i = 0; i < PMK_ARENA_CPUS; i++)
		if (pmk_cpus[i])
			pmk_emulated_reset(plugin_core(pmk_cpus[i]), &plugin.config);
}

/* True if levels must be followed that blocks have. */
bool pmk_guest_pmu_watches_blocks(void)
{
	return plugin.config.guest && plugin.config.watch_levels && plugin.family->levels_of_blocks;
}

/* Called before the first block runs. The block may have been translated with QEMU's own
 * registers. */
void pmk_guest_pmu_begin(void)
{
	static const struct pmk_guest_calls calls = { guest_access, guest_may, guest_reset,
						      guest_control };
	const struct pmk_guest_window *window = guest_window();
	const char *lacks = pmk_guest_find();

	plugin.guest.log = plugin.arena->guest.log;
	if (!lacks && window)
		lacks = map_windows(window);
	for (unsigned i = 0; !lacks && !window && i < pmk_guest_vcpus() && i < PMK_ARENA_CPUS; i++)
		lacks = pmk_guest_begin(i, pmk_emulated_guest(&plugin.config), &plugin.arena->guest,
					&calls);
	if (!lacks && pmk_guest_pmu_watches_blocks() && pmk_guest_level() < 0)
		lacks = "the functions that report the mode of a processor";
	if (plugin.family->levels)
		pmk_emulator.level_now = pmk_guest_level_now;
	if (pmk_guest_follows_controls())
		follow_controls();
	if (lacks) {
		snprintf(plugin.arena->guest_lacks, sizeof(plugin.arena->guest_lacks), "%s", lacks);
		pmk_plugin_give_up(PMK_ENOTSUP);
	}
	if (plugin.glue->translate_anew)
		plugin.glue->translate_anew();
	else
		pmk_guest_translate_anew();
}

/* ---- intervals ------------------------------------------------------------------------------ */

void pmk_sampling_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* False: pmk has ended and will never make room. */
static bool wait_for_room(const _Atomic uint64_t *head, const _Atomic uint64_t *tail, unsigned most)
{
	while (atomic_load(head) - atomic_load(tail) >= most) {
		if (kill(plugin.pmk_pid, 0) && errno == ESRCH)
			return false;
		pmk_sampling_nap();
	}
	return true;
}

static void report_record(const struct pmk_emulated *e, const union pmk_arena_record *record)
{
	struct pmk_arena_ring *ring = pmk_slot_ring(plugin.slot_memory);

	if (plugin.slot == &plugin.uncounted || e->cpu.index >= PMK_ARENA_CPUS)
		return; /* no reader is left, so there would never be room again */
	pthread_mutex_lock(&plugin.reporting);
	if (wait_for_room(&ring->head, &ring->tail, PMK_ARENA_RING)) {
		uint64_t head = atomic_load(&ring->head);

		ring->record[head % PMK_ARENA_RING] = *record;
		atomic_store(&ring->head, head + 1);
	}
	pthread_mutex_unlock(&plugin.reporting);
}

void pmk_sampling_show_pins(void *ctx, const struct pmk_ahbmon_pins *shown)
{
	struct pmk_arena_pins *pins = ctx;

	if (wait_for_room(&pins->head, &pins->tail, PMK_ARENA_PINS)) {
		uint64_t head = atomic_load(&pins->head);

		pins->record[head % PMK_ARENA_PINS] = *shown;
		atomic_store(&pins->head, head + 1);
	}
}

void pmk_sampling_on_deadline(struct pmk_cpu *cpu)
{
	const struct pmk_emulated *e = plugin_core(cpu);
	struct pmk_emulated_blocks b = plugin_blocks(cpu);
	union pmk_arena_record record;
	int over =
		pmk_emulated_deadline(plugin_core(cpu), &plugin.config, &b, &record.interval.delta);

	if (plugin.config.guest)
		pmk_guest_pmu_show_interrupt(e, cpu->prev->pc, PMK_GUEST_BLOCK);
	if (over <= 0)
		return;
	record.interval.pid = atomic_load(&plugin.slot->pid);
	record.interval.cpu = e->cpu.index;
	record.interval.cycles = e->cpu.cycles - e->start_cycles;
	record.interval.insns = e->bus.total[PMK_SIG_INSN];
	report_record(e, &record);
}

/* ---- sampling ------------------------------------------------------------------------------- */

/* True if the emulator can leave parts of a program uncounted. */
bool pmk_sampling_is_possible(void)
{
	return plugin.glue->translate_anew &&
	       (plugin.glue->count_inline || plugin.glue->count_score);
}

static void find_rest_counter(const struct pmk_cpu *cpu)
{
	plugin.rest.counter = plugin.glue->score ? plugin.glue->score(cpu->index)
						 : &plugin.inline_executions[PMK_MAX_BLOCKS].count;
}

/* The number of uncounted instructions of the process. If the emulator holds it, it is copied now
 * and then, so that it survives a crash of the emulator. */
uint64_t pmk_sampling_read_rest(struct pmk_cpu *cpu)
{
	uint64_t rest = *plugin.rest.counter - plugin.rest.began;

	cpu->executions[PMK_MAX_BLOCKS].count = rest;
	return rest;
}

static void begin_rest(struct pmk_cpu *cpu)
{
	plugin.rest.on = true;
	pmk_plugin_set_bases(cpu->index, cpu);
	find_rest_counter(cpu);
	plugin.rest.unit_at = pmk_emulated_unit_at(plugin_core(cpu));
	pmk_ticks_begin(&plugin.rest.ticks, pmk_sampling_read_rest(cpu));
	plugin.glue->translate_anew();
}

/* The core's deadline when the program is sampled. */
void pmk_sampling_on_piece(struct pmk_cpu *cpu)
{
	struct pmk_emulated_blocks b = plugin_blocks(cpu);
	union pmk_arena_record record;

	if (pmk_emulated_piece(plugin_core(cpu), &plugin.config, &b, &record.piece) > 0)
		report_record(plugin_core(cpu), &record);
	if (plugin_core(cpu)->phase == PMK_UNITS_REST && !plugin.rest.on)
		begin_rest(cpu);
}

static void begin_unit(unsigned vcpu)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	struct pmk_emulated_blocks b;

	pmk_sampling_read_rest(cpu);
	b = plugin_blocks(cpu);
	plugin.rest.on = false;
	if (pmk_emulated_unit(plugin_core(cpu), &plugin.config, &b))
		pmk_plugin_give_up(PMK_ENOMEM);
	pmk_plugin_set_bases(vcpu, cpu);
	plugin.glue->translate_anew();
}

/* A block that ticks is executed in the rest. After a request to translate code again, old code may
 * still run for a while. */
void pmk_sampling_on_tick(unsigned vcpu, void *tick)
{
	uint64_t executed = *plugin.rest.counter - plugin.rest.began;

	if (!plugin.rest.on)
		return;
	if (executed >= plugin.rest.unit_at)
		begin_unit(vcpu);
	else if (pmk_ticks_tick(&plugin.rest.ticks, tick, executed, plugin.rest.unit_at))
		plugin.glue->translate_anew();
}

/* There are several threads: from here on, everything is counted. */
void pmk_sampling_end(struct pmk_cpu *cpu)
{
	struct pmk_emulated_blocks b;
	union pmk_arena_record record;

	if (plugin.rest.on)
		pmk_sampling_read_rest(cpu);
	plugin.rest.on = false;
	b = plugin_blocks(cpu);
	if (pmk_emulated_whole(plugin_core(cpu), &plugin.config, &b, &record.piece) > 0)
		report_record(plugin_core(cpu), &record);
	pmk_plugin_set_bases(cpu->index, cpu);
}

/* ---- callbacks of running code -------------------------------------------------------------- */

/* See struct pmk_emulator. */
void pmk_running_follow(unsigned vcpu, const struct pmk_block *block, bool boundary)
{
	if (plugin.config.nregions)
		pmk_emulated_follow(plugin_core(pmk_cpus[vcpu]), &plugin.config, block, boundary);
}

void pmk_running_leave_level(unsigned vcpu)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	struct pmk_emulated_blocks b = plugin_blocks(cpu);

	pmk_emulated_leave_level(plugin_core(cpu), &plugin.config, &b);
}

void pmk_running_enter_level(unsigned vcpu, unsigned level)
{
	pmk_emulated_enter_level(plugin_core(pmk_cpus[vcpu]), &plugin.config, level);
}

/*
 * From 6.2 to 10.0, the lowest bits of `info` are the index of QEMU's MMU, and A64's indexes are
 * the same in all of these releases: EL0, EL0 under a host at EL2, EL1, EL2 with a host, both again
 * with PAN, EL2, EL3.
 */
int pmk_running_level(uint32_t info)
{
	static const int8_t level[8] = { 0, 0, 1, 2, 1, 2, 2, 3 };

	return level[info & 7];
}

/* Since 10.2: EL0, EL1, EL1 with PAN, the same and EL2 under a host, EL2, EL3. Each except PAN is
 * followed by the index for its guarded control stack. */
int pmk_running_level_since_10_2(uint32_t info)
{
	static const int8_t level[] = { 0, 0, 1, 1, 1, 0, 0, 2, 2, 2, 2, 2, 3, 3 };
	uint32_t index = info & 31;

	return index < sizeof(level) ? level[index] : -1;
}

void pmk_running_on_crossing(struct pmk_cpu *cpu)
{
	struct pmk_emulated_blocks b = plugin_blocks(cpu);

	pmk_emulated_cross(plugin_core(cpu), &plugin.config, &b);
}

/*
 * Devices. Since 8.1.2 an access to a device has to be the last of a translated block. Otherwise
 * QEMU leaves the block and makes the access in a separate block, of which it reports only the
 * access. It then continues with the remainder as another block, whose start it reports again. That
 * remainder has already been counted, and is expected here until it comes; an interrupt may come
 * first, and access devices, too.
 */
/* An access that is a separate translated block. */
struct lone_access {
	pmk_access_fn *fn;
	/* callback data: by itself, and within the block in which it was first translated */
	void *access, *within;
	const struct pmk_block *block;
};

static struct plugin_within *within_slot(uint64_t pc)
{
	return &plugin.within[pc / 2 % (sizeof(plugin.within) / sizeof(plugin.within[0]))];
}

/* Control registers may have changed since the access was translated, and then the block that runs
 * was built again. */
static bool is_same_code(const struct pmk_block *a, const struct pmk_block *b)
{
	return a->pc == b->pc && a->fall == b->fall;
}

static void lone_access(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	const struct lone_access *a = data;

	if (is_same_code(pmk_cpus[vcpu]->prev, a->block)) {
		a->fn(vcpu, info, addr, a->access);
		return;
	}
	pmk_rest_expect(vcpu, a->block);
	a->fn(vcpu, info, addr, a->within);
}

/* True if the page of `addr` is device memory, as far as the present access shows. */
bool pmk_plugin_asks_device(void *ctx, uint64_t addr)
{
	struct qemu_plugin_hwaddr *hw;

	(void)ctx;
	if ((addr ^ pmk_access_seen.addr) >> PMK_PAGE_SHIFT)
		return false;
	hw = qemu_plugin_get_hwaddr(pmk_access_seen.info, pmk_access_seen.addr);
	return hw && qemu_plugin_hwaddr_is_io(hw);
}

/* Device memory of 32-bit machines, by page. QEMU is asked at the first access to the page that is
 * not a plain hit. */
bool pmk_devices_is_device(void *ctx, uint64_t addr)
{
	enum { UNKNOWN, NORMAL, DEVICE };
	uint32_t page = (uint32_t)addr >> PMK_PAGE_SHIFT;
	uint8_t *known = (uint8_t *)ctx + page;

	if (*known == UNKNOWN) {
		if (page != (uint32_t)pmk_access_seen.addr >> PMK_PAGE_SHIFT)
			return false;
		*known = pmk_plugin_asks_device(ctx, pmk_access_seen.addr) ? DEVICE : NORMAL;
	}
	return *known == DEVICE;
}

#define CONTROL_QUIET 1000000 /* our choice */

/* What firmware can leave off of what the core's parameters turn on: of enum pmk_control. Of a
 * MicroBlaze no register turns the branch target cache on. */
static unsigned controllable(const struct pmk_core *core)
{
	return (core->mmu ? PMK_CONTROL_MMU : 0) | (core->icache_on ? PMK_CONTROL_ICACHE : 0) |
	       (core->dcache_on ? PMK_CONTROL_DCACHE : 0) |
	       (core->bp_on ? PMK_CONTROL_PREDICTOR & plugin.family->control : 0);
}

static void control_missed(unsigned parts)
{
	atomic_fetch_or(&plugin.arena->control_unseen, parts);
}

void pmk_controls_begin(void)
{
	plugin.control.follows = plugin.family->control && pmk_registers_are_shown() &&
				 (plugin.glue->translate_anew || !pmk_guest_find());
	control_missed(controllable(&plugin.config.core) &
		       (plugin.control.follows ? ~plugin.family->control : ~0u));
	if (!plugin.control.follows)
		return;
	atomic_store(&plugin.arena->control_followed, plugin.family->control);
	plugin.control.configured = plugin.config.core;
	plugin.control.of_code = ~plugin.family->control;
	pmk_core_control(&plugin.config.core, &plugin.control.configured, plugin.control.of_code);
}

static unsigned control_at(unsigned level)
{
	return pmk_control_at(&plugin.control.state, level) | ~plugin.family->control;
}

static void translate_for_control(void)
{
	plugin.control.levels = 0;
	plugin.control.differs = false;
	plugin.control.quiet = 0;
	if (plugin.glue->translate_anew)
		plugin.glue->translate_anew();
	else
		pmk_guest_translate_anew();
}

/* Set the core of `vcpu` to this state. This happens a few times while firmware starts and, if
 * levels have different states, at each change of the level. */
static void set_control(unsigned vcpu, unsigned state)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	const struct pmk_block *prev = cpu->prev;
	struct pmk_core core = cpu->core;
	union pmk_cpu_own kept;

	if (plugin.control.of_core[vcpu] == state)
		return;
	plugin.control.of_core[vcpu] = state;
	atomic_fetch_or(&plugin.arena->control_seen, state & plugin.family->control);
	pmk_core_control(&core, &plugin.control.configured, state);
	if (cpu->core.mmu == core.mmu && cpu->core.icache_on == core.icache_on &&
	    cpu->core.dcache_on == core.dcache_on && cpu->core.bp_on == core.bp_on)
		return;
	cpu->core = core;
	if (pmk_cpu_cold(cpu, &kept))
		pmk_plugin_give_up(PMK_ENOMEM);
	pmk_cpu_discard(&cpu->core, &kept);
	cpu->prev = prev;
	if (plugin.family->attach)
		plugin.family->attach(cpu, &plugin_core(cpu)->chip.biu);
}

/* The block after a write at `level` starts. */
static void control_written(unsigned vcpu, void *level)
{
	struct pmk_control_write w = plugin.control.write[vcpu];
	unsigned at = (unsigned)(uintptr_t)level;
	uint64_t value = 0;
	bool zero = plugin.family->wide_addresses && w.source == 31;

	plugin.control.write[vcpu].reg = PMK_CONTROL_NONE;
	if (w.reg != PMK_CONTROL_NONE && (zero || pmk_registers_read(w.source, &value)) &&
	    pmk_control_set(&plugin.control.state, &w, at, value))
		translate_for_control();
	set_control(vcpu, control_at(at));
}

static void control_is_written(unsigned vcpu, void *write)
{
	plugin.control.write[vcpu] = *(const struct pmk_control_write *)write;
}

/* Code that was translated for `state` starts. */
static void check_control(unsigned vcpu, void *state)
{
	if (plugin.control.of_core[vcpu] != (unsigned)(uintptr_t)state) {
		plugin.control.quiet = 0;
		set_control(vcpu, (unsigned)(uintptr_t)state);
	} else if (++plugin.control.quiet == CONTROL_QUIET) {
		translate_for_control();
	}
}

/* The level of the code that is being translated. */
static unsigned level_of_code(void)
{
	int level = plugin.family->wide_addresses ? pmk_registers_level() : 1;

	if (level < 0)
		control_missed(controllable(&plugin.control.configured));
	return level < 0 ? 1 : (unsigned)level;
}

/* Build the code that is being translated for the state of its level. Returns true if it must check
 * whether the core is in this state. */
static bool meet_level(unsigned level)
{
	plugin.control.of_code = control_at(level);
	pmk_core_control(&plugin.config.core, &plugin.control.configured, plugin.control.of_code);
	plugin.control.levels |= 1u << level;
	if (!plugin.control.differs &&
	    pmk_control_differs(&plugin.control.state, plugin.control.levels)) {
		translate_for_control();
		plugin.control.differs = true;
	}
	return plugin.control.differs;
}

bool pmk_controls_is_after_write(uint64_t pc)
{
	for (unsigned i = 0; i < plugin.control.nafter; i++)
		if (plugin.control.after[i] == pc)
			return true;
	return false;
}

/* The write of a control register that ends translated code. NULL: there is none. */
static const struct pmk_control_write *find_write(const struct pmk_raw *raw,
						  const struct pmk_insn *in)
{
	struct pmk_control_write w, *one;

	if (!pmk_control_is_written(raw, in, plugin.family->control_by, plugin.decoder.big_endian,
				    &w))
		return NULL;
	one = &plugin.control.known[w.reg][w.source | w.bits]; /* one of them is 0 */
	*one = w;
	return one;
}

/* Called before anything else is registered for translated code. */
void pmk_controls_watch(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
			const struct pmk_insn *in, size_t n)
{
	const struct pmk_insn *last = &in[n - 1];
	const struct pmk_control_write *w = find_write(&raw[n - 1], last);
	uint64_t after = last->addr + last->size;
	unsigned level = level_of_code();
	bool differs = meet_level(level);

	if (pmk_controls_is_after_write(in[0].addr))
		pmk_plugin_on_code(tb, true, control_written, (void *)(uintptr_t)level);
	else if (differs)
		pmk_plugin_on_code(tb, false, check_control,
				   (void *)(uintptr_t)plugin.control.of_code);
	if (!w)
		return;
	/* What starts next is not behind it. */
	if (n > 1 && in[n - 2].kind & plugin.family->delays)
		control_missed(controllable(&plugin.control.configured));
	pmk_plugin_on_insn(tb, n - 1, false, control_is_written, w);
	if (pmk_controls_is_after_write(after))
		return;
	if (plugin.control.nafter ==
	    sizeof(plugin.control.after) / sizeof(plugin.control.after[0])) {
		control_missed(controllable(&plugin.control.configured));
		return;
	}
	plugin.control.after[plugin.control.nafter++] = after;
	if (pmk_code_begins_at(&plugin.code, after))
		translate_for_control();
}

/* ---- recording ------------------------------------------------------------------------------- */

static void *ledger_record(void *ctx, uint32_t cpu, size_t bytes, uint32_t *number)
{
	(void)ctx;
	return pmk_ledger_record(plugin.ledger, plugin.process, cpu, bytes, number);
}

void pmk_record_block(const struct pmk_block *b, const struct pmk_raw *raw,
		      const struct pmk_insn *in, size_t n)
{
	struct pmk_ledger_block *r;
	uint8_t *bytes;

	if (!plugin.ledger || plugin.recorded[b->id])
		return;
	r = pmk_ledger_record(plugin.ledger, plugin.process, 0,
			      sizeof(*r) + n * (sizeof(*in) + sizeof(raw->byte)),
			      &plugin.recorded[b->id]);
	if (!r)
		return;
	r->ninsns = (uint32_t)n;
	r->nfaults = b->nfaults;
	r->control = plugin.control.of_code;
	memcpy(r->insn, in, n * sizeof(*in));
	bytes = (uint8_t *)&r->insn[n];
	for (size_t i = 0; i < n; i++)
		memcpy(bytes + i * sizeof(raw->byte), raw[i].byte, sizeof(raw->byte));
	atomic_store(&r->head.kind, PMK_LEDGER_BLOCK);
}

static void record_mapping(uint64_t begin, uint64_t end, uint64_t offset, const char *path)
{
	struct pmk_ledger_mapping *r;
	uint32_t number;

	plugin.mapping.known[plugin.mapping.next].begin = begin;
	plugin.mapping.known[plugin.mapping.next].end = end;
	plugin.mapping.next = (plugin.mapping.next + 1) %
			      (sizeof(plugin.mapping.known) / sizeof(plugin.mapping.known[0]));
	r = pmk_ledger_record(plugin.ledger, plugin.process, 0, sizeof(*r) + strlen(path) + 1,
			      &number);
	if (!r)
		return;
	r->begin = begin;
	r->end = end;
	r->offset = offset;
	strcpy(r->path, path);
	atomic_store(&r->head.kind, PMK_LEDGER_MAPPING);
}

static bool is_known(uint64_t pc)
{
	for (unsigned i = 0; i < sizeof(plugin.mapping.known) / sizeof(plugin.mapping.known[0]);
	     i++)
		if (pc - plugin.mapping.known[i].begin <
		    plugin.mapping.known[i].end - plugin.mapping.known[i].begin)
			return true;
	return false;
}

/* The kernel writes a newline in a name as \012; a name may contain that text, too. */
static void restore_new_lines(char *path)
{
	for (char *at = path; access(path, F_OK) && (at = strstr(at, "\\012"));) {
		*at++ = '\n';
		memmove(at, at + 3, strlen(at + 3) + 1);
	}
}

/* Find the file of the code at `pc`. The emulator maps it as requested by the program. */
void pmk_record_mapping(uintptr_t host, uint64_t pc)
{
	uintptr_t begin, end;
	unsigned long offset;
	char line[4400], path[4200];
	FILE *f;

	if (!host || is_known(pc))
		return;
	f = fopen("/proc/self/maps", "re");
	while (f && fgets(line, sizeof(line), f)) {
		path[0] = '\0';
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %lx %*s %*s %4199[^\n]", &begin,
			   &end, &offset, path) < 3)
			continue;
		if (host - begin >= end - begin)
			continue;
		restore_new_lines(path);
		record_mapping(pc - (host - begin), pc + (end - host), offset,
			       path[0] == '/' ? path : "");
		break;
	}
	if (f)
		fclose(f);
}

void pmk_record_begin_sites(struct pmk_cpu *cpu)
{
	const struct pmk_sites_owner owner = {
		.record = ledger_record,
		.stack_pointer = pmk_registers_stack_pointer,
		.records = (char *)plugin.ledger,
		.block = plugin.recorded,
	};

	if (plugin.ledger && !pmk_sites_new(cpu, &owner, plugin.ledger->paths))
		pmk_plugin_give_up(PMK_ENOMEM);
}

/* ---- translation ---------------------------------------------------------------------------- */

static struct lone_access *new_lone(pmk_access_fn *fn, void *access, const struct pmk_block *b)
{
	struct lone_access *lone = malloc(sizeof(*lone));
	const struct plugin_within *w = within_slot(b->pc);

	if (!lone)
		pmk_plugin_give_up(PMK_ENOMEM);
	*lone = (struct lone_access){
		.fn = fn,
		.access = access,
		.within = w->pc == b->pc && w->access ? w->access : access,
		.block = b,
	};
	return lone;
}

void pmk_devices_watch_access(struct qemu_plugin_tb *tb, size_t i, uint64_t pc, pmk_access_fn *fn,
			      uint64_t access, const struct pmk_block *b)
{
	void *data = (void *)(uintptr_t)access;

	if (plugin.system_mode && b->pc != b->end_addr) {
		*within_slot(pc) = (struct plugin_within){ .pc = pc, .access = data };
	} else if (plugin.system_mode) {
		data = new_lone(fn, data, b);
		fn = lone_access;
	}
	pmk_plugin_on_access(tb, i, fn, data);
}

static bool is_boundary(uint64_t addr)
{
	const struct pmk_emulated_config *cfg = &plugin.config;

	for (unsigned r = 0; r < cfg->nregions; r++)
		if (cfg->region[r].begin == addr || cfg->region[r].end == addr)
			return true;
	return false;
}

/* FNV-1a over the bytes of the instructions. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Used if only executions are counted. */
static void count_execution(unsigned vcpu, void *block)
{
	pmk_cpus[vcpu]->executions[((const struct pmk_block *)block)->id].count++;
}

/* Runs before the block of a handler. A pending access has faulted. */
static void drop(unsigned vcpu, void *block)
{
	(void)block;
	plugin.family->drop(pmk_cpus[vcpu]);
}

/* Count executions of the block, and nothing else. Translated code can do that by itself as long as
 * it runs in one thread. */
static void register_execution(struct qemu_plugin_tb *tb, size_t first, const struct pmk_block *b)
{
	if (plugin.inline_executions && !plugin.threaded)
		plugin.glue->count_inline(tb, first, &plugin.inline_executions[b->id].count, 1);
	else
		pmk_plugin_on_start(tb, first, count_execution, b);
}

/* Map the executions of this process's vCPU 0 a second time, to a fixed address at which translated
 * code counts them. Those of an uncounted process are not read. */
bool pmk_translate_map_inline(struct pmk_executions *executions)
{
	struct pmk_executions *to = plugin.inline_executions;
	void *at = plugin.slot == &plugin.uncounted
			   ? mmap(to, PMK_EXEC_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)
			   : mremap(executions, 0, PMK_EXEC_BYTES,
				    MREMAP_MAYMOVE | (to ? MREMAP_FIXED : 0), to);

	if (at == MAP_FAILED)
		return false;
	plugin.inline_executions = at;
	return true;
}

/* The threads that run the code that is being translated. The emulator translates all of it again
 * when a second thread starts. */
static enum pmk_world world(void)
{
	if (plugin.system_mode)
		return PMK_WORLD_SYSTEM;
	return plugin.threaded ? PMK_WORLD_PROGRAM : PMK_WORLD_THREAD;
}

/* The callback for the start of a block at `pc`. */
static pmk_block_fn *block_callback(uint64_t pc, unsigned entry)
{
	enum pmk_block_way way = plugin.config.eager ? PMK_BLOCK_EAGER : PMK_BLOCK_PLAIN;

	if (is_boundary(pc))
		way = PMK_BLOCK_BOUNDARY;
	else if (plugin.config.follows)
		way = PMK_BLOCK_FOLLOWED;
	else if (plugin.ledger)
		way = PMK_BLOCK_BOOKED;
	return plugin.family->on_block(&plugin.config.core)->fn[world()][entry != 0][way];
}

/* How a block at `pc` may be entered: bits of enum pmk_entry. */
static unsigned entry_at(uint64_t pc)
{
	if (!plugin.system_mode)
		return pmk_handler_at(&plugin.handlers, pc);
	return plugin.family->vector
		       ? plugin.family->vector(&plugin.decoder, &plugin.config.core, pc)
		       : 0;
}

void pmk_translate_passed(unsigned vcpu, void *access)
{
	pmk_cpus[vcpu]->access = (uint64_t)(uintptr_t)access;
}

static void passed_access(unsigned vcpu, uint32_t info, uint64_t addr, void *access)
{
	(void)info;
	(void)addr;
	pmk_translate_passed(vcpu, access);
}

static void watch_insn(struct qemu_plugin_tb *tb, size_t i, const struct pmk_insn *in,
		       const struct pmk_block *b, const struct pmk_pipe_slot *pipe, unsigned behind)
{
	uint64_t access = 0;
	pmk_access_fn *fn =
		plugin.family->watch(&plugin.config.core, world(), in, b, pipe, &access);
	const struct qemu_mem_test *test = pmk_plugin_find_test(in);

	/* See guest_access_in_memory(). */
	if (!fn && plugin.config.guest)
		fn = passed_access;
	if (!fn)
		return;
	access = pmk_access_at(access, behind);
	if (test)
		pmk_plugin_on_failed_test(tb, i, fn, test, access);
	else
		pmk_devices_watch_access(tb, i, in->addr, fn, access, b);
}

/* The instruction before this one may have faulted without an access: when this one begins, it is
 * known that it did not. This is only relevant in programs that handle faults. */
static void tell_passed(struct qemu_plugin_tb *tb, size_t i, unsigned behind)
{
	pmk_plugin_on_insn(tb, i, false, pmk_translate_passed,
			   (void *)(uintptr_t)pmk_access_at(0, behind));
}

/* Make a block from the straight run [first, last) of translated code; NULL: there is no room.
 * plugin.pipe then says how its instructions pass through the pipeline. */
static const struct pmk_block *block_of(const struct pmk_raw *raw, const struct pmk_insn *in,
					size_t first, size_t last)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	unsigned entry = entry_at(in[first].addr);
	const struct pmk_block *b;
	uint8_t level;

	if (pmk_guest_pmu_watches_blocks()) {
		level = (uint8_t)pmk_guest_level();
		hash = hash_bytes(hash, &level, sizeof(level));
		entry |= PMK_ENTRY_LEVEL(level);
	}
	if (plugin.control.follows)
		hash = hash_bytes(hash, &plugin.control.of_code, sizeof(plugin.control.of_code));
	for (size_t i = first; i < last; i++)
		hash = hash_bytes(hash, raw[i].byte, raw[i].size);
	b = pmk_code_add(&plugin.code, in + first, last - first, hash, entry, plugin.pipe);
	if (!b) {
		atomic_store(&plugin.arena->blocks_full, 1);
		return NULL;
	}
	pmk_slot_facts(plugin.slot_memory)[b->id] = b->facts;
	pmk_record_block(b, raw + first, in + first, last - first);
	atomic_store(&plugin.slot->nblocks, plugin.code.nblocks);
	return b;
}

/*
 * A straight run of code that follows a write of a control register. QEMU executes it once more
 * before it translates code for the new state, so the block of the state is found when the run
 * starts.
 */
struct run_after_write {
	pmk_block_fn *fn;
	const struct pmk_block *block;
	unsigned state; /* the state that `block` was built for */
	size_t n;
	struct pmk_raw *raw;
	struct pmk_insn *in;
};

/* Build the block of the run for the state of the core. */
static void build_for_state(struct run_after_write *run, unsigned state)
{
	const struct pmk_block *b;

	pthread_mutex_lock(&plugin.translating);
	plugin.control.of_code = state;
	pmk_core_control(&plugin.config.core, &plugin.control.configured, plugin.control.of_code);
	b = block_of(run->raw, run->in, 0, run->n);
	pthread_mutex_unlock(&plugin.translating);
	run->block = b ? b : run->block;
	run->state = state;
}

static void start_after_write(unsigned vcpu, void *data)
{
	struct run_after_write *run = data;

	if (run->state != plugin.control.of_core[vcpu])
		build_for_state(run, plugin.control.of_core[vcpu]);
	run->fn(vcpu, (void *)run->block);
}

static void register_after_write(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
				 const struct pmk_insn *in, size_t first, size_t n,
				 const struct pmk_block *b)
{
	struct run_after_write *run = malloc(sizeof(*run));
	struct pmk_raw *own_raw = malloc(n * sizeof(*raw));
	struct pmk_insn *own_in = malloc(n * sizeof(*in));

	if (!run || !own_raw || !own_in)
		pmk_plugin_give_up(PMK_ENOMEM);
	*run = (struct run_after_write){
		.fn = block_callback(b->pc, entry_at(b->pc)),
		.block = b,
		.state = plugin.control.of_code,
		.n = n,
		.raw = memcpy(own_raw, raw + first, n * sizeof(*raw)),
		.in = memcpy(own_in, in + first, n * sizeof(*in)),
	};
	pmk_plugin_on_start(tb, first, start_after_write, run);
}

/* Register the callbacks for the start of `b`. Without a clock its executions are counted, unless
 * it is counted in pieces, so that the progress of the program is known. */
static void register_start(struct qemu_plugin_tb *tb, size_t first, const struct pmk_block *b)
{
	pmk_block_fn *const(*on)[PMK_FETCH_NWAYS] = plugin.config.parts & PMK_PART_PREDICTOR
							    ? plugin.family->on_fetch
							    : plugin.family->on_lines;
	bool count = !(plugin.config.parts & PMK_PART_EXECUTIONS);
	unsigned entry = entry_at(b->pc);

	if (plugin_has_clock()) {
		pmk_plugin_on_start(tb, first, block_callback(b->pc, entry), b);
		return;
	}
	if (plugin.config.parts & PMK_PART_FETCH) {
		enum pmk_fetch_way any =
			world() == PMK_WORLD_THREAD ? PMK_FETCH_THREAD : PMK_FETCH_ANY;

		pmk_plugin_on_start(tb, first, on[count][entry ? PMK_FETCH_HANDLER : any], b);
	} else if (count) {
		register_execution(tb, first, b);
	}
	if (entry && plugin.family->drop && plugin.config.parts & PMK_PART_DATA)
		pmk_plugin_on_start(tb, first, drop, b);
}

/* True if a requested event depends on the effect of accesses on the caches. */
static bool asks_data(void)
{
	return plugin.config.parts & (PMK_PART_DATA | PMK_PART_CLOCK);
}

/* True if it matters, for fetch without a clock, that all of `b` has run before a handler starts:
 * see pmk_cpu_left_early(). Without the predictor it matters if the block ends with a maintenance
 * operation. */
static bool end_matters(const struct pmk_block *b)
{
	if (!(plugin.config.parts & PMK_PART_FETCH))
		return false;
	if (!(plugin.config.parts & PMK_PART_PREDICTOR))
		return b->disturbs;
	return pmk_goes_anywhere(b) || (plugin.code.tells && b->flow != PMK_FLOW_NEXT);
}

/* True if the access of an instruction of `b` matters. `behind` later instructions of the block may
 * fault. In a block that is only fetched, the last access shows whether all of it has run. */
static bool is_watched(const struct pmk_block *b, unsigned behind)
{
	return asks_data() || (!behind && end_matters(b));
}

/* The block of memory was written, or is about to be. */
static void write_lines(unsigned vcpu, void *access, bool before)
{
	uint32_t reg = PMK_ACCESS_USE((uint64_t)(uintptr_t)access);
	uint64_t addr;

	if (!before)
		pmk_cpus[vcpu]->access = (uint64_t)(uintptr_t)access;
	if (!pmk_registers_read(reg, &addr)) {
		atomic_fetch_add(&plugin.arena->zeroes_unseen, 1);
		return;
	}
	addr &= ~(uint64_t)(plugin.written_bytes - 1);
	for (unsigned i = 0; i < plugin.written_bytes; i += plugin.family->line_bytes) {
		/* QEMU has no information about this access. */
		pmk_access_see(0, ~(addr + i));
		plugin.write_line(vcpu, 0, addr + i, access);
	}
}

static void wrote_lines(unsigned vcpu, void *access)
{
	write_lines(vcpu, access, false);
}

static void writes_lines(unsigned vcpu, void *access)
{
	write_lines(vcpu, access, true);
}

static void writes_unseen(unsigned vcpu, void *access)
{
	(void)vcpu;
	(void)access;
	atomic_fetch_add(&plugin.arena->zeroes_unseen, 1);
}

/* Instruction `i` of translated code writes a block of memory, whose address is in a register: see
 * zero.h. */
static void watch_zeroing(struct qemu_plugin_tb *tb, const struct pmk_insn *in, size_t i,
			  const struct pmk_block *b, const struct pmk_pipe_slot *pipe,
			  unsigned behind)
{
	bool last = i + 1 == pmk_plugin_n_insns(tb);
	pmk_block_fn *fn = wrote_lines;
	uint64_t access;

	if (in[i].rm == PMK_NO_REG)
		return; /* XZR: address 0 cannot be written */
	if (last)
		fn = plugin.glue->read_register || !pmk_zero_is_written(in, i, (unsigned)in[i].rm)
			     ? writes_lines
			     : writes_unseen;
	plugin.write_line =
		plugin.family->watch(&plugin.config.core, world(), &in[i], b, pipe, &access);
	access = pmk_access_at(access, behind);
	pmk_plugin_on_insn(tb, last ? i : i + 1, true, fn, (void *)(uintptr_t)access);
}

/* Register the callbacks for a straight run of translated code, as one block. */
static void add_block(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
		      const struct pmk_insn *in, size_t first, size_t last)
{
	const struct pmk_block *b = block_of(raw, in, first, last);
	unsigned behind = b ? b->nfaults : 0;
	bool unsure = false;

	if (!b)
		return;
	if (plugin.control.follows && pmk_controls_is_after_write(in[0].addr))
		register_after_write(tb, raw, in, first, last - first, b);
	else
		register_start(tb, first, b);
	for (size_t i = first; i < last; i++) {
		if (unsure && plugin.code.tells &&
		    (plugin_has_clock() || (behind == 0 && end_matters(b))))
			tell_passed(tb, i, behind);
		unsure = false;
		if (!pmk_may_fault(&plugin.config.core, &in[i]))
			continue;
		behind -= behind > 0;
		if ((in[i].load || in[i].store) && is_watched(b, behind))
			watch_insn(tb, i, &in[i], b, &plugin.pipe[i - first], behind);
		if ((in[i].kind & plugin.family->zeroes) && asks_data())
			watch_zeroing(tb, in, i, b, &plugin.pipe[i - first], behind);
		unsure = pmk_fault_unsure(&in[i]);
	}
}

/* Count executions of the instructions of a straight run, without a clock: the code after an
 * instruction that may fault is a separate block. */
static void add_executions(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
			   const struct pmk_insn *in, size_t first, size_t last)
{
	const struct pmk_block *b;

	for (size_t end = first + 1; end <= last; end++) {
		if (end < last && !pmk_may_fault(&plugin.config.core, &in[end - 1]))
			continue;
		b = block_of(raw, in, first, end);
		if (b)
			register_execution(tb, first, b);
		first = end;
	}
}

void pmk_translate_run(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
		       const struct pmk_insn *in, size_t first, size_t last)
{
	if (!plugin_has_clock() && (plugin.config.parts & PMK_PART_EXECUTIONS))
		add_executions(tb, raw, in, first, last);
	if (plugin.config.parts & ~(uint32_t)PMK_PART_EXECUTIONS)
		add_block(tb, raw, in, first, last);
}

/* The stack of the program, which is about to begin with this block. False: its pointer cannot be
 * read. */
static bool first_stack(uint8_t *bytes, uint64_t pc, struct pmk_stack *stack)
{
	if (!bytes || !plugin.glue->read_register)
		return false;
	stack->sp = pmk_registers_stack_pointer();
	if (!stack->sp)
		return false;
	stack->memory = bytes - pc;
	stack->word = plugin.family->stack_word;
	stack->big_endian = plugin.decoder.big_endian;
	return true;
}

/* The load address of the program is known when its first block is translated. */
static void move_regions(uint64_t bias)
{
	for (unsigned r = 0; r < plugin.config.nregions; r++) {
		plugin.config.region[r].begin += bias;
		if (plugin.config.region[r].end)
			plugin.config.region[r].end += bias;
	}
}

/* ---- faults that end the program ------------------------------------------------------------ */

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct sigaction *next = sig == SIGBUS ? &plugin.emulators_bus : &plugin.emulators_segv;

	bool counts = calling.vcpu < PMK_ARENA_CPUS && pmk_cpus[calling.vcpu] && !plugin.rest.on;
	bool sent = info->si_code <= 0; /* sent by a process, which may be the program itself */

	if (counts && !sent)
		pmk_cpu_faults(pmk_cpus[calling.vcpu]);
	/* This handler does not return after a fault of the program. */
	next->sa_sigaction(sig, info, context);
	if (counts && !sent)
		pmk_cpu_fault_handled(pmk_cpus[calling.vcpu]);
}

/* If a program faults, the emulator ends without calling its plugins. It also uses such signals for
 * itself, and installs its handlers before the program begins. */
static void watch_faults(int sig, struct sigaction *emulators)
{
	struct sigaction ours;

	if (sigaction(sig, NULL, emulators) || !(emulators->sa_flags & SA_SIGINFO))
		return;
	ours = *emulators;
	ours.sa_sigaction = on_fault;
	sigaction(sig, &ours, NULL);
}

void pmk_process_begin(uint8_t *bytes, uint64_t pc, uint64_t start_code)
{
	struct pmk_stack stack;
	bool known = !plugin.system_mode && first_stack(bytes, pc, &stack);

	plugin.begun = true;
	atomic_store(&plugin.arena->begun, 1);
	calling.vcpu = 0;
	pmk_random_begin(plugin.config.random_seed - 1);
	if (!plugin.system_mode) {
		watch_faults(SIGSEGV, &plugin.emulators_segv);
		watch_faults(SIGBUS, &plugin.emulators_bus);
	}
	if (!plugin.system_mode && bytes)
		plugin.guest_base = (uintptr_t)bytes - (uintptr_t)pc;
	if (known)
		pmk_stack_without_vdso(&stack);
	if (!plugin.arena->pie)
		return;
	if (start_code)
		move_regions(start_code - plugin.arena->region_bias_base);
	else if (known)
		move_regions(pmk_stack_aux(&stack, PMK_AT_ENTRY) - plugin.arena->entry);
}

/* ---- callbacks that QEMU is asked for ------------------------------------------------------- */

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

/* Base addresses for tests in translated code: the tables of the family, and struct pmk_cpu. */
enum { NO_BASE = -1, BASE_TABLES, BASE_CPU };

/* True if translated code makes the tests. */
static bool emulator_tests(void)
{
	return plugin.family->test && !plugin.system_mode && !plugin.config.untested &&
	       qemu_plugin_register_vcpu_mem_test_cb && qemu_plugin_vcpu_set_base;
}

void pmk_plugin_set_bases(unsigned vcpu, struct pmk_cpu *cpu)
{
	if (!emulator_tests())
		return;
	qemu_plugin_vcpu_set_base(vcpu, BASE_TABLES, plugin.family->tables(cpu));
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

/* The test for accesses of the instruction. NULL: the emulator must call back for each. */
const struct qemu_mem_test *pmk_plugin_find_test(const struct pmk_insn *in)
{
	struct pmk_access_test test;
	struct qemu_mem_test *t;

	if (!emulator_tests())
		return NULL;
	test = plugin.family->test(&plugin.config.core, in);
	/* Events at a recorded site are accounted there. */
	if (!test.n || (plugin.ledger && test.counts != PMK_SIG_NONE))
		return NULL;
	t = &plugin.tests[find_test_number(test.counts != PMK_SIG_NONE, in)];
	if (!t->n)
		*t = of_emulator(&test);
	return t;
}

/* Up to 8.2, QEMU does not pass the bytes of MicroBlaze code, but shows where it has them. */
static void fetch(struct qemu_plugin_insn *qi, struct pmk_raw *raw)
{
	const void *memory;

	raw->addr = qemu_plugin_insn_vaddr(qi);
	raw->size = (unsigned)plugin.glue->insn_bytes(qi, raw->byte, sizeof(raw->byte));
	if (raw->size || !plugin.family->reads_memory)
		return;
	memory = qemu_plugin_insn_haddr(qi);
	if (memory) {
		raw->size = plugin.family->reads_memory;
		memcpy(raw->byte, memory, raw->size);
	}
}

static char *first_text(void *tb)
{
	return qemu_plugin_insn_disas(qemu_plugin_tb_get_insn(tb, 0));
}

/* After a branch with a delay slot, control continues to the slot. */
static bool changes_control(const struct pmk_insn *in)
{
	return in->flow != PMK_FLOW_NEXT && !(in->kind & plugin.family->delays);
}

/* True if the guest may access its PMU there. */
static bool reaches_pmu(const struct pmk_raw *raw)
{
	uint32_t insn;

	if (!plugin.config.guest || raw->size != 4)
		return false;
	memcpy(&insn, raw->byte, sizeof(insn));
	return pmk_guest_reaches(insn, plugin.family->wide_addresses);
}

/* True if instruction `i` of translated code starts a new straight run: at a boundary, after a
 * change of control at which QEMU did not end its block, after an instruction that may trap, and at
 * and after an access to the guest's PMU, because all counts must be complete there. */
bool pmk_translate_starts_run(const struct pmk_raw *raw, const struct pmk_insn *in, size_t i)
{
	return is_boundary(in[i].addr) || changes_control(&in[i - 1]) ||
	       (in[i - 1].kind & plugin.family->may_trap) || reaches_pmu(&raw[i]) ||
	       reaches_pmu(&raw[i - 1]);
}

/* Translate code of the rest, in which only instructions are counted. */
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
	plugin.family->decode(&plugin.decoder, raw, n, in);
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

/* ---- processes and threads ------------------------------------------------------------------ */

static void *reserve(uint64_t size)
{
	void *p = pmk_reserve(size);

	if (!p)
		pmk_plugin_give_up(PMK_ENOMEM);
	return p;
}

/* Threads run at the same time and are not sampled: from here on, everything is counted. The
 * emulator then translates all code again by itself. */
void pmk_sampling_end_all(void)
{
	if (!pmk_sampling_is_possible())
		atomic_store(&plugin.arena->unsampled, 1);
	for (unsigned i = 0; i < PMK_ARENA_CPUS; i++)
		if (pmk_cpus[i] && plugin_core(pmk_cpus[i])->phase != PMK_UNITS_WHOLE)
			pmk_sampling_end(pmk_cpus[i]);
}

void pmk_plugin_vcpu_started(unsigned emulators_vcpu)
{
	unsigned vcpu = emulators_vcpu % PMK_MAX_VCPUS;
	struct pmk_emulated *e;
	int err;

	atomic_fetch_add(&plugin.slot->threads, 1);
	/* A thread that starts after another has ended continues on that one's core. */
	if (pmk_cpus[vcpu]) {
		pmk_plugin_set_bases(emulators_vcpu, pmk_cpus[vcpu]);
		return;
	}
	plugin.threaded |= vcpu > 0;
	if (plugin.system_mode && vcpu > 0 && plugin.mixes_up_vcpus)
		pmk_guest_tell_apart(vcpu + 1);
	if (vcpu >= PMK_ARENA_CPUS) {
		/* It runs but is not counted; pmk reports that. */
		atomic_fetch_add(&plugin.arena->lost_threads, 1);
		char *memory = reserve(PMK_CPU_BYTES + sizeof(struct pmk_emulated_ports));

		e = (struct pmk_emulated *)memory;
		err = pmk_emulated_start(e, (void *)(memory + PMK_CPU_BYTES), &plugin.config,
					 (struct pmk_executions *)(memory + PMK_CPU_HEAD));
	} else {
		e = pmk_slot_cpu(plugin.slot_memory, vcpu);
		err = pmk_emulated_start(e, &plugin.ports[vcpu], &plugin.config,
					 pmk_slot_executions(plugin.slot_memory, vcpu));
	}
	if (err)
		pmk_plugin_give_up(err);
	if (plugin.config.delay && !plugin.system_mode && vcpu)
		pmk_emulated_delay(e, &plugin.config, plugin.delay_left);
	e->cpu.index = vcpu;
	e->cpu.on_deadline =
		plugin.config.units.head ? pmk_sampling_on_piece : pmk_sampling_on_deadline;
	e->cpu.on_crossing = pmk_running_on_crossing;
	if (plugin.system_mode && plugin.family->wide_addresses) {
		e->cpu.is_device = pmk_plugin_asks_device;
	} else if (plugin.system_mode) {
		e->cpu.is_device = pmk_devices_is_device;
		e->cpu.device_ctx = reserve(UINT64_C(1) << (32 - PMK_PAGE_SHIFT));
	}
	if (vcpu < PMK_ARENA_CPUS)
		pmk_record_begin_sites(&e->cpu);
	pmk_cpus[vcpu] = &e->cpu;
	plugin.control.of_core[vcpu] = plugin.control.of_code;
	pmk_plugin_set_bases(emulators_vcpu, &e->cpu);
	if (vcpu == 0 && (!plugin_has_clock() || plugin.config.units.head) &&
	    plugin.glue->count_inline)
		pmk_translate_map_inline(e->cpu.executions);
	if (plugin.config.units.head && (plugin.threaded || !pmk_sampling_is_possible()))
		pmk_sampling_end_all();
	if (vcpu < PMK_ARENA_CPUS && atomic_load(&plugin.slot->ncpus) <= vcpu)
		atomic_store(&plugin.slot->ncpus, vcpu + 1);
}

struct pmk_arena_slot *pmk_process_claim_slot(void)
{
	for (unsigned i = 0; i < plugin.nslots; i++) {
		uint32_t free_slot = PMK_SLOT_FREE;

		if (atomic_compare_exchange_strong(&plugin.arena->slot[i].state, &free_slot,
						   PMK_SLOT_RUNNING))
			return &plugin.arena->slot[i];
	}
	return NULL;
}

/* pmk frees the slots of processes that have ended, a few times per second. */
static struct pmk_arena_slot *wait_for_slot(void)
{
	struct pmk_arena_slot *s = pmk_process_claim_slot();

	for (int tries = 0; !s && tries < 2000; tries++) {
		pmk_sampling_nap();
		s = pmk_process_claim_slot();
	}
	return s;
}

static struct pmk_cpu *forking_cpu(void)
{
	return calling.vcpu < PMK_MAX_VCPUS ? pmk_cpus[calling.vcpu] : NULL;
}

/* In a new process: it begins with its own head. */
static void begin_again(struct pmk_cpu *cpu)
{
	plugin.rest.all_anew = plugin.rest.on;
	plugin.rest.on = false;
	/* No function of the emulator may be called here: it holds its locks. */
	if (plugin.glue->score && plugin.rest.counter)
		plugin.rest.began = *plugin.rest.counter;
	if (plugin.config.units.head && (plugin.threaded || !pmk_sampling_is_possible()))
		pmk_sampling_end(cpu);
}

/* Find a slot, or private memory of the same layout that is not read. */
static void find_memory(bool counted)
{
	plugin.slot = counted ? wait_for_slot() : NULL;
	if (plugin.slot) {
		plugin.slot_memory = pmk_arena_memory(plugin.arena, plugin.slot);
		return;
	}
	atomic_fetch_add(&plugin.arena->lost_forks, 1);
	plugin.slot = &plugin.uncounted;
	plugin.slot_memory = reserve(PMK_SLOT_BYTES);
}

void pmk_process_before_fork(void)
{
	struct pmk_cpu *cpu = forking_cpu();

	calling.forking = true;
	pmk_random_makes();
	atomic_fetch_add(&plugin.arena->forks, 1);
	if (cpu)
		pmk_emulated_copy(&plugin.at_fork, plugin_core(cpu), &plugin.config);
}

/* The program has forked, and this is the child: it gets memory of its own, warm caches, and counts
 * from 0. QEMU's translations still point to the plugin's blocks, which are private memory and were
 * copied by the fork. */
void pmk_process_after_fork(void)
{
	unsigned vcpu = calling.vcpu;
	struct pmk_cpu *cpu = forking_cpu();
	bool counted = vcpu < PMK_ARENA_CPUS;
	char *old_memory = plugin.slot_memory;
	struct pmk_emulated *e;

	pmk_random_forked();
	/* Another thread, which does not exist here, may have been reporting. */
	pthread_mutex_init(&plugin.reporting, NULL);
	plugin.ports[0].pins.show = NULL;
	pmk_guard_start(plugin.pmk_pid, &plugin.arena->pmk_pid);
	if (!cpu)
		pmk_plugin_give_up(PMK_ENOTSUP);
	find_memory(counted);
	memset(pmk_cpus, 0, sizeof(pmk_cpus));
	memcpy(pmk_slot_facts(plugin.slot_memory), pmk_slot_facts(old_memory),
	       plugin.code.nblocks * sizeof(struct pmk_facts));
	atomic_store(&plugin.slot->nblocks, plugin.code.nblocks);
	if (plugin.inline_executions &&
	    !pmk_translate_map_inline(pmk_slot_executions(plugin.slot_memory, 0)))
		pmk_plugin_give_up(PMK_ENOMEM);
	if (!counted) {
		/* For an uncounted thread. Its core is private memory, which the fork has
		 * copied. */
		pmk_cpus[vcpu] = cpu;
		atomic_fetch_add(&plugin.arena->forked, 1);
		return;
	}
	e = pmk_slot_cpu(plugin.slot_memory, vcpu);
	pmk_emulated_copy(e, &plugin.at_fork, &plugin.config);
	if (pmk_emulated_forked(e, &plugin.ports[vcpu], &plugin.config,
				pmk_slot_executions(plugin.slot_memory, vcpu)))
		pmk_plugin_give_up(PMK_ENOTSUP);
	e->cpu.sites = NULL;
	e->cpu.sites_state = 0;
	begin_again(&e->cpu);
	if (plugin.ledger && plugin.slot != &plugin.uncounted) {
		plugin.process = atomic_fetch_add(&plugin.ledger->processes, 1) + 1;
		pmk_record_begin_sites(&e->cpu);
	}
	pmk_cpus[vcpu] = &e->cpu;
	pmk_plugin_set_bases(vcpu, &e->cpu);
	atomic_store(&plugin.slot->ncpus, vcpu + 1);
	atomic_store(&plugin.slot->threads, 1);
	atomic_store(&plugin.slot->execs, 0);
	atomic_store(&plugin.slot->pid, (uint32_t)getpid());
	atomic_fetch_add(&plugin.arena->forked, 1);
}

static bool is_execve(int64_t num)
{
	return num == plugin.family->execve || num == plugin.family->execveat;
}

/* Convert an address of the program to one in this process. The highest byte of 64 bits may be a
 * tag, and emulators sign-extend 32-bit addresses. */
static void *program_memory(uint64_t addr)
{
	addr = plugin.family->stack_word == 4 ? (uint32_t)addr : addr << 8 >> 8;
	return (void *)(plugin.guest_base + (uintptr_t)addr);
}

/* Read the word at an address of the program; 0 if there is none. The kernel reads it, because the
 * program may pass any address. */
static uint64_t program_word(uint64_t addr)
{
	uint8_t byte[8] = { 0 };
	struct iovec to = { byte, plugin.family->stack_word };
	struct iovec from = { program_memory(addr), plugin.family->stack_word };
	uint64_t word = 0;

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0)
		return 0;
	for (unsigned i = plugin.family->stack_word; i > 0; i--)
		word = word << 8 |
		       byte[plugin.decoder.big_endian ? plugin.family->stack_word - i : i - 1];
	return word;
}

/* The kernel has written `n` bytes to the buffers of the array of addresses and lengths at
 * `iov`. */
static void randomise_vector(uint64_t iov, uint64_t n)
{
	uint64_t end = iov + IOV_MAX * 2 * plugin.family->stack_word, len;

	for (; n && iov != end; n -= len, iov += 2 * plugin.family->stack_word) {
		len = program_word(iov + plugin.family->stack_word);
		len = len < n ? len : n;
		pmk_random_fill(program_memory(program_word(iov)), len);
	}
}

/* The call has returned `result` bytes: if they are random, replace them by bytes that are the same
 * in each run. The kernel has just written there, so the memory exists. */
static void replace_random(int64_t num, int64_t result)
{
	const uint64_t *arg = calling.args;
	uint64_t to = num == plugin.family->getrandom ? arg[0] : arg[1];
	bool vector = num == plugin.family->readv || num == plugin.family->preadv;

	if (plugin.system_mode || result <= 0)
		return;
	if (num != plugin.family->getrandom && num != plugin.family->read &&
	    num != plugin.family->pread64 && !vector)
		return;
	if (num != plugin.family->getrandom && !pmk_random_is_device((int)arg[0]))
		return;
	if (vector)
		randomise_vector(to, (uint64_t)result);
	else
		pmk_random_fill(program_memory(to), (size_t)result);
}

/* The program installs a handler for a signal: its address is the first word at `action`. */
static void meet_handler(unsigned signal, uint64_t action)
{
	enum { DEFAULT, IGNORE };
	uint64_t pc = action ? program_word(action) : DEFAULT;

	if (!(plugin.config.parts & ~(uint32_t)PMK_PART_EXECUTIONS))
		return; /* blocks end where instructions may fault */
	if (pc == DEFAULT || pc == IGNORE)
		return;
	pc &= ~plugin.family->pc_flags;
	pthread_mutex_lock(&plugin.translating);
	if ((!pmk_handler_at(&plugin.handlers, pc) && pmk_code_begins_at(&plugin.code, pc)) ||
	    !pmk_handlers_add(&plugin.handlers, signal, pc))
		atomic_store(&plugin.arena->handlers_unseen, 1);
	pmk_code_handles(&plugin.code, pc, pmk_handler_at(&plugin.handlers, pc));
	plugin.code.tells |= (pmk_handler_at(&plugin.handlers, pc) & PMK_ENTRY_FAULT) != 0;
	pthread_mutex_unlock(&plugin.translating);
}

/* QEMU implements a clone that shares memory only until an exec as a process. */
static bool makes_thread(int64_t num, uint64_t flags)
{
	return num == plugin.family->clone && (flags & CLONE_VM) && !(flags & CLONE_VFORK);
}

/*
 * The second thread is about to start. QEMU discards all translated code in this call. Newer
 * releases (10.0 does) report the vCPU on the new thread, when the first one may already have code
 * translated for both.
 */
static void becomes_threaded(void)
{
	plugin.threaded = true;
	plugin.rest.ended = plugin.rest.on;
	if (plugin.config.units.head)
		pmk_sampling_end_all();
}

void pmk_plugin_syscall(unsigned vcpu, int64_t num, uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
	calling.vcpu = vcpu % PMK_MAX_VCPUS;
	memcpy(calling.args, (const uint64_t[]){ arg1, arg2, arg3 }, sizeof(calling.args));
	if (pmk_cpus[calling.vcpu]) /* the block that makes the call has run completely */
		pmk_translate_passed(calling.vcpu, (void *)(uintptr_t)pmk_access_at(0, 0));
	if (plugin.config.delay && pmk_cpus[calling.vcpu])
		plugin.delay_left = pmk_emulated_delay_left(plugin_core(pmk_cpus[calling.vcpu]));
	if (plugin.rest.on) /* this may be the last call */
		pmk_sampling_read_rest(pmk_cpus[calling.vcpu]);
	pmk_random_enter();
	calling.making = makes_thread(num, arg1);
	if (calling.making)
		pmk_random_makes();
	if (!plugin.threaded && calling.making)
		becomes_threaded();
	if (is_execve(num))
		atomic_fetch_add(&plugin.slot->execs, 1);
	if (num == plugin.family->sigaction || num == plugin.family->rt_sigaction)
		meet_handler((unsigned)arg1, arg2);
}

void pmk_plugin_syscall_returned(int64_t num, int64_t result)
{
	replace_random(num, result);
	if (calling.making && result > 0)
		pmk_random_made((uint64_t)result);
	calling.making = false;
	/* An execve that returns has failed. */
	if (is_execve(num))
		atomic_fetch_sub(&plugin.slot->execs, 1);
	if (is_execve(num) && result == -ENOEXEC)
		atomic_store(&plugin.arena->foreign_execs, 1);
	/* No thread was created, so no code was translated again. */
	plugin.rest.all_anew |= plugin.rest.ended && result < 0;
	plugin.rest.ended = false;
	if (plugin.rest.all_anew)
		plugin.glue->translate_anew();
	plugin.rest.all_anew = false;
	if (calling.forking && result < 0)
		atomic_fetch_sub(&plugin.arena->forks, 1);
	calling.forking = false;
}

struct pmk_arena *pmk_process_map_arena(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat s = { .st_size = 0 };
	struct pmk_arena *a;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &s) || (uint64_t)s.st_size < pmk_arena_bytes(1)) {
		close(fd);
		return NULL;
	}
	a = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
		 0);
	close(fd);
	return a == MAP_FAILED || pmk_arena_bytes(a->slots) != (uint64_t)s.st_size ? NULL : a;
}

/* The arguments are "arena=/proc/self/fd/N" and, for a recording, "ledger=/proc/self/fd/M": N and M
 * were inherited, and are closed here. */
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

/* The target that the emulator emulates, from those of the family; NULL: none of them. */
static const struct pmk_core_target *find_target(const char *name)
{
	for (const struct pmk_core_target *t = plugin.family->targets; t->name; t++)
		if (!strcmp(t->name, name) && (plugin.system_mode || !t->only_system))
			return t;
	return NULL;
}

/* QEMU 9.1 to 10.2 load the module for 9.0, but would call it wrongly. */
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

/* The emulator ends by itself. It may have been about to continue with the remainder of a block. */
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
	pmk_registers_begin(plugin.glue, plugin.family->stack_pointer, plugin.family->stack_word,
			    plugin.decoder.big_endian);
	pmk_emulator = (struct pmk_emulator){
		.is_store = qemu_plugin_mem_is_store,
		.size_shift = qemu_plugin_mem_size_shift,
		.follow = pmk_running_follow,
		.level = since_10_2 ? pmk_running_level_since_10_2 : pmk_running_level,
		.exception_now = pmk_registers_exception,
		.leave_level = pmk_running_leave_level,
		.enter_level = pmk_running_enter_level,
	};
	/* The function exists since 6.2, the version since 10.1. */
	if (plugin.config.watch_levels && plugin.family->levels && !since_10_2 &&
	    (info->version.cur > 4 || !qemu_plugin_bool_parse))
		atomic_store(&plugin.arena->levels_unseen, 1);
	if (plugin.family->decoder_init && plugin.family->decoder_init(&plugin.decoder)) {
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
	plugin.glue->register_callbacks(id);
	atomic_store(&plugin.arena->ready, 1);
	return 0;
}
