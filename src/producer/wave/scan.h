/* SPDX-License-Identifier: MIT */
/*
 * Words and digits of a dump's text, many bytes at a time.
 *
 * A dump is short words of unforeseeable lengths. A loop over their bytes costs a branch that the
 * processor predicts wrongly at the end of most of them, and one of these takes as long as looking
 * at the next 64 bytes without any branch. So what is here computes positions instead of looking
 * for them. A byte is a blank if it is not above ' ': control characters are blanks, too.
 *
 * Everything reads behind the word it is asked about, or before it: WAVE_SLACK bytes behind the
 * text and WAVE_FRONT before it are readable.
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
#define WAVE_FRONT  16

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

/* The same of two bytes. */
static inline unsigned wave_half(const char *p)
{
	return (unsigned char)p[0] | (unsigned)(unsigned char)p[1] << 8;
}

/* The highest bits of the bytes of a word, the first the lowest. */
static inline uint64_t wave_top_bits(uint64_t w)
{
	/* The multiplication moves the bit of byte i, which is bit 8 i, to bit 56 + i. */
	return ((w >> 7 & WAVE_EACH(1)) * UINT64_C(0x0102040810204080)) >> 56;
}

/* The blanks among eight printable characters and blanks, as the highest bit of each. The byte
 * behind one that is neither may be taken for no blank. */
static inline uint64_t wave_blanks_in(uint64_t word)
{
	return ~(word + WAVE_EACH(0x7f - ' ')) & WAVE_EACH(0x80);
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

		all |= wave_top_bits(~above) << i;
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

/* What has to be known of 64 bytes to find plain lines: bit i stands for p[i]. */
struct wave_marks {
	uint64_t ends;	  /* line ends */
	uint64_t odd;	  /* all that is not printable ASCII: ends and blanks, too */
	uint64_t letters; /* bit 6 is set: of printable ASCII, letters, but no digits, '#' or '$' */
};

/* On any processor. */
static inline struct wave_marks wave_marks_plain(const char *p)
{
	struct wave_marks m = { .ends = 0 };

	for (unsigned i = 0; i < WAVE_WINDOW; i += 8) {
		uint64_t w = wave_word(p + i), low = w & WAVE_EACH(0x7f);
		uint64_t end = low ^ WAVE_EACH('\n');
		/* The highest bits of bytes, as above. */
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
	/* Bytes are compared as signed ones. So 0x7f becomes the least of them, and those from 0x80
	 * on are below those that are printable anyway; 0xff becomes 0. */
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

/* Where a character is among the 64 bytes from p on. */
static inline uint64_t wave_equal(const char *p, char c)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < WAVE_WINDOW; i += 8) {
		uint64_t w = wave_word(p + i) ^ WAVE_EACH((unsigned char)c);
		uint64_t differs = ((w & WAVE_EACH(0x7f)) + WAVE_EACH(0x7f)) | w;

		all |= wave_top_bits(~differs) << i;
	}
	return all;
}

/*
 * A plain line is one word, and if that begins with a letter, there may be one blank and a second
 * word behind it. All of it is printable ASCII. With `returns`, each of them ends with a carriage
 * return, and there is none elsewhere.
 *
 * Find the ends of the lines from p on, until n bytes are over or a line is not plain; p is where a
 * line begins. Returns how many there are. n is at most WAVE_LINES.
 */
#define WAVE_LINES  2048
#define WAVE_EXTRAS 8 /* that are written behind the last one */
unsigned pmk_wave_plain_lines(const char *p, size_t n, bool returns,
			      uint16_t end[WAVE_LINES + WAVE_EXTRAS]);
/* The same without what only newer processors have. */
unsigned pmk_wave_plain_lines_any(const char *p, size_t n, bool returns,
				  uint16_t end[WAVE_LINES + WAVE_EXTRAS]);

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

/* The n highest bytes of a word, or the n lowest. Tables, because x86 takes three steps for a shift
 * by a variable. */
extern const uint64_t pmk_wave_high_bytes[9], pmk_wave_low_bytes[9];

/* The value of eight bytes 0 and 1, the first the highest: the multiplication moves bit 8 i, which
 * is that of byte i, to bit 63 - i. */
static inline uint64_t wave_gather(uint64_t digits)
{
	return (digits * UINT64_C(0x8040201008040201)) >> 56;
}

/*
 * The value of 1 to 64 digits 0 and 1, the highest first, that end before `end`. False when there
 * is another digit among them.
 */
static inline bool wave_binary(const char *end, size_t n, uint64_t *value)
{
	/* Digits are bytes 0 and 1 after the exclusive or. */
	uint64_t last = wave_word(end - 8) ^ WAVE_EACH('0'), odd, bits;
	const char *p;

	if (n <= 8) {
		last &= pmk_wave_high_bytes[n];
		*value = wave_gather(last);
		return !(last & ~WAVE_EACH(1));
	}
	/* The first ones, as many as are beside eights, and then those. */
	p = end - n + (n - 1) % 8 + 1;
	odd = (wave_word(p - 8) ^ WAVE_EACH('0')) & pmk_wave_high_bytes[(n - 1) % 8 + 1];
	bits = wave_gather(odd);
	for (; p < end - 8; p += 8) {
		uint64_t w = wave_word(p) ^ WAVE_EACH('0');

		odd |= w;
		bits = bits << 8 | wave_gather(w);
	}
	*value = bits << 8 | wave_gather(last);
	return !((odd | last) & ~WAVE_EACH(1));
}

/* The number of 1 to 8 decimal digits that end before `end`. False when there is another one among
 * them. */
static inline bool wave_decimal8(const char *end, size_t n, uint64_t *value)
{
	/* Digits are bytes 0 to 9 after the exclusive or, and 0 before the first one. */
	uint64_t w = (wave_word(end - 8) ^ WAVE_EACH('0')) & pmk_wave_high_bytes[n];
	bool odd = ((w | (w + WAVE_EACH(0x7f - 9))) & WAVE_EACH(0x80)) != 0;

	/* Pairs, pairs of those, and pairs of those again; what is first is the lower part. */
	w = (w * (1 + (10 << 8))) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
	w = (w * (1 + (100 << 16))) >> 16 & UINT64_C(0x0000ffff0000ffff);
	*value = (w * (1 + (UINT64_C(10000) << 32))) >> 32;
	return !odd;
}

/* The same of 1 to 16. */
static inline bool wave_decimal(const char *end, size_t n, uint64_t *value)
{
	uint64_t high = 0, low;
	bool ok = wave_decimal8(end, n < 8 ? n : 8, &low);

	if (n > 8)
		ok &= wave_decimal8(end - 8, n - 8, &high);
	*value = high * 100000000 + low;
	return ok;
}

/* Line ends among n bytes. Nothing behind them is read. */
uint64_t pmk_wave_lines(const char *p, size_t n);

#endif
