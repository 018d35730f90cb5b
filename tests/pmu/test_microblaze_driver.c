// SPDX-License-Identifier: MIT
/*
 * The MicroBlaze driver on a port that records accesses and lets them fail. Behind the port are
 * counters in their simplest form, for both readings of the manual: the four registers that step
 * through the counters have one pointer in common, or one each. They end the test if the driver
 * reads a write-only register, writes a read-only register, or continues after the last counter.
 *
 * Numbers are literal. Registers: 0 PCCTRLR, 1 PCCMDR, 2 PCSR, 3 PCDRR, 4 PCDWR. Commands: 0x10
 * Clear, 0x08 Start, 0x04 Stop, 0x02 Sample, 0x01 Reset.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/microblaze.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal(call, 0)

/* ---- the counters ---------------------------------------------------------------------------- */

struct place {
	unsigned counter, item;
};

struct values {
	uint32_t item[7];
	unsigned status;
};

struct hardware {
	unsigned events, latencies, width;
	bool shared; /* one pointer for all registers */
	struct place place[5];
	unsigned event[55];
	struct values live[55], sampled[55];
	bool running;
	uint64_t junk; /* ORed into the unused upper bits of values that are read */
};

static unsigned items(const struct hardware *hw, unsigned counter)
{
	if (counter < hw->events)
		return hw->width == 32 ? 1 : 2;
	return hw->width == 32 ? 4 : 7;
}

static struct place *place_of(struct hardware *hw, unsigned reg)
{
	struct place *p = &hw->place[hw->shared ? 0 : reg];

	assert_true(p->counter < hw->events + hw->latencies);
	return p;
}

static void next_counter(struct place *p)
{
	p->counter++;
	p->item = 0;
}

static void next_item(const struct hardware *hw, struct place *p)
{
	if (++p->item == items(hw, p->counter))
		next_counter(p);
}

static void command(struct hardware *hw, uint64_t bits)
{
	/*
	 * The driver writes one command at a time, because the effect of two commands in one write
	 * is not documented.
	 */
	assert_true(bits && bits < 0x20 && !(bits & (bits - 1)));
	if (bits == 0x01)
		memset(hw->place, 0, sizeof(hw->place));
	if (bits == 0x02)
		memcpy(hw->sampled, hw->live, sizeof(hw->live));
	if (bits == 0x04)
		hw->running = false;
	if (bits == 0x10)
		memset(hw->live, 0, sizeof(hw->live));
	if (bits == 0x08)
		hw->running = true;
}

static uint64_t hardware_read(struct hardware *hw, unsigned reg)
{
	struct place *p = place_of(hw, reg);
	uint64_t value;

	assert_true(reg == 2 || reg == 3);
	if (reg == 2) {
		value = hw->sampled[p->counter].status;
		next_counter(p);
		return value | hw->junk << 2;
	}
	value = hw->sampled[p->counter].item[p->item];
	next_item(hw, p);
	return value | hw->junk << 32;
}

static void hardware_write(struct hardware *hw, unsigned reg, uint64_t value)
{
	struct place *p;

	assert_true(reg == 0 || reg == 1 || reg == 4);
	if (reg == 1) {
		command(hw, value);
		return;
	}
	p = place_of(hw, reg);
	if (reg == 0) {
		assert_true(value < 64);
		hw->event[p->counter] = (unsigned)value;
		next_counter(p);
		return;
	}
	assert_true(value <= UINT32_MAX);
	assert_false(hw->running);
	hw->live[p->counter].item[p->item] = (uint32_t)value;
	next_item(hw, p);
}

/* ---- the port -------------------------------------------------------------------------------- */

struct rig {
	struct pmk_microblaze_pmu pmu;
	struct pmk_dev dev;
	const struct pmk_driver *drv;
	struct hardware hw;
	char log[8192]; /* " W1=1 R2": accesses since the last check */
	size_t len;
	unsigned n;  /* number of accesses */
	bool quiet;  /* only count accesses, and keep no text */
	int fail_at; /* this access fails with PMK_EIO; -1: none fails */
};

