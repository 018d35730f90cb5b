// SPDX-License-Identifier: MIT
/*
 * Random accesses to the MicroBlaze counters, for all options, agree with a second implementation
 * of the rules. In it, counters are rows of 32-bit words in one flat list, in the order of reading,
 * and it computes with these words occurrence by occurrence. The same accesses go to the counters
 * directly, through the debug module's registers, and through its JTAG side. For the last two there
 * is also a second implementation, in which a register is a list of bits.
 *
 * Numbers are literal: registers 0 PCCTRLR, 1 PCCMDR, 2 PCSR, 3 PCDRR, 4 PCDWR.
 * tests/conformance/microblaze.vec tests the single rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/microblaze.h>
#include <pmk/microblaze_model.h>

#include "unit.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define PROCESSORS 3

/* GNU C, because ISO C has no integer of this width. */
__extension__ typedef unsigned __int128 u128;

static uint64_t seed = 88172645463325252u;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t pick(uint64_t n)
{
	return (random64() >> 8) % n;
}

static bool one_in(unsigned n)
{
	return pick(n) == 0;
}

/* ---- the second implementation: the counters ----------------------------------------------- */

#define WORDS	 (48 * 2 + 7 * 7)
#define COUNTERS (48 + 7)

/* The events that count the signals of this test. Other events count nothing. */
static const struct {
	unsigned code;
	int sig[2];
} known[] = {
	{ 0, { PMK_SIG_INSN, -1 } },
	{ 1, { PMK_SIG_LOAD_WORD, -1 } },
	{ 8, { PMK_SIG_BR_TAKEN, -1 } },
	{ 9, { PMK_SIG_BR_NOT_TAKEN, -1 } },
	{ 12, { PMK_SIG_L1D_CACHED_READ, -1 } },
	{ 14, { PMK_SIG_L1D_CACHED_WRITE, -1 } },
	{ 30, { PMK_SIG_CYCLE, -1 } },
	{ 44, { PMK_SIG_BR_TAKEN, PMK_SIG_BR_NOT_TAKEN } },
	{ 46, { PMK_SIG_L1D_CACHED_READ, PMK_SIG_L1D_CACHED_WRITE } },
	{ 58, { PMK_SIG_L1D_CACHED_READ, -1 } },
	{ 59, { PMK_SIG_L1D_CACHED_WRITE, -1 } },
	{ 61, { PMK_SIG_MMU_LOOKUP, -1 } },
	{ 62, { PMK_SIG_PERIPHERAL_READ, -1 } },
	{ 64, { -1, -1 } },
	{ 126, { -1, -1 } }, /* would be event 62 if only six bits were decoded */
};

static const int signals[] = {
	PMK_SIG_INSN,	    PMK_SIG_LOAD_WORD,	      PMK_SIG_CYCLE,
	PMK_SIG_BR_TAKEN,   PMK_SIG_BR_NOT_TAKEN,     PMK_SIG_L1D_CACHED_READ,
	PMK_SIG_MMU_LOOKUP, PMK_SIG_L1D_CACHED_WRITE, PMK_SIG_PERIPHERAL_READ,
};

struct plain {
	struct pmk_microblaze_params params;
	unsigned events, latencies, width;
	unsigned counters, words;
	unsigned first[COUNTERS + 1]; /* index of each counter's first word */
	uint32_t live[WORDS], copy[WORDS];
	unsigned code[COUNTERS];
	bool overflow[COUNTERS], full[COUNTERS], copied_overflow[COUNTERS], copied_full[COUNTERS];
	bool min_valid[COUNTERS], copied_min_valid[COUNTERS];
	bool started, halted;
	uint64_t now;
	uint64_t since[COUNTERS], until[COUNTERS];
	unsigned at[5]; /* the word that each register accesses next */
};

static unsigned words_of(const struct plain *p, unsigned counter)
{
	if (counter < p->events)
		return p->width == 32 ? 1 : 2;
	return p->width == 32 ? 4 : 7;
}

static void plain_reset(struct plain *p)
{
	struct plain fresh = {
		.params = p->params,
		.events = p->events,
		.latencies = p->latencies,
		.width = p->width,
		.counters = p->events + p->latencies,
		.halted = p->halted,
		.now = p->now,
	};

	for (unsigned c = 0; c < fresh.counters; c++)
		fresh.first[c + 1] = fresh.first[c] + words_of(&fresh, c);
	fresh.words = fresh.first[fresh.counters];
	*p = fresh;
}

static unsigned counter_at(const struct plain *p, unsigned word)
{
	unsigned c = 0;

	while (p->first[c + 1] <= word)
		c++;
	return c;
}

