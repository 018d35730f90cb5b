// SPDX-License-Identifier: MIT
/*
 * pmk list: what can be counted, on which PMU or core, and how exact it is. All of it comes from
 * the tables and files that define it.
 */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <json.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "count/way.h"
#include "count/files.h"
#include "cpu/config.h"
#include "result/jsonio.h"

enum topic { PMUS, CORES, EVENTS, METRICS, TARGETS, NTOPICS };

static const char *const topics[NTOPICS + 1] = {
	[PMUS] = "pmus",       [CORES] = "cores",     [EVENTS] = "events",
	[METRICS] = "metrics", [TARGETS] = "targets", NULL,
};

struct request {
	const struct pmk_pmu *pmu; /* NULL: all */
	bool show[NTOPICS];
	bool json, verbose;
	bool headings; /* several topics */
	bool by_pmu;   /* the only topic is a PMU's name: list its events */
	bool overview; /* no topic was named: print a short overview */
};

static int choose_pmu(const struct pmk_pmu **at, const struct pmk_pmu *pmu)
{
	if (*at && *at != pmu)
		return cli_fail(PMK_EXIT_USAGE, "list: more than one PMU: %s and %s; give one",
				(*at)->name, pmu->name);
	*at = pmu;
	return 0;
}

static int take_pmu(void *member, char *name)
{
	const struct pmk_pmu *pmu = show_find_pmu(name);

	return pmu ? choose_pmu(member, pmu) : PMK_EXIT_USAGE;
}

#define AT(member) offsetof(struct request, member)

static const struct cli_option options[] = {
	{ 0, "pmu", "PMU", "only this PMU's events, metrics and cores", CLI_CALL, AT(pmu),
	  take_pmu },
	CLI_ROW_JSON(AT(json)),
	{ 'v', "verbose", NULL, "more: aliases, sources, every parameter of the cores", CLI_ON,
	  AT(verbose) },
	CLI_ROW_HELP,
	{ 0, NULL, NULL, NULL },
};

/* ---- text ----------------------------------------------------------------------------------- */

static void print_heading(const struct request *q, const char *text)
{
	if (q->headings)
		printf("%s%s%s\n\n", show_bold(), text, show_plain());
}

static void list_pmus(const struct request *q)
{
	const struct pmk_pmu *pmu;

	print_heading(q, q->overview ? "PMUs (pmk list PMU shows the events of one)"
				     : "PMUs (performance monitoring units)");
	for (unsigned i = 0; (pmu = show_pmu(i)); i++) {
		if (q->pmu && pmu != q->pmu)
			continue;
		printf("  %-15s %3u events, %2u counters  %s\n", pmu->name, show_event_count(pmu),
		       pmu->ncounters, pmu->brief);
		if (q->verbose && pmu->aliases)
			printf("  %-15s also: %s\n", "", pmu->aliases);
		if (q->verbose && pmu->note)
			printf("  %-15s %s\n", "", pmu->note);
	}
}

/* A name and its description, which may come from the user. */
static void show_named(const char *name, int width, const char *text)
{
	pmk_print(stdout, "  %-*s %s\n", width, name, text);
}

static int list_cores(const struct request *q)
{
	char **names = cli_core_names(), msg[PATH_MAX + 300];
	struct pmk_core core;
	int code = names ? 0 : PMK_EXIT_FAILED;

	print_heading(q, "Cores (pmk stat --core)");
	for (unsigned i = 0; names && names[i]; i++) {
		if (show_load_core(names[i], &core, msg, sizeof(msg)) != 0) {
			code = cli_fail(PMK_EXIT_FAILED, "%s", msg);
			continue;
		}
		if (q->pmu && !show_core_can_have(&core, q->pmu))
			continue;
		show_named(core.name, 15, core.brief);
		if (q->verbose && !q->headings)
			show_core_keys(&core, "    ");
	}
	pmk_files_free_names(names);
	return code;
}

