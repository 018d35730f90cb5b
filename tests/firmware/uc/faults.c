// SPDX-License-Identifier: MIT
/*
 * A counter overflows at the worst moment: directly before each instruction of each operation, for
 * each counter. So it also overflows directly before each access to the counters. The interrupt
 * comes at once, some instructions later, after the operation, or never. If it never comes, the
 * program polls the counter later. The totals are right in every case.
 *
 * In a second test, a reader interrupts the handler before each of the handler's instructions.
 */
#include <string.h>

#include "rig.h"

#define SAMPLED_PERIOD 20000
#define NEAR	       100000 /* more than an operation can count */

enum when { AT_ONCE, DELAYED, AFTERWARDS, POLLED, NWHEN };
static const char *const when_name[] = { "at once", "delayed", "afterwards", "polled" };

struct fault {
	struct rig rig; /* must be first, because a rig is cast to its fault */
	const struct op *op;
	enum when when;
	unsigned event;	   /* the event that overflows */
	uint64_t position; /* instruction of the operation before which it overflows */
	unsigned delay;	   /* DELAYED: instructions before the interrupt */
	bool inside;	   /* the operation is running */
	uint64_t began;	   /* m->executed at the start of the operation */
	bool raised;
	uint64_t raised_at;
	uint64_t random;
	/* A reader interrupts the handler `inner` instructions after handler_began. */
	uint64_t inner, handler_began;
	bool read;

	/* Expected results of regions and tasks. */
	/* begin: totals when the region began; raw: its expected raw result */
	uint64_t begin[MAX_EVENTS], raw[MAX_EVENTS];
	uint64_t since[MAX_EVENTS], task[MAX_EVENTS];
	unsigned runs;
};

/*
 * An operation during which a counter overflows: what is done before it, the operation, and the
 * checks and the clean-up after it.
 */
struct op {
	const char *name;
	void (*prepare)(struct fault *f);
	void (*run)(struct fault *f);
	void (*finish)(struct fault *f);
};

/* ---- the worst moment ------------------------------------------------------------------------ */

static uint64_t raise_there(struct rig *r, uint64_t pc)
{
	struct fault *f = (struct fault *)r;

	(void)pc;
	if (f->inside && !f->raised && r->m->level == 0 &&
	    r->m->executed - f->began >= f->position && r->begins_at == PMK_NEVER &&
	    machine_peek(r->m, r->event[f->event].reg) >> 31 == 1) {
		rig_approach(r, f->event, 0);
		f->raised = true;
		f->raised_at = r->m->executed;
	}
	return 0;
}

static bool take_then(struct rig *r)
{
	struct fault *f = (struct fault *)r;

	switch (f->when) {
	case AT_ONCE:
		return true;
	case DELAYED:
		return !f->inside || r->m->executed >= f->raised_at + f->delay;
	default:
		return !f->inside;
	}
}

/* ---- the operations -------------------------------------------------------------------------- */

static void nothing(struct fault *f)
{
	(void)f;
}

static void read_all(struct fault *f)
{
	OK(&f->rig, "g_read_all", 0, 0, 0);
}

static void check_totals(struct fault *f)
{
	rig_check(&f->rig, "g_totals", 0, "the operation itself");
}

static void begin(struct fault *f)
{
	OK(&f->rig, "g_begin", 0, 0, 0);
	memcpy(f->begin, f->rig.seen[0], sizeof(f->begin));
}

static void end(struct fault *f)
{
	OK(&f->rig, "g_end", 0, 0, 0);
	for (unsigned i = 0; i < f->rig.nevents; i++)
		f->raw[i] += f->rig.seen[0][i] - f->begin[i];
}

static void check_region(struct fault *f)
{
	for (unsigned i = 0; i < f->rig.nevents; i++) {
		machine_call(f->rig.m, "g_region_sums", 0, i, 0);
		CHECK(machine_number(f->rig.m, "g_out", 2) == f->raw[i],
		      "region, event %u: raw %llu, truth %llu", i,
		      (ull)machine_number(f->rig.m, "g_out", 2), (ull)f->raw[i]);
	}
}

