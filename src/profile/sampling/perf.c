// SPDX-License-Identifier: MIT
/* Decodes records: see perf.h. <linux/perf_event.h> describes their layout. */
#include "profile/sampling/perf.h"

#include <linux/perf_event.h>
#include <string.h>

/* These flags are missing in older headers. */
#define MISC_MMAP_DATA	   (1u << 13)
#define MISC_COMM_EXEC	   (1u << 13)
#define MISC_MMAP_BUILD_ID (1u << 14)
#define FORMAT_LOST	   (1u << 4)

/* Types of records that perf itself writes; the kernel's types are below 64. */
#define FINISHED_ROUND 68
#define COMPRESSED     81
#define COMPRESSED2    83

/* The unread part of a record. */
struct cursor {
	const uint8_t *at, *end;
	bool bad; /* the record was too short */
};

static const uint8_t *take_bytes(struct cursor *c, uint64_t n)
{
	const uint8_t *at = c->at;

	if (c->bad || n > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return NULL;
	}
	c->at += n;
	return at;
}

/* Read a number. It is 0 if the record has ended. */
static void take_number(struct cursor *c, void *v, size_t size)
{
	const uint8_t *at = take_bytes(c, size);

	if (at)
		memcpy(v, at, size);
}

static uint64_t take_u64(struct cursor *c)
{
	uint64_t v = 0;

	take_number(c, &v, sizeof(v));
	return v;
}

static uint32_t take_u32(struct cursor *c)
{
	uint32_t v = 0;

	take_number(c, &v, sizeof(v));
	return v;
}

static const char *take_text(struct cursor *c)
{
	const uint8_t *nul = c->bad ? NULL : memchr(c->at, '\0', (size_t)(c->end - c->at));

	if (!nul)
		c->bad = true;
	return nul ? (const char *)take_bytes(c, (uint64_t)(nul - c->at) + 1) : "";
}

static enum pmk_perf_mode mode_of(unsigned misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return PMK_PERF_KERNEL;
	case PERF_RECORD_MISC_USER:
		return PMK_PERF_USER;
	case PERF_RECORD_MISC_CPUMODE_UNKNOWN:
		return PMK_PERF_UNKNOWN;
	default:
		return PMK_PERF_OUTSIDE;
	}
}

/* ---- what all records have ------------------------------------------------------------------ */

static unsigned count_bits(uint64_t mask)
{
	return (unsigned)__builtin_popcountll(mask);
}

#define ID_ALL                                                                         \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Read the time of a record that is not a sample. It is at the end, after thread numbers. */
static void read_trailer(const struct pmk_perf_event *e, struct cursor *c,
			 struct pmk_perf_record *out)
{
	uint64_t size = 8 * count_bits(e->sample_type & ID_ALL);

	if (!e->id_all)
		return;
	if (size > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return;
	}
	c->end -= size;
	if (e->sample_type & PERF_SAMPLE_TIME)
		memcpy(&out->time, c->end + (e->sample_type & PERF_SAMPLE_TID ? 8 : 0),
		       sizeof(out->time));
}

/* ---- samples -------------------------------------------------------------------------------- */

static void skip_readings(uint64_t format, struct cursor *c)
{
	uint64_t each = 1 + count_bits(format & (PERF_FORMAT_ID | FORMAT_LOST)), n = 1;

	if (format & PERF_FORMAT_GROUP)
		n = take_u64(c);
	if (n > (uint64_t)(c->end - c->at) / 8) {
		c->bad = true;
		return;
	}
	take_bytes(c, 8 * (n * each + count_bits(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
							   PERF_FORMAT_TOTAL_TIME_RUNNING))));
}

/* Find the offset of the event's number in a sample. Returns false if samples have none. */
static bool id_offset(uint64_t type, size_t *offset)
{
	*offset = 0;
	if (type & PERF_SAMPLE_IDENTIFIER)
		return true;
	*offset = 8 * count_bits(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					 PERF_SAMPLE_ADDR));
	return type & PERF_SAMPLE_ID;
}

static bool find_event(const struct pmk_perf_layout *l, const struct cursor *c, uint32_t *event)
{
	uint64_t id;
	size_t offset;

	*event = 0;
	if (l->nevents == 1 || !id_offset(l->event[0].sample_type, &offset))
		return true;
	if (offset + 8 > (size_t)(c->end - c->at))
		return false;
	memcpy(&id, c->at + offset, sizeof(id));
	*event = pmk_map_get(&l->ids, id);
	return *event < l->nevents;
}

static void read_sample(const struct pmk_perf_layout *l, struct cursor *c,
			struct pmk_perf_record *out)
{
	const struct pmk_perf_event *e;
	uint64_t type;

