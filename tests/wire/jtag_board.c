// SPDX-License-Identifier: MIT
/*
 * A board on JTAG for OpenOCD's remote_bitbang. `jtag_board arm11 CYCLES` has the debug TAP of an
 * ARM1176. Other boards are `arm1136`, `arm1156` and `arm11mpcore`; `mdm`, an FPGA with a
 * MicroBlaze and its debug module; and `closed`, an ARM1176 with NIDEN low, whose event counters
 * stop.
 * `jtag_board mdm CYCLES xvc` uses XVC 1.0 instead. With `chain` instead of `xvc` there are
 * other TAPs before and after the FPGA's TAP; pmk's --set before=4,after=5+7 describes them.
 * Counters are the project's models. The processor runs while the TAP is clocked: each TCK lets
 * CYCLES cycles pass and one third as many instructions, so that counts depend on what the probe
 * does and not on the time that it takes. The program of an ARM11 is a loop of a
 * thousand instructions from 0x8000 on. A breakpoint (BVR, BCR) stops the processor before
 * the instruction at the breakpoint's address.
 *
 * jtag_board prints the port on which it listens, serves one connection, and then prints how many
 * cycles passed while the counters were enabled and the processor ran.
 *
 * Source: DDI 0301H, chapter 14 (debug test access port): scan chains 0, 1, 4, 5 and 7, the
 * instructions HALT and RESTART, and when an instruction in the ITR is executed; chapter 13 for
 * DSCR, BVR and BCR.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pmk/arm11_model.h>
#include <pmk/microblaze_model.h>

#include "blocks.h"

/* ---- the processors -------------------------------------------------------------------------- */

/*
 * OpenOCD recognises these processors by IDCODE. Main ID is in c0 (the TRMs, "Main ID Register").
 */
static const struct processor {
	const char *name;
	const struct pmk_pmu *pmu;
	uint32_t idcode, midr;
} processors[] = {
	{ "arm11", &pmk_arm1176, 0x07b76f0f, 0x410fb767 },
	{ "closed", &pmk_arm1176, 0x07b76f0f, 0x410fb767 },
	{ "arm1136", &pmk_arm1136, 0x07b36f0f, 0x4117b363 },
	{ "arm1156", &pmk_arm1156, 0x07b56f0f, 0x410fb560 },
	{ "arm11mpcore", &pmk_arm11mpcore, 0x07b37f0f, 0x410fb024 },
}, *processor = processors;

static void choose_processor(const char *name)
{
	for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++)
		if (!strcmp(processors[i].name, name))
			processor = &processors[i];
}

/* ---- the counters ---------------------------------------------------------------------------- */

static struct pmk_bus bus;
static uint64_t cycles_per_tck, enabled_cycles;
static bool halted;

static struct pmk_arm11_model arm11;
static struct pmk_model_port arm11_at = { .model = &arm11, .bus = &bus };
static void sync_models(void)
{
	arm11_at.ops->sync(&arm11, &bus);
	blocks_sync(&bus);
	pmk_bus_forget(&bus);
	arm11_at.ops->ask(&arm11, &bus);
	blocks_ask(&bus);
}

static void set_halted(bool yes)
{
	sync_models();
	halted = yes;
	pmk_arm11_model_input(&arm11, &bus, PMK_ARM11_IN_DEBUG, yes);
	sync_models();
}

/* ---- the ARM11 in debug state ---------------------------------------------------------------- */

enum { SCAN_N = 0x02, RESTART = 0x04, HALT = 0x08, INTEST = 0x0c, EXTEST = 0x00, ITRSEL = 0x1d };

#define DSCR_HALTED    (1u << 0)
#define DSCR_RESTARTED (1u << 1)  /* sticky: has left debug state since the last RESTART */
#define DSCR_ENTRY     (15u << 2) /* why it halted: 0 the instruction HALT, 1 a breakpoint */
#define DSCR_BREAK     (1u << 2)
#define DSCR_ITR       (1u << 13)
#define DSCR_HALTING   (1u << 14)
#define DSCR_WRITABLE  0x0000ff00u
#define DSCR_WDTR      (1u << 29)
#define DSCR_RDTR      (1u << 30)

#define LOOP	  0x8000u /* address of the program */
#define LOOP_SIZE 4000u

