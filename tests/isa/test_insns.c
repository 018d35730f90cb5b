// SPDX-License-Identifier: MIT
/*
 * Instruction facts against binutils: insns.s is assembled and disassembled by the cross tools, and
 * what an instruction reads, writes, accesses and jumps to is derived here from the text only,
 * without the encoding. Skipped (77) where the cross tools are missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <pmk/isa.h>

#define TOOL "arm-linux-gnueabi-"

/* The meaning of a mnemonic's operands. */
enum shape {
	DATA,	 /* first written, others read; Thumb's two-operand form also reads the first */
	COMPARE, /* all read */
	LONG,	 /* first two written, others read */
	ACCLONG, /* first two read as well */
	LOAD,
	LOAD2,
	STORE,
	STREX,
	LDM,
	STM,
	POP,
	PUSH,
	SWP,
	RFE,
	SRS,
	JUMP,
	CALL,
	BX,
	BLX,
	TRAP,
	PLD,
	READ,  /* core registers are read: MSR, MCR, moves to VFP */
	WRITE, /* core registers are written: MRC, moves from VFP */
	VMOV,  /* selected by the first operand */
	VLDR,
	VSTR,
	VLDM,
	VSTM,
	VPOP,
	VPUSH,
	COPROC_LD,
	COPROC_ST,
	NOTHING,
};

struct mnemonic {
	const char *names; /* separated by spaces */
	uint8_t shape, bytes;
	bool flags; /* an S may follow */
};

static const struct mnemonic mnemonics[] = {
	{ "and eor sub rsb add adc sbc rsc orr bic mov mvn lsl lsr asr ror rrx neg", DATA, 0,
	  true },
	{ "tst teq cmp cmn", COMPARE, 0, false },
	{ "mul mla", DATA, 0, true },
	{ "smull umull", LONG, 0, true },
	{ "smlal umlal umaal", ACCLONG, 0, true },
	{ "smlalbb smlalbt smlaltb smlaltt smlald smlaldx smlsld smlsldx", ACCLONG, 0, false },
	{ "smulbb smulbt smultb smultt smulwb smulwt smlabb smlabt smlatb smlatt smlawb smlawt "
	  "smuad smuadx smusd smusdx smlad smladx smlsd smlsdx smmul smmulr smmla smmlar smmls "
	  "smmlsr usad8 usada8 qadd qsub qdadd qdsub sel clz pkhbt pkhtb ssat usat ssat16 usat16 "
	  "sxtb sxtb16 sxth uxtb uxtb16 uxth sxtab sxtab16 sxtah uxtab uxtab16 uxtah rev rev16 "
	  "revsh",
	  DATA, 0, false },
	{ "sadd8 sadd16 ssub8 ssub16 sasx ssax qadd8 qadd16 qsub8 qsub16 qasx qsax shadd8 shadd16 "
	  "shsub8 shsub16 shasx shsax uadd8 uadd16 usub8 usub16 uasx usax uqadd8 uqadd16 uqsub8 "
	  "uqsub16 uqasx uqsax uhadd8 uhadd16 uhsub8 uhsub16 uhasx uhsax",
	  DATA, 0, false },
	{ "ldr ldrt ldrex", LOAD, 4, false },
	{ "ldrb ldrbt ldrsb ldrexb", LOAD, 1, false },
	{ "ldrh ldrsh ldrexh", LOAD, 2, false },
	{ "ldrd", LOAD2, 4, false },
	{ "ldrexd", LOAD2, 8, false },
	{ "str strt", STORE, 4, false },
	{ "strb strbt", STORE, 1, false },
	{ "strh", STORE, 2, false },
	{ "strd", STORE, 4, false },
	{ "strex", STREX, 4, false },
	{ "strexb", STREX, 1, false },
	{ "strexh", STREX, 2, false },
	{ "strexd", STREX, 8, false },
	{ "ldm ldmia ldmda ldmdb ldmib", LDM, 4, false },
	{ "stm stmia stmda stmdb stmib", STM, 4, false },
	{ "pop", POP, 4, false },
	{ "push", PUSH, 4, false },
	{ "swp", SWP, 4, false },
	{ "swpb", SWP, 1, false },
	{ "rfeia rfeda rfedb rfeib", RFE, 4, false },
	{ "srsia srsda srsdb srsib", SRS, 4, false },
	{ "b", JUMP, 0, false },
	{ "bl", CALL, 0, false },
	{ "bx bxj", BX, 0, false },
	{ "blx", BLX, 0, false },
	{ "svc bkpt udf smc", TRAP, 0, false },
	{ "pld", PLD, 0, false },
	{ "msr mcr mcr2 mcrr mcrr2 vmsr", READ, 0, false },
	{ "mrs mrc mrc2 mrrc mrrc2 vmrs", WRITE, 0, false },
	{ "vmov", VMOV, 0, false },
	{ "vldr", VLDR, 0, false },
	{ "vstr", VSTR, 0, false },
	{ "vldmia vldmdb fldmiax", VLDM, 0, false },
	{ "vstmia vstmdb fstmiax", VSTM, 0, false },
	{ "vpop", VPOP, 0, false },
	{ "vpush", VPUSH, 0, false },
	{ "ldc ldcl ldc2", COPROC_LD, 4, false },
	{ "stc stcl stc2", COPROC_ST, 4, false },
	{ "nop yield wfe wfi sev setend cps cpsie cpsid clrex cdp cdp2 vadd vsub vmul vmla vmls "
	  "vnmla vnmul vdiv vsqrt vabs vneg vcmp vcmpe vcvt vcvtr",
	  NOTHING, 0, false },
};

