// SPDX-License-Identifier: MIT
/*
 * The machine of machine.h.
 *
 * Register accesses are found in the code before it runs. A hook before every instruction performs
 * them and skips the instruction, because Unicorn ignores c15, and has its own PMUv3, which counts
 * host time. An interrupt ends emulation at an instruction boundary, saves the whole core, runs the
 * handler and restores the core, so the interrupted code continues exactly where it was. Exception
 * levels and banked registers are therefore not tested; the model gets the mode of accesses from
 * `mode`.
 *
 * Memory timing, instruction fetch, and instructions of more than one cycle are not modelled.
 * Accesses happen in program order, so a missing barrier is not detected here.
 */
#include "machine.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unicorn/unicorn.h>

#include <pmk/arm11.h>
#include <pmk/armv8_model.h>

#define PAGE	     0x1000
#define STACK	     0x00800000 /* start of the stacks of all levels */
#define STACK_SIZE   0x00010000
#define RETURN_HERE  0x00900000
#define MAX_SEGMENTS 8
/* A call that executes more instructions than this is in an endless loop. */
#define LIMIT	     100000000

/* An instruction that accesses the PMU. */
struct site {
	bool is, write;
	bool pair; /* MRRC or MCRR with rt and rt2 */
	uint8_t rt, rt2;
	uint8_t reg;
	uint8_t crn, crm, op2; /* operands of MRC, MCR */
};

struct symbol {
	char *name;
	uint64_t address;
};

struct segment {
	uint64_t address, size;
	uint8_t *image;
	bool writable;
};

enum stopped { RETURNED, INTERRUPTED, UNDEFINED };

struct internals {
	uc_engine *uc;
	bool a64, pmuv3;
	struct segment segment[MAX_SEGMENTS];
	unsigned nsegments;
	struct symbol *symbol;
	size_t nsymbols;
	uint64_t code;
	struct site *site; /* one for each word of code */
	size_t nsites;

	bool line;
	enum stopped why;
	uint64_t pc, enter, limit;
	uc_context *saved[MACHINE_LEVELS];
	uint32_t (*load)(struct machine *m, unsigned offset);
	void (*store)(struct machine *m, unsigned offset, uint32_t value);
};

#define DIE(...)                              \
	do {                                  \
		fprintf(stderr, "machine: "); \
		fprintf(stderr, __VA_ARGS__); \
		fprintf(stderr, "\n");        \
		exit(1);                      \
	} while (0)

static void ok(uc_err err, const char *what)
{
	if (err)
		DIE("%s: %s", what, uc_strerror(err));
}

/* ---- the core's registers ------------------------------------------------------------------ */

static int general(const struct machine *m, unsigned n)
{
	if (!m->in->a64)
		return n < 13 ? UC_ARM_REG_R0 + (int)n : n == 13 ? UC_ARM_REG_SP : UC_ARM_REG_LR;
	return n < 29 ? UC_ARM64_REG_X0 + (int)n : n == 29 ? UC_ARM64_REG_X29 : UC_ARM64_REG_X30;
}

static uint64_t get(const struct machine *m, int reg)
{
	uint64_t v = 0;

	ok(uc_reg_read(m->in->uc, reg, &v), "register");
	return v;
}

static void set(const struct machine *m, int reg, uint64_t v)
{
	ok(uc_reg_write(m->in->uc, reg, &v), "register");
}

static int pc_reg(const struct machine *m)
{
	return m->in->a64 ? UC_ARM64_REG_PC : UC_ARM_REG_PC;
}

static int sp_reg(const struct machine *m)
{
	return m->in->a64 ? UC_ARM64_REG_SP : UC_ARM_REG_SP;
}

bool machine_is_a64(const struct machine *m)
{
	return m->in->a64;
}

bool machine_is_armv8(const struct machine *m)
{
	return m->in->pmuv3;
}

bool machine_line(const struct machine *m)
{
	return m->in->line;
}

/* Bit 7 is I in CPSR, and in PSTATE as Unicorn shows it. */
bool machine_masked(const struct machine *m)
{
	return get(m, m->in->a64 ? UC_ARM64_REG_PSTATE : UC_ARM_REG_CPSR) >> 7 & 1;
}

/* ---- which instructions access the performance monitor --------------------------------------- */

