// SPDX-License-Identifier: MIT
/* Follows call paths and the tasks of an RTOS. See sites.h. */
#include <stdlib.h>
#include <string.h>

#include "cpu/callbacks.h"
#include "cpu/family.h"
#include "cpu/fault.h"
#include "cpu/sites_state.h"

/*
 * If the stack pointer is not known, a jump counts as a return if it goes to the return address of
 * an open call. If the jump does not look like a return, pmk searches only the last NEARBY calls
 * for its target.
 */
#define NEARBY 1024

static bool path_has_key(const void *record, const struct key *k)
{
	const struct pmk_ledger_path *r = record;

	return r->entry == k->of && r->site == k->site && r->parent == k->path;
}

/* ---- call paths ------------------------------------------------------------------------------ */

/* Returns the record of a path, or NULL for the root. */
static struct pmk_ledger_path *path_record(const struct pmk_sites_rest *s, uint32_t path)
{
	return path ? record_at(s, path) : NULL;
}

/* Returns the path of the function at `entry` when it is called at `site` from `path`, or `path` if
 * no new path begins: the function calls itself from the same place, the path is too deep, or there
 * is no memory. Here, `site` is the address of the call. */
static uint32_t callee(struct pmk_sites_rest *s, uint32_t path, uint64_t entry, uint64_t site)
{
	const struct pmk_ledger_path *from = path_record(s, path);
	const struct key k = { entry, site, path };
	struct pmk_ledger_path *r;
	struct entry *e;

	if (from && ((from->entry == entry && from->site == site) || from->depth >= PMK_PATH_DEPTH))
		return path;
	e = entry_for(s, &s->paths, path_has_key, &k);
	if (e && e->number)
		return e->number;
	if (e)
		e->number = new_record(s, PMK_LEDGER_PATH, sizeof(*r));
	if (!e || !e->number)
		return path;
	r = record_at(s, e->number);
	r->entry = entry;
	r->site = site;
	r->parent = path;
	r->depth = from ? from->depth + 1 : 1;
	s->paths.used++;
	return e->number;
}

/* Returns the stack pointer, or 0 if the emulator does not report it. */
static uint64_t stack_pointer(const struct pmk_sites_rest *s)
{
	return s->owner.stack_pointer ? s->owner.stack_pointer() : 0;
}

/* Forgets the older half of the calls. */
static void forget_calls(struct pmk_sites_rest *s)
{
	const uint32_t n = MAX_CALLS / 2;

	memmove(s->call, s->call + n, n * sizeof(*s->call));
	for (uint32_t i = 0; i < n; i++)
		s->call[i].base = s->call[i].base > n ? s->call[i].base - n : 0;
	s->calls = n;
}

/*
 * Returns the index of the first call on the stack that `sp` belongs to, when a call is made with
 * the stack pointer `sp`. pmk assumes that this is the stack of the last call, unless `sp` is above
 * the stack pointer of the first call on that stack. Then the new call is the first one on its
 * stack, and the function returns its index, s->calls.
 */
static uint32_t stack_base(const struct pmk_sites_rest *s, uint64_t sp)
{
	uint32_t base = s->calls ? s->call[s->calls - 1].base : 0;

	return s->calls && sp > s->call[base].sp ? s->calls : base;
}

static uint32_t call(struct pmk_sites_rest *s, uint32_t path, const struct pmk_block *p,
		     const struct pmk_block *b)
{
	uint64_t sp = stack_pointer(s);

	/* forget_calls() drops only the oldest calls, so the next returns still find their
	 * calls. */
	if (s->calls == MAX_CALLS)
		forget_calls(s);
	s->call[s->calls] = (struct frame){ p->fall, sp, path, stack_base(s, sp) };
	s->calls++;
	path = callee(s, path, b->pc, p->end_addr);
	if (path)
		path_record(s, path)->calls++;
	return path;
}

/*
 * Returns how many calls are still open when control goes to `pc` and the stack pointer is `sp`. A
 * function that made a call has its return address on the stack, so calls that are still open were
 * made with a stack pointer above `sp`. A call that was made at `sp` and has the return address
 * `pc` has returned. If no call at `sp` has this return address, the answer depends on deeper
 * calls, whose stack pointers are below `sp`. If a deeper call has returned, then all calls at `sp`
 * have returned, too. If not, none has: control stays in the function that was called, or has
 * jumped to another function.
 */
