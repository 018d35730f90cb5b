// SPDX-License-Identifier: GPL-2.0-or-later
/* Follows the program's processes and threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/reserve.h"
#include "producer/qemu/guard.h"
#include "producer/qemu/guest.h"
#include "producer/qemu/parts.h"
#include "producer/qemu/random.h"
#include "producer/qemu/stack.h"

/* Finds the stack of the program, which is about to begin at `pc`. Returns false if the stack
 * pointer cannot be read. */
static bool first_stack(uint8_t *bytes, uint64_t pc, struct pmk_stack *stack)
{
	if (!bytes || !plugin.glue->read_register)
		return false;
	stack->sp = pmk_registers_stack_pointer();
	if (!stack->sp)
		return false;
	stack->memory = bytes - pc;
	stack->word = plugin.family->programs->stack_word;
	stack->big_endian = plugin.decoder.big_endian;
	return true;
}

/* Moves the regions by the program's load offset, which is known when its first block is
 * translated. */
static void move_regions(uint64_t bias)
{
	for (unsigned r = 0; r < plugin.config.nregions; r++) {
		plugin.config.region[r].begin += bias;
		if (plugin.config.region[r].end)
			plugin.config.region[r].end += bias;
	}
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct sigaction *next = sig == SIGBUS ? &plugin.emulators_bus : &plugin.emulators_segv;

	bool counts = calling.vcpu < PMK_ARENA_CPUS && pmk_cpus[calling.vcpu] && !plugin.rest.on;
	bool sent = info->si_code <= 0; /* a process has sent it, perhaps the program */

	if (counts && !sent)
		pmk_cpu_faults(pmk_cpus[calling.vcpu]);
	/* If the program has faulted, this call does not return. */
	next->sa_sigaction(sig, info, context);
	if (counts && !sent)
		pmk_cpu_fault_handled(pmk_cpus[calling.vcpu]);
}

/*
 * Installs a handler of `sig` that records faults of the program, because a fault may end the
 * emulator, and the emulator would not call its plugins then. The emulator also uses `sig` for
 * itself. It has installed its own handler before the program begins.
 */
static void watch_faults(int sig, struct sigaction *emulators)
{
	struct sigaction ours;

	if (sigaction(sig, NULL, emulators) || !(emulators->sa_flags & SA_SIGINFO))
		return;
	ours = *emulators;
	ours.sa_sigaction = on_fault;
	sigaction(sig, &ours, NULL);
}

void pmk_process_begin(uint8_t *bytes, uint64_t pc, uint64_t start_code)
{
	struct pmk_stack stack;
	bool known = !plugin.system_mode && first_stack(bytes, pc, &stack);

	plugin.begun = true;
	atomic_store(&plugin.arena->begun, 1);
	calling.vcpu = 0;
	pmk_random_begin(plugin.config.random_seed - 1);
	if (!plugin.system_mode) {
		watch_faults(SIGSEGV, &plugin.emulators_segv);
		watch_faults(SIGBUS, &plugin.emulators_bus);
	}
	if (!plugin.system_mode && bytes)
		plugin.guest_base = (uintptr_t)bytes - (uintptr_t)pc;
	if (known)
		pmk_stack_without_vdso(&stack);
	if (!plugin.arena->pie)
		return;
	if (start_code)
		move_regions(start_code - plugin.arena->region_bias_base);
	else if (known)
		move_regions(pmk_stack_aux(&stack, PMK_AT_ENTRY) - plugin.arena->entry);
}

static void *reserve(uint64_t size)
{
	void *p = pmk_reserve(size);

	if (!p)
		pmk_plugin_give_up(PMK_ENOMEM);
	return p;
}

