// SPDX-License-Identifier: MIT
/*
 * Selects the parts of the core that the requested events need. A run with fewer parts is faster.
 */
#include "producer/session/emulated_internal.h"

#include <pmk/ahbmon.h>

static bool is_in(const uint8_t *list, unsigned sig)
{
	if (!list)
		return false;
	while (*list != PMK_SIG_CYCLE && *list != sig)
		list++;
	return *list != PMK_SIG_CYCLE;
}

static uint32_t part_of(const struct pmk_core_counts *counts, unsigned sig)
{
	uint32_t parts = is_in(counts->mix, sig) ? PMK_PART_EXECUTIONS : 0;

	if (is_in(counts->data, sig))
		parts |= PMK_PART_DATA;
	if (is_in(counts->fetch, sig))
		parts |= PMK_PART_FETCH | PMK_PART_PREDICTOR;
	if (is_in(counts->lines, sig))
		parts &= ~(uint32_t)PMK_PART_PREDICTOR;
	return parts || sig == PMK_SIG_NONE ? parts : PMK_PART_CLOCK;
}

/* Returns the parts of the core that determine the events of the plan over the whole run of a
 * program. */
static uint32_t parts_asked(const struct pmk_emulated_config *cfg)
{
	const struct pmk_core_family *family = pmk_core_family(&cfg->core);
	const struct pmk_pmu *pmu = pmk_pmu_find(cfg->pmu);
	uint32_t parts = 0;

	if (cfg->whole || !pmu || family->run->attach || cfg->core.system || cfg->nregions ||
	    cfg->watch_levels || cfg->delay || cfg->units.head ||
	    cfg->interval_unit != PMK_INTERVAL_NONE)
		return PMK_PART_CLOCK;
	for (unsigned i = 0; i < cfg->plan.nevents; i++) {
		const struct pmk_plan_event *planned = &cfg->plan.event[i];
		const struct pmk_event *event = pmk_pmu_event_code(pmu, planned->code);

		if (planned->pmu || !event || event->latency)
			return PMK_PART_CLOCK;
		parts |= part_of(family->counts, event->signal) |
			 part_of(family->counts, event->signal2);
	}
	/* Modelling both fetches and data without the clock would save too little. */
	if (parts & PMK_PART_DATA && (parts & PMK_PART_FETCH || pmk_core_is_blind(&cfg->core)))
		return PMK_PART_CLOCK;
	return parts;
}

/*
 * Chooses how the core is modelled. If `eager` is set, each execution of a block adds the block's
 * facts to the counts. Otherwise only the executions of each block are counted, and a reading of
 * the counts sums up over all blocks. That is faster if there are few readings, but not if there is
 * one at every entry of a region.
 */
void pmk_emulated_configure(struct pmk_emulated_config *cfg)
{
	if (!cfg->interval)
		cfg->interval_unit = PMK_INTERVAL_NONE;
	if (!cfg->layout.enable)
		cfg->layout = pmk_ahbmon_sp816;
	cfg->follows = 0;
	for (unsigned r = 0; r < cfg->nregions; r++)
		cfg->follows |= !cfg->region[r].end;
	cfg->eager = cfg->nregions > 0 || cfg->watch_levels || cfg->guest ||
		     (cfg->interval_unit != PMK_INTERVAL_NONE && cfg->interval < 1000000);
	cfg->parts = parts_asked(cfg);
	cfg->core.timeless = !(cfg->parts & PMK_PART_CLOCK);
}
