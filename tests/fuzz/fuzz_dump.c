// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a capture of random bytes consists of consecutive dumps. Each complete dump has the
 * contents that it claims, and each incomplete dump has a text with the reason. The names can be
 * printed, and the profile contains every sample. If the capture has CR LF instead of LF, it has at
 * least as many complete dumps.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_dump.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/dump.h>

#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check_name(const struct pmk_dump_text *name)
{
	char *text = pmk_dump_escape(name->byte, name->length);

	expect(text != NULL && strlen(text) <= 4 * name->length);
	for (const char *c = text; *c; c++)
		expect((unsigned char)*c >= 0x20 && *c != 0x7f);
	free(text);
}

static void check_profile(const struct pmk_dump *d)
{
	size_t n, samples = 0;
	struct pmk_spot *list = pmk_profile_count(d->sample, d->nsamples, NULL, &n);

	expect(list != NULL && n <= d->nsamples);
	for (size_t i = 0; i < n; i++) {
		expect(list[i].samples && list[i].late <= list[i].samples);
		expect(!i || list[i - 1].event <= list[i].event);
		samples += list[i].samples;
	}
	expect(samples == d->nsamples);
	free(list);
}

static void check(const struct pmk_dump *d)
{
	expect(memchr(d->why, '\0', sizeof(d->why)) != NULL);
	expect((d->state == PMK_DUMP_COMPLETE) == !*d->why);
	expect(d->nevents <= PMK_DUMP_EVENTS);
	check_name(&d->pmu);
	for (size_t id = 0; id < d->nregions; id++) {
		const struct pmk_dump_region *r = &d->region[id];

		expect(r->nevents == d->nevents ||
		       (d->state == PMK_DUMP_CUT && id == d->nregions - 1));
		expect(r->first + r->nevents <= d->ncounts);
		check_name(&r->name);
	}
	for (size_t i = 0; i < d->nsamples; i++)
		expect(d->sample[i].event <= d->nevents);
	check_profile(d);
}

/*
 * Returns the number of complete dumps. If `undone` is false, does not count dumps in which CR LF
 * was converted back to LF.
 */
static unsigned read_all(const uint8_t *data, size_t size, bool undone)
{
	unsigned complete = 0;
	struct pmk_dump d = { .size = sizeof(d) };
	size_t at = 0, before = 0;

	while (pmk_dump_next(data, size, &at, &d)) {
		expect(d.begin >= before && d.begin < at && at <= size);
		expect(d.end > d.begin && d.end <= at);
		before = at;
		check(&d);
		complete += d.state == PMK_DUMP_COMPLETE && (undone || !d.crlf);
		pmk_dump_free(&d);
	}
	return complete;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned complete = read_all(data, size, false);
	uint8_t *crlf = malloc(2 * size + 1);
	size_t n = 0;

	if (!crlf)
		return 0;
	for (size_t i = 0; i < size; i++) {
		if (data[i] == '\n')
			crlf[n++] = '\r';
		crlf[n++] = data[i];
	}
	/*
	 * The conversion loses no dump. If a dump itself contains CR LF, it is converted back only
	 * once.
	 */
	expect(read_all(crlf, n, true) >= complete);
	free(crlf);
	return 0;
}
