// SPDX-License-Identifier: MIT
/* Prints for list, info and decode: see show.h. */
#include "cli/show.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pmk/evntbus.h>

#include "base/message.h"
#include "base/printable.h"
#include "count/amba.h"
#include "count/files.h"
#include "count/program.h"
#include "pmu/ahbmon/packet_reg.h"
#include "result/jsonio.h"

const char *show_bold(void)
{
	return cli_colour(stdout) ? "\033[1m" : "";
}

const char *show_plain(void)
{
	return cli_colour(stdout) ? "\033[0m" : "";
}

/* ---- PMUs ----------------------------------------------------------------------------------- */

#define AMBA_NOTE                                                                               \
	"-T wave generates it from the map of a dump: LAYER stands for the name of each "       \
	"[layer], INTERFACE for the name of each [axi]. There is a counter for each event. It " \
	"is used if a map has AXI, or more layers than the AHB Monitor, and with --pmu amba."

static const struct pmk_pmu *amba_pmu(void)
{
	static struct pmk_wave_layer layer = { .name = "LAYER" };
	static struct pmk_wave_axi interface = { .name = "INTERFACE" };
	static const struct pmk_wave_map map = {
		.layer = &layer, .nlayers = 1, .axi = &interface, .naxi = 1
	};
	static struct pmk_amba made;

	if (made.event)
		return &made.pmu;
	if (pmk_amba_make(&made, &map)) {
		pmk_amba_free(&made);
		return NULL;
	}
	made.pmu.note = AMBA_NOTE;
	return &made.pmu;
}

const struct pmk_pmu *show_pmu(unsigned i)
{
	unsigned n = 0;

	while (pmk_pmus[n])
		n++;
	return i < n ? pmk_pmus[i] : i == n ? amba_pmu() : NULL;
}

const struct pmk_pmu *show_pmu_called(const char *name)
{
	const struct pmk_pmu *pmu = pmk_pmu_find(name);

	return pmu || strcasecmp(name, pmk_amba_name) != 0 ? pmu : amba_pmu();
}

const struct pmk_pmu *show_find_pmu(const char *name)
{
	const struct pmk_pmu *pmu = show_pmu_called(name);
	struct pmk_nearest near;

	pmk_nearest_init(&near, name);
	for (unsigned i = 0; show_pmu(i); i++)
		pmk_nearest_offer(&near, show_pmu(i)->name);
	if (!pmu)
		cli_not_found(cli_near(&near), "'pmk list pmus' shows them", "no PMU '%s'", name);
	return pmu;
}

const struct pmk_reg_info *show_register(const struct pmk_pmu *pmu, const char *name)
{
	const struct pmk_reg_info *bus = pmk_ahbmon_packet_reg(pmu, name);

	if (!bus && !strcasecmp(name, "EVNTBUS"))
		bus = pmk_arm11_evntbus_reg(pmu);
	return bus ? bus : pmk_pmu_reg(pmu, name);
}

int show_field_width(const struct pmk_reg_info *reg)
{
	size_t width = 10;

	for (unsigned i = 0; i < reg->nfields; i++)
		if (strlen(reg->fields[i].name) > width)
			width = strlen(reg->fields[i].name);
	return (int)width;
}

bool show_owns(const struct pmk_pmu *pmu, const struct pmk_event *ev)
{
	return ev >= pmu->events && ev < pmu->events + pmu->nevents && pmk_pmu_has(pmu, ev);
}

void show_owners(const struct pmk_event *ev)
{
	const struct pmk_pmu *pmu;

	for (unsigned i = 0; (pmu = show_pmu(i)); i++)
		if (show_owns(pmu, ev))
			printf(" %s", pmu->name);
	putchar('\n');
}

unsigned show_event_count(const struct pmk_pmu *pmu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < pmu->nevents; i++)
		n += pmk_pmu_has(pmu, &pmu->events[i]);
	return n;
}

