// SPDX-License-Identifier: MIT
/*
 * libFuzzer: the registers of a debug module have random values. A session on its counters reads
 * values, or returns an error. A failed access returns its error. The last write to the lock
 * register locks the module.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_mdm.c
 *
 * The first two bytes select the configuration of the counters and of the module. The third byte is
 * the number of the access from which on all accesses fail. The rest are the values that loads
 * return, which are repeated.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/microblaze.h>
#include <pmk/session.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ACCESSES 1000000 /* more than any session needs */
#define DBG_LOCK 0x18

struct module {
	const uint8_t *data;
	size_t size, at;
	unsigned accesses, fails; /* fails: all accesses from this one on fail; 0: none fails */
	uint32_t lock;		  /* the last value written to the lock register */
};

static void expect(int condition)
{
	if (!condition)
		abort();
}

static int answer(struct module *m, unsigned offset)
{
	expect(offset == 0x10 || offset == 0x14 || offset == DBG_LOCK);
	expect(++m->accesses < ACCESSES);
	return m->fails && m->accesses >= m->fails ? PMK_EIO : 0;
}

static int load(void *ctx, unsigned offset, uint32_t *value)
{
	struct module *m = ctx;

	*value = 0;
	for (unsigned i = 0; m->size && i < 4; i++)
		*value = *value << 8 | m->data[m->at++ % m->size];
	return answer(m, offset);
}

static int store(void *ctx, unsigned offset, uint32_t value)
{
	struct module *m = ctx;

	if (offset == DBG_LOCK)
		m->lock = value;
	return answer(m, offset);
}

static void count(const struct pmk_pmu *pmu, const struct pmk_port *port)
{
	static struct pmk_session s;
	static struct pmk_plan plan;
	uint64_t totals[PMK_MAX_EVENTS];

	plan = (struct pmk_plan){ .nevents = 1 };
	plan.event[0].code = pmu->events[0].code;
	if (pmk_plan_make(pmu, &plan) || pmk_session_open(&s, pmu, &plan, port) ||
	    pmk_session_start(&s))
		return;
	for (unsigned i = 0; i < 3 && !pmk_session_read(&s, totals); i++)
		;
	pmk_session_stop(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmk_microblaze_pmu pmu;
	struct module module = { 0 };
	struct pmk_mdm mdm = { .load = load, .store = store, .ctx = &module, .patience = 3 };
	struct pmk_port port;
	uint64_t value;

	if (size < 3 ||
	    pmk_microblaze_configure(&pmu, data[0] % 49, data[0] % 8, 32 + 16 * (data[1] % 3)))
		return 0;
	mdm.ports = data[1] / 3 % 34;
	mdm.processor = data[1] / 3 % 33;
	module = (struct module){ data + 3, size - 3, 0, 0, data[2], 0 };
	if (!pmk_mdm_open(&mdm)) {
		port = pmk_port_mdm(&mdm);
		count(&pmu.pmu, &port);
		if (module.fails && module.accesses >= module.fails)
			expect(port.read(port.ctx, PMK_MICROBLAZE_PCDRR, &value) == PMK_EIO);
		pmk_mdm_close(&mdm);
	}
	expect(!module.lock);
	return 0;
}
