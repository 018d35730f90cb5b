// SPDX-License-Identifier: MIT
/*
 * pmk decode PMU REG=VALUE…: the meaning of a register's bits, from the tables on which the driver
 * and the model are based.
 *
 * 	$ pmk decode arm1176 PMNC=0x00b0b701
 *
 * AHBMONITOR=VALUE, a packet of the AHB Monitor, is decoded in the same way, by the codes of a
 * layout file.
 *
 * '*' marks a field that is not 0, and '!' marks bits that should be 0 but are not.
 *
 * pmk decode --log explains a log of pmk run --log in the same way, one line for each access.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>
#include <pmk/bits.h>

#include "base/file.h"
#include "base/number.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/fields.h"
#include "cli/show.h"
#include "pmu/ahbmon/layout.h"
#include "pmu/ahbmon/packet_reg.h"
#include "producer/session/access_log.h"
#include "profile/elf.h"
#include "result/jsonio.h"

/* ---- output --------------------------------------------------------------------------------- */

static void bits_text(char *buf, size_t size, const struct part *p)
{
	if (p->hi == p->lo)
		snprintf(buf, size, "%u", p->hi);
	else
		snprintf(buf, size, "%u:%u", p->hi, p->lo);
}

static void print_word(const struct pmk_pmu *pmu, const struct word *w)
{
	int width = show_field_width(w->reg);
	unsigned wrong = 0;
	char hex[24];

	hex_text(hex, sizeof(hex), w->value, w->reg->width);
	printf("%s%s %s = %s%s  %s\n", show_bold(), pmu->name, w->reg->name, hex, show_plain(),
	       w->reg->brief);
	for (int bit = w->reg->width - 1; bit >= 0;) {
		struct part p = next_part(pmu, w, &bit);
		char bits[16], value[24], in[20];

		if (!p.field && !p.value)
			continue;
		bits_text(bits, sizeof(bits), &p);
		snprintf(in, sizeof(in), "[%s]", bits);
		if (p.hi - p.lo < 3)
			snprintf(value, sizeof(value), "%llu", (unsigned long long)p.value);
		else
			hex_text(value, sizeof(value), p.value, p.hi - p.lo + 1);
		printf("  %c %-8s %-*s %-11s %s\n",
		       p.wrong	 ? '!'
		       : p.value ? '*'
				 : ' ',
		       in, width, p.field ? p.field->name : "-", value, p.text);
		wrong += p.wrong;
	}
	if (wrong)
		puts("  ! bits that should be zero are set");
}

static json_object *json_word(const struct pmk_pmu *pmu, const struct word *w)
{
	json_object *o = json_object_new_object(), *fields = json_object_new_array();
	char text[24];

	hex_text(text, sizeof(text), w->value, w->reg->width);
	pmk_json_text(o, "name", w->reg->name);
	pmk_json_text(o, "value", text);
	for (int bit = w->reg->width - 1; bit >= 0;) {
		struct part p = next_part(pmu, w, &bit);
		json_object *f = json_object_new_object();

		bits_text(text, sizeof(text), &p);
		pmk_json_text(f, "name", p.field ? p.field->name : NULL);
		pmk_json_text(f, "bits", text);
		pmk_json_count(f, "value", p.value);
		pmk_json_text(f, "access", p.field ? pmk_access_name(p.field->access) : NULL);
		pmk_json_text(f, "event", p.event ? p.event->name : NULL);
		pmk_json_text(f, "text", p.text);
		pmk_json_add(f, "should-be-zero", json_object_new_boolean(p.wrong));
		json_object_array_add(fields, f);
	}
	pmk_json_add(o, "fields", fields);
	return o;
}

/* ---- arguments ------------------------------------------------------------------------------ */

#define MORE " and others (pmk info PMU)"

static int unknown_register(const struct pmk_pmu *pmu, const char *name)
{
	char all[sizeof("it has ") + 255] = "it has ";
	size_t at = strlen(all);
	struct pmk_nearest near;

	pmk_nearest_init(&near, name);
	for (unsigned i = 0; i < pmu->nregs; i++)
		pmk_nearest_offer(&near, pmu->regs[i].name);
	for (unsigned i = 0; i < pmu->nregs; i++) {
		const char *reg = pmu->regs[i].name;

		/* Shorten the list: some PMUs have a hundred registers. */
		if (at + strlen(", ") + strlen(reg) + strlen(MORE) >= sizeof(all)) {
			strcpy(all + at, MORE);
			break;
		}
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i ? ", " : "", reg);
	}
	return cli_not_found(cli_near(&near), all, "%s has no register '%s'", pmu->name, name);
}

