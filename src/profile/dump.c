// SPDX-License-Identifier: MIT
/*
 * Reads dumps of firmware from a capture of its output: see dump.h. The writer is
 * src/firmware/dump.c.
 *
 * If a dump cannot be read to its end, it is read again with every CR LF replaced by LF, because a
 * terminal may have replaced LF by CR LF. The checksum shows which reading is right. If both are
 * wrong, the dump is assumed to end before the next one begins: a board that is reset in the middle
 * of a dump writes another one. In this case, CR LF is replaced if every LF in the dump follows a
 * CR.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/dump.h>
#include <pmk/error.h>

#include "base/grow.h"
#include "base/sized.h"
#include "base/printable.h"

static const uint8_t magic[] = { 'P', 'M', 'K', 'D' };

/* ---- bytes ---------------------------------------------------------------------------------- */

/*
 * The state of reading a dump. The first error is kept: its offset `at`, the `place` in the dump,
 * and what is wrong (`what`; empty if the data ended there).
 */
struct in {
	const uint8_t *data;
	size_t size, at;
	bool crlf;    /* read CR LF as LF */
	uint32_t crc; /* running CRC of the bytes that were read: IEEE 802.3, reflected */
	struct pmk_dump *d;
	char place[48], what[64];
	bool no_memory;
	/* Sizes of the arrays of `d`. They grow with the data, not with the numbers that the file
	 * claims. */
	size_t region_room, count_room, sample_room;
};

static bool dump_no_memory(struct in *in)
{
	in->no_memory = true;
	return false;
}

static bool take_byte(struct in *in, uint8_t *b)
{
	if (in->crlf && in->size - in->at > 1 && in->data[in->at] == '\r' &&
	    in->data[in->at + 1] == '\n')
		in->at++;
	if (in->at == in->size)
		return false;
	*b = in->data[in->at++];
	in->crc ^= *b;
	for (unsigned bit = 0; bit < 8; bit++)
		in->crc = in->crc >> 1 ^ (in->crc & 1 ? UINT32_C(0xEDB88320) : 0);
	return true;
}

/* Reads a number in base 128, lowest group first. */
static bool take_number(struct in *in, uint64_t most, uint64_t *v)
{
	size_t start = in->at;
	uint8_t b;

	*v = 0;
	for (unsigned shift = 0; take_byte(in, &b); shift += 7) {
		if (shift > 63 || (shift == 63 && b > 1)) {
			snprintf(in->what, sizeof(in->what), "a number has more than 64 bits");
			in->at = start;
			return false;
		}
		*v |= (uint64_t)(b & 0x7F) << shift;
		if (b & 0x80)
			continue;
		if (*v <= most)
			return true;
		snprintf(in->what, sizeof(in->what), "%llu is too large there",
			 (unsigned long long)*v);
		in->at = start;
		return false;
	}
	return false;
}

static bool take_text(struct in *in, struct pmk_dump_text *text)
{
	uint64_t length;
	uint8_t *byte;

	if (!take_number(in, PMK_DUMP_NAME, &length))
		return false;
	byte = malloc(length + 1);
	if (!byte)
		return dump_no_memory(in);
	for (uint64_t i = 0; i < length; i++) {
		if (!take_byte(in, &byte[i])) {
			free(byte);
			return false;
		}
	}
	*text = (struct pmk_dump_text){ byte, (size_t)length };
	return true;
}

/* ---- records -------------------------------------------------------------------------------- */

static bool read_event(struct in *in)
{
	struct pmk_dump *d = in->d;
	struct pmk_dump_event e = { 0 };
	uint64_t code;

	snprintf(in->place, sizeof(in->place), "event %u", d->nevents);
	if (d->nevents == PMK_DUMP_EVENTS) {
		snprintf(in->what, sizeof(in->what), "it has more than %d events", PMK_DUMP_EVENTS);
		return false;
	}
	if (!take_number(in, UINT16_MAX, &code) || !take_number(in, UINT64_MAX, &e.period) ||
	    !take_number(in, UINT64_MAX, &e.total) || !take_number(in, UINT64_MAX, &e.cost) ||
	    !take_number(in, UINT64_MAX, &e.nest))
		return false;
	e.code = (uint16_t)code;
	d->event[d->nevents++] = e;
	return true;
}

