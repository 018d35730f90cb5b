/* SPDX-License-Identifier: MIT */
/*
 * Random programs of register accesses and instructions, run on QEMU's PMUv3 and on ours.
 *
 * A program is a list of operations. emit.c turns it into A64 instructions for QEMU; machine.c
 * plays it on the model, whose bus gets what QEMU's clock gets; both log one word for each
 * access. compare.c compares the two logs; deviations.c says where they may differ. generate.c
 * makes programs from a seed. Registers, bits and instructions are spelled as the manuals have
 * them, not by src/pmu/armv8/regs.h.
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

/* A core of QEMU. The identification is that of QEMU 7.2, with INST_RETIRED because of -icount. */
struct core {
	const char *name; /* -cpu */
	const struct pmk_pmu *pmu;
	uint8_t version, idcode;
	uint64_t pmceid[2];
	bool secure_el2; /* FEAT_SEL2 */
	unsigned shift;	 /* -icount shift=: cycles per instruction, as a power of two */
};

/* A board: -machine virt with these options. Programs start at its highest level. */
struct board {
	const char *name, *options;
	bool el2, el3;
};

const struct core *core_find(const char *name);
const struct board *board_find(const char *name);

/* ---- programs ------------------------------------------------------------------------------ */

/* Registers that are not the PMU's; their numbers follow PMK_ARMV8_NREGS. */
enum control { MDCR_EL2 = PMK_ARMV8_NREGS, HCR_EL2, MDCR_EL3, SCR_EL3, NREGISTERS };

#define COUNTERS 6 /* PMCR.N of all of QEMU's cores here */

enum op_kind {
	OP_RESET,   /* stop and clear the PMU: from the highest level, the first of every program */
	OP_READ,    /* reg */
	OP_WRITE,   /* reg, value */
	OP_PENDING, /* the interrupt of the PMU at the GIC: 0 or 1 */
	OP_LOOP,    /* value: times, 1 … 65535 */
	OP_DOWN,    /* from a level to a lower one, `to` */
	OP_UP,	    /* value: the instruction that is taken, SVC, HVC or SMC */
	OP_DUMP,    /* read dumped[]: from the highest level, the last of every program */
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

/* Logged instead of a value if there was an exception: the marker, plus level << 8, plus the
 * class. */
#define MARKER UINT64_C(0xDEAD000000000800)

#define SVC 0xD4000001
#define HVC 0xD4000002
#define SMC 0xD4000003

/* HCR_EL2: RW, TGE. SCR_EL3: RW, HCE and bits 5:4, which are RES1; NS; EEL2. */
#define HCR_RW	 UINT64_C(0x80000000)
#define HCR_TGE	 UINT64_C(0x08000000)
#define SCR_RW	 UINT64_C(0x00000530)
#define SCR_NS	 UINT64_C(0x00000001)
#define SCR_EEL2 UINT64_C(0x00040000)

const char *register_name(unsigned reg, char text[24]);
/* Prints one operation as text. */
void op_print(FILE *f, const struct op *op);

/* ---- instructions (emit.c) ----------------------------------------------------------------- */

/* The number of instructions of an operation up to and including its access, after it, and in the
 * vectors of guest.S: for an unexpected exception, and for an expected one. */
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
	MOST_WORDS = 8, /* the largest number of words of one operation */
};

/* Op as A64 instructions; returns how many. */
unsigned emit(const struct op *op, uint32_t words[MOST_WORDS]);
/* Returns the word that ends a file of programs. */
uint32_t emit_finish(void);

/* ---- the model as a machine (machine.c) ---------------------------------------------------- */

/* Ways to be wrong, each of which the comparison has to notice. */
enum fault {
	FAULT_NONE,
	FAULT_LOOP,	/* a loop has an instruction more */
	FAULT_CYCLES,	/* a cycle more in each loop */
	FAULT_COUNTERS, /* five counters */
	FAULT_VERSION,	/* p4 instead of p5 or p5 instead of p1 */
	FAULT_LEVEL,	/* events at EL0 are counted as EL1's */
	FAULT_WORLD,	/* there is no Secure state */
	FAULT_HPMN,	/* MDCR_EL2 keeps its reset value */
	FAULT_TRAP,	/* no trap to EL2 and EL3 */
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
	uint64_t mdcr2, mdcr3, hcr, scr; /* MDCR_EL2 … SCR_EL3 as written */
	unsigned el;

