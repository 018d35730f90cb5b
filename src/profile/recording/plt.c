// SPDX-License-Identifier: MIT
/*
 * Reads stubs: see plt.h. The code of each stub is decoded, because linkers create stubs of several
 * sizes in one table and in any order. The stubs of GNU ld and of LLVM's lld are known.
 */
#include "profile/recording/plt.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/search.h"

/* A word of memory that the loader fills, and the function that it points to. */
struct slot {
	uint64_t address;
	const char *function; /* NULL: the loader uses the result of `resolver` */
	uint64_t resolver;
};

struct reader {
	Elf *elf;
	GElf_Ehdr eh;
	struct slot *slot;
	size_t nslots, slots_room;
	struct pmk_plt_stub *stub;
	size_t nstubs, stubs_room;
	bool failed; /* out of memory */
};

/* A section with stubs. */
struct code {
	const uint8_t *byte;
	size_t size;
	uint64_t address;
	bool big_endian;
	uint64_t got; /* address of .got.plt */
};

/* Returns the word at this offset. After the end it is 0, which no stub contains. */
static uint32_t code_word(const struct code *c, size_t at)
{
	const uint8_t *b;

	if (at > c->size || c->size - at < 4)
		return 0;
	b = c->byte + at;
	return c->big_endian ? (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3]
			     : (uint32_t)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0];
}

/* ---- instructions of stubs ------------------------------------------------------------------- */

/* Decode the stub at this offset, and get the address of its slot. Returns the length of the stub;
 * 0 if there is none. */
typedef size_t stub_decode(const struct code *c, size_t at, uint64_t *slot);

#define A64_BTI_C  0xd503245f
#define A64_NOP	   0xd503201f
#define A64_BR_X17 0xd61f0220

/* Stubs of AArch64: [bti c]; adrp x16, SLOT; ldr x17, [x16, SLOT]; add x16, x16, SLOT; [autia1716];
 * br x17; [nop] */
static size_t stub_decode_a64(const struct code *c, size_t at, uint64_t *slot)
{
	size_t i = at + (code_word(c, at) == A64_BTI_C ? 4 : 0), end = i + 20;
	uint32_t adrp = code_word(c, i), ldr = code_word(c, i + 4);
	uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	pages = (pages ^ 0x100000) - 0x100000; /* 21 bits with a sign */
	*slot = ((c->address + i) & ~UINT64_C(0xfff)) + (pages << 12) + (ldr >> 10 & 0xfff) * 8;
	for (i += 8; code_word(c, i) != A64_BR_X17; i += 4)
		if (i == end)
			return 0;
	for (i += 4; code_word(c, i) == A64_NOP;)
		i += 4;
	return i - at;
}

/* Returns the constant of a data-processing instruction: eight bits, rotated. */
static uint32_t arm_constant(uint32_t insn)
{
	unsigned right = insn >> 7 & 30;
	uint32_t v = insn & 0xff;

	return right ? v >> right | v << (32 - right) : v;
}

#define THUMB_BX_PC_NOP 0x46c04778
#define THUMB_BX_PC_B	0xe7fd4778

/* Stubs of ARM: [bx pc; nop in Thumb state]; add ip, pc, #; add ip, ip, #; ...; ldr pc, [ip, #]!
 * Those of lld for long distances: ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip];
 * .word SLOT - . */
static size_t stub_decode_arm(const struct code *c, size_t at, uint64_t *slot)
{
	uint32_t first = code_word(c, at), to;
	bool from_thumb = first == THUMB_BX_PC_NOP || first == THUMB_BX_PC_B;
	size_t i = at + (from_thumb ? 4 : 0);

	to = (uint32_t)(c->address + i + 8);
	if (code_word(c, i) == 0xe59fc004 && code_word(c, i + 4) == 0xe08cc00f &&
	    code_word(c, i + 8) == 0xe59cf000) {
		*slot = to + 4 + code_word(c, i + 12);
		return i + 16 - at;
	}
	if (code_word(c, i) >> 12 != 0xe28fc)
		return 0;
	to += arm_constant(code_word(c, i));
	for (i += 4; code_word(c, i) >> 12 == 0xe28cc; i += 4)
		to += arm_constant(code_word(c, i));
	if (code_word(c, i) >> 12 != 0xe5bcf)
		return 0;
	*slot = to + (code_word(c, i) & 0xfff);
	return i + 4 - at;
}

