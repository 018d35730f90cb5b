// SPDX-License-Identifier: MIT
/* The bus interface unit of an ARM926EJ-S. See biu.h. */
#include "cpu/arm9/biu.h"

#include <string.h>

#include "base/foreign.h"
#include "cpu/cache.h"

#define LINE_BYTES (1u << PMK_LINE_SHIFT)
#define HALF_BYTES (LINE_BYTES / 2)
#define WORD	   4u

/* In user emulation addresses are virtual, and their physical pages are not known. Our choice is
 * that the physical address has the same low bits and is in the first 256 MB, which belong to the
 * memory controller. */
#define MEMORY_MASK 0x0FFFFFFFu
/* The addresses of the translation tables: a first-level table of 16 KB, and one second-level table
 * after it (our choice). */
#define TABLE_1	    0x00004000u
#define TABLE_2	    0x00100000u

/*
 * A transfer that has waited for this many HCLK cycles is given up, because masters of higher
 * priority take all of the slave's time.
 */
#define PATIENCE 1000000

/* HPROT of cast-outs, and of table walks for data and for instructions. DDI 0287B Table 4-11:
 * "CBPD" and "CBPI". */
#define CASTOUT_PROT 0xF
#define WALK_D_PROT  0xF
#define WALK_I_PROT  0xE

static void copy_waits(struct pmk_matrix_config *config, const char *slave, uint64_t read,
		       uint64_t read_next, uint64_t write, uint64_t write_next)
{
	struct pmk_matrix_slave *s = &config->slave[pmk_matrix_slave_find(config, slave)];

	s->read_first = (uint16_t)read;
	s->read_next = (uint16_t)read_next;
	s->write_first = (uint16_t)write;
	s->write_next = (uint16_t)write_next;
}

void pmk_biu_matrix(const struct pmk_core *core, struct pmk_matrix_config *config)
{
	pmk_matrix_devchip(config);
	config->connect = (uint32_t)core->arm9.ahb_connect;
	copy_waits(config, "mpmc", core->arm9.mpmc_read, core->arm9.mpmc_read_next,
		   core->arm9.mpmc_write, core->arm9.mpmc_write_next);
	copy_waits(config, "smc", core->arm9.smc_read, core->arm9.smc_read_next,
		   core->arm9.smc_write, core->arm9.smc_write_next);
	copy_waits(config, "apb_core", core->arm9.apb_read, core->arm9.apb_read,
		   core->arm9.apb_write, core->arm9.apb_write);
	copy_waits(config, "apb_dma", core->arm9.apb_read, core->arm9.apb_read,
		   core->arm9.apb_write, core->arm9.apb_write);
}

int pmk_biu_init(struct pmk_biu *b, const struct pmk_core *core)
{
	struct pmk_matrix_config config;

	pmk_biu_matrix(core, &config);
	*b = (struct pmk_biu){
		.ratio = (uint32_t)core->arm9.ahb_ratio,
		.walk_reads = (uint32_t)core->arm9.walk_reads,
		.max_writes = (uint32_t)core->mem.wbuf,
		.max_words = (uint32_t)core->arm9.wbuf_words,
		.privileged = core->system,
		.placed = core->system,
		.cacheable =
			PMK_AHB_PROT_CACHEABLE | (core->dcache.wt ? 0 : PMK_AHB_PROT_BUFFERABLE),
	};
	if (b->max_writes > PMK_BIU_MAX_WRITES)
		b->max_writes = PMK_BIU_MAX_WRITES;
	return pmk_matrix_init(&b->matrix, &config);
}

/* ---- time ----------------------------------------------------------------------------------- */

static uint64_t bus_time(const struct pmk_biu *b, uint64_t clock)
{
	return clock > b->ahead ? clock - b->ahead : 0;
}

/* Returns how many cycles the core stands still, from `from` to the end of HCLK cycle `cycle`. */
static uint64_t stalled_cycles(const struct pmk_biu *b, uint64_t from, uint64_t cycle)
{
	uint64_t until = (cycle + 1) * b->ratio;

	return until > from ? until - from : 0;
}

void pmk_biu_catch_up(struct pmk_biu *b, uint64_t clock)
{
	if (!b->starved)
		pmk_matrix_run(&b->matrix, clock / b->ratio, b->sink, b->sink_ctx);
}

static void step_cycle(struct pmk_biu *b)
{
	uint64_t quiet = pmk_matrix_quiet(&b->matrix);

	pmk_matrix_run(&b->matrix, b->matrix.now + (quiet ? quiet : 1), b->sink, b->sink_ctx);
}

