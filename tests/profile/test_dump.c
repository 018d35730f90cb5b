// SPDX-License-Identifier: MIT
/*
 * Dumps of firmware: the output of pmk_target_dump() on the ARM11 model is read back correctly, and
 * any damage to it is noticed.
 *
 * `test_dump` runs the tests; `test_dump write FILE` writes the dump of the model, for the tests of
 * the command.
 *
 * This file has its own encoder of the format, which shares no code with the library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/arm11.h>
#include <pmk/arm11_model.h>
#include <pmk/dump.h>
#include <pmk/error.h>
#include <pmk/model.h>
#include <pmk/target.h>

#include "../unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal((call), 0)

/* ---- bytes ---------------------------------------------------------------------------------- */

struct bytes {
	uint8_t *at;
	size_t n, room;
};

static void put(struct bytes *b, uint8_t byte)
{
	if (b->n == b->room) {
		b->room = b->room ? 2 * b->room : 256;
		b->at = realloc(b->at, b->room);
		assert_non_null(b->at);
	}
	b->at[b->n++] = byte;
}

static void put_all(struct bytes *b, const void *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(b, ((const uint8_t *)data)[i]);
}

static void put_string(struct bytes *b, const char *s)
{
	put_all(b, s, strlen(s));
}

static void put_number(struct bytes *b, uint64_t v)
{
	do
		put(b, (uint8_t)((v & 127) | (v > 127 ? 128 : 0)));
	while (v >>= 7);
}

static void put_text(struct bytes *b, const char *s, size_t n)
{
	put_number(b, n);
	put_all(b, s, n);
}

/* Computes CRC-32 as in zlib, over everything from `from` on. */
static uint32_t crc32(const struct bytes *b, size_t from)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = from; i < b->n; i++) {
		crc ^= b->at[i];
		for (unsigned k = 0; k < 8; k++)
			crc = (crc >> 1) ^ ((crc & 1) * 0xedb88320);
	}
	return crc ^ 0xffffffff;
}

static void put_end(struct bytes *b, size_t from)
{
	uint32_t crc;

	put(b, 'Z');
	crc = crc32(b, from);
	for (unsigned i = 0; i < 4; i++)
		put(b, (uint8_t)(crc >> 8 * i));
}

static void put_head(struct bytes *b, const char *pmu)
{
	put_string(b, "PMKD\1P");
	put_text(b, pmu, strlen(pmu));
}

static void put_event(struct bytes *b, unsigned code, uint64_t period, uint64_t total)
{
	put(b, 'E');
	put_number(b, code);
	put_number(b, period);
	put_number(b, total);
	put_number(b, 7);
	put_number(b, 9);
}

/* Converts LF to CR LF, as a terminal does. */
static struct bytes with_crlf(const uint8_t *data, size_t n)
{
	struct bytes b = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (data[i] == '\n')
			put(&b, '\r');
		put(&b, data[i]);
	}
	return b;
}

/* State of a small generator, so that a failure can be reproduced. */
static uint64_t random_state = 1;

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t pick(uint64_t n)
{
	return random_number() % n;
}

/* ---- firmware on the ARM11 model ------------------------------------------------------------ */

#define RING 8

struct rig {
	struct pmk_bus bus;
	struct pmk_arm11_model model;
	struct pmk_model_port to_model;
	struct pmk_port inner;
	struct pmk_target t;
	struct pmk_region region[4];
	struct pmk_sample sample[RING];
	struct pmk_ring ring;
};

/* Reads a register. An access takes 3 cycles, so measuring has a cost. */
static int rig_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;

	pmk_bus_add(&r->bus, PMK_SIG_CYCLE, 3);
	return r->inner.read(r->inner.ctx, reg, value);
}

static int rig_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;

	pmk_bus_add(&r->bus, PMK_SIG_CYCLE, 3);
	return r->inner.write(r->inner.ctx, reg, value);
}

static void rig_settle(void *ctx, unsigned cycles)
{
	struct rig *r = ctx;

	r->inner.settle(r->inner.ctx, cycles);
}

static void open_rig(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	pmk_bus_init(&r->bus);
	r->to_model = (struct pmk_model_port){
		.ops = pmk_model_find(&pmk_arm1176),
		.model = &r->model,
		.bus = &r->bus,
		.mode = PMK_MODE_PRIV,
	};
	r->to_model.ops->reset(&r->model, &r->bus, r->to_model.ops->pmu);
	r->inner = pmk_port_model(&r->to_model);
	r->ring = (struct pmk_ring){ .sample = r->sample, .size = RING };
	OK(pmk_target_open(&r->t, &pmk_arm1176,
			   (struct pmk_port){ rig_read, rig_write, rig_settle, r }));
}

static void work(struct rig *r, uint64_t cycles, uint64_t branches)
{
	pmk_bus_add(&r->bus, PMK_SIG_CYCLE, cycles);
	pmk_bus_add(&r->bus, PMK_SIG_BRANCH, branches);
	r->to_model.ops->sync(&r->model, &r->bus);
}

