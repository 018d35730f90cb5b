/* SPDX-License-Identifier: MIT */
/*
 * A bus matrix as in the ARM926EJ-S Development Chip, cycle by cycle: six layers, one per master,
 * slaves with wait states, and what every layer's signals are in each HCLK cycle.
 *
 * Source: DDI 0287B §3.1.2 (the matrix), §4.2.2 (the masters); chapter 3 of IHI 0011A (AHB)
 *
 *  - A layer has an input stage: it holds a transfer whose slave is not granted. A slave has an
 *    output stage: it arbitrates, by fixed priority, at the start of every transfer and at the
 *    quad-word boundaries of incrementing bursts.
 *  - What a layer waits for is in the `cause` of its samples: CONNECT while the matrix connects it
 *    to a slave that another layer had last, ARBITRATE while another layer has the slave, SLAVE
 *    while the slave is at work.
 *  - No slave at an address: ERROR, at once.
 *  - A slave may refuse transfers: RETRY and SPLIT (IHI 0011A §3.9, §3.12). The layer is idle for the
 *    second cycle and then asks again; of a burst with beats behind it, the rest goes one by one.
 *  - A locked sequence keeps its slave until its last transfer is done (IHI 0011A §3.11), and an idle
 *    cycle follows it.
 *
 * A master gets its work from a queue, into which a core model posts what it wants, and else from a
 * script. Time is HCLK cycles since init. A core that stands still until its data comes:
 *
 *	pmk_matrix_post(&m, PMK_MATRIX_ARMD, &request, &ticket);
 *	pmk_matrix_wait(&m, PMK_MATRIX_ARMD, ticket, sink, ctx, &served);
 *	(served.first, served.last: when the first word came, when all had come)
 *
 * and one with a write buffer posts, goes on, and asks or waits when the queue is full. All cycles,
 * of all layers, come out of the sink in order.
 *
 * No pointers in the struct: it may be copied, forked and shared.
 */
#ifndef PMK_AHB_MATRIX_H
#define PMK_AHB_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>

#include "ahb/layer.h"

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

/* Wait states by direction, of the first beat that a layer has there, and of those that follow in a
 * burst without a gap. */
struct pmk_matrix_slave {
	char name[12];
	uint16_t read_first, read_next, write_first, write_next;
	bool error; /* answers every transfer with ERROR */
	/* Refuses one in so many transfers, once: what is asked for again is served. 0: none. */
	uint32_t refuse_every;
	bool split;	  /* with SPLIT, not with RETRY; */
	uint32_t release; /* then the layer is let go that many cycles after the response */
};

/* What a master does about ERROR: DDI 0287B §4.2.2. */
enum pmk_matrix_on_error {
	PMK_MATRIX_GOES_ON, /* finishes the burst: the ARM926EJ-S */
	PMK_MATRIX_DROPS,   /* drops the burst, goes on with the next one */
	PMK_MATRIX_HALTS,   /* drops the burst and everything after it, until it is resumed */
};

struct pmk_matrix_config {
	uint32_t nslaves;
	struct pmk_matrix_slave slave[PMK_MATRIX_MAX_SLAVES];
	uint32_t nwindows; /* where the slaves are; the `slave` of each counts here */
	struct pmk_ahb_window window[PMK_AHB_MAX_WINDOWS];
	uint8_t priority[PMK_MATRIX_NMASTERS]; /* masters, the highest first */
	uint8_t on_error[PMK_MATRIX_NMASTERS];
	/* Layers that can be refused, a sum of 1 << enum pmk_matrix_master. To others a refusal is as
	 * many wait states. */
	uint8_t refusable;
	/* HBURST of the transfers that are left of a burst that was refused. */
	uint8_t rebuilt[PMK_MATRIX_NMASTERS];
	uint32_t connect; /* cycles to connect a layer to a slave that another had, at least 1 */
};

/* The ARM926EJ-S Development Chip: its priorities, its masters, and the part of its memory map that
 * the counters ask for. All wait states are our choice. */
