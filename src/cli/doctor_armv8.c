// SPDX-License-Identifier: MIT
/*
 * Runs the sequence of the Valtrix blog "Programming ARM v8 Performance Monitors" (25 May 2016) on
 * the model of a PMUv3, step by step as printed. It runs pmk's driver on the same bus. First it
 * compares the counts of the sequence and of the driver for a stream of known length, at EL1 and at
 * EL0. Then it demonstrates each mistake of the sequence. docs/armv8.md has the same list, and a
 * correct sequence.
 *
 * Every number is read from a model in this run. The barriers that hardware needs are only
 * explained in words, because no model can show their effect.
 */
#include "cli/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pmk/armv8.h>
#include <pmk/armv8_model.h>
#include <pmk/bus.h>
#include <pmk/error.h>
#include <pmk/model.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "cpu/a64/a64.h"
#include "pmu/armv8/model.h"
#include "result/jsonio.h"

#define MAX_ROWS 12
#define NRUNS	 2

/* One event: how often it happened, and how often the blog's sequence and pmk's driver counted
 * it. */
struct blog_row {
	const struct pmk_event *ev;
	uint64_t happened[2]; /* occurrences at EL0; at EL1 */
	bool in_blog, in_ours;
	uint64_t blog, ours;
	char why[100]; /* the reason for the blog's count */
};

/* A run of three parts: `before` instructions at EL1, then `at_el0` instructions at EL0, then
 * `after` instructions at EL1. */
struct blog_run {
	const char *title;
	uint64_t before, at_el0, after;
	uint32_t filter; /* filter of pmk's driver */
	unsigned nrows;
	struct blog_row row[MAX_ROWS];
};

/* One PMU on a bus, and the variables of the blog's pseudo code. */
struct lab {
	struct pmk_bus *bus;
	const struct pmk_model_ops *ops;
	struct pmk_armv8_model model;
	unsigned num_evnt_cntrs;
	uint32_t pmceid[2];
	/* The variables that the sequence prints. */
	uint64_t cycles;
	unsigned nevents;
	struct {
		unsigned code;
		uint64_t value;
	} event[PMK_ARMV8_MAX_EVENTS];
};

static void begin_with(struct lab *l, struct pmk_bus *bus, const struct pmk_pmu *pmu,
		       const struct pmk_armv8_params *params)
{
	memset(l, 0, sizeof(*l));
	l->bus = bus;
	l->ops = pmk_model_find(pmu);
	pmk_bus_init(bus);
	bus->raised = pmk_a64_raises(NULL);
	pmk_armv8_model_reset(&l->model, pmu, params, bus);
}

static void begin_lab(struct lab *l, struct pmk_bus *bus, const struct pmk_pmu *pmu)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(pmu);

	begin_with(l, bus, pmu, &params);
}

static void set_input(struct lab *l, enum pmk_armv8_input in, uint64_t value)
{
	pmk_armv8_model_input(&l->model, l->bus, in, value);
}

static void at_el(struct lab *l, unsigned el)
{
	set_input(l, PMK_ARMV8_IN_EL, el);
}

/* Raises `n` instructions of one cycle each. Ten of a hundred access data, and one of these
 * misses. */
static void raise_stream(struct pmk_bus *bus, uint64_t n)
{
	pmk_bus_add(bus, PMK_SIG_CYCLE, n);
	pmk_bus_add(bus, PMK_SIG_INSN, n);
	pmk_bus_add(bus, PMK_SIG_L1D_LOOKUP, n / 10);
	pmk_bus_add(bus, PMK_SIG_L1D_MISS, n / 100);
	pmk_bus_add(bus, PMK_SIG_L1I_FILL, n / 500);
	pmk_bus_add(bus, PMK_SIG_MICRO_ITLB_MISS, n / 1000);
	pmk_bus_add(bus, PMK_SIG_MICRO_DTLB_MISS, n / 400);
}

/* ---- the blog -------------------------------------------------------------------------------- */

static uint64_t read_register(struct lab *l, unsigned reg)
{
	uint64_t value = 0;

	l->ops->read(&l->model, l->bus, PMK_MODE_PRIV, reg, &value);
	return value;
}