static void measure(struct rig *r, unsigned id, uint64_t cycles, uint64_t branches)
{
	OK(pmk_region_begin(&r->t, id));
	work(r, cycles, branches);
	OK(pmk_region_end(&r->t, id));
}

static struct bytes *sink;

static void to_sink(char c)
{
	put(sink, (uint8_t)c);
}

static struct bytes dump_of(struct pmk_target *t)
{
	struct bytes b = { 0 };

	sink = &b;
	OK(pmk_target_dump(t, to_sink));
	return b;
}

/*
 * Runs the firmware and returns its dump. It counts cpu_cycles, and br_exec, which is sampled every
 * 100. Region 0 "fft" has 3 occurrences of 1000, 2000 and 3000 cycles with 10, 20 and 30 branches.
 * Region 1 has no occurrence. Region 2 has no name, and one occurrence of 5 cycles. Region 3 has
 * one END too many, and contains the first 7 of 10 samples for a ring of 8. The third sample is
 * late, the sixth is polled, and the last two are dropped.
 */
static struct bytes run_firmware(struct rig *r)
{
	open_rig(r);
	r->region[0].name = "fft";
	r->region[1].name = "irq";
	r->region[3].name = "a\tb";
	assert_int_equal(pmk_target_add(&r->t, 0xff), 0);
	assert_int_equal(pmk_target_add(&r->t, 0x05), 1);
	OK(pmk_target_regions(&r->t, r->region, 4));
	OK(pmk_target_sample(&r->t, 1, 100, &r->ring));
	OK(pmk_target_start(&r->t));
	measure(r, 0, 1000, 10);
	measure(r, 0, 2000, 20);
	measure(r, 0, 3000, 30);
	measure(r, 2, 5, 0);
	assert_int_equal(pmk_region_end(&r->t, 3), PMK_EINVAL);
	work(r, 0, 40);
	OK(pmk_region_begin(&r->t, 3));
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(pmk_target_isr(&r->t, i == 5 ? 0 : 0x8000 + 4 * (i / 4)), 1);
		if (i == 6)
			OK(pmk_region_end(&r->t, 3));
		work(r, 0, i == 1 ? 200 : 100);
	}
	pmk_target_stop(&r->t);
	return dump_of(&r->t);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static struct pmk_dump read_one(const struct bytes *b)
{
	struct pmk_dump d = { .size = sizeof(d) };
	size_t at = 0;

	assert_int_equal(pmk_dump_next(b->at, b->n, &at, &d), 1);
	return d;
}

static void same_text(const struct pmk_dump_text *got, const char *want)
{
	size_t n = want ? strlen(want) : 0;

	assert_int_equal(got->length, n);
	if (n)
		assert_memory_equal(got->byte, want, n);
}

/* Checks that the dump equals the contents of the target. `samples` were in the ring. */
static void same_as_target(const struct pmk_dump *d, const struct pmk_target *t,
			   const uint64_t *totals, const struct pmk_sample *samples, size_t n)
{
	same_text(&d->pmu, t->dev.pmu->name);
	assert_int_equal(d->nevents, t->nevents);
	assert_int_equal(d->nregions, t->nregions);
	for (unsigned i = 0; i < t->nevents; i++) {
		assert_int_equal(d->event[i].code, t->event[i].code);
		assert_true(d->event[i].period == t->event[i].period);
		assert_true(d->event[i].total == totals[i]);
		assert_true(d->event[i].cost == t->cost[i]);
		assert_true(d->event[i].nest == t->nest[i]);
	}
	for (unsigned id = 0; id < t->nregions; id++) {
		const struct pmk_region *want = &t->region[id];
		const struct pmk_dump_region *got = &d->region[id];

		same_text(&got->name, want->name);
		assert_int_equal(got->entries, want->count);
		assert_int_equal(got->errors, want->errors);
		assert_int_equal(got->nevents, t->nevents);
		for (unsigned i = 0; i < t->nevents; i++) {
			const struct pmk_dump_count *c = &d->count[got->first + i];

			assert_true(c->raw == want->raw[i]);
			assert_true(c->sum == want->net[i].sum);
			assert_true(c->sq_low == want->net[i].sq_low);
			assert_true(c->sq_high == want->net[i].sq_high);
			assert_true(c->min == (want->count ? want->net[i].min : 0));
			assert_true(c->max == (want->count ? want->net[i].max : 0));
		}
	}
	assert_int_equal(d->nsamples, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(d->sample[i].pc == samples[i].pc);
		assert_int_equal(d->sample[i].event, samples[i].event);
		assert_int_equal(d->sample[i].late, samples[i].late);
		if (samples[i].region == PMK_NO_REGION)
			assert_true(d->sample[i].region == PMK_SAMPLE_NO_REGION);
		else
			assert_int_equal(d->sample[i].region, samples[i].region);
	}
	assert_int_equal(d->sampling, t->ring != NULL);
	assert_int_equal(d->dropped, t->ring ? t->ring->dropped : 0);
}

