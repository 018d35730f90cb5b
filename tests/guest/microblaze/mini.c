// SPDX-License-Identifier: MIT
/*
 * See mini.h. Short rather than fast: copies go byte by byte, qsort is a heapsort, and malloc keeps
 * a list of free blocks for each power of two and gives nothing back.
 */
#include "mini.h"

#include <stdarg.h>
#include <stdbool.h>

#include "sys.h"

/* The compiler must not turn a loop that copies into a call of the function that the loop is in. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

/* ---- memory and strings ---------------------------------------------------------------------- */

void *memcpy(void *to, const void *from, size_t bytes)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	while (bytes--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t <= f)
		return memcpy(to, from, bytes);
	while (bytes--)
		t[bytes] = f[bytes];
	return to;
}

void *memset(void *to, int byte, size_t bytes)
{
	unsigned char *t = to;

	while (bytes--)
		*t++ = (unsigned char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	const unsigned char *x = a, *y = b;

	for (; bytes; bytes--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return (size_t)(end - s);
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

char *strcpy(char *to, const char *from)
{
	return memcpy(to, from, strlen(from) + 1);
}

static bool is_one_of(char c, const char *set)
{
	while (*set && *set != c)
		set++;
	return *set && c;
}

char *strtok(char *text, const char *separators)
{
	static char *rest;
	char *word = text ? text : rest;

	while (is_one_of(*word, separators))
		word++;
	rest = word;
	while (*rest && !is_one_of(*rest, separators))
		rest++;
	if (*rest)
		*rest++ = '\0';
	return *word ? word : NULL;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' - 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

unsigned long strtoul(const char *text, char **end, int base)
{
	unsigned long value = 0;

	if ((base == 0 || base == 16) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		text += 2;
		base = 16;
	}
	if (base == 0)
		base = text[0] == '0' ? 8 : 10;
	for (; digit(*text) < base; text++)
		value = value * (unsigned long)base + (unsigned long)digit(*text);
	if (end)
		*end = (char *)text;
	return value;
}

/* ---- output ---------------------------------------------------------------------------------- */

struct text {
	char *at, *end;
};

static void put(struct text *t, char c)
{
	if (t->at < t->end)
		*t->at++ = c;
}

static void put_number(struct text *t, unsigned long value, unsigned base, char fill, int width)
{
	char digits[12];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	for (int i = n; i < width; i++)
		put(t, fill);
	while (n)
		put(t, digits[--n]);
}

static void put_signed(struct text *t, long value, char fill, int width)
{
	if (value < 0) {
		put(t, '-');
		value = -value;
		width--;
	}
	put_number(t, (unsigned long)value, 10, fill, width);
}

int printf(const char *format, ...)
{
	char line[256];
	struct text t = { line, line + sizeof(line) };
	va_list args;

	va_start(args, format);
	for (const char *f = format; *f; f++) {
		char fill = ' ';
		int width = 0;

		if (*f != '%') {
			put(&t, *f);
			continue;
		}
		if (*++f == '0')
			fill = *f++;
		for (; digit(*f) < 10; f++)
			width = width * 10 + digit(*f);
		if (*f == 'l') /* as wide as an int */
			f++;
		switch (*f) {
		case 'c':
			put(&t, (char)va_arg(args, int));
			break;
		case 's':
			for (const char *s = va_arg(args, const char *); *s; s++)
				put(&t, *s);
			break;
		case 'd':
		case 'i':
			put_signed(&t, va_arg(args, long), fill, width);
			break;
		case 'u':
			put_number(&t, va_arg(args, unsigned long), 10, fill, width);
			break;
		case 'x':
			put_number(&t, va_arg(args, unsigned long), 16, fill, width);
			break;
		default:
			put(&t, *f);
		}
	}
	va_end(args);
	return (int)sys_write(1, line, (unsigned long)(t.at - line));
}

int fputs(const char *text, FILE *to)
{
	return (int)sys_write((int)(intptr_t)to, text, strlen(text));
}

int puts(const char *text)
{
	return printf("%s\n", text);
}

int putchar(int c)
{
	char byte = (char)c;

	sys_write(1, &byte, 1);
	return c;
}

/* ---- sorting --------------------------------------------------------------------------------- */

struct heap {
	char *base;
	size_t bytes;
	int (*compare)(const void *, const void *);
};

static void swap(char *a, char *b, size_t bytes)
{
	for (; bytes; bytes--, a++, b++) {
		char t = *a;

		*a = *b;
		*b = t;
	}
}

static void sift(const struct heap *h, size_t at, size_t count)
{
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		char *c = h->base + child * h->bytes;

		if (child + 1 < count && h->compare(c, c + h->bytes) < 0) {
			child++;
			c += h->bytes;
		}
		if (h->compare(h->base + at * h->bytes, c) >= 0)
			return;
		swap(h->base + at * h->bytes, c, h->bytes);
	}
}

void qsort(void *array, size_t count, size_t bytes, int (*compare)(const void *, const void *))
{
	struct heap h = { array, bytes, compare };

	for (size_t at = count / 2; at--;)
		sift(&h, at, count);
	while (count > 1) {
		count--;
		swap(h.base, h.base + count * bytes, bytes);
		sift(&h, 0, count);
	}
}

/* ---- the heap -------------------------------------------------------------------------------- */

/* In front of what malloc returns, which is thus aligned to eight bytes. */
struct block {
	struct block *next;
	uint32_t log2;
};

enum { SMALLEST = 4, LARGEST = 28, AT_ONCE = 0x10000 };

static struct block *unused[LARGEST + 1];

/* Memory from the kernel, never given back. */
static void *more(size_t bytes)
{
	static char *at, *end;
	void *new;

	if (!end)
		at = end = (char *)((sys_call3(SYS_BRK, 0, 0, 0) + 7) & ~7L);
	if (bytes > (size_t)(end - at)) {
		char *want = at + bytes + AT_ONCE;

		if ((char *)sys_call3(SYS_BRK, (long)want, 0, 0) != want)
			return NULL;
		end = want;
	}
	new = at;
	at += bytes;
	return new;
}

void *malloc(size_t bytes)
{
	uint32_t log2 = SMALLEST;
	struct block *b;

	while (log2 <= LARGEST && ((size_t)1 << log2) < bytes + sizeof(*b))
		log2++;
	if (log2 > LARGEST || bytes > (size_t)1 << LARGEST)
		return NULL;
	b = unused[log2];
	if (b)
		unused[log2] = b->next;
	else if (!(b = more((size_t)1 << log2)))
		return NULL;
	b->log2 = log2;
	return b + 1;
}

void *calloc(size_t count, size_t bytes)
{
	void *new;

	if (bytes && count > SIZE_MAX / bytes)
		return NULL;
	new = malloc(count * bytes);
	return new ? memset(new, 0, count * bytes) : NULL;
}

void free(void *block)
{
	struct block *b = block;

	if (!b)
		return;
	b--;
	b->next = unused[b->log2];
	unused[b->log2] = b;
}

void exit(int code)
{
	sys_exit(code);
}