static const int *signals_of(const struct plain *p, unsigned counter)
{
	static const int none[2] = { -1, -1 };
	unsigned code = p->code[counter];

	if (p->params.decode_6_bits)
		code &= 63;
	if (counter >= p->events && (code < 57 || code > 63))
		return none;
	for (unsigned i = 0; i < COUNT(known); i++)
		if (known[i].code == code)
			return known[i].sig;
	return none;
}

static bool plain_counts(const struct plain *p)
{
	return p->started && (p->params.count_while_halted || !p->halted);
}

/* Adds to a value of one word, or of two words with the upper half first. */
static bool add_words(const struct plain *p, uint32_t *w, unsigned n, unsigned bits, u128 more)
{
	u128 value = n == 1 ? w[0] : (u128)w[0] << 32 | w[1];
	u128 limit = (u128)1 << bits;
	bool over = value + more >= limit;

	value = over && p->params.saturate ? limit - 1 : (value + more) % limit;
	w[n - 1] = (uint32_t)value;
	if (n == 2)
		w[0] = (uint32_t)(value >> 32);
	return over;
}

static void event_happens(struct plain *p, unsigned c, uint64_t n)
{
	uint32_t *w = &p->live[p->first[c]];
	unsigned words = words_of(p, c);
	uint64_t top = p->width == 32 ? UINT32_MAX
				      : (p->width == 48 ? UINT64_C(0xffffffffffff) : UINT64_MAX);
	uint64_t before = words == 1 ? w[0] : (uint64_t)w[0] << 32 | w[1];

	if (add_words(p, w, words, p->width, n))
		p->overflow[c] = true;
	if (p->params.overflow_at_max && n && n >= top - before)
		p->overflow[c] = true;
}

static void latency_happens(struct plain *p, unsigned c, uint64_t n, uint32_t cycles)
{
	uint32_t *w = &p->live[p->first[c]];
	u128 sum = (u128)n * cycles;
	uint32_t most = p->width == 32 ? 0xffff : 0xffffffff;
	uint32_t shown =
		cycles > most ? (p->params.truncate_extremes ? cycles & most : most) : cycles;
	uint32_t min, max;
	bool over = add_words(p, w, 1, 32, n);

	if (p->width == 32) {
		over |= add_words(p, w + 1, 1, 32, sum);
		over |= add_words(p, w + 2, 1, 32, sum * cycles);
		min = w[3] >> 16;
		max = w[3] & 0xffff;
	} else {
		over |= add_words(p, w + 1, 2, p->width, sum);
		over |= add_words(p, w + 3, 2, p->width, sum * cycles);
		min = w[5];
		max = w[6];
	}
	if (!p->min_valid[c] || shown < min)
		min = shown;
	if (shown > max)
		max = shown;
	if (p->width == 32) {
		w[3] = min << 16 | max;
	} else {
		w[5] = min;
		w[6] = max;
	}
	p->min_valid[c] = true;
	p->overflow[c] |= over;
}

/* Lets a signal occur `n` times. If it has a latency, the latency is one cycle. */
static void plain_happens(struct plain *p, int sig, uint64_t n)
{
	if (sig == PMK_SIG_CYCLE)
		p->now += n;
	for (unsigned c = 0; plain_counts(p) && c < p->counters; c++)
		for (unsigned i = 0; i < 2; i++) {
			if (signals_of(p, c)[i] != sig)
				continue;
			if (c < p->events)
				event_happens(p, c, n);
			else if (n)
				latency_happens(p, c, n, 1);
		}
}

static void plain_lasts(struct plain *p, int sig, uint64_t start, uint32_t cycles)
{
	for (unsigned c = 0; plain_counts(p) && c < p->counters; c++)
		for (unsigned i = 0; i < 2; i++) {
			if (signals_of(p, c)[i] != sig)
				continue;
			if (c < p->events) {
				event_happens(p, c, 1);
				continue;
			}
			if (!p->params.time_in_flight && start < p->since[c])
				continue;
			if (start < p->until[c])
				p->full[c] = true;
			if (start < p->until[c] && p->params.overlap_ignored)
				continue;
			if (p->until[c] < start + cycles)
				p->until[c] = start + cycles;
			latency_happens(p, c, 1, cycles);
		}
}

static void nothing_in_flight(struct plain *p, unsigned c)
{
	p->since[c] = p->now;
	p->until[c] = 0;
}

static void plain_run(struct plain *p, bool started, bool halted)
{
	bool counted = plain_counts(p);

	p->started = started;
	p->halted = halted;
	for (unsigned c = 0; !counted && plain_counts(p) && c < p->counters; c++)
		nothing_in_flight(p, c);
}

