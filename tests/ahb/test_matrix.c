// SPDX-License-Identifier: MIT
/*
 * The bus matrix gives the known answers in small situations, written as one letter per cycle. Long
 * random runs satisfy the protocol checker and the observers' sums.
 *
 * A layer's cycle is one letter. Without a transfer: . idle, b BUSY. A transfer that waits: c to
 * connect, a for arbitration, s for the slave. The end of a beat: 1 of the first beat, n of a later
 * beat. Two cycles of a response: e and E of ERROR, r and R of RETRY, p and P of SPLIT.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "../unit.h"
#include "buses/ahb/check.h"
#include "buses/ahb/matrix.h"

#define ARMI  PMK_MATRIX_ARMI
#define CLCDC PMK_MATRIX_CLCDC
#define DMA0  PMK_MATRIX_DMA0
#define DMA1  PMK_MATRIX_DMA1
#define EXP   PMK_MATRIX_EXP
#define ARMD  PMK_MATRIX_ARMD

#define MEMORY	0x00001000
#define STATICS 0x20000000
#define NOTHING 0xf0000000

struct rig {
	struct pmk_matrix_config config;
	struct pmk_matrix matrix;
	struct pmk_ahb_layer layer[6];
	struct pmk_ahb_checker checker[6];
	struct pmk_bus bus[6];
	char seen[6][4000];
	char lock[6][4000]; /* HMASTLOCK; . for 0, L for 1 */
	unsigned n;
	/* For each layer: the transfer in its data phase was locked. */
	bool locked_data[6];
	/* For each slave: the layer whose locked sequence keeps it, or -1. */
	int keeper[PMK_MATRIX_MAX_SLAVES + 1];
};

static struct rig rig;

/* Sets up the slaves. mpmc has 2 waits on a first beat and 0 later; smc has 1 and 1. */
static void setup(void)
{
	struct pmk_ahb_checker_params strict = { .has = PMK_AHB_ALL, .bytes = 4, .lite = true };
	struct pmk_ahb_layer_params params;

	memset(&rig, 0, sizeof(rig));
	pmk_matrix_devchip(&rig.config);
	rig.config.slave[0].read_first = 2;
	rig.config.slave[0].write_first = 2;
	rig.config.slave[1] = (struct pmk_matrix_slave){ "smc", 1, 1, 1, 1, false };
	assert_int_equal(pmk_matrix_init(&rig.matrix, &rig.config), 0);
	pmk_ahb_layer_defaults(&params);
	for (unsigned i = 0; i < 6; i++) {
		pmk_bus_init(&rig.bus[i]);
		assert_int_equal(pmk_ahb_layer_init(&rig.layer[i], &params, &rig.bus[i]), 0);
		pmk_ahb_checker_init(&rig.checker[i], &strict);
	}
	for (unsigned s = 0; s <= PMK_MATRIX_MAX_SLAVES; s++)
		rig.keeper[s] = -1;
}

/*
 * Sets up AHB instead of AHB-Lite. The memory controller refuses one in `every` transfers of all
 * layers.
 */
static void setup_refusals(unsigned every, bool split, unsigned release)
{
	struct pmk_ahb_checker_params ahb = { .has = PMK_AHB_ALL, .bytes = 4 };

	setup();
	rig.config.refusable = 0x3f;
	rig.config.slave[0].refuse_every = every;
	rig.config.slave[0].split = split;
	rig.config.slave[0].release = release;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &rig.config), 0);
	for (unsigned i = 0; i < 6; i++)
		pmk_ahb_checker_init(&rig.checker[i], &ahb);
}

static char letter(const struct pmk_ahb_seen *seen)
{
	switch ((enum pmk_ahb_class)seen->class) {
	case PMK_AHB_C_IDLE:
		return '.';
	case PMK_AHB_C_BUSY:
		return 'b';
	case PMK_AHB_C_WAIT:
		return "?sca"[seen->cause];
	case PMK_AHB_C_DONE:
		return seen->resp ? "?ERP"[seen->resp] : seen->first ? '1' : 'n';
	case PMK_AHB_C_FIRST:
		return "?erp"[seen->resp];
	default:
		return '?';
	}
}

static void one_layer_per_slave(void)
{
	unsigned at[PMK_MATRIX_MAX_SLAVES + 1] = { 0 };

	for (unsigned i = 0; i < 6; i++) {
		const struct pmk_matrix_data *d = &rig.matrix.layer[i].data;

		if (d->place == PMK_MATRIX_AT_SLAVE)
			assert_int_equal(++at[d->slave], 1);
	}
}

/*
 * Checks that a locked transfer keeps other layers from its slave until a transfer ends while the
 * next address phase has HMASTLOCK low (IHI 0011A 3.11).
 */
static void check_locks(const struct pmk_ahb_cycle cycle[])
{
	for (unsigned i = 0; i < 6; i++) {
		const struct pmk_matrix_data *d = &rig.matrix.layer[i].data;

		if (cycle[i].hready)
			rig.locked_data[i] =
				cycle[i].hmastlock && cycle[i].htrans >= PMK_AHB_NONSEQ;
		if (d->place != PMK_MATRIX_AT_SLAVE)
			continue;
		if (rig.keeper[d->slave] >= 0)
			assert_int_equal(rig.keeper[d->slave], i);
		if (rig.locked_data[i])
			rig.keeper[d->slave] = (int)i;
	}
	for (unsigned s = 0; s <= PMK_MATRIX_MAX_SLAVES; s++)
		if (rig.keeper[s] >= 0 && cycle[rig.keeper[s]].hready &&
		    !cycle[rig.keeper[s]].hmastlock)
			rig.keeper[s] = -1;
}

static void take(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS], uint64_t n)
{
	struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS];
	char text[200];

	(void)ctx;
	one_layer_per_slave();
	check_locks(cycle);
	for (uint64_t k = 0; k < n; k++, rig.n++)
		for (unsigned i = 0; i < 6; i++) {
			pmk_ahb_layer_sample(&rig.layer[i], &rig.bus[i], &cycle[i]);
			if (rig.n < sizeof(rig.seen[i]) - 1)
				rig.seen[i][rig.n] = letter(&rig.layer[i].seen);
			if (rig.n < sizeof(rig.lock[i]) - 1)
				rig.lock[i][rig.n] = cycle[i].hmastlock ? 'L' : '.';
			if (pmk_ahb_checker_sample(&rig.checker[i], &cycle[i], v)) {
				pmk_violation_text(&v[0], &pmk_ahb_rules[v[0].rule],
						   pmk_ahb_role_name(v[0].role), text,
						   sizeof(text));
				fail_msg("layer %u, cycle %u: %s", i, rig.n, text);
			}
		}
}