/* Stubs of MicroBlaze: imm HIGH; lwi r12, r20 or r0, LOW; brad r12; nop. r20 is the address of
 * .got.plt. */
static size_t stub_decode_microblaze(const struct code *c, size_t at, uint64_t *slot)
{
	uint32_t imm = code_word(c, at), lwi = code_word(c, at + 4);
	uint32_t to = imm << 16 | (lwi & 0xffff);

	if (imm >> 16 != 0xb000 || code_word(c, at + 8) != 0x98186000)
		return 0;
	if (lwi >> 16 != 0xe994 && lwi >> 16 != 0xe980)
		return 0;
	*slot = (uint32_t)((lwi >> 16 == 0xe994 ? c->got : 0) + to);
	return 16;
}

static const struct machine {
	GElf_Half elf;
	/* Type of the relocations of functions that are chosen at load time; 0: none. */
	uint32_t irelative;
	bool little_endian; /* byte order of instructions; data can have another one */
	stub_decode *decode;
} machines[] = {
	{ EM_AARCH64, R_AARCH64_IRELATIVE, true, stub_decode_a64 },
	{ EM_ARM, R_ARM_IRELATIVE, false, stub_decode_arm },
	{ EM_MICROBLAZE, 0, false, stub_decode_microblaze },
};

static const struct machine *machine_of(const struct reader *r)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].elf == r->eh.e_machine)
			return &machines[i];
	return NULL;
}

/* ---- slots ---------------------------------------------------------------------------------- */

/* Returns the word in the file at this address; 0 if the file has none. */
static uint32_t word_at(const struct reader *r, uint64_t address)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(r->elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
		    sh.sh_type == SHT_NOBITS || address < sh.sh_addr ||
		    address - sh.sh_addr >= sh.sh_size || !(data = elf_rawdata(scn, NULL)))
			continue;
		return code_word(
			&(struct code){ .byte = data->d_buf,
					.size = data->d_size,
					.big_endian = r->eh.e_ident[EI_DATA] == ELFDATA2MSB },
			address - sh.sh_addr);
	}
	return 0;
}

static void add_slot(struct reader *r, struct slot slot)
{
	r->failed |= !PMK_APPEND(r->slot, r->nslots, r->slots_room, slot);
}

/* Returns the name of a symbol in the table that belongs to a section of relocations; NULL if it
 * has none. */
static const char *symbol_name(const struct reader *r, size_t table, size_t index)
{
	Elf_Scn *scn = elf_getscn(r->elf, table);
	GElf_Shdr sh;
	GElf_Sym sym;
	const char *name;

	if (!index || !scn || !gelf_getshdr(scn, &sh) ||
	    !gelf_getsym(elf_getdata(scn, NULL), (int)index, &sym))
		return NULL;
	name = elf_strptr(r->elf, sh.sh_link, sym.st_name);
	return name && *name ? name : NULL;
}