void pmk_plugin_vcpu_started(unsigned emulators_vcpu)
{
	unsigned vcpu = emulators_vcpu % PMK_MAX_VCPUS;
	struct pmk_emulated *e;
	int err;

	atomic_fetch_add(&plugin.slot->threads, 1);
	/* A thread that starts after another thread has ended continues on the core of that
	 * thread. */
	if (pmk_cpus[vcpu]) {
		pmk_plugin_set_bases(emulators_vcpu, pmk_cpus[vcpu]);
		return;
	}
	plugin.threaded |= vcpu > 0;
	if (plugin.system_mode && vcpu > 0 && plugin.mixes_up_vcpus)
		pmk_guest_tell_apart(vcpu + 1);
	if (vcpu >= PMK_ARENA_CPUS) {
		/* The thread runs but is not counted, and pmk reports that. */
		atomic_fetch_add(&plugin.arena->lost_threads, 1);
		char *memory = reserve(PMK_CPU_BYTES + sizeof(struct pmk_emulated_ports));

		e = (struct pmk_emulated *)memory;
		err = pmk_emulated_start(e, (void *)(memory + PMK_CPU_BYTES), &plugin.config,
					 (struct pmk_executions *)(memory + PMK_CPU_HEAD));
	} else {
		e = pmk_slot_cpu(plugin.slot_memory, vcpu);
		err = pmk_emulated_start(e, &plugin.ports[vcpu], &plugin.config,
					 pmk_slot_executions(plugin.slot_memory, vcpu));
	}
	if (err)
		pmk_plugin_give_up(err);
	if (plugin.config.delay && !plugin.system_mode && vcpu)
		pmk_emulated_delay(e, &plugin.config, plugin.delay_left);
	e->cpu.index = vcpu;
	e->cpu.on_deadline =
		plugin.config.units.head ? pmk_sampling_on_piece : pmk_sampling_on_deadline;
	e->cpu.on_crossing = pmk_running_on_crossing;
	if (plugin.system_mode && plugin.family->decoder->wide_addresses) {
		pmk_cpu_ask_devices(&e->cpu, pmk_plugin_asks_device);
	} else if (plugin.system_mode) {
		pmk_cpu_ask_devices(&e->cpu, pmk_devices_is_device);
		e->cpu.device_ctx = reserve(UINT64_C(1) << (32 - PMK_PAGE_SHIFT));
	}
	if (vcpu < PMK_ARENA_CPUS)
		pmk_record_begin_sites(&e->cpu);
	pmk_cpus[vcpu] = &e->cpu;
	plugin.control.of_core[vcpu] = plugin.control.of_code;
	pmk_plugin_set_bases(emulators_vcpu, &e->cpu);
	if (vcpu == 0 && (!plugin_has_clock() || plugin.config.units.head) &&
	    plugin.glue->count_inline)
		pmk_translate_map_inline(e->cpu.executions);
	if (plugin.config.units.head && (plugin.threaded || !pmk_sampling_is_possible()))
		pmk_sampling_end_all();
	if (vcpu < PMK_ARENA_CPUS && atomic_load(&plugin.slot->ncpus) <= vcpu)
		atomic_store(&plugin.slot->ncpus, vcpu + 1);
}

struct pmk_arena_slot *pmk_process_claim_slot(void)
{
	for (unsigned i = 0; i < plugin.nslots; i++) {
		uint32_t free_slot = PMK_SLOT_FREE;

		if (atomic_compare_exchange_strong(&plugin.arena->slot[i].state, &free_slot,
						   PMK_SLOT_RUNNING))
			return &plugin.arena->slot[i];
	}
	return NULL;
}

/* Waits until a slot is free, but not for ever. A few times per second, pmk frees the slots of
 * processes that have ended. Returns NULL if no slot became free. */
static struct pmk_arena_slot *wait_for_slot(void)
{
	struct pmk_arena_slot *s = pmk_process_claim_slot();

	for (int tries = 0; !s && tries < 2000; tries++) {
		pmk_sampling_nap();
		s = pmk_process_claim_slot();
	}
	return s;
}

static struct pmk_cpu *forking_cpu(void)
{
	return calling.vcpu < PMK_MAX_VCPUS ? pmk_cpus[calling.vcpu] : NULL;
}

