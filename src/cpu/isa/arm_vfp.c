// SPDX-License-Identifier: MIT
/*
 * Finds the effects of VFPv2 instructions on VFP's own registers (DDI 0100I, chapters C3 to C5).
 * arm_v6.c handles accesses to memory and to registers of the core. Additions of VFPv3 and later
 * have PMK_VFP_NONE, because an ARM11 lacks them.
 */
#include "cpu/isa/arm.h"

/*
 * Returns the number of a register. The lowest bit of a single-precision register number has a
 * field of its own. A double-precision register consists of two single-precision registers.
 */
static unsigned vfp_register(uint32_t w, unsigned hi, unsigned low, bool wide)
{
	return bits(w, hi, hi - 3) << 1 | (!wide && bit(w, low));
}

static uint64_t register_mask(unsigned first, unsigned count)
{
	return (UINT64_C(0xffffffff) >> (32 - count) << first & 0xffffffff) << PMK_VFP_S0;
}

/* Decodes operations on two or three registers, by p [23], q [21], r [20], s [6]. */
static void decode_arithmetic(uint32_t w, struct pmk_insn *in)
{
	static const uint8_t op[16] = { PMK_VFP_MAC, PMK_VFP_MAC, PMK_VFP_MAC,
					PMK_VFP_MAC, PMK_VFP_MUL, PMK_VFP_MUL,
					PMK_VFP_ADD, PMK_VFP_ADD, PMK_VFP_DIV };
	unsigned which = bit(w, 23) << 3 | bits(w, 21, 20) << 1 | bit(w, 6);
	bool wide = bit(w, 8);
	unsigned each = wide ? 2 : 1, fd = vfp_register(w, 15, 22, wide),
		 fn = vfp_register(w, 19, 7, wide), fm = vfp_register(w, 3, 5, wide);

	if (!op[which])
		return;
	in->kind = op[which] | PMK_VFP_VECTOR | (wide ? PMK_VFP_WIDE | PMK_VFP_WIDE_RESULT : 0) |
		   fd << PMK_VFP_FD | fn << PMK_VFP_FN | fm << PMK_VFP_FM;
	in->reads |= register_mask(fn, each) | register_mask(fm, each);
	in->reads |= op[which] == PMK_VFP_MAC ? register_mask(fd, each) : 0;
	in->writes |= register_mask(fd, each);
}

/* Decodes operations on one register. Fn [19:16] and N [7] select the operation. */
static void decode_extension(uint32_t w, struct pmk_insn *in)
{
	static const uint8_t op[32] = {
		[0] = PMK_VFP_COPY,	[1] = PMK_VFP_COPY,	[2] = PMK_VFP_COPY,
		[3] = PMK_VFP_SQRT,	[8] = PMK_VFP_COMPARE,	[9] = PMK_VFP_COMPARE,
		[10] = PMK_VFP_COMPARE, [11] = PMK_VFP_COMPARE, [15] = PMK_VFP_COPY,
		[16] = PMK_VFP_CONVERT, [17] = PMK_VFP_CONVERT, [24] = PMK_VFP_CONVERT,
		[25] = PMK_VFP_CONVERT, [26] = PMK_VFP_CONVERT, [27] = PMK_VFP_CONVERT,
	};
	unsigned which = bits(w, 19, 16) << 1 | bit(w, 7);
	bool to_float = which == 16 || which == 17, to_int = which >= 24;
	bool wide = bit(w, 8);
	/*
	 * A conversion has an integer, or a number of the other precision, as its source or its
	 * result.
	 */
	bool from = to_float ? false : wide;
	bool to = which == 15 ? !wide : to_int ? false : wide;
	unsigned fd = vfp_register(w, 15, 22, to), fm = vfp_register(w, 3, 5, from);
	bool compares = op[which] == PMK_VFP_COMPARE;

	if (!op[which])
		return;
	in->kind = op[which] | (from ? PMK_VFP_WIDE : 0) | (to ? PMK_VFP_WIDE_RESULT : 0) |
		   (which < 4 ? PMK_VFP_VECTOR : 0) | (to_int ? PMK_VFP_INTEGER : 0) |
		   fd << PMK_VFP_FD | fm << PMK_VFP_FM;
	if (!compares)
		in->writes |= register_mask(fd, to ? 2 : 1);
	else
		in->reads |= register_mask(fd, wide ? 2 : 1);
	if (which != 10 && which != 11) /* operations 10 and 11 compare with zero */
		in->reads |= register_mask(fm, from ? 2 : 1);
}

/* Decodes a transfer of one register of the core. In coprocessor 11, Fn is half of a
 * double-precision register. Opcode 7 selects a system register. In that case, r15 stands for the
 * flags. */
static void decode_transfer(uint32_t w, struct pmk_insn *in)
{
	bool to_core = bit(w, 20);
	unsigned opcode = bits(w, 23, 21);
	unsigned fn =
		bit(w, 8) ? bits(w, 19, 16) << 1 | (opcode & 1) : vfp_register(w, 19, 7, false);

	if (opcode == 7) {
		in->kind = in->sets_flags ? PMK_VFP_STATUS : PMK_VFP_SYSTEM;
		return;
	}
	if (opcode > 1u * bit(w, 8))
		return;
	in->kind = to_core ? PMK_VFP_TO_CORE : PMK_VFP_FROM_CORE;
	*(to_core ? &in->reads : &in->writes) |= register_mask(fn, 1);
}

/*
 * Decodes a transfer of two registers of the core to or from two consecutive single-precision
 * registers or one double-precision register.
 */
static void transfer_two(uint32_t w, struct pmk_insn *in)
{
	unsigned fm = vfp_register(w, 3, 5, bit(w, 8));
	bool to_core = bit(w, 20);

	in->kind = to_core ? PMK_VFP_TO_CORE : PMK_VFP_FROM_CORE;
	*(to_core ? &in->reads : &in->writes) |= register_mask(fm, 2);
}

static void decode_memory(uint32_t w, struct pmk_insn *in)
{
	bool wide = bit(w, 8);
	unsigned fd = vfp_register(w, 15, 22, wide), count = in->mem_count * (wide ? 2u : 1u);

	if (!count || fd + count > 32) /* UNPREDICTABLE */
		count = wide ? 2 : 1;
	in->kind = (in->load ? PMK_VFP_LOAD : PMK_VFP_STORE) |
		   (wide ? PMK_VFP_WIDE | PMK_VFP_WIDE_RESULT : 0) | fd << PMK_VFP_FD;
	*(in->load ? &in->writes : &in->reads) |= register_mask(fd, count);
}

void pmk_arm_vfp_facts(uint32_t w, struct pmk_insn *in)
{
	unsigned extended = bit(w, 23) << 3 | bits(w, 21, 20) << 1 | bit(w, 6);

	if (bits(w, 27, 24) == 0xe && bit(w, 4))
		decode_transfer(w, in);
	else if (bits(w, 27, 24) == 0xe && extended == 15)
		decode_extension(w, in);
	else if (bits(w, 27, 24) == 0xe)
		decode_arithmetic(w, in);
	else if (bits(w, 27, 21) == 0x62)
		transfer_two(w, in);
	else
		decode_memory(w, in);
}
