// SPDX-License-Identifier: MIT
/*
 * Instruction facts for MicroBlaze (UG984, "MicroBlaze Instruction Set Architecture"), the 32-bit
 * core and the one with C_DATA_SIZE = 64. Not MicroBlaze V, which is a RISC-V.
 *
 * First match wins. Bits are numbered from the right here, unlike in UG984: opcode [31:26], rD
 * [25:21], rA [20:16], rB [15:11], immediate [15:0].
 *
 * An encoding is known if UG984 gives it and its reserved fields are 0. The core itself checks the
 * opcode alone and runs the others as something; which is nowhere said. Also known are all
 * combinations of the option bits of wdc, of which UG984 names six. Not known: pcmpbc, which has
 * been taken out, and the e bit of put, which only assemblers have. Whether an optional instruction
 * is there (barrel shifter, divider, FPU …) is the core's affair, and so is C_OPCODE_0x0_ILLEGAL.
 *
 * A field is read whether its value matters or not: rB of wic, rA of a conditional branch on r0.
 */
#include <pmk/isa.h>

/* ---- fields --------------------------------------------------------------------------------- */

static unsigned bits(uint32_t word, unsigned hi, unsigned lo)
{
	return (word >> lo) & ((2u << (hi - lo)) - 1);
}

static bool bit(uint32_t word, unsigned n)
{
	return (word >> n) & 1;
}

static int64_t sign_extend(uint64_t value, unsigned width)
{
	uint64_t sign = UINT64_C(1) << (width - 1);

	return (int64_t)((value ^ sign) - sign);
}

/* r0 is always 0. */
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

/* Masks: the opcode, with all that follows rB, with all that follows rA. */
#define OP   0xfc000000
#define OP_B 0xfc0007ff
#define OP_A 0xfc00ffff

/* Roles and MSR[C]. */
#define D   0x001 /* rD is written */
#define V   0x002 /* rD is read: the value of a store */
#define OLD 0x004 /* rD is read, too */
#define N   0x008 /* rA */
#define M   0x010 /* rB */
#define CI  0x020 /* reads the carry */
#define CO  0x040 /* writes the carry */
#define X   0x080 /* exclusive */

#define DN  (D | N)
#define DNM (D | N | M)
#define VN  (V | N)
#define VNM (V | N | M)

/* Kinds by short names. */
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
#define LONG	 PMK_MB_LONG

/* `wide`: a bit that makes it the long, double or extended form of the 64-bit core. A row with LONG
 * in its kind is of that core as a whole. */
struct row {
	uint32_t mask, value, wide;
	uint8_t iclass, flow;
	uint8_t bytes; /* of a load or store */
	uint8_t roles;
	uint32_t kind;
};

