/* SPDX-License-Identifier: MIT */
/*
 * A bus matrix as in the ARM926EJ-S Development Chip. It has six layers, one for each master, and
 * slaves with wait states. It computes the signals of every layer in each HCLK cycle.
 *
 * Source: DDI 0287B §3.1.2 (the matrix), §4.2.2 (the masters); chapter 3 of IHI 0011A (AHB)
 *
 *  - A layer has an input stage, which holds a transfer whose slave is not granted. A slave has an
 *    output stage, which arbitrates by fixed priority. It does so at the start of every transfer
 *    and at the quad-word boundaries of incrementing bursts.
 *  - The `cause` in a layer's samples shows why the layer waits. It is CONNECT while the matrix
 *    connects the layer to a slave that another layer had last, ARBITRATE while another layer has
 *    the slave, and SLAVE while the slave is busy.
 *  - An address without a slave gets an ERROR at once.
 *  - A slave may refuse transfers: RETRY and SPLIT (IHI 0011A §3.9, §3.12). The layer is idle in
 *    the second cycle of the response and then repeats the transfer. Remaining beats of the burst
 *    are transferred one by one.
 *  - A locked sequence keeps its slave until its last transfer is done (IHI 0011A §3.11), and an
 *    idle cycle follows it.
 *
 * A master gets its work from a queue, into which a core model posts requests. When the queue is
 * empty, the master gets its work from a script. Time is the number of HCLK cycles since
 * pmk_matrix_init(). A core that waits for its data does this:
 *
 *	pmk_matrix_post(&m, PMK_MATRIX_ARMD, &request, &ticket);
 *	while (!pmk_matrix_served(&m, PMK_MATRIX_ARMD, ticket, &served))
 *		pmk_matrix_run(&m, m.now + 1, sink, ctx);
 *	(served.first, served.last: when the first word came, when all had come)
 *
 * A core with a write buffer posts its requests and continues. It waits only when the queue is
 * full. The sink gets all cycles of all layers in order.
 *
 * The struct has no pointers, so it may be copied, forked and shared.
 */
#ifndef PMK_AHB_MATRIX_H
#define PMK_AHB_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>

#include "buses/ahb/layer.h"

/* The layers, in the order of the AHB Monitor's tables. */
enum pmk_matrix_master {
	PMK_MATRIX_ARMI,
	PMK_MATRIX_CLCDC,
	PMK_MATRIX_DMA0,
	PMK_MATRIX_DMA1,
	PMK_MATRIX_EXP,
	PMK_MATRIX_ARMD,
	PMK_MATRIX_NMASTERS
};

/* ---- what is connected --------------------------------------------------------------------- */

#define PMK_MATRIX_MAX_SLAVES 8

/*
 * The wait states of a slave, by direction. Members with `first` are for the first beat of a burst,
 * and for a beat that was held in the input stage. Members with `next` are for all other beats.
 */
struct pmk_matrix_slave {
	char name[12];
	uint16_t read_first, read_next, write_first, write_next;
	bool error; /* the slave answers every transfer with ERROR */
	/*
	 * If this is N, the slave refuses one in N transfers. If it is 0, the slave refuses none. A
	 * repeated transfer is served.
	 */
	uint32_t refuse_every;
	bool split;	  /* the slave refuses with SPLIT instead of RETRY */
	uint32_t release; /* cycles from the response until a layer that got SPLIT may continue */
};

/* The behaviour of a master after an ERROR: DDI 0287B §4.2.2. */
enum pmk_matrix_on_error {
	PMK_MATRIX_GOES_ON, /* the master finishes the burst, as the ARM926EJ-S does */
	PMK_MATRIX_DROPS,   /* the master drops the burst and continues with the next one */
	PMK_MATRIX_HALTS,   /* the master drops the burst and all later ones, until it is resumed */
};

struct pmk_matrix_config {
	uint32_t nslaves;
	struct pmk_matrix_slave slave[PMK_MATRIX_MAX_SLAVES];
	uint32_t nwindows; /* address ranges of slaves; the matrix uses only `slave` of a window */
	struct pmk_ahb_window window[PMK_AHB_MAX_WINDOWS];
	uint8_t priority[PMK_MATRIX_NMASTERS]; /* the masters, highest priority first */
	uint8_t on_error[PMK_MATRIX_NMASTERS];
	/*
	 * The layers that accept RETRY and SPLIT, as a sum of 1 << enum pmk_matrix_master. On all
	 * other layers, a refusal becomes as many wait states as it would have cycles.
	 */
	uint8_t refusable;
	/* HBURST of the remaining beats after a refusal, for each master. */
	uint8_t rebuilt[PMK_MATRIX_NMASTERS];
	/* The cycles that it takes to connect a layer to a slave that last served another layer. At
	 * least 1. */
	uint32_t connect;
};