static void plain_clear(struct plain *p)
{
	memset(p->live, 0, sizeof(p->live));
	memset(p->overflow, 0, sizeof(p->overflow));
	memset(p->full, 0, sizeof(p->full));
	memset(p->min_valid, 0, sizeof(p->min_valid));
	for (unsigned c = 0; c < p->counters; c++)
		nothing_in_flight(p, c);
	if (!p->params.clear_sample)
		return;
	memset(p->copy, 0, sizeof(p->copy));
	memset(p->copied_overflow, 0, sizeof(p->overflow));
	memset(p->copied_full, 0, sizeof(p->full));
	memset(p->copied_min_valid, 0, sizeof(p->min_valid));
}

static void plain_sample(struct plain *p)
{
	memcpy(p->copy, p->live, sizeof(p->copy));
	memcpy(p->copied_overflow, p->overflow, sizeof(p->overflow));
	memcpy(p->copied_full, p->full, sizeof(p->full));
	memcpy(p->copied_min_valid, p->min_valid, sizeof(p->min_valid));
}

static void plain_command(struct plain *p, unsigned w)
{
	if (w & 0x01)
		memset(p->at, 0, sizeof(p->at));
	if ((w & 0x10) && p->params.clear_first)
		plain_clear(p);
	if (w & 0x02)
		plain_sample(p);
	if ((w & 0x10) && !p->params.clear_first)
		plain_clear(p);
	if ((w & 0x0c) == 0x0c)
		/* Stop and Start leave the counters running, but the stop interrupts the timing. */
		plain_run(p, false, p->halted), plain_run(p, true, p->halted);
	else if (w & 0x0c)
		plain_run(p, w & 0x08, p->halted);
	if ((w & 0x0c) == 0x0c && p->params.stop_last)
		plain_run(p, false, p->halted);
}

/*
 * Stores in *word the index of the word that register `reg` accesses, and moves to the next word,
 * or to the first word of the next counter. Returns false after the last word.
 */
static bool plain_go(struct plain *p, unsigned reg, unsigned *word)
{
	unsigned *at = &p->at[p->params.shared_pointer ? 0 : reg];

	*word = *at;
	if (*at == p->words)
		return false;
	*at = reg >= 3 ? *at + 1 : p->first[counter_at(p, *at) + 1];
	if (*at == p->words && p->params.pointer_wraps)
		*at = 0;
	return true;
}

/*
 * Returns true if the word is the minimum of a latency counter. *counter gets the number of the
 * word's counter.
 */
static bool is_min(const struct plain *p, unsigned word, unsigned *counter)
{
	*counter = counter_at(p, word);
	return *counter >= p->events && word - p->first[*counter] == (p->width == 32 ? 3 : 5);
}

static uint32_t plain_data(const struct plain *p, unsigned word)
{
	unsigned c;

	if (!is_min(p, word, &c) || p->copied_min_valid[c])
		return p->copy[word];
	if (p->width == 32)
		return p->params.min_empty << 16 | (p->copy[word] & 0xffff);
	return p->params.min_empty;
}

static void plain_put(struct plain *p, unsigned word, uint32_t w, uint32_t *list, bool *valid)
{
	unsigned c = counter_at(p, word), item = word - p->first[c];
	bool upper = c < p->events ? item == 0 : item == 1 || item == 3;

	if (p->width == 48 && upper)
		w &= 0xffff;
	list[word] = w;
	if (is_min(p, word, &c) && list[p->first[c]])
		valid[c] = true;
}

static uint32_t plain_read(struct plain *p, unsigned reg)
{
	static const uint32_t bits[5] = { 0xff, 0x1f, 0x3, 0xffffffff, 0xffffffff };
	unsigned word, c;

	if (reg != 2 && reg != 3)
		return p->params.undefined & bits[reg];
	if (!plain_go(p, reg, &word))
		return 0;
	if (reg == 3)
		return plain_data(p, word);
	c = counter_at(p, word);
	return 2 * p->copied_overflow[c] + p->copied_full[c];
}

static void plain_write(struct plain *p, unsigned reg, uint32_t w)
{
	unsigned word;

	if (reg == 1)
		plain_command(p, w);
	if ((reg != 0 && reg != 4) || !plain_go(p, reg, &word))
		return;
	if (reg == 0) {
		p->code[counter_at(p, word)] = w & 0xff;
		nothing_in_flight(p, counter_at(p, word));
		return;
	}
	plain_put(p, word, w, p->live, p->min_valid);
	if (p->params.write_sample)
		plain_put(p, word, w, p->copy, p->copied_min_valid);
}

static bool plain_line(const struct plain *p)
{
	bool line = false;

	for (unsigned c = 0; c < p->counters; c++)
		line |= p->overflow[c] && (c < p->events || p->params.latency_irq);
	return line;
}

/* ---- processors: the model and the second implementation ----------------------------------- */

