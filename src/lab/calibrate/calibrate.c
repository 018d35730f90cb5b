// SPDX-License-Identifier: MIT
/*
 * pmk calibrate: writes a preset with the caches, TLBs, latencies and branches of a processor,
 * derived from the time that kernels take on it. The kernels are in data/calibrate/kernels.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/count.h>

#include "base/file.h"
#include "lab/calibrate/fit.h"
#include "cli/cli.h"
#include "cli/counting.h"
#include "cli/show.h"
#include "count/command.h"

/* NO_CODE: exit code of the kernels' program if it cannot generate code. */
enum { MOST_SETTINGS = 64, MOST_KERNELS = 512, NO_CODE = 3 };

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

struct setting {
	const char *name, *value;
};

/* A kernel that was measured, to be compared with a run in emulation with the new preset. */
struct measured {
	struct calibrate_kernel kernel;
	double cycles;
};

struct calibrate {
	const char *event, *base, *name, *path;
	struct setting settings[MOST_SETTINGS];
	unsigned nsettings;
	bool elsewhere; /* the target is not an emulator, so the new preset cannot be tried there */
	char **program;
	struct measured measured[MOST_KERNELS];
	unsigned nmeasured;
};

#define AT(member) offsetof(struct calibrate, member)

static const struct cli_option options[] = {
	{ 'T', "target", "TARGET", "where to run the program, as for pmk stat; default: emulated" },
	{ 'e', "event", "EVENT", "the event that counts cycles there; default: cycles", CLI_TEXT,
	  AT(event) },
	{ 0, "core", "CORE", "the core to model" },
	{ 0, "set", "KEY=VALUE", "a parameter of that core; repeatable" },
	{ 0, "base", "CORE", "core to take all other parameters from; default: that of --core",
	  CLI_TEXT, AT(base) },
	{ 0, "name", "NAME", "name of the new preset; default: calibrated", CLI_TEXT, AT(name) },
	{ 'o', "output", "FILE", "write the preset to FILE; default: stdout", CLI_TEXT, AT(path) },
	CLI_ROWS_END,
};

/* ---- measuring ------------------------------------------------------------------------------- */

static int count_failed(struct pmk_count *count)
{
	int code = cli_count_failed(count);

	pmk_count_free(count);
	return code;
}

/*
 * Measures the cycles of one run of the program with this kernel. Returns 0, CAL_NO_CODE, or an
 * exit code after an error message.
 */
static int run_kernel(const struct setting *settings, unsigned n, const char *event, char **program,
		      const struct calibrate_kernel *kernel, unsigned times, uint64_t *cycles)
{
	char kind[24], stride[24], line[24], count[24], turns[24];
	char *argv[] = { program[0], kind, stride, line, count, turns, NULL };
	struct pmk_count *run = pmk_count_new_for_command();
	struct pmk_count_summary sum = { .size = sizeof(sum) };
	struct pmk_count_row row = { .size = sizeof(row) };

	snprintf(kind, sizeof(kind), "%s", calibrate_kind_name(kernel->kind));
	snprintf(stride, sizeof(stride), "%llu", (unsigned long long)kernel->stride);
	snprintf(line, sizeof(line), "%llu", (unsigned long long)kernel->line);
	snprintf(count, sizeof(count), "%llu", (unsigned long long)kernel->count);
	snprintf(turns, sizeof(turns), "%u", times);
	for (unsigned i = 0; i < n; i++)
		if (pmk_count_set(run, settings[i].name, settings[i].value))
			return count_failed(run);
	if (pmk_count_set(run, "event", event) || pmk_count_program(run, argv))
		return count_failed(run);
	if (pmk_count_run(run, NULL))
		return count_failed(run);
	pmk_count_get_summary(run, &sum);
	if (!pmk_count_get_row(run, 0, &row) || !row.has_value) {
		cli_fail(0, "%s: %s", event, row.reason ? row.reason : "it was not counted");
		pmk_count_free(run);
		return PMK_EXIT_FAILED;
	}
	*cycles = row.value;
	pmk_count_free(run);
	if (!sum.partial && sum.exit_code == NO_CODE && kernel->kind != CAL_RING)
		return CAL_NO_CODE;
	if (sum.partial || sum.exit_code)
		return cli_fail(PMK_EXIT_FAILED,
				"%s %s %s %s %s %s ends with exit code %d; it must be built from "
				"calibrate/kernels.c",
				program[0], kind, stride, line, count, turns, sum.exit_code);
	return 0;
}

