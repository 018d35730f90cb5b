// SPDX-License-Identifier: MIT
/*
 * Reads ELF files through libelf (elfutils): see elf.h. Symbols of shared libraries are not looked
 * up.
 *
 * Functions come only from the symbol table: line tables and inlined functions are not read, and
 * names are not demangled.
 */
#define _GNU_SOURCE
#include "profile/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/message.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/search.h"

struct open_elf {
	int fd;
	Elf *elf;
};

static void close_elf(struct open_elf *o)
{
	if (o->elf)
		elf_end(o->elf);
	if (o->fd >= 0)
		close(o->fd);
}

static int open_elf(struct open_elf *o, const char *path, char *msg, size_t size)
{
	struct stat st;

	*o = (struct open_elf){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (o->fd < 0 || fstat(o->fd, &st))
		return pmk_message_fail(msg, size, PMK_EIO, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return pmk_message_fail(msg, size, PMK_EIO, "is a directory");
	if (!S_ISREG(st.st_mode))
		return pmk_message_fail(msg, size, PMK_EPARSE, "is not a regular file");
	elf_version(EV_CURRENT);
	o->elf = elf_begin(o->fd, ELF_C_READ_MMAP, NULL);
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF)
		return pmk_message_fail(msg, size, PMK_EPARSE, "is not an ELF file");
	return 0;
}

/* MicroBlaze's machine number before it got an official one. Old toolchains still write it. */
#define EM_MICROBLAZE_OLD 0xbaab

static const struct machine {
	unsigned code;
	enum pmk_elf_machine machine;
	const char *name;
} machines[] = {
	{ EM_ARM, PMK_ELF_ARM, "ARM" },
	{ EM_AARCH64, PMK_ELF_AARCH64, "AArch64" },
	{ EM_MICROBLAZE, PMK_ELF_MICROBLAZE, "MicroBlaze" },
	{ EM_MICROBLAZE_OLD, PMK_ELF_MICROBLAZE, "MicroBlaze" },
	{ EM_X86_64, PMK_ELF_OTHER, "x86-64" },
	{ EM_386, PMK_ELF_OTHER, "i386" },
	{ EM_RISCV, PMK_ELF_OTHER, "RISC-V" },
	{ EM_PPC64, PMK_ELF_OTHER, "PowerPC64" },
	{ EM_PPC, PMK_ELF_OTHER, "PowerPC" },
	{ EM_MIPS, PMK_ELF_OTHER, "MIPS" },
	{ EM_S390, PMK_ELF_OTHER, "S/390" },
	{ EM_SPARCV9, PMK_ELF_OTHER, "SPARC" },
	{ EM_LOONGARCH, PMK_ELF_OTHER, "LoongArch" },
	{ EM_NONE, PMK_ELF_OTHER, "unknown machine" },
};

static const struct machine *find_machine(unsigned code)
{
	const struct machine *m = machines;

	while (m->code != code && m->code != EM_NONE)
		m++;
	return m;
}

/* Reads the interpreter's path from its segment. Returns false if the file ends before the
 * segment. */
static bool read_interpreter(Elf *e, const GElf_Phdr *ph, struct pmk_elf *elf)
{
	size_t size;
	const char *raw = elf_rawfile(e, &size);
	size_t n = ph->p_filesz < sizeof(elf->interpreter) ? ph->p_filesz
							   : sizeof(elf->interpreter) - 1;

	if (!raw || ph->p_offset > size || n > size - ph->p_offset)
		return false;
	memcpy(elf->interpreter, raw + ph->p_offset, n);
	elf->dynamic = true;
	return true;
}

/*
 * True if the file contains all bytes of the segment. A segment that has only zeros (.bss) needs no
 * bytes of the file, so its offset does not matter.
 */
static bool segment_complete(Elf *e, const GElf_Phdr *ph)
{
	size_t size;

	if (!ph->p_filesz)
		return true;
	return elf_rawfile(e, &size) && ph->p_offset <= size && ph->p_filesz <= size - ph->p_offset;
}

/* Returns the address where the contents of a segment start. Linkers may include the headers of the
 * file in the first segment, and fill the space up to its first section. A stripped file may have
 * no sections; its contents start after the headers. */
static uint64_t contents_start(Elf *e, const GElf_Phdr *ph)
{
	uint64_t start = UINT64_MAX;
	Elf_Scn *scn = NULL;
	GElf_Ehdr header;
	GElf_Shdr sh;

	if (ph->p_offset || !gelf_getehdr(e, &header))
		return ph->p_vaddr;
	while ((scn = elf_nextscn(e, scn)) && gelf_getshdr(scn, &sh))
		if ((sh.sh_flags & SHF_ALLOC) && sh.sh_size && sh.sh_addr >= ph->p_vaddr &&
		    sh.sh_addr - ph->p_vaddr < ph->p_filesz && sh.sh_addr < start)
			start = sh.sh_addr;
	if (start < UINT64_MAX)
		return start;
	return ph->p_vaddr + header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize;
}

static int read_segments(Elf *e, struct pmk_elf *elf, char *msg, size_t size)
{
	size_t count;

	if (elf_getphdrnum(e, &count) || count == 0)
		return pmk_message_fail(msg, size, PMK_EPARSE,
					"has no program headers: it is not an executable, or it "
					"is truncated");
	elf->load_start = elf->code_start = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;
		uint64_t start;

		if (!gelf_getphdr(e, (int)i, &ph))
			return pmk_message_fail(msg, size, PMK_EPARSE,
						"is truncated: its program headers are incomplete");
		if (ph.p_type == PT_INTERP && !read_interpreter(e, &ph, elf))
			return pmk_message_fail(msg, size, PMK_EPARSE,
						"is truncated: the name of its interpreter is "
						"incomplete");
		if (ph.p_type != PT_LOAD)
			continue;
		if (!segment_complete(e, &ph))
			return pmk_message_fail(msg, size, PMK_EPARSE,
						"is truncated: a segment ends after the end of "
						"the file");
		start = contents_start(e, &ph);
		if (start < elf->load_start)
			elf->load_start = start;
		if ((ph.p_flags & PF_X) && ph.p_vaddr < elf->code_start)
			elf->code_start = ph.p_vaddr;
	}
	if (elf->code_start == UINT64_MAX)
		return pmk_message_fail(msg, size, PMK_EPARSE, "has no executable segment");
	return 0;
}

