// SPDX-License-Identifier: MIT
/*
 * microblaze_cost EVENTS ROUNDS: empty regions on a MicroBlaze with five event counters and a
 * latency counter, for Linux; the sixth event has a latency. The registers of the MDM are words of
 * memory here, and every request for the access lock is granted. Prints how often DBG_DATA was
 * accessed in all rounds; the caller counts instructions. Without events, no request is granted:
 * the program requests the access lock ROUNDS times and gives up.
 */
#include "pmk_target.h"

#include "mini.h"
#include "sys.h"

static struct pmk_target pmu;
static struct pmk_region region[1] = { { .name = "empty" } };
static uint32_t words[8];
static struct pmk_mdm mdm, memory;
static unsigned accesses;
static bool refused;

static int load(void *ctx, unsigned offset, uint32_t *value)
{
	int err = memory.load(ctx, offset, value);

	if (offset == 0x10)
		*value = !refused; /* DBG_STATUS: the lock is ours */
	else
		*value = ++accesses;
	return err;
}

static int store(void *ctx, unsigned offset, uint32_t value)
{
	accesses += offset == 0x14;
	return memory.store(ctx, offset, value);
}

static void check(int err)
{
	if (err >= 0)
		return;
	printf("%s\n", pmk_strerror(err));
	exit(1);
}

static void ask(unsigned long times)
{
	struct pmk_port port = pmk_port_mdm(&mdm);

	refused = true;
	mdm.patience = times;
	if (port.write(port.ctx, PMK_MICROBLAZE_PCCMDR, 0) != PMK_EBUSY)
		exit(1);
}

int main(int argc, char **argv)
{
	static const uint8_t events[] = {
		PMK_MICROBLAZE_CLOCK_CYCLES,   PMK_MICROBLAZE_INSN_EXECUTED,
		PMK_MICROBLAZE_DCACHE_REQUEST, PMK_MICROBLAZE_DCACHE_HIT,
		PMK_MICROBLAZE_STALL_ANY,      PMK_MICROBLAZE_DCACHE_READ_LATENCY,
	};
	unsigned long n = strtoul(argv[1], NULL, 10), rounds = strtoul(argv[2], NULL, 10);

	(void)argc;
	pmk_mdm_mmio(&memory, (uintptr_t)words);
	mdm = memory;
	mdm.load = load;
	mdm.store = store;
	check(pmk_mdm_open(&mdm));
	check(pmk_target_open(&pmu, &pmk_microblaze, pmk_port_mdm(&mdm)));
	for (unsigned i = 0; i < n; i++)
		check(pmk_target_add(&pmu, events[i]));
	if (!n) {
		ask(rounds);
		return 0;
	}
	check(pmk_target_regions(&pmu, region, 1));
	check(pmk_target_start(&pmu));
	accesses = 0;
	for (unsigned long i = 0; i < rounds; i++) {
		PMK_REGION_BEGIN(0);
		PMK_REGION_END(0);
	}
	printf("%u\n", accesses);
	return 0;
}
