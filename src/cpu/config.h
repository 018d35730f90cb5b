/* SPDX-License-Identifier: MIT */
/*
 * A core: a named micro-architecture as a flat set of numbers. The presets are data/cores/<name>.ini;
 * `--set key=value` overrides one. PMK_CORE_KEYS is the one list of keys: it makes the struct's
 * members, the reader, the range checks, `pmk list cores -v` and the manual page's table.
 *
 * X(member, "key", "isas", default, min, max, unit, text)
 *   isas: the instruction sets whose cores have it, or all; ahb: cores on the buses of the ARM926EJ-S
 *         Development Chip
 *   unit: n number, s size (accepts K, M), b on/off, l one of pmk_core_l2; p and q number and size that are
 *         powers of two, w multiple of 16
 *
 * PMK_CORE_VARIANTS has what is different on the cores of one instruction set, or ahb:
 * V("key", "isa", min, max, unit, text). A range lies within that of the key.
 */
#ifndef PMK_CPU_CONFIG_H
#define PMK_CPU_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define PMK_CORE_KEYS(X) \
	X(clock_hz,             "clock",                      "all",            700000000, 1000, 10000000000, n, "core clock in Hz; only turns cycles into seconds") \
	X(icache_on,            "icache.enable",              "all",            1, 0, 1, b, "instruction cache on (SCTLR.I)") \
	X(icache_size,          "icache.size",                "all",            16384, 64, 131072, q, "instruction cache size") \
	X(icache_ways,          "icache.ways",                "all",            4, 1, 16, p, "instruction cache ways") \
	X(dcache_on,            "dcache.enable",              "all",            1, 0, 1, b, "data cache on (SCTLR.C)") \
	X(dcache_size,          "dcache.size",                "all",            16384, 64, 131072, q, "data cache size") \
	X(dcache_ways,          "dcache.ways",                "all",            4, 1, 16, p, "data cache ways") \
	X(dcache_wt,            "dcache.write_through",       "arm microblaze", 0, 0, 1, b, "all memory is write-through instead of write-back") \
	X(round_robin,          "cache.round_robin",          "arm a64",        0, 0, 1, b, "replacement: round robin (SCTLR.RR) instead of pseudo-random") \
	X(write_allocate,       "dcache.write_allocate",      "arm",            0, 0, 1, b, "a store miss fills the line (no ARM11 does)") \
	X(seed,                 "cache.seed",                 "arm a64",        1, 1, 4294967295, n, "seed of the pseudo-random replacement") \
	X(mmu,                  "mmu.enable",                 "all",            1, 0, 1, b, "address translation on: micro-TLBs and main TLB are used") \
	X(utlb_entries,         "utlb.entries",               "arm a64",        10, 1, 64, n, "entries of each micro-TLB, fully associative, round robin") \
	X(tlb_entries,          "tlb.entries",                "all",            64, 2, 1024, n, "entries of the main TLB") \
	X(tlb_ways,             "tlb.ways",                   "all",            2, 1, 8, n, "ways of the main TLB, round robin") \
	X(bp_on,                "bp.enable",                  "all",            1, 0, 1, b, "branch prediction on (SCTLR.Z)") \
	X(bp_dynamic,           "bp.dynamic",                 "arm",            1, 0, 1, b, "dynamic prediction on (ACTLR.DB)") \
	X(bp_static,            "bp.static",                  "arm",            1, 0, 1, b, "static prediction on (ACTLR.SB)") \
	X(bp_entries,           "bp.entries",                 "all",            128, 2, 4096, p, "branch target cache entries, direct mapped") \
	X(bp_folding,           "bp.folding",                 "arm",            1, 0, 1, b, "a dynamically predicted branch costs no cycle (ACTLR.BFD = 0)") \
	X(rs_on,                "rs.enable",                  "arm a64",        1, 0, 1, b, "return stack on (ACTLR.RS)") \
	X(rs_entries,           "rs.entries",                 "arm a64",        3, 1, 16, n, "return stack entries") \
	X(ret_exclusive,        "rs.pred_exclusive",          "arm",            0, 0, 1, b, "proc_ret_exec_pred counts correct predictions only") \
	X(pc_writes,            "bp.count_pc_writes",         "arm",            0, 0, 1, b, "br_exec counts PC writes by data processing and loads, too") \
	X(shadow,               "fetch.shadow",               "arm",            1, 0, 2, n, "speculative fetch counted by icache_miss: 0 none, 1 branch shadow, 2 also the wrong path") \
	X(shadow_bytes,         "fetch.shadow_bytes",         "arm",            16, 0, 64, n, "bytes fetched beyond an unpredicted taken branch") \
	X(wrong_bytes,          "fetch.wrong_path_bytes",     "arm",            24, 0, 64, n, "bytes fetched down the wrong path (fetch.shadow = 2)") \
	X(mem_latency,          "mem.latency",                "all",            56, 1, 10000, n, "cycles from an L1 miss to its critical word") \
	X(fill_cycles,          "mem.fill",                   "all",            4, 1, 1000, n, "cycles a line fill occupies the bus") \
	X(write_cycles,         "mem.write",                  "all",            4, 1, 1000, n, "cycles an external write occupies the bus") \
	X(utlb_penalty,         "utlb.penalty",               "all",            8, 0, 1000, n, "cycles of a micro-TLB miss that hits the main TLB") \
	X(walk_penalty,         "tlb.penalty",                "all",            93, 0, 10000, n, "cycles of a main TLB miss (page table walk)") \
	X(lsu_slots,            "lsu.slots",                  "arm a64",        2, 1, 16, n, "outstanding external requests of the load-store unit") \
	X(wbuf_entries,         "wbuf.entries",               "all",            8, 1, 64, n, "external writes the write buffer holds") \
	X(static_correct_taken, "branch.static_taken",        "arm",            4, 0, 50, n, "cycles of a taken branch predicted statically") \
	X(branch_max,           "branch.max",                 "arm a64",        7, 1, 50, n, "cycles of a mispredicted branch right after its flags were set") \
	X(branch_min,           "branch.min",                 "arm",            5, 1, 50, n, "cycles of a mispredicted branch, at least") \
	X(return_correct,       "return.correct",             "arm",            4, 0, 50, n, "cycles of a correctly predicted return") \
	X(return_wrong,         "return.wrong",               "arm",            7, 0, 50, n, "cycles of a wrongly predicted return") \
	X(return_empty,         "return.empty",               "arm",            5, 0, 50, n, "cycles of a return with nothing on the return stack") \
	X(ldm_return_wrong,     "return.ldm_wrong",           "arm",            9, 0, 50, n, "cycles of an LDM to the PC that is not or wrongly predicted") \
	X(load_pc,              "branch.load_pc",             "arm",            8, 0, 50, n, "cycles of a load to the PC that is no return") \
	X(dmb_drains,           "wbuf.dmb_drains",            "arm",            1, 0, 1, b, "a DMB counts as a write buffer drain") \
	X(store_miss_external,  "dcache.store_miss_external", "arm",            1, 0, 1, b, "a store that misses counts as an explicit external access") \
	X(miss_uncached,        "dcache.miss_uncached",       "arm",            0, 0, 1, b, "dcache_miss counts non-cacheable accesses, too") \
	X(flush_stall,          "fetch.flush_stall",          "arm",            1, 0, 16, n, "ibuf_stall cycles a pipeline flush adds") \
	X(fetch_bytes,          "fetch.bytes",                "a64",            16, 4, 64, p, "bytes of one instruction cache access") \
	X(l1d_bytes,            "dcache.bytes",               "a64",            16, 4, 64, p, "widest single data cache access") \
	X(l2_on,                "l2.enable",                  "a64",            1, 0, 1, b, "level 2 cache present") \
	X(l2_size,              "l2.size",                    "arm a64",        131072, 65536, 8388608, q, "level 2 cache size") \
	X(l2_ways,              "l2.ways",                    "arm a64",        8, 1, 32, p, "level 2 cache ways") \
	X(l2_latency,           "l2.latency",                 "arm a64",        13, 1, 1000, n, "cycles from an L1 miss to its critical word in level 2") \
	X(l2_type,              "l2.type",                    "arm",            0, 0, 2, l, "level 2 cache controller") \
	X(l2_write_allocate,    "l2.write_allocate",          "arm",            0, 0, 1, b, "a write that misses level 2 brings its line in") \
	X(l2_buffers,           "l2.buffers",                 "arm",            1, 0, 8, n, "lines in each slave port's read buffer, whose reads are no requests") \
	X(bus_bytes,            "bus.bytes",                  "a64",            16, 4, 64, p, "bytes of one beat on the bus") \
	X(bp_history,           "bp.history",                 "a64",            8, 0, 16, n, "global history bits of the direction predictor") \
	X(bp_indirect,          "bp.indirect",                "a64",            256, 1, 4096, p, "entries of the indirect branch target cache") \
	X(div_latency,          "div.latency",                "a64",            4, 1, 64, n, "cycles of an integer division") \
	X(issue_width,          "issue.width",                "a64",            2, 1, 4, n, "instructions issued per cycle at most") \
	X(ahb_ratio,            "ahb.ratio",                  "ahb",            3, 1, 16, n, "core clocks in one HCLK cycle") \
	X(ahb_connect,          "ahb.connect",                "ahb",            1, 1, 100, n, "HCLK cycles to connect a layer to a slave that another one had") \
	X(mpmc_read,            "mpmc.read",                  "ahb",            5, 0, 1000, n, "wait states of the memory controller for the first word of a read") \
	X(mpmc_read_next,       "mpmc.read_next",             "ahb",            0, 0, 1000, n, "the same for each further word of the burst") \
	X(mpmc_write,           "mpmc.write",                 "ahb",            2, 0, 1000, n, "wait states of the memory controller for the first word of a write") \
	X(mpmc_write_next,      "mpmc.write_next",            "ahb",            0, 0, 1000, n, "the same for each further word of the burst") \
	X(smc_read,             "smc.read",                   "ahb",            3, 0, 1000, n, "wait states of the static memory controller for the first word of a read") \
	X(smc_read_next,        "smc.read_next",              "ahb",            2, 0, 1000, n, "the same for each further word of the burst") \
	X(smc_write,            "smc.write",                  "ahb",            3, 0, 1000, n, "wait states of the static memory controller for the first word of a write") \
	X(smc_write_next,       "smc.write_next",             "ahb",            2, 0, 1000, n, "the same for each further word of the burst") \
	X(apb_read,             "apb.read",                   "ahb",            2, 0, 1000, n, "wait states of the APB bridges for each read") \
	X(apb_write,            "apb.write",                  "ahb",            2, 0, 1000, n, "wait states of the APB bridges for each write") \
	X(walk_reads,           "tlb.walk_reads",             "ahb",            2, 1, 2, n, "reads of a page table walk: 1 as for sections, 2 as for pages") \
	X(wbuf_words,           "wbuf.words",                 "ahb",            16, 8, 64, n, "words the write buffer holds") \
	X(wait_threshold,       "wait.threshold",             "ahb",            0, 0, 4294967295, n, "wait states of a transfer beyond which it is a threshold hit; sets all of those below") \
	X(wait_armi,             "wait.armi",                  "ahb",            0, 0, 4294967295, n, "the same on layer ARM-I alone") \
	X(wait_clcdc,            "wait.clcdc",                 "ahb",            0, 0, 4294967295, n, "on layer CLCDC") \
	X(wait_dma0,             "wait.dma0",                  "ahb",            0, 0, 4294967295, n, "on layer DMA-0") \
	X(wait_dma1,             "wait.dma1",                  "ahb",            0, 0, 4294967295, n, "on layer DMA-1") \
	X(wait_exp,              "wait.exp",                   "ahb",            0, 0, 4294967295, n, "on layer EXP") \
	X(wait_armd,             "wait.armd",                  "ahb",            0, 0, 4294967295, n, "on layer ARM-D") \
	X(wait_gxi_read,         "wait.gxi_read",              "ahb",            0, 0, 4294967295, n, "of read requests on the GXI") \
	X(wait_gxi_data,         "wait.gxi_data",              "ahb",            0, 0, 4294967295, n, "of read data on the GXI") \
	X(wait_gxi_write,        "wait.gxi_write",             "ahb",            0, 0, 4294967295, n, "of write requests on the GXI") \
	X(gxi_page,              "gxi.page",                   "ahb",            2048, 2048, 16384, q, "page of CtGxiPageChange (GxiPageSize)") \
	X(itcm_size,            "itcm.size",                  "ahb",            0, 0, 1048576, s, "instruction TCM: none, or a power of two from 4K to 1M") \
	X(itcm_base,            "itcm.base",                  "ahb",            0, 0, 4294967295, n, "its first address, a multiple of its size") \
	X(dtcm_size,            "dtcm.size",                  "ahb",            0, 0, 1048576, s, "data TCM, likewise") \
	X(dtcm_base,            "dtcm.base",                  "ahb",            0, 0, 4294967295, n, "its first address, likewise") \
	X(castout_aligned,      "castout4.aligned",           "ahb",            0, 0, 1, b, "CtArmdCastOut4 takes only bursts aligned to four words") \
	X(area,                 "area.optimized",             "microblaze",     0, 0, 2, n, "pipeline (C_AREA_OPTIMIZED): 0 five stages, 1 three (bp.enable and mmu.enable off), 2 eight") \
	X(icache_line,          "icache.line",                "microblaze",     4, 4, 16, p, "words of an instruction cache line") \
	X(icache_base,          "icache.base",                "microblaze",     0, 0, 4294967295, n, "first address that the instruction cache caches") \
	X(icache_high,          "icache.high",                "microblaze",     4294967295, 0, 4294967295, n, "last address that the instruction cache caches") \
	X(dcache_line,          "dcache.line",                "microblaze",     4, 4, 16, p, "words of a data cache line") \
	X(dcache_base,          "dcache.base",                "microblaze",     0, 0, 4294967295, n, "first address that the data cache caches") \
	X(dcache_high,          "dcache.high",                "microblaze",     4294967295, 0, 4294967295, n, "last address that the data cache caches") \
	X(lmb_size,             "lmb.size",                   "microblaze",     0, 0, 4294967296, s, "addresses below are local memory: one cycle, no cache") \
	X(peripheral_latency,   "peripheral.latency",         "microblaze",     10, 1, 100, n, "cycles of an access that is neither cached nor local") \
	X(itlb_entries,         "itlb.entries",               "microblaze",     2, 1, 8, p, "entries of the instruction shadow TLB, least recently used goes") \
	X(dtlb_entries,         "dtlb.entries",               "microblaze",     4, 1, 8, p, "entries of the data shadow TLB, likewise") \
	X(hazard_load,          "hazard.load",                "microblaze",     2, 0, 5, n, "cycles the next instruction waits for a loaded value") \
	X(hazard_mul,           "hazard.mul",                 "microblaze",     2, 0, 5, n, "cycles it waits for a product") \
	X(hazard_fp,            "hazard.fp",                  "microblaze",     2, 0, 5, n, "cycles it waits for a floating-point result, once that is computed") \
	X(hazard_shift,         "hazard.shift",               "microblaze",     1, 0, 5, n, "cycles it waits for a barrel shift or, once that is computed, a quotient") \
	X(stall_cascade,        "stall.cascade",              "microblaze",     0, 0, 1, b, "stall_of and stall_ex include the cycles of stall_mem") \
	X(vectors_base,         "vectors.base",               "microblaze",     0, 0, 4294967295, n, "address of the exception vectors (C_BASE_VECTORS)") \
	X(event_counters,       "debug.event_counters",       "microblaze",     5, 0, 48, n, "event counters (C_DEBUG_EVENT_COUNTERS)") \
	X(latency_counters,     "debug.latency_counters",     "microblaze",     1, 0, 7, n, "latency counters (C_DEBUG_LATENCY_COUNTERS)") \
	X(counter_width,        "debug.counter_width",        "microblaze",     32, 32, 64, w, "bits of a counter (C_DEBUG_COUNTER_WIDTH)")

