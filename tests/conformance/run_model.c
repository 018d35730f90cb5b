// SPDX-License-Identifier: MIT
/*
 * Runs a file of conformance vectors on a register model:  run_model FILE.vec
 *
 * The vectors are data; their language is described at the top of arm11.vec, armv8.vec, ahbmon.vec,
 * l2cc.vec and microblaze.vec. A target offers the verbs that it supports. A vector with another
 * verb is skipped; silicon, for example, cannot raise a signal on request. Only the last part of
 * this file depends on the target being a model. Exit status: 0 when all passed, 1 when one failed,
 * 2 when the file cannot be read or understood.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahbmon_model.h>
#include <pmk/armv8_model.h>
#include <pmk/bus.h>
#include <pmk/microblaze_model.h>
#include <pmk/model.h>
#include <pmk/pmu.h>

#include "pmu/ahbmon/observe.h"
#include "pmu/reg.h"
#include "producer/session/emulated.h"

#include "../ahb/trace.h"

#define MAX_LINES 8000
#define MAX_WORDS 16

enum verdict { PASS, FAIL, SKIP, BAD }; /* BAD: the error is in the test file, not in the model */

/* ---- operations of a target; NULL: not supported ------------------------------------------- */

struct target {
	const struct pmk_pmu *pmu;
	void (*reset)(struct target *t);
	int (*read)(struct target *t, unsigned reg, uint64_t *value);
	int (*write)(struct target *t, unsigned reg, uint64_t value);
	void (*pass)(struct target *t, unsigned signal, uint64_t n, bool at_once);
	void (*mode)(struct target *t, enum pmk_mode mode);
	unsigned (*lines)(struct target *t);
	bool (*option)(struct target *t, const char *name, uint64_t value);
	bool (*input)(struct target *t, const char *name, uint64_t value);
	unsigned (*oddities)(struct target *t);
	bool (*bus)(struct target *t,
		    const char *name); /* chooses the bus for signals, if there are several */
	bool (*wave)(struct target *t, char *const words[], unsigned n); /* on the chosen bus */
	void (*raises)(struct target *t, unsigned signal, bool all); /* PMK_NSIGNALS: no signal */
	/* Returns the class and the level of the exception that an access took most recently. */
	void (*trap)(struct target *t, unsigned *ec, unsigned *el);
	/*
	 * Other ways to access the registers: 32-bit coprocessor accesses (CRn, CRm, opc2), the
	 * 64-bit coprocessor access, and words of memory.
	 */
	int (*mrc)(struct target *t, const unsigned place[3], uint32_t *value);
	int (*mcr)(struct target *t, const unsigned place[3], uint32_t value);
	int (*mrrc)(struct target *t, uint64_t *value);
	int (*mcrr)(struct target *t, uint64_t value);
	int (*load)(struct target *t, unsigned offset, uint32_t *value);
	int (*store)(struct target *t, unsigned offset, uint32_t value);
	/* Raises a signal that took `cycles`, from cycle `start` on. */
	void (*latency)(struct target *t, unsigned signal, uint64_t start, uint32_t cycles);
	/* Shifts `bits` bits through the JTAG data register, bit 0 first. */
	int (*scan)(struct target *t, unsigned bits, uint64_t out, uint64_t *in);
	void (*prepare)(struct target *t); /* resets all other state, before each vector */
};

/* ---- one vector on one core ---------------------------------------------------------------- */

struct line {
	unsigned number;
	unsigned nwords;
	char *word[MAX_WORDS];
};

struct run {
	struct target *target;
	const struct line *line; /* the line that is being executed */
	const char *file, *vector;
};

static enum verdict complain(const struct run *r, enum verdict v, const char *what)
{
	fprintf(stderr, "%s:%u: %s on %s: %s\n", r->file, r->line->number, r->vector,
		r->target->pmu->name, what);
	return v;
}

static enum verdict differs(const struct run *r, const char *what, uint64_t is, uint64_t want)
{
	char text[160];

	snprintf(text, sizeof(text), "%s is 0x%08llx, want 0x%08llx", what, (unsigned long long)is,
		 (unsigned long long)want);
	return complain(r, FAIL, text);
}

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text && !*end && !errno;
}

/*
 * The names of the ARM1176's registers serve all ARM11 cores, because it has every register. The
 * other cores have no SUNAVCR, so an access to it is Undefined there.
 */
static bool reg_number(const struct run *r, const char *name, unsigned *reg)
{
	bool arm11 = !strncmp(r->target->pmu->name, "arm11", 5);
	const struct pmk_pmu *pmu = arm11 ? pmk_pmu_find("arm1176") : r->target->pmu;
	const struct pmk_reg_info *info = pmk_pmu_reg(pmu, name);

	if (info)
		*reg = (unsigned)(info - pmu->regs);
	return info != NULL;
}

static bool signal_number(const char *name, unsigned *signal)
{
	for (*signal = 0; *signal < PMK_NSIGNALS; ++*signal)
		if (!strcmp(pmk_signal_name(*signal), name))
			return true;
	return false;
}

/* write REG VALUE */
static enum verdict do_write(struct run *r, char *const arg[])
{
	uint64_t value;
	unsigned reg;
	int err;

	if (!reg_number(r, arg[0], &reg) || !number(arg[1], &value))
		return complain(r, BAD, "write: register or value?");
	err = r->target->write(r->target, reg, value);
	return err ? complain(r, FAIL, pmk_strerror(err)) : PASS;
}

/* expect REG VALUE MASK */
static enum verdict do_expect(struct run *r, char *const arg[])
{
	uint64_t want, mask, is = 0;
	unsigned reg;
	int err;

	if (!reg_number(r, arg[0], &reg) || !number(arg[1], &want) || !number(arg[2], &mask))
		return complain(r, BAD, "expect: register, value or mask?");
	err = r->target->read(r->target, reg, &is);
	if (err)
		return complain(r, FAIL, pmk_strerror(err));
	return (is & mask) == want ? PASS : differs(r, arg[0], is & mask, want);
}

