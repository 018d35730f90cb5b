/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * MicroBlaze performance counters: the models, their parameters for what the documents leave open,
 * and the pins that they see. <pmk/model.h> says how models are used. Host library only; a driver
 * does not include this.
 *
 * Three of them, one in front of the other: the counters (struct pmk_model_ops), the registers of
 * the MicroBlaze Debug Module (MDM) through which software reaches them, and the MDM's JTAG side.
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
 * What the documents leave open. By default all are false and 0, except `shared_pointer`; this is
 * our choice. "One register" is one of Control, Status, Data Read and Data Write.
 */
struct pmk_microblaze_params {
	/* The four registers share one pointer to counter and item; if false, each register has
	 * its own. The typical procedure resets between status and data, which makes sense only
	 * with one pointer. Default true. */
	bool shared_pointer;
	/* An access past the last counter goes on at the first. By default the pointer stays behind
	 * the last: reads give 0, writes do nothing. */
	bool pointer_wraps;
	/* Commands in one write act in the order Reset, Sample, Stop, Clear, Start. The next two
	 * members change that: Clear comes before Sample, and Stop after Start. */
	bool clear_first, stop_last;
	bool clear_sample; /* Clear also clears the sampled copies */
	bool write_sample; /* Data Write also writes the sampled copy, without a Sample */
	/* Events from 64 on are those of their lower six bits. By default they count nothing. */
	bool decode_6_bits;
	bool reset_ignored;	 /* a reset of the core does not change the counters */
	bool count_while_halted; /* counting goes on while the debugger has halted the core */
	/* Overflow is set by the count that reaches the maximum ("Performance Monitoring"). By
	 * default it is set by the count that goes beyond the maximum (PCSR). This is for event
	 * counters; the sums of latency counters have to wrap. */
	bool overflow_at_max;
	bool saturate; /* counts and sums stay at their maximum. By default they wrap */
	/* Overflow of a latency counter raises Dbg_Intr, too, at the next synchronisation. */
	bool latency_irq;
	/* Latencies are cut to the width of the extremes, which at 32 bits is 16. By default these
	 * stop at their maximum. */
	bool truncate_extremes;
	/* An occurrence that was under way at Start, at Clear or when its event was selected is
	 * timed as a whole. By default a latency counter ignores it. */
	bool time_in_flight;
	/* An occurrence that begins while another is timed is not timed and not counted, but sets
	 * Full. By default it is timed separately. */
	bool overlap_ignored;
	uint32_t min_empty; /* the minimum of a latency counter that has timed nothing */
	uint32_t undefined; /* what reading a write-only register gives */
};

/* Pins and states that the counters see. The last three are actions that happen when they are
 * set to 1. */
enum pmk_microblaze_input {
	PMK_MICROBLAZE_IN_HALTED, /* 1: the debugger has halted the core. 0 after reset */
	PMK_MICROBLAZE_IN_STOP,	  /* cross-trigger action 4: stop performance monitoring */
	PMK_MICROBLAZE_IN_START,  /* cross-trigger action 5: start performance monitoring */
	PMK_MICROBLAZE_IN_RESET,  /* the core is reset: as at power-up */
	PMK_MICROBLAZE_NINPUTS
};

/* Mistakes of the guest; bits of pmk_microblaze_model.oddities. The model clears them only at
 * reset. */
enum pmk_microblaze_oddity {
	PMK_MICROBLAZE_ODD_READ_WO = 1 << 0,  /* read a write-only register */
	PMK_MICROBLAZE_ODD_WRITE_RO = 1 << 1, /* wrote a read-only register, which is ignored */
	PMK_MICROBLAZE_ODD_END = 1 << 2,      /* went beyond the last counter */
	PMK_MICROBLAZE_ODD_EVENT = 1 << 3,    /* selected an event that this counter cannot count */
	PMK_MICROBLAZE_ODD_START_STOP = 1 << 4,	   /* Start and Stop in one command */
	PMK_MICROBLAZE_ODD_WRITE_RUNNING = 1 << 5, /* wrote a counter while it counted */
	/* A mistake of the producer: between two synchronisations more latencies were recorded
	 * than the log holds. Occurrences are still right, latencies are not: Full is set. */
	PMK_MICROBLAZE_ODD_LOST = 1 << 6,
};

