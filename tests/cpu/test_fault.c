// SPDX-License-Identifier: MIT
/*
 * Blocks that end early because an instruction in the middle faults are counted up to this
 * instruction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cpu/callbacks.h"
#include "cpu/code.h"
#include "cpu/family.h"

#define GOOD   0x20000u
#define CODE   0x10000u
#define HANDLE 0x11000u

/* Words of instructions. They are macros because values of an enum must fit in an int. */
#define ADD   0xe2811001u
#define LDR   0xe5902000u
#define STR   0xe5803004u
#define BX_LR 0xe12fff1eu
#define LDRNE 0x15902000u
#define STRNE 0x15803004u
#define LDM   0xe8900078u /* r3-r6 */

static struct pmk_core core;
static struct pmk_code code;
static struct pmk_cpu *cpu;
static struct pmk_isa_arm *isa;
static struct pmk_facts facts[64];
static struct pmk_executions executions[64];
static struct pmk_bus bus;

/* A block, and the callbacks of the emulator for each of its instructions. */
struct shown {
	const struct pmk_block *block;
	pmk_block_fn *start;
	unsigned n;
	struct {
		pmk_access_fn *fn;
		void *access;
	} at[16];
};

static bool is_store(uint32_t info)
{
	return info;
}

static unsigned size_shift(uint32_t info)
{
	(void)info;
	return 2;
}

static int setup(void **state)
{
	(void)state;
	pmk_emulator = (struct pmk_emulator){ .is_store = is_store, .size_shift = size_shift };
	pmk_core_defaults(&core);
	isa = pmk_isa_arm_new();
	cpu = calloc(1, sizeof(*cpu));
	pmk_bus_init(&bus);
	for (unsigned i = 0; i < 64; i++)
		executions[i] = (struct pmk_executions){ 0 };
	if (!isa || !cpu || pmk_code_init(&code, &core) || pmk_cpu_init(cpu, &core))
		return -1;
	cpu->executions = executions;
	pmk_cpus[0] = cpu;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	pmk_cpus[0] = NULL;
	pmk_cpu_fini(cpu);
	free(cpu);
	pmk_code_fini(&code);
	pmk_isa_arm_free(isa);
	return 0;
}

/* Passes a block to the core as the plugin does. `entry` is an enum pmk_entry. */
static struct shown show(uint32_t pc, unsigned entry, unsigned n, const uint32_t *words)
{
	const struct pmk_core_callbacks *callbacks = pmk_core_family(&core)->callbacks;
	struct pmk_pipe_slot pipe[16];
	struct pmk_insn insn[16];
	struct shown s = { .n = n,
			   .start = pmk_block_choose(&core, false, entry != 0, cpu->eager) };
	unsigned behind;

	for (unsigned i = 0; i < n; i++)
		pmk_isa_arm_decode(isa, false, pc + 4 * i, &words[i], 4, &insn[i]);
	s.block = pmk_code_add(&code, insn, n, words[0], entry, pipe);
	assert_non_null(s.block);
	facts[s.block->id] = s.block->facts;
	behind = s.block->nfaults;
	for (unsigned i = 0; i < n; i++) {
		uint64_t access;

		if (!insn[i].load && !insn[i].store)
			continue;
		s.at[i].fn = callbacks->watch(&core, false, &insn[i], s.block, &pipe[i], &access);
		s.at[i].access = (void *)(uintptr_t)pmk_access_at(access, --behind);
	}
	return s;
}

static void start(const struct shown *s)
{
	s->start(0, (void *)(uintptr_t)s->block);
}

/* Reports that the access of instruction i is done. */
static void done(const struct shown *s, unsigned i)
{
	s->at[i].fn(0, 0, GOOD, s->at[i].access);
}

static uint64_t total(unsigned signal)
{
	pmk_cpu_sum(cpu, facts, executions, code.nblocks, &bus);
	return bus.total[signal];
}

static const uint32_t two[] = { ADD, LDR, ADD, STR, ADD, BX_LR };
static const uint32_t handler_words[] = { ADD, BX_LR };

static struct shown handler(unsigned entry)
{
	return show(HANDLE, entry, 2, handler_words);
}

static void check(uint64_t insns, uint64_t reads, uint64_t writes, uint64_t branches)
{
	assert_int_equal(total(PMK_SIG_INSN), insns);
	assert_int_equal(total(PMK_SIG_L1D_READ), reads);
	assert_int_equal(total(PMK_SIG_L1D_WRITE), writes);
	assert_int_equal(total(PMK_SIG_BRANCH), branches);
}

