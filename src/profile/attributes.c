// SPDX-License-Identifier: MIT
/*
 * Reads build attributes: see attributes.h. Every length is checked against the enclosing data,
 * because the file may be cut off or forged.
 */
#include "profile/attributes.h"

#include <stdio.h>
#include <string.h>

enum {
	TAG_FILE = 1, /* the following attributes apply to the whole file */
	TAG_CPU_RAW_NAME = 4,
	TAG_CPU_NAME = 5,
	TAG_CPU_ARCH = 6,
	TAG_CPU_ARCH_PROFILE = 7,
	TAG_THUMB_ISA_USE = 9,
	TAG_FP_ARCH = 10,
	TAG_ADVANCED_SIMD_ARCH = 12,
	/* This tag has a number and a string. Above it, tags with odd numbers have strings. */
	TAG_COMPATIBILITY = 32,
	TAG_DIV_USE = 44,
};

/* The unread part of the data. */
struct span {
	const uint8_t *at, *end;
	bool big_endian, bad;
};

static size_t bytes_left(const struct span *s)
{
	return (size_t)(s->end - s->at);
}

static uint32_t take_word(struct span *s)
{
	uint32_t v = 0;

	if (bytes_left(s) < 4) {
		s->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < 4; i++)
		v = v << 8 | s->at[s->big_endian ? i : 3 - i];
	s->at += 4;
	return v;
}

/* Reads a number in groups of seven bits, the lowest first. */
static uint64_t take_number(struct span *s)
{
	uint64_t v = 0;

	for (unsigned shift = 0; s->at < s->end; shift += 7) {
		uint8_t byte = *s->at++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	s->bad = true;
	return 0;
}

static const char *take_string(struct span *s)
{
	const uint8_t *begin = s->at, *nul = bytes_left(s) ? memchr(begin, 0, bytes_left(s)) : NULL;

	if (!nul) {
		s->bad = true;
		return "";
	}
	s->at = nul + 1;
	return (const char *)begin;
}

/* Returns the unread rest of the part of `size` bytes that starts at `begin`, and moves `s` after
 * this part. */
static struct span take_part(struct span *s, const uint8_t *begin, uint32_t size)
{
	struct span part = *s;
	size_t had = (size_t)(s->at - begin);

	if (size < had || size - had > bytes_left(s)) {
		s->bad = part.bad = true;
		part.end = part.at;
		return part;
	}
	part.end = begin + size;
	s->at = part.end;
	return part;
}

static bool has_string(uint64_t tag)
{
	return tag == TAG_CPU_RAW_NAME || tag == TAG_CPU_NAME ||
	       (tag > TAG_COMPATIBILITY && (tag & 1));
}

static void read_file_attributes(struct pmk_arm_attributes *a, struct span *s)
{
	a->said = true;
	while (bytes_left(s) && !s->bad) {
		uint64_t tag = take_number(s);
		uint64_t value = has_string(tag) ? (take_string(s), 0) : take_number(s);

		if (tag == TAG_COMPATIBILITY)
			take_string(s);
		else if (tag == TAG_CPU_ARCH)
			a->arch = value;
		else if (tag == TAG_CPU_ARCH_PROFILE)
			a->profile = value;
		else if (tag == TAG_THUMB_ISA_USE)
			a->thumb = value;
		else if (tag == TAG_FP_ARCH)
			a->fp = value;
		else if (tag == TAG_ADVANCED_SIMD_ARCH)
			a->simd = value;
		else if (tag == TAG_DIV_USE)
			a->div = value;
	}
}

/* Reads the attributes of one vendor. Only those of the vendor "aeabi" are used. */
static void read_vendor(struct pmk_arm_attributes *a, struct span *s)
{
	if (strcmp(take_string(s), "aeabi") != 0)
		return;
	while (bytes_left(s) && !s->bad) {
		const uint8_t *begin = s->at;
		uint64_t tag = take_number(s);
		struct span part = take_part(s, begin, take_word(s));

		if (tag == TAG_FILE && !part.bad)
			read_file_attributes(a, &part);
		s->bad |= part.bad;
	}
}

void pmk_arm_attributes_read(struct pmk_arm_attributes *a, const uint8_t *data, size_t size,
			     bool big_endian)
{
	struct span s = { data, data + size, big_endian, false };

	memset(a, 0, sizeof(*a));
	if (!size || *s.at++ != 'A')
		return;
	while (bytes_left(&s) && !s.bad) {
		const uint8_t *begin = s.at;
		struct span vendor = take_part(&s, begin, take_word(&s));

		if (!vendor.bad)
			read_vendor(a, &vendor);
		s.bad |= vendor.bad;
	}
	if (s.bad)
		memset(a, 0, sizeof(*a));
}

bool pmk_arm_is_microcontroller(const struct pmk_arm_attributes *a)
{
	static const uint32_t microcontrollers = 1u << PMK_ARM_V6M | 1u << PMK_ARM_V6SM |
						 1u << PMK_ARM_V7EM | 1u << PMK_ARM_V8M_BASELINE |
						 1u << PMK_ARM_V8M | 1u << PMK_ARM_V8_1M;

	return a->profile == 'M' || (a->arch < 32 && microcontrollers >> a->arch & 1);
}

bool pmk_arm_is_real_time(const struct pmk_arm_attributes *a)
{
	return a->profile == 'R' || a->arch == PMK_ARM_V8R;
}

const char *pmk_arm_arch_name(uint64_t arch)
{
	static const char *const names[] = {
		"ARM before ARMv4",
		"ARMv4",
		"ARMv4T",
		"ARMv5T",
		"ARMv5TE",
		"ARMv5TEJ",
		"ARMv6",
		"ARMv6KZ",
		"ARMv6T2",
		"ARMv6K",
		"ARMv7",
		"ARMv6-M",
		"ARMv6S-M",
		"ARMv7E-M",
		"ARMv8-A",
		"ARMv8-R",
		"ARMv8-M baseline",
		"ARMv8-M mainline",
		"architecture 18",
		"architecture 19",
		"architecture 20",
		"ARMv8.1-M mainline",
	};
	static _Thread_local char number[40];

	if (arch < sizeof(names) / sizeof(names[0]))
		return names[arch];
	snprintf(number, sizeof(number), "architecture %llu", (unsigned long long)arch);
	return number;
}