static bool read_count(struct in *in, struct pmk_dump_count *c)
{
	uint64_t *const member[] = { &c->raw, &c->sum, &c->sq_low, &c->sq_high, &c->min, &c->max };

	for (size_t i = 0; i < sizeof(member) / sizeof(member[0]); i++)
		if (!take_number(in, UINT64_MAX, member[i]))
			return false;
	return true;
}

/* Reads the counts of a region. A region that is cut off keeps the events that were read
 * completely. */
static bool read_counts(struct in *in, struct pmk_dump_region *r)
{
	struct pmk_dump *d = in->d;
	struct pmk_dump_count c;

	for (; r->nevents < d->nevents; r->nevents++) {
		if (!read_count(in, &c))
			return false;
		if (!PMK_APPEND(d->count, d->ncounts, in->count_room, c))
			return dump_no_memory(in);
	}
	return true;
}

/* Reads a region except its counts, which are read separately. */
static bool read_region_head(struct in *in, struct pmk_dump_region *r)
{
	uint64_t id, entries, errors;
	size_t start = in->at;

	if (!take_number(in, UINT64_MAX, &id))
		return false;
	if (id != in->d->nregions) {
		snprintf(in->what, sizeof(in->what), "region %llu comes instead",
			 (unsigned long long)id);
		in->at = start;
		return false;
	}
	if (!take_text(in, &r->name) || !take_number(in, UINT32_MAX, &entries) ||
	    !take_number(in, UINT32_MAX, &errors))
		return false;
	r->entries = (uint32_t)entries;
	r->errors = (uint32_t)errors;
	return true;
}

static bool read_region(struct in *in)
{
	struct pmk_dump *d = in->d;
	struct pmk_dump_region r = { .first = d->ncounts };
	bool read;

	snprintf(in->place, sizeof(in->place), "region %zu", d->nregions);
	read = read_region_head(in, &r);
	if (read && PMK_APPEND(d->region, d->nregions, in->region_room, r))
		return read_counts(in, &d->region[d->nregions - 1]);
	free(r.name.byte);
	return read && dump_no_memory(in);
}

static bool read_sample(struct in *in)
{
	struct pmk_dump *d = in->d;
	struct pmk_profile_sample s;
	uint64_t region, event, late;

	snprintf(in->place, sizeof(in->place), "sample %zu", d->nsamples);
	/* The number of an event that does not exist is an error, like a number that is too
	 * large. */
	if (!take_number(in, UINT64_MAX, &s.pc) || !take_number(in, UINT16_MAX, &region) ||
	    !take_number(in, d->nevents ? d->nevents - 1 : 0, &event) || !take_number(in, 1, &late))
		return false;
	s.region = region ? (uint32_t)region - 1 : PMK_SAMPLE_NO_REGION;
	s.event = (uint8_t)event;
	s.late = late;
	return PMK_APPEND(d->sample, d->nsamples, in->sample_room, s) || dump_no_memory(in);
}

static bool read_dropped(struct in *in)
{
	uint64_t dropped;

	snprintf(in->place, sizeof(in->place), "the number of dropped samples");
	if (!take_number(in, UINT32_MAX, &dropped))
		return false;
	in->d->dropped = (uint32_t)dropped;
	in->d->sampling = true;
	return true;
}

static bool read_end(struct in *in)
{
	uint32_t is = ~in->crc, says = 0;
	uint8_t b;

	snprintf(in->place, sizeof(in->place), "the checksum");
	for (unsigned i = 0; i < 4; i++) {
		if (!take_byte(in, &b))
			return false;
		says |= (uint32_t)b << 8 * i;
	}
	in->d->state = is == says ? PMK_DUMP_COMPLETE : PMK_DUMP_WRONG;
	return true;
}

