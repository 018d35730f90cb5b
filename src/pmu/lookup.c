// SPDX-License-Identifier: MIT
/*
 * Looks up names and codes in the tables of one PMU. Freestanding: it searches constant tables from
 * the start, compares only ASCII, and uses no locale.
 */
#include "pmu/lookup.h"

#include <pmk/bits.h>

static char lower_case(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* True if the first word of `text` is equal to `name`. */
static bool is_first_word(const char *text, const char *name)
{
	while (*text && *text != ' ' && lower_case(*text) == lower_case(*name)) {
		text++;
		name++;
	}
	return !*name && (!*text || *text == ' ');
}

static const char *next_word(const char *text)
{
	while (*text && *text != ' ')
		text++;
	while (*text == ' ')
		text++;
	return text;
}

static bool is_alias(const char *aliases, const char *name)
{
	for (; aliases && *aliases; aliases = next_word(aliases))
		if (is_first_word(aliases, name))
			return true;
	return false;
}

bool pmk_is_called(const char *own, const char *aliases, const char *name)
{
	return *name && (is_first_word(own, name) || is_alias(aliases, name));
}

/*
 * Compares names before aliases, because most callers ask for names. No alias is the name of
 * another event, so the order does not change the result.
 */
const struct pmk_event *pmk_pmu_event(const struct pmk_pmu *pmu, const char *name)
{
	for (unsigned i = 0; *name && i < 2 * pmu->nevents; i++) {
		const bool alias = i >= pmu->nevents;
		const struct pmk_event *ev = &pmu->events[alias ? i - pmu->nevents : i];

		if (pmk_pmu_has(pmu, ev) &&
		    (alias ? is_alias(ev->aliases, name) : is_first_word(ev->name, name)))
			return ev;
	}
	return NULL;
}

const struct pmk_event *pmk_pmu_event_code(const struct pmk_pmu *pmu, unsigned code)
{
	for (unsigned i = 0; i < pmu->nevents; i++)
		if (pmu->events[i].code == code && pmk_pmu_has(pmu, &pmu->events[i]))
			return &pmu->events[i];
	return NULL;
}

const struct pmk_event *pmk_pmu_event_family(const struct pmk_pmu *pmu, const char *name)
{
	const struct pmk_event *ev = pmk_pmu_event(pmu, name);

	for (unsigned i = 0; !ev && i < pmu->nevents; i++)
		if (pmk_is_called(pmu->events[i].name, pmu->events[i].aliases, name))
			ev = &pmu->events[i];
	return ev;
}

const struct pmk_reg_info *pmk_pmu_reg(const struct pmk_pmu *pmu, const char *name)
{
	for (unsigned i = 0; i < pmu->nregs; i++)
		if (pmk_is_called(pmu->regs[i].name, pmu->regs[i].aliases, name))
			return &pmu->regs[i];
	return NULL;
}

bool pmk_pmu_times_latencies(const struct pmk_pmu *pmu)
{
	for (unsigned c = 0; c < pmu->ncounters; c++)
		if (pmu->counters[c].extreme_width)
			return true;
	return false;
}

int pmk_pmu_free_counter(const struct pmk_pmu *pmu, const struct pmk_counter_set *used,
			 unsigned code)
{
	const struct pmk_event *ev = pmk_pmu_event_code(pmu, code);
	bool latency = ev && ev->latency && pmk_pmu_times_latencies(pmu);
	int any = PMK_ENOCTR;

	for (unsigned c = 0; c < pmu->ncounters; c++) {
		if (pmk_counter_in(used, c) || (pmu->counters[c].extreme_width != 0) != latency)
			continue;
		if (pmu->counters[c].fixed_code == (int32_t)code)
			return (int)c;
		if (pmu->counters[c].fixed_code < 0 && any < 0)
			any = (int)c;
	}
	return any;
}

uint64_t pmk_pmu_range(const struct pmk_pmu *pmu, unsigned code)
{
	const struct pmk_counter_set none = { { 0 } };
	int c = pmk_pmu_free_counter(pmu, &none, code);

	return c < 0 ? 0 : PMK_BITS(pmu->counters[c].width - 1, 0);
}
