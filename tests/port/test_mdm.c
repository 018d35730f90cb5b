// SPDX-License-Identifier: MIT
/*
 * The memory-mapped MDM port in front of a module in its simplest form, which records, refuses and
 * fails. Literal numbers: offsets 0x10 DBG_CTRL and DBG_STATUS, 0x14 DBG_DATA, 0x18 DBG_LOCK; values of
 * DBG_CTRL as UG984 and PG115 have them. Registers: 0 PCCTRLR, 1 PCCMDR, 2 PCSR, 3 PCDRR, 4 PCDWR.
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

/* ---- the module ------------------------------------------------------------------------------ */

struct module {
	bool unlocked;	 /* DBG_LOCK */
	uint32_t ctrl;	 /* as last stored while unlocked */
	bool ours;	 /* software holds the access lock */
	unsigned refuse; /* so often JTAG has it when it is asked for */
	bool steal;	 /* JTAG takes it by force after DBG_STATUS was read */
	uint32_t data;	 /* what a register reads as, upper bits included */
	unsigned shifts; /* accesses to registers behind it that were made */
	char log[4096];	 /* " W10=4a404 R10=1": accesses since the last check */
	size_t len;
	unsigned n;
	int fail_at; /* this access fails with PMK_EIO; -1: none */
};

static int note(struct module *m, const char *text)
{
	m->len += (size_t)snprintf(m->log + m->len, sizeof(m->log) - m->len, "%s", text);
	assert_true(m->len < sizeof(m->log));
	return m->fail_at == (int)m->n++ ? PMK_EIO : 0;
}

/* DBG_DATA without the access lock is a bus error; locked, nothing would happen and the lock stay. */
static int shift(struct module *m)
{
	if (!m->ours)
		return PMK_EIO;
	assert_true(m->unlocked);
	m->shifts++;
	assert_int_equal(m->ctrl >> 18, 1); /* once, then given back */
	m->ours = false;
	return 0;
}

static int load(void *ctx, unsigned offset, uint32_t *value)
{
	struct module *m = ctx;
	char text[32];
	int err;

	assert_true(offset == 0x10 || offset == 0x14);
	if (offset == 0x10)
		snprintf(text, sizeof(text), " R10=%u", m->ours);
	else
		snprintf(text, sizeof(text), " R14");
	err = note(m, text);
	if (err)
		return err;
	if (offset == 0x14) {
		*value = m->data;
		return shift(m);
	}
	*value = m->ours | 0xfffffffe; /* the other bits are not defined */
	if (m->ours && m->steal)
		m->ours = false;
	return 0;
}

static void store_ctrl(struct module *m, uint32_t value)
{
	assert_true(value < 1u << 20);
	if (m->unlocked)
		m->ctrl = value;
	if (value >> 18 == 0)
		m->ours = false;
	else if (m->refuse)
		m->refuse--;
	else
		m->ours = true;
}

static int store(void *ctx, unsigned offset, uint32_t value)
{
	struct module *m = ctx;
	char text[32];
	int err;

	assert_true(offset == 0x10 || offset == 0x14 || offset == 0x18);
	snprintf(text, sizeof(text), " W%x=%x", offset, value);
	err = note(m, text);
	if (err)
		return err;
	if (offset == 0x10)
		store_ctrl(m, value);
	if (offset == 0x18)
		m->unlocked = value == 0xEBAB && !m->unlocked;
	return offset == 0x14 ? shift(m) : 0;
}

struct rig {
	struct module m;
	struct pmk_mdm mdm;
	struct pmk_port port;
};

static void forget_log(struct module *m)
{
	m->log[0] = '\0';
	m->len = 0;
	m->n = 0;
	m->fail_at = -1;
}

static void check_log(struct rig *r, const char *expected)
{
	assert_string_equal(r->m.len ? r->m.log + 1 : "", expected);
	forget_log(&r->m);
}

static void setup(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	r->mdm = (struct pmk_mdm){
		.load = load,
		.store = store,
		.ctx = &r->m,
		.ports = 1,
		.patience = 5,
	};
	r->port = pmk_port_mdm(&r->mdm);
	forget_log(&r->m);
}

