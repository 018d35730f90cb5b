// SPDX-License-Identifier: MIT
/*
 * Checks the AXI protocol. See check.h. Each sample is compared channel by channel with the sample
 * before it. Then responses are compared with the addresses and data of earlier samples. Finally,
 * the transfers of this sample are recorded.
 *
 * Where the source is silent, the following is our choice:
 *  - A response belongs to the transfers of earlier cycles. A response that is offered in the same
 *    cycle in which its address or its last data are transferred is too early.
 *  - READY must have a value while VALID is high. Data may be x.
 *  - An x on a signal is reported once, until the signal has a value again.
 */
#include "buses/axi/check.h"

#include <string.h>

const struct pmk_rule pmk_axi_rules[PMK_AXI_NRULES] = {
#define X(id, name, text, ref) { name, text, ref },
	PMK_AXI_RULES(X)
#undef X
};

#define BOUNDARY    4096
#define MOST_FIXED  16
#define MOST_OFFERS 6

enum { FIXED, INCR, WRAP, RESERVED };

/*
 * Signals that each channel offers with VALID. The first `nknown` signals must have a value. Data
 * come after them, because data may be x.
 */
static const struct offer {
	uint8_t nroles, nknown;
	uint8_t role[MOST_OFFERS];
} offers[PMK_AXI_NCHANNELS] = {
	[PMK_AXI_AW] = { 5,
			 5,
			 { PMK_AXI_AWADDR, PMK_AXI_AWLEN, PMK_AXI_AWSIZE, PMK_AXI_AWBURST,
			   PMK_AXI_AWID } },
	[PMK_AXI_W] = { 3, 2, { PMK_AXI_WLAST, PMK_AXI_WSTRB, PMK_AXI_WDATA } },
	[PMK_AXI_B] = { 2, 2, { PMK_AXI_BRESP, PMK_AXI_BID } },
	[PMK_AXI_AR] = { 5,
			 5,
			 { PMK_AXI_ARADDR, PMK_AXI_ARLEN, PMK_AXI_ARSIZE, PMK_AXI_ARBURST,
			   PMK_AXI_ARID } },
	[PMK_AXI_R] = { 4, 3, { PMK_AXI_RLAST, PMK_AXI_RRESP, PMK_AXI_RID, PMK_AXI_RDATA } },
};

static const struct direction {
	uint8_t address, response; /* channels */
	uint8_t addr, len, size, burst, id, resp_id;
} directions[PMK_AXI_NDIRECTIONS] = {
	[PMK_AXI_READ] = { PMK_AXI_AR, PMK_AXI_R, PMK_AXI_ARADDR, PMK_AXI_ARLEN, PMK_AXI_ARSIZE,
			   PMK_AXI_ARBURST, PMK_AXI_ARID, PMK_AXI_RID },
	[PMK_AXI_WRITE] = { PMK_AXI_AW, PMK_AXI_B, PMK_AXI_AWADDR, PMK_AXI_AWLEN, PMK_AXI_AWSIZE,
			    PMK_AXI_AWBURST, PMK_AXI_AWID, PMK_AXI_BID },
};

const char *pmk_axi_role_name(unsigned role)
{
	static const char *const names[PMK_AXI_NROLES] = {
#define X(role, name) #role,
		PMK_AXI_ROLES(X)
#undef X
	};

	return role < PMK_AXI_NROLES ? names[role] : NULL;
}

void pmk_axi_checker_init(struct pmk_axi_checker *k, const struct pmk_axi_checker_params *params)
{
	memset(k, 0, sizeof(*k));
	k->params = *params;
}

static void lose_track(struct pmk_axi_checker *k, unsigned direction)
{
	k->side[direction].lost = true;
	k->side[direction].n = 0;
}

void pmk_axi_checker_forget(struct pmk_axi_checker *k)
{
	lose_track(k, PMK_AXI_READ);
	lose_track(k, PMK_AXI_WRITE);
	k->has_last = false;
}

/* ---- reporting ------------------------------------------------------------------------------ */

/* The sample that is being checked. */
struct work {
	struct pmk_axi_checker *k;
	const struct pmk_axi_cycle *c;
	struct pmk_violation *v;
	unsigned n;
};

