// SPDX-License-Identifier: MIT
/*
 * libFuzzer: a map of random bytes loads and is completely valid, or gives one line with file and
 * line number. A map that loads can be bound to a dump, or gives one line with the reason.
 *	clang -g -fsanitize=fuzzer,address,undefined … fuzz_wavemap.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmk/ahb.h>
#include <pmk/ahbmon.h>
#include <pmk/axi.h>
#include <pmk/pmu.h>
#include <pmk/wave.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void check_slot(const struct pmk_wave_map *m, const struct pmk_wave_slot *s)
{
	expect(*s->signal && s->scope && s->line);
	switch ((enum pmk_wave_part)s->part) {
	case PMK_WAVE_LAYER:
		expect(s->group < m->nlayers && s->role <= PMK_WAVE_CAUSE);
		break;
	case PMK_WAVE_AXI:
		expect(s->group < m->naxi && s->role < PMK_AXI_NROLES);
		break;
	case PMK_WAVE_GXI:
		expect(s->role <= PMK_WAVE_GXI_IS_WRITE);
		break;
	case PMK_WAVE_PACKETS:
	case PMK_WAVE_EVNTBUS:
		break;
	case PMK_WAVE_SIGNAL:
		expect(s->role < PMK_NSIGNALS && s->how <= PMK_WAVE_COUNT);
		break;
	default:
		abort();
	}
}

static void check_map(const struct pmk_wave_map *m)
{
	expect(*m->clock && m->clock_line && m->nslots);
	expect(m->sample <= PMK_WAVE_AFTER && m->nwindows <= PMK_WAVE_WINDOWS);
	expect(!m->core || pmk_pmu_find(m->core) != NULL);
	for (unsigned i = 0; i < m->nslots; i++)
		check_slot(m, &m->slot[i]);
	for (unsigned i = 0; i < m->nlayers; i++) {
		unsigned roles = 0;

		expect(m->layer[i].monitor >= PMK_AHBMON_BUS_ARMI &&
		       m->layer[i].monitor <= PMK_AHBMON_BUS_ARMD);
		for (unsigned k = 0; k < m->nslots; k++)
			if (m->slot[k].part == PMK_WAVE_LAYER && m->slot[k].group == i)
				roles |= PMK_AHB_ROLE(m->slot[k].role);
		expect((roles & PMK_AHB_REQUIRED) == PMK_AHB_REQUIRED);
	}
	for (unsigned i = 0; i < m->naxi; i++) {
		uint32_t roles = 0;

		for (unsigned k = 0; k < m->nslots; k++)
			if (m->slot[k].part == PMK_WAVE_AXI && m->slot[k].group == i)
				roles |= PMK_AXI_ROLE(m->slot[k].role);
		expect((roles & PMK_AXI_READS) == PMK_AXI_READS ||
		       (roles & PMK_AXI_WRITES) == PMK_AXI_WRITES);
	}
}

static void check_error(const struct pmk_wave_error *e, const char *file)
{
	expect(e->code < 0);
	expect(strncmp(e->text, file, strlen(file)) == 0 && e->text[strlen(file)] == ':');
	expect(e->text[strlen(file) + 1] >= '1' && e->text[strlen(file) + 1] <= '9');
}

static const char dump[] = "$scope module tb $end\n$var wire 1 ! hclk $end\n"
			   "$var wire 1 n hresetn $end\n$var wire 2 t htrans [1:0] $end\n"
			   "$var wire 32 a haddr [31:0] $end\n$var wire 1 y hready $end\n"
			   "$scope module tb $end\n$var wire 1 z hready $end\n$upscope $end\n"
			   "$var real 1 r real $end\n$upscope $end\n$enddefinitions $end\n";

static void write_file(char *path, const void *data, size_t size)
{
	int fd = mkstemp(path);

	expect(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char map_path[] = "/tmp/pmk-fuzz-XXXXXX", dump_path[] = "/tmp/pmk-fuzz-XXXXXX";
	struct pmk_wave_error err;
	struct pmk_wave_map map;
	struct pmk_wave *w;

	write_file(map_path, data, size);
	if (pmk_wave_map_load(&map, map_path, &err)) {
		check_error(&err, map_path);
		unlink(map_path);
		return 0;
	}
	check_map(&map);
	write_file(dump_path, dump, strlen(dump));
	expect(pmk_wave_open(&w, dump_path, &err) == 0);
	if (pmk_wave_bind(w, &map, &err))
		check_error(&err, map_path);
	pmk_wave_close(w);
	pmk_wave_map_free(&map);
	unlink(dump_path);
	unlink(map_path);
	return 0;
}