static void end_and_check(struct fault *f)
{
	end(f);
	check_region(f);
}

static void stop(struct fault *f)
{
	rig_stop(&f->rig);
}

static void start(struct fault *f)
{
	rig_start(&f->rig);
}

/* Handles overflowed counters while they are stopped. */
static void read_stopped_and_start(struct fault *f)
{
	rig_read(&f->rig, "stopped");
	rig_start(&f->rig);
}

static void switch_out(struct fault *f)
{
	OK(&f->rig, "g_switch_out", 0, 0, 0);
	for (unsigned i = 0; i < f->rig.nevents; i++)
		f->task[i] += f->rig.seen[0][i] - f->since[i];
}

static void switch_in(struct fault *f)
{
	OK(&f->rig, "g_switch_in", 1, 0, 0);
	memcpy(f->since, f->rig.seen[0], sizeof(f->since));
}

static void check_task(struct fault *f)
{
	OK(&f->rig, "g_task_read", 1, 0, 0);
	for (unsigned i = 0; i < f->rig.nevents; i++) {
		uint64_t want = f->task[i] + f->rig.seen[0][i] - f->since[i];

		CHECK(machine_number(f->rig.m, "g_totals", i) == want,
		      "task, event %u: %llu, truth %llu", i,
		      (ull)machine_number(f->rig.m, "g_totals", i), (ull)want);
	}
}

static void switch_in_and_check(struct fault *f)
{
	switch_in(f);
	check_task(f);
}

static void isr(struct fault *f)
{
	machine_call(f->rig.m, "g_isr", 0x1234, 0, 0);
}

static void poll(struct fault *f)
{
	machine_call(f->rig.m, "g_poll", 0, 0, 0);
}

/* Makes another counter overflow, so an interrupt is pending when the operation starts. */
static void overflow_another(struct fault *f)
{
	unsigned other = f->event;

	do
		other = (other + 1) % f->rig.nevents;
	while (!f->rig.event[other].wraps);
	f->inside = true; /* no interrupt now */
	rig_approach(&f->rig, other, 0);
}

static const struct op readers[] = {
	{ "read_all", nothing, read_all, check_totals },
	{ "begin", nothing, begin, end_and_check },
	{ "end", begin, end, check_region },
	{ "switch_out", nothing, switch_out, switch_in_and_check },
	{ "switch_in", switch_out, switch_in, check_task },
	{ "stop", nothing, stop, read_stopped_and_start },
	{ "start", stop, start, nothing },
	{ 0 },
};

static const struct op servers[] = {
	{ "isr", overflow_another, isr, nothing },
	{ "poll", overflow_another, poll, nothing },
	{ 0 },
};

/* ---- running them ---------------------------------------------------------------------------- */

/* Handles all earlier overflows. */
static void settle(struct fault *f)
{
	f->inside = false;
	machine_call(f->rig.m, "g_poll", 0, 0, 0);
	for (unsigned i = 0; machine_line(f->rig.m); i++) {
		CHECK(i < 10, "the interrupt is still requested");
		machine_call(f->rig.m, "g_spin", 2, 0, 0);
	}
}

/*
 * Runs the operation with an overflow at the fault's position. Returns false if the operation has
 * fewer instructions.
 */
static bool run_one(struct fault *f)
{
	char what[128];

	rig_approach(&f->rig, f->event, NEAR);
	f->op->prepare(f);
	f->raised = false;
	f->inside = true;
	f->began = f->rig.m->executed;
	f->op->run(f);
	f->inside = false;
	snprintf(what, sizeof(what), "%s: event %u at %llu, %s", f->op->name, f->event,
		 (ull)f->position, when_name[f->when]);
	f->op->finish(f);
	settle(f);
	rig_read(&f->rig, what);
	f->runs++;
	return f->raised;
}

/*
 * Runs the operation with an overflow at each position. The events take turns; `make nightly` runs
 * each position with each event.
 */
