// SPDX-License-Identifier: MIT
/*
 * The running core of MicroBlaze agrees with a plain oracle.
 *
 * The core keeps tables and generations so that an access without effect costs nothing. The oracle
 * has none of these: it searches arrays of lines, words, pages and branches at every single
 * instruction and access, according to UG984 and the choices that microblaze.c declares. Random
 * programs run through both on many geometries. Every signal that the core raises must agree,
 * including cycles, and so must the latencies. The time of a block by itself comes from pipeline.c,
 * for which test_microblaze.c has known answers.
 */
#define UNIT_SANITIZED 40
#include "../../unit.h"
#include "rig.h"

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* ---- the oracle: storage --------------------------------------------------------------------- */

struct line {
	bool there, dirty;
	bool word[16];
	uint32_t number;
};

struct branch {
	bool there;
	uint32_t pc, next; /* where the branch went last */
};

/* Pages, the most recently used first. In the unified TLB, the newest is first. */
struct pages {
	unsigned n, most;
	uint32_t page[128];
};

static bool has_page(const struct pages *t, uint32_t page)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->page[i] == page)
			return true;
	return false;
}

static void remove_page(struct pages *t, uint32_t page)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < t->n; i++)
		if (t->page[i] != page)
			t->page[kept++] = t->page[i];
	t->n = kept;
}

/* Moves the page to the front. If there are too many pages, the last one is dropped. */
static void put_page(struct pages *t, uint32_t page)
{
	memmove(&t->page[1], &t->page[0], t->n * sizeof(t->page[0]));
	t->page[0] = page;
	if (t->n < t->most)
		t->n++;
}

/* ---- the oracle: a core ---------------------------------------------------------------------- */

struct latency {
	uint64_t n, sum;
};

struct oracle {
	const struct pmk_core *core;
	struct line iline[4096], dline[4096];
	struct branch btc[2048];
	struct pages itlb, dtlb, utlb;
	uint64_t clock;
	uint64_t ifree, dfree,
		written; /* until when buses are busy and the write buffer has stores */
	/* The state at the end of the last block. */
	bool any, open;
	struct pmk_insn end; /* the block's branch, or its last instruction */
	uint32_t fall;
	uint8_t residue[PMK_MB_REGS];
	uint64_t n[PMK_NSIGNALS];
	struct latency latency[PMK_NSIGNALS]; /* occurrences that took more than one cycle */
};

static void timed(struct oracle *o, enum pmk_signal sig, uint64_t cycles)
{
	if (cycles == 1)
		return;
	o->latency[sig].n++;
	o->latency[sig].sum += cycles;
}

static void wait_for(struct oracle *o, enum pmk_signal why, uint64_t cycles)
{
	o->n[why] += cycles;
	o->clock += cycles;
}

static uint64_t fill(const struct pmk_core *core, uint64_t now, uint64_t *taken_until)
{
	uint64_t begins = *taken_until > now ? *taken_until : now;

	*taken_until = begins + core->mem.latency + core->mem.fill;
	return begins + core->mem.latency - now;
}

/* ---- the oracle: branches -------------------------------------------------------------------- */

static unsigned refill_of(const struct oracle *o, bool wrong)
{
	bool slot = o->end.kind & PMK_MB_DELAY, back = o->end.kind & PMK_MB_RETURN;
	unsigned cycles = slot && !wrong ? 1 : 2;

	if (o->core->microblaze.area != 2)
		return cycles;
	return cycles + 4 + (o->core->mmu && (wrong || !back) ? 2 : 0);
}

/*
 * Returns true for returns, and for branches with an immediate target that is not the next
 * instruction.
 */
static bool can_be_predicted(const struct oracle *o)
{
	if (!o->core->bp.on)
		return false;
	if (o->end.kind & PMK_MB_RETURN)
		return true;
	return o->end.kind & PMK_MB_BR_IMM &&
	       o->end.target != o->end.addr + (o->end.kind & PMK_MB_DELAY ? 8 : 4);
}

