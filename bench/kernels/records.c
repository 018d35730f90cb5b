/* SPDX-License-Identifier: MIT */
/*
 * A shop that sells its items one by one: records that are linked and copied, labels that are
 * copied and compared, small procedures with parameters by value and by address, a table, one
 * division, and hardly any loop. The work resembles Dhrystone's.
 *
 *   records TIMES
 *
 * A turn executes about as many instructions as one of Dhrystone 2.1, if GCC 12 compiles both with
 * -O2: 355 for ARMv6 and 254 for A64. So a turn's cycles can be compared with published figures: at
 * 1 DMIPS/MHz a turn takes 1,000,000 / 1757 = 569 cycles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FRUIT, BREAD, CHEESE, WINE, KINDS };

struct item {
	struct item *next;
	enum kind kind;
	int stock, price, sold;
	char label[31];
};

/* The compiler knows nothing about such a procedure when it compiles the callers. */
#define APART __attribute__((noipa))

static struct item shelf[4], counter;
static int sales[KINDS][8], income, refused, best;
static char last_sign;

APART static void add(int a, int b, int *to)
{
	*to += a + b;
}

APART static int price_of(enum kind kind, int price)
{
	switch (kind) {
	case FRUIT:
		return price;
	case BREAD:
		return price - 1;
	case CHEESE:
		return income & 1 ? price : price + 2;
	default:
		return price + 3;
	}
}

APART static char sign_of(const char *label, int place)
{
	char sign = label[place];

	if (sign != last_sign)
		last_sign = sign;
	return sign;
}

APART static int is_better(const char *a, const char *b)
{
	int place = 2;

	while (place < 3 && sign_of(a, place) != sign_of(b, place + 1))
		place++;
	return strcmp(a, b) > 0 ? place : 0;
}

APART static void book(int (*table)[8], int *row, enum kind kind, int price)
{
	int place = price & 3;

	row[place] = price;
	row[place + 1] += row[place];
	for (int i = place; i < place + 2; i++)
		table[kind][i] += i;
	table[KINDS - 1 - kind][place + 3] = row[place];
}

APART static int sell(struct item *item, int price)
{
	if (item->stock == 0) {
		refused++;
		return 0;
	}
	item->stock--;
	add(price, 1, &item->sold);
	return 1;
}

APART static struct item *turn_over(struct item *item)
{
	int price = price_of(item->kind, item->price);

	counter = *item;
	if (sell(&counter, price))
		add(price, -1, &income);
	counter.stock += counter.stock < 3 ? 40 : 0;
	*item = counter;
	return item->next;
}

int main(int argc, char **argv)
{
	char today[31] = "LABEL OF THIRTY SIGNS: FIRST..", label[31];
	struct item *item = shelf;
	unsigned mean = 0;

	if (argc != 2)
		return 2;
	long times = strtol(argv[1], NULL, 0);

	for (int i = 0; i < 4; i++) {
		shelf[i] = (struct item){ &shelf[(i + 1) % 4], (enum kind)i, 7 * i, 10 + i, 0, "" };
		strcpy(shelf[i].label, "LABEL OF AN ITEM ON THE SHELF.");
	}
	for (long n = 0; n < times; n++) {
		strcpy(label, "LABEL OF THIRTY SIGNS: OTHER..");
		best += is_better(label, today);
		book(sales, sales[item->kind], item->kind, item->price);
		if (item->kind == CHEESE)
			strcpy(label, "LABEL OF THIRTY SIGNS: THIRD..");
		item = turn_over(item);
		if (!(n & 1))
			mean = 7 * mean + (unsigned)income / (unsigned)(item->price + 3);
		refused += sign_of(label, 2) == 'A';
	}
	printf("records %u %d %d %d\n", mean, income, refused, best + sales[1][3]);
	return 0;
}
