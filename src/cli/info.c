// SPDX-License-Identifier: MIT
/*
 * pmk info NAME: everything about an event, a metric, a register, a field of one, a pin, a PMU, a
 * core or a parameter of cores. A name may have several meanings (arm1176 is a PMU and a core); all
 * are shown. Without --pmu all PMUs are searched, the ARM1176 first; a code is an event of the PMU
 * of --pmu. If PMUs of a family share an event or a register, it is shown once. A file name means a
 * core of the user, as with pmk stat --core.
 */
#include <limits.h>
#include <string.h>
#include <strings.h>

#include <pmk/arm11.h>
#include <pmk/bits.h>
#include <pmk/evntbus.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/fields.h"
#include "cli/show.h"
#include "count/events.h"
#include "count/files.h"
#include "cpu/config.h"
#include "cpu/family.h"
#include "pmu/lookup.h"
#include "pmu/reg.h"

#define INDENT "    "
#define WIDTH  90

static int take_pmu(void *member, char *name)
{
	const struct pmk_pmu **pmu = member;

	*pmu = show_find_pmu(name);
	return *pmu ? 0 : PMK_EXIT_USAGE;
}

static const struct cli_option options[] = {
	{ 0, "pmu", "PMU", "look only in this PMU", CLI_CALL, 0, take_pmu },
	CLI_ROWS_END,
};

static void print_title(const char *name, const char *text)
{
	fputs(show_bold(), stdout);
	pmk_print(stdout, "%s", name);
	printf("%s  ", show_plain());
	pmk_print(stdout, "%s\n\n", text);
}

static void print_fact(const char *name, const char *text)
{
	char first[32];

	snprintf(first, sizeof(first), INDENT "%-12s ", name);
	if (text && *text)
		show_wrapped(text, first, INDENT "             ", WIDTH);
}

/* Returns PMU `i` in the order of the output: all PMUs, beginning with the ARM1176, or only the
 * requested one. NULL: there are no more. */
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

/* ---- events --------------------------------------------------------------------------------- */

/* Returns the bits of EVNTBUS that the event drives on this PMU when it occurs once, and when it
 * occurs twice in a cycle. */
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

/* Print "EVNTBUS [5] on arm1176", one line per layout. */
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

static void info_event(const struct pmk_event *ev)
{
	char code[16];

	print_title(ev->name, ev->brief);
	snprintf(code, sizeof(code), "0x%02x", ev->code);
	print_fact("code", code);
	print_fact("counts", ev->cycles	   ? "cycles in which the condition holds"
			     : ev->latency ? "occurrences, each timed by a latency counter"
					   : "occurrences");
	print_fact("aliases", ev->aliases);
	printf(INDENT "%-12s", "on");
	show_owners(ev);
	evntbus_lines(ev);
	print_fact("source", ev->ref);
	print_fact("emulation", show_support(ev));
	if (ev->unmodelled)
		print_fact("", ev->unmodelled);
	else if (show_is_measured(ev))
		print_fact("", "measured in a waveform dump, -T wave:FILE");
	else if (ev->signal != PMK_SIG_NONE)
		print_fact("", pmk_signal_text(ev->signal));
	print_fact("caveat", ev->caveat);
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

/* Make a cell for each field or gap, from the top bit down. */
static unsigned make_cells(const struct pmk_reg_info *reg, struct cell *cells)
{
	unsigned n = 0;

	for (int bit = reg->width - 1; bit >= 0; n++) {
		const struct pmk_field *f = fields_at(reg, (unsigned)bit);
		struct cell *c = &cells[n];
		int labels;

		c->name = f ? f->name : "-";
		c->hi = (unsigned)bit;
		while (bit > 0 && fields_at(reg, (unsigned)bit - 1) == f)
			bit--;
		c->lo = (unsigned)bit--;
		labels = snprintf(NULL, 0, c->hi == c->lo ? "%u" : "%u %u", c->hi, c->lo);
		c->width = (int)strlen(c->name) > labels ? (int)strlen(c->name) : labels;
		if (c->width < 3)
			c->width = 3;
	}
	return n;
}

static void print_rule(const struct cell *cells, unsigned n)
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
	print_rule(cells, n);
	printf(INDENT "|");
	for (unsigned i = 0; i < n; i++) {
		int left = (cells[i].width - (int)strlen(cells[i].name)) / 2;

		printf("%*s%-*s|", left, "", cells[i].width - left, cells[i].name);
	}
	putchar('\n');
	print_rule(cells, n);
}

