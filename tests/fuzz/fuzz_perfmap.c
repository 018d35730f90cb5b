// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a file of random bytes is read as a perf-PID.map and as a jitdump. pmk takes names
 * only for recorded code that belongs to no file, and reports at most one line of text. Functions
 * with these names do not overlap.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_perfmap.c
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/perfmap.h"
#include "profile/recording/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { PROGRAM, GENERATED };
static struct pmk_recorded_object object[] = {
	[PROGRAM] = { .kind = PMK_RECORDED_FILE, .path = "/bin/program" },
	[GENERATED] = { .kind = PMK_RECORDED_ANONYMOUS, .path = "[anon]" },
};
static struct pmk_recorded_insn insn[] = {
	{ .addr = 0x1000, .object = PROGRAM },
	{ .addr = 0x60000000, .object = GENERATED },
	{ .addr = 0x60000004, .object = GENERATED },
	{ .addr = 0x60000100, .object = GENERATED },
	{ .addr = UINT64_MAX - 3, .object = GENERATED },
};
static const uint64_t generated[] = { 0x60000000, 0x60000004, 0x60000100, UINT64_MAX - 3 };

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check_names(const struct pmk_perfmap *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct pmk_recorded_name *name = &m->name[i];
		int found = 0;

		expect(name->name && name->size <= UINT64_MAX - name->start);
		for (size_t k = 0; k < COUNT(generated); k++)
			found |= generated[k] - name->start < name->size;
		expect(found);
	}
}

static void check_functions(const struct pmk_perfmap *m)
{
	struct pmk_symbols s;

	expect(!pmk_symbols_named(&s, m->name, m->n, generated, NULL, COUNT(generated)));
	for (size_t i = 0; i < s.nfunctions; i++) {
		const struct pmk_symbols_function *f = &s.function[i];

		expect(f->name && f->size <= UINT64_MAX - f->address);
		expect(!i || f[-1].address + f[-1].size <= f->address);
	}
	for (size_t i = 0; i < COUNT(generated); i++)
		expect(s.place[i].function < s.nfunctions || s.place[i].function == PMK_NOWHERE);
	pmk_symbols_free(&s);
}

static void read_file(const char *path)
{
	struct pmk_recording rec = {
		.object = object,
		.nobjects = COUNT(object),
		.insn = insn,
		.ninsns = COUNT(insn),
	};
	struct pmk_perfmap m;
	char msg[300];

	expect(!pmk_perfmap_read(&m, path, &rec, msg, sizeof(msg)));
	expect(memchr(msg, '\0', sizeof(msg)) && !strchr(msg, '\n'));
	expect(!pmk_perfmap_read_dump(&m, path, &rec, msg, sizeof(msg)));
	expect(memchr(msg, '\0', sizeof(msg)) && !strchr(msg, '\n'));
	check_names(&m);
	check_functions(&m);
	pmk_perfmap_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	char path[32];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		read_file(path);
	close(fd);
	return 0;
}