/* Checks that a truncated dump contains the beginning of the complete one. */
static void is_beginning(const struct pmk_dump *cut, const struct pmk_dump *whole)
{
	assert_true(cut->nevents <= whole->nevents);
	assert_memory_equal(cut->event, whole->event, cut->nevents * sizeof(whole->event[0]));
	assert_true(cut->nregions <= whole->nregions);
	for (size_t id = 0; id < cut->nregions; id++) {
		assert_int_equal(cut->region[id].name.length, whole->region[id].name.length);
		assert_int_equal(cut->region[id].entries, whole->region[id].entries);
		assert_true(cut->region[id].nevents == whole->nevents || id == cut->nregions - 1);
	}
	assert_true(cut->ncounts <= whole->ncounts);
	if (cut->ncounts)
		assert_memory_equal(cut->count, whole->count,
				    cut->ncounts * sizeof(whole->count[0]));
	assert_true(cut->nsamples <= whole->nsamples);
	for (size_t i = 0; i < cut->nsamples; i++)
		assert_true(cut->sample[i].pc == whole->sample[i].pc);
}

/*
 * Returns how much was read. The number grows with every record, and with every event of a region.
 */
static size_t amount(const struct pmk_dump *d)
{
	return (d->pmu.byte != NULL) + d->nevents + d->nregions + d->ncounts + d->nsamples +
	       d->sampling;
}

/* ---- dumps of the library ---------------------------------------------------------------- */

static void test_firmware(void **state)
{
	struct rig r;
	struct bytes b = run_firmware(&r);
	struct pmk_dump d = read_one(&b);
	const struct pmk_dump_count *c = d.count;

	(void)state;
	assert_int_equal(d.state, PMK_DUMP_COMPLETE);
	assert_int_equal(d.begin, 0);
	assert_int_equal(d.end, b.n);
	assert_false(d.crlf);
	assert_string_equal(d.why, "");
	same_text(&d.pmu, "arm1176");
	assert_int_equal(d.nevents, 2);
	assert_int_equal(d.event[0].code, 0xff);
	assert_int_equal(d.event[0].period, 0);
	assert_int_equal(d.event[1].code, 0x05);
	assert_int_equal(d.event[1].period, 100);
	assert_int_equal(d.event[1].total, 10 + 20 + 30 + 40 + 200 + 9 * 100);
	/*
	 * A reading reads two counters and the flags at 3 cycles each, and the cycle counter before
	 * or after them. An empty region costs one reading.
	 */
	assert_int_equal(d.event[0].cost, 9);
	assert_int_equal(d.event[0].nest, 18);
	assert_int_equal(d.event[1].cost, 0);

	assert_int_equal(d.nregions, 4);
	same_text(&d.region[0].name, "fft");
	assert_int_equal(d.region[0].entries, 3);
	assert_int_equal(d.region[0].errors, 0);
	assert_int_equal(c[0].sum, 6000);
	assert_int_equal(c[0].sq_low, 1000000 + 4000000 + 9000000);
	assert_int_equal(c[0].sq_high, 0);
	assert_int_equal(c[0].min, 1000);
	assert_int_equal(c[0].max, 3000);
	assert_int_equal(c[0].raw, 6000 + 3 * 9);
	assert_int_equal(c[1].sum, 60);
	assert_int_equal(c[1].sq_low, 100 + 400 + 900);
	assert_int_equal(c[1].raw, 60);
	same_text(&d.region[1].name, "irq");
	assert_int_equal(d.region[1].entries, 0);
	assert_int_equal(c[2].raw, 0);
	assert_int_equal(c[2].min, 0);
	assert_int_equal(c[2].max, 0);
	assert_int_equal(d.region[2].name.length, 0);
	assert_int_equal(c[4].sum, 5);
	assert_int_equal(c[4].raw, 14);
	same_text(&d.region[3].name, "a\tb");
	assert_int_equal(d.region[3].entries, 1);
	assert_int_equal(d.region[3].errors, 1);

	assert_int_equal(d.nsamples, 8);
	assert_true(d.sampling);
	assert_int_equal(d.dropped, 2);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(d.sample[i].pc, i == 5 ? 0 : 0x8000 + 4 * (i / 4));
		assert_int_equal(d.sample[i].event, 1);
		assert_int_equal(d.sample[i].late, i == 2);
		assert_true(d.sample[i].region == (i < 7 ? 3 : PMK_SAMPLE_NO_REGION));
	}
	pmk_dump_free(&d);
	free(b.at);
}

/*
 * Fills the structs with random contents, and writes a dump of them. Returns the dump. `samples`
 * gets the contents of the ring.
 */
