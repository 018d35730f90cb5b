// SPDX-License-Identifier: MIT
/*
 * Runs the bus matrix. See matrix.h. A cycle has four parts. Masters drive addresses, layers get
 * their responses, slaves choose which layer they serve, and at the clock edge the state of
 * everything advances.
 *
 * Where the manual is silent, the following is our choice:
 *  - A slave stays connected to the layer that it served last, so the next transfer of this layer
 *    does not wait for the matrix. A transfer of any other layer is held for at least one cycle
 *    (`connect`), in which it waits for the connection. In further cycles it waits for arbitration.
 *  - A held transfer takes part in arbitration from its first cycle in the input stage on.
 *  - A layer keeps its slave during a BUSY cycle.
 *  - If a burst has lost its slave at a quad-word boundary, its next beat has the slave's
 *    first-beat waits again.
 *  - A slave refuses a transfer at once, without wait states. When the transfer is repeated, the
 *    slave serves it, with first-beat waits. A burst whose first beat is refused is repeated
 *    unchanged.
 *  - All numbers of wait states are our choice. The memory controller is one slave, though the real
 *    one has several ports.
 */
#include "buses/ahb/matrix.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include <pmk/error.h>

#include "base/foreign.h"
#include "buses/ahb/matrix_requests.h"

#define QUAD_WORD 16
#define NOBODY	  PMK_MATRIX_NMASTERS

#define REFUSAL_CYCLES 2 /* length of RETRY and SPLIT, IHI 0011A §3.9.3 */

/* ---- the configuration --------------------------------------------------------------------- */

int pmk_matrix_slave_find(const struct pmk_matrix_config *config, const char *name)
{
	for (unsigned s = 0; s < config->nslaves; s++)
		if (!strcasecmp(config->slave[s].name, name))
			return (int)s;
	return -1;
}

static bool config_ok(const struct pmk_matrix_config *config)
{
	unsigned listed = 0;

	if (config->nslaves > PMK_MATRIX_MAX_SLAVES || config->nwindows > PMK_AHB_MAX_WINDOWS ||
	    !config->connect)
		return false;
	for (unsigned i = 0; i < config->nwindows; i++)
		if (config->window[i].slave >= config->nslaves)
			return false;
	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++)
		if (config->priority[i] < PMK_MATRIX_NMASTERS)
			listed |= 1u << config->priority[i];
	return listed == (1u << PMK_MATRIX_NMASTERS) - 1;
}

int pmk_matrix_init(struct pmk_matrix *m, const struct pmk_matrix_config *config)
{
	if (!config_ok(config))
		return PMK_EINVAL;
	memset(m, 0, sizeof(*m));
	m->config = *config;
	for (unsigned s = 0; s <= PMK_MATRIX_MAX_SLAVES; s++)
		m->owner[s] = m->holder[s] = NOBODY;
	return PMK_OK;
}

/* ---- masters drive addresses --------------------------------------------------------------- */

static uint8_t slave_at(const struct pmk_matrix *m, uint64_t addr)
{
	for (unsigned i = 0; i < m->config.nwindows; i++) {
		const struct pmk_ahb_window *w = &m->config.window[i];

		if (addr >= w->first && addr <= w->last)
			return (uint8_t)w->slave;
	}
	return PMK_MATRIX_MAX_SLAVES; /* addresses without a slave go to the default slave */
}

/* Returns the first cycle in which the next burst may begin; UINT64_MAX if there is none. */
static uint64_t next_burst_at(const struct pmk_matrix_layer *l)
{
	if (l->halted)
		return UINT64_MAX;
	if (l->withdrawn)
		return 0;
	if (l->begun < l->posted)
		return l->queue[l->begun % PMK_MATRIX_QUEUE].at;
	return pmk_matrix_script_goes_on(l) ? l->due : UINT64_MAX;
}