/* MRC, MCR p15, 0, Rt, c15, c12, 0 … 3 and c15, c9, 0 (DAI 0195B §2, DDI 0301H §3.2.50-54). */
static struct site decode_arm(uint32_t w)
{
	struct site s = { .write = !(w >> 20 & 1), .rt = w >> 12 & 15 };
	unsigned op2 = w >> 5 & 7;

	switch (w & 0xffef0f1f) { /* all bits except Rt, op2 and the direction */
	case 0xee0f0f1c:
		s.is = op2 < 4;
		s.reg = (uint8_t)(PMK_ARM11_PMNC + op2);
		break;
	case 0xee0f0f19:
		s.is = op2 == 0;
		s.reg = PMK_ARM11_SUNAVCR;
		break;
	}
	return s;
}

/* Returns the number of PMEVCNTR<n> if CRm is c8 … c11, or of PMEVTYPER<n> if it is c12 … c15, in
 * both states (DDI 0487 D19.5, G8.4). */
static uint8_t counter_register(unsigned crm, unsigned op2)
{
	unsigned n = (crm & 3) << 3 | op2;

	return (uint8_t)((crm & 4 ? PMK_ARMV8_PMEVTYPER0 : PMK_ARMV8_PMEVCNTR0) + n);
}

/* MRC, MCR p15, 0, Rt, CRn, CRm, op2; MRRC, MCRR p15, 0, Rt, Rt2, c9 (DDI 0487 G8.4). */
static struct site decode_a32(uint32_t w)
{
	/* Indexed by CRm 12 … 14 and op2. 0xff: no register, or not modelled. */
	static const uint8_t c9[3][8] = {
		{ PMK_ARMV8_PMCR, PMK_ARMV8_PMCNTENSET, PMK_ARMV8_PMCNTENCLR, PMK_ARMV8_PMOVSCLR,
		  PMK_ARMV8_PMSWINC, PMK_ARMV8_PMSELR, PMK_ARMV8_PMCEID0, PMK_ARMV8_PMCEID1 },
		{ PMK_ARMV8_PMCCNTR, PMK_ARMV8_PMXEVTYPER, PMK_ARMV8_PMXEVCNTR, 0xff, 0xff, 0xff,
		  0xff, 0xff },
		{ PMK_ARMV8_PMUSERENR, PMK_ARMV8_PMINTENSET, PMK_ARMV8_PMINTENCLR,
		  PMK_ARMV8_PMOVSSET, 0xff, 0xff, PMK_ARMV8_PMMIR, 0xff },
	};
	struct site s = { .write = !(w >> 20 & 1), .rt = w >> 12 & 15, .rt2 = w >> 16 & 15 };

	s.crn = w >> 16 & 15;
	s.crm = w & 15;
	s.op2 = w >> 5 & 7;
	if ((w & 0xffe00fff) == 0xec400f09) {
		s.is = s.pair = true;
		s.reg = PMK_ARMV8_PMCCNTR;
	} else if ((w & 0xffe00f10) != 0xee000f10) {
		return s;
	} else if (s.crn == 0 && s.crm == 1 && s.op2 == 2) {
		s.is = true;
		s.reg = PMK_ARMV8_DFR0; /* ID_DFR0 */
	} else if (s.crn == 9 && s.crm >= 12 && s.crm <= 14) {
		s.reg = c9[s.crm - 12][s.op2];
		s.is = s.reg != 0xff;
	} else if (s.crn == 14 && s.crm >= 8) {
		s.is = true;
		s.reg = counter_register(s.crm, s.op2);
		if (s.crm == 15 && s.op2 == 7)
			s.reg = PMK_ARMV8_PMCCFILTR;
	}
	return s;
}

