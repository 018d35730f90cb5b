// SPDX-License-Identifier: MIT
/*
 * The dataflow of blocks, for a core that executes out of order (window.h). timing.c has the ports
 * and latencies of instructions.
 */
#include <string.h>

#include "cpu/a64/a64.h"
#include "cpu/a64/costs.h"
#include "cpu/a64/forward.h"
#include "cpu/a64/timing.h"
#include "cpu/a64/window.h"

#define NONE INT16_MIN
/* A block with a longer path, in ticks, is cut into pieces, so that times fit into 16 bits. */
#define LONG 4000

/* Sources of paths: the sources of the block, followed by its loads. */
#define NPATHS (PMK_A64_MAX_SOURCES + PMK_A64_MAX_LOADS)

/* The places that are results and sources: registers, flags, slots of stored words. */
#define NPLACES (PMK_A64_SLOT + PMK_A64_SLOTS)

#define CYCLES(n) ((n)*PMK_A64_TICKS)

/* When the instructions that wait for a source keep a port busy, in ticks after the time of the
 * source. */
struct turn {
	int16_t from, until;
};

struct build {
	/* When each place has its value, after each source; NONE: there is no path. */
	int16_t at[NPLACES][NPATHS];
	/* When the whole piece of the block is done, and when its last instruction is done. */
	int16_t done[NPATHS], last[NPATHS];
	bool written[NPLACES], sum[NPLACES];
	/* The number of each place as a source, starting at 1; 0 if it is not a source. */
	uint8_t source_of[NPLACES];
	uint8_t source[PMK_A64_MAX_SOURCES];
	unsigned nsources, first_load, nloads;
	uint32_t queue[PMK_A64_LANES]; /* when each port is free, if there are no other waits */
	uint32_t busy[PMK_A64_LANES];
	struct turn (*turn)[NPATHS]; /* for each port, and each source except the entry */
	bool turned[PMK_A64_LANES];  /* the port's `turn` is valid */
	unsigned slots;		     /* slots of the window that the instructions so far take */
	int16_t begin[PMK_A64_MAX_LOADS][NPATHS]; /* for each load, when its address is available */
	struct pmk_a64_stores stores;
	int16_t stored[PMK_A64_STORES][NPATHS]; /* when each store in `stores` begins */
	/* Where the next part of the flow is written. */
	char *out;
};

/* ---- paths ----------------------------------------------------------------------------------- */

static int16_t longer(int path, int16_t than)
{
	return path > than ? (int16_t)path : than;
}

/* Make the path from each source in `to` at least as long as that in `from` plus `ticks`. */
static void follow(int16_t *to, const int16_t *from, int ticks)
{
	for (unsigned k = 0; k < NPATHS; k++)
		if (from[k] != NONE)
			to[k] = longer(from[k] + ticks, to[k]);
}

static void none(int16_t *path)
{
	for (unsigned k = 0; k < NPATHS; k++)
		path[k] = NONE;
}

/* True if the instruction adds to its operand `ra`, which it needs later than its other
 * operands. */
static bool adds_to_product(const struct pmk_insn *in, const struct cost *c)
{
	return c->early && in->ra != PMK_NO_REG;
}

/* Returns how many ticks before its beginning the access needs `reg`. On a board with a Cortex-A72,
 * an access needs its index register a cycle before its base. */
static int late_index(const struct pmk_core *core, const struct pmk_insn *in, int reg)
{
	bool index = (in->load || in->store) && reg == in->rm && reg != in->rn && !in->writeback &&
		     in->iclass != PMK_I_ATOMIC && !in->exclusive;

	return index && pmk_a64_is_a64(core) && core->a64.costs != PMK_A64_COSTS_N1 ? CYCLES(1) : 0;
}

/*
 * Lets the instruction wait for a register, which it needs `ticks` ticks before it begins, or after
 * it begins if `ticks` is negative. If `sum` is true, this applies only to a result that is
 * forwarded early; other results are needed when the instruction begins.
 */
