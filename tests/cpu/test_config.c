// SPDX-License-Identifier: MIT
/*
 * Core presets: keys from text, files, the final check, the installed presets, and random bytes.
 * PMK_SOURCE_DATA is the data directory of the source tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmk/error.h>

#include "cpu/family.h"

#define DECLARE(name) extern const struct pmk_core_family pmk_family_##name;
PMK_CORE_FAMILIES(DECLARE)

static void set_tests(void **state)
{
	static const struct {
		int line;
		const char *key, *value;
		int err;
		uint64_t expect;
		const char *msg; /* part of the message */
	} rows[] = {
		{ __LINE__, "icache.size", "16384", 0, 16384, "" },
		{ __LINE__, "icache.size", "64K", 0, 65536, "" },
		{ __LINE__, "icache.size", "64k", 0, 65536, "" },
		{ __LINE__, "icache.size", "0x4000", 0, 16384, "" },
		{ __LINE__, "cache.policy", "plru", 0, 3, "" },
		{ __LINE__, "dcache.policy", "mru", PMK_EPARSE, 0,
		  "dcache.policy is own, lru, fifo, plru or random, not 'mru'" },
		{ __LINE__, "icache.size", "32M", PMK_ERANGE, 0, "from 64 to 16777216" },
		{ __LINE__, "icache.size", "32", PMK_ERANGE, 0, "from 64 to 16777216" },
		{ __LINE__, "icache.size", "16KB", PMK_EPARSE, 0, "not '16KB'" },
		{ __LINE__, "icache.size", "-16", PMK_EPARSE, 0, "such as 16K" },
		{ __LINE__, "icache.size", " 16K", PMK_EPARSE, 0, "icache.size" },
		{ __LINE__, "icache.size", "", PMK_EPARSE, 0, "icache.size" },
		{ __LINE__, "icache.size", "18446744073709551615K", PMK_ERANGE, 0, "icache.size" },
		{ __LINE__, "icache.size", "99999999999999999999", PMK_ERANGE, 0, "icache.size" },
		{ __LINE__, "icache.ways", "4K", PMK_EPARSE, 0, "a power of two from 1 to 256" },
		{ __LINE__, "icache.ways", "010", 0, 10, "" },
		{ __LINE__, "clock", "10000000000", 0, UINT64_C(10000000000), "" },
		{ __LINE__, "mmu.enable", "on", 0, 1, "" },
		{ __LINE__, "mmu.enable", "off", 0, 0, "" },
		{ __LINE__, "mmu.enable", "no", 0, 0, "" },
		{ __LINE__, "mmu.enable", "true", 0, 1, "" },
		{ __LINE__, "mmu.enable", "2", PMK_EPARSE, 0, "on or off, not '2'" },
		{ __LINE__, "l2.type", "none", 0, 0, "" },
		{ __LINE__, "l2.type", "l210", 0, 1, "" },
		{ __LINE__, "l2.type", "l220", 0, 2, "" },
		{ __LINE__, "l2", "l220", 0, 2, "" },
		{ __LINE__, "l2.type", "pl310", PMK_EPARSE, 0,
		  "none, l210, l220 or plain, not 'pl310'" },
		{ __LINE__, "l2.type", "1", PMK_EPARSE, 0, "none, l210, l220 or plain, not '1'" },
		{ __LINE__, "l2.type", "", PMK_EPARSE, 0, "none, l210, l220 or plain, not ''" },
		{ __LINE__, "icache.sise", "1", PMK_EINVAL, 0, "did you mean icache.size or " },
		{ __LINE__, "ICACHE_size", "1", PMK_EINVAL, 0, "no core parameter 'ICACHE_size'" },
		{ __LINE__, "qwertyuiop", "1", PMK_EINVAL, 0, "pmk list cores -v" },
		{ __LINE__, "", "1", PMK_EINVAL, 0, "no core parameter ''" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core, before;
		char msg[256] = "";
		int err;

		pmk_core_defaults(&core);
		before = core;
		err = pmk_core_set(&core, rows[i].key, rows[i].value, msg, sizeof(msg));
		if (err != rows[i].err || !strstr(msg, rows[i].msg))
			fail_msg("line %d: %d '%s'", rows[i].line, err, msg);
		if (err) { /* nothing was changed */
			assert_memory_equal(&core, &before, sizeof(core));
			continue;
		}
		for (const struct pmk_core_key *k = pmk_core_keys(&core); k->key; k++) {
			const uint64_t *v =
				(const uint64_t *)(const void *)((char *)&core + k->offset);

			if (strcmp(k->key, rows[i].key) == 0 && *v != rows[i].expect)
				fail_msg("line %d: %llu", rows[i].line, (unsigned long long)*v);
		}
	}
}

