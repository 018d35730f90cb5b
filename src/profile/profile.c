// SPDX-License-Identifier: MIT
/*
 * Counts samples: see profile.h. Samples are sorted by place, the samples of one place become one
 * row, and the rows are sorted by their number of samples.
 */
#include "profile/profile.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
	const struct pmk_spot *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/*
	 * Compare the functions, too: a function may begin at address 0, but address 0 without a
	 * function means that the address is unknown.
	 */
	if (!x->function != !y->function)
		return x->function ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

static int by_samples(const void *a, const void *b)
{
	const struct pmk_spot *x = a, *y = b;

	if (x->event != y->event || x->samples == y->samples)
		return by_place(a, b);
	return x->samples > y->samples ? -1 : 1;
}

struct pmk_spot *pmk_profile_count(const struct pmk_profile_sample *samples, size_t nsamples,
				   const struct pmk_functions *f, size_t *count)
{
	struct pmk_spot *list = malloc((nsamples + 1) * sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (size_t i = 0; i < nsamples; i++) {
		const struct pmk_profile_sample *s = &samples[i];

		list[i] = (struct pmk_spot){ s->event, s->region, s->pc, NULL, 1, s->late };
		if (f && s->pc)
			list[i].function = pmk_functions_at(f, s->pc, &list[i].address);
	}
	qsort(list, nsamples, sizeof(*list), by_place);
	for (size_t i = 0; i < nsamples; i++) {
		if (n && !by_place(&list[n - 1], &list[i])) {
			list[n - 1].samples++;
			list[n - 1].late += list[i].late;
		} else {
			list[n++] = list[i];
		}
	}
	qsort(list, n, sizeof(*list), by_samples);
	*count = n;
	return list;
}
