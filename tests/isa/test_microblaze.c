// SPDX-License-Identifier: MIT
/*
 * Instruction facts of MicroBlaze: the events that a word can raise (UG984, "Performance
 * Monitoring"), encodings with every fact, targets and prefixes, unknown words, and invariants of
 * all words. test_microblaze_binutils.py compares with binutils.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <pmk/isa.h>

#include "../unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void decode(uint64_t addr, uint32_t word, struct pmk_insn *in)
{
	memset(in, 0xa5, sizeof(*in)); /* the decoder must set every byte */
	pmk_isa_microblaze_decode(addr, word, in);
}

static void decode64(uint64_t addr, uint32_t word, struct pmk_insn *in)
{
	memset(in, 0xa5, sizeof(*in));
	pmk_isa_microblaze64_decode(addr, word, in);
}

/* ---- events --------------------------------------------------------------------------------- */

/*
 * `events` has the numbers of the events in UG984's table that an instruction raises, except event
 * 0. `how` is T or N for a conditional branch that was taken or not taken, S for an instruction in
 * a delay slot, and otherwise a blank.
 */
struct vector {
	int line;
	uint32_t word;
	char how;
	const char *events;
};

#define W(word) __LINE__, word

/* clang-format off */
static const struct vector vectors[] = {
	{ W(0x00642800), ' ', "19" },         /* add r3, r4, r5 */
	{ W(0x14642801), ' ', "19" },         /* cmp r3, r4, r5 */
	{ W(0x3021fff8), ' ', "19" },         /* addik r1, r1, -8 */
	{ W(0x40642803), ' ', "19 20" },      /* mulhu r3, r4, r5 */
	{ W(0x6064000a), ' ', "19 20" },      /* muli r3, r4, 10 */
	{ W(0x48642802), ' ', "19 28" },      /* idivu r3, r4, r5 */
	{ W(0x44642a00), ' ', "21" },         /* bsra r3, r4, r5 */
	{ W(0x64640405), ' ', "21" },         /* bslli r3, r4, 5 */
	{ W(0x58642980), ' ', "29" },         /* fdiv r3, r4, r5 */
	{ W(0x58642a30), ' ', "29" },         /* fcmp.le r3, r4, r5 */
	{ W(0x80642800), ' ', "18" },         /* or r3, r4, r5 */
	{ W(0x80642c00), ' ', "32" },         /* pcmpbf r3, r4, r5 */
	{ W(0x88642c00), ' ', "32" },         /* pcmpeq r3, r4, r5 */
	{ W(0x8c642c00), ' ', "32" },         /* pcmpne r3, r4, r5 */
	{ W(0xa8640001), ' ', "18" },         /* xori r3, r4, 1 */
	{ W(0x90640021), ' ', "22" },         /* src r3, r4 */
	{ W(0x90640061), ' ', "33" },         /* sext16 r3, r4 */
	{ W(0x906400e0), ' ', "" },           /* clz r3, r4 */
	{ W(0x90032068), ' ', "34" },         /* wic r3, r4 */
	{ W(0x90032064), ' ', "35" },         /* wdc r3, r4 */
	{ W(0x90032066), ' ', "35" },         /* wdc.clear r3, r4 */
	{ W(0x90032074), ' ', "35" },         /* wdc.flush r3, r4 */
	{ W(0x94700080), ' ', "36" },         /* msrset r3, 0x80 */
	{ W(0x94710080), ' ', "36" },         /* msrclr r3, 0x80 */
	{ W(0x9403c001), ' ', "" },           /* mts rmsr, r3 */
	{ W(0x94608001), ' ', "" },           /* mfs r3, rmsr */
	{ W(0xc0642a00), ' ', "3 41" },       /* lbur r3, r4, r5 */
	{ W(0xe4640002), ' ', "2 41" },       /* lhui r3, r4, 2 */
	{ W(0xc8642c00), ' ', "1 41" },       /* lwx r3, r4, r5 */
	{ W(0xe8610004), ' ', "1 16 41" },    /* lwi r3, r1, 4 */
	{ W(0xc8640800), ' ', "1 16 41" },    /* lw r3, r4, r1 */
	{ W(0xc8242800), ' ', "1 41" },       /* lw r1, r4, r5 */
	{ W(0xf0640001), ' ', "6 42" },       /* sbi r3, r4, 1 */
	{ W(0xd4642a00), ' ', "5 42" },       /* shr r3, r4, r5 */
	{ W(0xd8642c00), ' ', "4 42" },       /* swx r3, r4, r5 */
	{ W(0xf8610004), ' ', "4 17 42" },    /* swi r3, r1, 4 */
	{ W(0xf8240004), ' ', "4 42" },       /* swi r1, r4, 4 */
	{ W(0x98002800), ' ', "7 45" },       /* br r5 */
	{ W(0x98102800), ' ', "7 37 45" },    /* brd r5 */
	{ W(0x99f42800), ' ', "7 37 45" },    /* brld r15, r5 */
	{ W(0x9a0c2800), ' ', "7 45" },       /* brk r16, r5 */
	{ W(0xb8000008), ' ', "7 45" },       /* bri 8 */
	{ W(0xb9f40008), ' ', "7 37 45" },    /* brlid r15, 8 */
	{ W(0xba0c0018), ' ', "7 45" },       /* brki r16, 24 */
	{ W(0x9c032800), 'T', "8 44 45" },    /* beq r3, r5 */
	{ W(0x9c032800), 'N', "9 44 45" },
	{ W(0xbe230008), 'T', "8 38 44 45" }, /* bneid r3, 8 */
	{ W(0xbe230008), 'N', "9 39 44 45" },
	{ W(0xb60f0008), ' ', "" },           /* rtsd r15, 8 */
	{ W(0xb62e0000), ' ', "" },           /* rtid r14, 0 */
	{ W(0xb0001234), ' ', "31" },         /* imm 0x1234 */
	{ W(0xb8420004), ' ', "" },           /* mbar 2 */
	{ W(0xba020004), ' ', "" },           /* sleep */
	{ W(0x80000000), ' ', "18" },         /* nop */
	{ W(0x80000000), 'S', "18 40" },
	{ W(0x80642800), 'S', "18" },
	{ W(0x6c600000), ' ', "" },           /* get r3, rfsl0 */
	{ W(0x4c032c00), ' ', "" },           /* putd r3, r5 */
};
/* clang-format on */

static uint64_t event(unsigned n, bool raised)
{
	return raised ? UINT64_C(1) << n : 0;
}

static uint64_t memory_events(const struct pmk_insn *in)
{
	return event(1, in->load && in->mem_bytes == 4) | event(2, in->load && in->mem_bytes == 2) |
	       event(3, in->load && in->mem_bytes == 1) |
	       event(4, in->store && in->mem_bytes == 4) |
	       event(5, in->store && in->mem_bytes == 2) |
	       event(6, in->store && in->mem_bytes == 1) |
	       event(16, in->load && (in->kind & PMK_MB_R1)) |
	       event(17, in->store && (in->kind & PMK_MB_R1)) | event(41, in->load) |
	       event(42, in->store);
}

static uint64_t branch_events(const struct pmk_insn *in, char how)
{
	bool br = in->kind & PMK_MB_BR, cond = in->kind & PMK_MB_BR_COND;
	bool delay = in->kind & PMK_MB_DELAY;

	return event(7, br) | event(8, cond && how == 'T') | event(9, cond && how == 'N') |
	       event(37, br && delay) | event(38, cond && delay && how == 'T') |
	       event(39, cond && delay && how == 'N') | event(44, cond) | event(45, br || cond);
}

