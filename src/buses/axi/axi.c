// SPDX-License-Identifier: MIT
/* Observes one AXI interface. The rules are in axi.h. */
#include "buses/axi/axi.h"

#include <string.h>

const struct pmk_axi_handshake pmk_axi_channels[PMK_AXI_NCHANNELS] = {
	[PMK_AXI_AW] = { PMK_AXI_AWVALID, PMK_AXI_AWREADY },
	[PMK_AXI_W] = { PMK_AXI_WVALID, PMK_AXI_WREADY },
	[PMK_AXI_B] = { PMK_AXI_BVALID, PMK_AXI_BREADY },
	[PMK_AXI_AR] = { PMK_AXI_ARVALID, PMK_AXI_ARREADY },
	[PMK_AXI_R] = { PMK_AXI_RVALID, PMK_AXI_RREADY },
};

#define NO_ROLE PMK_AXI_NROLES

/* The channels of a direction, and the roles of their signals. */
static const struct direction {
	uint8_t address, response;	      /* channels */
	uint8_t len, id, resp, resp_id, last; /* roles */
} directions[PMK_AXI_NDIRECTIONS] = {
	[PMK_AXI_READ] = { PMK_AXI_AR, PMK_AXI_R, PMK_AXI_ARLEN, PMK_AXI_ARID, PMK_AXI_RRESP,
			   PMK_AXI_RID, PMK_AXI_RLAST },
	[PMK_AXI_WRITE] = { PMK_AXI_AW, PMK_AXI_B, PMK_AXI_AWLEN, PMK_AXI_AWID, PMK_AXI_BRESP,
			    PMK_AXI_BID, NO_ROLE },
};

#define FIRST_ERROR 2 /* Responses are OKAY, EXOKAY, SLVERR and DECERR, in this order (A3.4.4). */

void pmk_axi_init(struct pmk_axi *a, uint32_t has)
{
	memset(a, 0, sizeof(*a));
	a->has = has;
	for (unsigned d = 0; d < PMK_AXI_NDIRECTIONS; d++)
		for (unsigned s = 0; s < PMK_AXI_NSPREADS; s++)
			pmk_spread_init(&a->side[d].spread[s]);
}

static void forget_side(struct pmk_axi_side *s)
{
	s->untimed += s->outstanding;
	s->outstanding = 0;
	s->npending = 0;
	s->lost = false;
}

void pmk_axi_forget(struct pmk_axi *a)
{
	for (unsigned d = 0; d < PMK_AXI_NDIRECTIONS; d++)
		forget_side(&a->side[d]);
}

/* ---- one cycle ------------------------------------------------------------------------------ */

/* The cycle that is being observed. `hidden` collects the signals whose x made a count unknown. */
struct look {
	const struct pmk_axi_cycle *c;
	uint32_t hidden;
};

/* True if a signal exists and has a value. If it is x, records that in `l`. */
static bool is_known(const struct pmk_axi *a, struct look *l, unsigned role)
{
	if (role == NO_ROLE || !(a->has & PMK_AXI_ROLE(role)))
		return false;
	l->hidden |= l->c->x & PMK_AXI_ROLE(role);
	return !(l->c->x & PMK_AXI_ROLE(role));
}

static bool is_x(const struct pmk_axi *a, const struct look *l, unsigned role)
{
	return role != NO_ROLE && (a->has & l->c->x & PMK_AXI_ROLE(role));
}

enum handshake { NOTHING, WAITS, TRANSFER, HIDDEN };

static enum handshake handshake_of(struct pmk_axi *a, struct look *l, unsigned channel)
{
	unsigned valid = pmk_axi_channels[channel].valid, ready = pmk_axi_channels[channel].ready;

	if (!(a->has & PMK_AXI_ROLE(valid)) || !(a->has & PMK_AXI_ROLE(ready)))
		return NOTHING;
	if (!is_known(a, l, valid))
		return HIDDEN;
	if (!(l->c->value[valid] & 1))
		return NOTHING;
	if (!is_known(a, l, ready))
		return HIDDEN;
	if (!(l->c->value[ready] & 1)) {
		a->waits[channel]++;
		return WAITS;
	}
	a->transfers[channel]++;
	return TRANSFER;
}