/* Draw the register, most significant bit first, in as many strips as its width needs. */
static void draw_register(const struct pmk_reg_info *reg)
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

/* List the fields from the top down. A source is shown where it changes. */
static void field_table(const struct pmk_reg_info *reg)
{
	const char *ref = "";
	int width = show_field_width(reg);

	for (int bit = 63; bit >= 0; bit--) {
		const struct pmk_field *f = fields_at(reg, (unsigned)bit);
		char bits[16];

		if (!f || top_bit(f->mask) != (unsigned)bit)
			continue;
		if (strcmp(ref, f->ref) != 0)
			printf(INDENT "(%s)\n", f->ref);
		ref = f->ref;
		bits_text(bits, sizeof(bits), f->mask);
		printf(INDENT "%-8s %-*s %-4s %s\n", bits, width, f->name,
		       pmk_access_name(f->access), f->brief);
		for (unsigned v = 0; f->values && f->values[v]; v++)
			printf(INDENT "%*s %u: %s\n", width + 14, "", v, f->values[v]);
	}
}

/* True if two PMUs have the same register: the same bits, accessed in the same way. */
static bool is_same_register(const struct pmk_reg_info *a, const struct pmk_reg_info *b)
{
	return a && b && a->fields == b->fields && a->width == b->width &&
	       !strcmp(a->name, b->name) &&
	       !strcmp(a->where ? a->where : "", b->where ? b->where : "");
}

/* Print "note arm1136r0 arm1136: privileged modes", one line for each text. */
static void register_notes(const struct pmk_pmu *only, const struct pmk_reg_info *reg)
{
	const struct pmk_pmu *pmu, *other;
	char text[512];

	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++) {
		const struct pmk_reg_info *row = show_register(pmu, reg->name), *same;
		bool seen = false;
		size_t at = 0;

		if (!is_same_register(row, reg) || !row->note)
			continue;
		for (unsigned k = 0; (other = pmu_in_order(only, k)) && at < sizeof(text); k++) {
			same = show_register(other, reg->name);
			if (!is_same_register(same, reg) || same->note != row->note)
				continue;
			seen = seen || k < i;
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? " " : "",
					       other->name);
		}
		if (seen || at >= sizeof(text))
			continue;
		snprintf(text + at, sizeof(text) - at, ": %s", row->note);
		print_fact("note", text);
	}
}

/* True for a bus that is described like a register: EVNTBUS, AHBMONITOR. */
static bool is_bus(const struct pmk_pmu *only, const struct pmk_reg_info *reg)
{
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++)
		if (reg >= pmu->regs && reg < pmu->regs + pmu->nregs)
			return false;
	return true;
}

static void register_access(const struct pmk_reg_info *reg)
{
	bool reads = pmk_reg_readable(reg), writes = pmk_reg_writable(reg);
	char text[256];

	snprintf(text, sizeof(text), "%s%s%s%s%s", reads ? "read" : "", reads && writes ? ", " : "",
		 writes ? "write" : "", reg->where ? ": " : "", reg->where ? reg->where : "");
	print_fact("access", text);
}

static void info_register(const struct pmk_pmu *only, const struct pmk_reg_info *reg)
{
	const struct pmk_pmu *pmu;
	char text[64];

	print_title(reg->name, reg->brief);
	printf(INDENT "%-12s", "on");
	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++)
		if (is_same_register(show_register(pmu, reg->name), reg))
			printf(" %s", pmu->name);
	putchar('\n');
	snprintf(text, sizeof(text), "%u bits", reg->width);
	print_fact("width", text);
	register_access(reg);
	snprintf(text, sizeof(text), "0x%0*llx", (reg->width + 3) / 4,
		 (unsigned long long)reg->reset);
	print_fact("reset", is_bus(only, reg) ? NULL : text);
	register_notes(only, reg);
	print_fact("aliases", reg->aliases);
	print_fact("source", reg->ref);
	putchar('\n');
	draw_register(reg);
	putchar('\n');
	field_table(reg);
}

/* ---- fields and pins ------------------------------------------------------------------------ */

static const struct pmk_field *field_called(const struct pmk_reg_info *reg, const char *name)
{
	for (unsigned i = 0; reg && i < reg->nfields; i++)
		if (!strcasecmp(reg->fields[i].name, name) && reg->fields[i].access != PMK_SBZ)
			return &reg->fields[i];
	return NULL;
}

static bool is_same_field(const struct pmk_field *a, const struct pmk_field *b)
{
	return a && b && a->mask == b->mask && a->access == b->access &&
	       !strcmp(a->brief, b->brief);
}

