// SPDX-License-Identifier: MIT
/*
 * Every access of the library's machine code goes to the right register with the right value. The
 * machine's accesses equal those of the same program compiled for the host, whose port accesses a
 * model directly. Before each access, the twin's bus is advanced to the totals that the machine's
 * bus had at this access, so both models see the same events.
 */
#include <string.h>

#include "rig.h"

#include "guest.h"

#define MAX_LOG	      4096
#define COUNT(a)      (sizeof(a) / sizeof((a)[0]))
#define RAISE_INSN    "+INSN" /* not a function: raises the signal on the machine */
#define RAISE_CYCLE   "+CYCLE"
#define RAISE_MISS    "+L1D_MISS"
#define OVERFLOW_LUMP 0xffffffff

/* ---- accesses of the machine ----------------------------------------------------------------- */

struct logged {
	struct access access;
	uint64_t cycles, insns, misses;
};

static struct {
	struct logged entry[MAX_LOG];
	unsigned n, next;
} log_;

static void record(struct machine *m, const struct access *a)
{
	CHECK(log_.n < MAX_LOG, "the log is full");
	log_.entry[log_.n++] =
		(struct logged){ *a, m->bus.total[PMK_SIG_CYCLE], m->bus.total[PMK_SIG_INSN],
				 m->bus.total[PMK_SIG_L1D_MISS] };
}

/* ---- the twin -------------------------------------------------------------------------------- */

static struct {
	struct pmk_model_port to_model;
	struct pmk_bus bus;
	struct pmk_port port;
} twin;

static void twin_sync(void)
{
	twin.to_model.ops->sync(twin.to_model.model, &twin.bus);
	pmk_bus_forget(&twin.bus);
	twin.to_model.ops->ask(twin.to_model.model, &twin.bus);
}

static void twin_raise(enum pmk_signal signal, uint64_t until)
{
	while (twin.bus.total[signal] < until) {
		uint64_t left = until - twin.bus.total[signal];
		uint64_t horizon = pmk_bus_horizon(&twin.bus, signal);

		pmk_bus_add(&twin.bus, signal, left < horizon ? left : horizon);
		if (pmk_bus_due(&twin.bus))
			twin_sync();
	}
}

/*
 * Advances the twin's bus to the totals of this access: first the executed instructions, one cycle
 * each, and then the other signals.
 */
static void twin_live_until(const struct logged *l)
{
	uint64_t *cycles = &twin.bus.total[PMK_SIG_CYCLE], *insns = &twin.bus.total[PMK_SIG_INSN];

	while (*cycles < l->cycles && *insns < l->insns && l->insns - *insns < 1000000) {
		++*cycles;
		++*insns;
		if (pmk_bus_due(&twin.bus))
			twin_sync();
	}
	twin_raise(PMK_SIG_CYCLE, l->cycles);
	twin_raise(PMK_SIG_INSN, l->insns);
	twin_raise(PMK_SIG_L1D_MISS, l->misses);
}

static const struct logged *expect(bool write, unsigned reg)
{
	const struct logged *l = &log_.entry[log_.next];

	CHECK(log_.next < log_.n, "access %u: the firmware stopped, its twin goes on with %s %u",
	      log_.next, write ? "writing" : "reading", reg);
	CHECK(l->access.write == write && l->access.reg == reg,
	      "access %u: the firmware's is %s %u, its twin's %s %u", log_.next,
	      l->access.write ? "write" : "read", l->access.reg, write ? "write" : "read", reg);
	log_.next++;
	twin_live_until(l);
	return l;
}

static int twin_read(void *ctx, unsigned reg, uint64_t *value)
{
	const struct logged *l = expect(false, reg);
	int err = twin.port.read(twin.port.ctx, reg, value);

	(void)ctx;
	CHECK(!err, "twin: %s", pmk_strerror(err));
	CHECK(*value == l->access.value, "access %u reads 0x%llx, its twin 0x%llx", log_.next - 1,
	      (ull)l->access.value, (ull)*value);
	return 0;
}

static int twin_write(void *ctx, unsigned reg, uint64_t value)
{
	const struct logged *l = expect(true, reg);

	(void)ctx;
	CHECK(value == l->access.value, "access %u writes 0x%llx, its twin 0x%llx", log_.next - 1,
	      (ull)l->access.value, (ull)value);
	return twin.port.write(twin.port.ctx, reg, value);
}

