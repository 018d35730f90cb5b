// SPDX-License-Identifier: MIT
/*
 * Benchmark: merge sort through comparators, as libraries have it: of records in an array and of
 * records in a linked list, by several keys one after the other.
 *
 *	merge [FACTOR]		FACTOR rounds; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 2048, RUN = 8 };

struct record {
	uint32_t key, group, number;
	struct record *next;
};

typedef int compare(const struct record *a, const struct record *b);

static struct record records[RECORDS], spare[RECORDS];

static int compare_key(const struct record *a, const struct record *b)
{
	return a->key < b->key ? -1 : a->key > b->key;
}

static int compare_group(const struct record *a, const struct record *b)
{
	return a->group != b->group ? (a->group < b->group ? -1 : 1) : compare_key(a, b);
}

static int compare_number(const struct record *a, const struct record *b)
{
	return (int)a->number - (int)b->number;
}

static void sort_run(struct record *r, unsigned n, compare *less)
{
	for (unsigned i = 1; i < n; i++) {
		struct record moved = r[i];
		unsigned at = i;

		for (; at && less(&moved, &r[at - 1]) < 0; at--)
			r[at] = r[at - 1];
		r[at] = moved;
	}
}

static void sort_array(struct record *r, struct record *room, unsigned n, compare *less)
{
	unsigned half = n / 2, left = 0, right = half, to = 0;

	if (n <= RUN) {
		sort_run(r, n, less);
		return;
	}
	sort_array(r, room, half, less);
	sort_array(r + half, room, n - half, less);
	memcpy(room, r, half * sizeof(*r));
	while (left < half && right < n)
		r[to++] = less(&r[right], &room[left]) < 0 ? r[right++] : room[left++];
	memcpy(r + to, room + left, (half - left) * sizeof(*r));
}

static struct record *sort_list(struct record *list, unsigned n, compare *less)
{
	struct record *right = list, *sorted = NULL, **to = &sorted;

	if (n == 1) {
		list->next = NULL;
		return list;
	}
	for (unsigned i = 0; i < n / 2; i++)
		right = right->next;
	right = sort_list(right, n - n / 2, less);
	list = sort_list(list, n / 2, less);
	while (list && right) {
		struct record **from = less(right, list) < 0 ? &right : &list;

		*to = *from;
		to = &(*from)->next;
		*from = *to;
	}
	*to = list ? list : right;
	return sorted;
}

int main(int argc, char **argv)
{
	static compare *const by[] = { compare_key, compare_group, compare_number };
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t sum = 0, seed = 1;

	for (unsigned i = 0; i < RECORDS; i++) {
		seed = seed * UINT32_C(69069) + 1;
		records[i] = (struct record){ seed >> 12, seed >> 27, seed >> 4 & 0xffff, NULL };
	}
	for (unsigned long round = 0; round < factor; round++) {
		struct record *list = records;

		for (unsigned i = 0; i < 3; i++)
			sort_array(records, spare, RECORDS, by[i]);
		for (unsigned i = 0; i < RECORDS; i++)
			records[i].next = i + 1 < RECORDS ? &records[i + 1] : NULL;
		list = sort_list(list, RECORDS, by[round % 2]);
		for (; list; list = list->next) {
			sum = sum * 31 + list->number;
			list->key = (list->key ^ sum) & 0xfffff;
		}
	}
	printf("merge %08" PRIx32 "\n", sum);
	return 0;
}
