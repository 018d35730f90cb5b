// SPDX-License-Identifier: MIT
/*
 * Writes the results as bytes, for `pmk report`. Freestanding; the format is in docs/FORMATS.md.
 *
 *	"PMKD" 1, records, 'Z', CRC-32 of all bytes before it, low byte first
 *
 * A record is a letter, then numbers and texts. A number is written in base 128: each byte has
 * seven of its bits, the lowest first, and bit 7 is set in all bytes except the last. A text is
 * written as its length and its bytes.
 */
#include "firmware/target.h"

/*
 * The function that receives the bytes, and their running CRC-32 (IEEE 802.3, reflected
 * 0xEDB88320).
 */
struct out {
	pmk_put *put;
	uint32_t crc;
};

static void put_byte(struct out *o, uint8_t b)
{
	o->put((char)b);
	o->crc ^= b;
	for (unsigned i = 0; i < 8; i++)
		o->crc = o->crc >> 1 ^ (o->crc & 1 ? UINT32_C(0xEDB88320) : 0);
}

static void put_number(struct out *o, uint64_t v)
{
	for (; v >> 7; v >>= 7)
		put_byte(o, (uint8_t)(v | 0x80));
	put_byte(o, (uint8_t)v);
}

static void put_text(struct out *o, const char *s)
{
	uint32_t length = 0;

	while (s && s[length])
		length++;
	put_number(o, length);
	for (uint32_t i = 0; i < length; i++)
		put_byte(o, (uint8_t)s[i]);
}

static void put_event(struct out *o, const struct pmk_target *t, unsigned i, uint64_t total)
{
	put_byte(o, 'E');
	put_number(o, t->event[i].code);
	put_number(o, t->event[i].period);
	put_number(o, total);
	put_number(o, t->cost[i]);
	put_number(o, t->nest[i]);
}

static void put_region(struct out *o, const struct pmk_target *t, unsigned id)
{
	const struct pmk_region *r = &t->region[id];

	put_byte(o, 'R');
	put_number(o, id);
	put_text(o, r->name);
	put_number(o, r->count);
	put_number(o, r->errors);
	for (unsigned i = 0; i < t->nevents; i++) {
		const struct pmk_stats *s = &r->net[i];

		put_number(o, r->raw[i]);
		put_number(o, s->sum);
		put_number(o, s->sq_low);
		put_number(o, s->sq_high);
		put_number(o, r->count ? s->min : 0);
		put_number(o, r->count ? s->max : 0);
	}
}

static void put_samples(struct out *o, struct pmk_ring *ring)
{
	struct pmk_sample s;

	while (pmk_ring_take(ring, &s)) {
		put_byte(o, 'S');
		put_number(o, s.pc);
		put_number(o, s.region == PMK_NO_REGION ? 0 : s.region + 1u);
		put_number(o, s.event);
		put_number(o, s.late);
	}
	put_byte(o, 'D');
	put_number(o, ring->dropped);
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
		put_byte(&o, (uint8_t)*magic);
	put_byte(&o, 1);
	put_byte(&o, 'P');
	put_text(&o, t->dev.pmu->name);
	for (unsigned i = 0; i < t->nevents; i++)
		put_event(&o, t, i, totals[i]);
	for (unsigned i = 0; i < t->nregions; i++)
		put_region(&o, t, i);
	if (t->ring)
		put_samples(&o, t->ring);
	put_byte(&o, 'Z');
	crc = ~o.crc;
	for (unsigned i = 0; i < 4; i++, crc >>= 8)
		put((char)(crc & 0xff));
	return PMK_OK;
}
