/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * The bus: producers write here what happens, and models read it.
 *
 * It holds one monotonic 64-bit total per signal, a log of how long occurrences took, and the
 * horizon: the smallest total of each signal at which a model has to be synchronised (a counter
 * overflows, a start delay ends). Nothing ticks. A producer adds; a model takes differences when
 * one of its registers is touched; a producer that finds pmk_bus_due() true lets the models catch
 * up before it goes on. So an overflow happens at the right place in the program.
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

/* Entries of the latency log, a power of two. A producer that looks for pmk_bus_due() between
 * blocks of code may record up to half of them in one block. */
#define PMK_LATENCY_LOG 4096

/* Occurrences of a signal that took a number of cycles other than one, the same for all of them.
 * There is more than one only when they are `apart`: each began after everything before it had
 * ended, and after the log was last read. */
struct pmk_latency_record {
	uint64_t start; /* start of the first one, in cycles */
	uint64_t end;	/* start of the last one */
	uint32_t cycles;
	uint16_t n;
	uint8_t sig; /* enum pmk_signal */
	bool apart;
};

/* The greatest number of records that are added to: the last one of each signal and length,
 * found by a hash. */
#define PMK_LATENCY_OPEN 64
/* The greatest number of occurrences in a record, so that n * cycles * cycles fits 64 bits. */
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

static inline void pmk_signal_join(struct pmk_signal_set *set, const struct pmk_signal_set *more)
{
	for (unsigned i = 0; i < (PMK_NSIGNALS + 63) / 64; i++)
		set->bits[i] |= more->bits[i];
}

struct pmk_bus {
	uint64_t total[PMK_NSIGNALS];
	uint64_t due[PMK_NSIGNALS];   /* horizon per signal, an absolute total; PMK_NEVER = none */
	struct pmk_signal_set raised; /* the signals that the producer raises */
	/* The latency log, a ring. For a signal with latencies, the occurrences in `total`
	 * without a record took one cycle: the log would be full of cache hits otherwise. Each
	 * model remembers how far it has read. */
	uint64_t recorded;     /* number of records since the start */
	uint64_t recorded_due; /* horizon of `recorded` */
	uint64_t timed;	       /* number of occurrences in them */
	uint64_t timed_due;
	/* Records before this one are not added to, because somebody has read them; PMK_NEVER:
	 * no record is added to. */
	uint64_t sealed;
	uint64_t sealed_at; /* cycle */
	/* the end of the last recorded occurrence of each signal */
	uint64_t busy[PMK_NSIGNALS];
	uint64_t open[PMK_LATENCY_OPEN]; /* by hash: the number of a record plus 1 */
	/* no latency that the producer records is longer than this, in cycles; 0: not known */
	uint32_t longest;
	struct pmk_latency_record log[PMK_LATENCY_LOG];
	/* the signals of the records again, close together, so that they can be searched
	 * quickly */
	uint8_t log_sig[PMK_LATENCY_LOG];
};

/* Sets all totals to 0, with no horizon and no raised signals. */
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

/* How many more times `sig` may happen before its horizon: 0 when it is due, PMK_NEVER when
 * there is none. */
uint64_t pmk_bus_horizon(const struct pmk_bus *bus, enum pmk_signal sig);

/* Outside of the hot path: make a record of its own. */
void pmk_bus_record_new(struct pmk_bus *bus, enum pmk_signal sig, uint64_t start, uint32_t cycles);

static inline uint64_t *pmk_bus_open_record(struct pmk_bus *bus, enum pmk_signal sig,
					    uint32_t cycles)
{
	return &bus->open[(sig * 5u + cycles) % PMK_LATENCY_OPEN];
}

/* Hot path: add an occurrence to an existing record. False: it needs a record of its own. */
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

/* An occurrence of `sig` began at cycle `start` and took `cycles`. total[sig] counts it as well,
 * separately. */
static inline void pmk_bus_record(struct pmk_bus *bus, enum pmk_signal sig, uint64_t start,
				  uint32_t cycles)
{
	if (!pmk_bus_record_more(bus, sig, start, cycles))
		pmk_bus_record_new(bus, sig, start, cycles);
}

/* A reader of the log calls this: later occurrences are then recorded in new records. */
static inline void pmk_bus_seal(struct pmk_bus *bus)
{
	if (bus->sealed != PMK_NEVER)
		bus->sealed = bus->recorded;
	bus->sealed_at = bus->total[PMK_SIG_CYCLE];
}

/* The number of the first record of `sig` from number `at` on, which must still be in the log;
 * `recorded` when there is none. */
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
