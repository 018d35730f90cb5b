// SPDX-License-Identifier: MIT
/*
 * Reads perf's files: see perfdata.h. A file has a header with the positions of the event
 * attributes and the records. After the records there is a table of features: sections that
 * describe what was run, and where.
 */
#define _GNU_SOURCE
#include "profile/sampling/perfdata.h"

#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/message.h"
#include "profile/sampling/samples.h"
#include "profile/sampling/spaces.h"

#define MAGIC	      "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
#define MAGIC_OLD     "PERFFILE"

#define HEAD_SIZE  104
#define PIPE_SIZE  16 /* size of a stream's header */
#define MAX_EVENTS 1024
#define MIN_ATTR   64 /* PERF_ATTR_SIZE_VER0 */

#define MISC_BUILD_ID_SIZE (1u << 15)

/* Records that are followed by additional data. */
#define AUXTRACE 71

enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	NFEATURES = 256,
};

struct section {
	uint64_t offset, size;
};

struct pmk_perfdata {
	const uint8_t *bytes;
	size_t size;
	uint8_t *mapped; /* memory to be unmapped */
	struct pmk_perf_layout layout;
	struct pmk_sampled_event *event;
	char **name; /* the name of each event */
	struct section data, feature[NFEATURES];
	char *command, *producer, *settings, *isa, *warning;
	struct pmk_samples *samples;
	struct pmk_recording rec;
	bool cut;
};

static int bad_file(char *msg, size_t size, const char *why)
{
	return pmk_message_fail(msg, size, PMK_EPARSE, "%s", why);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static uint64_t read_u64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static uint32_t read_u32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* True if the file contains the whole range. */
static bool is_there(const struct pmk_perfdata *p, uint64_t offset, uint64_t size)
{
	return offset <= p->size && size <= p->size - offset;
}

/* A section whose bytes are read one after another. */
struct reader {
	const uint8_t *at, *end;
};

static bool open_feature(const struct pmk_perfdata *p, enum feature f, struct reader *r)
{
	const struct section *s = &p->feature[f];

	if (!s->size)
		return false;
	*r = (struct reader){ p->bytes + s->offset, p->bytes + s->offset + s->size };
	return true;
}

static bool next_u32(struct reader *r, uint32_t *v)
{
	if (r->end - r->at < 4)
		return false;
	*v = read_u32(r->at);
	r->at += 4;
	return true;
}

/* Read a text, which is stored as its size and bytes, with a NUL among them. Returns a copy; NULL
 * if there is none. */
static char *next_text(struct reader *r)
{
	const char *text;
	uint32_t n;

	if (!next_u32(r, &n) || n > (size_t)(r->end - r->at))
		return NULL;
	text = (const char *)r->at;
	r->at += n;
	return strndup(text, n);
}

/* ---- features ------------------------------------------------------------------------------- */

/* Find the table of features after the records. Sections outside of the file are ignored. */
static void find_features(struct pmk_perfdata *p)
{
	uint64_t at = p->data.offset + p->data.size;

	for (unsigned f = 0; f < NFEATURES; f++) {
		struct section s;

		if (!(read_u64(p->bytes + 72 + f / 64 * 8) >> f % 64 & 1))
			continue;
		if (p->cut || !is_there(p, at, 16)) {
			p->cut = true;
			return;
		}
		s = (struct section){ read_u64(p->bytes + at), read_u64(p->bytes + at + 8) };
		if (is_there(p, s.offset, s.size))
			p->feature[f] = s;
		else
			p->cut = true;
		at += 16;
	}
}

static char *text_of(const struct pmk_perfdata *p, enum feature f)
{
	struct reader r;

	return open_feature(p, f, &r) ? next_text(&r) : NULL;
}

static char *command_of(const struct pmk_perfdata *p)
{
	char *text = NULL, *word;
	struct reader r;
	uint32_t n = 0;
	size_t size;
	FILE *f;

	if (!open_feature(p, FEATURE_CMDLINE, &r) || !next_u32(&r, &n))
		return NULL;
	f = open_memstream(&text, &size);
	for (uint32_t i = 0; f && i < n && (word = next_text(&r)); i++) {
		fprintf(f, "%s%s", i ? " " : "", word);
		free(word);
	}
	if (f)
		fclose(f);
	return text;
}

/* True if the file was recorded under the running kernel. */
static bool is_from_here(const struct pmk_perfdata *p)
{
	char *release = text_of(p, FEATURE_OSRELEASE);
	struct utsname u;
	bool is = release && !uname(&u) && !strcmp(release, u.release);

	free(release);
	return is;
}

static char *producer_of(const struct pmk_perfdata *p)
{
	char *version = text_of(p, FEATURE_VERSION), *kernel = text_of(p, FEATURE_OSRELEASE);
	char *text;

	if (asprintf(&text, "perf%s%s%s%s", version ? " " : "", version ? version : "",
		     kernel ? ", Linux " : "", kernel ? kernel : "") < 0)
		text = NULL;
	free(version);
	free(kernel);
	return text;
}

static char *isa_of(const struct pmk_perfdata *p)
{
	char *arch = text_of(p, FEATURE_ARCH);

	if (arch && !strcmp(arch, "aarch64"))
		strcpy(arch, "a64");
	else if (arch && !strncmp(arch, "arm", 3))
		arch[3] = '\0';
	return arch;
}

/* Read the names of events, in the order of the attributes. The data after each name is skipped. */
static void read_names(struct pmk_perfdata *p)
{
	uint32_t n, attr_size, ids;
	struct reader r;

	if (!open_feature(p, FEATURE_EVENT_DESC, &r) || !next_u32(&r, &n) ||
	    !next_u32(&r, &attr_size))
		return;
	for (uint32_t i = 0; i < n && i < p->layout.nevents; i++) {
		if (attr_size > (size_t)(r.end - r.at))
			return;
		r.at += attr_size;
		if (!next_u32(&r, &ids))
			return;
		p->name[i] = next_text(&r);
		if (!p->name[i] || ids > (size_t)(r.end - r.at) / 8)
			return;
		r.at += (size_t)ids * 8;
	}
}

static void read_build_ids(struct pmk_perfdata *p, struct pmk_spaces *spaces)
{
	struct perf_event_header h;
	struct reader r;

	if (!open_feature(p, FEATURE_BUILD_ID, &r))
		return;
	/* Number of the process, 24 bytes for the id and its size, the path. */
	for (; (size_t)(r.end - r.at) > sizeof(h) + 28; r.at += h.size) {
		const char *path = (const char *)r.at + sizeof(h) + 28;
		const uint8_t *id = r.at + sizeof(h) + 4;
		size_t n;

		memcpy(&h, r.at, sizeof(h));
		if (h.size <= sizeof(h) + 28 || h.size > (size_t)(r.end - r.at) ||
		    !memchr(path, '\0', h.size - sizeof(h) - 28))
			return;
		n = h.misc & MISC_BUILD_ID_SIZE && id[20] <= 20 ? id[20] : 20;
		if (!strncmp(path, "[kernel", 7))
			path = PMK_RECORDED_KERNEL_PATH;
		pmk_spaces_object(spaces, path, id, n);
	}
}

/* ---- events --------------------------------------------------------------------------------- */

/* Make a name for an event of a file that has lost its names. */
static char *name_by_number(const struct perf_event_attr *attr)
{
	static const char *const hardware[] = { "cycles",	"instructions", "cache-references",
						"cache-misses", "branches",	"branch-misses",
						"bus-cycles" };
	static const char *const software[] = { "cpu-clock", "task-clock", "page-faults",
						"context-switches", "cpu-migrations" };
	char *text;

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof(hardware) / sizeof(*hardware))
		return strdup(hardware[attr->config]);
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof(software) / sizeof(*software))
		return strdup(software[attr->config]);
	return asprintf(&text, "event-%u-0x%" PRIx64, attr->type, (uint64_t)attr->config) < 0
		       ? NULL
		       : text;
}

