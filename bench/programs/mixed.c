// SPDX-License-Identifier: MIT
/*
 * Benchmark: four small embedded kernels in turn, a few KB of data, hardly a cache miss.
 *
 * A linked list is searched, reversed and merge-sorted; a small matrix is multiplied; a state
 * machine classifies the words of a text; a CRC ties the results together, and seeds the next
 * round so that no round can be left out. This is the usual mix of microcontroller benchmarks.
 *
 *	mixed [FACTOR]		FACTOR rounds; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 120, SIDE = 12, TEXT = 512 };

struct node {
	struct node *next;
	int16_t key, payload;
};

enum state { ST_START, ST_SIGN, ST_INT, ST_FRACTION, ST_EXPONENT, ST_WORD, ST_BAD, ST_COUNT };

static uint32_t next_random(uint32_t *state)
{
	*state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
	return *state >> 16;
}

static uint16_t crc16_byte(uint16_t crc, uint8_t byte)
{
	crc ^= byte;
	for (int bit = 0; bit < 8; bit++)
		crc = (uint16_t)((crc >> 1) ^ ((crc & 1) ? 0xA001 : 0));
	return crc;
}

static uint16_t crc16_word(uint16_t crc, uint32_t word)
{
	for (int byte = 0; byte < 4; byte++)
		crc = crc16_byte(crc, (uint8_t)(word >> (8 * byte)));
	return crc;
}

static struct node *list_build(struct node *pool, uint32_t *seed)
{
	for (int i = 0; i < NODES; i++) {
		pool[i].key = (int16_t)next_random(seed);
		pool[i].payload = (int16_t)i;
		pool[i].next = i + 1 < NODES ? &pool[i + 1] : NULL;
	}
	return pool;
}

static struct node *list_reverse(struct node *list)
{
	struct node *done = NULL;

	while (list) {
		struct node *rest = list->next;

		list->next = done;
		done = list;
		list = rest;
	}
	return done;
}

static const struct node *list_find(const struct node *list, int16_t payload)
{
	while (list && list->payload != payload)
		list = list->next;
	return list;
}

static struct node *list_merge(struct node *a, struct node *b)
{
	struct node *head = NULL, **tail = &head;

	while (a && b) {
		struct node **least = a->key <= b->key ? &a : &b;

		*tail = *least;
		tail = &(*least)->next;
		*least = *tail;
	}
	*tail = a ? a : b;
	return head;
}

static struct node *list_sort(struct node *list, int count)
{
	struct node *half = list, *second;

	if (count < 2)
		return list;
	for (int i = 1; i < count / 2; i++)
		half = half->next;
	second = half->next;
	half->next = NULL;
	return list_merge(list_sort(list, count / 2), list_sort(second, count - count / 2));
}

static uint16_t run_list(uint32_t *seed, uint16_t crc)
{
	struct node pool[NODES];
	struct node *list = list_reverse(list_build(pool, seed));

	for (int i = 0; i < 24; i++) {
		const struct node *hit = list_find(list, (int16_t)(next_random(seed) % NODES));

		crc = crc16_byte(crc, (uint8_t)(hit ? hit->key : 0));
	}
	list = list_sort(list, NODES);
	for (const struct node *n = list; n; n = n->next)
		crc = crc16_byte(crc, (uint8_t)(n->key ^ n->payload));
	return crc;
}

static uint16_t run_matrix(uint32_t *seed, uint16_t crc)
{
	int16_t a[SIDE][SIDE], b[SIDE][SIDE];

	for (int i = 0; i < SIDE; i++) {
		for (int j = 0; j < SIDE; j++) {
			a[i][j] = (int16_t)next_random(seed);
			b[i][j] = (int16_t)next_random(seed);
		}
	}
	for (int i = 0; i < SIDE; i++) {
		for (int j = 0; j < SIDE; j++) {
			uint32_t sum = 0;

			for (int k = 0; k < SIDE; k++)
				sum += (uint32_t)(a[i][k] * b[k][j]);
			crc = crc16_byte(crc, (uint8_t)(sum >> 5));
		}
	}
	return crc;
}

/* One step over one character: numbers with sign, fraction and exponent, words, or rubbish. */
static enum state step(enum state s, char c)
{
	int digit = c >= '0' && c <= '9';

	switch (s) {
	case ST_START:
		if (c >= 'a' && c <= 'z')
			return ST_WORD;
		if (c == '+' || c == '-')
			return ST_SIGN;
		return digit ? ST_INT : c == '.' ? ST_FRACTION : ST_BAD;
	case ST_SIGN:
		return digit ? ST_INT : c == '.' ? ST_FRACTION : ST_BAD;
	case ST_INT:
		return digit ? ST_INT : c == '.' ? ST_FRACTION : c == 'e' ? ST_EXPONENT : ST_BAD;
	case ST_FRACTION:
		return digit ? ST_FRACTION : c == 'e' ? ST_EXPONENT : ST_BAD;
	case ST_EXPONENT:
		return digit || c == '-' ? ST_EXPONENT : ST_BAD;
	case ST_WORD:
		return c >= 'a' && c <= 'z' ? ST_WORD : ST_BAD;
	case ST_BAD:
	case ST_COUNT:
		break;
	}
	return ST_BAD;
}

static uint16_t run_states(uint32_t *seed, uint16_t crc)
{
	static const char alphabet[] = "0123456789.e+-abcdefgh,,,,";
	unsigned ended[ST_COUNT] = { 0 };
	char text[TEXT];
	enum state s = ST_START;

	for (int i = 0; i < TEXT; i++)
		text[i] = alphabet[next_random(seed) % (sizeof(alphabet) - 1)];
	for (int i = 0; i < TEXT; i++) {
		if (text[i] == ',') {
			ended[s]++;
			s = ST_START;
		} else {
			s = step(s, text[i]);
		}
	}
	for (int i = 0; i < ST_COUNT; i++)
		crc = crc16_word(crc, ended[i]);
	return crc;
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t seed = 20, total = 0;
	uint16_t crc = 0;

	for (unsigned long round = 0; round < factor; round++) {
		crc = run_list(&seed, crc);
		crc = run_matrix(&seed, crc);
		crc = run_states(&seed, crc);
		seed ^= crc;
		total = (total << 1 | total >> 31) ^ crc;
	}
	printf("mixed %08" PRIx32 "\n", total);
	return 0;
}
