// SPDX-License-Identifier: MIT
/*
 * pmk's side of the arena: starting QEMU, looking after the program's processes, final readings.
 * See runner.h and arena.h.
 */
#define _GNU_SOURCE
#include "producer/qemu/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handlers.h"
#include "base/reserve.h"
#include "cpu/family.h"
#include "cpu/fault.h"
#include "producer/qemu/generation.h"

/* Soft limit of the emulator's stack, as the program reads it. */
#define GUEST_STACK (8u << 20)
/* Size of a 64-bit program's address space, without and with a vDSO. Emulators begin to map
 * memory at a third of it, which is 0x5500000000; older emulators begin there without being told
 * a size. */
static const char *const address_space[] = { "0", "0xff00000000" };

/* Returns the number of processes for which limits leave room. The slots may use half of the
 * address space; the other half is for everything else. */
static unsigned slots_within_limits(struct pmk_runner *r)
{
	static const struct {
		int resource;
		unsigned part;
		const char *name;
	} limits[] = {
		{ RLIMIT_FSIZE, 1, "file size (ulimit -f)" },
		{ RLIMIT_AS, 2, "address space (ulimit -v)" },
	};
	unsigned slots = PMK_ARENA_SLOTS;

	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit l;

		if (getrlimit(limits[i].resource, &l) || l.rlim_cur == RLIM_INFINITY)
			continue;
		while (slots && pmk_arena_bytes(slots) > l.rlim_cur / limits[i].part) {
			slots--;
			r->limit = limits[i].name;
			r->limit_needed = pmk_arena_bytes(1) * limits[i].part;
		}
	}
	return slots;
}

/* Create the arena. Seals fix its size, so that no process that opens it can remove mapped
 * pages. */
static struct pmk_arena *create_arena(unsigned slots, int *fd)
{
	struct pmk_arena *a;

	*fd = memfd_create("pmk-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return NULL;
	if (ftruncate(*fd, (off_t)pmk_arena_bytes(slots))) {
		close(*fd);
		return NULL;
	}
	fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	a = mmap(NULL, pmk_arena_bytes(slots), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		 *fd, 0);
	if (a == MAP_FAILED) {
		close(*fd);
		return NULL;
	}
	return a;
}

/* Returns the words of the emulator's command line, with the plugin argument, the stack size and
 * the address space size inserted; NULL: out of memory. The caller owns the array but not the
 * words. */
static char **emulator_words(char *const *words, char *plugin, char *stack, char *space)
{
	const char *const place[] = { "@plugin@", "@stack@", "@space@" };
	char *word[] = { plugin, stack, space };
	char **argv;
	size_t n = 0;

	while (words[n])
		n++;
	argv = calloc(n + 1, sizeof(*argv));
	for (size_t i = 0; argv && i < n; i++) {
		argv[i] = words[i];
		for (unsigned k = 0; k < 3; k++) {
			if (word[k] && !strcmp(words[i], place[k])) {
				argv[i] = word[k];
				word[k] = NULL;
			}
		}
	}
	return argv;
}

/* Returns the environment, in the order that the program must see. The caller owns the array. */
static char **emulator_env(char *const *env, bool vdso)
{
	char **envp;
	size_t n = 0;

	while (env[n])
		n++;
	envp = calloc(n + 1, sizeof(*envp));
	for (size_t i = 0; envp && i < n; i++)
		envp[i] = env[vdso ? n - 1 - i : i];
	return envp;
}

/* End the emulator when pmk ends, because without pmk the counts are not read. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* pmk ended before the call */
}

/* Fix the settings of the host that the program could notice: the emulator's address in memory, and
 * the stack limit. */
static void fix_surroundings(void)
{
	struct rlimit stack;

	personality(ADDR_NO_RANDOMIZE);
	if (getrlimit(RLIMIT_STACK, &stack))
		return;
	stack.rlim_cur = GUEST_STACK < stack.rlim_max ? GUEST_STACK : stack.rlim_max;
	setrlimit(RLIMIT_STACK, &stack);
}

/* Runs in the child before exec, in memory that still belongs to pmk. Errors are written to
 * `report`, which exec closes. */
