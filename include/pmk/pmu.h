/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A PMU: its registers, its events, and the driver that programs it. Each PMU is a const object,
 * for example pmk_arm1176, at the end of src/pmu/<family>/pmu.c. pmk_pmus[] lists all of them.
 * docs/ADDING-A-PMU.md says how to add one. No function here accepts NULL.
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

/* PMK_HOST() encloses initialisers of members that the firmware library (compiled with
 * PMK_FIRMWARE) does not need: texts for people, and descriptions of registers. There these members
 * are NULL or 0, which saves flash. */
#ifdef PMK_FIRMWARE
#define PMK_HOST(...)
#else
#define PMK_HOST(...) __VA_ARGS__
#endif

/* One event that a PMU family can count. A family's events are sorted by code. */
struct pmk_event {
	uint16_t code;	     /* the number that selects the event */
	const char *name;    /* lower case, with underscores: "dcache_miss" */
	const char *aliases; /* names in Linux, libpfm4 and perf, separated by spaces; or NULL */
	uint32_t cores;	     /* the PMUs that have the event: their pmk_pmu.core, combined by OR */
	uint8_t signal;	     /* enum pmk_signal: what a model counts; PMK_SIG_NONE: not modelled */
	uint8_t signal2;     /* a second signal that is added (etmextout); 0: none */
	bool cycles;	     /* counts the cycles in which a condition holds, not occurrences */
	bool latency;	     /* a latency counter times it; other counters count its occurrences */
	const char *ref;     /* document and section or table */
	const char *brief;   /* what the event counts, in one line */
	const char *caveat;  /* what a reader of the number must know, or NULL */
	const char *unmodelled; /* why emulation cannot count the event; NULL if it can */
};

/* How software can access the bits of a field. The models follow this: a write does not change
 * a bit that is RO, for example. Bits that belong to no field behave as SBZ. Each kind is one bit,
 * so a mask can name several kinds. */
/* clang-format off */
enum pmk_access {
	/*                 writing 1            writing 0     reading returns */
	PMK_RW  = 0x01, /* sets the bit         clears it     the bit */
	PMK_RO  = 0x02, /* no effect            no effect     the bit */
	PMK_WO  = 0x04, /* acts, is not stored  no effect     0 */
	PMK_W1C = 0x08, /* clears the bit       no effect     the bit */
	PMK_W1S = 0x10, /* sets the bit         no effect     the bit */
	PMK_SBZ = 0x20, /* is a mistake         no effect     0 */
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
	const char *const *values; /* values[i] explains value i; NULL terminated; or NULL */
	bool event;		   /* holds an event code, so show the event's name */
};

/* A register of the PMU. */
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
	int32_t fixed_code; /* code of the only event that it counts; -1: it counts any event */
	/* Not 0: this is a latency counter. It accepts only events that have a latency, and its
	 * minimum and maximum have this number of bits; a longer latency gives the largest value.
	 * 0: an ordinary counter. */
	uint8_t extreme_width;
	/* The counter stops at its maximum instead of wrapping. Software must read it and set it to
	 * 0 before it stops. */
	bool saturates;
};

/* A set of counters: bit n % 32 of bits[n / 32] is counter n. */
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
 * An open PMU. The caller owns the memory, sets `pmu` and `port`, and sets `state` to zeros. After
 * that `state` belongs to the driver.
 */
struct pmk_dev {
	const struct pmk_pmu *pmu;
	struct pmk_port port;
	uint32_t state[16];
};

/* Properties of a counter's value in a sample (see `sample` below). */
enum pmk_status {
	/* The counter has wrapped since the counters were last set to zero. For a counter of fewer
	 * than 32 bits: it may have wrapped unnoticed since the previous sample. */
	PMK_STATUS_OVERFLOW = 1 << 0,
	/* An occurrence began while another was being timed: the latencies are less accurate. */
	PMK_STATUS_FULL = 1 << 1,
};

/*
 * The driver: it programs the PMU through the port of a struct pmk_dev. A pointer to a function is
 * NULL only where its comment allows it. Functions return 0 or a negative enum pmk_error;
 * PMK_ENOTSUP means that the PMU cannot do this. Apart from `reset`, only `stop` leaves counters
 * stopped, and only `clear` and `zero` discard a pending overflow.
 *
 * In a set of counters (`counters`), bit n is counter n. A PMU with more than 32 counters has no
 * overflow flags (pmk_pmu.no_flags), and its sets are empty.
 *
 * All functions may be called from an interrupt handler if the port allows it and the PMU is not
 * `sequential`. For the PMUs of ARMv7, the handler must also preserve PMSELR (<pmk/armv8.h>).
 */