static int note(struct rig *r, const char *text)
{
	if (!r->quiet) {
		r->len += (size_t)snprintf(r->log + r->len, sizeof(r->log) - r->len, "%s", text);
		assert_true(r->len < sizeof(r->log));
	}
	return r->fail_at == (int)r->n++ ? PMK_EIO : 0;
}

static int rig_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;
	char text[32];
	int err;

	snprintf(text, sizeof(text), " R%u", reg);
	err = note(r, text);
	if (!err)
		*value = hardware_read(&r->hw, reg);
	return err;
}

static int rig_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;
	char text[32];
	int err;

	snprintf(text, sizeof(text), " W%u=%llx", reg, (unsigned long long)value);
	err = note(r, text);
	if (!err)
		hardware_write(&r->hw, reg, value);
	return err;
}

static void forget_log(struct rig *r)
{
	r->log[0] = '\0';
	r->len = 0;
	r->n = 0;
	r->fail_at = -1;
}

static void check_log(struct rig *r, const char *expected)
{
	assert_string_equal(r->len ? r->log + 1 : "", expected);
	forget_log(r);
}

static void setup(struct rig *r, unsigned events, unsigned latencies, unsigned width, bool shared)
{
	memset(r, 0, sizeof(*r));
	OK(pmk_microblaze_configure(&r->pmu, events, latencies, width));
	r->hw = (struct hardware){
		.events = events,
		.latencies = latencies,
		.width = width,
		.shared = shared,
	};
	/* An earlier user of the counters may have left the pointers at any counter. */
	for (unsigned i = 0; i < 5; i++)
		r->hw.place[i].counter = events + latencies - 1;
	r->dev.pmu = &r->pmu.pmu;
	r->dev.port = (struct pmk_port){ .read = rig_read, .write = rig_write, .ctx = r };
	r->drv = r->dev.pmu->driver;
	forget_log(r);
}

/* Sets up the default configuration of the tools. */
static void setup_default(struct rig *r)
{
	setup(r, 5, 1, 32, true);
	r->dev.pmu = &pmk_microblaze;
}

/* Returns a value that is different for every item. */
static uint32_t pattern(unsigned counter, unsigned item)
{
	return (counter * 8 + item + 1) * UINT32_C(0x9e3779b1);
}

/*
 * Fills the counters with patterns. Upper halves of 48-bit values have 16 bits, and the driver must
 * ignore the bits above.
 */
static void fill(struct rig *r)
{
	for (unsigned c = 0; c < r->hw.events + r->hw.latencies; c++) {
		for (unsigned i = 0; i < items(&r->hw, c); i++)
			r->hw.live[c].item[i] = pattern(c, i);
		r->hw.live[c].status = c & 3;
	}
}

/* ---- the procedure of the manual ------------------------------------------------------------- */

/*
 * The driver follows the typical procedure of UG984 "Performance Monitoring" for the default
 * configuration: it selects five events and a latency in order, clears and starts, samples and
 * stops, and reads six statuses and nine items.
 */
