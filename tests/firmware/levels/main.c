// SPDX-License-Identifier: MIT
/*
 * Starts the library at the exception level at which QEMU's virt board enters a program: EL1, EL2
 * with virtualization=on, EL3 with secure=on. It prints the result of the first start in each
 * configuration, and the count of a loop of 4000 instructions.
 */
#include "pmk_target.h"

#include "board.h"
#include "semihosting.h"

static struct pmk_target pmu;

void board_put(char c)
{
	*(volatile uint32_t *)0x09000000 = (unsigned char)c;
}

void board_exit(int code)
{
	semihosting_exit(code);
}

void unexpected(void);
void unexpected(void)
{
	print("an exception\n");
	board_exit(1);
}

static uint64_t loop(void)
{
	uint64_t before = 0, after = 0, n = 1000;

	pmk_target_read(&pmu, 0, &before);
	__asm__ volatile("1:	nop\n"
			 "	nop\n"
			 "	subs	%0, %0, #1\n"
			 "	b.ne	1b"
			 : "+r"(n)::"cc");
	pmk_target_read(&pmu, 0, &after);
	return after - before;
}

static void attempt(const char *what, uint32_t filter, unsigned code)
{
	int err = pmk_target_open(&pmu, &pmk_cortex_a53, pmk_port_native());

	pmk_armv8_set_filter(&pmu.dev, filter);
	if (!err)
		err = pmk_target_add(&pmu, code);
	if (err >= 0)
		err = pmk_target_start(&pmu);
	print(what);
	print(": ");
	print(pmk_strerror(err));
	if (!err && code == PMK_ARMV8_INST_RETIRED) {
		uint64_t n = loop();

		print(n >= 4000 && n < 5000 ? ", and it counts" : ", and it does not count");
	}
	print("\n");
	pmk_target_close(&pmu);
}

int main(void)
{
	uint64_t level;

	__asm__("mrs %0, CurrentEL" : "=r"(level));
	level = level >> 2 & 3;
	print("EL");
	print_number(level);
	print("\n");
	attempt("instructions", PMK_ARMV8_EL0_EL1, PMK_ARMV8_INST_RETIRED);
	attempt("cycles", PMK_ARMV8_EL0_EL1, PMK_ARMV8_CPU_CYCLES);
	attempt("neither", PMK_ARMV8_EL0_EL1, PMK_ARMV8_SW_INCR);
	attempt("instructions at EL2", PMK_ARMV8_EL0_EL1_EL2, PMK_ARMV8_INST_RETIRED);
	attempt("instructions at EL0", PMK_ARMV8_EL0, PMK_ARMV8_INST_RETIRED);
	if (level == 3) { /* MDCR_EL3.SPME: events count in Secure state */
		__asm__ volatile("msr mdcr_el3, %0\n\tisb" ::"r"(UINT64_C(1) << 17));
		attempt("instructions, SPME", PMK_ARMV8_EL0_EL1, PMK_ARMV8_INST_RETIRED);
	}
	return 0;
}