static void leave(struct oracle *o, uint32_t pc)
{
	struct branch *b = &o->btc[o->end.addr / 4 % o->core->bp.entries];
	bool conditional = o->end.kind & PMK_MB_BR_COND;
	bool any_branch = o->end.kind & (PMK_MB_BR | PMK_MB_BR_COND | PMK_MB_RETURN);
	bool goes = pc != o->fall; /* a branch to the next instruction is not visible */
	bool known = b->there && b->pc == o->end.addr;

	if (!any_branch)
		return;
	if (conditional) {
		o->n[PMK_SIG_BRANCH]++;
		o->n[goes ? PMK_SIG_BR_TAKEN : PMK_SIG_BR_NOT_TAKEN]++;
		if (o->end.kind & PMK_MB_DELAY)
			o->n[goes ? PMK_SIG_BR_TAKEN_DELAY : PMK_SIG_BR_NOT_TAKEN_DELAY]++;
	}
	if (!can_be_predicted(o)) {
		wait_for(o, PMK_SIG_OF_STALL, conditional && goes ? refill_of(o, false) : 0);
		return;
	}
	o->n[PMK_SIG_BTC_HIT] += known;
	if (known && b->next != pc)
		wait_for(o, PMK_SIG_OF_STALL, refill_of(o, true));
	else if (!known && goes)
		wait_for(o, PMK_SIG_OF_STALL, refill_of(o, false));
	if (known || goes)
		*b = (struct branch){ .there = true, .pc = (uint32_t)o->end.addr, .next = pc };
}

/* Executes a branch. An unconditional branch that is not predicted is timed with its block. */
static void go(struct oracle *o)
{
	bool goes = o->end.kind & (PMK_MB_BR | PMK_MB_RETURN) && !can_be_predicted(o);
	unsigned cycles = goes ? refill_of(o, false) : 0;

	wait_for(o, PMK_SIG_OF_STALL, cycles);
	for (unsigned r = 0; r < PMK_MB_REGS; r++)
		o->residue[r] = o->residue[r] > cycles ? (uint8_t)(o->residue[r] - cycles) : 0;
}

/* ---- the oracle: translation ----------------------------------------------------------------- */

static uint64_t shadow(struct oracle *o, struct pages *t, uint32_t addr, enum pmk_signal hit)
{
	uint32_t page = addr >> 12;
	bool known = has_page(t, page);
	uint64_t cycles = 0;

	if (!o->core->mmu)
		return 0;
	if (known) {
		o->n[hit]++;
		remove_page(t, page);
	} else {
		o->n[PMK_SIG_MMU_LOOKUP]++;
		timed(o, PMK_SIG_MMU_LOOKUP, o->core->utlb.penalty);
		cycles = o->core->utlb.penalty;
		if (has_page(&o->utlb, page)) {
			o->n[PMK_SIG_UTLB_HIT]++;
		} else {
			put_page(&o->utlb, page);
			cycles += o->core->tlb.penalty;
		}
	}
	put_page(t, page);
	return cycles;
}

/* ---- the oracle: fetch ----------------------------------------------------------------------- */

static bool code_is_cached(const struct oracle *o, uint32_t addr)
{
	return o->core->icache.on && addr >= o->core->microblaze.lmb_size &&
	       addr >= o->core->microblaze.icache_base && addr <= o->core->microblaze.icache_high;
}

static void fetch(struct oracle *o, uint32_t pc, const struct pmk_insn *insn, size_t n)
{
	uint32_t bytes = (uint32_t)o->core->microblaze.icache_line * 4;

	for (size_t i = 0; i < n; i++) {
		uint32_t addr = (uint32_t)insn[i].addr;
		uint32_t number = addr / bytes;
		struct line *l = &o->iline[number % (o->core->icache.size / bytes)];

		/* The block is on one page, so only its first instruction can miss. */
		wait_for(o, PMK_SIG_OF_STALL, shadow(o, &o->itlb, addr, PMK_SIG_ITLB_HIT));
		o->n[PMK_SIG_L1I_TLB] += o->core->mmu;
		if (!code_is_cached(o, addr))
			continue;
		o->n[PMK_SIG_L1I_ACCESS]++;
		if (l->there && l->number == number) {
			o->n[PMK_SIG_L1I_HIT]++;
		} else {
			uint64_t cycles = fill(o->core, o->clock + (addr - pc) / 4, &o->ifree);

			timed(o, PMK_SIG_L1I_ACCESS, 1 + cycles);
			wait_for(o, PMK_SIG_OF_STALL, cycles);
			*l = (struct line){ .there = true, .number = number };
		}
	}
}

