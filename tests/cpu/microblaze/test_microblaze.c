// SPDX-License-Identifier: MIT
/*
 * The running core of MicroBlaze gives the known answer for each rule. Events and their wording are
 * from UG984, "Performance Monitoring"; latencies from its instruction pages, "Pipeline
 * Architecture" and "Branch Target Cache"; caches and TLBs from "Instruction Cache", "Data Cache"
 * and "Memory Management Unit". test_oracle.c compares whole programs with a plain oracle.
 */
#include "rig.h"
#include "cpu/family.h"

#include <pmk/error.h>

/* ---- the events of each instruction ----------------------------------------------------- */

#define MAX_SIGNALS 6

static void kinds(void **state)
{
	static const struct {
		int line;
		uint32_t word;
		uint8_t sig[MAX_SIGNALS]; /* signals in addition to INSN; 0 ends the list */
	} rows[] = {
#define S(name) PMK_SIG_##name
		{ __LINE__, 0x00642800, { S(ARITH) } },			     /* add r3,r4,r5 */
		{ __LINE__, 0x14642801, { S(ARITH) } },			     /* cmp */
		{ __LINE__, 0x3021fff8, { S(ARITH) } },			     /* addik r1,r1,-8 */
		{ __LINE__, 0x40642803, { S(ARITH), S(MUL) } },		     /* mulhu */
		{ __LINE__, 0x6064000a, { S(ARITH), S(MUL) } },		     /* muli */
		{ __LINE__, 0x48642802, { S(ARITH), S(DIV), S(EX_STALL) } }, /* idivu */
		{ __LINE__, 0x44642a00, { S(BARREL_SHIFT) } },		     /* bsra */
		{ __LINE__, 0x64640405, { S(BARREL_SHIFT) } },		     /* bslli */
		{ __LINE__, 0x58642980, { S(VFP), S(EX_STALL) } },	     /* fdiv */
		{ __LINE__, 0x58642a30, { S(VFP) } },			     /* fcmp.le */
		{ __LINE__, 0x80642800, { S(LOGICAL) } },		     /* or */
		{ __LINE__, 0x80642c00, { S(PATTERN_COMPARE) } },	     /* pcmpbf */
		{ __LINE__, 0x88642c00, { S(PATTERN_COMPARE) } },	     /* pcmpeq */
		{ __LINE__, 0x8c642c00, { S(PATTERN_COMPARE) } },	     /* pcmpne */
		{ __LINE__, 0xa8640001, { S(LOGICAL) } },		     /* xori */
		{ __LINE__, 0x90640021, { S(SHIFT) } },			     /* src */
		{ __LINE__, 0x90640061, { S(SIGN_EXTEND) } },		     /* sext16 */
		{ __LINE__, 0x906400e0, { 0 } },			     /* clz */
		{ __LINE__, 0x90032068, { S(ICACHE_OP), S(EX_STALL) } },     /* wic */
		{ __LINE__, 0x90032064, { S(DCACHE_OP), S(EX_STALL) } },     /* wdc */
		{ __LINE__, 0x90032066, { S(DCACHE_OP), S(EX_STALL) } },     /* wdc.clear */
		{ __LINE__, 0x90032074, { S(DCACHE_OP), S(EX_STALL) } },     /* wdc.flush */
		{ __LINE__, 0x94700080, { S(STATUS_OP) } },		     /* msrset */
		{ __LINE__, 0x94710080, { S(STATUS_OP) } },		     /* msrclr */
		{ __LINE__, 0x9403c001, { 0 } },			     /* mts rmsr */
		{ __LINE__, 0x94608001, { 0 } },			     /* mfs rmsr */
		{ __LINE__, 0xc0642a00, { S(LOAD), S(LOAD_BYTE) } },	     /* lbur */
		{ __LINE__, 0xe4640002, { S(LOAD), S(LOAD_HALF) } },	     /* lhui */
		{ __LINE__, 0xc8642c00, { S(LOAD), S(LOAD_WORD) } },	     /* lwx */
		{ __LINE__, 0xe8610004, { S(LOAD), S(LOAD_WORD), S(LOAD_SP) } }, /* lwi r3,r1,4 */
		{ __LINE__, 0xc8640800, { S(LOAD), S(LOAD_WORD), S(LOAD_SP) } }, /* lw r3,r4,r1 */
		{ __LINE__, 0xc8242800, { S(LOAD), S(LOAD_WORD) } },		 /* lw r1,r4,r5 */
		{ __LINE__, 0xd4642a00, { S(STORE), S(STORE_HALF) } },		 /* shr */
		{ __LINE__, 0xd8642c00, { S(STORE), S(STORE_WORD), S(STREX) } }, /* swx */
		{ __LINE__, 0xf0640000, { S(STORE), S(STORE_BYTE) } },		 /* sbi */
		{ __LINE__,
		  0xf8610004,
		  { S(STORE), S(STORE_WORD), S(STORE_SP) } },		 /* swi r3,r1,4 */
		{ __LINE__, 0xf8240004, { S(STORE), S(STORE_WORD) } },	 /* swi r1,r4,4 */
		{ __LINE__, 0x98002800, { S(BR_UNCOND), S(OF_STALL) } }, /* br */
		{ __LINE__,
		  0x98102800,
		  { S(BR_UNCOND), S(BR_UNCOND_DELAY), S(OF_STALL) } }, /* brd */
		{ __LINE__,
		  0x99f42800,
		  { S(BR_UNCOND), S(BR_UNCOND_DELAY), S(OF_STALL) } },	 /* brld */
		{ __LINE__, 0x9a0c2800, { S(BR_UNCOND), S(OF_STALL) } }, /* brk */
		{ __LINE__, 0xb8000008, { S(BR_UNCOND), S(OF_STALL) } }, /* bri */
		{ __LINE__,
		  0xb9f40008,
		  { S(BR_UNCOND), S(BR_UNCOND_DELAY), S(OF_STALL) } },	 /* brlid */
		{ __LINE__, 0xba0c0018, { S(BR_UNCOND), S(OF_STALL) } }, /* brki r16,24 */
		{ __LINE__, 0xb60f0008, { S(OF_STALL) } },		 /* rtsd */
		{ __LINE__, 0xb62e0000, { S(OF_STALL) } },		 /* rtid */
		{ __LINE__, 0xb0001234, { S(IMM_PREFIX) } },		 /* imm */
		{ __LINE__, 0xb8420004, { S(EX_STALL) } },		 /* mbar 2 */
		{ __LINE__, 0xba020004, { S(EX_STALL) } },		 /* sleep */
		{ __LINE__, 0x80000000, { S(LOGICAL) } },		 /* nop */
		{ __LINE__, 0x6c600000, { 0 } },			 /* get */
		{ __LINE__, 0x4c032c00, { 0 } },			 /* putd */
#undef S
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pmk_core core = plain_core();
		struct rig *r = rig_new(&core);

		rig_run(r, 0x1000, &rows[i].word, 1, DATA(0x2000));
		for (unsigned f = 0; f < PMK_MB_NFACTS; f++) {
			unsigned sig = pmk_microblaze_signal[f];
			bool wanted = sig == PMK_SIG_INSN, got = total(r, sig) != 0;

			for (unsigned k = 0; k < MAX_SIGNALS; k++)
				wanted |= rows[i].sig[k] == sig;
			if (got != wanted)
				fail_msg("line %d: %s is %s", rows[i].line, pmk_signal_name(sig),
					 got ? "counted" : "not counted");
		}
		rig_free(r);
	}
}

/* ---- branches and delay slots ---------------------------------------------------------------- */

static void conditional_branches(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r = rig_new(&core);

	(void)state;
	GO(r, 0x1000, BEQI(3, 0x100));			/* taken */
	GO(r, 0x1100, BEQI(3, 0x100));			/* not taken */
	GO(r, 0x1104, BEQID(3, 0x100), ADDIK(4, 4, 1)); /* taken */
	GO(r, 0x1204, BEQID(3, 0x100), NOP);		/* not taken */
	GO(r, 0x120c, BEQ(3, 5));			/* taken; r5 contains the target */
	GO(r, 0x4000, BEQ(3, 5));			/* not taken */
	GO(r, 0x4004, NOP);
	TOTALS(r, PMK_SIG_BRANCH, 6, PMK_SIG_BR_TAKEN, 3, PMK_SIG_BR_NOT_TAKEN, 3,
	       PMK_SIG_BR_TAKEN_DELAY, 1, PMK_SIG_BR_NOT_TAKEN_DELAY, 1, PMK_SIG_BR_UNCOND, 0,
	       PMK_SIG_DELAY_NOP, 1, PMK_SIG_INSN, 9, PMK_SIG_BTC_HIT, 0);
	/* A taken branch takes two more cycles without a delay slot, and one more with it. */
	TOTALS(r, PMK_SIG_OF_STALL, 2 + 1 + 2, PMK_SIG_STALL, 5, PMK_SIG_CYCLE, 9 + 5);
	rig_free(r);
}

