// SPDX-License-Identifier: MIT
/*
 * pmk run: run an emulator whose processors have pmk's model of a PMU. Firmware and kernels that
 * program their PMU see it count. Otherwise it is the same as pmk stat.
 */
#include <stddef.h>

#include "cli/cli.h"
#include "cli/counting.h"

static const struct cli_option options[] = {
	{ 'e', "event", "LIST", "count these in addition to what the program counts; repeatable" },
	{ 'M', "metrics", "LIST", "print these metrics; repeatable" },
	{ 0, "core", "CORE", "the core to model (pmk list cores); default: the board's" },
	{ 0, "pmu", "PMU", "the PMU of that core that the program sees" },
	{ 0, "set", "KEY=VALUE", "a parameter of the core; repeatable" },
	{ 0, "layout", "FILE", "register layout of the AHB Monitor" },
	{ 0, "at", "ADDRESS", "address of memory-mapped registers" },
	{ 0, "irq", "WHERE", "interrupt input of the PMU: TYPE[/NAME]:NUMBER" },
	{ 0, "log", "FILE", "log each access to the PMU to FILE; pmk decode --log explains it" },
	{ 0, "packets", "FILE", "write the AHB Monitor's output pins, AHBMONITOR, as VCD" },
	{ 'I', "interval", "N[UNIT]", "print counts every N emulated ms, cycles or insns" },
	{ 0, "timeout", "MS", "end the emulator after this many ms" },
	{ 'x', "field-separator", "SEP", "write CSV with this separator" },
	{ 'j', "json-output", NULL, "write JSON, one object per line, as perf does" },
	{ 0, "json-document", NULL, "write JSON: one document with everything that pmk knows" },
	{ 0, "html", "FILE", "also write an HTML page; with -I, with a chart over time" },
	{ 'o', "output", "FILE", "write to FILE instead of stderr" },
	{ 'v', "verbose", NULL, "print more about each number and the run" },
	{ 'h', "help", NULL, "show this help" },
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
};
