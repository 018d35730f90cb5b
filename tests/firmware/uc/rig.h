/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests: checks, the program opened on its events, and the true counts.
 *
 * The true counts come only from the bus: the signals between the write that starts the counters
 * and the one that stops them. The library's totals are compared with it.
 */
#ifndef UC_RIG_H
#define UC_RIG_H

#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

#define CHECK(condition, ...)                                           \
	do {                                                            \
		if (!(condition)) {                                     \
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
			fprintf(stderr, __VA_ARGS__);                   \
			fprintf(stderr, "\n");                          \
			exit(1);                                        \
		}                                                       \
	} while (0)

typedef unsigned long long ull; /* for printf */

#define MAX_EVENTS 4

/* An event of the program: code, register of the counter that it must get, and its signals. */
struct event {
	unsigned code, reg;
	unsigned counter; /* number in sets of counters */
	uint32_t flag;	  /* its overflow flag, in PMNC or PMOVSCLR */
	enum pmk_signal signal;
	bool wraps; /* the counter wraps at 2^32 */
};

struct rig {
	struct machine *m;
	const struct pmk_pmu *pmu;
	unsigned core; /* its number in guest.c */
	const struct event *event;
	unsigned nevents;

	/* The true counts. */
	/* the program is in start() or stop(), which may start or stop the counters */
	bool toggles;
	bool counting;	    /* between start and stop */
	uint64_t begins_at; /* cycle total when counting begins; PMK_NEVER: it has begun */
	/* from: the bus's totals at the start; counted: the true counts before it */
	uint64_t from[MAX_EVENTS], counted[MAX_EVENTS];
	uint32_t sampled; /* one bit per event */
	/*
	 * Events between a handler's read of a sampled counter and its reset of the counter are
	 * lost.
	 */
	uint64_t lost[MAX_EVENTS], most_lost;
	/* The true count without lost events, when each level last read the counter. */
	uint64_t seen[MACHINE_LEVELS][MAX_EVENTS];
	bool started;
	uint64_t zero[MAX_EVENTS]; /* the true counts after the first start() */

	/*
	 * The interrupt is taken when this returns true; NULL: at once. The true counts use the
	 * machine's hooks; these are the test's own.
	 */
	bool (*take)(struct rig *r);
	uint64_t (*boundary)(struct rig *r, uint64_t pc);
	void (*returned)(struct rig *r, uint64_t handler);
	uint64_t isr; /* address of the interrupt handler */
	void *ctx;
};

/* True in `make nightly`, where tests try everything; other runs try a part. */
bool rig_is_large(void);

/* Resets the machine to the state after it was switched on. No function has been called. */
void rig_reset(struct rig *r, struct machine *m);
/* Calls g_open, g_add for every event, and g_interrupts, and sets up the regions. */
void rig_open(struct rig *r, bool interrupts);
void rig_sample(struct rig *r, unsigned event, uint32_t period, uint32_t ring_size);
void rig_start(struct rig *r);
void rig_stop(struct rig *r);

/* Call a function that returns an enum pmk_error or a count. */
int rig_int(struct rig *r, const char *function, uint64_t a, uint64_t b, uint64_t c);
/* Calls a function that must return 0. */
#define OK(r, ...) rig_ok(__LINE__, __FILE__, r, __VA_ARGS__)
void rig_ok(int line, const char *file, struct rig *r, const char *function, uint64_t a, uint64_t b,
	    uint64_t c);

/* Returns the true count of event i so far. */
uint64_t rig_truth(const struct rig *r, unsigned i);

/* Returns true if event i's overflow flag is set. */
bool rig_pending(struct rig *r, unsigned i);

/*
 * Checks the program's totals in `array`, read at `level`. While a lower level resets a sampled
 * counter, its total may stay the same, but never falls.
 */
void rig_check(struct rig *r, const char *array, unsigned level, const char *when);

/* Lets the program read all events, and checks the totals. */
void rig_read(struct rig *r, const char *when);

/*
 * Raises events until event i's counter is `left` events before its overflow; for left = 0 it
 * overflows. A test calls this before it lets a counter overflow between two readings, because no
 * counter may advance half its range between readings that are a few instructions apart.
 */
void rig_approach(struct rig *r, unsigned i, uint32_t left);

/* These are the machine's hooks, so that a test can chain to them. */
uint64_t rig_boundary(struct machine *m, uint64_t pc);

/* Returns the next number of a generator with a seed: xorshift64*. */
uint64_t next_random(uint64_t *state);
static inline uint64_t below(uint64_t *state, uint64_t n)
{
	return next_random(state) % n;
}

struct test {
	const char *name;
	void (*run)(struct machine *m);
};

extern const struct test sequence_tests[], fault_tests[], schedule_tests[], region_tests[],
	sample_tests[], misuse_tests[], fast_tests[], memory_tests[];

#endif