/*
 * Runs a block with two accesses, and then a handler of 2 instructions, one of which is a branch.
 * When the handler starts, the block has done `accesses` of its accesses.
 */
static uint64_t run_two(unsigned accesses, unsigned entry)
{
	struct shown s = show(CODE, 0, 6, two), h = handler(entry);

	start(&s);
	if (accesses > 0)
		done(&s, 1);
	if (accesses > 1)
		done(&s, 3);
	start(&h);
	return cpu->cycles;
}

static void test_first_access(void **state)
{
	(void)state;
	run_two(0, PMK_ENTRY_FAULT);
	check(2 + 2, 0, 0, 1);
	assert_int_equal(total(PMK_SIG_PC_CHANGE), 0);
}

static void test_second_access(void **state)
{
	(void)state;
	run_two(1, PMK_ENTRY_FAULT);
	check(4 + 2, 1, 0, 1);
}

/*
 * An access that is always reported, but was not reported, has faulted. This is known even if the
 * handler that runs next is not one for faults.
 */
static void test_any_handler(void **state)
{
	(void)state;
	run_two(1, PMK_ENTRY_SIGNAL);
	check(4 + 2, 1, 0, 1);
}

static void test_nothing_faulted(void **state)
{
	(void)state;
	run_two(2, PMK_ENTRY_FAULT | PMK_ENTRY_SIGNAL);
	check(6 + 2, 1, 1, 2);
}

/* The sums are also right if the core updates them at every block (cpu->eager). */
static void test_eager(void **state)
{
	cpu->eager = true;
	test_second_access(state);
}

/*
 * Instructions that did not run add no cycles. The cycles are those of a block that ends at the
 * fault.
 */
static void test_cycles(void **state)
{
	static const uint32_t ran[] = { ADD, ADD };
	uint64_t cycles = run_two(0, PMK_ENTRY_FAULT);
	struct shown s, h;

	teardown(state);
	setup(state);
	s = show(CODE, 0, 2, ran);
	h = handler(PMK_ENTRY_FAULT);
	start(&s);
	cpu->prev = cpu->origin;
	start(&h);
	/* In both runs the core fetched the lines of the block and of the handler. */
	assert_int_equal(cycles, cpu->cycles);
}

/*
 * A load whose condition failed is not reported. If a store after it is reported, execution has
 * passed the load.
 */
static void test_conditional(void **state)
{
	static const uint32_t words[] = { LDRNE, ADD, STR, ADD, BX_LR };
	struct shown s = show(CODE, 0, 5, words), h = handler(PMK_ENTRY_FAULT);

	(void)state;
	start(&s);
	done(&s, 2);
	start(&h);
	check(5 + 2, 0, 1, 2);
}

/*
 * With code.tells, the emulator reports when execution has passed a conditional access, unless the
 * access ends the block. So pmk knows which access faulted.
 */
static void test_conditional_was_passed(void **state)
{
	static const uint32_t words[] = { LDRNE, ADD, STR, ADD, BX_LR };
	struct shown s, h;

	(void)state;
	code.tells = true;
	s = show(CODE, 0, 5, words), h = handler(PMK_ENTRY_FAULT);
	start(&s);
	start(&h); /* the load has faulted */
	check(1 + 2, 0, 0, 1);
	start(&s);
	cpu->access = pmk_access_at(0, 1);
	start(&h); /* the store has faulted */
	check(1 + 2 + 3 + 2, 0, 0, 2);
	assert_false(cpu->unsure);
}

/*
 * In code that was translated before faults were expected, nothing reports that execution has
 * passed a conditional access. If the store after it was not done either, one of the two has
 * faulted.
 */
static void test_conditional_of_old_code(void **state)
{
	static const uint32_t words[] = { LDRNE, ADD, STR, ADD, BX_LR };
	struct shown s = show(CODE, 0, 5, words), h = handler(PMK_ENTRY_FAULT);

	(void)state;
	start(&s);
	done(&s, 2);
	start(&h); /* the store was done, so neither access has faulted */
	assert_false(cpu->unsure);
	start(&s);
	done(&s, 0);
	start(&h); /* the load was done, so the store has faulted */
	assert_false(cpu->unsure);
	start(&s);
	start(&h); /* one of the two has faulted */
	assert_true(cpu->unsure);
}

