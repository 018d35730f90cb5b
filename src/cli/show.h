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

/* All PMUs, in the order of pmk_pmus; then "amba", which is made of the map of a dump, as it is
 * for a [layer LAYER] and an [axi INTERFACE]. NULL: there are no more. */
const struct pmk_pmu *show_pmu(unsigned i);
/* The PMU of that name; NULL: there is none. */
const struct pmk_pmu *show_pmu_called(const char *name);
/* The same; NULL and one line with the nearest ones when there is none. */
const struct pmk_pmu *show_find_pmu(const char *name);

/* The register of that name, or the bus of the PMU that is described like one: AHBMONITOR, EVNTBUS;
 * NULL: there is none. */
const struct pmk_reg_info *show_register(const struct pmk_pmu *pmu, const char *name);

/* The columns that the longest name of its fields takes, 10 at least. */
int show_field_width(const struct pmk_reg_info *reg);

/* Does this PMU have this row, and not only one of the same name? */
bool show_owns(const struct pmk_pmu *pmu, const struct pmk_event *ev);
unsigned show_event_count(const struct pmk_pmu *pmu);
/* What is counted of the event: "cycles"; "latency", occurrences that a latency counter times;
 * "events". */
const char *show_kind(const struct pmk_event *ev);
/* True for an event of "amba": no emulation counts it, a dump of its signals does. */
bool show_is_measured(const struct pmk_event *ev);
/* How exact the counts of the event are: "exact", "modelled", "not modelled", "measured". */
const char *show_support(const struct pmk_event *ev);

/* Read a preset of the data directory and check it. 0 or negative with one line in msg. */
int show_load_core(const char *name, struct pmk_core *core, char *msg, unsigned size);
/* Does the core have that PMU, or can it be given a level 2 cache that has it? */
bool show_core_can_have(const struct pmk_core *core, const struct pmk_pmu *pmu);
/* Print every key of the core with its value, range and text. */
void show_core_keys(const struct pmk_core *core, const char *indent);
/* Print one line behind `label`: the value of the key, and what the core accepts. */
void show_core_key(const struct pmk_core *core, const struct pmk_core_key *k, const char *label,
		   const char *indent);

/* The value of the key as presets write it: "16K", "on", "lru". */
void show_key_text(char *buf, size_t size, const struct pmk_core *core,
		   const struct pmk_core_key *k);

/* Print a text from outside (base/plain.h), and blanks up to column `width`. */
void show_foreign(const char *text, int width);

/* Print paragraphs of text, broken before column `width`, with `first` before the first line and
 * `indent` before the others. */
void show_wrapped(const char *text, const char *first, const char *indent, int width);

/* JSON: a string member (null for NULL); the words of a text; {"format":…,"version":1}. */
void show_add(json_object *o, const char *key, const char *text);
json_object *show_json_words(const char *words);
json_object *show_json_document(const char *format);
json_object *show_json_event(const struct pmk_pmu *pmu, const struct pmk_event *ev);
json_object *show_json_metric(const struct pmk_metric *m);
json_object *show_json_core(const struct pmk_core *core);
/* Print the document to stdout, indented. */
void show_json_print(json_object *doc);

#endif
