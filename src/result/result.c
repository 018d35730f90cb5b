// SPDX-License-Identifier: MIT
/*
 * The record itself, and the front of the three writers: they run in the C locale, whatever the
 * program's is, and the first failure of a stream is kept while the document is still closed.
 *
 * A write error shows when the stream's buffer is flushed, so every section is flushed: a reader of
 * a pipe sees an interval when it is over, and a full disk is told at once.
 */
#include <pmk/result.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "result/internal.h"

static const char *const trust_names[] = {
	[PMK_TRUST_EXACT] = "exact",
	[PMK_TRUST_MODELLED] = "modelled",
	[PMK_TRUST_MEASURED] = "measured",
	[PMK_TRUST_SCALED] = "scaled",
	[PMK_TRUST_WRAPPED] = "wrapped",
	[PMK_TRUST_NOT_SUPPORTED] = "not supported",
	[PMK_TRUST_NOT_COUNTED] = "not counted",
};

const char *pmk_trust_name(enum pmk_trust t)
{
	return (unsigned)t < sizeof(trust_names) / sizeof(trust_names[0]) ? trust_names[t]
									  : "unknown";
}

bool pmk_trust_has_value(enum pmk_trust t)
{
	return t != PMK_TRUST_NOT_SUPPORTED && t != PMK_TRUST_NOT_COUNTED;
}

const char *pmk_no_value_text(enum pmk_trust t)
{
	if (t == PMK_TRUST_NOT_SUPPORTED)
		return "<not supported>";
	return t == PMK_TRUST_NOT_COUNTED ? "<not counted>" : NULL;
}

void pmk_result_init(struct pmk_result *r)
{
	memset(r, 0, sizeof(*r));
	r->runs = 1;
}

void pmk_result_free(struct pmk_result *r)
{
	for (unsigned i = 0; i < r->nsections; i++) {
		free(r->sections[i].region);
		free(r->sections[i].rows);
	}
	free(r->sections);
	free(r->core);
	free(r->command);
	free(r->producer);
	free(r->settings);
	free(r->env);
	free(r->warning);
	pmk_result_init(r);
}

struct pmk_section *pmk_result_add(struct pmk_result *r, const char *region, unsigned nrows)
{
	char *name = region ? strdup(region) : NULL;
	struct pmk_row *rows = calloc(nrows ? nrows : 1, sizeof(*rows));
	struct pmk_section *grown = NULL, *s;

	if (rows && (name || !region))
		grown = realloc(r->sections, (r->nsections + 1) * sizeof(*grown));
	if (!grown) {
		free(rows);
		free(name);
		return NULL;
	}
	r->sections = grown;
	s = &grown[r->nsections++];
	*s = (struct pmk_section){ .region = name, .cpu = -1, .rows = rows, .nrows = nrows };
	return s;
}

bool pmk_section_has(const struct pmk_section *s, const struct pmk_event *ev)
{
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->rows[i].event == ev)
			return true;
	return false;
}

bool pmk_metric_beside(const struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s, const struct pmk_row *row, unsigned skip,
		       struct pmk_metric_value *out)
{
	/* Of two rows of one event (cycles, cpu_cycles) the first has the metrics. */
	for (unsigned i = 0; &s->rows[i] != row; i++)
		if (s->rows[i].event == row->event)
			return false;
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		*out = pmk_metric_eval(w->opt.metrics[i], r, s);
		if (out->beside && out->beside == row->event && skip-- == 0)
			return true;
	}
	return false;
}

void pmk_metric_text(char *buf, size_t size, double value)
{
	snprintf(buf, size, "%.6f", value);
}

void pmk_metric_unit_text(char *buf, size_t size, const struct pmk_metric_value *v)
{
	snprintf(buf, size, "%s%s%s", v->unit, *v->unit ? "  " : "", v->name);
}

/* One call of a writer's slot, in the C locale. */
static int run(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_section *s,
	       int (*begin_or_end)(struct pmk_writer *, const struct pmk_result *))
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;
	int err;

	if (c == (locale_t)0)
		return PMK_ENOMEM;
	before = uselocale(c);
	err = s ? w->ops->section(w, r, s) : begin_or_end(w, r);
	uselocale(before);
	freelocale(c);
	if ((fflush(w->f) != 0 || ferror(w->f)) && !err)
		err = PMK_EIO;
	if (err && !w->error)
		w->error = err;
	return w->error;
}

struct pmk_writer *pmk_writer_begin(FILE *f, const struct pmk_write_options *opt,
				    const struct pmk_result *r)
{
	const struct pmk_writer_ops *ops = opt->format == PMK_FORMAT_JSON  ? &pmk_writer_json
					   : opt->format == PMK_FORMAT_CSV ? &pmk_writer_csv
									   : &pmk_writer_text;
	struct pmk_writer *w = calloc(1, sizeof(*w) + ops->state_size);

	if (!w)
		return NULL;
	w->ops = ops;
	w->f = f;
	w->opt = *opt;
	w->state = w + 1;
	if (!w->opt.separator || !*w->opt.separator)
		w->opt.separator = ",";
	run(w, r, NULL, ops->begin);
	return w;
}

int pmk_writer_section(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s)
{
	return run(w, r, s, NULL);
}

int pmk_writer_end(struct pmk_writer *w, const struct pmk_result *r)
{
	int err = run(w, r, NULL, w->ops->end);

	free(w);
	return err;
}
