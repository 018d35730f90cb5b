// SPDX-License-Identifier: MIT
#include "producer/wave/scan.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

const uint64_t pmk_wave_low_bytes[9] = {
	0,
	0xff,
	0xffff,
	0xffffff,
	0xffffffff,
	0xffffffffff,
	0xffffffffffff,
	0xffffffffffffff,
	0xffffffffffffffff,
};
const uint64_t pmk_wave_high_bytes[9] = {
	0,
	0xff00000000000000,
	0xffff000000000000,
	0xffffff0000000000,
	0xffffffff00000000,
	0xffffffffff000000,
	0xffffffffffff0000,
	0xffffffffffffff00,
	0xffffffffffffffff,
};

/* A vector type of the compiler, so that one source serves all processors. */
#define LANES 16
typedef uint8_t lanes __attribute__((vector_size(LANES)));

/* A lane is one byte, and overflows after this many lines. */
#define MOST 255

static uint64_t sum_lanes(lanes v)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < LANES; i++)
		n += v[i];
	return n;
}

uint64_t pmk_wave_lines(const char *p, size_t n)
{
	uint64_t lines = 0;

	while (n >= LANES) {
		size_t rounds = n / LANES < MOST ? n / LANES : MOST;
		lanes found = { 0 }, v;

		for (size_t i = 0; i < rounds; i++, p += LANES) {
			memcpy(&v, p, LANES);
			found -= (lanes)(v == '\n'); /* a lane that matches is -1 */
		}
		lines += sum_lanes(found);
		n -= rounds * LANES;
	}
	while (n--)
		lines += *p++ == '\n';
	return lines;
}

/* Functions for which some processors have special instructions. */
struct skills {
	struct wave_marks (*marks)(const char *p);
	unsigned (*count)(uint64_t bits); /* returns the number of bits that are set */
	/* returns the lowest set bit; anything below 256 if there is none */
	unsigned (*first)(uint64_t bits);
};

static inline unsigned count_bits(uint64_t bits)
{
	bits -= bits >> 1 & WAVE_EACH(0x55);
	bits = (bits & WAVE_EACH(0x33)) + (bits >> 2 & WAVE_EACH(0x33));
	return (unsigned)(((bits + (bits >> 4)) & WAVE_EACH(0x0f)) * WAVE_EACH(1) >> 56);
}

static inline unsigned first_bit(uint64_t bits)
{
	return (unsigned)__builtin_ctzll(bits | UINT64_C(1) << 63);
}

static const struct skills any = { wave_marks, count_bits, first_bit };

/*
 * Writes the positions of a window's set bits. Their number is unpredictable for a processor, so
 * WAVE_EXTRAS positions are always written, valid or not.
 */
static inline __attribute__((always_inline)) unsigned write_positions(const struct skills *s,
								      uint64_t bits, size_t at,
								      uint16_t *to)
{
	unsigned n = s->count(bits);

	for (unsigned i = 0; i < WAVE_EXTRAS; i++) {
		to[i] = (uint16_t)(at + s->first(bits));
		bits &= bits - 1;
	}
	for (unsigned i = WAVE_EXTRAS; __builtin_expect(i < n, 0); i++) {
		to[i] = (uint16_t)(at + s->first(bits));
		bits &= bits - 1;
	}
	return n;
}

/* See the header. Built once for each set of instructions. */
static inline __attribute__((always_inline)) unsigned plain_lines(const struct skills *s,
								  const char *p, size_t n,
								  bool returns, uint16_t *end)
{
	/*
	 * State at the start of a window. begin: a line begins here; pending: a '\r' came last, so
	 * a line end must follow; value: the first word of a value goes on.
	 */
	uint64_t begin = 1, pending = 0, value = 0;
	unsigned found = 0;

	for (size_t at = 0; at < n; at += WAVE_WINDOW) {
		struct wave_marks m = s->marks(p + at);
		uint64_t begins = m.ends << 1 | begin, ends = m.ends, after, wrong = 0;

		if (n - at < WAVE_WINDOW)
			ends &= (UINT64_C(1) << (n - at)) - 1;
		begin = m.ends >> 63;
		if (returns) {
			uint64_t r = wave_equal(p + at, '\r');

			wrong = (r << 1 | pending) ^ m.ends;
			pending = r >> 63;
			m.odd &= ~r;
		}
		/*
		 * Adding the first bit of a word to all its bits carries to the character after it.
		 */
		value = __builtin_add_overflow(begins & m.letters & ~m.odd, value, &after);
		value |= __builtin_add_overflow(after, ~m.odd, &after);
		wrong |= m.odd & ~m.ends & ~after;
		if (wrong)
			ends &= (wrong & -wrong) - 1;
		found += write_positions(s, ends, at, end + found);
		if (wrong)
			break;
	}
	return found;
}

unsigned pmk_wave_plain_lines_any(const char *p, size_t n, bool returns,
				  uint16_t end[WAVE_LINES + WAVE_EXTRAS])
{
	return returns ? plain_lines(&any, p, n, true, end) : plain_lines(&any, p, n, false, end);
}

#ifdef __x86_64__

#define NEWER __attribute__((target("avx2,bmi,popcnt")))

static inline NEWER struct wave_marks find_marks32(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)p);
	__m256i next = _mm256_add_epi8(v, _mm256_set1_epi8(1));
	__m256i odd = _mm256_cmpgt_epi8(_mm256_set1_epi8(' ' + 2), next);
	__m256i end = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n'));

	return (struct wave_marks){
		.ends = (uint32_t)_mm256_movemask_epi8(end),
		.odd = (uint32_t)_mm256_movemask_epi8(odd),
		.letters = (uint32_t)_mm256_movemask_epi8(_mm256_add_epi8(v, v)),
	};
}

static inline NEWER struct wave_marks find_marks64(const char *p)
{
	struct wave_marks low = find_marks32(p), high = find_marks32(p + 32);

	return (struct wave_marks){ .ends = low.ends | high.ends << 32,
				    .odd = low.odd | high.odd << 32,
				    .letters = low.letters | high.letters << 32 };
}

static inline NEWER unsigned count_newer(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

static inline NEWER unsigned first_newer(uint64_t bits)
{
	return (unsigned)_tzcnt_u64(bits);
}

static const struct skills newer = { find_marks64, count_newer, first_newer };

static NEWER unsigned plain_lines_newer(const char *p, size_t n, bool returns, uint16_t *end)
{
	return returns ? plain_lines(&newer, p, n, true, end)
		       : plain_lines(&newer, p, n, false, end);
}

unsigned pmk_wave_plain_lines(const char *p, size_t n, bool returns,
			      uint16_t end[WAVE_LINES + WAVE_EXTRAS])
{
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("popcnt"))
		return plain_lines_newer(p, n, returns, end);
	return pmk_wave_plain_lines_any(p, n, returns, end);
}

#else

unsigned pmk_wave_plain_lines(const char *p, size_t n, bool returns,
			      uint16_t end[WAVE_LINES + WAVE_EXTRAS])
{
	return pmk_wave_plain_lines_any(p, n, returns, end);
}

#endif