#define PMK_CORE_VARIANTS(V) \
	V("icache.enable",      "microblaze", 0, 1, b, "instruction cache on (MSR[ICE])") \
	V("icache.size",        "a64",        64, 131072, s, "instruction cache size; divided by its ways a power of two") \
	V("icache.size",        "microblaze", 64, 65536, q, "instruction cache size") \
	V("icache.ways",        "a64",        1, 16, n, "instruction cache ways") \
	V("icache.ways",        "microblaze", 1, 1, n, "instruction cache ways: direct mapped") \
	V("dcache.enable",      "microblaze", 0, 1, b, "data cache on (MSR[DCE])") \
	V("dcache.size",        "a64",        64, 131072, s, "data cache size; divided by its ways a power of two") \
	V("dcache.size",        "microblaze", 64, 65536, q, "data cache size") \
	V("dcache.ways",        "a64",        1, 16, n, "data cache ways") \
	V("dcache.ways",        "microblaze", 1, 1, n, "data cache ways: direct mapped") \
	V("cache.round_robin",  "a64",        0, 1, b, "replacement: round robin instead of pseudo-random") \
	V("mmu.enable",         "microblaze", 0, 1, b, "address translation on (MSR[VM]): shadow TLBs and unified TLB are used") \
	V("tlb.entries",        "microblaze", 2, 128, n, "entries of the unified TLB") \
	V("tlb.ways",           "microblaze", 1, 8, n, "ways of the unified TLB, round robin") \
	V("bp.enable",          "a64",        0, 1, b, "branch prediction on; off: every taken branch is mispredicted") \
	V("bp.enable",          "microblaze", 0, 1, b, "branch target cache on") \
	V("bp.entries",         "a64",        2, 4096, p, "two-bit counters of the direction predictor") \
	V("bp.entries",         "microblaze", 2, 2048, p, "branch target cache entries, direct mapped") \
	V("rs.enable",          "a64",        0, 1, b, "return stack on") \
	V("fetch.shadow",       "ahb",        0, 0, n, "speculative fetch: this core fetches nothing ahead") \
	V("utlb.penalty",       "microblaze", 0, 1000, n, "cycles of a shadow TLB miss that hits the unified TLB") \
	V("tlb.penalty",        "microblaze", 0, 10000, n, "cycles of a unified TLB miss, served by software") \
	V("branch.max",         "a64",        1, 50, n, "cycles of a mispredicted branch") \
	V("l2.size",            "a64",        65536, 8388608, s, "level 2 cache size; divided by its ways a power of two") \
	V("l2.ways",            "a64",        1, 32, n, "level 2 cache ways")
