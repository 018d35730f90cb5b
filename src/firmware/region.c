// SPDX-License-Identifier: MIT
/*
 * Regions and tasks. Freestanding; see <pmk/target.h>.
 *
 * BEGIN reads the counters last, and END reads them first, so that they measure little of their own
 * work. The rest of this overhead is measured at the first start with empty regions, and is
 * subtracted: `cost` is the count of an empty region, and `nest` is the count that a region adds to
 * the region around it.
 */
#include "firmware/target.h"

#define CALIBRATIONS 16

static uintptr_t lock_target(const struct pmk_target *t)
{
	return t->lock ? t->lock() : 0;
}

static void unlock_target(const struct pmk_target *t, uintptr_t before)
{
	if (t->unlock)
		t->unlock(before);
}

/*
 * Computes the counts of the running task: its counts when it was last switched out, plus the
 * counts since it was switched in. The caller holds the lock.
 */
static int task_now(struct pmk_target *t, uint64_t *counts)
{
	int err = pmk_target_now(t, counts);

	if (err)
		return err;
	for (unsigned i = 0; i < t->nevents; i++) {
		if (t->late)
			t->task->since[i] = counts[i];
		counts[i] += t->task->counted[i] - t->task->since[i];
	}
	t->late = false;
	return PMK_OK;
}

uint16_t pmk_target_innermost(const struct pmk_target *t)
{
	uint32_t depth = t->task->depth;

	if (!depth)
		return PMK_NO_REGION;
	if (depth > PMK_TARGET_DEPTH)
		depth = PMK_TARGET_DEPTH;
	return t->task->frame[depth - 1].region;
}

/* ---- regions --------------------------------------------------------------------------------- */

static void clear_region(struct pmk_region *r)
{
	r->count = r->errors = 0;
	for (unsigned e = 0; e < PMK_TARGET_EVENTS; e++) {
		r->raw[e] = 0;
		pmk_stats_init(&r->net[e]);
	}
}

int pmk_target_regions(struct pmk_target *t, struct pmk_region *regions, unsigned count)
{
	if (!t || t->state == PMK_TARGET_CLOSED || !regions || !count || count >= PMK_NO_REGION)
		return PMK_EINVAL;
	/* The array cannot change after the start, because frames have the numbers of regions. */
	if (t->state != PMK_TARGET_OPEN)
		return PMK_EBUSY;
	for (unsigned i = 0; i < count; i++)
		clear_region(&regions[i]);
	t->region = regions;
	t->nregions = (uint16_t)count;
	return PMK_OK;
}

int pmk_target_fast_regions(struct pmk_target *t, struct pmk_fast_region *regions, unsigned count)
{
	if (!t || t->state == PMK_TARGET_CLOSED || !regions || !count || count >= PMK_NO_REGION)
		return PMK_EINVAL;
	for (unsigned i = 0; i < count; i++)
		regions[i] = (struct pmk_fast_region){ .name = regions[i].name, .min = UINT32_MAX };
	t->fast = regions;
	t->nfast = (uint16_t)count;
	return PMK_OK;
}

static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

int pmk_region_find(struct pmk_target *t, const char *name)
{
	unsigned i;

	if (!t || !name)
		return PMK_EINVAL;
	for (i = 0; i < t->nregions && t->region[i].name; i++)
		if (same_name(t->region[i].name, name))
			return (int)i;
	if (i == t->nregions)
		return PMK_ERANGE;
	t->region[i].name = name;
	return (int)i;
}

int pmk_region_reset(struct pmk_target *t, unsigned id)
{
	uintptr_t before;

	if (!t || id >= t->nregions)
		return PMK_EINVAL;
	before = lock_target(t);
	clear_region(&t->region[id]);
	unlock_target(t, before);
	return PMK_OK;
}

static int region_begin(struct pmk_target *t, unsigned id)
{
	struct pmk_task *task = t->task;
	struct pmk_frame *f;
	int err;

	if (task->depth >= PMK_TARGET_DEPTH) {
		task->depth++;
		t->region[id].errors++;
		return PMK_ERANGE;
	}
	f = &task->frame[task->depth];
	f->region = (uint16_t)id;
	f->inner = 0;
	PMK_ORDER(); /* an interrupt that takes a sample reads the innermost frame at any moment */
	task->depth++;
	err = task_now(t, f->begin);
	if (err)
		task->depth--;
	return err;
}

int pmk_region_begin(struct pmk_target *t, unsigned id)
{
	uintptr_t before;
	int err;

	if (!t || t->state != PMK_TARGET_RUNNING || id >= t->nregions)
		return PMK_EINVAL;
	before = lock_target(t);
	err = region_begin(t, id);
	unlock_target(t, before);
	return err;
}

/*
 * Returns the innermost frame of region `id`, after it has dropped the frames inside; NULL if the
 * region is not open.
 */
static struct pmk_frame *find_frame(struct pmk_target *t, unsigned id)
{
	struct pmk_task *task = t->task;
	uint32_t depth = task->depth;

	while (depth && task->frame[depth - 1].region != id)
		depth--;
	if (!depth)
		return NULL;
	for (; task->depth > depth; task->depth--)
		t->region[task->frame[task->depth - 1].region].errors++;
	return &task->frame[depth - 1];
}