static void run(unsigned cycles)
{
	pmk_matrix_run(&rig.matrix, cycles, take, NULL);
	assert_int_equal(rig.matrix.now, cycles);
	assert_int_equal(rig.n, cycles);
	for (unsigned i = 0; i < 6; i++) {
		const char *wrong = pmk_ahb_layer_check(&rig.layer[i], &rig.bus[i]);

		if (wrong)
			fail_msg("layer %u: %s", i, wrong);
		assert_int_equal(rig.layer[i].cause_unknown, 0);
		assert_int_equal(rig.layer[i].refused, rig.matrix.layer[i].refused);
	}
}

static uint64_t post(unsigned master, uint64_t at, uint64_t addr, unsigned burst, bool write)
{
	struct pmk_ahb_request r = { .at = at,
				     .addr = addr,
				     .burst = (uint8_t)burst,
				     .size = 2,
				     .prot = 3,
				     .beats = 1,
				     .write = write };
	uint64_t ticket = 99;

	assert_int_equal(pmk_matrix_post(&rig.matrix, master, &r, &ticket), 0);
	return ticket;
}

static void expect(unsigned master, const char *letters)
{
	assert_string_equal(rig.seen[master], letters);
}

/* ---- the development chip ------------------------------------------------------------------ */

/*
 * The chip's windows, and the reactions of its masters to ERROR, are those of DDI 0287B 4.2.2. Its
 * wait states are our choice.
 */
static void test_devchip(void **state)
{
	static const struct {
		uint64_t addr;
		int slave;
	} rows[] = {
		{ 0x00000000, 0 },   { 0x0fffffff, 0 },	 { 0x10000000, 2 }, { 0x1000ffff, 2 },
		{ 0x10010000, -1 },  { 0x101cffff, -1 }, { 0x101d0000, 4 }, { 0x101dffff, 4 },
		{ 0x101e0000, 2 },   { 0x101effff, 2 },	 { 0x101f0000, 3 }, { 0x101f0fff, 3 },
		{ 0x101f1000, 3 },   { 0x101f4fff, 3 },	 { 0x101fffff, 3 }, { 0x10200000, -1 },
		{ 0x1fffffff, -1 },  { 0x20000000, 1 },	 { 0x3fffffff, 1 }, { 0x40000000, -1 },
		{ 0x6fffffff, -1 },  { 0x70000000, 0 },	 { 0x7fffffff, 0 }, { 0x80000000, -1 },
		{ 0x100000000, -1 },
	};
	static const uint16_t waits[5][4] = {
		{ 5, 0, 2, 0 }, { 3, 2, 3, 2 }, { 2, 2, 2, 2 }, { 2, 2, 2, 2 }, { 0, 0, 0, 0 },
	};
	static const uint8_t on_error[6] = { PMK_MATRIX_GOES_ON, PMK_MATRIX_HALTS,
					     PMK_MATRIX_HALTS,	 PMK_MATRIX_HALTS,
					     PMK_MATRIX_DROPS,	 PMK_MATRIX_GOES_ON };
	struct pmk_matrix_config c;

	(void)state;
	pmk_matrix_devchip(&c);
	assert_int_equal(c.nslaves, 5);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int slave = -1;

		for (unsigned w = 0; slave < 0 && w < c.nwindows; w++)
			if (rows[i].addr >= c.window[w].first && rows[i].addr <= c.window[w].last)
				slave = (int)c.window[w].slave;
		assert_int_equal(slave, rows[i].slave);
	}
	for (unsigned s = 0; s < 5; s++) {
		assert_memory_equal(&c.slave[s].read_first, waits[s], sizeof(waits[s]));
		assert_false(c.slave[s].error);
	}
	assert_memory_equal(c.on_error, on_error, 6);
}

/* The windows of the chip's matrix include all windows of its observers. */
static void test_devchip_places(void **state)
{
	struct pmk_ahb_layer_params params;
	struct pmk_matrix_config c;

	(void)state;
	pmk_matrix_devchip(&c);
	pmk_ahb_layer_defaults(&params);
	pmk_ahb_layer_devchip_windows(&params);
	for (unsigned i = 0; i < params.nwindows; i++) {
		unsigned w = 0;

		while (w < c.nwindows && (c.window[w].first != params.window[i].first ||
					  c.window[w].last != params.window[i].last))
			w++;
		assert_true(w < c.nwindows);
		assert_int_equal(c.window[w].places, params.window[i].places);
	}
}

/* ---- one layer ----------------------------------------------------------------------------- */

/*
 * The address comes in cycle 0, is held for one cycle while the layer is connected, and then
 * reaches the slave.
 */
static void test_first_connection(void **state)
{
	(void)state;
	setup();
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false);
	run(6);
	expect(ARMD, ".css1.");
}

/*
 * The layer is already connected, so the second burst passes, and its address overlaps the first
 * burst.
 */
static void test_stays_connected(void **state)
{
	(void)state;
	setup();
	post(ARMD, 0, MEMORY, PMK_AHB_INCR4, false);
	post(ARMD, 0, MEMORY + 16, PMK_AHB_INCR4, true);
	post(ARMD, 20, MEMORY + 32, PMK_AHB_SINGLE, true);
	run(26);
	expect(ARMD, ".css1nnnss1nnn.......ss1..");
}

static void test_slaves_in_turn(void **state)
{
	(void)state;
	setup();
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false);
	post(ARMD, 0, STATICS, PMK_AHB_INCR4, false);
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false);
	run(20);
	/* The memory controller is still connected to ARM-D. */
	expect(ARMD, ".css1cs1snsnsnss1...");
}

static void test_every_burst(void **state)
{
	static const struct {
		unsigned burst;
		const char *letters;
	} rows[] = {
		{ PMK_AHB_SINGLE, ".css1..................." },
		{ PMK_AHB_INCR, ".css1..................." },
		{ PMK_AHB_WRAP4, ".css1nnn................" },
		{ PMK_AHB_INCR4, ".css1nnn................" },
		{ PMK_AHB_WRAP8, ".css1nnnnnnn............" },
		{ PMK_AHB_INCR8, ".css1nnnnnnn............" },
		{ PMK_AHB_WRAP16, ".css1nnnnnnnnnnnnnnn...." },
		{ PMK_AHB_INCR16, ".css1nnnnnnnnnnnnnnn...." },
	};

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		setup();
		post(EXP, 0, MEMORY + 0x14, rows[i].burst, false);
		run(24);
		expect(EXP, rows[i].letters);
	}
}