static bool read_ids(struct pmk_perfdata *p, size_t event, const struct section *ids)
{
	if (!is_there(p, ids->offset, ids->size))
		return true; /* without these ids, samples that need them are counted as damaged */
	for (uint64_t i = 0; i + 8 <= ids->size; i += 8)
		if (pmk_map_put(&p->layout.ids, read_u64(p->bytes + ids->offset + i),
				(uint32_t)event) == UINT32_MAX)
			return false;
	return true;
}

static struct perf_event_attr attr_at(const struct pmk_perfdata *p, uint64_t offset, uint64_t size)
{
	struct perf_event_attr attr = { 0 };

	memcpy(&attr, p->bytes + offset, size < sizeof(attr) ? size : sizeof(attr));
	return attr;
}

static int read_events(struct pmk_perfdata *p, char *msg, size_t size)
{
	uint64_t each = read_u64(p->bytes + 16), offset = read_u64(p->bytes + 24),
		 all = read_u64(p->bytes + 32);
	uint64_t n = each ? all / each : 0;

	if (!is_there(p, offset, all))
		return bad_file(
			msg, size,
			"truncated: the attributes of its events are incomplete; record it again");
	if (each < MIN_ATTR + 16 || !n || n > MAX_EVENTS)
		return bad_file(msg, size,
				"damaged: the attributes of its events are "
				"inconsistent");
	p->layout.event = calloc(n, sizeof(*p->layout.event));
	p->event = calloc(n, sizeof(*p->event));
	p->name = calloc(n, sizeof(*p->name));
	if (!p->layout.event || !p->event || !p->name)
		return pmk_message_no_memory(msg, size, NULL);
	p->layout.nevents = n;
	read_names(p);
	for (size_t i = 0; i < n; i++, offset += each) {
		struct perf_event_attr attr = attr_at(p, offset, each - 16);
		struct section ids = { read_u64(p->bytes + offset + each - 16),
				       read_u64(p->bytes + offset + each - 8) };

		p->layout.event[i] = (struct pmk_perf_event){
			.sample_type = attr.sample_type,
			.read_format = attr.read_format,
			.period = attr.sample_period,
			.id_all = attr.sample_id_all,
		};
		p->rec.contexts |= (attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
		if (!p->name[i])
			p->name[i] = name_by_number(&attr);
		/* perf adds an event that counts nothing, only to get records other than
		 * samples. */
		if (attr.type != PERF_TYPE_SOFTWARE || attr.config != PERF_COUNT_SW_DUMMY)
			p->event[i].name = p->name[i];
		p->event[i].pmu = attr.type == PERF_TYPE_SOFTWARE   ? "software"
				  : attr.type == PERF_TYPE_HARDWARE ? "hardware"
								    : NULL;
		if (!p->name[i] || !read_ids(p, i, &ids) ||
		    (!p->settings &&
		     asprintf(&p->settings, "%s=%" PRIu64, attr.freq ? "frequency" : "period",
			      (uint64_t)attr.sample_period) < 0))
			return pmk_message_no_memory(msg, size, NULL);
	}
	return 0;
}

/* ---- records -------------------------------------------------------------------------------- */

/* Returns the number of bytes of other data that follow a record. */
static uint64_t appended_bytes(const uint8_t *at, const struct perf_event_header *h)
{
	return h->type == AUXTRACE && h->size >= sizeof(*h) + 8 ? read_u64(at + sizeof(*h)) : 0;
}

static int read_records(struct pmk_perfdata *p, char *msg, size_t size)
{
	const uint8_t *at = p->bytes + p->data.offset, *end = at + p->data.size;
	struct perf_event_header h;
	int err = 0;

	for (; !err && end - at >= (ptrdiff_t)sizeof(h); at += h.size) {
		struct pmk_perf_record r;
		uint64_t more;

		memcpy(&h, at, sizeof(h));
		if (h.size < sizeof(h))
			return bad_file(msg, size,
					"damaged: a record has no size; record it "
					"again");
		more = h.size <= end - at ? appended_bytes(at, &h) : 0;
		if (h.size > end - at || more > (uint64_t)(end - at - h.size)) {
			p->cut = true;
			return 0;
		}
		pmk_perf_decode(&p->layout, at, h.size, &r);
		if (r.kind == PMK_PERF_COMPRESSED)
			return bad_file(msg, size,
					"its records are compressed, which pmk does not read; "
					"record without -z (--compression-level)");
		err = r.kind == PMK_PERF_ROUND ? pmk_samples_round(p->samples)
					       : pmk_samples_put(p->samples, at, h.size, false);
		at += more;
	}
	if (at < end)
		p->cut = true;
	return err ? pmk_message_no_memory(msg, size, NULL) : 0;
}

/* ---- the file ------------------------------------------------------------------------------- */

static int check_head(const struct pmk_perfdata *p, char *msg, size_t size)
{
	if (p->size >= 8 && !memcmp(p->bytes, MAGIC_SWAPPED, 8))
		return bad_file(msg, size,
				"a file of perf from a machine with the other byte order, "
				"which pmk does not read");
	if (p->size >= 8 && !memcmp(p->bytes, MAGIC_OLD, 8))
		return bad_file(msg, size,
				"a file of perf before Linux 3.0, which pmk does not read");
	if (p->size >= 16 && read_u64(p->bytes + 8) == PIPE_SIZE)
		return bad_file(
			msg, size,
			"a stream of perf (perf record -o -), which pmk does not read; let perf "
			"record into a file (-o FILE)");
	if (p->size < HEAD_SIZE)
		return bad_file(msg, size, "truncated: its header is incomplete; record it again");
	if (read_u64(p->bytes + 8) < HEAD_SIZE)
		return bad_file(msg, size,
				"damaged: its header has a size that pmk does not "
				"know");
	return 0;
}

/* Find the records. If perf was killed, it has not written their size. */
static int find_data(struct pmk_perfdata *p, char *msg, size_t size)
{
	p->data = (struct section){ read_u64(p->bytes + 40), read_u64(p->bytes + 48) };
	if (p->data.offset > p->size)
		return bad_file(msg, size, "truncated: its records are missing; record it again");
	if (p->data.size && is_there(p, p->data.offset, p->data.size))
		return 0;
	p->cut = true;
	p->data.size = p->size - p->data.offset;
	return 0;
}

/* Make the warnings for the reader, in addition to `text`, which is freed. */
static char *warning_of(const struct pmk_perfdata *p, char *text)
{
	static const char cut[] = "the file is truncated: its last records are missing";
	char *both;

	if (!text || !p->cut)
		return text;
	if (asprintf(&both, "%s%s%s", text, *text ? "\n" : "", cut) < 0)
		both = NULL;
	free(text);
	return both;
}

static int fill_buffer(struct pmk_perfdata *p, char *msg, size_t size)
{
	struct pmk_samples_facts facts;

	if (pmk_samples_finish(p->samples, &p->rec, &facts))
		return pmk_message_no_memory(msg, size, NULL);
	p->warning = warning_of(p, pmk_samples_warning(&facts));
	p->command = command_of(p);
	p->producer = producer_of(p);
	p->isa = isa_of(p);
	if (!p->warning || !p->producer)
		return pmk_message_no_memory(msg, size, NULL);
	p->rec.command = p->command ? p->command : "(not known)";
	p->rec.producer = p->producer;
	p->rec.settings = p->settings;
	p->rec.isa = p->isa;
	p->rec.warning = *p->warning ? p->warning : NULL;
	p->rec.partial = p->cut;
	return 0;
}

static int parse_file(struct pmk_perfdata *p, char *msg, size_t size)
{
	int err = check_head(p, msg, size);

	if (!err)
		err = find_data(p, msg, size);
	if (err)
		return err;
	find_features(p);
	err = read_events(p, msg, size);
	if (err)
		return err;
	p->samples = pmk_samples_new(&p->layout, p->event, p->rec.contexts);
	if (!p->samples)
		return pmk_message_no_memory(msg, size, NULL);
	read_build_ids(p, pmk_samples_spaces(p->samples));
	if (!is_from_here(p))
		pmk_samples_other_kernel(p->samples);
	err = read_records(p, msg, size);
	return err ? err : fill_buffer(p, msg, size);
}

int pmk_perfdata_parse(struct pmk_perfdata **out, const uint8_t *bytes, size_t n, char *msg,
		       size_t size)
{
	struct pmk_perfdata *p = calloc(1, sizeof(*p));
	int err;

	*out = NULL;
	if (!p)
		return pmk_message_no_memory(msg, size, NULL);
	p->bytes = bytes;
	p->size = n;
	err = parse_file(p, msg, size);
	if (err)
		pmk_perfdata_free(p);
	else
		*out = p;
	return err;
}

int pmk_perfdata_read(struct pmk_perfdata **out, const char *path, char *msg, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	uint8_t *bytes = MAP_FAILED;
	struct stat st;

	*out = NULL;
	if (fd >= 0 && !fstat(fd, &st) && st.st_size)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		err = pmk_message_fail(msg, size, PMK_EIO, "cannot be read: %s", strerror(errno));
	} else {
		err = pmk_perfdata_parse(out, bytes, (size_t)st.st_size, msg, size);
		if (err)
			munmap(bytes, (size_t)st.st_size);
		else
			(*out)->mapped = bytes;
	}
	if (fd >= 0)
		close(fd);
	return err;
}