static void write_register(struct lab *l, unsigned reg, uint64_t value)
{
	l->ops->write(&l->model, l->bus, PMK_MODE_PRIV, reg, value);
}

static bool is_evnt_supported(const struct lab *l, unsigned j)
{
	return l->pmceid[j >> 5] >> (j & 31) & 1;
}

static uint32_t counter_mask(const struct lab *l)
{
	return UINT32_C(0x80000000) | ((UINT32_C(1) << l->num_evnt_cntrs) - 1);
}

static void blog_setup(struct lab *l)
{
	l->num_evnt_cntrs = (unsigned)(read_register(l, PMK_ARMV8_PMCR) >> 11) & 0x1F;
	if (l->num_evnt_cntrs) {
		l->pmceid[0] = (uint32_t)read_register(l, PMK_ARMV8_PMCEID0);
		l->pmceid[1] = (uint32_t)read_register(l, PMK_ARMV8_PMCEID1);
	}
	write_register(l, PMK_ARMV8_PMUSERENR, read_register(l, PMK_ARMV8_PMUSERENR) | 0xD);
}

static void blog_start(struct lab *l)
{
	unsigned i = 0;

	for (unsigned j = 0; j < 64 && i < l->num_evnt_cntrs; j++) {
		if (!is_evnt_supported(l, j))
			continue;
		write_register(l, PMK_ARMV8_PMSELR, i++);
		write_register(l, PMK_ARMV8_PMXEVTYPER, 0x80000000 | j);
	}
	write_register(l, PMK_ARMV8_PMCCFILTR, 0x80000000);
	write_register(l, PMK_ARMV8_PMCNTENSET, counter_mask(l));
	write_register(l, PMK_ARMV8_PMCR, read_register(l, PMK_ARMV8_PMCR) | 0x7);
}

static void blog_stop(struct lab *l)
{
	unsigned i = 0;

	write_register(l, PMK_ARMV8_PMCNTENCLR, counter_mask(l));
	write_register(l, PMK_ARMV8_PMCR, read_register(l, PMK_ARMV8_PMCR) & ~UINT64_C(0x7));
	l->cycles = read_register(l, PMK_ARMV8_PMCCNTR);
	for (unsigned j = 0; j < 64 && i < l->num_evnt_cntrs; j++) {
		if (!is_evnt_supported(l, j))
			continue;
		write_register(l, PMK_ARMV8_PMSELR, i);
		l->event[i].code = j;
		l->event[i++].value = read_register(l, PMK_ARMV8_PMXEVCNTR);
	}
	l->nevents = i;
}

/* Runs the whole sequence, with a stream of `n` instructions at level `el` in the middle. The
 * sequence itself runs at EL1. */