/* expect-only CTR VALUE: the counter is VALUE, and every other counter is 0 */
static enum verdict do_expect_only(struct run *r, char *const arg[])
{
	const struct pmk_pmu *pmu = r->target->pmu;
	unsigned only, reg = 0;
	uint64_t want, is = 0;

	if (!reg_number(r, arg[0], &only) || !number(arg[1], &want))
		return complain(r, BAD, "expect-only: counter or value?");
	for (unsigned i = 0; i < pmu->ncounters; i++) {
		const char *name = pmu->counters[i].name;
		int err = reg_number(r, name, &reg) ? r->target->read(r->target, reg, &is)
						    : PMK_EBADREG;

		if (err)
			return complain(r, FAIL, pmk_strerror(err));
		if (is != (reg == only ? want : 0))
			return differs(r, name, is, reg == only ? want : 0);
	}
	return PASS;
}

/* expect-undef read REG, expect-undef write REG: the access is Undefined */
static enum verdict do_expect_undef(struct run *r, char *const arg[])
{
	bool write = !strcmp(arg[0], "write");
	uint64_t ignored;
	unsigned reg;
	int err;

	if ((!write && strcmp(arg[0], "read")) || !reg_number(r, arg[1], &reg))
		return complain(r, BAD, "expect-undef: read or write, and a register?");
	err = write ? r->target->write(r->target, reg, 0xffffffff)
		    : r->target->read(r->target, reg, &ignored);
	if (err == PMK_EUNDEF)
		return PASS;
	return complain(r, FAIL, "the access did not take an Undefined exception");
}

/* The bits of a register by their kinds in the manual, as a line of the vector lists them. */
struct access {
	struct {
		uint64_t rw, ro, wo, w1c, w1s, sbz;
	} bits;
	uint64_t lacks; /* bits that the family's registers have, but not this core's */
	uint64_t reset; /* the value after reset of the bits that are not read-only */
};

/* Parses KIND=MASK. */
static bool access_mask(char *word, struct access *a)
{
	const struct {
		const char *kind;
		uint64_t *mask;
	} kinds[] = {
		{ "rw", &a->bits.rw },	 { "ro", &a->bits.ro },	  { "wo", &a->bits.wo },
		{ "w1c", &a->bits.w1c }, { "w1s", &a->bits.w1s }, { "sbz", &a->bits.sbz },
		{ "lacks", &a->lacks },	 { "reset", &a->reset },
	};
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].kind) == len && !strncmp(word, kinds[i].kind, len))
			return number(word + len + 1, kinds[i].mask);
	return false;
}

/* Checks the masks in a register's row, which the models use and pmk info shows. */
static enum verdict check_rows(struct run *r, const char *name, const struct pmk_reg_info *info,
			       const struct access *a)
{
	const struct {
		const char *kind;
		uint64_t is, want;
	} masks[] = {
		{ "RW bits", pmk_reg_mask(info, PMK_RW), a->bits.rw },
		{ "RO bits", pmk_reg_mask(info, PMK_RO), a->bits.ro },
		{ "WO bits", pmk_reg_mask(info, PMK_WO), a->bits.wo },
		{ "W1C bits", pmk_reg_mask(info, PMK_W1C), a->bits.w1c },
		{ "W1S bits", pmk_reg_mask(info, PMK_W1S), a->bits.w1s },
		{ "SBZ bits", pmk_reg_mask(info, PMK_SBZ), a->bits.sbz },
		{ "reset", info->reset, a->reset },
	};
	char what[64];

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		snprintf(what, sizeof(what), "%s of the rows of %s", masks[i].kind, name);
		if (masks[i].is != masks[i].want)
			return differs(r, what, masks[i].is, masks[i].want);
	}
	return PASS;
}

/* Reads the register. `shows` are its visible bits, if any. */
static enum verdict check_shown(struct run *r, const char *name, unsigned reg, uint64_t shows,
				uint64_t *is)
{
	int err = r->target->read(r->target, reg, is);

	if (err)
		*is = 0;
	if (err && shows)
		return complain(r, FAIL, "a register that can be read gave an error");
	return *is & ~shows ? differs(r, name, *is, *is & shows) : PASS;
}

/*
 * Writes ones and zeros, to which each kind of bit reacts differently. Other vectors must test the
 * effects of WO bits, and that W1C clears a bit that an event set.
 */
static enum verdict check_bits(struct run *r, const char *name, unsigned reg, uint64_t ones,
			       const struct access *a)
{
	const uint64_t rw = a->bits.rw, ro = a->bits.ro, w1s = a->bits.w1s;
	uint64_t shows = (rw | ro | a->bits.w1c | w1s) & ~a->lacks;
	uint64_t takes = (rw | a->bits.wo | a->bits.w1c | w1s) & ~a->lacks;
	uint64_t before, is;
	enum verdict v;

	r->target->reset(r->target);
	v = check_shown(r, name, reg, shows, &before);
	if (v == PASS && (before & ~ro) != a->reset)
		return differs(r, name, before & ~ro, a->reset);
	if (v != PASS)
		return v;
	for (unsigned pass = 0; pass < 2; pass++) {
		uint64_t want = (before & ro) | (w1s & shows) | (pass ? 0 : rw & shows);
		int err = r->target->write(r->target, reg, pass ? 0 : ones);

		if (err && takes)
			return complain(r, FAIL, "a register that can be written gave an error");
		v = check_shown(r, name, reg, shows, &is);
		if (v == PASS && is != want)
			v = differs(r, name, is, want);
		if (v != PASS)
			return v;
	}
	return PASS;
}

/*
 * For PMU p of pmk_pmus, has_vectors[p] is true if the file has vectors for it, and described[p][r]
 * is true if the file describes the access to register r.
 */
static bool has_vectors[64], described[64][256];

static unsigned place_of(const struct pmk_pmu *pmu)
{
	unsigned i = 0;

	while (pmk_pmus[i] != pmu)
		i++;
	return i;
}

