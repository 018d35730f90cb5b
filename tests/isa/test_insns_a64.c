// SPDX-License-Identifier: MIT
/*
 * Instruction facts of A64 against binutils: what an instruction reads, writes, accesses, jumps to
 * and is counted as is derived here from objdump's text only, without the encoding. The test
 * compares insns_a64.s, words of all encoding classes, and all code of a statically linked program.
 * Skipped (77) where the cross tools are missing (Debian: gcc-aarch64-linux-gnu).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <capstone/capstone.h>

#include <pmk/isa.h>

#include "a64_words.h"
#include "unit.h"

#define OBJDUMP TOOL "objdump -M no-aliases "

#define LR UINT64_C(0x40000000)
#define SP UINT64_C(0x80000000)

/* ---- what a mnemonic means ------------------------------------------------------------------ */

/* Mnemonics that are not listed write their first operand, read the others and access no memory. */

static const char reads_all[] =
	"msr sys rmif setf8 setf16 ccmp ccmn fcmp fcmpe fccmp fccmpe cbz cbnz tbz tbnz br braa "
	"brab braaz brabz";
static const char reads_first_too[] =
	"movk bfm pacia pacib pacda pacdb autia autib autda autdb paciza pacizb pacdza pacdzb "
	"autiza autizb autdza autdzb xpaci xpacd ins bsl bit bif tbx mla mls saba uaba sabal "
	"sabal2 uabal uabal2 smlal smlal2 umlal umlal2 smlsl smlsl2 umlsl umlsl2 sqdmlal "
	"sqdmlal2 sqdmlsl sqdmlsl2 sqrdmlah sqrdmlsh sdot udot fmla fmls fmlal fmlal2 fmlsl "
	"fmlsl2 fcmla suqadd usqadd sadalp uadalp ssra usra srsra ursra sri sli addhn2 raddhn2 "
	"subhn2 rsubhn2 xtn2 sqxtn2 uqxtn2 sqxtun2 fcvtn2 fcvtxn2 shrn2 rshrn2 sqshrn2 sqrshrn2 "
	"uqshrn2 uqrshrn2 sqshrun2 sqrshrun2 aese aesd sha1c sha1p sha1m sha1su0 sha1su1 "
	"sha256h sha256h2 sha256su0 sha256su1 sha512h sha512h2 sha512su0 sha512su1 sm3partw1 "
	"sm3partw2 sm3tt1a sm3tt1b sm3tt2a sm3tt2b sm4e";
static const char sets_flags[] =
	"adds subs ands bics adcs sbcs ccmp ccmn fcmp fcmpe fccmp fccmpe rmif "
	"setf8 setf16 cfinv xaflag axflag fjcvtzs";
static const char reads_flags[] =
	"adc adcs sbc sbcs csel csinc csinv csneg fcsel ccmp ccmn fccmp fccmpe "
	"rmif setf8 setf16 cfinv xaflag axflag";
static const char never_trap[] = "nzcv fpcr fpsr tpidr_el0";
static const char system_names[] = "msr mrs sys sysl hint clrex dsb dmb isb sb cfinv xaflag axflag";
static const char scalar_fp[] =
	"fmov fabs fneg fsqrt fcvt frintn frintp frintm frintz frinta frintx frinti frint32z "
	"frint32x frint64z frint64x fcmp fcmpe fccmp fccmpe fcsel fadd fsub fmul fnmul fdiv "
	"fmax fmin fmaxnm fminnm fmadd fmsub fnmadd fnmsub fjcvtzs";
static const char crypto[] =
	"aese aesd aesmc aesimc sha1c sha1p sha1m sha1su0 sha1h sha1su1 sha256h sha256h2 "
	"sha256su0 sha256su1 sha512h sha512h2 sha512su0 sha512su1 eor3 bcax rax1 xar sm3ss1 "
	"sm3partw1 sm3partw2 sm3tt1a sm3tt1b sm3tt2a sm3tt2b sm4e sm4ekey";

/* The operands that a memory instruction has. */
enum memory {
	NO_MEMORY,
	LOAD,
	LOAD2,
	STORE,
	STORE2,
	STORE_EXCLUSIVE,
	STORE_EXCLUSIVE2,
	COMPARE,
	COMPARE2,
	ATOMIC,
	STRUCTURES,
	PREFETCH,
};

