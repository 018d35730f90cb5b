// SPDX-License-Identifier: MIT
/*
 * Checks the AHB protocol. See check.h. Each sample is checked three times: as the continuation of
 * the sample before it (wait states), as the response to the transfer in its data phase, and, if
 * HREADY is high, as a new address phase.
 *
 * Where the sources are silent or differ, the following is our choice:
 *  - In a wait state IDLE may become NONSEQ, and BUSY may become SEQ. In an INCR burst, BUSY may
 *    become anything. This is in the AHB-Lite specification; that of AMBA 2 is silent.
 *  - Giving up a burst of fixed length is a violation only on AHB-Lite. On AHB the master may have
 *    lost the bus, and none of the sampled signals shows this.
 *  - If HRESP is missing or x, a wait state may be the first cycle of an ERROR, RETRY or SPLIT. So
 *    the checker accepts a change to IDLE, and a burst that ends after it.
 *  - An x on a signal is reported once, until the signal has a value again.
 */
#include "buses/ahb/check.h"

#include "buses/ahb/beats.h"

const struct pmk_rule pmk_ahb_rules[PMK_AHB_NRULES] = {
#define X(id, name, text, ref) { name, text, ref },
	PMK_AHB_RULES(X)
#undef X
};

#define HTRANS_X 0xff
#define CONTROLS 4

static const uint8_t control_role[CONTROLS] = { PMK_AHB_HWRITE, PMK_AHB_HSIZE, PMK_AHB_HBURST,
						PMK_AHB_HPROT };

const char *pmk_ahb_role_name(unsigned role)
{
	static const char *const names[PMK_AHB_NROLES] = {
		[PMK_AHB_HTRANS] = "HTRANS", [PMK_AHB_HADDR] = "HADDR",
		[PMK_AHB_HWRITE] = "HWRITE", [PMK_AHB_HSIZE] = "HSIZE",
		[PMK_AHB_HBURST] = "HBURST", [PMK_AHB_HPROT] = "HPROT",
		[PMK_AHB_HREADY] = "HREADY", [PMK_AHB_HRESP] = "HRESP",
	};

	return role < PMK_AHB_NROLES ? names[role] : NULL;
}

void pmk_ahb_checker_init(struct pmk_ahb_checker *k, const struct pmk_ahb_checker_params *params)
{
	*k = (struct pmk_ahb_checker){ .params = *params,
				       .data = HTRANS_X,
				       .state = PMK_AHB_B_UNKNOWN };
}

/* ---- reporting ----------------------------------------------------------------------------- */

/* The sample that is being checked. */
struct work {
	struct pmk_ahb_checker *k;
	const struct pmk_ahb_cycle *c;
	struct pmk_violation *v;
	unsigned n;
};

static uint64_t value_of(const struct pmk_ahb_cycle *c, unsigned role)
{
	switch ((enum pmk_ahb_role)role) {
	case PMK_AHB_HTRANS:
		return c->htrans;
	case PMK_AHB_HADDR:
		return c->haddr;
	case PMK_AHB_HWRITE:
		return c->hwrite;
	case PMK_AHB_HSIZE:
		return c->hsize;
	case PMK_AHB_HBURST:
		return c->hburst;
	case PMK_AHB_HPROT:
		return c->hprot;
	case PMK_AHB_HREADY:
		return c->hready;
	case PMK_AHB_HRESP:
		return c->hresp;
	case PMK_AHB_NROLES:
		break;
	}
	return 0;
}

static struct pmk_violation *violation_add(struct work *w, enum pmk_ahb_rule rule,
					   enum pmk_ahb_role role)
{
	struct pmk_violation *v = &w->v[w->n];

	w->k->count[rule]++;
	*v = (struct pmk_violation){ .cycle = w->k->cycles,
				     .is = value_of(w->c, role),
				     .rule = (uint8_t)rule,
				     .role = (uint8_t)role,
				     .x = rule == PMK_AHB_RULE_UNKNOWN };
	if (w->n + 1 < PMK_AHB_MAX_VIOLATIONS)
		w->n++;
	return v;
}

static void report_want(struct work *w, enum pmk_ahb_rule rule, enum pmk_ahb_role role,
			uint64_t want)
{
	struct pmk_violation *v = violation_add(w, rule, role);

	v->want = want;
	v->wants = true;
}

/* True if the signal exists and is not x. */
static bool has_value(const struct work *w, unsigned role)
{
	uint32_t signal = PMK_AHB_ROLE(role);

	return (w->k->params.has & signal) && !(w->c->x & signal);
}

