// SPDX-License-Identifier: MIT
/*
 * Observes one AHB layer. The rules are in layer.h. Each cycle is first put into a class, and then
 * the signals of that class are raised.
 *
 * Where the sources are silent, the following is our choice:
 *  - The protocol forbids idle and busy cycles in which HREADY is low. They count as idle or busy
 *    here.
 *  - A burst whose HBURST was x counts as a transfer but not as a burst. A transfer of unknown
 *    direction counts as a burst, but neither as a read nor as a write.
 *  - HRESETn ends a transfer or burst without counting it.
 */
#include "buses/ahb/layer.h"

#include <stddef.h>

#include <pmk/error.h>

#include "base/foreign.h"

#define HTRANS_X 0xff /* HTRANS of the data phase is unknown, so there may be a transfer or none */

static const uint8_t burst_signal[PMK_AHB_NBURSTS] = {
	[PMK_AHB_SINGLE] = PMK_SIG_AHB_SINGLE, [PMK_AHB_INCR] = PMK_SIG_AHB_INCR,
	[PMK_AHB_WRAP4] = PMK_SIG_AHB_WRAP4,   [PMK_AHB_INCR4] = PMK_SIG_AHB_INCR4,
	[PMK_AHB_WRAP8] = PMK_SIG_AHB_WRAP8,   [PMK_AHB_INCR8] = PMK_SIG_AHB_INCR8,
	[PMK_AHB_WRAP16] = PMK_SIG_AHB_WRAP16, [PMK_AHB_INCR16] = PMK_SIG_AHB_INCR16,
};

/* The signals for transfers to a place, indexed by place and direction. */
static const uint8_t place_signal[PMK_AHB_NPLACES][2] = {
	[PMK_AHB_AT_UART] = { PMK_SIG_AHB_READ_UART, PMK_SIG_AHB_WRITE_UART },
	[PMK_AHB_AT_SCI] = { PMK_SIG_AHB_READ_SCI, PMK_SIG_AHB_WRITE_SCI },
	[PMK_AHB_AT_SSP] = { PMK_SIG_AHB_READ_SSP, PMK_SIG_AHB_WRITE_SSP },
	[PMK_AHB_AT_APB_DMA] = { PMK_SIG_AHB_READ_APB_DMA, PMK_SIG_AHB_WRITE_APB_DMA },
	[PMK_AHB_AT_APB_CORE] = { PMK_SIG_AHB_READ_APB_CORE, PMK_SIG_AHB_WRITE_APB_CORE },
};

bool pmk_ahb_is_place_signal(unsigned signal)
{
	for (unsigned p = 0; p < PMK_AHB_NPLACES; p++)
		if (signal == place_signal[p][0] || signal == place_signal[p][1])
			return true;
	return false;
}

#define NEEDS_DIRECTION PMK_AHB_ROLE(PMK_AHB_HWRITE)
#define NEEDS_BURST	PMK_AHB_ROLE(PMK_AHB_HBURST)
#define NEEDS_SHAPE	(NEEDS_DIRECTION | NEEDS_BURST | PMK_AHB_ROLE(PMK_AHB_HSIZE))
#define NEEDS_PROT	(NEEDS_SHAPE | PMK_AHB_ROLE(PMK_AHB_HPROT))
#define NEEDS_ADDRESS	PMK_AHB_ROLE(PMK_AHB_HADDR)

void pmk_ahb_layer_defaults(struct pmk_ahb_layer_params *params)
{
	*params = (struct pmk_ahb_layer_params){
		.has = PMK_AHB_ALL,
		.unknown_cause = PMK_AHB_CAUSE_SLAVE,
		.castout_prot = 0xf,
		.walk_d_prot = 0xf,
		.walk_i_prot = 0xe,
	};
}

#define AT(place) (1u << PMK_AHB_AT_##place)

/* The bridge of the DMA peripherals decodes HADDR[15:12]: 0 is the SCI, 1 to 3 are UARTs, 4 is the
 * SSP, and 5 to 15 are off chip. The memory map gives the base of each bridge; a bridge has 64
 * KB. */