static void begin_burst(struct pmk_matrix *m, struct pmk_matrix_layer *l)
{
	struct pmk_matrix_burst *b;

	l->slot ^= 1;
	b = &l->burst[l->slot];
	if (!l->withdrawn)
		*b = (struct pmk_matrix_burst){ .of_queue = l->begun < l->posted };
	b->served.start = m->now;
	if (l->withdrawn) {
		l->withdrawn = false;
	} else if (b->of_queue) {
		b->request = l->queue[l->begun++ % PMK_MATRIX_QUEUE];
	} else {
		b->request = pmk_matrix_script_next(l, m->now);
	}
	l->next = b->request.addr;
	l->beats_left = pmk_matrix_beats(&b->request);
	l->busy_left = 0;
}

/* True in the second cycle of a response after which the master drives no address. */
static bool is_cancelled(const struct pmk_matrix_layer *l)
{
	return l->data.responded && (l->data.refused || l->burst[l->data.slot].served.dropped);
}

/*
 * True if the last beat of a locked sequence is in its data phase. IHI 0011A §3.11 requires an IDLE
 * cycle after it, so that other masters get their turn.
 */
static bool ends_lock(const struct pmk_matrix_layer *l)
{
	return l->data.place != PMK_MATRIX_NOWHERE && l->data.last &&
	       l->burst[l->data.slot].request.lock == PMK_MATRIX_LOCKED;
}

/*
 * Drives the address phase of a layer. There is no gap between the beats of a burst, and none
 * between bursts. The first address of a burst is driven while the last beat of the previous burst
 * is in its data phase.
 */
static void show_address(struct pmk_matrix *m, struct pmk_matrix_layer *l)
{
	const struct pmk_ahb_request *r;

	if (l->address.trans != PMK_AHB_IDLE)
		return; /* the slave has not taken the address yet */
	if (is_cancelled(l) || m->now < l->released || ends_lock(l))
		return;
	if (!l->beats_left && next_burst_at(l) <= m->now)
		begin_burst(m, l);
	if (!l->beats_left)
		return;
	r = &l->burst[l->slot].request;
	if (l->beats_left == pmk_matrix_beats(r) || l->burst[l->slot].rebuilt)
		l->address.trans = PMK_AHB_NONSEQ;
	else
		l->address.trans = l->busy_left ? PMK_AHB_BUSY : PMK_AHB_SEQ;
	l->address.addr = l->next;
	l->address.slave = slave_at(m, l->next);
}

/* Advances to the next address, because the layer's address phase was taken. */
static void consume_address(struct pmk_matrix_layer *l)
{
	const struct pmk_ahb_request *r = &l->burst[l->slot].request;

	if (l->address.trans == PMK_AHB_BUSY) {
		l->busy_left--;
	} else if (l->address.trans != PMK_AHB_IDLE) {
		l->next = pmk_ahb_address_after(r->burst, r->size, l->next);
		l->beats_left--;
		l->busy_left = r->busy;
	}
	l->address.trans = PMK_AHB_IDLE;
}

/* ---- layers get responses ------------------------------------------------------------------ */

static const struct pmk_matrix_slave *slave_of(const struct pmk_matrix *m, unsigned slave)
{
	static const struct pmk_matrix_slave none = { .error = true };

	return slave == PMK_MATRIX_MAX_SLAVES ? &none : &m->config.slave[slave];
}

static void drive_response(const struct pmk_matrix *m, const struct pmk_matrix_layer *l,
			   struct pmk_ahb_cycle *c)
{
	const struct pmk_matrix_data *d = &l->data;
	bool connecting = d->connects && d->held < m->config.connect;

	c->hready = true;
	switch ((enum pmk_matrix_place)d->place) {
	case PMK_MATRIX_NOWHERE:
		return;
	case PMK_MATRIX_HELD:
		c->hready = false;
		c->cause = connecting ? PMK_AHB_CAUSE_CONNECT : PMK_AHB_CAUSE_ARBITRATE;
		return;
	case PMK_MATRIX_AT_SLAVE:
		if (d->waits) {
			c->hready = false;
			c->cause = PMK_AHB_CAUSE_SLAVE;
		} else if (d->refused) {
			c->hready = d->responded;
			c->hresp = slave_of(m, d->slave)->split ? PMK_AHB_SPLIT : PMK_AHB_RETRY;
		} else if (slave_of(m, d->slave)->error) {
			c->hready = d->responded;
			c->hresp = PMK_AHB_ERROR;
		}
	}
}

