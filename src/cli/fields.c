// SPDX-License-Identifier: MIT
/* The value of a register taken apart. See fields.h. */
#include "cli/fields.h"

#include <stdio.h>
#include <string.h>

#include <pmk/bits.h>

#include "pmu/ahbmon/packet_reg.h"

static const struct pmk_field *field_at(const struct pmk_reg_info *reg, unsigned bit)
{
	for (unsigned i = 0; i < reg->nfields; i++)
		if (reg->fields[i].mask >> bit & 1)
			return &reg->fields[i];
	return NULL;
}

static void explain(const struct pmk_pmu *pmu, const struct word *w, struct part *p)
{
	const struct pmk_reg_info *reg = w->reg;
	const struct pmk_field *f = p->field;
	unsigned nvalues = 0;

	if (f && w->codes &&
	    pmk_ahbmon_packet_text(w->codes, f, p->value, p->text, sizeof(p->text)))
		return;

	while (f && f->values && f->values[nvalues])
		nvalues++;
	if (!f) {
		snprintf(p->text, sizeof(p->text), "no field");
	} else if (f->event) {
		p->event = pmk_pmu_event_code(pmu, (unsigned)p->value);
		if (p->event)
			snprintf(p->text, sizeof(p->text), "%s: %s", p->event->name,
				 p->event->brief);
		else
			snprintf(p->text, sizeof(p->text), "reserved: %s has no such event",
				 pmu->name);
	} else if (p->value < nvalues) {
		snprintf(p->text, sizeof(p->text), "%s: %s", f->brief, f->values[p->value]);
	} else {
		snprintf(p->text, sizeof(p->text), "%s", f->brief);
	}
	if (f && !f->event && p->hi - p->lo + 1u == reg->width) /* a counter is shown in decimal */
		snprintf(p->text, sizeof(p->text), "%llu (%s)", (unsigned long long)p->value,
			 f->brief);
	p->wrong = p->value && (!f || strcmp(f->access, "SBZ") == 0);
}

struct part next_part(const struct pmk_pmu *pmu, const struct word *w, int *bit)
{
	struct part p = { .field = field_at(w->reg, (unsigned)*bit), .hi = (unsigned)*bit };

	while (*bit > 0 && field_at(w->reg, (unsigned)*bit - 1) == p.field)
		--*bit;
	p.lo = (unsigned)(*bit)--;
	p.value = PMK_GET(w->value, PMK_BITS(p.hi, p.lo));
	explain(pmu, w, &p);
	return p;
}

void hex_text(char *buf, size_t size, uint64_t v, unsigned bits)
{
	snprintf(buf, size, "0x%0*llx", (int)((bits + 3) / 4), (unsigned long long)v);
}