void pmk_ahb_layer_devchip_windows(struct pmk_ahb_layer_params *params)
{
	static const struct pmk_ahb_window windows[] = {
		{ 0x101E0000, 0x101EFFFF, AT(APB_CORE), PMK_AHB_NO_SLAVE },
		{ 0x101F0000, 0x101F0FFF, AT(APB_DMA) | AT(SCI), PMK_AHB_NO_SLAVE },
		{ 0x101F1000, 0x101F3FFF, AT(APB_DMA) | AT(UART), PMK_AHB_NO_SLAVE },
		{ 0x101F4000, 0x101F4FFF, AT(APB_DMA) | AT(SSP), PMK_AHB_NO_SLAVE },
		{ 0x101F5000, 0x101FFFFF, AT(APB_DMA), PMK_AHB_NO_SLAVE },
	};

	params->nwindows = sizeof(windows) / sizeof(windows[0]);
	for (unsigned i = 0; i < params->nwindows; i++)
		params->window[i] = windows[i];
}

/* ---- which signals can be raised ----------------------------------------------------------- */

static bool has_signals(const struct pmk_ahb_layer *l, uint32_t signals)
{
	return (l->params.has & signals) == signals;
}

static bool splits_waits(const struct pmk_ahb_layer *l)
{
	return l->params.unknown_cause != PMK_AHB_CAUSE_UNKNOWN;
}

static void raise_places(const struct pmk_ahb_layer *l, struct pmk_bus *bus)
{
	uint32_t places = 0;

	for (unsigned i = 0; i < l->params.nwindows; i++)
		places |= l->params.window[i].places;
	for (unsigned p = 0; p < PMK_AHB_NPLACES; p++)
		if (places >> p & 1) {
			pmk_signal_add(&bus->raised, place_signal[p][0]);
			pmk_signal_add(&bus->raised, place_signal[p][1]);
		}
}

static void raise_shapes(const struct pmk_ahb_layer *l, struct pmk_bus *bus)
{
	pmk_signal_add(&bus->raised, PMK_SIG_AHB_LINEFILL);
	if (!has_signals(l, NEEDS_PROT))
		return;
	pmk_signal_add(&bus->raised, PMK_SIG_AHB_CASTOUT4);
	pmk_signal_add(&bus->raised, PMK_SIG_AHB_CASTOUT8);
	pmk_signal_add(&bus->raised, PMK_SIG_AHB_WALK_D);
	pmk_signal_add(&bus->raised, PMK_SIG_AHB_WALK_I);
	if (has_signals(l, NEEDS_ADDRESS))
		pmk_signal_add(&bus->raised, PMK_SIG_AHB_CASTOUT4_ALIGNED);
}

static void raise_all(const struct pmk_ahb_layer *l, struct pmk_bus *bus)
{
	pmk_signal_add(&bus->raised, PMK_SIG_AHB_WAIT);
	pmk_signal_add(&bus->raised, PMK_SIG_AHB_WAIT_OVER);
	if (splits_waits(l)) {
		pmk_signal_add(&bus->raised, PMK_SIG_AHB_WAIT_FIRST_SLAVE);
		pmk_signal_add(&bus->raised, PMK_SIG_AHB_WAIT_FIRST_BUS);
	}
	if (has_signals(l, NEEDS_DIRECTION)) {
		pmk_signal_add(&bus->raised, PMK_SIG_AHB_READ);
		pmk_signal_add(&bus->raised, PMK_SIG_AHB_WRITE);
	}
	if (has_signals(l, NEEDS_BURST))
		for (unsigned b = 0; b < PMK_AHB_NBURSTS; b++)
			pmk_signal_add(&bus->raised, burst_signal[b]);
	if (has_signals(l, NEEDS_SHAPE))
		raise_shapes(l, bus);
	if (has_signals(l, NEEDS_DIRECTION | NEEDS_ADDRESS))
		raise_places(l, bus);
}

static struct pmk_ahb_phase no_transfer(void)
{
	return (struct pmk_ahb_phase){ .trans = PMK_AHB_IDLE, .slave = PMK_AHB_NO_SLAVE };
}

int pmk_ahb_layer_init(struct pmk_ahb_layer *l, const struct pmk_ahb_layer_params *params,
		       struct pmk_bus *bus)
{
	if ((params->has & PMK_AHB_REQUIRED) != PMK_AHB_REQUIRED ||
	    params->nwindows > PMK_AHB_MAX_WINDOWS)
		return PMK_EINVAL;
	*l = (struct pmk_ahb_layer){ .params = *params, .data = no_transfer() };
	l->seen.slave = PMK_AHB_NO_SLAVE;
	for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
		l->base[sig] = bus->total[sig];
	raise_all(l, bus);
	return PMK_OK;
}

