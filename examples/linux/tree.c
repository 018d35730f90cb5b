// SPDX-License-Identifier: MIT
/*
 * A small program whose calls are worth looking at: it reads numbers from a text, keeps them in an
 * unbalanced tree, and looks up names in it.
 *
 *	arm-linux-gnueabi-gcc -g -O1 -fno-inline -static -o tree examples/linux/tree.c
 *	pmk record -g ./tree
 *	pmk report --html tree.html
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	4
#define NUMBERS 2500
#define TEXT	(NUMBERS * 11 + 1)

struct node {
	struct node *left, *right;
	unsigned long key;
	char name[24];
};

static unsigned next_random(unsigned *seed)
{
	return *seed = *seed * 1103515245U + 12345U;
}

static void write_numbers(char *text, unsigned *seed)
{
	for (int i = 0; i < NUMBERS; i++)
		text += sprintf(text, "%u,", next_random(seed));
}

static struct node *new_node(unsigned long key)
{
	struct node *n = calloc(1, sizeof(*n));

	if (!n)
		exit(1);
	n->key = key;
	snprintf(n->name, sizeof(n->name), "item-%lu", key % 1000);
	return n;
}

static struct node *insert(struct node *n, unsigned long key)
{
	if (!n)
		return new_node(key);
	if (key < n->key)
		n->left = insert(n->left, key);
	else
		n->right = insert(n->right, key);
	return n;
}

static struct node *read_numbers(struct node *root, char *text)
{
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
		root = insert(root, strtoul(word, NULL, 10));
	return root;
}

static unsigned long count_names(const struct node *n, const char *part)
{
	if (!n)
		return 0;
	return count_names(n->left, part) + (strstr(n->name, part) != NULL) +
	       count_names(n->right, part);
}

int main(void)
{
	static char text[TEXT];
	struct node *root = NULL;
	unsigned seed = 1;

	for (int i = 0; i < ROUNDS; i++) {
		write_numbers(text, &seed);
		root = read_numbers(root, text);
		printf("%lu names with a 7\n", count_names(root, "7"));
	}
	return 0;
}