static struct {
	uint32_t r[16], cpsr, dscr, itr, wdtr, rdtr, chain7[128];
	uint8_t screg, address;
} cpu = { .cpsr = 0xd3, .dscr = DSCR_RESTARTED, .r[15] = LOOP };

/* ---- the program ----------------------------------------------------------------------------- */

#define NBREAKPOINTS   6
#define CHAIN7_BVR     64 /* addresses in scan chain 7 */
#define CHAIN7_BCR     80
#define CYCLES_OF_INSN 3

/*
 * Returns how many instructions are executed before the next breakpoint, but at most `most`. In
 * BCR, bit 0 enables, and bits 8:5 are the bytes of the word that match.
 */
static uint64_t until_breakpoint(uint64_t most)
{
	for (unsigned i = 0; (cpu.dscr & DSCR_HALTING) && i < NBREAKPOINTS; i++) {
		uint32_t bcr = cpu.chain7[CHAIN7_BCR + i], at = cpu.chain7[CHAIN7_BVR + i];
		uint32_t from = cpu.r[15] - LOOP, to = at - LOOP;

		if ((bcr & 0x1e1) != 0x1e1 || to >= LOOP_SIZE)
			continue;
		to += to < from ? LOOP_SIZE : 0;
		if ((to - from) / 4 < most)
			most = (to - from) / 4;
	}
	return most;
}

/* Lets the processor run for one TCK. */
static void run_arm11(void)
{
	uint64_t insns = cycles_per_tck / CYCLES_OF_INSN, done, cycles;

	if (halted)
		return;
	done = until_breakpoint(insns);
	cycles = done < insns ? done * CYCLES_OF_INSN : cycles_per_tck;
	cpu.r[15] = LOOP + (uint32_t)((cpu.r[15] - LOOP + 4 * done) % LOOP_SIZE);
	enabled_cycles += arm11.pmnc & 1 ? cycles : 0;
	if (cycles)
		blocks_run(&bus, cycles);
	if (pmk_bus_due(&bus))
		sync_models();
	if (done == insns)
		return;
	set_halted(true);
	cpu.dscr = (cpu.dscr & ~DSCR_ENTRY) | DSCR_HALTED | DSCR_BREAK;
}

/* Loads a word. Memory outside the blocks reads as 0. */
static uint32_t load(uint32_t address)
{
	uint32_t word = 0;

	blocks_load(&bus, address, &word);
	return word;
}

static void store(uint32_t address, uint32_t value)
{
	blocks_store(&bus, address, value);
	sync_models();
}

static uint32_t read_cp15(unsigned crn, unsigned crm, unsigned op2)
{
	struct pmk_port port = pmk_port_model(&arm11_at);
	uint64_t v = 0;

	if (crn == 15 && crm == 12 && op2 < 4)
		port.read(port.ctx, op2, &v);
	else if (crn == 0 && crm == 0 && op2 == 0)
		v = processor->midr;
	return (uint32_t)v;
}

static void write_cp15(unsigned crn, unsigned crm, unsigned op2, uint32_t value)
{
	struct pmk_port port = pmk_port_model(&arm11_at);

	if (crn == 15 && crm == 12 && op2 < 4)
		port.write(port.ctx, op2, value);
}