static struct pmk_violation *violation_add(struct work *w, enum pmk_axi_rule rule, unsigned role)
{
	struct pmk_violation *v = &w->v[w->n];

	w->k->count[rule]++;
	*v = (struct pmk_violation){ .cycle = w->k->cycles,
				     .is = w->c->value[role],
				     .rule = (uint8_t)rule,
				     .role = (uint8_t)role,
				     .x = rule == PMK_AXI_RULE_UNKNOWN };
	if (w->n + 1 < PMK_AXI_MAX_VIOLATIONS)
		w->n++;
	return v;
}

static void report_want(struct work *w, enum pmk_axi_rule rule, unsigned role, uint64_t want)
{
	struct pmk_violation *v = violation_add(w, rule, role);

	v->want = want;
	v->wants = true;
}

static bool has_role(const struct work *w, unsigned role)
{
	return w->k->params.has & PMK_AXI_ROLE(role);
}

/* True if the signal exists and has a value. */
static bool has_value(const struct work *w, unsigned role)
{
	return has_role(w, role) && !(w->c->x & PMK_AXI_ROLE(role));
}

static void want_known(struct work *w, unsigned role)
{
	if (has_value(w, role) || !has_role(w, role))
		return;
	if (!(w->k->told_x & PMK_AXI_ROLE(role)))
		violation_add(w, PMK_AXI_RULE_UNKNOWN, role);
	w->k->told_x |= PMK_AXI_ROLE(role);
}

/* ---- handshakes ----------------------------------------------------------------------------- */

/* The handshake of a channel in one sample. */
struct shake {
	bool offered;	  /* VALID is high */
	bool transferred; /* VALID and READY are high */
	bool hidden;	  /* VALID or READY is x */
};

static struct shake handshake_of(uint32_t has, const struct pmk_axi_cycle *c, unsigned channel)
{
	uint32_t valid = PMK_AXI_ROLE(pmk_axi_channels[channel].valid);
	uint32_t ready = PMK_AXI_ROLE(pmk_axi_channels[channel].ready), x = c->x;
	bool offered = !(x & valid) && (c->value[pmk_axi_channels[channel].valid] & 1);

	if ((has & valid) == 0 || (has & ready) == 0)
		return (struct shake){ .offered = false };
	return (struct shake){
		.offered = offered,
		.transferred =
			offered && !(x & ready) && (c->value[pmk_axi_channels[channel].ready] & 1),
		.hidden = (x & valid) || (offered && (x & ready)),
	};
}

/* True if the channel offered something in the previous sample that was not accepted. */
static bool was_waiting(const struct work *w, unsigned channel)
{
	struct shake before = handshake_of(w->k->params.has, &w->k->last, channel);

	return w->k->has_last && !w->k->last.reset && before.offered && !before.transferred &&
	       !before.hidden;
}

static bool is_offered_anew(const struct work *w, unsigned channel)
{
	return handshake_of(w->k->params.has, w->c, channel).offered && !was_waiting(w, channel);
}

static void check_channel(struct work *w, unsigned channel)
{
	const struct offer *o = &offers[channel];
	struct shake now = handshake_of(w->k->params.has, w->c, channel);
	uint8_t valid = pmk_axi_channels[channel].valid;

	want_known(w, valid);
	if (was_waiting(w, channel) && has_value(w, valid) && !now.offered)
		report_want(w, PMK_AXI_RULE_DROPS, valid, 1);
	if (!now.offered)
		return;
	want_known(w, pmk_axi_channels[channel].ready);
	for (unsigned i = 0; i < o->nroles; i++) {
		if (i < o->nknown)
			want_known(w, o->role[i]);
		if (was_waiting(w, channel) && has_value(w, o->role[i]) &&
		    !(w->k->last.x & PMK_AXI_ROLE(o->role[i])) &&
		    w->c->value[o->role[i]] != w->k->last.value[o->role[i]])
			report_want(w, PMK_AXI_RULE_CHANGES, o->role[i],
				    w->k->last.value[o->role[i]]);
	}
}

/* ---- addresses ------------------------------------------------------------------------------ */

