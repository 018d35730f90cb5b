// SPDX-License-Identifier: MIT
/* Handles the work of the masters of the bus matrix: the requests in their queues, and their
 * scripts. */
#include "buses/ahb/matrix_requests.h"

#include <pmk/error.h>

/* ---- requests ------------------------------------------------------------------------------ */

bool pmk_matrix_request_ok(const struct pmk_ahb_request *r)
{
	uint64_t bytes;

	if (r->burst >= PMK_AHB_NBURSTS || r->size > PMK_AHB_WORD || !pmk_matrix_beats(r) ||
	    r->lock > PMK_MATRIX_LOCKED_PAIR)
		return false;
	bytes = (uint64_t)pmk_matrix_beats(r) << r->size;
	return r->addr % (1u << r->size) == 0 &&
	       (pmk_ahb_wraps(r->burst) || r->addr % PMK_AHB_BOUNDARY + bytes <= PMK_AHB_BOUNDARY);
}

int pmk_matrix_post(struct pmk_matrix *m, unsigned master, const struct pmk_ahb_request *r,
		    uint64_t *ticket)
{
	struct pmk_matrix_layer *l;

	if (master >= PMK_MATRIX_NMASTERS || !pmk_matrix_request_ok(r))
		return PMK_EINVAL;
	l = &m->layer[master];
	if (l->posted - l->done == PMK_MATRIX_QUEUE)
		return PMK_EBUSY;
	*ticket = l->posted;
	l->queue[l->posted++ % PMK_MATRIX_QUEUE] = *r;
	return PMK_OK;
}

int pmk_matrix_served(const struct pmk_matrix *m, unsigned master, uint64_t ticket,
		      struct pmk_ahb_served *served)
{
	const struct pmk_matrix_layer *l;

	if (master >= PMK_MATRIX_NMASTERS)
		return PMK_ERANGE;
	l = &m->layer[master];
	if (ticket >= l->posted || l->posted - ticket > PMK_MATRIX_QUEUE)
		return PMK_ERANGE;
	if (ticket >= l->done)
		return 0;
	*served = l->result[ticket % PMK_MATRIX_QUEUE];
	return 1;
}

/* ---- scripts ------------------------------------------------------------------------------- */

/* Returns the first burst of a script. */
static struct pmk_ahb_request first_of(const struct pmk_matrix_script *s)
{
	return (struct pmk_ahb_request){ .at = s->start,
					 .addr = s->addr,
					 .burst = s->burst,
					 .size = s->size,
					 .prot = s->prot,
					 .beats = s->beats,
					 .busy = s->busy,
					 .write = s->direction == PMK_MATRIX_WRITES,
					 .lock = s->lock ? PMK_MATRIX_LOCKED
							 : PMK_MATRIX_UNLOCKED };
}

/* True if each locked read of this script is paired with a write to the same address. */
static bool in_pairs(const struct pmk_matrix_script *s)
{
	return s->lock && s->direction == PMK_MATRIX_BOTH;
}

uint64_t pmk_matrix_stride(const struct pmk_matrix_script *script)
{
	struct pmk_ahb_request r = first_of(script);
	uint64_t bytes = (uint64_t)pmk_matrix_beats(&r) << r.size, stride = 1;

	while (stride < bytes)
		stride *= 2;
	return stride;
}

static bool script_ok(const struct pmk_matrix_script *s)
{
	struct pmk_ahb_request r = first_of(s);
	uint64_t stride;

	if (s->direction > PMK_MATRIX_BOTH || !pmk_matrix_request_ok(&r) ||
	    (in_pairs(s) && s->count % 2))
		return false;
	stride = pmk_matrix_stride(s);
	return s->addr % stride == 0 && s->span && s->span % stride == 0;
}

int pmk_matrix_script(struct pmk_matrix *m, unsigned master, const struct pmk_matrix_script *script)
{
	struct pmk_matrix_layer *l;

	if (master >= PMK_MATRIX_NMASTERS || (script && !script_ok(script)))
		return PMK_EINVAL;
	l = &m->layer[master];
	l->script = script ? *script : (struct pmk_matrix_script){ .on = false };
	l->due = l->script.start;
	l->bursts = 0;
	l->offset = 0;
	return PMK_OK;
}

static struct pmk_ahb_request scripted_request(const struct pmk_matrix_layer *l)
{
	struct pmk_ahb_request r = first_of(&l->script);

	r.at = l->due;
	r.addr += l->offset;
	if (l->script.direction == PMK_MATRIX_BOTH)
		r.write = l->bursts % 2;
	if (in_pairs(&l->script) && !r.write)
		r.lock = PMK_MATRIX_LOCKED_PAIR;
	return r;
}

static void advance_script(struct pmk_matrix_layer *l, uint64_t now)
{
	bool first_of_pair = in_pairs(&l->script) && l->bursts % 2 == 0;

	l->bursts++;
	if (first_of_pair) {
		l->pair = l->due = now;
		return;
	}
	l->offset = (l->offset + pmk_matrix_stride(&l->script)) % l->script.span;
	l->due = (in_pairs(&l->script) ? l->pair : now) + l->script.period;
}

struct pmk_ahb_request pmk_matrix_script_next(struct pmk_matrix_layer *l, uint64_t now)
{
	struct pmk_ahb_request r = scripted_request(l);

	advance_script(l, now);
	return r;
}

void pmk_matrix_resume(struct pmk_matrix *m, unsigned master)
{
	struct pmk_matrix_layer *l = &m->layer[master];

	l->halted = false;
	if (l->withdrawn)
		l->bursts--;
	l->withdrawn = false;
	if (in_pairs(&l->script))
		l->bursts -= l->bursts % 2;
	l->offset = 0;
	l->due = m->now;
}
