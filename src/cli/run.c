// SPDX-License-Identifier: MIT
/*
 * pmk run: run an emulator whose processors have pmk's model of a PMU. Firmware and kernels that
 * program their PMU see it count. Otherwise it is the same as pmk stat.
 */
#include "cli/cli.h"
#include "cli/stat.h"

static const struct cli_option options[] = {
	{ 'e', "event", "LIST", "count these in addition to what the program counts; repeatable",
	  CLI_CALL, 0, cli_stat_event },
	{ 'M', "metrics", "LIST", "print these metrics; repeatable", CLI_CALL, 0,
	  cli_stat_metrics },
	{ 0, "core", "CORE", "the core to model (pmk list cores); default: the board's" },
	{ 0, "pmu", "PMU", "the PMU that the program sees, if the core has two" },
	{ 0, "set", "KEY=VALUE", "change a parameter of the core; repeatable" },
	{ 0, "layout", "FILE", "register layout of the AHB Monitor" },
	{ 0, "at", "ADDRESS", "address of memory-mapped registers" },
	{ 0, "irq", "WHERE", "interrupt input of the PMU: TYPE[/NAME]:NUMBER" },
	{ 0, "log", "FILE", "log each access to the PMU to FILE; pmk decode --log explains it" },
	{ 0, "packets", "FILE", "write the AHB Monitor's output pins, AHBMONITOR, as VCD" },
	{ 'I', "interval", "N[UNIT]", "print counts every N emulated ms, cycles or insns", CLI_CALL,
	  0, cli_stat_interval },
	{ 0, "timeout", "MS", "end the emulator after this many ms" },
	{ 'x', "field-separator", "SEP", "write CSV with this separator", CLI_SEPARATOR,
	  CLI_STAT(o.separator) },
	{ 'j', "json-output", NULL, "write JSON, one object per line, as perf does", CLI_ON,
	  CLI_STAT(o.json_lines) },
	{ 0, "json-document", NULL, "write JSON: one document with everything that pmk knows",
	  CLI_ON, CLI_STAT(o.json) },
	{ 0, "html", "FILE", "also write an HTML page; with -I, with a chart over time", CLI_TEXT,
	  CLI_STAT(html) },
	{ 'o', "output", "FILE", "write to FILE instead of stderr", CLI_TEXT, CLI_STAT(o.path) },
	{ 'v', "verbose", NULL, "print more about each number and the run", CLI_ON,
	  CLI_STAT(o.verbose) },
	{ 'h', "help", NULL, "show this help", CLI_HELP },
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