static const struct {
	const char *names, *suffixes;
	uint8_t memory;
	uint32_t kind;
} memory_names[] = {
	{ "ldtr", "b h sb sh sw", LOAD, PMK_K_USER_MEM },
	{ "ldr ldur", "b h sb sh sw", LOAD, 0 },
	{ "ldraa ldrab", "", LOAD, 0 },
	{ "ldar ldlar ldapr ldapur", "b h sb sh sw", LOAD, PMK_K_ACQUIRE },
	{ "ldxr", "b h", LOAD, PMK_K_LDREX },
	{ "ldaxr", "b h", LOAD, PMK_K_LDREX | PMK_K_ACQUIRE },
	{ "ldp ldnp", "sw", LOAD2, 0 },
	{ "ldxp", "", LOAD2, PMK_K_LDREX },
	{ "ldaxp", "", LOAD2, PMK_K_LDREX | PMK_K_ACQUIRE },
	{ "sttr", "b h", STORE, PMK_K_USER_MEM },
	{ "str stur", "b h", STORE, 0 },
	{ "stlr stllr stlur", "b h", STORE, PMK_K_RELEASE },
	{ "stp stnp", "", STORE2, 0 },
	{ "stxr", "b h", STORE_EXCLUSIVE, PMK_K_STREX },
	{ "stlxr", "b h", STORE_EXCLUSIVE, PMK_K_STREX | PMK_K_RELEASE },
	{ "stxp", "", STORE_EXCLUSIVE2, PMK_K_STREX },
	{ "stlxp", "", STORE_EXCLUSIVE2, PMK_K_STREX | PMK_K_RELEASE },
	{ "cas", "b h a ab ah l lb lh al alb alh", COMPARE, 0 },
	{ "casp", "a l al", COMPARE2, 0 },
	{ "swp ldadd ldclr ldeor ldset ldsmax ldsmin ldumax ldumin",
	  "b h a ab ah l lb lh al alb alh", ATOMIC, 0 },
	{ "ld1 ld2 ld3 ld4 ld1r ld2r ld3r ld4r st1 st2 st3 st4", "", STRUCTURES, 0 },
	{ "prfm prfum", "", PREFETCH, 0 },
};

/* ---- text ----------------------------------------------------------------------------------- */

struct operand {
	char text[64];
	uint64_t registers;
};

struct text {
	char name[24];
	struct operand op[8];
	unsigned n;
};

struct facts {
	uint64_t reads, writes, target;
	uint32_t kind;
	unsigned bytes, count;
	uint8_t iclass, flow, sysop;
	bool load, store, branch, conditional, sets, uses, exclusive, writeback, literal, slow;
};

static bool listed_part(const char *names, const char *name, size_t len)
{
	for (const char *p = names; *p;) {
		size_t n = strcspn(p, " ");

		if (n == len && strncmp(p, name, len) == 0)
			return true;
		p += n + strspn(p + n, " ");
	}
	return false;
}

static bool listed(const char *names, const char *name)
{
	return listed_part(names, name, strlen(name));
}

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* Returns the number of a register, 64 for a zero register, -1 for any other word. */
static int register_of(const char *word, size_t len)
{
	char *end;
	long n;

	if (listed_part("sp wsp", word, len))
		return 31;
	if (listed_part("xzr wzr", word, len))
		return 64;
	if (len < 2 || !strchr("xwvqdshb", word[0]) || word[1] < '0' || word[1] > '9')
		return -1;
	n = strtol(word + 1, &end, 10);
	if (end != word + len || n > 31)
		return -1;
	return strchr("xw", word[0]) ? (int)n : 32 + (int)n;
}

/* Returns all registers that a text names; "v30.8b-v1.8b" is a range. */
static uint64_t registers_of(const char *p)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	uint64_t mask = 0;
	char before = ' ';
	int last = -1;

	while (*p) {
		size_t len = strspn(p, letters);
		int reg = len && before != '#' && before != '.' ? register_of(p, len) : -1;

		if (reg >= 32 && reg < 64 && last >= 32 && before == '-')
			for (; last != reg; last = 32 + (last - 31) % 32)
				mask |= UINT64_C(1) << last;
		if (reg >= 0)
			last = reg;
		if (reg >= 0 && reg < 64)
			mask |= UINT64_C(1) << reg;
		before = *p;
		p += len ? len : 1;
	}
	return mask;
}

