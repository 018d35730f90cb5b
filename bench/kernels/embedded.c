/* SPDX-License-Identifier: MIT */
/*
 * Work like CoreMark's, in less than 4 KB: a list that is searched, reversed and sorted, small
 * matrices of 16 bits, a scanner of numbers with a state machine, and checksums bit by bit. The
 * list, the matrices and the scanner take about the same shares of the time as in CoreMark.
 *
 *   embedded TIMES
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 32, SIDE = 9, SEARCHES = 80, TEXTS = 240 };

struct node {
	struct node *next;
	int16_t key, place;
};

static struct node nodes[NODES], *list;
static int16_t left[SIDE][SIDE], right[SIDE][SIDE];
static int32_t product[SIDE][SIDE];
static const char *const texts[] = { "5012", "+747", "-8741.5", "3.25e+4",
				     "1e-7", "12x",  ".e",	"T0.3" };

static uint16_t checksum(uint16_t sum, uint32_t word, unsigned bits)
{
	for (unsigned i = 0; i < bits; i++) {
		unsigned carry = (sum ^ word) & 1;

		sum = (uint16_t)(sum >> 1);
		word >>= 1;
		if (carry)
			sum ^= 0xa001;
	}
	return sum;
}

/* ---- list ------------------------------------------------------------------------------------ */

static int by_key(const struct node *a, const struct node *b)
{
	return a->key - b->key;
}

static int by_place(const struct node *a, const struct node *b)
{
	return a->place - b->place;
}

static struct node *find(struct node *n, int16_t key)
{
	while (n && (n->key & 0xff) != key)
		n = n->next;
	return n;
}

static struct node *turned(struct node *n)
{
	struct node *to = NULL;

	while (n) {
		struct node *rest = n->next;

		n->next = to;
		to = n;
		n = rest;
	}
	return to;
}

static struct node *merged(struct node *a, struct node *b,
			   int (*order)(const struct node *, const struct node *))
{
	struct node first, *end = &first;

	while (a && b) {
		struct node **from = order(a, b) <= 0 ? &a : &b;

		end->next = *from;
		end = *from;
		*from = end->next;
	}
	end->next = a ? a : b;
	return first.next;
}

static struct node *sorted(struct node *n, unsigned count,
			   int (*order)(const struct node *, const struct node *))
{
	struct node *half = n, *second;

	if (count < 2)
		return n;
	for (unsigned i = 1; i < count / 2; i++)
		half = half->next;
	second = half->next;
	half->next = NULL;
	return merged(sorted(n, count / 2, order), sorted(second, count - count / 2, order), order);
}

static uint16_t work_on_list(uint16_t sum, unsigned turn)
{
	for (int16_t key = 0; key < SEARCHES; key++) {
		struct node *n = find(list, (int16_t)(key * 29 + (int)turn) & 0xff);

		list = turned(list);
		sum = checksum(sum, n ? (uint16_t)n->place : turn, 16);
	}
	list = sorted(list, NODES, by_key);
	sum = checksum(sum, (uint16_t)list->place, 16);
	list = sorted(list, NODES, by_place);
	return sum;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static uint16_t work_on_matrices(uint16_t sum, int16_t add)
{
	int32_t total = 0, last = 0;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			left[i][j] = (int16_t)(left[i][j] + add);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			int32_t cell = 0;

			for (int k = 0; k < SIDE; k++)
				cell += (int32_t)left[i][k] * right[k][j];
			product[i][j] = cell;
		}
	sum = checksum(sum, (uint32_t)product[SIDE - 1][0], 32);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			int32_t cell = 0;

			for (int k = 0; k < SIDE; k++) {
				int32_t part = (int32_t)left[i][k] * right[k][j];

				cell += (part >> 2 & 15) * (part >> 5 & 127);
			}
			product[i][j] = cell;
		}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			total += product[i][j] > last ? 10 : 1;
			last = product[i][j];
			left[i][j] = (int16_t)(left[i][j] - add);
		}
	return checksum(sum, (uint32_t)total, 32);
}

/* ---- states ---------------------------------------------------------------------------------- */

enum state { START, SIGN, WHOLE, PART, POWER, DIGITS, WRONG, STATES };

static enum state next_state(enum state state, char c)
{
	int digit = c >= '0' && c <= '9';

	switch (state) {
	case START:
		return digit ? WHOLE : c == '+' || c == '-' ? SIGN : c == '.' ? PART : WRONG;
	case SIGN:
		return digit ? WHOLE : c == '.' ? PART : WRONG;
	case WHOLE:
		return digit ? WHOLE : c == '.' ? PART : c == 'e' ? POWER : WRONG;
	case PART:
		return digit ? PART : c == 'e' ? POWER : WRONG;
	case POWER:
		return digit || c == '+' || c == '-' ? DIGITS : WRONG;
	case DIGITS:
		return digit ? DIGITS : WRONG;
	default:
		return WRONG;
	}
}

static uint16_t work_on_texts(uint16_t sum, unsigned turn)
{
	static unsigned passed[STATES];
	unsigned ended[STATES] = { 0 };

	for (unsigned i = 0; i < TEXTS; i++) {
		enum state state = START;

		for (const char *c = texts[(i * 5 + turn) & 7]; *c && state != WRONG; c++) {
			passed[state]++;
			state = next_state(state, *c);
		}
		ended[state]++;
	}
	for (unsigned i = 0; i < STATES; i++)
		sum = checksum(sum, ended[i] + passed[i], 32);
	return sum;
}

int main(int argc, char **argv)
{
	uint16_t sum = 0;

	if (argc != 2)
		return 2;
	unsigned long times = strtoul(argv[1], NULL, 0);

	for (int i = 0; i < NODES; i++) {
		nodes[i].key = (int16_t)(i * 7919 & 0x7fff);
		nodes[i].place = (int16_t)i;
		nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
	}
	list = nodes;
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			left[i][j] = (int16_t)(i * 37 + j * 11);
			right[i][j] = (int16_t)(i * 5 - j * 23);
		}
	for (unsigned turn = 0; turn < times; turn++) {
		sum = work_on_list(sum, turn);
		sum = work_on_matrices(sum, (int16_t)(sum & 63));
		sum = work_on_texts(sum, turn);
	}
	printf("embedded %04x\n", sum);
	return 0;
}
