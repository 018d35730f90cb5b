// SPDX-License-Identifier: MIT
/*
 * Converts dumps to a recording: see dump_tables_open() in recorded.h. All dumps of a capture are
 * one recording, in which each dump is a "thread". A sample represents the period of its event.
 * Samples that were polled have no address: they are in [polled].
 */
#define _GNU_SOURCE
#include "cli/recorded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "profile/elf.h"
#include "profile/sampling/samples.h"
#include "profile/sampling/spaces.h"

#define MAX_EVENTS (2 * PMK_DUMP_EVENTS) /* in all dumps of a capture */

struct conversion {
	const char *path, *elf;
	struct pmk_elf facts;
	uint8_t *data;
	size_t size;
	/* Events of all dumps, with unique names. */
	struct pmk_sampled_event event[MAX_EVENTS];
	char *name[MAX_EVENTS], *pmu[MAX_EVENTS];
	struct pmk_perf_layout layout; /* only its number of events is used */
	struct pmk_samples *samples;
	uint64_t late, dropped;
};

/* ---- dumps ---------------------------------------------------------------------------------- */

/* Returns the number of a dump's event in the recording; MAX_EVENTS if there is no room. */
static size_t put_event(struct conversion *c, const char *name, const char *pmu)
{
	size_t i = 0;

	while (i < c->layout.nevents &&
	       (strcmp(c->name[i], name) != 0 || strcmp(c->pmu[i], pmu) != 0))
		i++;
	if (i < c->layout.nevents || i == MAX_EVENTS)
		return i;
	c->name[i] = strdup(name);
	c->pmu[i] = strdup(pmu);
	if (!c->name[i] || !c->pmu[i]) {
		free(c->name[i]);
		free(c->pmu[i]);
		return MAX_EVENTS;
	}
	c->event[i] = (struct pmk_sampled_event){ c->name[i], c->pmu[i], NULL };
	c->layout.nevents = i + 1;
	return i;
}

/* Visits a dump. Returns 0 or an exit code. */
typedef int visit_dump(struct conversion *c, const struct view *v);

static int find_events(struct conversion *c, const struct view *v)
{
	for (unsigned i = 0; i < v->d->nevents; i++)
		if (v->d->event[i].period &&
		    put_event(c, v->event[i]->name, v->pmu_name) == MAX_EVENTS)
			return cli_no_memory();
	if (v->d->nsamples && !view_fits(v, &c->facts))
		return cli_fail(PMK_EXIT_USAGE, "--elf %s: it is for %s, but the dump is from %s",
				c->elf, c->facts.machine_name, v->pmu_name);
	return 0;
}

static int add_samples(struct conversion *c, const struct view *v)
{
	struct pmk_spaces *spaces = pmk_samples_spaces(c->samples);
	uint32_t polled = pmk_spaces_object(spaces, "[polled]", NULL, 0);
	uint32_t code = pmk_spaces_object(spaces, c->elf, NULL, 0);
	int err = polled == UINT32_MAX || code == UINT32_MAX;
	char name[32];

	snprintf(name, sizeof(name), "dump %u", v->number);
	err = err || pmk_samples_name(c->samples, v->number, 0, name);
	for (size_t i = 0; !err && i < v->d->nsamples; i++) {
		const struct pmk_profile_sample *s = &v->d->sample[i];
		struct pmk_sampled_place at = { .pid = v->number, .addr = s->pc };
		uint64_t period = s->event < v->d->nevents ? v->d->event[s->event].period : 0;

		if (!period)
			continue;
		at.object = s->pc ? code : polled;
		at.event = (uint32_t)put_event(c, v->event[s->event]->name, v->pmu_name);
		c->late += s->late;
		err = pmk_samples_add(c->samples, &at, period);
	}
	c->dropped += v->d->dropped;
	return err ? cli_no_memory() : 0;
}

static int visit_dumps(struct conversion *c, visit_dump *visit)
{
	unsigned number = 0;
	struct pmk_dump d = { .size = sizeof(d) };
	size_t at = 0;
	int code = 0;

	while (!code && pmk_dump_next(c->data, c->size, &at, &d) > 0) {
		struct view v;

		if (d.state == PMK_DUMP_COMPLETE) {
			code = view_init(&v, &d, ++number) ? visit(c, &v) : cli_no_memory();
			view_free(&v);
		} else if (visit == find_events) {
			cli_fail(0, "%s: the dump at offset %zu %s; it is not shown", c->path,
				 d.begin, d.why);
		}
		pmk_dump_free(&d);
	}
	return code;
}

/* ---- the recording -------------------------------------------------------------------------- */

static const char *isa_name(const struct pmk_elf *elf)
{
	return elf->machine == PMK_ELF_ARM	    ? "arm"
	       : elf->machine == PMK_ELF_AARCH64    ? "a64"
	       : elf->machine == PMK_ELF_MICROBLAZE ? "microblaze"
						    : NULL;
}

static char *warning_of(const struct conversion *c)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (c->dropped)
		fprintf(f, "%" PRIu64 " samples were dropped, because the ring was full",
			c->dropped);
	if (c->late)
		fprintf(f, "%s%" PRIu64 " samples came late by a period or more",
			c->dropped ? "\n" : "", c->late);
	fclose(f);
	return text;
}

static int make_tables(struct conversion *c, struct pmk_tables *t)
{
	struct pmk_samples_facts facts;
	struct pmk_recording rec = { 0 };
	char msg[300], *warning = warning_of(c);
	int code = 0;

	if (!warning || pmk_samples_finish(c->samples, &rec, &facts)) {
		free(warning);
		return cli_no_memory();
	}
	rec.command = c->path;
	rec.producer = "firmware";
	rec.isa = isa_name(&c->facts);
	rec.big_endian = c->facts.big_endian;
	rec.warning = *warning ? warning : NULL;
	if (!facts.samples)
		code = cli_fail(PMK_EXIT_FAILED, "%s: there are no samples in its dumps", c->path);
	else if (pmk_tables_of(t, &rec, msg, sizeof(msg)))
		code = cli_fail(PMK_EXIT_FAILED, "%s: %s", c->path, msg);
	free(warning);
	return code;
}

static int convert_dump(struct conversion *c, struct pmk_tables *t)
{
	char msg[256];
	int code;

	if (pmk_elf_read(c->elf, &c->facts, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_USAGE, "--elf %s: %s", c->elf, msg);
	code = capture_read(c->path, &c->data, &c->size);
	if (!code)
		code = visit_dumps(c, find_events);
	if (!code && !c->layout.nevents)
		return cli_fail(PMK_EXIT_FAILED, "%s: there are no samples in its dumps", c->path);
	if (code)
		return code;
	c->samples = pmk_samples_new(&c->layout, c->event, false);
	if (!c->samples)
		return cli_no_memory();
	code = visit_dumps(c, add_samples);
	return code ? code : make_tables(c, t);
}

int dump_tables_open(struct pmk_tables *t, const char *path, const char *elf)
{
	struct conversion c = { .path = path };
	char *real = elf ? realpath(elf, NULL) : NULL, msg[300];
	int code = 0;

	*t = (struct pmk_tables){ 0 };
	if (!elf) {
		if (pmk_tables_open(t, path, msg, sizeof(msg)))
			code = cli_fail(PMK_EXIT_FAILED, "%s: %s", path, msg);
		return code;
	}
	c.elf = real ? real : elf;
	code = convert_dump(&c, t);
	pmk_samples_free(c.samples);
	for (size_t i = 0; i < c.layout.nevents; i++) {
		free(c.name[i]);
		free(c.pmu[i]);
	}
	free(c.data);
	free(real);
	return code;
}
