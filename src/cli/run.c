// SPDX-License-Identifier: MIT
/*
 * pmk run: run an emulator, whose processors have our model of a PMU. Firmware and kernels that
 * program their PMU see it count. Beside that it is pmk stat.
 */
#include <stddef.h>

#include "cli/cli.h"
#include "cli/counting.h"

static const struct cli_option options[] = {
	{ 'e', "event", "LIST", "count these, too, beside what the program counts; repeatable" },
	{ 'M', "metrics", "LIST", "the same for metrics" },
	{ 0, "core", "CORE", "the processor (pmk list cores); without it, what the board has" },
	{ 0, "pmu", "PMU", "which PMU of it the program sees" },
	{ 0, "set", "KEY=VALUE", "a parameter of the core; repeatable" },
	{ 0, "layout", "FILE", "where the AHB Monitor has its registers" },
	{ 0, "at", "ADDRESS", "where registers in memory are" },
	{ 0, "irq", "WHERE", "where the PMU's interrupt goes: TYPE[/NAME]:NUMBER" },
	{ 0, "log", "FILE", "write each access to the PMU to FILE; pmk decode --log explains it" },
	{ 0, "packets", "FILE", "write what the AHB Monitor's pins show, AHBMONITOR, as VCD" },
	{ 'I', "interval", "N[UNIT]", "print counts every N emulated ms, cycles or insns" },
	{ 0, "timeout", "MS", "end the emulator after so many ms" },
	{ 'x', "field-separator", "SEP", "write CSV with this separator" },
	{ 'j', "json-output", NULL, "write JSON, an object for each line, as perf does" },
	{ 0, "json-document", NULL, "write JSON, all that is known as one document" },
	{ 0, "html", "FILE", "write a page for a browser, too; with -I, lines over time" },
	{ 'o', "output", "FILE", "write to FILE instead of stderr" },
	{ 'v', "verbose", NULL, "more about every number and about the run" },
	{ 'h', "help", NULL, "show this help" },
	{ 0, NULL, NULL, NULL },
};

static int run_run(int argc, char **argv)
{
	return cli_count(&cmd_run, argc, argv);
}

const struct cli_command cmd_run = {
	.name = "run",
	.brief = "run firmware or a kernel that programs its PMU, in QEMU",
	.usage = "[-e LIST]... [--core CORE] [--irq WHERE] [--log FILE] -- QEMU-COMMAND",
	.options = options,
	.run = run_run,
};
