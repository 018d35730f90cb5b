// SPDX-License-Identifier: MIT
/* Counting in emulation, third part: turn readings into sections of the result. */
#define _GNU_SOURCE
#include "count/emulated.h"

#include <math.h>
#include <stdatomic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/compat.h"
#include "count/emulated_machine.h"

static void set_time(const struct pmk_count *c, struct pmk_section *s, uint64_t cycles,
		     uint64_t insns)
{
	struct pmk_emulation *e = c->state;

	s->interval = true;
	s->at_cycles = cycles;
	s->at_insns = insns;
	s->at_seconds = (double)cycles / (double)e->prog.core.clock_hz;
}

/* True if the program has had several threads. What each thread executes, for example while it
 * waits for another, depends on how the host schedules them. */
static bool is_threaded(const struct pmk_emulation *e)
{
	return e->threaded || (!e->prog.system && pmk_runner_threaded(&e->runner));
}

/* True if drains caused by Strongly Ordered memory are missing in the event's count. System
 * emulation does not show which accesses are to such memory, so these drains are not modelled. */
static bool lacks_strongly_ordered(const struct pmk_emulation *e, const struct pmk_event *event)
{
	return e->prog.system && event->signal == PMK_SIG_WBUF_DRAIN;
}

/* True if the firmware may have run with the MMU and caches off, while the model counted as if they
 * were on. */
static bool lacks_control(const struct pmk_emulation *e)
{
	return atomic_load(&e->runner.arena->control_unseen) != 0;
}

/* Returns the trust in the counts of an event, from what is known so far. */
static enum pmk_trust trust_in(const struct pmk_emulation *e, const struct pmk_event *event)
{
	if (e->lacks || pmk_runner_lacks(&e->runner))
		return PMK_TRUST_PARTIAL;
	if (e->runner.sum.rest)
		return PMK_TRUST_SAMPLED;
	if (e->unsure || pmk_runner_unsure(&e->runner) ||
	    pmk_signal_in(&e->doubtful, event->signal) ||
	    pmk_signal_in(&e->doubtful, event->signal2))
		return PMK_TRUST_INEXACT;
	if (!pmk_signal_exact(event->signal))
		return lacks_control(e) ? PMK_TRUST_INEXACT : PMK_TRUST_MODELLED;
	if (lacks_strongly_ordered(e, event))
		return PMK_TRUST_MODELLED;
	return is_threaded(e) ? PMK_TRUST_INEXACT : PMK_TRUST_EXACT;
}

static void start_row(const struct pmk_count *c, unsigned i, struct pmk_row *row)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_event_request *req = &c->events.item[i];

	pmk_choose_row(c, i, trust_in(e, req->event), row);
	row->pmu = req->how && req->how == e->beside ? e->beside : NULL;
}

static uint64_t cycles_to_ns(const struct pmk_count *c, uint64_t cycles)
{
	struct pmk_emulation *e = c->state;

	return (uint64_t)((double)cycles * 1e9 / (double)e->prog.core.clock_hz);
}

/* Put the latencies of the plan's event i into its row. */
static void set_latency(const struct pmk_count *c, unsigned i, const struct pmk_reading *counts,
			struct pmk_row *row)
{
	struct pmk_emulation *e = c->state;
	int l = pmk_reading_find_latency(&e->plan, c->pmu, i);

	if (e->runner.sum.rest && row->event && row->event->latency) {
		row->reason = "counted, not timed: the program was sampled";
		return;
	}
	if (l < 0 && row->event && row->event->latency)
		row->reason = "counted, not timed: there is no latency counter "
			      "(debug.latency_counters=0)";
	if (l < 0)
		return;
	row->has_dist = true;
	row->dist = (struct pmk_distribution){
		.values = counts->latency[l].values,
		.latency = true,
		.full = counts->latency[l].full,
		.saturated = counts->latency[l].saturated,
	};
	if (row->dist.full)
		row->reason = "occurrences overlapped: the latencies are less accurate";
	else if (row->dist.values.n && row->dist.values.min > row->dist.values.max)
		row->reason =
			"no min and max: the counter has them only since it was last cleared, "
			"not for this part of the run";
}

