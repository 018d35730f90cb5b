// SPDX-License-Identifier: MIT
/*
 * Counters on a Raspberry Pi Zero (BCM2835, ARM1176) without an operating system: cycles,
 * instructions and mispredicted branches of two functions, on the serial console.
 *
 * The BCM2835 connects the PMU's interrupt to nothing. So overflows are polled, at least once per
 * pmk_target_deadline(): 2^31 cycles, 3 s at 700 MHz.
 *
 * QEMU's ARM1176 has no PMU, its registers read as zero. The example says so and ends.
 */
#include "pmk_target.h"

#include "board.h"

#define ROUNDS 8
#define WORDS  64

static struct pmk_target pmu;
enum { REGION_SORT, REGION_CRC, NREGIONS };
static struct pmk_region regions[NREGIONS] = {
	[REGION_SORT] = { .name = "sort" },
	[REGION_CRC] = { .name = "crc" },
};

/* ---- the board --------------------------------------------------------------------------- */

#define REG(address) (*(volatile uint32_t *)(address))

/* PL011 on GPIO 14 and 15. config.txt: init_uart_clock=48000000 */
#define GPFSEL1	  REG(0x20200004)
#define UART_DR	  REG(0x20201000)
#define UART_FR	  REG(0x20201018)
#define UART_IBRD REG(0x20201024)
#define UART_FBRD REG(0x20201028)
#define UART_LCRH REG(0x2020102C)
#define UART_CR	  REG(0x20201030)
#define FR_BUSY	  (1u << 3)
#define FR_TXFF	  (1u << 5)
/* Power management. */
#define PM_RSTC	  REG(0x2010001C)
#define PM_RSTS	  REG(0x20100020)
#define PM_WDOG	  REG(0x20100024)
#define PASSWORD  0x5A000000u

/* 115200 baud, 8 bits, no parity: 48 MHz / 16 / 115200 = 26 + 3/64. */
static void uart_init(void)
{
	GPFSEL1 = (GPFSEL1 & ~(0x3Fu << 12)) | 0x24u << 12; /* both ALT0 */
	UART_CR = 0;
	UART_IBRD = 26;
	UART_FBRD = 3;
	UART_LCRH = 0x70;
	UART_CR = 0x301;
}

void board_put(char c)
{
	while (UART_FR & FR_TXFF)
		;
	UART_DR = (unsigned char)c;
}

/* Switch off: a reset by the watchdog into partition 63, which is "halt". QEMU ends. */
void board_exit(int code)
{
	(void)code;
	while (UART_FR & FR_BUSY)
		;
	PM_RSTS = PASSWORD | 0x555;
	PM_WDOG = PASSWORD | 10;
	PM_RSTC = PASSWORD | 0x20;
	/* Wait for an interrupt (DDI 0301H 3.2.22): QEMU takes a while to end, and the turns of a
	 * loop would be counted until then. */
	for (;;)
		__asm__ volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0) : "memory");
}

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

	uart_init();

	/* Open, say what to count, where, and go. */
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
