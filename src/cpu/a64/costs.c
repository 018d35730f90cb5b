// SPDX-License-Identifier: MIT
/*
 * The tables of costs.h. bench/instructions.tsv has the figures of boards, and bench/instructions
 * compares these figures with the tables. Where a board was not measured, the guides of Arm apply:
 * UAN 0016A for the Cortex-A72 and the optimization guide of the Neoverse N1. Latencies of SHA on
 * the Cortex-A53 are from GCC's description. The slow operations of SHA occupy the unit for 2
 * cycles, as on a board with a Cortex-A72. With this value, SHA-256 takes 2.44 cycles a byte;
 * OpenSSL measured 2.38. AES has a latency of 2 cycles, as on the Cortex-A72. With this value,
 * AES-128 in CBC mode takes 1.32 cycles a byte, as OpenSSL measured. Divisions, and operations that
 * have a parameter, are in pipeline.c and timing.c.
 */
#include "cpu/a64/costs.h"

#include "cpu/a64/a64.h"
#include "cpu/a64/window.h"

enum pmk_vector pmk_a64_operation(const struct pmk_insn *in)
{
	if (in->vector != PMK_V_PLAIN)
		return (enum pmk_vector)in->vector;
	switch (in->iclass) {
	case PMK_I_FP_ADD:
		return in->sets_flags || in->reads_flags || in->rm == PMK_NO_REG ? PMK_V_F_PLAIN
										 : PMK_V_F_ADD;
	case PMK_I_FP_MUL:
		return PMK_V_F_MUL;
	case PMK_I_FP_MAC:
		return PMK_V_F_MAC;
	case PMK_I_SIMD_FP:
		return in->ra != PMK_NO_REG ? PMK_V_F_MAC : PMK_V_F_ADD;
	case PMK_I_FP_DIV:
		return PMK_V_DIVIDE;
	case PMK_I_FP_SQRT:
		return PMK_V_ROOT;
	default:
		return PMK_V_PLAIN;
	}
}

/* clang-format off */
#define ROW(op, latency, sum, busy, busy_quad) [PMK_V_##op] = { latency, sum, busy, busy_quad }

