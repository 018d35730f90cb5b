// SPDX-License-Identifier: MIT
/*
 * The JTAG port of the MDM, connected to a chain that records the bits of every scan in the order
 * of shifting.
 */
#include "mdm_rig.h"

struct chain {
	struct record rec;  /* selects and scans, as "select 1000 10001010" */
	const char *answer; /* output bits in their order; zeros follow */
};

static int chain_select(void *ctx)
{
	struct chain *c = ctx;

	return record_note(&c->rec, "select");
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
	err = record_note(&c->rec, text);
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
	record_forget(&r->chain.rec);
}

static void setup_open(struct rig *r)
{
	setup(r);
	OK(pmk_mdm_jtag_open(&r->jtag));
	record_forget(&r->chain.rec);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* Opening selects the debug port, with the value 1 in 4 bits. */
static void test_open(void **state)
{
	struct rig r;

	(void)state;
	setup(&r);
	OK(pmk_mdm_jtag_open(&r.jtag));
	record_check(&r.chain.rec, "select 1000");
}

/*
 * A write scans command 0x51, 0x52 or 0x57 with bit 0 first, and then data with the highest bit
 * first.
 */
static void test_write(void **state)
{
	struct rig r;

	(void)state;
	setup_open(&r);
	OK(put(&r.port, 0, 0x1e));
	record_check(&r.chain.rec, "10001010 00011110");
	OK(put(&r.port, 1, 0x18));
	record_check(&r.chain.rec, "01001010 11000");
	OK(put(&r.port, 1, 0x01));
	record_check(&r.chain.rec, "01001010 00001");
	OK(put(&r.port, 4, 0x80000003));
	record_check(&r.chain.rec, "11101010 10000000000000000000000000000011");
}

/* A read scans command 0x53 or 0x56, and then shifts zeros in. The highest bit comes out first. */
static void test_read(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	r.chain.answer = "10";
	OK(get(&r.port, 2, &value));
	assert_int_equal(value, 2);
	record_check(&r.chain.rec, "11001010 00");
	r.chain.answer = "01";
	OK(get(&r.port, 2, &value));
	assert_int_equal(value, 1);
	record_forget(&r.chain.rec);
	r.chain.answer = "11001010111111100000000000000001";
	OK(get(&r.port, 3, &value));
	assert_int_equal(value, 0xcafe0001);
	record_check(&r.chain.rec, "01101010 00000000000000000000000000000000");
}

/* Which-MicroBlaze, command 0x0D, belongs to the module itself, so bit 0 comes first. */
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
		record_check(&r.chain.rec, rows[i].log);
	}
}

static int open_for(unsigned ports, unsigned processor)
{
	struct rig r;
	int err;

	setup(&r);
	r.jtag.ports = (uint8_t)ports;
	r.jtag.processor = (uint8_t)processor;
	err = pmk_mdm_jtag_open(&r.jtag);
	record_check(&r.chain.rec, "");
	return err;
}

static void test_no_such_processor(void **state)
{
	(void)state;
	check_no_such_processor(open_for);
}

static void test_wrong_direction(void **state)
{
	struct rig r;

	(void)state;
	setup_open(&r);
	check_wrong_direction(&r.port, &r.chain.rec);
}

/* A scan of Status or Data Read is always followed by a scan of the data, so no scan is wasted. */
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
	record_check(&r.chain.rec, "01001010 00001 10001010 00011110");
	OK(drv->status(&dev, 0, &bits));
	record_check(&r.chain.rec, "01001010 00001 11001010 00");
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
	return put(&r->port, 0, 30);
}

static int do_read(struct rig *r)
{
	uint64_t value;

	return get(&r->port, 3, &value);
}

/*
 * After a failed scan, it is not known whether a command or data is next. So nothing is sent until
 * the port is opened again.
 */
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
			r.chain.rec.fail_at = (int)at;
			assert_int_equal(calls[i].call(&r), PMK_EIO);
			assert_int_equal(r.chain.rec.n, at + 1);
			record_forget(&r.chain.rec);
			assert_int_equal(do_write(&r), PMK_EIO);
			assert_int_equal(do_read(&r), PMK_EIO);
			record_check(&r.chain.rec, "");
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
