// SPDX-License-Identifier: MIT
/*
 * Layout files of the AHB Monitor. The project's file equals the table that is compiled in. Another
 * file's layout reaches the driver, the model and the packets. Each error in a file gets one clear
 * line with file and line number.
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

#include <pmk/ahbmon_model.h>
#include <pmk/error.h>
#include <pmk/model.h>

#include "pmu/ahbmon/layout.h"

#define PROJECTS PMK_SOURCE_DATA "/layouts/sp816.ini"

static struct pmk_ahbmon_layout_file file;
static char msg[400], path[40];

/*
 * Loads a copy of the project's file in which the line that begins with `from` is replaced by `to`
 * (NULL: none), and `more` is appended.
 */
static int load_with(const char *from, const char *to, const char *more)
{
	FILE *in = fopen(PROJECTS, "r"), *out;
	char line[256];
	bool found = !from;
	int fd, err;

	assert_non_null(in);
	strcpy(path, "/tmp/pmk-test-layout-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	out = fdopen(fd, "w");
	while (fgets(line, sizeof(line), in)) {
		bool is = from && !found && strncmp(line, from, strlen(from)) == 0;

		found |= is;
		fputs(is ? to : line, out);
		if (is && *to)
			fputc('\n', out);
	}
	fputs(more, out);
	fclose(out);
	fclose(in);
	if (!found)
		fail_msg("there is no line '%s'", from);
	msg[0] = '\0';
	err = pmk_ahbmon_layout_load(&file, path, msg, sizeof(msg));
	unlink(path);
	return err;
}

static void good_with(const char *from, const char *to, const char *more)
{
	struct pmk_ahbmon_packets packets;

	if (load_with(from, to, more))
		fail_msg("%s", msg);
	assert_int_equal(pmk_ahbmon_layout_check(&file.layout), 0);
	assert_int_equal(pmk_ahbmon_packets_init(&packets, &file.packet), 0);
}

static void test_the_projects(void **state)
{
	struct pmk_ahbmon_packet_params none;

	(void)state;
	assert_int_equal(pmk_ahbmon_layout_load(&file, PROJECTS, msg, sizeof(msg)), 0);
	assert_string_equal(file.name, "sp816");
	assert_memory_equal(&file.layout, &pmk_ahbmon_sp816, sizeof(file.layout));
	/* The loader invents no codes. */
	pmk_ahbmon_packet_defaults(&none);
	assert_memory_equal(file.packet.layer, none.layer, sizeof(none.layer));
	assert_int_equal(file.packet.after_retry, PMK_AHBMON_S_I);
}

static void test_values(void **state)
{
	(void)state;
	good_with("name", "name = mine", "");
	assert_string_equal(file.name, "mine");
	good_with("provenance", "provenance = manual", "");
	assert_int_equal(file.layout.provenance, PMK_AHBMON_FROM_MANUAL);
	good_with("base", "base = 0x80000000", "");
	assert_int_equal(file.layout.base, 0x80000000);
	good_with("enable", "enable = 31", "");
	assert_int_equal(file.layout.enable, 0x80000000);
	good_with("castout4_aligned", "castout4_aligned = none", "");
	assert_int_equal(file.layout.castout4_aligned, 0);
	good_with("castout4_aligned", "", "");
	assert_int_equal(file.layout.castout4_aligned, 0);
	good_with("width", "width = 8", "");
	assert_int_equal(file.layout.threshold, 0xff);
	good_with("CtArmiRd ", "ctarmird = 0xFFFC", "");
	assert_int_equal(file.layout.offset[0], 0xfffc);
	good_with("CtTotalCyclesNonDebug", "CtTotalCyclesNonDebug = 800", "");
	assert_int_equal(file.layout.offset[90], 800);
	good_with("WaitThresholdGxiWrA", "WaitThresholdGxiWrA = none", "");
	assert_int_equal(file.layout.offset[103], 0xffff);
	good_with("WaitThresholdArmi", "", "");
	assert_int_equal(file.layout.offset[95], 0xffff);
}

static void test_codes(void **state)
{
	(void)state;
	good_with("after_retry", "after_retry = rn",
		  "[packet ARMD]\nS_SINGLE = 63\nnr15 = 0x3e\nNW7 = 1\n");
	assert_int_equal(file.packet.after_retry, PMK_AHBMON_S_RN);
	assert_int_equal(file.packet.layer[5].seq[0], 63);
	assert_int_equal(file.packet.layer[5].read[15], 62);
	assert_int_equal(file.packet.layer[5].write[7], 1);
	assert_int_equal(file.packet.layer[5].write[6], PMK_AHBMON_NO_CODE);
	assert_int_equal(file.packet.layer[4].write[7], PMK_AHBMON_NO_CODE);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *from, *to, *more, *why;
		unsigned line; /* 0: the line of `to` */
	} rows[] = {
		{ "name", "name =", "", "name: 1 to 31 characters", 15 },
		{ "name", "name = 12345678901234567890123456789012", "", "name: 1 to 31", 15 },
		{ "name", "nam = x", "", "there is no [layout] 'nam'; did you mean name?", 15 },
		{ "provenance", "provenance = arm", "", "must be 'project' or 'manual'", 16 },
		{ "base", "base = 0x101D000", "", "the window must be aligned to 64 KB", 17 },
		{ "base", "base = 0x1000D0000", "", "base: 0x1000D0000 is more than 0xffffffff",
		  17 },
		{ "base", "base = there", "", "base: 'there' is not a number", 17 },
		{ "base", "base = -1", "", "base: '-1' is not a number", 17 },
		{ "[layout]", "[layuot]", "", "no section [layuot]; the sections are [layout]",
		  15 },
		{ "enable", "enable = 32", "", "enable: 32 is more than 0x1f", 21 },
		{ "track_dbgack", "track_dbgack = 0", "",
		  "'enable' in line 21 already uses this bit", 22 },
		{ "castout4_aligned", "castout4_aligned = 1", "",
		  "'enable' or 'track_dbgack' already uses this bit", 23 },
		{ "width", "width = 0", "", "width: a threshold must have at least 1 bit", 27 },
		{ "width", "width = 33", "", "width: 33 is more than 0x20", 27 },
		{ "CtArmiRd ", "CtArmiRed = 0", "",
		  "no register 'CtArmiRed'; did you mean CtArmiRd", 32 },
		{ "CtArmiRd ", "CtArmiRd = 2", "",
		  "registers are words, and 2 is not a multiple of 4", 32 },
		{ "CtArmiRd ", "CtArmiRd = 0x10000", "", "0x10000 is more than 0xfffc", 32 },
		{ "CtArmiRd ", "CtArmiRd = none", "", "CtArmiRd: 'none' is not a number", 32 },
		{ "CtArmiBurstSingle", "CtArmiBurstSingle = 0", "",
		  "offset 0 is already used by CtArmiRd in line 32", 33 },
		{ "CtArmiBurstSingle", "CtArmiRd = 4", "", "CtArmiRd is given twice: line 32", 33 },
		{ "after_retry", "after_retry = S_INCR4", "", "must be I, B, EN, RN, WS, WB or WA",
		  0 },
		{ "after_retry", "I = 4", "", "[packet] can have only after_retry; write codes in",
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char want[60];

		assert_int_equal(load_with(rows[i].from, rows[i].to, rows[i].more), PMK_EPARSE);
		if (!strstr(msg, rows[i].why))
			fail_msg("'%s' instead of '%s': %s", rows[i].to, rows[i].from, msg);
		snprintf(want, sizeof(want), "%s:%u: ", path, rows[i].line);
		if (rows[i].line && strncmp(msg, want, strlen(want)) != 0)
			fail_msg("%s: want %s", msg, want);
		assert_null(strchr(msg, '\n'));
	}
}

/* For a missing key, the message names the end of the file. */
static void test_missing(void **state)
{
	static const struct {
		const char *line, *why;
	} rows[] = {
		{ "name", "[layout] has no name" },
		{ "provenance", "[layout] has no provenance" },
		{ "base", "[layout] has no base" },
		{ "enable", "[control] has no enable" },
		{ "track_dbgack", "[control] has no track_dbgack" },
		{ "width", "[threshold] has no width" },
		{ "CtArmdCastOut8", "[offset] has no CtArmdCastOut8" },
		{ "AHBMONCtrlReg", "[offset] has no AHBMONCtrlReg" },
		{ "GxiPageSize", "[offset] has no GxiPageSize" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(load_with(rows[i].line, "", ""), PMK_EPARSE);
		if (!strstr(msg, rows[i].why))
			fail_msg("%s", msg);
	}
}

static void test_wrong_codes(void **state)
{
	static const struct {
		const char *more, *why;
	} rows[] = {
		{ "[packet arm]\nI = 0\n", "there is no layer 'arm'; the layers are armi" },
		{ "[packet armd]\nNR16 = 0\n", "there is no state 'NR16'; the states are I, B" },
		{ "[packet armd]\nS_INCR5 = 0\n", "there is no state 'S_INCR5'" },
		{ "[packet armd]\n? = 0\n", "there is no state '?'" },
		{ "[packet armd]\nNR = 0\n", "there is no state 'NR'" },
		{ "[packet armd]\nNR1 = 64\n", "NR1: 64 is more than 0x3f" },
		{ "[packet armi]\nNR1 = 16\n", "NR1: 16 is more than 0xf" },
		{ "[packet dma0]\nNR1 = 32\n", "NR1: 32 is more than 0x1f" },
		{ "[packet armd]\nNR1 = 3\nNR2 = 3\n", "NR2: code 3 is already used by NR1 in "
						       "line" },
		{ "[packet armd]\nNR1 = 3\nNR1 = 4\n", "NR1 is given twice: line" },
		{ "[packet armd]\nI = 3\n", "I is given twice: line" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(load_with(NULL, "", rows[i].more), PMK_EPARSE);
		if (!strstr(msg, rows[i].why))
			fail_msg("%s: %s", rows[i].more, msg);
	}
	assert_int_equal(pmk_ahbmon_layout_load(&file, "/nowhere.ini", msg, sizeof(msg)), PMK_EIO);
	assert_string_equal(msg, "/nowhere.ini: No such file or directory");
}

/* Driver and model agree on one file: enable in bit 9, thresholds of 8 bits, another base. */
static void test_driver_and_model(void **state)
{
	static struct pmk_bus bus[PMK_AHBMON_NBUSES];
	static struct pmk_ahbmon_model model;
	struct pmk_pmu pmu = pmk_ahbmon;
	struct pmk_model_port to_model = { .model = &model, .bus = bus };
	struct pmk_dev dev = { .pmu = &pmu };
	struct pmk_ahbmon_config config = { .page = PMK_AHBMON_PAGE_8K, .threshold = { 255 } };
	unsigned agree = 0;
	uint64_t v = 0;

	(void)state;
	good_with("enable", "enable = 9", "");
	file.layout.base = 0x20000000;
	file.layout.threshold = 0xff;
	pmu.family = &file.layout;
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&bus[i]);
	to_model.ops = pmk_model_find(&pmu);
	to_model.ops->reset(&model, bus, &pmu);
	dev.port = pmk_port_model(&to_model);
	assert_int_equal(pmk_ahbmon_probe(&dev, 0x20000000, &agree), 0);
	assert_int_equal(agree, 90);
	assert_int_equal(pmk_ahbmon_configure(&dev, &config), 0);
	config.threshold[0] = 256;
	assert_int_equal(pmk_ahbmon_configure(&dev, &config), PMK_ERANGE);
	assert_int_equal(pmk_ahbmon.driver->start(&dev), 0);
	assert_int_equal(dev.port.read(dev.port.ctx, 91, &v), 0);
	assert_int_equal(v, 0x200);
	pmk_bus_add(&bus[0], PMK_SIG_CYCLE, 7);
	assert_int_equal(pmk_ahbmon.driver->read(&dev, 89, &v), 0);
	assert_int_equal(v, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_projects),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_wrong_codes),
		cmocka_unit_test(test_driver_and_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