/* clang-format off */
static const struct row rows[] = {
	/* add, rsub; [27] with carry, [28] keeps the carry */
	{ 0xf80007ff, 0x00000000, 0x100, PMK_I_ALU, 0, 0, DNM | CO,      ARITH },
	{ 0xf80007ff, 0x08000000, 0x100, PMK_I_ALU, 0, 0, DNM | CI | CO, ARITH },
	{ 0xf80007ff, 0x10000000, 0x100, PMK_I_ALU, 0, 0, DNM,           ARITH },
	{ 0xf80007ff, 0x18000000, 0x100, PMK_I_ALU, 0, 0, DNM | CI,      ARITH },
	{ 0xfc0007fd, 0x14000001, 0x100, PMK_I_ALU, 0, 0, DNM,           ARITH },               /* cmp, cmpu */
	{ 0xf8000000, 0x20000000, 0,     PMK_I_ALU, 0, 0, DN | CO,       ARITH },               /* addi, rsubi … */
	{ 0xf8000000, 0x28000000, 0,     PMK_I_ALU, 0, 0, DN | CI | CO,  ARITH },
	{ 0xf8000000, 0x30000000, 0,     PMK_I_ALU, 0, 0, DN,            ARITH },
	{ 0xf8000000, 0x38000000, 0,     PMK_I_ALU, 0, 0, DN | CI,       ARITH },
	/* multiply, divide */
	{ 0xfc0007fc, 0x40000000, 0,     PMK_I_MUL, 0, 0, DNM,           ARITH | PMK_MB_MUL },  /* mul, mulh … */
	{ OP,         0x60000000, 0,     PMK_I_MUL, 0, 0, DN,            ARITH | PMK_MB_MUL },  /* muli */
	{ 0xfc0007fd, 0x48000000, 0,     PMK_I_DIV, 0, 0, DNM,           ARITH | PMK_MB_DIV },  /* idiv, idivu */
	/* bs: S [10], T [9]; bsi: I [15], E [14], L [13], then as bs or width [10:6], long [11:6] */
	{ 0xfc0005ff, 0x44000000, 0x100, PMK_I_BARREL, 0, 0, DNM,        BARREL },              /* bsrl, bsra */
	{ OP_B,       0x44000400, 0x100, PMK_I_BARREL, 0, 0, DNM,        BARREL },              /* bsll */
	{ 0xfc00fde0, 0x64000000, 0,     PMK_I_BARREL, 0, 0, DN,         BARREL },              /* bsrli, bsrai */
	{ 0xfc00ffe0, 0x64000400, 0,     PMK_I_BARREL, 0, 0, DN,         BARREL },              /* bslli */
	{ 0xfc00f820, 0x64004000, 0,     PMK_I_BARREL, 0, 0, DN,         BARREL },              /* bsefi */
	{ 0xfc00f820, 0x64008000, 0,     PMK_I_BARREL, 0, 0, DN | OLD,   BARREL },              /* bsifi */
	{ 0xfc00fdc0, 0x64002000, 0,     PMK_I_BARREL, 0, 0, DN,         BARREL | LONG },       /* bslrli, bslrai */
	{ 0xfc00ffc0, 0x64002400, 0,     PMK_I_BARREL, 0, 0, DN,         BARREL | LONG },       /* bsllli */
	{ 0xfc00f000, 0x64006000, 0,     PMK_I_BARREL, 0, 0, DN,         BARREL | LONG },       /* bslefi */
	{ 0xfc00f000, 0x6400a000, 0,     PMK_I_BARREL, 0, 0, DN | OLD,   BARREL | LONG },       /* bslifi */
	/* logic, pattern compare */
	{ 0xffffffff, 0x80000000, 0,     PMK_I_ALU, 0, 0, 0,             LOGICAL | PMK_MB_NOP },
	{ 0xf00007ff, 0x80000000, 0x100, PMK_I_ALU, 0, 0, DNM,           LOGICAL },             /* or, and, xor, andn */
	{ 0xf0000000, 0xa0000000, 0,     PMK_I_ALU, 0, 0, DN,            LOGICAL },             /* ori, andi … */
	{ OP_B,       0x80000400, 0x100, PMK_I_ALU, 0, 0, DNM,           PCMP },                /* pcmpbf */
	{ 0xf80007ff, 0x88000400, 0x100, PMK_I_ALU, 0, 0, DNM,           PCMP },                /* pcmpeq, pcmpne */
	/* one operand */
	{ OP_A,       0x90000001, 0x100, PMK_I_ALU, 0, 0, DN | CO,       SHIFT },               /* sra */
	{ OP_A,       0x90000021, 0x100, PMK_I_ALU, 0, 0, DN | CI | CO,  SHIFT },               /* src */
	{ OP_A,       0x90000041, 0x100, PMK_I_ALU, 0, 0, DN | CO,       SHIFT },               /* srl */
	{ 0xfc00fffe, 0x90000060, 0x100, PMK_I_ALU, 0, 0, DN,            SEXT },                /* sext8, sext16 */
	{ OP_A,       0x90000162, 0,     PMK_I_ALU, 0, 0, DN,            SEXT | LONG },         /* sextl32 */
	{ OP_A,       0x900000e0, 0,     PMK_I_ALU, 0, 0, DN,            0 },                   /* clz */
	{ 0xfc00fffd, 0x900001e0, 0,     PMK_I_ALU, 0, 0, DN,            0 },                   /* swapb, swaph */
	/* caches: external [10], extended address [7], flush [4], clear [1] */
	{ 0xffe007ff, 0x90000068, 0,     PMK_I_CACHE_OP, 0, 0, N | M,    PMK_MB_WIC },
	{ 0xffe0036d, 0x90000064, 0,     PMK_I_CACHE_OP, 0, 0, N | M,    PMK_MB_WDC },
	/* MSR[C] is 4 */
	{ 0xfc1e8004, 0x94100004, 0,     PMK_I_OTHER, 0, 0, D | CI | CO, PMK_MB_MSR },          /* msrset, msrclr */
	{ 0xfc1e8004, 0x94100000, 0,     PMK_I_OTHER, 0, 0, D | CI,      PMK_MB_MSR },
	/* special registers: E [24] of mts, [19] of mfs; 1 is the MSR */
	{ 0xffe0ffff, 0x9400c001, 0,     PMK_I_OTHER, 0, 0, N | CO,      0 },                   /* mts rmsr */
	{ 0xfee0c000, 0x9400c000, 0,     PMK_I_OTHER, 0, 0, N,           0 },                   /* mts, mtse */
	{ 0xfc1fffff, 0x94008001, 0,     PMK_I_OTHER, 0, 0, D | CI,      0 },                   /* mfs rmsr */
	{ 0xfc17c000, 0x94008000, 0,     PMK_I_OTHER, 0, 0, D,           0 },                   /* mfs, mfse */
	/* streams: see stream() */
	{ 0xfc1f041f, 0x4c000000, 0,     PMK_I_OTHER, 0, 0, D | M,         PMK_MB_GET },          /* getd */
	{ 0xffe0043f, 0x4c000400, 0,     PMK_I_OTHER, 0, 0, M,           PMK_MB_PUT },          /* putd */
	{ 0xfc1f83f0, 0x6c000000, 0,     PMK_I_OTHER, 0, 0, D,           PMK_MB_GET },          /* get */
	{ 0xffe087f0, 0x6c008000, 0,     PMK_I_OTHER, 0, 0, 0,           PMK_MB_PUT },          /* put */
	/* floating point, double [10]; fcmp [6:4] 0-6 */
	{ 0xfc00077f, 0x58000000, 0x400, PMK_I_FP_ADD, 0, 0, DNM,        FP },                  /* fadd, frsub */
	{ OP_B,       0x58000100, 0x400, PMK_I_FP_MUL, 0, 0, DNM,        FP },                  /* fmul */
	{ OP_B,       0x58000180, 0x400, PMK_I_FP_DIV, 0, 0, DNM,        FP },                  /* fdiv */
	{ 0xfc0007cf, 0x58000200, 0x400, PMK_I_FP_COMPARE, 0, 0, DNM,    FP },                  /* fcmp.un lt eq le */
	{ 0xfc0007ef, 0x58000240, 0x400, PMK_I_FP_COMPARE, 0, 0, DNM,    FP },                  /* fcmp.gt ne */
	{ OP_B,       0x58000260, 0x400, PMK_I_FP_COMPARE, 0, 0, DNM,    FP },                  /* fcmp.ge */
	{ OP_A,       0x58000280, 0x400, PMK_I_FP_FROM_INT, 0, 0, DN,    FP },                  /* flt, dbl */
	{ OP_A,       0x58000300, 0x400, PMK_I_FP_TO_INT, 0, 0, DN,      FP },                  /* fint, dlong */
	{ OP_A,       0x58000380, 0x400, PMK_I_FP_SQRT, 0, 0, DN,        FP },                  /* fsqrt, dsqrt */
	/* prefixes */
	{ 0xffff0000, 0xb0000000, 0,     PMK_I_OTHER, 0, 0, 0,           PMK_MB_IMM },          /* imm */
	{ 0xff000000, 0xb2000000, 0,     PMK_I_OTHER, 0, 0, 0,           PMK_MB_IMM | LONG },   /* imml */
	/* barriers: see barrier() */
	{ 0xfc1fffff, 0xb8020004, 0,     PMK_I_OTHER, 0, 0, 0,           PMK_MB_MBAR },
	/* br: delay slot [20], absolute [19], link [18], extended address [16] */
	{ 0xffff07ff, 0x98000000, 0, PMK_I_BRANCH, PMK_FLOW_INDIRECT,  0, M,     BR },                          /* br */
	{ 0xffff07ff, 0x98080000, 0, PMK_I_BRANCH, PMK_FLOW_INDIRECT,  0, M,     BR },                          /* bra */
	{ 0xffff07ff, 0x98100000, 0, PMK_I_BRANCH, PMK_FLOW_INDIRECT,  0, M,     BR | DELAY },                  /* brd */
	{ 0xffff07ff, 0x98180000, 0, PMK_I_BRANCH, PMK_FLOW_INDIRECT,  0, M,     BR | DELAY },                  /* brad */
	{ 0xfc1f07ff, 0x98140000, 0, PMK_I_BRANCH, PMK_FLOW_INDCALL,   0, D | M, BR | DELAY },                  /* brld */
	{ 0xfc1f07ff, 0x981c0000, 0, PMK_I_BRANCH, PMK_FLOW_INDCALL,   0, D | M, BR | DELAY },                  /* brald */
	{ 0xfc1f07ff, 0x980c0000, 0, PMK_I_BRANCH, PMK_FLOW_EXCEPTION, 0, D | M, BR | BREAK },                  /* brk */
	{ 0xffff07ff, 0x98010000, 0, PMK_I_BRANCH, PMK_FLOW_INDIRECT,  0, M,     BR | LONG },                   /* brea */
	{ 0xffff07ff, 0x98110000, 0, PMK_I_BRANCH, PMK_FLOW_INDIRECT,  0, M,     BR | DELAY | LONG },           /* bread */
	{ 0xfc1f07ff, 0x98150000, 0, PMK_I_BRANCH, PMK_FLOW_INDCALL,   0, D | M, BR | DELAY | LONG },           /* breald */
	/* bri: the same fields */
	{ 0xffffffff, 0xb8000004, 0, PMK_I_BRANCH, PMK_FLOW_JUMP,      0, 0,     BR | IMM | PMK_MB_BTC_FLUSH }, /* bri 4 */
	{ 0xffff0000, 0xb8000000, 0, PMK_I_BRANCH, PMK_FLOW_JUMP,      0, 0,     BR | IMM },                    /* bri */
	{ 0xffff0000, 0xb8080000, 0, PMK_I_BRANCH, PMK_FLOW_JUMP,      0, 0,     BR | IMM | ABSOLUTE },         /* brai */
	{ 0xffff0000, 0xb8100000, 0, PMK_I_BRANCH, PMK_FLOW_JUMP,      0, 0,     BR | IMM | DELAY },            /* brid */
	{ 0xffff0000, 0xb8180000, 0, PMK_I_BRANCH, PMK_FLOW_JUMP,      0, 0,     BR | IMM | DELAY | ABSOLUTE }, /* braid */
	{ 0xfc1f0000, 0xb8140000, 0, PMK_I_BRANCH, PMK_FLOW_CALL,      0, D,     BR | IMM | DELAY },            /* brlid */
	{ 0xfc1f0000, 0xb81c0000, 0, PMK_I_BRANCH, PMK_FLOW_CALL,      0, D,     BR | IMM | DELAY | ABSOLUTE }, /* bralid */
	{ 0xfc1f0000, 0xb80c0000, 0, PMK_I_BRANCH, PMK_FLOW_EXCEPTION, 0, D,     BR | BREAK | ABSOLUTE },       /* brki */
	{ 0xffff0000, 0xb8010000, 0, PMK_I_BRANCH, PMK_FLOW_JUMP,      0, 0,     BR | IMM | LONG },             /* breai */
	{ 0xffff0000, 0xb8110000, 0, PMK_I_BRANCH, PMK_FLOW_JUMP,      0, 0,     BR | IMM | DELAY | LONG },     /* breaid */
	{ 0xfc1f0000, 0xb8150000, 0, PMK_I_BRANCH, PMK_FLOW_CALL,      0, D,     BR | IMM | DELAY | LONG },     /* brealid */
	/* beq: delay slot [25], extended address [24], condition [23:21] 0-5; of the latter forms long [8] */
	{ 0xff8007ff, 0x9c000000, 0x01000000, PMK_I_BRANCH, PMK_FLOW_INDIRECT, 0, N | M, COND },                /* beq bne blt ble */
	{ 0xffc007ff, 0x9c800000, 0x01000000, PMK_I_BRANCH, PMK_FLOW_INDIRECT, 0, N | M, COND },                /* bgt bge */
	{ 0xff8007ff, 0x9e000000, 0x01000000, PMK_I_BRANCH, PMK_FLOW_INDIRECT, 0, N | M, COND | DELAY },
	{ 0xffc007ff, 0x9e800000, 0x01000000, PMK_I_BRANCH, PMK_FLOW_INDIRECT, 0, N | M, COND | DELAY },
	{ 0xff8007ff, 0x9d000100, 0,          PMK_I_BRANCH, PMK_FLOW_INDIRECT, 0, N | M, COND | LONG },         /* bealeq … */
	{ 0xffc007ff, 0x9d800100, 0,          PMK_I_BRANCH, PMK_FLOW_INDIRECT, 0, N | M, COND | LONG },
	{ 0xff8007ff, 0x9f000100, 0,          PMK_I_BRANCH, PMK_FLOW_INDIRECT, 0, N | M, COND | DELAY | LONG },
	{ 0xffc007ff, 0x9f800100, 0,          PMK_I_BRANCH, PMK_FLOW_INDIRECT, 0, N | M, COND | DELAY | LONG },
	{ 0xff800000, 0xbc000000, 0x01000000, PMK_I_BRANCH, PMK_FLOW_JUMP,     0, N,     COND | IMM },          /* beqi … */
	{ 0xffc00000, 0xbc800000, 0x01000000, PMK_I_BRANCH, PMK_FLOW_JUMP,     0, N,     COND | IMM },
	{ 0xff800000, 0xbe000000, 0x01000000, PMK_I_BRANCH, PMK_FLOW_JUMP,     0, N,     COND | IMM | DELAY },
	{ 0xffc00000, 0xbe800000, 0x01000000, PMK_I_BRANCH, PMK_FLOW_JUMP,     0, N,     COND | IMM | DELAY },
	/* returns, from: subroutine; interrupt, break, exception */
	{ 0xffe00000, 0xb6000000, 0, PMK_I_BRANCH, PMK_FLOW_RETURN, 0, N, RETURN },                             /* rtsd */
	{ 0xffe00000, 0xb6200000, 0, PMK_I_BRANCH, PMK_FLOW_MODE,   0, N, RETURN },                             /* rtid */
	{ 0xffe00000, 0xb6400000, 0, PMK_I_BRANCH, PMK_FLOW_MODE,   0, N, RETURN },                             /* rtbd */
	{ 0xffe00000, 0xb6800000, 0, PMK_I_BRANCH, PMK_FLOW_MODE,   0, N, RETURN },                             /* rted */
	/* loads and stores: exclusive [10], reversed [9], long [8], extended address [7] */
	{ 0xfc0005ff, 0xc0000000, 0, PMK_I_LOAD,  0, 1, DNM, 0 },          /* lbu, lbur */
	{ OP_B,       0xc0000080, 0, PMK_I_LOAD,  0, 1, DNM, 0 },          /* lbuea */
	{ OP,         0xe0000000, 0, PMK_I_LOAD,  0, 1, DN,  0 },          /* lbui */
	{ 0xfc0005ff, 0xc4000000, 0, PMK_I_LOAD,  0, 2, DNM, 0 },          /* lhu, lhur */
	{ OP_B,       0xc4000080, 0, PMK_I_LOAD,  0, 2, DNM, 0 },          /* lhuea */
	{ OP,         0xe4000000, 0, PMK_I_LOAD,  0, 2, DN,  0 },          /* lhui */
	{ 0xfc0005ff, 0xc8000000, 0, PMK_I_LOAD,  0, 4, DNM, 0 },          /* lw, lwr */
	{ OP_B,       0xc8000080, 0, PMK_I_LOAD,  0, 4, DNM, 0 },          /* lwea */
	{ OP_B,       0xc8000400, 0, PMK_I_LOAD,  0, 4, DNM | CO | X, 0 }, /* lwx */
	{ OP,         0xe8000000, 0, PMK_I_LOAD,  0, 4, DN,  0 },          /* lwi */
	{ 0xfc0005ff, 0xc8000100, 0, PMK_I_LOAD,  0, 8, DNM, LONG },       /* ll, llr */
	{ OP,         0xec000000, 0, PMK_I_LOAD,  0, 8, DN,  LONG },       /* lli */
	{ 0xfc0005ff, 0xd0000000, 0, PMK_I_STORE, 0, 1, VNM, 0 },          /* sb, sbr */
	{ OP_B,       0xd0000080, 0, PMK_I_STORE, 0, 1, VNM, 0 },          /* sbea */
	{ OP,         0xf0000000, 0, PMK_I_STORE, 0, 1, VN,  0 },          /* sbi */
	{ 0xfc0005ff, 0xd4000000, 0, PMK_I_STORE, 0, 2, VNM, 0 },          /* sh, shr */
	{ OP_B,       0xd4000080, 0, PMK_I_STORE, 0, 2, VNM, 0 },          /* shea */
	{ OP,         0xf4000000, 0, PMK_I_STORE, 0, 2, VN,  0 },          /* shi */
	{ 0xfc0005ff, 0xd8000000, 0, PMK_I_STORE, 0, 4, VNM, 0 },          /* sw, swr */
	{ OP_B,       0xd8000080, 0, PMK_I_STORE, 0, 4, VNM, 0 },          /* swea */
	{ OP_B,       0xd8000400, 0, PMK_I_STORE, 0, 4, VNM | CO | X, 0 }, /* swx */
	{ OP,         0xf8000000, 0, PMK_I_STORE, 0, 4, VN,  0 },          /* swi */
	{ 0xfc0005ff, 0xd8000100, 0, PMK_I_STORE, 0, 8, VNM, LONG },       /* sl, slr */
	{ OP,         0xfc000000, 0, PMK_I_STORE, 0, 8, VN,  LONG },       /* sli */
};
/* clang-format on */

