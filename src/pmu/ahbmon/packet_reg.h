/* SPDX-License-Identifier: MIT */
/* Packets of the AHB Monitor on AHBMONITOR[33:0], described as if they were a register: for pmk
 * decode. */
#ifndef PMK_AHBMON_PACKET_REG_H
#define PMK_AHBMON_PACKET_REG_H

#include <stddef.h>

#include <pmk/pmu.h>

#include "pmu/ahbmon/packet.h"

/*
 * Returns the packet described as a register; NULL unless `name` is the packet's name and this PMU
 * has packets.
 */
const struct pmk_reg_info *pmk_ahbmon_packet_reg(const struct pmk_pmu *pmu, const char *name);

/*
 * Writes the meaning of a layer's field by the codes of a layout. False: the field belongs to no
 * layer.
 */
bool pmk_ahbmon_packet_text(const struct pmk_ahbmon_packet_params *codes,
			    const struct pmk_field *field, uint64_t value, char *buf, size_t size);

#endif
