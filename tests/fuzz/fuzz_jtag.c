// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a debug module on JTAG gives random replies. A session on its counters reads values,
 * or returns an error. After a failed scan, every access returns an error until the module is
 * opened again.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_jtag.c
 *
 * The first two bytes select the configuration of the counters and of the module. The third byte is
 * the number of the scan that fails. The rest is the reply, which is repeated.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/microblaze.h>
#include <pmk/session.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SCANS 100000 /* more than any session needs */

struct wire {
	const uint8_t *data;
	size_t size, at;
	unsigned scans, fails; /* fails: number of the scan that fails; 0: none fails */
};

static void expect(int condition)
{
	if (!condition)
		abort();
}

static int choose(void *ctx)
{
	(void)ctx;
	return 0;
}

static int scan(void *ctx, unsigned bits, const uint8_t *out, uint8_t *in)
{
	struct wire *w = ctx;

	(void)out;
	expect(bits > 0 && bits <= 4096 && ++w->scans < SCANS);
	if (w->fails && w->scans == w->fails)
		return PMK_EIO;
	for (unsigned i = 0; in && i < (bits + 7) / 8; i++)
		in[i] = w->size ? w->data[w->at++ % w->size] : 0;
	return 0;
}

static void read_counters(const struct pmk_pmu *pmu, const struct pmk_port *port)
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
	struct wire wire = { 0 };
	struct pmk_mdm_jtag jtag = { .select = choose, .scan = scan, .ctx = &wire };
	struct pmk_port port;
	uint64_t value;

	if (size < 3 ||
	    pmk_microblaze_configure(&pmu, data[0] % 49, data[0] % 8, 32 + 16 * (data[1] % 3)))
		return 0;
	jtag.ports = data[1] / 3 % 34;
	jtag.processor = data[1] / 3 % 33;
	wire = (struct wire){ data + 3, size - 3, 0, 0, data[2] };
	if (pmk_mdm_jtag_open(&jtag))
		return 0;
	port = pmk_port_mdm_jtag(&jtag);
	read_counters(&pmu.pmu, &port);
	if (jtag.lost)
		expect(port.read(port.ctx, PMK_MICROBLAZE_PCDRR, &value) == PMK_EIO);
	return 0;
}