/* clang-format on */

struct pmk_core {
	char name[32];	   /* "arm1176" */
	char pmu[32];	   /* its PMU: "arm1176", or "none" */
	char qemu_cpu[32]; /* -cpu of the emulator */
	char isa[16];	   /* "arm", "a64" or "microblaze" */
	char brief[96];
	uint32_t family; /* which of pmk_core_families[]: see family.h */
	bool system;	 /* set by its owner: system emulation, in which exceptions are seen */
#define X(member, ...) uint64_t member;
	PMK_CORE_KEYS(X)
#undef X
};

/* Does it run A64 code? */
static inline bool pmk_core_is_a64(const struct pmk_core *core)
{
	return core->isa[0] == 'a' && core->isa[1] == '6';
}

/* Does it run MicroBlaze code? */
static inline bool pmk_core_is_mb(const struct pmk_core *core)
{
	return core->isa[0] == 'm';
}

/* Or A32 and T32? So it is taken to do while it is not said. */
static inline bool pmk_core_is_arm(const struct pmk_core *core)
{
	return !pmk_core_is_a64(core) && !pmk_core_is_mb(core);
}

/* Is it on the buses of the ARM926EJ-S Development Chip, with the AHB Monitor as its PMU? */
static inline bool pmk_core_on_ahb(const struct pmk_core *core)
{
	return core->pmu[0] == 'a' && core->pmu[1] == 'h' && core->pmu[2] == 'b';
}

