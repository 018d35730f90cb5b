// SPDX-License-Identifier: MIT
/* The rig of rig.h. Register and event numbers are literal numbers of the manuals. */
#include "rig.h"

#include <string.h>

#include <pmk/arm11.h>
#include <pmk/armv8.h>

#include "guest.h"

/* ARM1176: PMNC 0, CCNT 1, PMN0 2, PMN1 3; counters CCNT 0, PMN0 1, PMN1 2. DDI 0301H Tables 3-136
 * and 3-137. */
static const struct event arm1176_events[] = {
	{ 0xFF, 1, 0, 0x400, PMK_SIG_CYCLE, true },
	{ 0x07, 2, 1, 0x100, PMK_SIG_INSN, true },
	{ 0x0B, 3, 2, 0x200, PMK_SIG_L1D_MISS, true },
};

/* Cortex-A53: PMCCNTR (64 bits) and event counters; counters cycles 0, event n 1 + n. The second
 * CPU_CYCLES gets an event counter. */
static const struct event a53_events[] = {
	{ 0x11, PMK_ARMV8_PMCCNTR, 0, 0x80000000, PMK_SIG_CYCLE, false },
	{ 0x08, PMK_ARMV8_PMEVCNTR0, 1, 1, PMK_SIG_INSN, true },
	{ 0x03, PMK_ARMV8_PMEVCNTR0 + 1, 2, 2, PMK_SIG_L1D_MISS, true },
	{ 0x11, PMK_ARMV8_PMEVCNTR0 + 2, 3, 4, PMK_SIG_CYCLE, true },
};

uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1D;
}

/* ---- the truth ------------------------------------------------------------------------------- */

static uint64_t total(const struct rig *r, unsigned i)
{
	return r->m->bus.total[r->event[i].signal];
}

uint64_t rig_truth(const struct rig *r, unsigned i)
{
	bool now = r->counting && r->begins_at == PMK_NEVER;

	return r->counted[i] + (now ? total(r, i) - r->from[i] : 0);
}

/*
 * Begins to count when the time `begins_at` has come. An ARM11 counts from the third cycle after E
 * was written (DDI 0211, PMNC).
 */
static void begin_if_due(struct rig *r)
{
	if (r->begins_at == PMK_NEVER || r->m->bus.total[PMK_SIG_CYCLE] < r->begins_at)
		return;
	r->begins_at = PMK_NEVER;
	for (unsigned i = 0; i < r->nevents; i++)
		r->from[i] = total(r, i);
}

/*
 * Notices that counting starts or stops. Bit 0 of register 0 is E, in PMNC and in PMCR. Clearing a
 * flag while the counters are stopped may set E for a moment, which does not start counting.
 */
static void note_enable(struct rig *r, const struct access *a)
{
	bool enable = a->value & 1;

	if (!r->toggles || a->level || !a->write || a->reg != 0 || enable == r->counting)
		return;
	for (unsigned i = 0; i < r->nevents; i++)
		r->counted[i] = rig_truth(r, i);
	r->counting = enable;
	r->begins_at = PMK_NEVER;
	if (enable)
		r->begins_at = r->m->bus.total[PMK_SIG_CYCLE] + (machine_is_armv8(r->m) ? 0 : 3);
	begin_if_due(r);
}

static void before(struct machine *m, const struct access *a)
{
	struct rig *r = m->ctx;

	note_enable(r, a);
}

static void after(struct machine *m, const struct access *a)
{
	struct rig *r = m->ctx;

	for (unsigned i = 0; i < r->nevents; i++) {
		uint64_t since;

		if (a->reg != r->event[i].reg)
			continue;
		since = rig_truth(r, i) - r->lost[i] - r->seen[a->level][i];
		if (!a->write) {
			r->seen[a->level][i] += since;
			continue;
		}
		r->lost[i] += since;
		if (since > r->most_lost)
			r->most_lost = since;
	}
}

/* ---- interrupts ------------------------------------------------------------------------------ */

uint64_t rig_boundary(struct machine *m, uint64_t pc)
{
	struct rig *r = m->ctx;
	uint64_t enter = 0;

	begin_if_due(r);
	if (r->boundary)
		enter = r->boundary(r, pc);
	if (!enter && m->level == 0 && r->isr && machine_line(m) && !machine_masked(m) &&
	    (!r->take || r->take(r)))
		enter = r->isr;
	return enter;
}

