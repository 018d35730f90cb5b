// SPDX-License-Identifier: MIT
/*
 * Names MicroBlaze's instructions. The names are here because Capstone and LLVM do not support
 * MicroBlaze, and binutils' library is GPL. The first row that matches is used.
 */
#include "cpu/isa/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* OP selects the opcode, OP_B the opcode and all bits after rB, and OP_A the opcode and all bits
 * after rA. */
#define OP   0xfc000000
#define OP_B 0xfc0007ff
#define OP_A 0xfc00ffff

/*
 * The operands, by letter: d is rD, n is rA, m is rB; i is the immediate with its sign, u its low 5
 * bits, U its low 15 bits; w is the 5 bits of mbar; S is a special register.
 */
struct row {
	uint32_t mask, value;
	const char *name, *operands;
};

static const struct row rows[] = {
	{ OP_B, 0x14000001, "cmp", "dnm" },
	{ OP_B, 0x14000003, "cmpu", "dnm" },
	{ OP_B, 0x00000000, "add", "dnm" },
	{ OP_B, 0x04000000, "rsub", "dnm" },
	{ OP_B, 0x08000000, "addc", "dnm" },
	{ OP_B, 0x0c000000, "rsubc", "dnm" },
	{ OP_B, 0x10000000, "addk", "dnm" },
	{ OP_B, 0x14000000, "rsubk", "dnm" },
	{ OP_B, 0x18000000, "addkc", "dnm" },
	{ OP_B, 0x1c000000, "rsubkc", "dnm" },
	{ OP, 0x20000000, "addi", "dni" },
	{ OP, 0x24000000, "rsubi", "dni" },
	{ OP, 0x28000000, "addic", "dni" },
	{ OP, 0x2c000000, "rsubic", "dni" },
	{ OP, 0x30000000, "addik", "dni" },
	{ OP, 0x34000000, "rsubik", "dni" },
	{ OP, 0x38000000, "addikc", "dni" },
	{ OP, 0x3c000000, "rsubikc", "dni" },
	{ OP_B, 0x40000000, "mul", "dnm" },
	{ OP_B, 0x40000001, "mulh", "dnm" },
	{ OP_B, 0x40000002, "mulhsu", "dnm" },
	{ OP_B, 0x40000003, "mulhu", "dnm" },
	{ OP, 0x60000000, "muli", "dni" },
	{ OP_B, 0x48000000, "idiv", "dnm" },
	{ OP_B, 0x48000002, "idivu", "dnm" },
	{ OP_B, 0x44000000, "bsrl", "dnm" },
	{ OP_B, 0x44000200, "bsra", "dnm" },
	{ OP_B, 0x44000400, "bsll", "dnm" },
	{ 0xfc00ffe0, 0x64000000, "bsrli", "dnu" },
	{ 0xfc00ffe0, 0x64000200, "bsrai", "dnu" },
	{ 0xfc00ffe0, 0x64000400, "bslli", "dnu" },
	{ OP_B, 0x80000000, "or", "dnm" },
	{ OP_B, 0x84000000, "and", "dnm" },
	{ OP_B, 0x88000000, "xor", "dnm" },
	{ OP_B, 0x8c000000, "andn", "dnm" },
	{ OP_B, 0x80000400, "pcmpbf", "dnm" },
	{ OP_B, 0x88000400, "pcmpeq", "dnm" },
	{ OP_B, 0x8c000400, "pcmpne", "dnm" },
	{ OP, 0xa0000000, "ori", "dni" },
	{ OP, 0xa4000000, "andi", "dni" },
	{ OP, 0xa8000000, "xori", "dni" },
	{ OP, 0xac000000, "andni", "dni" },
	{ OP_A, 0x90000001, "sra", "dn" },
	{ OP_A, 0x90000021, "src", "dn" },
	{ OP_A, 0x90000041, "srl", "dn" },
	{ OP_A, 0x90000060, "sext8", "dn" },
	{ OP_A, 0x90000061, "sext16", "dn" },
	{ OP_A, 0x900000e0, "clz", "dn" },
	{ OP_A, 0x900001e0, "swapb", "dn" },
	{ OP_A, 0x900001e2, "swaph", "dn" },
	{ 0xffe007ff, 0x90000068, "wic", "nm" },
	{ 0xffe007ff, 0x90000064, "wdc", "nm" },
	{ 0xffe007ff, 0x90000066, "wdc.clear", "nm" },
	{ 0xffe007ff, 0x90000074, "wdc.flush", "nm" },
	{ 0xffe007ff, 0x90000466, "wdc.ext.clear", "nm" },
	{ 0xffe007ff, 0x90000476, "wdc.ext.flush", "nm" },
	{ 0xfc1f8000, 0x94100000, "msrset", "dU" },
	{ 0xfc1f8000, 0x94110000, "msrclr", "dU" },
	{ 0xffe0c000, 0x9400c000, "mts", "Sn" },
	{ 0xfc1fc000, 0x94008000, "mfs", "dS" },
	{ OP_B, 0x58000000, "fadd", "dnm" },
	{ OP_B, 0x58000080, "frsub", "dnm" },
	{ OP_B, 0x58000100, "fmul", "dnm" },
	{ OP_B, 0x58000180, "fdiv", "dnm" },
	{ OP_B, 0x58000200, "fcmp.un", "dnm" },
	{ OP_B, 0x58000210, "fcmp.lt", "dnm" },
	{ OP_B, 0x58000220, "fcmp.eq", "dnm" },
	{ OP_B, 0x58000230, "fcmp.le", "dnm" },
	{ OP_B, 0x58000240, "fcmp.gt", "dnm" },
	{ OP_B, 0x58000250, "fcmp.ne", "dnm" },
	{ OP_B, 0x58000260, "fcmp.ge", "dnm" },
	{ OP_A, 0x58000280, "flt", "dn" },
	{ OP_A, 0x58000300, "fint", "dn" },
	{ OP_A, 0x58000380, "fsqrt", "dn" },
	{ 0xffff0000, 0xb0000000, "imm", "i" },
	{ 0xffffffff, 0xb9020004, "hibernate", "" },
	{ 0xffffffff, 0xba020004, "sleep", "" },
	{ 0xffffffff, 0xbb020004, "suspend", "" },
	{ 0xfc1fffff, 0xb8020004, "mbar", "w" },
	{ 0xffff07ff, 0x98000000, "br", "m" },
	{ 0xffff07ff, 0x98080000, "bra", "m" },
	{ 0xffff07ff, 0x98100000, "brd", "m" },
	{ 0xffff07ff, 0x98180000, "brad", "m" },
	{ 0xfc1f07ff, 0x98140000, "brld", "dm" },
	{ 0xfc1f07ff, 0x981c0000, "brald", "dm" },
	{ 0xfc1f07ff, 0x980c0000, "brk", "dm" },
	{ 0xffff0000, 0xb8000000, "bri", "i" },
	{ 0xffff0000, 0xb8080000, "brai", "i" },
	{ 0xffff0000, 0xb8100000, "brid", "i" },
	{ 0xffff0000, 0xb8180000, "braid", "i" },
	{ 0xfc1f0000, 0xb8140000, "brlid", "di" },
	{ 0xfc1f0000, 0xb81c0000, "bralid", "di" },
	{ 0xfc1f0000, 0xb80c0000, "brki", "di" },
	{ 0xffe00000, 0xb6000000, "rtsd", "ni" },
	{ 0xffe00000, 0xb6200000, "rtid", "ni" },
	{ 0xffe00000, 0xb6400000, "rtbd", "ni" },
	{ 0xffe00000, 0xb6800000, "rted", "ni" },
	{ OP_B, 0xc0000000, "lbu", "dnm" },
	{ OP_B, 0xc0000200, "lbur", "dnm" },
	{ OP_B, 0xc0000080, "lbuea", "dnm" },
	{ OP_B, 0xc4000000, "lhu", "dnm" },
	{ OP_B, 0xc4000200, "lhur", "dnm" },
	{ OP_B, 0xc4000080, "lhuea", "dnm" },
	{ OP_B, 0xc8000000, "lw", "dnm" },
	{ OP_B, 0xc8000200, "lwr", "dnm" },
	{ OP_B, 0xc8000400, "lwx", "dnm" },
	{ OP_B, 0xc8000080, "lwea", "dnm" },
	{ OP_B, 0xd0000000, "sb", "dnm" },
	{ OP_B, 0xd0000200, "sbr", "dnm" },
	{ OP_B, 0xd0000080, "sbea", "dnm" },
	{ OP_B, 0xd4000000, "sh", "dnm" },
	{ OP_B, 0xd4000200, "shr", "dnm" },
	{ OP_B, 0xd4000080, "shea", "dnm" },
	{ OP_B, 0xd8000000, "sw", "dnm" },
	{ OP_B, 0xd8000200, "swr", "dnm" },
	{ OP_B, 0xd8000400, "swx", "dnm" },
	{ OP_B, 0xd8000080, "swea", "dnm" },
	{ OP, 0xe0000000, "lbui", "dni" },
	{ OP, 0xe4000000, "lhui", "dni" },
	{ OP, 0xe8000000, "lwi", "dni" },
	{ OP, 0xf0000000, "sbi", "dni" },
	{ OP, 0xf4000000, "shi", "dni" },
	{ OP, 0xf8000000, "swi", "dni" },
};