/* ---- the oracle: data ------------------------------------------------------------------------ */

static uint64_t write_out(struct oracle *o, uint64_t now)
{
	uint64_t room = o->core->mem.wbuf * o->core->mem.write;
	uint64_t begins = o->written > now ? o->written : now;

	o->written = begins + o->core->mem.write;
	return o->written > now + room ? o->written - now - room : 0;
}

static uint64_t make_room(struct oracle *o, struct line *l, uint32_t number, uint64_t now)
{
	uint64_t cycles = 0;

	if (l->there && l->number == number)
		return 0;
	if (l->there && l->dirty)
		cycles = write_out(o, now);
	*l = (struct line){ .there = true, .number = number };
	return cycles;
}

static uint64_t read_line(struct oracle *o, struct line *l, uint32_t number, uint64_t now)
{
	uint64_t cycles = make_room(o, l, number, now);

	memset(l->word, 1, sizeof(l->word));
	return cycles + fill(o->core, now + cycles, &o->dfree);
}

static uint64_t cached_access(struct oracle *o, const struct pmk_insn *in, uint32_t addr,
			      uint64_t now)
{
	uint32_t bytes = (uint32_t)o->core->microblaze.dcache_line * 4, number = addr / bytes;
	unsigned word = addr % bytes / 4;
	struct line *l = &o->dline[number % (o->core->dcache.size / bytes)];
	bool hit = l->there && l->number == number && l->word[word];

	o->n[in->load ? PMK_SIG_L1D_CACHED_READ : PMK_SIG_L1D_CACHED_WRITE]++;
	if (hit)
		o->n[in->load ? PMK_SIG_L1D_CACHED_READ_HIT : PMK_SIG_L1D_CACHED_WRITE_HIT]++;
	if (in->load)
		return hit ? 0 : read_line(o, l, number, now);
	if (o->core->dcache.wt)
		return write_out(o, now);
	if (!hit) {
		uint64_t cycles = in->mem_bytes == 4 ? make_room(o, l, number, now)
						     : read_line(o, l, number, now);

		l->word[word] = l->dirty = true;
		return cycles;
	}
	l->dirty = true;
	return 0;
}

static void access_data(struct oracle *o, const struct pmk_insn *in, uint32_t addr, uint64_t now)
{
	const struct pmk_core *core = o->core;
	enum pmk_signal why = core->microblaze.area == 1 ? PMK_SIG_EX_STALL : PMK_SIG_MEM_STALL;
	uint64_t cycles = shadow(o, &o->dtlb, addr, PMK_SIG_DTLB_HIT);

	if (core->mmu)
		o->n[in->load ? PMK_SIG_L1D_TLB_READ : PMK_SIG_L1D_TLB_WRITE]++;
	wait_for(o, why, cycles);
	now += cycles;
	if (addr < core->microblaze.lmb_size)
		return;
	if (core->dcache.on && addr >= core->microblaze.dcache_base &&
	    addr <= core->microblaze.dcache_high) {
		cycles = cached_access(o, in, addr, now);
		timed(o, in->load ? PMK_SIG_L1D_CACHED_READ : PMK_SIG_L1D_CACHED_WRITE, 1 + cycles);
	} else {
		cycles = core->microblaze.peripheral_latency - 1;
		o->n[in->load ? PMK_SIG_PERIPHERAL_READ : PMK_SIG_PERIPHERAL_WRITE]++;
		timed(o, in->load ? PMK_SIG_PERIPHERAL_READ : PMK_SIG_PERIPHERAL_WRITE, 1 + cycles);
	}
	wait_for(o, why, cycles);
}