static void want_known(struct work *w, unsigned role)
{
	uint16_t signal = (uint16_t)PMK_AHB_ROLE(role);

	if (has_value(w, role) || !(w->k->params.has & signal))
		return;
	if (!(w->k->told_x & signal))
		violation_add(w, PMK_AHB_RULE_UNKNOWN, role);
	w->k->told_x |= signal;
}

/* ---- rules for wait states ----------------------------------------------------------------- */

/* True if the signal is known in both samples and its values differ. */
static bool value_differs(const struct work *w, const struct pmk_ahb_cycle *other, unsigned role)
{
	return has_value(w, role) && !(other->x & PMK_AHB_ROLE(role)) &&
	       value_of(w->c, role) != value_of(other, role);
}

/* Reports each control signal that differs from `other`, an earlier sample, as a violation of
 * `rule`. Returns false if at least one differs. */
static bool same_control(struct work *w, const struct pmk_ahb_cycle *other, enum pmk_ahb_rule rule)
{
	bool same = true;

	for (unsigned i = 0; i < CONTROLS; i++)
		if (value_differs(w, other, control_role[i])) {
			report_want(w, rule, control_role[i], value_of(other, control_role[i]));
			same = false;
		}
	return same;
}

/* True if HTRANS may change from `from` to `to` while HREADY is low. */
static bool may_become(const struct work *w, uint8_t from, uint8_t to)
{
	const struct pmk_ahb_cycle *last = &w->k->last;
	uint32_t there = w->k->params.has & ~last->x;
	bool fixed = (there & PMK_AHB_ROLE(PMK_AHB_HBURST)) && last->hburst != PMK_AHB_INCR;

	if (from == to)
		return true;
	/*
	 * The previous sample was the first cycle of ERROR, RETRY or SPLIT. If HRESP is unknown, it
	 * may have been.
	 */
	if (to == PMK_AHB_IDLE &&
	    (w->k->response != PMK_AHB_OKAY || !(there & PMK_AHB_ROLE(PMK_AHB_HRESP))))
		return true;
	if (from == PMK_AHB_IDLE)
		return to == PMK_AHB_NONSEQ;
	return from == PMK_AHB_BUSY && (to == PMK_AHB_SEQ || !fixed);
}

static void check_wait(struct work *w)
{
	const struct pmk_ahb_cycle *last = &w->k->last;
	uint8_t from = last->htrans, to = w->c->htrans;
	bool stays = from == to ? to != PMK_AHB_IDLE : from == PMK_AHB_BUSY && to == PMK_AHB_SEQ;

	if (!w->k->has_last || last->reset || last->hready || !has_value(w, PMK_AHB_HTRANS) ||
	    (last->x & PMK_AHB_ROLE(PMK_AHB_HTRANS)))
		return;
	if (!may_become(w, from, to))
		violation_add(w, PMK_AHB_RULE_WAIT_TRANS, PMK_AHB_HTRANS);
	if (!stays)
		return;
	if (value_differs(w, last, PMK_AHB_HADDR))
		report_want(w, PMK_AHB_RULE_WAIT_ADDRESS, PMK_AHB_HADDR, last->haddr);
	same_control(w, last, PMK_AHB_RULE_WAIT_CONTROL);
}

/* ---- rules for responses ------------------------------------------------------------------- */

static void check_idle_response(struct work *w)
{
	bool okay = !has_value(w, PMK_AHB_HRESP) || w->c->hresp == PMK_AHB_OKAY;

	if (w->k->told_wait)
		return;
	if (!w->c->hready)
		report_want(w, PMK_AHB_RULE_IDLE_WAITS, PMK_AHB_HREADY, 1);
	if (!okay)
		report_want(w, PMK_AHB_RULE_IDLE_RESP, PMK_AHB_HRESP, PMK_AHB_OKAY);
	w->k->told_wait = !w->c->hready || !okay;
}

/* Checks the response in the cycle after the first cycle of ERROR, RETRY or SPLIT. */
static void check_second_cycle(struct work *w)
{
	uint8_t response = w->k->response;

	if (!w->c->hready)
		report_want(w, PMK_AHB_RULE_SECOND_CYCLE, PMK_AHB_HREADY, 1);
	else if (w->c->hresp != response)
		report_want(w, PMK_AHB_RULE_SECOND_CYCLE, PMK_AHB_HRESP, response);
	if (response != PMK_AHB_ERROR && has_value(w, PMK_AHB_HTRANS) &&
	    w->c->htrans != PMK_AHB_IDLE)
		report_want(w, PMK_AHB_RULE_RETRY_GOES_ON, PMK_AHB_HTRANS, PMK_AHB_IDLE);
}

