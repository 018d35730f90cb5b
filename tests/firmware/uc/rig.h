/* SPDX-License-Identifier: MIT */
/*
 * The rig that the tests share: it opens the library in the program, adds events, knows the true
 * counts, and checks totals.
 *
 * The true counts come only from the bus. They are the signals that occurred between the write that
 * starts the counters and the write that stops them. The library's totals must equal the true
 * counts.
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

/*
 * An event of the program: its code, the register of the counter that it must get, and its signal.
 */
struct event {
	unsigned code, reg;
	unsigned counter; /* number of the counter, its bit in a set */
	uint32_t flag;	  /* the counter's overflow flag, in PMNC or PMOVSCLR */
	enum pmk_signal signal;
	bool wraps; /* the counter wraps at 2^32 */
};

struct rig {
	struct machine *m;
	const struct pmk_pmu *pmu;
	unsigned core; /* number of the core in guest.c */
	const struct event *event;
	unsigned nevents;

	/* The true counts. */
	/* The program is in start() or stop(), which may start or stop the counters. */
	bool toggles;
	bool counting;	    /* between start and stop */
	uint64_t begins_at; /* cycles at which counting begins; PMK_NEVER: it has begun */
	/*
	 * from: the bus's totals when counting last started; counted: the true counts up to that
	 * time.
	 */
	uint64_t from[MAX_EVENTS], counted[MAX_EVENTS];
	uint32_t sampled; /* a bit for each sampled event */
	/*
	 * lost: events that occurred after a handler read a sampled counter and before it reset the
	 * counter. most_lost: the most events that one reset lost.
	 */
	uint64_t lost[MAX_EVENTS], most_lost;
	/* The true counts without lost events, when each level last read the counters. */
	uint64_t seen[MACHINE_LEVELS][MAX_EVENTS];
	bool started;
	uint64_t zero[MAX_EVENTS]; /* the true counts after the first start() */

	/*
	 * Returns true if a requested interrupt is taken now. If `take` is NULL, interrupts are
	 * taken at once. Tests set `take` and `boundary` here, because the rig itself uses the
	 * machine's hooks.
	 */
	bool (*take)(struct rig *r);
	uint64_t (*boundary)(struct rig *r, uint64_t pc);
	void (*returned)(struct rig *r, uint64_t handler);
	uint64_t isr; /* address of the interrupt handler */
	void *ctx;
};

/* Returns true in `make nightly`, where tests try all cases. Other runs try some of the cases. */
bool rig_is_large(void);

/* Resets the machine to the state after power-on. No function has been called. */
void rig_reset(struct rig *r, struct machine *m);
/* Calls g_open, g_add for every event, and g_interrupts, and sets up the regions. */
void rig_open(struct rig *r, bool interrupts);
void rig_sample(struct rig *r, unsigned event, uint32_t period, uint32_t ring_size);
void rig_start(struct rig *r);
void rig_stop(struct rig *r);

/* Calls a function that returns an enum pmk_error or a number. */
int rig_int(struct rig *r, const char *function, uint64_t a, uint64_t b, uint64_t c);
/* Calls a function that must return 0. */
#define OK(r, ...) rig_ok(__LINE__, __FILE__, r, __VA_ARGS__)
void rig_ok(int line, const char *file, struct rig *r, const char *function, uint64_t a, uint64_t b,
	    uint64_t c);

/* Returns the true count of event i up to now. */
uint64_t rig_truth(const struct rig *r, unsigned i);

/* Returns true if event i's overflow flag is set. */
bool rig_pending(struct rig *r, unsigned i);

/*
 * Checks the program's totals in `array`, which were read at `level`. While a lower level resets a
 * sampled counter, its total may stay the same, but it never falls.
 */
void rig_check(struct rig *r, const char *array, unsigned level, const char *when);

/* Lets the program read all events, and checks the totals. */
void rig_read(struct rig *r, const char *when);

/*
 * Raises events until event i's counter is `left` events before its overflow. With left = 0 it
 * overflows. A test calls this before it lets a counter overflow between two readings, because
 * between readings that are a few instructions apart no counter may advance by half its range.
 */
void rig_approach(struct rig *r, unsigned i, uint32_t left);

/* The machine's hooks. A test with hooks of its own calls these, too. */
uint64_t rig_boundary(struct machine *m, uint64_t pc);

/* Returns the next random number for this state (xorshift64*). */
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