/* MRS, MSR: op0, op1, CRn, CRm, op2 in bits [19:5] (DDI 0487 D19.5). */
static struct site decode_a64(uint32_t w)
{
	static const struct {
		uint16_t encoding; /* op1, CRn, CRm, op2: o:ccc'cddd'd222 without op0 = 3 */
		uint8_t reg;
	} rows[] = {
#define SYS(op1, crn, crm, op2) ((op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))
		{ SYS(3, 9, 12, 0), PMK_ARMV8_PMCR },
		{ SYS(3, 9, 12, 1), PMK_ARMV8_PMCNTENSET },
		{ SYS(3, 9, 12, 2), PMK_ARMV8_PMCNTENCLR },
		{ SYS(3, 9, 12, 3), PMK_ARMV8_PMOVSCLR },
		{ SYS(3, 9, 12, 4), PMK_ARMV8_PMSWINC },
		{ SYS(3, 9, 12, 5), PMK_ARMV8_PMSELR },
		{ SYS(3, 9, 12, 6), PMK_ARMV8_PMCEID0 },
		{ SYS(3, 9, 12, 7), PMK_ARMV8_PMCEID1 },
		{ SYS(3, 9, 13, 0), PMK_ARMV8_PMCCNTR },
		{ SYS(3, 9, 13, 1), PMK_ARMV8_PMXEVTYPER },
		{ SYS(3, 9, 13, 2), PMK_ARMV8_PMXEVCNTR },
		{ SYS(3, 9, 14, 0), PMK_ARMV8_PMUSERENR },
		{ SYS(3, 9, 14, 3), PMK_ARMV8_PMOVSSET },
		{ SYS(0, 9, 14, 1), PMK_ARMV8_PMINTENSET },
		{ SYS(0, 9, 14, 2), PMK_ARMV8_PMINTENCLR },
		{ SYS(0, 9, 14, 6), PMK_ARMV8_PMMIR },
		{ SYS(3, 14, 15, 7), PMK_ARMV8_PMCCFILTR },
		{ SYS(0, 0, 5, 0), PMK_ARMV8_DFR0 },
	};
	unsigned encoding = w >> 5 & 0x3fff;
	struct site s = { .write = !(w >> 21 & 1), .rt = w & 31 };

	if ((w & 0xffd80000) != 0xd5180000) /* MRS or MSR with op0 = 3 */
		return s;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].encoding != encoding)
			continue;
		s.is = true;
		s.reg = rows[i].reg;
		return s;
	}
	s.is = encoding >> 6 == SYS(3, 14, 8, 0) >> 6; /* op1 3, c14, c8 to c15 */
	s.reg = counter_register(encoding >> 3 & 15, encoding & 7);
	return s;
}

static void find_sites(struct machine *m, const struct segment *code)
{
	const uint32_t *w = (const uint32_t *)code->image;

	m->in->code = code->address;
	m->in->nsites = code->size / 4;
	m->in->site = calloc(m->in->nsites, sizeof(*m->in->site));
	for (size_t i = 0; i < m->in->nsites; i++)
		m->in->site[i] = m->in->a64	? decode_a64(w[i])
				 : m->in->pmuv3 ? decode_a32(w[i])
						: decode_arm(w[i]);
}

/* ---- the model ------------------------------------------------------------------------------- */

static void catch_up(struct machine *m)
{
	m->ops->sync(m->model, &m->bus);
	pmk_bus_forget(&m->bus);
	m->ops->ask(m->model, &m->bus);
	m->in->line = m->ops->lines(m->model) & 1;
}

void machine_raise(struct machine *m, enum pmk_signal signal, uint64_t n)
{
	while (n) {
		uint64_t horizon = pmk_bus_horizon(&m->bus, signal);
		uint64_t step = n < horizon ? n : horizon;

		pmk_bus_add(&m->bus, signal, step);
		n -= step;
		if (pmk_bus_due(&m->bus))
			catch_up(m);
	}
}

uint64_t machine_peek(struct machine *m, unsigned reg)
{
	uint64_t value = 0;

	if (m->ops->read(m->model, &m->bus, PMK_MODE_PRIV, reg, &value))
		DIE("register %u cannot be read", reg);
	return value;
}

static void stop(struct machine *m, enum stopped why)
{
	m->in->why = why;
	ok(uc_emu_stop(m->in->uc), "stop");
}

/* Performs the access. AArch32 has its own view of a PMUv3. */
static int reach(struct machine *m, const struct site *s, struct access *a)
{
	uint32_t low = (uint32_t)a->value;
	int err;

	if (m->in->a64 || !m->in->pmuv3) {
		return s->write ? m->ops->write(m->model, &m->bus, m->mode, a->reg, a->value)
				: m->ops->read(m->model, &m->bus, m->mode, a->reg, &a->value);
	}
	if (s->pair)
		return s->write ? pmk_armv8_mcrr(m->model, &m->bus, m->mode, a->value)
				: pmk_armv8_mrrc(m->model, &m->bus, m->mode, &a->value);
	if (s->write)
		return pmk_armv8_mcr(m->model, &m->bus, m->mode, s->crn, s->crm, s->op2, low);
	err = pmk_armv8_mrc(m->model, &m->bus, m->mode, s->crn, s->crm, s->op2, &low);
	a->value = low;
	return err;
}