static void check_response(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;
	const struct pmk_ahb_cycle *c = w->c;

	if (k->data == HTRANS_X)
		return;
	if (k->data == PMK_AHB_IDLE || k->data == PMK_AHB_BUSY) {
		check_idle_response(w);
		return;
	}
	want_known(w, PMK_AHB_HRESP);
	if (!has_value(w, PMK_AHB_HRESP)) {
		k->response = PMK_AHB_OKAY;
		return;
	}
	if (k->params.lite && c->hresp > PMK_AHB_ERROR && k->response == PMK_AHB_OKAY)
		violation_add(w, PMK_AHB_RULE_LITE_RESP, PMK_AHB_HRESP);
	if (k->response != PMK_AHB_OKAY)
		check_second_cycle(w);
	else if (c->hready && c->hresp != PMK_AHB_OKAY)
		report_want(w, PMK_AHB_RULE_ONE_CYCLE, PMK_AHB_HREADY, 0);
	k->response = c->hready ? (uint8_t)PMK_AHB_OKAY : c->hresp;
}

/* ---- rules for address phases -------------------------------------------------------------- */

static uint64_t bytes_of(const struct pmk_ahb_cycle *c)
{
	return UINT64_C(1) << (c->hsize & 7);
}

static void check_transfer(struct work *w)
{
	uint64_t bytes = bytes_of(w->c);

	want_known(w, PMK_AHB_HADDR);
	for (unsigned i = 0; i < CONTROLS; i++)
		want_known(w, control_role[i]);
	if (!has_value(w, PMK_AHB_HSIZE))
		return;
	if (w->k->params.bytes && bytes > w->k->params.bytes)
		violation_add(w, PMK_AHB_RULE_WIDTH, PMK_AHB_HSIZE);
}

/* Checks the address of a beat that does not continue an earlier beat. */
static void check_alignment(struct work *w)
{
	uint64_t aligned = w->c->haddr & ~(bytes_of(w->c) - 1);

	w->k->disturbed = has_value(w, PMK_AHB_HSIZE) && has_value(w, PMK_AHB_HADDR) &&
			  w->c->haddr != aligned;
	if (w->k->disturbed)
		report_want(w, PMK_AHB_RULE_ALIGNMENT, PMK_AHB_HADDR, aligned);
	w->k->undisturbed = pmk_ahb_address_after(w->c->hburst, w->c->hsize, aligned);
}

/* True if all signals from which the next beat follows are known. */
static bool knows_shape(const struct work *w)
{
	return has_value(w, PMK_AHB_HADDR) && has_value(w, PMK_AHB_HSIZE) &&
	       has_value(w, PMK_AHB_HBURST);
}

/* True if `c` begins a burst of fixed length that will cross a boundary of 1 KB. */
static bool will_cross(const struct pmk_ahb_cycle *c)
{
	uint64_t bytes = bytes_of(c) * pmk_ahb_beats(c->hburst);

	if (pmk_ahb_wraps(c->hburst))
		return bytes > PMK_AHB_BOUNDARY;
	return pmk_ahb_beats(c->hburst) > 1 &&
	       c->haddr % PMK_AHB_BOUNDARY + bytes > PMK_AHB_BOUNDARY;
}

/* Checks that the current burst may end here. */
static void check_end(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;
	bool excused = has_value(w, PMK_AHB_HRESP) ? w->c->hresp != PMK_AHB_OKAY
						   : k->has_last && !k->last.hready;

	if (k->params.lite && k->state == PMK_AHB_B_OPEN && k->left && !excused)
		report_want(w, PMK_AHB_RULE_EARLY_END, PMK_AHB_HTRANS, PMK_AHB_SEQ);
}

static void begin_burst(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;
	const struct pmk_ahb_cycle *c = w->c;

	check_end(w);
	check_transfer(w);
	check_alignment(w);
	k->first = *c;
	k->state = PMK_AHB_B_UNKNOWN;
	if (!knows_shape(w))
		return;
	if (will_cross(c))
		violation_add(w, PMK_AHB_RULE_BOUNDARY, PMK_AHB_HADDR);
	k->state = c->hburst == PMK_AHB_SINGLE ? PMK_AHB_B_FULL : PMK_AHB_B_OPEN;
	k->left = pmk_ahb_beats(c->hburst) ? pmk_ahb_beats(c->hburst) - 1 : 0;
	k->next = pmk_ahb_address_after(c->hburst, c->hsize, c->haddr);
}

