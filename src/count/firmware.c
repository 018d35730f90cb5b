// SPDX-License-Identifier: MIT
/* Builds the emulator's command line for the firmware of a Cortex-M, whose board pmk chooses. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/board.h"
#include "count/emulated_machine.h"
#include "count/program.h"
#include "profile/elf.h"

/* The position of the firmware, compared with the memory of its board. */
struct firmware {
	const struct pmk_board *board;
	/* Lowest address of its contents. If `has_table`, a vector table is there, which begins
	 * with the stack pointer and the address of the first instruction. */
	uint64_t start;
	bool has_table;
	uint64_t sp, reset;
	/* If `absent`, the firmware has data at `absent_at`, where the board has no memory. */
	uint64_t absent_at;
	bool absent;
};

struct search {
	struct firmware *f;
	bool bad; /* the board has no memory at `bad_at`, where the file has contents */
	uint64_t bad_at;
};

/* True if the board has memory at [first, first + size). Otherwise, *at is the first address
 * without memory. */
static bool has_memory(const struct pmk_board *b, uint64_t first, uint64_t size, uint64_t *at)
{
	*at = first;
	for (const struct pmk_memory *m = b->memory; m->last; m++) {
		if (first < m->first || first > m->last)
			continue;
		if (size <= m->last - first + 1)
			return true;
		*at = m->last + 1;
	}
	return false;
}