static void test_not_before_its_time(void **state)
{
	struct pmk_ahb_served s;
	uint64_t t;

	(void)state;
	setup();
	t = post(ARMI, 5, MEMORY, PMK_AHB_WRAP8, false);
	run(10);
	expect(ARMI, "......css1");
	assert_int_equal(pmk_matrix_served(&rig.matrix, ARMI, t, &s), 0);
	run(18);
	assert_int_equal(pmk_matrix_served(&rig.matrix, ARMI, t, &s), 1);
	assert_int_equal(s.start, 5);
	assert_int_equal(s.first, 9);
	assert_int_equal(s.last, 16);
	assert_int_equal(s.waits, 3);
	assert_false(s.error || s.dropped);
	assert_int_equal(rig.bus[ARMI].total[PMK_SIG_AHB_LINEFILL], 1);
}

static void test_busy(void **state)
{
	struct pmk_ahb_request r = {
		.addr = MEMORY, .burst = PMK_AHB_INCR, .size = 1, .beats = 3, .busy = 2
	};
	uint64_t t;

	(void)state;
	setup();
	assert_int_equal(pmk_matrix_post(&rig.matrix, EXP, &r, &t), 0);
	run(14);
	expect(EXP, ".css1bbnbbn...");
}

/* ---- two layers, one slave ----------------------------------------------------------------- */

/*
 * If two bursts begin in the same cycle, CLCDC goes first. ARM-D waits for its connection, and then
 * for its turn.
 */
static void test_priority_at_once(void **state)
{
	(void)state;
	setup();
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false);
	post(CLCDC, 0, MEMORY, PMK_AHB_INCR4, false);
	run(14);
	expect(CLCDC, ".css1nnn......");
	/* ARM-D's address is accepted while the last beat of CLCDC completes. */
	expect(ARMD, ".caaaaaass1...");
}

/*
 * If all six masters start a SINGLE in the same cycle, they are served in the order of DDI 0287B
 * 3.1.2.
 */
static void test_all_priorities(void **state)
{
	static const unsigned order[6] = { CLCDC, DMA0, EXP, DMA1, ARMD, ARMI };

	(void)state;
	setup();
	for (unsigned m = 0; m < 6; m++)
		post(m, 0, MEMORY + 64 * m, PMK_AHB_SINGLE, false);
	run(24);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(strchr(rig.seen[order[i]], '1') - rig.seen[order[i]], 4 + 3 * i);
	expect(CLCDC, ".css1...................");
	expect(DMA0, ".caaass1................");
	expect(ARMI, ".caaaaaaaaaaaaaaass1....");
}

/* A chip can have any order of priorities. */
static void test_other_priorities(void **state)
{
	(void)state;
	setup();
	for (unsigned i = 0; i < 6; i++)
		rig.config.priority[i] = (uint8_t)(5 - i);
	assert_int_equal(pmk_matrix_init(&rig.matrix, &rig.config), 0);
	for (unsigned m = 0; m < 6; m++)
		post(m, 0, MEMORY, PMK_AHB_SINGLE, false);
	run(24);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(strchr(rig.seen[i], '1') - rig.seen[i], 4 + 3 * (5 - i));
}

/* An incrementing burst gives way only at a quad-word boundary. Its next beat then waits. */
static void test_quad_word(void **state)
{
	(void)state;
	setup();
	post(ARMD, 0, MEMORY, PMK_AHB_INCR8, true);
	post(DMA0, 4, MEMORY + 256, PMK_AHB_SINGLE, false);
	run(20);
	/* cycles 0123456789 */
	expect(ARMD, ".css1nnnaaassnnnn...");
	expect(DMA0, ".....caass1.........");
	assert_int_equal(rig.layer[ARMD].later_waits, 5);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_WAIT_FIRST_BUS], 1);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_WAIT_FIRST_SLAVE], 2);
}

/* The address of a beat, and not its number, determines its quad word. */
static void test_quad_word_by_address(void **state)
{
	(void)state;
	setup();
	post(ARMD, 0, MEMORY + 12, PMK_AHB_INCR4, true);
	post(DMA0, 2, MEMORY + 256, PMK_AHB_SINGLE, false);
	run(16);
	expect(ARMD, ".css1aaassnnn...");
	expect(DMA0, "...cass1........");
}

/* A layer of lower priority does not interrupt a burst. A wrapping burst never gives way. */
static void test_no_give_way(void **state)
{
	(void)state;
	setup();
	post(ARMD, 0, MEMORY, PMK_AHB_INCR8, true);
	post(ARMI, 4, MEMORY + 256, PMK_AHB_SINGLE, false);
	run(18);
	expect(ARMD, ".css1nnnnnnn......");
	expect(ARMI, ".....caaaaaass1...");
	setup();
	post(ARMI, 0, MEMORY + 16, PMK_AHB_WRAP8, false);
	post(CLCDC, 4, MEMORY + 256, PMK_AHB_INCR4, false);
	run(20);
	expect(ARMI, ".css1nnnnnnn........");
	expect(CLCDC, ".....caaaaaass1nnn..");
}

/* Layers that access different slaves do not wait for each other. */
static void test_layers_are_parallel(void **state)
{
	(void)state;
	setup();
	post(ARMD, 0, MEMORY, PMK_AHB_INCR4, false);
	post(DMA1, 0, STATICS, PMK_AHB_INCR4, false);
	run(14);
	expect(ARMD, ".css1nnn......");
	expect(DMA1, ".cs1snsnsn....");
}

/*
 * Other layers get the slave between two single transfers, because arbitration takes place at the
 * start of each transfer.
 */
static void test_between_bursts(void **state)
{
	(void)state;
	setup();
	for (unsigned i = 0; i < 3; i++)
		post(ARMD, 0, MEMORY + 4 * i, PMK_AHB_SINGLE, true);
	post(DMA1, 2, MEMORY + 256, PMK_AHB_SINGLE, false);
	run(18);
	expect(ARMD, ".css1aaass1ss1....");
	expect(DMA1, "...cass1..........");
}