/* The cores that share one catalogue and have the event, "arm1136 arm1176". */
static void print_owners(const struct pmk_event *ev)
{
	const char *separator = "";
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = show_pmu(i)); i++) {
		if (!show_owns(pmu, ev))
			continue;
		printf("%s%s", separator, pmu->name);
		separator = " ";
	}
}

static void list_event(const struct request *q, const struct pmk_event *ev)
{
	printf("  %-29s 0x%02x  %-7s %-12s %s\n", ev->name, ev->code, show_kind(ev),
	       show_support(ev), ev->brief);
	if (!q->verbose)
		return;
	if (ev->aliases)
		printf("  %-29s also: %s\n", "", ev->aliases);
	if (!q->pmu) {
		printf("  %-29s on: ", "");
		print_owners(ev);
		putchar('\n');
	}
	if (ev->caveat)
		printf("  %-29s %s\n", "", ev->caveat);
	if (ev->unmodelled)
		printf("  %-29s not modelled: %s\n", "", ev->unmodelled);
	printf("  %-29s %s\n", "", ev->ref);
}

/* True for the first PMU of its family, which shares one catalogue of events. */
static bool first_of_family(unsigned i)
{
	for (unsigned j = 0; j < i; j++)
		if (show_pmu(j)->events == show_pmu(i)->events)
			return false;
	return true;
}

static void list_family(const struct request *q, unsigned first)
{
	const struct pmk_pmu *pmu = show_pmu(first), *one;
	const char *separator = "  ";

	if (!q->pmu) {
		for (unsigned i = first; (one = show_pmu(i)); i++) {
			if (one->events != pmu->events)
				continue;
			printf("%s%s", separator, one->name);
			separator = ", ";
		}
		puts(":");
	}
	for (unsigned i = 0; i < pmu->nevents; i++)
		if (!q->pmu || pmk_pmu_has(q->pmu, &pmu->events[i]))
			list_event(q, &pmu->events[i]);
}

static void list_events(const struct request *q)
{
	const char *gap = "";

	print_heading(q, "Events (pmk stat -e; pmk info EVENT explains one)");
	for (unsigned i = 0; show_pmu(i); i++) {
		if (q->pmu ? show_pmu(i) != q->pmu : !first_of_family(i))
			continue;
		fputs(gap, stdout);
		list_family(q, i);
		gap = "\n";
	}
}

static int list_metrics(const struct request *q)
{
	struct pmk_metrics *all = cli_metrics();

	print_heading(q, "Metrics (pmk stat -M; pmk info METRIC explains one)");
	for (unsigned i = 0; all && i < pmk_metrics_count(all); i++) {
		const struct pmk_metric *m = pmk_metrics_get(all, i);

		if (q->pmu && !pmk_metric_applies(m, q->pmu))
			continue;
		pmk_print(stdout, "  %-22s %s%s%s", m->name, m->title, *m->unit ? " [" : "",
			  m->unit);
		puts(*m->unit ? "]" : "");
		if (q->verbose)
			printf("  %-22s = %s\n", "", m->formula);
	}
	return all ? 0 : PMK_EXIT_FAILED;
}

static void list_targets(const struct request *q)
{
	print_heading(q, "Targets (pmk stat -T)");
	for (unsigned i = 0; pmk_count_ways[i]; i++)
		printf("  %-15s %s\n", pmk_count_ways[i]->name, pmk_count_ways[i]->brief);
}

/* Say what the overview leaves out, and how to list it. */
static int list_more(const struct request *q)
{
	struct pmk_metrics *all = cli_metrics();

	if (!all)
		return PMK_EXIT_FAILED;
	print_heading(q, "More");
	printf("  %-24s its events, such as 'pmk list microblaze'\n", "pmk list PMU");
	printf("  %-24s %u ratios of events (pmk stat -M)\n", "pmk list metrics",
	       pmk_metrics_count(all));
	printf("  %-24s every parameter of the cores (pmk stat --set)\n", "pmk list cores -v");
	printf("  %-24s all of this, of every PMU\n", "pmk list all");
	printf("  %-24s explains an event, metric, register, PMU, core or parameter\n",
	       "pmk info NAME");
	return 0;
}

