/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * Facts about decoded instructions: the class of an instruction, the registers that it reads and
 * writes and their roles, and its effects on memory and control flow. All instruction sets use the
 * same struct. It contains no timing; the pipeline models (src/cpu) add cycles and latencies. Host
 * library only.
 */
#ifndef PMK_ISA_H
#define PMK_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The class of an instruction: which execution units it needs. */
enum pmk_iclass {
	PMK_I_OTHER,	  /* hints, MRS, CPS, coprocessor moves …: one issue cycle */
	PMK_I_ALU,	  /* register or immediate operand */
	PMK_I_ALU_SHIFT,  /* last operand (rm) shifted by an immediate */
	PMK_I_ALU_RSHIFT, /* last operand (rm) shifted by a register (rs) */
	PMK_I_MUL,	  /* MUL */
	PMK_I_MLA,	  /* MLA: accumulator in ra */
	PMK_I_MULL,	  /* SMULL, UMULL: rd = low, rd2 = high */
	PMK_I_MLAL,	  /* SMLAL, UMLAL, UMAAL: accumulators are rd, rd2 */
	PMK_I_MUL16,	  /* SMULxy, SMLAxy, SMULWy, SMLAWy, SMUAD, SMLAD, SMUSD, SMLSD */
	PMK_I_MLAL16,	  /* SMLALxy, SMLALD, SMLSLD */
	PMK_I_MMUL,	  /* SMMUL, SMMLA, SMMLS */
	PMK_I_LOAD,	  /* one register (or two: mem_count 2) */
	PMK_I_STORE,
	PMK_I_LOADM, /* load multiple, mem_count registers */
	PMK_I_STOREM,
	PMK_I_SWAP,    /* read and write of one location */
	PMK_I_PRELOAD, /* PLD */
	PMK_I_BRANCH,  /* B, BL, BLX, BX, BXJ, without other work */
	PMK_I_FP,      /* floating point and SIMD of A32 */
	/* A64 */
	PMK_I_DIV,     /* SDIV, UDIV */
	PMK_I_FP_ADD,  /* scalar FP: add, compare, convert, select, absolute value, rounding */
	PMK_I_FP_MUL,  /* scalar FP multiply */
	PMK_I_FP_MAC,  /* scalar FP fused multiply-add: accumulator in ra */
	PMK_I_FP_DIV,  /* scalar FP divide; mem_bytes is the width: 2, 4 or 8 */
	PMK_I_FP_SQRT, /* scalar FP square root; mem_bytes as for PMK_I_FP_DIV */
	/* Between general and FP registers: FMOV, UMOV, INS, DUP from a general register. */
	PMK_I_FP_MOVE,
	PMK_I_SIMD,    /* Advanced SIMD, integer */
	PMK_I_SIMD_FP, /* Advanced SIMD, floating point */
	PMK_I_CRYPTO,
	PMK_I_ATOMIC, /* LSE atomics, CAS, SWP: read and write of one location */
	/* MicroBlaze */
	PMK_I_BARREL,	   /* bsrl, bsra, bsll, bsefi, bsifi; sra, src, srl are PMK_I_ALU */
	PMK_I_FP_COMPARE,  /* fcmp, dcmp; PMK_I_FP_ADD is fadd, frsub and their double forms */
	PMK_I_FP_TO_INT,   /* fint, dlong */
	PMK_I_FP_FROM_INT, /* flt, dbl */
	PMK_I_CACHE_OP,	   /* wic, wdc */
};

/*
 * The operation of an A64 instruction, where the class is not enough to find the latency on every
 * modelled core. Most of these are SIMD, cryptographic and floating-point operations; a few are
 * integer operations. PMK_V_PLAIN: the class is enough.
 */
