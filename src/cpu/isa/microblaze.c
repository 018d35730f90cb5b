// SPDX-License-Identifier: MIT
/*
 * Finds the facts about MicroBlaze instructions (UG984, "MicroBlaze Instruction Set Architecture"),
 * for the 32-bit core and for the core with C_DATA_SIZE = 64. MicroBlaze V is not supported,
 * because it is a RISC-V.
 *
 * The first row that matches is used. Bits are numbered from the right here, unlike in UG984:
 * opcode [31:26], rD [25:21], rA [20:16], rB [15:11], immediate [15:0].
 *
 * An encoding is known if UG984 gives it and its reserved fields are 0. The core itself checks only
 * the opcode; UG984 does not say how it executes encodings with other bits set. All combinations of
 * the option bits of wdc are known, too, although UG984 names only six of them. pcmpbc, which was
 * removed, and the e bit of put, which only assemblers have, are not known. The model of the core
 * decides whether it has an optional instruction (barrel shifter, divider, FPU …), and what
 * C_OPCODE_0x0_ILLEGAL does.
 *
 * A register counts as read even if its value does not matter: rB of wic, rA of a conditional
 * branch on r0.
 */
#include "cpu/isa/word.h"

/* ---- fields --------------------------------------------------------------------------------- */

static int64_t sign_extend(uint64_t value, unsigned width)
{
	uint64_t sign = UINT64_C(1) << (width - 1);

	return (int64_t)((value ^ sign) - sign);
}

/*
 * These functions record that the instruction reads or writes a register, and return the register's
 * number. r0 is always 0, so it does not count as a register.
 */
static int8_t reads(struct pmk_insn *in, unsigned reg)
{
	if (reg == 0)
		return PMK_NO_REG;
	in->reads |= UINT64_C(1) << reg;
	return (int8_t)reg;
}

static int8_t writes(struct pmk_insn *in, unsigned reg)
{
	if (reg == 0)
		return PMK_NO_REG;
	in->writes |= UINT64_C(1) << reg;
	return (int8_t)reg;
}

/* ---- encodings ------------------------------------------------------------------------------ */

/* OP selects the opcode, OP_B the opcode and all bits after rB, and OP_A the opcode and all bits
 * after rA. */
#define OP   0xfc000000
#define OP_B 0xfc0007ff
#define OP_A 0xfc00ffff

/* The roles of the fields, and what happens to the carry, MSR[C]. */
#define D   0x001 /* rD is written */
#define V   0x002 /* rD is read: the value of a store */
#define OLD 0x004 /* rD is also read */
#define N   0x008 /* rA */
#define M   0x010 /* rB */
#define CI  0x020 /* reads the carry */
#define CO  0x040 /* writes the carry */
#define X   0x080 /* exclusive */

#define DN  (D | N)
#define DNM (D | N | M)
#define VN  (V | N)
#define VNM (V | N | M)

/* Short names of the kinds. */
#define ARITH	 PMK_MB_ARITH
#define LOGICAL	 PMK_MB_LOGICAL
#define PCMP	 PMK_MB_PCMP
#define BARREL	 PMK_MB_BARREL
#define SHIFT	 PMK_MB_SHIFT
#define SEXT	 PMK_MB_SEXT
#define FP	 PMK_MB_FP
#define BR	 PMK_MB_BR
#define COND	 PMK_MB_BR_COND
#define IMM	 PMK_MB_BR_IMM
#define ABSOLUTE PMK_MB_ABSOLUTE
#define BREAK	 PMK_MB_BREAK
#define DELAY	 PMK_MB_DELAY
#define RETURN	 (PMK_MB_RETURN | PMK_MB_DELAY)
#define FLUSH	 PMK_MB_BTC_FLUSH
#define LONG	 PMK_MB_LONG

/* `wide` is the bit that turns the instruction into its long, double or extended form. Only the
 * 64-bit core has these forms. Only this core has the instructions with LONG in their kind. */