static void run_blog(struct lab *l, unsigned el, uint64_t n)
{
	blog_setup(l);
	blog_start(l);
	at_el(l, el);
	raise_stream(l->bus, n);
	at_el(l, 1);
	blog_stop(l);
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* The events that pmk's driver counts. The driver counts cycles (0x11) with PMCCNTR. */
static const uint16_t our_events[] = { 0x11, 0x08, 0x01, 0x02, 0x03, 0x04, 0x05 };
#define NOURS (sizeof(our_events) / sizeof(our_events[0]))

static int ours_start(struct pmk_dev *d, uint32_t filter)
{
	const struct pmk_driver *drv = d->pmu->driver;
	int err = drv->reset(d);

	pmk_armv8_set_filter(d, filter);
	for (unsigned i = 0; !err && i < NOURS; i++)
		err = drv->program(d, i, our_events[i]);
	return err ? err : drv->start(d);
}

/* Returns the row of an event, and makes it if there is none yet. */
static struct blog_row *row_of(struct blog_run *r, unsigned code)
{
	for (unsigned i = 0; i < r->nrows; i++)
		if (r->row[i].ev->code == code)
			return &r->row[i];
	r->row[r->nrows].ev = pmk_pmu_event_code(&pmk_cortex_a53, code);
	return &r->row[r->nrows++];
}

/* Explains which rule stops a counter in Non-secure state (docs/armv8.md, section 4). */
static void explain_stop(const struct lab *l, unsigned bit, char *why, size_t size)
{
	uint32_t type = bit == 31 ? l->model.ccfiltr : l->model.counter[bit].type;
	bool el0 = pmk_armv8_counting(&l->model, 0) >> bit & 1;
	bool el1 = pmk_armv8_counting(&l->model, 1) >> bit & 1;
	char reg[24] = "PMCCFILTR";

	if (bit != 31)
		snprintf(reg, sizeof(reg), "PMEVTYPER%u", bit);
	if (!(l->model.cnten >> bit & 1))
		snprintf(why, size, "not enabled in PMCNTENSET");
	else if (el0 && el1)
		snprintf(why, size, "%s = 0x%08" PRIx32 " counts at EL0 and EL1", reg, type);
	else
		snprintf(why, size, "%s = 0x%08" PRIx32 ": %s%s%s", reg, type,
			 el0 ? "" : "EL0 is filtered, U differs from NSU", el0 || el1 ? "" : "; ",
			 el1 ? "" : "EL1 is filtered, P differs from NSK");
}

static uint64_t total_of(const struct pmk_bus *bus, const struct pmk_event *ev)
{
	return bus->total[ev->signal];
}

static void run_pass(struct blog_run *r, struct lab *blog, struct lab *ours, unsigned el,
		     uint64_t n)
{
	struct pmk_bus *bus = blog->bus;

	at_el(blog, el);
	at_el(ours, el);
	for (unsigned i = 0; i < r->nrows; i++)
		r->row[i].happened[el] -= total_of(bus, r->row[i].ev);
	raise_stream(bus, n);
	for (unsigned i = 0; i < r->nrows; i++)
		r->row[i].happened[el] += total_of(bus, r->row[i].ev);
}

/* Makes the rows in the order of the blog's output. The events that the blog does not count come
 * last. */
static void make_rows(struct blog_run *r, const struct lab *blog)
{
	unsigned n = 0;
	struct blog_row *row = row_of(r, 0x11);

	row->in_blog = true;
	explain_stop(blog, 31, row->why, sizeof(row->why));
	for (unsigned j = 0; j < 64 && n < blog->num_evnt_cntrs; j++) {
		if (!is_evnt_supported(blog, j))
			continue;
		row = row_of(r, j);
		row->in_blog = true;
		explain_stop(blog, n++, row->why, sizeof(row->why));
	}
	for (unsigned i = 0; i < NOURS; i++) {
		row = row_of(r, our_events[i]);
		row->in_ours = true;
		if (!row->in_blog)
			snprintf(row->why, sizeof(row->why),
				 "not counted: none of the first %u events of PMCEID", n);
	}
}

static int compare_run(struct blog_run *r)
{
	struct pmk_bus bus;
	struct lab blog, ours;
	struct pmk_model_port to = { .model = &ours.model, .bus = &bus };
	struct pmk_dev dev = { .pmu = &pmk_cortex_a53 };
	int err;

	begin_lab(&ours, &bus, &pmk_cortex_a53);
	begin_lab(&blog, &bus, &pmk_cortex_a53);
	to.ops = ours.ops;
	dev.port = pmk_port_model(&to);
	blog_setup(&blog);
	blog_start(&blog);
	err = ours_start(&dev, r->filter);
	make_rows(r, &blog);
	run_pass(r, &blog, &ours, 1, r->before);
	run_pass(r, &blog, &ours, 0, r->at_el0);
	run_pass(r, &blog, &ours, 1, r->after);
	blog_stop(&blog);
	if (!err)
		err = dev.pmu->driver->stop(&dev);
	row_of(r, 0x11)->blog = blog.cycles;
	for (unsigned i = 0; i < blog.nevents; i++)
		row_of(r, blog.event[i].code)->blog = blog.event[i].value;
	for (unsigned i = 0; !err && i < NOURS; i++)
		err = dev.pmu->driver->read(&dev, i, &row_of(r, our_events[i])->ours);
	return err;
}

/* ---- findings -------------------------------------------------------------------------------- */

#define FOUND(...) snprintf(found, size, __VA_ARGS__)

static void look_filter(struct lab *l, char *found, size_t size)
{
	uint64_t at_el1;

	run_blog(l, 1, 2004);
	at_el1 = l->cycles;
	begin_lab(l, l->bus, &pmk_cortex_a53);
	run_blog(l, 0, 2002);
	FOUND("2004 cycles at EL1 read as %" PRIu64 ", 2002 at EL0 as %" PRIu64, at_el1, l->cycles);
}

static void look_31(struct lab *l, char *found, size_t size)
{
	blog_setup(l);
	blog_start(l);
	write_register(l, PMK_ARMV8_PMSELR, 31);
	FOUND("with N = %u the mask is 0x%08" PRIx64
	      ", and bit 31 of it is the cycle counter; PMSELR = "
	      "31 selects PMCCFILTR, 0x%08" PRIx64,
	      l->num_evnt_cntrs, read_register(l, PMK_ARMV8_PMCNTENSET),
	      read_register(l, PMK_ARMV8_PMXEVTYPER));
}

static void look_name(struct lab *l, char *found, size_t size)
{
	blog_setup(l);
	blog_start(l);
	FOUND("if PMCR is meant, it then reads 0x%08" PRIx64, read_register(l, PMK_ARMV8_PMCR));
}

static void look_state(struct lab *l, char *found, size_t size)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_cortex_a53);
	unsigned line;

	params.poison = UINT64_MAX;
	begin_with(l, l->bus, &pmk_cortex_a53, &params);
	blog_setup(l);
	blog_start(l);
	line = l->ops->lines(&l->model);
	blog_stop(l);
	FOUND("after a reset that leaves ones, the interrupt is %s as soon as E is set; at the "
	      "end the flags are 0x%08" PRIx64,
	      line ? "asserted" : "not asserted", read_register(l, PMK_ARMV8_PMOVSCLR));
}