/* Cortex-A53. It produces two 64-bit results in a cycle; a 128-bit result takes both pipes. */
const struct pmk_a64_ordered pmk_a64_ordered[PMK_NVECTORS] = {
	ROW(PLAIN, 3, 0, 1, 1),
	ROW(ADD, 2, 0, 0, 1),
	ROW(LOGIC, 1, 0, 0, 1),
	ROW(BITS, 2, 0, 0, 1),
	ROW(SUM, 3, 0, 0, 1),
	ROW(ABS, 3, 0, 0, 1),
	ROW(HIGH, 3, 0, 1, 1),
	ROW(HIGH_ROUND, 4, 0, 2, 2),
	ROW(XTN, 2, 0, 0, 0),
	ROW(ACROSS, 3, 0, 1, 1),
	ROW(ACROSS + 1, 3, 0, 1, 1),
	ROW(ACROSS + 2, 3, 0, 1, 1),
	ROW(MOST, 4, 0, 1, 1),
	ROW(MOST + 1, 4, 0, 1, 1),
	ROW(MOST + 2, 4, 0, 1, 1),
	ROW(SHIFT, 2, 0, 0, 1),
	ROW(SHIFT_INSERT, 2, 0, 0, 1),
	ROW(SHIFT_BY, 2, 0, 0, 1),
	ROW(SHIFT_BY_ROUND, 3, 0, 0, 1),
	ROW(SHIFT_BY_LIMIT, 4, 0, 0, 1),
	ROW(ROUNDING, 3, 0, 0, 1),
	ROW(ROUND_SUM, 4, 0, 1, 2),
	ROW(LIMIT, 4, 0, 0, 1),
	ROW(NARROW, 2, 0, 0, 0),
	ROW(NARROW_ROUND, 3, 0, 0, 0),
	ROW(NARROW_LIMIT, 4, 0, 0, 0),
	ROW(MULTIPLY, 4, 1, 0, 1),
	ROW(MULTIPLY_ELEMENT, 4, 1, 0, 1),
	ROW(MULTIPLY_ROUND, 4, 0, 0, 1),
	ROW(DOT, 4, 1, 0, 1),
	ROW(LONG, 4, 1, 0, 1),
	ROW(LONG_LIMIT, 4, 0, 0, 1),
	ROW(POLY, 3, 0, 0, 1),
	ROW(POLY_LONG, 3, 0, 0, 1),
	ROW(POLY_DOUBLE, 3, 0, 1, 1),
	ROW(ABA, 4, 2, 1, 2),
	ROW(ABAL, 4, 2, 2, 2),
	ROW(TABLE, 2, 0, 1, 1),
	ROW(TABLE + 1, 3, 0, 2, 2),
	ROW(TABLE + 2, 4, 0, 3, 3),
	ROW(TABLE + 3, 5, 0, 4, 4),
	ROW(TABLE_KEEP, 3, 0, 2, 2),
	ROW(TABLE_KEEP + 1, 4, 0, 3, 3),
	ROW(TABLE_KEEP + 2, 5, 0, 4, 4),
	ROW(TABLE_KEEP + 3, 6, 0, 5, 5),
	ROW(AES, 2, 0, 1, 1),
	ROW(AES_MIX, 2, 0, 1, 1),
	ROW(SHA_FAST, 3, 0, 1, 1),
	ROW(SHA_XOR, 4, 0, 1, 1),
	ROW(SHA_SLOW, 5, 0, 2, 2),
	ROW(F_ADD, 4, 0, 0, 1),
	ROW(F_PLAIN, 4, 0, 0, 1),
	ROW(F_PAIR_ADD, 4, 0, 0, 1),
	ROW(F_PAIR, 4, 0, 1, 1),
	ROW(F_ACROSS, 4, 0, 1, 1),
	ROW(F_ACROSS + 1, 4, 0, 1, 1),
	ROW(F_COMPARE, 2, 0, 0, 1),
	ROW(F_FLAGS, 1, 0, 1, 1),
	ROW(F_SELECT, 2, 0, 1, 1),
	ROW(F_MUL, 4, 0, 0, 1),
	ROW(F_MAC, 8, 4, 0, 1),
	ROW(F_MAC_ELEMENT, 8, 4, 0, 1),
	ROW(F_STEP, 8, 0, 0, 1),
	ROW(CONVERT, 4, 0, 0, 1),
	ROW(CONVERT + 1, 4, 0, 0, 1),
	ROW(CONVERT + 2, 4, 0, 0, 1),
	ROW(LENGTHEN, 4, 0, 0, 1),
	ROW(DIVIDE, 22, 0, 19, 19),
	ROW(ROOT, 22, 0, 19, 19),
	ROW(TO_GENERAL, 4, 0, 0, 1),
	ROW(FROM_GENERAL, 4, 0, 0, 1),
	ROW(MOVE_IN, 2, 0, 0, 0),
	ROW(INSERT, 2, 0, 0, 0),
	ROW(MOVE_OUT, 3, 0, 0, 0),
	ROW(SHORT_SHIFT, 2, 0, 0, 0),
	ROW(REVERSE, 2, 0, 0, 0),
	ROW(CRC, 2, 0, 0, 0),
	ROW(EXTENDED, 4, 0, 0, 0),
	ROW(BITFIELD, 2, 0, 0, 0),
};
#undef ROW

#define ROW(op, port, latency, latency_quad, sum, every, every_quad, slots_quad) \
	[PMK_V_##op] = { PMK_A64_PORT_##port, latency, latency_quad, sum, every, every_quad, \
			 slots_quad }

/*
 * Cortex-A72 and A57. Most 128-bit operations enter the window in two of the three slots of a
 * cycle, so three can begin in two cycles.
 */