/*
 * If a branch goes to the next instruction, the core cannot see whether it was taken. Only the sum
 * of the two events is known.
 */
static void branch_to_the_next(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	for (core.bp.on = 0; core.bp.on < 2; core.bp.on++) {
		r = rig_new(&core);
		GO(r, 0x1000, BEQI(3, 4));
		GO(r, 0x1004, BRI(8));
		GO(r, 0x100c, BRID(8), NOP); /* unconditional, so taken, with its cycles */
		GO(r, 0x1014, NOP);
		TOTALS(r, PMK_SIG_BR_TAKEN, 0, PMK_SIG_BR_NOT_TAKEN, 1, PMK_SIG_BR_UNCOND, 2,
		       PMK_SIG_OF_STALL, 3, PMK_SIG_BTC_HIT, 0);
		assert_true(pmk_signal_in(&r->cpu.doubtful, PMK_SIG_BR_TAKEN));
		assert_true(pmk_signal_in(&r->cpu.doubtful, PMK_SIG_BR_NOT_TAKEN_DELAY));
		assert_false(pmk_signal_in(&r->cpu.doubtful, PMK_SIG_BRANCH));
		rig_free(r);
	}
}

/*
 * r0 is 0, so beq, ble and bge of r0 are taken, even to the next instruction, and bne, blt and bgt
 * are not.
 */
static void branch_on_r0(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	for (core.bp.on = 0; core.bp.on < 2; core.bp.on++) {
		r = rig_new(&core);
		GO(r, 0x1000, BRCI(EQ, 4));
		GO(r, 0x1004, BRCI(LE, 4));
		GO(r, 0x1008, BRCI(GE, 4));
		GO(r, 0x100c, BRCI(NE, 4));
		GO(r, 0x1010, BRCI(LT, 4));
		GO(r, 0x1014, BRCI(GT, 4));
		GO(r, 0x1018, BEQID(0, 8), NOP);
		GO(r, 0x1020, BRCI(NE, 0x100)); /* a handler of a signal runs next */
		GO(r, 0x9000, NOP);
		TOTALS(r, PMK_SIG_BR_TAKEN, 4, PMK_SIG_BR_NOT_TAKEN, 4, PMK_SIG_BR_TAKEN_DELAY, 1,
		       PMK_SIG_BRANCH, 8, PMK_SIG_OF_STALL, 3 * 2 + 1, PMK_SIG_BTC_HIT, 0);
		assert_false(pmk_signal_in(&r->cpu.doubtful, PMK_SIG_BR_TAKEN));
		rig_free(r);
	}
}

static void delay_slots(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r = rig_new(&core);

	(void)state;
	GO(r, 0x1000, BRLID(15, 0x1000), NOP); /* a call with an empty slot */
	GO(r, 0x2000, NOP, RTSD(15, 8),
	   ADDIK(3, 3, 1)); /* a return with a used slot; the NOP is not in a slot */
	GO(r, 0x1008, BRD(5), NOP);
	GO(r, 0x3000, RTSD(15, 8), NOP); /* the slot of a return counts, too */
	GO(r, 0x1010, BRI(8), NOP);	 /* not a slot; the NOP never runs */
	TOTALS(r, PMK_SIG_DELAY_NOP, 3, PMK_SIG_BR_UNCOND, 3, PMK_SIG_BR_UNCOND_DELAY, 2,
	       PMK_SIG_BRANCH, 3);
	rig_free(r);
}

/* If a branch ends a page, its slot is the start of the next page, and a separate block. */
static void slot_in_another_block(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r = rig_new(&core);

	(void)state;
	for (int times = 0; times < 2; times++) {
		GO(r, 0x1ff8, NOP, BEQID(3, 0x100));
		GO(r, 0x2000, NOP);
		GO(r, 0x20fc, NOP); /* taken */
		GO(r, 0x1ff8, NOP, BEQID(3, 0x100));
		GO(r, 0x2000, NOP);
		GO(r, 0x2004, NOP); /* not taken */
	}
	TOTALS(r, PMK_SIG_INSN, 16, PMK_SIG_BR_TAKEN, 2, PMK_SIG_BR_TAKEN_DELAY, 2,
	       PMK_SIG_BR_NOT_TAKEN, 2, PMK_SIG_BR_NOT_TAKEN_DELAY, 2, PMK_SIG_DELAY_NOP, 4,
	       PMK_SIG_OF_STALL, 2);
	GO(r, 0x3ffc, BRLID(15, 0x1000));
	GO(r, 0x4000, ADDIK(3, 3, 1));
	GO(r, 0x4ffc, RTSD(15, 8));
	GO(r, 0x5000, NOP);
	GO(r, 0x4004, NOP);
	TOTALS(r, PMK_SIG_BR_UNCOND_DELAY, 1, PMK_SIG_DELAY_NOP, 5, PMK_SIG_OF_STALL, 4);
	/* Code that was entered in another way is not a slot. */
	GO(r, 0x2000, NOP);
	TOTALS(r, PMK_SIG_DELAY_NOP, 5);
	rig_free(r);
}

/* A branch whose slot is in another block is predicted, too. */
static void predicted_slot_in_another_block(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	core.bp.on = 1;
	core.bp.entries = 512;
	r = rig_new(&core);
	for (int times = 0; times < 3; times++) {
		GO(r, 0x1ffc, BEQID(3, 0x100));
		GO(r, 0x2000, NOP);
		GO(r, 0x20fc, BRI(-0x100));
	}
	GO(r, 0x1ffc, NOP);
	/* The core learns both branches the first time, which costs one and two cycles. */
	TOTALS(r, PMK_SIG_BTC_HIT, 4, PMK_SIG_OF_STALL, 3, PMK_SIG_BR_TAKEN_DELAY, 3,
	       PMK_SIG_BR_TAKEN, 3);
	rig_free(r);
}

static void a_signal_hides_the_outcome(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	for (core.bp.on = 0; core.bp.on < 2; core.bp.on++) {
		r = rig_new(&core);
		GO(r, 0x1000, BEQI(3, 0x100));
		GO(r, 0x9000, NOP); /* a handler, not the target */
		GO(r, 0x1000, BEQI(3, 0x100));
		GO(r, 0x1100, NOP);
		TOTALS(r, PMK_SIG_BR_TAKEN, 1, PMK_SIG_BR_NOT_TAKEN, 0, PMK_SIG_BRANCH, 1,
		       PMK_SIG_OF_STALL, 2, PMK_SIG_CYCLE, 4 + 2);
		assert_true(pmk_signal_in(&r->cpu.doubtful, PMK_SIG_BR_TAKEN));
		assert_true(pmk_signal_in(&r->cpu.doubtful, PMK_SIG_BRANCH));
		rig_free(r);
	}
}

static void vectors(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	core.system = true;
	core.microblaze.vectors_base = 0x500;
	r = rig_new(&core);
	GO(r, 0x500, BRI(0x100));
	for (int times = 0; times < 3; times++) {
		/* An interrupt comes directly after the branch, so its target is not visible. */
		GO(r, 0x600, ADDIK(3, 3, 1), BEQI(3, 0x40));
		GO(r, 0x510, BRI(0x200));
		GO(r, 0x710, 0xb62e0000, NOP); /* rtid */
	}
	GO(r, 0x604, NOP);
	GO(r, 0x520, BRI(0x200));      /* an exception in the block */
	GO(r, 0x720, 0xb6910000, NOP); /* rted */
	GO(r, 0x608, BRKI(14, 0x520)); /* the program jumps to the vector itself */
	GO(r, 0x520, BRI(0x200));
	GO(r, 0x720, BRI(-0x210)); /* the program jumps to the vector of interrupts */
	GO(r, 0x510, BRI(0x200));
	GO(r, 0x710, ADDIK(3, 3, 1));
	TOTALS(r, PMK_SIG_EXC_IRQ, 3, PMK_SIG_EXC_HW, 1, PMK_SIG_BR_TAKEN, 0, PMK_SIG_BR_NOT_TAKEN,
	       0);
	rig_free(r);
}