/* ---- the oracle: a block --------------------------------------------------------------------- */

static void count_facts(struct oracle *o, const struct pmk_insn *in, bool in_slot)
{
	o->n[PMK_SIG_INSN]++;
	o->n[PMK_SIG_LOAD] += in->load;
	o->n[PMK_SIG_STORE] += in->store;
	o->n[PMK_SIG_BR_UNCOND] += (in->kind & PMK_MB_BR) != 0;
	o->n[PMK_SIG_BRANCH] += (in->kind & PMK_MB_BR) != 0;
	o->n[PMK_SIG_BR_UNCOND_DELAY] += in->kind & PMK_MB_BR && in->kind & PMK_MB_DELAY;
	o->n[PMK_SIG_DELAY_NOP] += in_slot && in->kind & PMK_MB_NOP;
}

/* Returns the cycles that the block waits for results of the previous block. */
static uint64_t late(const struct oracle *o, const struct pmk_microblaze_timing *t)
{
	int wait = 0;

	for (unsigned r = 1; r < PMK_MB_REGS; r++)
		if (t->need[r] != PMK_PIPE_FAR && o->residue[r] - t->need[r] > wait)
			wait = o->residue[r] - t->need[r];
	return (uint64_t)wait;
}

static void oracle_run(struct oracle *o, uint32_t pc, const struct pmk_insn *insn, size_t n,
		       const uint32_t *data)
{
	static struct pmk_pipe_slot slots[MAX_INSNS];
	struct pmk_microblaze_timing t;
	uint64_t before = o->clock, wait, start, static_of = 0;
	bool slot = o->open;

	if (o->open)
		o->fall = pc + 4;
	else if (o->any)
		leave(o, pc);
	fetch(o, pc, insn, n);
	pmk_microblaze_time(o->core, insn, n, slots, &t);
	wait = late(o, &t);
	if (wait > o->clock - before)
		wait_for(o, PMK_SIG_OF_STALL, wait - (o->clock - before));
	if (!code_is_cached(o, pc) && pc >= o->core->microblaze.lmb_size)
		static_of = n * (o->core->microblaze.peripheral_latency - 1);
	start = o->clock;
	o->n[PMK_SIG_OF_STALL] += t.of_stall + static_of;
	o->n[PMK_SIG_EX_STALL] += t.ex_stall;
	for (size_t i = 0; i < n; i++) {
		count_facts(o, &insn[i], i == 0 ? slot : (insn[i - 1].kind & PMK_MB_DELAY) != 0);
		if (insn[i].load || insn[i].store)
			access_data(o, &insn[i], *data++,
				    start + slots[i].issue + (o->clock - start));
	}
	o->clock += t.cycles + static_of;
	memcpy(o->residue, t.residue, sizeof(o->residue));
	if (slot) {
		o->open = false;
		return;
	}
	o->any = true;
	o->open = insn[n - 1].kind & PMK_MB_DELAY;
	o->end = n > 1 && insn[n - 2].kind & PMK_MB_DELAY ? insn[n - 2] : insn[n - 1];
	o->fall = pc + 4 * (uint32_t)n;
	go(o);
}

/* ---- programs -------------------------------------------------------------------------------- */

#define CODE_BASE  0x10000u
#define CODE_WORDS 4096 /* four pages */

struct program {
	uint32_t word[CODE_WORDS];
	uint32_t data_base[6], data_bytes;
};

static uint32_t plain_word(void)
{
	/* The program uses few registers, so instructions wait for results. */
	unsigned d = 1 + pick(6), a = 1 + pick(6), b = 1 + pick(6);

	switch (pick(14)) {
	case 0:
		return NOP;
	case 1:
		return MUL(d, a, b);
	case 2:
		return BSLL(d, a, b);
	case 3:
		return pick(4) ? FADD(d, a, b) : IDIV(d, a, b);
	case 4:
	case 5:
	case 6:
		return pick(3) ? LWI(d, a, 0) : pick(2) ? LBUI(d, a, 0) : LHUI(d, a, 0);
	case 7:
	case 8:
		return pick(3) ? SWI(d, a, 0) : pick(2) ? SBI(d, a, 0) : SHI(d, a, 0);
	default:
		return ADDK(d, a, b);
	}
}

