// SPDX-License-Identifier: MIT
/* What stat and report have in common. See output.h. */
#define _GNU_SOURCE
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pmk/ahbmon.h>
#include <pmk/error.h>

#include "pmu/ahbmon/layers.h"

/* ---- options -------------------------------------------------------------------------------- */

static int out_of_memory(void)
{
	return cli_fail(PMK_EXIT_FAILED, "out of memory");
}

bool output_take(struct output_options *o, const struct cli_option *option, char *value, int *code)
{
	const char *name = option->name;

	*code = 0;
	if (!strcmp(name, "metrics"))
		*code = pmk_words_add(&o->metrics, value) ? 0 : out_of_memory();
	else if (!strcmp(name, "field-separator"))
		o->separator = strcmp(value, "\\t") ? value : "\t"; /* as perf does */
	else if (!strcmp(name, "output"))
		o->path = value;
	else if (!strcmp(name, "json-output"))
		o->json = true;
	else if (!strcmp(name, "append"))
		o->append = true;
	else if (!strcmp(name, "no-big-num"))
		o->plain_numbers = true;
	else if (!strcmp(name, "verbose"))
		o->verbose = true;
	else if (!strcmp(name, "bars"))
		o->bars = true;
	else
		return false;
	return true;
}

bool output_is_text(const struct output_options *o)
{
	return !o->json && !o->separator;
}

int output_check(const struct output_options *o)
{
	if (o->json && o->separator)
		return cli_fail(PMK_EXIT_USAGE, "-j and -x exclude each other");
	if (o->separator && (!*o->separator || strpbrk(o->separator, "\"\n")))
		return cli_fail(PMK_EXIT_USAGE,
				"-x needs a separator other than a quote or a new line");
	if (o->bars && !output_is_text(o))
		return cli_fail(PMK_EXIT_USAGE, "--bars is of the text report: not with -j or -x");
	if (o->append && !o->path)
		return cli_fail(PMK_EXIT_USAGE, "--append needs -o FILE");
	return 0;
}

void output_options_free(struct output_options *o)
{
	pmk_words_free(&o->metrics);
}

bool output_is(const struct output_options *o, const char *path)
{
	struct stat out, other;

	return o->path && !stat(o->path, &out) && !stat(path, &other) && S_ISREG(out.st_mode) &&
	       out.st_dev == other.st_dev && out.st_ino == other.st_ino;
}

/* ---- metrics -------------------------------------------------------------------------------- */

static void add_metric(struct pmk_metric_list *list, const struct pmk_metric *m)
{
	if (list->count < PMK_MAX_EVENTS)
		list->item[list->count++] = m;
}

static const char *metric_name(const void *metrics, unsigned i)
{
	return i < pmk_metrics_count(metrics) ? pmk_metrics_get(metrics, i)->name : NULL;
}

static int find_metric(struct pmk_metric_list *list, const char *name)
{
	struct pmk_metrics *all = cli_metrics();
	const struct pmk_metric *m = all ? pmk_metrics_find(all, name) : NULL;
	char near[256] = "";

	if (!all)
		return PMK_EXIT_FAILED;
	if (!*name)
		return cli_fail(PMK_EXIT_USAGE, "empty metric name in the metric list");
	if (m) {
		add_metric(list, m);
		return 0;
	}
	pmk_nearest_among(name, metric_name, all, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE, "unknown metric '%s'%s%s%s (pmk list metrics)", name,
			*near ? "; did you mean " : "", near, *near ? "?" : "");
}

int output_metrics(const struct output_options *o, struct pmk_metric_list *list)
{
	int code = 0;

	for (unsigned i = 0; !code && i < o->metrics.count; i++) {
		char *word = strdup(o->metrics.word[i]), *at = word, *name;

		if (!word)
			return out_of_memory();
		while (!code && (name = strsep(&at, ",")))
			code = find_metric(list, name);
		free(word);
	}
	return code;
}

int output_fitting_metrics(struct pmk_metric_list *list, const struct pmk_pmu *pmu, bool has_clock,
			   bool (*counted)(const void *ctx, const struct pmk_event *ev),
			   const void *ctx)
{
	struct pmk_metrics *all = cli_metrics();

	for (unsigned i = 0; all && i < pmk_metrics_count(all); i++) {
		const struct pmk_metric *m = pmk_metrics_get(all, i);
		bool fits = has_clock || !strstr(m->formula, "cycles_per_second");

		for (const char *const *name = m->events; *name; name++) {
			const struct pmk_event *ev = pmk_pmu_event(pmu, *name);

			fits = fits && ev && counted(ctx, ev);
		}
		if (fits)
			add_metric(list, m);
	}
	return all ? 0 : PMK_EXIT_FAILED;
}

/* ---- the document --------------------------------------------------------------------------- */

int output_open(struct output *out, const struct output_options *o, FILE *usual)
{
	*out = (struct output){ .o = o, .f = usual };
	if (!o->path)
		return 0;
	out->f = fopen(o->path, o->append ? "ae" : "we");
	out->own = out->f != NULL;
	if (!out->own)
		return cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s", o->path, strerror(errno));
	return 0;
}

const struct pmk_layers *output_layers(const struct pmk_pmu *pmu)
{
	return pmu && pmu->driver == pmk_ahbmon.driver ? &pmk_ahbmon_layers : NULL;
}

int output_begin(struct output *out, const struct pmk_result *r,
		 const struct pmk_metric_list *metrics, bool firmware)
{
	const struct output_options *o = out->o;
	struct pmk_write_options opt = {
		.format = o->json	 ? PMK_FORMAT_JSON
			  : o->separator ? PMK_FORMAT_CSV
					 : PMK_FORMAT_TEXT,
		.separator = o->separator,
		.big_num = !o->plain_numbers,
		.colour = cli_colour(out->f),
		.verbose = o->verbose,
		.firmware = firmware,
		.metrics = metrics->item,
		.bars = o->bars ? &out->bars : NULL,
	};

	out->bars = (struct pmk_bars){
		.layers = output_layers(r->pmu),
		.columns = cli_columns(out->f),
		.utf8 = cli_utf8(),
	};
	out->writer = pmk_writer_begin(out->f, &opt, r);
	return out->writer ? 0 : out_of_memory();
}

int output_end(struct output *out, const struct pmk_result *r)
{
	int err = out->writer ? pmk_writer_end(out->writer, r) : 0;

	out->writer = NULL;
	return err;
}

int output_close(struct output *out, const struct pmk_result *r)
{
	int err = output_end(out, r);

	if (out->own && fclose(out->f) && !err)
		err = PMK_EIO;
	out->own = false;
	return err;
}
