// SPDX-License-Identifier: MIT
/*
 * Counters in mapped memory, for LD_PRELOAD. A process's mapping of the file $SERVED is the memory
 * of a board (blocks.c): each load and store there reaches the models. The pages are protected, so
 * each access faults. The handler then lets the processor execute this one instruction. Before a
 * load, it puts the model's word into the page; after a store, it gives the word to the model.
 * $SERVED_CYCLES cycles pass between two accesses.
 *
 * Offset 0 of the file is the address $SERVED_AT. An access is a bus error where the board has
 * nothing, and everywhere after $SERVED_ACCESSES accesses (0: never). With $SERVED_WAKES, no cycle
 * passes until one word was accessed that many times in a row.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "blocks.h"

#define TRAP_FLAG 0x100 /* EFLAGS.TF: a trap after the next instruction */
#define WRITES	  0x2	/* bit of a page fault's error code */

static struct pmk_bus bus;
static uint64_t cycles, at, accesses, most, wakes, in_a_row;
static uint8_t *served;
static size_t size;
static off_t file_offset;
static uint32_t *word; /* the word that is being accessed */
static bool is_store;

static uint64_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : 0;
}

static uint32_t address_of(const void *p)
{
	return (uint32_t)(at + (uint64_t)file_offset + (uint64_t)((const uint8_t *)p - served));
}

static void protect(int how)
{
	syscall(SYS_mprotect, served, size, how);
}

static void follow(void)
{
	blocks_sync(&bus);
	pmk_bus_forget(&bus);
	blocks_ask(&bus);
}

static void fault(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint32_t value = 0;
	bool answers;

	if (!served || (uint8_t *)info->si_addr < served ||
	    (uint8_t *)info->si_addr >= served + size) {
		signal(sig, SIG_DFL);
		return;
	}
	in_a_row = word == info->si_addr ? in_a_row + 1 : 1;
	word = info->si_addr;
	is_store = regs[REG_ERR] & WRITES;
	if (in_a_row >= wakes)
		wakes = 0;
	if (!wakes)
		blocks_run(&bus, cycles);
	if (pmk_bus_due(&bus))
		follow();
	answers = !most || accesses++ < most;
	if (!answers || (!is_store && !blocks_load(&bus, address_of(word), &value))) {
		raise(SIGBUS);
		return;
	}
	protect(PROT_READ | PROT_WRITE);
	*word = value;
	regs[REG_EFL] |= TRAP_FLAG;
}

static void stepped(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint32_t stored = *word;

	(void)sig;
	(void)info;
	regs[REG_EFL] &= ~TRAP_FLAG;
	protect(PROT_NONE);
	if (is_store && !blocks_store(&bus, address_of(word), stored))
		raise(SIGBUS);
	follow();
}

static void *serve(size_t n, off_t offset)
{
	struct sigaction on_fault = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction on_step = { .sa_sigaction = stepped, .sa_flags = SA_SIGINFO };

	cycles = number("SERVED_CYCLES");
	at = number("SERVED_AT");
	most = number("SERVED_ACCESSES");
	wakes = number("SERVED_WAKES");
	size = n;
	file_offset = offset;
	pmk_bus_init(&bus);
	pmk_signal_add(&bus.raised, PMK_SIG_CYCLE);
	pmk_signal_add(&bus.raised, PMK_SIG_INSN);
	blocks_reset(&bus);
	follow();
	sigaction(SIGSEGV, &on_fault, NULL);
	sigaction(SIGTRAP, &on_step, NULL);
	served = (uint8_t *)syscall(SYS_mmap, NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				    0);
	return served;
}

__attribute__((visibility("default"))) void *mmap64(void *where, size_t n, int prot, int flags,
						    int fd, off_t offset)
{
	const char *file = getenv("SERVED");
	struct stat wanted, this;

	if (file && fd >= 0 && !stat(file, &wanted) && !fstat(fd, &this) &&
	    wanted.st_ino == this.st_ino && wanted.st_dev == this.st_dev)
		return serve(n, offset);
	return (void *)syscall(SYS_mmap, where, n, prot, flags, fd, offset);
}
