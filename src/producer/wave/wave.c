// SPDX-License-Identifier: MIT
/* A dump and the map that is bound to it. */
#define _GNU_SOURCE
#include "producer/wave/wave.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahb.h>
#include <pmk/axi.h>

#include "base/number.h"

int pmk_wave_open(struct pmk_wave **out, const char *path, struct pmk_wave_error *err)
{
	struct pmk_wave *w = calloc(1, sizeof(*w));
	int code;

	*out = NULL;
	if (!w || !(w->path = strdup(path))) {
		free(w);
		return pmk_wave_no_memory(err, path);
	}
	code = pmk_wave_dump_open(&w->dump, w->path, err);
	if (code)
		pmk_wave_close(w);
	else
		*out = w;
	return code;
}

void pmk_wave_close(struct pmk_wave *w)
{
	if (!w)
		return;
	pmk_wave_dump_close(&w->dump);
	free(w->width);
	free(w->path);
	free(w);
}

const struct pmk_wave_signal *pmk_wave_signals(const struct pmk_wave *w, size_t *count)
{
	*count = w->dump.nsignals;
	return w->dump.signal;
}

const char *pmk_wave_format(const struct pmk_wave *w)
{
	return w->dump.source.format;
}

void pmk_wave_time_text(const struct pmk_wave *w, uint64_t time, char *buf, size_t size)
{
	pmk_wave_dump_time_text(&w->dump, time, buf, size);
}

double pmk_wave_seconds(const struct pmk_wave *w, uint64_t time)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "s", 1 },     { "ms", 1e-3 },  { "us", 1e-6 },
		      { "ns", 1e-9 }, { "ps", 1e-12 }, { "fs", 1e-15 } };

	for (size_t i = 0; w->dump.unit && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(w->dump.unit, units[i].name))
			return (double)time * w->dump.scale * units[i].seconds;
	return 0;
}

/* ---- binding -------------------------------------------------------------------------------- */

struct wave_widths pmk_wave_widths(enum pmk_wave_part part, unsigned role)
{
	static const struct wave_widths layer[] = {
		[PMK_AHB_HTRANS] = { 2, 2 }, [PMK_AHB_HADDR] = { 1, 64 },
		[PMK_AHB_HWRITE] = { 1, 1 }, [PMK_AHB_HSIZE] = { 1, 3 },
		[PMK_AHB_HBURST] = { 3, 3 }, [PMK_AHB_HPROT] = { 1, 7 },
		[PMK_AHB_HREADY] = { 1, 1 }, [PMK_AHB_HRESP] = { 1, 2 },
		[PMK_WAVE_CAUSE] = { 1, 2 },
	};
	static const struct wave_widths gxi[WAVE_NGXI] = {
		[PMK_WAVE_GXI_ADDRESS] = { 2, 2 },
		[PMK_WAVE_GXI_DATA] = { 2, 2 },
		[PMK_WAVE_GXI_ADDR] = { 1, 64 },
		[PMK_WAVE_GXI_IS_WRITE] = { 1, 1 },
	};
	/* The largest width of each role; a role that is not in the list has one bit. */
	static const uint8_t axi[PMK_AXI_NROLES] = {
		[PMK_AXI_AWLEN] = 8,   [PMK_AXI_ARLEN] = 8,   [PMK_AXI_AWID] = 64,
		[PMK_AXI_BID] = 64,    [PMK_AXI_ARID] = 64,   [PMK_AXI_RID] = 64,
		[PMK_AXI_AWADDR] = 64, [PMK_AXI_ARADDR] = 64, [PMK_AXI_WDATA] = 64,
		[PMK_AXI_RDATA] = 64,  [PMK_AXI_WSTRB] = 64,  [PMK_AXI_AWSIZE] = 3,
		[PMK_AXI_ARSIZE] = 3,  [PMK_AXI_AWBURST] = 2, [PMK_AXI_ARBURST] = 2,
		[PMK_AXI_BRESP] = 2,   [PMK_AXI_RRESP] = 2,
	};

	switch (part) {
	case PMK_WAVE_LAYER:
		return layer[role];
	case PMK_WAVE_AXI:
		return (struct wave_widths){ 1, axi[role] ? axi[role] : 1 };
	case PMK_WAVE_GXI:
		return gxi[role];
	case PMK_WAVE_PACKETS:
		return (struct wave_widths){ 33, 34 };
	case PMK_WAVE_EVNTBUS:
		return (struct wave_widths){ 1, 32 };
	case PMK_WAVE_SIGNAL:
		break;
	}
	return (struct wave_widths){ 1, 64 };
}

