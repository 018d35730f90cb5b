// SPDX-License-Identifier: MIT
/*
 * Hashes of what functions execute, so that a renamed or moved function can be recognised. Bits
 * that a linker changes are masked: destinations outside the function, and immediates that may be
 * part of an address.
 */
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/hash.h"
#include "profile/recording/tables.h"

#define ENOUGH \
	4 /* the minimum number of instructions: shorter functions are too similar to each
		  * other */

/* An encoding of instructions with an address. Words that are equal to `value` after masking with
 * `mask` have an address, or a part of one, in the bits of `address`. */
struct encoding {
	uint32_t mask, value, address;
	bool jump; /* mask the address only if it is outside the function */
};

static const struct encoding a64[] = {
	{ 0x7c000000, 0x14000000, 0x03ffffff, true },  /* B, BL */
	{ 0xff000010, 0x54000000, 0x00ffffe0, true },  /* B.cond */
	{ 0x7e000000, 0x34000000, 0x00ffffe0, true },  /* CBZ, CBNZ */
	{ 0x7e000000, 0x36000000, 0x0007ffe0, true },  /* TBZ, TBNZ */
	{ 0x1f000000, 0x10000000, 0x60ffffe0, false }, /* ADR, ADRP */
	{ 0x3b000000, 0x18000000, 0x00ffffe0, false }, /* LDR (literal) */
	{ 0xffc00000, 0x91000000, 0x003ffc00, false }, /* ADD (immediate) */
	{ 0x3b000000, 0x39000000, 0x003ffc00, false }, /* LDR, STR (unsigned immediate) */
	{ 0 },
};
static const struct encoding a32[] = {
	{ 0x0e000000, 0x0a000000, 0x00ffffff, true },  /* B, BL, BLX */
	{ 0x0fb00000, 0x03000000, 0x000f0fff, false }, /* MOVW, MOVT */
	{ 0x0f7f0000, 0x051f0000, 0x00800fff, false }, /* LDR (literal) */
	{ 0x0fff0000, 0x028f0000, 0x00000fff, false }, /* ADD from PC */
	{ 0x0fff0000, 0x024f0000, 0x00000fff, false }, /* SUB from PC */
	{ 0x0f3f0e00, 0x0d1f0a00, 0x008000ff, false }, /* VLDR (literal) */
	{ 0 },
};
static const struct encoding t32[] = {
	{ 0xf800d000, 0xf000d000, 0x07ff2fff, true },  /* BL */
	{ 0xf800d000, 0xf000c000, 0x07ff2fff, true },  /* BLX */
	{ 0xf800d000, 0xf0009000, 0x07ff2fff, true },  /* B.W */
	{ 0xf800d000, 0xf0008000, 0x043f2fff, true },  /* Bcond.W */
	{ 0xfb708000, 0xf2400000, 0x040f70ff, false }, /* MOVW, MOVT */
	{ 0xff7f0000, 0xf85f0000, 0x00800fff, false }, /* LDR.W (literal) */
	{ 0xfffff800, 0x00004800, 0x000000ff, false }, /* LDR (literal) */
	{ 0xfffff800, 0x0000a000, 0x000000ff, false }, /* ADR */
	{ 0xfffff800, 0x0000e000, 0x000007ff, true },  /* B */
	{ 0 },
};
static const struct encoding microblaze[] = {
	{ 0xfc000000, 0xb8000000, 0x0000ffff, true },  /* BRI */
	{ 0xfc000000, 0xbc000000, 0x0000ffff, true },  /* BEQI and other conditions */
	{ 0xfc000000, 0xb0000000, 0x0000ffff, false }, /* IMM */
	{ 0xfc000000, 0x30000000, 0x0000ffff, false }, /* ADDIK */
	{ 0xf0000000, 0xe0000000, 0x0000ffff, false }, /* loads and stores with an immediate */
	{ 0xf0000000, 0xf0000000, 0x0000ffff, false }, { 0 },
};

static const struct mode {
	const char *name;
	const struct encoding *encodings;
} modes[] = { { "a64", a64 }, { "arm", a32 }, { "thumb", t32 }, { "microblaze", microblaze } };