static void returned(struct machine *m, uint64_t handler)
{
	struct rig *r = m->ctx;

	if (r->returned)
		r->returned(r, handler);
}

/* ---- calls ----------------------------------------------------------------------------------- */

int rig_int(struct rig *r, const char *function, uint64_t a, uint64_t b, uint64_t c)
{
	return (int)(uint32_t)machine_call(r->m, function, a, b, c);
}

void rig_ok(int line, const char *file, struct rig *r, const char *function, uint64_t a, uint64_t b,
	    uint64_t c)
{
	int err = rig_int(r, function, a, b, c);

	if (err) {
		fprintf(stderr, "%s:%d: %s(%llu, %llu): %s\n", file, line, function, (ull)a, (ull)b,
			pmk_strerror(err));
		exit(1);
	}
}

bool rig_is_large(void)
{
	const char *size = getenv("PMK_TEST_SIZE");

	return size && !strcmp(size, "large");
}

void rig_reset(struct rig *r, struct machine *m)
{
	memset(r, 0, sizeof(*r));
	r->m = m;
	r->begins_at = PMK_NEVER;
	r->pmu = machine_is_armv8(m) ? &pmk_cortex_a53 : &pmk_arm1176;
	r->core = machine_is_armv8(m) ? G_CORTEX_A53 : G_ARM1176;
	r->event = machine_is_armv8(m) ? a53_events : arm1176_events;
	r->nevents = machine_is_armv8(m) ? 4 : 3;
	machine_reset(m, r->pmu);
	m->ctx = r;
	m->boundary = rig_boundary;
	m->before = before;
	m->after = after;
	m->returned = returned;
}

void rig_open(struct rig *r, bool interrupts)
{
	OK(r, "g_open", r->core, 0, 0);
	for (unsigned i = 0; i < r->nevents; i++)
		CHECK(rig_int(r, "g_add", r->event[i].code, 0, 0) == (int)i, "event %u", i);
	OK(r, "g_regions", 0, 0, 0);
	OK(r, "g_interrupts", interrupts, 0, 0);
	r->isr = interrupts ? machine_symbol(r->m, "g_isr") : 0;
}

void rig_sample(struct rig *r, unsigned event, uint32_t period, uint32_t ring_size)
{
	OK(r, "g_sample", event, period, ring_size);
	r->sampled |= 1u << event;
}

void rig_start(struct rig *r)
{
	r->toggles = true;
	OK(r, "g_start", 0, 0, 0);
	r->toggles = false;
	if (r->started)
		return;
	r->started = true;
	r->most_lost = 0; /* the calibration's resets belong to no region */
	for (unsigned i = 0; i < r->nevents; i++)
		r->zero[i] = r->seen[0][i];
}

void rig_stop(struct rig *r)
{
	r->toggles = true;
	OK(r, "g_stop", 0, 0, 0);
	r->toggles = false;
}

/* ---- checks ---------------------------------------------------------------------------------- */

void rig_check(struct rig *r, const char *array, unsigned level, const char *when)
{
	for (unsigned i = 0; i < r->nevents; i++) {
		uint64_t want = r->seen[level][i] - r->zero[i], least = want;
		uint64_t got = machine_number(r->m, array, i);

		if (level && (r->sampled >> i & 1)) {
			least = r->seen[0][i];
			for (unsigned below_it = 1; below_it < level; below_it++)
				if (r->seen[below_it][i] > least)
					least = r->seen[below_it][i];
			least -= r->zero[i];
		}
		CHECK(got >= least && got <= want, "%s: event %u: total %llu, truth %llu (%lld)",
		      when, i, (ull)got, (ull)want, (long long)(got - want));
	}
}

bool rig_pending(struct rig *r, unsigned i)
{
	unsigned flags = machine_is_armv8(r->m) ? PMK_ARMV8_PMOVSCLR : PMK_ARM11_PMNC;

	return machine_peek(r->m, flags) & r->event[i].flag;
}

void rig_read(struct rig *r, const char *when)
{
	OK(r, "g_read_all", 0, 0, 0);
	rig_check(r, "g_totals", 0, when);
}

void rig_approach(struct rig *r, unsigned i, uint32_t left)
{
	uint64_t now = (uint32_t)machine_peek(r->m, r->event[i].reg);
	uint64_t until = (UINT64_C(1) << 32) - left;

	if (now < until)
		machine_raise(r->m, r->event[i].signal, until - now);
}
