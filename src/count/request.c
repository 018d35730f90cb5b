// SPDX-License-Identifier: MIT
/* Turns settings into a request: checks that they go together, and chooses the way to count. */
#include <stdbool.h>
#include <stdio.h>

#include "count/count.h"

const struct pmk_count_way *const pmk_count_ways[] = { &pmk_way_emulation, &pmk_way_machine,
						       &pmk_way_wave,	   &pmk_way_openocd,
						       &pmk_way_gdb,	   &pmk_way_xvc,
						       &pmk_way_devmem,	   NULL };

/* Returns the only way that has the setting, or NULL if all ways have it. If several ways have
 * it, returns the first and sets *shared. */
static const struct pmk_count_way *owner_way(const char *setting, bool *shared)
{
	const struct pmk_count_way *found = NULL;

	for (unsigned i = 0; pmk_count_ways[i]; i++) {
		if (!pmk_setting_of_way(setting, pmk_count_ways[i]))
			continue;
		*shared |= found != NULL;
		found = found ? found : pmk_count_ways[i];
	}
	return found;
}

int pmk_request_note_owner(struct pmk_count *c, const char *setting)
{
	struct pmk_request *q = &c->q;
	bool shared = false;
	const struct pmk_count_way *way = owner_way(setting, &shared);

	if (shared)
		q->target.shared = setting;
	if (!way || shared || way == q->target.hinted)
		return 0;
	if (q->target.hinted)
		return pmk_count_refuse(
			&c->fault,
			"`%s` is for `target` %s, and `%s` is for `target` %s; leave one out",
			q->target.hint, q->target.hinted->name, setting, way->name);
	q->target.hinted = way;
	q->target.hint = setting;
	return 0;
}

/* ---- the request ----------------------------------------------------------------------------- */

/* Fail because several ways have the setting, but `way` does not. */
static int not_for_way(struct pmk_count *c, const char *setting, const struct pmk_count_way *way)
{
	char list[192] = "";
	size_t n = 0;
	unsigned left = 0;

	for (unsigned i = 0; pmk_count_ways[i]; i++)
		left += pmk_setting_of_way(setting, pmk_count_ways[i]);
	for (unsigned i = 0; pmk_count_ways[i]; i++)
		if (pmk_setting_of_way(setting, pmk_count_ways[i]) && n < sizeof(list)) {
			left--;
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s`target` %s",
					      !n     ? ""
					      : left ? ", "
						     : " and ",
					      pmk_count_ways[i]->name);
		}
	return pmk_count_refuse(&c->fault, "`%s` is for %s, not for `target` %s", setting, list,
				way->name);
}

/* Choose the way if no target was given: the way of the settings that were given. If there are
 * none, this machine counts programs that can run on it; all other programs, and recordings, are
 * counted in emulation. */
static int choose_way(struct pmk_count *c)
{
	struct pmk_request *q = &c->q;

	if (q->target.asked && q->target.hinted && q->target.asked != q->target.hinted)
		return pmk_count_refuse(&c->fault, "`%s` is for `target` %s, not for `target` %s",
					q->target.hint, q->target.hinted->name,
					q->target.asked->name);
	q->target.way = q->target.asked ? q->target.asked : q->target.hinted;
	if (!q->target.way)
		q->target.way =
			q->record.what == PMK_REQUEST_COUNTS && q->program.command[0] &&
					(!q->target.shared ||
					 pmk_setting_of_way(q->target.shared, &pmk_way_machine)) &&
					pmk_machine_runs(q->program.command[0])
				? &pmk_way_machine
				: &pmk_way_emulation;
	if (q->target.shared && !pmk_setting_of_way(q->target.shared, q->target.way))
		return not_for_way(c, q->target.shared, q->target.way);
	return 0;
}

int pmk_request_check_ms(struct pmk_count *c)
{
	const struct pmk_request *q = &c->q;

	if (q->interval.unit != PMK_EVERY_NONE && q->interval.unit != PMK_EVERY_MS)
		return pmk_count_refuse(&c->fault,
					"`interval`: `target` %s supports only intervals in ms",
					q->target.way->name);
	if (q->interval.unit == PMK_EVERY_MS && q->interval.length > INT_MAX)
		return pmk_count_refuse(
			&c->fault,
			"`interval`: the interval is too long; give at most 2^31 - 1 ms");
	return 0;
}

int pmk_request_check(struct pmk_count *c)
{
	static char *const nothing[] = { NULL };
	struct pmk_request *q = &c->q;

	q->program.command = q->program.words.word ? q->program.words.word : nothing;
	if (!q->scope.from != !q->scope.to)
		return pmk_count_refuse(&c->fault, "`from` and `to` go together; give both");
	if (q->interval.unit != PMK_EVERY_NONE && (q->run.times > 1 || q->run.rerun))
		return pmk_count_refuse(
			&c->fault, "`interval` counts a single run: it cannot be combined with "
				   "`repeat`, or with `passes` set to rerun");
	if (q->interval.unit != PMK_EVERY_NONE && (q->scope.regions.count || q->scope.per_core))
		return pmk_count_refuse(&c->fault, "`interval` cannot be combined with `region` or "
						   "`no-aggr`; it can with `from` and `to`");
	if (q->interval.most && q->interval.unit == PMK_EVERY_NONE)
		return pmk_count_refuse(&c->fault, "`interval-count` needs `interval`");
	if (q->scope.per_thread && (q->interval.unit != PMK_EVERY_NONE || q->scope.per_core))
		return pmk_count_refuse(
			&c->fault, "`per-thread` cannot be combined with `interval` or `no-aggr`");
	if (q->counted.nothing && (q->counted.events.count || q->counted.metrics.count ||
				   q->counted.detailed || q->counted.bars))
		return pmk_count_refuse(
			&c->fault, "`null` counts nothing, so it cannot be combined with `event`, "
				   "`metrics`, `detailed` or `bars`");
	if (q->counted.nothing && q->interval.unit != PMK_EVERY_NONE)
		return pmk_count_refuse(&c->fault,
					q->guest.wanted
						? "`interval` prints counts, but no event was "
						  "requested; give `event` or `metrics`"
						: "`null` counts nothing, so it cannot be combined "
						  "with `interval`");
	if (q->scope.per_core && q->scope.regions.count)
		return pmk_count_refuse(&c->fault, "`no-aggr` and `region` exclude each other");
	if (!q->program.command[0] && !q->program.qemu && !q->scope.pids && !q->scope.cpus &&
	    !q->scope.all_cpus && !q->target.where)
		return pmk_count_refuse(&c->fault,
					!c->fault.options ? "no program to run"
					: q->record.what == PMK_REQUEST_COUNTS
						? "no program to run (pmk stat --help)"
						: "no program to run (pmk record --help)");
	if (choose_way(c))
		return c->fault.failure;
	if (q->record.what != PMK_REQUEST_COUNTS && !q->target.way->recording)
		return pmk_count_refuse(
			&c->fault, "`target` %s can be counted with pmk stat, but not recorded",
			q->target.way->name);
	return 0;
}