/* Add the slots that a section of relocations fills. */
static void read_relocations(struct reader *r, const struct machine *m, Elf_Scn *scn,
			     const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	bool has_addends = sh->sh_type == SHT_RELA;
	size_t n = data && sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n && !r->failed; i++) {
		struct slot slot = { 0 };
		GElf_Rela rela = { 0 };
		GElf_Rel rel;

		if (has_addends ? !gelf_getrela(data, (int)i, &rela)
				: !gelf_getrel(data, (int)i, &rel))
			continue;
		if (!has_addends)
			rela = (GElf_Rela){ rel.r_offset, rel.r_info, 0 };
		slot.address = rela.r_offset;
		slot.function = symbol_name(r, sh->sh_link, GELF_R_SYM(rela.r_info));
		if (!slot.function && m->irelative && GELF_R_TYPE(rela.r_info) == m->irelative)
			slot.resolver =
				has_addends ? (uint64_t)rela.r_addend : word_at(r, rela.r_offset);
		if (slot.function || slot.resolver)
			add_slot(r, slot);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void read_slots(struct reader *r, const struct machine *m)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(r->elf, scn)) && !r->failed)
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_ALLOC &&
		    (sh.sh_type == SHT_REL || sh.sh_type == SHT_RELA))
			read_relocations(r, m, scn, &sh);
	if (r->nslots)
		qsort(r->slot, r->nslots, sizeof(*r->slot), by_address);
}

/* ---- stubs ---------------------------------------------------------------------------------- */

static void add_stub(struct reader *r, uint64_t address, uint64_t size, uint64_t slot)
{
	size_t i = PMK_FIRST_FROM(r->slot, r->nslots, address, slot);

	if (i == r->nslots || r->slot[i].address != slot)
		return;
	r->failed |= !PMK_APPEND(
		r->stub, r->nstubs, r->stubs_room,
		(struct pmk_plt_stub){ address, size, r->slot[i].function, r->slot[i].resolver });
}

static void read_stubs(struct reader *r, stub_decode *decode, const struct code *c)
{
	uint64_t slot;
	size_t size;

	for (size_t at = 0; at < c->size && !r->failed; at += size ? size : 4) {
		size = decode(c, at, &slot);
		if (size)
			add_stub(r, c->address + at, size, slot);
	}
}

/* Returns the name of a section. */
static const char *section_name(const struct reader *r, const GElf_Shdr *sh)
{
	size_t names;
	const char *name =
		elf_getshdrstrndx(r->elf, &names) ? NULL : elf_strptr(r->elf, names, sh->sh_name);

	return name ? name : "";
}

static bool has_stubs(const struct reader *r, const GElf_Shdr *sh)
{
	const char *name = section_name(r, sh);

	return sh->sh_type == SHT_PROGBITS && sh->sh_flags & SHF_EXECINSTR &&
	       (!strncmp(name, ".plt", 4) || !strncmp(name, ".iplt", 5));
}

static uint64_t got_address(const struct reader *r)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(r->elf, scn)))
		if (gelf_getshdr(scn, &sh) && !strcmp(section_name(r, &sh), ".got.plt"))
			return sh.sh_addr;
	return 0;
}

static void read_sections(struct reader *r, const struct machine *m)
{
	bool big_endian = r->eh.e_ident[EI_DATA] == ELFDATA2MSB && !m->little_endian;
	uint64_t got = got_address(r);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(r->elf, scn)) && !r->failed) {
		Elf_Data *data;

		if (gelf_getshdr(scn, &sh) && has_stubs(r, &sh) && (data = elf_rawdata(scn, NULL)))
			read_stubs(r, m->decode,
				   &(struct code){ data->d_buf, data->d_size, sh.sh_addr,
						   big_endian, got });
	}
}

int pmk_plt_read(Elf *elf, struct pmk_plt_stub **stub, size_t *n)
{
	struct reader r = { .elf = elf };
	const struct machine *m;

	*stub = NULL;
	*n = 0;
	if (!gelf_getehdr(elf, &r.eh) || r.eh.e_type == ET_REL || !(m = machine_of(&r)))
		return 0;
	read_slots(&r, m);
	if (r.nslots)
		read_sections(&r, m);
	free(r.slot);
	*stub = r.stub;
	*n = r.nstubs;
	return r.failed ? PMK_ENOMEM : 0;
}
