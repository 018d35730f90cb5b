// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a file of any bytes is either an executable or gives an error with one line of text,
 * and looking up symbols and functions in it neither crashes nor runs for ever.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_elf.c
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/error.h>

#include "profile/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check(int err, const char *msg, size_t size)
{
	expect(err <= 0);
	if (err)
		expect(memchr(msg, '\0', size) && *msg);
}

static void ask_functions(const char *path, uint64_t pc)
{
	struct pmk_functions *f;
	char msg[128] = "";
	uint64_t begin = 0;
	int err = pmk_functions_load(&f, path, msg, sizeof(msg));

	check(err, msg, sizeof(msg));
	if (!err && pmk_functions_at(f, pc, &begin))
		expect(pmk_functions_count(f) && begin <= pc);
	pmk_functions_free(f);
}

static void ask(const char *path)
{
	char msg[128] = "";
	struct pmk_elf elf;
	uint64_t addr;
	int err = pmk_elf_read(path, &elf, msg, sizeof(msg));

	check(err, msg, sizeof(msg));
	expect(memchr(elf.interpreter, '\0', sizeof(elf.interpreter)) != NULL);
	if (!err)
		expect(elf.machine_name && elf.code_start != UINT64_MAX);
	memset(msg, 0, sizeof(msg));
	err = pmk_elf_symbol(path, "main", &addr, msg, sizeof(msg));
	check(err, msg, sizeof(msg));
	if (!err)
		expect(!(addr & 1));
	ask_functions(path, elf.code_start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	char path[32];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		ask(path);
	close(fd);
	return 0;
}
