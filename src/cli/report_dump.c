// SPDX-License-Identifier: MIT
/*
 * Writes a dump as sections, profiles and facts of a result.
 *
 * Names in a dump can contain any bytes, so unprintable ones are escaped. A PMU that this build
 * does not know is shown by its name, an event by its code.
 */
#define _GNU_SOURCE
#include "cli/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cli/html/html.h"
#include "cli/show.h"
#include "count/files.h"
#include "cpu/family.h"

/* ---- the capture ---------------------------------------------------------------------------- */

/* A capture is read into memory as a whole; larger ones are rejected. */
#define MAX_CAPTURE ((size_t)256 << 20)

const char *capture_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

static int read_stream(FILE *f, const char *name, uint8_t **data, size_t *size)
{
	static const char recording[16] = "SQLite format 3";
	size_t room = 0, n;

	do {
		if (*size == room) {
			uint8_t *grown = realloc(*data, room = room ? 2 * room : 1 << 16);

			if (!grown)
				return cli_no_memory();
			*data = grown;
		}
		n = fread(*data + *size, 1, room - *size, f);
		*size += n;
	} while (n && *size <= MAX_CAPTURE);
	if (ferror(f))
		return cli_fail(PMK_EXIT_FAILED, "cannot read %s: %s", name, strerror(errno));
	if (*size > MAX_CAPTURE)
		return cli_fail(PMK_EXIT_FAILED, "%s has more than %zu MB", name,
				MAX_CAPTURE >> 20);
	if (*size >= sizeof(recording) && !memcmp(*data, recording, sizeof(recording)))
		return cli_fail(PMK_EXIT_USAGE,
				"%s: a recording cannot be read from a pipe; give its name or '<'",
				name);
	return 0;
}

