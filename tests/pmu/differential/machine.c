// SPDX-License-Identifier: MIT
/*
 * Runs the operations on the model instead of a core. They become accesses to registers and inputs
 * of the model. For each instruction that QEMU's clock counts, the bus gets an instruction and
 * 2^shift cycles. QEMU also counts an instruction that takes an exception; which instructions the
 * architecture counts is a matter of the producer, not of the PMU.
 *
 * An access sees everything up to and including itself, because MRS and MSR are counted before
 * their own access.
 */
#include "program.h"

#include <string.h>

#include "pmu/armv8/model.h"

const char *const fault_names[NFAULTS] = {
	[FAULT_NONE] = "none",	       [FAULT_LOOP] = "loop",	    [FAULT_CYCLES] = "cycles",
	[FAULT_COUNTERS] = "counters", [FAULT_VERSION] = "version", [FAULT_LEVEL] = "level",
	[FAULT_WORLD] = "world",       [FAULT_HPMN] = "hpmn",	    [FAULT_TRAP] = "trap",
};

/* Bits of MDCR_EL2.{TPMCR,TPM} and MDCR_EL3.TPM; of MDCR_EL2.HPMN. */
#define TPM_TPMCR UINT64_C(0x60)
#define TPM	  UINT64_C(0x40)
#define HPMN	  UINT64_C(0x1F)

/* ---- its state ----------------------------------------------------------------------------- */

unsigned machine_top(const struct machine *m)
{
	return m->board->el3 ? 3 : m->board->el2 ? 2 : 1;
}

bool machine_el2(const struct machine *m)
{
	bool secure = m->board->el3 && !(m->scr & SCR_NS);

	return m->board->el2 && (!secure || (m->core->secure_el2 && (m->scr & SCR_EEL2)));
}

unsigned machine_hpmn(const struct machine *m)
{
	return m->board->el2 ? (unsigned)(m->mdcr2 & HPMN) : COUNTERS;
}

int machine_counter(const struct machine *m, unsigned reg)
{
	if (reg == PMK_ARMV8_PMXEVCNTR || reg == PMK_ARMV8_PMXEVTYPER)
		return m->model.selr;
	if (reg >= PMK_ARMV8_PMEVTYPER0 && reg < PMK_ARMV8_NREGS)
		return (int)reg - PMK_ARMV8_PMEVTYPER0;
	if (reg >= PMK_ARMV8_PMEVCNTR0 && reg < PMK_ARMV8_PMEVTYPER0)
		return (int)reg - PMK_ARMV8_PMEVCNTR0;
	return -1;
}

static void set_input(struct machine *m, enum pmk_armv8_input input, uint64_t value)
{
	if (m->fault == FAULT_LEVEL && input == PMK_ARMV8_IN_EL && value == 0)
		value = 1;
	if (m->fault == FAULT_WORLD && input == PMK_ARMV8_IN_SECURE)
		value = 0;
	if (m->fault == FAULT_HPMN && input == PMK_ARMV8_IN_MDCR_EL2)
		value = COUNTERS;
	if (m->fault == FAULT_TRAP && input == PMK_ARMV8_IN_MDCR_EL2)
		value &= ~TPM_TPMCR;
	if (m->fault == FAULT_TRAP && input == PMK_ARMV8_IN_MDCR_EL3)
		value &= ~TPM;
	pmk_armv8_model_input(&m->model, &m->bus, input, value);
}

void machine_init(struct machine *m, const struct core *core, const struct board *board,
		  enum fault fault)
{
	struct pmk_armv8_params params = pmk_armv8_defaults(core->pmu);
	uint8_t version = core->version;

