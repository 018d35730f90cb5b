// SPDX-License-Identifier: MIT
/* Distributes events over counters and passes. Freestanding; see <pmk/session.h>. */
#include <pmk/session.h>

/* Try to give counters of `pass` to all events of one group. Returns false, and takes no counter,
 * if there are not enough. */
static bool place_group(const struct pmk_pmu *pmu, struct pmk_plan *plan, const uint8_t *member,
			unsigned count, unsigned pass, struct pmk_counter_set *used)
{
	struct pmk_counter_set trial = *used;

	for (unsigned i = 0; i < count; i++) {
		struct pmk_plan_event *e = &plan->event[member[i]];
		int c = pmk_pmu_free_counter(pmu, &trial, e->code);

		if (c < 0)
			return false;
		pmk_counter_add(&trial, (unsigned)c);
		e->pass = (uint8_t)pass;
		e->counter = (uint8_t)c;
	}
	*used = trial;
	return true;
}

/* Store the indices of the events that must share a pass with event `i`, including `i`, and return
 * their number. Returns 0 if `i` is not the first event of its group, because the group was handled
 * with that event. */
static unsigned find_members(const struct pmk_plan *plan, unsigned i, uint8_t *member)
{
	uint8_t group = plan->event[i].group;
	unsigned n = 0;

	if (!group) {
		member[n++] = (uint8_t)i;
		return n;
	}
	for (unsigned k = 0; k < plan->nevents; k++) {
		if (plan->event[k].group != group)
			continue;
		if (k < i)
			return 0;
		member[n++] = (uint8_t)k;
	}
	return n;
}

int pmk_plan_make(const struct pmk_pmu *pmu, struct pmk_plan *plan)
{
	struct pmk_counter_set used[PMK_MAX_PASSES] = { 0 };
	uint8_t member[PMK_MAX_EVENTS];

	if (plan->nevents > PMK_MAX_EVENTS || pmu->ncounters > PMK_MAX_COUNTERS)
		return PMK_ERANGE;
	plan->npasses = 0;
	if (plan->timed) {
		int c = pmk_pmu_free_counter(pmu, &used[0], plan->timer_code);

		if (!pmk_pmu_event_code(pmu, plan->timer_code))
			return PMK_ENOEVENT;
		if (c < 0)
			return c;
		plan->timer_counter = (uint8_t)c;
		for (unsigned i = 0; i < PMK_MAX_PASSES; i++)
			pmk_counter_add(&used[i], (unsigned)c);
	}
	for (unsigned i = 0; i < plan->nevents; i++) {
		unsigned count = find_members(plan, i, member);
		unsigned pass = 0;

		if (!pmk_pmu_event_code(pmu, plan->event[i].code))
			return PMK_ENOEVENT;
		if (!count)
			continue;
		while (pass < plan->npasses &&
		       !place_group(pmu, plan, member, count, pass, &used[pass]))
			pass++;
		if (pass < plan->npasses)
			continue;
		if (pass == PMK_MAX_PASSES)
			return PMK_ERANGE;
		if (!place_group(pmu, plan, member, count, pass, &used[pass]))
			return PMK_ENOCTR;
		plan->npasses++;
	}
	return 0;
}