static struct bytes fabricate(struct rig *r, uint64_t *totals, struct pmk_sample *samples,
			      size_t *nsamples, char (*names)[24])
{
	static const char odd[] = "ab\r\n\r\r\n\n\033\x7f\xff\xc3\xa9PMKD\1\"\\,Z";
	unsigned nevents = 1 + (unsigned)pick(3);

	open_rig(r);
	for (unsigned i = 0; i < nevents; i++)
		assert_int_equal(pmk_target_add(&r->t, i ? 4 + i : 0xff), i);
	if (pick(4))
		OK(pmk_target_regions(&r->t, r->region, 1 + (unsigned)pick(4)));
	OK(pmk_target_start(&r->t));
	OK(pmk_target_stop(&r->t));
	for (unsigned id = 0; id < r->t.nregions; id++) {
		struct pmk_region *region = &r->region[id];
		size_t from = pick(sizeof(odd)), n = pick(sizeof(odd) - from);

		memcpy(names[id], odd + from, n);
		names[id][n] = '\0';
		region->name = pick(4) ? names[id] : NULL;
		region->count = pick(3) ? (uint32_t)random_number() : 0;
		region->errors = (uint32_t)(random_number() >> pick(64));
		for (unsigned i = 0; i < nevents; i++) {
			region->raw[i] = random_number() >> pick(64);
			region->net[i] = (struct pmk_stats){
				.sum = random_number() >> pick(64),
				.sq_low = random_number() >> pick(64),
				.sq_high = random_number() >> pick(64),
				.min = random_number() >> pick(64),
				.max = random_number() >> pick(64),
			};
		}
	}
	for (unsigned i = 0; i < nevents; i++) {
		r->t.zero[i] = random_number() >> pick(64);
		r->t.cost[i] = random_number() >> pick(64);
		r->t.nest[i] = random_number() >> pick(64);
		r->t.event[i].period = pick(2) ? random_number() >> pick(64) : 0;
	}
	if (pick(2)) {
		r->t.ring = &r->ring;
		r->ring.tail = (uint32_t)random_number();
		r->ring.head = r->ring.tail + (uint32_t)pick(RING + 1);
		r->ring.dropped = (uint32_t)(random_number() >> pick(64));
		for (unsigned i = 0; i < RING; i++)
			r->sample[i] = (struct pmk_sample){
				.pc = (uintptr_t)(random_number() >> pick(64)),
				.region = (uint16_t)random_number(),
				.event = (uint8_t)pick(nevents),
				.late = (uint8_t)pick(2),
			};
	}
	*nsamples = r->ring.head - r->ring.tail;
	for (uint32_t i = 0; i < *nsamples; i++)
		samples[i] = r->sample[(r->ring.tail + i) % RING];
	OK(pmk_target_read_all(&r->t, totals));
	return dump_of(&r->t);
}

static void test_round_trip(void **state)
{
	uint64_t totals[PMK_TARGET_EVENTS];
	struct pmk_sample samples[RING];
	unsigned translated = 0;
	char names[4][24];
	struct rig r;

	(void)state;
	for (unsigned n = 0; n < 1000; n++) {
		struct bytes b, crlf;
		struct pmk_dump d = { .size = sizeof(d) };
		size_t queued;

		b = fabricate(&r, totals, samples, &queued, names);
		d = read_one(&b);
		assert_int_equal(d.state, PMK_DUMP_COMPLETE);
		assert_false(d.crlf);
		/*
		 * Reading the counters takes cycles, so the dump's total of cycles is a little
		 * larger than the total read before.
		 */
		totals[0] = d.event[0].total;
		same_as_target(&d, &r.t, totals, samples, queued);
		assert_int_equal(r.ring.head, r.ring.tail);
		pmk_dump_free(&d);

		crlf = with_crlf(b.at, b.n);
		d = read_one(&crlf);
		assert_int_equal(d.state, PMK_DUMP_COMPLETE);
		assert_int_equal(d.crlf, crlf.n > b.n);
		assert_int_equal(d.end, crlf.n);
		translated += d.crlf;
		same_as_target(&d, &r.t, totals, samples, queued);
		pmk_dump_free(&d);
		free(crlf.at);
		free(b.at);
	}
	assert_in_range(translated, 300, 999);
}