static uint64_t source(const struct machine *m, const struct site *s)
{
	uint64_t low;

	if (m->in->a64)
		return s->rt == 31 ? 0 : get(m, general(m, s->rt));
	low = (uint32_t)get(m, general(m, s->rt));
	return s->pair ? get(m, general(m, s->rt2)) << 32 | low : low;
}

static void deliver(const struct machine *m, const struct site *s, uint64_t value)
{
	if (m->in->a64 && s->rt == 31)
		return;
	set(m, general(m, s->rt), value);
	if (s->pair)
		set(m, general(m, s->rt2), value >> 32);
}

/* Performs the instruction's access, and skips the instruction. */
static void do_access(struct machine *m, const struct site *s)
{
	struct access a = { .write = s->write, .reg = s->reg, .level = m->level };
	uint64_t read;
	int err;

	if (a.write)
		a.value = source(m, s);
	if (m->before)
		m->before(m, &a);
	err = reach(m, s, &a);
	if (err == PMK_EUNDEF) {
		stop(m, UNDEFINED);
		return;
	}
	if (err)
		DIE("0x%llx: register %u: %s", (unsigned long long)m->in->pc, a.reg,
		    pmk_strerror(err));
	catch_up(m);
	m->accesses++;
	read = a.value;
	if (a.reg == PMK_ARMV8_DFR0 && m->in->pmuv3) /* the port reads ID_DFR0 */
		a.value = machine_peek(m, a.reg);
	if (m->after)
		m->after(m, &a);
	if (!a.write)
		deliver(m, s, read);
	set(m, pc_reg(m), m->in->pc + 4);
}

static void on_instruction(uc_engine *uc, uint64_t pc, uint32_t size, void *user)
{
	struct machine *m = user;
	size_t index = (pc - m->in->code) / 4;

	(void)size;
	m->in->pc = pc;
	if (index >= m->in->nsites || m->executed >= m->in->limit)
		DIE("0x%llx: %s", (unsigned long long)pc,
		    index < m->in->nsites ? "does not end" : "no code");
	if (m->boundary) {
		m->in->enter = m->boundary(m, pc);
		if (m->in->enter) {
			stop(m, INTERRUPTED);
			return;
		}
	}
	m->executed++;
	m->bus.total[PMK_SIG_CYCLE]++;
	m->bus.total[PMK_SIG_INSN]++;
	if (m->bus.total[PMK_SIG_CYCLE] >= m->bus.due[PMK_SIG_CYCLE] ||
	    m->bus.total[PMK_SIG_INSN] >= m->bus.due[PMK_SIG_INSN])
		catch_up(m);
	if (m->in->site[index].is)
		do_access(m, &m->in->site[index]);
	(void)uc;
}

/* ---- running --------------------------------------------------------------------------------- */

static uint64_t run(struct machine *m, uint64_t pc, uint64_t a, uint64_t b, uint64_t c);

/*
 * Interrupts the running code with `handler`, and then continues it. Returns the handler's result.
 */
static uint64_t interrupt(struct machine *m, uint64_t handler)
{
	uc_context *saved = m->in->saved[m->level];
	uint64_t pc = m->in->pc, result;

	if (m->level + 1 == MACHINE_LEVELS)
		DIE("0x%llx: too many interrupts in interrupts", (unsigned long long)pc);
	ok(uc_context_save(m->in->uc, saved), "save");
	m->level++;
	result = run(m, handler, pc, 0, 0);
	m->level--;
	ok(uc_context_restore(m->in->uc, saved), "restore");
	if (m->returned)
		m->returned(m, handler);
	return result;
}

/*
 * Runs code until it returns. Each level has its own stack, so a call does not affect the code that
 * it interrupts.
 */
