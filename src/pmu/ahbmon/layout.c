// SPDX-License-Identifier: MIT
/* Reads layout files of the AHB Monitor. See layout.h. */
#include "pmu/ahbmon/layout.h"
#include "pmu/ahbmon/regs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <pmk/ahbmon_model.h>
#include <pmk/error.h>

#include "base/ini.h"
#include "base/nearest.h"
#include "base/number.h"

#define WINDOW 0x10000u /* bytes that the registers may occupy: DDI 0287B §4.1 */

/* The names of the layers, in the order of enum pmk_ahbmon_bus. */
static const char *const layer_names[PMK_AHBMON_NLAYERS] = { "armi", "clcdc", "dma0",
							     "dma1", "exp",   "armd" };

/* Entries of [layout], [control] and [threshold]. */
enum item { NAME, PROVENANCE, BASE, ENABLE, TRACK_DBGACK, CASTOUT4_ALIGNED, WIDTH, NITEMS };

static const struct {
	const char *section, *name;
	bool optional;
} items[NITEMS] = {
	[NAME] = { "layout", "name", false },
	[PROVENANCE] = { "layout", "provenance", false },
	[BASE] = { "layout", "base", false },
	[ENABLE] = { "control", "enable", false },
	[TRACK_DBGACK] = { "control", "track_dbgack", false },
	[CASTOUT4_ALIGNED] = { "control", "castout4_aligned", true },
	[WIDTH] = { "threshold", "width", false },
};

struct reading {
	struct pmk_ahbmon_layout_file *file;
	/* The line in which each entry was found, or 0 if it was not found yet. */
	unsigned item[NITEMS];
	unsigned reg[PMK_AHBMON_NREGS];
	unsigned code[PMK_AHBMON_NLAYERS][PMK_AHBMON_NCODES];
	unsigned after_retry;
};

/* ---- values -------------------------------------------------------------------------------- */

/* Reads a number, decimal or 0x…. Octal numbers do not exist: 010 is ten. */
static bool read_number(struct pmk_ini *ini, const char *name, const char *value, uint64_t max,
			uint64_t *n)
{
	int err = pmk_number_parse(value, PMK_ANY_BASE, 0, max, n);

	if (err == PMK_EPARSE)
		return pmk_ini_fail(ini, ini->line, "%s: '%.40s' is not a number", name, value);
	if (err)
		return pmk_ini_fail(ini, ini->line, "%s: %.40s is more than %s%llx", name, value,
				    max > 9 ? "0x" : "", (unsigned long long)max);
	return true;
}

/* Records that the entry was found; reports an error if it was found before. */
static bool note_line(struct pmk_ini *ini, const char *name, unsigned *line)
{
	if (*line)
		return pmk_ini_fail(ini, ini->line, "%s is given twice: line %u", name, *line);
	*line = ini->line;
	return true;
}

static bool is_none(const char *value)
{
	return strcasecmp(value, "none") == 0;
}

/* ---- [layout], [control], [threshold] ------------------------------------------------------ */

static bool take_bit(struct pmk_ini *ini, const char *name, const char *value, uint32_t *bit)
{
	uint64_t n;

	if (!read_number(ini, name, value, 31, &n))
		return false;
	*bit = UINT32_C(1) << n;
	return true;
}

static bool take_width(struct pmk_ini *ini, const char *value, uint32_t *bits)
{
	uint64_t n;

	if (!read_number(ini, "width", value, 32, &n))
		return false;
	if (!n)
		return pmk_ini_fail(ini, ini->line, "width: a threshold must have at least 1 bit");
	*bits = UINT32_MAX >> (32 - n);
	return true;
}

static bool take_base(struct pmk_ini *ini, const char *value, uint32_t *base)
{
	uint64_t n;

	if (!read_number(ini, "base", value, UINT32_MAX, &n))
		return false;
	if (n % WINDOW)
		return pmk_ini_fail(ini, ini->line, "base: the window must be aligned to 64 KB");
	*base = (uint32_t)n;
	return true;
}

static bool take_item(struct reading *r, struct pmk_ini *ini, enum item item, const char *value)
{
	struct pmk_ahbmon_layout *l = &r->file->layout;
	const char *name = items[item].name;

	if (!note_line(ini, name, &r->item[item]))
		return false;
	switch (item) {
	case NAME:
		if (!*value || strlen(value) >= sizeof(r->file->name))
			return pmk_ini_fail(ini, ini->line, "name: 1 to %zu characters",
					    sizeof(r->file->name) - 1);
		strcpy(r->file->name, value);
		return true;
	case PROVENANCE:
		if (strcmp(value, "manual") != 0 && strcmp(value, "project") != 0)
			return pmk_ini_fail(ini, ini->line,
					    "provenance must be 'project' or 'manual', not '%.40s'",
					    value);
		l->provenance = *value == 'm' ? PMK_AHBMON_FROM_MANUAL : PMK_AHBMON_FROM_PROJECT;
		return true;
	case BASE:
		return take_base(ini, value, &l->base);
	case ENABLE:
		return take_bit(ini, name, value, &l->enable);
	case TRACK_DBGACK:
		return take_bit(ini, name, value, &l->track_dbgack);
	case CASTOUT4_ALIGNED:
		return is_none(value) || take_bit(ini, name, value, &l->castout4_aligned);
	case WIDTH:
		return take_width(ini, value, &l->threshold);
	case NITEMS:
		break;
	}
	return false;
}