/* Restarts sampling in a forked process. The first instructions of the process are its head, which
 * is counted. */
static void begin_again(struct pmk_cpu *cpu)
{
	plugin.rest.all_anew = plugin.rest.on;
	plugin.rest.on = false;
	/* The emulator holds its locks here, so none of its functions may be called. */
	if (plugin.glue->score && plugin.rest.counter)
		plugin.rest.began = *plugin.rest.counter;
	if (plugin.config.units.head && (plugin.threaded || !pmk_sampling_is_possible()))
		pmk_sampling_end(cpu);
}

/* Finds a slot for the process, or private memory with the same layout, which pmk does not read. */
static void find_memory(bool counted)
{
	plugin.slot = counted ? wait_for_slot() : NULL;
	if (plugin.slot) {
		plugin.slot_memory = pmk_arena_memory(plugin.arena, plugin.slot);
		return;
	}
	atomic_fetch_add(&plugin.arena->lost_forks, 1);
	plugin.slot = &plugin.uncounted;
	plugin.slot_memory = reserve(PMK_SLOT_BYTES);
}

void pmk_process_before_fork(void)
{
	struct pmk_cpu *cpu = forking_cpu();

	calling.forking = true;
	pmk_random_makes();
	atomic_fetch_add(&plugin.arena->forks, 1);
	if (cpu)
		pmk_emulated_copy(&plugin.at_fork, plugin_core(cpu), &plugin.config);
}

/*
 * Prepare the child after the program has forked. The child gets memory of its own, warm caches,
 * and counts from 0. QEMU's translated code still points to the plugin's blocks. That is correct,
 * because they are in private memory, which the fork has copied.
 */
void pmk_process_after_fork(void)
{
	unsigned vcpu = calling.vcpu;
	struct pmk_cpu *cpu = forking_cpu();
	bool counted = vcpu < PMK_ARENA_CPUS;
	char *old_memory = plugin.slot_memory;
	struct pmk_emulated *e;

	pmk_random_forked();
	/* Another thread of the parent may have held this lock at the fork. That thread does not
	 * exist in this process. */
	pthread_mutex_init(&plugin.reporting, NULL);
	plugin.ports[0].pins.show = NULL;
	pmk_guard_start(plugin.pmk_pid, &plugin.arena->pmk_pid);
	if (!cpu)
		pmk_plugin_give_up(PMK_ENOTSUP);
	find_memory(counted);
	memset(pmk_cpus, 0, sizeof(pmk_cpus));
	memcpy(pmk_slot_facts(plugin.slot_memory), pmk_slot_facts(old_memory),
	       plugin.code.nblocks * sizeof(struct pmk_facts));
	atomic_store(&plugin.slot->nblocks, plugin.code.nblocks);
	if (plugin.inline_executions &&
	    !pmk_translate_map_inline(pmk_slot_executions(plugin.slot_memory, 0)))
		pmk_plugin_give_up(PMK_ENOMEM);
	if (!counted) {
		/* The thread is not counted. Its core is private memory, which the fork has
		 * copied. */
		pmk_cpus[vcpu] = cpu;
		atomic_fetch_add(&plugin.arena->forked, 1);
		return;
	}
	e = pmk_slot_cpu(plugin.slot_memory, vcpu);
	pmk_emulated_copy(e, &plugin.at_fork, &plugin.config);
	if (pmk_emulated_forked(e, &plugin.ports[vcpu], &plugin.config,
				pmk_slot_executions(plugin.slot_memory, vcpu)))
		pmk_plugin_give_up(PMK_ENOTSUP);
	pmk_cpu_book_sites(&e->cpu, NULL);
	e->cpu.sites_state = 0;
	begin_again(&e->cpu);
	if (plugin.ledger && plugin.slot != &plugin.uncounted) {
		plugin.process = atomic_fetch_add(&plugin.ledger->processes, 1) + 1;
		pmk_record_begin_sites(&e->cpu);
	}
	pmk_cpus[vcpu] = &e->cpu;
	pmk_plugin_set_bases(vcpu, &e->cpu);
	atomic_store(&plugin.slot->ncpus, vcpu + 1);
	atomic_store(&plugin.slot->threads, 1);
	atomic_store(&plugin.slot->execs, 0);
	atomic_store(&plugin.slot->pid, (uint32_t)getpid());
	atomic_fetch_add(&plugin.arena->forked, 1);
}