static bool no_such_record(struct in *in, uint8_t letter, size_t start)
{
	in->at = start;
	snprintf(in->what, sizeof(in->what), "0x%02x does not start a record there", letter);
	return false;
}

/*
 * Reads the records after P, which is the name of the PMU. They must be in this order: any number
 * of E, any number of R, any number of S, D or none, Z.
 */
static bool read_records(struct in *in)
{
	static const struct {
		char letter;
		bool once;
		bool (*read)(struct in *in);
	} kinds[] = {
		{ 'E', false, read_event },  { 'R', false, read_region },
		{ 'S', false, read_sample }, { 'D', true, read_dropped },
		{ 'Z', true, read_end },
	};
	unsigned kind = 0;
	uint8_t letter;

	do {
		const unsigned n = sizeof(kinds) / sizeof(kinds[0]);
		size_t start = in->at;

		snprintf(in->place, sizeof(in->place), "its records");
		if (!take_byte(in, &letter))
			return false;
		while (kind < n && kinds[kind].letter != letter)
			kind++;
		if (kind == n)
			return no_such_record(in, letter, start);
		if (!kinds[kind].read(in))
			return false;
		kind += kinds[kind].once;
	} while (letter != 'Z');
	return true;
}

static bool read_pmu(struct in *in)
{
	size_t start = in->at;
	uint8_t letter;

	snprintf(in->place, sizeof(in->place), "the name of the PMU");
	if (!take_byte(in, &letter))
		return false;
	return letter == 'P' ? take_text(in, &in->d->pmu) : no_such_record(in, letter, start);
}

/* ---- one dump ------------------------------------------------------------------------------- */

void pmk_dump_free(struct pmk_dump *d)
{
	/*
	 * The oldest version of the struct already has pointers to everything that this reader
	 * allocates.
	 */
	size_t size = d->size;

	if (!pmk_size_is_valid(size, PMK_SIZE_UP_TO(struct pmk_dump, nsamples)))
		return;

	for (size_t id = 0; id < d->nregions; id++)
		free(d->region[id].name.byte);
	free(d->pmu.byte);
	free(d->region);
	free(d->count);
	free(d->sample);
	memset(&d->state, 0, size - offsetof(struct pmk_dump, state));
}

/* Reads the dump whose magic number is at data[0]. in->at is where reading ended. */
static int parse_dump(struct in *in, const uint8_t *data, size_t size, bool crlf,
		      struct pmk_dump *d)
{
	uint8_t b;

	*d = (struct pmk_dump){ .size = sizeof(*d), .state = PMK_DUMP_CUT, .crlf = crlf };
	*in = (struct in){ .data = data, .size = size, .crlf = crlf, .crc = UINT32_MAX, .d = d };
	for (size_t i = 0; i < sizeof(magic); i++)
		take_byte(in, &b);
	snprintf(in->place, sizeof(in->place), "the version");
	if (!take_byte(in, &d->version))
		return 0;
	if (d->version != PMK_DUMP_VERSION) {
		d->state = PMK_DUMP_UNKNOWN;
		return 0;
	}
	if (read_pmu(in))
		read_records(in);
	if (!in->no_memory)
		return 0;
	pmk_dump_free(d);
	return PMK_ENOMEM;
}

/* True if there is an LF and every LF follows a CR. */
static bool looks_like_crlf(const uint8_t *data, size_t size)
{
	bool any = false;

	for (size_t i = 0; i < size; i++) {
		if (data[i] != '\n')
			continue;
		if (!i || data[i - 1] != '\r')
			return false;
		any = true;
	}
	return any;
}

/* Reads the existing part of a dump that is incomplete, with CR LF replaced if that looks right. */
static int parse_part(struct in *in, const uint8_t *data, size_t size, struct pmk_dump *d)
{
	int err = parse_dump(in, data, size, false, d);

	if (err || d->state == PMK_DUMP_UNKNOWN || !looks_like_crlf(data, in->at))
		return err;
	pmk_dump_free(d);
	return parse_dump(in, data, size, true, d);
}