enum pmk_vector {
	PMK_V_PLAIN,
	/* Integers in vectors */
	PMK_V_ADD,	  /* add, compare, maximum, halving; reverse, extract, transpose, zip */
	PMK_V_LOGIC,	  /* AND, ORR, EOR, NOT, MOVI */
	PMK_V_BITS,	  /* BSL, BIT, BIF, CLZ, CNT */
	PMK_V_SUM,	  /* SQADD, SADDL, SADDW, ADDP, SQNEG, CMTST */
	PMK_V_ABS,	  /* ABS, SABD, SABDL, SADDLP, CLS */
	PMK_V_HIGH,	  /* ADDHN, SUBHN */
	PMK_V_HIGH_ROUND, /* RADDHN, RSUBHN */
	PMK_V_XTN,
	PMK_V_ACROSS, /* three values: ADDV, SADDLV of up to 4 elements, of 8, of 16 */
	PMK_V_MOST = PMK_V_ACROSS + 3, /* SMAXV, UMINV …, with three values like ADDV */
	PMK_V_SHIFT = PMK_V_MOST + 3,  /* by an immediate: SHL, USHR, SSHLL … */
	PMK_V_SHIFT_INSERT,	       /* SLI, SRI */
	PMK_V_SHIFT_BY,		       /* by amounts in a register: SSHL, USHL */
	PMK_V_SHIFT_BY_ROUND,	       /* by amounts in a register, rounded: SRSHL */
	PMK_V_SHIFT_BY_LIMIT,	       /* by amounts in a register, saturated: SQSHL, UQRSHL */
	PMK_V_ROUNDING,		       /* SRSHR, USRA */
	PMK_V_ROUND_SUM,	       /* SRSRA */
	PMK_V_LIMIT,		       /* SQSHL, SQSHLU by an immediate */
	PMK_V_NARROW,		       /* SHRN */
	PMK_V_NARROW_ROUND,	       /* RSHRN */
	PMK_V_NARROW_LIMIT,	       /* SQXTN, UQRSHRN … */
	PMK_V_MULTIPLY,		       /* MUL, MLA, SQDMULH … */
	PMK_V_MULTIPLY_ELEMENT,	       /* MUL, MLA … with one element of the second register */
	PMK_V_MULTIPLY_ROUND,	       /* SQRDMLAH */
	PMK_V_DOT,		       /* SDOT, UDOT */
	PMK_V_LONG,		       /* to elements of twice the size: SMULL, UMLAL … */
	PMK_V_LONG_LIMIT,	       /* SQDMLAL, SQDMLSL */
	PMK_V_POLY,		       /* PMUL */
	PMK_V_POLY_LONG,	       /* PMULL of 8 bits */
	PMK_V_POLY_DOUBLE,	       /* PMULL of 64 bits */
	PMK_V_ABA,		       /* SABA, UABA */
	PMK_V_ABAL,		       /* SABAL, SADALP */
	PMK_V_TABLE,		       /* four values: TBL of 1, 2, 3 and 4 registers */
	PMK_V_TABLE_KEEP = PMK_V_TABLE + 4, /* TBX, with four values like TBL */
	PMK_V_AES = PMK_V_TABLE_KEEP + 4,   /* AESE, AESD */
	PMK_V_AES_MIX,			    /* AESMC, AESIMC */
	PMK_V_SHA_FAST,			    /* SHA1H, SHA1SU1, SHA256SU0 */
	PMK_V_SHA_XOR,			    /* SHA1SU0 */
	PMK_V_SHA_SLOW,			    /* SHA1C, SHA1M, SHA1P, SHA256H, SHA256H2, SHA256SU1 */
	/* Floating point, scalar and in vectors */
	PMK_V_F_ADD,			      /* FADD, FSUB, FABD */
	PMK_V_F_PLAIN,			      /* FABS, FNEG, FMAX, FMIN … */
	PMK_V_F_PAIR_ADD,		      /* FADDP */
	PMK_V_F_PAIR,			      /* FMAXP, FMINP … */
	PMK_V_F_ACROSS,			      /* two values: FMAXV … of 4 elements, of 8 */
	PMK_V_F_COMPARE = PMK_V_F_ACROSS + 2, /* FCMEQ, FACGT … */
	PMK_V_F_FLAGS,			      /* FCMP, FCCMP */
	PMK_V_F_SELECT,			      /* FCSEL */
	PMK_V_F_MUL,
	PMK_V_F_MAC,	     /* FMADD, FMLA */
	PMK_V_F_MAC_ELEMENT, /* FMLA with one element of the second register */
	PMK_V_F_STEP,	     /* FRECPS, FRSQRTS */
	PMK_V_CONVERT,	     /* three values: FCVT, FRINT, FRECPE of up to 2 elements, of 4, of 8 */
	PMK_V_LENGTHEN = PMK_V_CONVERT + 3, /* FCVTL from half precision */
	PMK_V_DIVIDE,			    /* FDIV; `wide`: elements of 64 bits */
	PMK_V_ROOT,			    /* FSQRT; `wide` as for FDIV */
	PMK_V_TO_GENERAL,		    /* FCVTZS to a general register … */
	PMK_V_FROM_GENERAL,		    /* SCVTF from a general register */
	/* Moves between general and vector registers */
	PMK_V_MOVE_IN,	/* FMOV to a vector register */
	PMK_V_INSERT,	/* INS, DUP from a general register */
	PMK_V_MOVE_OUT, /* FMOV, UMOV, SMOV to a general register */
	/* Integers */
	PMK_V_SHORT_SHIFT, /* some cores do the shift at no cost: LSL by up to 4 in an addition, any
			      shift in a logical operation that sets no flags */
	PMK_V_REVERSE,	   /* REV, RBIT */
	PMK_V_CRC,	   /* CRC32 */
	PMK_V_EXTENDED,	   /* load of less than a word, or with its sign extended */
	PMK_V_BITFIELD,	   /* UBFM, SBFM, ROR: one operand, which is shifted */
	PMK_NVECTORS
};

