// SPDX-License-Identifier: MIT
/* Splits the value of a register into fields: see fields.h. */
#include "cli/fields.h"

#include <stdio.h>

#include <pmk/bits.h>

#include "pmu/ahbmon/packet_reg.h"
#include "pmu/riscv/regs.h"

const struct pmk_field *fields_at(const struct pmk_reg_info *reg, unsigned bit)
{
	for (unsigned i = 0; i < reg->nfields; i++)
		if (reg->fields[i].mask >> bit & 1)
			return &reg->fields[i];
	return NULL;
}

/* Writes the events that RISC-V's mhpmevent selects: its mask may have several bits, of one class.
 * Returns false if `p` is not this mask, or if no bit selects an event. */
static bool explain_selector(const struct word *w, struct part *p)
{
	const struct pmk_event *ev = pmk_riscv_selected(p->field, (uint32_t)w->value, 0);
	size_t at = 0;
	unsigned n = 0;

	for (; ev && at < sizeof(p->text); n++) {
		p->event = ev;
		at += (size_t)snprintf(p->text + at, sizeof(p->text) - at, "%s%s", n ? ", " : "",
				       ev->name);
		ev = pmk_riscv_selected(p->field, (uint32_t)w->value,
					(unsigned)(ev - pmk_riscv_events) + 1);
	}
	if (n == 1)
		snprintf(p->text + at, sizeof(p->text) - at, ": %s", p->event->brief);
	else
		p->event = NULL;
	return n;
}

/* Writes why a code is not an event of this PMU. Another core of the family may have it: 0x03 is an
 * event on an ARM1176 and not on an ARM1156 (DAI 0195B Table 2: unused). */
static void explain_absent(const struct pmk_pmu *pmu, unsigned code, char *buf, size_t size)
{
	for (unsigned i = 0; i < pmu->nevents; i++)
		if (pmu->events[i].code == code) {
			snprintf(buf, size, "unused: %s has no %s", pmu->name, pmu->events[i].name);
			return;
		}
	snprintf(buf, size, "reserved: %s has no such event", pmu->name);
}

static void explain_field(const struct pmk_pmu *pmu, const struct word *w, struct part *p)
{
	const struct pmk_reg_info *reg = w->reg;
	const struct pmk_field *f = p->field;
	unsigned nvalues = 0;

	if (f && w->codes &&
	    pmk_ahbmon_packet_text(w->codes, f, p->value, p->text, sizeof(p->text)))
		return;
	if (f && explain_selector(w, p))
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
			explain_absent(pmu, (unsigned)p->value, p->text, sizeof(p->text));
	} else if (p->value < nvalues) {
		snprintf(p->text, sizeof(p->text), "%s: %s", f->brief, f->values[p->value]);
	} else {
		snprintf(p->text, sizeof(p->text), "%s", f->brief);
	}
	if (f && !f->event && p->hi - p->lo + 1u == reg->width) /* a counter is shown in decimal */
		snprintf(p->text, sizeof(p->text), "%llu (%s)", (unsigned long long)p->value,
			 f->brief);
	p->wrong = p->value && (!f || f->access == PMK_SBZ);
}

struct part next_part(const struct pmk_pmu *pmu, const struct word *w, int *bit)
{
	struct part p = { .field = fields_at(w->reg, (unsigned)*bit), .hi = (unsigned)*bit };

	while (*bit > 0 && fields_at(w->reg, (unsigned)*bit - 1) == p.field)
		--*bit;
	p.lo = (unsigned)(*bit)--;
	p.value = PMK_GET(w->value, PMK_BITS(p.hi, p.lo));
	explain_field(pmu, w, &p);
	return p;
}

void hex_text(char *buf, size_t size, uint64_t v, unsigned bits)
{
	snprintf(buf, size, "0x%0*llx", (int)((bits + 3) / 4), (unsigned long long)v);
}