static uint64_t operation_events(const struct pmk_insn *in, char how)
{
	static const struct {
		uint32_t kind;
		unsigned number;
	} of_kind[] = {
		{ PMK_MB_LOGICAL, 18 }, { PMK_MB_ARITH, 19 }, { PMK_MB_MUL, 20 },
		{ PMK_MB_BARREL, 21 },	{ PMK_MB_SHIFT, 22 }, { PMK_MB_DIV, 28 },
		{ PMK_MB_FP, 29 },	{ PMK_MB_IMM, 31 },   { PMK_MB_PCMP, 32 },
		{ PMK_MB_SEXT, 33 },	{ PMK_MB_WIC, 34 },   { PMK_MB_WDC, 35 },
		{ PMK_MB_MSR, 36 },
	};
	uint64_t all = event(40, how == 'S' && (in->kind & PMK_MB_NOP));

	for (size_t i = 0; i < COUNT(of_kind); i++)
		all |= event(of_kind[i].number, in->kind & of_kind[i].kind);
	return all;
}

static uint64_t events_of(const struct pmk_insn *in, char how)
{
	return memory_events(in) | branch_events(in, how) | operation_events(in, how);
}

static uint64_t numbers(const char *text)
{
	uint64_t all = 0;
	char *end;

	for (unsigned long n = strtoul(text, &end, 10); end != text; n = strtoul(text, &end, 10)) {
		all |= UINT64_C(1) << n;
		text = end;
	}
	return all;
}

static void test_events(void **state)
{
	uint64_t all = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(vectors); i++) {
		const struct vector *v = &vectors[i];
		struct pmk_insn in;
		uint64_t have;

		decode(0x1000, v->word, &in);
		have = events_of(&in, v->how);
		all |= have;
		if (!in.decoded || have != numbers(v->events))
			fail_msg("line %d: %08x: decoded %d, events %llx", v->line, v->word,
				 in.decoded, (unsigned long long)have);
		decode64(0x1000, v->word, &in);
		assert_true(events_of(&in, v->how) == have && in.decoded);
	}
	assert_true(all == numbers("1 2 3 4 5 6 7 8 9 16 17 18 19 20 21 22 28 29 31 32 33 34 35 36 "
				   "37 38 39 40 41 42 44 45"));
}

/* ---- every fact ----------------------------------------------------------------------------- */

/*
 * Letters: conditional, branch, sets and reads MSR[C] (s f), exclusive, Load, Store. Roles: a
 * letter for rd (d), rn, rm, ra, and the number. All instructions are at 0x8000.
 */
struct row {
	int line;
	uint32_t word;
	uint8_t iclass, flow;
	const char *letters, *roles;
	uint32_t kind;
	uint8_t bytes;
	uint64_t target;
	uint8_t sysop;
};

#define I(word, iclass, flow) __LINE__, word, PMK_I_##iclass, PMK_FLOW_##flow
#define K(kind)		      PMK_MB_##kind