static void await(struct build *f, unsigned reg, int ticks, bool sum, int16_t *begin)
{
	if (sum && f->written[reg] && !f->sum[reg])
		ticks = 0;
	if (f->written[reg]) {
		follow(begin, f->at[reg], ticks);
		return;
	}
	if (!f->source_of[reg]) {
		f->source_of[reg] = (uint8_t)f->nsources;
		f->source[f->nsources++] = (uint8_t)reg;
	}
	begin[f->source_of[reg]] = longer(ticks, begin[f->source_of[reg]]);
}

/*
 * Computes when the instruction can begin. If it adds to the result of another multiplication, it
 * needs that result late. A value from before the block is assumed to be such a result.
 */
static void begins(const struct pmk_core *core, struct build *f, const struct pmk_insn *in,
		   const struct cost *c, uint32_t enters, int16_t *begin)
{
	uint32_t at = enters;

	none(begin);
	for (unsigned i = 0; i < c->nports; i++) {
		uint32_t *queue = &f->queue[c->use[i].port];

		at = *queue > at ? *queue : at;
	}
	begin[0] = (int16_t)at;
	for (uint64_t rest = in->reads; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);
		bool sums = adds_to_product(in, c) && (int)r == in->ra && (int)r != in->rn &&
			    (int)r != in->rm;

		await(f, r, sums ? -(int)CYCLES(c->early) : late_index(core, in, (int)r), sums,
		      begin);
	}
	/* CBZ and similar branches read a register instead of the flags. */
	if (in->reads_flags || (in->conditional && !(in->is_branch && in->reads)))
		await(f, PMK_A64_FLAGS, 0, false, begin);
}

/* Returns the number of equal ports that the model treats as one. */
static unsigned alike(const struct pmk_core *core, unsigned port)
{
	switch (port) {
	case PMK_A64_PORT_INTEGER:
		return (unsigned)core->a64.integers;
	case PMK_A64_PORT_FP:
		return 2;
	case PMK_A64_PORT_LOAD:
	case PMK_A64_PORT_STORE:
		return (unsigned)core->a64.loads;
	default:
		return 1;
	}
}

static uint32_t ticks_of(const struct pmk_core *core, const struct port_use *use)
{
	return use->ticks ? use->ticks : CYCLES(use->cycles) / alike(core, use->port);
}

static void take_ports(const struct pmk_core *core, struct build *f, const struct cost *c,
		       uint32_t enters)
{
	for (unsigned i = 0; i < c->nports; i++) {
		unsigned port = c->use[i].port;
		uint32_t ticks = ticks_of(core, &c->use[i]);

		f->queue[port] = (f->queue[port] > enters ? f->queue[port] : enters) + ticks;
		f->busy[port] += ticks;
	}
}

/*
 * Instructions that wait for the same source take a port one after the other, in program order. An
 * instruction that can begin early enough takes the port before the others. If the port stands for
 * several equal ports, that number of instructions can take it at once. `ticks` is how long the
 * instruction takes the port, and `others` is this time for all equal ports except one.
 */
static void take_turn(struct turn *t, int ticks, int others, int16_t *begin)
{
	if (*begin == NONE || *begin + ticks <= t->from)
		return;
	if (*begin >= t->until)
		*t = (struct turn){ *begin, *begin };
	*begin = longer(t->until - others, *begin);
	t->until = (int16_t)(t->until + ticks);
}

static struct turn *turns_of(struct build *f, unsigned port)
{
	for (unsigned k = 0; k < NPATHS && !f->turned[port]; k++)
		f->turn[port][k] = (struct turn){ NONE, NONE };
	f->turned[port] = true;
	return f->turn[port];
}

static void take_turns(const struct pmk_core *core, struct build *f, const struct cost *c,
		       int16_t *begin)
{
	unsigned nloads = PMK_A64_MAX_SOURCES + f->nloads;

	for (unsigned i = 0; i < c->nports; i++) {
		struct turn *turn = turns_of(f, c->use[i].port);
		int ticks = (int)ticks_of(core, &c->use[i]),
		    others = ticks * ((int)alike(core, c->use[i].port) - 1);

		for (unsigned k = 1; k < f->nsources; k++)
			take_turn(&turn[k], ticks, others, &begin[k]);
		for (unsigned k = PMK_A64_MAX_SOURCES + f->first_load; k < nloads; k++)
			take_turn(&turn[k], ticks, others, &begin[k]);
	}
}

