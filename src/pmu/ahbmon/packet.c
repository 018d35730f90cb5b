// SPDX-License-Identifier: MIT
/* Makes and decodes the packets of the AHB Monitor on AHBMONITOR[32:0]. See packet.h. */
#include "pmu/ahbmon/packet.h"

#include <stddef.h>
#include <stdio.h>

#include <pmk/bits.h>
#include <pmk/error.h>

#include "base/foreign.h"

/* The fields of the GXI in a packet, Figure 4-2. */
#define GXI_DATA    PMK_BITS(32, 31) /* Table 4-4 */
#define GXI_ADDRESS PMK_BITS(30, 29) /* Table 4-5 */

/* The field of each layer in a packet, in the order of enum pmk_ahbmon_bus. */
const uint64_t pmk_ahbmon_packet_field[PMK_AHBMON_NLAYERS] = {
	PMK_BITS(22, 19), /* ARM-I */
	PMK_BITS(3, 0),	  /* CLCDC */
	PMK_BITS(18, 14), /* DMA-0 */
	PMK_BITS(13, 9),  /* DMA-1 */
	PMK_BITS(8, 4),	  /* EXP */
	PMK_BITS(28, 23), /* ARM-D */
};

int16_t *pmk_ahbmon_code(struct pmk_ahbmon_codes *c, unsigned number)
{
	struct pmk_ahbmon_layer_state s = pmk_ahbmon_coded_state(number);

	if (s.state < PMK_AHBMON_S_S)
		return &c->state[s.state];
	if (s.state == PMK_AHBMON_S_S)
		return &c->seq[s.detail];
	return s.state == PMK_AHBMON_S_NR ? &c->read[s.detail] : &c->write[s.detail];
}

struct pmk_ahbmon_layer_state pmk_ahbmon_coded_state(unsigned number)
{
	static const struct {
		uint8_t state;
		unsigned n;
	} rows[] = { { PMK_AHBMON_S_S, PMK_AHB_NBURSTS },
		     { PMK_AHBMON_S_NR, PMK_AHBMON_NSLAVES },
		     { PMK_AHBMON_S_NW, PMK_AHBMON_NSLAVES } };

	if (number < PMK_AHBMON_S_S)
		return (struct pmk_ahbmon_layer_state){ .state = (uint8_t)number };
	number -= PMK_AHBMON_S_S;
	for (unsigned i = 0; i < 3; i++) {
		if (number < rows[i].n)
			return (struct pmk_ahbmon_layer_state){ rows[i].state, (uint8_t)number };
		number -= rows[i].n;
	}
	return (struct pmk_ahbmon_layer_state){ .state = PMK_AHBMON_S_UNKNOWN };
}

void pmk_ahbmon_packet_defaults(struct pmk_ahbmon_packet_params *params)
{
	params->after_retry = PMK_AHBMON_S_I;
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		for (unsigned k = 0; k < PMK_AHBMON_NCODES; k++)
			*pmk_ahbmon_code(&params->layer[i], k) = PMK_AHBMON_NO_CODE;
}

/* True if each code fits into its field and is used for only one state. */
static bool codes_ok(struct pmk_ahbmon_codes c, uint64_t field)
{
	uint64_t seen = 0; /* one bit per code; no field has more than 6 bits */

	for (unsigned k = 0; k < PMK_AHBMON_NCODES; k++) {
		int code = *pmk_ahbmon_code(&c, k);

		if (code == PMK_AHBMON_NO_CODE)
			continue;
		if (code < 0 || code > (int)PMK_GET(field, field) || seen >> code & 1)
			return false;
		seen |= UINT64_C(1) << code;
	}
	return true;
}

int pmk_ahbmon_packets_init(struct pmk_ahbmon_packets *p,
			    const struct pmk_ahbmon_packet_params *params)
{
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		if (!codes_ok(params->layer[i], pmk_ahbmon_packet_field[i]))
			return PMK_ERANGE;
	*p = (struct pmk_ahbmon_packets){ .params = *params };
	return PMK_OK;
}

