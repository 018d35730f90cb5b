// SPDX-License-Identifier: MIT
/*
 * pmk doctor ahbmon: the layout of the AHB Monitor's registers, asked the way hardware can be
 * asked. A preset sets each counter to its own address (DDI 0287B §4.3.28), so what reads back
 * differently is not where the layout has it.
 *
 * There is no hardware here, so the model answers: with the same layout (that of --layout, else the
 * project's), with its counters somewhere else, and not at all. The last two show that the check can fail.
 */
#include <string.h>

#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>
#include <pmk/error.h>

#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/show.h"
#include "pmu/ahbmon/layout.h"

/* A window of memory with the model behind it: what the driver asks for by its layout is found
 * by the model's. */
struct window {
	struct pmk_bus buses[PMK_AHBMON_NBUSES];
	struct pmk_ahbmon_model model;
	const struct pmk_ahbmon_layout *driver;
	bool empty; /* nothing there */
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

/* Who answers the driver, and what comes of it. */
struct trial {
	const char *who;
	unsigned moved; /* counters from this one on are somewhere else */
	bool empty;
	unsigned agree;
	int err;
};

static void probe(struct trial *t, const struct pmk_ahbmon_layout *driver)
{
	static struct window w;
	struct pmk_ahbmon_params params = { 0 };
	struct pmk_ahbmon_layout layout = *driver;
	struct pmk_pmu pmu = pmk_ahbmon;
	struct pmk_dev dev = {
		.pmu = &pmu,
		.port = { .read = window_read, .write = window_write, .ctx = &w },
	};

	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&w.buses[i]);
	for (unsigned n = t->moved; n < PMK_AHBMON_NCTRS; n++)
		layout.offset[n] ^= 0x1000;
	pmu.family = driver;
	w.driver = driver;
	w.empty = t->empty;
	pmk_ahbmon_model_reset(&w.model, &layout, &params, w.buses);
	t->err = pmk_ahbmon_probe(&dev, layout.base, &t->agree);
}

#define PRESET_COUNTERS (PMK_AHBMON_NCTRS - 1) /* all but CtTotalCycles */

static const char *verdict(const struct trial *t)
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

static const char advice[] =
	"These offsets and control bits are the project's, not Arm's: the manual's are not public. That "
	"the model agrees says that driver and model were built from one table, and nothing of "
	"hardware. To ask hardware, fill in a struct pmk_ahbmon_layout, set its provenance, and call "
	"pmk_ahbmon_probe() in firmware; include/pmk/ahbmon.h shows how. It cannot tell which counter "
	"counts what.";

static const char manual_advice[] =
	"That the model agrees says that driver and model were given one file, and nothing of hardware. To ask "
	"hardware, call pmk_ahbmon_probe() in firmware with this table; include/pmk/ahbmon.h shows how.";

static const char *advice_on(const struct pmk_ahbmon_layout *l)
{
	return l->provenance == PMK_AHBMON_FROM_MANUAL ? manual_advice : advice;
}

static void print_text(const struct pmk_ahbmon_layout_file *f, const struct trial *trials,
		       unsigned n)
{
	printf("%sAHB Monitor%s: each counter holds its own address after a preset (DDI 0287B "
	       "§4.3.28)\n\n",
	       show_bold(), show_plain());
	printf("  layout %s, %s, base 0x%08x: can be one (words, aligned, inside 64 KB, none twice)\n\n",
	       f->name,
	       f->layout.provenance == PMK_AHBMON_FROM_MANUAL ? "from the manual"
							      : "made up by the project",
	       f->layout.base);
	for (unsigned i = 0; i < n; i++)
		printf("  %-52s %2u of %u agree: %s\n", trials[i].who, trials[i].agree,
		       PRESET_COUNTERS, verdict(&trials[i]));
	putchar('\n');
	show_wrapped(advice_on(&f->layout), "  ", "  ", 96);
}

static void add_json(json_object *doc, const struct pmk_ahbmon_layout_file *f,
		     const struct trial *trials, unsigned n)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	show_add(o, "layout", f->name);
	show_add(o, "provenance",
		 f->layout.provenance == PMK_AHBMON_FROM_MANUAL ? "manual" : "project");
	json_object_object_add(o, "sound", json_object_new_boolean(true));
	for (unsigned i = 0; i < n; i++) {
		json_object *t = json_object_new_object();

		show_add(t, "who", trials[i].who);
		json_object_object_add(t, "agree", json_object_new_int((int)trials[i].agree));
		json_object_object_add(t, "of", json_object_new_int(PRESET_COUNTERS));
		show_add(t, "verdict", verdict(&trials[i]));
		json_object_array_add(list, t);
	}
	json_object_object_add(o, "trials", list);
	show_add(o, "advice", advice_on(&f->layout));
	json_object_object_add(doc, "ahbmon", o);
}

int doctor_ahbmon(json_object *doc, const char *layout)
{
	struct trial trials[] = {
		{ .who = "the model, with this layout", .moved = PMK_AHBMON_NCTRS },
		{ .who = "the model, its counters from ARM-D on elsewhere",
		  .moved = PMK_AHBMON_ARMD_RD },
		{ .who = "nothing there: reads are 0", .moved = PMK_AHBMON_NCTRS, .empty = true },
	};
	const unsigned n = sizeof(trials) / sizeof(trials[0]);
	struct pmk_ahbmon_layout_file file;
	int code = cli_layout(&file, layout); /* refuses what cannot be one */

	if (code)
		return code;
	for (unsigned i = 0; i < n; i++)
		probe(&trials[i], &file.layout);
	if (doc)
		add_json(doc, &file, trials, n);
	else
		print_text(&file, trials, n);
	/* Driver and model of one build have to agree. */
	return trials[0].err == PMK_OK ? PMK_EXIT_OK : PMK_EXIT_FAILED;
}