/* Sets `config` to the ARM926EJ-S Development Chip: its priorities, its masters, and those parts of
 * its memory map that the counters distinguish. All wait states are our choice. */
void pmk_matrix_devchip(struct pmk_matrix_config *config);

/* Returns the number of the slave with this name, in upper or lower case, or -1 if there is
 * none. */
int pmk_matrix_slave_find(const struct pmk_matrix_config *config, const char *name);

/* ---- requests of masters ------------------------------------------------------------------- */

enum pmk_matrix_lock {
	PMK_MATRIX_UNLOCKED,
	PMK_MATRIX_LOCKED,	/* locked until the end of this burst */
	PMK_MATRIX_LOCKED_PAIR, /* locked until the end of the next burst, which must follow */
};

struct pmk_ahb_request {
	uint64_t at;   /* earliest cycle in which the request may begin */
	uint64_t addr; /* address of the first beat, aligned to its size */
	uint8_t burst; /* enum pmk_ahb_burst */
	uint8_t size;  /* up to PMK_AHB_WORD */
	uint8_t prot;
	uint8_t beats; /* length of an INCR burst, 1 or more */
	uint8_t busy;  /* BUSY cycles before each beat except the first */
	bool write;
	uint8_t lock; /* enum pmk_matrix_lock */
};

struct pmk_ahb_served {
	uint64_t start; /* cycle in which the first address phase was on the bus */
	uint64_t first; /* cycle in which the first beat completed */
	uint64_t last;	/* cycle in which the last beat completed */
	uint64_t waits; /* wait states of all beats */
	bool error;	/* at least one beat had an ERROR */
	bool dropped;	/* the burst was given up after the ERROR */
};

#define PMK_MATRIX_QUEUE 16 /* maximum requests of one master in flight */

enum pmk_matrix_direction { PMK_MATRIX_READS, PMK_MATRIX_WRITES, PMK_MATRIX_BOTH };

/* A script: bursts of one kind, which walk through a range of addresses one after the other. `addr`
 * and `span` must be multiples of pmk_matrix_stride(). */
struct pmk_matrix_script {
	bool on;
	uint8_t burst, size, prot, beats, busy; /* as in a request */
	uint8_t direction; /* enum pmk_matrix_direction; BOTH alternates, a read first */
	/*
	 * If true, every burst is locked. With BOTH, a read and the following write are locked
	 * together. They have the same address and no gap between them, as in a SWP.
	 */
	bool lock;
	uint64_t addr, span; /* after `span` bytes, the script starts again at `addr` */
	uint64_t start;	     /* cycle of the first burst */
	uint64_t period;     /* the fewest cycles from one start to the next */
	uint64_t count;	     /* the number of bursts; 0: there is no end */
};

/* ---- the matrix ---------------------------------------------------------------------------- */

/* The address phase that a master drives. */
struct pmk_matrix_address {
	uint64_t addr;
	uint8_t trans; /* enum pmk_ahb_trans; IDLE: none */
	uint8_t slave;
};

enum pmk_matrix_place {
	PMK_MATRIX_NOWHERE, /* there is no transfer in the data phase */
	PMK_MATRIX_HELD,    /* the transfer is in the input stage */
	PMK_MATRIX_AT_SLAVE
};

struct pmk_matrix_data {
	uint64_t addr;
	uint8_t place; /* enum pmk_matrix_place */
	uint8_t slave;
	uint8_t slot; /* index in burst[] of the transfer's burst */
	bool first, last, write;
	bool connects;	/* if HELD: the layer must be connected to the slave first */
	bool responded; /* the first cycle of ERROR, RETRY or SPLIT is over */
	bool refused;	/* the response will be RETRY or SPLIT */
	uint32_t held;	/* number of cycles in the input stage so far */
	uint32_t waits; /* number of cycles that the slave still needs */
};

/*
 * A burst in flight. A layer has at most two of them: the last beat of one burst may be in its data
 * phase while the next burst drives its first address.
 */
struct pmk_matrix_burst {
	struct pmk_ahb_request request;
	struct pmk_ahb_served served;
	bool of_queue; /* true: it is from the queue, false: from the script */
	bool rebuilt;  /* refused with beats left, which are transferred one by one */
};