/*
 * Measures a kernel with two numbers of repetitions, so that the difference has neither the start
 * of the program nor the time to build a ring or code.
 */
static int time_kernel(const struct setting *settings, unsigned n, const char *event,
		       char **program, struct measured *m)
{
	bool loads = m->kernel.kind == CAL_RING;
	unsigned few = loads ? 20000 : 500, many = loads ? 80000 : 2500;
	uint64_t less, more;
	int code = run_kernel(settings, n, event, program, &m->kernel, few, &less);

	if (!code)
		code = run_kernel(settings, n, event, program, &m->kernel, many, &more);
	if (!code)
		m->cycles = ((double)more - (double)less) / (many - few);
	return code;
}

static int measure_kernel(void *ctx, const struct calibrate_kernel *kernel, double *cycles)
{
	struct calibrate *c = ctx;
	struct measured *m = &c->measured[c->nmeasured];
	int code;

	for (unsigned i = 0; i < c->nmeasured; i++)
		if (!memcmp(&c->measured[i].kernel, kernel, sizeof(*kernel))) {
			*cycles = c->measured[i].cycles;
			return 0;
		}
	if (c->nmeasured == MOST_KERNELS)
		return cli_fail(PMK_EXIT_FAILED,
				"no parameters can be derived from the times of %d kernels",
				MOST_KERNELS);
	*m = (struct measured){ .kernel = *kernel };
	code = time_kernel(c->settings, c->nsettings, c->event, c->program, m);
	c->nmeasured += !code;
	*cycles = m->cycles;
	return code;
}

/* ---- the preset ------------------------------------------------------------------------------ */

/*
 * Returns the average time that a read in address order needs to open rows of SDRAM. The measured
 * latency includes this time. The size of rows comes from the base preset.
 */
static uint64_t row_share(const struct pmk_core *core, const struct calibrate_fit *fit)
{
	return core->sdram.row ? core->sdram.row_miss * fit->number[CAL_LINE] / core->sdram.row : 0;
}

/* True if the fit found a value for this parameter of the core. A missing level 2 cache has no
 * size. */
static bool is_found(const struct pmk_core *core, const struct calibrate_fit *fit,
		     enum calibrate_what what)
{
	return !fit->why[what] && (what != CAL_L2_SIZE || fit->number[what]) &&
	       pmk_core_key(core, calibrate_key(what));
}

/* Sets the parameters that were found. Returns 0 or an exit code. */
static int apply_fit(struct pmk_core *core, const struct calibrate_fit *fit)
{
	char msg[256], value[24];
	int err = 0;

	for (unsigned i = CAL_DCACHE_WAYS; i < CAL_NUMBERS && !err; i++) {
		if (!is_found(core, fit, i))
			continue;
		snprintf(value, sizeof(value), "%llu",
			 (unsigned long long)(fit->number[i] -
					      (i == CAL_MEM_LATENCY ? row_share(core, fit) : 0)));
		err = pmk_core_set(core, calibrate_key(i), value, msg, sizeof(msg));
	}
	if (!err && !fit->why[CAL_L2_SIZE]) {
		bool there = is_found(core, fit, CAL_L2_SIZE);

		if (pmk_core_can_have_l2(core))
			err = pmk_core_set(core, "l2.type", there ? "plain" : "none", msg,
					   sizeof(msg));
		else
			err = pmk_core_set(core, "l2.enable", there ? "on" : "off", msg,
					   sizeof(msg));
	}
	if (!err)
		err = pmk_core_check(core, msg, sizeof(msg));
	return err ? cli_fail(PMK_EXIT_FAILED, "the measurements do not fit any %s: %s", core->name,
			      msg)
		   : 0;
}

/* True if the value of the key comes from the fit. */
static bool is_measured(const struct pmk_core *core, const char *key,
			const struct calibrate_fit *fit)
{
	for (unsigned i = CAL_DCACHE_WAYS; i < CAL_NUMBERS; i++)
		if (!strcmp(key, calibrate_key(i)))
			return is_found(core, fit, i);
	return (!strcmp(key, "l2.type") || !strcmp(key, "l2.enable")) && !fit->why[CAL_L2_SIZE];
}

/*
 * Returns the length of the section in a key, such as "dcache" in "dcache.size"; keys without a dot
 * are in [core].
 */
static size_t section_of(const struct pmk_core_key *k)
{
	const char *dot = strchr(k->key, '.');

	return dot ? (size_t)(dot - k->key) : 0;
}

static bool same_section(const struct pmk_core_key *a, const struct pmk_core_key *b)
{
	return section_of(a) == section_of(b) && !strncmp(a->key, b->key, section_of(a));
}