void pmk_perfdata_free(struct pmk_perfdata *p)
{
	if (!p)
		return;
	pmk_samples_free(p->samples);
	for (size_t i = 0; p->name && i < p->layout.nevents; i++)
		free(p->name[i]);
	free(p->name);
	free(p->event);
	free(p->layout.event);
	pmk_map_free(&p->layout.ids);
	free(p->command);
	free(p->producer);
	free(p->settings);
	free(p->isa);
	free(p->warning);
	if (p->mapped)
		munmap(p->mapped, p->size);
	free(p);
}

const struct pmk_recording *pmk_perfdata_recording(const struct pmk_perfdata *p)
{
	return &p->rec;
}

bool pmk_perfdata_begins(const uint8_t *bytes, size_t size)
{
	return size >= 8 && (!memcmp(bytes, MAGIC, 8) || !memcmp(bytes, MAGIC_SWAPPED, 8) ||
			     !memcmp(bytes, MAGIC_OLD, 8));
}

bool pmk_perfdata_is(const char *path)
{
	struct stat st;
	uint8_t head[8];
	FILE *f = stat(path, &st) || !S_ISREG(st.st_mode) ? NULL : fopen(path, "re");
	bool is = f && fread(head, sizeof(head), 1, f) == 1 &&
		  pmk_perfdata_begins(head, sizeof(head));

	if (f)
		fclose(f);
	return is;
}
