// SPDX-License-Identifier: MIT
/*
 * The PMU of an AArch64 processor, reached by that processor's own instructions, MRS and MSR (DDI
 * 0487 D19.5). Freestanding; see <pmk/native.h>. The register number is part of the instruction, so
 * every case of the switch has an instruction of its own.
 */
#include <pmk/armv8.h>
#include <pmk/native.h>

#ifdef __aarch64__

/*
 * A write to a system register takes effect for later instructions only after a context
 * synchronisation event, and a read of a counter may run ahead of the code that it measures (DDI
 * 0487 D1.7, D13.5). Therefore there is an ISB after every write and before every read. Because of
 * volatile and "memory", the compiler keeps the accesses in order.
 */
#define ISB() __asm__ volatile("isb" ::: "memory")

#define MRS(name) __asm__ volatile("mrs %0, " name : "=r"(v)::"memory")
#define MSR(name) __asm__ volatile("msr " name ", %0" ::"r"(v) : "memory")

/* Cases for PMEVCNTR<n>_EL0 or PMEVTYPER<n>_EL0, n = 0 … 30. */
/* clang-format off */
#define EACH_31(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30)
/* clang-format on */
#define READ_COUNTER(n)                    \
	case PMK_ARMV8_PMEVCNTR0 + (n):    \
		MRS("pmevcntr" #n "_el0"); \
		break;
#define READ_TYPE(n)                        \
	case PMK_ARMV8_PMEVTYPER0 + (n):    \
		MRS("pmevtyper" #n "_el0"); \
		break;
#define WRITE_COUNTER(n)                   \
	case PMK_ARMV8_PMEVCNTR0 + (n):    \
		MSR("pmevcntr" #n "_el0"); \
		break;
#define WRITE_TYPE(n)                       \
	case PMK_ARMV8_PMEVTYPER0 + (n):    \
		MSR("pmevtyper" #n "_el0"); \
		break;

static int read_register(void *ctx, unsigned reg, uint64_t *value)
{
	uint64_t v;

	(void)ctx;
	ISB();
	switch (reg) {
	case PMK_ARMV8_PMCR:
		MRS("pmcr_el0");
		break;
	case PMK_ARMV8_PMCNTENSET:
		MRS("pmcntenset_el0");
		break;
	case PMK_ARMV8_PMCNTENCLR:
		MRS("pmcntenclr_el0");
		break;
	case PMK_ARMV8_PMOVSCLR:
		MRS("pmovsclr_el0");
		break;
	case PMK_ARMV8_PMSELR:
		MRS("pmselr_el0");
		break;
	case PMK_ARMV8_PMCEID0:
		MRS("pmceid0_el0");
		break;
	case PMK_ARMV8_PMCEID1:
		MRS("pmceid1_el0");
		break;
	case PMK_ARMV8_PMCCNTR:
		MRS("pmccntr_el0");
		break;
	case PMK_ARMV8_PMXEVTYPER:
		MRS("pmxevtyper_el0");
		break;
	case PMK_ARMV8_PMXEVCNTR:
		MRS("pmxevcntr_el0");
		break;
	case PMK_ARMV8_PMUSERENR:
		MRS("pmuserenr_el0");
		break;
	case PMK_ARMV8_PMOVSSET:
		MRS("pmovsset_el0");
		break;
	case PMK_ARMV8_PMINTENSET:
		MRS("pmintenset_el1");
		break;
	case PMK_ARMV8_PMINTENCLR:
		MRS("pmintenclr_el1");
		break;
	case PMK_ARMV8_PMMIR: /* PMMIR_EL1, which older assemblers do not know */
		MRS("s3_0_c9_c14_6");
		break;
	case PMK_ARMV8_PMCCFILTR:
		MRS("pmccfiltr_el0");
		break;
	case PMK_ARMV8_DFR0:
		MRS("id_aa64dfr0_el1");
		break;
		EACH_31(READ_COUNTER)
		EACH_31(READ_TYPE)
	default:
		return PMK_EBADREG;
	}
	*value = v;
	return PMK_OK;
}

static int write_register(void *ctx, unsigned reg, uint64_t v)
{
	(void)ctx;
	switch (reg) {
	case PMK_ARMV8_PMCR:
		MSR("pmcr_el0");
		break;
	case PMK_ARMV8_PMCNTENSET:
		MSR("pmcntenset_el0");
		break;
	case PMK_ARMV8_PMCNTENCLR:
		MSR("pmcntenclr_el0");
		break;
	case PMK_ARMV8_PMOVSCLR:
		MSR("pmovsclr_el0");
		break;
	case PMK_ARMV8_PMSWINC:
		MSR("pmswinc_el0");
		break;
	case PMK_ARMV8_PMSELR:
		MSR("pmselr_el0");
		break;
	case PMK_ARMV8_PMCCNTR:
		MSR("pmccntr_el0");
		break;
	case PMK_ARMV8_PMXEVTYPER:
		MSR("pmxevtyper_el0");
		break;
	case PMK_ARMV8_PMXEVCNTR:
		MSR("pmxevcntr_el0");
		break;
	case PMK_ARMV8_PMUSERENR:
		MSR("pmuserenr_el0");
		break;
	case PMK_ARMV8_PMOVSSET:
		MSR("pmovsset_el0");
		break;
	case PMK_ARMV8_PMINTENSET:
		MSR("pmintenset_el1");
		break;
	case PMK_ARMV8_PMINTENCLR:
		MSR("pmintenclr_el1");
		break;
	case PMK_ARMV8_PMCCFILTR:
		MSR("pmccfiltr_el0");
		break;
		EACH_31(WRITE_COUNTER)
		EACH_31(WRITE_TYPE)
	default:
		return PMK_EBADREG;
	}
	ISB();
	return PMK_OK;
}

struct pmk_port pmk_port_native(void)
{
	return (struct pmk_port){ .read = read_register, .write = write_register };
}

/* The probe is written in assembly, so that pmk_native_fixup() knows the address of its MRS and the
 * instruction that follows. w0 is PMK_EUNDEF until the instruction after the MRS clears it. If the
 * MRS takes an exception, pmk_native_fixup() skips both instructions. */
_Static_assert(PMK_EUNDEF == -6, "the probe below has the number in it");

__asm__(".pushsection .text.pmk_native_probe, \"ax\", %progbits\n"
	"	.balign 4\n"
	"	.global pmk_native_probe\n"
	"	.type pmk_native_probe, %function\n"
	"pmk_native_probe:\n"
	"	mov w0, #-6\n"
	"	.global pmk_native_probe_access\n"
	"pmk_native_probe_access:\n"
	"	mrs x1, pmcr_el0\n"
	"	mov w0, #0\n"
	"	ret\n"
	"	.size pmk_native_probe, . - pmk_native_probe\n"
	"	.popsection\n");

extern const char pmk_native_probe_access[];

bool pmk_native_fixup(uintptr_t *pc)
{
	if (*pc != (uintptr_t)pmk_native_probe_access)
		return false;
	*pc += 8;
	return true;
}

#endif
