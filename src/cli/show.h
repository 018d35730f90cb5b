/* SPDX-License-Identifier: MIT */
/* What list, info and decode share: how a PMU, an event, a metric and a core are shown. */
#ifndef PMK_CLI_SHOW_H
#define PMK_CLI_SHOW_H

#include <json.h>

#include "cli/cli.h"
#include "cpu/config.h"

/* Escape sequences when stdout is a terminal (and NO_COLOR is not set), else "". */
const char *show_bold(void);
const char *show_plain(void);

/* The PMU of that name; NULL and one line with the nearest ones when there is none. */
const struct pmk_pmu *show_find_pmu(const char *name);

/* Does this PMU have this very row? */
bool show_owns(const struct pmk_pmu *pmu, const struct pmk_event *ev);
unsigned show_event_count(const struct pmk_pmu *pmu);
/* What is counted of the event: "cycles", "latency" (occurrences, which a latency counter times), "events". */
const char *show_kind(const struct pmk_event *ev);
/* What emulation makes of the event: "exact", "modelled", "not modelled". */
const char *show_support(const struct pmk_event *ev);

/* Read a preset of the data directory and check it. 0 or negative with one line in msg. */
int show_load_core(const char *name, struct pmk_core *core, char *msg, unsigned size);
/* Does it have that PMU, itself or in a level 2 cache that it can be given? */
bool show_core_can_have(const struct pmk_core *core, const struct pmk_pmu *pmu);
/* Every key with its value, range and text. */
void show_core_keys(const struct pmk_core *core, const char *indent);
/* One line of it: what the parameter is there and what the core accepts, behind `label`. */
void show_core_key(const struct pmk_core *core, const struct pmk_core_key *k, const char *label,
		   const char *indent);

/* Paragraphs of text, broken before column `width`: `first` stands before the first line, `indent`
 * before the others. */
void show_wrapped(const char *text, const char *first, const char *indent, int width);

/* JSON: a string member (null for NULL); the words of a text; {"format":…,"version":1}. */
void show_add(json_object *o, const char *key, const char *text);
json_object *show_json_words(const char *words);
json_object *show_json_document(const char *format);
json_object *show_json_event(const struct pmk_pmu *pmu, const struct pmk_event *ev);
json_object *show_json_metric(const struct pmk_metric *m);
json_object *show_json_core(const struct pmk_core *core);
/* To stdout, indented. */
void show_json_print(json_object *doc);

#endif