static int list_topic(const struct request *q, enum topic t)
{
	switch (t) {
	case PMUS:
		list_pmus(q);
		break;
	case CORES:
		return list_cores(q);
	case EVENTS:
		list_events(q);
		break;
	case METRICS:
		return list_metrics(q);
	case TARGETS:
		list_targets(q);
		break;
	case NTOPICS:
		break;
	}
	return 0;
}

static int list_text(const struct request *q)
{
	const char *gap = "";
	int code = 0;

	for (unsigned t = 0; t < NTOPICS && !code; t++) {
		if (!q->show[t])
			continue;
		fputs(gap, stdout);
		code = list_topic(q, (enum topic)t);
		gap = "\n";
	}
	if (q->overview && !code) {
		fputs(gap, stdout);
		code = list_more(q);
	}
	return code;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_pmus(const struct request *q, json_object *list)
{
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = show_pmu(i)); i++) {
		json_object *o;

		if (q->pmu && pmu != q->pmu)
			continue;
		o = json_object_new_object();
		pmk_json_text(o, "name", pmu->name);
		pmk_json_add(o, "aliases", show_json_words(pmu->aliases));
		pmk_json_text(o, "brief", pmu->brief);
		pmk_json_text(o, "note", pmu->note);
		pmk_json_add(o, "events", json_object_new_int((int)show_event_count(pmu)));
		pmk_json_add(o, "counters", json_object_new_int((int)pmu->ncounters));
		json_object_array_add(list, o);
	}
}

static int json_cores(const struct request *q, json_object *list)
{
	char **names = cli_core_names(), msg[PATH_MAX + 300];
	struct pmk_core core;
	int code = names ? 0 : PMK_EXIT_FAILED;

	for (unsigned i = 0; names && names[i]; i++) {
		if (show_load_core(names[i], &core, msg, sizeof(msg)) != 0)
			code = cli_fail(PMK_EXIT_FAILED, "%s", msg);
		else if (!q->pmu || show_core_can_have(&core, q->pmu))
			json_object_array_add(list, show_json_core(&core));
	}
	pmk_files_free_names(names);
	return code;
}

static void json_events(const struct request *q, json_object *list)
{
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = show_pmu(i)); i++) {
		if (q->pmu && pmu != q->pmu)
			continue;
		for (unsigned e = 0; e < pmu->nevents; e++)
			if (pmk_pmu_has(pmu, &pmu->events[e]))
				json_object_array_add(list, show_json_event(pmu, &pmu->events[e]));
	}
}

static int json_metrics(const struct request *q, json_object *list)
{
	struct pmk_metrics *all = cli_metrics();

	for (unsigned i = 0; all && i < pmk_metrics_count(all); i++) {
		const struct pmk_metric *m = pmk_metrics_get(all, i);

		if (!q->pmu || pmk_metric_applies(m, q->pmu))
			json_object_array_add(list, show_json_metric(m));
	}
	return all ? 0 : PMK_EXIT_FAILED;
}

static void json_targets(json_object *list)
{
	for (unsigned i = 0; pmk_count_ways[i]; i++) {
		json_object *o = json_object_new_object();

		pmk_json_text(o, "name", pmk_count_ways[i]->name);
		pmk_json_text(o, "brief", pmk_count_ways[i]->brief);
		json_object_array_add(list, o);
	}
}

static int list_json(const struct request *q)
{
	json_object *doc = pmk_json_document("pmk-list");
	int code = 0;

	for (unsigned t = 0; t < NTOPICS && !code; t++) {
		json_object *list;

		if (!q->show[t])
			continue;
		list = json_object_new_array();
		json_object_object_add(doc, topics[t], list);
		switch ((enum topic)t) {
		case PMUS:
			json_pmus(q, list);
			break;
		case CORES:
			code = json_cores(q, list);
			break;
		case EVENTS:
			json_events(q, list);
			break;
		case METRICS:
			code = json_metrics(q, list);
			break;
		case TARGETS:
			json_targets(list);
			break;
		case NTOPICS:
			break;
		}
	}
	if (!code)
		show_json_print(doc);
	json_object_put(doc);
	return code;
}