static int parse_word(const struct pmk_pmu *pmu, const char *arg,
		      const struct pmk_ahbmon_packet_params *codes, struct word *w)
{
	const char *eq = strchr(arg, '=');
	char name[64];

	if (!eq || eq == arg)
		return cli_fail(PMK_EXIT_USAGE, "decode: '%s' is not REG=VALUE", arg);
	snprintf(name, sizeof(name), "%.*s", (int)(eq - arg), arg);
	w->reg = show_register(pmu, name);
	w->codes = pmk_ahbmon_packet_reg(pmu, name) ? codes : NULL;
	if (!w->reg)
		return unknown_register(pmu, name);
	if (pmk_number_parse(eq + 1, PMK_ANY_BASE, 0, UINT64_MAX, &w->value))
		return cli_fail(PMK_EXIT_USAGE, "%s: '%s' is not a number (12, 0x0c or 0b1100)",
				name, eq + 1);
	if (w->reg->width < 64 && w->value >> w->reg->width)
		return cli_fail(PMK_EXIT_USAGE, "%s has %u bits, %s needs more", name,
				w->reg->width, eq + 1);
	return 0;
}

/* Load the codes of packets if they are needed, or if --layout names a file. In all other cases a
 * missing file with codes is no error. */
static int find_codes(const struct pmk_pmu *pmu, const char *layout,
		      struct pmk_ahbmon_layout_file *file, bool packets)
{
	if (layout && !pmk_ahbmon_packet_reg(pmu, "AHBMONITOR"))
		return cli_fail(PMK_EXIT_USAGE, "--layout: %s is not an AHB Monitor", pmu->name);
	return layout || packets ? cli_layout(file, layout) : 0;
}

static int decode_registers(const struct pmk_pmu *pmu, char **args, unsigned n, const char *layout,
			    bool json)
{
	struct pmk_ahbmon_layout_file file;
	json_object *doc = NULL, *list = NULL;
	bool packets = false;
	struct word w;
	int code = 0;

	/* Check all arguments before anything is printed. */
	for (unsigned i = 0; i < n && !code; i++) {
		code = parse_word(pmu, args[i], &file.packet, &w);
		packets |= !code && w.codes;
	}
	if (!code)
		code = find_codes(pmu, layout, &file, packets);
	if (code)
		return code;
	if (json) {
		doc = pmk_json_document("pmk-decode");
		list = json_object_new_array();
		pmk_json_text(doc, "pmu", pmu->name);
		pmk_json_add(doc, "registers", list);
	}
	for (unsigned i = 0; i < n; i++) {
		parse_word(pmu, args[i], &file.packet, &w);
		if (json) {
			json_object_array_add(list, json_word(pmu, &w));
			continue;
		}
		if (i)
			putchar('\n');
		print_word(pmu, &w);
	}
	if (json)
		pmk_json_put_document(stdout, doc);
	json_object_put(doc);
	return 0;
}

/* ---- the log of pmk run --log ---------------------------------------------------------------- */

#define MAX_REMARKS 64

/* The number of times that a mistake occurred, and the first line with it. */
struct remark {
	char *text;
	unsigned long times, line;
};

struct log {
	const char *path;
	FILE *in;
	char *text; /* the present line, without its newline */
	size_t room;
	unsigned long line;
	bool json;
	const struct pmk_pmu *pmu;
	struct pmk_functions *functions; /* NULL: no ELF file was named */
	unsigned long *reads, *writes;	 /* by register */
	unsigned long interrupts;
	struct remark remark[MAX_REMARKS];
	unsigned nremarks;
};

/* Read the next line. Returns false at the end. */
static bool next_line(struct log *l)
{
	ssize_t n = getline(&l->text, &l->room, l->in);

	if (n < 0)
		return false;
	if (n && l->text[n - 1] == '\n')
		l->text[n - 1] = '\0';
	l->line++;
	return true;
}

static int no_log(const struct log *l)
{
	return cli_fail(PMK_EXIT_FAILED, "%s: not a register log of pmk run --log", l->path);
}

/* Read the header: version, PMU, core, names of the columns. */
static int read_head(struct log *l)
{
	const char *said;

	if (!next_line(l) || strcmp(l->text, "# pmk register log 1") != 0 || !next_line(l))
		return no_log(l);
	said = pmk_access_log_said(l->text, "pmu");
	l->pmu = said ? pmk_pmu_find(said) : NULL;
	if (!l->pmu || !next_line(l) || !pmk_access_log_said(l->text, "core"))
		return no_log(l);
	if (!l->json) {
		printf("%s%s of core ", show_bold(), l->pmu->name);
		pmk_print(stdout, "%s", pmk_access_log_said(l->text, "core"));
		printf("\n\n%14s %14s  %-20s access%s\n", "cycles", "instructions", "at",
		       show_plain());
	}
	l->reads = calloc(l->pmu->nregs, sizeof(*l->reads));
	l->writes = calloc(l->pmu->nregs, sizeof(*l->writes));
	if (!l->reads || !l->writes)
		return cli_no_memory();
	return next_line(l) ? 0 : no_log(l);
}

