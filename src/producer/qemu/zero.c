// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions that write a block of memory. See zero.h. */
#define _GNU_SOURCE
#include "producer/qemu/zero.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/qemu/plugin.h"

/* The word behind -cpu in the emulator's command line, in `word`; "" if there is none. */
static void read_cpu_option(char *word, size_t size)
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	char *arg = NULL;
	size_t room = 0;
	bool next = false;

	word[0] = '\0';
	while (f && getdelim(&arg, &room, '\0', f) > 0) {
		if (next)
			snprintf(word, size, "%s", arg);
		next = !strcmp(arg, "-cpu") || !strcmp(arg, "--cpu");
	}
	free(arg);
	if (f)
		fclose(f);
}

unsigned pmk_zero_bytes(bool system)
{
	char cpu[64];

	read_cpu_option(cpu, sizeof(cpu));
	if (!strncmp(cpu, "a64fx", 5))
		return 256;
	/* Programs get `max` if nothing else is said, with blocks that no processor has. */
	return !system && (!cpu[0] || !strncmp(cpu, "max", 3)) ? 512 : 64;
}

/* QEMU's own function for debuggers, where emulators export it. */
typedef int read_fn(void *cpu, struct qemu_bytes *bytes, int n);

static bool read_as_debugger(unsigned reg, bool big_endian, uint64_t *value)
{
	static __thread void **current; /* in QEMU's memory of this thread */
	static __thread struct qemu_bytes *bytes;
	static read_fn *read;

	if (!current)
		current = dlsym(RTLD_DEFAULT, "current_cpu");
	if (!read)
		*(void **)&read = dlsym(RTLD_DEFAULT, "aarch64_cpu_gdb_read_register");
	if (!bytes && g_byte_array_new)
		bytes = g_byte_array_new();
	if (!current || !*current || !read || !bytes)
		return false;
	bytes->len = 0;
	if (read(*current, bytes, (int)reg) != sizeof(*value) || bytes->len != sizeof(*value))
		return false;
	memcpy(value, bytes->data, sizeof(*value));
	if (big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		*value = __builtin_bswap64(*value);
	return true;
}

bool pmk_zero_register(const struct pmk_qemu_glue *glue, unsigned reg, bool big_endian,
		       uint64_t *value)
{
	char name[8];

	if (reg > 30)
		return false;
	if (read_as_debugger(reg, big_endian, value))
		return true;
	snprintf(name, sizeof(name), "x%u", reg);
	if (!glue->read_register || !glue->read_register(name, value))
		return false;
	if (big_endian)
		*value = __builtin_bswap64(*value);
	return true;
}

bool pmk_zero_is_written(const struct pmk_insn *in, size_t n, unsigned reg)
{
	for (size_t i = 0; i < n; i++)
		if (in[i].writes >> reg & 1)
			return true;
	return false;
}
