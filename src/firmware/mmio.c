// SPDX-License-Identifier: MIT
/*
 * A port to memory-mapped registers. Freestanding; see <pmk/native.h>.
 *
 * Device memory keeps the order of accesses to one peripheral, so the accesses arrive in the order
 * in which the driver makes them. A write may still be on its way when the next instruction runs.
 * Where the processor has a barrier that waits for the write, this port puts one after each write,
 * so that counting has begun when start() returns.
 */
#include <pmk/native.h>

#include <stddef.h>

#include <pmk/error.h>

static void complete_write(void)
{
#if defined(__aarch64__)
	__asm__ volatile("dsb sy" ::: "memory");
#elif defined(__ARM_ARCH) && __ARM_ARCH >= 7
	__asm__ volatile("dsb" ::: "memory");
#elif defined(__ARM_ARCH) && __ARM_ARCH == 6 && (!defined(__thumb__) || defined(__thumb2__))
	/* Data Synchronization Barrier of ARMv6, allowed in user mode (DDI 0301H §3.2.22). */
	__asm__ volatile("mcr p15, 0, %0, c7, c10, 4" ::"r"(0) : "memory");
#endif
	/* Older processors have no such barrier: on ARMv5, for example, only privileged code may
	 * drain the write buffer. There the next read of the same peripheral waits for the write,
	 * and drivers read before they rely on a write. */
}

static volatile uint32_t *word_address(const struct pmk_mmio *m, unsigned reg)
{
	if (reg >= m->noffsets || m->offset[reg] == PMK_MMIO_NONE)
		return NULL;
	return (volatile uint32_t *)(m->base + m->offset[reg]);
}

static bool is_wide(const struct pmk_mmio *m, unsigned reg)
{
	return m->wide && (m->wide[reg / 32] >> reg % 32 & 1);
}

/* Reads a 64-bit register. The low and the high half are two accesses: between them the low half
 * wraps at most once. */
static uint64_t read_wide(volatile uint32_t *w)
{
	uint32_t high = w[1], low, again;

	for (;;) {
		low = w[0];
		again = w[1];
		if (again == high)
			return (uint64_t)high << 32 | low;
		high = again;
	}
}

static int read_register(void *ctx, unsigned reg, uint64_t *value)
{
	const struct pmk_mmio *m = ctx;
	volatile uint32_t *w = word_address(m, reg);

	if (!w)
		return PMK_EBADREG;
	*value = is_wide(m, reg) ? read_wide(w) : *w;
	return PMK_OK;
}

static int write_register(void *ctx, unsigned reg, uint64_t value)
{
	const struct pmk_mmio *m = ctx;
	volatile uint32_t *w = word_address(m, reg);

	if (!w)
		return PMK_EBADREG;
	if (is_wide(m, reg)) {
		/* The low half is set to 0 first, so that no carry changes the new upper half. */
		w[0] = 0;
		w[1] = (uint32_t)(value >> 32);
	}
	w[0] = (uint32_t)value;
	complete_write();
	return PMK_OK;
}

struct pmk_port pmk_port_mmio(struct pmk_mmio *mmio)
{
	return (struct pmk_port){ .read = read_register, .write = write_register, .ctx = mmio };
}
