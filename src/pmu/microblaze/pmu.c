// SPDX-License-Identifier: MIT
/*
 * MicroBlaze performance counters: the counters, the access to the registers, and the PMU itself.
 * Freestanding.
 *
 * The number and width of the counters are fixed when the processor is built and cannot be read
 * back (UG984, "Performance Monitoring"). pmk_microblaze has the default of the vendor's tools;
 * pmk_microblaze_configure() makes PMUs with other numbers. The manual has no names for the
 * counters, so EC and LC are our own.
 */
#include "pmu/microblaze/events.c"
#include "pmu/microblaze/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define EVENTS	  5 /* the tools' defaults: UG984, C_DEBUG_EVENT_COUNTERS … */
#define LATENCIES 1
#define WIDTH	  32

/* clang-format off */
static const char *const event_names[] = {
	"EC0", "EC1", "EC2", "EC3", "EC4", "EC5", "EC6", "EC7", "EC8", "EC9", "EC10", "EC11",
	"EC12", "EC13", "EC14", "EC15", "EC16", "EC17", "EC18", "EC19", "EC20", "EC21", "EC22",
	  "EC23",
	"EC24", "EC25", "EC26", "EC27", "EC28", "EC29", "EC30", "EC31", "EC32", "EC33", "EC34",
	  "EC35",
	"EC36", "EC37", "EC38", "EC39", "EC40", "EC41", "EC42", "EC43", "EC44", "EC45", "EC46",
	  "EC47",
};

static const char *const latency_names[] = {
	"LC0", "LC1", "LC2", "LC3", "LC4", "LC5", "LC6",
};

_Static_assert(COUNT(event_names) == PMK_MICROBLAZE_MAX_EVENTS, "a name for every event counter");
_Static_assert(COUNT(latency_names) == PMK_MICROBLAZE_MAX_LATENCIES, "and latency counter");

const struct pmk_microblaze_access pmk_microblaze_access[PMK_MICROBLAZE_NREGS] = {
	[PMK_MICROBLAZE_PCCTRLR] = { .command = 0x51, .bits = 8, .write = true },
	[PMK_MICROBLAZE_PCCMDR] = { .command = 0x52, .bits = 5, .write = true },
	[PMK_MICROBLAZE_PCSR] = { .command = 0x53, .bits = 2 },
	[PMK_MICROBLAZE_PCDRR] = { .command = 0x56, .bits = 32 },
	[PMK_MICROBLAZE_PCDWR] = { .command = 0x57, .bits = 32, .write = true },
};

#define EVENT_COUNTER(n)   { .name = "EC" #n, .width = WIDTH, .fixed_code = -1 }
#define LATENCY_COUNTER(n) \
	{ .name = "LC" #n, .width = WIDTH, .fixed_code = -1, .extreme_width = 16 }

static const struct pmk_counter counters[EVENTS + LATENCIES] = {
	EVENT_COUNTER(0), EVENT_COUNTER(1), EVENT_COUNTER(2), EVENT_COUNTER(3), EVENT_COUNTER(4),
	LATENCY_COUNTER(0),
};
/* clang-format on */

static const struct pmk_microblaze_config config = {
	.events = EVENTS,
	.latencies = LATENCIES,
	.width = WIDTH,
};

const struct pmk_pmu pmk_microblaze = {
	.name = "microblaze",
	.driver = &pmk_microblaze_driver,
	.events = pmk_microblaze_events,
	.nevents = PMK_MICROBLAZE_NEVENTS,
	.core = 1,
	.counters = counters,
	.ncounters = COUNT(counters),
	.no_flags = true,
	.sequential = true,
	.family = &config,
	PMK_HOST(.aliases = "mb",
		 .brief = "MicroBlaze with extended debug: performance monitoring counters",
		 .note = "the number and width of the counters cannot be read back; five event "
			 "counters, one latency counter and 32 bits are the tools' default",
		 .defaults =
			 "clock_cycles insn_executed branch_any branch_cond_taken btc_hit "
			 "load_any store_any icache_request icache_hit dcache_request dcache_hit "
			 "stall_of stall_ex stall_mem icache_read_latency dcache_read_latency",
		 .regs = pmk_microblaze_regs, .nregs = PMK_MICROBLAZE_NREGS)
};

int pmk_microblaze_configure(struct pmk_microblaze_pmu *p, unsigned events, unsigned latencies,
			     unsigned width)
{
	if (events > PMK_MICROBLAZE_MAX_EVENTS || latencies > PMK_MICROBLAZE_MAX_LATENCIES ||
	    (!events && !latencies) || (width != 32 && width != 48 && width != 64))
		return PMK_ERANGE;
	p->config = (struct pmk_microblaze_config){
		.events = (uint8_t)events,
		.latencies = (uint8_t)latencies,
		.width = (uint8_t)width,
	};
	for (unsigned i = 0; i < events; i++)
		p->counter[i] = (struct pmk_counter){
			.name = event_names[i],
			.width = (uint8_t)width,
			.fixed_code = -1,
		};
	for (unsigned i = 0; i < latencies; i++)
		p->counter[events + i] = (struct pmk_counter){
			.name = latency_names[i],
			.width = (uint8_t)width,
			.fixed_code = -1,
			.extreme_width = width == 32 ? 16 : 32,
		};
	p->pmu = pmk_microblaze;
	p->pmu.counters = p->counter;
	p->pmu.ncounters = events + latencies;
	p->pmu.family = &p->config;
	return PMK_OK;
}
