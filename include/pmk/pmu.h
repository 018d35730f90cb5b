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

/* PMK_HOST() encloses the members of a table's row that the firmware library (PMK_FIRMWARE) does
 * not need: text for people, and the registers. In firmware they are NULL or 0, to save flash. */
#ifdef PMK_FIRMWARE
#define PMK_HOST(...)
#else
#define PMK_HOST(...) __VA_ARGS__
#endif

/* One event that a PMU family can count. Rows are in code order. */
struct pmk_event {
	uint16_t code;
	const char *name;    /* the manual's meaning, in the usual abbreviations; lower_snake */
	const char *aliases; /* space separated: Linux, libpfm4, perf generic names; or NULL */
	uint32_t cores;	     /* which PMUs of the family have it: bits of the family */
	uint8_t signal;	     /* enum pmk_signal: what a model counts; PMK_SIG_NONE: not modelled */
	uint8_t signal2;     /* a second signal that is added (etmextout); 0: none */
	bool cycles;	     /* counts cycles of a condition, not occurrences */
	bool latency;	     /* a latency counter times it; other counters count its occurrences */
	const char *ref;     /* document and section or table */
	const char *brief;   /* one line */
	const char *caveat;  /* a caveat for the reader of the number, or NULL */
	const char
		*unmodelled; /* why emulation cannot count it; NULL if producers raise `signal` */
};

/* How software can access the bits of a field. The models use it: software cannot write a bit
 * that is RO here. Each kind is one bit, so a mask can name several. */
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

/* Returns "RW", "RO", "WO", "W1C", "W1S" or "SBZ". */
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
	/* Value after power-on, unless a parameter of the core says otherwise. */
	uint64_t reset;
	const char *ref;
	const char *brief;
	/* Which modes may access it, and which bits of `reset` the documents leave open; or
	 * NULL. */
	const char *note;
};

