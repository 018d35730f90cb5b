// SPDX-License-Identifier: MIT
/*
 * The debug TAP of an ARM11, driven by pmk's own scans: halt, continue, and execute MRC and MCR of
 * coprocessor 15 while halted.
 *
 * Source: DDI 0301H, chapter 14 (scan chains 1, 4 and 5, HALT and RESTART) and 13.3.3 (DSCR).
 * The instruction in the ITR is executed at each pass through Run-Test/Idle while chain 4 or 5
 * is selected, and every scan passes through Run-Test/Idle. So pmk leaves a no-op in the ITR.
 * While the processor is halted, pmk uses R0 for data that goes through the DTR. The PC must be
 * written before the processor continues.
 */
#include "producer/wire/wire.h"

#include <inttypes.h>

#include <pmk/error.h>

#include "base/clock.h"

enum { EXTEST = 0x00, SCAN_N = 0x02, RESTART = 0x04, HALT = 0x08, INTEST = 0x0c };

#define CHAIN_BITS 5
#define DSCR_CHAIN 1
#define DSCR_BITS  32
#define ITR_CHAIN  4
#define ITR_BITS   33 /* [32]: the last instruction has completed */
#define DTR_CHAIN  5
#define DTR_BITS   34 /* [33]: data is valid; [32]: there was room */

#define DSCR_HALTED  (1u << 0)
#define DSCR_EXECUTE (1u << 13) /* the instruction in the ITR may execute */
#define DSCR_HALTING (1u << 14) /* debug events halt the processor */
#define DSCR_RDTR    (1u << 30) /* data written by the debugger was not read */

#define NOTHING	   0xe1a00000 /* MOV R0, R0 */
#define R0_TO_DTR  0xee000e15 /* MCR p14, 0, R0, c0, c5, 0 */
#define R0_OF_DTR  0xee100e15
#define R0_OF_CPSR 0xe10f0000 /* MRS R0, CPSR */
#define R0_OF_PC   0xe1a0000f
#define PC_OF_R0   0xe12fff10 /* BX R0, which sets the state, too */
#define CPSR_THUMB (1u << 5)

static int scan_data(struct pmk_wire *w, unsigned bits, uint64_t out, uint64_t *in)
{
	uint8_t bytes[8], back[8] = { 0 };
	int err;

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(out >> 8 * i);
	err = w->speaker->scan_dr(w, w->arm11.tap, bits, bytes, back);
	for (unsigned i = 0; in && i < 8; i++)
		*in = (i ? *in : 0) | (uint64_t)back[i] << 8 * i;
	return err;
}

/* Select a scan chain. With the instruction INTEST it is read, with EXTEST it is written. */
static int select_chain(struct pmk_wire *w, unsigned chain, unsigned instruction)
{
	int err = w->speaker->scan_ir(w, w->arm11.tap, SCAN_N);

	if (!err)
		err = scan_data(w, CHAIN_BITS, chain, NULL);
	return err ? err : w->speaker->scan_ir(w, w->arm11.tap, instruction);
}

static int read_dscr(struct pmk_wire *w, uint32_t *dscr)
{
	uint64_t in = 0;
	int err = select_chain(w, DSCR_CHAIN, INTEST);

	if (!err)
		err = scan_data(w, DSCR_BITS, 0, &in);
	*dscr = (uint32_t)in;
	return err;
}

static int write_dscr(struct pmk_wire *w, uint32_t dscr)
{
	int err = select_chain(w, DSCR_CHAIN, EXTEST);

	return err ? err : scan_data(w, DSCR_BITS, dscr, NULL);
}

static int wait_halted(struct pmk_wire *w, bool halted)
{
	double deadline = pmk_link_deadline(&w->link);
	uint32_t dscr = 0;
	int err = read_dscr(w, &dscr);

	while (!err && !(dscr & DSCR_HALTED) == halted) {
		if (pmk_seconds() > deadline)
			return pmk_link_fail(
				&w->link, PMK_EIO, "the processor %s (DSCR is 0x%08" PRIx32 "): %s",
				halted ? "does not halt" : "does not resume", dscr,
				halted ? "check its power and clock, and that DBGEN is high"
				       : "it is left as it is");
		err = read_dscr(w, &dscr);
	}
	return err;
}

/*
 * Put an instruction into the ITR, where it is executed until the ITR gets another one: see
 * execute_instruction(). Chain 4 must be selected. The ITR ignores an instruction while another one
 * has not completed.
 */