/* User emulation has no vectors, so their signals are not reported as available. */
static void what_is_raised(void **state)
{
	struct pmk_core core = plain_core();
	struct pmk_signal_set user = pmk_cpu_raises(&core), system;
	static const uint8_t never[] = {
		PMK_SIG_IRQ_ENTRY,   PMK_SIG_MMU_EXC_INSN, PMK_SIG_MMU_EXC_DATA,
		PMK_SIG_BRANCH_MISS, PMK_SIG_L2_READ,	   PMK_SIG_PC_CHANGE,
	};
	static const uint8_t always[] = {
		PMK_SIG_INSN,	    PMK_SIG_CYCLE,    PMK_SIG_BRANCH,
		PMK_SIG_BR_TAKEN,   PMK_SIG_STALL,    PMK_SIG_L1I_ACCESS,
		PMK_SIG_L1I_HIT,    PMK_SIG_BTC_HIT,  PMK_SIG_L1D_CACHED_WRITE_HIT,
		PMK_SIG_MMU_LOOKUP, PMK_SIG_UTLB_HIT, PMK_SIG_PERIPHERAL_WRITE,
		PMK_SIG_DELAY_NOP,  PMK_SIG_DTLB_HIT, PMK_SIG_L1D_TLB_READ,
	};

	(void)state;
	core.system = true;
	system = pmk_cpu_raises(&core);
	for (size_t i = 0; i < COUNT(never); i++)
		assert_false(pmk_signal_in(&user, never[i]) || pmk_signal_in(&system, never[i]));
	for (size_t i = 0; i < COUNT(always); i++)
		assert_true(pmk_signal_in(&user, always[i]) && pmk_signal_in(&system, always[i]));
	assert_false(pmk_signal_in(&user, PMK_SIG_EXC_HW) || pmk_signal_in(&user, PMK_SIG_EXC_IRQ));
	assert_true(pmk_signal_in(&system, PMK_SIG_EXC_HW));
	assert_true(pmk_signal_in(&system, PMK_SIG_EXC_IRQ));
}

/* ---- the branch target cache ----------------------------------------------------------------- */

static void btc_learns(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	core.bp.on = 1;
	core.bp.entries = 512;
	r = rig_new(&core);
	/* The next block shows how a branch went, so each comment is about the line before it. */
	GO(r, 0x1000, BEQI(3, 0x100));
	GO(r, 0x1004, BRI(-4)); /* not taken, unknown: no cycles, not learnt */
	TOTALS(r, PMK_SIG_BTC_HIT, 0, PMK_SIG_OF_STALL, 0);
	GO(r, 0x1000, BEQI(3, 0x100)); /* the core learns the bri: 3 cycles */
	TOTALS(r, PMK_SIG_BTC_HIT, 0, PMK_SIG_OF_STALL, 2);
	GO(r, 0x1100, BRI(-0x100)); /* taken, unknown: 3 cycles */
	TOTALS(r, PMK_SIG_BTC_HIT, 0, PMK_SIG_OF_STALL, 4);
	GO(r, 0x1000, BEQI(3, 0x100)); /* the core learns the second bri: 3 cycles */
	TOTALS(r, PMK_SIG_OF_STALL, 6);
	GO(r, 0x1100, BRI(-0x100));    /* known and right: 1 cycle */
	GO(r, 0x1000, BEQI(3, 0x100)); /* known and right: 1 cycle */
	TOTALS(r, PMK_SIG_BTC_HIT, 2, PMK_SIG_OF_STALL, 6);
	GO(r, 0x1004, BRI(-4)); /* predicted as taken, but not taken: 3 cycles */
	TOTALS(r, PMK_SIG_BTC_HIT, 3, PMK_SIG_OF_STALL, 8);
	GO(r, 0x1000, BEQI(3, 0x100));
	GO(r, 0x1004, BRI(-4)); /* now predicted as not taken, and not taken */
	TOTALS(r, PMK_SIG_BTC_HIT, 5, PMK_SIG_OF_STALL, 8);
	GO(r, 0x1000, BEQI(3, 0x100));
	GO(r, 0x1100, NOP); /* predicted as not taken, but taken */
	TOTALS(r, PMK_SIG_BTC_HIT, 7, PMK_SIG_OF_STALL, 10, PMK_SIG_BR_TAKEN, 3,
	       PMK_SIG_BR_NOT_TAKEN, 3);
	rig_free(r);
}

/*
 * With a delay slot, a taken branch that is unknown takes 2 cycles, and a mispredicted branch takes
 * 3.
 */
static void btc_and_delay_slots(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	core.bp.on = 1;
	core.bp.entries = 512;
	r = rig_new(&core);
	GO(r, 0x1000, BEQID(3, 0x100), NOP);
	GO(r, 0x1100, BRLID(15, 0x100), NOP);
	GO(r, 0x1200, RTSD(15, 8), NOP);
	GO(r, 0x1108, BRID(-0x108), NOP);
	GO(r, 0x1000, BEQID(3, 0x100), NOP);
	TOTALS(r, PMK_SIG_BTC_HIT, 0, PMK_SIG_OF_STALL, 4);
	GO(r, 0x1100, BRLID(15, 0x100), NOP);
	GO(r, 0x1200, RTSD(15, 8), NOP);
	GO(r, 0x1108, BRID(-0x108), NOP); /* the core predicts returns */
	GO(r, 0x1000, BEQID(3, 0x100), NOP);
	TOTALS(r, PMK_SIG_BTC_HIT, 4, PMK_SIG_OF_STALL, 4);
	GO(r, 0x1008, BRLID(15, 0x1f8), NOP); /* predicted as taken, but not taken */
	GO(r, 0x1200, RTSD(15, 8), NOP);
	GO(r, 0x1010, NOP); /* predicted with the old caller as target */
	TOTALS(r, PMK_SIG_BTC_HIT, 6, PMK_SIG_OF_STALL, 4 + 2 + 1 + 2);
	rig_free(r);
}

/*
 * The address of a branch selects its entry in the branch target cache. With 8 entries, branches 32
 * bytes apart share an entry.
 */
static void btc_entries(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	core.bp.on = 1;
	r = rig_new(&core);
	for (int times = 0; times < 2; times++) {
		GO(r, 0x1000, BRI(0x40));
		GO(r, 0x1040, BRI(-0x40));
	}
	GO(r, 0x1000, BRI(0x44));
	TOTALS(r, PMK_SIG_BTC_HIT, 0, PMK_SIG_OF_STALL, 8);
	rig_free(r);
	r = rig_new(&core);
	for (int times = 0; times < 2; times++) {
		GO(r, 0x1000, BRI(0x44));
		GO(r, 0x1044, BRI(-0x44));
	}
	GO(r, 0x1000, NOP);
	TOTALS(r, PMK_SIG_BTC_HIT, 2, PMK_SIG_OF_STALL, 4);
	rig_free(r);
}

/* A branch at address 0 is predicted like any other. */
static void btc_at_zero(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	core.bp.on = 1;
	r = rig_new(&core);
	GO(r, 0, BRI(0x40));
	GO(r, 0x40, BRI(-0x40));
	GO(r, 0, BRI(0x40));
	GO(r, 0x40, NOP);
	TOTALS(r, PMK_SIG_BTC_HIT, 0, PMK_SIG_OF_STALL, 6);
	rig_free(r);
	r = rig_new(&core);
	GO(r, 0, BRI(0x44));
	GO(r, 0x44, BRI(-0x44));
	GO(r, 0, BRI(0x44));
	GO(r, 0x44, NOP);
	TOTALS(r, PMK_SIG_BTC_HIT, 1, PMK_SIG_OF_STALL, 4);
	rig_free(r);
}

/* The core predicts neither branches to a register nor breaks. */
static void btc_leaves_out_registers(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	core.bp.on = 1;
	r = rig_new(&core);
	for (int times = 0; times < 3; times++) {
		GO(r, 0x1000, BR(5));	       /* 3 cycles */
		GO(r, 0x1100, BRD(5), NOP);    /* 2 */
		GO(r, 0x1200, BEQ(3, 5));      /* taken: 3 */
		GO(r, 0x1300, BRKI(14, 0x18)); /* 3 */
	}
	GO(r, 0x18, NOP);
	TOTALS(r, PMK_SIG_BTC_HIT, 0, PMK_SIG_OF_STALL, 3 * 7, PMK_SIG_BR_TAKEN, 3, PMK_SIG_CYCLE,
	       16 + 21);
	rig_free(r);
}

