// SPDX-License-Identifier: MIT
/*
 * Finds the facts about instructions of VFPv3, VFPv4 and Advanced SIMD, and of what ARMv8 added to
 * them (ARM DDI 0406C chapter A7, DDI 0487 chapters F3 and F4). It decodes words of A32, to which
 * words of T32 are converted first.
 *
 * D0 to D31 have the numbers 32 to 63. S registers are halves of the first 16 D registers, and a Q
 * register is two consecutive D registers. The purpose is to find the kind of an instruction.
 * UNDEFINED combinations of size and type are recognised only where whole rows of a table are
 * unallocated. Half precision arithmetic (ARMv8.2), complex numbers, dot products and matrices are
 * not supported.
 */
#include "cpu/isa/arm.h"

#define D0 32

/* ---- registers ------------------------------------------------------------------------------ */

/* Returns the first D register of a field of four bits; the fifth bit is the highest one. */
static unsigned d_at(uint32_t w, unsigned low, unsigned high)
{
	return D0 + ((unsigned)bit(w, high) << 4 | bits(w, low + 3, low));
}

/* Returns the D register of a scalar operand. If the operand is a single, this is the D register
 * that contains it. */
static unsigned scalar_at(uint32_t w, unsigned low, unsigned high, bool wide)
{
	return wide ? d_at(w, low, high) : D0 + bits(w, low + 3, low);
}

static uint64_t row_of(unsigned first, unsigned n, unsigned step)
{
	uint64_t regs = 0;

	for (unsigned i = 0; i < n; i++)
		regs |= UINT64_C(1) << (D0 + (first - D0 + i * step) % 32);
	return regs;
}

static int8_t reads_d(struct pmk_insn *in, unsigned reg, unsigned n)
{
	in->reads |= row_of(reg, n, 1);
	return (int8_t)reg;
}

static int8_t writes_d(struct pmk_insn *in, unsigned reg, unsigned n)
{
	in->writes |= row_of(reg, n, 1);
	return (int8_t)reg;
}

/* ---- scalar --------------------------------------------------------------------------------- */

static void set_accumulate(struct pmk_insn *in)
{
	in->iclass = PMK_I_FP_MAC;
	in->ra = reads_d(in, (unsigned)in->rd, 1);
}

/* Decodes an operation with one operand; [19:16] selects it. Returns false if it is unallocated. */
static bool scalar_one(uint32_t w, bool wide, struct pmk_insn *in)
{
	unsigned op = bits(w, 19, 16);
	bool to_wide = wide, from_wide = wide;

	if (!bit(w, 6)) { /* VMOV immediate */
		in->rd = writes_d(in, scalar_at(w, 12, 22, wide), 1);
		return true;
	}
	if (op == 7 && bit(w, 7)) /* a conversion between single and double precision */
		to_wide = !wide;
	else if (op == 8) /* from an integer */
		from_wide = false;
	else if (op >= 12 && op <= 13) /* to an integer */
		to_wide = false;
	else if (op == 2) /* a conversion from half precision, which is in a single register */
		from_wide = false;
	else if (op == 3)
		to_wide = false;
	if (op == 9) /* of ARMv8.3 */
		return false;
	if (op == 4 || op == 5) { /* VCMP */
		in->rn = reads_d(in, scalar_at(w, 12, 22, wide), 1);
		if (op == 4)
			in->rm = reads_d(in, scalar_at(w, 0, 5, wide), 1);
		/* A compare sets the flags of FPSCR, which the model treats as those of APSR. */
		in->sets_flags = true;
		return true;
	}
	in->rd = writes_d(in, scalar_at(w, 12, 22, to_wide), 1);
	if ((op & 10) == 10) /* a conversion of a fixed point number, whose result replaces it */
		in->rm = reads_d(in, (unsigned)in->rd, 1);
	else
		in->rm = reads_d(in, scalar_at(w, 0, 5, from_wide), 1);
	if (op == 1 && bit(w, 7))
		in->iclass = PMK_I_FP_SQRT;
	return true;
}

