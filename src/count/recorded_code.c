// SPDX-License-Identifier: MIT
/* The code of a recording: its instructions, and what an execution of each of them costs. */
#include "count/recorded_state.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/bus.h>
#include <pmk/error.h>
#include <pmk/pmu.h>

#include "base/foreign.h"
#include "cpu/family.h"
#include "cpu/fault.h"

/* ---- costs ----------------------------------------------------------------------------------- */

void pmk_recorded_derive(struct pmk_recorded *r)
{
	const struct pmk_core_counts *counts = pmk_core_family(r->req.core)->counts;

	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		r->signal[s] = r->cpu->dyn[s];
	r->signal[PMK_SIG_CYCLE] = r->cpu->cycles;
	r->signal[PMK_SIG_PC_CHANGE] += r->cpu->taken;
	counts->derive(r->cpu, r->signal);
	for (unsigned i = 0; i < r->req.nevents; i++) {
		const struct pmk_event *ev = r->req.event[i];

		r->value[i] = r->signal[ev->signal] + r->signal[ev->signal2];
	}
}

void pmk_recorded_clear_cpu(struct pmk_recorded *r)
{
	uint64_t *word = (uint64_t *)(void *)r->cpu;

	memset(r->cpu->dyn, 0, sizeof(r->cpu->dyn));
	r->cpu->taken = 0;
	for (unsigned k = 0; k < r->counters.n; k++)
		word[r->counters.offset[k]] = 0;
}

bool pmk_recorded_find_cost(struct pmk_recorded *r, uint32_t *cost)
{
	*cost = pmk_distinct_put(&r->costs, r->value, r->req.nevents * sizeof(*r->value));
	return *cost != UINT32_MAX;
}

uint32_t *pmk_recorded_counted_cost(struct pmk_recorded *r, const void *counters, size_t size,
				    bool *known)
{
	uint32_t i = pmk_distinct_put(&r->counted, counters, size);

	*known = i < r->counted_costs.n;
	if (i == UINT32_MAX || (!*known && !ADD(r->counted_costs, UINT32_MAX)))
		return NULL;
	return &r->counted_costs.item[i];
}

/* ---- instructions ---------------------------------------------------------------------------- */

void pmk_recorded_part_of(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			  struct recorded_part *out)
{
	struct pmk_pipe_slot slots[MAX_INSNS];
	struct pmk_block b;

	memset(out, 0, sizeof(*out));
	if (!n)
		return;
	pmk_block_build(core, insn, n, slots, &b);
	out->cycles = b.cycles;
	for (unsigned k = 0; k < pmk_core_family(core)->counts->nfacts; k++)
		out->fact[k] = b.facts.n[k];
}

/*
 * Compute the share of each instruction: the count of the block up to and including it, minus the
 * count of the block before it. A negative share becomes 0, and reduces the share of the previous
 * instruction.
 */
static void share_cycles(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			 struct recorded_part *share)
{
	const unsigned nfacts = pmk_core_family(core)->counts->nfacts;
	struct recorded_part before, with;

	pmk_recorded_part_of(core, insn, 0, &before);
	for (size_t i = 0; i < n; i++) {
		pmk_recorded_part_of(core, insn, i + 1, &with);
		share[i].cycles = with.cycles - before.cycles;
		for (unsigned k = 0; k < nfacts; k++)
			share[i].fact[k] = with.fact[k] - before.fact[k];
		before = with;
	}
	for (size_t i = n; i-- > 1;) {
		for (unsigned k = 0; k < nfacts; k++) {
			if (share[i].fact[k] >= 0)
				continue;
			share[i - 1].fact[k] += share[i].fact[k];
			share[i].fact[k] = 0;
		}
		if (share[i].cycles < 0) {
			share[i - 1].cycles += share[i].cycles;
			share[i].cycles = 0;
		}
	}
}

