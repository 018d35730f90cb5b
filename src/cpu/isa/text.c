// SPDX-License-Identifier: MIT
/*
 * Disassembles instructions. See text.h. ARM instructions are little-endian in memory. Since ARMv6,
 * they are little-endian even on big-endian cores. MicroBlaze instructions have the byte order of
 * the core.
 */
#include "cpu/isa/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/isa/capstone.h"

static const struct mode {
	const char *name;
	cs_arch arch;
	cs_mode mode;
} modes[] = {
	{ "arm", CS_ARCH_ARM, CS_MODE_ARM },
	{ "thumb", CS_ARCH_ARM, CS_MODE_THUMB },
	{ "a32", CS_ARCH_ARM, (cs_mode)(CS_MODE_ARM | CS_MODE_V8) },
	{ "a64", CS_ARCH_ARM64, CS_MODE_ARM },
	{ "x86_64", CS_ARCH_X86, CS_MODE_64 },
};

#define NMODES (sizeof(modes) / sizeof(modes[0]))

struct pmk_isa_text {
	const struct pmk_capstone *cs; /* NULL: not loaded yet, or not installed */
	csh handle[NMODES];	       /* 0: not opened */
};

struct pmk_isa_text *pmk_isa_text_new(void)
{
	return calloc(1, sizeof(struct pmk_isa_text));
}

void pmk_isa_text_free(struct pmk_isa_text *t)
{
	for (size_t i = 0; t && i < NMODES; i++)
		if (t->handle[i])
			t->cs->close(&t->handle[i]);
	free(t);
}

/* Returns Capstone's handle for the mode, or 0 if Capstone does not support the mode. */
static csh handle_of(struct pmk_isa_text *t, const char *mode)
{
	for (size_t i = 0; mode && i < NMODES; i++) {
		if (strcmp(modes[i].name, mode) != 0)
			continue;
		if (!t->cs)
			t->cs = pmk_capstone();
		if (!t->handle[i] && t->cs &&
		    t->cs->open(modes[i].arch, modes[i].mode, &t->handle[i]) != CS_ERR_OK)
			t->handle[i] = 0;
		return t->handle[i];
	}
	return 0;
}

static uint64_t value_of(const uint8_t *byte, size_t n, bool big_endian)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | byte[big_endian ? i : n - 1 - i];
	return value;
}

size_t pmk_isa_text_size(struct pmk_isa_text *t, const char *mode, const void *bytes, size_t n)
{
	csh handle = handle_of(t, mode);
	size_t size = 0;
	cs_insn *in;

	if (handle && t->cs->disasm(handle, bytes, n, 0, 1, &in)) {
		size = in->size;
		t->cs->free(in, 1);
	}
	return size;
}

void pmk_isa_text_of(struct pmk_isa_text *t, const char *mode, bool big_endian, uint64_t addr,
		     const void *bytes, size_t n, char *text, size_t size)
{
	csh handle = handle_of(t, mode);
	cs_insn *in;

	if (handle && t->cs->disasm(handle, bytes, n, addr, 1, &in)) {
		snprintf(text, size, "%-7s %s", in->mnemonic, in->op_str);
		t->cs->free(in, 1);
		for (size_t end = strlen(text); end && text[end - 1] == ' ';)
			text[--end] = '\0';
		return;
	}
	if (mode && !strcmp(mode, "microblaze") && n == 4 &&
	    pmk_isa_microblaze_text((uint32_t)value_of(bytes, n, big_endian), text, size))
		return;
	snprintf(text, size, "%-7s 0x%0*llx", ".inst", (int)(2 * n),
		 (unsigned long long)value_of(bytes, n < 8 ? n : 8, big_endian && !handle));
}