static _Noreturn void exec_emulator(const char *path, char **argv, char *const *envp, pid_t parent,
				    const int inherited[3], const int streams[3], int report,
				    const sigset_t *mask)
{
	ssize_t ignored;
	int err;

	pmk_handlers_forget(NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	end_with(parent);
	fix_surroundings();
	/* Let only this emulator inherit the descriptors. */
	for (unsigned i = 0; i < 3; i++)
		fcntl(inherited[i], F_SETFD, 0);
	for (int i = 0; i < 3; i++)
		if (streams[i] >= 0)
			dup2(streams[i], i);
	execvpe(path, argv, envp);
	err = errno;
	ignored = write(report, &err, sizeof(err));
	(void)ignored;
	_exit(127);
}

/* Start the emulator in a child that shares pmk's memory, while pmk waits for the exec. After a
 * fork() the pages of both would be copied one by one. */
static pid_t start_emulator(const char *path, char **argv, char *const *envp,
			    const int inherited[3], const int streams[3], int report)
{
	pid_t parent = getpid(), child;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	child = vfork();
	if (child == 0)
		exec_emulator(path, argv, envp, parent, inherited, streams, report, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return child;
}

static void clear_counts(struct pmk_runner_counts *c, unsigned nregions)
{
	const size_t behind = offsetof(struct pmk_runner_counts, entries);

	memset((char *)c + behind, 0, sizeof(*c) - behind);
	pmk_reading_init(&c->total);
	for (unsigned k = 0; k < nregions; k++)
		pmk_reading_init(&c->region[k]);
}

/* Clear everything except the sum, which is set when the runner is opened. */
static void clear(struct pmk_runner *r)
{
	memset(r, 0, offsetof(struct pmk_runner, sum));
}

static void close_ledger(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Write the configuration for the emulator. The plugin reads it once. */
static void begin_arena(struct pmk_runner *r)
{
	struct pmk_arena *a = r->arena;

	a->magic = PMK_ARENA_MAGIC;
	a->size = PMK_ARENA_LAYOUT;
	a->pmk_pid = (uint32_t)getpid();
	a->slots = r->slots;
	a->region_bias_base = r->cfg.code_start;
	a->entry = r->cfg.entry;
	a->pie = r->cfg.pie;
	a->guest = r->cfg.guest;
	/* copied with the padding, because it is compared later */
	memcpy(&a->cfg, &r->cfg.counters, sizeof(a->cfg));
}

int pmk_runner_open(struct pmk_runner *r, const struct pmk_runner_config *cfg, int *arena_fd)
{
	int err;

	clear(r);
	r->cfg = *cfg;
	r->core = pmk_reserve((PMK_ARENA_CPUS + 2) * sizeof(*r->core));
	r->tail = r->core ? &r->core[PMK_ARENA_CPUS] : NULL;
	r->one = r->core ? &r->core[PMK_ARENA_CPUS + 1] : NULL;
	r->copy = calloc(1, sizeof(*r->copy));
	r->begun = calloc(1, sizeof(*r->begun));
	r->interval_at = pmk_reserve(PMK_ARENA_SLOTS * sizeof(*r->interval_at));
	r->units = cfg->counters.units.head ? calloc(PMK_ARENA_SLOTS, sizeof(*r->units)) : NULL;
	r->slots = slots_within_limits(r);
	if (!r->slots)
		return PMK_ERANGE;
	if (cfg->counters.units.head && !r->units)
		return PMK_ENOMEM;
	r->arena = create_arena(r->slots, arena_fd);
	if (!r->core || !r->tail || !r->one || !r->copy || !r->begun || !r->interval_at ||
	    !r->arena)
		return PMK_ENOMEM;
	clear_counts(&r->sum, cfg->counters.nregions);
	clear_counts(r->tail, cfg->counters.nregions);
	begin_arena(r);
	err = pmk_emulated_begin(r->begun, &r->begun_ports, &cfg->counters);
	if (err)
		close(*arena_fd);
	return err;
}

int pmk_runner_start(struct pmk_runner *r, const struct pmk_runner_config *cfg)
{
	const struct pmk_qemu_generation *generation = pmk_qemu_generation_of_module(cfg->plugin);
	bool vdso = generation && generation->vdso;
	char plugin[PATH_MAX + 128], stack[16], space[16], **argv, **envp;
	int arena_fd, ledger_fd = -1, report[2], err = pmk_runner_open(r, cfg, &arena_fd);

	if (err)
		return err;
	if (cfg->record != PMK_RECORD_NOTHING) {
		r->ledger = pmk_ledger_create(cfg->record == PMK_RECORD_PATHS, &ledger_fd,
					      &r->ledger_mapped);
		if (!r->ledger) {
			close(arena_fd);
			return PMK_EIO;
		}
	}
	snprintf(plugin, sizeof(plugin), "%s,arena=/proc/self/fd/%d", cfg->plugin, arena_fd);
	if (r->ledger)
		snprintf(plugin + strlen(plugin), 64, ",ledger=/proc/self/fd/%d", ledger_fd);
	snprintf(stack, sizeof(stack), "%u", GUEST_STACK + (vdso ? cfg->more_stack : 0));
	snprintf(space, sizeof(space), "%s", address_space[vdso]);
	argv = emulator_words(cfg->argv, plugin, stack, space);
	envp = emulator_env(cfg->envp, vdso);
	if (!argv || !envp || pipe2(report, O_CLOEXEC)) {
		free(argv);
		free(envp);
		close(arena_fd);
		close_ledger(ledger_fd);
		return PMK_EIO;
	}
	r->pid = start_emulator(cfg->emulator, argv, envp,
				(int[]){ arena_fd, ledger_fd, cfg->guest.log }, cfg->streams,
				report[1]);
	free(argv);
	free(envp);
	close(arena_fd);
	close_ledger(ledger_fd);
	close(report[1]);
	if (r->pid < 0) {
		close(report[0]);
		return PMK_EIO;
	}
	if (read(report[0], &err, sizeof(err)) == sizeof(err)) {
		waitpid(r->pid, &r->status, 0);
		r->over = true;
		errno = err;
	}
	close(report[0]);
	return r->over ? PMK_ENOTSUP : 0;
}

/* ---- validation ----------------------------------------------------------------------------- */

/*
 * The program is in the same process as the plugin, so it can find the arena in /proc/self/maps,
 * and a stray pointer may hit it. pmk checks each index and length from the arena before it uses
 * it, and pmk uses its own copy of the data that it wrote itself. The first invalid value is
 * recorded; then none of the counts is used.
 */

/* The kernel's maximum for process IDs. */
#define MOST_PROCESSES (UINT32_C(1) << 22)
/* More threads or processes than a run can start. */
#define MOST_STARTED   (UINT32_C(1) << 30)

static void doubt(struct pmk_runner *r, const char *what, const struct pmk_arena_slot *s, int cpu)
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

/* Compare the data that only pmk writes. */
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
		doubt(r, "the settings", NULL, -1);
	if (!are_started(r->arena))
		doubt(r, "the number of processes", NULL, -1);
	for (unsigned i = 0; i < r->slots; i++)
		if (!slot_is_valid(&r->arena->slot[i]))
			doubt(r, "the list of processes", NULL, -1);
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

/* Returns the index of the fact that is a block's number of instructions. */
static unsigned insn_fact(const struct pmk_core_counts *counts)
{
	unsigned i = 0;

	while (counts->fact_signal[i] != PMK_SIG_INSN)
		i++;
	return i;
}

/*
 * Returns the number of instructions without their own times. If counts are summed as blocks run,
 * the executions of each block are not known. The result is then 1 if these instructions are at
 * least one percent of the code.
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

/* Book the remaining counts of a core. */
static void book_rest(struct pmk_runner *r, struct pmk_cpu *cpu)
{
	uint32_t insn = cpu->fault.rest.insn;

	cpu->sites = NULL;
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

/* Returns a number as a count. An invalid number becomes a value larger than any count, which
 * counts_are_valid() detects. */
static uint64_t as_count(double value)
{
	return value >= 0 && value <= (double)PMK_MOST_COUNTED ? (uint64_t)(value + 0.5)
							       : UINT64_MAX;
}

/* Turn the counts into an estimate for the whole process. */
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

/* More cycles than any core can have. */
#define MOST_CYCLES (UINT64_C(1) << 40)

/* Pass the states of the pins to the sink. */
static void take_pins(struct pmk_runner *r)
{
	struct pmk_arena_pins *pins = &r->arena->pins;
	uint64_t head = atomic_load(&pins->head);

	if (!r->cfg.counters.shows_pins)
		return;
	if (head - r->pins_taken > PMK_ARENA_PINS)
		doubt(r, "the record of the pins", NULL, -1);
	while (!*r->invalid && r->pins_taken != head) {
		struct pmk_ahbmon_pins one;

		memcpy(&one, &pins->record[r->pins_taken % PMK_ARENA_PINS], sizeof(one));
		atomic_store(&pins->tail, ++r->pins_taken);
		if (one.cycles > MOST_CYCLES)
			doubt(r, "the record of the pins", NULL, -1);
		else
			r->cfg.pins.show(r->cfg.pins.ctx, &one);
	}
}

/* Take the final reading of one core, through the driver, from a private copy. */
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

	clear_counts(c, cfg->nregions);
	pmk_emulated_copy(copy, pmk_slot_cpu(memory, cpu), cfg);
	if (!copy->session.plan.nevents)
		return; /* the vCPU never started */
	what = b.count > PMK_MAX_BLOCKS ? "the number of its blocks of code"
					: pmk_emulated_invalid(copy, r->begun, cfg);
	if (what) {
		doubt(r, what, slot, (int)cpu);
		return;
	}
	book_rest(r, &copy->cpu);
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
		doubt(r, "a count", slot, (int)cpu);
		clear_counts(c, cfg->nregions);
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
		doubt(r, "a count", slot, (int)cpu);
		clear_counts(c, cfg->nregions);
	}
}

/* Returns the number of unread intervals or pieces of the process in slot `i`. */
static unsigned waiting(struct pmk_runner *r, unsigned i)
{
	struct pmk_arena_slot *s = &r->arena->slot[i];
	struct pmk_arena_ring *ring = pmk_slot_ring(pmk_arena_memory(r->arena, s));
	uint64_t n = atomic_load(&ring->head) - r->taken[i];

	if (n <= PMK_ARENA_RING)
		return (unsigned)n;
	doubt(r, "the number of intervals", s, -1);
	return 0;
}

static bool piece_is_valid(const struct pmk_units_piece *p)
{
	return p->from <= PMK_MOST_COUNTED && p->insns <= PMK_MOST_COUNTED &&
	       p->cycles <= PMK_MOST_COUNTED && pmk_reading_valid(&p->counts);
}

/* Add the finished pieces of the process in slot `i`. */
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
		doubt(r, "a piece", s, -1);
		return;
	}
}

