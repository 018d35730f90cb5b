/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * MicroBlaze performance counters: the models, their parameters for the points that the documents
 * leave open, and their input pins. <pmk/model.h> says how models are used. Host library only; a
 * driver does not include this.
 *
 * There are three models in a chain: the counters (struct pmk_model_ops), the registers of the
 * MicroBlaze Debug Module (MDM) through which software reaches them, and the MDM's JTAG side.
 * Sources as in <pmk/microblaze.h>.
 */
#ifndef PMK_MICROBLAZE_MODEL_H
#define PMK_MICROBLAZE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/microblaze.h>
#include <pmk/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the counters -------------------------------------------------------------------------- */

/*
 * The points that the documents leave open. The defaults are our choice: all are false and 0,
 * except `shared_pointer`. "The four registers" are Control, Status, Data Read and Data Write.
 */
struct pmk_microblaze_params {
	/* The four registers share one pointer to the counter and item; if false, each register has
	 * its own. The manual's typical procedure resets between status and data, which is only
	 * necessary with one pointer. Default true. */
	bool shared_pointer;
	/* An access past the last counter continues at the first. By default the pointer stays past
	 * the last counter: reads return 0, writes do nothing. */
	bool pointer_wraps;
	/* By default, commands in one write act in the order Reset, Sample, Stop, Clear, Start.
	 * With clear_first, Clear comes before Sample; with stop_last, Stop comes after Start. */
	bool clear_first, stop_last;
	bool clear_sample; /* Clear also clears the sampled values */
	bool write_sample; /* Data Write also writes the sampled value, without a Sample */
	/* An event code from 64 on selects the event of its lower six bits. By default it counts
	 * nothing. */
	bool decode_6_bits;
	bool reset_ignored;	 /* a reset of the core does not change the counters */
	bool count_while_halted; /* counting continues while the debugger has halted the core */
	/* A count that reaches the maximum sets Overflow, as UG984 says in "Performance
	 * Monitoring". By default a count that exceeds the maximum sets it, as the page of PCSR
	 * says. This parameter is for event counters only; sums of latency counters set Overflow
	 * when they wrap. */
	bool overflow_at_max;
	bool saturate; /* counts and sums stay at their maximum. By default they wrap */
	/* Overflow of a latency counter also raises Dbg_Intr, at the next synchronisation. */
	bool latency_irq;
	/* In the minimum and maximum, a latency is truncated to their width, which is 16 bits for
	 * counters of 32 bits. By default they stay at their largest value. */
	bool truncate_extremes;
	/* An occurrence that was in progress at Start, at Clear or when its event was selected is
	 * timed from its beginning. By default a latency counter ignores it. */
	bool time_in_flight;
	/* An occurrence that begins while another is timed is not timed and not counted, but sets
	 * Full. By default it is timed separately. */
	bool overlap_ignored;
	uint32_t min_empty; /* the minimum of a latency counter that has timed nothing */
	uint32_t undefined; /* value read from a write-only register */
};

/* Pins and states on which the counters depend. The last three are not levels: the model performs
 * the action each time the input is set to 1. */
enum pmk_microblaze_input {
	PMK_MICROBLAZE_IN_HALTED, /* 1: the debugger has halted the core. 0 after reset */
	PMK_MICROBLAZE_IN_STOP,	  /* cross-trigger action 4: stop performance monitoring */
	PMK_MICROBLAZE_IN_START,  /* cross-trigger action 5: start performance monitoring */
	PMK_MICROBLAZE_IN_RESET,  /* the core is reset, as at power-up */
	PMK_MICROBLAZE_NINPUTS
};

/* Mistakes of the guest; bits of pmk_microblaze_model.oddities. The model clears them only at
 * reset. */
enum pmk_microblaze_oddity {
	PMK_MICROBLAZE_ODD_READ_WO = 1 << 0,  /* read a write-only register */
	PMK_MICROBLAZE_ODD_WRITE_RO = 1 << 1, /* wrote a read-only register, which is ignored */
	PMK_MICROBLAZE_ODD_END = 1 << 2,      /* accessed items after the last counter */
	PMK_MICROBLAZE_ODD_EVENT = 1 << 3,    /* selected an event that this counter cannot count */
	PMK_MICROBLAZE_ODD_START_STOP = 1 << 4,	   /* Start and Stop in one command */
	PMK_MICROBLAZE_ODD_WRITE_RUNNING = 1 << 5, /* wrote a counter while it counted */
	/* A mistake of the producer: it recorded more latencies between two synchronisations than
	 * the log holds. Occurrences are still correct, latencies are not: Full is set. */
	PMK_MICROBLAZE_ODD_LOST = 1 << 6,
};

