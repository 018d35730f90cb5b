// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handles accesses to devices. Since QEMU 8.1.2, an access to a device must be the last instruction
 * of a translated block. If it is not, QEMU leaves the block and runs the access as a block of its
 * own. Of this block it reports only the access. QEMU then runs the remaining instructions of the
 * first block as a third block, and reports its start. These instructions were counted with the
 * first block, so this file remembers them until the third block starts. An interrupt handler may
 * run before that, and may access devices, too.
 */
#include <stdlib.h>

#include "producer/qemu/parts.h"

/* An access of an instruction that was translated as a block of its own. */
struct lone_access {
	pmk_access_fn *fn;
	/* Data for `fn`: `access` if QEMU has reported the start of this block, and `within` if
	 * QEMU has left a longer block for this access and reports only the access. */
	void *access, *within;
	const struct pmk_block *block;
};

static struct plugin_within *within_slot(uint64_t pc)
{
	return &plugin.within[pc / 2 % (sizeof(plugin.within) / sizeof(plugin.within[0]))];
}

/* True if two blocks have the same code. They can be different blocks, because a block is built
 * again when control registers have changed. */
static bool is_same_code(const struct pmk_block *a, const struct pmk_block *b)
{
	return a->pc == b->pc && a->fall == b->fall;
}

static void lone_access(unsigned vcpu, uint32_t info, uint64_t addr, void *data)
{
	const struct lone_access *a = data;

	if (is_same_code(pmk_cpus[vcpu]->prev, a->block)) {
		a->fn(vcpu, info, addr, a->access);
		return;
	}
	pmk_rest_expect(vcpu, a->block);
	a->fn(vcpu, info, addr, a->within);
}

bool pmk_devices_is_device(const struct pmk_cpu *cpu, uint64_t addr)
{
	enum { UNKNOWN, NORMAL, DEVICE };
	uint32_t page = (uint32_t)addr >> PMK_PAGE_SHIFT;
	uint8_t *known = (uint8_t *)cpu->device_ctx + page;

	if (*known == UNKNOWN) {
		if (page != (uint32_t)cpu->seen.addr >> PMK_PAGE_SHIFT)
			return false;
		*known = pmk_plugin_asks_device(cpu, cpu->seen.addr) ? DEVICE : NORMAL;
	}
	return *known == DEVICE;
}

static struct lone_access *new_lone(pmk_access_fn *fn, void *access, const struct pmk_block *b)
{
	struct lone_access *lone = malloc(sizeof(*lone));
	const struct plugin_within *w = within_slot(b->pc);

	if (!lone)
		pmk_plugin_give_up(PMK_ENOMEM);
	*lone = (struct lone_access){
		.fn = fn,
		.access = access,
		.within = w->pc == b->pc && w->access ? w->access : access,
		.block = b,
	};
	return lone;
}

void pmk_devices_watch_access(struct qemu_plugin_tb *tb, size_t i, uint64_t pc, pmk_access_fn *fn,
			      uint64_t access, const struct pmk_block *b)
{
	void *data = (void *)(uintptr_t)access;

	if (plugin.system_mode && b->pc != b->end_addr) {
		*within_slot(pc) = (struct plugin_within){ .pc = pc, .access = data };
	} else if (plugin.system_mode) {
		data = new_lone(fn, data, b);
		fn = lone_access;
	}
	pmk_plugin_on_access(tb, i, fn, data);
}