struct pmk_port g_port(void)
{
	return (struct pmk_port){ .read = twin_read, .write = twin_write };
}

void g_spin(uint32_t n)
{
	(void)n;
}

uintptr_t g_mask(void)
{
	return 0;
}

void g_restore(uintptr_t before)
{
	(void)before;
}

/* ---- the functions of guest.c, on the host --------------------------------------------------- */

int g_open(unsigned), g_seize(unsigned), g_add(unsigned), g_regions(void), g_interrupts(bool),
	g_sample(unsigned, uint32_t, uint32_t), g_start(void), g_stop(void), g_close(void),
	g_read_all(void), g_read(unsigned), g_poll(void), g_irq_enable(uint32_t), g_begin(unsigned),
	g_end(unsigned), g_switch_out(void), g_switch_in(unsigned), g_task_read(unsigned);
void g_clear(void), g_isr(uintptr_t), g_region_nested(uint32_t, uint32_t, uint32_t);
extern uint64_t g_totals[];
extern unsigned g_served;

/* One step of a script: a function that both the machine and its twin call. */
struct step {
	const char *function;
	uint64_t a, b, c;
};

static int twin_step(const struct step *s)
{
#define CALL(name, arguments)            \
	if (!strcmp(s->function, #name)) \
		return name arguments;
#define CALL_VOID(name, arguments)         \
	if (!strcmp(s->function, #name)) { \
		name arguments;            \
		return 0;                  \
	}
	CALL(g_open, ((unsigned)s->a))
	CALL(g_seize, ((unsigned)s->a))
	CALL(g_add, ((unsigned)s->a))
	CALL(g_regions, ())
	CALL(g_interrupts, (s->a))
	CALL(g_sample, ((unsigned)s->a, (uint32_t)s->b, (uint32_t)s->c))
	CALL(g_start, ())
	CALL(g_stop, ())
	CALL(g_close, ())
	CALL(g_read_all, ())
	CALL(g_read, ((unsigned)s->a))
	CALL(g_poll, ())
	CALL(g_irq_enable, ((uint32_t)s->a))
	CALL(g_begin, ((unsigned)s->a))
	CALL(g_end, ((unsigned)s->a))
	CALL(g_switch_out, ())
	CALL(g_switch_in, ((unsigned)s->a))
	CALL(g_task_read, ((unsigned)s->a))
	CALL_VOID(g_isr, (s->a))
	CALL_VOID(g_region_nested, ((uint32_t)s->a, (uint32_t)s->b, (uint32_t)s->c))
	CHECK(false, "no twin of %s", s->function);
	return 0;
}

/* ---- playing a script ------------------------------------------------------------------------ */

static bool raised(struct machine *m, const struct step *s)
{
	if (s->function[0] != '+')
		return false;
	for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
		if (!strcmp(pmk_signal_name(sig), s->function + 1))
			machine_raise(m, sig, s->a);
	return true;
}

static void power_twin(struct machine *m)
{
	pmk_bus_init(&twin.bus);
	twin.bus.raised = m->bus.raised;
	twin.to_model = (struct pmk_model_port){ m->ops, calloc(1, m->ops->size), &twin.bus,
						 PMK_MODE_PRIV };
	m->ops->reset(twin.to_model.model, &twin.bus, m->ops->pmu);
	twin.port = pmk_port_model(&twin.to_model);
	g_clear();
	memset(&log_, 0, sizeof(log_));
}

/* Functions without a result leave any value in r0. */
static bool has_result(const char *function)
{
	return strcmp(function, "g_isr") && strcmp(function, "g_region_nested");
}

static void play(struct machine *m, const struct pmk_pmu *pmu, const struct step *script, size_t n)
{
	machine_reset(m, pmu);
	m->ctx = NULL;
	m->boundary = NULL;
	m->before = NULL;
	m->after = record;
	power_twin(m);
	for (size_t i = 0; i < n; i++) {
		const struct step *s = &script[i];
		int got, want;

		if (raised(m, s))
			continue;
		got = (int)(uint32_t)machine_call(m, s->function, s->a, s->b, s->c);
		want = twin_step(s);
		CHECK(log_.next == log_.n, "%s: step %zu, %s: %u accesses, its twin's %u",
		      pmu->name, i, s->function, log_.n, log_.next);
		CHECK(got == want || !has_result(s->function), "%s: step %zu, %s: %d, its twin %d",
		      pmu->name, i, s->function, got, want);
		for (unsigned e = 0; e < 8; e++)
			CHECK(machine_number(m, "g_totals", e) == g_totals[e],
			      "%s: step %zu, %s: total %u is %llu, its twin's %llu", pmu->name, i,
			      s->function, e, (ull)machine_number(m, "g_totals", e),
			      (ull)g_totals[e]);
		log_.n = log_.next = 0;
	}
	free(twin.to_model.model);
}

/* Runs a sequence of all operations on the events `e0` to `e2`. */
static void run_all_operations(struct machine *m, const struct pmk_pmu *pmu, unsigned core,
			       unsigned e0, unsigned e1, unsigned e2)
{
	for (unsigned interrupts = 0; interrupts < 2; interrupts++) {
		const struct step script[] = {
			{ "g_open", core, 0, 0 },
			{ "g_add", e0, 0, 0 },
			{ "g_add", e1, 0, 0 },
			{ "g_add", e2, 0, 0 },
			{ "g_add", 0x3f, 0, 0 }, /* no core has this event */
			{ "g_interrupts", interrupts, 0, 0 },
			{ "g_regions", 0, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ "g_start", 0, 0, 0 },
			{ "g_start", 0, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ "g_read", 1, 0, 0 },
			{ RAISE_MISS, OVERFLOW_LUMP, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ RAISE_INSN, OVERFLOW_LUMP, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ "g_isr", 0x1234, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ RAISE_CYCLE, OVERFLOW_LUMP, 0, 0 },
			{ "g_poll", 0, 0, 0 },
			{ "g_isr", 0x1234, 0, 0 },
			{ "g_begin", 0, 0, 0 },
			{ RAISE_MISS, OVERFLOW_LUMP, 0, 0 },
			{ "g_end", 0, 0, 0 },
			{ "g_isr", 0x1234, 0, 0 },
			{ "g_region_nested", 0, 0, 2 },
			{ "g_switch_out", 0, 0, 0 },
			{ RAISE_MISS, 1000, 0, 0 },
			{ "g_switch_in", 1, 0, 0 },
			{ "g_task_read", 0, 0, 0 },
			{ "g_irq_enable", 3, 0, 0 },
			{ RAISE_MISS, OVERFLOW_LUMP, 0, 0 },
			{ "g_stop", 0, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ "g_isr", 0x1234, 0,
			  0 }, /* overflows while running, handled while stopped */
			{ "g_read_all", 0, 0, 0 },
			{ "g_start", 0, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ "g_stop", 0, 0, 0 },
			{ "g_close", 0, 0, 0 },
			{ "g_seize", core, 0, 0 },
			{ "g_add", e0, 0, 0 },
			{ "g_add", e2, 0, 0 },
			{ "g_sample", 1, 1000, 16 },
			{ "g_interrupts", interrupts, 0, 0 },
			{ "g_start", 0, 0, 0 },
			{ RAISE_MISS, 1003, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ "g_isr", 0x1234, 0, 0 },
			{ "g_read_all", 0, 0, 0 },
			{ "g_close", 0, 0, 0 },
		};

		play(m, pmu, script, COUNT(script));
	}
}

static void test_twin(struct machine *m)
{
	if (machine_is_armv8(m)) {
		run_all_operations(m, pmk_pmu_find("cortex_a53"), G_CORTEX_A53, 0x11, 0x08, 0x03);
		return;
	}
	run_all_operations(m, pmk_pmu_find("arm1176"), G_ARM1176, 0xff, 0x07, 0x0b);
	run_all_operations(m, pmk_pmu_find("arm1136"), G_ARM1136, 0xff, 0x07, 0x0b);
	run_all_operations(m, pmk_pmu_find("arm1156"), G_ARM1156, 0xff, 0x07, 0x0b);
	run_all_operations(m, pmk_pmu_find("arm11mpcore"), G_ARM11MPCORE, 0xff, 0x08, 0x0b);
}

/* ---- literal sequences ----------------------------------------------------------------------- */

static void check_log(struct machine *m, const char *function, uint64_t a, const char *want)
{
	char text[4096] = "";
	size_t length = 0;

	log_.n = 0;
	machine_call(m, function, a, 0, 0);
	for (unsigned i = 0; i < log_.n && length < sizeof(text) - 40; i++) {
		const struct access *x = &log_.entry[i].access;

		length += (size_t)sprintf(text + length, x->write ? " W%u=%llx" : " R%u", x->reg,
					  (ull)x->value);
	}
	CHECK(!strcmp(length ? text + 1 : text, want), "%s: \"%s\", want \"%s\"", function,
	      length ? text + 1 : text, want);
}

/*
 * The words of PMNC are those of DAI 0195B Table 1, with 0x07 on PMN0, 0x0B on PMN1, and 0x20 on
 * unused counters.
 */
static void test_words_arm11(struct machine *m)
{
	if (machine_is_armv8(m))
		return;
	machine_reset(m, pmk_pmu_find("arm1176"));
	m->boundary = NULL;
	m->before = NULL;
	m->after = record;
	check_log(m, "g_open", G_ARM1176, "R0 R0 W0=2020707 W0=2020006");
	check_log(m, "g_add", 0xff, "R0");
	check_log(m, "g_add", 0x07, "R0 R0 W0=720000");
	check_log(m, "g_add", 0x0b, "R0 R0 W0=70b000");
	check_log(m, "g_interrupts", 1, "R0 R0 W0=70b070 R0 W0=70b000");
	machine_call(m, "g_start", 0, 0, 0);
	check_log(m, "g_read_all", 0, "R1 R2 R3 R0");
	check_log(m, "g_poll", 0, "");
	machine_raise(m, PMK_SIG_CYCLE, UINT32_MAX);
	machine_raise(m, PMK_SIG_L1D_MISS, UINT64_C(1) << 32);
	check_log(m, "g_isr", 0, "R0 R0 W0=70b671");
	check_log(m, "g_stop", 0, "R0 W0=70b070");
	check_log(m, "g_start", 0, "R0 W0=70b071");
	check_log(m, "g_close", 0, "R0 W0=70b070 R0 W0=2020707 W0=2020006");
}

/*
 * PMUv3 on a Cortex-A53, registers by our numbers: 0 PMCR, 1 PMCNTENSET, 2 PMCNTENCLR, 3 PMOVSCLR,
 * 6 PMCEID0, 13 PMINTENSET, 14 PMINTENCLR, 8 PMCCNTR, 16 PMCCFILTR, 18 + n PMEVCNTR<n>, 49 + n
 * PMEVTYPER<n>. Bits as in DDI 0487 D13: PMCR.LC is 0x40, C 4, P 2, E 1; bit 31 of a set is
 * PMCCNTR. An A53's PMCR reads 0x4103'3000 (DDI 0500).
 */
static void test_words_armv8(struct machine *m)
{
	if (!machine_is_armv8(m))
		return;
	machine_reset(m, pmk_pmu_find("cortex_a53"));
	m->boundary = NULL;
	m->before = NULL;
	m->after = record;
	check_log(m, "g_open", G_CORTEX_A53,
		  "R17 R0 R0 W0=40 W2=ffffffff W14=ffffffff W3=ffffffff W0=46");
	check_log(m, "g_add", 0x11, "R0 W16=0");
	check_log(m, "g_add", 0x08, "R0 R0 R6 W49=8");
	check_log(m, "g_add", 0x03, "R0 R0 R6 W50=3");
	check_log(m, "g_interrupts", 1, "R0 W14=7ffffffc W13=80000003 W14=ffffffff");
	machine_call(m, "g_start", 0, 0, 0);
	check_log(m, "g_read_all", 0, "R8 R18 R19 R3");
	check_log(m, "g_poll", 0, "");
	machine_raise(m, PMK_SIG_INSN, UINT32_MAX);
	machine_raise(m, PMK_SIG_L1D_MISS, UINT64_C(1) << 32);
	check_log(m, "g_isr", 0, "R3 W3=3");
	check_log(m, "g_stop", 0, "R0 W0=41033040");
	check_log(m, "g_start", 0, "R0 W1=80000003 W0=41033041");
	check_log(m, "g_close", 0,
		  "R0 W0=41033040 R0 W0=40 W2=ffffffff W14=ffffffff W3=ffffffff W0=46");
}

const struct test sequence_tests[] = {
	{ "twin", test_twin },
	{ "words_arm11", test_words_arm11 },
	{ "words_armv8", test_words_armv8 },
	{ 0 },
};
