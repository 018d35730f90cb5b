// SPDX-License-Identifier: MIT
/*
 * Finds the facts about A64 instructions that load and store (ARM DDI 0487, C4.1, group "Loads and
 * Stores").
 *
 * The first row that matches is used. mem_bytes is the natural alignment of an access: the size of
 * one register, also for a pair of registers, or of one element of a structure. slow_address marks
 * an offset register that is extended (UXTW, SXTW, SXTX). Other offset registers are not changed,
 * or are shifted by the size of the access. Atomics with acquire or release semantics have the same
 * kind as atomics without them. Tag loads and stores are not supported.
 */
#include "cpu/isa/a64.h"

enum layout {
	SINGLE, /* V [26], size [31:30], opc [23:22], Rn, Rt */
	OFFSET, /* as SINGLE, with Rm and extension */
	INDEX,	/* as SINGLE, with write-back */
	USER,	/* as SINGLE, unprivileged */
	PAIR,
	LITERAL,
	EXCLUSIVE,	/* LDXR … STLXR */
	EXCLUSIVE_PAIR, /* LDXP … STLXP */
	ORDERED,	/* LDAR, STLR, LDLAR, STLLR */
	COMPARE_SWAP,
	COMPARE_SWAP_PAIR,
	ATOMIC,
	RCPC,	       /* LDAPR */
	RCPC_OFFSET,   /* LDAPUR, STLUR */
	AUTHENTICATED, /* LDRAA, LDRAB */
	STRUCTURES,    /* LD1 … LD4, ST1 … ST4, whole registers */
	ONE_STRUCTURE, /* LD1 … LD4, ST1 … ST4, one element of each register; LD1R … LD4R */
};

struct row {
	uint32_t mask, value;
	enum layout layout;
};

/* clang-format off */
static const struct row rows[] = {
	{ 0x3b000000, 0x39000000, SINGLE },  /* Load/store register (unsigned immediate) */
	{ 0x3a000000, 0x28000000, PAIR },    /* Load/store … pair, all four classes */
	{ 0x3b200c00, 0x38200800, OFFSET },  /* Load/store register (register offset) */
	{ 0x3b200c00, 0x38000000, SINGLE },  /* … (unscaled immediate) */
	{ 0x3b200400, 0x38000400, INDEX },   /* … (immediate post-indexed), (… pre-indexed) */
	{ 0x3f200c00, 0x38000800, USER },    /* … (unprivileged) */
	{ 0x3b000000, 0x18000000, LITERAL }, /* Load register (literal) */
	/*
	 * Load/store exclusive pair, … register, ordered, Compare and swap (pair). Older issues of
	 * the manual describe them as one class. o2 [23], o1 [21], o0 [15]
	 */
	{ 0x3fa00000, 0x08000000, EXCLUSIVE },
	{ 0xbfa00000, 0x88200000, EXCLUSIVE_PAIR },
	{ 0xbfa07c00, 0x08207c00, COMPARE_SWAP_PAIR },
	{ 0x3fa00000, 0x08800000, ORDERED },
	{ 0x3fa07c00, 0x08a07c00, COMPARE_SWAP },
	/* Atomic memory operations: o3 [15], opc [14:12] */
	{ 0x3f208c00, 0x38200000, ATOMIC },            /* LDADD … LDUMIN */
	{ 0x3f20fc00, 0x38208000, ATOMIC },            /* SWP */
	{ 0x3ffffc00, 0x38bfc000, RCPC },
	{ 0x3f200c00, 0x19000000, RCPC_OFFSET },       /* LDAPR/STLR (unscaled immediate) */
	{ 0xff200400, 0xf8200400, AUTHENTICATED },     /* Load/store register (pac) */
	/* Advanced SIMD load/store multiple structures, (post-indexed) */
	{ 0xbfbf0000, 0x0c000000, STRUCTURES },
	{ 0xbfa00000, 0x0c800000, STRUCTURES },
	/* Advanced SIMD load/store single structure, (post-indexed) */
	{ 0xbf9f0000, 0x0d000000, ONE_STRUCTURE },
	{ 0xbf800000, 0x0d800000, ONE_STRUCTURE },
};
/* clang-format on */

static void set_access(struct pmk_insn *in, bool load, unsigned bytes, unsigned count)
{
	set_load_store(in, load, bytes, count);
	in->mem_total = (uint8_t)(bytes * count);
}

static void set_base(uint32_t w, bool writeback, struct pmk_insn *in)
{
	in->rn = reads(in, bits(w, 9, 5));
	in->writeback = writeback;
	if (writeback)
		writes(in, bits(w, 9, 5));
}

