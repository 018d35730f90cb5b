/* SPDX-License-Identifier: MIT */
/*
 * Words and digits of a dump's text, many bytes at a time.
 *
 * A dump consists of short words of unpredictable lengths. A loop over their bytes has a
 * mispredicted branch at the end of most words, which costs as much as processing the next 64 bytes
 * without branches. So the functions here compute positions without branches. A byte is a blank if
 * it is not above ' ': control characters are blanks, too.
 *
 * These functions read beyond the ends of a word: WAVE_SLACK bytes after the text and WAVE_FRONT
 * bytes before it must be readable.
 */
#ifndef PMK_PRODUCER_WAVE_SCAN_H
#define PMK_PRODUCER_WAVE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define WAVE_WINDOW 64 /* bytes that wave_blanks() processes */
#define WAVE_SLACK  WAVE_WINDOW
#define WAVE_FRONT  16

/* A word that has `byte` in each of its eight bytes. */
#define WAVE_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Loads eight bytes, the first as the lowest. */
static inline uint64_t wave_word(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* Loads two bytes, the first as the lowest. */
static inline unsigned wave_half(const char *p)
{
	return (unsigned char)p[0] | (unsigned)(unsigned char)p[1] << 8;
}

/* Returns the highest bit of each byte of a word, the first byte as the lowest bit. */
static inline uint64_t wave_top_bits(uint64_t w)
{
	/* The multiplication moves the bit of byte i, which is bit 8 i, to bit 56 + i. */
	return ((w >> 7 & WAVE_EACH(1)) * UINT64_C(0x0102040810204080)) >> 56;
}

/*
 * Returns a mask with the top bit set in each of the eight bytes that is a blank. If a byte is not
 * ASCII, the result for the byte after it may be wrong.
 */
static inline uint64_t wave_blanks_in(uint64_t word)
{
	return ~(word + WAVE_EACH(0x7f - ' ')) & WAVE_EACH(0x80);
}

/* Returns the blanks among the 64 bytes from p: bit i is set if p[i] is a blank. */
static inline uint64_t wave_blanks(const char *p)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < WAVE_WINDOW; i += 8) {
		uint64_t w = wave_word(p + i);
		/*
		 * The highest bit of a byte above ' ' becomes 1: either it was set, or the addition
		 * carries into it. There is no carry into the next byte.
		 */
		uint64_t above = ((w & WAVE_EACH(0x7f)) + WAVE_EACH(0x7f - ' ')) | w;

		all |= wave_top_bits(~above) << i;
	}
	return all;
}

/* Properties of 64 bytes that are needed to find plain lines: bit i is for p[i]. */
struct wave_marks {
	uint64_t ends; /* line ends */
	uint64_t odd;  /* all bytes except printable ASCII, so also line ends and blanks */
	/* bytes with bit 6 set: of printable ASCII the letters, but no digits, '#' or '$' */
	uint64_t letters;
};

/* Finds the properties of the 64 bytes from p on, with portable code. */
static inline struct wave_marks wave_marks_plain(const char *p)
{
	struct wave_marks m = { .ends = 0 };

	for (unsigned i = 0; i < WAVE_WINDOW; i += 8) {
		uint64_t w = wave_word(p + i), low = w & WAVE_EACH(0x7f);
		uint64_t end = low ^ WAVE_EACH('\n');
		/* The highest bit of each byte, as in wave_blanks(). */
		uint64_t not_end = (end + WAVE_EACH(0x7f)) | w;
		uint64_t printable = (low + WAVE_EACH(0x7f - ' ')) & ~(low + WAVE_EACH(1)) & ~w;

		m.ends |= wave_top_bits(~not_end) << i;
		m.odd |= wave_top_bits(~printable) << i;
		m.letters |= wave_top_bits(w << 1) << i;
	}
	return m;
}

#ifdef __SSE2__