/* Reads the attributes from their section, which stripping keeps. A file without this section has
 * no attributes. */
static void read_attributes(Elf *e, struct pmk_elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(e, scn))) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_ARM_ATTRIBUTES)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			pmk_arm_attributes_read(&elf->arm, data->d_buf, data->d_size,
						elf->big_endian);
		return;
	}
}

/* Returns the data of a section. NULL: there is no such section, or it is compressed. */
static const Elf_Data *section_data(Elf *e, const char *name)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(e, &names))
		return NULL;
	while ((scn = elf_nextscn(e, scn)) && gelf_getshdr(scn, &sh)) {
		const char *its = elf_strptr(e, names, sh.sh_name);

		if (its && !strcmp(its, name))
			return sh.sh_flags & SHF_COMPRESSED ? NULL : elf_rawdata(scn, NULL);
	}
	return NULL;
}

/* Reads the processor from GCC's options, which GCC stores as a string of the debug information.
 * Libraries are often built without -mcpu. */
static void read_cpu(Elf *e, struct pmk_elf *elf)
{
	static const char option[] = "-mcpu=";
	const Elf_Data *text = section_data(e, ".debug_str");
	const char *at = NULL, *end;
	size_t n = 0;

	if (text && text->d_buf)
		at = memmem(text->d_buf, text->d_size, option, strlen(option));
	if (!at)
		return;
	end = (const char *)text->d_buf + text->d_size;
	for (at += strlen(option); at + n < end && at[n] && !strchr(" +", at[n]);)
		n++;
	snprintf(elf->cpu, sizeof(elf->cpu), "%.*s", (int)(n < 64 ? n : 64), at);
}