static void test_connect(void **state)
{
	(void)state;
	setup();
	rig.config.connect = 3;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &rig.config), 0);
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, true);
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, true);
	run(12);
	expect(ARMD, ".cccss1ss1..");
}

/* ---- errors -------------------------------------------------------------------------------- */

static void test_error_goes_on(void **state)
{
	struct pmk_ahb_served s;
	uint64_t t;

	(void)state;
	setup();
	t = post(ARMD, 0, NOTHING, PMK_AHB_INCR4, false);
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false);
	run(18);
	expect(ARMD, ".ceEeEeEeEcss1....");
	assert_int_equal(pmk_matrix_served(&rig.matrix, ARMD, t, &s), 1);
	assert_true(s.error && !s.dropped);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_READ], 5);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_INCR4], 1);
}

static void test_error_drops(void **state)
{
	struct pmk_ahb_served s;
	uint64_t t;

	(void)state;
	setup();
	t = post(EXP, 0, NOTHING, PMK_AHB_INCR4, true);
	post(EXP, 0, MEMORY, PMK_AHB_SINGLE, false);
	run(12);
	expect(EXP, ".ceE.css1...");
	assert_int_equal(pmk_matrix_served(&rig.matrix, EXP, t, &s), 1);
	assert_true(s.error && s.dropped);
	assert_int_equal(s.last, 3);
}

/* If the last beat of a burst gets an ERROR, the next burst is not affected. */
static void test_error_on_the_last_beat(void **state)
{
	(void)state;
	setup();
	post(EXP, 0, NOTHING, PMK_AHB_SINGLE, true);
	post(EXP, 0, MEMORY, PMK_AHB_SINGLE, false);
	run(10);
	expect(EXP, ".ceEcss1..");
}

/* Runs until the request is served, or until its master has halted. */
static int serve_ticket(unsigned master, uint64_t ticket, struct pmk_ahb_served *s)
{
	const struct pmk_matrix_layer *l = &rig.matrix.layer[master];
	int is;

	while (!(is = pmk_matrix_served(&rig.matrix, master, ticket, s)) &&
	       !(l->halted && l->data.place == PMK_MATRIX_NOWHERE))
		pmk_matrix_run(&rig.matrix, rig.matrix.now + 1, take, NULL);
	return is;
}

static void test_error_halts(void **state)
{
	struct pmk_ahb_served s;
	uint64_t t[3];

	(void)state;
	for (unsigned burst = PMK_AHB_SINGLE; burst <= PMK_AHB_INCR4; burst += 3) {
		setup();
		t[0] = post(DMA0, 0, NOTHING, burst, true);
		t[1] = post(DMA0, 0, MEMORY, PMK_AHB_INCR4, false);
		t[2] = post(DMA0, 0, MEMORY, PMK_AHB_INCR4, false);
		run(10);
		expect(DMA0, ".ceE......");
		assert_int_equal(pmk_matrix_served(&rig.matrix, DMA0, t[0], &s), 1);
		assert_true(s.error);
		assert_int_equal(s.dropped, burst == PMK_AHB_INCR4);
		assert_int_equal(serve_ticket(DMA0, t[1], &s), 0); /* the master has halted */
		assert_int_equal(pmk_matrix_quiet(&rig.matrix), UINT64_MAX);
		pmk_matrix_resume(&rig.matrix, DMA0);
		assert_int_equal(serve_ticket(DMA0, t[2], &s), 1);
		assert_string_equal(rig.seen[DMA0] + 10, ".css1nnnss1nnn");
	}
}

/* A master whose only transfer failed does not repeat it when the master is resumed. */
static void test_error_alone(void **state)
{
	struct pmk_ahb_served s;
	uint64_t t;

	(void)state;
	setup();
	t = post(DMA1, 0, NOTHING, PMK_AHB_SINGLE, false);
	run(10);
	assert_int_equal(pmk_matrix_served(&rig.matrix, DMA1, t, &s), 1);
	pmk_matrix_resume(&rig.matrix, DMA1);
	assert_int_equal(pmk_matrix_quiet(&rig.matrix), UINT64_MAX);
	run(20);
	expect(DMA1, ".ceE................");
}

/* After an error, the CLCDC begins its frame again. */
static void test_frame_again(void **state)
{
	struct pmk_matrix_script s = { .on = true,
				       .burst = PMK_AHB_INCR4,
				       .size = 2,
				       .prot = 3,
				       .addr = 0x7ffffff0,
				       .span = 32,
				       .period = 10 };

	(void)state;
	setup(); /* The second burst of the frame has an unmapped address. */
	assert_int_equal(pmk_matrix_script(&rig.matrix, CLCDC, &s), 0);
	run(40);
	assert_string_equal(rig.seen[CLCDC], ".css1nnn...ceE..........................");
	pmk_matrix_resume(&rig.matrix, CLCDC);
	run(60);
	assert_string_equal(rig.seen[CLCDC] + 40, ".ss1nnn....eE.......");
}

/* ---- RETRY and SPLIT ----------------------------------------------------------------------- */

/*
 * The transfer is refused in its first cycle, and the bus is idle in the second. Then the transfer
 * is repeated, and counts once.
 */
static void test_retry(void **state)
{
	struct pmk_ahb_served s;
	uint64_t t;

	(void)state;
	setup_refusals(1, false, 0);
	t = post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false);
	run(12);
	expect(ARMD, ".crR.ss1....");
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_READ], 1);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_SINGLE], 1);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_WAIT], 3);
	assert_int_equal(pmk_matrix_served(&rig.matrix, ARMD, t, &s), 1);
	assert_int_equal(s.first, 7);
	assert_int_equal(s.last, 7);
	assert_int_equal(s.waits, 3);
	assert_false(s.error || s.dropped);
}

/* If a first beat is refused, the whole burst is repeated unchanged. */
static void test_retry_of_a_first_beat(void **state)
{
	(void)state;
	setup_refusals(5, false, 0);
	post(ARMD, 0, MEMORY, PMK_AHB_INCR4, true);
	post(ARMD, 0, MEMORY + 64, PMK_AHB_INCR4, true);
	run(22);
	expect(ARMD, ".css1nnnrR.ss1nnn.....");
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_WRITE], 8);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_INCR4], 2);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_SINGLE], 0);
}

/*
 * If a later beat is refused, the ARM926EJ-S repeats it and all beats after it as single transfers
 * (DDI 0198D Table 6-1). Masters without SINGLE use INCR bursts of one beat.
 */
