// SPDX-License-Identifier: MIT
/*
 * Finds functions, lines and inlined functions: see symbols.h. Functions are the symbols of the
 * file, or of its separate debug file, which libdwfl finds by build id or link. Between the
 * symbols, addresses that were called become functions. Lines and inlined functions come from
 * DWARF.
 *
 * Each unit of the debug information is read at most once, and only if it covers one of the
 * addresses: a short run touches little of, for example, 2 GB. libdw's look-ups of single addresses
 * are not used, because they walk through a unit each time, and because up to version 0.190 they
 * need .debug_aranges, which compilers based on LLVM do not write.
 */
#define _GNU_SOURCE
#include "profile/recording/symbols.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/search.h"
#include "profile/recording/plt.h"

/* Maximum nesting of scopes. Compilers stay far below it; damaged files do not. */
#define MAX_DEPTH 256

struct symbol {
	struct pmk_symbols_function function;
	uint64_t end;
	bool sized; /* true for a function with a size, false for a label */
	unsigned char bind;
};

/* The state of reading. */
struct reader {
	struct pmk_symbols *s;
	const uint64_t *addr;
	const bool *called;
	size_t n;
	const struct pmk_symbols_watch *watch;
	Dwfl_Module *module;
	Elf *elf;
	Dwarf_Addr bias; /* the difference that libdwfl adds to the file's addresses */
	bool arm;
	uint64_t entry; /* entry point of the file */
	bool failed;	/* out of memory */
	/* Facts about the unit that is being read. */
	uint64_t shift; /* added to an address in DWARF, it gives the address in the file */
	Dwarf_Files *file;
	size_t nfiles;
	Dwarf_Half version; /* of DWARF */
	size_t ninlined_room, nnames_room;
};

/* Returns the index of the first address that is not below `addr`. */
static size_t first_at(const struct reader *r, uint64_t addr)
{
	return pmk_first_from(r->addr, r->n, sizeof(*r->addr), 0, addr);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Store the string; the list owns it from now on. Returns NULL if out of memory. */
static const char *keep_name(struct reader *r, char *name)
{
	struct pmk_symbols *s = r->s;

	if (name && PMK_APPEND(s->name, s->nnames, r->nnames_room, name))
		return name;
	free(name);
	r->failed = true;
	return NULL;
}

/* "memcmp@plt": the name that objdump and perf give the stub for calls of a function. */
#define STUB "@plt"

static const char *stub_name(struct reader *r, const char *function)
{
	char *name;

	return keep_name(r, asprintf(&name, "%s" STUB, function) < 0 ? NULL : name);
}

/* Returns the source name of a symbol of C++ or Rust, and other symbols unchanged. */
static const char *symbol_demangle(struct reader *r, const char *symbol)
{
	const char *stub = strstr(symbol, STUB);
	bool is_stub = stub && !stub[strlen(STUB)];
	char *mangled, *name;

	if (strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "_R", 2) != 0)
		return symbol;
	mangled = strndup(symbol, is_stub ? (size_t)(stub - symbol) : strlen(symbol));
	name = mangled ? cplus_demangle(mangled, DMGL_PARAMS | DMGL_ANSI) : NULL;
	free(mangled);
	if (!name)
		return symbol;
	symbol = is_stub ? stub_name(r, name) : keep_name(r, name);
	if (is_stub)
		free(name);
	return symbol;
}

/* ---- functions ------------------------------------------------------------------------------ */

/* Returns the end of the section that contains the symbol, in the file's addresses; 0 if the
 * section has no code. */
static uint64_t code_end(const struct reader *r, Elf *elf, Dwarf_Addr bias, size_t section)
{
	Elf_Scn *scn = elf ? elf_getscn(elf, section) : NULL;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
		return 0;
	return sh.sh_addr + sh.sh_size + bias - r->bias;
}