static void test_typical_procedure(void **state)
{
	static const unsigned codes[] = { 30, 0, 10, 11, 46, 60 };
	struct rig r;
	struct pmk_latency l;
	uint64_t value;
	unsigned bits;

	(void)state;
	setup_default(&r);
	OK(r.drv->reset(&r.dev));
	check_log(&r, "W1=4 W1=10 W1=2 W1=1 W0=31 W0=31 W0=31 W0=31 W0=31 W0=39");
	for (unsigned i = 0; i < 6; i++)
		OK(r.drv->program(&r.dev, i, codes[i]));
	check_log(&r, "W1=1 W0=1e W0=0 W0=a W0=b W0=2e W0=3c");
	OK(r.drv->zero(&r.dev));
	OK(r.drv->start(&r.dev));
	check_log(&r, "W1=10 W1=8");
	OK(r.drv->sample(&r.dev));
	OK(r.drv->stop(&r.dev));
	check_log(&r, "W1=2 W1=4");
	for (unsigned i = 0; i < 6; i++)
		OK(r.drv->status(&r.dev, i, &bits));
	check_log(&r, "W1=1 R2 R2 R2 R2 R2 R2");
	for (unsigned i = 0; i < 5; i++)
		OK(r.drv->read(&r.dev, i, &value));
	OK(r.drv->latency(&r.dev, 5, &l));
	check_log(&r, "W1=1 R3 R3 R3 R3 R3 R3 R3 R3 R3");
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void test_program_sequences(void **state)
{
	struct rig r;

	(void)state;
	setup_default(&r);
	OK(r.drv->reset(&r.dev));
	forget_log(&r);
	OK(r.drv->program(&r.dev, 3, 7));
	check_log(&r, "W1=1 W0=31 W0=31 W0=31 W0=7");
	OK(r.drv->program(&r.dev, 1, 5)); /* an earlier counter */
	check_log(&r, "W1=1 W0=31 W0=5");
	OK(r.drv->program(&r.dev, 2, 6)); /* the next counter */
	check_log(&r, "W0=6");
	OK(r.drv->program(&r.dev, 4, 8)); /* writes event 7 of counter 3 again to reach 4 */
	check_log(&r, "W0=7 W0=8");
	OK(r.drv->program(&r.dev, 4, 9)); /* the same counter again */
	check_log(&r, "W1=1 W0=31 W0=5 W0=6 W0=7 W0=9");
	OK(r.drv->start(&r.dev)); /* the next program() starts at the first counter again */
	OK(r.drv->program(&r.dev, 5, 63));
	check_log(&r, "W1=8 W1=1 W0=31 W0=5 W0=6 W0=7 W0=9 W0=3f");
}

static void test_read_sequences(void **state)
{
	struct rig r;
	struct pmk_latency l;
	uint64_t value;
	unsigned bits;

	(void)state;
	setup_default(&r);
	OK(r.drv->sample(&r.dev));
	check_log(&r, "W1=2");
	OK(r.drv->read(&r.dev, 1, &value));
	check_log(&r, "W1=1 R3 R3");
	OK(r.drv->read(&r.dev, 2, &value));
	check_log(&r, "R3");
	OK(r.drv->read(&r.dev, 4, &value));
	check_log(&r, "R3 R3");
	OK(r.drv->read(&r.dev, 4, &value));
	check_log(&r, "W1=1 R3 R3 R3 R3 R3");
	OK(r.drv->read(&r.dev, 5, &value)); /* only the first of four items */
	check_log(&r, "R3");
	OK(r.drv->latency(&r.dev, 5, &l));
	check_log(&r, "W1=1 R3 R3 R3 R3 R3 R3 R3 R3 R3");
	OK(r.drv->status(&r.dev, 2, &bits));
	check_log(&r, "W1=1 R2 R2 R2");
	OK(r.drv->status(&r.dev, 3, &bits));
	check_log(&r, "R2");
	OK(r.drv->read(&r.dev, 4, &value));
	check_log(&r, "W1=1 R3 R3 R3 R3 R3");
	OK(r.drv->status(&r.dev, 5, &bits));
	check_log(&r, "W1=1 R2 R2 R2 R2 R2 R2");
	OK(r.drv->read(&r.dev, 0, &value));
	OK(r.drv->sample(&r.dev)); /* a new sample is read from its first item */
	OK(r.drv->read(&r.dev, 1, &value));
	check_log(&r, "W1=1 R3 W1=2 W1=1 R3 R3");
}

/* Programs counters in random order. Each counter must then have its requested event. */
static void program_at_random(bool shared)
{
	struct rig r;
	unsigned expected[11];
	uint32_t random = 1;

	setup(&r, 8, 3, 48, shared);
	OK(r.drv->reset(&r.dev));
	for (unsigned i = 0; i < 11; i++)
		expected[i] = i < 8 ? 49 : 57;
	for (unsigned i = 0; i < 2000; i++) {
		unsigned counter, code;

		random = random * 1664525 + 1013904223;
		counter = (random >> 16) % 11;
		code = counter < 8 ? (random >> 24) % 64 : 57 + (random >> 24) % 7;
		OK(r.drv->program(&r.dev, counter, code));
		expected[counter] = code;
		for (unsigned c = 0; c < 11; c++)
			assert_int_equal(r.hw.event[c], expected[c]);
		forget_log(&r);
	}
}

static void test_program_in_any_order(void **state)
{
	(void)state;
	program_at_random(true);
	program_at_random(false);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns the count in an event counter's items (UG984, table of data items). */
static uint64_t count_of(const struct rig *r, unsigned c)
{
	if (r->hw.width == 32)
		return pattern(c, 0);
	if (r->hw.width == 48)
		return (uint64_t)(pattern(c, 0) & 0xffff) << 32 | pattern(c, 1);
	return (uint64_t)pattern(c, 0) << 32 | pattern(c, 1);
}

static void check_latency(const struct rig *r, unsigned c, const struct pmk_latency *l)
{
	uint64_t upper = r->hw.width == 48 ? 0xffff : 0xffffffff;

	assert_int_equal(l->n, pattern(c, 0));
	if (r->hw.width == 32) {
		assert_int_equal(l->sum, pattern(c, 1));
		assert_int_equal(l->sum2, pattern(c, 2));
		assert_int_equal(l->min, pattern(c, 3) >> 16);
		assert_int_equal(l->max, pattern(c, 3) & 0xffff);
		return;
	}
	assert_int_equal(l->sum, (pattern(c, 1) & upper) << 32 | pattern(c, 2));
	assert_int_equal(l->sum2, (pattern(c, 3) & upper) << 32 | pattern(c, 4));
	assert_int_equal(l->min, pattern(c, 5));
	assert_int_equal(l->max, pattern(c, 6));
}

static void check_counter(struct rig *r, unsigned c)
{
	struct pmk_latency l;
	uint64_t value;

	if (c < r->hw.events) {
		OK(r->drv->read(&r->dev, c, &value));
		assert_int_equal(value, count_of(r, c));
	} else {
		OK(r->drv->latency(&r->dev, c, &l));
		check_latency(r, c, &l);
	}
}

static void check_shape(unsigned events, unsigned latencies, unsigned width, bool shared)
{
	unsigned n = events + latencies;
	struct rig r;

	setup(&r, events, latencies, width, shared);
	r.quiet = true;
	r.hw.junk = 0x12345;
	fill(&r);
	OK(r.drv->sample(&r.dev));
	forget_log(&r);
	for (unsigned c = 0; c < n; c++)
		check_counter(&r, c);
	if (width == 32)
		assert_int_equal(r.n, 1 + events + 4 * latencies);
	else
		assert_int_equal(r.n, 1 + 2 * events + 7 * latencies);
	forget_log(&r);
	for (unsigned c = 0; c < n; c++) {
		unsigned bits = 0xff;

		OK(r.drv->status(&r.dev, c, &bits));
		/* PCSR: 2 Overflow, 1 Full */
		assert_int_equal(bits,
				 (c & 2 ? PMK_STATUS_OVERFLOW : 0) | (c & 1 ? PMK_STATUS_FULL : 0));
	}
	assert_int_equal(r.n, 1 + n);
	if (events % 8 <= 1) /* each earlier counter is reached from the first one, which is slow */
		for (unsigned c = n; c-- > 0;)
			check_counter(&r, c);
}

static void test_all_shapes(void **state)
{
	static const unsigned widths[] = { 32, 48, 64 };

	(void)state;
	for (size_t w = 0; w < COUNT(widths); w++)
		for (unsigned events = 0; events <= 48; events++)
			for (unsigned latencies = !events; latencies <= 7; latencies++) {
				check_shape(events, latencies, widths[w], true);
				check_shape(events, latencies, widths[w], false);
			}
}

/* The items of the manual's table are unpacked, with numbers that are easy to read. */
static void test_packing(void **state)
{
	static const struct {
		unsigned width;
		uint32_t item[7];
		struct pmk_latency l;
	} rows[] = {
		{ 32, { 3, 0x100, 0x2000, 0x00050009 }, { 3, 0x100, 0x2000, 5, 9 } },
		{ 32, { 1, 0, 0, 0xffffffff }, { 1, 0, 0, 0xffff, 0xffff } },
		{ 48,
		  { 7, 0x0001, 2, 0x0003, 4, 5, 0x60000 },
		  { 7, 0x100000002, 0x300000004, 5, 0x60000 } },
		{ 48,
		  { 1, 0xabcd0001, 2, 0xffff0003, 4, 5, 6 },
		  { 1, 0x100000002, 0x300000004, 5, 6 } },
		{ 64,
		  { 0xffffffff, 0xabcd0001, 2, 0xffff0003, 4, 5, 0xffffffff },
		  { 0xffffffff, 0xabcd000100000002, 0xffff000300000004, 5, 0xffffffff } },
	};
	struct rig r;
	struct pmk_latency l;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setup(&r, 0, 1, rows[i].width, true);
		memcpy(r.hw.sampled[0].item, rows[i].item, sizeof(rows[i].item));
		OK(r.drv->latency(&r.dev, 0, &l));
		assert_int_equal(l.n, rows[i].l.n);
		assert_int_equal(l.sum, rows[i].l.sum);
		assert_int_equal(l.sum2, rows[i].l.sum2);
		assert_int_equal(l.min, rows[i].l.min);
		assert_int_equal(l.max, rows[i].l.max);
	}
}

/*
 * If nothing occurred, the driver returns no shortest latency, although the hardware shows a
 * number.
 */
static void test_nothing_timed(void **state)
{
	static const unsigned widths[] = { 32, 48, 64 };
	struct rig r;
	struct pmk_latency l;

	(void)state;
	for (size_t w = 0; w < COUNT(widths); w++)
		for (uint32_t item = 0; item != 2; item++) {
			setup(&r, 1, 1, widths[w], true);
			for (unsigned i = 1; i < 7; i++)
				r.hw.sampled[1].item[i] = item ? UINT32_MAX : 0;
			OK(r.drv->latency(&r.dev, 1, &l));
			assert_int_equal(l.n, 0);
			assert_true(l.min > l.max);
		}
}

/*
 * read() of a latency counter returns the number of accesses that it timed, which has 32 bits at
 * any width.
 */
static void test_read_of_latency_counter(void **state)
{
	static const unsigned widths[] = { 32, 48, 64 };
	struct rig r;
	uint64_t value;

	(void)state;
	for (size_t w = 0; w < COUNT(widths); w++) {
		setup(&r, 2, 2, widths[w], false);
		fill(&r);
		OK(r.drv->sample(&r.dev));
		OK(r.drv->read(&r.dev, 3, &value));
		assert_int_equal(value, pattern(3, 0));
		OK(r.drv->read(&r.dev, 2, &value));
		assert_int_equal(value, pattern(2, 0));
	}
}

/*
 * The driver returns the values of the last sample. After a reset, it does not return values that
 * an earlier user sampled.
 */
static void test_sampled(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_default(&r);
	r.hw.live[1].item[0] = 100;
	OK(r.drv->sample(&r.dev));
	r.hw.live[1].item[0] = 200;
	OK(r.drv->read(&r.dev, 1, &value));
	assert_int_equal(value, 100);
	OK(r.drv->sample(&r.dev));
	OK(r.drv->read(&r.dev, 1, &value));
	assert_int_equal(value, 200);
	OK(r.drv->reset(&r.dev));
	OK(r.drv->read(&r.dev, 1, &value));
	assert_int_equal(value, 0);
}

/* ---- presets --------------------------------------------------------------------------------- */

static void test_preset_of_the_first(void **state)
{
	struct rig r;

	(void)state;
	setup_default(&r);
	OK(r.drv->write(&r.dev, 0, 0xfffffc18));
	check_log(&r, "W1=1 W4=fffffc18");
	OK(r.drv->write(&r.dev, 0, 1)); /* each write starts at the first counter */
	check_log(&r, "W1=1 W4=1");
	setup(&r, 5, 1, 48, true);
	OK(r.drv->write(&r.dev, 0, 0xfffffffffc18));
	check_log(&r, "W1=1 W4=ffff W4=fffffc18");
	setup(&r, 5, 1, 64, true);
	OK(r.drv->write(&r.dev, 0, 0xfffffffffffffc18));
	check_log(&r, "W1=1 W4=ffffffff W4=fffffc18");
}

/* A preset of a later counter keeps the values of the counters before it. */
static void test_preset_of_another(void **state)
{
	struct rig r;

	(void)state;
	setup_default(&r);
	for (unsigned c = 0; c < 5; c++)
		r.hw.live[c].item[0] = 0x10 + c;
	OK(r.drv->write(&r.dev, 2, 0xfffffff0));
	check_log(&r, "W1=2 W1=1 R3 R3 W1=1 W4=10 W4=11 W4=fffffff0");
	assert_int_equal(r.hw.live[2].item[0], 0xfffffff0);
	setup(&r, 5, 1, 48, true);
	r.hw.live[0].item[0] = 0xa;
	r.hw.live[0].item[1] = 0xb;
	OK(r.drv->write(&r.dev, 1, 0x100000002));
	check_log(&r, "W1=2 W1=1 R3 R3 W1=1 W4=a W4=b W4=1 W4=2");
}

static void check_presets(unsigned events, unsigned latencies, unsigned width, bool shared)
{
	uint64_t greatest = UINT64_MAX >> (64 - width);
	struct rig r;

	setup(&r, events, latencies, width, shared);
	r.quiet = true;
	fill(&r);
	OK(r.drv->write(&r.dev, events - 1, greatest - 7));
	OK(r.drv->sample(&r.dev));
	for (unsigned c = 0; c < events + latencies; c++) {
		uint64_t value;

		if (c != events - 1) {
			check_counter(&r, c);
			continue;
		}
		OK(r.drv->read(&r.dev, c, &value));
		assert_int_equal(value, greatest - 7);
	}
}

static void test_preset_of_the_last(void **state)
{
	static const unsigned widths[] = { 32, 48, 64 };

	(void)state;
	for (size_t w = 0; w < COUNT(widths); w++)
		for (unsigned events = 1; events <= 48; events++) {
			check_presets(events, events % 8, widths[w], true);
			check_presets(events, events % 8, widths[w], false);
		}
}

static void test_preset_errors(void **state)
{
	struct rig r;

	(void)state;
	setup_default(&r);
	assert_int_equal(r.drv->write(&r.dev, 6, 0), PMK_EINVAL);
	assert_int_equal(r.drv->write(&r.dev, 5, 0), PMK_ENOTSUP);
	assert_int_equal(r.drv->write(&r.dev, 0, 0x100000000), PMK_ERANGE);
	check_log(&r, "");
	OK(r.drv->start(&r.dev));
	assert_int_equal(r.drv->write(&r.dev, 0, 0), PMK_EBUSY);
	check_log(&r, "W1=8");
	OK(r.drv->stop(&r.dev));
	OK(r.drv->write(&r.dev, 0, 0xffffffff));
	setup(&r, 5, 1, 48, true);
	assert_int_equal(r.drv->write(&r.dev, 0, 0x1000000000000), PMK_ERANGE);
	OK(r.drv->write(&r.dev, 0, 0xffffffffffff));
}

/* ---- the other slots ------------------------------------------------------------------------- */

static void test_program_errors(void **state)
{
	struct rig r;

	(void)state;
	setup_default(&r);
	assert_int_equal(r.drv->program(&r.dev, 6, 0), PMK_EINVAL);
	assert_int_equal(r.drv->program(&r.dev, 0, 64), PMK_ENOEVENT);
	assert_int_equal(r.drv->program(&r.dev, 5, 64), PMK_ENOEVENT);
	assert_int_equal(r.drv->program(&r.dev, 0, 0x100), PMK_ENOEVENT);
	for (unsigned code = 0; code < 57; code++)
		assert_int_equal(r.drv->program(&r.dev, 5, code), PMK_EINVAL);
	check_log(&r, "");
	for (unsigned code = 57; code < 64; code++)
		OK(r.drv->program(&r.dev, 5, code));
	OK(r.drv->program(&r.dev, 0, 57)); /* an event counter counts completed latencies */
	OK(r.drv->program(&r.dev, 0, 63));
	assert_int_equal(r.hw.event[0], 63);
}

static void test_numbers_out_of_range(void **state)
{
	struct pmk_latency l;
	struct rig r;
	uint64_t value;
	unsigned bits;

	(void)state;
	setup_default(&r);
	assert_int_equal(r.drv->read(&r.dev, 6, &value), PMK_EINVAL);
	assert_int_equal(r.drv->status(&r.dev, 6, &bits), PMK_EINVAL);
	assert_int_equal(r.drv->latency(&r.dev, 6, &l), PMK_EINVAL);
	for (unsigned c = 0; c < 5; c++)
		assert_int_equal(r.drv->latency(&r.dev, c, &l), PMK_EINVAL);
	check_log(&r, "");
}

/*
 * The hardware does not show whether it is running, so running() returns what start() and stop()
 * did.
 */
static void test_running(void **state)
{
	struct rig r;
	bool yes = true;

	(void)state;
	setup_default(&r);
	OK(r.drv->running(&r.dev, &yes));
	assert_false(yes);
	OK(r.drv->start(&r.dev));
	OK(r.drv->running(&r.dev, &yes));
	assert_true(yes);
	OK(r.drv->program(&r.dev, 5, 60));
	OK(r.drv->zero(&r.dev));
	OK(r.drv->running(&r.dev, &yes));
	assert_true(yes);
	OK(r.drv->stop(&r.dev));
	OK(r.drv->running(&r.dev, &yes));
	assert_false(yes);
	OK(r.drv->start(&r.dev));
	OK(r.drv->reset(&r.dev));
	OK(r.drv->running(&r.dev, &yes));
	assert_false(yes);
	assert_false(r.hw.running);
}

/* There are no flags, and Dbg_Intr cannot be disabled. */
static void test_overflows(void **state)
{
	struct rig r;
	uint32_t counters = 0xff;

	(void)state;
	setup_default(&r);
	OK(r.drv->pending(&r.dev, &counters));
	assert_int_equal(counters, 0);
	OK(r.drv->clear(&r.dev, 0));
	OK(r.drv->irq_enable(&r.dev, 0));
	assert_int_equal(r.drv->clear(&r.dev, 1), PMK_ENOTSUP);
	assert_int_equal(r.drv->irq_enable(&r.dev, 1), PMK_ENOTSUP);
	check_log(&r, "");
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int do_reset(struct rig *r)
{
	return r->drv->reset(&r->dev);
}

static int do_program(struct rig *r)
{
	return r->drv->program(&r->dev, 5, 60);
}

static int do_start(struct rig *r)
{
	return r->drv->start(&r->dev);
}

static int do_stop(struct rig *r)
{
	return r->drv->stop(&r->dev);
}

static int do_sample(struct rig *r)
{
	return r->drv->sample(&r->dev);
}

static int do_zero(struct rig *r)
{
	return r->drv->zero(&r->dev);
}

static int do_read(struct rig *r)
{
	uint64_t value = 0;
	int err = r->drv->read(&r->dev, 4, &value);

	assert_true(err || value == pattern(4, 0));
	return err;
}

static int do_latency(struct rig *r)
{
	struct pmk_latency l;
	int err = r->drv->latency(&r->dev, 5, &l);

	if (!err)
		check_latency(r, 5, &l);
	return err;
}

static int do_status(struct rig *r)
{
	unsigned bits = 0;
	int err = r->drv->status(&r->dev, 3, &bits);

	assert_true(err || bits == (PMK_STATUS_OVERFLOW | PMK_STATUS_FULL));
	return err;
}

static int do_write(struct rig *r)
{
	return r->drv->write(&r->dev, 3, 0x12345678);
}

/*
 * The driver returns the error of a failing access. Its next call does not rely on the position in
 * the sequence.
 */
static void test_every_access_fails_once(void **state)
{
	static const struct {
		int (*call)(struct rig *r);
		unsigned accesses;
	} calls[] = {
		{ do_reset, 10 }, { do_program, 7 }, { do_start, 1 }, { do_stop, 1 },
		{ do_sample, 1 }, { do_zero, 1 },    { do_read, 6 },  { do_latency, 10 },
		{ do_status, 5 }, { do_write, 10 },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(calls); i++)
		for (unsigned at = 0; at < calls[i].accesses; at++) {
			setup_default(&r);
			fill(&r);
			memcpy(r.hw.sampled, r.hw.live, sizeof(r.hw.live));
			r.fail_at = (int)at;
			assert_int_equal(calls[i].call(&r), PMK_EIO);
			assert_int_equal(r.n, at + 1); /* nothing more was accessed */
			forget_log(&r);
			OK(calls[i].call(&r));
			assert_int_equal(r.n, calls[i].accesses);
		}
}

/*
 * After an access failed in the middle of an ascending sequence, the next call starts again at the
 * first counter.
 */
static void test_sequence_after_a_fault(void **state)
{
	struct rig r;
	uint64_t value;
	unsigned bits;

	(void)state;
	setup_default(&r);
	OK(r.drv->read(&r.dev, 1, &value));
	forget_log(&r);
	r.fail_at = 0;
	assert_int_equal(r.drv->read(&r.dev, 2, &value), PMK_EIO);
	check_log(&r, "R3");
	OK(r.drv->read(&r.dev, 3, &value));
	check_log(&r, "W1=1 R3 R3 R3 R3");
	OK(r.drv->status(&r.dev, 0, &bits));
	forget_log(&r);
	r.fail_at = 0;
	assert_int_equal(r.drv->status(&r.dev, 1, &bits), PMK_EIO);
	check_log(&r, "R2");
	OK(r.drv->status(&r.dev, 1, &bits));
	check_log(&r, "W1=1 R2 R2");
	OK(r.drv->program(&r.dev, 0, 1));
	forget_log(&r);
	r.fail_at = 0;
	assert_int_equal(r.drv->program(&r.dev, 1, 2), PMK_EIO);
	check_log(&r, "W0=2");
	OK(r.drv->program(&r.dev, 2, 3)); /* also writes again the event of the failed access */
	check_log(&r, "W1=1 W0=1 W0=2 W0=3");
}

static void test_failed_start_and_stop(void **state)
{
	struct rig r;
	bool yes;

	(void)state;
	setup_default(&r);
	r.fail_at = 0;
	assert_int_equal(r.drv->start(&r.dev), PMK_EIO);
	OK(r.drv->running(&r.dev, &yes));
	assert_false(yes);
	OK(r.drv->start(&r.dev));
	forget_log(&r);
	r.fail_at = 0;
	assert_int_equal(r.drv->stop(&r.dev), PMK_EIO);
	OK(r.drv->running(&r.dev, &yes));
	assert_true(yes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_typical_procedure),
		cmocka_unit_test(test_program_sequences),
		cmocka_unit_test(test_read_sequences),
		cmocka_unit_test(test_program_in_any_order),
		cmocka_unit_test(test_all_shapes),
		cmocka_unit_test(test_packing),
		cmocka_unit_test(test_nothing_timed),
		cmocka_unit_test(test_read_of_latency_counter),
		cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_preset_of_the_first),
		cmocka_unit_test(test_preset_of_another),
		cmocka_unit_test(test_preset_of_the_last),
		cmocka_unit_test(test_preset_errors),
		cmocka_unit_test(test_program_errors),
		cmocka_unit_test(test_numbers_out_of_range),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_overflows),
		cmocka_unit_test(test_every_access_fails_once),
		cmocka_unit_test(test_sequence_after_a_fault),
		cmocka_unit_test(test_failed_start_and_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