static uint32_t offset_to_anywhere(uint32_t from, uint32_t words)
{
	/* The target is not in the last words of the code, and not the next instruction. */
	uint32_t to = pick(words - 16);

	return (to == from + 1 || to == from + 2 ? from : to) * 4 - from * 4;
}

static uint32_t branch_word(uint32_t from, uint32_t words)
{
	uint32_t offset = offset_to_anywhere(from, words) & 0xffff;
	unsigned a = 1 + pick(6), b = 1 + pick(6);

	switch (pick(12)) {
	case 0:
		return BRI(offset);
	case 1:
		return BRID(offset);
	case 2:
		return BRLID(15, offset);
	case 3:
		return RTSD(15, 8);
	case 4:
		return pick(2) ? BR(b) : BRD(b);
	case 5:
		return BEQ(a, b);
	case 6:
		return pick(4) ? BEQI(a, 8) : BRI(8);
	case 7:
	case 8:
	case 9:
		return BEQI(a, offset);
	default:
		return BEQID(a, offset);
	}
}

static bool delays(uint32_t word)
{
	struct pmk_insn in;

	pmk_isa_microblaze_decode(0, word, &in);
	return in.kind & PMK_MB_DELAY;
}

static void make_program(struct program *p, uint32_t words)
{
	bool slot = false;

	for (uint32_t i = 0; i < words; i++) {
		p->word[i] = slot || pick(6) ? plain_word() : branch_word(i, words);
		if (i + 8 > words)
			p->word[i] = i + 1 == words ? BRI(-4 * (int)i) : ADDIK(3, 3, 1);
		slot = delays(p->word[i]);
	}
	for (unsigned i = 0; i < COUNT(p->data_base); i++)
		p->data_base[i] = 0x100000 * (i + 1) + 0x1000 * pick(300);
	p->data_bytes = 64u << pick(8);
}

static uint32_t data_address(const struct program *p, unsigned bytes)
{
	return p->data_base[pick(COUNT(p->data_base))] + pick(p->data_bytes) / bytes * bytes;
}

/*
 * Decodes the instructions from word `at` to the next branch and its slot, or to the end of the
 * page.
 */
static size_t take_block(const struct program *p, uint32_t at, bool slot_only,
			 struct pmk_insn *insn)
{
	const uint32_t branches = PMK_MB_BR | PMK_MB_BR_COND | PMK_MB_RETURN;
	size_t n = 0;
	bool over = false;

	while (!over) {
		struct pmk_insn *in = &insn[n];
		uint32_t pc = CODE_BASE + 4 * (at + (uint32_t)n);

		pmk_isa_microblaze_decode(pc, p->word[at + n], in);
		n++;
		over = slot_only || (in->kind & branches && !(in->kind & PMK_MB_DELAY)) ||
		       (n > 1 && insn[n - 2].kind & PMK_MB_DELAY) || (pc + 4) % 4096 == 0;
	}
	return n;
}

/*
 * Chooses where execution continues after a block: at the next instruction, at the target, or
 * anywhere.
 */