static bool scalar_data(uint32_t w, struct pmk_insn *in)
{
	bool wide = bit(w, 8);

	in->kind = PMK_K_VFP;
	in->iclass = PMK_I_FP_ADD;
	in->mem_bytes = 0;
	if (bit(w, 23) && bits(w, 21, 20) == 3) {
		if (!scalar_one(w, wide, in))
			return false;
	} else {
		in->rd = writes_d(in, scalar_at(w, 12, 22, wide), 1);
		in->rn = reads_d(in, scalar_at(w, 16, 7, wide), 1);
		in->rm = reads_d(in, scalar_at(w, 0, 5, wide), 1);
		switch (bits(w, 23, 23) << 2 | bits(w, 21, 20)) {
		case 0: /* VMLA, VMLS */
		case 1: /* VNMLA, VNMLS */
		case 5: /* VFNMA, VFNMS */
		case 6: /* VFMA, VFMS */
			set_accumulate(in);
			break;
		case 2: /* VMUL, VNMUL */
			in->iclass = PMK_I_FP_MUL;
			break;
		case 4: /* VDIV */
			if (bit(w, 6))
				return false;
			in->iclass = PMK_I_FP_DIV;
			break;
		default: /* VADD, VSUB */
			break;
		}
	}
	if (in->iclass == PMK_I_FP_DIV || in->iclass == PMK_I_FP_SQRT)
		in->mem_bytes = wide ? 8 : 4;
	return true;
}

/* Decodes the additions of ARMv8, which have no condition. */
static bool scalar_v8(uint32_t w, struct pmk_insn *in)
{
	bool wide = bit(w, 8);

	in->kind = PMK_K_VFP;
	in->iclass = PMK_I_FP_ADD;
	in->rd = writes_d(in, scalar_at(w, 12, 22, wide), 1);
	in->rm = reads_d(in, scalar_at(w, 0, 5, wide), 1);
	if (!bit(w, 23)) { /* VSEL */
		in->reads_flags = true;
	} else if (bits(w, 21, 20) == 3) { /* VRINTA …, VCVTA … */
		if (!bit(w, 19) || !bit(w, 6) || (!bit(w, 18) && bit(w, 7)))
			return false;
		return true;
	} else if (bits(w, 21, 20) != 0) { /* VMAXNM, VMINNM have 0 */
		return false;
	}
	if (!bit(w, 23) && bit(w, 6))
		return false;
	in->rn = reads_d(in, scalar_at(w, 16, 7, wide), 1);
	return true;
}

/* Decodes moves of 8, 16 and 32 bits between registers of the core and of VFP. */
static bool decode_move(uint32_t w, struct pmk_insn *in)
{
	unsigned rt = bits(w, 15, 12);

	in->iclass = PMK_I_FP_MOVE;
	if (!bit(w, 8) && bits(w, 23, 21) == 7) { /* VMSR, VMRS; in VMRS r15 stands for the flags */
		in->iclass = PMK_I_OTHER;
		if (!bit(w, 20)) {
			in->rm = reads(in, rt);
			return true;
		}
		in->reads_flags = true;
		if (rt == PC) {
			in->sets_flags = true;
		} else {
			in->rd = writes(in, rt);
		}
		return true;
	}
	if (!bit(w, 8)) { /* VMOV of a single-precision register */
		if (bits(w, 23, 21) != 0)
			return false;
		if (bit(w, 20)) {
			in->rn = reads_d(in, D0 + bits(w, 19, 16), 1);
			in->rd = writes(in, rt);
		} else {
			in->rm = reads(in, rt);
			in->rd = writes_d(in, D0 + bits(w, 19, 16), 1);
		}
		return true;
	}
	if (bit(w, 20)) { /* VMOV from a part of a D register */
		in->rn = reads_d(in, d_at(w, 16, 7), 1);
		in->rd = writes(in, rt);
		return true;
	}
	in->rm = reads(in, rt);
	if (bit(w, 23)) { /* VDUP */
		if (bit(w, 6) || (bit(w, 22) && bit(w, 5)))
			return false;
		in->rd = writes_d(in, d_at(w, 16, 7), bit(w, 21) ? 2 : 1);
		return true;
	}
	in->rd = writes_d(in, d_at(w, 16, 7), 1);
	in->ra = reads_d(in, d_at(w, 16, 7), 1);
	return true;
}

