// SPDX-License-Identifier: MIT
/*
 * pmk doctor -T openocd:…, gdb:…, xvc:… or devmem: reach the counters of a board step by step, as
 * pmk stat does, and report the step that fails and what to do there. The values of the counters
 * are lost.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/error.h>
#include <pmk/l2cc.h>
#include <pmk/session.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/show.h"
#include "count/way.h"
#include "count/wired.h"
#include "result/jsonio.h"

#define COUNT_MS 100 /* time for which the target runs to see whether it counts */

/* ---- what is found --------------------------------------------------------------------------- */

/* A step of the examination. The first step that fails is the last one. */
struct step {
	const char *name;
	bool ok;
	char text[640];
	const char *advice; /* what to do; NULL: nothing */
};

#define MAX_STEPS 8

struct examination {
	struct pmk_wired wired;
	struct pmk_count_fault fault;
	struct step step[MAX_STEPS];
	unsigned n;
};

#define SAY(x, what, is_ok, then, ...)                             \
	do {                                                       \
		struct step *s_ = &(x)->step[(x)->n++];            \
		s_->name = what;                                   \
		s_->ok = is_ok;                                    \
		s_->advice = then;                                 \
		snprintf(s_->text, sizeof(s_->text), __VA_ARGS__); \
	} while (0)

/* ---- advice ---------------------------------------------------------------------------------- */

/* What to do if nothing answers, indexed by the way in which registers are reached. */
static const char *const no_answer[] = {
	[PMK_REACH_CP15] =
		"OpenOCD must have examined the target. Check that the target is powered, that "
		"its debug clock is on, that DBGEN is high, and that the JTAG chain has the IDs "
		"in OpenOCD's configuration; OpenOCD's log says more. A GDB stub must support "
		"'monitor arm mrc': OpenOCD's does, an emulator's does not.",
	[PMK_REACH_MEMORY] =
		"Check that the address is the block's physical address (--set base=, --layout), "
		"that the block has power and a clock, and that the probe's access port is on "
		"its bus. If the processor must be halted to access memory, DBGEN must be high.",
	[PMK_REACH_MDM] =
		"Check that the FPGA is configured, that --set tap= names its TAP (XVC: that "
		"--set irlen=, before= and after= describe its chain), and that --set user= "
		"agrees with C_JTAG_CHAIN.",
	[PMK_REACH_AXI] =
		"Check that the address is the MDM's (--set base=, node=), that the module was "
		"built with access to its debug registers from AXI (C_DBG_REG_ACCESS), and that "
		"no debugger is connected, because it may hold the access lock.",
};

static const char *const no_register[] = {
	[PMK_REACH_CP15] =
		"PMNC does not keep its value: this processor has no PMU. An emulated ARM11 has "
		"none and reads zeros.",
	[PMK_REACH_MEMORY] =
		"The control register does not keep its value. The address or the layout may be "
		"wrong, the block may have no clock, or it may be locked (PMUv3: the OS lock; "
		"EDPRSR says whether the core has power).",
	[PMK_REACH_MDM] =
		"The processor seems to have no counters. Check that it was built with "
		"C_DEBUG_ENABLED = 2, and that --set events= agrees with C_DEBUG_EVENT_COUNTERS.",
	[PMK_REACH_AXI] =
		"The processor seems to have no counters. Check that it was built with "
		"C_DEBUG_ENABLED = 2, and that --set events= agrees with C_DEBUG_EVENT_COUNTERS.",
};

static const char *answer_advice(const struct pmk_wired *w)
{
	if (w->wire.speaker == &pmk_speaker_xvc && w->reach == PMK_REACH_CP15)
		return "Check that --set before= and after= describe the other TAPs of the "
		       "chain, that the processor has power, that its debug clock is on, and "
		       "that DBGEN is high.";
	if (w->wire.speaker == &pmk_speaker_devmem)
		return "Check that the address is the block's physical address (--set base=, "
		       "node=, --layout), that the block has power and a clock, that Linux may "
		       "access it (it may be Secure), and that no driver uses it.";
	return no_answer[w->reach];
}

/* Returns advice for a failed connection, by protocol. */
static const char *no_connection(const struct pmk_speaker *speaker)
{
	if (speaker == &pmk_speaker_devmem)
		return "/dev/mem needs root, and a kernel with CONFIG_DEVMEM that permits access "
		       "to the address (no CONFIG_STRICT_DEVMEM, or iomem=relaxed). A UIO device "
		       "(uio_pdrv_genirq bound to the node) needs neither: -T devmem:/dev/uio0.";
	if (speaker == &pmk_speaker_xvc)
		return "Start the server (usually on port 2542), and disconnect other clients "
		       "such as hw_server, because it accepts only one. The board must have power.";
	return "Start the server (openocd -f BOARD.cfg; its tcl_port is 6666, its gdb_port "
	       "3333), and disconnect other clients from a stub, because it accepts only one.";
}

