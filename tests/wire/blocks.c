// SPDX-License-Identifier: MIT
/* See blocks.h. */
#include "blocks.h"

#include <pmk/ahbmon_model.h>
#include <pmk/armv8_model.h>
#include <pmk/l2cc.h>
#include <pmk/l2cc_model.h>
#include <pmk/microblaze_model.h>
#include <pmk/native.h>

#define L220_BASE 0x30000000u

/* Models whose registers are at these offsets. */
static struct pmk_l2cc_model l210, l220;
static struct pmk_ahbmon_model monitor;
static struct pmk_bus ahb[PMK_AHBMON_NBUSES];
static struct block {
	const struct pmk_pmu *pmu;
	uint32_t base;
	const uint16_t *offset;
	unsigned noffsets;
	struct pmk_model_port at;
} blocks[] = {
	/* its address in the i.MX31 */
	{ &pmk_l210, 0x43f08000, pmk_l210_imx31_offsets, PMK_L210_NREGS, { .model = &l210 } },
	{ &pmk_l220, L220_BASE, pmk_l220_offsets, PMK_L220_NREGS, { .model = &l220 } },
	{ &pmk_ahbmon,
	  0x101d0000,
	  pmk_ahbmon_sp816.offset,
	  PMK_AHBMON_NREGS,
	  { .model = &monitor, .bus = ahb } },
};

#define NBLOCKS (sizeof(blocks) / sizeof(blocks[0]))

/* Blocks that have other words, too, such as a lock. */
#define A53_BASE 0x80030000u
#define MDM_BASE 0x41400000u
#define MDM_SIZE 0x1000u
static struct pmk_armv8_model a53;
static struct pmk_microblaze_model microblaze;
static struct pmk_model_port microblaze_at = { .model = &microblaze };
static struct pmk_port behind;
static struct pmk_mdm_model mdm;

void blocks_reset(struct pmk_bus *bus)
{
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&ahb[i]);
	for (struct block *b = blocks; b < blocks + NBLOCKS; b++) {
		b->at.ops = pmk_model_find(b->pmu);
		b->at.bus = b->at.bus ? b->at.bus : bus;
		b->at.ops->reset(b->at.model, b->at.bus, b->pmu);
	}
	pmk_model_find(&pmk_cortex_a53)->reset(&a53, bus, &pmk_cortex_a53);
	microblaze_at.ops = pmk_model_find(&pmk_microblaze);
	microblaze_at.bus = bus;
	microblaze_at.ops->reset(&microblaze, bus, &pmk_microblaze);
	behind = pmk_port_model(&microblaze_at);
	pmk_mdm_model_reset(&mdm, &pmk_mdm_defaults, &behind, 1);
}

void blocks_sync(struct pmk_bus *bus)
{
	pmk_model_find(&pmk_cortex_a53)->sync(&a53, bus);
	microblaze_at.ops->sync(&microblaze, bus);
	for (unsigned i = 0; i < NBLOCKS; i++)
		blocks[i].at.ops->sync(blocks[i].at.model, blocks[i].at.bus);
}

void blocks_ask(struct pmk_bus *bus)
{
	pmk_model_find(&pmk_cortex_a53)->ask(&a53, bus);
	microblaze_at.ops->ask(&microblaze, bus);
	for (unsigned i = 0; i < NBLOCKS; i++)
		blocks[i].at.ops->ask(blocks[i].at.model, blocks[i].at.bus);
}

void blocks_run(struct pmk_bus *bus, uint64_t cycles)
{
	pmk_bus_add(bus, PMK_SIG_CYCLE, cycles);
	pmk_bus_add(bus, PMK_SIG_INSN, cycles / 3);
	pmk_bus_add(bus, PMK_SIG_L2CC_INSN_READ, 1);
	pmk_bus_add(&ahb[PMK_AHBMON_BUS_HCLK], PMK_SIG_CYCLE, cycles);
	pmk_bus_add(&ahb[PMK_AHBMON_BUS_ARMI], PMK_SIG_AHB_READ, 1);
}

/* Finds the block that has a register at this address, and the register's number. */
static const struct block *find_block(uint32_t address, unsigned *reg)
{
	for (const struct block *b = blocks; b < blocks + NBLOCKS; b++)
		for (*reg = 0; *reg < b->noffsets; ++*reg)
			if (address == b->base + b->offset[*reg])
				return b;
	return NULL;
}

#define L220_CACHE_ID 0x41000087 /* the block's first word, which the model lacks */

bool blocks_load(struct pmk_bus *bus, uint32_t address, uint32_t *value)
{
	unsigned reg;
	const struct block *b = find_block(address, &reg);
	uint64_t v = 0;

	if (address == L220_BASE) {
		*value = L220_CACHE_ID;
		return true;
	}
	if (address - A53_BASE < 0x1000)
		return !pmk_armv8_load(&a53, bus, address - A53_BASE, value);
	if (address - MDM_BASE < MDM_SIZE)
		return !pmk_mdm_model_load(&mdm, address - MDM_BASE, value);
	if (b)
		b->at.ops->read(b->at.model, b->at.bus, PMK_MODE_PRIV, reg, &v);
	*value = (uint32_t)v;
	return b != NULL;
}

bool blocks_store(struct pmk_bus *bus, uint32_t address, uint32_t value)
{
	unsigned reg;
	const struct block *b = find_block(address, &reg);

	if (address - A53_BASE < 0x1000)
		return !pmk_armv8_store(&a53, bus, address - A53_BASE, value);
	if (address - MDM_BASE < MDM_SIZE)
		return !pmk_mdm_model_store(&mdm, address - MDM_BASE, value);
	if (b)
		b->at.ops->write(b->at.model, b->at.bus, PMK_MODE_PRIV, reg, value);
	return b != NULL;
}
