/* SPDX-License-Identifier: MIT */
/*
 * A core is a named micro-architecture, described by a flat set of numbers, its keys. The presets
 * are data/cores/<name>.ini; `--set key=value` overrides one key. The family of a core defines
 * which keys the core has, what they mean and which values they accept, in src/cpu/<family>/keys.c.
 * pmk makes the reader of presets, the range checks, `pmk list cores -v` and the table of the
 * manual page from the rows of that file.
 */
#ifndef PMK_CPU_CONFIG_H
#define PMK_CPU_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/families.h"
#include "cpu/order.h"

#define PMK_CORE_FINGERPRINT 17

/* The parts of a core that firmware turns on and off. */
enum pmk_control {
	PMK_CONTROL_MMU = 1,
	PMK_CONTROL_DCACHE = 2,
	PMK_CONTROL_ICACHE = 4,
	PMK_CONTROL_PREDICTOR = 8,
};

/* The registers through which firmware turns the parts of enum pmk_control on and off. */
enum pmk_control_by {
	PMK_CONTROL_BY_A32, /* SCTLR of a 32-bit ARM core */
	PMK_CONTROL_BY_A64,
	PMK_CONTROL_BY_MSR, /* the MSR of a MicroBlaze */
};

/* A cache. A parameter is 0 if the cache has no key for it. */
struct pmk_core_cache {
	uint64_t on, size, ways;
	uint64_t policy;  /* enum pmk_policy */
	uint64_t wt;	  /* data cache: true if it is write-through */
	uint64_t latency; /* of the level 2 cache */
	uint64_t type;	  /* of the level 2 cache: index into pmk_core_l2[]; 0: no cache */
};

struct pmk_core {
	char name[32];	   /* "arm1176" */
	char pmu[32];	   /* the core's PMU: "arm1176", or "none" */
	char qemu_cpu[32]; /* -cpu of the emulator */
	char isa[16];	   /* "arm", "a32", "t32", "a64" or "microblaze" */
	char brief[96];
	char caveat[160]; /* why the core's times are inexact, as in "its cycles are …"; or "" */
	/* How the core's cycles were validated, as in "within 15 % in L1 code (docs/cycles.md)", or
	 * "". The text is true only for the parameters with the fingerprint `checked_as`. */
	char checked[160];
	char checked_as[PMK_CORE_FINGERPRINT];
	uint32_t family; /* index into pmk_core_families[]: see family.h */
	bool system;	 /* set by the owner: true in system emulation, which shows exceptions */
	/* Set by the owner: the core has no clock. Each data access is then counted when it is
	 * made, and not when its block starts. */
	bool timeless;
	/* Parameters that several families share. A parameter is 0 if the core's family has no key
	 * for it. */
	uint64_t clock_hz;
	struct pmk_core_cache icache, dcache, l2;
	struct {
		uint64_t round_robin;
		/* enum pmk_policy; for a cache whose own parameter is PMK_POLICY_OWN */
		uint64_t policy;
		uint64_t seed;
	} cache;
	uint64_t mmu;
	struct {
		uint64_t entries, penalty;
	} utlb;
	struct {
		uint64_t entries, ways, penalty;
	} tlb;
	uint64_t thumb2; /* ARM11: true if the core has the additions of ARMv6T2 */
	struct {
		uint64_t on, entries;
		uint64_t penalty; /* the most cycles that a mispredicted branch costs */
	} bp;
	struct {
		uint64_t on, entries;
	} rs;
	struct {
		uint64_t latency, fill, write, serial;
		uint64_t slots; /* the most requests of the load-store unit under way */
		uint64_t wbuf;	/* entries of the write buffer */
	} mem;
	struct {
		uint64_t banks, row, row_miss, refresh, refresh_busy;
	} sdram;
	/* Parameters of the core's own family. */
	union {
#define PARAMS(family) struct pmk_core_##family family;
		PMK_CORE_FAMILIES(PARAMS)
#undef PARAMS
	};
};

/* A parameter of the cores of a family. A list of them ends with a row whose key is NULL. */
struct pmk_core_key {
	const char *key, *text;
	uint64_t initial, min, max;
	/* The kind of value: n number, s size (accepts K, M), b on or off, l name in pmk_core_l2, y
	 * name in pmk_core_policy, p number that is a power of two, q size that is a power of two,
	 * w multiple of 16. */
	char unit;
	unsigned offset; /* offset of the uint64_t in struct pmk_core */
};

/* clang-format off */
#define PMK_CORE_KEY(member_, key_, initial_, min_, max_, unit_, text_) \
	{ .key = key_, .text = text_, .initial = UINT64_C(initial_), .min = UINT64_C(min_), \
	  .max = UINT64_C(max_), .unit = unit_, \
	  .offset = (unsigned)offsetof(struct pmk_core, member_) }
/* clang-format on */

/* True if both cores have the same instruction set and the same parameters. */
bool pmk_core_same(const struct pmk_core *a, const struct pmk_core *b);

/* Writes a hash of the instruction set and of all parameters, in sixteen digits. Parameters with
 * their default value are left out, so adding a parameter does not change the fingerprints of
 * existing presets. */
void pmk_core_fingerprint(const struct pmk_core *core, char text[PMK_CORE_FINGERPRINT]);
/* Clears core->checked if the parameters of `core` differ from those of `from`, for which the text
 * is true. */
void pmk_core_keep_checked(struct pmk_core *core, const struct pmk_core *from);
/* Returns core->checked, or "unchecked" if it is empty. */
const char *pmk_core_checked(const struct pmk_core *core);