const char *show_kind(const struct pmk_event *ev)
{
	return ev->cycles ? "cycles" : ev->latency ? "latency" : "events";
}

bool show_is_measured(const struct pmk_event *ev)
{
	const struct pmk_pmu *pmu = amba_pmu();

	return pmu && show_owns(pmu, ev);
}

const char *show_support(const struct pmk_event *ev)
{
	if (show_is_measured(ev))
		return "measured";
	if (ev->unmodelled || ev->signal == PMK_SIG_NONE)
		return "not modelled";
	return pmk_signal_exact(ev->signal) ? "exact" : "modelled";
}

int show_load_core(const char *name, struct pmk_core *core, char *msg, unsigned size)
{
	const char *data = cli_data_dir();
	char path[PATH_MAX], why[400];
	int err;

	if (!data)
		return pmk_message_fail(msg, size, PMK_EIO, "no data directory");
	name = pmk_files_core_name(data, name);
	if (!pmk_files_core(path, data, name))
		return pmk_message_fail(msg, size, PMK_EIO, "%s: %s", path, strerror(errno));
	err = pmk_core_load(core, path, msg, size);
	if (err)
		return err;
	err = pmk_program_check_preset(core, name, why, sizeof(why));
	if (!err)
		err = pmk_core_check(core, why, sizeof(why));
	if (err)
		snprintf(msg, size, "%s: %s", path, why);
	return err;
}

static void key_text(char *buf, size_t size, uint64_t v, const struct pmk_core_key *row)
{
	char unit = row->unit;

	if (pmk_core_words(row))
		snprintf(buf, size, "%s", pmk_core_words(row)[v]);
	else if (unit == 'b')
		snprintf(buf, size, "%s", v ? "on" : "off");
	else if ((unit == 's' || unit == 'q') && v % 1024 == 0)
		snprintf(buf, size, "%lluK", (unsigned long long)(v / 1024));
	else
		snprintf(buf, size, "%llu", (unsigned long long)v);
}

void show_key_text(char *buf, size_t size, const struct pmk_core *core,
		   const struct pmk_core_key *k)
{
	key_text(buf, size, pmk_core_value(core, k), k);
}

bool show_core_can_have(const struct pmk_core *core, const struct pmk_pmu *pmu)
{
	return pmk_pmu_find(core->pmu) == pmu ||
	       (pmk_core_can_have_l2(core) && pmk_core_l2_type(pmu->name));
}

/* Write the values that the core accepts: "on|off", "1..16", "64..64K (2^n)", "4, 8, 16". */
static void range_text(char *buf, size_t size, const struct pmk_core_key *row)
{
	uint64_t few[PMK_CORE_FEW];
	const char *const *words = pmk_core_words(row);
	unsigned n = pmk_core_few(row, few);
	char min[24], max[24];
	size_t at = 0;

	key_text(min, sizeof(min), row->min, row);
	key_text(max, sizeof(max), row->max, row);
	for (unsigned i = 0; words && words[i] && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? "|" : "", words[i]);
	if (words)
		return;
	if (row->unit == 'b')
		snprintf(buf, size, "on|off");
	else if (!n)
		snprintf(buf, size, "%s..%s%s", min, max,
			 row->unit == 'p' || row->unit == 'q' ? " (2^n)" : "");
	for (unsigned i = 0; i < n && row->unit != 'b' && at < size; i++) {
		key_text(min, sizeof(min), few[i], row);
		at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "", min);
	}
}

void show_core_key(const struct pmk_core *core, const struct pmk_core_key *k, const char *label,
		   const char *indent)
{
	char now[24], range[64];

	key_text(now, sizeof(now), pmk_core_value(core, k), k);
	range_text(range, sizeof(range), k);
	printf("%s%-26s %-10s %-18s %s\n", indent, label, now, range, k->text);
}