/* ---- [offset] ------------------------------------------------------------------------------ */

static bool no_such(struct pmk_ini *ini, const char *what, const char *name,
		    struct pmk_nearest *near)
{
	char hint[160];

	pmk_nearest_text(near, hint, sizeof(hint));
	return pmk_ini_fail(ini, ini->line, "there is no %s '%.40s'%s%s%s", what, name,
			    *hint ? "; did you mean " : "", hint, *hint ? "?" : "");
}

static bool take_offset(struct reading *r, struct pmk_ini *ini, const char *name, const char *value)
{
	struct pmk_nearest near;
	unsigned reg = 0;
	uint64_t n;

	pmk_nearest_init(&near, name);
	while (reg < PMK_AHBMON_NREGS && strcasecmp(name, pmk_ahbmon_regs[reg].name) != 0)
		pmk_nearest_offer(&near, pmk_ahbmon_regs[reg++].name);
	if (reg == PMK_AHBMON_NREGS)
		return no_such(ini, "register", name, &near);
	name = pmk_ahbmon_regs[reg].name;
	if (!note_line(ini, name, &r->reg[reg]))
		return false;
	if (is_none(value) && reg >= PMK_AHBMON_THRESHOLD0)
		return true;
	if (!read_number(ini, name, value, WINDOW - 4, &n))
		return false;
	if (n % 4)
		return pmk_ini_fail(ini, ini->line,
				    "%s: registers are words, and %s is not a multiple of 4", name,
				    value);
	for (unsigned i = 0; i < PMK_AHBMON_NREGS; i++)
		if (i != reg && r->reg[i] && r->file->layout.offset[i] == n)
			return pmk_ini_fail(ini, ini->line,
					    "%s: offset %s is already used by %s in line %u", name,
					    value, pmk_ahbmon_regs[i].name, r->reg[i]);
	r->file->layout.offset[reg] = (uint16_t)n;
	return true;
}

/* ---- [packet …] ---------------------------------------------------------------------------- */

static void code_name(unsigned number, char *buf, size_t size)
{
	struct pmk_ahbmon_layer_state s = pmk_ahbmon_coded_state(number);

	pmk_ahbmon_state_text(&s, buf, size);
}

/* Returns the number of a state by its name; PMK_AHBMON_NCODES: there is none. */
static unsigned find_code(const char *name)
{
	unsigned k = 0;

	for (; k < PMK_AHBMON_NCODES; k++) {
		char text[16];

		code_name(k, text, sizeof(text));
		if (strcasecmp(name, text) == 0)
			break;
	}
	return k;
}

static bool no_state(struct pmk_ini *ini, const char *name)
{
	return pmk_ini_fail(
		ini, ini->line,
		"there is no state '%.40s'; the states are I, B, EN, RN, WS, WB, WA, NR0 to "
		"NR15, NW0 to NW15, and S_ with a kind of burst, such as S_INCR4",
		name);
}

static bool take_code(struct reading *r, struct pmk_ini *ini, unsigned layer, const char *name,
		      const char *value)
{
	struct pmk_ahbmon_codes *codes = &r->file->packet.layer[layer];
	uint64_t field = pmk_ahbmon_packet_field[layer], n;
	unsigned code = find_code(name);
	char other[16];

	if (code == PMK_AHBMON_NCODES)
		return no_state(ini, name);
	if (!note_line(ini, name, &r->code[layer][code]))
		return false;
	if (is_none(value))
		return true;
	if (!read_number(ini, name, value, PMK_GET(field, field), &n))
		return false;
	for (unsigned k = 0; k < PMK_AHBMON_NCODES; k++) {
		if (*pmk_ahbmon_code(codes, k) != (int)n)
			continue;
		code_name(k, other, sizeof(other));
		return pmk_ini_fail(ini, ini->line, "%s: code %s is already used by %s in line %u",
				    name, value, other, r->code[layer][k]);
	}
	*pmk_ahbmon_code(codes, code) = (int16_t)n;
	return true;
}

