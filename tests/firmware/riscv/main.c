// SPDX-License-Identifier: MIT
/*
 * RISC-V's driver on the native port in M-mode of QEMU's virt board, whose counters are an
 * independent implementation of the manual. Returns 1 if all checks pass, otherwise the line of the
 * first failed check.
 */
#include <pmk/riscv.h>

#define LOOPS 1000

void spin(unsigned long n);
int main(void);
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);

void *memcpy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memset(void *to, int c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = (char)c;
	return to;
}

#define CHECK(truth)                     \
	do {                             \
		if (!(truth))            \
			return __LINE__; \
	} while (0)

int main(void)
{
	struct pmk_dev d = { .pmu = __riscv_xlen == 32 ? &pmk_riscv32 : &pmk_riscv64,
			     .port = pmk_port_native() };
	const struct pmk_driver *drv = d.pmu->driver;
	uint64_t before, after, v;
	bool yes;

	CHECK(!drv->reset(&d));
	CHECK(!drv->running(&d, &yes) && !yes);
	for (unsigned c = 0; c < PMK_RISCV_NCTRS; c++)
		CHECK(!drv->read(&d, c, &v) && v == 0);

	/* Inhibited counters do not count. Written values keep both halves. */
	spin(LOOPS);
	for (unsigned c = 0; c < PMK_RISCV_NCTRS; c++) {
		CHECK(!drv->write(&d, c, UINT64_C(0x1122334455667700) + c));
		spin(LOOPS);
		CHECK(!drv->read(&d, c, &v) && v == UINT64_C(0x1122334455667700) + c);
	}

	/* While it runs, the counter counts the loop's instructions, and a few around the loop. */
	CHECK(!drv->reset(&d));
	CHECK(!drv->program(&d, PMK_RISCV_CTR_INSTRET, PMK_RISCV_INSTRUCTIONS));
	CHECK(!drv->start(&d));
	CHECK(!drv->running(&d, &yes) && yes);
	CHECK(!drv->read(&d, PMK_RISCV_CTR_INSTRET, &before));
	spin(LOOPS);
	CHECK(!drv->read(&d, PMK_RISCV_CTR_INSTRET, &after));
	CHECK(after - before >= 2 * LOOPS && after - before < 2 * LOOPS + 200);
	CHECK(!drv->read(&d, PMK_RISCV_CTR_CYCLE, &v) && v > 2 * LOOPS);

	/*
	 * The lower half of a counter carries into its upper half. RV32 is left out, because QEMU
	 * 7.2 does not carry there.
	 */
	CHECK(!drv->write(&d, PMK_RISCV_CTR_INSTRET, UINT32_MAX - 10));
	spin(LOOPS);
	CHECK(!drv->read(&d, PMK_RISCV_CTR_INSTRET, &v));
	CHECK(__riscv_xlen == 32 || (v > UINT32_MAX + UINT64_C(2) * LOOPS - 11 &&
				     v < UINT32_MAX + UINT64_C(2) * LOOPS + 200));

	/*
	 * A stopped counter does not count. In QEMU 7.2 the second read returns the value that was
	 * written last, so `after` may be less than `before`.
	 */
	CHECK(!drv->stop(&d));
	CHECK(!drv->running(&d, &yes) && !yes);
	CHECK(!drv->read(&d, PMK_RISCV_CTR_INSTRET, &before));
	spin(LOOPS);
	CHECK(!drv->read(&d, PMK_RISCV_CTR_INSTRET, &after));
	CHECK(after <= before);
	return 1;
}
