// SPDX-License-Identifier: MIT
/* Writes a violation as text. See rule.h. */
#include "base/rule.h"

#include <inttypes.h>
#include <stdio.h>

int pmk_violation_text(const struct pmk_violation *v, const struct pmk_rule *rule,
		       const char *signal, char *buf, size_t size)
{
	if (v->x)
		return snprintf(buf, size, "%s: %s: %s", rule->name, rule->text, signal);
	if (!v->wants)
		return snprintf(buf, size, "%s: %s: %s 0x%" PRIx64, rule->name, rule->text, signal,
				v->is);
	return snprintf(buf, size, "%s: %s: %s 0x%" PRIx64 ", want 0x%" PRIx64, rule->name,
			rule->text, signal, v->is, v->want);
}