static void run_everywhere(struct fault *f, enum when when)
{
	unsigned wrapping = 0, turn = 0, step;

	for (unsigned i = 0; i < f->rig.nevents; i++)
		wrapping += f->rig.event[i].wraps;
	step = rig_is_large() ? 1 : wrapping;
	f->when = when;
	for (f->event = 0; f->event < f->rig.nevents; f->event++) {
		if (!f->rig.event[f->event].wraps)
			continue;
		for (f->position = turn++ % step;; f->position += step) {
			f->delay = (unsigned)below(&f->random, 200);
			if (!run_one(f))
				break;
		}
		CHECK(f->position > 20, "%s has %llu instructions only", f->op->name,
		      (ull)f->position);
	}
}

static void open_fault(struct fault *f, struct machine *m, bool interrupts, unsigned sampled)
{
	memset(f, 0, sizeof(*f));
	f->random = 1;
	rig_reset(&f->rig, m);
	rig_open(&f->rig, interrupts);
	if (sampled)
		rig_sample(&f->rig, sampled, SAMPLED_PERIOD, 64);
	f->rig.boundary = raise_there;
	f->rig.take = take_then;
	rig_start(&f->rig);
	/* The task to which switch_in() switched ends here. */
	OK(&f->rig, "g_switch_out", 0, 0, 0);
	switch_in(f);
}

static void test_interrupted(struct machine *m)
{
	struct fault f;

	open_fault(&f, m, true, 0);
	for (f.op = readers; f.op->name; f.op++)
		for (enum when w = AT_ONCE; w <= AFTERWARDS; w++)
			run_everywhere(&f, w);
	f.op = &servers[0];
	run_everywhere(&f, AFTERWARDS);
	printf("%u runs\n", f.runs);
}

static void test_polled(struct machine *m)
{
	struct fault f;

	open_fault(&f, m, false, 0);
	for (f.op = readers; f.op->name; f.op++)
		run_everywhere(&f, POLLED);
	f.op = &servers[1];
	run_everywhere(&f, POLLED);
	printf("%u runs\n", f.runs);
}

/* ---- a reader in the handler ----------------------------------------------------------------- */

static uint64_t enter_reader(struct rig *r, uint64_t pc)
{
	struct fault *f = (struct fault *)r;

	(void)pc;
	if (!f->inside || f->raised || r->m->level || r->m->executed - f->began != f->position)
		return 0;
	f->raised = true;
	return machine_symbol(r->m, "g_read_inner");
}

static void check_reader(struct rig *r, uint64_t handler)
{
	struct fault *f = (struct fault *)r;
	char what[128];

	if (handler != machine_symbol(r->m, "g_read_inner"))
		return;
	snprintf(what, sizeof(what), "reader in the handler: event %u at %llu, %s", f->event,
		 (ull)f->position, f->when == POLLED ? "stopped" : "running");
	rig_check(r, "g_inner", 1, what);
}

/* Runs the handler of event f->event, with a reader before its instruction f->position. */
static bool read_inside(struct fault *f)
{
	f->inside = f->raised = true; /* no interrupt and no reader now */
	rig_approach(&f->rig, f->event, 0);
	if (f->when == POLLED) /* the counters are stopped */
		rig_stop(&f->rig);
	f->raised = false;
	f->began = f->rig.m->executed;
	isr(f);
	if (!f->raised) {
		f->inside = false;
		return false;
	}
	if (f->when == POLLED)
		rig_start(&f->rig);
	settle(f);
	rig_read(&f->rig, "after a reader in the handler");
	f->runs++;
	return true;
}

static void read_inside_everywhere(struct machine *m, enum when when, unsigned sampled)
{
	struct fault f;

	open_fault(&f, m, true, sampled);
	f.rig.boundary = enter_reader;
	f.rig.returned = check_reader;
	f.when = when;
	for (f.event = 0; f.event < f.rig.nevents; f.event++)
		for (f.position = 0; f.rig.event[f.event].wraps && read_inside(&f); f.position++)
			;
	printf("%u runs\n", f.runs);
}

static void test_reader_in_handler(struct machine *m)
{
	for (unsigned sampled = 0; sampled <= 2; sampled++)
		read_inside_everywhere(m, AFTERWARDS, sampled);
}

static void test_reader_in_handler_stopped(struct machine *m)
{
	for (unsigned sampled = 0; sampled <= 2; sampled++)
		read_inside_everywhere(m, POLLED, sampled);
}