static void test_retry_within_a_burst(void **state)
{
	static const struct {
		unsigned master;
		uint64_t single, incr;
	} rows[] = { { ARMI, 2, 0 }, { CLCDC, 0, 2 }, { DMA0, 0, 2 },
		     { DMA1, 0, 2 }, { EXP, 0, 2 },   { ARMD, 2, 0 } };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		const struct pmk_bus *bus = &rig.bus[rows[i].master];

		setup_refusals(3, false, 0);
		post(rows[i].master, 0, MEMORY, PMK_AHB_INCR4, false);
		run(18);
		expect(rows[i].master, ".css1nrR.ss1ss1...");
		assert_int_equal(bus->total[PMK_SIG_AHB_READ], 4);
		assert_int_equal(bus->total[PMK_SIG_AHB_INCR4], 1);
		assert_int_equal(bus->total[PMK_SIG_AHB_SINGLE], rows[i].single);
		assert_int_equal(bus->total[PMK_SIG_AHB_INCR], rows[i].incr);
	}
}

/* The repeated beats of a wrapping burst keep their addresses. */
static void test_retry_wraps(void **state)
{
	static const uint32_t want[] = { 0x1018, 0x101c, 0x1000, 0x1004,
					 0x1008, 0x100c, 0x1010, 0x1014 };
	struct pmk_ahb_cycle cycle[6];
	unsigned n = 0;

	(void)state;
	setup_refusals(3, false, 0);
	post(ARMI, 0, MEMORY + 0x18, PMK_AHB_WRAP8, false);
	while (pmk_matrix_quiet(&rig.matrix) == 0) {
		uint64_t addr = rig.matrix.layer[ARMI].data.addr;
		bool at_slave = rig.matrix.layer[ARMI].data.place == PMK_MATRIX_AT_SLAVE;

		pmk_matrix_step(&rig.matrix, cycle);
		if (at_slave && cycle[ARMI].hready && cycle[ARMI].hresp == PMK_AHB_OKAY)
			assert_int_equal(addr, want[n++]);
	}
	assert_int_equal(n, 8);
	assert_int_equal(rig.matrix.layer[ARMI].refused,
			 2); /* the third beat, and the sixth repeated one */
}

/*
 * If the last beat is refused, the next burst has already shown its address. This address is
 * withdrawn, and the burst follows later.
 */
static void test_retry_of_a_last_beat(void **state)
{
	struct pmk_matrix_script s = { .on = true,
				       .burst = PMK_AHB_INCR4,
				       .size = 2,
				       .prot = 3,
				       .addr = MEMORY,
				       .span = 64,
				       .count = 3 };

	(void)state;
	setup_refusals(4, false, 0);
	post(DMA0, 0, MEMORY, PMK_AHB_INCR4, false);
	post(DMA0, 0, MEMORY + 64, PMK_AHB_INCR4, true);
	run(26);
	expect(DMA0, ".css1nnrR.ss1ss1nnrR.ss1..");
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_READ], 4);
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_WRITE], 4);
	setup_refusals(4, false, 0);
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), 0);
	run(40);
	expect(DMA0, ".css1nnrR.ss1ss1nnrR.ss1ss1nnrR.ss1.....");
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_READ], 12);
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_INCR4], 3);
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_INCR], 3);
	assert_int_equal(pmk_matrix_quiet(&rig.matrix), UINT64_MAX);
}

/*
 * Between a RETRY and the repeated transfer the slave is free, so a layer of higher priority can
 * use it.
 */
static void test_retry_lets_others_in(void **state)
{
	(void)state;
	setup_refusals(1, false, 0);
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false);
	post(DMA0, 3, STATICS, PMK_AHB_SINGLE, false);
	rig.config.slave[0].refuse_every = 0;
	run(3);
	rig.matrix.config.slave[0].refuse_every = 0;
	post(DMA0, 3, MEMORY, PMK_AHB_INCR4, false);
	run(24);
	expect(ARMD, ".crR.ss1................");
	expect(DMA0, "....cs1css1nnn..........");
	setup_refusals(2, false, 0);
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false);
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false); /* refused */
	/* The address of DMA-0 is held, and connected in the second cycle of the RETRY. */
	post(DMA0, 5, MEMORY, PMK_AHB_INCR, false);
	run(18);
	expect(ARMD, ".css1rR.cass1.....");
	expect(DMA0, "......css1........");
}

/*
 * After a SPLIT, the layer waits until the slave permits it to continue, and the slave serves
 * others in between.
 */
static void test_split(void **state)
{
	(void)state;
	setup_refusals(1, true, 6);
	post(ARMD, 0, MEMORY, PMK_AHB_INCR4, false);
	run(4);
	rig.matrix.config.slave[0].refuse_every = 0;
	post(DMA1, 4, MEMORY, PMK_AHB_SINGLE, true);
	run(24);
	expect(ARMD, ".cpP.......css1nnn......");
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_INCR4], 1);
	assert_int_equal(rig.bus[ARMD].total[PMK_SIG_AHB_READ], 4);
}

/*
 * A layer that cannot be refused gets wait states instead (DDI 0287B 4.2.2, on the AHB-AHB bridge).
 */
static void test_not_refusable(void **state)
{
	(void)state;
	for (unsigned split = 0; split < 2; split++) {
		setup_refusals(3, split, 2);
		rig.matrix.config.refusable = 1 << ARMD;
		post(EXP, 0, MEMORY, PMK_AHB_INCR4, false);
		run(14);
		expect(EXP, split ? ".css1nssssnn.." : ".css1nssnn....");
		assert_int_equal(rig.layer[EXP].later_waits, split ? 4 : 2);
	}
	pmk_matrix_devchip(&rig.config);
	assert_int_equal(rig.config.refusable, 0x20);
}

/* ---- locked transfers ---------------------------------------------------------------------- */

static uint64_t post_locked(unsigned master, uint64_t at, uint64_t addr, unsigned burst, bool write,
			    unsigned lock)
{
	struct pmk_ahb_request r = { .at = at,
				     .addr = addr,
				     .burst = (uint8_t)burst,
				     .size = 2,
				     .prot = 3,
				     .beats = 1,
				     .write = write,
				     .lock = (uint8_t)lock };
	uint64_t ticket = 99;

	assert_int_equal(pmk_matrix_post(&rig.matrix, master, &r, &ticket), 0);
	return ticket;
}

static void expect_lock(unsigned master, const char *letters)
{
	assert_string_equal(rig.lock[master], letters);
}

