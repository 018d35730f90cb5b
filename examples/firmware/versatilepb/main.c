// SPDX-License-Identifier: MIT
/*
 * The AHB Monitor of a Versatile PB (ARM926EJ-S Development Chip), without an operating system:
 * what two functions do on the two bus layers of the processor.
 *
 * Its register offsets are not public. The layout used here is this project's; if you have the
 * manual, fill in your own, as <pmk/ahbmon.h> shows. The probe checks that the layout fits. On
 * QEMU, where the registers read as zero, the probe fails; the example then says so and ends.
 *
 * The counters have 32 bits, no overflow flags and no interrupt. A measurement must therefore end
 * before any event has occurred 2^32 times. Polling would not help.
 */
#include "pmk_target.h"

#include "board.h"
#include "semihosting.h"
#include "work.h"

static struct pmk_target pmu;
enum { REGION_SUM, REGION_COPY, NREGIONS };
static struct pmk_region regions[NREGIONS] = {
	[REGION_SUM] = { .name = "sum" },
	[REGION_COPY] = { .name = "copy" },
};

/* ---- the board ------------------------------------------------------------------------------- */

#define REG(address) (*(volatile uint32_t *)(address))
#define UART_DR	     REG(0x101F1000) /* PL011 */
#define UART_FR	     REG(0x101F1018)
#define FR_TXFF	     (1u << 5)

void board_put(char c)
{
	while (UART_FR & FR_TXFF)
		;
	UART_DR = (unsigned char)c;
}

void board_exit(int code)
{
	semihosting_exit(code);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static const uint8_t events[] = {
	PMK_AHBMON_TOTAL_CYCLES_EN, PMK_AHBMON_ARMI_RD, PMK_AHBMON_ARMI_WAIT_TOTAL,
	PMK_AHBMON_ARMD_RD,	    PMK_AHBMON_ARMD_WR, PMK_AHBMON_ARMD_WAIT_TOTAL,
};

/* True if the monitor has the registers that the layout describes. */
static bool found(const struct pmk_ahbmon_layout *layout, struct pmk_port port)
{
	struct pmk_dev dev = { .pmu = &pmk_ahbmon, .port = port };
	unsigned agree;
	int err = pmk_ahbmon_probe(&dev, layout->base, &agree);

	if (err != PMK_ENOTSUP && err != PMK_EBADREG)
		check("probe", err);
	if (err) {
		print("pmk: no AHB Monitor of this layout: ");
		print_number(agree);
		print(" of 90 registers answer as it says (QEMU has none)\n");
	}
	return !err;
}

int main(void)
{
	const struct pmk_ahbmon_layout *layout = &pmk_ahbmon_sp816;
	struct pmk_mmio mmio = {
		.base = layout->base,
		.offset = layout->offset,
		.noffsets = PMK_AHBMON_NREGS,
	};
	struct pmk_port port = pmk_port_mmio(&mmio);
	uint32_t s = 0;

	if (!found(layout, port))
		return 0;

	check("open", pmk_target_open(&pmu, &pmk_ahbmon, port));
	for (unsigned i = 0; i < sizeof(events); i++)
		check("add", pmk_target_add(&pmu, events[i]));
	check("regions", pmk_target_regions(&pmu, regions, NREGIONS));
	check("start", pmk_target_start(&pmu));

	fill();
	for (unsigned round = 0; round < 4; round++) {
		PMK_REGION_BEGIN(REGION_SUM);
		s += sum();
		PMK_REGION_END(REGION_SUM);

		PMK_REGION_BEGIN(REGION_COPY);
		copy();
		PMK_REGION_END(REGION_COPY);
	}

	check("stop", pmk_target_stop(&pmu));
	print("sum ");
	print_number(s);
	print("\n");
	check("report", pmk_target_report(&pmu, board_put)); /* for people */
	check("dump", pmk_target_dump(&pmu, board_put));     /* for pmk report */
	return 0;
}