/* clang-format off */
static const struct row rows[] = {
	{ I(0x00642800, ALU, NEXT),    "s",  "d3 n4 m5",   K(ARITH) }, /* add r3, r4, r5 */
	{ I(0x00000000, ALU, NEXT),    "s",  "",           K(ARITH) }, /* add r0, r0, r0 */
	{ I(0x04642800, ALU, NEXT),    "s",  "d3 n4 m5",   K(ARITH) }, /* rsub r3, r4, r5 */
	{ I(0x0bdf0800, ALU, NEXT),    "sf", "d30 n31 m1", K(ARITH) }, /* addc r30, r31, r1 */
	{ I(0x0c642800, ALU, NEXT),    "sf", "d3 n4 m5",   K(ARITH) }, /* rsubc r3, r4, r5 */
	{ I(0x10642800, ALU, NEXT),    "",   "d3 n4 m5",   K(ARITH) }, /* addk r3, r4, r5 */
	{ I(0x14042800, ALU, NEXT),    "",   "n4 m5",      K(ARITH) }, /* rsubk r0, r4, r5 */
	{ I(0x18640000, ALU, NEXT),    "f",  "d3 n4",      K(ARITH) }, /* addkc r3, r4, r0 */
	{ I(0x1c602800, ALU, NEXT),    "f",  "d3 m5",      K(ARITH) }, /* rsubkc r3, r0, r5 */
	{ I(0x14642801, ALU, NEXT),    "",   "d3 n4 m5",   K(ARITH) }, /* cmp r3, r4, r5 */
	{ I(0x14642803, ALU, NEXT),    "",   "d3 n4 m5",   K(ARITH) }, /* cmpu r3, r4, r5 */
	{ I(0x20642801, ALU, NEXT),    "s",  "d3 n4",      K(ARITH) }, /* addi r3, r4, 0x2801 */
	{ I(0x2c64ffff, ALU, NEXT),    "sf", "d3 n4",      K(ARITH) }, /* rsubic r3, r4, -1 */
	{ I(0x30608000, ALU, NEXT),    "",   "d3",         K(ARITH) }, /* addik r3, r0, -32768 */
	{ I(0x34642801, ALU, NEXT),    "",   "d3 n4",      K(ARITH) }, /* rsubik r3, r4, 0x2801 */
	{ I(0x3c642801, ALU, NEXT),    "f",  "d3 n4",      K(ARITH) }, /* rsubikc r3, r4, 0x2801 */
	{ I(0x40642800, MUL, NEXT),    "",   "d3 n4 m5",   K(ARITH) | K(MUL) }, /* mul r3, r4, r5 */
	/* mulhsu r3, r4, r5 */
	{ I(0x40642802, MUL, NEXT),    "",   "d3 n4 m5",   K(ARITH) | K(MUL) },
	/* muli r3, r4, 0x280a */
	{ I(0x6064280a, MUL, NEXT),    "",   "d3 n4",      K(ARITH) | K(MUL) },
	/* idiv r3, r4, r5 */
	{ I(0x48642800, DIV, NEXT),    "",   "d3 n4 m5",   K(ARITH) | K(DIV) },
	{ I(0x44642c00, BARREL, NEXT), "",   "d3 n4 m5",   K(BARREL) }, /* bsll r3, r4, r5 */
	{ I(0x6464001f, BARREL, NEXT), "",   "d3 n4",      K(BARREL) }, /* bsrli r3, r4, 31 */
	{ I(0x64640205, BARREL, NEXT), "",   "d3 n4",      K(BARREL) }, /* bsrai r3, r4, 5 */
	{ I(0x64640400, BARREL, NEXT), "",   "d3 n4",      K(BARREL) }, /* bslli r3, r4, 0 */
	{ I(0x646447cb, BARREL, NEXT), "",   "d3 n4",      K(BARREL) }, /* bsefi r3, r4, 31, 11 */
	{ I(0x64648145, BARREL, NEXT), "",   "d3 n4 a3",   K(BARREL) }, /* bsifi r3, r4, 5, 5 */
	{ I(0x80000000, ALU, NEXT),    "",   "",           K(LOGICAL) | K(NOP) },
	{ I(0x80000800, ALU, NEXT),    "",   "m1",         K(LOGICAL) }, /* or r0, r0, r1 */
	{ I(0x84642800, ALU, NEXT),    "",   "d3 n4 m5",   K(LOGICAL) }, /* and r3, r4, r5 */
	{ I(0x88642800, ALU, NEXT),    "",   "d3 n4 m5",   K(LOGICAL) }, /* xor r3, r4, r5 */
	{ I(0x8c642800, ALU, NEXT),    "",   "d3 n4 m5",   K(LOGICAL) }, /* andn r3, r4, r5 */
	{ I(0xa0000000, ALU, NEXT),    "",   "",           K(LOGICAL) }, /* ori r0, r0, 0 */
	{ I(0xac64ffff, ALU, NEXT),    "",   "d3 n4",      K(LOGICAL) }, /* andni r3, r4, -1 */
	{ I(0x80642c00, ALU, NEXT),    "",   "d3 n4 m5",   K(PCMP) }, /* pcmpbf r3, r4, r5 */
	{ I(0x8c642c00, ALU, NEXT),    "",   "d3 n4 m5",   K(PCMP) }, /* pcmpne r3, r4, r5 */
	{ I(0x90640001, ALU, NEXT),    "s",  "d3 n4",      K(SHIFT) }, /* sra r3, r4 */
	{ I(0x90640021, ALU, NEXT),    "sf", "d3 n4",      K(SHIFT) }, /* src r3, r4 */
	{ I(0x90640041, ALU, NEXT),    "s",  "d3 n4",      K(SHIFT) }, /* srl r3, r4 */
	{ I(0x90640060, ALU, NEXT),    "",   "d3 n4",      K(SEXT) }, /* sext8 r3, r4 */
	{ I(0x906400e0, ALU, NEXT),    "",   "d3 n4",      0 }, /* clz r3, r4 */
	{ I(0x906401e0, ALU, NEXT),    "",   "d3 n4",      0 }, /* swapb r3, r4 */
	{ I(0x906401e2, ALU, NEXT),    "",   "d3 n4",      0 }, /* swaph r3, r4 */
	/* caches, special registers */
	{ I(0x90032068, CACHE_OP, NEXT), "",   "n3 m4", K(WIC) }, /* wic r3, r4 */
	{ I(0x90032064, CACHE_OP, NEXT), "",   "n3 m4", K(WDC) }, /* wdc r3, r4 */
	{ I(0x900320e6, CACHE_OP, NEXT), "",   "n3 m4", K(WDC) }, /* wdc.clear.ea r3, r4 */
	{ I(0x90032466, CACHE_OP, NEXT), "",   "n3 m4", K(WDC) }, /* wdc.ext.clear r3, r4 */
	{ I(0x90030476, CACHE_OP, NEXT), "",   "n3",    K(WDC) }, /* wdc.ext.flush r3, r0 */
	{ I(0x94702804, OTHER, NEXT),    "sf", "d3",    K(MSR) }, /* msrset r3, 0x2804 */
	{ I(0x94712802, OTHER, NEXT),    "f",  "d3",    K(MSR) }, /* msrclr r3, 0x2802 */
	{ I(0x94110002, OTHER, NEXT),    "f",  "",      K(MSR) }, /* msrclr r0, 2 */
	{ I(0x9403c001, OTHER, NEXT),    "s",  "n3",    0 }, /* mts rmsr, r3 */
	{ I(0x9403c007, OTHER, NEXT),    "",   "n3",    0 }, /* mts rfsr, r3 */
	/* mts rpid, r3 */
	{ I(0x9403d000, OTHER, NEXT),    "",   "n3",    0, .sysop = PMK_SYS_TLB },
	{ I(0x9403d001, OTHER, NEXT),    "",   "n3",    0 }, /* mts rzpr, r3 */
	/* mts rtlblo, r3 */
	{ I(0x9403d003, OTHER, NEXT),    "",   "n3",    0, .sysop = PMK_SYS_TLB },
	/* mtse rtlblo, r3 */
	{ I(0x9503d003, OTHER, NEXT),    "",   "n3",    0, .sysop = PMK_SYS_TLB },
	/* mts rtlbhi, r3 */
	{ I(0x9403d004, OTHER, NEXT),    "",   "n3",    0, .sysop = PMK_SYS_TLB },
	{ I(0x9403d005, OTHER, NEXT),    "",   "n3",    0 }, /* mts rtlbsx, r3 */
	{ I(0x94608001, OTHER, NEXT),    "f",  "d3",    0 }, /* mfs r3, rmsr */
	{ I(0x94609003, OTHER, NEXT),    "",   "d3",    0 }, /* mfs r3, rtlblo */
	{ I(0x9468a000, OTHER, NEXT),    "",   "d3",    0 }, /* mfse r3, rpvr0 */
	/* streams */
	{ I(0x6c600005, OTHER, NEXT), "",  "d3",    K(GET) }, /* get r3, rfsl5 */
	{ I(0x6c604005, OTHER, NEXT), "s", "d3",    K(GET) }, /* nget r3, rfsl5 */
	{ I(0x6c603c05, OTHER, NEXT), "",  "d3",    K(GET) }, /* tecaget r3, rfsl5 */
	{ I(0x6c03800f, OTHER, NEXT), "",  "n3",    K(PUT) }, /* put r3, rfsl15 */
	{ I(0x6c03c00f, OTHER, NEXT), "s", "n3",    K(PUT) }, /* nput r3, rfsl15 */
	{ I(0x6c00d00f, OTHER, NEXT), "s", "",      K(PUT) }, /* tnput rfsl15 */
	{ I(0x6c03900f, OTHER, NEXT), "",  "",      K(PUT) }, /* tput, rA is not used */
	{ I(0x4c602800, OTHER, NEXT), "",  "d3 m5", K(GET) }, /* getd r3, r5 */
	{ I(0x4c602a00, OTHER, NEXT), "s", "d3 m5", K(GET) }, /* ngetd r3, r5 */
	{ I(0x4c032c00, OTHER, NEXT), "",  "n3 m5", K(PUT) }, /* putd r3, r5 */
	{ I(0x4c032e40, OTHER, NEXT), "s", "n3 m5", K(PUT) }, /* naputd r3, r5 */
	{ I(0x4c032c80, OTHER, NEXT), "",  "m5",    K(PUT) }, /* tputd r5, rA is not used */
	/* floating point */
	{ I(0x58642800, FP_ADD, NEXT),      "", "d3 n4 m5", K(FP) }, /* fadd r3, r4, r5 */
	{ I(0x58642880, FP_ADD, NEXT),      "", "d3 n4 m5", K(FP) }, /* frsub r3, r4, r5 */
	{ I(0x58642900, FP_MUL, NEXT),      "", "d3 n4 m5", K(FP) }, /* fmul r3, r4, r5 */
	{ I(0x58642980, FP_DIV, NEXT),      "", "d3 n4 m5", K(FP) }, /* fdiv r3, r4, r5 */
	{ I(0x58642a00, FP_COMPARE, NEXT),  "", "d3 n4 m5", K(FP) }, /* fcmp.un r3, r4, r5 */
	{ I(0x58642a40, FP_COMPARE, NEXT),  "", "d3 n4 m5", K(FP) }, /* fcmp.gt r3, r4, r5 */
	{ I(0x58642a60, FP_COMPARE, NEXT),  "", "d3 n4 m5", K(FP) }, /* fcmp.ge r3, r4, r5 */
	{ I(0x58640280, FP_FROM_INT, NEXT), "", "d3 n4",    K(FP) }, /* flt r3, r4 */
	{ I(0x58640300, FP_TO_INT, NEXT),   "", "d3 n4",    K(FP) }, /* fint r3, r4 */
	{ I(0x58640380, FP_SQRT, NEXT),     "", "d3 n4",    K(FP) }, /* fsqrt r3, r4 */
	/* prefix, barriers */
	{ I(0xb000ffff, OTHER, NEXT), "", "", K(IMM) }, /* imm -1 */
	/* mbar 0 */
	{ I(0xb8020004, OTHER, NEXT), "", "", K(MBAR) | K(BTC_FLUSH), .sysop = PMK_SYS_DSB },
	{ I(0xb8220004, OTHER, NEXT), "", "", K(MBAR), .sysop = PMK_SYS_DSB }, /* mbar 1 */
	/* mbar 2 */
	{ I(0xb8420004, OTHER, NEXT), "", "", K(MBAR) | K(BTC_FLUSH), .sysop = PMK_SYS_ISB },
	{ I(0xb8620004, OTHER, NEXT), "", "", K(MBAR) }, /* mbar 3 */
	{ I(0xba020004, OTHER, NEXT), "", "", K(MBAR) | K(BTC_FLUSH) | K(SLEEP),
		.sysop = PMK_SYS_WFI },
	{ I(0xb9020004, OTHER, NEXT), "", "", K(MBAR) | K(BTC_FLUSH) | K(SLEEP),
		.sysop = PMK_SYS_WFI },
	{ I(0xbb220004, OTHER, NEXT), "", "", K(MBAR) | K(SLEEP), .sysop = PMK_SYS_WFI },
	/* branches */
	{ I(0x98002800, BRANCH, INDIRECT), "b", "m5", K(BR) }, /* br r5 */
	{ I(0x98082800, BRANCH, INDIRECT), "b", "m5", K(BR) }, /* bra r5 */
	{ I(0x98102800, BRANCH, INDIRECT), "b", "m5", K(BR) | K(DELAY) }, /* brd r5 */
	{ I(0x98180000, BRANCH, INDIRECT), "b", "", K(BR) | K(DELAY) }, /* brad r0 */
	{ I(0x99f42800, BRANCH, INDCALL), "b", "d15 m5", K(BR) | K(DELAY) }, /* brld r15, r5 */
	{ I(0x99fc2800, BRANCH, INDCALL), "b", "d15 m5", K(BR) | K(DELAY) }, /* brald r15, r5 */
	{ I(0x9a0c2800, BRANCH, EXCEPTION), "b", "d16 m5", K(BR) | K(BREAK) }, /* brk r16, r5 */
	{ I(0xb8002808, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM), 0, 0xa808 }, /* bri 0x2808 */
	/* bri 4 */
	{ I(0xb8000004, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM) | K(BTC_FLUSH), 0, 0x8004 },
	/* brai 4 */
	{ I(0xb8080004, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM) | K(ABSOLUTE), 0, 4 },
	/* brai 0x2804 */
	{ I(0xb8082804, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM) | K(ABSOLUTE), 0, 0x2804 },
	/* brid -4 */
	{ I(0xb810fffc, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM) | K(DELAY), 0, 0x7ffc },
	/* braid -32768 */
	{ I(0xb8188000, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM) | K(DELAY) | K(ABSOLUTE), 0,
		0xffff8000 },
	/* brlid r15, 0x7ffc */
	{ I(0xb9f47ffc, BRANCH, CALL), "b", "d15", K(BR) | K(BR_IMM) | K(DELAY), 0, 0xfffc },
	/* bralid r15, 0x7ffc */
	{ I(0xb9fc7ffc, BRANCH, CALL), "b", "d15", K(BR) | K(BR_IMM) | K(DELAY) | K(ABSOLUTE), 0,
		0x7ffc },
	/* brki r16, 0x2818 */
	{ I(0xba0c2818, BRANCH, EXCEPTION), "b", "d16", K(BR) | K(BREAK) | K(ABSOLUTE), 0, 0x2818 },
	{ I(0x9c032800, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) }, /* beq r3, r5 */
	{ I(0x9c832800, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) }, /* bgt r3, r5 */
	{ I(0x9e032800, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) | K(DELAY) }, /* beqd r3, r5 */
	{ I(0x9ea32800, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) | K(DELAY) }, /* bged r3, r5 */
	/* bgti r3, -8 */
	{ I(0xbc83fff8, BRANCH, JUMP), "cb", "n3", K(BR_COND) | K(BR_IMM), 0, 0x7ff8 },
	/* bnei r3, 0x2804 */
	{ I(0xbc232804, BRANCH, JUMP), "cb", "n3", K(BR_COND) | K(BR_IMM), 0, 0xa804 },
	/* bgeid r3, 0x2808 */
	{ I(0xbea32808, BRANCH, JUMP), "cb", "n3", K(BR_COND) | K(BR_IMM) | K(DELAY), 0, 0xa808 },
	/* beqi r0, 4 */
	{ I(0xbc000004, BRANCH, JUMP), "cb", "", K(BR_COND) | K(BR_IMM) | K(ALWAYS), 0, 0x8004 },
	/* bleid r0, 4; bge r0, r5; bnei r0, 4; bltd r0, r5; bgti r0, 4 */
	{ I(0xbe600004, BRANCH, JUMP), "cb", "", K(BR_COND) | K(BR_IMM) | K(DELAY) | K(ALWAYS), 0,
		0x8004 },
	{ I(0x9ca02800, BRANCH, INDIRECT), "cb", "m5", K(BR_COND) | K(ALWAYS) },
	{ I(0xbc200004, BRANCH, JUMP), "cb", "", K(BR_COND) | K(BR_IMM) | K(NEVER), 0, 0x8004 },
	{ I(0x9e402800, BRANCH, INDIRECT), "cb", "m5", K(BR_COND) | K(DELAY) | K(NEVER) },
	{ I(0xbc800004, BRANCH, JUMP), "cb", "", K(BR_COND) | K(BR_IMM) | K(NEVER), 0, 0x8004 },
	/* bleid r3, -32768 */
	{ I(0xbe638000, BRANCH, JUMP), "cb", "n3", K(BR_COND) | K(BR_IMM) | K(DELAY), 0, 0 },
	{ I(0xb60f2808, BRANCH, RETURN), "", "n15", K(RETURN) | K(DELAY) }, /* rtsd r15, 0x2808 */
	{ I(0xb62e2808, BRANCH, MODE), "", "n14", K(RETURN) | K(DELAY) }, /* rtid r14, 0x2808 */
	{ I(0xb6502808, BRANCH, MODE), "", "n16", K(RETURN) | K(DELAY) }, /* rtbd r16, 0x2808 */
	{ I(0xb6912808, BRANCH, MODE), "", "n17", K(RETURN) | K(DELAY) }, /* rted r17, 0x2808 */
	/* loads, stores */
	/* lbu r3, r4, r5 */
	{ I(0xc0642800, LOAD, NEXT),  "L",   "d3 n4 m5", 0,                  1 },
	/* lbuea r3, r4, r5 */
	{ I(0xc0642880, LOAD, NEXT),  "L",   "d3 n4 m5", 0,                  1 },
	/* lhur r3, r4, r5 */
	{ I(0xc4642a00, LOAD, NEXT),  "L",   "d3 n4 m5", 0,                  2 },
	/* lhuea r3, r4, r5 */
	{ I(0xc4642880, LOAD, NEXT),  "L",   "d3 n4 m5", 0,                  2 },
	/* lw r3, r4, r1 */
	{ I(0xc8640800, LOAD, NEXT),  "L",   "d3 n4 m1", K(R1),              4 },
	/* lwea r1, r1, r1 */
	{ I(0xc8210880, LOAD, NEXT),  "L",   "d1 n1 m1", K(R1),              4 },
	/* lwx r3, r4, r5 */
	{ I(0xc8642c00, LOAD, NEXT),  "sxL", "d3 n4 m5", 0,                  4 },
	/* lw r1, r4, r5 */
	{ I(0xc8242800, LOAD, NEXT),  "L",   "d1 n4 m5", 0,                  4 },
	/* lbui r3, r0, 0x2345 */
	{ I(0xe0602345, LOAD, NEXT),  "L",   "d3",       0,                  1 },
	/* lhui r3, r4, 2 */
	{ I(0xe4640002, LOAD, NEXT),  "L",   "d3 n4",    0,                  2 },
	/* lwi r3, r1, 4 */
	{ I(0xe8610004, LOAD, NEXT),  "L",   "d3 n1",    K(R1),              4 },
	/* lwi r3, r4, 0x800 */
	{ I(0xe8640800, LOAD, NEXT),  "L",   "d3 n4",    0,                  4 },
	/* sbr r3, r4, r5 */
	{ I(0xd0642a00, STORE, NEXT), "S",   "d3 n4 m5", 0,                  1 },
	/* sbea r1, r4, r5 */
	{ I(0xd0242880, STORE, NEXT), "S",   "d1 n4 m5", K(R1_DATA),         1 },
	/* shea r3, r4, r5 */
	{ I(0xd4642880, STORE, NEXT), "S",   "d3 n4 m5", 0,                  2 },
	/* sw r3, r4, r5 */
	{ I(0xd8642800, STORE, NEXT), "S",   "d3 n4 m5", 0,                  4 },
	/* swea r1, r4, r1 */
	{ I(0xd8240880, STORE, NEXT), "S",   "d1 n4 m1", K(R1) | K(R1_DATA), 4 },
	/* swx r3, r4, r5 */
	{ I(0xd8642c00, STORE, NEXT), "sxS", "d3 n4 m5", 0,                  4 },
	/* sbi r3, r4, 1 */
	{ I(0xf0640001, STORE, NEXT), "S",   "d3 n4",    0,                  1 },
	/* shi r0, r4, 1 */
	{ I(0xf4040001, STORE, NEXT), "S",   "n4",       0,                  2 },
	/* swi r15, r1, 0 */
	{ I(0xf9e10000, STORE, NEXT), "S",   "d15 n1",   K(R1),              4 },
};

