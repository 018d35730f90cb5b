// SPDX-License-Identifier: MIT
/* The functions that an emulator calls while A64 code runs. */
#include "cpu/a64/a64.h"

static void in_order_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start(0, block, pmk_a64_enter);
}

static void in_order_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_a64_enter);
}

static void in_order_system(unsigned vcpu, void *block)
{
	pmk_block_start_system(vcpu, block, pmk_a64_before, pmk_a64_enter);
}

static void in_order_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_enter, false);
}

static void in_order_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_a64_enter);
}

static void in_order_crossing(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_enter, true);
}

static const struct pmk_block_fns in_order = {
	.thread = in_order_thread,
	.plain = in_order_plain,
	.system = in_order_system,
	.eager = in_order_eager,
	.booked = in_order_booked,
	.crossing = in_order_crossing,
	.handle = pmk_a64_handle,
	.before = pmk_a64_before,
};

static void out_of_order_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start(0, block, pmk_a64_window_enter);
}

static void out_of_order_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_a64_window_enter);
}

static void out_of_order_system(unsigned vcpu, void *block)
{
	pmk_block_start_system(vcpu, block, pmk_a64_before, pmk_a64_window_enter);
}

static void out_of_order_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_window_enter, false);
}

static void out_of_order_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_a64_window_enter);
}

static void out_of_order_crossing(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_window_enter, true);
}

static const struct pmk_block_fns out_of_order = {
	.thread = out_of_order_thread,
	.plain = out_of_order_plain,
	.system = out_of_order_system,
	.eager = out_of_order_eager,
	.booked = out_of_order_booked,
	.crossing = out_of_order_crossing,
	.handle = pmk_a64_handle,
	.before = pmk_a64_before,
};

const struct pmk_block_fns *pmk_a64_on_block(const struct pmk_core *core)
{
	return core->a64.window ? &out_of_order : &in_order;
}

/* For cores of which only fetching is counted: they have no clock, and no block takes time. */
static void fetched(unsigned vcpu, void *block)
{
	pmk_a64_enter_fetch(pmk_cpus[vcpu], block, false);
}

static void fetched_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_a64_enter_fetch(pmk_cpus[0], block, false);
}

static void fetched_counted(unsigned vcpu, void *block)
{
	pmk_a64_enter_fetch(pmk_cpus[vcpu], block, true);
}

static void fetched_counted_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_a64_enter_fetch(pmk_cpus[0], block, true);
}

static void lines(unsigned vcpu, void *block)
{
	pmk_a64_enter_lines(pmk_cpus[vcpu], block, false);
}

static void lines_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_a64_enter_lines(pmk_cpus[0], block, false);
}

static void lines_counted(unsigned vcpu, void *block)
{
	pmk_a64_enter_lines(pmk_cpus[vcpu], block, true);
}

static void lines_counted_thread(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_a64_enter_lines(pmk_cpus[0], block, true);
}

pmk_block_fn *const pmk_a64_on_fetch[2][PMK_FETCH_NWAYS] = {
	{ fetched, fetched_thread }, { fetched_counted, fetched_counted_thread }
};
pmk_block_fn *const pmk_a64_on_lines[2][PMK_FETCH_NWAYS] = {
	{ lines, lines_thread }, { lines_counted, lines_counted_thread }
};

/* Returns the core, and stores the access in it. */
static inline struct pmk_cpu *remember(unsigned vcpu, const void *access)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->access = (uint64_t)(uintptr_t)access;
	return cpu;
}

/*
 * Like remember(), for an access that may come in pieces: also stores the last piece in the core.
 */
static inline struct pmk_cpu *remember_piece(unsigned vcpu, uint32_t info, uint64_t addr,
					     const void *access)
{
	struct pmk_cpu *cpu = remember(vcpu, access);

	cpu->a64.tables->piece_last = addr;
	cpu->a64.tables->piece_info = info;
	return cpu;
}

bool pmk_a64_is_under_way(const struct pmk_cpu *cpu)
{
	const struct pmk_a64 *v = cpu->a64.tables;
	uint64_t end = v->piece_last + (UINT64_C(1) << pmk_emulator.size_shift(v->piece_info));

	return cpu->a64.piece_of == cpu->access &&
	       end - v->piece_first < PMK_ACCESS_SIZE(cpu->access);
}