static void look_select(struct lab *l, char *found, size_t size)
{
	write_register(l, PMK_ARMV8_PMSELR, 0);
	write_register(l, PMK_ARMV8_PMSELR, 3); /* as an interrupt handler might do */
	write_register(l, PMK_ARMV8_PMXEVTYPER, 0x80000008);
	FOUND("when a handler selects counter 3 in between, PMEVTYPER0 is 0x%08" PRIx64
	      " and PMEVTYPER3 0x%08" PRIx64,
	      read_register(l, PMK_ARMV8_PMEVTYPER0), read_register(l, PMK_ARMV8_PMEVTYPER0 + 3));
}

static void look_enabled(struct lab *l, char *found, size_t size)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_cortex_a53);

	params.pmceid[0] = 0x00020101;
	begin_with(l, l->bus, &pmk_cortex_a53, &params);
	write_register(l, PMK_ARMV8_PMEVTYPER0 + 3, 0x08); /* other software left it there */
	run_blog(l, 0, 2002);
	FOUND("on a core with %u events and %u counters PMEVCNTR3 counts %" PRIu64
	      " of an event left over in its type",
	      l->nevents, l->num_evnt_cntrs, read_register(l, PMK_ARMV8_PMEVCNTR0 + 3));
}

static void look_first(struct lab *l, char *found, size_t size)
{
	size_t used;

	run_blog(l, 0, 2002);
	used = (size_t)FOUND("on a Cortex-A53:");
	for (unsigned i = 0; i < l->nevents && used < size; i++)
		used += (size_t)snprintf(
			found + used, size - used, " %s",
			pmk_pmu_event_code(&pmk_cortex_a53, l->event[i].code)->name);
}

static void look_chain(struct lab *l, char *found, size_t size)
{
	unsigned at = 0;

	run_blog(l, 0, 2002);
	while (at < l->nevents && l->event[at].code != PMK_ARMV8_CHAIN)
		at++;
	if (at < l->nevents)
		FOUND("of %u counters, number %u counts it: overflows of number %u, which counts "
		      "%s",
		      l->nevents, at, at - 1,
		      pmk_pmu_event_code(&pmk_armv8, l->event[at - 1].code)->name);
	else
		FOUND("of %u counters, none counts it here", l->nevents);
}