/* Add the counts of a core to the sum for its number: a forked process continues on the core
 * with its parent's number. */
static void add_to_core(struct pmk_runner *r, unsigned cpu, const struct pmk_runner_counts *c)
{
	while (r->ncores <= cpu)
		clear_counts(&r->core[r->ncores++], r->cfg.counters.nregions);
	add_counts(&r->core[cpu], c, r->cfg.counters.nregions);
}

/* Add the counts of a process to the sums. */
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

/* Add the instructions of a process so far; *cycles becomes the largest of its cores'. The emulator
 * continues meanwhile, so these numbers are only for display. */
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
		/* If only executions are counted, this total is updated from time to time. */
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

/* Free a slot after it was read: its memory becomes zeros again. */
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

/* True if the process has ended, even if its parent has not waited for it. In that case,
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

/* Returns the process that runs in the slot, or 0. */
static pid_t runs_in(const struct pmk_arena_slot *s)
{
	return atomic_load(&s->state) == PMK_SLOT_RUNNING ? (pid_t)atomic_load(&s->pid) : 0;
}

/* Add the counts of forked processes that have ended, because new ones need their slots. */
static void reap_slots(struct pmk_runner *r)
{
	for (unsigned i = 0; i < r->slots; i++) {
		struct pmk_arena_slot *s = &r->arena->slot[i];
		pid_t pid = runs_in(s);

		if (pid)
			take_pieces(r, i);
		if (!pid || pid == r->pid || !process_ended(pid))
			continue;
		/* The caller may want to read its intervals first. */
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
	/* The counts can no longer be used, and the program may wait for pmk for ever. */
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

/* Get the next interval. Intervals of one process come in order; several processes take turns. */
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
		doubt(r, "an interval", s, -1);
		return false;
	}
	return false;
}

/* Returns the number of processes that still run. The latest forks may not have begun and have no
 * slot yet. */
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

/* True if an instruction that traps in the middle of its block ended the program, which QEMU does
 * not report. */
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
		doubt(r, "the list of processes", NULL, -1);
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

void pmk_runner_free(struct pmk_runner *r)
{
	if (r->arena) {
		r->arena->pmk_pid = 0; /* forked processes of the program end now */
		munmap(r->arena, pmk_arena_bytes(r->slots));
	}
	pmk_ledger_free(r->ledger, r->ledger_mapped);
	free(r->units);
	pmk_release(r->core, (PMK_ARENA_CPUS + 2) * sizeof(*r->core));
	free(r->copy);
	free(r->begun);
	pmk_release(r->interval_at, PMK_ARENA_SLOTS * sizeof(*r->interval_at));
	clear(r);
}
