// SPDX-License-Identifier: MIT
/* Finds the core for QEMU's processors and boards: see board.h. */
#include "count/board.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct named {
	const char *name, *core;
};

/* QEMU's processors, and its boards with their default processor. QEMU's arm1136-r2 identifies
 * itself as r0p2. */
static const struct named processors[] = {
	{ "arm926", "arm926" },	  { "arm1136-r2", "arm1136r0" },    { "arm1136", "arm1136" },
	{ "arm1176", "arm1176" }, { "arm11mpcore", "arm11mpcore" }, { NULL, NULL },
};

static const struct named boards[] = {
	{ "raspi0", "arm1176" },
	{ "raspi1ap", "arm1176" },
	{ "versatileab", "arm926" },
	{ "versatilepb", "arm926" },
	{ "integratorcp", "arm926" },
	{ "realview-eb", "arm926" },
	{ "realview-eb-mpcore", "arm11mpcore" },
	{ NULL, NULL },
};

/* Processors and boards of ARMv7-A and of Cortex-M. */
static const struct named armv7[] = {
	{ "cortex-a7", "cortex-a7" },	{ "cortex-a8", "cortex-a8" },
	{ "cortex-a9", "cortex-a9" },	{ "cortex-a15", "cortex-a15" },
	{ "cortex-m0", "cortex-m0" },	{ "cortex-m3", "cortex-m3" },
	{ "cortex-m4", "cortex-m4" },	{ "cortex-m7", "cortex-m7" },
	{ "cortex-m33", "cortex-m33" }, { NULL, NULL },
};

static const struct named armv7_boards[] = {
	{ "raspi2b", "cortex-a7" },	    { "mcimx6ul-evk", "cortex-a7" },
	{ "mcimx7d-sabre", "cortex-a7" },   { "orangepi-pc", "cortex-a7" },
	{ "cubieboard", "cortex-a8" },	    { "realview-pb-a8", "cortex-a8" },
	{ "realview-pbx-a9", "cortex-a9" }, { "vexpress-a9", "cortex-a9" },
	{ "xilinx-zynq-a9", "cortex-a9" },  { "sabrelite", "cortex-a9" },
	{ "vexpress-a15", "cortex-a15" },   { "virt", "cortex-a15" },
	{ "microbit", "cortex-m0" },	    { "mps2-an385", "cortex-m3" },
	{ "mps2-an511", "cortex-m3" },	    { "lm3s811evb", "cortex-m3" },
	{ "lm3s6965evb", "cortex-m3" },	    { "stm32vldiscovery", "cortex-m3" },
	{ "netduino2", "cortex-m3" },	    { "mps2-an386", "cortex-m4" },
	{ "netduinoplus2", "cortex-m4" },   { "olimex-stm32-h405", "cortex-m4" },
	{ "b-l475e-iot01a", "cortex-m4" },  { "mps2-an500", "cortex-m7" },
	{ "mps2-an505", "cortex-m33" },	    { NULL, NULL },
};

/* Processors and boards that also execute 64-bit code. */
static const struct named processors_of_64_bits[] = {
	{ "cortex-a53", "cortex-a53" },
	{ "cortex-a72", "cortex-a72" },
	{ NULL, NULL },
};

static const struct named boards_of_64_bits[] = {
	{ "raspi3ap", "cortex-a53" },
	{ "raspi3b", "cortex-a53" },
	{ "raspi4b", "cortex-a72" },
	{ NULL, NULL },
};

/* Memory of boards, as QEMU 7.2 shows it with "info mtree". */
static const struct pmk_memory mps2[] = {
	{ 0, 0x007fffff },
	{ 0x01000000, 0x0100ffff },
	{ 0x20000000, 0x207fffff },
	{ 0x21000000, 0x21ffffff },
	{ 0, 0 },
};
static const struct pmk_memory mps2_m7[] = {
	{ 0, 0x007fffff },
	{ 0x20000000, 0x207fffff },
	{ 0x60000000, 0x60ffffff },
	{ 0, 0 },
};
static const struct pmk_memory mps2_m33[] = {
	{ 0, 0x003fffff },	    { 0x10000000, 0x103fffff },
	{ 0x20000000, 0x20007fff }, { 0x28000000, 0x283fffff },
	{ 0x30000000, 0x30007fff }, { 0x38000000, 0x383fffff },
	{ 0x80000000, 0x80ffffff }, { 0, 0 },
};
static const struct pmk_memory stm32f2[] = {
	{ 0, 0x000fffff },
	{ 0x08000000, 0x080fffff },
	{ 0x20000000, 0x2001ffff },
	{ 0, 0 },
};
static const struct pmk_memory stm32f4[] = {
	{ 0, 0x000fffff },
	{ 0x08000000, 0x080fffff },
	{ 0x20000000, 0x2002ffff },
	{ 0, 0 },
};

