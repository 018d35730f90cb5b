// SPDX-License-Identifier: MIT
/*
 * The firmware library on a Cortex-M through its native port. It prints the results of opening and
 * starting. If there is a DWT, it also prints whether a loop of known length was counted right.
 */
#include "pmk_target.h"

extern uint32_t stack_top[];
void reset(void);
void fault(void);

static uintptr_t semihosting(uintptr_t operation, const void *argument)
{
	register uintptr_t r0 __asm__("r0") = operation;
	register const void *r1 __asm__("r1") = argument;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
	return r0;
}

static void print(const char *text)
{
	semihosting(4, text); /* SYS_WRITE0 */
}

void fault(void)
{
	print("a fault\n");
	semihosting(0x18, (const void *)0x20023); /* SYS_EXIT with a run-time error */
}

static int count(void)
{
	static struct pmk_target pmu;
	uint64_t before = 0, after = 0;
	uint32_t n = 1000;
	int err = pmk_target_open(&pmu, &pmk_dwt, pmk_port_native());

	if (!err)
		err = pmk_target_add(&pmu, PMK_DWT_CYCLES);
	if (!err)
		err = pmk_target_start(&pmu);
	if (err)
		return err;
	pmk_target_read(&pmu, 0, &before);
	__asm__ volatile(".syntax unified\n"
			 "1:	subs %0, %0, #1\n"
			 "	bne 1b"
			 : "+l"(n)::"cc");
	pmk_target_read(&pmu, 0, &after);
	print(after - before >= 2000 ? "it counts\n" : "it does not count\n");
	return pmk_target_close(&pmu);
}

void reset(void)
{
	int err = pmk_native_probe();

	print("probe: ");
	print(pmk_strerror(err));
	print("\ncount: ");
	print(pmk_strerror(count()));
	print("\n");
	semihosting(0x18, (const void *)0x20026); /* SYS_EXIT with success */
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
	stack_top,	     (const void *)reset, (const void *)fault, (const void *)fault,
	(const void *)fault, (const void *)fault, (const void *)fault,
};