/* Decodes moves between two registers of the core and a D register or two single ones. */
static bool move_two(uint32_t w, struct pmk_insn *in)
{
	unsigned d = scalar_at(w, 0, 5, bit(w, 8)), n = 1;

	if (!bit(w, 22) || bits(w, 7, 6) != 0 || !bit(w, 4))
		return false;
	/*
	 * S31 with the register after it is UNPREDICTABLE. Two registers that begin with an odd
	 * number are parts of two D registers.
	 */
	if (!bit(w, 8) && bit(w, 5))
		n = 2;
	in->iclass = PMK_I_FP_MOVE;
	if (bit(w, 20)) {
		in->rd = writes(in, bits(w, 15, 12));
		in->rd2 = writes(in, bits(w, 19, 16));
		in->rn = reads_d(in, d, n);
	} else {
		in->rm = reads(in, bits(w, 15, 12));
		in->rs = reads(in, bits(w, 19, 16));
		in->rd = writes_d(in, d, n);
	}
	return true;
}

static void set_accesses(struct pmk_insn *in, bool load, unsigned bytes, unsigned count)
{
	in->kind = PMK_K_VECTOR_MEM;
	set_memory(in, load, bytes, count);
	in->mem_total = (uint8_t)(bytes * count);
}

/* Decodes VLDR, VLDM and their stores. FLDMX and FSTMX encode an odd number of words, and do not
 * access the last one. */
static bool load_store(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	bool load = bit(w, 20), wide = bit(w, 8), one = bit(w, 24) && !bit(w, 21);
	unsigned words = bits(w, 7, 0), first = scalar_at(w, 12, 22, wide), n = 1;
	uint64_t regs;

	if (one) {
		set_accesses(in, load, wide ? 8 : 4, 1);
		in->iclass = load ? PMK_I_LOAD : PMK_I_STORE;
		base(w, false, in);
		if (load && in->rn == PC) {
			in->literal = true;
			f->relative = PMK_ARM_FROM_PC4;
			in->target =
				(uint64_t)(bit(w, 23) ? (int64_t)words * 4 : -(int64_t)words * 4);
		}
	} else {
		if (bit(w, 24) == bit(w, 23) || !words || words > 33)
			return false;
		n = wide ? words / 2 : words;
		set_accesses(in, load, wide ? 8 : 4, n);
		in->iclass = load ? PMK_I_LOADM : PMK_I_STOREM;
		base(w, bit(w, 21), in);
		if (!wide) /* now n is the number of D registers that contain the words */
			n = (bit(w, 22) + words + 1) / 2;
	}
	regs = row_of(first, n, 1);
	in->rd = (int8_t)first;
	if (load)
		in->writes |= regs;
	else
		in->reads |= regs;
	return true;
}

/* ---- vectors -------------------------------------------------------------------------------- */

/*
 * Decodes operations on three registers of the same length. [11:8] and [4] are the operation, [24]
 * is U, [6] is Q.
 */
static bool three_same(uint32_t w, struct pmk_insn *in)
{
	unsigned op = bits(w, 11, 8) << 1 | bit(w, 4), n = bit(w, 6) ? 2 : 1;
	bool u = bit(w, 24), old = false;

	in->iclass = op >= 26 || op == 25 ? PMK_I_SIMD_FP : PMK_I_SIMD;
	switch (op) {
	case 3: /* VAND … VORN; VEOR, VBSL, VBIT, VBIF */
		old = u && bits(w, 21, 20) != 0;
		break;
	case 15: /* VABA */
	case 18: /* VMLA, VMLS */
		old = true;
		break;
	case 22: /* VQDMULH, VQRDMULH */
		break;
	case 23: /* VPADD; VQRDMLAH is of ARMv8.1 */
	case 25: /* VFMA, VFMS; VQRDMLSH */
		if (u)
			return false;
		old = op == 25;
		break;
	case 24: /* SHA1, SHA256 */
		in->iclass = PMK_I_CRYPTO;
		in->kind = PMK_K_CRYPTO;
		if (n == 1 || (u && bits(w, 21, 20) == 3))
			return false;
		old = true;
		break;
	case 27: /* VMLA, VMLS; VMUL */
		old = !u;
		break;
	default:
		break;
	}
	if (n == 2 && (bit(w, 12) || bit(w, 16) || bit(w, 0)))
		return false;
	in->rd = writes_d(in, d_at(w, 12, 22), n);
	in->rn = reads_d(in, d_at(w, 16, 7), n);
	in->rm = reads_d(in, d_at(w, 0, 5), n);
	if (old)
		in->ra = reads_d(in, (unsigned)in->rd, n);
	return true;
}