static bool is_function(const char *name, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	/* Symbols "$a", "$d" … mark code and data of ARM files and are not names. Labels without a
	 * type come from assembler code, whose authors use them as functions. */
	return name && *name && *name != '$' && sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Set *out from symbol number `i`. Returns false if the symbol is not a function. */
static bool read_symbol(const struct reader *r, int i, struct symbol *out)
{
	GElf_Sym sym;
	GElf_Addr addr;
	GElf_Word section;
	Elf *elf;
	Dwarf_Addr bias;
	const char *name =
		dwfl_module_getsym_info(r->module, i, &sym, &addr, &section, &elf, &bias);
	bool typed;

	if (!is_function(name, &sym))
		return false;
	typed = GELF_ST_TYPE(sym.st_info) != STT_NOTYPE;
	addr -= r->bias;
	if (r->arm && typed)
		addr &= ~UINT64_C(1);
	*out = (struct symbol){ { .symbol = name, .address = addr },
				.end = code_end(r, elf, bias, section),
				.sized = typed && sym.st_size,
				.bind = GELF_ST_BIND(sym.st_info) };
	if (out->end <= addr)
		return false;
	if (sym.st_size && sym.st_size < out->end - addr)
		out->end = addr + sym.st_size;
	return true;
}

static size_t underscores_count(const char *name)
{
	return strspn(name, "_");
}

/* Orders symbols. The first of several symbols at one address is used: a function before a label, a
 * global before a weak and a local symbol, one with fewer leading underscores, a shorter one. So
 * "printf" is used before "_IO_printf", and "__printf_fp" before "__GI___printf_fp". */
static int by_address(const void *a, const void *b)
{
	static const unsigned char rank[16] = { [STB_LOCAL] = 2, [STB_WEAK] = 1 };
	const struct symbol *x = a, *y = b;
	const char *p = x->function.symbol, *q = y->function.symbol;

	if (x->function.address != y->function.address)
		return x->function.address < y->function.address ? -1 : 1;
	if (x->sized != y->sized)
		return x->sized ? -1 : 1;
	if (rank[x->bind] != rank[y->bind])
		return rank[x->bind] - rank[y->bind];
	if (underscores_count(p) != underscores_count(q))
		return underscores_count(p) < underscores_count(q) ? -1 : 1;
	if (strlen(p) != strlen(q))
		return strlen(p) < strlen(q) ? -1 : 1;
	return strcmp(p, q);
}

/* Make sorted symbols disjoint: a label inside a function is dropped, and a symbol ends where the
 * next one begins, or earlier. Returns the number of symbols that remain. */
static size_t make_disjoint(struct symbol *list, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct symbol *last = n ? &list[n - 1] : NULL;
		uint64_t begin = list[i].function.address;

		if (last && (begin == last->function.address ||
			     (!list[i].sized && last->sized && begin < last->end)))
			continue;
		if (last && last->end > begin)
			last->end = begin;
		list[n++] = list[i];
	}
	return n;
}

/* Returns the name of the symbol at this address in a sorted list; NULL if there is none. */
static const char *symbol_at(const struct symbol *list, size_t n, uint64_t address)
{
	size_t i = PMK_FIRST_FROM(list, n, function.address, address);

	return i < n && list[i].function.address == address ? list[i].function.symbol : NULL;
}

/* Add the stubs of calls to functions in other files to the sorted symbols. Returns the new number
 * of symbols. */
static size_t add_stubs(struct reader *r, struct symbol *list, size_t n,
			const struct pmk_plt_stub *stub, size_t nstubs)
{
	size_t all = n;

	for (size_t i = 0; i < nstubs && !r->failed; i++) {
		uint64_t resolver = r->arm ? stub[i].resolver & ~UINT64_C(1) : stub[i].resolver;
		const char *function =
			stub[i].function ? stub[i].function : symbol_at(list, n, resolver);

		if (!function)
			continue;
		list[all++] = (struct symbol){
			.function = { .symbol = stub_name(r, function),
				      .address = stub[i].address },
			.end = stub[i].address + stub[i].size,
			.sized = true,
		};
	}
	return all;
}

static void read_functions(struct reader *r)
{
	int count = dwfl_module_getsymtab(r->module);
	size_t room, n = 0, nstubs;
	struct pmk_symbols *s = r->s;
	struct pmk_plt_stub *stub;
	struct symbol *list;

	r->failed = pmk_plt_read(r->elf, &stub, &nstubs);
	room = (count > 0 ? (size_t)count : 0) + nstubs + 1;
	list = calloc(room, sizeof(*list));
	s->function = calloc(room, sizeof(*s->function));
	r->failed |= !list || !s->function;
	for (int i = 0; !r->failed && i < count; i++)
		n += read_symbol(r, i, &list[n]);
	if (!r->failed) {
		qsort(list, n, sizeof(*list), by_address);
		n = add_stubs(r, list, n, stub, nstubs);
	}
	if (!r->failed) {
		qsort(list, n, sizeof(*list), by_address);
		n = make_disjoint(list, n);
		for (size_t i = 0; i < n; i++) {
			s->function[i] = list[i].function;
			s->function[i].size = list[i].end - list[i].function.address;
			s->function[i].name = list[i].function.symbol;
		}
		s->nfunctions = n;
	}
	free(stub);
	free(list);
}

