// SPDX-License-Identifier: MIT
/*
 * The clock of a core that executes out of order, while blocks run: see window.h. An instruction
 * that enters the window after a result is available need not wait for the result. So the time of
 * such a result makes no difference, and may be set to the base.
 */
#include "cpu/a64/window.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <pmk/error.h>

#include "cpu/a64/a64.h"

/*
 * If a time, in ticks after the base, is later than this, the base is moved. The rest of the 16-bit
 * range is enough for everything that is added at once. The front end is never further from the
 * base than this.
 */
#define MOST 16000

#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
#define SHUFFLE(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define SHUFFLE(v, ...) __builtin_shuffle(v, (pmk_a64_lanes){ __VA_ARGS__ })
#endif

static inline pmk_a64_lanes later(pmk_a64_lanes a, pmk_a64_lanes b)
{
#ifdef __SSE2__
	return (pmk_a64_lanes)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
	pmk_a64_lanes m = a > b;

	return (a & m) | (b & ~m);
#endif
}

static inline pmk_a64_lanes all(int16_t ticks)
{
	return ticks - (pmk_a64_lanes){ 0 };
}

static inline int16_t latest(pmk_a64_lanes v)
{
	v = later(v, SHUFFLE(v, 4, 5, 6, 7, 0, 1, 2, 3));
	v = later(v, SHUFFLE(v, 2, 3, 0, 1, 6, 7, 4, 5));
	v = later(v, SHUFFLE(v, 1, 0, 3, 2, 5, 4, 7, 6));
	return v[0];
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The hash tables have twice as many entries as there are states and steps. */
#define STATE_MASK (2 * PMK_A64_STATES - 1)
#define STEP_MASK  (2 * PMK_A64_STEPS - 1)

/* Forget all steps and states. */
static void forget(struct pmk_a64_window *w)
{
	memset(w->state_at, 0, (STATE_MASK + 1) * sizeof(*w->state_at));
	memset(w->step_at, 0, (STEP_MASK + 1) * sizeof(*w->step_at));
	w->nstates = w->nsteps = 0;
	w->state = w->last = 0;
}

int pmk_a64_window_init(struct pmk_a64_window *w, const struct pmk_core *core)
{
	*w = (struct pmk_a64_window){
		.timed = true,
		.size = (uint32_t)core->a64.window,
		.width = (uint32_t)core->a64.issue_width,
		.taken = (uint32_t)core->a64.taken * PMK_A64_TICKS,
		.far = (uint32_t)(core->a64.taken + core->a64.far) * PMK_A64_TICKS,
		.nnear = (uint32_t)core->a64.near,
		.steps = malloc(PMK_A64_STEPS * sizeof(*w->steps)),
		.states = malloc(PMK_A64_STATES * sizeof(*w->states)),
		.state_at = calloc(STATE_MASK + 1, sizeof(*w->state_at)),
		.step_at = calloc(STEP_MASK + 1, sizeof(*w->step_at)),
	};
	while ((8u << w->ring_shift) < w->size)
		w->ring_shift++;
	if (!w->steps || !w->states || !w->state_at || !w->step_at)
		return PMK_ENOMEM;
	w->steps[0] = (struct pmk_a64_step){ .block = UINT32_MAX };
	return 0;
}

void pmk_a64_window_fini(struct pmk_a64_window *w)
{
	free(w->steps);
	free(w->states);
	free(w->state_at);
	free(w->step_at);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Move the base forward by `ticks`. All times are relative to it. */
static void move(struct pmk_a64_window *w, int64_t ticks)
{
	for (unsigned i = 0; i < PMK_A64_TIMED; i++)
		w->time[i] = w->time[i] > ticks ? (int16_t)(w->time[i] - ticks) : 0;
	for (unsigned i = 0; i < PMK_A64_MAX_SOURCES; i++)
		w->source[i] = w->source[i] > ticks ? (int16_t)(w->source[i] - ticks) : 0;
	for (unsigned i = 0; i < PMK_A64_MAX_LOADS; i++)
		w->load[i] = w->load[i] > ticks ? (int16_t)(w->load[i] - ticks) : 0;
	w->base += (uint64_t)ticks;
}

/* `ticks` is a time relative to the base. If it is too large, moves the base forward. Returns the
 * time relative to the new base. */
static int16_t reach(struct pmk_a64_window *w, int64_t ticks)
{
	int64_t by = ticks - MOST / 2;

	if (ticks <= MOST)
		return (int16_t)ticks;
	move(w, by);
	return (int16_t)(ticks - by);
}

/* Move the base up to the front end. */
static void catch_up(struct pmk_a64_window *w)
{
	int64_t front = w->time[PMK_A64_FRONT], least = w->time[PMK_A64_RETIRED] - MOST / 2;

	move(w, front > least ? front : least);
}

static void bring_front(struct pmk_a64_window *w, int64_t ticks)
{
	if (ticks > w->time[PMK_A64_FRONT])
		w->time[PMK_A64_FRONT] = reach(w, ticks);
}

/*
 * Write the present time of RETIRED into the parts of the ring that have instructions from number
 * `from` up to, but not including, `to`. So each part has the retirement time of the last block
 * that has instructions in the part.
 */
static void write_ring(struct pmk_a64_window *w, uint32_t from, uint32_t to)
{
	for (uint32_t part = from >> w->ring_shift; part <= (to - 1) >> w->ring_shift; part++)
		w->time[PMK_A64_RING + (part & 15)] = w->time[PMK_A64_RETIRED];
}

/* Returns when there is room for an instruction in the window: when the instruction that is one
 * window size older has retired. */
static inline int16_t room_for(const struct pmk_a64_window *w, uint32_t number)
{
	return w->time[PMK_A64_RING + (((number - w->size) >> w->ring_shift) & 15)];
}

static inline int16_t later_of(int16_t a, int16_t b)
{
	return a > b ? a : b;
}

static inline void store_group(int16_t *time, const uint8_t *result, pmk_a64_lanes v)
{
	for (unsigned i = 0; i < PMK_A64_LANES; i++)
		time[result[i]] = v[i];
}

static void enter(struct pmk_a64_window *w, const struct pmk_a64_flow *f)
{
	const pmk_a64_lanes *path = f->path;
	const uint8_t *result = f->result;
	const unsigned n = f->nsources;
	int16_t *time = w->time, front, begin;
	pmk_a64_lanes *ports = (pmk_a64_lanes *)(void *)&time[PMK_A64_PORTS], v;
	uint32_t entered = w->entered + f->ninsns;
	int16_t retired = (int16_t)(time[PMK_A64_RETIRED] + f->dispatch);

	front = later_of(time[PMK_A64_FRONT], room_for(w, w->entered));
	begin = later_of(front, latest(*ports & f->used));
	*ports = later(*ports, all(front)) + f->busy;
	w->source[0] = begin;
	for (unsigned i = 1; i < n; i++)
		w->source[i] = time[f->source[i]];
	for (unsigned g = 0; g < f->ngroups; g++) {
		v = all(begin) + path[0];
		for (unsigned i = 1; i < n; i++)
			v = later(v, all(w->source[i]) + path[i]);
		store_group(time, result, v);
		path += n;
		result += PMK_A64_LANES;
	}
	time[PMK_A64_RETIRED] = later_of(time[PMK_A64_RETIRED], retired);
	time[PMK_A64_FRONT] = later_of((int16_t)(front + f->dispatch), room_for(w, entered - 1));
	write_ring(w, w->entered, entered);
	w->entered = entered;
	if (PMK_UNLIKELY(time[PMK_A64_RETIRED] > MOST))
		catch_up(w);
}

static void enter_block(struct pmk_a64_window *w, const struct pmk_block *b)
{
	const struct pmk_a64_flow *f = b->a64.flow;

	for (enter(w, f); PMK_UNLIKELY(f->next != NULL); enter(w, f))
		f = f->next;
	w->flow = f;
	w->missed = 0;
	w->timed = true;
}

/* ---- states ---------------------------------------------------------------------------------- */

/* States are not remembered if a time is later than this, in ticks after the front end. */
#define NEAR (64 * PMK_A64_TICKS)

/*
 * Returns the time of the part of the ring that is `i` parts old. That time makes a difference only
 * if it is later than the time at which the front end, without any other wait, needs the room of
 * this part.
 */
static int16_t part_of_ring(const struct pmk_a64_window *w, uint32_t i)
{
	uint32_t part = (w->entered >> w->ring_shift) - i;
	int32_t until = (int32_t)((part << w->ring_shift) + w->size - w->entered);
	int32_t ticks = w->time[PMK_A64_RING + (part & 15)] - w->time[PMK_A64_FRONT];

	if (until <= -(int32_t)(1u << w->ring_shift))
		return 0;
	if (until > 0 && ticks <= until * PMK_A64_TICKS / (int32_t)w->width)
		return 0;
	return (int16_t)later_of((int16_t)ticks, 0);
}

/*
 * Write the ring as a state stores it, beginning with the part of the next instruction. FRONT is
 * not needed as a time, because times in a state are relative to it. Its entry has how many
 * instructions of the present part have entered.
 */
static void present_ring(const struct pmk_a64_window *w, struct pmk_a64_state *s)
{
	bool any = false;

	for (uint32_t i = 0; i < 16; i++) {
		s->time[PMK_A64_RING + (-i & 15)] = part_of_ring(w, i);
		any |= s->time[PMK_A64_RING + (-i & 15)] != 0;
	}
	if (any)
		s->time[PMK_A64_FRONT] = (int16_t)(w->entered & ((1u << w->ring_shift) - 1));
}

/* Write the present state. Returns false if it must not be remembered. */
static bool present(const struct pmk_a64_window *w, struct pmk_a64_state *s)
{
	const pmk_a64_lanes *from = (const pmk_a64_lanes *)(const void *)w->time;
	const pmk_a64_lanes front = all(w->time[PMK_A64_FRONT]);
	pmk_a64_lanes *to = (pmk_a64_lanes *)(void *)s->time;
	const unsigned ring = PMK_A64_RING / PMK_A64_LANES;

	if (w->front < w->until || w->time[PMK_A64_RETIRED] - w->time[PMK_A64_FRONT] > NEAR)
		return false;
	for (unsigned i = 0; i < PMK_A64_TIMED / PMK_A64_LANES; i++)
		to[i] = later(from[i], front) - front;
	s->time[PMK_A64_NOWHERE] = 0;
	if (latest(later(to[ring], to[ring + 1])))
		present_ring(w, s);
	return true;
}

static uint32_t hash(const struct pmk_a64_state *s)
{
	const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h[4] = { 1, 2, 3, 4 }, part;

	/* Four independent chains, so that the host computes them at once. */
	for (unsigned i = 0; i < PMK_A64_TIMED; i += 4) {
		memcpy(&part, &s->time[i], sizeof(part));
		h[i / 4 % 4] = (h[i / 4 % 4] ^ part ^ h[i / 4 % 4] >> 29) * factor;
	}
	part = (h[0] ^ h[1] >> 7 ^ h[2] >> 13 ^ h[3] >> 19) * factor;
	return (uint32_t)(part >> 32);
}

/* Returns the number of a state, which is added if it is new. */
static uint32_t number_of(struct pmk_a64_window *w, const struct pmk_a64_state *s)
{
	uint32_t i;

	for (i = hash(s) & STATE_MASK; w->state_at[i]; i = (i + 1) & STATE_MASK)
		if (!memcmp(&w->states[w->state_at[i]], s, sizeof(*s)))
			return w->state_at[i];
	w->states[++w->nstates] = *s;
	w->state_at[i] = (uint16_t)w->nstates;
	return w->nstates;
}

/* Restore the times of a state. `front` is the time of its front end. */
static void recall(struct pmk_a64_window *w, uint32_t state, uint64_t front)
{
	memcpy(w->time, w->states[state].time, sizeof(w->time));
	w->entered = (uint32_t)w->time[PMK_A64_FRONT];
	w->time[PMK_A64_FRONT] = 0;
	w->base = front;
}

/* Restarts the front end after a branch. `block` is as in struct pmk_a64_step, and may also have
 * PMK_A64_FAR. */
static void begin_anew(struct pmk_a64_window *w, const struct pmk_cpu *cpu, uint32_t block)
{
	int64_t refill = (int64_t)cpu->core.bp.penalty - 1;

	if (block & PMK_A64_WRONG)
		bring_front(w, w->time[PMK_A64_RESOLVED] + refill * PMK_A64_TICKS);
	else if (block & PMK_A64_TAKEN)
		bring_front(w, w->time[PMK_A64_FRONT] +
				       (int64_t)(block & PMK_A64_FAR ? w->far : w->taken));
}

static uint16_t step_from(const struct pmk_a64_window *w, uint32_t block)
{
	return (uint16_t)(w->state | (block & PMK_A64_FAR ? PMK_A64_FROM_FAR : 0));
}

/*
 * Find in the hash table the entry of the step that `block` makes from the present state, or a free
 * entry for this step.
 */
static uint16_t *find_step(const struct pmk_a64_window *w, uint32_t block)
{
	uint32_t i = w->state * 0x9e3779b1u + block * 0x85ebca6bu;
	const uint16_t from = step_from(w, block);
	const uint32_t to = block & ~PMK_A64_FAR;

	for (i = (i ^ i >> 15) & STEP_MASK; w->step_at[i]; i = (i + 1) & STEP_MASK)
		if (w->steps[w->step_at[i]].from == from && w->steps[w->step_at[i]].block == to)
			break;
	return &w->step_at[i];
}

/* Compute the state after the block from the present state. */
static void work_out(struct pmk_cpu *cpu, struct pmk_a64_window *w, const struct pmk_block *b,
		     uint32_t block)
{
	if (w->state)
		recall(w, w->state, w->front);
	begin_anew(w, cpu, block);
	bring_front(w, w->time[PMK_A64_FRONT] + (int64_t)w->wait * PMK_A64_TICKS);
	enter_block(w, b);
	w->front = w->base + (uint64_t)w->time[PMK_A64_FRONT];
	pmk_a64_window_count(cpu, w, w->base + (uint64_t)w->time[PMK_A64_RETIRED]);
}

/* Remember the step from the previous state to the present one, which the block has made. */
static void remember(struct pmk_a64_window *w, uint32_t block, uint16_t *place, uint64_t before)
{
	uint64_t advance = w->front - before;
	uint16_t from = step_from(w, block);
	struct pmk_a64_state s;

	w->state = 0;
	if (!present(w, &s))
		return;
	w->state = number_of(w, &s);
	if (!place || advance > UINT16_MAX)
		return;
	w->steps[++w->nsteps] = (struct pmk_a64_step){
		.block = block & ~PMK_A64_FAR,
		.from = from,
		.to = (uint16_t)w->state,
		.advance = (uint16_t)advance,
		.retired = s.time[PMK_A64_RETIRED],
	};
	*place = (uint16_t)w->nsteps;
	w->last = w->nsteps;
}

/*
 * Number of executions of a block after which a far branch (PMK_A64_FAR) at its end is remembered
 * as the usual way out of the block.
 */
#define SETTLED 16

/* Returns true if the branch at the end of `p`, which goes to `target`, is not in `near` with this
 * target, and then puts it there. */
static bool is_far(struct pmk_a64_window *w, const struct pmk_block *p, uint64_t target)
{
	uint32_t branch = (uint32_t)p->fall, at = PMK_A64_MAX_NEAR;

	if (w->far == w->taken)
		return false;
	for (unsigned i = 0; i < PMK_A64_MAX_NEAR; i++)
		at = w->near[i] == branch ? i : at;
	if (at < PMK_A64_MAX_NEAR && w->near_target[at] == (uint32_t)target)
		return false;
	if (at == PMK_A64_MAX_NEAR) {
		at = w->oldest;
		w->oldest = at + 1 < w->nnear ? at + 1 : 0;
	}
	w->near[at] = branch;
	w->near_target[at] = (uint32_t)target;
	return true;
}

/* Handles a step that follows the block `p`, if it is another step than last time. */
void pmk_a64_window_other_step(struct pmk_cpu *cpu, struct pmk_a64_window *w,
			       const struct pmk_block *p, const struct pmk_block *b, uint32_t block,
			       unsigned way)
{
	uint32_t last = w->last;
	uint16_t *place;

	if (block & PMK_A64_TAKEN && is_far(w, p, b->pc) && !(block & PMK_A64_WRONG)) {
		block += PMK_A64_FAR;
		/*
		 * Every branch is far in the first executions of its block, so do not link this
		 * step to the one before.
		 */
		if (cpu->executions[p->id].count < SETTLED)
			last = 0;
	}

	if (w->nstates + 1 == PMK_A64_STATES || w->nsteps + 1 == PMK_A64_STEPS) {
		if (w->state)
			recall(w, w->state, w->front);
		forget(w);
		last = 0;
	}
	w->last = 0;
	place = w->state && !w->wait ? find_step(w, block) : NULL;
	if (place && *place) {
		pmk_a64_window_take(cpu, w, *place);
	} else {
		uint64_t before = w->front;

		work_out(cpu, w, b, block);
		remember(w, block, place, before);
	}
	w->wait = 0;
	if (last && w->last)
		w->steps[last].then[way] = (uint16_t)w->last;
}

void pmk_a64_window_fetch(struct pmk_cpu *cpu, uint64_t cycles)
{
	cpu->a64.window->wait += (uint32_t)cycles;
	cpu->a64.window->last = 0;
}

void pmk_a64_window_jump(struct pmk_cpu *cpu, const struct pmk_block *p)
{
	struct pmk_a64_window *w = cpu->a64.window;

	pmk_a64_window_fetch(cpu, (is_far(w, p, p->fall) ? w->far : w->taken) / PMK_A64_TICKS);
}

void pmk_a64_window_mispredict(struct pmk_cpu *cpu)
{
	cpu->a64.window->wrong = true;
}

/* ---- data ------------------------------------------------------------------------------------ */

/*
 * Called when the times of the running block change because of something that was not known when it
 * began. If only its step was taken, computes its times from the state in which it began.
 */
static void open_times(struct pmk_cpu *cpu, struct pmk_a64_window *w)
{
	const struct pmk_a64_step *s = &w->steps[w->last];

	if (!w->timed) {
		uint32_t far = s->from & PMK_A64_FROM_FAR ? PMK_A64_FAR : 0;

		recall(w, s->from - (far ? PMK_A64_FROM_FAR : 0), w->front - s->advance);
		begin_anew(w, cpu, s->block | far);
		enter_block(w, w->block);
	}
	w->state = w->last = 0;
}

/* Delay the retirement of the running block until `ticks`. Returns by how many cycles this advances
 * the clock. */
static uint64_t retire_at(struct pmk_cpu *cpu, struct pmk_a64_window *w, int16_t ticks)
{
	w->until = w->base + (uint64_t)ticks;
	if (ticks <= w->time[PMK_A64_RETIRED])
		return 0;
	w->time[PMK_A64_RETIRED] = ticks;
	write_ring(w, w->entered - w->flow->ninsns, w->entered);
	return pmk_a64_window_count(cpu, w, w->base + (uint64_t)ticks);
}

/* Returns the time at the end of a path, or 0 if the path begins at a load that did not miss. */
static int64_t time_from(const struct pmk_a64_window *w, const struct pmk_a64_path *p)
{
	if (!p->load)
		return w->source[p->place] + p->ticks;
	return w->missed >> p->place & 1 ? w->load[p->place] + p->ticks : 0;
}

static int64_t address_ready(const struct pmk_a64_window *w, const struct pmk_a64_load *l)
{
	int64_t at = w->source[0];

	for (unsigned i = 0; i < l->nfrom; i++)
		if (time_from(w, &l->path[i]) > at)
			at = time_from(w, &l->path[i]);
	return at;
}

/*
 * Set the time at which the value of a load is available, and delay the results that depend on it.
 */
static void value_ready(struct pmk_a64_window *w, const struct pmk_a64_load *l, unsigned load,
			int16_t ticks)
{
	const struct pmk_a64_path *p = l->path + l->nfrom;

	if (!(w->missed >> load & 1) || ticks > w->load[load])
		w->load[load] = ticks;
	w->missed |= UINT64_C(1) << load;
	for (unsigned i = 0; i < l->nto; i++, p++) {
		int16_t *time = &w->time[w->flow->result[p->place]];

		if (p->place && ticks + p->ticks > *time)
			*time = (int16_t)(ticks + p->ticks);
	}
}

/* Returns the cycle in which a request made at `from` is answered. */
static uint64_t request(struct pmk_lsu *lsu, uint64_t from, uint64_t latency)
{
	uint64_t *bus = pmk_lsu_bus(lsu), word;
	unsigned slot = pmk_lsu_slot(lsu);

	word = pmk_later(pmk_later(from, lsu->busy_until[slot]) + latency, *bus);
	*bus = word + lsu->fill_cycles;
	lsu->busy_until[slot] = word + lsu->fill_cycles;
	return word;
}

void pmk_a64_window_load(struct pmk_cpu *cpu, unsigned load, uint64_t latency, uint64_t extra,
			 uint64_t arrives)
{
	struct pmk_a64_window *w = cpu->a64.window;
	const struct pmk_a64_load *l;
	uint64_t from, until;
	int64_t issue;
	int16_t ready;

	/* Do nothing if an exception came in the middle of the block and another block has run. */
	if (cpu->prev != w->block)
		return;
	open_times(cpu, w);
	/* If the block has several pieces, the times of earlier ones are gone. */
	if (load < w->flow->first_load)
		return;
	l = &w->flow->load[load - w->flow->first_load];
	issue = address_ready(w, l);
	from = (w->base + (uint64_t)issue) / PMK_A64_TICKS;
	until = latency ? request(&cpu->a64.lsu, from + extra, latency) : from + extra;
	until = pmk_later(until, arrives);
	ready = reach(w, issue + (int64_t)(until - from + PMK_A64_LOAD_HIT) * PMK_A64_TICKS);
	value_ready(w, l, load, ready);
	/* result[0] is the time at which the block retires. */
	cpu->dyn[PMK_SIG_DATA_STALL] +=
		retire_at(cpu, w, (int16_t)(ready + l->path[l->nfrom].ticks));
}

uint64_t pmk_a64_window_preload(struct pmk_cpu *cpu, unsigned load, uint64_t latency,
				uint64_t extra)
{
	struct pmk_a64_window *w = cpu->a64.window;
	int64_t issue;

	if (cpu->prev != w->block)
		return 0;
	open_times(cpu, w);
	issue = w->source[0];
	if (load != PMK_A64_NO_LOAD && load >= w->flow->first_load)
		issue = address_ready(w, &w->flow->load[load - w->flow->first_load]);
	return request(&cpu->a64.lsu, (w->base + (uint64_t)issue) / PMK_A64_TICKS + extra, latency);
}

/* Lets a store retire when the write buffer has room for it. */
void pmk_a64_window_store(struct pmk_cpu *cpu)
{
	struct pmk_a64_window *w = cpu->a64.window;
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t room = (uint64_t)lsu->wbuf_entries * lsu->write_cycles, now;

	if (cpu->prev != w->block)
		return;
	now = w->clock;
	lsu->wbuf_empty = pmk_later(lsu->wbuf_empty, now) + lsu->write_cycles;
	if (lsu->wbuf_empty > now + room) {
		int64_t until;

		open_times(cpu, w);
		until = (int64_t)((lsu->wbuf_empty - room) * PMK_A64_TICKS - w->base);
		cpu->dyn[PMK_SIG_LSU_FULL_STALL] += retire_at(cpu, w, reach(w, until));
	}
}