static void explain_state(const struct in *in, struct pmk_dump *d, bool next_follows)
{
	switch (d->state) {
	case PMK_DUMP_COMPLETE:
		break;
	case PMK_DUMP_UNKNOWN:
		snprintf(d->why, sizeof(d->why), "is of version %u; this pmk reads version %d",
			 d->version, PMK_DUMP_VERSION);
		break;
	case PMK_DUMP_WRONG:
		snprintf(d->why, sizeof(d->why),
			 "has a wrong checksum: bytes were changed or lost");
		break;
	case PMK_DUMP_CUT:
		snprintf(d->why, sizeof(d->why), "breaks off at offset %zu, in %s%s%s", d->end,
			 in->place, *in->what || next_follows ? ": " : "",
			 *in->what	? in->what
			 : next_follows ? "the next one begins"
					: "");
		break;
	}
}

/* True if this byte is a version number. Otherwise "PMKD" is only part of a text or a program. */
static bool is_version(uint8_t b)
{
	return b && b != '\t' && b != '\n' && b != '\r' && (b < ' ' || b > '~');
}

static const uint8_t *find_magic(const uint8_t *data, size_t size)
{
	const uint8_t *at = data;

	while ((at = memmem(at, size - (size_t)(at - data), magic, sizeof(magic)))) {
		size_t next = (size_t)(at - data) + sizeof(magic);

		if (next == size || is_version(data[next]))
			return at;
		at += sizeof(magic);
	}
	return NULL;
}

/* Reads a dump to a correct end, first as it is and then with CR LF replaced. Returns false if
 * neither succeeds. */
static bool parse_whole(struct in *in, const uint8_t *data, size_t size, struct pmk_dump *d,
			int *err)
{
	for (int crlf = 0; crlf < 2; crlf++) {
		*err = parse_dump(in, data, size, crlf, d);
		if (*err || d->state == PMK_DUMP_COMPLETE)
			return !*err;
		pmk_dump_free(d);
	}
	return false;
}

static int dump_read(const uint8_t *data, size_t size, size_t *at, struct pmk_dump *d)
{
	const uint8_t *begin = find_magic(data + *at, size - *at), *next = NULL;
	size_t left = begin ? size - (size_t)(begin - data) : 0;
	struct in in;
	int err;

	if (!begin)
		return 0;
	if (!parse_whole(&in, begin, left, d, &err) && !err) {
		/* Assume that this dump ends where the next one begins. */
		next = find_magic(begin + sizeof(magic), left - sizeof(magic));
		if (next)
			left = (size_t)(next - begin);
		err = parse_part(&in, begin, left, d);
	}
	if (err)
		return err;
	d->begin = (size_t)(begin - data);
	d->end = d->begin + in.at;
	*at = d->state == PMK_DUMP_COMPLETE ? d->end : d->begin + left;
	explain_state(&in, d, next && in.at == left);
	return 1;
}

int pmk_dump_next(const uint8_t *data, size_t size, size_t *at, struct pmk_dump *dump)
{
	struct pmk_dump d = { .size = sizeof(d) };
	int found;

	if (!pmk_size_is_valid(dump->size, PMK_SIZE_UP_TO(struct pmk_dump, nsamples)))
		return PMK_EINVAL;
	found = dump_read(data, size, at, &d);
	if (found > 0)
		pmk_sized_copy(dump, dump->size, &d, sizeof(d));
	return found;
}

/* ---- names ----------------------------------------------------------------------------------- */

char *pmk_dump_escape(const void *name, size_t n)
{
	const uint8_t *s = name;
	char *text = malloc(4 * n + 1), *out = text;

	for (size_t i = 0; text && i < n;) {
		size_t length = pmk_printable_length(s + i, n - i);

		if (length && s[i] != '\\') {
			memcpy(out, s + i, length);
			out += length;
			i += length;
		} else {
			out += sprintf(out, s[i] == '\\' ? "\\\\" : "\\x%02x", s[i]);
			i++;
		}
	}
	if (text)
		*out = '\0';
	return text;
}
