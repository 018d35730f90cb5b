// SPDX-License-Identifier: MIT
#include "cpu/a64/forward.h"

#include "base/hash.h"

#define FRAME_POINTER 29
#define STACK_POINTER 31
#define FIXED	      UINT64_C(0x1000)

static uint64_t register_expression(unsigned r)
{
	return r;
}

static bool is_frame(const struct pmk_a64_value *at)
{
	return at->expression == STACK_POINTER || at->expression == FRAME_POINTER ||
	       at->expression == FIXED;
}

void pmk_a64_stores_init(struct pmk_a64_stores *s)
{
	s->count = 0;
	s->words = s->unknown = 0;
	for (unsigned r = 0; r < 32; r++)
		s->value[r] =
			(struct pmk_a64_value){ register_expression(r), 0, UINT64_C(1) << r, 0 };
}

unsigned pmk_a64_words(const struct pmk_insn *in)
{
	bool plain = in->iclass == PMK_I_LOAD || in->iclass == PMK_I_STORE;

	return plain && !in->exclusive && !in->literal ? in->mem_count : 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void add_operand(const struct pmk_a64_stores *s, int r, struct pmk_a64_value *v)
{
	if (r < 0 || r > 31)
		return;
	v->expression = pmk_hash_add(v->expression, s->value[r].expression);
	v->expression = pmk_hash_add(v->expression, (uint64_t)s->value[r].plus);
	v->registers |= s->value[r].registers;
	v->words |= s->value[r].words;
}

struct pmk_a64_value pmk_a64_address(const struct pmk_a64_stores *s, const struct pmk_insn *in,
				     unsigned word)
{
	struct pmk_a64_value at = { .expression = in->word >> 12 & 15 };

	if (in->based) {
		at = s->value[in->rn];
		at.plus += in->offset;
	} else {
		add_operand(s, in->rn, &at);
		add_operand(s, in->rm, &at);
	}
	at.plus += (int64_t)word * in->mem_bytes;
	return at;
}

/* Returns the bits of pmk_a64_value.words for the `bytes` bytes at `at`. */
static uint64_t word_bits(const struct pmk_a64_value *at, unsigned bytes)
{
	uint64_t bits = 0;

	for (int64_t word = at->plus & ~INT64_C(3); word < at->plus + (int64_t)bytes; word += 4)
		bits |= UINT64_C(1) << (pmk_hash_add(at->expression, (uint64_t)word) >> 58);
	return bits;
}

/* Returns a new value, which differs from all other values. */
static struct pmk_a64_value unknown(struct pmk_a64_stores *s)
{
	return (struct pmk_a64_value){ pmk_hash_add(FIXED + 1, ++s->unknown), 0, UINT64_MAX,
				       UINT64_MAX };
}

static struct pmk_a64_value loaded(const struct pmk_a64_stores *s, const struct pmk_insn *in,
				   unsigned word)
{
	struct pmk_a64_value at = pmk_a64_address(s, in, word), v = at;
	bool whole;
	int row = pmk_a64_stores_find(s, &at, in->mem_bytes, &whole);

	v.expression = pmk_hash_add(at.expression, (uint64_t)at.plus);
	v.expression = pmk_hash_add(v.expression, in->word >> 22);
	v.plus = 0;
	v.words |= word_bits(&at, in->mem_bytes);
	if (row >= 0)
		v.expression = pmk_hash_add(v.expression, s->count);
	return v;
}

/*
 * Returns the value that an instruction computes: an address for ADR and ADRP; a register plus a
 * constant for ADD and SUB with an immediate, and for MOV; otherwise an expression of the operands.
 */
static struct pmk_a64_value computed(struct pmk_a64_stores *s, const struct pmk_insn *in)
{
	uint32_t w = in->word;
	int64_t imm = (int64_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);
	struct pmk_a64_value v = { .expression = w & ~UINT32_C(31) };

	if ((w & 0x1f000000) == 0x10000000) {
		int64_t by = (int64_t)((uint64_t)(w >> 5 & 0x7ffff) << 45) >> 43 | (w >> 29 & 3);

		v.expression = FIXED;
		v.plus = w >> 31 ? ((int64_t)(in->addr >> 12) + by) << 12 : (int64_t)in->addr + by;
		return v;
	}
	if ((w & 0xbf800000) == 0x91000000 && in->rn != PMK_NO_REG) {
		v = s->value[in->rn];
		v.plus += imm;
		return v;
	}
	if ((w & 0xff800000) == 0xd1000000 && in->rn != PMK_NO_REG) {
		v = s->value[in->rn];
		v.plus -= imm;
		return v;
	}
	if ((w & 0xffe0ffe0) == 0xaa0003e0 && in->rm != PMK_NO_REG)
		return s->value[in->rm];
	v.expression &= ~(in->rn != PMK_NO_REG ? UINT64_C(31) << 5 : 0);
	v.expression &= ~(in->rm != PMK_NO_REG ? UINT64_C(31) << 16 : 0);
	add_operand(s, in->rn, &v);
	add_operand(s, in->rm, &v);
	add_operand(s, in->ra, &v);
	return v;
}

static bool is_computed(const struct pmk_insn *in)
{
	return (in->kind & PMK_K_DP) && !in->reads_flags && !in->conditional &&
	       !(in->reads >> 32) && in->rs == PMK_NO_REG && in->rd2 == PMK_NO_REG;
}

void pmk_a64_stores_pass(struct pmk_a64_stores *s, const struct pmk_insn *in)
{
	struct pmk_a64_value new[2] = { { 0 } };
	unsigned words = in->load ? pmk_a64_words(in) : 0;

	if (!(uint32_t)in->writes)
		return;
	for (unsigned word = 0; word < words; word++)
		new[word & 1] = loaded(s, in, word);
	if (!words && is_computed(in))
		new[0] = computed(s, in);
	for (uint64_t rest = (uint32_t)in->writes; rest; rest &= rest - 1) {
		int r = __builtin_ctzll(rest);

		if (in->writeback && in->based && r == in->rn && !(in->load && r == in->rd))
			s->value[r].plus += in->step;
		else if (words && (r == in->rd || r == in->rd2))
			s->value[r] = new[r == in->rd2];
		else if (!words && r == in->rd && is_computed(in))
			s->value[r] = new[0];
		else
			s->value[r] = unknown(s);
	}
}

/* ---- stores ---------------------------------------------------------------------------------- */

int pmk_a64_stores_find(const struct pmk_a64_stores *s, const struct pmk_a64_value *at,
			unsigned bytes, bool *whole)
{
	unsigned most = s->count < PMK_A64_STORES ? s->count : PMK_A64_STORES;

	for (unsigned i = 1; i <= most; i++) {
		unsigned number = (s->count - i) % PMK_A64_STORES;
		const struct pmk_a64_stored *r = &s->row[number];
		int64_t from = at->plus - r->at.plus, to = from + (int64_t)bytes;

		if (r->at.expression != at->expression || from >= r->bytes || to <= 0)
			continue;
		*whole = from >= 0 && to <= r->bytes;
		return (int)number;
	}
	return -1;
}

unsigned pmk_a64_stores_add(struct pmk_a64_stores *s, const struct pmk_insn *in)
{
	unsigned number = s->count++ % PMK_A64_STORES;
	struct pmk_a64_stored *r = &s->row[number];

	r->at = pmk_a64_address(s, in, 0);
	r->bytes = in->mem_total;
	s->words |= is_frame(&r->at) ? word_bits(&r->at, r->bytes) : 0;
	return number;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static int slot_of(const struct pmk_a64_value *at)
{
	uint64_t word = ((uint64_t)at->plus >> 2) + (at->expression == FRAME_POINTER ? 6 : 0);

	if (is_frame(at))
		return (int)(word % PMK_A64_WORD_SLOTS);
	return PMK_A64_WORD_SLOTS +
	       (int)((at->expression >> 32 ^ word) % (PMK_A64_SLOTS - PMK_A64_WORD_SLOTS));
}

/* True if the address was computed from words of the frame or of fixed addresses, and from none
 * that this piece of code has written. */
static bool is_lasting(const struct pmk_a64_stores *s, const struct pmk_a64_value *at)
{
	const uint64_t frame = UINT64_C(1) << STACK_POINTER | UINT64_C(1) << FRAME_POINTER;

	return !(at->registers & ~frame) && !(at->words & s->words) && at->words;
}

int pmk_a64_slot_before(const struct pmk_a64_stores *s, const struct pmk_a64_value *at)
{
	return is_frame(at) || is_lasting(s, at) ? slot_of(at) : -1;
}

int pmk_a64_slot_after(const struct pmk_a64_stores *s, const struct pmk_a64_value *at)
{
	static const uint8_t base[] = { STACK_POINTER, FRAME_POINTER };
	struct pmk_a64_value v = *at;

	if (at->expression == FIXED)
		return slot_of(at);
	for (unsigned i = 0; is_frame(at) && i < sizeof(base); i++) {
		if (s->value[base[i]].expression != at->expression)
			continue;
		v.expression = base[i];
		v.plus -= s->value[base[i]].plus;
		return slot_of(&v);
	}
	for (unsigned i = 0; i < sizeof(base); i++)
		if ((at->registers >> base[i] & 1) &&
		    (s->value[base[i]].expression != base[i] || s->value[base[i]].plus))
			return -1;
	return is_lasting(s, at) && !is_frame(at) ? slot_of(at) : -1;
}