static void split_operands(char *p, struct text *t)
{
	int depth = 0;
	size_t len = 0;

	for (t->n = 0; t->n < 8; p++) {
		struct operand *op = &t->op[t->n];

		if (*p == '[' || *p == '{')
			depth++;
		if (*p == ']' || *p == '}')
			depth--;
		if (*p && (*p != ',' || depth)) {
			if ((len || *p != ' ') && len < sizeof(op->text) - 1)
				op->text[len++] = *p;
			continue;
		}
		while (len && (op->text[len - 1] == ' ' || op->text[len - 1] == '\t'))
			len--;
		op->text[len] = 0;
		op->registers = registers_of(op->text);
		t->n += len != 0;
		len = 0;
		if (!*p)
			return;
	}
}

/* Parses a line of objdump: "   4:\t92401c20 \tand\tx0, x1, #0xff". A target is followed by
 * "<symbol>". */
static bool parse(const char *line, uint64_t *addr, uint32_t *word, struct text *t)
{
	unsigned long long where;
	char rest[240], operands[240] = "";
	unsigned w;
	char *end;

	memset(t, 0, sizeof(*t));
	if (sscanf(line, " %llx:\t%8x \t%239[^\n]", &where, &w, rest) != 3)
		return false;
	*addr = where;
	*word = w;
	end = strstr(rest, "//");
	if (end)
		*end = 0;
	end = strpbrk(rest, ";<");
	if (end)
		*end = 0;
	if (sscanf(rest, "%23s %239[^\n]", t->name, operands) < 1)
		return false;
	split_operands(operands, t);
	return true;
}

/* ---- meaning -------------------------------------------------------------------------------- */

static enum memory memory_of(const char *name, uint32_t *kind, const char **suffix)
{
	for (size_t i = 0; i < sizeof(memory_names) / sizeof(memory_names[0]); i++) {
		for (size_t len = strlen(name); len; len--) {
			if (!listed_part(memory_names[i].names, name, len) ||
			    (name[len] && !listed(memory_names[i].suffixes, name + len)))
				continue;
			*kind = memory_names[i].kind;
			*suffix = name + len;
			return memory_names[i].memory;
		}
	}
	return NO_MEMORY;
}

/*
 * Returns the bytes of an access, by its suffix (sb, sh, sw, b, h after the order of an atomic) or
 * by its register.
 */
static unsigned access_size(const char *suffix, char letter)
{
	size_t len = strlen(suffix);

	switch (len ? suffix[len - 1] : 0) {
	case 'b':
		return 1;
	case 'h':
		return 2;
	case 'w':
		return 4;
	}
	return letter == 'b'			? 1
	       : letter == 'h'			? 2
	       : letter == 'x' || letter == 'd' ? 8
	       : letter == 'q'			? 16
						: 4;
}

static unsigned count_bits(uint64_t mask)
{
	return (unsigned)__builtin_popcountll(mask);
}

/* Reads the bytes of an element and the number of elements from "{v0.16b}" or "{v0.b, v1.b}[3]". */
static void structure_size(const struct text *t, struct facts *f)
{
	const char *arrangement = strchr(t->op[0].text, '.') + 1;
	unsigned registers = count_bits(t->op[0].registers);
	char *letter;
	unsigned lanes = (unsigned)strtoul(arrangement, &letter, 10);

	f->bytes = access_size("", *letter);
	f->count = registers * (lanes && t->name[3] != 'r' ? lanes : 1);
	if (f->load && !lanes)
		f->reads |= f->writes;
}

static void base_register(const struct text *t, struct facts *f)
{
	for (unsigned i = 0; i < t->n; i++) {
		const char *text = t->op[i].text;
		char base[64] = "";

		if (text[0] != '[')
			continue;
		for (unsigned k = i; k < t->n; k++)
			f->reads |= t->op[k].registers;
		f->slow = strstr(text, "xtw") || strstr(text, "sxtx");
		f->writeback = i + 1 < t->n || text[strlen(text) - 1] == '!';
		strncat(base, text, strcspn(text, ",]"));
		if (f->writeback)
			f->writes |= registers_of(base);
		return;
	}
	f->literal = f->load;
}

static void memory_facts(const struct text *t, enum memory memory, const char *suffix,
			 struct facts *f)
{
	const struct operand *op = t->op;
	unsigned data = memory == STORE_EXCLUSIVE || memory == STORE_EXCLUSIVE2;
	bool twice = memory == LOAD2 || memory == STORE2 || memory == STORE_EXCLUSIVE2;
	uint64_t values = op[data].registers | (twice ? op[data + 1].registers : 0);

