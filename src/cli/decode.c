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
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>
#include <pmk/bits.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/decode.h"
#include "cli/fields.h"
#include "cli/show.h"
#include "pmu/ahbmon/layout.h"
#include "pmu/ahbmon/packet_reg.h"
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

static const char *reg_name(const void *ctx, unsigned i)
{
	const struct pmk_pmu *pmu = ctx;

	return i < pmu->nregs ? pmu->regs[i].name : NULL;
}

#define MORE " and others (pmk info PMU)"

static int unknown_register(const struct pmk_pmu *pmu, const char *name)
{
	char all[256] = "it has ";
	size_t at = strlen(all);

	for (unsigned i = 0; i < pmu->nregs; i++) {
		const char *reg = pmu->regs[i].name;

		/* Some PMUs have a hundred registers. */
		if (at + strlen(", ") + strlen(reg) + strlen(MORE) >= sizeof(all)) {
			strcpy(all + at, MORE);
			break;
		}
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i ? ", " : "", reg);
	}
	return cli_not_found(cli_near(name, reg_name, pmu), all, "%s has no register '%s'",
			     pmu->name, name);
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

/* Load the codes of packets if they are needed, or if --layout names a file. Otherwise the file
 * with the codes may be missing. */
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
	CLI_ROW_HELP,
	{ 0, NULL, NULL, NULL },
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
