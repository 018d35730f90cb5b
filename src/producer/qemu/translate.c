// SPDX-License-Identifier: GPL-2.0-or-later
/* Divides translated code into blocks, and registers the callbacks for them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "producer/qemu/guest.h"
#include "producer/qemu/parts.h"
#include "producer/qemu/zero.h"

static bool is_boundary(uint64_t addr)
{
	const struct pmk_emulated_config *cfg = &plugin.config;

	for (unsigned r = 0; r < cfg->nregions; r++)
		if (cfg->region[r].begin == addr || cfg->region[r].end == addr)
			return true;
	return false;
}

/* Adds bytes to a hash of instructions (FNV-1a). */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Counts an execution of a block. This is the callback for the start of a block if only executions
 * are counted. */
static void count_execution(unsigned vcpu, void *block)
{
	pmk_cpus[vcpu]->executions[((const struct pmk_block *)block)->id].count++;
}

/* Drops the pending access, because it has faulted. Called before the block of a handler. */
static void drop(unsigned vcpu, void *block)
{
	(void)block;
	plugin.family->run->drop(pmk_cpus[vcpu]);
}

/* Registers only the counting of the block's executions. Translated code can count them by itself
 * as long as the program has one thread. */
static void register_execution(struct qemu_plugin_tb *tb, size_t first, const struct pmk_block *b)
{
	if (plugin.inline_executions && !plugin.threaded)
		plugin.glue->count_inline(tb, first, &plugin.inline_executions[b->id].count, 1);
	else
		pmk_plugin_on_start(tb, first, count_execution, b);
}

bool pmk_translate_map_inline(struct pmk_executions *executions)
{
	struct pmk_executions *to = plugin.inline_executions;
	void *at = plugin.slot == &plugin.uncounted
			   ? mmap(to, PMK_EXEC_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)
			   : mremap(executions, 0, PMK_EXEC_BYTES,
				    MREMAP_MAYMOVE | (to ? MREMAP_FIXED : 0), to);

	if (at == MAP_FAILED)
		return false;
	plugin.inline_executions = at;
	return true;
}

/* True if only one thread runs the code that is being translated. When a second thread starts, the
 * emulator translates all code again. */
static bool is_single(void)
{
	return !plugin.system_mode && !plugin.threaded;
}

/* Returns the callback for the start of a block at `pc`. */
static pmk_block_fn *block_callback(uint64_t pc, unsigned entry)
{
	enum pmk_block_way way = plugin.config.eager ? PMK_BLOCK_EAGER : PMK_BLOCK_PLAIN;

	if (is_boundary(pc))
		way = PMK_BLOCK_BOUNDARY;
	else if (plugin.config.follows)
		way = PMK_BLOCK_FOLLOWED;
	else if (plugin.ledger)
		way = PMK_BLOCK_BOOKED;
	return pmk_block_choose(&plugin.config.core, is_single(), entry != 0, way);
}

/* Returns how a block at `pc` may be entered, as bits of enum pmk_entry. */
static unsigned entry_at(uint64_t pc)
{
	if (!plugin.system_mode)
		return pmk_handler_at(&plugin.handlers, pc);
	return plugin.family->system->vector(&plugin.decoder, &plugin.config.core, pc);
}

void pmk_translate_passed(unsigned vcpu, void *access)
{
	pmk_cpus[vcpu]->access = (uint64_t)(uintptr_t)access;
}

static void passed_access(unsigned vcpu, uint32_t info, uint64_t addr, void *access)
{
	(void)info;
	(void)addr;
	pmk_translate_passed(vcpu, access);
}

static void watch_insn(struct qemu_plugin_tb *tb, size_t i, const struct pmk_insn *in,
		       const struct pmk_block *b, const struct pmk_pipe_slot *pipe, unsigned behind)
{
	uint64_t access = 0;
	pmk_access_fn *fn = plugin.family->callbacks->watch(&plugin.config.core, is_single(), in, b,
							    pipe, &access);
	const struct qemu_mem_test *test = pmk_plugin_find_test(in);

	/* guest_access_in_memory() must know which accesses of the block were already made. */
	if (!fn && plugin.config.guest)
		fn = passed_access;
	if (!fn)
		return;
	access = pmk_access_at(access, behind);
	if (test)
		pmk_plugin_on_failed_test(tb, i, fn, test, access);
	else
		pmk_devices_watch_access(tb, i, in->addr, fn, access, b);
}