	memset(m, 0, sizeof(*m));
	m->core = core;
	m->board = board;
	m->fault = fault;
	m->el = machine_top(m);
	for (size_t i = 0; i < sizeof(pmk_armv8_models) / sizeof(pmk_armv8_models[0]); i++)
		if (pmk_armv8_models[i].pmu == core->pmu)
			m->ops = &pmk_armv8_models[i];
	if (fault == FAULT_VERSION)
		version = version == 6 ? 5 : 6;
	params.counters = fault == FAULT_COUNTERS ? 5 : COUNTERS;
	params.version = version;
	params.imp = 0x41;
	params.idcode = core->idcode;
	params.pmceid[0] = core->pmceid[0];
	params.pmceid[1] = core->pmceid[1];
	params.el2 = board->el2;
	params.el3 = board->el3;
	pmk_bus_init(&m->bus);
	memset(&m->bus.raised, 0xFF,
	       sizeof(m->bus.raised)); /* inputs that are not set below are 0 */
	pmk_armv8_model_reset(&m->model, core->pmu, &params, &m->bus);
	m->mdcr2 = COUNTERS;
	set_input(m, PMK_ARMV8_IN_EL, m->el);
	set_input(m, PMK_ARMV8_IN_SECURE, board->el3);
}

/* ---- what the comparison has to know ------------------------------------------------------- */

/* Returns true if PMCCNTR counts every 64th cycle, because PMCR.D = 1 and LC = 0. */
static bool divides(const struct machine *m)
{
	return (pmk_armv8_counting(&m->model, m->el) & 0x80000000) &&
	       (m->model.pmcr & 0x48) == 0x08;
}

/*
 * Records whether PMCR.D divides now. Each time it starts, the difference between PMCCNTR here and
 * in QEMU may grow by one, because the divider of QEMU has another phase.
 */
static void watch_divider(struct machine *m)
{
	bool now = divides(m);
	struct pmk_armv8_model ahead = m->model;
	uint32_t low, near;

	if (now && !m->dividing)
		m->divided++;
	m->dividing = now;
	if (!m->divided)
		return;
	pmk_armv8_sync(&ahead, &m->bus);
	low = (uint32_t)ahead.cycles;
	near = m->divided + 1;
	if (low <= near || low >= 0 - near)
		m->flag_unsure = true;
}

/*
 * Records the counters that overflowed after QEMU last looked at them, even if their flags were
 * already set. Uses a copy of the model, so the model itself is not synchronised.
 */
static void watch_overflows(struct machine *m)
{
	struct pmk_armv8_model ahead = m->model;

	ahead.ovs = 0;
	pmk_armv8_sync(&ahead, &m->bus);
	m->late |= ahead.ovs;
}

static void watch_write(struct machine *m, unsigned reg, uint64_t value, uint32_t pmcr)
{
	if (reg == PMK_ARMV8_PMCNTENSET)
		m->late = 0;
	if (reg == PMK_ARMV8_PMCCNTR || (reg == PMK_ARMV8_PMCR && (value & 4)))
		m->divided = divides(m);
	if ((reg == PMK_ARMV8_PMOVSCLR || reg == PMK_ARMV8_PMOVSSET) && (value & 0x80000000))
		m->flag_unsure = false;
	if (reg == PMK_ARMV8_PMOVSCLR || reg == PMK_ARMV8_PMOVSSET || reg == PMK_ARMV8_PMINTENSET ||
	    reg == PMK_ARMV8_PMINTENCLR)
		m->line_late = false;
	if ((pmcr ^ m->model.pmcr) & 1)
		m->line_late = true;
}

/* ---- operations ---------------------------------------------------------------------------- */

static void tick(struct machine *m, uint64_t instructions)
{
	pmk_bus_add(&m->bus, PMK_SIG_INSN, instructions);
	pmk_bus_add(&m->bus, PMK_SIG_CYCLE, instructions << m->core->shift);
	watch_overflows(m);
	watch_divider(m);
}

static void go_to(struct machine *m, unsigned el)
{
	set_input(m, PMK_ARMV8_IN_EL, el);
	m->el = el;
	m->late = 0;
	watch_divider(m);
}

/* Enters the vectors of the level to which the denied access trapped, and returns from them. */
static uint64_t trapped(struct machine *m)
{
	struct pmk_armv8_trap trap = m->model.trap;
	unsigned el = m->el;

	go_to(m, trap.el);
	tick(m, UNWANTED);
	go_to(m, el);
	return MARKER + ((uint64_t)trap.el << 8) + trap.ec;
}

static enum pmk_mode mode(const struct machine *m)
{
	return m->el ? PMK_MODE_PRIV : PMK_MODE_USER;
}