/*
 * Sets the address of an access to the base plus `offset`. Write-back then adds `step` to the base.
 */
static void set_address(struct pmk_insn *in, int64_t offset, int64_t step)
{
	in->based = true;
	in->offset = (int32_t)offset;
	in->step = (int16_t)step;
}

/* Records that the register in this field is loaded or stored. */
static int8_t set_value(struct pmk_insn *in, bool vector, unsigned field)
{
	if (vector)
		return in->load ? writes_v(in, field) : reads_v(in, field);
	return in->load ? writes_x(in, field) : reads_x(in, field);
}

/* ---- registers ------------------------------------------------------------------------------ */

/* Decodes size [31:30] and opc [23:22]. For X registers, opc is STR, LDR, LDRS to X, or LDRS to W.
 * If the size is 8 bytes, the opc of LDRS to X means PRFM. For V registers, opc is STR or LDR; with
 * size 0 there are also STR and LDR of 16 bytes. */
static bool decode_single(uint32_t w, bool prefetches, struct pmk_insn *in)
{
	unsigned size = bits(w, 31, 30), opc = bits(w, 23, 22);
	bool vector = bit(w, 26);

	if (vector) {
		if (opc >= 2 && size != 0)
			return false;
		set_access(in, opc & 1, opc >= 2 ? 16 : 1u << size, 1);
		in->kind = PMK_K_VECTOR_MEM;
	} else {
		if (opc == 3 && size >= 2)
			return false;
		if (opc == 2 && size == 3) {
			in->iclass = PMK_I_PRELOAD;
			return prefetches;
		}
		set_access(in, opc != 0, 1u << size, 1);
		if (in->load && (size < 2 || opc >= 2))
			in->vector = PMK_V_EXTENDED;
	}
	in->rd = set_value(in, vector, bits(w, 4, 0));
	return true;
}

/* Decodes the immediate. If [24] is set, it is imm12 [21:10], in units of the access. Otherwise it
 * is imm9 [20:12]. */
static bool decode_immediate(uint32_t w, bool prefetches, struct pmk_insn *in)
{
	unsigned bytes = 1u << bits(w, 31, 30);

	if (!decode_single(w, prefetches, in))
		return false;
	if (in->mem_bytes)
		bytes = in->mem_bytes;
	set_address(in, bit(w, 24) ? bits(w, 21, 10) * bytes : sign_extend(bits(w, 20, 12), 9), 0);
	return true;
}

/* Decodes imm9 [20:12]. If [11] is set, the access uses the new value of the base, otherwise the
 * old value. */
static bool decode_index(uint32_t w, struct pmk_insn *in)
{
	int64_t step = sign_extend(bits(w, 20, 12), 9);

	set_address(in, bit(w, 11) ? step : 0, step);
	return decode_single(w, false, in);
}

/* Decodes option [15:13]: 2 UXTW, 3 LSL, 6 SXTW, 7 SXTX. Options with [14] clear would extend less
 * than a word, so they are reserved. */
static bool decode_offset(uint32_t w, struct pmk_insn *in)
{
	in->rm = reads_x(in, bits(w, 20, 16));
	in->slow_address = bits(w, 15, 13) != 3;
	return bit(w, 14) && decode_single(w, true, in);
}

/*
 * Decodes LDP and STP: opc [31:30]; [25:23]: 0 no-allocate, 1 post-index, 2 offset, 3 pre-index; L
 * [22]. With opc 1, X registers have only LDPSW.
 */
static bool decode_pair(uint32_t w, struct pmk_insn *in)
{
	unsigned opc = bits(w, 31, 30), mode = bits(w, 24, 23);
	bool load = bit(w, 22), vector = bit(w, 26);
	int64_t step;

	if (opc == 3 || (!vector && opc == 1 && !(load && mode != 0)))
		return false;
	set_access(in, load, vector ? 4u << opc : opc == 2 ? 8 : 4, 2);
	in->kind = vector ? PMK_K_VECTOR_MEM : 0;
	in->rd = set_value(in, vector, bits(w, 4, 0));
	in->rd2 = set_value(in, vector, bits(w, 14, 10));
	set_base(w, mode & 1, in);
	step = sign_extend(bits(w, 21, 15), 7) * in->mem_bytes;
	set_address(in, mode == 1 ? 0 : step, mode & 1 ? step : 0);
	return true;
}

/* Decodes a literal. opc [31:30] of X registers: 4 bytes, 8 bytes, LDRSW, PRFM; of V registers: 4,
 * 8, 16 bytes. */