static inline struct wave_marks wave_marks16(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p);
	/*
	 * Bytes are compared as signed numbers. Adding 1 makes 0x7f the smallest byte, bytes from
	 * 0x80 on are below the printable ones anyway, and 0xff becomes 0.
	 */
	__m128i next = _mm_add_epi8(v, _mm_set1_epi8(1));
	__m128i odd = _mm_cmpgt_epi8(_mm_set1_epi8(' ' + 2), next);

	return (struct wave_marks){
		.ends = (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))),
		.odd = (uint64_t)_mm_movemask_epi8(odd),
		.letters = (uint64_t)_mm_movemask_epi8(_mm_add_epi8(v, v)),
	};
}

static inline struct wave_marks wave_marks(const char *p)
{
	struct wave_marks m = { .ends = 0 };

	for (unsigned i = 0; i < WAVE_WINDOW; i += 16) {
		struct wave_marks part = wave_marks16(p + i);

		m.ends |= part.ends << i;
		m.odd |= part.odd << i;
		m.letters |= part.letters << i;
	}
	return m;
}

#else

static inline struct wave_marks wave_marks(const char *p)
{
	return wave_marks_plain(p);
}

#endif

/*
 * A plain line is one word of printable ASCII. If the word begins with a letter, one blank and a
 * second word may follow.
 *
 * Finds the ends of lines from p, which must be the beginning of a line, until n bytes are over or
 * a line is not plain. Returns the number of lines. n is at most WAVE_LINES.
 */
#define WAVE_LINES  2048
#define WAVE_EXTRAS 8 /* entries that may be written after the last line end */
unsigned pmk_wave_plain_lines(const char *p, size_t n, uint16_t end[WAVE_LINES + WAVE_EXTRAS]);

/* Returns the remaining length of the word at p. A blank must follow somewhere. */
static inline size_t wave_length(const char *p)
{
	uint64_t at = wave_blanks(p);
	size_t n = 0;

	while (!at) {
		n += WAVE_WINDOW;
		at = wave_blanks(p + n);
	}
	return n + (size_t)__builtin_ctzll(at);
}

/* Returns a mask of the n lowest or highest bytes of a word; n is at most 8. */
static inline uint64_t wave_low_bytes(size_t n)
{
	return n ? UINT64_MAX >> (64 - 8 * n) : 0;
}

static inline uint64_t wave_high_bytes(size_t n)
{
	return n ? UINT64_MAX << (64 - 8 * n) : 0;
}

/*
 * Packs eight bytes of value 0 or 1 into bits, the first byte as the highest bit. The
 * multiplication moves bit 8 i, from byte i, to bit 63 - i.
 */
static inline uint64_t wave_gather(uint64_t digits)
{
	return (digits * UINT64_C(0x8040201008040201)) >> 56;
}

/*
 * Reads 1 to 64 binary digits, the highest first, that end before `end`. Returns false if a digit
 * is not 0 or 1.
 */
static inline bool wave_binary(const char *end, size_t n, uint64_t *value)
{
	/* The exclusive or turns the digits into bytes of value 0 and 1. */
	uint64_t last = wave_word(end - 8) ^ WAVE_EACH('0'), odd, bits;
	const char *p;

	if (n <= 8) {
		last &= wave_high_bytes(n);
		*value = wave_gather(last);
		return !(last & ~WAVE_EACH(1));
	}
	/* Start with the odd digits, so that groups of eight remain. */
	p = end - n + (n - 1) % 8 + 1;
	odd = (wave_word(p - 8) ^ WAVE_EACH('0')) & wave_high_bytes((n - 1) % 8 + 1);
	bits = wave_gather(odd);
	for (; p < end - 8; p += 8) {
		uint64_t w = wave_word(p) ^ WAVE_EACH('0');

		odd |= w;
		bits = bits << 8 | wave_gather(w);
	}
	*value = bits << 8 | wave_gather(last);
	return !((odd | last) & ~WAVE_EACH(1));
}

/* Counts the line ends among n bytes. Reads nothing after them. */
uint64_t pmk_wave_lines(const char *p, size_t n);

#endif