struct text {
	char name[32]; /* mnemonic without condition and data type */
	bool conditional, sets_flags;
	char operands[160];
	const struct mnemonic *m;
};

struct facts {
	uint32_t reads, writes;
	unsigned bytes, count;
	bool load, store, branch, pc;
};

/* ---- words ---------------------------------------------------------------------------------- */

static bool listed(const char *names, const char *name, size_t len)
{
	for (const char *p = names; *p;) {
		size_t n = strcspn(p, " ");

		if (n == len && strncmp(p, name, len) == 0)
			return true;
		p += n + strspn(p + n, " ");
	}
	return false;
}

static bool split_name(struct text *t)
{
	static const char conditions[] = "eq ne cs cc mi pl vs vc hi ls ge lt gt le";
	size_t len = strcspn(t->name, ".");

	for (size_t cond = 0; cond <= 2; cond += 2) {
		if (len <= cond || (cond && !listed(conditions, t->name + len - 2, 2)))
			continue;
		for (size_t s = 0; s <= 1; s++) {
			size_t base = len - cond - s;

			if (s && t->name[base] != 's')
				continue;
			for (size_t i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]); i++) {
				if ((!s || mnemonics[i].flags) &&
				    listed(mnemonics[i].names, t->name, base)) {
					t->m = &mnemonics[i];
					t->conditional = cond;
					t->sets_flags = s || mnemonics[i].shape == COMPARE;
					t->name[base] = 0;
					return true;
				}
			}
		}
	}
	return false;
}

static int core_register(const char *word, size_t len)
{
	static const char *const named[] = { "sl", "fp", "ip", "sp", "lr", "pc" };

	for (int i = 0; i < 6; i++)
		if (len == 2 && strncmp(word, named[i], 2) == 0)
			return 10 + i;
	if (len == 2 && word[0] == 'r' && word[1] >= '0' && word[1] <= '9')
		return word[1] - '0';
	return -1;
}

/* The core registers between two places of the text, in order; ranges are not expanded. */
static unsigned registers(const char *from, const char *to, int regs[20])
{
	unsigned n = 0;

	while (from < to) {
		size_t len = strspn(from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "0123456789_");
		int reg = core_register(from, len);

		if (reg >= 0 && n < 20)
			regs[n++] = reg;
		from += len ? len : 1;
	}
	return n;
}