static uint32_t word_at(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Compares the segment with the memory of the board. */
static void look_at_memory(struct search *s, const struct pmk_elf_segment *seg)
{
	struct firmware *f = s->f;
	uint64_t at;

	if (seg->bytes && !s->bad && !has_memory(f->board, seg->load, seg->bytes, &at)) {
		s->bad = true;
		s->bad_at = at;
	}
	if (seg->size && !f->absent && !has_memory(f->board, seg->addr, seg->size, &at)) {
		f->absent = true;
		f->absent_at = at;
	}
}

static bool look_at_segment(void *ctx, const struct pmk_elf_segment *seg)
{
	struct search *s = ctx;
	struct firmware *f = s->f;

	if (f->board)
		look_at_memory(s, seg);
	if (seg->bytes < 8 || seg->load >= f->start)
		return true;
	f->start = seg->load;
	f->sp = word_at(seg->contents);
	f->reset = word_at(seg->contents + 4);
	return true;
}

static bool has_reset(void *ctx, const struct pmk_elf_segment *seg)
{
	struct search *s = ctx;
	uint64_t pc = s->f->reset - 1;

	s->f->has_table = seg->executable && pc >= seg->addr && pc - seg->addr < seg->size;
	return !s->f->has_table;
}

static void list_memory(const struct pmk_board *b, char *text, size_t size)
{
	size_t n = 0;

	for (const struct pmk_memory *m = b->memory; m->last && n < size; m++)
		n += (size_t)snprintf(text + n, size - n, "%s0x%" PRIx64 "-0x%" PRIx64,
				      m == b->memory ? "" : ", ", m->first, m->last);
}

/* Fills *s->f, except for `board`. */
static void look_at_file(struct search *s, const char *path)
{
	struct firmware *f = s->f;

	*f = (struct firmware){ .board = f->board, .start = UINT64_MAX };
	pmk_elf_segments(path, look_at_segment, s);
	/* The lowest bit of an address of code is set, and a stack pointer is a multiple of 4. */
	if (f->reset & 1 && !(f->sp & 3))
		pmk_elf_segments(path, has_reset, s);
}

bool pmk_program_lacks_table(const struct pmk_program *p, char *text, size_t size)
{
	struct firmware f = { .board = NULL };
	struct search s = { .f = &f };

	if (p->alone || !p->image || !pmk_elf_is_microcontroller(&p->elf))
		return false;
	look_at_file(&s, p->image);
	/* QEMU's boards have the table at a multiple of 16M. */
	if (f.has_table || !(f.start & 0xffffff))
		return false;
	snprintf(text, size,
		 "%s has no vector table, so the processor finds no code to start with, and locks "
		 "up; %sadd -semihosting -device loader,addr=0x%" PRIx64 ",cpu-num=0 to QEMU's "
		 "command line",
		 p->image, *p->given_by ? "without `qemu`, pmk starts it at its entry; or " : "",
		 p->elf.entry | 1);
	return true;
}

/* Fills *f, except for `board`. Returns false if the firmware cannot run; `why` is then the
 * reason and the remedy, to be printed after the file's name. */
static bool place_firmware(struct firmware *f, const char *path, char *why, size_t size)
{
	struct search s = { .f = f };
	char memory[256];
	uint64_t at;

	look_at_file(&s, path);
	if (!s.bad && (!f->has_table || (f->sp && has_memory(f->board, f->sp - 1, 1, &at))))
		return true;
	list_memory(f->board, memory, sizeof(memory));
	snprintf(why, size,
		 "%s0x%" PRIx64 ", where QEMU's board %s has no memory (it has %s); link it for "
		 "these addresses, or name another board with `qemu` 'qemu-system-arm -M BOARD "
		 "-kernel %s'",
		 s.bad ? "has contents at " : "its vector table sets the stack pointer to ",
		 s.bad ? s.bad_at : f->sp, f->board->name, memory, path);
	return false;
}

/* ---- the emulator's command line ------------------------------------------------------------- */

/* Returns the word after -semihosting-config, with the firmware's name and arguments. A comma ends
 * a value; two commas stand for one. The caller frees it. NULL: out of memory. */
static char *semihosting_config(char *const *argv)
{
	static const char head[] = "enable=on,target=native";
	size_t size = sizeof(head);
	char *word, *to;

	for (unsigned i = 0; argv[i]; i++)
		size += strlen(",arg=") + 2 * strlen(argv[i]);
	word = to = malloc(size);
	if (!word)
		return NULL;
	to += sprintf(to, "%s", head);
	for (unsigned i = 0; argv[i]; i++) {
		to += sprintf(to, ",arg=");
		for (const char *c = argv[i]; *c; c++) {
			*to++ = *c;
			if (*c == ',')
				*to++ = ',';
		}
	}
	*to = '\0';
	return word;
}

/* The address of CPACR, and its bits that enable the FPU: DDI 0403E B3.2.20. */
#define CPACR	  0xe000ed88
#define CPACR_FPU 0x00f00000
/* A free place in the memory of an mps2-an505, at its end. */
#define STUB	  0x003fffe0

/* Let QEMU's loader set the PC. */
static int load_pc(struct pmk_program *p, uint64_t pc)
{
	char loader[64];

	snprintf(loader, sizeof(loader), "loader,addr=0x%" PRIx64 ",cpu-num=0", pc);
	return pmk_program_add(p, (const char *const[]){ "-device", loader, NULL });
}

/* Let QEMU's loader write a value of `bytes` bytes to memory. */
static int load_value(struct pmk_program *p, uint64_t addr, uint64_t value, unsigned bytes)
{
	char loader[96];

	snprintf(loader, sizeof(loader),
		 "loader,addr=0x%" PRIx64 ",data=0x%" PRIx64 ",data-len=%u,cpu-num=0", addr, value,
		 bytes);
	return pmk_program_add(p, (const char *const[]){ "-device", loader, NULL });
}

/* Load a stub of four instructions that enable the FPU in CPACR and branch to the entry: LDR r0,
 * LDR r1, STR, LDR pc. A NOP and the three words that they load follow. */
static int load_stub(struct pmk_program *p)
{
	int err = load_value(p, STUB, UINT64_C(0xf8df600149034802), 8);

	if (!err)
		err = load_value(p, STUB + 8, (uint64_t)CPACR << 32 | 0xbf00f00c, 8);
	if (!err)
		err = load_value(p, STUB + 16, (p->elf.entry | 1) << 32 | CPACR_FPU, 8);
	return err ? err : load_pc(p, STUB | 1);
}

/* Start firmware that has no vector table at its entry. Newlib's linker script places programs for
 * a debugger at 0x8000, without a vector table: the debugger writes the PC, and crt0 asks for the
 * stack by semihosting. Here QEMU's loader writes the PC, and enables the FPU, which crt0 does not
 * do. On a Cortex-M33 the loader would write the CPACR of the non-secure state, but the firmware
 * runs in the secure state. The processor executes only Thumb code, but linkers may leave the
 * lowest bit of an entry 0. */
static int enter_at_entry(struct pmk_program *p)
{
	int err;

	if (p->elf.arm.fp && !strcmp(p->core.qemu_cpu, "cortex-m33"))
		return load_stub(p);
	/* Setting the PC resets the processor, so it comes first. */
	err = load_pc(p, p->elf.entry | 1);
	return !err && p->elf.arm.fp ? load_value(p, CPACR, CPACR_FPU, 4) : err;
}

/* CCR of an ARMv6-M, whose bit UNALIGN_TRP is always 1: DDI 0419 B3.2.8. */
#define CCR	  0xe000ed14
#define CCR_ARMV6 0x208

/* Let accesses that are not aligned fault, as they do on a Cortex-M0. Its firmware runs on QEMU's
 * Cortex-M3, because no board with a Cortex-M0 has enough memory. */
static int check_alignment(struct pmk_program *p)
{
	return !strcmp(p->core.qemu_cpu, "cortex-m0") ? load_value(p, CCR, CCR_ARMV6, 4) : 0;
}

/* Writes why this core was chosen. The file's attributes do not distinguish all processors. */
static const char *reason_of_core(const struct pmk_program *p, char *text, size_t size)
{
	static const struct {
		const char *core;
		uint64_t arch; /* 0: any */
		const char *reason;
	} rows[] = {
		{ "cortex-m0", 0,
		  ", by the ELF attributes, which are the same for a Cortex-M0+ (`core` "
		  "cortex-m0plus)" },
		{ "cortex-m4", 0,
		  ", by the ELF attributes, which are the same for a Cortex-M7 (`core` "
		  "cortex-m7)" },
		{ "cortex-m33", PMK_ARM_V8M_BASELINE,
		  ", because pmk has no model of a Cortex-M23, for which it was compiled" },
	};

	if (p->core_chosen)
		return "";
	if (!strcmp(p->elf.cpu, p->core.name))
		return ", for which it was compiled";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !*p->elf.cpu; i++)
		if (!strcmp(rows[i].core, p->core.name) &&
		    (!rows[i].arch || rows[i].arch == p->elf.arm.arch))
			return rows[i].reason;
	if (!*p->elf.cpu || pmk_emulated_machine_exists(p->elf.cpu))
		return ", by the ELF attributes";
	snprintf(text, size, ", because pmk has no model of a %s, for which it was compiled",
		 p->elf.cpu);
	return text;
}

