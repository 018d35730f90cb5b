// SPDX-License-Identifier: MIT
/*
 * Arithmetic that a small core leaves to libgcc: products, quotients, shifts, 64 bits, floating
 * point. Prints the same on every machine.
 *
 * What QEMU 7.2 gets wrong in the floating point unit is left out: >= and <= of floats (fcmp.ge and
 * fcmp.le take their operands in the opposite order of fcmp.gt and fcmp.lt), and the int of a float
 * with a fraction (fint rounds where C truncates).
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

static const uint32_t number[] = { 1, 2, 7, 31, 1000, 65537, 0x7fffffff, 0x80000001, 0xfffffffb };

enum { NUMBERS = sizeof(number) / sizeof(number[0]) };

static uint32_t sum;

static void take(uint32_t value)
{
	sum = (sum << 5 | sum >> 27) ^ value;
}

static void words(uint32_t a, uint32_t b)
{
	take(a * b);
	take(a / b);
	take(a % b);
	take((uint32_t)((int32_t)a / (int32_t)b));
	take((uint32_t)((int32_t)a % (int32_t)b));
	take(a << (b & 31));
	take(a >> (b & 31));
	take((uint32_t)((int32_t)a >> (b & 31)));
	take(a == b ? 32 : (uint32_t)__builtin_clz(a ^ b));
	take(__builtin_bswap32(a));
}

static void longs(uint64_t a, uint64_t b)
{
	uint64_t all = (a * b) ^ (a / b) ^ (a % b) ^ (uint64_t)((int64_t)a / (int64_t)b) ^
		       a << (b & 63) ^ a >> (b & 63) ^ (uint64_t)((int64_t)a >> (b & 63));

	take((uint32_t)all);
	take((uint32_t)(all >> 32));
}

/* Operands of at most 24 bits, which a float holds. */
static void floats(float a, float b)
{
	union {
		float value;
		uint32_t bits;
	} x[] = { { a + b }, { a - b }, { a * b }, { a / b } };

	for (int i = 0; i < 4; i++)
		take(x[i].bits);
	take((uint32_t)(a < b) | (uint32_t)(a == b) << 1 | (uint32_t)(a > b) << 2);
	take((uint32_t)(int32_t)(a * 4));
}

static void doubles(double a, double b)
{
	union {
		double value;
		uint64_t bits;
	} x[] = { { a + b }, { a - b }, { a * b }, { a / b } };

	for (int i = 0; i < 4; i++) {
		take((uint32_t)x[i].bits);
		take((uint32_t)(x[i].bits >> 32));
	}
	take((uint32_t)(a > b));
}

static void show(const char *what)
{
	printf("%s %08" PRIx32 "\n", what, sum);
	sum = 0;
}

int main(void)
{
	for (int i = 0; i < NUMBERS * NUMBERS; i++)
		words(number[i / NUMBERS], number[i % NUMBERS]);
	show("words");
	for (int i = 0; i < NUMBERS * NUMBERS; i++)
		longs((uint64_t)number[i / NUMBERS] * 3000000019u,
		      number[i % NUMBERS] * UINT64_C(65539));
	show("longs");
	for (int i = 0; i < NUMBERS * NUMBERS; i++)
		floats((float)((int32_t)number[i / NUMBERS] >> 8 | 1),
		       (float)((int32_t)number[i % NUMBERS] >> 8 | 1));
	show("floats");
	for (int i = 0; i < NUMBERS * NUMBERS; i++)
		doubles((int32_t)number[i / NUMBERS], number[i % NUMBERS]);
	show("doubles");
	return 0;
}