/* Advice for a server that responds although no TAP does. */
static const char no_chain[] =
	"The server responds, but no TAP does. Check that the board has power, that the cable is "
	"connected, that TRST and the board's reset are not asserted, and that the clock is slow "
	"enough for the TAP (--set tck=NS).";

static const char *zero_advice(const struct pmk_wired *w, int err)
{
	const struct pmk_driver *driver = w->pmu->driver;

	if (err == PMK_EFORBID)
		return "Non-invasive debug is not permitted. NIDEN must be high and, in the "
		       "Secure world, SPNIDEN or SUIDEN, too. On a chip, a fuse or a register "
		       "for debug authentication controls them.";
	if (err == PMK_EOFF)
		return "Other software on the target uses the counters, such as Linux's perf. "
		       "Stop it on the target.";
	if (err == PMK_ENOPMU)
		return no_register[w->reach];
	if (driver == pmk_l210.driver || driver == pmk_l220.driver)
		return "The cache must be on. On an L210, its event bus must be on, too: "
		       "Auxiliary Control bit 20, which must be set while the cache is off.";
	if (driver == pmk_arm1176.driver)
		return "The processor may wait for an interrupt with its clock stopped (WFI), or "
		       "may not run at all. Read its PC twice to see whether it changes.";
	if (driver == pmk_ahbmon.driver)
		return "There was no traffic on the buses, or the layout has the wrong bit for "
		       "enabling the counters.";
	if (driver == pmk_cortex_a53.driver)
		return "The core may be in WFI or powered down, the filter may exclude its "
		       "exception level (by default EL2 and Secure state are excluded), or "
		       "non-invasive debug may not be permitted: NIDEN and SPNIDEN, "
		       "MDCR_EL3.SPME, MDCR_EL2.HPMN.";
	return "The processor may be held in reset, or be asleep. If --set events=, latencies= "
	       "and width= do not agree with the design, pmk reads the wrong items.";
}

/* ---- the steps ------------------------------------------------------------------------------- */

static bool connect_to(struct examination *x, const struct pmk_speaker *speaker, const char *where)
{
	bool ok = !pmk_wired_connect(&x->wired, speaker, where, &x->fault);
	struct pmk_wire *wire = &x->wired.wire;

	if (ok)
		SAY(x, "connection", true, NULL, "%s answers; the target %s", wire->link.name,
		    speaker == &pmk_speaker_devmem ? "is this board"
		    : wire->found_halted	   ? "is halted"
		    : wire->held		   ? "was halted by the connection"
						   : "runs, as far as the probe knows");
	else if (speaker == &pmk_speaker_xvc && !pmk_wire_lost(wire))
		SAY(x, "chain", false, no_chain, "%s", pmk_count_fault_text(&x->fault));
	else
		SAY(x, "connection", false, no_connection(speaker), "%s",
		    pmk_count_fault_text(&x->fault));
	return ok;
}

/* Print the JTAG chain, if the protocol of the probe can list it. */
static void show_chain(struct examination *x)
{
	struct pmk_wire *wire = &x->wired.wire;
	char text[400];

	if (!wire->speaker->chain)
		return;
	if (!wire->speaker->chain(wire, text, sizeof(text)) && *text)
		SAY(x, "chain", true, NULL, "%s", text);
	else if (!pmk_wire_lost(wire))
		*wire->link.why = '\0';
}

static bool reach_target(struct examination *x)
{
	static const char *const how[] = { [PMK_REACH_CP15] = "coprocessor 15 answers",
					   [PMK_REACH_MEMORY] = "its memory answers",
					   [PMK_REACH_MDM] = "the debug module's TAP answers",
					   [PMK_REACH_AXI] =
						   "the debug module's registers answer" };
	struct pmk_wired *w = &x->wired;
	bool ok = !pmk_wired_reach(w, &x->fault);
	char at[40] = "";

	if (ok && (w->reach == PMK_REACH_MEMORY || w->reach == PMK_REACH_AXI))
		snprintf(at, sizeof(at), " at 0x%" PRIx64, w->set.base);
	if (ok)
		SAY(x, "access", true, NULL, "%s%s%s", how[w->reach], at,
		    w->wire.halts ? "; the target is halted for every access" : "");
	else
		SAY(x, "access", false, answer_advice(w), "%s", pmk_count_fault_text(&x->fault));
	return ok;
}

