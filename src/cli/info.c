// SPDX-License-Identifier: MIT
/*
 * pmk info NAME: all that is known of an event, a metric, a register, a PMU, a core or a parameter
 * of cores. A name may be several of these, as arm1176 is a PMU and a core; all are shown. Without
 * --pmu all PMUs are searched, the ARM1176 first; a code is an event of the PMU of --pmu. If PMUs
 * of a family share an event or a register, the first one is shown. A file is a core of
 * the user, as with pmk stat --core.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/arm11.h>
#include <pmk/bits.h>
#include <pmk/evntbus.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "count/events.h"
#include "count/files.h"
#include "cpu/config.h"

#define INDENT "    "
#define WIDTH  90

static const struct cli_option options[] = {
	{ 0, "pmu", "PMU", "ask this PMU only" },
	{ 'h', "help", NULL, "show this help" },
	{ 0, NULL, NULL, NULL },
};

static void title(const char *name, const char *text)
{
	printf("%s%s%s  %s\n\n", show_bold(), name, show_plain(), text);
}

static void fact(const char *name, const char *text)
{
	char first[32];

	snprintf(first, sizeof(first), INDENT "%-12s ", name);
	if (text && *text)
		show_wrapped(text, first, INDENT "             ", WIDTH);
}

/* ---- events --------------------------------------------------------------------------------- */

/* The bits of EVNTBUS that the event drives on this PMU: those that are set by one occurrence in a
 * cycle, and by two. */
static uint32_t evntbus_bits(const struct pmk_pmu *pmu, const struct pmk_event *ev)
{
	uint8_t count[PMK_ARM11_EVNTBUS_CODES] = { 0 };
	uint32_t bits = 0;

	if (ev->code >= PMK_ARM11_EVNTBUS_CODES)
		return 0;
	for (uint8_t n = 1; n <= 2; n++) {
		count[ev->code] = n;
		bits |= pmk_arm11_evntbus(pmu, true, count);
	}
	return bits;
}

static void bits_text(char *buf, size_t size, uint64_t mask)
{
	unsigned hi = 63, lo = 0;

	while (hi && !(mask >> hi & 1))
		hi--;
	while (lo < hi && !(mask >> lo & 1))
		lo++;
	if (hi == lo)
		snprintf(buf, size, "[%u]", hi);
	else
		snprintf(buf, size, "[%u:%u]", hi, lo);
}

/* "EVNTBUS  [5] on arm1176", one line per layout. */
static void evntbus_lines(const struct pmk_event *ev)
{
	uint32_t shown = 0;

	for (unsigned i = 0; pmk_pmus[i]; i++) {
		uint32_t mask = show_owns(pmk_pmus[i], ev) ? evntbus_bits(pmk_pmus[i], ev) : 0;
		char bits[16];

		if (!mask || mask == shown)
			continue;
		shown = mask;
		bits_text(bits, sizeof(bits), mask);
		printf(INDENT "%-12s %s on", "EVNTBUS", bits);
		for (unsigned k = i; pmk_pmus[k]; k++)
			if (show_owns(pmk_pmus[k], ev) && evntbus_bits(pmk_pmus[k], ev) == mask)
				printf(" %s", pmk_pmus[k]->name);
		putchar('\n');
	}
}

static void event_owners(const struct pmk_event *ev)
{
	const struct pmk_pmu *pmu;

	printf(INDENT "%-12s", "on");
	for (unsigned i = 0; (pmu = show_pmu(i)); i++)
		if (show_owns(pmu, ev))
			printf(" %s", pmu->name);
	putchar('\n');
	evntbus_lines(ev);
}

static void info_event(const struct pmk_event *ev)
{
	char code[16];

	title(ev->name, ev->brief);
	snprintf(code, sizeof(code), "0x%02x", ev->code);
	fact("code", code);
	fact("counts", ev->cycles    ? "cycles in which the condition holds"
		       : ev->latency ? "occurrences, each timed by a latency counter"
				     : "occurrences");
	fact("aliases", ev->aliases);
	event_owners(ev);
	fact("source", ev->ref);
	fact("emulation", show_support(ev));
	if (ev->unmodelled)
		fact("", ev->unmodelled);
	else if (pmk_signal_text(ev->signal))
		fact("", pmk_signal_text(ev->signal));
	fact("caveat", ev->caveat);
}

/* ---- registers ------------------------------------------------------------------------------ */

#define MAX_CELLS 65

struct cell {
	const char *name; /* "-" for bits that belong to no field */
	unsigned hi, lo;
	int width;
};