static void test_big_values(void **state)
{
	uint64_t totals[PMK_TARGET_EVENTS];
	struct bytes b;
	struct pmk_dump d = { .size = sizeof(d) };
	struct rig r;

	(void)state;
	open_rig(&r);
	assert_int_equal(pmk_target_add(&r.t, 0x05), 0);
	OK(pmk_target_regions(&r.t, r.region, 1));
	OK(pmk_target_start(&r.t));
	OK(pmk_target_stop(&r.t));
	r.t.zero[0] = 1;
	r.t.cost[0] = r.t.nest[0] = UINT64_MAX;
	r.region[0].count = r.region[0].errors = UINT32_MAX;
	r.region[0].raw[0] = UINT64_MAX;
	r.region[0].net[0] =
		(struct pmk_stats){ 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	r.t.event[0].period = 0x80000000;
	r.ring.head = 1;
	r.ring.dropped = UINT32_MAX;
	r.t.ring = &r.ring;
	r.sample[0] = (struct pmk_sample){ UINTPTR_MAX, 65534, 0, 1 };
	OK(pmk_target_read_all(&r.t, totals));
	b = dump_of(&r.t);
	d = read_one(&b);
	assert_int_equal(d.state, PMK_DUMP_COMPLETE);
	same_as_target(&d, &r.t, totals, r.sample, 1);
	assert_true(d.sample[0].pc == UINTPTR_MAX);
	pmk_dump_free(&d);
	free(b.at);
}

/* ---- damage in transmission ---------------------------------------------------------- */

static void test_noise(void **state)
{
	static const char before[] = "boot\r\nPMKD: PMK PMKPMKD is coming\n\xff\x00\x01",
			  after[] = "\r\n> ";
	struct bytes all = { 0 };
	struct rig r;
	struct bytes b = run_firmware(&r);
	size_t at = 0, begin[3];
	struct pmk_dump d = { .size = sizeof(d) };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		put_all(&all, before, sizeof(before));
		begin[i] = all.n;
		put_all(&all, b.at, b.n);
		put_all(&all, after, sizeof(after));
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(pmk_dump_next(all.at, all.n, &at, &d), 1);
		assert_int_equal(d.state, PMK_DUMP_COMPLETE);
		assert_int_equal(d.begin, begin[i]);
		assert_int_equal(d.end, begin[i] + b.n);
		assert_int_equal(at, d.end);
		assert_int_equal(d.nsamples, 8);
		pmk_dump_free(&d);
	}
	assert_int_equal(pmk_dump_next(all.at, all.n, &at, &d), 0);
	/* Two dumps follow each other directly. */
	all.n = at = 0;
	put_all(&all, b.at, b.n);
	put_all(&all, b.at, b.n);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pmk_dump_next(all.at, all.n, &at, &d), 1);
		assert_int_equal(d.state, PMK_DUMP_COMPLETE);
		pmk_dump_free(&d);
	}
	free(all.at);
	free(b.at);
}

static void test_nothing(void **state)
{
	static const char *const texts[] = { "",	  "PMK",     "hello",  "PMKD: none",
					     "PMKDPMKD ", "pmkd\1P", "PMKD\n", "PMKD\r\n",
					     "PMKD\t",	  "PMKD~" };
	struct pmk_dump d = { .size = sizeof(d) };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		size_t at = 0;

		assert_int_equal(
			pmk_dump_next((const uint8_t *)texts[i], strlen(texts[i]), &at, &d), 0);
	}
}

/*
 * Cuts the dump at every byte. Everything before the cut is read, and the message names its
 * position, also with CR LF. The copy ends exactly at the cut, so a sanitizer detects each access
 * after it.
 */
static void cut_everywhere(const struct bytes *b, bool crlf)
{
	struct pmk_dump whole = read_one(b);
	size_t most = 0;

	for (size_t n = 0; n < b->n; n++) {
		struct bytes cut = { 0 };
		struct pmk_dump d = { .size = sizeof(d) };
		char where[64];
		size_t at = 0;

		put_all(&cut, b->at, n);
		cut.at = realloc(cut.at, n ? n : 1);
		if (n < 4) {
			assert_int_equal(pmk_dump_next(cut.at, n, &at, &d), 0);
			free(cut.at);
			continue;
		}
		assert_int_equal(pmk_dump_next(cut.at, n, &at, &d), 1);
		assert_int_equal(d.state, PMK_DUMP_CUT);
		/* A CR at the end may be the first half of a CR LF. */
		assert_in_range(d.end, crlf && b->at[n - 1] == '\r' ? n - 1 : n, n);
		assert_int_equal(at, n);
		snprintf(where, sizeof(where), "breaks off at offset %zu, in ", d.end);
		assert_int_equal(strncmp(d.why, where, strlen(where)), 0);
		is_beginning(&d, &whole);
		if (!crlf) {
			assert_true(amount(&d) >= most);
			most = amount(&d);
		}
		pmk_dump_free(&d);
		free(cut.at);
	}
	if (!crlf)
		assert_int_equal(most, amount(&whole));
	pmk_dump_free(&whole);
}

static void test_cut(void **state)
{
	struct rig r;
	struct bytes b = run_firmware(&r), crlf;

	(void)state;
	cut_everywhere(&b, false);
	crlf = with_crlf(b.at, b.n);
	assert_true(crlf.n > b.n);
	cut_everywhere(&crlf, true);
	free(crlf.at);
	free(b.at);
}