static uint64_t run(struct machine *m, uint64_t pc, uint64_t a, uint64_t b, uint64_t c)
{
	set(m, general(m, 0), a);
	set(m, general(m, 1), b);
	set(m, general(m, 2), c);
	set(m, general(m, m->in->a64 ? 30 : 14), RETURN_HERE);
	set(m, sp_reg(m), STACK + (m->level + 1) * STACK_SIZE);
	for (;;) {
		m->in->why = RETURNED;
		ok(uc_emu_start(m->in->uc, pc, RETURN_HERE, 0, 0), "emulation");
		switch (m->in->why) {
		case RETURNED:
			return get(m, general(m, 0));
		case INTERRUPTED:
			pc = m->in->pc;
			interrupt(m, m->in->enter);
			break;
		case UNDEFINED:
			pc = interrupt(m, machine_symbol(m, "g_undefined"));
			if (!pc)
				DIE("0x%llx: Undefined", (unsigned long long)m->in->pc);
			break;
		}
	}
}

uint64_t machine_call(struct machine *m, const char *function, uint64_t a, uint64_t b, uint64_t c)
{
	m->in->limit = m->executed + LIMIT;
	return run(m, machine_symbol(m, function), a, b, c);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static const struct symbol *find_symbol(const struct machine *m, const char *name)
{
	struct symbol key = { (char *)name, 0 };

	return bsearch(&key, m->in->symbol, m->in->nsymbols, sizeof(key), compare);
}

uint64_t machine_symbol(const struct machine *m, const char *name)
{
	const struct symbol *s = find_symbol(m, name);

	if (!s)
		DIE("the program has no %s", name);
	return s->address;
}

void machine_copy_out(struct machine *m, uint64_t address, void *to, size_t size)
{
	ok(uc_mem_read(m->in->uc, address, to, size), "memory");
}

uint64_t machine_number(struct machine *m, const char *array, unsigned i)
{
	uint64_t v;

	machine_copy_out(m, machine_symbol(m, array) + 8 * i, &v, sizeof(v));
	return v;
}

static uint64_t on_load(uc_engine *uc, uint64_t offset, unsigned size, void *user)
{
	struct machine *m = user;

	(void)uc;
	if (size != 4)
		DIE("device: load of %u bytes", size);
	return m->in->load(m, (unsigned)offset);
}

static void on_store(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user)
{
	struct machine *m = user;

	(void)uc;
	if (size != 4)
		DIE("device: store of %u bytes", size);
	m->in->store(m, (unsigned)offset, (uint32_t)value);
}

void machine_device(struct machine *m, uint32_t (*load)(struct machine *m, unsigned offset),
		    void (*store)(struct machine *m, unsigned offset, uint32_t value))
{
	m->in->load = load;
	m->in->store = store;
	ok(uc_mmio_map(m->in->uc, MACHINE_DEVICE, 0x10000, on_load, m, on_store, m), "device");
}

void machine_reset(struct machine *m, const struct pmk_pmu *pmu)
{
	for (unsigned i = 0; i < m->in->nsegments; i++) {
		const struct segment *s = &m->in->segment[i];

		if (s->writable)
			ok(uc_mem_write(m->in->uc, s->address, s->image, s->size), "memory");
	}
	m->ops = pmk_model_find(pmu);
	if (!m->ops)
		DIE("no model of %s", pmu->name);
	free(m->model);
	m->model = calloc(1, m->ops->size);
	m->mode = PMK_MODE_PRIV;
	m->accesses = 0;
	pmk_bus_init(&m->bus);
	memset(&m->bus.raised, 0xff, sizeof(m->bus.raised));
	m->ops->reset(m->model, &m->bus, m->ops->pmu);
	catch_up(m);
}

/* ---- the ELF file ---------------------------------------------------------------------------- */

static void load_segment(struct machine *m, int fd, const GElf_Phdr *ph)
{
	struct segment *s = &m->in->segment[m->in->nsegments++];
	uint64_t first = ph->p_vaddr & ~(uint64_t)(PAGE - 1);
	uint64_t end = (ph->p_vaddr + ph->p_memsz + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (m->in->nsegments > MAX_SEGMENTS)
		DIE("too many segments");
	*s = (struct segment){ ph->p_vaddr, ph->p_memsz, calloc(1, ph->p_memsz + 4),
			       ph->p_flags & PF_W };
	if (pread(fd, s->image, ph->p_filesz, (off_t)ph->p_offset) != (ssize_t)ph->p_filesz)
		DIE("the file is cut off");
	/*
	 * Data is not executable. Otherwise Unicorn would look for outdated translations at each
	 * store.
	 */
	ok(uc_mem_map(m->in->uc, first, end - first,
		      UC_PROT_READ | UC_PROT_WRITE | (ph->p_flags & PF_X ? UC_PROT_EXEC : 0)),
	   "memory of the program");
	ok(uc_mem_write(m->in->uc, s->address, s->image, s->size), "program");
	if (ph->p_flags & PF_X)
		find_sites(m, s);
}

static void load_symbols(struct machine *m, Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data = elf_getdata(scn, NULL);
		GElf_Shdr sh;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		m->in->symbol = calloc(sh.sh_size / sh.sh_entsize, sizeof(*m->in->symbol));
		for (int i = 0; gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, sh.sh_link, sym.st_name);

			if (name && *name && GELF_ST_BIND(sym.st_info) == STB_GLOBAL)
				m->in->symbol[m->in->nsymbols++] =
					(struct symbol){ strdup(name), sym.st_value };
		}
	}
	qsort(m->in->symbol, m->in->nsymbols, sizeof(*m->in->symbol), compare);
}

