// SPDX-License-Identifier: MIT
/*
 * Chooses the settings of the AHB Monitor, in emulation and for a dump. Its layout comes from a
 * file, --layout or data/layouts/sp816.ini; driver and model use the same layout. The monitor's
 * settings are parameters of the core: thresholds, page size, alignment test.
 */
#include "count/monitor.h"

#include <stdio.h>
#include <string.h>

#include "count/count.h"
#include "producer/session/devchip.h"

int pmk_monitor_layout(struct pmk_ahbmon_layout_file *file, const char *path, const char *data,
		       struct pmk_count_fault *f)
{
	char usual[PATH_MAX], msg[PATH_MAX + 256];
	int err;

	if (!path)
		snprintf(usual, sizeof(usual), "%s/layouts/sp816.ini", data);
	err = pmk_ahbmon_layout_load(file, path ? path : usual, msg, sizeof(msg));
	if (err)
		return pmk_count_fail(
			f, err == PMK_EPARSE && path ? PMK_COUNT_USAGE : PMK_COUNT_FAILED, "%s%s",
			path ? "`layout`: " : "", msg);
	return 0;
}

/* Names of the parameters, indexed by enum pmk_ahbmon_threshold. */
static const char *const threshold_names[PMK_AHBMON_NTHRESHOLDS] = {
	"wait.armi", "wait.clcdc",    "wait.dma0",     "wait.dma1",	 "wait.exp",
	"wait.armd", "wait.gxi_read", "wait.gxi_data", "wait.gxi_write",
};

/* Reject settings for which this layout has no field, and values that do not fit in the field. */
static int check_settings(const struct pmk_monitor *m, struct pmk_count *c)
{
	const struct pmk_ahbmon_config *config = &m->config;
	const struct pmk_ahbmon_layout *l = &m->layout.layout;

	if (config->castout4_aligned && !l->castout4_aligned)
		return pmk_count_refuse(&c->fault,
					"`set` castout4.aligned: layout %s has no bit for it",
					m->layout.name);
	for (unsigned i = 0; i < PMK_AHBMON_NTHRESHOLDS; i++) {
		if (config->threshold[i] && l->offset[PMK_AHBMON_THRESHOLD0 + i] == PMK_MMIO_NONE)
			return pmk_count_refuse(&c->fault,
						"`set` %s: layout %s has no register for it",
						threshold_names[i], m->layout.name);
		if (config->threshold[i] & ~l->threshold)
			return pmk_count_refuse(&c->fault,
						"`set` %s: %u is more than %u, the maximum for a "
						"threshold in layout %s",
						threshold_names[i], config->threshold[i],
						l->threshold, m->layout.name);
	}
	return 0;
}

int pmk_monitor_choose(struct pmk_monitor *m, struct pmk_count *c, const struct pmk_core *core)
{
	const char *data = c->q.core.layout ? NULL : pmk_count_data(c);
	int err;

	if (!c->q.core.layout && !data)
		return PMK_COUNT_FAILED;
	err = pmk_monitor_layout(&m->layout, c->q.core.layout, data, &c->fault);
	if (err)
		return err;
	pmk_devchip_settings(core, &m->config);
	return check_settings(m, c);
}

int pmk_monitor_none(struct pmk_count *c, const char *what)
{
	return c->q.core.layout
		       ? pmk_count_refuse(&c->fault,
					  "`layout`: %s has no AHB Monitor; it is counted with "
					  "`pmu` ahbmon",
					  what)
		       : 0;
}

int pmk_monitor_core(struct pmk_core *core, struct pmk_count *c)
{
	const struct pmk_words *overrides = &c->q.core.set;
	static const char *const own[] = { "wait.", "gxi.page=", "castout4.aligned=" };
	char key[64], msg[256];

	pmk_core_choose(core, "arm", "ahbmon");
	strcpy(core->name, "arm926");
	for (unsigned i = 0; i < overrides->count; i++) {
		const char *word = overrides->word[i], *eq = strchr(word, '=');
		bool ours = false;

		for (unsigned k = 0; k < sizeof(own) / sizeof(own[0]); k++)
			ours |= strncmp(word, own[k], strlen(own[k])) == 0;
		if (!eq || !ours || (size_t)(eq - word) >= sizeof(key))
			return pmk_count_refuse(
				&c->fault,
				"`set` %s: a dump has no core; only wait.threshold, wait.LAYER, "
				"gxi.page and castout4.aligned can be set",
				word);
		snprintf(key, sizeof(key), "%.*s", (int)(eq - word), word);
		if (pmk_core_set(core, key, eq + 1, msg, sizeof(msg)))
			return pmk_count_refuse(&c->fault, "`set` %s: %s", word, msg);
		if (core->arm9.gxi_page & (core->arm9.gxi_page - 1))
			return pmk_count_refuse(&c->fault,
						"`set` %s: expected 2K, 4K, 8K or "
						"16K",
						word);
	}
	return 0;
}