/*
 * As in test_conditional_of_old_code(), but the program ends with the fault, and no handler runs.
 */
static void test_the_end_of_old_code(void **state)
{
	static const uint32_t words[] = { LDRNE, ADD, STR, ADD, BX_LR };
	struct shown s = show(CODE, 0, 5, words);

	(void)state;
	start(&s);
	pmk_cpu_faults(cpu);
	done(&s, 2);
	pmk_cpu_ended(cpu);
	assert_false(cpu->unsure);
	start(&s);
	pmk_cpu_faults(cpu);
	pmk_cpu_ended(cpu);
	assert_true(cpu->unsure);
}

/*
 * If only a conditional access was not reported, and pmk saw a fault, the block was left early,
 * even if the next handler is for another signal. Without a fault, the access was skipped, even if
 * a handler for faults starts.
 */
static void test_conditional_at_the_end(void **state)
{
	static const uint32_t words[] = { LDR, ADD, STRNE, ADD, BX_LR };
	struct shown s = show(CODE, 0, 5, words);
	struct shown handlers[] = { handler(PMK_ENTRY_FAULT),
				    show(HANDLE + 0x1000, PMK_ENTRY_SIGNAL, 2, handler_words) };
	unsigned insns = 0, branches = 0;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		start(&s);
		done(&s, 0);
		pmk_cpu_faults(cpu);
		start(&handlers[i]);
		check(insns += 3 + 2, 1 + 2 * i, 0, branches += 1);
		start(&s);
		done(&s, 0);
		start(&handlers[i]);
		check(insns += 5 + 2, 2 + 2 * i, 0, branches += 2);
	}
}

/*
 * If the emulator had protected the page for its own use, the program does not see the fault, and
 * nothing is subtracted.
 */
static void test_a_fault_of_the_emulator(void **state)
{
	static const uint32_t words[] = { STRNE, ADD, BX_LR };
	struct shown s = show(CODE, 0, 3, words), h = handler(PMK_ENTRY_FAULT);

	(void)state;
	start(&s);
	pmk_cpu_faults(cpu);
	pmk_cpu_fault_handled(cpu);
	start(&h);
	check(3 + 2, 0, 0, 2);
	assert_false(cpu->unsure);
}

/*
 * pmk does not see that an unaligned access faults. If the block was translated before the handler
 * was known, or ends with the access, pmk cannot know whether a conditional access faulted, and
 * marks the counts.
 */
static void test_misaligned(void **state)
{
	static const uint32_t words[] = { STRNE, ADD, BX_LR };
	struct shown s = show(CODE, 0, 3, words),
		     h = handler(PMK_ENTRY_FAULT | PMK_ENTRY_MISALIGNED);

	(void)state;
	start(&s);
	done(&s, 0);
	start(&h);
	assert_false(cpu->unsure);
	start(&s);
	start(&h);
	assert_true(cpu->unsure);
	cpu->unsure = false;
	code.tells = true;
	s = show(CODE + 0x100, 0, 3, words);
	start(&s);
	start(&h); /* the store has faulted, because otherwise it would be reported */
	check(5 + 5 + 1 + 2, 0, 1, 2 + 2 + 1);
	assert_false(cpu->unsure);
	s = show(CODE + 0x200, 0, 1, words);
	start(&s);
	start(&h);
	assert_true(cpu->unsure);
}

/*
 * The code of a handler for another signal has already run when the program installs the same
 * handler for faults.
 */
static void test_a_further_signal(void **state)
{
	static const uint32_t words[] = { STRNE, ADD, BX_LR };
	struct shown s = show(CODE, 0, 3, words), h = handler(PMK_ENTRY_SIGNAL);

	(void)state;
	start(&s);
	start(&h);
	assert_false(cpu->unsure);
	pmk_code_handles(&code, HANDLE, PMK_ENTRY_FAULT | PMK_ENTRY_MISALIGNED);
	start(&s);
	start(&h);
	assert_true(cpu->unsure);
}

/* A load multiple that faults at its third word has made one access. */
static void test_multiple(void **state)
{
	static const uint32_t words[] = { ADD, LDM, ADD, STR, BX_LR };
	struct shown s = show(CODE, 0, 5, words), h = handler(PMK_ENTRY_FAULT);

	(void)state;
	start(&s);
	done(&s, 1);
	done(&s, 1);
	start(&h);
	assert_int_equal(total(PMK_SIG_INSN), 2 + 2);
	/* When the block runs again, all four words are loaded, and the store faults. */
	start(&s);
	for (unsigned i = 0; i < 4; i++)
		done(&s, 1);
	start(&h);
	assert_int_equal(total(PMK_SIG_INSN), 2 + 2 + 4 + 2);
}