/* Conditions of branches, by [23:21]. */
static const char *const conditions[] = { "eq", "ne", "lt", "le", "gt", "ge" };

static const struct special {
	uint16_t number;
	const char *name;
} specials[] = {
	{ 0x0000, "rpc" },    { 0x0001, "rmsr" },   { 0x0003, "rear" },	  { 0x0005, "resr" },
	{ 0x0007, "rfsr" },   { 0x000b, "rbtr" },   { 0x000d, "redr" },	  { 0x0800, "rslr" },
	{ 0x0802, "rshr" },   { 0x1000, "rpid" },   { 0x1001, "rzpr" },	  { 0x1002, "rtlbx" },
	{ 0x1003, "rtlblo" }, { 0x1004, "rtlbhi" }, { 0x1005, "rtlbsx" },
};

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define FIRST_PVR 0x2000
#define NPVRS	  13 /* PVR0 to PVR12 */

struct out {
	char *text;
	size_t size, at;
};

static void put_text(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put_text(struct out *o, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(o->text + o->at, o->size - o->at, format, args);
	va_end(args);
	o->at += n > 0 && (size_t)n < o->size - o->at ? (size_t)n : 0;
}

/* Writes the name of a special register. Returns false if it has none. */
static bool put_special(struct out *o, unsigned number)
{
	for (size_t i = 0; i < COUNT(specials); i++)
		if (specials[i].number == number) {
			put_text(o, "%s", specials[i].name);
			return true;
		}
	if (number < FIRST_PVR || number >= FIRST_PVR + NPVRS)
		return false;
	put_text(o, "rpvr%u", number - FIRST_PVR);
	return true;
}

static bool put_operand(struct out *o, char operand, uint32_t word)
{
	switch (operand) {
	case 'd':
		put_text(o, "r%u", word >> 21 & 31);
		break;
	case 'n':
		put_text(o, "r%u", word >> 16 & 31);
		break;
	case 'm':
		put_text(o, "r%u", word >> 11 & 31);
		break;
	case 'i':
		put_text(o, "%d", (int16_t)word);
		break;
	case 'u':
		put_text(o, "%u", word & 31);
		break;
	case 'U':
		put_text(o, "%u", word & 0x7fff);
		break;
	case 'w':
		put_text(o, "%u", word >> 21 & 31);
		break;
	case 'F':
		put_text(o, "rfsl%u", word & 15);
		break;
	case 'S':
		return put_special(o, word & 0x3fff);
	}
	return true;
}

static bool put_all(struct out *o, const char *name, const char *operands, uint32_t word)
{
	put_text(o, *operands ? "%-7s " : "%s", name);
	for (size_t i = 0; operands[i]; i++) {
		put_text(o, "%s", i ? ", " : "");
		if (!put_operand(o, operands[i], word))
			return false;
	}
	return true;
}

/* Writes beq, beqd, beqi, beqid …: immediate [29], delay slot [25], condition [23:21]. */
static bool put_conditional(struct out *o, uint32_t word)
{
	bool immediate = word >> 29 & 1;
	unsigned condition = word >> 21 & 7;
	char name[8];

	if (condition >= COUNT(conditions) || (word & 0x01000000) || (!immediate && (word & 0x7ff)))
		return false;
	snprintf(name, sizeof(name), "b%s%s%s", conditions[condition], immediate ? "i" : "",
		 word & 0x02000000 ? "d" : "");
	return put_all(o, name, immediate ? "ni" : "nm", word);
}

/*
 * Writes get or put. The six option bits are [10:5] in the dynamic forms, and [15:10] otherwise.
 * From the highest bit down they mean: put, n, c, t, a, e.
 */
static bool put_stream(struct out *o, uint32_t word)
{
	bool dynamic = !(word >> 29 & 1);
	unsigned options = dynamic ? word >> 5 & 0x3f : word >> 10 & 0x3f;
	bool puts = options & 0x20, test = options & 0x04;
	uint32_t reserved = dynamic ? 0x1f : 0x3f0;
	char name[12];

	reserved |= puts ? 0x03e00000 : 0x001f0000;
	if (puts && (options & 0x01))
		return false;
	if (word & reserved)
		return false;
	snprintf(name, sizeof(name), "%s%s%s%s%s%s%s", test ? "t" : "", options & 0x10 ? "n" : "",
		 options & 0x01 ? "e" : "", options & 0x08 ? "c" : "", options & 0x02 ? "a" : "",
		 puts ? "put" : "get", dynamic ? "d" : "");
	if (puts)
		return put_all(o, name, test ? (dynamic ? "m" : "F") : (dynamic ? "nm" : "nF"),
			       word);
	return put_all(o, name, dynamic ? "dm" : "dF", word);
}

bool pmk_isa_microblaze_text(uint32_t word, char *text, size_t size)
{
	struct out o = { text, size, 0 };

	switch (word >> 26) {
	case 0x27:
	case 0x2f:
		return put_conditional(&o, word);
	case 0x13:
	case 0x1b:
		return put_stream(&o, word);
	}
	for (size_t i = 0; i < COUNT(rows); i++)
		if ((word & rows[i].mask) == rows[i].value)
			return put_all(&o, rows[i].name, rows[i].operands, word);
	return false;
}