	if (!find_event(l, c, &out->event)) {
		c->bad = true;
		return;
	}
	e = &l->event[out->event];
	type = e->sample_type;
	if (type & PERF_SAMPLE_IDENTIFIER)
		take_bytes(c, 8);
	if (type & PERF_SAMPLE_IP)
		out->ip = take_u64(c);
	if (type & PERF_SAMPLE_TID) {
		out->pid = take_u32(c);
		out->tid = take_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		out->time = take_u64(c);
	take_bytes(c, 8 * count_bits(type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
					     PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)));
	out->period = type & PERF_SAMPLE_PERIOD ? take_u64(c) : e->period;
	if (type & PERF_SAMPLE_READ)
		skip_readings(e->read_format, c);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		uint64_t n = take_u64(c);

		if (n > (uint64_t)(c->end - c->at) / 8) {
			c->bad = true;
			return;
		}
		out->nchain = (size_t)n;
		out->chain = take_bytes(c, 8 * n);
	}
}

uint64_t pmk_perf_chain(const struct pmk_perf_record *r, size_t i)
{
	uint64_t ip;

	memcpy(&ip, r->chain + 8 * i, sizeof(ip));
	return ip;
}

bool pmk_perf_is_mark(uint64_t ip, enum pmk_perf_mode *mode)
{
	if (ip < (uint64_t)PERF_CONTEXT_MAX)
		return false;
	*mode = ip == (uint64_t)PERF_CONTEXT_KERNEL ? PMK_PERF_KERNEL
		: ip == (uint64_t)PERF_CONTEXT_USER ? PMK_PERF_USER
						    : PMK_PERF_OUTSIDE;
	return true;
}

/* ---- other records -------------------------------------------------------------------------- */

static void read_map(unsigned misc, bool second, struct cursor *c, struct pmk_perf_record *out)
{
	struct cursor id;

	out->kind = PMK_PERF_MAP;
	out->data = misc & MISC_MMAP_DATA;
	out->pid = take_u32(c);
	out->tid = take_u32(c);
	out->start = take_u64(c);
	out->length = take_u64(c);
	out->offset = take_u64(c);
	if (second) {
		/* These 24 bytes hold either the build id, after its length and three unused
		 * bytes, or the device, the inode and the inode's generation. The mapping's
		 * protection and flags follow. */
		id = *c;
		take_bytes(c, 24);
		take_bytes(c, 8);
		if (!c->bad && misc & MISC_MMAP_BUILD_ID && *id.at <= 20) {
			out->build_id_size = *id.at;
			out->build_id = id.at + 4;
		}
	}
	out->text = take_text(c);
}

static void read_fork(struct cursor *c, struct pmk_perf_record *out)
{
	out->kind = PMK_PERF_FORK;
	out->pid = take_u32(c);
	out->parent = take_u32(c);
	out->tid = take_u32(c);
	out->parent_tid = take_u32(c);
	take_bytes(c, 8); /* the time */
}

static void read_comm(unsigned misc, struct cursor *c, struct pmk_perf_record *out)
{
	out->kind = PMK_PERF_COMM;
	out->exec = misc & MISC_COMM_EXEC;
	out->pid = take_u32(c);
	out->tid = take_u32(c);
	out->text = take_text(c);
}

static void read_other(const struct perf_event_header *h, struct cursor *c,
		       struct pmk_perf_record *out)
{
	switch (h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		read_map(h->misc, h->type == PERF_RECORD_MMAP2, c, out);
		break;
	case PERF_RECORD_COMM:
		read_comm(h->misc, c, out);
		break;
	case PERF_RECORD_FORK:
		read_fork(c, out);
		break;
	case PERF_RECORD_LOST:
		out->kind = PMK_PERF_LOST;
		take_bytes(c, 8);
		out->lost = take_u64(c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		out->kind = PMK_PERF_LOST;
		out->lost = take_u64(c);
		break;
	case PERF_RECORD_THROTTLE:
		out->kind = PMK_PERF_THROTTLE;
		break;
	default:
		break;
	}
}

bool pmk_perf_decode(const struct pmk_perf_layout *l, const uint8_t *bytes, size_t size,
		     struct pmk_perf_record *out)
{
	struct cursor c = { bytes, bytes + size, false };
	struct perf_event_header h;
	const uint8_t *head = take_bytes(&c, sizeof(h));

	*out = (struct pmk_perf_record){ .kind = PMK_PERF_OTHER };
	if (!head || !l->nevents)
		return false;
	memcpy(&h, head, sizeof(h));
	out->mode = mode_of(h.misc);
	if (h.type == FINISHED_ROUND) {
		out->kind = PMK_PERF_ROUND;
	} else if (h.type == COMPRESSED || h.type == COMPRESSED2) {
		out->kind = PMK_PERF_COMPRESSED;
	} else if (h.type == PERF_RECORD_SAMPLE) {
		out->kind = PMK_PERF_SAMPLE;
		read_sample(l, &c, out);
	} else if (h.type < 64) {
		read_trailer(&l->event[0], &c, out);
		read_other(&h, &c, out);
	}
	return !c.bad;
}