static void execute(uint32_t w)
{
	uint32_t *rd = &cpu.r[w >> 12 & 15];
	unsigned crn = w >> 16 & 15, crm = w & 15, op2 = w >> 5 & 7;

	if ((w & 0x0fff0fff) == 0x0e000e15) { /* MCR p14, 0, Rd, c0, c5, 0 */
		cpu.wdtr = *rd;
		cpu.dscr |= DSCR_WDTR;
	} else if ((w & 0x0fff0fff) == 0x0e100e15) { /* MRC p14, 0, Rd, c0, c5, 0 */
		*rd = cpu.rdtr;
		cpu.dscr &= ~DSCR_RDTR;
	} else if (w == 0xecb05e01 || w == 0xed905e00) { /* LDC p14, c5, [r0], #4 or [r0] */
		cpu.wdtr = load(cpu.r[0]);
		cpu.dscr |= DSCR_WDTR;
		cpu.r[0] += w == 0xecb05e01 ? 4 : 0;
	} else if (w == 0xeca05e01 || w == 0xed805e00) { /* STC p14, c5, [r0], #4 or [r0] */
		store(cpu.r[0], cpu.rdtr);
		cpu.dscr &= ~DSCR_RDTR;
		cpu.r[0] += w == 0xeca05e01 ? 4 : 0;
	} else if ((w & 0x0ff00f10) == 0x0e100f10) { /* MRC p15, 0 */
		*rd = read_cp15(crn, crm, op2);
	} else if ((w & 0x0ff00f10) == 0x0e000f10) { /* MCR p15, 0 */
		write_cp15(crn, crm, op2, *rd);
	} else if ((w & 0x0fbf0fff) == 0x010f0000) { /* MRS Rd, CPSR or SPSR */
		*rd = cpu.cpsr;
	} else if ((w & 0x0ff0fff0) == 0x0120f000) { /* MSR CPSR, Rm */
		cpu.cpsr = cpu.r[w & 15];
	} else if ((w & 0x0fff0ff0) == 0x01a00000) { /* MOV Rd, Rm */
		*rd = cpu.r[w & 15] + ((w & 15) == 15 ? 8 : 0);
	} else if ((w & 0x0ffffff0) == 0x012fff10) { /* BX Rm */
		cpu.r[15] = cpu.r[w & 15];
	} else if (w) {
		fprintf(stderr, "jtag_board: instruction 0x%08x is not modelled\n", w);
	}
}

/* ---- the TAP --------------------------------------------------------------------------------- */

enum state {
	RESET,
	IDLE,
	DR_SELECT,
	DR_CAPTURE,
	DR_SHIFT,
	DR_EXIT1,
	DR_PAUSE,
	DR_EXIT2,
	DR_UPDATE,
	IR_SELECT,
	IR_CAPTURE,
	IR_SHIFT,
	IR_EXIT1,
	IR_PAUSE,
	IR_EXIT2,
	IR_UPDATE
};

static const uint8_t next_state[][2] = {
	[RESET] = { IDLE, RESET },
	[IDLE] = { IDLE, DR_SELECT },
	[DR_SELECT] = { DR_CAPTURE, IR_SELECT },
	[DR_CAPTURE] = { DR_SHIFT, DR_EXIT1 },
	[DR_SHIFT] = { DR_SHIFT, DR_EXIT1 },
	[DR_EXIT1] = { DR_PAUSE, DR_UPDATE },
	[DR_PAUSE] = { DR_PAUSE, DR_EXIT2 },
	[DR_EXIT2] = { DR_SHIFT, DR_UPDATE },
	[DR_UPDATE] = { IDLE, DR_SELECT },
	[IR_SELECT] = { IR_CAPTURE, RESET },
	[IR_CAPTURE] = { IR_SHIFT, IR_EXIT1 },
	[IR_SHIFT] = { IR_SHIFT, IR_EXIT1 },
	[IR_EXIT1] = { IR_PAUSE, IR_UPDATE },
	[IR_PAUSE] = { IR_PAUSE, IR_EXIT2 },
	[IR_EXIT2] = { IR_SHIFT, IR_UPDATE },
	[IR_UPDATE] = { IDLE, DR_SELECT },
};

/* The differences between the two TAPs. */
struct tap {
	unsigned ir_bits, idcode_ir;
	uint32_t idcode;
	/* Returns the length of the data register of the instruction `ir`, and its value. */
	unsigned (*capture)(unsigned ir, uint64_t *value);
	/*
	 * Called after the data register of `ir` was shifted by `bits` bits. `value` is its new
	 * contents.
	 */
	void (*update)(unsigned ir, uint64_t value, unsigned bits);
	void (*enter_ir)(unsigned ir);
	void (*enter_idle)(unsigned ir);
	void (*clock)(void);
};

static struct {
	enum state state;
	unsigned ir, bits, shifted;
	uint64_t shift;
	bool tck;
} line;

static unsigned chain_of(unsigned ir)
{
	return ir == ITRSEL ? 4 : ir == EXTEST || ir == INTEST ? cpu.screg : 99;
}