static void look_stop(struct lab *l, char *found, size_t size)
{
	uint64_t cycles;

	blog_setup(l);
	blog_start(l);
	at_el(l, 0);
	write_register(l, PMK_ARMV8_PMCNTENCLR, counter_mask(l));
	raise_stream(l->bus, 2002);
	cycles = read_register(l, PMK_ARMV8_PMCCNTR);
	FOUND("after it %" PRIu64
	      " of 2002 cycles count, while E is still %u: the counters stop, but a "
	      "second write is needed to clear E",
	      cycles, (unsigned)(read_register(l, PMK_ARMV8_PMCR) & 1));
}

static void look_extended(struct lab *l, char *found, size_t size)
{
	unsigned n = 0;

	for (unsigned which = 0; which < 2; which++) {
		uint64_t high = read_register(l, PMK_ARMV8_PMCEID0 + which) >> 32;

		for (; high; high &= high - 1)
			n++;
	}
	FOUND("a PMUv3p1 has more events from 0x4000 on; this PMU has %u of them, and the "
	      "sequence never tries them",
	      n);
}

static void look_overflow(struct lab *l, char *found, size_t size)
{
	blog_setup(l);
	blog_start(l);
	at_el(l, 0);
	pmk_bus_add(l->bus, PMK_SIG_L1D_LOOKUP, UINT64_C(0x100000007));
	at_el(l, 1);
	blog_stop(l);
	FOUND("4294967303 data accesses read as %" PRIu64 ", with the flags at 0x%08" PRIx64,
	      l->event[4].value, read_register(l, PMK_ARMV8_PMOVSCLR));
}

static bool user_may(struct lab *l, bool write, unsigned reg)
{
	uint64_t value = 0;

	return !(write ? l->ops->write(&l->model, l->bus, PMK_MODE_USER, reg, value)
		       : l->ops->read(&l->model, l->bus, PMK_MODE_USER, reg, &value));
}

static void look_user(struct lab *l, char *found, size_t size)
{
	bool stop;

	blog_setup(l);
	stop = user_may(l, true, PMK_ARMV8_PMCR);
	write_register(l, PMK_ARMV8_PMUSERENR, 0xC);
	FOUND("with 0xD EL0 may %sstop all counters; with 0xC it may %sstop them, and may %sread "
	      "them",
	      stop ? "" : "not ", user_may(l, true, PMK_ARMV8_PMCR) ? "" : "not ",
	      user_may(l, false, PMK_ARMV8_PMEVCNTR0) ? "" : "not ");
}

static void look_above(struct lab *l, char *found, size_t size)
{
	unsigned visible;
	uint64_t value;

	set_input(l, PMK_ARMV8_IN_MDCR_EL2, 4); /* HPMN */
	blog_setup(l);
	visible = l->num_evnt_cntrs;
	set_input(l, PMK_ARMV8_IN_MDCR_EL2, MDCR_EL2_TPM | 6);
	l->ops->read(&l->model, l->bus, PMK_MODE_PRIV, PMK_ARMV8_PMCR, &value);
	FOUND("a hypervisor that keeps two of six counters leaves N = %u; with MDCR_EL2.TPM the "
	      "first access traps to EL%u, class 0x%02x",
	      visible, l->model.trap.el, l->model.trap.ec);
}

static void look_format(struct lab *l, char *found, size_t size)
{
	run_blog(l, 0, UINT64_C(0x1000007d2));
	FOUND("0x%" PRIx64 " cycles are printed as %x", l->cycles, (unsigned)l->cycles);
}

static void look_divider(struct lab *l, char *found, size_t size)
{
	uint64_t divided;

	write_register(l, PMK_ARMV8_PMCR, PMCR_D);
	run_blog(l, 0, 2002);
	divided = l->cycles;
	begin_lab(l, l->bus, &pmk_cortex_a53);
	write_register(l, PMK_ARMV8_PMCR, PMCR_LC | PMCR_D);
	run_blog(l, 0, 2002);
	FOUND("if D was 1 before, 2002 cycles read as %" PRIu64 " with LC = 0 and %" PRIu64
	      " with LC = 1",
	      divided, l->cycles);
}