struct row {
	uint32_t mask, value, wide;
	uint8_t iclass, flow;
	uint8_t bytes; /* bytes of a load or store */
	uint8_t roles;
	uint32_t kind;
};

/* clang-format off */
#define ROW(mask, value, wide, iclass, roles, kind) \
	{ mask, value, wide, PMK_I_##iclass, PMK_FLOW_NEXT, 0, roles, kind }
#define MEMORY(mask, value, iclass, bytes, roles, kind) \
	{ mask, value, 0, PMK_I_##iclass, PMK_FLOW_NEXT, bytes, roles, kind }
#define BRANCH(mask, value, flow, roles, kind) \
	{ mask, value, 0, PMK_I_BRANCH, PMK_FLOW_##flow, 0, roles, kind }
/* If [24] is set, the instruction is a branch of the 64-bit core to an extended address. */
#define BRANCH64(mask, value, flow, roles, kind) \
	{ mask, value, 0x01000000, PMK_I_BRANCH, PMK_FLOW_##flow, 0, roles, kind }

static const struct row rows[] = {
	/* add, rsub; [27] with carry, [28] keeps the carry */
	ROW(0xf80007ff, 0x00000000, 0x100, ALU, DNM | CO,      ARITH),
	ROW(0xf80007ff, 0x08000000, 0x100, ALU, DNM | CI | CO, ARITH),
	ROW(0xf80007ff, 0x10000000, 0x100, ALU, DNM,           ARITH),
	ROW(0xf80007ff, 0x18000000, 0x100, ALU, DNM | CI,      ARITH),
	ROW(0xfc0007fd, 0x14000001, 0x100, ALU, DNM,           ARITH), /* cmp, cmpu */
	ROW(0xf8000000, 0x20000000, 0,     ALU, DN | CO,       ARITH), /* addi, rsubi … */
	ROW(0xf8000000, 0x28000000, 0,     ALU, DN | CI | CO,  ARITH),
	ROW(0xf8000000, 0x30000000, 0,     ALU, DN,            ARITH),
	ROW(0xf8000000, 0x38000000, 0,     ALU, DN | CI,       ARITH),
	/* multiply, divide */
	ROW(0xfc0007fc, 0x40000000, 0, MUL, DNM, ARITH | PMK_MB_MUL), /* mul, mulh … */
	ROW(OP,         0x60000000, 0, MUL, DN,  ARITH | PMK_MB_MUL), /* muli */
	ROW(0xfc0007fd, 0x48000000, 0, DIV, DNM, ARITH | PMK_MB_DIV), /* idiv, idivu */
	/* bs: S [10], T [9]. bsi: I [15], E [14], L [13], then S and T as in bs, or a width in
	 * [10:6], which is [11:6] in long forms. */
	ROW(0xfc0005ff, 0x44000000, 0x100, BARREL, DNM,      BARREL),        /* bsrl, bsra */
	ROW(OP_B,       0x44000400, 0x100, BARREL, DNM,      BARREL),        /* bsll */
	ROW(0xfc00fde0, 0x64000000, 0,     BARREL, DN,       BARREL),        /* bsrli, bsrai */
	ROW(0xfc00ffe0, 0x64000400, 0,     BARREL, DN,       BARREL),        /* bslli */
	ROW(0xfc00f820, 0x64004000, 0,     BARREL, DN,       BARREL),        /* bsefi */
	ROW(0xfc00f820, 0x64008000, 0,     BARREL, DN | OLD, BARREL),        /* bsifi */
	ROW(0xfc00fdc0, 0x64002000, 0,     BARREL, DN,       BARREL | LONG), /* bslrli, bslrai */
	ROW(0xfc00ffc0, 0x64002400, 0,     BARREL, DN,       BARREL | LONG), /* bsllli */
	ROW(0xfc00f000, 0x64006000, 0,     BARREL, DN,       BARREL | LONG), /* bslefi */
	ROW(0xfc00f000, 0x6400a000, 0,     BARREL, DN | OLD, BARREL | LONG), /* bslifi */
	/* logic, pattern compare */
	ROW(0xffffffff, 0x80000000, 0,     ALU, 0,   LOGICAL | PMK_MB_NOP),
	ROW(0xf00007ff, 0x80000000, 0x100, ALU, DNM, LOGICAL), /* or, and, xor, andn */
	ROW(0xf0000000, 0xa0000000, 0,     ALU, DN,  LOGICAL), /* ori, andi … */
	ROW(OP_B,       0x80000400, 0x100, ALU, DNM, PCMP),    /* pcmpbf */
	ROW(0xf80007ff, 0x88000400, 0x100, ALU, DNM, PCMP),    /* pcmpeq, pcmpne */
	/* one operand */
	ROW(OP_A,       0x90000001, 0x100, ALU, DN | CO,      SHIFT),       /* sra */
	ROW(OP_A,       0x90000021, 0x100, ALU, DN | CI | CO, SHIFT),       /* src */
	ROW(OP_A,       0x90000041, 0x100, ALU, DN | CO,      SHIFT),       /* srl */
	ROW(0xfc00fffe, 0x90000060, 0x100, ALU, DN,           SEXT),        /* sext8, sext16 */
	ROW(OP_A,       0x90000162, 0,     ALU, DN,           SEXT | LONG), /* sextl32 */
	ROW(OP_A,       0x900000e0, 0,     ALU, DN,           0),           /* clz */
	ROW(0xfc00fffd, 0x900001e0, 0,     ALU, DN,           0),           /* swapb, swaph */
	/* caches: external [10], extended address [7], flush [4], clear [1] */
	ROW(0xffe007ff, 0x90000068, 0, CACHE_OP, N | M, PMK_MB_WIC),
	ROW(0xffe0036d, 0x90000064, 0, CACHE_OP, N | M, PMK_MB_WDC),
	/* the immediate is a mask of bits of the MSR, in which MSR[C] is 4 */
	ROW(0xfc1e8004, 0x94100004, 0, OTHER, D | CI | CO, PMK_MB_MSR), /* msrset, msrclr */
	ROW(0xfc1e8004, 0x94100000, 0, OTHER, D | CI,      PMK_MB_MSR),
	/* special registers: E [24] of mts, [19] of mfs; number 1 is the MSR */
	ROW(0xffe0ffff, 0x9400c001, 0, OTHER, N | CO, 0), /* mts rmsr */
	ROW(0xfee0c000, 0x9400c000, 0, OTHER, N,      0), /* mts, mtse */
	ROW(0xfc1fffff, 0x94008001, 0, OTHER, D | CI, 0), /* mfs rmsr */
	ROW(0xfc17c000, 0x94008000, 0, OTHER, D,      0), /* mfs, mfse */
	/* streams: see decode_stream() */
	ROW(0xfc1f041f, 0x4c000000, 0, OTHER, D | M, PMK_MB_GET), /* getd */
	ROW(0xffe0043f, 0x4c000400, 0, OTHER, M,     PMK_MB_PUT), /* putd */
	ROW(0xfc1f83f0, 0x6c000000, 0, OTHER, D,     PMK_MB_GET), /* get */
	ROW(0xffe087f0, 0x6c008000, 0, OTHER, 0,     PMK_MB_PUT), /* put */
	/* floating point, double [10]; fcmp [6:4] 0-6 */
	ROW(0xfc00077f, 0x58000000, 0x400, FP_ADD,      DNM, FP), /* fadd, frsub */
	ROW(OP_B,       0x58000100, 0x400, FP_MUL,      DNM, FP), /* fmul */
	ROW(OP_B,       0x58000180, 0x400, FP_DIV,      DNM, FP), /* fdiv */
	ROW(0xfc0007cf, 0x58000200, 0x400, FP_COMPARE,  DNM, FP), /* fcmp.un lt eq le */
	ROW(0xfc0007ef, 0x58000240, 0x400, FP_COMPARE,  DNM, FP), /* fcmp.gt ne */
	ROW(OP_B,       0x58000260, 0x400, FP_COMPARE,  DNM, FP), /* fcmp.ge */
	ROW(OP_A,       0x58000280, 0x400, FP_FROM_INT, DN,  FP), /* flt, dbl */
	ROW(OP_A,       0x58000300, 0x400, FP_TO_INT,   DN,  FP), /* fint, dlong */
	ROW(OP_A,       0x58000380, 0x400, FP_SQRT,     DN,  FP), /* fsqrt, dsqrt */
	/* prefixes */
	ROW(0xffff0000, 0xb0000000, 0, OTHER, 0, PMK_MB_IMM),        /* imm */
	ROW(0xff000000, 0xb2000000, 0, OTHER, 0, PMK_MB_IMM | LONG), /* imml */
	/* barriers: see decode_barrier() */
	ROW(0xfc1fffff, 0xb8020004, 0, OTHER, 0, PMK_MB_MBAR),
	/* br: delay slot [20], absolute [19], link [18], extended address [16] */
	BRANCH(0xffff07ff, 0x98000000, INDIRECT,  M,     BR),                /* br */
	BRANCH(0xffff07ff, 0x98080000, INDIRECT,  M,     BR),                /* bra */
	BRANCH(0xffff07ff, 0x98100000, INDIRECT,  M,     BR | DELAY),        /* brd */
	BRANCH(0xffff07ff, 0x98180000, INDIRECT,  M,     BR | DELAY),        /* brad */
	BRANCH(0xfc1f07ff, 0x98140000, INDCALL,   D | M, BR | DELAY),        /* brld */
	BRANCH(0xfc1f07ff, 0x981c0000, INDCALL,   D | M, BR | DELAY),        /* brald */
	BRANCH(0xfc1f07ff, 0x980c0000, EXCEPTION, D | M, BR | BREAK),        /* brk */
	BRANCH(0xffff07ff, 0x98010000, INDIRECT,  M,     BR | LONG),         /* brea */
	BRANCH(0xffff07ff, 0x98110000, INDIRECT,  M,     BR | DELAY | LONG), /* bread */
	BRANCH(0xfc1f07ff, 0x98150000, INDCALL,   D | M, BR | DELAY | LONG), /* breald */
	/* bri has the fields of br */
	BRANCH(0xffffffff, 0xb8000004, JUMP,      0, BR | IMM | FLUSH),            /* bri 4 */
	BRANCH(0xffff0000, 0xb8000000, JUMP,      0, BR | IMM),                    /* bri */
	BRANCH(0xffff0000, 0xb8080000, JUMP,      0, BR | IMM | ABSOLUTE),         /* brai */
	BRANCH(0xffff0000, 0xb8100000, JUMP,      0, BR | IMM | DELAY),            /* brid */
	BRANCH(0xffff0000, 0xb8180000, JUMP,      0, BR | IMM | DELAY | ABSOLUTE), /* braid */
	BRANCH(0xfc1f0000, 0xb8140000, CALL,      D, BR | IMM | DELAY),            /* brlid */
	BRANCH(0xfc1f0000, 0xb81c0000, CALL,      D, BR | IMM | DELAY | ABSOLUTE), /* bralid */
	BRANCH(0xfc1f0000, 0xb80c0000, EXCEPTION, D, BR | BREAK | ABSOLUTE),       /* brki */
	BRANCH(0xffff0000, 0xb8010000, JUMP,      0, BR | IMM | LONG),             /* breai */
	BRANCH(0xffff0000, 0xb8110000, JUMP,      0, BR | IMM | DELAY | LONG),     /* breaid */
	BRANCH(0xfc1f0000, 0xb8150000, CALL,      D, BR | IMM | DELAY | LONG),     /* brealid */
	/* beq: delay slot [25], extended address [24], condition [23:21] 0-5; in extended forms
	 * long [8] */
	BRANCH64(0xff8007ff, 0x9c000000, INDIRECT, N | M, COND),        /* beq bne blt ble */
	BRANCH64(0xffc007ff, 0x9c800000, INDIRECT, N | M, COND),        /* bgt bge */
	BRANCH64(0xff8007ff, 0x9e000000, INDIRECT, N | M, COND | DELAY),
	BRANCH64(0xffc007ff, 0x9e800000, INDIRECT, N | M, COND | DELAY),
	BRANCH(  0xff8007ff, 0x9d000100, INDIRECT, N | M, COND | LONG), /* bealeq … */
	BRANCH(  0xffc007ff, 0x9d800100, INDIRECT, N | M, COND | LONG),
	BRANCH(  0xff8007ff, 0x9f000100, INDIRECT, N | M, COND | DELAY | LONG),
	BRANCH(  0xffc007ff, 0x9f800100, INDIRECT, N | M, COND | DELAY | LONG),
	BRANCH64(0xff800000, 0xbc000000, JUMP,     N,     COND | IMM),  /* beqi … */
	BRANCH64(0xffc00000, 0xbc800000, JUMP,     N,     COND | IMM),
	BRANCH64(0xff800000, 0xbe000000, JUMP,     N,     COND | IMM | DELAY),
	BRANCH64(0xffc00000, 0xbe800000, JUMP,     N,     COND | IMM | DELAY),
	/* returns: from a subroutine; from an interrupt, a break, an exception */
	BRANCH(0xffe00000, 0xb6000000, RETURN, N, RETURN), /* rtsd */
	BRANCH(0xffe00000, 0xb6200000, MODE,   N, RETURN), /* rtid */
	BRANCH(0xffe00000, 0xb6400000, MODE,   N, RETURN), /* rtbd */
	BRANCH(0xffe00000, 0xb6800000, MODE,   N, RETURN), /* rted */
	/* loads and stores: exclusive [10], reversed [9], long [8], extended address [7] */
	MEMORY(0xfc0005ff, 0xc0000000, LOAD,  1, DNM,          0),    /* lbu, lbur */
	MEMORY(OP_B,       0xc0000080, LOAD,  1, DNM,          0),    /* lbuea */
	MEMORY(OP,         0xe0000000, LOAD,  1, DN,           0),    /* lbui */
	MEMORY(0xfc0005ff, 0xc4000000, LOAD,  2, DNM,          0),    /* lhu, lhur */
	MEMORY(OP_B,       0xc4000080, LOAD,  2, DNM,          0),    /* lhuea */
	MEMORY(OP,         0xe4000000, LOAD,  2, DN,           0),    /* lhui */
	MEMORY(0xfc0005ff, 0xc8000000, LOAD,  4, DNM,          0),    /* lw, lwr */
	MEMORY(OP_B,       0xc8000080, LOAD,  4, DNM,          0),    /* lwea */
	MEMORY(OP_B,       0xc8000400, LOAD,  4, DNM | CO | X, 0),    /* lwx */
	MEMORY(OP,         0xe8000000, LOAD,  4, DN,           0),    /* lwi */
	MEMORY(0xfc0005ff, 0xc8000100, LOAD,  8, DNM,          LONG), /* ll, llr */
	MEMORY(OP,         0xec000000, LOAD,  8, DN,           LONG), /* lli */
	MEMORY(0xfc0005ff, 0xd0000000, STORE, 1, VNM,          0),    /* sb, sbr */
	MEMORY(OP_B,       0xd0000080, STORE, 1, VNM,          0),    /* sbea */
	MEMORY(OP,         0xf0000000, STORE, 1, VN,           0),    /* sbi */
	MEMORY(0xfc0005ff, 0xd4000000, STORE, 2, VNM,          0),    /* sh, shr */
	MEMORY(OP_B,       0xd4000080, STORE, 2, VNM,          0),    /* shea */
	MEMORY(OP,         0xf4000000, STORE, 2, VN,           0),    /* shi */
	MEMORY(0xfc0005ff, 0xd8000000, STORE, 4, VNM,          0),    /* sw, swr */
	MEMORY(OP_B,       0xd8000080, STORE, 4, VNM,          0),    /* swea */
	MEMORY(OP_B,       0xd8000400, STORE, 4, VNM | CO | X, 0),    /* swx */
	MEMORY(OP,         0xf8000000, STORE, 4, VN,           0),    /* swi */
	MEMORY(0xfc0005ff, 0xd8000100, STORE, 8, VNM,          LONG), /* sl, slr */
	MEMORY(OP,         0xfc000000, STORE, 8, VN,           LONG), /* sli */
};
/* clang-format on */

/* ---- facts that are not in rows -------------------------------------------------------------- */

/* Decodes an access to a stream. The control field is [14:10], or [9:5] in the dynamic forms. An
 * instruction with n set does not wait; if there were no data or no room, it sets MSR[C]. A put
 * with t set tests for room and sends nothing. */
static void decode_stream(uint32_t w, struct pmk_insn *in)
{
	bool dynamic = bits(w, 31, 26) == 0x13;

	in->sets_flags = bit(w, dynamic ? 9 : 14);
	if ((in->kind & PMK_MB_PUT) && !bit(w, dynamic ? 7 : 12))
		in->rn = reads(in, bits(w, 20, 16));
}

/* Decodes mbar, which has options in its field rD: [0] set does not wait for instruction fetches,
 * [1] set does not wait for data accesses, and any bit of [4:3] puts the core to sleep. */
static void decode_barrier(uint32_t w, struct pmk_insn *in)
{
	bool code = !bit(w, 21), data = !bit(w, 22), sleep = bits(w, 25, 24) != 0;

	if (sleep)
		in->kind |= PMK_MB_SLEEP;
	if (code)
		in->kind |= PMK_MB_BTC_FLUSH;
	in->sysop = sleep ? PMK_SYS_WFI : data ? PMK_SYS_DSB : code ? PMK_SYS_ISB : PMK_SYS_NONE;
}

/* True for mts to PID, TLBLO or TLBHI. We chose that each of them empties the shadow TLBs. */
static bool changes_mapping(uint32_t w)
{
	unsigned special = bits(w, 13, 0);

	return bits(w, 31, 26) == 0x25 && bits(w, 15, 14) == 3 &&
	       (special == 0x1000 || special == 0x1003 || special == 0x1004);
}

static void set_row_memory(const struct row *r, struct pmk_insn *in)
{
	in->load = r->iclass == PMK_I_LOAD;
	in->store = !in->load;
	in->mem_bytes = in->mem_total = r->bytes;
	in->mem_count = 1;
	in->exclusive = r->roles & X;
	if (in->rn == 1 || in->rm == 1)
		in->kind |= PMK_MB_R1;
	if (in->store && in->rd == 1)
		in->kind |= PMK_MB_R1_DATA;
}

/* Marks a conditional branch that tests r0 as always or never taken. The condition is [23:21]. */
static void known_condition(uint32_t w, struct pmk_insn *in)
{
	enum { EQ, NE, LT, LE, GT, GE };
	unsigned condition = bits(w, 23, 21);
	bool holds = condition == EQ || condition == LE || condition == GE;

	if (bits(w, 20, 16) == 0)
		in->kind |= holds ? PMK_MB_ALWAYS : PMK_MB_NEVER;
}

/* ---- entry ---------------------------------------------------------------------------------- */

static void set_roles(uint32_t w, unsigned roles, struct pmk_insn *in)
{
	unsigned d = bits(w, 25, 21);

	if (roles & N)
		in->rn = reads(in, bits(w, 20, 16));
	if (roles & M)
		in->rm = reads(in, bits(w, 15, 11));
	if (roles & OLD)
		in->ra = reads(in, d);
	if (roles & V)
		in->rd = reads(in, d);
	if (roles & D)
		in->rd = writes(in, d);
	in->reads_flags = roles & CI;
	in->sets_flags = roles & CO;
}

static bool has_target(const struct pmk_insn *in)
{
	return in->kind & (PMK_MB_BR_IMM | PMK_MB_ABSOLUTE);
}

/*
 * Sets the target of a branch. The immediate is added to the address of the branch unless the
 * branch is absolute.
 */
static void set_target(int64_t immediate, bool wide, struct pmk_insn *in)
{
	uint64_t target = (in->kind & PMK_MB_ABSOLUTE ? 0 : in->addr) + (uint64_t)immediate;

	in->target = wide ? target : (uint32_t)target;
}

static const struct row *find_row(uint32_t w, bool wide)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		uint32_t ignored = wide ? r->wide : 0;

		if ((w & ~ignored & r->mask) == r->value && (wide || !(r->kind & LONG)))
			return r;
	}
	return NULL;
}

static void decode_word(uint64_t addr, uint32_t w, bool wide, struct pmk_insn *in)
{
	const struct row *r = find_row(w, wide);

	*in = (struct pmk_insn){
		.addr = addr,
		.size = 4,
		.decoded = r != NULL,
		PMK_NO_REGS,
	};
	if (!r)
		return;
	in->iclass = r->iclass;
	in->flow = r->flow;
	in->kind = w & r->wide ? r->kind | LONG : r->kind;
	in->is_branch = in->kind & (PMK_MB_BR | PMK_MB_BR_COND);
	in->conditional = in->kind & PMK_MB_BR_COND;
	in->sysop = changes_mapping(w) ? PMK_SYS_TLB : PMK_SYS_NONE;
	set_roles(w, r->roles, in);
	if (r->bytes)
		set_row_memory(r, in);
	if (in->kind & (PMK_MB_GET | PMK_MB_PUT))
		decode_stream(w, in);
	if (in->kind & PMK_MB_MBAR)
		decode_barrier(w, in);
	if (in->conditional)
		known_condition(w, in);
	if (has_target(in))
		set_target(sign_extend(bits(w, 15, 0), 16), wide, in);
}

void pmk_isa_microblaze_decode(uint64_t addr, uint32_t word, struct pmk_insn *insn)
{
	decode_word(addr, word, false, insn);
}

void pmk_isa_microblaze64_decode(uint64_t addr, uint32_t word, struct pmk_insn *insn)
{
	decode_word(addr, word, true, insn);
}

/* Adds the upper part of the immediate, which comes from a prefix. The low 16 bits are taken from
 * the target that was set without the prefix. */
static void complete_target(uint64_t upper, unsigned width, bool wide, struct pmk_insn *in)
{
	uint64_t base = in->kind & PMK_MB_ABSOLUTE ? 0 : in->addr;
	uint64_t low = (in->target - base) & 0xffff;

	if (!has_target(in))
		return;
	set_target(sign_extend(upper << 16 | low, width + 16), wide, in);
	if (upper != 0)
		in->kind &= ~(uint32_t)PMK_MB_BTC_FLUSH;
}

void pmk_isa_microblaze_imm(struct pmk_insn *insn, uint32_t prefix)
{
	complete_target(bits(prefix, 15, 0), 16, false, insn);
}

void pmk_isa_microblaze64_imm(struct pmk_insn *insn, uint32_t prefix)
{
	bool imml = prefix >> 24 == 0xb2;

	complete_target(imml ? bits(prefix, 23, 0) : bits(prefix, 15, 0), imml ? 24 : 16, true,
			insn);
}

uint32_t pmk_isa_microblaze_word(const void *bytes, bool big_endian)
{
	const uint8_t *b = bytes;

	if (big_endian)
		return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}
