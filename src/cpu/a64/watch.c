// SPDX-License-Identifier: MIT
/* The functions that an emulator calls while A64 code runs. */
#include "cpu/a64/a64.h"
#include "cpu/family.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

void pmk_a64_start_single(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start_single(block, pmk_a64_enter);
}

static void start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_a64_before, pmk_a64_enter);
}

void pmk_a64_start_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_enter);
}

void pmk_a64_start_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_a64_enter);
}

static const struct pmk_block_fns in_order = {
	.single = pmk_a64_start_single,
	.plain = start_plain,
	.eager = pmk_a64_start_eager,
	.booked = pmk_a64_start_booked,
	.handle = pmk_a64_handle,
	.before = pmk_a64_before,
};

void pmk_a64_window_start_single(unsigned vcpu, void *block)
{
	(void)vcpu;
	pmk_block_start_single(block, pmk_a64_window_enter);
}

static void window_start_plain(unsigned vcpu, void *block)
{
	pmk_block_start(vcpu, block, pmk_a64_before, pmk_a64_window_enter);
}

void pmk_a64_window_start_eager(unsigned vcpu, void *block)
{
	pmk_block_start_eager(vcpu, block, pmk_a64_window_enter);
}

void pmk_a64_window_start_booked(unsigned vcpu, void *block)
{
	pmk_block_start_booked(vcpu, block, pmk_a64_window_enter);
}

static const struct pmk_block_fns out_of_order = {
	.single = pmk_a64_window_start_single,
	.plain = window_start_plain,
	.eager = pmk_a64_window_start_eager,
	.booked = pmk_a64_window_start_booked,
	.handle = pmk_a64_handle,
	.before = pmk_a64_before,
};

static const struct pmk_block_fns *on_block(const struct pmk_core *core)
{
	return core->a64.window ? &out_of_order : &in_order;
}

/*
 * Starts a block when only fetching is counted. The core then has no clock, and no block takes
 * time.
 */
static void fetch_block(unsigned vcpu, void *block)
{
	pmk_a64_enter_fetch(pmk_cpus[vcpu], block, false);
}

static void fetch_block_counted(unsigned vcpu, void *block)
{
	pmk_a64_enter_fetch(pmk_cpus[vcpu], block, true);
}

static void fetch_lines(unsigned vcpu, void *block)
{
	pmk_a64_enter_lines(pmk_cpus[vcpu], block, false);
}

static void fetch_lines_counted(unsigned vcpu, void *block)
{
	pmk_a64_enter_lines(pmk_cpus[vcpu], block, true);
}

pmk_block_fn *const pmk_a64_on_fetch[2] = { fetch_block, fetch_block_counted };
pmk_block_fn *const pmk_a64_on_lines[2] = { fetch_lines, fetch_lines_counted };

/* ---- accesses -------------------------------------------------------------------------------- */

/*
 * The facts of a block count its accesses, with two exceptions, which are counted here: the
 * accesses of store-exclusives, which the emulator reports only if they store, and all accesses of
 * a core without a clock.
 */

/* Returns the core, and stores the access in it. */
static inline struct pmk_cpu *remember(unsigned vcpu, const void *access)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	cpu->access = (uint64_t)(uintptr_t)access;
	return cpu;
}

/* The most frequent accesses have functions of their own: those of programs with one thread on
 * cores with a clock. For accesses that are not reported in pieces, there is one function for each
 * size. */
PMK_INLINE void access_bytes(uint64_t addr, const void *a, unsigned bytes, bool store)
{
	(store ? pmk_a64_store : pmk_a64_load)(remember(0, a), addr, bytes, bytes,
					       (uint64_t)(uintptr_t)a);
}

static void load1(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_bytes(addr, a, 1, false);
}

static void load2(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_bytes(addr, a, 2, false);
}

static void load4(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_bytes(addr, a, 4, false);
}

static void load8(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_bytes(addr, a, 8, false);
}

static void store1(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_bytes(addr, a, 1, true);
}

static void store2(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_bytes(addr, a, 2, true);
}

static void store4(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_bytes(addr, a, 4, true);
}

static void store8(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)vcpu, (void)info;
	access_bytes(addr, a, 8, true);
}

/* In system emulation, stores the access for is_device(), and learns the exception level from
 * it. */
static inline void see_access(struct pmk_cpu *cpu, uint32_t info, uint64_t addr)
{
	pmk_access_see(cpu, info, addr);
	if (PMK_UNLIKELY(cpu->level.open))
		pmk_a64_show_level(cpu, info);
}