/* A locked burst does not give way at a quad-word boundary. An idle cycle follows it. */
static void test_lock(void **state)
{
	(void)state;
	setup();
	post_locked(ARMD, 0, MEMORY, PMK_AHB_INCR8, true, PMK_MATRIX_LOCKED);
	post(ARMD, 0, MEMORY, PMK_AHB_SINGLE, true);
	post(DMA0, 4, MEMORY + 256, PMK_AHB_SINGLE, false);
	run(24);
	/* cycles 0123456789 */
	expect(ARMD, ".css1nnnnnnn.aaass1.....");
	expect_lock(ARMD, "LLLLLLLLLLL.............");
	expect(DMA0, ".....caaaaaaass1........");
	expect_lock(DMA0, "........................");
}

/*
 * A locked read and write, as for SWP: a request that is posted between them is served after both.
 */
static void test_locked_pair(void **state)
{
	(void)state;
	setup();
	post_locked(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false, PMK_MATRIX_LOCKED_PAIR);
	post_locked(ARMD, 8, MEMORY, PMK_AHB_SINGLE, true, PMK_MATRIX_LOCKED);
	post(CLCDC, 2, MEMORY + 256, PMK_AHB_SINGLE, false);
	run(20);
	expect(ARMD, ".css1....ss1........");
	expect_lock(ARMD, "LLLLLLLLL...........");
	expect(CLCDC, "...caaaaaaaaass1....");
}

/* Only the slave of the locked sequence is locked. */
static void test_lock_is_of_one_slave(void **state)
{
	(void)state;
	setup();
	post_locked(ARMD, 0, MEMORY, PMK_AHB_INCR8, true, PMK_MATRIX_LOCKED);
	post(DMA0, 4, STATICS, PMK_AHB_SINGLE, false);
	run(14);
	expect(ARMD, ".css1nnnnnnn..");
	expect(DMA0, ".....cs1......");
}

/* A refused locked sequence keeps the slave. A sequence that ends with an ERROR releases it. */
static void test_lock_and_responses(void **state)
{
	(void)state;
	for (unsigned split = 0; split < 2; split++) {
		setup_refusals(2, split, 3);
		post_locked(ARMD, 0, MEMORY, PMK_AHB_SINGLE, false, PMK_MATRIX_LOCKED_PAIR);
		post_locked(ARMD, 0, MEMORY, PMK_AHB_SINGLE, true, PMK_MATRIX_LOCKED);
		post(CLCDC, 2, MEMORY + 256, PMK_AHB_SINGLE, false);
		run(20);
		expect(ARMD, split ? ".css1pP....ss1......" : ".css1rR.ss1.........");
		expect_lock(ARMD, split ? "LLLLL.LLLLL........." : "LLLLL.LL............");
		expect(CLCDC, split ? "...caaaaaaaaaaass1.." : "...caaaaaaaass1.....");
	}
	setup(); /* After an ERROR of its read, a SWP still attempts its write (DDI 0287B 4.2.2). */
	post_locked(ARMD, 0, NOTHING, PMK_AHB_SINGLE, false, PMK_MATRIX_LOCKED_PAIR);
	post_locked(ARMD, 0, NOTHING, PMK_AHB_SINGLE, true, PMK_MATRIX_LOCKED);
	post(CLCDC, 0, NOTHING, PMK_AHB_SINGLE, false);
	post_locked(DMA0, 20, NOTHING, PMK_AHB_SINGLE, false, PMK_MATRIX_LOCKED_PAIR);
	post_locked(DMA0, 20, NOTHING, PMK_AHB_SINGLE, true, PMK_MATRIX_LOCKED);
	post(ARMI, 24, NOTHING, PMK_AHB_SINGLE, false);
	run(34);
	expect(CLCDC, ".ceE..............................");
	expect(ARMD, ".caaeEeE..........................");
	expect(DMA0, ".....................ceE..........");
	expect(ARMI, ".........................ceE......");
	expect_lock(DMA0, "....................LLL...........");
}

/*
 * A script makes locked bursts, or locked pairs of a read and a write at one address. The period of
 * pairs is the time from read to read.
 */
static void test_locked_scripts(void **state)
{
	struct pmk_matrix_script s = { .on = true,
				       .burst = PMK_AHB_INCR,
				       .beats = 1,
				       .size = 2,
				       .prot = 3,
				       .lock = true,
				       .direction = PMK_MATRIX_BOTH,
				       .addr = MEMORY,
				       .span = 8,
				       .period = 12,
				       .count = 4 };

	(void)state;
	setup();
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), 0);
	run(30);
	expect(DMA0, ".css1ss1.....ss1ss1...........");
	expect_lock(DMA0, "LLLLL.......LLLL..............");
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_READ], 2);
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_WRITE], 2);
	s.count = 3;
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), PMK_EINVAL);
	s.direction = PMK_MATRIX_WRITES;
	s.period = 0;
	setup();
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), 0);
	post(ARMI, 1, MEMORY, PMK_AHB_SINGLE, false); /* ARM-I: last priority, but gets its turn */
	run(24);
	expect(DMA0, ".css1.ss1.ss1...........");
	expect(ARMI, "..caaaaaaaaaaass1.......");
}

/* ---- the queue and time -------------------------------------------------------------------- */

static void test_queue(void **state)
{
	struct pmk_ahb_request r = { .addr = MEMORY, .burst = PMK_AHB_SINGLE, .size = 2 };
	struct pmk_ahb_served s;
	uint64_t t;

	(void)state;
	setup();
	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(pmk_matrix_post(&rig.matrix, ARMD, &r, &t), 0);
		assert_int_equal(t, i);
	}
	assert_int_equal(pmk_matrix_post(&rig.matrix, ARMD, &r, &t), PMK_EBUSY);
	assert_int_equal(pmk_matrix_served(&rig.matrix, ARMD, 16, &s), PMK_ERANGE);
	assert_int_equal(serve_ticket(ARMD, 0, &s), 1);
	assert_int_equal(s.last, 4);
	assert_int_equal(rig.matrix.now, 5);
	assert_int_equal(pmk_matrix_post(&rig.matrix, ARMD, &r, &t), 0);
	assert_int_equal(pmk_matrix_served(&rig.matrix, ARMD, 0, &s), PMK_ERANGE); /* forgotten */
	assert_int_equal(serve_ticket(ARMD, t, &s), 1);
	assert_int_equal(s.last, 4 + 16 * 3);
	assert_int_equal(pmk_matrix_served(&rig.matrix, 6, 0, &s), PMK_ERANGE);
}