/* True if a PMU that is shown before number `i` has the same field. */
static bool field_is_shown(const struct pmk_pmu *only, unsigned i, const char *reg,
			   const struct pmk_field *f)
{
	for (unsigned k = 0; k < i; k++)
		if (is_same_field(field_called(pmk_pmu_reg(pmu_in_order(only, k), reg), f->name),
				  f))
			return true;
	return false;
}

/* True if an earlier register of the PMU has the same field, for example "Count" of all
 * counters. */
static bool field_is_shared(const struct pmk_pmu *pmu, unsigned reg, const struct pmk_field *f)
{
	for (unsigned r = 0; r < reg; r++)
		if (is_same_field(field_called(&pmu->regs[r], f->name), f))
			return true;
	return false;
}

static void field_registers(const struct pmk_pmu *pmu, const struct pmk_field *f)
{
	char bits[16];
	unsigned n = 0;

	bits_text(bits, sizeof(bits), f->mask);
	printf(INDENT "%-12s", "field of");
	for (unsigned r = 0; r < pmu->nregs; r++)
		if (is_same_field(field_called(&pmu->regs[r], f->name), f) && n++ < 4)
			printf(" %s", pmu->regs[r].name);
	if (n > 4)
		printf(" and %u more", n - 4);
	printf(" %s\n", bits);
}

static void info_field(const struct pmk_pmu *only, const struct pmk_pmu *first,
		       const struct pmk_reg_info *reg, const struct pmk_field *f)
{
	const struct pmk_pmu *pmu;
	char text[128];

	print_title(f->name, f->brief);
	field_registers(first, f);
	printf(INDENT "%-12s", "on");
	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++)
		if (is_same_field(field_called(pmk_pmu_reg(pmu, reg->name), f->name), f))
			printf(" %s", pmu->name);
	putchar('\n');
	print_fact("access", pmk_access_name(f->access));
	for (unsigned v = 0; f->values && f->values[v]; v++) {
		snprintf(text, sizeof(text), "%u: %s", v, f->values[v]);
		print_fact(v ? "" : "values", text);
	}
	print_fact("source", f->ref);
}

/* Pins of the PMUs that are not registers, and where they are explained. The names are those of the
 * documents. */
static const struct pin {
	const char *names; /* space separated */
	const char *pmus;  /* space separated */
	const char *brief, *text, *ref;
} pins[] = {
	{ "nPMUIRQ PMUIRQ", "arm1136r0 arm1136 arm1156 arm1176 arm11mpcore",
	  "interrupt output, active low",
	  "asserted from an overflow with its enable set (PMNC: CCR and ECC, CR1 and EC1, CR0 and "
	  "EC0) until the flag is cleared by a write with PMNC.E = 1. DDI 0211 calls it PMUIRQ. "
	  "Models and pmk show a level, 1 = asserted.",
	  "DAI 0195B §1; DDI 0211, PMNC" },
	{ "nPMUFIQ", "arm1156", "fast interrupt output, active low",
	  "asserted while an overflow flag and its FIQ enable are set (PMNC: FCC, FC1, FC0; our "
	  "choice).",
	  "DAI 0195B §1, Table 1" },
	{ "nPMUIRQ",
	  "cortex-a53 cortex-a55 cortex-a57 cortex-a72 neoverse-n1 armv8 armv8_long cortex-a7 "
	  "cortex-a8 cortex-a9 cortex-a15 cortex-m",
	  "interrupt output, active low",
	  "asserted while an overflow flag (PMOVSSET) and its enable (PMINTENSET) are set and the "
	  "counter's E bit is (PMCR.E, or above MDCR_EL2.HPMN HPME).",
	  "DDI 0487, PMINTENSET_EL1" },
	{ "ETMEXTOUT ETMEXTOUT[0] ETMEXTOUT[1]", "arm1136r0 arm1136 arm1156 arm1176",
	  "two outputs of the ETM, which the PMU counts",
	  "Events 0x20, 0x21 and 0x22 count cycles in which output 0, output 1, or either is "
	  "asserted. Without an ETM they do not count. Inputs of the model: signals ETMEXTOUT0 "
	  "and ETMEXTOUT1.",
	  "DAI 0195B Table 2" },
	{ "DBGACK", "ahbmon", "input: the processor is in debug state",
	  "While it is asserted and AHBMONCtrlReg tracks it, ARM-I, ARM-D and "
	  "CtTotalCyclesNonDebug stop. Input of the model: dbgack.",
	  "DDI 0287B §4.2.2" },
	{ "SPNIDEN", "l220", "input: secure non-invasive debug is permitted",
	  "While it is low, Secure events are not counted. pmk assumes that it is high.",
	  "L310: DDI 0246" },
	{ "NIDEN", "arm1176", "input: non-invasive debug is permitted",
	  "While it is low, PMN0 and PMN1 stop and CCNT continues. Input of the model: niden.",
	  "DDI 0301H §3.1.8" },
	{ "CP15SDISABLE", "arm1176", "input: write protection of secure settings",
	  "A write of SUNAVCR is Undefined while it is high. Input of the model: cp15sdisable.",
	  "DDI 0301H Table 3-135" },
	{ "Dbg_Intr", "microblaze", "interrupt output",
	  "asserted when an event counter overflows, deasserted by Clear (PCCMDR). No bit "
	  "disables it: mask it in the interrupt controller.",
	  "UG984 \"Performance Monitoring\"" },
};