static inline void access_any(struct pmk_cpu *cpu, uint64_t addr, const void *a, bool store)
{
	uint64_t access = (uint64_t)(uintptr_t)a;

	(store ? pmk_a64_store : pmk_a64_load)(cpu, addr, 1u << PMK_A64_ELEM(access),
					       PMK_ACCESS_SIZE(access), access);
}

static inline void count_access(struct pmk_cpu *cpu, enum pmk_signal signal, const void *a)
{
	cpu->dyn[signal] += PMK_ACCESS_COUNT((uint64_t)(uintptr_t)a);
}

/*
 * Accounts for an access that has no function of its own. On a core without a clock, the access is
 * counted here, because no block counts it.
 */
static void load_otherwise(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = remember(vcpu, a);

	see_access(cpu, info, addr);
	if (cpu->core.timeless)
		count_access(cpu, PMK_SIG_MEM_READ, a);
	access_any(cpu, addr, a, false);
}

static void store_otherwise(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = remember(vcpu, a);

	see_access(cpu, info, addr);
	if (cpu->core.timeless)
		count_access(cpu, PMK_SIG_MEM_WRITE, a);
	access_any(cpu, addr, a, true);
}

/*
 * Accounts for LDTR or STTR in system emulation. These instructions access memory as if at EL0, so
 * they do not show the level.
 */
static void load_user(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	pmk_access_see(pmk_cpus[vcpu], info, addr);
	access_any(remember(vcpu, a), addr, a, false);
}

static void store_user(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	pmk_access_see(pmk_cpus[vcpu], info, addr);
	access_any(remember(vcpu, a), addr, a, true);
}

/* ---- accesses in pieces ---------------------------------------------------------------------- */

/* The emulator may report an access to several registers or elements, or of more than 8 bytes, in
 * pieces. The first piece stands for the whole access, and later pieces are ignored. */

bool pmk_a64_is_under_way(const struct pmk_cpu *cpu)
{
	const struct pmk_a64 *v = cpu->a64.tables;
	uint64_t end = v->piece_last + (UINT64_C(1) << pmk_emulator.size_shift(v->piece_info));

	return cpu->a64.piece_of == cpu->access &&
	       end - v->piece_first < PMK_ACCESS_SIZE(cpu->access);
}

struct pmk_cpu *pmk_a64_first(unsigned vcpu, uint32_t info, uint64_t addr, const void *access)
{
	struct pmk_cpu *cpu = remember(vcpu, access);

	cpu->a64.tables->piece_last = addr;
	cpu->a64.tables->piece_info = info;
	return pmk_a64_first_piece(cpu, addr, (uint64_t)(uintptr_t)access) ? cpu : NULL;
}

/*
 * Does what pmk_a64_first() does, also in system emulation and on cores without a clock. On a core
 * without a clock, adds the access to the signal `counts`. There, pmk does not see blocks start, so
 * the last piece must end the access.
 */
static struct pmk_cpu *first_otherwise(unsigned vcpu, uint32_t info, uint64_t addr,
				       const void *access, unsigned counts)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu], *first = pmk_a64_first(vcpu, info, addr, access);

	see_access(cpu, info, addr);
	if (!cpu->core.timeless)
		return first;
	if (first)
		cpu->a64.piece_counts = (uint8_t)counts;
	if (first && counts != PMK_SIG_NONE)
		count_access(cpu, counts, access);
	if (!pmk_a64_is_under_way(cpu))
		cpu->a64.piece_of = 0;
	return first;
}

/*
 * Drops an access whose remaining pieces do not come, because the instruction has faulted. The
 * instruction starts again later, and is counted then.
 */
void pmk_a64_drop(struct pmk_cpu *cpu)
{
	unsigned counts = cpu->a64.piece_counts;

	if (cpu->core.timeless && (counts == PMK_SIG_MEM_READ || counts == PMK_SIG_MEM_WRITE))
		cpu->dyn[counts] -= PMK_ACCESS_COUNT(cpu->a64.piece_of);
	cpu->a64.piece_of = 0;
}

static void load_pieces(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = pmk_a64_first(0, info, addr, a);

	(void)vcpu;
	if (cpu)
		access_any(cpu, addr, a, false);
}

static void store_pieces(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = pmk_a64_first(0, info, addr, a);

	(void)vcpu;
	if (cpu)
		access_any(cpu, addr, a, true);
}