/*
 * Decodes operations on three registers of different lengths. [11:8] decides which registers are
 * long.
 */
static bool three_different(uint32_t w, struct pmk_insn *in)
{
	unsigned op = bits(w, 11, 8);
	bool wide_n = op == 1 || op == 3 || op == 4 || op == 6; /* VADDW, VSUBW; narrowing */
	bool narrow = op == 4 || op == 6;
	bool old = op == 5 || op == 8 || op == 9 || op == 10 || op == 11;

	if (op == 15 || (bit(w, 24) && (op == 9 || op == 11 || op == 13)))
		return false;
	if (op == 14 && bits(w, 21, 20) == 2) { /* VMULL.P64 */
		in->iclass = PMK_I_CRYPTO;
		in->kind = PMK_K_CRYPTO;
	}
	in->rd = writes_d(in, d_at(w, 12, 22), narrow ? 1 : 2);
	in->rn = reads_d(in, d_at(w, 16, 7), wide_n ? 2 : 1);
	in->rm = reads_d(in, d_at(w, 0, 5), narrow ? 2 : 1);
	if (old)
		in->ra = reads_d(in, (unsigned)in->rd, 2);
	return true;
}

/*
 * Decodes operations on two registers and a scalar, which is in one of the first D registers. [24]
 * is Q here.
 */
static bool by_scalar(uint32_t w, struct pmk_insn *in)
{
	unsigned op = bits(w, 11, 8), size = bits(w, 21, 20);
	bool is_long = op == 2 || op == 3 || op == 6 || op == 7 || op >= 10;
	bool same = op < 2 || op == 4 || op == 5 || op == 8 || op == 9 || op == 12 || op == 13;
	bool old = op < 8 && op != 3 && op != 7;
	unsigned n = bit(w, 24) ? 2 : 1;
	unsigned m = D0 + (size == 1 ? bits(w, 2, 0) : bits(w, 3, 0));

	if (op >= 14 || !size || (bit(w, 24) && (op == 3 || op == 7 || op == 11)))
		return false;
	if (op == 3 || op == 7) /* VQDMLAL, VQDMLSL */
		old = true;
	if (same)
		is_long = false;
	in->iclass = op == 1 || op == 5 || op == 9 ? PMK_I_SIMD_FP : PMK_I_SIMD;
	in->rd = writes_d(in, d_at(w, 12, 22), is_long ? 2 : n);
	in->rn = reads_d(in, d_at(w, 16, 7), is_long ? 1 : n);
	in->rm = reads_d(in, m, 1);
	if (old)
		in->ra = reads_d(in, (unsigned)in->rd, is_long ? 2 : n);
	return true;
}

/* Decodes operations on two registers, which [17:16] and [10:7] select. */
static bool two_misc(uint32_t w, struct pmk_insn *in)
{
	unsigned group = bits(w, 17, 16), op = bits(w, 10, 7), n = bit(w, 6) ? 2 : 1;
	unsigned to = n, from = n;
	bool old = false, both = false;

	in->iclass = (group == 1 && bit(w, 10)) || group == 3 ? PMK_I_SIMD_FP : PMK_I_SIMD;
	switch (group << 4 | op) {
	case 0x03: /* unallocated */
	case 0x1d: /* unallocated */
		return false;
	case 0x06: /* AESE, AESD */
	case 0x07: /* AESMC, AESIMC */
		in->iclass = PMK_I_CRYPTO;
		in->kind = PMK_K_CRYPTO;
		old = op == 6;
		to = from = 2;
		break;
	case 0x0c: /* VPADAL */
	case 0x0d:
		old = true;
		break;
	case 0x15: /* SHA1H */
		if (n == 1)
			return false;
		in->iclass = PMK_I_CRYPTO;
		in->kind = PMK_K_CRYPTO;
		break;
	case 0x20: /* VSWP */
	case 0x21: /* VTRN */
	case 0x22: /* VUZP */
	case 0x23: /* VZIP */
		both = true;
		break;
	case 0x24: /* VMOVN, VQMOVUN */
	case 0x25: /* VQMOVN */
		to = 1;
		from = 2;
		break;
	case 0x26: /* VSHLL */
		if (n == 2)
			return false;
		to = 2;
		break;
	case 0x27: /* SHA1SU1, SHA256SU0 */
		if (bits(w, 19, 18) != 2)
			return false;
		in->iclass = PMK_I_CRYPTO;
		in->kind = PMK_K_CRYPTO;
		old = true;
		to = from = 2;
		break;
	case 0x2c: /* VCVT to half precision */
		in->iclass = PMK_I_SIMD_FP;
		to = 1;
		from = 2;
		break;
	case 0x2e: /* VCVT from half precision */
		in->iclass = PMK_I_SIMD_FP;
		to = 2;
		from = 1;
		break;
	default:
		if (group == 2 && op >= 8)
			in->iclass = PMK_I_SIMD_FP; /* VRINT */
		break;
	}
	in->rd = writes_d(in, d_at(w, 12, 22), to);
	in->rm = reads_d(in, d_at(w, 0, 5), from);
	if (both) {
		in->rd2 = writes_d(in, d_at(w, 0, 5), from);
		old = true;
	}
	if (old)
		in->ra = reads_d(in, (unsigned)in->rd, to);
	return true;
}

