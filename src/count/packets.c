// SPDX-License-Identifier: MIT
/*
 * Writes AHBMONITOR[33:0] as a VCD: [32:0] are encoded as in src/pmu/ahbmon/packet.c, and [33] is
 * the clock, which is also named HCLK. Unknown pins are x. While a dump is read, the file has the
 * times of the dump, so that both can be shown together; HCLK falls in the middle between two
 * edges.
 */
#include "count/packets.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <pmk/error.h>

#define PINS 33

static int cannot_write(const struct pmk_packets_out *p, struct pmk_count_fault *f)
{
	return pmk_count_fail(f, PMK_COUNT_FAILED, "`packets` %s: cannot be written: %s", p->path,
			      strerror(p->error ? p->error : errno));
}

static void write_pins(const struct pmk_packets_out *p)
{
	putc('b', p->file.f);
	for (unsigned i = PINS; i-- > 0;)
		putc(p->last.known >> i & 1 ? '0' + (int)(p->last.pins >> i & 1) : 'x', p->file.f);
	fputs(" p\n", p->file.f);
}

int pmk_packets_open(struct pmk_packets_out *p, const char *path,
		     const struct pmk_ahbmon_packet_params *codes, const char *unit,
		     struct pmk_count_fault *f)
{
	struct pmk_ahbmon_packets before;
	struct pmk_ahbmon_packet idle;

	*p = (struct pmk_packets_out){ .path = path };
	if (pmk_ahbmon_packets_init(&p->packets, codes)) {
		p->path = NULL;
		return pmk_count_refuse(f, "`packets`: a code of the layout does not fit its pins");
	}
	/* The state of the idle pins, before the first cycle has passed the monitor. */
	before = p->packets;
	if (!pmk_whole_open(&p->file, path)) {
		int err = cannot_write(p, f);

		p->path = NULL;
		return err;
	}
	if (strchr(unit, ' '))
		fprintf(p->file.f, "$timescale %s $end\n", unit);
	fputs("$scope module ahbmon $end\n"
	      "$var wire 1 ! HCLK $end\n"
	      "$var wire 1 ! AHBMONITOR [33] $end\n"
	      "$var wire 33 p AHBMONITOR [32:0] $end\n"
	      "$upscope $end\n$enddefinitions $end\n#0\n0!\n",
	      p->file.f);
	pmk_ahbmon_packets_next(&before, &p->seen, &idle);
	p->last = (struct pmk_ahbmon_pins){ .pins = idle.pins, .known = idle.known };
	write_pins(p);
	return 0;
}

/* Collect the activity of the layers and the GXI, as the monitor sees it. */
static void collect_activity(struct pmk_packets_out *p, const struct pmk_wave_count *count)
{
	struct pmk_ahbmon_observer *o = &p->seen;

	o->present = 1u << PMK_AHBMON_BUS_HCLK;
	for (unsigned i = 0; i < count->nwatched; i++) {
		unsigned monitor = count->watched[i].layer->monitor;

		o->present |= 1u << monitor;
		o->layer[monitor - PMK_AHBMON_BUS_ARMI].seen = count->watched[i].observer.seen;
	}
	if (count->gxi_slot[PMK_WAVE_GXI_ADDRESS] >= 0 && count->gxi_slot[PMK_WAVE_GXI_DATA] >= 0)
		o->present |= 1u << PMK_AHBMON_BUS_GXI;
	o->gxi = count->gxi;
}

static void write_edge(struct pmk_packets_out *p, uint64_t time, uint64_t pins, uint64_t known)
{
	bool changed = pins != p->last.pins || known != p->last.known;

	if (p->begun)
		fprintf(p->file.f, "#%" PRIu64 "\n0!\n", p->time + (time - p->time) / 2);
	fprintf(p->file.f, "#%" PRIu64 "\n1!\n", time);
	p->last = (struct pmk_ahbmon_pins){ .pins = pins, .known = known };
	if (changed)
		write_pins(p);
	p->period = p->begun ? time - p->time : 0;
	p->time = time;
	p->begun = true;
	if (!p->error && ferror(p->file.f))
		p->error = errno;
}

static void write_next(struct pmk_packets_out *p, uint64_t time)
{
	struct pmk_ahbmon_packet now;

	pmk_ahbmon_packets_next(&p->packets, &p->seen, &now);
	write_edge(p, time, now.pins, now.known);
}

int pmk_packets_edge(struct pmk_packets_out *p, const struct pmk_wave_count *count, uint64_t time,
		     struct pmk_count_fault *f)
{
	if (!p->path)
		return 0;
	if (p->begun && time - p->time < 2)
		return pmk_count_fail(f, PMK_COUNT_FAILED,
				      "`packets`: two edges of the clock are one unit of the "
				      "dump's timescale apart, which leaves no time at which "
				      "HCLK can fall");
	collect_activity(p, count);
	write_next(p, time);
	return p->error ? cannot_write(p, f) : 0;
}

void pmk_packets_show(struct pmk_packets_out *p, const struct pmk_ahbmon_pins *shown)
{
	for (uint64_t i = 0; p->path && !p->error && i < shown->cycles; i++)
		write_edge(p, p->time + 2, shown->pins, shown->known);
}

void pmk_packets_under_way(struct pmk_packets_out *p, const struct pmk_ahbmon_packets *packets)
{
	p->packets = *packets;
	for (unsigned bus = 0; bus < PMK_AHBMON_NBUSES; bus++)
		p->seen.present |= 1u << bus;
}

int pmk_packets_close(struct pmk_packets_out *p, bool keep, struct pmk_count_fault *f)
{
	uint64_t period = p->period > 1 ? p->period : 2;
	bool done;
	int err = 0;

	if (!p->path)
		return 0;
	/* From here on the bus is idle. Write the cycles that have not reached the pins, and one
	 * more edge, because a reader of the file uses the values before an edge. */
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		p->seen.layer[i].seen = (struct pmk_ahb_seen){ .class = PMK_AHB_C_IDLE };
	p->seen.gxi.seen_address = PMK_GXI_IDLE;
	p->seen.gxi.seen_data = PMK_GXI_DATA_IDLE;
	for (unsigned i = 0; i <= PMK_AHBMON_LAG && keep && p->begun; i++)
		write_next(p, p->time + period);
	done = pmk_whole_close(&p->file, keep && !p->error);
	if (keep && (p->error || !done))
		err = cannot_write(p, f);
	p->path = NULL;
	return err;
}