/* Instructions of the 64-bit core. */
static const struct row long_rows[] = {
	{ I(0x00642900, ALU, NEXT), "s", "d3 n4 m5", K(ARITH) | K(LONG) }, /* addl r3, r4, r5 */
	{ I(0x0c642900, ALU, NEXT), "sf", "d3 n4 m5", K(ARITH) | K(LONG) }, /* rsublc r3, r4, r5 */
	{ I(0x10642900, ALU, NEXT), "", "d3 n4 m5", K(ARITH) | K(LONG) }, /* addlk r3, r4, r5 */
	{ I(0x1c642900, ALU, NEXT), "f", "d3 n4 m5", K(ARITH) | K(LONG) }, /* rsublkc r3, r4, r5 */
	{ I(0x14642901, ALU, NEXT), "", "d3 n4 m5", K(ARITH) | K(LONG) }, /* cmpl r3, r4, r5 */
	{ I(0x14642903, ALU, NEXT), "", "d3 n4 m5", K(ARITH) | K(LONG) }, /* cmplu r3, r4, r5 */
	{ I(0x44642d00, BARREL, NEXT), "", "d3 n4 m5", K(BARREL) | K(LONG) }, /* bslll r3, r4, r5 */
	{ I(0x44642b00, BARREL, NEXT), "", "d3 n4 m5", K(BARREL) | K(LONG) }, /* bslra r3, r4, r5 */
	{ I(0x44642900, BARREL, NEXT), "", "d3 n4 m5", K(BARREL) | K(LONG) }, /* bslrl r3, r4, r5 */
	{ I(0x6464243f, BARREL, NEXT), "", "d3 n4", K(BARREL) | K(LONG) }, /* bsllli r3, r4, 63 */
	{ I(0x6464223f, BARREL, NEXT), "", "d3 n4", K(BARREL) | K(LONG) }, /* bslrai r3, r4, 63 */
	{ I(0x64642001, BARREL, NEXT), "", "d3 n4", K(BARREL) | K(LONG) }, /* bslrli r3, r4, 1 */
	/* bslefi r3, r4, 63, 63 */
	{ I(0x64646fff, BARREL, NEXT), "", "d3 n4", K(BARREL) | K(LONG) },
	/* bslifi r3, r4, 63, 63 */
	{ I(0x6464afff, BARREL, NEXT), "", "d3 n4 a3", K(BARREL) | K(LONG) },
	{ I(0x80642900, ALU, NEXT), "", "d3 n4 m5", K(LOGICAL) | K(LONG) }, /* orl r3, r4, r5 */
	{ I(0x80000100, ALU, NEXT), "", "", K(LOGICAL) | K(LONG) }, /* orl r0, r0, r0 */
	{ I(0x8c642900, ALU, NEXT), "", "d3 n4 m5", K(LOGICAL) | K(LONG) }, /* andnl r3, r4, r5 */
	{ I(0x80642d00, ALU, NEXT), "", "d3 n4 m5", K(PCMP) | K(LONG) }, /* pcmplbf r3, r4, r5 */
	{ I(0x88642d00, ALU, NEXT), "", "d3 n4 m5", K(PCMP) | K(LONG) }, /* pcmpleq r3, r4, r5 */
	{ I(0x8c642d00, ALU, NEXT), "", "d3 n4 m5", K(PCMP) | K(LONG) }, /* pcmplne r3, r4, r5 */
	{ I(0x90640101, ALU, NEXT), "s", "d3 n4", K(SHIFT) | K(LONG) }, /* srla r3, r4 */
	{ I(0x90640121, ALU, NEXT), "sf", "d3 n4", K(SHIFT) | K(LONG) }, /* srlc r3, r4 */
	{ I(0x90640141, ALU, NEXT), "s", "d3 n4", K(SHIFT) | K(LONG) }, /* srll r3, r4 */
	{ I(0x90640160, ALU, NEXT), "", "d3 n4", K(SEXT) | K(LONG) }, /* sextl8 r3, r4 */
	{ I(0x90640161, ALU, NEXT), "", "d3 n4", K(SEXT) | K(LONG) }, /* sextl16 r3, r4 */
	{ I(0x90640162, ALU, NEXT), "", "d3 n4", K(SEXT) | K(LONG) }, /* sextl32 r3, r4 */
	{ I(0x58642c00, FP_ADD, NEXT), "", "d3 n4 m5", K(FP) | K(LONG) }, /* dadd r3, r4, r5 */
	{ I(0x58642c80, FP_ADD, NEXT), "", "d3 n4 m5", K(FP) | K(LONG) }, /* drsub r3, r4, r5 */
	{ I(0x58642d00, FP_MUL, NEXT), "", "d3 n4 m5", K(FP) | K(LONG) }, /* dmul r3, r4, r5 */
	{ I(0x58642d80, FP_DIV, NEXT), "", "d3 n4 m5", K(FP) | K(LONG) }, /* ddiv r3, r4, r5 */
	/* dcmp.ge r3, r4, r5 */
	{ I(0x58642e60, FP_COMPARE, NEXT), "", "d3 n4 m5", K(FP) | K(LONG) },
	{ I(0x58640680, FP_FROM_INT, NEXT), "", "d3 n4", K(FP) | K(LONG) }, /* dbl r3, r4 */
	{ I(0x58640700, FP_TO_INT, NEXT), "", "d3 n4", K(FP) | K(LONG) }, /* dlong r3, r4 */
	{ I(0x58640780, FP_SQRT, NEXT), "", "d3 n4", K(FP) | K(LONG) }, /* dsqrt r3, r4 */
	{ I(0xb2fedcba, OTHER, NEXT), "", "", K(IMM) | K(LONG) }, /* imml 0xfedcba */
	{ I(0x98012800, BRANCH, INDIRECT), "b", "m5", K(BR) | K(LONG) }, /* brea r5 */
	{ I(0x98112800, BRANCH, INDIRECT), "b", "m5", K(BR) | K(DELAY) | K(LONG) }, /* bread r5 */
	/* breald r15, r5 */
	{ I(0x99f52800, BRANCH, INDCALL), "b", "d15 m5", K(BR) | K(DELAY) | K(LONG) },
	/* breai 4 */
	{ I(0xb8010004, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM) | K(LONG), 0, 0x8004 },
	/* breai 0x2804 */
	{ I(0xb8012804, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM) | K(LONG), 0, 0xa804 },
	/* breaid 0x2808 */
	{ I(0xb8112808, BRANCH, JUMP), "b", "", K(BR) | K(BR_IMM) | K(DELAY) | K(LONG), 0, 0xa808 },
	/* brealid r15, -8 */
	{ I(0xb9f5fff8, BRANCH, CALL), "b", "d15", K(BR) | K(BR_IMM) | K(DELAY) | K(LONG), 0,
		0x7ff8 },
	{ I(0x9d032800, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) | K(LONG) }, /* beaeq r3, r5 */
	/* bealeq r3, r5 */
	{ I(0x9d032900, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) | K(LONG) },
	/* bealgt r3, r5 */
	{ I(0x9d832900, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) | K(LONG) },
	/* bealeqd r3, r5 */
	{ I(0x9f032900, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) | K(DELAY) | K(LONG) },
	/* beaged r3, r5 */
	{ I(0x9fa32800, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) | K(DELAY) | K(LONG) },
	/* bealged r3, r5 */
	{ I(0x9fa32900, BRANCH, INDIRECT), "cb", "n3 m5", K(BR_COND) | K(DELAY) | K(LONG) },
	/* beaeqi r3, 16 */
	{ I(0xbd030010, BRANCH, JUMP), "cb", "n3", K(BR_COND) | K(BR_IMM) | K(LONG), 0, 0x8010 },
	/* beageid r3, 16 */
	{ I(0xbfa30010, BRANCH, JUMP), "cb", "n3", K(BR_COND) | K(BR_IMM) | K(DELAY) | K(LONG), 0,
		0x8010 },
	{ I(0xc8642900, LOAD, NEXT), "L", "d3 n4 m5", K(LONG), 8 }, /* ll r3, r4, r5 */
	{ I(0xc8642b00, LOAD, NEXT), "L", "d3 n4 m5", K(LONG), 8 }, /* llr r3, r4, r5 */
	{ I(0xec610008, LOAD, NEXT), "L", "d3 n1", K(R1) | K(LONG), 8 }, /* lli r3, r1, 8 */
	{ I(0xd8642900, STORE, NEXT), "S", "d3 n4 m5", K(LONG), 8 }, /* sl r3, r4, r5 */
	/* slr r1, r4, r5 */
	{ I(0xd8242b00, STORE, NEXT), "S", "d1 n4 m5", K(R1_DATA) | K(LONG), 8 },
	{ I(0xfc640008, STORE, NEXT), "S", "d3 n4", K(LONG), 8 }, /* sli r3, r4, 8 */
};
/* clang-format on */