static int put_instruction(struct pmk_wire *w, uint32_t instruction)
{
	double deadline = pmk_link_deadline(&w->link);
	uint64_t in = 0;
	int err = 0;

	while (!err && !(in >> 32)) {
		if (pmk_seconds() > deadline)
			return pmk_link_fail(&w->link, PMK_EIO,
					     "the processor does not complete an instruction that "
					     "the debugger gave it");
		err = scan_data(w, ITR_BITS, instruction, &in);
	}
	return err;
}

static int execute_instruction(struct pmk_wire *w, uint32_t instruction)
{
	int err = select_chain(w, ITR_CHAIN, EXTEST);

	if (!err)
		err = put_instruction(w, instruction);
	return err ? err : put_instruction(w, NOTHING);
}

static int read_r0(struct pmk_wire *w, uint32_t *value)
{
	double deadline = pmk_link_deadline(&w->link);
	uint64_t in = 0;
	int err = execute_instruction(w, R0_TO_DTR);

	if (!err)
		err = select_chain(w, DTR_CHAIN, INTEST);
	while (!err && !(in >> 33)) {
		if (pmk_seconds() > deadline)
			return pmk_link_fail(&w->link, PMK_EIO,
					     "no data arrive in the debugger's register DTR");
		err = scan_data(w, DTR_BITS, 0, &in);
	}
	*value = (uint32_t)in;
	return err;
}

static int write_r0(struct pmk_wire *w, uint32_t value)
{
	int err = select_chain(w, DTR_CHAIN, EXTEST);

	if (!err)
		err = scan_data(w, DTR_BITS, value, NULL);
	return err ? err : execute_instruction(w, R0_OF_DTR);
}

static int result_of(struct pmk_wire *w, uint32_t instruction, uint32_t *value)
{
	int err = execute_instruction(w, instruction);

	return err ? err : read_r0(w, value);
}

/* Prepare a halted processor for accesses. An instruction is written first, because the contents of
 * the ITR are not known. Then save R0 and the address at which to continue: the PC that is read is
 * two instructions ahead. */
static int take_over(struct pmk_wire *w, uint32_t dscr)
{
	uint32_t cpsr = 0;
	int err = select_chain(w, ITR_CHAIN, EXTEST);

	if (!err)
		err = put_instruction(w, NOTHING);
	if (!err)
		err = write_dscr(w, dscr | DSCR_HALTING | DSCR_EXECUTE);
	if (!err)
		err = read_r0(w, &w->arm11.r0);
	if (!err)
		err = result_of(w, R0_OF_CPSR, &cpsr);
	if (!err)
		err = result_of(w, R0_OF_PC, &w->arm11.pc);
	w->arm11.pc = cpsr & CPSR_THUMB ? (w->arm11.pc - 4) | 1 : w->arm11.pc - 8;
	return err;
}

int pmk_arm11_halt(struct pmk_wire *w)
{
	const struct pmk_wire_tap *tap = w->arm11.tap;
	uint32_t dscr = 0;
	int err = 0;

	if (!w->arm11.met && tap->period_ns)
		err = w->speaker->set_clock(w, tap->period_ns);
	if (!err && !w->arm11.met)
		err = w->speaker->bypass(w, tap);
	if (!err)
		err = read_dscr(w, &dscr);
	if (!err && !w->arm11.met) {
		w->arm11.met = true;
		w->arm11.dscr = dscr & ~DSCR_EXECUTE;
		w->found_halted = dscr & DSCR_HALTED;
	}
	if (!err && (dscr & DSCR_RDTR))
		err = pmk_link_fail(&w->link, PMK_EBUSY,
				    "another debugger has written a word that the processor has "
				    "not read (DSCR is 0x%08" PRIx32 ")",
				    dscr);
	if (!err)
		err = write_dscr(w, (dscr | DSCR_HALTING) & ~DSCR_EXECUTE);
	if (!err)
		err = w->speaker->scan_ir(w, tap, HALT);
	if (!err)
		err = wait_halted(w, true);
	return err ? err : take_over(w, dscr);
}

int pmk_arm11_resume(struct pmk_wire *w)
{
	int err = write_r0(w, w->arm11.pc);

	if (!err)
		err = execute_instruction(w, PC_OF_R0);
	if (!err)
		err = write_r0(w, w->arm11.r0);
	if (!err)
		err = write_dscr(w, w->arm11.dscr);
	if (!err)
		err = w->speaker->scan_ir(w, w->arm11.tap, RESTART);
	return err ? err : wait_halted(w, false);
}

int pmk_arm11_transfer(struct pmk_wire *w, uint32_t instruction, uint32_t *value)
{
	int err;

	if (instruction & PMK_ARM11_MRC)
		return result_of(w, instruction, value);
	err = write_r0(w, *value);
	return err ? err : execute_instruction(w, instruction);
}
