// SPDX-License-Identifier: MIT
/*
 * pmk's side of the arena while QEMU runs and after it has ended. Follows the program's processes
 * and takes the final readings. See runner.h and arena.h. runner_start.c starts QEMU.
 */
#define _GNU_SOURCE
#include "producer/qemu/runner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/family.h"
#include "cpu/fault.h"

void pmk_runner_counts_clear(struct pmk_runner_counts *c, unsigned nregions)
{
	const size_t behind = offsetof(struct pmk_runner_counts, entries);

	memset((char *)c + behind, 0, sizeof(*c) - behind);
	pmk_reading_init(&c->total);
	for (unsigned k = 0; k < nregions; k++)
		pmk_reading_init(&c->region[k]);
}

/* ---- validation ----------------------------------------------------------------------------- */

/*
 * The program is in the same process as the plugin, so the program can find the arena in
 * /proc/self/maps, and a stray pointer may hit it. pmk checks each index and length from the arena
 * before it uses the value, and keeps its own copy of the data that it wrote itself. If a value is
 * invalid, pmk records the first such value and uses no counts at all.
 */

/* The kernel's maximum for the number of a process. */
#define MOST_PROCESSES (UINT32_C(1) << 22)
/* More threads or processes than a run can start, so a larger number is invalid. */
#define MOST_STARTED   (UINT32_C(1) << 30)

static void record_invalid(struct pmk_runner *r, const char *what, const struct pmk_arena_slot *s,
			   int cpu)
{
	int n;

	if (*r->invalid)
		return;
	n = snprintf(r->invalid, sizeof(r->invalid), "%s", what);
	if (s)
		n += snprintf(r->invalid + n, sizeof(r->invalid) - (size_t)n, " of process %u",
			      atomic_load(&s->pid));
	if (cpu >= 0)
		snprintf(r->invalid + n, sizeof(r->invalid) - (size_t)n, ", thread %d", cpu);
}

/* True if the data in the arena that only pmk writes is still as pmk wrote it. */
static bool is_as_written(const struct pmk_runner *r)
{
	const struct pmk_arena *a = r->arena;

	return a->magic == PMK_ARENA_MAGIC && a->size == PMK_ARENA_LAYOUT &&
	       a->pmk_pid == (uint32_t)getpid() && a->slots == r->slots &&
	       a->region_bias_base == r->cfg.code_start && a->entry == r->cfg.entry &&
	       a->pie == r->cfg.pie && !memcmp(&a->cfg, &r->cfg.counters, sizeof(a->cfg));
}

static bool are_started(const struct pmk_arena *a)
{
	uint32_t forks = atomic_load(&a->forks), forked = atomic_load(&a->forked);

	return forks <= MOST_STARTED && forked <= MOST_STARTED &&
	       (forks < forked || forks - forked <= MOST_PROCESSES) &&
	       atomic_load(&a->lost_forks) <= MOST_STARTED &&
	       atomic_load(&a->lost_threads) <= MOST_STARTED;
}

static bool slot_is_valid(const struct pmk_arena_slot *s)
{
	return atomic_load(&s->state) <= PMK_SLOT_RUNNING &&
	       atomic_load(&s->pid) <= MOST_PROCESSES &&
	       atomic_load(&s->nblocks) <= PMK_MAX_BLOCKS &&
	       atomic_load(&s->ncpus) <= PMK_ARENA_CPUS &&
	       atomic_load(&s->threads) <= MOST_STARTED && atomic_load(&s->execs) <= MOST_STARTED;
}