/*
 * access KIND=MASK… REG…: checks the kinds of these registers' bits, in the rows and by reading and
 * writing
 */
static enum verdict do_access(struct run *r, char *const arg[])
{
	const struct pmk_pmu *pmu = r->target->pmu;
	struct access a = { .lacks = 0 };
	unsigned i = 0, n = r->line->nwords - 1, reg;
	enum verdict v = PASS;

	for (; i < n && strchr(arg[i], '='); i++)
		if (!access_mask(arg[i], &a))
			return complain(r, BAD, "access: which bits?");
	if (i == n)
		return complain(r, BAD, "access: of which register?");
	for (; i < n && v == PASS; i++) {
		if (!reg_number(r, arg[i], &reg) || reg >= pmu->nregs)
			return complain(r, BAD, "access: no such register");
		described[place_of(pmu)][reg] = true;
		v = check_rows(r, arg[i], &pmu->regs[reg], &a);
		if (v == PASS)
			v = check_bits(r, arg[i], reg, UINT64_MAX >> (64 - pmu->regs[reg].width),
				       &a);
	}
	return v;
}

/*
 * Checks that an access whose result was `err` took an exception of class EC to level EL.
 */
static enum verdict trapped(struct run *r, int err, const char *ec, const char *el)
{
	uint64_t want_ec, want_el;
	unsigned is_ec, is_el;

	if (!number(ec, &want_ec) || !number(el, &want_el))
		return complain(r, BAD, "exception class or level?");
	if (err != PMK_EUNDEF)
		return complain(r, FAIL, err ? pmk_strerror(err) : "the access was permitted");
	r->target->trap(r->target, &is_ec, &is_el);
	if (is_ec != want_ec)
		return differs(r, "exception class", is_ec, want_ec);
	return is_el == want_el ? PASS : differs(r, "exception level", is_el, want_el);
}

/* trap read REG EC EL, trap write REG EC EL */
static enum verdict do_trap(struct run *r, char *const arg[])
{
	bool write = !strcmp(arg[0], "write");
	uint64_t ignored;
	unsigned reg;

	if (!r->target->trap)
		return SKIP;
	if ((!write && strcmp(arg[0], "read")) || !reg_number(r, arg[1], &reg))
		return complain(r, BAD, "trap: read or write, and a register?");
	return trapped(r,
		       write ? r->target->write(r->target, reg, 0xffffffff)
			     : r->target->read(r->target, reg, &ignored),
		       arg[2], arg[3]);
}

static enum verdict compare(const struct run *r, const char *what, int err, uint64_t is,
			    const char *value, const char *mask)
{
	uint64_t want, bits;

	if (!number(value, &want) || !number(mask, &bits))
		return complain(r, BAD, "value or mask?");
	if (err)
		return complain(r, FAIL, pmk_strerror(err));
	return (is & bits) == want ? PASS : differs(r, what, is & bits, want);
}

static bool cp15_place(char *const arg[], unsigned place[3])
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t n;

		if (!number(arg[i], &n))
			return false;
		place[i] = (unsigned)n;
	}
	return true;
}

/* mrc CRN CRM OPC2 VALUE MASK */
static enum verdict do_mrc(struct run *r, char *const arg[])
{
	unsigned place[3];
	uint32_t is = 0;
	int err;

	if (!r->target->mrc)
		return SKIP;
	if (!cp15_place(arg, place))
		return complain(r, BAD, "mrc: which register?");
	err = r->target->mrc(r->target, place, &is);
	return compare(r, "register", err, is, arg[3], arg[4]);
}

/* mcr CRN CRM OPC2 VALUE */
static enum verdict do_mcr(struct run *r, char *const arg[])
{
	unsigned place[3];
	uint64_t value;
	int err;

	if (!r->target->mcr)
		return SKIP;
	if (!cp15_place(arg, place) || !number(arg[3], &value))
		return complain(r, BAD, "mcr: register or value?");
	err = r->target->mcr(r->target, place, (uint32_t)value);
	return err ? complain(r, FAIL, pmk_strerror(err)) : PASS;
}

/* trap-mrc CRN CRM OPC2 EC EL */
static enum verdict do_trap_mrc(struct run *r, char *const arg[])
{
	unsigned place[3];
	uint32_t ignored;

	if (!r->target->mrc)
		return SKIP;
	if (!cp15_place(arg, place))
		return complain(r, BAD, "trap-mrc: which register?");
	return trapped(r, r->target->mrc(r->target, place, &ignored), arg[3], arg[4]);
}

/* trap-mcr CRN CRM OPC2 EC EL */
static enum verdict do_trap_mcr(struct run *r, char *const arg[])
{
	unsigned place[3];

	if (!r->target->mcr)
		return SKIP;
	if (!cp15_place(arg, place))
		return complain(r, BAD, "trap-mcr: which register?");
	return trapped(r, r->target->mcr(r->target, place, 0xffffffff), arg[3], arg[4]);
}

/* mrrc VALUE MASK */
static enum verdict do_mrrc(struct run *r, char *const arg[])
{
	uint64_t is = 0;
	int err;

	if (!r->target->mrrc)
		return SKIP;
	err = r->target->mrrc(r->target, &is);
	return compare(r, "PMCCNTR", err, is, arg[0], arg[1]);
}

/* mcrr VALUE */
static enum verdict do_mcrr(struct run *r, char *const arg[])
{
	uint64_t value;
	int err;

	if (!r->target->mcrr)
		return SKIP;
	if (!number(arg[0], &value))
		return complain(r, BAD, "mcrr: a value?");
	err = r->target->mcrr(r->target, value);
	return err ? complain(r, FAIL, pmk_strerror(err)) : PASS;
}

/* trap-mrrc EC EL */
static enum verdict do_trap_mrrc(struct run *r, char *const arg[])
{
	uint64_t ignored;

	if (!r->target->mrrc)
		return SKIP;
	return trapped(r, r->target->mrrc(r->target, &ignored), arg[0], arg[1]);
}

