// SPDX-License-Identifier: GPL-2.0-or-later
/* Passes on intervals, pins, and pieces of a sampled program to pmk. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "producer/qemu/parts.h"

void pmk_sampling_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/*
 * Waits until a ring has room for another record. Returns false if pmk has ended, because there
 * would never be room again.
 */
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
		return; /* pmk does not read these records, so a full ring would stay full */
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

/* Called at the core's deadline if the program is sampled. */
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

void pmk_sampling_end_all(void)
{
	if (!pmk_sampling_is_possible())
		atomic_store(&plugin.arena->unsampled, 1);
	for (unsigned i = 0; i < PMK_ARENA_CPUS; i++)
		if (pmk_cpus[i] && plugin_core(pmk_cpus[i])->phase != PMK_UNITS_WHOLE)
			pmk_sampling_end(pmk_cpus[i]);
}
