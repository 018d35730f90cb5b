// SPDX-License-Identifier: MIT
/*
 * The parameters of a core: defaults, one key from text, a preset file, the final check.
 *
 * A preset is an INI file, read by inih. The section and the name make the key: "size" in [icache]
 * is icache.size. [core] holds the five texts (name, pmu, qemu_cpu, isa, brief) and the keys
 * without a section, such as clock. inih tells the line of the first syntax error only, so the
 * lines are counted here, in the function that hands them to it. Lines that inih would split are
 * refused.
 */
#include "cpu/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>
#include <pmk/error.h>

#include "base/nearest.h"

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

static const struct pmk_core_key *find_key(const char *name)
{
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

bool pmk_core_has(const struct pmk_core *core, const struct pmk_core_key *key)
{
	const char *isa = pmk_core_is_a64(core)	 ? "a64"
			  : pmk_core_is_mb(core) ? "microblaze"
						 : "arm";

	if (pmk_core_on_ahb(core) && (strstr(key->isas, "ahb") || is_of_arm11(key->key)))
		return !is_of_arm11(key->key);
	return strcmp(key->isas, "all") == 0 || strstr(key->isas, isa);
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
	return parse_number(text, k->unit == 's', value);
}

int pmk_core_set(struct pmk_core *core, const char *key, const char *value, char *msg,
		 unsigned size)
{
	const struct pmk_core_key *k = find_key(key);
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
		*member(core, k) = n;
		return 0;
	}
	if (k->unit == 'b')
		snprintf(msg, size, "%s is on or off, not '%.40s'", key, value);
	else if (k->unit == 'l')
		snprintf(msg, size, "%s is none, l210 or l220, not '%.40s'", key, value);
	else
		snprintf(msg, size, "%s takes %s from %llu to %llu, not '%.40s'", key,
			 k->unit == 's' ? "a size (such as 16K)" : "a number",
			 (unsigned long long)k->min, (unsigned long long)k->max, value);
	return err;
}

/* What the reader and the handler of inih share. */
struct reading {
	FILE *f;
	struct pmk_core *core;
	unsigned line;	     /* of the line inih works on */
	unsigned error_line; /* 0: none */
	char why[256];
	unsigned line_of[sizeof(pmk_core_keys) / sizeof(pmk_core_keys[0])]; /* 0: has no line */
};

static void complain(struct reading *r, const char *why)
{
	if (r->error_line)
		return;
	r->error_line = r->line;
	snprintf(r->why, sizeof(r->why), "%s", why);
}

/* ini_reader: one line into `str`, as fgets. The rest of a line that does not fit is dropped. */
static char *next_line(char *str, int num, void *stream)
{
	struct reading *r = stream;
	size_t n;
	int c;

	if (!fgets(str, num, r->f))
		return NULL;
	r->line++;
	n = strlen(str);
	if (n + 1 < (size_t)num || str[n - 1] == '\n')
		return str;
	c = getc(r->f);
	if (c != EOF && c != '\n')
		complain(r, "the line is too long");
	while (c != EOF && c != '\n')
		c = getc(r->f);
	return str;
}

/* One of the texts in [core]; false when `name` is none of them. */
static bool set_text(struct reading *r, const char *name, const char *value)
{
	struct pmk_core *core = r->core;
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
		if (strlen(value) >= texts[i].size)
			complain(r, "the text is too long");
		else
			strcpy(texts[i].text, value);
		return true;
	}
	return false;
}

/* ini_handler: 1 goes on, 0 reports an error. */
static int take(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	char key[128], why[256];

	if (r->error_line)
		return 0;
	if (!*section) {
		complain(r, "a [section] has to come first");
		return 0;
	}
	if (strcmp(section, "core") == 0) {
		if (set_text(r, name, value))
			return r->error_line == 0;
		snprintf(key, sizeof(key), "%.100s", name);
	} else {
		snprintf(key, sizeof(key), "%.60s.%.60s", section, name);
	}
	if (pmk_core_set(r->core, key, value, why, sizeof(why)) != 0)
		complain(r, why);
	else
		r->line_of[find_key(key) - pmk_core_keys] = r->line;
	return r->error_line == 0;
}

/* The keys that stood before the line with the instruction set. */
static void check_early_keys(struct reading *r)
{
	unsigned first = 0;

	for (unsigned i = 0; pmk_core_keys[i].key; i++) {
		if (!r->line_of[i] || pmk_core_has(r->core, &pmk_core_keys[i]) ||
		    (first && r->line_of[i] > first))
			continue;
		first = r->line_of[i];
		not_its_key(r->core, &pmk_core_keys[i], r->why, sizeof(r->why));
	}
	r->error_line = first;
}