static void info_pin(const struct pin *pin, const char *name)
{
	print_title(name, pin->brief);
	print_fact("names", pin->names);
	print_fact("on", pin->pmus);
	print_fact("means", pin->text);
	print_fact("source", pin->ref);
}

/* ---- metrics, PMUs, cores ------------------------------------------------------------------- */

static void info_metric(const struct pmk_metric *m)
{
	print_title(m->name, m->title);
	print_fact("formula", m->formula);
	print_fact("unit", m->unit);
	printf(INDENT "%-12s", "events");
	for (unsigned i = 0; m->events[i]; i++)
		printf(" %s", m->events[i]);
	printf("\n" INDENT "%-12s", "on");
	for (unsigned i = 0; pmk_pmus[i]; i++)
		if (pmk_metric_applies(m, pmk_pmus[i]))
			printf(" %s", pmk_pmus[i]->name);
	putchar('\n');
	print_fact("file", m->file);
	putchar('\n');
	show_wrapped(m->text, INDENT, INDENT, WIDTH);
}

static void info_pmu(const struct pmk_pmu *pmu)
{
	print_title(pmu->name, pmu->brief);
	print_fact("aliases", pmu->aliases);
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
	print_fact("note", pmu->note);
}

static int info_core(const char *name)
{
	char msg[PATH_MAX + 300], fingerprint[PMK_CORE_FINGERPRINT];
	struct pmk_core core;

	if (show_load_core(name, &core, msg, sizeof(msg)) != 0)
		return cli_fail(PMK_EXIT_FAILED, "%s", msg);
	pmk_core_fingerprint(&core, fingerprint);
	print_title(core.name, core.brief);
	print_fact("cycles", pmk_core_checked(&core));
	print_fact("fingerprint", fingerprint);
	print_fact("caveat", *core.caveat ? core.caveat : NULL);
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

	print_title(name, "core parameter (pmk stat --set): value, range and meaning, by core");
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

static void print_gap(bool *found)
{
	if (*found)
		putchar('\n');
	*found = true;
}

/* Show every event with that name once: the ARM11 cores share their rows, except the MPCore. */
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
		print_gap(found);
		info_event(ev);
	}
}

/* Show each layout of the register once: most PMUs of a family share theirs. */
static void find_registers(const struct pmk_pmu *only, const char *name, bool *found)
{
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++) {
		const struct pmk_reg_info *reg = show_register(pmu, name);
		bool shown = !reg;

		for (unsigned k = 0; !shown && k < i; k++)
			shown = is_same_register(show_register(pmu_in_order(only, k), name), reg);
		if (shown)
			continue;
		print_gap(found);
		info_register(only, reg);
	}
}

static void find_fields(const struct pmk_pmu *only, const char *name, bool *found)
{
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++)
		for (unsigned r = 0; r < pmu->nregs; r++) {
			const struct pmk_field *f = field_called(&pmu->regs[r], name);

			if (!f || field_is_shared(pmu, r, f) ||
			    field_is_shown(only, i, pmu->regs[r].name, f))
				continue;
			print_gap(found);
			info_field(only, pmu, &pmu->regs[r], f);
		}
}

static void find_pins(const struct pmk_pmu *only, const char *name, bool *found)
{
	for (unsigned i = 0; i < sizeof(pins) / sizeof(pins[0]); i++) {
		if (!pmk_is_called("", pins[i].names, name) ||
		    (only && !pmk_is_called("", pins[i].pmus, only->name)))
			continue;
		print_gap(found);
		info_pin(&pins[i], name);
	}
}

