// SPDX-License-Identifier: MIT
/*
 * The parameters of a core: defaults, one key from text, a preset file, the final check.
 *
 * A preset is an INI file. The section and the name make the key: "size" in [icache] is icache.size.
 * [core] holds the five texts (name, pmu, qemu_cpu, isa, brief) and the keys without a section, such as
 * clock.
 */
#include "cpu/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/ini.h"
#include "base/nearest.h"
#include "cpu/family.h"

#define LINE_BYTES     32u /* cache line of every ARM11 (DDI 0301H §7.2) */
#define A64_LINE_BYTES 64

/* The unit column of PMK_CORE_KEYS, as a character. */
#define UNIT(u) ((#u)[0])

const struct pmk_core_key pmk_core_keys[] = {
#define X(member_, key_, isas_, default_, min_, max_, unit_, text_) \
	{ .key = key_,                                              \
	  .isas = isas_,                                            \
	  .text = text_,                                            \
	  .initial = UINT64_C(default_),                            \
	  .min = UINT64_C(min_),                                    \
	  .max = UINT64_C(max_),                                    \
	  .unit = UNIT(unit_),                                      \
	  .offset = (unsigned)offsetof(struct pmk_core, member_) },
	PMK_CORE_KEYS(X)
#undef X
		{ .key = NULL },
};

static const struct variant {
	const char *key, *isa, *text;
	uint64_t min, max;
	char unit;
} variants[] = {
#define V(key_, isa_, min_, max_, unit_, text_) \
	{ .key = key_,                          \
	  .isa = isa_,                          \
	  .text = text_,                        \
	  .min = UINT64_C(min_),                \
	  .max = UINT64_C(max_),                \
	  .unit = UNIT(unit_) },
	PMK_CORE_VARIANTS(V)
#undef V
};

const char *const pmk_core_l2[PMK_CORE_NL2] = { "none", "l210", "l220" };

static uint64_t *member(struct pmk_core *core, const struct pmk_core_key *key)
{
	return (uint64_t *)(void *)((char *)core + key->offset);
}

void pmk_core_defaults(struct pmk_core *core)
{
	memset(core, 0, sizeof(*core));
	for (const struct pmk_core_key *k = pmk_core_keys; k->key; k++)
		*member(core, k) = k->initial;
}

/* Of the families with an instruction set, the one that asks for the PMU, or the one that does not ask. */
static int choose_family(struct pmk_core *core)
{
	int found = -1;

	for (unsigned i = 0; pmk_core_families[i]; i++) {
		const struct pmk_core_family *f = pmk_core_families[i];

		if (strcmp(f->isa, core->isa) == 0 &&
		    (f->pmu ? strcmp(f->pmu, core->pmu) == 0 : found < 0))
			found = (int)i;
	}
	if (found < 0)
		return PMK_EINVAL;
	core->family = (uint32_t)found;
	return 0;
}

int pmk_core_choose(struct pmk_core *core, const char *isa, const char *pmu)
{
	pmk_core_defaults(core);
	snprintf(core->isa, sizeof(core->isa), "%s", isa);
	snprintf(core->pmu, sizeof(core->pmu), "%s", pmu);
	return choose_family(core);
}

/* "l2" alone is the type of it: --set l2=l220. */
static const struct pmk_core_key *find_key(const char *name)
{
	if (!strcmp(name, "l2"))
		name = "l2.type";
	for (const struct pmk_core_key *k = pmk_core_keys; k->key; k++)
		if (strcmp(k->key, name) == 0)
			return k;
	return NULL;
}

