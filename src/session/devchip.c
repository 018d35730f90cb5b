// SPDX-License-Identifier: MIT
/* The ARM926EJ-S Development Chip around a running core: see devchip.h. */
#include "session/devchip.h"

#include <string.h>

#include <pmk/error.h>

_Static_assert(PMK_MATRIX_NMASTERS == PMK_AHBMON_NLAYERS, "one layer for each master");

/* What the matrix did is what the monitors see. Nothing is on the GXI: no MBX is modelled. */
static void see(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS], uint64_t n)
{
	struct pmk_devchip *chip = ctx;
	struct pmk_ahbmon_sample sample = { .gxi.address = PMK_GXI_IDLE };

	if (n > 1) {
		pmk_ahbmon_observer_idle(&chip->observer, chip->bus, n);
		return;
	}
	memcpy(sample.layer, cycle, sizeof(sample.layer));
	pmk_ahbmon_observer_sample(&chip->observer, chip->bus, &sample);
}

void pmk_devchip_bind(struct pmk_devchip *chip)
{
	chip->biu.sink = see;
	chip->biu.sink_ctx = chip;
}

int pmk_devchip_init(struct pmk_devchip *chip, const struct pmk_core *core,
		     const struct pmk_matrix_script traffic[PMK_MATRIX_NMASTERS])
{
	int err = pmk_biu_init(&chip->biu, core);

	for (unsigned i = 0; !err && i < PMK_MATRIX_NMASTERS; i++)
		if (traffic[i].on)
			err = pmk_matrix_script(&chip->biu.matrix, i, &traffic[i]);
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&chip->bus[i]);
	pmk_devchip_bind(chip);
	return err;
}

int pmk_devchip_observe(struct pmk_devchip *chip, const struct pmk_ahbmon_model *model)
{
	struct pmk_ahbmon_observer_params params;
	int err;

	pmk_ahbmon_observer_defaults(&params);
	err = pmk_ahbmon_observer_init(&chip->observer, &params, chip->bus);
	if (!err)
		pmk_ahbmon_observer_thresholds(&chip->observer, model);
	return err;
}

int pmk_devchip_check(const struct pmk_devchip *chip)
{
	enum pmk_ahbmon_bus bus;

	return pmk_ahbmon_observer_check(&chip->observer, chip->bus, &bus) ? PMK_EIO : PMK_OK;
}

struct pmk_signal_set pmk_devchip_raises(void)
{
	struct pmk_signal_set set = { { 0 } };

	for (unsigned s = PMK_SIG_AHB_READ; s <= PMK_SIG_GXI_PAGE_16K; s++)
		pmk_signal_add(&set, s);
	pmk_signal_add(&set, PMK_SIG_CYCLE);
	return set;
}
