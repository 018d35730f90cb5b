// SPDX-License-Identifier: MIT
/*
 * The PMU of a 32-bit Arm processor, reached by that processor's own instructions. Freestanding;
 * see <pmk/native.h>.
 *
 * ARM11: MRC/MCR p15, 0, Rd, c15, c12, <op2> (DAI 0195B §2, DDI 0211, DDI 0301H §3.2.50-54).
 * PMUv3 in AArch32: c9, c12-c14 and c14, c8-c15 (DDI 0487 G8.4).
 *
 * The register number is part of the instruction, so every case of the switch has an instruction of
 * its own. These instructions have no encoding in 16-bit Thumb, so functions with ARM_STATE are
 * compiled as Arm code even if the rest of the program is 16-bit Thumb.
 */
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/dwt.h>
#include <pmk/native.h>

#ifdef __arm__
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

/*
 * M-profile has no CP15. The counters of the DWT are in memory, always at the same address. The DWT
 * of ARMv6-M and ARMv8-M Baseline has no counters: there the port returns PMK_ENOPMU.
 */
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
#define NO_COUNTERS 1
#else
#define NO_COUNTERS 0
#endif

static volatile uint32_t *word_address(unsigned reg)
{
	return (volatile uint32_t *)(PMK_DWT_BASE + pmk_dwt_offsets[reg]);
}

static int read_dwt(void *ctx, unsigned reg, uint64_t *value)
{
	(void)ctx;
	if (NO_COUNTERS)
		return PMK_ENOPMU;
	if (reg >= PMK_DWT_NREGS)
		return PMK_EBADREG;
	*value = *word_address(reg);
	return PMK_OK;
}

/* Writes a word. The DSB waits until the write has arrived at the device, before the next
 * instruction runs. */
static int write_dwt(void *ctx, unsigned reg, uint64_t value)
{
	(void)ctx;
	if (NO_COUNTERS)
		return PMK_ENOPMU;
	if (reg >= PMK_DWT_NREGS)
		return PMK_EBADREG;
	*word_address(reg) = (uint32_t)value;
	__asm__ volatile("dsb" ::: "memory");
	return PMK_OK;
}

struct pmk_port pmk_port_native(void)
{
	return (struct pmk_port){ .read = read_dwt, .write = write_dwt };
}

/* Checks, without an access, whether the counters can be accessed. An access takes a BusFault only
 * in unprivileged Thread mode. */
int pmk_native_probe(void)
{
	uint32_t ipsr, control;

	__asm__ volatile("mrs %0, ipsr" : "=r"(ipsr));
	__asm__ volatile("mrs %0, control" : "=r"(control));
	if (NO_COUNTERS)
		return PMK_ENOPMU;
	return !(ipsr & 0x1ff) && (control & 1) ? PMK_EUNDEF : PMK_OK;
}

bool pmk_native_fixup(uintptr_t *pc)
{
	(void)pc;
	return false;
}

#else /* not M-profile */

#if defined(__thumb__) && !defined(__thumb2__)
#define ARM_STATE __attribute__((target("arm")))
#else
#define ARM_STATE
#endif

/*
 * Because of volatile and "memory", the compiler keeps the accesses in order, also relative to the
 * code that they measure. ARM11 executes MCR and MRC to CP15 in program order with all other
 * instructions, and a write to PMNC takes effect by itself (counting starts three cycles later, DDI
 * 0211 PMNC). So no barrier is needed.
 */
