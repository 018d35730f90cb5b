// SPDX-License-Identifier: MIT
/* MicroBlaze among the families of cores. */
#include "cpu/family.h"

#include "cpu/microblaze/microblaze.h"

static uint64_t insns_per_cycle(const struct pmk_core *core)
{
	(void)core;
	return 1;
}

const struct pmk_core_family pmk_family_microblaze = {
	.name = "microblaze",
	.isa = "microblaze",
	.init = pmk_mb_init,
	.fini = pmk_mb_fini,
	.forked = pmk_mb_forked,
	.build = pmk_mb_build,
	.fact_signal = pmk_mb_signal,
	.nfacts = PMK_MB_NFACTS,
	.raises = pmk_mb_raises,
	.longest = pmk_mb_longest,
	.derive = pmk_mb_derive,
	.insns_per_cycle = insns_per_cycle,
};
