/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A PMU: its registers, its events, and the driver that programs it. There is one const object for
 * each PMU of a family, e.g. pmk_arm1176, at the end of src/pmu/<family>/pmu.c; pmk_pmus[] lists
 * them all. Adding one: docs/ADDING-A-PMU.md.
 */
#ifndef PMK_PMU_H
#define PMK_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/error.h>
#include <pmk/latency.h>
#include <pmk/port.h>
#include <pmk/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The members of a row that the firmware library (PMK_FIRMWARE) leaves out, because flash is
 * scarce: text for people, and the registers. There they are NULL and 0. */
#ifdef PMK_FIRMWARE
#define PMK_HOST(...)
#else
#define PMK_HOST(...) __VA_ARGS__
#endif

/* One countable thing of one PMU family. Rows stand in code order. */
struct pmk_event {
	uint16_t code;
	const char *name;    /* the manual's meaning in the field's spelling, lower_snake */
	const char *aliases; /* space separated: Linux, libpfm4, perf generic names; or NULL */
	uint32_t cores;	     /* which PMUs of the family have it: bits of the family */
	uint8_t signal;	     /* enum pmk_signal: what a model counts; PMK_SIG_NONE: not modelled */
	uint8_t signal2;     /* a second signal counted as well (etmextout); 0: none */
	bool cycles;	     /* counts cycles of a condition, not occurrences */
	bool latency;	     /* a latency counter times it; other counters count its occurrences */
	const char *ref;     /* document and section or table */
	const char *brief;   /* one line */
	const char *caveat;  /* what a reader of the number has to know, or NULL */
	const char
		*unmodelled; /* why emulation cannot count it, or NULL where `signal` is raised */
};

/* How software can access the bits of a field. The models run on it: a bit that is RO here cannot
 * be written there. Each kind is one bit, so several can be named at once. */
/* clang-format off */
enum pmk_access {
	/*                 a written 1          a written 0   reads */
	PMK_RW  = 0x01, /* sets                 clears        what it holds */
	PMK_RO  = 0x02, /* nothing              nothing       what it holds */
	PMK_WO  = 0x04, /* acts, is not held    nothing       0 */
	PMK_W1C = 0x08, /* clears               nothing       what it holds */
	PMK_W1S = 0x10, /* sets                 nothing       what it holds */
	PMK_SBZ = 0x20, /* nothing (a mistake)  nothing       0; so do bits of no field */
};
/* clang-format on */

/* "RW", "RO", "WO", "W1C", "W1S" or "SBZ". */
const char *pmk_access_name(enum pmk_access access);

/* A field of a register, [hi:lo] as the manual writes it. */
struct pmk_field {
	const char *name;
	uint64_t mask;
	enum pmk_access access;
	const char *ref;
	const char *brief;
	const char *const *values; /* text per value, NULL terminated, or NULL */
	bool event;		   /* holds an event code: show the event's name */
};

struct pmk_reg_info {
	const char *name;
	const char *aliases; /* space separated other names, or NULL */
	const char *where;   /* how software reaches it: "p15, 0, <Rd>, c15, c12, 0" */
	uint8_t width;	     /* bits */
	const struct pmk_field *fields;
	unsigned nfields;
	/* what it holds after power-on, where no parameter of the core says otherwise */
	uint64_t reset;
	const char *ref;
	const char *brief;
	/* which modes may access it, and what of `reset` the documents leave open; or NULL */
	const char *note;
};

/* A counter of the PMU. */
struct pmk_counter {
	const char *name;   /* the manual's: "PMN0", "CCNT" */
	uint8_t width;	    /* bits */
	int32_t fixed_code; /* the only event it counts, or -1 for any */
	/* The counter times events with a latency and counts nothing else. The value is the
	 * width of its shortest and longest, which stop at their greatest value. 0: it is an
	 * ordinary counter. */
	uint8_t extreme_width;
	/* The counter stops at its greatest value instead of wrapping: read it before that, and
	 * set it back to 0. */
	bool saturates;
};

