/* SPDX-License-Identifier: MIT */
/*
 * For the tests of waveform dumps: runs a dump and a map that are given as text, and returns all
 * edges. The dump comes from a file, or through a pipe in pieces of any size. Both must give the
 * same edges.
 */
#ifndef TESTS_WAVE_DUMP_H
#define TESTS_WAVE_DUMP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/wave.h>

#define MAX_EDGES 64
#define MAX_SLOTS 8

/* One clock edge, as pmk_wave_run() passed it to take_edge(). */
struct seen {
	uint64_t time;
	int reset, gap;
	struct pmk_wave_value value[MAX_SLOTS];
};

struct outcome {
	int opened, bound, status;
	struct pmk_wave_error err; /* the error of pmk_wave_open() or pmk_wave_bind() */
	struct pmk_wave_findings findings;
	struct seen edge[MAX_EDGES];
	unsigned nedges, nslots;
	uint64_t stop_after; /* number of edges; 0: never */
	char first_time[80]; /* findings.first as text */
};

static inline void write_file(char *path, const char *text, size_t n)
{
	int fd;

	strcpy(path, "/tmp/pmk-wave-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), (ssize_t)n);
	close(fd);
}

static inline int take_edge(void *ctx, const struct pmk_wave_edge *e)
{
	struct outcome *o = ctx;
	struct seen *s = &o->edge[o->nedges < MAX_EDGES ? o->nedges : MAX_EDGES - 1];

	assert_int_equal(e->number, o->nedges);
	*s = (struct seen){ .time = e->time, .reset = e->reset, .gap = e->gap };
	memcpy(s->value, e->value, o->nslots * sizeof(s->value[0]));
	o->nedges++;
	return o->stop_after && o->nedges == o->stop_after;
}

/* Runs a dump of bytes, which may contain NULs. */
static inline void run_bytes(struct outcome *o, const char *dump, size_t n, const char *map_text)
{
	char dump_path[32], map_path[32];
	struct pmk_wave *w = NULL;
	struct pmk_wave_map map;
	uint64_t stop_after = o->stop_after;

	memset(o, 0, sizeof(*o));
	o->stop_after = stop_after;
	write_file(dump_path, dump, n);
	write_file(map_path, map_text, strlen(map_text));
	assert_int_equal(pmk_wave_map_load(&map, map_path, &o->err), 0);
	assert_true(map.nslots <= MAX_SLOTS);
	o->nslots = map.nslots;
	o->opened = pmk_wave_open(&w, dump_path, &o->err);
	if (!o->opened)
		o->bound = pmk_wave_bind(w, &map, &o->err);
	if (!o->opened && !o->bound) {
		o->status = pmk_wave_run(w, &(struct pmk_wave_sink){ .edge = take_edge, .ctx = o },
					 &o->findings);
		pmk_wave_time_text(w, o->findings.first, o->first_time, sizeof(o->first_time));
		/*
		 * The names of the signals point into the map, so they are checked before it is
		 * freed.
		 */
		for (unsigned i = 0; i < PMK_WAVE_NODDITIES; i++)
			if (o->findings.warning[i].count)
				assert_non_null(o->findings.warning[i].signal);
	}
	pmk_wave_close(w);
	pmk_wave_map_free(&map);
	unlink(dump_path);
	unlink(map_path);
}

static inline void run_dump(struct outcome *o, const char *dump, const char *map_text)
{
	run_bytes(o, dump, strlen(dump), map_text);
}

#endif