static unsigned capture_arm11(unsigned ir, uint64_t *value)
{
	if (ir == SCAN_N) {
		*value = 0x10;
		return 5;
	}
	switch (chain_of(ir)) {
	case 0:
		*value = UINT64_C(0x4115120000); /* ARM; 6 breakpoints, 2 watchpoints, v6.1 */
		return 40;
	case 1:
		cpu.dscr = halted ? cpu.dscr | DSCR_HALTED : cpu.dscr & ~DSCR_HALTED;
		*value = cpu.dscr;
		return 32;
	case 4:
		*value = UINT64_C(1) << 32;
		return 33;
	case 5:
		*value = UINT64_C(3) << 32 | cpu.wdtr;
		if (ir == INTEST)
			cpu.dscr &= ~DSCR_WDTR;
		return 34;
	case 7:
		*value = (uint64_t)cpu.address << 33 | (uint64_t)cpu.chain7[cpu.address] << 1 | 1;
		return 40;
	default:
		*value = 0;
		return 1;
	}
}

static void update_arm11(unsigned ir, uint64_t value, unsigned bits)
{
	(void)bits;
	if (ir == SCAN_N) {
		cpu.screg = value & 31;
		return;
	}
	if (ir == INTEST)
		return;
	switch (chain_of(ir)) {
	case 1:
		cpu.dscr = (cpu.dscr & ~DSCR_WRITABLE) | ((uint32_t)value & DSCR_WRITABLE);
		break;
	case 4:
		cpu.itr = (uint32_t)value;
		break;
	case 5:
		cpu.rdtr = (uint32_t)value;
		cpu.dscr |= DSCR_RDTR;
		break;
	case 7:
		cpu.address = value >> 33 & 127;
		if (value & 1)
			cpu.chain7[cpu.address] = (uint32_t)(value >> 1);
		break;
	}
}

static void enter_ir_arm11(unsigned ir)
{
	(void)ir;
}

static void enter_idle_arm11(unsigned ir)
{
	unsigned chain = chain_of(ir);

	if (ir == HALT && !halted) {
		set_halted(true);
		cpu.dscr = (cpu.dscr | DSCR_HALTED) & ~DSCR_ENTRY;
	} else if (ir == RESTART && halted) {
		set_halted(false);
		cpu.dscr = (cpu.dscr | DSCR_RESTARTED) & ~DSCR_HALTED;
	} else if (halted && (cpu.dscr & DSCR_ITR) && (chain == 4 || chain == 5)) {
		execute(cpu.itr);
	}
}

static struct tap arm11_tap = {
	5,	   0x1e, 0x07b76f0f, capture_arm11, update_arm11, enter_ir_arm11, enter_idle_arm11,
	run_arm11,
};

/* ---- the FPGA -------------------------------------------------------------------------------- */

#define USER2 0x03

/* The state of the FPGA, in one struct, so that it can be saved, and restored after a scan. */
static struct {
	struct pmk_microblaze_model counters;
	struct pmk_mdm_model mdm;
	struct pmk_mdm_jtag_model jtag;
} fpga;
static struct pmk_model_port counters_at = { .model = &fpga.counters, .bus = &bus };
static struct pmk_port behind;

/* Determines the output of the next scan by shifting zeros through a copy of `fpga`. */
static unsigned capture_mdm(unsigned ir, uint64_t *value)
{
	static const uint8_t zeros[8];
	uint8_t out[8] = { 0 };

	*value = 0;
	if (ir != USER2)
		return 1;
	{
		struct pmk_bus kept_bus = bus;
		__typeof__(fpga) kept = fpga;

		pmk_mdm_jtag_model_scan(&fpga.jtag, 64, zeros, out);
		fpga = kept;
		bus = kept_bus;
	}
	for (unsigned i = 0; i < 8; i++)
		*value |= (uint64_t)out[i] << 8 * i;
	return 64;
}

static void update_mdm(unsigned ir, uint64_t value, unsigned bits)
{
	uint8_t out[8], in[8];

	if (ir != USER2 || !bits || bits > 64)
		return;
	/* The uppermost bits are those that were shifted in. */
	value >>= 64 - bits;
	for (unsigned i = 0; i < 8; i++)
		out[i] = (uint8_t)(value >> 8 * i);
	pmk_mdm_jtag_model_scan(&fpga.jtag, bits, out, in);
}

static void enter_ir_mdm(unsigned ir)
{
	if (ir == USER2)
		pmk_mdm_jtag_model_select(&fpga.jtag);
	else
		pmk_mdm_jtag_model_deselect(&fpga.jtag);
}