struct processor {
	const struct pmk_model_ops *ops;
	struct pmk_microblaze_pmu pmu;
	struct pmk_bus bus;
	struct pmk_microblaze_model model;
	struct pmk_model_port mp;
	struct plain plain;
};

static struct pmk_microblaze_params some_params(void)
{
	struct pmk_microblaze_params p = pmk_microblaze_defaults;

	p.shared_pointer = !one_in(4);
	p.pointer_wraps = one_in(4);
	p.clear_first = one_in(4);
	p.stop_last = one_in(4);
	p.clear_sample = one_in(4);
	p.write_sample = one_in(4);
	p.decode_6_bits = one_in(4);
	p.reset_ignored = one_in(4);
	p.count_while_halted = one_in(4);
	p.overflow_at_max = one_in(2);
	p.saturate = one_in(4);
	p.latency_irq = one_in(4);
	p.truncate_extremes = one_in(4);
	p.time_in_flight = one_in(4);
	p.overlap_ignored = one_in(4);
	p.min_empty = one_in(2) ? 0 : (uint32_t)random64();
	p.undefined = one_in(2) ? 0 : (uint32_t)random64();
	return p;
}

static void ask_anew(struct processor *u)
{
	pmk_bus_forget(&u->bus);
	u->ops->ask(&u->model, &u->bus);
}

static void setup(struct processor *u)
{
	static const uint8_t widths[] = { 32, 48, 64 };
	struct pmk_microblaze_params params = some_params();
	unsigned events = one_in(8) ? 48 : (unsigned)pick(6);
	unsigned latencies = one_in(8) ? 7 : (unsigned)pick(3) + !events;
	unsigned width = widths[pick(3)];

	memset(u, 0xa5, sizeof(*u));
	assert_int_equal(pmk_microblaze_configure(&u->pmu, events, latencies, width), 0);
	u->ops = pmk_model_find(&u->pmu.pmu);
	assert_non_null(u->ops);
	pmk_bus_init(&u->bus);
	u->bus.total[PMK_SIG_CYCLE] = pick(1000);
	u->bus.total[PMK_SIG_INSN] = pick(1000);
	u->bus.longest = one_in(2) ? 70000 : 0;
	pmk_microblaze_model_reset(&u->model, &u->pmu.pmu, &params, &u->bus);
	ask_anew(u);
	u->mp = (struct pmk_model_port){ u->ops, &u->model, &u->bus, PMK_MODE_PRIV };
	u->plain = (struct plain){
		.params = params,
		.events = events,
		.latencies = latencies,
		.width = width,
		.now = u->bus.total[PMK_SIG_CYCLE],
	};
	plain_reset(&u->plain);
}

static void catch_up(struct processor *u)
{
	if (!pmk_bus_due(&u->bus))
		return;
	u->ops->sync(&u->model, &u->bus);
	ask_anew(u);
	assert_false(pmk_bus_due(&u->bus)); /* otherwise a producer would hang */
}

/*
 * Raises signals. Sometimes the producer goes beyond the horizon, and the counts are still the
 * same.
 */
static void let_happen(struct processor *u)
{
	int sig = signals[pick(COUNT(signals))];
	uint64_t n = one_in(3) ? pick(5) : one_in(2) ? pick(UINT64_C(1) << 34) : pick(3000);

	pmk_bus_add(&u->bus, sig, n);
	plain_happens(&u->plain, sig, n);
	if (!one_in(4))
		catch_up(u);
}

static void let_last(struct processor *u)
{
	static const int timed[] = { PMK_SIG_L1D_CACHED_READ, PMK_SIG_L1D_CACHED_WRITE,
				     PMK_SIG_PERIPHERAL_READ, PMK_SIG_INSN };
	int sig = timed[pick(COUNT(timed))];
	uint64_t start = u->plain.now + pick(20);
	uint32_t cycles = (uint32_t)(one_in(8) ? random64() : one_in(4) ? pick(70000) : pick(15));

	start = start > 15 ? start - 15 : 0;
	pmk_bus_add(&u->bus, sig, 1);
	pmk_bus_record(&u->bus, sig, start, cycles);
	plain_lasts(&u->plain, sig, start, cycles);
	if (!one_in(4))
		catch_up(u);
}

static void let_state_change(struct processor *u)
{
	enum pmk_microblaze_input input = pick(PMK_MICROBLAZE_NINPUTS);
	bool level = one_in(2);

	if (input == PMK_MICROBLAZE_IN_RESET && !one_in(10))
		return;
	pmk_microblaze_model_input(&u->model, &u->bus, input, level);
	ask_anew(u);
	if (input == PMK_MICROBLAZE_IN_HALTED)
		plain_run(&u->plain, u->plain.started, level);
	else if (level && input == PMK_MICROBLAZE_IN_STOP)
		plain_run(&u->plain, false, u->plain.halted);
	else if (level && input == PMK_MICROBLAZE_IN_START)
		plain_run(&u->plain, true, u->plain.halted);
	else if (level && !u->plain.params.reset_ignored)
		plain_reset(&u->plain);
}