static void letters(const struct pmk_insn *in, char *to)
{
	const struct {
		bool holds;
		char letter;
	} facts[] = {
		{ in->conditional, 'c' },  { in->is_branch, 'b' }, { in->sets_flags, 's' },
		{ in->reads_flags, 'f' },  { in->exclusive, 'x' }, { in->load, 'L' },
		{ in->store, 'S' },	   { in->literal, '?' },   { in->writeback, '?' },
		{ in->slow_address, '?' },
	};

	for (size_t i = 0; i < COUNT(facts); i++)
		if (facts[i].holds)
			*to++ = facts[i].letter;
	*to = '\0';
}

static void roles(const struct pmk_insn *in, char *to, size_t size)
{
	const struct {
		int reg;
		char letter;
	} all[] = { { in->rd, 'd' }, { in->rn, 'n' }, { in->rm, 'm' },
		    { in->ra, 'a' }, { in->rs, '?' }, { in->rd2, '?' } };
	size_t n = 0;

	to[0] = '\0';
	for (size_t i = 0; i < COUNT(all); i++)
		if (all[i].reg != PMK_NO_REG)
			n += (size_t)snprintf(to + n, size - n, "%s%c%d", n ? " " : "",
					      all[i].letter, all[i].reg);
}

static void check(const struct row *r, const struct pmk_insn *in)
{
	char have[12], regs[40];

	letters(in, have);
	roles(in, regs, sizeof(regs));
	if (!in->decoded || in->size != 4 || in->addr != 0x8000 || in->iclass != r->iclass ||
	    in->flow != r->flow || in->sysop != r->sysop || in->kind != r->kind ||
	    in->mem_bytes != r->bytes || in->target != r->target || strcmp(have, r->letters) != 0 ||
	    strcmp(regs, r->roles) != 0)
		fail_msg("line %d: %08x: decoded %d class %d flow %d sysop %d facts '%s' roles "
			 "'%s' kind %x bytes %d target %llx",
			 r->line, r->word, in->decoded, in->iclass, in->flow, in->sysop, have, regs,
			 in->kind, in->mem_bytes, (unsigned long long)in->target);
}