static void result(struct build *f, unsigned reg, const int16_t *begin, unsigned latency, bool sum)
{
	none(f->at[reg]);
	follow(f->at[reg], begin, (int)CYCLES(latency));
	f->written[reg] = true;
	f->sum[reg] = sum;
}

static void results(const struct pmk_core *core, struct build *f, const struct pmk_insn *in,
		    const struct cost *c, const int16_t *begin, int load)
{
	for (uint64_t rest = in->writes; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);
		bool base = in->writeback && (int)r == in->rn && (int)r != in->rd;

		/* A board with a Cortex-A72 loads the second register of a pair a cycle later. */
		bool second = (int)r == in->rd2 && in->iclass == PMK_I_LOAD &&
			      core->a64.costs != PMK_A64_COSTS_N1 && pmk_a64_is_a64(core) &&
			      !(in->kind & PMK_K_VECTOR_MEM);

		result(f, r, begin, base ? 1 : c->latency + second, adds_to_product(in, c));
		if (load >= 0 && !base)
			f->at[r][load] = 0;
	}
	if (in->sets_flags)
		result(f, PMK_A64_FLAGS, begin, c->latency, false);
	none(f->last);
	follow(f->last, begin, (int)CYCLES(c->latency));
	if (load >= 0)
		f->last[load] = 0;
	follow(f->done, f->last, 0);
}

/* ---- stores and loads of the same words ------------------------------------------------------ */

static void delay_value(struct build *f, unsigned reg, const int16_t *from, int ticks)
{
	follow(f->at[reg], from, ticks);
	follow(f->last, from, ticks);
	follow(f->done, from, ticks);
}

/* Delays the value of a load if a store of this piece of code, or perhaps an earlier one, wrote
 * it. */
static void forward_value(const struct pmk_core *core, struct build *f, const struct pmk_insn *in)
{
	for (unsigned word = 0; word < pmk_a64_words(in); word++) {
		struct pmk_a64_value at = pmk_a64_address(&f->stores, in, word);
		int reg = word ? in->rd2 : in->rd, slot;
		int16_t before[NPATHS];
		bool whole;
		int row = pmk_a64_stores_find(&f->stores, &at, in->mem_bytes, &whole);

		if (reg == PMK_NO_REG)
			continue;
		if (row >= 0) {
			uint64_t takes = whole ? core->a64.forward : core->a64.forward_part;

			delay_value(f, (unsigned)reg, f->stored[row], (int)CYCLES(takes));
			continue;
		}
		slot = pmk_a64_slot_before(&f->stores, &at);
		if (slot < 0)
			continue;
		none(before);
		await(f, (unsigned)(PMK_A64_SLOT + slot), 0, false, before);
		delay_value(f, (unsigned)reg, before, 0);
	}
}

static void note_store(struct build *f, const struct pmk_insn *in, const int16_t *begin)
{
	if (pmk_a64_words(in))
		memcpy(f->stored[pmk_a64_stores_add(&f->stores, in)], begin,
		       NPATHS * sizeof(*begin));
}

/* Makes the times of stored words results in their slots, where later pieces of code find them. */
static void fill_slots(const struct pmk_core *core, struct build *f)
{
	const struct pmk_a64_stores *s = &f->stores;
	unsigned most = s->count < PMK_A64_STORES ? s->count : PMK_A64_STORES;
	int16_t now[NPATHS];

	none(now);
	now[0] = 0;
	for (unsigned i = PMK_A64_WORD_SLOTS; i < PMK_A64_SLOTS && s->words; i++)
		result(f, PMK_A64_SLOT + i, now, 0, false);
	for (unsigned i = most; i > 0; i--) {
		unsigned row = (s->count - i) % PMK_A64_STORES;
		struct pmk_a64_value at = s->row[row].at;

		for (unsigned part = 0; part < s->row[row].bytes; part += 8, at.plus += 8) {
			int slot = pmk_a64_slot_after(s, &at);

			if (slot >= 0)
				result(f, (unsigned)(PMK_A64_SLOT + slot), f->stored[row],
				       (unsigned)core->a64.forward, false);
		}
	}
}

/* ---- parts of the flow ----------------------------------------------------------------------- */

static void *part(struct build *f, size_t bytes, size_t align)
{
	char *at = f->out + (-(uintptr_t)f->out & (align - 1));

	f->out = at + bytes;
	return at;
}