static const struct encoding *find_encodings(const char *mode)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]) && mode; i++)
		if (!strcmp(mode, modes[i].name))
			return modes[i].encodings;
	return NULL;
}

/* Read an instruction of n bytes. The first halfword of a wide Thumb instruction is the upper
 * one. */
static uint32_t read_word(const uint8_t *byte, int n, bool thumb, bool big_endian)
{
	uint32_t word = 0;

	for (int i = 0; i < n; i++)
		word |= (uint32_t)byte[big_endian ? n - 1 - i : i] << 8 * i;
	return thumb && n == 4 ? word << 16 | word >> 16 : word;
}

static bool stays_in_function(const struct pmk_tables *t, const struct pmk_tables_code *k)
{
	uint32_t to = k->target ? pmk_tables_code_at(t, k->object, k->target) : PMK_TABLES_NONE;

	return to != PMK_TABLES_NONE && t->code[to].function == k->function;
}

static uint32_t mask_addresses(uint32_t word, const struct encoding *e, bool inside)
{
	for (; e->mask; e++)
		if ((word & e->mask) == e->value)
			return e->jump && inside ? word : word & ~e->address;
	return word;
}

/* Store the instruction in word[i] and shape[i]. word[i] has no addresses except destinations of
 * jumps inside the function, and shape[i] has no addresses at all. Returns false at the end of the
 * table or after an error. */
static bool next_word(const struct pmk_tables *t, sqlite3_stmt *s, size_t i, uint32_t *word,
		      uint32_t *shape)
{
	const struct encoding *encodings;
	const char *mode;
	const void *bytes;
	int n;

	if (sqlite3_step(s) != SQLITE_ROW)
		return false;
	mode = (const char *)sqlite3_column_text(s, 0);
	encodings = find_encodings(mode);
	bytes = sqlite3_column_blob(s, 1);
	n = sqlite3_column_bytes(s, 1);
	shape[i] = 0;
	if (encodings && bytes && (n == 2 || n == 4)) {
		shape[i] = read_word(bytes, n, encodings == t32,
				     encodings == microblaze && sqlite3_column_int(s, 2));
		word[i] = mask_addresses(shape[i], encodings, stays_in_function(t, &t->code[i]));
		shape[i] = mask_addresses(shape[i], encodings, false);
	}
	return true;
}

static void hash_functions(const struct pmk_tables *t, const uint32_t *word, uint32_t *length,
			   uint64_t *body)
{
	for (size_t i = 0; i < t->ncodes; i++) {
		const struct pmk_tables_code *k = t->by_address[i];

		if (k->function == PMK_TABLES_NONE)
			continue;
		body[k->function] = pmk_hash_add(
			body[k->function],
			(k->address - t->function[k->function].address) << 32 | word[k - t->code]);
		length[k->function]++;
	}
	for (size_t i = 0; i < t->nfunctions; i++)
		if (length[i] < ENOUGH)
			body[i] = 0;
}

int pmk_tables_bodies(const struct pmk_tables *t, uint64_t *body, uint32_t *shape, char *msg,
		      size_t size)
{
	static const char sql[] = "SELECT mode, bytes, (SELECT value FROM meta"
				  " WHERE key = 'big_endian') FROM code ORDER BY id";
	uint32_t *word = calloc(t->ncodes + 1, sizeof(*word)),
		 *length = calloc(t->nfunctions + 1, sizeof(*length));
	sqlite3_stmt *s = NULL;
	int err = word && length ? 0 : PMK_ENOMEM;
	size_t n = 0;

	memset(body, 0, t->nfunctions * sizeof(*body));
	if (!err && sqlite3_prepare_v2(t->db, sql, -1, &s, NULL))
		err = PMK_EPARSE;
	while (!err && n < t->ncodes && next_word(t, s, n, word, shape))
		n++;
	if (!err && n < t->ncodes)
		err = PMK_EPARSE;
	if (!err)
		hash_functions(t, word, length, body);
	if (err)
		snprintf(msg, size, "%s",
			 err == PMK_ENOMEM ? pmk_strerror(err) : sqlite3_errmsg(t->db));
	sqlite3_finalize(s);
	free(word);
	free(length);
	return err;
}
