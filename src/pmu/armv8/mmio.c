// SPDX-License-Identifier: MIT
/*
 * The memory-mapped view of PMUv3: register offsets, and a port that presents this view as the
 * driver expects. Freestanding. It is a file of its own because firmware that reads its own PMU
 * with system instructions does not need it. Source: DDI 0487 I5.3.
 *
 * In this view, PMCR has only the control bits, and N is in PMCFGR. PMCEID0 and PMCEID1 have 32
 * bits, and their upper halves are called PMCEID2 and PMCEID3. The port does not access the upper
 * halves of PMEVCNTR<n>, which exist from PMUv3p5 on, because the driver uses 32 bits of these
 * counters.
 */
#include <pmk/native.h>

#include "pmu/armv8/regs.h"

/* The registers that the view has in addition to enum pmk_armv8_reg. */
enum { PMCFGR = PMK_ARMV8_NREGS, PMCEID2, PMCEID3 };

/* clang-format off */
const uint16_t pmk_armv8_mmio_offsets[PMK_ARMV8_NWORDS] = {
#define ALL(reg, name, op0, op1, crn, crm, op2, off) [PMK_ARMV8_##reg] = off,
#define SYS(reg, name, op0, op1, crn, crm, op2)	     [PMK_ARMV8_##reg] = PMK_MMIO_NONE,
	PMK_ARMV8_PLACES(ALL, SYS, SYS)
#define X(n, crm, tcrm, op2, off, toff) \
	[PMK_ARMV8_PMEVCNTR0 + n] = off, [PMK_ARMV8_PMEVTYPER0 + n] = toff,
	PMK_ARMV8_EACH_COUNTER(X)
	[PMCFGR] = 0xE00, [PMCEID2] = 0xE28, [PMCEID3] = 0xE2C,
};
/* clang-format on */

const uint32_t pmk_armv8_mmio_wide[(PMK_ARMV8_NWORDS + 31) / 32] = {
	[PMK_ARMV8_PMCCNTR / 32] = UINT32_C(1) << PMK_ARMV8_PMCCNTR % 32,
};

static int word_offset(const struct pmk_port *words, unsigned reg, uint64_t *value)
{
	*value = 0;
	return words->read(words->ctx, reg, value);
}

static int mmio_read(void *ctx, unsigned reg, uint64_t *value)
{
	const struct pmk_port *words = ctx;
	uint64_t more = 0;
	int err;

	if (reg >= PMK_ARMV8_NREGS)
		return PMK_EBADREG;
	err = word_offset(words, reg, value);
	if (!err && reg == PMK_ARMV8_PMCR) {
		err = word_offset(words, PMCFGR, &more);
		*value = PMK_PUT(*value, PMCR_N, PMK_GET(more, PMCFGR_N));
	} else if (!err && (reg == PMK_ARMV8_PMCEID0 || reg == PMK_ARMV8_PMCEID1)) {
		err = word_offset(words, reg == PMK_ARMV8_PMCEID0 ? PMCEID2 : PMCEID3, &more);
		*value = PMK_PUT(*value, PMCEID_EXTENDED, more);
	}
	return err;
}

static int mmio_write(void *ctx, unsigned reg, uint64_t value)
{
	const struct pmk_port *words = ctx;

	return reg < PMK_ARMV8_NREGS ? words->write(words->ctx, reg, value) : PMK_EBADREG;
}

struct pmk_port pmk_armv8_port_memory(struct pmk_port *words)
{
	return (struct pmk_port){ .read = mmio_read, .write = mmio_write, .ctx = words };
}