/*
 * True if the layer drives HMASTLOCK. It does so for the locked transfer itself, and between the
 * two transfers of a pair.
 */
static bool shows_lock(const struct pmk_matrix_layer *l)
{
	const struct pmk_matrix_burst *b = &l->burst[l->slot];
	uint8_t lock = b->request.lock;

	if (l->address.trans != PMK_AHB_IDLE || l->beats_left)
		return lock != PMK_MATRIX_UNLOCKED;
	return lock == PMK_MATRIX_LOCKED_PAIR && !l->halted && !b->served.dropped;
}

static void drive_master(const struct pmk_matrix *m, unsigned master, struct pmk_ahb_cycle *c)
{
	const struct pmk_matrix_layer *l = &m->layer[master];
	const struct pmk_ahb_request *r = &l->burst[l->slot].request;

	*c = (struct pmk_ahb_cycle){ .htrans = l->address.trans, .hmastlock = shows_lock(l) };
	if (l->address.trans != PMK_AHB_IDLE) {
		c->haddr = l->address.addr;
		c->hburst = l->burst[l->slot].rebuilt ? m->config.rebuilt[master] : r->burst;
		c->hsize = r->size;
		c->hprot = r->prot;
		c->hwrite = r->write;
	}
	drive_response(m, l, c);
}

/* ---- slaves choose ------------------------------------------------------------------------- */

/* The layer that each slave serves in this cycle, or NOBODY if the slave serves none. */
struct choice {
	uint8_t winner[PMK_MATRIX_MAX_SLAVES + 1];
};

static bool shows_transfer(const struct pmk_matrix_layer *l)
{
	return l->address.trans == PMK_AHB_NONSEQ || l->address.trans == PMK_AHB_SEQ;
}

static bool held_at(const struct pmk_matrix *m, const struct pmk_matrix_layer *l, unsigned slave)
{
	const struct pmk_matrix_data *d = &l->data;

	return d->place == PMK_MATRIX_HELD && d->slave == slave &&
	       (!d->connects || d->held + 1 >= m->config.connect);
}

/* True if this layer keeps its slave for the beat that it drives, without a new arbitration. */
static bool keeps_slave(const struct pmk_matrix_layer *l)
{
	const struct pmk_ahb_request *r = &l->burst[l->slot].request;

	return l->address.trans == PMK_AHB_SEQ &&
	       (pmk_ahb_wraps(r->burst) || l->address.addr % QUAD_WORD != 0);
}

static uint8_t choose_layer(const struct pmk_matrix *m, const struct pmk_ahb_cycle cycle[],
			    unsigned slave)
{
	uint8_t owner = m->owner[slave];
	const struct pmk_matrix_layer *l = owner == NOBODY ? NULL : &m->layer[owner];
	bool shows = l && cycle[owner].hready && l->address.slave == slave;

	if (l && l->data.place == PMK_MATRIX_AT_SLAVE && l->data.slave == slave &&
	    !cycle[owner].hready)
		return NOBODY; /* the slave is busy */
	if (shows && l->address.trans == PMK_AHB_BUSY)
		return NOBODY;
	if (m->holder[slave] != NOBODY)
		return shows && shows_transfer(l) ? owner : NOBODY;
	if (shows && keeps_slave(l))
		return owner;
	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++) {
		uint8_t p = m->config.priority[i];

		if (held_at(m, &m->layer[p], slave) || (p == owner && shows && shows_transfer(l)))
			return p;
	}
	return NOBODY;
}

static unsigned waits_for(const struct pmk_matrix *m, unsigned slave, bool write, bool first)
{
	const struct pmk_matrix_slave *s = slave_of(m, slave);

	if (write)
		return first ? s->write_first : s->write_next;
	return first ? s->read_first : s->read_next;
}

