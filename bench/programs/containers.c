// SPDX-License-Identifier: MIT
/*
 * Benchmark: containers as libraries have them: a balanced tree (a treap), a list that moves what
 * it finds to its front, a ring, and a heap. Nodes come from a pool, so that neighbours in a
 * container are not neighbours in memory.
 *
 *	containers [FACTOR]	FACTOR rounds of 4000 operations; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1024, OPERATIONS = 4000, LIST = 48, RING = 256 };

struct node {
	struct node *left, *right;
	uint32_t key, priority, hits;
};

static struct node pool[NODES], *unused, *root, *list;
static uint32_t ring[RING], heap[NODES], heap_size, ring_at, seed = 1;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	return seed ^= seed << 5;
}

/* Cut a tree into keys below `key` and others. */
static void tree_split(struct node *t, uint32_t key, struct node **low, struct node **high)
{
	if (!t) {
		*low = *high = NULL;
	} else if (t->key < key) {
		tree_split(t->right, key, &t->right, high);
		*low = t;
	} else {
		tree_split(t->left, key, low, &t->left);
		*high = t;
	}
}

static struct node *tree_join(struct node *low, struct node *high)
{
	if (!low || !high)
		return low ? low : high;
	if (low->priority > high->priority) {
		low->right = tree_join(low->right, high);
		return low;
	}
	high->left = tree_join(low, high->left);
	return high;
}

static void tree_insert(struct node *n)
{
	struct node **at = &root;

	while (*at && (*at)->priority >= n->priority)
		at = n->key < (*at)->key ? &(*at)->left : &(*at)->right;
	tree_split(*at, n->key, &n->left, &n->right);
	*at = n;
}

static struct node *tree_take(uint32_t key)
{
	struct node **at = &root, *found;

	while (*at && (*at)->key != key)
		at = key < (*at)->key ? &(*at)->left : &(*at)->right;
	found = *at;
	if (found)
		*at = tree_join(found->left, found->right);
	return found;
}

static uint32_t list_find(uint32_t key)
{
	struct node **at = &list, *found;
	uint32_t steps = 0;

	while (*at && (*at)->key != key) {
		at = &(*at)->right;
		steps++;
	}
	found = *at;
	if (found) {
		*at = found->right;
		found->right = list;
		list = found;
		found->hits++;
	}
	return steps;
}

static void heap_put(uint32_t value)
{
	uint32_t at = heap_size++;

	for (; at && heap[(at - 1) / 2] > value; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = value;
}

static uint32_t heap_take(void)
{
	uint32_t least = heap[0], last = heap[--heap_size], at = 0, child;

	while ((child = 2 * at + 1) < heap_size) {
		child += child + 1 < heap_size && heap[child + 1] < heap[child];
		if (heap[child] >= last)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return least;
}

static uint32_t operate(uint32_t sum)
{
	uint32_t key = next_random() % (2 * NODES);
	struct node *n = tree_take(key);

	if (n) {
		sum += n->hits;
		n->right = unused;
		unused = n;
	} else if (unused) {
		n = unused;
		unused = n->right;
		*n = (struct node){ .key = key, .priority = next_random(), .hits = sum & 7 };
		tree_insert(n);
	}
	sum += list_find(key % LIST);
	sum ^= ring[ring_at];
	ring[ring_at] = key;
	ring_at = (ring_at + 1) % RING;
	if (heap_size < NODES / 2)
		heap_put(key);
	else
		sum += heap_take() + heap_take();
	return sum * 31 + 1;
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t sum = 0;

	for (unsigned i = 0; i < NODES; i++) {
		struct node **to = i < LIST ? &list : &unused, *n = &pool[i * 389 % NODES];

		*n = (struct node){ .right = *to, .key = i };
		*to = n;
	}
	for (unsigned long i = 0; i < factor * OPERATIONS; i++)
		sum = operate(sum);
	printf("containers %08" PRIx32 "\n", sum);
	return 0;
}