/* Kinds of an A64 or ARMv7 instruction, for events that count kinds: bits of pmk_insn.kind. */
enum pmk_ikind {
	PMK_K_DP = 1 << 0, /* integer data processing, including moves */
	/* Advanced SIMD, except loads, stores and moves to or from X. */
	PMK_K_ASE = 1 << 1,
	/* Scalar floating point, except loads, stores and moves to or from X. */
	PMK_K_VFP = 1 << 2,
	PMK_K_CRYPTO = 1 << 3,
	PMK_K_LDREX = 1 << 4,	     /* load exclusive */
	PMK_K_STREX = 1 << 5,	     /* store exclusive */
	PMK_K_ACQUIRE = 1 << 6,	     /* load-acquire: LDAR, LDAXR, LDAPR, LDLAR */
	PMK_K_RELEASE = 1 << 7,	     /* store-release: STLR, STLXR, STLLR */
	PMK_K_BR_IMM = 1 << 8,	     /* B, BL, B.cond, CBZ, CBNZ, TBZ, TBNZ */
	PMK_K_BR_RETURN = 1 << 9,    /* RET and its authenticated forms */
	PMK_K_BR_INDIRECT = 1 << 10, /* BR, BLR, RET families */
	PMK_K_SVC = 1 << 11,
	PMK_K_HVC = 1 << 12,
	PMK_K_SMC = 1 << 13,
	PMK_K_ERET = 1 << 14,
	PMK_K_UNDEF = 1 << 15,	    /* BRK, HLT, UDF: always an exception */
	PMK_K_CID_WRITE = 1 << 16,  /* MSR CONTEXTIDR_EL1 */
	PMK_K_TTBR_WRITE = 1 << 17, /* MSR TTBR0_EL1, TTBR1_EL1 */
	/* Zeroes a block (64 bytes on A53, A72); QEMU has no memory callback for it. */
	PMK_K_DC_ZVA = 1 << 18,
	PMK_K_VECTOR_MEM = 1 << 19, /* load or store of FP/SIMD registers */
	PMK_K_USER_MEM = 1 << 20,   /* LDTR, STTR: accesses as if at EL0 */
	/* Reads or writes a system register, or maintains caches or TLBs: whether it traps is known
	 * only when it is executed. Also MCR, MRC, MCRR and MRRC of ARMv7. */
	PMK_K_MAY_TRAP = 1 << 21,
};

