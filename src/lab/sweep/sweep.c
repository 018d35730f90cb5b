// SPDX-License-Identifier: MIT
/* Makes the cells of a plan: see sweep.h. */
#include "lab/sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "count/count.h"

static int fail_at(struct pmk_sweep *s, unsigned line, const char *why)
{
	return pmk_count_fail(s->fault, PMK_COUNT_USAGE, "%s:%u: %s", s->plan.path, line, why);
}

/* ---- programs -------------------------------------------------------------------------------- */

static int open_program(struct pmk_sweep *s, const struct pmk_plan_program *planned,
			struct pmk_sweep_program *p)
{
	char msg[4352];

	p->opened.fault = &p->fault;
	if (pmk_program_open(&p->opened, planned->argv.word[0]))
		return fail_at(s, planned->line, pmk_count_fault_text(&p->fault));
	p->command = pmk_count_join(planned->argv.word, "");
	if (!p->command)
		return pmk_count_no_memory(s->fault);
	switch (pmk_key_program(planned, &p->opened, s->plan.sysroot, &s->files, &p->files, p->key,
				&p->about, msg, sizeof(msg))) {
	case 0:
		return 0;
	case PMK_ENOMEM:
		return pmk_count_no_memory(s->fault);
	default:
		return fail_at(s, planned->line, msg);
	}
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* Checks that the core accepts each value of each setting by itself. */
static int check_settings(struct pmk_sweep *s, const struct pmk_sweep_configs *c)
{
	char msg[256], text[400];

	for (size_t i = 0; i < c->core->axes.count; i++) {
		const struct pmk_axis *axis = &c->core->axes.axis[i];

		for (unsigned v = 0; v < axis->values.count; v++) {
			struct pmk_core core = c->base;

			if (!pmk_core_set(&core, axis->name, axis->values.word[v], msg,
					  sizeof(msg)))
				continue;
			snprintf(text, sizeof(text), "core %s: %s", c->core->name, msg);
			return fail_at(s, axis->line, text);
		}
	}
	return 0;
}

static void axis_settings(const struct pmk_axes *axes, size_t combination,
			  struct pmk_store_setting *settings)
{
	for (size_t i = 0; i < axes->count; i++)
		settings[i] = (struct pmk_store_setting){ axes->axis[i].name,
							  pmk_axes_value(axes, combination, i) };
}

static bool apply_settings(const struct pmk_sweep_configs *c, size_t combination,
			   struct pmk_core *core, char *msg, size_t size)
{
	const struct pmk_axes *axes = &c->core->axes;
	char why[256];

