// SPDX-License-Identifier: MIT
/* The parameters of a core: sets them to their defaults or from text, and checks them. See
 * config.h; preset.c reads presets. */
#include "cpu/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/nearest.h"
#include "base/number.h"
#include "cpu/family.h"

const char *const pmk_core_l2[PMK_CORE_NL2 + 1] = { "none", "l210", "l220", "plain", NULL };

const char *const pmk_core_policy[] = { "own", "lru", "fifo", "plru", "random", NULL };

_Static_assert(sizeof(pmk_core_policy) / sizeof(*pmk_core_policy) == PMK_NPOLICIES + 1,
	       "each policy has a name");

const char *const *pmk_core_words(const struct pmk_core_key *row)
{
	return row->unit == 'l' ? pmk_core_l2 : row->unit == 'y' ? pmk_core_policy : NULL;
}

static uint64_t *key_member(struct pmk_core *core, const struct pmk_core_key *key)
{
	return (uint64_t *)(void *)((char *)core + key->offset);
}

uint64_t pmk_core_value(const struct pmk_core *core, const struct pmk_core_key *key)
{
	return *(const uint64_t *)(const void *)((const char *)core + key->offset);
}

static void set_defaults(struct pmk_core *core, const struct pmk_core_family *family)
{
	if (family->like)
		set_defaults(core, family->like);
	for (const struct pmk_core_key *k = family->params->keys; k->key; k++)
		*key_member(core, k) = k->initial;
}

void pmk_core_defaults(struct pmk_core *core)
{
	memset(core, 0, sizeof(*core));
	set_defaults(core, pmk_core_families[0]);
}

/* Chooses a family with the core's instruction set. Prefers the family that asks for the core's PMU
 * to the family that asks for no particular PMU. */
int pmk_core_settle(struct pmk_core *core)
{
	/* The texts of the core are its first members, before `family`. They keep their values. */
	const size_t texts = offsetof(struct pmk_core, family);
	int found = -1;

	for (unsigned i = 0; pmk_core_families[i]; i++) {
		const struct pmk_core_family *f = pmk_core_families[i];

		if (strcmp(f->isa, core->isa) == 0 &&
		    (f->pmu ? strcmp(f->pmu, core->pmu) == 0 : found < 0))
			found = (int)i;
	}
	if (found < 0)
		return PMK_EINVAL;
	memset((char *)core + texts, 0, sizeof(*core) - texts);
	core->family = (uint32_t)found;
	set_defaults(core, pmk_core_families[found]);
	return 0;
}

int pmk_core_choose(struct pmk_core *core, const char *isa, const char *pmu)
{
	pmk_core_defaults(core);
	snprintf(core->isa, sizeof(core->isa), "%s", isa);
	snprintf(core->pmu, sizeof(core->pmu), "%s", pmu);
	return pmk_core_settle(core);
}

bool pmk_core_become(struct pmk_core *core, const char *isa)
{
	for (unsigned i = 0; pmk_core_families[i]; i++) {
		const struct pmk_core_family *f = pmk_core_families[i];

		if (strcmp(f->isa, isa) != 0 || f->params != pmk_core_family(core)->params)
			continue;
		core->family = i;
		snprintf(core->isa, sizeof(core->isa), "%s", isa);
		return true;
	}
	return false;
}

bool pmk_core_same(const struct pmk_core *a, const struct pmk_core *b)
{
	const struct pmk_core_key *k = pmk_core_keys(a);

	if (a->family != b->family)
		return false;
	for (; k->key; k++)
		if (pmk_core_value(a, k) != pmk_core_value(b, k))
			return false;
	return true;
}

bool pmk_core_on_ahb(const struct pmk_core *core)
{
	return pmk_core_family(core)->run->attach != NULL;
}

bool pmk_core_can_have_l2(const struct pmk_core *core)
{
	return pmk_core_key(core, "l2.type") != NULL;
}

/* ---- keys ------------------------------------------------------------------------------------ */

const struct pmk_core_key *pmk_core_keys(const struct pmk_core *core)
{
	return pmk_core_family(core)->params->keys;
}

static const struct pmk_core_key *find_key(const struct pmk_core_family *family, const char *name)
{
	if (!strcmp(name, "l2"))
		name = "l2.type";
	for (const struct pmk_core_key *k = family->params->keys; k->key; k++)
		if (strcmp(k->key, name) == 0)
			return k;
	return NULL;
}

const struct pmk_core_key *pmk_core_key(const struct pmk_core *core, const char *key)
{
	return find_key(pmk_core_family(core), key);
}

