// SPDX-License-Identifier: MIT
/*
 * The facts of MicroBlaze instructions as text, for test_microblaze_binutils.py:
 *
 *	microblaze_facts little|big FILE
 *
 * FILE is code for address 0. The program prints a line for each word: "unknown", or key=value with
 * names as in <pmk/isa.h>. An IMM prefix also changes the facts of the next word. After a tab
 * follows the instruction as text, if it has a name.
 */
#include <stdio.h>
#include <string.h>

#include <pmk/isa.h>

#include "cpu/isa/text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const class_names[] = {
	[PMK_I_OTHER] = "OTHER",
	[PMK_I_ALU] = "ALU",
	[PMK_I_MUL] = "MUL",
	[PMK_I_DIV] = "DIV",
	[PMK_I_LOAD] = "LOAD",
	[PMK_I_STORE] = "STORE",
	[PMK_I_BRANCH] = "BRANCH",
	[PMK_I_BARREL] = "BARREL",
	[PMK_I_CACHE_OP] = "CACHE_OP",
	[PMK_I_FP_ADD] = "FP_ADD",
	[PMK_I_FP_MUL] = "FP_MUL",
	[PMK_I_FP_DIV] = "FP_DIV",
	[PMK_I_FP_SQRT] = "FP_SQRT",
	[PMK_I_FP_COMPARE] = "FP_COMPARE",
	[PMK_I_FP_TO_INT] = "FP_TO_INT",
	[PMK_I_FP_FROM_INT] = "FP_FROM_INT",
};

static const char *const flow_names[] = {
	[PMK_FLOW_NEXT] = "NEXT",	    [PMK_FLOW_JUMP] = "JUMP",
	[PMK_FLOW_CALL] = "CALL",	    [PMK_FLOW_INDIRECT] = "INDIRECT",
	[PMK_FLOW_INDCALL] = "INDCALL",	    [PMK_FLOW_RETURN] = "RETURN",
	[PMK_FLOW_EXCEPTION] = "EXCEPTION", [PMK_FLOW_MODE] = "MODE",
};

static const char *const sysop_names[] = {
	[PMK_SYS_NONE] = "",   [PMK_SYS_DSB] = "DSB", [PMK_SYS_ISB] = "ISB",
	[PMK_SYS_WFI] = "WFI", [PMK_SYS_TLB] = "TLB",
};

/* Names of the kinds, indexed by bit. */
static const char *const kind_names[] = {
	"ARITH",   "LOGICAL",	"MUL",	    "DIV",   "BARREL", "SHIFT",	 "FP",	    "PCMP",
	"SEXT",	   "IMM",	"WIC",	    "WDC",   "MSR",    "R1",	 "R1_DATA", "BR",
	"BR_COND", "BR_IMM",	"ABSOLUTE", "BREAK", "RETURN", "DELAY",	 "NOP",	    "MBAR",
	"SLEEP",   "BTC_FLUSH", "GET",	    "PUT",   "LONG",   "ALWAYS", "NEVER",
};

static const char *name(const char *const *names, size_t count, unsigned n)
{
	return n < count && names[n] ? names[n] : "?";
}

static void print_registers(const struct pmk_insn *in)
{
	const struct {
		char role;
		int reg;
	} roles[] = { { 'd', in->rd }, { 'n', in->rn }, { 'm', in->rm },
		      { 'a', in->ra }, { '?', in->rs }, { '?', in->rd2 } };

	for (size_t i = 0; i < COUNT(roles); i++)
		if (roles[i].reg != PMK_NO_REG)
			printf("%c%d,", roles[i].role, roles[i].reg);
}

static void print_facts(const struct pmk_insn *in)
{
	printf("class=%s flow=%s sysop=%s", name(class_names, COUNT(class_names), in->iclass),
	       name(flow_names, COUNT(flow_names), in->flow),
	       name(sysop_names, COUNT(sysop_names), in->sysop));
	printf(" kinds=");
	for (unsigned i = 0; i < COUNT(kind_names); i++)
		if (in->kind >> i & 1)
			printf("%s,", kind_names[i]);
	printf(" roles=");
	print_registers(in);
	printf(" reads=%llx writes=%llx", (unsigned long long)in->reads,
	       (unsigned long long)in->writes);
	printf(" facts=%s%s%s%s%s%s%s", in->conditional ? "c" : "", in->is_branch ? "b" : "",
	       in->sets_flags ? "s" : "", in->reads_flags ? "f" : "", in->exclusive ? "x" : "",
	       in->load ? "L" : "", in->store ? "S" : "");
	printf(" bytes=%u target=%llx", in->mem_bytes, (unsigned long long)in->target);
}

static void print_all(FILE *file, bool big_endian)
{
	uint8_t bytes[4];
	uint32_t before = 0;
	bool prefixed = false;

	for (uint64_t addr = 0; fread(bytes, sizeof(bytes), 1, file) == 1; addr += 4) {
		uint32_t word = pmk_isa_microblaze_word(bytes, big_endian);
		struct pmk_insn in;
		char text[64];

		pmk_isa_microblaze_decode(addr, word, &in);
		if (prefixed)
			pmk_isa_microblaze_imm(&in, before);
		prefixed = in.kind & PMK_MB_IMM;
		before = word;
		if (in.decoded)
			print_facts(&in);
		else
			fputs("unknown", stdout);
		printf("\t%s\n", pmk_isa_microblaze_text(word, text, sizeof(text)) ? text : "");
	}
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;

	if (!file) {
		fputs("usage: microblaze_facts little|big FILE\n", stderr);
		return 2;
	}
	print_all(file, strcmp(argv[1], "big") == 0);
	fclose(file);
	return 0;
}
