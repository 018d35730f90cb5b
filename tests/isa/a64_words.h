/* SPDX-License-Identifier: MIT */
/*
 * Words for the tests of the A64 decoder: those of insns_a64.s, and words from every encoding
 * class.
 */
#ifndef PMK_TESTS_ISA_A64_WORDS_H
#define PMK_TESTS_ISA_A64_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TOOL "aarch64-linux-gnu-"

#ifdef PMK_SOURCE_DIR
#define SOURCE PMK_SOURCE_DIR "/tests/isa/insns_a64.s"
#else
#define SOURCE "tests/isa/insns_a64.s"
#endif

/* Debian has these tools in binutils-aarch64-linux-gnu and gcc-aarch64-linux-gnu. */
static bool have_tool(const char *name)
{
	char command[100];

	snprintf(command, sizeof(command), "command -v " TOOL "%s >/dev/null", name);
	return system(command) == 0;
}

/* Assembles insns_a64.s. Returns the number of words, or 0 if it cannot be assembled. */
static size_t assembled_words(uint32_t *words, size_t most)
{
	char command[1024], object[] = P_tmpdir "/pmk-a64-XXXXXX";
	int fd = mkstemp(object);
	size_t n = 0;
	FILE *in;

	if (fd < 0)
		return 0;
	close(fd);
	snprintf(command, sizeof(command),
		 TOOL "as -o %s '" SOURCE "' && " TOOL "objcopy -O binary -j .text %s", object,
		 object);
	in = system(command) == 0 ? fopen(object, "rb") : NULL;
	for (uint8_t b[4]; in && n < most && fread(b, 1, 4, in) == 4; n++)
		words[n] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
			   (uint32_t)b[3] << 24;
	if (in)
		fclose(in);
	unlink(object);
	return n;
}

static uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16);
}