static void enter_idle_mdm(unsigned ir)
{
	(void)ir;
}

static void run_mdm(void)
{
	pmk_bus_add(&bus, PMK_SIG_CYCLE, cycles_per_tck);
	pmk_bus_add(&bus, PMK_SIG_INSN, cycles_per_tck / 3);
	if (pmk_bus_due(&bus)) {
		counters_at.ops->sync(&fpga.counters, &bus);
		pmk_bus_forget(&bus);
		counters_at.ops->ask(&fpga.counters, &bus);
	}
}

static const struct tap mdm_tap = {
	6, 0x09, 0x0362d093, capture_mdm, update_mdm, enter_ir_mdm, enter_idle_mdm, run_mdm,
};

/* ---- clocking -------------------------------------------------------------------------------- */

static void capture_dr(const struct tap *t)
{
	if (line.ir == t->idcode_ir) {
		line.shift = t->idcode;
		line.bits = 32;
	} else {
		line.bits = t->capture(line.ir, &line.shift);
	}
	line.shifted = 0;
}

/*
 * TAPs of other chips, with an IDCODE and BYPASS. The first is next to TDI, before our TAP. The
 * second and the third are after our TAP.
 */
static struct other {
	unsigned ir_bits;
	bool bypassed;
	unsigned bits;
	uint32_t shift;
} others[] = { { .ir_bits = 4 }, { .ir_bits = 5 }, { .ir_bits = 7 } };
static bool chained;

#define NOTHERS (sizeof(others) / sizeof(others[0]))

static void enter_other(struct other *o, enum state state)
{
	if (state == RESET)
		o->bypassed = false;
	if (state == IR_UPDATE)
		o->bypassed = o->shift == (1u << o->ir_bits) - 1;
	if (state == DR_CAPTURE) {
		o->shift = o->bypassed ? 0 : 0x4ba00477;
		o->bits = o->bypassed ? 1 : 32;
	}
	if (state == IR_CAPTURE) {
		o->shift = 1;
		o->bits = o->ir_bits;
	}
}

static bool shift_other(struct other *o, bool tdi)
{
	bool out = o->shift & 1;

	o->shift = o->shift >> 1 | (uint32_t)tdi << (o->bits - 1);
	return out;
}

static bool tdo(void)
{
	return (chained ? others[NOTHERS - 1].shift : line.shift) & 1;
}

static void enter(const struct tap *t, enum state state)
{
	for (size_t i = 0; i < NOTHERS; i++)
		enter_other(&others[i], state);
	switch (state) {
	case RESET:
		line.ir = t->idcode_ir;
		t->enter_ir(line.ir);
		break;
	case IDLE:
		if (line.state != IDLE)
			t->enter_idle(line.ir);
		break;
	case DR_CAPTURE:
		capture_dr(t);
		break;
	case DR_UPDATE:
		if (line.ir != t->idcode_ir)
			t->update(line.ir, line.shift, line.shifted);
		break;
	case IR_CAPTURE:
		line.shift = 1;
		line.bits = t->ir_bits;
		break;
	case IR_UPDATE:
		line.ir = (unsigned)line.shift & ((1u << t->ir_bits) - 1);
		t->enter_ir(line.ir);
		break;
	default:
		break;
	}
	line.state = state;
}

static void rise(const struct tap *t, bool tms, bool tdi)
{
	if (line.state == DR_SHIFT || line.state == IR_SHIFT) {
		bool in = chained ? shift_other(&others[0], tdi) : tdi, out = line.shift & 1;

		line.shift = line.shift >> 1 | (uint64_t)in << (line.bits - 1);
		line.shifted++;
		for (size_t i = 1; chained && i < NOTHERS; i++)
			out = shift_other(&others[i], out);
	}
	t->clock();
	enter(t, next_state[line.state][tms]);
}

/* ---- serving --------------------------------------------------------------------------------- */

