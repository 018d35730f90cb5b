// SPDX-License-Identifier: MIT
/*
 * The PMUs of this build, and look-ups by name. Freestanding: linear searches over constant
 * tables, ASCII only, no locale.
 */
#include <pmk/pmu.h>

#include <pmk/arm11.h>

const struct pmk_pmu *const pmk_pmus[] = {
	&pmk_arm1136_r0, &pmk_arm1136, &pmk_arm1156, &pmk_arm1176, &pmk_arm11mpcore, NULL,
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The whole of `name` against the text up to a space or the end. Returns where it stopped in
 * `text`, *equal says what came of it. */
static const char *match_word(const char *text, const char *name, bool *equal)
{
	*equal = true;
	for (; *text && *text != ' '; text++) {
		if (*equal && lower(*text) == lower(*name))
			name++;
		else
			*equal = false;
	}
	if (*name)
		*equal = false;
	return text;
}

/* Is `name` the one in `own` or one of the space separated `aliases` (which may be NULL)? */
static bool is_called(const char *own, const char *aliases, const char *name)
{
	bool equal;

	if (!*name)
		return false;
	match_word(own, name, &equal);
	while (!equal && aliases && *aliases) {
		aliases = match_word(aliases, name, &equal);
		while (*aliases == ' ')
			aliases++;
	}
	return equal;
}

const struct pmk_pmu *pmk_pmu_find(const char *name)
{
	for (unsigned i = 0; pmk_pmus[i]; i++)
		if (is_called(pmk_pmus[i]->name, pmk_pmus[i]->aliases, name))
			return pmk_pmus[i];
	return NULL;
}

const struct pmk_event *pmk_pmu_event(const struct pmk_pmu *pmu, const char *name)
{
	for (unsigned i = 0; i < pmu->nevents; i++) {
		const struct pmk_event *ev = &pmu->events[i];

		if (pmk_pmu_has(pmu, ev) && is_called(ev->name, ev->aliases, name))
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
		if (is_called(pmu->events[i].name, pmu->events[i].aliases, name))
			ev = &pmu->events[i];
	return ev;
}

const struct pmk_reg_info *pmk_pmu_reg(const struct pmk_pmu *pmu, const char *name)
{
	for (unsigned i = 0; i < pmu->nregs; i++)
		if (is_called(pmu->regs[i].name, pmu->regs[i].aliases, name))
			return &pmu->regs[i];
	return NULL;
}