const char *pmk_runner_invalid(struct pmk_runner *r)
{
	if (!is_as_written(r))
		record_invalid(r, "the settings", NULL, -1);
	if (!are_started(r->arena))
		record_invalid(r, "the number of processes", NULL, -1);
	for (unsigned i = 0; i < r->slots; i++)
		if (!slot_is_valid(&r->arena->slot[i]))
			record_invalid(r, "the list of processes", NULL, -1);
	return *r->invalid ? r->invalid : NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

static void add_counts(struct pmk_runner_counts *sum, const struct pmk_runner_counts *c,
		       unsigned nregions)
{
	pmk_reading_add(&sum->total, &c->total);
	for (unsigned i = 0; i < PMK_MAX_EVENTS; i++)
		sum->wrapped[i] |= c->wrapped[i];
	for (unsigned k = 0; k < nregions; k++) {
		sum->entries[k] += c->entries[k];
		pmk_reading_add(&sum->region[k], &c->region[k]);
	}
	sum->cycles += c->cycles;
	sum->insns += c->insns;
	sum->delayed += c->delayed;
	sum->untimed += c->untimed;
	sum->misses += c->misses;
	sum->rest += c->rest;
	sum->units += c->units;
	for (unsigned i = 0; i < PMK_UNITS_NNUMBERS; i++)
		sum->margin2[i] += c->margin2[i];
}

/* Returns the index in struct pmk_facts at which a block has its number of instructions. */
static unsigned insn_fact(const struct pmk_core_counts *counts)
{
	unsigned i = 0;

	while (counts->fact_signal[i] != PMK_SIG_INSN)
		i++;
	return i;
}

/*
 * Returns the number of executed instructions for which the model has no times of their own. If
 * `eager` is set, the executions of each block are not known. Then the function returns 1 if these
 * instructions are at least one percent of the code, and 0 otherwise.
 */
static uint64_t count_untimed(const struct pmk_runner *r, const struct pmk_emulated_blocks *b)
{
	const struct pmk_core_counts *counts = pmk_core_family(&r->cfg.counters.core)->counts;
	uint64_t n = 0, code = 0, insns = 0;
	unsigned insn = insn_fact(counts);

	if (!counts->untimed)
		return 0;
	for (uint32_t i = 0; i < b->count; i++) {
		code += b->facts[i].n[counts->untimed];
		insns += b->facts[i].n[insn];
		n += b->facts[i].n[counts->untimed] * b->executions[i].count;
	}
	return r->cfg.counters.eager ? code && 100 * code >= insns : n;
}

/* Books in the ledger what the core had counted but not booked when the program ended. If the
 * program ended with a fault, takes back the counts of the instructions that have not run. */
static void book_unbooked(struct pmk_runner *r, struct pmk_cpu *cpu)
{
	uint32_t insn = cpu->fault.rest.insn;

	pmk_cpu_book_sites(cpu, NULL);
	if (r->ledger) {
		pmk_ledger_restore_size(r->ledger, r->ledger_mapped);
		pmk_ledger_book(r->ledger, cpu);
	}
	if (pmk_cpu_ended(cpu) && r->ledger)
		pmk_ledger_book_fault(r->ledger, cpu, insn);
}

static bool counts_are_valid(const struct pmk_runner_counts *c, unsigned nregions)
{
	for (unsigned k = 0; k < nregions; k++)
		if (!pmk_reading_valid(&c->region[k]) || c->entries[k] > PMK_MOST_COUNTED)
			return false;
	return pmk_reading_valid(&c->total) && c->cycles <= PMK_MOST_COUNTED &&
	       c->insns <= PMK_MOST_COUNTED && c->delayed <= c->cycles &&
	       c->rest <= PMK_MOST_COUNTED && c->untimed <= PMK_MOST_COUNTED &&
	       c->misses <= PMK_MOST_COUNTED;
}

/* Rounds an estimate to a count. An invalid estimate becomes UINT64_MAX, which counts_are_valid()
 * rejects. */
static uint64_t as_count(double value)
{
	return value >= 0 && value <= (double)PMK_MOST_COUNTED ? (uint64_t)(value + 0.5)
							       : UINT64_MAX;
}

/* Turns the counts of a sampled process into an estimate for the whole process. */
static void estimate(const struct pmk_units *u, unsigned nevents, struct pmk_runner_counts *c)
{
	uint64_t executed = c->insns + c->rest;
	struct pmk_units_estimate x;

	for (unsigned i = 0; i < nevents; i++) {
		x = pmk_units_estimate(u, PMK_UNITS_EVENTS + i, executed, c->total.total[i]);
		c->total.total[i] = as_count(x.value);
		c->margin2[PMK_UNITS_EVENTS + i] = x.margin * x.margin;
	}
	x = pmk_units_estimate(u, PMK_UNITS_CYCLES, executed, c->cycles);
	c->cycles = as_count(x.value);
	c->margin2[PMK_UNITS_CYCLES] = x.margin * x.margin;
	c->units = u->n;
}

/* No valid record of the pins has more cycles. */
#define MOST_CYCLES (UINT64_C(1) << 40)

/* Passes the recorded states of the pins to the sink. */
static void take_pins(struct pmk_runner *r)
{
	struct pmk_arena_pins *pins = &r->arena->pins;
	uint64_t head = atomic_load(&pins->head);

	if (!r->cfg.counters.shows_pins)
		return;
	if (head - r->pins_taken > PMK_ARENA_PINS)
		record_invalid(r, "the record of the pins", NULL, -1);
	while (!*r->invalid && r->pins_taken != head) {
		struct pmk_ahbmon_pins one;

		memcpy(&one, &pins->record[r->pins_taken % PMK_ARENA_PINS], sizeof(one));
		atomic_store(&pins->tail, ++r->pins_taken);
		if (one.cycles > MOST_CYCLES)
			record_invalid(r, "the record of the pins", NULL, -1);
		else
			r->cfg.pins.show(r->cfg.pins.ctx, &one);
	}
}

/* Takes the final reading of one core, from a private copy, through the driver. */
static void read_core(struct pmk_runner *r, struct pmk_arena_slot *slot, unsigned cpu,
		      struct pmk_runner_counts *c)
{
	const struct pmk_emulated_config *cfg = &r->cfg.counters;
	struct pmk_emulated *copy = r->copy;
	struct pmk_emulated_ports ports;
	bool shows = cpu == 0 && (pid_t)atomic_load(&slot->pid) == r->pid;
	char *memory = pmk_arena_memory(r->arena, slot);
	struct pmk_emulated_blocks b = {
		.facts = pmk_slot_facts(memory),
		.executions = pmk_slot_executions(memory, cpu),
		.count = atomic_load(&slot->nblocks),
		.rest = pmk_slot_executions(memory, cpu)[PMK_MAX_BLOCKS].count,
	};
	struct pmk_reading tail;
	const char *what;
	int err;

	pmk_runner_counts_clear(c, cfg->nregions);
	pmk_emulated_copy(copy, pmk_slot_cpu(memory, cpu), cfg);
	if (!copy->session.plan.nevents)
		return; /* the vCPU never started */
	what = b.count > PMK_MAX_BLOCKS ? "the number of its blocks of code"
					: pmk_emulated_invalid(copy, r->begun, cfg);
	if (what) {
		record_invalid(r, what, slot, (int)cpu);
		return;
	}
	book_unbooked(r, &copy->cpu);
	r->unsure |= copy->cpu.unsure;
	if (copy->cpu.trap.number)
		r->trap = copy->cpu.trap;
	pmk_signal_join(&r->doubtful, &copy->cpu.doubtful);
	r->level_unsure |= copy->cpu.level.mistaken;
	r->calls_lost |= copy->calls_lost;
	ports.pins = shows ? r->cfg.pins : (struct pmk_pins_sink){ NULL, NULL };
	err = pmk_emulated_finish(copy, &ports, cfg, &b, &c->total);
	if (ports.pins.show)
		r->packets = copy->chip.packets;
	if (err == PMK_ERANGE) {
		record_invalid(r, "a count", slot, (int)cpu);
		pmk_runner_counts_clear(c, cfg->nregions);
		return;
	}
	if (err && !r->error)
		r->error = err;
	for (unsigned i = 0; i < copy->session.plan.nevents; i++)
		c->wrapped[i] = pmk_session_wrapped(&copy->session, i);
	if (copy->session.plan.timed)
		pmk_reading_after_tick(&tail, &c->total, &copy->interval_total, &copy->session);
	else
		pmk_reading_since(&tail, &c->total, &copy->interval_total);
	pmk_reading_add(&r->tail->total, &tail);
	for (unsigned k = 0; k < cfg->nregions; k++) {
		c->entries[k] = copy->region[k].entries;
		c->region[k] = copy->region[k].total;
	}
	c->cycles = copy->cpu.cycles - copy->start_cycles;
	r->tail->cycles += c->cycles - r->interval_at[slot - r->arena->slot][cpu];
	c->insns = copy->bus.total[PMK_SIG_INSN];
	c->delayed = copy->delay_due == PMK_NEVER ? copy->delayed_cycles : c->cycles;
	c->untimed = count_untimed(r, &b);
	c->misses = copy->bus.total[PMK_SIG_L1D_READ_MISS] +
		    copy->bus.total[PMK_SIG_L1D_WRITE_MISS] +
		    copy->bus.total[PMK_SIG_PREFETCH_FILL];
	c->rest = b.rest;
	if (r->units && cpu == 0)
		estimate(&r->units[slot - r->arena->slot], cfg->plan.nevents, c);
	if (!counts_are_valid(c, cfg->nregions)) {
		record_invalid(r, "a count", slot, (int)cpu);
		pmk_runner_counts_clear(c, cfg->nregions);
	}
}

/* Returns how many intervals or pieces of the process in slot `i` pmk has not read yet. */
static unsigned waiting(struct pmk_runner *r, unsigned i)
{
	struct pmk_arena_slot *s = &r->arena->slot[i];
	struct pmk_arena_ring *ring = pmk_slot_ring(pmk_arena_memory(r->arena, s));
	uint64_t n = atomic_load(&ring->head) - r->taken[i];

	if (n <= PMK_ARENA_RING)
		return (unsigned)n;
	record_invalid(r, "the number of intervals", s, -1);
	return 0;
}

static bool piece_is_valid(const struct pmk_units_piece *p)
{
	return p->from <= PMK_MOST_COUNTED && p->insns <= PMK_MOST_COUNTED &&
	       p->cycles <= PMK_MOST_COUNTED && pmk_reading_valid(&p->counts);
}

/* Adds the finished pieces of the process in slot `i`. */
static void take_pieces(struct pmk_runner *r, unsigned i)
{
	struct pmk_arena_slot *s = &r->arena->slot[i];
	struct pmk_arena_ring *ring = pmk_slot_ring(pmk_arena_memory(r->arena, s));

	while (r->units && waiting(r, i)) {
		struct pmk_units_piece piece;

		memcpy(&piece, &ring->record[r->taken[i] % PMK_ARENA_RING].piece, sizeof(piece));
		atomic_store(&ring->tail, ++r->taken[i]);
		if (piece_is_valid(&piece) &&
		    pmk_units_add(&r->units[i], &piece, r->cfg.counters.plan.nevents))
			continue;
		record_invalid(r, "a piece", s, -1);
		return;
	}
}

/* Adds the counts of a core to the sum of the cores with its number. A forked process continues on
 * a core with the number of its parent's core. */
static void add_to_core(struct pmk_runner *r, unsigned cpu, const struct pmk_runner_counts *c)
{
	while (r->ncores <= cpu)
		pmk_runner_counts_clear(&r->core[r->ncores++], r->cfg.counters.nregions);
	add_counts(&r->core[cpu], c, r->cfg.counters.nregions);
}

/* Adds the counts of a process to the sums. */
static void read_slot(struct pmk_runner *r, struct pmk_arena_slot *s)
{
	struct pmk_runner_counts *c = r->one;
	unsigned ncpus = atomic_load(&s->ncpus);

	take_pieces(r, (unsigned)(s - r->arena->slot));
	take_pins(r);
	for (unsigned cpu = 0; cpu < ncpus && cpu < PMK_ARENA_CPUS; cpu++) {
		read_core(r, s, cpu, c);
		add_counts(&r->sum, c, r->cfg.counters.nregions);
		add_to_core(r, cpu, c);
	}
	r->processes++;
	r->threads += atomic_load(&s->threads);
	r->execs += atomic_load(&s->execs);
}

/* Adds the instructions that a process has executed so far to *insns. Raises *cycles to the most
 * cycles of one of its cores. The emulator continues meanwhile, so these numbers are only for
 * display. */
static void look_at_slot(const struct pmk_runner *r, struct pmk_arena_slot *s, uint64_t *cycles,
			 uint64_t *insns)
{
	unsigned fact = insn_fact(pmk_core_family(&r->cfg.counters.core)->counts);
	unsigned ncpus = atomic_load(&s->ncpus);
	uint32_t nblocks = atomic_load(&s->nblocks);
	char *memory = pmk_arena_memory(r->arena, s);
	const struct pmk_facts *facts = pmk_slot_facts(memory);

	for (unsigned cpu = 0; cpu < ncpus && cpu < PMK_ARENA_CPUS; cpu++) {
		const struct pmk_emulated *e = pmk_slot_cpu(memory, cpu);
		const struct pmk_executions *executions = pmk_slot_executions(memory, cpu);
		uint64_t ran = e->cpu.cycles - e->start_cycles, n = 0;

		*cycles = ran > *cycles ? ran : *cycles;
		for (uint32_t i = 0; i < nblocks && i < PMK_MAX_BLOCKS; i++)
			n += facts[i].n[fact] * executions[i].count;
		n += executions[PMK_MAX_BLOCKS].count;
		/* If pmk counts only executions, this total is updated only from time to time, so
		 * take the larger number. */
		*insns += n > e->bus.total[PMK_SIG_INSN] ? n : e->bus.total[PMK_SIG_INSN];
	}
}

void pmk_runner_look(const struct pmk_runner *r, uint64_t *cycles, uint64_t *insns)
{
	*cycles = r->sum.cycles;
	*insns = r->sum.insns;
	if (!atomic_load(&r->arena->ready))
		return;
	for (unsigned i = 0; i < r->slots; i++)
		if (atomic_load(&r->arena->slot[i].state) == PMK_SLOT_RUNNING)
			look_at_slot(r, &r->arena->slot[i], cycles, insns);
}

/* Frees a slot after it was read. Its memory becomes zeros again. */
static void free_slot(struct pmk_runner *r, struct pmk_arena_slot *s)
{
	madvise(pmk_arena_memory(r->arena, s), PMK_SLOT_BYTES, MADV_REMOVE);
	atomic_store(&s->pid, 0);
	atomic_store(&s->ncpus, 0);
	atomic_store(&s->nblocks, 0);
	atomic_store(&s->threads, 0);
	atomic_store(&s->execs, 0);
	r->taken[s - r->arena->slot] = 0;
	memset(r->interval_at[s - r->arena->slot], 0, sizeof(r->interval_at[0]));
	if (r->units)
		memset(&r->units[s - r->arena->slot], 0, sizeof(*r->units));
	atomic_store(&s->state, PMK_SLOT_FREE);
}

/* True if the process has ended, even if its parent has not waited for it yet. In that case,
 * /proc/PID/stat says "Z". */
static bool process_ended(pid_t pid)
{
	char path[64], line[512];
	const char *state;
	bool zombie;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return true;
	line[0] = '\0';
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	state = strrchr(line, ')');
	zombie = state && state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X');
	return zombie || !*line;
}

/* Returns the number of the process that runs in the slot, or 0. */
static pid_t runs_in(const struct pmk_arena_slot *s)
{
	return atomic_load(&s->state) == PMK_SLOT_RUNNING ? (pid_t)atomic_load(&s->pid) : 0;
}

/* Adds the counts of forked processes that have ended, and frees their slots for new processes. */
static void reap_slots(struct pmk_runner *r)
{
	for (unsigned i = 0; i < r->slots; i++) {
		struct pmk_arena_slot *s = &r->arena->slot[i];
		pid_t pid = runs_in(s);

		if (pid)
			take_pieces(r, i);
		if (!pid || pid == r->pid || !process_ended(pid))
			continue;
		/* The caller may want to read the intervals of the process first. */
		if (r->cfg.counters.interval_unit != PMK_INTERVAL_NONE && waiting(r, i))
			continue;
		read_slot(r, s);
		free_slot(r, s);
	}
}

bool pmk_runner_step(struct pmk_runner *r, int ms)
{
	int fd = (int)syscall(SYS_pidfd_open, r->pid, 0);
	pid_t done;

	if (fd >= 0) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		poll(&p, 1, ms);
		close(fd);
	} else {
		poll(NULL, 0, ms > 10 ? 10 : ms);
	}
	/* The counts cannot be used any more, and the program might wait for pmk forever. */
	if (pmk_runner_invalid(r))
		kill(r->pid, SIGKILL);
	else
		reap_slots(r);
	take_pins(r);
	do {
		done = waitpid(r->pid, &r->status, WNOHANG);
	} while (done < 0 && errno == EINTR);
	r->over = done == r->pid || (done < 0 && errno == ECHILD);
	return r->over;
}