void pmk_matrix_devchip(struct pmk_matrix_config *config);

/* The number of the slave with that name (any case), or -1. */
int pmk_matrix_slave_find(const struct pmk_matrix_config *config, const char *name);

/* ---- what masters want --------------------------------------------------------------------- */

enum pmk_matrix_lock {
	PMK_MATRIX_UNLOCKED,
	PMK_MATRIX_LOCKED,	/* up to the end of this burst */
	PMK_MATRIX_LOCKED_PAIR, /* and of the next one: it has to come */
};

struct pmk_ahb_request {
	uint64_t at;   /* not before this cycle */
	uint64_t addr; /* of the first beat, aligned to its size */
	uint8_t burst; /* enum pmk_ahb_burst */
	uint8_t size;  /* up to PMK_AHB_WORD */
	uint8_t prot;
	uint8_t beats; /* of an INCR burst, 1 or more */
	uint8_t busy;  /* BUSY cycles before each beat but the first */
	bool write;
	uint8_t lock; /* enum pmk_matrix_lock */
};

struct pmk_ahb_served {
	uint64_t start; /* cycle in which the first address phase was on the bus */
	uint64_t first; /* cycle in which the first beat completed */
	uint64_t last;	/* cycle in which the last one did */
	uint64_t waits; /* wait states of all beats */
	bool error;	/* at least one beat had an ERROR */
	bool dropped;	/* the burst was given up after it */
};

#define PMK_MATRIX_QUEUE 16 /* requests of one master under way at a time */

enum pmk_matrix_direction { PMK_MATRIX_READS, PMK_MATRIX_WRITES, PMK_MATRIX_BOTH };

/* Work without end: bursts of one kind, one after the other through a span of addresses. `addr` and
 * `span` are multiples of pmk_matrix_stride(). */
struct pmk_matrix_script {
	bool on;
	uint8_t burst, size, prot, beats, busy; /* as in a request */
	uint8_t direction; /* enum pmk_matrix_direction; BOTH: in turn, reads first */
	bool lock;	   /* every burst is locked; BOTH: the read and the write behind it, at one
			      * address and one right after the other, as of a SWP */
	uint64_t addr, span; /* span: bytes, after which it begins again at addr */
	uint64_t start;	     /* cycle of the first burst */
	uint64_t period;     /* least number of cycles from one start to the next */
	uint64_t count;	     /* how many bursts; 0: no end */
};

/* ---- the matrix ---------------------------------------------------------------------------- */

/* The address phase that a master shows. */
struct pmk_matrix_address {
	uint64_t addr;
	uint8_t trans; /* enum pmk_ahb_trans; IDLE: none */
	uint8_t slave;
};

enum pmk_matrix_place {
	PMK_MATRIX_NOWHERE, /* no transfer in the data phase */
	PMK_MATRIX_HELD,    /* in the input stage */
	PMK_MATRIX_AT_SLAVE
};

struct pmk_matrix_data {
	uint64_t addr;
	uint8_t place; /* enum pmk_matrix_place */
	uint8_t slave;
	uint8_t slot; /* of its burst */
	bool first, last, write;
	bool connects;	/* HELD: the layer has to be connected first */
	bool responded; /* the first cycle of ERROR, RETRY, SPLIT has been */
	bool refused;	/* the answer is RETRY or SPLIT */
	uint32_t held;	/* cycles in the input stage */
	uint32_t waits; /* cycles the slave still needs */
};

/* A burst under way. There are two at most: the last beat of one may be in its data phase while the
 * next one shows its first address. */
struct pmk_matrix_burst {
	struct pmk_ahb_request request;
	struct pmk_ahb_served served;
	bool of_queue; /* else of the script */
	bool rebuilt;  /* it was refused with beats behind it: the rest goes one by one */
};