/* ---- what a row cannot say ------------------------------------------------------------------ */

/* n t of the control field, [14:10] or, dynamic, [9:5]: n does not wait and says in MSR[C] whether
 * there was data or room; t of a put sends nothing. */
static void stream(uint32_t w, struct pmk_insn *in)
{
	bool dynamic = bits(w, 31, 26) == 0x13;

	in->sets_flags = bit(w, dynamic ? 9 : 14);
	if ((in->kind & PMK_MB_PUT) && !bit(w, dynamic ? 7 : 12))
		in->rn = reads(in, bits(w, 20, 16));
}

/* rD of mbar: [0] does not wait for code, [1] nor for data; anything in [4:3] is sleep. */
static void barrier(uint32_t w, struct pmk_insn *in)
{
	bool code = !bit(w, 21), data = !bit(w, 22), sleep = bits(w, 25, 24) != 0;

	if (sleep)
		in->kind |= PMK_MB_SLEEP;
	if (code)
		in->kind |= PMK_MB_BTC_FLUSH;
	in->sysop = sleep ? PMK_SYS_WFI : data ? PMK_SYS_DSB : code ? PMK_SYS_ISB : PMK_SYS_NONE;
}

/* mts to PID, TLBLO or TLBHI. That the shadow TLBs do not outlive it is our choice. */
static bool changes_mapping(uint32_t w)
{
	unsigned special = bits(w, 13, 0);

	return bits(w, 31, 26) == 0x25 && bits(w, 15, 14) == 3 &&
	       (special == 0x1000 || special == 0x1003 || special == 0x1004);
}

