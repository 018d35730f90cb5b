// SPDX-License-Identifier: MIT
/*
 * The running core agrees with a plain oracle.
 *
 * The core keeps presence maps, prediction words and generations so that an access without effect
 * costs nothing. The oracle has none of these. It has arrays of lines, pages and 2-bit counters,
 * and searches them at every access. It implements DAI 0195B sections 3 to 8, ARM1176JZF-S TRM (DDI
 * 0301H) 5.1-5.3, 6.4, 7.2, 16.3 and the choices in cpu.h, cache.h, tlb.h and branch.h. Random
 * programs run through both on many geometries, and every counter must agree. Cycles are not
 * compared with the oracle, but test_cpu_cases.c and the pipeline's tests check them. Cycles and
 * all counters must also equal those of a second core that uses none of the shortcuts in
 * pmk_arm11_block_slow() and pmk_arm11_load_slow().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define UNIT_SANITIZED 40
#include "../../unit.h"
#include "../ages.h"
#include "cpu/arm11/arm11.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* ---- the oracle: storage ------------------------------------------------------------------- */

struct line {
	bool valid, dirty[2]; /* dirty: for each half of 16 bytes */
	uint32_t number;      /* address / 32 */
};

struct cache {
	unsigned sets, ways;
	struct line *line; /* [set * ways + way] */
	uint32_t turn, random;
	bool round_robin;
	struct ages ages;
};

static void cache_init(struct cache *c, const struct pmk_core *core, uint64_t size, uint64_t ways,
		       uint64_t policy)
{
	c->ways = (unsigned)ways;
	c->sets = (unsigned)(size / 32 / ways);
	c->line = calloc(c->sets * c->ways, sizeof(*c->line));
	assert_non_null(c->line);
	c->random = (uint32_t)core->cache.seed;
	policy = policy ? policy : core->cache.policy;
	c->round_robin = core->cache.round_robin && !policy;
	ages_init(&c->ages, (unsigned)policy, (size_t)c->sets * c->ways);
}

static void cache_fini(struct cache *c)
{
	free(c->line);
	ages_fini(&c->ages);
}

/* Looks up a line, and marks it as used if it is present. */
static struct line *cache_find(struct cache *c, uint32_t number)
{
	struct line *set = &c->line[number % c->sets * c->ways];

	for (unsigned w = 0; w < c->ways; w++) {
		if (!set[w].valid || set[w].number != number)
			continue;
		ages_use(&c->ages, (size_t)(&set[w] - c->line));
		return &set[w];
	}
	return NULL;
}

/*
 * Returns the way for a new line: invalid ways first; otherwise round robin over all sets, or the
 * generator that cache.h declares.
 */
static struct line *cache_victim(struct cache *c, uint32_t number)
{
	struct line *set = &c->line[number % c->sets * c->ways];
	unsigned way;

	for (unsigned w = 0; w < c->ways; w++)
		if (!set[w].valid)
			return &set[w];
	way = ages_victim(&c->ages, (size_t)(set - c->line), c->ways);
	if (way < c->ways)
		return &set[way];
	if (c->round_robin)
		return &set[c->turn++ % c->ways];
	c->random ^= c->random << 13;
	c->random ^= c->random >> 17;
	c->random ^= c->random << 5;
	return &set[(c->random >> 8) % c->ways];
}

static void cache_put(struct cache *c, struct line *place, struct line line)
{
	*place = line;
	ages_fill(&c->ages, (size_t)(place - c->line));
}

struct tlb {
	unsigned sets, ways;
	struct {
		bool valid;
		uint32_t page;
	} * entry;
	unsigned *turn;
};

static void tlb_init(struct tlb *t, uint64_t entries, uint64_t ways)
{
	t->ways = (unsigned)ways;
	t->sets = (unsigned)(entries / ways);
	t->entry = calloc(entries, sizeof(*t->entry));
	t->turn = calloc(t->sets, sizeof(*t->turn));
	assert_true(t->entry && t->turn);
}

static void tlb_fini(struct tlb *t)
{
	free(t->entry);
	free(t->turn);
}

/* Looks up a page, and adds it if it is absent. Returns true if it was present. */
static bool tlb_look(struct tlb *t, uint32_t page)
{
	unsigned s = page % t->sets;

	for (unsigned w = 0; w < t->ways; w++)
		if (t->entry[s * t->ways + w].valid && t->entry[s * t->ways + w].page == page)
			return true;
	t->entry[s * t->ways + t->turn[s]].valid = true;
	t->entry[s * t->ways + t->turn[s]].page = page;
	t->turn[s] = (t->turn[s] + 1) % t->ways;
	return false;
}

/* ---- the oracle: a core -------------------------------------------------------------------- */

struct oracle {
	const struct pmk_core *core;
	struct cache icache, dcache;
	struct tlb itlb, dtlb, main_tlb;
	struct {
		bool valid;
		uint32_t addr;
		int state;
	} btac[4096];
	uint32_t stack[16];
	unsigned depth;
	struct cache l2;
	/* Level 2's read buffers by port (line numbers + 1), and the number of fills by port. */
	uint32_t held[2][8];
	unsigned turn[2];
	uint32_t store_missed; /* number + 1 of the last store miss, until the line is filled */
	bool (*is_device)(const struct pmk_cpu *cpu, uint64_t addr);
	uint64_t n[PMK_NSIGNALS];
};

static void oracle_init(struct oracle *o, const struct pmk_core *core)
{
	memset(o, 0, sizeof(*o));
	o->core = core;
	cache_init(&o->icache, core, core->icache.size, core->icache.ways, core->icache.policy);
	cache_init(&o->dcache, core, core->dcache.size, core->dcache.ways, core->dcache.policy);
	cache_init(&o->l2, core, core->l2.size, core->l2.ways, core->l2.policy);
	tlb_init(&o->itlb, core->utlb.entries, core->utlb.entries);
	tlb_init(&o->dtlb, core->utlb.entries, core->utlb.entries);
	tlb_init(&o->main_tlb, core->tlb.entries, core->tlb.ways);
}

static void oracle_fini(struct oracle *o)
{
	cache_fini(&o->icache);
	cache_fini(&o->dcache);
	cache_fini(&o->l2);
	tlb_fini(&o->itlb);
	tlb_fini(&o->dtlb);
	tlb_fini(&o->main_tlb);
}

/* Allocates a line in level 2. */
static struct line *level2_bring(struct oracle *o, uint32_t number)
{
	struct line *l = cache_victim(&o->l2, number);