static void power_core(struct machine *m)
{
	struct internals *in = m->in;
	uc_hook hook;

	ok(uc_open(in->a64 ? UC_ARCH_ARM64 : UC_ARCH_ARM, UC_MODE_ARM, &in->uc), "Unicorn");
	ok(uc_ctl_set_cpu_model(in->uc, in->a64	    ? (int)UC_CPU_ARM64_A53
					: in->pmuv3 ? (int)UC_CPU_ARM_CORTEX_A15
						    : (int)UC_CPU_ARM_1176),
	   "core");
	ok(uc_mem_map(in->uc, STACK, (MACHINE_LEVELS + 1) * STACK_SIZE,
		      UC_PROT_READ | UC_PROT_WRITE),
	   "stacks");
	ok(uc_mem_map(in->uc, RETURN_HERE, PAGE, UC_PROT_ALL), "the place to return to");
	/*
	 * Unicorn's API passes functions as pointers to objects, which POSIX permits, but ISO C
	 * does not.
	 */
	ok(uc_hook_add(in->uc, &hook, UC_HOOK_CODE, __extension__(void *) on_instruction, m, 1, 0),
	   "hook");
	for (unsigned i = 0; i < MACHINE_LEVELS; i++)
		ok(uc_context_alloc(in->uc, &in->saved[i]), "context");
	/* Interrupts are unmasked until the program masks them. I is bit 7 of both registers. */
	if (in->a64)
		set(m, UC_ARM64_REG_PSTATE, get(m, UC_ARM64_REG_PSTATE) & ~UINT64_C(0x80));
	else
		set(m, UC_ARM_REG_CPSR, get(m, UC_ARM_REG_CPSR) & ~UINT64_C(0x80));
}

struct machine *machine_new(const char *path)
{
	struct machine *m = calloc(1, sizeof(*m));
	int fd = open(path, O_RDONLY);
	GElf_Ehdr eh;
	Elf *elf;

	m->in = calloc(1, sizeof(*m->in));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (fd < 0 || !elf || !gelf_getehdr(elf, &eh))
		DIE("%s: not an ELF file", path);
	load_symbols(m, elf);
	m->in->a64 = eh.e_machine == EM_AARCH64;
	m->in->pmuv3 = m->in->a64 || find_symbol(m, "pmk_port_cp15_pmuv3");
	power_core(m);
	for (int i = 0; i < eh.e_phnum; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_LOAD && ph.p_memsz)
			load_segment(m, fd, &ph);
	}
	elf_end(elf);
	close(fd);
	return m;
}

void machine_free(struct machine *m)
{
	for (unsigned i = 0; i < MACHINE_LEVELS; i++)
		uc_context_free(m->in->saved[i]);
	uc_close(m->in->uc);
	for (size_t i = 0; i < m->in->nsymbols; i++)
		free(m->in->symbol[i].name);
	for (unsigned i = 0; i < m->in->nsegments; i++)
		free(m->in->segment[i].image);
	free(m->in->symbol);
	free(m->in->site);
	free(m->in);
	free(m->model);
	free(m);
}