struct pmk_driver {
	/* Put the PMU into a known state: counters stopped and zero, overflows and interrupts
	 * cleared. Returns PMK_EUNDEF if this mode has no access. */
	int (*reset)(struct pmk_dev *d);
	/* Let `counter` count the event `code`. Does not set it to zero, and does not start it. */
	int (*program)(struct pmk_dev *d, unsigned counter, unsigned code);
	/* Start and stop all counters that were programmed. Their values are kept. If the PMU
	 * begins to count some cycles after it was started, `start` calls the port's `settle`, so
	 * that counting has begun when it returns. */
	int (*start)(struct pmk_dev *d);
	int (*stop)(struct pmk_dev *d);
	/* Get the counter's value, in the `width` bits of struct pmk_counter. Does not stop it. */
	int (*read)(struct pmk_dev *d, unsigned counter, uint64_t *value);
	/* Set a counter to `value`. With 2^width - n it overflows after n events. */
	int (*write)(struct pmk_dev *d, unsigned counter, uint64_t value);
	/* Enable (bit set) or disable the overflow interrupt of each counter. */
	int (*irq_enable)(struct pmk_dev *d, uint32_t counters);
	/* Get the counters that have overflowed: reads the flags and clears nothing. */
	int (*pending)(struct pmk_dev *d, uint32_t *counters);
	/* Clear the overflow flags of `counters`, and with them their interrupts. Another counter
	 * that overflows meanwhile keeps its flag. */
	int (*clear)(struct pmk_dev *d, uint32_t counters);
	/* Set *yes to true if counters are running, even if other software started them.
	 * MicroBlaze cannot read this back: there *yes is what this driver's last `start` or `stop`
	 * has set. */
	int (*running)(struct pmk_dev *d, bool *yes);
	/* Take a sample of all counters at one instant. `read`, `latency` and `status` then return
	 * values of this sample until the next one. NULL: `read` returns the present value. */
	int (*sample)(struct pmk_dev *d);
	/* Get the values of a latency counter from the last sample. As in the hardware, `n` has 32
	 * bits, and the sums are as wide as the counter. Returns PMK_EINVAL if `counter` is not a
	 * latency counter. NULL: the PMU has no latency counters. */
	int (*latency)(struct pmk_dev *d, unsigned counter, struct pmk_latency *l);
	/* Get the enum pmk_status bits of a counter from the last sample. NULL: the PMU has no such
	 * bits. */
	int (*status)(struct pmk_dev *d, unsigned counter, unsigned *bits);
	/* Set all counters to zero at one instant, whether they run or not. This also clears their
	 * status and the interrupt. NULL: the PMU has no such command. */
	int (*zero)(struct pmk_dev *d);
	/* Check whether the PMU exists. Returns PMK_ENOPMU if a register that this mode can read
	 * shows that it does not. Reads only identification registers, because an access to other
	 * registers of a missing PMU may be Undefined. NULL: no register shows this. */
	int (*present)(struct pmk_dev *d);
	/* Find the reason why `counter` stayed at 0 although it was programmed for cycles or
	 * instructions of this processor, was started, and code ran. Always returns an error:
	 * PMK_ENOPMU, PMK_EOFF, PMK_EFILTER or PMK_EFORBID, as described in <pmk/target.h>, or
	 * PMK_ESTILL if no reason was found. It tries other settings, so call reset() afterwards.
	 * NULL: no reason can be found, or a counter of this PMU may stay at 0 while code runs. */
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
	/* No flag shows which counter has wrapped. So software must read each counter at least once
	 * while it counts 2^width events. */
	bool no_flags;
	/* An access depends on the accesses before it. So an interrupt handler must not access the
	 * PMU between them: users of the PMU need a lock. */
	bool sequential;
	const struct pmk_reg_info *regs;
	unsigned nregs;
	const void *family; /* the family's own data for this PMU */
};

/* Every PMU of this build, NULL terminated. Host library only. */
extern const struct pmk_pmu *const pmk_pmus[];

/* Returns the PMU with this name or alias, in upper or lower case; NULL if there is none. Host
 * library only. */
const struct pmk_pmu *pmk_pmu_find(const char *name);

/* True if the PMU has this event of its family. */
static inline bool pmk_pmu_has(const struct pmk_pmu *pmu, const struct pmk_event *ev)
{
	return (ev->cores & pmu->core) != 0;
}

/* Return an event by name or alias (in upper or lower case) or by code; NULL if this PMU does not
 * have it. pmk_pmu_event_family() also finds events that only other PMUs of the family have. These
 * functions may be called from interrupt handlers; they search from the start of the table. */
const struct pmk_event *pmk_pmu_event(const struct pmk_pmu *pmu, const char *name);
const struct pmk_event *pmk_pmu_event_code(const struct pmk_pmu *pmu, unsigned code);
const struct pmk_event *pmk_pmu_event_family(const struct pmk_pmu *pmu, const char *name);

/* Returns the number of a counter that can count `code` and is not in `used`; PMK_ENOCTR if there
 * is none. A counter that counts only this event comes before one that counts any event. An event
 * with a latency gets a latency counter, if the PMU has any. */
int pmk_pmu_free_counter(const struct pmk_pmu *pmu, const struct pmk_counter_set *used,
			 unsigned code);

/* True if the PMU has latency counters. */
bool pmk_pmu_times_latencies(const struct pmk_pmu *pmu);

/* Returns the largest value of the first counter that can count `code`; 0 if no counter can. */
uint64_t pmk_pmu_range(const struct pmk_pmu *pmu, unsigned code);

/* Returns a register by name or alias, in upper or lower case; NULL if the PMU does not have it,
 * and always in firmware. */
const struct pmk_reg_info *pmk_pmu_reg(const struct pmk_pmu *pmu, const char *name);

#ifdef __cplusplus
}
#endif

#endif