/* Checks that the address of a SEQ or BUSY follows from the previous beat. */
static void check_next(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;
	const struct pmk_ahb_cycle *c = w->c;

	if (c->haddr != k->next && !(k->disturbed && c->haddr == k->undisturbed)) {
		report_want(w, PMK_AHB_RULE_NOT_NEXT, PMK_AHB_HADDR, k->next);
		k->disturbed = true;
		k->undisturbed = c->htrans == PMK_AHB_BUSY
					 ? k->next
					 : pmk_ahb_address_after(c->hburst, c->hsize, k->next);
		return;
	}
	k->disturbed = false;
	if (k->first.hburst == PMK_AHB_INCR && !(c->haddr % PMK_AHB_BOUNDARY) &&
	    c->htrans == PMK_AHB_SEQ)
		violation_add(w, PMK_AHB_RULE_BOUNDARY, PMK_AHB_HADDR);
}

/* Checks a SEQ or BUSY in a burst whose earlier beats are known. */
static void continue_burst(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;
	const struct pmk_ahb_cycle *c = w->c;

	check_transfer(w);
	if (!same_control(w, &k->first, PMK_AHB_RULE_CONTROL) || !knows_shape(w)) {
		k->state = PMK_AHB_B_UNKNOWN;
		return;
	}
	check_next(w);
	k->next = c->haddr;
	if (c->htrans == PMK_AHB_BUSY)
		return;
	k->next = pmk_ahb_address_after(c->hburst, c->hsize, c->haddr);
	if (k->left && --k->left == 0)
		k->state = PMK_AHB_B_FULL;
}

static void check_continuation(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;
	bool busy = w->c->htrans == PMK_AHB_BUSY;

	switch ((enum pmk_ahb_burst_state)k->state) {
	case PMK_AHB_B_UNKNOWN:
		check_transfer(w);
		check_alignment(w);
		return;
	case PMK_AHB_B_NONE:
		violation_add(w, busy ? PMK_AHB_RULE_BUSY_ALONE : PMK_AHB_RULE_SEQ_ALONE,
			      PMK_AHB_HTRANS);
		k->state = PMK_AHB_B_UNKNOWN;
		return;
	case PMK_AHB_B_FULL:
		violation_add(w, PMK_AHB_RULE_TOO_LONG, PMK_AHB_HTRANS);
		k->state = PMK_AHB_B_UNKNOWN;
		return;
	case PMK_AHB_B_OPEN:
		continue_burst(w);
	}
}

static void check_address_phase(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;

	want_known(w, PMK_AHB_HTRANS);
	if (!has_value(w, PMK_AHB_HTRANS)) {
		k->state = PMK_AHB_B_UNKNOWN;
		k->data = HTRANS_X;
	} else {
		k->data = w->c->htrans;
		if (k->data == PMK_AHB_IDLE) {
			check_end(w);
			k->state = PMK_AHB_B_NONE;
		} else if (k->data == PMK_AHB_NONSEQ) {
			begin_burst(w);
		} else {
			check_continuation(w);
		}
	}
	k->told_wait = false;
}

/* ---- one sample ---------------------------------------------------------------------------- */

/*
 * Checks the signals in reset. Reset may be asserted at any time, and one edge later all signals
 * must have their reset values.
 */
static void check_reset(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;
	bool settled = k->has_last && k->last.reset;
	bool first = settled && !k->told_wait;

	if (first && has_value(w, PMK_AHB_HTRANS) && w->c->htrans != PMK_AHB_IDLE)
		report_want(w, PMK_AHB_RULE_RESET_TRANS, PMK_AHB_HTRANS, PMK_AHB_IDLE);
	if (first && k->params.lite && has_value(w, PMK_AHB_HREADY) && !w->c->hready)
		report_want(w, PMK_AHB_RULE_RESET_READY, PMK_AHB_HREADY, 1);
	k->told_wait = settled;
	k->data = PMK_AHB_IDLE;
	k->response = PMK_AHB_OKAY;
	k->state = PMK_AHB_B_NONE;
}

static void check_running(struct work *w)
{
	struct pmk_ahb_checker *k = w->k;

	want_known(w, PMK_AHB_HREADY);
	if (!has_value(w, PMK_AHB_HREADY)) {
		k->state = PMK_AHB_B_UNKNOWN;
		k->data = HTRANS_X;
		k->response = PMK_AHB_OKAY;
		return;
	}
	check_wait(w);
	check_response(w);
	if (w->c->hready)
		check_address_phase(w);
}

unsigned pmk_ahb_checker_sample(struct pmk_ahb_checker *k, const struct pmk_ahb_cycle *c,
				struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS])
{
	struct work w = { .k = k, .c = c, .v = v };

	k->told_x &= c->x;
	if (k->has_last && k->last.reset && !c->reset)
		k->told_wait = false;
	if (c->reset)
		check_reset(&w);
	else
		check_running(&w);
	k->last = *c;
	k->has_last = c->reset || !(c->x & PMK_AHB_ROLE(PMK_AHB_HREADY));
	k->cycles++;
	return w.n;
}