static void add_path(struct build *f, bool load, unsigned place, int16_t ticks)
{
	struct pmk_a64_path *path = part(f, sizeof(*path), _Alignof(struct pmk_a64_path));

	*path = (struct pmk_a64_path){ .ticks = ticks, .load = load, .place = (uint8_t)place };
}

static unsigned list_results(const struct build *f, uint8_t *out)
{
	unsigned n = 0;

	out[n++] = PMK_A64_RETIRED;
	out[n++] = PMK_A64_RESOLVED;
	for (unsigned place = 0; place < NPLACES; place++)
		if (f->written[place])
			out[n++] = (uint8_t)place;
	while (n % PMK_A64_LANES)
		out[n++] = PMK_A64_NOWHERE;
	return n;
}

static const int16_t *path_to(const struct build *f, unsigned place)
{
	return place == PMK_A64_RETIRED	   ? f->done
	       : place == PMK_A64_RESOLVED ? f->last
	       : place == PMK_A64_NOWHERE  ? NULL
					   : f->at[place];
}

static void add_groups(struct build *f, struct pmk_a64_flow *flow)
{
	uint8_t *result = part(f, NPLACES + 2 * PMK_A64_LANES, 1);
	unsigned n = list_results(f, result);
	pmk_a64_lanes *path;

	flow->result = result;
	flow->ngroups = (uint8_t)(n / PMK_A64_LANES);
	path = part(f, flow->ngroups * f->nsources * sizeof(*path), sizeof(*path));
	flow->path = path;
	for (unsigned lane = 0; lane < n; lane++) {
		const int16_t *to = path_to(f, result[lane]);

		for (unsigned k = 0; k < f->nsources; k++)
			path[lane / PMK_A64_LANES * f->nsources + k][lane % PMK_A64_LANES] =
				to ? to[k] : NONE;
	}
}

static unsigned add_paths_from(struct build *f, const int16_t *begin)
{
	unsigned n = 0;

	for (unsigned k = 0; k < NPATHS; k++) {
		bool load = k >= PMK_A64_MAX_SOURCES;

		if (begin[k] == NONE)
			continue;
		add_path(f, load, load ? k - PMK_A64_MAX_SOURCES : k, begin[k]);
		n++;
	}
	return n;
}

static unsigned add_paths_to(struct build *f, const struct pmk_a64_flow *flow, unsigned load)
{
	unsigned n = 0;

	for (unsigned lane = 0; lane < flow->ngroups * PMK_A64_LANES; lane++) {
		const int16_t *to = path_to(f, flow->result[lane]);

		if (!to || to[PMK_A64_MAX_SOURCES + load] == NONE)
			continue;
		add_path(f, false, lane, to[PMK_A64_MAX_SOURCES + load]);
		n++;
	}
	return n;
}

static void add_loads(struct build *f, struct pmk_a64_flow *flow)
{
	struct pmk_a64_load *load =
		part(f, (f->nloads - f->first_load) * sizeof(*load), _Alignof(struct pmk_a64_load));

	flow->load = load;
	for (unsigned i = f->first_load; i < f->nloads; i++, load++) {
		load->path = part(f, 0, _Alignof(struct pmk_a64_path));
		load->nfrom = (uint16_t)add_paths_from(f, f->begin[i]);
		load->nto = (uint16_t)add_paths_to(f, flow, i);
	}
}

/* ---- entry ----------------------------------------------------------------------------------- */

/* Returns the number of the next load. All loads beyond the maximum share the last number. */
static unsigned next_load(unsigned *n)
{
	return *n < PMK_A64_MAX_LOADS ? (*n)++ : PMK_A64_MAX_LOADS - 1;
}

void pmk_a64_number_loads(const struct pmk_insn *insn, size_t n, struct pmk_pipe_slot *slots)
{
	unsigned nloads = 0;

	for (size_t i = 0; i < n; i++)
		slots[i] = (struct pmk_pipe_slot){
			.use = insn[i].load ? (uint16_t)next_load(&nloads) : PMK_A64_NO_LOAD,
		};
}

uint32_t pmk_a64_enters(const struct pmk_core *core, size_t n)
{
	return (uint32_t)(n * PMK_A64_TICKS / core->a64.issue_width);
}