static bool is_execve(int64_t num)
{
	const struct pmk_linux_abi *abi = plugin.family->programs->linux_abi;

	return num == abi->execve || num == abi->execveat;
}

/* Returns the number of bytes in a word of the program. */
static unsigned word_bytes(void)
{
	return plugin.family->programs->stack_word;
}

/* Converts an address of the program to an address in this process. The highest byte of a 64-bit
 * address may be a tag, and emulators sign-extend 32-bit addresses. */
static void *program_memory(uint64_t addr)
{
	addr = word_bytes() == 4 ? (uint32_t)addr : addr << 8 >> 8;
	return (void *)(plugin.guest_base + (uintptr_t)addr);
}

/* Reads the word at an address of the program. Returns 0 if there is no memory. The function lets
 * the kernel read the word, because the program may pass any address. */
static uint64_t program_word(uint64_t addr)
{
	uint8_t byte[8] = { 0 };
	struct iovec to = { byte, word_bytes() };
	struct iovec from = { program_memory(addr), word_bytes() };
	uint64_t word = 0;

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0)
		return 0;
	for (unsigned i = word_bytes(); i > 0; i--)
		word = word << 8 | byte[plugin.decoder.big_endian ? word_bytes() - i : i - 1];
	return word;
}

/*
 * Replaces `n` random bytes that the kernel has written to several buffers. `iov` is the program's
 * array of the buffers' addresses and lengths.
 */
static void randomise_vector(uint64_t iov, uint64_t n)
{
	uint64_t end = iov + IOV_MAX * 2 * word_bytes(), len;

	for (; n && iov != end; n -= len, iov += 2 * word_bytes()) {
		len = program_word(iov + word_bytes());
		len = len < n ? len : n;
		pmk_random_fill(program_memory(program_word(iov)), len);
	}
}

/*
 * Replaces the random bytes that a system call has returned by bytes that are the same in each run.
 * `result` is the number of bytes. The kernel has just written to this memory, so it exists.
 */
static void replace_random(int64_t num, int64_t result)
{
	const struct pmk_linux_abi *abi = plugin.family->programs->linux_abi;
	const uint64_t *arg = calling.args;
	bool vector;

	if (plugin.system_mode || result <= 0)
		return;
	if (num == abi->getrandom) {
		pmk_random_fill(program_memory(arg[0]), (size_t)result);
		return;
	}
	vector = num == abi->readv || num == abi->preadv;
	if ((num != abi->read && num != abi->pread64 && !vector) ||
	    !pmk_random_is_device((int)arg[0]))
		return;
	if (vector)
		randomise_vector(arg[1], (uint64_t)result);
	else
		pmk_random_fill(program_memory(arg[1]), (size_t)result);
}

/*
 * Records that the program installs a handler for a signal. The handler's address is the first word
 * at `action`.
 */
static void meet_handler(unsigned signal, uint64_t action)
{
	enum { DEFAULT, IGNORE };
	uint64_t pc = action ? program_word(action) : DEFAULT;

	if (!(plugin.config.parts & ~(uint32_t)PMK_PART_EXECUTIONS))
		return; /* blocks end where instructions may fault, so handlers do not matter */
	if (pc == DEFAULT || pc == IGNORE)
		return;
	pc &= ~plugin.family->decoder->pc_flags;
	pthread_mutex_lock(&plugin.translating);
	if ((!pmk_handler_at(&plugin.handlers, pc) && pmk_code_begins_at(&plugin.code, pc)) ||
	    !pmk_handlers_add(&plugin.handlers, signal, pc))
		atomic_store(&plugin.arena->handlers_unseen, 1);
	pmk_code_handles(&plugin.code, pc, pmk_handler_at(&plugin.handlers, pc));
	plugin.code.tells |= (pmk_handler_at(&plugin.handlers, pc) & PMK_ENTRY_FAULT) != 0;
	pthread_mutex_unlock(&plugin.translating);
}

