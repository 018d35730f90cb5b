// SPDX-License-Identifier: MIT
/*
 * Tests the memory-mapped port of the MicroBlaze Debug Module (MDM). The port is connected to a
 * minimal module, which records accesses, refuses the access lock, or lets an access fail. Numbers
 * are literal: offsets 0x10 DBG_CTRL and DBG_STATUS, 0x14 DBG_DATA, 0x18 DBG_LOCK; values of
 * DBG_CTRL are those of UG984 and PG115.
 */
#include "mdm_rig.h"

/* ---- the module ------------------------------------------------------------------------------ */

struct module {
	bool unlocked;	   /* state of DBG_LOCK */
	uint32_t ctrl;	   /* value of the last store while unlocked */
	bool ours;	   /* software holds the access lock */
	unsigned refuse;   /* number of requests while JTAG holds the lock */
	bool steal;	   /* JTAG takes the lock by force after DBG_STATUS was read */
	uint32_t data;	   /* value of a register, and of the bits above it */
	unsigned shifts;   /* number of accesses to registers of the processors */
	struct record rec; /* "W10=4a404 R10=1" */
};

/*
 * Checks an access to DBG_DATA. Without the access lock it is a bus error. While DBG_LOCK is
 * locked, it would have no effect, and the access lock would be kept.
 */
static int shift(struct module *m)
{
	if (!m->ours)
		return PMK_EIO;
	assert_true(m->unlocked);
	m->shifts++;
	assert_int_equal(m->ctrl >> 18, 1); /* the lock is for one access */
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
		snprintf(text, sizeof(text), "R10=%u", m->ours);
	else
		snprintf(text, sizeof(text), "R14");
	err = record_note(&m->rec, text);
	if (err)
		return err;
	if (offset == 0x14) {
		*value = m->data;
		return shift(m);
	}
	*value = m->ours | 0xfffffffe; /* bits other than 0 are undefined */
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
	snprintf(text, sizeof(text), "W%x=%x", offset, value);
	err = record_note(&m->rec, text);
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
	record_forget(&r->m.rec);
}

static void setup_open(struct rig *r)
{
	setup(r);
	OK(pmk_mdm_open(&r->mdm));
	record_forget(&r->m.rec);
}

/* ---- the procedure --------------------------------------------------------------------------- */

#define COMMAND "W10=4a404 R10=1 W14="
#define CONTROL "W10=4a207 R10=1 W14="
#define STATUS	"W10=4a601 R10=1 R14"
#define READ	"W10=4ac1f R10=1 R14"
#define WRITE	"W10=4ae1f R10=1 W14="

/*
 * For the typical procedure of UG984 "Performance Monitoring", with five event counters and one
 * latency counter of 32 bits, the module sees exactly these accesses.
 */
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
	record_check(&r.m.rec, "W18=0 W18=ebab");
	for (unsigned i = 0; i < 6; i++)
		OK(drv->program(&dev, i, codes[i]));
	record_check(&r.m.rec, COMMAND "1 " CONTROL "1e " CONTROL "0 " CONTROL "a " CONTROL
				       "b " CONTROL "2e " CONTROL "3c");
	OK(put(&r.port, 1, 0x18)); /* Clear and Start */
	record_check(&r.m.rec, COMMAND "18");
	OK(put(&r.port, 1, 0x06)); /* Sample and Stop */
	record_check(&r.m.rec, COMMAND "6");
	for (unsigned i = 0; i < 6; i++)
		OK(drv->status(&dev, i, &bits));
	record_check(&r.m.rec,
		     COMMAND "1 " STATUS " " STATUS " " STATUS " " STATUS " " STATUS " " STATUS);
	for (unsigned i = 0; i < 5; i++)
		OK(drv->read(&dev, i, &value));
	OK(drv->latency(&dev, 5, &l));
	record_check(&r.m.rec, COMMAND "1 " READ " " READ " " READ " " READ " " READ " " READ
				       " " READ " " READ " " READ);
	OK(pmk_mdm_close(&r.mdm));
	record_check(&r.m.rec, "W18=0");
	assert_false(r.m.unlocked);
}

static void test_values_of_dbg_ctrl(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	OK(put(&r.port, 0, 0x3f));
	record_check(&r.m.rec, "W10=4a207 R10=1 W14=3f");
	OK(put(&r.port, 1, 0x1f));
	record_check(&r.m.rec, "W10=4a404 R10=1 W14=1f");
	OK(get(&r.port, 2, &value));
	record_check(&r.m.rec, "W10=4a601 R10=1 R14");
	OK(get(&r.port, 3, &value));
	record_check(&r.m.rec, "W10=4ac1f R10=1 R14");
	OK(put(&r.port, 4, 0xdeadbeef));
	record_check(&r.m.rec, "W10=4ae1f R10=1 W14=deadbeef");
	assert_int_equal(r.m.shifts, 5);
}