#define MRC(crn, crm, op2) \
	__asm__ volatile("mrc p15, 0, %0, c" #crn ", c" #crm ", " #op2 : "=r"(v)::"memory")
#define MCR(crn, crm, op2) \
	__asm__ volatile("mcr p15, 0, %0, c" #crn ", c" #crm ", " #op2 ::"r"(v) : "memory")

ARM_STATE static int read_arm11(void *ctx, unsigned reg, uint64_t *value)
{
	uint32_t v;

	(void)ctx;
	switch (reg) {
	case PMK_ARM11_PMNC:
		MRC(15, 12, 0);
		break;
	case PMK_ARM11_CCNT:
		MRC(15, 12, 1);
		break;
	case PMK_ARM11_PMN0:
		MRC(15, 12, 2);
		break;
	case PMK_ARM11_PMN1:
		MRC(15, 12, 3);
		break;
	case PMK_ARM11_SUNAVCR:
		MRC(15, 9, 0);
		break;
	default:
		return PMK_EBADREG;
	}
	*value = v;
	return PMK_OK;
}

ARM_STATE static int write_arm11(void *ctx, unsigned reg, uint64_t value)
{
	uint32_t v = (uint32_t)value;

	(void)ctx;
	switch (reg) {
	case PMK_ARM11_PMNC:
		MCR(15, 12, 0);
		break;
	case PMK_ARM11_CCNT:
		MCR(15, 12, 1);
		break;
	case PMK_ARM11_PMN0:
		MCR(15, 12, 2);
		break;
	case PMK_ARM11_PMN1:
		MCR(15, 12, 3);
		break;
	case PMK_ARM11_SUNAVCR:
		MCR(15, 9, 0);
		break;
	default:
		return PMK_EBADREG;
	}
	return PMK_OK;
}

struct pmk_port pmk_port_native(void)
{
	return (struct pmk_port){ .read = read_arm11, .write = write_arm11 };
}

/*
 * The probe is written in assembly, so that pmk_native_fixup() knows the address of its MRC and the
 * instruction that follows. r0 is PMK_EUNDEF (-6) until the instruction after the MRC clears it. If
 * the MRC takes an exception, pmk_native_fixup() skips both instructions.
 */
_Static_assert(PMK_EUNDEF == -6, "the probe below has the number in it");

__asm__(".pushsection .text.pmk_native_probe, \"ax\", %progbits\n"
	"	.arm\n"
	"	.balign 4\n"
	"	.global pmk_native_probe\n"
	"	.type pmk_native_probe, %function\n"
	"pmk_native_probe:\n"
	"	mvn r0, #5\n"
	"	.global pmk_native_probe_access\n"
	"pmk_native_probe_access:\n"
	"	mrc p15, 0, r1, c15, c12, 0\n"
	"	mov r0, #0\n"
#if __ARM_ARCH >= 5 || defined(__ARM_ARCH_4T__)
	"	bx lr\n"
#else
	"	mov pc, lr\n"
#endif
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

#if __ARM_ARCH >= 7 && !defined(__ARM_ARCH_6__)

/* PMUv3 in AArch32: an MCR to the PMU takes effect for later instructions only after a context
 * synchronisation event (DDI 0487 G1.17), so there is an ISB after each write. An ISB before each
 * read keeps the read from running ahead of the code that it measures. */
#define ISB() __asm__ volatile("isb" ::: "memory")

#define EACH_8(X, r, c) X(r, c, 0) X(r, c, 1) X(r, c, 2) X(r, c, 3) X(r, c, 4) X(r, c, 5) X(r, c, 6)
#define EACH_31(X, r, c0, c1, c2, c3) \
	EACH_8(X, (r), c0)            \
	X((r), c0, 7)                 \
	EACH_8(X, (r) + 8, c1)        \
	X((r) + 8, c1, 7) EACH_8(X, (r) + 16, c2) X((r) + 16, c2, 7) EACH_8(X, (r) + 24, c3)
#define READ_CASE(r, c, n)     \
	case (r) + (n):        \
		MRC(14, c, n); \
		break;
#define WRITE_CASE(r, c, n)    \
	case (r) + (n):        \
		MCR(14, c, n); \
		break;

static int read_pmuv3(void *ctx, unsigned reg, uint64_t *value)
{
	uint32_t v, high = 0;

	(void)ctx;
	ISB();
	switch (reg) {
	case PMK_ARMV8_PMCR:
		MRC(9, 12, 0);
		break;
	case PMK_ARMV8_PMCNTENSET:
		MRC(9, 12, 1);
		break;
	case PMK_ARMV8_PMCNTENCLR:
		MRC(9, 12, 2);
		break;
	case PMK_ARMV8_PMOVSCLR:
		MRC(9, 12, 3);
		break;
	case PMK_ARMV8_PMSELR:
		MRC(9, 12, 5);
		break;
	case PMK_ARMV8_PMCEID0:
		MRC(9, 12, 6);
		break;
	case PMK_ARMV8_PMCEID1:
		MRC(9, 12, 7);
		break;
	case PMK_ARMV8_PMCCNTR:
		__asm__ volatile("mrrc p15, 0, %0, %1, c9" : "=r"(v), "=r"(high)::"memory");
		break;
	case PMK_ARMV8_PMXEVTYPER:
		MRC(9, 13, 1);
		break;
	case PMK_ARMV8_PMXEVCNTR:
		MRC(9, 13, 2);
		break;
	case PMK_ARMV8_PMUSERENR:
		MRC(9, 14, 0);
		break;
	case PMK_ARMV8_PMINTENSET:
		MRC(9, 14, 1);
		break;
	case PMK_ARMV8_PMINTENCLR:
		MRC(9, 14, 2);
		break;
	case PMK_ARMV8_PMOVSSET:
		MRC(9, 14, 3);
		break;
	case PMK_ARMV8_PMMIR:
		MRC(9, 14, 6);
		break;
	case PMK_ARMV8_PMCCFILTR:
		MRC(14, 15, 7);
		break;
	case PMK_ARMV8_DFR0: /* ID_DFR0.PerfMon [27:24]; 3 is PMUv3, which PMUVer calls 1 */
		MRC(0, 1, 2);
		v = v >> 24 & 15;
		v = (v == 3 ? 1 : v) << 8;
		break;
		EACH_31(READ_CASE, PMK_ARMV8_PMEVCNTR0, 8, 9, 10, 11)
		EACH_31(READ_CASE, PMK_ARMV8_PMEVTYPER0, 12, 13, 14, 15)
	default:
		return PMK_EBADREG;
	}
	*value = (uint64_t)high << 32 | v;
	return PMK_OK;
}

static int write_pmuv3(void *ctx, unsigned reg, uint64_t value)
{
	uint32_t v = (uint32_t)value;

	(void)ctx;
	switch (reg) {
	case PMK_ARMV8_PMCR:
		MCR(9, 12, 0);
		break;
	case PMK_ARMV8_PMCNTENSET:
		MCR(9, 12, 1);
		break;
	case PMK_ARMV8_PMCNTENCLR:
		MCR(9, 12, 2);
		break;
	case PMK_ARMV8_PMOVSCLR:
		MCR(9, 12, 3);
		break;
	case PMK_ARMV8_PMSWINC:
		MCR(9, 12, 4);
		break;
	case PMK_ARMV8_PMSELR:
		MCR(9, 12, 5);
		break;
	case PMK_ARMV8_PMCCNTR:
		__asm__ volatile("mcrr p15, 0, %0, %1, c9" ::"r"(v), "r"((uint32_t)(value >> 32))
				 : "memory");
		break;
	case PMK_ARMV8_PMXEVTYPER:
		MCR(9, 13, 1);
		break;
	case PMK_ARMV8_PMXEVCNTR:
		MCR(9, 13, 2);
		break;
	case PMK_ARMV8_PMUSERENR:
		MCR(9, 14, 0);
		break;
	case PMK_ARMV8_PMINTENSET:
		MCR(9, 14, 1);
		break;
	case PMK_ARMV8_PMINTENCLR:
		MCR(9, 14, 2);
		break;
	case PMK_ARMV8_PMOVSSET:
		MCR(9, 14, 3);
		break;
	case PMK_ARMV8_PMCCFILTR:
		MCR(14, 15, 7);
		break;
		EACH_31(WRITE_CASE, PMK_ARMV8_PMEVCNTR0, 8, 9, 10, 11)
		EACH_31(WRITE_CASE, PMK_ARMV8_PMEVTYPER0, 12, 13, 14, 15)
	default:
		return PMK_EBADREG;
	}
	ISB();
	return PMK_OK;
}

struct pmk_port pmk_port_cp15_pmuv3(void)
{
	return (struct pmk_port){ .read = read_pmuv3, .write = write_pmuv3 };
}

#endif
#endif
#endif