/* ---- classifying a cycle ------------------------------------------------------------------- */

static bool is_x(const struct pmk_ahb_cycle *c, enum pmk_ahb_role role)
{
	return c->x & PMK_AHB_ROLE(role);
}

static uint8_t response_of(const struct pmk_ahb_layer *l, const struct pmk_ahb_cycle *c)
{
	return has_signals(l, PMK_AHB_ROLE(PMK_AHB_HRESP)) ? c->hresp : (uint8_t)PMK_AHB_OKAY;
}

static enum pmk_ahb_class classify_cycle(const struct pmk_ahb_layer *l,
					 const struct pmk_ahb_cycle *c)
{
	if (c->reset)
		return PMK_AHB_C_IDLE;
	if (is_x(c, PMK_AHB_HREADY) || l->data.trans == HTRANS_X)
		return PMK_AHB_C_UNKNOWN;
	if (l->data.trans == PMK_AHB_IDLE)
		return PMK_AHB_C_IDLE;
	if (l->data.trans == PMK_AHB_BUSY)
		return PMK_AHB_C_BUSY;
	if (has_signals(l, PMK_AHB_ROLE(PMK_AHB_HRESP)) && is_x(c, PMK_AHB_HRESP))
		return PMK_AHB_C_UNKNOWN;
	if (c->hready)
		return PMK_AHB_C_DONE;
	return response_of(l, c) == PMK_AHB_OKAY ? PMK_AHB_C_WAIT : PMK_AHB_C_FIRST;
}

static uint8_t cause_of(const struct pmk_ahb_layer *l, const struct pmk_ahb_cycle *c,
			enum pmk_ahb_class class)
{
	if (class == PMK_AHB_C_FIRST)
		return PMK_AHB_CAUSE_SLAVE; /* only a slave can give this response */
	return c->cause == PMK_AHB_CAUSE_UNKNOWN ? (uint8_t)l->params.unknown_cause : c->cause;
}

/* ---- counting a cycle ---------------------------------------------------------------------- */

static bool threshold_hit(struct pmk_ahb_layer *l)
{
	const struct pmk_ahb_layer_params *p = &l->params;
	bool beyond = p->threshold_reached ? l->streak >= l->threshold : l->streak > l->threshold;
	bool counts = beyond && (!l->hit || p->threshold_every_cycle);

	l->hit |= beyond;
	return counts;
}

static void count_wait(struct pmk_ahb_layer *l, struct pmk_bus *bus, uint8_t cause)
{
	pmk_bus_add(bus, PMK_SIG_AHB_WAIT, 1);
	if (l->data.trans != PMK_AHB_NONSEQ)
		l->later_waits++;
	else if (!splits_waits(l))
		/*
		 * The cause of some waits is unknown. Counts of waits by known causes would look
		 * complete, so neither signal is raised.
		 */
		;
	else if (cause == PMK_AHB_CAUSE_SLAVE)
		pmk_bus_add(bus, PMK_SIG_AHB_WAIT_FIRST_SLAVE, 1);
	else
		pmk_bus_add(bus, PMK_SIG_AHB_WAIT_FIRST_BUS, 1);
	l->streak++;
	if (threshold_hit(l))
		pmk_bus_add(bus, PMK_SIG_AHB_WAIT_OVER, 1);
}

/* True if every signal in `signals` exists and none of them was x. */
static bool are_known(const struct pmk_ahb_layer *l, uint32_t signals)
{
	return has_signals(l, signals) && !(l->data.x & signals);
}