	if (l->valid)
		o->n[PMK_SIG_L2CC_EVICT_HALF] += l->dirty[0] + l->dirty[1];
	cache_put(&o->l2, l, (struct line){ .valid = true, .number = number });
	return l;
}

static void level2_read(struct oracle *o, bool data, uint32_t number)
{
	unsigned buffers = (unsigned)o->core->arm11.l2_buffers;

	if (!o->core->l2.type)
		return;
	for (unsigned i = 0; i < buffers; i++)
		if (o->held[data][i] == number + 1)
			return;
	if (buffers)
		o->held[data][o->turn[data]++ % buffers] = number + 1;
	o->n[data ? PMK_SIG_L2CC_DATA_READ : PMK_SIG_L2CC_INSN_READ]++;
	if (cache_find(&o->l2, number))
		o->n[data ? PMK_SIG_L2CC_DATA_READ_HIT : PMK_SIG_L2CC_INSN_READ_HIT]++;
	else
		level2_bring(o, number);
}

static void level2_write(struct oracle *o, uint32_t addr, uint32_t bytes)
{
	bool through = o->core->dcache.wt;
	struct line *l = cache_find(&o->l2, addr >> 5);

	if (!o->core->l2.type)
		return;
	for (unsigned i = 0; i < 16; i++)
		if (o->held[i / 8][i % 8] == (addr >> 5) + 1)
			o->held[i / 8][i % 8] = 0;
	o->n[through ? PMK_SIG_L2CC_WT_WRITE : PMK_SIG_L2CC_DATA_WRITE]++;
	o->n[PMK_SIG_L2CC_DATA_WRITE_HIT] += l != NULL;
	if (!l && !through && o->core->arm11.l2_write_allocate) {
		o->n[PMK_SIG_L2CC_WRITE_ALLOC]++;
		l = level2_bring(o, addr >> 5);
	}
	for (uint32_t i = 0; l && !through && i < bytes; i++)
		l->dirty[(addr + i) / 16 % 2] = true;
}

/* Writes the dirty halves of a line that leaves level 1, as one write. */
static void level2_write_back(struct oracle *o, const struct line *l)
{
	if (l->dirty[0] || l->dirty[1])
		level2_write(o, l->number * 32 + (l->dirty[0] ? 0 : 16),
			     l->dirty[0] && l->dirty[1] ? 32 : 16);
}

static void translate(struct oracle *o, struct tlb *micro, unsigned sig, uint32_t page)
{
	if (!o->core->mmu || tlb_look(micro, page))
		return;
	o->n[sig]++;
	if (!tlb_look(&o->main_tlb, page))
		o->n[PMK_SIG_TLB_MISS]++;
}

/* Requests an instruction line. With `fill`, the line is also filled. */
static void fetch_line(struct oracle *o, uint32_t number, bool fill)
{
	if (cache_find(&o->icache, number))
		return;
	o->n[PMK_SIG_L1I_MISS]++;
	if (!fill)
		return;
	o->n[PMK_SIG_L1I_FILL]++;
	level2_read(o, false, number);
	cache_put(&o->icache, cache_victim(&o->icache, number),
		  (struct line){ .valid = true, .number = number });
}

/* Fetches a block, instruction by instruction: pages first, then lines. */
static void fetch(struct oracle *o, uint32_t from, uint32_t bytes)
{
	uint32_t last = from + bytes - 1;

	translate(o, &o->itlb, PMK_SIG_MICRO_ITLB_MISS, from >> 12);
	translate(o, &o->itlb, PMK_SIG_MICRO_ITLB_MISS, last >> 12);
	if (!o->core->icache.on)
		return;
	for (uint64_t a = from & ~31u; a <= last; a += 32)
		fetch_line(o, (uint32_t)(a >> 5), true);
}

/* Fetches lines ahead, from `from` on. The line of the branch itself has already been fetched. */
static void speculate(struct oracle *o, uint32_t branch, uint32_t from, uint64_t bytes,
		      bool arrives)
{
	if (!o->core->icache.on || !o->core->arm11.shadow || !bytes)
		return;
	for (uint64_t a = from & ~31u; a < from + bytes; a += 32)
		if (a >> 5 != branch >> 5)
			fetch_line(o, (uint32_t)(a >> 5), arrives);
}