	/* State that the comparison keeps about the program so far. */
	unsigned divided; /* stretches that PMCR.D divided since PMCCNTR was last known */
	bool dividing;	  /* in one */
	bool flag_unsure; /* PMOVS.C: the phase of the divider decides it */
	bool line_late;	  /* PMCR.E was changed since QEMU last looked at its line */
	uint32_t late;	  /* counters that overflowed since QEMU last looked at them */
	bool flag_lost;	  /* a flag was cleared before QEMU had set it */
};

/* A word of the log: of a register that was read or written, or NREGISTERS of OP_PENDING. */
typedef void log_fn(void *ctx, struct machine *m, const struct op *op, unsigned reg,
		    uint64_t value);

void machine_init(struct machine *m, const struct core *core, const struct board *board,
		  enum fault fault);
void machine_step(struct machine *m, const struct op *op, log_fn *log, void *ctx);

unsigned machine_top(const struct machine *m);
/* EL2 exists and is enabled in the security state of the levels below EL3. */
bool machine_el2(const struct machine *m);
/* MDCR_EL2.HPMN; all counters without EL2. */
unsigned machine_hpmn(const struct machine *m);
/* Returns the number of the counter to whose count or type the register belongs; -1 if there is
 * none. PMSELR may select 31. */
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
	const char *qemu;	  /* what QEMU does */
	const char *architecture; /* what the architecture says */
	const char *ref;
	const char *core, *board; /* where it is shown */
	/*
	 * The operations of the demonstration, after OP_RESET and before OP_DUMP, from the highest
	 * level to it. The last word that they log is `theirs` in QEMU and `ours` in the model.
	 */
	const struct op *op;
	unsigned n;
	uint64_t theirs, ours;
	uint64_t either; /* what QEMU's value may be instead; 0: nothing */
	bool mended;	 /* in a later QEMU than 7.2: theirs may be `ours` */
};

extern const struct deviation deviations[NRULES];

/* Change an operation so that it avoids QEMU's deviations; false: leave it out. */
bool keep_clear(const struct machine *m, struct op *op);
/* Bits in which the two logs must agree. Marks in `used` which rules took some away. */
uint64_t compared(const struct machine *m, unsigned reg, bool used[NRULES]);
/* True if QEMU's flags must be brought up to date first. */
bool needs_flags(const struct op *op);

/* ---- generate.c, compare.c ----------------------------------------------------------------- */

/* Writes a random program to *p. The same arguments always give the same program. */
void generate(struct program *p, const struct core *core, const struct board *board, uint64_t seed,
	      unsigned index);
/* Writes to *p the program that shows this deviation of QEMU. */
void demonstrate(struct program *p, const struct deviation *d);

/* Statistics of the compared words, which show that the programs test enough. */
enum seen {
	SEEN_UNDEFINED,
	SEEN_TRAP_EL1,
	SEEN_TRAP_EL2,
	SEEN_TRAP_EL3,
	SEEN_COUNT,	/* an event counter or PMCCNTR, not 0 */
	SEEN_OVERFLOW,	/* PMOVS, not 0 */
	SEEN_INTERRUPT, /* high */
	SEEN_NONE,	/* low */
	NSEEN
};
extern const char *const seen_names[NSEEN];

struct tally {
	unsigned programs, values, differences;
	unsigned masked[NRULES]; /* words in which a rule took bits away */
	unsigned seen[NSEEN];
};

/* Compare one program with `n` words of QEMU's log; returns how many it has used. Prints the first
 * difference of a program, and the way there, to `out`. */
size_t compare(const struct program *p, struct machine *m, const uint64_t *log, size_t n,
	       struct tally *t, FILE *out);

#endif
