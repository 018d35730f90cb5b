// SPDX-License-Identifier: MIT
#include "producer/wave/scan.h"

uint64_t pmk_wave_lines(const char *p, size_t n)
{
	uint64_t lines = 0;

	while (n--)
		lines += *p++ == '\n';
	return lines;
}

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

/*
 * Writes the positions of a window's set bits. Their number is unpredictable for a processor, so
 * WAVE_EXTRAS positions are always written, valid or not.
 */
static inline unsigned write_positions(uint64_t bits, size_t at, uint16_t *to)
{
	unsigned n = count_bits(bits);

	for (unsigned i = 0; i < WAVE_EXTRAS; i++) {
		to[i] = (uint16_t)(at + first_bit(bits));
		bits &= bits - 1;
	}
	for (unsigned i = WAVE_EXTRAS; __builtin_expect(i < n, 0); i++) {
		to[i] = (uint16_t)(at + first_bit(bits));
		bits &= bits - 1;
	}
	return n;
}

unsigned pmk_wave_plain_lines(const char *p, size_t n, uint16_t end[WAVE_LINES + WAVE_EXTRAS])
{
	/*
	 * The state at the start of a window. `begin` is 1 if a line begins there. `value` is 1 if
	 * the first word of a line like "b1010 !" has reached the end of the window before.
	 */
	uint64_t begin = 1, value = 0;
	unsigned found = 0;

	for (size_t at = 0; at < n; at += WAVE_WINDOW) {
		struct wave_marks m = wave_marks(p + at);
		uint64_t begins = m.ends << 1 | begin, ends = m.ends, after, wrong;

		if (n - at < WAVE_WINDOW)
			ends &= (UINT64_C(1) << (n - at)) - 1;
		begin = m.ends >> 63;
		/*
		 * Adding the first bit of a word to all its bits carries to the character after it.
		 */
		value = __builtin_add_overflow(begins & m.letters & ~m.odd, value, &after);
		value |= __builtin_add_overflow(after, ~m.odd, &after);
		wrong = m.odd & ~m.ends & ~after;
		if (wrong)
			ends &= (wrong & -wrong) - 1;
		found += write_positions(ends, at, end + found);
		if (wrong)
			break;
	}
	return found;
}
