// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the addresses of prefetch instructions. See parts.h. */
#include "producer/qemu/parts.h"

/* True if the instruction's address is a register plus a constant. */
static bool is_plain(const struct pmk_insn *in)
{
	return in->rn >= 0 && in->rm == PMK_NO_REG && !in->literal && !in->thumb;
}

/* True if the instruction always accesses memory, and its base register is that of the prefetch. */
static bool shares_base(const struct pmk_insn *in, const struct pmk_insn *prefetch)
{
	return (in->load || in->store) && is_plain(in) && in->rn == prefetch->rn &&
	       !in->conditional && !in->exclusive;
}

/* Adds to *sum the constant that the instruction adds to `reg`, if any. Returns false if the
 * instruction changes `reg` in another way. */
static bool add_step(const struct pmk_insn *in, int reg, int64_t *sum)
{
	if (!(in->writes >> reg & 1))
		return true;
	if (!in->writeback || in->rn != reg || in->conditional || !is_plain(in) ||
	    (in->load && (in->rd == reg || in->rd2 == reg || in->list >> reg & 1)))
		return false;
	*sum += in->step;
	return true;
}

/* True if the addresses of both instructions differ by a constant. If `several` is true, `in` may
 * make several accesses. The emulator reports each of them, and the first one is at the lowest
 * address. */
static bool fits(const struct pmk_insn *in, const struct pmk_insn *prefetch, bool several)
{
	return shares_base(in, prefetch) && (several || in->mem_count == 1);
}

static bool find(const struct pmk_insn *in, size_t first, size_t last, size_t i, bool several,
		 size_t *access, int64_t *distance)
{
	int64_t sum = 0;

	for (size_t j = i + 1; j < last; j++) {
		if (fits(&in[j], &in[i], several)) {
			*access = j;
			*distance = in[i].offset - (sum + in[j].offset);
			return true;
		}
		if (!add_step(&in[j], in[i].rn, &sum))
			break;
	}
	sum = 0;
	for (size_t j = i; j-- > first;) {
		if (!add_step(&in[j], in[i].rn, &sum))
			break;
		if (fits(&in[j], &in[i], several)) {
			*access = j;
			*distance = sum + in[i].offset - in[j].offset;
			return true;
		}
	}
	return false;
}

bool pmk_preload_find(const struct pmk_insn *in, size_t first, size_t last, size_t i,
		      size_t *access, int64_t *distance)
{
	return is_plain(&in[i]) && (find(in, first, last, i, false, access, distance) ||
				    find(in, first, last, i, true, access, distance));
}
