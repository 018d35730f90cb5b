// SPDX-License-Identifier: MIT
/*
 * pmk list: what can be counted, on which PMU or core, and how exact it is. All of it comes from
 * the tables and files that define it.
 */
#include <limits.h>
#include <stddef.h>
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
	CLI_ROWS_END,
};

/* ---- rows of the lists ----------------------------------------------------------------------- */

static void print_heading(const struct request *q, const char *text)
{
	if (q->headings)
		printf("%s%s%s\n\n", show_bold(), text, show_plain());
}

static void print_pmu(const struct request *q, const struct pmk_pmu *pmu)
{
	printf("  %-15s %3u events, %2u counters  %s\n", pmu->name, show_event_count(pmu),
	       pmu->ncounters, pmu->brief);
	if (q->verbose && pmu->aliases)
		printf("  %-15s also: %s\n", "", pmu->aliases);
	if (q->verbose && pmu->note)
		printf("  %-15s %s\n", "", pmu->note);
}

static json_object *json_pmu(const struct pmk_pmu *pmu)
{
	json_object *o = json_object_new_object();

	pmk_json_text(o, "name", pmu->name);
	pmk_json_add(o, "aliases", show_json_words(pmu->aliases));
	pmk_json_text(o, "brief", pmu->brief);
	pmk_json_text(o, "note", pmu->note);
	pmk_json_count(o, "events", show_event_count(pmu));
	pmk_json_count(o, "counters", pmu->ncounters);
	return o;
}

/* Print a core. Its name and description may come from the user, so they are printed with
 * pmk_print(). */
static void print_core(const struct request *q, const struct pmk_core *core)
{
	pmk_print(stdout, "  %-15s %s\n", core->name, core->brief);
	if (q->verbose && !q->headings)
		show_core_keys(core, "    ");
}

static void print_event(const struct request *q, const struct pmk_event *ev)
{
	printf("  %-29s 0x%02x  %-7s %-12s %s\n", ev->name, ev->code, show_kind(ev),
	       show_support(ev), ev->brief);
	if (!q->verbose)
		return;
	if (ev->aliases)
		printf("  %-29s also: %s\n", "", ev->aliases);
	if (!q->pmu) {
		printf("  %-29s on:", "");
		show_owners(ev);
	}
	if (ev->caveat)
		printf("  %-29s %s\n", "", ev->caveat);
	if (ev->unmodelled)
		printf("  %-29s not modelled: %s\n", "", ev->unmodelled);
	printf("  %-29s %s\n", "", ev->ref);
}

static void print_metric(const struct request *q, const struct pmk_metric *m)
{
	pmk_print(stdout, "  %-22s %s%s%s%s\n", m->name, m->title, *m->unit ? " [" : "", m->unit,
		  *m->unit ? "]" : "");
	if (q->verbose)
		printf("  %-22s = %s\n", "", m->formula);
}

/* ---- topics --------------------------------------------------------------------------------- */

/* These functions print text or, if `list` is not NULL, add to `list`. They return 0 or an exit
 * code. */

static int list_pmus(const struct request *q, json_object *list)
{
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = show_pmu(i)); i++) {
		if (q->pmu && pmu != q->pmu)
			continue;
		if (list)
			json_object_array_add(list, json_pmu(pmu));
		else
			print_pmu(q, pmu);
	}
	return 0;
}

static int list_cores(const struct request *q, json_object *list)
{
	char **names = cli_core_names(), msg[PATH_MAX + 300];
	struct pmk_core core;
	int code = names ? 0 : PMK_EXIT_FAILED;

	for (unsigned i = 0; names && names[i]; i++) {
		if (show_load_core(names[i], &core, msg, sizeof(msg)) != 0)
			code = cli_fail(PMK_EXIT_FAILED, "%s", msg);
		else if (q->pmu && !show_core_can_have(&core, q->pmu))
			continue;
		else if (list)
			json_object_array_add(list, show_json_core(&core));
		else
			print_core(q, &core);
	}
	pmk_files_free_names(names);
	return code;
}

/* True for the first PMU of a family. The PMUs of a family share one catalogue of events. */
static bool first_of_family(unsigned i)
{
	for (unsigned j = 0; j < i; j++)
		if (show_pmu(j)->events == show_pmu(i)->events)
			return false;
	return true;
}

/* Print the names of the family's PMUs: "  arm1136, arm1176:". */
static void print_family(unsigned first)
{
	const struct pmk_pmu *pmu;
	const char *separator = "  ";

	for (unsigned i = first; (pmu = show_pmu(i)); i++) {
		if (pmu->events != show_pmu(first)->events)
			continue;
		printf("%s%s", separator, pmu->name);
		separator = ", ";
	}
	puts(":");
}

