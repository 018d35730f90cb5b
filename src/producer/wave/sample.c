// SPDX-License-Identifier: MIT
/*
 * The edges of the clock.
 *
 * A VCD lists the changes of one time in any order, so they are collected until the next time. The
 * change of the clock from one time to the next is one step. If the step is an active edge, the
 * sink gets the values before the step (PMK_WAVE_BEFORE) or after it.
 *
 * An edge is a step between 0 and 1. x and z of the clock are ignored: 0 x 1 is one rising edge, 1
 * x 1 is none. The first known level is not an edge, and neither is the first known level after
 * $dumpoff.
 */
#define _GNU_SOURCE
#include <time.h>

#include "producer/wave/wave.h"

#define TICK_NS 100000000 /* nanoseconds between two calls of `progress` */

struct sampler {
	struct pmk_wave *w;
	const struct pmk_wave_sink *sink;
	struct pmk_wave_findings *findings;
	bool known, level; /* state of the clock */
	bool gap;
	uint64_t usual; /* period of the clock; 0: not known */
	/* confidence in `usual`: how many recent periods agreed, minus those that did not */
	unsigned trust;
	struct timespec told;
};

const char *pmk_wave_oddity_text(unsigned oddity)
{
	static const char *const texts[] = {
#define X(name, text) [PMK_WAVE_##name] = text,
		PMK_WAVE_ODDITIES(X)
#undef X
	};

	return oddity < PMK_WAVE_NODDITIES ? texts[oddity] : NULL;
}

static void clock_warn(struct sampler *s, enum pmk_wave_oddity what, const char *signal,
		       uint64_t time)
{
	struct pmk_wave_warning *w = &s->findings->warning[what];

	if (!w->count++) {
		w->time = time;
		w->signal = signal;
	}
}

/* True if the change of the clock at `time` is an active edge. */
static bool clock_step(struct sampler *s, uint64_t time)
{
	struct wave_cells *c = &s->w->dump.cells;
	struct pmk_wave_value now = c->now[s->w->clock];
	const struct pmk_wave_map *map = s->w->map;
	uint64_t changes = wave_clock_changes(c);
	bool level = now.bits & 1, edge;

	if (!changes)
		return false;
	if (s->known && changes > 1)
		clock_warn(s, PMK_WAVE_GLITCH, map->clock, time);
	if (now.x) {
		if (s->known)
			clock_warn(s, PMK_WAVE_CLOCK_X, map->clock, time);
		return false;
	}
	edge = s->known && level != s->level && level == !map->falling;
	s->known = true;
	s->level = level;
	return edge;
}

#define MOST_TRUST 16 /* this many other periods in a row always replace the usual one */

/*
 * Finds the usual period by a majority vote of recent periods. A single period of another length,
 * as when the clock is stopped for a while, does not change the usual period.
 */
static void vote_period(struct sampler *s, uint64_t period)
{
	uint64_t off = period > s->usual ? period - s->usual : s->usual - period;

	if (off <= s->usual / 8)
		s->trust += s->trust < MOST_TRUST;
	else if (s->trust > 1)
		s->trust--;
	else {
		s->usual = period;
		s->trust = 1;
	}
}

/* Watches the distances between edges: a distance that is much shorter than usual may be due to a
 * glitch. */
static void watch_period(struct sampler *s, uint64_t time)
{
	struct pmk_wave_findings *r = s->findings;

	if (!r->edges) {
		r->first = time;
	} else if (!s->gap) {
		uint64_t period = time - r->last;

		if (period < s->usual / 2 + s->usual % 2)
			clock_warn(s, PMK_WAVE_SHORT, s->w->map->clock, time);
		vote_period(s, period);
	}
	r->last = time;
}

static bool in_reset(struct sampler *s, uint64_t time)
{
	const struct pmk_wave_map *map = s->w->map;
	struct pmk_wave_value v;

	if (s->w->reset == WAVE_NO_CELL)
		return false;
	v = s->w->dump.cells.before[s->w->reset];
	if (v.x) {
		clock_warn(s, PMK_WAVE_RESET_X, map->reset, time);
		return true;
	}
	return (v.bits & 1) == !map->reset_low;
}