/*
 * In system emulation, the emulator may leave a block before a load in its middle, run the load as
 * a separate block, and continue with the rest of the block.
 */
static const uint32_t around[] = { ADD, LDR, ADD, STR, ADD, BX_LR };

static struct shown leave_for_load(void)
{
	struct shown s, alone;

	core.system = true;
	s = show(CODE, 0, 6, around);
	alone = show(CODE + 4, 0, 1, &around[1]);
	start(&s);
	pmk_rest_expect(0, alone.block);
	done(&s, 1);
	return s;
}

/* An interrupt may come before the rest of the block runs. */
static void test_interrupt_before_the_rest(void **state)
{
	struct shown s = leave_for_load(), vector = handler(PMK_ENTRY_VECTOR),
		     rest = show(CODE + 8, 0, 4, &around[2]), next = show(GOOD, 0, 1, &around[0]);

	(void)state;
	start(&vector);
	check(6 + 2, 1, 1, 2);
	start(&rest);
	done(&s, 3);
	start(&next);
	check(6 + 2 + 1, 1, 1, 2);
	assert_int_equal(total(PMK_SIG_PC_CHANGE), 1); /* BX of the block, not of the handler */
	assert_int_equal(pmk_rests[0].n, 0);
}

/*
 * If the rest of the block runs separately, and its store faults, only the part before the store is
 * counted.
 */
static void test_fault_in_the_rest(void **state)
{
	struct shown rest, vector;

	(void)state;
	leave_for_load();
	rest = show(CODE + 8, 0, 4, &around[2]);
	vector = handler(PMK_ENTRY_VECTOR | PMK_ENTRY_FAULT);
	start(&rest);
	start(&vector);
	check(4 + 2, 1, 0, 1);
}

/* If the emulator ends before it runs the rest of the block, the rest is not counted. */
static void test_no_rest(void **state)
{
	(void)state;
	leave_for_load();
	pmk_rest_never(0);
	check(2, 1, 0, 0);
	pmk_rests[0].n = 0;
}

/*
 * If the fault ends the program, no handler starts, and the instructions after the fault are not
 * counted.
 */
static void test_the_end(void **state)
{
	struct shown s = show(CODE, 0, 6, two);

	(void)state;
	start(&s);
	pmk_cpu_faults(cpu);
	pmk_cpu_ended(cpu);
	check(2, 0, 0, 0);
}

/*
 * If the emulator uses the signal itself, the access is done afterwards, and the block is counted
 * as a whole.
 */
static void test_not_the_end(void **state)
{
	struct shown s = show(CODE, 0, 6, two);

	(void)state;
	start(&s);
	pmk_cpu_faults(cpu);
	done(&s, 1);
	done(&s, 3);
	pmk_cpu_ended(cpu);
	check(6, 1, 1, 1);
}

/*
 * If a block runs again and again, the reports of the previous execution are not taken for those of
 * the current one.
 */
static void test_the_last_execution_is_forgotten(void **state)
{
	struct shown s = show(CODE, 0, 6, two), h = handler(PMK_ENTRY_FAULT);

	(void)state;
	start(&s);
	done(&s, 1);
	done(&s, 3);
	start(&s);
	start(&h);
	check(6 + 2 + 2, 1, 1, 1 + 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(test_first_access),
		TEST(test_second_access),
		TEST(test_any_handler),
		TEST(test_nothing_faulted),
		TEST(test_eager),
		TEST(test_cycles),
		TEST(test_conditional),
		TEST(test_conditional_was_passed),
		TEST(test_conditional_of_old_code),
		TEST(test_interrupt_before_the_rest),
		TEST(test_fault_in_the_rest),
		TEST(test_no_rest),
		TEST(test_the_end_of_old_code),
		TEST(test_conditional_at_the_end),
		TEST(test_a_fault_of_the_emulator),
		TEST(test_misaligned),
		TEST(test_a_further_signal),
		TEST(test_multiple),
		TEST(test_the_end),
		TEST(test_not_the_end),
		TEST(test_the_last_execution_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