/*
 * Makes instruction `i` report, when it begins, that the instruction before it has not faulted. The
 * earlier instruction may fault without an access, so nothing else shows that it has not. It
 * matters only in programs that handle faults.
 */
static void report_passed(struct qemu_plugin_tb *tb, size_t i, unsigned behind)
{
	pmk_plugin_on_insn(tb, i, false, pmk_translate_passed,
			   (void *)(uintptr_t)pmk_access_at(0, behind));
}

/* Makes a block of the straight run [first, last) of translated code. Stores in plugin.pipe how its
 * instructions pass through the pipeline. Returns NULL if there is no room for a block. */
static const struct pmk_block *block_of(const struct pmk_raw *raw, const struct pmk_insn *in,
					size_t first, size_t last)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	unsigned entry = entry_at(in[first].addr);
	const struct pmk_block *b;
	uint8_t level;

	if (pmk_guest_pmu_watches_blocks()) {
		level = (uint8_t)pmk_guest_level();
		hash = hash_bytes(hash, &level, sizeof(level));
		entry |= PMK_ENTRY_LEVEL(level);
	}
	if (plugin.control.follows)
		hash = hash_bytes(hash, &plugin.control.of_code, sizeof(plugin.control.of_code));
	/* In another state of the core, the same bytes may be another instruction. */
	hash = hash_bytes(hash, &in[first].kind, sizeof(in[first].kind));
	for (size_t i = first; i < last; i++)
		hash = hash_bytes(hash, raw[i].byte, raw[i].size);
	b = pmk_code_add(&plugin.code, in + first, last - first, hash, entry, plugin.pipe);
	if (!b) {
		atomic_store(&plugin.arena->blocks_full, 1);
		return NULL;
	}
	pmk_slot_facts(plugin.slot_memory)[b->id] = b->facts;
	pmk_record_block(b, raw + first, in + first, last - first);
	atomic_store(&plugin.slot->nblocks, plugin.code.nblocks);
	return b;
}

/*
 * A straight run of code that follows a write of a control register. QEMU executes such a run once
 * before it translates code for the new state. So pmk finds the block for the present state when
 * the run starts.
 */
struct run_after_write {
	pmk_block_fn *fn;
	const struct pmk_block *block;
	unsigned state; /* the state that `block` was built for */
	size_t n;
	struct pmk_raw *raw;
	struct pmk_insn *in;
};

/* Builds the run's block for the present state of the core. */
static void build_for_state(struct run_after_write *run, unsigned state)
{
	const struct pmk_block *b;

	pthread_mutex_lock(&plugin.translating);
	plugin.control.of_code = state;
	pmk_core_control(&plugin.config.core, &plugin.control.configured, plugin.control.of_code);
	b = block_of(run->raw, run->in, 0, run->n);
	pthread_mutex_unlock(&plugin.translating);
	run->block = b ? b : run->block;
	run->state = state;
}

static void start_after_write(unsigned vcpu, void *data)
{
	struct run_after_write *run = data;

	if (run->state != plugin.control.of_core[vcpu])
		build_for_state(run, plugin.control.of_core[vcpu]);
	run->fn(vcpu, (void *)run->block);
}

static void register_after_write(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
				 const struct pmk_insn *in, size_t first, size_t n,
				 const struct pmk_block *b)
{
	struct run_after_write *run = malloc(sizeof(*run));
	struct pmk_raw *own_raw = malloc(n * sizeof(*raw));
	struct pmk_insn *own_in = malloc(n * sizeof(*in));

	if (!run || !own_raw || !own_in)
		pmk_plugin_give_up(PMK_ENOMEM);
	*run = (struct run_after_write){
		.fn = block_callback(b->pc, entry_at(b->pc)),
		.block = b,
		.state = plugin.control.of_code,
		.n = n,
		.raw = memcpy(own_raw, raw + first, n * sizeof(*raw)),
		.in = memcpy(own_in, in + first, n * sizeof(*in)),
	};
	pmk_plugin_on_start(tb, first, start_after_write, run);
}

/*
 * Registers the callbacks for the start of `b`. If there is no clock, executions of `b` are
 * counted, too, because they show the progress of the program. They are not counted here if
 * add_executions() counts the parts of the run.
 */
