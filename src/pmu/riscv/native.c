// SPDX-License-Identifier: MIT
/*
 * Access to the counters of a RISC-V hart with its own instructions, csrr and csrw (PRIV 2.1).
 * Freestanding. See <pmk/native.h>. The register's address is part of the instruction, so every
 * register has a case with an instruction of its own. The address is written as a number, because
 * assemblers know the names of some of these registers only if the extension that added them is
 * enabled.
 *
 * No fence is needed: a hart performs its CSR accesses in program order (PRIV 2.1; "Zicsr", 9.1).
 * volatile and "memory" stop the compiler from reordering the accesses.
 */
#include <pmk/native.h>
#include <pmk/riscv.h>

#ifdef __riscv

/* clang-format off */
#define EACH(X) \
	X(PMK_RISCV_MCYCLE, 0xB00) X(PMK_RISCV_MINSTRET, 0xB02) \
	X(PMK_RISCV_MHPMCOUNTER3, 0xB03) X(PMK_RISCV_MHPMCOUNTER3 + 1, 0xB04) \
	X(PMK_RISCV_MHPMCOUNTER3 + 2, 0xB05) X(PMK_RISCV_MHPMCOUNTER3 + 3, 0xB06) \
	X(PMK_RISCV_MHPMEVENT3, 0x323) X(PMK_RISCV_MHPMEVENT3 + 1, 0x324) \
	X(PMK_RISCV_MHPMEVENT3 + 2, 0x325) X(PMK_RISCV_MHPMEVENT3 + 3, 0x326) \
	X(PMK_RISCV_MCOUNTINHIBIT, 0x320) X(PMK_RISCV_MCOUNTEREN, 0x306)
#define EACH_SHADOW(X) \
	X(PMK_RISCV_CYCLE, 0xC00) X(PMK_RISCV_INSTRET, 0xC02) \
	X(PMK_RISCV_HPMCOUNTER3, 0xC03) X(PMK_RISCV_HPMCOUNTER3 + 1, 0xC04) \
	X(PMK_RISCV_HPMCOUNTER3 + 2, 0xC05) X(PMK_RISCV_HPMCOUNTER3 + 3, 0xC06)
#if __riscv_xlen == 32
#define EACH_HIGH(X) \
	X(PMK_RISCV_MCYCLEH, 0xB80) X(PMK_RISCV_MINSTRETH, 0xB82) \
	X(PMK_RISCV_MHPMCOUNTER3H, 0xB83) X(PMK_RISCV_MHPMCOUNTER3H + 1, 0xB84) \
	X(PMK_RISCV_MHPMCOUNTER3H + 2, 0xB85) X(PMK_RISCV_MHPMCOUNTER3H + 3, 0xB86)
#define EACH_HIGH_SHADOW(X) \
	X(PMK_RISCV_CYCLEH, 0xC80) X(PMK_RISCV_INSTRETH, 0xC82) \
	X(PMK_RISCV_HPMCOUNTER3H, 0xC83) X(PMK_RISCV_HPMCOUNTER3H + 1, 0xC84) \
	X(PMK_RISCV_HPMCOUNTER3H + 2, 0xC85) X(PMK_RISCV_HPMCOUNTER3H + 3, 0xC86)
#else
#define EACH_HIGH(X)
#define EACH_HIGH_SHADOW(X)
#endif
/* clang-format on */

#define READ(reg, csr)                                                  \
	case reg:                                                       \
		__asm__ volatile("csrr %0, " #csr : "=r"(v)::"memory"); \
		break;
#define WRITE(reg, csr)                                                    \
	case reg:                                                          \
		__asm__ volatile("csrw " #csr ", %0" ::"r"(v) : "memory"); \
		break;

static int read_csr(void *ctx, unsigned reg, uint64_t *value)
{
	unsigned long v;

	(void)ctx;
	switch (reg) {
		EACH(READ)
		EACH_SHADOW(READ)
		EACH_HIGH(READ)
		EACH_HIGH_SHADOW(READ)
	default:
		return PMK_EBADREG;
	}
	*value = v;
	return PMK_OK;
}

static int write_csr(void *ctx, unsigned reg, uint64_t value)
{
	unsigned long v = (unsigned long)value;

	(void)ctx;
	switch (reg) {
		EACH(WRITE)
		EACH_HIGH(WRITE)
	default:
		return PMK_EBADREG;
	}
	return PMK_OK;
}

struct pmk_port pmk_port_native(void)
{
	return (struct pmk_port){ .read = read_csr, .write = write_csr };
}

#endif
