// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds out how many bytes DC ZVA writes, and whether code has written the register with its
 * address. See zero.h. */
#define _GNU_SOURCE
#include "producer/qemu/zero.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the word after -cpu in the emulator's command line to `word`, or "" if there is none. */
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
	/* By default, programs run on the processor `max`. No real processor has its block size. */
	return !system && (!cpu[0] || !strncmp(cpu, "max", 3)) ? 512 : 64;
}

bool pmk_zero_is_written(const struct pmk_insn *in, size_t n, unsigned reg)
{
	for (size_t i = 0; i < n; i++)
		if (in[i].writes >> reg & 1)
			return true;
	return false;
}