/* trap-mcrr EC EL */
static enum verdict do_trap_mcrr(struct run *r, char *const arg[])
{
	if (!r->target->mcrr)
		return SKIP;
	return trapped(r, r->target->mcrr(r->target, 0), arg[0], arg[1]);
}

/* load OFFSET VALUE MASK */
static enum verdict do_load(struct run *r, char *const arg[])
{
	uint64_t offset;
	uint32_t is = 0;
	int err;

	if (!r->target->load)
		return SKIP;
	if (!number(arg[0], &offset))
		return complain(r, BAD, "load: an offset?");
	err = r->target->load(r->target, (unsigned)offset, &is);
	return compare(r, arg[0], err, is, arg[1], arg[2]);
}

/* store OFFSET VALUE */
static enum verdict do_store(struct run *r, char *const arg[])
{
	uint64_t offset, value;
	int err;

	if (!r->target->store)
		return SKIP;
	if (!number(arg[0], &offset) || !number(arg[1], &value))
		return complain(r, BAD, "store: offset or value?");
	err = r->target->store(r->target, (unsigned)offset, (uint32_t)value);
	return err ? complain(r, FAIL, pmk_strerror(err)) : PASS;
}

/* bus-error OFFSET: both a load and a store get an error response */
static enum verdict do_bus_error(struct run *r, char *const arg[])
{
	uint64_t offset;
	uint32_t ignored;

	if (!r->target->load)
		return SKIP;
	if (!number(arg[0], &offset))
		return complain(r, BAD, "bus-error: an offset?");
	if (r->target->load(r->target, (unsigned)offset, &ignored) == PMK_EIO &&
	    r->target->store(r->target, (unsigned)offset, 0) == PMK_EIO)
		return PASS;
	return complain(r, FAIL, "the access did not get an error response");
}

/* raises all, raises none, raises SIGNAL */
static enum verdict do_raises(struct run *r, char *const arg[])
{
	unsigned sig = PMK_NSIGNALS;
	bool all = !strcmp(arg[0], "all");

	if (!r->target->raises)
		return SKIP;
	if (!all && strcmp(arg[0], "none") && !signal_number(arg[0], &sig))
		return complain(r, BAD, "raises: all, none, or a signal?");
	r->target->raises(r->target, sig, all);
	return PASS;
}

static enum verdict pass(struct run *r, const char *signal, const char *count, bool at_once)
{
	unsigned sig;
	uint64_t n;

	if (!r->target->pass)
		return SKIP;
	if (!signal_number(signal, &sig) || !number(count, &n))
		return complain(r, BAD, "signal or count?");
	r->target->pass(r->target, sig, n, at_once);
	return PASS;
}

/* bus NAME: signals are raised on this bus from now on */
static enum verdict do_bus(struct run *r, char *const arg[])
{
	if (!r->target->bus)
		return SKIP;
	return r->target->bus(r->target, arg[0]) ? PASS : complain(r, BAD, "no such bus");
}

/* wave WORD… */
static enum verdict do_wave(struct run *r, char *const arg[])
{
	if (!r->target->wave)
		return SKIP;
	return r->target->wave(r->target, arg, r->line->nwords - 1)
		       ? PASS
		       : complain(r, BAD, "wave: no such word, or not on this bus");
}

/* signal NAME COUNT */
static enum verdict do_signal(struct run *r, char *const arg[])
{
	return pass(r, arg[0], arg[1], false);
}

/* cycles COUNT */
static enum verdict do_cycles(struct run *r, char *const arg[])
{
	return pass(r, "CYCLE", arg[0], false);
}

/* cycles-at-once COUNT: goes beyond the horizon in one step */
static enum verdict do_cycles_at_once(struct run *r, char *const arg[])
{
	return pass(r, "CYCLE", arg[0], true);
}

/* latency SIGNAL START CYCLES */
static enum verdict do_latency(struct run *r, char *const arg[])
{
	uint64_t start, cycles;
	unsigned sig;

	if (!r->target->latency)
		return SKIP;
	if (!signal_number(arg[0], &sig) || !number(arg[1], &start) || !number(arg[2], &cycles) ||
	    cycles > UINT32_MAX)
		return complain(r, BAD, "latency: signal, first cycle or cycles?");
	r->target->latency(r->target, sig, start, (uint32_t)cycles);
	return PASS;
}

/* scan BITS OUT IN */
static enum verdict do_scan(struct run *r, char *const arg[])
{
	uint64_t bits, out, is = 0;
	int err;

	if (!r->target->scan)
		return SKIP;
	if (!number(arg[0], &bits) || !bits || bits > 64 || !number(arg[1], &out))
		return complain(r, BAD, "scan: bits or value?");
	err = r->target->scan(r->target, (unsigned)bits, out, &is);
	return compare(r, "what came out", err, is, arg[2], "0xffffffffffffffff");
}

/* mode priv|user|priv-ns|user-ns */
static enum verdict do_mode(struct run *r, char *const arg[])
{
	static const struct {
		const char *name;
		enum pmk_mode mode;
	} modes[] = {
		{ "priv", PMK_MODE_PRIV },
		{ "user", PMK_MODE_USER },
		{ "priv-ns", PMK_MODE_PRIV_NONSEC },
		{ "user-ns", PMK_MODE_USER_NONSEC },
	};

	if (!r->target->mode)
		return SKIP;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].name, arg[0]))
			continue;
		r->target->mode(r->target, modes[i].mode);
		return PASS;
	}
	return complain(r, BAD, "no such mode");
}

/* lines IRQ FIQ */
static enum verdict do_lines(struct run *r, char *const arg[])
{
	uint64_t irq, fiq;
	unsigned is;

	if (!r->target->lines)
		return SKIP;
	if (!number(arg[0], &irq) || !number(arg[1], &fiq))
		return complain(r, BAD, "lines: two levels?");
	is = r->target->lines(r->target);
	return is == (irq | fiq << 1) ? PASS : differs(r, "lines (FIQ, IRQ)", is, irq | fiq << 1);
}