/* Show the core of that name, or the parameter of cores. */
static int find_core(const struct pmk_pmu *only, const char *name, bool *found)
{
	char **names = only ? NULL : cli_core_names();
	const char *core = names ? cli_core_name(name) : name;
	int code = 0;

	for (unsigned i = 0; names && names[i]; i++) {
		if (strcmp(names[i], core) != 0)
			continue;
		print_gap(found);
		code = info_core(core);
	}
	if (names && !code && pmk_core_key_exists(name)) {
		print_gap(found);
		code = info_parameter(name, names);
	}
	pmk_files_free_names(names);
	return code;
}

/* Add the names of the events, registers and fields of one PMU as candidates. */
static void offer_pmu(struct pmk_nearest *near, const struct pmk_pmu *pmu)
{
	pmk_nearest_offer(near, pmu->name);
	for (unsigned i = 0; i < pmu->nevents; i++)
		if (pmk_pmu_has(pmu, &pmu->events[i]))
			pmk_nearest_offer(near, pmu->events[i].name);
	for (unsigned i = 0; i < pmu->nregs; i++) {
		pmk_nearest_offer(near, pmu->regs[i].name);
		for (unsigned f = 0; f < pmu->regs[i].nfields; f++)
			pmk_nearest_offer(near, pmu->regs[i].fields[f].name);
	}
}

/* Write a hint: the names nearest to `name`. With --pmu, only names of that PMU and of metrics. */
static void write_hint(char *buf, size_t size, const struct pmk_pmu *only, const char *name,
		       const struct pmk_metrics *metrics)
{
	char **cores = only ? NULL : cli_core_names();
	const struct pmk_pmu *pmu;
	struct pmk_nearest near;

	pmk_nearest_init(&near, name);
	for (unsigned f = 0; !only && pmk_core_families[f]; f++)
		for (const struct pmk_core_key *k = pmk_core_families[f]->params->keys; k->key; k++)
			pmk_nearest_offer(&near, k->key);
	for (unsigned i = 0; (pmu = pmu_in_order(only, i)); i++)
		offer_pmu(&near, pmu);
	for (unsigned i = 0; metrics && i < pmk_metrics_count(metrics); i++)
		pmk_nearest_offer(&near, pmk_metrics_get(metrics, i)->name);
	for (unsigned i = 0; cores && cores[i]; i++)
		pmk_nearest_offer(&near, cores[i]);
	pmk_nearest_text(&near, buf, size);
	pmk_files_free_names(cores);
}

/* Explain an event's code, which denotes a different event on each PMU. */
static int info_code(const struct pmk_pmu *only, const char *text)
{
	struct pmk_count_fault f = { 0 };
	const struct pmk_event *ev;

	if (!only)
		return cli_fail(PMK_EXIT_USAGE,
				"%s is a different event on each PMU; choose one, such as --pmu %s",
				text, pmk_arm1176.name);
	ev = pmk_event_named(only, text, &f);
	if (ev)
		info_event(ev);
	return cli_fault(&f);
}

static int show_info(const struct pmk_pmu *only, const char *name)
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
		print_gap(&found);
		info_metric(m);
	}
	find_registers(only, name, &found);
	find_fields(only, name, &found);
	find_pins(only, name, &found);
	if (pmu && (!only || only == pmu)) {
		print_gap(&found);
		info_pmu(pmu);
	}
	code = find_core(only, name, &found);
	if (found)
		return code;
	if (pmk_event_code(name, &number))
		return info_code(only, name);
	write_hint(near, sizeof(near), only, name, metrics);
	return cli_not_found(near, "'pmk list' shows what there is", "nothing is called '%s'%s%s",
			     name, only ? " on " : "", only ? only->name : "");
}

static int run_info(int argc, char **argv)
{
	const struct pmk_pmu *only = NULL;
	char **names;
	/* --pmu applies to all names, even those before it, so options are parsed first. */
	int code = cli_parse(&cmd_info, &only, argc, argv, &names);

	if (!code && !*names)
		return cli_fail(PMK_EXIT_USAGE,
				"info needs a NAME, CODE or FILE (pmk info --help)");
	for (unsigned k = 0; !code && names[k]; k++) {
		if (k)
			putchar('\n');
		code = show_info(only, names[k]);
	}
	return code;
}

const struct cli_command cmd_info = {
	.name = "info",
	.brief = "explain an event, metric, register, field, pin, PMU, core or parameter",
	.usage = "NAME|CODE|FILE... [--pmu PMU]",
	.options = options,
	.run = run_info,
};