/* Returns the index of the first function that begins after the address. */
static size_t function_behind(const struct pmk_symbols *s, uint64_t addr)
{
	return PMK_FIRST_BEHIND(s->function, s->nfunctions, address, addr);
}

/* Returns the function that contains the address, or PMK_NOWHERE. */
static uint32_t function_at(const struct pmk_symbols *s, uint64_t addr)
{
	size_t behind = function_behind(s, addr);

	if (!behind || addr - s->function[behind - 1].address >= s->function[behind - 1].size)
		return PMK_NOWHERE;
	return (uint32_t)(behind - 1);
}

/* Returns the first index from `i` on that has no name yet. If `i` has a name, next[i] is a later
 * index, at most the result. Otherwise it is `i`. */
static uint32_t next_unnamed(uint32_t *next, uint32_t i)
{
	while (next[i] != i)
		i = next[i] = next[next[i]];
	return i;
}

/* Set number[i] to the number of the last name that covers addr[i], counted from 1, or to 0 if no
 * name covers it. */
static void number_names(const struct reader *r, const struct pmk_recorded_name *name, size_t n,
			 uint32_t *number, uint32_t *next)
{
	for (uint32_t i = 0; i <= r->n; i++)
		next[i] = i;
	for (size_t i = n; i-- > 0;) {
		uint32_t at = next_unnamed(next, (uint32_t)first_at(r, name[i].start));

		for (; at < r->n && r->addr[at] - name[i].start < name[i].size;
		     at = next_unnamed(next, at)) {
			number[at] = (uint32_t)i + 1;
			next[at] = at + 1;
		}
	}
}

/* Add a function. If the previous function overlaps it, the function with the newer name gets the
 * addresses that are in both. */
static void add_named(struct pmk_symbols *s, const struct pmk_recorded_name *name, bool newer)
{
	struct pmk_symbols_function *f = &s->function[s->nfunctions];
	uint64_t start = name->start, before = s->nfunctions ? f[-1].address + f[-1].size : 0;

	if (start < before && newer)
		f[-1].size = start - f[-1].address;
	else if (start < before)
		start = before;
	*f = (struct pmk_symbols_function){
		.symbol = name->name,
		.name = name->name,
		.address = start,
		.size = name->start + name->size - start,
	};
	s->nfunctions++;
}

static void add_names(struct reader *r, const struct pmk_recorded_name *name, size_t n)
{
	uint32_t *number = calloc(r->n + 1, sizeof(*number)), last = 0;
	uint32_t *next = malloc((r->n + 1) * sizeof(*next));

	r->s->function = calloc(r->n + 1, sizeof(*r->s->function));
	r->failed = !number || !next || !r->s->function;
	if (!r->failed)
		number_names(r, name, n, number, next);
	for (size_t i = 0; !r->failed && i < r->n; i++) {
		if (number[i] && number[i] != last) {
			add_named(r->s, &name[number[i] - 1], number[i] > last);
			last = number[i];
		}
	}
	free(number);
	free(next);
}

/* Begin a function at each called address that belongs to no symbol. Also begin one at the first
 * executed address of each gap between symbols, because a jump through a linker's table may have
 * led there. */
static void add_called(struct reader *r)
{
	struct pmk_symbols *s = r->s;
	struct pmk_symbols_function *list = calloc(s->nfunctions + r->n + 1, sizeof(*list));
	size_t taken = 0, n = 0, last = SIZE_MAX;

	if (!list) {
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < r->n; i++) {
		uint64_t addr = r->addr[i];
		size_t behind = function_behind(s, addr);

		if (function_at(s, addr) != PMK_NOWHERE ||
		    (behind == last && !r->called[i] && addr != r->entry))
			continue;
		last = behind;
		while (taken < behind)
			list[n++] = s->function[taken++];
		/* A function ends where the next one begins; the last one ends after the last
		 * address. */
		if (n && !list[n - 1].symbol)
			list[n - 1].size = addr - list[n - 1].address;
		list[n++] = (struct pmk_symbols_function){
			.address = addr,
			.size = (behind < s->nfunctions ? s->function[behind].address
							: r->addr[r->n - 1] + 1) -
				addr,
		};
	}
	while (taken < s->nfunctions)
		list[n++] = s->function[taken++];
	free(s->function);
	s->function = list;
	s->nfunctions = n;
}

