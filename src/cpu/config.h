/* SPDX-License-Identifier: MIT */
/*
 * A core: a named micro-architecture as a flat set of numbers. The presets are data/cores/<name>.ini;
 * `--set key=value` overrides one. PMK_CORE_KEYS is the one list of keys: it makes the struct's
 * members, the reader, the range checks, `pmk list cores -v` and the manual page's table.
 *
 * X(member, "key", default, min, max, unit, text)   unit: n number, s size (accepts K, M), b on/off
 */
#ifndef PMK_CPU_CONFIG_H
#define PMK_CPU_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define PMK_CORE_KEYS(X) \
	X(clock_hz,        "clock",             700000000, 1000, 10000000000, n, "core clock in Hz; only turns cycles into seconds") \
	X(icache_on,       "icache.enable",     1, 0, 1,       b, "instruction cache on (SCTLR.I)") \
	X(icache_size,     "icache.size",       16384, 1024, 131072, s, "instruction cache size") \
	X(icache_ways,     "icache.ways",       4, 1, 16,      n, "instruction cache ways") \
	X(dcache_on,       "dcache.enable",     1, 0, 1,       b, "data cache on (SCTLR.C)") \
	X(dcache_size,     "dcache.size",       16384, 1024, 131072, s, "data cache size") \
	X(dcache_ways,     "dcache.ways",       4, 1, 16,      n, "data cache ways") \
	X(dcache_wt,       "dcache.write_through", 0, 0, 1,    b, "all memory is write-through instead of write-back") \
	X(round_robin,     "cache.round_robin", 0, 0, 1,       b, "replacement: round robin (SCTLR.RR) instead of pseudo-random") \
	X(write_allocate,  "dcache.write_allocate", 0, 0, 1,   b, "a store miss fills the line (no ARM11 does)") \
	X(seed,            "cache.seed",        1, 1, 4294967295, n, "seed of the pseudo-random replacement") \
	X(mmu,             "mmu.enable",        1, 0, 1,       b, "address translation on: micro-TLBs and main TLB are used") \
	X(utlb_entries,    "utlb.entries",      10, 1, 64,     n, "entries of each micro-TLB, fully associative, round robin") \
	X(tlb_entries,     "tlb.entries",       64, 2, 1024,   n, "entries of the main TLB") \
	X(tlb_ways,        "tlb.ways",          2, 1, 8,       n, "ways of the main TLB, round robin") \
	X(bp_on,           "bp.enable",         1, 0, 1,       b, "branch prediction on (SCTLR.Z)") \
	X(bp_dynamic,      "bp.dynamic",        1, 0, 1,       b, "dynamic prediction on (ACTLR.DB)") \
	X(bp_static,       "bp.static",         1, 0, 1,       b, "static prediction on (ACTLR.SB)") \
	X(bp_entries,      "bp.entries",        128, 2, 4096,  n, "branch target cache entries, direct mapped") \
	X(bp_folding,      "bp.folding",        1, 0, 1,       b, "a dynamically predicted branch costs no cycle (ACTLR.BFD = 0)") \
	X(rs_on,           "rs.enable",         1, 0, 1,       b, "return stack on (ACTLR.RS)") \
	X(rs_entries,      "rs.entries",        3, 1, 16,      n, "return stack entries") \
	X(ret_exclusive,   "rs.pred_exclusive", 0, 0, 1,       b, "proc_ret_exec_pred counts correct predictions only") \
	X(pc_writes,       "bp.count_pc_writes", 0, 0, 1,      b, "br_exec counts PC writes by data processing and loads, too") \
	X(shadow,          "fetch.shadow",      1, 0, 2,       n, "speculative fetch counted by icache_miss: 0 none, 1 branch shadow, 2 also the wrong path") \
	X(shadow_bytes,    "fetch.shadow_bytes", 16, 0, 64,    n, "bytes fetched beyond an unpredicted taken branch") \
	X(wrong_bytes,     "fetch.wrong_path_bytes", 24, 0, 64, n, "bytes fetched down the wrong path (fetch.shadow = 2)") \
	X(mem_latency,     "mem.latency",       56, 1, 10000,  n, "cycles from an L1 miss to its critical word") \
	X(fill_cycles,     "mem.fill",          4, 1, 1000,    n, "cycles a line fill occupies the bus") \
	X(write_cycles,    "mem.write",         4, 1, 1000,    n, "cycles an external write occupies the bus") \
	X(utlb_penalty,    "utlb.penalty",      8, 0, 1000,    n, "cycles of a micro-TLB miss that hits the main TLB") \
	X(walk_penalty,    "tlb.penalty",       93, 0, 10000,  n, "cycles of a main TLB miss (page table walk)") \
	X(lsu_slots,       "lsu.slots",         2, 1, 16,      n, "outstanding external requests of the load-store unit") \
	X(wbuf_entries,    "wbuf.entries",      8, 1, 64,      n, "external writes the write buffer holds") \
	X(static_correct_taken, "branch.static_taken", 4, 0, 50, n, "cycles of a taken branch predicted statically") \
	X(branch_max,      "branch.max",        7, 1, 50,      n, "cycles of a mispredicted branch right after its flags were set") \
	X(branch_min,      "branch.min",        5, 1, 50,      n, "cycles of a mispredicted branch, at least") \
	X(return_correct,  "return.correct",    4, 0, 50,      n, "cycles of a correctly predicted return") \
	X(return_wrong,    "return.wrong",      7, 0, 50,      n, "cycles of a wrongly predicted return") \
	X(return_empty,    "return.empty",      5, 0, 50,      n, "cycles of a return with nothing on the return stack") \
	X(ldm_return_wrong, "return.ldm_wrong", 9, 0, 50,      n, "cycles of an LDM to the PC that is not or wrongly predicted") \
	X(load_pc,         "branch.load_pc",    8, 0, 50,      n, "cycles of a load to the PC that is no return") \
	X(dmb_drains,      "wbuf.dmb_drains",   1, 0, 1,       b, "a DMB counts as a write buffer drain") \
	X(store_miss_external, "dcache.store_miss_external", 1, 0, 1, b, "a store that misses counts as an explicit external access") \
	X(miss_uncached,   "dcache.miss_uncached", 0, 0, 1,    b, "dcache_miss counts non-cacheable accesses, too") \
	X(flush_stall,     "fetch.flush_stall", 1, 0, 16,      n, "ibuf_stall cycles a pipeline flush adds") \
	X(fetch_bytes,     "fetch.bytes",       16, 4, 64,     n, "A64: bytes of one instruction cache access") \
	X(l1d_bytes,       "dcache.bytes",      16, 4, 64,     n, "A64: widest single data cache access") \
	X(l2_on,           "l2.enable",         1, 0, 1,       b, "A64: level 2 cache present") \
	X(l2_size,         "l2.size",           524288, 65536, 8388608, s, "A64: level 2 cache size") \
	X(l2_ways,         "l2.ways",           16, 1, 32,     n, "A64: level 2 cache ways") \
	X(l2_latency,      "l2.latency",        13, 1, 1000,   n, "A64: cycles from an L1 miss to its critical word in level 2") \
	X(bus_bytes,       "bus.bytes",         16, 4, 64,     n, "A64: bytes of one beat on the bus") \
	X(bp_history,      "bp.history",        8, 0, 16,      n, "A64: global history bits of the direction predictor") \
	X(bp_indirect,     "bp.indirect",       256, 1, 4096,  n, "A64: entries of the indirect branch target cache") \
	X(div_latency,     "div.latency",       4, 1, 64,      n, "A64: cycles of an integer division") \
	X(issue_width,     "issue.width",       2, 1, 4,       n, "A64: instructions issued per cycle at most")