static void test_refused(void **state)
{
	static const struct pmk_ahb_request bad[] = {
		{ .addr = 2, .burst = PMK_AHB_SINGLE, .size = 2 },
		{ .addr = 1, .burst = PMK_AHB_SINGLE, .size = 1 },
		{ .addr = 0x3f4, .burst = PMK_AHB_INCR4, .size = 2 },
		{ .addr = 0x3fe, .burst = PMK_AHB_INCR4, .size = 0 },
		{ .addr = 0x3f8, .burst = PMK_AHB_INCR, .size = 2, .beats = 3 },
		{ .addr = 0, .burst = PMK_AHB_INCR, .size = 2 },
		{ .addr = 0, .burst = 8, .size = 2 },
		{ .addr = 0, .burst = PMK_AHB_SINGLE, .size = 3 },
	};
	struct pmk_ahb_request good = { .addr = 0x3f8, .burst = PMK_AHB_WRAP8, .size = 2 };
	uint64_t t;

	(void)state;
	setup();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pmk_matrix_post(&rig.matrix, EXP, &bad[i], &t), PMK_EINVAL);
	assert_int_equal(pmk_matrix_post(&rig.matrix, 6, &good, &t), PMK_EINVAL);
	assert_int_equal(pmk_matrix_post(&rig.matrix, EXP, &good, &t), 0);
}

static void test_config(void **state)
{
	struct pmk_matrix_config good, c;

	(void)state;
	setup();
	good = rig.config;
	c = good;
	c.nslaves = 9;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &c), PMK_EINVAL);
	c = good;
	c.window[3].slave = 5;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &c), PMK_EINVAL);
	c = good;
	c.priority[0] = 1;
	c.priority[1] = 1;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &c), PMK_EINVAL);
	c = good;
	c.priority[5] = 6;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &c), PMK_EINVAL);
	c = good;
	c.nslaves = 8;
	c.nwindows = 16;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &c), 0);
	c.nwindows = 17;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &c), PMK_EINVAL);
	c = good;
	c.connect = 0;
	assert_int_equal(pmk_matrix_init(&rig.matrix, &c), PMK_EINVAL);
	assert_int_equal(pmk_matrix_init(&rig.matrix, &good), 0);
	assert_int_equal(pmk_matrix_slave_find(&good, "MPMC"), 0);
	assert_int_equal(pmk_matrix_slave_find(&good, "ahbmon"), 4);
	assert_int_equal(pmk_matrix_slave_find(&good, "none"), -1);
}

/* ---- scripts ------------------------------------------------------------------------------- */

static void test_script(void **state)
{
	struct pmk_matrix_script s = { .on = true,
				       .burst = PMK_AHB_INCR4,
				       .size = 2,
				       .prot = 3,
				       .direction = PMK_MATRIX_BOTH,
				       .addr = MEMORY,
				       .span = 48,
				       .start = 5,
				       .period = 12,
				       .count = 4 };

	(void)state;
	setup();
	assert_int_equal(pmk_matrix_quiet(&rig.matrix), UINT64_MAX);
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), 0);
	assert_int_equal(pmk_matrix_quiet(&rig.matrix), 5);
	run(60);
	expect(DMA0, "......css1nnn.....ss1nnn......ss1nnn......ss1nnn............");
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_READ], 8);
	assert_int_equal(rig.bus[DMA0].total[PMK_SIG_AHB_WRITE], 8);
	s.count = 0;
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), 0);
	assert_int_equal(pmk_matrix_quiet(&rig.matrix), 0);
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, NULL), 0);
	assert_int_equal(pmk_matrix_quiet(&rig.matrix), UINT64_MAX);
	s.span = 40;
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), PMK_EINVAL);
	s.span = 0;
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), PMK_EINVAL);
	s.span = 48;
	s.addr = MEMORY + 4;
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), PMK_EINVAL);
	assert_int_equal(pmk_matrix_script(&rig.matrix, 6, NULL), PMK_EINVAL);
}

/* A script without a period starts each burst directly after the previous one. */
static void test_saturated(void **state)
{
	struct pmk_matrix_script s = {
		.on = true, .burst = PMK_AHB_INCR4, .size = 2, .prot = 3, .addr = MEMORY, .span = 64
	};

	(void)state;
	setup();
	assert_int_equal(pmk_matrix_script(&rig.matrix, DMA0, &s), 0);
	run(26);
	expect(DMA0, ".css1nnnss1nnnss1nnnss1nnn");
}

/* Requests in the queue come before those of the script. */
static void test_queue_before_script(void **state)
{
	struct pmk_matrix_script s = {
		.on = true, .burst = PMK_AHB_INCR4, .size = 2, .prot = 3, .addr = MEMORY, .span = 64
	};

	(void)state;
	setup();
	assert_int_equal(pmk_matrix_script(&rig.matrix, EXP, &s), 0);
	run(5);
	post(EXP, 0, MEMORY, PMK_AHB_SINGLE, true);
	run(26);
	expect(EXP, ".css1nnnss1ss1nnnss1nnnss1");
}

/* ---- at random ----------------------------------------------------------------------------- */

static uint32_t seed;