static bool decode_literal(uint32_t w, struct pmk_insn *in)
{
	unsigned opc = bits(w, 31, 30);
	bool vector = bit(w, 26);

	if (opc == 3) {
		in->iclass = PMK_I_PRELOAD;
		return !vector;
	}
	set_access(in, true, vector ? 4u << opc : opc == 1 ? 8 : 4, 1);
	in->kind = vector ? PMK_K_VECTOR_MEM : 0;
	in->rd = set_value(in, vector, bits(w, 4, 0));
	in->literal = true;
	in->target = in->addr + (uint64_t)(sign_extend(bits(w, 23, 5), 19) * 4);
	return true;
}

/* ---- exclusives, ordered accesses, atomics -------------------------------------------------- */

/*
 * Decodes exclusive accesses. L [22] is set for loads. With o0 [15] set, loads acquire and stores
 * release. Rs [20:16] receives the status of the store.
 */
static void decode_exclusive(uint32_t w, bool twice, struct pmk_insn *in)
{
	bool load = bit(w, 22);

	set_access(in, load, 1u << bits(w, 31, 30), twice ? 2 : 1);
	in->exclusive = true;
	in->kind = load ? PMK_K_LDREX : PMK_K_STREX;
	if (bit(w, 15))
		in->kind |= load ? PMK_K_ACQUIRE : PMK_K_RELEASE;
	if (load) {
		in->rd = writes_x(in, bits(w, 4, 0));
		if (twice)
			in->rd2 = writes_x(in, bits(w, 14, 10));
		return;
	}
	in->rd = writes_x(in, bits(w, 20, 16));
	in->rm = reads_x(in, bits(w, 4, 0));
	if (twice)
		in->rs = reads_x(in, bits(w, 14, 10));
}

static void decode_ordered(uint32_t w, bool load, struct pmk_insn *in)
{
	set_access(in, load, 1u << bits(w, 31, 30), 1);
	in->kind = load ? PMK_K_ACQUIRE : PMK_K_RELEASE;
	in->rd = set_value(in, false, bits(w, 4, 0));
}

/* Decodes opc [23:22]: STLUR, LDAPUR, LDAPURS to X, LDAPURS to W. */
static bool rcpc_offset(uint32_t w, struct pmk_insn *in)
{
	unsigned size = bits(w, 31, 30), opc = bits(w, 23, 22);

	decode_ordered(w, opc != 0, in);
	return opc < 2 || size < 2 || (size == 2 && opc == 2);
}

static void read_and_write(uint32_t w, unsigned size, unsigned count, struct pmk_insn *in)
{
	set_access(in, true, 1u << size, count);
	in->store = true;
	in->iclass = PMK_I_ATOMIC;
	set_base(w, false, in);
}

/*
 * Decodes CAS. Rs [20:16] is compared with memory and receives the old value; Rt [4:0] is the new
 * value.
 */
static void compare_swap(uint32_t w, struct pmk_insn *in)
{
	read_and_write(w, bits(w, 31, 30), 1, in);
	in->ra = reads_x(in, bits(w, 20, 16));
	in->rd = writes_x(in, bits(w, 20, 16));
	in->rm = reads_x(in, bits(w, 4, 0));
}

/*
 * Decodes CASP. Pairs begin with an even register. In the pair of X30 the second register is XZR.
 */
static bool compare_swap_pair(uint32_t w, struct pmk_insn *in)
{
	unsigned s = bits(w, 20, 16), t = bits(w, 4, 0);

	read_and_write(w, bit(w, 30) ? 3 : 2, 2, in);
	in->ra = reads_x(in, s);
	in->rd = writes_x(in, s);
	reads_x(in, (s + 1) & 31);
	in->rd2 = writes_x(in, (s + 1) & 31);
	in->rm = reads_x(in, t);
	in->rs = reads_x(in, (t + 1) & 31);
	return !(s & 1) && !(t & 1);
}

static void decode_atomic(uint32_t w, struct pmk_insn *in)
{
	read_and_write(w, bits(w, 31, 30), 1, in);
	in->rm = reads_x(in, bits(w, 20, 16));
	in->rd = writes_x(in, bits(w, 4, 0));
}

/* ---- structures ----------------------------------------------------------------------------- */

/*
 * Records the write-back of the post-indexed form ([23] set): Rm is added to the base or, if Rm is
 * 31, the number of bytes transferred.
 */
static void post_index(uint32_t w, struct pmk_insn *in)
{
	set_base(w, bit(w, 23), in);
	if (bit(w, 23))
		in->rm = reads_x(in, bits(w, 20, 16));
}

/* Sets the access of a structure. If `old` is true, the registers keep the elements that are not
 * loaded. */