/* Writes the section of the key `first`. */
static void write_section(FILE *f, const struct pmk_core *core, const struct pmk_core_key *first,
			  const struct calibrate_fit *fit)
{
	size_t n = section_of(first);
	char value[32];

	if (n)
		fprintf(f, "\n[%.*s]\n", (int)n, first->key);
	for (const struct pmk_core_key *k = first; k->key; k++) {
		if (!same_section(k, first))
			continue;
		show_key_text(value, sizeof(value), core, k);
		fprintf(f, "%s = %s%s\n", k->key + (n ? n + 1 : 0), value,
			is_measured(core, k->key, fit) ? " ; measured" : "");
	}
}

static void write_keys(FILE *f, const struct pmk_core *core, const struct calibrate_fit *fit,
		       const char *base)
{
	const struct pmk_core_key *keys = pmk_core_keys(core), *before;

	for (const struct pmk_core_key *k = keys; k->key; k++) {
		for (before = keys; before != k && !same_section(before, k);)
			before++;
		if (before == k)
			write_section(f, core, k, fit);
	}
	for (unsigned i = CAL_DCACHE_WAYS; i < CAL_NUMBERS; i++)
		if (fit->why[i] && pmk_core_key(core, calibrate_key(i)))
			fprintf(f, "# %s is that of %s: %s\n", calibrate_key(i), base, fit->why[i]);
}

