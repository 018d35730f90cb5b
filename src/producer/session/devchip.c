// SPDX-License-Identifier: MIT
/* The ARM926EJ-S Development Chip around a running core. See devchip.h. */
#include "producer/session/devchip.h"

#include <string.h>

#include <pmk/error.h>

#define PAGE_BYTES 2048u /* bytes: PMK_AHBMON_PAGE_2K; each further page size is twice as large */

_Static_assert(PMK_MATRIX_NMASTERS == PMK_AHBMON_NLAYERS, "one layer for each master");

/* Shows the pins of `n` more cycles. In these cycles the monitors have seen what they saw in the
 * last cycle. */
static void show_pins(struct pmk_devchip *chip, uint64_t n)
{
	struct pmk_ahbmon_packet now;

	for (uint64_t i = 0; chip->sink.show && i < n; i++) {
		pmk_ahbmon_packets_next(&chip->packets, &chip->observer, &now);
		if (now.pins != chip->pins.pins || now.known != chip->pins.known)
			pmk_devchip_shown(chip);
		chip->pins.pins = now.pins;
		chip->pins.known = now.known;
		chip->pins.cycles++;
		if (i == PMK_AHBMON_LAG) { /* from here on, the pins do not change */
			chip->pins.cycles += n - 1 - i;
			break;
		}
	}
}

void pmk_devchip_shown(struct pmk_devchip *chip)
{
	if (chip->sink.show && chip->pins.cycles)
		chip->sink.show(chip->sink.ctx, &chip->pins);
	chip->pins.cycles = 0;
}

/* Passes the activity of the matrix in a cycle to the monitors, together with that of the MBX. */
static void see_one(struct pmk_devchip *chip, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS])
{
	struct pmk_ahbmon_sample sample;

	pmk_mbx_step(&chip->mbx, &sample.gxi);
	memcpy(sample.layer, cycle, sizeof(sample.layer));
	pmk_ahbmon_observer_sample(&chip->observer, chip->bus, &sample);
	show_pins(chip, 1);
}

/* Passes `n` cycles to the observers. If `n` is more than 1, the layers are idle in all `n` cycles,
 * but the GXI may not be idle. */
static void see_cycles(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS], uint64_t n)
{
	struct pmk_devchip *chip = ctx;

	while (n > 1) {
		uint64_t quiet = pmk_mbx_quiet(&chip->mbx), skip = quiet < n ? quiet : n;

		if (!skip) {
			see_one(chip, cycle);
			n--;
			continue;
		}
		pmk_ahbmon_observer_idle(&chip->observer, chip->bus, skip);
		pmk_mbx_skip(&chip->mbx, skip);
		show_pins(chip, skip);
		n -= skip;
	}
	if (n)
		see_one(chip, cycle);
}

void pmk_devchip_bind(struct pmk_devchip *chip, const struct pmk_pins_sink *sink)
{
	chip->biu.sink = see_cycles;
	chip->biu.sink_ctx = chip;
	chip->sink = *sink;
}

int pmk_devchip_init(struct pmk_devchip *chip, const struct pmk_core *core,
		     const struct pmk_traffic *traffic)
{
	int err = pmk_biu_init(&chip->biu, core);

	for (unsigned s = 0; s < PMK_MATRIX_MAX_SLAVES; s++) {
		struct pmk_matrix_slave *slave = &chip->biu.matrix.config.slave[s];

		slave->refuse_every = traffic->slave[s].every;
		slave->split = traffic->slave[s].split;
		slave->release = traffic->slave[s].release;
	}
	for (unsigned i = 0; !err && i < PMK_MATRIX_NMASTERS; i++)
		if (traffic->master[i].on)
			err = pmk_matrix_script(&chip->biu.matrix, i, &traffic->master[i]);
	if (!err)
		err = pmk_mbx_init(&chip->mbx, &traffic->gxi);
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&chip->bus[i]);
	pmk_devchip_bind(chip, &chip->sink);
	return err;
}