/*
 * Decodes operations on two registers and a shift by [21:16], and operations on one register and an
 * immediate.
 */
static bool by_immediate(uint32_t w, struct pmk_insn *in)
{
	unsigned op = bits(w, 11, 8), n = bit(w, 6) ? 2 : 1, to = n, from = n;
	bool old;

	if (!bit(w, 7) && bits(w, 21, 19) == 0) { /* VMOV, VMVN, VORR, VBIC */
		bool or_bic = bit(w, 8) && op < 12;

		in->rd = writes_d(in, d_at(w, 12, 22), n);
		if (or_bic)
			in->ra = reads_d(in, (unsigned)in->rd, n);
		return !(op == 15 && bit(w, 5));
	}
	if (op == 8 || op == 9) { /* narrow */
		to = 1;
		from = 2;
	} else if (op == 10) { /* VSHLL, VMOVL */
		to = 2;
		from = 1;
	} else if (op == 14 || op == 15) { /* VCVT */
		in->iclass = PMK_I_SIMD_FP;
	} else if (op > 10) {
		return false;
	}
	old = op == 1 || op == 3 || op == 4 ||
	      (op == 5 && bit(w, 24)); /* VSRA, VRSRA, VSRI, VSLI */
	in->rd = writes_d(in, d_at(w, 12, 22), to);
	in->rm = reads_d(in, d_at(w, 0, 5), from);
	if (old)
		in->ra = reads_d(in, (unsigned)in->rd, to);
	return true;
}

/* Decodes VEXT, VTBL, VDUP of a part, and the operations with two registers. */
static bool other_data(uint32_t w, struct pmk_insn *in)
{
	unsigned n = bit(w, 6) ? 2 : 1;

	if (!bit(w, 24)) { /* VEXT */
		in->rd = writes_d(in, d_at(w, 12, 22), n);
		in->rn = reads_d(in, d_at(w, 16, 7), n);
		in->rm = reads_d(in, d_at(w, 0, 5), n);
		return n == 2 || !bit(w, 11);
	}
	if (!bit(w, 11))
		return two_misc(w, in);
	if (!bit(w, 10)) { /* VTBL, VTBX */
		in->rd = writes_d(in, d_at(w, 12, 22), 1);
		in->rn = reads_d(in, d_at(w, 16, 7), bits(w, 9, 8) + 1);
		in->rm = reads_d(in, d_at(w, 0, 5), 1);
		if (bit(w, 6))
			in->ra = reads_d(in, (unsigned)in->rd, 1);
		return true;
	}
	if (bits(w, 9, 7) != 0 || !bits(w, 18, 16)) /* VDUP */
		return false;
	in->rd = writes_d(in, d_at(w, 12, 22), n);
	in->rm = reads_d(in, d_at(w, 0, 5), 1);
	return true;
}

static bool vector_data(uint32_t w, struct pmk_insn *in)
{
	bool good;

	in->iclass = PMK_I_SIMD;
	in->kind = 0;
	if (!bit(w, 23))
		good = three_same(w, in);
	else if (bit(w, 4))
		good = by_immediate(w, in);
	else if (bits(w, 21, 20) == 3)
		good = other_data(w, in);
	else if (bit(w, 6))
		good = by_scalar(w, in);
	else
		good = three_different(w, in);
	if (!in->kind)
		in->kind = PMK_K_ASE;
	return good;
}