	if (memory == PREFETCH) {
		f->iclass = PMK_I_PRELOAD;
		base_register(t, f);
		return;
	}
	f->load = memory == LOAD || memory == LOAD2 || (memory == STRUCTURES && t->name[0] == 'l');
	f->store =
		memory == STORE || memory == STORE2 || data || (memory == STRUCTURES && !f->load);
	f->bytes = access_size(suffix, op[data].text[0]);
	f->count = twice || memory == COMPARE2 ? 2 : 1;
	f->exclusive = f->kind & (PMK_K_LDREX | PMK_K_STREX);
	if (memory == STRUCTURES || strchr("bhsdq", op[data].text[0]))
		f->kind |= PMK_K_VECTOR_MEM;
	if (memory == LOAD && begins(t->name, "ldra")) /* LDRAB does not load a byte */
		f->bytes = 8;
	switch (memory) {
	case COMPARE:
	case COMPARE2:
		f->load = f->store = true;
		f->writes = op[0].registers | (memory == COMPARE2 ? op[1].registers : 0);
		f->reads = f->writes | (memory == COMPARE2 ? op[2].registers | op[3].registers
							   : op[1].registers);
		break;
	case ATOMIC:
		f->load = f->store = true;
		f->reads = op[0].registers;
		f->writes = op[1].registers;
		break;
	default:
		*(f->load ? &f->writes : &f->reads) = values;
		if (data)
			f->writes = op[0].registers;
	}
	if (memory == STRUCTURES)
		structure_size(t, f);
	base_register(t, f);
	f->iclass = f->load && f->store			   ? PMK_I_ATOMIC
		    : memory == STRUCTURES && f->count > 1 ? (f->load ? PMK_I_LOADM : PMK_I_STOREM)
		    : f->load				   ? PMK_I_LOAD
							   : PMK_I_STORE;
}

static void branch_facts(const struct text *t, struct facts *f)
{
	const char *name = t->name;
	bool link = begins(name, "bl");

	f->branch = true;
	f->iclass = PMK_I_BRANCH;
	f->conditional = name[0] == 'c' || name[0] == 't' ||
			 (begins(name, "b.") && !listed("b.al b.nv", name));
	f->uses = name[0] == 'b' && f->conditional;
	for (unsigned i = 0; i < t->n; i++)
		f->reads |= t->op[i].registers;
	if (link)
		f->writes = LR;
	if (begins(name, "ret")) {
		f->kind = PMK_K_BR_INDIRECT | PMK_K_BR_RETURN;
		f->flow = PMK_FLOW_RETURN;
		if (!t->n)
			f->reads = name[3] ? LR | SP : LR;
	} else if (begins(name, "br") || begins(name, "blr")) {
		f->kind = PMK_K_BR_INDIRECT;
		f->flow = link ? PMK_FLOW_INDCALL : PMK_FLOW_INDIRECT;
	} else {
		f->kind = PMK_K_BR_IMM;
		f->flow = link ? PMK_FLOW_CALL : PMK_FLOW_JUMP;
		f->reads = name[0] == 'b' ? 0 : t->op[0].registers;
	}
}

/*
 * Sets the facts of WFI, and of the hints of pointer authentication. Hints 8 to 14 are PACIA1716
 * and others. Hint 7 is XPACLRI. Hints 24 to 31 sign or check x30, and read SP if the number of the
 * hint is odd.
 */
static void hint_facts(unsigned long hint, struct facts *f)
{
	if (hint == 3)
		f->sysop = PMK_SYS_WFI;
	if (hint == 8 || hint == 10 || hint == 12 || hint == 14) {
		f->writes = 1u << 17;
		f->reads = 3u << 16;
	}
	if (hint == 7 || (hint >= 24 && hint <= 31)) {
		f->writes = LR;
		f->reads = hint >= 24 && (hint & 1) ? LR | SP : LR;
	}
}

