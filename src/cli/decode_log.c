// SPDX-License-Identifier: MIT
/* pmk decode --log. See decode.h. */
#include "cli/decode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>

#include "base/file.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/fields.h"
#include "cli/show.h"
#include "profile/elf.h"
#include "result/jsonio.h"
#include "producer/session/access_log.h"

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

/* Returns true if there is one. */
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

/* The header: version, PMU, core, names of the columns. */
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

/* Get the first remark at *at, and move *at past it; false: there is none. */
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
		printf("\n%s%10s %10s  what was remarkable%s\n", show_bold(), "times",
		       "first in line", show_plain());
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

int decode_log(const char *path, const char *elf, bool json)
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