/* ---- the clock edge ------------------------------------------------------------------------ */

static void release_slaves(struct pmk_matrix *m, unsigned master)
{
	for (unsigned s = 0; s <= PMK_MATRIX_MAX_SLAVES; s++)
		if (m->holder[s] == master)
			m->holder[s] = NOBODY;
}

static void complete_transfer(struct pmk_matrix *m, unsigned master, uint8_t resp)
{
	struct pmk_matrix_layer *l = &m->layer[master];
	const struct pmk_matrix_data *d = &l->data;
	struct pmk_matrix_burst *b = &l->burst[d->slot];
	bool ends = d->last || b->served.dropped;

	if (!b->served.first)
		b->served.first = m->now;
	b->served.last = m->now;
	b->served.error |= resp == PMK_AHB_ERROR;
	if (ends && b->of_queue)
		l->result[l->done++ % PMK_MATRIX_QUEUE] = b->served;
	if (ends && (b->request.lock != PMK_MATRIX_LOCKED_PAIR || b->served.dropped || l->halted))
		release_slaves(m, master);
}

/* Undoes the start of a burst that has driven its address, but no beat of which was taken. */
static void take_back(struct pmk_matrix_layer *l)
{
	if (l->burst[l->slot].of_queue)
		l->begun--;
	else
		l->bursts--;
	l->beats_left = 0;
	l->address.trans = PMK_AHB_IDLE;
	l->slot ^= 1;
}

/*
 * Handles the end of the first cycle of ERROR. In the second cycle the master drives IDLE, or
 * continues.
 */
static void see_error(const struct pmk_matrix *m, unsigned master, struct pmk_matrix_layer *l)
{
	uint8_t what = m->config.on_error[master];
	bool same = l->data.slot == l->slot;

	l->data.responded = true;
	if (what == PMK_MATRIX_GOES_ON)
		return;
	l->halted = what == PMK_MATRIX_HALTS;
	if (same && l->beats_left) {
		l->burst[l->slot].served.dropped = true;
		l->beats_left = 0;
		l->address.trans = PMK_AHB_IDLE;
	} else if (!same && l->halted) {
		take_back(l);
	}
}

/*
 * Handles the end of the first cycle of RETRY or SPLIT. The master drives IDLE in the second cycle,
 * and then repeats the transfer. If the master has already driven a later burst, that burst waits
 * until the transfer is repeated.
 */
static void see_refusal(struct pmk_matrix_layer *l)
{
	struct pmk_matrix_data *d = &l->data;
	struct pmk_matrix_burst *b = &l->burst[d->slot];
	bool shows_next = d->slot != l->slot;

	d->responded = true;
	if (shows_next && l->burst[l->slot].of_queue) {
		take_back(l);
	} else if (shows_next) {
		l->withdrawn = true;
		l->slot ^= 1;
		l->beats_left = 0;
	}
	l->beats_left++;
	l->next = d->addr;
	l->busy_left = 0;
	l->address.trans = PMK_AHB_IDLE;
	b->rebuilt |= l->beats_left != pmk_matrix_beats(&b->request);
}

/* Handles the end of the second cycle of RETRY or SPLIT. */
static void leave_refused(struct pmk_matrix *m, struct pmk_matrix_layer *l)
{
	const struct pmk_matrix_slave *s = slave_of(m, l->data.slave);

	l->again = true;
	l->refused++;
	l->released = m->now + 1 + (s->split ? s->release : 0);
}

