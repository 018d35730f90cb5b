// SPDX-License-Identifier: MIT
/*
 * pmk doctor ahbmon: check the layout of the AHB Monitor's registers, that of --layout or else the
 * project's, on models, with tests that also work on hardware. The tests are in
 * src/pmu/ahbmon/trial.c.
 */
#include <string.h>

#include <pmk/error.h>

#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/show.h"
#include "pmu/ahbmon/layout.h"
#include "pmu/ahbmon/trial.h"
#include "result/jsonio.h"

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

static void print_text(const struct pmk_ahbmon_layout_file *f,
		       const struct pmk_ahbmon_trial *trials, unsigned n)
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
		       PMK_AHBMON_PRESET_COUNTERS, pmk_ahbmon_trial_verdict(&trials[i]));
	putchar('\n');
	show_wrapped(advice_on(&f->layout), "  ", "  ", 96);
}

static void add_json(json_object *doc, const struct pmk_ahbmon_layout_file *f,
		     const struct pmk_ahbmon_trial *trials, unsigned n)
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
		pmk_json_add(t, "of", json_object_new_int(PMK_AHBMON_PRESET_COUNTERS));
		pmk_json_text(t, "verdict", pmk_ahbmon_trial_verdict(&trials[i]));
		json_object_array_add(list, t);
	}
	pmk_json_add(o, "trials", list);
	pmk_json_text(o, "advice", advice_on(&f->layout));
	pmk_json_add(doc, "ahbmon", o);
}

int doctor_ahbmon(json_object *doc, const char *layout)
{
	struct pmk_ahbmon_trial trials[PMK_AHBMON_NTRIALS];
	struct pmk_ahbmon_layout_file file;
	int code = cli_layout(&file, layout); /* rejects an invalid layout */

	if (code)
		return code;
	if (pmk_ahbmon_try(&file.layout, trials))
		return cli_no_memory();
	if (doc)
		add_json(doc, &file, trials, PMK_AHBMON_NTRIALS);
	else
		print_text(&file, trials, PMK_AHBMON_NTRIALS);
	/* Driver and model belong to the same build, so they must agree. */
	return trials[0].err == PMK_OK ? PMK_EXIT_OK : PMK_EXIT_FAILED;
}