/* Of an ARM11's memory system, and rules of its events: nothing that an ARM926EJ-S does depends on them. */
static bool is_of_arm11(const char *key)
{
	static const char *const keys[] = { "bp.count_pc_writes",
					    "dcache.miss_uncached",
					    "dcache.store_miss_external",
					    "fetch.flush_stall",
					    "fetch.shadow_bytes",
					    "fetch.wrong_path_bytes",
					    "l2.buffers",
					    "l2.latency",
					    "l2.size",
					    "l2.type",
					    "l2.ways",
					    "l2.write_allocate",
					    "lsu.slots",
					    "mem.fill",
					    "mem.latency",
					    "mem.write",
					    "rs.pred_exclusive",
					    "tlb.penalty",
					    "utlb.entries",
					    "utlb.penalty",
					    "wbuf.dmb_drains" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static const char *isa_of(const struct pmk_core *core)
{
	return pmk_core_is_a64(core) ? "a64" : pmk_core_is_mb(core) ? "microblaze" : "arm";
}

bool pmk_core_has(const struct pmk_core *core, const struct pmk_core_key *key)
{
	if (pmk_core_on_ahb(core) && (strstr(key->isas, "ahb") || is_of_arm11(key->key)))
		return !is_of_arm11(key->key);
	return strcmp(key->isas, "all") == 0 || strstr(key->isas, isa_of(core));
}

struct pmk_core_key pmk_core_key_of(const struct pmk_core *core, const struct pmk_core_key *key)
{
	struct pmk_core_key row = *key;

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		const struct variant *v = &variants[i];

		if (strcmp(v->key, key->key) != 0)
			continue;
		if (strcmp(v->isa, pmk_core_on_ahb(core) ? "ahb" : isa_of(core)) != 0)
			continue;
		row.text = v->text;
		row.min = v->min;
		row.max = v->max;
		row.unit = v->unit;
	}
	return row;
}

static bool power_of_two(uint64_t n)
{
	return n && (n & (n - 1)) == 0;
}

static bool of_powers(const struct pmk_core_key *row)
{
	return row->unit == 'p' || row->unit == 'q';
}

static bool of_sizes(const struct pmk_core_key *row)
{
	return row->unit == 's' || row->unit == 'q';
}

bool pmk_core_accepts(const struct pmk_core_key *row, uint64_t n)
{
	if (n < row->min || n > row->max)
		return false;
	return of_powers(row) ? power_of_two(n) : row->unit != 'w' || n % 16 == 0;
}

unsigned pmk_core_few(const struct pmk_core_key *row, uint64_t few[PMK_CORE_FEW])
{
	unsigned n = 0;

	if (row->min != row->max && !of_powers(row) && row->unit != 'w')
		return 0;
	for (uint64_t v = row->min; v <= row->max; v += row->unit == 'w' ? 16 : v ? v : 1) {
		if (n == PMK_CORE_FEW)
			return 0;
		few[n++] = v;
	}
	return n;
}

unsigned pmk_core_l2_type(const char *pmu)
{
	for (unsigned i = 1; i < PMK_CORE_NL2; i++)
		if (strcmp(pmu, pmk_core_l2[i]) == 0)
			return i;
	return 0;
}

static int not_its_key(const struct pmk_core *core, const struct pmk_core_key *key, char *msg,
		       unsigned size)
{
	const char *name = core->name[0] ? core->name : "CORE";

	if (pmk_core_on_ahb(core) || strcmp(key->isas, "ahb") == 0) {
		snprintf(msg, size, "%s has no effect on this core; 'pmk info %s' shows what has",
			 key->key, name);
		return PMK_EINVAL;
	}
	snprintf(
		msg, size,
		"%s has no effect on cores with the instruction set %s; 'pmk info %s' shows what has",
		key->key, core->isa, name);
	return PMK_EINVAL;
}

static int unknown_key(const struct pmk_core *core, const char *name, char *msg, unsigned size)
{
	struct pmk_nearest near;
	char hint[160];

	pmk_nearest_init(&near, name);
	for (const struct pmk_core_key *k = pmk_core_keys; k->key; k++)
		if (!core->isa[0] || pmk_core_has(core, k))
			pmk_nearest_offer(&near, k->key);
	pmk_nearest_text(&near, hint, sizeof(hint));
	if (*hint)
		snprintf(msg, size, "no core parameter '%.60s'; did you mean %s?", name, hint);
	else
		snprintf(msg, size, "no core parameter '%.60s'; 'pmk list cores -v' shows them",
			 name);
	return PMK_EINVAL;
}

static int parse_switch(const char *text, uint64_t *value)
{
	static const char *const on[] = { "1", "on", "yes", "true", NULL };
	static const char *const off[] = { "0", "off", "no", "false", NULL };

	for (unsigned i = 0; on[i]; i++) {
		if (strcmp(text, on[i]) == 0 || strcmp(text, off[i]) == 0) {
			*value = strcmp(text, on[i]) == 0;
			return 0;
		}
	}
	return PMK_EPARSE;
}

/* Decimal or 0x…; a size may end with K or M. Base 8 is not accepted: 010 is ten. */
static int parse_number(const char *text, bool is_size, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	uint64_t n, scale = 1;
	char *end;

	if (text[0] < '0' || text[0] > '9') /* strtoull would take blanks and a sign */
		return PMK_EPARSE;
	errno = 0;
	n = strtoull(text, &end, hex ? 16 : 10);
	if (errno)
		return PMK_ERANGE;
	if (is_size && (*end == 'K' || *end == 'k'))
		scale = 1024;
	else if (is_size && (*end == 'M' || *end == 'm'))
		scale = 1024 * 1024;
	if (scale > 1)
		end++;
	if (*end)
		return PMK_EPARSE;
	if (n > UINT64_MAX / scale)
		return PMK_ERANGE;
	*value = n * scale;
	return 0;
}

static int parse_l2(const char *text, uint64_t *value)
{
	for (*value = 0; *value < PMK_CORE_NL2; ++*value)
		if (strcmp(text, pmk_core_l2[*value]) == 0)
			return 0;
	return PMK_EPARSE;
}

static int parse_value(const struct pmk_core_key *k, const char *text, uint64_t *value)
{
	if (k->unit == 'b')
		return parse_switch(text, value);
	if (k->unit == 'l')
		return parse_l2(text, value);
	return parse_number(text, of_sizes(k), value);
}

/* "a number from 0 to 48", "4, 8 or 16", "1 only". */
static void values_text(const struct pmk_core_key *row, char *buf, size_t size)
{
	uint64_t few[PMK_CORE_FEW];
	unsigned n = pmk_core_few(row, few);
	size_t at = 0;

	if (!n)
		snprintf(buf, size, "a %s%s from %llu to %llu",
			 of_powers(row)	 ? "power of two"
			 : of_sizes(row) ? "size"
					 : "number",
			 of_sizes(row) ? " (such as 16K)" : "", (unsigned long long)row->min,
			 (unsigned long long)row->max);
	for (unsigned i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%llu%s",
				       !i	   ? ""
				       : i + 1 < n ? ", "
						   : " or ",
				       (unsigned long long)few[i], n == 1 ? " only" : "");
}

/* What a row accepts, and what it was given instead. */
static void say_values(const struct pmk_core_key *row, const char *given, char *msg, unsigned size)
{
	char values[128];

	values_text(row, values, sizeof(values));
	if (row->unit == 'b')
		snprintf(msg, size, "%s is on or off, not '%.40s'", row->key, given);
	else if (row->unit == 'l')
		snprintf(msg, size, "%s is none, l210 or l220, not '%.40s'", row->key, given);
	else
		snprintf(msg, size, "%s takes %s, not '%.40s'", row->key, values, given);
}

/* wait.threshold is that of every layer, until one is given its own. */
static void set_member(struct pmk_core *core, const struct pmk_core_key *key, uint64_t n)
{
	*member(core, key) = n;
	if (strcmp(key->key, "wait.threshold") != 0)
		return;
	for (const struct pmk_core_key *k = pmk_core_keys; k->key; k++)
		if (strncmp(k->key, "wait.", 5) == 0)
			*member(core, k) = n;
}

int pmk_core_set(struct pmk_core *core, const char *key, const char *value, char *msg,
		 unsigned size)
{
	const struct pmk_core_key *k = find_key(key);
	struct pmk_core_key row;
	uint64_t n = 0;
	int err;

	if (!k)
		return unknown_key(core, key, msg, size);
	if (core->isa[0] && !pmk_core_has(core, k))
		return not_its_key(core, k, msg, size);
	err = parse_value(k, value, &n);
	if (!err && (n < k->min || n > k->max))
		err = PMK_ERANGE;
	if (!err) {
		set_member(core, k, n);
		return 0;
	}
	row = pmk_core_key_of(core, k);
	say_values(&row, value, msg, size);
	return err;
}

/* A preset while it is read. */
struct reading {
	struct pmk_core *core;
	unsigned line_of[sizeof(pmk_core_keys) / sizeof(pmk_core_keys[0])]; /* 0: has no line */
};

/* One of the texts in [core]; NULL when `name` is none of them. */
static char *find_text(struct pmk_core *core, const char *name, size_t *size)
{
	const struct {
		const char *name;
		char *text;
		size_t size;
	} texts[] = {
		{ "name", core->name, sizeof(core->name) },
		{ "pmu", core->pmu, sizeof(core->pmu) },
		{ "qemu_cpu", core->qemu_cpu, sizeof(core->qemu_cpu) },
		{ "isa", core->isa, sizeof(core->isa) },
		{ "brief", core->brief, sizeof(core->brief) },
	};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(name, texts[i].name) != 0)
			continue;
		*size = texts[i].size;
		return texts[i].text;
	}
	return NULL;
}