/* clang-format on */

struct pmk_core {
	char name[32];	   /* "arm1176" */
	char pmu[32];	   /* its PMU: "arm1176", or "none" */
	char qemu_cpu[32]; /* -cpu of the emulator */
	char isa[16];	   /* "arm" or "a64" */
	char brief[96];
#define X(member, ...) uint64_t member;
	PMK_CORE_KEYS(X)
#undef X
};

/* Does it run A64 code? */
static inline bool pmk_core_is_a64(const struct pmk_core *core)
{
	return core->isa[0] == 'a' && core->isa[1] == '6';
}

/* Every key at its default, names empty. */
void pmk_core_defaults(struct pmk_core *core);

/*
 * Set one key from text. Returns 0, PMK_EINVAL for an unknown key (msg names the nearest one),
 * PMK_EPARSE or PMK_ERANGE for a value (msg says what is accepted).
 */
int pmk_core_set(struct pmk_core *core, const char *key, const char *value, char *msg,
		 unsigned size);

/* Read a preset file over the defaults. 0, PMK_EIO or PMK_EPARSE with "file:line: why" in msg. */
int pmk_core_load(struct pmk_core *core, const char *path, char *msg, unsigned size);

/*
 * Check that the numbers fit together (sizes are powers of two, a way is no smaller than a line).
 * 0 or PMK_ERANGE with one line in msg.
 */
int pmk_core_check(const struct pmk_core *core, char *msg, unsigned size);

/* The rows of the list, for printing: NULL key ends it. */
struct pmk_core_key {
	const char *key, *text;
	uint64_t initial, min, max;
	char unit;
	unsigned offset; /* of the uint64_t in struct pmk_core */
};
extern const struct pmk_core_key pmk_core_keys[];

#endif
