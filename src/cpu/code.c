// SPDX-License-Identifier: MIT
/* Blocks by number. See code.h. The tables only reserve address space: pages that nobody has
 * written to take no memory. */
#include "cpu/code.h"

#include <string.h>

#include <pmk/error.h>

#include "base/reserve.h"
#include "cpu/fault.h"
#include "cpu/family.h"

/* Twice as many as blocks, so that linear probing stays short. */
#define TABLE_SIZE (PMK_MAX_BLOCKS * 2)
#define TABLE_MASK (TABLE_SIZE - 1)

/* The most bytes that the family keeps of a block. */
static uint64_t most_kept(const struct pmk_core *core)
{
	const struct pmk_core_family *family = pmk_core_family(core);

	return family->keeps ? family->keeps(core) : 0;
}

int pmk_code_init(struct pmk_code *code, const struct pmk_core *core)
{
	*code = (struct pmk_code){
		.core = core,
		.block = pmk_reserve(PMK_MAX_BLOCKS * sizeof(*code->block)),
		.hash = pmk_reserve(PMK_MAX_BLOCKS * sizeof(*code->hash)),
		.block_at = pmk_reserve(TABLE_SIZE * sizeof(*code->block_at)),
		.branch_at = pmk_reserve(TABLE_SIZE * sizeof(*code->branch_at)),
		.insn = pmk_reserve(PMK_MAX_INSNS * sizeof(*code->insn)),
		.nbranches = PMK_BRANCH_FIRST,
	};
	if (most_kept(core))
		code->kept = pmk_reserve(PMK_MAX_KEPT);
	if (code->block && code->hash && code->block_at && code->branch_at && code->insn &&
	    (code->kept || !most_kept(core)))
		return 0;
	pmk_code_fini(code);
	return PMK_ENOMEM;
}

void pmk_code_fini(struct pmk_code *code)
{
	pmk_release(code->block, PMK_MAX_BLOCKS * sizeof(*code->block));
	pmk_release(code->hash, PMK_MAX_BLOCKS * sizeof(*code->hash));
	pmk_release(code->block_at, TABLE_SIZE * sizeof(*code->block_at));
	pmk_release(code->branch_at, TABLE_SIZE * sizeof(*code->branch_at));
	pmk_release(code->insn, PMK_MAX_INSNS * sizeof(*code->insn));
	pmk_release(code->kept, PMK_MAX_KEPT);
	memset(code, 0, sizeof(*code));
}

/* Entries of a table are used from the lowest on, and `used` of them are; `more` will be. */
static void make_room(void *table, size_t entry, uint64_t used, uint64_t more)
{
	const uint64_t bytes = 1 << 16;
	uint64_t begin = (used * entry + bytes - 1) / bytes * bytes;
	uint64_t end = ((used + more) * entry + bytes - 1) / bytes * bytes;

	if (end > begin)
		pmk_populate((char *)table + begin, end - begin);
}

/* Neighbouring addresses get neighbouring entries, so that few pages of the table are touched.
 * Blocks that begin less than two instructions apart are rare. */
static uint32_t first_probe(uint64_t addr)
{
	return (uint32_t)(addr >> 3) & TABLE_MASK;
}

/* The number of the branch that ends `b`. Blocks that end in the same branch share it. */
static uint32_t branch_number(struct pmk_code *code, const struct pmk_block *b, uint32_t id)
{
	uint32_t i;

	if (b->disturbs || b->vector)
		return PMK_BRANCH_SLOW;
	if (b->flow == PMK_FLOW_NEXT)
		return PMK_BRANCH_NONE;
	if (b->flow != PMK_FLOW_JUMP && b->flow != PMK_FLOW_CALL)
		return PMK_BRANCH_SLOW;
	for (i = first_probe(b->end_addr); code->branch_at[i]; i = (i + 1) & TABLE_MASK) {
		struct pmk_block *known = &code->block[code->branch_at[i] - 1];

		/* The address is not enough, because other code may be there now. */
		if (known->end_addr == b->end_addr && known->flow == b->flow &&
		    known->target == b->target && known->conditional == b->conditional)
			return *pmk_core_family(code->core)->branch(known);
	}
	if (code->nbranches == PMK_MAX_BRANCHES)
		return PMK_BRANCH_SLOW;
	code->branch_at[i] = id + 1;
	return code->nbranches++;
}

/* Keep the instructions up to the last one that may fault. Without room for them, the block never
 * ends early. */
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
	for (uint32_t i = first_probe(pc); code->block_at[i]; i = (i + 1) & TABLE_MASK)
		if (code->block[code->block_at[i] - 1].pc == pc)
			return true;
	return false;
}

const struct pmk_block *pmk_code_add(struct pmk_code *code, const struct pmk_insn *insn, size_t n,
				     uint64_t bytes_hash, unsigned entry,
				     struct pmk_pipe_slot *slots)
{
	const struct pmk_core_family *family = pmk_core_family(code->core);
	const uint64_t most = most_kept(code->core);
	struct pmk_block b;
	uint32_t i;

	pmk_block_build(code->core, insn, n, slots, &b);
	b.vector = entry & PMK_ENTRY_VECTOR;
	b.faulted = entry & PMK_ENTRY_FAULT;
	b.tells = code->tells;
	b.vector_set = entry & PMK_ENTRY_SET;
	b.level = (uint8_t)PMK_ENTRY_LEVEL_OF(entry);
	for (i = first_probe(b.pc); code->block_at[i]; i = (i + 1) & TABLE_MASK) {
		uint32_t id = code->block_at[i] - 1;
		const struct pmk_block *known = &code->block[id];

		if (known->pc == b.pc && known->fall == b.fall && code->hash[id] == bytes_hash)
			return known;
	}
	if (code->nblocks == PMK_MAX_BLOCKS)
		return NULL;
	if (most && most > PMK_MAX_KEPT - code->nkept)
		return NULL;
	b.id = code->nblocks;
	/* Others know by now how they end. */
	if (family->branch)
		*family->branch(&b) = branch_number(code, &b, b.id);
	keep_insns(code, insn, n, &b);
	if (most)
		code->nkept += family->keep(code->core, insn, n, code->kept + code->nkept, &b);
	make_room(code->block, sizeof(b), b.id, 1);
	code->block[b.id] = b;
	code->hash[b.id] = bytes_hash;
	code->block_at[i] = b.id + 1;
	code->nblocks++;
	return &code->block[b.id];
}