/* Add the interval between the times `began` and `cycles` of the core's clock. */
static int add_interval(struct pmk_count *c, const struct pmk_reading *delta, uint64_t began,
			uint64_t cycles, uint64_t insns, int cpu)
{
	struct pmk_emulation *e = c->state;
	struct pmk_section *s = pmk_result_add(&c->result, NULL, c->events.count);
	uint64_t from = began > e->cfg.delay ? began : e->cfg.delay;
	uint64_t ns = cycles_to_ns(c, cycles > from ? cycles - from : 0);

	if (!s)
		return pmk_count_no_memory(&c->fault);
	s->cpu = cpu;
	set_time(c, s, cycles, insns);
	for (unsigned i = 0; i < c->events.count; i++) {
		start_row(c, i, &s->rows[i]);
		s->rows[i].runtime_ns = ns;
	}
	for (unsigned i = 0; i < e->plan.nevents; i++) {
		s->rows[e->event_of[i]].value = delta->total[i];
		set_latency(c, i, delta, &s->rows[e->event_of[i]]);
	}
	pmk_count_report(c);
	return 0;
}

/* Returns the standard deviation of the mean, in percent of the mean, as perf shows it. */
static double spread_pct(const struct pmk_sample *s)
{
	if (s->n < 2 || s->mean == 0)
		return 0;
	return 100.0 * sqrt(s->m2 / (s->n - 1) / s->n) / s->mean;
}

/* Returns the margin in percent of the value. For a count of 0 that may be too low, it is 100 %. */
static double margin_pct(double margin2, double value)
{
	if (value == 0)
		return margin2 > 0 ? 100 : 0;
	return 100.0 * sqrt(margin2) / value;
}

int pmk_emulation_interval(struct pmk_count *c, const struct pmk_arena_interval *i)
{
	return add_interval(c, &i->delta, i->began, i->cycles, i->insns, i->cpu ? (int)i->cpu : -1);
}

static int add_place(struct pmk_count *c, const struct pmk_counted_place *p)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_runner *r = &e->runner;
	struct pmk_section *s = pmk_result_add(&c->result, p->region, c->events.count);

	if (!s)
		return pmk_count_no_memory(&c->fault);
	s->cpu = p->cpu;
	s->entries = p->entries;
	for (unsigned i = 0; i < c->events.count; i++) {
		struct pmk_row *row = &s->rows[i];
		const struct pmk_sample *v = &p->value[i];

		start_row(c, i, row);
		if (!v->n)
			continue;
		row->value = (v->sum + v->n / 2) / v->n;
		row->stddev_pct = spread_pct(v);
		row->margin_pct = margin_pct(p->margin2[i], v->mean);
		/* Without a clock the time is not known. */
		row->runtime_ns = e->cfg.parts & PMK_PART_CLOCK
					  ? cycles_to_ns(c, r->sum.cycles - r->sum.delayed)
					  : 0;
		if (p->wrapped[i])
			row->trust = PMK_TRUST_WRAPPED;
	}
	for (unsigned i = 0; i < e->plan.nevents; i++)
		set_latency(c, i, &p->counts, &s->rows[e->event_of[i]]);
	pmk_count_report(c);
	return 0;
}

int pmk_emulation_finish(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_runner *r = &e->runner;
	int err = 0;

	if (c->q.counted.nothing)
		return 0;
	if (c->q.interval.unit != PMK_EVERY_NONE)
		err = add_interval(c, &r->tail->total, r->sum.cycles - r->tail->cycles,
				   r->sum.cycles, r->sum.insns, -1);
	if (c->q.interval.unit != PMK_EVERY_NONE && !c->q.interval.summary)
		return err;
	for (unsigned i = 0; !err && i < e->nplaces; i++)
		err = add_place(c, &e->places[i]);
	return err;
}