/* ---- command -------------------------------------------------------------------------------- */

/* Topics, "all", PMUs. */
static const char *any_topic(const void *ctx, unsigned i)
{
	(void)ctx;
	if (i < NTOPICS)
		return topics[i];
	if (i == NTOPICS)
		return "all";
	i -= NTOPICS + 1;
	return show_pmu(i) ? show_pmu(i)->name : NULL;
}

static void show_all(struct request *q)
{
	for (unsigned t = 0; t < NTOPICS; t++)
		q->show[t] = true;
}

/* The PMU with that name, or of the core with that name; NULL: there is none. */
static const struct pmk_pmu *pmu_called(const char *name)
{
	const struct pmk_pmu *pmu = show_pmu_called(name);
	char **names = pmu ? NULL : cli_core_names(), msg[PATH_MAX + 300];
	struct pmk_core core;

	name = names ? cli_core_name(name) : name;
	for (unsigned i = 0; names && names[i] && !pmu; i++)
		if (strcmp(names[i], name) == 0 &&
		    show_load_core(name, &core, msg, sizeof(msg)) == 0)
			pmu = pmk_pmu_find(core.pmu);
	pmk_files_free_names(names);
	return pmu;
}

/* Topics are also accepted in the singular and in capital letters. */
static int take_topic(struct request *q, const char *word)
{
	const struct pmk_pmu *pmu;
	char near[64];

	for (unsigned t = 0; t < NTOPICS; t++) {
		size_t n = strlen(topics[t]);

		if (strcasecmp(word, topics[t]) == 0 ||
		    (strlen(word) == n - 1 && strncasecmp(word, topics[t], n - 1) == 0)) {
			q->show[t] = true;
			return 0;
		}
	}
	if (strcasecmp(word, "all") == 0) {
		show_all(q);
		return 0;
	}
	pmu = pmu_called(word);
	if (pmu) {
		q->by_pmu = true;
		return choose_pmu(&q->pmu, pmu);
	}
	pmk_nearest_among(word, any_topic, NULL, near, sizeof(near));
	if (*near)
		return cli_fail(PMK_EXIT_USAGE, "list: no topic or PMU '%s'; did you mean %s?",
				word, near);
	return cli_fail(
		PMK_EXIT_USAGE,
		"list: no topic or PMU '%s'; there are pmus, cores, events, metrics, targets "
		"and all",
		word);
}

/* Choose what is shown if no topic was named, and whether there are headings. */
static void choose_topics(struct request *q)
{
	unsigned n = 0;

	for (unsigned t = 0; t < NTOPICS; t++)
		n += q->show[t];
	if (!n && q->by_pmu) {
		q->show[EVENTS] = true;
	} else if (!n && (q->pmu || q->json)) {
		show_all(q); /* for one PMU, and for scripts */
		q->headings = true;
	} else if (!n) {
		q->show[PMUS] = q->show[CORES] = q->show[TARGETS] = true;
		q->headings = q->overview = true;
	} else {
		q->headings = n > 1;
	}
}

static int run_list(int argc, char **argv)
{
	struct request q = { .pmu = NULL };
	char **operands;
	int code = cli_parse(&cmd_list, &q, argc, argv, &operands);

	while (!code && *operands)
		code = take_topic(&q, *operands++);
	if (code)
		return code;
	choose_topics(&q);
	return q.json ? list_json(&q) : list_text(&q);
}

const struct cli_command cmd_list = {
	.name = "list",
	.brief = "list the PMUs, cores, events, metrics and targets",
	.usage = "[pmus|cores|events|metrics|targets|all|PMU]... [--pmu PMU] [-j] [-v]",
	.options = options,
	.run = run_list,
};