/* The level 2 cache controllers of ARM cores, by l2_type: "none", "l210", "l220". Each but the first is also
 * the name of its PMU. */
#define PMK_CORE_NL2 3
extern const char *const pmk_core_l2[PMK_CORE_NL2];

static inline bool pmk_core_can_have_l2(const struct pmk_core *core)
{
	return pmk_core_is_arm(core) && !pmk_core_on_ahb(core);
}

/* The l2_type of a core with that PMU in its level 2 cache, or 0: it is no such PMU. */
unsigned pmk_core_l2_type(const char *pmu);

/* Every key at its default, names empty. */
void pmk_core_defaults(struct pmk_core *core);

/*
 * A core that has this instruction set and this PMU, with every key at its default and the other names empty.
 * PMK_EINVAL: there is no such instruction set.
 */
int pmk_core_choose(struct pmk_core *core, const char *isa, const char *pmu);

/*
 * Set one key from text. Returns 0, PMK_EINVAL for an unknown key (msg names the nearest one) or one that
 * cores of this instruction set do not have, PMK_EPARSE or PMK_ERANGE for a value (msg says what is
 * accepted). While the core has no instruction set, all keys are taken.
 */
int pmk_core_set(struct pmk_core *core, const char *key, const char *value, char *msg,
		 unsigned size);