/* True if the piece ends before this instruction. Before a load, a piece may become longer, so that
 * the load stays in the same piece as a store before it. */
static bool is_cut(const struct build *f, const struct pmk_insn *in)
{
	int most = in->load ? 2 * LONG : LONG;

	for (unsigned k = 0; k < NPATHS; k++)
		if (f->done[k] > most)
			return true;
	return false;
}

/* Computes the dataflow of the first piece of the `n` instructions, and returns the number of
 * instructions in this piece. The block has `nloads` loads before these instructions. */
static size_t work_out(struct build *f, const struct pmk_core *core, const struct pmk_insn *insn,
		       size_t n, unsigned nloads)
{
	/* Decoders for A32 do not give the offsets of addresses. */
	bool forwards = core->a64.forward && pmk_a64_is_a64(core);
	int16_t begin[NPATHS];
	size_t i;

	if (forwards)
		pmk_a64_stores_init(&f->stores);
	none(f->done);
	for (i = 0; i < n && !is_cut(f, &insn[i]); i++) {
		struct cost c = pmk_a64_is_round(insn, n, i) ? pmk_a64_half_round(core, &insn[i])
							     : pmk_a64_cost(core, &insn[i]);
		uint32_t enters = pmk_a64_enters(core, f->slots);
		int load = -1;

		begins(core, f, &insn[i], &c, enters, begin);
		take_ports(core, f, &c, enters);
		take_turns(core, f, &c, begin);
		f->slots += c.slots ? c.slots : 1;
		if (insn[i].load) {
			unsigned number = next_load(&nloads);

			f->nloads = number + 1;
			memcpy(f->begin[number], begin, sizeof(begin));
			load = (int)(PMK_A64_MAX_SOURCES + number);
		}
		results(core, f, &insn[i], &c, begin, load);
		if (!forwards)
			continue;
		if (load >= 0)
			forward_value(core, f, &insn[i]);
		else if (insn[i].store)
			note_store(f, &insn[i], begin);
		pmk_a64_stores_pass(&f->stores, &insn[i]);
	}
	if (forwards)
		fill_slots(core, f);
	return i;
}

static void write_out(struct build *f, const struct pmk_core *core, size_t n,
		      struct pmk_a64_flow *flow)
{
	uint8_t *source = part(f, f->nsources, 1);

	*flow = (struct pmk_a64_flow){
		.ninsns = (uint16_t)n,
		.dispatch = (uint16_t)pmk_a64_enters(core, f->slots),
		.nsources = (uint8_t)f->nsources,
		.source = memcpy(source, f->source, f->nsources),
	};
	for (unsigned p = 0; p < PMK_A64_LANES; p++) {
		flow->busy[p] = (int16_t)f->busy[p];
		flow->used[p] = f->busy[p] && p != PMK_A64_PORT_BRANCH ? -1 : 0;
	}
	/*
	 * A core executes one branch per cycle. In the model no instruction waits for the branch
	 * port. Instead, a block with a branch takes at least a cycle to dispatch.
	 */
	if (f->busy[PMK_A64_PORT_BRANCH] && flow->dispatch < PMK_A64_TICKS)
		flow->dispatch = PMK_A64_TICKS;
	add_groups(f, flow);
	add_loads(f, flow);
}

size_t pmk_a64_flow(const struct pmk_core *core, const struct pmk_insn *insn, size_t n, void *out)
{
	struct pmk_a64_flow *flow = out, *before = NULL;
	struct turn turn[PMK_A64_LANES][NPATHS];
	unsigned nloads = 0;
	size_t ran;
	char *end;

	for (size_t i = 0; i < n; i += ran) {
		struct build f = { .nsources = 1, .turn = turn, .out = (char *)(flow + 1) };

		f.first_load = f.nloads = nloads;
		ran = work_out(&f, core, insn + i, n - i, nloads);
		write_out(&f, core, ran, flow);
		flow->first_load = (uint8_t)f.first_load;
		nloads = f.nloads;
		if (before)
			before->next = flow;
		before = flow;
		end = part(&f, 0, 64);
		flow = (struct pmk_a64_flow *)(void *)end;
	}
	return (size_t)((char *)flow - (char *)out);
}