struct pmk_microblaze_latency {
	uint64_t sum, sum2;
	uint32_t n, min, max;
	bool some; /* true: min is the latency of an occurrence */
};

struct pmk_microblaze_event_counter {
	uint64_t count, sampled;
	uint64_t seen; /* sum of its signals' totals at the last synchronisation */
};

struct pmk_microblaze_latency_counter {
	struct pmk_microblaze_latency live, sampled;
	uint64_t seen;	/* the part of its signal's total that it has already counted */
	uint64_t since; /* occurrences that began before this cycle are not timed */
	uint64_t busy;	/* the cycle in which the last timed occurrence ended */
};

/* The counter and item of the next access. */
struct pmk_microblaze_pointer {
	uint8_t counter, item;
};

/* The counters of one processor. It contains no pointers, so it may be copied, forked and shared.
 * Users may only change `params` and `oddities`; everything else goes through the registers and the
 * inputs. */
struct pmk_microblaze_model {
	struct pmk_microblaze_params params;
	struct pmk_microblaze_config config;
	bool started, halted;
	uint8_t oddities;
	/* By register. If the registers share one pointer, only [0] is used. */
	struct pmk_microblaze_pointer pointer[PMK_MICROBLAZE_NREGS];
	/* By counter: event counters, then latency counters. */
	uint8_t code[PMK_MICROBLAZE_MAX_EVENTS + PMK_MICROBLAZE_MAX_LATENCIES];
	uint8_t status[PMK_MICROBLAZE_MAX_EVENTS + PMK_MICROBLAZE_MAX_LATENCIES];
	uint8_t sampled[PMK_MICROBLAZE_MAX_EVENTS + PMK_MICROBLAZE_MAX_LATENCIES];
	/* Number of records and of occurrences of the bus's latency log that the model has read. */
	uint64_t read_log, read_timed;
	struct pmk_microblaze_event_counter event[PMK_MICROBLAZE_MAX_EVENTS];
	struct pmk_microblaze_latency_counter latency[PMK_MICROBLAZE_MAX_LATENCIES];
};

#define PMK_MICROBLAZE_NMODELS 1
extern const struct pmk_model_ops pmk_microblaze_models[PMK_MICROBLAZE_NMODELS + 1];

/* The default parameters: see struct pmk_microblaze_params. */
extern const struct pmk_microblaze_params pmk_microblaze_defaults;

/* Do a power-on reset with these parameters. The reset of pmk_model_ops uses the defaults. */
void pmk_microblaze_model_reset(struct pmk_microblaze_model *m, const struct pmk_pmu *pmu,
				const struct pmk_microblaze_params *params, struct pmk_bus *bus);

/* Set an input. Events up to now are counted first; call ask() again afterwards. */
void pmk_microblaze_model_input(struct pmk_microblaze_model *m, struct pmk_bus *bus,
				enum pmk_microblaze_input input, bool level);

/* ---- the debug module ---------------------------------------------------------------------- */

#define PMK_MDM_MAX_PROCESSORS 32

/* The configuration of the module, and the points that its documents leave open: PG115 and the
 * source of two revisions of the module differ. The first three default to true, the others to
 * false. */
struct pmk_mdm_params {
	/* C_DBG_REG_ACCESS: the registers exist. Without them, every access returns PMK_EIO. */
	bool access;
	bool uart; /* C_USE_UART: shows in the configuration register; no UART is modelled */
	/* Writing the key while DBG_LOCK is unlocked locks it (earlier revision). Otherwise the key
	 * always unlocks it, as PG115 says. */
	bool key_toggles;
	bool cross_trigger; /* C_USE_CROSS_TRIGGER: shows in the configuration register */
	/* DBG_STATUS shows whether JTAG has the access lock, as the register's page of PG115 says.
	 * By default it shows whether software has the lock, as in the summary of PG115 and in both
	 * revisions. */
	bool status_is_jtag;
	/* DBG_DATA without the access lock, or while locked by DBG_LOCK, does nothing (later
	 * revision). By default it returns PMK_EIO (earlier revision). */
	bool silent;
	/* A read begins with zeros (later revision). By default the bits above those that were read
	 * keep the values of the last access (earlier revision). */
	bool zero_first;
	/* The value read from several processors at once, which the documents leave undefined, is
	 * the AND of their bits. By default it is the OR. */
	bool all_of_several;
	/* A load from DBG_DATA writes the data that it finds there into a write-only register, and
	 * a store reads a read-only one, because the interface between module and processor does
	 * not distinguish the two. By default such an access has no effect, as the documents
	 * say. */
	bool undirected;
	/* JTAG: a read-only register is read when its command arrives, not with its data scan, as
	 * on the parallel debug interface. */
	bool fetch_early;
};

