// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the general registers of the running vCPU. See parts.h. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "producer/qemu/parts.h"
#include "producer/qemu/plugin.h"

#define PSTATE	   33 /* the number of PSTATE in GDB's protocol of AArch64 */
#define IN_AARCH32 16
#define XPSR	   25 /* of Cortex-M */
#define IPSR	   0x1ff
#define EPSR_T	   (1 << 24)

static const struct pmk_registers_isa {
	const char *sp; /* the name of the stack pointer */
	unsigned bytes; /* bytes of a register */
	const char *function;
	const char *name; /* format of the names of the other registers */
	unsigned sp_number;
} isas[] = {
	{ "sp", 8, "aarch64_cpu_gdb_read_register", "x%u", 31 },
	{ "sp", 4, "arm_cpu_gdb_read_register", "r%u", 13 },
	{ "r1", 4, "mb_cpu_gdb_read_register", "r%u", 1 },
};

void pmk_registers_begin(const struct pmk_qemu_glue *glue, const char *sp, unsigned bytes,
			 bool big_endian)
{
	plugin.registers.glue = glue;
	plugin.registers.big_endian = big_endian;
	for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++)
		if (!strcmp(isas[i].sp, sp) && isas[i].bytes == bytes)
			plugin.registers.isa = &isas[i];
	if (plugin.registers.isa && g_byte_array_new && dlsym(RTLD_DEFAULT, "current_cpu"))
		*(void **)&plugin.registers.read =
			dlsym(RTLD_DEFAULT, plugin.registers.isa->function);
}

bool pmk_registers_are_shown(void)
{
	return plugin.registers.read || plugin.registers.glue->read_register;
}

/* Reads a register of `size` bytes by its number in GDB's protocol. The bytes are in the byte order
 * of the program; the first byte becomes the lowest byte of *value. */
static bool read_as_debugger(unsigned reg, unsigned size, uint64_t *value)
{
	if (!calling.current) {
		calling.current = dlsym(RTLD_DEFAULT, "current_cpu");
		calling.bytes = g_byte_array_new();
	}
	if (!*calling.current)
		return false;
	calling.bytes->len = 0;
	plugin.registers.read(*calling.current, calling.bytes, (int)reg);
	if (calling.bytes->len != size)
		return false;
	*value = 0;
	for (unsigned i = calling.bytes->len; i > 0; i--)
		*value = *value << 8 | calling.bytes->data[i - 1];
	return true;
}

static bool read_by_name(unsigned reg, uint64_t *value)
{
	char name[16];

	if (!plugin.registers.isa || !plugin.registers.glue->read_register)
		return false;
	snprintf(name, sizeof(name), plugin.registers.isa->name, reg);
	/* QEMU has names instead of numbers for the stack pointer, and for the link register of
	 * AArch32. */
	if (reg == plugin.registers.isa->sp_number)
		strcpy(name, plugin.registers.isa->sp);
	else if (reg == 14 && plugin.registers.isa->sp_number == 13)
		strcpy(name, "lr");
	return plugin.registers.glue->read_register(name, value);
}

bool pmk_registers_read(unsigned reg, uint64_t *value)
{
	if (plugin.registers.read ? !read_as_debugger(reg, plugin.registers.isa->bytes, value)
				  : !read_by_name(reg, value))
		return false;
	if (plugin.registers.big_endian)
		*value = plugin.registers.isa->bytes == 8 ? __builtin_bswap64(*value)
							  : __builtin_bswap32((uint32_t)*value);
	return true;
}

uint64_t pmk_registers_stack_pointer(void)
{
	uint64_t sp;

	return plugin.registers.isa && pmk_registers_read(plugin.registers.isa->sp_number, &sp) ? sp
												: 0;
}

/* Reads a register of 32 bits that is not a general register. */
static bool read_special(unsigned number, const char *name, uint64_t *value)
{
	if (plugin.registers.read)
		return read_as_debugger(number, 4, value);
	return plugin.registers.glue->read_register &&
	       plugin.registers.glue->read_register(name, value);
}

bool pmk_registers_exception(struct pmk_exception_now *now)
{
	uint64_t xpsr, link = 0;

	if (!read_special(XPSR, "xpsr", &xpsr))
		return false;
	pmk_registers_read(14, &link);
	*now = (struct pmk_exception_now){
		.number = (uint32_t)xpsr & IPSR,
		.sp = (uint32_t)pmk_registers_stack_pointer(),
		.lr = (uint32_t)link,
		.thumb = xpsr & EPSR_T,
	};
	return true;
}

int pmk_registers_level(void)
{
	uint64_t pstate;

	if (!read_special(PSTATE, "cpsr", &pstate))
		return -1;
	if (plugin.registers.big_endian)
		pstate = __builtin_bswap32((uint32_t)pstate);
	return pstate & IN_AARCH32 ? (pstate & 15) != 0 : (int)(pstate >> 2 & 3);
}