/* A single wrong bit at any position is always detected and explained. */
static void test_bit_flips(void **state)
{
	unsigned seen[4] = { 0 }, none = 0;
	struct rig r;
	struct bytes b = run_firmware(&r);

	(void)state;
	for (size_t bit = 0; bit < 8 * b.n; bit++) {
		struct pmk_dump d = { .size = sizeof(d) };
		size_t at = 0;
		int found;

		b.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
		found = pmk_dump_next(b.at, b.n, &at, &d);
		if (found) {
			assert_int_not_equal(d.state, PMK_DUMP_COMPLETE);
			assert_true(*d.why && memchr(d.why, '\0', sizeof(d.why)));
			assert_true(d.end <= b.n && at <= b.n);
			seen[d.state]++;
			pmk_dump_free(&d);
		} else {
			assert_true(bit < 8 * 5);
			none++;
		}
		b.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	/*
	 * If the magic number is wrong, or the version is changed to text (0, tab, '!', 'A'), it is
	 * no dump.
	 */
	assert_int_equal(none, 8 * 4 + 4);
	assert_int_equal(seen[PMK_DUMP_UNKNOWN], 4);
	/* A changed bit of the checksum, or of most numbers, gives a wrong checksum. */
	assert_true(seen[PMK_DUMP_WRONG] > seen[PMK_DUMP_CUT]);
	assert_int_equal(none + seen[PMK_DUMP_UNKNOWN] + seen[PMK_DUMP_WRONG] + seen[PMK_DUMP_CUT],
			 8 * b.n);
	free(b.at);
}

/*
 * If the board is reset in the middle of a dump, at any position, and writes another dump, that
 * dump is read.
 */
static void test_reset(void **state)
{
	struct rig r;
	struct bytes b = run_firmware(&r);

	(void)state;
	for (size_t n = 4; n < b.n; n++) {
		struct bytes all = { 0 };
		struct pmk_dump d = { .size = sizeof(d) };
		size_t at = 0;

		put_all(&all, b.at, n);
		put_all(&all, b.at, b.n);
		assert_int_equal(pmk_dump_next(all.at, all.n, &at, &d), 1);
		if (n > 4) {
			assert_int_equal(d.state, PMK_DUMP_CUT);
			assert_int_equal(d.end, n);
			assert_non_null(strstr(d.why, ": the next one begins"));
			assert_int_equal(at, n);
			pmk_dump_free(&d);
			assert_int_equal(pmk_dump_next(all.at, all.n, &at, &d), 1);
		}
		/* If the first dump ends within its magic number, pmk takes it for text. */
		assert_int_equal(d.state, PMK_DUMP_COMPLETE);
		assert_int_equal(d.begin, n);
		pmk_dump_free(&d);
		assert_int_equal(pmk_dump_next(all.at, all.n, &at, &d), 0);
		free(all.at);
	}
	free(b.at);
}

/* ---- dumps that no library writes ------------------------------------------------------------ */

static void test_no_events(void **state)
{
	struct bytes b = { 0 };
	struct pmk_dump d = { .size = sizeof(d) };

	(void)state;
	put_head(&b, "");
	put_string(&b, "R");
	put_number(&b, 0);
	put_text(&b, "a\0b", 3);
	put_number(&b, 3);
	put_number(&b, 0);
	put_end(&b, 0);
	d = read_one(&b);
	assert_int_equal(d.state, PMK_DUMP_COMPLETE);
	assert_int_equal(d.nevents, 0);
	assert_int_equal(d.nregions, 1);
	assert_int_equal(d.region[0].name.length, 3);
	assert_memory_equal(d.region[0].name.byte, "a\0b", 3);
	assert_false(d.sampling);
	pmk_dump_free(&d);
	free(b.at);
}

/*
 * The dump has a checksum that was computed elsewhere. The CRC-32 of "123456789" is the check value
 * that descriptions of this CRC give.
 */
static void test_checksum(void **state)
{
	static const uint8_t dump[] = {
		'P', 'M', 'K', 'D', 1, 'P', 0, 'Z', 0x0f, 0xcd, 0x8a, 0x82
	};
	struct bytes b = { 0 }, check = { 0 };
	struct pmk_dump d = { .size = sizeof(d) };

	(void)state;
	put_string(&check, "123456789");
	assert_int_equal(crc32(&check, 0), 0xcbf43926);
	put_all(&b, dump, sizeof(dump));
	d = read_one(&b);
	assert_int_equal(d.state, PMK_DUMP_COMPLETE);
	pmk_dump_free(&d);
	b.at[11] ^= 1;
	d = read_one(&b);
	assert_int_equal(d.state, PMK_DUMP_WRONG);
	assert_string_equal(d.why, "has a wrong checksum: bytes were changed or lost");
	pmk_dump_free(&d);
	free(check.at);
	free(b.at);
}

#define HEAD  "PMKD\1P\3cpu"
#define EVENT "E\1\0\0\0\0"
#define BITS  "\xff\xff\xff\xff\xff\xff\xff\xff\xff"

static const struct {
	int line;
	const char *bytes;
	size_t n;
	enum pmk_dump_state state;
	const char *why;
} broken[] = {
#define ROW(bytes, state, why)                                 \
	{                                                      \
		__LINE__, bytes, sizeof(bytes) - 1, state, why \
	}
	ROW("PMKD", PMK_DUMP_CUT, "breaks off at offset 4, in the version"),
	ROW("PMKD\2P\3cpuZ", PMK_DUMP_UNKNOWN, "is of version 2; this pmk reads version 1"),
	ROW("PMKD\xff", PMK_DUMP_UNKNOWN, "is of version 255; this pmk reads version 1"),
	ROW("PMKD\1", PMK_DUMP_CUT, "breaks off at offset 5, in the name of the PMU"),
	ROW("PMKD\1E", PMK_DUMP_CUT,
	    "breaks off at offset 5, in the name of the PMU: 0x45 does not start a record there"),
	ROW("PMKD\1P\3cp", PMK_DUMP_CUT, "breaks off at offset 9, in the name of the PMU"),
	ROW("PMKD\1P\xff", PMK_DUMP_CUT, "breaks off at offset 7, in the name of the PMU"),
	ROW("PMKD\1P" BITS "\1", PMK_DUMP_CUT,
	    "breaks off at offset 6, in the name of the PMU: 18446744073709551615 is too large "
	    "there"),
	ROW("PMKD\1P\x80\x20", PMK_DUMP_CUT, "breaks off at offset 8, in the name of the PMU"),
	ROW("PMKD\1P\x81\x20", PMK_DUMP_CUT,
	    "breaks off at offset 6, in the name of the PMU: 4097 is too large there"),
	ROW("PMKD\1P" BITS "\2", PMK_DUMP_CUT,
	    "breaks off at offset 6, in the name of the PMU: a number has more than 64 bits"),
	ROW(HEAD, PMK_DUMP_CUT, "breaks off at offset 10, in its records"),
	ROW(HEAD "P", PMK_DUMP_CUT,
	    "breaks off at offset 10, in its records: 0x50 does not start a record there"),
	ROW(HEAD "\0", PMK_DUMP_CUT,
	    "breaks off at offset 10, in its records: 0x00 does not start a record there"),
	ROW(HEAD EVENT EVENT "E\1", PMK_DUMP_CUT, "breaks off at offset 24, in event 2"),
	ROW(HEAD "E\x80\x80\4", PMK_DUMP_CUT,
	    "breaks off at offset 11, in event 0: 65536 is too large there"),
	ROW(HEAD "R\1", PMK_DUMP_CUT,
	    "breaks off at offset 11, in region 0: region 1 comes instead"),
	ROW(HEAD "R\0\0\x80\x80\x80\x80\x10", PMK_DUMP_CUT,
	    "breaks off at offset 13, in region 0: 4294967296 is too large there"),
	ROW(HEAD EVENT "R\0\0\1\0\1\2\3\4\5\6E", PMK_DUMP_CUT,
	    "breaks off at offset 27, in its records: 0x45 does not start a record there"),
	ROW(HEAD EVENT "S\0\0\1", PMK_DUMP_CUT,
	    "breaks off at offset 19, in sample 0: 1 is too large there"),
	ROW(HEAD EVENT "S\0\x80\x80\4", PMK_DUMP_CUT,
	    "breaks off at offset 18, in sample 0: 65536 is too large there"),
	ROW(HEAD EVENT "S\0\0\0\2", PMK_DUMP_CUT,
	    "breaks off at offset 20, in sample 0: 2 is too large there"),
	ROW(HEAD "D\0D", PMK_DUMP_CUT,
	    "breaks off at offset 12, in its records: 0x44 does not start a record there"),
	ROW(HEAD "D\x80", PMK_DUMP_CUT,
	    "breaks off at offset 12, in the number of dropped samples"),
	ROW(HEAD "Z\1\2\3", PMK_DUMP_CUT, "breaks off at offset 14, in the checksum"),
	ROW(HEAD "Z\1\2\3\4", PMK_DUMP_WRONG, "has a wrong checksum: bytes were changed or lost"),
#undef ROW
};

static void test_broken(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(broken); i++) {
		struct bytes b = { 0 };
		struct pmk_dump d = { .size = sizeof(d) };

		put_all(&b, broken[i].bytes, broken[i].n);
		d = read_one(&b);
		if (d.state != broken[i].state || strcmp(d.why, broken[i].why) != 0)
			fail_msg("line %d: %d, %s", broken[i].line, d.state, d.why);
		pmk_dump_free(&d);
		free(b.at);
	}
}

