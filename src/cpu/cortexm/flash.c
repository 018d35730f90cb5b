// SPDX-License-Identifier: MIT
/* The interface of a flash memory. See flash.h. */
#include "cpu/cortexm/flash.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#define NO_LINE	 UINT32_MAX
/* The region of peripherals starts here: DDI 0403E B3.1. */
#define SRAM_END UINT64_C(0x40000000)

static int init_cache(struct pmk_cortexm_cache *c, const struct pmk_core *core, uint64_t size)
{
	uint64_t lines = size / core->cortexm.flash_width;

	if (!lines)
		return 0;
	c->ways = (uint32_t)(core->cortexm.flash_ways ? core->cortexm.flash_ways : lines);
	c->set_mask = (uint32_t)lines / c->ways - 1;
	c->line = malloc(lines * sizeof(*c->line));
	if (!c->line)
		return PMK_ENOMEM;
	memset(c->line, 0xff, lines * sizeof(*c->line));
	return 0;
}

int pmk_cortexm_flash_init(struct pmk_cpu *cpu)
{
	struct pmk_cortexm_flash *f = &cpu->cortexm.flash;
	int err = init_cache(&f->code, &cpu->core, cpu->core.cortexm.flash_cache);

	f->current = f->prefetched = NO_LINE;
	return err ? err : init_cache(&f->data, &cpu->core, cpu->core.cortexm.flash_data_cache);
}

void pmk_cortexm_flash_fini(struct pmk_cpu *cpu)
{
	struct pmk_cortexm_flash *f = &cpu->cortexm.flash;

	free(f->code.line);
	free(f->data.line);
	f->code.line = f->data.line = NULL;
}

/* Makes `line` the most recently used line of its set. Returns false if it was absent. */
static bool use_line(struct pmk_cortexm_cache *c, uint32_t line)
{
	uint32_t *set, at = 0;
	bool hit;

	if (!c->line)
		return false;
	set = c->line + (size_t)(line & c->set_mask) * c->ways;
	while (at < c->ways - 1 && set[at] != line)
		at++;
	hit = set[at] == line;
	memmove(set + 1, set, at * sizeof(*set));
	set[0] = line;
	return hit;
}

static bool has_line(const struct pmk_cortexm_cache *c, uint32_t line)
{
	size_t first = (size_t)(line & c->set_mask) * c->ways;

	for (uint32_t i = 0; c->line && i < c->ways; i++)
		if (c->line[first + i] == line)
			return true;
	return false;
}

/* Fetches instructions of `line` at `now`. Returns the cycles for which the core waits. */
static uint64_t fetch_line(struct pmk_cpu *cpu, uint32_t line, uint64_t now)
{
	const struct pmk_core_cortexm *c = &cpu->core.cortexm;
	struct pmk_cortexm_flash *f = &cpu->cortexm.flash;
	uint64_t waits = 0;

	if (line == f->current)
		return 0;
	if (line == f->prefetched)
		waits = f->ready > now ? f->ready - now : 0;
	if ((line != f->prefetched || waits) && use_line(&f->code, line))
		waits = 0;
	else if (line != f->prefetched)
		waits = c->flash_waits;
	f->current = line;
	if (c->flash_prefetch && line + 1 != f->prefetched && !has_line(&f->code, line + 1)) {
		f->prefetched = line + 1;
		f->ready = now + waits + c->flash_waits + 1;
	}
	return waits;
}

void pmk_cortexm_flash_fetch(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint64_t width = cpu->core.cortexm.flash_width, bytes = b->fall - b->pc, waits = 0;
	uint64_t start = cpu->cycles - b->cycles;

	if (b->pc >= cpu->core.cortexm.flash_end) {
		cpu->cortexm.flash.current = NO_LINE;
		return;
	}
	for (uint64_t at = b->pc; at < b->fall; at = (at / width + 1) * width)
		waits += fetch_line(cpu, (uint32_t)(at / width),
				    start + waits + b->cycles * (at - b->pc) / bytes);
	cpu->cycles += waits;
}

static unsigned wait_for_sram(const struct pmk_core_cortexm *c, uint64_t addr, bool alone)
{
	if (addr >= SRAM_END)
		return 0;
	return (unsigned)(c->sram_waits + (alone && addr >= c->sram_slow ? c->sram_alone : 0));
}

unsigned pmk_cortexm_flash_access(struct pmk_cpu *cpu, uint64_t addr, bool store, bool alone)
{
	const struct pmk_core_cortexm *c = &cpu->core.cortexm;
	struct pmk_cortexm_flash *f = &cpu->cortexm.flash;

	if (addr >= c->flash_end)
		return wait_for_sram(c, addr, alone);
	if (store ||
	    use_line(c->flash_shared ? &f->code : &f->data, (uint32_t)(addr / c->flash_width)))
		return 0;
	return (unsigned)c->flash_waits;
}
