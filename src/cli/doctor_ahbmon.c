// SPDX-License-Identifier: MIT
/*
 * Checks a layout of the AHB Monitor's registers in the way that works on hardware. A preset sets
 * each counter to its own address (DDI 0287B §4.3.28). So a counter that does not read back as its
 * address is not where the layout says.
 *
 * There is no hardware here, so models take its place: one with this layout, one whose counters are
 * elsewhere, and one that does not respond. The last two show that the check can fail.
 */
#include "cli/doctor.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>
#include <pmk/error.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "pmu/ahbmon/layout.h"
#include "result/jsonio.h"

#define NTRIALS 3

#define PRESET_COUNTERS (PMK_AHBMON_NCTRS - 1) /* all except CtTotalCycles */

/* A model that responds to the driver, and the result of the check. */
struct trial {
	const char *who;
	unsigned moved; /* the counters from this number on are not where the layout says */
	bool empty;
	unsigned agree; /* how many of PRESET_COUNTERS agree */
	int err;	/* result of pmk_ahbmon_probe() */
};

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

static void probe_window(struct trial *t, struct window *w, const struct pmk_ahbmon_layout *driver)
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

/* Returns one line that describes the result of a trial. */
static const char *trial_verdict(const struct trial *t)
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

/*
 * Runs the trials. The first trial must succeed, because its driver and its model use the same
 * layout. Returns 0 or PMK_ENOMEM.
 */
static int run_trials(const struct pmk_ahbmon_layout *layout, struct trial trials[NTRIALS])
{
	static const struct trial all[NTRIALS] = {
		{ .who = "the model, with this layout", .moved = PMK_AHBMON_NCTRS },
		{ .who = "the model, counters from ARM-D on at other offsets",
		  .moved = PMK_AHBMON_ARMD_RD },
		{ .who = "nothing there: reads are 0", .moved = PMK_AHBMON_NCTRS, .empty = true },
	};
	struct window *w = calloc(1, sizeof(*w)); /* struct window is too big for the stack */

	if (!w)
		return PMK_ENOMEM;
	for (unsigned i = 0; i < NTRIALS; i++) {
		trials[i] = all[i];
		probe_window(&trials[i], w, layout);
	}
	free(w);
	return 0;
}

/* ---- output --------------------------------------------------------------------------------- */

static const char advice[] =
	"These offsets and control bits are the project's, because Arm's are not public. If the "
	"model agrees, driver and model use the same table; this says nothing about hardware. To "
	"check hardware, fill in a struct pmk_ahbmon_layout, set its provenance, and call "
	"pmk_ahbmon_probe() in firmware; include/pmk/ahbmon.h shows how. It cannot find out "
	"which counter counts which event.";

static const char manual_advice[] =
	"If the model agrees, driver and model use the same file; this says nothing about "
	"hardware. To check hardware, call pmk_ahbmon_probe() in firmware with this table; "
	"include/pmk/ahbmon.h shows how.";

static const char *advice_on(const struct pmk_ahbmon_layout *l)
{
	return l->provenance == PMK_AHBMON_FROM_MANUAL ? manual_advice : advice;
}

static void print_layout(const struct pmk_ahbmon_layout_file *f, const struct trial *trials,
			 unsigned n)
{
	printf("%sAHB Monitor%s: each counter holds its own address after a preset (DDI 0287B "
	       "§4.3.28)\n\n",
	       show_bold(), show_plain());
	printf("  layout %s, %s, base 0x%08x: valid (words, aligned, inside 64 KB, all "
	       "different)\n\n",
	       f->name,
	       f->layout.provenance == PMK_AHBMON_FROM_MANUAL ? "from the manual"
							      : "made up by the project",
	       f->layout.base);
	for (unsigned i = 0; i < n; i++)
		printf("  %-52s %2u of %u agree: %s\n", trials[i].who, trials[i].agree,
		       PRESET_COUNTERS, trial_verdict(&trials[i]));
	putchar('\n');
	show_wrapped(advice_on(&f->layout), "  ", "  ", 96);
}

static void layout_add_json(json_object *doc, const struct pmk_ahbmon_layout_file *f,
			    const struct trial *trials, unsigned n)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	pmk_json_text(o, "layout", f->name);
	pmk_json_text(o, "provenance",
		      f->layout.provenance == PMK_AHBMON_FROM_MANUAL ? "manual" : "project");
	pmk_json_add(o, "sound", json_object_new_boolean(true));
	for (unsigned i = 0; i < n; i++) {
		json_object *t = json_object_new_object();

		pmk_json_text(t, "who", trials[i].who);
		pmk_json_add(t, "agree", json_object_new_int((int)trials[i].agree));
		pmk_json_add(t, "of", json_object_new_int(PRESET_COUNTERS));
		pmk_json_text(t, "verdict", trial_verdict(&trials[i]));
		json_object_array_add(list, t);
	}
	pmk_json_add(o, "trials", list);
	pmk_json_text(o, "advice", advice_on(&f->layout));
	pmk_json_add(doc, "ahbmon", o);
}

int doctor_ahbmon(json_object *doc, const char *layout)
{
	struct trial trials[NTRIALS];
	struct pmk_ahbmon_layout_file file;
	int code = cli_layout(&file, layout); /* rejects an invalid layout */

	if (code)
		return code;
	if (run_trials(&file.layout, trials))
		return cli_no_memory();
	if (doc)
		layout_add_json(doc, &file, trials, NTRIALS);
	else
		print_layout(&file, trials, NTRIALS);
	/* Driver and model belong to the same build, so they must agree. */
	return trials[0].err == PMK_OK ? PMK_EXIT_OK : PMK_EXIT_FAILED;
}