static void lose_track(struct pmk_axi_side *s)
{
	s->lost = true;
	s->npending = 0;
}

static void take_address(struct pmk_axi *a, struct look *l, unsigned d)
{
	const struct direction *of = &directions[d];
	struct pmk_axi_side *s = &a->side[d];
	struct pmk_axi_pending p = { .begin = a->cycle, .beats = 1 };

	if (is_known(a, l, of->len)) {
		p.beats = (uint32_t)l->c->value[of->len] + 1;
		pmk_spread_add(&s->spread[PMK_AXI_LENGTH], p.beats);
	}
	if (is_known(a, l, of->id))
		p.id = l->c->value[of->id];
	s->outstanding++;
	if (is_x(a, l, of->id) || is_x(a, l, of->len) || s->npending == PMK_AXI_MOST_PENDING)
		lose_track(s);
	if (!s->lost)
		s->pending[s->npending++] = p;
}

/* Returns the index of the oldest transaction with this ID, or npending if there is none. */
static uint32_t find_pending(const struct pmk_axi_side *s, uint64_t id)
{
	uint32_t i = 0;

	while (i < s->npending && s->pending[i].id != id)
		i++;
	return i;
}

static void finish_pending(struct pmk_axi_side *s, uint32_t i, uint64_t cycle)
{
	pmk_spread_add(&s->spread[PMK_AXI_LATENCY], cycle - s->pending[i].begin);
	s->npending--;
	memmove(&s->pending[i], &s->pending[i + 1], (s->npending - i) * sizeof(s->pending[0]));
}

/* True if the present beat is the last one of its response. The response to a write has one beat.
 * If there is no RLAST, the beats of `p` are counted. A beat that belongs to no read counts as a
 * complete response, unless it is not known which reads are outstanding. */
static bool is_last(const struct pmk_axi *a, struct look *l, const struct direction *of,
		    const struct pmk_axi_side *s, struct pmk_axi_pending *p)
{
	if (of->last == NO_ROLE)
		return true;
	if (is_known(a, l, of->last))
		return l->c->value[of->last] & 1;
	return p ? --p->beats == 0 : !s->lost;
}

static void take_response(struct pmk_axi *a, struct look *l, unsigned d)
{
	const struct direction *of = &directions[d];
	struct pmk_axi_side *s = &a->side[d];
	uint64_t id = is_known(a, l, of->resp_id) ? l->c->value[of->resp_id] : 0;
	uint32_t i;

	if (is_known(a, l, of->resp) && (l->c->value[of->resp] & 3) >= FIRST_ERROR)
		s->errors++;
	if (is_x(a, l, of->resp_id) || is_x(a, l, of->last))
		lose_track(s);
	i = find_pending(s, id);
	if (!is_last(a, l, of, s, i < s->npending ? &s->pending[i] : NULL))
		return;
	if (i < s->npending) {
		finish_pending(s, i, a->cycle);
	} else if (s->lost && s->outstanding) {
		s->untimed++;
	} else {
		s->strays++; /* the outstanding transactions stay as they are */
		return;
	}
	s->outstanding--;
	if (!s->outstanding)
		forget_side(s);
}

static void sample_direction(struct pmk_axi *a, struct look *l, unsigned d)
{
	const struct direction *of = &directions[d];
	struct pmk_axi_side *s = &a->side[d];
	enum handshake address = handshake_of(a, l, of->address);
	enum handshake response = handshake_of(a, l, of->response);

	pmk_spread_add(&s->spread[PMK_AXI_OUTSTANDING], s->outstanding);
	if (address == HIDDEN || response == HIDDEN)
		lose_track(s);
	if (address == TRANSFER)
		take_address(a, l, d);
	if (response == TRANSFER)
		take_response(a, l, d);
}

uint32_t pmk_axi_sample(struct pmk_axi *a, const struct pmk_axi_cycle *c)
{
	struct look l = { .c = c };

	if (c->reset) {
		pmk_axi_forget(a);
		return 0;
	}
	a->cycle++;
	for (unsigned d = 0; d < PMK_AXI_NDIRECTIONS; d++)
		sample_direction(a, &l, d);
	handshake_of(a, &l, PMK_AXI_W);
	return l.hidden;
}
