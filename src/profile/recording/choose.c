// SPDX-License-Identifier: MIT
#include "profile/recording/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pmk/error.h>
#include <pmk/pmu.h>

#include "base/message.h"
#include "base/nearest.h"

#define SOME 4 /* maximum number of names in a message */

bool pmk_tables_event_is(const struct pmk_tables_event *e, const char *name)
{
	const struct pmk_pmu *pmu = e->pmu ? pmk_pmu_find(e->pmu) : NULL;
	const struct pmk_event *row = pmu ? pmk_pmu_event(pmu, name) : NULL;

	return !strcasecmp(e->name, name) || (row && !strcmp(row->name, e->name));
}

void pmk_choice_free(struct pmk_choice *c)
{
	free(c->event);
	*c = (struct pmk_choice){ 0 };
}

static int choice_add(struct pmk_choice *c, const struct pmk_tables *t, uint32_t event)
{
	if (!c->event)
		c->event = calloc(t->nevents + 1, sizeof(*c->event));
	if (!c->event)
		return PMK_ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		if (c->event[i] == event)
			return 0;
	c->event[c->n++] = event;
	return 0;
}

int pmk_choice_all(struct pmk_choice *c, const struct pmk_tables *t)
{
	int err = 0;

	for (uint32_t i = 0; i < t->nevents && !err; i++)
		if (t->event[i].has_total)
			err = choice_add(c, t, i);
	return err || c->n || t->sampled ? err : choice_add(c, t, PMK_TABLES_EXECUTIONS);
}

void pmk_choice_put_cycles_first(struct pmk_choice *c, const struct pmk_tables *t)
{
	for (size_t i = 0; i < c->n; i++) {
		uint32_t event = c->event[i];

		if (event == PMK_TABLES_EXECUTIONS ||
		    !pmk_tables_event_is(&t->event[event], "cycles"))
			continue;
		memmove(c->event + 1, c->event, i * sizeof(*c->event));
		c->event[0] = event;
		return;
	}
}

int pmk_choice_cycles(struct pmk_choice *c, const struct pmk_tables *t)
{
	uint32_t first = PMK_TABLES_EXECUTIONS;

	for (uint32_t i = (uint32_t)t->nevents; i-- > 0;)
		if (t->event[i].has_total)
			first = i;
	for (uint32_t i = 0; i < t->nevents; i++)
		if (t->event[i].has_total && pmk_tables_event_is(&t->event[i], "cycles"))
			return choice_add(c, t, i);
	return choice_add(c, t, first);
}

static const char *next_name(const void *ctx, unsigned i)
{
	const struct pmk_tables *t = ctx;

	if (i < t->nevents)
		return t->event[i].name;
	return i == t->nevents && !t->sampled ? "executions" : NULL;
}

/* Write the message that the recording has no event `name`. It contains the names of the first
 * events, at most SOME. */
static void name_some(const struct pmk_tables *t, const char *name, char *msg, size_t size)
{
	size_t i, n = (size_t)snprintf(msg, size, "no event '%s' in this recording; it has", name);

	for (i = 0; i < t->nevents && i < SOME && n < size; i++)
		n += (size_t)snprintf(msg + n, size - n, "%s %s", i ? "," : "", t->event[i].name);
	if (i < t->nevents && n < size)
		snprintf(msg + n, size - n, " and %zu more (-e all)", t->nevents - i);
}

static int event_unknown(const struct pmk_tables *t, const char *name, char *msg, size_t size)
{
	char near[128];

	pmk_nearest_among(name, next_name, t, near, sizeof(near));
	if (*near)
		snprintf(msg, size, "no event '%s' in this recording; did you mean %s?", name,
			 near);
	else
		name_some(t, name, msg, size);
	return PMK_EINVAL;
}

static int add_named(struct pmk_choice *c, const struct pmk_tables *t, const char *name, char *msg,
		     size_t size)
{
	bool known = false;

	if (!strcmp(name, "all"))
		return pmk_choice_all(c, t);
	for (uint32_t i = 0; i < t->nevents; i++) {
		if (!pmk_tables_event_is(&t->event[i], name))
			continue;
		if (t->event[i].has_total)
			return choice_add(c, t, i);
		known = true;
	}
	if (known)
		return pmk_message_fail(msg, size, PMK_EINVAL, "%s has no value in this recording",
					name);
	if (!strcmp(name, "executions") && t->sampled)
		return pmk_message_fail(
			msg, size, PMK_EINVAL,
			"a sampled recording has no executions; pmk record in emulation counts "
			"them");
	if (!strcmp(name, "executions"))
		return choice_add(c, t, PMK_TABLES_EXECUTIONS);
	return event_unknown(t, name, msg, size);
}

int pmk_choice_named(struct pmk_choice *c, const struct pmk_tables *t, const char *list, char *msg,
		     size_t size)
{
	char *words = strdup(list), *save = NULL;
	int err = words ? 0 : PMK_ENOMEM;

	for (char *w = words ? strtok_r(words, ",", &save) : NULL; w && !err;
	     w = strtok_r(NULL, ",", &save))
		err = add_named(c, t, w, msg, size);
	free(words);
	if (!err && !c->n)
		err = pmk_message_fail(msg, size, PMK_EINVAL, "the list is empty");
	return err;
}
