/* SPDX-License-Identifier: MIT */
/*
 * Words and digits of a dump's text, many bytes at a time.
 *
 * A dump is short words of unforeseeable lengths. A loop over their bytes costs a branch that the
 * processor predicts wrongly at the end of most of them, and one of these takes as long as looking
 * at the next 64 bytes without any branch. So what is here computes positions instead of looking
 * for them. A byte is a blank if it is not above ' ': control characters are blanks, too.
 *
 * Everything reads behind the word it is asked about: WAVE_SLACK bytes behind the text are
 * readable.
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

#define WAVE_WINDOW 64 /* bytes that wave_blanks() looks at */
#define WAVE_SLACK  WAVE_WINDOW

/* The same byte eight times. */
#define WAVE_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight bytes, the first the lowest. */
static inline uint64_t wave_word(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* The blanks among the 64 bytes from p on: bit i is set if p[i] is one. On any processor. */
static inline uint64_t wave_blanks_plain(const char *p)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < WAVE_WINDOW; i += 8) {
		uint64_t w = wave_word(p + i);
		/* The highest bit of a byte that is above ' ': either it was set, or the addition
		 * carries into it. Nothing carries into the next byte. */
		uint64_t above = ((w & WAVE_EACH(0x7f)) + WAVE_EACH(0x7f - ' ')) | w;
		uint64_t blank = ~above >> 7 & WAVE_EACH(1);

		/* The multiplication moves the bit of byte i, which is bit 8 i, to bit 56 + i. */
		all |= (blank * UINT64_C(0x0102040810204080)) >> 56 << i;
	}
	return all;
}

#ifdef __SSE2__

static inline uint64_t wave_blanks16(const char *p)
{
	const __m128i space = _mm_set1_epi8(' ');
	__m128i v = _mm_loadu_si128((const __m128i *)p);

	/* Bytes are compared as signed ones, and those from 0x80 on would be blanks; the minimum
	 * is of unsigned ones. */
	return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, space), v));
}

/* The same with the vectors that every x86-64 has, in a quarter of the instructions. */
static inline uint64_t wave_blanks(const char *p)
{
	return wave_blanks16(p) | wave_blanks16(p + 16) << 16 | wave_blanks16(p + 32) << 32 |
	       wave_blanks16(p + 48) << 48;
}

#else

static inline uint64_t wave_blanks(const char *p)
{
	return wave_blanks_plain(p);
}

#endif

/* The length of the word that goes on at p. A blank has to follow somewhere. */
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

/*
 * The value of 1 to 64 digits 0 and 1, the highest first. False when there is another digit among
 * them.
 */
static inline bool wave_binary(const char *p, size_t n, uint64_t *value)
{
	uint64_t bits = 0, odd = 0;

	for (;;) {
		unsigned take = n < 8 ? (unsigned)n : 8;
		/* What is behind the last digit is shifted out. The bytes that come in at the
		 * other end are 0, which is a digit 0 after the exclusive or. */
		uint64_t w = (wave_word(p) ^ WAVE_EACH('0')) << (64 - 8 * take);

		odd |= w & ~WAVE_EACH(1);
		/* The multiplication moves bit 8 i, which is the digit of byte i, to bit 63 - i. */
		bits = bits << take | ((w & WAVE_EACH(1)) * UINT64_C(0x8040201008040201)) >> 56;
		if (n <= 8)
			break;
		n -= 8;
		p += 8;
	}
	*value = bits;
	return !odd;
}

/* Line ends among n bytes. Nothing behind them is read. */
uint64_t pmk_wave_lines(const char *p, size_t n);

#endif