/* option NAME VALUE: sets a parameter of the model and resets the model */
static enum verdict do_option(struct run *r, char *const arg[])
{
	uint64_t value;

	if (!r->target->option)
		return SKIP;
	if (!number(arg[1], &value) || !r->target->option(r->target, arg[0], value))
		return complain(r, BAD, "no such option");
	return PASS;
}

/* input NAME VALUE */
static enum verdict do_input(struct run *r, char *const arg[])
{
	uint64_t value;

	if (!r->target->input)
		return SKIP;
	if (!number(arg[1], &value) || !r->target->input(r->target, arg[0], value))
		return complain(r, BAD, "no such input");
	return PASS;
}

/* oddities MASK */
static enum verdict do_oddities(struct run *r, char *const arg[])
{
	uint64_t want;

	if (!r->target->oddities)
		return SKIP;
	if (!number(arg[0], &want))
		return complain(r, BAD, "oddities: a number?");
	if (r->target->oddities(r->target) == want)
		return PASS;
	return differs(r, "oddities", r->target->oddities(r->target), want);
}

static const struct verb {
	const char *name;
	unsigned nargs; /* 0: one or more arguments */
	enum verdict (*run)(struct run *r, char *const arg[]);
} verbs[] = {
	{ "write", 2, do_write },
	{ "expect", 3, do_expect },
	{ "expect-only", 2, do_expect_only },
	{ "expect-undef", 2, do_expect_undef },
	{ "access", 0, do_access },
	{ "bus", 1, do_bus },
	{ "wave", 0, do_wave },
	{ "signal", 2, do_signal },
	{ "cycles", 1, do_cycles },
	{ "cycles-at-once", 1, do_cycles_at_once },
	{ "mode", 1, do_mode },
	{ "lines", 2, do_lines },
	{ "option", 2, do_option },
	{ "input", 2, do_input },
	{ "oddities", 1, do_oddities },
	{ "raises", 1, do_raises },
	{ "trap", 4, do_trap },
	{ "mrc", 5, do_mrc },
	{ "mcr", 4, do_mcr },
	{ "mrrc", 2, do_mrrc },
	{ "mcrr", 1, do_mcrr },
	{ "trap-mrc", 5, do_trap_mrc },
	{ "trap-mcr", 5, do_trap_mcr },
	{ "trap-mrrc", 2, do_trap_mrrc },
	{ "trap-mcrr", 2, do_trap_mcrr },
	{ "load", 3, do_load },
	{ "store", 2, do_store },
	{ "bus-error", 1, do_bus_error },
	{ "latency", 3, do_latency },
	{ "scan", 3, do_scan },
};

static enum verdict run_line(struct run *r)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, r->line->word[0]))
			continue;
		if (verbs[i].nargs ? r->line->nwords != verbs[i].nargs + 1 : r->line->nwords < 2)
			return complain(r, BAD, "wrong number of words");
		return verbs[i].run(r, r->line->word + 1);
	}
	return complain(r, BAD, "unknown verb");
}

static enum verdict run_vector(struct run *r, const struct line *first, const struct line *end)
{
	r->target->reset(r->target);
	for (r->line = first; r->line < end; r->line++) {
		enum verdict v = run_line(r);

		if (v != PASS)
			return v;
	}
	return PASS;
}

/* ---- the file ------------------------------------------------------------------------------ */

struct tally {
	unsigned vectors, count[4]; /* per verdict: pairs of vector and core */
};

static bool begins(const struct line *l, const char *word)
{
	return !strcmp(l->word[0], word);
}

/*
 * Runs a vector, which is `vector NAME`, `cores NAME…`, `ref TEXT…` and then lines for run_line()
 * up to `end`.
 */
static void run_block(struct target *t, const char *file, const struct line *l,
		      const struct line *end, struct tally *tally)
{
	struct run r = { .target = t, .file = file, .line = l, .vector = "?" };

	tally->vectors++;
	if (end - l < 4 || l[0].nwords != 2 || !begins(&l[1], "cores") || !begins(&l[2], "ref") ||
	    l[2].nwords < 2) {
		fprintf(stderr, "%s:%u: want vector NAME, cores, ref and a body\n", file,
			l->number);
		tally->count[BAD]++;
		return;
	}
	r.vector = l[0].word[1];
	for (unsigned i = 1; i < l[1].nwords; i++) {
		t->pmu = pmk_pmu_find(l[1].word[i]);
		if (!t->pmu) {
			fprintf(stderr, "%s:%u: no core %s\n", file, l[1].number, l[1].word[i]);
			tally->count[BAD]++;
			return;
		}
		has_vectors[place_of(t->pmu)] = true;
		enum verdict v = run_vector(&r, l + 3, end);

		printf("%s %s on %s\n",
		       v == PASS   ? "ok"
		       : v == SKIP ? "skip"
				   : "FAIL",
		       r.vector, t->pmu->name);
		tally->count[v]++;
	}
}

/*
 * Splits `text` in place. A '#' starts a comment. Returns the number of lines that are not
 * empty.
 */
static unsigned split(char *text, struct line *lines, unsigned max)
{
	unsigned n = 0, row = 0;

	while (text && *text && n < max) {
		char *next = strchr(text, '\n'), *save = NULL, *comment, *word;
		struct line *l = &lines[n];

		if (next)
			*next++ = '\0';
		comment = strchr(text, '#');
		if (comment)
			*comment = '\0';
		l->number = ++row;
		l->nwords = 0;
		for (word = strtok_r(text, " \t", &save); word && l->nwords < MAX_WORDS;
		     word = strtok_r(NULL, " \t", &save))
			l->word[l->nwords++] = word;
		if (l->nwords)
			n++;
		text = next;
	}
	return n;
}