static uint32_t some_value(unsigned reg)
{
	static const uint32_t edges[] = { 0,	      1,	  2,	      0xfffe,	 0xffff,
					  0x80000000, 0xfffffffe, 0xffffffff, 0xffff8000 };

	if (reg == 0)
		return (one_in(8) ? 0xffffff00 : 0) | known[pick(COUNT(known))].code;
	if (reg == 1) {
		static const uint8_t commands[] = {
			0x01, 0x18, 0x06, 0x02, 0x03, 0x08, 0x03, 0x01
		};

		return one_in(2) ? commands[pick(COUNT(commands))] : (uint32_t)pick(64);
	}
	return one_in(2) ? edges[pick(COUNT(edges))] : (uint32_t)random64();
}

static unsigned some_register(void)
{
	static const uint8_t weighted[] = { 0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4 };

	return weighted[pick(COUNT(weighted))];
}

static void check_line(struct processor *u, unsigned round, unsigned step)
{
	u->ops->sync(&u->model, &u->bus);
	ask_anew(u);
	if (u->ops->lines(&u->model) != plain_line(&u->plain))
		fail_msg("round %u, step %u: Dbg_Intr is %u", round, step,
			 u->ops->lines(&u->model));
}

/* Does something random that is not a register access. */
static void live(struct processor *u)
{
	switch (pick(10)) {
	case 0:
		let_state_change(u);
		break;
	case 1:
	case 2:
	case 3:
		let_last(u);
		break;
	default:
		let_happen(u);
	}
}

/* ---- directly ------------------------------------------------------------------------------ */

static void access_directly(struct processor *u, unsigned round, unsigned step)
{
	unsigned reg = some_register();

	if (reg == 2 || reg == 3 ? !one_in(20) : one_in(20)) {
		uint32_t want = plain_read(&u->plain, reg);
		uint64_t is = UINT64_MAX;

		assert_int_equal(u->ops->read(&u->model, &u->bus, PMK_MODE_USER, reg, &is), 0);
		if (is != want)
			fail_msg("round %u, step %u: register %u reads %llx, want %x", round, step,
				 reg, (unsigned long long)is, want);
	} else {
		uint32_t w = some_value(reg);

		plain_write(&u->plain, reg, w);
		assert_int_equal(u->ops->write(&u->model, &u->bus, PMK_MODE_PRIV, reg, w), 0);
		ask_anew(u);
	}
}

static void test_directly(void **state)
{
	static struct processor u;

	(void)state;
	for (unsigned round = 0; round < UNIT_SAMPLES(2000); round++) {
		setup(&u);
		for (unsigned step = 0; step < 400; step++) {
			if (one_in(3))
				live(&u);
			else
				access_directly(&u, round, step);
			if (one_in(4))
				check_line(&u, round, step);
		}
	}
}

/* ---- registers as lists of bits ------------------------------------------------------------ */

/* bit[0] is shifted out next. */
struct bits {
	unsigned n;
	bool bit[64];
};

static bool push(struct bits *b, bool in)
{
	bool out = b->n && b->bit[0];

	if (!b->n)
		return false;
	memmove(b->bit, b->bit + 1, (b->n - 1) * sizeof(bool));
	b->bit[b->n - 1] = in;
	return out;
}

static struct bits to_bits(uint64_t value, unsigned n, bool highest_first)
{
	struct bits b = { .n = n };

	for (unsigned i = 0; i < n; i++)
		b.bit[highest_first ? n - 1 - i : i] = value >> i & 1;
	return b;
}

static uint64_t from_bits(const struct bits *b, bool highest_first)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < b->n; i++)
		value |= (uint64_t)b->bit[highest_first ? b->n - 1 - i : i] << i;
	return value;
}

/* ---- the second implementation: the debug module ------------------------------------------- */

/* The register that a command addresses. 0 to 4 are registers of processors. */
enum { NOWHERE = 5 };

static unsigned plain_reg(unsigned command, unsigned *bits)
{
	switch (command) {
	case 0x51:
		return *bits = 8, 0;
	case 0x52:
		return *bits = 5, 1;
	case 0x53:
		return *bits = 2, 2;
	case 0x56:
		return *bits = 32, 3;
	case 0x57:
		return *bits = 32, 4;
	default:
		return *bits = 0, NOWHERE;
	}
}