static void test_too_many_events(void **state)
{
	struct bytes b = { 0 };
	struct pmk_dump d = { .size = sizeof(d) };

	(void)state;
	put_head(&b, "cpu");
	for (unsigned i = 0; i < 64; i++)
		put_event(&b, i, 0, i);
	put_end(&b, 0);
	d = read_one(&b);
	assert_int_equal(d.state, PMK_DUMP_COMPLETE);
	assert_int_equal(d.nevents, 64);
	assert_int_equal(d.event[63].total, 63);
	pmk_dump_free(&d);
	b.n -= 5;
	put_event(&b, 64, 0, 64);
	d = read_one(&b);
	assert_int_equal(d.state, PMK_DUMP_CUT);
	assert_int_equal(d.nevents, 64);
	assert_non_null(strstr(d.why, "in event 64: it has more than 64 events"));
	pmk_dump_free(&d);
	free(b.at);
}

/*
 * CR LF in the firmware's own bytes is not taken for that of a terminal, because the unchanged dump
 * is tried first.
 */
static void test_own_crlf(void **state)
{
	struct bytes b = { 0 }, crlf;
	struct pmk_dump d = { .size = sizeof(d) };

	(void)state;
	put_head(&b, "cpu");
	put_event(&b, '\r', '\n', 0x50d); /* contains 0d 0a */
	put_end(&b, 0);
	d = read_one(&b);
	assert_int_equal(d.state, PMK_DUMP_COMPLETE);
	assert_false(d.crlf);
	assert_int_equal(d.event[0].total, 0x50d);
	pmk_dump_free(&d);
	crlf = with_crlf(b.at, b.n);
	assert_true(crlf.n >= b.n + 2);
	d = read_one(&crlf);
	assert_int_equal(d.state, PMK_DUMP_COMPLETE);
	assert_true(d.crlf);
	assert_int_equal(d.event[0].total, 0x50d);
	pmk_dump_free(&d);
	free(crlf.at);
	free(b.at);
}