static void write_preset(FILE *f, const struct calibrate *c, const struct pmk_core *core,
			 const struct calibrate_fit *fit)
{
	fprintf(f, "# Measured by pmk calibrate; all other parameters are those of %s.\n[core]\n",
		c->base);
	fprintf(f, "name = %s\npmu = %s\nqemu_cpu = %s\nisa = %s\nbrief = %s, calibrated\n",
		c->name, core->pmu, core->qemu_cpu, core->isa, core->brief);
	write_keys(f, core, fit, c->base);
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Prints the fitted numbers next to the numbers of the base preset. */
static void show_fit(const struct pmk_core *base, const struct calibrate_fit *fit)
{
	printf("  %-19s %10s %10s\n", "parameter", "measured", "base");
	printf("  %-19s %10.2f\n", "hit", fit->hit);
	if (!fit->why[CAL_LINE])
		printf("  %-19s %10llu\n", "line", (unsigned long long)fit->number[CAL_LINE]);
	for (unsigned i = CAL_DCACHE_WAYS; i < CAL_NUMBERS; i++) {
		const struct pmk_core_key *k = pmk_core_key(base, calibrate_key(i));
		char was[32] = "-";

		if (k)
			show_key_text(was, sizeof(was), base, k);
		if (fit->why[i])
			printf("  %-19s %10s %10s  %s\n", calibrate_key(i), "-", was, fit->why[i]);
		else
			printf("  %-19s %10llu %10s\n", calibrate_key(i),
			       (unsigned long long)fit->number[i], was);
	}
}

/* Measures the same kernels in emulation, with the new preset, and prints the differences. */
static int show_residuals(const struct calibrate *c, const char *preset)
{
	const struct setting core = { "core", preset };
	double worst = 0;

	printf("\n  %-32s %10s %10s %9s\n", "kernel", "measured", "preset", "residual");
	for (unsigned i = 0; i < c->nmeasured; i++) {
		struct measured m = c->measured[i];
		double off;
		int code = time_kernel(&core, 1, "cycles", c->program, &m);

		if (code)
			return code;
		off = m.cycles - c->measured[i].cycles;
		worst = off * off > worst * worst ? off : worst;
		if (off > 0.05 || off < -0.05)
			printf("  %-8s %10llu x %-10llu %10.2f %10.2f %+9.2f\n",
			       calibrate_kind_name(m.kernel.kind),
			       (unsigned long long)m.kernel.count,
			       (unsigned long long)m.kernel.stride, c->measured[i].cycles, m.cycles,
			       off);
	}
	printf("  %u kernels; the largest residual is %+.2f cycles a load or call\n", c->nmeasured,
	       worst);
	return 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int add_setting(void *request, const char *name, char *value)
{
	struct calibrate *c = request;

	if (c->nsettings == MOST_SETTINGS)
		return cli_fail(PMK_EXIT_USAGE, "more than %d settings were given; leave some out",
				MOST_SETTINGS);
	c->settings[c->nsettings++] = (struct setting){ name, value };
	c->elsewhere |= !strcmp(name, "target") && strcmp(value, "emu") != 0;
	if (!strcmp(name, "core") && !c->base)
		c->base = value;
	return 0;
}

static int parse_options(struct calibrate *c, int argc, char **argv)
{
	int code = cli_parse(&cmd_calibrate, c, argc, argv, &c->program);

	if (code)
		return code;
	if (strspn(c->name, NAME_LETTERS) != strlen(c->name) || !*c->name)
		return cli_fail(PMK_EXIT_USAGE,
				"--name %s: a name has only letters, digits, '-', '_' and '.'",
				c->name);
	if (!c->program[0])
		return cli_fail(PMK_EXIT_USAGE,
				"no program; give calibrate/kernels.c of %s, built for the "
				"processor to measure",
				cli_data_dir() ? cli_data_dir() : "pmk's data");
	if (c->program[1])
		return cli_fail(PMK_EXIT_USAGE,
				"%s: unexpected argument; pmk passes the "
				"program's arguments itself",
				c->program[1]);
	if (!c->base)
		return cli_fail(PMK_EXIT_USAGE,
				"no core; give --core CORE or, on a board, --base CORE, whose "
				"preset has the parameters that are not measured (pmk list cores)");
	return 0;
}

/* Measures, prints, and writes the preset to `f`. */
static int fit_preset(struct calibrate *c, const struct pmk_core *base, FILE *f)
{
	struct pmk_core core = *base;
	struct calibrate_fit fit;
	int code = calibrate_fit(measure_kernel, c, &fit);

	if (code)
		return code;
	if (fit.why[CAL_DCACHE_SIZE])
		return cli_fail(
			PMK_EXIT_FAILED,
			"no data cache was found; check that -e counts cycles, and that %s was "
			"built from calibrate/kernels.c",
			c->program[0]);
	show_fit(base, &fit);
	code = apply_fit(&core, &fit);
	if (code)
		return code;
	if (!c->path)
		putchar('\n');
	write_preset(f, c, &core, &fit);
	return 0;
}

/* Writes the preset to a new file, which gets its name only when it is complete. The file is
 * created before anything is measured, so that an invalid name is reported at once. */
static int fit_file(struct calibrate *c, const struct pmk_core *base)
{
	struct pmk_whole out;
	bool good;
	int code;

	if (!pmk_whole_open(&out, c->path))
		return cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s", c->path, strerror(errno));
	code = fit_preset(c, base, out.f);
	good = !code && !fflush(out.f) && !ferror(out.f);
	if ((!pmk_whole_close(&out, good) || !good) && !code)
		code = cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s", c->path, strerror(errno));
	return code;
}

/* Fails if the base preset has another instruction set, because such a preset has other
 * parameters. */
static int check_base(const struct calibrate *c, const struct pmk_core *base)
{
	struct pmk_core core;
	char msg[256];

	for (unsigned i = 0; i < c->nsettings; i++) {
		if (strcmp(c->settings[i].name, "core") != 0)
			continue;
		if (show_load_core(c->settings[i].value, &core, msg, sizeof(msg)))
			return cli_fail(PMK_EXIT_USAGE, "%s", msg);
		if (strcmp(core.isa, base->isa) != 0)
			return cli_fail(PMK_EXIT_USAGE,
					"core %s has the instruction set %s, but --base %s has %s; "
					"choose a --base with the same instruction set",
					core.name, core.isa, base->name, base->isa);
	}
	return 0;
}

static int run_calibration(struct calibrate *c)
{
	struct pmk_core base;
	char msg[256];
	int code;

	if (show_load_core(c->base, &base, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_USAGE, "%s", msg);
	code = check_base(c, &base);
	if (!code)
		code = c->path ? fit_file(c, &base) : fit_preset(c, &base, stdout);
	if (!code && c->path && !c->elsewhere)
		code = show_residuals(c, c->path);
	return code;
}

static int run_calibrate(int argc, char **argv)
{
	struct calibrate *c = calloc(1, sizeof(*c));
	int code;

	if (!c)
		return cli_no_memory();
	c->event = "cycles";
	c->name = "calibrated";
	code = parse_options(c, argc, argv);
	if (!code)
		code = run_calibration(c);
	free(c);
	return code;
}

const struct cli_command cmd_calibrate = {
	.name = "calibrate",
	.brief = "measure a processor and write a preset with its caches, latencies and branches",
	.usage = "[-T TARGET] [--core CORE] [--set KEY=VALUE]... [--base CORE]\n"
		 "                     [-o FILE] [--] PROGRAM",
	.options = options,
	.run = run_calibrate,
	.set = add_setting,
	.program = true,
};