static uint64_t less_or_zero(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void region_record(const struct pmk_target *t, const struct pmk_frame *f,
			  const uint64_t *now)
{
	struct pmk_region *r = &t->region[f->region];

	r->count++;
	for (unsigned i = 0; i < t->nevents; i++) {
		uint64_t raw = now[i] - f->begin[i];

		r->raw[i] += raw;
		pmk_stats_add(&r->net[i], less_or_zero(raw, t->cost[i] + f->inner * t->nest[i]));
	}
}

static int region_end(struct pmk_target *t, unsigned id)
{
	struct pmk_task *task = t->task;
	uint64_t now[PMK_TARGET_EVENTS];
	const struct pmk_frame *f;
	int err = task_now(t, now);

	if (task->depth > PMK_TARGET_DEPTH) {
		task->depth--;
		return PMK_ERANGE;
	}
	f = find_frame(t, id);
	if (!f) {
		t->region[id].errors++;
		return PMK_EINVAL;
	}
	/*
	 * End the region even if the counters could not be read. The program does not call END
	 * again, and a later END would measure code outside of the region.
	 */
	if (err)
		t->region[id].errors++;
	else
		region_record(t, f, now);
	if (--task->depth)
		task->frame[task->depth - 1].inner += 1 + f->inner;
	return err;
}

int pmk_region_end(struct pmk_target *t, unsigned id)
{
	uintptr_t before;
	int err;

	if (!t || t->state != PMK_TARGET_RUNNING || id >= t->nregions)
		return PMK_EINVAL;
	before = lock_target(t);
	err = region_end(t, id);
	unlock_target(t, before);
	return err;
}

/* ---- overhead -------------------------------------------------------------------------------- */

/*
 * Measures an empty region, and an empty region inside another one. t->cost and t->nest keep the
 * smallest results of all calls. All of these regions have number 0, so that one region of scratch
 * memory is enough: END ends the innermost open region of this number.
 */
static int calibrate_once(struct pmk_target *t, struct pmk_region *r)
{
	uint64_t once[PMK_TARGET_EVENTS];
	int err;

	for (unsigned i = 0; i < t->nevents; i++)
		r->raw[i] = 0;
	err = pmk_region_begin(t, 0);
	if (!err)
		err = pmk_region_end(t, 0);
	for (unsigned i = 0; i < t->nevents; i++)
		once[i] = r->raw[i];
	/* No code may be between these calls: it would be measured as overhead. */
	if (!err)
		err = pmk_region_begin(t, 0);
	if (!err)
		err = pmk_region_begin(t, 0);
	if (!err)
		err = pmk_region_end(t, 0);
	if (!err)
		err = pmk_region_end(t, 0);
	for (unsigned i = 0; !err && i < t->nevents; i++) {
		uint64_t both = r->raw[i] - once[i];

		if (once[i] < t->cost[i])
			t->cost[i] = once[i];
		if (both < t->nest[i])
			t->nest[i] = both;
	}
	return err;
}

int pmk_target_calibrate(struct pmk_target *t)
{
	struct pmk_region *regions = t->region, trial = { .name = NULL };
	uint16_t nregions = t->nregions;
	int err = PMK_OK;

	clear_region(&trial);
	for (unsigned i = 0; i < t->nevents; i++)
		t->cost[i] = t->nest[i] = UINT64_MAX;
	t->region = &trial;
	t->nregions = 1;
	for (unsigned n = 0; !err && n < CALIBRATIONS; n++)
		err = calibrate_once(t, &trial);
	t->region = regions;
	t->nregions = nregions;
	for (unsigned i = 0; i < t->nevents; i++)
		/*
		 * So far t->nest is the sum of two regions, the inner and the outer one: subtract
		 * the cost of both. The costs were measured at another time than this sum, so they
		 * may be larger. Nesting then costs nothing.
		 */
		t->nest[i] = less_or_zero(t->nest[i], 2 * t->cost[i]);
	return err;
}

int pmk_target_zero(struct pmk_target *t)
{
	int err = pmk_target_now(t, t->zero);

	for (unsigned i = 0; i < t->nevents; i++) {
		t->main.counted[i] = 0;
		t->main.since[i] = t->zero[i];
		t->event[i].missed = false;
	}
	return err;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

int pmk_target_switch_out(struct pmk_target *t)
{
	uint64_t now[PMK_TARGET_EVENTS];
	uintptr_t before;
	int err;

	if (!t || t->state < PMK_TARGET_RUNNING)
		return PMK_EINVAL;
	before = lock_target(t);
	err = task_now(t, now);
	for (unsigned i = 0; !err && i < t->nevents; i++) {
		t->task->since[i] += now[i] - t->task->counted[i];
		t->task->counted[i] = now[i];
	}
	unlock_target(t, before);
	return err;
}

int pmk_target_switch_in(struct pmk_target *t, struct pmk_task *task)
{
	uintptr_t before;
	int err;

	if (!t || t->state < PMK_TARGET_RUNNING)
		return PMK_EINVAL;
	before = lock_target(t);
	t->task = task ? task : &t->main;
	err = pmk_target_now(t, t->task->since);
	t->late = err != PMK_OK;
	unlock_target(t, before);
	return err;
}

int pmk_target_task_read(struct pmk_target *t, const struct pmk_task *task, uint64_t *totals)
{
	uintptr_t before;
	int err = PMK_OK;

	if (!t || !totals || t->state < PMK_TARGET_RUNNING)
		return PMK_EINVAL;
	if (!task)
		task = &t->main;
	before = lock_target(t);
	if (task == t->task)
		err = task_now(t, totals);
	for (unsigned i = 0; task != t->task && i < t->nevents; i++)
		totals[i] = task->counted[i];
	unlock_target(t, before);
	return err;
}