static bool interval_is_valid(const struct pmk_arena_interval *i)
{
	return i->cpu < PMK_ARENA_CPUS && i->cycles <= PMK_MOST_COUNTED &&
	       i->insns <= PMK_MOST_COUNTED && pmk_reading_valid(&i->delta);
}

/* Gets the next interval. The intervals of one process come in order. If there are several
 * processes, they take turns. */
bool pmk_runner_interval(struct pmk_runner *r, struct pmk_arena_interval *out)
{
	for (unsigned k = 0; k < r->slots; k++) {
		unsigned i = r->turn++ % r->slots;
		struct pmk_arena_slot *s = &r->arena->slot[i];
		struct pmk_arena_ring *ring = pmk_slot_ring(pmk_arena_memory(r->arena, s));

		if (!runs_in(s) || !waiting(r, i))
			continue;
		memcpy(out, &ring->record[r->taken[i] % PMK_ARENA_RING].interval, sizeof(*out));
		atomic_store(&ring->tail, ++r->taken[i]);
		if (interval_is_valid(out)) {
			out->began = r->interval_at[i][out->cpu];
			r->interval_at[i][out->cpu] = out->cycles;
			return true;
		}
		record_invalid(r, "an interval", s, -1);
		return false;
	}
	return false;
}

/* Returns the number of processes that still run. It includes forked processes that have not begun
 * yet and have no slot. */