/* Returns the ELF file that is mapped at an address; NULL: none. */
static const struct mapping *mapping_at(const struct pmk_recorded *r, uint32_t process,
					uint64_t addr)
{
	for (size_t i = r->mappings.n; i-- > 0;) {
		const struct mapping *m = &r->mappings.item[i];

		if (addr - m->record->begin < m->record->end - m->record->begin &&
		    m->record->head.process <= process)
			return m->is_elf ? m : NULL;
	}
	return NULL;
}

/* Find the object for this path and address, or add it. Returns false if out of memory. */
static bool object_for(struct pmk_recorded *r, enum pmk_recorded_kind kind, const char *path,
		       uint64_t bias, size_t *number)
{
	const struct pmk_recorded_object *o = r->objects.item;
	size_t i = 0;

	while (i < r->objects.n && (o[i].bias != bias || strcmp(o[i].path, path) != 0))
		i++;
	*number = i;
	return i < r->objects.n ||
	       ADD(r->objects, (struct pmk_recorded_object){ kind, path, bias });
}

static bool object_of(struct pmk_recorded *r, uint32_t process, uint64_t addr, size_t *number)
{
	const struct mapping *m = mapping_at(r, process, addr);

	if (m)
		return object_for(r, PMK_RECORDED_FILE, m->path, m->bias, number);
	if (r->req.system && r->req.program)
		return object_for(r, PMK_RECORDED_FILE, r->req.program, 0, number);
	return object_for(r, PMK_RECORDED_ANONYMOUS, "[anon]", 0, number);
}

static bool add_insn(struct pmk_recorded *r, const struct pmk_ledger_block *l, size_t object,
		     const struct pmk_insn *in, const uint8_t *byte, struct pmk_recorded_part *part)
{
	struct pmk_recorded_insn insn = {
		.addr = in->addr,
		.object = (uint32_t)object,
		.size = in->size,
		.flow = in->flow,
		.conditional = in->conditional && in->flow != PMK_FLOW_NEXT,
		.thumb = in->thumb,
		.target = in->flow == PMK_FLOW_JUMP || in->flow == PMK_FLOW_CALL ? in->target : 0,
	};
	uint64_t bytes = 0;

	/* Bytes after the instruction are left out, because they belong to the next instruction,
	 * which is not always the same. */
	memcpy(insn.byte, byte, in->size < 4 ? in->size : 4);
	for (unsigned i = 0; i < 4; i++)
		bytes |= (uint64_t)insn.byte[i] << 8 * i;
	part->insn = pmk_distinct_put(&r->insn_keys,
				      (uint64_t[]){ in->addr, bytes, object << 8 | in->size },
				      sizeof(uint64_t[3]));
	if (part->insn == UINT32_MAX ||
	    !ADD(r->of_block, (struct of_block){ (uint16_t)(in->addr - l->insn[0].addr),
						 pmk_may_fault(r->req.core, in) }))
		return false;
	return part->insn < r->insns.n || ADD(r->insns, insn);
}

/* Set *cost to the row of costs of an instruction with this share of its block. Returns false if
 * out of memory. */
static bool find_part_cost(struct pmk_recorded *r, const struct recorded_part *share,
			   uint32_t *cost)
{
	const struct pmk_core_counts *counts = pmk_core_family(r->req.core)->counts;
	uint64_t counters[2 + PMK_NFACTS] = { COUNTERS_OF_PART, (uint64_t)share->cycles };
	uint32_t *stored;
	bool known;

	memcpy(counters + 2, share->fact, counts->nfacts * sizeof(*counters));
	stored = pmk_recorded_counted_cost(r, counters, (2 + counts->nfacts) * sizeof(*counters),
					   &known);
	if (!stored)
		return false;
	if (!known) {
		pmk_recorded_clear_cpu(r);
		r->cpu->cycles = (uint64_t)share->cycles;
		for (unsigned k = 0; k < counts->nfacts; k++)
			r->cpu->dyn[counts->fact_signal[k]] += (uint64_t)share->fact[k];
		pmk_recorded_derive(r);
		if (!pmk_recorded_find_cost(r, stored))
			return false;
	}
	*cost = *stored;
	return true;
}