/* List the counted events, with their totals of the whole run. */
static int describe_events(struct pmk_count *c, const struct pmk_event **counted, uint64_t *total)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_section *s = &c->result.sections[0];
	struct pmk_recorded_event *ev = calloc(c->events.count, sizeof(*ev));
	unsigned n = 0;

	if (!ev)
		return pmk_count_no_memory(&c->fault);
	e->recorded_events = ev;
	for (unsigned i = 0; i < c->events.count; i++) {
		const struct pmk_row *row = &s->rows[i];

		if (!pmk_trust_has_value(row->trust))
			continue;
		counted[n] = row->event;
		total[n] = row->value;
		ev[n++] = (struct pmk_recorded_event){
			.name = row->name,
			.pmu = row->pmu ? row->pmu->name : c->pmu->name,
			.trust = row->trust,
			.reason = row->reason,
			.total = row->value,
		};
	}
	e->recording.event = ev;
	e->recording.nevents = n;
	return 0;
}

/* Add up the counts of each event over all instructions of the recording. */
static int sum_events(const struct pmk_recording *rec, uint64_t *sum)
{
	uint64_t *executions = calloc(rec->nblocks + 1, sizeof(*executions));
	uint64_t *times = calloc(rec->ncosts + 1, sizeof(*times)); /* of each row of costs */
	bool ok = executions && times;

	for (size_t i = 0; ok && i < rec->nruns; i++)
		executions[rec->run[i].block] += rec->run[i].executions;
	for (size_t i = 0; ok && i < rec->nblocks; i++)
		for (uint32_t p = 0; p < rec->block[i].nparts; p++)
			times[rec->part[rec->block[i].first + p].cost] += executions[i];
	for (size_t i = 0; ok && i < rec->nextras; i++)
		times[rec->extra[i].cost]++;
	for (size_t i = 0; ok && i < rec->ncosts; i++)
		for (size_t k = 0; k < rec->nevents; k++)
			sum[k] += times[i] * rec->cost[i * rec->nevents + k];
	free(executions);
	free(times);
	return ok ? 0 : PMK_ENOMEM;
}

/* Compare the sums over all addresses with the counts of the run, and warn of a difference. */
static int compare_with_totals(struct pmk_count *c, const struct pmk_recording *rec)
{
	uint64_t sum[PMK_MAX_EVENTS] = { 0 };
	int err = sum_events(rec, sum);

	if (err)
		return err;
	for (size_t k = 0; k < rec->nevents; k++) {
		const struct pmk_recorded_event *ev = &rec->event[k];

		if (sum[k] == ev->total)
			continue;
		pmk_count_warn(c, "some counts were not recorded: %s adds up to %llu, not to %llu",
			       ev->name, (unsigned long long)sum[k], (unsigned long long)ev->total);
		c->result.partial = true;
		break;
	}
	return 0;
}

/* Read the names of the code that the program generated, from the files that it wrote for perf. The
 * process number in their names is the emulator's, because the program sees that number. The
 * emulator opens files of the program below the sysroot, if they exist there. */
static int read_names(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const char *root = c->q.program.sysroot ? c->q.program.sysroot : "";
	char path[PATH_MAX], msg[300];
	const char *dump;
	int err;

	snprintf(path, sizeof(path), "%s/tmp/perf-%d.map", root, (int)e->runner.pid);
	err = pmk_perfmap_read(&e->names, access(path, F_OK) ? path + strlen(root) : path,
			       &e->recording, msg, sizeof(msg));
	if (*msg)
		pmk_count_warn(c, "%s", msg);
	for (size_t i = 0; !err && (dump = pmk_recorded_dump(e->recorded, i)); i++) {
		err = pmk_perfmap_read_dump(&e->names, dump, &e->recording, msg, sizeof(msg));
		if (*msg)
			pmk_count_warn(c, "%s", msg);
	}
	e->recording.name = e->names.name;
	e->recording.nnames = e->names.n;
	return err;
}