static uint32_t next_word(const struct pmk_insn *end, uint32_t fall, uint32_t words)
{
	uint32_t anywhere = pick(8) ? pick(40) * (words / 40) : pick(words - 16);
	bool immediate = end->kind & PMK_MB_BR_IMM;

	if (!(end->kind & (PMK_MB_BR | PMK_MB_BR_COND | PMK_MB_RETURN)))
		return fall;
	if (end->kind & PMK_MB_BR_COND && pick(100) < 55)
		return fall;
	return immediate ? ((uint32_t)end->target - CODE_BASE) / 4 : anywhere;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void compare(struct rig *r, struct oracle *o, uint64_t what, unsigned step)
{
	static const uint8_t signals[] = {
		PMK_SIG_INSN,
		PMK_SIG_LOAD,
		PMK_SIG_STORE,
		PMK_SIG_BRANCH,
		PMK_SIG_BR_UNCOND,
		PMK_SIG_BR_UNCOND_DELAY,
		PMK_SIG_BR_TAKEN,
		PMK_SIG_BR_NOT_TAKEN,
		PMK_SIG_BR_TAKEN_DELAY,
		PMK_SIG_BR_NOT_TAKEN_DELAY,
		PMK_SIG_DELAY_NOP,
		PMK_SIG_BTC_HIT,
		PMK_SIG_L1I_ACCESS,
		PMK_SIG_L1I_HIT,
		PMK_SIG_L1D_CACHED_READ,
		PMK_SIG_L1D_CACHED_READ_HIT,
		PMK_SIG_L1D_CACHED_WRITE,
		PMK_SIG_L1D_CACHED_WRITE_HIT,
		PMK_SIG_L1I_TLB,
		PMK_SIG_ITLB_HIT,
		PMK_SIG_L1D_TLB_READ,
		PMK_SIG_L1D_TLB_WRITE,
		PMK_SIG_DTLB_HIT,
		PMK_SIG_MMU_LOOKUP,
		PMK_SIG_UTLB_HIT,
		PMK_SIG_PERIPHERAL_READ,
		PMK_SIG_PERIPHERAL_WRITE,
		PMK_SIG_OF_STALL,
		PMK_SIG_EX_STALL,
		PMK_SIG_MEM_STALL,
		PMK_SIG_STALL,
		PMK_SIG_CYCLE,
	};

	o->n[PMK_SIG_CYCLE] = o->clock;
	o->n[PMK_SIG_STALL] =
		o->n[PMK_SIG_OF_STALL] + o->n[PMK_SIG_EX_STALL] + o->n[PMK_SIG_MEM_STALL];
	assert_int_equal(o->clock, o->n[PMK_SIG_INSN] + o->n[PMK_SIG_STALL]);
	pmk_cpu_sum(&r->cpu, r->facts, r->executions, r->code.nblocks, &r->bus);
	for (size_t i = 0; i < COUNT(signals); i++)
		if (r->bus.total[signals[i]] != o->n[signals[i]])
			fail_msg("seed %llu, step %u: %s is %llu, the oracle says %llu",
				 (unsigned long long)what, step, pmk_signal_name(signals[i]),
				 (unsigned long long)r->bus.total[signals[i]],
				 (unsigned long long)o->n[signals[i]]);
}

/* Reads the core's records since the last call. Occurrences of one signal never overlap. */
static void read_log(struct rig *r, struct latency *sum, uint64_t *end)
{
	uint64_t n = r->bus.recorded;

	assert_true(n <= PMK_LATENCY_LOG);
	for (uint64_t i = 0; i < n; i++) {
		const struct pmk_latency_record *l = &r->bus.log[i];

		assert_true(l->cycles != 1 && l->cycles <= pmk_cpu_longest(&r->core));
		assert_true(l->start >= end[l->sig]);
		end[l->sig] = l->start + l->cycles;
		sum[l->sig].n++;
		sum[l->sig].sum += l->cycles;
	}
	r->bus.recorded = 0;
}

static void compare_latencies(const struct latency *got, const struct oracle *o, uint64_t what)
{
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		if (got[s].n != o->latency[s].n || got[s].sum != o->latency[s].sum)
			fail_msg("seed %llu: latencies of %s: %llu of %llu cycles, the oracle says "
				 "%llu of %llu",
				 (unsigned long long)what, pmk_signal_name(s),
				 (unsigned long long)got[s].n, (unsigned long long)got[s].sum,
				 (unsigned long long)o->latency[s].n,
				 (unsigned long long)o->latency[s].sum);
}

/* ---- cores of every kind --------------------------------------------------------------------- */

static struct pmk_core random_core(void)
{
	struct pmk_core core = plain_core();

	core.microblaze.area = pick(3);
	core.icache.on = pick(5) > 0;
	core.dcache.on = pick(5) > 0;
	core.microblaze.icache_line = 4u << pick(3);
	core.microblaze.dcache_line = 4u << pick(3);
	core.icache.size = 64u << pick(9);
	core.dcache.size = 64u << pick(11);
	core.dcache.wt = pick(2);
	core.microblaze.lmb_size = pick(4) ? 0 : pick(2) ? CODE_BASE : 0x300000;
	if (!pick(4))
		core.microblaze.dcache_base = 0x200000;
	if (!pick(4))
		core.microblaze.dcache_high = 0x4fffff;
	if (!pick(4))
		core.microblaze.icache_base = CODE_BASE + 4096;
	core.microblaze.peripheral_latency = 1 + pick(20);
	core.mem.latency = 1 + pick(40);
	core.mem.fill = 1 + pick(20);
	core.mem.write = 1 + pick(6);
	core.mem.wbuf = 1 + pick(8);
	core.microblaze.hazard_load = pick(6);
	core.microblaze.hazard_mul = pick(6);
	core.microblaze.hazard_fp = pick(6);
	core.microblaze.hazard_shift = pick(6);
	core.bp.entries = 8u << pick(9);
	if (core.microblaze.area != 1) {
		core.bp.on = pick(3) > 0;
		core.mmu = pick(3) > 0;
	}
	core.microblaze.itlb_entries = 1u << pick(4);
	core.microblaze.dtlb_entries = 1u << pick(4);
	core.tlb.entries = 4u << pick(5);
	core.utlb.penalty = 1 + pick(32);
	core.tlb.penalty = pick(2) * 30;
	return core;
}

static struct oracle *oracle_new(const struct pmk_core *core)
{
	struct oracle *o = calloc(1, sizeof(*o));

	assert_non_null(o);
	o->core = core;
	o->itlb.most = (unsigned)core->microblaze.itlb_entries;
	o->dtlb.most = (unsigned)core->microblaze.dtlb_entries;
	o->utlb.most = (unsigned)core->tlb.entries;
	return o;
}

static void run_program(uint64_t what, unsigned steps)
{
	static struct program p;
	static struct pmk_insn insn[MAX_INSNS];
	static uint32_t data[MAX_INSNS];
	struct latency got[PMK_NSIGNALS] = { { 0 } };
	uint64_t end[PMK_NSIGNALS] = { 0 };
	struct pmk_core core;
	struct oracle *o;
	struct rig *r;
	uint32_t at = 0, words;

	seed = what * 0x9e3779b97f4a7c15 + 1;
	core = random_core();
	words = 64u << pick(7);
	make_program(&p, words);
	r = rig_new(&core);
	if (seed % 2) /* the counter of epochs wraps soon */
		r->cpu.microblaze.tables->epoch = -(PMK_MB_EPOCH * 4);
	o = oracle_new(&r->core);
	for (unsigned step = 0; step < steps; step++) {
		size_t n = take_block(&p, at, o->open, insn);

		for (size_t i = 0, k = 0; i < n; i++)
			if (insn[i].load || insn[i].store)
				data[k++] = data_address(&p, insn[i].mem_bytes);
		oracle_run(o, CODE_BASE + 4 * at, insn, n, data);
		rig_run(r, CODE_BASE + 4 * at, &p.word[at], n, data);
		read_log(r, got, end);
		at += (uint32_t)n;
		if (!o->open)
			at = next_word(&o->end, at, words);
		/*
		 * The core knows the outcome of the last branch only when the next block starts, so
		 * only some steps compare.
		 */
		if (step % 64 == 63)
			compare(r, o, what, step);
	}
	compare_latencies(got, o, what);
	rig_free(r);
	free(o);
}

static void random_programs(void **state)
{
	(void)state;
	for (uint64_t what = 1; what <= UNIT_SAMPLES(400); what++)
		run_program(what, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