static void set_structure(uint32_t w, unsigned registers, unsigned bytes, unsigned elements,
			  bool old, struct pmk_insn *in)
{
	unsigned t = bits(w, 4, 0);
	bool load = bit(w, 22);

	set_access(in, load, bytes, elements);
	if (elements > 1)
		in->iclass = load ? PMK_I_LOADM : PMK_I_STOREM;
	in->kind = PMK_K_VECTOR_MEM;
	in->rd = set_value(in, true, t);
	if (registers > 1)
		in->rd2 = set_value(in, true, (t + 1) & 31);
	for (unsigned i = 2; i < registers; i++)
		set_value(in, true, (t + i) & 31);
	if (load && old) {
		in->ra = in->rd;
		in->reads |= in->writes;
	}
	post_index(w, in);
}

/*
 * Decodes structures. opcode [15:12] gives the number of registers. Only LD1 and ST1 ([13] set),
 * which do not interleave elements, may have one element of 8 bytes in each register.
 */
static bool decode_structures(uint32_t w, struct pmk_insn *in)
{
	static const uint8_t registers[16] = { 4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2 };
	unsigned opcode = bits(w, 15, 12), size = bits(w, 11, 10), n = registers[opcode];
	bool one = opcode & 2;

	if (!n || (size == 3 && !bit(w, 30) && !one))
		return false;
	set_structure(w, n, 1u << size, n * ((bit(w, 30) ? 16u : 8u) >> size), false, in);
	return true;
}

/* Decodes loads and stores of one structure: R [21], opcode [15:13], S [12], size [11:10]. opcode
 * [2:1] is the size of the element: 1, 2 or 4 bytes; 3 is LD1R … LD4R, whose size is in size. S and
 * size are otherwise the index of the element. Bits that the index does not need must be 0, except
 * that size = 1 with S = 0 turns 4 bytes into 8. */
static bool one_structure(uint32_t w, struct pmk_insn *in)
{
	unsigned n = (bits(w, 13, 13) << 1 | bits(w, 21, 21)) + 1, scale = bits(w, 15, 14);
	unsigned size = bits(w, 11, 10);
	bool replicate = scale == 3;

	if (replicate) {
		if (!bit(w, 22) || bit(w, 12))
			return false;
		scale = size;
	} else if (scale == 1 && (size & 1)) {
		return false;
	} else if (scale == 2 && size != 0) {
		if (size != 1 || bit(w, 12))
			return false;
		scale = 3;
	}
	set_structure(w, n, 1u << scale, n, !replicate, in);
	return true;
}

/* ---- entry ---------------------------------------------------------------------------------- */

static bool decode_layout(uint32_t w, enum layout layout, struct pmk_insn *in)
{
	switch (layout) {
	case SINGLE:
		set_base(w, false, in);
		return decode_immediate(w, true, in);
	case OFFSET:
		set_base(w, false, in);
		return decode_offset(w, in);
	case INDEX:
		set_base(w, true, in);
		return decode_index(w, in);
	case USER:
		set_base(w, false, in);
		if (!decode_single(w, false, in))
			return false;
		in->kind |= PMK_K_USER_MEM;
		return true;
	case PAIR:
		return decode_pair(w, in);
	case LITERAL:
		return decode_literal(w, in);
	case EXCLUSIVE:
		set_base(w, false, in);
		decode_exclusive(w, false, in);
		return true;
	case EXCLUSIVE_PAIR:
		set_base(w, false, in);
		decode_exclusive(w, true, in);
		return true;
	case ORDERED:
		set_base(w, false, in);
		decode_ordered(w, bit(w, 22), in);
		return true;
	case COMPARE_SWAP:
		compare_swap(w, in);
		return true;
	case COMPARE_SWAP_PAIR:
		return compare_swap_pair(w, in);
	case ATOMIC:
		decode_atomic(w, in);
		return true;
	case RCPC:
		set_base(w, false, in);
		decode_ordered(w, true, in);
		return true;
	case RCPC_OFFSET:
		set_base(w, false, in);
		return rcpc_offset(w, in);
	case AUTHENTICATED: /* W [11] selects write-back */
		set_base(w, bit(w, 11), in);
		set_access(in, true, 8, 1);
		in->rd = writes_x(in, bits(w, 4, 0));
		return true;
	case STRUCTURES:
		return decode_structures(w, in);
	case ONE_STRUCTURE:
		return one_structure(w, in);
	}
	return false;
}

bool pmk_a64_memory(uint32_t w, struct pmk_insn *in)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((w & rows[i].mask) == rows[i].value)
			return decode_layout(w, rows[i].layout, in);
	return false;
}
