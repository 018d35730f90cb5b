// SPDX-License-Identifier: GPL-2.0-or-later
/* Records blocks, mappings and sites in the ledger. See ledger.h and cpu/sites.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "producer/qemu/parts.h"

static void *ledger_record(void *ctx, uint32_t cpu, size_t bytes, uint32_t *number)
{
	(void)ctx;
	return pmk_ledger_record(plugin.ledger, plugin.process, cpu, bytes, number);
}

void pmk_record_block(const struct pmk_block *b, const struct pmk_raw *raw,
		      const struct pmk_insn *in, size_t n)
{
	struct pmk_ledger_block *r;
	uint8_t *bytes;

	if (!plugin.ledger || plugin.recorded[b->id])
		return;
	r = pmk_ledger_record(plugin.ledger, plugin.process, 0,
			      sizeof(*r) + n * (sizeof(*in) + sizeof(raw->byte)),
			      &plugin.recorded[b->id]);
	if (!r)
		return;
	r->ninsns = (uint32_t)n;
	r->nfaults = b->nfaults;
	r->control = plugin.control.of_code;
	memcpy(r->insn, in, n * sizeof(*in));
	bytes = (uint8_t *)&r->insn[n];
	for (size_t i = 0; i < n; i++)
		memcpy(bytes + i * sizeof(raw->byte), raw[i].byte, sizeof(raw->byte));
	atomic_store(&r->head.kind, PMK_LEDGER_BLOCK);
}

static void record_mapping(uint64_t begin, uint64_t end, uint64_t offset, const char *path)
{
	struct pmk_ledger_mapping *r;
	uint32_t number;

	plugin.mapping.known[plugin.mapping.next].begin = begin;
	plugin.mapping.known[plugin.mapping.next].end = end;
	plugin.mapping.next = (plugin.mapping.next + 1) %
			      (sizeof(plugin.mapping.known) / sizeof(plugin.mapping.known[0]));
	r = pmk_ledger_record(plugin.ledger, plugin.process, 0, sizeof(*r) + strlen(path) + 1,
			      &number);
	if (!r)
		return;
	r->begin = begin;
	r->end = end;
	r->offset = offset;
	strcpy(r->path, path);
	atomic_store(&r->head.kind, PMK_LEDGER_MAPPING);
}

static bool is_known(uint64_t pc)
{
	for (unsigned i = 0; i < sizeof(plugin.mapping.known) / sizeof(plugin.mapping.known[0]);
	     i++)
		if (pc - plugin.mapping.known[i].begin <
		    plugin.mapping.known[i].end - plugin.mapping.known[i].begin)
			return true;
	return false;
}

/* The kernel writes a newline in a name as \012. A name may contain that text itself, so each
 * replacement is made only while there is no file of this name. */
static void restore_new_lines(char *path)
{
	for (char *at = path; access(path, F_OK) && (at = strstr(at, "\\012"));) {
		*at++ = '\n';
		memmove(at, at + 3, strlen(at + 3) + 1);
	}
}

/* Returns true if `path` is the file in which this process describes the code that it generates.
 * Just-in-time compilers map such a file for perf. */
static bool is_dump(const char *path)
{
	char name[40];
	size_t n = (size_t)snprintf(name, sizeof(name), "/jit-%d.dump", (int)getpid());
	size_t length = strlen(path);

	return length >= n && !strcmp(path + length - n, name);
}

/* Records which file contains the code at `pc`. If no file contains it, the program has generated
 * the code. Then the file that describes generated code is recorded once, as a mapping without
 * addresses. */
void pmk_record_mapping(uintptr_t host, uint64_t pc)
{
	bool of_file = false, found = false, described = plugin.mapping.described == getpid();
	char line[4400], path[4200], dump[4200] = "";
	uintptr_t begin, end;
	unsigned long offset;
	FILE *f;

	if (!host || is_known(pc))
		return;
	f = fopen("/proc/self/maps", "re");
	while (f && !of_file && !(found && described) && fgets(line, sizeof(line), f)) {
		path[0] = '\0';
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %lx %*s %*s %4199[^\n]", &begin,
			   &end, &offset, path) < 3)
			continue;
		if (!described && is_dump(path))
			strcpy(dump, path);
		if (host - begin >= end - begin)
			continue;
		restore_new_lines(path);
		found = true;
		of_file = path[0] == '/';
		record_mapping(pc - (host - begin), pc + (end - host), offset, of_file ? path : "");
	}
	if (f)
		fclose(f);
	if (of_file || !*dump)
		return;
	restore_new_lines(dump);
	record_mapping(0, 0, 0, dump);
	plugin.mapping.described = getpid();
}

void pmk_record_begin_sites(struct pmk_cpu *cpu)
{
	const struct pmk_sites_owner owner = {
		.record = ledger_record,
		.stack_pointer = pmk_registers_stack_pointer,
		.records = (char *)plugin.ledger,
		.block = plugin.recorded,
	};

	if (plugin.ledger && !pmk_sites_new(cpu, &owner, plugin.ledger->paths))
		pmk_plugin_give_up(PMK_ENOMEM);
}