static void btc_is_emptied(void **state)
{
	static const struct {
		uint32_t word;
		unsigned hits;
	} rows[] = {
		{ MBAR_2, 0 }, /* waits for fetches of code */
		{ BRI(4), 0 },
		{ MBAR_1, 1 }, /* waits for accesses to data */
		{ NOP, 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pmk_core core = plain_core();
		struct rig *r;

		core.bp.on = 1;
		r = rig_new(&core);
		GO(r, 0x1000, BRI(0x44));
		rig_run(r, 0x1044, &rows[i].word, 1, NULL);
		GO(r, 0x1048, BRI(-0x48));
		GO(r, 0x1000, BRI(0x44));
		GO(r, 0x1044, NOP);
		TOTALS(r, PMK_SIG_BTC_HIT, rows[i].hits);
		rig_free(r);
	}
}

/* ---- the pipelines --------------------------------------------------------------------------- */

/* Each instruction takes its cycles between two independent instructions. */
static void latencies(void **state)
{
	static const struct {
		int line;
		uint32_t word;
		uint8_t cycles[3]; /* indexed by C_AREA_OPTIMIZED */
	} rows[] = {
		{ __LINE__, ADDK(3, 4, 5), { 1, 1, 1 } },
		{ __LINE__, LWI(3, 4, 0), { 1, 2, 1 } },
		{ __LINE__, SWI(3, 4, 0), { 1, 2, 1 } },
		{ __LINE__, MUL(3, 4, 5), { 1, 3, 1 } },
		{ __LINE__, BSLL(3, 4, 5), { 1, 2, 1 } },
		{ __LINE__, IDIV(3, 4, 5), { 34, 35, 30 } },
		{ __LINE__, FADD(3, 4, 5), { 4, 6, 1 } },
		{ __LINE__, FMUL(3, 4, 5), { 4, 6, 1 } },
		{ __LINE__, FINT(3, 4), { 4, 6, 1 } },
		{ __LINE__, FLT(3, 4), { 5, 7, 2 } },
		{ __LINE__, FCMP_LT(3, 4, 5), { 1, 3, 1 } },
		{ __LINE__, FDIV(3, 4, 5), { 28, 30, 24 } },
		{ __LINE__, FSQRT(3, 4), { 27, 29, 23 } },
		{ __LINE__, WIC(3, 4), { 2, 2, 2 } },
		{ __LINE__, MBAR_1, { 2, 2, 2 } },
		{ __LINE__, 0xb0001234, { 1, 1, 1 } }, /* imm */
		{ __LINE__, 0x94700080, { 1, 1, 1 } }, /* msrset */
		{ __LINE__, BRKI(14, 8), { 3, 3, 7 } },
		{ __LINE__, BRI(0x40), { 3, 3, 7 } },
		{ __LINE__, RTSD(15, 8), { 2, 2, 6 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (unsigned area = 0; area < 3; area++) {
			struct pmk_core core = plain_core();
			struct rig *r;
			uint64_t got;

			core.microblaze.area = area;
			r = rig_new(&core);
			rig_run(r, 0x1000, WORDS(NOP, rows[i].word), DATA(0));
			got = total(r, PMK_SIG_CYCLE) - 1;
			if (got != rows[i].cycles[area])
				fail_msg("line %d, C_AREA_OPTIMIZED %u: %u cycles", rows[i].line,
					 area, (unsigned)got);
			assert_int_equal(total(r, PMK_SIG_STALL), got - 1);
			rig_free(r);
		}
}

/* Branches take their cycles in each pipeline, and the MMU adds cycles with eight stages. */
static void branch_latencies(void **state)
{
	static const struct {
		int line;
		unsigned area, mmu;
		/*
		 * Cycles in addition to the first cycle: for a taken branch, a taken branch with a
		 * delay slot, a return, and a mispredicted branch.
		 */
		unsigned plain, slot, back, wrong;
	} rows[] = {
		{ __LINE__, 0, 0, 2, 1, 1, 2 }, { __LINE__, 0, 1, 2, 1, 1, 2 },
		{ __LINE__, 1, 0, 2, 1, 1, 0 }, { __LINE__, 2, 0, 6, 5, 5, 6 },
		{ __LINE__, 2, 1, 8, 7, 5, 8 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pmk_core core = plain_core();
		struct rig *r;

		core.microblaze.area = rows[i].area;
		core.mmu = rows[i].mmu;
		core.utlb.penalty = 0;
		r = rig_new(&core);
		GO(r, 0x1000, BEQI(3, 0x100));
		GO(r, 0x1100, BEQID(3, 0x100), ADDIK(4, 4, 1));
		GO(r, 0x1200, RTSD(15, 8), ADDIK(4, 4, 1));
		GO(r, 0x1300, BEQI(3, 0x100));
		GO(r, 0x1304, NOP);
		TOTALS(r, PMK_SIG_OF_STALL, rows[i].plain + rows[i].slot + rows[i].back);
		rig_free(r);
		if (rows[i].area == 1)
			continue;
		core.bp.on = 1;
		core.bp.entries = 512;
		r = rig_new(&core);
		GO(r, 0x1000, BEQID(3, 0x100), ADDIK(4, 4, 1));
		GO(r, 0x1100, BRI(-0x100));
		GO(r, 0x1000, BEQID(3, 0x100), ADDIK(4, 4, 1));
		GO(r, 0x1008, NOP);
		TOTALS(r, PMK_SIG_OF_STALL, rows[i].slot + rows[i].plain + rows[i].wrong);
		rig_free(r);
	}
}

/* The more instructions are between a result and its use, the shorter the use waits. */
static void hazards(void **state)
{
	static const struct {
		int line;
		uint32_t word;	  /* writes r3 */
		uint8_t waits[3]; /* indexed by the number of instructions in between */
	} rows[] = {
		{ __LINE__, LWI(3, 4, 0), { 2, 1, 0 } },  { __LINE__, MUL(3, 4, 5), { 2, 1, 0 } },
		{ __LINE__, FADD(3, 4, 5), { 2, 1, 0 } }, { __LINE__, BSLL(3, 4, 5), { 1, 0, 0 } },
		{ __LINE__, IDIV(3, 4, 5), { 1, 0, 0 } }, { __LINE__, ADDK(3, 4, 5), { 0, 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (unsigned behind = 0; behind < 3; behind++)
			for (unsigned split = 0; split <= behind + 1; split++) {
				struct pmk_core core = plain_core();
				struct rig *r = rig_new(&core);
				uint32_t words[] = { rows[i].word, NOP, NOP, NOP };

				words[behind + 1] = ADDK(6, 3, 3);
				/*
				 * The instructions are in one block, or in two consecutive blocks.
				 */
				if (split)
					rig_run(r, 0x1000, words, split, DATA(0));
				rig_run(r, 0x1000 + 4 * split, words + split, 4 - split, DATA(0));
				if (total(r, PMK_SIG_OF_STALL) != rows[i].waits[behind])
					fail_msg("line %d, %u behind, split at %u: waits %u",
						 rows[i].line, behind, split,
						 (unsigned)total(r, PMK_SIG_OF_STALL));
				rig_free(r);
			}
}

/*
 * Parameters set how late results are. The three-stage pipeline has no hazards with its own values.
 */
static void hazard_parameters(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r;

	(void)state;
	core.microblaze.hazard_load = 5;
	core.microblaze.hazard_mul = 4;
	core.microblaze.hazard_fp = 3;
	core.microblaze.hazard_shift = 0;
	core.microblaze.area = 2;
	r = rig_new(&core);
	rig_run(r, 0x1000,
		WORDS(LWI(3, 4, 0), ADDK(5, 3, 3), MUL(3, 5, 5), ADDK(5, 3, 3), FADD(3, 5, 5),
		      ADDK(5, 3, 3), BSLL(3, 5, 5), ADDK(5, 3, 3)),
		DATA(0));
	TOTALS(r, PMK_SIG_OF_STALL, 5 + 4 + 3, PMK_SIG_EX_STALL, 0);
	rig_free(r);
	/* The cycles of a taken branch also reduce the wait for a result. */
	r = rig_new(&core);
	rig_run(r, 0x1000, WORDS(LWI(3, 4, 0), BEQI(6, 0xfc)), DATA(0));
	GO(r, 0x1100, ADDK(5, 3, 3));
	TOTALS(r, PMK_SIG_OF_STALL, 6);
	rig_free(r);
}

static void cycles_are_instructions_and_stalls(void **state)
{
	struct pmk_core core = plain_core();
	struct rig *r = rig_new(&core);

	(void)state;
	rig_run(r, 0x1000,
		WORDS(LWI(3, 4, 0), IDIV(5, 3, 3), FDIV(6, 5, 5), SWI(6, 4, 0), BRID(0x100), NOP),
		DATA(0, 0));
	GO(r, 0x110, NOP);
	/*
	 * The operand stalls: idiv waits 2 cycles for the load, fdiv 1 for idiv and the store 2 for
	 * fdiv. The branch adds one.
	 */
	TOTALS(r, PMK_SIG_INSN, 7, PMK_SIG_OF_STALL, 2 + 1 + 2 + 1, PMK_SIG_EX_STALL, 33 + 27,
	       PMK_SIG_STALL, 66, PMK_SIG_CYCLE, 73);
	rig_free(r);
}

/* ---- the instruction cache ------------------------------------------------------------------- */

static struct pmk_core cached_core(void)
{
	struct pmk_core core = plain_core();

	core.icache.on = core.dcache.on = 1;
	core.microblaze.lmb_size = 0;
	core.dcache.wt = 1;
	return core;
}

static void run_nops(struct rig *r, uint32_t pc, unsigned n)
{
	uint32_t words[MAX_INSNS];

	for (unsigned i = 0; i < n; i++)
		words[i] = NOP;
	rig_run(r, pc, words, n, NULL);
}

/*
 * 1 KB of code misses once for each line, and all other fetches hit. Then a block 1 KB further
 * replaces the first lines.
 */
static void icache_lines(void **state)
{
	(void)state;
	for (unsigned line = 4; line <= 16; line *= 2) {
		struct pmk_core core = cached_core();
		struct rig *r;

		core.microblaze.icache_line = line;
		r = rig_new(&core);
		for (unsigned i = 0; i < 16; i++)
			run_nops(r, 0x1000 + 64 * i, 16);
		TOTALS(r, PMK_SIG_L1I_ACCESS, 256, PMK_SIG_L1I_HIT, 256 - 256 / line);
		for (unsigned i = 0; i < 16; i++)
			run_nops(r, 0x1000 + 64 * i, 16);
		TOTALS(r, PMK_SIG_L1I_ACCESS, 512, PMK_SIG_L1I_HIT, 512 - 256 / line);
		run_nops(r, 0x1400, 16); /* replaces the first block */
		run_nops(r, 0x1000, 16);
		run_nops(r, 0x1040, 16); /* was not replaced */
		TOTALS(r, PMK_SIG_L1I_ACCESS, 560, PMK_SIG_L1I_HIT, 560 - 256 / line - 32 / line);
		rig_free(r);
	}
}

/* If a block is larger than the cache, all of its lines miss each time. */
static void icache_too_small(void **state)
{
	struct pmk_core core = cached_core();
	struct rig *r;

	(void)state;
	core.icache.size = 64;
	r = rig_new(&core);
	for (int times = 0; times < 3; times++)
		run_nops(r, 0x1000, 20); /* 5 lines for 4 places: the first and the last collide */
	TOTALS(r, PMK_SIG_L1I_ACCESS, 60, PMK_SIG_L1I_HIT, 60 - 5 - 2 - 2);
	run_nops(r, 0x1004, 4);
	run_nops(r, 0x1010, 4);
	TOTALS(r, PMK_SIG_L1I_HIT, 60 - 9 + 8 - 1);
	rig_free(r);
}

/*
 * A miss takes mem.latency. The rest of the line takes mem.fill, for which the next miss must wait.
 */
static void icache_latency(void **state)
{
	struct pmk_core core = cached_core();
	struct rig *r = rig_new(&core);

	(void)state;
	run_nops(r, 0x1000, 8);
	assert_int_equal(r->bus.recorded, 2);
	RECORD(r, 0, L1I_ACCESS, 0, 21);
	/* The second line starts when the bus is free, 4 cycles after the first word arrived. */
	RECORD(r, 1, L1I_ACCESS, 24, 21);
	TOTALS(r, PMK_SIG_OF_STALL, 40, PMK_SIG_CYCLE, 48);
	run_nops(r, 0x1000, 8);
	assert_int_equal(r->bus.recorded, 2);
	rig_free(r);

	core.mem.fill = 9;
	r = rig_new(&core);
	run_nops(r, 0x1000, 8);
	RECORD(r, 1, L1I_ACCESS, 24, 21 + 5);
	TOTALS(r, PMK_SIG_OF_STALL, 45, PMK_SIG_CYCLE, 53);
	rig_free(r);
}

/* Code that is not cached comes from local memory in a cycle, or over the bus. */
static void uncached_code(void **state)
{
	struct pmk_core core = cached_core();
	struct rig *r;

	(void)state;
	core.microblaze.icache_base = 0x80000000;
	core.microblaze.icache_high = 0x8fffffff;
	core.microblaze.lmb_size = 0x2000;
	core.microblaze.peripheral_latency = 7;
	r = rig_new(&core);
	run_nops(r, 0x1000, 8);
	TOTALS(r, PMK_SIG_L1I_ACCESS, 0, PMK_SIG_OF_STALL, 0);
	run_nops(r, 0x2000, 8);
	TOTALS(r, PMK_SIG_L1I_ACCESS, 0, PMK_SIG_OF_STALL, 48);
	run_nops(r, 0x80000000, 8);
	TOTALS(r, PMK_SIG_L1I_ACCESS, 8, PMK_SIG_L1I_HIT, 6, PMK_SIG_OF_STALL, 88);
	run_nops(r, 0x90000000, 8);
	TOTALS(r, PMK_SIG_L1I_ACCESS, 8, PMK_SIG_OF_STALL, 136, PMK_SIG_CYCLE, 32 + 136);
	rig_free(r);
}

/* ---- the data cache -------------------------------------------------------------------------- */

static struct pmk_core data_core(bool write_through)
{
	struct pmk_core core = cached_core();

	core.icache.on = 0;
	core.microblaze.icache_base = core.microblaze.icache_high = 0;
	core.microblaze.lmb_size = 0x10000; /* the code is in local memory */
	core.dcache.wt = write_through;
	return core;
}

/* Runs one instruction, which accesses this address, as a separate block. */
static void one(struct rig *r, uint32_t word, uint32_t addr)
{
	rig_run(r, 0x1000, &word, 1, &addr);
}

#define LOAD_WORD(r, addr)  one(r, LWI(3, 4, 0), addr)
#define LOAD_BYTE(r, addr)  one(r, LBUI(3, 4, 0), addr)
#define STORE_WORD(r, addr) one(r, SWI(6, 4, 0), addr)
#define STORE_HALF(r, addr) one(r, SHI(6, 4, 0), addr)
#define STORE_BYTE(r, addr) one(r, SBI(6, 4, 0), addr)

#define READS(r, n, hits) TOTALS(r, PMK_SIG_L1D_CACHED_READ, n, PMK_SIG_L1D_CACHED_READ_HIT, hits)
#define WRITES(r, n, hits) \
	TOTALS(r, PMK_SIG_L1D_CACHED_WRITE, n, PMK_SIG_L1D_CACHED_WRITE_HIT, hits)

/* Reading twice the size of the cache word by word misses once for each line, with every policy. */
static void dcache_lines(void **state)
{
	(void)state;
	for (unsigned line = 4; line <= 16; line *= 2)
		for (unsigned through = 0; through < 2; through++) {
			struct pmk_core core = data_core(through);
			struct rig *r;

			core.microblaze.dcache_line = line;
			r = rig_new(&core);
			for (unsigned i = 0; i < 512; i++)
				LOAD_WORD(r, 0x20000 + 4 * i);
			READS(r, 512, 512 - 512 / line);
			for (unsigned i = 256; i < 512; i++)
				LOAD_BYTE(r, 0x20000 + 4 * i + 3);
			READS(r, 768, 768 - 512 / line);
			LOAD_WORD(r, 0x20000); /* the second half evicted it */
			READS(r, 769, 768 - 512 / line);
			TOTALS(r, PMK_SIG_MEM_STALL, (512 / line + 1) * 20, PMK_SIG_EX_STALL, 0);
			assert_int_equal(r->bus.recorded, 512 / line + 1);
			RECORD(r, 0, L1D_CACHED_READ, 0, 21);
			RECORD(r, 1, L1D_CACHED_READ, line + 20, 21);
			rig_free(r);
		}
}

/* With write-through, a store updates a line that is present, and fetches nothing. */
static void write_through(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r = rig_new(&core);

	(void)state;
	STORE_WORD(r, 0x20000); /* misses, without allocating */
	STORE_BYTE(r, 0x20000);
	LOAD_WORD(r, 0x20000);
	READS(r, 1, 0);
	WRITES(r, 2, 0);
	STORE_WORD(r, 0x20004);
	STORE_HALF(r, 0x20008);
	LOAD_WORD(r, 0x2000c);
	STORE_WORD(r, 0x20400); /* the same index: line 0x20000 stays in the cache */
	LOAD_WORD(r, 0x20000);
	READS(r, 3, 2);
	WRITES(r, 5, 2);
	rig_free(r);
}

/*
 * Stores go through the write buffer, which has 2 entries here. Each store occupies the bus for 4
 * cycles.
 */
static void write_buffer(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r = rig_new(&core);

	(void)state;
	rig_run(r, 0x1000, WORDS(SWI(3, 4, 0), SWI(3, 4, 0), SWI(3, 4, 0), SWI(3, 4, 0), NOP),
		DATA(0x20000, 0x20000, 0x20000, 0x20000));
	/*
	 * The third store issues in cycle 2. Both entries are in use until cycle 4, so it waits 2
	 * cycles and takes 3. The fourth store issues in cycle 5 and waits until cycle 8, so it
	 * takes 4.
	 */
	assert_int_equal(r->bus.recorded, 2);
	RECORD(r, 0, L1D_CACHED_WRITE, 2, 3);
	RECORD(r, 1, L1D_CACHED_WRITE, 5, 4);
	TOTALS(r, PMK_SIG_MEM_STALL, 2 + 3, PMK_SIG_CYCLE, 5 + 5, PMK_SIG_L1D_CACHED_WRITE, 4);
	for (int i = 0; i < 20; i++)
		GO(r, 0x1014 + 4 * i, NOP);
	one(r, SWI(3, 4, 0), 0x20000); /* the buffer is empty */
	assert_int_equal(r->bus.recorded, 2);
	rig_free(r);
}

/*
 * With write-back, a store of a word that misses allocates a line and fetches nothing. Only this
 * word of the line is valid.
 */
static void write_back(void **state)
{
	struct pmk_core core = data_core(false);
	struct rig *r = rig_new(&core);

	(void)state;
	STORE_WORD(r, 0x20004); /* misses, and allocates */
	WRITES(r, 1, 0);
	TOTALS(r, PMK_SIG_MEM_STALL, 0);
	STORE_WORD(r, 0x20004);
	STORE_BYTE(r, 0x20006);
	LOAD_WORD(r, 0x20004);
	WRITES(r, 3, 2);
	READS(r, 1, 1);
	STORE_WORD(r, 0x20008); /* now two words of the line are valid */
	WRITES(r, 4, 2);
	TOTALS(r, PMK_SIG_MEM_STALL, 0);
	LOAD_WORD(r, 0x20000); /* not valid, so the rest of the line is fetched */
	LOAD_WORD(r, 0x2000c);
	READS(r, 3, 2);
	TOTALS(r, PMK_SIG_MEM_STALL, 20);
	STORE_BYTE(r, 0x20011); /* part of a word, so the absent line is read first */
	WRITES(r, 5, 2);
	TOTALS(r, PMK_SIG_MEM_STALL, 41); /* the bus was busy for one more cycle */
	STORE_HALF(r, 0x20012);
	LOAD_WORD(r, 0x2001c);
	WRITES(r, 6, 3);
	READS(r, 4, 3);
	STORE_WORD(r, 0x20030);
	STORE_BYTE(r, 0x20034); /* part of an invalid word of a present line */
	WRITES(r, 8, 3);
	LOAD_WORD(r, 0x2003c);
	READS(r, 5, 4);
	TOTALS(r, PMK_SIG_MEM_STALL, 61, PMK_SIG_L1D_EVICT, 0);
	rig_free(r);
}

/* Dirty lines are written when they are evicted, and clean lines are not. */
static void write_back_evicts(void **state)
{
	struct pmk_core core = data_core(false);
	struct rig *r;

	(void)state;
	core.mem.wbuf = 1;
	r = rig_new(&core);
	LOAD_WORD(r, 0x20000);
	LOAD_WORD(r, 0x20400); /* evicts a clean line; also waits 2 cycles for the bus */
	TOTALS(r, PMK_SIG_L1D_EVICT, 0, PMK_SIG_MEM_STALL, 42);
	STORE_WORD(r, 0x20400);
	STORE_WORD(r, 0x20800); /* evicts 0x20400, which is dirty */
	TOTALS(r, PMK_SIG_L1D_EVICT, 1, PMK_SIG_MEM_STALL, 42);
	STORE_WORD(r, 0x20c00); /* evicts 0x20800, which is dirty; the write buffer is full */
	TOTALS(r, PMK_SIG_L1D_EVICT, 2, PMK_SIG_MEM_STALL, 45);
	LOAD_WORD(r, 0x20c04);
	TOTALS(r, PMK_SIG_L1D_EVICT, 2, PMK_SIG_MEM_STALL, 65);
	LOAD_WORD(r, 0x20000); /* still dirty */
	LOAD_WORD(r, 0x20400);
	TOTALS(r, PMK_SIG_L1D_EVICT, 3, PMK_SIG_MEM_STALL, 65 + 22 + 22);
	WRITES(r, 3, 1);
	READS(r, 5, 0);
	RECORD(r, 2, L1D_CACHED_WRITE, 46, 4);
	rig_free(r);
}

/* The three-stage pipeline has no memory stage, so the execution stage waits for memory. */
static void area_waits_in_execution(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r;

	(void)state;
	core.microblaze.area = 1;
	r = rig_new(&core);
	LOAD_WORD(r, 0x20000);
	TOTALS(r, PMK_SIG_MEM_STALL, 0, PMK_SIG_EX_STALL, 21, PMK_SIG_STALL, 21, PMK_SIG_CYCLE, 22);
	rig_free(r);
}

static void cascade(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r;

	(void)state;
	core.microblaze.stall_cascade = 1;
	r = rig_new(&core);
	rig_run(r, 0x1000, WORDS(LWI(3, 4, 0), ADDK(5, 3, 3), FADD(5, 6, 6)), DATA(0x20000));
	TOTALS(r, PMK_SIG_MEM_STALL, 20, PMK_SIG_OF_STALL, 2 + 20, PMK_SIG_EX_STALL, 3 + 20,
	       PMK_SIG_STALL, 25, PMK_SIG_CYCLE, 28);
	rig_free(r);
}

static bool from_0x30000(const struct pmk_cpu *cpu, uint64_t addr)
{
	(void)cpu;
	return addr >= 0x30000;
}

/* Accesses that are neither cached nor local, and those to devices, use the peripheral bus. */
static void peripherals(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r;

	(void)state;
	core.microblaze.dcache_base = 0x20000;
	core.microblaze.dcache_high = 0x3ffff;
	core.microblaze.peripheral_latency = 7;
	r = rig_new(&core);
	LOAD_WORD(r, 0x8000); /* in local memory */
	STORE_WORD(r, 0x8000);
	TOTALS(r, PMK_SIG_STALL, 0);
	LOAD_WORD(r, 0x40000);
	STORE_BYTE(r, 0x1ffff);
	TOTALS(r, PMK_SIG_PERIPHERAL_READ, 1, PMK_SIG_PERIPHERAL_WRITE, 1, PMK_SIG_MEM_STALL, 12);
	RECORD(r, 0, PERIPHERAL_READ, 2, 7);
	RECORD(r, 1, PERIPHERAL_WRITE, 9, 7);
	pmk_cpu_ask_devices(&r->cpu, from_0x30000);
	LOAD_WORD(r, 0x30000);
	LOAD_WORD(r, 0x30000);
	LOAD_WORD(r, 0x20000);
	TOTALS(r, PMK_SIG_PERIPHERAL_READ, 3, PMK_SIG_LOAD, 5, PMK_SIG_STORE, 2);
	READS(r, 1, 0);
	WRITES(r, 0, 0);
	rig_free(r);

	core.dcache.on = 0;
	r = rig_new(&core);
	LOAD_WORD(r, 0x20000);
	LOAD_WORD(r, 0x8000);
	TOTALS(r, PMK_SIG_PERIPHERAL_READ, 1);
	READS(r, 0, 0);
	rig_free(r);
}

/*
 * The emulator need not report data accesses if all data is in local memory and no MMU translates.
 */
static void local_data(void **state)
{
	struct pmk_core core = plain_core();

	(void)state;
	assert_true(pmk_microblaze_data_is_local(&core));
	core.mmu = 1;
	assert_false(pmk_microblaze_data_is_local(&core));
	core.mmu = 0;
	core.system = true;
	assert_false(pmk_microblaze_data_is_local(&core));
	core.system = false;
	core.microblaze.lmb_size = 0xffffffff;
	assert_false(pmk_microblaze_data_is_local(&core));
}

/* ---- the MMU --------------------------------------------------------------------------------- */

static struct pmk_core mmu_core(void)
{
	struct pmk_core core = plain_core();

	core.mmu = 1;
	core.microblaze.itlb_entries = 2;
	core.microblaze.dtlb_entries = 4;
	core.tlb.entries = 8;
	return core;
}

/* The ITLB has two entries, and replaces the least recently used. */
static void itlb(void **state)
{
	static const struct {
		uint32_t page;
		unsigned hits; /* hits up to this block of one instruction */
	} rows[] = {
		{ 0x10000, 0 },
		{ 0x10000, 1 },
		{ 0x20000, 1 },
		{ 0x10000, 2 },
		{ 0x20000, 3 },
		{ 0x10000, 4 },
		{ 0x30000, 4 } /* replaces 0x20000 */,
		{ 0x10000, 5 },
		{ 0x20000, 5 } /* replaces 0x30000 */,
		{ 0x10000, 6 },
		{ 0x30000, 6 },
	};
	struct pmk_core core = mmu_core();
	struct rig *r = rig_new(&core);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		GO(r, rows[i].page, NOP);
		TOTALS(r, PMK_SIG_L1I_TLB, (unsigned)i + 1, PMK_SIG_ITLB_HIT, rows[i].hits);
	}
	/* There are five look-ups, of which three missed. */
	TOTALS(r, PMK_SIG_MMU_LOOKUP, 5, PMK_SIG_UTLB_HIT, 2, PMK_SIG_OF_STALL, 10, PMK_SIG_CYCLE,
	       21, PMK_SIG_DTLB_HIT, 0, PMK_SIG_L1D_TLB_READ, 0);
	assert_int_equal(r->bus.recorded, 5);
	RECORD(r, 0, MMU_LOOKUP, 0, 2);
	RECORD(r, 1, MMU_LOOKUP, 4, 2);
	rig_free(r);
}

/*
 * The DTLB has four entries, and replaces the least recently used. Pages 256 pages apart share an
 * entry in the table of hints.
 */
static void dtlb(void **state)
{
	static const struct {
		uint32_t addr;
		unsigned hits;
	} rows[] = {
		{ 0x100000, 0 },
		{ 0x200004, 0 },
		{ 0x300008, 0 },
		{ 0x40000c, 0 },
		{ 0x100010, 1 },
		{ 0x200014, 2 },
		{ 0x300018, 3 },
		{ 0x40001c, 4 },
		{ 0x100020, 5 },
		{ 0x200024, 6 },
		{ 0x500000, 6 } /* replaces 0x300000 */,
		{ 0x40001c, 7 },
		{ 0x300000, 7 } /* replaces 0x100000 */,
		{ 0x200000, 8 },
		{ 0x100000, 8 } /* replaces 0x500000 */,
		{ 0x400000, 9 },
		{ 0x300000, 10 },
	};
	struct pmk_core core = mmu_core();
	struct rig *r = rig_new(&core);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (i % 2)
			LOAD_WORD(r, rows[i].addr);
		else
			STORE_WORD(r, rows[i].addr);
		TOTALS(r, PMK_SIG_DTLB_HIT, rows[i].hits);
	}
	/* The code's page is one more look-up. This page and 5 data pages are new to the UTLB. */
	TOTALS(r, PMK_SIG_L1D_TLB_READ, 8, PMK_SIG_L1D_TLB_WRITE, 9, PMK_SIG_MMU_LOOKUP, 7 + 1,
	       PMK_SIG_UTLB_HIT, 8 - 6, PMK_SIG_MEM_STALL, 7 * 2, PMK_SIG_OF_STALL, 2);
	rig_free(r);
}

/* Software fills the unified TLB, and replaces one entry after the other. */
static void utlb(void **state)
{
	struct pmk_core core = mmu_core();
	struct rig *r;

	(void)state;
	core.tlb.penalty = 50;
	r = rig_new(&core);
	GO(r, 0x1000, NOP);
	for (uint32_t i = 1; i < 8; i++) /* fills the 8 entries */
		LOAD_WORD(r, 0x100000 * i);
	TOTALS(r, PMK_SIG_MMU_LOOKUP, 8, PMK_SIG_UTLB_HIT, 0, PMK_SIG_MEM_STALL, 7 * 52);
	LOAD_WORD(r, 0x100000);
	TOTALS(r, PMK_SIG_MMU_LOOKUP, 9, PMK_SIG_UTLB_HIT, 1, PMK_SIG_MEM_STALL, 7 * 52 + 2);
	LOAD_WORD(r, 0x800000); /* replaces the code's page, which the ITLB still has */
	LOAD_WORD(r, 0x900000); /* replaces 0x100000 */
	LOAD_WORD(r, 0x200000);
	LOAD_WORD(r, 0x300000);
	LOAD_WORD(r, 0x400000);
	TOTALS(r, PMK_SIG_MMU_LOOKUP, 14, PMK_SIG_UTLB_HIT, 4);
	LOAD_WORD(r, 0x100000);
	TOTALS(r, PMK_SIG_MMU_LOOKUP, 15, PMK_SIG_UTLB_HIT, 4);
	rig_free(r);

	/* In system emulation, misses are not visible, and an access that completes has hit. */
	core.system = true;
	r = rig_new(&core);
	GO(r, 0x1000, NOP);
	LOAD_WORD(r, 0x100000);
	TOTALS(r, PMK_SIG_MMU_LOOKUP, 2, PMK_SIG_UTLB_HIT, 2);
	rig_free(r);
}

/* When the process changes, all cached translations are dropped. */
static void tlb_flush(void **state)
{
	struct pmk_core core = mmu_core();
	struct rig *r = rig_new(&core);

	(void)state;
	LOAD_WORD(r, 0x100000);
	GO(r, 0x1004, MTS_RPID(3));
	LOAD_WORD(r, 0x100000);
	TOTALS(r, PMK_SIG_MMU_LOOKUP, 4, PMK_SIG_UTLB_HIT, 0);
	rig_free(r);
}

/* The look-up of a page comes before the miss of the cache, and both are timed. */
static void lookup_before_miss(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r;

	(void)state;
	core.mmu = 1;
	core.utlb.penalty = 5;
	r = rig_new(&core);
	rig_run(r, 0x1000, WORDS(NOP, LWI(3, 4, 0), NOP), DATA(0x20000));
	assert_int_equal(r->bus.recorded, 3);
	RECORD(r, 0, MMU_LOOKUP, 0, 5);
	RECORD(r, 1, MMU_LOOKUP, 6, 5);
	RECORD(r, 2, L1D_CACHED_READ, 11, 21);
	TOTALS(r, PMK_SIG_OF_STALL, 5, PMK_SIG_MEM_STALL, 25, PMK_SIG_CYCLE, 33);
	rig_free(r);
}

/* ---- owners ---------------------------------------------------------------------------------- */

static struct rig *asked;
static uint64_t hits_seen[64];
static unsigned times_asked;

static void note_hits(struct pmk_cpu *cpu)
{
	assert_true(cpu == &asked->cpu);
	hits_seen[times_asked++ % COUNT(hits_seen)] = total(asked, PMK_SIG_L1D_CACHED_READ_HIT);
	cpu->deadline = cpu->cycles + 1;
}

/*
 * No total decreases in the middle of a program, although a block's loads are counted before the
 * core knows whether they miss.
 */
static void sums_never_fall(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r = rig_new(&core);

	(void)state;
	asked = r;
	times_asked = 0;
	r->cpu.on_deadline = note_hits;
	r->cpu.deadline = 0;
	for (uint32_t i = 0; i < 8; i++)
		rig_run(r, 0x1000, WORDS(LWI(3, 4, 0), LWI(5, 4, 4), LWI(6, 4, 0)),
			DATA(0x20000 + 0x400 * i, 0x20040 + 0x400 * i, 0x20000 + 0x400 * i));
	assert_int_equal(times_asked, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(hits_seen[i], i); /* at the third load of each block */
	READS(r, 24, 8);
	rig_free(r);
}

static void count_calls(struct pmk_cpu *cpu)
{
	times_asked++;
	cpu->deadline = PMK_NEVER;
}

/*
 * When the log is as full as its owner requested, the core calls the owner at the start of the next
 * block.
 */
static void full_log(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r = rig_new(&core);

	(void)state;
	times_asked = 0;
	r->cpu.on_deadline = count_calls;
	pmk_bus_ask_recorded(&r->bus, 3);
	LOAD_WORD(r, 0x20000);
	LOAD_WORD(r, 0x20040);
	GO(r, 0x1004, NOP);
	assert_int_equal(times_asked, 0);
	LOAD_WORD(r, 0x20080);
	assert_int_equal(times_asked, 0);
	GO(r, 0x1004, NOP);
	assert_int_equal(times_asked, 1);
	rig_free(r);
}

/* Without a bus, nothing is recorded, and all other results are the same. */
static void no_bus(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r = rig_new(&core);

	(void)state;
	r->cpu.bus = NULL;
	LOAD_WORD(r, 0x20000);
	READS(r, 1, 0);
	assert_int_equal(r->bus.recorded, 0);
	rig_free(r);
}

/* No record is longer than the core's declared maximum. */
static void longest(void **state)
{
	struct pmk_core core = data_core(true);

	(void)state;
	assert_int_equal(pmk_cpu_longest(&core), 1 + 20 + 3 + 4);
	core.microblaze.peripheral_latency = 100;
	assert_int_equal(pmk_cpu_longest(&core), 100);
	core.utlb.penalty = 1000;
	assert_int_equal(pmk_cpu_longest(&core), 1000);
	pmk_core_choose(&core, "arm", "arm1176");
	assert_int_equal(pmk_cpu_longest(&core), 0);
}

/* A forked copy has its parent's caches, and counts from 0. */
static void fork_is_warm(void **state)
{
	struct pmk_core core = data_core(true);
	struct rig *r;

	(void)state;
	core.mmu = core.bp.on = 1;
	core.microblaze.dtlb_entries = 2;
	r = rig_new(&core);
	LOAD_WORD(r, 0x20000);
	LOAD_WORD(r, 0x30000);
	LOAD_WORD(r, 0x20004);
	GO(r, 0x1004, BRI(-4));
	memset(r->executions, 0, sizeof(r->executions));
	pmk_cpu_forked(&r->cpu, r->executions);
	LOAD_WORD(r, 0x20008);
	TOTALS(r, PMK_SIG_INSN, 1, PMK_SIG_DTLB_HIT, 1, PMK_SIG_MMU_LOOKUP, 0, PMK_SIG_MEM_STALL,
	       0);
	READS(r, 1, 1);
	/* The copy keeps the order of use: 0x30000 was used before 0x20000. */
	LOAD_WORD(r, 0x40000);
	LOAD_WORD(r, 0x20000);
	TOTALS(r, PMK_SIG_DTLB_HIT, 2, PMK_SIG_MMU_LOOKUP, 1);
	rig_free(r);
}

/* ---- parameters that do not go together ------------------------------------------------------ */

static void bad_cores(void **state)
{
	static const struct {
		int line;
		const char *key, *value, *msg;
	} rows[] = {
		{ __LINE__, "icache.ways", "2", "icache.ways takes 1 only" },
		{ __LINE__, "dcache.ways", "4", "dcache.ways takes 1 only" },
		{ __LINE__, "icache.line", "5", "4, 8 or 16" },
		{ __LINE__, "dcache.line", "12", "4, 8 or 16" },
		{ __LINE__, "dcache.size", "128K", "to 65536, not '131072'" },
		{ __LINE__, "icache.size", "96", "a power of two" },
		{ __LINE__, "itlb.entries", "3", "1, 2, 4 or 8" },
		{ __LINE__, "dtlb.entries", "6", "1, 2, 4 or 8" },
		{ __LINE__, "bp.entries", "4096", "2048" },
		{ __LINE__, "tlb.entries", "256", "128" },
		{ __LINE__, "debug.counter_width", "40", "32, 48 or 64" },
	};
	struct pmk_core core;
	char msg[256];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		core = plain_core();
		assert_int_equal(pmk_core_check(&core, msg, sizeof(msg)), 0);
		if (pmk_core_set(&core, rows[i].key, rows[i].value, msg, sizeof(msg)) ||
		    pmk_core_check(&core, msg, sizeof(msg)) != PMK_ERANGE ||
		    !strstr(msg, rows[i].msg))
			fail_msg("line %d: %s", rows[i].line, msg);
	}
	/* A three-stage pipeline has neither an MMU nor a branch target cache. */
	for (unsigned which = 0; which < 2; which++) {
		core = plain_core();
		core.microblaze.area = 1;
		assert_int_equal(pmk_core_check(&core, msg, sizeof(msg)), 0);
		core.mmu = which == 0;
		core.bp.on = which == 1;
		assert_int_equal(pmk_core_check(&core, msg, sizeof(msg)), PMK_ERANGE);
		assert_non_null(strstr(msg, "area.optimized"));
	}
	core = plain_core();
	core.microblaze.event_counters = core.microblaze.latency_counters = 0;
	assert_int_equal(pmk_core_check(&core, msg, sizeof(msg)), PMK_ERANGE);
}

/*
 * The presets can be read and are consistent, and have the right pipeline, MMU, clock and memory
 * latency. On a Zynq-7000, 39.3 cycles were measured for 16 consecutive words.
 */
static void presets(void **state)
{
	static const struct {
		const char *name;
		unsigned area, mmu;
		uint64_t clock, latency;
	} rows[] = {
		{ "microblaze", 0, 1, 100000000, 20 },
		{ "microblaze-area", 1, 0, 100000000, 20 },
		{ "microblaze-freq", 2, 1, 200000000, 40 },
		{ "zynq-microblaze", 0, 1, 100000000, 24 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char path[512], msg[512] = "";
		struct pmk_core core;

		snprintf(path, sizeof(path), "%s/cores/%s.ini", PMK_SOURCE_DATA, rows[i].name);
		if (pmk_core_load(&core, path, msg, sizeof(msg)) ||
		    pmk_core_check(&core, msg, sizeof(msg)))
			fail_msg("%s", msg);
		assert_string_equal(core.name, rows[i].name);
		assert_string_equal(core.isa, "microblaze");
		assert_string_equal(pmk_core_family(&core)->name, "microblaze");
		assert_string_equal(core.pmu, "microblaze");
		assert_int_equal(core.microblaze.area, rows[i].area);
		assert_int_equal(core.mmu, rows[i].mmu);
		assert_int_equal(core.clock_hz, rows[i].clock);
		assert_int_equal(core.mem.latency, rows[i].latency);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(conditional_branches),
		cmocka_unit_test(branch_to_the_next),
		cmocka_unit_test(branch_on_r0),
		cmocka_unit_test(delay_slots),
		cmocka_unit_test(slot_in_another_block),
		cmocka_unit_test(predicted_slot_in_another_block),
		cmocka_unit_test(a_signal_hides_the_outcome),
		cmocka_unit_test(vectors),
		cmocka_unit_test(what_is_raised),
		cmocka_unit_test(btc_learns),
		cmocka_unit_test(btc_and_delay_slots),
		cmocka_unit_test(btc_entries),
		cmocka_unit_test(btc_at_zero),
		cmocka_unit_test(btc_leaves_out_registers),
		cmocka_unit_test(btc_is_emptied),
		cmocka_unit_test(latencies),
		cmocka_unit_test(branch_latencies),
		cmocka_unit_test(hazards),
		cmocka_unit_test(hazard_parameters),
		cmocka_unit_test(cycles_are_instructions_and_stalls),
		cmocka_unit_test(icache_lines),
		cmocka_unit_test(icache_too_small),
		cmocka_unit_test(icache_latency),
		cmocka_unit_test(uncached_code),
		cmocka_unit_test(dcache_lines),
		cmocka_unit_test(write_through),
		cmocka_unit_test(write_buffer),
		cmocka_unit_test(write_back),
		cmocka_unit_test(write_back_evicts),
		cmocka_unit_test(area_waits_in_execution),
		cmocka_unit_test(cascade),
		cmocka_unit_test(peripherals),
		cmocka_unit_test(local_data),
		cmocka_unit_test(itlb),
		cmocka_unit_test(dtlb),
		cmocka_unit_test(utlb),
		cmocka_unit_test(tlb_flush),
		cmocka_unit_test(lookup_before_miss),
		cmocka_unit_test(sums_never_fall),
		cmocka_unit_test(full_log),
		cmocka_unit_test(no_bus),
		cmocka_unit_test(longest),
		cmocka_unit_test(fork_is_warm),
		cmocka_unit_test(bad_cores),
		cmocka_unit_test(presets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