static void test_table(void **state)
{
	uint32_t kinds = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pmk_insn in, wide;

		decode(0x8000, rows[i].word, &in);
		check(&rows[i], &in);
		kinds |= in.kind;
		decode64(0x8000, rows[i].word, &wide);
		if (rows[i].target == 0xffff8000) { /* sign-extended to the width of an address */
			assert_true(wide.target == UINT64_C(0xffffffffffff8000));
			wide.target = in.target;
		}
		check(&rows[i], &wide);
	}
	assert_int_equal(kinds, ((1u << 31) - 1) & ~(1u << 28)); /* all kinds but LONG */
}

static void test_long(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(long_rows); i++) {
		struct pmk_insn in;

		decode64(0x8000, long_rows[i].word, &in);
		check(&long_rows[i], &in);
		decode(0x8000, long_rows[i].word, &in);
		if (in.decoded)
			fail_msg("line %d: %08x is known to the 32-bit core", long_rows[i].line,
				 long_rows[i].word);
	}
}

/* ---- targets -------------------------------------------------------------------------------- */

static uint64_t target(uint64_t addr, uint32_t word)
{
	struct pmk_insn in;

	decode(addr, word, &in);
	return in.target;
}

static uint64_t behind(uint64_t addr, uint32_t prefix, uint32_t word)
{
	struct pmk_insn in;

	decode(addr, word, &in);
	pmk_isa_microblaze_imm(&in, prefix);
	return in.target;
}

