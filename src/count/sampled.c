// SPDX-License-Identifier: MIT
/* See sampled.h. */
#define _GNU_SOURCE
#include "count/sampled.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <pmk/error.h>

#include "base/number.h"
#include "base/print.h"
#include "profile/sampling/spaces.h"

#define FREQUENCY 4000 /* samples per second, as in perf */
#define MAX_RATE  "/proc/sys/kernel/perf_event_max_sample_rate"

struct pmk_sampled {
	struct pmk_linux_rings *rings;
	struct pmk_linux_rate rate;
	struct pmk_perf_layout layout;
	struct pmk_sampled_event *event;
	unsigned nevents, reading; /* `reading`: the event whose samples are being read */
	struct pmk_samples *samples;
	struct pmk_recording rec;
	char settings[64];
	char isa[sizeof(((struct utsname *)NULL)->machine)];
	bool ended;
};

/* ---- the rate ------------------------------------------------------------------------------- */

static uint64_t max_frequency(void)
{
	FILE *f = fopen(MAX_RATE, "re");
	uint64_t most = 0;

	if (f && fscanf(f, "%" SCNu64, &most) != 1)
		most = 0;
	if (f)
		fclose(f);
	return most ? most : UINT64_MAX;
}

static bool read_number(const char *text, uint64_t *n)
{
	return !pmk_number_parse(text, 10, 1, INT64_MAX, n);
}

static int read_frequency(struct pmk_count *c, const char *text, uint64_t *frequency)
{
	uint64_t most = max_frequency();

	if (!strcmp(text, "max")) {
		*frequency = most == UINT64_MAX ? FREQUENCY : most;
		return 0;
	}
	if (!read_number(text, frequency))
		return pmk_count_refuse(&c->fault,
					"`freq` %s: expected samples per second, 1 or more, or max",
					text);
	if (*frequency > most)
		return pmk_count_refuse(&c->fault,
					"`freq` %s: this machine allows %" PRIu64
					" samples per second (" MAX_RATE ")",
					text, most);
	return 0;
}

static int choose_rate(struct pmk_count *c, struct pmk_linux_rate *rate)
{
	const struct pmk_request *q = &c->q;
	uint64_t most;

	*rate = (struct pmk_linux_rate){ .chains = q->record.what == PMK_REQUEST_PATHS };
	if (q->record.frequency && q->record.period)
		return pmk_count_refuse(&c->fault, "`freq` and `count` exclude each other");
	if (q->record.frequency)
		return read_frequency(c, q->record.frequency, &rate->frequency);
	if (q->record.period && !read_number(q->record.period, &rate->period))
		return pmk_count_refuse(
			&c->fault, "`count` %s: expected a number of events per sample, 1 or more",
			q->record.period);
	most = max_frequency();
	if (!q->record.period)
		rate->frequency = FREQUENCY < most ? FREQUENCY : most;
	return 0;
}

/* ---- opening -------------------------------------------------------------------------------- */

int pmk_sampled_open(struct pmk_sampled **out, struct pmk_count *c,
		     const struct pmk_linux_facts *facts, const struct pmk_linux_ask *asks,
		     unsigned nasks, const struct pmk_linux_scope *scope)
{
	struct pmk_sampled *s = calloc(1, sizeof(*s));
	char msg[256];
	int err;

	*out = s;
	if (!s)
		return pmk_count_no_memory(&c->fault);
	s->nevents = nasks;
	err = choose_rate(c, &s->rate);
	if (err)
		return err;
	s->layout.event = calloc(nasks + 1, sizeof(*s->layout.event));
	s->event = calloc(nasks + 1, sizeof(*s->event));
	if (!s->layout.event || !s->event)
		return pmk_count_no_memory(&c->fault);
	err = pmk_linux_rings_open(&s->rings, &pmk_linux_kernel, facts, asks, nasks, scope,
				   &s->rate, msg, sizeof(msg));
	if (err == PMK_ENOMEM)
		return pmk_count_no_memory(&c->fault);
	return err ? pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s", msg) : 0;
}

void pmk_sampled_free(struct pmk_sampled *s)
{
	if (!s)
		return;
	pmk_linux_rings_close(s->rings);
	pmk_samples_free(s->samples);
	pmk_map_free(&s->layout.ids);
	free(s->layout.event);
	free(s->event);
	free(s);
}

const struct pmk_linux_rings *pmk_sampled_rings(const struct pmk_sampled *s)
{
	return s->rings;
}

static int on_id(void *ctx, uint64_t id)
{
	struct pmk_sampled *s = ctx;

	return pmk_map_put(&s->layout.ids, id, s->reading) == UINT32_MAX;
}

int pmk_sampled_name(struct pmk_sampled *s, struct pmk_count *c,
		     const struct pmk_sampled_event *event)
{
	for (unsigned i = 0; i < s->nevents; i++) {
		s->layout.event[i] = (struct pmk_perf_event){
			.sample_type = pmk_linux_sample_type(&s->rate),
			.id_all = true,
		};
		s->event[i] = event[i];
		s->reading = i;
		if (!event[i].reason && pmk_linux_rings_ids(s->rings, i, on_id, s))
			return pmk_count_no_memory(&c->fault);
	}
	s->layout.nevents = s->nevents;
	s->samples = pmk_samples_new(&s->layout, s->event, s->rate.chains);
	return s->samples ? 0 : pmk_count_no_memory(&c->fault);
}

/* ---- running processes ---------------------------------------------------------------------- */

