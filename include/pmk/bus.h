/* SPDX-License-Identifier: MIT */
/*
 * The bus: where producers tell and models look.
 *
 * It holds one monotonic 64-bit total per signal, five numbers per latency, and the horizon: the
 * smallest total of each signal at which somebody has to be asked again (a counter overflows, a
 * start delay ends). Nothing ticks. A producer adds; a model takes differences when one of its
 * registers is touched; a producer that sees pmk_bus_due() lets the models catch up before it
 * goes on, and so an overflow lands where it belongs.
 *
 *	for (each step of the program) {
 *		pmk_bus_add(&bus, PMK_SIG_INSN, 1);
 *		pmk_bus_add(&bus, PMK_SIG_CYCLE, cycles);
 *		if (pmk_bus_due(&bus))
 *			(let every model synchronise, then set the horizon anew)
 *	}
 *
 * A bus belongs to one producer thread; there is no lock. It holds no pointers, so it may live in
 * memory that two processes share.
 */
#ifndef PMK_BUS_H
#define PMK_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_NLATENCIES 8
#define PMK_NEVER      UINT64_MAX

/* A latency in the form every latency counter reports it (MicroBlaze PG079: N, ΣL, ΣL², min, max).
 * Cycles. `sum2` wraps modulo 2^64. min > max means that nothing was recorded. */
struct pmk_latency {
	uint64_t n, sum, sum2, min, max;
};

/* A set of signals. */
struct pmk_signal_set {
	uint64_t bits[(PMK_NSIGNALS + 63) / 64];
};

static inline void pmk_signal_add(struct pmk_signal_set *set, enum pmk_signal sig)
{
	set->bits[sig / 64] |= UINT64_C(1) << sig % 64;
}

static inline bool pmk_signal_in(const struct pmk_signal_set *set, unsigned sig)
{
	return sig < PMK_NSIGNALS && (set->bits[sig / 64] >> sig % 64 & 1);
}

struct pmk_bus {
	uint64_t total[PMK_NSIGNALS];
	uint64_t due[PMK_NSIGNALS]; /* horizon per signal, an absolute total; PMK_NEVER = none */
	struct pmk_signal_set raised; /* what the producer raises */
	struct pmk_latency latency[PMK_NLATENCIES];
};

/* All totals 0, no horizon, nothing raised. */
void pmk_bus_init(struct pmk_bus *bus);

static inline void pmk_bus_add(struct pmk_bus *bus, enum pmk_signal sig, uint64_t n)
{
	bus->total[sig] += n;
}

static inline bool pmk_bus_raises(const struct pmk_bus *bus, unsigned sig)
{
	return pmk_signal_in(&bus->raised, sig);
}

/* Ask to be synchronised no later than when `sig` reaches the total `at`. */
static inline void pmk_bus_ask(struct pmk_bus *bus, enum pmk_signal sig, uint64_t at)
{
	if (at < bus->due[sig])
		bus->due[sig] = at;
}

/* Forget every horizon; the models ask again when they have synchronised. */
void pmk_bus_forget(struct pmk_bus *bus);

/* True when a signal has reached its horizon. */
bool pmk_bus_due(const struct pmk_bus *bus);

/* How many more of `sig` may happen before its horizon: 0 when it is due, PMK_NEVER when none. */
uint64_t pmk_bus_horizon(const struct pmk_bus *bus, enum pmk_signal sig);

/* Record one latency of `cycles` in record `which` (0 … PMK_NLATENCIES - 1). */
void pmk_latency_add(struct pmk_latency *l, uint64_t cycles);

#ifdef __cplusplus
}
#endif

#endif