/* ---- elements and structures ---------------------------------------------------------------- */

/*
 * For VLDn and VSTn of whole registers, indexed by [11:8]: the number of registers of a structure,
 * the number of structures, and the distance of their registers. 0 means that the encoding is
 * unallocated.
 */
static const struct shape {
	uint8_t parts, times, step;
} shapes[16] = {
	[0] = { 4, 1, 1 }, [1] = { 4, 1, 2 }, [2] = { 1, 4, 1 },  [3] = { 2, 2, 1 },
	[4] = { 3, 1, 1 }, [5] = { 3, 1, 2 }, [6] = { 1, 3, 1 },  [7] = { 1, 1, 1 },
	[8] = { 2, 1, 1 }, [9] = { 2, 1, 2 }, [10] = { 1, 2, 1 },
};

/*
 * Records the registers that are loaded or stored, at a distance of `step` in a structure. Returns
 * false if the encoding is unallocated.
 */
static bool set_elements(uint32_t w, struct pmk_insn *in)
{
	bool load = bit(w, 21), old = false;
	unsigned d = d_at(w, 12, 22), size, n, step = 1, count;
	uint64_t regs;

	if (!bit(w, 23)) { /* whole registers */
		const struct shape *s = &shapes[bits(w, 11, 8)];

		size = bits(w, 7, 6);
		if (!s->parts || (size == 3 && s->parts > 1))
			return false;
		/* Two structures of two registers each use four consecutive registers. */
		n = (unsigned)s->parts * s->times;
		step = s->step;
		count = n * (8u >> size);
	} else if (bits(w, 11, 10) == 3) { /* one structure is loaded into all parts */
		size = bits(w, 7, 6);
		count = bits(w, 9, 8) + 1;
		if (!load || (size == 3 && count != 4))
			return false;
		n = count == 1 && bit(w, 5) ? 2 : count;
		step = count > 1 && bit(w, 5) ? 2 : 1;
		size = size == 3 ? 2 : size;
	} else { /* one structure is loaded into, or stored from, one part of each register */
		size = bits(w, 11, 10);
		count = n = bits(w, 9, 8) + 1;
		step = (size == 1 && bit(w, 5)) || (size == 2 && bit(w, 6)) ? 2 : 1;
		step = n == 1 ? 1 : step;
		old = true;
	}
	set_accesses(in, load, 1u << size, count);
	in->iclass = count > 1 ? load ? PMK_I_LOADM : PMK_I_STOREM
		     : load    ? PMK_I_LOAD
			       : PMK_I_STORE;
	base(w, bits(w, 3, 0) != PC, in);
	if (bits(w, 3, 0) != PC && bits(w, 3, 0) != SP)
		in->rm = reads(in, bits(w, 3, 0));
	regs = row_of(d, n, step);
	in->rd = (int8_t)d;
	if (load)
		in->writes |= regs;
	if (!load || old)
		in->reads |= regs;
	return true;
}

/* ---- entry ---------------------------------------------------------------------------------- */

bool pmk_arm_is_simd(uint32_t w)
{
	bool always = w >> 28 == 0xf;

	if (always && (bits(w, 27, 25) == 1 || (w & 0x0f100000) == 0x04000000))
		return true;
	return bits(w, 27, 26) == 3 && bits(w, 25, 24) != 3 && bits(w, 11, 9) == 5;
}

static bool decode_facts(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;

	if (w >> 28 == 0xf && bits(w, 27, 25) == 1)
		return vector_data(w, in);
	if (w >> 28 == 0xf && (w & 0x0f100000) == 0x04000000)
		return set_elements(w, in);
	if (w >> 28 == 0xf)
		return bits(w, 27, 24) == 0xe && !bit(w, 4) && scalar_v8(w, in);
	if (bits(w, 27, 24) == 0xe)
		return bit(w, 4) ? decode_move(w, in) : scalar_data(w, in);
	if (bits(w, 27, 21) == 0x62)
		return move_two(w, in);
	if (bits(w, 27, 23) == 0x18)
		return false;
	return load_store(w, f);
}

void pmk_arm_simd_facts(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_arm_facts blank = *f;

	if (!decode_facts(w, f)) {
		*f = blank;
		return;
	}
	f->insn.decoded = true;
	f->insn.conditional = w >> 28 < 14;
}