/* ---- states -------------------------------------------------------------------------------- */

static uint8_t state_of_wait(uint8_t cause)
{
	switch ((enum pmk_ahb_cause)cause) {
	case PMK_AHB_CAUSE_SLAVE:
		return PMK_AHBMON_S_WS;
	case PMK_AHB_CAUSE_CONNECT:
		return PMK_AHBMON_S_WB;
	case PMK_AHB_CAUSE_ARBITRATE:
		return PMK_AHBMON_S_WA;
	case PMK_AHB_CAUSE_UNKNOWN:
		break;
	}
	return PMK_AHBMON_S_UNKNOWN;
}

static struct pmk_ahbmon_layer_state completed_state(const struct pmk_ahbmon_packets *p,
						     const struct pmk_ahb_seen *seen)
{
	if (seen->resp == PMK_AHB_RETRY || seen->resp == PMK_AHB_SPLIT)
		return (struct pmk_ahbmon_layer_state){ .state = p->params.after_retry };
	if (!seen->first)
		return (struct pmk_ahbmon_layer_state){ PMK_AHBMON_S_S, seen->burst };
	return (struct pmk_ahbmon_layer_state){ seen->write ? PMK_AHBMON_S_NW : PMK_AHBMON_S_NR,
						seen->slave };
}

static struct pmk_ahbmon_layer_state state_of(const struct pmk_ahbmon_packets *p,
					      const struct pmk_ahb_seen *seen)
{
	struct pmk_ahbmon_layer_state s = { .state = PMK_AHBMON_S_UNKNOWN };

	switch ((enum pmk_ahb_class)seen->class) {
	case PMK_AHB_C_IDLE:
		s.state = PMK_AHBMON_S_I;
		break;
	case PMK_AHB_C_BUSY:
		s.state = PMK_AHBMON_S_B;
		break;
	case PMK_AHB_C_WAIT:
		s.state = state_of_wait(seen->cause);
		break;
	case PMK_AHB_C_DONE:
		return completed_state(p, seen);
	case PMK_AHB_C_FIRST:
		s.state = seen->resp == PMK_AHB_ERROR ? PMK_AHBMON_S_EN : PMK_AHBMON_S_RN;
		break;
	case PMK_AHB_C_UNKNOWN:
	case PMK_AHB_NCLASSES:
		break;
	}
	return s;
}

/* ---- codes --------------------------------------------------------------------------------- */

static int code_of(const struct pmk_ahbmon_codes *c, const struct pmk_ahbmon_layer_state *s)
{
	if (s->state < PMK_AHBMON_S_S)
		return c->state[s->state];
	if (s->state == PMK_AHBMON_S_S)
		return c->seq[s->detail];
	if (s->state == PMK_AHBMON_S_UNKNOWN || s->detail >= PMK_AHBMON_NSLAVES)
		return PMK_AHBMON_NO_CODE;
	return s->state == PMK_AHBMON_S_NR ? c->read[s->detail] : c->write[s->detail];
}

static void encode_state(const struct pmk_ahbmon_packets *p, struct pmk_ahbmon_packet *out)
{
	out->known = out->no_gxi ? 0 : GXI_DATA | GXI_ADDRESS;
	out->pins = PMK_PUT(0, GXI_DATA, (uint64_t)out->gxi_data) |
		    PMK_PUT(0, GXI_ADDRESS, (uint64_t)out->gxi_address);
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		int code = code_of(&p->params.layer[i], &out->layer[i]);

		if (code == PMK_AHBMON_NO_CODE)
			continue;
		out->known |= pmk_ahbmon_packet_field[i];
		out->pins |= PMK_PUT(0, pmk_ahbmon_packet_field[i], (uint64_t)code);
	}
}