/* ---- remarks --------------------------------------------------------------------------------- */

static void add_remark(struct log *l, const char *text, size_t n)
{
	unsigned i = 0;

	while (i < l->nremarks &&
	       (strncmp(l->remark[i].text, text, n) != 0 || l->remark[i].text[n]))
		i++;
	if (i == MAX_REMARKS)
		return;
	if (i == l->nremarks) {
		l->remark[i] = (struct remark){ strndup(text, n), 0, l->line };
		if (!l->remark[i].text)
			return;
		l->nremarks++;
	}
	l->remark[i].times++;
}

/* Get the first remark at *at, and move *at past it. Returns false if there is none. */
static bool next_remark(const char **at, const char **text, size_t *n)
{
	const char *end = strstr(*at, "; ");

	*text = *at;
	*n = end ? (size_t)(end - *at) : strlen(*at);
	*at += *n + (end ? 2 : 0);
	return *n > 0;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static const char *function_of(const struct log *l, uint64_t address)
{
	uint64_t begin;

	return l->functions ? pmk_functions_at(l->functions, address, &begin) : NULL;
}

/* Print the non-zero fields, and events, on one line. A counter is a single field, so nothing is
 * printed for it. */
static void print_fields(const struct log *l, const struct word *w)
{
	for (int bit = w->reg->width - 1; bit >= 0;) {
		struct part p = next_part(l->pmu, w, &bit);

		if ((!p.value && !p.event) || p.hi - p.lo + 1u == w->reg->width)
			continue;
		printf(" %s", p.field ? p.field->name : "-");
		if (p.event)
			printf("=%s", p.event->name);
		else if (p.hi != p.lo)
			printf("=0x%" PRIx64, p.value);
		if (p.wrong)
			putchar('!');
	}
}

static void print_access(const struct log *l, const struct pmk_access_logged *a)
{
	const char *function = function_of(l, a->address), *remark;
	char where[48], hex[24];
	size_t n;

	if (function)
		snprintf(where, sizeof(where), "%s", function);
	else
		snprintf(where, sizeof(where), "0x%" PRIx64, a->address);
	pmk_print(stdout, "%14" PRIu64 " %14" PRIu64 "  %-20s ", a->cycles, a->instructions, where);
	if (!a->reg) {
		printf("interrupt %s\n", a->value ? "asserted" : "gone");
		return;
	}
	hex_text(hex, sizeof(hex), a->value, a->reg->width);
	printf("%-5s %s = %s", a->kind == PMK_ACCESS_WRITE ? "write" : "read", a->reg->name, hex);
	print_fields(l, &(struct word){ .reg = a->reg, .value = a->value });
	putchar('\n');
	for (const char *at = a->remarks; next_remark(&at, &remark, &n);) {
		char *one = strndup(remark, n);

		pmk_print(stdout, "%*s! %s\n", 32, "", one);
		free(one);
	}
}

static void print_json(const struct log *l, const struct pmk_access_logged *a)
{
	static const char *const kinds[] = { "read", "write", "interrupt" };
	json_object *o = json_object_new_object(), *remarks = json_object_new_array();
	const char *remark;
	char text[24];
	size_t n;

	pmk_json_count(o, "cycles", a->cycles);
	pmk_json_count(o, "instructions", a->instructions);
	pmk_json_count(o, "cpu", a->vcpu);
	snprintf(text, sizeof(text), "0x%" PRIx64, a->address);
	pmk_json_text(o, "address", text);
	pmk_json_text(o, "function", function_of(l, a->address));
	pmk_json_text(o, "mode", *a->mode ? a->mode : NULL);
	pmk_json_text(o, "access", kinds[a->kind]);
	pmk_json_text(o, "register", a->reg ? a->reg->name : NULL);
	hex_text(text, sizeof(text), a->value, a->reg ? a->reg->width : 1);
	pmk_json_text(o, "value", text);
	for (const char *at = a->remarks; next_remark(&at, &remark, &n);) {
		char *one = strndup(remark, n);

		json_object_array_add(remarks, pmk_json_string(one));
		free(one);
	}
	pmk_json_add(o, "remarks", remarks);
	pmk_json_put_record(stdout, o);
}

static void count_access(struct log *l, const struct pmk_access_logged *a)
{
	const char *remark;
	size_t n;

	if (!a->reg)
		l->interrupts += a->value;
	else if (a->kind == PMK_ACCESS_WRITE)
		l->writes[a->reg - l->pmu->regs]++;
	else
		l->reads[a->reg - l->pmu->regs]++;
	for (const char *at = a->remarks; next_remark(&at, &remark, &n);)
		add_remark(l, remark, n);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void print_summary(const struct log *l)
{
	printf("\n%s%10s %10s  register%s\n", show_bold(), "reads", "writes", show_plain());
	for (unsigned i = 0; i < l->pmu->nregs; i++)
		if (l->reads[i] || l->writes[i])
			printf("%10lu %10lu  %-12s %s\n", l->reads[i], l->writes[i],
			       l->pmu->regs[i].name, l->pmu->regs[i].brief);
	printf("\nthe interrupt was asserted %lu times\n", l->interrupts);
	if (l->nremarks)
		printf("\n%s%10s %10s  remark%s\n", show_bold(), "times", "first in line",
		       show_plain());
	for (unsigned i = 0; i < l->nremarks; i++)
		pmk_print(stdout, "%10lu %13lu  %s\n", l->remark[i].times, l->remark[i].line,
			  l->remark[i].text);
}

static int read_lines(struct log *l)
{
	struct pmk_access_logged a;

	while (next_line(l)) {
		if (pmk_access_log_parse(l->text, l->pmu, &a))
			return cli_fail(PMK_EXIT_FAILED,
					"%s:%lu: not a line of a register log for %s", l->path,
					l->line, l->pmu->name);
		count_access(l, &a);
		if (l->json)
			print_json(l, &a);
		else
			print_access(l, &a);
	}
	if (ferror(l->in))
		return cli_fail(PMK_EXIT_FAILED, "%s: %s", l->path, strerror(errno));
	if (!l->json)
		print_summary(l);
	return 0;
}

/* Print the log of `pmk run --log`; as JSON, one object per line. Returns an exit code. */
static int decode_log(const char *path, const char *elf, bool json)
{
	struct log l = { .path = path, .json = json };
	const char *why = NULL;
	char msg[256];
	int code = 0;

	if (elf && pmk_functions_load(&l.functions, elf, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_FAILED, "--elf %s: %s", elf, msg);
	l.in = pmk_file_open(path, true, &why);
	if (!l.in)
		code = cli_fail(PMK_EXIT_FAILED, "--log %s: %s", path, why);
	if (!code)
		code = read_head(&l);
	if (!code)
		code = read_lines(&l);
	if (l.in)
		fclose(l.in);
	pmk_functions_free(l.functions);
	for (unsigned i = 0; i < l.nremarks; i++)
		free(l.remark[i].text);
	free(l.reads);
	free(l.writes);
	free(l.text);
	return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

struct request {
	const char *layout, *log, *elf;
	bool json;
};

#define AT(member) offsetof(struct request, member)

static const struct cli_option options[] = {
	{ 0, "layout", "FILE", "ahbmon: meanings of the codes on AHBMONITOR", CLI_TEXT,
	  AT(layout) },
	{ 0, "log", "FILE", "explain a log that pmk run --log wrote", CLI_TEXT, AT(log) },
	{ 0, "elf", "FILE", "with --log: name the functions of this firmware", CLI_TEXT, AT(elf) },
	CLI_ROW_JSON(AT(json)),
	CLI_ROWS_END,
};

static int run_decode(int argc, char **argv)
{
	struct request q = { 0 };
	const struct pmk_pmu *pmu;
	unsigned n = 0;
	char **operands;
	int code = cli_parse(&cmd_decode, &q, argc, argv, &operands);

	if (code)
		return code;
	while (operands[n])
		n++;
	if (q.log && !n && !q.layout)
		return decode_log(q.log, q.elf, q.json);
	if (n < 2 || q.log || q.elf)
		return cli_fail(PMK_EXIT_USAGE, "decode needs a PMU and REG=VALUE, or --log FILE "
						"(pmk decode --help)");
	pmu = show_find_pmu(operands[0]);
	return pmu ? decode_registers(pmu, operands + 1, n - 1, q.layout, q.json) : PMK_EXIT_USAGE;
}

const struct cli_command cmd_decode = {
	.name = "decode",
	.brief = "explain the bits of a PMU register",
	.usage = "PMU REG=VALUE... [--layout FILE] [-j]\n"
		 "       pmk decode --log FILE [--elf FILE] [-j]",
	.options = options,
	.run = run_decode,
};