/* A key is refused if cores of this instruction set do not have it. */
static void isa_tests(void **state)
{
	static const struct {
		int line;
		const char *isa, *key, *value;
		int err;
	} rows[] = {
		{ __LINE__, "arm", "dcache.write_through", "on", 0 },
		{ __LINE__, "microblaze", "dcache.write_through", "on", 0 },
		{ __LINE__, "a64", "dcache.write_through", "on", PMK_EINVAL },
		{ __LINE__, "a64", "dcache.write_allocate", "on", PMK_EINVAL },
		{ __LINE__, "a64", "dcache.store_miss_external", "on", PMK_EINVAL },
		{ __LINE__, "a64", "dcache.miss_uncached", "on", PMK_EINVAL },
		{ __LINE__, "a64", "bp.enable", "off", 0 },
		{ __LINE__, "a64", "bp.dynamic", "off", PMK_EINVAL },
		{ __LINE__, "a64", "bp.static", "off", PMK_EINVAL },
		{ __LINE__, "a64", "bp.folding", "off", PMK_EINVAL },
		{ __LINE__, "a64", "bp.count_pc_writes", "on", PMK_EINVAL },
		{ __LINE__, "a64", "rs.pred_exclusive", "on", PMK_EINVAL },
		{ __LINE__, "a64", "fetch.shadow", "2", PMK_EINVAL },
		{ __LINE__, "a64", "fetch.shadow_bytes", "8", PMK_EINVAL },
		{ __LINE__, "a64", "fetch.wrong_path_bytes", "8", PMK_EINVAL },
		{ __LINE__, "a64", "fetch.flush_stall", "2", PMK_EINVAL },
		{ __LINE__, "a64", "branch.static_taken", "2", PMK_EINVAL },
		{ __LINE__, "a64", "branch.load_pc", "2", PMK_EINVAL },
		{ __LINE__, "a64", "branch.min", "2", PMK_EINVAL },
		{ __LINE__, "a64", "branch.max", "20", 0 },
		{ __LINE__, "a64", "return.correct", "2", PMK_EINVAL },
		{ __LINE__, "a64", "return.wrong", "2", PMK_EINVAL },
		{ __LINE__, "a64", "return.empty", "2", PMK_EINVAL },
		{ __LINE__, "a64", "return.ldm_wrong", "2", PMK_EINVAL },
		{ __LINE__, "a64", "wbuf.dmb_drains", "off", PMK_EINVAL },
		{ __LINE__, "a64", "lmb.size", "4K", PMK_EINVAL },
		{ __LINE__, "a64", "l2.size", "1M", 0 },
		{ __LINE__, "arm", "l2.size", "1M", 0 },
		{ __LINE__, "arm", "l2.type", "l220", 0 },
		{ __LINE__, "arm", "l2.enable", "on", PMK_EINVAL },
		{ __LINE__, "a64", "l2.type", "l220", PMK_EINVAL },
		{ __LINE__, "a64", "l2.write_allocate", "on", PMK_EINVAL },
		{ __LINE__, "a64", "l2.buffers", "2", PMK_EINVAL },
		{ __LINE__, "arm", "issue.width", "2", PMK_EINVAL },
		{ __LINE__, "arm", "lmb.size", "4K", PMK_EINVAL },
		{ __LINE__, "microblaze", "lmb.size", "4K", 0 },
		{ __LINE__, "microblaze", "l2.size", "1M", PMK_EINVAL },
		{ __LINE__, "microblaze", "bp.folding", "off", PMK_EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core, before;
		char msg[256] = "", expect[128];
		int err;

		pmk_core_choose(&core, rows[i].isa, "");
		strcpy(core.name, "mine");
		before = core;
		err = pmk_core_set(&core, rows[i].key, rows[i].value, msg, sizeof(msg));
		snprintf(expect, sizeof(expect),
			 "%s has no effect on cores with the instruction set %s; ", rows[i].key,
			 rows[i].isa);
		if (err != rows[i].err || (err && strncmp(msg, expect, strlen(expect)) != 0))
			fail_msg("line %d: %d '%s'", rows[i].line, err, msg);
		if (err)
			assert_memory_equal(&core, &before, sizeof(core));
	}
}

/*
 * The number of sets of a cache must be a power of two. On A64, the number of ways may be any
 * number.
 */
static void ways_tests(void **state)
{
	static const struct {
		const char *isa, *size, *ways;
		int err;
	} rows[] = {
		{ "a64", "48K", "3", 0 },	   { "a64", "32K", "2", 0 },
		{ "a64", "48K", "2", PMK_ERANGE }, { "a64", "32K", "3", PMK_ERANGE },
		{ "a64", "64", "1", 0 },	   { "a64", "192", "3", 0 },
		{ "a64", "128", "4", PMK_ERANGE }, { "arm", "48K", "3", PMK_ERANGE },
		{ "arm", "32K", "4", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core;
		char msg[256] = "";

		pmk_core_choose(&core, rows[i].isa, "");
		assert_int_equal(pmk_core_set(&core, "icache.size", rows[i].size, msg, sizeof(msg)),
				 0);
		assert_int_equal(pmk_core_set(&core, "icache.ways", rows[i].ways, msg, sizeof(msg)),
				 0);
		if (pmk_core_check(&core, msg, sizeof(msg)) != rows[i].err)
			fail_msg("%s, %s in %s ways: '%s'", rows[i].isa, rows[i].size, rows[i].ways,
				 msg);
	}
	/* On A64, all mispredictions take the same time. */
	for (unsigned a64 = 0; a64 < 2; a64++) {
		struct pmk_core core;
		char msg[256] = "";

		pmk_core_choose(&core, a64 ? "a64" : "arm", "");
		core.bp.penalty = 2;
		assert_int_equal(pmk_core_check(&core, msg, sizeof(msg)), a64 ? 0 : PMK_ERANGE);
	}
}

/* The row of each key has the offset of its member. */
static void member_tests(void **state)
{
	struct pmk_core core;
	char msg[256];

	(void)state;
	pmk_core_defaults(&core);
	assert_int_equal(core.icache.size, 16384);
	assert_int_equal(core.dcache.ways, 4);
	assert_int_equal(core.tlb.penalty, 93);
	assert_int_equal(core.rs.entries, 3);
	assert_int_equal(core.clock_hz, 700000000);
	assert_int_equal(pmk_core_set(&core, "dcache.size", "8K", msg, sizeof(msg)), 0);
	assert_int_equal(pmk_core_set(&core, "fetch.flush_stall", "7", msg, sizeof(msg)), 0);
	assert_int_equal(core.dcache.size, 8192);
	assert_int_equal(core.icache.size, 16384);
	assert_int_equal(core.arm11.flush_stall, 7);
}

/*
 * Checks that each member of a family's own parameters belongs to one key of the family, and that
 * no key belongs to a member of another family.
 */
static void own_members(const struct pmk_core_family *family, size_t size)
{
	const size_t begin = offsetof(struct pmk_core, arm11);
	unsigned keys = 0;

	for (const struct pmk_core_key *k = family->params->keys; k->key; k++) {
		assert_true(k->offset % 8 == 0 && k->offset < begin + size);
		keys += k->offset >= begin;
	}
	/* An ARM926EJ-S has the members of an ARM11, but for some of them it has no keys. */
	if (family->like)
		assert_true(keys < size / 8);
	else
		assert_int_equal(keys, size / 8);
}

static void table_tests(void **state)
{
	char msg[256];

	(void)state;
	for (unsigned f = 0; pmk_core_families[f]; f++) {
		const struct pmk_core_family *family = pmk_core_families[f];
		struct pmk_core core;

		for (const struct pmk_core_key *k = family->params->keys; k->key; k++) {
			assert_true(k->min <= k->max);
			assert_non_null(strchr("nsblypqw", k->unit));
			assert_true(strlen(k->text) > 0);
			for (const struct pmk_core_key *other = k + 1; other->key; other++) {
				assert_string_not_equal(k->key, other->key);
				assert_int_not_equal(k->offset, other->offset);
			}
		}
		assert_int_equal(
			pmk_core_choose(&core, family->isa, family->pmu ? family->pmu : ""), 0);
		assert_ptr_equal(pmk_core_family(&core), family);
		assert_ptr_equal(pmk_core_keys(&core), family->params->keys);
	}
#define OWN(family) own_members(&pmk_family_##family, sizeof(struct pmk_core_##family));
	PMK_CORE_FAMILIES(OWN)
#undef OWN
	struct pmk_core core;
	pmk_core_defaults(&core);
	assert_int_equal(pmk_core_check(&core, msg, sizeof(msg)), 0);
}

/* Every family sets these members. The comments in family.h say which other members may be NULL. */
static void part_tests(void **state)
{
	(void)state;
	for (unsigned i = 0; pmk_core_families[i]; i++) {
		const struct pmk_core_family *f = pmk_core_families[i];

		assert_true(f->params->keys && f->params->check);
		assert_non_null(f->decoder->decode);
		assert_non_null(f->builder->build);
		assert_int_equal(!f->builder->keeps, !f->builder->keep);
		assert_true(f->run->init && f->run->fini && f->run->forked && f->run->forget);
		assert_int_equal(!f->run->is_under_way, !f->run->drop);
		assert_true(f->callbacks->on_block && f->callbacks->watch);
		assert_int_equal(!f->callbacks->test, !f->callbacks->tables);
		assert_int_equal(!f->callbacks->on_fetch, !f->counts->fetch);
		assert_int_equal(!f->callbacks->on_lines, !f->counts->lines);
		assert_non_null(f->system->vector);
		assert_true(f->programs->elf_machines && f->programs->targets);
		assert_true(f->counts->fact_signal && f->counts->nfacts && f->counts->raises);
		assert_true(f->counts->mix && f->counts->counted && f->counts->derive);
		assert_non_null(f->counts->insns_per_cycle);
		assert_int_equal(!f->untimed_kind, !f->counts->untimed);
	}
}

static void key_exists_tests(void **state)
{
	(void)state;
	for (unsigned f = 0; pmk_core_families[f]; f++)
		for (const struct pmk_core_key *k = pmk_core_families[f]->params->keys; k->key; k++)
			assert_true(pmk_core_key_exists(k->key));
	assert_true(pmk_core_key_exists("l2"));
	assert_false(pmk_core_key_exists("icache.lin"));
	assert_false(pmk_core_key_exists(""));
}

/* An instruction set and a PMU determine the family. */
static void choose_tests(void **state)
{
	static const struct {
		const char *isa, *pmu, *family;
	} rows[] = {
		{ "arm", "arm1176", "arm11" },	    { "arm", "none", "arm11" },
		{ "arm", "ahbmon", "arm9" },	    { "a64", "cortex-a53", "a64" },
		{ "a64", "ahbmon", "a64" },	    { "microblaze", "microblaze", "microblaze" },
		{ "microblaze", "", "microblaze" },
	};
	struct pmk_core core;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(pmk_core_choose(&core, rows[i].isa, rows[i].pmu), 0);
		assert_string_equal(pmk_core_family(&core)->name, rows[i].family);
		assert_string_equal(core.isa, rows[i].isa);
		assert_string_equal(core.pmu, rows[i].pmu);
	}
	assert_int_equal(pmk_core_choose(&core, "a65", ""), PMK_EINVAL);
}

static void check_tests(void **state)
{
	static const struct {
		int line;
		const char *key, *value, *msg;
	} rows[] = {
		{ __LINE__, "icache.size", "3000",
		  "icache.size takes a power of two (such as 16K) " },
		{ __LINE__, "dcache.ways", "3",
		  "dcache.ways takes a power of two from 1 to 256, not '3'" },
		{ __LINE__, "tlb.entries", "63", "tlb.entries / tlb.ways" },
		{ __LINE__, "tlb.entries", "24", "tlb.entries / tlb.ways" },
		{ __LINE__, "bp.entries", "100", "bp.entries takes a power of two from 2 to 4096" },
		{ __LINE__, "branch.min", "8", "branch.min is more than branch.max" },
		{ __LINE__, "l2.size", "196608", "l2.size takes a power of two" },
		{ __LINE__, "l2.ways", "12", "l2.ways takes a power of two from 1 to 256" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core;
		char msg[256] = "";

		pmk_core_defaults(&core);
		assert_int_equal(pmk_core_set(&core, rows[i].key, rows[i].value, msg, sizeof(msg)),
				 0);
		if (pmk_core_check(&core, msg, sizeof(msg)) != PMK_ERANGE ||
		    !strstr(msg, rows[i].msg))
			fail_msg("line %d: '%s'", rows[i].line, msg);
	}
}

static void load_preset(struct pmk_core *core, const char *name)
{
	char path[1024], msg[512] = "";

	snprintf(path, sizeof(path), "%s/cores/%s.ini", PMK_SOURCE_DATA, name);
	if (pmk_core_load(core, path, msg, sizeof(msg)) || pmk_core_check(core, msg, sizeof(msg)))
		fail_msg("%s", msg);
}

/*
 * The row of a key has the range and the text for the core that is being configured. Other cores
 * may have other ranges and texts (UG984 "Instruction Cache", "Data Cache", "Branch Target Cache").
 */
static void variant_tests(void **state)
{
	static const struct {
		const char *core, *key;
		uint64_t min, max;
		const char *text; /* part of the row's text */
		uint64_t few[5];  /* 0 ends the list */
	} rows[] = {
		{ "arm1176", "icache.size", 64, 16777216, "cache size", { 0 } },
		{ "arm1176", "icache.enable", 0, 1, "SCTLR.I", { 0 } },
		{ "cortex-a72", "icache.ways", 1, 256, "cache ways", { 0 } },
		{ "arm926", "fetch.shadow", 0, 0, "has none", { 0 } },
		{ "microblaze", "icache.enable", 0, 1, "MSR[ICE]", { 0 } },
		{ "microblaze", "dcache.size", 64, 65536, "cache size", { 0 } },
		{ "microblaze", "dcache.ways", 1, 1, "direct mapped", { 1 } },
		{ "microblaze", "icache.line", 4, 16, "words", { 4, 8, 16 } },
		{ "microblaze", "dtlb.entries", 1, 8, "shadow TLB", { 1, 2, 4, 8 } },
		{ "microblaze", "debug.counter_width", 32, 64, "bits", { 32, 48, 64 } },
		{ "microblaze", "bp.entries", 2, 2048, "branch target cache", { 0 } },
		{ "microblaze-area", "tlb.entries", 2, 128, "unified TLB", { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t few[PMK_CORE_FEW];
		struct pmk_core_key row;
		struct pmk_core core;
		unsigned n;

		load_preset(&core, rows[i].core);
		assert_non_null(pmk_core_key(&core, rows[i].key));
		row = *pmk_core_key(&core, rows[i].key);
		assert_int_equal(row.min, rows[i].min);
		assert_int_equal(row.max, rows[i].max);
		assert_non_null(strstr(row.text, rows[i].text));
		n = row.unit == 'b' ? 0 : pmk_core_few(&row, few);
		for (unsigned v = 0; v < n; v++)
			assert_int_equal(few[v], rows[i].few[v]);
		if (rows[i].few[0] || row.min == row.max)
			assert_true(n && !rows[i].few[n]);
		else
			assert_int_equal(n, 0);
	}
}

/*
 * For every core and parameter, the range that pmk shows is the range that the core accepts. A
 * value that contradicts another parameter is refused with a message without " takes ", which this
 * test ignores.
 */
static void range_tests(void **state)
{
	static const char *const cores[] = { "arm1136",		"arm1156",	   "arm1176",
					     "arm11mpcore",	"arm926",	   "armv8",
					     "cortex-a53",	"cortex-a72",	   "microblaze",
					     "microblaze-area", "microblaze-freq", "raspberrypi1",
					     "raspberrypi4" };
	unsigned accepted = 0, refused = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
		struct pmk_core preset;

		load_preset(&preset, cores[i]);
		for (const struct pmk_core_key *k = pmk_core_keys(&preset); k->key; k++) {
			struct pmk_core_key row = *k;
			const uint64_t tried[] = { row.min, row.max,	 row.min - 1, row.max + 1,
						   3,	    row.max / 2, 40,	      48 };

			if (row.unit == 'b' || pmk_core_words(k))
				continue;
			for (size_t t = 0; t < sizeof(tried) / sizeof(tried[0]); t++) {
				struct pmk_core core = preset;
				char text[24], msg[256] = "";
				bool ok;

				snprintf(text, sizeof(text), "%llu", (unsigned long long)tried[t]);
				ok = !pmk_core_set(&core, k->key, text, msg, sizeof(msg));
				if (ok)
					ok = !pmk_core_check(&core, msg, sizeof(msg)) ||
					     !strstr(msg, " takes ");
				if (ok != pmk_core_accepts(&row, tried[t]))
					fail_msg("%s: %s=%s: '%s'", cores[i], k->key, text, msg);
				accepted += ok;
				refused += !ok;
			}
		}
	}
	assert_true(accepted > 1000 && refused > 1000);
}

static void write_file(char *path, const void *data, size_t n)
{
	int fd;

	strcpy(path, "/tmp/pmk-config-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	close(fd);
}

#define CORE "[core]\nname=a\npmu=none\nqemu_cpu=b\nisa=arm\n"

static void file_tests(void **state)
{
	char longline[600] = CORE "[icache]\n";
	const struct {
		int line;
		const char *text;
		int err;
		const char *msg; /* the message without the path before it */
	} rows[] = {
		{ __LINE__, CORE "clock=1000000\n[icache]\nsize = 8K ; small\n", 0, "" },
		{ __LINE__, "# only a comment\n", PMK_EPARSE, ":1: [core] needs name" },
		{ __LINE__, "", PMK_EPARSE, ":1: [core] needs name" },
		{ __LINE__, CORE "[icache]\nsizes=8K\n", PMK_EPARSE,
		  ":7: no core parameter 'icache.sizes'; did you mean icache.size or " },
		{ __LINE__, CORE "[icache]\nsize=1\n", PMK_EPARSE,
		  ":7: icache.size takes a power of two" },
		{ __LINE__, CORE "[icache\nsize=8K\n", PMK_EPARSE,
		  ":6: this line is neither "
		  "[section]" },
		{ __LINE__, CORE "[icache]\nsize=8K\n[l2]\nenable=on\n", PMK_EPARSE,
		  ":9: l2.enable has no effect on cores with the instruction set arm" },
		{ __LINE__, "[issue]\nwidth=1\n[l2]\nsize=1M\nways=8\n[icache]\nsize=8K\n" CORE,
		  PMK_EPARSE,
		  ":2: issue.width has no effect on cores with the instruction set arm" },
		{ __LINE__, "[icache]\nsize=8K\n[l2]\nenable=on\nsize=1M\n" CORE, PMK_EPARSE,
		  ":4: l2.enable has no effect" },
		{ __LINE__, "[icache]\nsize=8K\n" CORE, 0, "" },
		{ __LINE__, CORE "rubbish\n[icache]\nsize=1\n", PMK_EPARSE,
		  ":6: this line is neither [section]" },
		{ __LINE__, CORE "[icache]\nsize=1\nrubbish\n", PMK_EPARSE,
		  ":7: icache.size takes" },
		{ __LINE__, "[core]\nname=a\npmu=none\nqemu_cpu=b\nisa=z80\n", PMK_EPARSE,
		  ":5: isa is arm, " },
		{ __LINE__, "name=a\n" CORE, PMK_EPARSE, ":1: a [section] must come first" },
		{ __LINE__, "[core]\nname=0123456789012345678901234567890123456789\n", PMK_EPARSE,
		  ":2: the text is too long" },
		{ __LINE__, longline, PMK_EPARSE,
		  ":7: the line is too long: 198 characters at most" },
		{ __LINE__, CORE "[icache]\n  size=8K\n  sizes=8K\n", PMK_EPARSE,
		  ":8: no core parameter 'icache.sizes'" },
	};

	(void)state;
	memset(longline + strlen(longline), 'x', 400);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core;
		char path[40], msg[512] = "", expect[512];
		int err;

		write_file(path, rows[i].text, strlen(rows[i].text));
		err = pmk_core_load(&core, path, msg, sizeof(msg));
		unlink(path);
		snprintf(expect, sizeof(expect), "%s%s", rows[i].err ? path : "", rows[i].msg);
		if (err != rows[i].err || strncmp(msg, expect, strlen(expect)) != 0)
			fail_msg("line %d: %d '%s'", rows[i].line, err, msg);
		if (i == 0) {
			assert_string_equal(core.name, "a");
			assert_string_equal(core.pmu, "none");
			assert_int_equal(core.clock_hz, 1000000);
			assert_int_equal(core.icache.size, 8192);
			assert_int_equal(core.dcache.size, 16384);
		}
	}
}

static void unreadable_tests(void **state)
{
	struct pmk_core core;
	char msg[256];

	(void)state;
	assert_int_equal(pmk_core_load(&core, "/does/not/exist.ini", msg, sizeof(msg)), PMK_EIO);
	assert_non_null(strstr(msg, "/does/not/exist.ini: "));
	assert_int_equal(pmk_core_load(&core, "/", msg, sizeof(msg)), PMK_EIO);
}

/* The installed presets have the numbers of the boards and manuals that their files name. */
static void preset_tests(void **state)
{
	static const struct {
		const char *name, *pmu, *cpu;
		uint64_t clock, icache, dcache;
		bool mmu, bp, rs;
	} rows[] = {
		{ "arm1136", "arm1136", "arm1136", 532000000, 16384, 16384, true, true, true },
		{ "arm1156", "arm1156", "cortex-a8", 400000000, 16384, 16384, false, true, true },
		{ "arm1176", "arm1176", "arm1176", 700000000, 16384, 16384, true, true, true },
		{ "arm11mpcore", "arm11mpcore", "arm11mpcore", 600000000, 32768, 32768, true, true,
		  true },
		{ "imx31", "arm1136", "arm1136", 532000000, 16384, 16384, true, true, true },
		{ "raspberrypi1", "arm1176", "arm1176", 700000000, 16384, 16384, true, true, true },
		{ "raspberrypizero", "arm1176", "arm1176", 1000000000, 16384, 16384, true, true,
		  true },
		{ "arm926", "ahbmon", "arm926", 210000000, 32768, 32768, true, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core;

		load_preset(&core, rows[i].name);
		assert_string_equal(core.name, rows[i].name);
		assert_string_equal(core.pmu, rows[i].pmu);
		assert_string_equal(core.qemu_cpu, rows[i].cpu);
		assert_string_equal(core.isa, "arm");
		assert_true(strlen(core.brief) > 0);
		assert_int_equal(core.clock_hz, rows[i].clock);
		assert_int_equal(core.icache.size, rows[i].icache);
		assert_int_equal(core.dcache.size, rows[i].dcache);
		assert_int_equal(core.mmu, rows[i].mmu);
		assert_int_equal(core.bp.on, rows[i].bp);
		assert_int_equal(core.rs.on, rows[i].rs);
	}
}

/* The presets of A64 cores can be loaded, and have the right instruction and data caches. */
static void a64_preset_tests(void **state)
{
	static const struct {
		const char *name;
		uint64_t icache, iways, dcache, dways, l2;
	} rows[] = {
		{ "armv8", 32768, 2, 32768, 4, 524288 },
		{ "cortex-a53", 32768, 2, 32768, 4, 524288 },
		{ "cortex-a72", 49152, 3, 32768, 2, 1048576 },
		{ "raspberrypi3", 32768, 2, 32768, 4, 524288 },
		{ "raspberrypi4", 49152, 3, 32768, 2, 1048576 },
		{ "raspberrypizero2", 32768, 2, 32768, 4, 524288 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core;

		load_preset(&core, rows[i].name);
		assert_string_equal(core.isa, "a64");
		assert_int_equal(core.icache.size, rows[i].icache);
		assert_int_equal(core.icache.ways, rows[i].iways);
		assert_int_equal(core.dcache.size, rows[i].dcache);
		assert_int_equal(core.dcache.ways, rows[i].dways);
		assert_int_equal(core.l2.size, rows[i].l2);
	}
}

/* Pseudo-random bytes that resemble a preset are refused or accepted, without a crash. */
static void rubbish_tests(void **state)
{
	static const char alphabet[] =
		"[]=;#:\n\n \tK0123456789abcdefinszecor.\\\"\xff\xef\xbb\xbf";
	uint32_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		char data[700], path[40], msg[64];
		struct pmk_core core;
		size_t n;

		seed = seed * 1664525 + 1013904223;
		n = (seed >> 16) % sizeof(data);
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			data[i] = round % 2 ? (char)(seed >> 24)
					    : alphabet[(seed >> 16) % sizeof(alphabet)];
		}
		write_file(path, data, n);
		assert_int_equal(pmk_core_load(&core, path, msg, sizeof(msg)), PMK_EPARSE);
		unlink(path);
	}
}

/*
 * A TCM has no memory, or has 4 KB to 1 MB and begins at a multiple of its size (DDI 0198D 2.3,
 * CP15 c9).
 */
static void tcm_tests(void **state)
{
	static const struct {
		int line;
		const char *itcm_base, *itcm_size, *dtcm_base, *dtcm_size, *msg;
	} rows[] = {
		{ __LINE__, "0", "0", "0", "0", "" },
		{ __LINE__, "0", "4K", "0x1000", "4K", "" },
		{ __LINE__, "0", "1M", "0x100000", "1M", "" },
		{ __LINE__, "0xfff00000", "1M", "0", "0", "" },
		{ __LINE__, "5", "0", "0", "4K", "" },
		{ __LINE__, "0", "2K", "0", "0", "itcm.size is 0 or a power of two from 4K to 1M" },
		{ __LINE__, "0", "12K", "0", "0",
		  "itcm.size is 0 or a power of two from 4K to 1M" },
		{ __LINE__, "0", "0", "0", "1", "dtcm.size is 0 or a power of two from 4K to 1M" },
		{ __LINE__, "0x1000", "8K", "0", "0", "itcm.base must be a multiple of itcm.size" },
		{ __LINE__, "0", "0", "4", "4K", "dtcm.base must be a multiple of dtcm.size" },
		{ __LINE__, "0", "8K", "0", "4K", "itcm and dtcm overlap" },
		{ __LINE__, "0x1000", "4K", "0", "8K", "itcm and dtcm overlap" },
		{ __LINE__, "0xfff00000", "1M", "0xfffff000", "4K", "itcm and dtcm overlap" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core;
		char msg[256] = "";

		load_preset(&core, "arm926");
		pmk_core_set(&core, "itcm.base", rows[i].itcm_base, msg, sizeof(msg));
		pmk_core_set(&core, "itcm.size", rows[i].itcm_size, msg, sizeof(msg));
		pmk_core_set(&core, "dtcm.base", rows[i].dtcm_base, msg, sizeof(msg));
		pmk_core_set(&core, "dtcm.size", rows[i].dtcm_size, msg, sizeof(msg));
		assert_string_equal(msg, "");
		if (pmk_core_check(&core, msg, sizeof(msg)) != (*rows[i].msg ? PMK_ERANGE : 0) ||
		    strcmp(msg, rows[i].msg) != 0)
			fail_msg("line %d: '%s'", rows[i].line, msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_tests),	    cmocka_unit_test(member_tests),
		cmocka_unit_test(table_tests),	    cmocka_unit_test(check_tests),
		cmocka_unit_test(file_tests),	    cmocka_unit_test(unreadable_tests),
		cmocka_unit_test(preset_tests),	    cmocka_unit_test(rubbish_tests),
		cmocka_unit_test(a64_preset_tests), cmocka_unit_test(isa_tests),
		cmocka_unit_test(ways_tests),	    cmocka_unit_test(variant_tests),
		cmocka_unit_test(range_tests),	    cmocka_unit_test(tcm_tests),
		cmocka_unit_test(part_tests),	    cmocka_unit_test(key_exists_tests),
		cmocka_unit_test(choose_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