static void system_facts(const struct text *t, struct facts *f)
{
	const char *name = t->name, *first = t->op[0].text;

	f->kind = 0;
	f->iclass = PMK_I_OTHER;
	if (strcmp(name, "hint") == 0)
		hint_facts(strtoul(first + 1, NULL, 0), f);
	if (strcmp(name, "dsb") == 0)
		f->sysop = PMK_SYS_DSB;
	if (strcmp(name, "dmb") == 0)
		f->sysop = PMK_SYS_DMB;
	if (strcmp(name, "isb") == 0)
		f->sysop = PMK_SYS_ISB;
	if (strcmp(name, "mrs") == 0) {
		f->uses = strcmp(t->op[1].text, "nzcv") == 0;
		if (!listed(never_trap, t->op[1].text) &&
		    !listed("tpidrro_el0 tpidr_el1 spsr_el1 elr_el1 sp_el0 currentel",
			    t->op[1].text))
			f->kind = PMK_K_MAY_TRAP;
	} else if (strcmp(name, "msr") == 0) {
		f->sets = strcmp(first, "nzcv") == 0;
		if (listed("ttbr0_el1 ttbr1_el1 ttbr0_el12 ttbr1_el12", first))
			f->kind = PMK_K_TTBR_WRITE;
		if (listed("contextidr_el1 contextidr_el12", first))
			f->kind = PMK_K_CID_WRITE;
		if (f->kind ||
		    listed("ttbr0_el2 ttbr1_el2 ttbr0_el3 vttbr_el2 contextidr_el2", first))
			f->sysop = PMK_SYS_TLB;
		/* A field of PSTATE is written with a constant. */
		if (t->op[1].text[0] != '#' && !begins(first, "s0_") && !listed(never_trap, first))
			f->kind |= PMK_K_MAY_TRAP;
	} else if (strcmp(name, "sys") == 0) {
		const char *crn = t->op[1].text, *crm = t->op[2].text, *op2 = t->op[3].text;

		if (strcmp(crn, "C8") == 0)
			f->sysop = PMK_SYS_TLB;
		if (strcmp(first, "#0") == 0 && strcmp(crn, "C7") == 0 && listed("C1 C5", crm) &&
		    strcmp(op2, "#0") == 0)
			f->sysop = PMK_SYS_ICACHE_INV;
		if (strcmp(first, "#3") == 0 && strcmp(crn, "C7") == 0 && strcmp(crm, "C4") == 0 &&
		    strcmp(op2, "#1") == 0)
			f->kind = PMK_K_DC_ZVA;
		else
			f->kind = PMK_K_MAY_TRAP;
	} else if (strcmp(name, "sysl") == 0) {
		f->kind = PMK_K_MAY_TRAP;
	}
}

static void exception_facts(const struct text *t, struct facts *f)
{
	const char *name = t->name;

	f->flow = PMK_FLOW_EXCEPTION;
	f->kind = PMK_K_UNDEF;
	if (strcmp(name, "svc") == 0)
		f->kind = PMK_K_SVC;
	if (strcmp(name, "hvc") == 0)
		f->kind = PMK_K_HVC;
	if (strcmp(name, "smc") == 0)
		f->kind = PMK_K_SMC;
	if (begins(name, "eret") || strcmp(name, "drps") == 0) {
		f->flow = PMK_FLOW_MODE;
		f->kind = name[0] == 'e' ? PMK_K_ERET : 0;
		f->reads = listed("eretaa eretab", name) ? SP : 0;
	}
}

/*
 * Returns the event that counts an operation. It depends on the kinds of the operands, and for
 * scalar registers also on the name.
 */
static uint32_t operation_kind(const struct text *t)
{
	bool general = false, vector = false, any = false;

	for (unsigned i = 0; i < t->n; i++) {
		char c = t->op[i].text[0];
		bool reg = t->op[i].registers || listed("wzr xzr", t->op[i].text);

		general |= reg && strchr("xw", c);
		vector |= reg && strchr("v{", c);
		any |= reg && strchr("v{qdshb", c) && t->op[i].registers != SP;
	}
	if (listed(crypto, t->name))
		return PMK_K_CRYPTO;
	if (!any)
		return PMK_K_DP;
	if (general && listed("dup ins umov smov fmov", t->name))
		return 0;
	if (!vector && (listed(scalar_fp, t->name) || general))
		return PMK_K_VFP;
	return PMK_K_ASE;
}

/*
 * True if the last operand is shifted or extended by more than 0. The "lsl" of an immediate does
 * not count.
 */
static bool shifts(const struct text *t)
{
	static const char names[] = "lsl lsr asr ror uxtb uxth uxtw uxtx sxtb sxth sxtw sxtx";
	const char *last, *amount;

	if (t->n < 4 || t->op[2].text[0] == '#')
		return false;
	last = t->op[t->n - 1].text;
	amount = strchr(last, '#');
	if (!listed_part(names, last, strcspn(last, " ")))
		return false;
	if (listed("uxtw uxtx", last))
		return (last[3] == 'w') != (t->op[1].text[0] == 'w');
	return last[1] == 'x' || !amount || strcmp(amount, "#0") != 0;
}