static void check_wrap(struct work *w, const struct direction *of, uint64_t beats, uint64_t bytes)
{
	if (has_value(w, of->len) && beats != 2 && beats != 4 && beats != 8 && beats != 16)
		violation_add(w, PMK_AXI_RULE_WRAP_LENGTH, of->len);
	if (has_value(w, of->addr) && has_value(w, of->size) && w->c->value[of->addr] % bytes)
		report_want(w, PMK_AXI_RULE_WRAP_ALIGNMENT, of->addr,
			    w->c->value[of->addr] & ~(bytes - 1));
}

/* True if the burst crosses an address boundary. The beats of an INCR burst start from the aligned
 * address of the first beat. */
static bool will_cross(uint64_t address, uint64_t beats, uint64_t bytes)
{
	return (address & (BOUNDARY - 1) & ~(bytes - 1)) + beats * bytes > BOUNDARY;
}

static void check_address(struct work *w, const struct direction *of)
{
	uint64_t bytes = UINT64_C(1) << (w->c->value[of->size] & 7);
	uint64_t beats = w->c->value[of->len] + 1;

	if (has_value(w, of->size) && w->k->params.bytes && bytes > w->k->params.bytes)
		violation_add(w, PMK_AXI_RULE_WIDTH, of->size);
	if (!has_value(w, of->burst))
		return;
	switch (w->c->value[of->burst] & 3) {
	case FIXED:
		if (has_value(w, of->len) && beats > MOST_FIXED)
			violation_add(w, PMK_AXI_RULE_FIXED_LENGTH, of->len);
		break;
	case INCR:
		if (has_value(w, of->addr) && has_value(w, of->len) && has_value(w, of->size) &&
		    will_cross(w->c->value[of->addr], beats, bytes))
			violation_add(w, PMK_AXI_RULE_BOUNDARY, of->addr);
		break;
	case WRAP:
		check_wrap(w, of, beats, bytes);
		break;
	case RESERVED:
		violation_add(w, PMK_AXI_RULE_RESERVED, of->burst);
	}
}

/*
 * Returns the number of beats that an address asks for, or 0 if it is unknown. If there is no
 * length signal, the number is one, unless there is a LAST signal.
 */
static uint32_t beats_of(const struct work *w, const struct direction *of)
{
	unsigned last = of->address == PMK_AXI_AR ? PMK_AXI_RLAST : PMK_AXI_WLAST;

	if (has_value(w, of->len))
		return (uint32_t)(w->c->value[of->len] & 0xff) + 1;
	return has_role(w, of->len) || has_role(w, last) ? 0 : 1;
}

/* ---- write data ----------------------------------------------------------------------------- */

static uint64_t write_addresses(const struct pmk_axi_checker *k)
{
	return k->side[PMK_AXI_WRITE].number;
}

static uint32_t *ahead_length(struct pmk_axi_checker *k, uint64_t number)
{
	return &k->ahead[number % PMK_AXI_MOST_PENDING];
}

/*
 * True if the ring `ahead` is full. It has room for a limited number of addresses without data, or
 * of bursts without an address.
 */
static bool is_full(const struct pmk_axi_checker *k)
{
	uint64_t a = write_addresses(k), b = k->bursts;

	return (a > b ? a - b : b - a) == PMK_AXI_MOST_PENDING;
}

/* Matches a write address with data that may have been transferred before it, wholly or in part. */
static void match_address(struct work *w, uint32_t beats)
{
	struct pmk_axi_checker *k = w->k;
	uint64_t number = write_addresses(k);
	uint32_t had = number < k->bursts ? *ahead_length(k, number) : 0;

	if (number < k->bursts) {
		if (had && beats && had != beats)
			report_want(w, PMK_AXI_RULE_LENGTH, PMK_AXI_AWLEN, had - 1);
		return;
	}
	*ahead_length(k, number) = beats;
	if (number == k->bursts && beats && k->beat >= beats && !k->told_last) {
		report_want(w, PMK_AXI_RULE_LENGTH, PMK_AXI_AWLEN, k->beat);
		k->told_last = true;
	}
}

