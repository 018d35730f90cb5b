/* SPDX-License-Identifier: MIT */
/* Describes the packets of the AHB Monitor on AHBMONITOR[33:0] as if they were a register, so that
 * pmk decode can decode them. */
#ifndef PMK_AHBMON_PACKET_REG_H
#define PMK_AHBMON_PACKET_REG_H

#include <stddef.h>

#include <pmk/pmu.h>

#include "pmu/ahbmon/packet.h"

/*
 * Returns the packet described as a register. Returns NULL if `name` is not the packet's name or
 * this PMU has no packets.
 */
const struct pmk_reg_info *pmk_ahbmon_packet_reg(const struct pmk_pmu *pmu, const char *name);

/*
 * Writes the meaning of a layer's field, according to the codes of a layout. Returns false if the
 * field belongs to no layer.
 */
bool pmk_ahbmon_packet_text(const struct pmk_ahbmon_packet_params *codes,
			    const struct pmk_field *field, uint64_t value, char *buf, size_t size);

#endif
