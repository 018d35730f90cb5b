/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the slow paths of an ARM11 share. fetch.c has the instruction side, data.c the
 * data side, and leave.c the branches and the maintenance operations at the end of a block. flow.c
 * goes from one block to the next, and calls the functions of the other files.
 */
#ifndef PMK_CPU_ARM11_SLOW_H
#define PMK_CPU_ARM11_SLOW_H

#include "cpu/arm11/arm11.h"

#define LINES_PER_PAGE (1u << (PMK_PAGE_SHIFT - PMK_LINE_SHIFT))
#define LINE_BYTES     (1u << PMK_LINE_SHIFT)

struct translation {
	/* Cycles of a micro-TLB refill. They count as a stall of the side that requested it. */
	uint64_t refill;
	uint64_t
		/* Cycles of a table walk. They pass, but never count as a stall (DAI 0195B §4). */
		walk;
};

/* Translates a page after a micro-TLB miss, through the main TLB. If the main TLB also misses, the
 * core walks the translation table. */
static inline struct translation translate(struct pmk_cpu *cpu, uint32_t page)
{
	bool absent = pmk_tlb_fill_absent(&cpu->arm11.main_tlb, page);
	uint64_t all = -(uint64_t)absent; /* no branch: see pmk_tlb_holds() */

	cpu->dyn[PMK_SIG_TLB_MISS] += absent;
	return (struct translation){ .refill = cpu->core.utlb.penalty & ~all,
				     .walk = cpu->core.tlb.penalty & all };
}

/* Marks functions that change the bytes of a whole page in a map: 128 bytes, one per line. These
 * functions use vectors of 32 bytes if the host has them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* Eight bytes of a map as one number; multiplying a byte by EACH_BYTE repeats it eight times. */
typedef uint64_t __attribute__((may_alias)) map_word;
#define EACH_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))

static inline void unmap_page(uint8_t *map)
{
	map_word *word = (map_word *)map;

	for (unsigned i = 0; i < LINES_PER_PAGE / sizeof(*word); i++)
		word[i] &= ~EACH_BYTE(PMK_D_MAPPED);
}

static inline void unmap_code(struct pmk_cpu *cpu, uint64_t page)
{
	uint8_t *map = &cpu->arm11.imap[page * LINES_PER_PAGE];

	for (unsigned i = 0; i < LINES_PER_PAGE; i++)
		map[i] &= (uint8_t)~PMK_I_MAPPED;
}

/* Returns the cycles until a line arrives from memory, beyond all caches. */
static inline uint64_t read_memory(struct pmk_cpu *cpu, uint32_t line)
{
	return pmk_sdram_read(&cpu->arm11.sdram, &cpu->core, (uint64_t)line << PMK_LINE_SHIFT,
			      cpu->cycles);
}

static inline bool pmk_arm11_is_fetched(const struct pmk_cpu *cpu, uint32_t line)
{
	return cpu->arm11.imap[line] & PMK_I_PRESENT;
}

/* Fetches a line, on a core without unusual parameters for fetching (usual_fetch). Returns the
 * cycles until its critical word arrives. */
static inline uint64_t pmk_arm11_fetch_fill_usual(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t victim = pmk_cache_replace(&cpu->arm11.icache, line);

	cpu->dyn[PMK_SIG_L1I_FILL]++;
	cpu->arm11.imap[line] |= PMK_I_PRESENT | PMK_I_QUIET;
	if (victim != PMK_NO_LINE)
		cpu->arm11.imap[victim] &= PMK_I_MAPPED;
	return cpu->core.mem.latency;
}

static inline bool pmk_arm11_always_goes(const struct pmk_block *p)
{
	return !p->conditional && p->flow != PMK_FLOW_NEXT && p->flow != PMK_FLOW_EXCEPTION &&
	       p->flow != PMK_FLOW_MODE;
}

/* Fetches the lines of a block that is about to run. */
void pmk_arm11_fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b);

/* Fetches a line. Returns the cycles until its critical word arrives. */
uint64_t pmk_arm11_fetch_fill(struct pmk_cpu *cpu, uint32_t line);

/*
 * Speculatively fetches the lines of the `bytes` bytes at `from`, except the line of `done`, the
 * address of an instruction. `arrives` is false if the fetch is cancelled before it reaches the
 * bus.
 */
void pmk_arm11_fetch_ahead(struct pmk_cpu *cpu, uint32_t done, uint32_t from, uint64_t bytes,
			   bool arrives);

/* Fetches the shadow of the taken branch that ends `p`: the instructions after it. `arrives` is as
 * for pmk_arm11_fetch_ahead(). */
void pmk_arm11_fetch_shadow(struct pmk_cpu *cpu, const struct pmk_block *p, bool arrives);

/* Pushes the return address of a call on the return stack. */
void pmk_arm11_push_return(struct pmk_cpu *cpu, uint32_t addr);

/*
 * Accounts for the last branch of `p` when `b` starts. Called if the outcome was not as predicted,
 * or if the branch always takes the slow path.
 */
void pmk_arm11_leave_block(struct pmk_cpu *cpu, const struct pmk_block *p,
			   const struct pmk_block *b, bool taken);

/* Carries out the maintenance operations of the block that has ended (pmk_block.disturbs). */
PMK_SLOW void pmk_arm11_disturb(struct pmk_cpu *cpu, unsigned what);

#endif