/*
 * Facts about a VFP instruction of an ARM11, in the member `kind`: the lowest four bits are the
 * operation, and three fields are register numbers, counted as single-precision registers.
 * PMK_VFP_NONE: not an instruction of VFPv2.
 */
enum pmk_vfp {
	PMK_VFP_NONE,
	PMK_VFP_COPY,	 /* FCPY, FABS, FNEG; FCVTDS, FCVTSD */
	PMK_VFP_COMPARE, /* sets the flags of VFP */
	PMK_VFP_CONVERT, /* to or from an integer */
	PMK_VFP_ADD,	 /* FADD, FSUB */
	PMK_VFP_MUL,	 /* FMUL, FNMUL */
	PMK_VFP_MAC,	 /* FMAC, FNMAC, FMSC, FNMSC: Fd is read, too */
	PMK_VFP_DIV,
	PMK_VFP_SQRT,
	PMK_VFP_LOAD,		      /* one register or several */
	PMK_VFP_STORE,		      /* one register or several */
	PMK_VFP_TO_CORE,	      /* FMRS, FMRDL, FMRDH, FMRRS, FMRRD */
	PMK_VFP_FROM_CORE,	      /* FMSR, FMDLR, FMDHR, FMSRR, FMDRR */
	PMK_VFP_STATUS,		      /* FMSTAT */
	PMK_VFP_SYSTEM,		      /* FMXR, FMRX */
	PMK_VFP_OP = 15,	      /* mask of these values */
	PMK_VFP_WIDE = 1 << 4,	      /* its operands are double-precision */
	PMK_VFP_WIDE_RESULT = 1 << 5, /* its result is double-precision */
	PMK_VFP_INTEGER = 1 << 6,     /* its result is an integer */
	PMK_VFP_VECTOR = 1 << 7,      /* it works on short vectors, if FPSCR.LEN says so */
};
#define PMK_VFP_FD 8 /* three register numbers of five bits each */
#define PMK_VFP_FN 13
#define PMK_VFP_FM 18
#define PMK_VFP_S0 32 /* the number of S0 in reads and writes */

/* Kinds of a MicroBlaze instruction, in the member `kind`. mul and idiv are also ARITH; a NOP is
 * also LOGICAL. */
enum pmk_microblaze_kind {
	PMK_MB_ARITH = 1 << 0,	 /* add, rsub, cmp, mul, idiv and their immediate forms */
	PMK_MB_LOGICAL = 1 << 1, /* or, and, xor, andn and their immediate forms */
	PMK_MB_MUL = 1 << 2,
	PMK_MB_DIV = 1 << 3,
	PMK_MB_BARREL = 1 << 4, /* bsrl, bsra, bsll, their immediate forms, bsefi, bsifi */
	PMK_MB_SHIFT = 1 << 5,	/* sra, src, srl */
	PMK_MB_FP = 1 << 6,
	PMK_MB_PCMP = 1 << 7, /* pcmpbf, pcmpeq, pcmpne */
	PMK_MB_SEXT = 1 << 8, /* sext8, sext16, sextl32 */
	PMK_MB_IMM = 1 << 9,  /* imm, imml: a prefix of the instruction that follows */
	PMK_MB_WIC = 1 << 10,
	PMK_MB_WDC = 1 << 11,	    /* all forms */
	PMK_MB_MSR = 1 << 12,	    /* msrset, msrclr */
	PMK_MB_R1 = 1 << 13,	    /* load or store with r1 in its address */
	PMK_MB_R1_DATA = 1 << 14,   /* store of r1 */
	PMK_MB_BR = 1 << 15,	    /* br, bri, brk, brki and their forms */
	PMK_MB_BR_COND = 1 << 16,   /* beq … bge, beqi … bgei and their forms */
	PMK_MB_BR_IMM = 1 << 17,    /* BR or BR_COND with a constant target; not brki */
	PMK_MB_ABSOLUTE = 1 << 18,  /* the target is the immediate: brai, braid, bralid, brki */
	PMK_MB_BREAK = 1 << 19,	    /* brk, brki; Linux programs call the system with brki */
	PMK_MB_RETURN = 1 << 20,    /* rtsd, rtid, rtbd, rted */
	PMK_MB_DELAY = 1 << 21,	    /* the next instruction is its delay slot; all RETURNs */
	PMK_MB_NOP = 1 << 22,	    /* the word 0x80000000: or r0, r0, r0 */
	PMK_MB_MBAR = 1 << 23,	    /* mbar and the sleep family */
	PMK_MB_SLEEP = 1 << 24,	    /* sleep, hibernate, suspend */
	PMK_MB_BTC_FLUSH = 1 << 25, /* empties the branch target cache: bri 4, mbar for code */
	PMK_MB_GET = 1 << 26,	    /* reads a stream */
	PMK_MB_PUT = 1 << 27,	    /* writes a stream */
	PMK_MB_LONG = 1 << 28,	    /* the 32-bit core does not have it */
	/* A BR_COND that tests r0, which is 0, and is therefore always taken. */
	PMK_MB_ALWAYS = 1 << 29,
	/* A BR_COND that tests r0, which is 0, and is therefore never taken. */
	PMK_MB_NEVER = 1 << 30,
};