/* Recognises cache lines and table walks by their first beat (DDI 0287B Tables 4-6 and 4-11). */
static void count_shape(struct pmk_ahb_layer *l, struct pmk_bus *bus)
{
	const struct pmk_ahb_layer_params *p = &l->params;
	const struct pmk_ahb_phase *d = &l->data;
	bool prot = are_known(l, NEEDS_PROT);

	if (!are_known(l, NEEDS_SHAPE) || d->size != PMK_AHB_WORD)
		return;
	if (!d->write && d->burst == PMK_AHB_WRAP8)
		pmk_bus_add(bus, PMK_SIG_AHB_LINEFILL, 1);
	if (prot && !d->write && d->burst == PMK_AHB_SINGLE && d->prot == p->walk_d_prot)
		pmk_bus_add(bus, PMK_SIG_AHB_WALK_D, 1);
	if (prot && !d->write && d->burst == PMK_AHB_SINGLE && d->prot == p->walk_i_prot)
		pmk_bus_add(bus, PMK_SIG_AHB_WALK_I, 1);
	if (prot && d->write && d->burst == PMK_AHB_INCR8 && d->prot == p->castout_prot)
		pmk_bus_add(bus, PMK_SIG_AHB_CASTOUT8, 1);
	if (prot && d->write && d->burst == PMK_AHB_INCR4 && d->prot == p->castout_prot) {
		pmk_bus_add(bus, PMK_SIG_AHB_CASTOUT4, 1);
		if (are_known(l, NEEDS_ADDRESS) && d->addr % 16 == 0)
			pmk_bus_add(bus, PMK_SIG_AHB_CASTOUT4_ALIGNED, 1);
	}
}

static void count_burst(struct pmk_ahb_layer *l, struct pmk_bus *bus)
{
	l->first_beat++;
	if (!are_known(l, NEEDS_BURST)) {
		l->burst_undecided++;
		return;
	}
	pmk_bus_add(bus, burst_signal[l->data.burst], 1);
	count_shape(l, bus);
}

static void count_done(struct pmk_ahb_layer *l, struct pmk_bus *bus, uint8_t resp)
{
	const struct pmk_ahb_phase *d = &l->data;

	if (resp == PMK_AHB_RETRY || resp == PMK_AHB_SPLIT) {
		l->refused++;
		return;
	}
	l->errors += resp == PMK_AHB_ERROR;
	if (!are_known(l, NEEDS_DIRECTION)) {
		l->undecided++;
	} else {
		pmk_bus_add(bus, d->write ? PMK_SIG_AHB_WRITE : PMK_SIG_AHB_READ, 1);
		for (unsigned left = d->places; left; left &= left - 1)
			pmk_bus_add(bus, place_signal[__builtin_ctz(left)][d->write], 1);
	}
	if (d->trans == PMK_AHB_NONSEQ)
		count_burst(l, bus);
}

/* ---- the next data phase ------------------------------------------------------------------- */

static void find_places(const struct pmk_ahb_layer *l, struct pmk_ahb_phase *d)
{
	for (unsigned i = 0; i < l->params.nwindows; i++) {
		const struct pmk_ahb_window *w = &l->params.window[i];

		if (d->addr < w->first || d->addr > w->last)
			continue;
		d->places |= (uint8_t)w->places;
		if (d->slave == PMK_AHB_NO_SLAVE)
			d->slave = (uint8_t)w->slave;
	}
}

/*
 * Takes the address phase of the cycle `c`. The members of `data` are written one by one, because
 * copying a struct that was just built on the stack stalls on store forwarding.
 */
static void take_address(struct pmk_ahb_layer *l, const struct pmk_ahb_cycle *c)
{
	struct pmk_ahb_phase *d = &l->data;

	d->addr = c->haddr;
	d->x = c->x;
	d->trans = is_x(c, PMK_AHB_HTRANS) ? HTRANS_X : c->htrans & 3;
	d->burst = c->hburst & 7;
	d->size = c->hsize;
	d->prot = c->hprot & 0xf;
	d->places = 0;
	d->slave = PMK_AHB_NO_SLAVE;
	d->write = c->hwrite;
	if (l->params.nwindows && d->trans >= PMK_AHB_NONSEQ && has_signals(l, NEEDS_ADDRESS) &&
	    !is_x(c, PMK_AHB_HADDR))
		find_places(l, d);
}

static void record_seen(struct pmk_ahb_layer *l, const struct pmk_ahb_cycle *c,
			enum pmk_ahb_class class)
{
	l->seen = (struct pmk_ahb_seen){
		.class = (uint8_t) class,
		.resp = response_of(l, c),
		.cause = cause_of(l, c, class),
		.burst = l->data.burst,
		.slave = l->data.slave,
		.first = l->data.trans == PMK_AHB_NONSEQ,
		.write = l->data.write,
	};
}

static void end_streak(struct pmk_ahb_layer *l)
{
	l->streak = 0;
	l->hit = false;
}

static bool is_still(const struct pmk_ahb_cycle *c)
{
	return c->htrans == PMK_AHB_IDLE && c->hready && !c->x && !c->hresp && !c->cause &&
	       !c->reset;
}

