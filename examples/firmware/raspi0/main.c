// SPDX-License-Identifier: MIT
/*
 * Counters on a Raspberry Pi Zero (BCM2835, ARM1176) without an operating system: cycles,
 * instructions and mispredicted branches of two functions, on the serial console.
 *
 * The BCM2835 connects the PMU's interrupt to nothing. So overflows are polled, at least once per
 * pmk_target_deadline(): 2^31 cycles, 3 s at 700 MHz.
 *
 * QEMU's ARM1176 has no PMU: the PMU's registers read as zero. The example says so and ends.
 */
#include "pmk_target.h"

#include "board.h"
#include "raspi.h"

#define ROUNDS 8
#define WORDS  64

static struct pmk_target pmu;
enum { REGION_SORT, REGION_CRC, NREGIONS };
static struct pmk_region regions[NREGIONS] = {
	[REGION_SORT] = { .name = "sort" },
	[REGION_CRC] = { .name = "crc" },
};

/* ---- what is measured -------------------------------------------------------------------- */

static uint32_t words[WORDS];

static void fill(uint32_t seed)
{
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = seed = seed * 1664525 + 1013904223;
}

static void sort(void)
{
	for (unsigned i = 1; i < WORDS; i++)
		for (unsigned k = i; k && words[k - 1] > words[k]; k--) {
			uint32_t w = words[k];

			words[k] = words[k - 1];
			words[k - 1] = w;
		}
}

static uint32_t crc(void)
{
	uint32_t c = ~0u;

	for (unsigned i = 0; i < WORDS; i++) {
		c ^= words[i];
		for (unsigned bit = 0; bit < 32; bit++)
			c = c >> 1 ^ (c & 1 ? 0xEDB88320 : 0);
	}
	return ~c;
}

/* ---- measuring --------------------------------------------------------------------------- */

int main(void)
{
	uint32_t sum = 0;
	int err;

	raspi_uart();

	/* Open the PMU, choose the events and the regions, and start counting. */
	check("open", pmk_target_open(&pmu, &pmk_arm1176, pmk_port_native()));
	check("add", pmk_target_add(&pmu, PMK_ARM11_CPU_CYCLES));
	check("add", pmk_target_add(&pmu, PMK_ARM11_INSTR_EXEC));
	check("add", pmk_target_add(&pmu, PMK_ARM11_BR_MISPREDICT));
	check("regions", pmk_target_regions(&pmu, regions, NREGIONS));
	err = pmk_target_start(&pmu);
	if (err == PMK_ENOPMU) {
		print("pmk: this ARM1176 has no PMU (QEMU's has none)\n");
		return 0;
	}
	check("start", err);

	for (unsigned round = 0; round < ROUNDS; round++) {
		fill(round);

		PMK_REGION_BEGIN(REGION_SORT);
		sort();
		PMK_REGION_END(REGION_SORT);

		PMK_REGION_BEGIN(REGION_CRC);
		sum ^= crc();
		PMK_REGION_END(REGION_CRC);

		pmk_target_poll(&pmu);
	}

	check("stop", pmk_target_stop(&pmu));
	print("sum ");
	print_number(sum);
	print(", poll every ");
	print_number(pmk_target_deadline(&pmu, 1));
	print(" cycles\n");
	check("report", pmk_target_report(&pmu, board_put)); /* for people */
	check("dump", pmk_target_dump(&pmu, board_put));     /* for pmk report */
	return 0;
}
