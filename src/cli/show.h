/* SPDX-License-Identifier: MIT */
/* Functions that list, info and decode share: how a PMU, an event, a metric and a core are
 * shown. */
#ifndef PMK_CLI_SHOW_H
#define PMK_CLI_SHOW_H

#include <json.h>

#include "cli/cli.h"
#include "cpu/config.h"

/* These return escape sequences if stdout is a terminal (and NO_COLOR is not set), otherwise "". */
const char *show_bold(void);
const char *show_plain(void);

/* Returns PMU `i`: first the PMUs of pmk_pmus, then "amba". That PMU is normally built from the
 * map of a dump; here it has one [layer LAYER] and one [axi INTERFACE]. NULL: there are no more. */
const struct pmk_pmu *show_pmu(unsigned i);
/* Returns the PMU with this name, or NULL. */
const struct pmk_pmu *show_pmu_called(const char *name);
/* Like show_pmu_called(); if there is no such PMU, also prints one line with the nearest names. */
const struct pmk_pmu *show_find_pmu(const char *name);

/* Returns the register with that name, or a bus of the PMU that is described like a register:
 * AHBMONITOR, EVNTBUS; NULL: there is none. */
const struct pmk_reg_info *show_register(const struct pmk_pmu *pmu, const char *name);

/* Returns the width of the longest name of the register's fields, but at least 10. */
int show_field_width(const struct pmk_reg_info *reg);

/* True if `ev` is an element of pmu->events and this PMU has the event. An event with the same name
 * in the table of another PMU does not count. */
bool show_owns(const struct pmk_pmu *pmu, const struct pmk_event *ev);
/* Print the PMUs for which show_owns() is true, such as " arm1136 arm1176", and end the line. */
void show_owners(const struct pmk_event *ev);
unsigned show_event_count(const struct pmk_pmu *pmu);
/* Returns the kind of the event's counts: "cycles"; "latency" for occurrences that a latency
 * counter times; "events". */
const char *show_kind(const struct pmk_event *ev);
/* True for an event of "amba": emulation does not count it, but a dump of its signals does. */
bool show_is_measured(const struct pmk_event *ev);
/* Returns the exactness of the event's counts: "exact", "modelled", "not modelled", "measured". */
const char *show_support(const struct pmk_event *ev);

/* Read and check a preset of the data directory. Returns 0, or a negative error with one line in
 * msg. */
int show_load_core(const char *name, struct pmk_core *core, char *msg, unsigned size);
/* True if the core has that PMU, or can be given a level 2 cache that has it. */
bool show_core_can_have(const struct pmk_core *core, const struct pmk_pmu *pmu);
/* Print every key of the core with its value, range and text. */
void show_core_keys(const struct pmk_core *core, const char *indent);
/* Print one line after `label`: the value of the key, and the values that the core accepts. */
void show_core_key(const struct pmk_core *core, const struct pmk_core_key *k, const char *label,
		   const char *indent);

/* Writes the value of the key in the form of presets: "16K", "on", "lru". */
void show_key_text(char *buf, size_t size, const struct pmk_core *core,
		   const struct pmk_core_key *k);

/* Print paragraphs of text, wrapped before column `width`, with `first` before the first line
 * and `indent` before every other line. */
void show_wrapped(const char *text, const char *first, const char *indent, int width);

/* Returns {"name":…,"brief":…} as JSON. */
json_object *show_json_named(const char *name, const char *brief);
/* Returns the words of a text as JSON. */
json_object *show_json_words(const char *words);
json_object *show_json_event(const struct pmk_pmu *pmu, const struct pmk_event *ev);
json_object *show_json_metric(const struct pmk_metric *m);
json_object *show_json_core(const struct pmk_core *core);

#endif