/* A set of counters, by number. */
#define PMK_MAX_COUNTERS 96

struct pmk_counter_set {
	uint32_t bits[PMK_MAX_COUNTERS / 32];
};

static inline void pmk_counter_add(struct pmk_counter_set *set, unsigned counter)
{
	set->bits[counter / 32] |= UINT32_C(1) << counter % 32;
}

static inline bool pmk_counter_in(const struct pmk_counter_set *set, unsigned counter)
{
	return counter < PMK_MAX_COUNTERS && (set->bits[counter / 32] >> counter % 32 & 1);
}

struct pmk_pmu;

/*
 * An open PMU. The caller owns the memory, and fills in `pmu` and `port`; `state` belongs to the
 * driver.
 */
struct pmk_dev {
	const struct pmk_pmu *pmu;
	struct pmk_port port;
	uint32_t state[16];
};

/* What a sampled counter says about its own value. */
enum pmk_status {
	PMK_STATUS_OVERFLOW = 1 << 0, /* it has wrapped since its counters were last cleared */
	/* An occurrence began while another was being timed: the latencies are less accurate. */
	PMK_STATUS_FULL = 1 << 1,
};

/*
 * The driver: the PMU's programming sequence over a port. Every slot is filled, except where the
 * comment allows NULL; a function that the PMU cannot do returns PMK_ENOTSUP. All return 0 or a
 * negative enum pmk_error. Only `stop` stops a counter, and only `clear` loses a pending overflow.
 * Sets of counters are bits by counter number; a PMU with more than 32 counters has no overflow
 * flags (no_flags), and its sets are empty. All may be called from an interrupt handler if the port
 * may, and if the PMU is not `sequential`.
 */
struct pmk_driver {
	/* Put the PMU into a known state: counters stopped and zero, overflows and interrupts
	 * cleared. PMK_EUNDEF where this mode has no access. */
	int (*reset)(struct pmk_dev *d);
	/* Let `counter` count the event `code`. Does not zero it, does not start it. */
	int (*program)(struct pmk_dev *d, unsigned counter, unsigned code);
	/* Start, stop all counters. Values are kept. `start` returns when counting has begun:
	 * where the PMU starts late, it lets that time pass through the port. */
	int (*start)(struct pmk_dev *d);
	int (*stop)(struct pmk_dev *d);
	/* The counter as the hardware holds it, `width` bits. Does not stop it. */
	int (*read)(struct pmk_dev *d, unsigned counter, uint64_t *value);
	/* Preload a counter: 2^width - n makes it overflow after n events. */
	int (*write)(struct pmk_dev *d, unsigned counter, uint64_t value);
	/* Enable (bit set) or disable the overflow interrupt of each counter. */
	int (*irq_enable)(struct pmk_dev *d, uint32_t counters);
	/* Which counters have overflowed: reads the flags and clears nothing. */
	int (*pending)(struct pmk_dev *d, uint32_t *counters);
	/* Clear the flags of `counters`, and only those; their interrupt falls. Any other
	 * counter that overflows meanwhile keeps its flag. */
	int (*clear)(struct pmk_dev *d, uint32_t counters);
	/* Are the counters running, whoever started them? */
	int (*running)(struct pmk_dev *d, bool *yes);
	/* Sample all counters at one instant: `read`, `latency` and `status` give the values of
	 * that instant until the next sample. NULL: `read` gives the present value. */
	int (*sample)(struct pmk_dev *d);
	/* A latency counter as sampled, each item as wide as the hardware has it: `n` 32 bits,
	 * the sums the counter's width. PMK_EINVAL: it is not a latency counter. NULL: the PMU
	 * has none. */
	int (*latency)(struct pmk_dev *d, unsigned counter, struct pmk_latency *l);
	/* enum pmk_status bits of a counter as sampled. NULL: the PMU has no such thing. For a
	 * counter of fewer than 32 bits OVERFLOW says that it may have wrapped unseen since the
	 * sample before. */
	int (*status)(struct pmk_dev *d, unsigned counter, unsigned *bits);
	/* Set all counters to zero at one instant, running or not; their status and the
	 * interrupt are cleared. NULL: there is no such command. */
	int (*zero)(struct pmk_dev *d);
	/* Is there such a PMU at all? PMK_ENOPMU: a register that this mode can read says no.
	 * Reads what identifies the processor and touches nothing of the PMU, whose registers
	 * may be Undefined. NULL: nothing tells. */
	int (*present)(struct pmk_dev *d);
	/* `counter` was programmed for cycles or instructions of the processor that runs this, it
	 * was started, code ran, and it stands at 0. Why? Always an error: PMK_ENOPMU, PMK_EOFF,
	 * PMK_EFILTER, PMK_EFORBID, as <pmk/target.h> has them; PMK_ESTILL: no cause is to be
	 * seen. It tries other settings, so reset() has to follow. NULL: a counter may stand
	 * still, because its clock is not that of the code. */
	int (*still)(struct pmk_dev *d, unsigned counter);
};

