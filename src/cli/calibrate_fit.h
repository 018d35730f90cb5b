/* SPDX-License-Identifier: MIT */
/*
 * Parameters of a core's caches, TLBs and branch predictor from the time of chains of loads and of
 * generated code. It knows no core and no counter: whoever calls it has the kernels run and their
 * cycles counted.
 */
#ifndef PMK_CALIBRATE_FIT_H
#define PMK_CALIBRATE_FIT_H

#include <stdint.h>

enum calibrate_kind { CAL_RING, CAL_CODE, CAL_CALLS, CAL_TARGETS, CAL_LOOP, CAL_PAIR };

/*
 * One kernel of data/calibrate/kernels.c, which says what they do. RING: words, each of which has
 * the address of the next one, `stride` bytes further; if `line` is not 0 they are words of pages,
 * and spread over the lines of a page evenly.
 */
struct calibrate_kernel {
	/* `kind` as wide as the others: kernels are compared byte by byte. */
	uint64_t kind, stride, line, count;
};

/* "ring", the first word for that program. */
const char *calibrate_kind_name(enum calibrate_kind kind);

/* The program could make no code. */
#define CAL_NO_CODE (-1)

/* Cycles that a load of a ring takes, or a call of the code. 0, CAL_NO_CODE, or an exit code, which
 * ends the fit. */
typedef int (*calibrate_measure_fn)(void *ctx, const struct calibrate_kernel *kernel,
				    double *cycles);

enum calibrate_what {
	CAL_LINE,	   /* bytes of a line of the data cache */
	CAL_DCACHE_WAYS,   /* dcache.ways */
	CAL_DCACHE_SIZE,   /* dcache.size */
	CAL_UTLB_ENTRIES,  /* utlb.entries */
	CAL_UTLB_PENALTY,  /* utlb.penalty */
	CAL_TLB_ENTRIES,   /* tlb.entries */
	CAL_TLB_PENALTY,   /* tlb.penalty */
	CAL_TLB_WAYS,	   /* tlb.ways */
	CAL_L2_SIZE,	   /* l2.size; 0: there is none */
	CAL_L2_LATENCY,	   /* l2.latency */
	CAL_MEM_LATENCY,   /* mem.latency */
	CAL_ICACHE_WAYS,   /* icache.ways */
	CAL_ICACHE_SIZE,   /* icache.size */
	CAL_BP_ENTRIES,	   /* bp.entries, of a branch target cache, or of a table of counters */
	CAL_BRANCH_STATIC, /* branch.static_taken */
	CAL_RS_ENTRIES,	   /* rs.entries */
	CAL_BRANCH_MAX,	   /* branch.max, where indirect branches are predicted */
	CAL_BP_HISTORY,	   /* bp.history, of branches that a history predicts */
	CAL_NUMBERS
};

struct calibrate_fit {
	double hit; /* cycles of a load that hits everywhere */
	uint64_t number[CAL_NUMBERS];
	/* Why a number could not be found, or NULL: it was. */
	const char *why[CAL_NUMBERS];
};

/* The name of the parameter, "dcache.ways"; of CAL_LINE, of which there is none, NULL. */
const char *calibrate_key(enum calibrate_what what);

/* 0 with the numbers that could be found, or what `measure` has returned. */
int calibrate_fit(calibrate_measure_fn measure, void *ctx, struct calibrate_fit *fit);

#endif