static uint8_t class_of_operation(const struct text *t, uint32_t kind)
{
	const char *name = t->name;
	bool accumulates = t->n == 4 && t->op[3].registers;

	switch (kind) {
	case 0:
		return PMK_I_FP_MOVE;
	case PMK_K_CRYPTO:
		return PMK_I_CRYPTO;
	case PMK_K_ASE:
		return (name[0] == 'f' && strcmp(name, "fmov") != 0) ||
				       listed("scvtf ucvtf urecpe ursqrte", name)
			       ? PMK_I_SIMD_FP
			       : PMK_I_SIMD;
	case PMK_K_VFP:
		return strcmp(name, "fdiv") == 0		   ? PMK_I_FP_DIV
		       : strcmp(name, "fsqrt") == 0		   ? PMK_I_FP_SQRT
		       : strcmp(name, "fmov") == 0		   ? PMK_I_FP_MOVE
		       : listed("fmul fnmul", name)		   ? PMK_I_FP_MUL
		       : listed("fmadd fmsub fnmadd fnmsub", name) ? PMK_I_FP_MAC
								   : PMK_I_FP_ADD;
	}
	if (listed("udiv sdiv", name))
		return PMK_I_DIV;
	if (listed("lslv lsrv asrv rorv", name))
		return PMK_I_ALU_RSHIFT;
	if (listed("ubfm sbfm bfm extr", name))
		return PMK_I_ALU_SHIFT;
	if (listed("madd msub", name))
		return accumulates ? PMK_I_MLA : PMK_I_MUL;
	if (listed("smaddl smsubl umaddl umsubl", name))
		return accumulates ? PMK_I_MLAL : PMK_I_MULL;
	if (listed("smulh umulh", name))
		return PMK_I_MMUL;
	if (begins(name, "crc32"))
		return PMK_I_MUL;
	return shifts(t) ? PMK_I_ALU_SHIFT : PMK_I_ALU;
}

static void operation_facts(const struct text *t, struct facts *f)
{
	const char *first = t->op[0].text;

	f->kind = operation_kind(t);
	f->iclass = class_of_operation(t, f->kind);
	if (f->iclass == PMK_I_FP_DIV || f->iclass == PMK_I_FP_SQRT)
		f->bytes = access_size("", first[0]);
	f->sets = listed(sets_flags, t->name);
	f->uses = listed(reads_flags, t->name);
	for (unsigned i = 1; i < t->n; i++)
		f->reads |= t->op[i].registers;
	if (listed(reads_all, t->name))
		f->reads |= t->op[0].registers;
	else
		f->writes = t->op[0].registers;
	if (listed(reads_first_too, t->name) ||
	    (listed("orr bic", t->name) && first[0] == 'v' && t->op[1].text[0] == '#') ||
	    (strcmp(t->name, "fmov") == 0 && strchr(first, '[')))
		f->reads |= f->writes;
}

static void meaning(const struct text *t, struct facts *f)
{
	const char *suffix, *name = t->name;
	enum memory memory;

	memset(f, 0, sizeof(*f));
	memory = memory_of(name, &f->kind, &suffix);
	if (memory != NO_MEMORY)
		memory_facts(t, memory, suffix, f);
	else if (begins(name, "b.") ||
		 listed("b bl br blr ret cbz cbnz tbz tbnz braa brab braaz brabz blraa "
			"blrab blraaz blrabz retaa retab",
			name))
		branch_facts(t, f);
	else if (listed("svc hvc smc brk hlt dcps1 dcps2 dcps3 udf eret eretaa eretab drps", name))
		exception_facts(t, f);
	else
		operation_facts(t, f);
	if (listed(system_names, name))
		system_facts(t, f);
	if (f->literal || f->flow == PMK_FLOW_JUMP || f->flow == PMK_FLOW_CALL)
		f->target = strtoull(t->op[t->n - 1].text, NULL, 16);
}

/* ---- comparison ----------------------------------------------------------------------------- */

static void facts_of(const struct pmk_insn *in, struct facts *f)
{
	memset(f, 0, sizeof(*f)); /* with the padding: facts are compared as bytes */
	f->reads = in->reads;
	f->writes = in->writes;
	f->target = in->target;
	f->kind = in->kind;
	f->bytes = in->mem_bytes;
	f->count = in->mem_count;
	f->iclass = in->iclass;
	f->flow = in->flow;
	f->sysop = in->sysop;
	f->load = in->load;
	f->store = in->store;
	f->branch = in->is_branch;
	f->conditional = in->conditional;
	f->sets = in->sets_flags;
	f->uses = in->reads_flags;
	f->exclusive = in->exclusive;
	f->writeback = in->writeback;
	f->literal = in->literal;
	f->slow = in->slow_address;
}

