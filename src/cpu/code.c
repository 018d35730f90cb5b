// SPDX-License-Identifier: MIT
/* Keeps blocks by number. See code.h. The tables only reserve address space, and pages that were
 * never written take no memory. */
#include "cpu/code.h"

#include <string.h>

#include <pmk/error.h>

#include "base/reserve.h"
#include "cpu/fault.h"
#include "cpu/family.h"

/* The size of a new hash table, which is enough for most programs. A table that becomes too full is
 * doubled. */
#define TABLE_BEGIN 4096

/* Returns the most bytes of additional data that the family keeps for a block. */
static uint64_t most_kept(const struct pmk_core *core)
{
	const struct pmk_core_family *family = pmk_core_family(core);

	return family->builder->keeps ? family->builder->keeps(core) : 0;
}

static bool table_new(struct pmk_code_table *t, uint32_t entries)
{
	*t = (struct pmk_code_table){
		.entry = pmk_reserve(entries * (uint64_t)sizeof(*t->entry)),
		.mask = entries - 1,
	};
	return t->entry != NULL;
}

static void table_free(struct pmk_code_table *t)
{
	pmk_release(t->entry, ((uint64_t)t->mask + 1) * sizeof(*t->entry));
}

static uint32_t first_probe(const struct pmk_code_table *t, uint64_t addr)
{
	return (uint32_t)((addr >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & t->mask;
}

static void table_put(struct pmk_code_table *t, uint64_t addr, uint32_t entry)
{
	uint32_t i = first_probe(t, addr);

	while (t->entry[i])
		i = (i + 1) & t->mask;
	t->entry[i] = entry;
	t->used++;
}

/*
 * Makes room for one more entry. At least half of the entries stay free, so that linear probing
 * stays short. Returns false if there is no memory.
 */
static bool table_grow(const struct pmk_code *code, struct pmk_code_table *t)
{
	struct pmk_code_table grown;

	if (t->used <= t->mask / 2)
		return true;
	if (!table_new(&grown, (t->mask + 1) * 2))
		return false;
	for (uint32_t i = 0; i <= t->mask; i++) {
		const struct pmk_block *b;

		if (!t->entry[i])
			continue;
		b = &code->block[t->entry[i] - 1];
		table_put(&grown, t == &code->block_at ? b->pc : b->end_addr, t->entry[i]);
	}
	table_free(t);
	*t = grown;
	return true;
}

int pmk_code_init(struct pmk_code *code, const struct pmk_core *core)
{
	*code = (struct pmk_code){
		.core = core,
		.block = pmk_reserve(PMK_MAX_BLOCKS * sizeof(*code->block)),
		.hash = pmk_reserve(PMK_MAX_BLOCKS * sizeof(*code->hash)),
		.insn = pmk_reserve(PMK_MAX_INSNS * sizeof(*code->insn)),
		.nbranches = PMK_BRANCH_FIRST,
	};
	if (most_kept(core))
		code->kept = pmk_reserve(PMK_MAX_KEPT);
	if (table_new(&code->block_at, TABLE_BEGIN) && table_new(&code->branch_at, TABLE_BEGIN) &&
	    code->block && code->hash && code->insn && (code->kept || !most_kept(core)))
		return 0;
	pmk_code_fini(code);
	return PMK_ENOMEM;
}

void pmk_code_fini(struct pmk_code *code)
{
	pmk_release(code->block, PMK_MAX_BLOCKS * sizeof(*code->block));
	pmk_release(code->hash, PMK_MAX_BLOCKS * sizeof(*code->hash));
	table_free(&code->block_at);
	table_free(&code->branch_at);
	pmk_release(code->insn, PMK_MAX_INSNS * sizeof(*code->insn));
	pmk_release(code->kept, PMK_MAX_KEPT);
	memset(code, 0, sizeof(*code));
}

/* Populates the memory of the next `more` entries of a table whose first `used` entries are in use.
 * `entry` is the size of an entry. Works in steps of 64 KB, because that is faster than touching
 * page by page. */
static void make_room(void *table, size_t entry, uint64_t used, uint64_t more)
{
	const uint64_t bytes = 1 << 16;
	uint64_t begin = (used * entry + bytes - 1) / bytes * bytes;
	uint64_t end = ((used + more) * entry + bytes - 1) / bytes * bytes;

	if (end > begin)
		pmk_populate((char *)table + begin, end - begin);
}

/*
 * Returns the number of the branch that ends `b`. Blocks that end in the same branch have the same
 * number.
 */
static uint32_t branch_number(struct pmk_code *code, const struct pmk_block *b, uint32_t id)
{
	struct pmk_code_table *t = &code->branch_at;
	uint32_t i;

	if (b->disturbs || b->vector)
		return PMK_BRANCH_SLOW;
	if (b->flow == PMK_FLOW_NEXT)
		return PMK_BRANCH_NONE;
	if (b->flow != PMK_FLOW_JUMP && b->flow != PMK_FLOW_CALL)
		return PMK_BRANCH_SLOW;
	for (i = first_probe(t, b->end_addr); t->entry[i]; i = (i + 1) & t->mask) {
		struct pmk_block *known = &code->block[t->entry[i] - 1];

		/* Compare more than the address, because the program may have put other code at
		 * this address. */
		if (known->end_addr == b->end_addr && known->flow == b->flow &&
		    known->target == b->target && known->conditional == b->conditional)
			return *pmk_core_family(code->core)->builder->branch(known);
	}
	if (code->nbranches == PMK_MAX_BRANCHES || !table_grow(code, t))
		return PMK_BRANCH_SLOW;
	table_put(t, b->end_addr, id + 1);
	return code->nbranches++;
}

/* Keeps the instructions of a block up to the last one that may fault. If there is no room for
 * them, pmk assumes that the block never ends early. */
static void keep_insns(struct pmk_code *code, const struct pmk_insn *insn, size_t n,
		       struct pmk_block *b)
{
	uint16_t nfaults = 0, ninsns = 0;

	for (size_t i = 0; i < n; i++) {
		if (!pmk_may_fault(code->core, &insn[i]))
			continue;
		nfaults++;
		ninsns = (uint16_t)(i + 1);
	}
	if (!nfaults || ninsns > PMK_MAX_INSNS - code->ninsns)
		return;
	make_room(code->insn, sizeof(*insn), code->ninsns, ninsns);
	b->insn = memcpy(&code->insn[code->ninsns], insn, ninsns * sizeof(*insn));
	b->ninsns = ninsns;
	b->nfaults = nfaults;
	code->ninsns += ninsns;
}

bool pmk_code_begins_at(const struct pmk_code *code, uint64_t pc)
{
	const struct pmk_code_table *t = &code->block_at;

	for (uint32_t i = first_probe(t, pc); t->entry[i]; i = (i + 1) & t->mask)
		if (code->block[t->entry[i] - 1].pc == pc)
			return true;
	return false;
}

static void block_handles(struct pmk_block *b, unsigned entry)
{
	b->faulted |= (entry & PMK_ENTRY_FAULT) != 0;
	b->misaligned |= (entry & PMK_ENTRY_MISALIGNED) != 0;
}

void pmk_code_handles(struct pmk_code *code, uint64_t pc, unsigned entry)
{
	const struct pmk_code_table *t = &code->block_at;

	for (uint32_t i = first_probe(t, pc); t->entry[i]; i = (i + 1) & t->mask)
		if (code->block[t->entry[i] - 1].pc == pc)
			block_handles(&code->block[t->entry[i] - 1], entry);
}

const struct pmk_block *pmk_code_add(struct pmk_code *code, const struct pmk_insn *insn, size_t n,
				     uint64_t bytes_hash, unsigned entry,
				     struct pmk_pipe_slot *slots)
{
	const struct pmk_core_builder *builder = pmk_core_family(code->core)->builder;
	const uint64_t most = most_kept(code->core);
	struct pmk_code_table *t = &code->block_at;
	struct pmk_block b;

	pmk_block_build(code->core, insn, n, slots, &b);
	b.vector = entry & PMK_ENTRY_VECTOR;
	block_handles(&b, entry);
	b.tells = code->tells;
	b.vector_set = entry & PMK_ENTRY_SET;
	b.level = (uint8_t)PMK_ENTRY_LEVEL_OF(entry);
	for (uint32_t i = first_probe(t, b.pc); t->entry[i]; i = (i + 1) & t->mask) {
		uint32_t id = t->entry[i] - 1;
		const struct pmk_block *known = &code->block[id];

		if (known->pc == b.pc && known->fall == b.fall && code->hash[id] == bytes_hash)
			return known;
	}
	if (code->nblocks == PMK_MAX_BLOCKS || !table_grow(code, t))
		return NULL;
	if (most && most > PMK_MAX_KEPT - code->nkept)
		return NULL;
	b.id = code->nblocks;
	/* Only a new block comes here, so the branch at its end needs a number. */
	if (builder->branch)
		*builder->branch(&b) = branch_number(code, &b, b.id);
	keep_insns(code, insn, n, &b);
	if (most)
		code->nkept += builder->keep(code->core, insn, n, code->kept + code->nkept, &b);
	make_room(code->block, sizeof(b), b.id, 1);
	code->block[b.id] = b;
	code->hash[b.id] = bytes_hash;
	table_put(t, b.pc, b.id + 1);
	code->nblocks++;
	return &code->block[b.id];
}