struct pmk_cpu *pmk_a64_first(unsigned vcpu, uint32_t info, uint64_t addr, const void *access)
{
	struct pmk_cpu *cpu = remember_piece(vcpu, info, addr, access);

	return pmk_a64_first_piece(cpu, addr, (uint64_t)(uintptr_t)access) ? cpu : NULL;
}

/*
 * Like pmk_a64_first(), without a clock, where the access is counted here. No start of a block
 * shows that the next access is a new one, so the last piece must end the access.
 */
static struct pmk_cpu *first_alone(unsigned vcpu, uint32_t info, uint64_t addr, const void *access,
				   unsigned counts)
{
	struct pmk_cpu *cpu = pmk_a64_first(vcpu, info, addr, access);

	if (cpu)
		cpu->a64.piece_counts = (uint8_t)counts;
	if (cpu && counts != PMK_SIG_NONE)
		cpu->dyn[counts] += PMK_ACCESS_COUNT((uint64_t)(uintptr_t)access);
	if (!pmk_a64_is_under_way(pmk_cpus[vcpu]))
		pmk_cpus[vcpu]->a64.piece_of = 0;
	return cpu;
}

/*
 * Drop an access whose remaining pieces do not come, because the instruction has faulted. The
 * instruction starts again later, and is counted then.
 */
void pmk_a64_drop(struct pmk_cpu *cpu)
{
	unsigned counts = cpu->a64.piece_counts;

	if (cpu->core.timeless && (counts == PMK_SIG_MEM_READ || counts == PMK_SIG_MEM_WRITE))
		cpu->dyn[counts] -= PMK_ACCESS_COUNT(cpu->a64.piece_of);
	cpu->a64.piece_of = 0;
}

/*
 * The blocks' facts count all accesses except those of store-exclusives: the emulator reports a
 * store-exclusive only if it stores, as a read and a write. It reports accesses of 16 bytes and
 * more in pieces. Each function has a twin for system emulation, which keeps the access for
 * is_device(), and one for cores without a clock, which counts the access.
 */
#define WITH_TWIN(name)                                                                   \
	static void name##_sys(unsigned vcpu, uint32_t info, uint64_t addr, void *access) \
	{                                                                                 \
		pmk_access_see(info, addr);                                               \
		if (PMK_UNLIKELY(pmk_cpus[vcpu]->level.open))                             \
			pmk_a64_show_level(pmk_cpus[vcpu], info);                         \
		name(vcpu, info, addr, access);                                           \
	}

/*
 * Like WITH_TWIN(), for accesses that are made as if at EL0 (LDTR, STTR) and so do not show the
 * level.
 */
#define WITH_USER(name)                                                                    \
	static void name##_user(unsigned vcpu, uint32_t info, uint64_t addr, void *access) \
	{                                                                                  \
		pmk_access_see(info, addr);                                                \
		name(vcpu, info, addr, access);                                            \
	}

static inline struct pmk_cpu *count_alone(unsigned vcpu, const void *access, enum pmk_signal sig)
{
	struct pmk_cpu *cpu = remember(vcpu, access);

	cpu->dyn[sig] += PMK_ACCESS_COUNT((uint64_t)(uintptr_t)access);
	return cpu;
}