/* Handles a transfer that has reached its slave. */
static void arrive_at_slave(struct pmk_matrix *m, unsigned master, bool first)
{
	struct pmk_matrix_layer *l = &m->layer[master];
	struct pmk_matrix_data *d = &l->data;
	const struct pmk_matrix_slave *s = slave_of(m, d->slave);

	d->place = PMK_MATRIX_AT_SLAVE;
	d->waits = waits_for(m, d->slave, d->write, first);
	if (l->burst[d->slot].request.lock != PMK_MATRIX_UNLOCKED)
		m->holder[d->slave] = (uint8_t)master;
	if (l->again || !s->refuse_every) {
		l->again = false;
		return;
	}
	if (++m->transfers[d->slave] % s->refuse_every)
		return;
	d->refused = m->config.refusable >> master & 1;
	if (d->refused)
		d->waits = 0;
	else
		d->waits += REFUSAL_CYCLES + (s->split ? s->release : 0);
}

/* Handles an address phase that was taken: passes it to its slave, or holds it in the input
 * stage. */
static void enter_input_stage(struct pmk_matrix *m, unsigned master, const struct choice *ch)
{
	struct pmk_matrix_layer *l = &m->layer[master];
	uint8_t slave = l->address.slave;
	bool passes = ch->winner[slave] == master;

	l->data = (struct pmk_matrix_data){ .place = PMK_MATRIX_NOWHERE };
	if (!shows_transfer(l))
		return;
	l->data = (struct pmk_matrix_data){
		.addr = l->address.addr,
		.place = PMK_MATRIX_HELD,
		.slave = slave,
		.slot = l->slot,
		.first = l->address.trans == PMK_AHB_NONSEQ,
		.last = l->beats_left == 1,
		.write = l->burst[l->slot].request.write,
		.connects = m->owner[slave] != master,
	};
	if (passes)
		arrive_at_slave(m, master, l->data.first);
}

static void wait_on(struct pmk_matrix *m, unsigned master, const struct choice *ch)
{
	struct pmk_matrix_layer *l = &m->layer[master];
	struct pmk_matrix_data *d = &l->data;

	if (d->place == PMK_MATRIX_AT_SLAVE && !d->waits) {
		if (d->refused)
			see_refusal(l);
		else
			see_error(m, master, l);
		return;
	}
	l->burst[d->slot].served.waits++;
	if (d->place == PMK_MATRIX_AT_SLAVE) {
		d->waits--;
	} else if (ch->winner[d->slave] == master) {
		arrive_at_slave(m, master, true);
	} else {
		d->held++;
	}
}

static void clock_layer(struct pmk_matrix *m, unsigned master, const struct pmk_ahb_cycle *c,
			const struct choice *ch)
{
	struct pmk_matrix_layer *l = &m->layer[master];

	if (!c->hready) {
		wait_on(m, master, ch);
		return;
	}
	if (l->data.place == PMK_MATRIX_AT_SLAVE && l->data.refused)
		leave_refused(m, l);
	else if (l->data.place == PMK_MATRIX_AT_SLAVE)
		complete_transfer(m, master, c->hresp);
	enter_input_stage(m, master, ch);
	consume_address(l);
}

/* ---- running ------------------------------------------------------------------------------- */

void pmk_matrix_step(struct pmk_matrix *m, struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS])
{
	struct choice ch;

	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++) {
		show_address(m, &m->layer[i]);
		drive_master(m, i, &cycle[i]);
	}
	memset(&ch, NOBODY, sizeof(ch));
	for (unsigned s = 0; s < m->config.nslaves; s++)
		ch.winner[s] = choose_layer(m, cycle, s);
	ch.winner[PMK_MATRIX_MAX_SLAVES] = choose_layer(m, cycle, PMK_MATRIX_MAX_SLAVES);
	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++)
		clock_layer(m, i, &cycle[i], &ch);
	for (unsigned s = 0; s <= PMK_MATRIX_MAX_SLAVES; s++)
		if (ch.winner[s] != NOBODY)
			m->owner[s] = ch.winner[s];
	m->now++;
}

uint64_t pmk_matrix_quiet(const struct pmk_matrix *m)
{
	uint64_t at = UINT64_MAX;

	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++) {
		const struct pmk_matrix_layer *l = &m->layer[i];
		uint64_t next = next_burst_at(l);

		if (l->address.trans != PMK_AHB_IDLE || l->beats_left ||
		    l->data.place != PMK_MATRIX_NOWHERE || next <= m->now)
			return 0;
		if (next < at)
			at = next;
	}
	return at == UINT64_MAX ? at : at - m->now;
}

