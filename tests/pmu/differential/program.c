// SPDX-License-Identifier: MIT
/* Names and numbers of cores, boards, registers and operations. Encodings: DDI 0487, C5.3, D23. */
#include "program.h"

#include <string.h>

static const struct core cores[] = {
	{ "cortex-a53", &pmk_cortex_a53, 1, 0x03, { 0x00020101, 0x00000000 }, false, 0 },
	{ "neoverse-n1", &pmk_neoverse_n1, 4, 0x0C, { 0x00020101, 0x00000018 }, false, 1 },
	{ "max", &pmk_armv8, 6, 0x01, { 0x00020101, 0x10000018 }, true, 2 },
};

static const struct board boards[] = {
	{ "el1", "virt", false, false },
	{ "el2", "virt,virtualization=on", true, false },
	{ "el3", "virt,secure=on", false, true },
	{ "el2-el3", "virt,secure=on,virtualization=on", true, true },
};

const struct core *core_find(const char *name)
{
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (!strcmp(cores[i].name, name))
			return &cores[i];
	return NULL;
}

const struct board *board_find(const char *name)
{
	for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++)
		if (!strcmp(boards[i].name, name))
			return &boards[i];
	return NULL;
}

/* clang-format off */
static const char *const names[NREGISTERS] = {
	[PMK_ARMV8_PMCR] = "PMCR_EL0",             [PMK_ARMV8_PMCNTENSET] = "PMCNTENSET_EL0",
	[PMK_ARMV8_PMCNTENCLR] = "PMCNTENCLR_EL0", [PMK_ARMV8_PMOVSCLR] = "PMOVSCLR_EL0",
	[PMK_ARMV8_PMSWINC] = "PMSWINC_EL0",       [PMK_ARMV8_PMSELR] = "PMSELR_EL0",
	[PMK_ARMV8_PMCEID0] = "PMCEID0_EL0",       [PMK_ARMV8_PMCEID1] = "PMCEID1_EL0",
	[PMK_ARMV8_PMCCNTR] = "PMCCNTR_EL0",       [PMK_ARMV8_PMXEVTYPER] = "PMXEVTYPER_EL0",
	[PMK_ARMV8_PMXEVCNTR] = "PMXEVCNTR_EL0",   [PMK_ARMV8_PMUSERENR] = "PMUSERENR_EL0",
	[PMK_ARMV8_PMOVSSET] = "PMOVSSET_EL0",     [PMK_ARMV8_PMINTENSET] = "PMINTENSET_EL1",
	[PMK_ARMV8_PMINTENCLR] = "PMINTENCLR_EL1", [PMK_ARMV8_PMMIR] = "PMMIR_EL1",
	[PMK_ARMV8_PMCCFILTR] = "PMCCFILTR_EL0",   [PMK_ARMV8_DFR0] = "ID_AA64DFR0_EL1",
	[MDCR_EL2] = "MDCR_EL2", [HCR_EL2] = "HCR_EL2", [MDCR_EL3] = "MDCR_EL3",
		[SCR_EL3] = "SCR_EL3",
};

const uint8_t dumped[NDUMPED] = {
	PMK_ARMV8_PMCR, PMK_ARMV8_PMCNTENSET, PMK_ARMV8_PMOVSCLR, PMK_ARMV8_PMINTENSET,
		PMK_ARMV8_PMSELR,
	PMK_ARMV8_PMUSERENR, PMK_ARMV8_PMCCNTR, PMK_ARMV8_PMCCFILTR,
	PMK_ARMV8_PMEVCNTR0 + 0, PMK_ARMV8_PMEVTYPER0 + 0,
	PMK_ARMV8_PMEVCNTR0 + 1, PMK_ARMV8_PMEVTYPER0 + 1,
	PMK_ARMV8_PMEVCNTR0 + 2, PMK_ARMV8_PMEVTYPER0 + 2,
	PMK_ARMV8_PMEVCNTR0 + 3, PMK_ARMV8_PMEVTYPER0 + 3,
	PMK_ARMV8_PMEVCNTR0 + 4, PMK_ARMV8_PMEVTYPER0 + 4,
	PMK_ARMV8_PMEVCNTR0 + 5, PMK_ARMV8_PMEVTYPER0 + 5,
};
/* clang-format on */

const char *register_name(unsigned reg, char text[24])
{
	if (reg >= PMK_ARMV8_PMEVTYPER0 && reg < PMK_ARMV8_NREGS)
		snprintf(text, 24, "PMEVTYPER%u_EL0", reg - PMK_ARMV8_PMEVTYPER0);
	else if (reg >= PMK_ARMV8_PMEVCNTR0 && reg < PMK_ARMV8_NREGS)
		snprintf(text, 24, "PMEVCNTR%u_EL0", reg - PMK_ARMV8_PMEVCNTR0);
	else
		snprintf(text, 24, "%s", reg < NREGISTERS ? names[reg] : "interrupt");
	return text;
}

void op_print(FILE *f, const struct op *op)
{
	char name[24];

	switch ((enum op_kind)op->kind) {
	case OP_RESET:
		fprintf(f, "reset\n");
		break;
	case OP_READ:
		fprintf(f, "read  %s\n", register_name(op->reg, name));
		break;
	case OP_WRITE:
		fprintf(f, "write %s = 0x%llx\n", register_name(op->reg, name),
			(unsigned long long)op->value);
		break;
	case OP_PENDING:
		fprintf(f, "interrupt?\n");
		break;
	case OP_LOOP:
		fprintf(f, "loop  %llu times\n", (unsigned long long)op->value);
		break;
	case OP_DOWN:
		fprintf(f, "ERET  EL%u to EL%u\n", op->from, op->to);
		break;
	case OP_UP:
		fprintf(f, "%s\n", op->value == SVC ? "SVC" : op->value == HVC ? "HVC" : "SMC");
		break;
	case OP_DUMP:
		fprintf(f, "read all\n");
		break;
	}
}
