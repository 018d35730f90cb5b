// SPDX-License-Identifier: MIT
/*
 * Ports, latencies and early forwarding are those of the Cortex-A72's Software Optimization Guide
 * (ARM UAN 0016A, chapters 2 and 3). If a time depends on the operands, it is a parameter (keys.c),
 * or the longest time in the guide is used. LLVM's model of the Cortex-A57 has the same ports.
 */
#include "cpu/a64/timing.h"

#include "cpu/a64/a64.h"
#include "cpu/a64/costs.h"
#include "cpu/a64/window.h"

static void use(struct cost *c, enum pmk_a64_port port, unsigned cycles)
{
	c->use[c->nports++] = (struct port_use){ (uint8_t)port, (uint16_t)cycles, 0 };
}

static struct cost on(enum pmk_a64_port port, unsigned latency, unsigned busy)
{
	struct cost c = { .latency = (uint16_t)latency };

	use(&c, port, busy);
	return c;
}

/* UAN 0016A 3.5: wide multiplications pass the multiplier more than once. */
static struct cost multiply(const struct pmk_core *core, const struct pmk_insn *in)
{
	unsigned latency = pmk_a64_mul_latency(core);
	struct cost c = in->iclass == PMK_I_MMUL ? on(PMK_A64_PORT_MULTI, latency + 3, 4)
			: in->wide		 ? on(PMK_A64_PORT_MULTI, latency + 2, 3)
						 : on(PMK_A64_PORT_MULTI, latency, 1);

	c.early = (uint16_t)(latency - 1);
	return c;
}

/* Returns the cost of a load (3.8, 3.12): 16 bytes a cycle; values of vector registers come a cycle
 * later. */
static struct cost load(const struct pmk_insn *in)
{
	unsigned beats = in->mem_total > 16 ? (in->mem_total + 15u) / 16 : 1;
	struct cost c =
		on(PMK_A64_PORT_LOAD, (in->kind & PMK_K_VECTOR_MEM ? 5 : 4) + beats - 1, beats);

	if (in->writeback)
		use(&c, PMK_A64_PORT_INTEGER, 1);
	return c;
}

/* Returns the cost of a store (3.9, 3.13): 8 bytes a cycle. */
static struct cost store(const struct pmk_insn *in)
{
	unsigned beats = in->mem_total > 8 ? (in->mem_total + 7u) / 8 : 1;
	struct cost c = on(PMK_A64_PORT_STORE, beats, beats);

	if (in->writeback)
		use(&c, PMK_A64_PORT_INTEGER, 1);
	return c;
}

/*
 * Returns the cost by the tables of costs.c. For floating-point multiplications and additions, the
 * core's parameters replace the latencies of the tables.
 */
static struct cost by_table(const struct pmk_core *core, const struct pmk_insn *in)
{
	enum pmk_vector op = pmk_a64_operation(in);
	const struct pmk_a64_costs *row = &pmk_a64_costs(core)[op];
	unsigned latency = in->quad ? row->latency_quad : row->latency;
	/* A sum is handed on after one cycle, or row->sum cycles for a 128-bit operation. */
	unsigned early = row->sum ? latency - (in->quad ? row->sum : 1) : 0,
		 mac = pmk_a64_fp_mac(core);
	struct cost c = { .slots = in->quad ? row->slots_quad : 1 };

	switch (op) {
	case PMK_V_F_ADD:
		latency = (unsigned)core->a64.fp_add;
		break;
	case PMK_V_F_MUL:
		latency = (unsigned)core->a64.fp_mul;
		break;
	case PMK_V_F_STEP:
		latency = mac;
		break;
	case PMK_V_F_MAC:
	case PMK_V_F_MAC_ELEMENT:
		/* UAN 0016A 3.10, 3.15: the addend is needed halfway through the operation. */
		latency = mac + latency - pmk_a64_costs(core)[PMK_V_F_MAC].latency;
		early = latency - mac / 2;
		break;
	case PMK_V_AES:
	case PMK_V_AES_MIX:
	case PMK_V_SHA_FAST:
	case PMK_V_SHA_SLOW:
		/* A Cortex-A57 takes a cycle more, by its guide and by OpenSSL's measurements. */
		latency += core->a64.costs == PMK_A64_COSTS_A57;
		break;
	default:
		break;
	}
	c.latency = (uint16_t)latency;
	c.early = (uint16_t)early;
	c.use[c.nports++] =
		(struct port_use){ row->port, 0, in->quad ? row->every_quad : row->every };
	return c;
}

/* Returns the cost of a shift. A second operand that is shifted or extended takes the multi-cycle
 * port (3.3). Bit-field moves have one operand and do not take it, except moves that keep the rest
 * of the register. */
static struct cost shift(const struct pmk_core *core, const struct pmk_insn *in)
{
	if (in->vector != PMK_V_PLAIN)
		return by_table(core, in);
	if (!pmk_a64_is_a64(core) && in->rn == PMK_NO_REG && in->ra == PMK_NO_REG)
		return on(PMK_A64_PORT_INTEGER, 1, 1);
	return on(PMK_A64_PORT_MULTI, 2, 1);
}