static const struct pmk_a64_costs a72[PMK_NVECTORS] = {
	ROW(PLAIN, FP, 3, 3, 0, 6, 6, 0),
	ROW(ADD, FP, 3, 3, 0, 6, 6, 2),
	ROW(LOGIC, FP, 3, 3, 0, 6, 6, 2),
	ROW(BITS, FP, 3, 3, 0, 6, 12, 2),
	ROW(SUM, FP, 3, 3, 0, 6, 6, 2),
	ROW(ABS, FP, 3, 3, 0, 6, 12, 2),
	ROW(HIGH, FP, 3, 3, 0, 6, 6, 0),
	ROW(HIGH_ROUND, FP, 3, 3, 0, 6, 6, 0),
	ROW(XTN, FP, 3, 3, 0, 6, 6, 0),
	ROW(ACROSS, FP1, 3, 3, 0, 12, 12, 0),
	ROW(ACROSS + 1, FP1, 6, 6, 0, 12, 12, 0),
	ROW(ACROSS + 2, FP1, 6, 6, 0, 24, 24, 0),
	ROW(MOST, FP1, 3, 3, 0, 12, 12, 0),
	ROW(MOST + 1, FP1, 6, 6, 0, 12, 12, 0),
	ROW(MOST + 2, FP1, 6, 6, 0, 24, 24, 0),
	ROW(SHIFT, FP1, 3, 3, 0, 12, 12, 0),
	ROW(SHIFT_INSERT, FP1, 3, 3, 0, 12, 24, 0),
	ROW(SHIFT_BY, FP1, 3, 3, 0, 12, 24, 0),
	ROW(SHIFT_BY_ROUND, FP1, 4, 4, 0, 12, 24, 0),
	ROW(SHIFT_BY_LIMIT, FP1, 4, 4, 0, 12, 24, 0),
	ROW(ROUNDING, FP1, 4, 4, 0, 12, 12, 0),
	ROW(ROUND_SUM, FP1, 4, 4, 0, 12, 12, 0),
	ROW(LIMIT, FP1, 4, 4, 0, 12, 12, 0),
	ROW(NARROW, FP1, 3, 3, 0, 12, 12, 0),
	ROW(NARROW_ROUND, FP1, 4, 4, 0, 12, 12, 0),
	ROW(NARROW_LIMIT, FP1, 4, 4, 0, 12, 12, 0),
	ROW(MULTIPLY, FP0, 4, 4, 2, 12, 24, 2),
	ROW(MULTIPLY_ELEMENT, FP0, 4, 5, 2, 12, 24, 2),
	ROW(MULTIPLY_ROUND, FP0, 4, 5, 0, 12, 24, 2),
	ROW(DOT, FP0, 4, 4, 1, 12, 24, 0),
	ROW(LONG, FP0, 4, 4, 1, 12, 12, 0),
	ROW(LONG_LIMIT, FP0, 4, 4, 2, 12, 12, 0),
	ROW(POLY, FP0, 4, 4, 0, 12, 24, 0),
	ROW(POLY_LONG, FP0, 4, 4, 0, 12, 12, 0),
	ROW(POLY_DOUBLE, FP0, 2, 2, 0, 12, 12, 0),
	ROW(ABA, FP1, 4, 4, 2, 12, 24, 2),
	ROW(ABAL, FP1, 4, 4, 1, 12, 12, 0),
	ROW(TABLE, FP, 3, 6, 0, 6, 18, 0),
	ROW(TABLE + 1, FP, 6, 10, 0, 12, 36, 0),
	ROW(TABLE + 2, FP, 9, 13, 0, 18, 60, 0),
	ROW(TABLE + 3, FP, 12, 16, 0, 24, 84, 0),
	ROW(TABLE_KEEP, FP, 3, 6, 0, 6, 18, 0),
	ROW(TABLE_KEEP + 1, FP, 6, 10, 0, 12, 36, 0),
	ROW(TABLE_KEEP + 2, FP, 9, 13, 0, 18, 60, 0),
	ROW(TABLE_KEEP + 3, FP, 12, 16, 0, 24, 84, 0),
	ROW(AES, FP0, 2, 2, 0, 12, 12, 2),
	ROW(AES_MIX, FP0, 2, 2, 0, 12, 12, 0),
	ROW(SHA_FAST, FP0, 2, 2, 0, 12, 12, 0),
	ROW(SHA_XOR, FP0, 6, 6, 0, 17, 17, 0),
	ROW(SHA_SLOW, FP0, 5, 5, 0, 24, 24, 0),
	ROW(F_ADD, FP, 4, 4, 0, 6, 12, 0),
	ROW(F_PLAIN, FP, 3, 3, 0, 6, 6, 2),
	ROW(F_PAIR_ADD, FP, 3, 7, 0, 6, 18, 0),
	ROW(F_PAIR, FP, 3, 3, 0, 6, 6, 2),
	ROW(F_ACROSS, FP, 6, 6, 0, 12, 12, 0),
	ROW(F_ACROSS + 1, FP, 6, 6, 0, 12, 12, 0),
	ROW(F_COMPARE, FP, 3, 3, 0, 6, 6, 2),
	ROW(F_FLAGS, FP1, 3, 3, 0, 12, 12, 0),
	ROW(F_SELECT, FP, 3, 3, 0, 6, 6, 0),
	ROW(F_MUL, FP, 4, 4, 0, 6, 12, 0),
	ROW(F_MAC, FP, 7, 7, 3, 6, 12, 0),
	ROW(F_MAC_ELEMENT, FP, 7, 7, 3, 6, 12, 0),
	ROW(F_STEP, FP, 7, 7, 0, 6, 12, 0),
	ROW(CONVERT, FP0, 3, 3, 0, 12, 12, 0),
	ROW(CONVERT + 1, FP0, 3, 3, 0, 24, 24, 0),
	ROW(CONVERT + 2, FP0, 3, 3, 0, 48, 48, 0),
	ROW(LENGTHEN, FP0, 7, 7, 0, 24, 24, 0),
	ROW(DIVIDE, FP0, 18, 36, 0, 192, 255, 0),
	ROW(ROOT, FP0, 32, 64, 0, 180, 255, 0),
	ROW(TO_GENERAL, FP0, 8, 8, 0, 12, 12, 0),
	ROW(FROM_GENERAL, FP0, 8, 8, 0, 12, 12, 0),
	ROW(MOVE_IN, LOAD, 5, 5, 0, 12, 12, 0),
	ROW(INSERT, LOAD, 8, 8, 0, 12, 12, 0),
	ROW(MOVE_OUT, LOAD, 5, 5, 0, 12, 12, 0),
	ROW(SHORT_SHIFT, MULTI, 2, 2, 0, 12, 12, 0),
	ROW(REVERSE, INTEGER, 1, 1, 0, 6, 6, 0),
	ROW(CRC, MULTI, 2, 2, 0, 12, 12, 0),
	ROW(EXTENDED, LOAD, 4, 4, 0, 12, 12, 0),
	ROW(BITFIELD, INTEGER, 1, 1, 0, 6, 6, 0),
};