/* Checks that every register of the PMUs in the file has an `access` line. */
static void check_described(const char *file, struct tally *tally)
{
	for (unsigned i = 0; pmk_pmus[i]; i++) {
		const struct pmk_pmu *pmu = pmk_pmus[i];

		for (unsigned reg = 0; reg < pmu->nregs && has_vectors[i]; reg++) {
			if (described[i][reg])
				continue;
			fprintf(stderr, "%s: nothing says what access %s of %s has\n", file,
				pmu->regs[reg].name, pmu->name);
			tally->count[FAIL]++;
		}
	}
}

static int run_file(struct target *t, const char *file, char *text)
{
	static struct line lines[MAX_LINES];
	unsigned n = split(text, lines, MAX_LINES), i = 0;
	struct tally tally = { 0 };

	if (n == MAX_LINES || !n || !begins(&lines[0], "vector")) {
		fprintf(stderr, "%s: too long, or no vectors\n", file);
		return 2;
	}
	while (i < n) {
		unsigned first = i++;

		while (i < n && !begins(&lines[i], "vector"))
			i++;
		run_block(t, file, &lines[first], &lines[i], &tally);
	}
	check_described(file, &tally);
	printf("%s: %u vectors; runs: %u passed, %u failed, %u skipped, %u malformed\n", file,
	       tally.vectors, tally.count[PASS], tally.count[FAIL], tally.count[SKIP],
	       tally.count[BAD]);
	if (tally.count[BAD])
		return 2;
	return tally.count[FAIL] || !tally.count[PASS];
}

static char *load(const char *file)
{
	FILE *f = fopen(file, "r");
	char *text = NULL;
	long size;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET))
		text = calloc(1, (size_t)size + 1);
	if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* ---- the target: a model on a bus of its own ------------------------------------------------ */

static struct model_target {
	struct target target; /* must be first, because a target is cast to its model_target */
	const struct pmk_model_ops *ops;
	union {
		struct pmk_bus bus;
		struct pmk_bus buses[PMK_AHBMON_NBUSES]; /* of the AHB Monitor; HCLK is `bus` */
	};
	unsigned at; /* index of the bus for signals */
	struct pmk_signal_set raised;
	union {
		uint64_t any[PMK_MODEL_BYTES / 8];
		struct pmk_armv8_model armv8;
		struct pmk_ahbmon_model ahbmon;
		struct pmk_microblaze_model microblaze;
	} model;
	enum pmk_mode current_mode;
} model;

static struct model_target *of(struct target *t)
{
	return (struct model_target *)t;
}

static void ask_anew(struct model_target *m)
{
	pmk_bus_forget(&m->bus);
	m->ops->ask(&m->model, &m->bus);
}

static void fresh_bus(struct model_target *m)
{
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&m->buses[i]);
	m->bus.raised = m->raised;
	m->at = 0;
}

static void model_raises(struct target *t, unsigned signal, bool all)
{
	struct model_target *m = of(t);

	if (signal == PMK_NSIGNALS)
		memset(&m->raised, 0, sizeof(m->raised));
	for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
		if (all || sig == signal)
			pmk_signal_add(&m->raised, sig);
	m->bus.raised = m->raised;
}

static int model_read(struct target *t, unsigned reg, uint64_t *value)
{
	struct model_target *m = of(t);

	return m->ops->read(&m->model, &m->bus, m->current_mode, reg, value);
}

static int model_write(struct target *t, unsigned reg, uint64_t value)
{
	struct model_target *m = of(t);
	int err = m->ops->write(&m->model, &m->bus, m->current_mode, reg, value);

	ask_anew(m);
	return err;
}

/*
 * Acts as a producer. It does not go beyond the horizon (<pmk/bus.h>) in one step, unless `at_once`
 * is set.
 */
static void model_pass(struct target *t, unsigned signal, uint64_t n, bool at_once)
{
	struct model_target *m = of(t);

	while (n) {
		uint64_t horizon = pmk_bus_horizon(&m->bus, signal);
		uint64_t step = n < horizon || at_once ? n : horizon;

		pmk_bus_add(&m->bus, signal, step);
		n -= step;
		if (pmk_bus_due(&m->bus)) {
			m->ops->sync(&m->model, &m->bus);
			ask_anew(m);
		}
	}
}

static void model_mode(struct target *t, enum pmk_mode mode)
{
	of(t)->current_mode = mode;
}

static unsigned model_lines(struct target *t)
{
	return of(t)->ops->lines(&of(t)->model);
}

/* Returns the index of a name in a list, or `n` if the list does not have it. */
static unsigned index_of(const char *name, const char *const names[], unsigned n)
{
	unsigned i = 0;

	while (i < n && strcmp(names[i], name))
		i++;
	return i;
}

static void put(void *at, size_t size, uint64_t value)
{
	switch (size) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)at = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(uint64_t *)at = value;
	}
}

/* Sets a parameter by its name. The parameter takes effect at the next restart. */
static bool set_param(void *params, const struct pmk_model_param *rows, const char *name,
		      uint64_t value)
{
	for (; rows && rows->name; rows++) {
		if (strcmp(rows->name, name))
			continue;
		put((char *)params + rows->at, rows->size, value);
		return true;
	}
	return false;
}

static bool model_option(struct target *t, const char *name, uint64_t value)
{
	struct model_target *m = of(t);

	if (!set_param(&m->model, m->ops->params, name, value))
		return false;
	fresh_bus(m);
	m->ops->restart(&m->model, &m->bus, t->pmu);
	if (t->prepare)
		t->prepare(t);
	return true;
}

static bool model_input(struct target *t, const char *name, uint64_t value)
{
	struct model_target *m = of(t);
	unsigned n = 0;

	while (m->ops->inputs && m->ops->inputs[n] && strcmp(m->ops->inputs[n], name))
		n++;
	if (!m->ops->inputs || !m->ops->inputs[n])
		return false;
	m->ops->input(&m->model, &m->bus, n, value);
	ask_anew(m);
	return true;
}

static unsigned model_oddities(struct target *t)
{
	return pmk_model_oddities(of(t)->ops, &of(t)->model);
}

/* ---- PMUv3 ---- */