	*core = c->base;
	for (size_t i = 0; i < axes->count; i++)
		if (pmk_core_set(core, axes->axis[i].name, pmk_axes_value(axes, combination, i),
				 why, sizeof(why))) {
			snprintf(msg, size, "%s: %s", axes->axis[i].name, why);
			return false;
		}
	if (pmk_core_check(core, why, sizeof(why))) {
		snprintf(msg, size, "core %s: %s", c->core->name, why);
		return false;
	}
	pmk_core_keep_checked(core, &c->base);
	for (size_t i = 0; i < axes->count; i++) {
		const char *vain = pmk_core_in_vain(core, axes->axis[i].name);

		if (!vain)
			continue;
		snprintf(msg, size, "%s: core %s %s", axes->axis[i].name, c->core->name, vain);
		return false;
	}
	return true;
}

/* Returns a text such as "dcache.size=4K,dcache.ways=2" for an invalid combination. */
static char *settings_text(const struct pmk_axes *axes, size_t combination)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	for (size_t i = 0; f && i < axes->count; i++)
		fprintf(f, "%s=%s,", axes->axis[i].name, pmk_axes_value(axes, combination, i));
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

static int make_keys(struct pmk_sweep *s, struct pmk_sweep_configs *c)
{
	c->count = pmk_axes_combinations(&c->core->axes);
	c->key = calloc(c->count, sizeof(*c->key));
	if (!c->key)
		return pmk_count_no_memory(s->fault);
	for (size_t i = 0; i < c->count; i++) {
		struct pmk_core core;
		char msg[512];
		bool can_be = apply_settings(c, i, &core, msg, sizeof(msg));
		char *text = can_be ? pmk_key_parameters(&core) : settings_text(&c->core->axes, i);

		if (!text)
			return pmk_count_no_memory(s->fault);
		if (can_be)
			pmk_key_config(&core, text, c->key[i]);
		else
			pmk_key_bad_config(&c->base, text, c->key[i]);
		free(text);
	}
	return 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * Checks that the core can count these events. Returns 0, or an error in *count. After success, the
 * list of *count has the names that the rows will have.
 */
static int ask_events(struct pmk_sweep *s, const struct pmk_sweep_configs *c,
		      const struct pmk_plan_program *program, struct pmk_count *count,
		      char *const *events, unsigned n)
{
	int err = pmk_count_set(count, "core", c->core->name);

	if (!err && s->plan.sysroot)
		err = pmk_count_set(count, "sysroot", s->plan.sysroot);
	for (unsigned i = 0; !err && i < n; i++)
		err = pmk_count_set(count, "event", events[i]);
	/* Apply settings that add a level 2 cache, because it has events, too. */
	for (size_t i = 0; !err && i < c->core->axes.count; i++) {
		const struct pmk_axis *axis = &c->core->axes.axis[i];
		char text[256];

		snprintf(text, sizeof(text), "%s=%s", axis->name, axis->values.word[0]);
		if (!strncmp(axis->name, "l2", 2))
			err = pmk_count_set(count, "set", text);
	}
	if (!err)
		err = pmk_count_program(count, program->argv.word);
	return err ? err : pmk_count_prepare(count, NULL);
}

static int take_names(struct pmk_sweep *s, struct pmk_sweep_configs *c,
		      const struct pmk_count *count)
{
	for (unsigned i = 0; i < count->events.count; i++)
		if (!pmk_words_add(&c->events, count->events.item[i].name))
			return pmk_count_no_memory(s->fault);
	return 0;
}

/* Checks each event separately, because some of the events may be refused. */
static int sort_events(struct pmk_sweep *s, struct pmk_sweep_configs *c,
		       const struct pmk_plan_program *program)
{
	for (unsigned i = 0; i < s->plan.events.count; i++) {
		char *event = s->plan.events.word[i];
		struct pmk_count *count = pmk_count_new_for_command();
		int err = ask_events(s, c, program, count, &event, 1);
		bool good = true;

		if (!err)
			err = take_names(s, c, count);
		else if (pmk_count_get_error(count)->failure == PMK_COUNT_USAGE)
			good = pmk_words_add(&c->refused, event) &&
			       pmk_words_add(&c->reasons, pmk_count_get_error(count)->text),
			err = 0;
		else
			pmk_count_fail(s->fault, err, "%s", pmk_count_get_error(count)->text);
		pmk_count_free(count);
		if (!good)
			return pmk_count_no_memory(s->fault);
		if (err)
			return err;
	}
	return 0;
}

static int choose_events(struct pmk_sweep *s, struct pmk_sweep_configs *c,
			 const struct pmk_plan_program *program)
{
	struct pmk_count *count = pmk_count_new_for_command();
	int err = ask_events(s, c, program, count, s->plan.events.word, s->plan.events.count);

	if (!err)
		err = take_names(s, c, count);
	else if (pmk_count_get_error(count)->failure == PMK_COUNT_USAGE)
		err = sort_events(s, c, program);
	else
		pmk_count_fail(s->fault, err, "%s:%u: %s", s->plan.path, program->line,
			       pmk_count_get_error(count)->text);
	pmk_count_free(count);
	return err;
}

/* Fails if no core has an event. An event that is missing on some cores only is not a mistake. */
static int check_events(struct pmk_sweep *s)
{
	for (unsigned i = 0; i < s->plan.events.count; i++) {
		const char *reason = NULL;
		size_t refused = 0;

		for (size_t c = 0; c < s->nconfigs; c++)
			for (unsigned r = 0; r < s->configs[c].refused.count; r++)
				if (!strcmp(s->configs[c].refused.word[r],
					    s->plan.events.word[i])) {
					reason = s->configs[c].reasons.word[r];
					refused++;
				}
		if (refused && refused == s->nconfigs)
			return fail_at(s, s->plan.events_line, reason);
	}
	return 0;
}

/* ---- preparing ----------------------------------------------------------------------------- */

/* Prepares a core of the plan for programs of the same machine as `program`. Returns 0 or a
 * failure, for example if the core cannot run them. */
static int new_configs(struct pmk_sweep *s, const struct pmk_plan_core *core, size_t program)
{
	struct pmk_sweep_configs *c;
	const struct pmk_plan_program *planned = &s->plan.programs[program];
	struct pmk_program p = { .elf = s->programs[program].opened.elf };
	struct pmk_count_fault fault = { 0 };
	const struct pmk_words none = { 0 };
	int err;

	if (!PMK_GROW(s->configs, s->nconfigs, s->config_room))
		return pmk_count_no_memory(s->fault);
	p.fault = &fault;
	if (pmk_program_core(&p, s->data, core->name, NULL, &none)) {
		char text[600];

		snprintf(text, sizeof(text), "[program %s]: %s", planned->name,
			 pmk_count_fault_text(&fault));
		pmk_count_fault_free(&fault);
		return fail_at(s, p.core.isa[0] ? planned->line : core->line, text);
	}
	c = &s->configs[s->nconfigs++];
	*c = (struct pmk_sweep_configs){ .core = core, .machine = p.elf.machine, .base = p.core };
	err = check_settings(s, c);
	if (!err)
		err = choose_events(s, c, planned);
	return err ? err : make_keys(s, c);
}

static int add_block(struct pmk_sweep *s, const struct pmk_plan_core *core, size_t program)
{
	struct pmk_sweep_block *b = &s->blocks[s->nblocks];
	size_t c = 0;
	int err;

	while (c < s->nconfigs &&
	       (s->configs[c].core != core ||
		s->configs[c].machine != s->programs[program].opened.elf.machine))
		c++;
	if (c == s->nconfigs) {
		err = new_configs(s, core, program);
		if (err)
			return err;
	}
	*b = (struct pmk_sweep_block){ (uint32_t)program, (uint32_t)c, s->ncells };
	s->ncells += s->configs[c].count;
	s->nblocks++;
	return 0;
}

int pmk_sweep_prepare(struct pmk_sweep *s, const char *data, struct pmk_count_fault *fault)
{
	int err = 0;

	s->data = data;
	s->fault = fault;
	s->programs = calloc(s->plan.nprograms, sizeof(*s->programs));
	s->blocks = calloc(s->plan.nprograms * s->plan.ncores, sizeof(*s->blocks));
	if (!s->programs || !s->blocks)
		return pmk_count_no_memory(fault);
	for (size_t i = 0; !err && i < s->plan.nprograms; i++) {
		err = open_program(s, &s->plan.programs[i], &s->programs[i]);
		for (size_t c = 0; !err && c < s->plan.ncores; c++)
			if (pmk_plan_has(&s->plan.programs[i], &s->plan.cores[c]))
				err = add_block(s, &s->plan.cores[c], i);
	}
	return err ? err : check_events(s);
}

void pmk_sweep_free(struct pmk_sweep *s)
{
	for (size_t i = 0; s->programs && i < s->plan.nprograms; i++) {
		pmk_program_free(&s->programs[i].opened);
		pmk_count_fault_free(&s->programs[i].fault);
		free(s->programs[i].files.place);
		free(s->programs[i].about);
		free(s->programs[i].command);
	}
	for (size_t i = 0; i < s->nconfigs; i++) {
		free(s->configs[i].key);
		pmk_words_free(&s->configs[i].events);
		pmk_words_free(&s->configs[i].refused);
		pmk_words_free(&s->configs[i].reasons);
	}
	free(s->programs);
	free(s->configs);
	free(s->blocks);
	pmk_file_hashes_free(&s->files);
	pmk_plan_free(&s->plan);
}

/* ---- cells ----------------------------------------------------------------------------------- */

void pmk_sweep_cell(const struct pmk_sweep *s, size_t number, struct pmk_sweep_cell *cell)
{
	size_t low = 0, high = s->nblocks;
	const struct pmk_sweep_block *b;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->blocks[middle].first <= number)
			low = middle;
		else
			high = middle;
	}
	b = &s->blocks[low];
	*cell = (struct pmk_sweep_cell){ .planned = &s->plan.programs[b->program],
					 .program = &s->programs[b->program],
					 .configs = &s->configs[b->configs],
					 .which_program = b->program,
					 .combination = number - b->first };
	pmk_key_cell(cell->program->key, cell->configs->key[cell->combination], cell->key);
}

