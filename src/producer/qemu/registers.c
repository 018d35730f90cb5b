// SPDX-License-Identifier: GPL-2.0-or-later
/* General registers of the running vCPU. See registers.h. */
#define _GNU_SOURCE
#include "producer/qemu/registers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "producer/qemu/plugin.h"

/* QEMU's own function for debuggers. */
typedef int read_fn(void *cpu, struct qemu_bytes *bytes, int n);

static read_fn *find_reader(bool a64)
{
	static const char *const name[] = { "arm_cpu_gdb_read_register",
					    "aarch64_cpu_gdb_read_register" };
	static read_fn *found[2];

	if (!found[a64])
		*(void **)&found[a64] = dlsym(RTLD_DEFAULT, name[a64]);
	return found[a64];
}

/* Reads `size` bytes. */
static bool read_as_debugger(bool a64, unsigned reg, unsigned size, uint64_t *value)
{
	static __thread void **current; /* in QEMU's memory of this thread */
	static __thread struct qemu_bytes *bytes;
	read_fn *read = find_reader(a64);

	if (!current)
		current = dlsym(RTLD_DEFAULT, "current_cpu");
	if (!bytes && g_byte_array_new)
		bytes = g_byte_array_new();
	if (!current || !*current || !read || !bytes)
		return false;
	bytes->len = 0;
	if (read(*current, bytes, (int)reg) != (int)size || bytes->len != size)
		return false;
	*value = 0;
	for (unsigned i = size; i > 0; i--)
		*value = *value << 8 | bytes->data[i - 1];
	return true;
}

static bool read_by_name(const struct pmk_qemu_glue *glue, char letter, unsigned reg,
			 uint64_t *value)
{
	char name[16];

	snprintf(name, sizeof(name), "%c%u", letter, reg);
	return glue->read_register && glue->read_register(name, value);
}

bool pmk_registers_are_shown(const struct pmk_qemu_glue *glue)
{
	return glue->read_register || (find_reader(false) && g_byte_array_new);
}

bool pmk_registers_read_a64(const struct pmk_qemu_glue *glue, unsigned reg, bool big_endian,
			    uint64_t *value)
{
	if (reg > 30 || (!read_as_debugger(true, reg, sizeof(*value), value) &&
			 !read_by_name(glue, 'x', reg, value)))
		return false;
	if (big_endian)
		*value = __builtin_bswap64(*value);
	return true;
}

bool pmk_registers_read_a32(const struct pmk_qemu_glue *glue, unsigned reg, uint64_t *value)
{
	if (read_as_debugger(false, reg, sizeof(uint32_t), value) ||
	    read_by_name(glue, 'r', reg, value))
		return true;
	return (reg == 13 && glue->read_register && glue->read_register("sp", value)) ||
	       (reg == 14 && glue->read_register && glue->read_register("lr", value));
}