void pmk_ahb_layer_sample(struct pmk_ahb_layer *l, struct pmk_bus *bus,
			  const struct pmk_ahb_cycle *c)
{
	enum pmk_ahb_class class;

	if (l->still && is_still(c)) { /* fast path: most layers are idle most of the time */
		l->cycles++;
		l->class[PMK_AHB_C_IDLE]++;
		return;
	}
	class = classify_cycle(l, c);
	l->still = class == PMK_AHB_C_IDLE && is_still(c);
	record_seen(l, c, class);
	l->cycles++;
	l->class[class]++;
	if (class == PMK_AHB_C_WAIT || (class == PMK_AHB_C_FIRST && l->params.first_response_waits))
		count_wait(l, bus, l->seen.cause);
	if (class == PMK_AHB_C_WAIT && c->cause == PMK_AHB_CAUSE_UNKNOWN)
		l->cause_unknown++;
	if (class == PMK_AHB_C_DONE)
		count_done(l, bus, l->seen.resp);
	if (c->reset) {
		l->reset++;
		l->data = no_transfer();
		end_streak(l);
	} else if (c->hready && !is_x(c, PMK_AHB_HREADY)) {
		take_address(l, c);
		end_streak(l);
	}
}

void pmk_ahb_layer_idle(struct pmk_ahb_layer *l, struct pmk_bus *bus, uint64_t n)
{
	static const struct pmk_ahb_cycle idle = { .htrans = PMK_AHB_IDLE, .hready = true };

	if (!n)
		return;
	pmk_ahb_layer_sample(l, bus, &idle); /* ends the data phase */
	if (n == 1)
		return;
	l->cycles += n - 1;
	l->class[PMK_AHB_C_IDLE] += n - 1;
	record_seen(l, &idle, PMK_AHB_C_IDLE);
}

/* ---- consistency --------------------------------------------------------------------------- */

static uint64_t raised_count(const struct pmk_ahb_layer *l, const struct pmk_bus *bus, unsigned sig)
{
	return bus->total[sig] - l->base[sig];
}

static uint64_t burst_count(const struct pmk_ahb_layer *l, const struct pmk_bus *bus)
{
	uint64_t n = 0;

	for (unsigned b = 0; b < PMK_AHB_NBURSTS; b++)
		n += raised_count(l, bus, burst_signal[b]);
	return n;
}

const char *pmk_ahb_layer_check(const struct pmk_ahb_layer *l, const struct pmk_bus *bus)
{
	uint64_t waits = raised_count(l, bus, PMK_SIG_AHB_WAIT), cycles = 0;
	uint64_t done =
		raised_count(l, bus, PMK_SIG_AHB_READ) + raised_count(l, bus, PMK_SIG_AHB_WRITE);
	uint64_t split = raised_count(l, bus, PMK_SIG_AHB_WAIT_FIRST_SLAVE) +
			 raised_count(l, bus, PMK_SIG_AHB_WAIT_FIRST_BUS);

	for (unsigned i = 0; i < PMK_AHB_NCLASSES; i++)
		cycles += l->class[i];
	if (cycles != l->cycles)
		return "the idle, busy, wait, completing, first response and unknown cycles do "
		       "not add up to all cycles";
	if (done + l->refused + l->undecided != l->class[PMK_AHB_C_DONE])
		return "reads, writes and refused transfers do not add up to the completing "
		       "cycles";
	if (waits != l->class[PMK_AHB_C_WAIT] +
			     (l->params.first_response_waits ? l->class[PMK_AHB_C_FIRST] : 0))
		return "AHB_WAIT is not the number of wait cycles";
	if (splits_waits(l) && split + l->later_waits != waits)
		return "first-beat waits by cause and later waits do not add up to all waits";
	if (burst_count(l, bus) + l->burst_undecided != l->first_beat)
		return "the bursts of all types do not add up to the completed first beats";
	return NULL;
}

bool pmk_ahb_layer_valid(struct pmk_ahb_layer *l, const struct pmk_ahb_layer *begun)
{
	l->params = begun->params;
	return l->data.burst < PMK_AHB_NBURSTS && pmk_is_bool(&l->data.write) &&
	       pmk_is_bool(&l->seen.first) && pmk_is_bool(&l->seen.write) && pmk_is_bool(&l->hit) &&
	       pmk_is_bool(&l->still);
}