int pmk_emulation_record(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_event *counted[PMK_MAX_EVENTS];
	uint64_t total[PMK_MAX_EVENTS];
	struct pmk_recorded_request req = {
		.core = &e->prog.core,
		.event = counted,
		.total = total,
		.program = c->program,
		.system = e->prog.system,
	};
	int err = describe_events(c, counted, total);

	if (err)
		return err;
	req.nevents = (unsigned)e->recording.nevents;
	pmk_ledger_restore_size(e->runner.ledger, e->runner.ledger_mapped);
	err = pmk_recorded_read(&e->recorded, e->runner.ledger, &req);
	pmk_ledger_discard(e->runner.ledger, e->runner.ledger_mapped);
	if (err)
		return pmk_count_fail(
			&c->fault, PMK_COUNT_FAILED, "the recorded counts cannot be read: %s",
			err == PMK_EPARSE ? "their memory is inconsistent; the program "
					    "may have written into it"
					  : pmk_strerror(err));
	pmk_recorded_fill(e->recorded, &e->recording);
	if (atomic_load(&e->runner.ledger->full)) {
		pmk_count_warn(c, "some counts were not recorded, because there was no room for "
				  "them");
		c->result.partial = true;
	} else {
		err = compare_with_totals(c, &e->recording);
	}
	if (!err && !e->prog.system)
		err = read_names(c);
	if (err)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s", pmk_strerror(err));
	e->recording.command = c->result.command;
	e->recording.core = e->prog.core.name;
	e->recording.checked = c->result.checked;
	e->recording.producer = c->result.producer;
	e->recording.settings = *c->result.settings ? c->result.settings : NULL;
	e->recording.isa = e->prog.core.isa;
	e->recording.big_endian = e->prog.elf.big_endian;
	e->recording.warning = c->result.warning;
	e->recording.note = c->result.note;
	e->recording.partial = c->result.partial;
	e->recording.threaded = is_threaded(e);
	return 0;
}

/* Warn of the inaccuracy when -I is longer than the PMU's own timer can count. */
static void warn_of_timer(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	uint64_t range = pmk_pmu_range(c->pmu, e->plan.timer_code);
	char why[64] = "no event counter";

	if (range)
		snprintf(why, sizeof(why), "no counter that counts %llu cycles",
			 (unsigned long long)e->cfg.interval);
	pmk_count_warn(c, "`interval`: %s has %s, so each interval ends at the end of a block%s",
		       c->pmu->name, why,
		       pmk_pmu_times_latencies(c->pmu)
			       ? ", and have no shortest and longest latency"
			       : "");
}

