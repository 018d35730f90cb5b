// SPDX-License-Identifier: MIT
/*
 * pmk run: run an emulator whose processors have pmk's model of a PMU. Firmware and kernels that
 * program their PMU see it count. Otherwise it is the same as pmk stat.
 */
#include "cli/cli.h"
#include "cli/stat.h"

static const struct cli_option options[] = {
	{ 'e', "event", "LIST", "count these in addition to what the program counts; repeatable",
	  CLI_SETTING, CLI_STAT(event) },
	{ 'M', "metrics", "LIST", "print these metrics; repeatable", CLI_SETTING,
	  CLI_STAT(metrics) },
	{ 0, "core", "CORE", "the core to model (pmk list cores); default: the board's" },
	{ 0, "pmu", "PMU", "the PMU that the program sees, if the core has two" },
	{ 0, "set", "KEY=VALUE", "change a parameter of the core; repeatable" },
	{ 0, "layout", "FILE", "register layout of the AHB Monitor" },
	{ 0, "at", "ADDRESS", "address of memory-mapped registers" },
	{ 0, "irq", "WHERE", "interrupt input of the PMU: TYPE[/NAME]:NUMBER" },
	{ 0, "log", "FILE", "log each access to the PMU to FILE; pmk decode --log explains it" },
	{ 0, "packets", "FILE", "write the AHB Monitor's output pins, AHBMONITOR, as VCD" },
	{ 'I', "interval", "N[UNIT]", "print counts every N emulated ms, cycles or insns",
	  CLI_SETTING, CLI_STAT(interval) },
	{ 0, "timeout", "MS", "end the emulator after this many ms" },
	CLI_ROWS_STAT_OUTPUT,
	CLI_ROW_STAT_VERBOSE,
	CLI_ROW_HELP,
	{ 0, NULL, NULL, NULL },
};

static int run_run(int argc, char **argv)
{
	return cli_count(&cmd_run, argc, argv);
}

const struct cli_command cmd_run = {
	.name = "run",
	.brief = "run firmware or a kernel that programs its own PMU, in QEMU",
	.usage = "[-e LIST]... [--core CORE] [--irq WHERE] [--log FILE] -- QEMU-COMMAND",
	.options = options,
	.run = run_run,
	.set = cli_stat_set,
	.program = true,
};
