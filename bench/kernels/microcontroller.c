/* SPDX-License-Identifier: MIT */
/*
 * Work that Embench's programs of the same name do, for a Cortex-M without a C library. The command
 * line comes from semihosting.
 *
 *   microcontroller crc32 TIMES
 *   microcontroller matmult TIMES
 */
#include <stddef.h>
#include <stdint.h>

enum { GET_COMMAND_LINE = 0x15, EXIT_EXTENDED = 0x20, EXITED = 0x20026 };

static void semihost(uint32_t call, void *block)
{
	register uint32_t r0 __asm__("r0") = call;
	register void *r1 __asm__("r1") = block;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void *memcpy(void *to, const void *from, size_t bytes)
{
	const uint32_t *f = from;
	uint32_t *t = to;

	for (; bytes >= 32; bytes -= 32, t += 8, f += 8) {
		t[0] = f[0], t[1] = f[1], t[2] = f[2], t[3] = f[3];
		t[4] = f[4], t[5] = f[5], t[6] = f[6], t[7] = f[7];
	}
	return to;
}

/* ---- checksums of random bytes --------------------------------------------------------------- */

static uint32_t table[256];
static uint32_t seed;

static void fill_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t sum = i;

		for (int k = 0; k < 8; k++)
			sum = sum & 1 ? UINT32_C(0xedb88320) ^ sum >> 1 : sum >> 1;
		table[i] = sum;
	}
}

/* In Embench this function is in another file, so callers cannot be optimised for it. `noipa` has
 * the same effect. */
static int __attribute__((noipa)) next_random(void)
{
	seed = (seed * UINT32_C(1103515245) + 12345) & 0x7fffffff;
	return (int)(seed >> 16);
}

static uint32_t __attribute__((noipa)) sum_bytes(void)
{
	uint32_t sum = UINT32_MAX;

	for (int i = 0; i < 1024; i++)
		sum = table[(sum ^ (uint8_t)next_random()) & 0xff] ^ sum >> 8;
	return ~sum;
}

static int crc32(unsigned times)
{
	uint32_t sum = 0;

	fill_table();
	while (times--) {
		seed = 0;
		sum = sum_bytes();
	}
	return sum % 32768 == 11433 ? 0 : 1;
}

/* ---- a product of matrices ------------------------------------------------------------------- */

enum { SIDE = 20 };
typedef long matrix[SIDE][SIDE];
matrix left_kept, left, right_kept, right, result;

static void __attribute__((noipa)) multiply(matrix a, matrix b, matrix c)
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			c[i][k] = 0;
			for (int j = 0; j < SIDE; j++)
				c[i][k] += a[i][j] * b[j][k];
		}
}

static int matmult(unsigned times)
{
	long number = 0;

	for (int i = 0; i < SIDE * SIDE; i++)
		left_kept[i / SIDE][i % SIDE] = number = (number * 133 + 81) % 8095;
	for (int i = 0; i < SIDE * SIDE; i++)
		right_kept[i / SIDE][i % SIDE] = number = (number * 133 + 81) % 8095;
	while (times--) {
		memcpy(left, left_kept, sizeof(left));
		memcpy(right, right_kept, sizeof(right));
		multiply(left, right, result);
	}
	return result[0][0] == 291018000 ? 0 : 1;
}

/* ---- start ----------------------------------------------------------------------------------- */

static char line[256];

/* Returns the number after the last space of the command line. */
static unsigned last_number(void)
{
	unsigned n = 0;

	for (const char *c = line; *c; c++)
		n = *c == ' ' ? 0 : n * 10 + (unsigned)(*c - '0');
	return n;
}

static char first_letter(void)
{
	const char *c = line;

	while (*c && *c != ' ')
		c++;
	return *c ? c[1] : '\0';
}

static void reset(void)
{
	struct {
		char *to;
		uint32_t size;
	} get = { line, sizeof(line) };
	uint32_t leave[2] = { EXITED, 2 };

	semihost(GET_COMMAND_LINE, &get);
	if (first_letter() == 'c')
		leave[1] = (uint32_t)crc32(last_number());
	else if (first_letter() == 'm')
		leave[1] = (uint32_t)matmult(last_number());
	semihost(EXIT_EXTENDED, leave);
	for (;;)
		;
}

__attribute__((section(".vectors"), used)) static const void *const vectors[4] = {
	(void *)0x20008000, (void *)reset, (void *)reset, (void *)reset
};