static FILE *open_proc(int pid, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

/* Read the executable mappings of a process. Lines of /proc/PID/maps have the form "start-last perm
 * offset device inode   path". */
static int read_maps(struct pmk_sampled *s, int pid)
{
	struct pmk_spaces *spaces = pmk_samples_spaces(s->samples);
	FILE *f = open_proc(pid, "maps");
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (f && !err && getline(&line, &size, f) > 0) {
		uint64_t start, end, offset;
		uint32_t object;
		char mode[5];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end,
			   mode, &offset, &at) != 4 ||
		    !at || mode[2] != 'x')
			continue;
		object = pmk_spaces_object(spaces, line + at, NULL, 0);
		err = object == UINT32_MAX ||
		      pmk_spaces_map(spaces, (uint32_t)pid, start, end - start, offset, object);
	}
	free(line);
	if (f)
		fclose(f);
	return err;
}

/* Read the name of a thread. A process that has ended has none. */
static int read_name(struct pmk_sampled *s, int pid, int tid)
{
	char path[64], name[32];
	FILE *f;
	int err = 0;

	snprintf(path, sizeof(path), "task/%d/comm", tid);
	f = open_proc(pid, path);
	if (f && fgets(name, sizeof(name), f)) {
		name[strcspn(name, "\n")] = '\0';
		err = pmk_samples_name(s->samples, (uint32_t)pid, (uint32_t)tid, name);
	}
	if (f)
		fclose(f);
	return err;
}

static int read_process(struct pmk_sampled *s, int pid)
{
	int *tids = NULL, err = read_maps(s, pid);
	unsigned ntids = 0;

	if (!err && pmk_linux_threads(&pmk_linux_kernel, pid, &tids, &ntids) == PMK_ENOMEM)
		err = PMK_ENOMEM;
	for (unsigned i = 0; !err && i < ntids; i++)
		err = read_name(s, pid, tids[i]);
	free(tids);
	return err;
}

int pmk_sampled_attach(struct pmk_sampled *s, struct pmk_count *c, const int *processes,
		       unsigned nprocesses, bool everything)
{
	DIR *d = everything ? opendir("/proc") : NULL;
	struct dirent *e;
	int err = 0;

	for (unsigned i = 0; !err && i < nprocesses; i++)
		err = read_process(s, processes[i]);
	if (everything && !err)
		err = pmk_samples_name(s->samples, 0, 0, "swapper");
	while (d && !err && (e = readdir(d)))
		if (isdigit((unsigned char)*e->d_name))
			err = read_process(s, atoi(e->d_name));
	if (d)
		closedir(d);
	return err ? pmk_count_no_memory(&c->fault) : 0;
}

/* ---- sampling ------------------------------------------------------------------------------- */

void pmk_sampled_enable(struct pmk_sampled *s)
{
	pmk_linux_counters_enable(pmk_linux_rings_events(s->rings));
}

static int on_record(void *ctx, const uint8_t *bytes, size_t size)
{
	struct pmk_sampled *s = ctx;

	return pmk_samples_put(s->samples, bytes, size, true);
}

int pmk_sampled_take(struct pmk_sampled *s, struct pmk_count *c)
{
	if (pmk_linux_rings_drain(s->rings, on_record, s) || pmk_samples_round(s->samples))
		return pmk_count_no_memory(&c->fault);
	return 0;
}

/* Set the disassembler's name of this machine's instruction set. */
static void read_isa(struct pmk_sampled *s)
{
	struct utsname u;

	if (uname(&u))
		return;
	snprintf(s->isa, sizeof(s->isa), "%s",
		 !strcmp(u.machine, "aarch64")	 ? "a64"
		 : !strncmp(u.machine, "arm", 3) ? "arm"
						 : u.machine);
	s->rec.isa = s->isa;
}

int pmk_sampled_end(struct pmk_sampled *s, struct pmk_count *c)
{
	struct pmk_samples_facts facts;
	const char *rest;
	char *warning;
	int err;

	pmk_linux_counters_disable(pmk_linux_rings_events(s->rings));
	err = pmk_sampled_take(s, c);
	if (err)
		return err;
	if (pmk_samples_finish(s->samples, &s->rec, &facts))
		return pmk_count_no_memory(&c->fault);
	warning = pmk_samples_warning(&facts);
	if (!warning)
		return pmk_count_no_memory(&c->fault);
	rest = warning;
	for (char *line; (line = pmk_print_line(&rest)); free(line))
		pmk_count_warn(c, "%s", line);
	free(warning);
	snprintf(s->settings, sizeof(s->settings), "%s=%" PRIu64,
		 s->rate.period ? "period" : "frequency",
		 s->rate.period ? s->rate.period : s->rate.frequency);
	read_isa(s);
	s->ended = true;
	return 0;
}

uint64_t pmk_sampled_total(const struct pmk_sampled *s, unsigned i)
{
	size_t row = 0;

	/* A sampled event has two rows, the sum of its periods and the number of samples. Other
	 * events have one. */
	for (unsigned k = 0; k < i; k++)
		row += s->event[k].reason ? 1 : 2;
	return s->ended ? s->rec.event[row].total : 0;
}

const struct pmk_recording *pmk_sampled_recording(struct pmk_sampled *s, const struct pmk_count *c)
{
	if (!s || !s->ended)
		return NULL;
	s->rec.command = c->result.command;
	s->rec.producer = c->result.producer;
	s->rec.settings = s->settings;
	s->rec.warning = c->result.warning;
	s->rec.partial = c->result.partial;
	return &s->rec;
}