void show_core_keys(const struct pmk_core *core, const char *indent)
{
	printf("%s%-26s %s\n", indent, "PMU", core->pmu);
	printf("%s%-26s %s\n", indent, "emulated by QEMU as", core->qemu_cpu);
	for (const struct pmk_core_key *k = pmk_core_keys(core); k->key; k++)
		show_core_key(core, k, k->key, indent);
}

void show_wrapped(const char *text, const char *first, const char *indent, int width)
{
	char *copy = strdup(text), *at = copy, *end, *plain;

	for (; at && *at; at = end) {
		end = at + strcspn(at, "\n");
		/* An empty line ends the paragraph. */
		while (*end && end[1 + strspn(end + 1, " ")] != '\n') {
			*end = ' ';
			end += strcspn(end, "\n");
		}
		if (*end)
			*end++ = '\0';
		plain = pmk_printable(at);
		fputs(first, stdout);
		pmk_printable_wrap(stdout, plain ? plain : "", (unsigned)strlen(first),
				   (unsigned)strlen(indent), (unsigned)width);
		free(plain);
		first = indent;
		end += strspn(end, " \n");
		fputs(*end ? "\n" : "", stdout);
	}
	free(copy);
}

json_object *show_json_named(const char *name, const char *brief)
{
	json_object *o = json_object_new_object();

	pmk_json_text(o, "name", name);
	pmk_json_text(o, "brief", brief);
	return o;
}

json_object *show_json_words(const char *words)
{
	json_object *list = json_object_new_array();

	while (words && *words) {
		size_t n = strcspn(words, " ");

		json_object_array_add(list, json_object_new_string_len(words, (int)n));
		words += n + strspn(words + n, " ");
	}
	return list;
}

json_object *show_json_event(const struct pmk_pmu *pmu, const struct pmk_event *ev)
{
	json_object *o = json_object_new_object();
	char code[16];

	snprintf(code, sizeof(code), "0x%02x", ev->code);
	pmk_json_text(o, "pmu", pmu->name);
	pmk_json_text(o, "name", ev->name);
	pmk_json_text(o, "code", code);
	pmk_json_text(o, "kind", ev->cycles ? "cycles" : "events");
	pmk_json_add(o, "latency", json_object_new_boolean(ev->latency));
	pmk_json_text(o, "emulation", show_support(ev));
	pmk_json_text(o, "brief", ev->brief);
	pmk_json_text(o, "caveat", ev->caveat);
	pmk_json_text(o, "reason", ev->unmodelled);
	pmk_json_text(o, "reference", ev->ref);
	pmk_json_add(o, "aliases", show_json_words(ev->aliases));
	return o;
}

json_object *show_json_metric(const struct pmk_metric *m)
{
	json_object *o = json_object_new_object(), *events = json_object_new_array();

	pmk_json_text(o, "name", m->name);
	pmk_json_text(o, "title", m->title);
	pmk_json_text(o, "unit", m->unit);
	pmk_json_text(o, "formula", m->formula);
	for (unsigned i = 0; m->events[i]; i++)
		json_object_array_add(events, json_object_new_string(m->events[i]));
	pmk_json_add(o, "events", events);
	pmk_json_text(o, "text", m->text);
	return o;
}

json_object *show_json_core(const struct pmk_core *core)
{
	json_object *o = json_object_new_object(), *keys = json_object_new_object();

	pmk_json_text(o, "name", core->name);
	pmk_json_text(o, "pmu", core->pmu);
	pmk_json_text(o, "isa", core->isa);
	pmk_json_text(o, "qemu-cpu", core->qemu_cpu);
	pmk_json_text(o, "brief", core->brief);
	pmk_json_text(o, "checked", *core->checked ? core->checked : NULL);
	for (const struct pmk_core_key *k = pmk_core_keys(core); k->key; k++)
		if (pmk_core_words(k))
			pmk_json_text(keys, k->key, pmk_core_words(k)[pmk_core_value(core, k)]);
		else
			pmk_json_count(keys, k->key, pmk_core_value(core, k));
	pmk_json_add(o, "parameters", keys);
	return o;
}
