// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports regions and levels of running code to the session. */
#include "producer/qemu/parts.h"

void pmk_running_follow(unsigned vcpu, const struct pmk_block *block, bool boundary)
{
	if (plugin.config.nregions)
		pmk_emulated_follow(plugin_core(pmk_cpus[vcpu]), &plugin.config, block, boundary);
}

void pmk_running_leave_level(unsigned vcpu)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	struct pmk_emulated_blocks b = plugin_blocks(cpu);

	pmk_emulated_leave_level(plugin_core(cpu), &plugin.config, &b);
}

void pmk_running_enter_level(unsigned vcpu, unsigned level)
{
	pmk_emulated_enter_level(plugin_core(pmk_cpus[vcpu]), &plugin.config, level);
}

/*
 * Returns the exception level of an access. From QEMU 6.2 to 10.0, the lowest bits of `info` are an
 * index of address translations. In all of these releases, the indexes are: EL0, EL0 under a host
 * at EL2, EL1, EL2 with a host, EL1 with PAN, EL2 with a host and PAN, EL2, EL3.
 */
int pmk_running_level(uint32_t info)
{
	static const int8_t level[8] = { 0, 0, 1, 2, 1, 2, 2, 3 };

	return level[info & 7];
}

/*
 * Returns the exception level of an access. Since QEMU 10.2, the indexes of address translations
 * are: EL0, EL1, EL1 with PAN, then EL0, EL2 and EL2 with PAN for a host at EL2, then EL2, EL3.
 * Each index without PAN is followed by an index for its guarded control stack.
 */
int pmk_running_level_since_10_2(uint32_t info)
{
	static const int8_t level[] = { 0, 0, 1, 1, 1, 0, 0, 2, 2, 2, 2, 2, 3, 3 };
	uint32_t index = info & 31;

	return index < sizeof(level) ? level[index] : -1;
}

void pmk_running_on_crossing(struct pmk_cpu *cpu)
{
	struct pmk_emulated_blocks b = plugin_blocks(cpu);

	pmk_emulated_cross(plugin_core(cpu), &plugin.config, &b);
}
