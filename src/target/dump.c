// SPDX-License-Identifier: MIT
/*
 * The report as bytes, for `pmk report`. Freestanding; the format is in docs/FORMATS.md.
 *
 *	"PMKD" 1, records, 'Z', CRC-32 of all bytes before it, low byte first
 *
 * A record is a letter and numbers; a number is written in base 128, lowest group first, with bit 7
 * set in all bytes but the last; a text is written as its length and its bytes.
 */
#include "target/target.h"

/*
 * The function that receives the bytes, and their running CRC-32 (IEEE 802.3, reflected
 * 0xEDB88320).
 */
struct out {
	pmk_put *put;
	uint32_t crc;
};

static void byte(struct out *o, uint8_t b)
{
	o->put((char)b);
	o->crc ^= b;
	for (unsigned i = 0; i < 8; i++)
		o->crc = o->crc >> 1 ^ (o->crc & 1 ? UINT32_C(0xEDB88320) : 0);
}

static void number(struct out *o, uint64_t v)
{
	for (; v >> 7; v >>= 7)
		byte(o, (uint8_t)(v | 0x80));
	byte(o, (uint8_t)v);
}

static void text(struct out *o, const char *s)
{
	uint32_t length = 0;

	while (s && s[length])
		length++;
	number(o, length);
	for (uint32_t i = 0; i < length; i++)
		byte(o, (uint8_t)s[i]);
}

static void event(struct out *o, const struct pmk_target *t, unsigned i, uint64_t total)
{
	byte(o, 'E');
	number(o, t->event[i].code);
	number(o, t->event[i].period);
	number(o, total);
	number(o, t->cost[i]);
	number(o, t->nest[i]);
}

static void region(struct out *o, const struct pmk_target *t, unsigned id)
{
	const struct pmk_region *r = &t->region[id];

	byte(o, 'R');
	number(o, id);
	text(o, r->name);
	number(o, r->count);
	number(o, r->errors);
	for (unsigned i = 0; i < t->nevents; i++) {
		const struct pmk_stats *s = &r->net[i];

		number(o, r->raw[i]);
		number(o, s->sum);
		number(o, s->sq_low);
		number(o, s->sq_high);
		number(o, r->count ? s->min : 0);
		number(o, r->count ? s->max : 0);
	}
}

static void samples(struct out *o, struct pmk_ring *ring)
{
	struct pmk_sample s;

	while (pmk_ring_take(ring, &s)) {
		byte(o, 'S');
		number(o, s.pc);
		number(o, s.region == PMK_NO_REGION ? 0 : s.region + 1u);
		number(o, s.event);
		number(o, s.late);
	}
	byte(o, 'D');
	number(o, ring->dropped);
}

int pmk_target_dump(struct pmk_target *t, pmk_put *put)
{
	uint64_t totals[PMK_TARGET_EVENTS];
	struct out o = { put, UINT32_MAX };
	uint32_t crc;
	int err;

	if (!put)
		return PMK_EINVAL;
	err = pmk_target_read_all(t, totals);
	if (err)
		return err;
	for (const char *magic = "PMKD"; *magic; magic++)
		byte(&o, (uint8_t)*magic);
	byte(&o, 1);
	byte(&o, 'P');
	text(&o, t->dev.pmu->name);
	for (unsigned i = 0; i < t->nevents; i++)
		event(&o, t, i, totals[i]);
	for (unsigned i = 0; i < t->nregions; i++)
		region(&o, t, i);
	if (t->ring)
		samples(&o, t->ring);
	byte(&o, 'Z');
	crc = ~o.crc;
	for (unsigned i = 0; i < 4; i++, crc >>= 8)
		put((char)(crc & 0xff));
	return PMK_OK;
}
