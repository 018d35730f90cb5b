// SPDX-License-Identifier: MIT
/*
 * Regions that end with their scope, on a Raspberry Pi Zero without an operating system. The
 * start-up code and the board are those of ../firmware/raspi0; see the Makefile.
 */
#include "pmk_target.h"

#include <pmk.hpp>

extern "C" {
int main();
void raspi_uart();
void board_put(char c);
void print(const char *text);
void check(const char *what, int err);
}

static pmk::target pmu;
enum { REGION_LOOP, REGION_SEARCH, NREGIONS };
static pmk_region regions[NREGIONS];

/* Executes two instructions each time. */
static void loop(unsigned times)
{
	__asm__ volatile("1: subs %0, %0, #1\n\t"
			 "bne 1b"
			 : "+r"(times)::"cc");
}

/* The function is left in three ways. The region ends in each of them. */
static int search(const int *list, int n, int wanted)
{
	pmk::region r(pmu, REGION_SEARCH);

	if (n <= 0)
		return -1;
	for (int i = 0; i < n; i++)
		if (list[i] == wanted)
			return i;
	return -1;
}

int main()
{
	static const int list[] = { 3, 1, 4, 1, 5 };

	raspi_uart();
	regions[REGION_LOOP].name = "loop";
	regions[REGION_SEARCH].name = "search";
	check("open", pmu.open(pmk_arm1176, pmk_port_native()));
	check("add", pmu.add(PMK_ARM11_INSTR_EXEC));
	check("add", pmu.add(PMK_ARM11_BR_EXEC));
	check("regions", pmu.regions(regions));
	{
		pmk::running on(pmu);

		if (on.error() == PMK_ENOPMU) {
			print("pmk: this ARM1176 has no PMU (QEMU's has none)\n");
			return 0;
		}
		check("start", on.error());
		{
			pmk::region r(pmu, REGION_LOOP);
			loop(1000);
		}
		if (search(list, 5, 4) != 2 || search(list, 5, 9) != -1 || search(list, 0, 3) != -1)
			print("search is wrong\n");
	}
	check("report", pmu.report(board_put));
	return 0;
}