static void memory(const struct row *r, struct pmk_insn *in)
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

/* ---- entry ---------------------------------------------------------------------------------- */

static void roles(uint32_t w, unsigned roles, struct pmk_insn *in)
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

/* The immediate to the address, or alone. */
static void set_target(int64_t immediate, bool wide, struct pmk_insn *in)
{
	uint64_t target = (in->kind & PMK_MB_ABSOLUTE ? 0 : in->addr) + (uint64_t)immediate;

	in->target = wide ? target : (uint32_t)target;
}

static const struct row *find(uint32_t w, bool wide)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		uint32_t ignored = wide ? r->wide : 0;

		if ((w & ~ignored & r->mask) == r->value && (wide || !(r->kind & LONG)))
			return r;
	}
	return NULL;
}

static void decode(uint64_t addr, uint32_t w, bool wide, struct pmk_insn *in)
{
	const struct row *r = find(w, wide);

	*in = (struct pmk_insn){
		.addr = addr,
		.size = 4,
		.decoded = r != NULL,
		.rd = PMK_NO_REG,
		.rd2 = PMK_NO_REG,
		.rn = PMK_NO_REG,
		.rm = PMK_NO_REG,
		.rs = PMK_NO_REG,
		.ra = PMK_NO_REG,
	};
	if (!r)
		return;
	in->iclass = r->iclass;
	in->flow = r->flow;
	in->kind = w & r->wide ? r->kind | LONG : r->kind;
	in->is_branch = in->kind & (PMK_MB_BR | PMK_MB_BR_COND);
	in->conditional = in->kind & PMK_MB_BR_COND;
	in->sysop = changes_mapping(w) ? PMK_SYS_TLB : PMK_SYS_NONE;
	roles(w, r->roles, in);
	if (r->bytes)
		memory(r, in);
	if (in->kind & (PMK_MB_GET | PMK_MB_PUT))
		stream(w, in);
	if (in->kind & PMK_MB_MBAR)
		barrier(w, in);
	if (has_target(in))
		set_target(sign_extend(bits(w, 15, 0), 16), wide, in);
}

void pmk_isa_microblaze_decode(uint64_t addr, uint32_t word, struct pmk_insn *insn)
{
	decode(addr, word, false, insn);
}

void pmk_isa_microblaze64_decode(uint64_t addr, uint32_t word, struct pmk_insn *insn)
{
	decode(addr, word, true, insn);
}

/* The target still has the low 16 bits of the immediate. */
static void complete(uint64_t upper, unsigned width, bool wide, struct pmk_insn *in)
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
	complete(bits(prefix, 15, 0), 16, false, insn);
}

void pmk_isa_microblaze64_imm(struct pmk_insn *insn, uint32_t prefix)
{
	bool imml = prefix >> 24 == 0xb2;

	complete(imml ? bits(prefix, 23, 0) : bits(prefix, 15, 0), imml ? 24 : 16, true, insn);
}

uint32_t pmk_isa_microblaze_word(const void *bytes, bool big_endian)
{
	const uint8_t *b = bytes;

	if (big_endian)
		return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}
