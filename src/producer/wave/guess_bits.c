// SPDX-License-Identifier: MIT
/* Joins the bits of vectors, which some simulators dump bit by bit, to one signal. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "producer/wave/guess.h"

/* A signal of one bit, and its position in the dump. */
struct bit {
	const struct pmk_wave_signal *signal;
	size_t place;
};

/* True for a bit whose name a map may need. Only such bits are sorted, because a dump has a
 * thousand times as many signals. */
static bool may_be_bit(const struct pmk_wave_signal *s)
{
	return s->kind == PMK_WAVE_BITS && s->width == 1 && !s->parameter &&
	       (pmk_guess_has_role(s) || strcasestr(s->name, "ahbmonitor") ||
		strcasestr(s->name, "evntbus"));
}

static int by_vector(const void *a, const void *b)
{
	const struct bit *x = a, *y = b;
	int order = strcmp(x->signal->scope, y->signal->scope);

	if (!order)
		order = strcmp(x->signal->name, y->signal->name);
	if (!order && x->signal->msb != y->signal->msb)
		order = x->signal->msb < y->signal->msb ? -1 : 1;
	return order;
}

static bool same_name(const struct bit *a, const struct bit *b)
{
	return strcmp(a->signal->scope, b->signal->scope) == 0 &&
	       strcmp(a->signal->name, b->signal->name) == 0;
}

/*
 * Joins n sorted bits of one name: the vector replaces its first bit in the dump, and the other
 * bits get width 0. Missing or duplicate bits make no vector.
 */
static void join_bits(struct pmk_wave_signal *list, const struct bit *bit, size_t n)
{
	size_t first = bit[0].place;

	for (size_t i = 1; i < n; i++) {
		if (bit[i].signal->msb != bit[0].signal->msb + (int32_t)i)
			return;
		first = bit[i].place < first ? bit[i].place : first;
	}
	for (size_t i = 0; i < n; i++)
		list[bit[i].place].width = 0;
	list[first] = *bit[0].signal;
	list[first].width = (uint32_t)n;
	list[first].msb = bit[n - 1].signal->msb;
}

static size_t without_empty(struct pmk_wave_signal *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i].width || list[i].kind != PMK_WAVE_BITS)
			list[kept++] = list[i];
	return kept;
}

/* True if a map can have this name: it is text without control characters. */
static bool is_plain(const char *name)
{
	size_t n = strlen(name), length = 1;

	for (size_t i = 0; i < n && length; i += length)
		length = pmk_printable_length((const uint8_t *)name + i, n - i);
	return length != 0;
}

struct pmk_wave_signal *pmk_guess_join_bits(const struct wave_dump *v, size_t *n)
{
	struct pmk_wave_signal *list = calloc(v->nsignals + 1, sizeof(*list));
	struct bit *bit = calloc(v->nsignals + 1, sizeof(*bit));
	size_t nbits = 0;

	for (size_t i = 0; list && bit && i < v->nsignals; i++) {
		list[i] = v->signal[i];
		if (v->signal[i].parameter || !is_plain(v->signal[i].name) ||
		    !is_plain(v->signal[i].scope))
			list[i].width = 0;
		if (may_be_bit(&v->signal[i]))
			bit[nbits++] = (struct bit){ &v->signal[i], i };
	}
	if (nbits)
		qsort(bit, nbits, sizeof(*bit), by_vector);
	for (size_t i = 0, k; i < nbits; i = k) {
		for (k = i + 1; k < nbits && same_name(&bit[i], &bit[k]);)
			k++;
		if (k - i > 1)
			join_bits(list, &bit[i], k - i);
	}
	*n = list ? without_empty(list, v->nsignals) : 0;
	if (!bit) {
		free(list);
		list = NULL;
	}
	free(bit);
	return list;
}
