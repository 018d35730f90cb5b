// SPDX-License-Identifier: MIT
/* Reads a log of accesses. See access_log.h. */
#include "producer/session/access_log.h"

#include <string.h>

#include <pmk/error.h>

#include "base/number.h"

const char *pmk_access_log_said(const char *line, const char *key)
{
	size_t n = strlen(key);

	return !strncmp(line, "# ", 2) && !strncmp(line + 2, key, n) && line[2 + n] == ' '
		       ? line + 3 + n
		       : NULL;
}

/* Returns the next cell, and makes *rest point past its comma, or NULL if this is the last cell. */
static char *next_cell(char **rest)
{
	char *at = *rest, *comma = strchr(at, ',');

	if (!comma)
		return NULL;
	*comma = '\0';
	*rest = comma + 1;
	return at;
}

/* Parses a number that is the whole text. */
static bool parse_number(const char *text, uint64_t most, uint64_t *value)
{
	return !pmk_number_parse(text, PMK_ANY_BASE, 0, most, value);
}

/* Returns the text of the last cell without its quotation marks. Returns "" for an empty cell, and
 * NULL if the quotation marks are missing. */
static const char *quoted_text(char *text)
{
	size_t n = strlen(text);

	if (!n)
		return text;
	if (n < 2 || text[0] != '"' || text[n - 1] != '"')
		return NULL;
	text[n - 1] = '\0';
	return text + 1;
}

static bool take_register(const struct pmk_pmu *pmu, const char *name,
			  struct pmk_access_logged *out)
{
	if (out->kind == PMK_ACCESS_INTERRUPT)
		return !*name && !*out->mode && out->value <= 1;
	out->reg = pmk_pmu_reg(pmu, name);
	return out->reg && (out->reg->width >= 64 || !(out->value >> out->reg->width));
}

static bool take_kind(const char *name, enum pmk_access_kind *kind)
{
	static const char *const kinds[] = { "read", "write", "interrupt" };

	for (unsigned i = 0; i < 3; i++) {
		*kind = (enum pmk_access_kind)i;
		if (!strcmp(name, kinds[i]))
			return true;
	}
	return false;
}

int pmk_access_log_parse(char *line, const struct pmk_pmu *pmu, struct pmk_access_logged *out)
{
	char *cells[8];
	uint64_t vcpu;

	for (unsigned i = 0; i < 8; i++) {
		cells[i] = next_cell(&line);
		if (!cells[i])
			return PMK_EPARSE;
	}
	*out = (struct pmk_access_logged){ .mode = cells[4], .remarks = quoted_text(line) };
	if (!out->remarks || !parse_number(cells[0], UINT64_MAX, &out->cycles) ||
	    !parse_number(cells[1], UINT64_MAX, &out->instructions) ||
	    !parse_number(cells[2], UINT32_MAX, &vcpu) ||
	    !parse_number(cells[3], UINT64_MAX, &out->address) ||
	    !take_kind(cells[5], &out->kind) || !parse_number(cells[7], UINT64_MAX, &out->value) ||
	    !take_register(pmu, cells[6], out))
		return PMK_EPARSE;
	out->vcpu = (unsigned)vcpu;
	return 0;
}