static uint64_t read_register(struct machine *m, unsigned reg)
{
	uint64_t value;

	if (m->ops->read(&m->model, &m->bus, mode(m), reg, &value) == PMK_OK)
		return value;
	return trapped(m);
}

static void write_control(struct machine *m, unsigned reg, uint64_t value)
{
	switch (reg) {
	case MDCR_EL2:
		m->mdcr2 = value;
		set_input(m, PMK_ARMV8_IN_MDCR_EL2, value);
		break;
	case MDCR_EL3:
		m->mdcr3 = value;
		set_input(m, PMK_ARMV8_IN_MDCR_EL3, value);
		break;
	case HCR_EL2:
		m->hcr = value;
		set_input(m, PMK_ARMV8_IN_TGE, !!(value & HCR_TGE));
		break;
	case SCR_EL3:
		m->scr = value;
		set_input(m, PMK_ARMV8_IN_SECURE, !(value & SCR_NS));
		/*
		 * The model has no input for SCR_EL3.EEL2, so the test sets the model's parameter.
		 */
		m->model.params.secure_el2 = m->core->secure_el2 && (value & SCR_EEL2);
		break;
	}
	watch_divider(m);
}

static uint64_t write_register(struct machine *m, unsigned reg, uint64_t value)
{
	uint32_t pmcr = m->model.pmcr;

	if (reg == PMK_ARMV8_PMOVSCLR && (m->late & value))
		m->flag_lost = true;
	if (reg >= PMK_ARMV8_NREGS) {
		write_control(m, reg, value);
		return value;
	}
	if (m->ops->write(&m->model, &m->bus, mode(m), reg, value) != PMK_OK)
		return trapped(m);
	watch_write(m, reg, value, pmcr);
	watch_divider(m);
	return value;
}

static uint64_t line(struct machine *m)
{
	m->ops->sync(&m->model, &m->bus);
	return m->ops->lines(&m->model) & 1;
}

static void up(struct machine *m, const struct op *op)
{
	tick(m, BEFORE_UP);
	switch (op->value) {
	case SVC:
		go_to(m, machine_el2(m) && (m->hcr & HCR_TGE) ? 2 : 1);
		break;
	case HVC:
		go_to(m, 2);
		break;
	default:
		go_to(m, 3);
		break;
	}
	tick(m, WANTED);
}

static void dump(struct machine *m, const struct op *op, log_fn *log, void *ctx)
{
	tick(m, CALL + BEFORE_DUMP);
	write_register(m, PMK_ARMV8_PMCNTENSET, 0);
	for (unsigned i = 0; i < NDUMPED; i++) {
		tick(m, DUMP_READ);
		log(ctx, m, op, dumped[i], read_register(m, dumped[i]));
		tick(m, DUMP_STORE);
	}
	tick(m, RETURN);
}

void machine_step(struct machine *m, const struct op *op, log_fn *log, void *ctx)
{
	switch ((enum op_kind)op->kind) {
	case OP_RESET: /* this is the state after a reset */
		break;
	case OP_READ:
		tick(m, BEFORE_READ);
		log(ctx, m, op, op->reg, read_register(m, op->reg));
		tick(m, AFTER_READ);
		break;
	case OP_WRITE:
		tick(m, BEFORE_WRITE);
		log(ctx, m, op, op->reg, write_register(m, op->reg, op->value));
		tick(m, AFTER_WRITE);
		break;
	case OP_PENDING:
		tick(m, BEFORE_PENDING);
		log(ctx, m, op, NREGISTERS, line(m));
		tick(m, AFTER_PENDING);
		break;
	case OP_LOOP:
		tick(m, LOOP_ONCE + LOOP_EACH * op->value + (m->fault == FAULT_LOOP));
		pmk_bus_add(&m->bus, PMK_SIG_CYCLE, m->fault == FAULT_CYCLES);
		break;
	case OP_DOWN:
		tick(m, DOWN);
		go_to(m, op->to);
		break;
	case OP_UP:
		up(m, op);
		break;
	case OP_DUMP:
		dump(m, op, log, ctx);
		break;
	}
}