/* Returns the first family that has the key, or NULL. */
static const struct pmk_core_family *owner_of(const char *key)
{
	for (unsigned i = 0; pmk_core_families[i]; i++)
		if (find_key(pmk_core_families[i], key))
			return pmk_core_families[i];
	return NULL;
}

bool pmk_core_key_exists(const char *key)
{
	return owner_of(key) != NULL;
}

void pmk_core_isas(char *isas, size_t size)
{
	size_t at = 0;

	for (unsigned i = 0; pmk_core_families[i] && at < size; i++) {
		const char *isa = pmk_core_families[i]->isa;

		/* Families with the same instruction set are next to each other. */
		if (i && strcmp(pmk_core_families[i - 1]->isa, isa) == 0)
			continue;
		at += (size_t)snprintf(isas + at, size - at, "%s%s",
				       !i			  ? ""
				       : pmk_core_families[i + 1] ? ", "
								  : " or ",
				       isa);
	}
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
static int not_its_key(const struct pmk_core *core, const char *key,
		       const struct pmk_core_family *owner, char *msg, unsigned size)
{
	const char *name = core->name[0] ? core->name : "CORE";

	/* If several families have the instruction set, its name does not show on which cores the
	 * key has no effect. */
	if (pmk_core_family(core)->like || owner->like)
		snprintf(msg, size,
			 "%s has no effect on this core; 'pmk info %s' shows the parameters "
			 "that do",
			 key, name);
	else
		snprintf(msg, size,
			 "%s has no effect on cores with the instruction set %s; 'pmk info %s' "
			 "shows the parameters that do",
			 key, core->isa, name);
	return PMK_EINVAL;
}

static int unknown_key(const struct pmk_core *core, const char *name, char *msg, unsigned size)
{
	struct pmk_nearest near;
	char hint[160];

	pmk_nearest_init(&near, name);
	for (const struct pmk_core_key *k = pmk_core_keys(core); k->key; k++)
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

/*
 * Reads a number, decimal or 0x…. A size may end with K or M. Octal numbers do not exist: 010 is
 * ten.
 */
static int parse_number(const char *text, bool is_size, uint64_t *value)
{
	uint64_t n, scale = 1;
	int err = pmk_number_read(&text, PMK_ANY_BASE, &n);

	if (err)
		return err;
	if (is_size && (*text | 0x20) == 'k')
		scale = 1024;
	else if (is_size && (*text | 0x20) == 'm')
		scale = 1024 * 1024;
	if (scale > 1)
		text++;
	if (*text)
		return PMK_EPARSE;
	if (n > UINT64_MAX / scale)
		return PMK_ERANGE;
	*value = n * scale;
	return 0;
}

static int parse_word(const char *text, const char *const *words, uint64_t *value)
{
	for (*value = 0; words[*value]; ++*value)
		if (strcmp(text, words[*value]) == 0)
			return 0;
	return PMK_EPARSE;
}

static int parse_value(const struct pmk_core_key *k, const char *text, uint64_t *value)
{
	if (k->unit == 'b')
		return parse_switch(text, value);
	if (pmk_core_words(k))
		return parse_word(text, pmk_core_words(k), value);
	return parse_number(text, of_sizes(k), value);
}

/* Writes a list of words: "none, l210 or l220". */
static void words_text(const char *const *words, char *buf, size_t size)
{
	size_t at = 0;

	for (unsigned i = 0; words[i] && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				       !i	      ? ""
				       : words[i + 1] ? ", "
						      : " or ",
				       words[i]);
}

/* Describes the values of a parameter: "a number from 0 to 48", "4, 8 or 16", "1 only". */
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

/* Writes to msg which values a row accepts, and which value it was given instead. */
static void say_values(const struct pmk_core_key *row, const char *given, char *msg, unsigned size)
{
	char values[128];

	if (pmk_core_words(row))
		words_text(pmk_core_words(row), values, sizeof(values));
	else
		values_text(row, values, sizeof(values));
	if (row->unit == 'b')
		snprintf(msg, size, "%s is on or off, not '%.40s'", row->key, given);
	else if (pmk_core_words(row))
		snprintf(msg, size, "%s is %s, not '%.40s'", row->key, values, given);
	else
		snprintf(msg, size, "%s takes %s, not '%.40s'", row->key, values, given);
}

/* True if the cores of at least one family accept the number. */
static bool in_widest_range(const char *key, uint64_t n)
{
	for (unsigned i = 0; pmk_core_families[i]; i++) {
		const struct pmk_core_key *k = find_key(pmk_core_families[i], key);

		if (k && n >= k->min && n <= k->max)
			return true;
	}
	return false;
}

int pmk_core_set(struct pmk_core *core, const char *key, const char *value, char *msg,
		 unsigned size)
{
	const struct pmk_core_family *family = pmk_core_family(core), *owner = owner_of(key);
	const struct pmk_core_key *k = find_key(family, key);
	uint64_t n = 0;
	int err;

	if (!owner)
		return unknown_key(core, key, msg, size);
	if (!k)
		return not_its_key(core, find_key(owner, key)->key, owner, msg, size);
	err = parse_value(k, value, &n);
	if (!err && !in_widest_range(key, n))
		err = PMK_ERANGE;
	if (err) {
		say_values(k, value, msg, size);
		return err;
	}
	*key_member(core, k) = n;
	if (family->params->was_set)
		family->params->was_set(core, k->key);
	return 0;
}

/* ---- the final check ------------------------------------------------------------------------- */

/* Checks that each parameter has a value that its row accepts. */
static int check_values(const struct pmk_core *core, char *msg, unsigned size)
{
	for (const struct pmk_core_key *k = pmk_core_keys(core); k->key; k++) {
		uint64_t n = pmk_core_value(core, k);
		char given[24];

		if (pmk_core_accepts(k, n))
			continue;
		snprintf(given, sizeof(given), "%llu", (unsigned long long)n);
		say_values(k, given, msg, size);
		return PMK_ERANGE;
	}
	return 0;
}

/* Checks that the size of a way is a power of two and at least a line, and that PLRU has a power of
 * two as the number of ways. The size of the cache itself need not be a power of two: some A64
 * cores have 48K in 3 ways. */
static int check_cache(const char *which, uint64_t bytes, uint64_t ways, enum pmk_policy policy,
		       unsigned line, char *msg, unsigned size)
{
	if (bytes % ways || !power_of_two(bytes / ways)) {
		snprintf(msg, size, "%s.size / %s.ways must be a power of two", which, which);
		return PMK_ERANGE;
	}
	if (policy == PMK_POLICY_PLRU && !power_of_two(ways)) {
		snprintf(msg, size,
			 "%s.policy plru (cache.policy sets it for all caches) needs a power of "
			 "two as %s.ways",
			 which, which);
		return PMK_ERANGE;
	}
	if (bytes / ways < line) {
		snprintf(msg, size, "%s.size / %s.ways is less than a line of %u bytes", which,
			 which, line);
		return PMK_ERANGE;
	}
	return 0;
}
int pmk_core_say_range(char *msg, unsigned size, const char *text)
{
	snprintf(msg, size, "%s", text);
	return PMK_ERANGE;
}

int pmk_core_check_sets(const struct pmk_core *core, unsigned iline, unsigned dline,
			unsigned l2line, char *msg, unsigned size)
{
	int err = check_cache("icache", core->icache.size, core->icache.ways,
			      pmk_core_policy_of(core, core->icache.policy), iline, msg, size);

	if (!err)
		err = check_cache("dcache", core->dcache.size, core->dcache.ways,
				  pmk_core_policy_of(core, core->dcache.policy), dline, msg, size);
	if (!err && l2line)
		err = check_cache("l2", core->l2.size, core->l2.ways,
				  pmk_core_policy_of(core, core->l2.policy), l2line, msg, size);
	if (!err && (core->tlb.entries % core->tlb.ways ||
		     !power_of_two(core->tlb.entries / core->tlb.ways)))
		err = pmk_core_say_range(msg, size,
					 "tlb.entries / tlb.ways must be a power of two");
	return err;
}

int pmk_core_check(const struct pmk_core *core, char *msg, unsigned size)
{
	int err = check_values(core, msg, size);

	return err ? err : pmk_core_family(core)->params->check(core, msg, size);
}

const char *pmk_core_in_vain(const struct pmk_core *core, const char *key)
{
	const struct pmk_core_params *params = pmk_core_family(core)->params;

	return params->in_vain ? params->in_vain(core, key) : NULL;
}

void pmk_core_control(struct pmk_core *core, const struct pmk_core *configured, unsigned state)
{
	core->mmu = configured->mmu && (state & PMK_CONTROL_MMU);
	core->dcache.on = configured->dcache.on && (state & PMK_CONTROL_DCACHE);
	core->icache.on = configured->icache.on && (state & PMK_CONTROL_ICACHE);
	core->bp.on = configured->bp.on && (state & PMK_CONTROL_PREDICTOR);
}
