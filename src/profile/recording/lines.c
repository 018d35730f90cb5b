// SPDX-License-Identifier: MIT
/*
 * Reads the lines of a file. A row of the line table is the address at which the code of a line
 * begins; the code ends at the address of the next row. If several rows have one address, the code
 * belongs to the line of the last row. It also belongs to the line of each earlier row that begins
 * a statement, as for breakpoints.
 */
#include "profile/recording/lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"

struct reader {
	struct pmk_lines *l;
	Dwfl_Module *module;
	Dwarf_Addr bias;  /* added by libdwfl to addresses of the debug information */
	Dwarf_Addr shift; /* the file's own addresses minus those of the debug information */
	bool no_memory;
};

/* ---- what is kept --------------------------------------------------------------------------- */

static void add_line(struct reader *r, const char *file, int line, Dwarf_Addr address)
{
	struct pmk_lines *l = r->l;

	r->no_memory |=
		!PMK_APPEND(l->line, l->nlines, l->line_room,
			    (struct pmk_lines_line){ file, (uint32_t)line, address + r->shift });
}

static void add_function(struct reader *r, const char *symbol, const char *file, int line,
			 uint64_t address)
{
	struct pmk_lines *l = r->l;

	r->no_memory |=
		!PMK_APPEND(l->function, l->nfunctions, l->function_room,
			    (struct pmk_lines_function){ symbol, file, (uint32_t)line, address });
}

/* True if the linker has kept the code at this address. Code that the linker has dropped still has
 * lines, at addresses near 0. */
static bool is_there(const struct reader *r, Dwarf_Addr address)
{
	Dwarf_Addr in_section = address + r->bias, bias;

	return dwfl_module_address_section(r->module, &in_section, &bias) != NULL;
}

/* ---- the debug information ------------------------------------------------------------------ */

static void read_row(struct reader *r, Dwarf_Line *row, Dwarf_Line *next)
{
	Dwarf_Addr from, to;
	bool end, begins;
	const char *file;
	int number;

	if (dwarf_lineendsequence(row, &end) || end || dwarf_linebeginstatement(row, &begins) ||
	    dwarf_lineno(row, &number) || number <= 0 || dwarf_lineaddr(row, &from) ||
	    dwarf_lineaddr(next, &to) || (to <= from && !begins) || !is_there(r, from))
		return;
	file = pmk_debug_file(&r->l->debug, dwarf_linesrc(row, NULL, NULL));
	if (file)
		add_line(r, file, number, from);
}

static void read_unit(struct reader *r, Dwarf_Die *unit)
{
	Dwarf_Lines *rows;
	size_t n;

	if (dwarf_getsrclines(unit, &rows, &n))
		return;
	for (size_t i = 0; i + 1 < n && !r->no_memory; i++)
		read_row(r, dwarf_onesrcline(rows, i), dwarf_onesrcline(rows, i + 1));
}

static int read_function(Dwarf_Die *die, void *ctx)
{
	struct reader *r = ctx;
	const char *file = pmk_debug_file(&r->l->debug, dwarf_decl_file(die)), *symbol;
	Dwarf_Attribute attr;
	Dwarf_Addr entry;
	int line;

	if (dwarf_entrypc(die, &entry) || dwarf_decl_line(die, &line) || !file ||
	    !is_there(r, entry))
		return DWARF_CB_OK;
	symbol = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
	if (!symbol)
		symbol = dwarf_diename(die);
	if (symbol)
		add_function(r, symbol, file, line, entry + r->shift);
	return r->no_memory ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static void read_debug(struct reader *r)
{
	Dwarf *dwarf = dwfl_module_getdwarf(r->module, &r->bias);
	Dwarf_Addr elf_bias;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	uint8_t type;

	if (!dwarf || !dwfl_module_getelf(r->module, &elf_bias))
		return;
	r->shift = r->bias - elf_bias;
	while (!r->no_memory && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, &split)) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		pmk_debug_enter(&r->l->debug, &unit);
		read_unit(r, &unit);
		if (type == DW_UT_compile)
			dwarf_getfuncs(&unit, read_function, r, 0);
		else if (split.addr)
			dwarf_getfuncs(&split, read_function, r, 0);
	}
}

/* ---- the file ------------------------------------------------------------------------------- */

static const char *open_file(struct reader *r, const char *path, const char *wanted)
{
	const char *why = pmk_debug_open(&r->l->debug, path);
	char build_id[PMK_DEBUG_BUILD_ID];

	if (why)
		return why;
	r->module = r->l->debug.module;
	pmk_debug_build_id(&r->l->debug, build_id);
	return wanted && strcmp(build_id, wanted) ? "not the file that ran: another build id"
						  : NULL;
}

int pmk_lines_load(struct pmk_lines *l, const char *path, const char *build_id, const char **why)
{
	struct reader r = { .l = l };

	*l = (struct pmk_lines){ 0 };
	*why = open_file(&r, path, build_id);
	if (!*why)
		read_debug(&r);
	return r.no_memory ? PMK_ENOMEM : 0;
}

void pmk_lines_free(struct pmk_lines *l)
{
	free(l->line);
	free(l->function);
	pmk_debug_close(&l->debug);
	*l = (struct pmk_lines){ 0 };
}