#define ACCESS(bytes)                                                                          \
	static void load##bytes(unsigned vcpu, uint32_t info, uint64_t addr, void *a)          \
	{                                                                                      \
		(void)info;                                                                    \
		pmk_a64_load(remember(vcpu, a), addr, bytes, bytes, (uint64_t)(uintptr_t)a);   \
	}                                                                                      \
	static void store##bytes(unsigned vcpu, uint32_t info, uint64_t addr, void *a)         \
	{                                                                                      \
		(void)info;                                                                    \
		pmk_a64_store(remember(vcpu, a), addr, bytes, bytes, (uint64_t)(uintptr_t)a);  \
	}                                                                                      \
	static void load##bytes##_alone(unsigned vcpu, uint32_t info, uint64_t addr, void *a)  \
	{                                                                                      \
		(void)info;                                                                    \
		pmk_a64_load(count_alone(vcpu, a, PMK_SIG_MEM_READ), addr, bytes, bytes,       \
			     (uint64_t)(uintptr_t)a);                                          \
	}                                                                                      \
	static void store##bytes##_alone(unsigned vcpu, uint32_t info, uint64_t addr, void *a) \
	{                                                                                      \
		(void)info;                                                                    \
		pmk_a64_store(count_alone(vcpu, a, PMK_SIG_MEM_WRITE), addr, bytes, bytes,     \
			      (uint64_t)(uintptr_t)a);                                         \
	}                                                                                      \
	PMK_OF_THREAD(load##bytes)                                                             \
	PMK_OF_THREAD(store##bytes)                                                            \
	WITH_USER(load##bytes)                                                                 \
	WITH_USER(store##bytes)                                                                \
	WITH_TWIN(load##bytes)                                                                 \
	WITH_TWIN(store##bytes)

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)

/* Account for an access that may come in pieces, at its first piece. Later pieces are ignored. */
static void load_all(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	if (cpu)
		pmk_a64_load(cpu, addr, 1u << PMK_A64_ELEM(access), PMK_ACCESS_SIZE(access),
			     access);
}

static void store_all(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	if (cpu)
		pmk_a64_store(cpu, addr, 1u << PMK_A64_ELEM(access), PMK_ACCESS_SIZE(access),
			      access);
}

static void load_pieces(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	load_all(pmk_a64_first(vcpu, info, addr, a), addr, (uint64_t)(uintptr_t)a);
}

static void load_pieces_alone(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	load_all(first_alone(vcpu, info, addr, a, PMK_SIG_MEM_READ), addr, (uint64_t)(uintptr_t)a);
}

PMK_OF_THREAD(load_pieces)
WITH_TWIN(load_pieces)

static void store_pieces(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	store_all(pmk_a64_first(vcpu, info, addr, a), addr, (uint64_t)(uintptr_t)a);
}

static void store_pieces_alone(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	store_all(first_alone(vcpu, info, addr, a, PMK_SIG_MEM_WRITE), addr,
		  (uint64_t)(uintptr_t)a);
}

PMK_OF_THREAD(store_pieces)
WITH_TWIN(store_pieces)

static void store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = NULL;

	if (pmk_emulator.is_store(info))
		cpu = pmk_a64_first(vcpu, info, addr, a);
	if (cpu)
		pmk_a64_store_exclusive(cpu, addr, (uint64_t)(uintptr_t)a);
}

static void store_exclusive_alone(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = NULL;

	if (pmk_emulator.is_store(info))
		cpu = first_alone(vcpu, info, addr, a, PMK_SIG_NONE);
	if (cpu)
		pmk_a64_store_exclusive(cpu, addr, (uint64_t)(uintptr_t)a);
}

WITH_TWIN(store_exclusive)

/*
 * The emulator reports an atomic as a read and a write, and CASP as two of each. Only the first
 * write is used.
 */
static void modify(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	pmk_a64_load(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
	pmk_a64_store(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
}

static void atomic(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = NULL;

	if (pmk_emulator.is_store(info))
		cpu = pmk_a64_first(vcpu, info, addr, a);
	if (cpu)
		modify(cpu, addr, (uint64_t)(uintptr_t)a);
}

static void atomic_alone(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = NULL;

	if (pmk_emulator.is_store(info))
		cpu = first_alone(vcpu, info, addr, a, PMK_SIG_NONE);
	if (!cpu)
		return;
	count_alone(vcpu, a, PMK_SIG_MEM_READ);
	count_alone(vcpu, a, PMK_SIG_MEM_WRITE);
	modify(cpu, addr, (uint64_t)(uintptr_t)a);
}

WITH_TWIN(atomic)

/*
 * Called for DC ZVA. `info`, and all that the emulator reports about the access, belong to another
 * access.
 */
static void zero(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)info;
	pmk_a64_zero_line(pmk_cpus[vcpu], addr, (uint64_t)(uintptr_t)a);
}

/* Instead of the use of the result, the access has the register with the address. */
static uint64_t zeroing(const struct pmk_core *core, const struct pmk_insn *in,
			const struct pmk_block *b, const struct pmk_pipe_slot *pipe)
{
	bool timed = !core->timeless && !core->a64.window;

	return pmk_access_pack(timed ? b->cycles - pipe->issue : 0, (uint8_t)in->rm, 1, 0);
}

/* The worlds, followed by the case of a program whose core has no clock. */
enum { ALONE = PMK_NWORLDS, NWAYS };

pmk_access_fn *pmk_a64_watch(const struct pmk_core *core, enum pmk_world world,
			     const struct pmk_insn *in, const struct pmk_block *b,
			     const struct pmk_pipe_slot *pipe, uint64_t *access)
{
	static pmk_access_fn *const as_user[2][4] = {
		{ load1_user, load2_user, load4_user, load8_user },
		{ store1_user, store2_user, store4_user, store8_user },
	};
	static pmk_access_fn *const single[NWAYS][2][4] = {
		{ { load1_thread, load2_thread, load4_thread, load8_thread },
		  { store1_thread, store2_thread, store4_thread, store8_thread } },
		{ { load1, load2, load4, load8 }, { store1, store2, store4, store8 } },
		{ { load1_sys, load2_sys, load4_sys, load8_sys },
		  { store1_sys, store2_sys, store4_sys, store8_sys } },
		{ { load1_alone, load2_alone, load4_alone, load8_alone },
		  { store1_alone, store2_alone, store4_alone, store8_alone } },
	};
	static pmk_access_fn *const pieces[NWAYS][2] = {
		{ load_pieces_thread, store_pieces_thread },
		{ load_pieces, store_pieces },
		{ load_pieces_sys, store_pieces_sys },
		{ load_pieces_alone, store_pieces_alone },
	};
	static pmk_access_fn *const exclusive[NWAYS] = { store_exclusive, store_exclusive,
							 store_exclusive_sys,
							 store_exclusive_alone };
	static pmk_access_fn *const both[NWAYS] = { atomic, atomic, atomic_sys, atomic_alone };
	unsigned way = core->timeless ? (unsigned)ALONE : (unsigned)world;

	*access = core->timeless     ? pmk_a64_access(core, 0, 0, in)
		  : core->a64.window ? pmk_a64_access(core, 0, pipe->use, in)
				     : pmk_a64_access(core, b->cycles - pipe->issue, pipe->use, in);
	if (in->kind & PMK_K_DC_ZVA) {
		*access = zeroing(core, in, b, pipe);
		return zero;
	}
	if (in->exclusive && in->store)
		return exclusive[way];
	if (in->load && in->store)
		return both[way];
	if (in->mem_total > in->mem_bytes || in->mem_bytes > 8)
		return pieces[way][in->store];
	if (world == PMK_WORLD_SYSTEM && (in->kind & PMK_K_USER_MEM))
		return as_user[in->store][pmk_access_log2(in->mem_bytes)];
	return single[way][in->store][pmk_access_log2(in->mem_bytes)];
}

/* The same test as in pmk_a64_odd(). */
struct pmk_access_test pmk_a64_test(const struct pmk_core *core, const struct pmk_insn *in)
{
	int64_t ok = (int64_t)(in->store ? PMK_A64_STORE_OK : PMK_A64_LOAD_OK);
	int64_t line = -(INT64_C(1) << PMK_A64_LINE_SHIFT);

	if ((in->exclusive && in->store) || (in->load && in->store) ||
	    in->mem_total > in->mem_bytes || in->mem_bytes > 8 ||
	    (core->timeless && in->mem_bytes > core->a64.l1d_bytes))
		return (struct pmk_access_test){ .n = 0 };
	return (struct pmk_access_test){
		.n = 2,
		.counts = !core->timeless ? PMK_SIG_NONE
			  : in->store	  ? PMK_SIG_MEM_WRITE
					  : PMK_SIG_MEM_READ,
		.lookup[0] = { .size = 8,
			       .shift = PMK_A64_LINE_SHIFT,
			       .index_mask = PMK_A64_FAST_LINES - 1,
			       .entry_mask = line | ok,
			       .addr_mask = line | ((1 << pmk_access_log2(in->mem_bytes)) - 1),
			       .value = ok },
		.lookup[1] = { .size = 8,
			       .offset = PMK_A64_FAST_LINES * 8,
			       .shift = PMK_PAGE_SHIFT,
			       .index_mask = PMK_A64_FAST_PAGES - 1,
			       .entry_mask = -1,
			       .addr_mask = -1,
			       .addr_shift = PMK_PAGE_SHIFT },
	};
}

void *pmk_a64_tables(const struct pmk_cpu *cpu)
{
	return cpu->a64.fast;
}