static bool is_done(const struct pmk_biu *b, unsigned master, uint64_t ticket)
{
	return b->matrix.layer[master].done > ticket;
}

static bool first_beat_is_done(const struct pmk_biu *b, unsigned master, uint64_t ticket)
{
	const struct pmk_matrix_layer *l = &b->matrix.layer[master];
	const struct pmk_matrix_burst *burst = &l->burst[l->slot];

	return is_done(b, master, ticket) ||
	       (l->begun == ticket + 1 && burst->of_queue && burst->served.first);
}

/* Runs the matrix until the request is served. Returns false if it starves. */
static bool wait_until(struct pmk_biu *b, unsigned master, uint64_t ticket,
		       bool (*is)(const struct pmk_biu *, unsigned, uint64_t))
{
	uint64_t patience = b->matrix.now + PATIENCE;

	while (!b->starved && !is(b, master, ticket)) {
		if (pmk_matrix_quiet(&b->matrix) <= PATIENCE)
			step_cycle(b);
		else
			b->starved = true;
		b->starved |= b->matrix.now > patience;
	}
	return !b->starved;
}

void pmk_biu_drain(struct pmk_biu *b)
{
	static const uint8_t mine[] = { PMK_MATRIX_ARMI, PMK_MATRIX_ARMD };

	for (unsigned i = 0; i < sizeof(mine); i++) {
		const struct pmk_matrix_layer *l = &b->matrix.layer[mine[i]];

		if (l->posted)
			wait_until(b, mine[i], l->posted - 1, is_done);
	}
}

/* ---- requests ------------------------------------------------------------------------------- */

/* Returns the address on the chip for the program's address `addr`. */
static uint32_t chip_address(const struct pmk_biu *b, uint32_t addr)
{
	const struct pmk_matrix_config *c = &b->matrix.config;

	for (unsigned i = 0; b->placed && i < c->nwindows; i++)
		if (addr >= c->window[i].first && addr <= c->window[i].last)
			return addr;
	return addr & MEMORY_MASK;
}

static uint8_t privilege_of(const struct pmk_biu *b)
{
	return b->privileged ? PMK_AHB_PROT_PRIV : 0;
}

/*
 * Posts a request at core time `at`, and returns its ticket. Waits if the queue is full, which
 * should not happen, because the callers leave room in it.
 */
static uint64_t post_request(struct pmk_biu *b, unsigned master, uint64_t at,
			     struct pmk_ahb_request r)
{
	const struct pmk_matrix_layer *l = &b->matrix.layer[master];
	uint64_t ticket = 0;

	pmk_biu_catch_up(b, at);
	r.at = (at + b->ratio - 1) / b->ratio;
	if (l->posted - l->done == PMK_MATRIX_QUEUE)
		wait_until(b, master, l->done, is_done);
	pmk_matrix_post(&b->matrix, master, &r, &ticket);
	return ticket;
}

static struct pmk_ahb_request words_at(uint32_t addr, uint8_t burst, unsigned prot, bool write)
{
	return (struct pmk_ahb_request){
		.addr = addr & ~(WORD - 1),
		.burst = burst,
		.size = PMK_AHB_WORD,
		.prot = (uint8_t)prot,
		.write = write,
	};
}

static const struct pmk_ahb_served *served_result(const struct pmk_biu *b, unsigned master,
						  uint64_t ticket)
{
	return &b->matrix.layer[master].result[ticket % PMK_MATRIX_QUEUE];
}

/*
 * Returns the HCLK cycle of the first beat of the last request that was posted, or 0 if the request
 * starves. Runs the matrix no further than that beat.
 */
static uint64_t first_beat(struct pmk_biu *b, unsigned master, uint64_t ticket)
{
	const struct pmk_matrix_layer *l = &b->matrix.layer[master];

	if (!wait_until(b, master, ticket, first_beat_is_done))
		return 0;
	return is_done(b, master, ticket) ? served_result(b, master, ticket)->first
					  : l->burst[l->slot].served.first;
}

/* Returns the HCLK cycle of the last beat of the last request that was posted. */
static uint64_t last_beat(struct pmk_biu *b, unsigned master, uint64_t ticket)
{
	return wait_until(b, master, ticket, is_done) ? served_result(b, master, ticket)->last : 0;
}

/* ---- requests of the core ------------------------------------------------------------------- */