/* The mistakes of the sequence. The list is in docs/armv8.md, section 7; a test compares them. */
static const struct finding {
	const char *title;
	/* Demonstrates the mistake on a model, and describes the result. */
	void (*look)(struct lab *l, char *found, size_t size);
	const char *instead;
	const struct pmk_pmu *pmu; /* the PMU of the model; NULL: a Cortex-A53 */
} findings[] = {
	{ "bit 31 of the type registers is P: it leaves out EL1, and enables nothing", look_filter,
	  "filter 0 counts at EL0 and EL1, 0x40000000 only at EL1, 0x08000000 also at EL2" },
	{ "there are not 32 event counters: at most 31, and the cycle counter", look_31,
	  "use N of PMCR; bit 31 and PMSELR = 31 belong to the cycle counter", &pmk_armv8 },
	{ "write_register(pmcr_val | 0x7) names no register", look_name,
	  "write_register(PMCR, ...)" },
	{ "nothing is stopped or cleared first; P and C leave flags and enables as they are",
	  look_state, "E = 0; then all ones to PMCNTENCLR, PMINTENCLR and PMOVSCLR; then program" },
	{ "PMSELR, then PMXEVTYPER or PMXEVCNTR: no ISB, and an interrupt can come between them",
	  look_select, "PMEVTYPER<n> and PMEVCNTR<n>, which need no selection" },
	{ "all N counters are enabled, also those without an event", look_enabled,
	  "enable only the programmed counters" },
	{ "the first N events of PMCEID are counted, not those of interest", look_first,
	  "a list of events, each looked up in PMCEID" },
	{ "CHAIN (0x1E) can be one of the counted events", look_chain,
	  "leave it out, and SW_INCR (0x00) unless software writes PMSWINC", &pmk_armv8 },
	{ "stopping begins with PMCNTENCLR", look_stop,
	  "E = 0 stops all with one write; ISB; then read" },
	{ "only events 0 to 63 are tried", look_extended,
	  "0x4000 to 0x403F are in the upper halves of PMCEID0 and PMCEID1", &pmk_armv8 },
	{ "the overflow flags are never read", look_overflow,
	  "read PMOVSCLR; for more than 32 bits count wraps, use CHAIN, or LP (PMUv3p5)" },
	{ "PMUSERENR | 0xD gives EL0 the whole PMU: EN makes the other bits pointless", look_user,
	  "0xC (ER, CR) lets EL0 read the counters" },
	{ "restrictions by EL2 and EL3 are not considered", look_above,
	  "N may be MDCR_EL2.HPMN; TPM of MDCR_EL2 and MDCR_EL3 traps; Secure state counts with "
	  "MDCR_EL3.SPME" },
	{ "%x prints 32 of the cycle counter's 64 bits", look_format, "%llx, or PRIx64" },
	{ "old values of PMCR.D and LC decide whether every cycle counts or every 64th",
	  look_divider, "write all of PMCR, with LC = 1, which makes D ineffective" },
};

#define NFINDINGS (sizeof(findings) / sizeof(findings[0]))

static void look_at(const struct finding *f, char *found, size_t size)
{
	struct pmk_bus bus;
	struct lab l;

	begin_lab(&l, &bus, f->pmu ? f->pmu : &pmk_cortex_a53);
	f->look(&l, found, size);
}

/* Compares the counts of the blog's sequence and of pmk's driver. Returns 0 or an error of the
 * driver. */
static int compare_runs(struct blog_run runs[NRUNS])
{
	static const struct blog_run all[NRUNS] = {
		{ .title = "2004 instructions at EL1, start and stop at EL1; pmk counts at EL0 and "
			   "EL1",
		  .before = 2004,
		  .filter = PMK_ARMV8_EL0_EL1 },
		{ .title = "2002 instructions at EL0, 20 at EL1 before and 18 after; pmk counts at "
			   "EL0",
		  .before = 20,
		  .at_el0 = 2002,
		  .after = 18,
		  .filter = PMK_ARMV8_EL0 },
	};
	int err = 0;

	for (unsigned i = 0; !err && i < NRUNS; i++) {
		runs[i] = all[i];
		err = compare_run(&runs[i]);
	}
	return err;
}

/* ---- output --------------------------------------------------------------------------------- */

static void blog_text(char *buf, size_t size, bool there, uint64_t value)
{
	if (there)
		snprintf(buf, size, "%" PRIu64, value);
	else
		snprintf(buf, size, "-");
}