/* Names may have the maximum length, also with CR LF for LF. */
static void test_long_names(void **state)
{
	static char name[4096];
	struct bytes b = { 0 }, crlf;
	struct pmk_dump d = { .size = sizeof(d) };

	(void)state;
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = "\r\n\n\rx"[i % 5];
	put_string(&b, "PMKD\1P");
	put_text(&b, name, sizeof(name));
	put(&b, 'R');
	put_number(&b, 0);
	put_text(&b, name, sizeof(name));
	put_number(&b, 0);
	put_number(&b, 0);
	put_end(&b, 0);
	crlf = with_crlf(b.at, b.n);
	for (unsigned i = 0; i < 2; i++) {
		d = read_one(i ? &crlf : &b);
		assert_int_equal(d.state, PMK_DUMP_COMPLETE);
		assert_int_equal(d.crlf, i);
		assert_int_equal(d.pmu.length, sizeof(name));
		assert_memory_equal(d.pmu.byte, name, sizeof(name));
		assert_int_equal(d.region[0].name.length, sizeof(name));
		assert_memory_equal(d.region[0].name.byte, name, sizeof(name));
		pmk_dump_free(&d);
	}
	free(crlf.at);
	free(b.at);
}

/* Many broken dumps in a large capture do not make pmk read it again and again. */
static void test_many_broken(void **state)
{
	struct bytes all = { 0 };
	struct pmk_dump d = { .size = sizeof(d) };
	size_t at = 0, n = 0;

	(void)state;
	for (unsigned i = 0; i < UNIT_SAMPLES(200000); i++)
		put_string(&all, "PMKD\1P\3cpuR");
	while (pmk_dump_next(all.at, all.n, &at, &d)) {
		assert_int_equal(d.state, PMK_DUMP_CUT);
		n++;
		pmk_dump_free(&d);
	}
	assert_int_equal(n, UNIT_SAMPLES(200000));
	free(all.at);
}

/* ---- names ---------------------------------------------------------------------------------- */

static const struct {
	int line;
	const char *name;
	size_t n;
	const char *shown;
} escapes[] = {
#define ROW(name, shown)                                \
	{                                               \
		__LINE__, name, sizeof(name) - 1, shown \
	}
	ROW("", ""),
	ROW("fft_1 ~", "fft_1 ~"),
	ROW("a\tb\r\n", "a\\x09b\\x0d\\x0a"),
	ROW("\0\x1f\x7f", "\\x00\\x1f\\x7f"),
	ROW("a\\x09", "a\\\\x09"),
	ROW("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
	ROW("\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9f\xc2\xa0"), /* C1 controls, a space */
	ROW("\xc3", "\\xc3"),						 /* ends early */
	ROW("\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf"),	 /* an overlong '/' */
	ROW("\xed\xa0\x80", "\\xed\\xa0\\x80"),				 /* a surrogate */
	ROW("\xf4\x90\x80\x80\xff", "\\xf4\\x90\\x80\\x80\\xff"),	 /* above U+10FFFF */
#undef ROW
};

static void test_escapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(escapes); i++) {
		char *shown = pmk_dump_escape(escapes[i].name, escapes[i].n);

		assert_non_null(shown);
		if (strcmp(shown, escapes[i].shown) != 0)
			fail_msg("line %d: %s", escapes[i].line, shown);
		free(shown);
	}
}

/* ---- main ----------------------------------------------------------------------------------- */

static int write_dump(const char *path)
{
	struct rig r;
	struct bytes b = run_firmware(&r);
	FILE *f = fopen(path, "wb");
	bool good = f && fwrite(b.at, 1, b.n, f) == b.n;

	if (f && fclose(f))
		good = false;
	free(b.at);
	return !good;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_firmware),    cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_big_values),  cmocka_unit_test(test_noise),
		cmocka_unit_test(test_nothing),	    cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bit_flips),   cmocka_unit_test(test_reset),
		cmocka_unit_test(test_no_events),   cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_broken),	    cmocka_unit_test(test_too_many_events),
		cmocka_unit_test(test_own_crlf),    cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_many_broken), cmocka_unit_test(test_escapes),
	};

	if (argc == 3 && !strcmp(argv[1], "write"))
		return write_dump(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