struct pmk_microblaze_latency {
	uint64_t sum, sum2;
	uint32_t n, min, max;
	bool some; /* min is the latency of an occurrence */
};

struct pmk_microblaze_event_counter {
	uint64_t count, sampled;
	uint64_t seen; /* sum of its signals' totals at the last synchronisation */
};

struct pmk_microblaze_latency_counter {
	struct pmk_microblaze_latency live, sampled;
	uint64_t seen;	/* how much of its signal's total has been looked at */
	uint64_t since; /* occurrences that began before this cycle are not timed */
	uint64_t busy;	/* the cycle in which the last timed occurrence ended */
};

/* Which counter and item an access goes to. */
struct pmk_microblaze_pointer {
	uint8_t counter, item;
};

/* The counters of one processor. It contains no pointers: it may be copied, forked and shared.
 * Others may only touch `params` and `oddities`; everything else goes through the registers and
 * the inputs. */
struct pmk_microblaze_model {
	struct pmk_microblaze_params params;
	struct pmk_microblaze_config config;
	bool started, halted;
	uint8_t oddities;
	struct pmk_microblaze_pointer pointer[PMK_MICROBLAZE_NREGS]; /* [0] where there is one */
	/* By counter: event counters, then latency counters. */
	uint8_t code[PMK_MICROBLAZE_MAX_EVENTS + PMK_MICROBLAZE_MAX_LATENCIES];
	uint8_t status[PMK_MICROBLAZE_MAX_EVENTS + PMK_MICROBLAZE_MAX_LATENCIES];
	uint8_t sampled[PMK_MICROBLAZE_MAX_EVENTS + PMK_MICROBLAZE_MAX_LATENCIES];
	/* How far the bus's latency log has been read: records, occurrences. */
	uint64_t read_log, read_timed;
	struct pmk_microblaze_event_counter event[PMK_MICROBLAZE_MAX_EVENTS];
	struct pmk_microblaze_latency_counter latency[PMK_MICROBLAZE_MAX_LATENCIES];
};

#define PMK_MICROBLAZE_NMODELS 1
extern const struct pmk_model_ops pmk_microblaze_models[PMK_MICROBLAZE_NMODELS + 1];

/* The defaults above. */
extern const struct pmk_microblaze_params pmk_microblaze_defaults;

/* Power-on reset with parameters; the reset of pmk_model_ops takes the defaults. */
void pmk_microblaze_model_reset(struct pmk_microblaze_model *m, const struct pmk_pmu *pmu,
				const struct pmk_microblaze_params *params, struct pmk_bus *bus);

/* Set an input. Events up to now are counted before that; call ask() again afterwards. */
void pmk_microblaze_model_input(struct pmk_microblaze_model *m, struct pmk_bus *bus,
				enum pmk_microblaze_input input, bool level);

/* ---- the debug module ---------------------------------------------------------------------- */

#define PMK_MDM_MAX_PROCESSORS 32

/* How the module was built, and what its documents leave open: PG115 and the source of two
 * revisions of the module differ. The first three default to true, the others to false. */
struct pmk_mdm_params {
	/* C_DBG_REG_ACCESS: the registers exist; without them, every access is PMK_EIO */
	bool access;
	bool uart; /* C_USE_UART: shows in the configuration register; no UART is modelled */
	/* Writing the key while unlocked locks (earlier revision). Otherwise the key unlocks,
	 * whatever the state was, as PG115 says. */
	bool key_toggles;
	bool cross_trigger; /* C_USE_CROSS_TRIGGER: shows in the configuration register */
	/* DBG_STATUS shows whether JTAG has the access lock, as the register's page of PG115 says;
	 * its summary and both revisions show whether software has. */
	bool status_is_jtag;
	/* DBG_DATA without the access lock, or while locked by DBG_LOCK, does nothing (later
	 * revision). By default, the earlier one, it is PMK_EIO. */
	bool silent;
	/* A read begins with zeros (later revision). By default, the earlier one, the bits above
	 * those that were read are left from the access before. */
	bool zero_first;
	/* What is read from several processors at once, which the documents leave undefined: the
	 * AND of their bits. By default the OR of their bits. */
	bool all_of_several;
	/* A load from DBG_DATA writes what it finds there into a write-only register, and a store
	 * reads a read-only one, because nothing on the wire between module and processor
	 * distinguishes the two. By default it has no effect, as the documents say. */
	bool undirected;
	/* JTAG: a read-only register is read when its command arrives, not with its data scan: the
	 * parallel debug interface does so. */
	bool fetch_early;
};