/* True if the present beat of write data is the last one of its burst of `beats` beats; 0: the
 * length is not known. Without a WLAST, a burst of unknown length has one beat. */
static bool is_last_of(const struct work *w, uint32_t beats)
{
	if (has_role(w, PMK_AXI_WLAST))
		return w->c->value[PMK_AXI_WLAST] & 1;
	return w->k->beat == (beats ? beats : 1);
}

static void take_data(struct work *w)
{
	struct pmk_axi_checker *k = w->k;
	bool addressed = k->bursts < write_addresses(k), last;
	uint32_t beats = addressed ? *ahead_length(k, k->bursts) : 0;

	/* Give up if nothing shows which beat is the last one, or if the ring is full. */
	if ((w->c->x & w->k->params.has & PMK_AXI_ROLE(PMK_AXI_WLAST)) ||
	    (!has_role(w, PMK_AXI_WLAST) && has_role(w, PMK_AXI_AWLEN) && !addressed) ||
	    is_full(k)) {
		lose_track(k, PMK_AXI_WRITE);
		return;
	}
	k->beat++;
	last = is_last_of(w, beats);
	if (last && beats && k->beat < beats)
		report_want(w, PMK_AXI_RULE_EARLY_LAST, PMK_AXI_WLAST, 0);
	if (!last && beats && k->beat >= beats && !k->told_last) {
		report_want(w, PMK_AXI_RULE_NO_LAST, PMK_AXI_WLAST, 1);
		k->told_last = true;
	}
	if (!last)
		return;
	if (!addressed)
		*ahead_length(k, k->bursts) = k->told_last ? 0 : k->beat;
	k->bursts++;
	k->beat = 0;
	k->told_last = false;
}

/* ---- responses ------------------------------------------------------------------------------ */

/* Returns the oldest transaction that a response may belong to, or NULL. */
static struct pmk_axi_due *find_due(struct work *w, unsigned d)
{
	struct pmk_axi_side_check *s = &w->k->side[d];
	unsigned role = directions[d].resp_id;
	uint64_t id = has_value(w, role) ? w->c->value[role] : 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->due[i].id == id)
			return &s->due[i];
	return NULL;
}

static void check_response(struct work *w, unsigned d)
{
	const struct pmk_axi_due *due = find_due(w, d);
	unsigned valid = pmk_axi_channels[directions[d].response].valid;

	if (!due)
		violation_add(w, PMK_AXI_RULE_STRAY, valid);
	else if (d == PMK_AXI_WRITE && has_role(w, PMK_AXI_WVALID) && has_role(w, PMK_AXI_WREADY) &&
		 w->k->bursts <= due->number)
		violation_add(w, PMK_AXI_RULE_EARLY_RESPONSE, valid);
}

static void finish_due(struct pmk_axi_side_check *s, const struct pmk_axi_due *due)
{
	size_t i = (size_t)(due - s->due);

	s->n--;
	memmove(&s->due[i], &s->due[i + 1], (s->n - i) * sizeof(s->due[0]));
}

/* Accepts a beat of a read. Returns true if it ends the burst. */
static bool take_beat(struct work *w, struct pmk_axi_due *due)
{
	bool last;

	due->seen++;
	last = has_role(w, PMK_AXI_RLAST) ? (w->c->value[PMK_AXI_RLAST] & 1)
					  : due->seen == due->beats;
	if (last && due->beats && due->seen < due->beats)
		report_want(w, PMK_AXI_RULE_EARLY_LAST, PMK_AXI_RLAST, 0);
	if (!last && due->beats && due->seen >= due->beats && !due->told) {
		report_want(w, PMK_AXI_RULE_NO_LAST, PMK_AXI_RLAST, 1);
		due->told = true;
	}
	return last;
}

static void take_response(struct work *w, unsigned d)
{
	struct pmk_axi_due *due = find_due(w, d);

	if (due && (d == PMK_AXI_WRITE || take_beat(w, due)))
		finish_due(&w->k->side[d], due);
}

