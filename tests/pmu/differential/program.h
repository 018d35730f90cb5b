/* SPDX-License-Identifier: MIT */
/*
 * Random programs of register accesses and instructions, which run on QEMU's PMUv3 and on our
 * model.
 *
 * A program is a list of operations. generate.c makes programs from a seed. emit.c turns a program
 * into A64 instructions for QEMU. machine.c runs it on the model, whose bus gets what QEMU's clock
 * gets. Both log one word for each access. compare.c compares the logs, and deviations.c says where
 * they may differ. Registers, bits and instructions are written as literal numbers from the
 * manuals, independent of src/pmu/armv8/regs.h.
 */
#ifndef DIFFERENTIAL_PROGRAM_H
#define DIFFERENTIAL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pmk/armv8.h>
#include <pmk/armv8_model.h>
#include <pmk/bus.h>

/* ---- machines ------------------------------------------------------------------------------ */

/*
 * A core of QEMU. Its identification is that of QEMU 7.2, which has INST_RETIRED because of
 * -icount.
 */
struct core {
	const char *name; /* name for -cpu */
	const struct pmk_pmu *pmu;
	uint8_t version, idcode;
	uint64_t pmceid[2];
	bool secure_el2; /* the core has FEAT_SEL2 */
	unsigned shift;	 /* -icount shift=: cycles per instruction, as a power of two */
};

/* A board: -machine virt with these options. Programs start at the board's highest level. */
struct board {
	const char *name, *options;
	bool el2, el3;
};

const struct core *core_find(const char *name);
const struct board *board_find(const char *name);

/* ---- programs ------------------------------------------------------------------------------ */

/* Registers that do not belong to the PMU. Their numbers follow PMK_ARMV8_NREGS. */
enum control { MDCR_EL2 = PMK_ARMV8_NREGS, HCR_EL2, MDCR_EL3, SCR_EL3, NREGISTERS };

#define COUNTERS 6 /* PMCR.N of all of QEMU's cores */

enum op_kind {
	OP_RESET,   /* stops and clears the PMU at the highest level; each program begins with it */
	OP_READ,    /* reads reg */
	OP_WRITE,   /* writes value to reg */
	OP_PENDING, /* reads the PMU's interrupt at the GIC, 0 or 1 */
	OP_LOOP,    /* value: number of rounds, 1 to 65535 */
	OP_DOWN,    /* goes from the current level to the lower level `to` */
	OP_UP,	    /* value: which instruction goes up, SVC, HVC or SMC */
	OP_DUMP,    /* reads dumped[] at the highest level; each program ends with it */
};

struct op {
	uint8_t kind, reg, from, to;
	uint64_t value;
};

#define MAX_OPS 100

struct program {
	unsigned n;
	struct op op[MAX_OPS];
};

/* The registers that OP_DUMP reads. */
#define NDUMPED 20
extern const uint8_t dumped[NDUMPED];

/*
 * The word that is logged instead of a value after an exception: the marker, plus level << 8, plus
 * the class.
 */
#define MARKER UINT64_C(0xDEAD000000000800)

#define SVC 0xD4000001
#define HVC 0xD4000002
#define SMC 0xD4000003

/* Bits of HCR_EL2: RW, TGE. Bits of SCR_EL3: RW, HCE and 5:4, which are RES1; NS; EEL2. */
#define HCR_RW	 UINT64_C(0x80000000)
#define HCR_TGE	 UINT64_C(0x08000000)
#define SCR_RW	 UINT64_C(0x00000530)
#define SCR_NS	 UINT64_C(0x00000001)
#define SCR_EEL2 UINT64_C(0x00040000)

const char *register_name(unsigned reg, char text[24]);
/* Prints one operation as text. */
void op_print(FILE *f, const struct op *op);

/* ---- instructions (emit.c) ----------------------------------------------------------------- */

/*
 * How many instructions an operation has up to and including its access, how many it has after it,
 * and how many the vectors of guest.S execute for an unexpected and for an expected exception.
 */
enum {
	BEFORE_READ = 1,
	AFTER_READ = 1,
	BEFORE_WRITE = 5,
	AFTER_WRITE = 2,
	BEFORE_PENDING = 1,
	AFTER_PENDING = 2,
	LOOP_ONCE = 1,
	LOOP_EACH = 2,
	DOWN = 6,
	BEFORE_UP = 2,
	CALL = 1,
	RETURN = 1,
	BEFORE_DUMP = 1,
	DUMP_READ = 1,
	DUMP_STORE = 1,
	UNWANTED = 10,
	WANTED = 5,
	MOST_WORDS = 8, /* the most words of one operation */
};

/* Writes the A64 instructions of an operation; returns their number. */
unsigned emit(const struct op *op, uint32_t words[MOST_WORDS]);
/* Returns the word that ends a file of programs. */
uint32_t emit_finish(void);

/* ---- the model as a machine (machine.c) ---------------------------------------------------- */

/* Faults that the comparison must detect when the model has them. */
enum fault {
	FAULT_NONE,
	FAULT_LOOP,	/* a loop has one instruction more */
	FAULT_CYCLES,	/* each loop takes one cycle more */
	FAULT_COUNTERS, /* there are five counters */
	FAULT_VERSION,	/* version p4 instead of p5, or p5 instead of p1 */
	FAULT_LEVEL,	/* events at EL0 count as events at EL1 */
	FAULT_WORLD,	/* there is no Secure state */
	FAULT_HPMN,	/* MDCR_EL2 keeps its reset value */
	FAULT_TRAP,	/* nothing traps to EL2 or EL3 */
	NFAULTS
};
extern const char *const fault_names[NFAULTS];

