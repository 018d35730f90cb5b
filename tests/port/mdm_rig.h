/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of the MDM's two ports: a log of all accesses that the hardware sees, in
 * which one access can fail, and the rules that both ports obey. Registers: 0 PCCTRLR, 1 PCCMDR, 2
 * PCSR, 3 PCDRR, 4 PCDWR.
 */
#ifndef MDM_RIG_H
#define MDM_RIG_H

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

struct record {
	char log[4096]; /* accesses since the last check, as " W10=4a404 R10=1" */
	size_t len;
	unsigned n;  /* number of accesses */
	int fail_at; /* this access fails with PMK_EIO; -1: none fails */
};

static inline int record_note(struct record *rec, const char *text)
{
	rec->len += (size_t)snprintf(rec->log + rec->len, sizeof(rec->log) - rec->len, " %s", text);
	assert_true(rec->len < sizeof(rec->log));
	return rec->fail_at == (int)rec->n++ ? PMK_EIO : 0;
}

static inline void record_forget(struct record *rec)
{
	*rec = (struct record){ .fail_at = -1 };
}

static inline void record_check(struct record *rec, const char *expected)
{
	assert_string_equal(rec->len ? rec->log + 1 : "", expected);
	record_forget(rec);
}

static inline int get(const struct pmk_port *port, unsigned reg, uint64_t *value)
{
	return port->read(port->ctx, reg, value);
}

static inline int put(const struct pmk_port *port, unsigned reg, uint64_t value)
{
	return port->write(port->ctx, reg, value);
}

/*
 * Checks that reads of write-only registers and writes of read-only registers are refused without
 * an access to the hardware.
 */
static inline void check_wrong_direction(const struct pmk_port *port, struct record *rec)
{
	static const unsigned written[] = { 0, 1, 4 }, read[] = { 2, 3 };
	uint64_t value;

	for (size_t i = 0; i < COUNT(written); i++)
		assert_int_equal(get(port, written[i], &value), PMK_EINVAL);
	for (size_t i = 0; i < COUNT(read); i++)
		assert_int_equal(put(port, read[i], 0), PMK_EINVAL);
	assert_int_equal(get(port, 5, &value), PMK_EBADREG);
	assert_int_equal(put(port, 5, 0), PMK_EBADREG);
	record_check(rec, "");
}

/*
 * Checks that a port cannot be opened for impossible processors. Valid are 1 to 32 processors,
 * numbered from 0. `opens` opens a port for them and returns its result.
 */
static inline void check_no_such_processor(int (*opens)(unsigned ports, unsigned processor))
{
	static const unsigned char wrong[][2] = {
		{ 0, 0 }, { 1, 1 }, { 8, 8 }, { 32, 32 }, { 33, 0 }, { 255, 254 },
	};

	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(opens(wrong[i][0], wrong[i][1]), PMK_EINVAL);
}

#endif