static void armv8_trap(struct target *t, unsigned *ec, unsigned *el)
{
	*ec = of(t)->model.armv8.trap.ec;
	*el = of(t)->model.armv8.trap.el;
}

static int armv8_mrc(struct target *t, const unsigned place[3], uint32_t *value)
{
	struct model_target *m = of(t);

	return pmk_armv8_mrc(&m->model.armv8, &m->bus, m->current_mode, place[0], place[1],
			     place[2], value);
}

static int armv8_mcr(struct target *t, const unsigned place[3], uint32_t value)
{
	struct model_target *m = of(t);
	int err = pmk_armv8_mcr(&m->model.armv8, &m->bus, m->current_mode, place[0], place[1],
				place[2], value);

	ask_anew(m);
	return err;
}

static int armv8_mrrc(struct target *t, uint64_t *value)
{
	struct model_target *m = of(t);

	return pmk_armv8_mrrc(&m->model.armv8, &m->bus, m->current_mode, value);
}

static int armv8_mcrr(struct target *t, uint64_t value)
{
	struct model_target *m = of(t);
	int err = pmk_armv8_mcrr(&m->model.armv8, &m->bus, m->current_mode, value);

	ask_anew(m);
	return err;
}

static int armv8_load(struct target *t, unsigned offset, uint32_t *value)
{
	struct model_target *m = of(t);

	return pmk_armv8_load(&m->model.armv8, &m->bus, offset, value);
}

static int armv8_store(struct target *t, unsigned offset, uint32_t value)
{
	struct model_target *m = of(t);
	int err = pmk_armv8_store(&m->model.armv8, &m->bus, offset, value);

	ask_anew(m);
	return err;
}

/* ---- AHB Monitor ---- */

static bool ahbmon_bus(struct target *t, const char *name)
{
	static const char *const names[PMK_AHBMON_NBUSES] = {
		[PMK_AHBMON_BUS_HCLK] = "HCLK",	  [PMK_AHBMON_BUS_ARMI] = "ARM-I",
		[PMK_AHBMON_BUS_CLCDC] = "CLCDC", [PMK_AHBMON_BUS_DMA0] = "DMA-0",
		[PMK_AHBMON_BUS_DMA1] = "DMA-1",  [PMK_AHBMON_BUS_EXP] = "EXP",
		[PMK_AHBMON_BUS_ARMD] = "ARM-D",  [PMK_AHBMON_BUS_GXI] = "GXI",
	};

	of(t)->at = index_of(name, names, PMK_AHBMON_NBUSES);
	return of(t)->at < PMK_AHBMON_NBUSES;
}

/* The AHB Monitor has no horizon at which a producer must stop. */
static void ahbmon_pass(struct target *t, unsigned signal, uint64_t n, bool at_once)
{
	(void)at_once;
	pmk_bus_add(&of(t)->buses[of(t)->at], signal, n);
}

/* Observes the buses when waves are applied to them. */
static struct pmk_ahbmon_observer observer;

static void ahbmon_prepare(struct target *t)
{
	struct pmk_ahbmon_observer_params p;

	pmk_ahbmon_observer_defaults(&p);
	pmk_ahbmon_observer_init(&observer, &p, of(t)->buses);
}

/*
 * Applies waves to one bus, in the notation of tests/ahb/trace.h, while the other buses are
 * idle.
 */
static bool ahbmon_wave(struct target *t, char *const words[], unsigned n)
{
	struct model_target *m = of(t);
	struct pmk_ahb_cycle phase = { 0 };
	struct pmk_ahbmon_sample s = { .gxi = { 0 } };
	static struct trace trace;

	pmk_ahbmon_observer_thresholds(&observer, &m->model.ahbmon);
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		s.layer[i].hready = true;
	for (unsigned w = 0; w < n; w++) {
		trace.n = 1;
		if (m->at == PMK_AHBMON_BUS_GXI) {
			if (!trace_gxi_word(words[w], &s.gxi))
				return false;
		} else if (m->at != PMK_AHBMON_BUS_HCLK) {
			trace.n = 0;
			if (!trace_word(&trace, words[w], &phase))
				return false;
		}
		for (unsigned i = 0; i < trace.n; i++) {
			if (m->at >= PMK_AHBMON_BUS_ARMI && m->at <= PMK_AHBMON_BUS_ARMD)
				s.layer[m->at - PMK_AHBMON_BUS_ARMI] = trace.cycle[i];
			pmk_ahbmon_observer_sample(&observer, m->buses, &s);
		}
	}
	return true;
}

/* ---- MicroBlaze ---- */

/* A board with one processor, whose registers are accessed directly or through the debug module. */
static struct {
	struct pmk_microblaze_pmu pmu;
	struct pmk_model_port model;
	struct pmk_port port;
	struct pmk_mdm_model mdm;
	struct pmk_mdm_jtag_model jtag;
} board;

static void microblaze_begin(struct model_target *m, const struct pmk_microblaze_params *p,
			     const struct pmk_mdm_params *mdm)
{
	fresh_bus(m);
	pmk_microblaze_model_reset(&m->model.microblaze, &board.pmu.pmu, p, &m->bus);
	board.model = (struct pmk_model_port){ m->ops, &m->model, &m->bus, PMK_MODE_PRIV };
	board.port = pmk_port_model(&board.model);
	pmk_mdm_model_reset(&board.mdm, mdm, &board.port, 1);
	pmk_mdm_jtag_model_reset(&board.jtag, &board.mdm);
}

static void microblaze_prepare(struct target *t)
{
	pmk_microblaze_configure(&board.pmu, 5, 1, 32);
	microblaze_begin(of(t), &pmk_microblaze_defaults, &pmk_mdm_defaults);
}

/*
 * Sets the number of event counters, the number of latency counters, or their width, with which the
 * processor is built.
 */