/* Sends one reply for each piece of data that it receives. */
static void serve(const struct tap *t, int fd)
{
	char in[4096], out[4096];
	ssize_t n;

	while ((n = read(fd, in, sizeof(in))) > 0) {
		size_t bits = 0;

		for (ssize_t i = 0; i < n; i++) {
			unsigned c = (unsigned)in[i] - '0';

			if (in[i] == 'Q')
				return;
			if (in[i] == 'R')
				out[bits++] = tdo() ? '1' : '0';
			if (c >= 8)
				continue;
			if ((c & 4) && !line.tck)
				rise(t, c & 2, c & 1);
			line.tck = c & 4;
		}
		if (bits && write(fd, out, bits) != (ssize_t)bits)
			return;
	}
}

static bool take(int fd, void *bytes, size_t n)
{
	return recv(fd, bytes, n, MSG_WAITALL) == (ssize_t)n;
}

static bool give(int fd, const void *bytes, size_t n)
{
	return write(fd, bytes, n) == (ssize_t)n;
}

#define MOST_BITS 4096

static bool serve_shift(const struct tap *t, int fd)
{
	uint8_t tms[MOST_BITS / 8], tdi[MOST_BITS / 8], out[MOST_BITS / 8] = { 0 }, n[4];
	uint32_t bits, bytes;

	if (!take(fd, n, 4))
		return false;
	bits = (uint32_t)n[0] | (uint32_t)n[1] << 8 | (uint32_t)n[2] << 16 | (uint32_t)n[3] << 24;
	bytes = (bits + 7) / 8;
	/* With a chain, the server accepts only a few bits at a time. */
	if (bits > (chained ? 24 : MOST_BITS) || !take(fd, tms, bytes) || !take(fd, tdi, bytes))
		return false;
	for (uint32_t i = 0; i < bits; i++) {
		out[i / 8] |= (uint8_t)(tdo() << i % 8);
		rise(t, tms[i / 8] >> i % 8 & 1, tdi[i / 8] >> i % 8 & 1);
	}
	return give(fd, out, bytes);
}

/* Serves XVC 1.0 (UG908, "User XVC 1.0 Commands"). */
static void serve_xvc(const struct tap *t, int fd)
{
	char info[64], word[8] = "";
	uint8_t period[4];
	bool ok = true;

	snprintf(info, sizeof(info), "xvcServer_v1.0:%d\n", chained ? 24 : MOST_BITS);
	while (ok && take(fd, word, 6)) {
		if (!memcmp(word, "shift:", 6))
			ok = serve_shift(t, fd);
		else if (!memcmp(word, "getinf", 6))
			ok = take(fd, word, 2) && give(fd, info, strlen(info));
		else
			ok = take(fd, word, 1) && take(fd, period, 4) && give(fd, period, 4);
	}
}

static int listen_anywhere(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&a, &size))
		return -1;
	printf("%u\n", ntohs(a.sin_port));
	fflush(stdout);
	fd = accept(fd, NULL, NULL);
	/* Otherwise the kernel may delay a small reply by 40 ms. */
	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void power_up(void)
{
	pmk_bus_init(&bus);
	pmk_signal_add(&bus.raised, PMK_SIG_CYCLE);
	pmk_signal_add(&bus.raised, PMK_SIG_INSN);
	arm11_tap.idcode = processor->idcode;
	arm11_at.ops = pmk_model_find(processor->pmu);
	arm11_at.ops->reset(&arm11, &bus, processor->pmu);
	blocks_reset(&bus);
	counters_at.ops = pmk_model_find(&pmk_microblaze);
	counters_at.ops->reset(&fpga.counters, &bus, &pmk_microblaze);
	behind = pmk_port_model(&counters_at);
	pmk_mdm_model_reset(&fpga.mdm, &pmk_mdm_defaults, &behind, 1);
	pmk_mdm_jtag_model_reset(&fpga.jtag, &fpga.mdm);
}

int main(int argc, char **argv)
{
	int fd;

	const struct tap *t = &arm11_tap;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "mdm"))
		t = &mdm_tap;
	chained = argc > 3 && !strcmp(argv[3], "chain");
	cycles_per_tck = strtoull(argv[2], NULL, 0);
	choose_processor(argv[1]);
	power_up();
	fd = listen_anywhere();
	if (fd < 0)
		return 1;
	if (!strcmp(argv[1], "closed"))
		pmk_arm11_model_input(&arm11, &bus, PMK_ARM11_IN_NIDEN, false);
	(argc > 3 ? serve_xvc : serve)(t, fd);
	printf("%llu\n", (unsigned long long)enabled_cycles);
	return 0;
}