static bool is_register(int8_t r)
{
	return r >= PMK_NO_REG && r < PMK_NREGS;
}

/* True if every register number and bool that comes from the ledger is valid. The emulated
 * program can write into the ledger. The numbers of accesses and bytes are not checked: any
 * value is safe. */
static bool insn_is_valid(const struct pmk_insn *in)
{
	return (in->size == 0 || in->size == 2 || in->size == 4) && in->iclass <= PMK_I_CACHE_OP &&
	       in->flow <= PMK_FLOW_MODE && in->sysop <= PMK_SYS_WFI && is_register(in->rd) &&
	       is_register(in->rd2) && is_register(in->rn) && is_register(in->rm) &&
	       is_register(in->rs) && is_register(in->ra) && pmk_is_bool(&in->conditional) &&
	       pmk_is_bool(&in->is_branch) && pmk_is_bool(&in->sets_flags) &&
	       pmk_is_bool(&in->reads_flags) && pmk_is_bool(&in->exclusive) &&
	       pmk_is_bool(&in->load) && pmk_is_bool(&in->store) && pmk_is_bool(&in->literal) &&
	       pmk_is_bool(&in->writeback) && pmk_is_bool(&in->slow_address) &&
	       pmk_is_bool(&in->based) && pmk_is_bool(&in->decoded) && pmk_is_bool(&in->wide) &&
	       pmk_is_bool(&in->quad);
}

static bool insns_are_valid(const struct pmk_ledger_block *l)
{
	for (uint32_t i = 0; i < l->ninsns; i++)
		if (!insn_is_valid(&l->insn[i]))
			return false;
	return true;
}

static bool is_valid(const struct pmk_ledger_block *l)
{
	uint64_t bytes = (uint64_t)l->head.units * PMK_LEDGER_UNIT;

	return bytes >= sizeof(*l) && l->ninsns && l->ninsns <= MAX_INSNS &&
	       bytes >= sizeof(*l) + l->ninsns * (sizeof(l->insn[0]) + 4) && insns_are_valid(l);
}

int pmk_recorded_add_block(struct pmk_recorded *r, const struct pmk_ledger_block *l)
{
	struct pmk_core core = *r->req.core;
	struct recorded_part *share;
	const uint8_t *bytes = (const uint8_t *)&l->insn[l->ninsns];
	const struct pmk_recorded_block b = { r->parts.n, l->ninsns };
	size_t object;
	bool ok = true;

	if (!is_valid(l))
		return PMK_EPARSE;
	if (!object_of(r, l->head.process, l->insn[0].addr, &object) ||
	    pmk_map_put(&r->block_of, pmk_ledger_number(r->ledger, &l->head),
			(uint32_t)r->blocks.n) == UINT32_MAX ||
	    !ADD(r->blocks, b) || !ADD(r->records, l))
		return PMK_ENOMEM;
	for (uint32_t i = 0; i < l->ninsns; i++) {
		struct pmk_recorded_part part = { 0 };

		if (!add_insn(r, l, object, &l->insn[i], bytes + 4 * i, &part) ||
		    !ADD(r->parts, part))
			return PMK_ENOMEM;
	}
	share = calloc(l->ninsns, sizeof(*share));
	if (!share)
		return PMK_ENOMEM;
	pmk_core_control(&core, r->req.core, l->control);
	share_cycles(&core, l->insn, l->ninsns, share);
	for (uint32_t i = 0; i < l->ninsns && ok; i++)
		ok = find_part_cost(r, &share[i], &r->parts.item[b.first + i].cost);
	free(share);
	return ok ? 0 : PMK_ENOMEM;
}