struct machine {
	const struct core *core;
	const struct board *board;
	enum fault fault;
	const struct pmk_model_ops *ops;
	struct pmk_bus bus;
	struct pmk_armv8_model model;
	uint64_t mdcr2, mdcr3, hcr, scr; /* MDCR_EL2 … SCR_EL3, as written */
	unsigned el;

	/* State that the comparison keeps about the program so far. */
	unsigned divided; /* how often PMCR.D began to divide since PMCCNTR was last written */
	bool dividing;	  /* PMCR.D divides now */
	bool flag_unsure; /* the divider's phase decides whether PMOVS.C is set */
	bool line_late;	  /* PMCR.E was changed since QEMU last looked at its line */
	uint32_t late;	  /* counters that overflowed since QEMU last looked at them */
	bool flag_lost;	  /* a flag was cleared before QEMU had set it */
};

/*
 * Receives a word of the log. `reg` is the register that was read or written, or NREGISTERS for
 * OP_PENDING.
 */
typedef void log_fn(void *ctx, struct machine *m, const struct op *op, unsigned reg,
		    uint64_t value);

void machine_init(struct machine *m, const struct core *core, const struct board *board,
		  enum fault fault);
void machine_step(struct machine *m, const struct op *op, log_fn *log, void *ctx);

unsigned machine_top(const struct machine *m);
/* Returns true if EL2 exists and is enabled in the security state of the levels below EL3. */
bool machine_el2(const struct machine *m);
/* Returns MDCR_EL2.HPMN. Without EL2, returns the number of all counters. */
unsigned machine_hpmn(const struct machine *m);
/*
 * Returns the number of the counter whose count or type is in this register; -1 if there is none.
 * PMSELR may select 31, so the result may be 31.
 */
int machine_counter(const struct machine *m, unsigned reg);

/* ---- where QEMU differs (deviations.c) ----------------------------------------------------- */

enum rule {
	RULE_LP_KEPT,
	RULE_TYPE_BITS,
	RULE_EVENT_BITS,
	RULE_FLAGS_LATE,
	RULE_LINE_LATE,
	RULE_LINE_HPME,
	RULE_DIVIDER_PHASE,
	RULE_HPMN_SETS,
	RULE_HPMN_COUNTERS,
	RULE_HPMN_CLEAR,
	RULE_TPM_SHORTCUT,
	RULE_TPMCR,
	RULE_HPMD_EARLY,
	RULE_EL2_DISABLED,
	RULE_NO_SH,
	NRULES
};

struct deviation {
	const char *name;
	const char *qemu;	  /* the behaviour of QEMU */
	const char *architecture; /* the behaviour that the architecture requires */
	const char *ref;
	const char *core, *board; /* where the demonstration runs */
	/*
	 * The operations of the demonstration, which come between OP_RESET and OP_DUMP, and which
	 * start and end at the highest level. The last word that they log is `theirs` in QEMU and
	 * `ours` in the model.
	 */
	const struct op *op;
	unsigned n;
	uint64_t theirs, ours;
	uint64_t either; /* another value that QEMU may have; 0: none */
	bool mended;	 /* fixed in a later QEMU than 7.2, whose value may be `ours` */
};

extern const struct deviation deviations[NRULES];

/*
 * Changes an operation so that it avoids QEMU's deviations. Returns false if it must be left out.
 */
bool keep_clear(const struct machine *m, struct op *op);
/* Returns the bits in which the two logs must agree. Marks in `used` which rules excluded bits. */
uint64_t compared(const struct machine *m, unsigned reg, bool used[NRULES]);
/* Returns true if QEMU's flags must be updated before this operation. */
bool needs_flags(const struct op *op);

/* ---- generate.c, compare.c ----------------------------------------------------------------- */

/* Writes a random program to *p. The same arguments always give the same program. */
void generate(struct program *p, const struct core *core, const struct board *board, uint64_t seed,
	      unsigned index);
/* Writes to *p the program that shows this deviation of QEMU. */
void demonstrate(struct program *p, const struct deviation *d);

/*
 * Kinds of compared words. The number of words of each kind shows whether the programs test enough.
 */
enum seen {
	SEEN_UNDEFINED,
	SEEN_TRAP_EL1,
	SEEN_TRAP_EL2,
	SEEN_TRAP_EL3,
	SEEN_COUNT,	/* an event counter or PMCCNTR that is not 0 */
	SEEN_OVERFLOW,	/* PMOVS that is not 0 */
	SEEN_INTERRUPT, /* the interrupt is pending */
	SEEN_NONE,	/* the interrupt is not pending */
	NSEEN
};
extern const char *const seen_names[NSEEN];

struct tally {
	unsigned programs, values, differences;
	unsigned masked[NRULES]; /* words in which a rule excluded bits */
	unsigned seen[NSEEN];
};

/*
 * Compares one program with `n` words of QEMU's log. Returns the number of words that the program
 * used. Prints the first difference, and the operations before it, to `out`.
 */
size_t compare(const struct program *p, struct machine *m, const uint64_t *log, size_t n,
	       struct tally *t, FILE *out);

#endif