int pmk_elf_read(const char *path, struct pmk_elf *elf, char *msg, size_t size)
{
	struct open_elf o;
	GElf_Ehdr eh;
	int err = open_elf(&o, path, msg, size);

	memset(elf, 0, sizeof(*elf));
	if (err)
		goto out;
	if (!gelf_getehdr(o.elf, &eh)) {
		err = pmk_message_fail(msg, size, PMK_EPARSE,
				       "is truncated: its ELF header is incomplete");
		goto out;
	}
	elf->machine = find_machine(eh.e_machine)->machine;
	elf->machine_name = find_machine(eh.e_machine)->name;
	elf->machine_code = eh.e_machine;
	elf->entry = eh.e_entry;
	elf->is64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
	elf->big_endian = eh.e_ident[EI_DATA] == ELFDATA2MSB;
	elf->pie = eh.e_type == ET_DYN;
	elf->flags = eh.e_flags;
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
		err = pmk_message_fail(msg, size, PMK_EPARSE,
				       "is an ELF object, not an executable");
	else
		err = read_segments(o.elf, elf, msg, size);
	if (!err && elf->machine == PMK_ELF_ARM)
		read_attributes(o.elf, elf);
	if (!err && pmk_arm_is_microcontroller(&elf->arm))
		read_cpu(o.elf, elf);
out:
	close_elf(&o);
	return err;
}

void pmk_elf_segments(const char *path, bool (*take)(void *ctx, const struct pmk_elf_segment *seg),
		      void *ctx)
{
	struct open_elf o;
	const char *raw = NULL;
	size_t count, size;
	char msg[128];

	if (!open_elf(&o, path, msg, sizeof(msg)) && !elf_getphdrnum(o.elf, &count))
		raw = elf_rawfile(o.elf, &size);
	for (size_t i = 0; raw && i < count; i++) {
		struct pmk_elf_segment seg;
		uint64_t headers;
		GElf_Phdr ph;

		if (!gelf_getphdr(o.elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !segment_complete(o.elf, &ph))
			continue;
		headers = contents_start(o.elf, &ph) - ph.p_vaddr;
		if (headers > ph.p_filesz)
			headers = ph.p_filesz;
		seg = (struct pmk_elf_segment){
			.load = ph.p_paddr + headers,
			.addr = ph.p_vaddr + headers,
			.bytes = ph.p_filesz - headers,
			.size = (ph.p_memsz > ph.p_filesz ? ph.p_memsz : ph.p_filesz) - headers,
			.executable = ph.p_flags & PF_X,
			.contents = (const uint8_t *)raw + ph.p_offset + headers,
		};
		if (!take(ctx, &seg))
			break;
	}
	close_elf(&o);
}

static void report_dynamic(Elf *e, Elf_Scn *scn, const GElf_Shdr *sh,
			   void (*take)(void *ctx, enum pmk_elf_dynamic kind, const char *text),
			   void *ctx)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		bool needed = dyn.d_tag == DT_NEEDED;
		const char *text = NULL;

		if (needed || dyn.d_tag == DT_RPATH || dyn.d_tag == DT_RUNPATH)
			text = elf_strptr(e, sh->sh_link, dyn.d_un.d_val);
		if (text)
			take(ctx, needed ? PMK_ELF_NEEDED : PMK_ELF_RPATH, text);
	}
}

void pmk_elf_dynamic(const char *path,
		     void (*take)(void *ctx, enum pmk_elf_dynamic kind, const char *text),
		     void *ctx)
{
	Elf_Scn *scn = NULL;
	struct open_elf o;
	char msg[128];
	GElf_Shdr sh;

	if (!open_elf(&o, path, msg, sizeof(msg)))
		while ((scn = elf_nextscn(o.elf, scn)))
			if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC)
				report_dynamic(o.elf, scn, &sh, take, ctx);
	close_elf(&o);
}

/* Returns the address of an offset in the file. Segments are mapped in whole pages, and lld lays
 * out segments so that several begin and end in one page of the file. If one of these segments is
 * code, the offset belongs to the code. */