/* Let QEMU take the vector table from `start`. The boards of a Cortex-M33 set its address
 * themselves. For them, the first two words of the table (stack pointer and first instruction) are
 * enough, because firmware for ARMv8-M sets VTOR. */
static int move_table(struct pmk_program *p, const struct firmware *f)
{
	char table[64];

	if (!strcmp(p->core.qemu_cpu, "cortex-m33")) {
		int err = load_value(p, f->board->flash, f->reset << 32 | f->sp, 8);

		return err ? err : load_pc(p, f->reset);
	}
	snprintf(table, sizeof(table), "armv7m.init-nsvtor=0x%" PRIx64, f->start);
	return pmk_program_add(p, (const char *const[]){ "-global", table, NULL });
}

/* Let the firmware start as on its board. A vector table must be at a multiple of 128, because the
 * lowest seven bits of VTOR are 0. Writes to `text` what is unusual about the start. */
static int set_start(struct pmk_program *p, const struct firmware *f, char *text, size_t size)
{
	*text = '\0';
	if (f->has_table && f->start == f->board->flash)
		return 0;
	if (f->has_table && !(f->start & 127)) {
		snprintf(text, size, ", with its vector table at 0x%" PRIx64, f->start);
		return move_table(p, f);
	}
	snprintf(text, size,
		 ", from its entry 0x%" PRIx64 ", because there is no vector table at 0x%" PRIx64,
		 p->elf.entry & ~UINT64_C(1), f->start);
	return enter_at_entry(p);
}

static void set_note(struct pmk_program *p, const struct firmware *f, const char *start)
{
	char reason[128], absent[128] = "";

	if (f->absent)
		snprintf(absent, sizeof(absent),
			 "; it has data at 0x%" PRIx64 ", where the board has no memory",
			 f->absent_at);
	snprintf(p->note, sizeof(p->note),
		 "ran on QEMU's board %s as %s%s%s%s; firmware ends with semihosting's SYS_EXIT, "
		 "or with `timeout`",
		 f->board->name, p->core.name, reason_of_core(p, reason, sizeof(reason)), start,
		 absent);
}