/* The effect on the flow of control. */
enum pmk_flow {
	PMK_FLOW_NEXT,	    /* continues with the next instruction */
	PMK_FLOW_JUMP,	    /* branch with a constant offset */
	PMK_FLOW_CALL,	    /* branch with a constant offset that sets a return address */
	PMK_FLOW_INDIRECT,  /* any other write to the PC */
	PMK_FLOW_INDCALL,   /* indirect branch that sets a return address */
	PMK_FLOW_RETURN,    /* indirect branch in a form that the return stack recognises */
	PMK_FLOW_EXCEPTION, /* SVC, BKPT, undefined …: changes the mode */
	PMK_FLOW_MODE,	    /* return that restores the mode: MOVS pc, LDM ^, RFE */
};

/* Operations that counters or models watch for. */
enum pmk_sysop {
	PMK_SYS_NONE,
	PMK_SYS_DSB, /* data synchronisation barrier (drain write buffer) */
	PMK_SYS_DMB,
	PMK_SYS_ISB,	    /* flush prefetch buffer */
	PMK_SYS_BTAC_FLUSH, /* flush entire branch target cache */
	PMK_SYS_ICACHE_INV, /* invalidate entire instruction cache (flushes the BTAC) */
	PMK_SYS_TLB,	    /* TLB maintenance, or a write of TTBR, DACR or the context ID */
	PMK_SYS_WFI,
};

/*
 * Register numbers. A32 and T32: r0-r15 are 0-15; S0-S31 of an ARM11, and D0-D31 of ARMv7 and
 * later, are 32-63. A64: x0-x30 are 0-30, SP is 31, v0-v31 are 32-63; XZR has no number.
 * MicroBlaze: r1-r31 are 1-31; r0 has no number.
 */
#define PMK_NREGS  64
#define PMK_NO_REG (-1)

/* For the initialiser of an instruction that has no registers. */
#define PMK_NO_REGS                                                                                \
	.rd = PMK_NO_REG, .rd2 = PMK_NO_REG, .rn = PMK_NO_REG, .rm = PMK_NO_REG, .rs = PMK_NO_REG, \
	.ra = PMK_NO_REG