/*
 * Switches the core to another instruction set and keeps all its parameters. For example, an ARMv8
 * core runs both A64 and A32. Returns false if no family with these parameters has that instruction
 * set.
 */
bool pmk_core_become(struct pmk_core *core, const char *isa);

/* True if the core is on the buses of the ARM926EJ-S Development Chip, with the AHB Monitor as its
 * PMU. */
bool pmk_core_on_ahb(const struct pmk_core *core);

/* The level 2 cache controllers of ARM cores, indexed by l2.type: "none"; "l210" and "l220", which
 * are also the names of their PMUs; and "plain", which has no PMU. */
#define PMK_CORE_NL2 4
extern const char *const pmk_core_l2[PMK_CORE_NL2 + 1];

/* The names of replacement policies, indexed by enum pmk_policy: "own", "lru" … The list ends with
 * NULL. */
extern const char *const pmk_core_policy[];

/* Returns the words that a row accepts, indexed by the number that they stand for. The list ends
 * with NULL. Returns NULL if the row accepts numbers. */
const char *const *pmk_core_words(const struct pmk_core_key *row);

/* Returns the policy of a cache whose own parameter is `of_cache`. */
static inline enum pmk_policy pmk_core_policy_of(const struct pmk_core *core, uint64_t of_cache)
{
	return (enum pmk_policy)(of_cache != PMK_POLICY_OWN ? of_cache : core->cache.policy);
}

bool pmk_core_can_have_l2(const struct pmk_core *core);

/* Returns the value of l2.type for a core whose level 2 cache has this PMU. Returns 0 if `pmu` is
 * not the PMU of a level 2 cache. */
unsigned pmk_core_l2_type(const char *pmu);

/* Sets `core` to a core of the first family, without names and with every key at its default. */
void pmk_core_defaults(struct pmk_core *core);

/*
 * Sets `core` to a core with this instruction set and this PMU, every key at its default, and all
 * other names empty. Returns PMK_EINVAL if there is no such instruction set; the parameters of
 * *core are then as pmk_core_defaults() leaves them.
 */
int pmk_core_choose(struct pmk_core *core, const char *isa, const char *pmu);

/*
 * pmk_core_keys() returns the rows of the core's parameters, and pmk_core_value() the value of a
 * parameter. pmk_core_key() returns the row of one parameter, or NULL; it accepts "l2" for l2.type.
 */
const struct pmk_core_key *pmk_core_keys(const struct pmk_core *core);
uint64_t pmk_core_value(const struct pmk_core *core, const struct pmk_core_key *key);
const struct pmk_core_key *pmk_core_key(const struct pmk_core *core, const char *key);

/* True if the cores of at least one family have the key. */
bool pmk_core_key_exists(const char *key);

/*
 * Sets one key from text. Returns 0, or an error with one line in msg. PMK_EINVAL: the key is
 * unknown (msg names the nearest key) or this core does not have it. PMK_EPARSE or PMK_ERANGE: no
 * core accepts the value (msg has the values that this core accepts). The function accepts a value
 * that only other cores accept; pmk_core_check() refuses it later.
 */
int pmk_core_set(struct pmk_core *core, const char *key, const char *value, char *msg,
		 unsigned size);

/* Sets every key to its default and then reads a preset file (preset.c). Returns what
 * pmk_ini_load() returns, with "file:line: why" in msg. */
int pmk_core_load(struct pmk_core *core, const char *path, char *msg, unsigned size);

/*
 * Checks that each row accepts the value of its parameter, and that the values fit together. For
 * example, a way must not be smaller than a line. Returns 0, or PMK_ERANGE with one line in msg.
 */
int pmk_core_check(const struct pmk_core *core, char *msg, unsigned size);

/*
 * Returns the reason why a key that was just set has no effect, as in "core arm1176 has …", or NULL
 * if the key has an effect.
 */
const char *pmk_core_in_vain(const struct pmk_core *core, const char *key);

/* True if the row accepts the number. */
bool pmk_core_accepts(const struct pmk_core_key *row, uint64_t n);

/* If a row accepts at most four separate numbers instead of a range, stores the numbers and returns
 * how many there are. Otherwise returns 0. */
#define PMK_CORE_FEW 4
unsigned pmk_core_few(const struct pmk_core_key *row, uint64_t few[PMK_CORE_FEW]);

/*
 * Families use these functions in their checks. pmk_core_say_range() stores `text` in msg and
 * returns PMK_ERANGE. pmk_core_check_sets() checks the size of the ways of each cache, and that the
 * number of sets of the TLB is a power of two. `iline`, `dline` and `l2line` are the line sizes of
 * the caches in bytes; `l2line` is 0 if there is no level 2 cache.
 */
int pmk_core_say_range(char *msg, unsigned size, const char *text);
int pmk_core_check_sets(const struct pmk_core *core, unsigned iline, unsigned dline,
			unsigned l2line, char *msg, unsigned size);

/* pmk_core_settle() chooses the family by isa and pmu, and sets all keys to their defaults. The
 * reader of presets calls this. It returns PMK_EINVAL if no family has the instruction set.
 * pmk_core_isas() writes the names of all instruction sets. */
int pmk_core_settle(struct pmk_core *core);
void pmk_core_isas(char *isas, size_t size);

/* Turns each part of `core` on or off as `state` says (enum pmk_control). Parts that are off in
 * `configured` stay off. */
void pmk_core_control(struct pmk_core *core, const struct pmk_core *configured, unsigned state);

#endif