void pmk_sweep_point(const struct pmk_sweep_cell *cell, struct pmk_store_setting *settings,
		     struct pmk_store_point *point)
{
	const struct pmk_axes *axes = &cell->configs->core->axes;

	axis_settings(axes, cell->combination, settings);
	*point = (struct pmk_store_point){ .name = cell->planned->name,
					   .core = cell->configs->core->name,
					   .settings = settings,
					   .nsettings = axes->count };
}

bool pmk_sweep_core(const struct pmk_sweep_cell *cell, struct pmk_core *core, char *msg,
		    size_t size)
{
	return apply_settings(cell->configs, cell->combination, core, msg, size);
}

static bool config_key(const struct pmk_core *core, pmk_store_key key)
{
	char *parameters = pmk_key_parameters(core);

	if (parameters)
		pmk_key_config(core, parameters, key);
	free(parameters);
	return parameters != NULL;
}

bool pmk_sweep_same_core(const struct pmk_sweep *s, const struct pmk_sweep_cell *cell)
{
	struct pmk_count_fault fault = { 0 };
	struct pmk_program now = { .elf = cell->program->opened.elf, .fault = &fault };
	const struct pmk_words none = { 0 };
	pmk_store_key was, is;
	bool same = !pmk_program_core(&now, s->data, cell->configs->core->name, NULL, &none) &&
		    config_key(&cell->configs->base, was) && config_key(&now.core, is) &&
		    !memcmp(was, is, sizeof(was));

	pmk_count_fault_free(&fault);
	return same;
}