struct pmk_insn {
	uint64_t addr; /* guest address of the instruction */
	/* Guest address of the target of JUMP and CALL, or of the data of a literal load; otherwise
	 * 0. */
	uint64_t target;
	uint8_t size;	  /* bytes: 2 or 4 */
	uint8_t iclass;	  /* enum pmk_iclass */
	uint8_t flow;	  /* enum pmk_flow */
	uint8_t sysop;	  /* enum pmk_sysop */
	bool thumb;	  /* it is a T32 instruction */
	bool conditional; /* executed only if its condition holds */
	bool is_branch; /* counts as a branch instruction of the architecture: B BL BLX BX BXJ … */
	bool sets_flags;
	bool reads_flags;  /* reads the flags as data, not as its condition: ADC, RRX … */
	bool exclusive;	   /* LDREX, STREX: a failed store does not access memory */
	bool load, store;  /* accesses memory; both for SWP */
	bool literal;	   /* load from [pc, #imm]; `target` is the address */
	bool writeback;	   /* the base register is updated */
	bool slow_address; /* negative register offset, or a scaled one other than LSL #2 */
	bool based;	   /* A64: the address is rn + `offset`, and write-back adds `step` to rn.
			    * False in other instruction sets, although A32 and T32 may set
			    * `offset` and `step`. */
	bool decoded;	   /* false: the decoder does not know it; only addr and size are set */
	uint8_t mem_bytes; /* bytes per access: 1, 2, 4 or 8; 0: accesses no memory */
	uint8_t mem_count; /* accesses: 1; 2 for LDRD, STRD; number of registers of a multiple */
	int8_t rd, rd2;	   /* results (a store's value is in rd); PMK_NO_REG: none */
	int8_t rn;	   /* first operand, or base address */
	int8_t rm;	   /* second operand, or offset register */
	int8_t rs;	   /* shift amount, or second multiplicand */
	int8_t ra;	   /* accumulator */
	uint16_t list;	   /* registers of a load or store multiple: bit n is register n */
	/* A64, ARMv7: enum pmk_ikind bits; MicroBlaze: enum pmk_microblaze_kind bits; ARMv6: enum
	 * pmk_vfp */
	uint32_t kind;
	uint8_t mem_total; /* A64, ARMv7, MicroBlaze: bytes of all accesses; 32 for LDP Q */
	bool wide;	   /* A64, multiplications and divisions: the operands have 64 bits */
	uint8_t vector;	   /* A64: enum pmk_vector */
	bool quad;	   /* A64, SIMD and SIMD_FP: the vectors have 128 bits */
	int16_t step;	   /* in bytes; see `based` */
	int32_t offset;	   /* in bytes; see `based` */
	uint32_t word;	   /* A64: the instruction itself */
	uint64_t reads;	   /* all registers that are read, except the PC: bit n is register n */
	uint64_t writes;   /* all registers that are written, except the PC */
};

/*
 * A decoder for A32 and T32, which asks Capstone about rare instructions. Not thread-safe: use one
 * decoder per thread, or a lock. pmk_isa_arm_new() returns NULL when out of memory, and when
 * pmk_isa_other_capstone() is not 0. The caller frees the decoder with pmk_isa_arm_free().
 */
struct pmk_isa_arm;

/*
 * Returns 0, or the major version of the Capstone library in this process if it differs from the
 * version at compile time. This happens if the program has already loaded another Capstone, whose
 * numbers denote other instructions.
 */
unsigned pmk_isa_other_capstone(void);

struct pmk_isa_arm *pmk_isa_arm_new(void);
void pmk_isa_arm_free(struct pmk_isa_arm *isa);

/*
 * Decode an instruction of ARMv6 or older: A32, or the 16-bit subset of T32. `bytes` points to its
 * `size` bytes (little endian, as in memory), and `addr` is its guest address. Always fills *insn;
 * an unknown encoding has decoded = false. A Thumb BL/BLX pair is one 4-byte instruction, as in
 * QEMU.
 */
void pmk_isa_arm_decode(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, const void *bytes,
			size_t size, struct pmk_insn *insn);
/*
 * Like pmk_isa_arm_decode(), for ARMv6T2, which adds Thumb-2 and some A32 instructions. The decoder
 * does not know whether an IT instruction before this one makes it conditional.
 */