static void show(const char *whose, const struct facts *f)
{
	print_message("%s: class %d flow %d sysop %d kind %x reads %llx writes %llx target %llx "
		      "%d x %d bytes load %d store %d branch %d conditional %d sets flags %d reads "
		      "flags %d exclusive %d write-back %d literal %d slow %d\n",
		      whose, f->iclass, f->flow, f->sysop, f->kind, (unsigned long long)f->reads,
		      (unsigned long long)f->writes, (unsigned long long)f->target, f->count,
		      f->bytes, f->load, f->store, f->branch, f->conditional, f->sets, f->uses,
		      f->exclusive, f->writeback, f->literal, f->slow);
}

struct tally {
	unsigned agree, unknown, undefined;
};

/* Mnemonics that occurred, with a line for each one that we do not know. */
static struct name {
	char name[24];
	bool agreed;
	char unknown[100];
} names[4096];

static struct name *name_of(const char *name)
{
	uint32_t h = 2166136261u;

	for (const char *p = name; *p; p++)
		h = (h ^ (uint8_t)*p) * 16777619u;
	while (names[h % 4096].name[0] && strcmp(names[h % 4096].name, name) != 0)
		h++;
	strcpy(names[h % 4096].name, name);
	return &names[h % 4096];
}

/* Names that a later extension reuses, or that binutils uses for unallocated encodings. */
static bool another_meaning(uint32_t w)
{
	unsigned group = w >> 25 & 15;

	return group == 0 || group == 2 ||	 /* SME, SVE */
	       (w & 0x7fe0f000) == 0x1ac06000 || /* SMAX, UMAX, SMIN, UMIN of v8.9 */
	       (w & 0x7fc00000) == 0x11c00000 || /* … immediate */
	       (w & 0x7ffff800) == 0x5ac01800 || /* CTZ, CNT */
	       (w & 0x7ffffc00) == 0x5ac02000 || /* ABS */
	       (w & 0xfffff3ff) == 0xd503323f || /* DSB nXS of v8.7 */
	       (w & 0xffd80000) == 0xd5000000 || /* MSR, MRS with o0 [20:19] = 0 */
	       (w & 0xbf60fc00) == 0x0e60ec00 || /* FMLAL, FMLSL with [22] */
	       (w & 0xbf60fc00) == 0x2e60cc00 || /* FMLAL2, FMLSL2 */
	       (w & 0xbf20fc00) == 0x0e00f400 || /* FCVTN to 8 bits of v9.5 */
	       (w & 0x3fbffc00) == 0x19800800 || /* STLR, LDAPR with write-back of v8.9 */
	       (w & 0x3f200c00) == 0x1d000800;	 /* STLUR, LDAPUR of vectors */
}

/* True for names that binutils 2.42 and later print for newer hints, PRFM, SYS and SYSL. */
static bool newer_name(const char *name)
{
	return begins(name, "gcs") || listed("chkfeat clrbhb stshh rprfm", name);
}

/*
 * Returns true if both oracles refuse a word because of UNPREDICTABLE registers. One such word is
 * LDPSW whose base is also loaded, or which loads one register twice. Later versions of the oracles
 * also refuse LDAR, STLR and similar instructions if a field that should be all ones is not. Other
 * loads and stores are refused by only one oracle.
 */
static bool refused_by_both(uint32_t w)
{
	return (w & 0xfe400000) == 0x68400000 ||
	       ((w & 0x3fa00000) == 0x08800000 && (w & 0x001f7c00) != 0x001f7c00);
}

static bool known_to_capstone(csh capstone, uint32_t w)
{
	uint8_t b[] = { (uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16), (uint8_t)(w >> 24) };
	cs_insn *cs;
	size_t n = cs_disasm(capstone, b, sizeof(b), 0, 1, &cs);

	if (n)
		cs_free(cs, n);
	return n;
}

/*
 * Checks one line of objdump. Every instruction that pmk decodes is known to objdump or to
 * Capstone.
 */
