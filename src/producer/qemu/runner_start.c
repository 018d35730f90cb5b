// SPDX-License-Identifier: MIT
/*
 * Starts QEMU: creates the arena, writes the configuration, and executes the emulator in
 * surroundings that do not depend on the host. See runner.h and arena.h.
 */
#define _GNU_SOURCE
#include "producer/qemu/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handlers.h"
#include "base/reserve.h"
#include "producer/qemu/generation.h"

/* Soft limit of the emulator's stack, as the program reads it. */
#define GUEST_STACK (8u << 20)
/* Size of a 64-bit program's address space, without and with a vDSO. Emulators begin to map memory
 * at a third of the size, which is 0x5500000000. Older emulators begin there even if no size is
 * given. */
static const char *const address_space[] = { "0", "0xff00000000" };

/* Returns for how many slots the limits of file size and address space leave room. The slots may
 * use half of the address space, because everything else needs the other half. */
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

/* Creates the arena. Seals fix its size, so that no process that opens it can remove mapped
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
 * the size of the address space inserted. Returns NULL if there is no memory. The caller owns the
 * array but not the words. */
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

/* Returns the environment in the order in which the emulator must get it. Older emulators reverse
 * the order for the program. Emulators that give programs a vDSO do not, so it is reversed here.
 * The caller owns the array. */
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

/* Makes the kernel end the emulator when pmk ends, because without pmk the counts would not be
 * read. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* pmk ended before prctl() was called */
}

/* Fixes the settings of the host that the program could notice: the emulator's address in memory
 * and the stack limit. */
static void fix_surroundings(void)
{
	struct rlimit stack;

	personality(ADDR_NO_RANDOMIZE);
	if (getrlimit(RLIMIT_STACK, &stack))
		return;
	stack.rlim_cur = GUEST_STACK < stack.rlim_max ? GUEST_STACK : stack.rlim_max;
	setrlimit(RLIMIT_STACK, &stack);
}

/* Runs in the child before exec, in memory that the child shares with pmk. Writes errors to
 * `report`, which a successful exec closes. */
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
	/* Make only this emulator inherit the descriptors. */
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

/* Starts the emulator in a child that shares pmk's memory. pmk waits until the child has called
 * exec. After a fork(), the pages of both processes would be copied one by one. */
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

/* Clears everything except the sum, which is set when the runner is opened. */
static void clear(struct pmk_runner *r)
{
	memset(r, 0, offsetof(struct pmk_runner, sum));
}

static void close_ledger(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Writes the configuration for the emulator. The plugin reads it once. */
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
	/* Copy the padding, too, because the bytes are compared later. */
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
	pmk_runner_counts_clear(&r->sum, cfg->counters.nregions);
	pmk_runner_counts_clear(r->tail, cfg->counters.nregions);
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

void pmk_runner_free(struct pmk_runner *r)
{
	if (r->arena) {
		r->arena->pmk_pid = 0; /* makes the processes that the program has forked end */
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