static uint64_t fill_line(struct pmk_biu *b, unsigned master, uint64_t at, uint32_t addr,
			  unsigned prot)
{
	uint64_t ticket = post_request(b, master, at,
				       words_at(chip_address(b, addr), PMK_AHB_WRAP8, prot, false));

	return stalled_cycles(b, at, first_beat(b, master, ticket));
}

uint64_t pmk_biu_fetch(struct pmk_biu *b, uint64_t clock, uint32_t addr)
{
	return fill_line(b, PMK_MATRIX_ARMI, bus_time(b, clock), addr,
			 PMK_AHB_PROT_CACHEABLE | PMK_AHB_PROT_BUFFERABLE | privilege_of(b));
}

uint64_t pmk_biu_fetch_uncached(struct pmk_biu *b, uint64_t clock)
{
	uint32_t last = b->addr + b->bytes - 1;
	uint64_t at = bus_time(b, clock), now = at;

	for (uint32_t quad = b->addr / HALF_BYTES; quad <= last / HALF_BYTES; quad++) {
		uint64_t ticket = post_request(b, PMK_MATRIX_ARMI, now,
					       words_at(chip_address(b, quad * HALF_BYTES),
							PMK_AHB_INCR4, privilege_of(b), false));

		now += stalled_cycles(b, now, last_beat(b, PMK_MATRIX_ARMI, ticket));
	}
	return now - at;
}

/* Finds the part of the current access that is in `line`. */
static void part_in(const struct pmk_biu *b, uint32_t line, uint32_t *from, uint32_t *to)
{
	uint32_t first = line << PMK_LINE_SHIFT, end = b->addr + b->bytes - 1;

	*from = b->addr >> PMK_LINE_SHIFT == line ? b->addr : first;
	*to = end >> PMK_LINE_SHIFT == line ? end : first + LINE_BYTES - 1;
}

uint64_t pmk_biu_linefill(struct pmk_biu *b, uint64_t clock, uint32_t line)
{
	uint32_t from, to;

	part_in(b, line, &from, &to);
	return fill_line(b, PMK_MATRIX_ARMD, bus_time(b, clock), from,
			 b->cacheable | privilege_of(b) | PMK_AHB_PROT_DATA);
}

uint64_t pmk_biu_castout(struct pmk_biu *b, uint64_t clock, uint32_t line, bool low, bool high)
{
	uint32_t addr = chip_address(b, line << PMK_LINE_SHIFT) + (low ? 0 : HALF_BYTES);
	uint8_t burst = low && high ? PMK_AHB_INCR8 : PMK_AHB_INCR4;

	if (low || high)
		post_request(b, PMK_MATRIX_ARMD, bus_time(b, clock),
			     words_at(addr, burst, CASTOUT_PROT, true));
	return 0;
}

uint64_t pmk_biu_walk(struct pmk_biu *b, uint64_t clock, uint32_t page, bool fetch)
{
	/* The first-level table has one entry for each MB, and the second-level table one for each
	 * page. */
	const uint32_t entry[] = { TABLE_1 + (page >> 8) * WORD,
				   TABLE_2 + (page & 0xFFFFF) * WORD };
	unsigned prot = fetch ? WALK_I_PROT : WALK_D_PROT;
	uint64_t at = bus_time(b, clock), now = at;

	for (unsigned i = 0; i < b->walk_reads; i++) {
		uint64_t ticket = post_request(b, PMK_MATRIX_ARMD, now,
					       words_at(entry[i], PMK_AHB_SINGLE, prot, false));

		now += stalled_cycles(b, now, last_beat(b, PMK_MATRIX_ARMD, ticket));
	}
	return now - at;
}

/* Returns the size (HSIZE) of the largest transfer that can begin at `addr` and has at most `bytes`
 * bytes. */
static uint8_t size_at(uint32_t addr, uint32_t bytes)
{
	if (bytes >= WORD && addr % WORD == 0)
		return PMK_AHB_WORD;
	return bytes >= 2 && addr % 2 == 0 ? PMK_AHB_HALF : PMK_AHB_BYTE;
}

static struct pmk_ahb_request single_transfer(uint32_t addr, uint8_t size, unsigned prot,
					      bool write)
{
	return (struct pmk_ahb_request){ .addr = addr,
					 .burst = PMK_AHB_SINGLE,
					 .size = size,
					 .prot = (uint8_t)prot,
					 .write = write };
}