static unsigned top_bit(uint64_t mask)
{
	unsigned n = 0;

	while (mask >>= 1)
		n++;
	return n;
}

/* The field that has the bit; NULL when none has. */
static const struct pmk_field *field_at(const struct pmk_reg_info *reg, unsigned bit)
{
	for (unsigned i = 0; i < reg->nfields; i++)
		if (reg->fields[i].mask >> bit & 1)
			return &reg->fields[i];
	return NULL;
}

/* Make a cell for each field or gap, from the top bit down. */
static unsigned make_cells(const struct pmk_reg_info *reg, struct cell *cells)
{
	unsigned n = 0;

	for (int bit = reg->width - 1; bit >= 0; n++) {
		const struct pmk_field *f = field_at(reg, (unsigned)bit);
		struct cell *c = &cells[n];
		int labels;

		c->name = f ? f->name : "-";
		c->hi = (unsigned)bit;
		while (bit > 0 && field_at(reg, (unsigned)bit - 1) == f)
			bit--;
		c->lo = (unsigned)bit--;
		labels = snprintf(NULL, 0, c->hi == c->lo ? "%u" : "%u %u", c->hi, c->lo);
		c->width = (int)strlen(c->name) > labels ? (int)strlen(c->name) : labels;
		if (c->width < 3)
			c->width = 3;
	}
	return n;
}

static void rule(const struct cell *cells, unsigned n)
{
	printf(INDENT "+");
	for (unsigned i = 0; i < n; i++) {
		for (int k = 0; k < cells[i].width; k++)
			putchar('-');
		putchar('+');
	}
	putchar('\n');
}

/* Draw one strip: the bit numbers, and below them the boxes. */
static void draw_strip(const struct cell *cells, unsigned n)
{
	printf(INDENT " ");
	for (unsigned i = 0; i < n; i++) {
		const struct cell *c = &cells[i];
		int used = printf("%u", c->hi);

		if (c->hi != c->lo)
			printf("%*u", c->width - used, c->lo);
		else if (i + 1 < n)
			printf("%*s", c->width - used, "");
		fputs(i + 1 < n ? " " : "\n", stdout);
	}
	rule(cells, n);
	printf(INDENT "|");
	for (unsigned i = 0; i < n; i++) {
		int left = (cells[i].width - (int)strlen(cells[i].name)) / 2;

		printf("%*s%-*s|", left, "", cells[i].width - left, cells[i].name);
	}
	putchar('\n');
	rule(cells, n);
}

/* Draw the register, most significant bit first, in as many strips as its width needs. */
static void draw(const struct pmk_reg_info *reg)
{
	struct cell cells[MAX_CELLS];
	unsigned n = make_cells(reg, cells), first = 0;
	int width = 0;

	for (unsigned i = 0; i < n; i++) {
		if (width + cells[i].width + 1 > WIDTH) {
			draw_strip(cells + first, i - first);
			putchar('\n');
			first = i;
			width = 0;
		}
		width += cells[i].width + 1;
	}
	draw_strip(cells + first, n - first);
}

/* List the fields from the top down. A source is shown where it is another than before. */
static void field_table(const struct pmk_reg_info *reg)
{
	const char *ref = "";

	for (int bit = 63; bit >= 0; bit--) {
		const struct pmk_field *f = field_at(reg, (unsigned)bit);
		char bits[16];

		if (!f || top_bit(f->mask) != (unsigned)bit)
			continue;
		if (strcmp(ref, f->ref) != 0)
			printf(INDENT "(%s)\n", f->ref);
		ref = f->ref;
		bits_text(bits, sizeof(bits), f->mask);
		printf(INDENT "%-8s %-10s %-4s %s\n", bits, f->name, f->access, f->brief);
		for (unsigned v = 0; f->values && f->values[v]; v++)
			printf(INDENT "%-24s %u: %s\n", "", v, f->values[v]);
	}
}

static void info_register(const struct pmk_pmu *pmu, const struct pmk_reg_info *reg)
{
	char text[64];

	title(reg->name, reg->brief);
	fact("PMU", pmu->name);
	snprintf(text, sizeof(text), "%u bits", reg->width);
	fact("width", text);
	fact("access", reg->where);
	fact("aliases", reg->aliases);
	fact("source", reg->ref);
	putchar('\n');
	draw(reg);
	putchar('\n');
	field_table(reg);
}

/* ---- metrics, PMUs, cores ------------------------------------------------------------------- */

