/* SPDX-License-Identifier: MIT */
/* Packets of the AHB Monitor on AHBMONITOR[33:0], described as if they were a register: for pmk
 * decode. */
#ifndef PMK_AHBMON_PACKET_REG_H
#define PMK_AHBMON_PACKET_REG_H

#include <stddef.h>

#include <pmk/pmu.h>

#include "pmu/ahbmon/packet.h"

/* Described as a register; NULL: `name` of this PMU is not it. */
const struct pmk_reg_info *pmk_ahbmon_packet_reg(const struct pmk_pmu *pmu, const char *name);

/* What a layer's field says by the codes of a layout. False: it is no layer's. */
bool pmk_ahbmon_packet_text(const struct pmk_ahbmon_packet_params *codes,
			    const struct pmk_field *field, uint64_t value, char *buf, size_t size);

#endif
