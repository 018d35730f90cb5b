// SPDX-License-Identifier: MIT
/*
 * Core presets: keys from text, files, the final check, the presets we ship, and rubbish.
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

#include "cpu/config.h"

static void set_tests(void **state)
{
	static const struct {
		int line;
		const char *key, *value;
		int err;
		uint64_t expect;
		const char *msg; /* part of it */
	} rows[] = {
		{ __LINE__, "icache.size", "16384", 0, 16384, "" },
		{ __LINE__, "icache.size", "64K", 0, 65536, "" },
		{ __LINE__, "icache.size", "64k", 0, 65536, "" },
		{ __LINE__, "icache.size", "0x4000", 0, 16384, "" },
		{ __LINE__, "icache.size", "1M", PMK_ERANGE, 0, "from 1024 to 131072" },
		{ __LINE__, "icache.size", "512", PMK_ERANGE, 0, "from 1024 to 131072" },
		{ __LINE__, "icache.size", "16KB", PMK_EPARSE, 0, "not '16KB'" },
		{ __LINE__, "icache.size", "-16", PMK_EPARSE, 0, "such as 16K" },
		{ __LINE__, "icache.size", " 16K", PMK_EPARSE, 0, "icache.size" },
		{ __LINE__, "icache.size", "", PMK_EPARSE, 0, "icache.size" },
		{ __LINE__, "icache.size", "18446744073709551615K", PMK_ERANGE, 0, "icache.size" },
		{ __LINE__, "icache.size", "99999999999999999999", PMK_ERANGE, 0, "icache.size" },
		{ __LINE__, "icache.ways", "4K", PMK_EPARSE, 0, "a number from 1 to 16" },
		{ __LINE__, "icache.ways", "010", 0, 10, "" },
		{ __LINE__, "clock", "10000000000", 0, UINT64_C(10000000000), "" },
		{ __LINE__, "mmu.enable", "on", 0, 1, "" },
		{ __LINE__, "mmu.enable", "off", 0, 0, "" },
		{ __LINE__, "mmu.enable", "no", 0, 0, "" },
		{ __LINE__, "mmu.enable", "true", 0, 1, "" },
		{ __LINE__, "mmu.enable", "2", PMK_EPARSE, 0, "on or off, not '2'" },
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
		if (err) { /* nothing has changed */
			assert_memory_equal(&core, &before, sizeof(core));
			continue;
		}
		for (const struct pmk_core_key *k = pmk_core_keys; k->key; k++) {
			const uint64_t *v =
				(const uint64_t *)(const void *)((char *)&core + k->offset);

			if (strcmp(k->key, rows[i].key) == 0 && *v != rows[i].expect)
				fail_msg("line %d: %llu", rows[i].line, (unsigned long long)*v);
		}
	}
}

/* Members and rows belong together: the offsets are right. */
static void member_tests(void **state)
{
	struct pmk_core core;
	char msg[256];

	(void)state;
	pmk_core_defaults(&core);
	assert_int_equal(core.icache_size, 16384);
	assert_int_equal(core.dcache_ways, 4);
	assert_int_equal(core.walk_penalty, 93);
	assert_int_equal(core.rs_entries, 3);
	assert_int_equal(core.clock_hz, 700000000);
	assert_int_equal(pmk_core_set(&core, "dcache.size", "8K", msg, sizeof(msg)), 0);
	assert_int_equal(pmk_core_set(&core, "fetch.flush_stall", "7", msg, sizeof(msg)), 0);
	assert_int_equal(core.dcache_size, 8192);
	assert_int_equal(core.icache_size, 16384);
	assert_int_equal(core.flush_stall, 7);
}

static void table_tests(void **state)
{
	struct pmk_core core;
	char msg[256];

	(void)state;
	for (const struct pmk_core_key *k = pmk_core_keys; k->key; k++) {
		assert_true(k->min <= k->initial && k->initial <= k->max);
		assert_non_null(strchr("nsb", k->unit));
		assert_true(strlen(k->text) > 0);
		for (const struct pmk_core_key *other = k + 1; other->key; other++) {
			assert_string_not_equal(k->key, other->key);
			assert_int_not_equal(k->offset, other->offset);
		}
	}
	pmk_core_defaults(&core);
	assert_int_equal(pmk_core_check(&core, msg, sizeof(msg)), 0);
}