static const struct {
	int signal;
	const char *name;
} signals[] = {
	{ SIGHUP, "SIGHUP" },	{ SIGINT, "SIGINT" },	{ SIGQUIT, "SIGQUIT" },
	{ SIGILL, "SIGILL" },	{ SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
	{ SIGBUS, "SIGBUS" },	{ SIGFPE, "SIGFPE" },	{ SIGKILL, "SIGKILL" },
	{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
	{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
	{ SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },
};

static void warn_of_signal(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const char *later = pmk_emulated_machine_later_core(&e->prog.elf, e->prog.core.isa);
	char name[32];

	snprintf(name, sizeof(name), "signal %d", e->killed);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signals[i].signal == e->killed)
			snprintf(name, sizeof(name), "%s", signals[i].name);
	pmk_count_warn(c, "the program was killed by %s: the counts end there", name);
	/* With --qemu, QEMU may have run the program on another processor than the core's. */
	if (e->killed == SIGILL && !c->q.program.qemu &&
	    pmk_compat_arch(pmk_compat_processor(&e->prog.core)))
		pmk_count_warn(
			c,
			"core %s, QEMU's %s, has the instruction set %s: the program or one of its "
			"libraries may use a later one%s%s",
			e->prog.core.name, e->prog.core.qemu_cpu,
			pmk_compat_arch(pmk_compat_processor(&e->prog.core)),
			later ? "; `core` " : "", later ? later : "");
}

/* Warn that the firmware took a fault, which is hardly ever intended. If its handler faults, too,
 * the processor locks up, and QEMU aborts: see pmk_lockup_begin(). */
static void warn_of_fault(struct pmk_count *c, const struct pmk_cpu_trap *trap, bool locked_up)
{
	static const char *const names[] = {
		[3] = "HardFault",  [4] = "MemManage fault", [5] = "BusFault",
		[6] = "UsageFault", [7] = "SecureFault",
	};
	bool known = trap->number >= 3 && trap->number < sizeof(names) / sizeof(names[0]);
	const struct pmk_emulation *e = c->state;
	struct pmk_fault_text text;
	char at[64];

	pmk_program_explain_fault(&e->prog, trap, &text);
	snprintf(at, sizeof(at), "%s 0x%llx", trap->jumped ? "after the jump at" : "at",
		 (unsigned long long)trap->pc);
	pmk_count_warn(c, "the firmware took a %s %s%s%s%s", known ? names[trap->number] : "fault",
		       trap->pc == UINT64_MAX ? "before its first instruction" : at, text.place,
		       locked_up ? "; its fault handler is missing or faulted, too, which "
				   "locked up the processor: the counts end there"
				 : "",
		       text.why);
}

/* Warns if the program did not end by itself. */
static void warn_of_end(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	bool locked_up = atomic_load(&e->runner.arena->locked_up) ||
			 (e->killed == SIGABRT && e->runner.trap.number);
	char text[512];

	if (c->interrupted)
		pmk_count_warn_interrupted(c);
	else if (e->timed_out)
		pmk_count_warn_timeout(c);
	else if (e->killed && !locked_up)
		warn_of_signal(c);
	if (locked_up && pmk_program_lacks_table(&e->prog, text, sizeof(text)))
		pmk_count_warn(c, "%s", text);
	else if (e->runner.trap.number)
		warn_of_fault(c, &e->runner.trap, locked_up);
	else if (locked_up)
		pmk_count_warn(c, "a fault handler of the firmware faulted, which locked up the "
				  "processor: the counts end there");
}

/* Warns of counts that may be slightly wrong. */
static void warn_of_unsure(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	if (e->runner.calls_lost)
		pmk_count_warn(c, "calls were nested more than %u deep: a region may end too late",
			       PMK_CALL_STACK);
	if (e->runner.unsure || atomic_load(&e->runner.arena->handlers_unseen))
		pmk_count_warn(
			c, "a fault ended a block of instructions at an unknown instruction: the "
			   "whole block was counted");
	if (pmk_signal_in(&e->doubtful, PMK_SIG_BR_TAKEN))
		pmk_count_warn(c,
			       "for some conditional branches the emulator does not show whether "
			       "they were taken");
	if (e->runner.level_unsure)
		pmk_count_warn(c, "counts were read while the exception level was unknown, and pmk "
				  "assumed the wrong one: a few counts are in :u instead of :k, or "
				  "the reverse");
}

/* Warns of processes, threads and code that were not counted. */
static void warn_of_lost(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_arena *a = e->runner.arena;
	unsigned forks = atomic_load(&a->lost_forks), threads = atomic_load(&a->lost_threads);

	if (atomic_load(&a->foreign_execs))
		pmk_count_warn(c, "the program started another one that this machine cannot "
				  "execute (\"Exec format error\"): install an emulator that the "
				  "kernel starts for it (Debian: apt-get install "
				  "qemu-user-binfmt); what runs in it is not counted");
	if (forks)
		pmk_count_warn(
			c, "%u forked process%s not counted: pmk counts at most %u at a time%s%s%s",
			forks, forks == 1 ? " was" : "es were", e->runner.slots,
			e->runner.limit ? ", because of the limit of the " : "",
			e->runner.limit ? e->runner.limit : "",
			threads ? ", and none that an uncounted thread forks" : "");
	if (threads)
		pmk_count_warn(c, "%u thread%s not counted: pmk counts at most %d at a time",
			       threads, threads == 1 ? " was" : "s were", PMK_ARENA_CPUS);
	if (atomic_load(&a->blocks_full))
		pmk_count_warn(
			c, "the program has more than %u blocks of code: the rest was not counted",
			PMK_MAX_BLOCKS);
}

static void set_warnings(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_arena *a = e->runner.arena;
	unsigned long long zeroes = atomic_load(&a->zeroes_unseen);

	if (e->beyond_timer)
		warn_of_timer(c);
	warn_of_end(c);
	if (e->runner.execs)
		pmk_count_warn(c, "%u process%s called execve and %s not counted after that",
			       e->runner.execs, e->runner.execs == 1 ? "" : "es",
			       e->runner.execs == 1 ? "was" : "were");
	if (e->runner.alive)
		pmk_count_warn(
			c,
			"%u process%s still running when the program ended: %s counted up to then",
			e->runner.alive, e->runner.alive == 1 ? " was" : "es were",
			e->runner.alive == 1 ? "it was" : "they were");
	c->result.partial |= pmk_runner_lacks(&e->runner);
	warn_of_unsure(c);
	warn_of_lost(c);
	if (zeroes)
		pmk_count_warn(c,
			       "%llu instruction%s zeroed memory (DC ZVA) at %s that this "
			       "emulator does not show: pmk assumed writes that hit",
			       zeroes, zeroes == 1 ? "" : "s",
			       zeroes == 1 ? "an address" : "addresses");
	if (c->q.run.delay_ms && e->runner.sum.delayed == e->runner.sum.cycles)
		pmk_count_warn(c,
			       "`delay` %u: the program ended before this time, so nothing "
			       "was counted",
			       c->q.run.delay_ms);
	if (c->q.scope.from && !e->runner.sum.entries[0])
		pmk_count_warn(c, "`from` %s was never reached", c->q.scope.from);
	for (unsigned i = 0; i < c->q.scope.regions.count; i++)
		if (!e->runner.sum.entries[e->cfg.window + i])
			pmk_count_warn(c, "region %s was never entered",
				       c->q.scope.regions.word[i]);
}

#define PARTS_SIZE 96

/* Write the names of these parts (enum pmk_control), separated by commas. */
static const char *list_parts(unsigned parts, char list[PARTS_SIZE])
{
	static const char *const name[] = { "MMU", "data cache", "instruction cache",
					    "branch prediction" };

	*list = '\0';
	for (unsigned i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (parts >> i & 1)
			snprintf(list + strlen(list), PARTS_SIZE - strlen(list), "%s%s",
				 *list ? ", " : "", name[i]);
	return list;
}

/* Add a note that names the parts that the firmware has left off in its control register. */
static void note_control(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_core_system *in_system = pmk_core_family(&e->prog.core)->system;
	unsigned off = atomic_load(&e->runner.arena->control_followed) &
		       ~atomic_load(&e->runner.arena->control_seen);
	unsigned unseen = atomic_load(&e->runner.arena->control_unseen);
	char list[PARTS_SIZE];

	if (off)
		pmk_count_add_note(c, "the firmware did not turn these on (%s): %s",
				   in_system->control_by == PMK_CONTROL_BY_MSR ? "MSR" : "SCTLR",
				   list_parts(off, list));
	if (unseen)
		pmk_count_add_note(
			c,
			"this emulator does not show what the firmware turns on and off: the "
			"core's parameters decide for %s",
			list_parts(unseen, list));
}

/* True if the report has a count that does not follow from the instruction stream alone. */
static bool counts_modelled(const struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;

	for (unsigned i = 0; i < e->plan.nevents; i++)
		if (!pmk_signal_exact(c->events.item[e->event_of[i]].event->signal))
			return true;
	return false;
}

static void note_sampling(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_runner_counts *sum = &e->runner.sum;
	double all = (double)(sum->insns + sum->rest);

	c->result.sampled = sum->rest != 0;
	if (atomic_load(&e->runner.arena->unsampled))
		pmk_count_add_note(
			c, "`sample`: this emulator cannot leave out a part of a program, so "
			   "everything was counted");
	else if (c->q.sample.wanted && !sum->rest)
		pmk_count_add_note(c, "`sample`: the program is so short, or has so many "
				      "threads, that everything was counted");
	if (c->result.sampled)
		pmk_count_add_note(
			c,
			"sampled: %llu units and the beginning of the program were counted, %.1f "
			"%% of its instructions; the true count is within the margin in 95 of "
			"100 cases",
			(unsigned long long)sum->units, 100 * (double)sum->insns / all);
}

/* Add a note if the program misses the caches often. Labels state the accuracy of memory apart from
 * that of code in the caches. */
static void note_misses(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_runner_counts *sum = &e->runner.sum;

	if (*e->prog.core.checked && sum->insns && sum->misses >= sum->insns / 100.0)
		pmk_count_add_note(
			c,
			"%.1f data cache misses and prefetches per 100 instructions, so the "
			"accuracy for memory applies to these cycles",
			100.0 * (double)sum->misses / (double)sum->insns);
}

/* Add a note about prefetches that had no effect in the model. A few of them, for example from a
 * copy in the C library, make no difference. */
static void note_preloads(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	unsigned long long n = atomic_load(&e->runner.arena->preloads_unseen);

	if (n && n >= e->runner.sum.insns / 1000)
		pmk_count_add_note(c,
				   "%llu prefetch instruction%s (PLD, PRFM) had no effect in the "
				   "model; later loads may take less time on a board",
				   n, n == 1 ? "" : "s");
}

/* Add notes about the limits of the core's model that concern this program. */
static void set_notes(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_runner_counts *sum = &e->runner.sum;
	const char *kind = pmk_core_family(&e->prog.core)->untimed_kind;
	double share = sum->insns ? 100.0 * (double)sum->untimed / (double)sum->insns : 0;

	note_sampling(c);
	pmk_guest_note(c);
	if (*e->prog.note)
		pmk_count_add_note(c, "%s", e->prog.note);
	if (is_threaded(e))
		pmk_count_add_note(c, "%s", PMK_THREADS_NOTE);
	if (!counts_modelled(c))
		return;
	note_control(c);
	c->result.checked = strdup(pmk_core_checked(&e->prog.core));
	note_misses(c);
	note_preloads(c);
	if (*e->prog.core.caveat)
		pmk_count_add_note(c, "%s", e->prog.core.caveat);
	if (sum->untimed && e->cfg.eager)
		pmk_count_add_note(
			c,
			"some of the instructions were %s, which are not timed: each counts as "
			"one cycle",
			kind);
	else if (share >= 0.1) /* a smaller share is not visible in any number */
		pmk_count_add_note(
			c,
			"%.1f %% of the instructions were %s, which are not timed: each counts "
			"as one cycle",
			share, kind);
}

int pmk_emulation_describe(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const char *version = e->qemu_version;

	if (asprintf(&c->result.producer, "%s %s", pmk_program_emulator(&e->prog),
		     *version ? version : "(version unknown)") < 0) {
		c->result.producer = NULL;
		return pmk_count_no_memory(&c->fault);
	}
	c->result.host_time = e->prog.system && !pmk_program_counts_time(&e->prog);
	c->result.processes = e->runner.processes;
	c->result.threads = e->runner.threads;
	set_warnings(c);
	set_notes(c);
	return 0;
}