/* ---- a reader in the handler in start and stop ----------------------------------------------- */

static uint64_t enter_both(struct rig *r, uint64_t pc)
{
	struct fault *f = (struct fault *)r;
	uint64_t now = r->m->executed;

	(void)pc;
	if (!f->inside)
		return 0;
	if (!f->raised && r->m->level == 0 && now - f->began == f->position) {
		f->raised = true;
		f->handler_began = now;
		return machine_symbol(r->m, "g_isr");
	}
	if (f->raised && !f->read && r->m->level == 1 && now - f->handler_began == f->inner) {
		f->read = true;
		return machine_symbol(r->m, "g_read_inner");
	}
	return 0;
}

static void check_inner(struct rig *r, uint64_t handler)
{
	struct fault *f = (struct fault *)r;
	char what[128];

	if (handler != machine_symbol(r->m, "g_read_inner"))
		return;
	snprintf(what, sizeof(what), "reader at %llu of the handler at %llu of %s", (ull)f->inner,
		 (ull)f->position, f->op->name);
	rig_check(r, "g_inner", 2, what);
	f->runs++;
}

/*
 * Starts or stops the counters while an overflow is pending. The handler interrupts instruction
 * f->position of the operation, and a reader interrupts the handler. Returns false if the operation
 * has no such instruction.
 */
static bool run_both(struct fault *f)
{
	f->inside = f->raised = true; /* no interrupt and no reader now */
	f->op->prepare(f);
	rig_approach(&f->rig, f->event, 0);
	f->raised = f->read = false;
	f->began = f->rig.m->executed;
	f->op->run(f);
	f->inside = false;
	f->op->finish(f);
	settle(f);
	rig_read(&f->rig, f->op->name);
	return f->raised;
}

static void stop_with_overflow(struct fault *f)
{
	rig_approach(&f->rig, f->event, 0);
	rig_stop(&f->rig);
}

static void test_reader_in_handler_in_start(struct machine *m)
{
	static const struct op ops[] = {
		{ "start", stop_with_overflow, start, nothing },
		{ "stop", nothing, stop, read_stopped_and_start },
		{ 0 },
	};
	struct fault f;

	open_fault(&f, m, true, 0);
	f.event = 1;
	f.when = AFTERWARDS;
	f.rig.boundary = enter_both;
	f.rig.returned = check_inner;
	/*
	 * The handler interrupts each instruction of the operation. A reader interrupts every 23rd
	 * instruction of the handler, beginning with another instruction each time.
	 */
	for (f.op = ops; f.op->name; f.op++)
		for (f.position = 0, f.inner = 0; run_both(&f); f.inner += 23) {
			if (f.read)
				continue;
			f.position++;
			f.inner = f.position % 23;
		}
	CHECK(f.runs > 2000, "%u runs", f.runs);
	printf("%u runs\n", f.runs);
}

/* ---- a sampled counter ----------------------------------------------------------------------- */

/*
 * The total of a sampled event lacks exactly the events that were counted while the handler reset
 * its counter (`lost`). All other totals stay exact.
 */
static void test_sampled(struct machine *m)
{
	struct fault f;

	for (unsigned sampled = 1; sampled <= 2; sampled++) {
		open_fault(&f, m, true, sampled);
		for (f.op = readers; f.op->name; f.op++)
			run_everywhere(&f, DELAYED);
		f.op = &servers[0];
		run_everywhere(&f, AFTERWARDS);
		CHECK(f.rig.most_lost < 200, "%llu lost at once", (ull)f.rig.most_lost);
		printf("%u runs, at most %llu lost at a time\n", f.runs, (ull)f.rig.most_lost);
	}
}

const struct test fault_tests[] = {
	{ "interrupted", test_interrupted },
	{ "polled", test_polled },
	{ "reader_in_handler", test_reader_in_handler },
	{ "reader_in_handler_stopped", test_reader_in_handler_stopped },
	{ "reader_in_handler_in_start", test_reader_in_handler_in_start },
	{ "sampled", test_sampled },
	{ 0 },
};
