// SPDX-License-Identifier: MIT
/*
 * Checks a layout of the AHB Monitor's registers in the way that works on hardware. A preset sets
 * each counter to its own address (DDI 0287B §4.3.28). So a counter that does not read back as its
 * address is not where the layout says.
 *
 * There is no hardware here, so models take its place: one with this layout, one whose counters are
 * elsewhere, and one that does not respond. The last two show that the check can fail.
 */
#include "cli/doctor_trial.h"

#include <stdlib.h>

#include <pmk/ahbmon_model.h>
#include <pmk/error.h>

/*
 * A window of memory with a model in it. The driver accesses the window by its layout, and the
 * model decodes the accesses by its own layout.
 */
struct window {
	struct pmk_bus buses[PMK_AHBMON_NBUSES];
	struct pmk_ahbmon_model model;
	const struct pmk_ahbmon_layout *driver;
	bool empty; /* true if no model responds */
};

static bool find_register(const struct window *w, unsigned reg, unsigned *found)
{
	uint16_t offset = w->driver->offset[reg];

	for (*found = 0; !w->empty && *found < PMK_AHBMON_NREGS; ++*found)
		if (w->model.layout.offset[*found] == offset)
			return true;
	return false;
}

static int window_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct window *w = ctx;
	unsigned found;

	*value = 0;
	if (!find_register(w, reg, &found))
		return PMK_OK;
	return pmk_ahbmon_models[0].read(&w->model, w->buses, PMK_MODE_PRIV, found, value);
}

static int window_write(void *ctx, unsigned reg, uint64_t value)
{
	struct window *w = ctx;
	unsigned found;

	if (!find_register(w, reg, &found))
		return PMK_OK;
	return pmk_ahbmon_models[0].write(&w->model, w->buses, PMK_MODE_PRIV, found, value);
}

static void probe_window(struct pmk_ahbmon_trial *t, struct window *w,
			 const struct pmk_ahbmon_layout *driver)
{
	struct pmk_ahbmon_params params = { 0 };
	struct pmk_ahbmon_layout layout = *driver;
	struct pmk_pmu pmu = pmk_ahbmon;
	struct pmk_dev dev = {
		.pmu = &pmu,
		.port = { .read = window_read, .write = window_write, .ctx = w },
	};

	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&w->buses[i]);
	for (unsigned n = t->moved; n < PMK_AHBMON_NCTRS; n++)
		layout.offset[n] ^= 0x1000;
	pmu.family = driver;
	w->driver = driver;
	w->empty = t->empty;
	pmk_ahbmon_model_reset(&w->model, &layout, &params, w->buses);
	t->err = pmk_ahbmon_probe(&dev, layout.base, &t->agree);
}

const char *pmk_ahbmon_trial_verdict(const struct pmk_ahbmon_trial *t)
{
	switch (t->err) {
	case PMK_OK:
		return "the layout fits";
	case PMK_EBADREG:
		return "the layout is wrong in places";
	case PMK_ENOTSUP:
		return "no such block, or another layout";
	default:
		return pmk_strerror(t->err);
	}
}

int pmk_ahbmon_try(const struct pmk_ahbmon_layout *layout,
		   struct pmk_ahbmon_trial trials[PMK_AHBMON_NTRIALS])
{
	static const struct pmk_ahbmon_trial all[PMK_AHBMON_NTRIALS] = {
		{ .who = "the model, with this layout", .moved = PMK_AHBMON_NCTRS },
		{ .who = "the model, counters from ARM-D on at other offsets",
		  .moved = PMK_AHBMON_ARMD_RD },
		{ .who = "nothing there: reads are 0", .moved = PMK_AHBMON_NCTRS, .empty = true },
	};
	struct window *w = calloc(1, sizeof(*w)); /* struct window is too big for the stack */

	if (!w)
		return PMK_ENOMEM;
	for (unsigned i = 0; i < PMK_AHBMON_NTRIALS; i++) {
		trials[i] = all[i];
		probe_window(&trials[i], w, layout);
	}
	free(w);
	return 0;
}