struct board {
	unsigned n; /* number of processors */
	struct processor u[PROCESSORS];
	struct pmk_port port[PROCESSORS];
	struct pmk_mdm_params params;
	struct pmk_mdm_model mdm;
	struct pmk_mdm_jtag_model jtag;
	/* The second implementation: */
	bool unlocked;
	char owner; /* owner of the access lock: 's' software, 'j' JTAG, '-' none */
	uint32_t ctrl, data;
	unsigned which;
	unsigned passed; /* bits transferred so far, in an access of several parts */
	struct bits moving;
	bool user, port_chosen, command_next, early;
	unsigned jtag_port, command;
	struct bits fetched;
};

static bool selected(const struct board *b, unsigned i)
{
	return b->n == 1 || (b->which >> i & 1);
}

static struct bits begin(struct board *b, bool own, unsigned command, bool reads, bool directed)
{
	unsigned bits, reg = plain_reg(command, &bits);
	uint32_t any = 0, all = 0xffffffff;
	bool some = false;

	if (own && command == 0x00)
		return to_bits(0x584d4443, 32, false);
	if (own && command == 0x0c)
		return to_bits(0x42c70067 | (b->params.uart ? 1u << 21 : 0) | b->n << 8 |
				       (uint64_t)b->params.access << 33 |
				       (uint64_t)b->params.cross_trigger << 34,
			       35, false);
	if (own)
		return to_bits(0, command == 0x0d ? 8 : 0, false);
	for (unsigned i = 0; i < b->n && reads && reg != NOWHERE; i++) {
		uint32_t v;

		if (!selected(b, i) || (!directed && reg != 2 && reg != 3))
			continue;
		v = plain_read(&b->u[i].plain, reg);
		any |= v;
		all &= v;
		some = true;
	}
	return to_bits(b->params.all_of_several && some ? all : any, bits, true);
}

static void end(struct board *b, const struct bits *moved, bool own, unsigned command, bool writes)
{
	unsigned bits, reg = plain_reg(command, &bits);

	if (!writes)
		return;
	if (own && command == 0x0d)
		b->which = (unsigned)from_bits(moved, false);
	for (unsigned i = 0; i < b->n && !own && reg != NOWHERE; i++)
		if (selected(b, i))
			plain_write(&b->u[i].plain, reg, (uint32_t)from_bits(moved, true));
}

/* Makes a complete access to DBG_DATA, or a part of one. */
static void move(struct board *b, bool load)
{
	bool own = b->ctrl >> 17 & 1, undirected = b->params.undirected;
	unsigned command = b->ctrl >> 9 & 0xff, size = (b->ctrl & 0x1ff) + 1;
	unsigned left = size - b->passed, part = left > 32 ? 32 : left;

	if (!own && left > 32 && left % 32)
		part = left % 32;
	if (!b->passed)
		b->moving = begin(b, own, command, load || undirected, !undirected);
	for (unsigned i = 0; i < part; i++) {
		unsigned k = own ? i : part - 1 - i;
		bool out = push(&b->moving, b->data >> k & 1);

		if (load)
			b->data = (b->data & ~(1u << k)) | (uint32_t)out << k;
	}
	b->passed += part;
	if (b->passed < size)
		return;
	b->passed = 0;
	end(b, &b->moving, own, command, !load || undirected);
	if ((b->ctrl >> 18 & 3) == 1)
		b->owner = '-';
}

static int plain_load(struct board *b, unsigned offset, uint32_t *value)
{
	*value = 0;
	if (!b->params.access)
		return PMK_EIO;
	if (offset == 0x10)
		*value = b->owner == (b->params.status_is_jtag ? 'j' : 's');
	if (offset != 0x14)
		return 0;
	if (b->params.zero_first)
		b->data = 0;
	if (b->owner == 's' && b->unlocked)
		move(b, true);
	else if (!b->params.silent)
		return PMK_EIO;
	*value = b->data;
	return 0;
}

static int plain_store(struct board *b, unsigned offset, uint32_t value)
{
	if (!b->params.access)
		return PMK_EIO;
	if (offset == 0x18) {
		b->unlocked = (value & 0xffff) == 0xebab && !(b->params.key_toggles && b->unlocked);
	} else if (offset == 0x10) {
		unsigned type = value >> 18 & 3;

		b->passed = 0;
		if (b->unlocked)
			b->ctrl = value & 0xfffff;
		if (type == 0 && b->owner == 's')
			b->owner = '-';
		if (type == 3 || (type && b->owner == '-'))
			b->owner = 's';
	} else if (b->owner == 's' && b->unlocked) {
		b->data = value;
		move(b, false);
	} else if (!b->params.silent) {
		return PMK_EIO;
	}
	return 0;
}

