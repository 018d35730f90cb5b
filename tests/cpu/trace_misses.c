// SPDX-License-Identifier: MIT
/*
 * Runs a trace through the level 1 caches of an A64 core, for tests/cpu/test_peers.py.
 *
 *	trace_misses KEY=VALUE… <TRACE
 *
 * This prints the numbers of instructions, of fetches that miss, of data accesses, and of data
 * accesses that miss.
 *
 * TRACE is the output of `valgrind --tool=lackey --trace-mem=yes`: "I  ADDR,SIZE", " L ADDR,SIZE",
 * " S …", and " M …" for a load and a store of one address. As in cachegrind, an access is at most
 * one miss, even if it is in two lines, and a load and a store of one address are one access.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/a64/a64.h"

#define BLOCKS (1u << 16)

static struct pmk_cpu cpu;
static struct pmk_block block[BLOCKS];
static struct pmk_executions executions[BLOCKS];

static uint64_t misses(unsigned read, unsigned write)
{
	return cpu.dyn[read] + cpu.dyn[write];
}

/*
 * Fetches an instruction as a separate block. Instructions whose addresses have the same hash share
 * an element of block[].
 */
static bool fetch_misses(uint64_t addr, uint64_t size)
{
	uint64_t before = cpu.dyn[PMK_SIG_L1I_MISS];
	uint32_t id = (uint32_t)((addr * UINT64_C(0x9e3779b97f4a7c15)) >> 48);
	struct pmk_block *b = &block[id];

	if (b->pc != addr || b->fall != addr + size) {
		executions[id].igen = 0;
		*b = (struct pmk_block){ .pc = addr,
					 .fall = addr + size,
					 .end_addr = addr + size - 1,
					 .flow = PMK_FLOW_NEXT,
					 .id = id,
					 .a64.end = PMK_A64_FALLS };
	}
	pmk_a64_block(&cpu, b);
	return cpu.dyn[PMK_SIG_L1I_MISS] != before;
}

static bool access_misses(uint64_t addr, uint64_t size, bool store)
{
	uint64_t before = misses(PMK_SIG_L1D_READ_MISS, PMK_SIG_L1D_WRITE_MISS);
	uint64_t access = pmk_access_pack(0, 0, 1, (uint32_t)size);

	if (store)
		pmk_a64_store(&cpu, addr, 1, (unsigned)size, access);
	else
		pmk_a64_load(&cpu, addr, 1, (unsigned)size, access);
	return misses(PMK_SIG_L1D_READ_MISS, PMK_SIG_L1D_WRITE_MISS) != before;
}

static void configure(struct pmk_core *core, char **settings)
{
	char msg[256];

	if (pmk_core_choose(core, "a64", "armv8"))
		abort();
	for (; *settings; settings++) {
		char *value = strchr(*settings, '=');

		*value++ = '\0';
		if (pmk_core_set(core, *settings, value, msg, sizeof(msg))) {
			fprintf(stderr, "%s\n", msg);
			exit(2);
		}
	}
	if (pmk_core_check(core, msg, sizeof(msg))) {
		fprintf(stderr, "%s\n", msg);
		exit(2);
	}
	core->timeless = true;
}

int main(int argc, char **argv)
{
	uint64_t insn = 0, fetches = 0, data = 0, accesses = 0;
	struct pmk_core core;
	char line[256], kind;

	(void)argc;
	configure(&core, argv + 1);
	if (pmk_cpu_init(&cpu, &core))
		return 1;
	cpu.executions = executions;
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t addr, size;

		if (sscanf(line, " %c %" SCNx64 ",%" SCNu64, &kind, &addr, &size) != 3)
			continue;
		if (size > 64) /* at most one line, as in cachegrind */
			size = 64;
		if (kind == 'I') {
			insn++;
			fetches += fetch_misses(addr, size);
		} else {
			accesses++;
			data += access_misses(addr, size, kind == 'S');
			if (kind == 'M')
				access_misses(addr, size, true);
		}
	}
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", insn, fetches, accesses, data);
	pmk_cpu_fini(&cpu);
	return 0;
}