/* Upper bits that an earlier access left in DBG_DATA do not belong to the register. */
static void test_upper_bits(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	r.m.data = 0xfffffffe;
	OK(get(&r.port, 2, &value));
	assert_int_equal(value, 2);
	OK(get(&r.port, 3, &value));
	assert_int_equal(value, 0xfffffffe);
	r.m.data = 0x12345679;
	OK(get(&r.port, 2, &value));
	assert_int_equal(value, 1);
}

static void test_wrong_direction(void **state)
{
	struct rig r;

	(void)state;
	setup_open(&r);
	check_wrong_direction(&r.port, &r.m.rec);
}

/* ---- several processors ---------------------------------------------------------------------- */

/*
 * The register that selects processors has 8 bits for up to 8 processors, and one bit per processor
 * if there are more (PG115). Bit n is processor n.
 */
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
		record_check(&r.m.rec, rows[i].log);
	}
}

static int open_for(unsigned ports, unsigned processor)
{
	struct rig r;
	int err;

	setup(&r);
	r.mdm.ports = (uint8_t)ports;
	r.mdm.processor = (uint8_t)processor;
	err = pmk_mdm_open(&r.mdm);
	record_check(&r.m.rec, "");
	return err;
}

static void test_no_such_processor(void **state)
{
	(void)state;
	check_no_such_processor(open_for);
}

/* ---- the locks ------------------------------------------------------------------------------- */

/* Opening works whether DBG_LOCK was unlocked before or not. */
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
	OK(put(&r.port, 1, 8));
	record_check(&r.m.rec, "W10=4a404 R10=0 W10=4a404 R10=0 W10=4a404 R10=0 W10=4a404 R10=0 "
			       "W10=4a404 R10=1 W14=8");
}

/*
 * If another user keeps the lock for all attempts, the port does not access DBG_DATA, and does not
 * release that lock.
 */
static void test_another_user_keeps_the_lock(void **state)
{
	struct rig r;
	uint64_t value;

	(void)state;
	setup_open(&r);
	r.m.refuse = 5;
	assert_int_equal(put(&r.port, 1, 8), PMK_EBUSY);
	record_check(&r.m.rec, "W10=4a404 R10=0 W10=4a404 R10=0 W10=4a404 R10=0 W10=4a404 R10=0 "
			       "W10=4a404 R10=0");
	r.m.refuse = 5;
	assert_int_equal(get(&r.port, 3, &value), PMK_EBUSY);
	assert_int_equal(r.m.rec.n, 10);
	assert_int_equal(r.m.shifts, 0);
	OK(get(&r.port, 3, &value));
}

/* If the module is busy while the processor is selected, the module is left locked. */
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

/*
 * If a debugger takes the lock by force before DBG_DATA is accessed, the port returns an error, and
 * the driver starts again with Reset.
 */
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
	record_forget(&r.m.rec);
	r.m.steal = true;
	assert_int_equal(drv->read(&dev, 1, &value), PMK_EIO);
	record_check(&r.m.rec, "W10=4ac1f R10=1 R14 W10=0");
	r.m.steal = false;
	OK(drv->read(&dev, 1, &value));
	record_check(&r.m.rec, COMMAND "1 " READ " " READ);
	r.m.steal = true;
	assert_int_equal(put(&r.port, 4, 0), PMK_EIO);
	record_check(&r.m.rec, "W10=4ae1f R10=1 W14=0 W10=0");
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
	return put(&r->port, 0, 30);
}

static int do_read(struct rig *r)
{
	uint64_t value;

	return get(&r->port, 3, &value);
}

/* A failed access is returned as an error, and the access lock is released. */
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
			r.m.rec.fail_at = (int)at;
			assert_int_equal(calls[i].call(&r), PMK_EIO);
			assert_false(r.m.ours);
			record_forget(&r.m.rec);
			OK(calls[i].call(&r));
			assert_int_equal(r.m.rec.n, calls[i].accesses);
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
	assert_int_equal(get(&r.port, 3, &value), PMK_EIO);
	assert_int_equal(put(&r.port, 1, 1), PMK_EIO);
	assert_int_equal(pmk_mdm_close(&r.mdm), PMK_EIO);
}

/* ---- in memory ------------------------------------------------------------------------------- */

/*
 * On plain memory, DBG_STATUS reads as the value that was written to DBG_CTRL. Bit 0 means that the
 * port has the access lock. It is set in the values for all registers except PCCMDR, so an access
 * to PCCMDR makes all its attempts to get the lock.
 */
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
		cmocka_unit_test(test_another_user_keeps_the_lock),
		cmocka_unit_test(test_busy_open),
		cmocka_unit_test(test_lock_is_lost),
		cmocka_unit_test(test_every_access_fails_once),
		cmocka_unit_test(test_nobody_answers),
		cmocka_unit_test(test_mmio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