static void place_functions(struct reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		uint32_t at = function_at(r->s, r->addr[i]);
		struct pmk_symbols_function *f;

		r->s->place[i].function = at;
		if (at == PMK_NOWHERE || r->s->function[at].used)
			continue;
		f = &r->s->function[at];
		f->used = true;
		if (f->symbol)
			f->name = symbol_demangle(r, f->symbol);
	}
}

/* ---- DWARF ---------------------------------------------------------------------------------- */

/* Iterate over the address ranges of a scope. `first` and `last` are indexes of the looked-up
 * addresses in the present range. */
struct ranges {
	Dwarf_Die *die;
	ptrdiff_t at;
	Dwarf_Addr base, begin, end;
	size_t first, last; /* `last` is not included */
};

static bool next_range(const struct reader *r, struct ranges *g)
{
	g->at = dwarf_ranges(g->die, g->at, &g->base, &g->begin, &g->end);
	if (g->at <= 0)
		return false;
	g->begin += r->shift;
	g->end += r->shift;
	g->first = first_at(r, g->begin);
	g->last = first_at(r, g->end);
	return true;
}

static bool is_covered(const struct reader *r, Dwarf_Die *die)
{
	struct ranges g = { .die = die };

	while (next_range(r, &g))
		if (g.first < g.last)
			return true;
	return false;
}

static const char *file_of(const struct reader *r, Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word number;

	/* Up to version 4, files were numbered from 1, and 0 meant none. */
	if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &a), &number) ||
	    number >= r->nfiles || (!number && r->version < 5))
		return NULL;
	return pmk_debug_file(&r->s->debug, dwarf_filesrc(r->file, number, NULL, NULL));
}

static unsigned line_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word line;

	if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &a), &line) || line > UINT32_MAX)
		return 0;
	return (unsigned)line;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &a));

	return name ? name
		    : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a));
}

/* Read a function of the source: assign its file and line to the symbols' functions that begin
 * at the same address. */
static void read_subprogram(struct reader *r, Dwarf_Die *die)
{
	struct ranges g = { .die = die };

	while (next_range(r, &g)) {
		uint32_t at = function_at(r->s, g.begin);
		struct pmk_symbols_function *f = at == PMK_NOWHERE ? NULL : &r->s->function[at];

		if (!f || f->file || f->address != g.begin)
			continue;
		f->file = file_of(r, die, DW_AT_decl_file);
		f->line = line_of(die, DW_AT_decl_line);
	}
}

/* Read an inlined function. Functions that are inlined into it come later and replace it at
 * their addresses. Returns the function's number, or `parent` if it covers none of the
 * addresses. */
static uint32_t read_inlined(struct reader *r, Dwarf_Die *die, uint32_t parent)
{
	struct ranges g = { .die = die };
	const char *symbol = linkage_name(die), *name = symbol ? NULL : dwarf_diename(die);
	struct pmk_symbols *s = r->s;
	uint32_t number = (uint32_t)s->ninlined;

	if ((!symbol && !name) || !is_covered(r, die))
		return parent;
	if (!PMK_GROW(s->inlined, s->ninlined, r->ninlined_room)) {
		r->failed = true;
		return parent;
	}
	s->inlined[s->ninlined++] = (struct pmk_symbols_inlined){
		.parent = parent,
		.name = symbol ? symbol_demangle(r, symbol) : name,
		.symbol = symbol,
		.file = file_of(r, die, DW_AT_call_file),
		.line = line_of(die, DW_AT_call_line),
	};
	while (next_range(r, &g))
		for (size_t i = g.first; i < g.last; i++)
			s->place[i].inlined = number;
	return number;
}

/* True if functions with code can be nested in a scope of this kind. */
static bool is_scope(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

static void read_scopes(struct reader *r, Dwarf_Die *die, uint32_t parent, unsigned depth);

static void read_scope(struct reader *r, Dwarf_Die *die, uint32_t parent, unsigned depth)
{
	int tag = dwarf_tag(die);

	if (tag == DW_TAG_subprogram) {
		if (!is_covered(r, die))
			return;
		read_subprogram(r, die);
		parent = PMK_NOWHERE;
	} else if (tag == DW_TAG_inlined_subroutine) {
		parent = read_inlined(r, die, parent);
	}
	if (is_scope(tag))
		read_scopes(r, die, parent, depth + 1);
}

/* Read the scopes inside a scope: outer before inner. */
static void read_scopes(struct reader *r, Dwarf_Die *die, uint32_t parent, unsigned depth)
{
	Dwarf_Off last = 0;
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(die, &child))
		return;
	do {
		/* In a damaged file, scopes may point backwards, so that this loop would
		 * never end. */
		if (dwarf_dieoffset(&child) <= last)
			return;
		last = dwarf_dieoffset(&child);
		read_scope(r, &child, parent, depth);
	} while (!r->failed && !dwarf_siblingof(&child, &child));
}

