/* SPDX-License-Identifier: MIT */
/* Functions about the requests and scripts of masters. Only the bus matrix uses them. */
#ifndef PMK_AHB_MATRIX_REQUESTS_H
#define PMK_AHB_MATRIX_REQUESTS_H

#include "buses/ahb/beats.h"
#include "buses/ahb/matrix.h"

static inline unsigned pmk_matrix_beats(const struct pmk_ahb_request *r)
{
	return r->burst == PMK_AHB_INCR ? r->beats : pmk_ahb_beats(r->burst);
}

/* True if the burst of a request exists, has a valid length, is aligned to its size, and does not
 * cross 1 KB. */
bool pmk_matrix_request_ok(const struct pmk_ahb_request *r);

/* True if the layer's script has another burst. */
static inline bool pmk_matrix_script_goes_on(const struct pmk_matrix_layer *l)
{
	return l->script.on && (!l->script.count || l->bursts < l->script.count);
}

/* Returns the next burst of the script. `now` is its first cycle. */
struct pmk_ahb_request pmk_matrix_script_next(struct pmk_matrix_layer *l, uint64_t now);

#endif