static void print_blog_run(const struct blog_run *r)
{
	printf("\n%s%s%s\n\n", show_bold(), r->title, show_plain());
	printf("  %-17s %7s %7s   %8s %7s   %s\n", "event", "at EL0", "at EL1", "the blog", "pmk",
	       "why the blog shows this");
	for (unsigned i = 0; i < r->nrows; i++) {
		const struct blog_row *row = &r->row[i];
		char blog[24], ours[24];

		blog_text(blog, sizeof(blog), row->in_blog, row->blog);
		blog_text(ours, sizeof(ours), row->in_ours, row->ours);
		printf("  %-17s %7" PRIu64 " %7" PRIu64 "   %8s %7s   %s\n", row->ev->name,
		       row->happened[0], row->happened[1], blog, ours, row->why);
	}
}

static void print_blog(const struct blog_run *runs, unsigned n)
{
	printf("%sPMUv3%s: the sequence of the Valtrix blog \"Programming ARM v8 Performance "
	       "Monitors\"\n(25 May 2016) and pmk's driver, on the model of a Cortex-A53\n",
	       show_bold(), show_plain());
	for (unsigned i = 0; i < n; i++)
		print_blog_run(&runs[i]);
	printf("\n%sFindings%s\n", show_bold(), show_plain());
	for (unsigned i = 0; i < NFINDINGS; i++) {
		char found[400], first[24];

		look_at(&findings[i], found, sizeof(found));
		snprintf(first, sizeof(first), "\n %2u. ", i + 1);
		show_wrapped(findings[i].title, first, "     ", 94);
		show_wrapped(found, "     here     ", "              ", 85);
		show_wrapped(findings[i].instead, "     instead  ", "              ", 85);
	}
}

static json_object *blog_count(bool there, uint64_t value)
{
	return there ? json_object_new_uint64(value) : NULL;
}

static json_object *blog_json_run(const struct blog_run *r)
{
	json_object *o = json_object_new_object(), *rows = json_object_new_array();
	char text[16];

	pmk_json_text(o, "title", r->title);
	snprintf(text, sizeof(text), "0x%08" PRIx32, r->filter);
	pmk_json_text(o, "filter", text);
	for (unsigned i = 0; i < r->nrows; i++) {
		const struct blog_row *row = &r->row[i];
		json_object *line = json_object_new_object();

		snprintf(text, sizeof(text), "0x%02x", row->ev->code);
		pmk_json_text(line, "event", row->ev->name);
		pmk_json_text(line, "code", text);
		pmk_json_count(line, "el0", row->happened[0]);
		pmk_json_count(line, "el1", row->happened[1]);
		pmk_json_add(line, "blog", blog_count(row->in_blog, row->blog));
		pmk_json_add(line, "pmk", blog_count(row->in_ours, row->ours));
		pmk_json_text(line, "why", row->why);
		json_object_array_add(rows, line);
	}
	pmk_json_add(o, "rows", rows);
	return o;
}

static void blog_add_json(json_object *doc, const struct blog_run *runs, unsigned n)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	for (unsigned i = 0; i < n; i++)
		json_object_array_add(list, blog_json_run(&runs[i]));
	pmk_json_add(o, "runs", list);
	list = json_object_new_array();
	for (unsigned i = 0; i < NFINDINGS; i++) {
		json_object *line = json_object_new_object();
		char found[400];

		look_at(&findings[i], found, sizeof(found));
		pmk_json_add(line, "number", json_object_new_int((int)i + 1));
		pmk_json_text(line, "title", findings[i].title);
		pmk_json_text(line, "here", found);
		pmk_json_text(line, "instead", findings[i].instead);
		json_object_array_add(list, line);
	}
	pmk_json_add(o, "findings", list);
	pmk_json_add(doc, "armv8", o);
}

int doctor_armv8(json_object *doc, const char *layout)
{
	struct blog_run runs[NRUNS];
	int err = compare_runs(runs);

	(void)layout;
	if (err)
		return cli_fail(PMK_EXIT_FAILED, "doctor armv8: %s", pmk_strerror(err));
	if (doc)
		blog_add_json(doc, runs, NRUNS);
	else
		print_blog(runs, NRUNS);
	return PMK_EXIT_OK;
}