int capture_read(const char *path, uint8_t **data, size_t *size)
{
	bool from_stdin = !strcmp(path, "-");
	FILE *f = from_stdin ? stdin : fopen(path, "re");
	int code;

	if (!f)
		return cli_fail(PMK_EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
	code = read_stream(f, capture_name(path), data, size);
	if (!from_stdin)
		fclose(f);
	return code;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Returns the region's name, or "region 3" if it has none. The caller frees it. */
static char *region_name(const struct pmk_dump *d, size_t id)
{
	char *name;

	if (id < d->nregions && d->region[id].name.length)
		return pmk_dump_escape(d->region[id].name.byte, d->region[id].name.length);
	return asprintf(&name, "region %zu", id) < 0 ? NULL : name;
}

/* Returns event i of the dump: its row in the catalogue, or a row made from its code. */
static const struct pmk_event *name_event(struct view *v, unsigned i)
{
	unsigned code = v->d->event[i].code;
	const struct pmk_event *ev = pmk_pmu_event_code(v->pmu, code);

	if (ev)
		return ev;
	snprintf(v->raw_name[i], sizeof(v->raw_name[i]), "r%02x", code);
	v->raw[i] = (struct pmk_event){
		.code = (uint16_t)code,
		.name = v->raw_name[i],
		.ref = "from the dump",
		.brief = "an event that this version of pmk does not know",
	};
	return &v->raw[i];
}

bool view_init(struct view *v, const struct pmk_dump *d, unsigned number)
{
	*v = (struct view){ .d = d, .number = number };
	v->pmu_name = d->pmu.length ? pmk_dump_escape(d->pmu.byte, d->pmu.length)
				    : strdup("an unnamed PMU");
	if (!v->pmu_name)
		return false;
	v->pmu = pmk_pmu_find(v->pmu_name);
	if (!v->pmu) {
		v->unknown = (struct pmk_pmu){ .name = v->pmu_name };
		v->pmu = &v->unknown;
	}
	for (unsigned i = 0; i < d->nevents; i++)
		v->event[i] = name_event(v, i);
	return true;
}

void view_free(struct view *v)
{
	free(v->pmu_name);
}

bool view_has(const void *view, const struct pmk_event *ev)
{
	const struct view *v = view;

	for (unsigned i = 0; i < v->d->nevents; i++)
		if (v->event[i] == ev)
			return true;
	return false;
}

/* ---- the executable ------------------------------------------------------------------------- */

/* Write the instruction set of the cores with this PMU; empty if no preset has the PMU. */
static void isa_of(const struct pmk_pmu *pmu, char *isa, size_t size)
{
	char **names = cli_core_names(), msg[512];
	struct pmk_core core;

	*isa = '\0';
	for (unsigned i = 0; names && names[i] && !*isa; i++)
		if (!show_load_core(names[i], &core, msg, sizeof(msg)) &&
		    show_core_can_have(&core, pmu))
			snprintf(isa, size, "%s", core.isa);
	pmk_files_free_names(names);
}

static bool family_runs(const struct pmk_core_family *family, const struct pmk_elf *elf)
{
	for (const uint16_t *machine = family->programs->elf_machines; *machine; machine++)
		if (*machine == elf->machine_code)
			return true;
	return false;
}

bool view_fits(const struct view *v, const struct pmk_elf *elf)
{
	bool known = false;
	char isa[16];

	isa_of(v->pmu, isa, sizeof(isa));
	for (unsigned i = 0; pmk_core_families[i]; i++) {
		if (strcmp(pmk_core_families[i]->isa, isa) != 0)
			continue;
		if (family_runs(pmk_core_families[i], elf))
			return true;
		known = true;
	}
	return !known;
}

/* ---- the run as a whole --------------------------------------------------------------------- */

#define ALL_EVENTS UINT32_MAX

static uint64_t count_late(const struct pmk_dump *d, unsigned event)
{
	uint64_t late = 0;

	for (size_t i = 0; i < d->nsamples; i++)
		late += d->sample[i].late && (event == ALL_EVENTS || d->sample[i].event == event);
	return late;
}

static void set_warnings(const struct view *v, struct pmk_result *r)
{
	const struct pmk_dump *d = v->d;
	uint64_t late, unmatched = 0;
	char which[32] = "";

	if (v->numbered)
		snprintf(which, sizeof(which), "dump %u: ", v->number);
	if (d->state == PMK_DUMP_CUT)
		pmk_result_warn(r, "%sthe dump is incomplete and was not checked: it %s", which,
				d->why);
	for (unsigned i = 0; i < d->nevents; i++) {
		late = d->event[i].period ? count_late(d, i) : 0;
		if (late)
			pmk_result_warn(r,
					"%ssamples of %s that came late by a period or more: %llu",
					which, v->event[i]->name, (unsigned long long)late);
	}
	if (d->dropped)
		pmk_result_warn(r, "%ssamples that were dropped because the ring was full: %lu",
				which, (unsigned long)d->dropped);
	for (size_t id = 0; id < d->nregions; id++)
		unmatched += d->region[id].errors;
	if (unmatched)
		pmk_result_warn(r,
				"%sbegins or ends of regions without a partner or without readable "
				"counters, which are not measured: %llu",
				which, (unsigned long long)unmatched);
}

static int describe_view(const struct view *v, struct pmk_result *r)
{
	const struct pmk_dump *d = v->d;
	struct pmk_dump_facts *facts = pmk_result_add_dump(r);
	bool complete = d->state == PMK_DUMP_COMPLETE;

	if (!facts)
		return PMK_ENOMEM;
	*facts = (struct pmk_dump_facts){
		.offset = d->begin,
		.version = d->version,
		.pmu = strdup(v->pmu_name),
		.reason = complete ? NULL : strdup(d->why),
		.crlf = d->crlf,
		.regions = d->nregions,
		.samples = d->nsamples,
		.late = count_late(d, ALL_EVENTS),
		.sampled = d->sampling,
		.dropped = d->dropped,
	};
	r->partial |= !complete;
	set_warnings(v, r);
	return facts->pmu && (complete || facts->reason) ? 0 : PMK_ENOMEM;
}

/* ---- sections ------------------------------------------------------------------------------- */

static bool is_narrow(const struct pmk_pmu *pmu, unsigned code)
{
	uint64_t range = pmk_pmu_range(pmu, code);

	return range && range < UINT32_MAX;
}

/* Returns the row of event i, without its value. */
static struct pmk_row start_row(const struct view *v, unsigned i)
{
	uint64_t period = v->d->event[i].period;
	struct pmk_row row = {
		.event = v->event[i],
		.name = v->event[i]->name,
		.coverage = 1.0,
		.trust = PMK_TRUST_MEASURED,
		.period = period,
	};

	if (period) {
		row.trust = PMK_TRUST_WRAPPED;
		row.reason = "its counter is reset at each sample, so this is a lower bound";
	} else if (is_narrow(v->pmu, v->event[i]->code)) {
		row.trust = PMK_TRUST_WRAPPED;
		row.reason =
			"an 8-bit counter may have wrapped unnoticed, so this is a lower bound";
	}
	return row;
}

static int put_section(const struct view *v, struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s)
{
	if (v->page)
		html_stat_add(v->page, r, s, v->metrics);
	return w ? pmk_writer_section(w, r, s) : 0;
}

static int write_whole(const struct view *v, struct pmk_writer *w, struct pmk_result *r)
{
	struct pmk_section *s = pmk_result_add(r, NULL, v->d->nevents);

	if (!s)
		return PMK_ENOMEM;
	s->dump = v->number;
	for (unsigned i = 0; i < s->nrows; i++) {
		s->rows[i] = start_row(v, i);
		s->rows[i].value = v->d->event[i].total;
	}
	return put_section(v, w, r, s);
}

/* Fill the row of event i in a region. A region that was cut off in the dump lacks the counts of
 * the last events. */
static void region_row(const struct view *v, size_t id, unsigned i, struct pmk_row *row)
{
	const struct pmk_dump_region *region = &v->d->region[id];
	const struct pmk_dump_count *c;

	*row = start_row(v, i);
	if (i >= region->nevents) {
		row->trust = PMK_TRUST_NOT_COUNTED;
		row->reason = "the dump ends before this number";
		return;
	}
	c = &v->d->count[region->first + i];
	row->value = c->sum;
	row->has_dist = true;
	row->dist = (struct pmk_distribution){
		.values = { region->entries, c->sum, c->sq_low, c->sq_high, c->min, c->max },
		.raw = c->raw,
		.cost = v->d->event[i].cost,
		.nested = v->d->event[i].nest,
	};
}

static int write_region(const struct view *v, struct pmk_writer *w, struct pmk_result *r, size_t id)
{
	char *name = region_name(v->d, id);
	struct pmk_section *s = name ? pmk_result_add(r, name, v->d->nevents) : NULL;
	int err;

	free(name);
	if (!s)
		return PMK_ENOMEM;
	s->dump = v->number;
	s->region_id = id;
	s->entries = v->d->region[id].entries;
	s->unmatched = v->d->region[id].errors;
	for (unsigned i = 0; i < s->nrows; i++)
		region_row(v, id, i, &s->rows[i]);
	err = put_section(v, w, r, s);
	pmk_result_drop(r);
	return err;
}

static int write_sections(const struct view *v, struct pmk_writer *w, struct pmk_result *r)
{
	int err = write_whole(v, w, r);

	for (size_t id = 0; !err && id < v->d->nregions; id++)
		err = write_region(v, w, r, id);
	return err;
}

/* ---- profiles ------------------------------------------------------------------------------- */

static bool fill_row(const struct view *v, const struct pmk_spot *spot, struct pmk_profile_row *row)
{
	bool in_region = spot->region != PMK_SAMPLE_NO_REGION;

	*row = (struct pmk_profile_row){
		.function = spot->function ? pmk_dump_escape(spot->function, strlen(spot->function))
					   : NULL,
		.somewhere = spot->address || spot->function,
		.address = spot->address,
		.region = in_region ? region_name(v->d, spot->region) : NULL,
		.samples = spot->samples,
		.late = spot->late,
	};
	return (row->function || !spot->function) && (row->region || !in_region);
}

/* Write the profile of one event from its spots. */
static int write_profile(const struct view *v, struct pmk_writer *w, const struct pmk_result *r,
			 unsigned event, const struct pmk_spot *spots, size_t n)
{
	struct pmk_profile p = {
		.dump = v->number,
		.event = v->event[event],
		.pmu = v->pmu,
		.period = v->d->event[event].period,
		.rows = calloc(n ? n : 1, sizeof(*p.rows)),
		.nrows = n,
	};
	bool good = p.rows != NULL;
	int err = PMK_ENOMEM;

	for (size_t i = 0; good && i < n; i++) {
		good = fill_row(v, &spots[i], &p.rows[i]);
		p.samples += spots[i].samples;
	}
	if (good && v->page)
		html_stat_add_profile(*v->page, &p);
	if (good)
		err = w ? pmk_writer_profile(w, r, &p) : 0;
	pmk_profile_free(&p);
	return err;
}

static int write_profiles(const struct view *v, struct pmk_writer *w, const struct pmk_result *r)
{
	size_t n, first = 0, end;
	struct pmk_spot *spots = pmk_profile_count(v->d->sample, v->d->nsamples, v->functions, &n);
	int err = spots ? 0 : PMK_ENOMEM;
	bool named = false;

	for (unsigned event = 0; !err && event < v->d->nevents; event++, first = end) {
		for (end = first; end < n && spots[end].event == event; end++)
			named |= spots[end].function != NULL;
		if (end > first || v->d->event[event].period)
			err = write_profile(v, w, r, event, spots + first, end - first);
	}
	if (!err && v->functions && !named)
		cli_fail(0, "--elf %s: no sample is in any of its functions", v->elf);
	free(spots);
	return err;
}

int view_write(const struct view *v, struct pmk_writer *w, struct pmk_result *r)
{
	int err = describe_view(v, r);

	if (!err)
		err = write_sections(v, w, r);
	return err ? err : write_profiles(v, w, r);
}
