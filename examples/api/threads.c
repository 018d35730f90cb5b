/* SPDX-License-Identifier: MIT */
/*
 * Two threads, each with a bus, a model and a driver of its own. The library keeps no state that
 * threads share, so nothing is locked.
 */
#include <pthread.h>
#include <stdio.h>

#include <pmk/armv8_model.h>
#include <pmk/session.h>

#define ROUNDS 2000

struct core {
	const struct pmk_pmu *pmu;
	unsigned misses_per_round;
	struct pmk_bus bus;
	struct pmk_armv8_model model;
	struct pmk_session session;
	uint64_t totals[PMK_MAX_EVENTS];
	int err;
};

static void *simulate(void *arg)
{
	struct core *c = arg;
	struct pmk_model_port to_model = { pmk_model_find(c->pmu), &c->model, &c->bus,
					   PMK_MODE_PRIV };
	struct pmk_port port = pmk_port_model(&to_model);
	struct pmk_plan plan = { .nevents = 2 };

	plan.event[0].code = PMK_ARMV8_CPU_CYCLES;
	plan.event[1].code = PMK_ARMV8_L1D_CACHE_REFILL;
	pmk_bus_init(&c->bus);
	pmk_signal_add(&c->bus.raised, PMK_SIG_CYCLE);
	pmk_signal_add(&c->bus.raised, PMK_SIG_L1D_MISS);
	to_model.ops->reset(&c->model, &c->bus, c->pmu);
	c->err = pmk_plan_make(c->pmu, &plan);
	if (!c->err)
		c->err = pmk_session_open(&c->session, c->pmu, &plan, &port);
	if (!c->err)
		c->err = pmk_session_start(&c->session);
	for (unsigned i = 0; i < ROUNDS && !c->err; i++) {
		pmk_bus_add(&c->bus, PMK_SIG_CYCLE, 100);
		pmk_bus_add(&c->bus, PMK_SIG_L1D_MISS, c->misses_per_round);
		c->err = pmk_session_read(&c->session, c->totals);
	}
	return NULL;
}

int main(void)
{
	static struct core cores[] = { { .pmu = &pmk_cortex_a53, .misses_per_round = 3 },
				       { .pmu = &pmk_cortex_a72, .misses_per_round = 5 } };
	pthread_t threads[2];

	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, simulate, &cores[i]))
			return 1;
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		if (cores[i].err) {
			fprintf(stderr, "threads: %s\n", pmk_strerror(cores[i].err));
			return 1;
		}
		printf("%s: cycles %llu, refills %llu\n", cores[i].pmu->name,
		       (unsigned long long)cores[i].totals[0],
		       (unsigned long long)cores[i].totals[1]);
	}
	return 0;
}
