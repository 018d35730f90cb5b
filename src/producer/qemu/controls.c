// SPDX-License-Identifier: GPL-2.0-or-later
/* Follows the writes of control registers while firmware runs. */
#include <stdlib.h>

#include "producer/qemu/parts.h"

#define CONTROL_QUIET 1000000 /* blocks in one state until checks are removed; our choice */

/* Returns the units (bits of enum pmk_control) that the core's parameters turn on, but that
 * firmware may leave off. No register of a MicroBlaze turns on the branch target cache, so this
 * unit is not among them. */
static unsigned controllable(const struct pmk_core *core)
{
	return (core->mmu ? PMK_CONTROL_MMU : 0) | (core->icache.on ? PMK_CONTROL_ICACHE : 0) |
	       (core->dcache.on ? PMK_CONTROL_DCACHE : 0) |
	       (core->bp.on ? PMK_CONTROL_PREDICTOR & plugin.family->system->control : 0);
}

static void control_missed(unsigned parts)
{
	atomic_fetch_or(&plugin.arena->control_unseen, parts);
}

void pmk_controls_begin(void)
{
	plugin.control.follows = plugin.family->system->control && pmk_registers_are_shown() &&
				 (plugin.glue->translate_anew || !pmk_guest_find());
	control_missed(controllable(&plugin.config.core) &
		       (plugin.control.follows ? ~plugin.family->system->control : ~0u));
	if (!plugin.control.follows)
		return;
	atomic_store(&plugin.arena->control_followed, plugin.family->system->control);
	plugin.control.configured = plugin.config.core;
	plugin.control.of_code = ~plugin.family->system->control;
	pmk_core_control(&plugin.config.core, &plugin.control.configured, plugin.control.of_code);
}

static unsigned control_at(unsigned level)
{
	return pmk_control_at(&plugin.control.state, level) | ~plugin.family->system->control;
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

/* Puts the core of `vcpu` into `state`. The core changes its state a few times while firmware
 * starts and, if levels have different states, at each change of the level. */
static void set_control(unsigned vcpu, unsigned state)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	const struct pmk_block *prev = cpu->prev;
	struct pmk_core core = cpu->core;
	union pmk_cpu_own kept;

	if (plugin.control.of_core[vcpu] == state)
		return;
	plugin.control.of_core[vcpu] = state;
	atomic_fetch_or(&plugin.arena->control_seen, state & plugin.family->system->control);
	pmk_core_control(&core, &plugin.control.configured, state);
	if (cpu->core.mmu == core.mmu && cpu->core.icache.on == core.icache.on &&
	    cpu->core.dcache.on == core.dcache.on && cpu->core.bp.on == core.bp.on)
		return;
	cpu->core = core;
	if (pmk_cpu_cold(cpu, &kept))
		pmk_plugin_give_up(PMK_ENOMEM);
	pmk_cpu_discard(&cpu->core, &kept);
	cpu->prev = prev;
	if (plugin.family->run->attach)
		plugin.family->run->attach(cpu, &plugin_core(cpu)->chip.biu);
}

/* Handles a write of a control register at `level`. It is called when the next block starts. */
static void control_written(unsigned vcpu, void *level)
{
	struct pmk_control_write w = plugin.control.write[vcpu];
	unsigned at = (unsigned)(uintptr_t)level;
	uint64_t value = 0;
	bool zero = plugin.family->decoder->wide_addresses && w.source == 31;

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

/* Puts the core into `state` if it is in another state. It is called when code that was translated
 * for `state` starts. */
static void check_control(unsigned vcpu, void *state)
{
	if (plugin.control.of_core[vcpu] != (unsigned)(uintptr_t)state) {
		plugin.control.quiet = 0;
		set_control(vcpu, (unsigned)(uintptr_t)state);
	} else if (++plugin.control.quiet == CONTROL_QUIET) {
		translate_for_control();
	}
}

/* Returns the level of the code that is being translated. */
static unsigned level_of_code(void)
{
	int level = plugin.family->decoder->wide_addresses ? pmk_registers_level() : 1;

	if (level < 0)
		control_missed(controllable(&plugin.control.configured));
	return level < 0 ? 1 : (unsigned)level;
}

/*
 * Chooses the state for which code at `level` is translated. Returns true if the code must check at
 * run time whether the core is in this state.
 */
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

/* Returns the write of a control register with which translated code ends, or NULL if it does not
 * end with one. */
static const struct pmk_control_write *find_write(const struct pmk_raw *raw,
						  const struct pmk_insn *in)
{
	struct pmk_control_write w, *one;

	if (!pmk_control_is_written(raw, in, plugin.family->system->control_by,
				    plugin.decoder.big_endian, &w))
		return NULL;
	one = &plugin.control.known[w.reg][w.source | w.bits]; /* `source` or `bits` is 0 */
	*one = w;
	return one;
}

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
	/* The write is in a delay slot, so the code that follows it in memory does not run next. */
	if (n > 1 && in[n - 2].kind & plugin.family->decoder->delays)
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