/* Handles a time at which all changes are known: passes the clock's edge, if there is one, to the
 * sink. */
static int settle_time(void *ctx, uint64_t time)
{
	struct sampler *s = ctx;
	struct wave_cells *c = &s->w->dump.cells;
	struct pmk_wave_edge edge;

	if (!clock_step(s, time))
		return 0;
	if (s->w->map->sample == PMK_WAVE_AFTER)
		wave_cells_commit(c);
	watch_period(s, time);
	edge = (struct pmk_wave_edge){ .time = time,
				       .number = s->findings->edges++,
				       .reset = in_reset(s, time),
				       .gap = s->gap,
				       .value = c->before };
	s->gap = false;
	if (s->sink->edge(s->sink->ctx, &edge))
		s->findings->stopped = true;
	return s->findings->stopped;
}

static void dump_off(void *ctx, uint64_t time)
{
	struct sampler *s = ctx;

	clock_warn(s, PMK_WAVE_DUMP_OFF, s->w->map->clock, time);
	s->known = false;
	s->gap = true;
}

static int report_progress(void *ctx)
{
	struct sampler *s = ctx;
	const struct wave_dump *v = &s->w->dump;
	struct pmk_wave_progress p = { .size = v->source.size,
				       .time = v->time,
				       .edges = s->findings->edges };
	struct timespec now;

	if (!s->sink->progress)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_sec - s->told.tv_sec) * 1000000000LL + now.tv_nsec - s->told.tv_nsec < TICK_NS)
		return 0;
	s->told = now;
	p.bytes = v->source.taken;
	if (s->sink->progress(s->sink->ctx, &p))
		s->findings->stopped = true;
	return s->findings->stopped;
}

/* Reports an error: the dump has no edge of the clock at all. */
static int no_edge(struct sampler *s)
{
	const struct wave_dump *v = &s->w->dump;
	const struct pmk_wave_map *map = s->w->map;
	char begin[80], end[80];

	pmk_wave_dump_time_text(v, v->begin, begin, sizeof(begin));
	pmk_wave_dump_time_text(v, v->time, end, sizeof(end));
	if (!v->timed)
		return pmk_wave_fail(&s->findings->error, PMK_ENOTSUP,
				     "%s: the dump has a header but no changes, so there is "
				     "nothing to count",
				     s->w->path);
	return pmk_wave_fail(&s->findings->error, PMK_ENOTSUP,
			     "%s:%u: the clock '%.100s' has no %s edge between time %s and %s",
			     map->file, map->clock_line, map->clock,
			     map->falling ? "falling" : "rising", begin, end);
}

int pmk_wave_run(struct pmk_wave *w, const struct pmk_wave_sink *sink,
		 struct pmk_wave_findings *findings)
{
	struct sampler s = { .w = w, .sink = sink, .findings = findings };
	const struct wave_clockwork clockwork = {
		.settle = settle_time, .off = dump_off, .progress = report_progress, .ctx = &s
	};
	int err;

	*findings = (struct pmk_wave_findings){ .edges = 0 };
	if (!w->map || w->ran)
		return pmk_wave_fail(&findings->error, PMK_EINVAL, "%s: %s", w->path,
				     w->ran ? "this dump was already read; open it again"
					    : "no map is bound; call pmk_wave_bind() first");
	w->ran = true;
	clock_gettime(CLOCK_MONOTONIC, &s.told);
	err = pmk_wave_dump_run(&w->dump, &clockwork);
	findings->begin = w->dump.begin;
	findings->end = w->dump.time;
	pmk_wave_dump_place(&w->dump, &findings->bytes, &findings->lines);
	findings->lines -= findings->lines != 0; /* lines before the current one */
	findings->error = w->dump.error;
	if (findings->stopped || (err && findings->edges))
		return PMK_WAVE_PARTIAL;
	if (err)
		return err;
	return findings->edges ? 0 : no_edge(&s);
}
