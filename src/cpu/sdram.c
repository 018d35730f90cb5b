// SPDX-License-Identifier: MIT
/* Main memory (SDRAM). See sdram.h. */
#include "cpu/sdram.h"

#include "cpu/config.h"

bool pmk_sdram_differs(const struct pmk_core *core)
{
	return core->sdram.row_miss || core->sdram.refresh;
}

void pmk_sdram_write(struct pmk_sdram *sdram, const struct pmk_core *core, uint64_t addr)
{
	uint64_t row = addr / core->sdram.row;

	sdram->open[row & (core->sdram.banks - 1)] = row + 1;
}

uint64_t pmk_sdram_read(struct pmk_sdram *sdram, const struct pmk_core *core, uint64_t addr,
			uint64_t now)
{
	uint64_t row, latency = core->mem.latency, *open;

	if (!pmk_sdram_differs(core))
		return latency;
	if (core->sdram.refresh) {
		uint64_t refreshes = now / core->sdram.refresh;
		uint64_t since = now % core->sdram.refresh;

		if (refreshes != sdram->refreshes)
			*sdram = (struct pmk_sdram){ .refreshes = refreshes };
		if (refreshes && since < core->sdram.refresh_busy)
			latency += core->sdram.refresh_busy - since;
	}
	row = addr / core->sdram.row;
	open = &sdram->open[row & (core->sdram.banks - 1)];
	if (*open != row + 1)
		latency += core->sdram.row_miss;
	*open = row + 1;
	return latency;
}