static bool ask_monitor(struct examination *x, struct pmk_dev *d)
{
	unsigned agree = 0;
	int err = pmk_ahbmon_probe(d, (uint32_t)x->wired.set.base, &agree);

	if (!err)
		SAY(x, "layout", true, NULL,
		    "all 90 counters hold their own addresses after a preset");
	else
		SAY(x, "layout", false,
		    "A layout is right if all 90 agree (DDI 0287B 4.3.28). The project's own "
		    "layout is invented, see docs/ahbmon.md. An emulator has no AHB Monitor.",
		    "%u of 90 counters hold their own addresses after a preset%s%s", agree,
		    err == PMK_EIO ? "; " : "",
		    err == PMK_EIO ? pmk_wired_why(&x->wired, err) : "");
	return !err;
}

/* Plan events that any code causes: cycles, and one that only an event counter counts. */
static void plan_events(const struct pmk_pmu *pmu, struct pmk_plan *plan)
{
	static const char *const always[] = { "cycles",	       "instructions",	     "clock_cycles",
					      "insn_executed", "ct_total_cycles_en", "clock",
					      "drreq" };

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]) && plan->nevents < 2; i++) {
		const struct pmk_event *ev = pmk_pmu_event(pmu, always[i]);

		if (ev && (!plan->nevents || plan->event[0].code != ev->code))
			plan->event[plan->nevents++].code = ev->code;
	}
}

static bool program_counters(struct examination *x, struct pmk_session *s,
			     const struct pmk_plan *plan)
{
	struct pmk_wired *w = &x->wired;
	bool running = false;
	int err = pmk_wire_hold(&w->wire);

	if (!err)
		err = pmk_session_open(s, w->pmu, plan, &w->port);
	if (!err)
		err = pmk_session_start(s);
	if (!err)
		err = w->pmu->driver->running(&s->pass[0].dev, &running);
	if (err)
		SAY(x, "registers", false, answer_advice(w), "%s", pmk_wired_why(w, err));
	else if (!running && w->reach != PMK_REACH_MDM && w->reach != PMK_REACH_AXI)
		SAY(x, "registers", false, no_register[w->reach],
		    "the counters were started, but do not run");
	else
		SAY(x, "registers", true, NULL, "they were programmed, and the counters started");
	return x->step[x->n - 1].ok;
}

/* Let the target run for a while, and read. */
static int run_and_read(struct pmk_wired *w, struct pmk_session *s, uint64_t total[PMK_MAX_EVENTS])
{
	const struct timespec while_ = { .tv_nsec = COUNT_MS * 1000000L };
	int err = pmk_wire_let_go(&w->wire);

	if (!err)
		nanosleep(&while_, NULL);
	if (!err)
		err = pmk_wire_hold(&w->wire);
	return err ? err : pmk_session_read(s, total);
}

/* True if the counters read as all ones, as a bus without a device at this address does. */
static bool is_ones(const struct pmk_pmu *pmu, const struct pmk_plan *plan,
		    const uint64_t total[PMK_MAX_EVENTS])
{
	for (unsigned i = 0; i < plan->nevents; i++)
		if (total[i] != pmk_pmu_range(pmu, plan->event[i].code))
			return false;
	return plan->nevents > 0;
}

static void count_pass(struct examination *x, struct pmk_session *s, const struct pmk_plan *plan)
{
	struct pmk_wired *w = &x->wired;
	const struct pmk_driver *driver = w->pmu->driver;
	uint64_t total[PMK_MAX_EVENTS] = { 0 };
	int err = run_and_read(w, s, total), why = PMK_ESTILL;

	if (err) {
		SAY(x, "counts", false, answer_advice(w), "%s", pmk_wired_why(w, err));
		return;
	}
	if (is_ones(w->pmu, plan, total)) {
		SAY(x, "counts", false, answer_advice(w),
		    "every register reads as ones: no device responds");
		return;
	}
	for (unsigned i = 0; i < s->plan.nevents; i++) {
		const struct pmk_event *ev = pmk_pmu_event_code(w->pmu, plan->event[i].code);

		if (total[i]) {
			SAY(x, "counts", true, NULL, "%s: %" PRIu64 " in %d ms", ev->name, total[i],
			    COUNT_MS);
			continue;
		}
		if (driver->still)
			why = driver->still(&s->pass[0].dev, s->plan.event[i].counter);
		SAY(x, "counts", false, zero_advice(w, why), "%s: 0 in %d ms: %s", ev->name,
		    COUNT_MS, pmk_wired_why(w, why));
		break;
	}
	driver->reset(&s->pass[0].dev);
}