int pmk_program_firmware(struct pmk_program *p, char *const *argv)
{
	struct firmware f = {
		.board = pmk_board_of_firmware(p->core.qemu_cpu, p->elf.code_start),
	};
	char icount[32], start[128], why[768], *config;
	int err;

	if (!f.board)
		return pmk_count_refuse(p->fault,
					"pmk knows no board for core %s; give one with `qemu` "
					"'qemu-system-arm -M BOARD -kernel %s'",
					p->core.name, argv[0]);
	err = pmk_program_check_core(p);
	if (err)
		return err;
	if (!place_firmware(&f, p->image, why, sizeof(why)))
		return pmk_count_fail(p->fault, PMK_COUNT_NOT_EXEC, "%s: %s", argv[0], why);
	config = semihosting_config(argv);
	if (!config)
		return pmk_count_no_memory(p->fault);
	snprintf(icount, sizeof(icount), "shift=%u,sleep=off", f.board->shift);
	err = pmk_program_add(p, (const char *const[]){ "qemu-system-arm", "-plugin", "@plugin@",
							"-M", f.board->name, "-kernel", p->image,
							"-display", "none", "-monitor", "none",
							"-serial", "stdio", "-icount", icount,
							"-semihosting-config", config, NULL });
	free(config);
	if (!err)
		err = set_start(p, &f, start, sizeof(start));
	if (!err)
		err = check_alignment(p);
	if (err)
		return err;
	set_note(p, &f, start);
	return pmk_program_find_emulator(p);
}

/* Let time in the emulated machine follow the instructions, as for firmware whose board pmk
 * chooses, unless the user's command line has -icount already. */
int pmk_program_set_clock(struct pmk_program *p)
{
	char icount[32];

	if (!p->image || !pmk_elf_is_microcontroller(&p->elf) || pmk_program_counts_time(p))
		return 0;
	snprintf(icount, sizeof(icount), "shift=%u,sleep=off", pmk_board_shift(p->argv.word));
	snprintf(p->note, sizeof(p->note),
		 "pmk added -icount %s to QEMU's command line, so that time follows the "
		 "instructions",
		 icount);
	return pmk_program_add(p, (const char *const[]){ "-icount", icount, NULL });
}

/* ---- faults ---------------------------------------------------------------------------------- */

struct code {
	uint64_t addr;
	uint32_t bits; /* two halfwords, the first one in the upper half */
};

static bool read_code(void *ctx, const struct pmk_elf_segment *seg)
{
	struct code *c = ctx;
	uint64_t at = c->addr - seg->addr;

	if (c->addr < seg->addr || at >= seg->bytes || seg->bytes - at < 2)
		return true;
	c->bits = (uint32_t)(seg->contents[at] | seg->contents[at + 1] << 8) << 16;
	if (seg->bytes - at >= 4)
		c->bits |= word_at(seg->contents + at) >> 16;
	return false;
}

/* Returns why the instruction at `pc` took a fault, and what to do. */
static const char *reason_of_fault(const struct pmk_program *p, uint64_t pc)
{
	static const struct {
		uint32_t mask, value; /* DDI 0403E A5.2 and A5.3 */
		const char *reason;
	} rows[] = {
		{ 0xffff0000, 0xbeab0000,
		  "; the instruction is a semihosting call: add -semihosting to QEMU's command "
		  "line" },
		{ 0xff000000, 0xbe000000,
		  "; the instruction is a breakpoint, but there is no debugger" },
		{ 0xff000000, 0xde000000,
		  "; the instruction is undefined, as that of __builtin_trap()" },
		{ 0xec000e00, 0xec000a00,
		  "; the instruction needs the FPU: bits 20 to 23 of CPACR, 0xe000ed88, "
		  "enable it" },
		{ 0xffd0f0f0, 0xfb90f0f0,
		  "; the instruction divides by zero, and DIV_0_TRP of CCR is set" },
	};
	struct code c = { .addr = pc };

	pmk_elf_segments(p->image, read_code, &c);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((c.bits & rows[i].mask) == rows[i].value)
			return rows[i].reason;
	return "; if the instruction is a load or store, the board has no memory at its address, "
	       "or the address is not aligned";
}

void pmk_program_explain_fault(const struct pmk_program *p, const struct pmk_cpu_trap *trap,
			       struct pmk_fault_text *text)
{
	struct pmk_functions *all;
	const char *name = NULL;
	uint64_t begin;
	char msg[128];

	*text = (struct pmk_fault_text){ "", "" };
	if (!p->image || trap->pc == UINT64_MAX)
		return;
	if (!pmk_functions_load(&all, p->image, msg, sizeof(msg))) {
		name = pmk_functions_at(all, trap->pc, &begin);
		if (name)
			snprintf(text->place, sizeof(text->place), " in %s", name);
		pmk_functions_free(all);
	}
	if (trap->jumped)
		text->why = "; there is no code at the address to which it jumps, or the address "
			    "is even, as that of a null pointer";
	else if (!name)
		text->why = "; no function is there: a pointer to a function may be wrong";
	else
		text->why = reason_of_fault(p, trap->pc);
}