static void load_pieces_otherwise(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = first_otherwise(vcpu, info, addr, a, PMK_SIG_MEM_READ);

	if (cpu)
		access_any(cpu, addr, a, false);
}

static void store_pieces_otherwise(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = first_otherwise(vcpu, info, addr, a, PMK_SIG_MEM_WRITE);

	if (cpu)
		access_any(cpu, addr, a, true);
}

/* Returns the core at the first write of an access, otherwise NULL. The emulator reports a
 * store-exclusive that stores, and an atomic, as a read and a write, and CASP as two of each. Only
 * the first write is used. */
static struct pmk_cpu *first_write(unsigned vcpu, uint32_t info, uint64_t addr, const void *access)
{
	see_access(pmk_cpus[vcpu], info, addr);
	return pmk_emulator.is_store(info) ? first_otherwise(vcpu, info, addr, access, PMK_SIG_NONE)
					   : NULL;
}

static void store_exclusive(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = first_write(vcpu, info, addr, a);

	if (cpu)
		pmk_a64_store_exclusive(cpu, addr, (uint64_t)(uintptr_t)a);
}

static void modify(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	struct pmk_cpu *cpu = first_write(vcpu, info, addr, a);
	uint64_t access = (uint64_t)(uintptr_t)a;

	if (!cpu)
		return;
	if (cpu->core.timeless) {
		count_access(cpu, PMK_SIG_MEM_READ, a);
		count_access(cpu, PMK_SIG_MEM_WRITE, a);
	}
	pmk_a64_load(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
	pmk_a64_store(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Called for DC ZVA. The emulator does not report this access, so `info` has no meaning. */
static void zero(unsigned vcpu, uint32_t info, uint64_t addr, void *a)
{
	(void)info;
	pmk_a64_zero_line(pmk_cpus[vcpu], addr, (uint64_t)(uintptr_t)a);
}

/* Returns the word for the callback of an instruction that zeroes a line. It has the number of the
 * register with the address in place of the first use of the result. */
static uint64_t zeroing(const struct pmk_core *core, const struct pmk_insn *in,
			const struct pmk_block *b, const struct pmk_pipe_slot *pipe)
{
	bool timed = !core->timeless && !core->a64.window;

	return pmk_access_pack(timed ? b->cycles - pipe->issue : 0, (uint8_t)in->rm, 1, 0);
}

pmk_access_fn *pmk_a64_watch(const struct pmk_core *core, bool single, const struct pmk_insn *in,
			     const struct pmk_block *b, const struct pmk_pipe_slot *pipe,
			     uint64_t *access)
{
	static pmk_access_fn *const plain[2][4] = { { load1, load2, load4, load8 },
						    { store1, store2, store4, store8 } };
	bool frequent = single && !core->timeless;

	*access = core->timeless     ? pmk_a64_access(core, 0, 0, in)
		  : core->a64.window ? pmk_a64_access(core, 0, pipe->use, in)
				     : pmk_a64_access(core, b->cycles - pipe->issue, pipe->use, in);
	if (in->kind & PMK_K_DC_ZVA) {
		*access = zeroing(core, in, b, pipe);
		return zero;
	}
	if (in->exclusive && in->store)
		return store_exclusive;
	if (in->load && in->store)
		return modify;
	if (in->mem_total > in->mem_bytes || in->mem_bytes > 8)
		return frequent	   ? in->store ? store_pieces : load_pieces
		       : in->store ? store_pieces_otherwise
				   : load_pieces_otherwise;
	if (core->system && (in->kind & PMK_K_USER_MEM))
		return in->store ? store_user : load_user;
	if (!frequent)
		return in->store ? store_otherwise : load_otherwise;
	return plain[in->store][pmk_access_log2(in->mem_bytes)];
}

/* Describes the test that pmk_a64_odd() makes. */
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

static void preload(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	uint64_t access = (uintptr_t)data;

	(void)info;
	pmk_a64_preload(pmk_cpus[vcpu], addr + (uint64_t)((int64_t)access >> 32), access);
}

const struct pmk_core_callbacks pmk_a64_callbacks = {
	.on_block = on_block,
	.on_fetch = pmk_a64_on_fetch,
	.on_lines = pmk_a64_on_lines,
	.watch = pmk_a64_watch,
	.preload = preload,
	.test = pmk_a64_test,
	.tables = pmk_a64_tables,
};