/* "arm, a64 or microblaze" */
static void isas_text(char *buf, size_t size)
{
	size_t at = 0;

	for (unsigned i = 0; pmk_core_families[i] && at < size; i++) {
		const char *isa = pmk_core_families[i]->isa;

		/* Families with the same one stand behind each other. */
		if (i && strcmp(pmk_core_families[i - 1]->isa, isa) == 0)
			continue;
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				       !i			  ? ""
				       : pmk_core_families[i + 1] ? ", "
								  : " or ",
				       isa);
	}
}

/* What a preset as a whole needs; and no key that stood before the line with the instruction set is
 * one that it does not have. */
static bool check_preset(const struct reading *r, struct pmk_ini *ini)
{
	struct pmk_core *core = r->core;
	unsigned first = 0;
	char why[256];

	if (!core->name[0] || !core->pmu[0] || !core->qemu_cpu[0] || !core->isa[0])
		return pmk_ini_fail(ini, ini->line,
				    "[core] has to say name, pmu, qemu_cpu and isa");
	if (choose_family(core)) {
		isas_text(why, sizeof(why));
		return pmk_ini_fail(ini, ini->line, "isa is %s, not '%s'", why, core->isa);
	}
	for (unsigned i = 0; pmk_core_keys[i].key; i++) {
		if (!r->line_of[i] || pmk_core_has(core, &pmk_core_keys[i]) ||
		    (first && r->line_of[i] > first))
			continue;
		first = r->line_of[i];
		not_its_key(core, &pmk_core_keys[i], why, sizeof(why));
	}
	return !first || pmk_ini_fail(ini, first, "%s", why);
}