/* Read a preset file over the defaults. 0, or as pmk_ini_load(), with "file:line: why" in msg. */
int pmk_core_load(struct pmk_core *core, const char *path, char *msg, unsigned size);

/*
 * Check that the numbers fit together (sizes are powers of two, a way is no smaller than a line).
 * 0 or PMK_ERANGE with one line in msg.
 */
int pmk_core_check(const struct pmk_core *core, char *msg, unsigned size);

/* The rows of the list: NULL key ends it. */
struct pmk_core_key {
	const char *key, *isas, *text;
	uint64_t initial, min, max;
	char unit;
	unsigned offset; /* of the uint64_t in struct pmk_core */
};
extern const struct pmk_core_key pmk_core_keys[];

/* The row as it is for this core: what pmk_core_check() accepts, and what that means there. */
struct pmk_core_key pmk_core_key_of(const struct pmk_core *core, const struct pmk_core_key *key);

/* Is a number one of those that the row accepts? */
bool pmk_core_accepts(const struct pmk_core_key *row, uint64_t n);

/* The numbers that a row accepts, where they are no more than four and not simply all of a range: how
 * many; else 0. */
#define PMK_CORE_FEW 4
unsigned pmk_core_few(const struct pmk_core_key *row, uint64_t few[PMK_CORE_FEW]);

/* Does the core have this parameter? */
bool pmk_core_has(const struct pmk_core *core, const struct pmk_core_key *key);

#endif