/* Gives the observers the address windows of the matrix. Each window belongs to a slave. */
static void number_slaves(const struct pmk_devchip *chip, struct pmk_ahbmon_observer_params *params)
{
	const struct pmk_matrix_config *matrix = &chip->biu.matrix.config;

	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		params->layer[i].nwindows = matrix->nwindows;
		memcpy(params->layer[i].window, matrix->window, sizeof(matrix->window));
	}
}

int pmk_devchip_observe(struct pmk_devchip *chip, const struct pmk_ahbmon_model *model,
			const struct pmk_ahbmon_packet_params *codes)
{
	struct pmk_ahbmon_observer_params params;
	int err;

	pmk_ahbmon_observer_defaults(&params);
	if (codes)
		number_slaves(chip, &params);
	err = pmk_ahbmon_observer_init(&chip->observer, &params, chip->bus);
	if (!err)
		pmk_ahbmon_observer_thresholds(&chip->observer, model);
	if (!err && codes)
		err = pmk_ahbmon_packets_init(&chip->packets, codes);
	return err;
}

bool pmk_devchip_valid(struct pmk_devchip *chip, const struct pmk_devchip *begun, uint64_t clock)
{
	return pmk_biu_valid(&chip->biu, &begun->biu, clock) &&
	       pmk_mbx_valid(&chip->mbx, &begun->mbx) &&
	       pmk_ahbmon_observer_valid(&chip->observer, &begun->observer) &&
	       pmk_ahbmon_packets_valid(&chip->packets, &begun->packets, &chip->observer);
}

int pmk_devchip_check(const struct pmk_devchip *chip)
{
	const struct pmk_bus *gxi = &chip->bus[PMK_AHBMON_BUS_GXI];
	enum pmk_ahbmon_bus bus;

	if (pmk_ahbmon_observer_check(&chip->observer, chip->bus, &bus) ||
	    chip->mbx.now != chip->observer.cycles ||
	    chip->mbx.reads != gxi->total[PMK_SIG_GXI_READ] ||
	    chip->mbx.writes != gxi->total[PMK_SIG_GXI_WRITE])
		return PMK_EIO;
	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++)
		if (chip->biu.matrix.layer[i].refused != chip->observer.layer[i].refused)
			return PMK_EIO;
	return PMK_OK;
}

void pmk_devchip_settings(const struct pmk_core *core, struct pmk_ahbmon_config *config)
{
	const uint64_t wait[PMK_AHBMON_NTHRESHOLDS] = {
		[PMK_AHBMON_OVER_ARMI] = core->arm9.wait_armi,
		[PMK_AHBMON_OVER_CLCDC] = core->arm9.wait_clcdc,
		[PMK_AHBMON_OVER_DMA0] = core->arm9.wait_dma0,
		[PMK_AHBMON_OVER_DMA1] = core->arm9.wait_dma1,
		[PMK_AHBMON_OVER_EXP] = core->arm9.wait_exp,
		[PMK_AHBMON_OVER_ARMD] = core->arm9.wait_armd,
		[PMK_AHBMON_OVER_GXI_RD_A] = core->arm9.wait_gxi_read,
		[PMK_AHBMON_OVER_GXI_RD_D] = core->arm9.wait_gxi_data,
		[PMK_AHBMON_OVER_GXI_WR_A] = core->arm9.wait_gxi_write,
	};

	*config = (struct pmk_ahbmon_config){ .castout4_aligned = core->arm9.castout_aligned };
	while (PAGE_BYTES << config->page < core->arm9.gxi_page &&
	       config->page < PMK_AHBMON_PAGE_16K)
		config->page++;
	for (unsigned i = 0; i < PMK_AHBMON_NTHRESHOLDS; i++)
		config->threshold[i] = (uint32_t)wait[i];
}

struct pmk_signal_set pmk_devchip_raises(void)
{
	struct pmk_signal_set set = { { 0 } };

	for (unsigned s = PMK_SIG_AHB_READ; s <= PMK_SIG_GXI_PAGE_16K; s++)
		pmk_signal_add(&set, s);
	pmk_signal_add(&set, PMK_SIG_CYCLE);
	return set;
}
