// SPDX-License-Identifier: MIT
/* The PMUs of this build. Firmware names the one it has and does not link this list. */
#include <pmk/pmu.h>

#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/l2cc.h>
#include <pmk/microblaze.h>

#include "pmu/lookup.h"

/* clang-format off */
const struct pmk_pmu *const pmk_pmus[] = {
	&pmk_arm1136_r0, &pmk_arm1136, &pmk_arm1156, &pmk_arm1176, &pmk_arm11mpcore,
	&pmk_cortex_a53, &pmk_cortex_a55, &pmk_cortex_a57, &pmk_cortex_a72, &pmk_neoverse_n1,
	&pmk_armv8, &pmk_armv8_long,
	&pmk_ahbmon, &pmk_l210, &pmk_l220,
	&pmk_microblaze,
	NULL,
};
/* clang-format on */

const struct pmk_pmu *pmk_pmu_find(const char *name)
{
	for (unsigned i = 0; pmk_pmus[i]; i++)
		if (pmk_is_called(pmk_pmus[i]->name, pmk_pmus[i]->aliases, name))
			return pmk_pmus[i];
	return NULL;
}