static uint64_t behind64(uint64_t addr, uint32_t prefix, uint32_t word)
{
	struct pmk_insn in;

	decode64(addr, word, &in);
	pmk_isa_microblaze64_imm(&in, prefix);
	return in.target;
}

/* Targets have 32 bits, and wrap. */
static void test_targets(void **state)
{
	(void)state;
	assert_true(target(0, 0xb800fffc) == 0xfffffffc);	   /* bri -4 */
	assert_true(target(0xfffffffc, 0xb8000008) == 4);	   /* bri 8 */
	assert_true(target(0x90000000, 0xb9f48000) == 0x8fff8000); /* brlid r15, -32768 */
	assert_true(target(0x90000000, 0xb9fcfffc) == 0xfffffffc); /* bralid r15, -4 */
	assert_true(target(0x90000000, 0xba0c0018) == 0x18);	   /* brki r16, 24 */
	assert_true(target(0x90000000, 0xbc237ffc) == 0x90007ffc); /* bnei r3, 0x7ffc */
	assert_true(target(0x90000000, 0xb60f0008) == 0);	   /* rtsd r15, 8 */
	assert_true(target(0x90000000, 0xe8610008) == 0);	   /* lwi r3, r1, 8 */
}

static void test_prefix(void **state)
{
	struct pmk_insn in;

	(void)state;
	assert_true(behind(0x1000, 0xb0001234, 0xb8005678) == 0x12346678); /* bri */
	/* The low half has no sign after a prefix. */
	assert_true(behind(0x1000, 0xb0001234, 0xb800fffc) == 0x12350ffc);
	assert_true(behind(0x1000, 0xb000ffff, 0xb8008000) == 0xffff9000);
	assert_true(behind(0x1000, 0xb0000000, 0xb808fffc) == 0xfffc);	   /* brai */
	assert_true(behind(0x1000, 0xb000ffff, 0xb9fc0000) == 0xffff0000); /* bralid */
	assert_true(behind(0xfffff000, 0xb0000001, 0xb9f40000) == 0xf000); /* brlid */
	assert_true(behind(0x1000, 0xb0008000, 0xbe230004) == 0x80001004); /* bneid */
	assert_true(behind(0x1000, 0xb0009000, 0xba0c0018) == 0x90000018); /* brki */
	/* bri 4 is a synchronising branch. With an imm before it, it may have another target. */
	decode(0x1000, 0xb8000004, &in);
	pmk_isa_microblaze_imm(&in, 0xb0000000);
	assert_true((in.kind & PMK_MB_BTC_FLUSH) && in.target == 0x1004);
	pmk_isa_microblaze_imm(&in, 0xb0000001);
	assert_true(!(in.kind & PMK_MB_BTC_FLUSH) && in.target == 0x11004);
	assert_int_equal(in.kind, PMK_MB_BR | PMK_MB_BR_IMM);
}

/*
 * A prefix before an instruction that does not use it has no effect, whether the instruction is
 * known or not.
 */
static void test_prefix_unused(void **state)
{
	static const uint32_t words[] = { 0x30630001, 0xe8610004, 0xb60f0008, 0x98002800,
					  0x9a0c2800, 0x9a0c0000, 0x9c032800, 0xb8020004,
					  0xb0001234, 0x80000000, 0xffffffff, 0xdc000000 };

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		struct pmk_insn in, plain;

		decode(0x1000, words[i], &plain);
		in = plain;
		pmk_isa_microblaze_imm(&in, 0xb000ffff);
		assert_memory_equal(&in, &plain, sizeof(in));
		decode64(0x1000, words[i], &plain);
		in = plain;
		pmk_isa_microblaze64_imm(&in, 0xb2ffffff);
		assert_memory_equal(&in, &plain, sizeof(in));
	}
}

/* With 64 bits, imm makes an immediate of 32 bits, and imml one of 40 bits. Both have a sign. */
static void test_long_targets(void **state)
{
	struct pmk_insn in;

	(void)state;
	decode64(0, 0xb800fffc, &in);
	assert_true(in.target == UINT64_C(0xfffffffffffffffc));
	decode64(UINT64_C(0x1234567890), 0xb9f40010, &in);
	assert_true(in.target == UINT64_C(0x12345678a0));
	assert_true(behind64(UINT64_C(0xfffff000), 0xb0000001, 0xb8000000) ==
		    UINT64_C(0x10000f000));
	assert_true(behind64(0x1000, 0xb0008000, 0xb8010000) == UINT64_C(0xffffffff80001000));
	assert_true(behind64(0x1000, 0xb2008000, 0xb8010000) == UINT64_C(0x80001000));
	assert_true(behind64(0x1000, 0xb2800000, 0xb8010000) == UINT64_C(0xffffff8000001000));
	assert_true(behind64(0x1000, 0xb27fffff, 0xb808ffff) == UINT64_C(0x7fffffffff));
	assert_true(behind64(0x1000, 0xb2123456, 0xbf03789a) == UINT64_C(0x123456889a));
}

/* ---- words that are not known --------------------------------------------------------------- */

static void test_unknown(void **state)
{
	/* clang-format off */
	static const uint32_t unknown[] = {
		/* no such opcode: 14 15 17 1a 1c-1f 33 37 3b 3f */
		0x50000000, 0x54000000, 0x5c000000, 0x68000000, 0x70000000, 0x74000000, 0x78000000,
		0x7c000000, 0xcc000000, 0xdc000000, 0xec000000, 0xfc000000, 0xffffffff,
		/* reserved fields */
		0x00642801, 0x00642c00, 0x08642804, 0x14642802, 0x10642a00, 0x40642804, 0x40642c00,
		0x48642801, 0x44642e00, 0x44642801, 0x64640605, 0x64640105, 0x64640805, 0x64644025,
		0x6464c005, 0x6464e005,
		0x80642801, 0x80642a00, 0x84642c00 /* pcmpbc */, 0x88642c01, 0x90640801, 0x90640000,
			0x906400e1,
		0x906401e1, 0x90640062, 0x90632068, 0x90632064, 0x90032065, 0x90032164, 0x9003206c,
		0x94708000, 0x94640080, 0x94720080, 0x9423c001, 0x9603c001, 0x94618001, 0x94628001,
		/* Streams: rA of get, rD of put, e of put, unused bits. */
		0x6c610000, 0x6c600010, 0x6c238000, 0x6c038400, 0x6c008010, 0x4c612800, 0x4c602801,
		0x4c232c00, 0x4c032c20, 0x4c032c10,
		/* floating point */
		0x58642a70, 0x58642801, 0x58642c00, 0x58642a80, 0x58642b00, 0x58642a08,
		/* prefixes and branches */
		0xb0010000, 0xb0200000, 0xb1000000, 0xb2000000, 0xb4000000, 0xb5ef0008, 0xb66f0008,
		0xb6af0008, 0xb72f0008, 0x98202800, 0x98002801, 0x98042800, 0x99e42800, 0x981e2800,
		0x98022800, 0xb8200008, 0xb8040008, 0xb8220005, 0xb8020000, 0xb8020008, 0xb8120004,
		0x9cc32800, 0x9ce32800, 0x9d032800, 0x9c032801, 0xbcc30008, 0xbd030008,
		/* loads and stores: unused and contradicting bits */
		0xc0642801, 0xc0642c00, 0xc4642c00, 0xc8642e00, 0xc8642a80, 0xc8642840, 0xd0642c00,
		0xd8642e00, 0xd8642a80,
	};
	/* clang-format on */
	struct pmk_insn in;

	(void)state;
	for (size_t i = 0; i < COUNT(unknown); i++) {
		decode(0x8000, unknown[i], &in);
		if (in.decoded)
			fail_msg("%08x is known", unknown[i]);
		assert_true(in.addr == 0x8000 && in.size == 4);
		assert_true(!(in.reads | in.writes | in.kind | in.target | in.mem_bytes));
		assert_true(!in.iclass && !in.flow && !in.sysop && !in.load && !in.store);
		assert_int_equal(in.rd, PMK_NO_REG);
	}
}

