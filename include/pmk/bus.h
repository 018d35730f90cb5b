/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * The bus: producers report events here, and models read them.
 *
 * The bus has one monotonic 64-bit total per signal, a log of latencies, and a horizon for each
 * signal. The horizon is the smallest total at which a model must be synchronised, because a
 * counter then overflows or a start delay ends. No code runs per cycle. A producer adds to the
 * totals. When a register of a model is accessed, the model adds what the totals have grown to its
 * counters. When pmk_bus_due() becomes true, the producer synchronises the models before it
 * continues, so an overflow happens at the right place in the program.
 *
 * 	for (each step of the program) {
 * 		pmk_bus_add(&bus, PMK_SIG_INSN, 1);
 * 		pmk_bus_add(&bus, PMK_SIG_CYCLE, cycles);
 * 		if (pmk_bus_due(&bus))
 * 			(let every model synchronise, then set the new horizon)
 * 	}
 *
 * A bus belongs to one producer thread and has no lock. It has no pointers, so two processes may
 * share its memory. No function accepts NULL. Host library only.
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

/* Number of records in the latency log, a power of two. A producer that checks pmk_bus_due()
 * between blocks of code may add up to half of this number in one block. */
#define PMK_LATENCY_LOG 4096

/* Occurrences of one signal that all took the same number of cycles. (Occurrences that took one
 * cycle have no record.) A record has several occurrences only if they are `apart`: each of them
 * began after all earlier occurrences of the signal had ended, and after a model had last read the
 * log. */
struct pmk_latency_record {
	uint64_t start;	 /* start of the first occurrence, in cycles */
	uint64_t end;	 /* start of the last occurrence */
	uint32_t cycles; /* duration of each occurrence */
	uint16_t n;	 /* number of occurrences */
	uint8_t sig;	 /* enum pmk_signal */
	bool apart;
};

/* Size of the hash table of the records to which occurrences can still be added. These are the last
 * records of each signal and number of cycles. */
#define PMK_LATENCY_OPEN 64
/* A record has at most PMK_LATENCY_MANY occurrences, and only one if they took more than
 * PMK_LATENCY_LONG cycles. So n * cycles * cycles fits in 64 bits. */
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
	uint64_t due[PMK_NSIGNALS];   /* horizon per signal, an absolute total; PMK_NEVER: none */
	struct pmk_signal_set raised; /* the signals that the producer raises */
	/* The latency log, a ring buffer. Occurrences in `total` that have no record took one
	 * cycle; otherwise cache hits would fill the log. Each model remembers how far it has
	 * read. */
	uint64_t recorded;     /* number of records since the start */
	uint64_t recorded_due; /* horizon of `recorded` */
	uint64_t timed;	       /* number of occurrences in all records since the start */
	uint64_t timed_due;    /* horizon of `timed` */
	/* Occurrences are no longer added to records before this one, because a model has read
	 * them. PMK_NEVER: every occurrence gets a record of its own. */
	uint64_t sealed;
	uint64_t sealed_at; /* the cycle in which pmk_bus_seal() was called last */
	/* The cycle in which the last recorded occurrence of each signal ended. */
	uint64_t busy[PMK_NSIGNALS];
	uint64_t open[PMK_LATENCY_OPEN]; /* hash table: the number of a record plus 1 */
	/* The longest latency that the producer records, in cycles; 0: not known. */
	uint32_t longest;
	struct pmk_latency_record log[PMK_LATENCY_LOG];
	/* log_sig[i] is log[i].sig, in an array of its own so that searching is fast. */
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

/* Request synchronisation no later than when `sig` reaches the total `at`. */
static inline void pmk_bus_ask(struct pmk_bus *bus, enum pmk_signal sig, uint64_t at)
{
	if (at < bus->due[sig])
		bus->due[sig] = at;
}

/* Clear every horizon. The models set theirs again after they have synchronised. */
void pmk_bus_forget(struct pmk_bus *bus);

/* True if a signal or the latency log has reached its horizon. */
bool pmk_bus_due(const struct pmk_bus *bus);

/* Returns how many more times `sig` may happen before its horizon: 0 if it is due, PMK_NEVER if it
 * has no horizon. */
uint64_t pmk_bus_horizon(const struct pmk_bus *bus, enum pmk_signal sig);

/* Slow path: add a new record. */
void pmk_bus_record_new(struct pmk_bus *bus, enum pmk_signal sig, uint64_t start, uint32_t cycles);

static inline uint64_t *pmk_bus_open_record(struct pmk_bus *bus, enum pmk_signal sig,
					    uint32_t cycles)
{
	return &bus->open[(sig * 5u + cycles) % PMK_LATENCY_OPEN];
}

/* Hot path: add an occurrence to an existing record. Returns false if it needs a new record. */
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

/* Records an occurrence of `sig` that began at cycle `start` and took `cycles`. The producer adds
 * it to total[sig] separately. */
static inline void pmk_bus_record(struct pmk_bus *bus, enum pmk_signal sig, uint64_t start,
				  uint32_t cycles)
{
	if (!pmk_bus_record_more(bus, sig, start, cycles))
		pmk_bus_record_new(bus, sig, start, cycles);
}

/* Makes later occurrences go into new records. A model calls this when it reads the log. */
static inline void pmk_bus_seal(struct pmk_bus *bus)
{
	if (bus->sealed != PMK_NEVER)
		bus->sealed = bus->recorded;
	bus->sealed_at = bus->total[PMK_SIG_CYCLE];
}

/* Returns the number of the first record of `sig` from record number `at` on; `recorded` if there
 * is none. Record `at` must still be in the log. */
uint64_t pmk_bus_next_record(const struct pmk_bus *bus, enum pmk_signal sig, uint64_t at);

/* Request synchronisation no later than when `recorded` (or, the second function, `timed`) reaches
 * `at`. */
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

/* True if the latency log has reached a horizon. */
static inline bool pmk_bus_log_due(const struct pmk_bus *bus)
{
	return bus->recorded >= bus->recorded_due || bus->timed >= bus->timed_due;
}

#ifdef __cplusplus
}
#endif

#endif