/* A register while it is shifted: its old value is shifted out, and the new value is shifted in. */
struct pmk_mdm_shift {
	uint64_t value;
	uint8_t bits;
	bool from_top; /* most significant bit first: registers of processors, not the module's */
};

/*
 * The module between the debugger or the software and up to 32 processors. Each processor is
 * reached through the port to its counters (pmk_port_model()). A struct pmk_mdm accesses the module
 * if its `load` and `store` are pmk_mdm_model_load() and pmk_mdm_model_store(). Only one process
 * may use the module. Users may only change `params`.
 */
struct pmk_mdm_model {
	struct pmk_mdm_params params;
	const struct pmk_port *processor;
	uint8_t nprocessors;
	bool unlocked;	   /* DBG_LOCK is unlocked */
	bool held;	   /* software has the access lock */
	bool held_by_jtag; /* the debugger has the access lock */
	bool overrun;	   /* the debugger scanned while software held the lock */
	uint32_t ctrl;	   /* DBG_CTRL, as it was stored */
	uint32_t data;	   /* DBG_DATA */
	uint16_t shifted;  /* number of bits already shifted, of a register of more than 32 bits */
	uint32_t which;	   /* Which MicroBlaze */
	struct pmk_mdm_shift shift;
};

extern const struct pmk_mdm_params pmk_mdm_defaults;

void pmk_mdm_model_reset(struct pmk_mdm_model *m, const struct pmk_mdm_params *params,
			 const struct pmk_port *processors, unsigned n);

/* Access a register: DBG_STATUS or DBG_CTRL at 0x10, DBG_DATA at 0x14, DBG_LOCK at 0x18. Return
 * PMK_EBADREG for other offsets. `model` is a struct pmk_mdm_model. */
int pmk_mdm_model_load(void *model, unsigned offset, uint32_t *value);
int pmk_mdm_model_store(void *model, unsigned offset, uint32_t value);

/* Lets the debugger on JTAG take the access lock, if necessary by force from software, and release
 * it. Returns false if software holds the lock. */
bool pmk_mdm_model_jtag_lock(struct pmk_mdm_model *m, bool force);
void pmk_mdm_model_jtag_unlock(struct pmk_mdm_model *m);

/* These are the three steps of one access to a register of a processor, or of the module (MDM
 * commands below 0x50); the JTAG side uses them. Anything that does not exist reads as zeros. */
enum pmk_mdm_way { PMK_MDM_READ, PMK_MDM_WRITE, PMK_MDM_BOTH };
int pmk_mdm_capture(struct pmk_mdm_model *m, struct pmk_mdm_shift *s, bool own, unsigned command,
		    enum pmk_mdm_way way);
bool pmk_mdm_shift_bit(struct pmk_mdm_shift *s, bool in);
int pmk_mdm_update(struct pmk_mdm_model *m, const struct pmk_mdm_shift *s, bool own,
		   unsigned command, enum pmk_mdm_way way);

/* ---- the debug module's JTAG side ---------------------------------------------------------- */

/* The JTAG side of the module. A struct pmk_mdm_jtag scans it if its `select` and `scan` are
 * pmk_mdm_jtag_model_select() and pmk_mdm_jtag_model_scan(). */
struct pmk_mdm_jtag_model {
	struct pmk_mdm_model *mdm;
	bool user;	 /* the USER instruction is loaded */
	bool chosen;	 /* a port was selected after the USER instruction */
	bool data_phase; /* the next scan is data; alternates at every Update-DR */
	bool fetched;	 /* `early` holds the value for the next data scan */
	uint8_t port, command;
	struct pmk_mdm_shift early;
};

void pmk_mdm_jtag_model_reset(struct pmk_mdm_jtag_model *j, struct pmk_mdm_model *mdm);

/* Select the USER instruction, and scan data. `model` is a struct pmk_mdm_jtag_model. A scan that
 * reaches no register passes one bit (BYPASS). */
int pmk_mdm_jtag_model_select(void *model);
int pmk_mdm_jtag_model_scan(void *model, unsigned bits, const uint8_t *out, uint8_t *in);
/* Loads another instruction, so that the port selection is lost. */
void pmk_mdm_jtag_model_deselect(struct pmk_mdm_jtag_model *j);

#ifdef __cplusplus
}
#endif

#endif