static void examine_target(struct examination *x, const struct pmk_speaker *speaker,
			   const char *where)
{
	static struct pmk_session s;
	static struct pmk_plan plan;
	struct pmk_wired *w = &x->wired;
	struct pmk_dev dev = { 0 };

	plan = (struct pmk_plan){ 0 };
	if (!connect_to(x, speaker, where))
		return;
	show_chain(x);
	if (!reach_target(x))
		return;
	plan_events(w->pmu, &plan);
	if (pmk_plan_make(w->pmu, &plan))
		return;
	dev.pmu = w->pmu;
	dev.port = w->port;
	if (w->pmu->driver == pmk_ahbmon.driver &&
	    (pmk_wire_hold(&w->wire) || !ask_monitor(x, &dev)))
		return;
	if (program_counters(x, &s, &plan))
		count_pass(x, &s, &plan);
}

/* ---- showing --------------------------------------------------------------------------------- */

static void print_text(const struct examination *x, const char *target)
{
	printf("%s%s%s: the counters of %s\n\n", show_bold(), target, show_plain(),
	       x->wired.pmu->name);
	for (unsigned i = 0; i < x->n; i++) {
		const struct step *s = &x->step[i];

		pmk_print(stdout, "  %-8s %-12s %s\n", s->ok ? "ok" : "broken", s->name, s->text);
		if (s->advice)
			show_wrapped(s->advice, "                        ",
				     "                        ", 96);
	}
}

static void add_json(json_object *doc, const struct examination *x, const char *target)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();

	pmk_json_text(o, "target", target);
	pmk_json_text(o, "pmu", x->wired.pmu->name);
	for (unsigned i = 0; i < x->n; i++) {
		const struct step *s = &x->step[i];
		json_object *one = json_object_new_object();

		pmk_json_text(one, "name", s->name);
		pmk_json_text(one, "status", s->ok ? "ok" : "broken");
		pmk_json_text(one, "text", s->text);
		pmk_json_text(one, "advice", s->advice);
		json_object_array_add(list, one);
	}
	pmk_json_add(o, "steps", list);
	pmk_json_add(doc, "target", o);
}

/* Returns the speaker of "openocd:HOST:PORT", and the text after the first colon. */
static const struct pmk_speaker *speaker_of(const char *target, const char **where)
{
	static const struct pmk_speaker *const known[] = { &pmk_speaker_openocd, &pmk_speaker_gdb,
							   &pmk_speaker_xvc, &pmk_speaker_devmem };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t n = strlen(known[i]->name);

		*where = target + n + 1;
		if (!strncmp(target, known[i]->name, n) && target[n] == ':')
			return known[i];
	}
	*where = pmk_way_devmem.usual;
	if (!strcmp(target, pmk_way_devmem.name))
		return &pmk_speaker_devmem;
	return NULL;
}

int doctor_target(json_object *doc, const struct doctor_board *board)
{
	static struct examination x = { .fault.options = true };
	const char *where, *data = board->layout ? "" : cli_data_dir();
	const struct pmk_speaker *speaker = speaker_of(board->target, &where);

	if (!speaker)
		return cli_fail(PMK_EXIT_USAGE,
				"-T %s: expected openocd:HOST:PORT, gdb:HOST:PORT, "
				"xvc:HOST:PORT or devmem[:FILE]",
				board->target);
	if (!data)
		return PMK_EXIT_FAILED;
	if (pmk_wired_choose(&x.wired,
			     &(struct pmk_wired_request){ .speaker = speaker,
							  .where = where,
							  .pmu = board->pmu,
							  .overrides = &board->settings,
							  .layout = board->layout,
							  .data = data },
			     &x.fault))
		return cli_fault(&x.fault);
	examine_target(&x, speaker, where);
	pmk_wired_close(&x.wired);
	/* The target is not a HOST:PORT, so pmk did not try to connect. */
	if (x.n == 1 && x.fault.failure == PMK_COUNT_USAGE)
		return cli_fault(&x.fault);
	if (doc)
		add_json(doc, &x, board->target);
	else
		print_text(&x, board->target);
	pmk_count_fault_free(&x.fault);
	return x.step[x.n - 1].ok ? PMK_EXIT_OK : PMK_EXIT_FAILED;
}
