// SPDX-License-Identifier: MIT
/*
 * The registers of the MicroBlaze Debug Module in this processor's memory. Freestanding; see
 * <pmk/microblaze.h>. Words are accessed through the port of mmio.c, which executes the barriers.
 */
#include <pmk/microblaze.h>

#include <pmk/native.h>

#define FIRST 0x10 /* the counters need the three words from this offset on: PG115 */

/* How many times an access requests the access lock before it gives up: our choice. One attempt
 * takes 2 or 3 µs, so the access waits some 20 ms or more. A scan of a debugger takes only some
 * µs. */
#define PATIENCE 10000

static const uint16_t offsets[] = { FIRST, FIRST + 4, FIRST + 8 };

static struct pmk_mmio words_at(void *base)
{
	return (struct pmk_mmio){
		.base = (uintptr_t)base,
		.offset = offsets,
		.noffsets = sizeof(offsets) / sizeof(offsets[0]),
	};
}

static int load_word(void *ctx, unsigned offset, uint32_t *value)
{
	struct pmk_mmio words = words_at(ctx);
	struct pmk_port port = pmk_port_mmio(&words);
	uint64_t v = 0;
	int err = port.read(port.ctx, (offset - FIRST) / 4, &v);

	*value = (uint32_t)v;
	return err;
}

static int store_word(void *ctx, unsigned offset, uint32_t value)
{
	struct pmk_mmio words = words_at(ctx);
	struct pmk_port port = pmk_port_mmio(&words);

	return port.write(port.ctx, (offset - FIRST) / 4, value);
}

void pmk_mdm_mmio(struct pmk_mdm *mdm, uintptr_t base)
{
	*mdm = (struct pmk_mdm){
		.load = load_word,
		.store = store_word,
		.ctx = (void *)base,
		.ports = 1,
		.patience = PATIENCE,
	};
}