/* ---- any word ------------------------------------------------------------------------------- */

static uint64_t mask(int reg)
{
	return reg == PMK_NO_REG ? 0 : UINT64_C(1) << reg;
}

/* Returns how many main actions the facts of an instruction name. There must be at most one. */
static unsigned purposes(const struct pmk_insn *in)
{
	uint32_t k = in->kind;

	return !!(k & PMK_MB_ARITH) + !!(k & PMK_MB_LOGICAL) + !!(k & PMK_MB_BARREL) +
	       !!(k & PMK_MB_SHIFT) + !!(k & PMK_MB_FP) + !!(k & PMK_MB_PCMP) +
	       !!(k & PMK_MB_SEXT) + !!(k & PMK_MB_IMM) + !!(k & PMK_MB_WIC) + !!(k & PMK_MB_WDC) +
	       !!(k & PMK_MB_MSR) + !!(k & PMK_MB_BR) + !!(k & PMK_MB_BR_COND) +
	       !!(k & PMK_MB_RETURN) + !!(k & PMK_MB_MBAR) + !!(k & PMK_MB_GET) +
	       !!(k & PMK_MB_PUT) + in->load + in->store;
}

static bool memory_holds(const struct pmk_insn *in)
{
	bool access = in->load || in->store;

	return (in->mem_bytes != 0) == access && in->mem_count == access &&
	       in->mem_total == in->mem_bytes && !(in->mem_bytes & (in->mem_bytes - 1)) &&
	       in->mem_bytes <= 8 && (in->iclass == PMK_I_LOAD) == in->load &&
	       (in->iclass == PMK_I_STORE) == in->store && (!in->exclusive || in->mem_bytes == 4) &&
	       (access || !(in->kind & (PMK_MB_R1 | PMK_MB_R1_DATA)));
}

static bool flow_holds(const struct pmk_insn *in)
{
	uint32_t k = in->kind;
	bool constant = in->flow == PMK_FLOW_JUMP || in->flow == PMK_FLOW_CALL;

	return in->is_branch == !!(k & (PMK_MB_BR | PMK_MB_BR_COND)) &&
	       in->conditional == !!(k & PMK_MB_BR_COND) &&
	       (in->flow != PMK_FLOW_NEXT) == (in->is_branch || (k & PMK_MB_RETURN)) &&
	       (in->flow != PMK_FLOW_NEXT) == (in->iclass == PMK_I_BRANCH) &&
	       constant == !!(k & PMK_MB_BR_IMM) &&
	       (in->flow == PMK_FLOW_EXCEPTION) == !!(k & PMK_MB_BREAK) &&
	       (constant || (k & PMK_MB_ABSOLUTE) || in->target == 0) &&
	       (!(k & PMK_MB_RETURN) || (k & PMK_MB_DELAY)) &&
	       (!(k & PMK_MB_DELAY) || (in->flow != PMK_FLOW_NEXT && !(k & PMK_MB_BREAK)));
}

static bool registers_hold(const struct pmk_insn *in)
{
	uint64_t sources = mask(in->rn) | mask(in->rm) | mask(in->ra);

	if (in->store)
		return in->reads == (sources | mask(in->rd)) && in->writes == 0;
	return in->reads == sources && in->writes == mask(in->rd) &&
	       !((in->reads | in->writes) & ~UINT64_C(0xfffffffe));
}

static bool implied_kinds_hold(const struct pmk_insn *in)
{
	uint32_t k = in->kind;

	return (!(k & (PMK_MB_MUL | PMK_MB_DIV)) || (k & PMK_MB_ARITH)) &&
	       (!(k & PMK_MB_NOP) || (k & PMK_MB_LOGICAL)) &&
	       (!(k & PMK_MB_SLEEP) || (k & PMK_MB_MBAR)) &&
	       (in->iclass == PMK_I_MUL) == !!(k & PMK_MB_MUL) &&
	       (in->iclass == PMK_I_DIV) == !!(k & PMK_MB_DIV) &&
	       (in->iclass == PMK_I_BARREL) == !!(k & PMK_MB_BARREL) && purposes(in) <= 1;
}

static void holds(uint32_t word)
{
	struct pmk_insn in, wide;

	decode(0x12345678, word, &in);
	decode64(0x12345678, word, &wide);
	if (wide.decoded && !(memory_holds(&wide) && flow_holds(&wide) && registers_hold(&wide) &&
			      implied_kinds_hold(&wide)))
		fail_msg("%08x contradicts itself: kind %x", word, wide.kind);
	/*
	 * The 64-bit core decodes all words of the 32-bit core, and more, which it marks as its
	 * own.
	 */
	assert_int_equal(in.decoded, wide.decoded && !(wide.kind & PMK_MB_LONG));
	if (in.decoded) {
		assert_true(in.target == (uint32_t)wide.target);
		wide.target = in.target;
		assert_memory_equal(&in, &wide, sizeof(in));
	}
}

static void test_any(void **state)
{
	static const uint32_t rest[] = { 0, 4, 0x100, 0x2800, 0xffff };
	const uint32_t step = unit_is_large() ? 1 : 7;
	uint32_t random = 1;

	(void)state;
	for (uint32_t op = 0; op < 64; op++) {
		for (uint32_t b = 0; b < 32; b += b < 8 ? 1 : 8)
			for (uint32_t low = 0; low < 0x800; low += step)
				holds(op << 26 | 0x00640000 | b << 11 | low);
		for (uint32_t high = 0; high < 0x400; high += step)
			for (size_t i = 0; i < COUNT(rest); i++)
				holds(op << 26 | high << 16 | rest[i]);
	}
	for (unsigned i = 0; i < UNIT_SAMPLES(500000); i++) {
		random = random * 1664525 + 1013904223;
		holds(random ^ random >> 16);
	}
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/*
 * The decoder reads four bytes at any address, and none after them. A sanitizer would detect reads
 * beyond the allocation.
 */
static void test_word(void **state)
{
	uint8_t *bytes = malloc(5);

	(void)state;
	assert_non_null(bytes);
	memcpy(bytes, "\x01\xb9\xf4\x80\x08", 5);
	assert_int_equal(pmk_isa_microblaze_word(bytes + 1, true), 0xb9f48008);
	assert_int_equal(pmk_isa_microblaze_word(bytes + 1, false), 0x0880f4b9);
	assert_int_equal(pmk_isa_microblaze_word(bytes, true), 0x01b9f480);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),	     cmocka_unit_test(test_table),
		cmocka_unit_test(test_long),	     cmocka_unit_test(test_targets),
		cmocka_unit_test(test_prefix),	     cmocka_unit_test(test_prefix_unused),
		cmocka_unit_test(test_long_targets), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_any),	     cmocka_unit_test(test_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