int pmk_core_load(struct pmk_core *core, const char *path, char *msg, unsigned size)
{
	struct reading r = { .core = core };
	int line, unreadable;

	pmk_core_defaults(core);
	r.f = fopen(path, "r");
	if (!r.f) {
		snprintf(msg, size, "%s: %s", path, strerror(errno));
		return PMK_EIO;
	}
	errno = 0;
	line = ini_parse_stream(next_line, &r, take, &r);
	unreadable = ferror(r.f) ? errno : 0;
	fclose(r.f);
	if (unreadable) {
		snprintf(msg, size, "%s: %s", path, strerror(unreadable));
		return PMK_EIO;
	}
	if (line < 0) {
		snprintf(msg, size, "%s: out of memory", path);
		return PMK_EIO;
	}
	/* inih tells the first line that is neither a section, a comment nor name = value, or that
	 * `take` refused; `r` knows which of the two it was. */
	if (line > 0 && (!r.error_line || (unsigned)line < r.error_line)) {
		snprintf(msg, size, "%s:%d: neither [section] nor name = value", path, line);
		return PMK_EPARSE;
	}
	if (r.error_line) {
		snprintf(msg, size, "%s:%u: %s", path, r.error_line, r.why);
		return PMK_EPARSE;
	}
	if (!core->name[0] || !core->pmu[0] || !core->qemu_cpu[0] || !core->isa[0]) {
		snprintf(msg, size, "%s:%u: [core] has to say name, pmu, qemu_cpu and isa", path,
			 r.line);
		return PMK_EPARSE;
	}
	check_early_keys(&r);
	if (r.error_line) {
		snprintf(msg, size, "%s:%u: %s", path, r.error_line, r.why);
		return PMK_EPARSE;
	}
	return 0;
}

static bool power_of_two(uint64_t n)
{
	return n && (n & (n - 1)) == 0;
}

/* On A64 the sets alone have to be a power of two: 48K in 3 ways. */
static int check_cache(const struct pmk_core *core, const char *which, uint64_t bytes,
		       uint64_t ways, unsigned line, char *msg, unsigned size)
{
	if (pmk_core_is_a64(core)) {
		if (bytes % ways || !power_of_two(bytes / ways)) {
			snprintf(msg, size, "%s.size / %s.ways has to be a power of two", which,
				 which);
			return PMK_ERANGE;
		}
	} else if (!power_of_two(bytes) || !power_of_two(ways)) {
		snprintf(msg, size, "%s.size and %s.ways have to be powers of two", which, which);
		return PMK_ERANGE;
	}
	if (bytes / ways < line) {
		snprintf(msg, size, "%s.size / %s.ways is less than a line of %u bytes", which,
			 which, line);
		return PMK_ERANGE;
	}
	return 0;
}

static int check_powers(const struct pmk_core *core, char *msg, unsigned size)
{
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{ "bp.entries", core->bp_entries },   { "bp.indirect", core->bp_indirect },
		{ "fetch.bytes", core->fetch_bytes }, { "dcache.bytes", core->l1d_bytes },
		{ "bus.bytes", core->bus_bytes },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (power_of_two(rows[i].value))
			continue;
		snprintf(msg, size, "%s has to be a power of two", rows[i].key);
		return PMK_ERANGE;
	}
	return 0;
}

static int say_range(char *msg, unsigned size, const char *text)
{
	snprintf(msg, size, "%s", text);
	return PMK_ERANGE;
}

/* UG984: which parameters exclude each other, and which values there are. */
static int check_mb(const struct pmk_core *core, char *msg, unsigned size)
{
	if (core->icache_ways != 1 || core->dcache_ways != 1)
		return say_range(msg, size, "icache.ways and dcache.ways have to be 1");
	if (!power_of_two(core->icache_line) || !power_of_two(core->dcache_line))
		return say_range(msg, size, "icache.line and dcache.line are 4, 8 or 16");
	if (core->icache_size > 65536 || core->dcache_size > 65536)
		return say_range(msg, size, "icache.size and dcache.size go up to 64K");
	if (core->icache_base > core->icache_high || core->dcache_base > core->dcache_high)
		return say_range(
			msg, size,
			"icache.base and dcache.base lie below icache.high and dcache.high");
	if (!power_of_two(core->itlb_entries) || !power_of_two(core->dtlb_entries))
		return say_range(msg, size, "itlb.entries and dtlb.entries are 1, 2, 4 or 8");
	if (core->bp_entries > 2048)
		return say_range(msg, size, "bp.entries go up to 2048");
	if (core->tlb_entries > 128)
		return say_range(msg, size, "tlb.entries go up to 128");
	if (core->area == 1 && (core->bp_on || core->mmu))
		return say_range(msg, size,
				 "area.optimized = 1 goes with bp.enable and mmu.enable off only");
	if (core->counter_width % 16 != 0)
		return say_range(msg, size, "debug.counter_width is 32, 48 or 64");
	if (!core->event_counters && !core->latency_counters)
		return say_range(msg, size,
				 "debug.event_counters and debug.latency_counters are both 0");
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
	int err = pmk_core_is_mb(core) ? check_mb(core, msg, size) : 0;

	if (!err)
		err = check_cache(core, "icache", core->icache_size, core->icache_ways,
				  line_bytes(core, core->icache_line), msg, size);
	if (!err)
		err = check_cache(core, "dcache", core->dcache_size, core->dcache_ways,
				  line_bytes(core, core->dcache_line), msg, size);
	if (!err)
		err = check_cache(core, "l2", core->l2_size, core->l2_ways,
				  pmk_core_is_a64(core) ? A64_LINE_BYTES : LINE_BYTES, msg, size);
	if (!err)
		err = check_powers(core, msg, size);
	if (err)
		return err;
	if (core->tlb_entries % core->tlb_ways ||
	    !power_of_two(core->tlb_entries / core->tlb_ways)) {
		snprintf(msg, size, "tlb.entries / tlb.ways has to be a power of two");
		return PMK_ERANGE;
	}
	if (pmk_core_on_ahb(core) && core->shadow)
		return say_range(msg, size,
				 "fetch.shadow has to be 0: this core fetches nothing ahead");
	if (pmk_core_is_arm(core) && core->branch_min > core->branch_max) {
		snprintf(msg, size, "branch.min is more than branch.max");
		return PMK_ERANGE;
	}
	return 0;
}
