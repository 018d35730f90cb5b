// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a dump of random bytes, VCD or FST, gives edges in the order of time, and a result
 * code that fits their number. An error is one line. The same VCD through a pipe, in pieces, gives
 * the same edges and the same error. The map is fixed, or pmk guesses it from the names of the
 * signals.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_vcd.c
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/ahbmon.h>

#include "producer/wave/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

/* The result of reading a dump once. */
struct outcome {
	int status;
	uint64_t edges, last, hash;
	struct pmk_wave_error error;
	struct pmk_bus monitor[PMK_AHBMON_NBUSES], core;
	struct pmk_wave_count count;
};

static int take_tick(void *ctx, const struct pmk_wave_edge *e)
{
	struct outcome *o = ctx;

	expect(e->number == o->edges);
	expect(!o->edges || e->time > o->last);
	o->edges++;
	o->last = e->time;
	for (unsigned i = 0; i < o->count.map->nslots; i++) {
		expect(!(e->value[i].bits & e->value[i].x));
		o->hash = o->hash * 31 + e->value[i].bits + 7 * e->value[i].x;
	}
	return 0;
}

static int take_violation(void *ctx, const struct pmk_wave_checked *bus,
			  const struct pmk_wave_edge *e, const struct pmk_violation *v)
{
	char text[256];

	(void)ctx;
	(void)e;
	expect(bus->violations > 0 && v->rule < bus->nrules && bus->broken[v->rule] > 0);
	expect(pmk_violation_text(v, &bus->rule[v->rule], bus->role_name(v->role), text,
				  sizeof(text)) < (int)sizeof(text));
	return 0;
}

static void check_error(const struct pmk_wave_error *e)
{
	expect(e->code < 0);
	expect(*e->text && !strchr(e->text, '\n'));
	for (const char *c = e->text; *c; c++)
		expect((unsigned char)*c >= ' ');
}

static const struct pmk_wave_map *the_map(void)
{
	static const char text[] = "[clock]\nsignal = tb.hclk\nreset = tb.hresetn\n[layer tb]\n"
				   "scope = tb\nhtrans = htrans\nhaddr = haddr\nhready = hready\n"
				   "[events]\nINSN = tb.up\nLOAD = tb.hwrite edge\n";
	static struct pmk_wave_map map;
	struct pmk_wave_error err;
	char path[] = "/tmp/pmk-fuzz-XXXXXX";
	int fd;

	if (map.text)
		return &map;
	fd = mkstemp(path);
	expect(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	expect(pmk_wave_map_load(&map, path, &err) == 0);
	unlink(path);
	return &map;
}

/*
 * Guesses a map. It can be loaded and bound, unless a name has characters that a map cannot
 * contain.
 */
static bool guess(const struct pmk_wave *w, struct pmk_wave_map *map)
{
	char path[] = "/tmp/pmk-fuzz-XXXXXX", *text;
	struct pmk_wave_error err;
	int fd, code = pmk_wave_guess(w, &text, &err);

	if (code) {
		check_error(&err);
		return false;
	}
	fd = mkstemp(path);
	expect(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	free(text);
	code = pmk_wave_map_load(map, path, &err);
	if (code)
		check_error(&err);
	unlink(path);
	return !code;
}

/* Reads a dump. With `each`, every layer has a bus of its own, and AXI interfaces are observed. */
static void read_dump(struct outcome *o, struct pmk_wave *w, const struct pmk_wave_map *map,
		      bool each)
{
	struct pmk_bus *buses = each ? calloc(map->nlayers + 1, sizeof(*buses)) : NULL;
	struct pmk_wave_findings findings;

	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&o->monitor[i]);
	pmk_bus_init(&o->core);
	o->count = (struct pmk_wave_count){ .map = map,
					    .monitor = each ? NULL : o->monitor,
					    .each = buses,
					    .core = &o->core,
					    .every = 1,
					    .tick = take_tick,
					    .violation = take_violation,
					    .ctx = o };
	o->status = pmk_wave_bind(w, map, &o->error);
	if (!o->status)
		o->status = pmk_wave_count_init(&o->count, w, &o->error);
	if (o->status) {
		check_error(&o->error);
		free(buses);
		return;
	}
	o->status = pmk_wave_count_run(&o->count, &findings);
	o->error = findings.error;
	expect(findings.edges == o->edges);
	expect((o->status == 0) == (o->error.code == 0));
	expect(o->status < 0 ? o->edges == 0 : o->edges > 0);
	if (o->status)
		check_error(&o->error);
	expect(pmk_wave_count_check(&o->count) == NULL);
	pmk_wave_count_free(&o->count);
	free(buses);
}

/* Opens the dump, lists its names, and reads it. */
static void read_path(struct outcome *o, const char *path, bool guessed)
{
	struct pmk_wave_map map = { .text = NULL };
	const struct pmk_wave_signal *list;
	struct pmk_wave *w;
	size_t n;

	memset(o, 0, sizeof(*o));
	o->status = pmk_wave_open(&w, path, &o->error);
	if (o->status) {
		check_error(&o->error);
		return;
	}
	list = pmk_wave_signals(w, &n);
	for (size_t i = 0; i < n; i++)
		expect(list[i].scope && *list[i].name);
	if (!guessed)
		read_dump(o, w, the_map(), false);
	else if (guess(w, &map))
		read_dump(o, w, &map, true);
	pmk_wave_close(w);
	pmk_wave_map_free(&map);
}

struct feeder {
	const uint8_t *data;
	size_t size;
	int fd;
};

/* Writes the dump in pieces of 1, 2, 3 … bytes. */
static void *feed(void *ctx)
{
	const struct feeder *f = ctx;
	size_t at = 0, piece = 1;

	while (at < f->size) {
		size_t n = f->size - at < piece ? f->size - at : piece;
		ssize_t wrote = write(f->fd, f->data + at, n);

		if (wrote <= 0)
			break;
		at += (size_t)wrote;
		piece++;
	}
	close(f->fd);
	return NULL;
}

static void read_pipe(struct outcome *o, const uint8_t *data, size_t size)
{
	struct feeder f = { .data = data, .size = size };
	char path[32];
	pthread_t thread;
	int ends[2];

	expect(pipe(ends) == 0);
	f.fd = ends[1];
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	expect(pthread_create(&thread, NULL, feed, &f) == 0);
	read_path(o, path, false);
	close(ends[0]);
	pthread_join(thread, NULL);
}

static bool is_compressed(const uint8_t *data, size_t size)
{
	return size > 1 && data[0] == 0x1f;
}

/* Returns true if the data may be an FST, which cannot be read from a pipe. */
static bool may_be_fst(const uint8_t *data, size_t size)
{
	return size > 1 && (data[0] == 0 || data[0] == 254);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct outcome file, pipe;
	char path[] = "/tmp/pmk-fuzz-XXXXXX";
	int fd;

	if (is_compressed(data, size)) /* zlib has its own fuzzers */
		return 0;
	signal(SIGPIPE, SIG_IGN);
	fd = mkstemp(path);
	if (fd < 0)
		return 0;
	expect(write(fd, data, size) == (ssize_t)size);
	close(fd);
	read_path(&file, path, true);
	read_path(&file, path, false);
	unlink(path);
	if (may_be_fst(data, size))
		return 0;
	read_pipe(&pipe, data, size);
	expect(pipe.status == file.status && pipe.edges == file.edges && pipe.hash == file.hash);
	expect(pipe.error.code == file.error.code && pipe.error.offset == file.error.offset &&
	       pipe.error.line == file.error.line);
	return 0;
}
