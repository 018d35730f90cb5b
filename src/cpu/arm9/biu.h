/* SPDX-License-Identifier: MIT */
/*
 * The bus interface unit of an ARM926EJ-S. Requests of the core's caches, its MMU and its write
 * buffer become bursts on two layers of a bus matrix, ARM-I and ARM-D. The table below says when
 * the core waits for them.
 *
 * Sources: DDI 0287B  ARM926EJ-S Development Chip reference manual §3.1.2, §4.2.2
 *          DDI 0198D  ARM926EJ-S TRM chapters 4 and 6
 *
 *	fetch, no cache	INCR4 reads of four words; the core waits for all of them
 *	linefill	WRAP8 read, the wanted word first; the core continues when it has come
 *	cast-out	INCR4 or INCR8 write of the dirty halves of a line; the core goes on
 *	table walk	SINGLE reads on ARM-D, one per level; the core waits for each
 *	buffered write	INCR8, INCR4, SINGLE, by its words; the core waits when the buffer is full
 *	other accesses	SINGLE reads, writes like the ones above; the core waits for their end
 *
 * Times are cycles of the core. A cycle of HCLK takes `ratio` of them. The matrix does not run with
 * the core: when a request is made, the matrix is run up to the time of the request. A layer
 * handles requests in the order in which they are posted, so a linefill waits for the writes before
 * it (our choice).
 *
 * The struct has no pointers except the sink, which belongs to the owner.
 */
#ifndef PMK_CPU_ARM9_BIU_H
#define PMK_CPU_ARM9_BIU_H

#include <stdbool.h>
#include <stdint.h>

#include "buses/ahb/matrix.h"
#include "cpu/config.h"

/* A write in the write buffer. `last` is the ticket of its last burst. */
struct pmk_biu_write {
	uint64_t last;
	uint32_t words;
};

/*
 * Writes may use half of a layer's queue. The other half is for cast-outs, and for requests that
 * the core waits for.
 */
#define PMK_BIU_MAX_WRITES (PMK_MATRIX_QUEUE / 2)

struct pmk_biu {
	struct pmk_matrix matrix;
	pmk_matrix_sink *sink;
	void *sink_ctx;
	uint32_t ratio;
	uint32_t walk_reads;
	uint32_t max_writes, max_words;
	bool privileged;   /* the core runs in privileged modes; otherwise in User mode */
	bool placed;	   /* addresses are those of the chip; otherwise all are main memory */
	bool starved;	   /* other masters take all time: the core makes no more requests */
	uint8_t cacheable; /* HPROT of cached accesses */
	/* The current access: how far the core's clock is ahead of it, its address and its size. */
	uint64_t ahead;
	uint32_t addr, bytes;
	/* The write buffer, a ring. */
	uint32_t first_write, nwrites, words;
	struct pmk_biu_write write[PMK_BIU_MAX_WRITES];
};

/* Initialises the unit, empty and at time 0. Returns 0, or PMK_EINVAL if the core's parameters do
 * not make a valid matrix. */
int pmk_biu_init(struct pmk_biu *b, const struct pmk_core *core);

/*
 * Sets `config` to the matrix of a core. The matrix is that of the development chip, with the
 * core's wait states.
 */
void pmk_biu_matrix(const struct pmk_core *core, struct pmk_matrix_config *config);

/* Begins an access of `bytes` at `addr` by an instruction that issued `ahead` cycles before the
 * core's clock. */
static inline void pmk_biu_access(struct pmk_biu *b, uint32_t addr, uint32_t bytes, uint64_t ahead)
{
	b->addr = addr;
	b->bytes = bytes;
	b->ahead = ahead;
}

/*
 * Each function from here to pmk_biu_write_unbuffered() returns for how many cycles the core stands
 * still. `clock` is the core's clock.
 */

/* pmk_biu_fetch() fills the line of an instruction fetch at `addr`, and pmk_biu_linefill() fills
 * `line` for a data access. Both are for the access that pmk_biu_access() began. */
uint64_t pmk_biu_fetch(struct pmk_biu *b, uint64_t clock, uint32_t addr);
uint64_t pmk_biu_linefill(struct pmk_biu *b, uint64_t clock, uint32_t line);
/* Fetches the instructions of the current access without the cache. */
uint64_t pmk_biu_fetch_uncached(struct pmk_biu *b, uint64_t clock);
/* Writes the dirty halves of an evicted line. `low` and `high` are true if that half of the line is
 * dirty. Does nothing if no half is dirty. */
uint64_t pmk_biu_castout(struct pmk_biu *b, uint64_t clock, uint32_t line, bool low, bool high);
/*
 * Walks the translation table for a page that is not in the TLB. `fetch` is true for an instruction
 * fetch.
 */
uint64_t pmk_biu_walk(struct pmk_biu *b, uint64_t clock, uint32_t page, bool fetch);
/*
 * These functions transfer the part of the current access that is in `line`, bypassing the cache.
 * pmk_biu_read() reads it, pmk_biu_write() writes it through the write buffer, and
 * pmk_biu_write_unbuffered() writes it without the write buffer.
 */
uint64_t pmk_biu_read(struct pmk_biu *b, uint64_t clock, uint32_t line);
uint64_t pmk_biu_write(struct pmk_biu *b, uint64_t clock, uint32_t line);
uint64_t pmk_biu_write_unbuffered(struct pmk_biu *b, uint64_t clock, uint32_t line);

/* While the core requests nothing, the matrix is run only now and then. It may be at most this many
 * HCLK cycles behind the core. The owner calls pmk_biu_catch_up() in time, so that little is left
 * to do at the end. */
#define PMK_BIU_LAG (UINT64_C(1) << 21)

/* pmk_biu_catch_up() runs the matrix up to the core's time. pmk_biu_drain() runs it until the core
 * has no unfinished request. */
void pmk_biu_catch_up(struct pmk_biu *b, uint64_t clock);
void pmk_biu_drain(struct pmk_biu *b);

/*
 * Checks a unit, because it was in memory that the program can write. Returns true if a unit can
 * get from the state `begun` to this state by the core's time `clock`. If not, the unit must not be
 * used. Copies the ratio, and the configuration and scripts of the matrix, from `begun`.
 */
bool pmk_biu_valid(struct pmk_biu *b, const struct pmk_biu *begun, uint64_t clock);

#endif
