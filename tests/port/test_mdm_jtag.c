// SPDX-License-Identifier: MIT
/*
 * The JTAG port of the MDM in front of a chain that records the bits of every scan in the order in which
 * they are shifted. Registers: 0 PCCTRLR, 1 PCCMDR, 2 PCSR, 3 PCDRR, 4 PCDWR.
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

struct chain {
	char log[4096]; /* " select 1000 10001010" */
	size_t len;
	unsigned n;	    /* scans and selects since the last check */
	int fail_at;	    /* this one fails with PMK_EIO; -1: none */
	const char *answer; /* what comes out, in order; zeros behind its end */
};

static int note(struct chain *c, const char *text)
{
	c->len += (size_t)snprintf(c->log + c->len, sizeof(c->log) - c->len, " %s", text);
	assert_true(c->len < sizeof(c->log));
	return c->fail_at == (int)c->n++ ? PMK_EIO : 0;
}

static int chain_select(void *ctx)
{
	return note(ctx, "select");
}

static int chain_scan(void *ctx, unsigned bits, const uint8_t *out, uint8_t *in)
{
	struct chain *c = ctx;
	char text[40];
	int err;

	assert_true(bits && bits <= 32);
	for (unsigned i = 0; i < bits; i++)
		text[i] = out[i / 8] >> i % 8 & 1 ? '1' : '0';
	text[bits] = '\0';
	err = note(c, text);
	if (err || !in)
		return err;
	for (unsigned i = 0; i < bits; i++) {
		bool bit = *c->answer && *c->answer++ == '1';

		in[i / 8] = (uint8_t)((in[i / 8] & ~(1u << i % 8)) | (unsigned)bit << i % 8);
	}
	return 0;
}

struct rig {
	struct chain chain;
	struct pmk_mdm_jtag jtag;
	struct pmk_port port;
};

static void forget_log(struct chain *c)
{
	c->log[0] = '\0';
	c->len = 0;
	c->n = 0;
	c->fail_at = -1;
}

static void check_log(struct rig *r, const char *expected)
{
	assert_string_equal(r->chain.len ? r->chain.log + 1 : "", expected);
	forget_log(&r->chain);
}

static void setup(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	r->chain.answer = "";
	r->jtag = (struct pmk_mdm_jtag){
		.select = chain_select,
		.scan = chain_scan,
		.ctx = &r->chain,
		.ports = 1,
	};
	r->port = pmk_port_mdm_jtag(&r->jtag);
	forget_log(&r->chain);
}

static void setup_open(struct rig *r)
{
	setup(r);
	OK(pmk_mdm_jtag_open(&r->jtag));
	forget_log(&r->chain);
}

static int get(struct rig *r, unsigned reg, uint64_t *value)
{
	return r->port.read(r->port.ctx, reg, value);
}