/* pmk_ini_take */
static bool take(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
		 const char *value)
{
	struct reading *r = ctx;
	char key[128], why[256], *text = NULL;
	size_t size = 0;

	if (!section)
		return check_preset(r, ini);
	if (strcmp(section, "core") == 0) {
		text = find_text(r->core, name, &size);
		snprintf(key, sizeof(key), "%.100s", name);
	} else {
		snprintf(key, sizeof(key), "%.60s.%.60s", section, name);
	}
	if (text && strlen(value) >= size)
		return pmk_ini_fail(ini, ini->line, "the text is too long");
	if (text) {
		strcpy(text, value);
		return true;
	}
	if (pmk_core_set(r->core, key, value, why, sizeof(why)) != 0)
		return pmk_ini_fail(ini, ini->line, "%s", why);
	r->line_of[find_key(key) - pmk_core_keys] = ini->line;
	return true;
}

int pmk_core_load(struct pmk_core *core, const char *path, char *msg, unsigned size)
{
	struct reading r = { .core = core };

	pmk_core_defaults(core);
	return pmk_ini_load(path, NULL, take, &r, msg, size);
}

/* Every parameter is one of those that its row has for this core. */
static int check_values(const struct pmk_core *core, char *msg, unsigned size)
{
	for (const struct pmk_core_key *k = pmk_core_keys; k->key; k++) {
		struct pmk_core_key row = pmk_core_key_of(core, k);
		uint64_t n = *(const uint64_t *)(const void *)((const char *)core + k->offset);
		char given[24];

		if (!pmk_core_has(core, k) || pmk_core_accepts(&row, n))
			continue;
		snprintf(given, sizeof(given), "%llu", (unsigned long long)n);
		say_values(&row, given, msg, size);
		return PMK_ERANGE;
	}
	return 0;
}