static uint32_t pick(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static bool post_random(unsigned master)
{
	static const uint32_t base[] = { 0x00000000, 0x20000000, 0x101e0000, 0x101f1000,
					 0xf0000000 };
	struct pmk_ahb_request r = { .at = rig.matrix.now + pick(40),
				     .burst = (uint8_t)pick(8),
				     .size = (uint8_t)pick(3),
				     .beats = (uint8_t)(1 + pick(20)),
				     .busy = (uint8_t)(master == EXP ? pick(3) : 0),
				     .prot = (uint8_t)pick(16),
				     .write = pick(2) };
	uint64_t t;

	r.addr = base[pick(5)] + (uint64_t)pick(1024 >> r.size << r.size);
	return pmk_matrix_post(&rig.matrix, master, &r, &t) == 0;
}

/*
 * Posts a locked burst, or a locked read and write of one address. Returns how many requests it
 * posted.
 */
static unsigned post_random_locked(unsigned master)
{
	struct pmk_ahb_request r = { .at = rig.matrix.now + pick(40),
				     .addr = (uint64_t)pick(64) * 4,
				     .burst = PMK_AHB_INCR,
				     .size = 2,
				     .beats = (uint8_t)(1 + pick(20)),
				     .write = pick(2),
				     .lock = PMK_MATRIX_LOCKED };
	struct pmk_matrix_layer *l = &rig.matrix.layer[master];
	bool pair = pick(2);
	uint64_t t;

	if (l->posted - l->done + 2 > PMK_MATRIX_QUEUE)
		return 0;
	if (pair) {
		r.lock = PMK_MATRIX_LOCKED_PAIR;
		assert_int_equal(pmk_matrix_post(&rig.matrix, master, &r, &t), 0);
		r.lock = PMK_MATRIX_LOCKED;
		r.at += pick(20);
	}
	assert_int_equal(pmk_matrix_post(&rig.matrix, master, &r, &t), 0);
	return 1 + pair;
}

/*
 * With random traffic of six masters, the protocol is obeyed, every wait has a cause, all cycles
 * add up, every request is served in order, and no slave serves two layers at a time.
 */
static void test_random(void **state)
{
	static uint64_t posted[6];

	(void)state;
	for (seed = 1; seed < 40; seed++) {
		uint32_t first = seed;

		setup();
		memset(posted, 0, sizeof(posted));
		rig.config.connect = 1 + pick(3);
		for (unsigned i = 0; i < 6; i++)
			rig.config.on_error[i] = (uint8_t)pick(2);
		assert_int_equal(pmk_matrix_init(&rig.matrix, &rig.config), 0);
		for (unsigned n = 0; n < 150; n++) {
			unsigned m = pick(6);

			posted[m] += post_random(m);
			pmk_matrix_run(&rig.matrix, rig.matrix.now + pick(20), take, NULL);
		}
		run((unsigned)rig.matrix.now + 8000);
		assert_int_equal(pmk_matrix_quiet(&rig.matrix), UINT64_MAX);
		for (unsigned m = 0; m < 6; m++) {
			assert_int_equal(rig.matrix.layer[m].done, posted[m]);
			assert_true(posted[m] > 3);
		}
		seed = first;
	}
}

/* What test_random() checks also holds if slaves refuse transfers and masters lock the bus. */
static void test_random_refusals(void **state)
{
	static uint64_t posted[6];
	uint64_t refused = 0;

	(void)state;
	for (seed = 1; seed < UNIT_SAMPLES(60); seed++) {
		uint32_t first = seed;

		setup_refusals(pick(6), pick(2), pick(10));
		memset(posted, 0, sizeof(posted));
		rig.config.slave[2].refuse_every = 1 + pick(3);
		rig.config.connect = 1 + pick(3);
		rig.config.refusable = (uint8_t)pick(64);
		for (unsigned i = 0; i < 6; i++)
			rig.config.on_error[i] = (uint8_t)pick(2);
		assert_int_equal(pmk_matrix_init(&rig.matrix, &rig.config), 0);
		for (unsigned n = 0; n < 150; n++) {
			unsigned m = pick(6);

			posted[m] += pick(3) ? post_random(m) : post_random_locked(m);
			pmk_matrix_run(&rig.matrix, rig.matrix.now + pick(20), take, NULL);
		}
		run((unsigned)rig.matrix.now + 20000);
		assert_int_equal(pmk_matrix_quiet(&rig.matrix), UINT64_MAX);
		for (unsigned m = 0; m < 6; m++) {
			assert_int_equal(rig.matrix.layer[m].done, posted[m]);
			refused += rig.matrix.layer[m].refused;
		}
		for (unsigned s = 0; s <= PMK_MATRIX_MAX_SLAVES; s++)
			assert_int_equal(rig.matrix.holder[s], 6);
		seed = first;
	}
	assert_true(refused > UNIT_SAMPLES(1000));
}

/*
 * Stepping through idle cycles gives the same result as skipping them. A copy of the matrix
 * continues independently.
 */
static void test_run_is_step(void **state)
{
	static struct pmk_matrix copy;
	struct pmk_ahb_cycle cycle[6];

	(void)state;
	setup();
	for (unsigned i = 0; i < 12; i++)
		post(i % 6, 37 * i, MEMORY + 64 * i, PMK_AHB_INCR8, i % 4 == 1);
	copy = rig.matrix;
	run(1000);
	for (unsigned i = 0; i < 1000; i++)
		pmk_matrix_step(&copy, cycle);
	assert_int_equal(copy.now, rig.matrix.now);
	for (unsigned m = 0; m < 6; m++)
		for (unsigned t = 0; t < 2; t++) {
			struct pmk_ahb_served a, b;

			assert_int_equal(pmk_matrix_served(&rig.matrix, m, t, &a), 1);
			assert_int_equal(pmk_matrix_served(&copy, m, t, &b), 1);
			assert_memory_equal(&a, &b, sizeof(a));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_devchip),
		cmocka_unit_test(test_devchip_places),
		cmocka_unit_test(test_first_connection),
		cmocka_unit_test(test_stays_connected),
		cmocka_unit_test(test_slaves_in_turn),
		cmocka_unit_test(test_every_burst),
		cmocka_unit_test(test_not_before_its_time),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_priority_at_once),
		cmocka_unit_test(test_all_priorities),
		cmocka_unit_test(test_other_priorities),
		cmocka_unit_test(test_quad_word),
		cmocka_unit_test(test_quad_word_by_address),
		cmocka_unit_test(test_no_give_way),
		cmocka_unit_test(test_layers_are_parallel),
		cmocka_unit_test(test_between_bursts),
		cmocka_unit_test(test_connect),
		cmocka_unit_test(test_error_goes_on),
		cmocka_unit_test(test_error_drops),
		cmocka_unit_test(test_error_on_the_last_beat),
		cmocka_unit_test(test_error_halts),
		cmocka_unit_test(test_error_alone),
		cmocka_unit_test(test_frame_again),
		cmocka_unit_test(test_retry),
		cmocka_unit_test(test_retry_of_a_first_beat),
		cmocka_unit_test(test_retry_within_a_burst),
		cmocka_unit_test(test_retry_wraps),
		cmocka_unit_test(test_retry_of_a_last_beat),
		cmocka_unit_test(test_retry_lets_others_in),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_not_refusable),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_locked_pair),
		cmocka_unit_test(test_lock_is_of_one_slave),
		cmocka_unit_test(test_lock_and_responses),
		cmocka_unit_test(test_locked_scripts),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_saturated),
		cmocka_unit_test(test_queue_before_script),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_refusals),
		cmocka_unit_test(test_run_is_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