static uint32_t calls_above(const struct pmk_sites_rest *s, uint64_t pc, uint64_t sp)
{
	uint32_t end = s->calls, base = s->call[end - 1].base, left;

	while (base && s->call[s->call[base - 1].base].sp >= sp) {
		end = base;
		base = s->call[end - 1].base;
	}
	if (s->call[base].sp < sp) /* the code runs on another stack than the calls */
		return s->calls;
	while (end > base && s->call[end - 1].sp < sp)
		end--;
	for (left = end; left > base && s->call[left - 1].sp == sp; left--)
		if (s->call[left - 1].back == pc)
			return left - 1;
	return end < s->calls ? left : s->calls;
}

/* Does what calls_above() does, but compares only return addresses. */
static uint32_t calls_before(const struct pmk_sites_rest *s, uint64_t pc, bool is_return)
{
	uint32_t oldest = is_return || s->calls < NEARBY ? 0 : s->calls - NEARBY;

	for (uint32_t i = s->calls; i > oldest; i--)
		if (s->call[i - 1].back == pc)
			return i - 1;
	return s->calls;
}

/*
 * Returns the path on which the code at `pc` runs. Control has gone there by a jump that may be a
 * return. longjmp and C++ exceptions return from several calls at once. longjmp goes to an address
 * to which setjmp has returned before, so pmk remembers such returns in s->returned.
 */
static uint32_t go(struct pmk_sites_rest *s, uint32_t path, uint64_t pc, bool is_return)
{
	struct returned *r = &s->returned[(pc >> 1) % RETURNED];
	uint32_t left = s->calls - 1;
	uint64_t sp = s->call[left].sp;

	if (s->call[left].back != pc) {
		sp = stack_pointer(s);
		left = sp ? calls_above(s, pc, sp) : calls_before(s, pc, is_return);
	}
	if (left != s->calls && s->call[left].back == pc)
		*r = (struct returned){ pc, sp, left };
	else if (left == s->calls && r->addr == pc && r->sp == sp && r->calls < left)
		left = r->calls;
	if (left == s->calls)
		return path;
	s->calls = left;
	return s->call[left].path;
}

/* Returns the path on which block `b` runs after `p`, which ran on `path`. */
static uint32_t follow(struct pmk_sites_rest *s, uint32_t path, const struct pmk_block *p,
		       const struct pmk_block *b, bool nests)
{
	if ((b->vector && !nests) || (p->conditional && b->pc == p->fall))
		return path;
	switch ((enum pmk_flow)p->flow) {
	case PMK_FLOW_CALL:
		return b->pc == p->target ? call(s, path, p, b) : path;
	case PMK_FLOW_INDCALL:
		return call(s, path, p, b);
	case PMK_FLOW_INDIRECT:
	case PMK_FLOW_RETURN:
		return s->calls ? go(s, path, b->pc, p->flow == PMK_FLOW_RETURN) : path;
	case PMK_FLOW_NEXT:
	case PMK_FLOW_JUMP:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		return path;
	}
	return path;
}

/*
 * Begins the handler at `b`, which interrupts code that runs on `path`. Returns the path of the
 * handler.
 */
static uint32_t begin_handler(struct pmk_sites_rest *s, uint32_t path, const struct pmk_block *p,
			      const struct pmk_block *b)
{
	const struct pmk_rests *rests = &pmk_rests[s->cpu->index];
	bool inside;

	if (s->nested == NESTED)
		return path;
	inside = p == s->cpu->origin && rests->n;
	if (inside)
		p = rests->rest[rests->n - 1].of;
	s->interrupted[s->nested++] = (struct interrupted){ p, inside, path, s->calls };
	path = callee(s, 0, b->pc, 0);
	if (path)
		path_record(s, path)->calls++;
	return path;
}

/* Ends handlers until only `keep` of them are active. Returns the block that the outermost of the
 * ended handlers interrupted. */