/* Reads the only entry of the section [packet], after_retry, which applies to all layers. */
static bool take_packet(struct reading *r, struct pmk_ini *ini, const char *name, const char *value)
{
	unsigned code = find_code(value);

	if (strcmp(name, "after_retry") != 0)
		return pmk_ini_fail(
			ini, ini->line,
			"[packet] can have only after_retry; write codes in [packet LAYER], such "
			"as [packet armd]");
	if (!note_line(ini, name, &r->after_retry))
		return false;
	if (code >= PMK_AHBMON_S_S)
		return pmk_ini_fail(ini, ini->line,
				    "after_retry must be I, B, EN, RN, WS, WB or WA, not '%.40s'",
				    value);
	r->file->packet.after_retry = (uint8_t)code;
	return true;
}

/* ---- the whole file ------------------------------------------------------------------------ */

static bool take_section(struct reading *r, struct pmk_ini *ini, const char *section,
			 const char *name, const char *value)
{
	struct pmk_nearest near;
	bool there = false;

	pmk_nearest_init(&near, name);
	for (unsigned i = 0; i < NITEMS; i++) {
		if (strcmp(section, items[i].section) != 0)
			continue;
		if (strcmp(name, items[i].name) == 0)
			return take_item(r, ini, (enum item)i, value);
		pmk_nearest_offer(&near, items[i].name);
		there = true;
	}
	if (there) {
		char what[32];

		snprintf(what, sizeof(what), "[%s]", section);
		return no_such(ini, what, name, &near);
	}
	return pmk_ini_fail(
		ini, ini->line,
		"there is no section [%.40s]; the sections are [layout], [control], [threshold], "
		"[offset], [packet] and [packet LAYER]",
		section);
}

static bool take_layer(struct reading *r, struct pmk_ini *ini, const char *layer, const char *name,
		       const char *value)
{
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		if (strcasecmp(layer, layer_names[i]) == 0)
			return take_code(r, ini, i, name, value);
	return pmk_ini_fail(
		ini, ini->line,
		"there is no layer '%.40s'; the layers are armi, clcdc, dma0, dma1, exp and armd",
		layer);
}

/* Reports entries that are required and were not found. */
static bool check_required(struct reading *r, struct pmk_ini *ini)
{
	struct pmk_ahbmon_layout *l = &r->file->layout;

	for (unsigned i = 0; i < NITEMS; i++)
		if (!r->item[i] && !items[i].optional)
			return pmk_ini_fail(ini, ini->line, "[%s] has no %s", items[i].section,
					    items[i].name);
	for (unsigned reg = 0; reg < PMK_AHBMON_THRESHOLD0; reg++)
		if (!r->reg[reg])
			return pmk_ini_fail(ini, ini->line, "[offset] has no %s",
					    pmk_ahbmon_regs[reg].name);
	if (l->enable == l->track_dbgack)
		return pmk_ini_fail(ini, r->item[TRACK_DBGACK],
				    "track_dbgack: 'enable' in line %u already uses this bit",
				    r->item[ENABLE]);
	if (l->castout4_aligned & (l->enable | l->track_dbgack))
		return pmk_ini_fail(
			ini, r->item[CASTOUT4_ALIGNED],
			"castout4_aligned: 'enable' or 'track_dbgack' already uses this bit");
	if (pmk_ahbmon_layout_check(l))
		return pmk_ini_fail(ini, ini->line, "this cannot be a layout of an AHB Monitor");
	return true;
}

static bool take_entry(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
		       const char *value)
{
	struct reading *r = ctx;

	if (!section)
		return check_required(r, ini);
	if (strcmp(section, "offset") == 0)
		return take_offset(r, ini, name, value);
	if (strcmp(section, "packet") == 0)
		return take_packet(r, ini, name, value);
	if (strncmp(section, "packet ", 7) == 0)
		return take_layer(r, ini, section + 7 + strspn(section + 7, " "), name, value);
	return take_section(r, ini, section, name, value);
}

int pmk_ahbmon_layout_load(struct pmk_ahbmon_layout_file *file, const char *path, char *msg,
			   size_t size)
{
	struct reading r = { .file = file };

	memset(file, 0, sizeof(*file));
	for (unsigned reg = 0; reg < PMK_AHBMON_NREGS; reg++)
		file->layout.offset[reg] = PMK_MMIO_NONE;
	pmk_ahbmon_packet_defaults(&file->packet);
	return pmk_ini_load(path, NULL, take_entry, &r, msg, size);
}

int pmk_ahbmon_layout_read(struct pmk_ahbmon_layout *layout, const char *path, char *msg,
			   size_t size)
{
	struct pmk_ahbmon_layout_file file;
	int err = pmk_ahbmon_layout_load(&file, path, msg, size);

	if (!err)
		*layout = file.layout;
	return err;
}