static void check_tests(void **state)
{
	static const struct {
		int line;
		const char *key, *value, *msg;
	} rows[] = {
		{ __LINE__, "icache.size", "3000", "icache.size and icache.ways" },
		{ __LINE__, "dcache.ways", "3", "dcache.size and dcache.ways" },
		{ __LINE__, "tlb.entries", "63", "tlb.entries / tlb.ways" },
		{ __LINE__, "tlb.entries", "24", "tlb.entries / tlb.ways" },
		{ __LINE__, "bp.entries", "100", "bp.entries" },
		{ __LINE__, "branch.min", "8", "branch.min is more than branch.max" },
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
		const char *msg; /* follows the path */
	} rows[] = {
		{ __LINE__, CORE "clock=1000000\n[icache]\nsize = 8K ; small\n", 0, "" },
		{ __LINE__, "# only a comment\n", PMK_EPARSE, ":1: [core] has to say name" },
		{ __LINE__, "", PMK_EPARSE, ":0: [core] has to say name" },
		{ __LINE__, CORE "[icache]\nsizes=8K\n", PMK_EPARSE,
		  ":7: no core parameter 'icache.sizes'; did you mean icache.size or " },
		{ __LINE__, CORE "[icache]\nsize=1\n", PMK_EPARSE, ":7: icache.size takes a size" },
		{ __LINE__, CORE "[icache\nsize=8K\n", PMK_EPARSE, ":6: neither [section]" },
		{ __LINE__, CORE "rubbish\n[icache]\nsize=1\n", PMK_EPARSE,
		  ":6: neither [section]" },
		{ __LINE__, CORE "[icache]\nsize=1\nrubbish\n", PMK_EPARSE,
		  ":7: icache.size takes" },
		{ __LINE__, "name=a\n" CORE, PMK_EPARSE, ":1: a [section] has to come first" },
		{ __LINE__, "[core]\nname=0123456789012345678901234567890123456789\n", PMK_EPARSE,
		  ":2: the text is too long" },
		{ __LINE__, longline, PMK_EPARSE, ":7: the line is too long" },
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
			assert_int_equal(core.icache_size, 8192);
			assert_int_equal(core.dcache_size, 16384);
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

/* The presets we ship; the numbers are those of the boards and manuals named in the files. */
static void preset_tests(void **state)
{
	static const struct {
		const char *name, *pmu, *cpu;
		uint64_t clock, icache, dcache;
		bool mmu, bp, rs;
	} rows[] = {
		{ "arm1136", "arm1136", "arm1136", 532000000, 16384, 16384, true, true, true },
		{ "arm1156", "arm1156", "arm1176", 400000000, 16384, 16384, false, true, true },
		{ "arm1176", "arm1176", "arm1176", 700000000, 16384, 16384, true, true, true },
		{ "arm11mpcore", "arm11mpcore", "arm11mpcore", 600000000, 32768, 32768, true, true,
		  true },
		{ "arm926", "none", "arm926", 200000000, 32768, 32768, true, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_core core;
		char path[1024], msg[512] = "";

		snprintf(path, sizeof(path), "%s/cores/%s.ini", PMK_SOURCE_DATA, rows[i].name);
		if (pmk_core_load(&core, path, msg, sizeof(msg)) ||
		    pmk_core_check(&core, msg, sizeof(msg)))
			fail_msg("%s", msg);
		assert_string_equal(core.name, rows[i].name);
		assert_string_equal(core.pmu, rows[i].pmu);
		assert_string_equal(core.qemu_cpu, rows[i].cpu);
		assert_string_equal(core.isa, "arm");
		assert_true(strlen(core.brief) > 0);
		assert_int_equal(core.clock_hz, rows[i].clock);
		assert_int_equal(core.icache_size, rows[i].icache);
		assert_int_equal(core.dcache_size, rows[i].dcache);
		assert_int_equal(core.mmu, rows[i].mmu);
		assert_int_equal(core.bp_on, rows[i].bp);
		assert_int_equal(core.rs_on, rows[i].rs);
	}
}

/* Bytes that look a little like a preset, always the same ones. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_tests),	cmocka_unit_test(member_tests),
		cmocka_unit_test(table_tests),	cmocka_unit_test(check_tests),
		cmocka_unit_test(file_tests),	cmocka_unit_test(unreadable_tests),
		cmocka_unit_test(preset_tests), cmocka_unit_test(rubbish_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
