// SPDX-License-Identifier: MIT
/* The families of cores of this build. */
#include "cpu/family.h"

#include "cpu/families.h"

#define DECLARE(name) extern const struct pmk_core_family pmk_family_##name;
PMK_CORE_FAMILIES(DECLARE)

#define ENTRY(name) &pmk_family_##name,
const struct pmk_core_family *const pmk_core_families[] = { PMK_CORE_FAMILIES(ENTRY) NULL };
