/* SPDX-License-Identifier: MIT */
/*
 * The firmware's part. The same file is compiled for the target, where `port` is pmk_port_native(),
 * and for the host, where it is the port of a model (firmware_on_host.c). The driver behaves the
 * same with both ports.
 */
#include <pmk/target.h>

#include "firmware.h"

int count(struct pmk_port port, void (*work)(void), pmk_put *put)
{
	static struct pmk_target pmu;
	static struct pmk_region regions[] = { { .name = "work" } };
	int err = pmk_target_open(&pmu, &pmk_arm1176, port);

	if (err)
		return err;
	pmk_target_add(&pmu, PMK_ARM11_CPU_CYCLES);
	pmk_target_add(&pmu, PMK_ARM11_DCACHE_MISS);
	pmk_target_regions(&pmu, regions, 1);
	err = pmk_target_start(&pmu);
	if (err)
		return err;
	PMK_REGION_BEGIN(0);
	work();
	PMK_REGION_END(0);
	pmk_target_stop(&pmu);
	pmk_target_report(&pmu, put);
	return pmk_target_close(&pmu);
}