struct pmk_matrix_layer {
	struct pmk_matrix_burst burst[2];
	uint8_t slot;	     /* index in burst[] of the burst that drives addresses */
	uint32_t beats_left; /* beats of the burst in `slot` whose addresses were not driven yet */
	uint32_t busy_left;  /* BUSY cycles before the next beat */
	uint64_t next;	     /* address of the next beat */
	bool halted;
	bool again; /* true if the next transfer repeats a refused one */
	/* true if the script's burst in the other slot waits until the refused burst in `slot` is
	 * repeated */
	bool withdrawn;
	uint64_t released; /* after SPLIT: the master drives no address before this cycle */
	uint64_t refused;  /* number of refused transfers so far */
	struct pmk_matrix_address address;
	struct pmk_matrix_data data;
	/* Requests are numbered from 0 in the order in which they are posted. Request n is in
	 * queue[n % PMK_MATRIX_QUEUE], and its result is at the same index of `result`, until
	 * another request uses that index. */
	uint64_t posted, begun, done;
	struct pmk_ahb_request queue[PMK_MATRIX_QUEUE];
	struct pmk_ahb_served result[PMK_MATRIX_QUEUE];
	/* The script, and its state. */
	struct pmk_matrix_script script;
	uint64_t due;	 /* cycle of the script's next burst */
	uint64_t bursts; /* number of bursts of the script so far */
	uint64_t offset; /* offset of the next burst in the span */
	uint64_t pair;	 /* cycle in which the read of a locked pair began */
};

struct pmk_matrix {
	struct pmk_matrix_config config;
	uint64_t now;
	struct pmk_matrix_layer layer[PMK_MATRIX_NMASTERS];
	/* The layer to which each slave is connected, or PMK_MATRIX_NMASTERS. The last entry is for
	 * the default slave. */
	uint8_t owner[PMK_MATRIX_MAX_SLAVES + 1];
	/* The layer that holds each slave for a locked sequence, or PMK_MATRIX_NMASTERS. */
	uint8_t holder[PMK_MATRIX_MAX_SLAVES + 1];
	/* Number of transfers so far that the slave could have refused. */
	uint64_t transfers[PMK_MATRIX_MAX_SLAVES];
};

/* Receives `n` identical cycles of the layers; n > 1 only if all layers are idle. */
typedef void pmk_matrix_sink(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS],
			     uint64_t n);

/*
 * Initialises the matrix at cycle 0 with every layer idle. Returns PMK_EINVAL for too many slaves
 * or windows, a window without a slave, or an invalid priority list.
 */
int pmk_matrix_init(struct pmk_matrix *m, const struct pmk_matrix_config *config);

/*
 * Gives a master a script; NULL removes its script. A master serves its script when its queue is
 * empty. Returns PMK_EINVAL if the script's burst does not exist.
 */
int pmk_matrix_script(struct pmk_matrix *m, unsigned master,
		      const struct pmk_matrix_script *script);

/*
 * Returns the number of bytes from one burst of a script to the next. It is the size of a burst,
 * rounded up to a power of two, so that no burst crosses 1 KB.
 */
uint64_t pmk_matrix_stride(const struct pmk_matrix_script *script);

/*
 * Posts a request, and stores its number in *ticket. Returns PMK_EBUSY if the queue is full, and
 * PMK_EINVAL if the address is not aligned, the burst crosses 1 KB, or there is no such burst.
 */
int pmk_matrix_post(struct pmk_matrix *m, unsigned master, const struct pmk_ahb_request *r,
		    uint64_t *ticket);

/*
 * Returns 1 if the request was served, and 0 if it was not served yet. Returns PMK_ERANGE if it was
 * never posted, or if its result was overwritten.
 */
int pmk_matrix_served(const struct pmk_matrix *m, unsigned master, uint64_t ticket,
		      struct pmk_ahb_served *served);

/* Runs one cycle. */
void pmk_matrix_step(struct pmk_matrix *m, struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS]);

/* Returns for how many cycles every layer stays idle if nothing is posted, or UINT64_MAX if it
 * stays idle forever. */
uint64_t pmk_matrix_quiet(const struct pmk_matrix *m);

/* Runs until `until` is the next cycle. `sink` may be NULL. */
void pmk_matrix_run(struct pmk_matrix *m, uint64_t until, pmk_matrix_sink *sink, void *ctx);

/*
 * Makes a halted master continue, after its interrupt was handled. Its script continues at the
 * first address of its span (the CLCDC begins its frame again).
 */
void pmk_matrix_resume(struct pmk_matrix *m, unsigned master);

/* Checks a matrix, because it was in memory that the program can write. Returns true if the matrix
 * can have come from `begun` to this state. If not, it must not be used. Copies the configuration
 * and the scripts from `begun`. */
bool pmk_matrix_valid(struct pmk_matrix *m, const struct pmk_matrix *begun);

#endif
