// SPDX-License-Identifier: MIT
/* Where the firmware of a Cortex-M is. See firmware.h. */
#include "count/firmware.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/elf.h"

struct search {
	struct pmk_firmware *f;
	bool bad; /* the board has no memory at `bad_at`, where the file has contents */
	uint64_t bad_at;
};

/* True if the board has memory there. Otherwise, *at is the first address without. */
static bool has_memory(const struct pmk_board *b, uint64_t first, uint64_t size, uint64_t *at)
{
	*at = first;
	for (const struct pmk_memory *m = b->memory; m->last; m++) {
		if (first < m->first || first > m->last)
			continue;
		if (size <= m->last - first + 1)
			return true;
		*at = m->last + 1;
	}
	return false;
}

static uint32_t word_at(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool look_at_segment(void *ctx, const struct pmk_elf_segment *seg)
{
	struct search *s = ctx;
	struct pmk_firmware *f = s->f;
	uint64_t at;

	if (seg->bytes && !s->bad && !has_memory(f->board, seg->load, seg->bytes, &at)) {
		s->bad = true;
		s->bad_at = at;
	}
	if (seg->size && !f->absent && !has_memory(f->board, seg->addr, seg->size, &at)) {
		f->absent = true;
		f->absent_at = at;
	}
	if (seg->bytes < 8 || seg->load >= f->start)
		return true;
	f->start = seg->load;
	f->sp = word_at(seg->contents);
	f->reset = word_at(seg->contents + 4);
	return true;
}

static bool has_reset(void *ctx, const struct pmk_elf_segment *seg)
{
	struct search *s = ctx;
	uint64_t pc = s->f->reset - 1;

	s->f->has_table = seg->executable && pc >= seg->addr && pc - seg->addr < seg->size;
	return !s->f->has_table;
}

static void list_memory(const struct pmk_board *b, char *text, size_t size)
{
	size_t n = 0;

	for (const struct pmk_memory *m = b->memory; m->last && n < size; m++)
		n += (size_t)snprintf(text + n, size - n, "%s0x%" PRIx64 "-0x%" PRIx64,
				      m == b->memory ? "" : ", ", m->first, m->last);
}

bool pmk_firmware_place(struct pmk_firmware *f, const char *path, char *why, size_t size)
{
	struct search s = { .f = f };
	char memory[256];
	uint64_t at;

	*f = (struct pmk_firmware){ .board = f->board, .start = UINT64_MAX };
	pmk_elf_segments(path, look_at_segment, &s);
	/* The lowest bit of an address of code is set, and a stack pointer is a multiple of 4. */
	if (f->reset & 1 && !(f->sp & 3))
		pmk_elf_segments(path, has_reset, &s);
	if (!s.bad && (!f->has_table || (f->sp && has_memory(f->board, f->sp - 1, 1, &at))))
		return true;
	list_memory(f->board, memory, sizeof(memory));
	snprintf(why, size,
		 "%s0x%" PRIx64 ", where QEMU's board %s has no memory (it has %s); link it for "
		 "these addresses, or name another board with `qemu` 'qemu-system-arm -M BOARD "
		 "-kernel %s'",
		 s.bad ? "has contents at " : "its vector table sets the stack pointer to ",
		 s.bad ? s.bad_at : f->sp, f->board->name, memory, path);
	return false;
}