/* The encoding classes of C4.1, by their fixed bits. Opcodes, sizes and registers are not fixed. */
/* clang-format off */
static const struct {
	uint32_t mask, value;
} a64_class[] = {
	{ 0x1f000000, 0x10000000 }, /* PC-relative addressing */
	{ 0x1f800000, 0x11000000 }, /* Add/subtract (immediate) */
	{ 0x1f800000, 0x12000000 }, /* Logical (immediate) */
	{ 0x1f800000, 0x12800000 }, /* Move wide (immediate) */
	{ 0x1f800000, 0x13000000 }, /* Bitfield */
	{ 0x1f800000, 0x13800000 }, /* Extract */
	{ 0xfe000000, 0x54000000 }, /* Conditional branch (immediate) */
	{ 0xff000000, 0xd4000000 }, /* Exception generation */
	{ 0xff00001c, 0xd4000000 }, /* … with op2 = 0 */
	{ 0xfffff01f, 0xd503201f }, /* Hints */
	{ 0xfffff01f, 0xd503301f }, /* Barriers */
	{ 0xfff8f01f, 0xd500401f }, /* PSTATE */
	{ 0xffd80000, 0xd5080000 }, /* System instructions */
	{ 0xfff8f000, 0xd5087000 }, /* … of CRn 7: caches */
	{ 0xfffff000, 0xd5087000 }, /* … of EL1 */
	{ 0xfff8e000, 0xd5088000 }, /* … of CRn 8, 9: TLBs */
	{ 0xffd00000, 0xd5100000 }, /* System register move */
	{ 0xfff8fe00, 0xd5182000 }, /* … of CRn 2: translation tables */
	{ 0xfff8ff00, 0xd518d000 }, /* … of CRn 13: context */
	{ 0xffdfff00, 0xd51b4200 }, /* … of the flags */
	{ 0xfe1f0000, 0xd61f0000 }, /* Unconditional branch (register) */
	{ 0xfe1ff000, 0xd61f0000 }, /* … */
	{ 0x7c000000, 0x14000000 }, /* Unconditional branch (immediate) */
	{ 0x7e000000, 0x34000000 }, /* Compare and branch (immediate) */
	{ 0x7e000000, 0x36000000 }, /* Test and branch (immediate) */
	{ 0xbfbf0000, 0x0c000000 }, /* Advanced SIMD load/store multiple structures */
	{ 0xbfa00000, 0x0c800000 }, /* … (post-indexed) */
	{ 0xbf9f0000, 0x0d000000 }, /* Advanced SIMD load/store single structure */
	{ 0xbf800000, 0x0d800000 }, /* … (post-indexed) */
	{ 0x3f000000, 0x08000000 }, /* Load/store exclusive, ordered, Compare and swap */
	{ 0x3f007c00, 0x08007c00 }, /* … without Rt2 */
	{ 0x3f1f7c00, 0x081f7c00 }, /* … without Rs and Rt2 */
	{ 0x3f200c00, 0x19000000 }, /* LDAPR/STLR (unscaled immediate) */
	{ 0x3b000000, 0x18000000 }, /* Load register (literal) */
	{ 0x3a000000, 0x28000000 }, /* Load/store pairs */
	{ 0x3b200c00, 0x38000000 }, /* Load/store register (unscaled immediate) */
	{ 0x3b200c00, 0x38000400 }, /* … (immediate post-indexed) */
	{ 0x3b200c00, 0x38000800 }, /* … (unprivileged) */
	{ 0x3b200c00, 0x38000c00 }, /* … (immediate pre-indexed) */
	{ 0x3b200c00, 0x38200000 }, /* Atomic memory operations */
	{ 0x3bbffc00, 0x38bfc000 }, /* … LDAPR */
	{ 0x3b200c00, 0x38200800 }, /* Load/store register (register offset) */
	{ 0x3b200400, 0x38200400 }, /* Load/store register (pac) */
	{ 0x3b000000, 0x39000000 }, /* Load/store register (unsigned immediate) */
	{ 0x5fe00000, 0x1ac00000 }, /* Data-processing (2 source) */
	{ 0x5fff0000, 0x5ac00000 }, /* Data-processing (1 source) */
	{ 0xfffe03e0, 0xdac003e0 }, /* … of XZR */
	{ 0x1f000000, 0x0a000000 }, /* Logical (shifted register) */
	{ 0x1f200000, 0x0b000000 }, /* Add/subtract (shifted register) */
	{ 0x1f200000, 0x0b200000 }, /* Add/subtract (extended register) */
	{ 0x1fe0fc00, 0x1a000000 }, /* Add/subtract (with carry) */
	{ 0x1fe07c00, 0x1a000400 }, /* Rotate right into flags */
	{ 0x1fe03c00, 0x1a000800 }, /* Evaluate into flags */
	{ 0xffffb000, 0x3a000000 }, /* … */
	{ 0x1fe00800, 0x1a400000 }, /* Conditional compare (register) */
	{ 0x1fe00800, 0x1a400800 }, /* Conditional compare (immediate) */
	{ 0x1fe00000, 0x1a800000 }, /* Conditional select */
	{ 0x1f000000, 0x1b000000 }, /* Data-processing (3 source) */
	{ 0x1f007c00, 0x1b007c00 }, /* … without Ra */
	{ 0xff3e0c00, 0x4e280800 }, /* Cryptographic AES */
	{ 0xff208c00, 0x5e000000 }, /* Cryptographic three-register SHA */
	{ 0xff3e0c00, 0x5e280800 }, /* Cryptographic two-register SHA */
	{ 0xdfe08400, 0x5e000400 }, /* Advanced SIMD scalar copy */
	{ 0xdf60c400, 0x5e400400 }, /* Advanced SIMD scalar three same FP16 */
	{ 0xdf7e0c00, 0x5e780800 }, /* Advanced SIMD scalar two-register miscellaneous FP16 */
	{ 0xdf208400, 0x5e008400 }, /* Advanced SIMD scalar three same extra */
	{ 0xdf3e0c00, 0x5e200800 }, /* Advanced SIMD scalar two-register miscellaneous */
	{ 0xdf3e0c00, 0x5e300800 }, /* Advanced SIMD scalar pairwise */
	{ 0xdf200c00, 0x5e200000 }, /* Advanced SIMD scalar three different */
	{ 0xdf200400, 0x5e200400 }, /* Advanced SIMD scalar three same */
	{ 0xdf800400, 0x5f000400 }, /* Advanced SIMD scalar shift by immediate */
	{ 0xdf000400, 0x5f000000 }, /* Advanced SIMD scalar x indexed element */
	{ 0xbf208c00, 0x0e000000 }, /* Advanced SIMD table lookup */
	{ 0xbf208c00, 0x0e000800 }, /* Advanced SIMD permute */
	{ 0xbf208400, 0x2e000000 }, /* Advanced SIMD extract */
	{ 0x9fe08400, 0x0e000400 }, /* Advanced SIMD copy */
	{ 0x9f60c400, 0x0e400400 }, /* Advanced SIMD three same (FP16) */
	{ 0x9f7e0c00, 0x0e780800 }, /* Advanced SIMD two-register miscellaneous (FP16) */
	{ 0x9f208400, 0x0e008400 }, /* Advanced SIMD three-register extension */
	{ 0x9f3e0c00, 0x0e200800 }, /* Advanced SIMD two-register miscellaneous */
	{ 0x9f3e0c00, 0x0e300800 }, /* Advanced SIMD across lanes */
	{ 0x9f200c00, 0x0e200000 }, /* Advanced SIMD three different */
	{ 0x9f200400, 0x0e200400 }, /* Advanced SIMD three same */
	{ 0x9ff80400, 0x0f000400 }, /* Advanced SIMD modified immediate */
	{ 0x9f800400, 0x0f000400 }, /* Advanced SIMD shift by immediate */
	{ 0x9f000400, 0x0f000000 }, /* Advanced SIMD vector x indexed element */
	{ 0xffe0c000, 0xce408000 }, /* Cryptographic three-register, imm2 */
	{ 0xffe0b000, 0xce608000 }, /* Cryptographic three-register SHA 512 */
	{ 0xff808000, 0xce000000 }, /* Cryptographic four-register */
	{ 0xffe00000, 0xce800000 }, /* XAR */
	{ 0xfffff000, 0xcec08000 }, /* Cryptographic two-register SHA 512 */
	{ 0x5f200000, 0x1e000000 }, /* Conversion between floating-point and fixed-point */
	{ 0x5f20fc00, 0x1e200000 }, /* Conversion between floating-point and integer */
	{ 0x5f207c00, 0x1e204000 }, /* Floating-point data-processing (1 source) */
	{ 0x5f203c00, 0x1e202000 }, /* Floating-point compare */
	{ 0xff20fc07, 0x1e202000 }, /* … */
	{ 0x5f201c00, 0x1e201000 }, /* Floating-point immediate */
	{ 0x5f200c00, 0x1e200400 }, /* Floating-point conditional compare */
	{ 0x5f200c00, 0x1e200800 }, /* Floating-point data-processing (2 source) */
	{ 0x5f200c00, 0x1e200c00 }, /* Floating-point conditional select */
	{ 0x5f000000, 0x1f000000 }, /* Floating-point data-processing (3 source) */
};
/* clang-format on */

#define A64_CLASSES (sizeof(a64_class) / sizeof(a64_class[0]))

/*
 * Returns the n-th word of a test. In turn, these are a word of each encoding class, 10 random
 * words outside the empty top-level groups, and 10 of `words` with one to three bits inverted.
 */
static uint32_t some_word(uint64_t *random, unsigned n, const uint32_t *words, size_t nwords)
{
	unsigned c = n % (A64_CLASSES + 20);
	uint32_t w = next_random(random);

	if (c < A64_CLASSES)
		return (w & ~a64_class[c].mask) | a64_class[c].value;
	if (c < A64_CLASSES + 10)
		return (w >> 25 & 12) == 0 ? w | 0x08000000 : w;
	w = words[w % nwords];
	for (uint32_t flips = next_random(random) % 3 + 1; flips; flips--)
		w ^= 1u << next_random(random) % 32;
	return w;
}

#endif