/* ---- finding cells to count ---------------------------------------------------------------- */

/* Returns true if all events have a row. Sets *failed if an event has no count because the run that
 * should add it failed. */
static bool has_all(struct pmk_store *store, int64_t id, const struct pmk_sweep_cell *cell,
		    bool *failed)
{
	const struct pmk_words *lists[] = { &cell->configs->events, &cell->configs->refused };
	bool has = true, no = false;

	for (unsigned l = 0; l < 2; l++)
		for (unsigned i = 0; has && i < lists[l]->count; i++) {
			if (pmk_store_has(store, id, lists[l]->word[i], &has) ||
			    pmk_store_event_failed(store, id, lists[l]->word[i], &no))
				return false;
			*failed |= no;
		}
	return has;
}

static int look_up(struct pmk_sweep *s, struct pmk_store *store, size_t number, bool retry,
		   bool look, struct pmk_store_setting *settings, struct pmk_sweep_todo *todo)
{
	struct pmk_store_found found = { 0 };
	struct pmk_store_point point;
	struct pmk_sweep_cell cell;
	int err = 0;
	bool done;

	pmk_sweep_cell(s, number, &cell);
	if (store)
		err = pmk_store_find(store, cell.key, &found);
	done = found.id && (found.failed || has_all(store, found.id, &cell, &found.failed)) &&
	       !(found.failed && retry);
	todo->failed += done && found.failed;
	todo->there += done && !found.failed;
	if (!done)
		todo->cell[todo->count++] = (uint32_t)number;
	if (!err && store && !look) {
		pmk_sweep_point(&cell, settings, &point);
		err = pmk_store_name(store, &point, found.id);
	}
	return err;
}

size_t pmk_sweep_most_axes(const struct pmk_sweep *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->plan.ncores; i++)
		if (s->plan.cores[i].axes.count > most)
			most = s->plan.cores[i].axes.count;
	return most;
}

int pmk_sweep_select(struct pmk_sweep *s, struct pmk_store *store,
		     const struct pmk_sweep_slice *slice, bool retry, bool look,
		     struct pmk_sweep_todo *todo)
{
	struct pmk_store_setting *settings = calloc(pmk_sweep_most_axes(s) + 1, sizeof(*settings));
	size_t n = slice ? slice->count : s->ncells;
	int err = 0;

	*todo = (struct pmk_sweep_todo){ .cell = calloc(n + 1, sizeof(*todo->cell)) };
	if (!settings || !todo->cell)
		err = PMK_ENOMEM;
	if (!err && store && !look)
		err = pmk_store_begin(store);
	for (size_t i = 0; !err && i < n; i++)
		err = look_up(s, store, slice ? slice->cell[i] : i, retry, look, settings, todo);
	if (!err && store && !look)
		err = pmk_store_commit(store);
	free(settings);
	return err;
}

void pmk_sweep_todo_free(struct pmk_sweep_todo *todo)
{
	free(todo->cell);
	*todo = (struct pmk_sweep_todo){ 0 };
}