static const struct pmk_block *end_handlers(struct pmk_sites *sites, uint64_t keep)
{
	struct pmk_sites_rest *s = sites->rest;
	const struct interrupted *i = &s->interrupted[keep];

	s->nested = (uint32_t)keep;
	s->calls = i->calls;
	sites->path = i->path;
	return i->block;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/*
 * An RTOS switches tasks in the handler of an exception. When the last handler ends, pmk finds the
 * task that continues by the stack pointer and the address. Only tasks that may have been
 * interrupted at this address can continue. Of their stacks, the one that begins next above the
 * stack pointer is in use. If there is no such task, a new task begins.
 */

static bool may_continue(const struct pmk_sites_rest *s, const struct interrupted *i, uint64_t pc)
{
	const struct pmk_block *p = i->block;

	if (p == s->cpu->origin || (pc >= p->pc && pc <= p->fall))
		return true;
	if (p->flow == PMK_FLOW_JUMP || p->flow == PMK_FLOW_CALL)
		return !i->inside && pc == p->target;
	return !i->inside && pmk_goes_anywhere(p);
}

/* Returns the task that continues at `pc`, or NULL if that task has not run before. */
static struct task *find_task(struct pmk_sites_rest *s, uint64_t sp, uint64_t pc)
{
	struct task *found = NULL;

	for (struct task *t = s->task; t < s->task + s->tasks; t++)
		if (t->top >= sp && (!found || t->top < found->top) &&
		    may_continue(s, &t->last, pc))
			found = t;
	return found;
}

/* Stores the open calls of the running task. Returns false if there is no memory. */
static bool store_calls(struct pmk_sites_rest *s)
{
	struct task *t = s->task + s->running;
	struct frame *call;

	if (t->room < s->calls) {
		call = realloc(t->call, 2 * (size_t)s->calls * sizeof(*call));
		if (!call)
			return false;
		t->call = call;
		t->room = 2 * s->calls;
	}
	if (s->calls)
		memcpy(t->call, s->call, s->calls * sizeof(*t->call));
	return true;
}

/*
 * Adds a task. If another task's stack began at the same address, that task must have ended, and
 * the new task replaces it. Returns NULL if there are too many tasks.
 */
static struct task *new_task(struct pmk_sites_rest *s, uint64_t sp, uint64_t pc)
{
	struct task *t = s->task;

	while (t < s->task + s->tasks && t->top != sp)
		t++;
	if (t == s->task + TASKS)
		return NULL;
	s->tasks += t == s->task + s->tasks;
	t->top = sp;
	t->last = (struct interrupted){ .path = callee(s, 0, pc, 0) };
	if (t->last.path)
		path_record(s, t->last.path)->calls++;
	return t;
}

/*
 * Resumes the task that runs the code at `pc`, after all handlers have ended. If this task is not
 * the one that was interrupted, its path becomes the current path. If the code belongs to no known
 * task, a new task begins, but only if `may_begin` is true. Returns the last block of the task, or
 * NULL if the task begins now.
 */
static const struct pmk_block *resume_task(struct pmk_sites *sites, uint64_t pc, bool may_begin)
{
	struct pmk_sites_rest *s = sites->rest;
	struct task *from = s->task + s->running, *to;
	uint64_t sp = stack_pointer(s);

	from->last = s->interrupted[0];
	to = sp ? find_task(s, sp, pc) : from;
	if (to == from || (!to && !may_begin) || !store_calls(s))
		return from->last.block;
	if (!to)
		to = new_task(s, sp, pc);
	if (!to)
		return from->last.block;
	s->running = (uint32_t)(to - s->task);
	s->calls = to->last.calls;
	if (s->calls)
		memcpy(s->call, to->call, s->calls * sizeof(*s->call));
	sites->path = to->last.path;
	return to->last.block;
}

void pmk_sites_handled(struct pmk_cpu *cpu, uint64_t keep, const struct pmk_block *of)
{
	if (!cpu->sites || cpu->sites->rest->nested <= keep)
		return;
	end_handlers(cpu->sites, keep);
	if (!keep)
		resume_task(cpu->sites, of->pc, false);
}

void pmk_sites_follow(struct pmk_sites *sites, const struct pmk_block *p, const struct pmk_block *b)
{
	struct pmk_sites_rest *s = sites->rest;
	struct pmk_nesting now = { s->nested, false };

	if (sites->nests)
		now = pmk_core_family(&s->cpu->core)->run->nesting(s->cpu, p, b);
	if (s->nested > now.keep) {
		p = end_handlers(sites, now.keep);
		if (!now.keep && !now.begins)
			p = resume_task(sites, b->pc, true);
	}
	if (now.begins)
		sites->path = begin_handler(s, sites->path, p, b);
	else if (p)
		sites->path = follow(s, sites->path, p, b, sites->nests);
}