static const struct pmk_a64_costs n1[PMK_NVECTORS] = {
	ROW(PLAIN, FP, 2, 2, 0, 6, 6, 0),
	ROW(ADD, FP, 2, 2, 0, 6, 6, 0),
	ROW(LOGIC, FP, 2, 2, 0, 6, 6, 0),
	ROW(BITS, FP, 2, 2, 0, 6, 6, 0),
	ROW(SUM, FP, 2, 2, 0, 6, 6, 0),
	ROW(ABS, FP, 2, 2, 0, 6, 6, 0),
	ROW(HIGH, FP, 2, 2, 0, 6, 6, 0),
	ROW(HIGH_ROUND, FP, 2, 2, 0, 6, 6, 0),
	ROW(XTN, FP, 2, 2, 0, 6, 6, 0),
	ROW(ACROSS, FP1, 3, 3, 0, 12, 12, 0),
	ROW(ACROSS + 1, FP1, 6, 6, 0, 13, 13, 0),
	ROW(ACROSS + 2, FP1, 6, 6, 0, 24, 24, 0),
	ROW(MOST, FP1, 3, 3, 0, 12, 12, 0),
	ROW(MOST + 1, FP1, 6, 6, 0, 13, 13, 0),
	ROW(MOST + 2, FP1, 6, 6, 0, 24, 24, 0),
	ROW(SHIFT, FP1, 2, 2, 0, 12, 12, 0),
	ROW(SHIFT_INSERT, FP1, 2, 2, 0, 12, 12, 0),
	ROW(SHIFT_BY, FP1, 2, 2, 0, 12, 12, 0),
	ROW(SHIFT_BY_ROUND, FP1, 4, 4, 0, 12, 12, 0),
	ROW(SHIFT_BY_LIMIT, FP1, 4, 4, 0, 12, 12, 0),
	ROW(ROUNDING, FP1, 4, 4, 0, 12, 12, 0),
	ROW(ROUND_SUM, FP1, 4, 4, 0, 12, 12, 0),
	ROW(LIMIT, FP1, 4, 4, 0, 12, 12, 0),
	ROW(NARROW, FP1, 2, 2, 0, 12, 12, 0),
	ROW(NARROW_ROUND, FP1, 4, 4, 0, 12, 12, 0),
	ROW(NARROW_LIMIT, FP1, 4, 4, 0, 12, 12, 0),
	ROW(MULTIPLY, FP0, 4, 5, 2, 12, 24, 0),
	ROW(MULTIPLY_ELEMENT, FP0, 4, 5, 2, 12, 24, 0),
	ROW(MULTIPLY_ROUND, FP0, 4, 5, 0, 12, 24, 0),
	ROW(DOT, FP, 3, 3, 1, 6, 6, 0),
	ROW(LONG, FP0, 4, 4, 1, 12, 12, 0),
	ROW(LONG_LIMIT, FP0, 4, 4, 0, 12, 12, 0),
	ROW(POLY, FP0, 4, 4, 0, 12, 24, 0),
	ROW(POLY_LONG, FP0, 3, 3, 0, 12, 12, 0),
	ROW(POLY_DOUBLE, FP0, 2, 2, 0, 12, 12, 0),
	ROW(ABA, FP1, 4, 4, 1, 12, 12, 0),
	ROW(ABAL, FP1, 4, 4, 1, 12, 12, 0),
	ROW(TABLE, FP, 2, 2, 0, 6, 6, 0),
	ROW(TABLE + 1, FP, 2, 2, 0, 6, 6, 0),
	ROW(TABLE + 2, FP, 4, 4, 0, 13, 13, 0),
	ROW(TABLE + 3, FP, 4, 4, 0, 18, 18, 0),
	ROW(TABLE_KEEP, FP, 2, 2, 0, 6, 6, 0),
	ROW(TABLE_KEEP + 1, FP, 4, 4, 0, 13, 13, 0),
	ROW(TABLE_KEEP + 2, FP, 6, 6, 0, 18, 18, 0),
	ROW(TABLE_KEEP + 3, FP, 6, 6, 0, 30, 30, 0),
	ROW(AES, FP0, 2, 2, 0, 12, 12, 0),
	ROW(AES_MIX, FP0, 2, 2, 0, 12, 12, 0),
	ROW(SHA_FAST, FP0, 2, 2, 0, 12, 12, 0),
	ROW(SHA_XOR, FP0, 2, 2, 0, 12, 12, 0),
	ROW(SHA_SLOW, FP0, 4, 4, 0, 12, 12, 0),
	ROW(F_ADD, FP, 2, 2, 0, 6, 6, 0),
	ROW(F_PLAIN, FP, 2, 2, 0, 6, 6, 0),
	ROW(F_PAIR_ADD, FP, 3, 3, 0, 6, 6, 0),
	ROW(F_PAIR, FP, 3, 3, 0, 6, 6, 0),
	ROW(F_ACROSS, FP, 6, 6, 0, 13, 13, 0),
	ROW(F_ACROSS + 1, FP, 9, 9, 0, 18, 18, 0),
	ROW(F_COMPARE, FP, 2, 2, 0, 6, 6, 0),
	ROW(F_FLAGS, FP0, 2, 2, 0, 12, 12, 0),
	ROW(F_SELECT, FP, 2, 2, 0, 6, 6, 0),
	ROW(F_MUL, FP, 3, 3, 0, 6, 6, 0),
	ROW(F_MAC, FP, 4, 4, 2, 6, 6, 0),
	ROW(F_MAC_ELEMENT, FP, 5, 5, 2, 6, 6, 0),
	ROW(F_STEP, FP, 4, 4, 0, 6, 6, 0),
	ROW(CONVERT, FP0, 3, 3, 0, 12, 12, 0),
	ROW(CONVERT + 1, FP0, 4, 4, 0, 24, 24, 0),
	ROW(CONVERT + 2, FP0, 6, 6, 0, 48, 48, 0),
	ROW(LENGTHEN, FP0, 4, 4, 0, 24, 24, 0),
	ROW(DIVIDE, FP0, 15, 30, 0, 156, 255, 0),
	ROW(ROOT, FP0, 17, 34, 0, 180, 255, 0),
	ROW(TO_GENERAL, FP0, 4, 4, 0, 12, 12, 0),
	ROW(FROM_GENERAL, MULTI, 6, 6, 0, 12, 12, 0),
	ROW(MOVE_IN, MULTI, 3, 3, 0, 12, 12, 0),
	ROW(INSERT, MULTI, 5, 5, 0, 12, 12, 0),
	ROW(MOVE_OUT, FP1, 2, 2, 0, 12, 12, 0),
	ROW(SHORT_SHIFT, INTEGER, 1, 1, 0, 4, 4, 0),
	ROW(REVERSE, INTEGER, 1, 1, 0, 4, 4, 0),
	ROW(CRC, MULTI, 2, 2, 0, 12, 12, 0),
	ROW(EXTENDED, LOAD, 4, 4, 0, 6, 6, 0),
	ROW(BITFIELD, INTEGER, 1, 1, 0, 4, 4, 0),
};
/* clang-format on */

const struct pmk_a64_costs *pmk_a64_costs(const struct pmk_core *core)
{
	return core->a64.costs == PMK_A64_COSTS_N1 ? n1 : a72;
}