static int put(struct rig *r, unsigned reg, uint64_t value)
{
	return r->port.write(r->port.ctx, reg, value);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* Port select is 1 in 4 bits. */
static void test_open(void **state)
{
	struct rig r;

	(void)state;
	setup(&r);
	OK(pmk_mdm_jtag_open(&r.jtag));
	check_log(&r, "select 1000");
}

/* Commands 0x51, 0x52 and 0x57 with bit 0 first, data with the highest bit first. */
static void test_write(void **state)
{
	struct rig r;

	(void)state;
	setup_open(&r);
	OK(put(&r, 0, 0x1e));
	check_log(&r, "10001010 00011110");
	OK(put(&r, 1, 0x18));
	check_log(&r, "01001010 11000");
	OK(put(&r, 1, 0x01));
	check_log(&r, "01001010 00001");
	OK(put(&r, 4, 0x80000003));
	check_log(&r, "11101010 10000000000000000000000000000011");
}

/* Commands 0x53 and 0x56, zeros in, the highest bit comes first. */
static void test_read(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	r.chain.answer = "10";
	OK(get(&r, 2, &value));
	assert_int_equal(value, 2);
	check_log(&r, "11001010 00");
	r.chain.answer = "01";
	OK(get(&r, 2, &value));
	assert_int_equal(value, 1);
	forget_log(&r.chain);
	r.chain.answer = "11001010111111100000000000000001";
	OK(get(&r, 3, &value));
	assert_int_equal(value, 0xcafe0001);
	check_log(&r, "01101010 00000000000000000000000000000000");
}

/* Which-MicroBlaze, command 0x0D, is the module's: bit 0 first. */
static void test_processors(void **state)
{
	static const struct {
		unsigned ports, processor;
		const char *log;
	} rows[] = {
		{ 2, 0, "select 1000 10110000 10000000" },
		{ 2, 1, "select 1000 10110000 01000000" },
		{ 8, 7, "select 1000 10110000 00000001" },
		{ 9, 8, "select 1000 10110000 000000001" },
		{ 32, 31, "select 1000 10110000 00000000000000000000000000000001" },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setup(&r);
		r.jtag.ports = (uint8_t)rows[i].ports;
		r.jtag.processor = (uint8_t)rows[i].processor;
		OK(pmk_mdm_jtag_open(&r.jtag));
		check_log(&r, rows[i].log);
	}
}

static void test_no_such_processor(void **state)
{
	static const unsigned char wrong[][2] = { { 0, 0 }, { 1, 1 }, { 33, 0 }, { 32, 32 } };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		setup(&r);
		r.jtag.ports = wrong[i][0];
		r.jtag.processor = wrong[i][1];
		assert_int_equal(pmk_mdm_jtag_open(&r.jtag), PMK_EINVAL);
		check_log(&r, "");
	}
}

static void test_wrong_direction(void **state)
{
	static const unsigned written[] = { 0, 1, 4 }, read[] = { 2, 3 };
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	for (size_t i = 0; i < COUNT(written); i++)
		assert_int_equal(get(&r, written[i], &value), PMK_EINVAL);
	for (size_t i = 0; i < COUNT(read); i++)
		assert_int_equal(put(&r, read[i], 0), PMK_EINVAL);
	assert_int_equal(get(&r, 5, &value), PMK_EBADREG);
	assert_int_equal(put(&r, 5, 0), PMK_EBADREG);
	check_log(&r, "");
}

/* A command scan for Status or Data Read is always followed by its data: nothing is read in vain. */
static void test_driver(void **state)
{
	const struct pmk_driver *drv = pmk_microblaze.driver;
	struct pmk_dev dev = { .pmu = &pmk_microblaze };
	struct rig r;
	uint64_t value;
	unsigned bits;

	(void)state;
	setup_open(&r);
	dev.port = r.port;
	OK(drv->program(&dev, 0, 30));
	check_log(&r, "01001010 00001 10001010 00011110");
	OK(drv->status(&dev, 0, &bits));
	check_log(&r, "01001010 00001 11001010 00");
	r.chain.answer = "00000000000000000000000000000101";
	OK(drv->read(&dev, 0, &value));
	assert_int_equal(value, 5);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int do_open(struct rig *r)
{
	r->jtag.ports = 2;
	return pmk_mdm_jtag_open(&r->jtag);
}

static int do_write(struct rig *r)
{
	return put(r, 0, 30);
}

static int do_read(struct rig *r)
{
	uint64_t value;

	return get(r, 3, &value);
}

/* Command or data next? Nobody knows, so nothing is sent until it has been opened again. */
static void test_every_scan_fails_once(void **state)
{
	static const struct {
		int (*call)(struct rig *r);
		unsigned scans;
	} calls[] = { { do_open, 4 }, { do_write, 2 }, { do_read, 2 } };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(calls); i++)
		for (unsigned at = 0; at < calls[i].scans; at++) {
			setup_open(&r);
			r.chain.fail_at = (int)at;
			assert_int_equal(calls[i].call(&r), PMK_EIO);
			assert_int_equal(r.chain.n, at + 1);
			forget_log(&r.chain);
			assert_int_equal(do_write(&r), PMK_EIO);
			assert_int_equal(do_read(&r), PMK_EIO);
			check_log(&r, "");
			OK(do_open(&r));
			OK(do_write(&r));
			OK(do_read(&r));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_processors),
		cmocka_unit_test(test_no_such_processor),
		cmocka_unit_test(test_wrong_direction),
		cmocka_unit_test(test_driver),
		cmocka_unit_test(test_every_scan_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