static void setup_board(struct board *b)
{
	memset(b, 0, sizeof(*b));
	b->n = 1 + (unsigned)pick(PROCESSORS);
	b->params = (struct pmk_mdm_params){
		.access = !one_in(20),
		.uart = one_in(2),
		.key_toggles = one_in(2),
		.cross_trigger = one_in(2),
		.status_is_jtag = one_in(4),
		.silent = one_in(2),
		.zero_first = one_in(2),
		.all_of_several = one_in(2),
		.undirected = one_in(4),
		.fetch_early = one_in(4),
	};
	for (unsigned i = 0; i < b->n; i++) {
		setup(&b->u[i]);
		b->port[i] = pmk_port_model(&b->u[i].mp);
	}
	pmk_mdm_model_reset(&b->mdm, &b->params, b->port, b->n);
	pmk_mdm_jtag_model_reset(&b->jtag, &b->mdm);
	b->owner = '-';
	b->command_next = true;
}

/* ---- through the module's registers -------------------------------------------------------- */

static uint32_t some_ctrl(void)
{
	static const uint32_t usual[] = { 0x4a207, 0x4a404, 0x4a601, 0x4ac1f, 0x4ac1f, 0x4ac1f,
					  0x4ae1f, 0x61a07, 0x6001f, 0x6181f, 0x61822 };
	uint32_t w = usual[pick(COUNT(usual))];

	if (one_in(8))
		w = (w & 0x3ffff) | (uint32_t)pick(4) << 18;
	if (one_in(16))
		w = (w & ~0x1ffu) | (uint32_t)pick(80);
	if (one_in(16))
		w = (w & ~0x1fe00u) | (uint32_t)(0x50 + pick(10)) << 9;
	return w;
}

static uint32_t some_data(uint32_t ctrl)
{
	switch (ctrl >> 9 & 0xff) {
	case 0x51:
		return some_value(0);
	case 0x52:
		return some_value(1);
	case 0x0d:
		return (uint32_t)pick(8);
	default:
		return some_value(4);
	}
}

static void check_load(struct board *b, unsigned offset, unsigned round, unsigned step)
{
	uint32_t is = 0, want;
	int want_err = plain_load(b, offset, &want);
	int err = pmk_mdm_model_load(&b->mdm, offset, &is);

	if (err != want_err || (!err && is != want))
		fail_msg("round %u, step %u: offset %x loads %x (%d), want %x (%d)", round, step,
			 offset, is, err, want, want_err);
}

static void check_store(struct board *b, unsigned offset, uint32_t value, unsigned round,
			unsigned step)
{
	int want_err = plain_store(b, offset, value);
	int err = pmk_mdm_model_store(&b->mdm, offset, value);

	if (err != want_err)
		fail_msg("round %u, step %u: a store to offset %x gives %d, want %d", round, step,
			 offset, err, want_err);
}

/*
 * A random step of software. In two of three cases it is a whole sequence (unlock, control, status,
 * data), otherwise a single load or store.
 */
static void access_module(struct board *b, unsigned round, unsigned step)
{
	uint32_t ctrl = some_ctrl();

	switch (pick(12)) {
	case 0:
		check_store(b, 0x18, one_in(4) ? (uint32_t)random64() : 0xebab, round, step);
		break;
	case 1:
		check_load(b, 0x10 + 4 * (unsigned)pick(3), round, step);
		break;
	case 2:
		check_store(b, 0x10, ctrl, round, step);
		break;
	case 3:
		check_store(b, 0x14, some_data(b->ctrl), round, step);
		break;
	default:
		if (!b->unlocked)
			check_store(b, 0x18, 0xebab, round, step);
		check_store(b, 0x10, ctrl, round, step);
		check_load(b, 0x10, round, step);
		if ((ctrl >> 9 & 0xff) == 0x53 || (ctrl >> 9 & 0xff) == 0x56 || one_in(20))
			check_load(b, 0x14, round, step);
		else
			check_store(b, 0x14, some_data(ctrl), round, step);
	}
}

static void jtag_takes_lock(struct board *b)
{
	bool force = one_in(2);

	if (one_in(2)) {
		bool may = b->owner != 's' || force;

		assert_int_equal(pmk_mdm_model_jtag_lock(&b->mdm, force), may);
		if (!may)
			return;
		b->owner = 'j';
		b->passed = 0;
	} else {
		pmk_mdm_model_jtag_unlock(&b->mdm);
		if (b->owner == 'j')
			b->owner = '-';
	}
}

static void test_through_the_module(void **state)
{
	static struct board b;

	(void)state;
	for (unsigned round = 0; round < UNIT_SAMPLES(1500); round++) {
		setup_board(&b);
		for (unsigned step = 0; step < 400; step++) {
			unsigned i = (unsigned)pick(b.n);

			if (one_in(4))
				live(&b.u[i]);
			else if (one_in(20))
				jtag_takes_lock(&b);
			else
				access_module(&b, round, step);
			if (one_in(4))
				check_line(&b.u[i], round, step);
		}
	}
}

