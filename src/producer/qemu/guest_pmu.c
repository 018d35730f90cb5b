// SPDX-License-Identifier: GPL-2.0-or-later
/* Connects the guest's own PMU to a model. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <pmk/dwt.h>
#include <pmk/l2cc_model.h>
#include <pmk/microblaze_model.h>

#include "producer/qemu/guest.h"
#include "producer/qemu/parts.h"
#include "producer/session/access_log.h"

/* Writes a line of the log. The line goes to the kernel at once, so it is not lost when this
 * process ends, for whatever reason. */
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

/* Passes on an access that the instruction at `pc` makes. All instructions up to this one have been
 * counted, and none after it. */
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

/* Accesses a register of the processor. An instruction that makes such an access is a block of its
 * own. */
static int guest_access(unsigned vcpu, struct pmk_guest_access *a, uint64_t *value)
{
	return access_at(vcpu, pmk_cpus[vcpu]->prev->pc, a, value);
}

/* Accesses a register in memory. The load or store may be anywhere in its block. */
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
	/* If the guest's PMU does not have the register, the log has no name for the register. */
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

/* Returns the offsets of a PMU's registers in its window. Returns NULL if they are not in memory,
 * or if they are accessed through a debug module. */
static const uint16_t *guest_offsets(const struct pmk_pmu *pmu)
{
	if (pmu->driver == pmk_l210.driver)
		return pmk_l210_offsets;
	if (pmu->driver == pmk_l220.driver)
		return pmk_l220_offsets;
	if (pmu->driver == pmk_dwt.driver)
		return pmk_dwt_offsets;
	return plugin.family->run->attach ? plugin.config.layout.offset : NULL;
}

/*
 * Returns the number of the register at `offset`, or the number of registers if there is none at
 * `offset`. Only boards with one core have registers in memory.
 */
static unsigned register_at(unsigned offset)
{
	const struct pmk_pmu *pmu = pmk_emulated_guest(&plugin.config);
	unsigned reg = 0;

	while (reg < pmu->nregs && guest_offsets(pmu)[reg] != offset)
		reg++;
	return reg;
}

/* Loads a register of the PMU. `ctx` is the L220 that contains the registers, or NULL. */
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

/* Returns the window of the guest's PMU, or NULL if the PMU is in the processor. */
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
			pmk_l220_reset(&plugin.guest.l220, plugin.config.core.l2.size,
				       (uint32_t)plugin.config.core.l2.ways);
			window->ctx = &plugin.guest.l220;
		}
	}
	return window->load ? window : NULL;
}

/* DEMCR controls the DWT, but is in the System Control Space, far from the DWT's registers. */
#define DEMCR_BASE 0xE000EDFCu

static int load_demcr(void *ctx, unsigned offset, uint32_t *value)
{
	return load_register(ctx, DEMCR_BASE - PMK_DWT_BASE + offset, value);
}

static int store_demcr(void *ctx, unsigned offset, uint32_t value)
{
	return store_register(ctx, DEMCR_BASE - PMK_DWT_BASE + offset, value);
}

/* Maps the windows of the guest's PMU. Returns what the emulator lacks, or NULL. */
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

/* Makes the guest's PMU follow the EL2 and EL3 registers that control it, beginning with their
 * reset values. */
static void follow_controls(void)
{
	plugin.config.guest_controlled = 1;
	for (unsigned i = 0; i < PMK_ARENA_CPUS; i++)
		if (pmk_cpus[i])
			pmk_emulated_reset(plugin_core(pmk_cpus[i]), &plugin.config);
}

bool pmk_guest_pmu_watches_blocks(void)
{
	return plugin.config.guest && plugin.config.watch_levels &&
	       plugin.family->system->levels_of_blocks;
}

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
	if (plugin.family->system->levels)
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