static void read_lines(struct reader *r, Dwarf_Die *unit)
{
	struct ranges g = { .die = unit };

	while (next_range(r, &g))
		for (size_t i = g.first; i < g.last; i++) {
			Dwarf_Line *line = dwarf_getsrc_die(unit, r->addr[i] - r->shift);
			int number;

			/* Line 0 is code that belongs to no line of the source. */
			if (!line || dwarf_lineno(line, &number) || number <= 0)
				continue;
			r->s->place[i].file =
				pmk_debug_file(&r->s->debug, dwarf_linesrc(line, NULL, NULL));
			r->s->place[i].line = (unsigned)number;
		}
}

static bool must_go_on(const struct reader *r)
{
	return !r->failed && (!r->watch || r->watch->go_on(r->watch->ctx));
}

static void read_debug(struct reader *r)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(r->module, &bias);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	uint8_t type;

	if (!dwarf)
		return;
	r->shift = bias - r->bias;
	while (must_go_on(r) &&
	       !dwarf_get_units(dwarf, cu, &cu, &r->version, &type, &unit, &split)) {
		Dwarf_Die *scopes = type == DW_UT_skeleton ? &split : &unit;

		if ((type != DW_UT_compile && type != DW_UT_skeleton) || !is_covered(r, &unit))
			continue;
		pmk_debug_enter(&r->s->debug, &unit);
		read_lines(r, &unit);
		if (!scopes->addr) /* the .dwo file of the unit is missing */
			continue;
		if (dwarf_getsrcfiles(scopes, &r->file, &r->nfiles))
			r->nfiles = 0;
		read_scopes(r, scopes, PMK_NOWHERE, 0);
	}
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Opens the file. Returns false if it has nothing to read. */
static bool open_file(struct reader *r, const char *path)
{
	GElf_Ehdr eh;

	if (!path || pmk_debug_open(&r->s->debug, path))
		return false;
	r->module = r->s->debug.module;
	r->elf = dwfl_module_getelf(r->module, &r->bias);
	if (!r->elf || !gelf_getehdr(r->elf, &eh))
		return false;
	r->arm = eh.e_machine == EM_ARM;
	r->entry = r->arm ? eh.e_entry & ~UINT64_C(1) : eh.e_entry;
	pmk_debug_build_id(&r->s->debug, r->s->build_id);
	return true;
}

static int start_symbols(struct pmk_symbols *s, size_t n)
{
	*s = (struct pmk_symbols){ .place = malloc((n + 1) * sizeof(*s->place)) };
	if (!s->place)
		return PMK_ENOMEM;
	for (size_t i = 0; i < n; i++)
		s->place[i] = (struct pmk_symbols_place){ PMK_NOWHERE, PMK_NOWHERE, NULL, 0 };
	return 0;
}

/* Assign the addresses to the functions that were found. */
static void finish_functions(struct reader *r)
{
	if (!r->failed && r->called)
		add_called(r);
	if (!r->failed)
		place_functions(r);
}

int pmk_symbols_load(struct pmk_symbols *s, const char *path, const uint64_t *addr,
		     const bool *called, size_t n, const struct pmk_symbols_watch *watch)
{
	struct reader r = { .s = s, .addr = addr, .called = called, .n = n, .watch = watch };
	bool is_open;

	if (start_symbols(s, n))
		return PMK_ENOMEM;
	is_open = open_file(&r, path);
	if (is_open)
		read_functions(&r);
	finish_functions(&r);
	if (!r.failed && is_open)
		read_debug(&r);
	return r.failed ? PMK_ENOMEM : 0;
}

int pmk_symbols_named(struct pmk_symbols *s, const struct pmk_recorded_name *name, size_t nnames,
		      const uint64_t *addr, const bool *called, size_t n)
{
	struct reader r = { .s = s, .addr = addr, .called = called, .n = n };

	if (start_symbols(s, n))
		return PMK_ENOMEM;
	if (nnames)
		add_names(&r, name, nnames);
	finish_functions(&r);
	return r.failed ? PMK_ENOMEM : 0;
}

void pmk_symbols_free(struct pmk_symbols *s)
{
	for (size_t i = 0; i < s->nnames; i++)
		free(s->name[i]);
	free(s->name);
	free(s->place);
	free(s->function);
	free(s->inlined);
	pmk_debug_close(&s->debug);
	*s = (struct pmk_symbols){ 0 };
}