/*
 * Returns the cost of half a round of AES. The core executes both halves as one operation, which
 * takes aes.round cycles. On a Cortex-A72 that is 2: the 10 rounds of AES-128 take 21 cycles in
 * OpenSSL's measurement (1.33 cycles a byte). On a Cortex-A57 it is 3 (1.955 cycles a byte, Jetson
 * Nano). On both, AESE enters the window in two slots, like other 128-bit operations, and the AESMC
 * in one. So 4 more rounds of five blocks at once take 0.29 cycles a byte more, as OpenSSL measured
 * on a Cortex-A72 (0.85 and 1.14 for AES-128 and AES-256).
 */
struct cost pmk_a64_half_round(const struct pmk_core *core, const struct pmk_insn *in)
{
	struct cost c = { .latency = 1 };

	if (in->vector == PMK_V_AES) {
		c.slots = pmk_a64_costs(core)[PMK_V_AES].slots_quad;
		use(&c, PMK_A64_PORT_FP0, 1);
	} else {
		c.latency = (uint16_t)(core->a64.aes_round - 1);
	}
	return c;
}

#define GENERAL UINT64_C(0x00000000ffffffff)

/* Returns the cost of a floating-point instruction. Conversions from and to general registers also
 * take the path of loads (3.11). */
static struct cost fp(const struct pmk_core *core, const struct pmk_insn *in)
{
	struct cost c = by_table(core, in);

	if (in->vector == PMK_V_PLAIN && (in->writes | in->reads) & GENERAL)
		c.latency = (uint16_t)(c.latency + 5);
	if (core->a64.costs != PMK_A64_COSTS_N1 && (in->writes | in->reads) & GENERAL)
		use(&c, PMK_A64_PORT_LOAD, 1);
	return c;
}

/* Returns the cost of a division. 128-bit vectors take as long as two of 64 bits (LLVM, for the
 * Cortex-A57). */
static struct cost divide(const struct pmk_core *core, bool wide, unsigned halves)
{
	unsigned cycles = pmk_a64_fp_div(core, wide) * halves;

	return on(PMK_A64_PORT_FP0, cycles, cycles > 2 ? cycles - 2 : 1);
}

static struct cost root(const struct pmk_core *core, bool wide, unsigned halves)
{
	unsigned cycles = (wide ? 32 : 17) * halves;

	if (core->a64.costs == PMK_A64_COSTS_N1)
		return on(PMK_A64_PORT_FP0, wide ? 17 : 9, wide ? 7 : 2);
	/* A board begins a 32-bit square root every 7.5 cycles. */
	return on(PMK_A64_PORT_FP0, cycles, cycles / 2 - 1);
}

struct cost pmk_a64_cost(const struct pmk_core *core, const struct pmk_insn *in)
{
	bool wide = in->mem_bytes == 8; /* double precision */
	struct cost c;

	switch ((enum pmk_iclass)in->iclass) {
	case PMK_I_LOAD:
	case PMK_I_LOADM:
		return load(in);
	case PMK_I_STORE:
	case PMK_I_STOREM:
		return store(in);
	case PMK_I_ATOMIC:
	case PMK_I_SWAP:
		c = load(in);
		use(&c, PMK_A64_PORT_STORE, 1);
		return c;
	case PMK_I_PRELOAD:
		return on(PMK_A64_PORT_LOAD, 1, 1);
	case PMK_I_ALU_SHIFT:
		return shift(core, in);
	case PMK_I_MUL:
	case PMK_I_MLA:
	case PMK_I_MULL:
	case PMK_I_MLAL:
	case PMK_I_MUL16:
	case PMK_I_MLAL16:
	case PMK_I_MMUL:
		if (in->vector == PMK_V_CRC)
			return by_table(core, in);
		return multiply(core, in);
	case PMK_I_DIV:
		return on(PMK_A64_PORT_MULTI, (unsigned)core->a64.div_latency,
			  (unsigned)core->a64.div_latency);
	case PMK_I_BRANCH:
		c = on(PMK_A64_PORT_BRANCH, 1, 1);
		if (in->writes)
			use(&c, PMK_A64_PORT_INTEGER, 1);
		return c;
	case PMK_I_FP_MOVE:
		if (in->vector == PMK_V_PLAIN)
			return (in->reads | in->writes) & GENERAL ? on(PMK_A64_PORT_LOAD, 5, 1)
								  : on(PMK_A64_PORT_FP, 3, 1);
		return by_table(core, in);
	case PMK_I_SIMD_FP:
	case PMK_I_FP_DIV:
	case PMK_I_FP_SQRT:
		if (pmk_a64_operation(in) == PMK_V_DIVIDE)
			return divide(core, in->wide || wide, in->quad ? 2 : 1);
		if (pmk_a64_operation(in) == PMK_V_ROOT)
			return root(core, in->wide || wide, in->quad ? 2 : 1);
		/* fall through */
	case PMK_I_FP_ADD:
		return fp(core, in);
	case PMK_I_FP_MUL:
	case PMK_I_FP_MAC:
	case PMK_I_CRYPTO:
	case PMK_I_SIMD:
	case PMK_I_FP:
		return by_table(core, in);
	case PMK_I_OTHER:
		if (!in->writes && !in->reads)
			return (struct cost){ .latency = 1 };
		break;
	case PMK_I_ALU:
	case PMK_I_ALU_RSHIFT:
	case PMK_I_BARREL: /* this class and the next are MicroBlaze's */
	case PMK_I_FP_COMPARE:
	case PMK_I_FP_TO_INT:
	case PMK_I_FP_FROM_INT:
	case PMK_I_CACHE_OP:
		break;
	}
	return on(PMK_A64_PORT_INTEGER, 1, 1);
}