static void skip_cycles(struct pmk_matrix *m, uint64_t n, pmk_matrix_sink *sink, void *ctx)
{
	struct pmk_ahb_cycle idle[PMK_MATRIX_NMASTERS];

	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++)
		idle[i] = (struct pmk_ahb_cycle){ .htrans = PMK_AHB_IDLE, .hready = true };
	m->now += n;
	if (sink)
		sink(ctx, idle, n);
}

static void run_cycle(struct pmk_matrix *m, pmk_matrix_sink *sink, void *ctx)
{
	struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS];

	pmk_matrix_step(m, cycle);
	if (sink)
		sink(ctx, cycle, 1);
}

void pmk_matrix_run(struct pmk_matrix *m, uint64_t until, pmk_matrix_sink *sink, void *ctx)
{
	while (m->now < until) {
		uint64_t quiet = pmk_matrix_quiet(m), left = until - m->now;

		if (quiet)
			skip_cycles(m, quiet < left ? quiet : left, sink, ctx);
		else
			run_cycle(m, sink, ctx);
	}
}

/* ---- a matrix in memory that others can write ----------------------------------------------- */

/*
 * True if a request of the queue is valid. A request that was never made consists of zeros, which
 * stand for a read of a byte.
 */
static bool request_is_valid(const struct pmk_ahb_request *r)
{
	return pmk_is_bool(&r->write) && pmk_matrix_request_ok(r);
}

static bool served_is_valid(const struct pmk_ahb_served *s)
{
	return pmk_is_bool(&s->error) && pmk_is_bool(&s->dropped);
}

static bool queue_is_valid(const struct pmk_matrix_layer *l)
{
	for (unsigned i = 0; i < PMK_MATRIX_QUEUE; i++)
		if (!served_is_valid(&l->result[i]) || !request_is_valid(&l->queue[i]))
			return false;
	return l->done <= l->begun && l->begun <= l->posted &&
	       l->posted - l->done <= PMK_MATRIX_QUEUE;
}

static bool burst_is_valid(const struct pmk_matrix_burst *b)
{
	return request_is_valid(&b->request) && served_is_valid(&b->served) &&
	       pmk_is_bool(&b->of_queue) && pmk_is_bool(&b->rebuilt);
}

static bool data_is_valid(const struct pmk_matrix_data *d)
{
	return d->place <= PMK_MATRIX_AT_SLAVE && d->slave <= PMK_MATRIX_MAX_SLAVES &&
	       d->slot <= 1 && pmk_is_bool(&d->first) && pmk_is_bool(&d->last) &&
	       pmk_is_bool(&d->write) && pmk_is_bool(&d->connects) && pmk_is_bool(&d->responded) &&
	       pmk_is_bool(&d->refused);
}

static bool layer_is_valid(const struct pmk_matrix_layer *l)
{
	return burst_is_valid(&l->burst[0]) && burst_is_valid(&l->burst[1]) && l->slot <= 1 &&
	       pmk_is_bool(&l->halted) && pmk_is_bool(&l->again) && pmk_is_bool(&l->withdrawn) &&
	       l->address.trans <= PMK_AHB_SEQ && l->address.slave <= PMK_MATRIX_MAX_SLAVES &&
	       data_is_valid(&l->data) && queue_is_valid(l);
}

bool pmk_matrix_valid(struct pmk_matrix *m, const struct pmk_matrix *begun)
{
	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++) {
		if (!layer_is_valid(&m->layer[i]))
			return false;
		m->layer[i].script = begun->layer[i].script;
	}
	for (unsigned s = 0; s <= PMK_MATRIX_MAX_SLAVES; s++)
		if (m->owner[s] > NOBODY || m->holder[s] > NOBODY)
			return false;
	m->config = begun->config;
	return true;
}