static uint32_t mask(const int *regs, unsigned n)
{
	uint32_t m = 0;

	for (unsigned i = 0; i < n; i++)
		m |= 1u << regs[i];
	return m & 0x7fff;
}

/* Reads the number of VFP registers in a list such as "{s0-s3}", and their size. */
static void vfp_list(const char *operands, struct facts *f)
{
	const char *list = strchr(operands, '{');
	int first = 0, last = 0, n = sscanf(list, "{%*[sd]%d-%*[sd]%d", &first, &last);

	if (n < 2 && sscanf(list, "{%*[sd]%d, %*[sd]%d", &first, &last) < 2)
		last = first;
	f->bytes = list[1] == 'd' ? 8 : 4;
	f->count = (unsigned)(last - first + 1);
}

/* ---- meaning -------------------------------------------------------------------------------- */

static void addressing(const char *bracket, struct facts *f)
{
	const char *close = strchr(bracket, ']');
	int regs[20];
	unsigned n = registers(bracket, bracket + strlen(bracket), regs);

	f->reads |= mask(regs, n);
	/* "{8}" after the bracket is an option of a coprocessor, not an index. */
	if (close[1] == '!' || (close[1] == ',' && !strchr(close, '{')))
		f->writes |= mask(regs, 1);
}

static void memory(const struct text *t, struct facts *f)
{
	const char *bracket = strchr(t->operands, '[');
	int regs[20];
	unsigned n = registers(t->operands, bracket, regs);
	bool twice = strcmp(t->name, "ldrd") == 0 || strcmp(t->name, "strd") == 0;

	f->bytes = t->m->bytes;
	f->count = twice ? 2 : 1;
	if (t->m->shape == LOAD || t->m->shape == LOAD2) {
		/* objdump leaves the second register of a pair out */
		int regs2[] = { regs[0], regs[0] + 1 };

		f->load = true;
		f->pc = regs[0] == 15;
		f->writes = mask(regs2, t->m->shape == LOAD2 ? 2 : 1);
	} else if (t->m->shape == STREX) {
		int regs2[] = { regs[1], regs[1] + 1 };

		f->store = true;
		f->writes = mask(regs, 1);
		f->reads = mask(regs2, f->bytes == 8 ? 2 : 1);
	} else {
		int regs2[] = { regs[0], regs[0] + 1 };

		f->store = true;
		f->reads = mask(regs2, twice ? 2 : 1);
	}
	assert_true(n >= 1);
	addressing(bracket, f);
}

static void multiple(const struct text *t, struct facts *f)
{
	const char *list = strchr(t->operands, '{');
	bool load = t->m->shape == LDM || t->m->shape == POP;
	bool stack = t->m->shape == POP || t->m->shape == PUSH;
	int regs[20], base = 13;
	unsigned n;

	if (!stack && registers(t->operands, list, regs) == 1)
		base = regs[0];
	n = registers(list, list + strlen(list), regs);
	f->bytes = 4;
	f->count = n;
	f->load = load;
	f->store = !load;
	f->reads = 1u << base;
	*(load ? &f->writes : &f->reads) |= mask(regs, n);
	if (stack || memchr(t->operands, '!', (size_t)(list - t->operands)))
		f->writes |= 1u << base;
	f->pc = load && regs[n - 1] == 15;
}

static void vfp_memory(const struct text *t, struct facts *f)
{
	bool load = t->m->shape == VLDR || t->m->shape == VLDM || t->m->shape == VPOP;
	bool stack = t->m->shape == VPOP || t->m->shape == VPUSH;
	int regs[20];

	f->load = load;
	f->store = !load;
	if (t->m->shape == VLDR || t->m->shape == VSTR) {
		f->bytes = t->operands[0] == 'd' ? 8 : 4;
		f->count = 1;
		addressing(strchr(t->operands, '['), f);
		return;
	}
	vfp_list(t->operands, f);
	if (!stack)
		assert_int_equal(registers(t->operands, strchr(t->operands, '{'), regs), 1);
	f->reads = stack ? 1u << 13 : mask(regs, 1);
	if (stack || strchr(t->operands, '!'))
		f->writes = f->reads;
}