/* True if the call makes a thread. QEMU makes a process for a clone that shares memory only until
 * an exec. */
static bool makes_thread(int64_t num, uint64_t flags)
{
	const struct pmk_linux_abi *abi = plugin.family->programs->linux_abi;

	return num == abi->clone && (flags & CLONE_VM) && !(flags & CLONE_VFORK);
}

/*
 * Prepare for the second thread, which is about to start. This must be done before the system call
 * that starts the thread, because QEMU discards all translated code in that call. Newer releases,
 * such as 10.0, report the new vCPU only on the new thread. By then, the first thread may already
 * have translated code for both threads.
 */
static void becomes_threaded(void)
{
	plugin.threaded = true;
	plugin.rest.ended = plugin.rest.on;
	if (plugin.config.units.head)
		pmk_sampling_end_all();
}

void pmk_plugin_syscall(unsigned vcpu, int64_t num, uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
	const struct pmk_linux_abi *abi = plugin.family->programs->linux_abi;

	calling.vcpu = vcpu % PMK_MAX_VCPUS;
	memcpy(calling.args, (const uint64_t[]){ arg1, arg2, arg3 }, sizeof(calling.args));
	if (pmk_cpus[calling.vcpu]) /* the block that makes the call has run completely */
		pmk_translate_passed(calling.vcpu, (void *)(uintptr_t)pmk_access_at(0, 0));
	if (plugin.config.delay && pmk_cpus[calling.vcpu])
		plugin.delay_left = pmk_emulated_delay_left(plugin_core(pmk_cpus[calling.vcpu]));
	if (plugin.rest.on) /* this may be the program's last call */
		pmk_sampling_read_rest(pmk_cpus[calling.vcpu]);
	pmk_random_enter();
	calling.making = makes_thread(num, arg1);
	if (calling.making)
		pmk_random_makes();
	if (!plugin.threaded && calling.making)
		becomes_threaded();
	if (is_execve(num))
		atomic_fetch_add(&plugin.slot->execs, 1);
	if (num == abi->sigaction || num == abi->rt_sigaction)
		meet_handler((unsigned)arg1, arg2);
}

void pmk_plugin_syscall_returned(int64_t num, int64_t result)
{
	replace_random(num, result);
	if (calling.making && result > 0)
		pmk_random_made((uint64_t)result);
	calling.making = false;
	/* An execve that returns has failed. */
	if (is_execve(num))
		atomic_fetch_sub(&plugin.slot->execs, 1);
	if (is_execve(num) && result == -ENOEXEC)
		atomic_store(&plugin.arena->foreign_execs, 1);
	/* If the call failed, it has created no thread, so the emulator did not translate code
	 * again. */
	plugin.rest.all_anew |= plugin.rest.ended && result < 0;
	plugin.rest.ended = false;
	if (plugin.rest.all_anew)
		plugin.glue->translate_anew();
	plugin.rest.all_anew = false;
	if (calling.forking && result < 0)
		atomic_fetch_sub(&plugin.arena->forks, 1);
	calling.forking = false;
}

struct pmk_arena *pmk_process_map_arena(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat s = { .st_size = 0 };
	struct pmk_arena *a;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &s) || (uint64_t)s.st_size < pmk_arena_bytes(1)) {
		close(fd);
		return NULL;
	}
	a = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
		 0);
	close(fd);
	return a == MAP_FAILED || pmk_arena_bytes(a->slots) != (uint64_t)s.st_size ? NULL : a;
}