struct pmk_matrix_layer {
	struct pmk_matrix_burst burst[2];
	uint8_t slot;	     /* the burst that shows addresses */
	uint32_t beats_left; /* of it, to show */
	uint32_t busy_left;  /* BUSY cycles before the next of them */
	uint64_t next;	     /* address of that */
	bool halted;
	bool again;	   /* the next transfer is one that was refused */
	bool withdrawn;	   /* the script's burst in the other slot comes after that */
	uint64_t released; /* SPLIT: nothing is shown before this cycle */
	uint64_t refused;  /* transfers, so far */
	struct pmk_matrix_address address;
	struct pmk_matrix_data data;
	/* The queue. Requests and results are numbered; a result lives as long as its place in the
	 * ring does. */
	uint64_t posted, begun, done;
	struct pmk_ahb_request queue[PMK_MATRIX_QUEUE];
	struct pmk_ahb_served result[PMK_MATRIX_QUEUE];
	/* The script. */
	struct pmk_matrix_script script;
	uint64_t due;	 /* cycle of its next burst */
	uint64_t bursts; /* so far */
	uint64_t offset; /* of the next burst in the span */
	uint64_t pair;	 /* cycle in which the read of a locked pair began */
};

struct pmk_matrix {
	struct pmk_matrix_config config;
	uint64_t now;
	struct pmk_matrix_layer layer[PMK_MATRIX_NMASTERS];
	/* The layer each slave is connected to, or NMASTERS; the one more is the default slave. */
	uint8_t owner[PMK_MATRIX_MAX_SLAVES + 1];
	/* The layer that holds it for a locked sequence, or NMASTERS. */
	uint8_t holder[PMK_MATRIX_MAX_SLAVES + 1];
	uint64_t transfers[PMK_MATRIX_MAX_SLAVES]; /* that could be refused, so far */
};

/* n cycles that look the same, in which the layers are as given; n > 1 only if all are idle. */
typedef void pmk_matrix_sink(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS],
			     uint64_t n);

/* Idle, at cycle 0. PMK_EINVAL: too many slaves or windows, a window without a slave, a priority
 * list that is none. */
int pmk_matrix_init(struct pmk_matrix *m, const struct pmk_matrix_config *config);

/* Give a master work for ever; NULL takes it away. The script of the queue's owner is served when its
 * queue is empty. PMK_EINVAL: no burst like that. */
int pmk_matrix_script(struct pmk_matrix *m, unsigned master,
		      const struct pmk_matrix_script *script);

/* Bytes from one burst of a script to the next: those of a burst, rounded up to a power of two, so
 * that none crosses 1 KB. */
uint64_t pmk_matrix_stride(const struct pmk_matrix_script *script);

/* Post a request; *ticket is its number. PMK_EBUSY: the queue is full. PMK_EINVAL: the address is not
 * aligned, the burst crosses 1 KB, there is no burst like that. */
int pmk_matrix_post(struct pmk_matrix *m, unsigned master, const struct pmk_ahb_request *r,
		    uint64_t *ticket);

/* 1: served. 0: not yet. PMK_ERANGE: never posted, or so long ago that it is forgotten. */
int pmk_matrix_served(const struct pmk_matrix *m, unsigned master, uint64_t ticket,
		      struct pmk_ahb_served *served);

/* One cycle. */
void pmk_matrix_step(struct pmk_matrix *m, struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS]);

/* How many cycles from now on every layer is idle, if nothing is posted: UINT64_MAX for ever. */
uint64_t pmk_matrix_quiet(const struct pmk_matrix *m);

/* Run up to cycle `until`: it is the next. `sink` may be NULL. */
void pmk_matrix_run(struct pmk_matrix *m, uint64_t until, pmk_matrix_sink *sink, void *ctx);

/* Run until a request is served. As pmk_matrix_served(), but for 0; PMK_EBUSY: it will never be,
 * because the master has halted. */
int pmk_matrix_wait(struct pmk_matrix *m, unsigned master, uint64_t ticket, pmk_matrix_sink *sink,
		    void *ctx, struct pmk_ahb_served *served);

/* The interrupt that a halted master raised has been seen to: it goes on, its script at the first
 * address of its span (the CLCDC begins its frame again). */
void pmk_matrix_resume(struct pmk_matrix *m, unsigned master);

#endif