static void register_start(struct qemu_plugin_tb *tb, size_t first, const struct pmk_block *b)
{
	const struct pmk_core_callbacks *callbacks = plugin.family->callbacks;
	pmk_block_fn *const *on = plugin.config.parts & PMK_PART_PREDICTOR ? callbacks->on_fetch
									   : callbacks->on_lines;
	bool count = !(plugin.config.parts & PMK_PART_EXECUTIONS);
	unsigned entry = entry_at(b->pc);

	if (plugin_has_clock()) {
		pmk_plugin_on_start(tb, first, block_callback(b->pc, entry), b);
		return;
	}
	if (plugin.config.parts & PMK_PART_FETCH) {
		if (entry)
			pmk_plugin_on_start(tb, first, pmk_fetch_handler, b);
		pmk_plugin_on_start(tb, first, on[count], b);
	} else if (count) {
		register_execution(tb, first, b);
	}
	if (entry && plugin.family->run->drop && plugin.config.parts & PMK_PART_DATA)
		pmk_plugin_on_start(tb, first, drop, b);
}

/* True if a requested event depends on what accesses do to the caches. */
static bool asks_data(void)
{
	return plugin.config.parts & (PMK_PART_DATA | PMK_PART_CLOCK);
}

/* True if fetching is counted without a clock, and pmk must know whether all of `b` has run when a
 * handler starts: see pmk_cpu_left_early(). Without the predictor, only blocks that end with a
 * maintenance operation need this. */
static bool end_matters(const struct pmk_block *b)
{
	if (!(plugin.config.parts & PMK_PART_FETCH))
		return false;
	if (!(plugin.config.parts & PMK_PART_PREDICTOR))
		return b->disturbs;
	return pmk_goes_anywhere(b) || (plugin.code.tells && b->flow != PMK_FLOW_NEXT);
}

/*
 * True if accesses of an instruction of `b` must be reported. `behind` is the number of later
 * instructions of the block that may fault. If only fetching is counted, the last access of a block
 * is enough: it shows whether all of the block has run.
 */
static bool is_watched(const struct pmk_block *b, unsigned behind)
{
	return asks_data() || (!behind && end_matters(b));
}

/* Accounts for a block of memory that was written, or is about to be written if `before` is
 * true. */
static void write_lines(unsigned vcpu, void *access, bool before)
{
	uint32_t reg = PMK_ACCESS_USE((uint64_t)(uintptr_t)access);
	uint64_t addr;

	if (!before)
		pmk_cpus[vcpu]->access = (uint64_t)(uintptr_t)access;
	if (!pmk_registers_read(reg, &addr)) {
		atomic_fetch_add(&plugin.arena->zeroes_unseen, 1);
		return;
	}
	addr &= ~(uint64_t)(plugin.written_bytes - 1);
	for (unsigned i = 0; i < plugin.written_bytes; i += plugin.family->decoder->line_bytes) {
		/* QEMU has no information about this access. The inverted address is in another
		 * page, so pmk does not ask QEMU whether it is a device. */
		pmk_access_see(pmk_cpus[vcpu], 0, ~(addr + i));
		plugin.write_line(vcpu, 0, addr + i, access);
	}
}

static void wrote_lines(unsigned vcpu, void *access)
{
	write_lines(vcpu, access, false);
}

static void writes_lines(unsigned vcpu, void *access)
{
	write_lines(vcpu, access, true);
}

static void writes_unseen(unsigned vcpu, void *access)
{
	(void)vcpu;
	(void)access;
	atomic_fetch_add(&plugin.arena->zeroes_unseen, 1);
}

/*
 * Registers callbacks for instruction `i` of translated code, which writes a block of memory. The
 * address of the memory is in a register: see zero.h.
 */
static void watch_zeroing(struct qemu_plugin_tb *tb, const struct pmk_insn *in, size_t i,
			  const struct pmk_block *b, const struct pmk_pipe_slot *pipe,
			  unsigned behind)
{
	bool last = i + 1 == pmk_plugin_n_insns(tb);
	pmk_block_fn *fn = wrote_lines;
	uint64_t access;

	if (in[i].rm == PMK_NO_REG)
		return; /* the register is XZR, and address 0 cannot be written */
	if (last)
		fn = plugin.glue->read_register || !pmk_zero_is_written(in, i, (unsigned)in[i].rm)
			     ? writes_lines
			     : writes_unseen;
	plugin.write_line = plugin.family->callbacks->watch(&plugin.config.core, is_single(),
							    &in[i], b, pipe, &access);
	access = pmk_access_at(access, behind);
	pmk_plugin_on_insn(tb, last ? i : i + 1, true, fn, (void *)(uintptr_t)access);
}

static void preload_unseen(unsigned vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	atomic_fetch_add(&plugin.arena->preloads_unseen, 1);
}