/* The boards on which pmk runs firmware if the user names no board, by QEMU's processor. The first
 * row of a processor is the default. Another row is used if the firmware is in its flash. */
/* clang-format off */
static const struct pmk_board firmware_boards[] = {
	{ "mps2-an385",    "cortex-m0",     0,          5, mps2 },
	{ "netduino2",     "cortex-m0",     0x08000000, 3, stm32f2 },
	{ "mps2-an385",    "cortex-m3",     0,          5, mps2 },
	{ "netduino2",     "cortex-m3",     0x08000000, 3, stm32f2 },
	{ "mps2-an386",    "cortex-m4",     0,          5, mps2 },
	{ "netduinoplus2", "cortex-m4",     0x08000000, 3, stm32f4 },
	{ "mps2-an500",    "cortex-m7",     0,          5, mps2_m7 },
	{ "mps2-an505",    "cortex-m33",    0x10000000, 5, mps2_m33 },
};
/* clang-format on */

const struct pmk_board *pmk_board_of_firmware(const char *cpu, uint64_t code_start)
{
	const struct pmk_board *found = NULL;

	for (size_t i = 0; i < sizeof(firmware_boards) / sizeof(firmware_boards[0]); i++) {
		const struct pmk_board *b = &firmware_boards[i];

		if (!strcmp(b->cpu, cpu) && (!found || code_start >> 24 == b->flash >> 24))
			found = b;
	}
	return found;
}

/* Returns the value of an option that has two names and takes one dash or two. The last occurrence
 * counts, as in QEMU. */
static const char *value_of(char *const *argv, const char *name, const char *other)
{
	const char *value = NULL;

	for (; *argv; argv++) {
		const char *word = *argv + (**argv == '-') + !strncmp(*argv, "--", 2);

		if (word != *argv && (!strcmp(word, name) || !strcmp(word, other)))
			value = argv[1];
	}
	return value;
}

/* True if the value of -M names the board: "raspi0", "raspi0,usb=off" or "usb=off,type=raspi0". */
static bool names_board(const char *value, const char *name)
{
	const char *type = strstr(value, "type=");
	size_t n = strlen(name);

	if (type)
		value = type + strlen("type=");
	return !strncmp(value, name, n) && (!value[n] || value[n] == ',');
}

unsigned pmk_board_shift(char *const *argv)
{
	const char *value = value_of(argv, "M", "machine");
	unsigned shift = firmware_boards[0].shift;

	for (size_t i = 0; value && i < sizeof(firmware_boards) / sizeof(firmware_boards[0]); i++)
		if (names_board(value, firmware_boards[i].name))
			shift = firmware_boards[i].shift;
	return shift;
}

static const char *find_board(const struct named *n, const char *value)
{
	while (value && n->name && !names_board(value, n->name))
		n++;
	return value ? n->core : NULL;
}

static const char *core_of(char *const *argv, const struct named *of_cpu,
			   const struct named *of_board)
{
	const char *cpu = value_of(argv, "cpu", "cpu");

	return cpu ? find_board(of_cpu, cpu) : find_board(of_board, value_of(argv, "M", "machine"));
}

const char *pmk_board_armv7(char *const *argv)
{
	return core_of(argv, armv7, armv7_boards);
}

const char *pmk_board_of_32_bits(char *const *argv)
{
	const char *core = core_of(argv, processors, boards);

	return core ? core : pmk_board_armv7(argv);
}

const char *pmk_board_core(char *const *argv)
{
	const char *core = pmk_board_of_32_bits(argv);

	return core ? core : core_of(argv, processors_of_64_bits, boards_of_64_bits);
}
