// SPDX-License-Identifier: MIT
/* Lists the PMUs of this build. Firmware names its own PMU and does not link this list. */
#include <pmk/pmu.h>

#include "pmu/families.h"
#include "pmu/lookup.h"

#define DECLARE(name) extern const struct pmk_pmu pmk_##name;
PMK_FAMILIES(PMK_NOTHING, DECLARE)

#define ENTRY(name) &pmk_##name,
const struct pmk_pmu *const pmk_pmus[] = { PMK_FAMILIES(PMK_NOTHING, ENTRY) NULL };

const struct pmk_pmu *pmk_pmu_find(const char *name)
{
	for (unsigned i = 0; pmk_pmus[i]; i++)
		if (pmk_is_called(pmk_pmus[i]->name, pmk_pmus[i]->aliases, name))
			return pmk_pmus[i];
	return NULL;
}