uint64_t pmk_biu_read(struct pmk_biu *b, uint64_t clock, uint32_t line)
{
	uint64_t at = bus_time(b, clock), now = at;
	uint32_t from, to;

	part_in(b, line, &from, &to);
	while (from <= to) {
		uint8_t size = size_at(from, to - from + 1);
		uint64_t ticket =
			post_request(b, PMK_MATRIX_ARMD, now,
				     single_transfer(chip_address(b, from), size,
						     privilege_of(b) | PMK_AHB_PROT_DATA, false));

		now += stalled_cycles(b, now, last_beat(b, PMK_MATRIX_ARMD, ticket));
		from += 1u << size;
	}
	return now - at;
}

/* Posts the write of [from, to] as bursts of eight and four words, and as single transfers for the
 * rest (DDI 0198D chapter 6). Returns the ticket of the last of these requests. */
static uint64_t post_write(struct pmk_biu *b, uint64_t at, uint32_t from, uint32_t to,
			   unsigned prot)
{
	uint64_t ticket = 0;

	while (from <= to) {
		uint32_t left = to - from + 1, addr = chip_address(b, from);
		bool words = from % WORD == 0;
		uint8_t size = size_at(from, left);

		if (words && left >= 8 * WORD) {
			ticket = post_request(b, PMK_MATRIX_ARMD, at,
					      words_at(addr, PMK_AHB_INCR8, prot, true));
			from += 8 * WORD;
		} else if (words && left >= 4 * WORD) {
			ticket = post_request(b, PMK_MATRIX_ARMD, at,
					      words_at(addr, PMK_AHB_INCR4, prot, true));
			from += 4 * WORD;
		} else {
			ticket = post_request(b, PMK_MATRIX_ARMD, at,
					      single_transfer(addr, size, prot, true));
			from += 1u << size;
		}
	}
	return ticket;
}

static struct pmk_biu_write *oldest_write(struct pmk_biu *b)
{
	return &b->write[b->first_write % PMK_BIU_MAX_WRITES];
}

static void take_out(struct pmk_biu *b)
{
	b->words -= oldest_write(b)->words;
	b->first_write++;
	b->nwrites--;
}

/* Waits until the write buffer has room for a write of `words` words. Returns the core's time when
 * it has room. */
static uint64_t make_room(struct pmk_biu *b, uint64_t at, uint32_t words)
{
	const struct pmk_matrix_layer *l = &b->matrix.layer[PMK_MATRIX_ARMD];
	uint64_t now = at;

	pmk_biu_catch_up(b, at);
	while (b->nwrites && (l->done > oldest_write(b)->last || b->nwrites == b->max_writes ||
			      b->words + words > b->max_words)) {
		now += stalled_cycles(b, now, last_beat(b, PMK_MATRIX_ARMD, oldest_write(b)->last));
		take_out(b);
	}
	return now;
}

uint64_t pmk_biu_write(struct pmk_biu *b, uint64_t clock, uint32_t line)
{
	uint64_t at = bus_time(b, clock), now;
	uint32_t from, to, words;

	part_in(b, line, &from, &to);
	words = to / WORD - from / WORD + 1;
	now = make_room(b, at, words);
	b->write[(b->first_write + b->nwrites++) % PMK_BIU_MAX_WRITES] = (struct pmk_biu_write){
		.last = post_write(b, now, from, to,
				   b->cacheable | privilege_of(b) | PMK_AHB_PROT_DATA),
		.words = words,
	};
	b->words += words;
	return now - at;
}

uint64_t pmk_biu_write_unbuffered(struct pmk_biu *b, uint64_t clock, uint32_t line)
{
	uint64_t at = bus_time(b, clock), ticket;
	uint32_t from, to;

	part_in(b, line, &from, &to);
	ticket = post_write(b, at, from, to, privilege_of(b) | PMK_AHB_PROT_DATA);
	return stalled_cycles(b, at, last_beat(b, PMK_MATRIX_ARMD, ticket));
}

bool pmk_biu_valid(struct pmk_biu *b, const struct pmk_biu *begun, uint64_t clock)
{
	uint64_t until = clock / begun->ratio;

	b->ratio = begun->ratio;
	return pmk_is_bool(&b->starved) && pmk_matrix_valid(&b->matrix, &begun->matrix) &&
	       b->matrix.now < UINT64_MAX / 2 &&
	       (until <= b->matrix.now || until - b->matrix.now <= 2 * PMK_BIU_LAG);
}
