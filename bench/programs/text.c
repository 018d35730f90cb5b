// SPDX-License-Identifier: MIT
/*
 * Benchmark: counting words; strings, a growing hash table, one malloc per new word.
 *
 * Text with a large made-up vocabulary is produced line by line, cut into words and counted in a
 * chained hash table that doubles when it is full. At the end of a round everything is read back
 * in table order, freed, and the next round begins with an empty heap. Several MB of small heap
 * blocks in no useful order: the misses of everyday programs.
 *
 *	text [FACTOR]		FACTOR rounds of 60000 words; prints one checksum line
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_WORDS = 60000, LINE_WORDS = 12, VOCABULARY = 40000, FIRST_BUCKETS = 64 };

struct entry {
	struct entry *next;
	uint32_t hash, count;
	char word[];
};

struct table {
	struct entry **buckets;
	uint32_t size, used; /* size is a power of two */
};

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void *must(void *p)
{
	if (!p) {
		fputs("text: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

/* Spells word number n with syllables; the same number always gives the same word. */
static char *spell(char *out, uint32_t n)
{
	static const char *const syllables[] = { "ka",	"ro", "min", "tes", "u",  "val",
						 "dor", "pi", "shu", "lem", "an", "gri",
						 "bo",	"ne", "fac", "y" };

	for (n += 7; n; n >>= 4) {
		const char *s = syllables[n & 15];
		size_t length = strlen(s);

		memcpy(out, s, length);
		out += length;
	}
	return out;
}

static void make_line(char *line, uint32_t *seed)
{
	for (int i = 0; i < LINE_WORDS; i++) {
		uint32_t r = next_random(seed), n = (r >> 3) % VOCABULARY;

		/* three of four words are common ones */
		line = spell(line, r & 3 ? n % 2000 : n);
		*line++ = r & 4 ? ' ' : ',';
	}
	*line = '\0';
}

static uint32_t hash_word(const char *word)
{
	uint32_t h = UINT32_C(2166136261);

	while (*word)
		h = (h ^ (uint8_t)*word++) * UINT32_C(16777619);
	return h;
}

static void table_grow(struct table *t)
{
	uint32_t size = t->size ? t->size * 2 : FIRST_BUCKETS;
	struct entry **buckets = must(calloc(size, sizeof(struct entry *)));

	for (uint32_t i = 0; i < t->size; i++) {
		while (t->buckets[i]) {
			struct entry *e = t->buckets[i];

			t->buckets[i] = e->next;
			e->next = buckets[e->hash & (size - 1)];
			buckets[e->hash & (size - 1)] = e;
		}
	}
	free(t->buckets);
	t->buckets = buckets;
	t->size = size;
}

static void table_count(struct table *t, const char *word)
{
	uint32_t hash = hash_word(word);
	struct entry *e;

	if (t->used >= t->size)
		table_grow(t);
	for (e = t->buckets[hash & (t->size - 1)]; e; e = e->next)
		if (e->hash == hash && strcmp(e->word, word) == 0)
			break;
	if (!e) {
		e = must(malloc(sizeof(*e) + strlen(word) + 1));
		strcpy(e->word, word);
		e->hash = hash;
		e->count = 0;
		e->next = t->buckets[hash & (t->size - 1)];
		t->buckets[hash & (t->size - 1)] = e;
		t->used++;
	}
	e->count++;
}

static uint32_t table_drain(struct table *t)
{
	uint32_t sum = t->used;

	for (uint32_t i = 0; i < t->size; i++) {
		while (t->buckets[i]) {
			struct entry *e = t->buckets[i];

			/* order-free sum: chains may be reversed by growing */
			sum += e->hash * e->count + (uint8_t)e->word[0];
			t->buckets[i] = e->next;
			free(e);
		}
	}
	free(t->buckets);
	*t = (struct table){ 0 };
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long factor = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t seed = UINT32_C(521288629), sum = 0;
	struct table t = { 0 };
	char line[LINE_WORDS * 32];

	for (unsigned long round = 0; round < factor; round++) {
		for (int n = 0; n < ROUND_WORDS; n += LINE_WORDS) {
			make_line(line, &seed);
			for (char *w = strtok(line, " ,"); w; w = strtok(NULL, " ,"))
				table_count(&t, w);
		}
		sum = (sum << 1 | sum >> 31) ^ table_drain(&t);
	}
	printf("text %08" PRIx32 "\n", sum);
	return 0;
}
