/* SPDX-License-Identifier: MIT */
/* Tries firmware.c before there is hardware: its driver accesses a model. */
#include <stdio.h>

#include <pmk/arm11_model.h>

#include "firmware.h"

static struct pmk_bus bus;
static struct pmk_arm11_model model;

/* Tells the model of 300 cycles and 7 misses. */
static void work(void)
{
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 300);
	pmk_bus_add(&bus, PMK_SIG_L1D_MISS, 7);
}

static void put(char c)
{
	putchar(c);
}

int main(void)
{
	struct pmk_model_port to_model = { pmk_model_find(&pmk_arm1176), &model, &bus,
					   PMK_MODE_PRIV };
	int err;

	pmk_bus_init(&bus);
	to_model.ops->reset(&model, &bus, &pmk_arm1176);
	err = count(pmk_port_model(&to_model), work, put);
	if (err)
		fprintf(stderr, "firmware_on_host: %s\n", pmk_strerror(err));
	return err != 0;
}