static void setup_open(struct rig *r)
{
	setup(r);
	OK(pmk_mdm_open(&r->mdm));
	forget_log(&r->m);
}

static int get(struct rig *r, unsigned reg, uint64_t *value)
{
	return r->port.read(r->port.ctx, reg, value);
}

static int put(struct rig *r, unsigned reg, uint64_t value)
{
	return r->port.write(r->port.ctx, reg, value);
}

/* ---- the procedure --------------------------------------------------------------------------- */

#define COMMAND "W10=4a404 R10=1 W14="
#define CONTROL "W10=4a207 R10=1 W14="
#define STATUS	"W10=4a601 R10=1 R14"
#define READ	"W10=4ac1f R10=1 R14"
#define WRITE	"W10=4ae1f R10=1 W14="

/* UG984 "Performance Monitoring", the typical procedure, for five event counters and one latency counter
 * of 32 bits: all that the module sees of it. */
static void test_typical_procedure(void **state)
{
	static const unsigned codes[] = { 30, 0, 10, 11, 46, 60 };
	const struct pmk_driver *drv = pmk_microblaze.driver;
	struct pmk_dev dev = { .pmu = &pmk_microblaze };
	struct pmk_latency l;
	struct rig r;
	uint64_t value;
	unsigned bits;

	(void)state;
	setup(&r);
	dev.port = r.port;
	OK(pmk_mdm_open(&r.mdm));
	check_log(&r, "W18=0 W18=ebab");
	for (unsigned i = 0; i < 6; i++)
		OK(drv->program(&dev, i, codes[i]));
	check_log(&r, COMMAND "1 " CONTROL "1e " CONTROL "0 " CONTROL "a " CONTROL "b " CONTROL
			      "2e " CONTROL "3c");
	OK(put(&r, 1, 0x18)); /* Clear and Start */
	check_log(&r, COMMAND "18");
	OK(put(&r, 1, 0x06)); /* Sample and Stop */
	check_log(&r, COMMAND "6");
	for (unsigned i = 0; i < 6; i++)
		OK(drv->status(&dev, i, &bits));
	check_log(&r, COMMAND "1 " STATUS " " STATUS " " STATUS " " STATUS " " STATUS " " STATUS);
	for (unsigned i = 0; i < 5; i++)
		OK(drv->read(&dev, i, &value));
	OK(drv->latency(&dev, 5, &l));
	check_log(&r, COMMAND "1 " READ " " READ " " READ " " READ " " READ " " READ " " READ
			      " " READ " " READ);
	OK(pmk_mdm_close(&r.mdm));
	check_log(&r, "W18=0");
	assert_false(r.m.unlocked);
}

static void test_values_of_dbg_ctrl(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	OK(put(&r, 0, 0x3f));
	check_log(&r, "W10=4a207 R10=1 W14=3f");
	OK(put(&r, 1, 0x1f));
	check_log(&r, "W10=4a404 R10=1 W14=1f");
	OK(get(&r, 2, &value));
	check_log(&r, "W10=4a601 R10=1 R14");
	OK(get(&r, 3, &value));
	check_log(&r, "W10=4ac1f R10=1 R14");
	OK(put(&r, 4, 0xdeadbeef));
	check_log(&r, "W10=4ae1f R10=1 W14=deadbeef");
	assert_int_equal(r.m.shifts, 5);
}

