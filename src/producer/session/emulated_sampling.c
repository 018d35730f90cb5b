// SPDX-License-Identifier: MIT
/*
 * Divides a sampled program into pieces: its beginning, which is the head, and then units with a
 * warm-up before each (units.h).
 */
#include "producer/session/emulated_internal.h"

void pmk_emulated_begin_head(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			     uint64_t seed)
{
	e->phase = cfg->units.head ? PMK_UNITS_HEAD : PMK_UNITS_WHOLE;
	e->phase_due = cfg->units.head;
	e->phase_insns = 0;
	e->phase_cycles = e->start_cycles;
	pmk_reading_init(&e->phase_began);
	e->unit = (struct pmk_units_place){ .random = seed };
}

static void begin_phase(struct pmk_emulated *e, enum pmk_units_phase phase, uint64_t length,
			const struct pmk_reading *now)
{
	e->phase = phase;
	e->phase_insns = e->bus.total[PMK_SIG_INSN];
	e->phase_cycles = e->cpu.cycles;
	e->phase_due = e->phase_insns + length;
	e->phase_began = *now;
}

/* Reads the counts since the phase began. */
static void read_piece(const struct pmk_emulated *e, const struct pmk_emulated_blocks *b,
		       const struct pmk_reading *now, struct pmk_units_piece *piece)
{
	uint64_t insns = e->bus.total[PMK_SIG_INSN];

	piece->phase = e->phase;
	piece->from = e->phase == PMK_UNITS_HEAD ? insns + b->rest : e->unit.from;
	piece->insns = insns - e->phase_insns;
	piece->cycles = e->cpu.cycles - e->phase_cycles;
	pmk_reading_since(&piece->counts, now, &e->phase_began);
}

/* Discards the cold core of a unit, if a unit with a cold core is running. */
static void end_cold(struct pmk_emulated *e)
{
	bool under_way = e->phase == PMK_UNITS_WARM || e->phase == PMK_UNITS_UNIT;

	if (under_way && pmk_units_cold(&e->unit))
		pmk_cpu_stale(&e->cpu, &e->kept);
}

/* Ends the phase. Returns true if the phase was a piece from which counts are estimated, which is
 * the head or a unit. */
static bool end_phase(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		      const struct pmk_emulated_blocks *b, const struct pmk_reading *now)
{
	switch (e->phase) {
	case PMK_UNITS_WARM:
		begin_phase(e, PMK_UNITS_UNIT, cfg->units.unit, now);
		return false;
	default:
		end_cold(e);
		begin_phase(e, PMK_UNITS_REST, 0, now);
		pmk_units_next(&e->unit, &cfg->units, e->phase_insns + b->rest);
		return true;
	}
}

int pmk_emulated_piece(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece)
{
	struct pmk_reading now;
	int err = pmk_emulated_read_session(e, cfg, b, &now);
	bool over = false;

	if (e->phase != PMK_UNITS_WHOLE && e->phase != PMK_UNITS_REST &&
	    e->bus.total[PMK_SIG_INSN] >= e->phase_due) {
		read_piece(e, b, &now, piece);
		over = end_phase(e, cfg, b, &now);
	}
	pmk_emulated_set_deadline(e, cfg);
	return err ? err : over;
}

uint64_t pmk_emulated_unit_at(const struct pmk_emulated *e)
{
	return e->unit.at > e->phase_insns ? e->unit.at - e->phase_insns : 0;
}

/* Forgets the last block, because pmk does not know how it ended. */
static void forget_last_block(struct pmk_cpu *cpu)
{
	cpu->prev = cpu->origin;
	cpu->access = 0;
}

int pmk_emulated_unit(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		      const struct pmk_emulated_blocks *b)
{
	struct pmk_reading now;
	int err = pmk_emulated_read_session(e, cfg, b, &now);

	forget_last_block(&e->cpu);
	if (!err && pmk_units_cold(&e->unit))
		err = pmk_cpu_cold(&e->cpu, &e->kept);
	begin_phase(e, PMK_UNITS_WARM, cfg->units.warm, &now);
	pmk_emulated_set_deadline(e, cfg);
	return err;
}

int pmk_emulated_whole(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		       const struct pmk_emulated_blocks *b, struct pmk_units_piece *piece)
{
	bool sampled = e->phase != PMK_UNITS_HEAD && e->phase != PMK_UNITS_WHOLE;
	struct pmk_reading now;
	int err = pmk_emulated_read_session(e, cfg, b, &now);

	end_cold(e);
	if (e->phase != PMK_UNITS_HEAD)
		forget_last_block(&e->cpu);
	piece->phase = PMK_UNITS_WHOLE;
	piece->insns = e->bus.total[PMK_SIG_INSN];
	piece->from = piece->insns + b->rest;
	piece->cycles = e->cpu.cycles - e->start_cycles;
	piece->counts = now;
	begin_phase(e, PMK_UNITS_WHOLE, 0, &now);
	pmk_emulated_set_deadline(e, cfg);
	return err ? err : sampled;
}
