// SPDX-License-Identifier: GPL-2.0-or-later
/* Recording: blocks, mappings and sites in the ledger. */
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

/* The kernel writes a newline in a name as \012; a name may contain that text, too. */
static void restore_new_lines(char *path)
{
	for (char *at = path; access(path, F_OK) && (at = strstr(at, "\\012"));) {
		*at++ = '\n';
		memmove(at, at + 3, strlen(at + 3) + 1);
	}
}

/* Just-in-time compilers map the file in which they describe their code for perf. Record it as a
 * mapping without addresses. */
static void record_dump(void)
{
	static pid_t recorded; /* the process whose dump is known */
	char name[40], line[4400], *path;
	FILE *f = recorded == getpid() ? NULL : fopen("/proc/self/maps", "re");
	size_t n = (size_t)snprintf(name, sizeof(name), "/jit-%d.dump", (int)getpid()), length;

	while (f && recorded != getpid() && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		length = path ? strlen(path) : 0;
		if (length < n || strcmp(path + length - n, name) != 0)
			continue;
		restore_new_lines(path);
		record_mapping(0, 0, 0, path);
		recorded = getpid();
	}
	if (f)
		fclose(f);
}

/* Record which file has the code at `pc`. The emulator maps files as the program requests. */
void pmk_record_mapping(uintptr_t host, uint64_t pc)
{
	uintptr_t begin, end;
	unsigned long offset;
	char line[4400], path[4200] = "";
	FILE *f;

	if (!host || is_known(pc))
		return;
	f = fopen("/proc/self/maps", "re");
	while (f && fgets(line, sizeof(line), f)) {
		path[0] = '\0';
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %lx %*s %*s %4199[^\n]", &begin,
			   &end, &offset, path) < 3)
			continue;
		if (host - begin >= end - begin)
			continue;
		restore_new_lines(path);
		record_mapping(pc - (host - begin), pc + (end - host), offset,
			       path[0] == '/' ? path : "");
		break;
	}
	if (f)
		fclose(f);
	if (path[0] != '/')
		record_dump();
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