/* What an access before left in the upper bits is not the register's. */
static void test_upper_bits(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	r.m.data = 0xfffffffe;
	OK(get(&r, 2, &value));
	assert_int_equal(value, 2);
	OK(get(&r, 3, &value));
	assert_int_equal(value, 0xfffffffe);
	r.m.data = 0x12345679;
	OK(get(&r, 2, &value));
	assert_int_equal(value, 1);
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

/* ---- several processors ------------------------------------------------------------------------ */

/* PG115: 8 bits for up to 8 processors, as many as there are for more; bit n is processor n. */
static void test_select(void **state)
{
	static const struct {
		unsigned ports, processor;
		const char *log;
	} rows[] = {
		{ 1, 0, "W18=0 W18=ebab" },
		{ 2, 0, "W18=0 W18=ebab W10=61a07 R10=1 W14=1" },
		{ 2, 1, "W18=0 W18=ebab W10=61a07 R10=1 W14=2" },
		{ 8, 7, "W18=0 W18=ebab W10=61a07 R10=1 W14=80" },
		{ 9, 8, "W18=0 W18=ebab W10=61a08 R10=1 W14=100" },
		{ 16, 3, "W18=0 W18=ebab W10=61a0f R10=1 W14=8" },
		{ 32, 31, "W18=0 W18=ebab W10=61a1f R10=1 W14=80000000" },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setup(&r);
		r.mdm.ports = (uint8_t)rows[i].ports;
		r.mdm.processor = (uint8_t)rows[i].processor;
		OK(pmk_mdm_open(&r.mdm));
		check_log(&r, rows[i].log);
	}
}

static void test_no_such_processor(void **state)
{
	static const unsigned char wrong[][2] = {
		{ 0, 0 }, { 1, 1 }, { 8, 8 }, { 32, 32 }, { 33, 0 }, { 255, 254 },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		setup(&r);
		r.mdm.ports = wrong[i][0];
		r.mdm.processor = wrong[i][1];
		assert_int_equal(pmk_mdm_open(&r.mdm), PMK_EINVAL);
		check_log(&r, "");
	}
}

/* ---- the locks ------------------------------------------------------------------------------- */

/* Whether DBG_LOCK was unlocked before or not. */
static void test_open_twice(void **state)
{
	struct rig r;

	(void)state;
	setup(&r);
	OK(pmk_mdm_open(&r.mdm));
	OK(pmk_mdm_open(&r.mdm));
	assert_true(r.m.unlocked);
}

static void test_somebody_has_the_lock_for_a_while(void **state)
{
	struct rig r;

	(void)state;
	setup_open(&r);
	r.m.refuse = 4;
	OK(put(&r, 1, 8));
	check_log(&r, "W10=4a404 R10=0 W10=4a404 R10=0 W10=4a404 R10=0 W10=4a404 R10=0 "
		      "W10=4a404 R10=1 W14=8");
}

/* Patience ends; DBG_DATA is not touched, and nothing is given back that is not ours. */
static void test_somebody_keeps_the_lock(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	r.m.refuse = 5;
	assert_int_equal(put(&r, 1, 8), PMK_EBUSY);
	check_log(&r, "W10=4a404 R10=0 W10=4a404 R10=0 W10=4a404 R10=0 W10=4a404 R10=0 "
		      "W10=4a404 R10=0");
	r.m.refuse = 5;
	assert_int_equal(get(&r, 3, &value), PMK_EBUSY);
	assert_int_equal(r.m.n, 10);
	assert_int_equal(r.m.shifts, 0);
	OK(get(&r, 3, &value));
}

/* While the processor is selected: the module is left locked. */
static void test_busy_open(void **state)
{
	struct rig r;

	(void)state;
	setup(&r);
	r.mdm.ports = 4;
	r.m.refuse = 100;
	assert_int_equal(pmk_mdm_open(&r.mdm), PMK_EBUSY);
	assert_false(r.m.unlocked);
}

/* A debugger takes the lock by force before DBG_DATA: told, and the driver begins anew with Reset. */
static void test_lock_is_lost(void **state)
{
	const struct pmk_driver *drv = pmk_microblaze.driver;
	struct pmk_dev dev = { .pmu = &pmk_microblaze };
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	dev.port = r.port;
	OK(drv->read(&dev, 0, &value));
	forget_log(&r.m);
	r.m.steal = true;
	assert_int_equal(drv->read(&dev, 1, &value), PMK_EIO);
	check_log(&r, "W10=4ac1f R10=1 R14 W10=0");
	r.m.steal = false;
	OK(drv->read(&dev, 1, &value));
	check_log(&r, COMMAND "1 " READ " " READ);
	r.m.steal = true;
	assert_int_equal(put(&r, 4, 0), PMK_EIO);
	check_log(&r, "W10=4ae1f R10=1 W14=0 W10=0");
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int do_open(struct rig *r)
{
	r->mdm.ports = 2;
	return pmk_mdm_open(&r->mdm);
}

static int do_close(struct rig *r)
{
	return pmk_mdm_close(&r->mdm);
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

/* An access that fails is told, and the access lock is not kept. */
static void test_every_access_fails_once(void **state)
{
	static const struct {
		int (*call)(struct rig *r);
		unsigned accesses;
	} calls[] = { { do_open, 5 }, { do_close, 1 }, { do_write, 3 }, { do_read, 3 } };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(calls); i++)
		for (unsigned at = 0; at < calls[i].accesses; at++) {
			setup_open(&r);
			r.m.fail_at = (int)at;
			assert_int_equal(calls[i].call(&r), PMK_EIO);
			assert_false(r.m.ours);
			forget_log(&r.m);
			OK(calls[i].call(&r));
			assert_int_equal(r.m.n, calls[i].accesses);
		}
}

static int dead_load(void *ctx, unsigned offset, uint32_t *value)
{
	(void)ctx;
	(void)offset;
	(void)value;
	return PMK_EIO;
}

static int dead_store(void *ctx, unsigned offset, uint32_t value)
{
	(void)ctx;
	(void)offset;
	(void)value;
	return PMK_EIO;
}

static void test_nobody_answers(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup(&r);
	r.mdm.load = dead_load;
	r.mdm.store = dead_store;
	assert_int_equal(pmk_mdm_open(&r.mdm), PMK_EIO);
	assert_int_equal(get(&r, 3, &value), PMK_EIO);
	assert_int_equal(put(&r, 1, 1), PMK_EIO);
	assert_int_equal(pmk_mdm_close(&r.mdm), PMK_EIO);
}

/* ---- in memory ------------------------------------------------------------------------------- */

/* Words of memory show who is where: what is written to DBG_CTRL reads as DBG_STATUS. Bit 0 of it is set
 * for all registers but PCCMDR, which therefore waits as long as patience lasts. */
static void test_mmio(void **state)
{
	uint32_t words[8];
	struct pmk_mdm mdm;
	struct pmk_port port;
	uint64_t value;

	(void)state;
	memset(words, 0, sizeof(words));
	pmk_mdm_mmio(&mdm, (uintptr_t)words);
	port = pmk_port_mdm(&mdm);
	assert_int_equal(mdm.ports, 1);
	assert_int_equal(mdm.processor, 0);
	assert_true(mdm.patience > 100);
	OK(pmk_mdm_open(&mdm));
	assert_int_equal(words[6], 0xEBAB);
	OK(port.write(port.ctx, 0, 30));
	assert_int_equal(words[4], 0x4A207);
	assert_int_equal(words[5], 30);
	words[5] = 0xcafe1234;
	OK(port.read(port.ctx, 3, &value));
	assert_int_equal(words[4], 0x4AC1F);
	assert_int_equal(value, 0xcafe1234);
	assert_int_equal(port.write(port.ctx, 1, 8), PMK_EBUSY);
	assert_int_equal(words[4], 0x4A404);
	assert_int_equal(words[5], 0xcafe1234);
	OK(pmk_mdm_close(&mdm));
	assert_int_equal(words[6], 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(words[i], 0);
	assert_int_equal(words[7], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_typical_procedure),
		cmocka_unit_test(test_values_of_dbg_ctrl),
		cmocka_unit_test(test_upper_bits),
		cmocka_unit_test(test_wrong_direction),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_no_such_processor),
		cmocka_unit_test(test_open_twice),
		cmocka_unit_test(test_somebody_has_the_lock_for_a_while),
		cmocka_unit_test(test_somebody_keeps_the_lock),
		cmocka_unit_test(test_busy_open),
		cmocka_unit_test(test_lock_is_lost),
		cmocka_unit_test(test_every_access_fails_once),
		cmocka_unit_test(test_nobody_answers),
		cmocka_unit_test(test_mmio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