static void info_metric(const struct pmk_metric *m)
{
	title(m->name, m->title);
	fact("formula", m->formula);
	fact("unit", m->unit);
	printf(INDENT "%-12s", "events");
	for (unsigned i = 0; m->events[i]; i++)
		printf(" %s", m->events[i]);
	printf("\n" INDENT "%-12s", "on");
	for (unsigned i = 0; pmk_pmus[i]; i++)
		if (pmk_metric_applies(m, pmk_pmus[i]))
			printf(" %s", pmk_pmus[i]->name);
	putchar('\n');
	fact("file", m->file);
	putchar('\n');
	show_wrapped(m->text, INDENT, INDENT, WIDTH);
}

static void info_pmu(const struct pmk_pmu *pmu)
{
	title(pmu->name, pmu->brief);
	fact("aliases", pmu->aliases);
	printf(INDENT "%-12s", "counters");
	for (unsigned i = 0; i < pmu->ncounters; i++) {
		printf(" %s (%u bits", pmu->counters[i].name, pmu->counters[i].width);
		if (pmu->counters[i].fixed_code >= 0) {
			unsigned code = (unsigned)pmu->counters[i].fixed_code;
			const struct pmk_event *ev = pmk_pmu_event_code(pmu, code);

			printf(", %s only", ev ? ev->name : "one event");
		}
		fputs(i + 1 < pmu->ncounters ? ")," : ")", stdout);
	}
	printf("\n" INDENT "%-12s", "registers");
	for (unsigned i = 0; i < pmu->nregs; i++)
		printf(" %s", pmu->regs[i].name);
	printf("%s\n" INDENT "%-12s %u ('pmk list events --pmu %s')\n", pmu->nregs ? "" : " none",
	       "events", show_event_count(pmu), pmu->name);
	fact("note", pmu->note);
}

static int info_core(const char *name)
{
	char msg[PATH_MAX + 300], fingerprint[PMK_CORE_FINGERPRINT];
	struct pmk_core core;

	if (show_load_core(name, &core, msg, sizeof(msg)) != 0)
		return cli_fail(PMK_EXIT_FAILED, "%s", msg);
	pmk_core_fingerprint(&core, fingerprint);
	title(core.name, core.brief);
	fact("cycles", pmk_core_checked(&core));
	fact("fingerprint", fingerprint);
	fact("caveat", *core.caveat ? core.caveat : NULL);
	show_core_keys(&core, INDENT);
	return 0;
}

/* Show a parameter: its value on each core that has it. */
static int info_parameter(const char *name, char *const *cores)
{
	char msg[PATH_MAX + 300];
	const struct pmk_core_key *key;
	struct pmk_core core;
	int code = 0;

	title(name, "core parameter (pmk stat --set): value, range and meaning, by core");
	for (unsigned i = 0; cores[i]; i++) {
		if (show_load_core(cores[i], &core, msg, sizeof(msg)) != 0) {
			code = cli_fail(PMK_EXIT_FAILED, "%s", msg);
			continue;
		}
		key = pmk_core_key(&core, name);
		if (key)
			show_core_key(&core, key, core.name, INDENT);
	}
	return code;
}

/* ---- search --------------------------------------------------------------------------------- */

/* All PMUs with the ARM1176 first, or the one asked for. NULL ends it. */
static const struct pmk_pmu *pmu_in_order(const struct pmk_pmu *only, unsigned i)
{
	if (only)
		return i == 0 ? only : NULL;
	if (i == 0)
		return &pmk_arm1176;
	for (unsigned k = 0; show_pmu(k); k++)
		if (show_pmu(k) != &pmk_arm1176 && --i == 0)
			return show_pmu(k);
	return NULL;
}

static void gap(bool *found)
{
	if (*found)
		putchar('\n');
	*found = true;
}

/* Show every event of that name once: the cores of ARM11 share their rows, except the MPCore. */
static void find_events(const struct pmk_pmu *only, const char *name, bool *found)
{
	const struct pmk_event *seen[8];
	const struct pmk_pmu *pmu;
	unsigned n = 0, k;

	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++) {
		const struct pmk_event *ev = pmk_pmu_event(pmu, name);

		for (k = 0; k < n && seen[k] != ev; k++)
			;
		if (!ev || k < n || n == sizeof(seen) / sizeof(seen[0]))
			continue;
		seen[n++] = ev;
		gap(found);
		info_event(ev);
	}
}