void pmk_isa_arm6t2_decode(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, const void *bytes,
			   size_t size, struct pmk_insn *insn);

/*
 * Like pmk_isa_arm_decode(), for ARMv7-A and the AArch32 state of ARMv8-A: A32 and all of T32,
 * VFPv4, Advanced SIMD. As for A64, it sets kind, mem_total, is_branch (every write of the PC
 * except returns from exceptions), and the registers of VFP and Advanced SIMD (D0 to D31 are 32 to
 * 63). If the instruction reads the old value of its destination, that register is ra. The decoder
 * does not know whether an IT instruction before this one makes it conditional.
 */
void pmk_isa_arm7_decode(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, const void *bytes,
			 size_t size, struct pmk_insn *insn);

/* True if `text` begins with Capstone's name of the instruction. */
bool pmk_isa_arm_is_named(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, const void *bytes,
			  size_t size, const char *text);

/*
 * Decode one A64 instruction at guest address `addr`: v8.0 to v8.5 as listed at the top of
 * src/cpu/isa/a64.c, without SVE and SME. It has no state and allocates nothing, so any thread may
 * call it. Always fills *insn; an encoding that it does not know has decoded = false. Registers,
 * kinds and sizes come from the encoding (DDI 0487, C4). In addition to the comments of the struct:
 * multiplicands are rn and rm. If the instruction reads the old value of its destination (MOVK,
 * BFM, CAS, vector inserts), that register is ra. Atomics and store exclusives have their value in
 * rm and their result in rd. For LDn and STn, mem_count is the number of elements; with more than
 * one, the class is LOADM or STOREM.
 */
void pmk_isa_a64_decode(uint64_t addr, uint32_t word, struct pmk_insn *insn);

/*
 * Decode one MicroBlaze instruction at guest address `addr`. `word` is its value, as
 * pmk_isa_microblaze_word() returns it. The functions have no state, so any thread may call them.
 * They always fill *insn; an encoding that UG984 does not give, or with bits set in reserved
 * fields, has decoded = false. pmk_isa_microblaze_decode() is for the 32-bit core.
 * pmk_isa_microblaze64_decode() is for the core with C_DATA_SIZE = 64, which also has the
 * instructions of the kind PMK_MB_LONG.
 *
 * In addition to the comments of the struct: rn is the field rA, rm the field rB, the value of a
 * store is rd. sets_flags and reads_flags refer to MSR[C]. load, store and mem_bytes say whether
 * bytes, halves or words are accessed. Branches with PMK_MB_BR_IMM are JUMP or CALL; brk and brki
 * are EXCEPTION, brki has a target; rtsd is RETURN, the other returns are MODE. is_branch is true
 * for PMK_MB_BR and PMK_MB_BR_COND. sysop of mbar is WFI for the sleep family, otherwise DSB if it
 * waits for data, otherwise ISB if it waits for code. sysop of a write to the UTLB or the process
 * ID is TLB.
 */
void pmk_isa_microblaze_decode(uint64_t addr, uint32_t word, struct pmk_insn *insn);
void pmk_isa_microblaze64_decode(uint64_t addr, uint32_t word, struct pmk_insn *insn);

/*
 * Complete a decoded instruction that follows a prefix. `prefix` is the word of the imm directly
 * before it, or of the imml for microblaze64. The prefix changes the target of an immediate branch
 * or break, and whether a branch is a bri 4. No other fact depends on an immediate. Call this once
 * for every instruction after a prefix. If two imml precede an instruction, as for 64-bit
 * immediates, only the second is used, so the immediate has 40 bits.
 */
void pmk_isa_microblaze_imm(struct pmk_insn *insn, uint32_t prefix);
void pmk_isa_microblaze64_imm(struct pmk_insn *insn, uint32_t prefix);

/* Returns the four bytes of an instruction as a number. `big_endian` is the core's byte order. */
uint32_t pmk_isa_microblaze_word(const void *bytes, bool big_endian);

#ifdef __cplusplus
}
#endif

#endif