static void check_line(csh capstone, const char *line, struct tally *tally)
{
	struct pmk_insn in;
	struct facts want, have;
	struct text t;
	uint64_t addr;
	uint32_t word;

	if (!parse(line, &addr, &word, &t))
		return;
	pmk_isa_a64_decode(addr, word, &in);
	if (t.name[0] == '.') { /* .inst: not known; .word: data */
		if (in.decoded && strcmp(t.name, ".inst") == 0 && !refused_by_both(word) &&
		    !known_to_capstone(capstone, word))
			fail_msg("only we know %s", line);
		tally->undefined++;
		return;
	}
	if (newer_name(t.name)) {
		tally->unknown++;
		return;
	}
	if (!in.decoded) {
		if (!another_meaning(word))
			snprintf(name_of(t.name)->unknown, 100, "%.99s", line);
		tally->unknown++;
		return;
	}
	/* objdump writes unallocated system encodings as s0_…. */
	if ((begins(t.op[0].text, "s0_") || begins(t.op[1].text, "s0_")) &&
	    !known_to_capstone(capstone, word))
		fail_msg("only we know %s", line);
	name_of(t.name)->agreed = true;
	meaning(&t, &want);
	facts_of(&in, &have);
	if (memcmp(&have, &want, sizeof(have)) != 0 || in.mem_total != have.bytes * have.count) {
		show("ours", &have);
		show("text", &want);
		fail_msg("%s", line);
	}
	tally->agree++;
}

static char object[] = P_tmpdir "/pmk-a64-XXXXXX";

/*
 * Runs a command that ends with objdump. Each "%s" in `format` stands for the name of the object
 * file. If binutils decodes a word and we do not, its name must be that of an extension that we do
 * not know.
 */
static void run(const char *format, struct tally *tally)
{
	csh capstone;
	char command[2048], line[320];
	FILE *out;

	snprintf(command, sizeof(command), format, object, object);
	out = popen(command, "r");
	assert_non_null(out);
	assert_int_equal(cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &capstone), CS_ERR_OK);
	memset(tally, 0, sizeof(*tally));
	while (fgets(line, sizeof(line), out))
		check_line(capstone, line, tally);
	cs_close(&capstone);
	assert_int_equal(pclose(out), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].agreed && names[i].unknown[0])
			fail_msg("not decoded: %s", names[i].unknown);
}

static void test_corpus(void **state)
{
	struct tally tally;

	(void)state;
	run(TOOL "as -o %s '" SOURCE "' && " OBJDUMP "-d %s", &tally);
	print_message("%u instructions of insns_a64.s agree with binutils\n", tally.agree);
	assert_true(tally.agree > 450 && tally.unknown == 0 && tally.undefined == 0);
}

static void write_word(FILE *out, uint32_t w)
{
	uint8_t b[] = { (uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16), (uint8_t)(w >> 24) };

	assert_int_equal(fwrite(b, 1, 4, out), 4);
}

/* Checks words of all classes, and the words of insns_a64.s with each bit inverted. */
static void test_words(void **state)
{
	uint64_t random = UINT64_C(0xa64b1740715);
	uint32_t words[1000];
	size_t n = assembled_words(words, 1000);
	struct tally tally;
	unsigned known = 0;
	FILE *out;

	(void)state;
	assert_true(n > 450);
	out = fopen(object, "wb");
	assert_non_null(out);
	for (size_t i = 0; i < 32 * n; i += unit_is_large() ? 1 : 7)
		write_word(out, words[i / 32] ^ 1u << i % 32);
	for (unsigned i = 0; i < UNIT_SAMPLES(250000); i++)
		write_word(out, some_word(&random, i, words, n));
	assert_int_equal(fclose(out), 0);
	run(OBJDUMP "-D -z -b binary -m aarch64 %s", &tally);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		known += names[i].agreed;
	print_message("%u words, %u mnemonics agree with binutils; %u are not known to us, %u to "
		      "neither\n",
		      tally.agree, known, tally.unknown, tally.undefined);
	assert_true(tally.agree > UNIT_SAMPLES(100000) && tally.undefined > UNIT_SAMPLES(20000));
	assert_true(known >= (unit_is_large() ? 651 : 500));
}

static void test_program(void **state)
{
	struct tally tally;

	(void)state;
	run("echo 'int main(void) { return 0; }' | " TOOL "gcc -static -O2 -x c -o %s - && " OBJDUMP
	    "-d -j .text %s",
	    &tally);
	print_message("%u instructions of a static program agree, %u are not known to us\n",
		      tally.agree, tally.unknown);
	assert_true(tally.agree > 50000 && tally.unknown < tally.agree / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_corpus),
					    cmocka_unit_test(test_words),
					    cmocka_unit_test(test_program) };
	int fd, failed;

	if (!have_tool("as") || !have_tool("objdump") || !have_tool("objcopy") ||
	    !have_tool("gcc")) {
		printf("skipped: no " TOOL "gcc, as, objcopy or objdump\n");
		return 77;
	}
	if (access(SOURCE, R_OK) != 0) {
		printf("skipped: cannot read " SOURCE "\n");
		return 77;
	}
	fd = mkstemp(object);
	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(object);
	return failed;
}
