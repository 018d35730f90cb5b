/* SPDX-License-Identifier: MIT */
/*
 * The bus: where producers tell and models look.
 *
 * It holds one monotonic 64-bit total per signal, a log of what took how long, and the horizon: the
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

#define PMK_NEVER UINT64_MAX

/* Entries of the latency log, a power of two. A producer that looks for pmk_bus_due() between blocks of
 * code may record up to half of them in one block. */
#define PMK_LATENCY_LOG 4096

/* Occurrences of a signal that took other than one cycle, all of them as long. There is more than one only
 * where they are `apart`: each began after everything before it had ended, and after the log was last read. */
struct pmk_latency_record {
	uint64_t start; /* cycle; of the first */
	uint64_t end;	/* of the last */
	uint32_t cycles;
	uint16_t n;
	uint8_t sig; /* enum pmk_signal */
	bool apart;
};

/* Records that are added to, at most: the last one of each signal and length, by a hash. */
#define PMK_LATENCY_OPEN 64
/* What a record holds at most; n * cycles * cycles has no more than 64 bits. */
#define PMK_LATENCY_MANY UINT16_MAX
#define PMK_LATENCY_LONG (UINT32_C(1) << 24)

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
	uint64_t due[PMK_NSIGNALS];   /* horizon per signal, an absolute total; PMK_NEVER = none */
	struct pmk_signal_set raised; /* what the producer raises */
	/* The latency log, a ring. Of a signal with latencies, the occurrences in `total` that have no
	 * record took one cycle: cache hits would fill the log. Each model remembers how far it has read. */
	uint64_t recorded;     /* records ever */
	uint64_t recorded_due; /* horizon of `recorded` */
	uint64_t timed;	       /* occurrences in them */
	uint64_t timed_due;
	/* Records before this one are not added to, because somebody has read them; PMK_NEVER: none is. */
	uint64_t sealed;
	uint64_t sealed_at;		 /* cycle */
	uint64_t busy[PMK_NSIGNALS];	 /* until when, by all that was recorded of a signal */
	uint64_t open[PMK_LATENCY_OPEN]; /* by hash: the number of a record, and 1 */
	uint32_t longest; /* no latency the producer records is longer, cycles; 0: not known */
	struct pmk_latency_record log[PMK_LATENCY_LOG];
	uint8_t log_sig
		[PMK_LATENCY_LOG]; /* their signals once more, close together: quick to search */
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

/* True when a signal or the latency log has reached its horizon. */
bool pmk_bus_due(const struct pmk_bus *bus);

/* How many more of `sig` may happen before its horizon: 0 when it is due, PMK_NEVER when none. */
uint64_t pmk_bus_horizon(const struct pmk_bus *bus, enum pmk_signal sig);

/* Out of the hot path: a record of its own. */
void pmk_bus_record_new(struct pmk_bus *bus, enum pmk_signal sig, uint64_t start, uint32_t cycles);

static inline uint64_t *pmk_bus_open_record(struct pmk_bus *bus, enum pmk_signal sig,
					    uint32_t cycles)
{
	return &bus->open[(sig * 5u + cycles) % PMK_LATENCY_OPEN];
}

/* Hot path: add an occurrence to a record that there is. False: it needs one of its own. */
static inline bool pmk_bus_record_more(struct pmk_bus *bus, enum pmk_signal sig, uint64_t start,
				       uint32_t cycles)
{
	uint64_t number = *pmk_bus_open_record(bus, sig, cycles);
	struct pmk_latency_record *r = &bus->log[(number - 1) % PMK_LATENCY_LOG];

	if (number <= bus->sealed || r->cycles != cycles || r->sig != sig ||
	    r->n == PMK_LATENCY_MANY || start < bus->busy[sig])
		return false;
	bus->timed++;
	r->n++;
	r->end = bus->busy[sig] = start + cycles;
	return true;
}

/* An occurrence of `sig`, which total[sig] counts as well, began at cycle `start` and took `cycles`. */
static inline void pmk_bus_record(struct pmk_bus *bus, enum pmk_signal sig, uint64_t start,
				  uint32_t cycles)
{
	if (!pmk_bus_record_more(bus, sig, start, cycles))
		pmk_bus_record_new(bus, sig, start, cycles);
}

/* Who has read the log says so: what comes is recorded behind it. */
static inline void pmk_bus_seal(struct pmk_bus *bus)
{
	if (bus->sealed != PMK_NEVER)
		bus->sealed = bus->recorded;
	bus->sealed_at = bus->total[PMK_SIG_CYCLE];
}

/* The number of the first record of `sig` from number `at` on, which has to be in the log still; `recorded`
 * when there is none. */
uint64_t pmk_bus_next_record(const struct pmk_bus *bus, enum pmk_signal sig, uint64_t at);

/* Ask to be synchronised no later than when `recorded`, or `timed`, reaches `at`. */
static inline void pmk_bus_ask_recorded(struct pmk_bus *bus, uint64_t at)
{
	if (at < bus->recorded_due)
		bus->recorded_due = at;
}

static inline void pmk_bus_ask_timed(struct pmk_bus *bus, uint64_t at)
{
	if (at < bus->timed_due)
		bus->timed_due = at;
}

/* True when the latency log has reached a horizon. */
static inline bool pmk_bus_log_due(const struct pmk_bus *bus)
{
	return bus->recorded >= bus->recorded_due || bus->timed >= bus->timed_due;
}

#ifdef __cplusplus
}
#endif

#endif