static void touch(struct oracle *o, uint32_t addr, uint32_t bytes, bool write)
{
	const struct pmk_core *c = o->core;
	struct line *l;
	bool cached, again;

	o->n[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	o->n[PMK_SIG_L1D_ACCESS]++;
	translate(o, &o->dtlb, PMK_SIG_MICRO_DTLB_MISS, addr >> 12);
	cached = c->dcache.on && !(o->is_device && o->is_device(NULL, addr));
	o->n[PMK_SIG_L1D_ACCESS_WB] += cached;
	l = cached ? cache_find(&o->dcache, addr >> 5) : NULL;
	again = cached && !l && write && !c->arm11.store_miss_each &&
		o->store_missed == (addr >> 5) + 1;
	if (cached && !l && (write || o->store_missed == (addr >> 5) + 1))
		o->store_missed = write && !c->arm11.write_allocate ? (addr >> 5) + 1 : 0;
	if (!l && !again && (cached || c->arm11.miss_uncached)) {
		o->n[PMK_SIG_L1D_MISS]++;
		o->n[write ? PMK_SIG_L1D_WRITE_MISS : PMK_SIG_L1D_READ_MISS]++;
	}
	if (!cached) {
		o->n[PMK_SIG_DATA_EXTERNAL]++;
		if (!o->is_device || !o->is_device(NULL, addr)) {
			if (write)
				level2_write(o, addr, bytes);
			else
				level2_read(o, true, addr >> 5);
		}
		return;
	}
	if (!l && (!write || c->arm11.write_allocate)) {
		l = cache_victim(&o->dcache, addr >> 5);
		level2_read(o, true, addr >> 5); /* before the victim is written back */
		if (l->valid) {
			level2_write_back(o, l);
			o->n[PMK_SIG_L1D_WB_HALF] += l->dirty[0] + l->dirty[1];
			o->n[PMK_SIG_L1D_EVICT] += l->dirty[0] || l->dirty[1];
		}
		cache_put(&o->dcache, l, (struct line){ .valid = true, .number = addr >> 5 });
		o->n[PMK_SIG_DATA_EXTERNAL]++; /* the line fill */
		if (write && c->dcache.wt) {
			o->n[PMK_SIG_DATA_EXTERNAL]++;
			level2_write(o, addr, bytes);
		}
	} else if (write && c->dcache.wt) {
		level2_write(o, addr, bytes);
		/*
		 * A write-through store is one external access. No geometry combines write-through
		 * with dcache.store_miss_external off.
		 */
		o->n[PMK_SIG_DATA_EXTERNAL] += l || c->arm11.store_miss_external;
	} else if (write && !l) {
		level2_write(o, addr, bytes);
		o->n[PMK_SIG_DATA_EXTERNAL] += c->arm11.store_miss_external;
	}
	if (write && l && !c->dcache.wt)
		for (uint32_t i = 0; i < bytes; i++)
			l->dirty[(addr + i) / 16 % 2] = true;
}

/*
 * Models one access, or several sequential ones: each line that is touched counts as an access (DAI
 * 0195B §7).
 */
static void access_bytes(struct oracle *o, uint32_t addr, uint32_t bytes, bool write)
{
	while (bytes) {
		uint32_t here = 32 - addr % 32;

		if (here > bytes)
			here = bytes;
		touch(o, addr, here, write);
		addr += here;
		bytes -= here;
	}
}

static void push(struct oracle *o, uint32_t addr)
{
	if (!o->core->bp.on || !o->core->rs.on)
		return;
	o->n[PMK_SIG_CALL_PUSH]++;
	if (o->depth == o->core->rs.entries)
		memmove(o->stack, o->stack + 1, --o->depth * sizeof(o->stack[0]));
	o->stack[o->depth++] = addr;
}

/* How the program leaves a block. */
struct leaving {
	uint32_t at, fall, target; /* addresses of the branch, the next instruction, the target */
	enum pmk_flow flow;
	bool conditional, is_branch, taken;
	uint32_t encoded; /* target of a direct branch, taken or not */
};

static void leave_direct(struct oracle *o, const struct leaving *l)
{
	const struct pmk_core *c = o->core;
	unsigned i = l->at / 8 % (unsigned)c->bp.entries;
	bool hit = c->bp.on && c->arm11.bp_dynamic && o->btac[i].valid && o->btac[i].addr == l->at;
	bool likely = !l->conditional || (l->flow == PMK_FLOW_JUMP && l->encoded <= l->at);
	bool say = hit ? o->btac[i].state >= 2 : c->bp.on && c->arm11.bp_static && likely;

	/*
	 * The instructions after the branch are fetched unless the table redirected the fetch in
	 * time.
	 */
	if (l->taken && !(hit && say))
		speculate(o, l->at, l->fall, c->arm11.shadow_bytes, true);
	if (say != l->taken)
		o->n[PMK_SIG_BRANCH_MISS]++;
	if (say && !l->taken && c->arm11.shadow == 2)
		speculate(o, l->at, l->encoded, c->arm11.wrong_bytes, true);
	if (l->taken && l->flow == PMK_FLOW_CALL)
		push(o, l->fall);
	if (hit) {
		o->btac[i].state += l->taken ? o->btac[i].state < 3 : -(o->btac[i].state > 0);
	} else if (l->taken && c->bp.on && c->arm11.bp_dynamic) {
		o->btac[i].valid = true;
		o->btac[i].addr = l->at;
		o->btac[i].state = 2;
	}
}

static void leave_return(struct oracle *o, const struct leaving *l)
{
	const struct pmk_core *c = o->core;
	bool popped = c->bp.on && c->rs.on && o->depth > 0;
	bool predicted = popped && !l->conditional;
	bool right = predicted && o->stack[o->depth - 1] == l->target;

	if (popped) {
		o->n[PMK_SIG_RET_POP]++;
		if (!predicted || right)
			o->depth--; /* after a wrong prediction, the stack keeps its entry */
	}
	if (predicted) {
		o->n[PMK_SIG_RET_PREDICTED] += right || !c->arm11.ret_exclusive;
		o->n[PMK_SIG_RET_MISS] += !right;
	}
	speculate(o, l->at, l->fall, c->arm11.shadow_bytes, !right);
	if (!right)
		o->n[PMK_SIG_BRANCH_MISS] += l->is_branch || predicted || c->arm11.pc_writes;
}

static void leave(struct oracle *o, const struct leaving *l)
{
	switch (l->flow) {
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		return;
	case PMK_FLOW_JUMP:
	case PMK_FLOW_CALL:
		leave_direct(o, l);
		break;
	case PMK_FLOW_RETURN:
		if (l->taken)
			leave_return(o, l);
		break;
	case PMK_FLOW_INDIRECT:
	case PMK_FLOW_INDCALL:
		if (!l->taken)
			return;
		speculate(o, l->at, l->fall, o->core->arm11.shadow_bytes, true);
		o->n[PMK_SIG_BRANCH_MISS] += l->is_branch || o->core->arm11.pc_writes;
		if (l->flow == PMK_FLOW_INDCALL)
			push(o, l->fall);
		break;
	}
	o->n[PMK_SIG_PC_CHANGE] += l->taken;
}

/* Raises the events that an instruction counts whenever it is executed. */
static void execute(struct oracle *o, const struct pmk_insn *in)
{
	bool leaves = in->flow != PMK_FLOW_NEXT && in->flow != PMK_FLOW_EXCEPTION &&
		      in->flow != PMK_FLOW_MODE;

	o->n[PMK_SIG_INSN]++;
	o->n[PMK_SIG_BRANCH] += in->is_branch || (leaves && o->core->arm11.pc_writes);
	o->n[PMK_SIG_WBUF_DRAIN] +=
		in->sysop == PMK_SYS_DSB || (in->sysop == PMK_SYS_DMB && o->core->arm11.dmb_drains);
}

/* ---- random programs ----------------------------------------------------------------------- */

#define MAX_LENGTH 64
#define MAX_BLOCKS 700

struct code_block {
	unsigned n;
	struct pmk_insn insn[MAX_LENGTH];
	struct pmk_pipe_slot slot[MAX_LENGTH];
	const struct pmk_block *block;
	struct pmk_facts *facts;
	int next;	/* index of the following block */
	int target;	/* index of the block that a direct branch goes to */
	unsigned habit; /* percentage of executions in which the branch is taken */
	bool vector;
};

struct program {
	struct code_block b[MAX_BLOCKS];
	int n;
	int vector; /* index of the block at an exception vector */
	struct pmk_code code;
	struct pmk_facts facts[MAX_BLOCKS];
};

struct shape {
	unsigned segments, blocks; /* blocks: number per segment */
	unsigned length;	   /* the most instructions of a block */
	uint32_t spacing;	   /* distance between segments */
	unsigned pages;		   /* number of data pages */
};

static struct pmk_insn plain_insn(uint32_t addr, unsigned size)
{
	return (struct pmk_insn){ .addr = addr,
				  .size = (uint8_t)size,
				  .iclass = PMK_I_ALU,
				  .decoded = true,
				  .rd = 1,
				  .rd2 = -1,
				  .rn = 2,
				  .rm = -1,
				  .rs = -1,
				  .ra = -1,
				  .reads = 4,
				  .writes = 2 };
}

static void make_memory(struct pmk_insn *in)
{
	static const uint8_t sizes[] = { 1, 2, 4, 4, 4, 8 };
	unsigned kind = pick(10);

	in->mem_count = 1;
	in->mem_bytes = sizes[pick(COUNT(sizes))];
	in->conditional = pick(6) == 0;
	if (kind < 4) {
		in->iclass = PMK_I_LOAD;
		in->load = true;
	} else if (kind < 7) {
		in->iclass = PMK_I_STORE;
		in->store = true;
		in->exclusive = pick(8) == 0;
	} else if (kind < 9) {
		in->store = pick(2);
		in->load = !in->store;
		in->iclass = in->store ? PMK_I_STOREM : PMK_I_LOADM;
		in->mem_bytes = 4;
		in->mem_count = (uint8_t)(2 + pick(14));
		in->list = (uint16_t)((1u << in->mem_count) - 1);
	} else {
		in->iclass = PMK_I_SWAP;
		in->load = in->store = true;
		in->mem_bytes = pick(2) ? 4 : 1;
	}
}

static void make_leaving(struct pmk_insn *in, bool last_of_segment)
{
	static const uint8_t flows[] = { PMK_FLOW_NEXT,	   PMK_FLOW_JUMP,     PMK_FLOW_JUMP,
					 PMK_FLOW_JUMP,	   PMK_FLOW_CALL,     PMK_FLOW_CALL,
					 PMK_FLOW_RETURN,  PMK_FLOW_RETURN,   PMK_FLOW_INDIRECT,
					 PMK_FLOW_INDCALL, PMK_FLOW_EXCEPTION };

	static const uint8_t away[] = { PMK_FLOW_JUMP, PMK_FLOW_RETURN, PMK_FLOW_INDIRECT };

	in->flow = last_of_segment ? away[pick(COUNT(away))] : flows[pick(COUNT(flows))];
	if (in->flow == PMK_FLOW_NEXT)
		return;
	*in = (struct pmk_insn){ .addr = in->addr,
				 .size = in->size,
				 .flow = in->flow,
				 .iclass = PMK_I_BRANCH,
				 .decoded = true,
				 .is_branch = true,
				 .rd = -1,
				 .rd2 = -1,
				 .rn = -1,
				 .rm = -1,
				 .rs = -1,
				 .ra = -1 };
	if (in->flow == PMK_FLOW_EXCEPTION) {
		in->is_branch = false;
		in->iclass = PMK_I_OTHER;
		return;
	}
	in->conditional = !last_of_segment && pick(3) > 0;
	if (in->flow >= PMK_FLOW_INDIRECT && pick(3) == 0) { /* a data processing write of the PC */
		in->is_branch = false;
		in->iclass = PMK_I_ALU;
	}
}

static void make_block(struct code_block *b, uint32_t *at, unsigned longest, bool last)
{
	unsigned size = pick(4) ? 4 : 2;

	b->n = 1 + pick(longest);
	for (unsigned i = 0; i < b->n; i++) {
		b->insn[i] = plain_insn(*at, size);
		if (pick(3) == 0)
			make_memory(&b->insn[i]);
		else if (pick(40) == 0)
			b->insn[i].sysop = pick(2) ? PMK_SYS_DSB : PMK_SYS_DMB;
		*at += size;
	}
	make_leaving(&b->insn[b->n - 1], last);
	b->habit = pick(3) ? (pick(2) ? 95 : 8) : pick(101);
}

/* Adds a block that begins in the middle of `whole` and ends with the same branch. */
static void make_tail(struct program *p, const struct code_block *whole)
{
	struct code_block *b = &p->b[p->n];
	unsigned from = pick(whole->n);

	*b = *whole;
	b->n -= from;
	memmove(b->insn, b->insn + from, b->n * sizeof(b->insn[0]));
	p->n++;
}

static void make_vector(struct program *p)
{
	struct code_block *b = &p->b[p->n];

	*b = (struct code_block){ .n = 3, .next = -1, .target = -1, .vector = true };
	for (unsigned i = 0; i < 3; i++)
		b->insn[i] = plain_insn(0xFFFF0018 + 4 * i, 4);
	b->insn[2].flow = PMK_FLOW_MODE;
	p->vector = p->n++;
}

static void make_program(struct program *p, const struct pmk_core *core, const struct shape *s)
{
	int straight;

	p->n = 0;
	for (unsigned k = 0; k < s->segments; k++) {
		uint32_t at = 0x8000 + k * s->spacing + 4 * pick(8);

		for (unsigned i = 0; i < s->blocks; i++) {
			bool last = i + 1 == s->blocks;

			make_block(&p->b[p->n], &at, s->length, last);
			p->b[p->n].next = last ? -1 : p->n + 1;
			p->n++;
		}
	}
	straight = p->n;
	for (int i = 0; i < straight / 4; i++)
		make_tail(p, &p->b[pick((uint32_t)straight)]);
	for (int i = 0; i < straight; i++)
		p->b[i].target =
			(int)(pick(3) ? (uint32_t)(i + p->n + (int)pick(9) - 4) % (uint32_t)p->n
				      : pick((uint32_t)p->n));
	for (int i = 0; i < p->n; i++) {
		struct pmk_insn *last = &p->b[i].insn[p->b[i].n - 1];

		/* All blocks that end in the same branch go to the same target. */
		for (int k = 0; k < straight; k++)
			if (p->b[k].insn[p->b[k].n - 1].addr == last->addr)
				p->b[i].target = p->b[k].target;
		if (last->flow == PMK_FLOW_JUMP || last->flow == PMK_FLOW_CALL)
			last->target = p->b[p->b[i].target].insn[0].addr;
	}
	make_vector(p);
	assert_int_equal(pmk_code_init(&p->code, core), 0);
	for (int i = 0; i < p->n; i++) {
		struct code_block *b = &p->b[i];

		b->block = pmk_code_add(&p->code, b->insn, b->n, 1, b->vector, b->slot);
		assert_non_null(b->block);
		p->facts[b->block->id] = b->block->facts;
	}
}

/* ---- running both -------------------------------------------------------------------------- */

struct run {
	struct pmk_cpu cpu;
	struct pmk_executions executions[MAX_BLOCKS];
	/* the same core without the shortcuts */
	struct pmk_cpu general;
	struct pmk_executions general_executions[MAX_BLOCKS];
	struct pmk_block general_block[MAX_BLOCKS];
	struct oracle o;
	struct program p;
	struct pmk_core core;
	const struct shape *shape;
	uint32_t page[64]; /* data pages, the most used ones first */
	int calls[64];	   /* blocks to which calls must return */
	unsigned ncalls;
	int interrupted; /* block to which the handler returns; -1: none */
	uint32_t base;	 /* address register of the array walk */
};

static uint32_t data_addr(struct run *r, unsigned bytes)
{
	unsigned pages = r->shape->pages;
	uint32_t page = r->page[pick(4) ? pick(1 + pages / 4) : pick(pages)];

	if (pick(4) == 0) /* along an array */
		return r->base += 4 + 4 * pick(3);
	return page + (pick(3) ? pick(4096) & ~(bytes - 1) : pick(4096));
}

/* Does what the emulator's callbacks do for one access, and then runs the oracle. */
static void one_access(struct run *r, const struct pmk_insn *in, const struct pmk_pipe_slot *slot,
		       uint32_t addr, bool write)
{
	static const uint8_t shifts[] = { 0, 0, 1, 0, 2, 0, 0, 0, 3 };
	uint64_t a = pmk_access_pack(10, slot->use, in->mem_count, in->mem_bytes);
	unsigned shift = in->load && in->store ? 0 : shifts[in->mem_bytes];

	for (unsigned i = 0; i < 2; i++) {
		struct pmk_cpu *cpu = i ? &r->general : &r->cpu;

		if (in->conditional || in->exclusive)
			cpu->dyn[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
		if (write)
			pmk_arm11_store(cpu, addr, shift, a);
		else
			pmk_arm11_load(cpu, addr, shift, a);
	}
	access_bytes(&r->o, addr, in->mem_bytes, write);
}

static void multiple(struct run *r, const struct pmk_insn *in, const struct pmk_pipe_slot *slot)
{
	uint32_t addr = data_addr(r, 4) & ~3u;
	uint64_t a = pmk_access_pack(10, slot->use, in->mem_count, 4);

	for (unsigned i = 0; i < in->mem_count; i++) {
		pmk_arm11_multiple(&r->cpu, addr + 4 * i, a, in->store, !in->conditional);
		pmk_arm11_multiple(&r->general, addr + 4 * i, a, in->store, !in->conditional);
	}
	access_bytes(&r->o, addr, 4u * in->mem_count, in->store);
}

static void run_memory(struct run *r, const struct pmk_insn *in, const struct pmk_pipe_slot *slot)
{
	uint32_t addr;

	if (!in->load && !in->store)
		return;
	if ((in->conditional || in->exclusive) && pick(2))
		return; /* its condition or its exclusive store failed */
	if (in->mem_count > 1) {
		multiple(r, in, slot);
		return;
	}
	addr = data_addr(r, in->mem_bytes);
	if (in->load && in->store)
		addr &= ~(in->mem_bytes - 1u);
	if (in->load)
		one_access(r, in, slot, addr, false);
	if (in->store)
		one_access(r, in, slot, addr, true);
}

/* Chooses the block that follows block `i`. Stores in *l how the program leaves block `i`. */
static int choose_next(struct run *r, int i, struct leaving *l)
{
	const struct code_block *b = &r->p.b[i];
	const struct pmk_insn *last = &b->insn[b->n - 1];
	bool taken = !last->conditional || pick(100) < b->habit;
	int to = b->next;

	*l = (struct leaving){ .at = (uint32_t)last->addr,
			       .fall = (uint32_t)last->addr + last->size,
			       .flow = last->flow,
			       .conditional = last->conditional,
			       .is_branch = last->is_branch,
			       .encoded = (uint32_t)last->target };
	switch (l->flow) {
	case PMK_FLOW_NEXT:
		taken = false;
		break;
	case PMK_FLOW_EXCEPTION: /* a system call: execution continues after it, or anywhere else */
		return pick(8) ? to : (int)pick((uint32_t)r->p.n - 1);
	case PMK_FLOW_MODE:
		/*
		 * A handler returns, or switches to another thread. Otherwise programs would end in
		 * a small loop.
		 */
		to = pick(2) ? r->interrupted : (int)pick((uint32_t)r->p.n - 1);
		r->interrupted = -1;
		return to;
	case PMK_FLOW_JUMP:
	case PMK_FLOW_CALL:
		to = taken ? b->target : to;
		break;
	case PMK_FLOW_RETURN:
		if (taken)
			to = r->ncalls && pick(10) ? r->calls[--r->ncalls]
						   : (int)pick((uint32_t)r->p.n - 1);
		break;
	case PMK_FLOW_INDIRECT:
	case PMK_FLOW_INDCALL:
		if (taken)
			to = (int)pick((uint32_t)r->p.n - 1);
		break;
	}
	l->target = r->p.b[to].block->pc;
	/*
	 * If a conditional branch goes to the next instruction, the core cannot see that it was
	 * taken.
	 */
	l->taken = taken && !(l->conditional && l->target == l->fall);
	if (taken && (l->flow == PMK_FLOW_CALL || l->flow == PMK_FLOW_INDCALL) && r->ncalls < 64)
		r->calls[r->ncalls++] = b->next;
	return to;
}

static void start_block(struct run *r, int i)
{
	const struct code_block *b = &r->p.b[i];

	if (r->cpu.eager) {
		pmk_cpu_add_facts(&r->cpu, &b->block->facts);
		pmk_cpu_add_facts(&r->general, &b->block->facts);
	}
	pmk_arm11_block(&r->cpu, b->block);
	pmk_arm11_block(&r->general, &r->general_block[b->block->id]);
	fetch(&r->o, b->block->pc, b->block->fall - b->block->pc);
	for (unsigned k = 0; k < b->n; k++) {
		execute(&r->o, &b->insn[k]);
		run_memory(r, &b->insn[k], &b->slot[k]);
	}
}

static const uint8_t compared[] = {
	PMK_SIG_INSN,
	PMK_SIG_BRANCH,
	PMK_SIG_BRANCH_MISS,
	PMK_SIG_PC_CHANGE,
	PMK_SIG_CALL_PUSH,
	PMK_SIG_RET_POP,
	PMK_SIG_RET_PREDICTED,
	PMK_SIG_RET_MISS,
	PMK_SIG_L1I_MISS,
	PMK_SIG_L1I_FILL,
	PMK_SIG_MICRO_ITLB_MISS,
	PMK_SIG_MICRO_DTLB_MISS,
	PMK_SIG_TLB_MISS,
	PMK_SIG_L1D_ACCESS,
	PMK_SIG_L1D_ACCESS_WB,
	PMK_SIG_L1D_READ,
	PMK_SIG_L1D_WRITE,
	PMK_SIG_L1D_READ_MISS,
	PMK_SIG_L1D_WRITE_MISS,
	PMK_SIG_L1D_MISS,
	PMK_SIG_L1D_EVICT,
	PMK_SIG_L1D_WB_HALF,
	PMK_SIG_DATA_EXTERNAL,
	PMK_SIG_WBUF_DRAIN,
	/* The signals of level 2 come last. */
	PMK_SIG_L2CC_INSN_READ,
	PMK_SIG_L2CC_INSN_READ_HIT,
	PMK_SIG_L2CC_DATA_READ,
	PMK_SIG_L2CC_DATA_READ_HIT,
	PMK_SIG_L2CC_DATA_WRITE,
	PMK_SIG_L2CC_DATA_WRITE_HIT,
	PMK_SIG_L2CC_WT_WRITE,
	PMK_SIG_L2CC_WRITE_ALLOC,
	PMK_SIG_L2CC_EVICT_HALF,
};

#define COMPARED_LEVEL2 9

static void compare(const struct run *r, const char *what, unsigned step)
{
	static struct pmk_bus bus;

	if (r->cpu.cycles != r->general.cycles || r->cpu.taken != r->general.taken)
		fail_msg("%s: after %u blocks there were %llu cycles, without short ways %llu",
			 what, step, (unsigned long long)r->cpu.cycles,
			 (unsigned long long)r->general.cycles);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		if (r->cpu.dyn[i] != r->general.dyn[i])
			fail_msg("%s: after %u blocks %s is %llu, without short ways %llu", what,
				 step, pmk_signal_name(i), (unsigned long long)r->cpu.dyn[i],
				 (unsigned long long)r->general.dyn[i]);
	pmk_bus_init(&bus);
	pmk_cpu_sum(&r->cpu, r->p.facts, r->executions, r->p.code.nblocks, &bus);
	for (size_t i = 0; i < COUNT(compared); i++)
		if (bus.total[compared[i]] != r->o.n[compared[i]])
			fail_msg("%s: after %u blocks %s is %llu, the oracle has %llu", what, step,
				 pmk_signal_name(compared[i]),
				 (unsigned long long)bus.total[compared[i]],
				 (unsigned long long)r->o.n[compared[i]]);
}

/*
 * Chooses the data pages. Some are near each other, some are far apart, some share a set of the
 * main TLB, and one is the last page.
 */
static void choose_pages(struct run *r)
{
	for (unsigned i = 0; i < 64; i++)
		r->page[i] = i % 4 == 0	  ? 0x00100000 + 0x1000 * i
			     : i % 4 == 1 ? 0x20000000 + 0x20000 * i
			     : i % 4 == 2 ? 0x1000 * pick(0x100000)
					  : 0xFFFFF000 - 0x1000 * (i / 4);
	r->page[r->shape->pages - 1] = 0xFFFFF000;
}

static void begin_general(struct run *r)
{
	assert_int_equal(pmk_cpu_init(&r->general, &r->core), 0);
	r->general.executions = r->general_executions;
	r->general.eager = r->cpu.eager;
	pmk_cpu_ask_devices(&r->general, r->cpu.is_device);
	r->general.general |= PMK_GENERAL_PARAMS;
	for (uint32_t i = 0; i < r->p.code.nblocks; i++) {
		r->general_block[i] = r->p.code.block[i];
		r->general_block[i].arm11.leave = PMK_ARM11_LEAVE_ANY;
	}
}

static uint64_t met[PMK_NSIGNALS]; /* how often each event occurred in all programs */

static void run_both(const struct pmk_core *core, const struct shape *shape, const char *what,
		     unsigned steps, bool eager,
		     bool (*is_device)(const struct pmk_cpu *, uint64_t))
{
	static struct run r;
	int at = 0;

	memset(&r, 0, sizeof(r));
	r.core = *core;
	r.shape = shape;
	r.interrupted = -1;
	r.base = 0x40000000;
	choose_pages(&r);
	make_program(&r.p, &r.core, shape);
	oracle_init(&r.o, &r.core);
	assert_int_equal(pmk_cpu_init(&r.cpu, &r.core), 0);
	r.cpu.executions = r.executions;
	r.cpu.eager = eager;
	pmk_cpu_ask_devices(&r.cpu, is_device);
	r.o.is_device = is_device;
	begin_general(&r);
	for (unsigned step = 1; step <= steps; step++) {
		struct leaving l;
		int next;

		start_block(&r, at);
		if (step % 97 == 0 || step < 300)
			compare(&r, what, step);
		if (step == steps)
			break;
		next = choose_next(&r, at, &l);
		if (r.interrupted < 0 && at != r.p.vector && pick(60) == 0) {
			/*
			 * An interrupt comes before the next block. An unconditional branch counts
			 * as taken. The outcome of other branches, and whether their prediction was
			 * right, are not visible.
			 */
			r.o.n[PMK_SIG_PC_CHANGE] += l.taken && !l.conditional;
			r.interrupted = next;
			at = r.p.vector;
			continue;
		}
		leave(&r.o, &l);
		at = next;
	}
	compare(&r, what, steps);
	for (size_t i = 0; i < COUNT(compared); i++)
		met[compared[i]] += r.o.n[compared[i]];
	pmk_cpu_fini(&r.cpu);
	pmk_cpu_fini(&r.general);
	pmk_code_fini(&r.p.code);
	oracle_fini(&r.o);
}

/* ---- geometries ---------------------------------------------------------------------------- */

struct setting {
	const char *key, *value;
};

struct geometry {
	const char *name;
	struct setting set[12];
};

#define SMALL                       \
	{ "icache.size", "2K" },    \
	{                           \
		"dcache.size", "2K" \
	}

#define L2                       \
	{ "l2.type", "l220" },   \
	{                        \
		"l2.size", "64K" \
	}

static const struct geometry geometries[] = {
	{ "as it comes", { { NULL, NULL } } },
	{ "small", { SMALL } },
	{ "round robin", { SMALL, { "cache.round_robin", "on" } } },
	{ "direct mapped",
	  { { "icache.size", "4K" },
	    { "dcache.size", "1K" },
	    { "icache.ways", "1" },
	    { "dcache.ways", "1" } } },
	{ "16 ways",
	  { SMALL, { "icache.ways", "16" }, { "dcache.ways", "16" }, { "cache.seed", "77" } } },
	{ "LRU", { SMALL, { "cache.policy", "lru" }, { "dcache.write_allocate", "on" } } },
	{ "LRU, stores do not allocate", { SMALL, L2, { "cache.policy", "lru" } } },
	{ "FIFO", { SMALL, { "cache.policy", "fifo" }, { "mmu.enable", "off" } } },
	{ "tree", { SMALL, L2, { "cache.policy", "plru" }, { "l2.ways", "16" } } },
	{ "a policy each",
	  { SMALL,
	    L2,
	    { "icache.policy", "plru" },
	    { "dcache.policy", "lru" },
	    { "l2.policy", "fifo" },
	    { "cache.round_robin", "on" },
	    { "cache.policy", "random" } } },
	{ "tree of one way, fully associative LRU",
	  { { "icache.size", "1K" },
	    { "icache.ways", "1" },
	    { "icache.policy", "plru" },
	    { "dcache.size", "8K" },
	    { "dcache.ways", "256" },
	    { "dcache.policy", "lru" },
	    { "fetch.shadow", "2" } } },
	{ "write-through", { SMALL, { "dcache.write_through", "on" } } },
	{ "write-allocate", { SMALL, { "dcache.write_allocate", "on" } } },
	{ "write-through and -allocate",
	  { SMALL,
	    { "dcache.write_through", "on" },
	    { "dcache.write_allocate", "on" },
	    { "cache.round_robin", "on" } } },
	{ "stores to one line miss once", { SMALL, { "dcache.store_miss_each", "off" } } },
	{ "and write-through",
	  { SMALL, { "dcache.store_miss_each", "off" }, { "dcache.write_through", "on" } } },
	{ "store misses stay inside", { SMALL, { "dcache.store_miss_external", "off" } } },
	{ "MMU off", { SMALL, { "mmu.enable", "off" } } },
	{ "data cache off", { { "dcache.enable", "off" } } },
	{ "data cache off, misses counted",
	  { { "dcache.enable", "off" }, { "dcache.miss_uncached", "on" } } },
	{ "caches and MMU off",
	  { { "dcache.enable", "off" }, { "icache.enable", "off" }, { "mmu.enable", "off" } } },
	{ "tiny TLBs", { { "utlb.entries", "2" }, { "tlb.entries", "4" } } },
	{ "odd TLBs", { { "utlb.entries", "7" }, { "tlb.entries", "24" }, { "tlb.ways", "3" } } },
	{ "prediction off", { SMALL, { "bp.enable", "off" } } },
	{ "static prediction only", { SMALL, { "bp.dynamic", "off" } } },
	{ "dynamic prediction only", { SMALL, { "bp.static", "off" }, { "bp.folding", "off" } } },
	{ "small predictor", { { "bp.entries", "4" }, { "rs.entries", "1" } } },
	{ "large predictor", { { "bp.entries", "4096" }, { "rs.entries", "16" } } },
	{ "no return stack", { SMALL, { "rs.enable", "off" } } },
	{ "returns counted exclusively", { SMALL, { "rs.pred_exclusive", "on" } } },
	{ "writes of the PC are branches", { SMALL, { "bp.count_pc_writes", "on" } } },
	{ "no speculation", { SMALL, { "fetch.shadow", "0" } } },
	{ "wrong path", { SMALL, { "fetch.shadow", "2" }, { "fetch.wrong_path_bytes", "64" } } },
	{ "long shadow", { SMALL, { "fetch.shadow_bytes", "64" }, { "cache.round_robin", "on" } } },
	{ "no shadow bytes", { SMALL, { "fetch.shadow_bytes", "0" } } },
	{ "DMB does not drain", { { "wbuf.dmb_drains", "off" } } },
	{ "level 2", { SMALL, L2, { "l2.ways", "1" } } },
	{ "level 2 as it comes", { { "l2.type", "l210" } } },
	{ "level 2 of 32 ways", { SMALL, L2, { "l2.ways", "32" }, { "cache.round_robin", "on" } } },
	{ "level 2 allocates", { SMALL, L2, { "l2.ways", "2" }, { "l2.write_allocate", "on" } } },
	{ "both levels allocate",
	  { SMALL, L2, { "dcache.write_allocate", "on" }, { "l2.write_allocate", "on" } } },
	{ "level 2, written through",
	  { SMALL, L2, { "dcache.write_through", "on" }, { "l2.write_allocate", "on" } } },
	{ "written through, level 1 allocates",
	  { SMALL, L2, { "dcache.write_through", "on" }, { "dcache.write_allocate", "on" } } },
	{ "level 2 alone", { SMALL, L2, { "dcache.enable", "off" } } },
	{ "level 2 alone, 3 buffers",
	  { L2,
	    { "dcache.enable", "off" },
	    { "l2.buffers", "3" },
	    { "l2.write_allocate", "on" } } },
	{ "8 buffers", { SMALL, L2, { "l2.buffers", "8" } } },
	{ "no buffers", { SMALL, L2, { "dcache.enable", "off" }, { "l2.buffers", "0" } } },
};

static void configure(struct pmk_core *core, const struct geometry *g)
{
	char msg[256];

	pmk_core_defaults(core);
	for (size_t i = 0; i < COUNT(g->set) && g->set[i].key; i++)
		assert_int_equal(
			pmk_core_set(core, g->set[i].key, g->set[i].value, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_core_check(core, msg, sizeof(msg)), 0);
}

/*
 * The shapes are a nest of loops in a few pages, code that is spread over many pages, and long
 * blocks.
 */
static const struct shape shapes[] = {
	{ .segments = 3, .blocks = 12, .length = 6, .spacing = 0x400, .pages = 4 },
	{ .segments = 16, .blocks = 24, .length = 10, .spacing = 0x1400, .pages = 40 },
	{ .segments = 5, .blocks = 20, .length = 32, .spacing = 0x10000, .pages = 16 },
};

static void test_against_the_oracle(void **state)
{
	(void)state;
	for (size_t g = 0; g < COUNT(geometries); g++) {
		for (size_t s = 0; s < COUNT(shapes); s++) {
			struct pmk_core core;
			char what[80];

			seed = UINT64_C(0x9E3779B97F4A7C15) + g * 100 + s;
			configure(&core, &geometries[g]);
			snprintf(what, sizeof(what), "%s, program %zu", geometries[g].name, s);
			run_both(&core, &shapes[s], what, UNIT_SAMPLES(20000), (g + s) % 2, NULL);
		}
	}
	/* If an event never occurred, the runs would prove nothing about it. */
	for (size_t i = 0; i < COUNT(compared); i++)
		assert_true(met[compared[i]] > UNIT_SAMPLES(2000));
}

/* Many small programs agree with the oracle, on three geometries with small caches. */
static void test_many_programs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		const struct shape shape = { .segments = 1 + i % 9,
					     .blocks = 3 + i % 7,
					     .length = 1 + i % 20,
					     .spacing = 0x300 + 0x100 * (i % 50),
					     .pages = 1 + i % 30 };
		struct pmk_core core;
		char what[80];

		seed = 12345 + i;
		configure(&core, &geometries[i % 3 + 1]);
		core.arm11.shadow = i % 3;
		core.utlb.entries = 3 + i % 5;
		snprintf(what, sizeof(what), "program %u", i);
		run_both(&core, &shape, what, UNIT_SAMPLES(2000), i % 2, NULL);
	}
}

/* Makes every third page belong to a device. */
static bool some_device(const struct pmk_cpu *cpu, uint64_t addr)
{
	(void)cpu;
	return addr / 4096 % 3 == 0;
}

static void test_devices(void **state)
{
	static const unsigned which[] = { 1, 5, 6, 9, 28, 35 };

	(void)state;
	for (size_t i = 0; i < COUNT(which); i++) {
		struct pmk_core core;

		seed = 999 + i;
		configure(&core, &geometries[which[i]]);
		run_both(&core, &shapes[1], geometries[which[i]].name, 8000, i % 2, some_device);
	}
}

/*
 * A block that is larger than the cache, and covers two pages while the micro-TLB holds one, evicts
 * its own first lines each time it runs.
 */
static void test_a_block_that_evicts_itself(void **state)
{
	static const struct geometry tiny = {
		"a block that evicts itself",
		{ { "icache.size", "1K" }, { "icache.ways", "1" }, { "utlb.entries", "1" } },
	};
	static struct pmk_insn insn[400];
	static struct pmk_pipe_slot slots[400];
	struct pmk_core core;
	struct pmk_code code;
	struct pmk_cpu cpu;
	struct pmk_executions executions[1] = { { 0 } };
	struct oracle o;
	const struct pmk_block *b;

	(void)state;
	configure(&core, &tiny);
	assert_int_equal(pmk_code_init(&code, &core), 0);
	assert_int_equal(pmk_cpu_init(&cpu, &core), 0);
	oracle_init(&o, &core);
	cpu.executions = executions;
	for (unsigned i = 0; i < 400; i++)
		insn[i] = plain_insn(0x8C00 + 4 * i, 4);
	insn[399].flow = PMK_FLOW_JUMP;
	insn[399].iclass = PMK_I_BRANCH;
	insn[399].target = 0x8C00;
	b = pmk_code_add(&code, insn, 400, 1, false, slots);
	for (unsigned i = 0; i < 5; i++) {
		const struct leaving l = { .at = 0x8C00 + 4 * 399,
					   .fall = 0x8C00 + 4 * 400,
					   .target = 0x8C00,
					   .encoded = 0x8C00,
					   .flow = PMK_FLOW_JUMP,
					   .taken = true };

		pmk_arm11_block(&cpu, b);
		fetch(&o, b->pc, b->fall - b->pc);
		assert_int_equal(cpu.dyn[PMK_SIG_MICRO_ITLB_MISS], o.n[PMK_SIG_MICRO_ITLB_MISS]);
		assert_int_equal(cpu.dyn[PMK_SIG_L1I_MISS], o.n[PMK_SIG_L1I_MISS]);
		leave(&o, &l);
	}
	assert_int_equal(o.n[PMK_SIG_MICRO_ITLB_MISS], 10);
	pmk_cpu_fini(&cpu);
	pmk_code_fini(&code);
	oracle_fini(&o);
}

/*
 * The core raises every signal that is compared here, and does not claim to raise signals that it
 * cannot see.
 */
static void test_raises(void **state)
{
	struct pmk_core core;
	struct pmk_signal_set raised;

	(void)state;
	pmk_core_defaults(&core);
	raised = pmk_cpu_raises(&(struct pmk_core){ .isa = "arm" });
	for (size_t i = 0; i < COUNT(compared); i++)
		assert_true(pmk_signal_in(&raised, compared[i]) ==
			    (i < COUNT(compared) - COMPARED_LEVEL2));
	raised = pmk_cpu_raises(&(struct pmk_core){ .isa = "arm", .l2.type = 2 });
	for (size_t i = 0; i < COUNT(compared); i++)
		assert_true(pmk_signal_in(&raised, compared[i]));
	assert_true(pmk_signal_in(&raised, PMK_SIG_CYCLE));
	assert_false(pmk_signal_in(&raised, PMK_SIG_PARITY_ERROR));
	assert_false(pmk_signal_in(&raised, PMK_SIG_IRQ_MASKED));
	assert_false(pmk_signal_in(&raised, PMK_SIG_FIQ_MASKED));
	assert_false(pmk_signal_in(&raised, PMK_SIG_ETMEXTOUT0));
	assert_false(pmk_signal_in(&raised, PMK_SIG_ETMEXTOUT1));
	assert_false(pmk_signal_in(&raised, PMK_NSIGNALS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_the_oracle),
		cmocka_unit_test(test_many_programs),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_a_block_that_evicts_itself),
		cmocka_unit_test(test_raises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