static struct pmk_ahbmon_layer_state decode_state(struct pmk_ahbmon_codes c, int code)
{
	for (unsigned k = 0; k < PMK_AHBMON_NCODES; k++)
		if (*pmk_ahbmon_code(&c, k) == code)
			return pmk_ahbmon_coded_state(k);
	return (struct pmk_ahbmon_layer_state){ .state = PMK_AHBMON_S_UNKNOWN };
}

void pmk_ahbmon_packet_decode(const struct pmk_ahbmon_packet_params *params, uint64_t pins,
			      uint64_t known, struct pmk_ahbmon_packet *out)
{
	uint64_t gxi = GXI_DATA | GXI_ADDRESS;

	known &= PMK_AHBMON_PINS;
	pins &= known;
	*out = (struct pmk_ahbmon_packet){ .pins = pins,
					   .known = known,
					   .no_gxi = (known & gxi) != gxi };
	if (!out->no_gxi) {
		out->gxi_data = (uint8_t)PMK_GET(pins, GXI_DATA);
		out->gxi_address = (uint8_t)PMK_GET(pins, GXI_ADDRESS);
	}
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		uint64_t field = pmk_ahbmon_packet_field[i];

		out->layer[i].state = PMK_AHBMON_S_UNKNOWN;
		if ((known & field) == field)
			out->layer[i] = decode_state(params->layer[i], (int)PMK_GET(pins, field));
	}
}

void pmk_ahbmon_packets_next(struct pmk_ahbmon_packets *p, const struct pmk_ahbmon_observer *o,
			     struct pmk_ahbmon_packet *out)
{
	struct pmk_ahbmon_packet *late = &p->late[p->at];

	*out = *late;
	encode_state(p, out);
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		late->layer[i] = state_of(p, &o->layer[i].seen);
		if (!pmk_ahbmon_observer_sees(o, PMK_AHBMON_BUS_ARMI + i))
			late->layer[i].state = PMK_AHBMON_S_UNKNOWN;
	}
	late->no_gxi = !pmk_ahbmon_observer_sees(o, PMK_AHBMON_BUS_GXI);
	late->gxi_address = o->gxi.seen_address;
	late->gxi_data = o->gxi.seen_data;
	p->at = (p->at + 1) % PMK_AHBMON_LAG;
}

bool pmk_ahbmon_packets_valid(struct pmk_ahbmon_packets *p, const struct pmk_ahbmon_packets *begun,
			      const struct pmk_ahbmon_observer *o)
{
	p->params = begun->params;
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		if (o->layer[i].seen.burst >= PMK_AHB_NBURSTS)
			return false;
		for (unsigned k = 0; k < PMK_AHBMON_LAG; k++)
			if (p->late[k].layer[i].state >= PMK_AHBMON_NSTATES ||
			    (p->late[k].layer[i].state == PMK_AHBMON_S_S &&
			     p->late[k].layer[i].detail >= PMK_AHB_NBURSTS))
				return false;
	}
	for (unsigned k = 0; k < PMK_AHBMON_LAG; k++)
		if (!pmk_is_bool(&p->late[k].no_gxi))
			return false;
	return p->at < PMK_AHBMON_LAG;
}

int pmk_ahbmon_state_text(const struct pmk_ahbmon_layer_state *s, char *buf, size_t size)
{
	static const char *const bursts[PMK_AHB_NBURSTS] = {
		"SINGLE", "INCR", "WRAP4", "INCR4", "WRAP8", "INCR8", "WRAP16", "INCR16"
	};
	static const char *const names[PMK_AHBMON_NSTATES] = { "I",  "B",  "EN", "RN", "WS", "WB",
							       "WA", "S_", "NR", "NW", "?" };
	const char *name = names[s->state];

	if (s->state == PMK_AHBMON_S_S)
		return snprintf(buf, size, "%s%s", name, bursts[s->detail]);
	if ((s->state == PMK_AHBMON_S_NR || s->state == PMK_AHBMON_S_NW) &&
	    s->detail != PMK_AHB_NO_SLAVE)
		return snprintf(buf, size, "%s%u", name, s->detail);
	return snprintf(buf, size, "%s", name);
}