static void take_address(struct work *w, unsigned d)
{
	const struct direction *of = &directions[d];
	struct pmk_axi_side_check *s = &w->k->side[d];
	uint32_t beats = beats_of(w, of);

	if (s->n == PMK_AXI_MOST_PENDING || (d == PMK_AXI_WRITE && is_full(w->k))) {
		lose_track(w->k, d);
		return;
	}
	if (d == PMK_AXI_WRITE && has_role(w, PMK_AXI_WVALID))
		match_address(w, beats);
	s->due[s->n++] = (struct pmk_axi_due){
		.id = has_value(w, of->id) ? w->c->value[of->id] : 0,
		.number = s->number++,
		.beats = beats,
	};
}

/* True if an x makes a handshake of this direction unknown. */
static bool is_hidden(const struct work *w, unsigned d)
{
	const struct direction *of = &directions[d];
	uint32_t has = w->k->params.has, x = w->c->x & has;
	struct shake address = handshake_of(has, w->c, of->address);
	struct shake response = handshake_of(has, w->c, of->response);
	struct shake data = handshake_of(has, w->c, d == PMK_AXI_WRITE ? PMK_AXI_W : PMK_AXI_R);
	uint32_t of_response = PMK_AXI_ROLE(of->resp_id);

	if (d == PMK_AXI_READ)
		of_response |= PMK_AXI_ROLE(PMK_AXI_RLAST);
	return address.hidden || response.hidden || data.hidden ||
	       (address.transferred && (x & (PMK_AXI_ROLE(of->id) | PMK_AXI_ROLE(of->len)))) ||
	       (response.offered && (x & of_response));
}

static void check_direction(struct work *w, unsigned d)
{
	const struct direction *of = &directions[d];
	uint32_t has = w->k->params.has;
	bool address = handshake_of(has, w->c, of->address).transferred;

	if (address)
		check_address(w, of);
	if (is_hidden(w, d))
		lose_track(w->k, d);
	if (!w->k->side[d].lost && is_offered_anew(w, of->response))
		check_response(w, d);
	if (!w->k->side[d].lost && handshake_of(has, w->c, of->response).transferred)
		take_response(w, d);
	if (!w->k->side[d].lost && address)
		take_address(w, d);
	if (d == PMK_AXI_WRITE && !w->k->side[d].lost &&
	    handshake_of(has, w->c, PMK_AXI_W).transferred)
		take_data(w);
}

/* ---- one sample ----------------------------------------------------------------------------- */

/*
 * Checks the signals in reset. Reset may be asserted at any time, and one edge later every VALID
 * must be low. A VALID may rise only after the first edge at which reset is not asserted any more.
 */
static void check_reset(struct work *w)
{
	struct pmk_axi_checker *k = w->k;

	for (unsigned i = 0; k->has_last && k->last.reset && i < PMK_AXI_NCHANNELS; i++) {
		uint8_t valid = pmk_axi_channels[i].valid;

		if (!has_value(w, valid) || !(w->c->value[valid] & 1) ||
		    (k->told_reset & PMK_AXI_ROLE(valid)))
			continue;
		report_want(w, PMK_AXI_RULE_RESET_VALID, valid, 0);
		k->told_reset |= PMK_AXI_ROLE(valid);
	}
	if (!w->c->reset) {
		k->told_reset = 0;
		return;
	}
	for (unsigned d = 0; d < PMK_AXI_NDIRECTIONS; d++) {
		k->side[d].lost = false;
		k->side[d].n = 0;
		k->side[d].number = 0;
	}
	k->bursts = k->beat = 0;
	k->told_last = false;
}

unsigned pmk_axi_checker_sample(struct pmk_axi_checker *k, const struct pmk_axi_cycle *c,
				struct pmk_violation v[PMK_AXI_MAX_VIOLATIONS])
{
	struct work w = { .k = k, .c = c, .v = v };

	k->told_x &= c->x;
	check_reset(&w);
	for (unsigned i = 0; i < PMK_AXI_NCHANNELS && !c->reset; i++)
		check_channel(&w, i);
	for (unsigned d = 0; d < PMK_AXI_NDIRECTIONS && !c->reset; d++)
		check_direction(&w, d);
	k->last = *c;
	k->has_last = true;
	k->cycles++;
	return w.n;
}