/* ---- through JTAG -------------------------------------------------------------------------- */

static struct bits plain_scan_mdm(struct board *b, const struct bits *out)
{
	struct bits in = { .n = out->n }, moving;
	bool command = b->command_next, own = b->command < 0x50;

	b->command_next = !command;
	if (b->jtag_port != 1 || (!command && b->owner == 's'))
		return in;
	moving = command ? to_bits(0, 8, false)
			 : (b->early ? b->fetched : begin(b, own, b->command, true, false));
	for (unsigned i = 0; i < out->n; i++)
		in.bit[i] = push(&moving, out->bit[i]);
	if (!command) {
		b->early = false;
		end(b, &moving, own, b->command, own || (b->command != 0x53 && b->command != 0x56));
		return in;
	}
	b->command = (unsigned)from_bits(&moving, false);
	b->early = b->params.fetch_early && b->owner != 's';
	if (b->early)
		b->fetched = begin(b, b->command < 0x50, b->command, true, false);
	return in;
}

static struct bits plain_scan(struct board *b, const struct bits *out)
{
	struct bits in = { .n = out->n }, moving = to_bits(0, b->user ? 4 : 1, false);

	if (b->user && b->port_chosen)
		return plain_scan_mdm(b, out);
	for (unsigned i = 0; i < out->n; i++)
		in.bit[i] = push(&moving, out->bit[i]);
	if (b->user) {
		b->port_chosen = true;
		b->jtag_port = (unsigned)from_bits(&moving, false);
	}
	return in;
}

static void check_scan(struct board *b, uint64_t out, unsigned n, unsigned round, unsigned step)
{
	struct bits bits = to_bits(out, n, false), want = plain_scan(b, &bits);
	bool wanted = !one_in(4);
	uint8_t to[8], from[8];

	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(out >> 8 * i);
	memset(from, 0x5a, sizeof(from));
	assert_int_equal(pmk_mdm_jtag_model_scan(&b->jtag, n, to, wanted ? from : NULL), 0);
	if (!wanted)
		return;
	for (unsigned i = 0; i < n; i++)
		if ((from[i / 8] >> i % 8 & 1) != want.bit[i])
			fail_msg("round %u, step %u: bit %u of %u is %d", round, step, i, n,
				 !want.bit[i]);
}

static void select_user(struct board *b, bool user)
{
	b->user = user;
	b->port_chosen = b->early = false;
	b->command_next = true;
	b->command = 0;
	if (user)
		assert_int_equal(pmk_mdm_jtag_model_select(&b->jtag), 0);
	else
		pmk_mdm_jtag_model_deselect(&b->jtag);
}

static void access_jtag(struct board *b, unsigned round, unsigned step)
{
	static const uint8_t commands[] = { 0x51, 0x52, 0x52, 0x53, 0x56, 0x56,
					    0x56, 0x57, 0x0d, 0x00, 0x0c, 0x55 };
	unsigned command = commands[pick(COUNT(commands))], bits;
	uint32_t data = some_data(command << 9);
	struct bits mirrored;

	if (!b->user || !b->port_chosen || one_in(50)) {
		select_user(b, !one_in(10));
		check_scan(b, one_in(10) ? pick(16) : 1, 4, round, step);
		return;
	}
	if (one_in(30)) {
		check_scan(b, random64(), 1 + (unsigned)pick(63), round, step);
		return;
	}
	if (b->command_next)
		check_scan(b, command, 8, round, step);
	if (one_in(10))
		live(&b->u[pick(b->n)]);
	plain_reg(b->command, &bits);
	mirrored = to_bits(data, bits, true);
	if (b->command < 0x50)
		check_scan(b, data, b->command == 0x0c ? 35 : b->command ? 8 : 32, round, step);
	else
		check_scan(b, from_bits(&mirrored, false), bits ? bits : 7, round, step);
}

static void test_through_jtag(void **state)
{
	static struct board b;

	(void)state;
	for (unsigned round = 0; round < UNIT_SAMPLES(1500); round++) {
		setup_board(&b);
		for (unsigned step = 0; step < 400; step++) {
			unsigned i = (unsigned)pick(b.n);

			if (one_in(4))
				live(&b.u[i]);
			else if (one_in(20))
				access_module(&b, round, step);
			else if (one_in(20))
				jtag_takes_lock(&b);
			else
				access_jtag(&b, round, step);
			if (one_in(4))
				check_line(&b.u[i], round, step);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_directly),
		cmocka_unit_test(test_through_the_module),
		cmocka_unit_test(test_through_jtag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