/* A counter of the PMU. */
struct pmk_counter {
	const char *name;   /* the manual's name: "PMN0", "CCNT" */
	uint8_t width;	    /* bits */
	int32_t fixed_code; /* the only event it counts, or -1 for any */
	/* The counter times events that have a latency and counts nothing else. The number is the
	 * width of its minimum and maximum, which saturate. 0: an ordinary counter. */
	uint8_t extreme_width;
	/* The counter stops at its maximum instead of wrapping: read it before that, and then set
	 * it to 0. */
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

/* Properties of a sampled counter's value. */
enum pmk_status {
	/* The counter has wrapped since its counters were last cleared. */
	PMK_STATUS_OVERFLOW = 1 << 0,
	/* An occurrence began while another was being timed: the latencies are less accurate. */
	PMK_STATUS_FULL = 1 << 1,
};

/*
 * The driver: the PMU's programming sequence over a port. Every function exists, except where its
 * comment allows NULL; one that the PMU cannot perform returns PMK_ENOTSUP. All return 0 or a
 * negative enum pmk_error. Only `stop` stops a counter, and only `clear` discards a pending
 * overflow. Sets of counters are bits by counter number; a PMU with more than 32 counters has no
 * overflow flags (no_flags), and its sets are empty. All functions may be called from an interrupt
 * handler if the port allows it and the PMU is not `sequential`.
 */
struct pmk_driver {
	/* Put the PMU into a known state: counters stopped and zero, overflows and interrupts
	 * cleared. Returns PMK_EUNDEF if this mode has no access. */
	int (*reset)(struct pmk_dev *d);
	/* Let `counter` count the event `code`. Does not set it to zero, and does not start it. */
	int (*program)(struct pmk_dev *d, unsigned counter, unsigned code);
	/* Start and stop all counters. Their values are kept. `start` returns when counting has
	 * begun: if the PMU starts with a delay, `start` lets that time pass with the port's
	 * `settle`. */
	int (*start)(struct pmk_dev *d);
	int (*stop)(struct pmk_dev *d);
	/* Read the counter as the hardware holds it, in `width` bits. Does not stop it. */
	int (*read)(struct pmk_dev *d, unsigned counter, uint64_t *value);
	/* Preload a counter: 2^width - n makes it overflow after n events. */
	int (*write)(struct pmk_dev *d, unsigned counter, uint64_t value);
	/* Enable (bit set) or disable the overflow interrupt of each counter. */
	int (*irq_enable)(struct pmk_dev *d, uint32_t counters);
	/* Get the counters that have overflowed: reads the flags and clears nothing. */
	int (*pending)(struct pmk_dev *d, uint32_t *counters);
	/* Clear only the flags of `counters`; their interrupt falls. Another counter that overflows
	 * meanwhile keeps its flag. */
	int (*clear)(struct pmk_dev *d, uint32_t counters);
	/* True if the counters are running, no matter who started them. */
	int (*running)(struct pmk_dev *d, bool *yes);
	/* Sample all counters at one instant: `read`, `latency` and `status` give the values of
	 * that instant until the next sample. NULL: `read` returns the present value. */
	int (*sample)(struct pmk_dev *d);
	/* Get the values of a latency counter as sampled, in the widths of the hardware: `n` in 32
	 * bits, the sums as wide as the counter. Returns PMK_EINVAL if it is not a latency counter.
	 * NULL: the PMU has none. */
	int (*latency)(struct pmk_dev *d, unsigned counter, struct pmk_latency *l);
	/* Get the bits of enum pmk_status of a counter as sampled. For a counter of fewer than 32
	 * bits, OVERFLOW means that it may have wrapped unnoticed since the last sample. NULL: the
	 * PMU has none. */
	int (*status)(struct pmk_dev *d, unsigned counter, unsigned *bits);
	/* Set all counters to zero at one instant, running or not; their status and the
	 * interrupt are cleared. NULL: there is no such command. */
	int (*zero)(struct pmk_dev *d);
	/* Check whether the PMU exists. Returns PMK_ENOPMU if a register that this mode can read
	 * shows that it does not. Reads only registers that identify the processor, because those
	 * of the PMU may be Undefined. NULL: no register shows this. */
	int (*present)(struct pmk_dev *d);
	/* Find the reason why `counter` stayed at 0 although it was programmed for cycles or
	 * instructions of this processor, was started, and code ran. Always returns an error:
	 * PMK_ENOPMU, PMK_EOFF, PMK_EFILTER or PMK_EFORBID, as described in <pmk/target.h>, or
	 * PMK_ESTILL if no reason was found. It tries other settings, so call reset() afterwards.
	 * NULL: a counter of this PMU may stay at 0, because its clock is not that of the code. */
	int (*still)(struct pmk_dev *d, unsigned counter);
};

struct pmk_pmu {
	const char *name;    /* "arm1176" */
	const char *aliases; /* "arm_1176 armv6_1176", as libpfm4 and Linux spell it; or NULL */
	const char *brief;
	const char *note; /* points that the sources leave open for this PMU, or NULL */
	const struct pmk_driver *driver;
	const struct pmk_event *events; /* events of the whole family; see pmk_pmu_has() */
	unsigned nevents;
	/* The default events: names, in this order, separated by spaces. `pmk stat` counts them if
	 * no events are requested. NULL in firmware. */
	const char *defaults;
	uint32_t core; /* this PMU's bit in pmk_event.cores */
	const struct pmk_counter *counters;
	unsigned ncounters;
	/* The PMU does not show that a counter wrapped, or which one: read each counter at least
	 * once per range. */
	bool no_flags;
	/* An access depends on the previous one: readers of one PMU need a lock. */
	bool sequential;
	const struct pmk_reg_info *regs;
	unsigned nregs;
	const void *family; /* the family's own data for this PMU */
};

/* Every PMU of this build, NULL terminated. */
extern const struct pmk_pmu *const pmk_pmus[];

/* Find a PMU by name or alias, in any case; NULL: there is none. */
const struct pmk_pmu *pmk_pmu_find(const char *name);

static inline bool pmk_pmu_has(const struct pmk_pmu *pmu, const struct pmk_event *ev)
{
	return (ev->cores & pmu->core) != 0;
}

/* Return the row of an event, by name or alias (in any case) or by code; NULL if this PMU does not
 * have it. pmk_pmu_event_family() also finds events that only other PMUs of the family have. */
const struct pmk_event *pmk_pmu_event(const struct pmk_pmu *pmu, const char *name);
const struct pmk_event *pmk_pmu_event_code(const struct pmk_pmu *pmu, unsigned code);
const struct pmk_event *pmk_pmu_event_family(const struct pmk_pmu *pmu, const char *name);

/* Finds a counter that can count `code` and is not in `used`. It prefers a counter that counts only
 * this event to one that counts any event. An event with a latency gets a latency counter, if the
 * PMU has any. Returns PMK_ENOCTR if no such counter is free. */
int pmk_pmu_free_counter(const struct pmk_pmu *pmu, const struct pmk_counter_set *used,
			 unsigned code);

/* True if the PMU has latency counters. */
bool pmk_pmu_times_latencies(const struct pmk_pmu *pmu);

/* Returns the maximum of the first counter that can count `code`; 0 if no counter can. */
uint64_t pmk_pmu_range(const struct pmk_pmu *pmu, unsigned code);

const struct pmk_reg_info *pmk_pmu_reg(const struct pmk_pmu *pmu, const char *name);

#ifdef __cplusplus
}
#endif

#endif