/* A register while it is shifted: what was read is shifted out while what is to be written is
 * shifted in. */
struct pmk_mdm_shift {
	uint64_t value;
	uint8_t bits;
	bool from_top; /* the highest bit is first: registers of processors, not the module's */
};

/*
 * The module in front of up to 32 processors, each behind the port to its counters
 * (pmk_port_model()). Its load and store are those of struct pmk_mdm. It is used in one process
 * only. Others may only touch `params`.
 */
struct pmk_mdm_model {
	struct pmk_mdm_params params;
	const struct pmk_port *processor;
	uint8_t nprocessors;
	bool unlocked;	   /* locked by DBG_LOCK */
	bool held;	   /* software has the access lock */
	bool held_by_jtag; /* the debugger has the access lock */
	bool overrun;	   /* the debugger scanned while software had it */
	uint32_t ctrl;	   /* DBG_CTRL, as it was stored */
	uint32_t data;	   /* DBG_DATA */
	uint16_t shifted;  /* bits of a register of more than 32 that have passed */
	uint32_t which;	   /* Which MicroBlaze */
	struct pmk_mdm_shift shift;
};

extern const struct pmk_mdm_params pmk_mdm_defaults;

void pmk_mdm_model_reset(struct pmk_mdm_model *m, const struct pmk_mdm_params *params,
			 const struct pmk_port *processors, unsigned n);

/* DBG_STATUS or DBG_CTRL 0x10, DBG_DATA 0x14, DBG_LOCK 0x18; PMK_EBADREG elsewhere. `model` is a
 * struct pmk_mdm_model. */
int pmk_mdm_model_load(void *model, unsigned offset, uint32_t *value);
int pmk_mdm_model_store(void *model, unsigned offset, uint32_t value);

/* The debugger behind JTAG takes the access lock, by force from software if necessary, and gives
 * it back. False: software has it. */
bool pmk_mdm_model_jtag_lock(struct pmk_mdm_model *m, bool force);
void pmk_mdm_model_jtag_unlock(struct pmk_mdm_model *m);

/* One access to a register behind the module, of a processor or its own (MDM commands below 0x50),
 * in the three steps it has on the wire; the JTAG side uses them. What does not exist reads as
 * zeros. */
enum pmk_mdm_way { PMK_MDM_READ, PMK_MDM_WRITE, PMK_MDM_BOTH };
int pmk_mdm_capture(struct pmk_mdm_model *m, struct pmk_mdm_shift *s, bool own, unsigned command,
		    enum pmk_mdm_way way);
bool pmk_mdm_shift_bit(struct pmk_mdm_shift *s, bool in);
int pmk_mdm_update(struct pmk_mdm_model *m, const struct pmk_mdm_shift *s, bool own,
		   unsigned command, enum pmk_mdm_way way);

/* ---- the debug module's JTAG side ---------------------------------------------------------- */

/* Its select and scan are those of struct pmk_mdm_jtag. */
struct pmk_mdm_jtag_model {
	struct pmk_mdm_model *mdm;
	bool user;	 /* the USER instruction is loaded */
	bool chosen;	 /* a port was selected after that */
	bool data_phase; /* the next scan is data; this changes at every Update-DR */
	bool fetched;	 /* `early` holds what the next data scan reads */
	uint8_t port, command;
	struct pmk_mdm_shift early;
};

void pmk_mdm_jtag_model_reset(struct pmk_mdm_jtag_model *j, struct pmk_mdm_model *mdm);

/* `model` is a struct pmk_mdm_jtag_model. A scan that reaches nothing passes one bit (BYPASS). */
int pmk_mdm_jtag_model_select(void *model);
int pmk_mdm_jtag_model_scan(void *model, unsigned bits, const uint8_t *out, uint8_t *in);
/* Another instruction is loaded: the port selection is lost. */
void pmk_mdm_jtag_model_deselect(struct pmk_mdm_jtag_model *j);

#ifdef __cplusplus
}
#endif

#endif