static void meaning(const struct text *t, bool thumb, struct facts *f)
{
	const char *o = t->operands, *end = o + strlen(o);
	int regs[20];
	unsigned n = registers(o, end, regs);

	memset(f, 0, sizeof(*f));
	switch ((enum shape)t->m->shape) {
	case DATA:
		f->writes = mask(regs, 1);
		f->reads = mask(regs + 1, n - 1);
		f->pc = regs[0] == 15;
		/*
		 * An instruction with two operands, like "add r0, r8", also reads the first one,
		 * unless it is a move.
		 */
		if (thumb && strchr(o, ',') == strrchr(o, ',') &&
		    !listed("mov mvn neg sxtb sxth uxtb uxth rev rev16 revsh", t->name,
			    strlen(t->name)))
			f->reads |= f->writes;
		break;
	case COMPARE:
		f->reads = mask(regs, n);
		break;
	case LONG:
	case ACCLONG:
		f->writes = mask(regs, 2);
		f->reads = t->m->shape == ACCLONG ? mask(regs, n) : mask(regs + 2, n - 2);
		break;
	case LOAD:
	case LOAD2:
	case STORE:
	case STREX:
		memory(t, f);
		break;
	case LDM:
	case STM:
	case POP:
	case PUSH:
		multiple(t, f);
		break;
	case SWP:
		f->load = f->store = true;
		f->bytes = t->m->bytes;
		f->count = 1;
		f->writes = mask(regs, 1);
		f->reads = mask(regs + 1, 2);
		break;
	case RFE:
	case SRS:
		f->load = f->pc = t->m->shape == RFE;
		f->store = !f->load;
		f->bytes = 4;
		f->count = 2;
		f->reads = mask(regs, 1) | (f->store ? 1u << 14 : 0);
		f->writes = strchr(o, '!') ? mask(regs, 1) : 0;
		break;
	case JUMP:
		f->branch = f->pc = true;
		break;
	case CALL:
		f->branch = f->pc = true;
		f->writes = 1u << 14;
		break;
	case BX:
	case BLX:
		f->branch = f->pc = true;
		f->reads = mask(regs, n);
		f->writes = t->m->shape == BLX ? 1u << 14 : 0;
		break;
	case TRAP:
		f->pc = true;
		break;
	case PLD:
		f->reads = mask(regs, n);
		break;
	case READ:
		f->reads = mask(regs, n);
		break;
	case WRITE:
		f->writes = mask(regs, n);
		break;
	case VMOV:
		*(o[0] == 'r' ? &f->writes : &f->reads) = mask(regs, n);
		break;
	case VLDR:
	case VSTR:
	case VLDM:
	case VSTM:
	case VPOP:
	case VPUSH:
		vfp_memory(t, f);
		break;
	case COPROC_LD:
	case COPROC_ST:
		f->load = t->m->shape == COPROC_LD;
		f->store = !f->load;
		f->bytes = 4;
		f->count = 1;
		addressing(strchr(o, '['), f);
		break;
	case NOTHING:
		break;
	}
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* "   4:\te21100ff \tands\tr0, r1, #255\t@ 0xff" */
static bool parse(const char *line, bool thumb, unsigned long *addr, uint32_t *word, unsigned *size,
		  struct text *t)
{
	unsigned first, second;
	char hex[24], rest[200];
	char *comment;

	memset(t, 0, sizeof(*t));
	if (sscanf(line, " %lx:\t%23[0-9a-f ]\t%199[^\n]", addr, hex, rest) != 3)
		return false;
	*size = 4;
	*word = (uint32_t)strtoul(hex, NULL, 16);
	if (thumb) {
		int halves = sscanf(hex, "%4x %4x", &first, &second);

		*size = halves == 2 ? 4 : 2;
		*word = halves == 2 ? second << 16 | first : first;
	}
	comment = strpbrk(rest, "@;<");
	if (comment)
		*comment = 0;
	sscanf(rest, "%31s %159[^\n]", t->name, t->operands);
	/* An alias has a comment with the real instruction; this test uses the alias. */
	return t->name[0] != 0;
}

/*
 * True if the text shows whether an instruction sets the flags. It does so only for data processing
 * and multiplies.
 */
static bool flags_in_text(const struct text *t)
{
	return t->m->flags || t->m->shape == COMPARE;
}

static void check(struct pmk_isa_arm *isa, const char *line, bool thumb, unsigned *checked)
{
	struct pmk_insn in;
	struct facts want;
	struct text t;
	unsigned long addr;
	uint32_t word;
	unsigned size;
	bool pc;

	if (!parse(line, thumb, &addr, &word, &size, &t))
		return;
	if (!split_name(&t))
		fail_msg("mnemonic not known to this test: %s", line);
	meaning(&t, thumb, &want);
	pmk_isa_arm_decode(isa, thumb, addr, &word, size, &in);
	/* objdump names a "mov r0, r0" after its effect. */
	if (strcmp(t.name, "nop") == 0 && (in.reads || in.writes))
		in.reads = in.writes = 0;
	/* test_arm.c checks the registers of VFP. */
	in.reads &= 0xffffffff;
	in.writes &= 0xffffffff;
	pc = in.flow != PMK_FLOW_NEXT;
	if (!in.decoded || in.reads != want.reads || in.writes != want.writes ||
	    in.load != want.load || in.store != want.store || in.mem_bytes != want.bytes ||
	    in.mem_count != want.count || in.is_branch != want.branch || pc != want.pc ||
	    in.conditional != t.conditional ||
	    (flags_in_text(&t) && !want.pc && in.sets_flags != t.sets_flags))
		fail_msg(
			"%sdecoded %d reads %llx, %x writes %llx, %x memory %d%d %dx%d, %d%d %dx%d "
			"branch %d, %d pc %d, %d conditional %d, %d flags %d, %d (ours, text)",
			line, in.decoded, (unsigned long long)in.reads, want.reads,
			(unsigned long long)in.writes, want.writes, in.load, in.store, in.mem_count,
			in.mem_bytes, want.load, want.store, want.count, want.bytes, in.is_branch,
			want.branch, pc, want.pc, in.conditional, t.conditional, in.sets_flags,
			t.sets_flags);
	++*checked;
}

#ifdef PMK_SOURCE_DIR
#define SOURCE PMK_SOURCE_DIR "/tests/isa/insns.s"
#else
#define SOURCE "tests/isa/insns.s"
#endif

static void test_against_binutils(void **state)
{
	char command[2048], line[256], object[] = P_tmpdir "/pmk-insns-XXXXXX";
	struct pmk_isa_arm *isa = pmk_isa_arm_new();
	unsigned arm = 0, thumb = 0;
	bool in_thumb = false;
	int fd = mkstemp(object);
	FILE *dis;

	(void)state;
	assert_non_null(isa);
	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command),
		 TOOL "as -march=armv6k+sec -mfpu=vfp -o %s '" SOURCE "' 2>/dev/null && " TOOL
		      "objdump -d %s; code=$?; rm -f %s; exit $code",
		 object, object, object);
	dis = popen(command, "r");
	assert_non_null(dis);
	while (fgets(line, sizeof(line), dis)) {
		if (strstr(line, "<thumb_start>:"))
			in_thumb = true;
		check(isa, line, in_thumb, in_thumb ? &thumb : &arm);
	}
	assert_int_equal(pclose(dis), 0);
	pmk_isa_arm_free(isa);
	print_message("%u A32 and %u Thumb instructions agree with binutils\n", arm, thumb);
	assert_true(arm > 400 && thumb > 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_against_binutils) };

	if (system("command -v " TOOL "as >/dev/null && command -v " TOOL "objdump >/dev/null") !=
	    0) {
		printf("skipped: no " TOOL "as or " TOOL "objdump\n");
		return 77;
	}
	if (access(SOURCE, R_OK) != 0) {
		printf("skipped: cannot read " SOURCE "\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