/*
 * Makes prefetch instruction `i` of a block take place at the access of another instruction,
 * because the address of the prefetch follows from that access. It then takes place earlier or
 * later than in the program, which affects only the time of loads.
 */
static void watch_preload(struct qemu_plugin_tb *tb, const struct pmk_insn *in,
			  const struct pmk_block *b, size_t first, size_t last, size_t i)
{
	pmk_access_fn *fn = plugin.family->callbacks->preload;
	int64_t distance;
	size_t access;

	if (fn && pmk_preload_find(in, first, last, i, &access, &distance)) {
		uint64_t word = 0;

		plugin.family->callbacks->watch(&plugin.config.core, is_single(), &in[access], b,
						&plugin.pipe[access - first], &word);
		pmk_plugin_on_access(
			tb, access, fn,
			(void *)(uintptr_t)((uint32_t)word | (uint64_t)distance << 32));
	} else {
		pmk_plugin_on_insn(tb, i, false, preload_unseen, NULL);
	}
}

/* Registers the callbacks for a straight run of translated code, which becomes one block. */
static void add_block(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
		      const struct pmk_insn *in, size_t first, size_t last)
{
	const struct pmk_block *b = block_of(raw, in, first, last);
	unsigned behind = b ? b->nfaults : 0;
	bool unsure = false;

	if (!b)
		return;
	if (plugin.control.follows && pmk_controls_is_after_write(in[0].addr))
		register_after_write(tb, raw, in, first, last - first, b);
	else
		register_start(tb, first, b);
	for (size_t i = first; i < last; i++) {
		if (unsure && plugin.code.tells &&
		    (plugin_has_clock() || (behind == 0 && end_matters(b))))
			report_passed(tb, i, behind);
		unsure = false;
		if (!pmk_may_fault(&plugin.config.core, &in[i]))
			continue;
		behind -= behind > 0;
		if ((in[i].load || in[i].store) && is_watched(b, behind))
			watch_insn(tb, i, &in[i], b, &plugin.pipe[i - first], behind);
		if ((in[i].kind & plugin.family->decoder->zeroes) && asks_data())
			watch_zeroing(tb, in, i, b, &plugin.pipe[i - first], behind);
		unsure = pmk_fault_unsure(&in[i]);
	}
	for (size_t i = first; i < last && plugin_has_clock() && plugin.config.core.dcache.on; i++)
		if (in[i].iclass == PMK_I_PRELOAD)
			watch_preload(tb, in, b, first, last, i);
}

/*
 * Registers the callbacks that count how often the instructions of a straight run are executed, if
 * there is no clock. The run is divided after each instruction that may fault.
 */
static void add_executions(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
			   const struct pmk_insn *in, size_t first, size_t last)
{
	const struct pmk_block *b;

	for (size_t end = first + 1; end <= last; end++) {
		if (end < last && !pmk_may_fault(&plugin.config.core, &in[end - 1]))
			continue;
		b = block_of(raw, in, first, end);
		if (b)
			register_execution(tb, first, b);
		first = end;
	}
}

void pmk_translate_run(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
		       const struct pmk_insn *in, size_t first, size_t last)
{
	if (!plugin_has_clock() && (plugin.config.parts & PMK_PART_EXECUTIONS))
		add_executions(tb, raw, in, first, last);
	if (plugin.config.parts & ~(uint32_t)PMK_PART_EXECUTIONS)
		add_block(tb, raw, in, first, last);
}

/*
 * True if control changes after the instruction. If a branch has a delay slot, control first
 * continues to the slot.
 */
static bool changes_control(const struct pmk_insn *in)
{
	return in->flow != PMK_FLOW_NEXT && !(in->kind & plugin.family->decoder->delays);
}

/* True if the instruction may access the guest's PMU. */
static bool reaches_pmu(const struct pmk_raw *raw)
{
	uint32_t insn;

	if (!plugin.config.guest || raw->size != 4)
		return false;
	memcpy(&insn, raw->byte, sizeof(insn));
	return pmk_guest_reaches(insn, plugin.family->decoder->wide_addresses);
}

bool pmk_translate_starts_run(const struct pmk_raw *raw, const struct pmk_insn *in, size_t i)
{
	return is_boundary(in[i].addr) || changes_control(&in[i - 1]) ||
	       (in[i - 1].kind & plugin.family->decoder->may_trap) || reaches_pmu(&raw[i]) ||
	       reaches_pmu(&raw[i - 1]);
}