static bool microblaze_config(const char *name, uint64_t value)
{
	struct pmk_microblaze_config c = board.pmu.config;

	if (!strcmp(name, "events"))
		c.events = (uint8_t)value;
	else if (!strcmp(name, "latencies"))
		c.latencies = (uint8_t)value;
	else if (!strcmp(name, "width"))
		c.width = (uint8_t)value;
	else
		return false;
	return !pmk_microblaze_configure(&board.pmu, c.events, c.latencies, c.width);
}

/* clang-format off */
#define PARAM(name) PMK_MODEL_PARAM(pmk_mdm_params, #name, name)
static const struct pmk_model_param mdm_params[] = {
	PARAM(access), PARAM(uart), PARAM(cross_trigger), PARAM(key_toggles), PARAM(status_is_jtag),
	PARAM(silent), PARAM(zero_first), PARAM(all_of_several), PARAM(undirected),
		PARAM(fetch_early),
	{ NULL, 0, 0 },
};
/* clang-format on */

static bool microblaze_option(struct target *t, const char *name, uint64_t value)
{
	struct model_target *m = of(t);
	struct pmk_mdm_params mdm = board.mdm.params;
	struct pmk_microblaze_params p;

	if (!set_param(&m->model, m->ops->params, name, value) &&
	    !set_param(&mdm, mdm_params, name, value) && !microblaze_config(name, value))
		return false;
	p = m->model.microblaze.params;
	microblaze_begin(m, &p, &mdm);
	return true;
}

static bool microblaze_input(struct target *t, const char *name, uint64_t value)
{
	if (!strcmp(name, "jtag_lock")) { /* 0 gives back the lock, 1 takes it, 2 forces it */
		if (value)
			pmk_mdm_model_jtag_lock(&board.mdm, value == 2);
		else
			pmk_mdm_model_jtag_unlock(&board.mdm);
		return true;
	}
	if (!strcmp(name, "jtag_user")) { /* true if the USER instruction is loaded */
		if (value)
			pmk_mdm_jtag_model_select(&board.jtag);
		else
			pmk_mdm_jtag_model_deselect(&board.jtag);
		return true;
	}
	return model_input(t, name, value);
}

static void microblaze_latency(struct target *t, unsigned signal, uint64_t start, uint32_t cycles)
{
	struct model_target *m = of(t);

	pmk_bus_record(&m->bus, signal, start, cycles);
	model_pass(t, signal, 1, true);
}

static int microblaze_load(struct target *t, unsigned offset, uint32_t *value)
{
	(void)t;
	return pmk_mdm_model_load(&board.mdm, offset, value);
}

static int microblaze_store(struct target *t, unsigned offset, uint32_t value)
{
	int err = pmk_mdm_model_store(&board.mdm, offset, value);

	ask_anew(of(t));
	return err;
}

static int microblaze_scan(struct target *t, unsigned bits, uint64_t out, uint64_t *in)
{
	uint8_t to[8], from[8] = { 0 };
	int err;

	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(out >> 8 * i);
	err = pmk_mdm_jtag_model_scan(&board.jtag, bits, to, from);
	for (unsigned i = 0; i < 8; i++)
		*in |= (uint64_t)from[i] << 8 * i;
	ask_anew(of(t));
	return err;
}

/* ---- all ---- */

static void model_reset(struct target *t);

#define COMMON                                                                                    \
	.reset = model_reset, .read = model_read, .write = model_write, .pass = model_pass,       \
	.mode = model_mode, .lines = model_lines, .raises = model_raises, .option = model_option, \
	.input = model_input, .oddities = model_oddities

/*
 * The operations of every model. The targets below also have the operations of models with other
 * buses, or with other ways to access registers.
 */
static const struct target any_model = { COMMON };

static const struct {
	const struct pmk_model_ops *models;
	struct target target;
} more[] = {
	{ pmk_ahbmon_models,
	  { .reset = model_reset,
	    .read = model_read,
	    .write = model_write,
	    .mode = model_mode,
	    .lines = model_lines,
	    .pass = ahbmon_pass,
	    .bus = ahbmon_bus,
	    .wave = ahbmon_wave,
	    .prepare = ahbmon_prepare,
	    .option = model_option,
	    .input = model_input,
	    .oddities = model_oddities } },
	{ pmk_microblaze_models,
	  { .reset = model_reset,
	    .read = model_read,
	    .write = model_write,
	    .pass = model_pass,
	    .mode = model_mode,
	    .lines = model_lines,
	    .raises = model_raises,
	    .option = microblaze_option,
	    .input = microblaze_input,
	    .oddities = model_oddities,
	    .latency = microblaze_latency,
	    .load = microblaze_load,
	    .store = microblaze_store,
	    .scan = microblaze_scan,
	    .prepare = microblaze_prepare } },
	{ pmk_armv8_models,
	  { COMMON, .trap = armv8_trap, .mrc = armv8_mrc, .mcr = armv8_mcr, .mrrc = armv8_mrrc,
	    .mcrr = armv8_mcrr, .load = armv8_load, .store = armv8_store } },
};

/* Gives the target the operations that models of the PMU's family have, and resets the model. */
static void model_reset(struct target *t)
{
	struct model_target *m = of(t);
	const struct pmk_pmu *pmu = t->pmu;

	m->ops = pmk_model_find(pmu);
	*t = any_model;
	for (size_t f = 0; f < sizeof(more) / sizeof(more[0]); f++)
		for (const struct pmk_model_ops *ops = more[f].models; ops->pmu; ops++)
			if (m->ops == ops)
				*t = more[f].target;
	t->pmu = pmu;
	m->current_mode = PMK_MODE_PRIV;
	model_raises(t, PMK_NSIGNALS, true);
	fresh_bus(m);
	m->ops->reset(&m->model, &m->bus, m->ops->pmu);
	if (t->prepare)
		t->prepare(t);
}

int main(int argc, char **argv)
{
	char *text;
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: run_model FILE.vec\n");
		return 2;
	}
	text = load(argv[1]);
	if (!text) {
		perror(argv[1]);
		return 2;
	}
	model.target.reset = model_reset;
	status = run_file(&model.target, argv[1], text);
	free(text);
	return status;
}