bool pmk_elf_address(const char *path, uint64_t offset, uint64_t *addr)
{
	char msg[128];
	struct open_elf o;
	size_t count = 0;
	bool found = false, found_code = false;

	if (open_elf(&o, path, msg, sizeof(msg)) || elf_getphdrnum(o.elf, &count))
		count = 0;
	for (size_t i = 0; i < count && !found_code; i++) {
		GElf_Phdr ph;
		uint64_t first;

		if (!gelf_getphdr(o.elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		first = ph.p_offset & ~UINT64_C(0xfff);
		if (offset < first || offset >= ph.p_offset + ph.p_filesz ||
		    (found && !(ph.p_flags & PF_X)))
			continue;
		found = true;
		found_code = ph.p_flags & PF_X;
		*addr = ph.p_vaddr + offset - ph.p_offset;
	}
	close_elf(&o);
	return found;
}

struct pmk_elf_code {
	struct open_elf o;
};

struct pmk_elf_code *pmk_elf_code_open(const char *path)
{
	struct pmk_elf_code *c = malloc(sizeof(*c));
	char msg[128];

	if (!c || !open_elf(&c->o, path, msg, sizeof(msg)))
		return c;
	pmk_elf_code_close(c);
	return NULL;
}

void pmk_elf_code_close(struct pmk_elf_code *c)
{
	if (c)
		close_elf(&c->o);
	free(c);
}

size_t pmk_elf_code_at(const struct pmk_elf_code *c, uint64_t addr, const uint8_t **bytes)
{
	size_t count, size;
	const char *raw = elf_rawfile(c->o.elf, &size);
	GElf_Phdr ph;

	if (!raw || elf_getphdrnum(c->o.elf, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(c->o.elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_filesz ||
		    ph.p_offset > size || ph.p_filesz > size - ph.p_offset)
			continue;
		*bytes = (const uint8_t *)raw + ph.p_offset + (addr - ph.p_vaddr);
		return (size_t)(ph.p_filesz - (addr - ph.p_vaddr));
	}
	return 0;
}

bool pmk_elf_code_offset(const struct pmk_elf_code *c, uint64_t addr, uint64_t *offset)
{
	const char *raw = elf_rawfile(c->o.elf, &(size_t){ 0 });
	const uint8_t *bytes;

	if (!pmk_elf_code_at(c, addr, &bytes))
		return false;
	*offset = (uint64_t)(bytes - (const uint8_t *)raw);
	return true;
}

/* ---- symbols -------------------------------------------------------------------------------- */

/* Iterates over the functions and labels of all symbol tables. */
struct symbols {
	Elf *elf;
	Elf_Scn *scn;
	Elf_Data *data;
	GElf_Shdr sh;
	size_t next;
};

static bool next_table(struct symbols *s)
{
	while ((s->scn = elf_nextscn(s->elf, s->scn))) {
		if (!gelf_getshdr(s->scn, &s->sh) ||
		    (s->sh.sh_type != SHT_SYMTAB && s->sh.sh_type != SHT_DYNSYM) ||
		    !s->sh.sh_entsize)
			continue;
		s->data = elf_getdata(s->scn, NULL);
		s->next = 0;
		if (s->data)
			return true;
	}
	return false;
}

/* Returns the name of the next defined symbol, NULL at the end. */
static const char *next_symbol(struct symbols *s, GElf_Sym *sym)
{
	for (;;) {
		if (!s->data || s->next >= s->sh.sh_size / s->sh.sh_entsize) {
			if (!next_table(s))
				return NULL;
			continue;
		}
		if (!gelf_getsym(s->data, (int)s->next++, sym) || sym->st_shndx == SHN_UNDEF)
			continue;
		/* Labels without a type come from assembler code, whose authors use them as
		 * functions. */
		if (GELF_ST_TYPE(sym->st_info) != STT_FUNC &&
		    GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
			continue;
		const char *name = elf_strptr(s->elf, s->sh.sh_link, sym->st_name);

		/* Symbols "$a", "$d" … mark code and data in ARM files and are not names. */
		if (!name || !*name || *name == '$')
			continue;
		return name;
	}
}

static bool is_address(const char *name, uint64_t *addr)
{
	return name[0] == '0' && (name[1] | 0x20) == 'x' &&
	       !pmk_number_parse(name, PMK_ANY_BASE, 0, UINT64_MAX, addr);
}

int pmk_elf_symbol(const char *path, const char *name, uint64_t *addr, char *msg, size_t size)
{
	struct pmk_nearest near;
	struct open_elf o;
	struct symbols s;
	GElf_Sym sym;
	const char *found;
	size_t count = 0;
	int err;

	if (is_address(name, addr))
		return 0;
	err = open_elf(&o, path, msg, size);
	if (err)
		goto out;
	s = (struct symbols){ .elf = o.elf };
	pmk_nearest_init(&near, name);
	while ((found = next_symbol(&s, &sym))) {
		count++;
		if (!strcmp(found, name)) {
			*addr = sym.st_value & ~UINT64_C(1);
			goto out;
		}
		pmk_nearest_offer(&near, found);
	}
	err = PMK_ENOEVENT;
	if (!count) {
		snprintf(msg, size, "it has no symbols (stripped); give an address such as 0x8000");
	} else {
		char hint[256];

		pmk_nearest_text(&near, hint, sizeof(hint));
		snprintf(msg, size, "no function of that name%s%s%s",
			 *hint ? "; did you mean " : "", hint, *hint ? "?" : "");
	}
out:
	close_elf(&o);
	return err;
}

/* ---- functions by address ------------------------------------------------------------------- */

struct function {
	uint64_t begin, end;
	const char *name; /* points into the file's string table */
	bool sized;	  /* true for a function with a size, false for a label */
};

struct pmk_functions {
	struct open_elf file;
	struct function *list; /* sorted by address, without overlaps */
	size_t n, room;
};

/* Returns the end of the section with the symbol; 0 if that section has no code. */
static uint64_t code_end(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
		return 0;
	return sh.sh_addr + sh.sh_size;
}

static int add_function(struct pmk_functions *f, const GElf_Sym *sym, const char *name)
{
	bool function = GELF_ST_TYPE(sym->st_info) == STT_FUNC;
	uint64_t begin = sym->st_value & ~(uint64_t)function, end;

	if (sym->st_shndx >= SHN_LORESERVE)
		return 0;
	end = code_end(f->file.elf, sym->st_shndx);
	if (end <= begin)
		return 0;
	if (sym->st_size && sym->st_size < end - begin)
		end = begin + sym->st_size;
	return PMK_APPEND(f->list, f->n, f->room,
			  (struct function){ begin, end, name, function && sym->st_size })
		       ? 0
		       : PMK_ENOMEM;
}

/*
 * Orders symbols by address. Only the first of several symbols at one address is used: a function
 * before a label, and then the first by name.
 */
static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->sized != y->sized)
		return x->sized ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Sorts the symbols and removes overlaps. A label inside a function is dropped, and a symbol ends
 * where the next one begins, or earlier.
 */
static void make_disjoint(struct pmk_functions *f)
{
	size_t n = 0;

	if (f->n)
		qsort(f->list, f->n, sizeof(*f->list), by_address);
	for (size_t i = 0; i < f->n; i++) {
		struct function *last = n ? &f->list[n - 1] : NULL;

		if (last && (f->list[i].begin == last->begin ||
			     (!f->list[i].sized && last->sized && f->list[i].begin < last->end)))
			continue;
		if (last && last->end > f->list[i].begin)
			last->end = f->list[i].begin;
		f->list[n++] = f->list[i];
	}
	f->n = n;
}

void pmk_functions_free(struct pmk_functions *f)
{
	if (!f)
		return;
	close_elf(&f->file);
	free(f->list);
	free(f);
}

int pmk_functions_load(struct pmk_functions **out, const char *path, char *msg, size_t size)
{
	struct pmk_functions *f;
	struct symbols s;
	struct pmk_elf elf;
	GElf_Sym sym;
	const char *name;
	int err = pmk_elf_read(path, &elf, msg, size);

	*out = NULL;
	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	if (!f)
		return pmk_message_no_memory(msg, size, NULL);
	err = open_elf(&f->file, path, msg, size);
	s = (struct symbols){ .elf = f->file.elf };
	while (!err && (name = next_symbol(&s, &sym)))
		if (add_function(f, &sym, name))
			err = pmk_message_no_memory(msg, size, NULL);
	if (err) {
		pmk_functions_free(f);
		return err;
	}
	make_disjoint(f);
	*out = f;
	return 0;
}

size_t pmk_functions_count(const struct pmk_functions *f)
{
	return f->n;
}

const char *pmk_functions_at(const struct pmk_functions *f, uint64_t pc, uint64_t *begin)
{
	size_t behind = PMK_FIRST_BEHIND(f->list, f->n, begin, pc);

	if (!behind || pc >= f->list[behind - 1].end)
		return NULL;
	*begin = f->list[behind - 1].begin;
	return f->list[behind - 1].name;
}