/* List events: as text the events of a family once, as JSON the events of each PMU. */
static int list_events(const struct request *q, json_object *list)
{
	const struct pmk_pmu *pmu;
	const char *gap = "";

	for (unsigned i = 0; (pmu = show_pmu(i)); i++) {
		bool family = !list && !q->pmu;

		if (q->pmu ? pmu != q->pmu : family && !first_of_family(i))
			continue;
		fputs(gap, stdout);
		gap = list ? "" : "\n";
		if (family)
			print_family(i);
		for (unsigned e = 0; e < pmu->nevents; e++) {
			const struct pmk_event *ev = &pmu->events[e];

			if (!family && !pmk_pmu_has(pmu, ev))
				continue;
			if (list)
				json_object_array_add(list, show_json_event(pmu, ev));
			else
				print_event(q, ev);
		}
	}
	return 0;
}

static int list_metrics(const struct request *q, json_object *list)
{
	struct pmk_metrics *all = cli_metrics();

	for (unsigned i = 0; all && i < pmk_metrics_count(all); i++) {
		const struct pmk_metric *m = pmk_metrics_get(all, i);

		if (q->pmu && !pmk_metric_applies(m, q->pmu))
			continue;
		if (list)
			json_object_array_add(list, show_json_metric(m));
		else
			print_metric(q, m);
	}
	return all ? 0 : PMK_EXIT_FAILED;
}

static int list_targets(const struct request *q, json_object *list)
{
	(void)q;
	for (unsigned i = 0; pmk_count_ways[i]; i++)
		if (list)
			json_object_array_add(list, show_json_named(pmk_count_ways[i]->name,
								    pmk_count_ways[i]->brief));
		else
			printf("  %-15s %s\n", pmk_count_ways[i]->name, pmk_count_ways[i]->brief);
	return 0;
}

static const struct {
	const char *name, *heading;
	int (*list)(const struct request *q, json_object *list);
} topics[NTOPICS] = {
	[PMUS] = { "pmus", "PMUs (performance monitoring units)", list_pmus },
	[CORES] = { "cores", "Cores (pmk stat --core)", list_cores },
	[EVENTS] = { "events", "Events (pmk stat -e; pmk info EVENT explains one)", list_events },
	[METRICS] = { "metrics", "Metrics (pmk stat -M; pmk info METRIC explains one)",
		      list_metrics },
	[TARGETS] = { "targets", "Targets (pmk stat -T)", list_targets },
};

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

static int list_text(const struct request *q)
{
	const char *gap = "";
	int code = 0;

	for (unsigned t = 0; t < NTOPICS && !code; t++) {
		if (!q->show[t])
			continue;
		fputs(gap, stdout);
		print_heading(q, t == PMUS && q->overview
					 ? "PMUs (pmk list PMU shows the events of one)"
					 : topics[t].heading);
		code = topics[t].list(q, NULL);
		gap = "\n";
	}
	if (q->overview && !code) {
		fputs(gap, stdout);
		code = list_more(q);
	}
	return code;
}

static int list_json(const struct request *q)
{
	json_object *doc = pmk_json_document("pmk-list");
	int code = 0;

	for (unsigned t = 0; t < NTOPICS && !code; t++) {
		json_object *list = q->show[t] ? json_object_new_array() : NULL;

		if (!list)
			continue;
		pmk_json_add(doc, topics[t].name, list);
		code = topics[t].list(q, list);
	}
	if (!code)
		pmk_json_put_document(stdout, doc);
	json_object_put(doc);
	return code;
}

/* ---- command -------------------------------------------------------------------------------- */

static void show_all(struct request *q)
{
	for (unsigned t = 0; t < NTOPICS; t++)
		q->show[t] = true;
}

/* Returns the PMU with this name, or of the core with this name; NULL if there is none. */
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

/* Add a topic to the request. Topics are also accepted in the singular and in capital letters. */
static int take_topic(struct request *q, const char *word)
{
	const struct pmk_pmu *pmu;
	struct pmk_nearest near;

	pmk_nearest_init(&near, word);
	for (unsigned t = 0; t < NTOPICS; t++) {
		size_t n = strlen(topics[t].name);

		pmk_nearest_offer(&near, topics[t].name);
		if (strcasecmp(word, topics[t].name) == 0 ||
		    (strlen(word) == n - 1 && strncasecmp(word, topics[t].name, n - 1) == 0)) {
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
	pmk_nearest_offer(&near, "all");
	for (unsigned i = 0; show_pmu(i); i++)
		pmk_nearest_offer(&near, show_pmu(i)->name);
	return cli_not_found(cli_near(&near),
			     "the topics are pmus, cores, events, metrics, targets and all",
			     "list: no topic or PMU '%s'", word);
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