static unsigned still_alive(struct pmk_runner *r)
{
	uint32_t forked = atomic_load(&r->arena->forked), forks;
	unsigned alive = 0;

	for (unsigned i = 0; i < r->slots; i++) {
		pid_t pid = runs_in(&r->arena->slot[i]);

		alive += pid && pid != r->pid && !process_ended(pid);
	}
	forks = atomic_load(&r->arena->forks);
	return forks > forked ? alive + (forks - forked) : alive;
}

/* True if the program was ended by an instruction that traps in the middle of its block. QEMU does
 * not report such a trap. */
static bool ended_by_trap(const struct pmk_runner *r)
{
	return WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGFPE &&
	       pmk_core_family(&r->cfg.counters.core)->decoder->traps;
}

void pmk_runner_finish(struct pmk_runner *r)
{
	r->unsure |= r->over && ended_by_trap(r);
	r->alive = still_alive(r);
	for (unsigned i = 0; i < r->slots; i++)
		if (runs_in(&r->arena->slot[i]))
			read_slot(r, &r->arena->slot[i]);
	if (atomic_load(&r->arena->ready) && !r->processes)
		record_invalid(r, "the list of processes", NULL, -1);
}

bool pmk_runner_lacks(const struct pmk_runner *r)
{
	const struct pmk_arena *a = r->arena;

	return r->execs || r->alive || atomic_load(&a->lost_forks) ||
	       atomic_load(&a->lost_threads) || atomic_load(&a->blocks_full);
}

bool pmk_runner_unsure(const struct pmk_runner *r)
{
	return r->unsure || r->level_unsure || r->calls_lost ||
	       atomic_load(&r->arena->handlers_unseen);
}

bool pmk_runner_threaded(const struct pmk_runner *r)
{
	if (r->threads > r->processes)
		return true;
	for (unsigned i = 0; i < r->slots; i++)
		if (runs_in(&r->arena->slot[i]) && atomic_load(&r->arena->slot[i].threads) > 1)
			return true;
	return false;
}