struct pmk_pmu {
	const char *name;    /* "arm1176" */
	const char *aliases; /* "arm_1176 armv6_1176", as libpfm4 and Linux spell it; or NULL */
	const char *brief;
	const char *note; /* what the sources leave open for this one, or NULL */
	const struct pmk_driver *driver;
	const struct pmk_event *events; /* of the family; see pmk_pmu_has() */
	unsigned nevents;
	/* The events to begin with: names, in this order, space separated. `pmk stat` counts
	 * them when no events are asked for. NULL in firmware. */
	const char *defaults;
	uint32_t core; /* this PMU's bit in pmk_event.cores */
	const struct pmk_counter *counters;
	unsigned ncounters;
	/* Nothing shows that a counter wrapped, or it is not known which of them did: read each
	 * counter once per range. */
	bool no_flags;
	/* An access depends on the one before it: readers of one PMU need a lock. */
	bool sequential;
	const struct pmk_reg_info *regs;
	unsigned nregs;
	const void *family; /* the family's own data for this PMU */
};

/* Every PMU of this build, NULL terminated. */
extern const struct pmk_pmu *const pmk_pmus[];

/* By name or alias, any case; NULL if there is none. */
const struct pmk_pmu *pmk_pmu_find(const char *name);

static inline bool pmk_pmu_has(const struct pmk_pmu *pmu, const struct pmk_event *ev)
{
	return (ev->cores & pmu->core) != 0;
}

/* The event row for a name or alias (any case) or a code; NULL if this PMU has none.
 * pmk_pmu_event_family() also finds rows that only other PMUs of the family have. */
const struct pmk_event *pmk_pmu_event(const struct pmk_pmu *pmu, const char *name);
const struct pmk_event *pmk_pmu_event_code(const struct pmk_pmu *pmu, unsigned code);
const struct pmk_event *pmk_pmu_event_family(const struct pmk_pmu *pmu, const char *name);

/* Finds a counter that can count `code` and is not in `used`. A counter that counts only this
 * event is preferred to one that counts any event. An event with a latency gets a latency
 * counter, if the PMU has any. PMK_ENOCTR: none is free. */
int pmk_pmu_free_counter(const struct pmk_pmu *pmu, const struct pmk_counter_set *used,
			 unsigned code);

/* Does it have latency counters? */
bool pmk_pmu_times_latencies(const struct pmk_pmu *pmu);

/* The greatest value of the first counter that can count `code`; 0: no counter can. */
uint64_t pmk_pmu_range(const struct pmk_pmu *pmu, unsigned code);

const struct pmk_reg_info *pmk_pmu_reg(const struct pmk_pmu *pmu, const char *name);

#ifdef __cplusplus
}
#endif

#endif