/* The sets are a power of two; on A64 they alone: 48K in 3 ways. */
static int check_cache(const char *which, uint64_t bytes, uint64_t ways, unsigned line, char *msg,
		       unsigned size)
{
	if (bytes % ways || !power_of_two(bytes / ways)) {
		snprintf(msg, size, "%s.size / %s.ways has to be a power of two", which, which);
		return PMK_ERANGE;
	}
	if (bytes / ways < line) {
		snprintf(msg, size, "%s.size / %s.ways is less than a line of %u bytes", which,
			 which, line);
		return PMK_ERANGE;
	}
	return 0;
}

static int say_range(char *msg, unsigned size, const char *text)
{
	snprintf(msg, size, "%s", text);
	return PMK_ERANGE;
}

/* UG984: which parameters exclude each other. */
static int check_mb(const struct pmk_core *core, char *msg, unsigned size)
{
	if (core->icache_base > core->icache_high || core->dcache_base > core->dcache_high)
		return say_range(
			msg, size,
			"icache.base and dcache.base lie below icache.high and dcache.high");
	if (core->area == 1 && (core->bp_on || core->mmu))
		return say_range(msg, size,
				 "area.optimized = 1 goes with bp.enable and mmu.enable off only");
	if (!core->event_counters && !core->latency_counters)
		return say_range(msg, size,
				 "debug.event_counters and debug.latency_counters are both 0");
	return 0;
}

/* DDI 0198D §2.3, CP15 c9: sizes, and that a region begins at a multiple of its size. That the two lie beside each
 * other is for the program to see to. */
static int check_tcm(const struct pmk_core *core, char *msg, unsigned size)
{
	const struct {
		const char *name;
		uint64_t base, bytes;
	} tcm[] = { { "itcm", core->itcm_base, core->itcm_size },
		    { "dtcm", core->dtcm_base, core->dtcm_size } };

	for (unsigned i = 0; i < 2; i++) {
		if (tcm[i].bytes && (tcm[i].bytes < 4096 || !power_of_two(tcm[i].bytes))) {
			snprintf(msg, size, "%s.size is 0 or a power of two from 4K to 1M",
				 tcm[i].name);
			return PMK_ERANGE;
		}
		if (tcm[i].bytes && tcm[i].base % tcm[i].bytes) {
			snprintf(msg, size, "%s.base has to be a multiple of %s.size", tcm[i].name,
				 tcm[i].name);
			return PMK_ERANGE;
		}
	}
	if (tcm[0].base < tcm[1].base + tcm[1].bytes && tcm[1].base < tcm[0].base + tcm[0].bytes &&
	    tcm[0].bytes && tcm[1].bytes)
		return say_range(msg, size, "itcm and dtcm lie over each other");
	return 0;
}

static unsigned line_bytes(const struct pmk_core *core, uint64_t words)
{
	if (pmk_core_is_mb(core))
		return (unsigned)words * 4;
	return pmk_core_is_a64(core) ? A64_LINE_BYTES : LINE_BYTES;
}

int pmk_core_check(const struct pmk_core *core, char *msg, unsigned size)
{
	int err = check_values(core, msg, size);

	if (!err && pmk_core_is_mb(core))
		err = check_mb(core, msg, size);
	if (!err)
		err = check_cache("icache", core->icache_size, core->icache_ways,
				  line_bytes(core, core->icache_line), msg, size);
	if (!err)
		err = check_cache("dcache", core->dcache_size, core->dcache_ways,
				  line_bytes(core, core->dcache_line), msg, size);
	if (!err && !pmk_core_is_mb(core))
		err = check_cache("l2", core->l2_size, core->l2_ways,
				  pmk_core_is_a64(core) ? A64_LINE_BYTES : LINE_BYTES, msg, size);
	if (err)
		return err;
	if (core->tlb_entries % core->tlb_ways ||
	    !power_of_two(core->tlb_entries / core->tlb_ways)) {
		snprintf(msg, size, "tlb.entries / tlb.ways has to be a power of two");
		return PMK_ERANGE;
	}
	if (pmk_core_is_arm(core) && core->branch_min > core->branch_max) {
		snprintf(msg, size, "branch.min is more than branch.max");
		return PMK_ERANGE;
	}
	return pmk_core_on_ahb(core) ? check_tcm(core, msg, size) : 0;
}