static void find_register(const struct pmk_pmu *only, const char *name, bool *found)
{
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++) {
		const struct pmk_reg_info *reg = pmk_pmu_reg(pmu, name);

		if (!reg)
			continue;
		gap(found);
		info_register(pmu, reg);
		return;
	}
}

/* Show the core of that name, or the parameter of cores. */
static int find_core(const struct pmk_pmu *only, const char *name, bool *found)
{
	char **names = only ? NULL : cli_core_names();
	int code = 0;

	for (unsigned i = 0; names && names[i]; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		gap(found);
		code = info_core(name);
	}
	for (unsigned i = 0; names && !code && pmk_core_key_name(i); i++) {
		if (strcmp(pmk_core_key_name(i), name) != 0)
			continue;
		gap(found);
		code = info_parameter(name, names);
	}
	pmk_files_free_names(names);
	return code;
}

/* Candidates for a hint: parameters of cores, events of each PMU, registers of each, metrics. */
static const char *any_name(const void *ctx, unsigned i)
{
	const struct pmk_metrics *metrics = ctx;
	const struct pmk_pmu *pmu;

	for (unsigned k = 0; pmk_core_key_name(k); k++)
		if (i-- == 0)
			return pmk_core_key_name(k);
	for (unsigned k = 0; (pmu = show_pmu(k)); k++) {
		if (i < pmu->nevents)
			return pmu->events[i].name;
		i -= pmu->nevents;
		if (i < pmu->nregs)
			return pmu->regs[i].name;
		i -= pmu->nregs;
	}
	return metrics && i < pmk_metrics_count(metrics) ? pmk_metrics_get(metrics, i)->name : NULL;
}

/* A code means another event on each PMU. */
static int info_code(const struct pmk_pmu *only, const char *text)
{
	struct pmk_count_fault f = { 0 };
	const struct pmk_event *ev;

	if (!only)
		return cli_fail(PMK_EXIT_USAGE,
				"%s is the code of another event on each PMU: name one, --pmu %s",
				text, pmk_arm1176.name);
	ev = pmk_event_named(only, text, &f);
	if (ev)
		info_event(ev);
	return cli_fault(&f);
}

static int info(const struct pmk_pmu *only, const char *name)
{
	struct pmk_metrics *metrics = cli_metrics();
	const struct pmk_metric *m = metrics ? pmk_metrics_find(metrics, name) : NULL;
	const struct pmk_pmu *pmu = show_pmu_called(name);
	char near[256];
	bool found = false;
	unsigned number;
	int code;

	if (!only && pmk_files_is_path(name))
		return info_core(name);
	find_events(only, name, &found);
	if (m) {
		gap(&found);
		info_metric(m);
	}
	find_register(only, name, &found);
	if (pmu && (!only || only == pmu)) {
		gap(&found);
		info_pmu(pmu);
	}
	code = find_core(only, name, &found);
	if (found)
		return code;
	if (pmk_event_code(name, &number))
		return info_code(only, name);
	pmk_nearest_among(name, any_name, metrics, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE,
			*near ? "nothing is called '%s'%s%s; did you mean %s?"
			      : "nothing is called '%s'%s%s; 'pmk list' shows what there is",
			name, only ? " on " : "", only ? only->name : "", near);
}

static int run_info(int argc, char **argv)
{
	const struct pmk_pmu *only = NULL;
	const struct cli_option *o;
	unsigned names = 0;
	char *value;
	bool bad;
	int i = 1, code = 0;

	/* --pmu is for all names, even those before it, so options are read first. */
	for (;;) {
		o = cli_next(&cmd_info, argc, argv, &i, &value, &bad);
		if (bad)
			return PMK_EXIT_USAGE;
		if (!o && i >= argc)
			break;
		if (!o) {
			argv[1 + names++] = argv[i++];
		} else if (o->letter == 'h') {
			cli_help(stdout, &cmd_info);
			return PMK_EXIT_OK;
		} else {
			only = show_find_pmu(value);
			if (!only)
				return PMK_EXIT_USAGE;
		}
	}
	if (!names)
		return cli_fail(PMK_EXIT_USAGE,
				"info needs a NAME, CODE or FILE (pmk info --help)");
	for (unsigned k = 0; k < names && !code; k++) {
		if (k)
			putchar('\n');
		code = info(only, argv[1 + k]);
	}
	return code;
}

const struct cli_command cmd_info = {
	.name = "info",
	.brief = "explain an event, metric, register, PMU, core or parameter",
	.usage = "NAME|CODE|FILE... [--pmu PMU]",
	.options = options,
	.run = run_info,
};