static int watch_parts(struct pmk_wave *w, const struct wave_pick *pick, uint32_t cell,
		       bool inverted)
{
	for (unsigned i = 0; i < pick->nparts; i++) {
		const struct wave_part *p = &pick->part[i];
		struct wave_watch one = { .cell = cell,
					  .signal = p->signal,
					  .low = p->low,
					  .width = p->width,
					  .shift = p->shift,
					  .inverted = inverted };

		if (pmk_wave_dump_watch(&w->dump, &one))
			return PMK_ENOMEM;
	}
	return 0;
}

/* True if there is a signal in `scope`, or in a scope inside it. */
static bool has_scope(const struct pmk_wave *w, const char *scope)
{
	size_t n = strlen(scope);

	for (size_t i = 0; n && i < w->dump.nsignals; i++) {
		const char *s = w->dump.signal[i].scope;

		if (strncmp(s, scope, n) == 0 && (!s[n] || s[n] == '.'))
			return true;
	}
	return !n;
}

/* Binds a name, "!name" or a number to a cell. */
static int bind_one(struct pmk_wave *w, const char *scope, const char *signal, unsigned line,
		    struct wave_widths widths, uint32_t cell, struct pmk_wave_error *err)
{
	const char *file = w->map->file, *name = signal + (*signal == '!');
	struct wave_pick pick;
	uint64_t number;
	char why[400];

	if (!pmk_number_parse(signal, PMK_ANY_BASE, 0, UINT64_MAX, &number)) {
		if (widths.most < 64 && number >> widths.most)
			return pmk_wave_fail(
				err, PMK_EPARSE,
				"%s:%u: %.100s is too large: the signal has %u bit%s here; use "
				"0 to %" PRIu64,
				file, line, signal, widths.most, widths.most == 1 ? "" : "s",
				(UINT64_C(1) << widths.most) - 1);
		w->dump.cells.now[cell].bits = w->dump.cells.before[cell].bits = number;
		return 0;
	}
	if (pmk_wave_find(&w->dump, scope, name, &pick, why, sizeof(why)))
		return pmk_wave_fail(err, PMK_EPARSE, "%s:%u: %s%s%.100s%s", file, line, why,
				     has_scope(w, scope) ? "" : " (there is no scope '",
				     has_scope(w, scope) ? "" : scope,
				     has_scope(w, scope) ? "" : "')");
	if (pick.width < widths.least || pick.width > widths.most)
		return pmk_wave_fail(
			err, PMK_EPARSE,
			"%s:%u: '%.100s' has %u bits in the dump, but %s%u can be used here; "
			"select them, as in [%u:0]",
			file, line, name, pick.width, widths.least == widths.most ? "" : "up to ",
			widths.most, widths.most - 1u);
	w->width[cell] = (uint8_t)pick.width;
	if (watch_parts(w, &pick, cell, *signal == '!'))
		return pmk_wave_no_memory(err, w->path);
	return 0;
}

int pmk_wave_bind(struct pmk_wave *w, const struct pmk_wave_map *map, struct pmk_wave_error *err)
{
	const struct wave_widths one = { 1, 1 };
	int code = 0;

	*err = (struct pmk_wave_error){ .code = 0 };
	if (w->map)
		return pmk_wave_fail(err, PMK_EBUSY, "%s: a map is bound already", w->path);
	w->map = map;
	w->clock = map->nslots;
	w->reset = map->reset ? map->nslots + 1 : WAVE_NO_CELL;
	w->zero = map->nslots + 2;
	w->width = calloc(map->nslots + 2, sizeof(*w->width));
	if (!w->width || pmk_wave_dump_cells(&w->dump, map->nslots + 3, w->clock))
		return pmk_wave_no_memory(err, w->path);
	code = bind_one(w, map->scope, map->clock, map->clock_line, one, w->clock, err);
	if (!code && map->reset)
		code = bind_one(w, map->scope, map->reset, map->reset_line, one, w->reset, err);
	for (unsigned i = 0; i < map->nslots && !code; i++)
		code = bind_one(w, map->slot[i].scope, map->slot[i].signal, map->slot[i].line,
				pmk_wave_widths(map->slot[i].part, map->slot[i].role), i, err);
	return code;
}
